//! From machine instructions to the intermediate representation.

mod alu;
mod attr;
mod fold;
mod fp;
mod half;
mod mem;
mod tex;

pub(crate) use tex::{bound_image, bound_texture};

use crate::ShaderError;
use crate::cfg::{Flow, Terminator};
use crate::header::{Program, Stage};
use crate::ir::{Buffer, Builtin, Ir, Op, Value};
use crate::isa::{self, Field, Instruction, Line};
use crate::key::{Mutants, ShaderKey};
use crate::ssa::{Ssa, Variable};
use std::collections::HashMap;

/// How an immediate operand is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Immediate {
    Int,
    F32,
    F64,
}

/// A 16-bit multiply-add as it was lifted, for recognising the 32-bit multiply built from three of them.
#[derive(Clone, Copy)]
pub(crate) struct PartialProduct {
    pub(crate) merged: bool,
    pub(crate) a: Value,
    pub(crate) b: Value,
    pub(crate) c: Value,
}

pub(crate) struct Lifter<'a> {
    pub(crate) program: &'a Program<'a>,
    pub(crate) key: &'a ShaderKey,
    flow: &'a Flow,
    pub(crate) ir: Ir,
    ssa: Ssa,
    block: usize,
    offset: u32,
    guard: Option<Value>,
    constants: HashMap<u32, Value>,
    zero: Value,
    yes: Value,
    no: Value,
    pub(crate) products: HashMap<Value, PartialProduct>,
    /// Negations made so far. One is only reused where its block dominates, so the table is cleared with each block.
    inverses: HashMap<Value, Value>,
}

/// Lifts every block of the graph.
pub(crate) fn lift(program: &Program<'_>, flow: &Flow, key: &ShaderKey) -> Result<Ir, ShaderError> {
    let mut ir = Ir::new(flow.blocks.len());
    let zero = ir.push(0, Op::Const(0), &[], 0);
    let no = ir.push(0, Op::Bool(false), &[], 0);
    let yes = ir.push(0, Op::Bool(true), &[], 0);
    let unwritten = if key.mutants.has(Mutants::UNWRITTEN) { ir.push(0, Op::Undefined, &[], 0) } else { zero };
    let ssa = Ssa::new(flow.blocks.len(), unwritten, no);
    let mut lifter = Lifter {
        program,
        key,
        flow,
        ir,
        ssa,
        block: 0,
        offset: 0,
        guard: None,
        constants: HashMap::from([(0, zero)]),
        zero,
        yes,
        no,
        products: HashMap::new(),
        inverses: HashMap::new(),
    };
    for (index, block) in flow.blocks.iter().enumerate() {
        lifter.block = index;
        lifter.inverses.clear();
        for i in &block.instructions {
            lifter.offset = i.offset;
            let (predicate, inverted) = i.guard();
            lifter.guard = if predicate == 7 || block.guard_tested {
                None
            } else {
                Some(lifter.predicate(u32::from(predicate), inverted))
            };
            lifter.instruction(i)?;
        }
        lifter.guard = None;
        match block.terminator {
            Terminator::Exit => lifter.exit(),
            Terminator::Jump(_) => {}
            Terminator::Branch { condition, .. } => {
                let guard = lifter.predicate(u32::from(condition.predicate), condition.inverted);
                let test = lifter.flag_test(condition.test);
                let mut both = lifter.and(guard, test);
                if let Some((register, value)) = condition.equal {
                    let value = lifter.constant(value);
                    let register = lifter.register(u32::from(register));
                    let equal = lifter.compare(crate::ir::Compare::Eq, false, register, value);
                    both = lifter.and(both, equal);
                }
                lifter.ir.conditions[index] = Some(both);
            }
        }
        lifter.ssa.filled(flow, &mut lifter.ir, index);
    }
    Ok(lifter.ir)
}

impl Lifter<'_> {
    pub(crate) fn unsupported(&self, i: &Instruction, why: &'static str) -> ShaderError {
        ShaderError::Unsupported { offset: i.offset, text: Line(*i).to_string(), why }
    }

    pub(crate) fn push(&mut self, op: Op, args: &[Value]) -> Value {
        self.ir.push(self.block, op, args, self.offset)
    }

    pub(crate) fn constant(&mut self, value: u32) -> Value {
        if let Some(v) = self.constants.get(&value) {
            return *v;
        }
        let v = self.ir.push(0, Op::Const(value), &[], 0);
        self.constants.insert(value, v);
        v
    }

    pub(crate) fn float(&mut self, value: f32) -> Value {
        self.constant(value.to_bits())
    }

    pub(crate) fn truth(&self, value: bool) -> Value {
        if value { self.yes } else { self.no }
    }

    pub(crate) fn register(&mut self, index: u32) -> Value {
        if index >= 255 {
            return self.zero;
        }
        let value = self.ssa.read(self.flow, &mut self.ir, self.block, Variable::register(index));
        self.under_guard(value)
    }

    /// What a guarded instruction sees of a register that was written under the same guard: the written value, in every lane. A
    /// sample whose coordinates were computed under its guard so keeps the neighbours' coordinates (catalogue M-3.6).
    fn under_guard(&self, mut value: Value) -> Value {
        let Some(guard) = self.guard else { return value };
        let plain = |v: Value| match self.ir.op(v) {
            Op::TruthNot => (self.ir.args(v)[0], true),
            _ => (v, false),
        };
        while let (Op::Select, [condition, hit, miss]) = (self.ir.op(value), self.ir.args(value)) {
            let ((a, x), (b, y)) = (plain(*condition), plain(guard));
            if a != b {
                break;
            }
            value = if x == y { *hit } else { *miss };
        }
        value
    }

    /// Register `base + k`; every word of a wide operand at RZ is zero.
    pub(crate) fn register_at(&mut self, base: u32, k: u32) -> Value {
        if base >= 255 { self.zero } else { self.register(base + k) }
    }

    pub(crate) fn predicate(&mut self, index: u32, inverted: bool) -> Value {
        let value = if index >= 7 {
            self.yes
        } else {
            self.ssa.read(self.flow, &mut self.ir, self.block, Variable::predicate(index))
        };
        if inverted { self.not(value) } else { value }
    }

    pub(crate) fn flag(&mut self, variable: Variable) -> Value {
        self.ssa.read(self.flow, &mut self.ir, self.block, variable)
    }

    fn guarded(&mut self, variable: Variable, value: Value) -> Value {
        match self.guard {
            None => value,
            Some(guard) => {
                let old = self.ssa.read(self.flow, &mut self.ir, self.block, variable);
                self.select(guard, value, old)
            }
        }
    }

    fn write(&mut self, variable: Variable, value: Value) {
        let value = self.guarded(variable, value);
        self.ssa.write(self.block, variable, value);
    }

    pub(crate) fn set_register(&mut self, index: u32, value: Value) {
        if index < 255 {
            self.write(Variable::register(index), value);
        }
    }

    pub(crate) fn set_predicate(&mut self, index: u32, value: Value) {
        if index < 7 {
            self.write(Variable::predicate(index), value);
        }
    }

    pub(crate) fn set_flag(&mut self, variable: Variable, value: Value) {
        self.write(variable, value);
    }

    /// The destination register gets the value; the zero and sign flags follow where the instruction asks for them.
    pub(crate) fn set_result(&mut self, i: &Instruction, value: Value) {
        if i.flag(Field::Cc) {
            let zero = self.zero;
            let is_zero = self.compare(crate::ir::Compare::Eq, false, value, zero);
            let negative = self.compare(crate::ir::Compare::Lt, true, value, zero);
            self.set_flag(Variable::ZERO, is_zero);
            self.set_flag(Variable::SIGN, negative);
        }
        self.set_register(i.get(Field::D), value);
    }

    /// The source predicate of a compare or select.
    pub(crate) fn source_predicate(&mut self, i: &Instruction) -> Value {
        if i.has(Field::Ps) { self.predicate(i.get(Field::Ps), i.flag(Field::NotPs)) } else { self.yes }
    }

    /// Second source: register, constant word or immediate.
    pub(crate) fn source_b(&mut self, i: &Instruction, immediate: Immediate) -> Value {
        if i.has(Field::B) {
            return self.register(i.get(Field::B));
        }
        if i.has(Field::CSlot) {
            return self.uniform(i.get(Field::CSlot), i.get(Field::COff) * 4);
        }
        let value = if i.has(Field::Imm20) {
            let raw = i.get(Field::Imm20);
            match immediate {
                Immediate::Int => i.signed(Field::Imm20, 20) as u32,
                Immediate::F32 | Immediate::F64 => ((raw >> 19) << 31) | ((raw & 0x7_FFFF) << 12),
            }
        } else if i.has(Field::Imm32) {
            i.get(Field::Imm32)
        } else if i.has(Field::Imm16) {
            i.get(Field::Imm16)
        } else {
            i.get(Field::Imm6)
        };
        self.constant(value)
    }

    /// Third source: register, or the constant word of the RC form.
    pub(crate) fn source_c(&mut self, i: &Instruction) -> Value {
        if i.has(Field::C) {
            self.register(i.get(Field::C))
        } else {
            self.uniform(i.get(Field::CSlot), i.get(Field::COff) * 4)
        }
    }

    pub(crate) fn source_a(&mut self, i: &Instruction) -> Value {
        self.register(i.get(Field::A))
    }

    /// A word of a constant bank at a fixed offset.
    pub(crate) fn uniform(&mut self, bank: u32, offset: u32) -> Value {
        let offset = offset & 0xFFFC;
        match bank {
            0 => self.driver_word(offset),
            1 => {
                let word = self.program.constant(offset);
                self.constant(word)
            }
            _ => {
                let at = self.constant(offset);
                self.push(Op::Uniform { bank: bank as u8 }, &[at])
            }
        }
    }

    fn driver_word(&mut self, offset: u32) -> Value {
        let table = self.program.stage.storage_table();
        if (table..table + 0x100).contains(&offset) {
            let slot = ((offset - table) / 16) as u8;
            return match offset % 16 {
                0 => self.push(Op::BufferBase { buffer: Buffer::Storage(slot), high: false }, &[]),
                4 => self.push(Op::BufferBase { buffer: Buffer::Storage(slot), high: true }, &[]),
                8 => self.push(Op::BufferSize(slot), &[]),
                _ => self.zero,
            };
        }
        let builtin = if self.program.stage == Stage::Compute {
            if (0x260..0x260 + 9 * 16).contains(&offset) && offset % 16 < 8 {
                let buffer = Buffer::Uniform(5 + ((offset - 0x260) / 16) as u8);
                return self.push(Op::BufferBase { buffer, high: offset % 16 == 4 }, &[]);
            }
            match offset {
                0x200 => Some(Builtin::WorkgroupCount(0)),
                0x204 => Some(Builtin::WorkgroupCount(1)),
                0x208 => Some(Builtin::WorkgroupCount(2)),
                _ => None,
            }
        } else {
            match offset {
                0x640 if self.program.stage == Stage::Vertex => Some(Builtin::BaseVertex),
                0x644 if self.program.stage == Stage::Vertex => Some(Builtin::BaseInstance),
                0x648 if self.program.stage == Stage::Vertex => Some(Builtin::DrawIndex),
                _ => None,
            }
        };
        match builtin {
            Some(_) if self.key.mutants.has(Mutants::BANK) => self.zero,
            Some(builtin) => self.push(Op::Builtin(builtin), &[]),
            None => {
                let at = self.constant(offset);
                self.push(Op::Uniform { bank: 0 }, &[at])
            }
        }
    }

    /// The 5-bit flag test; 15 is always true.
    pub(crate) fn flag_test(&mut self, test: u8) -> Value {
        if test == 15 {
            return self.yes;
        }
        let z = self.flag(Variable::ZERO);
        let s = self.flag(Variable::SIGN);
        let c = self.flag(Variable::CARRY);
        let o = self.flag(Variable::OVERFLOW);
        let not_z = self.not(z);
        let less = self.xor(s, o);
        match test {
            1 => {
                let low = self.and(s, not_z);
                self.xor(low, o)
            }
            2 => {
                let not_s = self.not(s);
                self.and(z, not_s)
            }
            3 => {
                let either = self.or(z, o);
                self.xor(s, either)
            }
            4 => {
                let any = self.or(less, z);
                self.not(any)
            }
            5 => not_z,
            6 => self.not(less),
            7 => {
                let nan = self.and(s, z);
                self.not(nan)
            }
            8 => self.and(s, z),
            9 => less,
            10 => z,
            11 => self.or(less, z),
            12 => {
                let not_s = self.not(s);
                let either = self.or(o, z);
                self.xor(not_s, either)
            }
            13 => self.or(s, not_z),
            14 => {
                let not_s = self.not(s);
                let either = self.or(not_s, z);
                self.xor(either, o)
            }
            16 => self.not(o),
            17 => self.not(c),
            18 => self.not(s),
            19 => {
                let not_c = self.not(c);
                self.or(z, not_c)
            }
            20 => self.and(c, not_z),
            21 => s,
            22 => c,
            23 => o,
            30 => self.or(s, z),
            31 => {
                let any = self.or(s, z);
                self.not(any)
            }
            _ => self.no,
        }
    }

    fn instruction(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        use isa::Op as M;
        match i.op() {
            M::Fadd | M::Fadd32i => self.fadd(i),
            M::Fmul | M::Fmul32i => self.fmul(i),
            M::Ffma | M::Ffma32i => self.ffma(i),
            M::Fmnmx => self.fmnmx(i),
            M::Fset | M::Fsetp | M::Fcmp => self.fset(i),
            M::Mufu => return self.mufu(i),
            M::Rro => self.rro(i),
            M::Fchk => {
                let no = self.no;
                self.set_predicate(i.get(Field::Pd), no);
            }
            M::Fswzadd => return self.fswzadd(i),
            M::F2f => return self.f2f(i),
            M::F2i => return self.f2i(i),
            M::I2f => return self.i2f(i),
            M::I2i => self.i2i(i),
            M::Hadd2 | M::Hadd2_32i | M::Hmul2 | M::Hmul2_32i | M::Hfma2 | M::Hfma2_32i => self.half_arithmetic(i),
            M::Hset2 | M::Hsetp2 => self.half_compare(i),
            M::Dadd | M::Dmul | M::Dfma | M::Dmnmx | M::Dset | M::Dsetp => self.double(i),

            M::Iadd | M::Iadd32i => self.iadd(i),
            M::Iadd3 => self.iadd3(i),
            M::Iscadd | M::Iscadd32i => self.iscadd(i),
            M::Lea => return self.lea(i),
            M::Imnmx => return self.imnmx(i),
            M::Iset | M::Isetp | M::Icmp => self.iset(i),
            M::Imul | M::Imul32i | M::Imad | M::Imad32i => self.imul(i),
            M::Xmad => self.xmad(i),
            M::Shl | M::Shr => return self.shift(i),
            M::Shf => return self.shf(i),
            M::Bfe => self.bfe(i),
            M::Bfi => self.bfi(i),
            M::Flo => self.flo(i),
            M::Popc => self.popc(i),
            M::Lop | M::Lop32i => self.lop(i),
            M::Lop3 => self.lop3(i),
            M::Prmt => return self.prmt(i),
            M::Sel => self.sel(i),
            M::Mov | M::Mov32i => return self.mov(i),
            M::Psetp | M::Pset => self.pset(i),
            M::Cset | M::Csetp => self.cset(i),
            M::R2p => return self.r2p(i),
            M::P2r => return self.p2r(i),

            M::Ldc => return self.ldc(i),
            M::Ldg | M::Ld => return self.ldg(i),
            M::Stg | M::St => return self.stg(i),
            M::Ldl | M::Lds => return self.load_space(i),
            M::Stl | M::Sts => return self.store_space(i),
            M::Atom | M::Red => return self.atom(i),
            M::Atoms => return self.atoms(i),
            M::Bar => return self.bar(i),
            M::Membar => {
                let device = i.get(Field::Scope) != 0;
                self.push(Op::MemoryBarrier { device }, &[]);
            }
            M::Cctl | M::Cctll | M::Cctlt | M::Depbar | M::Nop | M::Sam | M::Ram | M::Ide | M::Bpt | M::Stp => {}

            M::Ald => return self.ald(i),
            M::Ast => return self.ast(i),
            M::Ipa => return self.ipa(i),
            M::Isberd => {
                let a = self.source_a(i);
                self.set_register(i.get(Field::D), a);
            }
            M::Out => return self.out(i),
            M::Pixld => return self.pixld(i),
            M::Kil => self.kil(i),
            M::S2r | M::Cs2r => return self.s2r(i),
            M::Shfl => return self.shfl(i),
            M::Vote => return self.vote(i),

            M::Tex | M::Texs | M::Tld | M::Tlds | M::Tld4 | M::Tld4s | M::Txd | M::Txq | M::Tmml => {
                return self.texture(i);
            }
            M::Suld | M::Sust | M::Suatom | M::Sured => return self.surface(i),
            _ => return Err(self.unsupported(i, "no lowering for this instruction")),
        }
        Ok(())
    }

    /// End of the thread: a fragment stage writes its outputs from the registers.
    fn exit(&mut self) {
        if self.program.stage != Stage::Fragment {
            return;
        }
        let map = self.program.target_map();
        let mut register = 0;
        for target in 0..8u8 {
            let mask = (map >> (target * 4)) & 0xF;
            if mask == 0 {
                continue;
            }
            for component in 0..4u8 {
                if mask & (1 << component) != 0 {
                    let value = self.register(register + u32::from(component));
                    self.push(Op::Color { target, component }, &[value]);
                }
            }
            register += 4;
        }
        if self.program.writes_sample_mask() {
            let value = self.register(register);
            self.push(Op::SampleMask, &[value]);
        }
        if self.program.writes_depth() {
            let value = self.register(register + 1);
            self.push(Op::Depth, &[value]);
        }
    }
}
