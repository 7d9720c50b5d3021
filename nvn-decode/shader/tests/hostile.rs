//! Whatever the bytes are, the translator answers: no panic, bounded work.

use nvn_shader::isa::{Instruction, disassemble};
use nvn_shader::{ProgramBinary, ShaderKey, translate};
use proptest::prelude::*;
use std::time::{Duration, Instant};

fn sections(stage: u32, header: &[u32], words: &[u64]) -> (Vec<u8>, Vec<u8>) {
    let mut program: Vec<u8> = (0..20).flat_map(|k| header.get(k).copied().unwrap_or(0).to_le_bytes()).collect();
    for group in words.chunks(3) {
        program.extend(0x7E0u64.to_le_bytes());
        for k in 0..3 {
            program.extend(group.get(k).copied().unwrap_or(0x50B0_0000_0007_0F00).to_le_bytes());
        }
    }
    let mut code = vec![0u8; 0x30];
    code[..4].copy_from_slice(&0x1234_5678u32.to_le_bytes());
    code.extend(&program);
    let mut control = vec![0u8; 0x7C8];
    let mut put = |at: usize, value: u32| control[at..at + 4].copy_from_slice(&value.to_le_bytes());
    put(0, 0x9876_1234);
    put(0x6F8, program.len() as u32);
    put(0x708, 0x30);
    put(0x714, stage);
    put(0x754, 256);
    (control, code)
}

fn bounded(control: &[u8], code: &[u8]) {
    let start = Instant::now();
    let _ = translate(ProgramBinary { control, code }, &ShaderKey::default());
    assert!(start.elapsed() < Duration::from_secs(20), "took {:?}", start.elapsed());
}

/// A word that decodes, with a guard that runs.
fn valid_word() -> impl Strategy<Value = u64> {
    any::<u64>().prop_map(|word| {
        let mut word = word;
        for _ in 0..64 {
            if Instruction::decode(8, word).is_some() {
                return word;
            }
            word = word.rotate_left(7).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
        0x50B0_0000_0007_0F00
    })
}

/// A branch or push with a near target, or an exit: dense control flow.
fn flow_word() -> impl Strategy<Value = u64> {
    let bases = prop::sample::select(vec![
        0xE240_0000_0007_000Fu64,
        0xE290_0000_0000_0000,
        0xE2A0_0000_0000_0000,
        0xE2B0_0000_0000_0000,
        0xE270_0000_0000_0000,
        0xE260_0000_0000_0040,
        0xF0F8_0000_0007_000F,
        0xE340_0000_0007_000F,
        0xE350_0000_0007_000F,
        0xE320_0000_0007_000F,
        0xE300_0000_0007_000F,
        0xE330_0000_0007_000F,
    ]);
    (bases, 0u64..8, -12i64..12).prop_map(|(base, guard, step)| {
        let offset = ((step * 8) as u64 & 0xFF_FFFF) << 20;
        let targeted = matches!(base >> 52, 0xE24 | 0xE29 | 0xE2A | 0xE2B | 0xE27 | 0xE26);
        let word = if targeted { base | offset } else { base };
        (word & !(0xF << 16)) | (guard << 16)
    })
}

/// A short run that is the same each time, or as the environment says: `cargo xtask soak` asks for many cases.
fn fuzz(cases: u32) -> ProptestConfig {
    let given = ProptestConfig::default();
    if std::env::var_os("PROPTEST_CASES").is_some() {
        given
    } else {
        ProptestConfig { cases, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..given }
    }
}

proptest! {
    #![proptest_config(fuzz(400))]

    #[test]
    fn fuzz_arbitrary_sections_are_answered(control in prop::collection::vec(any::<u8>(), 0..2200), code in prop::collection::vec(any::<u8>(), 0..600)) {
        bounded(&control, &code);
    }

    #[test]
    fn fuzz_arbitrary_code_is_answered(stage in 0u32..7, header in prop::collection::vec(any::<u32>(), 20), words in prop::collection::vec(any::<u64>(), 0..40)) {
        let (control, code) = sections(stage, &header, &words);
        bounded(&control, &code);
        let _ = disassemble(&code);
    }

    #[test]
    fn fuzz_code_of_valid_words_is_answered(stage in 0u32..6, header in prop::collection::vec(any::<u32>(), 20), words in prop::collection::vec(valid_word(), 0..60)) {
        let (control, code) = sections(stage, &header, &words);
        bounded(&control, &code);
        let _ = disassemble(&code);
    }

    #[test]
    fn fuzz_tangled_control_flow_is_answered(words in prop::collection::vec(flow_word(), 1..48)) {
        let (control, code) = sections(5, &[], &words);
        bounded(&control, &code);
    }
}

/// A million nested pushes, deep chains and self-branches stay bounded.
#[test]
fn long_programs_stay_bounded() {
    for word in [0xE290_0000_0000_0000u64, 0xE240_0000_0007_000F, 0xE240_0000_0000_000F, 0xE260_0000_0000_0040] {
        let (control, code) = sections(5, &[], &vec![word; 60_000]);
        bounded(&control, &code);
    }
}
