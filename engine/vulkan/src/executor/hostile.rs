//! The hostile mode's part of the executor: poisons, copies for readers, late completions. See [`crate::hostile`].

use super::{Completion, Executor, Part};
use crate::convert;
use crate::error::ExecuteError;
use crate::frames::Linear;
use crate::gpu::{AttachmentInfo, BufferImageCopy, Gpu, ImageRegion, Memory, RenderingInfo, Trash};
use crate::hostile::shadows::{CLASSES, FEEDBACK};
use crate::hostile::{HostileOptions, Lines, StaleRead};
use crate::pipelines::components;
use crate::resources::{HeldImage, POOL_USAGE};
use crate::stream::{Bytes, Dependency, ImageDependency};
use ash::vk;
use framegraph::ids::{NodeId, ResourceId};
use framegraph::pass::{LoadOp, PassOps, StoreOp};
use framegraph::plan::{Batch, Step, Transition};
use framegraph::resource::{Layout, Part as Piece};
use framegraph::state::{Format, NumericClass, Subresources};
use framegraph::tables::{
    BindKind, BindSource, Binding, BufferSlice, Clear, ClearTarget, Copy, DrawCall, NodeKind, Upload, uses,
};

/// Everything waits for everything.
const FULL: Dependency = Dependency {
    src_stage: vk::PipelineStageFlags2::ALL_COMMANDS,
    src_access: vk::AccessFlags2::MEMORY_WRITE,
    dst_stage: vk::PipelineStageFlags2::ALL_COMMANDS,
    dst_access: vk::AccessFlags2::from_raw(
        vk::AccessFlags2::MEMORY_READ.as_raw() | vk::AccessFlags2::MEMORY_WRITE.as_raw(),
    ),
};

/// A word of fresh buffers: a NaN.
const FRESH_WORD: u32 = 0x7FC0_CDCD;

const FRESH_COLOR: [f32; 4] = [1.0, 0.0, 1.0, 1.0];
const ORANGE: [f32; 4] = [1.0, 0.502, 0.0, 1.0];

/// A chosen wrong value in the class of a format: a colour, or 0xCD bytes, or depth and stencil.
fn poison(format: Format, color: [f32; 4], depth: f32) -> vk::ClearValue {
    if format.aspects() != framegraph::state::Aspects::COLOR {
        return vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth, stencil: 0xCD } };
    }
    let color = if format.class() == NumericClass::Float {
        vk::ClearColorValue { float32: color }
    } else {
        let parts = components(crate::formats::format(format)).count_ones();
        let bits = (format.block().0 * 8 / parts).min(32);
        // Signed values must fit their width.
        let word = if bits == 32 { 0xCDCD_CDCD } else { 0x4D4D_4D4D & ((1u32 << bits) - 1) };
        vk::ClearColorValue { uint32: [word; 4] }
    };
    vk::ClearValue { color }
}

fn change(held: &HeldImage, old: vk::ImageLayout, new: vk::ImageLayout) -> (ImageDependency, bool) {
    let info = &held.image.info;
    let dependency = ImageDependency { scope: FULL, image: held.image.raw, range: info.all(), old, new };
    (dependency, info.kind == vk::ImageType::TYPE_3D)
}

/// Fills a range of an image that is in the layout of copy targets.
fn fill_image(
    gpu: &mut Gpu,
    staging: &mut Linear,
    held: &HeldImage,
    part: &Subresources,
    color: [f32; 4],
    depth: f32,
) -> Result<(), ExecuteError> {
    const TARGET: vk::ImageLayout = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
    let format = held.desc.host_format;
    let (size, bw, bh) = format.block();
    if bw == 1 {
        gpu.clear_image(&held.image, TARGET, held.range(part, true), poison(format, color, depth));
        return Ok(());
    }
    // Compressed: a block of equal magenta end points (exact for BC1 to BC3; wrong enough for the others).
    let range = held.range(part, true);
    for level in range.level..range.level + range.levels {
        let [w, h, _] = held.image.info.level(level);
        let blocks = w.div_ceil(bw) * h.div_ceil(bh) * range.layers;
        let mut block = vec![0u8; size as usize];
        let colors = size as usize - 8;
        block[colors..colors + 4].copy_from_slice(&[0x1F, 0xF8, 0x1F, 0xF8]);
        block[..colors].fill(0xFF);
        let bytes = block.repeat(blocks as usize);
        let place = staging.put(gpu, &bytes, 16)?;
        let region = ImageRegion {
            aspect: vk::ImageAspectFlags::COLOR,
            level,
            layer: range.layer,
            layers: range.layers,
            offset: [0; 2],
            extent: [w, h],
        };
        let copy = BufferImageCopy { offset: place.offset, row_texels: 0, image_rows: 0, bytes: place.length, region };
        gpu.copy_to_image(place.buffer, &held.image, TARGET, &[copy]);
    }
    Ok(())
}

/// Copies a range of an image into its copy for readers, which stays in the general layout.
fn refresh_image(gpu: &mut Gpu, truth: &HeldImage, shadow: &HeldImage, part: &Subresources) {
    const SOURCE: vk::ImageLayout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
    let cut = truth.cut(part);
    let layout = convert::layout(truth.layout(part));
    if layout == vk::ImageLayout::UNDEFINED {
        return;
    }
    let range = truth.range(part, true);
    let is_3d = truth.image.info.kind == vk::ImageType::TYPE_3D;
    let one = |old, new| (ImageDependency { scope: FULL, image: truth.image.raw, range, old, new }, is_3d);
    gpu.barrier(Some(FULL), &[one(layout, SOURCE)], false);
    for level in range.level..range.level + range.levels {
        let [w, h, depth] = truth.image.info.level(level);
        let (layer, layers) = if is_3d { (0, depth) } else { (u32::from(cut.base_layer), u32::from(cut.layers)) };
        let region = ImageRegion { aspect: range.aspects, level, layer, layers, offset: [0; 2], extent: [w, h] };
        gpu.copy_image(&truth.image, SOURCE, region, &shadow.image, vk::ImageLayout::GENERAL, region);
    }
    gpu.barrier(Some(FULL), &[one(SOURCE, layout)], false);
}

impl Executor {
    /// Reads that no barrier of the plan had made visible, since the last call. Empty without line 4.
    pub fn stale_reads(&mut self) -> Vec<StaleRead> {
        self.hostile.as_mut().map(|h| std::mem::take(&mut h.stale)).unwrap_or_default()
    }

    /// The hostile options in use.
    #[must_use]
    pub fn hostile_options(&self) -> Option<HostileOptions> {
        self.hostile.as_ref().map(|h| h.options)
    }

    pub(crate) fn line(&self, lines: Lines) -> bool {
        self.hostile.as_ref().is_some_and(|h| h.has(lines))
    }

    /// Before the first step: everything that the part names exists and is poisoned, and every reader has its copy.
    pub(crate) fn hostile_prepare(&mut self, part: &Part<'_>) -> Result<(), ExecuteError> {
        if self.hostile.is_none() {
            return Ok(());
        }
        self.copy_pools_in(part)?;
        let mut readers = Vec::new();
        let mut named = Vec::new();
        for step in &part.plan.steps {
            if let Step::Node(node) = *step {
                self.readers_of(part, node, &mut readers, &mut named);
            }
        }
        named.extend(readers.iter().map(|(id, _)| *id));
        for id in named {
            if id.is_some() {
                self.resources.ensure(&mut self.gpu, part.world, id, part.serial)?;
            }
        }
        if self.line(Lines::FRESH) {
            for id in std::mem::take(&mut self.resources.fresh) {
                if let Some(buffer) = self.resources.peek_buffer(id) {
                    let bytes = Bytes { length: buffer.size & !3, ..buffer.bytes() };
                    self.gpu.fill(bytes, FRESH_WORD);
                }
            }
            self.gpu.barrier(Some(FULL), &[], false);
        }
        if self.line(Lines::CACHES) {
            for (id, class) in readers {
                if id.is_some() {
                    self.make_shadow(id, class)?;
                }
            }
        }
        Ok(())
    }

    /// (resource, class) pairs that a node reads, and resources that it names otherwise.
    fn readers_of(
        &self,
        part: &Part<'_>,
        node: NodeId,
        readers: &mut Vec<(ResourceId, u32)>,
        named: &mut Vec<ResourceId>,
    ) {
        let n = node.index();
        let (Some(kind), Some(&row)) = (part.nodes.kind.get(n), part.nodes.payload.get(n)) else { return };
        let row = row as usize;
        let mut bound = |bindings: &[Binding], named: &mut Vec<ResourceId>| {
            for b in bindings {
                match b.source {
                    BindSource::Slice(slice) if b.kind == BindKind::Uniform => {
                        readers.push((slice.resource, uses::UNIFORM));
                    }
                    BindSource::Slice(slice) if !b.written => readers.push((slice.resource, uses::STORAGE_READ)),
                    BindSource::Slice(slice) => named.push(slice.resource),
                    BindSource::Texture(view, _) => {
                        if let Some(key) =
                            part.states.views.get(view).filter(|k| k.dim != framegraph::state::Dim::Buffer)
                        {
                            readers.push((key.resource, uses::SAMPLED));
                        }
                    }
                    BindSource::Image(view) => named.extend(part.states.views.get(view).map(|k| k.resource)),
                    BindSource::Empty | BindSource::Snapshot(..) => {}
                }
            }
        };
        match kind {
            NodeKind::Draw if row < part.draws.len() => {
                bound(part.bindings.rows.get(part.draws.bindings[row].range()).unwrap_or_default(), named);
                for slice in part.slices.rows.get(part.draws.vertex_buffers[row].range()).unwrap_or_default() {
                    readers.push((slice.resource, uses::VERTEX));
                }
                match part.draws.call[row] {
                    DrawCall::Arrays { .. } => {}
                    DrawCall::Elements { indices, .. } => readers.push((indices.resource, uses::INDEX)),
                    DrawCall::Indirect { arguments, indices, count_buffer, .. } => {
                        readers.push((arguments.resource, uses::INDIRECT));
                        readers.extend(indices.map(|(s, _)| (s.resource, uses::INDEX)));
                        readers.extend(count_buffer.map(|s| (s.resource, uses::INDIRECT)));
                    }
                }
            }
            NodeKind::Dispatch => {
                let Some(d) = part.dispatches.rows.get(row) else { return };
                bound(part.bindings.rows.get(d.bindings.range()).unwrap_or_default(), named);
                readers.extend(d.indirect.map(|s| (s.resource, uses::INDIRECT)));
            }
            NodeKind::Copy => match part.copies.rows.get(row) {
                Some(Copy::Buffer { source, target }) => {
                    readers.push((source.resource, uses::COPY_READ));
                    named.push(target.resource);
                }
                Some(Copy::BufferToImage { source, target, .. }) => {
                    readers.push((source.resource, uses::COPY_READ));
                    named.push(*target);
                }
                Some(Copy::ImageToBuffer { source, target, .. }) => {
                    readers.push((*source, uses::COPY_READ));
                    named.push(target.resource);
                }
                Some(
                    Copy::Image { source, target, .. }
                    | Copy::Blit { source, target, .. }
                    | Copy::Resolve { source, target, .. },
                ) => {
                    readers.push((*source, uses::COPY_READ));
                    named.push(*target);
                }
                Some(Copy::Fill { target, .. }) => named.push(target.resource),
                None => {}
            },
            NodeKind::Upload => match part.uploads.rows.get(row) {
                Some(Upload::Buffer { target, .. }) => named.push(target.resource),
                Some(Upload::Image { target, .. }) => named.push(*target),
                None => {}
            },
            NodeKind::Download => {
                let Some(d) = part.downloads.rows.get(row) else { return };
                readers.extend(d.buffer.map(|s| (s.resource, uses::COPY_READ)));
                readers.extend(d.image.map(|(id, _)| (id, uses::COPY_READ)));
            }
            NodeKind::Present => readers.extend(part.presents.rows.get(row).map(|p| (p.source, uses::PRESENT))),
            _ => {}
        }
    }

    /// A copy of a resource for a class of readers: all that the class can see, and poison where it cannot.
    fn make_shadow(&mut self, id: ResourceId, class: u32) -> Result<(), ExecuteError> {
        let Some(hostile) = &mut self.hostile else { return Ok(()) };
        let serial = self.serial + 1;
        if let Some(truth) = self.resources.peek_buffer(id) {
            if hostile.buffers.get(&(id, class)).is_some_and(|(of, _)| *of == truth.raw) {
                return Ok(());
            }
            if let Some((_, old)) = hostile.buffers.remove(&(id, class)) {
                self.gpu.discard(serial, Trash::Buffer(old));
            }
            let copy = self.gpu.create_buffer(truth.size, POOL_USAGE, Memory::Device)?;
            self.gpu.barrier(Some(FULL), &[], false);
            self.gpu.copy_buffer(truth.bytes(), copy.bytes());
            self.gpu.barrier(Some(FULL), &[], false);
            for w in hostile.writes.iter().filter(|w| w.resource == id && w.visible & class == 0) {
                if let Piece::Bytes(offset, length) = w.part {
                    let start = offset.next_multiple_of(4);
                    let end = (offset + length).min(copy.size) & !3;
                    if start < end {
                        self.gpu.fill(Bytes { buffer: copy.raw, offset: start, length: end - start }, FRESH_WORD);
                    }
                }
            }
            self.gpu.barrier(Some(FULL), &[], false);
            hostile.buffers.insert((id, class), (truth.raw, copy));
            return Ok(());
        }
        let Some(truth) = self.resources.peek(id) else { return Ok(()) };
        if hostile.images.get(&(id, class)).is_some_and(|(of, _)| *of == truth.image.raw) {
            return Ok(());
        }
        if let Some((_, old)) = hostile.images.remove(&(id, class)) {
            old.discard(&mut self.gpu, serial);
        }
        let view_formats: &[vk::Format] = &[];
        let image = self.gpu.create_image(truth.image.info, view_formats)?;
        let mut shadow = HeldImage::new(image, truth.desc);
        let all = truth.desc.all();
        let staging = &mut self.frames[self.slot].staging;
        self.gpu.barrier(
            Some(FULL),
            &[change(&shadow, vk::ImageLayout::UNDEFINED, vk::ImageLayout::TRANSFER_DST_OPTIMAL)],
            false,
        );
        fill_image(&mut self.gpu, staging, &shadow, &all, FRESH_COLOR, 0.71)?;
        self.gpu.barrier(
            Some(FULL),
            &[change(&shadow, vk::ImageLayout::TRANSFER_DST_OPTIMAL, vk::ImageLayout::GENERAL)],
            false,
        );
        shadow.set_layout(&all, Layout::General);
        let hidden = hostile.writes.iter().any(|w| w.resource == id && w.visible & class == 0);
        if class != FEEDBACK && !hidden {
            refresh_image(&mut self.gpu, truth, &shadow, &all);
        }
        hostile.images.insert((id, class), (truth.image.raw, shadow));
        Ok(())
    }

    /// Bytes as a class of readers sees them.
    pub(crate) fn read_slice(
        &mut self,
        part: &Part<'_>,
        node: NodeId,
        slice: &BufferSlice,
        class: u32,
    ) -> Result<Bytes, ExecuteError> {
        let place = self.slice(part, slice)?;
        let Some(hostile) = self.hostile.as_mut().filter(|h| h.has(Lines::CACHES)) else { return Ok(place) };
        hostile.reads(node, slice.resource, &Piece::Bytes(slice.offset, slice.length), class);
        match hostile.buffers.get(&(slice.resource, class)) {
            Some((_, copy)) => Ok(Bytes { buffer: copy.raw, ..place }),
            None => Ok(place),
        }
    }

    /// The copy of an image that a class of readers sees, where there is one.
    pub(crate) fn note_image_read(&mut self, node: NodeId, id: ResourceId, part: &Subresources, class: u32) {
        if let Some(hostile) = self.hostile.as_mut().filter(|h| h.has(Lines::CACHES)) {
            hostile.reads(node, id, &Piece::Image(*part), class);
        }
    }

    /// After a node: what it wrote waits for a barrier to be seen.
    pub(crate) fn hostile_wrote(&mut self, part: &Part<'_>, node: NodeId) {
        let Some(hostile) = self.hostile.as_mut().filter(|h| h.has(Lines::CACHES)) else { return };
        let n = node.index();
        let row = part.nodes.payload[n] as usize;
        let bytes = |s: &BufferSlice| Piece::Bytes(s.offset, s.length);
        match part.nodes.kind[n] {
            NodeKind::Upload => match part.uploads.rows.get(row) {
                Some(Upload::Buffer { target, .. }) => {
                    hostile.wrote(target.resource, bytes(target), uses::COPY_WRITE, 0);
                }
                Some(Upload::Image { target, part: sub, .. }) => {
                    hostile.wrote(*target, Piece::Image(*sub), uses::COPY_WRITE, 0);
                }
                None => {}
            },
            NodeKind::Copy => match part.copies.rows.get(row) {
                Some(Copy::Buffer { target, .. } | Copy::ImageToBuffer { target, .. } | Copy::Fill { target, .. }) => {
                    hostile.wrote(target.resource, bytes(target), uses::COPY_WRITE, 0);
                }
                Some(
                    Copy::BufferToImage { target, part: sub, .. }
                    | Copy::Image { target, target_part: sub, .. }
                    | Copy::Blit { target, target_part: sub, .. }
                    | Copy::Resolve { target, part: sub, .. },
                ) => hostile.wrote(*target, Piece::Image(*sub), uses::COPY_WRITE, 0),
                None => {}
            },
            NodeKind::Clear => {
                if let Some(Clear { target: ClearTarget::Image(id, sub), .. }) = part.clears.rows.get(row) {
                    hostile.wrote(*id, Piece::Image(*sub), uses::COPY_WRITE, 0);
                }
            }
            NodeKind::Draw | NodeKind::Dispatch => {
                let rows = if part.nodes.kind[n] == NodeKind::Draw {
                    part.draws.bindings.get(row).copied()
                } else {
                    part.dispatches.rows.get(row).map(|d| d.bindings)
                };
                let Some(bindings) = rows.and_then(|r| part.bindings.rows.get(r.range())) else { return };
                for b in bindings.iter().filter(|b| b.written) {
                    let stage = 1 << b.stage as u32;
                    match b.source {
                        BindSource::Slice(slice) => {
                            hostile.wrote(slice.resource, bytes(&slice), uses::STORAGE_WRITE, stage);
                        }
                        BindSource::Image(view) => {
                            if let Some(key) = part.states.views.get(view) {
                                hostile.wrote(key.resource, Piece::Image(key.part), uses::STORAGE_WRITE, stage);
                            }
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    /// Behind a barrier of the plan: copies for the classes that it names are refreshed.
    pub(crate) fn hostile_barrier(&mut self, batch: &Batch) {
        let Some(hostile) = self.hostile.as_mut().filter(|h| h.has(Lines::CACHES)) else { return };
        for (write, classes) in hostile.barrier(batch) {
            for bit in 0..32 {
                let class = 1u32 << bit;
                if classes & class == 0 || class & CLASSES == 0 {
                    continue;
                }
                match write.part {
                    Piece::Bytes(offset, length) => {
                        let copy = hostile.buffers.get(&(write.resource, class));
                        let (Some((_, copy)), Some(truth)) = (copy, self.resources.peek_buffer(write.resource)) else {
                            continue;
                        };
                        let from = Gpu::cut(truth, offset, length);
                        self.gpu.barrier(Some(FULL), &[], false);
                        if from.length > 0 {
                            self.gpu.copy_buffer(from, Bytes { buffer: copy.raw, ..from });
                        }
                        self.gpu.barrier(Some(FULL), &[], false);
                    }
                    Piece::Image(sub) => {
                        let copy = hostile.images.get(&(write.resource, class));
                        let (Some((_, copy)), Some(truth)) = (copy, self.resources.peek(write.resource)) else {
                            continue;
                        };
                        refresh_image(&mut self.gpu, truth, copy, &sub);
                    }
                    Piece::Any => {}
                }
            }
        }
    }

    /// Line 1: before a barrier that drops contents, those are filled. The image is then in the layout of copy targets, which the barrier leaves from.
    pub(crate) fn poison_dropped(&mut self, part: &Part<'_>, t: &Transition) -> Result<(), ExecuteError> {
        let held = self.resources.image(&mut self.gpu, part.world, t.resource, part.serial)?;
        let is_3d = held.image.info.kind == vk::ImageType::TYPE_3D;
        let dependency = ImageDependency {
            scope: FULL,
            image: held.image.raw,
            range: held.range(&t.part, true),
            old: vk::ImageLayout::UNDEFINED,
            new: vk::ImageLayout::TRANSFER_DST_OPTIMAL,
        };
        self.gpu.barrier(Some(FULL), &[(dependency, is_3d)], false);
        fill_image(&mut self.gpu, &mut self.frames[self.slot].staging, held, &t.part, FRESH_COLOR, 0.71)?;
        self.gpu.barrier(Some(FULL), &[], false);
        Ok(())
    }

    /// Line 2: what need not be loaded is orange.
    pub(crate) fn poison_load(a: &mut AttachmentInfo, load: LoadOp, format: Format) {
        if load == LoadOp::DontCare {
            a.load = vk::AttachmentLoadOp::CLEAR;
            a.clear = poison(format, ORANGE, 0.29);
        }
    }

    /// Line 2: what was not stored turns orange behind the pass.
    pub(crate) fn poison_stores(&mut self, info: &RenderingInfo, ops: &PassOps, formats: &[Format; 9], wrote: u16) {
        let mut again = RenderingInfo { color: [None; 8], depth: None, stencil: None, ..*info };
        let lost = |store: StoreOp, slot: usize| match store {
            StoreOp::Store => false,
            StoreOp::DontCare => true,
            StoreOp::None => wrote >> slot & 1 == 1,
        };
        let orange = |a: &AttachmentInfo, format: Format| AttachmentInfo {
            load: vk::AttachmentLoadOp::CLEAR,
            store: vk::AttachmentStoreOp::STORE,
            clear: poison(format, ORANGE, 0.29),
            ..*a
        };
        for (slot, format) in formats[..8].iter().enumerate() {
            let attached = info.color[slot].as_ref().filter(|_| lost(ops.color[slot].1, slot));
            again.color[slot] = attached.map(|a| orange(a, *format));
        }
        let read_only = |a: &&AttachmentInfo| a.layout != vk::ImageLayout::DEPTH_STENCIL_READ_ONLY_OPTIMAL;
        again.depth =
            info.depth.as_ref().filter(read_only).filter(|_| lost(ops.depth.1, 8)).map(|a| orange(a, formats[8]));
        again.stencil =
            info.stencil.as_ref().filter(read_only).filter(|_| lost(ops.stencil.1, 8)).map(|a| orange(a, formats[8]));
        if again.color.iter().flatten().next().is_none() && again.depth.is_none() && again.stencil.is_none() {
            return;
        }
        self.gpu.barrier(Some(FULL), &[], false);
        self.gpu.begin_rendering(&again);
        self.gpu.end_rendering();
        self.gpu.barrier(Some(FULL), &[], false);
    }

    /// Line 3, before a pass: attachments that its draws sample get a stand-in: magenta, or what is attached now, where it is in the feedback layout.
    pub(crate) fn feedback_stand_ins(
        &mut self,
        part: &Part<'_>,
        attached: &[(ResourceId, Subresources)],
    ) -> Result<Vec<ResourceId>, ExecuteError> {
        let mut out = Vec::new();
        if !self.line(Lines::FEEDBACK) {
            return Ok(out);
        }
        let step = self.step;
        for s in part.plan.steps[step..].iter().take_while(|s| !matches!(s, Step::EndPass(_))) {
            let Step::Node(node) = *s else { continue };
            let n = node.index();
            if part.nodes.kind.get(n) != Some(&NodeKind::Draw) {
                continue;
            }
            let rows = part.draws.bindings[part.nodes.payload[n] as usize];
            for b in part.bindings.rows.get(rows.range()).unwrap_or_default() {
                let BindSource::Texture(view, _) = b.source else { continue };
                let Some(key) = part.states.views.get(view) else { continue };
                let own = attached.iter().any(|(id, sub)| *id == key.resource && sub.overlaps(&key.part));
                if own && !out.contains(&key.resource) {
                    out.push(key.resource);
                }
            }
        }
        for &id in &out {
            self.make_shadow(id, FEEDBACK)?;
            self.refresh_feedback(id);
        }
        if !out.is_empty() {
            self.tracked.layouts_changed();
        }
        Ok(out)
    }

    /// Line 3: a barrier inside the pass makes what was written visible to its draws, where the plan chose the feedback layout.
    pub(crate) fn refresh_feedback(&mut self, id: ResourceId) {
        let Some(hostile) = &self.hostile else { return };
        let (Some((_, shadow)), Some(truth)) = (hostile.images.get(&(id, FEEDBACK)), self.resources.peek(id)) else {
            return;
        };
        let all = truth.desc.all();
        if truth.layout(&all) == Layout::Feedback {
            refresh_image(&mut self.gpu, truth, shadow, &all);
        } else {
            // Magenta again: an earlier pass may have refreshed it.
            let one = |old, new| [change(shadow, old, new)];
            let (general, target) = (vk::ImageLayout::GENERAL, vk::ImageLayout::TRANSFER_DST_OPTIMAL);
            self.gpu.barrier(Some(FULL), &one(general, target), false);
            let staging = &mut self.frames[self.slot].staging;
            let filled = fill_image(&mut self.gpu, staging, shadow, &all, FRESH_COLOR, 0.71);
            self.gpu.barrier(Some(FULL), &one(target, general), false);
            if let Err(error) = filled {
                tracing::warn!(%error, "a stand-in for feedback keeps its old content");
            }
        }
    }

    /// Line 8: completions are kept back, and come in a bunch.
    pub(crate) fn delay(&mut self, done: Completion) {
        match &mut self.hostile {
            Some(h) if h.has(Lines::TIME) => {
                if h.late.is_empty() {
                    h.patience = (h.random.next() % 3 + 1) as u32;
                }
                h.late.push(done);
            }
            _ => self.ready.push(done),
        }
    }

    /// Line 8: a look at completions; after enough of them, or when the caller waits for everything, what was kept back comes out.
    pub(crate) fn release_late(&mut self, all: bool) {
        let Some(h) = &mut self.hostile else { return };
        if h.late.is_empty() && !all {
            return;
        }
        if all || h.patience == 0 {
            let late = std::mem::take(&mut h.late);
            self.ready.extend(late);
            self.copy_pools_out();
        } else {
            h.patience -= 1;
        }
    }

    /// Line 8: imported pools are copies. What the host changed since the last look goes in when a part starts.
    fn copy_pools_in(&mut self, part: &Part<'_>) -> Result<(), ExecuteError> {
        let Some(hostile) = self.hostile.as_mut().filter(|h| h.has(Lines::TIME)) else { return Ok(()) };
        for (&id, (pointer, seen)) in &mut hostile.pools {
            let first = seen.iter().all(|b| *b == 0);
            let mut now = vec![0; seen.len()];
            // SAFETY: whoever called `import_pool` promised that the memory is there and that no reference into it exists.
            unsafe { std::ptr::copy_nonoverlapping(*pointer as *const u8, now.as_mut_ptr(), now.len()) };
            let held = self.resources.buffer(&mut self.gpu, part.world, id, part.serial)?;
            let raw = held.buffer.raw;
            for (n, (old, new)) in seen.chunks(4096).zip(now.chunks(4096)).enumerate() {
                if first || old != new {
                    let place = self.frames[self.slot].staging.put(&mut self.gpu, new, 16)?;
                    let offset = n as u64 * 4096;
                    self.gpu.copy_buffer(place, Bytes { buffer: raw, offset, length: place.length });
                }
            }
            *seen = now;
        }
        self.gpu.barrier(Some(FULL), &[], false);
        Ok(())
    }

    /// Line 8: at the end of a part whose plan made memory visible to the host, pools are copied to where the host will find them.
    pub(crate) fn stage_pools_out(&mut self, part: &Part<'_>) -> Result<(), ExecuteError> {
        let host = part.plan.batches.iter().any(|b| b.target_uses & uses::HOST_READ != 0);
        let Some(hostile) = self.hostile.as_mut().filter(|h| h.has(Lines::TIME) && host) else { return Ok(()) };
        let pools: Vec<ResourceId> = hostile.pools.keys().copied().collect();
        for id in pools {
            let Some(truth) = self.resources.peek_buffer(id).map(crate::gpu::Buffer::bytes) else { continue };
            let (chunk, place) = self.frames[self.slot].readback.take(&mut self.gpu, truth.length, 16)?;
            self.gpu.barrier(Some(FULL), &[], false);
            self.gpu.copy_buffer(truth, place);
            self.gpu.barrier(Some(crate::gpu::TO_HOST), &[], false);
            self.pools_out.push((self.slot, chunk, place, id, part.serial));
        }
        Ok(())
    }

    fn copy_pools_out(&mut self) {
        for (slot, chunk, place, id, serial) in std::mem::take(&mut self.pools_out) {
            if serial > self.completed {
                self.pools_out.push((slot, chunk, place, id, serial));
                continue;
            }
            let mut bytes = Vec::new();
            let buffer = self.frames[slot].readback.chunk_mut(chunk);
            self.gpu.read(buffer, place.offset, place.length, &mut bytes);
            let Some((pointer, seen)) = self.hostile.as_mut().and_then(|h| h.pools.get_mut(&id)) else { continue };
            // Only what the GPU changed: the host may have written elsewhere meanwhile.
            for n in 0..seen.len().min(bytes.len()) {
                if seen[n] != bytes[n] {
                    // SAFETY: as in `copy_pools_in`.
                    unsafe { (*pointer as *mut u8).add(n).write_volatile(bytes[n]) };
                    seen[n] = bytes[n];
                }
            }
        }
    }
}
