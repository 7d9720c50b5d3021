//! The record format: what the API recorded, by value, the same bytes in memory and in a trace.
//!
//! # Framing
//! Every record is `u16 operation, u16 flags, u32 length, payload[length]`, little-endian, padded with zeros to a multiple of 4 bytes (the padding is not
//! part of `length`). Payloads are the `#[repr(C)]` structs of this module, some followed by a tail of bytes or of further structs.
//!
//! # Two levels
//! - *Stream* records (operations below 0x100) are events of the device, in one total order: pools, programs, descriptors, finished command lists,
//!   submissions, fences, presents, and in a trace the contents of pages.
//! - *Command* records (0x100 and above) stand inside a [`Op::CommandList`] and mirror the command-buffer calls.
//!
//! A record never holds a pointer that must be followed later: textures, views, samplers and state objects are copied at the call (rows R-001a, A-033). GPU
//! addresses are payload; they are mapped to (pool, offset) when a part is ingested.

use bytemuck::{AnyBitPattern, NoUninit};

/// Declares the operations once: name, code, payload.
macro_rules! operations {
    ($( $(#[$doc:meta])* $name:ident = $code:literal ),* $(,)?) => {
        /// Operation of a record.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u16)]
        pub enum Op { $( $(#[$doc])* $name = $code ),* }

        impl Op {
            /// All operations.
            pub const ALL: &'static [Op] = &[$(Op::$name),*];

            /// The operation of a code.
            #[must_use]
            pub fn from_code(code: u16) -> Option<Self> {
                match code { $($code => Some(Op::$name),)* _ => None }
            }

            /// The name, as diagnostics and exports print it.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Op::$name => stringify!($name)),* }
            }
        }
    };
}

operations! {
    // Stream records.
    /// [`DeviceFacts`].
    Device = 0x01,
    /// [`Pool`].
    PoolCreate = 0x02,
    /// [`PoolEnd`].
    PoolFinalize = 0x03,
    /// [`ProgramHeader`], then per stage [`StageHeader`] + control bytes + code bytes (each padded to 4).
    Program = 0x04,
    /// [`DescriptorTexture`].
    RegisterTexture = 0x05,
    /// [`DescriptorTexture`] of an image.
    RegisterImage = 0x06,
    /// [`DescriptorSampler`].
    RegisterSampler = 0x07,
    /// [`ListHeader`], then command records.
    CommandList = 0x08,
    /// [`Submit`], then u64 list handles.
    Submit = 0x09,
    /// [`Fence`]: signalled when everything submitted before it on the queue is complete.
    FenceSync = 0x0A,
    /// [`Fence`]: the queue waits.
    WaitSync = 0x0B,
    /// [`Window`], then [`TextureRef`] per texture.
    Window = 0x0C,
    /// [`PresentTexture`].
    Present = 0x0D,
    /// [`FlushRange`]: the CPU flushed a range (a hint; writes are tracked anyway).
    FlushRange = 0x0E,
    /// [`ImageContents`], then per plane [`Plane`] + bytes: contents of an image that the GPU wrote (keyframes only).
    ImageContents = 0x10,
    /// [`Label`] + UTF-8 bytes: a debug label for an object.
    Label = 0x11,
    /// End of a part: decisions about order are fixed up to here. No payload.
    PartEnd = 0x12,
    /// [`PageRef`]: contents of a guest page at this point, by number (traces only).
    PageRef = 0x13,
    /// [`KeyBegin`]: what follows, up to the end of the part, is the whole state (keyframes only).
    KeyBegin = 0x14,
    /// [`BufferContents`] + bytes: contents of a pool's buffer that the GPU wrote (keyframes only).
    BufferContents = 0x15,
    /// [`PoolResource`]: stands before the pool's [`Op::PoolCreate`] (keyframes only).
    PoolResource = 0x16,
    /// JSON: what the rules of the recording build remembered (keyframes only). A reader that does not know it may pass over it.
    History = 0x17,

    // Command records.
    /// [`SetRenderTargets`], then [`TextureRef`] for each set colour bit in order, then one for depth if set.
    SetRenderTargets = 0x100,
    /// [`BindProgram`].
    BindProgram = 0x101,
    /// [`BlendTarget`] (one target).
    BindBlend = 0x102,
    /// [`ColorState`].
    BindColor = 0x103,
    /// u32 × 8: channel masks, bit 0 = red.
    BindChannelMask = 0x104,
    /// [`PolygonState`].
    BindPolygon = 0x105,
    /// [`DepthStencilState`].
    BindDepthStencil = 0x106,
    /// [`MultisampleState`].
    BindMultisample = 0x107,
    /// [`VertexAttrib`] × n.
    BindVertexAttribs = 0x108,
    /// [`VertexStream`] × n.
    BindVertexStreams = 0x109,
    /// [`SlotRange`] (stage unused).
    BindVertexBuffer = 0x10A,
    /// [`SlotRange`].
    BindUniformBuffer = 0x10B,
    /// [`SlotRange`].
    BindStorageBuffer = 0x10C,
    /// [`SlotHandle`].
    BindTexture = 0x10D,
    /// [`SlotHandle`].
    BindImage = 0x10E,
    /// [`DescriptorPool`].
    SetTexturePool = 0x10F,
    /// [`DescriptorPool`].
    SetSamplerPool = 0x110,
    /// [`ViewportRect`] × n from index `flags`.
    SetViewports = 0x111,
    /// [`ScissorRect`] × n from index `flags`.
    SetScissors = 0x112,
    /// [`DepthRange`] × n from index `flags`.
    SetDepthRanges = 0x113,
    /// [`StencilFaces`]: value mask.
    SetStencilValueMask = 0x114,
    /// [`StencilFaces`]: write mask.
    SetStencilMask = 0x115,
    /// [`StencilFaces`]: reference.
    SetStencilRef = 0x116,
    /// f32 × 4.
    SetBlendColor = 0x117,
    /// [`PolygonOffset`].
    SetPolygonOffset = 0x118,
    /// f32.
    SetAlphaRef = 0x119,
    /// f32.
    SetPointSize = 0x11A,
    /// f32.
    SetLineWidth = 0x11B,
    /// u32.
    SetSampleMask = 0x11C,
    /// u32 boolean.
    SetRasterizerDiscard = 0x11D,
    /// u32 boolean.
    SetDepthClamp = 0x11E,
    /// [`PrimitiveRestart`].
    SetPrimitiveRestart = 0x11F,
    /// u32.
    SetPatchSize = 0x120,
    /// [`DepthBounds`].
    SetDepthBounds = 0x121,
    /// [`Draw`].
    Draw = 0x130,
    /// [`DrawIndirect`].
    DrawIndirect = 0x131,
    /// u32 × 3 group counts.
    Dispatch = 0x132,
    /// u64 address of three u32.
    DispatchIndirect = 0x133,
    /// [`ClearColor`].
    ClearColor = 0x134,
    /// [`ClearDepthStencil`].
    ClearDepthStencil = 0x135,
    /// u32 barrier bits as the API gives them.
    Barrier = 0x136,
    /// [`CopyBufferTexture`].
    CopyBufferToTexture = 0x137,
    /// [`CopyBufferTexture`].
    CopyTextureToBuffer = 0x138,
    /// [`CopyTextureTexture`].
    CopyTextureToTexture = 0x139,
    /// [`CopyBuffer`].
    CopyBufferToBuffer = 0x13A,
    /// [`ClearBuffer`].
    ClearBuffer = 0x13B,
    /// [`ClearTexture`].
    ClearTexture = 0x13C,
    /// [`InlineUpdate`] + bytes.
    UpdateUniformBuffer = 0x13D,
    /// [`CounterReport`].
    ReportCounter = 0x13E,
    /// u32 counter.
    ResetCounter = 0x13F,
    /// [`Fence`].
    CommandFenceSync = 0x140,
    /// [`Fence`].
    CommandWaitSync = 0x141,
    /// u64 list handle: run another list here; looked up at submit.
    CallCommands = 0x142,
    /// [`Downsample`].
    Downsample = 0x143,
    /// u32 colour index: contents may be dropped.
    DiscardColor = 0x144,
    /// Contents of depth/stencil may be dropped. No payload.
    DiscardDepthStencil = 0x145,
    /// UTF-8 bytes.
    PushDebugGroup = 0x146,
    /// No payload.
    PopDebugGroup = 0x147,
    /// UTF-8 bytes.
    DebugMarker = 0x148,
    /// u32 function ordinal: a call that the decoder does not carry out; a decision says so.
    Unsupported = 0x149,
}

macro_rules! payloads {
    ($( $(#[$doc:meta])* struct $name:ident { $( $(#[$fdoc:meta])* $field:ident : $ty:ty ),* $(,)? } )*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Default, NoUninit, AnyBitPattern)]
            #[repr(C)]
            pub struct $name { $( $(#[$fdoc])* pub $field: $ty ),* }
        )*
    };
}

/// A texture by value, and the view through which it is used. Enumerators are the API's own numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, NoUninit, AnyBitPattern)]
#[repr(C)]
pub struct TextureRef {
    /// Byte offset of the storage in its pool.
    pub offset: u64,
    /// Bytes of storage.
    pub size: u64,
    /// Pool ordinal.
    pub pool: u32,
    /// Texture flags of the builder.
    pub flags: u32,
    /// Width, height, depth (or layers) as given to the builder.
    pub extent: [u32; 3],
    /// Format of the texture.
    pub format: u32,
    /// Row stride in bytes of a linear texture; 0 = block-linear.
    pub stride: u32,
    /// Format of the view (that of the texture where the view names none).
    pub view_format: u32,
    /// Texture target.
    pub target: u8,
    /// Mip levels.
    pub levels: u8,
    /// Samples per texel.
    pub samples: u8,
    /// log2 of the block height in GOBs of level 0.
    pub block_height_log2: u8,
    /// Component mapping of the texture combined with that of the view.
    pub swizzle: [u8; 4],
    /// Target of the view.
    pub view_target: u8,
    /// First level of the view.
    pub view_level: u8,
    /// Levels of the view.
    pub view_levels: u8,
    /// 0 = depth, 1 = stencil shown when sampled.
    pub depth_stencil_mode: u8,
    /// First layer of the view.
    pub view_layer: u16,
    /// Layers of the view.
    pub view_layers: u16,
}

impl std::hash::Hash for TextureRef {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        // Equal fields are equal bytes, since there is no padding; one by one the twenty fields would cost several times as much.
        state.write(bytemuck::bytes_of(self));
    }
}

payloads! {
    /// Facts about the device that give every later record its meaning.
    struct DeviceFacts {
        /// 0 = lower left, 1 = upper left.
        window_origin: u32,
        /// 0 = near is -w, 1 = near is zero.
        depth_mode: u32,
        /// API version the guest was told.
        api_major: u32,
        /// API version the guest was told.
        api_minor: u32,
    }

    /// A memory pool.
    struct Pool {
        /// GPU address of its first byte (the CPU's address too).
        address: u64,
        /// Bytes.
        size: u64,
        /// Ordinal: counts pools in order of creation, from 0.
        ordinal: u32,
        /// Flags of the builder.
        flags: u32,
    }

    /// A pool ended.
    struct PoolEnd {
        /// Ordinal.
        ordinal: u32,
    }

    /// Header of [`Op::Program`].
    struct ProgramHeader {
        /// Id: counts `SetShaders` calls, from 1.
        id: u32,
        /// Stages that follow.
        stages: u32,
    }

    /// Header of a stage of a program.
    struct StageHeader {
        /// The API's stage number.
        stage: u32,
        /// Bytes of control section.
        control: u32,
        /// Bytes of code section.
        code: u32,
    }

    /// A texture or image descriptor was written.
    struct DescriptorTexture {
        /// Address of the descriptor pool's memory.
        pool_address: u64,
        /// Descriptor id.
        id: u32,
        /// Zero.
        reserved: u32,
        /// What it shows.
        texture: TextureRef,
    }

    /// A sampler, by value.
    struct Sampler {
        /// Min filter, mag filter as the API numbers them.
        min_mag: [u32; 2],
        /// Wrap of s, t, r.
        wrap: [u32; 3],
        /// Smallest and largest level of detail.
        lod: [f32; 2],
        /// Bias.
        lod_bias: f32,
        /// Largest anisotropy.
        anisotropy: f32,
        /// Compare mode and function.
        compare: [u32; 2],
        /// Border colour words.
        border: [u32; 4],
        /// 0 = float, 1 = signed, 2 = unsigned border colour.
        border_class: u32,
        /// Reduction filter.
        reduction: u32,
    }

    /// A sampler descriptor was written.
    struct DescriptorSampler {
        /// Address of the descriptor pool's memory.
        pool_address: u64,
        /// Descriptor id.
        id: u32,
        /// Zero.
        reserved: u32,
        /// What it is.
        sampler: Sampler,
        /// Zero.
        padding: u32,
    }

    /// Header of a finished command list.
    struct ListHeader {
        /// The handle that the guest got.
        handle: u64,
    }

    /// Header of a submission; u64 handles follow.
    struct Submit {
        /// Queue ordinal.
        queue: u32,
        /// Handles that follow.
        count: u32,
    }

    /// A fence or a wait.
    struct Fence {
        /// Sync id: counts sync objects.
        sync: u64,
        /// Which signal of that sync: counts its fences.
        value: u64,
        /// Queue ordinal.
        queue: u32,
        /// The API's condition.
        condition: u32,
    }

    /// A window; [`TextureRef`]s follow.
    struct Window {
        /// Ordinal.
        window: u32,
        /// Textures that follow.
        count: u32,
    }

    /// A window texture is presented.
    struct PresentTexture {
        /// Window ordinal.
        window: u32,
        /// Index of the texture.
        index: u32,
        /// Crop x, y, width, height; zero size = whole.
        crop: [i32; 4],
        /// Queue ordinal.
        queue: u32,
        /// Present interval.
        interval: u32,
    }

    /// A flushed range.
    struct FlushRange {
        /// Offset in the pool.
        offset: u64,
        /// Bytes.
        length: u64,
        /// Pool ordinal.
        pool: u32,
        /// Zero.
        reserved: u32,
    }

    /// Contents of a page that the trace holds once.
    struct PageRef {
        /// Guest address of the page, a multiple of 4096.
        address: u64,
        /// Number of the page among the trace's distinct pages.
        page: u32,
        /// Zero.
        reserved: u32,
    }

    /// Contents of an image; planes follow.
    struct ImageContents {
        /// Which image.
        texture: TextureRef,
        /// Planes that follow: one of colour, or one of depth, of stencil, or both.
        planes: u32,
        /// Zero.
        reserved: u32,
    }

    /// One plane of an image; bytes follow, padded to 4.
    ///
    /// Levels lie one after another from level 0; a level holds its layers (or slices) one after another, a layer its rows from row 0, tightly packed.
    struct Plane {
        /// 0 colour, 1 depth, 2 stencil.
        aspect: u32,
        /// How a texel is stored: 0 as the texture's own format stores it (rows of blocks where it is compressed), 1 depth as 16-bit unorm, 2 depth as
        /// 24-bit unorm in the low end of 4 bytes, 3 depth as 32-bit float, 4 stencil as one byte.
        encoding: u32,
        /// Bytes that follow.
        length: u64,
    }

    /// Begins the state of a keyframe.
    struct KeyBegin {
        /// Parts before the keyframe; the next part has the number after this.
        parts: u64,
        /// Number of the frame that follows.
        frame: u64,
    }

    /// Contents of a pool's buffer; bytes follow.
    struct BufferContents {
        /// Offset in the pool.
        offset: u64,
        /// Bytes that follow.
        length: u64,
        /// Pool ordinal.
        pool: u32,
        /// 0 = what the GPU wrote; 1 = a page that the GPU wrote in part, as the CPU last gave it.
        kind: u32,
    }

    /// The number of a pool's buffer among the resources of the graph, so that resources come back in the same order.
    struct PoolResource {
        /// Pool ordinal.
        ordinal: u32,
        /// Number.
        resource: u32,
    }

    /// A label; UTF-8 bytes follow.
    struct Label {
        /// 0 = pool, 1 = texture (by pool and offset), 2 = program, 3 = queue, 4 = window.
        kind: u32,
        /// Ordinal, id or pool.
        object: u32,
        /// Offset, for textures.
        offset: u64,
    }

    /// Header of [`Op::SetRenderTargets`].
    struct SetRenderTargets {
        /// Bit n: colour slot n is set (its texture follows).
        colors: u32,
        /// Number of slots the call named.
        count: u32,
        /// Whether a depth/stencil texture follows last.
        depth: u32,
    }

    /// Program bind.
    struct BindProgram {
        /// Program id; 0 = none.
        program: u32,
        /// The API's stage bits.
        stages: u32,
    }

    /// Blend state of one target, the API's enumerators.
    struct BlendTarget {
        /// Target.
        target: u32,
        /// Source and destination colour factor, then alpha.
        factors: [u32; 4],
        /// Colour and alpha equation.
        equations: [u32; 2],
        /// Advanced mode; 0 = off.
        advanced: u32,
    }

    /// Colour state.
    struct ColorState {
        /// Bit n: target n blends.
        blend_enable: u32,
        /// Logic operation.
        logic_op: u32,
        /// Alpha test function.
        alpha_test: u32,
    }

    /// Polygon state.
    struct PolygonState {
        /// Cull face.
        cull: u32,
        /// Front face.
        front: u32,
        /// Polygon mode.
        mode: u32,
        /// Offset enables: 1 point, 2 line, 4 fill.
        offset_enables: u32,
    }

    /// Depth and stencil state. Arrays are front, back.
    struct DepthStencilState {
        /// Depth test on.
        depth_test: u32,
        /// Depth writes on.
        depth_write: u32,
        /// Depth function.
        depth_func: u32,
        /// Stencil test on.
        stencil_test: u32,
        /// Stencil functions.
        stencil_func: [u32; 2],
        /// Stencil fail, depth fail, pass: front.
        front_ops: [u32; 3],
        /// Stencil fail, depth fail, pass: back.
        back_ops: [u32; 3],
    }

    /// Multisample state.
    struct MultisampleState {
        /// Multisampling on.
        enable: u32,
        /// Samples.
        samples: u32,
        /// Alpha to coverage on.
        alpha_to_coverage: u32,
        /// Raster samples.
        raster_samples: u32,
    }

    /// One vertex attribute; index = place in the record.
    struct VertexAttrib {
        /// Format; 0 = unset.
        format: u32,
        /// Byte offset.
        offset: u32,
        /// Stream.
        stream: u32,
    }

    /// One vertex stream.
    struct VertexStream {
        /// Bytes per element.
        stride: u32,
        /// Divisor; 0 = per vertex.
        divisor: u32,
    }

    /// A buffer range in a slot.
    struct SlotRange {
        /// GPU address; 0 = none.
        address: u64,
        /// Bytes.
        size: u64,
        /// The API's stage number.
        stage: u32,
        /// Slot.
        index: u32,
    }

    /// A handle in a slot.
    struct SlotHandle {
        /// Handle.
        handle: u64,
        /// The API's stage number.
        stage: u32,
        /// Slot.
        index: u32,
    }

    /// A descriptor pool.
    struct DescriptorPool {
        /// Address of its memory.
        address: u64,
        /// Descriptors.
        count: u32,
        /// Zero.
        reserved: u32,
    }

    /// Viewport.
    struct ViewportRect {
        /// x, y, width, height.
        rect: [f32; 4],
    }

    /// Scissor.
    struct ScissorRect {
        /// x, y, width, height.
        rect: [i32; 4],
    }

    /// Depth range.
    struct DepthRange {
        /// Near.
        near: f32,
        /// Far.
        far: f32,
    }

    /// A stencil value for faces.
    struct StencilFaces {
        /// The API's face bits: 1 front, 2 back.
        faces: u32,
        /// Value.
        value: u32,
    }

    /// Polygon offset in the API's argument order.
    struct PolygonOffset {
        /// Slope factor.
        factor: f32,
        /// Units.
        units: f32,
        /// Clamp.
        clamp: f32,
    }

    /// Primitive restart.
    struct PrimitiveRestart {
        /// On.
        enable: u32,
        /// Index.
        index: u32,
    }

    /// Depth bounds test.
    struct DepthBounds {
        /// On.
        enable: u32,
        /// Smallest.
        min: f32,
        /// Largest.
        max: f32,
    }

    /// A draw with its arguments in the command.
    struct Draw {
        /// Address of the indices; unused without.
        indices: u64,
        /// Primitive.
        primitive: u32,
        /// 0 = no indices, else 1 + the API's index type.
        index_type: u32,
        /// First vertex, or base vertex (as i32 bits) with indices.
        first: u32,
        /// Vertices or indices.
        count: u32,
        /// First instance.
        base_instance: u32,
        /// Instances.
        instances: u32,
    }

    /// A draw with its arguments in memory.
    struct DrawIndirect {
        /// Address of the arguments.
        arguments: u64,
        /// Address of the indices; unused without.
        indices: u64,
        /// Address of a draw count; 0 = none.
        count_address: u64,
        /// Primitive.
        primitive: u32,
        /// 0 = no indices, else 1 + the API's index type.
        index_type: u32,
        /// Draws, or the largest number of draws.
        count: u32,
        /// Bytes between argument records.
        stride: u32,
    }

    /// Clear of a colour target.
    struct ClearColor {
        /// Slot.
        index: u32,
        /// Mask, bit 0 = red.
        mask: u32,
        /// Words in the class of `class`.
        value: [u32; 4],
        /// 0 = float, 1 = signed, 2 = unsigned.
        class: u32,
    }

    /// Clear of depth and stencil.
    struct ClearDepthStencil {
        /// Depth.
        depth: f32,
        /// Whether depth is cleared.
        depth_mask: u32,
        /// Stencil.
        stencil: u32,
        /// Bits of stencil that are cleared.
        stencil_mask: u32,
    }

    /// A region of texels.
    struct Region {
        /// First texel, level-relative; z counts layers where there are any.
        offset: [i32; 3],
        /// Texels.
        extent: [i32; 3],
    }

    /// Copy between a buffer and a texture.
    struct CopyBufferTexture {
        /// Address of the bytes.
        address: u64,
        /// The texture.
        texture: TextureRef,
        /// Texels.
        region: Region,
        /// Bytes per row; 0 = tight.
        row_stride: u32,
        /// Bytes per image; 0 = tight.
        image_stride: u32,
        /// The API's copy flags.
        flags: u32,
        /// Zero.
        reserved: u32,
    }

    /// Copy between textures.
    struct CopyTextureTexture {
        /// From.
        source: TextureRef,
        /// To.
        target: TextureRef,
        /// Texels.
        source_region: Region,
        /// Texels.
        target_region: Region,
        /// The API's copy flags.
        flags: u32,
        /// Zero.
        reserved: u32,
    }

    /// Copy of bytes.
    struct CopyBuffer {
        /// From.
        source: u64,
        /// To.
        target: u64,
        /// Bytes.
        size: u64,
    }

    /// Fill of bytes with a word.
    struct ClearBuffer {
        /// To.
        target: u64,
        /// Bytes.
        size: u64,
        /// Word.
        word: u32,
        /// Zero.
        reserved: u32,
    }

    /// Clear of a texture outside render targets.
    struct ClearTexture {
        /// The texture.
        texture: TextureRef,
        /// Texels.
        region: Region,
        /// Words.
        value: [u32; 4],
        /// 0 = float, 1 = signed, 2 = unsigned.
        class: u32,
        /// Mask, bit 0 = red.
        mask: u32,
    }

    /// Inline update; bytes follow.
    struct InlineUpdate {
        /// Address of the buffer.
        address: u64,
        /// Bytes of the buffer.
        buffer_size: u64,
        /// Offset in it.
        offset: u64,
        /// Bytes that follow.
        size: u64,
    }

    /// Counter report.
    struct CounterReport {
        /// Address of 16 bytes.
        address: u64,
        /// Counter type; `u32::MAX` = the immediate value.
        counter: u32,
        /// Immediate value.
        value: u32,
    }

    /// Downsample.
    struct Downsample {
        /// From.
        source: TextureRef,
        /// To.
        target: TextureRef,
    }
}

/// Appends records to a byte stream.
#[derive(Debug, Default, Clone)]
pub struct Writer {
    /// The bytes so far.
    pub bytes: Vec<u8>,
}

impl Writer {
    /// Appends a record with this payload.
    pub fn record<T: NoUninit>(&mut self, op: Op, flags: u16, payload: &T) {
        self.open(op, flags, bytemuck::bytes_of(payload)).close();
    }

    /// Appends a record whose payload is a slice of structs or bytes.
    pub fn slice<T: NoUninit>(&mut self, op: Op, flags: u16, payload: &[T]) {
        self.open(op, flags, bytemuck::cast_slice(payload)).close();
    }

    /// Begins a record whose payload goes on; call [`Open::close`] at its end.
    pub fn open(&mut self, op: Op, flags: u16, head: &[u8]) -> Open<'_> {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&(op as u16).to_le_bytes());
        self.bytes.extend_from_slice(&flags.to_le_bytes());
        self.bytes.extend_from_slice(&[0; 4]);
        self.bytes.extend_from_slice(head);
        Open { writer: self, start }
    }
}

/// A record being written.
#[derive(Debug)]
pub struct Open<'a> {
    writer: &'a mut Writer,
    start: usize,
}

impl Open<'_> {
    /// Appends a struct to the payload.
    pub fn push<T: NoUninit>(self, value: &T) -> Self {
        self.writer.bytes.extend_from_slice(bytemuck::bytes_of(value));
        self
    }

    /// Appends bytes to the payload.
    pub fn bytes(self, bytes: &[u8]) -> Self {
        self.writer.bytes.extend_from_slice(bytes);
        self
    }

    /// Pads the payload to a multiple of 4 bytes.
    pub fn pad(self) -> Self {
        let length = self.writer.bytes.len() - self.start;
        self.writer.bytes.resize(self.start + length.next_multiple_of(4), 0);
        self
    }

    /// Ends the record.
    pub fn close(self) {
        let length = (self.writer.bytes.len() - self.start - HEADER) as u32;
        self.writer.bytes[self.start + 4..self.start + 8].copy_from_slice(&length.to_le_bytes());
        let padded = self.start + HEADER + (length as usize).next_multiple_of(4);
        self.writer.bytes.resize(padded, 0);
    }
}

/// Bytes of a record's header.
pub const HEADER: usize = 8;

/// One record, borrowed from its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    /// Operation.
    pub op: Op,
    /// Flags; their meaning is the operation's.
    pub flags: u16,
    /// Byte offset of the record in the stream it was read from.
    pub offset: usize,
    /// Payload.
    pub payload: &'a [u8],
}

/// What is wrong with a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The stream ends inside a record.
    #[error("record at byte {offset:#x} is cut off: it names {wanted} bytes and {left} are left")]
    Cut {
        /// Where.
        offset: usize,
        /// Bytes the record names.
        wanted: u64,
        /// Bytes there are.
        left: u64,
    },
    /// The operation is not known.
    #[error("record at byte {offset:#x} has the unknown operation {code:#06x}: it may come from a newer version")]
    UnknownOperation {
        /// Where.
        offset: usize,
        /// Code.
        code: u16,
    },
    /// The payload is too short for its operation.
    #[error("record {op} at byte {offset:#x} is too short: {have} bytes, {need} needed")]
    Short {
        /// Where.
        offset: usize,
        /// Operation.
        op: &'static str,
        /// Bytes there are.
        have: usize,
        /// Bytes needed.
        need: usize,
    },
}

impl<'a> Record<'a> {
    /// The payload as its struct, and the bytes behind it.
    ///
    /// # Errors
    /// When the payload is shorter than the struct.
    pub fn head<T: AnyBitPattern>(&self) -> Result<(T, &'a [u8]), RecordError> {
        match self.payload.split_at_checked(size_of::<T>()) {
            Some((head, rest)) => Ok((bytemuck::pod_read_unaligned(head), rest)),
            None => Err(self.short(size_of::<T>())),
        }
    }

    #[cold]
    fn short(&self, need: usize) -> RecordError {
        RecordError::Short { offset: self.offset, op: self.op.name(), have: self.payload.len(), need }
    }

    /// The payload as its struct.
    ///
    /// # Errors
    /// When the payload is shorter than the struct.
    pub fn get<T: AnyBitPattern>(&self) -> Result<T, RecordError> {
        Ok(self.head()?.0)
    }

    /// The payload as structs one behind another; a rest that is no whole struct is left out.
    pub fn items<T: AnyBitPattern>(&self) -> impl Iterator<Item = T> + use<'a, T> {
        items(self.payload)
    }
}

/// Structs one behind another in some bytes; a rest that is no whole struct is left out.
pub fn items<T: AnyBitPattern>(bytes: &[u8]) -> impl Iterator<Item = T> + use<'_, T> {
    bytes.chunks_exact(size_of::<T>().max(1)).map(bytemuck::pod_read_unaligned)
}

/// Reads records from bytes. Ends after the first error.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Reads from the first byte.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Where the next record begins.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The payload of the next record, without passing it, if it is of this operation and exactly as long as its struct.
    #[must_use]
    #[inline(always)]
    pub fn peek<T: AnyBitPattern>(&self, op: Op) -> Option<T> {
        // Without the flags.
        const WHAT: u64 = 0xFFFF_FFFF_0000_FFFF;
        let record = self.bytes.get(self.at..)?.get(..HEADER + size_of::<T>())?;
        let (header, payload) = record.split_first_chunk::<HEADER>()?;
        let expected = (size_of::<T>() as u64) << 32 | op as u64;
        (u64::from_le_bytes(*header) & WHAT == expected).then(|| bytemuck::pod_read_unaligned(payload))
    }

    /// Passes the record that [`Reader::peek`] saw.
    #[inline(always)]
    pub fn pass<T>(&mut self) {
        self.at += HEADER + size_of::<T>().next_multiple_of(4);
    }
}

impl<'a> Iterator for Reader<'a> {
    type Item = Result<Record<'a>, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        let offset = self.at;
        let rest = self.bytes.get(offset..)?;
        if rest.is_empty() {
            return None;
        }
        // Whatever happens below, an error is the last item.
        self.at = self.bytes.len();
        let cut = |wanted: u64| RecordError::Cut { offset, wanted, left: rest.len() as u64 };
        let Some(header) = rest.first_chunk::<HEADER>() else { return Some(Err(cut(HEADER as u64))) };
        let code = u16::from_le_bytes([header[0], header[1]]);
        let flags = u16::from_le_bytes([header[2], header[3]]);
        let length = u32::from_le_bytes([header[4], header[5], header[6], header[7]]);
        let Some(payload) = rest.get(HEADER..).and_then(|body| body.get(..length as usize)) else {
            return Some(Err(cut(HEADER as u64 + u64::from(length))));
        };
        let Some(op) = Op::from_code(code) else { return Some(Err(RecordError::UnknownOperation { offset, code })) };
        let padded = HEADER + (length as usize).next_multiple_of(4);
        self.at = offset.saturating_add(padded).min(self.bytes.len());
        Some(Ok(Record { op, flags, offset, payload }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let mut writer = Writer::default();
        writer.record(Op::BindProgram, 0, &BindProgram { program: 7, stages: 3 });
        writer.slice(Op::PushDebugGroup, 1, b"abc");
        let records: Vec<_> = Reader::new(&writer.bytes).map(|r| r.expect("whole")).collect();
        assert_eq!(records.len(), 2);
        assert_eq!(records[0].get::<BindProgram>(), Ok(BindProgram { program: 7, stages: 3 }));
        assert_eq!((records[1].op, records[1].flags, records[1].payload), (Op::PushDebugGroup, 1, b"abc".as_slice()));
    }

    #[test]
    fn a_cut_stream_names_the_offset_and_ends() {
        let mut writer = Writer::default();
        writer.record(Op::Barrier, 0, &1u32);
        writer.record(Op::BindProgram, 0, &BindProgram::default());
        for length in 1..writer.bytes.len() {
            let results: Vec<_> = Reader::new(&writer.bytes[..length]).collect();
            let whole = usize::from(length >= 12);
            assert_eq!(results.iter().filter(|r| r.is_ok()).count(), whole, "{length} bytes");
            if length != 12 {
                assert!(
                    matches!(results.last(), Some(Err(RecordError::Cut { offset, .. })) if *offset == whole * 12),
                    "{length} bytes"
                );
            }
        }
    }

    #[test]
    fn an_unknown_operation_is_an_error_with_its_code() {
        let bytes = [0xEE, 0xEE, 0, 0, 0, 0, 0, 0];
        assert_eq!(Reader::new(&bytes).next(), Some(Err(RecordError::UnknownOperation { offset: 0, code: 0xEEEE })));
    }

    #[test]
    fn a_short_payload_names_what_it_needs() {
        let mut writer = Writer::default();
        writer.record(Op::Draw, 0, &1u32);
        let record = Reader::new(&writer.bytes).next().expect("one").expect("whole");
        assert!(matches!(record.get::<Draw>(), Err(RecordError::Short { need: 32, have: 4, .. })));
    }
}
