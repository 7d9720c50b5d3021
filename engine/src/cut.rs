//! `ferrograph trace cut`: some frames of a trace as a trace of their own.

use crate::cli::CutArguments;
use crate::failure::Failure;
use crate::output;
use crate::replay::{self, Span};
use crate::trace_command::{self, TraceFile};
use ferrograph::graph::GraphOptions;
use nvn_decode::record::{self, Op, PageRef, Reader, Writer};
use nvn_decode::trace::{TraceError, TraceWriter};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::BufWriter;

type Output = TraceWriter<BufWriter<File>>;

/// `trace cut`.
pub(crate) fn run(arguments: &CutArguments) -> Result<(), Failure> {
    output::check_apart(&[("the trace", Some(&arguments.trace)), ("-o", Some(&arguments.out))])?;
    cut(arguments).map_err(|failure| failure.at(&arguments.trace))
}

fn cut(arguments: &CutArguments) -> Result<(), Failure> {
    let mut trace = trace_command::open(&arguments.trace)?;
    let mut runs = arguments.frames.clone();
    runs.sort_unstable();
    if let Some(pair) = runs.windows(2).find(|pair| pair[1].0 < pair[0].1) {
        return Err(Failure::input(format!("frame {} is named twice: name each once", pair[1].0)));
    }
    for (first, end) in &runs {
        // Whatever is missing, it is said before anything is written.
        trace.start_of(*first)?;
        trace.start_of(end - 1)?;
    }
    let keys = runs.iter().map(|(first, end)| state_before(arguments, &mut trace, *first, *end));
    let keys = keys.collect::<Result<Vec<_>, _>>()?;
    let path = &arguments.out;
    let output = output::Output::create(path)?;
    let file = output.file()?;
    // What is wrong with the output is said with its path; all else is of the trace.
    let mine = |error| trace_command::named(path, error);
    let write = |trace: &mut TraceFile| -> Result<(), Failure> {
        let mut out = TraceWriter::new(BufWriter::new(file), trace.facts()).map_err(mine)?;
        out.set_level(arguments.level);
        for ((first, end), key) in runs.iter().zip(keys) {
            match key {
                Some(Key::Taken { pages, records }) => {
                    let mut whole = Writer::default();
                    for (address, bytes) in pages {
                        let page = out.page(&bytes);
                        whole.record(Op::PageRef, 0, &PageRef { address, page, reserved: 0 });
                    }
                    whole.bytes.extend_from_slice(&records);
                    out.keyframe(&whole.bytes, *first).map_err(mine)?;
                }
                Some(Key::Held { records }) => {
                    let records = renumber(trace, *first, &records, &mut out)?;
                    out.keyframe(&records, *first).map_err(mine)?;
                }
                None => {}
            }
            for frame in *first..*end {
                if frame > *first
                    && let Some(records) = trace.keyframe(frame)?
                {
                    let records = renumber(trace, frame, &records, &mut out)?;
                    out.keyframe(&records, frame).map_err(mine)?;
                }
                let records = trace.frame(frame)?;
                let records = renumber(trace, frame, &records, &mut out)?;
                out.frame(&records).map_err(mine)?;
            }
        }
        out.finish().map_err(mine)
    };
    write(&mut trace)?;
    output.keep()
}

/// The state before the first frame of a run.
enum Key {
    /// Of the trace itself.
    Held { records: Vec<u8> },
    /// Taken by a replay: the guest's pages, the rest.
    Taken { pages: Vec<(u64, Box<[u8]>)>, records: Vec<u8> },
}

/// The keyframe of a run; `None` for one that starts from nothing.
fn state_before(arguments: &CutArguments, trace: &mut TraceFile, first: u64, end: u64) -> Result<Option<Key>, Failure> {
    let used = lists_used(trace, first, end)?;
    if let Some(records) = trace.keyframe(first)? {
        return Ok(Some(Key::Held { records: prune(&records, &used) }));
    }
    if first == 0 {
        return Ok(None);
    }
    let span = Span { from: None, last: Some(first - 1) };
    let mut playing = replay::play(&arguments.trace, &GraphOptions::default(), span, |_, _, _, _| {})?;
    let taken = playing.graph.keyframe(first).map_err(Failure::could)?;
    if let Some(label) = taken.lost.first() {
        tracing::warn!("the multisampled image {label} cannot be read back and begins as zero");
    }
    let pages = taken.pools.iter().flat_map(|(address, length)| playing.memory.pages(*address, *length)).collect();
    Ok(Some(Key::Taken { pages, records: prune(&taken.records, &used) }))
}

/// Handles of the lists that the frames submit, and what their own lists call.
fn lists_used(trace: &mut TraceFile, first: u64, end: u64) -> Result<HashSet<u64>, TraceError> {
    let mut used = HashSet::new();
    for frame in first..end {
        let records = trace.frame(frame)?;
        for record in Reader::new(&records) {
            let record = record.map_err(|source| TraceError::Record { frame, source })?;
            match record.op {
                Op::Submit => {
                    if let Ok((_, handles)) = record.head::<record::Submit>() {
                        used.extend(record::items::<u64>(handles));
                    }
                }
                Op::CommandList => used.extend(calls(&record)),
                _ => {}
            }
        }
    }
    Ok(used)
}

/// Handles that a list calls.
fn calls(list: &record::Record<'_>) -> Vec<u64> {
    let commands = list.head::<record::ListHeader>().map(|(_, commands)| commands).unwrap_or_default();
    let called = Reader::new(commands).filter_map(Result::ok).filter(|record| record.op == Op::CallCommands);
    called.filter_map(|record| record.get().ok()).collect()
}

/// A keyframe without the lists that nothing will run. A list runs when it is submitted, or called by one that runs.
fn prune(records: &[u8], used: &HashSet<u64>) -> Vec<u8> {
    let handle = |record: &record::Record<'_>| record.get::<record::ListHeader>().map(|head| head.handle).ok();
    let lists = || Reader::new(records).filter_map(Result::ok).filter(|record| record.op == Op::CommandList);
    let by_handle: HashMap<u64, Vec<u64>> = lists().filter_map(|list| Some((handle(&list)?, calls(&list)))).collect();
    let mut wanted = used.clone();
    // Those that the keyframe itself submits bring bindings back.
    for record in Reader::new(records).filter_map(Result::ok).filter(|record| record.op == Op::Submit) {
        if let Ok((_, handles)) = record.head::<record::Submit>() {
            wanted.extend(record::items::<u64>(handles));
        }
    }
    let mut open: Vec<u64> = wanted.iter().copied().collect();
    while let Some(next) = open.pop() {
        for called in by_handle.get(&next).into_iter().flatten() {
            if wanted.insert(*called) {
                open.push(*called);
            }
        }
    }
    let mut out = Vec::with_capacity(records.len());
    let mut reader = Reader::new(records);
    while let Some(Ok(record)) = reader.next() {
        let keep = record.op != Op::CommandList || handle(&record).is_none_or(|handle| wanted.contains(&handle));
        if keep {
            out.extend_from_slice(&records[record.offset..reader.offset()]);
        }
    }
    out
}

/// The records with the numbers that their pages have in the new trace.
fn renumber(trace: &mut TraceFile, frame: u64, records: &[u8], out: &mut Output) -> Result<Vec<u8>, TraceError> {
    let mut writer = Writer::default();
    let mut reader = Reader::new(records);
    while let Some(record) = reader.next() {
        let record = record.map_err(|source| TraceError::Record { frame, source })?;
        if record.op == Op::PageRef {
            let named: PageRef = record.get().map_err(|source| TraceError::Record { frame, source })?;
            let page = out.page(trace.page(named.page)?);
            writer.record(Op::PageRef, record.flags, &PageRef { page, ..named });
        } else {
            writer.bytes.extend_from_slice(&records[record.offset..reader.offset()]);
        }
    }
    Ok(writer.bytes)
}
