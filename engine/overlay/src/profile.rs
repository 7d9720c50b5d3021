//! Times of passes on the GPU as a thread of the flame graph, beside the CPU's scopes.
//!
//! Times come back frames after the part was handed over, by its serial; the names of its passes are remembered until then. The device's clock starts
//! anywhere: the first time ever told is laid onto the CPU's clock at the moment when its part is reported, and later times keep their distance to it, so that lengths and
//! gaps are exact and the place against the CPU's scopes is approximate. Where the two drift apart by more than a second they are laid together again.

use crate::model::{FrameView, NONE};
use framegraph::ids::PassId;
use framegraph::schedule::Phase;
use puffin::{GlobalProfiler, ScopeDetails, ScopeId, StreamInfo, ThreadInfo, ThreadProfiler};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Name of the thread that the GPU appears as.
pub const GPU_THREAD: &str = "GPU";

/// Parts whose names are remembered.
const PARTS: usize = 16;

thread_local! {
    /// Where the scope of the phase that runs on this thread begins.
    static PHASE: Cell<Option<usize>> = const { Cell::new(None) };
}

/// A phase of the schedule begins on this thread (and the one before it ends), or the last one has ended: a scope each. Costs a look at two flags while scopes
/// are off.
pub fn phase(phase: Option<Phase>) {
    static SCOPES: OnceLock<Mutex<HashMap<Phase, ScopeId>>> = OnceLock::new();
    let open = PHASE.take();
    let on = puffin::are_scopes_on();
    if open.is_none() && !(on && phase.is_some()) {
        return;
    }
    ThreadProfiler::call(|thread| {
        if let Some(start) = open {
            thread.end_scope(start);
        }
        let Some(phase) = phase.filter(|_| on) else { return };
        let scopes = SCOPES.get_or_init(Mutex::default);
        let mut scopes = scopes.lock().unwrap_or_else(PoisonError::into_inner);
        let id = *scopes
            .entry(phase)
            .or_insert_with(|| thread.register_named_scope(format!("phase: {phase:?}").to_lowercase(), "", "", 0));
        PHASE.set(Some(thread.begin_scope(id, "")));
    });
}

/// A frame of the flame graph ends here and the next begins. Call it once per frame of the game.
pub fn new_frame() {
    GlobalProfiler::lock().new_frame();
}

#[derive(Debug, Default)]
struct Named {
    serial: u64,
    names: Vec<String>,
    used: usize,
}

#[derive(Debug, Clone, Copy)]
struct Time {
    serial: u64,
    pass: PassId,
    start: u64,
    end: u64,
}

/// Collects times and hands them on.
#[derive(Default)]
pub struct GpuTimes {
    parts: Vec<Named>,
    next: usize,
    times: Vec<Time>,
    told: Vec<Time>,
    scopes: HashMap<String, ScopeId>,
    /// Nanoseconds to add to the device's clock to get the CPU's.
    offset: Option<i64>,
    stream: StreamInfo,
    /// Name of the thread; empty = [`GPU_THREAD`].
    thread: String,
}

impl std::fmt::Debug for GpuTimes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GpuTimes").field("pending", &self.times.len()).finish_non_exhaustive()
    }
}

impl GpuTimes {
    /// For a second queue or device: its scopes appear under a name of their own.
    #[must_use]
    pub fn of_thread(name: &str) -> Self {
        Self { thread: name.to_owned(), ..Self::default() }
    }

    /// Remembers the names of a frame's passes.
    pub fn remember(&mut self, view: &FrameView) {
        for part in &view.parts {
            if self.parts.len() < PARTS {
                self.parts.push(Named::default());
            }
            let slot = self.next % self.parts.len();
            self.next += 1;
            let named = &mut self.parts[slot];
            named.serial = part.serial;
            named.used = 0;
            for n in 0..part.passes {
                let Some(pass) = view.passes.get((part.first_pass + n) as usize) else { break };
                if named.used == named.names.len() {
                    named.names.push(String::new());
                }
                let name = &mut named.names[named.used];
                name.clear();
                if pass.unit != NONE {
                    name.push_str(view.text(pass.name));
                }
                named.used += 1;
            }
        }
    }

    /// Takes a time: serial of the part, pass, start and end in nanoseconds of the device's clock.
    pub fn add(&mut self, serial: u64, pass: PassId, start: u64, end: u64) {
        self.times.push(Time { serial, pass, start, end: end.max(start) });
    }

    /// Hands the times to the flame graph, in order of their start, as scopes of a thread.
    pub fn report(&mut self) {
        if self.times.is_empty() {
            return;
        }
        self.times.sort_unstable_by_key(|t| (t.start, t.end));
        let now = puffin::now_ns();
        let last = self.times.iter().map(|t| t.end).max().unwrap_or_default() as i64;
        let offset = match self.offset {
            Some(offset) if (last + offset).abs_diff(now) < 1_000_000_000 => offset,
            _ => now - last,
        };
        self.offset = Some(offset);
        self.stream.clear();
        let mut before = i64::MIN;
        for n in 0..self.times.len() {
            let time = self.times[n];
            let Some(id) = self.scope(time.serial, time.pass) else { continue };
            // Scopes of one depth must not overlap; passes on a GPU may.
            let start = (time.start as i64 + offset).max(before);
            let end = (time.end as i64 + offset).max(start);
            before = end;
            let (at, _) = self.stream.stream.begin_scope(|| start, id, "");
            self.stream.stream.end_scope(at, end);
            self.stream.num_scopes += 1;
            self.stream.depth = 1;
            self.stream.range_ns.0 = self.stream.range_ns.0.min(start);
            self.stream.range_ns.1 = self.stream.range_ns.1.max(end);
        }
        if self.stream.num_scopes > 0 && puffin::are_scopes_on() {
            let name = if self.thread.is_empty() { GPU_THREAD } else { &self.thread };
            let info = ThreadInfo { start_time_ns: None, name: name.to_owned() };
            GlobalProfiler::lock().report_user_scopes(info, &self.stream.as_stream_into_ref());
        }
        std::mem::swap(&mut self.told, &mut self.times);
        self.times.clear();
    }

    fn scope(&mut self, serial: u64, pass: PassId) -> Option<ScopeId> {
        let named = self.parts.iter().find(|p| p.serial == serial && pass.index() < p.used)?;
        let name = &named.names[pass.index()];
        if name.is_empty() {
            return None;
        }
        if let Some(id) = self.scopes.get(name) {
            return Some(*id);
        }
        let details = [ScopeDetails::from_scope_name(name.clone())];
        let id = *GlobalProfiler::lock().register_user_scopes(&details).first()?;
        self.scopes.insert(name.clone(), id);
        Some(id)
    }

    /// Gives a view the last times of its passes: those of its own parts, else those of passes of the same name in the frames just before.
    pub fn apply(&self, view: &mut FrameView) {
        for time in &self.told {
            if view.parts.iter().any(|p| p.serial == time.serial) {
                view.set_gpu_time(time.serial, time.pass, time.start, time.end);
                continue;
            }
            let Some(named) = self.parts.iter().find(|p| p.serial == time.serial) else { continue };
            let Some(name) = named.names[..named.used].get(time.pass.index()) else { continue };
            let same = |n: &usize| {
                let pass = &view.passes[*n];
                pass.unit != NONE && pass.gpu.is_none() && view.text(pass.name) == name
            };
            if let Some(n) = (0..view.passes.len()).find(same) {
                view.passes[n].gpu = Some((time.start, time.end));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use std::sync::{Arc, Mutex};

    #[test]
    fn passes_become_scopes_of_a_thread() {
        let world = sample::island();
        let mut view = FrameView::new();
        view.begin(0);
        view.add_part(&world, 5);
        view.finish();
        let mut times = GpuTimes::of_thread("GPU of this test");
        times.remember(&view);

        let frames = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&frames);
        puffin::set_scopes_on(true);
        let id = GlobalProfiler::lock().add_sink(Box::new(move |frame| sink.lock().unwrap().push(frame)));
        times.add(5, PassId(1), 2_000, 5_000);
        times.add(5, PassId(0), 1_000, 2_500);
        // A pass that nobody knows, and a part that nobody knows.
        times.add(5, PassId(999), 0, 1);
        times.add(4, PassId(0), 0, 1);
        times.report();
        times.apply(&mut view);
        new_frame();
        GlobalProfiler::lock().remove_sink(id);

        let frames = frames.lock().unwrap();
        let mut found = Vec::new();
        for frame in frames.iter() {
            let unpacked = frame.unpacked().unwrap();
            for (thread, info) in &unpacked.thread_streams {
                if thread.name == "GPU of this test" {
                    let scopes = puffin::Reader::from_start(&info.stream).read_top_scopes().unwrap();
                    found.extend(scopes.iter().map(|s| (s.id, s.record.duration_ns)));
                }
            }
        }
        let ids: Vec<_> = ["waves", "shadow 0"].iter().map(|n| times.scopes[*n]).collect();
        // The second begins while the first runs: it is cut to what is its own.
        assert_eq!(found, [(ids[0], 1_500), (ids[1], 2_500)]);
        assert_eq!(view.passes[1].gpu, Some((2_000, 5_000)));
        assert_eq!(view.gpu_total(), 4_500);
    }

    #[test]
    fn a_later_frame_shows_the_times_of_passes_of_the_same_name() {
        let world = sample::island();
        let mut view = FrameView::new();
        let mut times = GpuTimes::default();
        for serial in [1, 2] {
            view.begin(serial);
            view.add_part(&world, serial);
            view.finish();
            times.remember(&view);
        }
        times.add(1, PassId(0), 100, 300);
        times.report();
        times.apply(&mut view);
        assert_eq!(view.passes[0].gpu, Some((100, 300)));
        assert_eq!(view.gpu_total(), 200);
    }
}
