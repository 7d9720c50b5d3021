//! Supervisor calls: arguments from registers, results in w0 and on, as the console's kernel has them.

use crate::call::GuestCall;
use crate::fault::GuestFault;
use crate::kernel::{AddressSignal, AddressWait, CURRENT_PROCESS, InfoKind, ResultCode, results};
use crate::memory::GuestWrite;
use crate::process::ThreadStart;

/// Bit of Break's reason: a notice that returns.
const BREAK_NOTIFICATION: u64 = 0x8000_0000;

type Svc = Result<Result<(), ResultCode>, GuestFault>;

fn with<T>(call: &mut GuestCall<'_>, result: Result<T, ResultCode>, value: impl FnOnce(T) -> u64) -> Svc {
    Ok(result.map(|result| call.set_x(1, value(result))))
}

fn create_thread(call: &mut GuestCall<'_>) -> Svc {
    let (entry, argument, stack_top, priority, core) = (call.x(1), call.x(2), call.x(3), call.w(4), call.i32(5));
    let Ok(priority) = u8::try_from(priority) else { return Ok(Err(results::INVALID_PRIORITY)) };
    let core = match core {
        -2 => None,
        core => match usize::try_from(core) {
            Ok(core) => Some(core),
            Err(_) => return Ok(Err(results::INVALID_CORE)),
        },
    };
    let block = call.memory().query(stack_top.wrapping_sub(1));
    let start = ThreadStart {
        name: format!("svc thread {entry:#x}"),
        entry,
        argument,
        stack: (block.start, stack_top.wrapping_sub(block.start)),
        priority,
        core,
        object: 0,
    };
    let made = call.process().create_thread(start);
    with(call, made, |(_, handle)| u64::from(handle))
}

fn wait_synchronization(call: &mut GuestCall<'_>) -> Svc {
    let (address, count, timeout) = (call.x(1), call.w(2), call.x(3) as i64);
    if count > 64 {
        return Ok(Err(results::OUT_OF_RANGE));
    }
    let mut handles = Vec::with_capacity(count as usize);
    for index in 0..u64::from(count) {
        match call.memory().read_u32(address + index * 4) {
            Ok(handle) => handles.push(handle),
            Err(_) => return Ok(Err(results::INVALID_POINTER)),
        }
    }
    let result = call.kernel().wait_synchronization(call.thread_id(), &handles, timeout);
    with(call, result, u64::from)
}

fn get_info(call: &mut GuestCall<'_>) -> Svc {
    let (kind, handle, sub) = (call.w(1), call.w(2), call.x(3));
    let Some(kind) = InfoKind::from_number(kind) else { return Ok(Err(results::INVALID_ENUM)) };
    let needs_process = !matches!(kind, InfoKind::DebuggerAttached | InfoKind::IdleTicks | InfoKind::RandomEntropy);
    if needs_process && handle != CURRENT_PROCESS {
        return Ok(Err(results::INVALID_HANDLE));
    }
    let value = call.kernel().info(kind, sub);
    with(call, value, |value| value)
}

fn break_process(call: &mut GuestCall<'_>) -> Svc {
    let (reason, info, size) = (call.x(0), call.x(1), call.x(2));
    if reason & BREAK_NOTIFICATION != 0 {
        return Ok(Ok(()));
    }
    Err(GuestFault::Abort(format!("svc Break, reason {reason:#x}, info {info:#x} (+{size:#x})")))
}

/// Runs one call.
pub(crate) fn dispatch(call: &mut GuestCall<'_>, number: u32) -> Result<(), GuestFault> {
    let me = call.thread_id();
    let kernel = call.kernel().clone();
    let (x0, x1, x2, x3) = (call.x(0), call.x(1), call.x(2), call.x(3));
    let result: Svc = match number {
        0x01 => {
            let base = kernel.set_heap_size(x1);
            with(call, base, |base| base)
        }
        0x02 => Ok(kernel.set_memory_permission(x0, x1, x2 as u32)),
        0x03 => Ok(kernel.set_memory_attribute(x0, x1, x2 as u32, x3 as u32)),
        0x04 => Ok(kernel.map_memory(x0, x1, x2)),
        0x05 => Ok(kernel.unmap_memory(x0, x1, x2)),
        0x06 => {
            let bytes = kernel.query_memory(x2);
            match call.memory().write(x0, &bytes) {
                Ok(()) => with(call, Ok(0), |page| page),
                Err(_) => Ok(Err(results::INVALID_POINTER)),
            }
        }
        0x07 => call.process().exit_from_guest(0),
        0x08 => create_thread(call),
        0x09 => Ok(kernel.thread_of(me, x0 as u32).and_then(|id| kernel.start_thread(id))),
        0x0A => kernel.exit_thread_here(me),
        0x0B => {
            match x0 as i64 {
                time if time > 0 => kernel.sleep(me, time as u64),
                _ => kernel.yield_core(me),
            }
            return Ok(());
        }
        0x0C => {
            let priority = kernel.thread_of(me, x1 as u32).map(|id| kernel.priority(id));
            with(call, priority, u64::from)
        }
        0x0D => Ok(kernel.thread_of(me, x0 as u32).and_then(|id| {
            let priority = u8::try_from(x1 as u32).map_err(|_| results::INVALID_PRIORITY)?;
            kernel.set_priority(id, priority).map(|_| ())
        })),
        0x0E => match kernel.thread_of(me, x2 as u32) {
            Ok(id) => {
                let (core, mask) = kernel.core_mask(id);
                call.set_x(2, mask);
                with(call, Ok(core), |core| u64::from(core as u32))
            }
            Err(code) => Ok(Err(code)),
        },
        0x0F => Ok(kernel.thread_of(me, x0 as u32).and_then(|id| kernel.set_core_mask(me, id, x1 as i32, x2))),
        0x10 => {
            call.set_x(0, kernel.current_core(me) as u64);
            return Ok(());
        }
        0x11 => Ok(kernel.signal_event(x0 as u32)),
        0x12 => Ok(kernel.clear_event(x0 as u32)),
        0x15 => {
            let handle = kernel.create_transfer_memory();
            with(call, handle, u64::from)
        }
        0x16 => Ok(kernel.close_handle(x0 as u32)),
        0x17 => Ok(kernel.reset_signal(x0 as u32)),
        0x18 => wait_synchronization(call),
        0x19 => Ok(kernel.cancel_synchronization(x0 as u32)),
        0x1A => Ok(kernel.arbitrate_lock(me, x0 as u32, x1, x2 as u32)),
        0x1B => Ok(kernel.arbitrate_unlock(me, x0)),
        0x1C => Ok(kernel.wait_key(me, x0, x1, x2 as u32, x3 as i64)),
        0x1D => {
            kernel.signal_key(x0, x1 as i32);
            return Ok(());
        }
        0x1E => {
            let ticks = kernel.read_ticks();
            call.set_x(0, ticks);
            return Ok(());
        }
        // No service sits behind the nn:: functions, so there is no port to connect to.
        0x1F => Ok(Err(results::NOT_FOUND)),
        0x20..=0x23 => Ok(Err(results::INVALID_HANDLE)),
        0x24 => {
            let known = if x1 as u32 == CURRENT_PROCESS { Ok(()) } else { kernel.thread_of(me, x1 as u32).map(|_| ()) };
            with(call, known, |()| 0x51)
        }
        0x25 => {
            let id = kernel.thread_of(me, x1 as u32);
            with(call, id, |id| id.number())
        }
        0x26 => break_process(call),
        0x27 => match call.memory().read_string(x0, x1.min(0x1_0000)) {
            Ok(text) => {
                tracing::info!(target: "guest", "{}", String::from_utf8_lossy(&text).trim_end());
                Ok(Ok(()))
            }
            Err(_) => Ok(Err(results::INVALID_POINTER)),
        },
        0x29 => get_info(call),
        0x2A => return Ok(()),
        0x2B | 0x5F => Ok(Ok(())),
        0x2C => Ok(kernel.map_physical_memory(x0, x1)),
        0x2D => Ok(kernel.unmap_physical_memory(x0, x1)),
        0x32 => Ok(kernel.thread_of(me, x0 as u32).and_then(|id| match x1 as u32 {
            0 => kernel.set_paused(id, false),
            1 => kernel.set_paused(id, true),
            _ => Err(results::INVALID_ENUM),
        })),
        0x34 => Ok(match x1 as u32 {
            0 => kernel.wait_for_address(me, x0, AddressWait::IfLess, x2 as i32, x3 as i64),
            1 => kernel.wait_for_address(me, x0, AddressWait::DecrementIfLess, x2 as i32, x3 as i64),
            2 => kernel.wait_for_address(me, x0, AddressWait::IfEqual, x2 as i32, x3 as i64),
            _ => Err(results::INVALID_ENUM),
        }),
        0x35 => Ok(match x1 as u32 {
            0 => kernel.signal_to_address(x0, AddressSignal::Signal, x2 as i32, x3 as i32),
            1 => kernel.signal_to_address(x0, AddressSignal::IncrementIfEqual, x2 as i32, x3 as i32),
            2 => kernel.signal_to_address(x0, AddressSignal::ModifyByWaiters, x2 as i32, x3 as i32),
            _ => Err(results::INVALID_ENUM),
        }),
        0x36 | 0x3C | 0x3D => return Ok(()),
        0x45 => match kernel.create_event() {
            Ok((_, writable, readable)) => {
                call.set_x(2, u64::from(readable));
                with(call, Ok(writable), u64::from)
            }
            Err(code) => Ok(Err(code)),
        },
        other => {
            let caller = call.process().title().describe(call.context().pc);
            tracing::warn!(target: "imports", "supervisor call {other:#04x} is not implemented (called at {caller})");
            Ok(Err(results::NOT_IMPLEMENTED))
        }
    };
    let code = match result? {
        Ok(()) => 0,
        Err(code) => u64::from(code.0),
    };
    call.set_x(0, code);
    Ok(())
}
