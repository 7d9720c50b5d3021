//! Booting a title whose SDK boundary is the host.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ferrograph_media::input::{PadSet, PadSource};

use crate::call::GuestCall;
use crate::fault::{Exit, GuestFault};
use crate::kernel::{Kernel, ProcessLimits};
use crate::knob::Knob;
use crate::loader::{self, LiftedObject, LinkSummary, LinkedTitle, LoadError};
use crate::memory::{GuestMemory, HEAP_GRANULE, MemoryError, MemoryOptions};
use crate::nn::layout::thread_type;
use crate::nn::os_thread::PRIORITY_OFFSET;
use crate::nn::{self, Services, Settings};
use crate::process::{Process, ThreadStart, write_thread_object};
use crate::registry::HostRegistry;
use crate::time::TimeMode;
use crate::title::{TitleDir, TitleError};

/// How a title is run.
pub struct Options {
    /// Guest memory.
    pub memory: MemoryOptions,
    /// Real time, or a fixed step for runs that repeat.
    pub time: TimeMode,
    /// What the title can be told about the player's choices.
    pub settings: Settings,
    /// The pad; `None` leaves it unconnected.
    pub pads: Option<Box<dyn PadSource>>,
    /// Where save data is kept, in a folder for each title; without it, it lasts for the run.
    pub saves: Option<PathBuf>,
    /// How much longer each file read takes than the host's disk needs, to see what a title does on a slow one.
    pub read_delay: Duration,
    /// A planted fault, for tests.
    pub knob: Option<Knob>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            memory: MemoryOptions::default(),
            time: TimeMode::Real,
            settings: Settings::default(),
            pads: None,
            saves: None,
            read_delay: Duration::ZERO,
            knob: None,
        }
    }
}

/// Why a title did not start.
#[derive(Debug, thiserror::Error)]
pub enum BootError {
    /// The folder is no title: exit status 2.
    #[error(transparent)]
    Title(#[from] TitleError),
    /// Its lifted code does not fit: exit status 1.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// No guest memory: exit status 1.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The registry's addresses are not those of the memory layout.
    #[error(
        "host functions were registered for {registered:#x}, but the guest's memory keeps {layout:#x} for them; make both with the same layout"
    )]
    Registry {
        /// The registry's region.
        registered: u64,
        /// The layout's region.
        layout: u64,
    },
    /// Nobody exports `nnMain`.
    #[error("no module of the title exports nnMain; is exefs/main the title's own program?")]
    NoMain,
    /// The kernel refused the main thread.
    #[error("the main thread could not be made: {0}")]
    MainThread(crate::kernel::ResultCode),
    /// Guest memory for the main thread failed.
    #[error("the main thread's objects could not be written: {0}")]
    MainThreadObject(GuestFault),
}

impl BootError {
    /// The program's exit status: 2 when the input is wrong, 1 otherwise.
    pub fn status(&self) -> i32 {
        match self {
            BootError::Title(_) | BootError::NoMain => 2,
            _ => 1,
        }
    }
}

/// A title that runs, or has run.
#[derive(Debug)]
pub struct Guest {
    process: Arc<Process>,
}

impl Guest {
    /// Links a title's modules, starts its main thread and returns at once. `lifted` is its shared object; `registry` holds what other crates offer, the
    /// functions of this crate are added here where nobody else has the name.
    pub fn boot(
        title: TitleDir,
        lifted: &Path,
        registry: Arc<HostRegistry>,
        options: Options,
    ) -> Result<Guest, BootError> {
        let memory = Arc::new(GuestMemory::new(&options.memory)?);
        Self::boot_in(memory, title, lifted, registry, options)
    }

    /// The same in memory that was made before, so that others (the graphics API's decoder, a trace) can hold it before the title runs.
    pub fn boot_in(
        memory: Arc<GuestMemory>,
        title: TitleDir,
        lifted: &Path,
        registry: Arc<HostRegistry>,
        options: Options,
    ) -> Result<Guest, BootError> {
        let start = Instant::now();
        let layout = memory.layout();
        if registry.region() != layout.host_text {
            return Err(BootError::Registry { registered: registry.region().base, layout: layout.host_text.base });
        }
        registry.register_missing(nn::register);
        let npdm = title.npdm.clone();
        let romfs = title.romfs();
        let modules = loader::place_modules(title.modules, layout.code.base);
        let object = LiftedObject::open(lifted, &modules)?;
        let summary = loader::link_with(&memory, &registry, &modules, options.knob)?;
        log_links(&summary, object.unknown_instructions());
        let linked = LinkedTitle::new(modules, object, summary);
        let main = linked.exported("nnMain").ok_or(BootError::NoMain)?;

        let limits = ProcessLimits {
            priorities: npdm.priorities,
            core_mask: npdm.core_mask,
            default_core: npdm.default_core,
            handles: npdm.handle_table_size as usize,
            program_id: npdm.program_id,
            system_resource: u64::from(npdm.system_resource_size),
        };
        let kernel = Kernel::new(Arc::clone(&memory), limits, options.time);
        if let Some(knob) = options.knob {
            kernel.plant(knob);
        }
        let saves = options.saves.map(|folder| folder.join(format!("{:016x}", npdm.program_id)));
        let pads = options.pads.unwrap_or_else(|| Box::new(PadSet::new()));
        let services = Services::new(options.settings, romfs, saves, options.read_delay, pads);
        // The boot sequence itself is a host function, so that the main thread enters it as it would enter guest code.
        let entry = registry.register("ferrograph boot", move |call| run_title(call, main));
        let process = Process::new(memory, kernel, registry, linked, services, start);
        process.milestone("modules linked");
        let guest = Guest { process };
        guest.start_main_thread(entry, npdm.main_thread_stack_size, npdm.main_thread_priority, npdm.default_core)?;
        Ok(guest)
    }

    fn start_main_thread(&self, entry: u64, stack_size: u32, priority: u8, core: u8) -> Result<(), BootError> {
        let process = &self.process;
        let stack = (process.memory().allocate_stack(u64::from(stack_size))?, u64::from(stack_size));
        let object = process.memory().allocate_local(thread_type::SIZE, 16)?;
        let arguments = process.memory().allocate_local(0x40, 16)?;
        let written = (|| -> Result<(), GuestFault> {
            process.memory().write_u64(arguments, arguments + 0x10)?;
            crate::memory::GuestWrite::write(process.memory(), arguments + 0x10, b"main\0")?;
            Ok(())
        })();
        written.map_err(BootError::MainThreadObject)?;
        nn::locked(&process.services().os).set_arguments(1, arguments);
        let start = ThreadStart {
            name: "MainThread".into(),
            entry,
            argument: 0,
            stack,
            priority,
            core: Some(usize::from(core)),
            object,
        };
        let (id, handle) = process.create_thread(start).map_err(BootError::MainThread)?;
        let fields = thread_type::Fields {
            state: thread_type::state::STARTED,
            priority: i32::from(priority) - PRIORITY_OFFSET,
            stack,
            entry: (entry, 0),
            name: "MainThread",
            handle,
            thread_id: id.number(),
        };
        write_thread_object(process.memory(), object, &fields).map_err(BootError::MainThreadObject)?;
        process.kernel().start_thread(id).map_err(BootError::MainThread)
    }

    /// The process, for other parts of the program (the presenter calls [`Process::next_frame`]).
    pub fn process(&self) -> &Arc<Process> {
        &self.process
    }

    /// Waits until the title has ended.
    pub fn wait(&self) -> Exit {
        loop {
            if let Some(exit) = self.process.wait(Some(Duration::from_secs(3600))) {
                return exit;
            }
        }
    }

    /// Waits until the title has ended, at most `limit`.
    pub fn wait_for(&self, limit: Duration) -> Option<Exit> {
        self.process.wait(Some(limit))
    }

    /// Ends the title from outside (the window was closed): every guest thread stops at its next poll, wait or host call. True if all did within a
    /// second.
    pub fn stop(&self) -> bool {
        self.process.finish(Exit::Finished { status: 0 });
        self.process.kernel().wait_quiet(Duration::from_secs(1))
    }
}

fn log_links(summary: &LinkSummary, unknown: u64) {
    tracing::info!(
        host = summary.host,
        modules = summary.modules,
        weak = summary.weak.len(),
        unresolved = summary.unresolved.len(),
        "imports resolved"
    );
    for name in &summary.unresolved {
        tracing::debug!(target: "imports", "nobody implements {}", loader::demangle(name));
    }
    if unknown > 0 {
        tracing::warn!(unknown, "instructions that the lifter did not know; reaching one ends the title");
    }
}

/// The part of the SDK's start-up that runs on the main thread.
fn run_title(call: &mut GuestCall<'_>, main: u64) -> Result<(), GuestFault> {
    let process = Arc::clone(call.process());
    let title = process.title();
    for hook in ["nninitInitializeSdkModule", "nninitInitializeAbortObserver", "nndiagStartup"] {
        if let Some(address) = title.exported(hook) {
            call.call_guest(address, &[])?;
        }
    }
    match title.exported("nninitStartup") {
        Some(address) => {
            call.call_guest(address, &[])?;
        }
        None => default_startup(call)?,
    }
    let constructors: Vec<u64> = title.modules.iter().rev().flat_map(|module| module.constructors()).collect();
    for constructor in constructors {
        call.call_guest(constructor, &[])?;
    }
    process.milestone("constructors done");
    process.milestone("nnMain entered");
    call.call_guest(main, &[])?;
    process.milestone("nnMain returned");
    for (function, argument) in nn::take_at_exit(call) {
        call.call_guest(function, &[argument])?;
    }
    let destructors: Vec<u64> = title.modules.iter().flat_map(|module| module.destructors()).collect();
    for destructor in destructors {
        call.call_guest(destructor, &[])?;
    }
    if let Some(address) = title.exported("nninitFinalizeSdkModule") {
        call.call_guest(address, &[])?;
    }
    process.exit_from_guest(0)
}

/// What the SDK does for a title without `nninitStartup`: a heap with malloc over all of it.
fn default_startup(call: &mut GuestCall<'_>) -> Result<(), GuestFault> {
    if nn::has_allocator(call) {
        return Ok(());
    }
    let size = (512u64 << 20).min(call.memory().layout().heap.size / 2) / HEAP_GRANULE * HEAP_GRANULE;
    let base = call.kernel().set_heap_size(size).map_err(GuestFault::Kernel)?;
    nn::initialize_allocator(call, base, size)
}
