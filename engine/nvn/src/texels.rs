//! Texels of a region by the CPU: linear rows of the guest's to and from a texture's own layout.

use crate::call::CallError;
use nvn_decode::formats;
use nvn_decode::layout::{self, LayoutDesc};
use nvn_decode::memory::{GuestRead, GuestWrite};
use nvn_decode::record::{Region, TextureRef};

/// The target number of a 3D texture.
const TARGET_3D: u8 = 2;

/// A region of one level of a texture, and how its linear form is pitched. Units are blocks of the format.
#[derive(Debug, Clone, Copy)]
pub struct Texels {
    desc: LayoutDesc,
    storage: u64,
    level: u8,
    /// First layer; slices of a 3D level are counted in `offset[2]`.
    layer: u32,
    is_3d: bool,
    bytes_per_block: usize,
    level_blocks: [usize; 3],
    offset: [usize; 3],
    extent: [usize; 3],
    row_stride: usize,
    image_stride: usize,
}

impl Texels {
    /// The region of the view's first level, or `None` when it leaves the level or cuts a block.
    #[must_use]
    pub fn new(texture: &TextureRef, storage: u64, region: Region) -> Option<Self> {
        let desc = LayoutDesc::from(texture);
        let info = formats::info(texture.format)?;
        let level = texture.view_level;
        let texels = layout::level_extent(&desc, level);
        let is_3d = layout::layers(&desc) == 1 && texels[2] > 1 || texture.target == TARGET_3D;
        let layers = if is_3d { texels[2] } else { layout::layers(&desc) };
        let limit = [texels[0], texels[1], layers];
        let mut offset = [0usize; 3];
        let mut extent = [0usize; 3];
        for n in 0..3 {
            let first = u32::try_from(region.offset[n]).ok()?;
            let size = u32::try_from(region.extent[n]).ok()?;
            let end = first.checked_add(size)?;
            let block = if n < 2 { info.block[n] } else { 1 };
            // A level may end inside a block; its last block is then taken whole.
            if end > limit[n].next_multiple_of(block) || first % block != 0 {
                return None;
            }
            offset[n] = (first / block) as usize;
            extent[n] = size.div_ceil(block) as usize;
        }
        let level_blocks = [
            texels[0].div_ceil(info.block[0]) as usize,
            texels[1].div_ceil(info.block[1]) as usize,
            if is_3d { texels[2] as usize } else { 1 },
        ];
        let bytes_per_block = info.bytes as usize;
        let row_stride = extent[0] * bytes_per_block;
        let layer = if is_3d { 0 } else { u32::from(texture.view_layer) };
        Some(Self {
            desc,
            storage,
            level,
            layer,
            is_3d,
            bytes_per_block,
            level_blocks,
            offset,
            extent,
            row_stride,
            image_stride: row_stride * extent[1],
        })
    }

    /// With the guest's pitches in bytes; 0 = tight.
    #[must_use]
    pub fn with_strides(mut self, row: u64, image: u64) -> Self {
        if row != 0 {
            self.row_stride = usize::try_from(row).unwrap_or(usize::MAX / 2);
            self.image_stride = self.row_stride.saturating_mul(self.extent[1]);
        }
        if image != 0 {
            self.image_stride = usize::try_from(image).unwrap_or(usize::MAX / 2);
        }
        self
    }

    /// Bytes of the linear form, first to last texel.
    #[must_use]
    pub fn linear_bytes(&self) -> usize {
        if self.extent.contains(&0) {
            return 0;
        }
        let rows = self.row_stride.saturating_mul(self.extent[1] - 1);
        let images = self.image_stride.saturating_mul(self.extent[2] - 1);
        images.saturating_add(rows).saturating_add(self.extent[0] * self.bytes_per_block)
    }

    /// Calls `run(level as tight rows, place in it, place in the linear form, bytes)` for each row of the region, per layer (or once for a 3D level).
    fn each_row(&self, slices: std::ops::Range<usize>, mut run: impl FnMut(usize, usize, usize)) {
        let bytes = self.extent[0] * self.bytes_per_block;
        for z in slices {
            for y in 0..self.extent[1] {
                let slice = if self.is_3d { self.offset[2] + z } else { 0 };
                let row = slice * self.level_blocks[1] + self.offset[1] + y;
                let tight = (row * self.level_blocks[0] + self.offset[0]) * self.bytes_per_block;
                run(tight, z * self.image_stride + y * self.row_stride, bytes);
            }
        }
    }

    /// The subresources of the region: (layer, slices of the linear form that lie in it).
    fn parts(&self) -> impl Iterator<Item = (u32, std::ops::Range<usize>)> + use<> {
        let (first, depth, is_3d) =
            (self.layer + if self.is_3d { 0 } else { self.offset[2] as u32 }, self.extent[2], self.is_3d);
        let count = if is_3d { 1 } else { depth };
        (0..count).map(move |n| if is_3d { (0, 0..depth) } else { (first + n as u32, n..n + 1) })
    }

    /// Reads each subresource of the region: calls `with(its place and size in guest memory, bytes as stored, bytes as tight rows, slices)`.
    fn each_part(
        &self,
        memory: &dyn GuestRead,
        mut with: impl FnMut(u64, &mut [u8], &mut [u8], std::ops::Range<usize>) -> Result<(), CallError>,
    ) -> Result<(), CallError> {
        for (layer, slices) in self.parts() {
            let range = layout::subresource_range(&self.desc, self.level, layer);
            let mut stored = vec![0; range.size as usize];
            let mut tight = Vec::new();
            memory.read(self.storage + range.offset, &mut stored)?;
            if layout::deswizzle(&self.desc, self.level, &stored, &mut tight).is_ok() {
                with(self.storage + range.offset, &mut stored, &mut tight, slices)?;
            }
        }
        Ok(())
    }

    /// Writes linear texels into the texture's storage.
    ///
    /// # Errors
    /// When the storage is not mapped.
    pub fn write(&self, memory: &dyn GuestWrite, source: &[u8]) -> Result<(), CallError> {
        self.each_part(memory, |address, stored, tight, slices| {
            self.each_row(slices, |to, from, bytes| {
                if let (Some(to), Some(from)) = (tight.get_mut(to..to + bytes), source.get(from..from + bytes)) {
                    to.copy_from_slice(from);
                }
            });
            if layout::swizzle(&self.desc, self.level, tight, stored).is_ok() {
                memory.write(address, stored)?;
            }
            Ok(())
        })
    }

    /// Reads texels from the texture's storage into linear rows.
    ///
    /// # Errors
    /// When the storage is not mapped.
    pub fn read(&self, memory: &dyn GuestRead, target: &mut [u8]) -> Result<(), CallError> {
        self.each_part(memory, |_, _, tight, slices| {
            self.each_row(slices, |from, to, bytes| {
                if let (Some(from), Some(to)) = (tight.get(from..from + bytes), target.get_mut(to..to + bytes)) {
                    to.copy_from_slice(from);
                }
            });
            Ok(())
        })
    }
}
