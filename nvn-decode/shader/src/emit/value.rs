//! Operations to SPIR-V instructions.

use super::Emitter;
use crate::ShaderError;
use crate::ir::{Compare, Inst, Op, Type, Value};
use crate::key::Mutants;
use rspirv::dr::Operand;
use rspirv::spirv::{self, Decoration, Word};

/// Instruction numbers of GLSL.std.450.
pub(super) mod glsl {
    pub(in crate::emit) const ROUND_EVEN: u32 = 2;
    pub(in crate::emit) const TRUNC: u32 = 3;
    pub(in crate::emit) const FABS: u32 = 4;
    pub(in crate::emit) const FLOOR: u32 = 8;
    pub(in crate::emit) const CEIL: u32 = 9;
    pub(in crate::emit) const SIN: u32 = 13;
    pub(in crate::emit) const COS: u32 = 14;
    pub(in crate::emit) const EXP2: u32 = 29;
    pub(in crate::emit) const LOG2: u32 = 30;
    pub(in crate::emit) const SQRT: u32 = 31;
    pub(in crate::emit) const INVERSE_SQRT: u32 = 32;
    pub(in crate::emit) const FMIN: u32 = 37;
    pub(in crate::emit) const FMAX: u32 = 40;
    pub(in crate::emit) const FCLAMP: u32 = 43;
    pub(in crate::emit) const FMA: u32 = 50;
    pub(in crate::emit) const PACK_HALF: u32 = 58;
    pub(in crate::emit) const PACK_DOUBLE: u32 = 59;
    pub(in crate::emit) const UNPACK_HALF: u32 = 62;
    pub(in crate::emit) const UNPACK_DOUBLE: u32 = 65;
    pub(in crate::emit) const FIND_S_MSB: u32 = 74;
    pub(in crate::emit) const FIND_U_MSB: u32 = 75;
    pub(in crate::emit) const NMIN: u32 = 79;
    pub(in crate::emit) const NMAX: u32 = 80;
    pub(in crate::emit) const NCLAMP: u32 = 81;
}

impl Emitter<'_> {
    fn natural(&self, value: Value) -> Type {
        self.ir.insts[value as usize].op.result()
    }

    fn variable(&mut self, value: Value) -> Word {
        if let Some(id) = self.variables.get(&value) {
            return *id;
        }
        let ty = self.ty(self.natural(value));
        let id = self.local(ty);
        self.variables.insert(value, id);
        id
    }

    pub(super) fn phi_variable(&mut self, phi: Value, truth: bool) -> Word {
        if let Some(id) = self.phi_variables.get(&phi) {
            return *id;
        }
        let ty = if truth { self.t_bool() } else { self.t_u32() };
        let id = self.local(ty);
        self.phi_variables.insert(phi, id);
        id
    }

    /// A value as a type; bits are kept.
    pub(super) fn get(&mut self, value: Value, want: Type) -> Word {
        match (&self.ir.insts[value as usize].op, want) {
            (Op::Const(c), Type::F32) => return self.float_constant(*c),
            (Op::Const(c), _) => return self.word_constant(*c),
            (Op::Bool(b), _) => return self.truth_constant(*b),
            (Op::BufferBase { .. }, Type::F32) => return self.float_constant(0),
            (Op::BufferBase { .. }, _) => return self.word_constant(0),
            _ => {}
        }
        if let Some(id) = self.cache.get(&(value, want)) {
            return *id;
        }
        let natural = self.natural(value);
        let own = match self.cache.get(&(value, natural)) {
            Some(id) => *id,
            None => {
                let variable = self.variable(value);
                let ty = self.ty(natural);
                let id = self.load(ty, variable);
                self.cache.insert((value, natural), id);
                id
            }
        };
        if natural == want {
            return own;
        }
        let ty = self.ty(want);
        let id = if natural == Type::Bool {
            let (one, zero) = (self.word_constant(1), self.word_constant(0));
            self.ids(spirv::Op::Select, ty, &[own, one, zero])
        } else {
            self.ids(spirv::Op::Bitcast, ty, &[own])
        };
        self.cache.insert((value, want), id);
        id
    }

    pub(super) fn word(&mut self, value: Value) -> Word {
        self.get(value, Type::U32)
    }

    pub(super) fn real(&mut self, value: Value) -> Word {
        self.get(value, Type::F32)
    }

    pub(super) fn truth(&mut self, value: Value) -> Word {
        self.get(value, Type::Bool)
    }

    pub(super) fn ext(&mut self, ty: Word, number: u32, args: &[Word]) -> Word {
        let mut operands = vec![Operand::IdRef(self.glsl), Operand::LiteralExtInstInteger(number)];
        operands.extend(args.iter().map(|a| Operand::IdRef(*a)));
        self.emit(spirv::Op::ExtInst, ty, operands)
    }

    /// An arithmetic result that must be computed as written (catalogue M-1.8).
    fn exact(&mut self, id: Word) -> Word {
        if !self.key.mutants.has(Mutants::POSITION) {
            self.decorate(id, Decoration::NoContraction, None);
        }
        id
    }

    /// A result that may be infinite, as a plain translator would keep it finite (catalogue M-3.7).
    fn finite(&mut self, ty: Word, id: Word) -> Word {
        if !self.key.mutants.has(Mutants::INFINITIES) {
            return id;
        }
        let (low, high) = (self.float_constant(f32::MIN.to_bits()), self.float_constant(f32::MAX.to_bits()));
        self.ext(ty, glsl::FCLAMP, &[id, low, high])
    }

    /// Emits one instruction and records its result.
    pub(super) fn instruction(&mut self, value: Value) -> Result<(), ShaderError> {
        let inst = &self.ir.insts[value as usize];
        if let Op::Const(_) | Op::Bool(_) | Op::BufferBase { .. } = inst.op {
            return Ok(());
        }
        let natural = inst.op.result();
        let Some(id) = self.result(value, inst)? else { return Ok(()) };
        self.cache.insert((value, natural), id);
        if self.exported[value as usize] {
            let variable = self.variable(value);
            self.store(variable, id);
        }
        Ok(())
    }

    fn float_compare(&mut self, kind: u8, a: Word, b: Word) -> Word {
        use spirv::Op as S;
        let ty = self.t_bool();
        let op = match kind {
            1 => S::FOrdLessThan,
            2 => S::FOrdEqual,
            3 => S::FOrdLessThanEqual,
            4 => S::FOrdGreaterThan,
            5 => S::FOrdNotEqual,
            6 => S::FOrdGreaterThanEqual,
            9 => S::FUnordLessThan,
            10 => S::FUnordEqual,
            11 => S::FUnordLessThanEqual,
            12 => S::FUnordGreaterThan,
            13 => S::FUnordNotEqual,
            14 => S::FUnordGreaterThanEqual,
            _ => {
                let x = self.ids(S::IsNan, ty, &[a]);
                let nan = if a == b {
                    x
                } else {
                    let y = self.ids(S::IsNan, ty, &[b]);
                    self.ids(S::LogicalOr, ty, &[x, y])
                };
                return if kind == 7 { self.ids(S::LogicalNot, ty, &[nan]) } else { nan };
            }
        };
        self.ids(op, ty, &[a, b])
    }

    fn result(&mut self, value: Value, inst: &Inst) -> Result<Option<Word>, ShaderError> {
        use spirv::Op as S;
        let args = &inst.args;
        let ty = self.ty(inst.op.result());
        let id = match &inst.op {
            Op::Const(_) | Op::Bool(_) | Op::BufferBase { .. } => return Ok(None),
            Op::Phi { truth } => {
                let variable = self.phi_variable(value, *truth);
                self.load(ty, variable)
            }
            Op::FNeg => {
                let a = self.real(args[0]);
                self.ids(S::FNegate, ty, &[a])
            }
            Op::FDx | Op::FDy => {
                let a = self.real(args[0]);
                self.ids(if inst.op == Op::FDx { S::DPdx } else { S::DPdy }, ty, &[a])
            }
            Op::FAbs
            | Op::FFloor
            | Op::FCeil
            | Op::FTrunc
            | Op::FRound
            | Op::FRsq
            | Op::FSqrt
            | Op::FExp2
            | Op::FLog2 => {
                let a = self.real(args[0]);
                let number = match inst.op {
                    Op::FAbs => glsl::FABS,
                    Op::FFloor => glsl::FLOOR,
                    Op::FCeil => glsl::CEIL,
                    Op::FTrunc => glsl::TRUNC,
                    Op::FRound => glsl::ROUND_EVEN,
                    Op::FRsq => glsl::INVERSE_SQRT,
                    Op::FSqrt => glsl::SQRT,
                    Op::FExp2 => glsl::EXP2,
                    _ => glsl::LOG2,
                };
                let id = match inst.op {
                    Op::FExp2 if self.key.separate_rounding => self.exp2(a),
                    Op::FLog2 if self.key.separate_rounding => self.log2(a),
                    _ => self.ext(ty, number, &[a]),
                };
                if inst.op == Op::FLog2 { self.finite(ty, id) } else { id }
            }
            Op::FSin | Op::FCos => {
                let (a, cosine) = (self.real(args[0]), inst.op == Op::FCos);
                if self.key.separate_rounding {
                    self.sine(ty, a, cosine)
                } else {
                    self.ext(ty, if cosine { glsl::COS } else { glsl::SIN }, &[a])
                }
            }
            Op::FSaturate => {
                let a = self.real(args[0]);
                let (zero, one) = (self.float_constant(0), self.float_constant(1.0f32.to_bits()));
                let number = if self.key.mutants.has(Mutants::SATURATE) { glsl::FCLAMP } else { glsl::NCLAMP };
                self.ext(ty, number, &[a, zero, one])
            }
            Op::FRcp => {
                let a = self.real(args[0]);
                let one = self.float_constant(1.0f32.to_bits());
                let id = self.ids(S::FDiv, ty, &[one, a]);
                let id = self.exact(id);
                self.finite(ty, id)
            }
            Op::FAdd | Op::FMul => {
                let (a, b) = (self.real(args[0]), self.real(args[1]));
                let id = self.ids(if inst.op == Op::FAdd { S::FAdd } else { S::FMul }, ty, &[a, b]);
                self.exact(id)
            }
            Op::FMin | Op::FMax => {
                let (a, b) = (self.real(args[0]), self.real(args[1]));
                let number = match (&inst.op, self.key.mutants.has(Mutants::MIN_MAX)) {
                    (Op::FMin, false) => glsl::NMIN,
                    (Op::FMin, true) => glsl::FMIN,
                    (_, false) => glsl::NMAX,
                    (_, true) => glsl::FMAX,
                };
                self.ext(ty, number, &[a, b])
            }
            Op::FFma => {
                let (a, b, c) = (self.real(args[0]), self.real(args[1]), self.real(args[2]));
                if self.key.separate_rounding {
                    return Ok(Some(self.product_plus(a, b, c)));
                }
                let id = self.ext(ty, glsl::FMA, &[a, b, c]);
                self.exact(id)
            }
            Op::FCompare(kind) => {
                let (a, b) = (self.real(args[0]), self.real(args[1]));
                self.float_compare(*kind, a, b)
            }
            Op::Add | Op::Sub | Op::Mul | Op::And | Op::Or | Op::Xor | Op::Shl | Op::Shr | Op::Sar => {
                let (a, b) = (self.word(args[0]), self.word(args[1]));
                let op = match inst.op {
                    Op::Add => S::IAdd,
                    Op::Sub => S::ISub,
                    Op::Mul => S::IMul,
                    Op::And => S::BitwiseAnd,
                    Op::Or => S::BitwiseOr,
                    Op::Xor => S::BitwiseXor,
                    Op::Shl => S::ShiftLeftLogical,
                    Op::Shr => S::ShiftRightLogical,
                    _ => S::ShiftRightArithmetic,
                };
                self.ids(op, ty, &[a, b])
            }
            Op::MulHigh { signed } => {
                let (a, b) = (self.word(args[0]), self.word(args[1]));
                let pair = self.b.type_struct([ty, ty]);
                let product = self.ids(if *signed { S::SMulExtended } else { S::UMulExtended }, pair, &[a, b]);
                self.emit(S::CompositeExtract, ty, vec![Operand::IdRef(product), Operand::LiteralBit32(1)])
            }
            Op::Not | Op::BitReverse | Op::BitCount => {
                let a = self.word(args[0]);
                let op = match inst.op {
                    Op::Not => S::Not,
                    Op::BitReverse => S::BitReverse,
                    _ => S::BitCount,
                };
                self.ids(op, ty, &[a])
            }
            Op::FindMsb { signed } => {
                let a = self.word(args[0]);
                self.ext(ty, if *signed { glsl::FIND_S_MSB } else { glsl::FIND_U_MSB }, &[a])
            }
            Op::ICompare { compare, signed } => {
                let (a, b) = (self.word(args[0]), self.word(args[1]));
                let op = match (compare, signed) {
                    (Compare::Eq, _) => S::IEqual,
                    (Compare::Ne, _) => S::INotEqual,
                    (Compare::Lt, false) => S::ULessThan,
                    (Compare::Le, false) => S::ULessThanEqual,
                    (Compare::Gt, false) => S::UGreaterThan,
                    (Compare::Ge, false) => S::UGreaterThanEqual,
                    (Compare::Lt, true) => S::SLessThan,
                    (Compare::Le, true) => S::SLessThanEqual,
                    (Compare::Gt, true) => S::SGreaterThan,
                    (Compare::Ge, true) => S::SGreaterThanEqual,
                };
                self.ids(op, ty, &[a, b])
            }
            Op::Select => {
                let condition = self.truth(args[0]);
                let (a, b) = (self.word(args[1]), self.word(args[2]));
                self.ids(S::Select, ty, &[condition, a, b])
            }
            Op::TruthAnd | Op::TruthOr | Op::TruthXor => {
                let (a, b) = (self.truth(args[0]), self.truth(args[1]));
                let op = match inst.op {
                    Op::TruthAnd => S::LogicalAnd,
                    Op::TruthOr => S::LogicalOr,
                    _ => S::LogicalNotEqual,
                };
                self.ids(op, ty, &[a, b])
            }
            Op::TruthNot => {
                let a = self.truth(args[0]);
                self.ids(S::LogicalNot, ty, &[a])
            }
            Op::FloatToInt { signed } => {
                let a = self.real(args[0]);
                self.ids(if *signed { S::ConvertFToS } else { S::ConvertFToU }, ty, &[a])
            }
            Op::IntToFloat { signed } => {
                let a = self.word(args[0]);
                self.ids(if *signed { S::ConvertSToF } else { S::ConvertUToF }, ty, &[a])
            }
            Op::FloatToHalf => {
                let a = self.real(args[0]);
                let f32_type = self.t_f32();
                let pair = self.vector(f32_type, 2);
                let zero = self.float_constant(0);
                let both = self.ids(S::CompositeConstruct, pair, &[a, zero]);
                self.ext(ty, glsl::PACK_HALF, &[both])
            }
            Op::HalfToFloat => {
                let a = self.word(args[0]);
                let f32_type = self.t_f32();
                let pair = self.vector(f32_type, 2);
                let both = self.ext(pair, glsl::UNPACK_HALF, &[a]);
                self.emit(S::CompositeExtract, ty, vec![Operand::IdRef(both), Operand::LiteralBit32(0)])
            }
            Op::Pack64 => {
                let (low, high) = (self.word(args[0]), self.word(args[1]));
                let u32_type = self.t_u32();
                let pair = self.vector(u32_type, 2);
                let both = self.ids(S::CompositeConstruct, pair, &[low, high]);
                self.ext(ty, glsl::PACK_DOUBLE, &[both])
            }
            Op::Unpack64(word) => {
                let a = self.get(args[0], Type::F64);
                let pair = self.vector(ty, 2);
                let both = self.ext(pair, glsl::UNPACK_DOUBLE, &[a]);
                self.emit(S::CompositeExtract, ty, vec![Operand::IdRef(both), Operand::LiteralBit32(u32::from(*word))])
            }
            Op::DRcp => {
                let a = self.get(args[0], Type::F64);
                let one = self.b.constant_bit64(ty, 1.0f64.to_bits());
                self.ids(S::FDiv, ty, &[one, a])
            }
            Op::DRsq => {
                let a = self.get(args[0], Type::F64);
                self.ext(ty, glsl::INVERSE_SQRT, &[a])
            }
            Op::DRound(mode) => {
                let a = self.get(args[0], Type::F64);
                let number = [glsl::ROUND_EVEN, glsl::FLOOR, glsl::CEIL, glsl::TRUNC][usize::from(*mode) & 3];
                self.ext(ty, number, &[a])
            }
            Op::DNeg => {
                let a = self.get(args[0], Type::F64);
                self.ids(S::FNegate, ty, &[a])
            }
            Op::DAbs => {
                let a = self.get(args[0], Type::F64);
                self.ext(ty, glsl::FABS, &[a])
            }
            Op::DAdd | Op::DMul => {
                let (a, b) = (self.get(args[0], Type::F64), self.get(args[1], Type::F64));
                let id = self.ids(if inst.op == Op::DAdd { S::FAdd } else { S::FMul }, ty, &[a, b]);
                self.exact(id)
            }
            Op::DFma => {
                let parts = [0, 1, 2].map(|k| self.get(args[k], Type::F64));
                let id = self.ext(ty, glsl::FMA, &parts);
                self.exact(id)
            }
            Op::DMin | Op::DMax => {
                let (a, b) = (self.get(args[0], Type::F64), self.get(args[1], Type::F64));
                self.ext(ty, if inst.op == Op::DMin { glsl::NMIN } else { glsl::NMAX }, &[a, b])
            }
            Op::DCompare(kind) => {
                let (a, b) = (self.get(args[0], Type::F64), self.get(args[1], Type::F64));
                self.float_compare(*kind, a, b)
            }
            Op::DoubleToFloat => {
                let a = self.get(args[0], Type::F64);
                self.ids(S::FConvert, ty, &[a])
            }
            Op::FloatToDouble => {
                let a = self.real(args[0]);
                self.ids(S::FConvert, ty, &[a])
            }
            Op::IntToDouble { signed } => {
                let a = self.word(args[0]);
                self.ids(if *signed { S::ConvertSToF } else { S::ConvertUToF }, ty, &[a])
            }
            Op::DoubleToInt { signed } => {
                let a = self.get(args[0], Type::F64);
                self.ids(if *signed { S::ConvertFToS } else { S::ConvertFToU }, ty, &[a])
            }
            Op::Shuffle => {
                let (a, lane) = (self.word(args[0]), self.word(args[1]));
                self.need(spirv::Capability::GroupNonUniform);
                self.need(spirv::Capability::GroupNonUniformShuffle);
                let scope = self.word_constant(spirv::Scope::Subgroup as u32);
                self.emit(
                    S::GroupNonUniformShuffle,
                    ty,
                    vec![Operand::IdScope(scope), Operand::IdRef(a), Operand::IdRef(lane)],
                )
            }
            Op::VoteAll | Op::VoteAny | Op::VoteEq => {
                let a = self.truth(args[0]);
                self.need(spirv::Capability::GroupNonUniform);
                self.need(spirv::Capability::GroupNonUniformVote);
                let scope = self.word_constant(spirv::Scope::Subgroup as u32);
                let op = match inst.op {
                    Op::VoteAll => S::GroupNonUniformAll,
                    Op::VoteAny => S::GroupNonUniformAny,
                    _ => S::GroupNonUniformAllEqual,
                };
                self.emit(op, ty, vec![Operand::IdScope(scope), Operand::IdRef(a)])
            }
            Op::Ballot => {
                let a = self.truth(args[0]);
                self.need(spirv::Capability::GroupNonUniform);
                self.need(spirv::Capability::GroupNonUniformBallot);
                let scope = self.word_constant(spirv::Scope::Subgroup as u32);
                let four = self.vector(ty, 4);
                let all = self.emit(S::GroupNonUniformBallot, four, vec![Operand::IdScope(scope), Operand::IdRef(a)]);
                self.emit(S::CompositeExtract, ty, vec![Operand::IdRef(all), Operand::LiteralBit32(0)])
            }
            Op::Kill if self.key.mutants.has(Mutants::KILL) => {
                let (ends, goes_on) = (self.b.id(), self.b.id());
                let always = self.truth_constant(true);
                self.select_merge(goes_on);
                self.branch_on(always, ends, goes_on);
                self.label(ends);
                self.terminate(S::Kill, vec![]);
                self.label(goes_on);
                return Ok(None);
            }
            Op::Undefined => self.emit(S::Undef, ty, vec![]),
            Op::Kill => {
                self.need(spirv::Capability::DemoteToHelperInvocation);
                self.effect(S::DemoteToHelperInvocation, vec![]);
                return Ok(None);
            }
            Op::ControlBarrier => {
                let compute = self.program.stage == crate::header::Stage::Compute;
                let group = self.word_constant(spirv::Scope::Workgroup as u32);
                // Acquire-release over workgroup, storage and image memory.
                let semantics = self.word_constant(if compute { 0x8 | 0x40 | 0x100 | 0x800 } else { 0 });
                let memory = if compute { group } else { self.word_constant(spirv::Scope::Invocation as u32) };
                self.effect(
                    S::ControlBarrier,
                    vec![Operand::IdScope(group), Operand::IdScope(memory), Operand::IdMemorySemantics(semantics)],
                );
                return Ok(None);
            }
            Op::MemoryBarrier { device } => {
                let compute = self.program.stage == crate::header::Stage::Compute;
                let scope = if *device { spirv::Scope::Device } else { spirv::Scope::Workgroup };
                let scope = self.word_constant(scope as u32);
                let semantics = self.word_constant(0x8 | 0x40 | 0x800 | if compute { 0x100 } else { 0 });
                self.effect(S::MemoryBarrier, vec![Operand::IdScope(scope), Operand::IdMemorySemantics(semantics)]);
                return Ok(None);
            }
            Op::Builtin(builtin) => self.builtin(*builtin),
            Op::Input { address, patch } => self.input(*address, *patch, args.first().copied()),
            Op::OutputRead { address, patch } => self.output_read(*address, *patch, args.first().copied()),
            Op::Varying { address, interpolation, flat } => self.varying(*address, *interpolation, *flat, args),
            Op::Output { address, patch } => {
                self.output(*address, *patch, args[0]);
                return Ok(None);
            }
            Op::Color { target, component } => {
                self.color(*target, *component, args[0]);
                return Ok(None);
            }
            Op::Depth => {
                self.depth(args[0]);
                return Ok(None);
            }
            Op::SampleMask => {
                self.sample_mask(args[0]);
                return Ok(None);
            }
            Op::EmitVertex(stream) => {
                self.emit_vertex(*stream);
                return Ok(None);
            }
            Op::EndPrimitive(stream) => {
                self.end_primitive(*stream);
                return Ok(None);
            }
            _ => return self.resource(value, inst),
        };
        Ok(Some(id))
    }
}
