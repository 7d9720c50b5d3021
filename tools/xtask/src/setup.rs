//! `setup`: installs what a command needs and is missing.
//!
//! When nothing is missing this takes milliseconds: presence is seen in the file system, apt is not asked.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::apt;
use crate::drivers::{self, Driver};
use crate::need::{self, Need};
use crate::workspace::Workspace;

/// The command.
///
/// # Errors
/// As [`set_up`], or an unknown argument.
pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    let need = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] | ["test"] => Need::Test,
        ["play"] => Need::Play,
        ["bench"] => Need::Bench,
        ["fresh"] => Need::Fresh,
        _ => bail!("setup takes one of play, test, bench, fresh"),
    };
    set_up(workspace, need)?;
    for driver in Driver::SOFTWARE.into_iter().filter(|driver| driver.is_ready(workspace)) {
        for (name, value) in driver.environment(workspace) {
            println!("{}: {name}={value}", driver.name());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Installs the packages of `need` that are missing and sets up its Vulkan drivers.
///
/// # Errors
/// Packages are missing and nobody here may install them (the message holds the one line to run), or apt failed.
pub fn set_up(workspace: &Workspace, need: Need) -> Result<()> {
    let missing = need::missing(need);
    if !missing.is_empty() {
        eprintln!("Missing on this machine:");
        for package in &missing {
            eprintln!("  {:24} {}", package.name, package.reason);
        }
        apt::install(&missing)?;
        let still: Vec<&str> = need::missing(need).iter().map(|package| package.name).collect();
        if !still.is_empty() {
            bail!("apt reported success, but this is still not found: {}", still.join(", "));
        }
    }
    let drivers: &[Driver] = match need {
        Need::Test => &Driver::SOFTWARE,
        Need::Bench => &[Driver::Lavapipe25],
        Need::Play if drivers::for_playing() == Driver::Lavapipe25 => &[Driver::Lavapipe25],
        Need::Play | Need::Fresh => &[],
    };
    for driver in drivers {
        driver.set_up(workspace)?;
    }
    Ok(())
}
