//! Buffers, memories, textures and images.

use super::{Emitter, Ordered};
use crate::ShaderError;
use crate::header::Stage;
use crate::ir::{Atomic, Buffer, Builtin, Image, ImageKind, Inst, Ir, Op, Space, Texture, TextureKind, Type, Value};
use crate::isa::{Instruction, Line};
use crate::key::{BindingScheme, ComponentClass};
use crate::passes::{image_result, integral};
use crate::reflection::{
    DRIVER_SLOT, Dim, HandleSource, ImageFormat, ImageUse, LevelSource, StorageUse, TextureUse, UniformUse,
};
use rspirv::dr::Operand;
use rspirv::spirv::{self, Decoration, ImageOperands, StorageClass, Word};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Bytes of a constant bank.
const BANK: u32 = 0x1_0000;

/// Slots of images that are also stored through their format get their raw view here.
const RAW: u32 = 16;

type TextureKey = (HandleSource, Dim, ComponentClassOrder, bool);
type ImageKey = (HandleSource, Dim, ImageFormat, ComponentClassOrder);

/// A component class with an order, for stable maps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct ComponentClassOrder(u8);

impl ComponentClassOrder {
    fn new(class: ComponentClass) -> Self {
        Self(class as u8)
    }

    fn class(self) -> ComponentClass {
        match self.0 {
            0 => ComponentClass::Float,
            1 => ComponentClass::Sint,
            _ => ComponentClass::Uint,
        }
    }
}

#[derive(Clone, Copy)]
struct Declared {
    variable: Word,
    /// Type to load: sampled image, or image.
    ty: Word,
    image: Word,
}

/// Resource declarations, made on first use from what the scan found.
#[derive(Default)]
pub(super) struct Resources {
    uniform_bytes: Ordered<u8, u32>,
    uniforms: HashMap<u8, Word>,
    storage: Ordered<u8, StorageUse>,
    buffers: HashMap<u8, Word>,
    constants: Option<Word>,
    local: Option<Word>,
    shared: Option<Word>,
    decorated: HashSet<Word>,
    textures: Ordered<TextureKey, Declared>,
    images: Ordered<ImageKey, Declared>,
    slots: HashMap<HandleSource, u8>,
    image_slots: HashMap<HandleSource, u8>,
    /// Images stored or loaded through their format.
    formatted: HashSet<HandleSource>,
    /// Results of texture and image operations in the current block.
    results: HashMap<Value, (Word, Type)>,
}

/// Whether a texture operation fetches the texel under its own fragment: a fetch at the whole part of the fragment's place.
fn own_pixel(ir: &Ir, texture: &Texture) -> bool {
    let at = |c: usize| texture.coordinates.get(c).is_some_and(|value| from_place(ir, *value, c as u8, 0));
    texture.kind == TextureKind::Fetch
        && texture.offsets.is_empty()
        && matches!(texture.dim, Dim::D2 | Dim::D2Ms)
        && at(0)
        && at(1)
}

/// The word that names the level of a lookup, where that is a constant or a word of a uniform block. A computed offset in texels asks for the size of the texture,
/// which depends on the levels that the view has.
fn level_source(ir: &Ir, texture: &Texture) -> Option<LevelSource> {
    if texture.offsets.iter().any(|offset| ir.constant(*offset).is_none()) {
        return None;
    }
    let level = texture.level.filter(|_| texture.kind == TextureKind::Level)?;
    if let Some(bits) = ir.constant(level) {
        return Some(LevelSource::Constant(bits));
    }
    match ir.op(level) {
        Op::Uniform { bank } => {
            Some(LevelSource::Uniform { bank: *bank, offset: ir.constant(*ir.args(level).first()?)? })
        }
        _ => None,
    }
}

/// Whether a value is component `c` of the fragment's place, rounded down. What a conversion to integer puts around its source never takes effect there: bounds
/// that no place reaches, and what stands for NaN and for values past the integers. Any other bound or choice may lead to the texel of another fragment.
fn from_place(ir: &Ir, value: Value, c: u8, depth: u8) -> bool {
    const DEEPEST: u8 = 12;
    let next = |value: Value| from_place(ir, value, c, depth + 1);
    let args = ir.args(value);
    let number = |value: Value| ir.constant(value).map(f32::from_bits);
    let bounded = |within: &dyn Fn(f32) -> bool| args.iter().all(|a| number(*a).map_or_else(|| next(*a), within));
    depth < DEEPEST
        && match ir.op(value) {
            Op::Builtin(Builtin::FragCoord(which)) => *which == c,
            Op::FloatToInt { .. } | Op::FTrunc | Op::FFloor => args.iter().all(|a| next(*a)),
            Op::FMin => bounded(&|most| most >= LARGEST_PLACE),
            Op::FMax => bounded(&|least| least <= 0.0),
            Op::Select => never(ir, args[0]) && ir.constant(args[1]).is_some() && next(args[2]),
            _ => false,
        }
}

/// No fragment lies further right or down: targets are at most this large.
const LARGEST_PLACE: f32 = 16384.0;

/// Whether a condition holds for no place of a fragment: it asks for NaN, or for what no target reaches.
fn never(ir: &Ir, condition: Value) -> bool {
    let args = ir.args(condition);
    match ir.op(condition) {
        Op::FCompare(NOT_A_NUMBER) => args[0] == args[1],
        Op::FCompare(AT_LEAST) => ir.constant(args[1]).is_some_and(|bound| f32::from_bits(bound) >= LARGEST_PLACE),
        _ => false,
    }
}

/// Kinds of [`Op::FCompare`], as the machine code numbers them.
const AT_LEAST: u8 = 6;
const NOT_A_NUMBER: u8 = 8;

impl Emitter<'_> {
    /// Collects sizes and directions of all resources.
    pub(super) fn scan_resources(&mut self) {
        let ir = self.ir;
        let mut bindless = BTreeSet::new();
        let mut bound = BTreeSet::new();
        let mut bindless_images = BTreeSet::new();
        let mut elsewhere = BTreeSet::new();
        let mut levels: BTreeMap<HandleSource, Option<LevelSource>> = BTreeMap::new();
        for value in ir.blocks.iter().flatten() {
            let inst = &ir.insts[*value as usize];
            let constant = inst.args.first().and_then(|a| ir.constant(*a));
            let mut storage = |slot: u8, reads: bool, writes: bool, atomics: bool| {
                let entry = self.resources.storage.entry(slot).or_insert(StorageUse {
                    slot,
                    binding: 0,
                    reads: false,
                    writes: false,
                    atomics: false,
                });
                entry.reads |= reads;
                entry.writes |= writes;
                entry.atomics |= atomics;
            };
            match &inst.op {
                Op::Uniform { bank } => {
                    let end = constant.map_or(BANK, |at| at + 4);
                    let bytes = self.resources.uniform_bytes.entry(*bank).or_insert(0);
                    *bytes = end.max(*bytes);
                }
                Op::LoadGlobal { buffer: Some(Buffer::Uniform(slot)) } => {
                    let end = constant.map_or(BANK, |at| at + 4).min(BANK);
                    let bytes = self.resources.uniform_bytes.entry(slot + 3).or_insert(0);
                    *bytes = end.max(*bytes);
                }
                Op::LoadGlobal { buffer: Some(Buffer::Storage(slot)) } => storage(*slot, true, false, false),
                Op::BufferSize(slot) => storage(*slot, true, false, false),
                Op::StoreGlobal { buffer: Some(Buffer::Storage(slot)) } => storage(*slot, false, true, false),
                Op::StoreGlobalNarrow { buffer: Some(Buffer::Storage(slot)), .. }
                | Op::AtomicGlobal { buffer: Some(Buffer::Storage(slot)), .. } => storage(*slot, true, true, true),
                Op::Texture(texture) => {
                    let (own, level) = (own_pixel(ir, texture), level_source(ir, texture));
                    for source in texture.source.into_iter().chain(texture.candidates.iter().map(|(_, s)| *s)) {
                        if !own {
                            elsewhere.insert(source);
                        }
                        levels
                            .entry(source)
                            .and_modify(|known| *known = known.filter(|k| level == Some(*k)))
                            .or_insert(level);
                        match source {
                            HandleSource::Bound(slot) => {
                                bound.insert(slot);
                            }
                            other => {
                                bindless.insert(other);
                            }
                        }
                    }
                }
                Op::Image(image) => {
                    if let Some(source) = image.source {
                        if !matches!(source, HandleSource::Bound(_)) {
                            bindless_images.insert(source);
                        }
                        if matches!(image.kind, ImageKind::Load | ImageKind::Store) {
                            self.resources.formatted.insert(source);
                        }
                    }
                }
                _ => {}
            }
        }
        // Bindless handles take the highest slots that are free.
        let mut free = (0..32u8).rev().filter(|s| !bound.contains(s));
        for source in bindless {
            self.resources.slots.insert(source, free.next().unwrap_or(0));
        }
        let slot = |source: HandleSource| match source {
            HandleSource::Bound(slot) => slot,
            other => self.resources.slots.get(&other).copied().unwrap_or(0),
        };
        for source in elsewhere {
            self.reflection.reads_elsewhere |= 1 << (slot(source) & 31);
        }
        let levels = levels.into_iter().filter_map(|(source, level)| Some((slot(source), level?)));
        self.reflection.levels = levels.collect();
        let mut free = (0..8u8).rev();
        for source in bindless_images {
            self.resources.image_slots.insert(source, free.next().unwrap_or(0));
        }
    }

    fn binding(&self, slot: u32) -> u32 {
        match self.key.bindings {
            BindingScheme::Engine => self.program.stage.binding_index() * 32 + slot,
            BindingScheme::Reference => slot,
        }
    }

    fn bind(&mut self, variable: Word, set: u32, binding: u32) {
        self.decorate(variable, Decoration::DescriptorSet, Some(set));
        self.decorate(variable, Decoration::Binding, Some(binding));
    }

    /// A struct with one member at offset 0, laid out as a block.
    fn block_type(&mut self, array: Word, stride: u32) -> Word {
        let block = self.b.type_struct([array]);
        if self.resources.decorated.insert(array) {
            self.decorate(array, Decoration::ArrayStride, Some(stride));
        }
        if self.resources.decorated.insert(block) {
            self.decorate(block, Decoration::Block, None);
            self.b.member_decorate(block, 0, Decoration::Offset, [Operand::LiteralBit32(0)]);
        }
        block
    }

    fn uniform_variable(&mut self, bank: u8) -> Word {
        if let Some(id) = self.resources.uniforms.get(&bank) {
            return *id;
        }
        let bytes = self.resources.uniform_bytes.get(&bank).copied().unwrap_or(BANK);
        let slot = if bank == 0 { DRIVER_SLOT } else { bank.saturating_sub(3) };
        let u = self.t_u32();
        let four = self.vector(u, 4);
        let count = self.word_constant(bytes.div_ceil(16).max(1));
        let array = self.b.type_array(four, count);
        let block = self.block_type(array, 16);
        let id = self.global(StorageClass::Uniform, block, None);
        let binding = self.binding(u32::from(slot));
        self.bind(id, 0, binding);
        self.resources.uniforms.insert(bank, id);
        self.reflection.driver_bank |= bank == 0;
        self.reflection.uniform_blocks.push(UniformUse { bank, slot, binding, bytes });
        id
    }

    /// A word of a uniform block at a byte offset.
    fn uniform_word(&mut self, bank: u8, offset: Value) -> Word {
        let u = self.t_u32();
        if bank == 1 {
            return self.constant_word(offset);
        }
        let variable = self.uniform_variable(bank);
        let zero = self.word_constant(0);
        let (row, column) = match self.ir.constant(offset) {
            Some(at) => (self.word_constant((at & 0xFFFF) / 16), self.word_constant((at / 4) % 4)),
            None => {
                let at = self.word(offset);
                let (four, two, three) = (self.word_constant(4), self.word_constant(2), self.word_constant(3));
                let row = self.ids(spirv::Op::ShiftRightLogical, u, &[at, four]);
                let word = self.ids(spirv::Op::ShiftRightLogical, u, &[at, two]);
                (row, self.ids(spirv::Op::BitwiseAnd, u, &[word, three]))
            }
        };
        let pointer = self.pointer(StorageClass::Uniform, u);
        let at = self.ids(spirv::Op::AccessChain, pointer, &[variable, zero, row, column]);
        self.load(u, at)
    }

    /// A word of the compiler constants at a computed offset; 0 outside.
    fn constant_word(&mut self, offset: Value) -> Word {
        let u = self.t_u32();
        let words: Vec<u32> = (0..self.program.constants.len().div_ceil(4).clamp(1, 0x4000) as u32)
            .map(|k| self.program.constant(k * 4))
            .collect();
        let variable = match self.resources.constants {
            Some(id) => id,
            None => {
                let ids: Vec<Word> = words.iter().map(|w| self.word_constant(*w)).collect();
                let count = self.word_constant(ids.len() as u32);
                let array = self.b.type_array(u, count);
                let initial = self.b.constant_composite(array, ids);
                let id = self.global(StorageClass::Private, array, Some(initial));
                self.resources.constants = Some(id);
                id
            }
        };
        let at = self.word(offset);
        let two = self.word_constant(2);
        let index = self.ids(spirv::Op::ShiftRightLogical, u, &[at, two]);
        let last = self.word_constant(words.len() as u32 - 1);
        let clamped = self.ext(u, 38, &[index, last]);
        let pointer = self.pointer(StorageClass::Private, u);
        let pointer = self.ids(spirv::Op::AccessChain, pointer, &[variable, clamped]);
        let word = self.load(u, pointer);
        let truth = self.t_bool();
        let inside = self.ids(spirv::Op::IEqual, truth, &[index, clamped]);
        let zero = self.word_constant(0);
        self.ids(spirv::Op::Select, u, &[inside, word, zero])
    }

    fn storage_variable(&mut self, slot: u8) -> Word {
        if let Some(id) = self.resources.buffers.get(&slot) {
            return *id;
        }
        let u = self.t_u32();
        let array = self.b.type_runtime_array(u);
        let block = self.block_type(array, 4);
        let id = self.global(StorageClass::StorageBuffer, block, None);
        let binding = self.binding(u32::from(slot));
        self.bind(id, 1, binding);
        self.resources.buffers.insert(slot, id);
        if let Some(use_) = self.resources.storage.get(&slot).copied() {
            if !use_.writes {
                self.decorate(id, Decoration::NonWritable, None);
            }
            self.reflection.storage_buffers.push(StorageUse { binding, ..use_ });
        }
        id
    }

    fn word_index(&mut self, offset: Value) -> Word {
        match self.ir.constant(offset) {
            Some(at) => self.word_constant(at / 4),
            None => {
                let u = self.t_u32();
                let at = self.word(offset);
                let two = self.word_constant(2);
                self.ids(spirv::Op::ShiftRightLogical, u, &[at, two])
            }
        }
    }

    fn storage_pointer(&mut self, slot: u8, offset: Value) -> Word {
        let u = self.t_u32();
        let variable = self.storage_variable(slot);
        let zero = self.word_constant(0);
        let index = self.word_index(offset);
        let pointer = self.pointer(StorageClass::StorageBuffer, u);
        self.ids(spirv::Op::AccessChain, pointer, &[variable, zero, index])
    }

    fn space_pointer(&mut self, space: Space, offset: Value) -> Word {
        let u = self.t_u32();
        let (class, bytes) = match space {
            Space::Local => (StorageClass::Private, self.program.local_bytes),
            Space::Shared => (StorageClass::Workgroup, self.program.shared_bytes),
        };
        let known = if space == Space::Local { self.resources.local } else { self.resources.shared };
        let count = (bytes / 4).max(1);
        let variable = match known {
            Some(id) => id,
            None => {
                let length = self.word_constant(count);
                let array = self.b.type_array(u, length);
                let initial = (space == Space::Local).then(|| self.b.constant_null(array));
                let id = self.global(class, array, initial);
                *(if space == Space::Local { &mut self.resources.local } else { &mut self.resources.shared }) =
                    Some(id);
                id
            }
        };
        // An access outside the memory goes to its last word: nothing else bounds it.
        let index = match self.ir.constant(offset) {
            Some(at) => self.word_constant((at / 4).min(count - 1)),
            None => {
                let index = self.word_index(offset);
                let last = self.word_constant(count - 1);
                self.ext(u, 38, &[index, last])
            }
        };
        let pointer = self.pointer(class, u);
        self.ids(spirv::Op::AccessChain, pointer, &[variable, index])
    }

    fn atomic(
        &mut self,
        atomic: Atomic,
        pointer: Word,
        value: Word,
        compare: Option<Word>,
        scope: spirv::Scope,
    ) -> Word {
        use spirv::Op as S;
        let u = self.t_u32();
        let scope = self.word_constant(scope as u32);
        let relaxed = self.word_constant(0);
        let simple = match atomic {
            Atomic::Add => S::AtomicIAdd,
            Atomic::Min { signed: true } => S::AtomicSMin,
            Atomic::Min { signed: false } => S::AtomicUMin,
            Atomic::Max { signed: true } => S::AtomicSMax,
            Atomic::Max { signed: false } => S::AtomicUMax,
            Atomic::And => S::AtomicAnd,
            Atomic::Or => S::AtomicOr,
            Atomic::Xor => S::AtomicXor,
            Atomic::Exchange => S::AtomicExchange,
            Atomic::CompareExchange => {
                let compare = compare.unwrap_or(relaxed);
                return self.compare_exchange(pointer, scope, value, compare);
            }
            Atomic::Inc | Atomic::Dec | Atomic::AddFloat => {
                return self.exchange_loop(atomic, pointer, value, scope);
            }
        };
        self.emit(
            simple,
            u,
            vec![
                Operand::IdRef(pointer),
                Operand::IdScope(scope),
                Operand::IdMemorySemantics(relaxed),
                Operand::IdRef(value),
            ],
        )
    }

    fn compare_exchange(&mut self, pointer: Word, scope: Word, value: Word, compare: Word) -> Word {
        let u = self.t_u32();
        let relaxed = self.word_constant(0);
        self.emit(
            spirv::Op::AtomicCompareExchange,
            u,
            vec![
                Operand::IdRef(pointer),
                Operand::IdScope(scope),
                Operand::IdMemorySemantics(relaxed),
                Operand::IdMemorySemantics(relaxed),
                Operand::IdRef(value),
                Operand::IdRef(compare),
            ],
        )
    }

    /// Wrapping increment and decrement and float addition, by compare-exchange until nobody came between.
    fn exchange_loop(&mut self, atomic: Atomic, pointer: Word, value: Word, scope: Word) -> Word {
        use spirv::Op as S;
        let (u, f, truth) = (self.t_u32(), self.t_f32(), self.t_bool());
        let (header, body, next, merge) = (self.b.id(), self.b.id(), self.b.id(), self.b.id());
        let (zero, one) = (self.word_constant(0), self.word_constant(1));
        self.branch(header);
        self.label(header);
        self.effect(
            S::LoopMerge,
            vec![Operand::IdRef(merge), Operand::IdRef(next), Operand::LoopControl(spirv::LoopControl::NONE)],
        );
        self.branch(body);
        self.label(body);
        let old = self.emit(
            S::AtomicLoad,
            u,
            vec![Operand::IdRef(pointer), Operand::IdScope(scope), Operand::IdMemorySemantics(zero)],
        );
        let new = match atomic {
            Atomic::Inc => {
                let wraps = self.ids(S::UGreaterThanEqual, truth, &[old, value]);
                let up = self.ids(S::IAdd, u, &[old, one]);
                self.ids(S::Select, u, &[wraps, zero, up])
            }
            Atomic::Dec => {
                let is_zero = self.ids(S::IEqual, truth, &[old, zero]);
                let over = self.ids(S::UGreaterThan, truth, &[old, value]);
                let wraps = self.ids(S::LogicalOr, truth, &[is_zero, over]);
                let down = self.ids(S::ISub, u, &[old, one]);
                self.ids(S::Select, u, &[wraps, value, down])
            }
            _ => {
                let a = self.ids(S::Bitcast, f, &[old]);
                let b = self.ids(S::Bitcast, f, &[value]);
                let sum = self.ids(S::FAdd, f, &[a, b]);
                self.ids(S::Bitcast, u, &[sum])
            }
        };
        let seen = self.compare_exchange(pointer, scope, new, old);
        let done = self.ids(S::IEqual, truth, &[seen, old]);
        self.branch_on(done, merge, next);
        self.label(next);
        self.branch(header);
        self.label(merge);
        old
    }

    fn unsupported(&self, inst: &Inst, why: &'static str) -> ShaderError {
        let at = inst.offset as usize;
        let text = self
            .program
            .code
            .get(at..at + 8)
            .and_then(|b| b.try_into().ok())
            .and_then(|b| Instruction::decode(inst.offset, u64::from_le_bytes(b)))
            .map_or_else(String::new, |i| Line(i).to_string());
        ShaderError::Unsupported { offset: inst.offset, text, why }
    }

    /// Memory, texture and image operations.
    pub(super) fn resource(&mut self, value: Value, inst: &Inst) -> Result<Option<Word>, ShaderError> {
        use spirv::Op as S;
        let args = &inst.args;
        let u = self.t_u32();
        Ok(match &inst.op {
            Op::Uniform { bank: 2 } => return Err(ShaderError::UntracedHandle { offset: inst.offset }),
            Op::Uniform { bank } => Some(self.uniform_word(*bank, args[0])),
            Op::BufferSize(slot) => {
                let variable = self.storage_variable(*slot);
                let length = self.emit(S::ArrayLength, u, vec![Operand::IdRef(variable), Operand::LiteralBit32(0)]);
                let two = self.word_constant(2);
                Some(self.ids(S::ShiftLeftLogical, u, &[length, two]))
            }
            Op::LoadGlobal { buffer: Some(Buffer::Uniform(slot)) } => Some(self.uniform_word(slot + 3, args[0])),
            Op::LoadGlobal { buffer: Some(Buffer::Storage(slot)) } => {
                let at = self.storage_pointer(*slot, args[0]);
                Some(self.load(u, at))
            }
            Op::StoreGlobal { buffer: Some(Buffer::Storage(slot)) } => {
                let value = self.word(args[1]);
                let at = self.storage_pointer(*slot, args[0]);
                self.store(at, value);
                None
            }
            Op::StoreGlobalNarrow { buffer: Some(Buffer::Storage(slot)), bits } => {
                let value = self.word(args[1]);
                let address = self.word(args[0]);
                let at = self.storage_pointer(*slot, args[0]);
                let three = self.word_constant(3);
                let mask = self.word_constant((1 << bits) - 1);
                let byte = self.ids(S::BitwiseAnd, u, &[address, three]);
                let shift = self.ids(S::ShiftLeftLogical, u, &[byte, three]);
                let hole = self.ids(S::ShiftLeftLogical, u, &[mask, shift]);
                let keep = self.ids(S::Not, u, &[hole]);
                let low = self.ids(S::BitwiseAnd, u, &[value, mask]);
                let moved = self.ids(S::ShiftLeftLogical, u, &[low, shift]);
                // Other threads may write the other bytes of the word at the same time.
                self.atomic(Atomic::And, at, keep, None, spirv::Scope::Device);
                self.atomic(Atomic::Or, at, moved, None, spirv::Scope::Device);
                None
            }
            Op::AtomicGlobal { buffer: Some(Buffer::Storage(slot)), atomic } => {
                let value = self.word(args[1]);
                let compare = args.get(2).map(|c| self.word(*c));
                let at = self.storage_pointer(*slot, args[0]);
                Some(self.atomic(*atomic, at, value, compare, spirv::Scope::Device))
            }
            Op::Load(space) => {
                let at = self.space_pointer(*space, args[0]);
                Some(self.load(u, at))
            }
            Op::Store(space) => {
                let value = self.word(args[1]);
                let at = self.space_pointer(*space, args[0]);
                self.store(at, value);
                None
            }
            Op::AtomicShared(atomic) => {
                let value = self.word(args[1]);
                let compare = args.get(2).map(|c| self.word(*c));
                let at = self.space_pointer(Space::Shared, args[0]);
                Some(self.atomic(*atomic, at, value, compare, spirv::Scope::Workgroup))
            }
            Op::Texture(texture) => {
                let result = self.texture(inst, texture)?;
                self.resources.results.insert(value, result);
                None
            }
            Op::Image(image) => {
                let result = self.image(inst, image)?;
                if let Some((id, Type::U32)) = result {
                    return Ok(Some(id));
                }
                if let Some(result) = result {
                    self.resources.results.insert(value, result);
                }
                None
            }
            Op::Extract(component) => {
                let Some((vector, ty)) = self.resources.results.get(&args[0]).copied() else {
                    return Err(self.unsupported(inst, "a result that is read in another block"));
                };
                let scalar = match ty {
                    Type::Vec4F => self.t_f32(),
                    Type::Vec4S => self.t_i32(),
                    _ => u,
                };
                let id = self.emit(
                    S::CompositeExtract,
                    scalar,
                    vec![Operand::IdRef(vector), Operand::LiteralBit32(u32::from(*component))],
                );
                if ty == Type::Vec4F {
                    self.cache.insert((value, Type::F32), id);
                }
                Some(if scalar == u { id } else { self.ids(S::Bitcast, u, &[id]) })
            }
            _ => return Err(ShaderError::UntracedAddress { offset: inst.offset }),
        })
    }

    fn image_dim(&mut self, dim: Dim, storage: bool) -> (spirv::Dim, u32, u32) {
        use spirv::Capability as C;
        match (dim, storage) {
            (Dim::D1 | Dim::D1Array, false) => self.need(C::Sampled1D),
            (Dim::D1 | Dim::D1Array, true) => self.need(C::Image1D),
            (Dim::CubeArray, false) => self.need(C::SampledCubeArray),
            (Dim::CubeArray, true) => self.need(C::ImageCubeArray),
            (Dim::Buffer, false) => self.need(C::SampledBuffer),
            (Dim::Buffer, true) => self.need(C::ImageBuffer),
            _ => {}
        }
        match dim {
            Dim::D1 => (spirv::Dim::Dim1D, 0, 0),
            Dim::D1Array => (spirv::Dim::Dim1D, 1, 0),
            Dim::D2 => (spirv::Dim::Dim2D, 0, 0),
            Dim::D2Array => (spirv::Dim::Dim2D, 1, 0),
            Dim::D3 => (spirv::Dim::Dim3D, 0, 0),
            Dim::Cube => (spirv::Dim::DimCube, 0, 0),
            Dim::CubeArray => (spirv::Dim::DimCube, 1, 0),
            Dim::Buffer => (spirv::Dim::DimBuffer, 0, 0),
            Dim::D2Ms => (spirv::Dim::Dim2D, 0, 1),
            Dim::D2MsArray => (spirv::Dim::Dim2D, 1, 1),
        }
    }

    fn class_scalar(&mut self, class: ComponentClass) -> (Word, Type) {
        match class {
            ComponentClass::Float => (self.t_f32(), Type::Vec4F),
            ComponentClass::Sint => (self.t_i32(), Type::Vec4S),
            ComponentClass::Uint => (self.t_u32(), Type::Vec4U),
        }
    }

    fn texture_class(&self, source: HandleSource, compare: bool) -> ComponentClass {
        match source {
            _ if compare => ComponentClass::Float,
            HandleSource::Bound(slot) => self.key.textures[usize::from(slot) & 31].class,
            _ => ComponentClass::Float,
        }
    }

    /// The slot of a source; `None` for a handle that is not known before.
    pub(super) fn slot_of(&self, source: HandleSource) -> Option<u8> {
        match source {
            HandleSource::Bound(slot) => Some(slot),
            other => self.resources.slots.get(&other).copied(),
        }
    }

    fn samples_nearest(&self, source: HandleSource) -> bool {
        let slot = self.slot_of(source);
        slot.is_some_and(|slot| self.key.textures[usize::from(slot) & 31].nearest)
    }

    /// Moves coordinates by a thousandth of a texel. Between two texels Maxwell, which rounds coordinates to 1/256 of a texel, takes the one behind; what a host
    /// takes there hangs on the last bit of its interpolation. A thousandth is less than Maxwell's own step, and more than what interpolation loses.
    fn settle_ties(&mut self, parts: &mut [Word], image_of: impl Fn(&mut Self) -> Word, texture: &Texture) {
        use spirv::Op as S;
        let (f, u) = (self.t_f32(), self.t_u32());
        self.need(spirv::Capability::ImageQuery);
        let image = image_of(self);
        let count = texture.dim.coordinates() + usize::from(texture.dim.arrayed());
        let size_type = self.vector(u, count);
        let zero = self.word_constant(0);
        let size = self.ids(S::ImageQuerySizeLod, size_type, &[image, zero]);
        let step = self.float_constant((1.0_f32 / 1024.0).to_bits());
        for (k, part) in parts.iter_mut().enumerate().take(texture.dim.coordinates()) {
            let side = if count == 1 {
                size
            } else {
                self.emit(S::CompositeExtract, u, vec![Operand::IdRef(size), Operand::LiteralBit32(k as u32)])
            };
            let side = self.ids(S::ConvertUToF, f, &[side]);
            let step = self.ids(S::FDiv, f, &[step, side]);
            *part = self.ids(S::FAdd, f, &[*part, step]);
        }
    }

    fn texture_variable(&mut self, source: HandleSource, texture: &Texture) -> Declared {
        let compare = texture.reference.is_some();
        let class = self.texture_class(source, compare);
        let key = (source, texture.dim, ComponentClassOrder::new(class), compare);
        let gather = matches!(texture.kind, TextureKind::Gather(_));
        if let Some(declared) = self.resources.textures.get(&key).copied() {
            if gather
                && let Some(use_) =
                    self.reflection.textures.iter_mut().find(|t| t.source == source && t.dim == texture.dim)
            {
                use_.gather = true;
            }
            return declared;
        }
        let (scalar, _) = self.class_scalar(class);
        let (dim, arrayed, multisampled) = self.image_dim(texture.dim, false);
        let image = self.b.type_image(
            scalar,
            dim,
            u32::from(compare),
            arrayed,
            multisampled,
            1,
            spirv::ImageFormat::Unknown,
            None,
        );
        // Texel buffers are no combined image samplers.
        let ty = if texture.dim == Dim::Buffer { image } else { self.b.type_sampled_image(image) };
        let variable = self.global(StorageClass::UniformConstant, ty, None);
        let slot = match source {
            HandleSource::Bound(slot) => slot,
            other => self.resources.slots.get(&other).copied().unwrap_or(0),
        };
        let binding = self.binding(u32::from(slot));
        self.bind(variable, 2, binding);
        let declared = Declared { variable, ty, image };
        self.resources.textures.insert(key, declared);
        self.reflection.textures.push(TextureUse {
            source,
            slot,
            binding,
            dim: texture.dim,
            class,
            compare,
            gather,
            bindless: !matches!(source, HandleSource::Bound(_)),
        });
        declared
    }

    /// The four components of a texture operation.
    fn texture(&mut self, inst: &Inst, texture: &Texture) -> Result<(Word, Type), ShaderError> {
        let Some(source) = texture.source else { return Err(ShaderError::UntracedHandle { offset: inst.offset }) };
        let Some(index) = texture.handle else { return self.texture_at(inst, texture, source) };
        // One of several handles: each candidate is sampled under its own condition.
        let (u, truth) = (self.t_u32(), self.t_bool());
        let class = self.texture_class(source, texture.reference.is_some());
        let (_, ty) = if integral(texture) { (u, Type::Vec4U) } else { self.class_scalar(class) };
        let vector = self.ty(ty);
        let result = self.local(vector);
        let zero = self.b.constant_null(vector);
        self.store(result, zero);
        let index = self.word(index);
        // Operands are read before the conditions, so that every candidate sees them.
        let mut plain = texture.clone();
        let operands: Vec<Value> = plain.values_mut().map(|v| *v).collect();
        for operand in operands {
            if self.ir.constant(operand).is_none() {
                let _ = self.word(operand);
                let _ = self.real(operand);
            }
        }
        for (offset, candidate) in &texture.candidates {
            let offset = self.word_constant(*offset);
            let hit = self.ids(spirv::Op::IEqual, truth, &[index, offset]);
            let (body, after) = (self.b.id(), self.b.id());
            self.select_merge(after);
            self.branch_on(hit, body, after);
            self.label(body);
            let (value, _) = self.texture_at(inst, texture, *candidate)?;
            self.store(result, value);
            self.branch(after);
            self.label(after);
        }
        Ok((self.load(vector, result), ty))
    }

    /// A vector (or scalar) of floats or integers.
    pub(super) fn compose(&mut self, scalar: Word, parts: &[Word]) -> Word {
        match parts {
            [one] => *one,
            _ => {
                let ty = self.vector(scalar, parts.len());
                self.ids(spirv::Op::CompositeConstruct, ty, parts)
            }
        }
    }

    fn constant_offsets(&mut self, offsets: &[Value]) -> Option<Word> {
        let values: Option<Vec<u32>> = offsets.iter().map(|o| self.ir.constant(*o)).collect();
        let ids: Vec<Word> = values?.iter().map(|v| self.int_constant(*v as i32)).collect();
        Some(match ids.as_slice() {
            [one] => *one,
            _ => {
                let i = self.t_i32();
                let ty = self.vector(i, ids.len());
                self.b.constant_composite(ty, ids)
            }
        })
    }

    fn signed_vector(&mut self, values: &[Value]) -> Word {
        let i = self.t_i32();
        let parts: Vec<Word> = values
            .iter()
            .map(|v| {
                let word = self.word(*v);
                self.ids(spirv::Op::Bitcast, i, &[word])
            })
            .collect();
        self.compose(i, &parts)
    }

    fn texture_at(
        &mut self,
        inst: &Inst,
        texture: &Texture,
        source: HandleSource,
    ) -> Result<(Word, Type), ShaderError> {
        use spirv::Op as S;
        let (f, u) = (self.t_f32(), self.t_u32());
        let declared = self.texture_variable(source, texture);
        let class = self.texture_class(source, texture.reference.is_some());
        let (scalar, ty) = self.class_scalar(class);
        let vector = self.vector(scalar, 4);
        let object = self.load(declared.ty, declared.variable);
        let image_of = |e: &mut Self| {
            if declared.ty == declared.image { object } else { e.ids(S::Image, declared.image, &[object]) }
        };
        match texture.kind {
            TextureKind::Size => {
                self.need(spirv::Capability::ImageQuery);
                let image = image_of(self);
                let count = match texture.dim {
                    Dim::Cube => 2,
                    Dim::CubeArray => 3,
                    dim => dim.coordinates() + usize::from(dim.arrayed()),
                };
                let size_type = self.vector(u, count);
                let plain = matches!(texture.dim, Dim::Buffer | Dim::D2Ms | Dim::D2MsArray);
                let size = if plain {
                    self.ids(S::ImageQuerySize, size_type, &[image])
                } else {
                    let level = match texture.level {
                        Some(level) => self.word(level),
                        None => self.word_constant(0),
                    };
                    self.ids(S::ImageQuerySizeLod, size_type, &[image, level])
                };
                let one = self.word_constant(1);
                let mut parts = Vec::new();
                if count == 1 {
                    parts.push(size);
                } else {
                    for k in 0..count as u32 {
                        parts.push(self.emit(
                            S::CompositeExtract,
                            u,
                            vec![Operand::IdRef(size), Operand::LiteralBit32(k)],
                        ));
                    }
                }
                if texture.dim == Dim::D1Array {
                    parts.insert(1, one);
                }
                parts.resize(3, one);
                let levels = if plain { one } else { self.ids(S::ImageQueryLevels, u, &[image]) };
                parts.push(levels);
                return Ok((self.compose(u, &parts), Type::Vec4U));
            }
            TextureKind::QueryLevel => {
                let parts: Vec<Word> = texture.coordinates.iter().map(|c| self.real(*c)).collect();
                let coordinate = self.compose(f, &parts);
                if self.program.stage != Stage::Fragment {
                    return Err(self.unsupported(inst, "level queries outside fragment stages"));
                }
                self.need(spirv::Capability::ImageQuery);
                let pair = self.vector(f, 2);
                let levels = self.ids(S::ImageQueryLod, pair, &[object, coordinate]);
                let zero = self.float_constant(0);
                let four = self.vector(f, 4);
                return Ok((self.ids(S::CompositeConstruct, four, &[levels, zero, zero]), Type::Vec4F));
            }
            TextureKind::Fetch => {
                let i = self.t_i32();
                let mut parts: Vec<Word> = Vec::new();
                for (k, coordinate) in texture.coordinates.iter().enumerate() {
                    let word = self.word(*coordinate);
                    let word = match texture.offsets.get(k) {
                        Some(offset) => {
                            let offset = self.word(*offset);
                            self.ids(S::IAdd, u, &[word, offset])
                        }
                        None => word,
                    };
                    parts.push(self.ids(S::Bitcast, i, &[word]));
                }
                if let Some(layer) = texture.layer {
                    let layer = self.word(layer);
                    parts.push(self.ids(S::Bitcast, i, &[layer]));
                }
                let coordinate = self.compose(i, &parts);
                let image = image_of(self);
                let mut operands = vec![Operand::IdRef(image), Operand::IdRef(coordinate)];
                match (texture.sample, texture.dim) {
                    (Some(sample), _) => {
                        let sample = self.word(sample);
                        operands.push(Operand::ImageOperands(ImageOperands::SAMPLE));
                        operands.push(Operand::IdRef(sample));
                    }
                    (None, Dim::Buffer) => {}
                    (None, _) => {
                        let level = match texture.level {
                            Some(level) => self.word(level),
                            None => self.word_constant(0),
                        };
                        operands.push(Operand::ImageOperands(ImageOperands::LOD));
                        operands.push(Operand::IdRef(level));
                    }
                }
                let texel = self.emit(S::ImageFetch, vector, operands);
                let texel = if self.settles_srgb(source) { self.texel(texel) } else { texel };
                return Ok((texel, ty));
            }
            _ => {}
        }
        let mut parts: Vec<Word> = texture.coordinates.iter().map(|c| self.real(*c)).collect();
        let gather = match texture.kind {
            TextureKind::Gather(component) => Some(component),
            _ => None,
        };
        let constant = if texture.offsets.is_empty() { None } else { self.constant_offsets(&texture.offsets) };
        if !texture.offsets.is_empty() && constant.is_none() && gather.is_none() {
            // Sampling takes constant offsets alone; a computed one moves the coordinates by texels of the base level.
            self.need(spirv::Capability::ImageQuery);
            let image = image_of(self);
            let count = texture.dim.coordinates() + usize::from(texture.dim.arrayed());
            let size_type = self.vector(u, count);
            let zero = self.word_constant(0);
            let size = self.ids(S::ImageQuerySizeLod, size_type, &[image, zero]);
            for (k, offset) in texture.offsets.iter().enumerate() {
                let side = if count == 1 {
                    size
                } else {
                    self.emit(S::CompositeExtract, u, vec![Operand::IdRef(size), Operand::LiteralBit32(k as u32)])
                };
                let side = self.ids(S::ConvertUToF, f, &[side]);
                let offset = self.word(*offset);
                let offset = self.ids(S::ConvertSToF, f, &[offset]);
                let step = self.ids(S::FDiv, f, &[offset, side]);
                parts[k] = self.ids(S::FAdd, f, &[parts[k], step]);
            }
        }
        let flat = matches!(texture.dim, Dim::D1 | Dim::D2 | Dim::D3 | Dim::D1Array | Dim::D2Array);
        if flat && gather.is_none() && texture.reference.is_none() && self.samples_nearest(source) {
            self.settle_ties(&mut parts, image_of, texture);
        }
        let layer = texture.layer.map(|layer| {
            let layer = self.word(layer);
            self.ids(S::ConvertUToF, f, &[layer])
        });
        if self.takes_mean(texture, source, self.program.stage == Stage::Fragment) {
            let offsets: &[Value] = if constant.is_some() { &texture.offsets } else { &[] };
            let image = image_of(self);
            let srgb = self.settles_srgb(source);
            return Ok(self.mean(texture, (object, image), &parts, offsets, layer, srgb));
        }
        parts.extend(layer);
        let coordinate = self.compose(f, &parts);
        let reference = texture.reference.map(|r| self.real(r));
        let mut mask = ImageOperands::NONE;
        let mut extra = Vec::new();
        let fragment = self.program.stage == Stage::Fragment;
        let mut explicit = false;
        match texture.kind {
            TextureKind::Bias if fragment => {
                mask |= ImageOperands::BIAS;
                let bias = match texture.level {
                    Some(level) => self.real(level),
                    None => self.float_constant(0),
                };
                extra.push(Operand::IdRef(bias));
            }
            TextureKind::Implicit if fragment => {}
            TextureKind::Level | TextureKind::Implicit | TextureKind::Bias => {
                explicit = true;
                mask |= ImageOperands::LOD;
                let level = match texture.level {
                    Some(level) if texture.kind == TextureKind::Level => self.real(level),
                    _ => self.float_constant(0),
                };
                extra.push(Operand::IdRef(level));
            }
            TextureKind::Gradient => {
                explicit = true;
                mask |= ImageOperands::GRAD;
                let half = texture.gradients.len() / 2;
                for side in [&texture.gradients[..half], &texture.gradients[half..]] {
                    let parts: Vec<Word> = side.iter().map(|g| self.real(*g)).collect();
                    extra.push(Operand::IdRef(self.compose(f, &parts)));
                }
            }
            _ => {}
        }
        if let Some(constant) = constant {
            mask |= ImageOperands::CONST_OFFSET;
            extra.push(Operand::IdRef(constant));
        } else if gather.is_some() && !texture.offsets.is_empty() {
            self.need(spirv::Capability::ImageGatherExtended);
            let offset = self.signed_vector(&texture.offsets);
            mask |= ImageOperands::OFFSET;
            extra.push(Operand::IdRef(offset));
        }
        if let Some(component) = gather {
            let last = match reference {
                Some(reference) => reference,
                None => self.word_constant(u32::from(component)),
            };
            let op = if reference.is_some() { S::ImageDrefGather } else { S::ImageGather };
            let base = vec![Operand::IdRef(object), Operand::IdRef(coordinate), Operand::IdRef(last)];
            let Some(places) = texture.four_offsets else {
                let mut operands = base;
                if mask != ImageOperands::NONE {
                    operands.push(Operand::ImageOperands(mask));
                    operands.extend(extra);
                }
                return Ok((self.emit(op, vector, operands), ty));
            };
            // Each place gives its own texel, the last component of a gather there.
            self.need(spirv::Capability::ImageGatherExtended);
            let mut texels = Vec::new();
            for place in places {
                let offset = match self.constant_offsets(&place) {
                    Some(id) => id,
                    None => self.signed_vector(&place),
                };
                let mut operands = base.clone();
                operands.push(Operand::ImageOperands(ImageOperands::OFFSET));
                operands.push(Operand::IdRef(offset));
                let four = self.emit(op, vector, operands);
                texels.push(self.emit(
                    S::CompositeExtract,
                    scalar,
                    vec![Operand::IdRef(four), Operand::LiteralBit32(3)],
                ));
            }
            return Ok((self.compose(scalar, &texels), ty));
        }
        let mut operands = vec![Operand::IdRef(object), Operand::IdRef(coordinate)];
        operands.extend(reference.map(Operand::IdRef));
        if mask != ImageOperands::NONE {
            operands.push(Operand::ImageOperands(mask));
            operands.extend(extra);
        }
        let op = match (reference.is_some(), explicit) {
            (false, false) => S::ImageSampleImplicitLod,
            (false, true) => S::ImageSampleExplicitLod,
            (true, false) => S::ImageSampleDrefImplicitLod,
            (true, true) => S::ImageSampleDrefExplicitLod,
        };
        if reference.is_none() {
            let value = self.emit(op, vector, operands);
            let single = flat && self.samples_nearest(source) && self.settles_srgb(source);
            return Ok((if single { self.texel(value) } else { value }, ty));
        }
        // A comparison gives its result in the colour components and 1 in the last one.
        let result = self.emit(op, f, operands);
        let one = self.float_constant(1.0f32.to_bits());
        let four = self.vector(f, 4);
        Ok((self.ids(S::CompositeConstruct, four, &[result, result, result, one]), Type::Vec4F))
    }

    fn image_variable(&mut self, source: HandleSource, image: &Image) -> (Declared, ComponentClass) {
        let bound_class = match source {
            HandleSource::Bound(slot) => self.key.images[usize::from(slot) & 7],
            _ => ComponentClass::Float,
        };
        let mut format = match image.kind {
            ImageKind::LoadRaw(8) | ImageKind::StoreRaw(8) => ImageFormat::R8Uint,
            ImageKind::LoadRaw(16) | ImageKind::StoreRaw(16) => ImageFormat::R16Uint,
            ImageKind::LoadRaw(64) | ImageKind::StoreRaw(64) => ImageFormat::Rg32Uint,
            ImageKind::LoadRaw(128) | ImageKind::StoreRaw(128) => ImageFormat::Rgba32Uint,
            ImageKind::LoadRaw(_) | ImageKind::StoreRaw(_) | ImageKind::Atomic(_) => ImageFormat::R32Uint,
            ImageKind::Load | ImageKind::Store => ImageFormat::Unknown,
        };
        let raw = format != ImageFormat::Unknown;
        let class = if raw { ComponentClass::Uint } else { bound_class };
        let both = raw && self.resources.formatted.contains(&source);
        // A slot with an unsigned format that is also accessed raw needs one view only.
        let shared = bound_class == ComponentClass::Uint && self.raw_words(source) == Some(32);
        if shared {
            format = ImageFormat::R32Uint;
        }
        let key = (source, image.dim, format, ComponentClassOrder::new(class));
        let (reads, writes, atomics) = match image.kind {
            ImageKind::Load | ImageKind::LoadRaw(_) => (true, false, false),
            ImageKind::Store | ImageKind::StoreRaw(_) => (false, true, false),
            ImageKind::Atomic(_) => (true, true, true),
        };
        let slot = match source {
            HandleSource::Bound(slot) => slot,
            other => self.resources.image_slots.get(&other).copied().unwrap_or(0),
        };
        let alias = both && !shared && self.key.bindings == BindingScheme::Engine;
        let binding = self.binding(u32::from(slot) + if alias { RAW } else { 0 });
        let found = self
            .reflection
            .images
            .iter_mut()
            .find(|i| i.source == source && i.dim == image.dim && i.format == format && i.class == class);
        match found {
            Some(use_) => {
                use_.reads |= reads;
                use_.writes |= writes;
                use_.atomics |= atomics;
            }
            None => self.reflection.images.push(ImageUse {
                source,
                slot,
                binding,
                dim: image.dim,
                class,
                format,
                reads,
                writes,
                atomics,
            }),
        }
        if format == ImageFormat::Unknown {
            if reads {
                self.need(spirv::Capability::StorageImageReadWithoutFormat);
            }
            if writes {
                self.need(spirv::Capability::StorageImageWriteWithoutFormat);
            }
        }
        let class = key.3.class();
        if let Some(declared) = self.resources.images.get(&key) {
            return (*declared, class);
        }
        let (scalar, _) = self.class_scalar(class);
        let (dim, arrayed, multisampled) = self.image_dim(image.dim, true);
        let texel = match format {
            ImageFormat::Unknown => spirv::ImageFormat::Unknown,
            ImageFormat::R8Uint => spirv::ImageFormat::R8ui,
            ImageFormat::R16Uint => spirv::ImageFormat::R16ui,
            ImageFormat::R32Uint => spirv::ImageFormat::R32ui,
            ImageFormat::Rg32Uint => spirv::ImageFormat::Rg32ui,
            ImageFormat::Rgba32Uint => spirv::ImageFormat::Rgba32ui,
        };
        if matches!(format, ImageFormat::R8Uint | ImageFormat::R16Uint | ImageFormat::Rg32Uint) {
            self.need(spirv::Capability::StorageImageExtendedFormats);
        }
        let ty = self.b.type_image(scalar, dim, 0, arrayed, multisampled, 2, texel, None);
        let variable = self.global(StorageClass::UniformConstant, ty, None);
        self.bind(variable, 3, binding);
        let declared = Declared { variable, ty, image: ty };
        self.resources.images.insert(key, declared);
        (declared, class)
    }

    /// Bits of the raw accesses of an image, where they agree.
    fn raw_words(&self, source: HandleSource) -> Option<u16> {
        let mut found = None;
        for value in self.ir.blocks.iter().flatten() {
            if let Op::Image(image) = &self.ir.insts[*value as usize].op
                && image.source == Some(source)
            {
                let bits = match image.kind {
                    ImageKind::LoadRaw(bits) | ImageKind::StoreRaw(bits) => bits,
                    ImageKind::Atomic(_) => 32,
                    _ => continue,
                };
                match found {
                    None => found = Some(bits),
                    Some(other) if other != bits => return None,
                    Some(_) => {}
                }
            }
        }
        found
    }

    fn image(&mut self, inst: &Inst, image: &Image) -> Result<Option<(Word, Type)>, ShaderError> {
        use spirv::Op as S;
        let Some(source) = image.source else { return Err(ShaderError::UntracedHandle { offset: inst.offset }) };
        let (declared, class) = self.image_variable(source, image);
        let (scalar, ty) = self.class_scalar(class);
        let coordinate = self.signed_vector(&image.coordinates);
        let u = self.t_u32();
        if let ImageKind::Atomic(atomic) = image.kind {
            let value = self.word(image.data[0]);
            let compare = image.data.get(1).map(|c| self.word(*c));
            let pointer = self.pointer(StorageClass::Image, u);
            let zero = self.word_constant(0);
            let texel = self.ids(S::ImageTexelPointer, pointer, &[declared.variable, coordinate, zero]);
            let old = self.atomic(atomic, texel, value, compare, spirv::Scope::Device);
            return Ok(Some((old, Type::U32)));
        }
        let object = self.load(declared.ty, declared.variable);
        let vector = self.vector(scalar, 4);
        match image.kind {
            ImageKind::Load | ImageKind::LoadRaw(_) => {
                let value = self.ids(S::ImageRead, vector, &[object, coordinate]);
                debug_assert!(image_result(image, class) == ty);
                Ok(Some((value, ty)))
            }
            _ => {
                let zero = self.word_constant(0);
                let mut parts: Vec<Word> = image
                    .data
                    .iter()
                    .map(|d| match class {
                        ComponentClass::Float => self.real(*d),
                        ComponentClass::Uint => self.word(*d),
                        ComponentClass::Sint => {
                            let raw = self.word(*d);
                            self.ids(S::Bitcast, scalar, &[raw])
                        }
                    })
                    .collect();
                parts.resize(4, zero);
                let texel = self.compose(scalar, &parts);
                self.effect(
                    S::ImageWrite,
                    vec![Operand::IdRef(object), Operand::IdRef(coordinate), Operand::IdRef(texel)],
                );
                Ok(None)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The integer place of a fragment, as a conversion makes it, with `around` put about the float before.
    fn place(around: impl Fn(&mut Ir, Value) -> Value) -> (Ir, Value) {
        let mut ir = Ir::new(1);
        let at = ir.push(0, Op::Builtin(Builtin::FragCoord(0)), &[], 0);
        let at = around(&mut ir, at);
        let rounded = ir.push(0, Op::FFloor, &[at], 0);
        let low = ir.push(0, Op::Const((-2_147_483_648.0_f32).to_bits()), &[], 0);
        let high = ir.push(0, Op::Const(2_147_483_520.0_f32.to_bits()), &[], 0);
        let clamped = ir.push(0, Op::FMax, &[rounded, low], 0);
        let clamped = ir.push(0, Op::FMin, &[clamped, high], 0);
        let whole = ir.push(0, Op::FloatToInt { signed: true }, &[clamped], 0);
        let zero = ir.push(0, Op::Const(0), &[], 0);
        let nan = ir.push(0, Op::FCompare(NOT_A_NUMBER), &[rounded, rounded], 0);
        let value = ir.push(0, Op::Select, &[nan, zero, whole], 0);
        (ir, value)
    }

    #[test]
    fn only_the_place_itself_is_the_own_pixel() {
        let own = |c: u8, around: &dyn Fn(&mut Ir, Value) -> Value| {
            let (ir, value) = place(around);
            from_place(&ir, value, c, 0)
        };
        let bound = |op: fn() -> Op, at: f32| {
            move |ir: &mut Ir, value: Value| {
                let at = ir.push(0, Op::Const(at.to_bits()), &[], 0);
                ir.push(0, op(), &[value, at], 0)
            }
        };
        assert!(own(0, &|_, value| value));
        assert!(!own(1, &|_, value| value), "the other component");
        assert!(own(0, &bound(|| Op::FMin, 32767.0)), "a bound that no place reaches");
        assert!(!own(0, &bound(|| Op::FMin, 10.0)), "places right of 10 read texel 10");
        assert!(!own(0, &bound(|| Op::FMax, 4.0)), "places left of 4 read texel 4");
        assert!(!own(0, &bound(|| Op::FAdd, 1.0)), "the neighbour");
        let chosen = |ir: &mut Ir, value: Value| {
            let ten = ir.push(0, Op::Const(10.0_f32.to_bits()), &[], 0);
            let right = ir.push(0, Op::FCompare(AT_LEAST), &[value, ten], 0);
            ir.push(0, Op::Select, &[right, ten, value], 0)
        };
        assert!(!own(0, &chosen), "a choice that some places take");
    }
}
