//! Developer commands, one module per command.
//!
//! Everything here runs on a machine that has only Rust, its linker and apt, before anything else of the workspace is
//! compiled. Other crates share the results through files: drivers lie under `target/drivers/` (see [`drivers`]), built
//! titles under `target/titles/`.
#![allow(clippy::print_stdout, reason = "a command line program reports on its standard output")]

pub mod apt;
pub mod bench;
pub mod bundle;
pub mod ci;
pub mod drivers;
pub mod fresh;
pub mod need;
pub mod play;
pub mod process;
pub mod rows;
pub mod setup;
pub mod soak;
pub mod test;
pub mod titles;
pub mod workspace;

use std::process::ExitCode;

use anyhow::Result;

use workspace::Workspace;

const USAGE: &str = "\
cargo xtask COMMAND [ARGUMENTS]

  play [-- ARGS]           set up, build and lift the demo title, and play it (ARGS go to `ferrograph play`)
  test [-- ARGS]           set up and run every test (ARGS go to `cargo test`)
  setup [play|test|bench]  install what that command needs, and nothing else (default: test)
  titles [NAME...]         build the guest titles into target/titles/
  ci                       formatting, clippy, documentation and test, with warnings denied
  bench [-- --check]       print what a frame, shader translation and lifted code cost; fail over a limit
  soak [-- ARGS]           run the long tests on every driver (ARGS go to the test programs)
  rows [--check] [--all]   print the catalogue rows of the first slice with their state and tests
  bundle [--out DIR] [FILE...]  make a relocatable folder for a machine without a toolchain; FILEs go into its data/
  fresh [play|test]        run that one command in a bare Debian root, and print how long it took
";

/// The arguments that a command passes on to another program: those after `--`, or all.
fn passed_on(arguments: &[String]) -> &[String] {
    arguments.iter().position(|argument| argument == "--").map_or(arguments, |index| &arguments[index + 1..])
}

/// Runs the command that `arguments` name (without the program's own name).
///
/// # Errors
/// Whatever the command reports: a missing package that could not be installed, a build that failed, a time limit.
pub fn run(arguments: &[String]) -> Result<ExitCode> {
    let Some((command, rest)) = arguments.split_first() else {
        eprint!("{USAGE}");
        return Ok(ExitCode::from(2));
    };
    let workspace = Workspace::find()?;
    match command.as_str() {
        "play" => play::run(&workspace, rest),
        "test" => test::run(&workspace, rest),
        "setup" => setup::run(&workspace, rest),
        "titles" => titles::run(&workspace, rest),
        "ci" => ci::run(&workspace, rest),
        "bench" => bench::run(&workspace, rest),
        "soak" => soak::run(&workspace, rest),
        "rows" => rows::run(&workspace, rest),
        "bundle" => bundle::run(&workspace, rest),
        "fresh" => fresh::run(&workspace, rest),
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        other => {
            eprintln!("xtask: there is no command `{other}`\n\n{USAGE}");
            Ok(ExitCode::from(2))
        }
    }
}
