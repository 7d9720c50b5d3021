//! Textures, their builders and views.

use crate::call::{Call, CallError, Outcome};
use crate::objects::{MemoryPool, Object, Texture, TextureBuilder, TextureView, load, update};
use crate::texels::Texels;
use nvn_decode::layout::{self, LayoutDesc};
use nvn_decode::record::{Label, Op, Region, TextureRef};
use std::sync::atomic::Ordering;

/// Texture targets, as the API numbers them.
mod target {
    pub(super) const T_1D: u32 = 0;
    pub(super) const T_2D: u32 = 1;
    pub(super) const T_3D: u32 = 2;
    pub(super) const T_1D_ARRAY: u32 = 3;
    pub(super) const T_CUBEMAP: u32 = 8;
    pub(super) const T_BUFFER: u32 = 10;
    pub(super) const COUNT: usize = 11;
}

/// Bits of [`TextureView::set`].
mod set {
    pub(super) const LEVELS: u32 = 1;
    pub(super) const LAYERS: u32 = 2;
    pub(super) const FORMAT: u32 = 4;
    pub(super) const SWIZZLE: u32 = 8;
    pub(super) const MODE: u32 = 16;
    pub(super) const TARGET: u32 = 32;
}

const IDENTITY: [u8; 4] = [2, 3, 4, 5];

fn builder_defaults(device: u64) -> TextureBuilder {
    TextureBuilder {
        device,
        extent: [1, 1, 1],
        target: target::T_2D,
        levels: 1,
        samples: 0,
        swizzle: IDENTITY,
        ..TextureBuilder::fresh()
    }
}

/// `nvnTextureBuilderSetDevice`. The device survives a later `SetDefaults`.
pub(crate) fn builder_set_device(call: &mut Call<'_>) -> Outcome {
    let mut builder: TextureBuilder = call.read(call.x[0])?;
    if builder.tag != TextureBuilder::TAG {
        builder = builder_defaults(0);
    }
    builder.device = call.x[1];
    call.write(call.x[0], &builder)?;
    Ok(0)
}

/// `nvnTextureBuilderSetDefaults`.
pub(crate) fn builder_set_defaults(call: &mut Call<'_>) -> Outcome {
    let old: TextureBuilder = call.read(call.x[0])?;
    let device = if old.tag == TextureBuilder::TAG { old.device } else { 0 };
    call.write(call.x[0], &builder_defaults(device))?;
    Ok(0)
}

macro_rules! builder_words {
    ($($set:ident $get:ident $($field:tt).+ ;)*) => { $(
        /// Sets one value of a texture builder.
        pub(crate) fn $set(call: &mut Call<'_>) -> Outcome {
            let value = call.word(1);
            update(call, call.x[0], |b: &mut TextureBuilder| b.$($field).+ = value)
        }

        /// Reads one value of a texture builder.
        pub(crate) fn $get(call: &mut Call<'_>) -> Outcome {
            Ok(u64::from(load::<TextureBuilder>(call, call.x[0])?.$($field).+))
        }
    )* };
}

builder_words! {
    builder_set_flags builder_get_flags flags;
    builder_set_levels builder_get_levels levels;
    builder_set_format builder_get_format format;
    builder_set_samples builder_get_samples samples;
    builder_set_depth_stencil_mode builder_get_depth_stencil_mode mode;
    builder_set_gl_name builder_get_gl_name gl_name;
}

macro_rules! builder_extent {
    ($($set:ident $get:ident $n:literal;)*) => { $(
        /// Sets one dimension of a texture builder.
        pub(crate) fn $set(call: &mut Call<'_>) -> Outcome {
            let value = call.word(1);
            update(call, call.x[0], |b: &mut TextureBuilder| b.extent[$n] = value)
        }

        /// Reads one dimension of a texture builder.
        pub(crate) fn $get(call: &mut Call<'_>) -> Outcome {
            Ok(u64::from(load::<TextureBuilder>(call, call.x[0])?.extent[$n]))
        }
    )* };
}

builder_extent! {
    builder_set_width builder_get_width 0;
    builder_set_height builder_get_height 1;
    builder_set_depth builder_get_depth 2;
}

/// `nvnTextureBuilderSetTarget`.
pub(crate) fn builder_set_target(call: &mut Call<'_>) -> Outcome {
    let value = call.index(1, "texture target", target::COUNT)? as u32;
    update(call, call.x[0], |b: &mut TextureBuilder| b.target = value)
}

/// `nvnTextureBuilderGetTarget`.
pub(crate) fn builder_get_target(call: &mut Call<'_>) -> Outcome {
    Ok(u64::from(load::<TextureBuilder>(call, call.x[0])?.target))
}

fn set_size(call: &Call<'_>, dimensions: usize) -> Outcome {
    let extent = std::array::from_fn(|n| if n < dimensions { call.word(n + 1) } else { 1 });
    update(call, call.x[0], |b: &mut TextureBuilder| b.extent = extent)
}

/// `nvnTextureBuilderSetSize1D`.
pub(crate) fn builder_set_size_1d(call: &mut Call<'_>) -> Outcome {
    set_size(call, 1)
}

/// `nvnTextureBuilderSetSize2D`.
pub(crate) fn builder_set_size_2d(call: &mut Call<'_>) -> Outcome {
    set_size(call, 2)
}

/// `nvnTextureBuilderSetSize3D`.
pub(crate) fn builder_set_size_3d(call: &mut Call<'_>) -> Outcome {
    set_size(call, 3)
}

/// `nvnTextureBuilderSetSwizzle`.
pub(crate) fn builder_set_swizzle(call: &mut Call<'_>) -> Outcome {
    let swizzle = std::array::from_fn(|n| call.word(n + 1) as u8);
    update(call, call.x[0], |b: &mut TextureBuilder| b.swizzle = swizzle)
}

/// `nvnTextureBuilderGetSwizzle`.
pub(crate) fn builder_get_swizzle(call: &mut Call<'_>) -> Outcome {
    let builder: TextureBuilder = load(call, call.x[0])?;
    write_swizzle(call, builder.swizzle)
}

fn write_swizzle(call: &Call<'_>, swizzle: [u8; 4]) -> Outcome {
    for (n, component) in swizzle.iter().enumerate() {
        call.write_out(call.x[n + 1], &u32::from(*component))?;
    }
    Ok(0)
}

/// `nvnTextureBuilderSetStorage`.
pub(crate) fn builder_set_storage(call: &mut Call<'_>) -> Outcome {
    let (pool, offset) = (call.x[1], call.x[2]);
    update(call, call.x[0], |b: &mut TextureBuilder| (b.pool, b.offset) = (pool, offset))
}

/// `nvnTextureBuilderGetMemoryPool`.
pub(crate) fn builder_get_memory_pool(call: &mut Call<'_>) -> Outcome {
    Ok(load::<TextureBuilder>(call, call.x[0])?.pool)
}

/// `nvnTextureBuilderGetMemoryOffset`.
pub(crate) fn builder_get_memory_offset(call: &mut Call<'_>) -> Outcome {
    Ok(load::<TextureBuilder>(call, call.x[0])?.offset)
}

/// `nvnTextureBuilderSetStride`.
pub(crate) fn builder_set_stride(call: &mut Call<'_>) -> Outcome {
    let stride = call.x[1];
    update(call, call.x[0], |b: &mut TextureBuilder| b.stride = stride)
}

/// `nvnTextureBuilderGetStride`.
pub(crate) fn builder_get_stride(call: &mut Call<'_>) -> Outcome {
    Ok(load::<TextureBuilder>(call, call.x[0])?.stride)
}

/// `nvnTextureBuilderSetPackagedTextureData`: the data lies in the storage already.
pub(crate) fn builder_set_packaged_data(call: &mut Call<'_>) -> Outcome {
    let data = call.x[1];
    update(call, call.x[0], |b: &mut TextureBuilder| b.packaged = data)
}

/// `nvnTextureBuilderGetPackagedTextureData`.
pub(crate) fn builder_get_packaged_data(call: &mut Call<'_>) -> Outcome {
    Ok(load::<TextureBuilder>(call, call.x[0])?.packaged)
}

/// What a builder describes, without its place.
fn describe(builder: &TextureBuilder) -> TextureRef {
    let texture = TextureRef {
        flags: builder.flags,
        extent: builder.extent.map(|n| n.max(1)),
        format: builder.format,
        view_format: builder.format,
        stride: u32::try_from(builder.stride).unwrap_or(u32::MAX),
        target: builder.target as u8,
        view_target: builder.target as u8,
        levels: builder.levels.clamp(1, 16) as u8,
        samples: builder.samples.clamp(1, 32) as u8,
        swizzle: builder.swizzle,
        depth_stencil_mode: builder.mode as u8,
        view_levels: builder.levels.clamp(1, 16) as u8,
        ..TextureRef::default()
    };
    let view_layers = u16::try_from(layers(&texture)).unwrap_or(u16::MAX);
    let texture = TextureRef { view_layers, ..texture };
    let block_height_log2 =
        layout::auto_block_height_log2(&LayoutDesc { block_height_log2: None, ..LayoutDesc::from(&texture) });
    let texture = TextureRef { block_height_log2, ..texture };
    TextureRef { size: layout::storage_size(&LayoutDesc::from(&texture)), ..texture }
}

/// Layers of a texture, or slices of a 3D one.
fn layers(texture: &TextureRef) -> u32 {
    match u32::from(texture.target) {
        target::T_1D | target::T_2D | target::T_BUFFER | 5 | 7 => 1,
        target::T_1D_ARRAY => texture.extent[1],
        target::T_CUBEMAP => 6,
        _ => texture.extent[2],
    }
}

/// `nvnTextureBuilderGetStorageSize`.
pub(crate) fn builder_get_storage_size(call: &mut Call<'_>) -> Outcome {
    Ok(describe(&load(call, call.x[0])?).size)
}

/// `nvnTextureBuilderGetStorageAlignment`.
pub(crate) fn builder_get_storage_alignment(call: &mut Call<'_>) -> Outcome {
    Ok(layout::storage_alignment(&LayoutDesc::from(&describe(&load(call, call.x[0])?))))
}

/// `nvnTextureInitialize`.
pub(crate) fn initialize(call: &mut Call<'_>) -> Outcome {
    let builder: TextureBuilder = load(call, call.x[1])?;
    let pool: MemoryPool = load(call, builder.pool)?;
    let value = TextureRef { pool: pool.ordinal, offset: builder.offset, ..describe(&builder) };
    if builder.offset.checked_add(value.size).is_none_or(|end| end > pool.size) {
        return Err(CallError::Argument {
            what: "texture storage offset",
            value: builder.offset,
            rule: "offset + GetStorageSize must lie inside the pool",
        });
    }
    let id = call.nvn.next_debug_id.fetch_add(1, Ordering::Relaxed);
    call.write(
        call.x[0],
        &Texture { id, pool: builder.pool, address: pool.address + builder.offset, value, ..Texture::fresh() },
    )?;
    Ok(1)
}

macro_rules! texture_getters {
    ($($name:ident $value:expr;)*) => { $(
        /// Reads one value of a texture.
        pub(crate) fn $name(call: &mut Call<'_>) -> Outcome {
            let texture: Texture = load(call, call.x[0])?;
            let value: fn(&Texture) -> u64 = $value;
            Ok(value(&texture))
        }
    )* };
}

texture_getters! {
    get_flags |t| t.value.flags.into();
    get_target |t| t.value.target.into();
    get_width |t| t.value.extent[0].into();
    get_height |t| t.value.extent[1].into();
    get_depth |t| t.value.extent[2].into();
    get_levels |t| t.value.levels.into();
    get_format |t| t.value.format.into();
    get_samples |t| t.value.samples.into();
    get_depth_stencil_mode |t| t.value.depth_stencil_mode.into();
    get_stride |t| t.value.stride.into();
    get_texture_address |t| t.address;
    get_memory_pool |t| t.pool;
    get_memory_offset |t| t.value.offset;
    get_storage_size |t| t.value.size;
    get_debug_id |t| t.id.into();
}

/// `nvnTextureSetDebugLabel`: the text is copied.
pub(crate) fn set_debug_label(call: &mut Call<'_>) -> Outcome {
    let texture: Texture = load(call, call.x[0])?;
    let text = call.text(call.x[1])?;
    let head = Label { kind: 1, object: texture.value.pool, offset: texture.value.offset };
    call.nvn.record(|w| w.open(Op::Label, 0, bytemuck::bytes_of(&head)).bytes(text.as_bytes()).close());
    Ok(0)
}

/// `nvnTextureGetSwizzle`.
pub(crate) fn get_swizzle(call: &mut Call<'_>) -> Outcome {
    let texture: Texture = load(call, call.x[0])?;
    write_swizzle(call, texture.value.swizzle)
}

/// `nvnTextureCompare`: all that the texture shows and where (row R-004).
pub(crate) fn compare(call: &mut Call<'_>) -> Outcome {
    let a: Texture = load(call, call.x[0])?;
    let b: Texture = load(call, call.x[1])?;
    Ok(u64::from(a.value == b.value))
}

/// `nvnTextureViewSetDefaults`: nothing overridden.
pub(crate) fn view_set_defaults(call: &mut Call<'_>) -> Outcome {
    call.write(call.x[0], &TextureView::fresh())?;
    Ok(0)
}

/// `nvnTextureViewSetLevels`.
pub(crate) fn view_set_levels(call: &mut Call<'_>) -> Outcome {
    let levels = [call.word(1), call.word(2)];
    update(call, call.x[0], |v: &mut TextureView| (v.levels, v.set) = (levels, v.set | set::LEVELS))
}

/// `nvnTextureViewSetLayers`.
pub(crate) fn view_set_layers(call: &mut Call<'_>) -> Outcome {
    let layers = [call.word(1) as u16, call.word(2) as u16];
    update(call, call.x[0], |v: &mut TextureView| (v.layers, v.set) = (layers, v.set | set::LAYERS))
}

/// `nvnTextureViewSetFormat`.
pub(crate) fn view_set_format(call: &mut Call<'_>) -> Outcome {
    let format = call.word(1);
    update(call, call.x[0], |v: &mut TextureView| (v.format, v.set) = (format, v.set | set::FORMAT))
}

/// `nvnTextureViewSetSwizzle`.
pub(crate) fn view_set_swizzle(call: &mut Call<'_>) -> Outcome {
    let swizzle = std::array::from_fn(|n| call.word(n + 1) as u8);
    update(call, call.x[0], |v: &mut TextureView| (v.swizzle, v.set) = (swizzle, v.set | set::SWIZZLE))
}

/// `nvnTextureViewSetDepthStencilMode`.
pub(crate) fn view_set_depth_stencil_mode(call: &mut Call<'_>) -> Outcome {
    let mode = call.word(1);
    update(call, call.x[0], |v: &mut TextureView| (v.mode, v.set) = (mode, v.set | set::MODE))
}

/// `nvnTextureViewSetTarget`.
pub(crate) fn view_set_target(call: &mut Call<'_>) -> Outcome {
    let target = call.index(1, "texture target", target::COUNT)? as u32;
    update(call, call.x[0], |v: &mut TextureView| (v.target, v.set) = (target, v.set | set::TARGET))
}

/// `nvnTextureViewGetLevels`. The getters return whether the value was set.
pub(crate) fn view_get_levels(call: &mut Call<'_>) -> Outcome {
    let view: TextureView = load(call, call.x[0])?;
    call.write_out(call.x[1], &view.levels[0])?;
    call.write_out(call.x[2], &view.levels[1])?;
    Ok(u64::from(view.set & set::LEVELS != 0))
}

/// `nvnTextureViewGetLayers`.
pub(crate) fn view_get_layers(call: &mut Call<'_>) -> Outcome {
    let view: TextureView = load(call, call.x[0])?;
    call.write_out(call.x[1], &u32::from(view.layers[0]))?;
    call.write_out(call.x[2], &u32::from(view.layers[1]))?;
    Ok(u64::from(view.set & set::LAYERS != 0))
}

/// `nvnTextureViewGetFormat`.
pub(crate) fn view_get_format(call: &mut Call<'_>) -> Outcome {
    let view: TextureView = load(call, call.x[0])?;
    call.write_out(call.x[1], &view.format)?;
    Ok(u64::from(view.set & set::FORMAT != 0))
}

/// `nvnTextureViewGetSwizzle`.
pub(crate) fn view_get_swizzle(call: &mut Call<'_>) -> Outcome {
    let view: TextureView = load(call, call.x[0])?;
    write_swizzle(call, view.swizzle)?;
    Ok(u64::from(view.set & set::SWIZZLE != 0))
}

/// `nvnTextureViewGetDepthStencilMode`.
pub(crate) fn view_get_depth_stencil_mode(call: &mut Call<'_>) -> Outcome {
    let view: TextureView = load(call, call.x[0])?;
    call.write_out(call.x[1], &view.mode)?;
    Ok(u64::from(view.set & set::MODE != 0))
}

/// `nvnTextureViewGetTarget`.
pub(crate) fn view_get_target(call: &mut Call<'_>) -> Outcome {
    let view: TextureView = load(call, call.x[0])?;
    call.write_out(call.x[1], &view.target)?;
    Ok(u64::from(view.set & set::TARGET != 0))
}

/// `nvnTextureViewCompare`.
pub(crate) fn view_compare(call: &mut Call<'_>) -> Outcome {
    let a: TextureView = load(call, call.x[0])?;
    let b: TextureView = load(call, call.x[1])?;
    Ok(u64::from(a == b))
}

/// One component of a view over a texture's component mapping.
fn compose(texture: [u8; 4], view: u8) -> u8 {
    match view {
        2..=5 => texture[usize::from(view) - 2],
        constant => constant,
    }
}

/// A texture by value through a view object; the whole texture for a null view.
pub(crate) fn view_of(call: &Call<'_>, texture: &Texture, view_address: u64) -> Result<TextureRef, CallError> {
    let mut value = texture.value;
    if view_address == 0 {
        return Ok(value);
    }
    let view: TextureView = load(call, view_address)?;
    let has = |bit| view.set & bit != 0;
    if has(set::TARGET) {
        value.view_target = view.target as u8;
    }
    if has(set::FORMAT) {
        value.view_format = view.format;
    }
    if has(set::SWIZZLE) {
        value.swizzle = view.swizzle.map(|component| compose(texture.value.swizzle, component));
    }
    if has(set::MODE) {
        value.depth_stencil_mode = view.mode as u8;
    }
    if has(set::LEVELS) {
        let last = u32::from(value.levels) - 1;
        let first = view.levels[0].min(last);
        value.view_level = first as u8;
        value.view_levels = view.levels[1].clamp(1, last - first + 1) as u8;
    }
    if has(set::LAYERS) {
        let all = u32::from(value.view_layers).max(1);
        let first = u32::from(view.layers[0]).min(all - 1);
        value.view_layer = first as u16;
        value.view_layers = u32::from(view.layers[1]).clamp(1, all - first) as u16;
    } else if u32::from(value.target) == target::T_3D {
        // A 3D level has fewer slices than level 0.
        value.view_layers = (u32::from(value.view_layers) >> value.view_level).max(1) as u16;
    }
    Ok(value)
}

/// Loads the texture at argument `texture`, seen through the view at argument `view`.
pub(crate) fn argument(call: &Call<'_>, texture: usize, view: usize) -> Result<TextureRef, CallError> {
    let object: Texture = load(call, call.x[texture])?;
    view_of(call, &object, call.x[view])
}

/// The region that argument 2 names, in the level that texture and view name.
fn texels(call: &Call<'_>) -> Result<Texels, CallError> {
    let texture: Texture = load(call, call.x[0])?;
    let value = view_of(call, &texture, call.x[1])?;
    let region: Region = call.read(call.x[2])?;
    Texels::new(&value, texture.address, region).ok_or(CallError::Argument {
        what: "copy region",
        value: call.x[2],
        rule: "it must lie inside the level and follow the format's blocks",
    })
}

fn write_texels(call: &Call<'_>, row_stride: u64, image_stride: u64) -> Outcome {
    let texels = texels(call)?.with_strides(row_stride, image_stride);
    let source: Vec<u8> = call.read_slice(call.x[3], texels.linear_bytes())?;
    texels.write(call.memory, &source)?;
    Ok(0)
}

/// `nvnTextureWriteTexels`.
pub(crate) fn write_texels_tight(call: &mut Call<'_>) -> Outcome {
    write_texels(call, 0, 0)
}

/// `nvnTextureWriteTexelsStrided`.
pub(crate) fn write_texels_strided(call: &mut Call<'_>) -> Outcome {
    write_texels(call, call.x[4], call.x[5])
}

fn read_texels(call: &Call<'_>, row_stride: u64, image_stride: u64) -> Outcome {
    let texels = texels(call)?.with_strides(row_stride, image_stride);
    // What lies between rows stays the guest's.
    let mut target: Vec<u8> = call.read_slice(call.x[3], texels.linear_bytes())?;
    texels.read(call.memory, &mut target)?;
    call.memory.write(call.x[3], &target)?;
    Ok(0)
}

/// `nvnTextureReadTexels`.
pub(crate) fn read_texels_tight(call: &mut Call<'_>) -> Outcome {
    read_texels(call, 0, 0)
}

/// `nvnTextureReadTexelsStrided`.
pub(crate) fn read_texels_strided(call: &mut Call<'_>) -> Outcome {
    read_texels(call, call.x[4], call.x[5])
}
