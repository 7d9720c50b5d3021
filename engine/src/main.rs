//! `ferrograph`: plays a title, inspects its frame graph, exports a frame's graph.
//!
//! Exit status: 0 it did what was asked; 2 the arguments or the input are wrong; 1 it could not. One message on stderr says what, where, and what to do.
#![allow(unsafe_code)] // `window` hands the window's handles to Vulkan, `leave` ends the process; no other module has unsafe code.

mod cli;
mod cut;
mod diff;
mod doctor;
mod failure;
mod folders;
mod keyboard;
mod keys;
mod leave;
mod nvn_coverage;
mod output;
mod picture;
mod play;
mod profile;
mod recomp_command;
mod replay;
mod rules;
mod targets;
mod title;
mod trace_command;
mod window;

use clap::Parser;
use std::io::IsTerminal;

fn main() {
    let arguments = cli::Arguments::parse();
    let filter =
        tracing_subscriber::EnvFilter::try_from_env("FERROGRAPH_LOG").unwrap_or_else(|_| "warn,winit=error".into());
    let colors = std::io::stderr().is_terminal();
    tracing_subscriber::fmt()
        .with_ansi(colors)
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .without_time()
        .init();
    let status = match cli::run(arguments) {
        Ok(()) => 0,
        Err(failure) => {
            failure.report();
            failure.status()
        }
    };
    leave::leave(status)
}
