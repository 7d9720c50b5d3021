//! `play`: from a clone to the demo title on the screen.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};

use crate::drivers;
use crate::need::Need;
use crate::process::{self, duration};
use crate::setup;
use crate::titles;
use crate::workspace::Workspace;

/// The title that is played.
const TITLE: &str = "island";

/// Frames of a run without a display: enough for the light to have changed visibly.
const HEADLESS_FRAMES: &str = "60";

/// The command. What follows `--` goes to `ferrograph play`.
///
/// # Errors
/// A package is missing and nobody here may install it, a build failed, or the program ended with an error.
pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    let start = Instant::now();
    setup::set_up(workspace, Need::Play)?;
    process::check(process::cargo(workspace).args(["build", "--release", "--package", "ferrograph"]))?;
    titles::build(workspace, &[TITLE.to_owned()])?;
    eprintln!("Ready to play after {}.", duration(start.elapsed()));

    let driver = drivers::for_playing();
    let mut command = std::process::Command::new(workspace.target.join("release/ferrograph"));
    command.current_dir(&workspace.root).envs(driver.environment(workspace)).arg("play").arg(workspace.title(TITLE));
    let screenshot = (!has_display()).then(|| workspace.target.join("play").join(format!("{TITLE}.png")));
    if let Some(file) = &screenshot {
        let folder = file.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).with_context(|| format!("could not make {}", folder.display()))?;
        eprintln!("There is no display: {HEADLESS_FRAMES} frames are rendered without a window.");
        command.args(["--headless", "--frames", HEADLESS_FRAMES, "--screenshot"]).arg(file);
    }
    let own = crate::passed_on(arguments);
    process::check(command.args(own))?;
    if let Some(file) = screenshot {
        println!("The last frame is in {}.", workspace.shorten(&file));
    }
    Ok(ExitCode::SUCCESS)
}

fn has_display() -> bool {
    ["WAYLAND_DISPLAY", "DISPLAY"].iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}
