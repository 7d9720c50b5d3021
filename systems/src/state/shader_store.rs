//! Programs and their translated variants.
//!
//! The store knows each stage of each program once (by content), what it uses ([`StageFacts`]), and the variants that were translated for a
//! [`StageKey`]. Translation is behind the trait [`Translator`], so that tests can state facts without machine code. A stage that cannot be translated is
//! remembered with its reason; draws that need it are skipped with a decision.

use bevy_ecs::prelude::Resource;
use framegraph::ids::{ProgramId, Rows};
use framegraph::state::{Dim, Format, NumericClass, Stage};
use framegraph::tables::{BindKind, BindSource, Binding, ShaderModule, ShaderModules};
use nvn_decode::raw::StageBinary;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Where a texture or image handle comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HandleSource {
    /// A bound slot.
    Bound(u8),
    /// A word of a constant bank (3 + uniform slot).
    Constant {
        /// Bank.
        bank: u8,
        /// Byte offset.
        offset: u32,
    },
    /// Two such words combined by OR: a separate texture and sampler.
    ConstantPair {
        /// Bank and byte offset of the first word.
        first: (u8, u32),
        /// Bank and byte offset of the second word.
        second: (u8, u32),
    },
    /// A word of a storage buffer.
    Storage {
        /// Slot.
        slot: u8,
        /// Byte offset.
        offset: u32,
    },
}

/// A uniform block that a stage reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UniformFact {
    /// Slot.
    pub slot: u8,
    /// One past the highest byte read; 0x10000 where the offset is computed.
    pub bytes: u32,
}

/// A storage buffer that a stage uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StorageFact {
    /// Slot.
    pub slot: u8,
    /// Whether it is written.
    pub writes: bool,
}

/// A texture that a stage samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextureFact {
    /// Slot of the descriptor.
    pub slot: u8,
    /// Where the handle comes from.
    pub source: HandleSource,
    /// Shape that the code samples.
    pub dim: Dim,
    /// Depth comparison.
    pub compare: bool,
}

/// An image that a stage loads from or stores to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageFact {
    /// Slot of the descriptor.
    pub slot: u8,
    /// Where the handle comes from.
    pub source: HandleSource,
    /// Shape.
    pub dim: Dim,
    /// Format of the view that raw accesses need; `Undefined` = the bound one.
    pub format: Format,
    /// Whether it is written.
    pub writes: bool,
}

/// Where the level comes from at which a stage samples a texture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LevelSource {
    /// `f32` bits in the code.
    Constant(u32),
    /// The `f32` at a byte offset of the block at a uniform slot.
    Uniform {
        /// Slot.
        slot: u8,
        /// Byte offset.
        offset: u32,
    },
}

/// A texture that a stage samples at one level and in no other way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LevelFact {
    /// Slot of the texture.
    pub slot: u8,
    /// Its level.
    pub level: LevelSource,
}

/// What a stage uses and does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StageFacts {
    /// Hash of the program.
    pub hash: u64,
    /// Fragment: 4 bits per target, bit 0 = red.
    pub output_map: u32,
    /// Locations read: bit per location.
    pub attributes_in: u32,
    /// Locations written.
    pub attributes_out: u32,
    /// Writes the layer.
    pub writes_layer: bool,
    /// Writes the viewport index.
    pub writes_viewport: bool,
    /// Writes storage buffers or images.
    pub writes_memory: bool,
    /// May discard.
    pub kills: bool,
    /// Fragment: every input is interpolated, so that no vertex provokes.
    pub no_flat_inputs: bool,
    /// Textures (bit per slot) that are read at other places than the texel under the fragment.
    pub reads_elsewhere: u32,
    /// Textures that are sampled at one level alone, which the state of a draw tells.
    pub levels: Vec<LevelFact>,
    /// Reads the driver bank through its uniform slot.
    pub driver_bank: bool,
    /// Uniform blocks.
    pub uniforms: Vec<UniformFact>,
    /// Storage buffers.
    pub storage: Vec<StorageFact>,
    /// Textures.
    pub textures: Vec<TextureFact>,
    /// Images.
    pub images: Vec<ImageFact>,
}

/// One descriptor that a stage uses: what a row of bindings is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlotFact {
    /// Set.
    pub kind: BindKind,
    /// Stage.
    pub stage: Stage,
    /// Slot of the descriptor.
    pub slot: u8,
    /// Whether the stage writes it.
    pub written: bool,
    /// Bytes that the stage reads of a uniform block; 0 = the driver bank, which is not the game's.
    pub bytes: u32,
    /// Where the handle of a texture or image comes from.
    pub source: HandleSource,
    /// How the stage looks at a texture or image.
    pub shape: Shape,
}

impl SlotFact {
    /// The binding, with nothing bound.
    fn empty(&self) -> Binding {
        let Self { kind, stage, slot, written, .. } = *self;
        Binding { kind, stage, slot, written, source: BindSource::Empty }
    }
}

/// How code looks at a texture or image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Shape {
    /// Shape that it samples or addresses.
    pub dim: Dim,
    /// A depth comparison.
    pub compare: bool,
    /// An image, not a texture.
    pub image: bool,
    /// Format of the view that raw accesses to an image need; `Undefined` = the bound one.
    pub format: Format,
}

impl Shape {
    /// As bits; equal shapes have equal bits.
    #[must_use]
    #[inline]
    pub fn bits(self) -> u32 {
        u32::from_le_bytes([self.dim as u8, u8::from(self.compare), u8::from(self.image), self.format as u8])
    }
}

/// What the stages of a draw use and do together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SetFacts {
    /// Bits of [`traits`] that some stage has.
    pub traits: u8,
    /// Locations that the vertex stage reads.
    pub attributes_in: u32,
    /// Components that the fragment stage writes: 4 bits per target, bit 0 = red. None without one.
    pub output_map: u32,
    /// Rows of [`ShaderStore::slots`].
    slots: Rows,
}

/// What systems ask of each draw's stages, as bits.
pub mod traits {
    /// Reads the driver bank through its uniform slot.
    pub const DRIVER_BANK: u8 = 1 << 0;
    /// Writes the viewport index.
    pub const WRITES_VIEWPORT: u8 = 1 << 1;
    /// Every input is interpolated, so that no vertex provokes.
    pub const NO_FLAT_INPUTS: u8 = 1 << 2;
    /// Uses textures or images.
    pub const TEXTURES: u8 = 1 << 3;
    /// Samples some texture at one level alone.
    pub const LEVELS: u8 = 1 << 4;
}

/// Class and shape of what is bound to a texture or image slot. The default is what most textures are: 2D, read as floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TextureHint(u8);

impl TextureHint {
    /// 2D, read as floats.
    pub const USUAL: Self = Self(0);

    const NEAREST: u8 = 1 << 5;
    const LINEAR: u8 = 1 << 6;
    const SRGB: u8 = 1 << 7;

    /// As bits; 0 = the usual.
    #[must_use]
    pub fn bits(self) -> u8 {
        self.0
    }

    /// The same, sampled at the nearest texel.
    #[must_use]
    pub fn nearest(self) -> Self {
        Self(self.0 | Self::NEAREST)
    }

    /// The same, sampled at the mean of neighbouring texels, and where level 0 is asked for, at that level alone.
    #[must_use]
    pub fn linear(self) -> Self {
        Self(self.0 | Self::LINEAR)
    }

    /// The same, with texels of 8 bits of sRGB in their own order.
    #[must_use]
    pub fn srgb(self) -> Self {
        Self(self.0 | Self::SRGB)
    }

    /// The same without what counts only where [`Translator::settles`].
    #[must_use]
    pub fn plain(self) -> Self {
        Self(self.0 & !(Self::LINEAR | Self::SRGB))
    }

    /// The hint of a class and a shape.
    #[must_use]
    pub fn new(class: NumericClass, dim: Dim) -> Self {
        let dim = DIMS.iter().position(|other| *other == dim).unwrap_or_default() as u8;
        Self(class as u8 | dim << 2)
    }
}

/// A [`StageKey`] in few bits: what draws are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyBits {
    /// Classes of vertex inputs, 2 bits for each location.
    pub vertex_inputs: u32,
    /// Classes of colour targets, 2 bits each.
    pub outputs: u16,
    /// Classes of images, 2 bits for each slot.
    pub images: u16,
    /// Classes of textures, 2 bits for each slot.
    pub textures: u64,
    /// Shapes of textures, 3 bits for each slot; 0 = 2D.
    pub texture_dims: [u64; 2],
    /// As [`StageKey::nearest`].
    pub nearest: u32,
    /// As [`StageKey::linear`].
    pub linear: u32,
    /// As [`StageKey::srgb`].
    pub srgb: u32,
    /// As [`StageKey::stores`], 2 bits each.
    pub stores: u16,
    /// As [`StageKey::previous_outputs`].
    pub previous_outputs: u32,
    /// As [`StageKey::next_inputs`].
    pub next_inputs: u32,
    /// As [`StageKey::minus_one_to_one`].
    pub minus_one_to_one: bool,
    /// As [`StageKey::y_negate`].
    pub y_negate: bool,
    /// As [`StageKey::dual_source`].
    pub dual_source: bool,
    /// As [`StageKey::geometry_input`].
    pub geometry_input: u8,
    /// As [`StageKey::mutants`].
    pub mutants: u8,
}

impl Default for KeyBits {
    fn default() -> Self {
        Self {
            vertex_inputs: 0,
            outputs: 0,
            images: 0,
            textures: 0,
            texture_dims: [0; 2],
            nearest: 0,
            linear: 0,
            srgb: 0,
            stores: 0,
            previous_outputs: u32::MAX,
            next_inputs: u32::MAX,
            minus_one_to_one: false,
            y_negate: false,
            dual_source: false,
            geometry_input: 3,
            mutants: 0,
        }
    }
}

/// Shapes by their bits in [`KeyBits::texture_dims`]: the usual one is 0.
const DIMS: [Dim; 8] = [Dim::D2, Dim::D1, Dim::D3, Dim::Cube, Dim::D1Array, Dim::D2Array, Dim::CubeArray, Dim::Buffer];

/// Classes by their bits.
const CLASSES: [NumericClass; 4] = [NumericClass::Float, NumericClass::Sint, NumericClass::Uint, NumericClass::Float];

/// Stores by their bits.
const STORES: [Store; 4] = [Store::AsIs, Store::Unorm8, Store::Srgb8, Store::Rgb10A2];

/// How a colour target stores what a fragment stage writes without blending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Store {
    /// As the host does.
    #[default]
    AsIs,
    /// In 255 steps.
    Unorm8,
    /// In 255 steps of sRGB, alpha in 255 steps.
    Srgb8,
    /// In 1023 steps, alpha in 3.
    Rgb10A2,
}

impl Store {
    /// How targets of a format store.
    #[must_use]
    pub fn of(format: Format) -> Self {
        match format {
            Format::R8Unorm | Format::Rg8Unorm | Format::Rgba8Unorm | Format::Bgra8Unorm => Self::Unorm8,
            Format::Rgba8Srgb | Format::Bgra8Srgb => Self::Srgb8,
            Format::Rgb10A2Unorm => Self::Rgb10A2,
            _ => Self::AsIs,
        }
    }
}

impl KeyBits {
    /// Sets what is bound to a texture slot below 32.
    pub fn set_texture(&mut self, slot: u8, hint: TextureHint) {
        let (class, dim) = (u64::from(hint.0 & 3), u64::from(hint.0 >> 2 & 7));
        let nearest = u32::from(hint.0 & TextureHint::NEAREST != 0);
        self.nearest = self.nearest & !(1 << slot) | nearest << slot;
        let linear = u32::from(hint.0 & TextureHint::LINEAR != 0);
        self.linear = self.linear & !(1 << slot) | linear << slot;
        let srgb = u32::from(hint.0 & TextureHint::SRGB != 0);
        self.srgb = self.srgb & !(1 << slot) | srgb << slot;
        self.textures = self.textures & !(3 << (2 * slot)) | class << (2 * slot);
        let (word, shift) = (&mut self.texture_dims[usize::from(slot >> 4)], 3 * (slot & 15));
        *word = *word & !(7 << shift) | dim << shift;
    }

    /// Sets the class of an image slot below 8.
    pub fn set_image(&mut self, slot: u8, hint: TextureHint) {
        self.images = self.images & !(3 << (2 * slot)) | u16::from(hint.0 & 3) << (2 * slot);
    }

    /// The key in full.
    #[must_use]
    pub fn expand(&self) -> StageKey {
        fn classes<const N: usize>(bits: u64) -> [NumericClass; N] {
            std::array::from_fn(|n| CLASSES[(bits >> (2 * n) & 3) as usize])
        }
        StageKey {
            vertex_inputs: classes(u64::from(self.vertex_inputs)),
            outputs: classes(u64::from(self.outputs)),
            textures: classes(self.textures),
            texture_dims: std::array::from_fn(|n| DIMS[(self.texture_dims[n >> 4] >> (3 * (n & 15)) & 7) as usize]),
            nearest: self.nearest,
            linear: self.linear,
            srgb: self.srgb,
            stores: std::array::from_fn(|n| STORES[usize::from(self.stores >> (2 * n) & 3)]),
            images: classes(u64::from(self.images)),
            previous_outputs: self.previous_outputs,
            next_inputs: self.next_inputs,
            minus_one_to_one: self.minus_one_to_one,
            y_negate: self.y_negate,
            dual_source: self.dual_source,
            geometry_input: self.geometry_input,
            mutants: self.mutants,
        }
    }
}

/// What changes the translated code of a stage.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StageKey {
    /// Class of the attribute bound to each location.
    pub vertex_inputs: [NumericClass; 16],
    /// Class of each colour target.
    pub outputs: [NumericClass; 8],
    /// Class of the texture bound to each slot.
    pub textures: [NumericClass; 32],
    /// Shape of the texture bound to each slot.
    pub texture_dims: [Dim; 32],
    /// Bit per slot: the texture bound there is sampled at the nearest texel, made smaller or larger.
    pub nearest: u32,
    /// Bit per slot: the texture bound there is sampled at the mean of neighbouring texels, and where level 0 is asked for, at that level alone. 0 where the
    /// translator does not ask for it ([`Translator::settles`]).
    pub linear: u32,
    /// Bit per slot: the texture bound there has texels of 8 bits of sRGB in their own order; 0 as for `linear`.
    pub srgb: u32,
    /// How each colour target stores what is written; as the host does where the translator does not ask for it.
    pub stores: [Store; 8],
    /// Class of the image bound to each slot.
    pub images: [NumericClass; 8],
    /// Locations that the stage before writes.
    pub previous_outputs: u32,
    /// Locations that the stage after reads.
    pub next_inputs: u32,
    /// Depth is converted from -w..w to 0..w in the code.
    pub minus_one_to_one: bool,
    /// The window origin is lower left.
    pub y_negate: bool,
    /// Targets 0 and 1 feed one target.
    pub dual_source: bool,
    /// Vertices per primitive as it enters a geometry stage.
    pub geometry_input: u8,
    /// What is translated wrongly on purpose: bits of `nvn_shader::Mutants`.
    pub mutants: u8,
}

impl Default for StageKey {
    fn default() -> Self {
        Self {
            vertex_inputs: [NumericClass::Float; 16],
            outputs: [NumericClass::Float; 8],
            textures: [NumericClass::Float; 32],
            texture_dims: [Dim::D2; 32],
            nearest: 0,
            linear: 0,
            srgb: 0,
            stores: [Store::AsIs; 8],
            images: [NumericClass::Float; 8],
            previous_outputs: u32::MAX,
            next_inputs: u32::MAX,
            minus_one_to_one: false,
            y_negate: false,
            dual_source: false,
            geometry_input: 3,
            mutants: 0,
        }
    }
}

/// Reads and translates machine code.
pub trait Translator {
    /// What the stage uses.
    ///
    /// # Errors
    /// A sentence for people: what is wrong with the code, and where.
    fn reflect(&self, binary: &StageBinary) -> Result<StageFacts, String>;

    /// The stage as SPIR-V words.
    ///
    /// # Errors
    /// As [`Translator::reflect`].
    fn translate(&self, binary: &StageBinary, key: &StageKey) -> Result<Arc<[u32]>, String>;

    /// Whether code depends on [`StageKey::linear`], [`StageKey::srgb`] and [`StageKey::stores`].
    fn settles(&self) -> bool {
        false
    }
}

/// Programs and variants. See the module.
#[derive(Resource)]
pub struct ShaderStore {
    translator: Arc<dyn Translator + Send + Sync>,
    facts: Vec<Option<Arc<StageFacts>>>,
    /// Bits of [`traits`], by stage.
    traits: Vec<u8>,
    /// By number of [`nvn_decode::ingest::Device::sets`].
    sets: Vec<SetFacts>,
    /// Bits of [`traits`] that some set has.
    all_traits: u8,
    /// Descriptors of each set together, and of each compute stage.
    slots: Vec<SlotFact>,
    /// By row of `slots`: the binding, with nothing bound.
    empty: Vec<Binding>,
    /// Of compute stages, by stage: rows of `slots`.
    compute_slots: Vec<Rows>,
    variants: FxHashMap<(ProgramId, KeyBits), Option<u32>>,
    /// By stage: the key that was asked for last, and its variant.
    last: Vec<Option<(KeyBits, Option<u32>)>>,
    /// Sentences about stages that could not be read or translated.
    pub failures: Vec<(ProgramId, String)>,
}

impl std::fmt::Debug for ShaderStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShaderStore")
            .field("stages", &self.facts.len())
            .field("variants", &self.variants.len())
            .finish_non_exhaustive()
    }
}

impl ShaderStore {
    /// An empty store over a translator.
    #[must_use]
    pub fn new(translator: Arc<dyn Translator + Send + Sync>) -> Self {
        Self {
            translator,
            facts: Vec::new(),
            traits: Vec::new(),
            sets: Vec::new(),
            all_traits: 0,
            slots: Vec::new(),
            empty: Vec::new(),
            compute_slots: Vec::new(),
            variants: FxHashMap::default(),
            last: Vec::new(),
            failures: Vec::new(),
        }
    }

    /// Reads stages and sets of them that were added since the last call.
    pub fn update(&mut self, stages: &[StageBinary], sets: &[[ProgramId; 5]]) {
        for binary in &stages[self.facts.len().min(stages.len())..] {
            let facts = match self.translator.reflect(binary) {
                Ok(facts) => Some(Arc::new(facts)),
                Err(reason) => {
                    self.failures.push((binary.id, reason));
                    None
                }
            };
            let bit = |on: bool, bit: u8| if on { bit } else { 0 };
            self.traits.push(facts.as_ref().map_or(0, |f| {
                bit(f.driver_bank, traits::DRIVER_BANK)
                    | bit(f.writes_viewport, traits::WRITES_VIEWPORT)
                    | bit(f.no_flat_inputs, traits::NO_FLAT_INPUTS)
                    | bit(!f.textures.is_empty() || !f.images.is_empty(), traits::TEXTURES)
                    | bit(!f.levels.is_empty(), traits::LEVELS)
            }));
            let start = self.slots.len();
            if let Some(facts) = facts.as_deref().filter(|_| binary.stage == Stage::Compute) {
                push_slots(&mut self.slots, facts, Stage::Compute);
            }
            self.compute_slots.push(Rows { start: start as u32, len: (self.slots.len() - start) as u32 });
            self.facts.push(facts);
        }
        self.last.resize(self.facts.len(), None);
        for set in &sets[self.sets.len().min(sets.len())..] {
            let start = self.slots.len();
            let mut together = SetFacts::default();
            for (program, stage) in set.iter().zip(GRAPHICS) {
                together.traits |= self.traits.get(program.index()).copied().unwrap_or_default();
                let Some(Some(facts)) = self.facts.get(program.index()) else { continue };
                push_slots(&mut self.slots, facts, stage);
                match stage {
                    Stage::Vertex => together.attributes_in = facts.attributes_in,
                    Stage::Fragment => together.output_map = facts.output_map,
                    _ => {}
                }
            }
            together.slots = Rows { start: start as u32, len: (self.slots.len() - start) as u32 };
            self.all_traits |= together.traits;
            self.sets.push(together);
        }
        let known = self.empty.len();
        self.empty.extend(self.slots[known..].iter().map(SlotFact::empty));
    }

    /// What the stages of a set use and do together.
    #[must_use]
    #[inline]
    pub fn set(&self, number: u32) -> SetFacts {
        self.sets.get(number as usize).copied().unwrap_or_default()
    }

    /// Descriptors that a set uses, stage by stage, and the bindings with nothing bound.
    #[must_use]
    #[inline]
    pub fn set_slots(&self, set: &SetFacts) -> (&[SlotFact], &[Binding]) {
        (&self.slots[set.slots.range()], &self.empty[set.slots.range()])
    }

    /// As [`ShaderStore::set_slots`], of a compute stage.
    #[must_use]
    pub fn compute_slots(&self, id: ProgramId) -> (&[SlotFact], &[Binding]) {
        let rows = self.compute_slots.get(id.index()).copied().unwrap_or_default();
        (&self.slots[rows.range()], &self.empty[rows.range()])
    }

    /// Whether any set has one of these [`traits`].
    #[must_use]
    pub fn any_set_has(&self, bits: u8) -> bool {
        self.all_traits & bits != 0
    }

    /// As [`Translator::settles`].
    #[must_use]
    pub fn settles(&self) -> bool {
        self.translator.settles()
    }

    /// Whether a stage has one of these [`traits`]; an absent stage has none.
    #[must_use]
    pub fn has(&self, id: ProgramId, bits: u8) -> bool {
        self.traits.get(id.index()).is_some_and(|have| have & bits != 0)
    }

    /// What a stage uses; `None` for an absent stage and for one that could not be read.
    #[must_use]
    pub fn facts(&self, id: ProgramId) -> Option<&StageFacts> {
        self.facts.get(id.index())?.as_deref()
    }

    /// As [`ShaderStore::facts`], shared.
    #[must_use]
    pub fn shared_facts(&self, id: ProgramId) -> Option<Arc<StageFacts>> {
        self.facts.get(id.index())?.clone()
    }

    /// The key in [`ShaderModules`] of a stage specialised for `key`, translated when it is new; `None` if it cannot be translated.
    pub fn variant(
        &mut self,
        stages: &[StageBinary],
        modules: &mut ShaderModules,
        id: ProgramId,
        key: &KeyBits,
    ) -> Option<u32> {
        if let Some(Some((last, variant))) = self.last.get(id.index())
            && last == key
        {
            return *variant;
        }
        let variant = match self.variants.get(&(id, *key)) {
            Some(known) => *known,
            None => self.translate(stages.get(id.index())?, modules, id, key),
        };
        if let Some(last) = self.last.get_mut(id.index()) {
            *last = Some((*key, variant));
        }
        variant
    }

    fn translate(
        &mut self,
        binary: &StageBinary,
        modules: &mut ShaderModules,
        id: ProgramId,
        key: &KeyBits,
    ) -> Option<u32> {
        let row = match self.translator.translate(binary, &key.expand()) {
            Ok(words) => {
                if modules.modules.is_empty() {
                    modules.modules.push(None);
                }
                let hash = words
                    .iter()
                    .fold(0xCBF2_9CE4_8422_2325_u64, |h, w| (h ^ u64::from(*w)).wrapping_mul(0x0100_0000_01B3));
                modules.modules.push(Some(ShaderModule { stage: binary.stage, words, hash }));
                Some(modules.modules.len() as u32 - 1)
            }
            Err(reason) => {
                self.failures.push((id, reason));
                None
            }
        };
        self.variants.insert((id, *key), row);
        row
    }
}

/// Uniform slot of the driver bank.
pub const DRIVER_SLOT: u8 = 14;

/// Appends what a stage uses: uniform blocks, the driver bank, storage buffers, textures, images.
fn push_slots(slots: &mut Vec<SlotFact>, facts: &StageFacts, stage: Stage) {
    let buffer = |kind, slot, written, bytes| SlotFact {
        kind,
        stage,
        slot,
        written,
        bytes,
        source: HandleSource::Bound(slot),
        shape: Shape::default(),
    };
    let blocks = facts.uniforms.iter().filter(|block| block.slot != DRIVER_SLOT);
    slots.extend(blocks.map(|block| buffer(BindKind::Uniform, block.slot, false, block.bytes.max(16))));
    if facts.driver_bank {
        slots.push(buffer(BindKind::Uniform, DRIVER_SLOT, false, 0));
    }
    slots.extend(facts.storage.iter().map(|storage| buffer(BindKind::Storage, storage.slot, storage.writes, u32::MAX)));
    slots.extend(facts.textures.iter().map(|texture| SlotFact {
        source: texture.source,
        shape: Shape { dim: texture.dim, compare: texture.compare, ..Shape::default() },
        ..buffer(BindKind::Texture, texture.slot, false, 0)
    }));
    slots.extend(facts.images.iter().map(|image| SlotFact {
        source: image.source,
        shape: Shape { dim: image.dim, compare: false, image: true, format: image.format },
        ..buffer(BindKind::Image, image.slot, image.writes, 0)
    }));
}

/// The graphics stages in the order in which data flows through them.
pub const GRAPHICS: [Stage; 5] = [Stage::Vertex, Stage::TessControl, Stage::TessEval, Stage::Geometry, Stage::Fragment];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_in_few_bits_keeps_what_it_was_given() {
        let mut bits = KeyBits { stores: 0b11_10_01_00, ..KeyBits::default() };
        let hint = TextureHint::new(NumericClass::Float, Dim::D3);
        bits.set_texture(3, hint.linear().srgb());
        bits.set_texture(4, hint.nearest());
        bits.set_texture(5, hint.linear().srgb().plain());
        let key = bits.expand();
        assert_eq!((key.linear, key.srgb, key.nearest), (1 << 3, 1 << 3, 1 << 4));
        assert_eq!(key.texture_dims[3..7], [Dim::D3, Dim::D3, Dim::D3, Dim::D2]);
        assert_eq!(key.stores[..5], [Store::AsIs, Store::Unorm8, Store::Srgb8, Store::Rgb10A2, Store::AsIs]);
        bits.set_texture(3, TextureHint::USUAL);
        assert_eq!((bits.linear, bits.srgb), (0, 0));
    }

    #[test]
    fn only_formats_with_few_steps_have_a_store() {
        assert_eq!(Store::of(Format::Rgba8Unorm), Store::Unorm8);
        assert_eq!(Store::of(Format::Rgba8Srgb), Store::Srgb8);
        assert_eq!(Store::of(Format::Rgb10A2Unorm), Store::Rgb10A2);
        assert_eq!(Store::of(Format::R11G11B10Float), Store::AsIs);
        assert_eq!(Store::of(Format::Rgba8Uint), Store::AsIs);
    }
}
