//! What a SPIR-V module takes and gives, read from the module itself.

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{self, BuiltIn, Decoration, StorageClass, Word};
use std::collections::HashMap;

/// Scalar kind of an interface variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    /// 32-bit float.
    Float,
    /// Signed 32-bit integer.
    Sint,
    /// Unsigned 32-bit integer.
    Uint,
}

/// A location of the stage interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Located {
    /// The variable.
    pub id: Word,
    /// Location.
    pub location: u32,
    /// First component.
    pub component: u32,
    /// Scalar kind.
    pub scalar: Scalar,
    /// Number of components.
    pub count: u32,
    /// Array elements, each its own location (1 for plain variables).
    pub elements: u32,
}

/// Shape of an image type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageShape {
    /// Dimension.
    pub dim: spirv::Dim,
    /// Depth comparison.
    pub depth: bool,
    /// Array.
    pub arrayed: bool,
    /// Multisampled.
    pub multisampled: bool,
    /// Texel format of a storage image.
    pub format: spirv::ImageFormat,
}

/// Kind of a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Uniform buffer.
    Uniform,
    /// Storage buffer.
    Storage,
    /// Combined image sampler.
    Sampled(ImageShape),
    /// Uniform texel buffer.
    TexelBuffer,
    /// Storage image, or storage texel buffer for the buffer dimension.
    Image(ImageShape),
}

/// A descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Descriptor {
    /// Set.
    pub set: u32,
    /// Binding.
    pub binding: u32,
    /// Array length.
    pub count: u32,
    /// Kind.
    pub kind: Kind,
}

/// A parsed module.
pub struct Interface {
    /// The module.
    pub module: Module,
    types: HashMap<Word, Instruction>,
    decorations: HashMap<(Word, Decoration), u32>,
}

fn id(operand: &Operand) -> Option<Word> {
    match operand {
        Operand::IdRef(id) => Some(*id),
        _ => None,
    }
}

fn literal(operand: &Operand) -> Option<u32> {
    match operand {
        Operand::LiteralBit32(v) => Some(*v),
        Operand::BuiltIn(b) => Some(*b as u32),
        _ => None,
    }
}

impl Interface {
    /// Parses a module's words. `None` when they are no module.
    #[must_use]
    pub fn parse(words: &[u32]) -> Option<Self> {
        let module = rspirv::dr::load_words(words).ok()?;
        let types = module.types_global_values.iter().filter_map(|i| Some((i.result_id?, i.clone()))).collect();
        let mut decorations = HashMap::new();
        for i in &module.annotations {
            if i.class.opcode == spirv::Op::Decorate
                && let (Some(target), Some(Operand::Decoration(d))) =
                    (i.operands.first().and_then(id), i.operands.get(1))
            {
                decorations.insert((target, *d), i.operands.get(2).and_then(literal).unwrap_or(0));
            }
        }
        Some(Self { module, types, decorations })
    }

    /// A decoration's value.
    #[must_use]
    pub fn decoration(&self, target: Word, decoration: Decoration) -> Option<u32> {
        self.decorations.get(&(target, decoration)).copied()
    }

    fn ty(&self, id: Word) -> Option<&Instruction> {
        self.types.get(&id)
    }

    /// Variables of a class with the type they point to.
    fn variables(&self, class: StorageClass) -> Vec<(Word, Word)> {
        self.module
            .types_global_values
            .iter()
            .filter(|i| {
                i.class.opcode == spirv::Op::Variable && i.operands.first() == Some(&Operand::StorageClass(class))
            })
            .filter_map(|i| {
                let pointer = self.ty(i.result_type?)?;
                Some((i.result_id?, pointer.operands.get(1).and_then(id)?))
            })
            .collect()
    }

    fn scalar(&self, ty: Word) -> Option<(Scalar, u32)> {
        let i = self.ty(ty)?;
        match i.class.opcode {
            spirv::Op::TypeFloat => Some((Scalar::Float, 1)),
            spirv::Op::TypeInt => {
                Some((if i.operands.get(1).and_then(literal) == Some(1) { Scalar::Sint } else { Scalar::Uint }, 1))
            }
            spirv::Op::TypeVector => {
                let (scalar, _) = self.scalar(i.operands.first().and_then(id)?)?;
                Some((scalar, i.operands.get(1).and_then(literal)?))
            }
            _ => None,
        }
    }

    fn array(&self, ty: Word) -> Option<(Word, u32)> {
        let i = self.ty(ty)?;
        if i.class.opcode != spirv::Op::TypeArray {
            return None;
        }
        let length = self.ty(i.operands.get(1).and_then(id)?)?.operands.first().and_then(literal)?;
        Some((i.operands.first().and_then(id)?, length))
    }

    /// Located variables of inputs or outputs in order of location. Arrays count as one location per element.
    #[must_use]
    pub fn located(&self, class: StorageClass) -> Vec<Located> {
        let mut out: Vec<Located> = self
            .variables(class)
            .into_iter()
            .filter_map(|(var, ty)| {
                let location = self.decoration(var, Decoration::Location)?;
                let component = self.decoration(var, Decoration::Component).unwrap_or(0);
                let (element, elements) = self.array(ty).unwrap_or((ty, 1));
                let (scalar, count) = self.scalar(element)?;
                Some(Located { id: var, location, component, scalar, count, elements })
            })
            .collect();
        out.sort_by_key(|l| (l.location, l.component));
        out
    }

    /// Whether the module has a built-in of a class, as a variable or as a member of a block.
    #[must_use]
    pub fn builtin(&self, class: StorageClass, builtin: BuiltIn) -> Option<BuiltinPlace> {
        for (var, ty) in self.variables(class) {
            if self.decoration(var, Decoration::BuiltIn) == Some(builtin as u32) {
                return Some(BuiltinPlace::Variable(var));
            }
            for i in &self.module.annotations {
                if i.class.opcode == spirv::Op::MemberDecorate
                    && i.operands.first().and_then(id) == Some(ty)
                    && i.operands.get(2) == Some(&Operand::Decoration(Decoration::BuiltIn))
                    && i.operands.get(3) == Some(&Operand::BuiltIn(builtin))
                {
                    return Some(BuiltinPlace::Member {
                        variable: var,
                        block: ty,
                        member: i.operands.get(1).and_then(literal).unwrap_or(0),
                    });
                }
            }
        }
        None
    }

    fn shape(&self, i: &Instruction) -> Option<ImageShape> {
        let number = |k: usize| i.operands.get(k).and_then(literal).unwrap_or(0);
        let Some(Operand::Dim(dim)) = i.operands.get(1) else { return None };
        let Some(Operand::ImageFormat(format)) = i.operands.get(6) else { return None };
        Some(ImageShape {
            dim: *dim,
            depth: number(2) == 1,
            arrayed: number(3) == 1,
            multisampled: number(4) == 1,
            format: *format,
        })
    }

    /// Descriptors in order of set and binding.
    #[must_use]
    pub fn descriptors(&self) -> Vec<Descriptor> {
        let mut out = Vec::new();
        for class in [StorageClass::Uniform, StorageClass::StorageBuffer, StorageClass::UniformConstant] {
            for (var, ty) in self.variables(class) {
                let (Some(set), Some(binding)) =
                    (self.decoration(var, Decoration::DescriptorSet), self.decoration(var, Decoration::Binding))
                else {
                    continue;
                };
                let (element, count) = self.array(ty).unwrap_or((ty, 1));
                let Some(i) = self.ty(element) else { continue };
                let kind = match (class, i.class.opcode) {
                    (StorageClass::StorageBuffer, _) => Kind::Storage,
                    (StorageClass::Uniform, _) if self.decoration(element, Decoration::BufferBlock).is_some() => {
                        Kind::Storage
                    }
                    (StorageClass::Uniform, _) => Kind::Uniform,
                    (_, spirv::Op::TypeSampledImage) => {
                        let image = i.operands.first().and_then(id).and_then(|id| self.ty(id));
                        match image.and_then(|i| self.shape(i)) {
                            Some(shape) if shape.dim == spirv::Dim::DimBuffer => Kind::TexelBuffer,
                            Some(shape) => Kind::Sampled(shape),
                            None => continue,
                        }
                    }
                    (_, spirv::Op::TypeImage) => match self.shape(i) {
                        Some(_) if i.operands.get(5).and_then(literal) == Some(1) => Kind::TexelBuffer,
                        Some(shape) => Kind::Image(shape),
                        None => continue,
                    },
                    _ => continue,
                };
                out.push(Descriptor { set, binding, count, kind });
            }
        }
        out.sort_by_key(|d| (d.set, d.binding));
        out.dedup_by_key(|d| (d.set, d.binding));
        out
    }
}

/// Where a built-in lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BuiltinPlace {
    /// A variable of its own.
    Variable(Word),
    /// A member of a block.
    Member {
        /// The variable.
        variable: Word,
        /// Its block type.
        block: Word,
        /// Member index.
        member: u32,
    },
}
