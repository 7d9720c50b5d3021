//! The API's state outside guest memory, and the device's functions.

use crate::call::{Call, Outcome};
use crate::command::CommandBuffers;
use crate::objects::{Device, DeviceBuilder, load, update};
use nvn_decode::record::{DeviceFacts, Fence, Op, Writer};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Takes finished records, and knows what the GPU has completed.
pub trait GpuSink: Send + std::marker::Sync {
    /// Takes records in order. What the CPU wrote before this call is visible to them; the sink has taken its snapshot when the call returns.
    fn submit(&self, stream: Vec<u8>);

    /// Waits until this fence of this sync object has signalled.
    fn wait(&self, sync: u64, value: u64, timeout: Duration) -> SyncOutcome;

    /// Waits until everything submitted is complete.
    fn finish(&self);

    /// Nanoseconds on the GPU's clock.
    fn timestamp(&self) -> u64;
}

/// Result of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncOutcome {
    /// It was signalled before.
    Already,
    /// It signalled while waiting.
    Satisfied,
    /// The time ran out.
    Timeout,
    /// The device is lost.
    Failed,
}

/// Facts the title is told about its API.
#[derive(Debug, Clone)]
pub struct Options {
    /// API version, major.
    pub api_major: u32,
    /// API version, minor.
    pub api_minor: u32,
    /// What is done wrongly on purpose, for proofs that a test notices.
    pub mutants: Mutants,
}

/// What a plain implementation would do instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mutants {
    /// Commands keep the caller's pointers, which are followed when the command buffer ends (rows R-001a, R-066b).
    pub keep_pointers: bool,
    /// Submissions wait for the next flush, so that they see what the CPU writes after them (row M-1.9e).
    pub submit_late: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { api_major: 53, api_minor: 313, mutants: Mutants::default() }
    }
}

/// The API's state: one per guest.
pub struct Nvn {
    /// What titles are told.
    pub options: Options,
    sink: Box<dyn GpuSink>,
    stream: Mutex<Writer>,
    /// Command buffers by row.
    pub(crate) command_buffers: CommandBuffers,
    /// Values fenced so far, by sync id.
    syncs: Mutex<HashMap<u64, u64>>,
    /// Where each function lives in the guest's address space; filled by the host.
    addresses: Mutex<HashMap<&'static str, u64>>,
    pub(crate) next_pool: AtomicU32,
    pub(crate) next_program: AtomicU32,
    pub(crate) next_queue: AtomicU32,
    pub(crate) next_window: AtomicU32,
    pub(crate) next_debug_id: AtomicU32,
    next_sync: AtomicU64,
    next_domain: AtomicU32,
    warned: Mutex<std::collections::HashSet<&'static str>>,
}

impl std::fmt::Debug for Nvn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Nvn").field("options", &self.options).finish_non_exhaustive()
    }
}

/// A lock whose holder panicked still guards plain data: go on with it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Nvn {
    /// A fresh API over a sink.
    #[must_use]
    pub fn new(options: Options, sink: Box<dyn GpuSink>) -> Self {
        Self {
            options,
            sink,
            stream: Mutex::default(),
            command_buffers: CommandBuffers::default(),
            syncs: Mutex::default(),
            addresses: Mutex::default(),
            next_pool: AtomicU32::new(0),
            next_program: AtomicU32::new(1),
            next_queue: AtomicU32::new(0),
            next_window: AtomicU32::new(0),
            next_debug_id: AtomicU32::new(1),
            next_sync: AtomicU64::new(1),
            next_domain: AtomicU32::new(1),
            warned: Mutex::default(),
        }
    }

    /// Appends to the record stream.
    pub fn record(&self, write: impl FnOnce(&mut Writer)) {
        write(&mut lock(&self.stream));
    }

    /// Hands everything recorded so far to the sink.
    pub fn flush(&self) {
        let bytes = std::mem::take(&mut lock(&self.stream).bytes);
        if !bytes.is_empty() {
            self.sink.submit(bytes);
        }
    }

    /// The sink.
    #[must_use]
    pub fn sink(&self) -> &dyn GpuSink {
        &*self.sink
    }

    /// Tells where functions can be called by the guest.
    pub fn set_addresses(&self, addresses: impl IntoIterator<Item = (&'static str, u64)>) {
        lock(&self.addresses).extend(addresses);
    }

    /// The guest address of a function, 0 when there is none.
    #[must_use]
    pub fn address_of(&self, name: &str) -> u64 {
        lock(&self.addresses).get(name).copied().unwrap_or(0)
    }

    /// Says once that a function has no body.
    pub(crate) fn warn_once(&self, name: &'static str, lacking: &'static str) {
        if lock(&self.warned).insert(name) {
            tracing::warn!(function = name, "the title calls a function that has no effect here: {lacking}");
        }
    }

    /// Says once that a function has a part of its effect.
    pub(crate) fn note_once(&self, name: &'static str, lacking: &'static str) {
        if lock(&self.warned).insert(name) {
            tracing::info!(function = name, "the title calls a function that has a part of its effect here: {lacking}");
        }
    }

    /// A fresh sync id.
    pub(crate) fn new_sync(&self) -> u64 {
        self.next_sync.fetch_add(1, Ordering::Relaxed)
    }

    /// The record of the next fence of a sync object.
    pub(crate) fn fence(&self, sync: u64, queue: u32, condition: u32) -> Fence {
        let mut syncs = lock(&self.syncs);
        let value = syncs.entry(sync).or_insert(0);
        *value += 1;
        Fence { sync, value: *value, queue, condition }
    }

    /// The last fence of a sync object; 0 = never fenced.
    pub(crate) fn last_fence(&self, sync: u64) -> u64 {
        lock(&self.syncs).get(&sync).copied().unwrap_or(0)
    }

    /// Forgets a sync object.
    pub(crate) fn forget_sync(&self, sync: u64) {
        lock(&self.syncs).remove(&sync);
    }
}

/// `nvnDeviceBuilderSetDefaults`.
pub(crate) fn builder_set_defaults(call: &mut Call<'_>) -> Outcome {
    call.write(call.x[0], &DeviceBuilder::fresh())?;
    Ok(0)
}

/// `nvnDeviceBuilderSetFlags`.
pub(crate) fn builder_set_flags(call: &mut Call<'_>) -> Outcome {
    let flags = call.word(1);
    update(call, call.x[0], |b: &mut DeviceBuilder| b.flags = flags)
}

/// `nvnDeviceBuilderGetFlags`.
pub(crate) fn builder_get_flags(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(load::<DeviceBuilder>(call, call.x[0])?.flags))
}

/// `nvnDeviceInitialize`.
pub(crate) fn initialize(call: &mut Call<'_>) -> Outcome {
    let builder: DeviceBuilder = load(call, call.x[1])?;
    let device = Device { flags: builder.flags, ..Device::fresh() };
    call.write(call.x[0], &device)?;
    record_facts(call, &device);
    Ok(1)
}

/// `nvnDeviceFinalize`.
pub(crate) fn finalize(call: &mut Call<'_>) -> Outcome {
    call.nvn.flush();
    call.write(call.x[0], &0u32)?;
    Ok(0)
}

fn record_facts(call: &Call<'_>, device: &Device) {
    let facts = DeviceFacts {
        window_origin: device.window_origin,
        depth_mode: device.depth_mode,
        api_major: call.nvn.options.api_major,
        api_minor: call.nvn.options.api_minor,
    };
    call.nvn.record(|w| w.record(Op::Device, 0, &facts));
}

/// `nvnDeviceSetWindowOriginMode`.
pub(crate) fn set_window_origin_mode(call: &mut Call<'_>) -> Outcome {
    let mode = call.index(1, "window origin mode", 2)? as u32;
    update(call, call.x[0], |d: &mut Device| d.window_origin = mode)?;
    record_facts(call, &load(call, call.x[0])?);
    Ok(0)
}

/// `nvnDeviceGetWindowOriginMode`.
pub(crate) fn get_window_origin_mode(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(load::<Device>(call, call.x[0])?.window_origin))
}

/// `nvnDeviceSetDepthMode`.
pub(crate) fn set_depth_mode(call: &mut Call<'_>) -> Outcome {
    let mode = call.index(1, "depth mode", 2)? as u32;
    update(call, call.x[0], |d: &mut Device| d.depth_mode = mode)?;
    record_facts(call, &load(call, call.x[0])?);
    Ok(0)
}

/// `nvnDeviceGetDepthMode`.
pub(crate) fn get_depth_mode(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(load::<Device>(call, call.x[0])?.depth_mode))
}

/// `nvnDeviceGetProcAddress`, and `nvnBootstrapLoader` with the name in x0.
pub(crate) fn get_proc_address(call: &mut Call<'_>) -> Outcome {
    let name = call.text(call.x[1])?;
    Ok(call.nvn.address_of(&name))
}

/// `nvnBootstrapLoader`.
pub(crate) fn bootstrap_loader(call: &mut Call<'_>) -> Outcome {
    let name = call.text(call.x[0])?;
    Ok(call.nvn.address_of(&name))
}

/// `nvnDeviceGetInteger`. Works without a device; an unknown id gives 0.
pub(crate) fn get_integer(call: &mut Call<'_>) -> Outcome {
    let id = call.word(1);
    let value = match id {
        0 => call.nvn.options.api_major,
        1 => call.nvn.options.api_minor,
        _ => crate::table::device_info(id).unwrap_or_else(|| {
            tracing::warn!(id, "nvnDeviceGetInteger: no value is known for this id; the title is told 0");
            0
        }),
    };
    call.write_out(call.x[2], &value)?;
    Ok(0)
}

/// `nvnDeviceGetTextureHandle`.
pub(crate) fn get_texture_handle(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(call.word(1) & 0xF_FFFF | call.word(2) << 20))
}

/// `nvnDeviceGetTexelFetchHandle`, `nvnDeviceGetImageHandle`, `nvnDeviceGetSeparateTextureHandle`.
pub(crate) fn get_texture_only_handle(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(call.word(1) & 0xF_FFFF))
}

/// `nvnDeviceGetSeparateSamplerHandle`.
pub(crate) fn get_separate_sampler_handle(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(call.word(1) << 20))
}

/// `nvnDeviceGetCurrentTimestampInNanoseconds`.
pub(crate) fn get_current_timestamp(call: &mut Call<'_>) -> Outcome {
    Ok(call.nvn.sink().timestamp())
}

/// `nvnDeviceGetTimestampInNanoseconds`: the counter's timestamp field.
pub(crate) fn get_timestamp(call: &mut Call<'_>) -> Outcome {
    call.read(call.x[1].wrapping_add(8))
}

/// `nvnDeviceGenerateDebugDomainId`.
pub(crate) fn generate_debug_domain_id(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(call.nvn.next_domain.fetch_add(1, Ordering::Relaxed)))
}
