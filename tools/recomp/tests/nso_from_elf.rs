//! ELF modules linked by clang become NSOs that the reader takes back.

mod common;

use recomp::nso::{self, Nso, NsoWriteError, RelocationKind, WriteOptions};

#[test]
fn linked_module_round_trips() {
    if common::cross_clang().is_none() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    for hash in ["sysv", "gnu"] {
        let elf_path = dir.path().join("main.elf");
        let source = common::crate_dir().join("tests/module/main.c");
        common::module_elf(
            &[&source],
            &elf_path,
            &[&format!("-Wl,--hash-style={hash}"), "-Wl,-z,pack-relative-relocs"],
        );
        let elf = std::fs::read(&elf_path).unwrap();
        let plain = nso::from_elf(&elf, &WriteOptions { compress: false, ..WriteOptions::default() }).unwrap();
        let packed = nso::from_elf(&elf, &WriteOptions { name: "main.nss".into(), ..WriteOptions::default() }).unwrap();
        assert!(packed.len() < plain.len());
        let (a, b) = (Nso::parse(&plain).unwrap(), Nso::parse(&packed).unwrap());
        assert_eq!(a.segments, b.segments);
        assert_eq!(b.name, "main.nss");
        assert_eq!(a.build_id, b.build_id);
        assert_eq!(a.build_id_hex().len(), 40, "the linker's SHA-1 build id");
        let main = b.dynamic.exported("nnMain").expect("nnMain is exported");
        assert!(main.is_function() && main.value < b.segments[0].end());
        assert_eq!(b.dynamic.init_array.len(), 2);
        assert!(b.dynamic.init_array.iter().all(|&f| f < b.segments[0].end()));
        assert!(b.memory_size() > b.segments[2].end());
        let imported: Vec<_> = b
            .dynamic
            .relocations
            .iter()
            .filter(|r| matches!(r.kind, RelocationKind::Abs64 | RelocationKind::GlobDat | RelocationKind::JumpSlot))
            .map(|r| b.dynamic.symbols[r.symbol as usize].name.as_str())
            .collect();
        assert!(imported.contains(&"sub_square") && imported.contains(&"sub_table"), "{imported:?}");
    }
}

#[test]
fn other_elfs_are_refused() {
    assert!(matches!(nso::from_elf(b"\x7fELF", &WriteOptions::default()), Err(NsoWriteError::Elf(_))));
    if common::cross_clang().is_none() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("a.c");
    std::fs::write(&source, "int f(void) { return 1; }").unwrap();
    let out = dir.path().join("a.elf");
    let build = |target: &str, extra: &[&str]| {
        common::run(
            std::process::Command::new("clang-19")
                .args([target, "-nostdlib", "-fuse-ld=lld-19", "-fPIC"])
                .args(extra)
                .arg(&source)
                .arg("-o")
                .arg(&out),
        );
        std::fs::read(&out).unwrap()
    };
    let x86 = build("--target=x86_64-linux-gnu", &["-shared"]);
    assert!(matches!(nso::from_elf(&x86, &WriteOptions::default()), Err(NsoWriteError::Machine { machine: 62, .. })));
    // The linker's default layout has rodata first: refused with the reason.
    let default_layout = build("--target=aarch64-none-elf", &["-Wl,-shared"]);
    let error = nso::from_elf(&default_layout, &WriteOptions::default()).unwrap_err();
    assert!(error.to_string().contains("linker script"), "{error}");
}
