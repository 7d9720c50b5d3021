//! nn::os synchronisation: the SDK's own algorithms on the words in guest memory, so that titles that inline a part of them agree with the host.

use super::layout::{
    condition_variable as cv, event as ev, light_event as le, message_queue as mq, mutex as mx, semaphore as sm,
    system_event as se,
};
use crate::call::GuestCall;
use crate::fault::GuestFault;
use crate::kernel::{AddressSignal, AddressWait, Handle, LOCK_WAITERS, results};
use crate::memory::GuestWrite;
use crate::registry::HostRegistry;

type Faultable<T> = Result<T, GuestFault>;

fn misuse(object: &'static str, address: u64, rule: &'static str) -> GuestFault {
    GuestFault::Misuse { object, address, rule }
}

/// The calling thread's handle, as lock words hold it.
fn own_handle(call: &GuestCall<'_>) -> Handle {
    call.kernel().handle_of(call.thread_id())
}

/// Takes a lock word: `nn::os::detail::InternalCriticalSection::Enter`.
pub(super) fn enter(call: &GuestCall<'_>, word: u64) -> Faultable<()> {
    let own = own_handle(call);
    let memory = call.memory();
    let mut now = match memory.compare_exchange_u32(word, 0, own)? {
        Ok(_) => return Ok(()),
        Err(now) => now,
    };
    loop {
        if now & !LOCK_WAITERS == own {
            return Ok(());
        }
        let wanted = if now == 0 { own } else { now | LOCK_WAITERS };
        if now != wanted {
            match memory.compare_exchange_u32(word, now, wanted)? {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                Err(other) => {
                    now = other;
                    continue;
                }
            }
        }
        call.kernel()
            .arbitrate_lock(call.thread_id(), wanted & !LOCK_WAITERS, word, own)
            .map_err(GuestFault::Kernel)?;
        now = memory.load_u32(word)?;
    }
}

/// Takes a lock word if it is free.
fn try_enter(call: &GuestCall<'_>, word: u64) -> Faultable<bool> {
    Ok(call.memory().compare_exchange_u32(word, 0, own_handle(call))?.is_ok())
}

/// Frees a lock word or hands it over.
pub(super) fn leave(call: &GuestCall<'_>, word: u64) -> Faultable<()> {
    if call.memory().compare_exchange_u32(word, own_handle(call), 0)?.is_err() {
        call.kernel().arbitrate_unlock(call.thread_id(), word).map_err(GuestFault::Kernel)?;
    }
    Ok(())
}

/// When a wait ends at the latest, in nanoseconds of guest time.
#[derive(Clone, Copy)]
enum Deadline {
    Never,
    At(u64),
}

impl Deadline {
    fn after(call: &GuestCall<'_>, span: u64) -> Deadline {
        Deadline::At(call.kernel().clock().now().saturating_add((span as i64).max(0) as u64))
    }

    /// What is left, as the kernel takes it; `None` when the time is over.
    fn left(self, call: &GuestCall<'_>) -> Option<i64> {
        match self {
            Deadline::Never => Some(-1),
            Deadline::At(deadline) => {
                let left = deadline.saturating_sub(call.kernel().clock().now());
                (left > 0).then(|| i64::try_from(left).unwrap_or(i64::MAX))
            }
        }
    }
}

/// Frees the lock word, waits for the condition word, takes the lock word again; false if the time was over.
fn wait_key(call: &GuestCall<'_>, lock: u64, key: u64, deadline: Deadline) -> Faultable<bool> {
    let Some(left) = deadline.left(call) else { return Ok(false) };
    let own = own_handle(call);
    match call.kernel().wait_key(call.thread_id(), lock, key, own, left) {
        Ok(()) => {
            enter(call, lock)?;
            Ok(true)
        }
        Err(code) if code == results::TIMED_OUT => {
            enter(call, lock)?;
            Ok(false)
        }
        Err(code) => Err(GuestFault::Kernel(code)),
    }
}

/// Holds a lock word until `condition` holds, then runs it; `None` if the time was over first. `condition` returns a value once it is met.
fn when<T>(
    call: &GuestCall<'_>,
    lock: u64,
    key: u64,
    deadline: Deadline,
    mut condition: impl FnMut(&GuestCall<'_>) -> Faultable<Option<T>>,
) -> Faultable<Option<T>> {
    enter(call, lock)?;
    let result = loop {
        match condition(call) {
            Ok(Some(value)) => break Ok(Some(value)),
            Ok(None) => {}
            Err(fault) => break Err(fault),
        }
        match wait_key(call, lock, key, deadline) {
            Ok(true) => {}
            // One last look: the time may have run out just as the condition came true.
            Ok(false) => break condition(call),
            Err(fault) => break Err(fault),
        }
    };
    leave(call, lock)?;
    result
}

// Mutexes.

fn lock_mutex(call: &mut GuestCall<'_>) -> Faultable<()> {
    let (mutex, me) = (call.x(0), call.thread().object());
    let memory = call.memory();
    if memory.read_u64(mutex + mx::OWNER)? == me && memory.read_u32(mutex + mx::NEST_COUNT)? > 0 {
        if memory.read_u8(mutex + mx::RECURSIVE)? == 0 {
            return Err(misuse(
                "nn::os::MutexType",
                mutex,
                "a thread locks a mutex that is not recursive a second time",
            ));
        }
    } else {
        enter(call, mutex + mx::LOCK)?;
    }
    let nest = memory.read_u32(mutex + mx::NEST_COUNT)?;
    memory.write_u32(mutex + mx::NEST_COUNT, nest.wrapping_add(1))?;
    Ok(memory.write_u64(mutex + mx::OWNER, me)?)
}

fn try_lock_mutex(call: &mut GuestCall<'_>) -> Faultable<bool> {
    let (mutex, me) = (call.x(0), call.thread().object());
    let memory = call.memory();
    let own = memory.read_u64(mutex + mx::OWNER)? == me && memory.read_u32(mutex + mx::NEST_COUNT)? > 0;
    if own && memory.read_u8(mutex + mx::RECURSIVE)? == 0 {
        return Ok(false);
    }
    if !own && !try_enter(call, mutex + mx::LOCK)? {
        return Ok(false);
    }
    let nest = memory.read_u32(mutex + mx::NEST_COUNT)?;
    memory.write_u32(mutex + mx::NEST_COUNT, nest.wrapping_add(1))?;
    memory.write_u64(mutex + mx::OWNER, me)?;
    Ok(true)
}

fn unlock_mutex(call: &mut GuestCall<'_>) -> Faultable<()> {
    let (mutex, me) = (call.x(0), call.thread().object());
    let memory = call.memory();
    if memory.read_u64(mutex + mx::OWNER)? != me {
        return Err(misuse("nn::os::MutexType", mutex, "a thread unlocks a mutex that it does not own"));
    }
    let nest = memory.read_u32(mutex + mx::NEST_COUNT)?.wrapping_sub(1);
    memory.write_u32(mutex + mx::NEST_COUNT, nest)?;
    if nest == 0 {
        memory.write_u64(mutex + mx::OWNER, 0)?;
        leave(call, mutex + mx::LOCK)?;
    }
    Ok(())
}

fn initialize_mutex(call: &mut GuestCall<'_>) -> Faultable<()> {
    let (mutex, recursive, level) = (call.x(0), call.flag(1), call.w(2));
    let mut bytes = [0u8; mx::SIZE as usize];
    bytes[mx::STATE as usize] = 1;
    bytes[mx::RECURSIVE as usize] = u8::from(recursive);
    bytes[mx::LOCK_LEVEL as usize..][..4].copy_from_slice(&level.to_le_bytes());
    Ok(call.memory().write(mutex, &bytes)?)
}

// Condition variables.

fn wait_condition(call: &GuestCall<'_>, condition: u64, mutex: u64, deadline: Deadline) -> Faultable<bool> {
    let memory = call.memory();
    let me = call.thread().object();
    if memory.read_u64(mutex + mx::OWNER)? != me || memory.read_u32(mutex + mx::NEST_COUNT)? != 1 {
        return Err(misuse(
            "nn::os::ConditionVariableType",
            condition,
            "the caller holds the mutex exactly once while it waits",
        ));
    }
    memory.write_u32(mutex + mx::NEST_COUNT, 0)?;
    memory.write_u64(mutex + mx::OWNER, 0)?;
    let signalled = match deadline.left(call) {
        Some(_) => wait_key(call, mutex + mx::LOCK, condition + cv::KEY, deadline)?,
        None => {
            // No time at all: others still get the mutex once.
            leave(call, mutex + mx::LOCK)?;
            enter(call, mutex + mx::LOCK)?;
            false
        }
    };
    memory.write_u32(mutex + mx::NEST_COUNT, 1)?;
    memory.write_u64(mutex + mx::OWNER, me)?;
    Ok(signalled)
}

// Events.

fn initialize_event(call: &GuestCall<'_>, event: u64, signaled: bool, mode: u32) -> Faultable<()> {
    let mut bytes = [0u8; ev::SIZE as usize];
    for node in [0, 8] {
        bytes[node..node + 8].copy_from_slice(&event.to_le_bytes());
    }
    bytes[ev::SIGNALED as usize] = u8::from(signaled);
    bytes[ev::INITIALLY_SIGNALED as usize] = u8::from(signaled);
    bytes[ev::CLEAR_MODE as usize] = mode as u8;
    bytes[ev::STATE as usize] = 1;
    Ok(call.memory().write(event, &bytes)?)
}

fn broadcast_count(call: &GuestCall<'_>, event: u64) -> Faultable<u64> {
    let memory = call.memory();
    Ok(u64::from(memory.read_u32(event + ev::BROADCAST_LOW)?)
        | u64::from(memory.read_u32(event + ev::BROADCAST_HIGH)?) << 32)
}

fn signal_event(call: &GuestCall<'_>, event: u64) -> Faultable<()> {
    let memory = call.memory();
    enter(call, event + ev::LOCK)?;
    if memory.read_u8(event + ev::SIGNALED)? == 0 {
        memory.write_u8(event + ev::SIGNALED, 1)?;
        let automatic = memory.read_u8(event + ev::CLEAR_MODE)? == 1;
        if !automatic {
            let count = broadcast_count(call, event)?.wrapping_add(1);
            memory.write_u32(event + ev::BROADCAST_LOW, count as u32)?;
            memory.write_u32(event + ev::BROADCAST_HIGH, (count >> 32) as u32)?;
        }
        call.kernel().signal_key(event + ev::KEY, if automatic { 1 } else { -1 });
    }
    leave(call, event + ev::LOCK)
}

fn wait_event(call: &GuestCall<'_>, event: u64, deadline: Deadline) -> Faultable<bool> {
    let mut first: Option<u64> = None;
    let done = when(call, event + ev::LOCK, event + ev::KEY, deadline, |call| {
        let memory = call.memory();
        let signaled = memory.read_u8(event + ev::SIGNALED)? != 0;
        if memory.read_u8(event + ev::CLEAR_MODE)? == 1 {
            if signaled {
                memory.write_u8(event + ev::SIGNALED, 0)?;
            }
            return Ok(signaled.then_some(()));
        }
        // A waiter that was there at the signal returns even if the event was cleared since.
        let count = broadcast_count(call, event)?;
        let since = *first.get_or_insert(count);
        Ok((signaled || count != since).then_some(()))
    })?;
    Ok(done.is_some())
}

// System events: an event, or a pair of kernel handles.

/// Fills a system event of the inter-process form; used by vi, hid and oe for events that the host signals.
pub(super) fn initialize_kernel_event(
    call: &GuestCall<'_>,
    event: u64,
    automatic: bool,
) -> Faultable<crate::kernel::EventId> {
    let (id, writable, readable) = call.kernel().create_event().map_err(GuestFault::Kernel)?;
    let mut bytes = [0u8; se::SIZE as usize];
    for node in [0, 8] {
        bytes[node..node + 8].copy_from_slice(&event.to_le_bytes());
    }
    bytes[se::AUTO_CLEAR as usize] = u8::from(automatic);
    bytes[0x11] = 1;
    bytes[0x12] = 1;
    bytes[0x13] = 1;
    bytes[se::READABLE as usize..][..4].copy_from_slice(&readable.to_le_bytes());
    bytes[se::WRITABLE as usize..][..4].copy_from_slice(&writable.to_le_bytes());
    bytes[se::STATE as usize] = 2;
    call.memory().write(event, &bytes)?;
    Ok(id)
}

fn is_kernel_event(call: &GuestCall<'_>, event: u64) -> Faultable<bool> {
    match call.memory().read_u8(event + se::STATE)? {
        1 => Ok(false),
        2 => Ok(true),
        _ => Err(misuse("nn::os::SystemEventType", event, "it was not initialised")),
    }
}

fn wait_system_event(call: &GuestCall<'_>, event: u64, deadline: Deadline) -> Faultable<bool> {
    if !is_kernel_event(call, event)? {
        return wait_event(call, event, deadline);
    }
    let readable = call.memory().read_u32(event + se::READABLE)?;
    let automatic = call.memory().read_u8(event + se::AUTO_CLEAR)? != 0;
    loop {
        let left = deadline.left(call).unwrap_or(0);
        match call.kernel().wait_synchronization(call.thread_id(), &[readable], left) {
            Ok(_) if !automatic => return Ok(true),
            // Another waiter may have taken an automatic event first.
            Ok(_) if call.kernel().reset_signal(readable).is_ok() => return Ok(true),
            Ok(_) => {}
            Err(code) if code == results::TIMED_OUT => return Ok(false),
            Err(code) if code == results::CANCELLED => {}
            Err(code) => return Err(GuestFault::Kernel(code)),
        }
    }
}

fn signal_system_event(call: &GuestCall<'_>, event: u64) -> Faultable<()> {
    if !is_kernel_event(call, event)? {
        return signal_event(call, event);
    }
    call.kernel().signal_event(call.memory().read_u32(event + se::WRITABLE)?).map_err(GuestFault::Kernel)
}

fn clear_system_event(call: &GuestCall<'_>, event: u64) -> Faultable<()> {
    if !is_kernel_event(call, event)? {
        return Ok(call.memory().write_u8(event + ev::SIGNALED, 0)?);
    }
    call.kernel().clear_event(call.memory().read_u32(event + se::READABLE)?).map_err(GuestFault::Kernel)
}

// Semaphores.

fn acquire(call: &GuestCall<'_>, semaphore: u64, deadline: Deadline) -> Faultable<bool> {
    let taken = when(call, semaphore + sm::LOCK, semaphore + sm::KEY, deadline, |call| {
        let count = call.memory().read_u32(semaphore + sm::COUNT)? as i32;
        if count <= 0 {
            return Ok(None);
        }
        call.memory().write_u32(semaphore + sm::COUNT, (count - 1) as u32)?;
        Ok(Some(()))
    })?;
    Ok(taken.is_some())
}

fn release(call: &GuestCall<'_>, semaphore: u64, by: i32) -> Faultable<()> {
    let memory = call.memory();
    enter(call, semaphore + sm::LOCK)?;
    let count = memory.read_u32(semaphore + sm::COUNT)? as i32;
    memory.write_u32(semaphore + sm::COUNT, count.saturating_add(by) as u32)?;
    call.kernel().signal_key(semaphore + sm::KEY, if by == 1 { 1 } else { -1 });
    leave(call, semaphore + sm::LOCK)
}

// Message queues.

#[derive(Clone, Copy)]
enum Put {
    Back,
    Front,
}

fn send(call: &GuestCall<'_>, queue: u64, value: u64, put: Put, deadline: Deadline) -> Faultable<bool> {
    let sent = when(call, queue + mq::LOCK, queue + mq::NOT_FULL, deadline, |call| {
        let memory = call.memory();
        let (capacity, count) = (memory.read_u32(queue + mq::CAPACITY)?, memory.read_u32(queue + mq::COUNT)?);
        if count >= capacity {
            return Ok(None);
        }
        let (offset, buffer) = (memory.read_u32(queue + mq::OFFSET)? % capacity, memory.read_u64(queue + mq::BUFFER)?);
        let slot = match put {
            Put::Back => (offset + count) % capacity,
            Put::Front => {
                let front = (offset + capacity - 1) % capacity;
                memory.write_u32(queue + mq::OFFSET, front)?;
                front
            }
        };
        memory.write_u64(buffer + u64::from(slot) * 8, value)?;
        memory.write_u32(queue + mq::COUNT, count + 1)?;
        call.kernel().signal_key(queue + mq::NOT_EMPTY, -1);
        Ok(Some(()))
    })?;
    Ok(sent.is_some())
}

fn receive(call: &GuestCall<'_>, queue: u64, out: u64, remove: bool, deadline: Deadline) -> Faultable<bool> {
    let got = when(call, queue + mq::LOCK, queue + mq::NOT_EMPTY, deadline, |call| {
        let memory = call.memory();
        let (capacity, count) = (memory.read_u32(queue + mq::CAPACITY)?, memory.read_u32(queue + mq::COUNT)?);
        if count == 0 || capacity == 0 {
            return Ok(None);
        }
        let (offset, buffer) = (memory.read_u32(queue + mq::OFFSET)? % capacity, memory.read_u64(queue + mq::BUFFER)?);
        let value = memory.read_u64(buffer + u64::from(offset) * 8)?;
        if remove {
            memory.write_u32(queue + mq::OFFSET, (offset + 1) % capacity)?;
            memory.write_u32(queue + mq::COUNT, count - 1)?;
            call.kernel().signal_key(queue + mq::NOT_FULL, -1);
        }
        Ok(Some(value))
    })?;
    if let Some(value) = got {
        call.memory().write_u64(out, value)?;
    }
    Ok(got.is_some())
}

// Light events.

fn wait_light(call: &GuestCall<'_>, event: u64, deadline: Deadline) -> Faultable<bool> {
    let memory = call.memory();
    let word = event + le::STATE;
    let automatic = memory.read_u8(event + le::AUTO_CLEAR)? != 0;
    let mut waited = false;
    loop {
        match memory.load_u32(word)? {
            2 if !automatic => return Ok(true),
            // After a wait others may wait as well, so the word says "maybe waited for".
            2 => {
                if memory.compare_exchange_u32(word, 2, u32::from(waited))?.is_ok() {
                    return Ok(true);
                }
            }
            now => {
                let Some(left) = deadline.left(call) else { return Ok(false) };
                if now == 0 && memory.compare_exchange_u32(word, 0, 1)?.is_err() {
                    continue;
                }
                waited = true;
                match call.kernel().wait_for_address(call.thread_id(), word, AddressWait::IfEqual, 1, left) {
                    Ok(()) => {}
                    Err(code) if code == results::INVALID_STATE || code == results::TIMED_OUT => {}
                    Err(code) => return Err(GuestFault::Kernel(code)),
                }
            }
        }
    }
}

fn try_light(call: &GuestCall<'_>, event: u64) -> Faultable<bool> {
    let memory = call.memory();
    if memory.read_u8(event + le::AUTO_CLEAR)? == 0 {
        return Ok(memory.load_u32(event + le::STATE)? == 2);
    }
    Ok(memory.compare_exchange_u32(event + le::STATE, 2, 0)?.is_ok())
}

fn signal_light(call: &GuestCall<'_>, event: u64) -> Faultable<()> {
    let memory = call.memory();
    let word = event + le::STATE;
    let automatic = memory.read_u8(event + le::AUTO_CLEAR)? != 0;
    loop {
        let now = memory.load_u32(word)?;
        if now == 2 {
            return Ok(());
        }
        if memory.compare_exchange_u32(word, now, 2)?.is_ok() {
            if now == 1 {
                let count = if automatic { 1 } else { -1 };
                call.kernel().signal_to_address(word, AddressSignal::Signal, 0, count).map_err(GuestFault::Kernel)?;
            }
            return Ok(());
        }
    }
}

const CRITICAL_SECTIONS: [&str; 2] =
    ["_ZN2nn2os6detail23InternalCriticalSection", "_ZN2nn2os6detail36InternalCriticalSectionImplByHorizon"];
const CONDITIONS: [&str; 2] =
    ["_ZN2nn2os6detail25InternalConditionVariable", "_ZN2nn2os6detail38InternalConditionVariableImplByHorizon"];

pub(super) fn register(r: &HostRegistry) {
    r.register_all(
        &["_ZN2nn2os15InitializeMutexEPNS0_9MutexTypeEbi", "_ZN2nn2os5MutexC1Ebi", "_ZN2nn2os5MutexC2Ebi"],
        initialize_mutex,
    );
    r.register_all(&["_ZN2nn2os13FinalizeMutexEPNS0_9MutexTypeE", "_ZN2nn2os5MutexD1Ev", "_ZN2nn2os5MutexD2Ev"], |c| {
        Ok::<_, GuestFault>(c.memory().write_u8(c.x(0) + mx::STATE, 0)?)
    });
    r.register_all(
        &["_ZN2nn2os9LockMutexEPNS0_9MutexTypeE", "_ZN2nn2os5Mutex4lockEv", "_ZN2nn2os5Mutex4LockEv"],
        lock_mutex,
    );
    r.register_all(
        &["_ZN2nn2os12TryLockMutexEPNS0_9MutexTypeE", "_ZN2nn2os5Mutex8try_lockEv", "_ZN2nn2os5Mutex7TryLockEv"],
        try_lock_mutex,
    );
    r.register_all(
        &["_ZN2nn2os11UnlockMutexEPNS0_9MutexTypeE", "_ZN2nn2os5Mutex6unlockEv", "_ZN2nn2os5Mutex6UnlockEv"],
        unlock_mutex,
    );
    r.register_all(
        &["_ZN2nn2os28IsMutexLockedByCurrentThreadEPKNS0_9MutexTypeE", "_ZNK2nn2os5Mutex23IsLockedByCurrentThreadEv"],
        |c| Ok::<_, GuestFault>(c.memory().read_u64(c.x(0) + mx::OWNER)? == c.thread().object()),
    );
    r.register("_ZN2nn2os5Mutex7GetBaseEv", |c| c.x(0));

    for prefix in CRITICAL_SECTIONS {
        let name = |rest: &str| format!("{prefix}{rest}");
        for rest in ["5EnterEv", "4lockEv"] {
            r.register(&name(rest), |c| enter(c, c.x(0)));
        }
        for rest in ["5LeaveEv", "6unlockEv"] {
            r.register(&name(rest), |c| leave(c, c.x(0)));
        }
        r.register(&name("8TryEnterEv"), |c| try_enter(c, c.x(0)));
        for rest in ["10InitializeEv", "C1Ev", "C2Ev"] {
            r.register(&name(rest), |c| Ok::<_, GuestFault>(c.memory().store_u32(c.x(0), 0)?));
        }
        r.register(&name("8FinalizeEv"), |_| {});
        r.register(&name("3GetEv"), |c| c.x(0));
        r.register(&format!("{}23IsLockedByCurrentThreadEv", prefix.replace("_ZN2", "_ZNK2")), |c| {
            Ok::<_, GuestFault>(c.memory().load_u32(c.x(0))? & !LOCK_WAITERS == own_handle(c))
        });
    }
    for prefix in CONDITIONS {
        let name = |rest: &str| format!("{prefix}{rest}");
        for rest in ["10InitializeEv", "C1Ev", "C2Ev"] {
            r.register(&name(rest), |c| Ok::<_, GuestFault>(c.memory().store_u32(c.x(0), 0)?));
        }
        r.register(&name("6SignalEv"), |c| c.kernel().signal_key(c.x(0), 1));
        r.register(&name("9BroadcastEv"), |c| c.kernel().signal_key(c.x(0), -1));
        r.register(&name("4WaitEPNS1_23InternalCriticalSectionE"), |c| {
            wait_key(c, c.x(1), c.x(0), Deadline::Never).map(|_| ())
        });
        r.register(&name("9TimedWaitEPNS1_23InternalCriticalSectionERKNS1_13TimeoutHelperE"), |c| {
            let tick = c.memory().read_u64(c.x(2))?;
            let deadline = Deadline::At(c.kernel().clock().nanoseconds_of_tick(tick));
            wait_key(c, c.x(1), c.x(0), deadline)
        });
    }

    r.register("_ZN2nn2os27InitializeConditionVariableEPNS0_21ConditionVariableTypeE", |c| {
        c.memory().write(c.x(0), &[0; cv::SIZE as usize])?;
        Ok::<_, GuestFault>(c.memory().write_u8(c.x(0) + cv::STATE, 1)?)
    });
    r.register("_ZN2nn2os25FinalizeConditionVariableEPNS0_21ConditionVariableTypeE", |c| {
        Ok::<_, GuestFault>(c.memory().write_u8(c.x(0) + cv::STATE, 0)?)
    });
    r.register_all(
        &[
            "_ZN2nn2os21WaitConditionVariableEPNS0_21ConditionVariableTypeEPNS0_9MutexTypeE",
            "_ZN2nn2os21WaitConditionVariableEPNS0_21ConditionVariableTypeE",
        ],
        |c| wait_condition(c, c.x(0), c.x(1), Deadline::Never).map(|_| ()),
    );
    r.register(
        "_ZN2nn2os26TimedWaitConditionVariableEPNS0_21ConditionVariableTypeEPNS0_9MutexTypeENS_8TimeSpanE",
        |c| wait_condition(c, c.x(0), c.x(1), Deadline::after(c, c.x(2))),
    );
    r.register("_ZN2nn2os23SignalConditionVariableEPNS0_21ConditionVariableTypeE", |c| {
        c.kernel().signal_key(c.x(0) + cv::KEY, 1)
    });
    r.register("_ZN2nn2os26BroadcastConditionVariableEPNS0_21ConditionVariableTypeE", |c| {
        c.kernel().signal_key(c.x(0) + cv::KEY, -1)
    });

    r.register("_ZN2nn2os15InitializeEventEPNS0_9EventTypeEbNS0_14EventClearModeE", |c| {
        initialize_event(c, c.x(0), c.flag(1), c.w(2))
    });
    r.register("_ZN2nn2os13FinalizeEventEPNS0_9EventTypeE", |c| {
        Ok::<_, GuestFault>(c.memory().write_u8(c.x(0) + ev::STATE, 0)?)
    });
    r.register("_ZN2nn2os11SignalEventEPNS0_9EventTypeE", |c| signal_event(c, c.x(0)));
    r.register("_ZN2nn2os9WaitEventEPNS0_9EventTypeE", |c| wait_event(c, c.x(0), Deadline::Never).map(|_| ()));
    r.register("_ZN2nn2os12TryWaitEventEPNS0_9EventTypeE", |c| wait_event(c, c.x(0), Deadline::At(0)));
    r.register("_ZN2nn2os14TimedWaitEventEPNS0_9EventTypeENS_8TimeSpanE", |c| {
        wait_event(c, c.x(0), Deadline::after(c, c.x(1)))
    });
    r.register("_ZN2nn2os10ClearEventEPNS0_9EventTypeE", |c| {
        let event = c.x(0);
        enter(c, event + ev::LOCK)?;
        c.memory().write_u8(event + ev::SIGNALED, 0)?;
        leave(c, event + ev::LOCK)
    });

    r.register("_ZN2nn2os17CreateSystemEventEPNS0_15SystemEventTypeENS0_14EventClearModeEb", |c| {
        let (event, automatic) = (c.x(0), c.w(1) == 1);
        if c.flag(2) {
            initialize_kernel_event(c, event, automatic)?;
        } else {
            initialize_event(c, event, false, c.w(1))?;
            c.memory().write_u8(event + se::STATE, 1)?;
        }
        Ok::<_, GuestFault>(0u32)
    });
    r.register("_ZN2nn2os18DestroySystemEventEPNS0_15SystemEventTypeE", |c| {
        let event = c.x(0);
        if is_kernel_event(c, event)? {
            for field in [se::READABLE, se::WRITABLE] {
                let handle = c.memory().read_u32(event + field)?;
                if let Err(code) = c.kernel().close_handle(handle) {
                    tracing::debug!(%code, handle, "a system event's handle was already closed");
                }
            }
        }
        Ok::<_, GuestFault>(c.memory().write_u8(event + se::STATE, 0)?)
    });
    r.register("_ZN2nn2os15WaitSystemEventEPNS0_15SystemEventTypeE", |c| {
        wait_system_event(c, c.x(0), Deadline::Never).map(|_| ())
    });
    r.register("_ZN2nn2os18TryWaitSystemEventEPNS0_15SystemEventTypeE", |c| {
        wait_system_event(c, c.x(0), Deadline::At(0))
    });
    r.register("_ZN2nn2os20TimedWaitSystemEventEPNS0_15SystemEventTypeENS_8TimeSpanE", |c| {
        wait_system_event(c, c.x(0), Deadline::after(c, c.x(1)))
    });
    r.register("_ZN2nn2os16ClearSystemEventEPNS0_15SystemEventTypeE", |c| clear_system_event(c, c.x(0)));
    r.register("_ZN2nn2os17SignalSystemEventEPNS0_15SystemEventTypeE", |c| signal_system_event(c, c.x(0)));

    r.register("_ZN2nn2os19InitializeSemaphoreEPNS0_13SemaphoreTypeEii", |c| {
        let (semaphore, count, maximum) = (c.x(0), c.w(1), c.w(2));
        c.memory().write(semaphore, &[0; sm::SIZE as usize])?;
        for node in [0, 8] {
            c.memory().write_u64(semaphore + node, semaphore)?;
        }
        c.memory().write_u8(semaphore + sm::STATE, 1)?;
        c.memory().write_u32(semaphore + sm::COUNT, count)?;
        Ok::<_, GuestFault>(c.memory().write_u32(semaphore + sm::MAXIMUM, maximum)?)
    });
    r.register("_ZN2nn2os17FinalizeSemaphoreEPNS0_13SemaphoreTypeE", |c| {
        Ok::<_, GuestFault>(c.memory().write_u8(c.x(0) + sm::STATE, 0)?)
    });
    r.register("_ZN2nn2os16AcquireSemaphoreEPNS0_13SemaphoreTypeE", |c| {
        acquire(c, c.x(0), Deadline::Never).map(|_| ())
    });
    r.register("_ZN2nn2os19TryAcquireSemaphoreEPNS0_13SemaphoreTypeE", |c| acquire(c, c.x(0), Deadline::At(0)));
    r.register("_ZN2nn2os21TimedAcquireSemaphoreEPNS0_13SemaphoreTypeENS_8TimeSpanE", |c| {
        acquire(c, c.x(0), Deadline::after(c, c.x(1)))
    });
    r.register("_ZN2nn2os16ReleaseSemaphoreEPNS0_13SemaphoreTypeE", |c| release(c, c.x(0), 1));
    r.register("_ZN2nn2os16ReleaseSemaphoreEPNS0_13SemaphoreTypeEi", |c| release(c, c.x(0), c.i32(1)));
    r.register("_ZN2nn2os24GetCurrentSemaphoreCountEPKNS0_13SemaphoreTypeE", |c| {
        Ok::<_, GuestFault>(c.memory().read_u32(c.x(0) + sm::COUNT)?)
    });

    r.register("_ZN2nn2os22InitializeMessageQueueEPNS0_16MessageQueueTypeEPmm", |c| {
        let (queue, buffer, capacity) = (c.x(0), c.x(1), c.x(2));
        c.memory().write(queue, &[0; mq::SIZE as usize])?;
        for node in [0x00, 0x10] {
            c.memory().write_u64(queue + node, queue + node)?;
            c.memory().write_u64(queue + node + 8, queue + node)?;
        }
        c.memory().write_u64(queue + mq::BUFFER, buffer)?;
        c.memory().write_u32(queue + mq::CAPACITY, u32::try_from(capacity).unwrap_or(0))?;
        Ok::<_, GuestFault>(c.memory().write_u8(queue + mq::STATE, 1)?)
    });
    r.register("_ZN2nn2os20FinalizeMessageQueueEPNS0_16MessageQueueTypeE", |c| {
        Ok::<_, GuestFault>(c.memory().write_u8(c.x(0) + mq::STATE, 0)?)
    });
    for (verb, put) in [("Send", Put::Back), ("Jam", Put::Front)] {
        let name = |prefix: &str, tail: &str| {
            let function = format!("{prefix}{verb}MessageQueue");
            format!("_ZN2nn2os{}{function}EPNS0_16MessageQueueTypeEm{tail}", function.len())
        };
        r.register(&name("", ""), move |c| send(c, c.x(0), c.x(1), put, Deadline::Never).map(|_| ()));
        r.register(&name("Try", ""), move |c| send(c, c.x(0), c.x(1), put, Deadline::At(0)));
        r.register(&name("Timed", "NS_8TimeSpanE"), move |c| send(c, c.x(0), c.x(1), put, Deadline::after(c, c.x(2))));
    }
    for (verb, constant, remove) in [("Receive", "", true), ("Peek", "K", false)] {
        let name = |prefix: &str, tail: &str| {
            let function = format!("{prefix}{verb}MessageQueue");
            format!("_ZN2nn2os{}{function}EPmP{constant}NS0_16MessageQueueTypeE{tail}", function.len())
        };
        r.register(&name("", ""), move |c| receive(c, c.x(1), c.x(0), remove, Deadline::Never).map(|_| ()));
        r.register(&name("Try", ""), move |c| receive(c, c.x(1), c.x(0), remove, Deadline::At(0)));
        r.register(&name("Timed", "NS_8TimeSpanE"), move |c| {
            receive(c, c.x(1), c.x(0), remove, Deadline::after(c, c.x(2)))
        });
    }

    r.register("_ZN2nn2os20InitializeLightEventEPNS0_14LightEventTypeEbNS0_14EventClearModeE", |c| {
        let (event, signaled, automatic) = (c.x(0), c.flag(1), c.w(2) == 1);
        c.memory().write(event, &[0; le::SIZE as usize])?;
        c.memory().write_u8(event + le::AUTO_CLEAR, u8::from(automatic))?;
        c.memory().write_u8(event + le::INITIALIZED, 1)?;
        Ok::<_, GuestFault>(c.memory().store_u32(event + le::STATE, if signaled { 2 } else { 0 })?)
    });
    r.register("_ZN2nn2os18FinalizeLightEventEPNS0_14LightEventTypeE", |c| {
        Ok::<_, GuestFault>(c.memory().write_u8(c.x(0) + le::INITIALIZED, 0)?)
    });
    r.register("_ZN2nn2os16SignalLightEventEPNS0_14LightEventTypeE", |c| signal_light(c, c.x(0)));
    r.register("_ZN2nn2os14WaitLightEventEPNS0_14LightEventTypeE", |c| {
        wait_light(c, c.x(0), Deadline::Never).map(|_| ())
    });
    r.register("_ZN2nn2os17TryWaitLightEventEPNS0_14LightEventTypeE", |c| try_light(c, c.x(0)));
    r.register("_ZN2nn2os19TimedWaitLightEventEPNS0_14LightEventTypeENS_8TimeSpanE", |c| {
        wait_light(c, c.x(0), Deadline::after(c, c.x(1)))
    });
    r.register("_ZN2nn2os15ClearLightEventEPNS0_14LightEventTypeE", |c| {
        c.memory().compare_exchange_u32(c.x(0) + le::STATE, 2, 0)?.ok();
        Ok::<_, GuestFault>(())
    });
}
