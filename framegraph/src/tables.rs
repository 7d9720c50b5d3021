//! Tables: flat columns of the current part, each group with one writer phase.
//!
//! | group | writer |
//! |---|---|
//! | [`Nodes`], [`Draws`] command columns, payload tables | ingest; lowering appends |
//! | [`States`], [`Draws`] state columns | state phase |
//! | [`Bindings`], [`Snapshots`] | resources phase |
//! | [`Accesses`] | hazards phase (`collect_accesses`, and each rule that inserts a node later) |
//! | [`Edges`], [`CommandOrder`], [`FeedbackLoops`], [`OrderPoints`] | hazards phase; [`Edges`] also `relink_inserted_nodes` |
//! | [`PassMembers`] | passes phase |
//! | [`crate::plan::Plan`] | schedule phase |

use crate::ids::{DrawId, NodeId, PassId, ProgramId, ResourceId, Rows, Seq, StateId};
use crate::resource::{Layout, Part};
use crate::state::{
    AttachmentSet, BlendState, DepthState, Filter, Format, Interned, NumericClass, RasterState, SamplerKey, ShaderSet,
    Stage, StageSet, Subresources, TargetFormats, Topology, VertexInput, ViewKey, ViewportState, WriteMask,
};
use bevy_ecs::prelude::Resource;
use std::sync::Arc;

/// Kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NodeKind {
    /// Row of [`Draws`].
    Draw,
    /// Row of [`Dispatches`].
    Dispatch,
    /// Row of [`Copies`]: copy, blit, resolve, fill.
    Copy,
    /// Row of [`Clears`].
    Clear,
    /// Row of [`Uploads`]: snapshot bytes to a buffer or an image (guest uploads, inline updates, mirrors).
    Upload,
    /// Row of [`Downloads`]: GPU bytes to guest memory.
    Download,
    /// Row of [`GameBarriers`].
    Barrier,
    /// Row of [`Signals`]: a fence, counter report or event that completes in order.
    Signal,
    /// Row of [`Presents`].
    Present,
    /// Drawing of the inspection overlay; no payload.
    Overlay,
}

/// Facts about a node, as bits of [`Nodes::flags`].
pub mod node_flags {
    /// Does not run; a decision says why.
    pub const SKIPPED: u32 = 1 << 0;
    /// Inserted by a rule (not a guest command).
    pub const INSERTED: u32 = 1 << 1;
    /// Became the load operation of its pass.
    pub const FOLDED: u32 = 1 << 2;
    /// A draw that reads an attachment of its own pass.
    pub const FEEDBACK: u32 = 1 << 3;
    /// Pass must end before this node.
    pub const PASS_BREAK: u32 = 1 << 4;
    /// Touches memory through an address nobody could resolve.
    pub const ANY_ACCESS: u32 = 1 << 5;
    /// Needs an in-pass barrier before it (feedback through the attachment layout).
    pub const SELF_BARRIER: u32 = 1 << 6;
    /// A clear that may become a load operation: whole, unconditional, all components.
    pub const LOAD_CANDIDATE: u32 = 1 << 7;
    /// Runs with a pass that begins later in command order, and does not make the pass begin earlier.
    pub const CARRIED: u32 = 1 << 8;
}

/// Every node of the part, in order of appending; `order` gives the order of execution.
#[derive(Debug, Default, Resource)]
pub struct Nodes {
    /// Kind.
    pub kind: Vec<NodeKind>,
    /// Command order; immutable.
    pub seq: Vec<Seq>,
    /// Row of the kind's payload table.
    pub payload: Vec<u32>,
    /// Bits of [`node_flags`].
    pub flags: Vec<u32>,
    /// Pass, where the node renders.
    pub pass: Vec<PassId>,
    /// Place in the schedule; written by `schedule_nodes`.
    pub order: Vec<u32>,
    /// Row of [`Labels`]; `u32::MAX` = none.
    pub label: Vec<u32>,
    /// Rows of [`Accesses`].
    pub accesses: Vec<Rows>,
}

impl Nodes {
    /// Number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kind.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kind.is_empty()
    }

    /// All ids, in order of appending.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.kind.len() as u32).map(NodeId)
    }

    /// Appends a node.
    #[inline]
    pub fn push(&mut self, kind: NodeKind, seq: Seq, payload: u32, flags: u32) -> NodeId {
        let id = NodeId(self.kind.len() as u32);
        self.kind.push(kind);
        self.seq.push(seq);
        self.payload.push(payload);
        self.flags.push(flags);
        self.pass.push(PassId::NONE);
        self.order.push(id.0);
        self.label.push(u32::MAX);
        self.accesses.push(Rows::default());
        id
    }

    /// Appends `count` nodes of one kind whose commands, from `seq` on, and payload rows, from `payload` on, follow one another. Returns the first.
    pub fn push_run(&mut self, kind: NodeKind, seq: Seq, payload: u32, count: u32) -> NodeId {
        let id = NodeId(self.kind.len() as u32);
        let len = self.kind.len() + count as usize;
        self.kind.resize(len, kind);
        self.seq.extend((0..count).map(|n| Seq { command: seq.command + n, ..seq }));
        self.payload.extend(payload..payload + count);
        self.flags.resize(len, 0);
        self.pass.resize(len, PassId::NONE);
        self.order.extend(id.0..id.0 + count);
        self.label.resize(len, u32::MAX);
        self.accesses.resize(len, Rows::default());
        id
    }

    /// Appends the columns in which nodes of commands differ. [`Nodes::fill`] then completes the others, for any number of nodes at once.
    #[inline]
    pub fn push_command(&mut self, kind: NodeKind, seq: Seq, payload: u32, label: u32) -> NodeId {
        let id = NodeId(self.kind.len() as u32);
        self.kind.push(kind);
        self.seq.push(seq);
        self.payload.push(payload);
        self.label.push(label);
        id
    }

    /// Completes the columns that [`Nodes::push_command`] leaves out.
    pub fn fill(&mut self) {
        let count = self.kind.len();
        self.flags.resize(count, 0);
        self.pass.resize(count, PassId::NONE);
        self.order.extend(self.order.len() as u32..count as u32);
        self.accesses.resize(count, Rows::default());
    }

    /// Forgets all rows, keeps the memory.
    pub fn clear(&mut self) {
        self.kind.clear();
        self.seq.clear();
        self.payload.clear();
        self.flags.clear();
        self.pass.clear();
        self.order.clear();
        self.label.clear();
        self.accesses.clear();
    }
}

/// A run of bytes of a buffer resource. Aligned to four bytes, since tables hold thousands: 20 bytes of it are 20 bytes of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(C, packed(4))]
pub struct BufferSlice {
    /// The buffer (a pool's buffer, as a rule).
    pub resource: ResourceId,
    /// Byte offset.
    pub offset: u64,
    /// Bytes.
    pub length: u64,
}

/// Index width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[allow(missing_docs)] // The names are the field's own.
pub enum IndexType {
    U8,
    #[default]
    U16,
    U32,
}

/// What a draw draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrawCall {
    /// Vertices in sequence.
    Arrays {
        /// First vertex.
        first: u32,
        /// Vertices.
        count: u32,
        /// First instance.
        base_instance: u32,
        /// Instances.
        instances: u32,
    },
    /// Vertices by index.
    Elements {
        /// Indices.
        indices: BufferSlice,
        /// Width.
        index_type: IndexType,
        /// Indices drawn.
        count: u32,
        /// Added to each index.
        base_vertex: i32,
        /// First instance.
        base_instance: u32,
        /// Instances.
        instances: u32,
    },
    /// Arguments in memory.
    Indirect {
        /// Records.
        arguments: BufferSlice,
        /// Draws.
        count: u32,
        /// Bytes between records.
        stride: u32,
        /// Indices and their width for an indexed draw.
        indices: Option<(BufferSlice, IndexType)>,
        /// GPU-side draw count, where given.
        count_buffer: Option<BufferSlice>,
    },
}

/// Draws of the part.
#[derive(Debug, Default, Resource)]
pub struct Draws {
    /// The node.
    pub node: Vec<NodeId>,
    /// What is drawn.
    pub call: Vec<DrawCall>,
    /// Topology.
    pub topology: Vec<Topology>,
    /// Primitive restart index, where on.
    pub restart: Vec<Option<u32>>,
    /// Patch control points.
    pub patch_points: Vec<u8>,
    /// Program per graphics stage of [`Stage`] (vertex, tess control, tess eval, geometry, fragment).
    pub programs: Vec<[ProgramId; 5]>,
    /// Vertex buffers by stream: rows of [`Slices`].
    pub vertex_buffers: Vec<Rows>,
    /// Rows of [`Bindings`].
    pub bindings: Vec<Rows>,
    /// Row of [`States::targets`].
    pub targets: Vec<StateId>,
    /// Row of [`States::viewports`].
    pub viewport: Vec<StateId>,
    /// Row of [`States::vertex`].
    pub vertex: Vec<StateId>,
    /// Row of [`States::blend`].
    pub blend: Vec<StateId>,
    /// Row of [`States::depth`].
    pub depth: Vec<StateId>,
    /// Row of [`States::raster`].
    pub raster: Vec<StateId>,
    /// Row of [`States::shaders`].
    pub shaders: Vec<StateId>,
    /// Effective write masks.
    pub write_mask: Vec<WriteMask>,
    /// Area when the draw has no target: width and height.
    pub bare_area: Vec<[u32; 2]>,
    /// Row of [`crate::plan::Pipelines`]; `u32::MAX` = not picked.
    pub pipeline: Vec<u32>,
}

impl Draws {
    /// Number of draws.
    #[must_use]
    pub fn len(&self) -> usize {
        self.node.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.node.is_empty()
    }

    /// All ids.
    pub fn ids(&self) -> impl Iterator<Item = DrawId> + use<> {
        (0..self.node.len() as u32).map(DrawId)
    }

    /// Appends a draw with its command columns; state columns start unset.
    pub fn push(&mut self, node: NodeId, call: DrawCall, topology: Topology) -> DrawId {
        let id = self.push_command(node, call, topology, None, 0, [ProgramId::NONE; 5]);
        self.fill();
        id
    }

    /// Appends the command columns of a draw. [`Draws::fill`] then makes room in the state columns, for any number of draws at once.
    #[inline]
    pub fn push_command(
        &mut self,
        node: NodeId,
        call: DrawCall,
        topology: Topology,
        restart: Option<u32>,
        patch_points: u8,
        programs: [ProgramId; 5],
    ) -> DrawId {
        let id = DrawId(self.node.len() as u32);
        self.node.push(node);
        self.call.push(call);
        self.topology.push(topology);
        self.restart.push(restart);
        self.patch_points.push(patch_points);
        self.programs.push(programs);
        id
    }

    /// Gives the draws since the last call what they have in common, where only `node` and `call` were appended for each.
    pub fn fill_commands(
        &mut self,
        topology: Topology,
        restart: Option<u32>,
        patch_points: u8,
        programs: [ProgramId; 5],
    ) {
        let count = self.node.len();
        self.topology.resize(count, topology);
        self.restart.resize(count, restart);
        self.patch_points.resize(count, patch_points);
        self.programs.resize(count, programs);
    }

    /// Makes the state columns as long as the command columns; rows that are new start unset.
    pub fn fill(&mut self) {
        let count = self.node.len();
        self.vertex_buffers.resize(count, Rows::default());
        self.bindings.resize(count, Rows::default());
        self.targets.resize(count, StateId::NONE);
        self.viewport.resize(count, StateId::NONE);
        self.vertex.resize(count, StateId::NONE);
        self.blend.resize(count, StateId::NONE);
        self.depth.resize(count, StateId::NONE);
        self.raster.resize(count, StateId::NONE);
        self.shaders.resize(count, StateId::NONE);
        self.write_mask.resize(count, 0);
        self.bare_area.resize(count, [0; 2]);
        self.pipeline.resize(count, u32::MAX);
    }

    /// Forgets all rows, keeps the memory.
    pub fn clear(&mut self) {
        self.node.clear();
        self.call.clear();
        self.topology.clear();
        self.restart.clear();
        self.patch_points.clear();
        self.programs.clear();
        self.vertex_buffers.clear();
        self.bindings.clear();
        self.targets.clear();
        self.viewport.clear();
        self.vertex.clear();
        self.blend.clear();
        self.depth.clear();
        self.raster.clear();
        self.shaders.clear();
        self.write_mask.clear();
        self.bare_area.clear();
        self.pipeline.clear();
    }
}

/// Interned state of the part. See [`crate::state`].
#[derive(Debug, Default, Resource)]
pub struct States {
    /// Targets.
    pub targets: Interned<AttachmentSet>,
    /// Viewports.
    pub viewports: Interned<ViewportState>,
    /// Vertex input.
    pub vertex: Interned<VertexInput>,
    /// Blending.
    pub blend: Interned<BlendState>,
    /// Depth and stencil.
    pub depth: Interned<DepthState>,
    /// Rasteriser.
    pub raster: Interned<RasterState>,
    /// Shader variants.
    pub shaders: Interned<ShaderSet>,
    /// Formats of passes.
    pub formats: Interned<TargetFormats>,
    /// Views that bindings name.
    pub views: Interned<ViewKey>,
    /// Samplers that bindings name.
    pub samplers: Interned<SamplerKey>,
}

impl States {
    /// Forgets all values, keeps the memory.
    pub fn clear(&mut self) {
        self.targets.clear();
        self.viewports.clear();
        self.vertex.clear();
        self.blend.clear();
        self.depth.clear();
        self.raster.clear();
        self.shaders.clear();
        self.formats.clear();
        self.views.clear();
        self.samplers.clear();
    }
}

/// Descriptor kind: number of the descriptor set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BindKind {
    /// Set 0: uniform buffer. Slots 0–13 are the game's, 14 the driver bank.
    Uniform,
    /// Set 1: storage buffer.
    Storage,
    /// Set 2: combined image and sampler.
    Texture,
    /// Set 3: storage image.
    Image,
}

/// What is bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BindSource {
    /// Nothing: reads as zero.
    Empty,
    /// Bytes of a buffer on the GPU.
    Slice(BufferSlice),
    /// Bytes of [`Snapshots`], taken when the part was submitted: offset and length.
    Snapshot(u32, u32),
    /// Rows of [`States::views`] and [`States::samplers`].
    Texture(StateId, StateId),
    /// Row of [`States::views`].
    Image(StateId),
}

/// One descriptor of a draw or dispatch. Its binding number in the set is `stage * 32 + slot` (compute counts as stage 0).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binding {
    /// Set.
    pub kind: BindKind,
    /// Stage.
    pub stage: Stage,
    /// Slot within the stage.
    pub slot: u8,
    /// Whether the program writes it (storage kinds).
    pub written: bool,
    /// What is bound.
    pub source: BindSource,
}

impl Binding {
    /// Binding number within its set.
    #[must_use]
    pub fn number(&self) -> u32 {
        let stage = if self.stage == Stage::Compute { 0 } else { self.stage as u32 };
        stage * 32 + u32::from(self.slot)
    }
}

/// Bindings of all draws and dispatches of the part; draws that bind the same share rows.
#[derive(Debug, Default, Resource)]
pub struct Bindings {
    /// Rows.
    pub rows: Vec<Binding>,
}

/// Buffer slices (vertex streams).
#[derive(Debug, Default, Resource)]
pub struct Slices {
    /// Rows.
    pub rows: Vec<BufferSlice>,
}

/// Bytes taken from the guest when the part was submitted: uniform blocks, inline updates, uploads (already linear). Ranges are aligned to 256 bytes.
#[derive(Debug, Default, Resource)]
pub struct Snapshots {
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Snapshots {
    /// Appends bytes at the next multiple of 256; returns their offset.
    pub fn push(&mut self, bytes: &[u8]) -> u32 {
        let offset = self.bytes.len().next_multiple_of(256);
        self.bytes.resize(offset, 0);
        self.bytes.extend_from_slice(bytes);
        offset as u32
    }

    /// Reserves `length` zero bytes at the next multiple of 256; returns their offset.
    pub fn reserve(&mut self, length: usize) -> u32 {
        let offset = self.bytes.len().next_multiple_of(256);
        self.bytes.resize(offset + length, 0);
        offset as u32
    }
}

/// Compute dispatches.
#[derive(Debug, Default, Resource)]
pub struct Dispatches {
    /// Rows.
    pub rows: Vec<Dispatch>,
}

/// One dispatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dispatch {
    /// The node.
    pub node: NodeId,
    /// Program.
    pub program: ProgramId,
    /// Key of the translated variant (see [`ShaderModules`]).
    pub variant: u32,
    /// Work groups.
    pub groups: [u32; 3],
    /// Group counts in memory instead.
    pub indirect: Option<BufferSlice>,
    /// Rows of [`Bindings`].
    pub bindings: Rows,
    /// Row of [`crate::plan::ComputePipelines`]; `u32::MAX` = not picked.
    pub pipeline: u32,
}

/// A box of texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TexelBox {
    /// First texel.
    pub offset: [i32; 3],
    /// Size; a negative size in a blit mirrors.
    pub extent: [i32; 3],
}

/// Copies, blits, resolves and fills.
#[derive(Debug, Default, Resource)]
pub struct Copies {
    /// Rows.
    pub rows: Vec<Copy>,
}

/// One copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copy {
    /// Bytes to bytes.
    Buffer {
        /// From.
        source: BufferSlice,
        /// To (same length).
        target: BufferSlice,
    },
    /// Linear bytes to texels.
    BufferToImage {
        /// From; rows packed at `row_bytes`, images at `image_bytes`.
        source: BufferSlice,
        /// To.
        target: ResourceId,
        /// Level and layers.
        part: Subresources,
        /// Texels.
        region: TexelBox,
        /// Bytes per row of blocks.
        row_bytes: u32,
        /// Bytes per image.
        image_bytes: u32,
    },
    /// Texels to linear bytes.
    ImageToBuffer {
        /// From.
        source: ResourceId,
        /// Level and layers.
        part: Subresources,
        /// Texels.
        region: TexelBox,
        /// To.
        target: BufferSlice,
        /// Bytes per row of blocks.
        row_bytes: u32,
        /// Bytes per image.
        image_bytes: u32,
    },
    /// Texels to texels, bit for bit: formats of one size, equal extents.
    Image {
        /// From.
        source: ResourceId,
        /// Level and layers.
        source_part: Subresources,
        /// Where.
        source_offset: [i32; 3],
        /// To.
        target: ResourceId,
        /// Level and layers.
        target_part: Subresources,
        /// Where.
        target_offset: [i32; 3],
        /// Texels.
        extent: [u32; 3],
    },
    /// Texels to texels with scaling, mirroring or conversion.
    Blit {
        /// From.
        source: ResourceId,
        /// Level and layers.
        source_part: Subresources,
        /// Texels; a negative extent mirrors.
        source_box: TexelBox,
        /// To.
        target: ResourceId,
        /// Level and layers.
        target_part: Subresources,
        /// Texels.
        target_box: TexelBox,
        /// Filter (nearest for depth, stencil and integers).
        filter: Filter,
        /// Makes the source smaller by these whole numbers, and takes its texel at `x * every + every / 2` along each axis, bit for bit, instead of what
        /// the filter takes. Formats are equal then, and boxes upright.
        every: Option<[u32; 2]>,
    },
    /// Multisampled texels to single-sampled.
    Resolve {
        /// From.
        source: ResourceId,
        /// To.
        target: ResourceId,
        /// Level and layers of both.
        part: Subresources,
        /// Texels.
        extent: [u32; 2],
    },
    /// A 32-bit word over a run of bytes.
    Fill {
        /// To.
        target: BufferSlice,
        /// Word.
        word: u32,
    },
}

/// Clears.
#[derive(Debug, Default, Resource)]
pub struct Clears {
    /// Rows.
    pub rows: Vec<Clear>,
}

/// One clear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clear {
    /// The node.
    pub node: NodeId,
    /// Which attachment, or which image outside any pass.
    pub target: ClearTarget,
    /// Colour words in the class of the view; for depth/stencil `f32` bits of depth, then stencil.
    pub value: [u32; 4],
    /// Class of the colour words.
    pub class: NumericClass,
    /// Components (bit 0 = red) of a colour clear.
    pub mask: u8,
    /// Aspects of a depth/stencil clear.
    pub aspects: crate::state::Aspects,
    /// Bits written of stencil.
    pub stencil_mask: u8,
    /// Texels: x, y, width, height; layers are those of the attachment.
    pub rect: [i32; 4],
}

/// What a clear clears.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClearTarget {
    /// An attachment of targets (row of [`States::targets`]) by slot; slot 8 = depth/stencil.
    Attachment(StateId, u8),
    /// Subresources of an image, outside any pass.
    Image(ResourceId, Subresources),
}

/// Uploads.
#[derive(Debug, Default, Resource)]
pub struct Uploads {
    /// Rows.
    pub rows: Vec<Upload>,
}

/// One upload: bytes of [`Snapshots`] into a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Upload {
    /// Into a buffer.
    Buffer {
        /// Offset in the snapshot.
        bytes: u32,
        /// To.
        target: BufferSlice,
    },
    /// Into an image; tightly packed rows of blocks.
    Image {
        /// Offset in the snapshot.
        bytes: u32,
        /// To.
        target: ResourceId,
        /// One level, some layers.
        part: Subresources,
        /// Texels.
        region: TexelBox,
    },
}

/// Downloads.
#[derive(Debug, Default, Resource)]
pub struct Downloads {
    /// Rows.
    pub rows: Vec<Download>,
}

/// One download: what completes when the GPU has passed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Download {
    /// From a buffer, or `None`.
    pub buffer: Option<BufferSlice>,
    /// From an image (tightly packed), or `None`.
    pub image: Option<(ResourceId, Subresources)>,
    /// Names the download to whoever asked for it.
    pub tag: u64,
}

/// Barriers the game recorded, neutral: what is ordered and which caches are refreshed.
#[derive(Debug, Default, Resource)]
pub struct GameBarriers {
    /// Rows: bits of [`game_barrier`].
    pub rows: Vec<u32>,
}

/// Bits of [`GameBarriers`].
pub mod game_barrier {
    /// Later primitives wait for earlier ones.
    pub const ORDER_PRIMITIVES: u32 = 1 << 0;
    /// Later fragments wait for earlier fragments.
    pub const ORDER_FRAGMENTS: u32 = 1 << 1;
    /// As fragments, tiled.
    pub const ORDER_FRAGMENTS_TILED: u32 = 1 << 2;
    /// Indirect data is read after earlier writes.
    pub const ORDER_INDIRECT: u32 = 1 << 3;
    /// Texture caches.
    pub const INVALIDATE_TEXTURE: u32 = 1 << 4;
    /// Shader (uniform, storage) caches.
    pub const INVALIDATE_SHADER: u32 = 1 << 5;
    /// Texture descriptors.
    pub const INVALIDATE_DESCRIPTORS: u32 = 1 << 6;
    /// Depth culling data.
    pub const INVALIDATE_ZCULL: u32 = 1 << 7;
}

/// Signals.
#[derive(Debug, Default, Resource)]
pub struct Signals {
    /// Tags, in command order; completions carry them back in that order.
    pub rows: Vec<u64>,
}

/// Presents.
#[derive(Debug, Default, Resource)]
pub struct Presents {
    /// Rows.
    pub rows: Vec<Present>,
}

/// One present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Present {
    /// The display texture.
    pub source: ResourceId,
    /// Texels shown: x, y, width, height.
    pub crop: [i32; 4],
    /// Row 0 of memory is the bottom of the picture.
    pub flip: bool,
    /// Format in which the texture's bytes are taken: without sRGB conversion, they arrive as they are.
    pub format: Format,
    /// Size of the picture handed to the window or the screenshot.
    pub extent: [u32; 2],
}

/// Labels that the game gave to nodes (debug groups).
#[derive(Debug, Default, Resource)]
pub struct Labels {
    /// Rows.
    pub rows: Vec<Arc<str>>,
}

/// Uses of a resource by a node: bits, each a kind of access with its stage.
pub mod uses {
    /// Indirect arguments.
    pub const INDIRECT: u32 = 1 << 0;
    /// Indices.
    pub const INDEX: u32 = 1 << 1;
    /// Vertices.
    pub const VERTEX: u32 = 1 << 2;
    /// Uniform reads.
    pub const UNIFORM: u32 = 1 << 3;
    /// Sampled reads.
    pub const SAMPLED: u32 = 1 << 4;
    /// Storage reads.
    pub const STORAGE_READ: u32 = 1 << 5;
    /// Storage writes.
    pub const STORAGE_WRITE: u32 = 1 << 6;
    /// Colour attachment reads (blending, load).
    pub const COLOR_READ: u32 = 1 << 7;
    /// Colour attachment writes.
    pub const COLOR_WRITE: u32 = 1 << 8;
    /// Depth/stencil reads.
    pub const DEPTH_READ: u32 = 1 << 9;
    /// Depth/stencil writes.
    pub const DEPTH_WRITE: u32 = 1 << 10;
    /// Copy reads.
    pub const COPY_READ: u32 = 1 << 11;
    /// Copy writes.
    pub const COPY_WRITE: u32 = 1 << 12;
    /// Read by the CPU.
    pub const HOST_READ: u32 = 1 << 13;
    /// Written by the CPU.
    pub const HOST_WRITE: u32 = 1 << 14;
    /// Presented.
    pub const PRESENT: u32 = 1 << 15;

    /// All writes.
    pub const WRITES: u32 = STORAGE_WRITE | COLOR_WRITE | DEPTH_WRITE | COPY_WRITE | HOST_WRITE;
    /// All uses by shaders, which `stages` qualifies.
    pub const SHADER: u32 = UNIFORM | SAMPLED | STORAGE_READ | STORAGE_WRITE;
}

/// Who touches what: the only input of dependency building and of the verifier. Sorted by node once collected; rows of a node are together.
#[derive(Debug, Default, Resource)]
pub struct Accesses {
    /// The node.
    pub node: Vec<NodeId>,
    /// The resource; `NONE` with [`Part::Any`].
    pub resource: Vec<ResourceId>,
    /// Which part of it.
    pub part: Vec<Part>,
    /// Bits of [`uses`].
    pub uses: Vec<u32>,
    /// Shader stages of the shader uses.
    pub stages: Vec<StageSet>,
    /// Layout an image must have for this access; `Undefined` for buffers.
    pub layout: Vec<Layout>,
    /// The last node that makes the same access. Draws in a row with the same targets share a row: `node` is the first of them, and nothing but
    /// draws and attachment clears of those targets lies between the two. A row ends where a draw stores to memory or reads its own targets.
    pub last: Vec<NodeId>,
}

impl Accesses {
    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.node.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.node.is_empty()
    }

    /// Appends a row.
    #[inline]
    pub fn push(
        &mut self,
        node: NodeId,
        resource: ResourceId,
        part: Part,
        uses: u32,
        stages: StageSet,
        layout: Layout,
    ) {
        self.node.push(node);
        self.resource.push(resource);
        self.part.push(part);
        self.uses.push(uses);
        self.stages.push(stages);
        self.layout.push(layout);
        self.last.push(node);
    }

    /// Whether an access writes.
    #[must_use]
    #[inline]
    pub fn writes(&self, row: usize) -> bool {
        self.uses[row] & uses::WRITES != 0
    }

    /// Forgets all rows, keeps the memory.
    pub fn clear(&mut self) {
        self.node.clear();
        self.resource.clear();
        self.part.clear();
        self.uses.clear();
        self.stages.clear();
        self.layout.clear();
        self.last.clear();
    }
}

/// Kind of a dependency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Hazard {
    /// Read after write.
    Raw,
    /// Write after read.
    War,
    /// Write after write.
    Waw,
    /// The game ordered them.
    Order,
}

/// Dependencies between nodes.
#[derive(Debug, Default, Resource)]
pub struct Edges {
    /// Must come first.
    pub from: Vec<NodeId>,
    /// Must come later.
    pub to: Vec<NodeId>,
    /// Kind.
    pub hazard: Vec<Hazard>,
    /// Row of [`Accesses`] of the later node that caused it; `u32::MAX` for [`Hazard::Order`].
    pub access: Vec<u32>,
    /// Row of [`Accesses`] of the earlier node; `u32::MAX` for [`Hazard::Order`].
    pub source: Vec<u32>,
    /// Number of rows of [`Accesses`] whose dependencies are in this table; later rows belong to nodes that were inserted since.
    pub linked: u32,
}

impl Edges {
    /// Number of edges.
    #[must_use]
    pub fn len(&self) -> usize {
        self.from.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.from.is_empty()
    }

    /// Keeps the edges for which `keep` holds, in their order.
    pub fn retain(&mut self, keep: impl Fn(&Self, usize) -> bool) {
        let mut kept = 0;
        for n in 0..self.len() {
            if keep(self, n) {
                self.from[kept] = self.from[n];
                self.to[kept] = self.to[n];
                self.hazard[kept] = self.hazard[n];
                self.access[kept] = self.access[n];
                self.source[kept] = self.source[n];
                kept += 1;
            }
        }
        self.from.truncate(kept);
        self.to.truncate(kept);
        self.hazard.truncate(kept);
        self.access.truncate(kept);
        self.source.truncate(kept);
    }

    /// Appends an edge that no access caused.
    pub fn push_order(&mut self, from: NodeId, to: NodeId) {
        self.push(from, to, Hazard::Order, u32::MAX, u32::MAX);
    }

    /// Appends an edge between two accesses: `source` of the earlier node, `access` of the later.
    #[inline]
    pub fn push(&mut self, from: NodeId, to: NodeId, hazard: Hazard, source: u32, access: u32) {
        self.from.push(from);
        self.to.push(to);
        self.hazard.push(hazard);
        self.access.push(access);
        self.source.push(source);
    }

    /// Forgets all rows, keeps the memory.
    pub fn clear(&mut self) {
        self.from.clear();
        self.to.clear();
        self.hazard.clear();
        self.access.clear();
        self.source.clear();
        self.linked = 0;
    }
}

/// Nodes that follow one another in command order, of one kind, with ids and payload rows that count up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// Kind of all its nodes.
    pub kind: NodeKind,
    /// Its first node.
    pub node: NodeId,
    /// Payload row of the first node.
    pub payload: u32,
    /// Number of nodes.
    pub len: u32,
}

impl Stretch {
    /// Its nodes as indices.
    #[must_use]
    #[inline]
    pub fn nodes(&self) -> std::ops::Range<usize> {
        self.node.index()..self.node.index() + self.len as usize
    }

    /// Their payload rows.
    #[must_use]
    #[inline]
    pub fn payloads(&self) -> std::ops::Range<usize> {
        self.payload as usize..(self.payload + self.len) as usize
    }
}

/// Nodes in command order.
#[derive(Debug, Default, Resource)]
pub struct CommandOrder {
    /// All nodes, by [`Seq`]; equal keys by id.
    pub nodes: Vec<NodeId>,
    /// Place of each node in `nodes`.
    pub place: Vec<u32>,
    /// The same nodes in stretches: a frame of thousands of draws has hundreds. What concerns each node alone is asked once per stretch.
    pub stretches: Vec<Stretch>,
    tail: Vec<NodeId>,
}

impl CommandOrder {
    /// Sorts the nodes again. Linear when the table is in order but for a few appended nodes.
    pub fn refresh(&mut self, nodes: &Nodes) {
        let count = nodes.len() as u32;
        self.nodes.clear();
        self.place.clear();
        self.stretches.clear();
        if nodes.seq.is_sorted_by_key(|seq| seq.key()) {
            self.nodes.extend((0..count).map(NodeId));
            self.place.extend(0..count);
        } else {
            self.sort(nodes);
        }
        let mut at = 0;
        while at < self.nodes.len() {
            let node = self.nodes[at];
            let (kind, payload) = (nodes.kind[node.index()], nodes.payload[node.index()]);
            let mut len = 1;
            while self.nodes.get(at + len as usize) == Some(&NodeId(node.0 + len))
                && nodes.kind[(node.0 + len) as usize] == kind
                && nodes.payload[(node.0 + len) as usize] == payload.wrapping_add(len)
            {
                len += 1;
            }
            self.stretches.push(Stretch { kind, node, payload, len });
            at += len as usize;
        }
    }

    /// The guest's commands are ascending; what rules insert is appended behind them.
    fn sort(&mut self, nodes: &Nodes) {
        let key = |id: &NodeId| (nodes.seq[id.index()].key(), id.0);
        self.tail.clear();
        for id in nodes.ids() {
            match self.nodes.last() {
                Some(last) if nodes.seq[last.index()].key() > nodes.seq[id.index()].key() => self.tail.push(id),
                _ => self.nodes.push(id),
            }
        }
        self.tail.sort_unstable_by_key(key);
        // Merge from the back, in place.
        let (mut a, mut b) = (self.nodes.len(), self.tail.len());
        self.nodes.resize(a + b, NodeId::NONE);
        let mut to = self.nodes.len();
        while b > 0 {
            to -= 1;
            if a > 0 && key(&self.nodes[a - 1]) > key(&self.tail[b - 1]) {
                a -= 1;
                self.nodes[to] = self.nodes[a];
            } else {
                b -= 1;
                self.nodes[to] = self.tail[b];
            }
        }
        self.place.resize(self.nodes.len(), 0);
        for (place, id) in self.nodes.iter().enumerate() {
            self.place[id.index()] = place as u32;
        }
    }
}

/// How a draw that reads an attachment of its own pass gets the content from before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum FeedbackPlan {
    /// Not decided yet.
    #[default]
    None,
    /// Nothing in the pass writes what it reads: a read-only layout serves.
    ReadOnly,
    /// The feedback layout, with a barrier by region where the pass wrote it before.
    Layout,
    /// A copy, taken before the draw.
    Snapshot,
    /// A pass of its own: what it reads was written in the pass so far, and the draw does not write it.
    Split,
    /// Left as the game asked for it (rule off).
    Naive,
}

/// Draws that read an attachment of their own pass.
#[derive(Debug, Default, Resource)]
pub struct FeedbackLoops {
    /// Rows, in command order.
    pub rows: Vec<FeedbackLoop>,
}

/// One such read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeedbackLoop {
    /// The draw's node.
    pub node: NodeId,
    /// Row of [`Accesses`] that reads.
    pub access: u32,
    /// The image.
    pub resource: ResourceId,
    /// Attachment slots it is attached to, as bits; bit 8 = depth/stencil.
    pub slots: u16,
    /// Whether the draw itself writes what it reads.
    pub written: bool,
    /// How it is resolved.
    pub plan: FeedbackPlan,
}

/// Strength of the ordering part of a barrier that the game recorded; each includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum OrderStrength {
    /// No order.
    #[default]
    None,
    /// Fragments of one tile.
    Tiles,
    /// Fragments.
    Fragments,
    /// Whole primitives: the pipeline drains.
    Primitives,
    /// Primitives, and commands and arguments are fetched only afterwards.
    Full,
}

/// What the game's barriers mean: order and visibility, kept apart.
#[derive(Debug, Default, Resource)]
pub struct OrderPoints {
    /// Rows, in command order.
    pub rows: Vec<OrderPoint>,
}

/// One barrier of the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderPoint {
    /// The barrier's node.
    pub node: NodeId,
    /// What is ordered.
    pub strength: OrderStrength,
    /// Bits of [`uses`] whose reads see what was written before.
    pub visible: u32,
    /// Descriptors are read again.
    pub descriptors: bool,
}

/// Nodes by pass: a pass entity holds a range of rows.
#[derive(Debug, Default, Resource)]
pub struct PassMembers {
    /// Rows.
    pub rows: Vec<NodeId>,
}

/// Translated shader variants, persistent. Key 0 is "no stage".
#[derive(Debug, Default, Resource)]
pub struct ShaderModules {
    /// By key.
    pub modules: Vec<Option<ShaderModule>>,
}

/// One translated stage.
#[derive(Debug, Clone)]
pub struct ShaderModule {
    /// Stage.
    pub stage: Stage,
    /// SPIR-V words; entry point `main`.
    pub words: Arc<[u32]>,
    /// Hash of program and key: the name of the variant for people and caches.
    pub hash: u64,
}
