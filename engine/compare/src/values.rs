//! Seeded inputs and the comparison of results.

use serde_json::Value;

/// A small deterministic generator.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator for a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    /// The next 32 bits.
    pub fn word(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as u32
    }

    /// A float in a range.
    pub fn float(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.word() & 0xFF_FFFF) as f32 / 16_777_216.0
    }
}

/// Fills a buffer as its declared members say: floats in a range, small integers.
#[must_use]
pub fn fill_block(block: &Value, bytes: usize, seed: u64, range: (f32, f32)) -> Vec<u8> {
    let mut out = vec![0u8; bytes];
    let mut random = Random::new(seed);
    if let Some(members) = block["members"].as_array() {
        for member in members {
            fill_member(member, 0, &mut out, &mut random, range);
        }
    }
    out
}

fn put(out: &mut [u8], at: usize, word: u32) {
    if let Some(place) = out.get_mut(at..at + 4) {
        place.copy_from_slice(&word.to_le_bytes());
    }
}

fn fill_member(member: &Value, base: usize, out: &mut Vec<u8>, random: &mut Random, range: (f32, f32)) {
    let at = base + member["offset"].as_u64().unwrap_or(0) as usize;
    let ty = member["type"].as_str().unwrap_or("");
    let (element, repeat) = match ty.find('[') {
        Some(bracket) => {
            let length = ty[bracket + 1..].split(']').next().unwrap_or("");
            (&ty[..bracket], length.parse().unwrap_or(usize::MAX))
        }
        None => (ty, 1),
    };
    let stride = member["array_stride"].as_u64().unwrap_or(16).max(4) as usize;
    for k in 0..repeat {
        let at = at + k * stride;
        if at >= out.len() {
            break;
        }
        if let Some(members) = member["members"].as_array() {
            for inner in members {
                fill_member(inner, at, out, random, range);
            }
            continue;
        }
        let (columns, rows) = if let Some(shape) = element.strip_prefix("mat") {
            let columns = shape.chars().next().and_then(|c| c.to_digit(10)).unwrap_or(4) as usize;
            (columns, shape.chars().last().and_then(|c| c.to_digit(10)).unwrap_or(4) as usize)
        } else {
            (1, element.chars().last().and_then(|c| c.to_digit(10)).map_or(1, |n| n as usize))
        };
        let matrix_stride = member["matrix_stride"].as_u64().unwrap_or(16) as usize;
        for column in 0..columns {
            for row in 0..rows {
                let place = at + column * matrix_stride + row * 4;
                let word = match element.as_bytes().first() {
                    // Small ranges get matrices near the identity, so that projected points stay in view.
                    Some(b'm') if range.1 - range.0 < 0.5 => {
                        let diagonal = if row == column { 1.0 } else { 0.0 };
                        (diagonal + random.float(-0.05, 0.05)).to_bits()
                    }
                    Some(b'u' | b'i') => random.word() % 7,
                    Some(b'b') => random.word() & 1,
                    _ => random.float(range.0, range.1).to_bits(),
                };
                put(out, place, word);
            }
        }
    }
}

/// How far two results are apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Closeness {
    /// Bit for bit.
    Exact,
    /// At most 4 units in the last place.
    Near,
    /// At most 1e-3, relative or absolute.
    Approximate,
    /// Further apart.
    Different,
}

/// Compares two words. Integers (and what can only be one) must be equal.
#[must_use]
pub fn closeness(a: u32, b: u32, float: bool) -> Closeness {
    if a == b {
        return Closeness::Exact;
    }
    let subnormal = |w: u32| w & 0x7F80_0000 == 0 && w & 0x7F_FFFF != 0;
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    if !float && (subnormal(a) || subnormal(b)) {
        return Closeness::Different;
    }
    if x.is_nan() && y.is_nan() && float {
        return Closeness::Exact;
    }
    if !x.is_finite() || !y.is_finite() {
        return Closeness::Different;
    }
    let ordered = |w: u32| if w & 0x8000_0000 != 0 { -i64::from(w & 0x7FFF_FFFF) } else { i64::from(w) };
    if (ordered(a) - ordered(b)).abs() <= 4 {
        return Closeness::Near;
    }
    let distance = (x - y).abs();
    if distance <= 1e-3 || distance <= 1e-3 * x.abs().max(y.abs()) {
        return Closeness::Approximate;
    }
    Closeness::Different
}

/// Words of one output of a run.
#[derive(Clone, Debug)]
pub struct Output {
    /// What it is.
    pub name: String,
    /// Its words.
    pub words: Vec<u32>,
    /// Words are floats.
    pub float: bool,
}

/// Result of a comparison.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The worst word.
    pub worst: Closeness,
    /// Words by closeness: exact, near, approximate, different.
    pub counts: [usize; 4],
    /// The first word that differs, in text.
    pub first: Option<String>,
    /// Largest distance between two finite floats.
    pub distance: f32,
    /// Different words in the outputs of the runs: a few would mean that a shader hardly did anything.
    pub variety: usize,
    words: Vec<u32>,
}

impl Default for Verdict {
    fn default() -> Self {
        Self { worst: Closeness::Exact, counts: [0; 4], first: None, distance: 0.0, variety: 0, words: Vec::new() }
    }
}

impl Verdict {
    /// Adds the outputs of two runs with the same inputs.
    pub fn add(&mut self, translated: &[Output], reference: &[Output]) {
        for (ours, theirs) in translated.iter().zip(reference) {
            for (k, (a, b)) in ours.words.iter().zip(&theirs.words).enumerate() {
                let close = closeness(*a, *b, ours.float);
                self.counts[close as usize] += 1;
                self.worst = self.worst.max(close);
                let distance = (f32::from_bits(*a) - f32::from_bits(*b)).abs();
                if distance.is_finite() {
                    self.distance = self.distance.max(distance);
                }
                if close == Closeness::Different && self.first.is_none() {
                    self.first = Some(format!(
                        "{} word {k}: {a:#010x} ({}) instead of {b:#010x} ({})",
                        ours.name,
                        f32::from_bits(*a),
                        f32::from_bits(*b)
                    ));
                }
            }
        }
        self.words.extend(translated.iter().flat_map(|o| o.words.iter().copied()));
        self.words.sort_unstable();
        self.words.dedup();
        self.variety = self.words.len();
    }
}
