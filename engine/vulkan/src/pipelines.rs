//! Pipelines: cached by what they are made from, across parts. What the device can set dynamically is no part of the key.

use crate::convert;
use crate::descriptors::{BindPlan, Layouts};
use crate::device::Device;
use crate::error::{ExecuteError, Named};
use crate::features::Feature;
use crate::formats;
use crate::gpu::Gpu;
use crate::hostile::interface::{self, Link};
use crate::spirv::{self, Interface};
use crate::stream::PipelineFacts;
use ash::vk;
use framegraph::state::{
    Aspects, BlendFactor, BlendState, DepthState, NumericClass, RasterState, ShaderSet, Stage, TargetBlend,
    VertexInput, WriteMask,
};
use framegraph::tables::ShaderModules;
use smallvec::SmallVec;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Formats of an open pass, as Vulkan knows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PassFormats {
    pub(crate) color: [vk::Format; 8],
    pub(crate) slots: u8,
    pub(crate) depth: vk::Format,
    pub(crate) stencil: vk::Format,
    pub(crate) samples: vk::SampleCountFlags,
}

impl Default for PassFormats {
    fn default() -> Self {
        Self {
            color: [vk::Format::UNDEFINED; 8],
            slots: 0,
            depth: vk::Format::UNDEFINED,
            stencil: vk::Format::UNDEFINED,
            samples: vk::SampleCountFlags::TYPE_1,
        }
    }
}

/// What a graphics pipeline is made from, resolved to values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct GraphicsKey {
    pub(crate) shaders: [(u32, u64); 5],
    pub(crate) vertex: VertexInput,
    pub(crate) blend: BlendState,
    pub(crate) depth: DepthState,
    pub(crate) raster: RasterState,
    pub(crate) formats: PassFormats,
    pub(crate) write_mask: WriteMask,
    pub(crate) topology: vk::PrimitiveTopology,
    pub(crate) patch_points: u8,
    pub(crate) feedback: Aspects,
}

impl GraphicsKey {
    /// Leaves out what is set dynamically, so that equal pipelines have equal keys.
    pub(crate) fn strip(&mut self, device: &Device) {
        let d = &device.dynamic;
        self.blend.constant = [0; 4];
        self.blend.alpha_test = Default::default();
        if d.color_blend {
            // Dual-source factors stay: whether the shader's second output is used is no dynamic matter for the log, but the state itself is.
            self.blend.targets = Default::default();
        }
        if d.write_mask {
            self.write_mask = 0;
        }
        if d.logic_op && d.logic_op_enable {
            self.blend.logic_op = None;
        }
        let keep_clamp = !d.depth_clamp || (device.features.has(Feature::DepthClipEnable) && !d.depth_clip);
        self.depth = DepthState {
            clamp: keep_clamp && self.depth.clamp,
            minus_one_to_one: !d.negative_one && self.depth.minus_one_to_one,
            ..DepthState::default()
        };
        let r = self.raster;
        self.raster = RasterState {
            fill: if d.polygon_mode { Default::default() } else { r.fill },
            sample_mask: if d.sample_mask { 0 } else { r.sample_mask },
            alpha_to_coverage: !d.alpha_to_coverage && r.alpha_to_coverage,
            last_vertex_provokes: !d.provoking && r.last_vertex_provokes,
            ..RasterState::default()
        };
        if device.features.has(Feature::DynamicVertexInput) {
            self.vertex = VertexInput::default();
        } else {
            // Strides are dynamic in core.
            for stream in &mut self.vertex.streams {
                stream.stride = 0;
            }
        }
        self.topology = convert::topology_class(self.topology);
        if d.patch_points {
            self.patch_points = 0;
        }
    }
}

/// A pipeline and how its bindings lie.
#[derive(Debug, Clone)]
pub(crate) struct Made {
    pub(crate) raw: vk::Pipeline,
    pub(crate) plan: Arc<BindPlan>,
}

struct Module {
    raw: vk::ShaderModule,
    interface: Interface,
}

/// All pipelines.
#[derive(Default)]
pub(crate) struct PipelineCache {
    pub(crate) layouts: Layouts,
    graphics: HashMap<GraphicsKey, Made>,
    compute: HashMap<(u32, u64), Made>,
    modules: HashMap<(u32, u64), Module>,
    cache: vk::PipelineCache,
    /// Rewrites each module before it is used: the hostile executor's line 9.
    pub(crate) rewrite: bool,
}

impl PipelineCache {
    /// Opens the driver's cache with the bytes of an earlier run; bytes of another driver are ignored by it.
    pub(crate) fn open(&mut self, gpu: &Gpu, bytes: &[u8]) -> Result<(), ExecuteError> {
        let create = vk::PipelineCacheCreateInfo::default().initial_data(bytes);
        // SAFETY: the driver checks the header of the bytes.
        self.cache = unsafe { gpu.device.raw.create_pipeline_cache(&create, None) }.named("vkCreatePipelineCache")?;
        Ok(())
    }

    /// The driver's cache as bytes, to be kept for the next run.
    pub(crate) fn bytes(&self, gpu: &Gpu) -> Vec<u8> {
        // SAFETY: the cache lives.
        unsafe { gpu.device.raw.get_pipeline_cache_data(self.cache) }.unwrap_or_default()
    }

    pub(crate) fn len(&self) -> usize {
        self.graphics.len() + self.compute.len()
    }

    pub(crate) fn destroy(&mut self, gpu: &Gpu) {
        // SAFETY: the executor waited for the device.
        unsafe {
            for made in self.graphics.drain().map(|(_, m)| m).chain(self.compute.drain().map(|(_, m)| m)) {
                gpu.device.raw.destroy_pipeline(made.raw, None);
            }
            for (_, module) in self.modules.drain() {
                gpu.device.raw.destroy_shader_module(module.raw, None);
            }
            gpu.device.raw.destroy_pipeline_cache(self.cache, None);
        }
        self.layouts.destroy(gpu);
    }

    fn module(
        &mut self,
        gpu: &Gpu,
        shaders: &ShaderModules,
        variant: u32,
        stage: Stage,
        link: &Link,
    ) -> Result<(u32, u64), ExecuteError> {
        let module = shaders
            .modules
            .get(variant as usize)
            .and_then(Option::as_ref)
            .ok_or(ExecuteError::MissingShader { variant })?;
        let mut key = (variant, module.hash);
        if self.rewrite {
            let mut hasher = std::hash::DefaultHasher::new();
            (module.hash, link).hash(&mut hasher);
            key.1 = hasher.finish();
        }
        if self.modules.contains_key(&key) {
            return Ok(key);
        }
        let rewritten = self.rewrite.then(|| interface::rewrite(&module.words, stage, link));
        let words: &[u32] = rewritten.as_deref().unwrap_or(&module.words);
        let interface = spirv::interface(words).map_err(|e| ExecuteError::BadShader { variant, why: e.to_string() })?;
        let create = vk::ShaderModuleCreateInfo::default().code(words);
        // SAFETY: the words are SPIR-V of our translator; the header was read just now.
        let raw = unsafe { gpu.device.raw.create_shader_module(&create, None) }.named("vkCreateShaderModule")?;
        self.modules.insert(key, Module { raw, interface });
        Ok(key)
    }

    /// Names of the modules of a shader set, made on first use. `targets` are those that the fragment stage must write, for the hostile mode.
    pub(crate) fn shaders(
        &mut self,
        gpu: &Gpu,
        shaders: &ShaderModules,
        set: &ShaderSet,
        targets: &[(u32, NumericClass)],
    ) -> Result<[(u32, u64); 5], ExecuteError> {
        let mut keys = [(0, 0); 5];
        let mut before: Option<Vec<u32>> = None;
        for (n, key) in keys.iter_mut().enumerate() {
            let variant = set.variant[n];
            if variant == 0 {
                continue;
            }
            let mut link = Link::default();
            if self.rewrite {
                link.before = before.take();
                if convert::STAGES[n] == Stage::Fragment {
                    link.targets = targets.to_vec();
                }
                let module = shaders.modules.get(variant as usize).and_then(Option::as_ref);
                before = module.and_then(|m| spirv::interface(&m.words).ok()).map(|i| i.outputs);
            }
            *key = self.module(gpu, shaders, variant, convert::STAGES[n], &link)?;
        }
        Ok(keys)
    }

    /// A compute pipeline.
    pub(crate) fn compute(
        &mut self,
        gpu: &mut Gpu,
        shaders: &ShaderModules,
        variant: u32,
    ) -> Result<Made, ExecuteError> {
        let key = self.module(gpu, shaders, variant, Stage::Compute, &Link::default())?;
        if let Some(made) = self.compute.get(&key) {
            return Ok(made.clone());
        }
        let module = &self.modules[&key];
        let plan = self
            .layouts
            .plan(gpu, &[(Stage::Compute, &module.interface)], 0)
            .map_err(|(why, e)| e.unwrap_or(ExecuteError::BadShader { variant, why }))?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module.raw)
            .name(c"main");
        let create = vk::ComputePipelineCreateInfo::default().stage(stage).layout(plan.layout);
        // SAFETY: module and layout live.
        let raw = unsafe { gpu.device.raw.create_compute_pipelines(self.cache, &[create], None) }
            .map_err(|(_, result)| ExecuteError::of("vkCreateComputePipelines", result))?[0];
        gpu.note_pipeline(raw, || PipelineFacts { compute: true, bindings: plan.facts(), ..PipelineFacts::default() });
        let made = Made { raw, plan: Arc::new(plan) };
        self.compute.insert(key, made.clone());
        Ok(made)
    }

    /// A graphics pipeline.
    pub(crate) fn graphics(&mut self, gpu: &mut Gpu, key: &GraphicsKey) -> Result<Made, ExecuteError> {
        if let Some(made) = self.graphics.get(key) {
            return Ok(made.clone());
        }
        let made = self.make(gpu, key)?;
        self.graphics.insert(key.clone(), made.clone());
        Ok(made)
    }

    fn make(&mut self, gpu: &mut Gpu, key: &GraphicsKey) -> Result<Made, ExecuteError> {
        let device = gpu.device.clone();
        let has = |f| device.features.has(f);
        let dynamic = device.dynamic;
        let used: SmallVec<[(Stage, (u32, u64)); 5]> =
            key.shaders.iter().enumerate().filter(|(_, k)| k.0 != 0).map(|(n, &k)| (convert::STAGES[n], k)).collect();
        let interfaces: SmallVec<[(Stage, &Interface); 5]> =
            used.iter().map(|(stage, k)| (*stage, &self.modules[k].interface)).collect();
        let variant = key.shaders[0].0;
        let plan = self
            .layouts
            .plan(gpu, &interfaces, 0)
            .map_err(|(why, e)| e.unwrap_or(ExecuteError::BadShader { variant, why }))?;
        let stages: SmallVec<[vk::PipelineShaderStageCreateInfo<'_>; 5]> = used
            .iter()
            .map(|(stage, k)| {
                vk::PipelineShaderStageCreateInfo::default()
                    .stage(convert::stage_flag(*stage))
                    .module(self.modules[k].raw)
                    .name(c"main")
            })
            .collect();

        let (bindings, attributes, divisors) = vertex_input(&key.vertex);
        let mut divisor_state =
            vk::PipelineVertexInputDivisorStateCreateInfoEXT::default().vertex_binding_divisors(&divisors);
        let mut vertex = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        if !divisors.is_empty() {
            if !has(Feature::VertexDivisor) {
                return Err(ExecuteError::Lacks {
                    what: "a vertex stream with a divisor above one".to_owned(),
                    feature: "vertexAttributeInstanceRateDivisor",
                });
            }
            vertex = vertex.push_next(&mut divisor_state);
        }
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(key.topology);
        let viewport = vk::PipelineViewportStateCreateInfo::default();
        let mut clip_control = vk::PipelineViewportDepthClipControlCreateInfoEXT::default()
            .negative_one_to_one(key.depth.minus_one_to_one);
        let viewport = if key.depth.minus_one_to_one { viewport.push_next(&mut clip_control) } else { viewport };

        let mut raster = vk::PipelineRasterizationStateCreateInfo::default()
            .depth_clamp_enable(key.depth.clamp && has(Feature::DepthClamp))
            .polygon_mode(convert::fill(key.raster.fill))
            .line_width(1.0);
        let mut clip =
            vk::PipelineRasterizationDepthClipStateCreateInfoEXT::default().depth_clip_enable(!key.depth.clamp);
        if has(Feature::DepthClipEnable) && !dynamic.depth_clip {
            raster = raster.push_next(&mut clip);
        }
        let mut provoking = vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT::default()
            .provoking_vertex_mode(vk::ProvokingVertexModeEXT::LAST_VERTEX);
        if key.raster.last_vertex_provokes && has(Feature::ProvokingVertex) {
            raster = raster.push_next(&mut provoking);
        }

        let sample_mask = [if dynamic.sample_mask { u32::MAX } else { key.raster.sample_mask }];
        let multisample = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(key.formats.samples)
            .sample_mask(&sample_mask)
            .alpha_to_coverage_enable(key.raster.alpha_to_coverage);
        let depth = vk::PipelineDepthStencilStateCreateInfo::default();
        let slots = usize::from(key.formats.slots);
        let blends: SmallVec<[vk::PipelineColorBlendAttachmentState; 8]> =
            (0..slots).map(|n| blend_attachment(&key.blend.targets[n], key.write_mask, n)).collect();
        let blend = vk::PipelineColorBlendStateCreateInfo::default()
            .logic_op_enable(key.blend.logic_op.is_some())
            .logic_op(convert::logic_op(key.blend.logic_op.unwrap_or(3)))
            .attachments(&blends);
        let tessellation =
            vk::PipelineTessellationStateCreateInfo::default().patch_control_points(u32::from(key.patch_points.max(1)));
        let states = dynamic_list(&device);
        let dynamic_state = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&states);
        let mut rendering = vk::PipelineRenderingCreateInfo::default()
            .color_attachment_formats(&key.formats.color[..slots])
            .depth_attachment_format(key.formats.depth)
            .stencil_attachment_format(key.formats.stencil);

        let mut flags = vk::PipelineCreateFlags::empty();
        let mut feedback = vk::ImageAspectFlags::empty();
        if has(Feature::FeedbackLayout) {
            if key.feedback.intersects(Aspects::COLOR) {
                flags |= vk::PipelineCreateFlags::COLOR_ATTACHMENT_FEEDBACK_LOOP_EXT;
                feedback |= vk::ImageAspectFlags::COLOR;
            }
            if key.feedback.intersects(Aspects::DEPTH_STENCIL) {
                flags |= vk::PipelineCreateFlags::DEPTH_STENCIL_ATTACHMENT_FEEDBACK_LOOP_EXT;
                feedback |= vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL;
            }
        }
        let mut create = vk::GraphicsPipelineCreateInfo::default()
            .flags(flags)
            .stages(&stages)
            .vertex_input_state(&vertex)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&multisample)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic_state)
            .layout(plan.layout)
            .push_next(&mut rendering);
        if used.iter().any(|(s, _)| *s == Stage::TessEval) {
            create = create.tessellation_state(&tessellation);
        }
        // SAFETY: modules and layout live; the states are complete.
        let raw = unsafe { device.raw.create_graphics_pipelines(self.cache, &[create], None) }
            .map_err(|(_, result)| ExecuteError::of("vkCreateGraphicsPipelines", result))?[0];
        gpu.note_pipeline(raw, || {
            let (writes, reads) = color_use(&key.blend, key.write_mask, slots);
            PipelineFacts {
                compute: false,
                bindings: plan.facts(),
                vertex_bindings: key.vertex.attributes.iter().fold(0, |all, a| all | 1 << (a.stream & 31)),
                color: key.formats.color[..slots].to_vec(),
                depth: if key.formats.depth == vk::Format::UNDEFINED { key.formats.stencil } else { key.formats.depth },
                color_writes: writes,
                color_reads: reads,
                feedback,
            }
        });
        Ok(Made { raw, plan: Arc::new(plan) })
    }
}

/// Colour slots that a draw writes, and reads by blending.
pub(crate) fn color_use(blend: &BlendState, mask: WriteMask, slots: usize) -> (u8, u8) {
    let mut writes = 0;
    let mut reads = 0;
    for n in 0..slots {
        let bits = mask >> (4 * n) & 15;
        if bits == 0 {
            continue;
        }
        writes |= 1 << n;
        let logic = blend.logic_op.is_some();
        if bits != 15 || logic || blend.targets[n].enabled {
            reads |= 1 << n;
        }
    }
    (writes, reads)
}

/// Blending of one target.
pub(crate) fn blend_attachment(t: &TargetBlend, mask: WriteMask, n: usize) -> vk::PipelineColorBlendAttachmentState {
    vk::PipelineColorBlendAttachmentState {
        blend_enable: u32::from(t.enabled),
        src_color_blend_factor: convert::blend_factor(t.color.0),
        dst_color_blend_factor: convert::blend_factor(t.color.1),
        color_blend_op: convert::blend_op(t.color_op),
        src_alpha_blend_factor: convert::blend_factor(t.alpha.0),
        dst_alpha_blend_factor: convert::blend_factor(t.alpha.1),
        alpha_blend_op: convert::blend_op(t.alpha_op),
        color_write_mask: vk::ColorComponentFlags::from_raw(mask >> (4 * n) & 15),
    }
}

/// Whether a target uses the shader's second output.
pub(crate) fn is_dual_source(t: &TargetBlend) -> bool {
    let dual = |f| {
        matches!(
            f,
            BlendFactor::Src1Color
                | BlendFactor::OneMinusSrc1Color
                | BlendFactor::Src1Alpha
                | BlendFactor::OneMinusSrc1Alpha
        )
    };
    t.enabled && [t.color.0, t.color.1, t.alpha.0, t.alpha.1].into_iter().any(dual)
}

/// Components that a format has, as bits.
pub(crate) fn components(format: vk::Format) -> u8 {
    use vk::Format as F;
    match format {
        F::R8_UNORM
        | F::R8_SNORM
        | F::R8_UINT
        | F::R8_SINT
        | F::R16_UNORM
        | F::R16_SNORM
        | F::R16_UINT
        | F::R16_SINT
        | F::R16_SFLOAT
        | F::R32_UINT
        | F::R32_SINT
        | F::R32_SFLOAT => 1,
        F::R8G8_UNORM
        | F::R8G8_SNORM
        | F::R8G8_UINT
        | F::R8G8_SINT
        | F::R16G16_UNORM
        | F::R16G16_SNORM
        | F::R16G16_UINT
        | F::R16G16_SINT
        | F::R16G16_SFLOAT
        | F::R32G32_UINT
        | F::R32G32_SINT
        | F::R32G32_SFLOAT => 3,
        F::R5G6B5_UNORM_PACK16
        | F::B5G6R5_UNORM_PACK16
        | F::B10G11R11_UFLOAT_PACK32
        | F::R8G8B8_UNORM
        | F::R16G16B16_SFLOAT
        | F::R32G32B32_SFLOAT => 7,
        _ => 15,
    }
}

type VertexDescriptions = (
    SmallVec<[vk::VertexInputBindingDescription; 8]>,
    SmallVec<[vk::VertexInputAttributeDescription; 16]>,
    SmallVec<[vk::VertexInputBindingDivisorDescriptionEXT; 8]>,
);

fn vertex_input(input: &VertexInput) -> VertexDescriptions {
    let mut bindings = SmallVec::new();
    let mut attributes = SmallVec::new();
    let mut divisors = SmallVec::new();
    for (n, stream) in input.streams.iter().enumerate() {
        if !input.attributes.iter().any(|a| usize::from(a.stream) == n) {
            continue;
        }
        let rate = if stream.divisor == 0 { vk::VertexInputRate::VERTEX } else { vk::VertexInputRate::INSTANCE };
        bindings.push(vk::VertexInputBindingDescription { binding: n as u32, stride: stream.stride, input_rate: rate });
        if stream.divisor > 1 {
            divisors.push(vk::VertexInputBindingDivisorDescriptionEXT { binding: n as u32, divisor: stream.divisor });
        }
    }
    for a in &input.attributes {
        attributes.push(vk::VertexInputAttributeDescription {
            location: u32::from(a.location),
            binding: u32::from(a.stream),
            format: formats::format(a.format),
            offset: u32::from(a.offset),
        });
    }
    (bindings, attributes, divisors)
}

/// The dynamic states of every graphics pipeline on this device.
pub(crate) fn dynamic_list(device: &Device) -> SmallVec<[vk::DynamicState; 40]> {
    use vk::DynamicState as D;
    let mut list: SmallVec<[D; 40]> = SmallVec::from_slice(&[
        D::VIEWPORT_WITH_COUNT,
        D::SCISSOR_WITH_COUNT,
        D::LINE_WIDTH,
        D::DEPTH_BIAS,
        D::BLEND_CONSTANTS,
        D::STENCIL_COMPARE_MASK,
        D::STENCIL_WRITE_MASK,
        D::STENCIL_REFERENCE,
        D::CULL_MODE,
        D::FRONT_FACE,
        D::PRIMITIVE_TOPOLOGY,
        D::DEPTH_TEST_ENABLE,
        D::DEPTH_WRITE_ENABLE,
        D::DEPTH_COMPARE_OP,
        D::STENCIL_TEST_ENABLE,
        D::STENCIL_OP,
        D::RASTERIZER_DISCARD_ENABLE,
        D::DEPTH_BIAS_ENABLE,
        D::PRIMITIVE_RESTART_ENABLE,
    ]);
    if device.features.has(Feature::DepthBounds) {
        list.push(D::DEPTH_BOUNDS_TEST_ENABLE);
        list.push(D::DEPTH_BOUNDS);
    }
    if device.features.has(Feature::DynamicVertexInput) {
        list.push(D::VERTEX_INPUT_EXT);
    } else {
        list.push(D::VERTEX_INPUT_BINDING_STRIDE);
    }
    let d = &device.dynamic;
    for (on, state) in [
        (d.polygon_mode, D::POLYGON_MODE_EXT),
        (d.sample_mask, D::SAMPLE_MASK_EXT),
        (d.alpha_to_coverage, D::ALPHA_TO_COVERAGE_ENABLE_EXT),
        (d.logic_op_enable && d.logic_op, D::LOGIC_OP_ENABLE_EXT),
        (d.logic_op_enable && d.logic_op, D::LOGIC_OP_EXT),
        (d.color_blend, D::COLOR_BLEND_ENABLE_EXT),
        (d.color_blend, D::COLOR_BLEND_EQUATION_EXT),
        (d.write_mask, D::COLOR_WRITE_MASK_EXT),
        (d.depth_clamp, D::DEPTH_CLAMP_ENABLE_EXT),
        (d.depth_clip, D::DEPTH_CLIP_ENABLE_EXT),
        (d.negative_one, D::DEPTH_CLIP_NEGATIVE_ONE_TO_ONE_EXT),
        (d.provoking, D::PROVOKING_VERTEX_MODE_EXT),
        (d.patch_points, D::PATCH_CONTROL_POINTS_EXT),
    ] {
        if on {
            list.push(state);
        }
    }
    list
}
