//! Comparison with the golden pictures of the demo frame.
//!
//! A target arrives as raw texels, row 0 first; the golden PNGs hold the top row first, and row 0 of every target is the bottom of the picture.

use std::path::Path;

/// A picture: 8-bit RGB, top row first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Picture {
    /// Pixels per row.
    pub(crate) width: usize,
    /// Rows.
    pub(crate) height: usize,
    /// `width * height` pixels.
    pub(crate) pixels: Vec<[u8; 3]>,
}

/// How two pictures differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Difference {
    /// Mean absolute difference of a component, in 1/255.
    pub(crate) mean: f64,
    /// Share of pixels of which every component is within the limit.
    pub(crate) within: f64,
}

/// Far and near plane of the demo's camera.
const NEAR: f64 = 0.1;
const FAR: f64 = 400.0;

impl Picture {
    /// Reads a PNG with 8-bit grey, RGB or RGBA pixels.
    ///
    /// # Errors
    /// When the file is missing or of another kind.
    pub(crate) fn read_png(path: &Path) -> Result<Self, String> {
        let place = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
        let file = std::fs::File::open(path).map_err(|e| place(&e))?;
        let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().map_err(|e| place(&e))?;
        let mut bytes = vec![0; reader.output_buffer_size().ok_or_else(|| place(&"too large"))?];
        let info = reader.next_frame(&mut bytes).map_err(|e| place(&e))?;
        let step = match info.color_type {
            png::ColorType::Grayscale => 1,
            png::ColorType::Rgb => 3,
            png::ColorType::Rgba => 4,
            other => return Err(place(&format!("{other:?} is neither grey nor RGB"))),
        };
        let pixels = bytes[..info.buffer_size()]
            .chunks_exact(step)
            .map(|p| if step == 1 { [p[0]; 3] } else { [p[0], p[1], p[2]] })
            .collect();
        Ok(Self { width: info.width as usize, height: info.height as usize, pixels })
    }

    /// A picture from raw texels, row 0 (the bottom) first.
    pub(crate) fn from_texels(
        width: usize,
        height: usize,
        texel: usize,
        raw: &[u8],
        show: impl Fn(&[u8]) -> [u8; 3],
    ) -> Self {
        let row = width * texel;
        let rows = raw.chunks_exact(row).take(height).rev();
        let pixels = rows.flat_map(|row| row.chunks_exact(texel).map(&show)).collect();
        Self { width, height, pixels }
    }

    /// Mean over a square of `2 * radius + 1` pixels, cut at the borders.
    #[must_use]
    pub(crate) fn blurred(&self, radius: usize) -> Self {
        // Two passes of running sums: along rows, then along columns.
        let pass = |get: &dyn Fn(usize, usize) -> [f64; 3], lines: usize, length: usize| -> Vec<[f64; 3]> {
            let mut out = vec![[0.0; 3]; lines * length];
            for line in 0..lines {
                for c in 0..3 {
                    let mut sums = vec![0.0; length + 1];
                    for at in 0..length {
                        sums[at + 1] = sums[at] + get(line, at)[c];
                    }
                    for (at, pixel) in out[line * length..][..length].iter_mut().enumerate() {
                        let (from, to) = (at.saturating_sub(radius), (at + radius + 1).min(length));
                        pixel[c] = (sums[to] - sums[from]) / (to - from) as f64;
                    }
                }
            }
            out
        };
        let along = pass(&|y, x| self.pixels[y * self.width + x].map(f64::from), self.height, self.width);
        let both = pass(&|x, y| along[y * self.width + x], self.width, self.height);
        let pixels = (0..self.width * self.height)
            .map(|n| both[(n % self.width) * self.height + n / self.width].map(|v| v.round() as u8))
            .collect();
        Self { pixels, ..*self }
    }

    /// How this picture differs from another: `limit` is that of [`Difference::within`]. Where `soft` says so, both are compared after a blur of radius 8.
    ///
    /// # Panics
    /// When the sizes differ.
    #[must_use]
    pub(crate) fn difference(&self, other: &Self, limit: u8, soft: impl Fn(usize, usize) -> bool) -> Difference {
        assert_eq!((self.width, self.height), (other.width, other.height), "pictures of different sizes");
        let (soft_a, soft_b) = (self.blurred(8), other.blurred(8));
        let (mut sum, mut within) = (0u64, 0usize);
        for n in 0..self.pixels.len() {
            let is_soft = soft(n % self.width, n / self.width);
            let (a, b) = if is_soft { (soft_a.pixels[n], soft_b.pixels[n]) } else { (self.pixels[n], other.pixels[n]) };
            let differences: [u8; 3] = std::array::from_fn(|c| a[c].abs_diff(b[c]));
            sum += differences.iter().map(|d| u64::from(*d)).sum::<u64>();
            within += usize::from(differences.iter().all(|d| *d <= limit));
        }
        let count = self.pixels.len().max(1);
        Difference { mean: sum as f64 / (3 * count) as f64, within: within as f64 / count as f64 }
    }
}

fn byte(value: f64) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}

fn word(texel: &[u8]) -> u32 {
    texel.iter().take(4).rev().fold(0, |w, b| w << 8 | u32::from(*b))
}

/// RGBA8: red, green, blue as they are.
#[must_use]
pub(crate) fn show_rgba8(texel: &[u8]) -> [u8; 3] {
    [texel[0], texel[1], texel[2]]
}

/// RGB10A2: the upper eight bits of each component.
#[must_use]
pub(crate) fn show_rgb10a2(texel: &[u8]) -> [u8; 3] {
    let w = word(texel);
    std::array::from_fn(|c| ((w >> (10 * c) & 1023) >> 2) as u8)
}

/// One component as grey.
#[must_use]
pub(crate) fn show_r8(texel: &[u8]) -> [u8; 3] {
    [texel[0]; 3]
}

/// An unsigned float of 5 exponent bits and `mantissa` mantissa bits.
fn small_float(bits: u32, mantissa: u32) -> f64 {
    let exponent = bits >> mantissa & 31;
    let fraction = f64::from(bits & ((1 << mantissa) - 1)) / f64::from(1u32 << mantissa);
    match exponent {
        0 => fraction * 2f64.powi(-14),
        31 => f64::INFINITY,
        e => (1.0 + fraction) * 2f64.powi(e as i32 - 15),
    }
}

/// R11G11B10F: `(c / (1 + c)) ^ (1 / 2.2)`.
#[must_use]
pub(crate) fn show_hdr(texel: &[u8]) -> [u8; 3] {
    let w = word(texel);
    let tone = |c: f64| byte(if c.is_finite() { (c / (1.0 + c)).powf(1.0 / 2.2) } else { 1.0 });
    [tone(small_float(w & 2047, 6)), tone(small_float(w >> 11 & 2047, 6)), tone(small_float(w >> 22, 5))]
}

/// Depth in the low 24 bits: `1 / (1 + z / 12)` with z in metres.
#[must_use]
pub(crate) fn show_depth24(texel: &[u8]) -> [u8; 3] {
    let depth = f64::from(word(texel) & 0xFF_FFFF) / 16_777_215.0;
    let metres = NEAR * FAR / (FAR - depth * (FAR - NEAR));
    [byte(1.0 / (1.0 + metres / 12.0)); 3]
}

/// 32-bit float depth as grey.
#[must_use]
pub(crate) fn show_depth32(texel: &[u8]) -> [u8; 3] {
    [byte(f64::from(f32::from_bits(word(texel)))); 3]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(value: u8) -> Picture {
        Picture { width: 4, height: 3, pixels: vec![[value; 3]; 12] }
    }

    #[test]
    fn equal_pictures_do_not_differ_and_a_changed_one_does() {
        let a = flat(10);
        assert_eq!(a.difference(&a, 0, |_, _| false), Difference { mean: 0.0, within: 1.0 });
        let mut b = a.clone();
        b.pixels[5] = [19, 10, 10];
        let d = a.difference(&b, 8, |_, _| false);
        assert!((d.mean - 9.0 / 36.0).abs() < 1e-9 && (d.within - 11.0 / 12.0).abs() < 1e-9);
    }

    #[test]
    fn a_blur_keeps_a_flat_picture_and_spreads_a_point() {
        assert_eq!(flat(77).blurred(8), flat(77));
        let mut a = flat(0);
        a.pixels[0] = [120; 3];
        assert_eq!(a.blurred(8).pixels[11], [10; 3]);
    }

    #[test]
    fn rows_are_turned_so_that_row_zero_is_the_bottom() {
        let p = Picture::from_texels(1, 2, 1, &[1, 2], show_r8);
        assert_eq!(p.pixels, [[2; 3], [1; 3]]);
    }

    #[test]
    fn small_floats_and_depths_are_shown_as_documented() {
        assert_eq!(small_float(0x3C0, 6), 1.0);
        assert_eq!(small_float(0x1E0, 5), 1.0);
        assert_eq!(show_hdr(&(0x3C0u32 | 0x3C0 << 11 | 0x1E0 << 22).to_le_bytes()), [186; 3]);
        assert_eq!(show_depth24(&0u32.to_le_bytes()), [253; 3]);
        assert_eq!(show_rgb10a2(&(1023u32 | 512 << 10).to_le_bytes()), [255, 128, 0]);
    }
}
