//! Draws the inspector with Vulkan, over the picture that is presented and never into an image of the game (catalogue A-023).
//!
//! Everything is recorded into the command buffer that the caller hands in: nothing is submitted and nothing waits, since the queue belongs to the executor.
//! Buffers, descriptor pools and images that a frame used are touched again only after as many further frames as the renderer was made for.
//!
//! Thumbnails are sampled from the game's own images, with nearest filtering and a box filter in the shader, so that depth, integer and float formats show
//! as well as colours. The caller answers the [`ThumbnailRequest`]s of an output with views in a layout that can be sampled.

use crate::Output;
use crate::ui::ThumbnailRequest;
use ash::vk;
use egui::epaint::{ImageDelta, Primitive, Vertex};
use egui::{ImageData, TextureId, TexturesDelta};
use ferrograph_vulkan::{
    Device, ExecuteError, Executor, Look, LookRequest, OVERLAY_FORMAT, OverlayTarget, Shown, Swapchain, WindowError,
};
use framegraph::state::{Aspects, NumericClass};
use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::Arc;
use vk_mem::Alloc;

/// Why the inspector cannot be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// A call of the device failed.
    #[error("the inspector cannot be drawn: {call} gave {result}")]
    Vulkan {
        /// The call.
        call: &'static str,
        /// What it gave.
        result: vk::Result,
    },
}

/// Why the inspector could not be drawn over the executor's picture.
#[derive(Debug, thiserror::Error)]
pub enum DrawError {
    /// The executor has no picture, or lost its device.
    #[error(transparent)]
    Executor(#[from] ExecuteError),
    /// The window cannot be drawn to.
    #[error(transparent)]
    Window(#[from] WindowError),
    /// The renderer failed.
    #[error(transparent)]
    Render(#[from] RenderError),
}

/// Paints that the executor may have unfinished: its frames in flight, and one more.
const EXECUTOR_FRAMES: usize = 4;

trait Named<T> {
    fn named(self, call: &'static str) -> Result<T, RenderError>;
}

impl<T> Named<T> for Result<T, vk::Result> {
    fn named(self, call: &'static str) -> Result<T, RenderError> {
        self.map_err(|result| RenderError::Vulkan { call, result })
    }
}

/// Where to draw.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// A view in the format that the renderer was made for, in the layout `COLOR_ATTACHMENT_OPTIMAL`.
    pub view: vk::ImageView,
    /// Its size in pixels.
    pub extent: [u32; 2],
}

/// The answer to a [`ThumbnailRequest`].
#[derive(Debug, Clone, Copy)]
pub struct Thumbnail {
    /// Number of the request.
    pub id: u64,
    /// A 2D view of one level, layer and aspect.
    pub view: vk::ImageView,
    /// The layout in which the image is while the commands run.
    pub layout: vk::ImageLayout,
    /// How a shader reads it.
    pub class: NumericClass,
    /// Sampled values are linear light (sRGB and float formats) and must be encoded for showing.
    pub linear: bool,
}

/// What the shaders read besides vertices.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Push {
    to_clip: [f32; 2],
    range: [f32; 2],
    channels: u32,
    flags: u32,
}

const FLAG_TARGET_ENCODES: u32 = 1;
const FLAG_LINEAR_SOURCE: u32 = 2;

/// Programs: the interface, then thumbnails by class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Program {
    Interface,
    Float,
    Sint,
    Uint,
}

const PROGRAMS: usize = 4;

/// Thumbnails that one frame can show.
const THUMBNAILS: u32 = 256;
/// Textures of the interface (the font and what egui adds).
const TEXTURES: u32 = 64;

struct Mapped {
    raw: vk::Buffer,
    allocation: vk_mem::Allocation,
    pointer: NonNull<u8>,
    size: u64,
}

// SAFETY: the pointer is to memory that stays mapped as long as the buffer lives; the renderer that has it is used by one thread at a time.
unsafe impl Send for Mapped {}

struct Texture {
    image: vk::Image,
    allocation: vk_mem::Allocation,
    view: vk::ImageView,
    set: vk::DescriptorSet,
    size: [u32; 2],
}

/// What one frame in flight uses.
struct Slot {
    geometry: Option<Mapped>,
    staging: Option<Mapped>,
    pool: vk::DescriptorPool,
    dead: Vec<Texture>,
}

/// The renderer.
pub struct OverlayRenderer {
    device: Arc<Device>,
    target_encodes: bool,
    smooth: vk::Sampler,
    nearest: vk::Sampler,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pipelines: [vk::Pipeline; PROGRAMS],
    pool: vk::DescriptorPool,
    textures: HashMap<TextureId, Texture>,
    slots: Vec<Slot>,
    frame: usize,
    uploads: Vec<vk::BufferImageCopy>,
    pixels: Vec<u8>,
    shown: Vec<(vk::DescriptorSet, Thumbnail)>,
    requests: Vec<LookRequest>,
    answers: Vec<Thumbnail>,
}

impl std::fmt::Debug for OverlayRenderer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OverlayRenderer").field("device", &self.device).finish_non_exhaustive()
    }
}

impl OverlayRenderer {
    /// Makes the renderer for targets of one format. At most `frames` paints may be unfinished on the GPU when the next is recorded.
    ///
    /// # Errors
    /// What the device refuses.
    pub fn new(device: &Arc<Device>, format: vk::Format, frames: usize) -> Result<Self, RenderError> {
        let mut renderer = Self {
            device: Arc::clone(device),
            target_encodes: encodes(format),
            smooth: vk::Sampler::null(),
            nearest: vk::Sampler::null(),
            set_layout: vk::DescriptorSetLayout::null(),
            layout: vk::PipelineLayout::null(),
            pipelines: [vk::Pipeline::null(); PROGRAMS],
            pool: vk::DescriptorPool::null(),
            textures: HashMap::new(),
            slots: Vec::new(),
            frame: 0,
            uploads: Vec::new(),
            pixels: Vec::new(),
            shown: Vec::new(),
            requests: Vec::new(),
            answers: Vec::new(),
        };
        // What was made before an error is destroyed with the renderer.
        renderer.make(format, frames.max(1))?;
        Ok(renderer)
    }

    /// Makes the renderer for [`OverlayRenderer::draw`].
    ///
    /// # Errors
    /// What the device refuses.
    pub fn for_executor(executor: &Executor) -> Result<Self, RenderError> {
        Self::new(executor.device(), OVERLAY_FORMAT, EXECUTOR_FRAMES)
    }

    /// Draws an output over the picture that the executor presented last, with the game's images as they are now as thumbnails. The result is what
    /// [`Executor::take_overlay_screenshot`] reads; the picture itself stays as it is. The renderer must come from [`OverlayRenderer::for_executor`].
    ///
    /// # Errors
    /// Nothing was presented yet, or the device failed.
    pub fn draw(&mut self, executor: &mut Executor, output: &mut Output) -> Result<(), DrawError> {
        let requests = self.requests(output);
        let painted = executor.draw_overlay(&requests, |target, looks| self.over(target, looks, output));
        self.requests = requests;
        Ok(painted??)
    }

    /// Makes the renderer for [`OverlayRenderer::show`] in a window.
    ///
    /// # Errors
    /// What the device refuses.
    pub fn for_window(executor: &Executor, chain: &Swapchain) -> Result<Self, RenderError> {
        Self::new(executor.device(), chain.format(), EXECUTOR_FRAMES)
    }

    /// Shows the picture that the executor presented last in a window, with an output in the window's own pixels over it. The renderer must come from
    /// [`OverlayRenderer::for_window`] with this window.
    ///
    /// # Errors
    /// The window is gone, or the device failed.
    pub fn show(
        &mut self,
        executor: &mut Executor,
        chain: &mut Swapchain,
        output: &mut Output,
    ) -> Result<Shown<()>, DrawError> {
        let requests = self.requests(output);
        let shown = executor.show_with(chain, &requests, |target, looks| self.over(target, looks, output));
        self.requests = requests;
        match shown? {
            Shown::Yes(painted) => Ok(Shown::Yes(painted?)),
            Shown::NoPicture => Ok(Shown::NoPicture),
        }
    }

    /// What an output wants to see of the game's images, in a list that is given back afterwards.
    fn requests(&mut self, output: &Output) -> Vec<LookRequest> {
        let mut requests = std::mem::take(&mut self.requests);
        requests.clear();
        requests.extend(output.thumbnails.iter().map(|request| LookRequest {
            resource: request.key.resource,
            level: request.key.level,
            layer: request.key.layer,
            aspect: request.key.aspect,
        }));
        requests
    }

    fn over(&mut self, target: &OverlayTarget, looks: &[Option<Look>], output: &mut Output) -> Result<(), RenderError> {
        let mut answers = std::mem::take(&mut self.answers);
        answers.clear();
        for (request, look) in output.thumbnails.iter().zip(looks) {
            if let Some(look) = look {
                let (view, layout, class) = (look.view, look.layout, look.class);
                // Depth is a distance, not light: it is shown as it is.
                let linear = look.linear && request.key.aspect == Aspects::COLOR;
                answers.push(Thumbnail { id: request.id, view, layout, class, linear });
            }
        }
        let at = Target { view: target.view, extent: target.extent };
        // SAFETY: the executor hands in an open command buffer outside of render scopes, a target in the layout of attachments, and views that can be
        // sampled, all of which live until its submission is done. It has fewer frames in flight than the renderer has slots.
        let painted = unsafe { self.paint(target.commands, &at, output, &answers) };
        self.answers = answers;
        painted
    }

    fn make(&mut self, format: vk::Format, frames: usize) -> Result<(), RenderError> {
        let raw = &self.device.raw;
        let sampler = |filter| {
            let info = vk::SamplerCreateInfo::default()
                .mag_filter(filter)
                .min_filter(filter)
                .address_mode_u(vk::SamplerAddressMode::CLAMP_TO_EDGE)
                .address_mode_v(vk::SamplerAddressMode::CLAMP_TO_EDGE)
                .address_mode_w(vk::SamplerAddressMode::CLAMP_TO_EDGE);
            // SAFETY: a complete create info without features.
            unsafe { raw.create_sampler(&info, None) }.named("vkCreateSampler")
        };
        self.smooth = sampler(vk::Filter::LINEAR)?;
        self.nearest = sampler(vk::Filter::NEAREST)?;
        let bindings = [vk::DescriptorSetLayoutBinding::default()
            .binding(0)
            .descriptor_type(vk::DescriptorType::COMBINED_IMAGE_SAMPLER)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::FRAGMENT)];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: a complete create info.
        self.set_layout =
            unsafe { raw.create_descriptor_set_layout(&info, None) }.named("vkCreateDescriptorSetLayout")?;
        let layouts = [self.set_layout];
        let push = [vk::PushConstantRange {
            stage_flags: vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT,
            offset: 0,
            size: size_of::<Push>() as u32,
        }];
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts).push_constant_ranges(&push);
        // SAFETY: a complete create info; 24 bytes of constants are within every device's limit.
        self.layout = unsafe { raw.create_pipeline_layout(&info, None) }.named("vkCreatePipelineLayout")?;
        self.pool = self.make_pool(TEXTURES, true)?;
        for _ in 0..frames {
            let pool = self.make_pool(THUMBNAILS, false)?;
            self.slots.push(Slot { geometry: None, staging: None, pool, dead: Vec::new() });
        }
        self.make_pipelines(format)
    }

    fn make_pool(&self, sets: u32, free: bool) -> Result<vk::DescriptorPool, RenderError> {
        let sizes = [vk::DescriptorPoolSize { ty: vk::DescriptorType::COMBINED_IMAGE_SAMPLER, descriptor_count: sets }];
        let flags = match free {
            true => vk::DescriptorPoolCreateFlags::FREE_DESCRIPTOR_SET,
            false => vk::DescriptorPoolCreateFlags::empty(),
        };
        let info = vk::DescriptorPoolCreateInfo::default().flags(flags).max_sets(sets).pool_sizes(&sizes);
        // SAFETY: a complete create info.
        unsafe { self.device.raw.create_descriptor_pool(&info, None) }.named("vkCreateDescriptorPool")
    }

    fn make_pipelines(&mut self, format: vk::Format) -> Result<(), RenderError> {
        let vertex = self.module(include_bytes!("shaders/ui.vert.spv"))?;
        let fragments: [&[u8]; PROGRAMS] = [
            include_bytes!("shaders/ui.frag.spv"),
            include_bytes!("shaders/thumbnail_float.frag.spv"),
            include_bytes!("shaders/thumbnail_sint.frag.spv"),
            include_bytes!("shaders/thumbnail_uint.frag.spv"),
        ];
        let mut result = Ok(());
        for (n, code) in fragments.into_iter().enumerate() {
            let made = self.module(code).and_then(|fragment| {
                let pipeline = self.pipeline(format, vertex, fragment);
                // SAFETY: a pipeline does not need its modules once it is made.
                unsafe { self.device.raw.destroy_shader_module(fragment, None) };
                pipeline
            });
            match made {
                Ok(pipeline) => self.pipelines[n] = pipeline,
                Err(error) => result = Err(error),
            }
        }
        // SAFETY: as above.
        unsafe { self.device.raw.destroy_shader_module(vertex, None) };
        result
    }

    fn module(&self, code: &[u8]) -> Result<vk::ShaderModule, RenderError> {
        let words: Vec<u32> = code.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        // SAFETY: the words are a whole module, made by the compiler from the sources beside it.
        unsafe { self.device.raw.create_shader_module(&info, None) }.named("vkCreateShaderModule")
    }

    fn pipeline(
        &self,
        format: vk::Format,
        vertex: vk::ShaderModule,
        fragment: vk::ShaderModule,
    ) -> Result<vk::Pipeline, RenderError> {
        let stages = [
            vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::VERTEX)
                .module(vertex)
                .name(c"main"),
            vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::FRAGMENT)
                .module(fragment)
                .name(c"main"),
        ];
        let streams = [vk::VertexInputBindingDescription {
            binding: 0,
            stride: size_of::<Vertex>() as u32,
            input_rate: vk::VertexInputRate::VERTEX,
        }];
        let attribute = |location, format, offset: usize| vk::VertexInputAttributeDescription {
            location,
            binding: 0,
            format,
            offset: offset as u32,
        };
        let attributes = [
            attribute(0, vk::Format::R32G32_SFLOAT, std::mem::offset_of!(Vertex, pos)),
            attribute(1, vk::Format::R32G32_SFLOAT, std::mem::offset_of!(Vertex, uv)),
            attribute(2, vk::Format::R8G8B8A8_UNORM, std::mem::offset_of!(Vertex, color)),
        ];
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&streams)
            .vertex_attribute_descriptions(&attributes);
        let assembly =
            vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let viewport = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
        let raster = vk::PipelineRasterizationStateCreateInfo::default()
            .polygon_mode(vk::PolygonMode::FILL)
            .cull_mode(vk::CullModeFlags::NONE)
            .line_width(1.0);
        let samples =
            vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let blends = [vk::PipelineColorBlendAttachmentState {
            blend_enable: vk::TRUE,
            src_color_blend_factor: vk::BlendFactor::ONE,
            dst_color_blend_factor: vk::BlendFactor::ONE_MINUS_SRC_ALPHA,
            color_blend_op: vk::BlendOp::ADD,
            src_alpha_blend_factor: vk::BlendFactor::ONE,
            dst_alpha_blend_factor: vk::BlendFactor::ONE_MINUS_SRC_ALPHA,
            alpha_blend_op: vk::BlendOp::ADD,
            color_write_mask: vk::ColorComponentFlags::RGBA,
        }];
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
        let dynamic = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR];
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic);
        let formats = [format];
        let mut rendering = vk::PipelineRenderingCreateInfo::default().color_attachment_formats(&formats);
        let info = [vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(self.layout)
            .push_next(&mut rendering)];
        // SAFETY: a complete create info; modules and layout agree (one sampled image, the constants of `Push`).
        let made = unsafe { self.device.raw.create_graphics_pipelines(vk::PipelineCache::null(), &info, None) };
        made.map(|p| p[0]).map_err(|(_, r)| r).named("vkCreateGraphicsPipelines")
    }

    /// Records the drawing of an output: uploads of its textures, which are taken out of it, then one rendering over what `target` holds.
    ///
    /// # Errors
    /// What the device refuses. Nothing was recorded that must not be submitted.
    ///
    /// # Safety
    /// `command` is recording on the device's queue family, outside a rendering. `target` and the views of `thumbnails` live until the commands are done, are
    /// in the layouts that they state, and the caller has ordered earlier writes to them before fragment shading. At most as many paints as the renderer was
    /// made for are unfinished, counting this one.
    pub unsafe fn paint(
        &mut self,
        command: vk::CommandBuffer,
        target: &Target,
        output: &mut Output,
        thumbnails: &[Thumbnail],
    ) -> Result<(), RenderError> {
        self.frame = (self.frame + 1) % self.slots.len();
        let dead = std::mem::take(&mut self.slots[self.frame].dead);
        for texture in dead {
            self.destroy_texture(texture);
        }
        let textures = std::mem::take(&mut output.textures);
        self.update_textures(command, &textures)?;
        self.answer(thumbnails)?;
        let indices_at = self.fill_geometry(output)?;
        // SAFETY: as the caller grants.
        unsafe { self.record(command, target, output, indices_at) };
        for id in textures.free {
            if let Some(texture) = self.textures.remove(&id) {
                self.slots[self.frame].dead.push(texture);
            }
        }
        Ok(())
    }

    fn update_textures(&mut self, command: vk::CommandBuffer, delta: &TexturesDelta) -> Result<(), RenderError> {
        if delta.set.is_empty() {
            return Ok(());
        }
        // All pixels of this frame go into one buffer, 4 bytes each.
        self.pixels.clear();
        let mut starts = Vec::with_capacity(delta.set.len());
        for (_, image) in &delta.set {
            let ImageData::Color(image) = &image.image;
            starts.push(self.pixels.len() as u64);
            self.pixels.extend_from_slice(bytemuck::cast_slice(&image.pixels));
        }
        let size = self.pixels.len() as u64;
        let mut staging = self.slots[self.frame].staging.take();
        self.fit(&mut staging, size, vk::BufferUsageFlags::TRANSFER_SRC)?;
        let Some(buffer) = &staging else { return Ok(()) };
        // SAFETY: the buffer is mapped and holds at least `size` bytes, and the frame that used it last is done.
        unsafe { buffer.pointer.as_ptr().copy_from_nonoverlapping(self.pixels.as_ptr(), self.pixels.len()) };
        let raw = buffer.raw;
        self.slots[self.frame].staging = staging;
        for ((id, image), start) in delta.set.iter().zip(starts) {
            self.update_texture(command, *id, image, raw, start)?;
        }
        Ok(())
    }

    fn update_texture(
        &mut self,
        command: vk::CommandBuffer,
        id: TextureId,
        delta: &ImageDelta,
        staging: vk::Buffer,
        start: u64,
    ) -> Result<(), RenderError> {
        let [width, height] = delta.image.size().map(|n| n as u32);
        let whole = delta.pos.is_none();
        if whole {
            if let Some(old) = self.textures.remove(&id) {
                self.slots[self.frame].dead.push(old);
            }
            let texture = self.make_texture([width, height])?;
            self.textures.insert(id, texture);
        }
        let Some(texture) = self.textures.get(&id) else { return Ok(()) };
        let [x, y] = delta.pos.unwrap_or_default().map(|n| n as u32);
        if x + width > texture.size[0] || y + height > texture.size[1] {
            return Ok(());
        }
        let image = texture.image;
        let barrier = |from, to, source: (vk::PipelineStageFlags2, vk::AccessFlags2), target: (_, _)| {
            let barriers = [vk::ImageMemoryBarrier2::default()
                .old_layout(from)
                .new_layout(to)
                .src_stage_mask(source.0)
                .src_access_mask(source.1)
                .dst_stage_mask(target.0)
                .dst_access_mask(target.1)
                .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .image(image)
                .subresource_range(COLOR_RANGE)];
            let info = vk::DependencyInfo::default().image_memory_barriers(&barriers);
            // SAFETY: the command buffer records outside a rendering; the image is the renderer's own.
            unsafe { self.device.raw.cmd_pipeline_barrier2(command, &info) };
        };
        let sampled = (vk::PipelineStageFlags2::FRAGMENT_SHADER, vk::AccessFlags2::SHADER_SAMPLED_READ);
        let copied = (vk::PipelineStageFlags2::COPY, vk::AccessFlags2::TRANSFER_WRITE);
        let before = if whole { vk::ImageLayout::UNDEFINED } else { vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL };
        barrier(before, vk::ImageLayout::TRANSFER_DST_OPTIMAL, sampled, copied);
        self.uploads.clear();
        self.uploads.push(vk::BufferImageCopy {
            buffer_offset: start,
            buffer_row_length: 0,
            buffer_image_height: 0,
            image_subresource: vk::ImageSubresourceLayers {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                mip_level: 0,
                base_array_layer: 0,
                layer_count: 1,
            },
            image_offset: vk::Offset3D { x: x as i32, y: y as i32, z: 0 },
            image_extent: vk::Extent3D { width, height, depth: 1 },
        });
        // SAFETY: the region lies within buffer and image, which is in the layout named.
        unsafe {
            self.device.raw.cmd_copy_buffer_to_image(
                command,
                staging,
                image,
                vk::ImageLayout::TRANSFER_DST_OPTIMAL,
                &self.uploads,
            );
        }
        barrier(vk::ImageLayout::TRANSFER_DST_OPTIMAL, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL, copied, sampled);
        Ok(())
    }

    fn make_texture(&self, size: [u32; 2]) -> Result<Texture, RenderError> {
        let raw = &self.device.raw;
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(vk::Format::R8G8B8A8_UNORM)
            .extent(vk::Extent3D { width: size[0].max(1), height: size[1].max(1), depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST);
        let how = vk_mem::AllocationCreateInfo { usage: vk_mem::MemoryUsage::AutoPreferDevice, ..Default::default() };
        // SAFETY: a complete create info in a format that every device samples.
        let (image, mut allocation) =
            unsafe { self.device.allocator.create_image(&info, &how) }.named("vmaCreateImage")?;
        let info = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(vk::Format::R8G8B8A8_UNORM)
            .subresource_range(COLOR_RANGE);
        // SAFETY: the image lives.
        let view = unsafe { raw.create_image_view(&info, None) }.named("vkCreateImageView");
        let made = view.and_then(|view| {
            let set = self.set(self.pool, view, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL, self.smooth);
            set.map(|set| (view, set)).inspect_err(|_| {
                // SAFETY: nothing uses the view yet.
                unsafe { raw.destroy_image_view(view, None) };
            })
        });
        match made {
            Ok((view, set)) => Ok(Texture { image, allocation, view, set, size }),
            Err(error) => {
                // SAFETY: nothing uses the image yet.
                unsafe { self.device.allocator.destroy_image(image, &mut allocation) };
                Err(error)
            }
        }
    }

    fn set(
        &self,
        pool: vk::DescriptorPool,
        view: vk::ImageView,
        layout: vk::ImageLayout,
        sampler: vk::Sampler,
    ) -> Result<vk::DescriptorSet, RenderError> {
        let layouts = [self.set_layout];
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        // SAFETY: pool and layout live.
        let set = unsafe { self.device.raw.allocate_descriptor_sets(&info) }.named("vkAllocateDescriptorSets")?[0];
        let images = [vk::DescriptorImageInfo { sampler, image_view: view, image_layout: layout }];
        let writes = [vk::WriteDescriptorSet::default()
            .dst_set(set)
            .descriptor_type(vk::DescriptorType::COMBINED_IMAGE_SAMPLER)
            .image_info(&images)];
        // SAFETY: the set is new, so that no command uses it.
        unsafe { self.device.raw.update_descriptor_sets(&writes, &[]) };
        Ok(set)
    }

    fn answer(&mut self, thumbnails: &[Thumbnail]) -> Result<(), RenderError> {
        let pool = self.slots[self.frame].pool;
        // SAFETY: the frame that used the sets of this slot is done.
        unsafe { self.device.raw.reset_descriptor_pool(pool, vk::DescriptorPoolResetFlags::empty()) }
            .named("vkResetDescriptorPool")?;
        self.shown.clear();
        for thumbnail in thumbnails.iter().take(THUMBNAILS as usize) {
            let set = self.set(pool, thumbnail.view, thumbnail.layout, self.nearest)?;
            self.shown.push((set, *thumbnail));
        }
        Ok(())
    }

    /// Copies all vertices, then all indices, into the slot's buffer; returns the offset of the indices.
    fn fill_geometry(&mut self, output: &Output) -> Result<u64, RenderError> {
        let meshes = || {
            output.primitives.iter().filter_map(|p| match &p.primitive {
                Primitive::Mesh(mesh) => Some(mesh),
                Primitive::Callback(_) => None,
            })
        };
        let vertices: u64 = meshes().map(|m| size_of_val(&m.vertices[..]) as u64).sum();
        let indices: u64 = meshes().map(|m| size_of_val(&m.indices[..]) as u64).sum();
        let mut geometry = self.slots[self.frame].geometry.take();
        let usage = vk::BufferUsageFlags::VERTEX_BUFFER | vk::BufferUsageFlags::INDEX_BUFFER;
        self.fit(&mut geometry, vertices + indices, usage)?;
        if let Some(buffer) = &geometry {
            let (mut v, mut i) = (0, vertices as usize);
            for mesh in meshes() {
                let bytes: &[u8] = bytemuck::cast_slice(&mesh.vertices);
                // SAFETY: the buffer is mapped and holds `vertices + indices` bytes; the frame that used it last is done.
                unsafe { buffer.pointer.as_ptr().add(v).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
                v += bytes.len();
                let bytes: &[u8] = bytemuck::cast_slice(&mesh.indices);
                // SAFETY: as above.
                unsafe { buffer.pointer.as_ptr().add(i).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
                i += bytes.len();
            }
        }
        self.slots[self.frame].geometry = geometry;
        Ok(vertices)
    }

    /// Makes `slot` hold at least `size` bytes. What it held may be lost; the GPU is done with it.
    fn fit(&self, slot: &mut Option<Mapped>, size: u64, usage: vk::BufferUsageFlags) -> Result<(), RenderError> {
        if slot.as_ref().is_some_and(|b| b.size >= size) || size == 0 {
            return Ok(());
        }
        if let Some(old) = slot.take() {
            self.destroy_buffer(old);
        }
        let size = size.next_power_of_two().max(1 << 16);
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        let how = vk_mem::AllocationCreateInfo {
            usage: vk_mem::MemoryUsage::Auto,
            flags: vk_mem::AllocationCreateFlags::HOST_ACCESS_SEQUENTIAL_WRITE | vk_mem::AllocationCreateFlags::MAPPED,
            required_flags: vk::MemoryPropertyFlags::HOST_COHERENT,
            ..Default::default()
        };
        // SAFETY: a complete create info.
        let (raw, mut allocation) =
            unsafe { self.device.allocator.create_buffer(&info, &how) }.named("vmaCreateBuffer")?;
        let mapped = self.device.allocator.get_allocation_info(&allocation).mapped_data;
        let Some(pointer) = NonNull::new(mapped.cast()) else {
            // SAFETY: nothing uses the buffer.
            unsafe { self.device.allocator.destroy_buffer(raw, &mut allocation) };
            return Err(RenderError::Vulkan { call: "vmaMapMemory", result: vk::Result::ERROR_MEMORY_MAP_FAILED });
        };
        *slot = Some(Mapped { raw, allocation, pointer, size });
        Ok(())
    }

    /// # Safety
    /// As [`OverlayRenderer::paint`].
    unsafe fn record(&self, command: vk::CommandBuffer, target: &Target, output: &Output, indices_at: u64) {
        let raw = &self.device.raw;
        let [width, height] = target.extent;
        let attachments = [vk::RenderingAttachmentInfo::default()
            .image_view(target.view)
            .image_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
            .load_op(vk::AttachmentLoadOp::LOAD)
            .store_op(vk::AttachmentStoreOp::STORE)];
        let area = vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width, height } };
        let info = vk::RenderingInfo::default().render_area(area).layer_count(1).color_attachments(&attachments);
        // SAFETY: the caller grants the state of `command` and `target`; the other objects are the renderer's own, and live.
        unsafe {
            raw.cmd_begin_rendering(command, &info);
            let viewport = vk::Viewport {
                x: 0.0,
                y: 0.0,
                width: width as f32,
                height: height as f32,
                min_depth: 0.0,
                max_depth: 1.0,
            };
            raw.cmd_set_viewport(command, 0, &[viewport]);
            if let Some(geometry) = &self.slots[self.frame].geometry {
                raw.cmd_bind_vertex_buffers(command, 0, &[geometry.raw], &[0]);
                raw.cmd_bind_index_buffer(command, geometry.raw, indices_at, vk::IndexType::UINT32);
                self.draws(command, target, output);
            }
            raw.cmd_end_rendering(command);
        }
    }

    /// # Safety
    /// `command` is in the rendering of [`OverlayRenderer::record`], with the geometry bound.
    unsafe fn draws(&self, command: vk::CommandBuffer, target: &Target, output: &Output) {
        let raw = &self.device.raw;
        let scale = output.pixels_per_point;
        let [width, height] = target.extent.map(|n| n as f32);
        let encodes = if self.target_encodes { FLAG_TARGET_ENCODES } else { 0 };
        let mut bound = None;
        let (mut vertex, mut index) = (0i32, 0u32);
        for clipped in &output.primitives {
            let Primitive::Mesh(mesh) = &clipped.primitive else { continue };
            let (first_vertex, first_index) = (vertex, index);
            vertex += mesh.vertices.len() as i32;
            index += mesh.indices.len() as u32;
            let mut push = Push {
                to_clip: [2.0 * scale / width, 2.0 * scale / height],
                range: [0.0, 1.0],
                channels: 0xf,
                flags: encodes,
            };
            let (set, program) = match mesh.texture_id {
                TextureId::User(id) => {
                    let request = output.thumbnails.iter().find(|t: &&ThumbnailRequest| t.id == id);
                    let answer = self.shown.iter().find(|(_, t)| t.id == id);
                    // A thumbnail that nobody answered is left out; its frame shows that it is missing.
                    let (Some(request), Some((set, thumbnail))) = (request, answer) else { continue };
                    push.range = request.range;
                    push.channels = u32::from(request.channels);
                    push.flags |= if thumbnail.linear { FLAG_LINEAR_SOURCE } else { 0 };
                    let program = match thumbnail.class {
                        NumericClass::Float => Program::Float,
                        NumericClass::Sint => Program::Sint,
                        NumericClass::Uint => Program::Uint,
                    };
                    (*set, program)
                }
                id => match self.textures.get(&id) {
                    Some(texture) => (texture.set, Program::Interface),
                    None => continue,
                },
            };
            let clip = clipped.clip_rect;
            let x0 = (clip.min.x * scale).round().clamp(0.0, width) as i32;
            let y0 = (clip.min.y * scale).round().clamp(0.0, height) as i32;
            let x1 = (clip.max.x * scale).round().clamp(0.0, width) as i32;
            let y1 = (clip.max.y * scale).round().clamp(0.0, height) as i32;
            if x1 <= x0 || y1 <= y0 {
                continue;
            }
            let scissor = vk::Rect2D {
                offset: vk::Offset2D { x: x0, y: y0 },
                extent: vk::Extent2D { width: (x1 - x0) as u32, height: (y1 - y0) as u32 },
            };
            // SAFETY: sets, pipelines and geometry live until the frame is done; the mesh's ranges lie within the buffer that it was copied to.
            unsafe {
                if bound != Some(program) {
                    let pipeline = self.pipelines[program as usize];
                    raw.cmd_bind_pipeline(command, vk::PipelineBindPoint::GRAPHICS, pipeline);
                    bound = Some(program);
                }
                raw.cmd_set_scissor(command, 0, &[scissor]);
                raw.cmd_bind_descriptor_sets(command, vk::PipelineBindPoint::GRAPHICS, self.layout, 0, &[set], &[]);
                let stages = vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT;
                raw.cmd_push_constants(command, self.layout, stages, 0, bytemuck::bytes_of(&push));
                raw.cmd_draw_indexed(command, mesh.indices.len() as u32, 1, first_index, first_vertex, 0);
            }
        }
    }

    fn destroy_buffer(&self, mut buffer: Mapped) {
        // SAFETY: the GPU is done with the buffer: it belongs to a slot whose frame is done, or the device is idle.
        unsafe { self.device.allocator.destroy_buffer(buffer.raw, &mut buffer.allocation) };
    }

    fn destroy_texture(&self, mut texture: Texture) {
        // SAFETY: the GPU is done with the texture, as above. Sets are freed to the pool that they came from.
        unsafe {
            let _ = self.device.raw.free_descriptor_sets(self.pool, &[texture.set]);
            self.device.raw.destroy_image_view(texture.view, None);
            self.device.allocator.destroy_image(texture.image, &mut texture.allocation);
        }
    }
}

impl Drop for OverlayRenderer {
    fn drop(&mut self) {
        let _ = self.device.wait_idle();
        for texture in std::mem::take(&mut self.textures).into_values() {
            self.destroy_texture(texture);
        }
        for slot in std::mem::take(&mut self.slots) {
            for texture in slot.dead {
                self.destroy_texture(texture);
            }
            for buffer in [slot.geometry, slot.staging].into_iter().flatten() {
                self.destroy_buffer(buffer);
            }
            // SAFETY: the device is idle.
            unsafe { self.device.raw.destroy_descriptor_pool(slot.pool, None) };
        }
        // SAFETY: the device is idle; null handles are ignored.
        unsafe {
            let raw = &self.device.raw;
            for pipeline in self.pipelines {
                raw.destroy_pipeline(pipeline, None);
            }
            raw.destroy_descriptor_pool(self.pool, None);
            raw.destroy_pipeline_layout(self.layout, None);
            raw.destroy_descriptor_set_layout(self.set_layout, None);
            raw.destroy_sampler(self.smooth, None);
            raw.destroy_sampler(self.nearest, None);
        }
    }
}

const COLOR_RANGE: vk::ImageSubresourceRange = vk::ImageSubresourceRange {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    base_mip_level: 0,
    level_count: 1,
    base_array_layer: 0,
    layer_count: 1,
};

/// Whether stores to a format encode linear light as sRGB.
fn encodes(format: vk::Format) -> bool {
    matches!(format, vk::Format::R8G8B8A8_SRGB | vk::Format::B8G8R8A8_SRGB | vk::Format::A8B8G8R8_SRGB_PACK32)
}

#[cfg(test)]
#[path = "render_tests.rs"]
mod tests;
