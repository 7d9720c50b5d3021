//! Where a texture's texels lie in its storage: sizes, offsets, and the conversion between block-linear bytes and tight rows.
//!
//! # Facts
//! A GOB is 64 bytes × 8 rows (512 bytes). A block is one GOB wide, `2^h` GOBs tall and `2^d` GOBs deep; blocks follow one another in rows. The block of a
//! level is that of level 0, shrunk while half of it still covers the level (M-2.1c). Without a layout from the game the block height is the largest power
//! of two, at most 16, that is not above `trunc(rows * 1.5 / 8)`, with rows counted in blocks of the format (M-2.1a); a 3D texture has block height 1 and
//! chooses its block depth from `depth * 1.5` (M-2.1b); a video image always has 2. A layer holds its level chain; layers are padded to the block of level 0.
//! Multisampled texels are stored as a grid of samples (2×1, 2×2, 4×2). Linear textures have rows of `stride` bytes and one level.
//!
//! Sizes and offsets are in bytes. Nothing here panics: extents beyond the hardware's are cut to it.

use crate::formats::{self, FormatInfo};
use crate::record::TextureRef;
use framegraph::state::Dim;
use tegra_swizzle::BlockHeight;
use tegra_swizzle::swizzle::{deswizzle_block_linear, swizzle_block_linear};

/// Bytes of a GOB.
const GOB: u64 = 512;
/// Largest extent in texels that is taken at its word.
const MAX_EXTENT: u32 = 1 << 16;

/// Texture targets by the API's numbers.
pub mod target {
    #![allow(missing_docs)] // The names are the API's own.
    pub const D1: u8 = 0;
    pub const D2: u8 = 1;
    pub const D3: u8 = 2;
    pub const D1_ARRAY: u8 = 3;
    pub const D2_ARRAY: u8 = 4;
    pub const D2_MULTISAMPLE: u8 = 5;
    pub const D2_MULTISAMPLE_ARRAY: u8 = 6;
    pub const RECTANGLE: u8 = 7;
    pub const CUBE: u8 = 8;
    pub const CUBE_ARRAY: u8 = 9;
    pub const BUFFER: u8 = 10;
}

/// Texture flags by the API's numbers.
pub mod flags {
    #![allow(missing_docs)] // The names are the API's own.
    pub const DISPLAY: u32 = 1;
    pub const VIDEO_DECODE: u32 = 2;
    pub const IMAGE: u32 = 4;
    pub const COMPRESSIBLE: u32 = 8;
    pub const LINEAR: u32 = 0x10;
    pub const SPARSE: u32 = 0x20;
    pub const LINEAR_RENDER_TARGET: u32 = 0x40;
}

/// What the layout of a texture depends on. Numbers are the API's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct LayoutDesc {
    /// Format number.
    pub format: u32,
    /// Target number.
    pub target: u8,
    /// Width, height, depth (or layers) as given to the builder.
    pub extent: [u32; 3],
    /// Mip levels.
    pub levels: u8,
    /// Samples per texel.
    pub samples: u8,
    /// Flags of the builder.
    pub flags: u32,
    /// Bytes per row of a linear texture; 0 = block-linear (or, with the linear flag, the smallest legal stride).
    pub stride: u32,
    /// log2 of the block height of level 0, where the game fixed it; `None` = chosen automatically.
    pub block_height_log2: Option<u8>,
}

impl From<&TextureRef> for LayoutDesc {
    fn from(texture: &TextureRef) -> Self {
        Self {
            format: texture.format,
            target: texture.target,
            extent: texture.extent,
            levels: texture.levels,
            samples: texture.samples,
            flags: texture.flags,
            stride: texture.stride,
            block_height_log2: Some(texture.block_height_log2),
        }
    }
}

/// A run of bytes within a layer or a storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ByteRange {
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
}

/// Why texels could not be moved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// Fewer bytes than the subresource has.
    #[error("level {level} needs {need} bytes and {have} are there: check the texture's size and offset")]
    Short {
        /// The level.
        level: u8,
        /// Bytes needed.
        need: u64,
        /// Bytes given.
        have: u64,
    },
    /// The format has no row in the table.
    #[error("format {0:#x} is not known")]
    UnknownFormat(u32),
}

/// A level in blocks of its format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LevelBlocks {
    /// Blocks per row, rows, slices.
    blocks: [u32; 3],
    /// Bytes per block.
    bytes: u32,
    /// GOBs per block in y and z.
    height: u32,
    depth: u32,
}

impl LevelBlocks {
    fn row_bytes(&self) -> u64 {
        u64::from(self.blocks[0]) * u64::from(self.bytes)
    }

    /// Bytes in storage, padded to whole blocks.
    fn stored(&self) -> u64 {
        let across = self.row_bytes().div_ceil(64);
        let down = u64::from(self.blocks[1]).div_ceil(8 * u64::from(self.height));
        let deep = u64::from(self.blocks[2]).div_ceil(u64::from(self.depth));
        across * down * deep * GOB * u64::from(self.height) * u64::from(self.depth)
    }

    /// Bytes without padding.
    fn tight(&self) -> u64 {
        self.row_bytes() * u64::from(self.blocks[1]) * u64::from(self.blocks[2])
    }
}

fn clamped(n: u32) -> u32 {
    n.clamp(1, MAX_EXTENT)
}

fn format_of(desc: &LayoutDesc) -> &'static FormatInfo {
    formats::info(desc.format).unwrap_or(&formats::FORMATS[0])
}

/// Samples per texel in x and y of the stored grid.
fn sample_grid(samples: u8) -> [u32; 2] {
    match samples {
        2 => [2, 1],
        4 => [2, 2],
        8 => [4, 2],
        _ => [1, 1],
    }
}

/// Whether rows lie one after another without blocks.
#[must_use]
pub fn is_linear(desc: &LayoutDesc) -> bool {
    desc.stride != 0 || desc.flags & (flags::LINEAR | flags::LINEAR_RENDER_TARGET) != 0 || desc.target == target::BUFFER
}

/// Array layers (6 per cube; 1 for a 3D texture).
#[must_use]
pub fn layers(desc: &LayoutDesc) -> u32 {
    let count = match desc.target {
        target::D1_ARRAY => desc.extent[1],
        target::D2_ARRAY | target::D2_MULTISAMPLE_ARRAY | target::CUBE_ARRAY => desc.extent[2],
        target::CUBE => 6,
        _ => 1,
    };
    count.clamp(1, 2048)
}

/// Width, height and depth in texels of a level.
#[must_use]
pub fn level_extent(desc: &LayoutDesc, level: u8) -> [u32; 3] {
    let shrink = |n: u32| (clamped(n) >> level.min(31)).max(1);
    let height = if matches!(desc.target, target::D1 | target::D1_ARRAY | target::BUFFER) { 1 } else { desc.extent[1] };
    let depth = if desc.target == target::D3 { desc.extent[2] } else { 1 };
    [shrink(desc.extent[0]), shrink(height), shrink(depth)]
}

/// The shape that a target number means.
#[must_use]
pub fn dim(target_number: u8) -> Dim {
    match target_number {
        target::D1 => Dim::D1,
        target::D3 => Dim::D3,
        target::D1_ARRAY => Dim::D1Array,
        target::D2_ARRAY | target::D2_MULTISAMPLE_ARRAY => Dim::D2Array,
        target::CUBE => Dim::Cube,
        target::CUBE_ARRAY => Dim::CubeArray,
        target::BUFFER => Dim::Buffer,
        _ => Dim::D2,
    }
}

fn floor_log2(n: u32) -> u8 {
    (31 - n.max(1).leading_zeros()) as u8
}

/// log2 of the block height in GOBs that a texture gets when the game fixes none (M-2.1a, M-2.1b).
#[must_use]
pub fn auto_block_height_log2(desc: &LayoutDesc) -> u8 {
    if desc.flags & flags::VIDEO_DECODE != 0 {
        return 1;
    }
    if desc.target == target::D3 {
        return 0;
    }
    let rows = u64::from(level_extent(desc, 0)[1]) * u64::from(sample_grid(desc.samples)[1]);
    let rows = rows.div_ceil(u64::from(format_of(desc).block[1]));
    floor_log2((rows * 3 / 16) as u32).min(4)
}

/// log2 of the block depth in GOBs of level 0: above 0 for 3D textures alone.
#[must_use]
pub fn auto_block_depth_log2(desc: &LayoutDesc) -> u8 {
    if desc.target != target::D3 {
        return 0;
    }
    let depth = level_extent(desc, 0)[2];
    floor_log2(depth + depth / 2).min(4)
}

/// Shrinks a block while half of it still covers `units` (rows or slices), `unit` of which make a GOB.
fn shrink_block(mut log2: u8, unit: u32, units: u32) -> u32 {
    while log2 > 0 && u64::from(unit) << (log2 - 1) >= u64::from(units) {
        log2 -= 1;
    }
    1 << log2
}

fn level_blocks(desc: &LayoutDesc, level: u8) -> LevelBlocks {
    let info = format_of(desc);
    let [width, height, depth] = level_extent(desc, level);
    let grid = sample_grid(desc.samples);
    let blocks = [(width * grid[0]).div_ceil(info.block[0]), (height * grid[1]).div_ceil(info.block[1]), depth];
    let fixed = desc.block_height_log2.filter(|_| desc.target != target::D3);
    let height_log2 = fixed.unwrap_or_else(|| auto_block_height_log2(desc)).min(5);
    LevelBlocks {
        blocks,
        bytes: info.bytes,
        height: shrink_block(height_log2, 8, blocks[1]),
        depth: shrink_block(auto_block_depth_log2(desc), 1, blocks[2]),
    }
}

/// Bytes per row of a linear texture.
#[must_use]
pub fn linear_stride(desc: &LayoutDesc) -> u64 {
    if desc.stride != 0 {
        return u64::from(desc.stride);
    }
    let row = level_blocks(desc, 0).row_bytes();
    if desc.target == target::BUFFER {
        return row;
    }
    row.next_multiple_of(if desc.flags & flags::LINEAR_RENDER_TARGET != 0 { 128 } else { 32 })
}

/// Where a level lies within its layer, and how many bytes it has there (padding included).
#[must_use]
pub fn level_range(desc: &LayoutDesc, level: u8) -> ByteRange {
    if is_linear(desc) {
        let blocks = level_blocks(desc, level);
        return ByteRange { offset: 0, size: linear_stride(desc) * u64::from(blocks.blocks[1]) };
    }
    let offset = (0..level).map(|above| level_blocks(desc, above).stored()).sum();
    ByteRange { offset, size: level_blocks(desc, level).stored() }
}

/// Bytes from one layer to the next.
#[must_use]
pub fn layer_stride(desc: &LayoutDesc) -> u64 {
    let last = level_range(desc, desc.levels.clamp(1, 16) - 1);
    let chain = last.offset + last.size;
    if is_linear(desc) || layers(desc) == 1 {
        return chain;
    }
    let first = level_blocks(desc, 0);
    chain.next_multiple_of(GOB * u64::from(first.height) * u64::from(first.depth))
}

/// Bytes of the whole texture: what the API tells the game to set aside.
#[must_use]
pub fn storage_size(desc: &LayoutDesc) -> u64 {
    layer_stride(desc) * u64::from(layers(desc))
}

/// Alignment in bytes of a texture's storage.
#[must_use]
pub fn storage_alignment(desc: &LayoutDesc) -> u64 {
    if desc.target == target::BUFFER {
        return match format_of(desc).bytes {
            12 => 4,
            bytes => u64::from(bytes.max(1)),
        };
    }
    if desc.flags & flags::SPARSE != 0 {
        return 0x1_0000;
    }
    if desc.flags & flags::LINEAR_RENDER_TARGET != 0 {
        return 128;
    }
    if is_linear(desc) { 32 } else { GOB }
}

/// Where one level of one layer lies within the storage.
#[must_use]
pub fn subresource_range(desc: &LayoutDesc, level: u8, layer: u32) -> ByteRange {
    let within = level_range(desc, level);
    ByteRange { offset: layer_stride(desc) * u64::from(layer) + within.offset, size: within.size }
}

/// Bytes of one level of one layer without padding.
#[must_use]
pub fn tight_size(desc: &LayoutDesc, level: u8) -> u64 {
    level_blocks(desc, level).tight()
}

/// A number that two textures share exactly if their bytes lie alike: linear stride, or block height and depth.
#[must_use]
pub fn layout_key(desc: &LayoutDesc) -> u64 {
    if is_linear(desc) {
        return 1 << 63 | linear_stride(desc);
    }
    let fixed = desc.block_height_log2.filter(|_| desc.target != target::D3);
    u64::from(fixed.unwrap_or_else(|| auto_block_height_log2(desc))) | u64::from(auto_block_depth_log2(desc)) << 8
}

/// Appends one level of one layer as tight rows; `source` holds the bytes of its [`subresource_range`].
///
/// # Errors
/// When `source` is too short or the format has no row.
pub fn deswizzle(desc: &LayoutDesc, level: u8, source: &[u8], out: &mut Vec<u8>) -> Result<(), LayoutError> {
    let blocks = check(desc, level, source.len() as u64)?;
    let start = out.len();
    if is_linear(desc) {
        let row = blocks.row_bytes() as usize;
        for from in source.chunks(linear_stride(desc) as usize).take(blocks.blocks[1] as usize) {
            out.extend_from_slice(&from[..row.min(from.len())]);
        }
        out.resize(start + blocks.tight() as usize, 0);
        return Ok(());
    }
    if blocks.depth == 1
        && blocks.blocks[2] == 1
        && let Some(height) = BlockHeight::new(blocks.height)
    {
        let [width, rows, _] = blocks.blocks;
        if let Ok(tight) = deswizzle_block_linear(width, rows, 1, source, height, blocks.bytes) {
            out.extend_from_slice(&tight);
            return Ok(());
        }
    }
    out.resize(start + blocks.tight() as usize, 0);
    let tight = &mut out[start..];
    for_each_run(&blocks, |linear, stored, length| {
        tight[linear..linear + length].copy_from_slice(&source[stored..stored + length]);
    });
    Ok(())
}

/// The inverse of [`deswizzle`]: tight rows into the bytes of a subresource; padding is left alone.
///
/// # Errors
/// When either side is too short or the format has no row.
pub fn swizzle(desc: &LayoutDesc, level: u8, source: &[u8], target: &mut [u8]) -> Result<(), LayoutError> {
    let blocks = check(desc, level, target.len() as u64)?;
    if (source.len() as u64) < blocks.tight() {
        return Err(LayoutError::Short { level, need: blocks.tight(), have: source.len() as u64 });
    }
    if is_linear(desc) {
        let row = blocks.row_bytes() as usize;
        let rows = target.chunks_mut(linear_stride(desc) as usize).zip(source.chunks(row.max(1)));
        for (to, from) in rows.take(blocks.blocks[1] as usize) {
            let length = from.len().min(to.len());
            to[..length].copy_from_slice(&from[..length]);
        }
        return Ok(());
    }
    if blocks.depth == 1
        && blocks.blocks[2] == 1
        && let Some(height) = BlockHeight::new(blocks.height)
    {
        let [width, rows, _] = blocks.blocks;
        if let Ok(stored) = swizzle_block_linear(width, rows, 1, source, height, blocks.bytes) {
            target[..stored.len()].copy_from_slice(&stored);
            return Ok(());
        }
    }
    for_each_run(&blocks, |linear, stored, length| {
        target[stored..stored + length].copy_from_slice(&source[linear..linear + length]);
    });
    Ok(())
}

fn check(desc: &LayoutDesc, level: u8, have: u64) -> Result<LevelBlocks, LayoutError> {
    if formats::info(desc.format).is_none_or(|info| info.bytes == 0) {
        return Err(LayoutError::UnknownFormat(desc.format));
    }
    let need = level_range(desc, level).size;
    if have < need {
        return Err(LayoutError::Short { level, need, have });
    }
    Ok(level_blocks(desc, level))
}

/// Calls `run(tight offset, stored offset, bytes)` for each run of up to 16 bytes that lies together in both forms.
fn for_each_run(blocks: &LevelBlocks, mut run: impl FnMut(usize, usize, usize)) {
    let row = blocks.row_bytes();
    let [_, rows, slices] = blocks.blocks.map(u64::from);
    let (height, depth) = (u64::from(blocks.height), u64::from(blocks.depth));
    let block = GOB * height * depth;
    let block_row = block * row.div_ceil(64);
    let block_slice = block_row * rows.div_ceil(8 * height);
    for z in 0..slices {
        let at_z = z / depth * block_slice + z % depth * GOB * height;
        for y in 0..rows {
            let at_y = at_z + y / (8 * height) * block_row + y % (8 * height) / 8 * GOB;
            let in_gob_y = y % 8 / 2 * 64 + y % 2 * 16;
            let linear = (z * rows + y) * row;
            for x in (0..row).step_by(16) {
                let in_gob = in_gob_y + x % 64 / 32 * 256 + x % 32 / 16 * 32;
                let length = (row - x).min(16);
                run((linear + x) as usize, (at_y + x / 64 * block + in_gob) as usize, length as usize);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn rgba8(target: u8, extent: [u32; 3]) -> LayoutDesc {
        LayoutDesc { format: 0x25, target, extent, levels: 1, samples: 1, ..LayoutDesc::default() }
    }

    // rows: M-2.1a, R-015
    #[test]
    fn automatic_block_height_truncates() {
        let heights = [6u32, 10, 17, 21, 28, 38, 40, 42, 52, 81, 85, 108, 1000];
        let gobs = heights.map(|rows| 1 << auto_block_height_log2(&rgba8(target::D2, [64, rows, 1])));
        assert_eq!(gobs, [1, 1, 2, 2, 4, 4, 4, 4, 8, 8, 8, 16, 16]);
        // 160 × 160 BC3 has 40 block rows: 4 GOBs, where rounding the quotient up would give 8.
        let bc3 = LayoutDesc { format: 0x44, ..rgba8(target::D2, [160, 160, 1]) };
        assert_eq!(auto_block_height_log2(&bc3), 2);
    }

    // rows: M-2.1b
    #[test]
    fn three_dimensional_and_video_blocks() {
        let depth = |n| 1 << auto_block_depth_log2(&rgba8(target::D3, [32, 32, n]));
        assert_eq!([depth(32), depth(5), depth(1)], [16, 4, 1]);
        let video = LayoutDesc { flags: flags::VIDEO_DECODE, ..rgba8(target::D2, [1280, 720, 1]) };
        assert_eq!(auto_block_height_log2(&video), 1);
    }

    // rows: M-2.1c
    #[test]
    fn the_block_shrinks_with_the_levels() {
        let desc = LayoutDesc { levels: 8, ..rgba8(target::D2, [1024, 1024, 1]) };
        let heights: Vec<u32> = (0..8).map(|level| level_blocks(&desc, level).height).collect();
        assert_eq!(heights, [16, 16, 16, 16, 8, 4, 2, 1]);
        let mut offset = 0;
        for level in 0..8 {
            assert_eq!(level_range(&desc, level).offset, offset, "level {level}");
            offset += level_range(&desc, level).size;
        }
        // Heights and widths 1024, 512, …, 8 of 4-byte texels, each padded to whole blocks of its own level.
        let padded: u64 = (0..8u32)
            .map(|level| {
                let rows = u64::from(1024u32 >> level);
                (rows * 4).next_multiple_of(64) * rows.next_multiple_of(8 * u64::from(heights[level as usize]))
            })
            .sum();
        assert_eq!(storage_size(&desc), padded);
        // Level 0's block for every level would need more.
        assert!(
            padded
                < (0..8u32).map(|l| (4096u64 >> l).next_multiple_of(64) * (1024u64 >> l).next_multiple_of(128)).sum()
        );
    }

    #[test]
    fn layers_are_padded_to_the_block_of_level_zero() {
        let desc = LayoutDesc { levels: 5, ..rgba8(target::D2_ARRAY, [64, 64, 6]) };
        let block = GOB * u64::from(level_blocks(&desc, 0).height);
        assert_eq!(layer_stride(&desc) % block, 0);
        assert_eq!(storage_size(&desc), 6 * layer_stride(&desc));
        assert_eq!(subresource_range(&desc, 1, 2).offset, 2 * layer_stride(&desc) + level_range(&desc, 1).offset);
    }

    #[test]
    fn linear_textures_have_their_stride() {
        let desc = LayoutDesc { flags: flags::LINEAR, ..rgba8(target::D2, [10, 3, 1]) };
        assert_eq!((storage_size(&desc), storage_alignment(&desc)), (64 * 3, 32));
        let texels: Vec<u8> = (0..120).collect();
        let mut stored = vec![0xEE; 192];
        swizzle(&desc, 0, &texels, &mut stored).unwrap();
        assert_eq!(stored[40], 0xEE, "padding is left alone");
        let mut back = Vec::new();
        deswizzle(&desc, 0, &stored, &mut back).unwrap();
        assert_eq!(back, texels);
    }

    #[test]
    fn a_short_source_is_an_error() {
        let desc = rgba8(target::D2, [64, 64, 1]);
        assert!(matches!(deswizzle(&desc, 0, &[0; 100], &mut Vec::new()), Err(LayoutError::Short { .. })));
        let unknown = LayoutDesc { format: 0xFFFF, ..desc };
        assert_eq!(deswizzle(&unknown, 0, &[0; 100], &mut Vec::new()), Err(LayoutError::UnknownFormat(0xFFFF)));
    }

    #[test]
    fn absurd_extents_do_not_overflow() {
        for target in 0..12 {
            let desc = LayoutDesc {
                format: 0x2E,
                target,
                extent: [u32::MAX; 3],
                levels: 255,
                samples: 8,
                flags: !flags::LINEAR,
                stride: 0,
                block_height_log2: Some(255),
            };
            let _ = (storage_size(&desc), storage_alignment(&desc), layout_key(&desc));
        }
    }

    #[test]
    fn both_ways_of_moving_texels_agree() {
        for (width, height, format) in
            [(7, 5, 0x25), (33, 17, 0x2E), (100, 150, 0x01), (160, 160, 0x44), (64, 64, 0x25)]
        {
            let desc = LayoutDesc { format, ..rgba8(target::D2, [width, height, 1]) };
            let blocks = level_blocks(&desc, 0);
            let texels: Vec<u8> = (0..blocks.tight()).map(|n| (n * 7 + n / 251) as u8).collect();
            let mut stored = vec![0; blocks.stored() as usize];
            swizzle(&desc, 0, &texels, &mut stored).unwrap();
            let mut ours = vec![0; blocks.tight() as usize];
            for_each_run(&blocks, |linear, at, length| {
                ours[linear..linear + length].copy_from_slice(&stored[at..at + length])
            });
            assert_eq!(ours, texels, "{width}x{height} format {format:#x}");
        }
    }

    // rows: M-2.1a, M-2.1b, R-015
    #[test]
    fn textures_of_the_shared_set() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let Some(folder) = here.ancestors().map(|up| up.join("shared/textures/block_linear")).find(|f| f.is_dir())
        else {
            return;
        };
        let cases: [(&str, u32, u8, [u32; 3]); 7] = [
            ("128_bc1", 0x42, target::D2, [128, 128, 1]),
            ("128_bc3", 0x44, target::D2, [128, 128, 1]),
            ("128_bc7", 0x4D, target::D2, [128, 128, 1]),
            ("128_rgba", 0x25, target::D2, [128, 128, 1]),
            ("64_rgba", 0x25, target::D2, [64, 64, 1]),
            ("16_16_16_rgba", 0x25, target::D3, [16, 16, 16]),
            ("33_33_33_rgba", 0x25, target::D3, [33, 33, 33]),
        ];
        for (name, format, target, extent) in cases {
            let tiled = std::fs::read(folder.join(format!("{name}_tiled.bin"))).expect(name);
            let expected = std::fs::read(folder.join(format!("{name}.bin"))).expect(name);
            let desc = LayoutDesc { format, target, extent, levels: 1, samples: 1, ..LayoutDesc::default() };
            let mut actual = Vec::new();
            deswizzle(&desc, 0, &tiled, &mut actual).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(actual == expected, "{name} differs");
            let mut again = vec![0; tiled.len()];
            swizzle(&desc, 0, &actual, &mut again).expect(name);
            assert!(again == tiled, "{name} does not go back");
        }
    }
}
