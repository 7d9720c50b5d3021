//! Phase 0: what the part binds, where it lies, and what the CPU wrote before it.

pub mod snapshot_cpu_writes;
pub mod snapshot_uniform_ranges;
pub mod translate_virtual_addresses;

/// Bytes of guest memory that a copy between a buffer and a texture touches.
#[must_use]
pub fn texture_copy_bytes(copy: &nvn_decode::record::CopyBufferTexture) -> u64 {
    let (row, image, _) = texture_copy_strides(copy);
    let images = copy.region.extent[2].max(1) as u64;
    (images - 1) * image + image.max(row)
}

/// Bytes per row of blocks, bytes per image, and rows of blocks of a copy between a buffer and a texture.
#[must_use]
pub fn texture_copy_strides(copy: &nvn_decode::record::CopyBufferTexture) -> (u64, u64, u64) {
    let info = nvn_decode::formats::info(copy.texture.format);
    let (bytes, block) = info.map_or((1, [1, 1]), |info| (info.bytes, info.block));
    let across = (copy.region.extent[0].max(0) as u32).div_ceil(block[0]);
    let rows = u64::from((copy.region.extent[1].max(1) as u32).div_ceil(block[1]));
    let row = if copy.row_stride == 0 { u64::from(across) * u64::from(bytes) } else { u64::from(copy.row_stride) };
    let image = if copy.image_stride == 0 { row * rows } else { u64::from(copy.image_stride) };
    (row, image, rows)
}
