//! Copies, blits, resolves, fills, uploads, downloads.

use super::{Executor, Part};
use crate::convert;
use crate::error::ExecuteError;
use crate::formats;
use crate::frames::{Interleave, Pending};
use crate::gpu::{BufferImageCopy, Image, ImageRegion};
use crate::hostile::shadows::Hostile;
use crate::resources::HeldImage;
use crate::resources::ViewUse;
use crate::stream::{Bytes, Dependency, ImageDependency};
use ash::vk;
use framegraph::ids::{NodeId, ResourceId};
use framegraph::resource::Layout;
use framegraph::state::{Aspects, Dim, Filter, Format, NumericClass, Subresources, ViewKey};
use framegraph::tables::uses;
use framegraph::tables::{BufferSlice, Copy, Download, TexelBox, Upload};
use smallvec::SmallVec;

const SOURCE: [Layout; 3] = [Layout::CopySource, Layout::General, Layout::Present];
const TARGET: [Layout; 2] = [Layout::CopyTarget, Layout::General];

/// Between two transfers of one node.
pub(crate) const TRANSFER_TO_TRANSFER: Dependency = Dependency {
    src_stage: vk::PipelineStageFlags2::ALL_TRANSFER,
    src_access: vk::AccessFlags2::TRANSFER_WRITE,
    dst_stage: vk::PipelineStageFlags2::ALL_TRANSFER,
    dst_access: vk::AccessFlags2::from_raw(
        vk::AccessFlags2::TRANSFER_READ.as_raw() | vk::AccessFlags2::TRANSFER_WRITE.as_raw(),
    ),
};

/// Between transfers and the executor's own depth resolves, both ways.
const TRANSFER_AND_DEPTH: Dependency = {
    const STAGES: vk::PipelineStageFlags2 = vk::PipelineStageFlags2::from_raw(
        vk::PipelineStageFlags2::ALL_TRANSFER.as_raw()
            | vk::PipelineStageFlags2::EARLY_FRAGMENT_TESTS.as_raw()
            | vk::PipelineStageFlags2::LATE_FRAGMENT_TESTS.as_raw()
            | vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT.as_raw(),
    );
    const WRITES: u64 = vk::AccessFlags2::TRANSFER_WRITE.as_raw()
        | vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_WRITE.as_raw()
        | vk::AccessFlags2::COLOR_ATTACHMENT_WRITE.as_raw();
    const READS: u64 = vk::AccessFlags2::TRANSFER_READ.as_raw()
        | vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_READ.as_raw()
        | vk::AccessFlags2::COLOR_ATTACHMENT_READ.as_raw();
    Dependency {
        src_stage: STAGES,
        src_access: vk::AccessFlags2::from_raw(WRITES),
        dst_stage: STAGES,
        dst_access: vk::AccessFlags2::from_raw(WRITES | READS),
    }
};

/// How texels lie in memory.
#[derive(Debug, Clone, Copy)]
struct Pitch {
    row_bytes: u64,
    image_bytes: u64,
    block: (u32, u32, u32),
}

impl Pitch {
    fn new(format: Format, aspect: vk::ImageAspectFlags, extent: [u32; 2], row_bytes: u32, image_bytes: u32) -> Self {
        let block = formats::copy_block(format, aspect);
        let tight = u64::from(extent[0].div_ceil(block.1)) * u64::from(block.0);
        let row_bytes = if row_bytes == 0 { tight } else { u64::from(row_bytes) };
        let rows = u64::from(extent[1].div_ceil(block.2));
        let image_bytes = if image_bytes == 0 { row_bytes * rows } else { u64::from(image_bytes) };
        Self { row_bytes, image_bytes, block }
    }

    fn rows(&self, height: u32) -> u64 {
        u64::from(height.div_ceil(self.block.2))
    }

    /// Bytes from the first texel to behind the last.
    fn span(&self, extent: [u32; 2], layers: u32) -> u64 {
        let rows = self.rows(extent[1]);
        let last_row = u64::from(extent[0].div_ceil(self.block.1)) * u64::from(self.block.0);
        if rows == 0 || layers == 0 {
            return 0;
        }
        u64::from(layers - 1) * self.image_bytes + (rows - 1) * self.row_bytes + last_row
    }

    /// The copies that move a region: one where rows and images are whole numbers of blocks, else one per layer, else one per row.
    fn copies(&self, offset: u64, region: ImageRegion) -> SmallVec<[BufferImageCopy; 4]> {
        let block = u64::from(self.block.0);
        let mut out = SmallVec::new();
        if !self.row_bytes.is_multiple_of(block) {
            for layer in 0..region.layers {
                for row in 0..self.rows(region.extent[1]) {
                    let y = row as u32 * self.block.2;
                    let height = self.block.2.min(region.extent[1] - y);
                    let piece = ImageRegion {
                        layer: region.layer + layer,
                        layers: 1,
                        offset: [region.offset[0], region.offset[1] + y as i32],
                        extent: [region.extent[0], height],
                        ..region
                    };
                    let at = offset + u64::from(layer) * self.image_bytes + row * self.row_bytes;
                    out.push(BufferImageCopy {
                        offset: at,
                        row_texels: 0,
                        image_rows: 0,
                        bytes: self.span(piece.extent, 1),
                        region: piece,
                    });
                }
            }
            return out;
        }
        let row_texels = (self.row_bytes / block) as u32 * self.block.1;
        let whole_images = self.image_bytes.is_multiple_of(self.row_bytes.max(1))
            && self.image_bytes / self.row_bytes.max(1) >= self.rows(region.extent[1]);
        if whole_images || region.layers == 1 {
            let image_rows =
                if region.layers == 1 { 0 } else { (self.image_bytes / self.row_bytes.max(1)) as u32 * self.block.2 };
            out.push(BufferImageCopy {
                offset,
                row_texels: row_texels.max(region.extent[0]),
                image_rows,
                bytes: self.span(region.extent, region.layers),
                region,
            });
            return out;
        }
        for layer in 0..region.layers {
            out.push(BufferImageCopy {
                offset: offset + u64::from(layer) * self.image_bytes,
                row_texels: row_texels.max(region.extent[0]),
                image_rows: 0,
                bytes: self.span(region.extent, 1),
                region: ImageRegion { layer: region.layer + layer, layers: 1, ..region },
            });
        }
        out
    }

    /// Copies need offsets at multiples of a block, and of 4 for depth and stencil.
    fn alignment(&self, aspect: vk::ImageAspectFlags) -> u64 {
        let block = u64::from(self.block.0.max(1));
        if aspect == vk::ImageAspectFlags::COLOR { block } else { block.max(4) }
    }
}

/// Texels of a part: slices of a 3D image come from the box's z, or from the part's layers.
fn region(held: &HeldImage, part: &Subresources, texels: &TexelBox) -> ImageRegion {
    let cut = held.cut(part);
    let d3 = held.image.info.kind == vk::ImageType::TYPE_3D;
    let (layer, layers) = if d3 {
        let z = texels.offset[2].max(0) as u32 + u32::from(part.base_layer);
        let depth = held.image.info.level(u32::from(cut.base_level))[2];
        let wanted = if texels.extent[2].unsigned_abs() > 1 {
            texels.extent[2].unsigned_abs()
        } else {
            u32::from(part.layers.max(1))
        };
        (z.min(depth - 1), wanted.clamp(1, depth - z.min(depth - 1)))
    } else {
        (u32::from(cut.base_layer), u32::from(cut.layers))
    };
    ImageRegion {
        aspect: formats::aspects(cut.aspects),
        level: u32::from(cut.base_level),
        layer,
        layers,
        offset: [texels.offset[0], texels.offset[1]],
        extent: [texels.extent[0].unsigned_abs(), texels.extent[1].unsigned_abs()],
    }
}

/// A region must lie in its level: what the driver does otherwise is undefined.
fn inside(image: &Image, r: &ImageRegion) -> bool {
    let [w, h, _] = image.info.level(r.level);
    r.offset.iter().all(|&o| o >= 0)
        && u64::from(r.offset[0] as u32) + u64::from(r.extent[0]) <= u64::from(w)
        && u64::from(r.offset[1] as u32) + u64::from(r.extent[1]) <= u64::from(h)
        && r.extent[0] > 0
        && r.extent[1] > 0
}

/// The image as a class of readers sees it: itself, or the copy of the hostile mode.
pub(crate) fn reader<'a>(
    truth: &'a HeldImage,
    hostile: &'a Option<Box<Hostile>>,
    id: ResourceId,
    class: u32,
) -> &'a HeldImage {
    hostile.as_ref().and_then(|h| h.images.get(&(id, class))).map_or(truth, |(_, copy)| copy)
}

impl Executor {
    pub(crate) fn copy(&mut self, part: &Part<'_>, node: NodeId, copy: &Copy) -> Result<(), ExecuteError> {
        match *copy {
            Copy::Buffer { source, target } => self.copy_bytes(part, node, source, target),
            Copy::BufferToImage { source, target, part: sub, region: texels, row_bytes, image_bytes } => {
                self.bytes_to_texels(part, node, source, target, &sub, &texels, row_bytes, image_bytes)
            }
            Copy::ImageToBuffer { source, part: sub, region: texels, target, row_bytes, image_bytes } => {
                self.texels_to_bytes(part, node, source, &sub, &texels, target, row_bytes, image_bytes)
            }
            Copy::Image { source, source_part, source_offset, target, target_part, target_offset, extent } => {
                let extent = extent.map(|n| n as i32);
                self.texels_to_texels(
                    part,
                    node,
                    (source, &source_part, TexelBox { offset: source_offset, extent }),
                    (target, &target_part, TexelBox { offset: target_offset, extent }),
                )
            }
            Copy::Blit { source, source_part, source_box, target, target_part, target_box, filter, every } => {
                let (from, to) = ((source, &source_part, source_box), (target, &target_part, target_box));
                match every {
                    Some(every) => self.pick_texels(part, node, from, to, every),
                    None => self.blit(part, node, from, to, filter),
                }
            }
            Copy::Resolve { source, target, part: sub, extent } => {
                self.resolve_samples(part, node, source, target, &sub, extent)
            }
            Copy::Fill { target, word } => {
                let at = self.slice(part, &target)?;
                if at.offset % 4 != 0 || at.length % 4 != 0 {
                    let what =
                        format!("a fill of {} bytes at {}: both must be multiples of 4", { at.length }, { at.offset });
                    return Err(ExecuteError::Unsupported { node, what });
                }
                if at.length > 0 {
                    self.gpu.fill(at, word);
                }
                Ok(())
            }
        }
    }

    fn copy_bytes(
        &mut self,
        part: &Part<'_>,
        node: NodeId,
        source: BufferSlice,
        target: BufferSlice,
    ) -> Result<(), ExecuteError> {
        let from = self.read_slice(part, node, &source, uses::COPY_READ)?;
        let to = self.slice(part, &target)?;
        let length = from.length.min(to.length);
        if length == 0 {
            return Ok(());
        }
        let (from, to) = (Bytes { length, ..from }, Bytes { length, ..to });
        let overlap = from.buffer == to.buffer && from.offset < to.offset + length && to.offset < from.offset + length;
        if overlap {
            if from.offset == to.offset {
                return Ok(());
            }
            // Copies that overlap themselves are undefined: through scratch memory they are not.
            let (_, scratch) = self.frames[self.slot].scratch.take(&mut self.gpu, length, 16)?;
            self.gpu.barrier(Some(TRANSFER_TO_TRANSFER), &[], false);
            self.gpu.copy_buffer(from, scratch);
            self.gpu.barrier(Some(TRANSFER_TO_TRANSFER), &[], false);
            self.gpu.copy_buffer(scratch, to);
        } else {
            self.gpu.copy_buffer(from, to);
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments)] // The fields of the copy.
    fn bytes_to_texels(
        &mut self,
        part: &Part<'_>,
        node: NodeId,
        source: BufferSlice,
        target: ResourceId,
        sub: &Subresources,
        texels: &TexelBox,
        row_bytes: u32,
        image_bytes: u32,
    ) -> Result<(), ExecuteError> {
        let from = self.read_slice(part, node, &source, uses::COPY_READ)?;
        let held = self.resources.image(&mut self.gpu, part.world, target, part.serial)?;
        let r = region(held, sub, texels);
        let format = held.desc.host_format;
        if !inside(&held.image, &r) {
            return Err(outside(node, &held.image, &r));
        }
        one_aspect(node, &r)?;
        let pitch = Pitch::new(format, r.aspect, r.extent, row_bytes, image_bytes);
        let span = pitch.span(r.extent, r.layers);
        if span > from.length {
            return Err(short(node, span, from.length));
        }
        let from = Bytes { length: span, ..from };
        let from = if from.offset.is_multiple_of(pitch.alignment(r.aspect)) {
            from
        } else {
            let align = pitch.alignment(r.aspect).next_multiple_of(4) * 4;
            let (_, scratch) = self.frames[self.slot].scratch.take(&mut self.gpu, span, align)?;
            self.gpu.barrier(Some(TRANSFER_TO_TRANSFER), &[], false);
            self.gpu.copy_buffer(from, scratch);
            self.gpu.barrier(Some(TRANSFER_TO_TRANSFER), &[], false);
            scratch
        };
        self.put_texels(part, target, sub, from, &pitch, r)
    }

    fn put_texels(
        &mut self,
        part: &Part<'_>,
        target: ResourceId,
        sub: &Subresources,
        from: Bytes,
        pitch: &Pitch,
        r: ImageRegion,
    ) -> Result<(), ExecuteError> {
        let held = self.resources.image(&mut self.gpu, part.world, target, part.serial)?;
        let layout = convert::layout(held.layout_for(sub, &TARGET));
        let copies = pitch.copies(from.offset, r);
        self.gpu.copy_to_image(from.buffer, &held.image, layout, &copies);
        Ok(())
    }

    #[allow(clippy::too_many_arguments)] // The fields of the copy.
    fn texels_to_bytes(
        &mut self,
        part: &Part<'_>,
        node: NodeId,
        source: ResourceId,
        sub: &Subresources,
        texels: &TexelBox,
        target: BufferSlice,
        row_bytes: u32,
        image_bytes: u32,
    ) -> Result<(), ExecuteError> {
        let to = self.slice(part, &target)?;
        self.note_image_read(node, source, sub, uses::COPY_READ);
        let held = self.resources.image(&mut self.gpu, part.world, source, part.serial)?;
        let held = reader(held, &self.hostile, source, uses::COPY_READ);
        let r = region(held, sub, texels);
        if !inside(&held.image, &r) {
            return Err(outside(node, &held.image, &r));
        }
        one_aspect(node, &r)?;
        let pitch = Pitch::new(held.desc.host_format, r.aspect, r.extent, row_bytes, image_bytes);
        let span = pitch.span(r.extent, r.layers);
        if span > to.length {
            return Err(short(node, span, to.length));
        }
        let layout = convert::layout(held.layout_for(sub, &SOURCE));
        if to.offset.is_multiple_of(pitch.alignment(r.aspect)) {
            let copies = pitch.copies(to.offset, r);
            self.gpu.copy_to_buffer(&held.image, layout, to.buffer, &copies);
            return Ok(());
        }
        // A misaligned target is written from scratch memory, row by row, so that the bytes between rows stay.
        let align = pitch.alignment(r.aspect).next_multiple_of(4) * 4;
        let (_, scratch) = self.frames[self.slot].scratch.take(&mut self.gpu, span, align)?;
        let copies = pitch.copies(scratch.offset, r);
        self.gpu.barrier(Some(TRANSFER_TO_TRANSFER), &[], false);
        self.gpu.copy_to_buffer(&held.image, layout, scratch.buffer, &copies);
        self.gpu.barrier(Some(TRANSFER_TO_TRANSFER), &[], false);
        let row = u64::from(r.extent[0].div_ceil(pitch.block.1)) * u64::from(pitch.block.0);
        for layer in 0..u64::from(r.layers) {
            for y in 0..pitch.rows(r.extent[1]) {
                let at = layer * pitch.image_bytes + y * pitch.row_bytes;
                let piece = |b: Bytes| Bytes { offset: b.offset + at, length: row, ..b };
                self.gpu.copy_buffer(piece(scratch), piece(to));
            }
        }
        Ok(())
    }

    fn texels_to_texels(
        &mut self,
        part: &Part<'_>,
        node: NodeId,
        (source, source_part, source_box): (ResourceId, &Subresources, TexelBox),
        (target, target_part, target_box): (ResourceId, &Subresources, TexelBox),
    ) -> Result<(), ExecuteError> {
        self.note_image_read(node, source, source_part, uses::COPY_READ);
        let (from, to) = self.resources.two_images(&mut self.gpu, part.world, source, target, part.serial)?;
        let from = reader(from, &self.hostile, source, uses::COPY_READ);
        let s = region(from, source_part, &source_box);
        let mut t = region(to, target_part, &target_box);
        // The extent counts texels of the source; in blocks it is the same on both sides.
        let (sb, tb) = (from.desc.host_format.block(), to.desc.host_format.block());
        for n in 0..2 {
            let (a, b) = if n == 0 { (sb.1, tb.1) } else { (sb.2, tb.2) };
            let level = to.image.info.level(t.level)[n];
            t.extent[n] = (s.extent[n].div_ceil(a) * b).min(level.saturating_sub(t.offset[n].max(0) as u32));
        }
        if !inside(&from.image, &s) {
            return Err(outside(node, &from.image, &s));
        }
        if !inside(&to.image, &t) {
            return Err(outside(node, &to.image, &t));
        }
        let from_layout = convert::layout(from.layout_for(source_part, &SOURCE));
        let to_layout = convert::layout(to.layout_for(target_part, &TARGET));
        let one_size = sb.0 == tb.0 && from.image.info.samples == to.image.info.samples;
        let color = vk::ImageAspectFlags::COLOR;
        let same_kind = s.aspect == t.aspect && (s.aspect == color || from.image.info.format == to.image.info.format);
        if one_size && same_kind {
            self.gpu.copy_image(&from.image, from_layout, s, &to.image, to_layout, t);
            return Ok(());
        }
        // Colour and depth do not copy into each other directly; their bytes do.
        one_aspect(node, &s)?;
        one_aspect(node, &t)?;
        let pitch = Pitch::new(from.desc.host_format, s.aspect, s.extent, 0, 0);
        let back = Pitch::new(to.desc.host_format, t.aspect, t.extent, 0, 0);
        let span = pitch.span(s.extent, s.layers);
        if span != back.span(t.extent, t.layers) {
            let what = format!(
                "a copy between {} and {}, whose texels differ in size",
                from.desc.host_format.name(),
                to.desc.host_format.name()
            );
            return Err(ExecuteError::Unsupported { node, what });
        }
        let (_, scratch) = self.frames[self.slot].scratch.take(&mut self.gpu, span, 64)?;
        let out = pitch.copies(scratch.offset, s);
        let back = back.copies(scratch.offset, t);
        self.gpu.barrier(Some(TRANSFER_TO_TRANSFER), &[], false);
        self.gpu.copy_to_buffer(&from.image, from_layout, scratch.buffer, &out);
        self.gpu.barrier(Some(TRANSFER_TO_TRANSFER), &[], false);
        self.gpu.copy_to_image(scratch.buffer, &to.image, to_layout, &back);
        Ok(())
    }

    fn blit(
        &mut self,
        part: &Part<'_>,
        node: NodeId,
        (source, source_part, source_box): (ResourceId, &Subresources, TexelBox),
        (target, target_part, target_box): (ResourceId, &Subresources, TexelBox),
        filter: Filter,
    ) -> Result<(), ExecuteError> {
        self.note_image_read(node, source, source_part, uses::COPY_READ);
        let (from, to) = self.resources.two_images(&mut self.gpu, part.world, source, target, part.serial)?;
        let from = reader(from, &self.hostile, source, uses::COPY_READ);
        let s = region(from, source_part, &source_box);
        let t = region(to, target_part, &target_box);
        let depth = from.desc_aspects() != Aspects::COLOR || to.desc_aspects() != Aspects::COLOR;
        if depth && from.image.info.format != to.image.info.format {
            let what = format!(
                "a blit from {} to {}: depth and stencil blit between equal formats only",
                from.desc.host_format.name(),
                to.desc.host_format.name()
            );
            return Err(ExecuteError::Unsupported { node, what });
        }
        for (held, r, b) in [(from, &s, &source_box), (to, &t, &target_box)] {
            let [w, h, _] = held.image.info.level(r.level);
            let within = |o: i32, e: i32, most: u32| o.min(o + e) >= 0 && o.max(o + e) <= most as i32;
            if !within(b.offset[0], b.extent[0], w) || !within(b.offset[1], b.extent[1], h) {
                return Err(outside(node, &held.image, r));
            }
        }
        let integer = from.desc.host_format.class() != NumericClass::Float;
        let filter = if depth || integer { vk::Filter::NEAREST } else { convert::filter(filter) };
        let from_layout = convert::layout(from.layout_for(source_part, &SOURCE));
        let to_layout = convert::layout(to.layout_for(target_part, &TARGET));
        let sc = corners(&from.image, &s, &source_box);
        let tc = corners(&to.image, &t, &target_box);
        self.gpu.blit(&from.image, from_layout, s, sc, &to.image, to_layout, t, tc, filter);
        Ok(())
    }

    /// A blit that names the texels that it takes.
    fn pick_texels(
        &mut self,
        part: &Part<'_>,
        node: NodeId,
        (source, source_part, source_box): (ResourceId, &Subresources, TexelBox),
        (target, target_part, target_box): (ResourceId, &Subresources, TexelBox),
        every: [u32; 2],
    ) -> Result<(), ExecuteError> {
        self.note_image_read(node, source, source_part, uses::COPY_READ);
        let (from, to) = self.resources.two_images(&mut self.gpu, part.world, source, target, part.serial)?;
        let from = reader(from, &self.hostile, source, uses::COPY_READ);
        let s = region(from, source_part, &source_box);
        let t = region(to, target_part, &target_box);
        for (held, r) in [(from, &s), (to, &t)] {
            if !inside(&held.image, r) {
                return Err(outside(node, &held.image, r));
            }
        }
        let whole = (0..2).all(|axis| every[axis] > 0 && s.extent[axis] == t.extent[axis].saturating_mul(every[axis]));
        if !whole || s.layers != t.layers || s.aspect != t.aspect || from.image.info.format != to.image.info.format {
            let what =
                format!("a blit of every {}th column and {}th row between regions that do not fit", every[0], every[1]);
            return Err(ExecuteError::Unsupported { node, what });
        }
        let format = from.desc.host_format;
        let from_layout = convert::layout(from.layout_for(source_part, &SOURCE));
        let to_layout = convert::layout(to.layout_for(target_part, &TARGET));
        for aspect in planes(s.aspect) {
            let (bytes, align) = self.columns.set(format, aspect, s, t, every);
            let (_, scratch) = self.frames[self.slot].scratch.take(&mut self.gpu, bytes, align * 16)?;
            self.columns.place(scratch.offset);
            let (from, to) = self.resources.two_images(&mut self.gpu, part.world, source, target, part.serial)?;
            let from = reader(from, &self.hostile, source, uses::COPY_READ);
            self.gpu.barrier(Some(TRANSFER_TO_TRANSFER), &[], false);
            self.gpu.copy_to_buffer(&from.image, from_layout, scratch.buffer, &self.columns.out);
            self.gpu.barrier(Some(TRANSFER_TO_TRANSFER), &[], false);
            self.gpu.copy_to_image(scratch.buffer, &to.image, to_layout, &self.columns.back);
        }
        Ok(())
    }

    fn resolve_samples(
        &mut self,
        part: &Part<'_>,
        node: NodeId,
        source: ResourceId,
        target: ResourceId,
        sub: &Subresources,
        extent: [u32; 2],
    ) -> Result<(), ExecuteError> {
        self.note_image_read(node, source, sub, uses::COPY_READ);
        let (from, to) = self.resources.two_images(&mut self.gpu, part.world, source, target, part.serial)?;
        let from = reader(from, &self.hostile, source, uses::COPY_READ);
        let texels = TexelBox { offset: [0; 3], extent: [extent[0] as i32, extent[1] as i32, 1] };
        let r = region(from, sub, &texels);
        if !inside(&from.image, &r) || !inside(&to.image, &r) {
            return Err(outside(node, &to.image, &r));
        }
        if r.aspect != vk::ImageAspectFlags::COLOR {
            if from.image.info.format != to.image.info.format {
                let what = "a resolve of depth or stencil into another format".to_owned();
                return Err(ExecuteError::Unsupported { node, what });
            }
            return self.resolve_depth(source, target, sub, extent);
        }
        let from_layout = convert::layout(from.layout_for(sub, &SOURCE));
        let to_layout = convert::layout(to.layout_for(sub, &TARGET));
        self.gpu.resolve(&from.image, from_layout, &to.image, to_layout, r);
        Ok(())
    }

    fn resolve_depth(
        &mut self,
        source: ResourceId,
        target: ResourceId,
        sub: &Subresources,
        area: [u32; 2],
    ) -> Result<(), ExecuteError> {
        const ATTACHED: vk::ImageLayout = vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
        for layer in sub.base_layer..sub.base_layer + sub.layers.max(1) {
            let mut views = [vk::ImageView::null(); 2];
            let mut there: SmallVec<[(ImageDependency, bool); 2]> = SmallVec::new();
            let mut back: SmallVec<[(ImageDependency, bool); 2]> = SmallVec::new();
            let mut aspects = Aspects::NONE;
            for (view, (id, allowed)) in views.iter_mut().zip([(source, &SOURCE[..]), (target, &TARGET[..])]) {
                let Some(held) = self.resources.peek_mut(id) else { continue };
                aspects = held.desc_aspects();
                let part = Subresources { aspects, base_layer: layer, layers: 1, levels: 1, ..*sub };
                let key = ViewKey { resource: id, format: held.desc.format, dim: Dim::D2, part, ..ViewKey::default() };
                *view = held.view(&mut self.gpu, ViewUse::Attachment, &key)?;
                let own = convert::layout(held.layout_for(&part, allowed));
                let range = held.range(&part, true);
                let one = |old, new| {
                    (ImageDependency { scope: TRANSFER_AND_DEPTH, image: held.image.raw, range, old, new }, false)
                };
                there.push(one(own, ATTACHED));
                back.push(one(ATTACHED, own));
            }
            self.gpu.barrier(Some(TRANSFER_AND_DEPTH), &there, false);
            let (depth, stencil) = (aspects.intersects(Aspects::DEPTH), aspects.intersects(Aspects::STENCIL));
            self.gpu.resolve_depth(views[0], views[1], area, depth, stencil);
            self.gpu.barrier(Some(TRANSFER_AND_DEPTH), &back, false);
        }
        Ok(())
    }

    /// Snapshot bytes to a resource.
    pub(crate) fn upload(&mut self, part: &Part<'_>, node: NodeId, upload: &Upload) -> Result<(), ExecuteError> {
        let have = part.snapshots.bytes.len() as u64;
        match *upload {
            Upload::Buffer { bytes, target } => {
                let to = self.slice(part, &target)?;
                if u64::from(bytes) + to.length > have {
                    return Err(short(node, u64::from(bytes) + to.length, have));
                }
                if to.length > 0 {
                    let offset = self.snapshot.offset + u64::from(bytes);
                    let from = Bytes { buffer: self.snapshot.buffer, offset, length: to.length };
                    self.gpu.copy_buffer(from, to);
                }
                Ok(())
            }
            Upload::Image { bytes, target, part: sub, region: texels } => {
                let held = self.resources.image(&mut self.gpu, part.world, target, part.serial)?;
                let r = region(held, &sub, &texels);
                if !inside(&held.image, &r) {
                    return Err(outside(node, &held.image, &r));
                }
                let format = held.desc.host_format;
                let combined = vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL;
                if r.aspect == combined {
                    return self.upload_combined(part, node, bytes, target, &sub, format, r);
                }
                let pitch = Pitch::new(format, r.aspect, r.extent, 0, 0);
                let span = pitch.span(r.extent, r.layers);
                if u64::from(bytes) + span > have {
                    return Err(short(node, u64::from(bytes) + span, have));
                }
                let align = pitch.alignment(r.aspect);
                let at = self.snapshot.offset + u64::from(bytes);
                let from = if at.is_multiple_of(align) {
                    Bytes { buffer: self.snapshot.buffer, offset: at, length: span }
                } else {
                    let again = &part.snapshots.bytes[bytes as usize..bytes as usize + span as usize];
                    self.frames[self.slot].staging.put(&mut self.gpu, again, align * 4)?
                };
                self.put_texels(part, target, &sub, from, &pitch, r)
            }
        }
    }

    /// Packed depth and stencil come apart into two planes.
    #[allow(clippy::too_many_arguments)] // The fields of the upload.
    fn upload_combined(
        &mut self,
        part: &Part<'_>,
        node: NodeId,
        bytes: u32,
        target: ResourceId,
        sub: &Subresources,
        format: Format,
        r: ImageRegion,
    ) -> Result<(), ExecuteError> {
        let texels = (r.extent[0] * r.extent[1] * r.layers) as usize;
        let size = format.block().0 as usize;
        let source = part.snapshots.bytes.get(bytes as usize..bytes as usize + texels * size);
        let source = source
            .ok_or_else(|| short(node, u64::from(bytes) + (texels * size) as u64, part.snapshots.bytes.len() as u64))?;
        let (mut depth, mut stencil) = (Vec::with_capacity(texels * 4), Vec::with_capacity(texels));
        for texel in source.chunks_exact(size) {
            if format == Format::D24UnormS8Uint {
                depth.extend_from_slice(&[texel[0], texel[1], texel[2], 0]);
                stencil.push(texel[3]);
            } else {
                depth.extend_from_slice(&texel[..4]);
                stencil.push(texel[4]);
            }
        }
        for (plane, aspect) in [(depth, Aspects::DEPTH), (stencil, Aspects::STENCIL)] {
            let place = self.frames[self.slot].staging.put(&mut self.gpu, &plane, 16)?;
            let r = ImageRegion { aspect: formats::aspects(aspect), ..r };
            let pitch = Pitch::new(format, r.aspect, r.extent, 0, 0);
            self.put_texels(part, target, &Subresources { aspects: aspect, ..*sub }, place, &pitch, r)?;
        }
        Ok(())
    }

    /// Copies to memory that the host reads once the part is done.
    pub(crate) fn download(&mut self, part: &Part<'_>, node: NodeId, download: &Download) -> Result<(), ExecuteError> {
        let mut planes = SmallVec::new();
        let mut interleave = None;
        if let Some(slice) = download.buffer {
            let from = self.read_slice(part, node, &slice, uses::COPY_READ)?;
            if from.length > 0 {
                let (chunk, to) = self.frames[self.slot].readback.take(&mut self.gpu, from.length, 16)?;
                self.gpu.copy_buffer(from, to);
                planes.push((chunk, to));
            }
        }
        if let Some((resource, sub)) = download.image {
            let held = self.resources.image(&mut self.gpu, part.world, resource, part.serial)?;
            let cut = held.cut(&sub);
            let format = held.desc.host_format;
            let aspects: &[Aspects] = match cut.aspects {
                Aspects::DEPTH_STENCIL => &[Aspects::DEPTH, Aspects::STENCIL],
                Aspects::DEPTH => &[Aspects::DEPTH],
                Aspects::STENCIL => &[Aspects::STENCIL],
                _ => &[Aspects::COLOR],
            };
            if aspects.len() == 2 {
                interleave = Some(if format == Format::D24UnormS8Uint { Interleave::D24S8 } else { Interleave::D32S8 });
            }
            for &aspect in aspects {
                let place = self.download_plane(part, node, resource, Subresources { aspects: aspect, ..cut })?;
                planes.push(place);
            }
        }
        self.pend(Pending::Download { tag: download.tag, planes, interleave });
        Ok(())
    }

    /// One aspect of an image, levels one after the other.
    fn download_plane(
        &mut self,
        part: &Part<'_>,
        node: NodeId,
        resource: ResourceId,
        sub: Subresources,
    ) -> Result<(usize, Bytes), ExecuteError> {
        self.note_image_read(node, resource, &sub, uses::COPY_READ);
        let held = self.resources.image(&mut self.gpu, part.world, resource, part.serial)?;
        let held = reader(held, &self.hostile, resource, uses::COPY_READ);
        let format = held.desc.host_format;
        let d3 = held.image.info.kind == vk::ImageType::TYPE_3D;
        let mut pieces: SmallVec<[(u64, Pitch, ImageRegion); 8]> = SmallVec::new();
        let mut total = 0u64;
        for level in sub.base_level..sub.base_level + sub.levels {
            let [w, h, depth] = held.image.info.level(u32::from(level));
            let one = Subresources { base_level: level, levels: 1, ..sub };
            let z = if d3 { depth.min(u32::from(sub.layers)) as i32 } else { 1 };
            let r = region(held, &one, &TexelBox { offset: [0; 3], extent: [w as i32, h as i32, z] });
            let pitch = Pitch::new(format, r.aspect, r.extent, 0, 0);
            total = total.next_multiple_of(pitch.alignment(r.aspect));
            pieces.push((total, pitch, r));
            total += pitch.span(r.extent, r.layers);
        }
        if pieces.is_empty() {
            return Err(ExecuteError::Unsupported { node, what: "a download of no level".to_owned() });
        }
        let align = u64::from(format.block().0.max(1)) * 16;
        let (chunk, place) = self.frames[self.slot].readback.take(&mut self.gpu, total, align)?;
        let layout = convert::layout(held.layout_for(&sub, &SOURCE));
        for (offset, pitch, r) in pieces {
            let copies = pitch.copies(place.offset + offset, r);
            self.gpu.copy_to_buffer(&held.image, layout, place.buffer, &copies);
        }
        Ok((chunk, place))
    }
}

/// The aspects of a set, one by one.
fn planes(aspects: vk::ImageAspectFlags) -> impl Iterator<Item = vk::ImageAspectFlags> {
    [vk::ImageAspectFlags::COLOR, vk::ImageAspectFlags::DEPTH, vk::ImageAspectFlags::STENCIL]
        .into_iter()
        .filter(move |aspect| aspects.contains(*aspect))
}

/// The copies that take every n-th column and row of a plane.
///
/// The columns that are wanted go into memory, each by itself, and come back with the rows between left out.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    out: Vec<BufferImageCopy>,
    back: Vec<BufferImageCopy>,
}

impl Columns {
    /// Sets the copies, from the first byte of their memory on. Returns how many bytes they need, and the alignment.
    fn set(
        &mut self,
        format: Format,
        aspect: vk::ImageAspectFlags,
        s: ImageRegion,
        t: ImageRegion,
        every: [u32; 2],
    ) -> (u64, u64) {
        let texel = u64::from(formats::copy_block(format, aspect).0);
        let [fx, fy] = every;
        let rows = s.extent[1] - fy / 2;
        // Offsets are multiples of a texel and of 4.
        let align = if texel.is_multiple_of(4) { texel } else { texel * 4 };
        let stride = (u64::from(rows) * texel).next_multiple_of(align);
        self.out.clear();
        self.back.clear();
        let mut offset = 0;
        for layer in 0..s.layers {
            for x in 0..t.extent[0] {
                let from = ImageRegion {
                    aspect,
                    layer: s.layer + layer,
                    layers: 1,
                    offset: [s.offset[0] + (x * fx + fx / 2) as i32, s.offset[1] + (fy / 2) as i32],
                    extent: [1, rows],
                    ..s
                };
                let to = ImageRegion {
                    aspect,
                    layer: t.layer + layer,
                    layers: 1,
                    offset: [t.offset[0] + x as i32, t.offset[1]],
                    extent: [1, t.extent[1]],
                    ..t
                };
                let bytes = u64::from(rows) * texel;
                self.out.push(BufferImageCopy { offset, row_texels: 1, image_rows: 0, bytes, region: from });
                let bytes = (u64::from(t.extent[1] - 1) * u64::from(fy) + 1) * texel;
                self.back.push(BufferImageCopy { offset, row_texels: fy, image_rows: 0, bytes, region: to });
                offset += stride;
            }
        }
        (offset, align)
    }

    /// Moves all copies to where their memory lies.
    fn place(&mut self, offset: u64) {
        self.out.iter_mut().chain(&mut self.back).for_each(|copy| copy.offset += offset);
    }
}

/// Corners of a blit: a negative extent swaps them.
fn corners(image: &Image, r: &ImageRegion, b: &TexelBox) -> [vk::Offset3D; 2] {
    let (z0, z1) = if image.info.kind == vk::ImageType::TYPE_3D {
        let (a, b2) = (r.layer as i32, (r.layer + r.layers) as i32);
        if b.extent[2] < 0 { (b2, a) } else { (a, b2) }
    } else {
        (0, 1)
    };
    [
        vk::Offset3D { x: b.offset[0], y: b.offset[1], z: z0 },
        vk::Offset3D { x: b.offset[0] + b.extent[0], y: b.offset[1] + b.extent[1], z: z1 },
    ]
}

fn outside(node: NodeId, image: &Image, r: &ImageRegion) -> ExecuteError {
    let [w, h, _] = image.info.level(r.level);
    let what = format!(
        "texels {}x{} at ({}, {}) do not lie in level {} of {w}x{h}",
        r.extent[0], r.extent[1], r.offset[0], r.offset[1], r.level
    );
    ExecuteError::Unsupported { node, what }
}

fn short(node: NodeId, need: u64, have: u64) -> ExecuteError {
    ExecuteError::Unsupported { node, what: format!("it needs {need} bytes of memory that has {have}") }
}

fn one_aspect(node: NodeId, r: &ImageRegion) -> Result<(), ExecuteError> {
    if r.aspect.as_raw().count_ones() == 1 {
        return Ok(());
    }
    let what = "a copy between bytes and both depth and stencil: one node per aspect is needed".to_owned();
    Err(ExecuteError::Unsupported { node, what })
}
