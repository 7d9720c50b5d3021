//! Half-precision pairs: computed in single precision and rounded once to half.

use super::Lifter;
use crate::ir::{Op, Value};
use crate::isa::{self, Field, Instruction};

/// Which operand of a half instruction.
#[derive(Clone, Copy)]
enum Role {
    A,
    B,
    C,
}

impl Lifter<'_> {
    fn halves(&mut self, word: Value, swizzle: u32) -> [Value; 2] {
        let low = |l: &mut Self| l.push(Op::HalfToFloat, &[word]);
        let high = |l: &mut Self| {
            let top = l.shr(word, 16);
            l.push(Op::HalfToFloat, &[top])
        };
        match swizzle {
            // One single-precision value for both.
            1 => [word, word],
            2 => {
                let low = low(self);
                [low, low]
            }
            3 => {
                let high = high(self);
                [high, high]
            }
            _ => [low(self), high(self)],
        }
    }

    fn half_operand(&mut self, i: &Instruction, role: Role) -> [Value; 2] {
        let (register, swizzle, negative, absolute) = match role {
            Role::A => (Field::A, Field::SwzA, Field::NegA, Field::AbsA),
            Role::B => (Field::B, Field::SwzB, Field::NegB, Field::AbsB),
            Role::C => (Field::C, Field::SwzC, Field::NegC, Field::AbsB),
        };
        let absolute = !matches!(role, Role::C) && i.flag(absolute);
        let pair = if i.has(register) {
            let word = self.register(i.get(register));
            self.halves(word, i.get(swizzle))
        } else if i.has(Field::CSlot) {
            // A constant is one single-precision value.
            let word = self.uniform(i.get(Field::CSlot), i.get(Field::COff) * 4);
            [word, word]
        } else {
            let (low, high) = (i.get(Field::ImmH0), i.get(Field::ImmH1));
            let word = if i.form.name == "-" {
                low | (high << 16)
            } else {
                // Ten bits of each half, the sign of the high one apart.
                (low << 6) | ((((high & 0x1FF) << 6) | ((high >> 9) << 15)) << 16)
            };
            let word = self.constant(word);
            self.halves(word, 0)
        };
        pair.map(|v| self.modified(v, absolute, i.flag(negative)))
    }

    fn set_halves(&mut self, i: &Instruction, values: [Value; 2]) {
        let values = if i.flag(Field::Sat) { values.map(|v| self.push(Op::FSaturate, &[v])) } else { values };
        let d = i.get(Field::D);
        let format = i.get(Field::Ofmt);
        if format == 1 {
            self.set_register(d, values[0]);
            return;
        }
        let [low, high] = values.map(|v| self.push(Op::FloatToHalf, &[v]));
        let value = match format {
            2 => {
                let old = self.register(d);
                let mask = self.constant(0xFFFF_0000);
                let kept = self.bits_and(old, mask);
                self.bits_or(kept, low)
            }
            3 => {
                let old = self.register(d);
                let mask = self.constant(0xFFFF);
                let kept = self.bits_and(old, mask);
                let up = self.shl(high, 16);
                self.bits_or(kept, up)
            }
            _ => {
                let up = self.shl(high, 16);
                self.bits_or(low, up)
            }
        };
        self.set_register(d, value);
    }

    pub(super) fn half_arithmetic(&mut self, i: &Instruction) {
        use isa::Op as M;
        let a = self.half_operand(i, Role::A);
        let b = self.half_operand(i, Role::B);
        let values = match i.op() {
            M::Hadd2 | M::Hadd2_32i => [0, 1].map(|k| self.push(Op::FAdd, &[a[k], b[k]])),
            M::Hmul2 | M::Hmul2_32i => [0, 1].map(|k| {
                let product = self.push(Op::FMul, &[a[k], b[k]]);
                if i.get(Field::Fmz) == 2 {
                    let any = self.either_zero(a[k], b[k]);
                    let zero = self.constant(0);
                    self.select(any, zero, product)
                } else {
                    product
                }
            }),
            _ => {
                let c = if i.op() == M::Hfma2_32i {
                    let word = self.register(i.get(Field::D));
                    let pair = self.halves(word, 0);
                    pair.map(|v| self.modified(v, false, i.flag(Field::NegC)))
                } else {
                    self.half_operand(i, Role::C)
                };
                [0, 1].map(|k| {
                    let sum = self.push(Op::FFma, &[a[k], b[k], c[k]]);
                    if i.get(Field::Fmz) == 2 {
                        let any = self.either_zero(a[k], b[k]);
                        self.select(any, c[k], sum)
                    } else {
                        sum
                    }
                })
            }
        };
        self.set_halves(i, values);
    }

    pub(super) fn half_compare(&mut self, i: &Instruction) {
        let a = self.half_operand(i, Role::A);
        let b = self.half_operand(i, Role::B);
        let kind = i.get(Field::Cmp);
        let truths = [0, 1].map(|k| self.float_compare(kind, a[k], b[k]));
        let source = self.source_predicate(i);
        let bop = i.get(Field::Bop);
        if i.op() == isa::Op::Hsetp2 {
            let (first, second) = if i.flag(Field::HAnd) {
                let both = self.and(truths[0], truths[1]);
                let inverse = self.not(both);
                (both, inverse)
            } else {
                (truths[0], truths[1])
            };
            let first = self.combine(bop, first, source);
            let second = self.combine(bop, second, source);
            self.set_predicate(i.get(Field::Pd), first);
            self.set_predicate(i.get(Field::Pq), second);
            return;
        }
        let unit = if i.flag(Field::Bf) { 0x3C00 } else { 0xFFFF };
        let [low, high] = [0, 1].map(|k| {
            let truth = self.combine(bop, truths[k], source);
            let yes = self.constant(unit);
            let no = self.constant(0);
            self.select(truth, yes, no)
        });
        let up = self.shl(high, 16);
        let value = self.bits_or(low, up);
        self.set_register(i.get(Field::D), value);
    }
}
