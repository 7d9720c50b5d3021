//! Pictures on disk.

use crate::failure::Failure;
use crate::output::write_file;
use std::path::Path;

/// Writes tight RGBA8 rows, top row first.
pub(crate) fn write_png(path: &Path, extent: [u32; 2], rgba: &[u8]) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, extent[0], extent[1]);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header().and_then(|mut writer| writer.write_image_data(rgba)).map_err(Failure::could)?;
    write_file(path, &bytes)
}
