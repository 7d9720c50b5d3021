use super::*;

/// A module by hand: text with a MOD0, rodata with dynamic tables, data with an init array.
struct Module {
    text: Vec<u8>,
    ro: Vec<u8>,
    data: Vec<u8>,
    bss: u32,
}

const RO: u64 = 0x1000;
const DATA: u64 = 0x2000;

fn w32(out: &mut [u8], at: usize, v: u32) {
    out[at..at + 4].copy_from_slice(&v.to_le_bytes());
}

fn w64(out: &mut [u8], at: usize, v: u64) {
    out[at..at + 8].copy_from_slice(&v.to_le_bytes());
}

impl Module {
    fn new() -> Module {
        let mut text = vec![0; 0x40];
        w32(&mut text, 4, 8);
        text[8..12].copy_from_slice(b"MOD0");
        w32(&mut text, 12, RO as u32 + 0x100 - 8);
        w32(&mut text, 16, DATA as u32 + 0x20 - 8);
        w32(&mut text, 20, DATA as u32 + 0x4000 - 8);
        let mut ro = vec![0; 0x400];
        // .dynstr at ro+0, .dynsym at ro+0x40 (3 entries), hash at ro+0x90, rela at ro+0xA0... dynamic at ro+0x100.
        ro[1..8].copy_from_slice(b"nnMain\0");
        ro[8..14].copy_from_slice(b"wanted");
        let sym = |ro: &mut Vec<u8>, i: usize, name: u32, info: u8, section: u16, value: u64| {
            let at = 0x40 + i * 24;
            w32(ro, at, name);
            ro[at + 4] = info;
            ro[at + 6..at + 8].copy_from_slice(&section.to_le_bytes());
            w64(ro, at + 8, value);
            w64(ro, at + 16, 16);
        };
        sym(&mut ro, 1, 1, 0x12, 1, 0x24);
        sym(&mut ro, 2, 8, 0x22, 0, 0);
        w32(&mut ro, 0x90, 1);
        w32(&mut ro, 0x94, 3);
        let rela = [(DATA, 1027u64, 0u64, 0x28i64), (DATA + 8, 257, 1, 4), (DATA + 0x10, 1026, 2, 0)];
        for (i, (place, kind, symbol, addend)) in rela.into_iter().enumerate() {
            w64(&mut ro, 0x300 + i * 24, place);
            w64(&mut ro, 0x308 + i * 24, symbol << 32 | kind);
            w64(&mut ro, 0x310 + i * 24, addend as u64);
        }
        // RELR: one address word and one bitmap word that covers the word after it.
        w64(&mut ro, 0x380, DATA + 0x18);
        w64(&mut ro, 0x388, 0b11);
        let tags = [
            (5u64, RO),
            (10, 0x40),
            (6, RO + 0x40),
            (11, 24),
            (4, RO + 0x90),
            (7, RO + 0x300),
            (8, 48),
            (9, 24),
            (23, RO + 0x330),
            (2, 24),
            (20, 7),
            (36, RO + 0x380),
            (35, 16),
            (37, 8),
            (25, DATA),
            (27, 16),
            (12, 0x2C),
            (0, 0),
        ];
        for (i, (tag, value)) in tags.into_iter().enumerate() {
            w64(&mut ro, 0x100 + i * 16, tag);
            w64(&mut ro, 0x108 + i * 16, value);
        }
        let mut data = vec![0; 0x30];
        w64(&mut data, 0x18, 0x20);
        w64(&mut data, 0x20, 0x30);
        Module { text, ro, data, bss: 0x1000 }
    }

    fn file(&self, flags: u32) -> Vec<u8> {
        let mut out = vec![0; HEADER_SIZE];
        out[..4].copy_from_slice(b"NSO0");
        w32(&mut out, 0xC, flags);
        w32(&mut out, 0x1C, 0x100);
        w32(&mut out, 0x2C, 5);
        w32(&mut out, 0x3C, self.bss);
        out[0x40..0x44].copy_from_slice(&[0xAB, 0xCD, 0, 0x12]);
        out.extend_from_slice(b"main\0");
        for (i, (bytes, memory)) in [(&self.text, 0), (&self.ro, RO), (&self.data, DATA)].into_iter().enumerate() {
            let stored = if flags >> i & 1 != 0 { lz4_flex::block::compress(bytes) } else { bytes.clone() };
            let at = out.len() as u32;
            w32(&mut out, 0x10 + i * 16, at);
            w32(&mut out, 0x14 + i * 16, memory as u32);
            w32(&mut out, 0x18 + i * 16, bytes.len() as u32);
            w32(&mut out, 0x60 + i * 4, stored.len() as u32);
            out[0xA0 + i * 32..0xC0 + i * 32].copy_from_slice(&Sha256::digest(bytes));
            out.extend_from_slice(&stored);
        }
        out
    }
}

#[test]
fn reads_every_part() {
    for flags in [0, 0b111, 0b111_111, 0b010_101] {
        let module = Module::new();
        let nso = Nso::parse(&module.file(flags)).unwrap();
        assert_eq!(nso.name, "main");
        assert_eq!(nso.build_id_hex(), "abcd0012");
        assert_eq!(nso.segments.each_ref().map(|s| s.memory_offset), [0, RO, DATA]);
        assert_eq!(nso.segments[0].bytes, module.text);
        assert_eq!(nso.segments[2].bytes, module.data);
        assert!(nso.segments[0].perms.execute && !nso.segments[0].perms.write);
        assert!(nso.segments[2].perms.write);
        // MOD0 asks for more bss than the header: the union counts.
        assert_eq!(nso.memory_size(), DATA + 0x4000);
        assert_eq!(nso.bss_range(), DATA + 0x30..DATA + 0x4000);
        let d = &nso.dynamic;
        assert_eq!(d.symbols.len(), 3);
        assert_eq!(d.exported("nnMain").unwrap().value, 0x24);
        assert!(d.exported("wanted").is_none());
        assert_eq!(d.symbols[2].binding, SymbolBinding::Weak);
        let kinds: Vec<_> = d.relocations.iter().map(|r| (r.offset, r.kind, r.addend)).collect();
        assert_eq!(
            kinds,
            [
                (DATA + 0x18, RelocationKind::Relative, 0x20),
                (DATA + 0x20, RelocationKind::Relative, 0x30),
                (DATA, RelocationKind::Relative, 0x28),
                (DATA + 8, RelocationKind::Abs64, 4),
                (DATA + 0x10, RelocationKind::JumpSlot, 0),
            ]
        );
        assert_eq!(d.init_array, [0x28, 0x28]);
        assert_eq!(d.init, Some(0x2C));
        assert_eq!(d.init_array_range, Some((DATA, 16)));
    }
}

#[test]
fn wrong_magic_is_named() {
    let mut file = Module::new().file(0);
    file[..4].copy_from_slice(b"NRO0");
    let error = Nso::parse(&file).unwrap_err();
    assert_eq!(error, NsoError::Magic { found: *b"NRO0" });
    assert!(error.to_string().contains("offset 0x0"), "{error}");
}

#[test]
fn every_truncation_is_an_error() {
    let file = Module::new().file(0b111_111);
    for length in 0..file.len() {
        let error = Nso::parse(&file[..length]).expect_err("a cut-off file was accepted");
        assert!(matches!(error, NsoError::Truncated { .. }), "length {length:#x}: {error}");
        assert!(error.to_string().contains("offset 0x"));
    }
}

#[test]
fn version_and_zstd_are_refused() {
    let mut file = Module::new().file(0);
    w32(&mut file, 4, 1);
    assert_eq!(Nso::parse(&file).unwrap_err(), NsoError::Version { version: 1 });
    let file = Module::new().file(1 << 7);
    assert_eq!(Nso::parse(&file).unwrap_err(), NsoError::BranchFilteredZstd { flags: 0x80 });
}

#[test]
fn oversized_sections_are_refused_before_allocation() {
    let mut file = Module::new().file(0b111);
    w32(&mut file, 0x18, 0xFFFF_F000);
    let error = Nso::parse(&file).unwrap_err();
    assert!(matches!(error, NsoError::Oversized { segment: SegmentKind::Text, offset: 0x18, .. }), "{error}");
    let mut file = Module::new().file(0);
    w32(&mut file, 0x3C, 0xFFFF_F000);
    assert!(matches!(Nso::parse(&file).unwrap_err(), NsoError::Oversized { offset: 0x3C, .. }));
    // Larger than the block holds, but within what a block could hold.
    let mut file = Module::new().file(0b111);
    w32(&mut file, 0x18, 0x44);
    assert!(matches!(Nso::parse(&file).unwrap_err(), NsoError::Lz4 { segment: SegmentKind::Text, .. }));
    // Stored with two different sizes.
    let mut file = Module::new().file(0);
    w32(&mut file, 0x18, 0x44);
    assert!(matches!(Nso::parse(&file).unwrap_err(), NsoError::SizeMismatch { file_size: 0x40, size: 0x44, .. }));
}

#[test]
fn bad_lz4_names_the_block() {
    let module = Module::new();
    let mut file = module.file(0b111);
    let at = u32::from_le_bytes(file[0x20..0x24].try_into().unwrap());
    file[at as usize..at as usize + 8].fill(0xFF);
    let error = Nso::parse(&file).unwrap_err();
    assert!(
        matches!(error, NsoError::Lz4 { segment: SegmentKind::ReadOnly, offset, .. } if offset == u64::from(at)),
        "{error}"
    );
}

#[test]
fn bad_hash_is_found_only_when_flagged() {
    let mut file = Module::new().file(0b111_000);
    *file.last_mut().unwrap() ^= 1;
    let error = Nso::parse(&file).unwrap_err();
    assert_eq!(error, NsoError::Hash { segment: SegmentKind::Data, offset: 0xE0, bit: 5 });
    w32(&mut file, 0xC, 0);
    Nso::parse(&file).unwrap();
}

#[test]
fn placement_rules() {
    for (at, value, rule) in
        [(0x14, 0x1000, "text starts at 0"), (0x24, 0x1010, "page"), (0x24, 0, "overlaps"), (0x34, 0x1000, "overlaps")]
    {
        let mut file = Module::new().file(0);
        w32(&mut file, at, value);
        let error = Nso::parse(&file).unwrap_err();
        assert!(error.to_string().contains(rule), "{error}");
        assert!(matches!(error, NsoError::Placement { offset, .. } if offset == at as u64));
    }
}

#[test]
fn damaged_dynamic_tables_are_named() {
    // (offset in rodata, value, part of the message)
    for (at, value, part) in [
        (0x94, 0x4000_0000u32, "DT_SYMTAB"),
        (0x300 + 12, 77, "behind the end of the symbol table"),
        (0x108, 0xFFFF_0000, "DT_STRTAB"),
        (0x100 + 5 * 16 + 8, 0xFFF0, "DT_RELA"),
        (0x380, 0x9000, "DT_RELR"),
        (0x100 + 7 * 16 + 8, 16, "DT_RELAENT"),
    ] {
        let mut module = Module::new();
        w32(&mut module.ro, at, value);
        let error = Nso::parse(&module.file(0)).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
        assert!(error.contains("0x"));
    }
    let mut module = Module::new();
    w32(&mut module.text, 12, 0x2000_0000);
    assert!(Nso::parse(&module.file(0)).unwrap_err().to_string().contains("dynamic section"));
}

/// A short run that is the same each time, or as the environment says: `cargo xtask soak` asks for many cases.
fn fuzz(cases: u32) -> proptest::test_runner::Config {
    let given = proptest::test_runner::Config::default();
    if std::env::var_os("PROPTEST_CASES").is_some() {
        given
    } else {
        proptest::test_runner::Config { cases, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..given }
    }
}

proptest::proptest! {
    #![proptest_config(fuzz(256))]

    #[test]
    fn fuzz_damaged_modules_are_answered(changes in proptest::collection::vec((0usize..0x700, proptest::num::u8::ANY), 1..6), flags in 0u32..64) {
        let mut file = Module::new().file(flags);
        for (at, value) in changes {
            if let Some(byte) = file.get_mut(at) {
                *byte = value;
            }
        }
        // What is a module is lifted, too.
        if let Ok(nso) = Nso::parse(&file) {
            let image = crate::image::Image::from_nso(&nso, "main", crate::image::FIRST_MODULE_BASE);
            let _ = crate::analysis::analyse(&image);
        }
    }

    #[test]
    fn fuzz_any_bytes_are_answered(head in proptest::bool::ANY, bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..0x400)) {
        let mut file = bytes;
        if head && file.len() >= 4 {
            file[..4].copy_from_slice(b"NSO0");
        }
        let _ = Nso::parse(&file);
    }
}
