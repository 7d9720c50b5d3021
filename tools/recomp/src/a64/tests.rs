use proptest::prelude::*;

use super::*;

fn name(word: u32) -> &'static str {
    decode(word).map_or("?", |i| i.name())
}

#[test]
fn one_of_each_group() {
    for (word, expected) in [
        (0x9100_43FF, "add"),
        (0xD10083FF, "sub"),
        (0x9000_0008, "adrp"),
        (0x9240_0C00, "and"),
        (0xD280_0020, "movz"),
        (0xD340_FC00, "ubfm"),
        (0x1400_0001, "b"),
        (0x9400_0001, "bl"),
        (0x5400_0040, "b.cond"),
        (0xB400_0040, "cbz"),
        (0x3600_0040, "tbz"),
        (0xD61F_0100, "br"),
        (0xD65F_03C0, "ret"),
        (0xD400_0021, "svc"),
        (0xD503_201F, "hint"),
        (0xD503_3BBF, "dmb"),
        (0xD53B_D040, "mrs"),
        (0xA9BF_7BFD, "stp"),
        (0xA8C1_7BFD, "ldp"),
        (0xF940_0000, "ldr"),
        (0xC85F_7C00, "ldxr"),
        (0xC801_7C00, "stxr"),
        (0xF820_0000, "ldadd"),
        (0x8B02_0020, "add"),
        (0xFA41_0004, "ccmp"),
        (0x9A81_0000, "csel"),
        (0x9BC1_7C00, "umulh"),
        (0x9AC1_0800, "udiv"),
        (0xDAC0_1000, "clz"),
        (0x1E62_2820, "fadd"),
        (0x1F42_0C20, "fmadd"),
        (0x1E78_0000, "fcvtzs"),
        (0x1E60_2008, "fcmp"),
        (0x4E22_D420, "fadd"),
        (0x4EA2_8420, "add"),
        (0x0E31_B801, "addv"),
        (0x6F00_E400, "movi"),
        (0x4F00_5400, "movi"),
        (0x4F21_5400, "shl"),
        (0x4E28_4800, "aese"),
        (0x4C40_7000, "ld1"),
        (0x0000_0000, "udf"),
        (0xFFFF_FFFF, "?"),
    ] {
        assert_eq!(name(word), expected, "{word:08x}");
    }
}

#[test]
fn fields_and_targets() {
    let adrp = decode(0x9000_0028).unwrap(); // adrp x8, +4 pages
    assert_eq!(adrp.target(0x71_0000_1234), Some(0x71_0000_5000));
    let back = decode(0x17FF_FFFF).unwrap();
    assert_eq!(back.target(0x1000), Some(0xFFC));
    let and = decode(0x9240_0C00).unwrap(); // and x0, x0, #0xf
    assert_eq!(and.logical_mask(), Some(0xF));
    let and = decode(0x1200_CC00).unwrap(); // and w0, w0, #0x0f0f0f0f rotated forms
    assert_eq!(and.logical_mask().map(|m| m as u32), Some(0x0F0F_0F0F));
    assert_eq!(f32::from_bits(fp32_immediate(0x70)), 1.0);
    assert_eq!(f64::from_bits(fp64_immediate(0x00)), 2.0);
    assert_eq!(f64::from_bits(fp64_immediate(0x78)), 1.5);
}

#[test]
fn patterns_are_well_formed() {
    for row in ROWS {
        let bits = row.pattern.chars().filter(|c| *c != ' ').count();
        assert_eq!(bits, 32, "{} {}", row.name, row.pattern);
        // A letter names one run of bits.
        let flat: String = row.pattern.chars().filter(|c| *c != ' ').collect();
        for letter in 'a'..='z' {
            if let (Some(first), Some(last)) = (flat.find(letter), flat.rfind(letter)) {
                assert!(flat[first..=last].chars().all(|c| c == letter), "{} {} {letter}", row.name, row.pattern);
            }
        }
    }
}

#[test]
fn every_row_is_reachable() {
    // Some word of each row must decode to that row: no row hides behind an earlier one.
    for (number, row) in ROWS.iter().enumerate() {
        let compiled = compile(row.pattern);
        let mut state = 0x9E37_79B9_7F4A_7C15u64 ^ number as u64;
        let found = (0..20_000).any(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let word = ((state >> 32) as u32 & !compiled.mask) | compiled.value;
            decode(word).is_some_and(|i| usize::from(i.row) == number)
        });
        assert!(found, "{} {}", row.name, row.pattern);
    }
}

proptest! {
    #[test]
    fn fuzz_words_are_answered(word: u32) {
        if let Some(inst) = decode(word) {
            let _ = (inst.target(0), inst.rd(), inst.rm(), inst.ra(), format!("{inst:?}"));
        }
    }
}
