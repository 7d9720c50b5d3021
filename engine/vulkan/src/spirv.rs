//! A small reader of SPIR-V: what a module binds, which of it it reads and writes, and its outputs.
//!
//! It reads decorations, types and the instructions that touch memory, and nothing else; a module that it cannot follow is taken to read and write all it binds.

use ash::vk;
use std::collections::HashMap;

/// One declared binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Declared {
    /// Descriptor set.
    pub set: u32,
    /// Binding number.
    pub binding: u32,
    /// Descriptor type.
    pub kind: vk::DescriptorType,
    /// Descriptors in the binding (arrays); at least 1.
    pub count: u32,
    /// Shape of an image binding.
    pub shape: ImageShape,
    /// The module reads it.
    pub reads: bool,
    /// The module writes it.
    pub writes: bool,
}

/// Shape of an image that a shader declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImageShape {
    /// SPIR-V's `Dim`: 0 = 1D, 1 = 2D, 2 = 3D, 3 = cube, 5 = buffer.
    pub dim: u32,
    /// Layers.
    pub arrayed: bool,
    /// Samples.
    pub multisampled: bool,
    /// 0 = float, 1 = signed, 2 = unsigned.
    pub class: u8,
}

/// What a module declares.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Interface {
    /// Bindings that the entry point can reach, by set and number.
    pub bindings: Vec<Declared>,
    /// Locations of outputs.
    pub outputs: Vec<u32>,
    /// Locations of inputs.
    pub inputs: Vec<u32>,
}

/// Why a module cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpirvError {
    /// No SPIR-V at all.
    #[error("not SPIR-V: the first word is {0:#010x}")]
    Magic(u32),
    /// The header is cut off.
    #[error("cut off: {0} words, the header alone has 5")]
    Short(usize),
    /// An instruction runs past the end, or has no length.
    #[error("the instruction at word {0} has a bad length")]
    Length(usize),
}

mod op {
    pub(super) const TYPE_INT: u16 = 21;
    pub(super) const TYPE_FLOAT: u16 = 22;
    pub(super) const TYPE_IMAGE: u16 = 25;
    pub(super) const TYPE_SAMPLER: u16 = 26;
    pub(super) const TYPE_SAMPLED_IMAGE: u16 = 27;
    pub(super) const TYPE_ARRAY: u16 = 28;
    pub(super) const TYPE_RUNTIME_ARRAY: u16 = 29;
    pub(super) const TYPE_STRUCT: u16 = 30;
    pub(super) const TYPE_POINTER: u16 = 32;
    pub(super) const CONSTANT: u16 = 43;
    pub(super) const FUNCTION_CALL: u16 = 57;
    pub(super) const VARIABLE: u16 = 59;
    pub(super) const IMAGE_TEXEL_POINTER: u16 = 60;
    pub(super) const LOAD: u16 = 61;
    pub(super) const STORE: u16 = 62;
    pub(super) const COPY_MEMORY: u16 = 63;
    pub(super) const COPY_MEMORY_SIZED: u16 = 64;
    pub(super) const ACCESS_CHAIN: u16 = 65;
    pub(super) const IN_BOUNDS_ACCESS_CHAIN: u16 = 66;
    pub(super) const PTR_ACCESS_CHAIN: u16 = 67;
    pub(super) const IN_BOUNDS_PTR_ACCESS_CHAIN: u16 = 70;
    pub(super) const DECORATE: u16 = 71;
    pub(super) const COPY_OBJECT: u16 = 83;
    pub(super) const SAMPLED_IMAGE: u16 = 86;
    pub(super) const IMAGE_WRITE: u16 = 99;
    pub(super) const IMAGE: u16 = 100;
    pub(super) const SELECT: u16 = 169;
    pub(super) const ATOMIC_LOAD: u16 = 227;
    pub(super) const ATOMIC_STORE: u16 = 228;
    pub(super) const ATOMIC_LAST: u16 = 242;
    pub(super) const PHI: u16 = 245;
    pub(super) const ATOMIC_FMIN: u16 = 5614;
    pub(super) const ATOMIC_FMAX: u16 = 5615;
    pub(super) const ATOMIC_FADD: u16 = 6035;
}

const BUFFER_BLOCK: u32 = 3;
const LOCATION: u32 = 30;
const BINDING: u32 = 33;
const DESCRIPTOR_SET: u32 = 34;

/// The instructions of a module: (opcode, operands with result ids).
pub struct Instructions<'a> {
    words: &'a [u32],
    at: usize,
}

/// Iterates over the instructions behind the header.
///
/// # Errors
/// A bad header. Bad lengths come up while iterating.
pub fn instructions(words: &[u32]) -> Result<Instructions<'_>, SpirvError> {
    if words.len() < 5 {
        return Err(SpirvError::Short(words.len()));
    }
    if words[0] != 0x0723_0203 {
        return Err(SpirvError::Magic(words[0]));
    }
    Ok(Instructions { words, at: 5 })
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Result<(u16, &'a [u32], usize), SpirvError>;

    fn next(&mut self) -> Option<Self::Item> {
        let first = *self.words.get(self.at)?;
        let length = (first >> 16) as usize;
        let Some(all) = self.words.get(self.at..self.at + length).filter(|w| !w.is_empty()) else {
            let at = self.at;
            self.at = self.words.len();
            return Some(Err(SpirvError::Length(at)));
        };
        let at = self.at;
        self.at += length;
        Some(Ok((first as u16, &all[1..], at)))
    }
}

#[derive(Clone, Copy)]
enum Type {
    Image(ImageShape, u32),
    Sampler,
    SampledImage(u32),
    Array(u32, u32),
    Struct,
    Pointer(u32),
}

#[derive(Default)]
struct Decorations {
    set: Option<u32>,
    binding: Option<u32>,
    location: Option<u32>,
    buffer_block: bool,
}

/// Reads a module.
///
/// # Errors
/// The module is no SPIR-V or is cut off.
pub fn interface(words: &[u32]) -> Result<Interface, SpirvError> {
    let mut decorations: HashMap<u32, Decorations> = HashMap::new();
    let mut types: HashMap<u32, Type> = HashMap::new();
    let mut numeric: HashMap<u32, u8> = HashMap::new();
    let mut constants: HashMap<u32, u32> = HashMap::new();
    let mut variables: Vec<(u32, u32, u32)> = Vec::new();
    // Result id → the variable that it points into or was loaded from.
    let mut roots: HashMap<u32, u32> = HashMap::new();
    let mut touched: HashMap<u32, (bool, bool)> = HashMap::new();

    for instruction in instructions(words)? {
        let (code, a, _) = instruction?;
        let arg = |n: usize| a.get(n).copied().unwrap_or(0);
        let mut touch = |roots: &HashMap<u32, u32>, id: u32, read: bool, write: bool| {
            if let Some(root) = roots.get(&id) {
                let entry = touched.entry(*root).or_default();
                entry.0 |= read;
                entry.1 |= write;
            }
        };
        match code {
            op::DECORATE => {
                let entry = decorations.entry(arg(0)).or_default();
                match arg(1) {
                    BUFFER_BLOCK => entry.buffer_block = true,
                    LOCATION => entry.location = Some(arg(2)),
                    BINDING => entry.binding = Some(arg(2)),
                    DESCRIPTOR_SET => entry.set = Some(arg(2)),
                    _ => {}
                }
            }
            op::TYPE_INT => {
                numeric.insert(arg(0), if arg(2) == 1 { 1 } else { 2 });
            }
            op::TYPE_FLOAT => {
                numeric.insert(arg(0), 0);
            }
            op::TYPE_IMAGE => {
                let class = numeric.get(&arg(1)).copied().unwrap_or(0);
                let shape = ImageShape { dim: arg(2), arrayed: arg(4) == 1, multisampled: arg(5) == 1, class };
                types.insert(arg(0), Type::Image(shape, arg(6)));
            }
            op::TYPE_SAMPLER => {
                types.insert(arg(0), Type::Sampler);
            }
            op::TYPE_SAMPLED_IMAGE => {
                types.insert(arg(0), Type::SampledImage(arg(1)));
            }
            op::TYPE_ARRAY => {
                let count = constants.get(&arg(2)).copied().unwrap_or(1);
                types.insert(arg(0), Type::Array(arg(1), count));
            }
            op::TYPE_RUNTIME_ARRAY => {
                types.insert(arg(0), Type::Array(arg(1), 1));
            }
            op::TYPE_STRUCT => {
                types.insert(arg(0), Type::Struct);
            }
            op::TYPE_POINTER => {
                types.insert(arg(0), Type::Pointer(arg(2)));
            }
            op::CONSTANT => {
                constants.insert(arg(1), arg(2));
            }
            op::VARIABLE => {
                variables.push((arg(1), arg(0), arg(2)));
                roots.insert(arg(1), arg(1));
            }
            op::ACCESS_CHAIN
            | op::IN_BOUNDS_ACCESS_CHAIN
            | op::PTR_ACCESS_CHAIN
            | op::IN_BOUNDS_PTR_ACCESS_CHAIN
            | op::COPY_OBJECT
            | op::IMAGE
            | op::SAMPLED_IMAGE => {
                if let Some(&root) = roots.get(&arg(2)) {
                    roots.insert(arg(1), root);
                }
            }
            op::LOAD => {
                touch(&roots, arg(2), true, false);
                // A handle still leads to what it names. Any other value is a copy: what becomes of it does not touch the binding.
                let opaque =
                    matches!(types.get(&arg(0)), Some(Type::Image(..) | Type::Sampler | Type::SampledImage(_)));
                if let Some(&root) = roots.get(&arg(2)).filter(|_| opaque) {
                    roots.insert(arg(1), root);
                }
            }
            op::IMAGE_TEXEL_POINTER => {
                touch(&roots, arg(2), true, true);
                if let Some(&root) = roots.get(&arg(2)) {
                    roots.insert(arg(1), root);
                }
            }
            op::STORE => touch(&roots, arg(0), false, true),
            op::COPY_MEMORY | op::COPY_MEMORY_SIZED => {
                touch(&roots, arg(0), false, true);
                touch(&roots, arg(1), true, false);
            }
            op::IMAGE_WRITE => touch(&roots, arg(0), false, true),
            op::ATOMIC_LOAD => touch(&roots, arg(2), true, false),
            op::ATOMIC_STORE => touch(&roots, arg(0), false, true),
            229..=op::ATOMIC_LAST | op::ATOMIC_FMIN | op::ATOMIC_FMAX | op::ATOMIC_FADD => {
                touch(&roots, arg(2), true, true);
            }
            op::FUNCTION_CALL | op::SELECT | op::PHI => {
                for &id in a.get(2..).unwrap_or_default() {
                    // A pointer or handle that leaves this function's sight may be used in any way.
                    touch(&roots, id, true, true);
                }
            }
            _ => {}
        }
    }

    let mut out = Interface::default();
    for (id, pointer, class) in variables {
        let Some(&Type::Pointer(pointee)) = types.get(&pointer) else { continue };
        let Some(d) = decorations.get(&id) else { continue };
        match (class, d.location) {
            (1, Some(location)) => out.inputs.push(location),
            (3, Some(location)) => out.outputs.push(location),
            _ => {}
        }
        let Some(binding) = d.binding else { continue };
        let (mut of, mut count) = (pointee, 1);
        while let Some(&Type::Array(inner, n)) = types.get(&of) {
            count *= n.max(1);
            of = inner;
        }
        let block = decorations.get(&of).is_some_and(|d| d.buffer_block);
        let (kind, shape) = match (class, types.get(&of)) {
            (12, _) => (vk::DescriptorType::STORAGE_BUFFER, ImageShape::default()),
            (2, _) if block => (vk::DescriptorType::STORAGE_BUFFER, ImageShape::default()),
            (2, _) => (vk::DescriptorType::UNIFORM_BUFFER, ImageShape::default()),
            (_, Some(Type::SampledImage(image))) => match types.get(image) {
                Some(Type::Image(shape, _)) if shape.dim == 5 => (vk::DescriptorType::UNIFORM_TEXEL_BUFFER, *shape),
                Some(Type::Image(shape, _)) => (vk::DescriptorType::COMBINED_IMAGE_SAMPLER, *shape),
                _ => continue,
            },
            (_, Some(Type::Image(shape, 2))) if shape.dim == 5 => (vk::DescriptorType::STORAGE_TEXEL_BUFFER, *shape),
            (_, Some(Type::Image(shape, 2))) => (vk::DescriptorType::STORAGE_IMAGE, *shape),
            (_, Some(Type::Image(shape, _))) if shape.dim == 5 => (vk::DescriptorType::UNIFORM_TEXEL_BUFFER, *shape),
            (_, Some(Type::Image(shape, _))) => (vk::DescriptorType::SAMPLED_IMAGE, *shape),
            (_, Some(Type::Sampler)) => (vk::DescriptorType::SAMPLER, ImageShape::default()),
            _ => continue,
        };
        let (mut reads, mut writes) = touched.get(&id).copied().unwrap_or((false, false));
        // Loading an image handle is no read of its texels; which instruction used it was not followed, so a storage image that is never written is read.
        if kind == vk::DescriptorType::STORAGE_IMAGE {
            reads = !writes || reads;
        } else if matches!(kind, vk::DescriptorType::COMBINED_IMAGE_SAMPLER | vk::DescriptorType::UNIFORM_BUFFER) {
            writes = false;
        }
        reads |= !writes && kind != vk::DescriptorType::STORAGE_BUFFER;
        out.bindings.push(Declared { set: d.set.unwrap_or(0), binding, kind, count, shape, reads, writes });
    }
    out.bindings.sort_by_key(|b| (b.set, b.binding));
    out.inputs.sort_unstable();
    out.outputs.sort_unstable();
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rspirv::binary::Assemble;
    use rspirv::dr::{Builder, Operand};
    use rspirv::spirv::{
        AddressingModel, Capability, Decoration, ExecutionModel, FunctionControl, MemoryModel, SelectionControl,
        StorageClass,
    };

    #[test]
    fn what_is_no_spirv_is_refused() {
        assert_eq!(interface(&[]), Err(SpirvError::Short(0)));
        assert_eq!(interface(&[1, 0, 0, 0, 0]), Err(SpirvError::Magic(1)));
        assert_eq!(interface(&[0x0723_0203, 0, 0, 0, 0, 0]), Err(SpirvError::Length(5)));
        assert_eq!(interface(&[0x0723_0203, 0, 0, 0, 0, 0x0009_0047]), Err(SpirvError::Length(5)));
    }

    /// A way of one value or pointer to the next instruction.
    #[derive(Debug, Clone, Copy)]
    enum Way {
        Straight,
        Select,
        Phi,
        Call,
        CopyObject,
    }

    const WAYS: [Way; 5] = [Way::Straight, Way::Select, Way::Phi, Way::Call, Way::CopyObject];

    /// What is done with the storage buffer 0, at the end of the way.
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum End {
        /// Its value is loaded first, goes the way, and lands in storage buffer 1.
        Value,
        /// Its address goes the way and is loaded from.
        Load,
        /// Its address goes the way and is stored to.
        Store,
        /// Its address goes the way; an atomic (opcode) on a float.
        Atomic(u16),
    }

    /// Reads and writes of the storage buffers 0 and 1.
    fn touched(way: Way, end: End) -> [(bool, bool); 2] {
        let mut b = Builder::new();
        b.set_version(1, 3);
        b.capability(Capability::Shader);
        b.memory_model(AddressingModel::Logical, MemoryModel::GLSL450);
        let void = b.type_void();
        let boolean = b.type_bool();
        let uint = b.type_int(32, 0);
        let zero = b.constant_bit32(uint, 0);
        let block = b.type_struct([uint]);
        b.decorate(block, Decoration::Block, []);
        let to_block = b.type_pointer(None, StorageClass::StorageBuffer, block);
        let to_uint = b.type_pointer(None, StorageClass::StorageBuffer, uint);
        let buffers = [0, 1].map(|n| {
            let variable = b.variable(to_block, None, StorageClass::StorageBuffer, None);
            b.decorate(variable, Decoration::DescriptorSet, [Operand::LiteralBit32(1)]);
            b.decorate(variable, Decoration::Binding, [Operand::LiteralBit32(n)]);
            variable
        });
        let carried = if end == End::Value { uint } else { to_uint };
        // A function that is handed the value or address, declared ahead of its body.
        let callee = b.id();
        let main_type = b.type_function(void, []);
        let main = b.begin_function(void, None, FunctionControl::NONE, main_type).expect("function");
        let head = b.begin_block(None).expect("block");
        let address = b.access_chain(to_uint, None, buffers[0], [zero]).expect("chain");
        let start = match end {
            End::Value => b.load(uint, None, address, None, []).expect("load"),
            _ => address,
        };
        let yes = b.constant_true(boolean);
        let arrived = match way {
            Way::Straight => start,
            Way::Select => b.select(carried, None, yes, start, start).expect("select"),
            Way::CopyObject => b.copy_object(carried, None, start).expect("copy"),
            Way::Phi => {
                let (left, merge) = (b.id(), b.id());
                b.selection_merge(merge, SelectionControl::NONE).expect("merge");
                b.branch_conditional(yes, left, merge, []).expect("branch");
                b.begin_block(Some(left)).expect("block");
                b.branch(merge).expect("branch");
                b.begin_block(Some(merge)).expect("block");
                b.phi(carried, None, [(start, left), (start, head)]).expect("phi")
            }
            Way::Call => b.function_call(carried, None, callee, [start]).expect("call"),
        };
        match end {
            End::Value => {
                let to = b.access_chain(to_uint, None, buffers[1], [zero]).expect("chain");
                b.store(to, arrived, None, []).expect("store");
            }
            End::Load => {
                b.load(uint, None, arrived, None, []).expect("load");
            }
            End::Store => b.store(arrived, zero, None, []).expect("store"),
            End::Atomic(_) => {
                b.atomic_i_add(uint, None, arrived, zero, zero, zero).expect("atomic");
            }
        }
        b.ret().expect("ret");
        b.end_function().expect("end");
        b.entry_point(ExecutionModel::GLCompute, main, "main", []);
        let mut words = b.module().assemble();
        if let End::Atomic(code) = end {
            const IADD: u32 = 234;
            let at = words.iter().position(|w| *w == 7 << 16 | IADD).expect("the atomic");
            words[at] = 7 << 16 | u32::from(code);
        }
        let bindings = interface(&words).expect("interface").bindings;
        [0, 1].map(|n| bindings.iter().find(|d| d.binding == n).map_or((false, false), |d| (d.reads, d.writes)))
    }

    #[test]
    fn a_loaded_value_leads_no_write_back_to_its_buffer() {
        for way in WAYS {
            assert_eq!(touched(way, End::Value), [(true, false), (false, true)], "{way:?}");
        }
    }

    #[test]
    fn an_address_leads_to_its_buffer_whatever_way_it_goes() {
        for way in WAYS {
            let [(_, writes), _] = touched(way, End::Store);
            assert!(writes, "stored to by {way:?}");
            let [(reads, _), _] = touched(way, End::Load);
            assert!(reads, "loaded from by {way:?}");
            for code in [234, op::ATOMIC_FMIN, op::ATOMIC_FMAX, op::ATOMIC_FADD] {
                assert_eq!(touched(way, End::Atomic(code))[0], (true, true), "atomic {code} by {way:?}");
            }
        }
    }
}
