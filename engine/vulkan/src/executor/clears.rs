//! Clears: attachments inside a pass, images outside.

use super::{Executor, Part};
use crate::convert;
use crate::error::{ExecuteError, Named};
use crate::features::Feature;
use crate::gpu::Gpu;
use crate::pipelines::{PassFormats, components};
use crate::spirv;
use crate::stream::{Dynamic, PipelineFacts};
use ash::vk;
use framegraph::ids::NodeId;
use framegraph::resource::Layout;
use framegraph::state::{Aspects, NumericClass, Subresources};
use framegraph::tables::{Clear, ClearTarget};
use smallvec::SmallVec;
use std::collections::HashMap;

/// Pipelines that clear with a mask, which no command of Vulkan does: a triangle over the target, a constant, and the masks.
#[derive(Default)]
pub(crate) struct ClearPipelines {
    layout: vk::PipelineLayout,
    modules: HashMap<(Kind, u32), vk::ShaderModule>,
    made: HashMap<Key, vk::Pipeline>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Vertex,
    VertexLayers,
    Fragment(NumericClass),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    formats: PassFormats,
    layered: bool,
    /// Slot, class and components; `None` = depth and stencil.
    color: Option<(u8, NumericClass, u8)>,
    depth: bool,
    stencil: bool,
}

impl ClearPipelines {
    pub(crate) fn destroy(&mut self, gpu: &Gpu) {
        // SAFETY: the executor waited for the device.
        unsafe {
            for (_, pipeline) in self.made.drain() {
                gpu.device.raw.destroy_pipeline(pipeline, None);
            }
            for (_, module) in self.modules.drain() {
                gpu.device.raw.destroy_shader_module(module, None);
            }
            gpu.device.raw.destroy_pipeline_layout(self.layout, None);
        }
    }

    fn module(&mut self, gpu: &Gpu, kind: Kind, location: u32) -> Result<vk::ShaderModule, ExecuteError> {
        if let Some(&module) = self.modules.get(&(kind, location)) {
            return Ok(module);
        }
        let bytes: &[u8] = match kind {
            Kind::Vertex => include_bytes!("../shaders/clear.vert.spv"),
            Kind::VertexLayers => include_bytes!("../shaders/clear_layers.vert.spv"),
            Kind::Fragment(NumericClass::Float) => include_bytes!("../shaders/clear_float.frag.spv"),
            Kind::Fragment(NumericClass::Sint) => include_bytes!("../shaders/clear_sint.frag.spv"),
            Kind::Fragment(NumericClass::Uint) => include_bytes!("../shaders/clear_uint.frag.spv"),
        };
        let mut words: Vec<u32> = bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
        if matches!(kind, Kind::Fragment(_)) {
            let at = spirv::instructions(&words)
                .into_iter()
                .flatten()
                .filter_map(Result::ok)
                .find(|(code, a, _)| *code == 71 && a.get(1) == Some(&30))
                .map(|(_, _, at)| at + 3);
            if let Some(word) = at.and_then(|at| words.get_mut(at)) {
                *word = location;
            }
        }
        let create = vk::ShaderModuleCreateInfo::default().code(&words);
        // SAFETY: the words are the modules beside this file.
        let module = unsafe { gpu.device.raw.create_shader_module(&create, None) }.named("vkCreateShaderModule")?;
        self.modules.insert((kind, location), module);
        Ok(module)
    }

    fn get(&mut self, gpu: &mut Gpu, key: Key) -> Result<vk::Pipeline, ExecuteError> {
        if let Some(&pipeline) = self.made.get(&key) {
            return Ok(pipeline);
        }
        if self.layout == vk::PipelineLayout::null() {
            let stages = vk::ShaderStageFlags::FRAGMENT | vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::COMPUTE;
            let ranges = [vk::PushConstantRange { stage_flags: stages, offset: 0, size: 16 }];
            let create = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&ranges);
            // SAFETY: complete create info.
            self.layout =
                unsafe { gpu.device.raw.create_pipeline_layout(&create, None) }.named("vkCreatePipelineLayout")?;
        }
        let vertex = self.module(gpu, if key.layered { Kind::VertexLayers } else { Kind::Vertex }, 0)?;
        let mut stages: SmallVec<[vk::PipelineShaderStageCreateInfo<'_>; 2]> = SmallVec::new();
        let stage =
            |flag, module| vk::PipelineShaderStageCreateInfo::default().stage(flag).module(module).name(c"main");
        stages.push(stage(vk::ShaderStageFlags::VERTEX, vertex));
        if let Some((slot, class, _)) = key.color {
            let fragment = self.module(gpu, Kind::Fragment(class), u32::from(slot))?;
            stages.push(stage(vk::ShaderStageFlags::FRAGMENT, fragment));
        }
        let input = vk::PipelineVertexInputStateCreateInfo::default();
        let assembly =
            vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let viewport = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
        let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
        let multisample = vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(key.formats.samples);
        let face = vk::StencilOpState {
            fail_op: vk::StencilOp::REPLACE,
            pass_op: vk::StencilOp::REPLACE,
            depth_fail_op: vk::StencilOp::REPLACE,
            compare_op: vk::CompareOp::ALWAYS,
            ..Default::default()
        };
        let depth = vk::PipelineDepthStencilStateCreateInfo::default()
            .depth_test_enable(key.depth)
            .depth_write_enable(key.depth)
            .depth_compare_op(vk::CompareOp::ALWAYS)
            .stencil_test_enable(key.stencil)
            .front(face)
            .back(face);
        let slots = usize::from(key.formats.slots);
        let mut targets = [vk::PipelineColorBlendAttachmentState::default(); 8];
        if let Some((slot, _, mask)) = key.color {
            targets[usize::from(slot)].color_write_mask = vk::ColorComponentFlags::from_raw(u32::from(mask));
        }
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&targets[..slots]);
        let states = [
            vk::DynamicState::VIEWPORT,
            vk::DynamicState::SCISSOR,
            vk::DynamicState::STENCIL_WRITE_MASK,
            vk::DynamicState::STENCIL_REFERENCE,
        ];
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&states);
        let mut rendering = vk::PipelineRenderingCreateInfo::default()
            .color_attachment_formats(&key.formats.color[..slots])
            .depth_attachment_format(key.formats.depth)
            .stencil_attachment_format(key.formats.stencil);
        let create = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&multisample)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(self.layout)
            .push_next(&mut rendering);
        // SAFETY: modules and layout live; the states are complete.
        let pipeline = unsafe { gpu.device.raw.create_graphics_pipelines(vk::PipelineCache::null(), &[create], None) }
            .map_err(|(_, result)| ExecuteError::of("vkCreateGraphicsPipelines", result))?[0];
        gpu.note_pipeline(pipeline, || PipelineFacts {
            color: key.formats.color[..slots].to_vec(),
            depth: if key.formats.depth == vk::Format::UNDEFINED { key.formats.stencil } else { key.formats.depth },
            ..PipelineFacts::default()
        });
        self.made.insert(key, pipeline);
        Ok(pipeline)
    }
}

const TARGET: [Layout; 2] = [Layout::CopyTarget, Layout::General];

fn value_of(clear: &Clear) -> vk::ClearValue {
    if clear.aspects == Aspects::NONE || clear.aspects == Aspects::COLOR {
        vk::ClearValue { color: vk::ClearColorValue { uint32: clear.value } }
    } else {
        vk::ClearValue {
            depth_stencil: vk::ClearDepthStencilValue {
                depth: f32::from_bits(clear.value[0]).clamp(0.0, 1.0),
                stencil: clear.value[1],
            },
        }
    }
}

impl Executor {
    pub(crate) fn clear(&mut self, part: &Part<'_>, node: NodeId, clear: &Clear) -> Result<(), ExecuteError> {
        match clear.target {
            ClearTarget::Attachment(_, slot) => self.clear_attachment(node, clear, slot),
            ClearTarget::Image(resource, sub) => {
                if self.open.is_some() {
                    return Err(self.bad(format!("{node:?} clears an image inside a pass")));
                }
                self.clear_image(part, node, clear, resource, sub)
            }
        }
    }

    fn clear_attachment(&mut self, node: NodeId, clear: &Clear, slot: u8) -> Result<(), ExecuteError> {
        let Some(open) = self.open else {
            return Err(self.bad(format!("{node:?} clears an attachment outside a pass")));
        };
        self.note_written(if slot < 8 { 1 << slot } else { 1 << 8 });
        let [x, y, w, h] = clear.rect;
        let left = x.clamp(0, open.area[0] as i32);
        let top = y.clamp(0, open.area[1] as i32);
        let right = x.saturating_add(w).clamp(left, open.area[0] as i32);
        let bottom = y.saturating_add(h).clamp(top, open.area[1] as i32);
        if right == left || bottom == top {
            return Ok(());
        }
        let rect = vk::ClearRect {
            rect: vk::Rect2D {
                offset: vk::Offset2D { x: left, y: top },
                extent: vk::Extent2D { width: (right - left) as u32, height: (bottom - top) as u32 },
            },
            base_array_layer: 0,
            layer_count: open.layers,
        };
        let (aspect_mask, color_attachment) = if slot < 8 {
            if self.open_format(usize::from(slot)).is_none() {
                return Ok(());
            }
            (vk::ImageAspectFlags::COLOR, u32::from(slot))
        } else {
            let formats = self.formats[open.formats as usize];
            let mut mask = vk::ImageAspectFlags::empty();
            if clear.aspects.intersects(Aspects::DEPTH) && formats.depth != vk::Format::UNDEFINED {
                mask |= vk::ImageAspectFlags::DEPTH;
            }
            if clear.aspects.intersects(Aspects::STENCIL) && formats.stencil != vk::Format::UNDEFINED {
                mask |= vk::ImageAspectFlags::STENCIL;
            }
            if mask.is_empty() {
                return Ok(());
            }
            (mask, 0)
        };
        let stencil = aspect_mask.contains(vk::ImageAspectFlags::STENCIL) && clear.stencil_mask != 255;
        let wanted = self.open_format(usize::from(slot.min(7))).map_or(15, components);
        if (slot < 8 && clear.mask & wanted != wanted) || stencil {
            return self.clear_masked(clear, slot, aspect_mask, rect.rect);
        }
        let attachment = vk::ClearAttachment { aspect_mask, color_attachment, clear_value: value_of(clear) };
        self.gpu.clear_attachment(attachment, rect);
        Ok(())
    }

    /// A clear of some components, or of some bits of stencil.
    fn clear_masked(
        &mut self,
        clear: &Clear,
        slot: u8,
        aspects: vk::ImageAspectFlags,
        area: vk::Rect2D,
    ) -> Result<(), ExecuteError> {
        let Some(open) = self.open else { return Ok(()) };
        let color = slot < 8;
        if color && clear.mask & 15 == 0 {
            return Ok(());
        }
        if open.layers > 1 && !self.gpu.device.features.has(Feature::VertexLayer) {
            return Err(ExecuteError::Lacks {
                what: "a masked clear of a layered target".to_owned(),
                feature: "shaderOutputLayer",
            });
        }
        let key = Key {
            formats: self.formats[open.formats as usize],
            layered: open.layers > 1,
            color: color.then_some((slot, clear.class, clear.mask & 15)),
            depth: aspects.contains(vk::ImageAspectFlags::DEPTH),
            stencil: aspects.contains(vk::ImageAspectFlags::STENCIL),
        };
        let pipeline = self.clear_pipelines.get(&mut self.gpu, key)?;
        let layout = self.clear_pipelines.layout;
        self.tracked.forget();
        self.gpu.bind_pipeline(pipeline, false);
        let depth = if key.depth { f32::from_bits(clear.value[0]).clamp(0.0, 1.0) } else { 0.0 };
        let viewport = vk::Viewport {
            x: 0.0,
            y: 0.0,
            width: open.area[0] as f32,
            height: open.area[1] as f32,
            min_depth: depth,
            max_depth: depth,
        };
        let cb = self.gpu.command_buffer();
        // SAFETY: the command buffer is open.
        unsafe {
            let raw = &self.gpu.device.raw;
            raw.cmd_set_viewport(cb, 0, &[viewport]);
            raw.cmd_set_scissor(cb, 0, &[area]);
            raw.cmd_set_stencil_write_mask(cb, vk::StencilFaceFlags::FRONT_AND_BACK, u32::from(clear.stencil_mask));
            raw.cmd_set_stencil_reference(cb, vk::StencilFaceFlags::FRONT_AND_BACK, clear.value[1] & 255);
        }
        let words: SmallVec<[u8; 16]> = clear.value.iter().flat_map(|w| w.to_ne_bytes()).collect();
        self.gpu.push_constants(layout, &words);
        let writes = if color { 1 << slot } else { 0 };
        self.gpu.note_dynamic(Dynamic::Color { writes, reads: writes });
        self.gpu.note_dynamic(Dynamic::DepthTest(key.depth));
        self.gpu.note_dynamic(Dynamic::DepthWrite(key.depth));
        self.gpu.note_dynamic(Dynamic::Stencil { test: key.stencil, writes: key.stencil });
        self.gpu.note_dynamic(Dynamic::VertexBindings(0));
        self.gpu.draw(3, open.layers, 0, 0);
        Ok(())
    }

    fn clear_image(
        &mut self,
        part: &Part<'_>,
        node: NodeId,
        clear: &Clear,
        resource: framegraph::ids::ResourceId,
        sub: Subresources,
    ) -> Result<(), ExecuteError> {
        let held = self.resources.image(&mut self.gpu, part.world, resource, part.serial)?;
        if held.desc.host_format.block().1 > 1 {
            let what = format!("a clear of {}: compressed images are uploaded", held.desc.host_format.name());
            return Err(ExecuteError::Unsupported { node, what });
        }
        let cut = held.cut(&sub);
        let slices = u32::from(cut.layers);
        if held.image.info.kind == vk::ImageType::TYPE_3D && slices != held.image.info.slices() {
            let what = "a clear of some slices of a 3D image: the graph clears them as layers of a pass".to_owned();
            return Err(ExecuteError::Unsupported { node, what });
        }
        let layout = convert::layout(held.layout_for(&sub, &TARGET));
        let range = held.range(&sub, true);
        self.gpu.clear_image(&held.image, layout, range, value_of(clear));
        Ok(())
    }
}
