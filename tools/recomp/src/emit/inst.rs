//! One instruction to C statements, with the registers they read and write.

use std::fmt::Write;

use crate::a64::op::*;
use crate::a64::{Inst, Op, fp32_immediate, fp64_immediate};

/// Where the flags are: in `nzcv`, or in the operands of the last setter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flags {
    /// In the local `nzcv`.
    Stored,
    /// fa - fb.
    Sub { wide: bool },
    /// fa + fb.
    Add { wide: bool },
    /// N and Z of fa, C = V = 0.
    Logic { wide: bool },
    /// Floating-point compare of the operand locals.
    Float { double: bool },
    /// A conditional compare: where `fc` holds, as `compare` of the operand locals, else the constant.
    Select { compare: Compare, nzcv: u32 },
}

/// What a conditional compare compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compare {
    Sub { wide: bool },
    Add { wide: bool },
    Float { double: bool },
}

impl Compare {
    fn flags(self) -> Flags {
        match self {
            Compare::Sub { wide } => Flags::Sub { wide },
            Compare::Add { wide } => Flags::Add { wide },
            Compare::Float { double } => Flags::Float { double },
        }
    }
}

/// Whether constant flags (N = bit 3 to V = bit 0) meet a condition.
fn constant_condition(nzcv: u32, cond: u32) -> bool {
    let (n, z, c, v) = (nzcv >> 3 & 1, nzcv >> 2 & 1, nzcv >> 1 & 1, nzcv & 1);
    let positive = match cond >> 1 {
        0 => z == 1,
        1 => c == 1,
        2 => n == 1,
        3 => v == 1,
        4 => c == 1 && z == 0,
        5 => n == v,
        6 => n == v && z == 0,
        _ => return true,
    };
    positive != (cond & 1 == 1)
}

impl Flags {
    /// Expression of NZCV in bits 31..28.
    pub(super) fn stored(self) -> String {
        let bits = |wide| if wide { 64 } else { 32 };
        match self {
            Flags::Stored => "nzcv".into(),
            Flags::Sub { wide } => format!("fg_nzcv_sub{}(fa, fb)", bits(wide)),
            Flags::Add { wide } => format!("fg_nzcv_add{}(fa, fb)", bits(wide)),
            Flags::Logic { wide } => format!("fg_nz{0}((u{0})fa)", bits(wide)),
            Flags::Float { double: false } => "fg_nzcv_fcmp32(fsa, fsb)".into(),
            Flags::Float { double: true } => "fg_nzcv_fcmp64(fda, fdb)".into(),
            Flags::Select { compare, nzcv } => format!("(fc ? {} : {:#x}u)", compare.flags().stored(), nzcv << 28),
        }
    }

    /// Expression of a condition.
    pub(super) fn condition(self, cond: u32) -> String {
        if cond >= 14 {
            return "1".into();
        }
        let negate = cond & 1 == 1;
        let positive = match self {
            Flags::Stored => return format!("fg_cond(nzcv, {cond})"),
            Flags::Select { compare, nzcv } => {
                let held = compare.flags().condition(cond);
                return if constant_condition(nzcv, cond) {
                    format!("(!fc || {held})")
                } else {
                    format!("(fc && {held})")
                };
            }
            Flags::Sub { wide } => {
                let (u, s) = if wide { ("u64", "s64") } else { ("u32", "s32") };
                match cond >> 1 {
                    0 => format!("({u})fa == ({u})fb"),
                    1 => format!("({u})fa >= ({u})fb"),
                    2 => format!("({s})(({u})fa - ({u})fb) < 0"),
                    4 => format!("({u})fa > ({u})fb"),
                    5 => format!("({s})fa >= ({s})fb"),
                    6 => format!("({s})fa > ({s})fb"),
                    _ => format!("{} >> 28 & 1", self.stored()),
                }
            }
            Flags::Add { wide } => {
                let (u, s) = if wide { ("u64", "s64") } else { ("u32", "s32") };
                let sum = if wide { "(s128)(s64)fa + (s64)fb" } else { "(s64)(s32)fa + (s32)fb" };
                match cond >> 1 {
                    0 => format!("({u})(fa + fb) == 0"),
                    1 => format!("({u})(fa + fb) < ({u})fa"),
                    2 => format!("({s})(({u})fa + ({u})fb) < 0"),
                    4 => format!("({u})(fa + fb) < ({u})fa && ({u})(fa + fb) != 0"),
                    5 => format!("{sum} >= 0"),
                    6 => format!("{sum} > 0"),
                    _ => format!("{} >> 28 & 1", self.stored()),
                }
            }
            Flags::Logic { wide } => {
                let (u, s) = if wide { ("u64", "s64") } else { ("u32", "s32") };
                match cond >> 1 {
                    0 => format!("({u})fa == 0"),
                    2 => format!("({s})fa < 0"),
                    5 => format!("({s})fa >= 0"),
                    6 => format!("({s})fa > 0"),
                    _ => "0".into(),
                }
            }
            Flags::Float { double } => {
                let (a, b) = if double { ("fda", "fdb") } else { ("fsa", "fsb") };
                let name = ["eq", "cs", "mi", "vs", "hi", "ge", "gt"][(cond >> 1) as usize];
                format!("FG_FCC_{name}({a}, {b})")
            }
        };
        if negate { format!("!({positive})") } else { format!("({positive})") }
    }
}

/// Statements of one instruction while they are written. Register sets: bits 0..30 x registers, bit 31 SP, bits 32..63 v registers.
pub(super) struct Statements {
    pub(super) text: String,
    pub(super) read: u64,
    pub(super) write: u64,
    pub(super) flags: Flags,
    pc: u64,
}

const fn x_bit(r: u8) -> u64 {
    1 << r
}

const fn v_bit(r: u8) -> u64 {
    1 << (32 + r)
}

impl Statements {
    pub(super) fn new(flags: Flags, pc: u64) -> Statements {
        Statements { text: String::new(), read: 0, write: 0, flags, pc }
    }

    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Value of x register `r`; register 31 is zero.
    pub(super) fn x(&mut self, r: u8) -> String {
        if r == 31 {
            return "0ull".into();
        }
        self.read |= x_bit(r);
        format!("x{r}")
    }

    fn w(&mut self, r: u8) -> String {
        format!("(u32){}", self.x(r))
    }

    /// 64-bit or 32-bit value by `wide`.
    fn xw(&mut self, r: u8, wide: bool) -> String {
        if wide { self.x(r) } else { self.w(r) }
    }

    /// Value of x register `r`; register 31 is SP.
    fn xsp(&mut self, r: u8) -> String {
        self.read |= x_bit(r);
        if r == 31 { "sp".into() } else { format!("x{r}") }
    }

    fn set(&mut self, r: u8, wide: bool, value: &str) {
        if r == 31 {
            let _ = write!(self.text, "(void)({value}); ");
        } else {
            self.write |= x_bit(r);
            let _ =
                if wide { write!(self.text, "x{r} = {value}; ") } else { write!(self.text, "x{r} = (u32)({value}); ") };
        }
    }

    fn set_sp(&mut self, r: u8, wide: bool, value: &str) {
        if r == 31 {
            self.write |= x_bit(31);
            let _ = if wide { write!(self.text, "sp = {value}; ") } else { write!(self.text, "sp = (u32)({value}); ") };
        } else {
            self.set(r, wide, value);
        }
    }

    fn v(&mut self, r: u8) -> String {
        self.read |= v_bit(r);
        format!("v{r}")
    }

    fn set_v(&mut self, r: u8, value: &str) {
        self.write |= v_bit(r);
        let _ = write!(self.text, "v{r} = {value}; ");
    }

    /// Scalar floating-point operand.
    fn fp(&mut self, r: u8, double: bool) -> String {
        let v = self.v(r);
        if double { format!("fg_gd({v})") } else { format!("fg_gs({v})") }
    }

    fn set_fp(&mut self, r: u8, double: bool, value: &str) {
        let make = if double { "fg_vd" } else { "fg_vs" };
        self.set_v(r, &format!("{make}({value})"));
    }

    fn set_flags(&mut self, flags: Flags, a: &str, b: &str) {
        match flags {
            Flags::Float { double: true } => {
                let _ = write!(self.text, "fda = {a}; fdb = {b}; ");
            }
            Flags::Float { double: false } => {
                let _ = write!(self.text, "fsa = {a}; fsb = {b}; ");
            }
            Flags::Logic { .. } => {
                let _ = write!(self.text, "fa = {a}; ");
            }
            _ => {
                let _ = write!(self.text, "fa = {a}; fb = {b}; ");
            }
        }
        self.flags = flags;
    }

    fn select_flags(&mut self, cond: &str, compare: Compare, nzcv: u32, a: &str, b: &str) {
        // The condition may read the operands of the compare before.
        let _ = write!(self.text, "fc = {cond}; ");
        self.set_flags(compare.flags(), a, b);
        self.flags = Flags::Select { compare, nzcv };
    }

    fn store_flags(&mut self, value: &str) {
        let _ = write!(self.text, "nzcv = {value}; ");
        self.flags = Flags::Stored;
    }

    /// Writes the C of an instruction that neither branches nor calls. False when there is none for it.
    #[allow(clippy::too_many_lines)]
    pub(super) fn translate(&mut self, inst: &Inst) -> bool {
        let (rd, rn, rm) = (inst.rd(), inst.rn(), inst.rm());
        let wide = inst.is64();
        let bits = if wide { 64 } else { 32 };
        match inst.op() {
            Op::Adr | Op::Adrp => {
                let value = format!("{:#x}ull", inst.target(self.pc).unwrap_or(0));
                self.set(rd, true, &value);
            }
            Op::AddSubImm { sub, flags } => {
                let imm = format!("{}ull", u64::from(inst.f('i')) << (12 * inst.f('h')));
                let a = self.xsp(rn);
                self.add_sub(rd, wide, sub, flags, &a, &imm);
            }
            Op::AddSubReg { sub, flags } => {
                let a = self.x(rn);
                let b = self.shifted(rm, inst.f('h'), inst.f('i'), wide);
                if flags {
                    self.add_sub(rd, wide, sub, true, &a, &b)
                } else {
                    let sign = if sub { '-' } else { '+' };
                    self.set(rd, wide, &format!("{a} {sign} {b}"));
                }
            }
            Op::AddSubExt { sub, flags } => {
                let a = self.xsp(rn);
                let b = format!("({} << {})", self.extended(rm, inst.f('e')), inst.f('i'));
                self.add_sub(rd, wide, sub, flags, &a, &b);
            }
            Op::AddCarry { sub, flags } => {
                let carry = match self.flags {
                    Flags::Stored => "(nzcv >> 29 & 1)".to_owned(),
                    other => format!("(u32){}", other.condition(2)),
                };
                let (a, b) = (self.x(rn), self.x(rm));
                let b = if sub { format!("~{b}") } else { b };
                let _ = write!(self.text, "{{ u64 a = {a}, b = {b}; u32 c = {carry}; ");
                if flags {
                    self.store_flags(&format!("fg_nzcv_adc{bits}(a, b, c)"));
                }
                self.set(rd, wide, "a + b + c");
                self.put("} ");
            }
            Op::LogicalImm(logic, flags) => {
                let mask = inst.logical_mask().unwrap_or(0);
                let mask = if wide { mask } else { mask & 0xFFFF_FFFF };
                let a = self.x(rn);
                let value = format!("{a} {} {mask:#x}ull", operator(logic));
                if flags {
                    self.set_flags(Flags::Logic { wide }, &value, "");
                    if rd != 31 {
                        self.set(rd, wide, "fa");
                    }
                } else {
                    self.set_sp(rd, wide, &value);
                }
            }
            Op::LogicalReg(logic, invert, flags) => {
                let a = self.x(rn);
                let b = self.shifted(rm, inst.f('h'), inst.f('i'), wide);
                let b = if invert { format!("~{b}") } else { b };
                let value = if rn == 31 && logic == Logic::Orr { b } else { format!("{a} {} {b}", operator(logic)) };
                if flags {
                    self.set_flags(Flags::Logic { wide }, &value, "");
                    if rd != 31 {
                        self.set(rd, wide, "fa");
                    }
                } else {
                    self.set(rd, wide, &value);
                }
            }
            Op::MovWide(kind) => {
                let shift = 16 * inst.f('h');
                let value = u64::from(inst.f('i')) << shift;
                match kind {
                    Wide::Z => self.set(rd, wide, &format!("{value:#x}ull")),
                    Wide::N => self.set(rd, wide, &format!("{:#x}ull", !value)),
                    Wide::K => {
                        let old = self.x(rd);
                        self.set(rd, wide, &format!("({old} & {:#x}ull) | {value:#x}ull", !(0xFFFFu64 << shift)));
                    }
                }
            }
            Op::Bitfield(kind) => self.bitfield(inst, kind),
            Op::Extr => {
                let (n, m, lsb) = (self.xw(rn, wide), self.xw(rm, wide), inst.f('s'));
                let value = if lsb == 0 { m } else { format!("({m} >> {lsb}) | ({n} << {})", bits - lsb) };
                self.set(rd, wide, &value);
            }
            Op::CondCompare { sub } => {
                let cond = self.flags.condition(inst.f('c'));
                let a = self.x(rn);
                let b = if inst.f('k') == 1 { format!("{}ull", inst.f('m')) } else { self.x(rm) };
                let compare = if sub { Compare::Sub { wide } } else { Compare::Add { wide } };
                self.select_flags(&cond, compare, inst.f('v'), &a, &b);
            }
            Op::CondSelect(kind) => {
                let cond = self.flags.condition(inst.f('c'));
                let (a, b) = (self.xw(rn, wide), self.xw(rm, wide));
                let other = match kind {
                    Select::Same => b,
                    Select::Inc => format!("({b} + 1)"),
                    Select::Inv => format!("~{b}"),
                    Select::Neg => format!("-{b}"),
                };
                self.set(rd, wide, &format!("{cond} ? {a} : {other}"));
            }
            Op::MulAdd { sub } => {
                let (n, m) = (self.x(rn), self.x(rm));
                let a = self.x(inst.ra());
                let sign = if sub { '-' } else { '+' };
                self.set(rd, wide, &format!("{a} {sign} {n} * {m}"));
            }
            Op::MulAddLong { signed, sub } => {
                let cast = if signed { "(u64)(s64)(s32)" } else { "(u64)(u32)" };
                let (n, m) = (self.x(rn), self.x(rm));
                let a = self.x(inst.ra());
                let sign = if sub { '-' } else { '+' };
                self.set(rd, true, &format!("{a} {sign} {cast}{n} * {cast}{m}"));
            }
            Op::MulHigh { signed } => {
                let (n, m) = (self.x(rn), self.x(rm));
                self.set(rd, true, &format!("fg_{}mulh({n}, {m})", if signed { 's' } else { 'u' }));
            }
            Op::Two(stem) => {
                let (n, m) = (self.x(rn), self.x(rm));
                self.set(rd, true, &format!("fg_{stem}{bits}({n}, {m})"));
            }
            Op::One(stem) => {
                let n = self.x(rn);
                self.set(rd, true, &format!("fg_{stem}{bits}({n})"));
            }
            Op::Crc32 { poly_c, bits } => {
                let (n, m) = (self.x(rn), self.x(rm));
                self.set(rd, true, &format!("fg_crc32{}({n}, {m}, {bits})", if poly_c { "c" } else { "" }));
            }
            Op::Hint | Op::CacheOp | Op::Prefetch | Op::Isb => {}
            Op::Clrex => self.put("ctx->exclusive_address = ~0ull; "),
            Op::Barrier => self.put("FG_FENCE(); "),
            Op::DcZva => {
                let a = self.x(rd);
                let _ = write!(self.text, "fg_dc_zva({a}); ");
            }
            Op::Mrs => match inst.f('i') {
                0x5E82 => self.set(rd, true, "ctx->tpidr_el0"),
                0x5E83 => self.set(rd, true, "ctx->tpidrro_el0"),
                0x5A10 => {
                    let value = self.flags.stored();
                    self.set(rd, true, &value);
                }
                0x5A20 => self.set(rd, true, "ctx->fpcr"),
                0x5A21 => self.set(rd, true, "fg_read_fpsr(ctx)"),
                0x5807 => self.set(rd, true, "4ull"),
                0x5801 => self.set(rd, true, "0x8444C004ull"),
                which => self.set(rd, true, &format!("fg_host_read_system_register(ctx, {which:#x})")),
            },
            Op::Msr => {
                let value = self.x(rd);
                match inst.f('i') {
                    0x5E82 => {
                        let _ = write!(self.text, "ctx->tpidr_el0 = {value}; ");
                    }
                    0x5A10 => self.store_flags(&format!("(u32){value} & 0xF0000000u")),
                    0x5A20 => {
                        let _ = write!(self.text, "fg_write_fpcr(ctx, {value}); ");
                    }
                    0x5A21 => {
                        let _ = write!(self.text, "fg_write_fpsr(ctx, {value}); ");
                    }
                    _ => return false,
                }
            }
            Op::LoadLiteral(_)
            | Op::Pair(..)
            | Op::Single(..)
            | Op::StoreExclusive { .. }
            | Op::StoreExclusivePair { .. }
            | Op::LoadExclusive { .. }
            | Op::LoadExclusivePair { .. }
            | Op::StoreRelease
            | Op::LoadAcquire
            | Op::CompareSwap
            | Op::CompareSwapPair
            | Op::Atomic(_)
            | Op::Structure { .. }
            | Op::StructureReplicate { .. }
            | Op::StructureLane { .. } => self.memory(inst),
            Op::FpUnary(_)
            | Op::FpBinary(_)
            | Op::FpConvert
            | Op::FpCompare { .. }
            | Op::FpCondCompare
            | Op::FpImm
            | Op::FpSelect
            | Op::FpMulAdd { .. }
            | Op::FpToInt { .. }
            | Op::IntToFp { .. }
            | Op::FpMoveGpr(_)
            | Op::FixedToFp { .. }
            | Op::FpToFixed { .. } => self.scalar_fp(inst),
            _ => return self.vector(inst),
        }
        true
    }

    fn add_sub(&mut self, rd: u8, wide: bool, sub: bool, flags: bool, a: &str, b: &str) {
        let sign = if sub { '-' } else { '+' };
        if flags {
            let kind = if sub { Flags::Sub { wide } } else { Flags::Add { wide } };
            self.set_flags(kind, a, b);
            if rd != 31 {
                self.set(rd, wide, &format!("fa {sign} fb"));
            }
        } else {
            self.set_sp(rd, wide, &format!("{a} {sign} {b}"));
        }
    }

    fn shifted(&mut self, r: u8, kind: u32, amount: u32, wide: bool) -> String {
        let x = self.x(r);
        if amount == 0 {
            return x;
        }
        match (kind, wide) {
            (0, _) => format!("({x} << {amount})"),
            (1, true) => format!("({x} >> {amount})"),
            (1, false) => format!("(u64)((u32){x} >> {amount})"),
            (2, true) => format!("(u64)((s64){x} >> {amount})"),
            (2, false) => format!("(u64)(s64)((s32){x} >> {amount})"),
            (_, true) => format!("fg_rorv64({x}, {amount})"),
            (_, false) => format!("fg_rorv32({x}, {amount})"),
        }
    }

    fn extended(&mut self, r: u8, option: u32) -> String {
        let x = self.x(r);
        match option {
            0 => format!("(u64)(u8){x}"),
            1 => format!("(u64)(u16){x}"),
            2 => format!("(u64)(u32){x}"),
            3 | 7 => x,
            4 => format!("(u64)(s64)(s8){x}"),
            5 => format!("(u64)(s64)(s16){x}"),
            _ => format!("(u64)(s64)(s32){x}"),
        }
    }

    fn bitfield(&mut self, inst: &Inst, kind: Field) {
        let (rd, rn, wide) = (inst.rd(), inst.rn(), inst.is64());
        let width = if wide { 64 } else { 32 };
        let (r, s) = (inst.f('r'), inst.f('s'));
        let n = self.xw(rn, wide);
        let (u, i) = if wide { ("u64", "s64") } else { ("u32", "s32") };
        // Either bits s..r move down to 0, or bits s..0 move up to width - r.
        let (length, up) = if s >= r { (s - r + 1, 0) } else { (s + 1, width - r) };
        let down = if s >= r { r } else { 0 };
        let mask = u64::MAX >> (64 - length);
        match kind {
            Field::Unsigned => {
                let field = if length + down == width {
                    format!("({n} >> {down})")
                } else {
                    format!("(({n} >> {down}) & {mask:#x}ull)")
                };
                self.set(rd, wide, &format!("(({u}){field} << {up})"));
            }
            Field::Signed => {
                let left = width - length - down;
                let value = format!("(({u})(({i})(({u}){n} << {left}) >> {}) << {up})", width - length);
                self.set(rd, wide, &value);
            }
            Field::Insert => {
                let old = self.x(rd);
                let value = format!("({old} & {:#x}ull) | ((({n} >> {down}) & {mask:#x}ull) << {up})", !(mask << up));
                let value = if wide { value } else { value.replace(&n, &format!("(u64){n}")) };
                self.set(rd, wide, &value);
            }
        }
    }

    fn scalar_fp(&mut self, inst: &Inst) {
        let (rd, rn, rm) = (inst.rd(), inst.rn(), inst.rm());
        let double = inst.f('y') == 1;
        let n_bits = if double { 64 } else { 32 };
        let wide = inst.is64();
        let bits = if wide { 64 } else { 32 };
        match inst.op() {
            Op::FpUnary("mov") => {
                let n = self.v(rn);
                self.set_v(rd, &format!("fg_low{n_bits}({n})"));
            }
            Op::FpUnary(stem) => {
                let n = self.fp(rn, double);
                self.set_fp(rd, double, &format!("fg_f{stem}{n_bits}(ctx, {n})"));
            }
            Op::FpBinary(stem) => {
                let (n, m) = (self.fp(rn, double), self.fp(rm, double));
                self.set_fp(rd, double, &format!("fg_f{stem}{n_bits}(ctx, {n}, {m})"));
            }
            Op::FpMulAdd { neg_add, neg_mul } => {
                let (n, m) = (self.fp(rn, double), self.fp(rm, double));
                let a = self.fp(inst.ra(), double);
                let a = if neg_add { format!("fg_fneg{n_bits}(ctx, {a})") } else { a };
                let n = if neg_mul { format!("fg_fneg{n_bits}(ctx, {n})") } else { n };
                self.set_fp(rd, double, &format!("fg_fmadd{n_bits}(ctx, {a}, {n}, {m})"));
            }
            Op::FpConvert => {
                let letter = |t| match t {
                    0 => 's',
                    1 => 'd',
                    _ => 'h',
                };
                let (s, t) = (inst.f('s'), inst.f('t'));
                let source = if s == 3 { format!("(u16){}[0]", self.v(rn)) } else { self.fp(rn, s == 1) };
                let value = format!("fg_fcvt_{}_{}(ctx, {source})", letter(s), letter(t));
                if t == 3 { self.set_v(rd, &format!("(v128){{{value}, 0}}")) } else { self.set_fp(rd, t == 1, &value) }
            }
            Op::FpCompare { zero } => {
                let a = self.fp(rn, double);
                let b = if zero { "0".to_owned() } else { self.fp(rm, double) };
                self.set_flags(Flags::Float { double }, &a, &b);
            }
            Op::FpCondCompare => {
                let cond = self.flags.condition(inst.f('c'));
                let (a, b) = (self.fp(rn, double), self.fp(rm, double));
                self.select_flags(&cond, Compare::Float { double }, inst.f('v'), &a, &b);
            }
            Op::FpImm => {
                let bits = if double { fp64_immediate(inst.f('i')) } else { u64::from(fp32_immediate(inst.f('i'))) };
                self.set_v(rd, &format!("(v128){{{bits:#x}ull, 0}}"));
            }
            Op::FpSelect => {
                let cond = self.flags.condition(inst.f('c'));
                let (n, m) = (self.v(rn), self.v(rm));
                self.set_v(rd, &format!("(v128){{{cond} ? (u{n_bits}){n}[0] : (u{n_bits}){m}[0], 0}}"));
            }
            Op::FpToInt { round, signed } => {
                let n = self.fp(rn, double);
                let s = if signed { 's' } else { 'u' };
                self.set(rd, true, &format!("fg_sat_{s}{bits}_{n_bits}(fg_rn_{round}{n_bits}({n}))"));
            }
            Op::FpToFixed { signed } => {
                let n = self.fp(rn, double);
                let s = if signed { 's' } else { 'u' };
                let scale = 64 - inst.f('s');
                self.set(rd, true, &format!("fg_sat_{s}{bits}_{n_bits}({n} * fg_exp2_{n_bits}({scale}))"));
            }
            Op::IntToFp { signed } => {
                let n = self.x(rn);
                self.set_fp(rd, double, &int_to_fp(&n, signed, bits, n_bits));
            }
            Op::FixedToFp { signed } => {
                let n = int_to_fp(&self.x(rn), signed, bits, n_bits);
                let scale = 64 - inst.f('s');
                self.set_fp(rd, double, &format!("{n} * fg_exp2_{n_bits}(-{scale})"));
            }
            Op::FpMoveGpr(kind) => match kind {
                FpGpr::ToW => {
                    let n = self.v(rn);
                    self.set(rd, false, &format!("{n}[0]"));
                }
                FpGpr::ToX => {
                    let n = self.v(rn);
                    self.set(rd, true, &format!("{n}[0]"));
                }
                FpGpr::ToXTop => {
                    let n = self.v(rn);
                    self.set(rd, true, &format!("{n}[1]"));
                }
                FpGpr::FromW => {
                    let n = self.w(rn);
                    self.set_v(rd, &format!("(v128){{{n}, 0}}"));
                }
                FpGpr::FromX => {
                    let n = self.x(rn);
                    self.set_v(rd, &format!("(v128){{{n}, 0}}"));
                }
                FpGpr::FromXTop => {
                    let n = self.x(rn);
                    let d = self.v(rd);
                    self.set_v(rd, &format!("(v128){{{d}[0], {n}}}"));
                }
            },
            _ => {}
        }
    }

    fn memory(&mut self, inst: &Inst) {
        let (rd, rn, rm) = (inst.rd(), inst.rn(), inst.rm());
        let bits = 8u32 << inst.f('z');
        match inst.op() {
            Op::LoadLiteral(kind) => {
                let address = format!("{:#x}ull", inst.target(self.pc).unwrap_or(0));
                match kind {
                    Literal::Word => {
                        let bits = 32 << inst.f('g');
                        self.set(rd, true, &format!("fg_ld{bits}({address})"));
                    }
                    Literal::SignedWord => self.set(rd, true, &format!("(u64)(s64)(s32)fg_ld32({address})")),
                    Literal::Vector => self.load_vector(rd, 4 << inst.f('g'), &address),
                }
            }
            Op::Single(index, vector) => {
                let (z, opc) = (inst.f('z'), inst.f('o'));
                if !vector && z == 3 && opc == 2 {
                    return; // PRFM
                }
                let bytes = if vector && opc & 2 != 0 { 16 } else { 1u32 << z };
                let base = self.xsp(rn);
                let offset = match index {
                    Index::Scaled => i64::from(inst.f('i')) * i64::from(bytes),
                    _ => inst.signed('i'),
                };
                let address = match index {
                    Index::Register => {
                        let shift = if inst.f('s') == 1 { bytes.trailing_zeros() } else { 0 };
                        format!("{base} + ({} << {shift})", self.extended(rm, inst.f('e')))
                    }
                    Index::Post => base.clone(),
                    _ => displaced(&base, offset),
                };
                let _ = write!(self.text, "{{ u64 a = {address}; ");
                let access_bits = 8 * bytes;
                match (vector, opc) {
                    (true, 0 | 2) => self.store_vector(rd, bytes, "a"),
                    (true, _) => self.load_vector(rd, bytes, "a"),
                    (false, 0) => {
                        let value = self.x(rd);
                        let _ = write!(self.text, "fg_st{access_bits}(a, {value}); ");
                    }
                    (false, 1) => self.set(rd, true, &format!("fg_ld{access_bits}(a)")),
                    (false, 2) => self.set(rd, true, &format!("(u64)(s64)(s{access_bits})fg_ld{access_bits}(a)")),
                    (false, _) => self.set(rd, false, &format!("(s32)(s{access_bits})fg_ld{access_bits}(a)")),
                }
                match index {
                    Index::Pre => self.set_sp(rn, true, "a"),
                    Index::Post => self.set_sp(rn, true, &displaced("a", offset)),
                    _ => {}
                }
                self.put("} ");
            }
            Op::Pair(index, vector) => {
                let opc = inst.f('o');
                let load = inst.word >> 22 & 1 == 1;
                let bytes = if vector { 4u32 << opc } else { 4 << (opc >> 1) };
                let offset = inst.signed('i') * i64::from(bytes);
                let second = inst.ra();
                let base = self.xsp(rn);
                let address = if index == Index::Post { base } else { displaced(&base, offset) };
                let _ = write!(self.text, "{{ u64 a = {address}; ");
                let next = format!("a + {bytes}");
                for (r, at) in [(rd, "a"), (second, next.as_str())] {
                    let bits = 8 * bytes;
                    match (vector, load) {
                        (true, true) => self.load_vector(r, bytes, at),
                        (true, false) => self.store_vector(r, bytes, at),
                        (false, true) if opc == 1 => self.set(r, true, &format!("(u64)(s64)(s32)fg_ld32({at})")),
                        (false, true) => self.set(r, true, &format!("fg_ld{bits}({at})")),
                        (false, false) => {
                            let value = self.x(r);
                            let _ = write!(self.text, "fg_st{bits}({at}, {value}); ");
                        }
                    }
                }
                match index {
                    Index::Pre => self.set_sp(rn, true, "a"),
                    Index::Post => self.set_sp(rn, true, &displaced("a", offset)),
                    _ => {}
                }
                self.put("} ");
            }
            Op::LoadExclusive { .. } => {
                let a = self.xsp(rn);
                self.set(rd, true, &format!("fg_ldx{bits}(ctx, {a})"));
            }
            Op::StoreExclusive { .. } => {
                let (a, v) = (self.xsp(rn), self.x(rd));
                self.set(inst.f('s') as u8, true, &format!("fg_stx{bits}(ctx, {a}, {v})"));
            }
            Op::LoadExclusivePair { .. } => {
                let bits = 32 << (inst.f('z') & 1);
                let a = self.xsp(rn);
                let _ = write!(self.text, "{{ u64 lo, hi; fg_ldxp{bits}(ctx, {a}, &lo, &hi); ");
                self.set(rd, true, "lo");
                self.set(inst.ra(), true, "hi");
                self.put("} ");
            }
            Op::StoreExclusivePair { .. } => {
                let bits = 32 << (inst.f('z') & 1);
                let (a, lo, hi) = (self.xsp(rn), self.x(rd), self.x(inst.ra()));
                self.set(inst.f('s') as u8, true, &format!("fg_stxp{bits}(ctx, {a}, {lo}, {hi})"));
            }
            Op::LoadAcquire => {
                let a = self.xsp(rn);
                self.set(rd, true, &format!("fg_lda{bits}({a})"));
            }
            Op::StoreRelease => {
                let (a, v) = (self.xsp(rn), self.x(rd));
                let _ = write!(self.text, "fg_stl{bits}({a}, {v}); ");
            }
            Op::CompareSwap => {
                let s = inst.f('s') as u8;
                let (a, expected, v) = (self.xsp(rn), self.x(s), self.x(rd));
                self.set(s, true, &format!("fg_cas{bits}({a}, {expected}, {v})"));
            }
            Op::CompareSwapPair => {
                let s = inst.f('s') as u8;
                let a = self.xsp(rn);
                let (s0, s1, d0, d1) = (self.x(s), self.x(s + 1), self.x(rd), self.x(rd + 1));
                if inst.f('z') == 1 {
                    let _ = write!(
                        self.text,
                        "{{ u128 o = fg_cas128({a}, (u128){s1} << 64 | {s0}, (u128){d1} << 64 | {d0}); "
                    );
                    self.set(s, true, "(u64)o");
                    self.set(s + 1, true, "(u64)(o >> 64)");
                } else {
                    let _ =
                        write!(self.text, "{{ u64 o = fg_cas64({a}, {s1} << 32 | (u32){s0}, {d1} << 32 | (u32){d0}); ");
                    self.set(s, false, "o");
                    self.set(s + 1, true, "o >> 32");
                }
                self.put("} ");
            }
            Op::Atomic(kind) => {
                let stem = match kind {
                    Rmw::Add => "ldadd",
                    Rmw::Clr => "ldclr",
                    Rmw::Eor => "ldeor",
                    Rmw::Set => "ldset",
                    Rmw::SMax => "ldsmax",
                    Rmw::SMin => "ldsmin",
                    Rmw::UMax => "ldumax",
                    Rmw::UMin => "ldumin",
                    Rmw::Swap => "swp",
                };
                let (a, v) = (self.xsp(rn), self.x(inst.f('s') as u8));
                self.set(rd, true, &format!("fg_{stem}{bits}({a}, {v})"));
            }
            Op::Structure { regs, interleave, post } => self.structure(inst, regs, interleave, post),
            Op::StructureReplicate { post } => {
                let regs = (inst.f('o') << 1 | inst.f('r')) + 1;
                let bytes = bits / 8;
                let base = self.xsp(rn);
                let _ = write!(self.text, "{{ u64 a = {base}; ");
                for i in 0..regs {
                    let dup = format!("fg_dup_{bits}(fg_ld{bits}(a + {}))", i * bytes);
                    let value = if inst.f('q') == 1 { dup } else { format!("fg_lo({dup})") };
                    self.set_v((rd + i as u8) & 31, &value);
                }
                self.structure_writeback(inst, post, regs * bytes);
            }
            Op::StructureLane { post } => {
                let (o, z, s, q) = (inst.f('o'), inst.f('z'), inst.f('s'), inst.f('q'));
                let regs = ((o & 1) << 1 | inst.f('r')) + 1;
                let (bits, lane) = match o >> 1 {
                    0 => (8, q << 3 | s << 2 | z),
                    1 => (16, q << 2 | s << 1 | z >> 1),
                    _ if z == 0 => (32, q << 1 | s),
                    _ => (64, q),
                };
                let bytes = bits / 8;
                let base = self.xsp(rn);
                let _ = write!(self.text, "{{ u64 a = {base}; ");
                for i in 0..regs {
                    let r = (rd + i as u8) & 31;
                    let old = self.v(r);
                    let at = i * bytes;
                    if inst.f('l') == 1 {
                        let _ = write!(
                            self.text,
                            "{{ u{bits}v t = (u{bits}v){old}; t[{lane}] = (u{bits})fg_ld{bits}(a + {at}); "
                        );
                        self.set_v(r, "(v128)t");
                        self.put("} ");
                    } else {
                        let _ = write!(self.text, "fg_st{bits}(a + {at}, ((u{bits}v){old})[{lane}]); ");
                    }
                }
                self.structure_writeback(inst, post, regs * bytes);
            }
            _ => {}
        }
    }

    fn structure(&mut self, inst: &Inst, regs: u8, interleave: u8, post: bool) {
        let (rd, rn) = (inst.rd(), inst.rn());
        let bytes: u32 = if inst.f('q') == 1 { 16 } else { 8 };
        let load = inst.f('l') == 1;
        let base = self.xsp(rn);
        let _ = write!(self.text, "{{ u64 a = {base}; ");
        if interleave == 1 {
            for i in 0..regs {
                let r = (rd + i) & 31;
                let at = format!("a + {}", u32::from(i) * bytes);
                if load { self.load_vector(r, bytes, &at) } else { self.store_vector(r, bytes, &at) }
            }
        } else {
            let bits = 8u32 << inst.f('z');
            let lanes = 8 * bytes / bits;
            for i in 0..regs {
                let r = (rd + i) & 31;
                let address = |lane: u32| (lane * u32::from(regs) + u32::from(i)) * bits / 8;
                if load {
                    let _ = write!(self.text, "{{ u{bits}v t = {{}}; ");
                    for lane in 0..lanes {
                        let _ = write!(self.text, "t[{lane}] = (u{bits})fg_ld{bits}(a + {}); ", address(lane));
                    }
                    self.set_v(r, "(v128)t");
                    self.put("} ");
                } else {
                    let v = self.v(r);
                    for lane in 0..lanes {
                        let _ = write!(self.text, "fg_st{bits}(a + {}, ((u{bits}v){v})[{lane}]); ", address(lane));
                    }
                }
            }
        }
        self.structure_writeback(inst, post, u32::from(regs) * bytes);
    }

    fn structure_writeback(&mut self, inst: &Inst, post: bool, bytes: u32) {
        if post {
            let step = if inst.rm() == 31 { format!("{bytes}ull") } else { self.x(inst.rm()) };
            self.set_sp(inst.rn(), true, &format!("a + {step}"));
        }
        self.put("} ");
    }

    fn load_vector(&mut self, r: u8, bytes: u32, address: &str) {
        let bits = 8 * bytes;
        let value =
            if bytes == 16 { format!("fg_ld128({address})") } else { format!("(v128){{fg_ld{bits}({address}), 0}}") };
        self.set_v(r, &value);
    }

    fn store_vector(&mut self, r: u8, bytes: u32, address: &str) {
        let v = self.v(r);
        let lane = if bytes == 16 { "" } else { "[0]" };
        let _ = write!(self.text, "fg_st{}({address}, {v}{lane}); ", 8 * bytes);
    }
}

impl Statements {
    /// Masks `value` to what a form with this many destination bytes writes.
    fn masked(bytes: u32, value: &str) -> String {
        match bytes {
            16 => value.to_owned(),
            8 => format!("fg_lo({value})"),
            n => format!("fg_low{}({value})", 8 * n),
        }
    }

    #[allow(clippy::too_many_lines)]
    fn vector(&mut self, inst: &Inst) -> bool {
        let (rd, rn, rm) = (inst.rd(), inst.rn(), inst.rm());
        let bits = 8u32 << inst.f('z');
        let q = inst.f('q') == 1;
        let scalar = !inst.has('q');
        match inst.op() {
            Op::V3(stem, sizes, mode) => {
                let bits = if inst.has('z') { bits } else { 8 << sizes.trailing_zeros() };
                let (n, m) = (self.v(rn), self.v(rm));
                self.combine(rd, &format!("fg_{stem}_{bits}"), mode, inst.vector_bytes(bits), &[n, m]);
            }
            Op::VLogic(stem, mode) => {
                let (n, m) = (self.v(rn), self.v(rm));
                self.combine(rd, &format!("fg_{stem}"), mode, if q { 16 } else { 8 }, &[n, m]);
            }
            Op::V2(stem, sizes, mode) => {
                let bits = if inst.has('z') { bits } else { 8 << sizes.trailing_zeros() };
                let n = self.v(rn);
                self.combine(rd, &format!("fg_{stem}_{bits}"), mode, inst.vector_bytes(bits), &[n]);
            }
            Op::VPair(stem, _) => {
                let (n, m) = self.pair_operands(rn, rm, q);
                let value = format!("fg_{stem}_{bits}(fg_uzp1_{bits}({n}, {m}), fg_uzp2_{bits}({n}, {m}))");
                self.set_v(rd, &Self::masked(if q { 16 } else { 8 }, &value));
            }
            Op::FPair(stem) => {
                let bits = 32 << inst.f('z');
                let (n, m) = self.pair_operands(rn, rm, q);
                let value = format!("fg_v_{stem}_{bits}(ctx, fg_uzp1_{bits}({n}, {m}), fg_uzp2_{bits}({n}, {m}))");
                self.set_v(rd, &Self::masked(if q { 16 } else { 8 }, &value));
            }
            Op::F3(stem, mode) => {
                let bits = 32 << inst.f('z');
                let bytes = inst.vector_bytes(bits);
                let (n, m) = (self.v(rn), self.v(rm));
                self.float3(rd, stem, bits, mode, bytes, &n, &m);
            }
            Op::FElement(stem, mode) => {
                let bits = 32 << inst.f('z');
                let lane = if bits == 32 { inst.f('h') << 1 | inst.f('l') } else { inst.f('h') };
                let (n, m) = (self.v(rn), self.v(rm));
                let m = format!("fg_dup_{bits}(((u{bits}v){m})[{lane}])");
                self.float3(rd, stem, bits, mode, inst.vector_bytes(bits), &n, &m);
            }
            Op::F2(stem) => {
                let bits = 32 << inst.f('z');
                let bytes = inst.vector_bytes(bits);
                let n = self.v(rn);
                let value = match stem {
                    "scvtf" if scalar && bits == 32 => format!("fg_vs((f32)(s32){n}[0])"),
                    "ucvtf" if scalar && bits == 32 => format!("fg_vs(fg_u32_f32((u32){n}[0]))"),
                    "scvtf" if scalar => format!("fg_vd((f64)(s64){n}[0])"),
                    "ucvtf" if scalar => format!("fg_vd(fg_u64_f64({n}[0]))"),
                    "fcvtzs" | "fcvtzu" if scalar => {
                        let get = if bits == 64 { "fg_gd" } else { "fg_gs" };
                        let s = if stem == "fcvtzs" { 's' } else { 'u' };
                        format!("(v128){{fg_sat_{s}{bits}_{bits}({get}({n})), 0}}")
                    }
                    "frecpx" if bits == 32 => format!("fg_vs(fg_frecpx32(ctx, fg_gs({n})))"),
                    "frecpx" => format!("fg_vd(fg_frecpx64(ctx, fg_gd({n})))"),
                    _ => Self::masked(bytes, &format!("fg_v_{stem}_{bits}(ctx, {})", Self::masked(bytes, &n))),
                };
                self.set_v(rd, &value);
            }
            Op::VLong(stem, _, mode) => {
                let (n, m) = (self.v(rn), self.v(rm));
                let half = |v: String| if q { format!("fg_hi({v})") } else { v };
                let operands = if scalar {
                    [format!("fg_low{bits}({n})"), format!("fg_low{bits}({m})")]
                } else {
                    [half(n), half(m)]
                };
                self.combine(rd, &format!("fg_{stem}_{bits}"), mode, if scalar { bits / 4 } else { 16 }, &operands);
            }
            Op::VElementLong(stem, mode) => {
                let (m, bits) = self.element(inst);
                let n = self.v(rn);
                let n = if scalar {
                    format!("fg_low{bits}({n})")
                } else if q {
                    format!("fg_hi({n})")
                } else {
                    n
                };
                self.combine(rd, &format!("fg_{stem}_{bits}"), mode, if scalar { bits / 4 } else { 16 }, &[n, m]);
            }
            Op::VElement(stem, mode) => {
                let (m, bits) = self.element(inst);
                let n = self.v(rn);
                self.combine(rd, &format!("fg_{stem}_{bits}"), mode, inst.vector_bytes(bits), &[n, m]);
            }
            Op::VWide(stem, _) => {
                let (n, m) = (self.v(rn), self.v(rm));
                let m = if q { format!("fg_hi({m})") } else { m };
                self.set_v(rd, &format!("fg_{stem}_{bits}({n}, {m})"));
            }
            Op::VNarrow3(stem, _) => {
                let (n, m) = (self.v(rn), self.v(rm));
                self.narrowed(rd, q, &format!("fg_{stem}_{bits}({n}, {m})"));
            }
            Op::VNarrow2(stem, _, mode) => {
                let n = self.v(rn);
                let context = if mode.saturates() { "ctx, " } else { "" };
                if scalar {
                    let value = format!("fg_{stem}_{bits}({context}fg_low{}({n}))", 2 * bits);
                    self.set_v(rd, &Self::masked(bits / 8, &value));
                } else {
                    self.narrowed(rd, q, &format!("fg_{stem}_{bits}({context}{n})"));
                }
            }
            Op::VShrNarrow(stem, mode) => {
                let (bits, raw) = inst.shift_element();
                let n = self.v(rn);
                let context = if mode.saturates() { "ctx, " } else { "" };
                let shift = 2 * bits - raw;
                if scalar {
                    let value = format!("fg_{stem}_{bits}({context}fg_low{}({n}), {shift})", 2 * bits);
                    self.set_v(rd, &Self::masked(bits / 8, &value));
                } else {
                    self.narrowed(rd, q, &format!("fg_{stem}_{bits}({context}{n}, {shift})"));
                }
            }
            Op::FNarrow(stem) => {
                let bits = if inst.has('z') { 16 << inst.f('z') } else { 32 };
                let n = self.v(rn);
                if scalar {
                    self.set_v(rd, &format!("fg_low32(fg_v_{stem}_32(ctx, fg_lo({n})))"));
                } else {
                    self.narrowed(rd, q, &format!("fg_v_{stem}_{bits}(ctx, {n})"));
                }
            }
            Op::FLong => {
                let n = self.v(rn);
                let n = if q { format!("fg_hi({n})") } else { n };
                self.set_v(rd, &format!("fg_v_fcvtl_{}(ctx, {n})", 16 << inst.f('z')));
            }
            Op::VShll => {
                let n = self.v(rn);
                let n = if q { format!("fg_hi({n})") } else { n };
                self.set_v(rd, &format!("fg_ushll_{bits}({n}, {bits})"));
            }
            Op::VShiftLong(stem) => {
                let (bits, raw) = inst.shift_element();
                let n = self.v(rn);
                let n = if q { format!("fg_hi({n})") } else { n };
                self.set_v(rd, &format!("fg_{stem}_{bits}({n}, {})", raw - bits));
            }
            Op::VShr(stem, _, mode) => {
                let (bits, raw) = inst.shift_element();
                let n = self.v(rn);
                self.combine(
                    rd,
                    &format!("fg_{stem}_{bits}"),
                    mode,
                    inst.vector_bytes(bits),
                    &[n, format!("{}", 2 * bits - raw)],
                );
            }
            Op::VShl(stem, _, mode) => {
                let (bits, raw) = inst.shift_element();
                let n = self.v(rn);
                self.combine(
                    rd,
                    &format!("fg_{stem}_{bits}"),
                    mode,
                    inst.vector_bytes(bits),
                    &[n, format!("{}", raw - bits)],
                );
            }
            Op::FFixed(stem) => {
                let (bits, raw) = inst.shift_element();
                let bytes = inst.vector_bytes(bits);
                let n = self.v(rn);
                let value = format!("fg_v_{stem}_{bits}(ctx, {}, {})", Self::masked(bytes, &n), 2 * bits - raw);
                self.set_v(rd, &Self::masked(bytes, &value));
            }
            Op::VAcross(stem, _, _) => {
                let lanes = if q { 128 } else { 64 } / bits;
                let n = self.v(rn);
                self.set_v(rd, &format!("fg_{stem}_{bits}({n}, {lanes})"));
            }
            Op::FAcross(stem) => {
                let n = self.v(rn);
                let f = format!("fg_{stem}32(ctx, ");
                let lane = |i: u32| format!("((f32v){n})[{i}]");
                let value = format!("{f}{f}{}, {}), {f}{}, {}))", lane(0), lane(1), lane(2), lane(3));
                self.set_v(rd, &format!("fg_vs({value})"));
            }
            Op::AddPairScalar => {
                let n = self.v(rn);
                self.set_v(rd, &format!("(v128){{{n}[0] + {n}[1], 0}}"));
            }
            Op::FPairScalar(stem) => {
                let double = inst.f('z') == 1;
                let (bits, t) = if double { (64, "f64v") } else { (32, "f32v") };
                let n = self.v(rn);
                self.set_fp(rd, double, &format!("fg_{stem}{bits}(ctx, (({t}){n})[0], (({t}){n})[1])"));
            }
            Op::DupElement | Op::DupScalar => {
                let (bits, lane) = lane_of(inst.f('i'));
                let n = self.v(rn);
                let element = format!("((u{bits}v){n})[{lane}]");
                if scalar {
                    self.set_v(rd, &format!("(v128){{{element}, 0}}"));
                } else {
                    self.set_v(rd, &Self::masked(if q { 16 } else { 8 }, &format!("fg_dup_{bits}({element})")));
                }
            }
            Op::DupGeneral => {
                let (bits, _) = lane_of(inst.f('i'));
                let n = self.x(rn);
                self.set_v(rd, &Self::masked(if q { 16 } else { 8 }, &format!("fg_dup_{bits}({n})")));
            }
            Op::MoveToGpr { signed } => {
                let (bits, lane) = lane_of(inst.f('i'));
                let n = self.v(rn);
                if signed {
                    self.set(rd, q, &format!("(u64)(s64)((s{bits}v){n})[{lane}]"));
                } else {
                    self.set(rd, true, &format!("(u64)((u{bits}v){n})[{lane}]"));
                }
            }
            Op::InsGeneral => {
                let (bits, lane) = lane_of(inst.f('i'));
                let (n, d) = (self.x(rn), self.v(rd));
                let _ = write!(self.text, "{{ u{bits}v t = (u{bits}v){d}; t[{lane}] = (u{bits}){n}; ");
                self.set_v(rd, "(v128)t");
                self.put("} ");
            }
            Op::InsElement => {
                let (bits, lane) = lane_of(inst.f('i'));
                let source = inst.f('j') >> (bits / 8).trailing_zeros();
                let (n, d) = (self.v(rn), self.v(rd));
                let _ = write!(self.text, "{{ u{bits}v t = (u{bits}v){d}; t[{lane}] = ((u{bits}v){n})[{source}]; ");
                self.set_v(rd, "(v128)t");
                self.put("} ");
            }
            Op::VecImm => {
                let imm = inst.vector_immediate();
                let (cmode, op) = (inst.f('c'), inst.f('o'));
                let both =
                    |v: u64| format!("(v128){{{v:#x}ull, {}}}", if q { format!("{v:#x}ull") } else { "0".into() });
                if cmode < 12 && cmode & 1 == 1 {
                    let d = self.v(rd);
                    let value = if op == 0 { format!("{d} | {}", both(imm)) } else { format!("{d} & {}", both(!imm)) };
                    self.set_v(rd, &Self::masked(if q { 16 } else { 8 }, &format!("({value})")));
                } else {
                    self.set_v(rd, &both(if op == 1 && cmode < 14 { !imm } else { imm }));
                }
            }
            Op::Permute(stem) => {
                let (n, m) = (self.v(rn), self.v(rm));
                let value = match (q, stem) {
                    (true, _) => format!("fg_{stem}_{bits}({n}, {m})"),
                    (false, "zip2") => format!("fg_hi(fg_zip1_{bits}({n}, {m}))"),
                    (false, "uzp1" | "uzp2") => format!("fg_lo(fg_{stem}_{bits}(fg_cat({n}, {m}), fg_cat({n}, {m})))"),
                    (false, _) => format!("fg_lo(fg_{stem}_{bits}({n}, {m}))"),
                };
                self.set_v(rd, &value);
            }
            Op::Ext => {
                let (n, m) = (self.v(rn), self.v(rm));
                let name = if q { "fg_ext" } else { "fg_ext_half" };
                self.set_v(rd, &format!("{name}({n}, {m}, {})", inst.f('i')));
            }
            Op::Table { extend } => {
                let regs = inst.f('l') + 1;
                let d = if extend { self.v(rd) } else { "(v128){}".into() };
                let m = self.v(rm);
                let tables: Vec<String> = (0..4u8)
                    .map(|i| if u32::from(i) < regs { self.v((rn + i) & 31) } else { "(v128){}".into() })
                    .collect();
                let value = format!("fg_tbl({d}, {}, {regs}, {m}, {})", tables.join(", "), u8::from(extend));
                self.set_v(rd, &Self::masked(if q { 16 } else { 8 }, &value));
            }
            Op::Crypto2(stem, mode) => {
                let n = self.v(rn);
                self.combine(rd, &format!("fg_{stem}"), mode, 16, &[n]);
            }
            Op::Crypto3(stem) => {
                let (d, n, m) = (self.v(rd), self.v(rn), self.v(rm));
                self.set_v(rd, &format!("fg_{stem}({d}, {n}, {m})"));
            }
            _ => return false,
        }
        true
    }

    /// vd = `function([ctx,] [vd,] operands)`, masked; saturating forms get masked operands, so that lanes outside the form set no flag.
    fn combine(&mut self, rd: u8, function: &str, mode: Mode, bytes: u32, operands: &[String]) {
        let mut arguments = Vec::new();
        if mode.saturates() {
            arguments.push("ctx".to_owned());
        }
        if mode.accumulates() {
            arguments.push(self.v(rd));
        }
        arguments.extend(operands.iter().cloned());
        if mode.saturates() {
            for argument in &mut arguments {
                if argument != "ctx" && argument.parse::<u32>().is_err() {
                    *argument = Self::masked(bytes, argument);
                }
            }
        }
        let value = format!("{function}({})", arguments.join(", "));
        self.set_v(rd, &Self::masked(bytes, &value));
    }

    #[allow(clippy::too_many_arguments)]
    fn float3(&mut self, rd: u8, stem: &str, bits: u32, mode: Mode, bytes: u32, n: &str, m: &str) {
        let mut arguments = vec!["ctx".to_owned()];
        if mode.accumulates() {
            let d = self.v(rd);
            arguments.push(Self::masked(bytes, &d));
        }
        arguments.push(Self::masked(bytes, n));
        // Lanes outside the form divide by one.
        arguments.push(match (stem, bytes) {
            ("fdiv", 8) => format!("(v128){{{m}[0], 0x3F8000003F800000ull}}"),
            _ => Self::masked(bytes, m),
        });
        let value = format!("fg_v_{stem}_{bits}({})", arguments.join(", "));
        self.set_v(rd, &Self::masked(bytes, &value));
    }

    fn pair_operands(&mut self, rn: u8, rm: u8, q: bool) -> (String, String) {
        let (n, m) = (self.v(rn), self.v(rm));
        if q {
            (n, m)
        } else {
            let both = format!("fg_cat({n}, {m})");
            (both.clone(), both)
        }
    }

    /// The replicated element of a by-element form, and its size.
    fn element(&mut self, inst: &Inst) -> (String, u32) {
        let (bits, lane, r) = if inst.f('z') == 1 {
            (16, inst.f('h') << 2 | inst.f('l') << 1 | inst.f('m') >> 4, (inst.f('m') & 15) as u8)
        } else {
            (32, inst.f('h') << 1 | inst.f('l'), inst.rm())
        };
        let m = self.v(r);
        (format!("fg_dup_{bits}(((u{bits}v){m})[{lane}])"), bits)
    }

    fn narrowed(&mut self, rd: u8, high: bool, value: &str) {
        if high {
            let d = self.v(rd);
            self.set_v(rd, &format!("fg_put_hi({d}, {value})"));
        } else {
            self.set_v(rd, value);
        }
    }
}

/// Conversion of a general register to floating point.
fn int_to_fp(x: &str, signed: bool, bits: u32, fp_bits: u32) -> String {
    if signed { format!("(f{fp_bits})(s{bits}){x}") } else { format!("fg_u{bits}_f{fp_bits}((u{bits}){x})") }
}

fn operator(logic: Logic) -> char {
    match logic {
        Logic::And => '&',
        Logic::Orr => '|',
        Logic::Eor => '^',
    }
}

fn displaced(base: &str, offset: i64) -> String {
    match offset {
        0 => base.to_owned(),
        o if o < 0 => format!("{base} - {}ull", o.unsigned_abs()),
        o => format!("{base} + {o}ull"),
    }
}

/// Element size in bits and lane number of the imm5 of the copy forms.
fn lane_of(imm5: u32) -> (u32, u32) {
    let size = imm5.trailing_zeros();
    (8 << size, imm5 >> (size + 1))
}
