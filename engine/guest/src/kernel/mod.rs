//! The kernel: guest threads on three virtual cores, and what they wait for (catalogue ).
//!
//! Each guest thread is a host thread that runs guest code only while it owns a virtual core of its affinity mask; the others wait in one list ordered by
//! priority and age. Cores change hands where the guest calls the host, at polls of `yield_requested`, and around host work. All tables are under one lock.
//!
//! With fixed-step time the kernel is *serial*: the three cores keep their owners, but only the owner of the core with the token runs, and the token moves
//! at waits, yields and after a fixed number of polls. The order of everything is then the same in every run.

mod memory_calls;
mod objects;
pub mod results;
mod state;
mod sync;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

pub use memory_calls::InfoKind;
pub use results::ResultCode;
pub use state::{CORE_COUNT, ContextFlag, Counters, EventId, Handle, ROUND_ROBIN_PRIORITY, ThreadId, YieldFlag};
pub use sync::{AddressSignal, AddressWait};

use crate::knob::Knob;
use crate::memory::GuestMemory;
use crate::time::{Clock, TimeMode};
use state::{Object, Run, State, Thread, Wait};

/// Pseudo handle of the calling thread.
pub const CURRENT_THREAD: Handle = 0xFFFF_8000;
/// Pseudo handle of the process.
pub const CURRENT_PROCESS: Handle = 0xFFFF_8001;
/// Set in a lock word when threads wait for it.
pub const LOCK_WAITERS: u32 = 0x4000_0000;

/// Polls of a serial turn while another core's holder waits for the token.
const POLLS_PER_TURN: u32 = 4096;
/// Guest time that a serial turn of polls stands for while sleepers wait for it to pass.
const TURN_NANOSECONDS: u64 = 50_000;
/// Serial polls that are only counted, between two looks at the tables.
const POLLS_PER_LOOK: u32 = 1024;
/// How often threads of the lowest priority take turns.
const ROUND_ROBIN: Duration = Duration::from_millis(10);

/// What a process may do, from its metadata.
#[derive(Debug, Clone)]
pub struct ProcessLimits {
    /// Best (lowest) and worst kernel priority.
    pub priorities: (u8, u8),
    /// Cores, as a mask of the lowest three bits.
    pub core_mask: u64,
    /// Core of threads that ask for the default.
    pub default_core: u8,
    /// Handles at one time.
    pub handles: usize,
    /// Program id.
    pub program_id: u64,
    /// System resource in bytes.
    pub system_resource: u64,
}

impl Default for ProcessLimits {
    fn default() -> ProcessLimits {
        ProcessLimits {
            priorities: (28, 59),
            core_mask: 7,
            default_core: 0,
            handles: 512,
            program_id: 0,
            system_resource: 0,
        }
    }
}

/// What a thread is made with.
#[derive(Debug, Clone)]
pub struct ThreadDescription {
    /// For logs and the host's debugger.
    pub name: String,
    /// Kernel priority, 0 best to 63 worst.
    pub priority: u8,
    /// Preferred core; `None` takes the process's default.
    pub core: Option<usize>,
    /// The word its code polls.
    pub flag: YieldFlag,
}

/// A memory block description, as SVC QueryMemory gives it.
pub use crate::memory::Block as MemoryBlock;

/// Host stack of a guest thread. A guest frame of 16 bytes is a host frame of some hundred, and the guest's stack should be the one
/// that runs out. Only what is touched takes memory.
const HOST_STACK: usize = 64 << 20;

/// The kernel of one guest process.
pub struct Kernel {
    memory: Arc<GuestMemory>,
    clock: Clock,
    limits: ProcessLimits,
    serial: bool,
    state: Mutex<State>,
    timers_changed: Condvar,
    /// Earliest deadline in nanoseconds, for a look without the lock.
    next_deadline: AtomicU64,
    turn_polls: AtomicU32,
    urgent: AtomicBool,
    knob: OnceLock<Knob>,
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel").field("limits", &self.limits).field("serial", &self.serial).finish_non_exhaustive()
    }
}

impl Kernel {
    /// A kernel without threads. `time` decides whether it is serial.
    pub fn new(memory: Arc<GuestMemory>, limits: ProcessLimits, time: TimeMode) -> Arc<Kernel> {
        let handles = limits.handles.max(64);
        let kernel = Arc::new(Kernel {
            memory,
            clock: Clock::new(time),
            limits,
            serial: time == TimeMode::FixedStep,
            state: Mutex::new(State::new(handles)),
            timers_changed: Condvar::new(),
            next_deadline: AtomicU64::new(u64::MAX),
            turn_polls: AtomicU32::new(0),
            urgent: AtomicBool::new(false),
            knob: OnceLock::new(),
        });
        if time == TimeMode::Real {
            let of = Arc::downgrade(&kernel);
            let timer = std::thread::Builder::new().name("guest timers".into());
            let spawned = timer.spawn(move || {
                while let Some(kernel) = of.upgrade() {
                    if !kernel.run_timers() {
                        return;
                    }
                }
            });
            if let Err(error) = spawned {
                tracing::error!(%error, "the thread for guest timers could not be started; timed waits will not end");
            }
        }
        kernel
    }

    /// Plants a fault, for tests. The first one stays.
    pub fn plant(&self, knob: Knob) {
        let _ = self.knob.set(knob);
        self.lock().flag_all = knob == Knob::FlagAll;
    }

    fn planted(&self, knob: Knob) -> bool {
        self.knob.get() == Some(&knob)
    }

    /// The guest's memory.
    pub fn memory(&self) -> &Arc<GuestMemory> {
        &self.memory
    }

    /// The guest's clock. Guest reads of it go through [`Kernel::read_ticks`].
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The process's limits.
    pub fn limits(&self) -> &ProcessLimits {
        &self.limits
    }

    /// A guest's read of CNTPCT_EL0; with a fixed step this moves time and may end waits.
    pub fn read_ticks(&self) -> u64 {
        let ticks = self.clock.read_ticks();
        if self.serial && self.clock.now() >= self.next_deadline.load(Ordering::SeqCst) {
            let mut state = self.lock();
            self.fire_due(&mut state);
            self.settle(&mut state);
        }
        ticks
    }

    /// A frame was presented. Returns the number of the frame that begins.
    pub fn next_frame(&self) -> u64 {
        let frame = self.clock.next_frame();
        if self.serial {
            let mut state = self.lock();
            self.fire_due(&mut state);
            self.settle(&mut state);
        }
        frame
    }

    /// What the scheduler did so far.
    pub fn counters(&self) -> Counters {
        self.lock().counters
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic while the tables are locked would be a defect of the kernel itself; the tables stay usable for the report.
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Gives cores away, and with a fixed step moves time while nobody can run.
    fn settle(&self, state: &mut State) {
        state.dispatch(self.serial);
        if self.serial {
            self.skip_idle_time(state);
            self.urgent.store(true, Ordering::SeqCst);
        }
        self.publish_deadline(state);
    }

    fn publish_deadline(&self, state: &State) {
        let first = state.timers.keys().next().map_or(u64::MAX, |(deadline, _)| *deadline);
        let vsync = state.vsync.as_ref().map_or(u64::MAX, |vsync| vsync.deadline());
        let next = first.min(vsync);
        if self.next_deadline.swap(next, Ordering::SeqCst) > next && !self.serial {
            self.timers_changed.notify_all();
        }
    }

    fn skip_idle_time(&self, state: &mut State) {
        while !state.stopped && state.cores.iter().all(Option::is_none) {
            if state.live.iter().any(|id| state.thread(*id).run == Run::HostWork) {
                return;
            }
            let timer = state.timers.keys().next().map(|(deadline, _)| *deadline);
            let vsync = state.vsync.as_ref().filter(|vsync| {
                let object = |object: &Object| matches!(object, Object::Event { event, .. } if *event == vsync.event);
                state.live.iter().any(
                    |id| matches!(&state.thread(*id).wait, Some(Wait::Objects(objects)) if objects.iter().any(object)),
                )
            });
            let vsync = vsync.map(|vsync| vsync.deadline());
            let Some(deadline) = timer.into_iter().chain(vsync).min() else { return };
            self.clock.skip_to(deadline);
            self.fire_due(state);
            state.dispatch(true);
        }
    }

    /// Ends the waits whose time has come and marks vertical blanks.
    fn fire_due(&self, state: &mut State) {
        let now = self.clock.now();
        while let Some((key, id)) =
            state.timers.first_key_value().map(|(key, id)| (*key, *id)).filter(|(key, _)| key.0 <= now)
        {
            state.timers.remove(&key);
            state.thread_mut(id).timer = None;
            self.end_wait(state, id, Err(results::TIMED_OUT));
        }
        if let Some(vsync) = &mut state.vsync {
            let mut blanks = 0;
            while vsync.deadline() <= now {
                // After a long stop of the host one blank stands for all that were missed.
                vsync.next =
                    if blanks == 0 { vsync.next + 1 } else { (u128::from(now) * 60 / 1_000_000_000) as u64 + 1 };
                blanks += 1;
            }
            if blanks > 0 {
                let event = vsync.event;
                self.set_event(state, event);
            }
        }
    }

    /// One round of the timer thread; false when the process has ended.
    fn run_timers(&self) -> bool {
        let mut state = self.lock();
        if state.stopped {
            return false;
        }
        self.fire_due(&mut state);
        for core in 0..CORE_COUNT {
            let holder = state.cores[core].map(|id| state.thread(id).priority);
            if holder == Some(ROUND_ROBIN_PRIORITY)
                && state.best_ready_for(core).is_some_and(|(priority, _)| priority == ROUND_ROBIN_PRIORITY)
            {
                state.flag(core);
            }
        }
        self.settle(&mut state);
        let deadline = self.next_deadline.load(Ordering::SeqCst);
        let turns = state.cores.iter().flatten().any(|id| state.thread(*id).priority == ROUND_ROBIN_PRIORITY);
        // Bounded, so that the thread notices that its kernel is gone.
        let limit = if turns { ROUND_ROBIN } else { Duration::from_millis(200) };
        let wait = self.clock.until(deadline).min(limit);
        let (state, _) = self.timers_changed.wait_timeout(state, wait).unwrap_or_else(|poisoned| poisoned.into_inner());
        !state.stopped
    }

    /// Ends the process: no guest thread gets a core again; each stops at its next poll, wait or host call.
    pub fn stop(&self) {
        let mut state = self.lock();
        state.stopped = true;
        for id in &state.live {
            state.thread(*id).flag.set(true);
            state.thread(*id).wake.notify_all();
        }
        drop(state);
        self.urgent.store(true, Ordering::SeqCst);
        self.timers_changed.notify_all();
    }

    /// Whether [`Kernel::stop`] was called.
    pub fn is_stopped(&self) -> bool {
        self.lock().stopped
    }

    /// Waits until no thread runs guest code any more, at most `limit`; true if that was reached.
    pub fn wait_quiet(&self, limit: Duration) -> bool {
        let end = std::time::Instant::now() + limit;
        loop {
            let state = self.lock();
            if state.cores.iter().all(Option::is_none)
                && !state.live.iter().any(|id| state.thread(*id).run == Run::HostWork)
            {
                return true;
            }
            drop(state);
            if std::time::Instant::now() >= end {
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Blocks until `me` may run. Does not return after the process has ended.
    fn wait_for_core(&self, mut state: MutexGuard<'_, State>, me: ThreadId) {
        let wake = Arc::clone(&state.thread(me).wake);
        loop {
            if state.stopped {
                state.leave_core(me);
                drop(state);
                park_for_ever();
            }
            if state.may_run(me, self.serial) || self.planted(Knob::FreeThreads) {
                if self.serial {
                    self.turn_polls.store(0, Ordering::SeqCst);
                }
                return;
            }
            state = wake.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }

    /// Makes a stopped thread whose host thread will run `body`. Errors: priority or core outside the limits, handles exhausted.
    pub fn create_thread(
        &self,
        description: ThreadDescription,
        body: Box<dyn FnOnce(ThreadId) + Send>,
    ) -> Result<(ThreadId, Handle), ResultCode> {
        let (best, worst) = self.limits.priorities;
        if description.priority < best || description.priority > worst {
            return Err(results::INVALID_PRIORITY);
        }
        let core = description.core.unwrap_or(usize::from(self.limits.default_core));
        if core >= CORE_COUNT || self.limits.core_mask >> core & 1 == 0 {
            return Err(results::INVALID_CORE);
        }
        let mut state = self.lock();
        let id = ThreadId(state.threads.len());
        let handle = state.add_handle(Object::Thread(id))?;
        state.threads.push(Thread {
            name: description.name,
            handle,
            base_priority: description.priority,
            priority: description.priority,
            affinity: 1 << core,
            ideal_core: Some(core),
            run: Run::Created,
            core: None,
            sequence: 0,
            wait: None,
            wait_result: Ok(0),
            timer: None,
            paused: false,
            cancel_pending: false,
            flag: description.flag,
            wake: Arc::new(Condvar::new()),
            body: Some(body),
            turns: 0,
        });
        state.live.push(id);
        Ok((id, handle))
    }

    /// Makes a created thread runnable. `INVALID_STATE` if it was started before.
    pub fn start_thread(self: &Arc<Self>, id: ThreadId) -> Result<(), ResultCode> {
        let mut state = self.lock();
        let thread = state.thread_mut(id);
        if thread.run != Run::Created {
            return Err(results::INVALID_STATE);
        }
        let Some(body) = thread.body.take() else { return Err(results::INVALID_STATE) };
        let name = thread.name.clone();
        let kernel = Arc::clone(self);
        let spawned = std::thread::Builder::new().name(name).stack_size(HOST_STACK).spawn(move || {
            kernel.wait_for_core(kernel.lock(), id);
            body(id);
            kernel.exit_thread(id);
        });
        if let Err(error) = spawned {
            tracing::error!(%error, "no host thread for a guest thread");
            state.thread_mut(id).run = Run::Exited;
            state.live.retain(|other| *other != id);
            return Err(results::OUT_OF_RESOURCE);
        }
        state.make_ready(id, false);
        self.settle(&mut state);
        Ok(())
    }

    /// The calling thread has ended: its core goes to the next, and whoever waits for it wakes. The host thread may go on (it no longer counts).
    pub fn exit_thread(&self, me: ThreadId) {
        let mut state = self.lock();
        state.leave_core(me);
        state.thread_mut(me).run = Run::Exited;
        state.live.retain(|id| *id != me);
        self.wake_object_waiters(&mut state, Object::Thread(me));
        for id in state.waiters(|wait| matches!(wait, Wait::Lock { owner, .. } if *owner == me)) {
            state.wake(id, Ok(0));
        }
        self.settle(&mut state);
    }

    /// Ends a thread that was never started: it counts as exited.
    pub fn abandon_thread(&self, id: ThreadId) {
        let mut state = self.lock();
        if state.thread(id).run == Run::Created {
            state.thread_mut(id).run = Run::Exited;
            state.thread_mut(id).body = None;
            state.live.retain(|other| *other != id);
            self.wake_object_waiters(&mut state, Object::Thread(id));
            self.settle(&mut state);
        }
    }

    /// Ends the calling thread from deep inside guest code; its host thread is parked because lifted frames cannot be unwound.
    pub fn exit_thread_here(&self, me: ThreadId) -> ! {
        self.exit_thread(me);
        park_for_ever()
    }

    /// Blocks the calling thread. `timeout` is in nanoseconds; `None` waits for ever.
    fn block(
        &self,
        mut state: MutexGuard<'_, State>,
        me: ThreadId,
        wait: Wait,
        timeout: Option<u64>,
    ) -> Result<u32, ResultCode> {
        if std::mem::take(&mut state.thread_mut(me).cancel_pending) && matches!(wait, Wait::Objects(_)) {
            return Err(results::CANCELLED);
        }
        state.leave_core(me);
        let sequence = state.back();
        if let Some(timeout) = timeout {
            let key = (self.clock.now().saturating_add(timeout), state.next_timer);
            state.next_timer += 1;
            state.timers.insert(key, me);
            state.thread_mut(me).timer = Some(key);
        }
        let owner = match &wait {
            Wait::Lock { owner, .. } => Some(*owner),
            _ => None,
        };
        let thread = state.thread_mut(me);
        thread.sequence = sequence;
        thread.run = Run::Waiting;
        thread.wait = Some(wait);
        if let Some(owner) = owner {
            state.inherit(owner);
        }
        self.settle(&mut state);
        self.wait_for_core(state, me);
        self.lock().thread(me).wait_result
    }

    /// Ends a wait from outside (time is over, or it is cancelled).
    fn end_wait(&self, state: &mut State, id: ThreadId, result: Result<u32, ResultCode>) {
        if state.thread(id).run != Run::Waiting {
            return;
        }
        let wait = state.thread(id).wait.clone();
        state.wake(id, result);
        match wait {
            Some(Wait::Lock { owner, .. }) => state.inherit(owner),
            Some(Wait::Key { key, .. }) => self.clear_key_without_waiters(state, key),
            _ => {}
        }
    }

    /// Sleeps at least `nanoseconds` of guest time.
    pub fn sleep(&self, me: ThreadId, nanoseconds: u64) {
        // The time-out is the only way this wait ends.
        let _ = self.block(self.lock(), me, Wait::Sleep, Some(nanoseconds));
    }

    /// Lets a thread of equal or better priority have the core; in serial mode also the other cores' holders.
    pub fn yield_core(&self, me: ThreadId) {
        let mut state = self.lock();
        let Some(core) = state.core_of(me) else { return };
        let priority = state.thread(me).priority;
        let mut moved = false;
        if state.best_ready_for(core).is_some_and(|(best, _)| best <= priority) {
            state.leave_core(me);
            state.make_ready(me, false);
            self.settle(&mut state);
            moved = true;
        }
        if self.serial {
            moved |= state.pass_token();
        }
        if moved || state.stopped {
            self.wait_for_core(state, me);
        } else {
            drop(state);
            std::thread::yield_now();
        }
    }

    /// `yield_requested` was seen set: looks again, with the tables locked, whether somebody better waits, and only then gives the core up.
    pub fn poll(&self, me: ThreadId) {
        if self.serial {
            // One thread runs at a time, so plain loads and stores count exactly.
            if self.urgent.load(Ordering::Relaxed) {
                self.urgent.store(false, Ordering::Relaxed);
            } else {
                let polls = self.turn_polls.load(Ordering::Relaxed) + 1;
                self.turn_polls.store(polls, Ordering::Relaxed);
                if !polls.is_multiple_of(POLLS_PER_LOOK) {
                    return;
                }
            }
        }
        let mut state = self.lock();
        if state.stopped {
            return self.wait_for_core(state, me);
        }
        let Some(core) = state.core_of(me) else { return };
        let was_flagged = std::mem::take(&mut state.flagged[core]);
        let thread = state.thread(me);
        thread.flag.set(false);
        let (priority, paused, misplaced) = (thread.priority, thread.paused, thread.affinity >> core & 1 == 0);
        let best = state.best_ready_for(core).map(|(best, _)| best);
        let outranked = best.is_some_and(|best| best < priority);
        let turn = priority == ROUND_ROBIN_PRIORITY && best == Some(priority);
        if paused || misplaced || outranked || turn {
            if outranked {
                state.counters.hand_overs += 1;
            }
            state.leave_core(me);
            // Who was outranked goes on before its equals; who had its turn goes behind them.
            state.make_ready(me, outranked || misplaced);
            self.settle(&mut state);
            return self.wait_for_core(state, me);
        }
        if was_flagged {
            state.counters.stale_polls += 1;
        }
        if self.serial {
            let turn_over = self.turn_polls.load(Ordering::SeqCst) >= POLLS_PER_TURN;
            if turn_over {
                self.turn_polls.store(0, Ordering::SeqCst);
                state.pass_token();
                // They may be spinning on what a sleeper will do: spinning costs guest time, as it does on the console.
                self.clock.skip_to(self.clock.now() + TURN_NANOSECONDS);
                self.fire_due(&mut state);
            }
            self.settle(&mut state);
            self.urgent.store(false, Ordering::SeqCst);
            if !state.may_run(me, true) {
                self.wait_for_core(state, me);
            }
        }
    }

    /// Runs host work that takes long without the caller's core: others run meanwhile, and the caller queues for a core by priority before this
    /// returns. `work` must not call the kernel on behalf of this thread. In serial mode the core is kept, so that the order stays the same.
    pub fn release_core<T>(&self, me: ThreadId, work: impl FnOnce() -> T) -> T {
        if self.serial || self.planted(Knob::KeepCore) {
            return work();
        }
        let mut state = self.lock();
        if state.core_of(me).is_none() {
            // Already without a core (nested use).
            drop(state);
            return work();
        }
        state.leave_core(me);
        state.thread_mut(me).run = Run::HostWork;
        self.settle(&mut state);
        drop(state);
        let result = work();
        let mut state = self.lock();
        state.make_ready(me, false);
        self.settle(&mut state);
        self.wait_for_core(state, me);
        result
    }

    /// The core a thread runs on, or ran on last.
    pub fn current_core(&self, id: ThreadId) -> usize {
        self.lock().thread(id).core.unwrap_or(usize::from(self.limits.default_core))
    }

    /// A thread's name.
    pub fn thread_name(&self, id: ThreadId) -> String {
        self.lock().thread(id).name.clone()
    }

    /// Renames a thread.
    pub fn set_thread_name(&self, id: ThreadId, name: &str) {
        self.lock().thread_mut(id).name = name.to_owned();
    }

    /// How often a thread was given a core.
    pub fn turns(&self, id: ThreadId) -> u64 {
        self.lock().thread(id).turns
    }

    /// How many threads exist that have not exited.
    pub fn thread_count(&self) -> usize {
        self.lock().live.len()
    }

    /// Names of threads that have not exited, with what they do: for reports.
    pub fn describe_threads(&self) -> Vec<String> {
        let state = self.lock();
        let describe = |id: &ThreadId| {
            let thread = state.thread(*id);
            format!(
                "{} (priority {}, {:?}{})",
                thread.name,
                thread.priority,
                thread.run,
                match &thread.wait {
                    Some(wait) => format!(", waits for {wait:x?}"),
                    None => String::new(),
                }
            )
        };
        state.live.iter().map(describe).collect()
    }
}

/// The end of a guest thread whose frames cannot be unwound.
pub(crate) fn park_for_ever() -> ! {
    loop {
        std::thread::park();
    }
}

#[cfg(test)]
mod tests;
