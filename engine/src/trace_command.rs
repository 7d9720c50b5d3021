//! `ferrograph trace`: facts about a trace, and whether it is whole.

use crate::cli::TraceCommand;
use crate::failure::{Failure, printable};
use crate::output::say;
use nvn_decode::memory::PageMemory;
use nvn_decode::record::{Op, Reader};
use nvn_decode::trace::{TraceError, TraceReader, frame_flags};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// A trace file that is read.
pub(crate) type TraceFile = TraceReader<BufReader<File>>;

/// Opens a trace file.
pub(crate) fn open(path: &Path) -> Result<TraceFile, Failure> {
    if path.is_dir() {
        return Err(Failure::input(format!("{}: it is a folder: give a trace file", path.display())));
    }
    let file =
        File::open(path).map_err(|error| Failure::input(format!("{}: {error}: check the path", path.display())))?;
    TraceReader::open(BufReader::new(file)).map_err(|error| named(path, error))
}

/// The failure that an error of a trace is, with the trace's path.
pub(crate) fn named(path: &Path, error: TraceError) -> Failure {
    Failure::from(error).at(path)
}

/// Runs a trace command.
pub(crate) fn run(command: &TraceCommand) -> Result<(), Failure> {
    match command {
        TraceCommand::Info { trace } => info(trace).map_err(|failure| failure.at(trace)),
        TraceCommand::Validate { trace } => validate(trace).map_err(|failure| failure.at(trace)),
        TraceCommand::Cut(arguments) => crate::cut::run(arguments),
    }
}

fn info(path: &Path) -> Result<(), Failure> {
    let mut trace = open(path)?;
    let mut text = String::new();
    for (key, value) in trace.facts() {
        text.push_str(&format!("{}: {}\n", printable(key), printable(value)));
    }
    let frames = trace.frames().to_vec();
    let keys = frames.iter().filter(|f| f.flags & frame_flags::KEY != 0);
    let keys: Vec<_> = keys.map(|f| f.number.to_string()).collect();
    text.push_str(&format!("frames: {} ({})\nkeyframes: {}\n", frames.len(), trace.held(), keys.join(" ")));
    let mut bytes: BTreeMap<&'static str, (u64, u64)> = BTreeMap::new();
    for n in frames.iter().map(|entry| entry.number) {
        let mut records = trace.keyframe(n)?.unwrap_or_default();
        records.extend(trace.frame(n)?);
        for record in Reader::new(&records) {
            let record = record.map_err(|source| TraceError::Record { frame: n, source })?;
            let row = bytes.entry(record.op.name()).or_default();
            row.0 += 1;
            row.1 += record.payload.len() as u64;
        }
    }
    for (name, (count, size)) in bytes {
        text.push_str(&format!("  {name}: {count} records, {size} bytes\n"));
    }
    if let Some(cut) = trace.cut() {
        text.push_str(&format!("the end is missing: {cut}\n"));
    }
    say(&text)
}

fn validate(path: &Path) -> Result<(), Failure> {
    let mut trace = open(path)?;
    let memory = PageMemory::default();
    let mut lists = 0u64;
    let numbers: Vec<_> = trace.frames().iter().map(|entry| entry.number).collect();
    let mut keys = 0u64;
    for n in numbers {
        keys += u64::from(trace.play_keyframe(n, &memory)?.is_some());
        trace.play_frame::<TraceError>(n, &memory, |part| {
            for record in Reader::new(part) {
                let record = record.map_err(|source| TraceError::Record { frame: n, source })?;
                if record.op == Op::CommandList {
                    lists += 1;
                    for inner in Reader::new(record.payload.get(8..).unwrap_or_default()) {
                        inner.map_err(|source| TraceError::Record { frame: n, source })?;
                    }
                }
            }
            Ok(())
        })?;
    }
    if let Some(cut) = trace.cut() {
        return Err(Failure::input(format!(
            "{}: {} frames are whole, then: {cut}",
            path.display(),
            trace.frames().len()
        )));
    }
    let frames = trace.frames().len();
    say(&format!("{}: whole: {frames} frames, {keys} keyframes, {lists} command lists\n", path.display()))
}
