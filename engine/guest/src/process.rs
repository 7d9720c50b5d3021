//! A running guest: its memory, kernel, lifted code and host functions, and the four ways from lifted code into the host.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::time::{Duration, Instant};

use crate::abi::{ABI_VERSION, Context, Host};
use crate::call::GuestCall;
use crate::fault::{Exit, FaultReport, GuestFault};
use crate::kernel::{ContextFlag, Handle, Kernel, ResultCode, ThreadDescription, ThreadId, YieldFlag};
use crate::loader::LinkedTitle;
use crate::memory::GuestMemory;
use crate::nn::Services;
use crate::nn::layout::thread_type;
use crate::registry::HostRegistry;
use crate::svc;
use crate::time::TICK_FREQUENCY;

/// Most frames of a backtrace.
const MAX_FRAMES: usize = 64;
/// Bytes of a thread-local region.
pub(crate) const TLS_SIZE: u64 = 0x200;
/// Where a thread-local region holds the nn::os thread object.
pub(crate) const TLS_THREAD_OBJECT: u64 = 0x1F8;

/// A guest thread as the host sees it. Lives until the process ends, because lifted code and reports refer to it.
pub struct GuestThread {
    process: Arc<Process>,
    id: OnceLock<ThreadId>,
    /// Thread-local region (TPIDRRO_EL0).
    tls: u64,
    stack: (u64, u64),
    context: *mut Context,
}

// SAFETY: the context pointer is only dereferenced by the thread itself and, for the atomic yield word, by the kernel.
unsafe impl Send for GuestThread {}
// SAFETY: as above.
unsafe impl Sync for GuestThread {}

impl GuestThread {
    /// The process it belongs to.
    pub fn process(&self) -> &Arc<Process> {
        &self.process
    }

    /// Its kernel id.
    pub fn id(&self) -> ThreadId {
        *self.id.get().expect("set before the thread is started")
    }

    /// Its thread-local region.
    pub fn tls(&self) -> u64 {
        self.tls
    }

    /// Lowest address and size of its stack.
    pub fn stack(&self) -> (u64, u64) {
        self.stack
    }

    /// The nn::os thread object, 0 if it has none.
    pub fn object(&self) -> u64 {
        self.process.memory.read_u64(self.tls + TLS_THREAD_OBJECT).unwrap_or(0)
    }
}

/// What a guest thread is made with.
#[derive(Debug, Clone)]
pub struct ThreadStart {
    /// Name for logs.
    pub name: String,
    /// Guest address of the entry function.
    pub entry: u64,
    /// Its only argument.
    pub argument: u64,
    /// Lowest address and size of the stack.
    pub stack: (u64, u64),
    /// Kernel priority.
    pub priority: u8,
    /// Core; `None` takes the process's default.
    pub core: Option<usize>,
    /// Guest address of its nn::os object, 0 for none.
    pub object: u64,
}

/// A guest process.
pub struct Process {
    memory: Arc<GuestMemory>,
    kernel: Arc<Kernel>,
    registry: Arc<HostRegistry>,
    title: LinkedTitle,
    services: Services,
    host: Host,
    start: Instant,
    exit: Mutex<Option<Exit>>,
    exited: Condvar,
    svc_calls: AtomicU64,
    /// Thread-local regions of all threads ever made.
    regions: Mutex<Vec<(ThreadId, u64)>>,
}

impl std::fmt::Debug for Process {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Process").field("title", &self.title).finish_non_exhaustive()
    }
}

thread_local! {
    /// The guest thread this host thread runs, for the fault handler.
    static CURRENT: Cell<*const GuestThread> = const { Cell::new(std::ptr::null()) };
    /// Nested host functions: a fault inside one is the host's.
    static HOST_DEPTH: Cell<u32> = const { Cell::new(0) };
    /// Lowest address of this host thread's stack, 0 when unknown.
    static HOST_STACK: Cell<u64> = const { Cell::new(0) };
}

struct InHost;

impl InHost {
    fn enter() -> InHost {
        HOST_DEPTH.with(|depth| depth.set(depth.get() + 1));
        InHost
    }
}

impl Drop for InHost {
    fn drop(&mut self) {
        HOST_DEPTH.with(|depth| depth.set(depth.get() - 1));
    }
}

impl Process {
    pub(crate) fn new(
        memory: Arc<GuestMemory>,
        kernel: Arc<Kernel>,
        registry: Arc<HostRegistry>,
        title: LinkedTitle,
        services: Services,
        start: Instant,
    ) -> Arc<Process> {
        crate::memory::set_unexplained_fault(on_unexplained_fault);
        let process = Arc::new(Process {
            memory,
            kernel,
            registry,
            title,
            services,
            host: Host {
                abi_version: ABI_VERSION,
                size: size_of::<Host>() as u32,
                svc: host_svc,
                call: host_call,
                yield_now: host_yield,
                trap: host_trap,
                read_system_register: host_read_system_register,
            },
            start,
            exit: Mutex::new(None),
            exited: Condvar::new(),
            svc_calls: AtomicU64::new(0),
            regions: Mutex::default(),
        });
        process.title.object.attach(&process.host);
        process
    }

    /// Guest memory.
    pub fn memory(&self) -> &GuestMemory {
        &self.memory
    }

    /// Guest memory, shared.
    pub fn shared_memory(&self) -> Arc<GuestMemory> {
        Arc::clone(&self.memory)
    }

    /// The kernel.
    pub fn kernel(&self) -> &Arc<Kernel> {
        &self.kernel
    }

    /// The host functions.
    pub fn registry(&self) -> &Arc<HostRegistry> {
        &self.registry
    }

    /// The state of the nn:: functions.
    pub fn services(&self) -> &Services {
        &self.services
    }

    /// Modules and the lifted object.
    pub fn title(&self) -> &LinkedTitle {
        &self.title
    }

    /// A frame was presented: input, fixed-step time and frame counters go on. Returns the number of the frame that begins.
    pub fn next_frame(&self) -> u64 {
        self.kernel.next_frame()
    }

    /// Logs a step of the boot with the milliseconds since start.
    pub fn milestone(&self, what: &str) {
        tracing::info!(target: "milestone", ms = self.start.elapsed().as_millis() as u64, "{what}");
    }

    /// How many supervisor calls the guest made.
    pub fn svc_calls(&self) -> u64 {
        self.svc_calls.load(Ordering::Relaxed)
    }

    /// Makes a stopped guest thread.
    pub fn create_thread(self: &Arc<Self>, start: ThreadStart) -> Result<(ThreadId, Handle), ResultCode> {
        let tls =
            self.memory.allocate_local(TLS_SIZE, TLS_SIZE).map_err(|_| crate::kernel::results::OUT_OF_RESOURCE)?;
        self.memory.write_u64(tls + TLS_THREAD_OBJECT, start.object)?;
        let mut context = Box::new(Context::new(&self.host));
        context.sp = (start.stack.0 + start.stack.1) & !15;
        context.x[0] = start.argument;
        context.x[30] = self.registry.return_address();
        context.tpidrro_el0 = tls;
        let context = Box::into_raw(context);
        let thread =
            Arc::new(GuestThread { process: Arc::clone(self), id: OnceLock::new(), tls, stack: start.stack, context });
        // SAFETY: the context is leaked on purpose (lifted frames and reports may refer to it as long as the process exists); this writes its one
        // host field before any other thread can see it.
        let flag = unsafe {
            (*context).host_thread = Arc::into_raw(Arc::clone(&thread)) as *mut c_void;
            ContextFlag::new(&raw const (*context).yield_requested)
        };
        let description = ThreadDescription {
            name: start.name,
            priority: start.priority,
            core: start.core,
            flag: YieldFlag::Context(flag),
        };
        let entry = start.entry;
        let runner = Arc::clone(&thread);
        let (id, handle) = self.kernel.create_thread(
            description,
            Box::new(move |id| {
                let _ = runner.id.set(id);
                runner.process.run_thread(&runner, entry);
            }),
        )?;
        let _ = thread.id.set(id);
        self.regions.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((id, tls));
        Ok((id, handle))
    }

    /// nn::os objects of the threads that have not ended.
    pub(crate) fn thread_objects(&self) -> Vec<u64> {
        let mut regions = self.regions.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        regions.retain(|(id, _)| !self.kernel.has_exited(*id));
        let objects = regions.iter().filter_map(|(_, tls)| self.memory.read_u64(tls + TLS_THREAD_OBJECT).ok());
        objects.filter(|object| *object != 0).collect()
    }

    /// The body of a guest thread.
    fn run_thread(self: &Arc<Self>, thread: &Arc<GuestThread>, entry: u64) {
        let _stack = SignalStack::install();
        HOST_STACK.with(|low| low.set(host_stack_low()));
        CURRENT.with(|current| current.set(Arc::as_ptr(thread)));
        let context = NonNull::new(thread.context).expect("from a box");
        // SAFETY: the context is this thread's own and nobody else runs on it.
        let mut call = unsafe { GuestCall::new(context, thread) };
        let outcome = self.enter(&mut call, entry).and_then(|()| crate::nn::os_thread::at_exit(&mut call));
        if let Err(fault) = outcome {
            self.fault(&call, fault);
        }
        CURRENT.with(|current| current.set(std::ptr::null()));
    }

    /// Runs guest code or a host function at `pc` until it returns. Registers are as the caller set them.
    pub(crate) fn enter(self: &Arc<Self>, call: &mut GuestCall<'_>, pc: u64) -> Result<(), GuestFault> {
        if let Some(function) = self.registry.function_at(pc) {
            return function.invoke(call);
        }
        if !self.title.is_lifted(pc) {
            return Err(GuestFault::UnknownTarget { target: pc });
        }
        let depth = HOST_DEPTH.with(|depth| depth.replace(0));
        self.title.object.enter(call.context_pointer(), pc);
        HOST_DEPTH.with(|cell| cell.set(depth));
        Ok(())
    }

    /// Ends the process with a status; the calling guest thread does not return.
    pub fn exit_from_guest(&self, status: i32) -> ! {
        self.finish(Exit::Finished { status });
        self.end_current_thread()
    }

    /// Ends the process because of what the guest did; the calling guest thread does not return.
    pub fn fault(&self, call: &GuestCall<'_>, fault: GuestFault) -> ! {
        let pc = if let GuestFault::Trap { pc, .. } = &fault { Some(*pc) } else { None };
        self.fault_at(call, fault, pc)
    }

    /// As [`Process::fault`], with the guest's pc where it is known (elsewhere the context holds an old one).
    fn fault_at(&self, call: &GuestCall<'_>, fault: GuestFault, pc: Option<u64>) -> ! {
        let context = call.context();
        let mut frames = self.frames(context, call.thread());
        if let Some(pc) = pc.filter(|pc| self.title.module_of(*pc).is_some()) {
            frames.insert(0, pc);
        }
        let report = FaultReport {
            fault,
            thread: self.kernel.thread_name(call.thread_id()),
            backtrace: frames.iter().map(|pc| self.title.describe(*pc)).collect(),
            frames,
            registers: context.x.iter().copied().chain([context.sp]).collect(),
        };
        tracing::debug!(target: "guest", "{report}");
        self.finish(Exit::Fault(Box::new(report)));
        self.end_current_thread()
    }

    /// The calling guest thread gives its core up for good.
    fn end_current_thread(&self) -> ! {
        let thread = CURRENT.with(Cell::get);
        if !thread.is_null() {
            // SAFETY: CURRENT points to the thread object that this host thread's body keeps alive.
            self.kernel.exit_thread_here(unsafe { (*thread).id() });
        }
        crate::kernel::park_for_ever()
    }

    /// The guest's call chain: the link register, then the frame records that x29 leads to.
    pub(crate) fn frames(&self, context: &Context, thread: &GuestThread) -> Vec<u64> {
        let mut frames = Vec::new();
        let host = self.registry.return_address();
        if context.x[30] != host && context.x[30] != 0 {
            frames.push(context.x[30]);
        }
        let mut record = context.x[29];
        let (low, size) = thread.stack;
        while frames.len() < MAX_FRAMES && record.is_multiple_of(8) {
            let (Ok(next), Ok(link)) = (self.memory.read_u64(record), self.memory.read_u64(record.wrapping_add(8)))
            else {
                break;
            };
            if link != 0 && link != host && frames.last() != Some(&link) {
                frames.push(link);
            }
            // Frames lie upward on one stack; anything else is a broken chain.
            if next <= record || next >= low.saturating_add(size) {
                break;
            }
            record = next;
        }
        frames
    }

    pub(crate) fn finish(&self, exit: Exit) {
        let mut slot = self.exit.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if slot.is_none() {
            *slot = Some(exit);
        }
        drop(slot);
        // Before anybody who waits for the end leaves the program.
        self.services.fs.end();
        self.exited.notify_all();
        self.kernel.stop();
    }

    /// Waits until the process has ended, at most `limit`.
    pub fn wait(&self, limit: Option<Duration>) -> Option<Exit> {
        let mut slot = self.exit.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let end = limit.map(|limit| Instant::now() + limit);
        loop {
            if let Some(exit) = &*slot {
                return Some(exit.clone());
            }
            slot = match end {
                None => self.exited.wait(slot).unwrap_or_else(|poisoned| poisoned.into_inner()),
                Some(end) => {
                    let left = end.checked_duration_since(Instant::now())?;
                    self.exited.wait_timeout(slot, left).unwrap_or_else(|poisoned| poisoned.into_inner()).0
                }
            };
        }
    }
}

/// An alternate signal stack with room for a fault report; the previous one comes back on drop.
struct SignalStack {
    previous: libc::stack_t,
    _memory: Vec<u8>,
}

impl SignalStack {
    fn install() -> SignalStack {
        let mut memory = vec![0u8; 256 << 10];
        let stack = libc::stack_t { ss_sp: memory.as_mut_ptr().cast(), ss_flags: 0, ss_size: memory.len() };
        // SAFETY: the memory lives as long as self; the previous stack is put back before it goes.
        let previous = unsafe {
            let mut previous: libc::stack_t = std::mem::zeroed();
            libc::sigaltstack(&stack, &mut previous);
            previous
        };
        SignalStack { previous, _memory: memory }
    }
}

impl Drop for SignalStack {
    fn drop(&mut self) {
        // SAFETY: `previous` is what sigaltstack gave for this thread.
        unsafe { libc::sigaltstack(&self.previous, std::ptr::null_mut()) };
    }
}

/// A SIGSEGV that write tracking does not explain: the guest's if this thread was in lifted code.
fn on_unexplained_fault(info: &libc::siginfo_t, context_of_signal: *mut c_void) -> bool {
    let thread = CURRENT.with(Cell::get);
    if thread.is_null() || HOST_DEPTH.with(Cell::get) != 0 {
        return false;
    }
    // SAFETY: CURRENT points to the thread object that this host thread's body keeps alive.
    let thread = unsafe { &*thread };
    // SAFETY: the kernel filled si_addr for this signal.
    let address = unsafe { info.si_addr() } as u64;
    let Some(context) = NonNull::new(thread.context) else { return false };
    // SAFETY: lifted code on this thread is interrupted and never resumed, so nobody else uses the context. Lifted code holds no locks of the host.
    let call = unsafe { GuestCall::new(context, thread) };
    HOST_DEPTH.with(|depth| depth.set(1));
    let (stack, size) = thread.stack;
    let host_stack = HOST_STACK.with(Cell::get);
    let below = |low: u64| (low.saturating_sub(BELOW_STACK)..low).contains(&address);
    let fault = if below(stack) || (host_stack != 0 && (below(host_stack) || below(host_stack + BELOW_STACK))) {
        GuestFault::StackOverflow { address, size }
    } else {
        GuestFault::Access { address }
    };
    let function = instruction_of(context_of_signal).and_then(|ip| thread.process.title.object.function_at_host(ip));
    thread.process.fault_at(&call, fault, function)
}

/// How far below a stack an access still counts as its overflow: a large frame may skip the guard page.
const BELOW_STACK: u64 = 64 << 10;

/// The host instruction that a signal interrupted.
fn instruction_of(context: *mut c_void) -> Option<u64> {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    if !context.is_null() {
        // SAFETY: the kernel passes a ucontext_t to handlers installed with SA_SIGINFO.
        let registers = unsafe { &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
        return Some(registers[libc::REG_RIP as usize] as u64);
    }
    let _ = context;
    None
}

/// Lowest address of the calling thread's own stack, 0 when it cannot be told.
fn host_stack_low() -> u64 {
    // SAFETY: the attributes are initialised by pthread_getattr_np before they are read, and destroyed after.
    unsafe {
        let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &mut attributes) != 0 {
            return 0;
        }
        let (mut low, mut size) = (std::ptr::null_mut(), 0);
        let told = libc::pthread_attr_getstack(&attributes, &mut low, &mut size) == 0;
        libc::pthread_attr_destroy(&mut attributes);
        if told { low as u64 } else { 0 }
    }
}

/// # Safety
/// `context` is one that [`Process::create_thread`] made, on the host thread that runs it.
unsafe fn call_of<'a>(context: *mut Context) -> GuestCall<'a> {
    // SAFETY: host_thread was set from a leaked Arc before the thread started.
    unsafe {
        let thread = &*((*context).host_thread as *const GuestThread);
        GuestCall::new(NonNull::new_unchecked(context), thread)
    }
}

/// Runs a host function's body: a panic or an error ends the guest process with a report.
fn guarded(call: &mut GuestCall<'_>, function: &str, body: impl FnOnce(&mut GuestCall<'_>) -> Result<(), GuestFault>) {
    let in_host = InHost::enter();
    let outcome = catch_unwind(AssertUnwindSafe(|| body(call))).unwrap_or_else(|panic| {
        let message = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned());
        Err(GuestFault::Host { function: function.to_owned(), message: message.unwrap_or_else(|| "panic".into()) })
    });
    if let Err(fault) = outcome {
        let pc = (function == "svc").then(|| call.context().pc);
        call.process().fault_at(call, fault, pc);
    }
    call.poll();
    drop(in_host);
}

unsafe extern "C" fn host_svc(context: *mut Context, immediate: u32) {
    // SAFETY: lifted code passes its thread's own context.
    let mut call = unsafe { call_of(context) };
    call.process().svc_calls.fetch_add(1, Ordering::Relaxed);
    guarded(&mut call, "svc", |call| svc::dispatch(call, immediate));
}

unsafe extern "C" fn host_call(context: *mut Context, target: u64) {
    // SAFETY: lifted code passes its thread's own context.
    let mut call = unsafe { call_of(context) };
    let process = call.process();
    match process.registry.function_at(target) {
        Some(function) => guarded(&mut call, function.name(), |call| function.invoke(call)),
        None if target == process.registry.return_address() => {}
        None => {
            let _in_host = InHost::enter();
            process.fault(&call, GuestFault::UnknownTarget { target });
        }
    }
}

unsafe extern "C" fn host_yield(context: *mut Context) {
    // SAFETY: lifted code passes its thread's own context.
    let call = unsafe { call_of(context) };
    let _in_host = InHost::enter();
    call.kernel().poll(call.thread_id());
}

unsafe extern "C" fn host_trap(context: *mut Context, pc: u64, word: u32, what: *const c_char) -> ! {
    let _in_host = InHost::enter();
    // SAFETY: lifted code passes its thread's own context; pc is a plain field.
    let call = unsafe {
        (*context).pc = pc;
        call_of(context)
    };
    let what = if what.is_null() {
        "unknown instruction".to_owned()
    } else {
        // SAFETY: the lifter emits NUL-terminated literals.
        unsafe { CStr::from_ptr(what) }.to_string_lossy().into_owned()
    };
    call.process().fault(&call, GuestFault::Trap { pc, word, what })
}

/// op0:op1:CRn:CRm:op2 with op0's upper bit left out.
const CNTFRQ_EL0: u32 = 0x5F00;
const CNTPCT_EL0: u32 = 0x5F01;
const CNTVCT_EL0: u32 = 0x5F02;

unsafe extern "C" fn host_read_system_register(context: *mut Context, which: u32) -> u64 {
    // SAFETY: lifted code passes its thread's own context.
    let call = unsafe { call_of(context) };
    let _in_host = InHost::enter();
    match which & 0x7FFF {
        CNTFRQ_EL0 => TICK_FREQUENCY,
        CNTPCT_EL0 | CNTVCT_EL0 => call.kernel().read_ticks(),
        other => {
            let fault = GuestFault::Trap {
                pc: call.context().pc,
                word: other,
                what: format!("system register {other:#06x} is not the host's"),
            };
            call.process().fault(&call, fault)
        }
    }
}

/// Fills the nn::os object of a thread that the host made itself (the main thread).
pub(crate) fn write_thread_object(
    memory: &GuestMemory,
    object: u64,
    fields: &thread_type::Fields<'_>,
) -> Result<(), GuestFault> {
    thread_type::write(memory, object, fields)?;
    Ok(())
}
