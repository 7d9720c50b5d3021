//! Draws and dispatches: pipelines, dynamic state, vertex and index buffers, descriptors.

use super::{Executor, Part};
use crate::convert;
use crate::descriptors::{BindPlan, Contents, Resolved, SETS, Slot};
use crate::error::ExecuteError;
use crate::features::Feature;
use crate::formats;
use crate::gpu::{Buffer, Gpu, Image, ImageInfo, Trash};
use crate::pipelines::{GraphicsKey, Made, blend_attachment, color_use, is_dual_source};
use crate::resources::ViewUse;
use crate::stream::{Bytes, Dependency, Dynamic, ImageDependency, Range};
use ash::vk;
use framegraph::ids::{NodeId, ResourceId, Rows, StateId};

use crate::hostile::Lines;
use crate::hostile::shadows::FEEDBACK;
use framegraph::resource::{Layout, Part as Piece};
use framegraph::state::{
    Aspects, DepthState, Dim, NumericClass, PipelineKey, RasterState, SamplerKey, StencilOp, VertexInput, Viewport,
};
use framegraph::tables::{BindKind, BindSource, Binding, BufferSlice, Dispatch, DrawCall, IndexType, uses};
use smallvec::SmallVec;
use std::sync::Arc;

/// Layouts in which an image may be sampled; the first is its own.
const SAMPLED: [Layout; 4] = [Layout::Sampled, Layout::General, Layout::DepthRead, Layout::Feedback];

/// What the open command buffer has set, so that equal state is not set again.
#[derive(Debug, Default)]
pub(crate) struct Tracked {
    pipeline: vk::Pipeline,
    compute: vk::Pipeline,
    viewport: Option<(StateId, [u32; 2])>,
    depth: StateId,
    raster: Option<(StateId, vk::SampleCountFlags)>,
    blend: Option<(StateId, u32, u8)>,
    vertex: StateId,
    topology: Option<(vk::PrimitiveTopology, bool, u8)>,
    streams: Option<(StateId, Rows)>,
    /// Indices, their width, and whether they are bound for indirect draws.
    index: Option<(BufferSlice, IndexType, bool)>,
    /// Bindings that the bound graphics and compute sets were made from.
    bound: [Option<(Rows, vk::PipelineLayout)>; 2],
    /// Binding rows by set and number, of the bindings looked at last.
    lookup: Vec<u32>,
    sets: [[vk::DescriptorSet; SETS]; 2],
}

impl Tracked {
    /// Descriptors name layouts: sets made before a layout change are not taken for those behind it.
    pub(crate) fn layouts_changed(&mut self) {
        self.bound = [None; 2];
    }

    /// A new pass may differ in its number of targets.
    pub(crate) fn pass_began(&mut self) {
        self.blend = None;
    }

    /// The executor's own pipelines have set state of their own.
    pub(crate) fn forget(&mut self) {
        let lookup = std::mem::take(&mut self.lookup);
        *self = Self { lookup, ..Self::default() };
    }
}

/// What is bound where the game bound nothing: zeros.
pub(crate) struct StandIns {
    zero: Option<Buffer>,
    sampler: Option<vk::Sampler>,
    images: Vec<(u32, bool, bool, u8, Image, vk::ImageView)>,
    prepared: bool,
    poison: bool,
}

const ZERO_BYTES: u64 = 65536;

impl StandIns {
    /// With `poison`, what is not bound shows: yellow images and 0xCD bytes.
    pub(crate) fn new(gpu: &mut Gpu, poison: bool) -> Result<Self, ExecuteError> {
        let zero = Executor::filled_buffer(gpu, ZERO_BYTES, if poison { 0xCD } else { 0 })?;
        let mut images = Vec::new();
        if poison || !gpu.device.features.has(Feature::NullDescriptor) {
            let cube_array = gpu.device.features.has(Feature::CubeArray);
            for (dim, arrayed, kind, layers) in [
                (0, false, vk::ImageViewType::TYPE_1D, 1),
                (0, true, vk::ImageViewType::TYPE_1D_ARRAY, 1),
                (1, false, vk::ImageViewType::TYPE_2D, 1),
                (1, true, vk::ImageViewType::TYPE_2D_ARRAY, 1),
                (2, false, vk::ImageViewType::TYPE_3D, 1),
                (3, false, vk::ImageViewType::CUBE, 6),
                (3, true, vk::ImageViewType::CUBE_ARRAY, 6),
            ] {
                if kind == vk::ImageViewType::CUBE_ARRAY && !cube_array {
                    continue;
                }
                for (class, format) in
                    [vk::Format::R8G8B8A8_UNORM, vk::Format::R32_SINT, vk::Format::R32_UINT].into_iter().enumerate()
                {
                    let (image, view) = Self::image(gpu, dim, kind, layers, format)?;
                    images.push((dim, arrayed, false, class as u8, image, view));
                }
            }
        }
        Ok(Self { zero: Some(zero), sampler: None, images, prepared: false, poison })
    }

    fn image(
        gpu: &mut Gpu,
        dim: u32,
        kind: vk::ImageViewType,
        layers: u32,
        format: vk::Format,
    ) -> Result<(Image, vk::ImageView), ExecuteError> {
        let info = ImageInfo {
            kind: match dim {
                0 => vk::ImageType::TYPE_1D,
                2 => vk::ImageType::TYPE_3D,
                _ => vk::ImageType::TYPE_2D,
            },
            format,
            aspects: vk::ImageAspectFlags::COLOR,
            extent: [1; 3],
            levels: 1,
            layers,
            samples: vk::SampleCountFlags::TYPE_1,
            usage: vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::STORAGE | vk::ImageUsageFlags::TRANSFER_DST,
            flags: if dim == 3 { vk::ImageCreateFlags::CUBE_COMPATIBLE } else { vk::ImageCreateFlags::empty() },
        };
        let image = gpu.create_image(info, &[])?;
        let range = Range { aspects: info.aspects, level: 0, levels: 1, layer: 0, layers };
        let usage = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::STORAGE;
        let view = gpu.create_view(&image, kind, format, range, vk::ComponentMapping::default(), usage)?;
        Ok((image, view))
    }

    /// Clears the images, at the start of the first part.
    pub(crate) fn prepare(&mut self, gpu: &mut Gpu) {
        if self.prepared {
            return;
        }
        self.prepared = true;
        let scope =
            |src_stage, src_access, dst_stage, dst_access| Dependency { src_stage, src_access, dst_stage, dst_access };
        let transfer = vk::PipelineStageFlags2::ALL_TRANSFER;
        for (_, _, _, _, image, _) in &self.images {
            let range = image.info.all();
            let is_3d = image.info.kind == vk::ImageType::TYPE_3D;
            let change = |scope, old, new| (ImageDependency { scope, image: image.raw, range, old, new }, is_3d);
            let none = (vk::PipelineStageFlags2::NONE, vk::AccessFlags2::NONE);
            let to_clear = scope(none.0, none.1, transfer, vk::AccessFlags2::TRANSFER_WRITE);
            gpu.barrier(None, &[change(to_clear, vk::ImageLayout::UNDEFINED, vk::ImageLayout::GENERAL)], false);
            let mut value = vk::ClearValue::default();
            if self.poison {
                value.color = if image.info.format == vk::Format::R8G8B8A8_UNORM {
                    vk::ClearColorValue { float32: [1.0, 1.0, 0.0, 1.0] }
                } else {
                    vk::ClearColorValue { uint32: [0x4D4D_4D4D; 4] }
                };
            }
            gpu.clear_image(image, vk::ImageLayout::GENERAL, range, value);
            let to_read = scope(
                transfer,
                vk::AccessFlags2::TRANSFER_WRITE,
                vk::PipelineStageFlags2::ALL_COMMANDS,
                vk::AccessFlags2::SHADER_SAMPLED_READ | vk::AccessFlags2::SHADER_STORAGE_READ,
            );
            gpu.barrier(None, &[change(to_read, vk::ImageLayout::GENERAL, vk::ImageLayout::GENERAL)], false);
        }
    }

    pub(crate) fn zero(&self) -> vk::Buffer {
        self.zero.as_ref().map_or(vk::Buffer::null(), |b| b.raw)
    }

    pub(crate) fn destroy(&mut self, gpu: &mut Gpu) {
        for (.., image, view) in self.images.drain(..) {
            gpu.destroy(Trash::View(view));
            gpu.destroy(Trash::Image(image));
        }
        if let Some(zero) = self.zero.take() {
            gpu.destroy(Trash::Buffer(zero));
        }
    }
}

fn number(kind: BindKind) -> usize {
    kind as usize
}

/// Binding numbers per set: five graphics stages of 32.
const NUMBERS: usize = 160;

impl Executor {
    /// Draws.
    pub(crate) fn draw(&mut self, part: &Part<'_>, node: NodeId, d: usize) -> Result<(), ExecuteError> {
        let Some(open) = self.open else { return Err(self.bad(format!("{node:?} draws outside a pass"))) };
        let row = part.draws.pipeline[d] as usize;
        let Some(key) = part.pipelines.keys.get(row) else {
            return Err(ExecuteError::MissingState { node, group: "pipeline" });
        };
        let made = match &self.rows[row] {
            Some((formats, made)) if *formats == open.formats => made.clone(),
            _ => {
                let made = self.resolve_pipeline(part, node, key, open.formats)?;
                self.rows[row] = Some((open.formats, made.clone()));
                made
            }
        };
        if self.tracked.pipeline != made.raw {
            self.gpu.bind_pipeline(made.raw, false);
            self.tracked.pipeline = made.raw;
        }
        self.set_state(part, node, d, key, open.area)?;
        if self.hostile.is_some() {
            let slots = self.formats[open.formats as usize].slots;
            let (writes, _) = color_use(&Default::default(), key.write_mask, usize::from(slots));
            let depth = part.states.depth.get(key.depth).is_some_and(|d| d.write || d.stencil.is_some());
            self.note_written(u16::from(writes) | u16::from(depth) << 8);
        }
        self.bind_streams(part, node, d, key)?;
        self.bind_descriptors(part, node, part.draws.bindings[d], &made.plan, false)?;
        self.call(part, node, &part.draws.call[d])
    }

    fn resolve_pipeline(
        &mut self,
        part: &Part<'_>,
        node: NodeId,
        key: &PipelineKey,
        formats: u32,
    ) -> Result<Made, ExecuteError> {
        let missing = |group| ExecuteError::MissingState { node, group };
        let states = part.states;
        let shaders = states.shaders.get(key.shaders).ok_or_else(|| missing("shaders"))?;
        let topology = convert::topology(key.topology).ok_or_else(|| ExecuteError::Unsupported {
            node,
            what: format!(
                "Vulkan has no topology {:?}; a rule of the graph should have rewritten the draw",
                key.topology
            ),
        })?;
        let mut pass = self.formats[formats as usize];
        let raster = *states.raster.get(key.raster).ok_or_else(|| missing("raster"))?;
        if pass.slots == 0 && pass.depth == vk::Format::UNDEFINED && pass.stencil == vk::Format::UNDEFINED {
            pass.samples = vk::SampleCountFlags::from_raw(u32::from(raster.samples.max(1)));
        }
        let blend = *states.blend.get(key.blend).ok_or_else(|| missing("blend"))?;
        let depth = *states.depth.get(key.depth).ok_or_else(|| missing("depth"))?;
        self.check_features(key, &blend, &depth, &raster, usize::from(pass.slots))?;
        let mut wanted: SmallVec<[(u32, NumericClass); 8]> = SmallVec::new();
        if self.pipelines.rewrite {
            for n in (0..u32::from(pass.slots)).filter(|n| key.write_mask >> (4 * n) & 15 != 0) {
                wanted.push((n, formats::class(pass.color[n as usize])));
            }
        }
        let mut full = GraphicsKey {
            shaders: self.pipelines.shaders(&self.gpu, part.modules, shaders, &wanted)?,
            vertex: states.vertex.get(key.vertex).ok_or_else(|| missing("vertex input"))?.clone(),
            blend,
            depth,
            raster,
            formats: pass,
            write_mask: key.write_mask,
            topology,
            patch_points: key.patch_points,
            feedback: key.feedback,
        };
        full.strip(&self.gpu.device);
        self.pipelines.graphics(&mut self.gpu, &full)
    }

    fn check_features(
        &self,
        key: &PipelineKey,
        blend: &framegraph::state::BlendState,
        depth: &DepthState,
        raster: &RasterState,
        slots: usize,
    ) -> Result<(), ExecuteError> {
        let device = &self.gpu.device;
        let need = |feature: Feature, what: &str, name: &'static str| {
            if device.features.has(feature) {
                Ok(())
            } else {
                Err(ExecuteError::Lacks { what: what.to_owned(), feature: name })
            }
        };
        if depth.minus_one_to_one {
            need(Feature::DepthClipControl, "a clip range from -w to w", "depthClipControl")?;
        }
        if depth.clamp {
            need(Feature::DepthClamp, "depth clamp", "depthClamp")?;
        }
        if depth.bounds.is_some() {
            need(Feature::DepthBounds, "a depth bounds test", "depthBounds")?;
        }
        if raster.last_vertex_provokes {
            need(Feature::ProvokingVertex, "a last provoking vertex", "provokingVertexLast")?;
        }
        if raster.fill != framegraph::state::FillMode::Fill {
            need(Feature::FillModes, "line or point fill", "fillModeNonSolid")?;
        }
        if blend.logic_op.is_some() {
            need(Feature::LogicOp, "a logic operation", "logicOp")?;
        }
        if blend.targets[..slots].iter().any(is_dual_source) {
            need(Feature::DualSourceBlend, "a dual-source blend", "dualSrcBlend")?;
        }
        if key.feedback != Aspects::NONE {
            need(Feature::FeedbackLayout, "feedback through the attachment layout", "attachmentFeedbackLoopLayout")?;
        }
        Ok(())
    }

    fn set_state(
        &mut self,
        part: &Part<'_>,
        node: NodeId,
        d: usize,
        key: &PipelineKey,
        area: [u32; 2],
    ) -> Result<(), ExecuteError> {
        let missing = |group| ExecuteError::MissingState { node, group };
        let states = part.states;
        let viewport = part.draws.viewport[d];
        if self.tracked.viewport != Some((viewport, area)) {
            let entries = states.viewports.get(viewport).map_or(&[][..], |v| &v.entries);
            self.set_viewports(entries, area);
            self.tracked.viewport = Some((viewport, area));
        }
        if self.tracked.depth != key.depth {
            self.set_depth(states.depth.get(key.depth).ok_or_else(|| missing("depth"))?);
            self.tracked.depth = key.depth;
        }
        let formats = self.open.map_or(0, |o| o.formats) as usize;
        let samples = self.formats.get(formats).map_or(vk::SampleCountFlags::TYPE_1, |f| f.samples);
        if self.tracked.raster != Some((key.raster, samples)) {
            self.set_raster(states.raster.get(key.raster).ok_or_else(|| missing("raster"))?, samples);
            self.tracked.raster = Some((key.raster, samples));
        }
        let slots = self.formats.get(formats).map_or(0, |f| f.slots);
        if self.tracked.blend != Some((key.blend, key.write_mask, slots)) {
            self.set_blend(states.blend.get(key.blend).ok_or_else(|| missing("blend"))?, key.write_mask, slots);
            self.tracked.blend = Some((key.blend, key.write_mask, slots));
        }
        if self.tracked.vertex != key.vertex {
            if self.gpu.device.features.has(Feature::DynamicVertexInput) {
                self.set_vertex_input(states.vertex.get(key.vertex).ok_or_else(|| missing("vertex input"))?);
            }
            self.tracked.vertex = key.vertex;
        }
        let topology = convert::topology(key.topology).unwrap_or(vk::PrimitiveTopology::TRIANGLE_LIST);
        if self.tracked.topology != Some((topology, key.restart, key.patch_points)) {
            let device = self.gpu.device.clone();
            let cb = self.gpu.command_buffer();
            // SAFETY: the command buffer is open.
            unsafe {
                device.raw.cmd_set_primitive_topology(cb, topology);
                device.raw.cmd_set_primitive_restart_enable(cb, key.restart);
                if let (true, Some(ext)) = (device.dynamic.patch_points, &device.ext.state2) {
                    ext.cmd_set_patch_control_points(cb, u32::from(key.patch_points.max(1)));
                }
            }
            self.tracked.topology = Some((topology, key.restart, key.patch_points));
        }
        Ok(())
    }

    pub(crate) fn set_viewports(&mut self, entries: &[Viewport], area: [u32; 2]) {
        let most = self.gpu.device.limits.max_viewports.clamp(1, 16) as usize;
        let mut viewports: SmallVec<[vk::Viewport; 16]> = SmallVec::new();
        let mut scissors: SmallVec<[vk::Rect2D; 16]> = SmallVec::new();
        for v in entries.iter().take(most) {
            let [x, y, width, height] = v.rect.map(f32::from_bits);
            let empty = width <= 0.0;
            viewports.push(vk::Viewport {
                x,
                y,
                width: if empty { 1.0 } else { width },
                height,
                min_depth: f32::from_bits(v.depth[0]).clamp(0.0, 1.0),
                max_depth: f32::from_bits(v.depth[1]).clamp(0.0, 1.0),
            });
            scissors.push(if empty { vk::Rect2D::default() } else { rect(v.scissor, area) });
        }
        if viewports.is_empty() {
            viewports.push(vk::Viewport {
                x: 0.0,
                y: 0.0,
                width: area[0] as f32,
                height: area[1] as f32,
                min_depth: 0.0,
                max_depth: 1.0,
            });
            scissors.push(rect([0, 0, area[0] as i32, area[1] as i32], area));
        }
        let cb = self.gpu.command_buffer();
        // SAFETY: the command buffer is open.
        unsafe {
            self.gpu.device.raw.cmd_set_viewport_with_count(cb, &viewports);
            self.gpu.device.raw.cmd_set_scissor_with_count(cb, &scissors);
        }
    }

    pub(crate) fn set_depth(&mut self, depth: &DepthState) {
        let device = self.gpu.device.clone();
        let cb = self.gpu.command_buffer();
        let d = &device.raw;
        let test = depth.test.is_some();
        let mut stencil_writes = false;
        // SAFETY: the command buffer is open; states of features are set where the feature is on.
        unsafe {
            d.cmd_set_depth_test_enable(cb, test);
            d.cmd_set_depth_write_enable(cb, depth.write);
            d.cmd_set_depth_compare_op(cb, depth.test.map_or(vk::CompareOp::ALWAYS, convert::compare));
            if device.features.has(Feature::DepthBounds) {
                d.cmd_set_depth_bounds_test_enable(cb, depth.bounds.is_some());
                let [low, high] = depth.bounds.map_or([0.0, 1.0], |b| b.map(f32::from_bits));
                d.cmd_set_depth_bounds(cb, low, high);
            }
            d.cmd_set_stencil_test_enable(cb, depth.stencil.is_some());
            let faces = depth.stencil.unwrap_or_default();
            for (face, flag) in faces.iter().zip([vk::StencilFaceFlags::FRONT, vk::StencilFaceFlags::BACK]) {
                d.cmd_set_stencil_op(
                    cb,
                    flag,
                    convert::stencil_op(face.fail),
                    convert::stencil_op(face.pass),
                    convert::stencil_op(face.depth_fail),
                    convert::compare(face.compare),
                );
                d.cmd_set_stencil_compare_mask(cb, flag, u32::from(face.compare_mask));
                d.cmd_set_stencil_write_mask(cb, flag, u32::from(face.write_mask));
                d.cmd_set_stencil_reference(cb, flag, u32::from(face.reference));
                let keeps = [face.fail, face.pass, face.depth_fail].iter().all(|op| *op == StencilOp::Keep);
                stencil_writes |= depth.stencil.is_some() && face.write_mask != 0 && !keeps;
            }
            if let Some(ext) = &device.ext.state3 {
                if device.dynamic.depth_clamp {
                    ext.cmd_set_depth_clamp_enable(cb, depth.clamp);
                }
                if device.dynamic.depth_clip {
                    ext.cmd_set_depth_clip_enable(cb, !depth.clamp);
                }
                if device.dynamic.negative_one {
                    ext.cmd_set_depth_clip_negative_one_to_one(cb, depth.minus_one_to_one);
                }
            }
        }
        self.gpu.note_dynamic(Dynamic::DepthTest(test));
        self.gpu.note_dynamic(Dynamic::DepthWrite(test && depth.write));
        self.gpu.note_dynamic(Dynamic::Stencil { test: depth.stencil.is_some(), writes: stencil_writes });
    }

    pub(crate) fn set_raster(&mut self, raster: &RasterState, samples: vk::SampleCountFlags) {
        let device = self.gpu.device.clone();
        let cb = self.gpu.command_buffer();
        let d = &device.raw;
        let bias = raster.bias.unwrap_or_default();
        let width = f32::from_bits(raster.line_width);
        let [least, most] = device.limits.line_width;
        let wide = device.features.has(Feature::WideLines) && width > 0.0;
        // SAFETY: as above.
        unsafe {
            d.cmd_set_cull_mode(cb, convert::cull(raster.cull));
            let front =
                if raster.front_clockwise { vk::FrontFace::CLOCKWISE } else { vk::FrontFace::COUNTER_CLOCKWISE };
            d.cmd_set_front_face(cb, front);
            d.cmd_set_rasterizer_discard_enable(cb, raster.discard);
            d.cmd_set_depth_bias_enable(cb, raster.bias.is_some());
            d.cmd_set_depth_bias(
                cb,
                f32::from_bits(bias.constant),
                f32::from_bits(bias.clamp),
                f32::from_bits(bias.slope),
            );
            d.cmd_set_line_width(cb, if wide { width.clamp(least, most) } else { 1.0 });
            if let Some(ext) = &device.ext.state3 {
                if device.dynamic.polygon_mode {
                    ext.cmd_set_polygon_mode(cb, convert::fill(raster.fill));
                }
                if device.dynamic.sample_mask {
                    ext.cmd_set_sample_mask(cb, samples, &[raster.sample_mask]);
                }
                if device.dynamic.alpha_to_coverage {
                    ext.cmd_set_alpha_to_coverage_enable(cb, raster.alpha_to_coverage);
                }
                if device.dynamic.provoking {
                    ext.cmd_set_provoking_vertex_mode(
                        cb,
                        if raster.last_vertex_provokes {
                            vk::ProvokingVertexModeEXT::LAST_VERTEX
                        } else {
                            vk::ProvokingVertexModeEXT::FIRST_VERTEX
                        },
                    );
                }
            }
        }
    }

    pub(crate) fn set_blend(&mut self, blend: &framegraph::state::BlendState, mask: u32, slots: u8) {
        let device = self.gpu.device.clone();
        let cb = self.gpu.command_buffer();
        let slots = usize::from(slots);
        let states: SmallVec<[vk::PipelineColorBlendAttachmentState; 8]> =
            (0..slots).map(|n| blend_attachment(&blend.targets[n], mask, n)).collect();
        // SAFETY: as above.
        unsafe {
            device.raw.cmd_set_blend_constants(cb, &blend.constant.map(f32::from_bits));
            if let Some(ext) = &device.ext.state3 {
                if device.dynamic.color_blend && slots > 0 {
                    let enables: SmallVec<[vk::Bool32; 8]> = states.iter().map(|s| s.blend_enable).collect();
                    let equations: SmallVec<[vk::ColorBlendEquationEXT; 8]> = states
                        .iter()
                        .map(|s| vk::ColorBlendEquationEXT {
                            src_color_blend_factor: s.src_color_blend_factor,
                            dst_color_blend_factor: s.dst_color_blend_factor,
                            color_blend_op: s.color_blend_op,
                            src_alpha_blend_factor: s.src_alpha_blend_factor,
                            dst_alpha_blend_factor: s.dst_alpha_blend_factor,
                            alpha_blend_op: s.alpha_blend_op,
                        })
                        .collect();
                    ext.cmd_set_color_blend_enable(cb, 0, &enables);
                    ext.cmd_set_color_blend_equation(cb, 0, &equations);
                }
                if device.dynamic.write_mask && slots > 0 {
                    let masks: SmallVec<[vk::ColorComponentFlags; 8]> =
                        states.iter().map(|s| s.color_write_mask).collect();
                    ext.cmd_set_color_write_mask(cb, 0, &masks);
                }
                if device.dynamic.logic_op_enable && device.dynamic.logic_op {
                    ext.cmd_set_logic_op_enable(cb, blend.logic_op.is_some());
                }
            }
            if let (true, Some(ext)) = (device.dynamic.logic_op && device.dynamic.logic_op_enable, &device.ext.state2) {
                ext.cmd_set_logic_op(cb, convert::logic_op(blend.logic_op.unwrap_or(3)));
            }
        }
        let (writes, reads) = color_use(blend, mask, slots);
        self.gpu.note_dynamic(Dynamic::Color { writes, reads });
    }

    pub(crate) fn set_vertex_input(&mut self, input: &VertexInput) {
        let Some(ext) = &self.gpu.device.ext.vertex_input else { return };
        let mut bindings: SmallVec<[vk::VertexInputBindingDescription2EXT<'_>; 8]> = SmallVec::new();
        for (n, stream) in input.streams.iter().enumerate() {
            if !input.attributes.iter().any(|a| usize::from(a.stream) == n) {
                continue;
            }
            bindings.push(
                vk::VertexInputBindingDescription2EXT::default()
                    .binding(n as u32)
                    .stride(stream.stride)
                    .input_rate(if stream.divisor == 0 {
                        vk::VertexInputRate::VERTEX
                    } else {
                        vk::VertexInputRate::INSTANCE
                    })
                    .divisor(stream.divisor.max(1)),
            );
        }
        let attributes: SmallVec<[vk::VertexInputAttributeDescription2EXT<'_>; 16]> = input
            .attributes
            .iter()
            .map(|a| {
                vk::VertexInputAttributeDescription2EXT::default()
                    .location(u32::from(a.location))
                    .binding(u32::from(a.stream))
                    .format(formats::format(a.format))
                    .offset(u32::from(a.offset))
            })
            .collect();
        // SAFETY: as above.
        unsafe { ext.cmd_set_vertex_input(self.gpu.command_buffer(), &bindings, &attributes) };
        let used = input.attributes.iter().fold(0, |all, a| all | 1 << (a.stream & 31));
        self.gpu.note_dynamic(Dynamic::VertexBindings(used));
    }

    fn bind_streams(&mut self, part: &Part<'_>, node: NodeId, d: usize, key: &PipelineKey) -> Result<(), ExecuteError> {
        let rows = part.draws.vertex_buffers[d];
        if self.tracked.streams == Some((key.vertex, rows)) {
            return Ok(());
        }
        let input =
            part.states.vertex.get(key.vertex).ok_or(ExecuteError::MissingState { node, group: "vertex input" })?;
        let slices =
            part.slices.rows.get(rows.range()).ok_or(ExecuteError::MissingState { node, group: "vertex buffers" })?;
        let count = input.streams.len();
        if count > 0 {
            let mut buffers: SmallVec<[vk::Buffer; 16]> = SmallVec::new();
            let mut offsets: SmallVec<[u64; 16]> = SmallVec::new();
            let mut sizes: SmallVec<[u64; 16]> = SmallVec::new();
            let mut strides: SmallVec<[u64; 16]> = SmallVec::new();
            for n in 0..count {
                let place = match slices.get(n) {
                    Some(slice) if slice.resource.is_some() && slice.length > 0 => {
                        self.read_slice(part, node, slice, uses::VERTEX)?
                    }
                    _ => Bytes { buffer: self.stand_ins.zero(), offset: 0, length: ZERO_BYTES },
                };
                buffers.push(place.buffer);
                offsets.push(place.offset);
                sizes.push(place.length);
                strides.push(u64::from(input.streams[n].stride));
            }
            let dynamic = self.gpu.device.features.has(Feature::DynamicVertexInput);
            self.gpu.bind_vertex(&buffers, &offsets, &sizes, (!dynamic).then_some(&strides[..]));
        }
        self.tracked.streams = Some((key.vertex, rows));
        Ok(())
    }

    /// A slice as bytes of its buffer. An empty slice of a buffer stays inside it.
    pub(crate) fn slice(&mut self, part: &Part<'_>, slice: &BufferSlice) -> Result<Bytes, ExecuteError> {
        let held = self.resources.buffer(&mut self.gpu, part.world, slice.resource, part.serial)?;
        Ok(Gpu::cut(&held.buffer, slice.offset, slice.length))
    }

    /// The same bytes as the beginning of a buffer of their own.
    fn alias(
        &mut self,
        part: &Part<'_>,
        resource: ResourceId,
        class: u32,
        place: Bytes,
    ) -> Result<Bytes, ExecuteError> {
        let shadow = self.hostile.as_mut().and_then(|h| h.buffers.get_mut(&(resource, class)));
        let found = match shadow {
            Some((_, copy)) if copy.raw == place.buffer => copy,
            _ => &mut self.resources.buffer(&mut self.gpu, part.world, resource, part.serial)?.buffer,
        };
        let alias = self.gpu.alias(found, place.offset)?;
        Ok(Bytes { length: place.length, ..alias })
    }

    fn bind_index(
        &mut self,
        part: &Part<'_>,
        node: NodeId,
        indices: &BufferSlice,
        kind: IndexType,
        indirect: bool,
    ) -> Result<(), ExecuteError> {
        let own_buffer = indirect && !self.gpu.device.features.has(Feature::IndirectIndexOffset);
        if self.tracked.index == Some((*indices, kind, own_buffer)) {
            return Ok(());
        }
        let mut place = self.read_slice(part, node, indices, uses::INDEX)?;
        if own_buffer && place.offset > 0 {
            place = self.alias(part, indices.resource, uses::INDEX, place)?;
        }
        let kind_raw = match kind {
            IndexType::U8 if self.gpu.device.features.has(Feature::IndexU8) => vk::IndexType::UINT8_EXT,
            IndexType::U8 => {
                return Err(ExecuteError::Lacks { what: "8-bit indices".to_owned(), feature: "indexTypeUint8" });
            }
            IndexType::U16 => vk::IndexType::UINT16,
            IndexType::U32 => vk::IndexType::UINT32,
        };
        self.gpu.bind_index(place, kind_raw);
        self.tracked.index = Some((*indices, kind, own_buffer));
        Ok(())
    }

    fn call(&mut self, part: &Part<'_>, node: NodeId, call: &DrawCall) -> Result<(), ExecuteError> {
        match *call {
            DrawCall::Arrays { first, count, base_instance, instances } => {
                if count > 0 && instances > 0 {
                    self.gpu.draw(count, instances, first, base_instance);
                }
            }
            DrawCall::Elements { indices, index_type, count, base_vertex, base_instance, instances } => {
                if count > 0 && instances > 0 {
                    self.bind_index(part, node, &indices, index_type, false)?;
                    self.gpu.draw_indexed(count, instances, base_vertex, base_instance);
                }
            }
            DrawCall::Indirect { arguments, count, stride, indices, count_buffer } => {
                let indexed = indices.is_some();
                if let Some((slice, kind)) = indices {
                    self.bind_index(part, node, &slice, kind, true)?;
                }
                let record = if indexed { 20 } else { 16 };
                let stride = if stride == 0 { record } else { stride };
                let at = self.read_slice(part, node, &arguments, uses::INDIRECT)?;
                if at.offset % 4 != 0 || stride % 4 != 0 {
                    return Err(ExecuteError::Unsupported {
                        node,
                        what: format!(
                            "indirect records at offset {} with stride {stride}: both must be multiples of 4",
                            at.offset
                        ),
                    });
                }
                let room = if at.length < u64::from(record) {
                    0
                } else {
                    ((at.length - u64::from(record)) / u64::from(stride) + 1) as u32
                };
                let count = count.min(room);
                if let Some(counter) = count_buffer {
                    if !self.gpu.device.features.has(Feature::IndirectCount) {
                        return Err(ExecuteError::Lacks {
                            what: "a draw count in memory".to_owned(),
                            feature: "drawIndirectCount",
                        });
                    }
                    let counter = self.read_slice(part, node, &counter, uses::INDIRECT)?;
                    self.gpu.draw_indirect_count(indexed, at, counter, count, stride);
                } else if count <= 1 || self.gpu.device.features.has(Feature::MultiDrawIndirect) {
                    if count > 0 {
                        self.gpu.draw_indirect(indexed, at, count, stride);
                    }
                } else {
                    for n in 0..count {
                        let offset = at.offset + u64::from(n) * u64::from(stride);
                        self.gpu.draw_indirect(indexed, Bytes { offset, length: u64::from(record), ..at }, 1, stride);
                    }
                }
            }
        }
        Ok(())
    }

    /// Dispatches.
    pub(crate) fn dispatch(&mut self, part: &Part<'_>, node: NodeId, dispatch: &Dispatch) -> Result<(), ExecuteError> {
        let row = dispatch.pipeline as usize;
        let made = match self.compute_rows.get(row) {
            Some(Some(made)) => made.clone(),
            Some(None) => {
                let made = self.pipelines.compute(&mut self.gpu, part.modules, part.compute.variants[row])?;
                self.compute_rows[row] = Some(made.clone());
                made
            }
            None => self.pipelines.compute(&mut self.gpu, part.modules, dispatch.variant)?,
        };
        if self.tracked.compute != made.raw {
            self.gpu.bind_pipeline(made.raw, true);
            self.tracked.compute = made.raw;
        }
        self.bind_descriptors(part, node, dispatch.bindings, &made.plan, true)?;
        match dispatch.indirect {
            Some(slice) => {
                let at = self.read_slice(part, node, &slice, uses::INDIRECT)?;
                if at.offset % 4 != 0 || at.length < 12 {
                    return Err(ExecuteError::Unsupported {
                        node,
                        what: format!(
                            "group counts at offset {} of {} bytes: 12 bytes at a multiple of 4 are needed",
                            at.offset, at.length
                        ),
                    });
                }
                self.gpu.dispatch_indirect(Bytes { length: 12, ..at });
            }
            None if dispatch.groups.contains(&0) => {}
            None => self.gpu.dispatch(dispatch.groups),
        }
        Ok(())
    }

    fn bind_descriptors(
        &mut self,
        part: &Part<'_>,
        node: NodeId,
        rows: Rows,
        plan: &Arc<BindPlan>,
        compute: bool,
    ) -> Result<(), ExecuteError> {
        if plan.slots.is_empty() {
            return Ok(());
        }
        let point = usize::from(compute);
        if self.tracked.bound[point] == Some((rows, plan.layout)) {
            return Ok(());
        }
        let bindings =
            part.bindings.rows.get(rows.range()).ok_or(ExecuteError::MissingState { node, group: "bindings" })?;
        // A table instead of a search: some draws bind forty things and declare as many.
        let mut lookup = std::mem::take(&mut self.tracked.lookup);
        lookup.clear();
        lookup.resize(SETS * NUMBERS, u32::MAX);
        for (n, b) in bindings.iter().enumerate() {
            let at = b.number() as usize;
            if at < NUMBERS {
                lookup[number(b.kind) * NUMBERS + at] = n as u32;
            }
        }
        let old = self.tracked.bound[point].map(|(_, layout)| layout);
        let mut first_changed = None;
        let mut last_changed = 0;
        let mut sets = self.tracked.sets[point];
        for set in 0..SETS as u32 {
            let slots = plan.of_set(set);
            let mut contents = Contents::new();
            for slot in slots {
                let at = slot.set as usize * NUMBERS + slot.binding as usize;
                let found = if slot.binding as usize >= NUMBERS { u32::MAX } else { lookup[at] };
                let binding = bindings.get(found as usize);
                contents.push(self.resolve(part, node, slot, binding)?);
            }
            let handle =
                self.frames[self.slot].descriptors.set(&mut self.gpu, plan.sets[set as usize], slots, &contents)?;
            if handle != sets[set as usize] || old != Some(plan.layout) {
                first_changed.get_or_insert(set);
                last_changed = set;
                sets[set as usize] = handle;
            }
        }
        self.tracked.lookup = lookup;
        if let Some(first) = first_changed {
            self.gpu.bind_sets(compute, plan.layout, first, &sets[first as usize..=last_changed as usize]);
        }
        self.tracked.sets[point] = sets;
        self.tracked.bound[point] = Some((rows, plan.layout));
        Ok(())
    }

    /// A binding as a descriptor; what is not bound, or not of the declared kind, is null or reads as zero.
    fn resolve(
        &mut self,
        part: &Part<'_>,
        node: NodeId,
        slot: &Slot,
        binding: Option<&Binding>,
    ) -> Result<Resolved, ExecuteError> {
        let Some(binding) = binding else { return self.nothing(slot) };
        match (slot.kind, binding.source) {
            (vk::DescriptorType::UNIFORM_BUFFER | vk::DescriptorType::STORAGE_BUFFER, source) => {
                let place = match source {
                    BindSource::Slice(slice) if slice.resource.is_some() && slice.length > 0 => {
                        if slot.kind == vk::DescriptorType::UNIFORM_BUFFER {
                            self.read_slice(part, node, &slice, uses::UNIFORM)?
                        } else if binding.written {
                            self.slice(part, &slice)?
                        } else {
                            self.read_slice(part, node, &slice, uses::STORAGE_READ)?
                        }
                    }
                    BindSource::Snapshot(offset, length) if u64::from(offset) < self.snapshot.length => Bytes {
                        buffer: self.snapshot.buffer,
                        offset: self.snapshot.offset + u64::from(offset),
                        length: u64::from(length).min(self.snapshot.length - u64::from(offset)),
                    },
                    _ => return self.nothing(slot),
                };
                let limits = &self.gpu.device.limits;
                let (most, align) = if slot.kind == vk::DescriptorType::UNIFORM_BUFFER {
                    (limits.max_uniform_range, limits.uniform_alignment)
                } else {
                    (limits.max_storage_range, limits.storage_alignment)
                };
                if place.length == 0 {
                    return self.nothing(slot);
                }
                if place.offset % align.max(1) != 0 {
                    return Err(ExecuteError::Lacks {
                        what: format!(
                            "set {} binding {} at offset {} (the device aligns to {align})",
                            slot.set, slot.binding, place.offset
                        ),
                        feature: "a smaller buffer offset alignment",
                    });
                }
                Ok(Resolved::Buffer { buffer: place.buffer, offset: place.offset, range: place.length.min(most) })
            }
            (
                vk::DescriptorType::UNIFORM_TEXEL_BUFFER | vk::DescriptorType::STORAGE_TEXEL_BUFFER,
                BindSource::Texture(view, _) | BindSource::Image(view),
            ) => {
                let Some(key) = part.states.views.get(view) else { return self.nothing(slot) };
                let held = self.resources.buffer(&mut self.gpu, part.world, key.resource, part.serial)?;
                let view = held.texels(&mut self.gpu, formats::format(key.format))?;
                Ok(Resolved::Texels { view, buffer: held.buffer.raw, size: held.buffer.size })
            }
            (
                vk::DescriptorType::COMBINED_IMAGE_SAMPLER | vk::DescriptorType::SAMPLED_IMAGE,
                BindSource::Texture(view, sampler),
            ) => {
                let Some(key) = part.states.views.get(view).filter(|k| k.dim != Dim::Buffer) else {
                    return self.nothing(slot);
                };
                let mut held = self.resources.image(&mut self.gpu, part.world, key.resource, part.serial)?;
                if let Some(h) = &mut self.hostile {
                    let own = self.feedback.contains(&key.resource);
                    if !own && h.has(Lines::CACHES) {
                        h.reads(node, key.resource, &Piece::Image(key.part), uses::SAMPLED);
                    }
                    let class = if own { FEEDBACK } else { uses::SAMPLED };
                    if let Some((_, copy)) = h.images.get_mut(&(key.resource, class)) {
                        held = copy;
                    }
                }
                let view = held.view(&mut self.gpu, ViewUse::Sampled, key)?;
                let layout = convert::layout(held.layout_for(&key.part, &SAMPLED));
                let sampler = part.states.samplers.get(sampler).copied().unwrap_or_default();
                let sampler = self.resources.sampler(&self.gpu, &sampler)?;
                Ok(Resolved::Image { view, sampler, layout })
            }
            (vk::DescriptorType::STORAGE_IMAGE, BindSource::Image(view)) => {
                let Some(key) = part.states.views.get(view).filter(|k| k.dim != Dim::Buffer) else {
                    return self.nothing(slot);
                };
                let held = self.resources.image(&mut self.gpu, part.world, key.resource, part.serial)?;
                let view = held.view(&mut self.gpu, ViewUse::Storage, key)?;
                Ok(Resolved::Image { view, sampler: vk::Sampler::null(), layout: vk::ImageLayout::GENERAL })
            }
            _ => self.nothing(slot),
        }
    }

    fn nothing(&mut self, slot: &Slot) -> Result<Resolved, ExecuteError> {
        let sampler = match self.stand_ins.sampler {
            Some(sampler) => sampler,
            None => {
                let sampler = self.resources.sampler(&self.gpu, &SamplerKey::default())?;
                *self.stand_ins.sampler.insert(sampler)
            }
        };
        if self.gpu.device.features.has(Feature::NullDescriptor) && !self.stand_ins.poison {
            return Ok(Resolved::Null(sampler));
        }
        Ok(match slot.kind {
            vk::DescriptorType::UNIFORM_BUFFER | vk::DescriptorType::STORAGE_BUFFER => {
                Resolved::Buffer { buffer: self.stand_ins.zero(), offset: 0, range: ZERO_BYTES }
            }
            _ => {
                let s = slot.shape;
                let found = self
                    .stand_ins
                    .images
                    .iter()
                    .find(|i| (i.0, i.1, i.2, i.3) == (s.dim, s.arrayed, s.multisampled, s.class));
                match found {
                    Some((.., view)) => Resolved::Image { view: *view, sampler, layout: vk::ImageLayout::GENERAL },
                    None => {
                        return Err(ExecuteError::Lacks {
                            what: format!("nothing bound at set {} binding {}", slot.set, slot.binding),
                            feature: "nullDescriptor",
                        });
                    }
                }
            }
        })
    }
}

/// A scissor cut to the area.
fn rect([x, y, width, height]: [i32; 4], area: [u32; 2]) -> vk::Rect2D {
    let left = x.clamp(0, area[0] as i32);
    let top = y.clamp(0, area[1] as i32);
    let right = x.saturating_add(width).clamp(left, area[0] as i32);
    let bottom = y.saturating_add(height).clamp(top, area[1] as i32);
    vk::Rect2D {
        offset: vk::Offset2D { x: left, y: top },
        extent: vk::Extent2D { width: (right - left) as u32, height: (bottom - top) as u32 },
    }
}
