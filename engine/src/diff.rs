//! `ferrograph diff`: two dumps of targets, two exported frames, or two pictures, compared.
//!
//! Targets are compared texel by texel over all levels and layers. A texel is within the limit when each of its components is:
//!
//! | components | limit |
//! |---|---|
//! | unorm and snorm | 1.5 % of the range |
//! | float | 2 % of the greater, or 0.01 |
//! | depth | 1e-4 |
//! | stencil, integers, compressed blocks | equal |
//!
//! A target passes when 99.5 % of its texels are within the limit.

use crate::cli::DiffArguments;
use crate::failure::{Failure, read_file};
use crate::output::say;
use crate::targets::{self, Encoding, Plane, Target};
use framegraph::export::{self, FrameExport};
use framegraph::state::{Format, NumericClass};
use std::path::Path;

/// Part of the texels that must be within the limit.
const ENOUGH: f64 = 0.995;

/// Pixels of a picture at most.
const LARGEST_PICTURE: u64 = 1 << 26;

/// How values of a kind are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Limit {
    /// At most this far apart.
    Within(f32),
    /// At most 2 % of the greater apart, or 0.01.
    Float,
    /// Equal.
    Exact,
}

impl Limit {
    fn allows(self, a: f32, b: f32) -> bool {
        if a.to_bits() == b.to_bits() || a == b || (a.is_nan() && b.is_nan()) {
            return true;
        }
        let apart = (a - b).abs();
        match self {
            // A hair more, so that a whole step that is the limit counts as within.
            Self::Within(limit) => apart <= limit * (1.0 + 1e-5),
            Self::Float => apart <= (0.02 * a.abs().max(b.abs())).max(0.01),
            Self::Exact => false,
        }
    }
}

/// Reads the components of a texel.
type Read = fn(&[u8], &mut Vec<f32>);

/// How a plane's texels are read: bytes per texel, the limit, and the components.
struct Texels {
    size: usize,
    limit: Limit,
    read: Read,
}

const UNORM: Limit = Limit::Within(0.015);
const SNORM: Limit = Limit::Within(0.03);
const DEPTH: Limit = Limit::Within(1e-4);

fn word(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))
}

/// A small float: sign bit if `signed`, 5 bits of exponent, `mantissa` bits.
fn small_float(bits: u32, mantissa: u32, signed: bool) -> f32 {
    let fraction = bits & ((1 << mantissa) - 1);
    let exponent = bits >> mantissa & 0x1F;
    let scale = (1u32 << mantissa) as f32;
    let value = match exponent {
        0 => fraction as f32 / scale * 2.0_f32.powi(-14),
        31 if fraction == 0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction as f32 / scale) * 2.0_f32.powi(exponent as i32 - 15),
    };
    if signed && bits >> (mantissa + 5) & 1 == 1 { -value } else { value }
}

/// Fields of these widths, lowest first, as parts of their range.
fn fields(bits: u32, widths: &[u32], out: &mut Vec<f32>) {
    let mut at = 0;
    for width in widths {
        let most = (1u32 << width) - 1;
        out.push((bits >> at & most) as f32 / most as f32);
        at += width;
    }
}

/// How texels of a format are read. Formats without a row are compared byte for byte.
fn texels(format: Format) -> Texels {
    let name = format.name();
    let size = format.block().0 as usize;
    let plain = format.block().1 == 1 && format.class() == NumericClass::Float;
    let ends = |end: &str| plain && name.ends_with(end);
    // Components of one width: the digits of the name say which.
    let wide = |digits: &str| name.trim_end_matches(|c: char| c.is_ascii_alphabetic()).ends_with(digits);
    let (limit, read): (Limit, Read) = match format {
        Format::Rgb10A2Unorm => (UNORM, |t, out| fields(word(t), &[10, 10, 10, 2], out)),
        Format::B5G6R5Unorm | Format::R5G6B5Unorm => (UNORM, |t, out| fields(word(t), &[5, 6, 5], out)),
        Format::Rgb5A1Unorm | Format::Bgr5A1Unorm => (UNORM, |t, out| fields(word(t), &[5, 5, 5, 1], out)),
        Format::Rgba4Unorm => (UNORM, |t, out| fields(word(t), &[4, 4, 4, 4], out)),
        Format::R11G11B10Float => (Limit::Float, |t, out| {
            let bits = word(t);
            out.extend(
                [(bits & 0x7FF, 6), (bits >> 11 & 0x7FF, 6), (bits >> 22, 5)].map(|(b, m)| small_float(b, m, false)),
            );
        }),
        Format::Rgb9E5Float => (Limit::Float, |t, out| {
            let bits = word(t);
            let scale = 2.0_f32.powi((bits >> 27) as i32 - 24);
            out.extend([bits & 0x1FF, bits >> 9 & 0x1FF, bits >> 18 & 0x1FF].map(|m| m as f32 * scale));
        }),
        _ if (ends("Unorm") || ends("Srgb")) && wide("8") => {
            (UNORM, |t, out| out.extend(t.iter().map(|b| f32::from(*b) / 255.0)))
        }
        _ if ends("Unorm") && wide("16") => {
            (UNORM, |t, out| out.extend(t.chunks_exact(2).map(|c| word(c) as f32 / 65_535.0)))
        }
        _ if ends("Snorm") && wide("8") => (SNORM, |t, out| out.extend(t.iter().map(|b| f32::from(*b as i8) / 127.0))),
        _ if ends("Snorm") && wide("16") => {
            (SNORM, |t, out| out.extend(t.chunks_exact(2).map(|c| f32::from(word(c) as i16) / 32_767.0)))
        }
        _ if ends("Float") && wide("16") => {
            (Limit::Float, |t, out| out.extend(t.chunks_exact(2).map(|c| small_float(word(c), 10, true))))
        }
        _ if ends("Float") && wide("32") => {
            (Limit::Float, |t, out| out.extend(t.chunks_exact(4).map(|c| f32::from_bits(word(c)))))
        }
        _ => (Limit::Exact, |t, out| out.extend(t.iter().map(|b| f32::from(*b)))),
    };
    Texels { size, limit, read }
}

fn plane_texels(format: &str, encoding: Encoding) -> Option<Texels> {
    Some(match encoding {
        Encoding::Texels => texels(*Format::ALL.iter().find(|known| known.name() == format)?),
        Encoding::Depth16 => Texels { size: 2, limit: DEPTH, read: |t, out| out.push(word(t) as f32 / 65_535.0) },
        Encoding::Depth24 => Texels {
            size: 4,
            limit: DEPTH,
            read: |t, out| out.push((f64::from(word(t) & 0xFF_FFFF) / 16_777_215.0) as f32),
        },
        Encoding::Depth32f => Texels { size: 4, limit: DEPTH, read: |t, out| out.push(f32::from_bits(word(t))) },
        Encoding::Stencil8 => Texels { size: 1, limit: Limit::Exact, read: |t, out| out.push(f32::from(t[0])) },
    })
}

/// What the comparison of a plane found.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Found {
    texels: usize,
    within: usize,
    /// Greatest difference of a component, and the texel where it is.
    worst: (f32, usize),
}

impl Found {
    fn part(&self) -> f64 {
        self.within as f64 / self.texels.max(1) as f64
    }

    fn passes(&self) -> bool {
        self.texels > 0 && self.part() >= ENOUGH
    }
}

fn compare(a: (&[u8], &Texels), b: (&[u8], &Texels)) -> Option<Found> {
    let count = a.0.len() / a.1.size.max(1);
    if count != b.0.len() / b.1.size.max(1) || count == 0 {
        return None;
    }
    let mut found = Found { texels: count, within: 0, worst: (0.0, 0) };
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (n, (x, y)) in a.0.chunks_exact(a.1.size).zip(b.0.chunks_exact(b.1.size)).enumerate() {
        if x == y && a.1.size == b.1.size {
            found.within += 1;
            continue;
        }
        left.clear();
        right.clear();
        (a.1.read)(x, &mut left);
        (b.1.read)(y, &mut right);
        let mut all = left.len() == right.len();
        for (x, y) in left.iter().zip(&right) {
            all &= a.1.limit.allows(*x, *y);
            let apart = if x.is_nan() != y.is_nan() { f32::INFINITY } else { (x - y).abs() };
            if apart > found.worst.0 {
                found.worst = (apart, n);
            }
        }
        found.within += usize::from(all);
    }
    Some(found)
}

/// Compares a plane of two dumps; a line about it, and whether it passes.
fn plane(target: &Target, a: (&Path, &Plane), b: (&Path, &Plane)) -> Result<(String, bool), Failure> {
    let name =
        if a.1.encoding == Encoding::Stencil8 { format!("{} stencil", target.label) } else { target.label.clone() };
    let read = |(folder, plane): (&Path, &Plane)| {
        let known = plane_texels(&target.format, plane.encoding);
        let known = known.ok_or_else(|| Failure::input(format!("{}: unknown format {}", target.label, target.format)));
        let bytes = read_file(&folder.join(&plane.file))?;
        if bytes.len() != plane.bytes {
            let (path, have) = (folder.join(&plane.file), bytes.len());
            let what = format!("{}: {have} bytes, the table names {}", path.display(), plane.bytes);
            return Err(Failure::input(what));
        }
        Ok((bytes, known?))
    };
    let ((left, left_texels), (right, right_texels)) = (read(a)?, read(b)?);
    let Some(found) = compare((&left, &left_texels), (&right, &right_texels)) else {
        return Ok((format!("FAIL {name}: {} and {} bytes\n", left.len(), right.len()), false));
    };
    let pass = found.passes();
    let level0 = (target.width as usize).saturating_mul(target.height as usize).max(1);
    let (row, column) =
        (found.worst.1 % level0 / target.width.max(1) as usize, found.worst.1 % target.width.max(1) as usize);
    let place = match found.worst.0 {
        0.0 => String::new(),
        worst if found.worst.1 < level0 => format!(", the most {worst:.5} at ({column}, {row})"),
        worst => format!(", the most {worst:.5} at texel {}", found.worst.1),
    };
    let verdict = if pass { "ok  " } else { "FAIL" };
    let part = found.part() * 100.0;
    let outside = found.texels - found.within;
    let line =
        format!("{verdict} {name} {}: {part:.4} % within, {outside} of {} not{place}\n", target.format, found.texels);
    Ok((line, pass))
}

fn dumps(a: &Path, b: &Path) -> Result<bool, Failure> {
    let (left, right) = (targets::read_table(a)?, targets::read_table(b)?);
    let mut all = !left.is_empty();
    if !all {
        say(&format!("FAIL {} holds no target\n", a.display()))?;
    }
    for target in &left {
        let Some(other) = right.iter().find(|other| other.label == target.label) else {
            say(&format!("FAIL {}: only in {}\n", target.label, a.display()))?;
            all = false;
            continue;
        };
        let shape = |t: &Target| (t.format.clone(), t.width, t.height, t.depth, t.levels, t.layers, t.planes.len());
        if shape(target) != shape(other) {
            say(&format!("FAIL {}: {:?} and {:?}\n", target.label, shape(target), shape(other)))?;
            all = false;
            continue;
        }
        if target.planes.is_empty() {
            say(&format!("FAIL {}: the tables name no file of it\n", target.label))?;
            all = false;
        }
        for (left, right) in target.planes.iter().zip(&other.planes) {
            let (line, pass) = plane(target, (a, left), (b, right))?;
            say(&line)?;
            all &= pass;
        }
    }
    for target in right.iter().filter(|target| !left.iter().any(|other| other.label == target.label)) {
        say(&format!("FAIL {}: only in {}\n", target.label, b.display()))?;
        all = false;
    }
    Ok(all)
}

fn pictures(a: &Path, b: &Path) -> Result<bool, Failure> {
    let read = |path: &Path| -> Result<([u32; 2], Vec<u8>), Failure> {
        let wrong = |e: png::DecodingError| Failure::input(format!("{}: {e}", path.display()));
        let bytes = read_file(path)?;
        let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
        let mut reader = decoder.read_info().map_err(wrong)?;
        let (width, height) = (reader.info().width, reader.info().height);
        if u64::from(width) * u64::from(height) > LARGEST_PICTURE {
            let what = format!("{}: {width} by {height} pixels are more than any picture of a title", path.display());
            return Err(Failure::input(what));
        }
        let mut pixels = vec![0; reader.output_buffer_size().unwrap_or_default()];
        let info = reader.next_frame(&mut pixels).map_err(wrong)?;
        pixels.truncate(info.buffer_size());
        Ok(([info.width, info.height], pixels))
    };
    let ((left_extent, left), (right_extent, right)) = (read(a)?, read(b)?);
    let texels = texels(Format::Rgba8Unorm);
    let found = compare((&left, &texels), (&right, &texels)).filter(|_| left_extent == right_extent);
    let Some(found) = found else {
        say(&format!("FAIL {left_extent:?} and {right_extent:?} pixels\n"))?;
        return Ok(false);
    };
    let verdict = if found.passes() { "ok  " } else { "FAIL" };
    let outside = found.texels - found.within;
    say(&format!("{verdict} {:.4} % within, {outside} of {} not\n", found.part() * 100.0, found.texels))?;
    Ok(found.passes())
}

fn exports(a: &Path, b: &Path) -> Result<bool, Failure> {
    let read = |path: &Path| {
        let text = String::from_utf8_lossy(&read_file(path)?).into_owned();
        FrameExport::from_json(&text).map_err(|e| Failure::input(format!("{}: {e}: export it as JSON", path.display())))
    };
    let text = export::diff(&read(a)?, &read(b)?);
    say(&text)?;
    Ok(text.is_empty())
}

/// `diff`.
pub(crate) fn run(arguments: &DiffArguments) -> Result<(), Failure> {
    let (a, b) = (arguments.a.as_path(), arguments.b.as_path());
    let kind = |path: &Path| path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    let same = if a.is_dir() || b.is_dir() {
        dumps(a, b)?
    } else if kind(a).as_deref() == Some("png") {
        pictures(a, b)?
    } else {
        exports(a, b)?
    };
    if same { Ok(()) } else { Err(Failure::could(format!("{} and {} differ", a.display(), b.display()))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether two texels of a format are within its limit.
    fn near(format: Format, a: &[u8], b: &[u8]) -> bool {
        let texels = texels(format);
        compare((a, &texels), (b, &texels)).expect("equal sizes").within == 1
    }

    #[test]
    fn each_kind_has_its_limit() {
        assert!(near(Format::Rgba8Unorm, &[0, 0, 0, 255], &[3, 0, 0, 255]), "3/255 is 1.2 %");
        assert!(!near(Format::Rgba8Unorm, &[0, 0, 0, 255], &[4, 0, 0, 255]), "4/255 is 1.6 %");
        let ten = |r: u32| r.to_le_bytes();
        assert!(near(Format::Rgb10A2Unorm, &ten(0), &ten(15)));
        assert!(!near(Format::Rgb10A2Unorm, &ten(0), &ten(16)));
        assert!(!near(Format::Rgb10A2Unorm, &ten(0), &ten(1 << 30)), "a step of two bits is a third");
        let half = |bits: u16| bits.to_le_bytes();
        assert!(near(Format::R16Float, &half(0x5640), &half(0x5650)), "100 and 101");
        assert!(!near(Format::R16Float, &half(0x5640), &half(0x5670)), "100 and 103");
        assert!(near(Format::R16Float, &half(0), &half(0x2100)), "0 and 0.0098");
        assert!(near(Format::R16Float, &half(0x7E00), &half(0x7F00)), "no number and no number");
        assert!(!near(Format::R16Float, &half(0x7E00), &half(0)));
        let small = |r: u32| r.to_le_bytes();
        assert!(!near(Format::R11G11B10Float, &small(0x3C0), &small(0x3C4)), "1 and 1.0625");
        assert!(near(Format::R11G11B10Float, &small(0x3C0), &small(0x3C1)), "1 and 1.0156");
        assert!(!near(Format::R32Uint, &[1, 0, 0, 0], &[2, 0, 0, 0]));
        assert!(!near(Format::Bc1RgbUnorm, &[0; 8], &[0, 0, 0, 0, 0, 0, 0, 1]));
    }

    #[test]
    fn depth_is_compared_as_a_number_whatever_holds_it() {
        let depth24 = plane_texels("D24UnormS8Uint", Encoding::Depth24).expect("known");
        let depth32 = plane_texels("D24UnormS8Uint", Encoding::Depth32f).expect("known");
        let half = 0x80_0000_u32.to_le_bytes();
        let near = |value: f32| compare((&half, &depth24), (&value.to_le_bytes(), &depth32)).expect("one").within == 1;
        assert!(near(0.5) && near(0.50009));
        assert!(!near(0.5002));
    }

    #[test]
    fn tables_of_dumps_name_files_of_their_folder_alone_and_sizes_may_be_absurd() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a.raw"), [0; 8]).expect("file");
        let table = |file: &str| {
            let plane = format!(r#"{{"file":"{file}","encoding":"texels","bytes":8}}"#);
            let side = u32::MAX;
            let text = format!(
                r#"[{{"label":"a","format":"Rgba8Unorm","width":{side},"height":{side},"depth":1,"levels":1,"layers":1,"planes":[{plane}]}}]"#
            );
            std::fs::write(folder.path().join(targets::TABLE), text).expect("file");
            dumps(folder.path(), folder.path())
        };
        assert!(table("a.raw").expect("compared"));
        for file in ["../a.raw", "/etc/hostname", "..", "b/a.raw", ""] {
            assert!(matches!(table(file), Err(Failure::Input(_))), "{file:?}");
        }
        std::fs::write(folder.path().join(targets::TABLE), "[]").expect("file");
        assert!(!dumps(folder.path(), folder.path()).expect("compared"), "nothing proves nothing");
    }

    #[test]
    fn half_a_percent_may_be_off() {
        let texels = texels(Format::R8Unorm);
        let a = vec![0; 1000];
        let mut b = a.clone();
        b[..5].fill(255);
        assert!(compare((&a, &texels), (&b, &texels)).expect("equal sizes").passes());
        b[5] = 255;
        let found = compare((&a, &texels), (&b, &texels)).expect("equal sizes");
        assert_eq!((found.within, found.passes(), found.worst.0), (994, false, 1.0));
        assert_eq!(compare((&a, &texels), (&b[1..], &texels)), None);
    }
}
