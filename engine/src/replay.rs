//! `ferrograph replay` and `ferrograph export`: frames of a trace, run again.

use crate::cli::{ExportArguments, ExportFormat, ReplayArguments, RunArguments};
use crate::failure::Failure;
use crate::output::{self, write_file};
use crate::picture;
use crate::profile::Profile;
use crate::targets;
use crate::trace_command::{self, TraceFile};
use ferrograph::graph::{Graph, GraphError, GraphOptions, PartReport};
use ferrograph_vulkan::messages::Messages;
use framegraph::export::{self, FrameExport};
use indicatif::{ProgressBar, ProgressStyle};
use nvn_decode::memory::{Guest, PageMemory};
use nvn_decode::trace::TraceError;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Why a frame could not be replayed.
#[derive(Debug, thiserror::Error)]
enum ReplayError {
    #[error(transparent)]
    Trace(#[from] TraceError),
    #[error(transparent)]
    Graph(#[from] GraphError),
}

impl From<ReplayError> for Failure {
    fn from(error: ReplayError) -> Self {
        match error {
            ReplayError::Trace(error) => error.into(),
            ReplayError::Graph(error) => Failure::could(error),
        }
    }
}

/// Refuses to write two of a run's files to one place, or over another file of the run.
pub(crate) fn check_apart(run: &RunArguments, other: (&str, Option<&Path>)) -> Result<(), Failure> {
    output::check_apart(&[other, ("--screenshot", run.screenshot.as_deref()), ("--stats", run.stats.as_deref())])
}

/// Options of a graph from a profile.
pub(crate) fn profile_options(profile: &Profile) -> GraphOptions {
    GraphOptions {
        device: ferrograph_vulkan::DeviceOptions {
            without: profile.vulkan_without.clone(),
            validation: profile.vulkan_validation,
            ..ferrograph_vulkan::DeviceOptions::default()
        },
        drop_barrier: profile.drop_barrier,
        separate_rounding: profile.separate_rounding,
        rules: profile.rules.iter().map(|(name, on)| (name.clone(), *on)).collect(),
        knobs: profile.knobs.iter().filter(|(_, on)| **on).map(|(row, _)| row.clone()).collect(),
        ..GraphOptions::default()
    }
}

/// Options of a graph from the arguments of a run and a profile.
pub(crate) fn graph_options(run: &RunArguments, profile: &Profile) -> GraphOptions {
    GraphOptions { check: run.check, timestamps: run.overlay, overlay: run.overlay, ..profile_options(profile) }
}

/// A progress bar over frames; silent where stderr is no terminal.
pub(crate) fn frame_bar(frames: Option<u64>) -> ProgressBar {
    let bar = frames.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} frames, {per_sec}, {eta} left");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// What the validation layer said.
#[derive(Debug, Default, serde::Serialize)]
pub(crate) struct Validation {
    pub(crate) errors: u32,
    pub(crate) warnings: u32,
    pub(crate) messages: Vec<String>,
    /// Messages that are known to be of no consequence, by the list in the Vulkan back end.
    pub(crate) allowed: Vec<AllowedMessage>,
}

#[derive(Debug, serde::Serialize)]
pub(crate) struct AllowedMessage {
    pub(crate) id: &'static str,
    pub(crate) count: u32,
    pub(crate) reason: &'static str,
}

impl Validation {
    fn of(messages: &Messages) -> Self {
        let allowed = messages.allowed().into_iter();
        Self {
            errors: messages.errors(),
            warnings: messages.warnings(),
            messages: messages.texts(),
            allowed: allowed.map(|(a, count)| AllowedMessage { id: a.id, count, reason: a.reason }).collect(),
        }
    }
}

/// So much of what is wrong in records is told.
const KEPT_DIAGNOSTICS: usize = 100;

/// Figures about a run.
#[derive(Debug, Default, serde::Serialize)]
pub(crate) struct Stats {
    pub(crate) device: String,
    pub(crate) frames: u64,
    pub(crate) seconds: f64,
    pub(crate) seconds_per_frame: f64,
    /// The same over the frames of a replay after its first, which starts the device and makes the pipelines.
    pub(crate) seconds_per_later_frame: Option<f64>,
    pub(crate) hazards: u64,
    pub(crate) hazard_words: Vec<String>,
    /// Hazards that were planted into copies of the stream, and those among them that the checker did not report.
    pub(crate) planted: u64,
    pub(crate) missed: u64,
    /// What the validation layer said, where it ran.
    pub(crate) validation: Option<Validation>,
    pub(crate) diagnostics: Vec<String>,
    pub(crate) presented_hash: String,
}

/// Writes what the run was asked to leave behind.
pub(crate) fn leave(
    run: &RunArguments,
    profile: &Profile,
    graph: &mut Graph,
    stats: &mut Stats,
) -> Result<(), Failure> {
    if run.screenshot.is_some() || run.stats.is_some() {
        let shot = if run.overlay { graph.overlay_screenshot() } else { graph.screenshot() }.map_err(Failure::could)?;
        stats.presented_hash = format!("{:016x}", nvn_decode::trace::hash(&shot.rgba));
        if let Some(path) = &run.screenshot {
            picture::write_png(path, shot.extent, &shot.rgba)?;
        }
    }
    if let Some(folder) = &run.dump_targets {
        targets::dump(folder, graph)?;
    }
    stats.validation = profile.vulkan_validation.then(|| Validation::of(&graph.device().messages));
    if let Some(path) = &run.stats {
        let text = serde_json::to_string_pretty(stats).map_err(Failure::could)?;
        write_file(path, text.as_bytes())?;
    }
    if stats.hazards > 0 {
        let first = stats.hazard_words.first().map(String::as_str).unwrap_or_default();
        return Err(Failure::could(format!("the stream checker found {} hazards; the first: {first}", stats.hazards)));
    }
    if stats.missed > 0 {
        return Err(Failure::could(format!(
            "the stream checker said nothing of {} of {} planted hazards: what it says of this run proves nothing",
            stats.missed, stats.planted
        )));
    }
    if run.check {
        let planted = stats.planted;
        output::say(&format!(
            "checked: no hazards in {} frames; {planted} of {planted} planted ones were reported\n",
            stats.frames
        ))?;
    }
    if let Some(v) = stats.validation.as_ref().filter(|v| v.errors + v.warnings > 0) {
        let first = v.messages.first().map(String::as_str).unwrap_or_default();
        let words = format!(
            "the validation layer reported {} errors and {} warnings; the first: {first}",
            v.errors, v.warnings
        );
        if profile.knobs.get("A-078") != Some(&true) {
            return Err(Failure::could(words));
        }
        tracing::warn!("{words}");
    }
    Ok(())
}

/// Which frames of a trace to replay.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Span {
    /// The replay starts at the nearest keyframe at or before this frame; `None` = before `last`.
    pub(crate) from: Option<u64>,
    /// The last frame; `None` = the trace's.
    pub(crate) last: Option<u64>,
}

/// A trace that is being replayed.
pub(crate) struct Playing {
    pub(crate) memory: Arc<PageMemory>,
    pub(crate) graph: Graph,
}

/// Runs the frames of a trace; calls `each` after every part with frame and number of the part.
pub(crate) fn play(
    path: &Path,
    options: &GraphOptions,
    span: Span,
    each: impl FnMut(u64, u32, &mut Graph, &PartReport),
) -> Result<Playing, Failure> {
    play_frames(path, options, span, each).map_err(|failure| failure.at(path))
}

fn play_frames(
    path: &Path,
    options: &GraphOptions,
    span: Span,
    mut each: impl FnMut(u64, u32, &mut Graph, &PartReport),
) -> Result<Playing, Failure> {
    let mut trace = trace_command::open(path)?;
    let Some(end) = trace.frames().last().map(|entry| entry.number) else {
        return Err(Failure::input(format!("{}: the trace holds no whole frame", path.display())));
    };
    let last = span.last.unwrap_or(end);
    // The last frame must be there, whatever comes before it.
    let nearest = trace.start_of(last)?;
    let first = span.from.map_or(Ok(nearest), |from| trace.start_of(from))?;
    if first > last {
        return Err(Failure::input(format!("frame {first} comes after frame {last}: there is nothing to replay")));
    }
    let numbers: Vec<u64> =
        trace.frames().iter().map(|entry| entry.number).filter(|n| (first..=last).contains(n)).collect();
    let memory = Arc::new(PageMemory::default());
    let start = |frame: u64, trace: &mut TraceFile| -> Result<Graph, Failure> {
        let guest = Guest { memory: memory.clone(), tracking: memory.clone() };
        let mut graph = Graph::new(options, guest).map_err(Failure::could)?;
        if let Some(records) = trace.play_keyframe(frame, &memory)? {
            let report = graph.restore(&records).map_err(Failure::could)?;
            let wrong =
                |what: &String| format!("{}: bringing back the keyframe of frame {frame}: {what}", path.display());
            if let Some(what) = report.diagnostics.first() {
                return Err(Failure::input(wrong(what)));
            }
            if let Some(what) = report.hazards.first() {
                return Err(Failure::could(wrong(what)));
            }
        }
        Ok(graph)
    };
    let mut graph = start(first, &mut trace)?;
    let bar = frame_bar(Some(numbers.len() as u64));
    let mut expected = first;
    for frame in numbers {
        if frame != expected {
            // Frames are missing here: what comes starts from its own keyframe.
            drop(graph);
            graph = start(trace.start_of(frame)?, &mut trace)?;
        }
        expected = frame + 1;
        let mut number = 0;
        trace.play_frame::<ReplayError>(frame, &memory, |part| {
            let report = graph.run(part)?;
            each(frame, number, &mut graph, &report);
            number += 1;
            Ok(())
        })?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(Playing { memory, graph })
}

/// `replay`.
pub(crate) fn run(arguments: &ReplayArguments) -> Result<(), Failure> {
    check_apart(&arguments.run, ("the trace", Some(&arguments.trace)))?;
    let mut profile = Profile::default();
    for assignment in &arguments.run.sets {
        profile.set(assignment)?;
    }
    let options = graph_options(&arguments.run, &profile);
    let began = Instant::now();
    let mut stats = Stats::default();
    let span = match (arguments.from, arguments.frames) {
        (Some(from), Some(count)) => Span { from: Some(from), last: Some(from.saturating_add(count - 1)) },
        (None, _) if arguments.frame.is_none() => {
            Span { from: trace_command::open(&arguments.trace)?.first(), last: None }
        }
        (from, _) => Span { from, last: arguments.frame },
    };
    let mut first = None;
    let mut playing = play(&arguments.trace, &options, span, |_, _, _, report| {
        stats.frames += u64::from(report.presents);
        if stats.frames > 0 {
            first.get_or_insert_with(|| (began.elapsed().as_secs_f64(), stats.frames));
        }
        stats.hazards += report.hazards.len() as u64;
        stats.planted += u64::from(report.planted);
        stats.missed += u64::from(report.missed);
        stats.hazard_words.extend(report.hazards.iter().take(100).cloned());
        let room = KEPT_DIAGNOSTICS.saturating_sub(stats.diagnostics.len());
        for diagnostic in report.diagnostics.iter().take(room) {
            tracing::warn!("records: {diagnostic}");
            stats.diagnostics.push(diagnostic.clone());
        }
    })?;
    let graph = &mut playing.graph;
    graph.finish().map_err(Failure::could)?;
    stats.device.clone_from(&graph.device().name);
    stats.seconds = began.elapsed().as_secs_f64();
    stats.seconds_per_frame = stats.seconds / stats.frames.max(1) as f64;
    stats.seconds_per_later_frame = first
        .filter(|(_, frames)| stats.frames > *frames)
        .map(|(seconds, frames)| (stats.seconds - seconds) / (stats.frames - frames) as f64);
    leave(&arguments.run, &profile, graph, &mut stats)
}

/// `export`.
pub(crate) fn run_export(arguments: &ExportArguments) -> Result<(), Failure> {
    output::check_apart(&[("the trace", Some(&arguments.trace)), ("-o", Some(&arguments.out))])?;
    let mut profile = Profile::default();
    for assignment in &arguments.sets {
        profile.set(assignment)?;
    }
    let options = profile_options(&profile);
    let mut exported: Option<FrameExport> = None;
    if arguments.from.is_some_and(|from| from > arguments.frame) {
        return Err(Failure::input("--from names a frame behind --frame: give one before it"));
    }
    let span = Span { from: arguments.from, last: Some(arguments.frame) };
    play(&arguments.trace, &options, span, |frame, part, graph, _| {
        if frame == arguments.frame {
            let gathered = export::gather(graph.world(), frame, part);
            match &mut exported {
                Some(whole) => whole.join(gathered),
                None => exported = Some(gathered),
            }
        }
    })?;
    let Some(frame) = exported else {
        return Err(Failure::input(format!("frame {} was not reached", arguments.frame)));
    };
    let text = match arguments.format {
        ExportFormat::Json => frame.json().map_err(Failure::could)?,
        ExportFormat::Ron => frame.ron().map_err(Failure::could)?,
        ExportFormat::Dot => frame.dot(),
        ExportFormat::Html => export::html(&frame).map_err(Failure::could)?,
    };
    write_file(&arguments.out, text.as_bytes())
}
