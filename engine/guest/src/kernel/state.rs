//! The kernel's tables, all under one lock.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar};

use super::results::ResultCode;

/// Virtual cores a title may use.
pub const CORE_COUNT: usize = 3;
/// Lowest priority: threads of it take turns every 10 ms.
pub const ROUND_ROBIN_PRIORITY: u8 = 59;

/// Names a guest thread in the kernel; never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId(pub(crate) usize);

impl ThreadId {
    /// The number the guest sees (nn::os::GetThreadId): small and never 0.
    pub fn number(self) -> u64 {
        self.0 as u64 + 1
    }
}

/// Names a kernel event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(pub(crate) usize);

/// A guest handle. Fits below bit 30, which lock words use.
pub type Handle = u32;

/// Where a thread is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Run {
    /// Made, not started.
    Created,
    /// Waits for a core.
    Ready,
    /// Owns a core.
    Running,
    /// Waits for something else.
    Waiting,
    /// Does host work without a core.
    HostWork,
    /// Would be ready, but is paused.
    Paused,
    /// Ended.
    Exited,
}

/// What a waiting thread waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Time alone.
    Sleep,
    /// Any of these objects.
    Objects(Vec<Object>),
    /// A lock word that `owner` holds.
    Lock { address: u64, tag: u32, owner: ThreadId },
    /// A condition variable's key; `mutex` is taken on the way out.
    Key { key: u64, mutex: u64, tag: u32 },
    /// An address arbiter.
    Address(u64),
}

/// What a handle names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Object {
    Event {
        event: EventId,
        writable: bool,
    },
    Thread(ThreadId),
    /// Memory lent to a service; only closed again.
    TransferMemory,
}

/// The word that lifted code polls.
#[derive(Debug, Clone)]
pub enum YieldFlag {
    /// A word of its own (threads whose body is host code).
    Owned(Arc<AtomicU32>),
    /// The word in a guest context.
    Context(ContextFlag),
}

/// Pointer to `yield_requested` in a context.
#[derive(Debug, Clone, Copy)]
pub struct ContextFlag(*const AtomicU32);

// SAFETY: the word is atomic, and whoever makes the flag promises that it lives until the thread has exited.
unsafe impl Send for ContextFlag {}
// SAFETY: as above.
unsafe impl Sync for ContextFlag {}

impl ContextFlag {
    /// # Safety
    /// `word` must stay valid until the thread that it is given to has called `Kernel::exit_thread`, or for ever.
    pub unsafe fn new(word: *const AtomicU32) -> ContextFlag {
        ContextFlag(word)
    }
}

impl YieldFlag {
    fn word(&self) -> &AtomicU32 {
        match self {
            YieldFlag::Owned(word) => word,
            // SAFETY: ContextFlag::new's contract; the kernel touches flags of threads that have not exited.
            YieldFlag::Context(flag) => unsafe { &*flag.0 },
        }
    }

    pub(crate) fn set(&self, requested: bool) {
        self.word().store(u32::from(requested), Ordering::SeqCst);
    }

    /// Whether the thread is asked to poll.
    pub fn is_set(&self) -> bool {
        self.word().load(Ordering::SeqCst) != 0
    }
}

/// A deadline in the timer queue: (nanoseconds, order of arming).
pub(crate) type TimerKey = (u64, u64);

pub(crate) struct Thread {
    pub(crate) name: String,
    pub(crate) handle: Handle,
    pub(crate) base_priority: u8,
    /// With inheritance.
    pub(crate) priority: u8,
    pub(crate) affinity: u64,
    pub(crate) ideal_core: Option<usize>,
    pub(crate) run: Run,
    /// The core it owns or owned last.
    pub(crate) core: Option<usize>,
    /// Its place among ready or waiting threads of its priority.
    pub(crate) sequence: i64,
    pub(crate) wait: Option<Wait>,
    pub(crate) wait_result: Result<u32, ResultCode>,
    pub(crate) timer: Option<TimerKey>,
    pub(crate) paused: bool,
    pub(crate) cancel_pending: bool,
    pub(crate) flag: YieldFlag,
    pub(crate) wake: Arc<Condvar>,
    pub(crate) body: Option<Box<dyn FnOnce(ThreadId) + Send>>,
    /// Guest time spent running is not tracked; the count of turns is what tests look at.
    pub(crate) turns: u64,
}

/// How often the scheduler did what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Holders asked to give their core up.
    pub flags: u64,
    /// Cores given up at a poll because a better thread waited.
    pub hand_overs: u64,
    /// Polls that found nobody better.
    pub stale_polls: u64,
}

pub(crate) struct Vsync {
    pub(crate) event: EventId,
    /// Index of the next blank; its time is index / 60 s.
    pub(crate) next: u64,
}

impl Vsync {
    pub(crate) fn deadline(&self) -> u64 {
        (u128::from(self.next) * 1_000_000_000).div_ceil(60) as u64
    }
}

pub(crate) struct State {
    pub(crate) threads: Vec<Thread>,
    /// Threads that have not exited, in order of creation.
    pub(crate) live: Vec<ThreadId>,
    pub(crate) cores: [Option<ThreadId>; CORE_COUNT],
    pub(crate) flagged: [bool; CORE_COUNT],
    /// The planted fault of catalogue row A-027.
    pub(crate) flag_all: bool,
    pub(crate) ready: BTreeSet<(u8, i64, ThreadId)>,
    pub(crate) next_back: i64,
    pub(crate) next_front: i64,
    /// Serial mode: the core whose holder runs.
    pub(crate) token: usize,
    pub(crate) handles: BTreeMap<Handle, Object>,
    pub(crate) next_handle: Handle,
    pub(crate) handle_limit: usize,
    pub(crate) events: Vec<bool>,
    pub(crate) timers: BTreeMap<TimerKey, ThreadId>,
    pub(crate) next_timer: u64,
    pub(crate) vsync: Option<Vsync>,
    pub(crate) stopped: bool,
    pub(crate) counters: Counters,
}

impl State {
    pub(crate) fn new(handle_limit: usize) -> State {
        State {
            threads: Vec::new(),
            live: Vec::new(),
            cores: [None; CORE_COUNT],
            flagged: [false; CORE_COUNT],
            flag_all: false,
            ready: BTreeSet::new(),
            next_back: 0,
            next_front: -1,
            token: 0,
            handles: BTreeMap::new(),
            next_handle: 1,
            handle_limit,
            events: Vec::new(),
            timers: BTreeMap::new(),
            next_timer: 0,
            vsync: None,
            stopped: false,
            counters: Counters::default(),
        }
    }

    pub(crate) fn thread(&self, id: ThreadId) -> &Thread {
        &self.threads[id.0]
    }

    pub(crate) fn thread_mut(&mut self, id: ThreadId) -> &mut Thread {
        &mut self.threads[id.0]
    }

    pub(crate) fn add_handle(&mut self, object: Object) -> Result<Handle, ResultCode> {
        if self.handles.len() >= self.handle_limit {
            return Err(super::results::OUT_OF_HANDLES);
        }
        let handle = self.next_handle << 4 | 1;
        self.next_handle = self.next_handle % 0x3FF_FFFF + 1;
        self.handles.insert(handle, object);
        Ok(handle)
    }

    pub(crate) fn object(&self, handle: Handle) -> Result<Object, ResultCode> {
        self.handles.get(&handle).copied().ok_or(super::results::INVALID_HANDLE)
    }

    pub(crate) fn thread_of(&self, handle: Handle) -> Result<ThreadId, ResultCode> {
        match self.object(handle)? {
            Object::Thread(id) => Ok(id),
            _ => Err(super::results::INVALID_HANDLE),
        }
    }

    pub(crate) fn is_signalled(&self, object: Object) -> bool {
        match object {
            Object::Event { event, .. } => self.events[event.0],
            Object::Thread(id) => self.thread(id).run == Run::Exited,
            Object::TransferMemory => false,
        }
    }

    /// Waiting threads that `select` accepts, the best first: by priority, then by age.
    pub(crate) fn waiters(&self, select: impl Fn(&Wait) -> bool) -> Vec<ThreadId> {
        let mut found: Vec<_> = self
            .live
            .iter()
            .copied()
            .filter(|id| self.thread(*id).run == Run::Waiting && self.thread(*id).wait.as_ref().is_some_and(&select))
            .collect();
        found.sort_by_key(|id| (self.thread(*id).priority, self.thread(*id).sequence));
        found
    }

    pub(crate) fn back(&mut self) -> i64 {
        self.next_back += 1;
        self.next_back
    }

    /// Puts a thread in line for a core, before or behind its equals.
    pub(crate) fn make_ready(&mut self, id: ThreadId, front: bool) {
        let sequence = if front {
            self.next_front -= 1;
            self.next_front
        } else {
            self.back()
        };
        let thread = self.thread_mut(id);
        if thread.paused {
            thread.run = Run::Paused;
            return;
        }
        thread.run = Run::Ready;
        thread.sequence = sequence;
        let key = (thread.priority, sequence, id);
        self.ready.insert(key);
    }

    /// Takes a running thread off its core.
    pub(crate) fn leave_core(&mut self, id: ThreadId) {
        if let Some(core) = self.core_of(id) {
            self.cores[core] = None;
            self.flagged[core] = false;
            self.thread(id).flag.set(false);
        }
    }

    pub(crate) fn core_of(&self, id: ThreadId) -> Option<usize> {
        self.cores.iter().position(|holder| *holder == Some(id))
    }

    /// Ends a thread's wait with a result.
    pub(crate) fn wake(&mut self, id: ThreadId, result: Result<u32, ResultCode>) {
        let thread = self.thread_mut(id);
        debug_assert_eq!(thread.run, Run::Waiting);
        thread.wait = None;
        thread.wait_result = result;
        if let Some(timer) = thread.timer.take() {
            self.timers.remove(&timer);
        }
        self.make_ready(id, false);
    }

    /// Changes a thread's effective priority and its place in line.
    pub(crate) fn set_effective_priority(&mut self, id: ThreadId, priority: u8) {
        let thread = self.thread_mut(id);
        if thread.priority == priority {
            return;
        }
        let (old, sequence, run) = (thread.priority, thread.sequence, thread.run);
        thread.priority = priority;
        if run == Run::Ready {
            self.ready.remove(&(old, sequence, id));
            self.ready.insert((priority, sequence, id));
        }
    }

    /// Priority inheritance: an owner runs at least as well as the best thread that waits for one of its locks.
    pub(crate) fn inherit(&mut self, owner: ThreadId) {
        let mut owner = owner;
        // A chain of owners is as long as the number of threads at most; a longer one is a deadlock of the title's own making.
        for _ in 0..=self.live.len() {
            let best = self
                .live
                .iter()
                .filter(|id| matches!(self.thread(**id).wait, Some(Wait::Lock { owner: of, .. }) if of == owner))
                .map(|id| self.thread(*id).priority)
                .min();
            let priority = best.unwrap_or(u8::MAX).min(self.thread(owner).base_priority);
            if priority == self.thread(owner).priority {
                return;
            }
            self.set_effective_priority(owner, priority);
            match self.thread(owner).wait {
                Some(Wait::Lock { owner: next, .. }) => owner = next,
                _ => return,
            }
        }
    }

    /// Gives free cores away and asks holders that are outranked to poll.
    pub(crate) fn dispatch(&mut self, serial: bool) {
        while self.cores.iter().any(Option::is_none) {
            let pick = self.ready.iter().find_map(|key| Some((*key, self.free_core_for(key.2)?)));
            let Some((key, core)) = pick else { break };
            self.ready.remove(&key);
            let id = key.2;
            self.cores[core] = Some(id);
            self.flagged[core] = false;
            let thread = self.thread_mut(id);
            thread.run = Run::Running;
            thread.core = Some(core);
            thread.turns += 1;
            thread.flag.set(false);
            thread.wake.notify_all();
        }
        let mut claimed = [false; CORE_COUNT];
        for (priority, _, id) in &self.ready {
            if claimed.iter().all(|claimed| *claimed) {
                break;
            }
            let thread = self.thread(*id);
            let mut chosen: Option<(usize, u8)> = None;
            for (core, taken) in claimed.iter().enumerate() {
                let Some(holder) = self.cores[core] else { continue };
                let rank = self.thread(holder).priority;
                if thread.affinity >> core & 1 == 0 || *taken || rank <= *priority {
                    continue;
                }
                if self.flagged[core] {
                    chosen = Some((core, rank));
                    break;
                }
                if chosen.is_none_or(|(_, worst)| rank > worst || (rank == worst && thread.ideal_core == Some(core))) {
                    chosen = Some((core, rank));
                }
            }
            if let Some((core, _)) = chosen {
                claimed[core] = true;
                if self.flag_all {
                    claimed = [true; CORE_COUNT];
                }
            }
        }
        for (core, claimed) in claimed.into_iter().enumerate() {
            if claimed {
                self.flag(core);
            }
        }
        if serial {
            self.settle_token();
        }
    }

    /// Asks the holder of a core to poll; at most one request is pending per core.
    pub(crate) fn flag(&mut self, core: usize) {
        if let Some(holder) = self.cores[core]
            && !self.flagged[core]
        {
            self.flagged[core] = true;
            self.counters.flags += 1;
            self.thread(holder).flag.set(true);
        }
    }

    fn free_core_for(&self, id: ThreadId) -> Option<usize> {
        let thread = self.thread(id);
        let usable = |core: usize| core < CORE_COUNT && self.cores[core].is_none() && thread.affinity >> core & 1 == 1;
        [thread.ideal_core, thread.core]
            .into_iter()
            .flatten()
            .find(|core| usable(*core))
            .or_else(|| (0..CORE_COUNT).find(|core| usable(*core)))
    }

    /// Serial mode: the token belongs to a core that has a holder.
    fn settle_token(&mut self) {
        if self.cores[self.token].is_none() {
            self.pass_token();
        }
        self.mark_contention();
    }

    /// Serial mode: the next core that has a holder gets the token. Returns whether that changed who runs.
    pub(crate) fn pass_token(&mut self) -> bool {
        let old = self.token;
        for step in 1..=CORE_COUNT {
            let core = (old + step) % CORE_COUNT;
            if let Some(holder) = self.cores[core] {
                self.token = core;
                self.thread(holder).wake.notify_all();
                break;
            }
        }
        self.mark_contention();
        self.token != old
    }

    /// Serial mode: while other cores have holders or sleepers wait for time to pass, the one that runs counts its polls and passes the token or the
    /// time on, so that nobody spins for ever on what another thread would do.
    fn mark_contention(&mut self) {
        let others = self.cores.iter().flatten().count() > 1 || !self.timers.is_empty() || self.vsync.is_some();
        if others && let Some(holder) = self.cores[self.token] {
            self.thread(holder).flag.set(true);
        }
    }

    /// The best ready thread that could use a core.
    pub(crate) fn best_ready_for(&self, core: usize) -> Option<(u8, ThreadId)> {
        self.ready
            .iter()
            .find(|(_, _, id)| self.thread(*id).affinity >> core & 1 == 1)
            .map(|(priority, _, id)| (*priority, *id))
    }

    /// Whether a thread may run guest code now.
    pub(crate) fn may_run(&self, id: ThreadId, serial: bool) -> bool {
        match self.core_of(id) {
            Some(core) => !serial || core == self.token,
            None => false,
        }
    }
}
