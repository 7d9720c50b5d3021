//! Scheduler and waits with host closures as guest bodies. Compact layout slots 11..30 belong to this file.

use std::cell::UnsafeCell;
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc;
use std::time::Instant;

use super::*;
use crate::memory::{GuestWrite, Layout, MemoryOptions, TrackingMode};

const WAIT: Duration = Duration::from_secs(10);

fn kernel(slot: u32, time: TimeMode) -> Arc<Kernel> {
    let options = MemoryOptions { layout: Some(Layout::compact(slot)), tracking: Some(TrackingMode::Protect) };
    // Threads of a kernel that had the slot before may still be ending, and hold its memory so long.
    let end = Instant::now() + WAIT;
    let memory = loop {
        match GuestMemory::new(&options) {
            Ok(memory) => break Arc::new(memory),
            Err(error) => assert!(Instant::now() < end, "{error}"),
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    Kernel::new(memory, ProcessLimits::default(), time)
}

struct Spawned {
    id: ThreadId,
    handle: Handle,
    flag: YieldFlag,
}

fn make(
    kernel: &Arc<Kernel>,
    priority: u8,
    core: i32,
    mask: u64,
    body: impl FnOnce(ThreadId, YieldFlag) + Send + 'static,
) -> Spawned {
    let flag = YieldFlag::Owned(Arc::new(AtomicU32::new(0)));
    let name = format!("p{priority}");
    let polled = flag.clone();
    let description = ThreadDescription { name, priority, core: None, flag: flag.clone() };
    let (id, handle) = kernel.create_thread(description, Box::new(move |id| body(id, polled))).unwrap();
    kernel.set_core_mask(id, id, core, mask).unwrap();
    Spawned { id, handle, flag }
}

fn poll(kernel: &Kernel, me: ThreadId, flag: &YieldFlag) {
    if flag.is_set() {
        kernel.poll(me);
    }
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let end = Instant::now() + WAIT;
    while !condition() {
        assert!(Instant::now() < end, "{what} did not happen");
        std::thread::sleep(Duration::from_micros(200));
    }
}

// rows: A-026
#[test]
fn six_busy_threads_share_three_cores() {
    let (faults, most, total) = six_busy_threads(11, None);
    assert_eq!((faults, total), (0, 6 * ROUNDS * STEP), "at most {most} ran at once");
    assert!(most <= 3);
    // Without virtual cores two run on one.
    let (faults, ..) = six_busy_threads(26, Some(Knob::FreeThreads));
    assert!(faults > 0);
}

const ROUNDS: u64 = 200;
const STEP: u64 = 2_000;

/// How often two threads were on one core, the most that ran at once, and the sum of the counters of the cores.
fn six_busy_threads(slot: u32, knob: Option<Knob>) -> (usize, usize, u64) {
    /// Not atomic: only the rule "one thread per core at a time" keeps these exact.
    struct PerCore([UnsafeCell<u64>; 3]);
    // SAFETY: every access is by the owner of the virtual core of that index; the test fails if the scheduler breaks that.
    unsafe impl Sync for PerCore {}

    let kernel = kernel(slot, TimeMode::Real);
    if let Some(knob) = knob {
        kernel.plant(knob);
    }
    let faults = Arc::new(AtomicUsize::new(0));
    let counters = Arc::new(PerCore([const { UnsafeCell::new(0) }; 3]));
    let running = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let on_core: Arc<[AtomicUsize; 3]> = Arc::new([const { AtomicUsize::new(0) }; 3]);
    let threads: Vec<_> = (0..6)
        .map(|index| {
            // Two threads are pinned to core 0, the others go anywhere.
            let (core, mask) = if index < 2 { (0, 1) } else { (-1, 7) };
            let (kernel2, counters, running, most, on_core, faults) =
                (kernel.clone(), counters.clone(), running.clone(), most.clone(), on_core.clone(), faults.clone());
            make(&kernel, 44, core, mask, move |me, flag| {
                for round in 0..ROUNDS {
                    let core = kernel2.current_core(me);
                    assert!(mask >> core & 1 == 1);
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    if on_core[core].fetch_add(1, Ordering::SeqCst) != 0 {
                        faults.fetch_add(1, Ordering::SeqCst);
                    }
                    for _ in 0..STEP {
                        // SAFETY: this thread owns the core.
                        unsafe { *counters.0[core].get() = std::ptr::read_volatile(counters.0[core].get()) + 1 };
                    }
                    if round % 8 == 0 {
                        // Whoever may run now does.
                        std::thread::sleep(Duration::from_micros(50));
                    }
                    on_core[core].fetch_sub(1, Ordering::SeqCst);
                    running.fetch_sub(1, Ordering::SeqCst);
                    poll(&kernel2, me, &flag);
                    kernel2.yield_core(me);
                }
            })
        })
        .collect();
    for thread in &threads {
        kernel.start_thread(thread.id).unwrap();
    }
    wait_until("the end of all threads", || kernel.thread_count() == 0);
    // SAFETY: every writer has ended.
    let total: u64 = counters.0.iter().map(|counter| unsafe { *counter.get() }).sum();
    assert_eq!(kernel.start_thread(threads[0].id), Err(results::INVALID_STATE));
    kernel.stop();
    (faults.load(Ordering::SeqCst), most.load(Ordering::SeqCst), total)
}

// rows: A-026
#[test]
fn better_priority_runs_first() {
    let kernel = kernel(12, TimeMode::Real);
    let (sender, receiver) = mpsc::channel();
    let gate = Arc::new(AtomicBool::new(false));
    let (kernel2, gate2) = (kernel.clone(), gate.clone());
    // A holder of core 0 that gives it up only when it ends.
    let holder = make(&kernel, 28, 0, 1, move |me, _| {
        while !gate2.load(Ordering::SeqCst) {
            std::hint::spin_loop();
        }
        assert_eq!(kernel2.current_core(me), 0);
    });
    kernel.start_thread(holder.id).unwrap();
    for priority in [50, 30, 40, 30] {
        let sender = sender.clone();
        let thread = make(&kernel, priority, 0, 1, move |me, _| sender.send((priority, me)).unwrap());
        kernel.start_thread(thread.id).unwrap();
    }
    gate.store(true, Ordering::SeqCst);
    let order: Vec<_> = (0..4).map(|_| receiver.recv_timeout(WAIT).unwrap()).collect();
    assert_eq!(order.iter().map(|(priority, _)| *priority).collect::<Vec<_>>(), [30, 30, 40, 50]);
    assert!(order[0].1 < order[1].1, "first come, first served inside a priority");
    kernel.stop();
}

/// Three holders that spin and count polls; returns how to stop them.
fn three_holders(kernel: &Arc<Kernel>, polling: Arc<AtomicBool>, stop: Arc<AtomicBool>) -> Vec<Spawned> {
    let holders: Vec<_> = (0..3)
        .map(|core| {
            let (kernel2, polling, stop) = (kernel.clone(), polling.clone(), stop.clone());
            make(kernel, 44 + core as u8, core, 7, move |me, flag| {
                while !stop.load(Ordering::SeqCst) {
                    if polling.load(Ordering::SeqCst) {
                        poll(&kernel2, me, &flag);
                    }
                    std::thread::sleep(Duration::from_micros(100));
                }
            })
        })
        .collect();
    for holder in &holders {
        kernel.start_thread(holder.id).unwrap();
    }
    holders
}

// rows: A-027
#[test]
fn one_better_waiter_flags_one_holder_and_gets_its_core() {
    let kernel = kernel(13, TimeMode::Real);
    let (polling, stop) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let holders = three_holders(&kernel, polling.clone(), stop.clone());
    let (sender, receiver) = mpsc::channel();
    let kernel2 = kernel.clone();
    let better = make(&kernel, 30, -1, 7, move |me, _| sender.send(kernel2.current_core(me)).unwrap());
    kernel.start_thread(better.id).unwrap();
    assert_eq!(kernel.counters(), Counters { flags: 1, hand_overs: 0, stale_polls: 0 });
    let flagged: Vec<_> = holders.iter().map(|holder| holder.flag.is_set()).collect();
    assert_eq!(flagged, [false, false, true], "the worst holder");
    polling.store(true, Ordering::SeqCst);
    assert_eq!(receiver.recv_timeout(WAIT).unwrap(), 2);
    assert_eq!(kernel.counters().flags, 1);
    assert_eq!(kernel.counters().hand_overs, 1);
    stop.store(true, Ordering::SeqCst);
    wait_until("the end of all threads", || kernel.thread_count() == 0);
    kernel.stop();

    // The planted fault flags all three holders for the one waiter.
    let kernel = self::kernel(27, TimeMode::Real);
    kernel.plant(Knob::FlagAll);
    stop.store(false, Ordering::SeqCst);
    polling.store(false, Ordering::SeqCst);
    three_holders(&kernel, polling, stop.clone());
    let better = make(&kernel, 30, -1, 7, |_, _| {});
    kernel.start_thread(better.id).unwrap();
    assert_eq!(kernel.counters().flags, 3);
    stop.store(true, Ordering::SeqCst);
    wait_until("the end of all threads", || kernel.thread_count() == 0);
    kernel.stop();
}

// rows: A-027
#[test]
fn a_wake_that_is_gone_at_the_poll_hands_nothing_over() {
    let kernel = kernel(14, TimeMode::Real);
    let (polling, stop) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    three_holders(&kernel, polling.clone(), stop.clone());
    let better = make(&kernel, 30, -1, 7, |_, _| {});
    kernel.start_thread(better.id).unwrap();
    assert_eq!(kernel.counters().flags, 1);
    kernel.set_paused(better.id, true).unwrap();
    polling.store(true, Ordering::SeqCst);
    wait_until("the stale poll", || kernel.counters().stale_polls == 1);
    assert_eq!(kernel.counters().hand_overs, 0);
    kernel.set_paused(better.id, false).unwrap();
    wait_until("the resumed thread's end", || kernel.has_exited(better.id));
    stop.store(true, Ordering::SeqCst);
    wait_until("the end of all threads", || kernel.thread_count() == 0);
    kernel.stop();
}

// rows: A-031
#[test]
fn host_work_gives_the_core_back() {
    let (before, after, core, hand_overs) = progress_during_host_work(15, None);
    assert!(after > before, "the lower thread ran on core 0 meanwhile");
    assert_eq!(core, 0);
    assert!(hand_overs >= 1, "the submitter came back by priority");
    let (before, after, ..) = progress_during_host_work(28, Some(Knob::KeepCore));
    assert_eq!(before, after, "a core that is kept stops the lower thread");
}

/// What a lower thread counted when the submitter's host work began and ended, the submitter's core then, and hand-overs.
fn progress_during_host_work(slot: u32, knob: Option<Knob>) -> (u64, u64, usize, u64) {
    let kernel = kernel(slot, TimeMode::Real);
    if let Some(knob) = knob {
        kernel.plant(knob);
    }
    let progress = Arc::new(AtomicU64::new(0));
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    let (kernel2, progress2) = (kernel.clone(), progress.clone());
    let submitter = make(&kernel, 40, 0, 1, move |me, _| {
        let before = progress2.load(Ordering::SeqCst);
        kernel2.release_core(me, || std::thread::sleep(Duration::from_millis(100)));
        sender.send((before, progress2.load(Ordering::SeqCst), kernel2.current_core(me))).unwrap();
    });
    let (kernel2, progress2, stop2) = (kernel.clone(), progress.clone(), stop.clone());
    let lower = make(&kernel, 50, 0, 1, move |me, flag| {
        while !stop2.load(Ordering::SeqCst) {
            progress2.fetch_add(1, Ordering::SeqCst);
            poll(&kernel2, me, &flag);
        }
    });
    kernel.start_thread(submitter.id).unwrap();
    kernel.start_thread(lower.id).unwrap();
    let (before, after, core) = receiver.recv_timeout(WAIT).unwrap();
    let hand_overs = kernel.counters().hand_overs;
    stop.store(true, Ordering::SeqCst);
    wait_until("the end of all threads", || kernel.thread_count() == 0);
    kernel.stop();
    (before, after, core, hand_overs)
}

#[test]
fn priority_59_takes_turns() {
    let kernel = kernel(16, TimeMode::Real);
    let stop = Arc::new(AtomicBool::new(false));
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let (kernel2, stop) = (kernel.clone(), stop.clone());
            make(&kernel, ROUND_ROBIN_PRIORITY, 0, 1, move |me, flag| {
                while !stop.load(Ordering::SeqCst) {
                    poll(&kernel2, me, &flag);
                }
            })
        })
        .collect();
    for thread in &threads {
        kernel.start_thread(thread.id).unwrap();
    }
    wait_until("three turns of both", || threads.iter().all(|thread| kernel.turns(thread.id) >= 3));
    stop.store(true, Ordering::SeqCst);
    wait_until("the end of all threads", || kernel.thread_count() == 0);
    kernel.stop();
}

#[test]
fn locks_hand_over_by_priority_and_owners_inherit() {
    let kernel = kernel(17, TimeMode::Real);
    let word = kernel.memory().allocate_local(64, 64).unwrap();
    let (sender, receiver) = mpsc::channel();
    let go = Arc::new(AtomicBool::new(false));
    let (kernel2, go2, sender2) = (kernel.clone(), go.clone(), sender.clone());
    let owner = make(&kernel, 50, 0, 1, move |me, _| {
        let handle = kernel2.handle_of(me);
        kernel2.memory().compare_exchange_u32(word, 0, handle).unwrap().unwrap();
        sender2.send(0).unwrap();
        while !go2.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_micros(100));
        }
        kernel2.arbitrate_unlock(me, word).unwrap();
    });
    kernel.start_thread(owner.id).unwrap();
    receiver.recv_timeout(WAIT).unwrap();
    let waiters: Vec<_> = [45u8, 35]
        .into_iter()
        .map(|priority| {
            let (kernel2, sender) = (kernel.clone(), sender.clone());
            let owner_handle = owner.handle;
            let waiter = make(&kernel, priority, 1, 2, move |me, _| {
                let tag = kernel2.handle_of(me);
                let memory = kernel2.memory();
                memory.store_u32(word, memory.load_u32(word).unwrap() | LOCK_WAITERS).unwrap();
                kernel2.arbitrate_lock(me, owner_handle, word, tag).unwrap();
                assert_eq!(memory.load_u32(word).unwrap() & !LOCK_WAITERS, tag, "the word names the new owner");
                sender.send(u32::from(priority)).unwrap();
                kernel2.arbitrate_unlock(me, word).unwrap();
            });
            kernel.start_thread(waiter.id).unwrap();
            waiter
        })
        .collect();
    wait_until("both waits", || kernel.describe_threads().iter().filter(|text| text.contains("Lock")).count() == 2);
    assert_eq!(kernel.effective_priority(owner.id), 35);
    assert_eq!(kernel.priority(owner.id), 50);
    kernel.set_priority(waiters[0].id, 29).unwrap();
    assert_eq!(kernel.effective_priority(owner.id), 29, "a change passes on");
    kernel.set_priority(waiters[0].id, 45).unwrap();
    go.store(true, Ordering::SeqCst);
    assert_eq!(receiver.recv_timeout(WAIT).unwrap(), 35);
    assert_eq!(receiver.recv_timeout(WAIT).unwrap(), 45);
    wait_until("the end of all threads", || kernel.thread_count() == 0);
    assert_eq!(kernel.memory().load_u32(word).unwrap(), 0);
    kernel.stop();
}

#[test]
fn keys_wake_in_order_and_time_out() {
    let kernel = kernel(18, TimeMode::Real);
    let mutex = kernel.memory().allocate_local(64, 64).unwrap();
    let key = mutex + 4;
    let (sender, receiver) = mpsc::channel();
    for priority in [40u8, 35] {
        let (kernel2, sender) = (kernel.clone(), sender.clone());
        let waiter = make(&kernel, priority, -1, 7, move |me, _| {
            let tag = kernel2.handle_of(me);
            let memory = kernel2.memory().clone();
            while memory.compare_exchange_u32(mutex, 0, tag).unwrap().is_err() {
                kernel2.yield_core(me);
            }
            kernel2.wait_key(me, mutex, key, tag, -1).unwrap();
            assert_eq!(memory.load_u32(mutex).unwrap() & !LOCK_WAITERS, tag, "the mutex is held again");
            sender.send(priority).unwrap();
            kernel2.arbitrate_unlock(me, mutex).unwrap();
        });
        kernel.start_thread(waiter.id).unwrap();
    }
    wait_until("both waits", || kernel.describe_threads().iter().filter(|text| text.contains("Key")).count() == 2);
    assert_eq!(kernel.memory().load_u32(key).unwrap(), 1);
    kernel.signal_key(key, 1);
    assert_eq!(receiver.recv_timeout(WAIT).unwrap(), 35, "the best first");
    kernel.signal_key(key, -1);
    assert_eq!(receiver.recv_timeout(WAIT).unwrap(), 40);
    wait_until("the end of both", || kernel.thread_count() == 0);
    assert_eq!(kernel.memory().load_u32(key).unwrap(), 0);
    let kernel2 = kernel.clone();
    let late = make(&kernel, 40, -1, 7, move |me, _| {
        let tag = kernel2.handle_of(me);
        kernel2.memory().store_u32(mutex, tag).unwrap();
        let begin = kernel2.clock().now();
        assert_eq!(kernel2.wait_key(me, mutex, key, tag, 5_000_000), Err(results::TIMED_OUT));
        assert!(kernel2.clock().now() - begin >= 5_000_000);
        assert_eq!(kernel2.memory().load_u32(mutex).unwrap(), 0, "a time-out leaves the mutex free");
        assert_eq!(kernel2.memory().load_u32(key).unwrap(), 0);
        sender.send(1).unwrap();
    });
    kernel.start_thread(late.id).unwrap();
    assert_eq!(receiver.recv_timeout(WAIT).unwrap(), 1);
    kernel.stop();
}

#[test]
fn events_and_threads_can_be_waited_for() {
    let kernel = kernel(19, TimeMode::Real);
    let (event, writable, readable) = kernel.create_event().unwrap();
    let (_, _, other) = kernel.create_event().unwrap();
    let (sender, receiver) = mpsc::channel();
    let kernel2 = kernel.clone();
    let waiter = make(&kernel, 40, -1, 7, move |me, _| {
        assert_eq!(kernel2.wait_synchronization(me, &[readable], 0), Err(results::TIMED_OUT));
        assert_eq!(kernel2.wait_synchronization(me, &[other, readable], 2_000_000), Err(results::TIMED_OUT));
        sender.send(u32::MAX).unwrap();
        sender.send(kernel2.wait_synchronization(me, &[other, readable], -1).unwrap()).unwrap();
        assert_eq!(kernel2.wait_synchronization(me, &[0x1234], -1), Err(results::INVALID_HANDLE));
        assert_eq!(kernel2.wait_synchronization(me, &vec![readable; 65], -1), Err(results::OUT_OF_RANGE));
        assert_eq!(kernel2.reset_signal(readable), Ok(()));
        assert_eq!(kernel2.reset_signal(readable), Err(results::INVALID_STATE));
        assert_eq!(kernel2.signal_event(readable), Err(results::INVALID_HANDLE), "the readable end cannot signal");
        assert_eq!(kernel2.wait_synchronization(me, &[other], -1), Err(results::CANCELLED));
        sender.send(7).unwrap();
    });
    kernel.start_thread(waiter.id).unwrap();
    assert_eq!(receiver.recv_timeout(WAIT).unwrap(), u32::MAX);
    kernel.signal_event(writable).unwrap();
    kernel.signal(event);
    assert_eq!(receiver.recv_timeout(WAIT).unwrap(), 1);
    kernel.cancel_synchronization(waiter.handle).unwrap();
    assert_eq!(receiver.recv_timeout(WAIT).unwrap(), 7);
    let (kernel2, handle) = (kernel.clone(), waiter.handle);
    let (sender, receiver) = mpsc::channel();
    let joiner = make(&kernel, 40, -1, 7, move |me, _| {
        kernel2.join(me, waiter.id);
        sender.send(kernel2.wait_synchronization(me, &[handle], 0).unwrap()).unwrap();
    });
    kernel.start_thread(joiner.id).unwrap();
    assert_eq!(receiver.recv_timeout(WAIT).unwrap(), 0);
    assert_eq!(kernel.close_handle(handle), Ok(()));
    assert_eq!(kernel.close_handle(handle), Err(results::INVALID_HANDLE));
    kernel.stop();
}

#[test]
fn address_arbiters_compare_under_the_lock() {
    let kernel = kernel(20, TimeMode::Real);
    let address = kernel.memory().allocate_local(64, 64).unwrap();
    kernel.memory().write_u32(address, 5).unwrap();
    let (sender, receiver) = mpsc::channel();
    let kernel2 = kernel.clone();
    let waiter = make(&kernel, 40, -1, 7, move |me, _| {
        assert_eq!(kernel2.wait_for_address(me, address, AddressWait::IfEqual, 4, -1), Err(results::INVALID_STATE));
        assert_eq!(kernel2.wait_for_address(me, address, AddressWait::IfLess, 6, 0), Err(results::TIMED_OUT));
        sender.send(kernel2.wait_for_address(me, address, AddressWait::DecrementIfLess, 6, -1)).unwrap();
    });
    kernel.start_thread(waiter.id).unwrap();
    wait_until("the wait", || kernel.describe_threads().iter().any(|text| text.contains("Address")));
    assert_eq!(kernel.memory().read_u32(address).unwrap(), 4);
    assert_eq!(kernel.signal_to_address(address, AddressSignal::IncrementIfEqual, 9, 1), Err(results::INVALID_STATE));
    assert_eq!(kernel.signal_to_address(address + 1, AddressSignal::Signal, 0, 1), Err(results::INVALID_ADDRESS));
    kernel.signal_to_address(address, AddressSignal::IncrementIfEqual, 4, 1).unwrap();
    assert_eq!(receiver.recv_timeout(WAIT).unwrap(), Ok(()));
    assert_eq!(kernel.memory().read_u32(address).unwrap(), 5);
    kernel.stop();
}

/// A run of three threads with sleeps, yields and a spin across cores: what happened, in order.
fn serial_run(slot: u32) -> Vec<(u8, u64)> {
    let kernel = kernel(slot, TimeMode::FixedStep);
    let (sender, receiver) = mpsc::channel();
    let baton = Arc::new(AtomicU64::new(0));
    let threads: Vec<_> = (0..3u8)
        .map(|index| {
            let (kernel2, sender, baton) = (kernel.clone(), sender.clone(), baton.clone());
            make(&kernel, 44, i32::from(index), 1 << index, move |me, flag| {
                for round in 0..20u64 {
                    sender.send((index, kernel2.read_ticks())).unwrap();
                    // Spin on what a thread on another core does, with polls as lifted loops have them.
                    while baton.load(Ordering::SeqCst) % 3 != u64::from(index) {
                        poll(&kernel2, me, &flag);
                    }
                    baton.fetch_add(1, Ordering::SeqCst);
                    if (round + u64::from(index)) % 4 == 0 {
                        kernel2.sleep(me, 1_000_000 * (1 + u64::from(index)));
                    } else {
                        kernel2.yield_core(me);
                    }
                }
            })
        })
        .collect();
    drop(sender);
    // The guest itself starts its threads: what the host does from outside has no place in the order.
    let kernel2 = kernel.clone();
    let main = make(&kernel, 44, 0, 1, move |_, _| {
        for thread in &threads {
            kernel2.start_thread(thread.id).unwrap();
        }
    });
    kernel.start_thread(main.id).unwrap();
    let end = Instant::now() + WAIT;
    while kernel.thread_count() != 0 {
        assert!(Instant::now() < end, "stuck: {:#?}", kernel.describe_threads());
        std::thread::sleep(Duration::from_micros(200));
    }
    kernel.stop();
    receiver.iter().collect()
}

#[test]
fn fixed_step_runs_repeat_exactly() {
    let first = serial_run(21);
    assert_eq!(first.len(), 60);
    for _ in 0..10 {
        assert_eq!(serial_run(21), first);
    }
}

#[test]
fn fixed_step_sleep_costs_guest_time_only() {
    let kernel = kernel(22, TimeMode::FixedStep);
    let (sender, receiver) = mpsc::channel();
    let kernel2 = kernel.clone();
    let sleeper = make(&kernel, 44, 0, 1, move |me, _| {
        kernel2.sleep(me, 3_600_000_000_000);
        sender.send(kernel2.clock().now()).unwrap();
    });
    let begin = Instant::now();
    kernel.start_thread(sleeper.id).unwrap();
    assert!(receiver.recv_timeout(WAIT).unwrap() >= 3_600_000_000_000);
    assert!(begin.elapsed() < WAIT);
    kernel.stop();
}

#[test]
fn vertical_blanks_come_60_times_a_second_of_guest_time() {
    let kernel = kernel(23, TimeMode::FixedStep);
    let (event, _, readable) = kernel.create_event().unwrap();
    kernel.start_vsync(event).unwrap();
    assert_eq!(kernel.start_vsync(event), None);
    let (sender, receiver) = mpsc::channel();
    let kernel2 = kernel.clone();
    let waiter = make(&kernel, 44, 0, 1, move |me, _| {
        for _ in 0..60 {
            kernel2.wait_synchronization(me, &[readable], -1).unwrap();
            kernel2.reset_signal(readable).unwrap();
        }
        sender.send(kernel2.clock().now()).unwrap();
    });
    kernel.start_thread(waiter.id).unwrap();
    let now = receiver.recv_timeout(WAIT).unwrap();
    assert!((1_000_000_000..1_000_100_000).contains(&now), "{now}");
    kernel.stop();
}

#[test]
fn limits_are_kept() {
    let kernel = kernel(24, TimeMode::Real);
    let description = |priority, core| ThreadDescription {
        name: "x".into(),
        priority,
        core,
        flag: YieldFlag::Owned(Arc::new(AtomicU32::new(0))),
    };
    assert_eq!(kernel.create_thread(description(27, None), Box::new(|_| {})).unwrap_err(), results::INVALID_PRIORITY);
    assert_eq!(kernel.create_thread(description(60, None), Box::new(|_| {})).unwrap_err(), results::INVALID_PRIORITY);
    assert_eq!(kernel.create_thread(description(44, Some(3)), Box::new(|_| {})).unwrap_err(), results::INVALID_CORE);
    let (id, _) = kernel.create_thread(description(44, None), Box::new(|_| {})).unwrap();
    assert_eq!(kernel.set_core_mask(id, id, 1, 1), Err(results::INVALID_COMBINATION));
    assert_eq!(kernel.set_core_mask(id, id, 0, 8), Err(results::INVALID_CORE));
    assert_eq!(kernel.set_core_mask(id, id, -2, 0), Ok(()));
    assert_eq!(kernel.core_mask(id), (0, 1));
    assert_eq!(kernel.set_priority(id, 70), Err(results::INVALID_PRIORITY));
    assert_eq!(kernel.set_priority(id, 50), Ok(44));
    let mut made = 0;
    while kernel.create_event().is_ok() {
        made += 1;
    }
    assert!(made <= 256, "two handles each of 512");
    kernel.stop();
}

#[test]
fn memory_calls_check_their_arguments() {
    let kernel = kernel(25, TimeMode::Real);
    assert_eq!(kernel.set_heap_size(0x1000), Err(results::INVALID_SIZE));
    let heap = kernel.set_heap_size(0x40_0000).unwrap();
    assert_eq!(kernel.info(InfoKind::HeapBase, 0), Ok(heap));
    assert!(kernel.info(InfoKind::UsedMemory, 0).unwrap() >= 0x40_0000);
    let stack = kernel.info(InfoKind::StackBase, 0).unwrap() + 0x10_0000;
    kernel.memory().write(heap + 0x1000, b"abc").unwrap();
    assert_eq!(kernel.map_memory(heap, heap + 0x1000, 0x1000), Err(results::INVALID_MEMORY_REGION));
    kernel.map_memory(stack, heap + 0x1000, 0x2000).unwrap();
    assert_eq!(kernel.memory().read_string(stack, 8).unwrap(), b"abc");
    assert!(!kernel.memory().is_readable(heap + 0x1000, 1), "the source is locked");
    let query = kernel.query_memory(heap + 0x1800);
    assert_eq!(query[0..8], (heap + 0x1000).to_le_bytes());
    assert_eq!(query[0x18], 0);
    kernel.unmap_memory(stack, heap + 0x1000, 0x2000).unwrap();
    assert!(kernel.memory().is_writable(heap + 0x1000, 1));
    assert_eq!(kernel.set_memory_permission(heap, 0x1000, 5), Err(results::INVALID_NEW_MEMORY_PERMISSION));
    assert_eq!(kernel.set_memory_attribute(heap, 0x1000, 8, 8), Ok(()));
    assert_eq!(kernel.query_memory(heap)[0x14], 8);
    assert_eq!(InfoKind::from_number(999), None);
    assert_eq!(kernel.query_memory(u64::MAX)[0x10], 0x10);
    kernel.stop();
}
