//! The command line.

use crate::failure::Failure;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Plays, inspects and exports the frame graph of a Tegra-X1 title that you own.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Play a title: a folder with exefs/ and romfs/.
    Play(PlayArguments),
    /// Replay a trace.
    Replay(ReplayArguments),
    /// Export a frame's graph from a trace.
    Export(ExportArguments),
    /// Compare two dumps of targets, two frames exported as JSON, or two pictures; status 1 when they differ.
    Diff(DiffArguments),
    /// Tell about, cut or check a trace.
    Trace {
        #[command(subcommand)]
        command: TraceCommand,
    },
    /// Lift a title's code without playing it.
    Recomp(RecompArguments),
    /// List every system in its order: kind, catalogue rows, what off means; then the keys of profiles and of --set.
    Rules {
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// List every function of the graphics API: implemented, accepted or unsupported, and why.
    NvnCoverage,
    /// Tell what this machine can do and which fallbacks apply.
    Doctor {
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
}

/// What playing and replaying share.
#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// No window, even where there is a display. A replay never has one.
    #[arg(long)]
    pub(crate) headless: bool,
    /// Write the last presented picture here.
    #[arg(long, value_name = "OUT.png")]
    pub(crate) screenshot: Option<PathBuf>,
    /// Draw the inspection overlay.
    #[arg(long)]
    pub(crate) overlay: bool,
    /// Set a key for this run; may be given several times.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) sets: Vec<String>,
    /// Check every emitted command for hazards, and say how many there were.
    #[arg(long)]
    pub(crate) check: bool,
    /// Write figures about the run here, as JSON.
    #[arg(long, value_name = "OUT.json")]
    pub(crate) stats: Option<PathBuf>,
    /// Write the values of all targets of the last frame, and of the picture, into this folder (`diff` compares two such).
    #[arg(long, value_name = "DIR")]
    pub(crate) dump_targets: Option<PathBuf>,
}

/// `play`.
#[derive(Debug, Args)]
pub(crate) struct PlayArguments {
    /// The title's folder.
    pub(crate) dir: PathBuf,
    #[command(flatten)]
    pub(crate) run: RunArguments,
    /// End after this many frames.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) frames: Option<u64>,
    /// Guest time is frame / 60; the same bytes every run. Default without a window.
    #[arg(long)]
    pub(crate) fixed_step: bool,
    /// Record a trace.
    #[arg(long, value_name = "F.fgt")]
    pub(crate) record: Option<PathBuf>,
    /// Frames of the recording at which a replay can start, as numbers from 0; frame 0 always is one.
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', requires = "record")]
    pub(crate) keyframes: Vec<u64>,
    /// As `--keyframes`: every frame whose number is a multiple of this.
    #[arg(long, value_name = "N", requires = "record", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) keyframe_every: Option<u64>,
    /// Input from a script.
    #[arg(long, value_name = "S.ron")]
    pub(crate) input: Option<PathBuf>,
    /// Where frames exported from the running game go.
    #[arg(long, value_name = "DIR", default_value = "ferrograph-export")]
    pub(crate) export_dir: PathBuf,
    /// A profile instead of the title's own in profiles/.
    #[arg(long, value_name = "P.ron")]
    pub(crate) profile: Option<PathBuf>,
}

/// `replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    /// The trace.
    pub(crate) trace: PathBuf,
    #[command(flatten)]
    pub(crate) run: RunArguments,
    /// Stop after this frame (counted from 0); without it, all frames.
    #[arg(long, conflicts_with_all = ["from", "frames"])]
    pub(crate) frame: Option<u64>,
    /// Start at the nearest keyframe at or before this frame, or at frame 0; without it, where the last frame needs it to.
    #[arg(long, value_name = "N")]
    pub(crate) from: Option<u64>,
    /// Replay this many frames from `--from` on.
    #[arg(long, value_name = "K", requires = "from", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) frames: Option<u64>,
}

/// Formats of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// RON.
    Ron,
    /// JSON.
    Json,
    /// Graphviz.
    Dot,
    /// One self-contained page.
    Html,
}

/// `export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// The trace.
    pub(crate) trace: PathBuf,
    /// Which frame, from 0.
    #[arg(long)]
    pub(crate) frame: u64,
    /// Start the replay at the nearest keyframe at or before this frame; without it, at the nearest before the exported one.
    #[arg(long, value_name = "N")]
    pub(crate) from: Option<u64>,
    /// Format.
    #[arg(long, value_enum)]
    pub(crate) format: ExportFormat,
    /// Where to.
    #[arg(short, value_name = "OUT")]
    pub(crate) out: PathBuf,
    /// Set a key for this run; may be given several times.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) sets: Vec<String>,
}

/// `diff`.
#[derive(Debug, Args)]
pub(crate) struct DiffArguments {
    /// A folder of `--dump-targets`, an export as JSON, or a PNG.
    pub(crate) a: PathBuf,
    /// What it is compared with.
    pub(crate) b: PathBuf,
}

/// `trace`.
#[derive(Debug, Subcommand)]
pub(crate) enum TraceCommand {
    /// Facts, frames, sizes.
    Info {
        /// The trace.
        trace: PathBuf,
    },
    /// Read every byte and say what is wrong.
    Validate {
        /// The trace.
        trace: PathBuf,
    },
    /// Write some frames as a trace of their own, each run of them behind a keyframe.
    Cut(CutArguments),
}

/// `trace cut`.
#[derive(Debug, Args)]
pub(crate) struct CutArguments {
    /// The trace.
    pub(crate) trace: PathBuf,
    /// Frames to keep: `A..B` (B left out) or `N`, several with commas. Where no keyframe stands before the first of a run, the trace is replayed up to it
    /// to take one.
    #[arg(long, value_name = "A..B,…", value_delimiter = ',', value_parser = frames, required = true)]
    pub(crate) frames: Vec<(u64, u64)>,
    /// Where to.
    #[arg(short, value_name = "G.fgt")]
    pub(crate) out: PathBuf,
    /// How hard to compress, 1 to 22.
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(i32).range(1..=22))]
    pub(crate) level: i32,
}

/// A run of frames: the first, and the one behind the last.
fn frames(text: &str) -> Result<(u64, u64), String> {
    let number = |text: &str| text.parse::<u64>().map_err(|e| format!("{text:?} is no frame number: {e}"));
    let (first, end) = match text.split_once("..") {
        Some((first, end)) => (number(first)?, number(end)?),
        None => (number(text)?, number(text)?.saturating_add(1)),
    };
    if first < end { Ok((first, end)) } else { Err(format!("{text} holds no frame: write A..B with A below B")) }
}

/// `recomp`.
#[derive(Debug, Args)]
pub(crate) struct RecompArguments {
    /// The title's folder.
    pub(crate) dir: PathBuf,
    /// Optimisation of the C compiler.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=2))]
    pub(crate) opt: u8,
    /// Compilers that run at once; default: one per core.
    #[arg(long)]
    pub(crate) jobs: Option<usize>,
}

/// Runs a command.
pub(crate) fn run(arguments: Arguments) -> Result<(), Failure> {
    match arguments.command {
        Command::Play(arguments) => crate::play::run(&arguments),
        Command::Replay(arguments) => crate::replay::run(&arguments),
        Command::Export(arguments) => crate::replay::run_export(&arguments),
        Command::Diff(arguments) => crate::diff::run(&arguments),
        Command::Trace { command } => crate::trace_command::run(&command),
        Command::Recomp(arguments) => crate::recomp_command::run(&arguments),
        Command::Rules { json } => crate::rules::run(json),
        Command::NvnCoverage => crate::nvn_coverage::run(),
        Command::Doctor { json } => crate::doctor::run(json),
    }
}
