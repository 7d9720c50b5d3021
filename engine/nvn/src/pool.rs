//! Memory pools, buffers, events and the descriptor pools.

use crate::call::{Call, CallError, Outcome};
use crate::objects::{
    Buffer, BufferBuilder, Event, EventBuilder, MemoryPool, MemoryPoolBuilder, Object, PackedSampler, SamplerBuilder,
    SamplerPool, Texture, TexturePool, load, update,
};
use crate::texture::view_of;
use nvn_decode::record::{DescriptorSampler, DescriptorTexture, FlushRange, Label, Op, Pool, PoolEnd, Sampler};
use std::sync::atomic::Ordering;

const VIRTUAL: u32 = 0x200;
const CPU_NO_ACCESS: u32 = 0x1;

/// `nvnMemoryPoolBuilderSetDevice`. The device survives a later `SetDefaults`.
pub(crate) fn builder_set_device(call: &mut Call<'_>) -> Outcome {
    let mut builder: MemoryPoolBuilder = call.read(call.x[0])?;
    if builder.tag != MemoryPoolBuilder::TAG {
        builder = MemoryPoolBuilder::fresh();
    }
    builder.device = call.x[1];
    call.write(call.x[0], &builder)?;
    Ok(0)
}

/// `nvnMemoryPoolBuilderSetDefaults`.
pub(crate) fn builder_set_defaults(call: &mut Call<'_>) -> Outcome {
    let old: MemoryPoolBuilder = call.read(call.x[0])?;
    let device = if old.tag == MemoryPoolBuilder::TAG { old.device } else { 0 };
    call.write(call.x[0], &MemoryPoolBuilder { device, ..MemoryPoolBuilder::fresh() })?;
    Ok(0)
}

/// `nvnMemoryPoolBuilderSetStorage`.
pub(crate) fn builder_set_storage(call: &mut Call<'_>) -> Outcome {
    let (memory, size) = (call.x[1], call.x[2]);
    update(call, call.x[0], |b: &mut MemoryPoolBuilder| (b.memory, b.size) = (memory, size))
}

/// `nvnMemoryPoolBuilderSetFlags`.
pub(crate) fn builder_set_flags(call: &mut Call<'_>) -> Outcome {
    let flags = call.word(1);
    update(call, call.x[0], |b: &mut MemoryPoolBuilder| b.flags = flags)
}

/// `nvnMemoryPoolBuilderGetMemory`.
pub(crate) fn builder_get_memory(call: &mut Call<'_>) -> Outcome {
    Ok(load::<MemoryPoolBuilder>(call, call.x[0])?.memory)
}

/// `nvnMemoryPoolBuilderGetSize`.
pub(crate) fn builder_get_size(call: &mut Call<'_>) -> Outcome {
    Ok(load::<MemoryPoolBuilder>(call, call.x[0])?.size)
}

/// `nvnMemoryPoolBuilderGetFlags`.
pub(crate) fn builder_get_flags(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(load::<MemoryPoolBuilder>(call, call.x[0])?.flags))
}

/// `nvnMemoryPoolInitialize`. Existing bytes stay: packaged data is loaded before.
pub(crate) fn initialize(call: &mut Call<'_>) -> Outcome {
    let builder: MemoryPoolBuilder = load(call, call.x[1])?;
    if !builder.memory.is_multiple_of(0x1000) || !builder.size.is_multiple_of(0x1000) || builder.size == 0 {
        return Err(CallError::Argument {
            what: "pool storage",
            value: builder.memory,
            rule: "address and size must be multiples of 4096",
        });
    }
    let ordinal = call.nvn.next_pool.fetch_add(1, Ordering::Relaxed);
    let pool = MemoryPool {
        ordinal,
        address: builder.memory,
        size: builder.size,
        flags: builder.flags,
        ..MemoryPool::fresh()
    };
    call.write(call.x[0], &pool)?;
    call.nvn.record(|w| {
        w.record(Op::PoolCreate, 0, &Pool { address: pool.address, size: pool.size, ordinal, flags: pool.flags })
    });
    Ok(1)
}

/// `nvnMemoryPoolFinalize`.
pub(crate) fn finalize(call: &mut Call<'_>) -> Outcome {
    let pool: MemoryPool = load(call, call.x[0])?;
    call.nvn.record(|w| w.record(Op::PoolFinalize, 0, &PoolEnd { ordinal: pool.ordinal }));
    call.write(call.x[0], &0u32)?;
    Ok(0)
}

/// `nvnMemoryPoolSetDebugLabel`: the text is copied.
pub(crate) fn set_debug_label(call: &mut Call<'_>) -> Outcome {
    let pool: MemoryPool = load(call, call.x[0])?;
    let text = call.text(call.x[1])?;
    let head = Label { kind: 0, object: pool.ordinal, offset: 0 };
    call.nvn.record(|w| w.open(Op::Label, 0, bytemuck::bytes_of(&head)).bytes(text.as_bytes()).close());
    Ok(0)
}

/// `nvnMemoryPoolMap`.
pub(crate) fn map(call: &mut Call<'_>) -> Outcome {
    let pool: MemoryPool = load(call, call.x[0])?;
    Ok(if pool.flags & (CPU_NO_ACCESS | VIRTUAL) == 0 { pool.address } else { 0 })
}

/// `nvnMemoryPoolFlushMappedRange`: a hint, since writes are tracked.
pub(crate) fn flush_mapped_range(call: &mut Call<'_>) -> Outcome {
    let pool: MemoryPool = load(call, call.x[0])?;
    flush_range(call, &pool, call.x[1], call.x[2])
}

fn flush_range(call: &Call<'_>, pool: &MemoryPool, offset: u64, length: u64) -> Outcome {
    call.nvn.record(|w| w.record(Op::FlushRange, 0, &FlushRange { offset, length, pool: pool.ordinal, reserved: 0 }));
    Ok(0)
}

/// `nvnMemoryPoolGetBufferAddress`.
pub(crate) fn get_buffer_address(call: &mut Call<'_>) -> Outcome {
    Ok(load::<MemoryPool>(call, call.x[0])?.address)
}

/// `nvnMemoryPoolGetSize`.
pub(crate) fn get_size(call: &mut Call<'_>) -> Outcome {
    Ok(load::<MemoryPool>(call, call.x[0])?.size)
}

/// `nvnMemoryPoolGetFlags`.
pub(crate) fn get_flags(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(load::<MemoryPool>(call, call.x[0])?.flags))
}

/// `nvnBufferBuilderSetDevice`.
pub(crate) fn buffer_builder_set_device(call: &mut Call<'_>) -> Outcome {
    let mut builder: BufferBuilder = call.read(call.x[0])?;
    if builder.tag != BufferBuilder::TAG {
        builder = BufferBuilder::fresh();
    }
    builder.device = call.x[1];
    call.write(call.x[0], &builder)?;
    Ok(0)
}

/// `nvnBufferBuilderSetDefaults`.
pub(crate) fn buffer_builder_set_defaults(call: &mut Call<'_>) -> Outcome {
    let old: BufferBuilder = call.read(call.x[0])?;
    let device = if old.tag == BufferBuilder::TAG { old.device } else { 0 };
    call.write(call.x[0], &BufferBuilder { device, ..BufferBuilder::fresh() })?;
    Ok(0)
}

/// `nvnBufferBuilderSetStorage`.
pub(crate) fn buffer_builder_set_storage(call: &mut Call<'_>) -> Outcome {
    let (pool, offset, size) = (call.x[1], call.x[2], call.x[3]);
    update(call, call.x[0], |b: &mut BufferBuilder| (b.pool, b.offset, b.size) = (pool, offset, size))
}

/// `nvnBufferInitialize`.
pub(crate) fn buffer_initialize(call: &mut Call<'_>) -> Outcome {
    let builder: BufferBuilder = load(call, call.x[1])?;
    let pool: MemoryPool = load(call, builder.pool)?;
    if builder.offset.checked_add(builder.size).is_none_or(|end| end > pool.size) {
        return Err(CallError::Argument {
            what: "buffer storage",
            value: builder.offset,
            rule: "offset + size must lie inside the pool",
        });
    }
    let id = call.nvn.next_debug_id.fetch_add(1, Ordering::Relaxed);
    let buffer = Buffer {
        id,
        pool: builder.pool,
        offset: builder.offset,
        size: builder.size,
        address: pool.address + builder.offset,
        ..Buffer::fresh()
    };
    call.write(call.x[0], &buffer)?;
    Ok(1)
}

/// `nvnBufferMap`.
pub(crate) fn buffer_map(call: &mut Call<'_>) -> Outcome {
    let buffer: Buffer = load(call, call.x[0])?;
    let pool: MemoryPool = load(call, buffer.pool)?;
    Ok(if pool.flags & (CPU_NO_ACCESS | VIRTUAL) == 0 { buffer.address } else { 0 })
}

/// `nvnBufferGetAddress`.
pub(crate) fn buffer_get_address(call: &mut Call<'_>) -> Outcome {
    Ok(load::<Buffer>(call, call.x[0])?.address)
}

/// `nvnBufferGetSize`.
pub(crate) fn buffer_get_size(call: &mut Call<'_>) -> Outcome {
    Ok(load::<Buffer>(call, call.x[0])?.size)
}

/// `nvnBufferGetMemoryPool`.
pub(crate) fn buffer_get_memory_pool(call: &mut Call<'_>) -> Outcome {
    Ok(load::<Buffer>(call, call.x[0])?.pool)
}

/// `nvnBufferGetMemoryOffset`.
pub(crate) fn buffer_get_memory_offset(call: &mut Call<'_>) -> Outcome {
    Ok(load::<Buffer>(call, call.x[0])?.offset)
}

/// `nvnBufferGetDebugID`.
pub(crate) fn buffer_get_debug_id(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(load::<Buffer>(call, call.x[0])?.id))
}

/// `nvnBufferFlushMappedRange`.
pub(crate) fn buffer_flush_mapped_range(call: &mut Call<'_>) -> Outcome {
    let buffer: Buffer = load(call, call.x[0])?;
    let pool: MemoryPool = load(call, buffer.pool)?;
    flush_range(call, &pool, buffer.offset.wrapping_add(call.x[1]), call.x[2])
}

/// Ends an object: its memory no longer counts as initialised.
pub(crate) fn finalize_object(call: &mut Call<'_>) -> Outcome {
    call.write(call.x[0], &0u32)?;
    Ok(0)
}

/// `nvnEventBuilderSetDefaults`.
pub(crate) fn event_builder_set_defaults(call: &mut Call<'_>) -> Outcome {
    call.write(call.x[0], &EventBuilder::fresh())?;
    Ok(0)
}

/// `nvnEventBuilderSetStorage`.
pub(crate) fn event_builder_set_storage(call: &mut Call<'_>) -> Outcome {
    let (pool, offset) = (call.x[1], call.x[2]);
    update(call, call.x[0], |b: &mut EventBuilder| (b.pool, b.offset) = (pool, offset))
}

/// `nvnEventInitialize`.
pub(crate) fn event_initialize(call: &mut Call<'_>) -> Outcome {
    let builder: EventBuilder = load(call, call.x[1])?;
    load::<MemoryPool>(call, builder.pool)?;
    call.write(call.x[0], &Event { pool: builder.pool, offset: builder.offset, ..Event::fresh() })?;
    Ok(1)
}

/// `nvnEventGetValue`.
pub(crate) fn event_get_value(call: &mut Call<'_>) -> Outcome {
    let event: Event = load(call, call.x[0])?;
    let pool: MemoryPool = load(call, event.pool)?;
    Ok(u64::from(call.read::<u32>(pool.address.wrapping_add(event.offset))?))
}

/// `nvnEventSignal`.
pub(crate) fn event_signal(call: &mut Call<'_>) -> Outcome {
    let event: Event = load(call, call.x[0])?;
    let pool: MemoryPool = load(call, event.pool)?;
    let address = pool.address.wrapping_add(event.offset);
    let value = if call.word(1) == 1 { call.read::<u32>(address)?.wrapping_add(call.word(2)) } else { call.word(2) };
    call.write(address, &value)?;
    Ok(0)
}

/// `nvnTexturePoolInitialize`.
pub(crate) fn texture_pool_initialize(call: &mut Call<'_>) -> Outcome {
    load::<MemoryPool>(call, call.x[1])?;
    let pool = TexturePool { count: call.word(3), pool: call.x[1], offset: call.x[2], ..TexturePool::fresh() };
    call.write(call.x[0], &pool)?;
    Ok(1)
}

/// `nvnSamplerPoolInitialize`.
pub(crate) fn sampler_pool_initialize(call: &mut Call<'_>) -> Outcome {
    load::<MemoryPool>(call, call.x[1])?;
    let pool = SamplerPool { count: call.word(3), pool: call.x[1], offset: call.x[2], ..SamplerPool::fresh() };
    call.write(call.x[0], &pool)?;
    Ok(1)
}

/// Address of a texture descriptor pool's memory, and its size.
pub(crate) fn texture_pool_memory(call: &Call<'_>, address: u64) -> Result<(u64, u32), CallError> {
    let pool: TexturePool = load(call, address)?;
    let memory: MemoryPool = load(call, pool.pool)?;
    Ok((memory.address.wrapping_add(pool.offset), pool.count))
}

/// Address of a sampler descriptor pool's memory, and its size.
pub(crate) fn sampler_pool_memory(call: &Call<'_>, address: u64) -> Result<(u64, u32), CallError> {
    let pool: SamplerPool = load(call, address)?;
    let memory: MemoryPool = load(call, pool.pool)?;
    Ok((memory.address.wrapping_add(pool.offset), pool.count))
}

/// Bytes of a descriptor. The stable contents are ours: a mark, the id and the low half of a hash of what it shows.
const DESCRIPTOR: u64 = 32;

fn write_descriptor(call: &Call<'_>, pool: u64, id: u32, value: &[u8]) -> Result<(), CallError> {
    let hash = value.iter().fold(0xCBF2_9CE4_8422_2325_u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01B3));
    let words = [u64::from(u32::from_le_bytes(*b"DESC")) | u64::from(id) << 32, hash, 0, 0];
    call.write(pool.wrapping_add(u64::from(id) * DESCRIPTOR), &words)
}

fn register_texture(call: &mut Call<'_>, op: Op) -> Outcome {
    let (pool_address, count) = texture_pool_memory(call, call.x[0])?;
    let id = call.index(1, "descriptor id", count as usize)? as u32;
    let texture: Texture = load(call, call.x[2])?;
    let texture = view_of(call, &texture, call.x[3])?;
    write_descriptor(call, pool_address, id, bytemuck::bytes_of(&texture))?;
    call.nvn.record(|w| w.record(op, 0, &DescriptorTexture { pool_address, id, reserved: 0, texture }));
    Ok(0)
}

/// `nvnTexturePoolRegisterTexture`.
pub(crate) fn register_texture_descriptor(call: &mut Call<'_>) -> Outcome {
    register_texture(call, Op::RegisterTexture)
}

/// `nvnTexturePoolRegisterImage`.
pub(crate) fn register_image_descriptor(call: &mut Call<'_>) -> Outcome {
    register_texture(call, Op::RegisterImage)
}

fn register_sampler(call: &mut Call<'_>, sampler: Sampler) -> Outcome {
    let (pool_address, count) = sampler_pool_memory(call, call.x[0])?;
    let id = call.index(1, "descriptor id", count as usize)? as u32;
    write_descriptor(call, pool_address, id, bytemuck::bytes_of(&sampler))?;
    let record = DescriptorSampler { pool_address, id, reserved: 0, sampler, padding: 0 };
    call.nvn.record(|w| w.record(Op::RegisterSampler, 0, &record));
    Ok(0)
}

/// `nvnSamplerPoolRegisterSampler`.
pub(crate) fn register_sampler_descriptor(call: &mut Call<'_>) -> Outcome {
    let packed: PackedSampler = call.read(call.x[2])?;
    let sampler = packed.unpack().ok_or(CallError::NotInitialised { what: "Sampler", address: call.x[2] })?;
    register_sampler(call, sampler)
}

/// `nvnSamplerPoolRegisterSamplerBuilder`.
pub(crate) fn register_sampler_builder(call: &mut Call<'_>) -> Outcome {
    let builder: SamplerBuilder = load(call, call.x[2])?;
    register_sampler(call, builder.value)
}

/// `nvnTexturePoolGetMemoryPool`.
pub(crate) fn texture_pool_get_memory_pool(call: &mut Call<'_>) -> Outcome {
    Ok(load::<TexturePool>(call, call.x[0])?.pool)
}

/// `nvnTexturePoolGetMemoryOffset`.
pub(crate) fn texture_pool_get_memory_offset(call: &mut Call<'_>) -> Outcome {
    Ok(load::<TexturePool>(call, call.x[0])?.offset)
}

/// `nvnTexturePoolGetSize`.
pub(crate) fn texture_pool_get_size(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(load::<TexturePool>(call, call.x[0])?.count))
}

/// `nvnSamplerPoolGetMemoryPool`.
pub(crate) fn sampler_pool_get_memory_pool(call: &mut Call<'_>) -> Outcome {
    Ok(load::<SamplerPool>(call, call.x[0])?.pool)
}

/// `nvnSamplerPoolGetMemoryOffset`.
pub(crate) fn sampler_pool_get_memory_offset(call: &mut Call<'_>) -> Outcome {
    Ok(load::<SamplerPool>(call, call.x[0])?.offset)
}

/// `nvnSamplerPoolGetSize`.
pub(crate) fn sampler_pool_get_size(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(load::<SamplerPool>(call, call.x[0])?.count))
}
