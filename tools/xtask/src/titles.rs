//! `titles`: builds the guest titles of `tests/titles/` into `target/titles/NAME/{exefs,romfs}`.
//!
//! The building is done by the crate `titles`; this only runs it, so that the present program stays quick to compile.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;

use crate::need::Need;
use crate::process;
use crate::setup;
use crate::workspace::Workspace;

/// Compiling the builder, then a few C files.
const LIMIT: Duration = Duration::from_secs(15 * 60);

/// The command. `arguments` are names of titles; none means all.
///
/// # Errors
/// As [`build`] and [`setup::set_up`].
pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    setup::set_up(workspace, Need::Play)?;
    build(workspace, arguments)?;
    Ok(ExitCode::SUCCESS)
}

/// Builds the titles `names`, or all when there is no name. A title whose sources did not change is left as it is.
///
/// # Errors
/// A title does not compile.
pub fn build(workspace: &Workspace, names: &[String]) -> Result<()> {
    let mut command = process::cargo(workspace);
    command.args(["run", "--quiet", "--package", "titles", "--bin", "titles", "--"]).args(names);
    process::check_within(&mut command, LIMIT)
}
