//! Samplers.

use crate::call::{Call, CallError, Outcome};
use crate::objects::{Object, PackedSampler, SamplerBuilder, load, update};
use nvn_decode::record::Sampler;

fn defaults() -> Sampler {
    Sampler { lod: [-1000.0, 1000.0], anisotropy: 1.0, compare: [0, 2], ..Sampler::default() }
}

/// `nvnSamplerBuilderSetDevice`.
pub(crate) fn builder_set_device(call: &mut Call<'_>) -> Outcome {
    let mut builder: SamplerBuilder = call.read(call.x[0])?;
    if builder.tag != SamplerBuilder::TAG {
        builder = SamplerBuilder { value: defaults(), ..SamplerBuilder::fresh() };
    }
    builder.device = [call.x[1] as u32, (call.x[1] >> 32) as u32];
    call.write(call.x[0], &builder)?;
    Ok(0)
}

/// `nvnSamplerBuilderSetDefaults`.
pub(crate) fn builder_set_defaults(call: &mut Call<'_>) -> Outcome {
    let old: SamplerBuilder = call.read(call.x[0])?;
    let device = if old.tag == SamplerBuilder::TAG { old.device } else { [0; 2] };
    call.write(call.x[0], &SamplerBuilder { device, value: defaults(), ..SamplerBuilder::fresh() })?;
    Ok(0)
}

/// `nvnSamplerBuilderSetMinMagFilter`.
pub(crate) fn builder_set_min_mag_filter(call: &mut Call<'_>) -> Outcome {
    let value = [call.word(1), call.word(2)];
    update(call, call.x[0], |b: &mut SamplerBuilder| b.value.min_mag = value)
}

/// `nvnSamplerBuilderSetWrapMode`.
pub(crate) fn builder_set_wrap_mode(call: &mut Call<'_>) -> Outcome {
    let value = [call.word(1), call.word(2), call.word(3)];
    update(call, call.x[0], |b: &mut SamplerBuilder| b.value.wrap = value)
}

/// `nvnSamplerBuilderSetLodClamp`.
pub(crate) fn builder_set_lod_clamp(call: &mut Call<'_>) -> Outcome {
    let value = [call.s[0], call.s[1]];
    update(call, call.x[0], |b: &mut SamplerBuilder| b.value.lod = value)
}

/// `nvnSamplerBuilderSetLodBias`.
pub(crate) fn builder_set_lod_bias(call: &mut Call<'_>) -> Outcome {
    let value = call.s[0];
    update(call, call.x[0], |b: &mut SamplerBuilder| b.value.lod_bias = value)
}

/// `nvnSamplerBuilderSetLodSnap`.
pub(crate) fn builder_set_lod_snap(call: &mut Call<'_>) -> Outcome {
    let value = call.s[0];
    update(call, call.x[0], |b: &mut SamplerBuilder| b.lod_snap = value)
}

/// `nvnSamplerBuilderSetCompare`.
pub(crate) fn builder_set_compare(call: &mut Call<'_>) -> Outcome {
    let value = [call.word(1), call.word(2)];
    update(call, call.x[0], |b: &mut SamplerBuilder| b.value.compare = value)
}

/// `nvnSamplerBuilderSetMaxAnisotropy`.
pub(crate) fn builder_set_max_anisotropy(call: &mut Call<'_>) -> Outcome {
    let value = call.s[0];
    update(call, call.x[0], |b: &mut SamplerBuilder| b.value.anisotropy = value)
}

/// `nvnSamplerBuilderSetReductionFilter`.
pub(crate) fn builder_set_reduction_filter(call: &mut Call<'_>) -> Outcome {
    let value = call.word(1);
    update(call, call.x[0], |b: &mut SamplerBuilder| b.value.reduction = value)
}

fn set_border(call: &Call<'_>, class: u32) -> Outcome {
    let border: [u32; 4] = call.read(call.x[1])?;
    update(call, call.x[0], |b: &mut SamplerBuilder| (b.value.border, b.value.border_class) = (border, class))
}

/// `nvnSamplerBuilderSetBorderColor`.
pub(crate) fn builder_set_border_color(call: &mut Call<'_>) -> Outcome {
    set_border(call, 0)
}

/// `nvnSamplerBuilderSetBorderColori`.
pub(crate) fn builder_set_border_color_i(call: &mut Call<'_>) -> Outcome {
    set_border(call, 1)
}

/// `nvnSamplerBuilderSetBorderColorui`.
pub(crate) fn builder_set_border_color_ui(call: &mut Call<'_>) -> Outcome {
    set_border(call, 2)
}

/// `nvnSamplerInitialize`.
pub(crate) fn initialize(call: &mut Call<'_>) -> Outcome {
    let builder: SamplerBuilder = load(call, call.x[1])?;
    call.write(call.x[0], &PackedSampler::pack(&builder.value))?;
    Ok(1)
}

/// The value of a sampler object.
fn value(call: &Call<'_>, address: u64) -> Result<Sampler, CallError> {
    call.read::<PackedSampler>(address)?.unpack().ok_or(CallError::NotInitialised { what: "Sampler", address })
}

/// `nvnSamplerCompare`: all of it (row R-004).
pub(crate) fn compare(call: &mut Call<'_>) -> Outcome {
    let (a, b) = (value(call, call.x[0])?, value(call, call.x[1])?);
    Ok(u64::from(bytemuck::bytes_of(&PackedSampler::pack(&a)) == bytemuck::bytes_of(&PackedSampler::pack(&b))))
}

/// `nvnSamplerGetMinMagFilter`.
pub(crate) fn get_min_mag_filter(call: &mut Call<'_>) -> Outcome {
    let value = value(call, call.x[0])?;
    call.write_out(call.x[1], &value.min_mag[0])?;
    call.write_out(call.x[2], &value.min_mag[1])?;
    Ok(0)
}

/// `nvnSamplerGetWrapMode`.
pub(crate) fn get_wrap_mode(call: &mut Call<'_>) -> Outcome {
    let value = value(call, call.x[0])?;
    for (n, wrap) in value.wrap.iter().enumerate() {
        call.write_out(call.x[n + 1], wrap)?;
    }
    Ok(0)
}

/// `nvnSamplerGetLodClamp`.
pub(crate) fn get_lod_clamp(call: &mut Call<'_>) -> Outcome {
    let value = value(call, call.x[0])?;
    call.write_out(call.x[1], &value.lod[0])?;
    call.write_out(call.x[2], &value.lod[1])?;
    Ok(0)
}

/// `nvnSamplerGetCompare`.
pub(crate) fn get_compare(call: &mut Call<'_>) -> Outcome {
    let value = value(call, call.x[0])?;
    call.write_out(call.x[1], &value.compare[0])?;
    call.write_out(call.x[2], &value.compare[1])?;
    Ok(0)
}
