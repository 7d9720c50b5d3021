//! Modules made for the comparison: a vertex stage that feeds a fragment stage, and capture of a vertex stage's outputs.

use super::device::RunError;
use super::interface::{BuiltinPlace, Interface, Located, Scalar};
use rspirv::binary::Assemble;
use rspirv::dr::{Builder, Instruction, Operand};
use rspirv::spirv::{self, BuiltIn, Decoration, StorageClass, Word};

/// A vertex stage that passes attribute 0 to the position and attribute 1 + n to each component of location n that the fragment
/// stage declares, in the type it declares.
#[must_use]
pub fn pass_through_vertex(inputs: &[Located], points: bool) -> Vec<u32> {
    build(inputs, points).unwrap_or_default()
}

fn build(inputs: &[Located], points: bool) -> Option<Vec<u32>> {
    let mut b = Builder::new();
    b.set_version(1, 5);
    b.capability(spirv::Capability::Shader);
    b.memory_model(spirv::AddressingModel::Logical, spirv::MemoryModel::GLSL450);
    let void = b.type_void();
    let function = b.type_function(void, []);
    let f = b.type_float(32, None);
    let four = b.type_vector(f, 4);
    let mut interface = Vec::new();
    let variable = |b: &mut Builder, class: StorageClass, ty: Word, interface: &mut Vec<Word>| {
        let pointer = b.type_pointer(None, class, ty);
        let id = b.variable(pointer, None, class, None);
        interface.push(id);
        id
    };
    let position_in = variable(&mut b, StorageClass::Input, four, &mut interface);
    b.decorate(position_in, Decoration::Location, [Operand::LiteralBit32(0)]);
    let position = variable(&mut b, StorageClass::Output, four, &mut interface);
    b.decorate(position, Decoration::BuiltIn, [Operand::BuiltIn(BuiltIn::Position)]);
    let size = points.then(|| {
        let id = variable(&mut b, StorageClass::Output, f, &mut interface);
        b.decorate(id, Decoration::BuiltIn, [Operand::BuiltIn(BuiltIn::PointSize)]);
        id
    });
    let mut attributes: Vec<(u32, Word, Word)> = Vec::new();
    let mut moves = Vec::new();
    for input in inputs {
        let scalar = match input.scalar {
            Scalar::Float => f,
            Scalar::Sint => b.type_int(32, 1),
            Scalar::Uint => b.type_int(32, 0),
        };
        let wide = b.type_vector(scalar, 4);
        let ty = if input.count == 1 { scalar } else { b.type_vector(scalar, input.count) };
        for element in 0..input.elements {
            let location = input.location + element;
            let source = match attributes.iter().find(|(l, _, _)| *l == location) {
                Some((_, id, _)) => *id,
                None => {
                    let id = variable(&mut b, StorageClass::Input, wide, &mut interface);
                    b.decorate(id, Decoration::Location, [Operand::LiteralBit32(1 + location)]);
                    attributes.push((location, id, wide));
                    id
                }
            };
            let out = variable(&mut b, StorageClass::Output, ty, &mut interface);
            b.decorate(out, Decoration::Location, [Operand::LiteralBit32(location)]);
            if input.component > 0 {
                b.decorate(out, Decoration::Component, [Operand::LiteralBit32(input.component)]);
            }
            if input.scalar != Scalar::Float {
                b.decorate(out, Decoration::Flat, []);
            }
            moves.push((source, wide, out, scalar, ty, input.component, input.count));
        }
    }
    let main = b.begin_function(void, None, spirv::FunctionControl::NONE, function).ok()?;
    b.begin_block(None).ok()?;
    let value = b.load(four, None, position_in, None, []).ok()?;
    b.store(position, value, None, []).ok()?;
    if let Some(size) = size {
        let eight = b.constant_bit32(f, 8.0f32.to_bits());
        b.store(size, eight, None, []).ok()?;
    }
    for (source, wide, out, scalar, ty, first, count) in moves {
        let all = b.load(wide, None, source, None, []).ok()?;
        let mut parts = Vec::new();
        for k in 0..count {
            parts.push(b.composite_extract(scalar, None, all, [first + k]).ok()?);
        }
        let value = match parts.as_slice() {
            [one] => *one,
            _ => b.composite_construct(ty, None, parts).ok()?,
        };
        b.store(out, value, None, []).ok()?;
    }
    b.ret().ok()?;
    b.end_function().ok()?;
    b.entry_point(spirv::ExecutionModel::Vertex, main, "main", interface);
    Some(b.module().assemble())
}

/// Adds transform-feedback decorations: position at 0, then 16 bytes for each listed location. Returns the module and the stride.
///
/// # Errors
/// A module that does not parse.
pub fn capture(words: &[u32], parsed: &Interface, locations: &[u32]) -> Result<(Vec<u32>, u32), RunError> {
    let mut module =
        rspirv::dr::load_words(words).map_err(|_| RunError::Case("the module does not parse".to_owned()))?;
    let stride = 16 * (1 + locations.len() as u32);
    module.capabilities.push(Instruction::new(
        spirv::Op::Capability,
        None,
        None,
        vec![Operand::Capability(spirv::Capability::TransformFeedback)],
    ));
    let entry = module
        .entry_points
        .first()
        .and_then(|e| match e.operands.get(1) {
            Some(Operand::IdRef(id)) => Some(*id),
            _ => None,
        })
        .ok_or_else(|| RunError::Case("the module has no entry point".to_owned()))?;
    module.execution_modes.push(Instruction::new(
        spirv::Op::ExecutionMode,
        None,
        None,
        vec![Operand::IdRef(entry), Operand::ExecutionMode(spirv::ExecutionMode::Xfb)],
    ));
    let mut decorate = |target: Word, decoration: Decoration, value: u32| {
        module.annotations.push(Instruction::new(
            spirv::Op::Decorate,
            None,
            None,
            vec![Operand::IdRef(target), Operand::Decoration(decoration), Operand::LiteralBit32(value)],
        ));
    };
    let mut place = |id: Word, offset: u32| {
        decorate(id, Decoration::XfbBuffer, 0);
        decorate(id, Decoration::XfbStride, stride);
        decorate(id, Decoration::Offset, offset);
    };
    for output in parsed.located(StorageClass::Output) {
        if let Some(k) = locations.iter().position(|l| *l == output.location) {
            place(output.id, 16 * (1 + k as u32) + 4 * output.component);
        }
    }
    match parsed.builtin(StorageClass::Output, BuiltIn::Position) {
        Some(BuiltinPlace::Variable(id)) => place(id, 0),
        Some(BuiltinPlace::Member { variable, block, member }) => {
            decorate(variable, Decoration::XfbBuffer, 0);
            decorate(variable, Decoration::XfbStride, stride);
            module.annotations.push(Instruction::new(
                spirv::Op::MemberDecorate,
                None,
                None,
                vec![
                    Operand::IdRef(block),
                    Operand::LiteralBit32(member),
                    Operand::Decoration(Decoration::Offset),
                    Operand::LiteralBit32(0),
                ],
            ));
        }
        None => {}
    }
    Ok((module.assemble(), stride))
}
