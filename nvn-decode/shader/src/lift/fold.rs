//! Constructors of common operations that fold constants and identities as they build.

use super::Lifter;
use crate::ir::{Compare, Op, Value};

impl Lifter<'_> {
    fn constants(&self, a: Value, b: Value) -> (Option<u32>, Option<u32>) {
        (self.ir.constant(a), self.ir.constant(b))
    }

    pub(crate) fn add(&mut self, a: Value, b: Value) -> Value {
        match self.constants(a, b) {
            (Some(x), Some(y)) => self.constant(x.wrapping_add(y)),
            (Some(0), _) => b,
            (_, Some(0)) => a,
            _ => self.push(Op::Add, &[a, b]),
        }
    }

    pub(crate) fn sub(&mut self, a: Value, b: Value) -> Value {
        match self.constants(a, b) {
            (Some(x), Some(y)) => self.constant(x.wrapping_sub(y)),
            (_, Some(0)) => a,
            _ => self.push(Op::Sub, &[a, b]),
        }
    }

    pub(crate) fn mul(&mut self, a: Value, b: Value) -> Value {
        match self.constants(a, b) {
            (Some(x), Some(y)) => self.constant(x.wrapping_mul(y)),
            (Some(0), _) | (_, Some(0)) => self.constant(0),
            (Some(1), _) => b,
            (_, Some(1)) => a,
            _ => self.push(Op::Mul, &[a, b]),
        }
    }

    pub(crate) fn bits_and(&mut self, a: Value, b: Value) -> Value {
        match self.constants(a, b) {
            (Some(x), Some(y)) => self.constant(x & y),
            (Some(0), _) | (_, Some(0)) => self.constant(0),
            (Some(u32::MAX), _) => b,
            (_, Some(u32::MAX)) => a,
            _ => self.push(Op::And, &[a, b]),
        }
    }

    pub(crate) fn bits_or(&mut self, a: Value, b: Value) -> Value {
        match self.constants(a, b) {
            (Some(x), Some(y)) => self.constant(x | y),
            (Some(0), _) => b,
            (_, Some(0)) => a,
            _ => self.push(Op::Or, &[a, b]),
        }
    }

    pub(crate) fn bits_xor(&mut self, a: Value, b: Value) -> Value {
        match self.constants(a, b) {
            (Some(x), Some(y)) => self.constant(x ^ y),
            (Some(0), _) => b,
            (_, Some(0)) => a,
            _ => self.push(Op::Xor, &[a, b]),
        }
    }

    pub(crate) fn bits_not(&mut self, a: Value) -> Value {
        match self.ir.constant(a) {
            Some(x) => self.constant(!x),
            None => self.push(Op::Not, &[a]),
        }
    }

    /// Left shift by a fixed amount below 32.
    pub(crate) fn shl(&mut self, a: Value, by: u32) -> Value {
        match self.ir.constant(a) {
            Some(x) => self.constant(x << by),
            None if by == 0 => a,
            None => {
                let by = self.constant(by);
                self.push(Op::Shl, &[a, by])
            }
        }
    }

    /// Logical right shift by a fixed amount below 32.
    pub(crate) fn shr(&mut self, a: Value, by: u32) -> Value {
        match self.ir.constant(a) {
            Some(x) => self.constant(x >> by),
            None if by == 0 => a,
            None => {
                let by = self.constant(by);
                self.push(Op::Shr, &[a, by])
            }
        }
    }

    /// Arithmetic right shift by a fixed amount below 32.
    pub(crate) fn sar(&mut self, a: Value, by: u32) -> Value {
        match self.ir.constant(a) {
            Some(x) => self.constant(((x as i32) >> by) as u32),
            None if by == 0 => a,
            None => {
                let by = self.constant(by);
                self.push(Op::Sar, &[a, by])
            }
        }
    }

    /// Bits of a word that are known whatever the computed parts are: (mask, values).
    fn known_bits(&self, a: Value, depth: u32) -> (u32, u32) {
        let args = self.ir.args(a);
        match (self.ir.op(a), args) {
            (Op::Const(c), _) => (u32::MAX, *c),
            (_, _) if depth == 0 => (0, 0),
            (Op::And, [x, y]) => {
                let ((mx, vx), (my, vy)) = (self.known_bits(*x, depth - 1), self.known_bits(*y, depth - 1));
                let zeros = (mx & !vx) | (my & !vy);
                (zeros | (mx & my), vx & vy & !zeros)
            }
            (Op::Or, [x, y]) => {
                let ((mx, vx), (my, vy)) = (self.known_bits(*x, depth - 1), self.known_bits(*y, depth - 1));
                let ones = (mx & vx) | (my & vy);
                (ones | (mx & my), ones)
            }
            (Op::Shl, [x, by]) => match self.ir.constant(*by) {
                Some(by @ 0..=31) => {
                    let (m, v) = self.known_bits(*x, depth - 1);
                    ((m << by) | ((1u32 << by) - 1), v << by)
                }
                _ => (0, 0),
            },
            (Op::Shr, [x, by]) => match self.ir.constant(*by) {
                Some(by @ 0..=31) => {
                    let (m, v) = self.known_bits(*x, depth - 1);
                    ((m >> by) | !(u32::MAX >> by), v >> by)
                }
                _ => (0, 0),
            },
            _ => (0, 0),
        }
    }

    /// Bits `at..at+count` of a word, zero- or sign-extended.
    pub(crate) fn field(&mut self, a: Value, at: u32, count: u32, signed: bool) -> Value {
        if count >= 32 {
            return a;
        }
        let want = ((1u32 << count) - 1) << at;
        let (mask, bits) = self.known_bits(a, 6);
        if mask & want == want {
            let raw = (bits & want) >> at;
            let value = if signed { (((raw << (32 - count)) as i32) >> (32 - count)) as u32 } else { raw };
            return self.constant(value);
        }
        if signed {
            let up = self.shl(a, 32 - at - count);
            self.sar(up, 32 - count)
        } else {
            let down = self.shr(a, at);
            if at + count >= 32 {
                return down;
            }
            let mask = self.constant((1 << count) - 1);
            self.bits_and(down, mask)
        }
    }

    pub(crate) fn compare(&mut self, compare: Compare, signed: bool, a: Value, b: Value) -> Value {
        if let (Some(x), Some(y)) = self.constants(a, b) {
            let ordering = if signed { (x as i32).cmp(&(y as i32)) } else { x.cmp(&y) };
            let result = match compare {
                Compare::Eq => ordering.is_eq(),
                Compare::Ne => ordering.is_ne(),
                Compare::Lt => ordering.is_lt(),
                Compare::Le => ordering.is_le(),
                Compare::Gt => ordering.is_gt(),
                Compare::Ge => ordering.is_ge(),
            };
            return self.truth(result);
        }
        // (p ? x : 0) compared with 0 is p again; compilers keep truth values in registers.
        if matches!(compare, Compare::Eq | Compare::Ne) {
            for (select, zero) in [(a, b), (b, a)] {
                if self.ir.constant(zero) == Some(0)
                    && matches!(self.ir.op(select), Op::Select)
                    && let [p, x, y] = *self.ir.args(select)
                    && let (Some(x), Some(y)) = self.constants(x, y)
                    && (x == 0) != (y == 0)
                {
                    return if (y == 0) == (compare == Compare::Ne) { p } else { self.not(p) };
                }
            }
        }
        self.push(Op::ICompare { compare, signed }, &[a, b])
    }

    pub(crate) fn select(&mut self, condition: Value, a: Value, b: Value) -> Value {
        match self.ir.truth(condition) {
            Some(true) => return a,
            Some(false) => return b,
            None if a == b => return a,
            None => {}
        }
        if matches!(self.ir.op(condition), Op::TruthNot) {
            let plain = self.ir.args(condition)[0];
            return self.select(plain, b, a);
        }
        // Inside an arm the same condition is decided.
        let arm = |value: Value, hit: bool| match (self.ir.op(value), self.ir.args(value)) {
            (Op::Select, [c, x, y]) if *c == condition => {
                if hit {
                    *x
                } else {
                    *y
                }
            }
            _ => value,
        };
        let (a, b) = (arm(a, true), arm(b, false));
        if a == b {
            return a;
        }
        // A truth value selected by another one stays a truth value.
        if self.is_truth(a) {
            let hit = self.and(condition, a);
            let inverse = self.not(condition);
            let miss = self.and(inverse, b);
            return self.or(hit, miss);
        }
        self.push(Op::Select, &[condition, a, b])
    }

    fn is_truth(&self, a: Value) -> bool {
        self.ir.op(a).result() == crate::ir::Type::Bool
    }

    pub(crate) fn and(&mut self, a: Value, b: Value) -> Value {
        match (self.ir.truth(a), self.ir.truth(b)) {
            (Some(false), _) | (_, Some(false)) => self.truth(false),
            (Some(true), _) => b,
            (_, Some(true)) => a,
            _ if a == b => a,
            _ => self.push(Op::TruthAnd, &[a, b]),
        }
    }

    pub(crate) fn or(&mut self, a: Value, b: Value) -> Value {
        match (self.ir.truth(a), self.ir.truth(b)) {
            (Some(true), _) | (_, Some(true)) => self.truth(true),
            (Some(false), _) => b,
            (_, Some(false)) => a,
            _ if a == b => a,
            _ => self.push(Op::TruthOr, &[a, b]),
        }
    }

    pub(crate) fn xor(&mut self, a: Value, b: Value) -> Value {
        match (self.ir.truth(a), self.ir.truth(b)) {
            (Some(false), _) => b,
            (_, Some(false)) => a,
            (Some(true), _) => self.not(b),
            (_, Some(true)) => self.not(a),
            _ => self.push(Op::TruthXor, &[a, b]),
        }
    }

    pub(crate) fn not(&mut self, a: Value) -> Value {
        if let Some(known) = self.inverses.get(&a) {
            return *known;
        }
        let value = self.inverse(a);
        self.inverses.insert(a, value);
        value
    }

    fn inverse(&mut self, a: Value) -> Value {
        match self.ir.op(a) {
            Op::Bool(b) => {
                let b = !*b;
                self.truth(b)
            }
            Op::TruthNot => self.ir.args(a)[0],
            _ => self.push(Op::TruthNot, &[a]),
        }
    }

    /// AND, OR or XOR as the two-bit field of set instructions encodes it.
    pub(crate) fn combine(&mut self, kind: u32, a: Value, b: Value) -> Value {
        match kind {
            0 => self.and(a, b),
            1 => self.or(a, b),
            _ => self.xor(a, b),
        }
    }

    pub(crate) fn negate(&mut self, a: Value) -> Value {
        let zero = self.constant(0);
        self.sub(zero, a)
    }

    pub(crate) fn fneg(&mut self, a: Value) -> Value {
        match self.ir.constant(a) {
            Some(x) => self.constant(x ^ 0x8000_0000),
            None => self.push(Op::FNeg, &[a]),
        }
    }

    pub(crate) fn fabs(&mut self, a: Value) -> Value {
        match self.ir.constant(a) {
            Some(x) => self.constant(x & 0x7FFF_FFFF),
            None => self.push(Op::FAbs, &[a]),
        }
    }

    /// Absolute value first, then negation.
    pub(crate) fn modified(&mut self, a: Value, absolute: bool, negative: bool) -> Value {
        let a = if absolute { self.fabs(a) } else { a };
        if negative { self.fneg(a) } else { a }
    }
}
