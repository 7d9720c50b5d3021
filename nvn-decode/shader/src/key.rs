//! The state outside the program that changes the translated code.

use crate::reflection::Dim;

/// The class of a component as a vertex format, a colour target or a texture format has it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ComponentClass {
    /// Float and normalised formats.
    #[default]
    Float,
    /// Signed integer formats.
    Sint,
    /// Unsigned integer formats.
    Uint,
}

/// What is known about a bound texture that the code does not say.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct TextureHint {
    /// Class of the bound format.
    pub class: ComponentClass,
    /// The bound view is a buffer texture: 1D fetches become buffer fetches.
    pub buffer: bool,
    /// The bound view's dimension, needed only for size queries of a slot that nothing else samples.
    pub dim: Option<Dim>,
    /// Its sampler takes the nearest texel, whether the texture is made smaller or larger.
    pub nearest: bool,
    /// Its sampler takes the mean of neighbouring texels, made smaller or larger, and of no smaller level where level 0 is asked for.
    pub linear: bool,
    /// Its texels are of 8 bits of sRGB, in their own order.
    pub srgb: bool,
}

/// How a colour target stores what is written without blending; counts where [`ShaderKey::separate_rounding`] is on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Store {
    /// As the host does it.
    #[default]
    AsIs,
    /// In 255 steps.
    Unorm8,
    /// In 255 steps of sRGB, alpha in 255 steps.
    Srgb8,
    /// In 1023 steps, alpha in 3.
    Rgb10A2,
}

/// How resources get their descriptor bindings.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum BindingScheme {
    /// Binding = stage index * 32 + slot in sets 0 (uniform), 1 (storage), 2 (textures), 3 (images).
    #[default]
    Engine,
    /// Binding = slot, same sets: the layout of modules compiled from the same source by another compiler.
    Reference,
}

/// Tessellation domain.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum TessDomain {
    /// Triangles.
    #[default]
    Triangles,
    /// Quads.
    Quads,
    /// Lines.
    Isolines,
}

/// Tessellation spacing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum TessSpacing {
    /// Equal.
    #[default]
    Equal,
    /// Fractional, odd.
    FractionalOdd,
    /// Fractional, even.
    FractionalEven,
}

/// What a translator that knows nothing of Maxwell would do, one bit per behaviour: for proofs that a test notices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Mutants(pub u8);

impl Mutants {
    /// Position arithmetic is neither invariant nor kept from contraction (catalogue M-1.8).
    pub const POSITION: Self = Self(1);
    /// Minimum and maximum leave NaN to the host (M-3.1a).
    pub const MIN_MAX: Self = Self(1 << 1);
    /// Saturation leaves NaN to the host (M-3.1b).
    pub const SATURATE: Self = Self(1 << 2);
    /// A killed lane ends, so that its quad loses a helper (M-3.5).
    pub const KILL: Self = Self(1 << 3);
    /// Reciprocals and logarithms end at the largest finite value (M-3.7).
    pub const INFINITIES: Self = Self(1 << 4);
    /// What was not written is undefined (M-3.12a, A-086).
    pub const UNWRITTEN: Self = Self(1 << 5);
    /// Grid sizes and draw parameters of the driver bank read zero.
    pub const BANK: Self = Self(1 << 6);

    /// Whether all these bits are set.
    #[must_use]
    pub fn has(self, bits: Self) -> bool {
        self.0 & bits.0 == bits.0
    }
}

/// State that selects a variant of a translated stage.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ShaderKey {
    /// Class of the vertex format bound to each location (catalogue M-3.9).
    pub vertex_inputs: [ComponentClass; 16],
    /// Class of the format of each colour target.
    pub fragment_outputs: [ComponentClass; 8],
    /// Facts about the texture bound to each slot.
    pub textures: [TextureHint; 32],
    /// Class of the format of each image slot.
    pub images: [ComponentClass; 8],
    /// Generic locations the previous stage writes; a location outside the mask reads (0, 0, 0, 1).
    pub previous_stage_outputs: u32,
    /// Generic locations the next stage reads; a location outside the mask is not declared.
    pub next_stage_inputs: u32,
    /// Convert clip-space depth from -1..1 to 0..1 in the last stage before rasterisation (only where the device cannot).
    pub depth_minus_one_to_one: bool,
    /// The window origin is lower left: the Y direction register reads -1 instead of +1.
    pub y_negate: bool,
    /// Colour targets 0 and 1 feed one target as first and second blend source.
    pub dual_source: bool,
    /// The device lacks signed-zero/Inf/NaN preservation for 32-bit floats; the execution mode is left out.
    pub no_float_controls: bool,
    /// A product and the sum it goes into are rounded each; sines, powers, logarithms, filters of one level and the rounding to a target's steps are made of
    /// such: every host gives the same. Maxwell rounds once.
    pub separate_rounding: bool,
    /// How each colour target stores.
    pub stores: [Store; 8],
    /// Geometry stages: vertices per input primitive (1, 2, 3, 4 or 6 with adjacency).
    pub geometry_input: u8,
    /// Tessellation domain.
    pub tess_domain: TessDomain,
    /// Tessellation spacing.
    pub tess_spacing: TessSpacing,
    /// Tessellated triangles wind clockwise.
    pub tess_clockwise: bool,
    /// Tessellation gives points.
    pub tess_points: bool,
    /// How resources get their bindings.
    pub bindings: BindingScheme,
    /// What is done wrongly on purpose.
    pub mutants: Mutants,
}

impl Default for ShaderKey {
    fn default() -> Self {
        Self {
            vertex_inputs: [ComponentClass::Float; 16],
            fragment_outputs: [ComponentClass::Float; 8],
            textures: [TextureHint::default(); 32],
            images: [ComponentClass::Float; 8],
            previous_stage_outputs: u32::MAX,
            next_stage_inputs: u32::MAX,
            depth_minus_one_to_one: false,
            y_negate: false,
            dual_source: false,
            no_float_controls: false,
            separate_rounding: false,
            stores: [Store::AsIs; 8],
            geometry_input: 3,
            tess_domain: TessDomain::Triangles,
            tess_spacing: TessSpacing::Equal,
            tess_clockwise: false,
            tess_points: false,
            bindings: BindingScheme::Engine,
            mutants: Mutants::default(),
        }
    }
}
