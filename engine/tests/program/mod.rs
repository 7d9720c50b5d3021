//! Runs of the program on the demo title.

#![allow(dead_code)] // Each test program uses a part of it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// How a run ended.
pub(crate) struct Ran {
    /// Exit status.
    pub(crate) status: Option<i32>,
    /// What it printed.
    pub(crate) stdout: String,
    /// What it said.
    pub(crate) stderr: String,
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The title's folder, built when its sources changed.
pub(crate) fn title() -> PathBuf {
    static BUILT: std::sync::OnceLock<PathBuf> = std::sync::OnceLock::new();
    BUILT
        .get_or_init(|| {
            let out = root().join("target/titles/island");
            if !titles::is_current(&root(), "island", &out) {
                titles::build(&root(), "island", &out).unwrap_or_else(|e| panic!("{e}"));
            }
            out
        })
        .clone()
}

/// A folder for what a test leaves.
pub(crate) fn folder(name: &str) -> PathBuf {
    let path = root().join("target/island-tests").join(name);
    std::fs::create_dir_all(&path).expect("target folder");
    path
}

/// Runs the program; `None` where there is no Vulkan device or no validation layer, with the reason printed.
pub(crate) fn run(arguments: &[&str]) -> Option<Ran> {
    let output = Command::new(env!("CARGO_BIN_EXE_ferrograph")).args(arguments).output().expect("the program starts");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    if stderr.contains("no usable Vulkan device") || stderr.contains("VK_LAYER_KHRONOS_validation is not installed") {
        eprintln!("skipped: {stderr}");
        return None;
    }
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    Some(Ran { status: output.status.code(), stdout, stderr })
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8 path")
}
