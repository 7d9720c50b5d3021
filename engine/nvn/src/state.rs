//! State objects: plain values of a few bytes that titles copy, compare and hash freely. Packed as bit fields, unused bits zero.

use crate::call::{Call, CallError, Outcome};
use nvn_decode::record::{
    BlendTarget, ColorState, DepthStencilState, MultisampleState, PolygonState, VertexAttrib, VertexStream,
};

/// A bit field: shift and width.
type Field = (u32, u32);

fn get(word: u64, (shift, width): Field) -> u32 {
    (word >> shift) as u32 & ((1 << width) - 1)
}

fn put(word: u64, (shift, width): Field, value: u32) -> u64 {
    let mask = ((1u64 << width) - 1) << shift;
    word & !mask | u64::from(value) << shift & mask
}

fn set8(call: &Call<'_>, fields: &[(Field, u32)]) -> Outcome {
    let word = fields.iter().fold(call.read::<u64>(call.x[0])?, |w, (f, v)| put(w, *f, *v));
    call.write(call.x[0], &word)?;
    Ok(0)
}

fn set4(call: &Call<'_>, fields: &[(Field, u32)]) -> Outcome {
    let word = fields.iter().fold(u64::from(call.read::<u32>(call.x[0])?), |w, (f, v)| put(w, *f, *v));
    call.write(call.x[0], &(word as u32))?;
    Ok(0)
}

mod blend {
    use super::Field;
    pub(super) const TARGET: Field = (0, 3);
    pub(super) const FACTORS: [Field; 4] = [(3, 7), (10, 7), (17, 7), (24, 7)];
    pub(super) const EQUATIONS: [Field; 2] = [(31, 3), (34, 3)];
    pub(super) const ADVANCED: Field = (37, 6);
    pub(super) const OVERLAP: Field = (43, 2);
    pub(super) const PREMULTIPLIED: Field = (45, 1);
    pub(super) const NORMALIZED: Field = (46, 1);
}

/// `nvnBlendStateSetDefaults`.
pub(crate) fn blend_set_defaults(call: &mut Call<'_>) -> Outcome {
    const ONE: u32 = 2;
    const ZERO: u32 = 1;
    const ADD: u32 = 1;
    call.write(call.x[0], &0u64)?;
    let [sc, dc, sa, da] = blend::FACTORS;
    let [ec, ea] = blend::EQUATIONS;
    set8(
        call,
        &[
            (sc, ONE),
            (dc, ZERO),
            (sa, ONE),
            (da, ZERO),
            (ec, ADD),
            (ea, ADD),
            (blend::PREMULTIPLIED, 1),
            (blend::NORMALIZED, 1),
        ],
    )
}

/// `nvnBlendStateSetBlendTarget`.
pub(crate) fn blend_set_target(call: &mut Call<'_>) -> Outcome {
    let target = call.index(1, "blend target", 8)? as u32;
    set8(call, &[(blend::TARGET, target)])
}

/// `nvnBlendStateSetBlendFunc`.
pub(crate) fn blend_set_func(call: &mut Call<'_>) -> Outcome {
    let fields: Vec<_> = blend::FACTORS.iter().enumerate().map(|(n, f)| (*f, call.word(n + 1))).collect();
    set8(call, &fields)
}

/// `nvnBlendStateSetBlendEquation`.
pub(crate) fn blend_set_equation(call: &mut Call<'_>) -> Outcome {
    let fields: Vec<_> = blend::EQUATIONS.iter().enumerate().map(|(n, f)| (*f, call.word(n + 1))).collect();
    set8(call, &fields)
}

/// `nvnBlendStateSetAdvancedMode`.
pub(crate) fn blend_set_advanced_mode(call: &mut Call<'_>) -> Outcome {
    set8(call, &[(blend::ADVANCED, call.word(1))])
}

/// `nvnBlendStateSetAdvancedOverlap`.
pub(crate) fn blend_set_advanced_overlap(call: &mut Call<'_>) -> Outcome {
    set8(call, &[(blend::OVERLAP, call.word(1))])
}

/// `nvnBlendStateSetAdvancedPremultipliedSrc`.
pub(crate) fn blend_set_advanced_premultiplied(call: &mut Call<'_>) -> Outcome {
    set8(call, &[(blend::PREMULTIPLIED, u32::from(call.flag(1)))])
}

/// `nvnBlendStateSetAdvancedNormalizedDst`.
pub(crate) fn blend_set_advanced_normalized(call: &mut Call<'_>) -> Outcome {
    set8(call, &[(blend::NORMALIZED, u32::from(call.flag(1)))])
}

macro_rules! blend_getters {
    ($($name:ident $field:ident;)*) => { $(
        /// Reads one field of a blend state.
        pub(crate) fn $name(call: &mut Call<'_>) -> Outcome {
            Ok(u64::from(get(call.read(call.x[0])?, blend::$field)))
        }
    )* };
}

blend_getters! {
    blend_get_advanced_mode ADVANCED;
    blend_get_advanced_overlap OVERLAP;
    blend_get_advanced_premultiplied PREMULTIPLIED;
    blend_get_advanced_normalized NORMALIZED;
}

/// `nvnBlendStateGetBlendTarget`.
pub(crate) fn blend_get_target(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(get(call.read(call.x[0])?, blend::TARGET)))
}

/// `nvnBlendStateGetBlendFunc`.
pub(crate) fn blend_get_func(call: &mut Call<'_>) -> Outcome {
    let word = call.read(call.x[0])?;
    for (n, field) in blend::FACTORS.iter().enumerate() {
        call.write_out(call.x[n + 1], &get(word, *field))?;
    }
    Ok(0)
}

/// `nvnBlendStateGetBlendEquation`.
pub(crate) fn blend_get_equation(call: &mut Call<'_>) -> Outcome {
    let word = call.read(call.x[0])?;
    for (n, field) in blend::EQUATIONS.iter().enumerate() {
        call.write_out(call.x[n + 1], &get(word, *field))?;
    }
    Ok(0)
}

/// The record of a blend state.
pub(crate) fn blend_record(call: &Call<'_>, address: u64) -> Result<BlendTarget, CallError> {
    let word: u64 = call.read(address)?;
    Ok(BlendTarget {
        target: get(word, blend::TARGET),
        factors: blend::FACTORS.map(|f| get(word, f)),
        equations: blend::EQUATIONS.map(|f| get(word, f)),
        advanced: get(word, blend::ADVANCED),
    })
}

mod color {
    use super::Field;
    pub(super) const ENABLE: Field = (0, 8);
    pub(super) const LOGIC_OP: Field = (8, 4);
    pub(super) const ALPHA_TEST: Field = (12, 4);
}

/// `nvnColorStateSetDefaults`.
pub(crate) fn color_set_defaults(call: &mut Call<'_>) -> Outcome {
    const COPY: u32 = 3;
    const ALWAYS: u32 = 8;
    call.write(call.x[0], &0u32)?;
    set4(call, &[(color::LOGIC_OP, COPY), (color::ALPHA_TEST, ALWAYS)])
}

/// `nvnColorStateSetBlendEnable`.
pub(crate) fn color_set_blend_enable(call: &mut Call<'_>) -> Outcome {
    let index = call.index(1, "target", 8)? as u32;
    set4(call, &[((index, 1), u32::from(call.flag(2)))])
}

/// `nvnColorStateGetBlendEnable`.
pub(crate) fn color_get_blend_enable(call: &mut Call<'_>) -> Outcome {
    let index = call.index(1, "target", 8)? as u32;
    Ok(u64::from(get(u64::from(call.read::<u32>(call.x[0])?), (index, 1))))
}

/// `nvnColorStateSetLogicOp`.
pub(crate) fn color_set_logic_op(call: &mut Call<'_>) -> Outcome {
    set4(call, &[(color::LOGIC_OP, call.word(1))])
}

/// `nvnColorStateGetLogicOp`.
pub(crate) fn color_get_logic_op(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(get(u64::from(call.read::<u32>(call.x[0])?), color::LOGIC_OP)))
}

/// `nvnColorStateSetAlphaTest`.
pub(crate) fn color_set_alpha_test(call: &mut Call<'_>) -> Outcome {
    set4(call, &[(color::ALPHA_TEST, call.word(1))])
}

/// `nvnColorStateGetAlphaTest`.
pub(crate) fn color_get_alpha_test(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(get(u64::from(call.read::<u32>(call.x[0])?), color::ALPHA_TEST)))
}

/// The record of a colour state.
pub(crate) fn color_record(call: &Call<'_>, address: u64) -> Result<ColorState, CallError> {
    let word = u64::from(call.read::<u32>(address)?);
    Ok(ColorState {
        blend_enable: get(word, color::ENABLE),
        logic_op: get(word, color::LOGIC_OP),
        alpha_test: get(word, color::ALPHA_TEST),
    })
}

/// `nvnChannelMaskStateSetDefaults`.
pub(crate) fn channel_mask_set_defaults(call: &mut Call<'_>) -> Outcome {
    call.write(call.x[0], &u32::MAX)?;
    Ok(0)
}

/// `nvnChannelMaskStateSetChannelMask`.
pub(crate) fn channel_mask_set(call: &mut Call<'_>) -> Outcome {
    let index = call.index(1, "target", 8)? as u32;
    let mask = (0..4).fold(0, |mask, n| mask | u32::from(call.flag(n + 2)) << n);
    set4(call, &[((index * 4, 4), mask)])
}

/// `nvnChannelMaskStateGetChannelMask`.
pub(crate) fn channel_mask_get(call: &mut Call<'_>) -> Outcome {
    let index = call.index(1, "target", 8)? as u32;
    let mask = get(u64::from(call.read::<u32>(call.x[0])?), (index * 4, 4));
    for n in 0..4 {
        call.write_out(call.x[n + 2], &((mask >> n & 1) as u8))?;
    }
    Ok(0)
}

/// The record of a channel mask state: a mask per target.
pub(crate) fn channel_mask_record(call: &Call<'_>, address: u64) -> Result<[u32; 8], CallError> {
    let word: u32 = call.read(address)?;
    Ok(std::array::from_fn(|n| word >> (4 * n) & 15))
}

mod polygon {
    use super::Field;
    pub(super) const CULL: Field = (0, 2);
    pub(super) const FRONT: Field = (2, 1);
    pub(super) const MODE: Field = (3, 2);
    pub(super) const OFFSETS: Field = (5, 3);
}

/// `nvnPolygonStateSetDefaults`.
pub(crate) fn polygon_set_defaults(call: &mut Call<'_>) -> Outcome {
    const CCW: u32 = 1;
    const FILL: u32 = 2;
    call.write(call.x[0], &0u32)?;
    set4(call, &[(polygon::FRONT, CCW), (polygon::MODE, FILL)])
}

/// `nvnPolygonStateSetCullFace`.
pub(crate) fn polygon_set_cull_face(call: &mut Call<'_>) -> Outcome {
    set4(call, &[(polygon::CULL, call.word(1))])
}

/// `nvnPolygonStateGetCullFace`.
pub(crate) fn polygon_get_cull_face(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(get(u64::from(call.read::<u32>(call.x[0])?), polygon::CULL)))
}

/// `nvnPolygonStateSetFrontFace`.
pub(crate) fn polygon_set_front_face(call: &mut Call<'_>) -> Outcome {
    set4(call, &[(polygon::FRONT, call.word(1))])
}

/// `nvnPolygonStateGetFrontFace`.
pub(crate) fn polygon_get_front_face(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(get(u64::from(call.read::<u32>(call.x[0])?), polygon::FRONT)))
}

/// `nvnPolygonStateSetPolygonMode`.
pub(crate) fn polygon_set_mode(call: &mut Call<'_>) -> Outcome {
    set4(call, &[(polygon::MODE, call.word(1))])
}

/// `nvnPolygonStateGetPolygonMode`.
pub(crate) fn polygon_get_mode(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(get(u64::from(call.read::<u32>(call.x[0])?), polygon::MODE)))
}

/// `nvnPolygonStateSetPolygonOffsetEnables`.
pub(crate) fn polygon_set_offset_enables(call: &mut Call<'_>) -> Outcome {
    set4(call, &[(polygon::OFFSETS, call.word(1))])
}

/// `nvnPolygonStateGetPolygonOffsetEnables`.
pub(crate) fn polygon_get_offset_enables(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(get(u64::from(call.read::<u32>(call.x[0])?), polygon::OFFSETS)))
}

/// The record of a polygon state.
pub(crate) fn polygon_record(call: &Call<'_>, address: u64) -> Result<PolygonState, CallError> {
    let word = u64::from(call.read::<u32>(address)?);
    Ok(PolygonState {
        cull: get(word, polygon::CULL),
        front: get(word, polygon::FRONT),
        mode: get(word, polygon::MODE),
        offset_enables: get(word, polygon::OFFSETS),
    })
}

mod depth_stencil {
    use super::Field;
    pub(super) const DEPTH_TEST: Field = (0, 1);
    pub(super) const DEPTH_WRITE: Field = (1, 1);
    pub(super) const STENCIL_TEST: Field = (2, 1);
    pub(super) const DEPTH_FUNC: Field = (3, 4);
    /// Front, back.
    pub(super) const STENCIL_FUNC: [Field; 2] = [(7, 4), (11, 4)];
    /// Front then back: fail, depth fail, pass.
    pub(super) const OPS: [[Field; 3]; 2] = [[(15, 4), (19, 4), (23, 4)], [(27, 4), (31, 4), (35, 4)]];
}

/// `nvnDepthStencilStateSetDefaults`.
pub(crate) fn depth_stencil_set_defaults(call: &mut Call<'_>) -> Outcome {
    const LESS: u32 = 2;
    const ALWAYS: u32 = 8;
    const KEEP: u32 = 1;
    call.write(call.x[0], &0u64)?;
    let mut fields = vec![(depth_stencil::DEPTH_WRITE, 1), (depth_stencil::DEPTH_FUNC, LESS)];
    fields.extend(depth_stencil::STENCIL_FUNC.map(|f| (f, ALWAYS)));
    fields.extend(depth_stencil::OPS.iter().flatten().map(|f| (*f, KEEP)));
    set8(call, &fields)
}

/// `nvnDepthStencilStateSetDepthTestEnable`.
pub(crate) fn depth_set_test(call: &mut Call<'_>) -> Outcome {
    set8(call, &[(depth_stencil::DEPTH_TEST, u32::from(call.flag(1)))])
}

/// `nvnDepthStencilStateGetDepthTestEnable`.
pub(crate) fn depth_get_test(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(get(call.read(call.x[0])?, depth_stencil::DEPTH_TEST)))
}

/// `nvnDepthStencilStateSetDepthWriteEnable`.
pub(crate) fn depth_set_write(call: &mut Call<'_>) -> Outcome {
    set8(call, &[(depth_stencil::DEPTH_WRITE, u32::from(call.flag(1)))])
}

/// `nvnDepthStencilStateGetDepthWriteEnable`.
pub(crate) fn depth_get_write(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(get(call.read(call.x[0])?, depth_stencil::DEPTH_WRITE)))
}

/// `nvnDepthStencilStateSetDepthFunc`.
pub(crate) fn depth_set_func(call: &mut Call<'_>) -> Outcome {
    set8(call, &[(depth_stencil::DEPTH_FUNC, call.word(1))])
}

/// `nvnDepthStencilStateGetDepthFunc`.
pub(crate) fn depth_get_func(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(get(call.read(call.x[0])?, depth_stencil::DEPTH_FUNC)))
}

/// `nvnDepthStencilStateSetStencilTestEnable`.
pub(crate) fn stencil_set_test(call: &mut Call<'_>) -> Outcome {
    set8(call, &[(depth_stencil::STENCIL_TEST, u32::from(call.flag(1)))])
}

/// `nvnDepthStencilStateGetStencilTestEnable`.
pub(crate) fn stencil_get_test(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(get(call.read(call.x[0])?, depth_stencil::STENCIL_TEST)))
}

/// Faces named by the API's face bits: 0 = front, 1 = back.
fn faces(bits: u32) -> impl Iterator<Item = usize> {
    (0..2).filter(move |n| bits >> n & 1 == 1)
}

/// `nvnDepthStencilStateSetStencilFunc`.
pub(crate) fn stencil_set_func(call: &mut Call<'_>) -> Outcome {
    let fields: Vec<_> = faces(call.word(1)).map(|n| (depth_stencil::STENCIL_FUNC[n], call.word(2))).collect();
    set8(call, &fields)
}

/// `nvnDepthStencilStateGetStencilFunc`.
pub(crate) fn stencil_get_func(call: &mut Call<'_>) -> Outcome {
    let face = usize::from(call.word(1) == 2);
    Ok(u64::from(get(call.read(call.x[0])?, depth_stencil::STENCIL_FUNC[face])))
}

/// `nvnDepthStencilStateSetStencilOp`.
pub(crate) fn stencil_set_op(call: &mut Call<'_>) -> Outcome {
    let fields: Vec<_> = faces(call.word(1))
        .flat_map(|n| depth_stencil::OPS[n].into_iter().enumerate())
        .map(|(k, f)| (f, call.word(k + 2)))
        .collect();
    set8(call, &fields)
}

/// `nvnDepthStencilStateGetStencilOp`.
pub(crate) fn stencil_get_op(call: &mut Call<'_>) -> Outcome {
    let face = usize::from(call.word(1) == 2);
    let word = call.read(call.x[0])?;
    for (n, field) in depth_stencil::OPS[face].iter().enumerate() {
        call.write_out(call.x[n + 2], &get(word, *field))?;
    }
    Ok(0)
}

/// The record of a depth/stencil state.
pub(crate) fn depth_stencil_record(call: &Call<'_>, address: u64) -> Result<DepthStencilState, CallError> {
    let word: u64 = call.read(address)?;
    Ok(DepthStencilState {
        depth_test: get(word, depth_stencil::DEPTH_TEST),
        depth_write: get(word, depth_stencil::DEPTH_WRITE),
        depth_func: get(word, depth_stencil::DEPTH_FUNC),
        stencil_test: get(word, depth_stencil::STENCIL_TEST),
        stencil_func: depth_stencil::STENCIL_FUNC.map(|f| get(word, f)),
        front_ops: depth_stencil::OPS[0].map(|f| get(word, f)),
        back_ops: depth_stencil::OPS[1].map(|f| get(word, f)),
    })
}

/// Multisample state: bytes of the 24-byte object.
mod multisample {
    pub(super) const ENABLE: u64 = 0;
    pub(super) const SAMPLES: u64 = 1;
    pub(super) const ALPHA_TO_COVERAGE: u64 = 2;
    pub(super) const DITHER: u64 = 3;
    pub(super) const RASTER_SAMPLES: u64 = 4;
    pub(super) const COVERAGE_MODULATION: u64 = 5;
    pub(super) const COVERAGE_TO_COLOR: u64 = 6;
    pub(super) const COVERAGE_OUTPUT: u64 = 7;
    pub(super) const LOCATIONS: u64 = 8;
    pub(super) const LOCATIONS_GRID: u64 = 9;
}

/// `nvnMultisampleStateSetDefaults`.
pub(crate) fn multisample_set_defaults(call: &mut Call<'_>) -> Outcome {
    let mut bytes = [0u8; 24];
    bytes[multisample::ENABLE as usize] = 1;
    bytes[multisample::DITHER as usize] = 1;
    call.write(call.x[0], &bytes)?;
    Ok(0)
}

macro_rules! multisample_bytes {
    ($($set:ident $get:ident $field:ident),* $(,)?) => { $(
        /// Sets one field of a multisample state.
        pub(crate) fn $set(call: &mut Call<'_>) -> Outcome {
            call.write(call.x[0].wrapping_add(multisample::$field), &(call.word(1) as u8))?;
            Ok(0)
        }

        /// Reads one field of a multisample state.
        pub(crate) fn $get(call: &mut Call<'_>) -> Outcome {
            Ok(u64::from(call.read::<u8>(call.x[0].wrapping_add(multisample::$field))?))
        }
    )* };
}

multisample_bytes! {
    multisample_set_enable multisample_get_enable ENABLE,
    multisample_set_samples multisample_get_samples SAMPLES,
    multisample_set_alpha_to_coverage multisample_get_alpha_to_coverage ALPHA_TO_COVERAGE,
    multisample_set_dither multisample_get_dither DITHER,
    multisample_set_raster_samples multisample_get_raster_samples RASTER_SAMPLES,
    multisample_set_coverage_modulation multisample_get_coverage_modulation COVERAGE_MODULATION,
    multisample_set_coverage_to_color multisample_get_coverage_to_color COVERAGE_TO_COLOR,
    multisample_set_coverage_output multisample_get_coverage_output COVERAGE_OUTPUT,
    multisample_set_locations_enable multisample_get_locations_enable LOCATIONS,
    multisample_set_grid_enable multisample_get_grid_enable LOCATIONS_GRID,
}

/// The record of a multisample state.
pub(crate) fn multisample_record(call: &Call<'_>, address: u64) -> Result<MultisampleState, CallError> {
    let bytes: [u8; 24] = call.read(address)?;
    let field = |n: u64| u32::from(bytes[n as usize]);
    Ok(MultisampleState {
        enable: field(multisample::ENABLE),
        samples: field(multisample::SAMPLES),
        alpha_to_coverage: field(multisample::ALPHA_TO_COVERAGE),
        raster_samples: field(multisample::RASTER_SAMPLES),
    })
}

mod attrib {
    use super::Field;
    pub(super) const FORMAT: Field = (0, 10);
    pub(super) const OFFSET: Field = (10, 14);
    pub(super) const STREAM: Field = (24, 4);
}

/// `nvnVertexAttribStateSetDefaults`.
pub(crate) fn attrib_set_defaults(call: &mut Call<'_>) -> Outcome {
    call.write(call.x[0], &0u32)?;
    Ok(0)
}

/// `nvnVertexAttribStateSetFormat`.
pub(crate) fn attrib_set_format(call: &mut Call<'_>) -> Outcome {
    set4(call, &[(attrib::FORMAT, call.word(1)), (attrib::OFFSET, call.word(2))])
}

/// `nvnVertexAttribStateSetStreamIndex`.
pub(crate) fn attrib_set_stream(call: &mut Call<'_>) -> Outcome {
    let stream = call.index(1, "stream", 16)? as u32;
    set4(call, &[(attrib::STREAM, stream)])
}

/// `nvnVertexAttribStateGetFormat`.
pub(crate) fn attrib_get_format(call: &mut Call<'_>) -> Outcome {
    let word = u64::from(call.read::<u32>(call.x[0])?);
    call.write_out(call.x[1], &get(word, attrib::FORMAT))?;
    call.write_out(call.x[2], &u64::from(get(word, attrib::OFFSET)))?;
    Ok(0)
}

/// `nvnVertexAttribStateGetStreamIndex`.
pub(crate) fn attrib_get_stream(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(get(u64::from(call.read::<u32>(call.x[0])?), attrib::STREAM)))
}

/// The records of attribute states.
pub(crate) fn attrib_records(call: &Call<'_>, address: u64, count: usize) -> Result<Vec<VertexAttrib>, CallError> {
    let words: Vec<u32> = call.read_slice(address, count)?;
    let record = |w: u32| {
        let w = u64::from(w);
        VertexAttrib { format: get(w, attrib::FORMAT), offset: get(w, attrib::OFFSET), stream: get(w, attrib::STREAM) }
    };
    Ok(words.into_iter().map(record).collect())
}

/// `nvnVertexStreamStateSetDefaults`.
pub(crate) fn stream_set_defaults(call: &mut Call<'_>) -> Outcome {
    call.write(call.x[0], &0u64)?;
    Ok(0)
}

/// `nvnVertexStreamStateSetStride`.
pub(crate) fn stream_set_stride(call: &mut Call<'_>) -> Outcome {
    call.write(call.x[0], &call.word(1))?;
    Ok(0)
}

/// `nvnVertexStreamStateSetDivisor`.
pub(crate) fn stream_set_divisor(call: &mut Call<'_>) -> Outcome {
    call.write(call.x[0].wrapping_add(4), &call.word(1))?;
    Ok(0)
}

/// `nvnVertexStreamStateGetStride`.
pub(crate) fn stream_get_stride(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(call.read::<u32>(call.x[0])?))
}

/// `nvnVertexStreamStateGetDivisor`.
pub(crate) fn stream_get_divisor(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(call.read::<u32>(call.x[0].wrapping_add(4))?))
}

/// The records of stream states.
pub(crate) fn stream_records(call: &Call<'_>, address: u64, count: usize) -> Result<Vec<VertexStream>, CallError> {
    call.read_slice(address, count)
}
