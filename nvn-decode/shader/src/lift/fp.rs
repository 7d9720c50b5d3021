//! Floating point: arithmetic, compares, special functions, conversions, doubles.

use super::{Immediate, Lifter};
use crate::ShaderError;
use crate::ir::{Compare, Op, Value};
use crate::isa::{self, Field, Instruction};
use crate::ssa::Variable;

impl Lifter<'_> {
    fn fa(&mut self, i: &Instruction) -> Value {
        let a = self.source_a(i);
        self.modified(a, i.flag(Field::AbsA), i.flag(Field::NegA))
    }

    fn fb(&mut self, i: &Instruction) -> Value {
        let b = self.source_b(i, Immediate::F32);
        self.modified(b, i.flag(Field::AbsB), i.flag(Field::NegB))
    }

    /// Result of a float operation: saturation, flags, destination.
    fn set_float(&mut self, i: &Instruction, value: Value) {
        let value = if i.flag(Field::Sat) { self.push(Op::FSaturate, &[value]) } else { value };
        if i.flag(Field::Cc) {
            let zero = self.constant(0);
            let is_zero = self.push(Op::FCompare(2), &[value, zero]);
            let negative = self.push(Op::FCompare(1), &[value, zero]);
            let nan = self.push(Op::FCompare(8), &[value, zero]);
            let z = self.or(is_zero, nan);
            let s = self.or(negative, nan);
            self.set_flag(Variable::ZERO, z);
            self.set_flag(Variable::SIGN, s);
        }
        self.set_register(i.get(Field::D), value);
    }

    pub(super) fn fadd(&mut self, i: &Instruction) {
        let (a, b) = (self.fa(i), self.fb(i));
        // x + -0 is x; compilers use it to apply a saturation or a sign.
        let value = if self.ir.constant(b) == Some(0x8000_0000) {
            a
        } else if self.ir.constant(a) == Some(0x8000_0000) {
            b
        } else {
            self.push(Op::FAdd, &[a, b])
        };
        self.set_float(i, value);
    }

    pub(super) fn either_zero(&mut self, a: Value, b: Value) -> Value {
        let zero = self.constant(0);
        let x = self.push(Op::FCompare(2), &[a, zero]);
        let y = self.push(Op::FCompare(2), &[b, zero]);
        self.or(x, y)
    }

    pub(super) fn fmul(&mut self, i: &Instruction) {
        let mut a = self.source_a(i);
        let mut b = self.source_b(i, Immediate::F32);
        if i.flag(Field::NegB) {
            b = self.fneg(b);
        }
        let scale = match i.get(Field::Scale) {
            1 => 0.5,
            2 => 0.25,
            3 => 0.125,
            4 => 8.0,
            5 => 4.0,
            6 => 2.0,
            _ => 1.0,
        };
        if scale != 1.0 {
            let scale = self.float(scale);
            a = self.push(Op::FMul, &[a, scale]);
        }
        let mut value = self.push(Op::FMul, &[a, b]);
        if i.get(Field::Fmz) == 2 {
            let any = self.either_zero(a, b);
            let zero = self.constant(0);
            value = self.select(any, zero, value);
        }
        self.set_float(i, value);
    }

    pub(super) fn ffma(&mut self, i: &Instruction) {
        let mut a = self.source_a(i);
        let mut b = self.source_b(i, Immediate::F32);
        let mut c = self.source_c(i);
        if i.flag(Field::NegA) {
            a = self.fneg(a);
        }
        if i.flag(Field::NegB) {
            b = self.fneg(b);
        }
        if i.flag(Field::NegC) {
            c = self.fneg(c);
        }
        let mut value = self.push(Op::FFma, &[a, b, c]);
        if i.get(Field::Fmz) == 2 {
            let any = self.either_zero(a, b);
            value = self.select(any, c, value);
        }
        self.set_float(i, value);
    }

    pub(super) fn fmnmx(&mut self, i: &Instruction) {
        let (a, b) = (self.fa(i), self.fb(i));
        let least = self.source_predicate(i);
        let value = match self.ir.truth(least) {
            Some(true) => self.push(Op::FMin, &[a, b]),
            Some(false) => self.push(Op::FMax, &[a, b]),
            None => {
                let min = self.push(Op::FMin, &[a, b]);
                let max = self.push(Op::FMax, &[a, b]);
                self.select(least, min, max)
            }
        };
        self.set_float(i, value);
    }

    pub(super) fn float_compare(&mut self, kind: u32, a: Value, b: Value) -> Value {
        match kind {
            0 => self.truth(false),
            15 => self.truth(true),
            _ => self.push(Op::FCompare(kind as u8), &[a, b]),
        }
    }

    /// FSET (register mask or 1.0), FSETP (predicates) and FCMP (selection by comparing c with 0).
    pub(super) fn fset(&mut self, i: &Instruction) {
        let kind = i.get(Field::Cmp);
        if i.op() == isa::Op::Fcmp {
            let a = self.source_a(i);
            let b = self.source_b(i, Immediate::F32);
            let c = self.source_c(i);
            let zero = self.constant(0);
            let truth = self.float_compare(kind, c, zero);
            let value = self.select(truth, a, b);
            self.set_register(i.get(Field::D), value);
            return;
        }
        let (a, b) = (self.fa(i), self.fb(i));
        let truth = self.float_compare(kind, a, b);
        self.set_compare(i, truth);
    }

    /// Result of a compare: predicates for the P forms, a mask or 1.0 otherwise.
    pub(super) fn set_compare(&mut self, i: &Instruction, truth: Value) {
        let source = self.source_predicate(i);
        let result = self.combine(i.get(Field::Bop), truth, source);
        if i.has(Field::Pd) {
            // The second predicate takes the complement of the compare, not of the first predicate.
            let inverse = self.not(truth);
            let other = self.combine(i.get(Field::Bop), inverse, source);
            self.set_predicate(i.get(Field::Pd), result);
            self.set_predicate(i.get(Field::Pq), other);
        } else {
            self.set_mask(i, result);
        }
    }

    pub(super) fn set_mask(&mut self, i: &Instruction, truth: Value) {
        let yes = if i.flag(Field::Bf) { self.float(1.0) } else { self.constant(u32::MAX) };
        let no = self.constant(0);
        let value = self.select(truth, yes, no);
        self.set_result(i, value);
    }

    pub(super) fn mufu(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let a = self.fa(i);
        let value = match i.get(Field::Op) {
            0 => self.push(Op::FCos, &[a]),
            1 => self.push(Op::FSin, &[a]),
            2 => self.push(Op::FExp2, &[a]),
            3 => self.push(Op::FLog2, &[a]),
            4 => self.push(Op::FRcp, &[a]),
            5 => self.push(Op::FRsq, &[a]),
            8 => self.push(Op::FSqrt, &[a]),
            // The high word of a double's reciprocal (square root); the code refines it.
            op @ (6 | 7) => {
                let zero = self.constant(0);
                let high = self.source_a(i);
                let double = self.push(Op::Pack64, &[zero, high]);
                let double = self.double_modified(double, i.flag(Field::AbsA), i.flag(Field::NegA));
                let seed = self.push(if op == 6 { Op::DRcp } else { Op::DRsq }, &[double]);
                let word = self.push(Op::Unpack64(1), &[seed]);
                self.set_register(i.get(Field::D), word);
                return Ok(());
            }
            _ => return Err(self.unsupported(i, "no such special function")),
        };
        self.set_float(i, value);
        Ok(())
    }

    /// Range reduction is a move here; the functions take their plain argument.
    pub(super) fn rro(&mut self, i: &Instruction) {
        let b = self.fb(i);
        self.set_register(i.get(Field::D), b);
    }

    /// Quad-swizzled add: a derivative where the shuffle and the sign pattern say so, sign selects otherwise.
    pub(super) fn fswzadd(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let a = self.source_a(i);
        let b = self.source_b(i, Immediate::F32);
        let pattern = i.get(Field::Pn);
        if let Op::Shuffle = self.ir.op(a)
            && let [source, lane] = *self.ir.args(a)
            && source == b
            && let Op::Xor = self.ir.op(lane)
            && let [own, mask] = *self.ir.args(lane)
            && matches!(self.ir.op(own), Op::Builtin(crate::ir::Builtin::SubgroupLane))
            && self.program.stage == crate::header::Stage::Fragment
        {
            let derivative = match (self.ir.constant(mask), pattern) {
                (Some(1), 0x99) => Some(Op::FDx),
                (Some(2), 0xA5) => Some(Op::FDy),
                _ => None,
            };
            if let Some(op) = derivative {
                let value = self.push(op, &[b]);
                self.set_float(i, value);
                return Ok(());
            }
        }
        // Two bits per lane of the quad, lane 0 in the top pair: 0 a+b, 1 b-a, 2 a-b, 3 b.
        let lane = self.lane();
        let three = self.constant(3);
        let lane = self.bits_and(lane, three);
        let shift = self.shl(lane, 1);
        let six = self.constant(6);
        let shift = self.sub(six, shift);
        let pattern = self.constant(pattern);
        let kind = self.push(Op::Shr, &[pattern, shift]);
        let kind = self.bits_and(kind, three);
        let not_a = self.fneg(a);
        let not_b = self.fneg(b);
        let sum = self.push(Op::FAdd, &[a, b]);
        let right = self.push(Op::FAdd, &[b, not_a]);
        let left = self.push(Op::FAdd, &[a, not_b]);
        let mut value = b;
        for (index, result) in [(2, left), (1, right), (0, sum)] {
            let index = self.constant(index);
            let hit = self.compare(Compare::Eq, false, kind, index);
            value = self.select(hit, result, value);
        }
        self.set_float(i, value);
        Ok(())
    }

    fn double_source(&mut self, i: &Instruction, field: Field, constant: bool) -> Value {
        let (low, high) = if !constant && i.has(field) {
            let base = i.get(field);
            (self.register_at(base, 0), self.register_at(base, 1))
        } else if i.has(Field::CSlot) {
            let at = i.get(Field::COff) * 4;
            (self.uniform(i.get(Field::CSlot), at), self.uniform(i.get(Field::CSlot), at + 4))
        } else {
            let high = self.source_b(i, Immediate::F64);
            (self.constant(0), high)
        };
        self.push(Op::Pack64, &[low, high])
    }

    fn double_modified(&mut self, value: Value, absolute: bool, negative: bool) -> Value {
        let value = if absolute { self.push(Op::DAbs, &[value]) } else { value };
        if negative { self.push(Op::DNeg, &[value]) } else { value }
    }

    fn set_double(&mut self, i: &Instruction, value: Value) {
        let low = self.push(Op::Unpack64(0), &[value]);
        let high = self.push(Op::Unpack64(1), &[value]);
        let d = i.get(Field::D);
        self.set_register(d, low);
        if d < 254 {
            self.set_register(d + 1, high);
        }
    }

    pub(super) fn double(&mut self, i: &Instruction) {
        use isa::Op as M;
        let a = self.double_source(i, Field::A, false);
        let b = self.double_source(i, Field::B, false);
        let a = self.double_modified(a, i.flag(Field::AbsA), i.flag(Field::NegA));
        let b = self.double_modified(b, i.flag(Field::AbsB), i.flag(Field::NegB));
        match i.op() {
            M::Dadd => {
                let value = self.push(Op::DAdd, &[a, b]);
                self.set_double(i, value);
            }
            M::Dmul => {
                let value = self.push(Op::DMul, &[a, b]);
                self.set_double(i, value);
            }
            M::Dfma => {
                let c = self.double_source(i, Field::C, !i.has(Field::C));
                let c = self.double_modified(c, false, i.flag(Field::NegC));
                let value = self.push(Op::DFma, &[a, b, c]);
                self.set_double(i, value);
            }
            M::Dmnmx => {
                let least = self.source_predicate(i);
                let min = self.push(Op::DMin, &[a, b]);
                let max = self.push(Op::DMax, &[a, b]);
                let choose = |l: &mut Self, word| {
                    let x = l.push(Op::Unpack64(word), &[min]);
                    let y = l.push(Op::Unpack64(word), &[max]);
                    l.select(least, x, y)
                };
                let (low, high) = (choose(self, 0), choose(self, 1));
                let d = i.get(Field::D);
                self.set_register(d, low);
                if d < 254 {
                    self.set_register(d + 1, high);
                }
            }
            _ => {
                let kind = i.get(Field::Cmp);
                let truth = match kind {
                    0 => self.truth(false),
                    15 => self.truth(true),
                    _ => self.push(Op::DCompare(kind as u8), &[a, b]),
                };
                self.set_compare(i, truth);
            }
        }
    }

    /// The float source of a conversion as a 32-bit float (or a double for `f64` sources).
    fn conversion_source(&mut self, i: &Instruction) -> (Value, bool) {
        match i.get(Field::Sfmt) {
            3 => {
                let b = self.double_source(i, Field::B, false);
                (self.double_modified(b, i.flag(Field::AbsB), i.flag(Field::NegB)), true)
            }
            1 => {
                let b = self.source_b(i, Immediate::Int);
                let b = if i.flag(Field::H1) { self.shr(b, 16) } else { b };
                let b = self.push(Op::HalfToFloat, &[b]);
                (self.modified(b, i.flag(Field::AbsB), i.flag(Field::NegB)), false)
            }
            _ => (self.fb(i), false),
        }
    }

    pub(super) fn f2f(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let (source, double) = self.conversion_source(i);
        let to = i.get(Field::Dfmt);
        let mut value = source;
        if double {
            if to == 3 {
                if i.flag(Field::ToInt) {
                    value = self.push(Op::DRound(i.get(Field::Rnd) as u8 & 3), &[value]);
                }
                self.set_double(i, value);
                return Ok(());
            }
            value = self.push(Op::DoubleToFloat, &[value]);
        }
        // Bit 42 rounds to an integral value; without it the rounding field is that of the narrowing.
        if i.flag(Field::ToInt) {
            let op = [Op::FRound, Op::FFloor, Op::FCeil, Op::FTrunc][i.get(Field::Rnd) as usize & 3].clone();
            value = self.push(op, &[value]);
        }
        match to {
            1 => {
                if i.flag(Field::Sat) {
                    value = self.push(Op::FSaturate, &[value]);
                }
                value = self.push(Op::FloatToHalf, &[value]);
                self.set_register(i.get(Field::D), value);
            }
            3 => {
                if i.flag(Field::Sat) {
                    value = self.push(Op::FSaturate, &[value]);
                }
                value = self.push(Op::FloatToDouble, &[value]);
                self.set_double(i, value);
            }
            _ => self.set_float(i, value),
        }
        Ok(())
    }

    /// Float to integer: round, clamp to the destination's range, NaN gives 0.
    pub(super) fn f2i(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let (source, double) = self.conversion_source(i);
        let to = i.get(Field::Dfmt);
        let signed = to >= 4;
        if matches!(to & 3, 0 | 3) {
            return Err(self.unsupported(i, "64-bit integer destinations"));
        }
        if double {
            let value = self.push(Op::DoubleToInt { signed }, &[source]);
            self.set_register(i.get(Field::D), value);
            return Ok(());
        }
        let op = [Op::FRound, Op::FFloor, Op::FCeil, Op::FTrunc][i.get(Field::Rnd) as usize & 3].clone();
        let rounded = self.push(op, &[source]);
        let wide = to & 3 == 2;
        // The highest float below 2^31 and 2^32; values from the bound up are patched afterwards.
        let (low, high, bound, top) = match (signed, wide) {
            (true, true) => (-2_147_483_648.0, 2_147_483_520.0, 2_147_483_648.0, 0x7FFF_FFFF),
            (false, true) => (0.0, 4_294_967_040.0, 4_294_967_296.0, u32::MAX),
            (true, false) => (-32768.0, 32767.0, 0.0, 0),
            (false, false) => (0.0, 65535.0, 0.0, 0),
        };
        let low = self.float(low);
        let high = self.float(high);
        let clamped = self.push(Op::FMax, &[rounded, low]);
        let clamped = self.push(Op::FMin, &[clamped, high]);
        let mut value = self.push(Op::FloatToInt { signed }, &[clamped]);
        if wide {
            let bound = self.float(bound);
            let over = self.push(Op::FCompare(6), &[rounded, bound]);
            let top = self.constant(top);
            value = self.select(over, top, value);
        }
        if signed {
            let zero = self.constant(0);
            let nan = self.push(Op::FCompare(8), &[rounded, rounded]);
            value = self.select(nan, zero, value);
        }
        self.set_result(i, value);
        Ok(())
    }

    /// Integer source of a conversion: part select, extension, absolute value and negation.
    fn integer_source(&mut self, i: &Instruction, format: u32) -> Value {
        let b = self.source_b(i, Immediate::Int);
        let signed = format >= 4;
        let at = i.get(Field::Sel) * 8;
        let b = match format & 3 {
            0 => self.field(b, at, 8, signed),
            1 => self.field(b, at.min(16), 16, signed),
            _ => b,
        };
        let b = if i.flag(Field::AbsB) {
            let negative = self.negate(b);
            let zero = self.constant(0);
            let less = self.compare(Compare::Lt, true, b, zero);
            self.select(less, negative, b)
        } else {
            b
        };
        if i.flag(Field::NegB) { self.negate(b) } else { b }
    }

    pub(super) fn i2f(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let from = i.get(Field::Sfmt);
        if from & 3 == 3 {
            return Err(self.unsupported(i, "64-bit integer sources"));
        }
        let source = self.integer_source(i, from);
        let signed = from >= 4;
        match i.get(Field::Dfmt) {
            3 => {
                let value = self.push(Op::IntToDouble { signed }, &[source]);
                self.set_double(i, value);
            }
            format => {
                let mut value = if i.get(Field::Rnd) != 0 && from & 3 == 2 {
                    self.directed(i.get(Field::Rnd), source, signed)
                } else {
                    self.push(Op::IntToFloat { signed }, &[source])
                };
                if format == 1 {
                    value = self.push(Op::FloatToHalf, &[value]);
                    self.set_register(i.get(Field::D), value);
                } else {
                    self.set_float(i, value);
                }
            }
        }
        Ok(())
    }

    /// Directed rounding of a 32-bit integer conversion: the bits that a float has no room for are cut off, which converts exactly;
    /// the next float away from zero is one bit pattern further.
    fn directed(&mut self, mode: u32, source: Value, signed: bool) -> Value {
        let zero = self.constant(0);
        let negative = if signed { self.compare(Compare::Lt, true, source, zero) } else { self.truth(false) };
        let opposite = self.negate(source);
        let magnitude = self.select(negative, opposite, source);
        let top = self.push(Op::FindMsb { signed: false }, &[magnitude]);
        let room = self.constant(23);
        let wide = self.compare(Compare::Gt, true, top, room);
        let excess = self.sub(top, room);
        let excess = self.select(wide, excess, zero);
        let ones = self.constant(u32::MAX);
        let keep = self.push(Op::Shl, &[ones, excess]);
        let kept = self.bits_and(magnitude, keep);
        let exact = self.compare(Compare::Eq, false, kept, magnitude);
        let inexact = self.not(exact);
        let value = self.push(Op::IntToFloat { signed: false }, &[kept]);
        let away = match mode {
            1 => self.and(negative, inexact),
            2 => {
                let positive = self.not(negative);
                self.and(positive, inexact)
            }
            _ => self.truth(false),
        };
        let one = self.constant(1);
        let step = self.select(away, one, zero);
        let value = self.add(value, step);
        let sign = self.constant(0x8000_0000);
        let sign = self.select(negative, sign, zero);
        self.bits_or(value, sign)
    }

    pub(super) fn i2i(&mut self, i: &Instruction) {
        let (from, to) = (i.get(Field::Sfmt), i.get(Field::Dfmt));
        let mut value = self.integer_source(i, from);
        let (source_signed, signed) = (from >= 4, to >= 4);
        let bits = [8, 16, 32, 32][to as usize & 3];
        if i.flag(Field::Sat) {
            let (low, high) = match (signed, bits) {
                (true, 8) => (-128i32 as u32, 127),
                (true, 16) => (-32768i32 as u32, 32767),
                (true, _) => (0x8000_0000, 0x7FFF_FFFF),
                (false, 8) => (0, 255),
                (false, 16) => (0, 65535),
                (false, _) => (0, u32::MAX),
            };
            let high = self.constant(high);
            let over = self.compare(Compare::Gt, source_signed, value, high);
            if source_signed {
                let low = self.constant(low);
                let under = self.compare(Compare::Lt, true, value, low);
                if bits != 32 || signed {
                    value = self.select(over, high, value);
                }
                value = self.select(under, low, value);
            } else {
                value = self.select(over, high, value);
            }
        } else if bits < 32 {
            value = self.field(value, 0, bits, signed);
        }
        self.set_result(i, value);
    }
}
