//! `bundle`: a folder that runs on a machine without a toolchain and without this checkout.
//!
//! ```text
//! target/bundle/
//!   run                 sh: `./run PROGRAM [ARGS]`, `./run tests [ARGS]`, `./run list`
//!   bin/ferrograph.gz
//!   tests/NAME.gz       the test programs that use a device
//!   lib/                the Vulkan loader and what drivers load, for a machine that has a driver but no loader
//!   data/               what the tests read, and files given on the command line: traces, titles, pictures to compare with
//! ```
//!
//! `./run tests` runs each test that uses a device in a process of its own, 60 seconds at most (`FERROGRAPH_TEST_SECONDS` changes that), a few at a time, says
//! what became of each that did not pass, and how many did. A driver that stops for good then costs one test.
//!
//! Everything is found relative to the script, hence the folder may be copied anywhere. Programs are packed, so that the folder stays small; the script
//! unpacks each into `unpacked/` on first use.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::need::{self, Need};
use crate::process;
use crate::setup;
use crate::workspace::Workspace;

/// What the folder may hold: 60 MB.
const LARGEST: u64 = 60_000_000;

/// The packages whose test programs go along.
const TEST_PACKAGES: [&str; 2] = ["ferrograph-vulkan", "ferrograph-tests"];

/// The loader, and what drivers of graphics cards load beside it.
const LIBRARIES: [&str; 14] = [
    "libvulkan.so.1",
    "libEGL.so.1",
    "libGL.so.1",
    "libGLX.so.0",
    "libGLdispatch.so.0",
    "libOpenGL.so.0",
    "libGLESv2.so.2",
    "libX11.so.6",
    "libXext.so.6",
    "libxcb.so.1",
    "libXau.so.6",
    "libXdmcp.so.6",
    "libbsd.so.0",
    "libmd.so.0",
];

/// What the tests read, and its name in `data/`.
const TEST_DATA: [(&str, &str); 2] = [("tests/data/shaders", "shaders"), ("engine/vulkan/tests/data", "vulkan")];

const RUN: &str = r#"#!/bin/sh
# Runs a program of this folder with this folder's libraries and data, wherever the folder lies.
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd) || exit 1
# The machine's own Vulkan loader fits its driver best; ours is for a machine that has none.
if ! ldconfig -p 2>/dev/null | grep -q 'libvulkan\.so\.1'; then
  export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi
export FERROGRAPH_DATA="$here/data"
# Unpacks program $1, where that was not done before; prints its path.
unpack() {
  for packed in "$here/bin/$1.gz" "$here/tests/$1.gz"; do
    [ -f "$packed" ] || continue
    if [ ! -x "$here/unpacked/$1" ]; then
      mkdir -p "$here/unpacked" && gunzip -c "$packed" >"$here/unpacked/$1.$$" &&
        chmod +x "$here/unpacked/$1.$$" && mv "$here/unpacked/$1.$$" "$here/unpacked/$1" || return 1
    fi
    echo "$here/unpacked/$1"
    return 0
  done
  echo "run: there is no program $1 here (./run list shows them)" >&2
  return 2
}
names() { (cd "$here/$1" && for file in *; do printf '%s ' "${file%.gz}"; done); }
case "${1:-list}" in
  list)
    echo "programs: $(names bin)"
    echo "tests:    $(names tests)"
    echo "data:     $(names data)"
    ;;
  tests)
    shift
    logs=$(mktemp -d) || exit 1
    export here logs
    for name in $(names tests); do
      program=$(unpack "$name") || exit 1
      "$program" --list "${@:-gpu}" 2>/dev/null | sed -n "s|: test\$||p" | sed "s|^|$name |"
    done >"$logs/list"
    one='log=$(mktemp "$logs/log.XXXXXX")
      timeout -k 5 "${FERROGRAPH_TEST_SECONDS:-60}" "$here/unpacked/$1" --exact "$2" --nocapture >"$log" 2>&1
      case $? in
        0) if grep -q "^skipped: " "$log"; then echo "skipped $1 $2"; else echo "ok $1 $2"; fi ;;
        124|137) echo "TIMEOUT $1 $2" ;;
        *) echo "FAIL $1 $2"; sed "s/^/    /" "$log" | tail -n 40 ;;
      esac'
    xargs -P "$(nproc)" -n 2 sh -c "$one" one <"$logs/list" >"$logs/all"
    grep -v '^ok ' "$logs/all"
    total=$(grep -c . "$logs/list")
    passed=$(grep -c '^ok ' "$logs/all")
    skipped=$(grep -c '^skipped ' "$logs/all")
    rm -r "$logs"
    echo "$passed of $total tests passed, $skipped skipped"
    [ "$((passed + skipped))" = "$total" ]
    ;;
  *)
    name=$1
    shift
    program=$(unpack "$name") || exit
    exec "$program" "$@"
    ;;
esac
"#;

/// The command: `bundle [--out DIR] [FILE...]`.
///
/// # Errors
/// Something does not compile, a file is missing, or the folder became larger than 60 MB.
pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    let mut out = workspace.target.join("bundle");
    let mut data = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        if argument == "--out" {
            out = PathBuf::from(arguments.next().context("--out wants a folder")?);
        } else {
            data.push(PathBuf::from(argument));
        }
    }
    setup::set_up(workspace, Need::Play)?;
    process::check(process::cargo(workspace).args(["build", "--release", "--package", "ferrograph"]))?;
    let tests = test_programs(workspace)?;

    clear(&out)?;
    for folder in ["bin", "tests", "lib", "data"] {
        let path = out.join(folder);
        std::fs::create_dir_all(&path).with_context(|| format!("could not make {}", path.display()))?;
    }
    install(&workspace.target.join("release/ferrograph"), &out.join("bin/ferrograph"))?;
    for (name, program) in &tests {
        if uses_a_device(program)? {
            install(program, &out.join("tests").join(name))?;
        }
    }
    for name in LIBRARIES {
        if let Some(library) = need::find_library(name) {
            copy(&library, &out.join("lib").join(name))?;
        }
    }
    for (from, name) in TEST_DATA {
        process::check(Command::new("cp").arg("-r").arg(workspace.root.join(from)).arg(out.join("data").join(name)))?;
    }
    for file in &data {
        let name = file.file_name().with_context(|| format!("{} has no name", file.display()))?;
        process::check(Command::new("cp").arg("-rL").arg(file).arg(out.join("data").join(name)))?;
    }
    let script = out.join("run");
    std::fs::write(&script, RUN).with_context(|| format!("could not write {}", script.display()))?;
    process::check(Command::new("chmod").arg("+x").arg(&script))?;

    let size = size(&out)?;
    println!("{}: {:.1} MB", workspace.shorten(&out), size as f64 / 1e6);
    if size > LARGEST {
        bail!("the bundle is larger than {} MB: give it fewer or smaller files", LARGEST / 1_000_000);
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds the test programs; returns each one's name and file.
fn test_programs(workspace: &Workspace) -> Result<Vec<(String, PathBuf)>> {
    let mut command = process::cargo(workspace);
    command.args(["test", "--release", "--no-run", "--lib", "--tests", "--message-format", "json-render-diagnostics"]);
    for package in TEST_PACKAGES {
        command.args(["--package", package]);
    }
    eprintln!("$ {}", process::shown(&command));
    let output = command.stderr(std::process::Stdio::inherit()).output().context("could not start cargo")?;
    if !output.status.success() {
        bail!("the test programs do not compile");
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().filter_map(program_of).collect())
}

/// The name and the file of the test program that a message of cargo's tells of.
fn program_of(message: &str) -> Option<(String, PathBuf)> {
    let string_after = |key: &str| {
        let (_, rest) = message.split_once(key)?;
        rest.split('"').next()
    };
    let file = PathBuf::from(string_after("\"executable\":\"")?);
    message.contains("\"test\":true").then_some(())?;
    // The file's name ends in a hash that tells builds apart.
    let name = file.file_name()?.to_str()?;
    let name = name.rsplit_once('-').map_or(name, |(name, _)| name).to_owned();
    Some((name, file))
}

/// Whether any test of a program does: those have `gpu` in their names.
fn uses_a_device(program: &Path) -> Result<bool> {
    let output = Command::new(program).args(["--list", "gpu"]).output().context("could not start a test program")?;
    Ok(String::from_utf8_lossy(&output.stdout).contains(": test"))
}

/// Packs a program without its symbols: a panic still says its file and line.
fn install(from: &Path, to: &Path) -> Result<()> {
    copy(from, to)?;
    process::check(Command::new("strip").arg("--strip-all").arg(to))?;
    process::check(Command::new("gzip").args(["-9", "--no-name"]).arg(to))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::copy(from, to).map(drop).with_context(|| format!("could not copy {} to {}", from.display(), to.display()))
}

/// Removes an earlier bundle. A folder that is something else is left alone.
fn clear(out: &Path) -> Result<()> {
    let Ok(mut entries) = std::fs::read_dir(out) else { return Ok(()) };
    if entries.next().is_some() && !out.join("run").is_file() {
        bail!("{} is not empty and is no bundle: name another folder", out.display());
    }
    std::fs::remove_dir_all(out).with_context(|| format!("could not remove {}", out.display()))
}

fn size(folder: &Path) -> Result<u64> {
    let mut sum = 0;
    for entry in std::fs::read_dir(folder).with_context(|| format!("could not read {}", folder.display()))? {
        let entry = entry?;
        let facts = entry.metadata()?;
        sum += if facts.is_dir() { size(&entry.path())? } else { facts.len() };
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_programs_are_read_from_cargos_messages() {
        let message = r#"{"reason":"compiler-artifact","target":{"name":"x"},"profile":{"opt_level":"3","test":true},"filenames":["/t/a"],"executable":"/t/release/deps/ferrograph_tests-0a1b2c","fresh":true}"#;
        assert_eq!(
            program_of(message),
            Some(("ferrograph_tests".to_owned(), PathBuf::from("/t/release/deps/ferrograph_tests-0a1b2c")))
        );
        assert_eq!(program_of(&message.replace("\"test\":true", "\"test\":false")), None);
        assert_eq!(program_of(r#"{"reason":"compiler-artifact","profile":{"test":true},"executable":null}"#), None);
    }

    #[test]
    fn only_a_bundle_is_replaced() -> Result<()> {
        let folder = std::env::temp_dir().join(format!("xtask-bundle-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("letter.txt"), "mine")?;
        assert!(clear(&folder).is_err());
        assert!(folder.join("letter.txt").is_file());
        std::fs::write(folder.join("run"), "")?;
        assert_eq!(size(&folder)?, 4);
        clear(&folder)?;
        assert!(!folder.exists());
        Ok(())
    }
}
