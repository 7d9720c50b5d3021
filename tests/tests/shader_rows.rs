//! Catalogue rows of shader arithmetic, by the values that the rows state, on the cases made for them.

use ferrograph_compare::cases::{data_folder, load_case};
use ferrograph_compare::device::Device;
use ferrograph_compare::run::dispatch;
use ferrograph_compare::values::Random;
use nvn_shader::{BindingScheme, translate};

const NAN: u32 = 0x7FC0_0000;
const INFINITY: u32 = 0x7F80_0000;
const ONE: u32 = 0x3F80_0000;
const MINUS: u32 = 0x8000_0000;

fn open() -> Option<Device> {
    Device::open().map_err(|error| eprintln!("{error}: the test is skipped")).ok()
}

fn module(name: &str) -> Vec<u32> {
    let case = load_case(&data_folder().join("scenekit").join(name)).expect("the case");
    translate(case.binary(), &case.key(BindingScheme::Reference)).expect("translates").spirv
}

/// Storage buffer 1 after the case ran over `input` in buffer 0; a thread reads `read` words and writes `written`.
fn results(device: &Device, words: &[u32], input: &[u32], read: usize, written: usize) -> Vec<u32> {
    let threads = (input.len() / read).next_multiple_of(32);
    let mut bytes: Vec<u8> = input.iter().flat_map(|w| w.to_le_bytes()).collect();
    bytes.resize(threads * read * 4, 0);
    let out = dispatch(device, words, &[bytes, vec![0xEE; threads * written * 4]], (threads / 32) as u32);
    let mut out = out.expect("runs").swap_remove(1);
    out.truncate(input.len() / read * written);
    out
}

/// The module with one operation in place of another: in the first words of its instructions, or among the extended ones.
fn with(words: &[u32], change: impl Fn(&mut [u32])) -> Vec<u32> {
    let (mut words, mut at) = (words.to_vec(), 5);
    while at < words.len() {
        let length = ((words[at] >> 16) as usize).max(1);
        let end = (at + length).min(words.len());
        change(&mut words[at..end]);
        at = end;
    }
    words
}

/// Extended instructions of the module.
fn extended(words: &[u32]) -> Vec<u32> {
    let found = std::cell::RefCell::new(Vec::new());
    with(words, |i| {
        if i[0] & 0xFFFF == 12 {
            found.borrow_mut().push(i[4]);
        }
    });
    found.into_inner()
}

// rows: M-3.1a
#[test]
fn gpu_a_minimum_or_maximum_with_one_nan_is_the_other_operand() {
    let Some(device) = open() else { return };
    let words = module("cs_minmax_nan");
    let out = results(&device, &words, &[NAN, ONE, ONE, NAN, NAN, NAN, ONE, MINUS | ONE], 2, 4);
    assert_eq!(out[..8], [ONE; 8], "{out:x?}");
    assert!(out[8..12].iter().all(|w| f32::from_bits(*w).is_nan()), "{out:x?}");
    assert_eq!(out[12..], [MINUS | ONE, ONE, MINUS | ONE, ONE]);
    // Some drivers give the same for the plain forms: what the module says counts. 79 and 80 are NMin and NMax, 37 and 40 FMin and FMax.
    let aware = |words: &[u32]| extended(words).iter().filter(|e| [79, 80].contains(*e)).count();
    assert_eq!(aware(&words), 4);
    let plain = with(&words, |i| {
        if i[0] & 0xFFFF == 12 && [79, 80].contains(&i[4]) {
            i[4] = if i[4] == 79 { 37 } else { 40 };
        }
    });
    assert_eq!(aware(&plain), 0);
}

// rows: M-3.1b
#[test]
fn gpu_a_saturated_nan_is_zero() {
    let Some(device) = open() else { return };
    let words = module("cs_saturate_nan");
    let two = 2f32.to_bits();
    let out = results(&device, &words, &[NAN, ONE, MINUS | ONE, ONE, two, ONE, MINUS, ONE, INFINITY, 0], 2, 4);
    let saturated: Vec<f32> = out.chunks(4).map(|r| f32::from_bits(r[0])).collect();
    assert_eq!(saturated, [0.0, 0.0, 1.0, 0.0, 1.0]);
    // Products and sums: NaN, -1, 2, -0 and Inf * 0; NaN, 0, 3, 1 and Inf.
    let products: Vec<f32> = out.chunks(4).map(|r| f32::from_bits(r[1])).collect();
    assert_eq!(products, [0.0, 0.0, 1.0, 0.0, 0.0]);
    let sums: Vec<f32> = out.chunks(4).map(|r| f32::from_bits(r[2])).collect();
    assert_eq!(sums, [0.0, 0.0, 1.0, 1.0, 1.0]);
    // 81 is NClamp, 43 FClamp.
    let aware = |words: &[u32]| extended(words).iter().filter(|e| **e == 81).count();
    assert_eq!((aware(&words), extended(&words).contains(&43)), (3, false));
    let plain = with(&words, |i| {
        if i[0] & 0xFFFF == 12 && i[4] == 81 {
            i[4] = 43;
        }
    });
    assert_eq!(aware(&plain), 0);
}

// rows: M-3.7
#[test]
fn gpu_reciprocal_and_logarithm_of_zero_are_infinite_with_a_sign() {
    let Some(device) = open() else { return };
    let words = module("cs_mufu_edges");
    let edges = |words: &[u32]| {
        let out = results(&device, words, &[0, MINUS, INFINITY, MINUS | INFINITY, ONE], 1, 8);
        // 1/0, 1/-0, log2 0, 1/Inf, 1/-Inf, log2 1.
        [out[0], out[8], out[1], out[16], out[24], out[33]]
    };
    let expected = [INFINITY, MINUS | INFINITY, MINUS | INFINITY, 0, MINUS, 0];
    assert_eq!(edges(&words), expected);
    // The planted fault: neither gives an infinity. 30 is Log2 and 31 Sqrt, 136 is FDiv and 133 FMul.
    let finite = with(&words, |i| match (i[0] & 0xFFFF, i.get(4)) {
        (12, Some(30)) => i[4] = 31,
        (136, _) => i[0] = i[0] & 0xFFFF_0000 | 133,
        _ => {}
    });
    assert_ne!(edges(&finite), expected);
}

/// There is no divide unit: shifts and subtractions, lifted as they are, give the quotients.
// rows: M-3.7
#[test]
fn gpu_ten_thousand_integer_quotients_are_right() {
    let Some(device) = open() else { return };
    let words = module("cs_u32_divide");
    let mut random = Random::new(37);
    let input: Vec<u32> = (0..10_000)
        .flat_map(|n| {
            let (a, b) = (random.word() ^ random.word() << 16, random.word() ^ random.word() << 16);
            [a, (b >> (n % 32)).max(1)]
        })
        .collect();
    let wrong = |words: &[u32]| {
        let out = results(&device, words, &input, 2, 4);
        let pairs = input.chunks(2).zip(out.chunks(4));
        pairs
            .filter(|(p, r)| {
                let product = u64::from(p[0]) * u64::from(p[1]);
                **r != [p[0] / p[1], p[0] % p[1], product as u32, (product >> 32) as u32]
            })
            .count()
    };
    assert_eq!(wrong(&words), 0);
    // The planted fault: compares are signed. 172, 174, 176 and 178 are the unsigned ones, each before its signed twin.
    let signed = with(&words, |i| {
        if [172, 174, 176, 178].contains(&(i[0] & 0xFFFF)) {
            i[0] += 1;
        }
    });
    assert_ne!(wrong(&signed), 0);
}
