//! `test`: sets up and runs every test, on both software drivers.
//!
//! The first pass runs everything on Mesa 25. The second runs, on Debian 12's own Mesa, the tests that use a Vulkan
//! device: those with `gpu` in their path. A test reads nothing of this; the Vulkan loader takes the driver from the
//! environment, and a test that needs a feature asks the device.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::drivers::Driver;
use crate::need::Need;
use crate::process::{self, duration};
use crate::setup;
use crate::titles;
use crate::workspace::Workspace;

/// Compiling everything on two slow cores.
const BUILD_LIMIT: Duration = Duration::from_secs(30 * 60);
/// Running every test once.
const RUN_LIMIT: Duration = Duration::from_secs(25 * 60);
/// Running the device tests once more.
const SECOND_RUN_LIMIT: Duration = Duration::from_secs(10 * 60);

/// The part of a test's path that says that it uses a Vulkan device.
const DEVICE_TESTS: &str = "gpu";
/// The packages that have such tests; the rest is not run again.
const DEVICE_PACKAGES: [&str; 3] = ["ferrograph-vulkan", "ferrograph-tests", "ferrograph"];

/// What test programs reported, added up.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    passed: u64,
    failed: u64,
    ignored: u64,
}

impl Tally {
    /// Adds a line of a test program's output, if it is one that closes a run.
    fn add_line(&mut self, line: &str) {
        let Some(rest) = line.strip_prefix("test result: ") else { return };
        for part in rest.split(['.', ';']) {
            let mut words = part.split_whitespace();
            let (Some(Ok(count)), Some(what)) = (words.next().map(str::parse::<u64>), words.next()) else { continue };
            match what {
                "passed" => self.passed += count,
                "failed" => self.failed += count,
                "ignored" => self.ignored += count,
                _ => {}
            }
        }
    }
}

/// The command. What follows `--` goes to `cargo test` of the first pass, which is then the only one.
///
/// # Errors
/// A package is missing and nobody here may install it, something does not compile, or a time limit was reached.
pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    let start = Instant::now();
    setup::set_up(workspace, Need::Test)?;
    eprintln!("Set up after {}.", duration(start.elapsed()));
    titles::build(workspace, &[])?;
    let own = crate::passed_on(arguments);
    let mut tally = Tally::default();
    let mut good = true;
    if own.is_empty() {
        process::check_within(process::cargo(workspace).args(["test", "--workspace", "--no-run"]), BUILD_LIMIT)?;
        eprintln!("Compiled after {}.", duration(start.elapsed()));
        good &= pass(workspace, Driver::Lavapipe25, &["--workspace"], &[], RUN_LIMIT, &mut tally)?;
        let mut packages = Vec::new();
        for package in DEVICE_PACKAGES {
            packages.extend(["--package", package]);
        }
        packages.extend(["--lib", "--bins", "--tests"]);
        good &= pass(workspace, Driver::Lavapipe22, &packages, &[DEVICE_TESTS], SECOND_RUN_LIMIT, &mut tally)?;
    } else {
        let own: Vec<&str> = own.iter().map(String::as_str).collect();
        good &= pass(workspace, Driver::Lavapipe25, &own, &[], RUN_LIMIT, &mut tally)?;
    }
    eprintln!("Tested in {}.", duration(start.elapsed()));
    println!("\n{} passed, {} failed, {} skipped", tally.passed, tally.failed, tally.ignored);
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Runs `cargo test` once on one driver; returns whether all passed.
fn pass(
    workspace: &Workspace,
    driver: Driver,
    selection: &[&str],
    filter: &[&str],
    limit: Duration,
    tally: &mut Tally,
) -> Result<bool> {
    eprintln!("\nTests on {}:", driver.name());
    let mut command = process::cargo(workspace);
    command.arg("test").arg("--no-fail-fast").args(selection).args(filter).envs(driver.environment(workspace));
    // Property tests try the same inputs each time here; `soak` and a plain `cargo test` try others.
    if std::env::var_os("PROPTEST_RNG_SEED").is_none() {
        command.env("PROPTEST_RNG_SEED", "1");
    }
    let status = process::stream_within(&mut command, limit, |line| tally.add_line(line))?;
    Ok(status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_are_added_up() {
        let mut tally = Tally::default();
        tally
            .add_line("test result: ok. 12 passed; 0 failed; 3 ignored; 0 measured; 4 filtered out; finished in 0.32s");
        tally
            .add_line("test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1s");
        tally.add_line("test wait::times_out ... ok");
        assert_eq!(tally, Tally { passed: 13, failed: 2, ignored: 3 });
    }
}
