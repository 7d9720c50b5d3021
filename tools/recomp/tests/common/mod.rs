//! What the integration tests share: finding the cross compiler, building guest programs.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::Command;

/// The cross compiler, or a printed reason why the test is skipped.
pub(crate) fn cross_clang() -> Option<&'static str> {
    match Command::new("clang-19").arg("--version").output() {
        Ok(out) if out.status.success() => Some("clang-19"),
        _ => {
            eprintln!("skipped: clang-19 is not installed");
            None
        }
    }
}

pub(crate) fn crate_dir() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn run(command: &mut Command) -> Vec<u8> {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(
        output.status.success(),
        "{command:?} failed with {}\n{}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

/// Links `sources` as a module ELF with the script of tests/module.
pub(crate) fn module_elf(sources: &[&Path], out: &Path, extra: &[&str]) {
    let dir = crate_dir().join("tests/module");
    run(Command::new("clang-19")
        .args(["--target=aarch64-none-elf", "-O2", "-fPIC", "-ffreestanding", "-mno-outline-atomics", "-nostdlib"])
        .args([
            "-fuse-ld=lld-19",
            "-Wl,-shared,--build-id=sha1,--eh-frame-hdr,--unresolved-symbols=ignore-all,-z,norelro",
        ])
        .arg(format!("-Wl,-T,{}", dir.join("module.ld").display()))
        .args(extra)
        .arg(dir.join("module_header.s"))
        .args(sources)
        .arg("-o")
        .arg(out));
}

/// qemu's user mode, or a printed reason why the test is skipped.
pub(crate) fn qemu() -> Option<&'static str> {
    match Command::new("qemu-aarch64").arg("--version").output() {
        Ok(out) if out.status.success() => Some("qemu-aarch64"),
        _ => {
            eprintln!("skipped: qemu-aarch64 is not installed");
            None
        }
    }
}

/// A folder under target/ that survives between runs, so that unchanged lifted code is not compiled again.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// Links a static freestanding program for AArch64.
pub(crate) fn static_elf(sources: &[&Path], out: &Path, extra: &[&str]) {
    run(Command::new("clang-19")
        .args([
            "--target=aarch64-none-elf",
            "-march=armv8-a+crc+crypto",
            "-std=gnu11",
            "-ffreestanding",
            "-fno-stack-protector",
        ])
        .args(["-ffp-contract=off", "-fno-math-errno", "-fno-pic", "-static", "-nostdlib", "-mno-outline-atomics"])
        .args([
            "-fno-builtin-memcpy",
            "-fno-builtin-memset",
            "-fuse-ld=lld-19",
            "-Wl,--build-id=none,-Ttext=0x410000,--image-base=0x400000",
        ])
        .args(extra)
        .args(sources)
        .arg("-o")
        .arg(out));
}

/// Lifts a static program.
pub(crate) fn lift(elf: &Path, folder: &Path, options: &recomp::Options) -> recomp::Build {
    let image = recomp::image::Image::from_static_elf(&std::fs::read(elf).unwrap(), "program").unwrap();
    let toolchain = recomp::Toolchain::find(None).unwrap();
    recomp::lift_images(vec![image], folder, &toolchain, options, &mut |_| {}).unwrap_or_else(|e| panic!("{e}"))
}

/// The host program that runs a lifted static program.
pub(crate) fn driver(folder: &Path) -> PathBuf {
    let runtime = crate_dir().join("../../recomp-out/runtime");
    let out = folder.join("test_driver");
    let fresh = folder.join(format!("test_driver-{}", std::process::id()));
    run(Command::new("clang-19")
        .args(["-O1", "-Wall", "-Wextra", "-Werror"])
        .arg(runtime.join("test_driver.c"))
        .arg("-o")
        .arg(&fresh)
        .arg("-ldl"));
    std::fs::rename(&fresh, &out).unwrap();
    out
}
