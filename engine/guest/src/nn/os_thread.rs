//! nn::os threads, thread-local slots, ticks, host arguments.

use super::layout::thread_type as t;
use super::locked;
use crate::call::GuestCall;
use crate::fault::GuestFault;
use crate::kernel::{ResultCode, ThreadId, results};
use crate::memory::{GuestWrite, PAGE_SIZE};
use crate::process::ThreadStart;
use crate::registry::HostRegistry;
use crate::time;

/// nn::os priority 0 is kernel priority 28.
pub(crate) const PRIORITY_OFFSET: i32 = 28;
const USER_TLS_SLOTS: usize = 16;

/// Process-wide state of nn::os.
#[derive(Debug, Default)]
pub(crate) struct OsState {
    /// Destructors of the slots in use (0: none).
    tls_slots: [Option<u64>; USER_TLS_SLOTS],
    argc: i32,
    argv: u64,
}

fn misuse(object: &'static str, address: u64, rule: &'static str) -> GuestFault {
    GuestFault::Misuse { object, address, rule }
}

/// The kernel thread of a thread object.
fn kernel_thread(call: &GuestCall<'_>, object: u64) -> Result<ThreadId, GuestFault> {
    let handle = call.memory().read_u32(object + t::HANDLE)?;
    let found = call.kernel().thread_of(call.thread_id(), handle);
    found.map_err(|_| misuse("nn::os::ThreadType", object, "it names no thread (never created, or destroyed)"))
}

fn default_name(function: u64) -> String {
    format!("Thread_0x{function:016X}")
}

fn create(call: &mut GuestCall<'_>, core: Option<i32>) -> Result<Result<(), ResultCode>, GuestFault> {
    let (object, entry, argument, stack, size, priority) =
        (call.x(0), call.x(1), call.x(2), call.x(3), call.x(4), call.i32(5));
    if !stack.is_multiple_of(PAGE_SIZE) || !size.is_multiple_of(PAGE_SIZE) || size == 0 {
        return Err(misuse("nn::os::ThreadType", object, "a stack's address and size are multiples of 0x1000"));
    }
    if !(0..=31).contains(&priority) {
        return Err(misuse("nn::os::ThreadType", object, "priorities are 0 to 31"));
    }
    if !call.memory().is_writable(stack, size) {
        return Err(misuse("nn::os::ThreadType", object, "the stack is not mapped memory"));
    }
    let name = default_name(entry);
    let start = ThreadStart {
        name: name.clone(),
        entry,
        argument,
        stack: (stack, size),
        priority: (priority + PRIORITY_OFFSET) as u8,
        core: core.and_then(|core| usize::try_from(core).ok()),
        object,
    };
    let (id, handle) = match call.process().create_thread(start) {
        Ok(made) => made,
        Err(code) => {
            tracing::warn!(%code, "a thread could not be created");
            return Ok(Err(results::OS_OUT_OF_RESOURCE));
        }
    };
    let fields = t::Fields {
        state: t::state::INITIALIZED,
        priority,
        stack: (stack, size),
        entry: (entry, argument),
        name: &name,
        handle,
        thread_id: id.number(),
    };
    t::write(call.memory(), object, &fields)?;
    Ok(Ok(()))
}

fn start(call: &mut GuestCall<'_>) -> Result<(), GuestFault> {
    let object = call.x(0);
    if call.memory().load_u8(object + t::STATE)? != t::state::INITIALIZED {
        return Err(misuse(
            "nn::os::ThreadType",
            object,
            "StartThread needs a thread that was created and not yet started",
        ));
    }
    let id = kernel_thread(call, object)?;
    call.memory().store_u8(object + t::STATE, t::state::STARTED)?;
    call.kernel().start_thread(id).map_err(GuestFault::Kernel)
}

fn wait(call: &mut GuestCall<'_>) -> Result<(), GuestFault> {
    let object = call.x(0);
    if object == call.thread().object() {
        return Err(misuse("nn::os::ThreadType", object, "a thread cannot wait for itself"));
    }
    let id = kernel_thread(call, object)?;
    call.kernel().join(call.thread_id(), id);
    Ok(())
}

fn destroy(call: &mut GuestCall<'_>) -> Result<(), GuestFault> {
    let object = call.x(0);
    let id = kernel_thread(call, object)?;
    if call.memory().load_u8(object + t::STATE)? == t::state::INITIALIZED {
        call.kernel().abandon_thread(id);
    } else {
        wait(call)?;
    }
    let handle = call.memory().read_u32(object + t::HANDLE)?;
    call.kernel().close_handle(handle).map_err(GuestFault::Kernel)?;
    call.memory().store_u8(object + t::STATE, t::state::NONE)?;
    call.memory().write_u32(object + t::HANDLE, 0)?;
    Ok(call.memory().write(object + t::NAME, &[0; 32])?)
}

fn set_name(call: &mut GuestCall<'_>) -> Result<(), GuestFault> {
    let (object, source) = (call.x(0), call.x(1));
    let name =
        if source == 0 { default_name(call.memory().read_u64(object + t::FUNCTION)?) } else { call.string(source)? };
    let mut bytes = [0u8; 32];
    let kept = name.len().min(31);
    bytes[..kept].copy_from_slice(&name.as_bytes()[..kept]);
    call.memory().write(object + t::NAME, &bytes)?;
    call.memory().write_u64(object + t::NAME_POINTER, object + t::NAME)?;
    let id = kernel_thread(call, object)?;
    call.kernel().set_thread_name(id, &name);
    Ok(())
}

fn change_priority(call: &mut GuestCall<'_>) -> Result<i32, GuestFault> {
    let (object, priority) = (call.x(0), call.i32(1));
    if !(0..=31).contains(&priority) {
        return Err(misuse("nn::os::ThreadType", object, "priorities are 0 to 31"));
    }
    let id = kernel_thread(call, object)?;
    let previous = call.kernel().set_priority(id, (priority + PRIORITY_OFFSET) as u8).map_err(GuestFault::Kernel)?;
    call.memory().write_u16(object + t::BASE_PRIORITY, priority as u16)?;
    Ok(i32::from(previous) - PRIORITY_OFFSET)
}

fn suspend(call: &mut GuestCall<'_>, by: i8) -> Result<i32, GuestFault> {
    let object = call.x(0);
    let id = kernel_thread(call, object)?;
    let count = call.memory().read_u8(object + t::SUSPEND_COUNT)?;
    let new = match by {
        1 if count == 127 => {
            return Err(misuse("nn::os::ThreadType", object, "a thread is suspended at most 127 times"));
        }
        1 => count + 1,
        _ => count.saturating_sub(1),
    };
    call.memory().write_u8(object + t::SUSPEND_COUNT, new)?;
    if (count == 0) != (new == 0) {
        call.kernel().set_paused(id, new != 0).map_err(GuestFault::Kernel)?;
    }
    Ok(i32::from(count))
}

/// Runs thread-local destructors and marks the thread's object; the thread's last steps in guest memory.
pub(crate) fn at_exit(call: &mut GuestCall<'_>) -> Result<(), GuestFault> {
    super::pthread::at_exit(call)?;
    let object = call.thread().object();
    if object == 0 {
        return Ok(());
    }
    for _ in 0..5 {
        let slots = locked(&call.process().services().os).tls_slots;
        let mut again = false;
        for (slot, destructor) in slots.into_iter().enumerate() {
            let address = object + t::TLS_SLOTS + slot as u64 * 8;
            let value = call.memory().read_u64(address)?;
            let Some(destructor) = destructor.filter(|destructor| *destructor != 0 && value != 0) else { continue };
            call.memory().write_u64(address, 0)?;
            call.call_guest(destructor, &[value])?;
            again = true;
        }
        if !again {
            break;
        }
    }
    Ok(call.memory().store_u8(object + t::STATE, t::state::TERMINATED)?)
}

fn tls_address(call: &GuestCall<'_>, slot: u32) -> Result<u64, GuestFault> {
    let object = call.thread().object();
    if slot >= 32 || object == 0 {
        return Err(misuse("nn::os::TlsSlot", u64::from(slot), "slots are 0 to 31, and the thread must be nn::os's"));
    }
    Ok(object + t::TLS_SLOTS + u64::from(slot) * 8)
}

pub(super) fn register(r: &HostRegistry) {
    r.register("_ZN2nn2os12CreateThreadEPNS0_10ThreadTypeEPFvPvES3_S3_mii", |c| {
        let core = c.i32(6);
        create(c, Some(core))
    });
    r.register("_ZN2nn2os12CreateThreadEPNS0_10ThreadTypeEPFvPvES3_S3_mi", |c| create(c, None));
    r.register("_ZN2nn2os11StartThreadEPNS0_10ThreadTypeE", start);
    r.register("_ZN2nn2os10WaitThreadEPNS0_10ThreadTypeE", wait);
    r.register("_ZN2nn2os13TryWaitThreadEPNS0_10ThreadTypeE", |c| {
        let id = kernel_thread(c, c.x(0))?;
        Ok::<_, GuestFault>(c.kernel().has_exited(id))
    });
    r.register("_ZN2nn2os13DestroyThreadEPNS0_10ThreadTypeE", destroy);
    r.register("_ZN2nn2os16GetCurrentThreadEv", |c| c.thread().object());
    r.register("_ZN2nn2os20ChangeThreadPriorityEPNS0_10ThreadTypeEi", change_priority);
    r.register("_ZN2nn2os17GetThreadPriorityEPKNS0_10ThreadTypeE", |c| {
        Ok::<_, GuestFault>(i32::from(c.memory().read_u16(c.x(0) + t::BASE_PRIORITY)? as i16))
    });
    r.register("_ZN2nn2os24GetThreadCurrentPriorityEPKNS0_10ThreadTypeE", |c| {
        let id = kernel_thread(c, c.x(0))?;
        Ok::<_, GuestFault>(i32::from(c.kernel().effective_priority(id)) - PRIORITY_OFFSET)
    });
    r.register("_ZN2nn2os11GetThreadIdEPKNS0_10ThreadTypeE", |c| {
        Ok::<_, GuestFault>(c.memory().read_u64(c.x(0) + t::THREAD_ID)?)
    });
    r.register("_ZN2nn2os13SetThreadNameEPNS0_10ThreadTypeEPKc", set_name);
    r.register("_ZN2nn2os20SetThreadNamePointerEPNS0_10ThreadTypeEPKc", |c| {
        let (object, name) = (c.x(0), c.x(1));
        let pointer = if name == 0 { object + t::NAME } else { name };
        Ok::<_, GuestFault>(c.memory().write_u64(object + t::NAME_POINTER, pointer)?)
    });
    r.register("_ZN2nn2os20GetThreadNamePointerEPKNS0_10ThreadTypeE", |c| {
        Ok::<_, GuestFault>(c.memory().read_u64(c.x(0) + t::NAME_POINTER)?)
    });
    r.register("_ZN2nn2os11YieldThreadEv", |c| c.kernel().yield_core(c.thread_id()));
    r.register("_ZN2nn2os11SleepThreadENS_8TimeSpanE", |c| match c.x(0) as i64 {
        time if time > 0 => c.kernel().sleep(c.thread_id(), time as u64),
        _ => c.kernel().yield_core(c.thread_id()),
    });
    r.register("_ZN2nn2os13SuspendThreadEPNS0_10ThreadTypeE", |c| suspend(c, 1));
    r.register("_ZN2nn2os12ResumeThreadEPNS0_10ThreadTypeE", |c| suspend(c, -1));
    r.register("_ZN2nn2os21GetThreadSuspendCountEPKNS0_10ThreadTypeE", |c| {
        Ok::<_, GuestFault>(u32::from(c.memory().read_u8(c.x(0) + t::SUSPEND_COUNT)?))
    });
    r.register("_ZN2nn2os17SetThreadCoreMaskEPNS0_10ThreadTypeEim", |c| {
        let id = kernel_thread(c, c.x(0))?;
        let (core, mask) = (c.i32(1), if c.i32(1) == -2 { 0 } else { c.x(2) });
        c.kernel().set_core_mask(c.thread_id(), id, core, mask).map_err(GuestFault::Kernel)
    });
    r.register("_ZN2nn2os17GetThreadCoreMaskEPiPmPKNS0_10ThreadTypeE", |c| {
        let (core, mask) = c.kernel().core_mask(kernel_thread(c, c.x(2))?);
        if c.x(0) != 0 {
            c.memory().write_u32(c.x(0), core as u32)?;
        }
        if c.x(1) != 0 {
            c.memory().write_u64(c.x(1), mask)?;
        }
        Ok::<_, GuestFault>(())
    });
    r.register("_ZN2nn2os26GetThreadAvailableCoreMaskEv", |c| c.kernel().limits().core_mask);
    r.register_all(&["_ZN2nn2os20GetCurrentCoreNumberEv", "_ZN2nn2os25GetCurrentProcessorNumberEv"], |c| {
        c.kernel().current_core(c.thread_id()) as u32
    });
    r.register("_ZN2nn2os19GetCurrentStackInfoEPmS1_", |c| {
        let (base, size) = c.thread().stack();
        for (index, value) in [base, size].into_iter().enumerate() {
            if c.x(index) != 0 {
                c.memory().write_u64(c.x(index), value)?;
            }
        }
        Ok::<_, GuestFault>(())
    });
    r.register("_ZN2nn2os22GetSystemTickFrequencyEv", |_| time::TICK_FREQUENCY);
    r.register_all(&["_ZN2nn2os13GetSystemTickEv", "_ZN2nn2os20GetSystemTickOrderedEv"], |c| c.kernel().read_ticks());
    r.register("_ZN2nn2os17ConvertToTimeSpanENS0_4TickE", |c| time::time_span_from_tick(c.x(0) as i64));
    r.register("_ZN2nn2os13ConvertToTickENS_8TimeSpanE", |c| time::tick_from_time_span(c.x(0) as i64));
    r.register("_ZN2nn2os15AllocateTlsSlotEPNS0_7TlsSlotEPFvmE", |c| {
        let slot = {
            let mut os = locked(&c.process().services().os);
            let free = os.tls_slots.iter().position(Option::is_none);
            if let Some(slot) = free {
                os.tls_slots[slot] = Some(c.x(1));
            }
            free
        };
        let Some(slot) = slot else { return Ok(Err(results::OS_OUT_OF_RESOURCE)) };
        // The slot may have been used and freed before: it reads 0 in every thread again.
        for object in c.process().thread_objects() {
            c.memory().write_u64(object + t::TLS_SLOTS + slot as u64 * 8, 0)?;
        }
        c.memory().write_u32(c.x(0), slot as u32)?;
        Ok::<_, GuestFault>(Ok(()))
    });
    r.register("_ZN2nn2os11FreeTlsSlotENS0_7TlsSlotE", |c| {
        if let Some(slot) = locked(&c.process().services().os).tls_slots.get_mut(c.w(0) as usize) {
            *slot = None;
        }
    });
    r.register("_ZN2nn2os11GetTlsValueENS0_7TlsSlotE", |c| {
        Ok::<_, GuestFault>(c.memory().read_u64(tls_address(c, c.w(0))?)?)
    });
    r.register("_ZN2nn2os11SetTlsValueENS0_7TlsSlotEm", |c| {
        Ok::<_, GuestFault>(c.memory().write_u64(tls_address(c, c.w(0))?, c.x(1))?)
    });
    r.register("_ZN2nn2os11GetHostArgcEv", |c| locked(&c.process().services().os).argc);
    r.register("_ZN2nn2os11GetHostArgvEv", |c| locked(&c.process().services().os).argv);
    r.register("_ZN2nn2os11SetHostArgcEi", |c| locked(&c.process().services().os).argc = c.i32(0));
    r.register("_ZN2nn2os11SetHostArgvEPPc", |c| locked(&c.process().services().os).argv = c.x(0));
    r.register("_ZN2nn2os19GenerateRandomBytesEPvm", |c| {
        let mut bytes = vec![0; usize::try_from(c.x(1)).unwrap_or(0).min(1 << 24)];
        locked(&c.process().services().random).fill(&mut bytes);
        Ok::<_, GuestFault>(c.memory().write(c.x(0), &bytes)?)
    });
    r.register("_ZN2nn2os23SetUserExceptionHandlerEPFvPNS0_17UserExceptionInfoEEPvmS2_", |_| {});
    r.register("nnosQuickExit", |c| -> () { c.process().exit_from_guest(0) });
}

impl OsState {
    /// What GetHostArgc and GetHostArgv give.
    pub(crate) fn set_arguments(&mut self, argc: i32, argv: u64) {
        self.argc = argc;
        self.argv = argv;
    }
}
