//! Integer arithmetic, shifts, bit fields, logic, selections and predicates.

use super::{Immediate, Lifter, PartialProduct};
use crate::ShaderError;
use crate::ir::{Compare, Op, Value};
use crate::isa::{self, Field, Instruction};
use crate::ssa::Variable;

impl Lifter<'_> {
    fn ib(&mut self, i: &Instruction) -> Value {
        self.source_b(i, Immediate::Int)
    }

    fn truth_word(&mut self, truth: Value) -> Value {
        let one = self.constant(1);
        let zero = self.constant(0);
        self.select(truth, one, zero)
    }

    /// a + b + carry, with flags where asked for. Operands are already complemented.
    fn sum(&mut self, i: &Instruction, a: Value, b: Value, carry: Option<Value>, saturate: bool) {
        let partial = self.add(a, b);
        let total = match carry {
            None => partial,
            Some(carry) => {
                let word = self.truth_word(carry);
                self.add(partial, word)
            }
        };
        let mut result = total;
        if saturate || i.flag(Field::Cc) {
            let zero = self.constant(0);
            let first = self.compare(Compare::Lt, false, partial, a);
            let second = self.compare(Compare::Lt, false, total, partial);
            let carry_out = self.or(first, second);
            let x = self.bits_xor(a, total);
            let y = self.bits_xor(b, total);
            let both = self.bits_and(x, y);
            let overflow = self.compare(Compare::Lt, true, both, zero);
            if saturate {
                let sign = self.sar(a, 31);
                let limit = self.constant(0x7FFF_FFFF);
                let limit = self.bits_xor(sign, limit);
                result = self.select(overflow, limit, total);
            }
            if i.flag(Field::Cc) {
                self.set_flag(Variable::CARRY, carry_out);
                self.set_flag(Variable::OVERFLOW, overflow);
            }
        }
        self.set_result(i, result);
    }

    /// Sum with optional negation of either operand, plus one, and carry in.
    fn signed_sum(&mut self, i: &Instruction, a: Value, b: Value, negate_a: bool, negate_b: bool, plus_one: bool) {
        let chained = i.flag(Field::X);
        let saturate = i.flag(Field::Sat);
        if !chained && !saturate && !i.flag(Field::Cc) && !plus_one && negate_a != negate_b {
            let value = if negate_b { self.sub(a, b) } else { self.sub(b, a) };
            self.set_result(i, value);
            return;
        }
        let a = if negate_a { self.bits_not(a) } else { a };
        let b = if negate_b { self.bits_not(b) } else { b };
        let carry = if chained {
            Some(self.flag(Variable::CARRY))
        } else if negate_a || negate_b || plus_one {
            Some(self.truth(true))
        } else {
            None
        };
        self.sum(i, a, b, carry, saturate);
    }

    pub(super) fn iadd(&mut self, i: &Instruction) {
        let (a, b) = (self.source_a(i), self.ib(i));
        let po = i.get(Field::Po);
        self.signed_sum(i, a, b, po == 2, po == 1, po == 3);
    }

    pub(super) fn iscadd(&mut self, i: &Instruction) {
        let a = self.source_a(i);
        let a = self.shl(a, i.get(Field::Shift) & 31);
        let b = self.ib(i);
        let po = i.get(Field::Po);
        self.signed_sum(i, a, b, po == 2, po == 1, po == 3);
    }

    fn half(&mut self, value: Value, select: u32) -> Value {
        match select {
            1 => self.field(value, 0, 16, false),
            2 => self.field(value, 16, 16, false),
            _ => value,
        }
    }

    pub(super) fn iadd3(&mut self, i: &Instruction) {
        let (a, b, c) = (self.source_a(i), self.ib(i), self.source_c(i));
        let mut terms = [(a, Field::SelA, Field::NegA), (b, Field::SelB, Field::NegB), (c, Field::SelC, Field::NegC)]
            .map(|(value, select, negative)| {
                let value = self.half(value, i.get(select));
                if i.flag(negative) { self.negate(value) } else { value }
            });
        let first = self.add(terms[0], terms[1]);
        match i.get(Field::Lrs) {
            1 => {
                // The sum of a and b has 33 bits before it is shifted down.
                let carry = self.compare(Compare::Lt, false, first, terms[0]);
                let low = self.shr(first, 16);
                let top = self.constant(0x1_0000);
                let zero = self.constant(0);
                let top = self.select(carry, top, zero);
                terms[0] = self.bits_or(low, top);
            }
            2 => terms[0] = self.shl(first, 16),
            _ => terms[0] = first,
        }
        let carry = if i.flag(Field::X) { Some(self.flag(Variable::CARRY)) } else { None };
        self.sum(i, terms[0], terms[2], carry, false);
    }

    pub(super) fn lea(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let a = self.source_a(i);
        let a = if i.flag(Field::NegA) { self.negate(a) } else { a };
        let b = self.ib(i);
        let shift = i.get(Field::Shift) & 31;
        let term = if i.form.name.starts_with("HI") {
            let c = self.register(i.get(Field::C));
            if shift == 0 {
                c
            } else {
                let high = self.shl(c, shift);
                let low = self.shr(a, 32 - shift);
                self.bits_or(high, low)
            }
        } else {
            self.shl(a, shift)
        };
        let partial = self.add(term, b);
        let mut value = partial;
        let mut carry = self.compare(Compare::Lt, false, partial, term);
        if i.flag(Field::X) {
            let chained = self.flag(Variable::CARRY);
            let word = self.truth_word(chained);
            value = self.add(partial, word);
            let second = self.compare(Compare::Lt, false, value, partial);
            carry = self.or(carry, second);
        }
        self.set_predicate(i.get(Field::Po), carry);
        if i.flag(Field::Cc) {
            self.set_flag(Variable::CARRY, carry);
        }
        self.set_result(i, value);
        Ok(())
    }

    /// Minimum and maximum; a 64-bit one is two instructions: the high words first (`.XHI`, which keeps in the flags which side
    /// won or that they are equal), then the low words.
    pub(super) fn imnmx(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let (a, b) = (self.source_a(i), self.ib(i));
        let least = self.source_predicate(i);
        let less = self.compare(Compare::Lt, i.flag(Field::Signed), a, b);
        // Pick a when (a < b) agrees with "minimum wanted".
        let differ = self.xor(less, least);
        let mut pick_b = differ;
        match i.get(Field::Xmode) {
            0 => {}
            1 | 2 => {
                let equal = self.flag(Variable::ZERO);
                let high = self.flag(Variable::CARRY);
                let from_high = self.not(equal);
                let first = self.and(equal, differ);
                let second = self.and(from_high, high);
                pick_b = self.or(first, second);
            }
            _ => {
                let equal = self.compare(Compare::Eq, false, a, b);
                self.set_flag(Variable::ZERO, equal);
                self.set_flag(Variable::CARRY, differ);
            }
        }
        let value = self.select(pick_b, b, a);
        self.set_register(i.get(Field::D), value);
        Ok(())
    }

    fn integer_compare(&mut self, kind: u32, signed: bool, a: Value, b: Value) -> Value {
        let compare = match kind {
            0 => return self.truth(false),
            1 => Compare::Lt,
            2 => Compare::Eq,
            3 => Compare::Le,
            4 => Compare::Gt,
            5 => Compare::Ne,
            6 => Compare::Ge,
            _ => return self.truth(true),
        };
        self.compare(compare, signed, a, b)
    }

    /// ISET, ISETP and ICMP; `.X` continues a 64-bit compare whose low half set the flags.
    pub(super) fn iset(&mut self, i: &Instruction) {
        let signed = i.flag(Field::Signed);
        let kind = i.get(Field::Cmp);
        if i.op() == isa::Op::Icmp {
            let (a, b, c) = (self.source_a(i), self.ib(i), self.source_c(i));
            let zero = self.constant(0);
            let truth = self.integer_compare(kind, signed, c, zero);
            let value = self.select(truth, a, b);
            self.set_register(i.get(Field::D), value);
            return;
        }
        let (a, b) = (self.source_a(i), self.ib(i));
        let truth = if i.flag(Field::X) {
            let equal_high = self.compare(Compare::Eq, false, a, b);
            let low_equal = self.flag(Variable::ZERO);
            let no_borrow = self.flag(Variable::CARRY);
            let equal = self.and(equal_high, low_equal);
            let less_high = self.compare(Compare::Lt, signed, a, b);
            let borrow = self.not(no_borrow);
            let less_low = self.and(equal_high, borrow);
            let less = self.or(less_high, less_low);
            match kind {
                0 => self.truth(false),
                1 => less,
                2 => equal,
                3 => self.or(less, equal),
                4 => {
                    let either = self.or(less, equal);
                    self.not(either)
                }
                5 => self.not(equal),
                6 => self.not(less),
                _ => self.truth(true),
            }
        } else {
            self.integer_compare(kind, signed, a, b)
        };
        self.set_compare(i, truth);
    }

    pub(super) fn imul(&mut self, i: &Instruction) {
        let (a, b) = (self.source_a(i), self.ib(i));
        let (sa, sb) = (i.flag(Field::ASigned), i.flag(Field::BSigned));
        let mut value = if !i.flag(Field::Hi) {
            self.mul(a, b)
        } else if sa == sb {
            self.push(Op::MulHigh { signed: sa }, &[a, b])
        } else {
            // Mixed signedness: the unsigned high word less the other operand where the signed one is negative.
            let high = self.push(Op::MulHigh { signed: false }, &[a, b]);
            let (signed, other) = if sa { (a, b) } else { (b, a) };
            let sign = self.sar(signed, 31);
            let less = self.bits_and(sign, other);
            self.sub(high, less)
        };
        if matches!(i.op(), isa::Op::Imad | isa::Op::Imad32i) {
            let c = if i.op() == isa::Op::Imad32i { self.register(i.get(Field::D)) } else { self.source_c(i) };
            let po = i.get(Field::Po);
            if po == 2 {
                value = self.negate(value);
            }
            let c = if po == 1 { self.negate(c) } else { c };
            let carry = match po {
                3 => Some(self.truth(true)),
                _ if i.flag(Field::X) => Some(self.flag(Variable::CARRY)),
                _ => None,
            };
            self.sum(i, value, c, carry, i.flag(Field::Sat));
            return;
        }
        self.set_result(i, value);
    }

    pub(super) fn xmad(&mut self, i: &Instruction) {
        let (a, b, c) = (self.source_a(i), self.ib(i), self.source_c(i));
        let (high_a, high_b) = (i.flag(Field::H1A), i.flag(Field::H1B));
        let (signed_a, signed_b) = (i.flag(Field::ASigned), i.flag(Field::BSigned));
        let (shifted, merged) = (i.flag(Field::Psl), i.flag(Field::Mrg));
        let mode = i.get(Field::Cop);
        let plain = !signed_a && !signed_b && !i.flag(Field::X) && !i.flag(Field::Cc);
        // d = a.H1 * m.H1 << 16 + t + (m << 16) with m = lo(a*b.H1) | b << 16 and t = a*b + c is the 32-bit product plus c.
        if plain
            && shifted
            && mode == 4
            && high_a
            && high_b
            && !merged
            && let (Some(m), Some(t)) = (self.products.get(&b).copied(), self.products.get(&c).copied())
            && m.merged
            && !t.merged
            && m.a == a
            && t.a == a
            && t.b == m.b
        {
            let product = self.mul(a, m.b);
            let value = self.add(product, t.c);
            self.set_result(i, value);
            return;
        }
        let half_a = self.field(a, if high_a { 16 } else { 0 }, 16, signed_a);
        let half_b = self.field(b, if high_b { 16 } else { 0 }, 16, signed_b);
        let mut product = self.mul(half_a, half_b);
        if shifted {
            product = self.shl(product, 16);
        }
        let addend = match mode {
            1 => self.field(c, 0, 16, false),
            2 => self.shr(c, 16),
            3 => {
                let fix_a = self.field(half_a, 15, 1, false);
                let fix_b = self.field(half_b, 15, 1, false);
                let fix_a = self.shl(fix_a, 16);
                let fix_b = self.shl(fix_b, 16);
                let c = self.sub(c, fix_a);
                self.sub(c, fix_b)
            }
            4 => {
                let up = self.shl(b, 16);
                self.add(c, up)
            }
            _ => c,
        };
        if merged {
            let carry = if i.flag(Field::X) { Some(self.flag(Variable::CARRY)) } else { None };
            let mut total = self.add(product, addend);
            if let Some(carry) = carry {
                let word = self.truth_word(carry);
                total = self.add(total, word);
            }
            let low = self.field(total, 0, 16, false);
            let up = self.shl(b, 16);
            let value = self.bits_or(low, up);
            if plain && !high_a && high_b && !shifted && mode == 0 && self.ir.constant(c) == Some(0) {
                self.products.insert(value, PartialProduct { merged: true, a, b, c });
            }
            self.set_result(i, value);
            return;
        }
        if plain && !high_a && !high_b && !shifted && mode == 0 {
            let value = self.add(product, addend);
            self.products.insert(value, PartialProduct { merged: false, a, b, c });
            self.set_result(i, value);
            return;
        }
        let carry = if i.flag(Field::X) { Some(self.flag(Variable::CARRY)) } else { None };
        self.sum(i, product, addend, carry, false);
    }

    /// Shift by a computed amount: amounts of 32 and more give 0 or the sign; `wrap` takes the amount modulo 32.
    fn shift_by(&mut self, op: &Op, a: Value, amount: Value, wrap: bool) -> Value {
        if let Some(n) = self.ir.constant(amount) {
            let n = if wrap { n & 31 } else { n };
            return match op {
                Op::Shl if n < 32 => self.shl(a, n),
                Op::Shr if n < 32 => self.shr(a, n),
                Op::Sar => self.sar(a, n.min(31)),
                _ => self.constant(0),
            };
        }
        let mask = self.constant(31);
        let low = self.bits_and(amount, mask);
        if wrap {
            return self.push(op.clone(), &[a, low]);
        }
        let over = self.compare(Compare::Gt, false, amount, mask);
        if matches!(op, Op::Sar) {
            let low = self.select(over, mask, low);
            return self.push(Op::Sar, &[a, low]);
        }
        let shifted = self.push(op.clone(), &[a, low]);
        let zero = self.constant(0);
        self.select(over, zero, shifted)
    }

    pub(super) fn shift(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        if i.flag(Field::X) || i.get(Field::Xmode) != 0 {
            return Err(self.unsupported(i, "chained shifts"));
        }
        let (mut a, b) = (self.source_a(i), self.ib(i));
        let op = match i.op() {
            isa::Op::Shl => Op::Shl,
            _ if i.flag(Field::Signed) => Op::Sar,
            _ => Op::Shr,
        };
        if i.flag(Field::Brev) {
            a = self.push(Op::BitReverse, &[a]);
        }
        let value = self.shift_by(&op, a, b, i.flag(Field::W));
        self.set_result(i, value);
        Ok(())
    }

    /// Funnel shift of c:a; the left form gives the high word, the right form the low word.
    pub(super) fn shf(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        if i.get(Field::Xmode) != 0 {
            return Err(self.unsupported(i, "chained funnel shifts"));
        }
        let (a, c) = (self.source_a(i), self.source_c(i));
        let amount = self.ib(i);
        let wrap = i.flag(Field::W);
        let max = i.get(Field::Max);
        let wide = max >= 2;
        let left = i.form.name.starts_with('L');
        let limit = self.constant(if wide { 64 } else { 32 });
        let amount = if wrap {
            let mask = self.constant(if wide { 63 } else { 31 });
            self.bits_and(amount, mask)
        } else {
            let over = self.compare(Compare::Gt, false, amount, limit);
            self.select(over, limit, amount)
        };
        // With n in 0..=64 and m = n - 32: the part from the near word, from the far word, and beyond 32 from the far word alone.
        let thirty_two = self.constant(32);
        let rest = self.sub(thirty_two, amount);
        let beyond = self.sub(amount, thirty_two);
        let is_beyond = self.compare(Compare::Ge, false, amount, thirty_two);
        let value = if left {
            let high = self.shift_by(&Op::Shl, c, amount, false);
            let low = self.shift_by(&Op::Shr, a, rest, false);
            let near = self.bits_or(high, low);
            let far = self.shift_by(&Op::Shl, a, beyond, false);
            self.select(is_beyond, far, near)
        } else {
            let op = if max == 3 { Op::Sar } else { Op::Shr };
            let low = self.shift_by(&Op::Shr, a, amount, false);
            let high = self.shift_by(&Op::Shl, c, rest, false);
            let near = self.bits_or(low, high);
            let far = self.shift_by(&op, c, beyond, false);
            self.select(is_beyond, far, near)
        };
        self.set_result(i, value);
        Ok(())
    }

    pub(super) fn bfe(&mut self, i: &Instruction) {
        let (mut a, b) = (self.source_a(i), self.ib(i));
        let signed = i.flag(Field::Signed);
        if i.flag(Field::Brev) {
            a = self.push(Op::BitReverse, &[a]);
        }
        let value = if let Some(b) = self.ir.constant(b) {
            let (position, length) = (b & 0xFF, (b >> 8) & 0xFF);
            if length == 0 {
                self.constant(0)
            } else if position >= 32 {
                if signed { self.sar(a, 31) } else { self.constant(0) }
            } else if position + length >= 32 {
                if signed { self.sar(a, position) } else { self.shr(a, position) }
            } else {
                self.field(a, position, length, signed)
            }
        } else {
            // Shift the field's top bit to bit 31 and back down; a field that reaches past bit 31 ends at bit 31.
            let position = self.field(b, 0, 8, false);
            let length = self.field(b, 8, 8, false);
            let end = self.add(position, length);
            let thirty_two = self.constant(32);
            let past = self.compare(Compare::Gt, false, end, thirty_two);
            let end = self.select(past, thirty_two, end);
            let up = self.sub(thirty_two, end);
            let shifted = self.shift_by(&Op::Shl, a, up, false);
            let down = self.add(up, position);
            let op = if signed { Op::Sar } else { Op::Shr };
            let value = self.shift_by(&op, shifted, down, false);
            let zero = self.constant(0);
            let empty = self.compare(Compare::Eq, false, length, zero);
            self.select(empty, zero, value)
        };
        self.set_result(i, value);
    }

    pub(super) fn bfi(&mut self, i: &Instruction) {
        let (a, b, c) = (self.source_a(i), self.ib(i), self.source_c(i));
        let position = self.field(b, 0, 8, false);
        let length = self.field(b, 8, 8, false);
        // The mask of `length` low bits, moved up; bits past 31 fall off, and a position of 32 leaves no bit.
        let ones = self.constant(u32::MAX);
        let above = self.shift_by(&Op::Shl, ones, length, false);
        let mask = self.bits_not(above);
        let mask = self.shift_by(&Op::Shl, mask, position, false);
        let moved = self.shift_by(&Op::Shl, a, position, false);
        let inserted = self.bits_and(moved, mask);
        let keep = self.bits_not(mask);
        let kept = self.bits_and(c, keep);
        let value = self.bits_or(inserted, kept);
        self.set_result(i, value);
    }

    fn inverted_b(&mut self, i: &Instruction) -> Value {
        let b = self.ib(i);
        if i.flag(Field::InvB) { self.bits_not(b) } else { b }
    }

    pub(super) fn flo(&mut self, i: &Instruction) {
        let b = self.inverted_b(i);
        let found = self.push(Op::FindMsb { signed: i.flag(Field::Signed) }, &[b]);
        let value = if i.flag(Field::Sh) {
            let none = self.constant(u32::MAX);
            let top = self.constant(31);
            let missing = self.compare(Compare::Eq, false, found, none);
            let shift = self.sub(top, found);
            self.select(missing, none, shift)
        } else {
            found
        };
        self.set_result(i, value);
    }

    pub(super) fn popc(&mut self, i: &Instruction) {
        let b = self.inverted_b(i);
        let value = self.push(Op::BitCount, &[b]);
        self.set_result(i, value);
    }

    fn set_logic(&mut self, i: &Instruction, value: Value) {
        if i.has(Field::Pd) && i.get(Field::Pd) < 7 {
            let zero = self.constant(0);
            let truth = match i.get(Field::Pop) {
                0 => self.truth(false),
                1 => self.truth(true),
                2 => self.compare(Compare::Eq, false, value, zero),
                _ => self.compare(Compare::Ne, false, value, zero),
            };
            self.set_predicate(i.get(Field::Pd), truth);
        }
        self.set_result(i, value);
    }

    pub(super) fn lop(&mut self, i: &Instruction) {
        let a = self.source_a(i);
        let a = if i.flag(Field::InvA) { self.bits_not(a) } else { a };
        let b = self.inverted_b(i);
        let value = match i.get(Field::Op) {
            0 => self.bits_and(a, b),
            1 => self.bits_or(a, b),
            2 => self.bits_xor(a, b),
            _ => b,
        };
        self.set_logic(i, value);
    }

    pub(super) fn lop3(&mut self, i: &Instruction) {
        let (a, b, c) = (self.source_a(i), self.ib(i), self.source_c(i));
        let lut = i.get(Field::Lut);
        let mut value = self.constant(0);
        for row in (0..8).filter(|row| lut & (1 << row) != 0) {
            let mut term = self.constant(u32::MAX);
            for (operand, bit) in [(a, 4), (b, 2), (c, 1)] {
                let operand = if row & bit != 0 { operand } else { self.bits_not(operand) };
                term = self.bits_and(term, operand);
            }
            value = self.bits_or(value, term);
        }
        self.set_logic(i, value);
    }

    /// Byte `index` (0 to 7, a fixed number or a computed one) of c:a.
    fn pool_byte(&mut self, a: Value, c: Value, index: Value) -> Value {
        if let Some(index) = self.ir.constant(index) {
            let source = if index & 4 == 0 { a } else { c };
            return self.field(source, (index & 3) * 8, 8, false);
        }
        let four = self.constant(4);
        let zero = self.constant(0);
        let high = self.bits_and(index, four);
        let high = self.compare(Compare::Ne, false, high, zero);
        let source = self.select(high, c, a);
        let three = self.constant(3);
        let at = self.bits_and(index, three);
        let at = self.shl(at, 3);
        let moved = self.push(Op::Shr, &[source, at]);
        self.field(moved, 0, 8, false)
    }

    /// Byte permute: the selector's nibbles, or one of the modes that derive every byte from the selector's low bits.
    pub(super) fn prmt(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let (a, b, c) = (self.source_a(i), self.ib(i), self.source_c(i));
        let mode = i.get(Field::Mode);
        let mut value = self.constant(0);
        for byte in 0..4u32 {
            let part = if mode == 0 {
                let nibble = self.field(b, byte * 4, 4, false);
                let seven = self.constant(7);
                let index = self.bits_and(nibble, seven);
                let plain = self.pool_byte(a, c, index);
                // The nibble's top bit asks for the byte's sign in all its bits.
                let replicate = self.field(nibble, 3, 1, false);
                let sign = self.field(plain, 7, 1, true);
                let sign = self.field(sign, 0, 8, false);
                let zero = self.constant(0);
                let replicate = self.compare(Compare::Ne, false, replicate, zero);
                self.select(replicate, sign, plain)
            } else {
                let n = self.field(b, 0, 2, false);
                let k = self.constant(byte);
                let index = match mode {
                    1 => self.add(n, k),
                    2 => {
                        let back = self.sub(n, k);
                        let seven = self.constant(7);
                        self.bits_and(back, seven)
                    }
                    3 => n,
                    4 => {
                        let more = self.compare(Compare::Gt, false, n, k);
                        self.select(more, n, k)
                    }
                    5 => {
                        let less = self.compare(Compare::Lt, false, n, k);
                        self.select(less, n, k)
                    }
                    6 => {
                        let one = self.constant(1);
                        let half = self.bits_and(n, one);
                        let half = self.shl(half, 1);
                        let odd = self.constant(byte & 1);
                        self.add(half, odd)
                    }
                    _ => return Err(self.unsupported(i, "no such permute mode")),
                };
                self.pool_byte(a, c, index)
            };
            let part = self.shl(part, byte * 8);
            value = self.bits_or(value, part);
        }
        self.set_result(i, value);
        Ok(())
    }

    pub(super) fn sel(&mut self, i: &Instruction) {
        let (a, b) = (self.source_a(i), self.ib(i));
        let p = self.source_predicate(i);
        let value = self.select(p, a, b);
        self.set_result(i, value);
    }

    /// Moves; the mask selects lanes of the quad.
    pub(super) fn mov(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let b = self.ib(i);
        let mask = i.get(Field::Mask);
        let value = if mask == 0xF {
            b
        } else {
            let lane = self.lane();
            let three = self.constant(3);
            let lane = self.bits_and(lane, three);
            let bits = self.constant(mask);
            let hit = self.push(Op::Shr, &[bits, lane]);
            let one = self.constant(1);
            let hit = self.bits_and(hit, one);
            let zero = self.constant(0);
            let hit = self.compare(Compare::Ne, false, hit, zero);
            let old = self.register(i.get(Field::D));
            self.select(hit, b, old)
        };
        self.set_register(i.get(Field::D), value);
        Ok(())
    }

    pub(super) fn pset(&mut self, i: &Instruction) {
        let p1 = self.predicate(i.get(Field::P1), i.flag(Field::NotP1));
        let p2 = self.predicate(i.get(Field::P2), i.flag(Field::NotP2));
        let ps = self.source_predicate(i);
        let first = self.combine(i.get(Field::Bop1), p1, p2);
        let value = self.combine(i.get(Field::Bop2), first, ps);
        if i.has(Field::Pd) {
            let inverse = self.not(first);
            let other = self.combine(i.get(Field::Bop2), inverse, ps);
            self.set_predicate(i.get(Field::Pd), value);
            self.set_predicate(i.get(Field::Pq), other);
        } else {
            self.set_mask(i, value);
        }
    }

    pub(super) fn cset(&mut self, i: &Instruction) {
        let truth = self.flag_test(i.get(Field::Test) as u8);
        self.set_compare(i, truth);
    }

    pub(super) fn r2p(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let a = self.source_a(i);
        let b = self.ib(i);
        let Some(mask) = self.ir.constant(b).filter(|_| i.get(Field::What) == 0) else {
            return Err(self.unsupported(i, "flags, or a computed mask"));
        };
        let byte = i.get(Field::Byte) * 8;
        let zero = self.constant(0);
        for p in (0..7).filter(|p| mask & (1 << p) != 0) {
            let bit = self.field(a, byte + p, 1, false);
            let truth = self.compare(Compare::Ne, false, bit, zero);
            self.set_predicate(p, truth);
        }
        Ok(())
    }

    pub(super) fn p2r(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let a = self.source_a(i);
        let b = self.ib(i);
        let Some(mask) = self.ir.constant(b).filter(|_| i.get(Field::What) == 0) else {
            return Err(self.unsupported(i, "flags, or a computed mask"));
        };
        let byte = i.get(Field::Byte) * 8;
        let keep = self.constant(!((mask & 0xFF) << byte));
        let mut value = self.bits_and(a, keep);
        for p in (0..7).filter(|p| mask & (1 << p) != 0) {
            let truth = self.predicate(p, false);
            let word = self.truth_word(truth);
            let word = self.shl(word, byte + p);
            value = self.bits_or(value, word);
        }
        self.set_register(i.get(Field::D), value);
        Ok(())
    }
}
