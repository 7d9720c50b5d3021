//! Handles, events, thread properties, and waiting for objects.

use super::results;
use super::state::{CORE_COUNT, EventId, Object, Run, State, Vsync, Wait};
use super::{Handle, Kernel, ResultCode, ThreadId};

/// Most handles of one wait.
const MAX_WAIT_HANDLES: usize = 64;

impl Kernel {
    pub(super) fn wake_object_waiters(&self, state: &mut State, object: Object) {
        let same = |other: &Object| match (object, *other) {
            (Object::Event { event: a, .. }, Object::Event { event: b, .. }) => a == b,
            (Object::Thread(a), Object::Thread(b)) => a == b,
            _ => false,
        };
        for id in state.waiters(|wait| matches!(wait, Wait::Objects(objects) if objects.iter().any(same))) {
            let index = match &state.thread(id).wait {
                Some(Wait::Objects(objects)) => objects.iter().position(same).unwrap_or(0),
                _ => 0,
            };
            state.wake(id, Ok(index as u32));
        }
    }

    pub(super) fn set_event(&self, state: &mut State, event: EventId) {
        if !state.events[event.0] {
            state.events[event.0] = true;
            self.wake_object_waiters(state, Object::Event { event, writable: false });
        }
    }

    /// Makes an event with its writable and readable handles.
    pub fn create_event(&self) -> Result<(EventId, Handle, Handle), ResultCode> {
        let mut state = self.lock();
        let event = EventId(state.events.len());
        let writable = state.add_handle(Object::Event { event, writable: true })?;
        let readable = match state.add_handle(Object::Event { event, writable: false }) {
            Ok(readable) => readable,
            Err(error) => {
                state.handles.remove(&writable);
                return Err(error);
            }
        };
        state.events.push(false);
        Ok((event, writable, readable))
    }

    /// Signals an event and wakes every waiter. May be called by any host thread.
    pub fn signal(&self, event: EventId) {
        let mut state = self.lock();
        self.set_event(&mut state, event);
        self.settle(&mut state);
    }

    /// SVC SignalEvent.
    pub fn signal_event(&self, handle: Handle) -> Result<(), ResultCode> {
        let mut state = self.lock();
        match state.object(handle)? {
            Object::Event { event, writable: true } => {
                self.set_event(&mut state, event);
                self.settle(&mut state);
                Ok(())
            }
            _ => Err(results::INVALID_HANDLE),
        }
    }

    /// SVC ClearEvent.
    pub fn clear_event(&self, handle: Handle) -> Result<(), ResultCode> {
        let mut state = self.lock();
        match state.object(handle)? {
            Object::Event { event, .. } => {
                state.events[event.0] = false;
                Ok(())
            }
            _ => Err(results::INVALID_HANDLE),
        }
    }

    /// SVC ResetSignal: clears a signalled event; `INVALID_STATE` if it was clear.
    pub fn reset_signal(&self, handle: Handle) -> Result<(), ResultCode> {
        let mut state = self.lock();
        match state.object(handle)? {
            Object::Event { event, .. } => {
                if std::mem::take(&mut state.events[event.0]) {
                    Ok(())
                } else {
                    Err(results::INVALID_STATE)
                }
            }
            _ => Err(results::INVALID_HANDLE),
        }
    }

    /// Marks vertical blanks on an event from now on: 60 a second of guest time. `None` if a display already has one.
    pub fn start_vsync(&self, event: EventId) -> Option<()> {
        let mut state = self.lock();
        if state.vsync.is_some() {
            return None;
        }
        let next = (u128::from(self.clock.now()) * 60 / 1_000_000_000) as u64 + 1;
        state.vsync = Some(Vsync { event, next });
        self.publish_deadline(&state);
        Some(())
    }

    /// SVC CloseHandle.
    pub fn close_handle(&self, handle: Handle) -> Result<(), ResultCode> {
        self.lock().handles.remove(&handle).map(|_| ()).ok_or(results::INVALID_HANDLE)
    }

    /// SVC CreateTransferMemory and the like: a handle that can only be closed.
    pub fn create_transfer_memory(&self) -> Result<Handle, ResultCode> {
        self.lock().add_handle(Object::TransferMemory)
    }

    /// SVC WaitSynchronization: index of the first signalled object. `timeout` in nanoseconds, 0 polls, negative waits for ever.
    pub fn wait_synchronization(&self, me: ThreadId, handles: &[Handle], timeout: i64) -> Result<u32, ResultCode> {
        if handles.len() > MAX_WAIT_HANDLES {
            return Err(results::OUT_OF_RANGE);
        }
        let mut state = self.lock();
        let mut objects = Vec::with_capacity(handles.len());
        for handle in handles {
            let object = if *handle == super::CURRENT_THREAD { Object::Thread(me) } else { state.object(*handle)? };
            if object == Object::TransferMemory {
                return Err(results::INVALID_HANDLE);
            }
            objects.push(object);
        }
        if let Some(index) = objects.iter().position(|object| state.is_signalled(*object)) {
            return Ok(index as u32);
        }
        if timeout == 0 {
            return Err(if std::mem::take(&mut state.thread_mut(me).cancel_pending) {
                results::CANCELLED
            } else {
                results::TIMED_OUT
            });
        }
        let timeout = u64::try_from(timeout).ok();
        self.block(state, me, Wait::Objects(objects), timeout)
    }

    /// SVC CancelSynchronization.
    pub fn cancel_synchronization(&self, handle: Handle) -> Result<(), ResultCode> {
        let mut state = self.lock();
        let id = state.thread_of(handle)?;
        if matches!(state.thread(id).wait, Some(Wait::Objects(_))) {
            self.end_wait(&mut state, id, Err(results::CANCELLED));
            self.settle(&mut state);
        } else {
            state.thread_mut(id).cancel_pending = true;
        }
        Ok(())
    }

    /// The thread of a handle; the pseudo handle names `me`.
    pub fn thread_of(&self, me: ThreadId, handle: Handle) -> Result<ThreadId, ResultCode> {
        if handle == super::CURRENT_THREAD { Ok(me) } else { self.lock().thread_of(handle) }
    }

    /// The first handle a thread got.
    pub fn handle_of(&self, id: ThreadId) -> Handle {
        self.lock().thread(id).handle
    }

    /// Whether a thread has ended.
    pub fn has_exited(&self, id: ThreadId) -> bool {
        self.lock().thread(id).run == Run::Exited
    }

    /// Waits until a thread has ended.
    pub fn join(&self, me: ThreadId, id: ThreadId) {
        loop {
            let state = self.lock();
            if state.thread(id).run == Run::Exited {
                return;
            }
            // A cancelled wait is repeated.
            let _ = self.block(state, me, Wait::Objects(vec![Object::Thread(id)]), None);
        }
    }

    /// Base priority, without inheritance.
    pub fn priority(&self, id: ThreadId) -> u8 {
        self.lock().thread(id).base_priority
    }

    /// Priority with inheritance.
    pub fn effective_priority(&self, id: ThreadId) -> u8 {
        self.lock().thread(id).priority
    }

    /// Changes the base priority; takes effect at once. Returns the previous one.
    pub fn set_priority(&self, id: ThreadId, priority: u8) -> Result<u8, ResultCode> {
        let (best, worst) = self.limits.priorities;
        if priority < best || priority > worst {
            return Err(results::INVALID_PRIORITY);
        }
        let mut state = self.lock();
        let previous = std::mem::replace(&mut state.thread_mut(id).base_priority, priority);
        state.inherit(id);
        if let Some(Wait::Lock { owner, .. }) = state.thread(id).wait {
            state.inherit(owner);
        }
        self.settle(&mut state);
        Ok(previous)
    }

    /// Ideal core (-1: none) and affinity mask.
    pub fn core_mask(&self, id: ThreadId) -> (i32, u64) {
        let state = self.lock();
        let thread = state.thread(id);
        (thread.ideal_core.map_or(-1, |core| core as i32), thread.affinity)
    }

    /// SVC SetThreadCoreMask: `core` is a core, -1 for none, -2 for the process's default (then `mask` must be 0), -3 to keep.
    pub fn set_core_mask(&self, me: ThreadId, id: ThreadId, core: i32, mask: u64) -> Result<(), ResultCode> {
        let default = usize::from(self.limits.default_core);
        let mut state = self.lock();
        let (ideal, mask) = match core {
            -2 if mask == 0 => (Some(default), 1 << default),
            -2 => return Err(results::INVALID_COMBINATION),
            _ if mask == 0 || mask & !self.limits.core_mask != 0 => return Err(results::INVALID_CORE),
            -1 => (None, mask),
            -3 => (state.thread(id).ideal_core, mask),
            core => {
                let core = usize::try_from(core).ok().filter(|core| *core < CORE_COUNT).ok_or(results::INVALID_CORE)?;
                if mask >> core & 1 == 0 {
                    return Err(results::INVALID_COMBINATION);
                }
                (Some(core), mask)
            }
        };
        let thread = state.thread_mut(id);
        thread.ideal_core = ideal;
        thread.affinity = mask;
        let misplaced = state.core_of(id).filter(|core| mask >> core & 1 == 0);
        match misplaced {
            Some(_) if id == me => {
                state.leave_core(me);
                state.make_ready(me, true);
                self.settle(&mut state);
                self.wait_for_core(state, me);
            }
            Some(core) => {
                state.flag(core);
                self.settle(&mut state);
            }
            None => self.settle(&mut state),
        }
        Ok(())
    }

    /// SVC SetThreadActivity: pauses or resumes another thread. `INVALID_STATE` if it is already so.
    pub fn set_paused(&self, id: ThreadId, paused: bool) -> Result<(), ResultCode> {
        let mut state = self.lock();
        if state.thread(id).paused == paused || state.thread(id).run == Run::Exited {
            return Err(results::INVALID_STATE);
        }
        state.thread_mut(id).paused = paused;
        match (paused, state.thread(id).run) {
            (true, Run::Ready) => {
                let key = (state.thread(id).priority, state.thread(id).sequence, id);
                state.ready.remove(&key);
                state.thread_mut(id).run = Run::Paused;
            }
            (true, Run::Running) => {
                if let Some(core) = state.core_of(id) {
                    state.flag(core);
                }
            }
            (false, Run::Paused) => state.make_ready(id, false),
            _ => {}
        }
        self.settle(&mut state);
        Ok(())
    }
}
