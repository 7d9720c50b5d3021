//! The part of POSIX threads that C++ runtimes import: mutexes, once, keys. Host state lies in tables keyed by guest address, because an object that is
//! all zero is valid and its size is not known for certain; only the lock word at its start is the guest's.

use std::collections::{BTreeMap, HashMap};

use super::{locked, os_sync};
use crate::call::GuestCall;
use crate::fault::GuestFault;
use crate::registry::HostRegistry;

/// Most keys of a process.
const MAX_KEYS: u32 = 128;

/// State of a process's mutexes and keys.
#[derive(Debug, Default)]
pub(crate) struct PthreadState {
    /// Owner and depth of locked mutexes.
    held: HashMap<u64, (u64, u32)>,
    /// Keys in use with their destructors.
    keys: BTreeMap<u32, u64>,
    values: HashMap<(u64, u32), u64>,
}

fn lock(call: &mut GuestCall<'_>) -> Result<i32, GuestFault> {
    let (mutex, me) = (call.x(0), call.thread_id().number());
    if let Some((owner, depth)) = locked(&call.process().services().pthread).held.get_mut(&mutex)
        && *owner == me
    {
        *depth += 1;
        return Ok(0);
    }
    os_sync::enter(call, mutex)?;
    locked(&call.process().services().pthread).held.insert(mutex, (me, 1));
    Ok(0)
}

fn try_lock(call: &mut GuestCall<'_>) -> Result<i32, GuestFault> {
    let (mutex, me) = (call.x(0), call.thread_id().number());
    let owner = locked(&call.process().services().pthread).held.get(&mutex).map(|(owner, _)| *owner);
    match owner {
        Some(owner) if owner != me => Ok(libc::EBUSY),
        _ => lock(call),
    }
}

fn unlock(call: &mut GuestCall<'_>) -> Result<i32, GuestFault> {
    let (mutex, me) = (call.x(0), call.thread_id().number());
    {
        let held = &mut locked(&call.process().services().pthread).held;
        match held.get_mut(&mutex) {
            Some((owner, depth)) if *owner == me => {
                *depth -= 1;
                if *depth > 0 {
                    return Ok(0);
                }
                held.remove(&mutex);
            }
            _ => return Ok(libc::EPERM),
        }
    }
    os_sync::leave(call, mutex)?;
    Ok(0)
}

/// States of a once word: 0 not yet, 1 running, 2 done.
fn once(call: &mut GuestCall<'_>) -> Result<i32, GuestFault> {
    let (word, function) = (call.x(0), call.x(1));
    loop {
        match call.memory().compare_exchange_u32(word, 0, 1)? {
            Ok(_) => {
                call.call_guest(function, &[])?;
                call.memory().store_u32(word, 2)?;
                return Ok(0);
            }
            Err(1) => call.kernel().sleep(call.thread_id(), 100_000),
            Err(_) => return Ok(0),
        }
    }
}

/// Runs the destructors of the calling thread's values; up to five rounds, as long as some are set again.
pub(crate) fn at_exit(call: &mut GuestCall<'_>) -> Result<(), GuestFault> {
    let me = call.thread_id().number();
    for _ in 0..5 {
        let mut due = Vec::new();
        {
            let state = &mut *locked(&call.process().services().pthread);
            for (key, destructor) in &state.keys {
                if let Some(value) = state.values.remove(&(me, *key)).filter(|value| *value != 0 && *destructor != 0) {
                    due.push((*destructor, value));
                }
            }
        }
        if due.is_empty() {
            break;
        }
        for (destructor, value) in due {
            call.call_guest(destructor, &[value])?;
        }
    }
    Ok(())
}

pub(super) fn register(r: &HostRegistry) {
    r.register("pthread_mutex_init", |c| {
        c.memory().store_u32(c.x(0), 0)?;
        Ok::<_, GuestFault>(0i32)
    });
    r.register_all(
        &["pthread_mutex_destroy", "pthread_mutexattr_init", "pthread_mutexattr_settype", "pthread_mutexattr_destroy"],
        |_| 0i32,
    );
    r.register("pthread_mutex_lock", lock);
    r.register("pthread_mutex_trylock", try_lock);
    r.register("pthread_mutex_unlock", unlock);
    r.register("pthread_once", once);
    r.register("pthread_self", |c| c.thread().tls());
    r.register("pthread_key_create", |c| {
        let destructor = c.x(1);
        let key = {
            let keys = &mut locked(&c.process().services().pthread).keys;
            let key = (0..MAX_KEYS).find(|key| !keys.contains_key(key));
            if let Some(key) = key {
                keys.insert(key, destructor);
            }
            key
        };
        match key {
            Some(key) => {
                c.memory().write_u32(c.x(0), key)?;
                Ok::<_, GuestFault>(0i32)
            }
            None => Ok(libc::EAGAIN),
        }
    });
    r.register("pthread_key_delete", |c| {
        let key = c.w(0);
        let state = &mut *locked(&c.process().services().pthread);
        state.values.retain(|(_, other), _| *other != key);
        if state.keys.remove(&key).is_some() { 0i32 } else { libc::EINVAL }
    });
    r.register("pthread_getspecific", |c| {
        let slot = (c.thread_id().number(), c.w(0));
        locked(&c.process().services().pthread).values.get(&slot).copied().unwrap_or(0)
    });
    r.register("pthread_setspecific", |c| {
        let (slot, value) = ((c.thread_id().number(), c.w(0)), c.x(1));
        locked(&c.process().services().pthread).values.insert(slot, value);
        0i32
    });
    // The C library of a title whose SDK is the host needs no start-up of its own.
    r.register_all(&["__nnDetailInitLibc0", "__nnDetailInitLibc1", "__nnDetailInitLibc2"], |_| {});
}
