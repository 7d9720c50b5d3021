//! `soak`: the long tests, those marked `#[ignore]`, optimised, on each software driver, with what they print (time per frame); then every
//! decoder of outside bytes and the planner on many thousand inputs (the tests whose names begin with `fuzz_`).

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::drivers::Driver;
use crate::need::Need;
use crate::process::{self, duration};
use crate::setup;
use crate::workspace::Workspace;

/// One driver's run.
const LIMIT: Duration = Duration::from_secs(3 * 60 * 60);

/// Inputs for each such test, unless `PROPTEST_CASES` says otherwise. The seed is another each time, and a failure prints its input.
const FUZZ_CASES: &str = "20000";

/// The command. What follows `--` goes to the test programs.
///
/// # Errors
/// A test does not compile, or a run reached its time limit.
pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    setup::set_up(workspace, Need::Test)?;
    crate::titles::build(workspace, &[])?;
    let own = crate::passed_on(arguments);
    let mut good = true;
    for driver in Driver::SOFTWARE {
        let start = Instant::now();
        let mut command = process::cargo(workspace);
        command
            .args(["test", "--release", "--workspace", "--no-fail-fast", "--", "--ignored", "--show-output"])
            .args(own);
        let status = process::stream_within(command.envs(driver.environment(workspace)), LIMIT, |_| {})?;
        println!(
            "Long tests on {}: {} after {}.",
            driver.name(),
            if status.success() { "passed" } else { "failed" },
            duration(start.elapsed())
        );
        good &= status.success();
    }
    let start = Instant::now();
    let mut command = process::cargo(workspace);
    command.args(["test", "--release", "--workspace", "--no-fail-fast", "fuzz_"]);
    if std::env::var_os("PROPTEST_CASES").is_none() {
        command.env("PROPTEST_CASES", FUZZ_CASES);
    }
    let status = process::stream_within(command.envs(Driver::Lavapipe25.environment(workspace)), LIMIT, |_| {})?;
    println!(
        "Decoders and planner on many inputs: {} after {}.",
        if status.success() { "passed" } else { "failed" },
        duration(start.elapsed())
    );
    good &= status.success();
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
