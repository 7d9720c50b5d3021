//! The gate that a title's presenting thread passes after each frame: closed while the game is frozen, and opened at the pace of the title's present interval.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Blanks of the console's display in a second.
const BLANKS: u32 = 60;
/// A frame that is later than this starts the count anew instead of being caught up.
const LATE: Duration = Duration::from_millis(100);

#[derive(Debug, Default)]
struct State {
    frozen: bool,
    steps: u32,
    closing: bool,
    /// When the next frame may end.
    next: Option<Instant>,
    /// Threads that wait in the gate.
    held: u32,
}

/// The gate. Shared by reference count; the window's side never waits.
#[derive(Debug, Default)]
pub struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

impl Gate {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Holds the game at the frame that it has presented, or lets it run on.
    pub fn freeze(&self, frozen: bool) {
        let mut state = self.lock();
        state.frozen = frozen;
        state.steps = 0;
        state.next = None;
        drop(state);
        self.changed.notify_all();
    }

    /// Whether the game is held.
    #[must_use]
    pub fn is_frozen(&self) -> bool {
        self.lock().frozen
    }

    /// Whether a thread is held in the gate now.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.lock().held > 0
    }

    /// Lets a frozen game run for one frame.
    pub fn step(&self) {
        let mut state = self.lock();
        state.steps += u32::from(state.frozen);
        drop(state);
        self.changed.notify_all();
    }

    /// Opens the gate for good: the run ends.
    pub fn close(&self) {
        self.lock().closing = true;
        self.changed.notify_all();
    }

    /// A frame was presented: waits until the next may begin. `interval` is the title's present interval in blanks of a 60 Hz display; 0 does not wait.
    pub fn pass(&self, interval: u32) {
        let mut state = self.lock();
        if state.frozen && !state.closing {
            state.held += 1;
            while state.frozen && state.steps == 0 && !state.closing {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            state.held -= 1;
            state.steps = state.steps.saturating_sub(1);
            state.next = None;
        }
        let Some(due) = state.next else {
            state.next = Some(Instant::now() + Duration::from_secs(1) * interval / BLANKS);
            return;
        };
        loop {
            let now = Instant::now();
            if state.closing || now >= due || interval == 0 {
                let from = if now > due + LATE || interval == 0 { now } else { due };
                state.next = Some(from + Duration::from_secs(1) * interval / BLANKS);
                return;
            }
            state = self.changed.wait_timeout(state, due - now).unwrap_or_else(PoisonError::into_inner).0;
            if state.frozen {
                // The next frame will be held.
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    fn runner(gate: &Arc<Gate>, interval: u32, frames: u32) -> (std::thread::JoinHandle<()>, Arc<AtomicU32>) {
        let count = Arc::new(AtomicU32::new(0));
        let (gate, seen) = (Arc::clone(gate), Arc::clone(&count));
        let thread = std::thread::spawn(move || {
            for _ in 0..frames {
                seen.fetch_add(1, Ordering::SeqCst);
                gate.pass(interval);
            }
        });
        (thread, count)
    }

    fn until(what: impl Fn() -> bool) {
        let began = Instant::now();
        while !what() {
            assert!(began.elapsed() < Duration::from_secs(20), "it never came");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_frozen_game_runs_one_frame_per_step_and_then_on() {
        let gate = Arc::new(Gate::default());
        gate.freeze(true);
        let (thread, count) = runner(&gate, 0, 10);
        until(|| gate.is_held());
        assert_eq!(count.load(Ordering::SeqCst), 1);
        for frames in 2..5 {
            gate.step();
            until(|| count.load(Ordering::SeqCst) == frames && gate.is_held());
        }
        gate.freeze(false);
        thread.join().unwrap();
        assert_eq!(count.load(Ordering::SeqCst), 10);
    }

    #[test]
    fn closing_lets_a_frozen_game_go() {
        let gate = Arc::new(Gate::default());
        gate.freeze(true);
        let (thread, _) = runner(&gate, 4, 1000);
        until(|| gate.is_held());
        gate.close();
        thread.join().unwrap();
    }

    #[test]
    fn frames_come_at_the_interval_of_the_title() {
        for (interval, least) in [(1, 100), (2, 200), (0, 0)] {
            let gate = Arc::new(Gate::default());
            let began = Instant::now();
            let (thread, _) = runner(&gate, interval, 7);
            thread.join().unwrap();
            let took = began.elapsed();
            // The first frame is not waited for: six intervals.
            assert!(
                took >= Duration::from_millis(least).saturating_sub(Duration::from_millis(1)),
                "{interval}: {took:?}"
            );
            if interval == 0 {
                assert!(took < Duration::from_millis(500), "an interval of 0 waits for nothing: {took:?}");
            }
        }
    }

    #[test]
    fn a_step_of_a_running_game_is_nothing() {
        let gate = Gate::default();
        gate.step();
        gate.freeze(true);
        assert_eq!(gate.lock().steps, 0);
    }
}
