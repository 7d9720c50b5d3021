//! The SDK functions that titles import (catalogue A-016): one small typed function per mangled name.

pub mod arena;
mod diag;
pub mod fs;
pub mod hid;
mod init;
pub mod layout;
mod libc_format;
mod libc_functions;
mod oe;
mod os_memory;
mod os_sync;
pub(crate) mod os_thread;
mod pthread;
mod save;
mod vi;

pub(crate) use init::{has_allocator, initialize_allocator};
pub(crate) use libc_functions::take_at_exit;

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use ferrograph_media::input::PadSource;

use crate::random::SplitMix;
use crate::registry::HostRegistry;

/// What the person who plays can choose, as titles see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Docked (1920x1080, FullKey pad) or handheld (1280x720).
    pub docked: bool,
    /// Language code, at most 8 bytes: "en-US".
    pub language: String,
    /// Seed of random numbers.
    pub seed: u64,
    /// Seconds since 1970 that the guest's wall clock starts at; `None` takes the host's.
    pub wall_clock: Option<i64>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { docked: true, language: "en-US".into(), seed: 0, wall_clock: None }
    }
}

/// State of the SDK functions of one process.
pub struct Services {
    pub(crate) settings: Settings,
    pub(crate) fs: fs::FileSystem,
    pub(crate) hid: Mutex<hid::Hid>,
    pub(crate) vi: Mutex<vi::Vi>,
    pub(crate) init: Mutex<init::Allocators>,
    pub(crate) memory: Mutex<os_memory::Blocks>,
    pub(crate) os: Mutex<os_thread::OsState>,
    pub(crate) random: Mutex<SplitMix>,
    pub(crate) libc: Mutex<libc_functions::LibcState>,
    pub(crate) pthread: Mutex<pthread::PthreadState>,
}

impl Services {
    /// Fresh state over a title's files, read with `pads`.
    pub(crate) fn new(
        settings: Settings,
        romfs: PathBuf,
        saves: Option<PathBuf>,
        read_delay: Duration,
        pads: Box<dyn PadSource>,
    ) -> Services {
        let random = Mutex::new(SplitMix::new(settings.seed));
        let docked = settings.docked;
        Services {
            settings,
            fs: fs::FileSystem::new(romfs, saves, read_delay),
            hid: Mutex::new(hid::Hid::new(pads, docked)),
            vi: Mutex::default(),
            init: Mutex::default(),
            memory: Mutex::default(),
            os: Mutex::default(),
            random,
            libc: Mutex::default(),
            pthread: Mutex::default(),
        }
    }

    /// The choices of the person who plays.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // A panic in a host function ends the guest process; the state is only read for reports then.
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Registers every function of this crate. Other crates add theirs before or after.
pub fn register(registry: &HostRegistry) {
    os_thread::register(registry);
    os_sync::register(registry);
    os_memory::register(registry);
    init::register(registry);
    fs::register(registry);
    save::register(registry);
    hid::register(registry);
    vi::register(registry);
    oe::register(registry);
    diag::register(registry);
    libc_functions::register(registry);
    libc_format::register(registry);
    pthread::register(registry);
}
