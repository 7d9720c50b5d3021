//! Inputs, outputs and built-ins.

use super::{Emitter, Ordered};
use crate::header::Stage;
use crate::ir::{Builtin, Interpolation, Op, Value};
use crate::key::{ComponentClass, Mutants};
use rspirv::dr::Operand;
use rspirv::spirv::{self, BuiltIn, Decoration, StorageClass, Word};
use std::collections::{BTreeSet, HashMap};

/// How a generic fragment location is declared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Mode {
    Flat,
    Perspective,
    Linear,
}

/// Variables of the stage interface.
#[derive(Default)]
pub(super) struct Io {
    /// Generic inputs by (location, component for a location with mixed interpolation, patch).
    inputs: HashMap<(u32, Option<u32>, bool), Word>,
    /// Generic outputs by (location, patch).
    outputs: Ordered<(u32, bool), Word>,
    /// Copies that geometry stages write to before a vertex is emitted, by output variable.
    shadows: Vec<(Word, Word, Word)>,
    builtins: HashMap<(BuiltIn, bool), Word>,
    colors: Ordered<u8, (Word, ComponentClass, usize)>,
    pub(super) depth: Option<Word>,
    mask_out: Option<Word>,
    /// Modes of the components of each fragment location.
    modes: HashMap<u32, BTreeSet<Mode>>,
    /// Locations all of whose reads are at the centroid.
    centroid_only: HashMap<u32, bool>,
    clip_distances: u32,
}

/// Generic location and component of an attribute address.
fn generic(address: u16) -> Option<(u32, u32)> {
    let at = u32::from(address).checked_sub(0x80)?;
    (at < 32 * 16).then_some((at / 16, (at / 4) % 4))
}

impl Emitter<'_> {
    /// Collects what decides declarations before anything is emitted.
    pub(super) fn scan_interface(&mut self) {
        let ir = self.ir;
        let mut colors: Ordered<u8, u8> = Ordered::new();
        let mut outputs = BTreeSet::new();
        for value in ir.blocks.iter().flatten() {
            match &ir.insts[*value as usize].op {
                Op::Varying { address, interpolation, flat } => {
                    if let Some((location, component)) = generic(*address) {
                        let mode = self.mode(location, component, *flat);
                        self.io.modes.entry(location).or_default().insert(mode);
                        let centroid = *interpolation == Interpolation::Centroid;
                        *self.io.centroid_only.entry(location).or_insert(true) &= centroid;
                        self.reflection.attributes_in |= 1 << location;
                        self.reflection.components_in[location as usize] |= 1 << component;
                    }
                }
                Op::Input { address, patch: false } => {
                    if let Some((location, component)) = generic(*address) {
                        self.reflection.attributes_in |= 1 << location;
                        self.reflection.components_in[location as usize] |= 1 << component;
                    }
                }
                Op::Output { address, patch } => {
                    match address {
                        0x64 => self.reflection.writes_layer = true,
                        0x68 => self.reflection.writes_viewport = true,
                        0x6C => self.reflection.writes_point_size = true,
                        0x2C0..=0x2DC => {
                            let index = (u32::from(*address) - 0x2C0) / 4;
                            self.io.clip_distances = self.io.clip_distances.max(index + 1);
                        }
                        _ => {}
                    }
                    if !patch && let Some((location, component)) = generic(*address) {
                        self.reflection.attributes_out |= 1 << location;
                        self.reflection.components_out[location as usize] |= 1 << component;
                        outputs.insert(location);
                    }
                }
                Op::Color { target, component } => {
                    let mask = colors.entry(*target).or_insert(0);
                    *mask |= 1 << component;
                }
                Op::Builtin(Builtin::SampleId) => self.reflection.per_sample = true,
                op if op.has_effect() => {
                    if matches!(
                        op,
                        Op::StoreGlobal { .. } | Op::StoreGlobalNarrow { .. } | Op::AtomicGlobal { .. } | Op::Image(_)
                    ) {
                        self.reflection.writes_memory = true;
                    }
                }
                _ => {}
            }
        }
        for (target, mask) in colors {
            self.declare_color(target, (8 - u8::leading_zeros(mask)) as usize);
        }
        let stage = self.program.stage;
        if matches!(stage, Stage::Vertex | Stage::TessEvaluation | Stage::Geometry) {
            for location in outputs {
                if self.key.next_stage_inputs & (1 << location) != 0 {
                    self.generic_output(location, false);
                }
            }
        }
    }

    fn mode(&self, location: u32, component: u32, flat: bool) -> Mode {
        match self.program.interpolation(location, component) {
            _ if flat => Mode::Flat,
            1 => Mode::Flat,
            3 => Mode::Linear,
            _ => Mode::Perspective,
        }
    }

    fn class_type(&mut self, class: ComponentClass) -> Word {
        match class {
            ComponentClass::Float => self.t_f32(),
            ComponentClass::Sint => self.t_i32(),
            ComponentClass::Uint => self.t_u32(),
        }
    }

    fn builtin_variable(&mut self, builtin: BuiltIn, output: bool, ty: Word) -> Word {
        if let Some(id) = self.io.builtins.get(&(builtin, output)) {
            return *id;
        }
        let class = if output { StorageClass::Output } else { StorageClass::Input };
        let id = self.global(class, ty, None);
        self.b.decorate(id, Decoration::BuiltIn, [Operand::BuiltIn(builtin)]);
        let fragment_integer = self.program.stage == Stage::Fragment
            && matches!(
                builtin,
                BuiltIn::PrimitiveId
                    | BuiltIn::Layer
                    | BuiltIn::ViewportIndex
                    | BuiltIn::SampleId
                    | BuiltIn::SubgroupLocalInvocationId
            );
        if fragment_integer && !output {
            self.decorate(id, Decoration::Flat, None);
        }
        self.io.builtins.insert((builtin, output), id);
        id
    }

    fn component(&mut self, class: StorageClass, scalar: Word, base: Word, component: u32) -> Word {
        let pointer = self.pointer(class, scalar);
        let index = self.word_constant(component);
        self.ids(spirv::Op::AccessChain, pointer, &[base, index])
    }

    pub(super) fn builtin(&mut self, builtin: Builtin) -> Word {
        let (u, f, i) = (self.t_u32(), self.t_f32(), self.t_i32());
        let vector = |e: &mut Self, name, scalar, count, component: u8| {
            let ty = e.vector(scalar, count);
            let variable = e.builtin_variable(name, false, ty);
            let at = e.component(StorageClass::Input, scalar, variable, u32::from(component));
            e.load(scalar, at)
        };
        let word = |e: &mut Self, name| {
            let variable = e.builtin_variable(name, false, i);
            let raw = e.load(i, variable);
            e.ids(spirv::Op::Bitcast, u, &[raw])
        };
        match builtin {
            Builtin::VertexIndex => word(self, BuiltIn::VertexIndex),
            Builtin::InstanceIndex => word(self, BuiltIn::InstanceIndex),
            Builtin::BaseVertex | Builtin::BaseInstance | Builtin::DrawIndex => {
                self.need(spirv::Capability::DrawParameters);
                let name = match builtin {
                    Builtin::BaseVertex => BuiltIn::BaseVertex,
                    Builtin::BaseInstance => BuiltIn::BaseInstance,
                    _ => BuiltIn::DrawIndex,
                };
                word(self, name)
            }
            Builtin::FragCoord(c) => vector(self, BuiltIn::FragCoord, f, 4, c),
            Builtin::PointCoord(c) => vector(self, BuiltIn::PointCoord, f, 2, c),
            Builtin::TessCoord(c) => vector(self, BuiltIn::TessCoord, f, 3, c),
            Builtin::LocalInvocation(c) => vector(self, BuiltIn::LocalInvocationId, u, 3, c),
            Builtin::Workgroup(c) => vector(self, BuiltIn::WorkgroupId, u, 3, c),
            Builtin::WorkgroupCount(c) => vector(self, BuiltIn::NumWorkgroups, u, 3, c),
            Builtin::LocalIndex => {
                let variable = self.builtin_variable(BuiltIn::LocalInvocationIndex, false, u);
                self.load(u, variable)
            }
            Builtin::SubgroupLane => {
                self.need(spirv::Capability::GroupNonUniform);
                let variable = self.builtin_variable(BuiltIn::SubgroupLocalInvocationId, false, u);
                self.load(u, variable)
            }
            Builtin::FrontFacing => {
                let ty = self.t_bool();
                let variable = self.builtin_variable(BuiltIn::FrontFacing, false, ty);
                self.load(ty, variable)
            }
            Builtin::HelperInvocation => {
                self.need(spirv::Capability::DemoteToHelperInvocation);
                let ty = self.t_bool();
                let variable = self.builtin_variable(BuiltIn::HelperInvocation, false, ty);
                self.emit(
                    spirv::Op::Load,
                    ty,
                    vec![Operand::IdRef(variable), Operand::MemoryAccess(spirv::MemoryAccess::VOLATILE)],
                )
            }
            Builtin::PrimitiveId => {
                if self.program.stage == Stage::Fragment {
                    self.need(spirv::Capability::Geometry);
                }
                word(self, BuiltIn::PrimitiveId)
            }
            Builtin::Layer => {
                self.need(spirv::Capability::ShaderLayer);
                word(self, BuiltIn::Layer)
            }
            Builtin::ViewportIndex => {
                self.need(spirv::Capability::ShaderViewportIndex);
                word(self, BuiltIn::ViewportIndex)
            }
            Builtin::SampleId => {
                self.need(spirv::Capability::SampleRateShading);
                word(self, BuiltIn::SampleId)
            }
            Builtin::InvocationId => word(self, BuiltIn::InvocationId),
            Builtin::SampleMask => {
                let one = self.word_constant(1);
                let array = self.b.type_array(i, one);
                let variable = self.builtin_variable(BuiltIn::SampleMask, false, array);
                let at = self.component(StorageClass::Input, i, variable, 0);
                let raw = self.load(i, at);
                self.ids(spirv::Op::Bitcast, u, &[raw])
            }
        }
    }

    fn per_vertex_input(&self) -> Option<u32> {
        match self.program.stage {
            Stage::Geometry => Some(u32::from(self.key.geometry_input.clamp(1, 6))),
            Stage::TessControl | Stage::TessEvaluation => Some(32),
            _ => None,
        }
    }

    /// Input attribute word of a vertex-type stage.
    pub(super) fn input(&mut self, address: u16, patch: bool, vertex: Option<Value>) -> Word {
        let (f, u) = (self.t_f32(), self.t_u32());
        let (location, component, name) = if patch {
            let at = u32::from(address);
            if at < 0x18 {
                return self.tess_level_input(at);
            }
            (at.saturating_sub(0x20) / 16, (at / 4) % 4, None)
        } else if let Some((location, component)) = generic(address) {
            (location, component, None)
        } else {
            match address {
                0x70..=0x7C => (0, (u32::from(address) - 0x70) / 4, Some(BuiltIn::Position)),
                0x6C => (0, 0, Some(BuiltIn::PointSize)),
                _ => return self.word_constant(0),
            }
        };
        let arrayed = if patch { None } else { self.per_vertex_input() };
        let missing = !patch
            && name.is_none()
            && self.program.stage != Stage::Vertex
            && self.key.previous_stage_outputs & (1 << location) == 0;
        if missing {
            let value = if component == 3 { 1.0f32.to_bits() } else { 0 };
            return self.word_constant(value);
        }
        let class = if self.program.stage == Stage::Vertex && name.is_none() {
            self.key.vertex_inputs.get(location as usize).copied().unwrap_or_default()
        } else {
            ComponentClass::Float
        };
        let scalar = self.class_type(class);
        let scalar_only = name == Some(BuiltIn::PointSize);
        let mut ty = if scalar_only { f } else { self.vector(scalar, 4) };
        if let Some(count) = arrayed {
            let count = self.word_constant(count);
            ty = self.b.type_array(ty, count);
        }
        let variable = match name {
            Some(name) => self.builtin_variable(name, false, ty),
            None => match self.io.inputs.get(&(location, None, patch)) {
                Some(id) => *id,
                None => {
                    let id = self.global(StorageClass::Input, ty, None);
                    self.decorate(id, Decoration::Location, Some(location));
                    if patch {
                        self.decorate(id, Decoration::Patch, None);
                    }
                    self.io.inputs.insert((location, None, patch), id);
                    id
                }
            },
        };
        let mut indices = vec![variable];
        if arrayed.is_some() {
            let vertex = match vertex {
                Some(v) => self.word(v),
                None => self.word_constant(0),
            };
            indices.push(vertex);
        }
        if !scalar_only {
            let component = self.word_constant(component);
            indices.push(component);
        }
        let pointer = self.pointer(StorageClass::Input, scalar);
        let at = self.ids(spirv::Op::AccessChain, pointer, &indices);
        let raw = self.load(scalar, at);
        if class == ComponentClass::Uint { raw } else { self.ids(spirv::Op::Bitcast, u, &[raw]) }
    }

    fn tess_level_input(&mut self, at: u32) -> Word {
        let (f, u) = (self.t_f32(), self.t_u32());
        let (variable, index) = self.tess_level(at, false);
        let at = self.component(StorageClass::Input, f, variable, index);
        let raw = self.load(f, at);
        self.ids(spirv::Op::Bitcast, u, &[raw])
    }

    fn tess_level(&mut self, at: u32, output: bool) -> (Word, u32) {
        let f = self.t_f32();
        let (name, count, index) = if at < 0x10 {
            (BuiltIn::TessLevelOuter, 4, at / 4)
        } else {
            (BuiltIn::TessLevelInner, 2, (at - 0x10) / 4)
        };
        let known = self.io.builtins.contains_key(&(name, output));
        let count = self.word_constant(count);
        let array = self.b.type_array(f, count);
        let variable = self.builtin_variable(name, output, array);
        if !known {
            self.decorate(variable, Decoration::Patch, None);
        }
        (variable, index)
    }

    /// Generic fragment input.
    pub(super) fn varying(&mut self, address: u16, interpolation: Interpolation, flat: bool, args: &[Value]) -> Word {
        let f = self.t_f32();
        let Some((location, component)) = generic(address) else { return self.float_constant(0) };
        if self.key.previous_stage_outputs & (1 << location) == 0 {
            return self.float_constant(if component == 3 { 1.0f32.to_bits() } else { 0 });
        }
        let mode = self.mode(location, component, flat);
        let mixed = self.io.modes.get(&location).is_some_and(|modes| modes.len() > 1);
        let split = mixed.then_some(component);
        let centroid_only = self.io.centroid_only.get(&location).copied().unwrap_or(false);
        let variable = match self.io.inputs.get(&(location, split, false)) {
            Some(id) => *id,
            None => {
                let ty = if mixed { f } else { self.vector(f, 4) };
                let id = self.global(StorageClass::Input, ty, None);
                self.decorate(id, Decoration::Location, Some(location));
                if mixed {
                    self.decorate(id, Decoration::Component, Some(component));
                }
                match mode {
                    Mode::Flat => self.decorate(id, Decoration::Flat, None),
                    Mode::Linear => self.decorate(id, Decoration::NoPerspective, None),
                    Mode::Perspective => {}
                }
                if centroid_only && mode != Mode::Flat {
                    self.decorate(id, Decoration::Centroid, None);
                }
                self.io.inputs.insert((location, split, false), id);
                id
            }
        };
        let at = if mixed { variable } else { self.component(StorageClass::Input, f, variable, component) };
        match interpolation {
            Interpolation::Centroid if !centroid_only => {
                self.need(spirv::Capability::InterpolationFunction);
                self.ext(f, 76, &[at])
            }
            Interpolation::Offset => {
                self.need(spirv::Capability::InterpolationFunction);
                let (x, y) = (self.real(args[0]), self.real(args[1]));
                let pair = self.vector(f, 2);
                let offset = self.ids(spirv::Op::CompositeConstruct, pair, &[x, y]);
                self.ext(f, 78, &[at, offset])
            }
            _ => self.load(f, at),
        }
    }

    /// (0, 0, 0, 1), what a component that was not written reads as.
    fn unwritten(&mut self) -> Word {
        let f = self.t_f32();
        let ty = self.vector(f, 4);
        let (zero, one) = (self.float_constant(0), self.float_constant(1.0f32.to_bits()));
        self.b.constant_composite(ty, [zero, zero, zero, one])
    }

    fn geometry(&self) -> bool {
        self.program.stage == Stage::Geometry
    }

    /// Where writes to an output go: the output itself, or its copy in geometry stages.
    fn writable(&mut self, output: Word, ty: Word) -> Word {
        if !self.geometry() {
            return output;
        }
        if let Some((_, copy, _)) = self.io.shadows.iter().find(|(o, _, _)| *o == output) {
            return *copy;
        }
        let copy = self.local(ty);
        self.io.shadows.push((output, copy, ty));
        copy
    }

    fn write_class(&self) -> StorageClass {
        if self.geometry() { StorageClass::Function } else { StorageClass::Output }
    }

    fn generic_output(&mut self, location: u32, patch: bool) -> Word {
        if let Some(id) = self.io.outputs.get(&(location, patch)) {
            return *id;
        }
        let f = self.t_f32();
        let mut ty = self.vector(f, 4);
        let control = self.program.stage == Stage::TessControl;
        let initial = if control || self.geometry() { None } else { Some(self.unwritten()) };
        if control && !patch {
            let count = self.word_constant(self.program.threads().clamp(1, 32));
            ty = self.b.type_array(ty, count);
        }
        let id = self.global(StorageClass::Output, ty, initial);
        self.decorate(id, Decoration::Location, Some(location));
        if patch {
            self.decorate(id, Decoration::Patch, None);
        }
        self.io.outputs.insert((location, patch), id);
        if self.geometry() {
            let copy = self.writable(id, ty);
            let initial = self.unwritten();
            // The copy starts as an output that was not written.
            if let Some(local) = self.locals.iter_mut().find(|l| l.result_id == Some(copy)) {
                local.operands[1] = Operand::IdRef(initial);
            }
        }
        id
    }

    /// Pointer to an output word of a vertex-type stage and its scalar type; `None` where nothing takes it.
    fn output_pointer(&mut self, address: u16, patch: bool, vertex: Option<Word>) -> Option<(Word, Word)> {
        let (f, i) = (self.t_f32(), self.t_i32());
        let at = u32::from(address);
        let control = self.program.stage == Stage::TessControl;
        let class = self.write_class();
        if patch {
            if at < 0x18 {
                let (variable, index) = self.tess_level(at, true);
                return Some((self.component(StorageClass::Output, f, variable, index), f));
            }
            let variable = self.generic_output(at.saturating_sub(0x20) / 16, true);
            return Some((self.component(StorageClass::Output, f, variable, (at / 4) % 4), f));
        }
        let vertex = if control {
            Some(match vertex {
                Some(v) => v,
                None => self.builtin(Builtin::InvocationId),
            })
        } else {
            None
        };
        let four = self.vector(f, 4);
        let array_of = |e: &mut Self, ty| {
            if control {
                let count = e.word_constant(e.program.threads().clamp(1, 32));
                e.b.type_array(ty, count)
            } else {
                ty
            }
        };
        if let Some((location, component)) = generic(address) {
            if self.key.next_stage_inputs & (1 << location) == 0 {
                return None;
            }
            let variable = self.generic_output(location, false);
            let base = self.writable(variable, four);
            let mut ids = vec![base];
            ids.extend(vertex);
            let component = self.word_constant(component);
            ids.push(component);
            let pointer = self.pointer(class, f);
            return Some((self.ids(spirv::Op::AccessChain, pointer, &ids), f));
        }
        match at {
            0x70..=0x7C => {
                let ty = array_of(self, four);
                let known = self.io.builtins.contains_key(&(BuiltIn::Position, true));
                let variable = self.builtin_variable(BuiltIn::Position, true, ty);
                if !known && !self.key.mutants.has(Mutants::POSITION) {
                    self.decorate(variable, Decoration::Invariant, None);
                }
                let base = self.writable(variable, four);
                let mut ids = vec![base];
                ids.extend(vertex);
                let component = self.word_constant((at - 0x70) / 4);
                ids.push(component);
                let pointer = self.pointer(class, f);
                Some((self.ids(spirv::Op::AccessChain, pointer, &ids), f))
            }
            0x6C => {
                if self.program.stage == Stage::Geometry {
                    self.need(spirv::Capability::GeometryPointSize);
                }
                if matches!(self.program.stage, Stage::TessControl | Stage::TessEvaluation) {
                    self.need(spirv::Capability::TessellationPointSize);
                }
                let ty = array_of(self, f);
                let variable = self.builtin_variable(BuiltIn::PointSize, true, ty);
                let base = self.writable(variable, f);
                match vertex {
                    None => Some((base, f)),
                    Some(v) => {
                        let pointer = self.pointer(class, f);
                        Some((self.ids(spirv::Op::AccessChain, pointer, &[base, v]), f))
                    }
                }
            }
            0x60 | 0x64 | 0x68 if !control => {
                let name = match at {
                    0x60 => BuiltIn::PrimitiveId,
                    0x64 => BuiltIn::Layer,
                    _ => BuiltIn::ViewportIndex,
                };
                if at == 0x60 && !self.geometry() {
                    return None;
                }
                match (self.geometry(), at) {
                    (true, 0x68) => self.need(spirv::Capability::MultiViewport),
                    (false, 0x68) => self.need(spirv::Capability::ShaderViewportIndex),
                    (false, _) => self.need(spirv::Capability::ShaderLayer),
                    _ => {}
                }
                let variable = self.builtin_variable(name, true, i);
                Some((self.writable(variable, i), i))
            }
            0x2C0..=0x2DC if !control => {
                self.need(spirv::Capability::ClipDistance);
                let count = self.word_constant(self.io.clip_distances.clamp(1, 8));
                let array = self.b.type_array(f, count);
                let variable = self.builtin_variable(BuiltIn::ClipDistance, true, array);
                let base = self.writable(variable, array);
                Some((self.component(class, f, base, (at - 0x2C0) / 4), f))
            }
            _ => None,
        }
    }

    pub(super) fn output(&mut self, address: u16, patch: bool, value: Value) {
        let Some((pointer, scalar)) = self.output_pointer(address, patch, None) else { return };
        let f = self.t_f32();
        let value = if scalar == f {
            self.real(value)
        } else {
            let raw = self.word(value);
            self.ids(spirv::Op::Bitcast, scalar, &[raw])
        };
        self.store(pointer, value);
    }

    pub(super) fn output_read(&mut self, address: u16, patch: bool, vertex: Option<Value>) -> Word {
        let u = self.t_u32();
        let vertex = vertex.map(|v| self.word(v));
        match self.output_pointer(address, patch, vertex) {
            None => self.word_constant(0),
            Some((pointer, scalar)) => {
                let raw = self.load(scalar, pointer);
                self.ids(spirv::Op::Bitcast, u, &[raw])
            }
        }
    }

    fn declare_color(&mut self, target: u8, count: usize) {
        let class = self.key.fragment_outputs[usize::from(target)];
        let scalar = self.class_type(class);
        let ty = self.vector(scalar, count);
        let id = self.global(StorageClass::Output, ty, None);
        let (location, index) =
            if self.key.dual_source && target < 2 { (0, Some(u32::from(target))) } else { (u32::from(target), None) };
        self.decorate(id, Decoration::Location, Some(location));
        if let Some(index) = index {
            self.decorate(id, Decoration::Index, Some(index));
        }
        self.io.colors.insert(target, (id, class, count));
    }

    pub(super) fn color(&mut self, target: u8, component: u8, value: Value) {
        let Some((variable, class, count)) = self.io.colors.get(&target).copied() else { return };
        let scalar = self.class_type(class);
        let value = match class {
            ComponentClass::Float => {
                let value = self.real(value);
                if self.key.separate_rounding {
                    self.stored(self.key.stores[usize::from(target) & 7], component, value)
                } else {
                    value
                }
            }
            ComponentClass::Uint => self.word(value),
            ComponentClass::Sint => {
                let raw = self.word(value);
                self.ids(spirv::Op::Bitcast, scalar, &[raw])
            }
        };
        let at = if count == 1 {
            variable
        } else {
            self.component(StorageClass::Output, scalar, variable, u32::from(component))
        };
        self.store(at, value);
    }

    pub(super) fn depth(&mut self, value: Value) {
        let f = self.t_f32();
        let variable = self.builtin_variable(BuiltIn::FragDepth, true, f);
        self.io.depth = Some(variable);
        let value = self.real(value);
        self.store(variable, value);
    }

    pub(super) fn sample_mask(&mut self, value: Value) {
        let i = self.t_i32();
        let one = self.word_constant(1);
        let array = self.b.type_array(i, one);
        let variable = self.builtin_variable(BuiltIn::SampleMask, true, array);
        self.io.mask_out = Some(variable);
        let raw = self.word(value);
        let value = self.ids(spirv::Op::Bitcast, i, &[raw]);
        let at = self.component(StorageClass::Output, i, variable, 0);
        self.store(at, value);
    }

    /// Declarations that the first block must see.
    pub(super) fn prologue(&mut self) {
        match self.program.stage {
            Stage::TessControl | Stage::TessEvaluation => self.need(spirv::Capability::Tessellation),
            Stage::Geometry => self.need(spirv::Capability::Geometry),
            _ => {}
        }
    }

    /// What happens before a vertex leaves the stage.
    fn finish_vertex(&mut self) {
        for (output, copy, ty) in self.io.shadows.clone() {
            let value = self.load(ty, copy);
            self.store(output, value);
        }
        if self.key.depth_minus_one_to_one
            && let Some(position) = self.io.builtins.get(&(BuiltIn::Position, true)).copied()
            && self.program.stage != Stage::TessControl
        {
            let f = self.t_f32();
            let z_at = self.component(StorageClass::Output, f, position, 2);
            let w_at = self.component(StorageClass::Output, f, position, 3);
            let (z, w) = (self.load(f, z_at), self.load(f, w_at));
            let sum = self.ids(spirv::Op::FAdd, f, &[z, w]);
            let half = self.float_constant(0.5f32.to_bits());
            let z = self.ids(spirv::Op::FMul, f, &[sum, half]);
            self.store(z_at, z);
        }
    }

    pub(super) fn epilogue(&mut self) {
        if matches!(self.program.stage, Stage::Vertex | Stage::TessEvaluation) {
            self.finish_vertex();
        }
    }

    pub(super) fn emit_vertex(&mut self, stream: u8) {
        self.finish_vertex();
        if stream == 0 {
            self.effect(spirv::Op::EmitVertex, vec![]);
        } else {
            self.need(spirv::Capability::GeometryStreams);
            let stream = self.int_constant(i32::from(stream));
            self.effect(spirv::Op::EmitStreamVertex, vec![Operand::IdRef(stream)]);
        }
    }

    pub(super) fn end_primitive(&mut self, stream: u8) {
        if stream == 0 {
            self.effect(spirv::Op::EndPrimitive, vec![]);
        } else {
            self.need(spirv::Capability::GeometryStreams);
            let stream = self.int_constant(i32::from(stream));
            self.effect(spirv::Op::EndStreamPrimitive, vec![Operand::IdRef(stream)]);
        }
    }
}
