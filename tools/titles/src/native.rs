//! The same title as a program of this machine: its C linked with the recording host of `tests/titles/harness`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::build::{NUMBERS, WARNINGS, run, sources, title};
use crate::error::TitleError;

/// Compiles the title `name` and the harness for this machine into `out/NAME-native`, with clang's undefined-behaviour
/// checks of clang on the title's own code.
///
/// Run it as `NAME-native ROMFS FRAMES [list|blocks]`: it prints every NVN call of each frame, or the uniform blocks of each
/// frame in hexadecimal, and ends with status 1 at the first call whose arguments break a rule of the API.
///
/// # Errors
/// The title is unknown, or clang-19 is missing or reports an error.
pub fn build_native(root: &Path, name: &str, out: &Path) -> Result<PathBuf, TitleError> {
    let title = title(name)?;
    crate::headers::write(root)?;
    std::fs::create_dir_all(out).map_err(TitleError::io("create", out))?;
    let titles = root.join("tests/titles");
    let folder = titles.join(title.name);
    let program = out.join(format!("{name}-native"));
    let mut compiler = Command::new("clang-19");
    compiler.args(["-O1", "-g1", "-fsanitize=undefined", "-fsanitize-trap=all"]);
    compiler.args(["-D_GNU_SOURCE", "-pthread"]).args(WARNINGS).args(NUMBERS);
    for include in [titles.join("include"), folder.clone(), titles.join("harness")] {
        compiler.arg("-I").arg(include);
    }
    for module in title.modules {
        compiler.args(sources(&folder.join(module), &["c"])?);
    }
    compiler.args(sources(&titles.join("harness"), &["c"])?);
    run(compiler.arg("-o").arg(&program), &program)?;
    Ok(program)
}
