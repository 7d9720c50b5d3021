//! Passes over the lifted program: redundant phis, buffer tracing, handle tracing, dead code.

use crate::ShaderError;
use crate::ir::{Buffer, Image, Inst, Ir, Op, Texture, TextureKind, Type, Value};
use crate::lift::{bound_image, bound_texture};
use crate::reflection::{Dim, HandleSource};
use std::collections::{BTreeSet, HashMap};

/// Calls `f` on every operand of an instruction.
pub(crate) fn operands(inst: &mut Inst, mut f: impl FnMut(&mut Value)) {
    inst.args.iter_mut().for_each(&mut f);
    match &mut inst.op {
        Op::Texture(texture) => texture.values_mut().for_each(f),
        Op::Image(image) => image.values_mut().for_each(f),
        _ => {}
    }
}

pub(crate) fn run(ir: &mut Ir) -> Result<(), ShaderError> {
    remove_phis(ir);
    trace_buffers(ir)?;
    trace_handles(ir)?;
    query_dimensions(ir);
    remove_dead(ir);
    Ok(())
}

/// A phi whose arguments are all one value (or itself) is that value.
fn remove_phis(ir: &mut Ir) {
    loop {
        let mut changed = false;
        for phi in 0..ir.insts.len() {
            if ir.replaced[phi].is_some() || !matches!(ir.insts[phi].op, Op::Phi { .. }) {
                continue;
            }
            let phi = phi as Value;
            let mut only = None;
            let mut several = false;
            for arg in ir.args(phi) {
                let arg = ir.resolve(*arg);
                if arg != phi && only != Some(arg) {
                    several |= only.is_some();
                    only = Some(arg);
                }
            }
            if let (Some(value), false) = (only, several) {
                ir.replaced[phi as usize] = Some(value);
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let resolved: Vec<Value> = (0..ir.insts.len() as Value).map(|v| ir.resolve(v)).collect();
    for inst in &mut ir.insts {
        operands(inst, |v| *v = resolved[*v as usize]);
    }
    for condition in ir.conditions.iter_mut().flatten() {
        *condition = resolved[*condition as usize];
    }
    for block in &mut ir.blocks {
        block.retain(|v| resolved[*v as usize] == *v);
    }
}

/// The buffers an address may come from.
fn sources(ir: &Ir, address: Value, cache: &mut HashMap<Value, Option<Buffer>>) -> Option<Buffer> {
    if let Some(known) = cache.get(&address) {
        return *known;
    }
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut work = vec![address];
    while let Some(value) = work.pop() {
        if !seen.insert(value) {
            continue;
        }
        match ir.op(value) {
            Op::BufferBase { buffer, .. } => {
                found.insert(*buffer);
            }
            Op::Add | Op::Phi { .. } | Op::Or => work.extend(ir.args(value)),
            Op::Sub | Op::And => work.extend(ir.args(value).first()),
            Op::Select => work.extend(&ir.args(value)[1..]),
            _ => {}
        }
    }
    let result = if found.len() == 1 { found.first().copied() } else { None };
    cache.insert(address, result);
    result
}

fn trace_buffers(ir: &mut Ir) -> Result<(), ShaderError> {
    let mut cache = HashMap::new();
    for index in 0..ir.insts.len() {
        let inst = &ir.insts[index];
        if !matches!(
            inst.op,
            Op::LoadGlobal { .. } | Op::StoreGlobal { .. } | Op::StoreGlobalNarrow { .. } | Op::AtomicGlobal { .. }
        ) {
            continue;
        }
        let offset = inst.offset;
        let reads = matches!(inst.op, Op::LoadGlobal { .. });
        let traced = sources(ir, inst.args[0], &mut cache)
            .filter(|b| reads || matches!(b, Buffer::Storage(_)))
            .ok_or(ShaderError::UntracedAddress { offset })?;
        match &mut ir.insts[index].op {
            Op::LoadGlobal { buffer }
            | Op::StoreGlobal { buffer }
            | Op::StoreGlobalNarrow { buffer, .. }
            | Op::AtomicGlobal { buffer, .. } => *buffer = Some(traced),
            _ => {}
        }
    }
    Ok(())
}

/// What a handle value is.
enum Handle {
    Source(HandleSource),
    /// An entry of a table at a computed byte offset.
    Table(Vec<(u32, HandleSource)>, Value),
}

/// Entries tried where nothing bounds the index of a table of handles, and the most tried at all.
const TABLE: u32 = 8;
const TABLE_LIMIT: u32 = 16;

/// Splits a byte offset into its constant part and the one computed term, if it has no more than one.
fn split(ir: &Ir, offset: Value) -> Option<(u32, Option<Value>)> {
    let mut fixed = 0u32;
    let mut computed = None;
    let mut work = vec![offset];
    let mut budget = 16;
    while let Some(value) = work.pop() {
        budget -= 1;
        if budget == 0 {
            return None;
        }
        match ir.op(value) {
            Op::Const(c) => fixed = fixed.wrapping_add(*c),
            Op::BufferBase { .. } => {}
            Op::Add => work.extend(ir.args(value)),
            _ if computed.is_none() => computed = Some(value),
            _ => return None,
        }
    }
    Some((fixed, computed))
}

/// Stride in bytes and number of entries of a table from the term that indexes it.
fn table_shape(ir: &Ir, term: Value) -> (u32, u32) {
    let args = ir.args(term);
    let (stride, index) = match (ir.op(term), args) {
        (Op::Shl, [index, by]) => (ir.constant(*by).map(|by| 1 << (by & 31)), Some(*index)),
        (Op::Mul, [index, by]) => (ir.constant(*by), Some(*index)),
        _ => (None, None),
    };
    let count = index
        .filter(|i| matches!(ir.op(*i), Op::And))
        .and_then(|i| ir.args(i).iter().find_map(|a| ir.constant(*a)))
        .map_or(TABLE, |mask| mask.saturating_add(1).min(TABLE_LIMIT));
    (stride.filter(|s| (4..=0x1000).contains(s)).unwrap_or(8), count)
}

fn handle(ir: &Ir, value: Value, bound: fn(u32) -> Option<u8>) -> Option<Handle> {
    let entry = |source: &dyn Fn(u32) -> Option<HandleSource>, offset: Value| {
        let (fixed, computed) = split(ir, offset)?;
        let Some(term) = computed else { return source(fixed).map(Handle::Source) };
        let (stride, count) = table_shape(ir, term);
        let entries: Vec<(u32, HandleSource)> =
            (0..count).map_while(|k| source(fixed.wrapping_add(k * stride)).map(|s| (k * stride, s))).collect();
        (!entries.is_empty()).then_some(Handle::Table(entries, term))
    };
    match ir.op(value) {
        Op::Uniform { bank: 2 } => entry(&|at| bound(at).map(HandleSource::Bound), ir.args(value)[0]),
        Op::Uniform { bank } => {
            let bank = *bank;
            entry(&|at| u16::try_from(at).ok().map(|offset| HandleSource::Constant { bank, offset }), ir.args(value)[0])
        }
        Op::LoadGlobal { buffer: Some(Buffer::Storage(slot)) } => {
            let slot = *slot;
            entry(&|offset| Some(HandleSource::Storage { slot, offset }), ir.args(value)[0])
        }
        Op::Or => {
            let [a, b] = *ir.args(value) else { return None };
            match (handle(ir, a, bound)?, handle(ir, b, bound)?) {
                (
                    Handle::Source(HandleSource::Constant { bank: bank_a, offset: offset_a }),
                    Handle::Source(HandleSource::Constant { bank: bank_b, offset: offset_b }),
                ) => Some(Handle::Source(HandleSource::ConstantPair { bank_a, offset_a, bank_b, offset_b })),
                _ => None,
            }
        }
        _ => None,
    }
}

fn trace_handles(ir: &mut Ir) -> Result<(), ShaderError> {
    for index in 0..ir.insts.len() {
        let offset = ir.insts[index].offset;
        let untraced = ShaderError::UntracedHandle { offset };
        match &ir.insts[index].op {
            Op::Texture(texture) => {
                let Some(value) = texture.handle else { continue };
                let traced = handle(ir, value, bound_texture).ok_or(untraced)?;
                if let Op::Texture(texture) = &mut ir.insts[index].op {
                    match traced {
                        Handle::Source(source) => {
                            texture.source = Some(source);
                            texture.handle = None;
                        }
                        Handle::Table(entries, at) => {
                            texture.source = entries.first().map(|(_, s)| *s);
                            texture.candidates = entries;
                            texture.handle = Some(at);
                        }
                    }
                }
            }
            Op::Image(image) => {
                let Some(value) = image.handle else { continue };
                let Some(Handle::Source(source)) = handle(ir, value, bound_image) else { return Err(untraced) };
                if let Op::Image(image) = &mut ir.insts[index].op {
                    image.source = Some(source);
                    image.handle = None;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// A size query of a slot that is also sampled takes the dimension of the sampling.
fn query_dimensions(ir: &mut Ir) {
    let mut known: HashMap<HandleSource, Dim> = HashMap::new();
    for inst in &ir.insts {
        if let Op::Texture(texture) = &inst.op
            && texture.kind != TextureKind::Size
            && let Some(source) = texture.source
        {
            known.entry(source).or_insert(texture.dim);
        }
    }
    for inst in &mut ir.insts {
        if let Op::Texture(texture) = &mut inst.op
            && texture.kind == TextureKind::Size
            && let Some(dim) = texture.source.and_then(|s| known.get(&s))
        {
            texture.dim = *dim;
        }
    }
}

fn remove_dead(ir: &mut Ir) {
    let mut live = vec![false; ir.insts.len()];
    let mut work: Vec<Value> = ir.conditions.iter().flatten().copied().collect();
    for block in &ir.blocks {
        work.extend(block.iter().filter(|v| ir.insts[**v as usize].op.has_effect()));
    }
    while let Some(value) = work.pop() {
        if !std::mem::replace(&mut live[value as usize], true) {
            operands(&mut ir.insts[value as usize], |v| work.push(*v));
        }
    }
    for block in &mut ir.blocks {
        block.retain(|v| live[*v as usize]);
    }
}

/// Whether a texture operation gives integers whatever the format's class.
pub(crate) fn integral(texture: &Texture) -> bool {
    texture.kind == TextureKind::Size
}

/// Result type of an image operation with the class of its formatted access.
pub(crate) fn image_result(image: &Image, class: crate::key::ComponentClass) -> Type {
    use crate::ir::ImageKind;
    use crate::key::ComponentClass;
    match (image.kind, class) {
        (ImageKind::Load, ComponentClass::Float) => Type::Vec4F,
        (ImageKind::Load, ComponentClass::Sint) => Type::Vec4S,
        (ImageKind::Load, ComponentClass::Uint) | (ImageKind::LoadRaw(_), _) => Type::Vec4U,
        (ImageKind::Atomic(_), _) => Type::U32,
        _ => Type::Void,
    }
}
