//! Functions that read back what a builder or sampler was told.

use crate::call::{Call, CallError, Outcome};
use crate::objects::{
    BufferBuilder, Event, EventBuilder, MemoryPoolBuilder, PackedSampler, QueueBuilder, SamplerBuilder, TextureBuilder,
    WindowBuilder, load,
};
use nvn_decode::record::Sampler;

macro_rules! getters {
    ($($name:ident $object:ident $value:expr;)*) => { $(
        /// Reads one value of a builder.
        pub(crate) fn $name(call: &mut Call<'_>) -> Outcome {
            let value: fn(&$object) -> u64 = $value;
            Ok(value(&load::<$object>(call, call.x[0])?))
        }
    )* };
}

getters! {
    queue_device QueueBuilder |b| b.device;
    queue_flags QueueBuilder |b| b.flags.into();
    queue_command QueueBuilder |b| b.command.into();
    queue_compute QueueBuilder |b| b.compute.into();
    queue_control QueueBuilder |b| b.control.into();
    queue_threshold QueueBuilder |b| b.threshold.into();
    queue_memory QueueBuilder |b| b.memory;
    queue_memory_size QueueBuilder |b| b.memory_size;
    queue_priority QueueBuilder |b| b.priority.into();
    window_device WindowBuilder |b| b.device;
    window_native WindowBuilder |b| b.native;
    window_count WindowBuilder |b| b.count.into();
    window_interval WindowBuilder |b| b.interval.into();
    window_active WindowBuilder |b| if b.active == 0 { b.count.into() } else { b.active.into() };
    pool_device MemoryPoolBuilder |b| b.device;
    buffer_device BufferBuilder |b| b.device;
    buffer_pool BufferBuilder |b| b.pool;
    buffer_offset BufferBuilder |b| b.offset;
    buffer_size BufferBuilder |b| b.size;
    texture_device TextureBuilder |b| b.device;
    sampler_device SamplerBuilder |b| u64::from(b.device[0]) | u64::from(b.device[1]) << 32;
    builder_reduction SamplerBuilder |b| b.value.reduction.into();
    event_builder_pool EventBuilder |b| b.pool;
    event_pool Event |b| b.pool;
}

/// `nvnWindowBuilderGetTexture`.
pub(crate) fn window_texture(call: &mut Call<'_>) -> Outcome {
    let builder: WindowBuilder = load(call, call.x[0])?;
    let n = call.index(1, "window texture", builder.count.min(4) as usize)?;
    Ok(u64::from(builder.textures[2 * n]) | u64::from(builder.textures[2 * n + 1]) << 32)
}

/// `nvnEventBuilderGetStorage`: the pool, and the offset where asked.
pub(crate) fn event_storage(call: &mut Call<'_>) -> Outcome {
    let builder: EventBuilder = load(call, call.x[0])?;
    call.write_out(call.x[1], &builder.offset)?;
    Ok(builder.pool)
}

fn builder(call: &Call<'_>) -> Result<Sampler, CallError> {
    Ok(load::<SamplerBuilder>(call, call.x[0])?.value)
}

fn sampler(call: &Call<'_>) -> Result<Sampler, CallError> {
    let address = call.x[0];
    call.read::<PackedSampler>(address)?.unpack().ok_or(CallError::NotInitialised { what: "Sampler", address })
}

/// `nvnSamplerBuilderGetMinMagFilter`.
pub(crate) fn builder_min_mag(call: &mut Call<'_>) -> Outcome {
    let value = builder(call)?;
    call.write_out(call.x[1], &value.min_mag[0])?;
    call.write_out(call.x[2], &value.min_mag[1])?;
    Ok(0)
}

/// `nvnSamplerBuilderGetWrapMode`.
pub(crate) fn builder_wrap(call: &mut Call<'_>) -> Outcome {
    let value = builder(call)?;
    for (n, wrap) in value.wrap.iter().enumerate() {
        call.write_out(call.x[n + 1], wrap)?;
    }
    Ok(0)
}

/// `nvnSamplerBuilderGetLodClamp`.
pub(crate) fn builder_lod_clamp(call: &mut Call<'_>) -> Outcome {
    let value = builder(call)?;
    call.write_out(call.x[1], &value.lod[0])?;
    call.write_out(call.x[2], &value.lod[1])?;
    Ok(0)
}

/// `nvnSamplerBuilderGetCompare`.
pub(crate) fn builder_compare(call: &mut Call<'_>) -> Outcome {
    let value = builder(call)?;
    call.write_out(call.x[1], &value.compare[0])?;
    call.write_out(call.x[2], &value.compare[1])?;
    Ok(0)
}

/// `nvnSamplerBuilderGetBorderColor` and its integer forms.
pub(crate) fn builder_border(call: &mut Call<'_>) -> Outcome {
    let value = builder(call)?;
    call.write_out(call.x[1], &value.border)?;
    Ok(0)
}

/// `nvnSamplerGetBorderColor` and its integer forms.
pub(crate) fn sampler_border(call: &mut Call<'_>) -> Outcome {
    let value = sampler(call)?;
    call.write_out(call.x[1], &value.border)?;
    Ok(0)
}

/// `nvnSamplerGetReductionFilter`.
pub(crate) fn sampler_reduction(call: &mut Call<'_>) -> Outcome {
    Ok(sampler(call)?.reduction.into())
}

fn float(call: &mut Call<'_>, value: f32) -> Outcome {
    call.float_result = Some(value);
    Ok(0)
}

/// `nvnSamplerBuilderGetLodBias`.
pub(crate) fn builder_lod_bias(call: &mut Call<'_>) -> Outcome {
    let value = builder(call)?.lod_bias;
    float(call, value)
}

/// `nvnSamplerBuilderGetMaxAnisotropy`.
pub(crate) fn builder_anisotropy(call: &mut Call<'_>) -> Outcome {
    let value = builder(call)?.anisotropy;
    float(call, value)
}

/// `nvnSamplerBuilderGetLodSnap`.
pub(crate) fn builder_lod_snap(call: &mut Call<'_>) -> Outcome {
    let value = load::<SamplerBuilder>(call, call.x[0])?.lod_snap;
    float(call, value)
}

/// `nvnSamplerGetLodBias`.
pub(crate) fn sampler_lod_bias(call: &mut Call<'_>) -> Outcome {
    let value = sampler(call)?.lod_bias;
    float(call, value)
}

/// `nvnSamplerGetMaxAnisotropy`.
pub(crate) fn sampler_anisotropy(call: &mut Call<'_>) -> Outcome {
    let value = sampler(call)?.anisotropy;
    float(call, value)
}
