//! Single instructions against a model on the CPU, named after the facts on instruction semantics they check. Each test assembles a
//! compute program, translates it, runs it over edge values and random words, and compares bit for bit (or as close as said).

use ferrograph_compare::assemble::{compute, encode, guarded};
use ferrograph_compare::device::Device;
use ferrograph_compare::run::dispatch;
use ferrograph_compare::values::{Closeness, Random, closeness};
use nvn_shader::isa::{Field as F, Op};
use nvn_shader::{BindingScheme, ShaderKey, translate};
use std::cell::OnceCell;

thread_local! {
    static DEVICE: OnceCell<Option<Device>> = const { OnceCell::new() };
}

const THREADS: usize = 512;

/// Words that instructions treat specially.
const EDGES: [u32; 40] = [
    0,
    0x8000_0000,
    0x3F80_0000,
    0xBF80_0000,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0000,
    0xFFC0_0000,
    0x4000_0000,
    0x3F00_0000,
    0xBF00_0000,
    0x4F00_0000,
    0xCF00_0000,
    0x4F80_0000,
    0x5000_0000,
    0x3FC0_0000,
    0x4020_0000,
    0xC020_0000,
    0x7F7F_FFFF,
    0xFF7F_FFFF,
    1,
    2,
    3,
    31,
    32,
    33,
    63,
    64,
    255,
    256,
    0x7F,
    0x80,
    0xFFFF,
    0x1_0000,
    0x7FFF,
    0x8000,
    0x7FFF_FFFF,
    0xFFFF_FFFF,
    0xFFFF_FFFE,
    0x1234_5678,
];

fn inputs(seed: u64) -> Vec<[u32; 4]> {
    let mut random = Random::new(seed);
    (0..THREADS)
        .map(|thread| {
            std::array::from_fn(|k| match (thread + k) % 4 {
                // Every pair of edge values comes up for the first two words.
                _ if thread < 400 && k == 0 => EDGES[thread % 40],
                _ if thread < 400 && k == 1 => EDGES[(thread / 40 * 4 + thread) % 40],
                0 => random.word() % 70,
                1 => random.float(-300.0, 300.0).to_bits(),
                2 => EDGES[random.word() as usize % 40],
                _ => random.word() ^ (random.word() << 16),
            })
        })
        .collect()
}

/// Runs a body and returns what each thread stored with what it got.
fn execute(body: &[u64]) -> Option<Vec<([u32; 4], [u32; 4])>> {
    let program = compute(body, &[]);
    let key = ShaderKey { bindings: BindingScheme::Reference, ..ShaderKey::default() };
    let spirv = translate(program.binary(), &key).expect("translates").spirv;
    DEVICE.with(|cell| {
        let device = cell
            .get_or_init(|| Device::open().map_err(|error| eprintln!("{error}: the test is skipped")).ok())
            .as_ref()?;
        let given = inputs(body.len() as u64 * 977 + body[0]);
        let bytes: Vec<u8> = given.iter().flatten().flat_map(|w| w.to_le_bytes()).collect();
        let out = dispatch(device, &spirv, &[bytes, vec![0; THREADS * 16]], (THREADS / 32) as u32).expect("runs");
        let stored = out[1].chunks(4).map(|c| [c[0], c[1], c[2], c[3]]);
        Some(given.into_iter().zip(stored).collect())
    })
}

/// Checks R12 (and the further words the model gives) bit for bit.
fn exact(body: &[u64], model: impl Fn([u32; 4]) -> u32) {
    let Some(results) = execute(body) else { return };
    for (given, stored) in results {
        let expected = model(given);
        assert_eq!(stored[0], expected, "{given:#010x?} gives {:#010x} instead of {expected:#010x}", stored[0]);
    }
}

/// Whether a word is a subnormal float: hosts may flush those (lavapipe does).
fn subnormal(word: u32) -> bool {
    word & 0x7F80_0000 == 0 && word & 0x7F_FFFF != 0
}

/// Checks a float result; NaN is any NaN, subnormal operands and results are left out.
fn float(body: &[u64], operands: usize, worst: Closeness, model: impl Fn([f32; 4]) -> f32) {
    let Some(results) = execute(body) else { return };
    for (given, stored) in results {
        let expected = model(given.map(f32::from_bits));
        if given[..operands].iter().any(|w| subnormal(*w)) || subnormal(expected.to_bits()) {
            continue;
        }
        let got = f32::from_bits(stored[0]);
        let close = if got.is_nan() && expected.is_nan() {
            Closeness::Exact
        } else {
            closeness(stored[0], expected.to_bits(), true)
        };
        assert!(
            close <= worst,
            "{:?} gives {got} ({:#010x}) instead of {expected}",
            given.map(f32::from_bits),
            stored[0]
        );
    }
}

/// d = op(a, b) in the register form with fields on top.
fn two(op: Op, more: &[(F, u64)]) -> Vec<u64> {
    let mut fields = vec![(F::D, 12), (F::A, 8), (F::B, 9)];
    fields.extend(more);
    vec![encode(op, "R", &fields)]
}

fn one(op: Op, more: &[(F, u64)]) -> Vec<u64> {
    let mut fields = vec![(F::D, 12), (F::B, 8)];
    fields.extend(more);
    vec![encode(op, "R", &fields)]
}

fn three(op: Op, form: &str, more: &[(F, u64)]) -> Vec<u64> {
    let mut fields = vec![(F::D, 12), (F::A, 8), (F::B, 9), (F::C, 10)];
    fields.extend(more);
    vec![encode(op, form, &fields)]
}

#[test]
fn gpu_f1_minimum_and_maximum_drop_a_nan() {
    let pick = |a: f32, b: f32, least: bool| match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ if least => a.min(b),
        _ => a.max(b),
    };
    float(&two(Op::Fmnmx, &[(F::Ps, 7)]), 2, Closeness::Exact, |v| pick(v[0], v[1], true));
    float(&two(Op::Fmnmx, &[(F::Ps, 7), (F::NotPs, 1)]), 2, Closeness::Exact, |v| pick(v[0], v[1], false));
}

#[test]
fn gpu_f2_saturation_turns_nan_into_zero() {
    float(&two(Op::Fadd, &[(F::Sat, 1)]), 2, Closeness::Exact, |v| {
        let sum = v[0] + v[1];
        if sum > 0.0 { sum.min(1.0) } else { 0.0 }
    });
}

#[test]
fn gpu_f3_fmz_makes_zero_win() {
    float(&two(Op::Fmul, &[(F::Fmz, 2)]), 2, Closeness::Exact, |v| {
        if v[0] == 0.0 || v[1] == 0.0 { 0.0 } else { v[0] * v[1] }
    });
}

#[test]
fn gpu_f5_the_multiply_add_has_the_signs_of_its_bits() {
    float(&three(Op::Ffma, "R", &[(F::NegB, 1), (F::NegC, 1)]), 3, Closeness::Approximate, |v| {
        let r = -(f64::from(v[0]) * f64::from(v[1])) - f64::from(v[2]);
        r as f32
    });
}

#[test]
fn gpu_f7_compares_are_ordered_unless_they_say_otherwise() {
    for kind in 1..15u64 {
        let body = vec![
            encode(Op::Fsetp, "R", &[(F::Cmp, kind), (F::A, 8), (F::B, 9), (F::Pd, 0), (F::Pq, 1), (F::Ps, 7)]),
            encode(Op::Mov32i, "-", &[(F::D, 12), (F::Mask, 15)]),
            guarded(encode(Op::Mov32i, "-", &[(F::D, 12), (F::Imm32, 1), (F::Mask, 15)]), 0, false),
            // The second predicate is the complement of the compare.
            guarded(encode(Op::Lop32i, "-", &[(F::D, 12), (F::A, 12), (F::Imm32, 2), (F::Op, 1)]), 1, false),
        ];
        let Some(results) = execute(&body) else { return };
        for (given, stored) in results {
            if given[..2].iter().any(|w| subnormal(*w)) {
                continue;
            }
            let (a, b) = (f32::from_bits(given[0]), f32::from_bits(given[1]));
            let plain = match kind & 7 {
                1 => a < b,
                2 => a == b,
                3 => a <= b,
                4 => a > b,
                5 => a != b,
                6 => a >= b,
                7 => true,
                _ => false,
            };
            let unordered = a.is_nan() || b.is_nan();
            let truth = if unordered { kind >= 8 } else { plain };
            let expected = u32::from(truth) | (u32::from(!truth) << 1);
            assert_eq!(stored[0], expected, "compare {kind} of {a} and {b}");
        }
    }
}

#[test]
fn gpu_f8_the_set_form_gives_a_mask_or_one() {
    let truth = |v: [u32; 4]| f32::from_bits(v[0]) < f32::from_bits(v[1]);
    for bf in [0, 1] {
        let body = two(Op::Fset, &[(F::Cmp, 1), (F::Bf, bf), (F::Ps, 7)]);
        let Some(results) = execute(&body) else { return };
        for (given, stored) in results {
            if given[..2].iter().any(|w| subnormal(*w)) {
                continue;
            }
            let yes = if bf == 1 { 0x3F80_0000 } else { u32::MAX };
            assert_eq!(stored[0], if truth(given) { yes } else { 0 });
        }
    }
}

#[test]
fn gpu_f10_the_product_is_scaled() {
    float(&two(Op::Fmul, &[(F::Scale, 4)]), 2, Closeness::Exact, |v| v[0] * 8.0 * v[1]);
    float(&two(Op::Fmul, &[(F::Scale, 1), (F::NegB, 1)]), 2, Closeness::Exact, |v| -(v[0] * 0.5 * v[1]));
}

/// Catalogue M-3.7.
#[test]
fn gpu_f13_reciprocals_and_logarithms_have_signed_infinities() {
    let mufu = |op| vec![encode(Op::Mufu, "-", &[(F::D, 12), (F::A, 8), (F::Op, op)])];
    float(&mufu(4), 1, Closeness::Near, |v| 1.0 / v[0]);
    float(&mufu(5), 1, Closeness::Near, |v| 1.0 / v[0].sqrt());
    float(&mufu(3), 1, Closeness::Approximate, |v| v[0].log2());
}

#[test]
fn gpu_f19_rounding_to_an_integral_float_follows_its_mode() {
    for (mode, model) in [(0, f32::round_ties_even as fn(f32) -> f32), (1, f32::floor), (2, f32::ceil), (3, f32::trunc)]
    {
        let body = one(Op::F2f, &[(F::Dfmt, 2), (F::Sfmt, 2), (F::ToInt, 1), (F::Rnd, mode)]);
        float(&body, 1, Closeness::Exact, |v| model(v[0]));
    }
}

#[test]
fn gpu_float_to_integer_saturates_and_nan_gives_zero() {
    let f2i = |format: u64, mode: u64| one(Op::F2i, &[(F::Dfmt, format), (F::Sfmt, 2), (F::Rnd, mode)]);
    let value = |v: [u32; 4]| f32::from_bits(v[0]);
    exact(&f2i(6, 3), |v| (value(v).trunc() as i32) as u32);
    exact(&f2i(2, 3), |v| value(v).trunc() as u32);
    exact(&f2i(6, 0), |v| (value(v).round_ties_even() as i32) as u32);
    exact(&f2i(1, 3), |v| u32::from(value(v).trunc() as u16));
    exact(&f2i(5, 3), |v| i32::from(value(v).trunc() as i16) as u32);
}

#[test]
fn gpu_integer_to_float_selects_a_part_and_rounds() {
    float(&one(Op::I2f, &[(F::Dfmt, 2), (F::Sfmt, 6)]), 0, Closeness::Exact, |v| v[0].to_bits() as i32 as f32);
    float(&one(Op::I2f, &[(F::Dfmt, 2), (F::Sfmt, 2)]), 0, Closeness::Exact, |v| v[0].to_bits() as f32);
    float(&one(Op::I2f, &[(F::Dfmt, 2), (F::Sfmt, 0), (F::Sel, 2)]), 0, Closeness::Exact, |v| {
        ((v[0].to_bits() >> 16) & 255) as f32
    });
    float(&one(Op::I2f, &[(F::Dfmt, 2), (F::Sfmt, 4), (F::Sel, 3)]), 0, Closeness::Exact, |v| {
        f32::from((v[0].to_bits() >> 24) as i8)
    });
    // Rounding down and to zero.
    float(&one(Op::I2f, &[(F::Dfmt, 2), (F::Sfmt, 6), (F::Rnd, 1)]), 0, Closeness::Exact, |v| {
        let exact = v[0].to_bits() as i32;
        let near = exact as f32;
        if f64::from(near) > f64::from(exact) { near.next_down() } else { near }
    });
    float(&one(Op::I2f, &[(F::Dfmt, 2), (F::Sfmt, 6), (F::Rnd, 3)]), 0, Closeness::Exact, |v| {
        let exact = v[0].to_bits() as i32;
        let near = exact as f32;
        if f64::from(near).abs() > f64::from(exact).abs() { f32::from_bits(near.to_bits() - 1) } else { near }
    });
    // Rounding up, which integer division relies on.
    float(&one(Op::I2f, &[(F::Dfmt, 2), (F::Sfmt, 2), (F::Rnd, 2)]), 0, Closeness::Exact, |v| {
        let exact = v[0].to_bits();
        let near = exact as f32;
        if f64::from(near) < f64::from(exact) { f32::from_bits(near.to_bits() + 1) } else { near }
    });
}

#[test]
fn gpu_narrowing_truncates_or_clamps() {
    exact(&one(Op::I2i, &[(F::Sfmt, 2), (F::Dfmt, 1), (F::Sat, 1)]), |v| v[0].min(65535));
    exact(&one(Op::I2i, &[(F::Sfmt, 6), (F::Dfmt, 4)]), |v| i32::from(v[0] as i8) as u32);
    exact(&one(Op::I2i, &[(F::Sfmt, 6), (F::Dfmt, 5), (F::Sat, 1)]), |v| (v[0] as i32).clamp(-32768, 32767) as u32);
    exact(&one(Op::I2i, &[(F::Sfmt, 6), (F::Dfmt, 6), (F::NegB, 1), (F::AbsB, 1)]), |v| {
        (v[0] as i32).wrapping_abs().wrapping_neg() as u32
    });
}

#[test]
fn gpu_the_three_halves_of_a_multiply_give_the_product() {
    let body = vec![
        encode(Op::Xmad, "R", &[(F::D, 16), (F::A, 8), (F::B, 9), (F::C, 10)]),
        encode(Op::Xmad, "R", &[(F::D, 17), (F::A, 8), (F::B, 9), (F::H1B, 1), (F::Mrg, 1), (F::C, 255)]),
        encode(
            Op::Xmad,
            "R",
            &[(F::D, 12), (F::A, 8), (F::H1A, 1), (F::B, 17), (F::H1B, 1), (F::Psl, 1), (F::Cop, 4), (F::C, 16)],
        ),
    ];
    exact(&body, |v| v[0].wrapping_mul(v[1]).wrapping_add(v[2]));
}

#[test]
fn gpu_one_half_multiply_add_has_all_its_modes() {
    let half = |w: u32, high: bool, signed: bool| -> u32 {
        let h = if high { w >> 16 } else { w & 0xFFFF };
        if signed { i32::from(h as u16 as i16) as u32 } else { h }
    };
    for (high_a, high_b, signed) in
        [(false, false, false), (true, false, false), (true, true, true), (false, true, true)]
    {
        for mode in [0u64, 1, 2, 4] {
            for (psl, mrg) in [(0u64, 0u64), (1, 0), (0, 1)] {
                let body = three(
                    Op::Xmad,
                    "R",
                    &[
                        (F::H1A, u64::from(high_a)),
                        (F::H1B, u64::from(high_b)),
                        (F::ASigned, u64::from(signed)),
                        (F::BSigned, u64::from(signed)),
                        (F::Cop, mode),
                        (F::Psl, psl),
                        (F::Mrg, mrg),
                    ],
                );
                exact(&body, |v| {
                    let mut p = half(v[0], high_a, signed).wrapping_mul(half(v[1], high_b, signed));
                    if psl == 1 {
                        p <<= 16;
                    }
                    let c = match mode {
                        1 => v[2] & 0xFFFF,
                        2 => v[2] >> 16,
                        4 => v[2].wrapping_add(v[1] << 16),
                        _ => v[2],
                    };
                    let r = p.wrapping_add(c);
                    if mrg == 1 { (r & 0xFFFF) | (v[1] << 16) } else { r }
                });
            }
        }
    }
}

#[test]
fn gpu_three_operand_addition_keeps_the_carry_of_a_right_shift() {
    exact(&three(Op::Iadd3, "R", &[(F::Lrs, 1)]), |v| {
        (((u64::from(v[0]) + u64::from(v[1])) >> 16) as u32).wrapping_add(v[2])
    });
    exact(&three(Op::Iadd3, "R", &[(F::NegB, 1), (F::SelA, 2)]), |v| {
        (v[0] >> 16).wrapping_sub(v[1]).wrapping_add(v[2])
    });
}

#[test]
fn gpu_sixty_four_bit_sums_and_differences_chain() {
    // (a:b) + (c:d) and (a:b) - (c:d) with a, c the low words.
    for negative in [0u64, 1] {
        let body = vec![
            encode(Op::Iadd, "R", &[(F::D, 12), (F::A, 8), (F::B, 10), (F::Po, negative), (F::Cc, 1)]),
            encode(Op::Iadd, "R", &[(F::D, 13), (F::A, 9), (F::B, 11), (F::Po, negative), (F::X, 1)]),
        ];
        let Some(results) = execute(&body) else { return };
        for (v, stored) in results {
            let a = u64::from(v[0]) | (u64::from(v[1]) << 32);
            let b = u64::from(v[2]) | (u64::from(v[3]) << 32);
            let expected = if negative == 1 { a.wrapping_sub(b) } else { a.wrapping_add(b) };
            assert_eq!(u64::from(stored[0]) | (u64::from(stored[1]) << 32), expected, "{v:#x?}");
        }
    }
}

#[test]
fn gpu_sixty_four_bit_compares_chain() {
    for signed in [0u64, 1] {
        for kind in 1..7u64 {
            let body = vec![
                encode(Op::Iadd, "R", &[(F::D, 255), (F::A, 8), (F::B, 10), (F::Po, 1), (F::Cc, 1)]),
                encode(
                    Op::Iset,
                    "R",
                    &[(F::D, 12), (F::A, 9), (F::B, 11), (F::Cmp, kind), (F::Signed, signed), (F::X, 1), (F::Ps, 7)],
                ),
            ];
            exact(&body, |v| {
                let a = u64::from(v[0]) | (u64::from(v[1]) << 32);
                let b = u64::from(v[2]) | (u64::from(v[3]) << 32);
                let order = if signed == 1 { (a as i64).cmp(&(b as i64)) } else { a.cmp(&b) };
                let truth = match kind {
                    1 => order.is_lt(),
                    2 => order.is_eq(),
                    3 => order.is_le(),
                    4 => order.is_gt(),
                    5 => order.is_ne(),
                    _ => order.is_ge(),
                };
                if truth { u32::MAX } else { 0 }
            });
        }
    }
}

#[test]
fn gpu_shifts_by_32_and_more_give_nothing_but_the_sign() {
    exact(&two(Op::Shl, &[]), |v| v[0].checked_shl(v[1]).unwrap_or(0));
    exact(&two(Op::Shr, &[]), |v| v[0].checked_shr(v[1]).unwrap_or(0));
    exact(&two(Op::Shr, &[(F::Signed, 1)]), |v| ((v[0] as i32) >> v[1].min(31)) as u32);
    exact(&two(Op::Shl, &[(F::W, 1)]), |v| v[0] << (v[1] & 31));
}

#[test]
fn gpu_funnel_shifts_take_both_words() {
    let wide = |v: [u32; 4]| (u64::from(v[2]) << 32) | u64::from(v[0]);
    for max in [0u64, 2, 3] {
        let limit = if max == 0 { 32 } else { 64 };
        exact(&three(Op::Shf, "L_R", &[(F::Max, max)]), |v| {
            let n = v[1].min(limit);
            (wide(v).checked_shl(n).unwrap_or(0) >> 32) as u32
        });
        exact(&three(Op::Shf, "R_R", &[(F::Max, max)]), |v| {
            let n = v[1].min(limit);
            if max == 3 { ((wide(v) as i64) >> n.min(63)) as u32 } else { wide(v).checked_shr(n).unwrap_or(0) as u32 }
        });
    }
}

#[test]
fn gpu_bit_fields_stop_at_bit_31() {
    let extract = |v: [u32; 4], signed: bool| {
        let (position, length) = (v[1] & 255, (v[1] >> 8) & 255);
        if length == 0 {
            return 0;
        }
        let wide = if signed { i64::from(v[0] as i32) } else { i64::from(v[0]) };
        let shifted = wide >> position.min(63);
        if length >= 32 || position + length >= 32 {
            return shifted as u32;
        }
        let kept = (shifted as u32) & ((1 << length) - 1);
        if signed { (((kept << (32 - length)) as i32) >> (32 - length)) as u32 } else { kept }
    };
    exact(&two(Op::Bfe, &[]), |v| extract(v, false));
    exact(&two(Op::Bfe, &[(F::Signed, 1)]), |v| extract(v, true));
    exact(&three(Op::Bfi, "R", &[]), |v| {
        let (position, length) = (v[1] & 255, (v[1] >> 8) & 255);
        let mask = if length >= 32 { u64::from(u32::MAX) } else { (1u64 << length) - 1 };
        let mask = mask.checked_shl(position).unwrap_or(0) as u32;
        let moved = u64::from(v[0]).checked_shl(position).unwrap_or(0) as u32;
        (v[2] & !mask) | (moved & mask)
    });
    // Position 0 and length 32 with a reversal reverses the word.
    let body = vec![
        encode(Op::Mov32i, "-", &[(F::D, 9), (F::Imm32, 0x2000), (F::Mask, 15)]),
        encode(Op::Bfe, "R", &[(F::D, 12), (F::A, 8), (F::B, 9), (F::Brev, 1)]),
    ];
    exact(&body, |v| v[0].reverse_bits());
}

#[test]
fn gpu_the_highest_bit_is_found_or_is_all_ones() {
    exact(&one(Op::Flo, &[]), |v| if v[0] == 0 { u32::MAX } else { 31 - v[0].leading_zeros() });
    exact(&one(Op::Flo, &[(F::Sh, 1)]), |v| if v[0] == 0 { u32::MAX } else { v[0].leading_zeros() });
    exact(&one(Op::Flo, &[(F::Signed, 1)]), |v| {
        let x = if (v[0] as i32) < 0 { !v[0] } else { v[0] };
        if x == 0 { u32::MAX } else { 31 - x.leading_zeros() }
    });
    exact(&one(Op::Popc, &[(F::InvB, 1)]), |v| (!v[0]).count_ones());
}

#[test]
fn gpu_the_three_input_table_counts_a_as_its_high_bit() {
    for lut in [0xCAu64, 0xE2, 0x96, 0x1B, 0x80, 0x7F] {
        exact(&three(Op::Lop3, "R", &[(F::Lut, lut), (F::Pd, 7)]), |v| {
            (0..32).fold(0, |acc, bit| {
                let index = ((v[0] >> bit & 1) << 2) | ((v[1] >> bit & 1) << 1) | (v[2] >> bit & 1);
                acc | (((lut as u32 >> index) & 1) << bit)
            })
        });
    }
}

#[test]
fn gpu_high_products_follow_the_signs_of_their_operands() {
    for (sa, sb) in [(0u64, 0u64), (1, 1), (1, 0), (0, 1)] {
        let wide = |w: u32, signed: u64| if signed == 1 { i128::from(w as i32) } else { i128::from(w) };
        exact(&two(Op::Imul, &[(F::ASigned, sa), (F::BSigned, sb), (F::Hi, 1)]), |v| {
            ((wide(v[0], sa) * wide(v[1], sb)) >> 32) as u32
        });
    }
}

#[test]
fn gpu_integer_minimum_maximum_and_scaled_addition() {
    exact(&two(Op::Imnmx, &[(F::Signed, 1), (F::Ps, 7)]), |v| (v[0] as i32).min(v[1] as i32) as u32);
    exact(&two(Op::Imnmx, &[(F::Ps, 7), (F::NotPs, 1)]), |v| v[0].max(v[1]));
    exact(&two(Op::Iscadd, &[(F::Shift, 3), (F::Po, 1)]), |v| (v[0] << 3).wrapping_sub(v[1]));
    exact(&two(Op::Iadd, &[(F::Po, 3)]), |v| v[0].wrapping_add(v[1]).wrapping_add(1));
    exact(&two(Op::Iadd, &[(F::Sat, 1)]), |v| (v[0] as i32).saturating_add(v[1] as i32) as u32);
}

#[test]
fn gpu_permutes_pick_bytes_and_replicate_signs() {
    for selector in [0x7531u64, 0x0123, 0x8F3C, 0x4440] {
        let body = vec![
            encode(Op::Mov32i, "-", &[(F::D, 9), (F::Imm32, selector), (F::Mask, 15)]),
            encode(Op::Prmt, "R", &[(F::D, 12), (F::A, 8), (F::B, 9), (F::C, 10)]),
        ];
        exact(&body, |v| {
            let pool = (u64::from(v[2]) << 32) | u64::from(v[0]);
            (0..4).fold(0, |acc, k| {
                let nibble = (selector >> (k * 4)) & 15;
                let byte = (pool >> ((nibble & 7) * 8)) as u8;
                let byte = if nibble & 8 != 0 { ((byte as i8) >> 7) as u8 } else { byte };
                acc | (u32::from(byte) << (k * 8))
            })
        });
    }
}

/// Catalogue M-3.12a: a register on a path that does not write it reads 0, not what another path wrote.
#[test]
fn gpu_m_3_12a_unwritten_registers_read_zero() {
    let body = vec![
        encode(Op::Isetp, "R", &[(F::A, 8), (F::B, 9), (F::Cmp, 1), (F::Pd, 0), (F::Pq, 7), (F::Ps, 7)]),
        guarded(encode(Op::Mov, "R", &[(F::D, 40), (F::B, 10), (F::Mask, 15)]), 0, false),
        encode(Op::Mov, "R", &[(F::D, 12), (F::B, 40), (F::Mask, 15)]),
    ];
    exact(&body, |v| if v[0] < v[1] { v[2] } else { 0 });
}

/// Shared memory atomics wrap as asked: INC counts to its operand and DEC from it.
#[test]
fn gpu_increments_and_decrements_wrap_at_their_operand() {
    let atom = |op: u64| {
        vec![
            // Each thread has its own word of shared memory.
            encode(Op::S2r, "-", &[(F::D, 16), (F::Sreg, 33)]),
            encode(Op::Shl, "I", &[(F::D, 16), (F::A, 16), (F::Imm20, 2)]),
            encode(Op::Sts, "-", &[(F::A, 16), (F::D, 8), (F::Size, 4)]),
            encode(Op::Atoms, "-", &[(F::D, 13), (F::A, 16), (F::B, 9), (F::Op, op)]),
            encode(Op::Lds, "-", &[(F::D, 12), (F::A, 16), (F::Size, 4)]),
        ]
    };
    exact(&atom(3), |v| if v[0] >= v[1] { 0 } else { v[0] + 1 });
    exact(&atom(4), |v| if v[0] == 0 || v[0] > v[1] { v[1] } else { v[0] - 1 });
    exact(&atom(1), |v| v[0].min(v[1]));
}

#[test]
fn gpu_narrow_loads_extend_and_narrow_stores_keep_their_neighbours() {
    // Local memory: store a word, overwrite its second byte, load signed bytes and halves.
    let body = vec![
        encode(Op::Stl, "-", &[(F::A, 255), (F::Imm, 8), (F::D, 8), (F::Size, 4)]),
        encode(Op::Stl, "-", &[(F::A, 255), (F::Imm, 9), (F::D, 9), (F::Size, 0)]),
        encode(Op::Ldl, "-", &[(F::A, 255), (F::Imm, 8), (F::D, 12), (F::Size, 4)]),
        encode(Op::Ldl, "-", &[(F::A, 255), (F::Imm, 9), (F::D, 13), (F::Size, 1)]),
        encode(Op::Ldl, "-", &[(F::A, 255), (F::Imm, 10), (F::D, 14), (F::Size, 3)]),
    ];
    let Some(results) = execute(&body) else { return };
    for (v, stored) in results {
        let word = (v[0] & !0xFF00) | ((v[1] & 255) << 8);
        assert_eq!(stored[0], word);
        assert_eq!(stored[1], i32::from((word >> 8) as i8) as u32);
        assert_eq!(stored[2], i32::from((word >> 16) as i16) as u32);
    }
}

/// A half as a float.
fn half(bits: u32) -> f32 {
    let (sign, exponent, fraction) = (bits >> 15 & 1, bits >> 10 & 31, bits & 0x3FF);
    let magnitude = match exponent {
        0 => fraction as f32 * 2f32.powi(-24),
        31 if fraction == 0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction as f32 / 1024.0) * 2f32.powi(exponent as i32 - 15),
    };
    if sign == 1 { -magnitude } else { magnitude }
}

#[test]
fn gpu_f18_half_pairs_swizzle_and_merge() {
    // Swap the halves of a by reading H1 for both and keeping the low half of the old result.
    for (op, product) in [(Op::Hadd2, false), (Op::Hmul2, true)] {
        for format in [0u64, 1, 2, 3] {
            let body = vec![
                encode(Op::Mov, "R", &[(F::D, 12), (F::B, 10), (F::Mask, 15)]),
                encode(
                    op,
                    "R",
                    &[(F::D, 12), (F::A, 8), (F::B, 9), (F::SwzA, 3), (F::SwzB, 0), (F::NegB, 1), (F::Ofmt, format)],
                ),
            ];
            let Some(results) = execute(&body) else { return };
            for (v, stored) in results {
                let a = half(v[0] >> 16);
                let [low, high] = [v[1] & 0xFFFF, v[1] >> 16].map(|b| if product { a * -half(b) } else { a - half(b) });
                let same = |got: u32, want: f32| {
                    let got = half(got);
                    let tiny = |x: f32| x.abs() < 6.2e-5;
                    (got.is_nan() && want.is_nan())
                        || got == want
                        || (tiny(got) && tiny(want))
                        || (got - want).abs() <= want.abs() / 1024.0
                        || (want.abs() > 65503.0 && got.abs() >= 65504.0)
                };
                let ok = match format {
                    0 => same(stored[0] & 0xFFFF, low) && same(stored[0] >> 16, high),
                    1 => {
                        let got = f32::from_bits(stored[0]);
                        got == low || (got.is_nan() && low.is_nan()) || (got - low).abs() < 1e-6
                    }
                    2 => same(stored[0] & 0xFFFF, low) && stored[0] >> 16 == v[2] >> 16,
                    _ => same(stored[0] >> 16, high) && stored[0] & 0xFFFF == v[2] & 0xFFFF,
                };
                assert!(ok, "format {format}: {v:#x?} gives {:#x}, wanted {low} and {high}", stored[0]);
            }
        }
    }
}

#[test]
fn gpu_permute_modes_and_computed_selectors() {
    for mode in 0..7u64 {
        exact(&three(Op::Prmt, "R", &[(F::Mode, mode)]), |v| {
            let pool = (u64::from(v[2]) << 32) | u64::from(v[0]);
            let byte = |k: u32| (pool >> ((k & 7) * 8)) as u8;
            let n = v[1] & 3;
            (0..4u32).fold(0, |acc, k| {
                let b = match mode {
                    0 => {
                        let nibble = (v[1] >> (k * 4)) & 15;
                        let b = byte(nibble);
                        if nibble & 8 != 0 { ((b as i8) >> 7) as u8 } else { b }
                    }
                    1 => byte(n + k),
                    2 => byte(n.wrapping_sub(k)),
                    3 => byte(n),
                    4 => byte(n.max(k)),
                    5 => byte(n.min(k)),
                    _ => byte((n & 1) * 2 + (k & 1)),
                };
                acc | (u32::from(b) << (k * 8))
            })
        });
    }
}

#[test]
fn gpu_sixty_four_bit_minimum_and_maximum_are_two_instructions() {
    for (signed, inverted) in [(0u64, 0u64), (1, 0), (0, 1), (1, 1)] {
        let body = vec![
            encode(
                Op::Imnmx,
                "R",
                &[
                    (F::D, 13),
                    (F::A, 9),
                    (F::B, 11),
                    (F::Signed, signed),
                    (F::Xmode, 3),
                    (F::Cc, 1),
                    (F::Ps, 7),
                    (F::NotPs, inverted),
                ],
            ),
            encode(
                Op::Imnmx,
                "R",
                &[(F::D, 12), (F::A, 8), (F::B, 10), (F::Xmode, 1), (F::Ps, 7), (F::NotPs, inverted)],
            ),
        ];
        let Some(results) = execute(&body) else { return };
        for (v, stored) in results {
            let a = u64::from(v[0]) | (u64::from(v[1]) << 32);
            let b = u64::from(v[2]) | (u64::from(v[3]) << 32);
            let less = if signed == 1 { (a as i64) < (b as i64) } else { a < b };
            let expected = if less == (inverted == 0) { a } else { b };
            assert_eq!(u64::from(stored[0]) | (u64::from(stored[1]) << 32), expected, "{v:#x?}");
        }
    }
}

#[test]
fn gpu_scaled_address_addition_gives_its_carry() {
    let body = vec![
        encode(Op::Lea, "R", &[(F::D, 12), (F::A, 8), (F::B, 10), (F::Shift, 4), (F::Po, 7), (F::Cc, 1)]),
        encode(Op::Lea, "HI_R", &[(F::D, 13), (F::A, 8), (F::B, 11), (F::C, 9), (F::Shift, 4), (F::Po, 7), (F::X, 1)]),
    ];
    let Some(results) = execute(&body) else { return };
    for (v, stored) in results {
        let a = u64::from(v[0]) | (u64::from(v[1]) << 32);
        let b = u64::from(v[2]) | (u64::from(v[3]) << 32);
        let expected = (a << 4).wrapping_add(b);
        assert_eq!(u64::from(stored[0]) | (u64::from(stored[1]) << 32), expected, "{v:#x?}");
    }
}
