//! Where the API's records go: into the graph, and into a trace when one is recorded.

use crate::gate::Gate;
use crate::graph::{Graph, GraphError};
use ferrograph_nvn::{GpuSink, SyncOutcome};
use nvn_decode::ingest::signal_of;
use nvn_decode::record::{Op, Reader, Writer};
use nvn_decode::trace::{TraceError, TraceWriter};
use std::collections::HashMap;
use std::fs::File;
use std::io::BufWriter;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// A trace being written to a file.
pub type FileTrace = TraceWriter<BufWriter<File>>;

/// Page records of the part that was just ingested: what a recording guest memory saw.
pub type TakePages = Box<dyn Fn() -> Vec<u8> + Send + Sync>;

/// Page records of everything that a replay holds now in these ranges of guest memory (first byte, length).
pub type HeldPages = Box<dyn Fn(&[(u64, u64)]) -> Vec<u8> + Send + Sync>;

/// Which frames of a recording get a keyframe.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keyframes {
    /// These frames.
    pub frames: Vec<u64>,
    /// And each whose number is a multiple of this.
    pub every: Option<u64>,
}

impl Keyframes {
    /// Whether a frame gets one. Frame 0 starts from nothing and needs none.
    #[must_use]
    pub fn wants(&self, frame: u64) -> bool {
        let every = self.every.is_some_and(|every| every > 0 && frame.is_multiple_of(every));
        frame > 0 && (every || self.frames.contains(&frame))
    }
}

/// A recording in progress.
pub struct Recording {
    trace: Arc<Mutex<FileTrace>>,
    take_pages: TakePages,
    held_pages: HeldPages,
    keyframes: Keyframes,
    frame: Vec<u8>,
}

impl Recording {
    /// Records into `trace`; `take_pages` gives the page records of the part just ingested, `held_pages` all that a replay holds.
    #[must_use]
    pub fn new(
        trace: Arc<Mutex<FileTrace>>,
        take_pages: TakePages,
        held_pages: HeldPages,
        keyframes: Keyframes,
    ) -> Self {
        Self { trace, take_pages, held_pages, keyframes, frame: Vec::new() }
    }

    /// Writes the keyframe of the next frame, if it is to have one.
    fn keyframe(&mut self, graph: &mut Graph) -> Result<(), SinkError> {
        let lock = |trace: &Arc<Mutex<FileTrace>>| trace.lock().unwrap_or_else(PoisonError::into_inner).next_frame();
        let next = lock(&self.trace);
        if !self.frame.is_empty() || !self.keyframes.wants(next) {
            return Ok(());
        }
        let taken = graph.keyframe(next)?;
        for label in &taken.lost {
            tracing::warn!("keyframe {next}: the multisampled image {label} cannot be read back and begins as zero");
        }
        let mut records = (self.held_pages)(&taken.pools);
        records.extend_from_slice(&taken.records);
        let mut trace = self.trace.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(trace.keyframe(&records, next)?)
    }

    fn part(&mut self, stream: &[u8], presents: u32) -> Result<(), TraceError> {
        self.frame.extend((self.take_pages)());
        self.frame.extend_from_slice(stream);
        let mut end = Writer::default();
        end.slice::<u8>(Op::PartEnd, 0, &[]);
        self.frame.extend_from_slice(&end.bytes);
        if presents > 0 {
            let mut trace = self.trace.lock().unwrap_or_else(PoisonError::into_inner);
            trace.frame(&self.frame)?;
            self.frame.clear();
        }
        Ok(())
    }
}

/// What a run adds up to.
#[derive(Debug, Clone, Default)]
pub struct Totals {
    /// Frames presented.
    pub frames: u64,
    /// Parts.
    pub parts: u64,
    /// Hazards that the checker found, the first hundred in words.
    pub hazards: Vec<String>,
    /// Number of hazards.
    pub hazard_count: u64,
    /// Hazards planted into copies of the stream.
    pub planted: u64,
    /// Those among them that the checker did not report.
    pub missed: u64,
    /// What was wrong in records, the first hundred.
    pub diagnostics: Vec<String>,
    /// Seconds in the graph, all parts together.
    pub graph_seconds: f64,
}

const KEPT: usize = 100;

struct State {
    graph: Graph,
    /// Highest value signalled, by sync.
    signalled: HashMap<u64, u64>,
    recording: Option<Recording>,
    totals: Totals,
    error: Option<SinkError>,
    closed: bool,
}

/// Why a sink stopped.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// The graph failed.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The trace could not be written.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

/// Called after each presented frame with its number (from 0); may look at the graph. When it says false, the run is over: nothing more is taken.
pub type OnFrame = Box<dyn FnMut(&mut Graph, u64) -> bool + Send>;

/// The sink: ingests on the calling thread, one part at a time.
#[derive(Clone)]
pub struct GraphSink {
    state: Arc<Mutex<State>>,
    changed: Arc<Condvar>,
    on_frame: Arc<Mutex<Option<OnFrame>>>,
    gate: Arc<Mutex<Option<Arc<Gate>>>>,
    began: Instant,
}

impl std::fmt::Debug for GraphSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GraphSink").finish_non_exhaustive()
    }
}

impl GraphSink {
    /// A sink into `graph`.
    #[must_use]
    pub fn new(graph: Graph, recording: Option<Recording>) -> Self {
        let state = State {
            graph,
            signalled: HashMap::new(),
            recording,
            totals: Totals::default(),
            error: None,
            closed: false,
        };
        Self {
            state: Arc::new(Mutex::new(state)),
            changed: Arc::new(Condvar::new()),
            on_frame: Arc::default(),
            gate: Arc::default(),
            began: Instant::now(),
        }
    }

    /// Sets what happens after each frame.
    pub fn set_on_frame(&self, run: OnFrame) {
        *self.on_frame.lock().unwrap_or_else(PoisonError::into_inner) = Some(run);
    }

    /// Sets the gate that a thread passes behind each frame, while others may use the sink.
    pub fn set_gate(&self, gate: Arc<Gate>) {
        *self.gate.lock().unwrap_or_else(PoisonError::into_inner) = Some(gate);
    }

    /// Ends the run: nothing more is taken, and nobody waits any more.
    pub fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `look` on the graph between parts.
    pub fn with_graph<R>(&self, look: impl FnOnce(&mut Graph) -> R) -> R {
        look(&mut self.lock().graph)
    }

    /// As [`GraphSink::with_graph`], unless someone else has the graph now.
    pub fn try_with_graph<R>(&self, look: impl FnOnce(&mut Graph) -> R) -> Option<R> {
        match self.state.try_lock() {
            Ok(mut state) => Some(look(&mut state.graph)),
            Err(TryLockError::Poisoned(poisoned)) => Some(look(&mut poisoned.into_inner().graph)),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// What the run adds up to so far.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.lock().totals.clone()
    }

    /// What stopped the sink, if anything did.
    #[must_use]
    pub fn take_error(&self) -> Option<SinkError> {
        self.lock().error.take()
    }

    /// Ends a recording; its last frame is dropped when it was not presented.
    pub fn end_recording(&self) {
        self.lock().recording = None;
    }

    /// Runs the records; gives the number of presents and the present interval of the last.
    fn part(state: &mut State, stream: &[u8]) -> Result<(u32, u32), SinkError> {
        let began = Instant::now();
        let report = state.graph.run(stream)?;
        state.totals.graph_seconds += began.elapsed().as_secs_f64();
        state.totals.parts += 1;
        state.totals.frames += u64::from(report.presents);
        state.totals.planted += u64::from(report.planted);
        state.totals.missed += u64::from(report.missed);
        note(state, report.signals, report.hazards, report.diagnostics);
        if let Some(recording) = &mut state.recording {
            recording.part(stream, report.presents)?;
        }
        if report.presents > 0 {
            state.graph.paint()?;
        }
        Ok((report.presents, report.interval))
    }
}

fn note(state: &mut State, signals: Vec<u64>, hazards: Vec<String>, mut diagnostics: Vec<String>) {
    for tag in signals {
        let (sync, value) = signal_of(tag);
        let highest = state.signalled.entry(sync).or_insert(0);
        // Values count up by one and may wrap (row M-4.3).
        if *highest != 0 && (value as u32).wrapping_sub(*highest as u32) as i32 <= 0 {
            diagnostics.push(format!("sync {sync} was signalled with {value} after {highest}"));
        }
        *highest = (*highest).max(value);
    }
    state.totals.hazard_count += hazards.len() as u64;
    let room = |kept: &Vec<String>| KEPT.saturating_sub(kept.len());
    let take = room(&state.totals.hazards);
    state.totals.hazards.extend(hazards.into_iter().take(take));
    for diagnostic in diagnostics {
        tracing::warn!("records: {diagnostic}");
        if room(&state.totals.diagnostics) > 0 {
            state.totals.diagnostics.push(diagnostic);
        }
    }
}

impl GpuSink for GraphSink {
    fn submit(&self, stream: Vec<u8>) {
        let mut state = self.lock();
        if state.error.is_some() || state.closed {
            return;
        }
        let mut passes = None;
        match Self::part(&mut state, &stream) {
            Ok((presents, interval)) => {
                passes = (presents > 0).then_some(interval);
                let frames = state.totals.frames;
                for n in 0..u64::from(presents) {
                    let mut on_frame = self.on_frame.lock().unwrap_or_else(PoisonError::into_inner);
                    if let Some(run) = on_frame.as_mut() {
                        state.closed |= !run(&mut state.graph, frames - u64::from(presents) + n);
                    }
                }
                if presents > 0
                    && let State { graph, recording: Some(recording), closed: false, error, .. } = &mut *state
                {
                    *error = recording.keyframe(graph).err();
                }
            }
            Err(error) => state.error = Some(error),
        }
        drop(state);
        self.changed.notify_all();
        if let Some(interval) = passes {
            let gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if let Some(gate) = gate {
                gate.pass(interval);
            }
        }
    }

    fn wait(&self, sync: u64, value: u64, timeout: Duration) -> SyncOutcome {
        let deadline = Instant::now().checked_add(timeout);
        let reached = |state: &State| state.signalled.get(&sync).is_some_and(|have| *have >= value & 0xFFFF_FFFF);
        let mut state = self.lock();
        if reached(&state) {
            return SyncOutcome::Already;
        }
        loop {
            if state.closed {
                // The run is over; what the title still waits for will not be drawn.
                return SyncOutcome::Satisfied;
            }
            if state.error.is_some() {
                return SyncOutcome::Failed;
            }
            // The GPU has one queue and parts complete in order: waiting for all that was submitted waits for this fence.
            match state.graph.finish() {
                Ok(report) => note(&mut state, report.signals, report.hazards, report.diagnostics),
                Err(error) => {
                    state.error = Some(error.into());
                    return SyncOutcome::Failed;
                }
            }
            if reached(&state) {
                return SyncOutcome::Satisfied;
            }
            // The fence was not submitted yet: another guest thread must do it.
            let left = deadline.map_or(Duration::MAX, |d| d.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return SyncOutcome::Timeout;
            }
            let nap = left.min(Duration::from_millis(100));
            state = self.changed.wait_timeout(state, nap).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn finish(&self) {
        let mut state = self.lock();
        match state.graph.finish() {
            Ok(report) => note(&mut state, report.signals, report.hazards, report.diagnostics),
            Err(error) => state.error = Some(error.into()),
        }
    }

    fn timestamp(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// Presents in records, without running them.
#[must_use]
pub fn presents_in(stream: &[u8]) -> usize {
    Reader::new(stream).filter(|r| r.as_ref().is_ok_and(|r| r.op == Op::Present)).count()
}
