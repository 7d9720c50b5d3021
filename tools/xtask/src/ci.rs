//! `ci`: formatting, clippy, documentation and every test, with warnings denied.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;

use crate::need::Need;
use crate::process;
use crate::setup;
use crate::workspace::Workspace;

/// Compiling the workspace for one of the checks.
const LIMIT: Duration = Duration::from_secs(30 * 60);

/// The command.
///
/// # Errors
/// The first check that fails.
pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    setup::set_up(workspace, Need::Test)?;
    process::check(process::cargo(workspace).args(["fmt", "--all", "--check"]))?;
    process::check_within(
        process::cargo(workspace).args(["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"]),
        LIMIT,
    )?;
    process::check_within(
        process::cargo(workspace).env("RUSTDOCFLAGS", "--deny warnings").args([
            "doc",
            "--workspace",
            "--no-deps",
            "--document-private-items",
        ]),
        LIMIT,
    )?;
    let code = crate::rows::run(workspace, &["--check".to_owned()])?;
    if code != ExitCode::SUCCESS {
        return Ok(code);
    }
    crate::test::run(workspace, arguments)
}
