//! Commands: each is recorded into the open command buffer and into the log.

use super::{Buffer, Fault, Gpu, Image};
use crate::error::{ExecuteError, Named};
use crate::features::Feature;
use crate::stream::{Attached, Bytes, Dependency, Dynamic, Event, ImageDependency, PipelineFacts, Range, Side};
use ash::vk;

/// An attachment of a render scope.
#[derive(Clone, Copy)]
pub struct AttachmentInfo {
    /// View.
    pub view: vk::ImageView,
    /// Layout.
    pub layout: vk::ImageLayout,
    /// Load operation.
    pub load: vk::AttachmentLoadOp,
    /// Store operation.
    pub store: vk::AttachmentStoreOp,
    /// Clear value.
    pub clear: vk::ClearValue,
}

impl AttachmentInfo {
    fn raw(&self) -> vk::RenderingAttachmentInfo<'static> {
        vk::RenderingAttachmentInfo::default()
            .image_view(self.view)
            .image_layout(self.layout)
            .load_op(self.load)
            .store_op(self.store)
            .clear_value(self.clear)
    }

    fn logged(&self) -> Attached {
        Attached { view: self.view, layout: self.layout, load: self.load, store: self.store }
    }
}

/// A render scope.
#[derive(Clone, Copy, Default)]
pub struct RenderingInfo {
    /// Area.
    pub area: vk::Rect2D,
    /// Layers.
    pub layers: u32,
    /// Colour slots.
    pub color: [Option<AttachmentInfo>; 8],
    /// Slots in use.
    pub slots: usize,
    /// Depth.
    pub depth: Option<AttachmentInfo>,
    /// Stencil.
    pub stencil: Option<AttachmentInfo>,
}

/// Texels of one level of an image, in the terms of copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageRegion {
    /// Aspect.
    pub aspect: vk::ImageAspectFlags,
    /// Level.
    pub level: u32,
    /// First array layer, or first slice of a 3D image.
    pub layer: u32,
    /// Layers or slices.
    pub layers: u32,
    /// Left, top.
    pub offset: [i32; 2],
    /// Width, height.
    pub extent: [u32; 2],
}

impl ImageRegion {
    pub(crate) fn layers_of(&self, image: &Image) -> vk::ImageSubresourceLayers {
        let d3 = image.info.kind == vk::ImageType::TYPE_3D;
        vk::ImageSubresourceLayers {
            aspect_mask: self.aspect,
            mip_level: self.level,
            base_array_layer: if d3 { 0 } else { self.layer },
            layer_count: if d3 { 1 } else { self.layers },
        }
    }

    pub(crate) fn offset_of(&self, image: &Image) -> vk::Offset3D {
        let z = if image.info.kind == vk::ImageType::TYPE_3D { self.layer as i32 } else { 0 };
        vk::Offset3D { x: self.offset[0], y: self.offset[1], z }
    }

    pub(crate) fn extent_of(&self, image: &Image) -> vk::Extent3D {
        let depth = if image.info.kind == vk::ImageType::TYPE_3D { self.layers } else { 1 };
        vk::Extent3D { width: self.extent[0], height: self.extent[1], depth }
    }

    fn side(&self, image: &Image, layout: vk::ImageLayout) -> Side {
        let range =
            Range { aspects: self.aspect, level: self.level, levels: 1, layer: self.layer, layers: self.layers };
        Side::Image { image: image.raw, range, layout }
    }
}

/// Bytes of a buffer and the texels they stand for.
#[derive(Debug, Clone, Copy)]
pub struct BufferImageCopy {
    /// Offset in the buffer.
    pub offset: u64,
    /// Texels per row of memory; 0 = tight.
    pub row_texels: u32,
    /// Rows per image; 0 = tight.
    pub image_rows: u32,
    /// Bytes that the copy touches, for the log.
    pub bytes: u64,
    /// Texels.
    pub region: ImageRegion,
}

impl BufferImageCopy {
    fn raw(&self, image: &Image) -> vk::BufferImageCopy {
        vk::BufferImageCopy {
            buffer_offset: self.offset,
            buffer_row_length: self.row_texels,
            buffer_image_height: self.image_rows,
            image_subresource: self.region.layers_of(image),
            image_offset: self.region.offset_of(image),
            image_extent: self.region.extent_of(image),
        }
    }

    fn bytes(&self, buffer: vk::Buffer) -> Side {
        Side::Bytes(Bytes { buffer, offset: self.offset, length: self.bytes })
    }
}

impl Gpu {
    /// Opens a command buffer.
    ///
    /// # Errors
    /// Out of memory.
    pub fn begin(&mut self, cb: vk::CommandBuffer) -> Result<(), ExecuteError> {
        let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the buffer's pool was reset after the GPU was done with it.
        unsafe { self.device.raw.begin_command_buffer(cb, &info) }.named("vkBeginCommandBuffer")?;
        self.cb = cb;
        self.log.push(|| Event::Begin);
        Ok(())
    }

    /// Closes it and hands it to the queue; `timeline` reaches `value` when it is done.
    ///
    /// # Errors
    /// Out of memory, device lost.
    pub fn submit(&mut self, timeline: vk::Semaphore, value: u64) -> Result<(), ExecuteError> {
        self.submit_with(timeline, value, None)
    }

    /// As [`Gpu::submit`]; with `(wait, signal)` the commands also wait for one binary semaphore, and signal another when they are done.
    ///
    /// # Errors
    /// Out of memory, device lost.
    pub fn submit_with(
        &mut self,
        timeline: vk::Semaphore,
        value: u64,
        window: Option<(vk::Semaphore, vk::Semaphore)>,
    ) -> Result<(), ExecuteError> {
        const ALL: vk::PipelineStageFlags2 = vk::PipelineStageFlags2::ALL_COMMANDS;
        let buffers = [vk::CommandBufferSubmitInfo::default().command_buffer(self.cb)];
        let binary = |semaphore| vk::SemaphoreSubmitInfo::default().semaphore(semaphore).stage_mask(ALL);
        let (wait, signal) = window.unwrap_or_default();
        let waits = [binary(wait)];
        let signals = [binary(timeline).value(value), binary(signal)];
        let more = usize::from(window.is_some());
        let info = vk::SubmitInfo2::default()
            .command_buffer_infos(&buffers)
            .wait_semaphore_infos(&waits[..more])
            .signal_semaphore_infos(&signals[..=more]);
        // SAFETY: the command buffer is complete, and the queue belongs to the thread that owns the executor.
        unsafe {
            self.device.raw.end_command_buffer(self.cb).named("vkEndCommandBuffer")?;
            self.device.raw.queue_submit2(self.device.queue, &[info], vk::Fence::null()).named("vkQueueSubmit2")?;
        }
        self.cb = vk::CommandBuffer::null();
        self.log.push(|| Event::Submit { value });
        Ok(())
    }

    /// A barrier: one global memory barrier (where it says anything) and image barriers, each with its image for 3D.
    pub fn barrier(&mut self, memory: Option<Dependency>, images: &[(ImageDependency, bool)], by_region: bool) {
        let strikes = self.fault.strikes();
        let fault = if strikes { std::mem::take(&mut self.fault) } else { Fault::None };
        if matches!(fault, Fault::DropBarrier(_)) {
            return;
        }
        let bend = |mut d: Dependency| {
            match fault {
                Fault::WrongSource(_) => {
                    d.src_stage = vk::PipelineStageFlags2::NONE;
                    d.src_access = vk::AccessFlags2::NONE;
                }
                Fault::WrongTarget(_) => {
                    d.dst_stage = vk::PipelineStageFlags2::NONE;
                    d.dst_access = vk::AccessFlags2::NONE;
                }
                _ => {}
            }
            d
        };
        let memory = memory.map(bend);
        let images = if matches!(fault, Fault::DropTransitions(_)) { &[] } else { images };
        if memory.is_none() && images.is_empty() {
            return;
        }
        let global: smallvec::SmallVec<[vk::MemoryBarrier2<'_>; 1]> = memory
            .iter()
            .map(|d| {
                vk::MemoryBarrier2::default()
                    .src_stage_mask(d.src_stage)
                    .src_access_mask(d.src_access)
                    .dst_stage_mask(d.dst_stage)
                    .dst_access_mask(d.dst_access)
            })
            .collect();
        let raw: smallvec::SmallVec<[vk::ImageMemoryBarrier2<'_>; 16]> = images
            .iter()
            .map(|(d, d3)| {
                let s = bend(d.scope);
                vk::ImageMemoryBarrier2::default()
                    .src_stage_mask(s.src_stage)
                    .src_access_mask(s.src_access)
                    .dst_stage_mask(s.dst_stage)
                    .dst_access_mask(s.dst_access)
                    .old_layout(d.old)
                    .new_layout(d.new)
                    .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                    .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                    .image(d.image)
                    .subresource_range(vk::ImageSubresourceRange {
                        aspect_mask: d.range.aspects,
                        base_mip_level: d.range.level,
                        level_count: d.range.levels,
                        base_array_layer: if *d3 { 0 } else { d.range.layer },
                        layer_count: if *d3 { 1 } else { d.range.layers },
                    })
            })
            .collect();
        let mut flags = vk::DependencyFlags::empty();
        if by_region {
            flags |= vk::DependencyFlags::BY_REGION;
            // Where a pass may sample its own attachments, a barrier inside it must say that it is for that.
            if self.device.features.has(Feature::FeedbackLayout) {
                flags |= vk::DependencyFlags::FEEDBACK_LOOP_EXT;
            }
        }
        let info =
            vk::DependencyInfo::default().dependency_flags(flags).memory_barriers(&global).image_memory_barriers(&raw);
        // SAFETY: the command buffer is open; images live.
        unsafe { self.device.raw.cmd_pipeline_barrier2(self.cb, &info) };
        self.counters.barriers += 1;
        self.counters.transitions += images.len() as u32;
        self.log.push(|| Event::Barrier {
            memory,
            images: images.iter().map(|(d, _)| ImageDependency { scope: bend(d.scope), ..*d }).collect(),
            by_region,
        });
    }

    /// Resolves depth and stencil, which no transfer command does: an empty render scope whose end takes sample 0. Both images are in the layout of
    /// depth attachments; `area` counts texels.
    pub fn resolve_depth(
        &mut self,
        from: vk::ImageView,
        to: vk::ImageView,
        area: [u32; 2],
        depth: bool,
        stencil: bool,
    ) {
        const LAYOUT: vk::ImageLayout = vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
        let attachment = vk::RenderingAttachmentInfo::default()
            .image_view(from)
            .image_layout(LAYOUT)
            .resolve_mode(vk::ResolveModeFlags::SAMPLE_ZERO)
            .resolve_image_view(to)
            .resolve_image_layout(LAYOUT)
            .load_op(vk::AttachmentLoadOp::LOAD)
            .store_op(vk::AttachmentStoreOp::STORE);
        let mut info = vk::RenderingInfo::default()
            .render_area(vk::Rect2D {
                offset: vk::Offset2D::default(),
                extent: vk::Extent2D { width: area[0], height: area[1] },
            })
            .layer_count(1);
        if depth {
            info = info.depth_attachment(&attachment);
        }
        if stencil {
            info = info.stencil_attachment(&attachment);
        }
        // SAFETY: views live; no scope is open.
        unsafe {
            self.device.raw.cmd_begin_rendering(self.cb, &info);
            self.device.raw.cmd_end_rendering(self.cb);
        }
        self.counters.transfers += 1;
        // The log sees a scope over each image; a resolve is a write of the target by the same stages.
        for view in [from, to] {
            let a = Attached {
                view,
                layout: LAYOUT,
                load: vk::AttachmentLoadOp::LOAD,
                store: vk::AttachmentStoreOp::STORE,
            };
            self.log.push(|| Event::BeginRendering {
                color: Vec::new(),
                depth: depth.then_some(a),
                stencil: stencil.then_some(a),
                layers: 1,
            });
            self.log.push(|| Event::EndRendering);
        }
    }

    /// Begins rendering.
    pub fn begin_rendering(&mut self, info: &RenderingInfo) {
        let none = vk::RenderingAttachmentInfo::default();
        let color: smallvec::SmallVec<[vk::RenderingAttachmentInfo<'_>; 8]> =
            info.color[..info.slots].iter().map(|c| c.as_ref().map_or(none, AttachmentInfo::raw)).collect();
        let depth = info.depth.as_ref().map(AttachmentInfo::raw);
        let stencil = info.stencil.as_ref().map(AttachmentInfo::raw);
        let mut raw =
            vk::RenderingInfo::default().render_area(info.area).layer_count(info.layers).color_attachments(&color);
        if let Some(depth) = &depth {
            raw = raw.depth_attachment(depth);
        }
        if let Some(stencil) = &stencil {
            raw = raw.stencil_attachment(stencil);
        }
        // SAFETY: views live; no scope is open.
        unsafe { self.device.raw.cmd_begin_rendering(self.cb, &raw) };
        self.counters.passes += 1;
        self.log.push(|| Event::BeginRendering {
            color: info.color[..info.slots].iter().map(|c| c.as_ref().map(AttachmentInfo::logged)).collect(),
            depth: info.depth.as_ref().map(AttachmentInfo::logged),
            stencil: info.stencil.as_ref().map(AttachmentInfo::logged),
            layers: info.layers,
        });
    }

    /// Ends rendering.
    pub fn end_rendering(&mut self) {
        // SAFETY: a scope is open.
        unsafe { self.device.raw.cmd_end_rendering(self.cb) };
        self.log.push(|| Event::EndRendering);
    }

    /// Binds a pipeline.
    pub fn bind_pipeline(&mut self, pipeline: vk::Pipeline, compute: bool) {
        let point = if compute { vk::PipelineBindPoint::COMPUTE } else { vk::PipelineBindPoint::GRAPHICS };
        // SAFETY: the pipeline lives as long as the device.
        unsafe { self.device.raw.cmd_bind_pipeline(self.cb, point, pipeline) };
        self.counters.pipeline_binds += 1;
        self.log.push(|| Event::BindPipeline { pipeline, compute });
    }

    /// Binds descriptor sets.
    pub fn bind_sets(&mut self, compute: bool, layout: vk::PipelineLayout, first: u32, sets: &[vk::DescriptorSet]) {
        let point = if compute { vk::PipelineBindPoint::COMPUTE } else { vk::PipelineBindPoint::GRAPHICS };
        // SAFETY: sets and layout live until the GPU is done with this part.
        unsafe { self.device.raw.cmd_bind_descriptor_sets(self.cb, point, layout, first, sets, &[]) };
        self.counters.set_binds += sets.len() as u32;
        self.log.push(|| Event::BindSets { compute, first, sets: sets.to_vec() });
    }

    /// Binds vertex buffers from binding 0 on, with strides. Null buffers are allowed where the device has null descriptors.
    pub fn bind_vertex(&mut self, buffers: &[vk::Buffer], offsets: &[u64], sizes: &[u64], strides: Option<&[u64]>) {
        // SAFETY: buffers live; ranges were cut to them.
        unsafe {
            self.device.raw.cmd_bind_vertex_buffers2(self.cb, 0, buffers, offsets, Some(sizes), strides);
        }
        if self.log.is_on() {
            for (n, (&buffer, (&offset, &length))) in buffers.iter().zip(offsets.iter().zip(sizes)).enumerate() {
                self.log.push(|| Event::BindVertex { binding: n as u32, bytes: Bytes { buffer, offset, length } });
            }
        }
    }

    /// Binds indices.
    pub fn bind_index(&mut self, bytes: Bytes, kind: vk::IndexType) {
        // SAFETY: the buffer lives.
        unsafe { self.device.raw.cmd_bind_index_buffer(self.cb, bytes.buffer, bytes.offset, kind) };
        self.log.push(|| Event::BindIndex(bytes));
    }

    /// Notes a dynamic state for the log; the caller has recorded it.
    pub fn note_dynamic(&mut self, state: Dynamic) {
        self.log.push(|| Event::Dynamic(state));
    }

    /// Notes a pipeline for the log.
    pub fn note_pipeline(&mut self, pipeline: vk::Pipeline, facts: impl FnOnce() -> PipelineFacts) {
        self.counters.pipelines_made += 1;
        self.log.push(|| Event::PipelineCreated { pipeline, facts: Box::new(facts()) });
    }

    /// Draws vertices in sequence.
    pub fn draw(&mut self, vertices: u32, instances: u32, first: u32, base_instance: u32) {
        // SAFETY: pipeline, state, and scope are set.
        unsafe { self.device.raw.cmd_draw(self.cb, vertices, instances, first, base_instance) };
        self.counters.draws += 1;
        self.log.push(|| Event::Draw { indexed: false, indirect: Vec::new() });
    }

    /// Draws by index.
    pub fn draw_indexed(&mut self, indices: u32, instances: u32, base_vertex: i32, base_instance: u32) {
        // SAFETY: as above, and indices are bound.
        unsafe { self.device.raw.cmd_draw_indexed(self.cb, indices, instances, 0, base_vertex, base_instance) };
        self.counters.draws += 1;
        self.log.push(|| Event::Draw { indexed: true, indirect: Vec::new() });
    }

    /// Draws with arguments in memory.
    pub fn draw_indirect(&mut self, indexed: bool, at: Bytes, count: u32, stride: u32) {
        // SAFETY: as above; the records lie in the buffer.
        unsafe {
            if indexed {
                self.device.raw.cmd_draw_indexed_indirect(self.cb, at.buffer, at.offset, count, stride);
            } else {
                self.device.raw.cmd_draw_indirect(self.cb, at.buffer, at.offset, count, stride);
            }
        }
        self.counters.draws += 1;
        self.log.push(|| Event::Draw { indexed, indirect: vec![at] });
    }

    /// Draws with arguments and count in memory.
    pub fn draw_indirect_count(&mut self, indexed: bool, at: Bytes, count: Bytes, most: u32, stride: u32) {
        // SAFETY: as above.
        unsafe {
            let raw = &self.device.raw;
            if indexed {
                raw.cmd_draw_indexed_indirect_count(
                    self.cb,
                    at.buffer,
                    at.offset,
                    count.buffer,
                    count.offset,
                    most,
                    stride,
                );
            } else {
                raw.cmd_draw_indirect_count(self.cb, at.buffer, at.offset, count.buffer, count.offset, most, stride);
            }
        }
        self.counters.draws += 1;
        self.log.push(|| Event::Draw { indexed, indirect: vec![at, count] });
    }

    /// Dispatches.
    pub fn dispatch(&mut self, groups: [u32; 3]) {
        // SAFETY: a compute pipeline is bound.
        unsafe { self.device.raw.cmd_dispatch(self.cb, groups[0], groups[1], groups[2]) };
        self.counters.dispatches += 1;
        self.log.push(|| Event::Dispatch { indirect: None });
    }

    /// Dispatches with group counts in memory.
    pub fn dispatch_indirect(&mut self, at: Bytes) {
        // SAFETY: as above; the record lies in the buffer.
        unsafe { self.device.raw.cmd_dispatch_indirect(self.cb, at.buffer, at.offset) };
        self.counters.dispatches += 1;
        self.log.push(|| Event::Dispatch { indirect: Some(at) });
    }

    fn transfer(
        &mut self,
        stage: vk::PipelineStageFlags2,
        from: impl FnOnce() -> Vec<Side>,
        to: impl FnOnce() -> Vec<Side>,
    ) {
        self.counters.transfers += 1;
        self.log.push(|| Event::Transfer { stage, from: from(), to: to() });
    }

    /// Bytes to bytes.
    pub fn copy_buffer(&mut self, from: Bytes, to: Bytes) {
        let region = vk::BufferCopy { src_offset: from.offset, dst_offset: to.offset, size: from.length };
        // SAFETY: both ranges lie in their buffers.
        unsafe { self.device.raw.cmd_copy_buffer(self.cb, from.buffer, to.buffer, &[region]) };
        self.transfer(vk::PipelineStageFlags2::COPY, || vec![Side::Bytes(from)], || vec![Side::Bytes(to)]);
    }

    /// Bytes to texels.
    pub fn copy_to_image(&mut self, from: vk::Buffer, to: &Image, layout: vk::ImageLayout, copies: &[BufferImageCopy]) {
        self.regions.clear();
        self.regions.extend(copies.iter().map(|c| c.raw(to)));
        // SAFETY: regions lie in the buffer and the image.
        unsafe { self.device.raw.cmd_copy_buffer_to_image(self.cb, from, to.raw, layout, &self.regions) };
        self.transfer(
            vk::PipelineStageFlags2::COPY,
            || copies.iter().map(|c| c.bytes(from)).collect(),
            || copies.iter().map(|c| c.region.side(to, layout)).collect(),
        );
    }

    /// Texels to bytes.
    pub fn copy_to_buffer(
        &mut self,
        from: &Image,
        layout: vk::ImageLayout,
        to: vk::Buffer,
        copies: &[BufferImageCopy],
    ) {
        self.regions.clear();
        self.regions.extend(copies.iter().map(|c| c.raw(from)));
        // SAFETY: as above.
        unsafe { self.device.raw.cmd_copy_image_to_buffer(self.cb, from.raw, layout, to, &self.regions) };
        self.transfer(
            vk::PipelineStageFlags2::COPY,
            || copies.iter().map(|c| c.region.side(from, layout)).collect(),
            || copies.iter().map(|c| c.bytes(to)).collect(),
        );
    }

    /// Texels to texels, bit for bit.
    #[allow(clippy::too_many_arguments)] // The command's own arguments.
    pub fn copy_image(
        &mut self,
        from: &Image,
        from_layout: vk::ImageLayout,
        source: ImageRegion,
        to: &Image,
        to_layout: vk::ImageLayout,
        target: ImageRegion,
    ) {
        let mut extent = source.extent_of(from);
        if to.info.kind == vk::ImageType::TYPE_3D {
            extent.depth = target.layers;
        }
        let region = vk::ImageCopy {
            src_subresource: source.layers_of(from),
            src_offset: source.offset_of(from),
            dst_subresource: target.layers_of(to),
            dst_offset: target.offset_of(to),
            extent,
        };
        // SAFETY: regions lie in the images.
        unsafe { self.device.raw.cmd_copy_image(self.cb, from.raw, from_layout, to.raw, to_layout, &[region]) };
        self.transfer(
            vk::PipelineStageFlags2::COPY,
            || vec![source.side(from, from_layout)],
            || vec![target.side(to, to_layout)],
        );
    }

    /// Texels to texels with scaling, mirroring, conversion. Corners are (first, past last) per side, and may be swapped.
    #[allow(clippy::too_many_arguments)] // The command's own arguments.
    pub fn blit(
        &mut self,
        from: &Image,
        from_layout: vk::ImageLayout,
        source: ImageRegion,
        source_corners: [vk::Offset3D; 2],
        to: &Image,
        to_layout: vk::ImageLayout,
        target: ImageRegion,
        target_corners: [vk::Offset3D; 2],
        filter: vk::Filter,
    ) {
        let region = vk::ImageBlit {
            src_subresource: source.layers_of(from),
            src_offsets: source_corners,
            dst_subresource: target.layers_of(to),
            dst_offsets: target_corners,
        };
        // SAFETY: regions lie in the images; formats were checked.
        unsafe { self.device.raw.cmd_blit_image(self.cb, from.raw, from_layout, to.raw, to_layout, &[region], filter) };
        self.transfer(
            vk::PipelineStageFlags2::BLIT,
            || vec![source.side(from, from_layout)],
            || vec![target.side(to, to_layout)],
        );
    }

    /// Multisampled texels to single-sampled.
    pub fn resolve(
        &mut self,
        from: &Image,
        from_layout: vk::ImageLayout,
        to: &Image,
        to_layout: vk::ImageLayout,
        region: ImageRegion,
    ) {
        let raw = vk::ImageResolve {
            src_subresource: region.layers_of(from),
            src_offset: region.offset_of(from),
            dst_subresource: region.layers_of(to),
            dst_offset: region.offset_of(to),
            extent: region.extent_of(to),
        };
        // SAFETY: as above.
        unsafe { self.device.raw.cmd_resolve_image(self.cb, from.raw, from_layout, to.raw, to_layout, &[raw]) };
        self.transfer(
            vk::PipelineStageFlags2::RESOLVE,
            || vec![region.side(from, from_layout)],
            || vec![region.side(to, to_layout)],
        );
    }

    /// A word over a run of bytes.
    pub fn fill(&mut self, to: Bytes, word: u32) {
        // SAFETY: the range lies in the buffer and is aligned to 4.
        unsafe { self.device.raw.cmd_fill_buffer(self.cb, to.buffer, to.offset, to.length, word) };
        self.transfer(vk::PipelineStageFlags2::CLEAR, Vec::new, || vec![Side::Bytes(to)]);
    }

    /// A clear outside render scopes.
    pub fn clear_image(&mut self, image: &Image, layout: vk::ImageLayout, range: Range, value: vk::ClearValue) {
        let raw = image.info.vk_range(&range);
        // SAFETY: the range lies in the image; the union's field is that of its aspect.
        unsafe {
            if range.aspects == vk::ImageAspectFlags::COLOR {
                self.device.raw.cmd_clear_color_image(self.cb, image.raw, layout, &value.color, &[raw]);
            } else {
                let value = value.depth_stencil;
                self.device.raw.cmd_clear_depth_stencil_image(self.cb, image.raw, layout, &value, &[raw]);
            }
        }
        self.transfer(vk::PipelineStageFlags2::CLEAR, Vec::new, || {
            vec![Side::Image { image: image.raw, range, layout }]
        });
    }

    /// A clear of an attachment of the open scope.
    pub fn clear_attachment(&mut self, attachment: vk::ClearAttachment, rect: vk::ClearRect) {
        // SAFETY: a scope is open; the rectangle lies in its area.
        unsafe { self.device.raw.cmd_clear_attachments(self.cb, &[attachment], &[rect]) };
        self.log.push(|| {
            let color = if attachment.aspect_mask == vk::ImageAspectFlags::COLOR {
                1 << attachment.color_attachment
            } else {
                0
            };
            let aspects = attachment.aspect_mask & (vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL);
            Event::ClearAttachments { color, aspects }
        });
    }

    /// Writes a timestamp.
    pub fn timestamp(&mut self, pool: vk::QueryPool, query: u32) {
        // SAFETY: the query was reset.
        unsafe {
            self.device.raw.cmd_write_timestamp2(self.cb, vk::PipelineStageFlags2::ALL_COMMANDS, pool, query);
        }
    }

    /// Makes timestamps ready to be written.
    pub fn reset_queries(&mut self, pool: vk::QueryPool, count: u32) {
        // SAFETY: the GPU is done with the queries.
        unsafe { self.device.raw.cmd_reset_query_pool(self.cb, pool, 0, count) };
    }

    /// Writes push constants of the executor's own pipelines.
    pub fn push_constants(&mut self, layout: vk::PipelineLayout, bytes: &[u8]) {
        let stages = vk::ShaderStageFlags::FRAGMENT | vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::COMPUTE;
        // SAFETY: the layout has a range of this size for these stages.
        unsafe { self.device.raw.cmd_push_constants(self.cb, layout, stages, 0, bytes) };
    }

    /// Names what follows, for people: in the log, and for capture tools where the debug extension is on.
    pub fn mark(&mut self, text: impl FnOnce() -> String) {
        self.log.push(|| Event::Mark(text()));
    }

    /// A buffer's range, cut to the buffer.
    #[must_use]
    pub fn cut(buffer: &Buffer, offset: u64, length: u64) -> Bytes {
        let offset = offset.min(buffer.size);
        Bytes { buffer: buffer.raw, offset, length: length.min(buffer.size - offset) }
    }
}
