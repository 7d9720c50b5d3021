//! Normalised state: what a draw, a view or a sampler is, in neutral terms.
//!
//! Raw registers stay with the decoder. The state phase writes these values; the executor of a Plan reads them. Every group that many draws share is
//! interned per part: a draw holds a [`StateId`] into an [`Interned`] column group.

use crate::ids::{ResourceId, StateId};
use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hash};

/// Rows of a table by the hash of their values: an open table of row numbers, whose keys stay in the table itself.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowIndex {
    /// By row: the hash of its value.
    hashes: Vec<u32>,
    /// Rows by hash; `EMPTY` = none. A power of two, at most half full.
    slots: Vec<u32>,
}

const EMPTY: u32 = u32::MAX;

impl RowIndex {
    /// Forgets all rows, keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.hashes.clear();
        self.slots.fill(EMPTY);
    }

    /// The row of a value among those entered, or else enters it as the next one; `is(row)`: whether that row has the value. Returns whether it is new.
    #[inline]
    pub(crate) fn row<T: Hash>(&mut self, value: &T, is: impl Fn(usize) -> bool) -> (u32, bool) {
        if self.hashes.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let hash = FxBuildHasher.hash_one(value) as u32;
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot] {
                EMPTY => break,
                row if self.hashes[row as usize] == hash && is(row as usize) => return (row, false),
                _ => slot = (slot + 1) & mask,
            }
        }
        let row = self.hashes.len() as u32;
        self.slots[slot] = row;
        self.hashes.push(hash);
        (row, true)
    }

    /// Enters a row whose value an earlier one may have: that one stays the one to be found.
    fn enter<T: Hash>(&mut self, value: &T, is: impl Fn(usize) -> bool) {
        if !self.row(value, is).1 {
            self.hashes.push(FxBuildHasher.hash_one(value) as u32);
        }
    }

    #[cold]
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(16);
        self.slots.clear();
        self.slots.resize(size, EMPTY);
        for (row, hash) in self.hashes.iter().enumerate() {
            let mut slot = *hash as usize & (size - 1);
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = row as u32;
        }
    }
}

/// Distinct values of one state group of the current part; row 0 is the first value seen.
#[derive(Debug, Clone)]
pub struct Interned<T> {
    values: Vec<T>,
    rows: RowIndex,
    /// The row that was asked for last.
    last: u32,
    /// `rows` is behind `values`.
    behind: bool,
}

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Self { values: Vec::new(), rows: RowIndex::default(), last: 0, behind: false }
    }
}

impl<T: Clone + Eq + Hash> Interned<T> {
    /// Forgets all values, keeps the memory.
    pub fn clear(&mut self) {
        self.values.clear();
        self.rows.clear();
        self.behind = false;
    }

    #[cold]
    fn catch_up(&mut self) {
        self.behind = false;
        self.rows.clear();
        for value in &self.values {
            self.rows.enter(value, |row| self.values[row] == *value);
        }
    }

    /// The row of `value`, added when new.
    #[inline]
    pub fn intern(&mut self, value: &T) -> StateId {
        // The common case is "the same as for the draw before".
        if !self.behind && self.values.get(self.last as usize) == Some(value) {
            return StateId(self.last);
        }
        self.intern_other(value)
    }

    fn intern_other(&mut self, value: &T) -> StateId {
        if self.behind {
            self.catch_up();
        }
        let (row, new) = self.rows.row(value, |row| self.values[row] == *value);
        if new {
            self.values.push(value.clone());
        }
        self.last = row;
        StateId(row)
    }

    /// The value of a row.
    #[must_use]
    #[inline]
    pub fn get(&self, id: StateId) -> Option<&T> {
        self.values.get(id.index())
    }

    /// All values, by row.
    #[must_use]
    #[inline]
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Changes every value in place; rows keep their numbers. Two values that become equal stay two rows.
    pub fn update(&mut self, mut change: impl FnMut(&mut T)) {
        self.behind = true;
        self.values.iter_mut().for_each(&mut change);
    }
}

impl<T: Clone + Eq + Hash> std::ops::Index<StateId> for Interned<T> {
    type Output = T;
    fn index(&self, id: StateId) -> &T {
        &self.values[id.index()]
    }
}

/// Numeric class of a format's components as a shader sees them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum NumericClass {
    /// Floating point, normalised or scaled: read as float.
    #[default]
    Float,
    /// Signed integer.
    Sint,
    /// Unsigned integer.
    Uint,
}

macro_rules! formats {
    ($( $name:ident $bytes:literal $bw:literal $bh:literal $class:ident $aspect:ident $srgb:literal ),* $(,)?) => {
        /// A texel, attribute or index format of the host. Named by component order in memory, first component lowest.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
        #[allow(missing_docs)] // Each name states its meaning: components, bits, interpretation.
        pub enum Format { #[default] Undefined, $($name),* }

        impl Format {
            /// All formats.
            pub const ALL: &'static [Format] = &[$(Format::$name),*];

            /// (bytes per block, block width, block height).
            #[must_use]
            pub fn block(self) -> (u32, u32, u32) {
                match self { Format::Undefined => (0, 1, 1), $(Format::$name => ($bytes, $bw, $bh)),* }
            }

            /// How a shader reads the colour or depth components.
            #[must_use]
            pub fn class(self) -> NumericClass {
                match self { Format::Undefined => NumericClass::Float, $(Format::$name => NumericClass::$class),* }
            }

            /// The aspects an image of this format has.
            #[must_use]
            pub fn aspects(self) -> Aspects {
                match self { Format::Undefined => Aspects::NONE, $(Format::$name => Aspects::$aspect),* }
            }

            /// Whether texels are sRGB encoded.
            #[must_use]
            pub fn is_srgb(self) -> bool {
                match self { Format::Undefined => false, $(Format::$name => $srgb),* }
            }

            /// The name, as exports print it.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { Format::Undefined => "Undefined", $(Format::$name => stringify!($name)),* }
            }
        }
    };
}

formats! {
    R8Unorm 1 1 1 Float COLOR false, R8Snorm 1 1 1 Float COLOR false, R8Uint 1 1 1 Uint COLOR false, R8Sint 1 1 1 Sint COLOR false,
    R8Uscaled 1 1 1 Float COLOR false, R8Sscaled 1 1 1 Float COLOR false,
    Rg8Unorm 2 1 1 Float COLOR false, Rg8Snorm 2 1 1 Float COLOR false, Rg8Uint 2 1 1 Uint COLOR false, Rg8Sint 2 1 1 Sint COLOR false,
    Rg8Uscaled 2 1 1 Float COLOR false, Rg8Sscaled 2 1 1 Float COLOR false,
    Rgb8Unorm 3 1 1 Float COLOR false, Rgb8Snorm 3 1 1 Float COLOR false, Rgb8Uint 3 1 1 Uint COLOR false, Rgb8Sint 3 1 1 Sint COLOR false,
    Rgb8Uscaled 3 1 1 Float COLOR false, Rgb8Sscaled 3 1 1 Float COLOR false,
    Rgba8Unorm 4 1 1 Float COLOR false, Rgba8Snorm 4 1 1 Float COLOR false, Rgba8Uint 4 1 1 Uint COLOR false, Rgba8Sint 4 1 1 Sint COLOR false,
    Rgba8Uscaled 4 1 1 Float COLOR false, Rgba8Sscaled 4 1 1 Float COLOR false, Rgba8Srgb 4 1 1 Float COLOR true,
    Bgra8Unorm 4 1 1 Float COLOR false, Bgra8Srgb 4 1 1 Float COLOR true,
    R16Unorm 2 1 1 Float COLOR false, R16Snorm 2 1 1 Float COLOR false, R16Uint 2 1 1 Uint COLOR false, R16Sint 2 1 1 Sint COLOR false,
    R16Uscaled 2 1 1 Float COLOR false, R16Sscaled 2 1 1 Float COLOR false, R16Float 2 1 1 Float COLOR false,
    Rg16Unorm 4 1 1 Float COLOR false, Rg16Snorm 4 1 1 Float COLOR false, Rg16Uint 4 1 1 Uint COLOR false, Rg16Sint 4 1 1 Sint COLOR false,
    Rg16Uscaled 4 1 1 Float COLOR false, Rg16Sscaled 4 1 1 Float COLOR false, Rg16Float 4 1 1 Float COLOR false,
    Rgb16Unorm 6 1 1 Float COLOR false, Rgb16Snorm 6 1 1 Float COLOR false, Rgb16Uint 6 1 1 Uint COLOR false, Rgb16Sint 6 1 1 Sint COLOR false,
    Rgb16Uscaled 6 1 1 Float COLOR false, Rgb16Sscaled 6 1 1 Float COLOR false, Rgb16Float 6 1 1 Float COLOR false,
    Rgba16Unorm 8 1 1 Float COLOR false, Rgba16Snorm 8 1 1 Float COLOR false, Rgba16Uint 8 1 1 Uint COLOR false, Rgba16Sint 8 1 1 Sint COLOR false,
    Rgba16Uscaled 8 1 1 Float COLOR false, Rgba16Sscaled 8 1 1 Float COLOR false, Rgba16Float 8 1 1 Float COLOR false,
    R32Uint 4 1 1 Uint COLOR false, R32Sint 4 1 1 Sint COLOR false, R32Float 4 1 1 Float COLOR false,
    Rg32Uint 8 1 1 Uint COLOR false, Rg32Sint 8 1 1 Sint COLOR false, Rg32Float 8 1 1 Float COLOR false,
    Rgb32Uint 12 1 1 Uint COLOR false, Rgb32Sint 12 1 1 Sint COLOR false, Rgb32Float 12 1 1 Float COLOR false,
    Rgba32Uint 16 1 1 Uint COLOR false, Rgba32Sint 16 1 1 Sint COLOR false, Rgba32Float 16 1 1 Float COLOR false,
    Rgb10A2Unorm 4 1 1 Float COLOR false, Rgb10A2Snorm 4 1 1 Float COLOR false, Rgb10A2Uint 4 1 1 Uint COLOR false, Rgb10A2Sint 4 1 1 Sint COLOR false,
    Rgb10A2Uscaled 4 1 1 Float COLOR false, Rgb10A2Sscaled 4 1 1 Float COLOR false,
    R11G11B10Float 4 1 1 Float COLOR false, Rgb9E5Float 4 1 1 Float COLOR false,
    B5G6R5Unorm 2 1 1 Float COLOR false, R5G6B5Unorm 2 1 1 Float COLOR false, Rgb5A1Unorm 2 1 1 Float COLOR false, Bgr5A1Unorm 2 1 1 Float COLOR false, Rgba4Unorm 2 1 1 Float COLOR false,
    D16Unorm 2 1 1 Float DEPTH false, X8D24Unorm 4 1 1 Float DEPTH false, D32Float 4 1 1 Float DEPTH false,
    D24UnormS8Uint 4 1 1 Float DEPTH_STENCIL false, D32FloatS8Uint 8 1 1 Float DEPTH_STENCIL false, S8Uint 1 1 1 Uint STENCIL false,
    Bc1RgbUnorm 8 4 4 Float COLOR false, Bc1RgbSrgb 8 4 4 Float COLOR true, Bc1RgbaUnorm 8 4 4 Float COLOR false, Bc1RgbaSrgb 8 4 4 Float COLOR true,
    Bc2Unorm 16 4 4 Float COLOR false, Bc2Srgb 16 4 4 Float COLOR true, Bc3Unorm 16 4 4 Float COLOR false, Bc3Srgb 16 4 4 Float COLOR true,
    Bc4Unorm 8 4 4 Float COLOR false, Bc4Snorm 8 4 4 Float COLOR false, Bc5Unorm 16 4 4 Float COLOR false, Bc5Snorm 16 4 4 Float COLOR false,
    Bc6hUfloat 16 4 4 Float COLOR false, Bc6hSfloat 16 4 4 Float COLOR false, Bc7Unorm 16 4 4 Float COLOR false, Bc7Srgb 16 4 4 Float COLOR true,
}

/// Aspects of an image: a bit set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Aspects(pub u8);

impl Aspects {
    /// No aspect.
    pub const NONE: Self = Self(0);
    /// Colour.
    pub const COLOR: Self = Self(1);
    /// Depth.
    pub const DEPTH: Self = Self(2);
    /// Stencil.
    pub const STENCIL: Self = Self(4);
    /// Depth and stencil.
    pub const DEPTH_STENCIL: Self = Self(6);

    /// Whether the two sets share an aspect.
    #[must_use]
    pub fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// A rectangle of subresources of one image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Subresources {
    /// Aspects named.
    pub aspects: Aspects,
    /// First mip level.
    pub base_level: u8,
    /// Number of levels.
    pub levels: u8,
    /// First array layer (or 3D slice, where a 3D image is viewed as layers).
    pub base_layer: u16,
    /// Number of layers.
    pub layers: u16,
}

impl Subresources {
    /// Whether the two rectangles share a subresource.
    #[must_use]
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.aspects.intersects(other.aspects)
            && u32::from(self.base_level) < u32::from(other.base_level) + u32::from(other.levels)
            && u32::from(other.base_level) < u32::from(self.base_level) + u32::from(self.levels)
            && u32::from(self.base_layer) < u32::from(other.base_layer) + u32::from(other.layers)
            && u32::from(other.base_layer) < u32::from(self.base_layer) + u32::from(self.layers)
    }
}

/// Shape of an image or of a view on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[allow(missing_docs)] // The names are the field's own.
pub enum Dim {
    D1,
    #[default]
    D2,
    D3,
    Cube,
    D1Array,
    D2Array,
    CubeArray,
    Buffer,
}

/// What one component of a view shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[allow(missing_docs)] // The names are the field's own.
pub enum Swizzle {
    #[default]
    Identity,
    Zero,
    One,
    R,
    G,
    B,
    A,
}

/// A view of an image, or a typed view of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ViewKey {
    /// The image or buffer.
    pub resource: ResourceId,
    /// Format the view interprets texels in.
    pub format: Format,
    /// Shape.
    pub dim: Dim,
    /// Which part.
    pub part: Subresources,
    /// Component mapping, in order red, green, blue, alpha.
    pub swizzle: [Swizzle; 4],
}

impl Hash for ViewKey {
    /// Two words; field by field it would be twelve. Inlined always: a call would wait for fields that were just stored one by one.
    #[inline(always)]
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        let Subresources { aspects, base_level, levels, base_layer, layers } = self.part;
        let [r, g, b, a] = self.swizzle.map(|component| component as u64);
        let kind = (self.format as u64) << 8 | self.dim as u64;
        let levels = u64::from(aspects.0) | u64::from(base_level) << 8 | u64::from(levels) << 16;
        (levels | kind << 24 | (r | g << 3 | b << 6 | a << 9) << 48).hash(state);
        (u64::from(self.resource.0) | u64::from(base_layer) << 32 | u64::from(layers) << 48).hash(state);
    }
}

/// Comparison function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[allow(missing_docs)] // The names are the field's own.
pub enum Compare {
    Never,
    Less,
    Equal,
    LessEqual,
    Greater,
    NotEqual,
    GreaterEqual,
    #[default]
    Always,
}

/// Texture filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[allow(missing_docs)] // The names are the field's own.
pub enum Filter {
    #[default]
    Nearest,
    Linear,
}

/// Texture coordinate addressing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[allow(missing_docs)] // The names are the field's own.
pub enum Wrap {
    #[default]
    Repeat,
    MirroredRepeat,
    ClampToEdge,
    ClampToBorder,
    MirrorClampToEdge,
}

/// A sampler. Floats are stored as bits so that keys compare and hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SamplerKey {
    /// Magnification filter.
    pub mag: Filter,
    /// Minification filter.
    pub min: Filter,
    /// Filter between levels.
    pub mip: Filter,
    /// Addressing of s, t, r.
    pub wrap: [Wrap; 3],
    /// `f32` bits: bias added to the level of detail.
    pub lod_bias: u32,
    /// `f32` bits: smallest level of detail.
    pub min_lod: u32,
    /// `f32` bits: largest level of detail.
    pub max_lod: u32,
    /// `f32` bits: largest anisotropy; ≤ 1 = off.
    pub max_anisotropy: u32,
    /// Depth comparison, where the lookup compares.
    pub compare: Option<Compare>,
    /// Border colour as four 32-bit words in the class of the view.
    pub border: [u32; 4],
    /// Class of `border`.
    pub border_class: NumericClass,
}

/// Blend factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[allow(missing_docs)] // The names are the field's own.
pub enum BlendFactor {
    Zero,
    #[default]
    One,
    SrcColor,
    OneMinusSrcColor,
    SrcAlpha,
    OneMinusSrcAlpha,
    DstAlpha,
    OneMinusDstAlpha,
    DstColor,
    OneMinusDstColor,
    SrcAlphaSaturate,
    Src1Color,
    OneMinusSrc1Color,
    Src1Alpha,
    OneMinusSrc1Alpha,
    ConstantColor,
    OneMinusConstantColor,
    ConstantAlpha,
    OneMinusConstantAlpha,
}

/// Blend equation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[allow(missing_docs)] // The names are the field's own.
pub enum BlendOp {
    #[default]
    Add,
    Subtract,
    ReverseSubtract,
    Min,
    Max,
}

/// Blending of one colour target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TargetBlend {
    /// Whether the target blends.
    pub enabled: bool,
    /// Source and destination colour factor.
    pub color: (BlendFactor, BlendFactor),
    /// Colour equation.
    pub color_op: BlendOp,
    /// Source and destination alpha factor.
    pub alpha: (BlendFactor, BlendFactor),
    /// Alpha equation.
    pub alpha_op: BlendOp,
}

/// Logic operation (order of the 16 codes: Clear, And, AndReverse, Copy, AndInverted, NoOp, Xor, Or, Nor, Equivalent, Invert, OrReverse, CopyInverted,
/// OrInverted, Nand, Set).
pub type LogicOp = u8;

/// Blending of a draw: eight targets and what they share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct BlendState {
    /// Per target.
    pub targets: [TargetBlend; 8],
    /// Logic operation instead of blending.
    pub logic_op: Option<LogicOp>,
    /// `f32` bits of the blend constant.
    pub constant: [u32; 4],
    /// Alpha test comparison and `f32` bits of its reference; `Always` = off.
    pub alpha_test: (Compare, u32),
}

/// Write masks of a draw: 8 targets × 4 bits, target 0 lowest, bit 0 = red. After the state phase these are the *effective* masks.
pub type WriteMask = u32;

/// Stencil action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[allow(missing_docs)] // The names are the field's own.
pub enum StencilOp {
    #[default]
    Keep,
    Zero,
    Replace,
    IncrementClamp,
    DecrementClamp,
    Invert,
    IncrementWrap,
    DecrementWrap,
}

/// Stencil state of one face.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct StencilFace {
    /// Comparison.
    pub compare: Compare,
    /// On stencil fail.
    pub fail: StencilOp,
    /// On depth fail.
    pub depth_fail: StencilOp,
    /// On pass.
    pub pass: StencilOp,
    /// Reference value.
    pub reference: u8,
    /// Mask of the comparison.
    pub compare_mask: u8,
    /// Mask of the write.
    pub write_mask: u8,
}

/// Depth and stencil state of a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DepthState {
    /// Depth comparison; `None` = test off.
    pub test: Option<Compare>,
    /// Depth writes.
    pub write: bool,
    /// Front and back stencil; `None` = test off.
    pub stencil: Option<[StencilFace; 2]>,
    /// Depth is clamped to the viewport's range instead of clipped.
    pub clamp: bool,
    /// Clip space z runs from -w to w (else 0 to w).
    pub minus_one_to_one: bool,
    /// `f32` bits of the depth bounds, where tested.
    pub bounds: Option<[u32; 2]>,
}

/// Which faces are culled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[allow(missing_docs)] // The names are the field's own.
pub enum Cull {
    #[default]
    None,
    Front,
    Back,
    Both,
}

/// How polygons are filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[allow(missing_docs)] // The names are the field's own.
pub enum FillMode {
    #[default]
    Fill,
    Line,
    Point,
}

/// Depth bias in units of the host's depth format (already rescaled); `f32` bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DepthBias {
    /// Constant factor.
    pub constant: u32,
    /// Clamp; 0 = none.
    pub clamp: u32,
    /// Slope factor.
    pub slope: u32,
}

/// Rasteriser state of a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct RasterState {
    /// Culled faces.
    pub cull: Cull,
    /// Whether the front face is clockwise in framebuffer space whose row 0 is at the top (the host's own rule), after the window origin is applied.
    pub front_clockwise: bool,
    /// Fill mode.
    pub fill: FillMode,
    /// Depth bias; `None` = off.
    pub bias: Option<DepthBias>,
    /// Rasterisation is off.
    pub discard: bool,
    /// Samples per pixel the pipeline runs with.
    pub samples: u8,
    /// Sample mask.
    pub sample_mask: u32,
    /// Alpha to coverage.
    pub alpha_to_coverage: bool,
    /// `f32` bits of the line width.
    pub line_width: u32,
    /// The last vertex of a primitive provokes (flat inputs).
    pub last_vertex_provokes: bool,
}

/// One viewport and its scissor in host coordinates. A negative height turns y.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Viewport {
    /// `f32` bits of x, y, width, height.
    pub rect: [u32; 4],
    /// `f32` bits of near and far depth (near may exceed far).
    pub depth: [u32; 2],
    /// Scissor x, y, width, height in pixels.
    pub scissor: [i32; 4],
}

/// Viewports of a draw.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct ViewportState {
    /// Entry 0 alone unless the shader selects one.
    pub entries: smallvec::SmallVec<[Viewport; 1]>,
}

/// Primitive topology.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[allow(missing_docs)] // The names are the field's own.
pub enum Topology {
    Points,
    Lines,
    LineStrip,
    LineLoop,
    #[default]
    Triangles,
    TriangleStrip,
    TriangleFan,
    LinesAdjacency,
    LineStripAdjacency,
    TrianglesAdjacency,
    TriangleStripAdjacency,
    Patches,
    Quads,
    QuadStrip,
    Polygon,
}

/// A vertex attribute as the host fetches it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct VertexAttribute {
    /// Shader location.
    pub location: u8,
    /// Stream.
    pub stream: u8,
    /// Byte offset within the stream's element.
    pub offset: u16,
    /// Fetch format.
    pub format: Format,
}

/// A vertex stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct VertexStream {
    /// Bytes per element.
    pub stride: u32,
    /// 0 = per vertex, n = advance each n instances.
    pub divisor: u32,
}

/// Vertex input of a draw.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct VertexInput {
    /// Attributes the program reads, by location.
    pub attributes: smallvec::SmallVec<[VertexAttribute; 8]>,
    /// Streams by index; only those an attribute names are used.
    pub streams: smallvec::SmallVec<[VertexStream; 4]>,
}

/// One attachment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Attachment {
    /// The view; one level; `layers` > 1 for a layered target.
    pub view: ViewKey,
    /// Size of that level in texels.
    pub extent: [u32; 2],
}

/// The targets of a draw after normalisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AttachmentSet {
    /// Colour slots; `None` = detached.
    pub color: [Option<Attachment>; 8],
    /// Depth and stencil.
    pub depth: Option<Attachment>,
    /// Samples per texel.
    pub samples: u8,
}

impl Hash for AttachmentSet {
    /// Three words for each attachment, and which there are.
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        let mut have = u32::from(self.samples) << 16;
        for (slot, attachment) in self.color.iter().chain([&self.depth]).enumerate() {
            if let Some(attachment) = attachment {
                have |= 1 << slot;
                attachment.view.hash(state);
                (u64::from(attachment.extent[0]) | u64::from(attachment.extent[1]) << 32).hash(state);
            }
        }
        have.hash(state);
    }
}

/// Shader stages, in the order of bit numbers of [`StageSet`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // The names are the field's own.
pub enum Stage {
    Vertex,
    TessControl,
    TessEval,
    Geometry,
    Fragment,
    Compute,
}

/// A set of shader stages: bit n = stage n of [`Stage`].
pub type StageSet = u8;

/// The stages of a graphics draw or of a dispatch: which variant of which program each runs.
///
/// `variant` is a key into the shader store: a program stage specialised for this use; 0 = stage absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ShaderSet {
    /// Per stage of [`Stage`].
    pub variant: [u32; 6],
}

/// Everything a graphics pipeline is made from. Ids are rows of the part's interned groups, so that a key is small; the executor resolves them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PipelineKey {
    /// Row of [`crate::tables::States::shaders`].
    pub shaders: StateId,
    /// Row of [`crate::tables::States::vertex`].
    pub vertex: StateId,
    /// Row of [`crate::tables::States::blend`].
    pub blend: StateId,
    /// Row of [`crate::tables::States::depth`].
    pub depth: StateId,
    /// Row of [`crate::tables::States::raster`].
    pub raster: StateId,
    /// Row of [`crate::tables::States::formats`].
    pub formats: StateId,
    /// Effective write masks.
    pub write_mask: WriteMask,
    /// Topology.
    pub topology: Topology,
    /// Primitive restart with the all-ones index.
    pub restart: bool,
    /// Patch control points (patches only).
    pub patch_points: u8,
    /// The draw reads an attachment of its own pass through the feedback layout.
    pub feedback: Aspects,
}

impl Hash for PipelineKey {
    /// Four words; field by field it would be eleven.
    #[inline]
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        let pair = |a: StateId, b: StateId| u64::from(a.0) | u64::from(b.0) << 32;
        pair(self.shaders, self.vertex).hash(state);
        pair(self.blend, self.depth).hash(state);
        pair(self.raster, self.formats).hash(state);
        let rest = [self.topology as u8, u8::from(self.restart), self.patch_points, self.feedback.0];
        (u64::from(self.write_mask) | u64::from(u32::from_le_bytes(rest)) << 32).hash(state);
    }
}

/// Formats of a pass, as a pipeline needs them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TargetFormats {
    /// Colour slots; `Undefined` = none.
    pub color: [Format; 8],
    /// Depth/stencil; `Undefined` = none.
    pub depth: Format,
    /// Samples.
    pub samples: u8,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_one_row_until_the_group_is_cleared() {
        let mut group = Interned::default();
        for round in 0..3 {
            for n in 0..1000u32 {
                let value = n.wrapping_mul(0x9E37_79B9) ^ round;
                assert_eq!(group.intern(&value), StateId(n));
                assert_eq!(group.intern(&value), StateId(n));
            }
            for n in (0..1000u32).rev() {
                assert_eq!(group.intern(&(n.wrapping_mul(0x9E37_79B9) ^ round)), StateId(n));
            }
            assert_eq!(group.values().len(), 1000);
            group.clear();
            assert!(group.values().is_empty());
        }
    }

    #[test]
    fn values_that_an_update_makes_equal_stay_two_rows() {
        let mut group = Interned::default();
        let (a, b, c) = (group.intern(&10), group.intern(&11), group.intern(&20));
        group.update(|value| *value /= 10);
        assert_eq!((group[a], group[b], group[c]), (1, 1, 2));
        assert_eq!((group.intern(&1), group.intern(&2)), (a, c));
        assert_eq!(group.intern(&10), StateId(3));
    }
}
