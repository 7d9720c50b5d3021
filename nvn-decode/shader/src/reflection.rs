//! What a translated stage uses and needs bound.

use crate::header::Stage;
use crate::key::ComponentClass;

/// The uniform slot (set 0) of the driver bank c0, where it is read at an address that no built-in covers.
pub const DRIVER_SLOT: u8 = 14;

/// A translated stage.
#[derive(Clone, Debug)]
pub struct Translated {
    /// The SPIR-V module's words.
    pub spirv: Vec<u32>,
    /// What it uses.
    pub reflection: Reflection,
}

/// The dimension of a texture or image as the instruction states it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Dim {
    /// One dimension.
    D1,
    /// Two dimensions.
    D2,
    /// Three dimensions.
    D3,
    /// Cube.
    Cube,
    /// Array of 1D.
    D1Array,
    /// Array of 2D.
    D2Array,
    /// Array of cubes.
    CubeArray,
    /// Texel buffer.
    Buffer,
    /// Multisampled 2D.
    D2Ms,
    /// Array of multisampled 2D.
    D2MsArray,
}

impl Dim {
    /// Number of coordinates without the array index.
    #[must_use]
    pub fn coordinates(self) -> usize {
        match self {
            Self::D1 | Self::D1Array | Self::Buffer => 1,
            Self::D2 | Self::D2Array | Self::D2Ms | Self::D2MsArray => 2,
            Self::D3 | Self::Cube | Self::CubeArray => 3,
        }
    }

    /// Whether the last coordinate is an array index.
    #[must_use]
    pub fn arrayed(self) -> bool {
        matches!(self, Self::D1Array | Self::D2Array | Self::CubeArray | Self::D2MsArray)
    }
}

/// A uniform block read by the stage (set 0).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UniformUse {
    /// Constant bank of the machine code.
    pub bank: u8,
    /// Slot: the uniform buffer number, or [`DRIVER_SLOT`].
    pub slot: u8,
    /// Binding in set 0.
    pub binding: u32,
    /// One past the highest byte read; 0x10000 where the offset is computed.
    pub bytes: u32,
}

/// A storage buffer (set 1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StorageUse {
    /// Slot in the stage's table.
    pub slot: u8,
    /// Binding in set 1.
    pub binding: u32,
    /// Loads happen (atomics count as loads and stores).
    pub reads: bool,
    /// Stores happen.
    pub writes: bool,
    /// Atomic operations happen.
    pub atomics: bool,
}

/// Where the handle of a texture or image comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum HandleSource {
    /// A bound slot of the handle bank.
    Bound(u8),
    /// A 32-bit word of a constant bank, read at draw time (bindless handle in a uniform block).
    Constant {
        /// Constant bank (3 + uniform slot).
        bank: u8,
        /// Byte offset.
        offset: u16,
    },
    /// Two words combined by OR: a separate texture and sampler.
    ConstantPair {
        /// Bank of the first word.
        bank_a: u8,
        /// Its byte offset.
        offset_a: u16,
        /// Bank of the second word.
        bank_b: u8,
        /// Its byte offset.
        offset_b: u16,
    },
    /// A word of a storage buffer; `offset` is the constant part of its byte offset.
    Storage {
        /// Slot in the stage's storage table.
        slot: u8,
        /// Byte offset.
        offset: u32,
    },
}

/// A sampled texture (set 2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextureUse {
    /// Where the handle comes from.
    pub source: HandleSource,
    /// Slot: the bound slot, or the slot given to a bindless handle (from 31 down).
    pub slot: u8,
    /// Binding in set 2.
    pub binding: u32,
    /// Dimension the code samples with.
    pub dim: Dim,
    /// Class the module declares.
    pub class: ComponentClass,
    /// Depth comparison.
    pub compare: bool,
    /// Gather.
    pub gather: bool,
    /// The handle is not from a bound slot.
    pub bindless: bool,
}

/// Format of a storage image as the module declares it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ImageFormat {
    /// Stores through the bound format.
    Unknown,
    /// Raw 8-bit access.
    R8Uint,
    /// Raw 16-bit access.
    R16Uint,
    /// Raw 32-bit access.
    R32Uint,
    /// Raw 64-bit access.
    Rg32Uint,
    /// Raw 128-bit access.
    Rgba32Uint,
}

/// A storage image (set 3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageUse {
    /// Where the handle comes from.
    pub source: HandleSource,
    /// Image slot.
    pub slot: u8,
    /// Binding in set 3. A raw access to a slot that is also stored through its format gets slot + 16.
    pub binding: u32,
    /// Dimension.
    pub dim: Dim,
    /// Class the module declares.
    pub class: ComponentClass,
    /// Format the module declares; a raw one asks for a view of that format.
    pub format: ImageFormat,
    /// Loads happen.
    pub reads: bool,
    /// Stores happen.
    pub writes: bool,
    /// Atomics happen.
    pub atomics: bool,
}

/// Where the level of detail of a lookup comes from, where the state of a draw tells it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LevelSource {
    /// `f32` bits in the code.
    Constant(u32),
    /// The `f32` at a byte offset of a constant bank.
    Uniform {
        /// The bank.
        bank: u8,
        /// Offset in bytes.
        offset: u32,
    },
}

/// Facts about a stage that pipelines, bindings and draws need.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reflection {
    /// The stage.
    pub stage: Stage,
    /// Hash of program and compiler constants.
    pub hash: u64,
    /// Fragment: 4 bits per colour target, bit 0 = red.
    pub output_map: u32,
    /// Fragment: writes depth.
    pub writes_depth: bool,
    /// Fragment: writes the sample mask.
    pub writes_sample_mask: bool,
    /// Fragment: may discard.
    pub kills: bool,
    /// Fragment: some input is flat, so that it matters which vertex provokes.
    pub flat_inputs: bool,
    /// Textures (bit per slot) that are read at other places than the texel under the fragment.
    pub reads_elsewhere: u32,
    /// Textures that every operation samples at the level that one word names: slot, and where the word comes from.
    pub levels: Vec<(u8, LevelSource)>,
    /// Fragment: the program asks for tests before shading.
    pub early_tests: bool,
    /// Runs once per sample.
    pub per_sample: bool,
    /// Writes storage buffers or images.
    pub writes_memory: bool,
    /// Writes the layer.
    pub writes_layer: bool,
    /// Writes the viewport index.
    pub writes_viewport: bool,
    /// Writes the point size.
    pub writes_point_size: bool,
    /// Generic locations read: bit per location.
    pub attributes_in: u32,
    /// Generic locations written: bit per location.
    pub attributes_out: u32,
    /// Components read per location (bit 0 = x).
    pub components_in: [u8; 32],
    /// Components written per location.
    pub components_out: [u8; 32],
    /// Uniform blocks.
    pub uniform_blocks: Vec<UniformUse>,
    /// Storage buffers.
    pub storage_buffers: Vec<StorageUse>,
    /// Textures.
    pub textures: Vec<TextureUse>,
    /// Images.
    pub images: Vec<ImageUse>,
    /// The driver bank is bound at [`DRIVER_SLOT`].
    pub driver_bank: bool,
    /// Compute: work-group size.
    pub local_size: [u32; 3],
    /// Compute: shared memory in bytes.
    pub shared_bytes: u32,
    /// Tessellation control: output control points; geometry: maximal output vertices.
    pub output_vertices: u32,
}
