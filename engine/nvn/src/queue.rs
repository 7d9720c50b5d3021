//! Queues, syncs and windows.

use crate::call::{Call, CallError, Outcome};
use crate::device::SyncOutcome;
use crate::objects::{Object, Queue, QueueBuilder, Sync, Texture, Window, WindowBuilder, load, update};
use nvn_decode::record::{Op, PresentTexture, Submit, TextureRef, Window as WindowRecord};
use std::sync::atomic::Ordering;
use std::time::Duration;

fn queue_builder_defaults(device: u64) -> QueueBuilder {
    QueueBuilder {
        device,
        compute: 0x4_0000,
        command: 0x1_0000,
        control: 0x4000,
        threshold: 0x1000,
        ..QueueBuilder::fresh()
    }
}

/// `nvnQueueBuilderSetDevice`.
pub(crate) fn builder_set_device(call: &mut Call<'_>) -> Outcome {
    let mut builder: QueueBuilder = call.read(call.x[0])?;
    if builder.tag != QueueBuilder::TAG {
        builder = queue_builder_defaults(0);
    }
    builder.device = call.x[1];
    call.write(call.x[0], &builder)?;
    Ok(0)
}

/// `nvnQueueBuilderSetDefaults`.
pub(crate) fn builder_set_defaults(call: &mut Call<'_>) -> Outcome {
    let old: QueueBuilder = call.read(call.x[0])?;
    let device = if old.tag == QueueBuilder::TAG { old.device } else { 0 };
    call.write(call.x[0], &queue_builder_defaults(device))?;
    Ok(0)
}

macro_rules! queue_builder_words {
    ($($set:ident $field:ident;)*) => { $(
        /// Sets one value of a queue builder.
        pub(crate) fn $set(call: &mut Call<'_>) -> Outcome {
            let value = call.word(1);
            update(call, call.x[0], |b: &mut QueueBuilder| b.$field = value)
        }
    )* };
}

queue_builder_words! {
    builder_set_flags flags;
    builder_set_command_memory_size command;
    builder_set_compute_memory_size compute;
    builder_set_control_memory_size control;
    builder_set_command_flush_threshold threshold;
    builder_set_queue_priority priority;
}

/// `nvnQueueBuilderGetQueueMemorySize`: what the sizes add up to, in pages.
pub(crate) fn builder_get_queue_memory_size(call: &mut Call<'_>) -> Outcome {
    let builder: QueueBuilder = load(call, call.x[0])?;
    let sum = u64::from(builder.command) + u64::from(builder.compute) + u64::from(builder.control);
    Ok(sum.next_multiple_of(0x1000).max(0x1000))
}

/// `nvnQueueBuilderSetQueueMemory`.
pub(crate) fn builder_set_queue_memory(call: &mut Call<'_>) -> Outcome {
    let (memory, size) = (call.x[1], call.x[2]);
    update(call, call.x[0], |b: &mut QueueBuilder| (b.memory, b.memory_size) = (memory, size))
}

/// `nvnQueueInitialize`.
pub(crate) fn initialize(call: &mut Call<'_>) -> Outcome {
    load::<QueueBuilder>(call, call.x[1])?;
    let ordinal = call.nvn.next_queue.fetch_add(1, Ordering::Relaxed);
    call.write(call.x[0], &Queue { ordinal, ..Queue::fresh() })?;
    Ok(1)
}

/// `nvnQueueFinalize`.
pub(crate) fn finalize(call: &mut Call<'_>) -> Outcome {
    finish(call)?;
    call.write(call.x[0], &0u32)?;
    Ok(0)
}

/// `nvnQueueGetError`: no error.
pub(crate) fn get_error(_: &mut Call<'_>) -> Outcome {
    Ok(0)
}

/// `nvnQueueSubmitCommands`. What the CPU wrote before the call is what the commands see, so the snapshot is taken here and not at a later flush.
pub(crate) fn submit_commands(call: &mut Call<'_>) -> Outcome {
    let queue: Queue = load(call, call.x[0])?;
    let count = call.count(1, "number of command handles", 4096)?;
    let handles: Vec<u64> = call.read_slice(call.x[2], count)?;
    call.nvn.record(|writer| {
        let head = Submit { queue: queue.ordinal, count: handles.len() as u32 };
        writer.open(Op::Submit, 0, bytemuck::bytes_of(&head)).bytes(bytemuck::cast_slice(&handles)).close();
    });
    if !call.nvn.options.mutants.submit_late {
        hand_over(call);
    }
    Ok(0)
}

/// Hands the stream to the sink while other guest threads may run.
fn hand_over(call: &mut Call<'_>) {
    let nvn = call.nvn;
    (call.block)(&mut || nvn.flush());
}

/// `nvnQueueFlush`.
pub(crate) fn flush(call: &mut Call<'_>) -> Outcome {
    load::<Queue>(call, call.x[0])?;
    hand_over(call);
    Ok(0)
}

/// `nvnQueueFinish`.
pub(crate) fn finish(call: &mut Call<'_>) -> Outcome {
    load::<Queue>(call, call.x[0])?;
    let nvn = call.nvn;
    (call.block)(&mut || {
        nvn.flush();
        nvn.sink().finish();
    });
    Ok(0)
}

/// `nvnQueueFenceSync`.
pub(crate) fn fence_sync(call: &mut Call<'_>) -> Outcome {
    let queue: Queue = load(call, call.x[0])?;
    let sync: Sync = load(call, call.x[1])?;
    let fence = call.nvn.fence(sync.id, queue.ordinal, call.word(2));
    call.nvn.record(|w| w.record(Op::FenceSync, 0, &fence));
    Ok(0)
}

/// `nvnQueueWaitSync`. A sync that was never fenced is no wait.
pub(crate) fn wait_sync(call: &mut Call<'_>) -> Outcome {
    let queue: Queue = load(call, call.x[0])?;
    let sync: Sync = load(call, call.x[1])?;
    let value = call.nvn.last_fence(sync.id);
    let fence = nvn_decode::record::Fence { sync: sync.id, value, queue: queue.ordinal, condition: 0 };
    call.nvn.record(|w| w.record(Op::WaitSync, 0, &fence));
    Ok(1)
}

/// `nvnSyncInitialize`.
pub(crate) fn sync_initialize(call: &mut Call<'_>) -> Outcome {
    call.write(call.x[0], &Sync { id: call.nvn.new_sync(), ..Sync::fresh() })?;
    Ok(1)
}

/// `nvnSyncFinalize`.
pub(crate) fn sync_finalize(call: &mut Call<'_>) -> Outcome {
    let sync: Sync = load(call, call.x[0])?;
    call.nvn.forget_sync(sync.id);
    call.write(call.x[0], &0u32)?;
    Ok(0)
}

/// `nvnSyncWait`. A sync that was never fenced must not block.
pub(crate) fn sync_wait(call: &mut Call<'_>) -> Outcome {
    let sync: Sync = load(call, call.x[0])?;
    let value = call.nvn.last_fence(sync.id);
    if value == 0 {
        return Ok(0);
    }
    let timeout = Duration::from_nanos(call.x[1]);
    let mut outcome = SyncOutcome::Failed;
    let nvn = call.nvn;
    (call.block)(&mut || {
        nvn.flush();
        outcome = nvn.sink().wait(sync.id, value, timeout);
    });
    Ok(match outcome {
        SyncOutcome::Already => 0,
        SyncOutcome::Satisfied => 1,
        SyncOutcome::Timeout => 2,
        SyncOutcome::Failed => 3,
    })
}

/// `nvnWindowBuilderSetDevice`.
pub(crate) fn window_builder_set_device(call: &mut Call<'_>) -> Outcome {
    let mut builder: WindowBuilder = call.read(call.x[0])?;
    if builder.tag != WindowBuilder::TAG {
        builder = WindowBuilder { interval: 1, ..WindowBuilder::fresh() };
    }
    builder.device = call.x[1];
    call.write(call.x[0], &builder)?;
    Ok(0)
}

/// `nvnWindowBuilderSetDefaults`.
pub(crate) fn window_builder_set_defaults(call: &mut Call<'_>) -> Outcome {
    let old: WindowBuilder = call.read(call.x[0])?;
    let device = if old.tag == WindowBuilder::TAG { old.device } else { 0 };
    call.write(call.x[0], &WindowBuilder { device, interval: 1, ..WindowBuilder::fresh() })?;
    Ok(0)
}

/// `nvnWindowBuilderSetNativeWindow`.
pub(crate) fn window_builder_set_native_window(call: &mut Call<'_>) -> Outcome {
    let native = call.x[1];
    update(call, call.x[0], |b: &mut WindowBuilder| b.native = native)
}

/// `nvnWindowBuilderSetTextures`: the array is read now.
pub(crate) fn window_builder_set_textures(call: &mut Call<'_>) -> Outcome {
    let count = call.count(1, "number of window textures", 4)?;
    let pointers: Vec<u64> = call.read_slice(call.x[2], count)?;
    update(call, call.x[0], |b: &mut WindowBuilder| {
        b.count = count as u32;
        for (n, pointer) in pointers.iter().enumerate() {
            b.textures[2 * n] = *pointer as u32;
            b.textures[2 * n + 1] = (*pointer >> 32) as u32;
        }
    })
}

/// `nvnWindowBuilderSetPresentInterval`.
pub(crate) fn window_builder_set_present_interval(call: &mut Call<'_>) -> Outcome {
    let interval = call.count(1, "present interval", 5)? as u32;
    update(call, call.x[0], |b: &mut WindowBuilder| b.interval = interval)
}

/// `nvnWindowBuilderSetNumActiveTextures`.
pub(crate) fn window_builder_set_active(call: &mut Call<'_>) -> Outcome {
    let active = call.count(1, "active textures", 4)? as u32;
    update(call, call.x[0], |b: &mut WindowBuilder| b.active = active)
}

/// `nvnWindowInitialize`.
pub(crate) fn window_initialize(call: &mut Call<'_>) -> Outcome {
    let builder: WindowBuilder = load(call, call.x[1])?;
    let textures: [u64; 4] =
        std::array::from_fn(|n| u64::from(builder.textures[2 * n]) | u64::from(builder.textures[2 * n + 1]) << 32);
    let values = textures[..builder.count.min(4) as usize]
        .iter()
        .map(|address| Ok(load::<Texture>(call, *address)?.value))
        .collect::<Result<Vec<TextureRef>, CallError>>()?;
    if values.is_empty() {
        return Err(CallError::Argument { what: "number of window textures", value: 0, rule: "1 to 4" });
    }
    let ordinal = call.nvn.next_window.fetch_add(1, Ordering::Relaxed);
    let active = if builder.active == 0 { builder.count } else { builder.active.min(builder.count) };
    let window = Window {
        ordinal,
        native: builder.native,
        interval: builder.interval,
        count: builder.count,
        active,
        textures,
        ..Window::fresh()
    };
    call.write(call.x[0], &window)?;
    call.nvn.record(|writer| {
        let head = WindowRecord { window: ordinal, count: values.len() as u32 };
        writer.open(Op::Window, 0, bytemuck::bytes_of(&head)).bytes(bytemuck::cast_slice(&values)).close();
    });
    Ok(1)
}

fn acquire(call: &Call<'_>, window_address: u64) -> Result<u32, CallError> {
    let window: Window = load(call, window_address)?;
    let next = (window.next + 1) % window.active.max(1);
    call.write(window_address, &Window { next, ..window })?;
    Ok(window.next)
}

/// `nvnWindowAcquireTexture`. Presents are copied out in order on the one queue, so a texture is free as soon as the commands before it are: the sync
/// counts as signalled.
pub(crate) fn window_acquire_texture(call: &mut Call<'_>) -> Outcome {
    let index = acquire(call, call.x[0])?;
    let sync: Sync = load(call, call.x[1])?;
    call.nvn.forget_sync(sync.id);
    call.write(call.x[1], &Sync { id: call.nvn.new_sync(), ..sync })?;
    call.write_out(call.x[2], &index)?;
    Ok(0)
}

/// `nvnQueueAcquireTexture`.
pub(crate) fn queue_acquire_texture(call: &mut Call<'_>) -> Outcome {
    load::<Queue>(call, call.x[0])?;
    let index = acquire(call, call.x[1])?;
    call.write_out(call.x[2], &index)?;
    Ok(0)
}

/// `nvnQueuePresentTexture`. Implies a flush.
pub(crate) fn present_texture(call: &mut Call<'_>) -> Outcome {
    let queue: Queue = load(call, call.x[0])?;
    let window: Window = load(call, call.x[1])?;
    let index = call.index(2, "window texture index", window.count as usize)? as u32;
    let record = PresentTexture {
        window: window.ordinal,
        index,
        crop: window.crop,
        queue: queue.ordinal,
        interval: window.interval,
    };
    call.nvn.record(|w| w.record(Op::Present, 0, &record));
    hand_over(call);
    Ok(0)
}

/// `nvnWindowSetCrop`.
pub(crate) fn window_set_crop(call: &mut Call<'_>) -> Outcome {
    let crop = [call.int(1), call.int(2), call.int(3), call.int(4)];
    update(call, call.x[0], |w: &mut Window| w.crop = crop)
}

/// `nvnWindowGetCrop`.
pub(crate) fn window_get_crop(call: &mut Call<'_>) -> Outcome {
    let window: Window = load(call, call.x[0])?;
    call.write_out(call.x[1], &window.crop)?;
    Ok(0)
}

/// `nvnWindowSetPresentInterval`.
pub(crate) fn window_set_present_interval(call: &mut Call<'_>) -> Outcome {
    let interval = call.count(1, "present interval", 5)? as u32;
    update(call, call.x[0], |w: &mut Window| w.interval = interval)
}

/// `nvnWindowGetPresentInterval`.
pub(crate) fn window_get_present_interval(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(load::<Window>(call, call.x[0])?.interval))
}

/// `nvnWindowGetNativeWindow`.
pub(crate) fn window_get_native_window(call: &mut Call<'_>) -> Outcome {
    Ok(load::<Window>(call, call.x[0])?.native)
}

/// `nvnWindowSetNumActiveTextures`.
pub(crate) fn window_set_active(call: &mut Call<'_>) -> Outcome {
    let active = call.count(1, "active textures", 4)? as u32;
    update(call, call.x[0], |w: &mut Window| w.active = active.clamp(1, w.count.max(1)))
}

/// `nvnWindowGetNumActiveTextures`.
pub(crate) fn window_get_active(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(load::<Window>(call, call.x[0])?.active))
}

/// `nvnWindowGetNumTextures`.
pub(crate) fn window_get_count(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(load::<Window>(call, call.x[0])?.count))
}
