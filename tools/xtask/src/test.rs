//! `test`: sets up and runs every test, on both software drivers.
//!
//! The first pass runs everything on Mesa 25. The second runs, on Debian 12's own Mesa, the tests that use a Vulkan
//! device: those with `gpu` in their path. A test reads nothing of this; the Vulkan loader takes the driver from the
//! environment, and a test that needs a feature asks the device.
//!
//! A test that fails runs once more, alone. When it fails again, the run has failed. When it passes, it is named at the end as unsteady, which is a fault
//! to be found (of a test, or of what it tests), but not of the change that the run is about. More than two of them in a pass fail the run.

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

/// So many tests may fail first and pass when they run alone.
const UNSTEADY_LIMIT: usize = 2;

/// The part of a test's path that says that it uses a Vulkan device.
const DEVICE_TESTS: &str = "gpu";
/// The packages that have such tests; the rest is not run again.
const DEVICE_PACKAGES: [&str; 3] = ["ferrograph-vulkan", "ferrograph-tests", "ferrograph"];

/// What test programs reported, added up.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Tally {
    passed: u64,
    failed: u64,
    ignored: u64,
    /// Names of the tests that failed.
    failures: Vec<String>,
}

impl Tally {
    /// Adds a line of a test program's output, if it is one that closes a run.
    fn add_line(&mut self, line: &str) {
        if let Some(name) = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED")) {
            self.failures.push(name.to_owned());
        }
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

    /// Adds a pass and its second run, if there was one: what failed first and passed then has passed. Names what is unsteady, if that is not too much.
    fn add_pass(&mut self, first: &Tally, second: Option<&Tally>) -> Vec<String> {
        let unsteady: Vec<String> = second.map_or_else(Vec::new, |second| {
            first.failures.iter().filter(|name| !second.failures.contains(name)).cloned().collect()
        });
        let forgiven = if unsteady.len() <= UNSTEADY_LIMIT { unsteady.len() as u64 } else { 0 };
        self.passed += first.passed + forgiven;
        self.failed += first.failed.saturating_sub(forgiven);
        self.ignored += first.ignored;
        unsteady
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
    let mut total = Total::default();
    if own.is_empty() {
        process::check_within(process::cargo(workspace).args(["test", "--workspace", "--no-run"]), BUILD_LIMIT)?;
        eprintln!("Compiled after {}.", duration(start.elapsed()));
        total.pass(workspace, Driver::Lavapipe25, &["--workspace"], &[], RUN_LIMIT)?;
        let mut packages = Vec::new();
        for package in DEVICE_PACKAGES {
            packages.extend(["--package", package]);
        }
        packages.extend(["--lib", "--bins", "--tests"]);
        total.pass(workspace, Driver::Lavapipe22, &packages, &[DEVICE_TESTS], SECOND_RUN_LIMIT)?;
    } else {
        let own: Vec<&str> = own.iter().map(String::as_str).collect();
        total.pass(workspace, Driver::Lavapipe25, &own, &[], RUN_LIMIT)?;
    }
    eprintln!("Tested in {}.", duration(start.elapsed()));
    for name in &total.unsteady {
        println!("unsteady: {name} failed, and passed when it ran alone");
    }
    let Total { tally, failed, .. } = total;
    println!("\n{} passed, {} failed, {} skipped", tally.passed, tally.failed, tally.ignored);
    Ok(if failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// All passes together.
#[derive(Debug, Default)]
struct Total {
    tally: Tally,
    unsteady: Vec<String>,
    failed: bool,
}

impl Total {
    /// Runs the tests of a selection on one driver, and those that failed once more.
    fn pass(
        &mut self,
        workspace: &Workspace,
        driver: Driver,
        selection: &[&str],
        filter: &[&str],
        limit: Duration,
    ) -> Result<()> {
        let (first, good) = pass(workspace, driver, selection, filter, limit)?;
        // A program that died has not said which test it was; there is nothing to run again then.
        let named = first.failed == first.failures.len() as u64 && !first.failures.is_empty();
        // Arguments of the caller's own may hold a `--` already.
        if good || !named || selection.contains(&"--") {
            self.tally.add_pass(&first, None);
            self.failed |= !good;
            return Ok(());
        }
        eprintln!("\nOnce more, alone: {}", first.failures.join(", "));
        let mut alone = vec!["--", "--test-threads=1", "--exact"];
        alone.extend(first.failures.iter().map(String::as_str));
        let (second, good) = pass(workspace, driver, selection, &alone, limit)?;
        let unsteady = self.tally.add_pass(&first, Some(&second));
        self.failed |= !good || unsteady.len() > UNSTEADY_LIMIT || second.passed < unsteady.len() as u64;
        self.unsteady.extend(unsteady);
        Ok(())
    }
}

/// Runs `cargo test` once on one driver; returns what the programs reported and whether all passed.
fn pass(
    workspace: &Workspace,
    driver: Driver,
    selection: &[&str],
    filter: &[&str],
    limit: Duration,
) -> Result<(Tally, bool)> {
    eprintln!("\nTests on {}:", driver.name());
    let mut tally = Tally::default();
    let mut command = process::cargo(workspace);
    command.arg("test").arg("--no-fail-fast").args(selection).args(filter).envs(driver.environment(workspace));
    // Property tests try the same inputs each time here; `soak` tries others.
    if std::env::var_os("PROPTEST_RNG_SEED").is_none() {
        command.env("PROPTEST_RNG_SEED", "1");
    }
    let status = process::stream_within(&mut command, limit, |line| tally.add_line(line))?;
    Ok((tally, status.success()))
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
        assert_eq!(tally, Tally { passed: 13, failed: 2, ignored: 3, failures: vec![] });
    }

    fn failing(names: &[&str]) -> Tally {
        let mut tally = Tally::default();
        tally.add_line("test fine ... ok");
        for name in names {
            tally.add_line(&format!("test {name} ... FAILED"));
        }
        tally.add_line(&format!("test result: FAILED. 1 passed; {} failed; 0 ignored", names.len()));
        tally
    }

    #[test]
    fn a_failure_that_does_not_come_back_is_named_and_one_that_does_counts() {
        let first = failing(&["gpu_sky", "sea::waves"]);
        assert_eq!(first.failures, ["gpu_sky", "sea::waves"]);
        let mut total = Tally::default();
        assert_eq!(total.add_pass(&first, Some(&failing(&["sea::waves"]))), ["gpu_sky"]);
        assert_eq!((total.passed, total.failed), (2, 1));
        let mut total = Tally::default();
        assert!(total.add_pass(&first, None).is_empty());
        assert_eq!((total.passed, total.failed), (1, 2));
    }

    #[test]
    fn too_many_unsteady_tests_are_failures() {
        let names = ["a", "b", "c"];
        let mut total = Tally::default();
        assert_eq!(total.add_pass(&failing(&names), Some(&failing(&[]))).len(), UNSTEADY_LIMIT + 1);
        assert_eq!(total.failed, 3);
    }
}
