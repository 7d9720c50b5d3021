//! Lock words, condition variable keys and address arbiters: the kernel's side of the guest's user-space synchronisation.

use nvn_decode::memory::MemoryFault;

use super::results;
use super::state::{Object, State, Wait};
use super::{Handle, Kernel, LOCK_WAITERS, ResultCode, ThreadId};

/// SVC WaitForAddress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressWait {
    /// Wait if the value is less.
    IfLess,
    /// Decrement, and wait if the value was less.
    DecrementIfLess,
    /// Wait if equal.
    IfEqual,
}

/// SVC SignalToAddress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressSignal {
    /// Wake only.
    Signal,
    /// Increment if the value is as expected, then wake.
    IncrementIfEqual,
    /// Add or subtract one by the number of waiters if the value is as expected, then wake.
    ModifyByWaiters,
}

impl From<MemoryFault> for ResultCode {
    fn from(_: MemoryFault) -> ResultCode {
        results::INVALID_POINTER
    }
}

impl Kernel {
    /// SVC ArbitrateLock: waits until the lock word at `address` is handed over. Returns at once if the word no longer says that `owner` holds it
    /// with waiters.
    pub fn arbitrate_lock(&self, me: ThreadId, owner: Handle, address: u64, tag: u32) -> Result<(), ResultCode> {
        let state = self.lock();
        if self.memory.load_u32(address)? != owner | LOCK_WAITERS {
            return Ok(());
        }
        let owner = state.thread_of(owner)?;
        self.block(state, me, Wait::Lock { address, tag, owner }, None).map(|_| ())
    }

    /// SVC ArbitrateUnlock: hands the lock word at `address` to the best waiter, or frees it.
    pub fn arbitrate_unlock(&self, me: ThreadId, address: u64) -> Result<(), ResultCode> {
        let mut state = self.lock();
        self.unlock_word(&mut state, me, address)?;
        self.settle(&mut state);
        Ok(())
    }

    fn unlock_word(&self, state: &mut State, me: ThreadId, address: u64) -> Result<(), ResultCode> {
        let waiters = state.waiters(|wait| matches!(wait, Wait::Lock { address: at, .. } if *at == address));
        let Some((next, rest)) = waiters.split_first() else {
            self.memory.store_u32(address, 0)?;
            return Ok(());
        };
        let tag = match state.thread(*next).wait {
            Some(Wait::Lock { tag, .. }) => tag,
            _ => 0,
        };
        self.memory.store_u32(address, tag | if rest.is_empty() { 0 } else { LOCK_WAITERS })?;
        for id in rest {
            if let Some(Wait::Lock { owner, .. }) = &mut state.thread_mut(*id).wait {
                *owner = *next;
            }
        }
        state.wake(*next, Ok(0));
        state.inherit(*next);
        state.inherit(me);
        Ok(())
    }

    /// SVC WaitProcessWideKeyAtomic: frees the lock word `mutex` and waits on `key` in one step. After success the caller owns the lock word with its
    /// tag; after a time-out it does not. `timeout` in nanoseconds, negative waits for ever.
    pub fn wait_key(&self, me: ThreadId, mutex: u64, key: u64, tag: u32, timeout: i64) -> Result<(), ResultCode> {
        let mut state = self.lock();
        if !self.memory.is_writable(key, 4) {
            return Err(results::INVALID_POINTER);
        }
        self.unlock_word(&mut state, me, mutex)?;
        self.memory.store_u32(key, 1)?;
        if timeout == 0 {
            self.clear_key_without_waiters(&mut state, key);
            self.settle(&mut state);
            return Err(results::TIMED_OUT);
        }
        let timeout = u64::try_from(timeout).ok();
        self.block(state, me, Wait::Key { key, mutex, tag }, timeout).map(|_| ())
    }

    pub(super) fn clear_key_without_waiters(&self, state: &mut State, key: u64) {
        if state.waiters(|wait| matches!(wait, Wait::Key { key: at, .. } if *at == key)).is_empty()
            && self.memory.store_u32(key, 0).is_err()
        {
            tracing::debug!(key, "a condition variable's memory was unmapped while threads waited on it");
        }
    }

    /// SVC SignalProcessWideKey: wakes up to `count` waiters (all if `count` <= 0), by priority, then age.
    pub fn signal_key(&self, key: u64, count: i32) {
        let mut state = self.lock();
        let waiters = state.waiters(|wait| matches!(wait, Wait::Key { key: at, .. } if *at == key));
        let limit = usize::try_from(count).ok().filter(|count| *count > 0).unwrap_or(usize::MAX);
        for id in waiters.into_iter().take(limit) {
            let Some(Wait::Key { mutex, tag, .. }) = state.thread(id).wait else { continue };
            match self.take_word(&state, mutex, tag) {
                Ok(None) => state.wake(id, Ok(0)),
                Ok(Some(owner)) => {
                    let sequence = state.back();
                    let thread = state.thread_mut(id);
                    thread.wait = Some(Wait::Lock { address: mutex, tag, owner });
                    thread.sequence = sequence;
                    state.inherit(owner);
                }
                Err(code) => state.wake(id, Err(code)),
            }
        }
        self.clear_key_without_waiters(&mut state, key);
        self.settle(&mut state);
    }

    /// Takes a lock word for a thread with `tag`, or marks it contended and says who holds it.
    fn take_word(&self, state: &State, address: u64, tag: u32) -> Result<Option<ThreadId>, ResultCode> {
        let mut word = self.memory.load_u32(address)?;
        loop {
            let new = if word == 0 { tag } else { word | LOCK_WAITERS };
            match self.memory.compare_exchange_u32(address, word, new)? {
                Ok(0) => return Ok(None),
                Ok(old) => return state.thread_of(old & !LOCK_WAITERS).map(Some).map_err(|_| results::INVALID_STATE),
                Err(now) => word = now,
            }
        }
    }

    /// SVC WaitForAddress. `timeout` in nanoseconds, 0 polls, negative waits for ever.
    pub fn wait_for_address(
        &self,
        me: ThreadId,
        address: u64,
        kind: AddressWait,
        value: i32,
        timeout: i64,
    ) -> Result<(), ResultCode> {
        if !address.is_multiple_of(4) {
            return Err(results::INVALID_ADDRESS);
        }
        let state = self.lock();
        let mut now = self.memory.load_u32(address)? as i32;
        let waits = match kind {
            AddressWait::IfLess => now < value,
            AddressWait::IfEqual => now == value,
            AddressWait::DecrementIfLess => loop {
                if now >= value {
                    break false;
                }
                match self.memory.compare_exchange_u32(address, now as u32, now.wrapping_sub(1) as u32)? {
                    Ok(_) => break true,
                    Err(other) => now = other as i32,
                }
            },
        };
        if !waits {
            return Err(results::INVALID_STATE);
        }
        if timeout == 0 {
            return Err(results::TIMED_OUT);
        }
        self.block(state, me, Wait::Address(address), u64::try_from(timeout).ok()).map(|_| ())
    }

    /// SVC SignalToAddress: wakes up to `count` waiters (all if `count` <= 0).
    pub fn signal_to_address(
        &self,
        address: u64,
        kind: AddressSignal,
        value: i32,
        count: i32,
    ) -> Result<(), ResultCode> {
        if !address.is_multiple_of(4) {
            return Err(results::INVALID_ADDRESS);
        }
        let mut state = self.lock();
        let waiters = state.waiters(|wait| matches!(wait, Wait::Address(at) if *at == address));
        let limit = usize::try_from(count).ok().filter(|count| *count > 0).unwrap_or(usize::MAX);
        let new = match kind {
            AddressSignal::Signal => None,
            AddressSignal::IncrementIfEqual => Some(value.wrapping_add(1)),
            AddressSignal::ModifyByWaiters if waiters.is_empty() => Some(value.wrapping_add(1)),
            AddressSignal::ModifyByWaiters if waiters.len() <= limit => Some(value.wrapping_sub(1)),
            AddressSignal::ModifyByWaiters => Some(value),
        };
        if let Some(new) = new
            && self.memory.compare_exchange_u32(address, value as u32, new as u32)?.is_err()
        {
            return Err(results::INVALID_STATE);
        }
        for id in waiters.into_iter().take(limit) {
            state.wake(id, Ok(0));
        }
        self.settle(&mut state);
        Ok(())
    }

    /// A name for an object of a handle, for logs.
    pub fn describe_handle(&self, handle: Handle) -> String {
        match self.lock().object(handle) {
            Ok(Object::Event { event, writable }) => {
                format!("event {} ({})", event.0, if writable { "writable" } else { "readable" })
            }
            Ok(Object::Thread(id)) => format!("thread {}", id.number()),
            Ok(Object::TransferMemory) => "transfer memory".into(),
            Err(_) => format!("unknown handle {handle:#x}"),
        }
    }
}
