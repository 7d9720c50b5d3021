//! `ferrograph recomp`: lifts a title's code; `play` does the same when the build is missing or stale.

use crate::cli::RecompArguments;
use crate::failure::Failure;
use crate::title::Title;
use indicatif::{ProgressBar, ProgressStyle};
use recomp::build::{Options, Progress, RecompError, lift_title};
use std::fs::File;
use std::path::{Path, PathBuf};

/// The title's shared object, built when it is missing or stale.
pub(crate) fn ensure(title: &Title, opt: u8, jobs: Option<usize>) -> Result<PathBuf, Failure> {
    let root = Title::build_root()?;
    let _alone = lock(&root)?;
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("lifting {bar:30} {pos}/{len}, {per_sec}, {eta} left") {
        bar.set_style(style);
    }
    let options = Options { opt, jobs: jobs.unwrap_or(0), ..Options::default() };
    let built = lift_title(&title.dir.join("exefs"), &root, &options, &mut |progress| {
        let Progress { stage: _, done, total } = progress;
        bar.set_length(total);
        bar.set_position(done);
    });
    bar.finish_and_clear();
    let built = built.map_err(|error| match error {
        RecompError::Nso { .. } | RecompError::Image(_) | RecompError::NoMain { .. } => Failure::input(error),
        _ => Failure::could(error),
    })?;
    for module in &built.modules {
        tracing::info!("{module:?}");
    }
    Ok(built.object)
}

/// Waits until no other process builds here; the lock ends with the returned file.
fn lock(root: &Path) -> Result<File, Failure> {
    let place = |e: std::io::Error| {
        Failure::could(format!("{}: {e}: check that the folder is writable and has room", root.display()))
    };
    std::fs::create_dir_all(root).map_err(place)?;
    let file = File::create(root.join("lock")).map_err(place)?;
    file.lock().map_err(place)?;
    Ok(file)
}

/// Runs the command.
pub(crate) fn run(arguments: &RecompArguments) -> Result<(), Failure> {
    let title = Title::open(&arguments.dir)?;
    ensure(&title, arguments.opt, arguments.jobs).map(|_| ())
}
