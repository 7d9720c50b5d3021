//! Raw state of a part: what the records said, before any rule has looked at it.
//!
//! The decoder is the only writer. Every group of state that draws share is a table of rows; a run of draws names a row of each. A new row is made when a draw
//! finds that its group changed since the last draw, so that the groups of consecutive draws can be compared by number. Enumerators are the API's own.

use crate::record::{
    BlendTarget, ClearBuffer, ClearColor, ClearDepthStencil, ClearTexture, ColorState, CopyBuffer, CopyBufferTexture,
    CopyTextureTexture, DepthBounds, DepthRange, DepthStencilState, Downsample, MultisampleState, PolygonOffset,
    PolygonState, ScissorRect, TextureRef, VertexAttrib, VertexStream, ViewportRect,
};
use bevy_ecs::prelude::Resource;
use framegraph::ids::{NodeId, ProgramId, Rows};

/// Render targets: numbers of textures in [`crate::ingest::Device::attached`]; [`NO_TEXTURE`] = none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawTargets {
    /// Colour slots, then depth and stencil.
    pub numbers: [u32; 9],
}

/// The number of no texture.
pub const NO_TEXTURE: u32 = u32::MAX;

impl Default for RawTargets {
    fn default() -> Self {
        Self { numbers: [NO_TEXTURE; 9] }
    }
}

impl RawTargets {
    /// Place of depth and stencil among the numbers.
    pub const DEPTH: usize = 8;
}

/// Blending and channel masks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RawBlend {
    /// Per target.
    pub targets: [BlendTarget; 8],
    /// Enables, logic operation, alpha test.
    pub color: ColorState,
    /// Channel mask per target, bit 0 = red.
    pub masks: [u32; 8],
    /// Entry 0 of `masks` holds for all targets.
    pub shared_mask: bool,
    /// Blend constant.
    pub constant: [f32; 4],
    /// Reference of the alpha test.
    pub alpha_ref: f32,
}

impl Default for RawBlend {
    fn default() -> Self {
        let target = |target| BlendTarget { target, factors: [2, 1, 2, 1], equations: [1, 1], advanced: 0 };
        Self {
            targets: [0, 1, 2, 3, 4, 5, 6, 7].map(target),
            color: ColorState { blend_enable: 0, logic_op: 3, alpha_test: 8 },
            masks: [0xF; 8],
            shared_mask: false,
            constant: [0.0; 4],
            alpha_ref: 0.0,
        }
    }
}

/// Depth and stencil.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RawDepth {
    /// Tests, functions, operations.
    pub state: DepthStencilState,
    /// Mask of the comparison: front, back.
    pub value_mask: [u32; 2],
    /// Mask of the write: front, back.
    pub write_mask: [u32; 2],
    /// Reference: front, back.
    pub reference: [u32; 2],
    /// Depth is clamped instead of clipped.
    pub clamp: bool,
    /// Bounds test.
    pub bounds: DepthBounds,
    /// Depth mode of the device: 0 = near is -w, 1 = near is zero.
    pub depth_mode: u32,
}

impl Default for RawDepth {
    fn default() -> Self {
        Self {
            state: DepthStencilState {
                depth_test: 0,
                depth_write: 1,
                depth_func: 2,
                stencil_test: 0,
                stencil_func: [8, 8],
                front_ops: [1, 1, 1],
                back_ops: [1, 1, 1],
            },
            value_mask: [0xFF; 2],
            write_mask: [0xFF; 2],
            reference: [0; 2],
            clamp: false,
            bounds: DepthBounds { enable: 0, min: 0.0, max: 1.0 },
            depth_mode: 0,
        }
    }
}

/// Rasteriser.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RawRaster {
    /// Culling, facing, fill, offset enables.
    pub polygon: PolygonState,
    /// Polygon offset.
    pub offset: PolygonOffset,
    /// Multisampling.
    pub multisample: MultisampleState,
    /// Sample mask.
    pub sample_mask: u32,
    /// Rasterisation is off.
    pub discard: bool,
    /// Line width.
    pub line_width: f32,
    /// Point size for programs that write none.
    pub point_size: f32,
    /// Window origin of the device: 0 = lower left, 1 = upper left.
    pub origin: u32,
}

impl Default for RawRaster {
    fn default() -> Self {
        Self {
            polygon: PolygonState { cull: 0, front: 1, mode: 2, offset_enables: 0 },
            offset: PolygonOffset::default(),
            multisample: MultisampleState::default(),
            sample_mask: u32::MAX,
            discard: false,
            line_width: 1.0,
            point_size: 1.0,
            origin: 0,
        }
    }
}

/// Viewports, scissors and depth ranges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RawViewports {
    /// Viewports.
    pub rects: [ViewportRect; 16],
    /// Scissors.
    pub scissors: [ScissorRect; 16],
    /// Depth ranges.
    pub depth: [DepthRange; 16],
    /// Bit n: scissor n was set; else it covers everything.
    pub scissors_set: u32,
    /// Bit n: viewport n was set; else it is as large as the target.
    pub viewports_set: u32,
}

impl Default for RawViewports {
    fn default() -> Self {
        Self {
            rects: [ViewportRect::default(); 16],
            scissors: [ScissorRect::default(); 16],
            depth: [DepthRange { near: 0.0, far: 1.0 }; 16],
            scissors_set: 0,
            viewports_set: 0,
        }
    }
}

/// Vertex attributes and streams.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RawVertex {
    /// By location; format 0 = unset.
    pub attribs: [VertexAttrib; 16],
    /// By stream.
    pub streams: [VertexStream; 16],
}

/// Address and size of a buffer in a slot; address 0 = none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct BufferRange {
    /// GPU address.
    pub address: u64,
    /// Bytes.
    pub size: u64,
}

/// Bindings of one stage: rows of [`RawPart::ranges`] and [`RawPart::handles`], by slot, up to the last slot that holds something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RawSlots {
    /// Uniform buffers: ranges.
    pub uniform: Rows,
    /// Storage buffers: ranges.
    pub storage: Rows,
    /// Textures: handles.
    pub textures: Rows,
    /// Images: handles.
    pub images: Rows,
}

/// Descriptor pools: addresses of their memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct RawPools {
    /// Textures and images.
    pub textures: u64,
    /// Samplers.
    pub samplers: u64,
}

/// Rows of the groups of state that a draw obeys. Draws in a row that obey the same share a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RawState {
    /// Row of [`RawPart::targets`].
    pub targets: u32,
    /// Row of [`RawPart::blend`].
    pub blend: u32,
    /// Row of [`RawPart::depth`].
    pub depth: u32,
    /// Row of [`RawPart::raster`].
    pub raster: u32,
    /// Row of [`RawPart::viewports`].
    pub viewports: u32,
    /// Row of [`RawPart::vertex`].
    pub vertex: u32,
}

/// Draws in a row that obey the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RawRun {
    /// Row of [`RawPart::states`].
    pub state: u32,
    /// The draws.
    pub draws: Rows,
}

/// What is bound to the stages of a draw. Draws in a row that bind the same share a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RawBound {
    /// Rows of [`RawPart::slots`] per graphics stage (vertex, tess control, tess eval, geometry, fragment).
    pub slots: [u32; 5],
    /// Row of [`RawPart::pools`].
    pub pools: u32,
}

/// Addresses of an indirect draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RawIndirect {
    /// Arguments.
    pub arguments: u64,
    /// Draw count; 0 = none.
    pub count: u64,
}

/// Bindings and addresses of a draw. Index = [`framegraph::ids::DrawId`]; what it obeys stands in [`RawPart::runs`], its programs in
/// [`RawPart::draw_sets`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RawDraw {
    /// Row of [`RawPart::bound`].
    pub bound: u32,
    /// Row of [`RawPart::indirect`] of a draw whose arguments lie in memory.
    pub indirect: u32,
    /// Vertex buffers by stream: rows of [`RawPart::ranges`], up to the last stream that has one.
    pub vertex_buffers: Rows,
    /// Address of the indices; 0 = none.
    pub indices: u64,
}

/// Rows that a dispatch uses. Index = row of [`framegraph::tables::Dispatches`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RawDispatch {
    /// Row of [`RawPart::pools`].
    pub pools: u32,
    /// Row of [`RawPart::slots`].
    pub slots: u32,
    /// Address of group counts; 0 = in the command.
    pub arguments: u64,
}

/// A copy, fill or texture clear.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RawCopyKind {
    /// Bytes to texels.
    BufferToTexture(CopyBufferTexture),
    /// Texels to bytes.
    TextureToBuffer(CopyBufferTexture),
    /// Texels to texels.
    Texture(CopyTextureTexture),
    /// Bytes to bytes.
    Buffer(CopyBuffer),
    /// Word over bytes.
    Fill(ClearBuffer),
    /// Multisample resolve or filtered copy.
    Downsample(Downsample),
}

/// A copy with its node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RawCopy {
    /// The node.
    pub node: NodeId,
    /// What is copied.
    pub kind: RawCopyKind,
}

/// What a clear clears.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RawClearKind {
    /// A colour slot of the current targets.
    Color(ClearColor),
    /// The depth/stencil target.
    DepthStencil(ClearDepthStencil),
    /// A texture.
    Texture(ClearTexture),
}

/// A clear with the state that it obeys.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RawClear {
    /// The node.
    pub node: NodeId,
    /// Row of [`RawPart::targets`].
    pub targets: u32,
    /// Row of [`RawPart::viewports`]: scissor 0.
    pub viewports: u32,
    /// Row of [`RawPart::raster`]: the window origin.
    pub raster: u32,
    /// What is cleared.
    pub kind: RawClearKind,
}

/// An inline update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawUpdate {
    /// The node.
    pub node: NodeId,
    /// First byte that is written.
    pub address: u64,
    /// Offset in [`RawPart::update_bytes`].
    pub bytes: u32,
    /// Bytes.
    pub length: u32,
}

/// A present.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RawPresent {
    /// The node.
    pub node: NodeId,
    /// The window texture.
    pub texture: TextureRef,
    /// Crop x, y, width, height; zero size = whole.
    pub crop: [i32; 4],
    /// Present interval: blanks of a 60 Hz display that the picture stays at least; 0 = none.
    pub interval: u32,
    /// Window origin: 0 = lower left.
    pub origin: u32,
}

/// Everything raw about a part.
#[derive(Debug, Default, Resource)]
pub struct RawPart {
    /// Targets.
    pub targets: Vec<RawTargets>,
    /// Blending.
    pub blend: Vec<RawBlend>,
    /// Depth and stencil.
    pub depth: Vec<RawDepth>,
    /// Rasteriser.
    pub raster: Vec<RawRaster>,
    /// Viewports.
    pub viewports: Vec<RawViewports>,
    /// Vertex layout.
    pub vertex: Vec<RawVertex>,
    /// Bindings of one stage each.
    pub slots: Vec<RawSlots>,
    /// Buffers in slots.
    pub ranges: Vec<BufferRange>,
    /// Texture and image handles in slots: the low words, which alone mean something.
    pub handles: Vec<u32>,
    /// Descriptor pools.
    pub pools: Vec<RawPools>,
    /// Groups of state together.
    pub states: Vec<RawState>,
    /// Bindings of all graphics stages together.
    pub bound: Vec<RawBound>,
    /// By draw.
    pub draws: Vec<RawDraw>,
    /// All draws, in their order.
    pub runs: Vec<RawRun>,
    /// By draw: number of its programs in [`crate::ingest::Device::sets`].
    pub draw_sets: Vec<u32>,
    /// Addresses of indirect draws.
    pub indirect: Vec<RawIndirect>,
    /// By dispatch.
    pub dispatches: Vec<RawDispatch>,
    /// Copies.
    pub copies: Vec<RawCopy>,
    /// Clears.
    pub clears: Vec<RawClear>,
    /// Inline updates.
    pub updates: Vec<RawUpdate>,
    /// Their bytes.
    pub update_bytes: Vec<u8>,
    /// Presents.
    pub presents: Vec<RawPresent>,
}

impl RawPart {
    /// Buffers of a run of slots.
    #[must_use]
    pub fn ranges(&self, rows: Rows) -> &[BufferRange] {
        &self.ranges[rows.range()]
    }

    /// Handles of a run of slots.
    #[must_use]
    pub fn handles(&self, rows: Rows) -> &[u32] {
        &self.handles[rows.range()]
    }

    /// The runs of draws, each with what it obeys.
    pub fn runs(&self) -> impl Iterator<Item = (std::ops::Range<usize>, RawState)> + '_ {
        self.runs.iter().map(|run| (run.draws.range(), self.states[run.state as usize]))
    }

    /// Forgets all rows, keeps the memory.
    pub fn clear(&mut self) {
        self.targets.clear();
        self.blend.clear();
        self.depth.clear();
        self.raster.clear();
        self.viewports.clear();
        self.vertex.clear();
        self.slots.clear();
        self.ranges.clear();
        self.handles.clear();
        self.pools.clear();
        self.states.clear();
        self.bound.clear();
        self.draws.clear();
        self.runs.clear();
        self.draw_sets.clear();
        self.indirect.clear();
        self.dispatches.clear();
        self.copies.clear();
        self.clears.clear();
        self.updates.clear();
        self.update_bytes.clear();
        self.presents.clear();
    }
}

/// Machine code of one stage of a program, by value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageBinary {
    /// Its id in the shader store.
    pub id: ProgramId,
    /// The stage.
    pub stage: framegraph::state::Stage,
    /// Control section.
    pub control: std::sync::Arc<[u8]>,
    /// Code section.
    pub code: std::sync::Arc<[u8]>,
}
