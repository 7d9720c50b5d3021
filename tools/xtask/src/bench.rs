//! `bench`: the costs of a frame, of shader translation and of lifted code, as tables.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;

use crate::drivers::Driver;
use crate::need::Need;
use crate::process;
use crate::setup;
use crate::workspace::Workspace;

/// Compiling in release mode, then the benches themselves.
const LIMIT: Duration = Duration::from_secs(60 * 60);
/// Frames of the demo title that are recorded: those until everything has its size, and as many again to measure.
const FRAMES: &str = "60";

/// The command. What follows `--` goes to the bench of frames: `--check` makes a passed limit an error, `--frames N` says how many frames are measured.
///
/// # Errors
/// A bench does not compile or fails, or a limit is passed.
pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    setup::set_up(workspace, Need::Bench)?;
    crate::titles::build(workspace, &[])?;
    let folder = workspace.target.join("bench");
    std::fs::create_dir_all(&folder)?;
    let trace = folder.join("island.fgt");
    let environment = || Driver::Lavapipe25.environment(workspace);

    // The frames of the demo title come from a trace, so that the bench needs no device.
    let mut play = process::cargo(workspace);
    play.args(["run", "--release", "--quiet", "--package", "ferrograph", "--", "play"])
        .arg(workspace.target.join("titles/island"))
        .args(["--headless", "--fixed-step", "--frames", FRAMES, "--record"])
        .arg(&trace);
    process::check_within(play.envs(environment()), LIMIT)?;

    let mut frames = process::cargo(workspace);
    frames
        .args(["run", "--release", "--quiet", "--package", "framegraph-bench", "--", "--trace"])
        .arg(&trace)
        .arg("--shaders")
        .arg(workspace.root.join("tests/data/shaders"))
        .args(crate::passed_on(arguments));
    process::check_within(&mut frames, LIMIT)?;

    let mut kernels = process::cargo(workspace);
    kernels.args(["test", "--release", "--quiet", "--package", "recomp", "--test", "lifted_programs", "--"]);
    kernels.args(["--ignored", "--nocapture", "costs_of_the_bench_kernels"]);
    process::check_within(&mut kernels, LIMIT)?;
    Ok(ExitCode::SUCCESS)
}
