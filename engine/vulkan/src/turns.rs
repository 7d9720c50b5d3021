//! Turns: one device at a time in a process, for tests that run in many threads with a device each.
//!
//! NVIDIA's driver (seen with 580.159 on an H200) stops for good when a device is destroyed while other threads work with devices of their own:
//! `vkDestroyDevice` waits for a thread of the driver that spins, and holds a lock that every other call waits for. A program has one device and never meets
//! this; a test program makes hundreds.

use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{self, ThreadId};

/// Whose turn it is, and how many devices it has.
static OWNER: Mutex<Option<(ThreadId, usize)>> = Mutex::new(None);
static FREED: Condvar = Condvar::new();

/// The turn of the thread that took it. Ends when all that this thread took are dropped, by whichever thread.
#[derive(Debug)]
pub(crate) struct Turn(());

impl Turn {
    /// Waits until no other thread has a turn.
    pub(crate) fn take() -> Self {
        let own = thread::current().id();
        let owner = OWNER.lock().unwrap_or_else(PoisonError::into_inner);
        let others = |owner: &mut Option<(ThreadId, usize)>| owner.is_some_and(|(thread, _)| thread != own);
        let mut owner = FREED.wait_while(owner, others).unwrap_or_else(PoisonError::into_inner);
        let held = owner.map_or(0, |(_, held)| held);
        *owner = Some((own, held + 1));
        Self(())
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut owner = OWNER.lock().unwrap_or_else(PoisonError::into_inner);
        *owner = owner.and_then(|(thread, held)| (held > 1).then(|| (thread, held - 1)));
        FREED.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn threads_take_turns_and_a_thread_may_have_two() {
        let inside = Arc::new(AtomicU32::new(0));
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let inside = inside.clone();
                thread::spawn(move || {
                    for _ in 0..50 {
                        let first = Turn::take();
                        let second = Turn::take();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "one thread at a time");
                        drop(first);
                        thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                        drop(second);
                    }
                })
            })
            .collect();
        assert!(threads.into_iter().all(|thread| thread.join().is_ok()));
    }
}
