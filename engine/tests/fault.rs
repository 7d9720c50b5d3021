//! A title that goes wrong: exit status 1, and one message with what happened, where, and what to do.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Builds the two modules of `engine/guest/tests/lifted` as a title that does what `scenario` says; `None` without a cross compiler.
fn title(scenario: u32) -> Option<PathBuf> {
    if !Command::new("clang-19").arg("--version").output().is_ok_and(|o| o.status.success()) {
        eprintln!("skipped: clang-19 is not installed");
        return None;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("fault-{scenario}"));
    let exefs = folder.join("exefs");
    std::fs::create_dir_all(&exefs).expect("folder");
    std::fs::create_dir_all(folder.join("romfs")).expect("folder");
    let island = root().join("target/titles/island");
    if !titles::is_current(&root(), "island", &island) {
        titles::build(&root(), "island", &island).unwrap_or_else(|e| panic!("{e}"));
    }
    std::fs::copy(island.join("exefs/main.npdm"), exefs.join("main.npdm")).expect("npdm");
    let link = root().join("tools/recomp/tests/module");
    for (name, source) in [("main", "program.c"), ("subsdk0", "library.c")] {
        let elf = folder.join(format!("{name}.elf"));
        let output = Command::new("clang-19")
            .args(["--target=aarch64-none-elf", "-O1", "-fPIC", "-ffreestanding", "-nostdlib", "-fuse-ld=lld-19"])
            .args(["-fno-optimize-sibling-calls", "-fno-omit-frame-pointer", "-mno-outline-atomics"])
            .args(["-Wl,-shared,--build-id=sha1,--eh-frame-hdr,--unresolved-symbols=ignore-all,-z,norelro"])
            .arg(format!("-DSCENARIO={scenario}"))
            .arg(format!("-Wl,-T,{}", link.join("module.ld").display()))
            .arg(link.join("module_header.s"))
            .arg(root().join("engine/guest/tests/lifted").join(source))
            .arg("-o")
            .arg(&elf)
            .output()
            .expect("clang starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let bytes = std::fs::read(&elf).expect("the module");
        let file = recomp::nso::from_elf(&bytes, &recomp::nso::WriteOptions::default()).expect("a module");
        std::fs::write(exefs.join(name), file).expect("file");
    }
    Some(folder)
}

#[test]
fn gpu_a_fault_of_the_title_is_status_1_and_one_message() {
    for (scenario, what, place) in [
        (1, "guest code accessed 0x0", "read_null+0x0"),
        (2, "a call to 0xdeadbee0", "nnMain+0x"),
        (3, "instruction 0x04a00000", "main+0x"),
        (4, "the stack of", "deep+0x0"),
    ] {
        let Some(folder) = title(scenario) else { return };
        let output = Command::new(env!("CARGO_BIN_EXE_ferrograph"))
            .arg("play")
            .arg(&folder)
            .args(["--headless", "--frames", "1"])
            .output()
            .expect("the program starts");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        if text.contains("no usable Vulkan device") {
            eprintln!("skipped: {text}");
            return;
        }
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert_eq!(text.matches("error: ").count(), 1, "{text}");
        for part in [what, place, "MainThread", "#0", "x30="] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(text.contains("look") || text.contains("report"), "{text}");
    }
}
