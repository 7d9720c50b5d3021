//! Memory: constant banks, global, local and shared memory, atomics, barriers, lane operations.

use super::{Immediate, Lifter};
use crate::ShaderError;
use crate::header::Stage;
use crate::ir::{Atomic, Builtin, Compare, Op, Space, Value};
use crate::isa::{self, Field, Instruction};

/// What a size field means.
#[derive(Clone, Copy)]
enum Size {
    Narrow { bits: u32, signed: bool },
    Words(u32),
}

fn size(code: u32) -> Size {
    match code {
        0 => Size::Narrow { bits: 8, signed: false },
        1 => Size::Narrow { bits: 8, signed: true },
        2 => Size::Narrow { bits: 16, signed: false },
        3 => Size::Narrow { bits: 16, signed: true },
        4 => Size::Words(1),
        5 => Size::Words(2),
        _ => Size::Words(4),
    }
}

impl Lifter<'_> {
    /// The lane number in a warp of 32.
    pub(crate) fn lane(&mut self) -> Value {
        let builtin = if self.program.stage == Stage::Compute { Builtin::LocalIndex } else { Builtin::SubgroupLane };
        let lane = self.push(Op::Builtin(builtin), &[]);
        let mask = self.constant(31);
        self.bits_and(lane, mask)
    }

    /// Bit position of a byte address inside its word.
    fn bit_position(&mut self, address: Value) -> Value {
        let three = self.constant(3);
        let byte = self.bits_and(address, three);
        self.shl(byte, 3)
    }

    /// Loads by `code`'s size with a word loader, narrow sizes by shifting.
    fn load_with(&mut self, d: u32, code: u32, address: Value, word: impl Fn(&mut Self, Value) -> Value) {
        match size(code) {
            Size::Narrow { bits, signed } => {
                let mask = self.constant(!3);
                let base = self.bits_and(address, mask);
                let at = self.bit_position(address);
                let loaded = word(self, base);
                let value = match self.ir.constant(at) {
                    Some(at) => self.shr(loaded, at),
                    None => self.push(Op::Shr, &[loaded, at]),
                };
                let value = self.field(value, 0, bits, signed);
                self.set_register(d, value);
            }
            Size::Words(count) => {
                let values: Vec<Value> = (0..count)
                    .map(|k| {
                        let step = self.constant(k * 4);
                        let at = self.add(address, step);
                        word(self, at)
                    })
                    .collect();
                for (k, value) in values.into_iter().enumerate() {
                    if d < 255 {
                        self.set_register(d + k as u32, value);
                    }
                }
            }
        }
    }

    pub(super) fn ldc(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        if i.get(Field::Mode) != 0 {
            return Err(self.unsupported(i, "a computed constant bank"));
        }
        let bank = i.get(Field::Slot);
        let a = self.source_a(i);
        let offset = self.constant(i.signed(Field::Off, 16) as u32);
        let address = self.add(a, offset);
        self.load_with(i.get(Field::D), i.get(Field::Size), address, |l, at| match l.ir.constant(at) {
            Some(at) => l.uniform(bank, at),
            None => l.push(Op::Uniform { bank: bank as u8 }, &[at]),
        });
        Ok(())
    }

    fn address(&mut self, i: &Instruction, bits: u32) -> Value {
        let a = self.source_a(i);
        let offset = if i.get(Field::A) == 255 { i.get(Field::Imm) } else { i.signed(Field::Imm, bits) as u32 };
        let offset = self.constant(offset);
        self.add(a, offset)
    }

    pub(super) fn ldg(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let bits = match (i.op(), i.form.name) {
            (isa::Op::Ld, _) => 32,
            (_, "P") => 20,
            _ => 24,
        };
        let address = self.address(i, bits);
        if i.form.name == "P" {
            let yes = self.truth(true);
            self.set_predicate(7 - i.get(Field::Pd), yes);
        }
        self.load_with(i.get(Field::D), i.get(Field::Size), address, |l, at| {
            l.push(Op::LoadGlobal { buffer: None }, &[at])
        });
        Ok(())
    }

    pub(super) fn stg(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let address = self.address(i, if i.op() == isa::Op::St { 32 } else { 24 });
        let d = i.get(Field::D);
        match size(i.get(Field::Size)) {
            Size::Narrow { bits, .. } => {
                let value = self.register(d);
                self.push(Op::StoreGlobalNarrow { buffer: None, bits: bits as u8 }, &[address, value]);
            }
            Size::Words(count) => {
                for k in 0..count {
                    let value = self.register_at(d, k);
                    let step = self.constant(k * 4);
                    let at = self.add(address, step);
                    self.push(Op::StoreGlobal { buffer: None }, &[at, value]);
                }
            }
        }
        Ok(())
    }

    fn space(i: &Instruction) -> Space {
        if matches!(i.op(), isa::Op::Ldl | isa::Op::Stl) { Space::Local } else { Space::Shared }
    }

    pub(super) fn load_space(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let space = Self::space(i);
        let address = self.address(i, 24);
        self.load_with(i.get(Field::D), i.get(Field::Size), address, |l, at| l.push(Op::Load(space), &[at]));
        Ok(())
    }

    pub(super) fn store_space(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let space = Self::space(i);
        let address = self.address(i, 24);
        let d = i.get(Field::D);
        match size(i.get(Field::Size)) {
            Size::Narrow { bits, .. } => {
                let value = self.register(d);
                let mask = self.constant(!3);
                let base = self.bits_and(address, mask);
                let at = self.bit_position(address);
                let ones = self.constant((1 << bits) - 1);
                let hole = self.push(Op::Shl, &[ones, at]);
                let keep = self.bits_not(hole);
                let value = self.bits_and(value, ones);
                let value = self.push(Op::Shl, &[value, at]);
                if space == Space::Shared {
                    // Other threads may write the other bytes of the word at the same time.
                    self.push(Op::AtomicShared(Atomic::And), &[base, keep]);
                    self.push(Op::AtomicShared(Atomic::Or), &[base, value]);
                } else {
                    let old = self.push(Op::Load(space), &[base]);
                    let old = self.bits_and(old, keep);
                    let new = self.bits_or(old, value);
                    self.push(Op::Store(space), &[base, new]);
                }
            }
            Size::Words(count) => {
                for k in 0..count {
                    let value = self.register_at(d, k);
                    let step = self.constant(k * 4);
                    let at = self.add(address, step);
                    self.push(Op::Store(space), &[at, value]);
                }
            }
        }
        Ok(())
    }

    /// An atomic operation from its code and the signedness of its size.
    pub(super) fn atomic_kind(&self, i: &Instruction, code: u32, size: u32) -> Result<Atomic, ShaderError> {
        let signed = match size {
            0 => false,
            1 => true,
            3 if code == 0 => return Ok(Atomic::AddFloat),
            _ => return Err(self.unsupported(i, "64-bit and packed atomics")),
        };
        Ok(match code {
            0 => Atomic::Add,
            1 => Atomic::Min { signed },
            2 => Atomic::Max { signed },
            3 => Atomic::Inc,
            4 => Atomic::Dec,
            5 => Atomic::And,
            6 => Atomic::Or,
            7 => Atomic::Xor,
            8 => Atomic::Exchange,
            _ => return Err(self.unsupported(i, "no such atomic operation")),
        })
    }

    pub(super) fn atom(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let address = self.address(i, 20);
        if i.form.name.starts_with("CAS") {
            if i.flag(Field::S64) {
                return Err(self.unsupported(i, "64-bit atomics"));
            }
            let (compare, value) = self.swap_operands(i);
            let old = self
                .push(Op::AtomicGlobal { buffer: None, atomic: Atomic::CompareExchange }, &[address, value, compare]);
            self.set_register(i.get(Field::D), old);
            return Ok(());
        }
        let atomic = self.atomic_kind(i, i.get(Field::Op), i.get(Field::Size))?;
        let reduction = i.op() == isa::Op::Red;
        let value = if reduction { self.register(i.get(Field::D)) } else { self.source_b(i, Immediate::Int) };
        let old = self.push(Op::AtomicGlobal { buffer: None, atomic }, &[address, value]);
        if !reduction {
            self.set_register(i.get(Field::D), old);
        }
        Ok(())
    }

    /// Compare value and new value of a compare-and-swap.
    fn swap_operands(&mut self, i: &Instruction) -> (Value, Value) {
        let b = i.get(Field::B);
        let zero = self.constant(0);
        match i.get(Field::Bcrz) {
            1 => (self.register(b), zero),
            2 => (zero, self.register(b)),
            _ => (self.register(b), self.register_at(b, 1)),
        }
    }

    pub(super) fn atoms(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let a = self.source_a(i);
        let offset = i.signed(Field::Imm, 22) << 2;
        let offset = self.constant(offset as u32);
        let address = self.add(a, offset);
        let old = if i.form.name == "CAS" {
            if i.flag(Field::S64) || i.get(Field::Kind) != 2 {
                return Err(self.unsupported(i, "64-bit or split compare-and-swap"));
            }
            let (compare, value) = self.swap_operands(i);
            self.push(Op::AtomicShared(Atomic::CompareExchange), &[address, value, compare])
        } else {
            let atomic = self.atomic_kind(i, i.get(Field::Op), i.get(Field::Size))?;
            let value = self.source_b(i, Immediate::Int);
            self.push(Op::AtomicShared(atomic), &[address, value])
        };
        self.set_register(i.get(Field::D), old);
        Ok(())
    }

    pub(super) fn bar(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        match i.get(Field::Op) {
            0 => {
                self.push(Op::ControlBarrier, &[]);
                Ok(())
            }
            _ => Err(self.unsupported(i, "barriers other than SYNC")),
        }
    }

    pub(super) fn shfl(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        let a = self.source_a(i);
        let b = if i.flag(Field::BImm) { self.constant(i.get(Field::B) & 31) } else { self.register(i.get(Field::B)) };
        let c = if i.flag(Field::CImm) { self.constant(i.get(Field::CImm13)) } else { self.register(i.get(Field::C)) };
        let lane = self.push(Op::Builtin(Builtin::SubgroupLane), &[]);
        let mode = i.get(Field::Mode);
        // Butterflies and the quad's segment stay inside the quad whatever the subgroup's size.
        if let (3, Some(b), Some(0x1C03)) = (mode, self.ir.constant(b), self.ir.constant(c))
            && b < 4
        {
            let mask = self.constant(b);
            let source = self.push(Op::Xor, &[lane, mask]);
            let value = self.push(Op::Shuffle, &[a, source]);
            self.set_register(i.get(Field::D), value);
            let yes = self.truth(true);
            self.set_predicate(i.get(Field::Pd), yes);
            return Ok(());
        }
        let segment = self.field(c, 8, 5, false);
        let clamp = self.field(c, 0, 5, false);
        let low_bits = self.constant(31);
        let own = self.bits_and(lane, low_bits);
        let not_segment = self.bits_not(segment);
        let min = self.bits_and(own, segment);
        let room = self.bits_and(clamp, not_segment);
        let max = self.bits_or(min, room);
        let b = self.bits_and(b, low_bits);
        let (target, ok) = match mode {
            0 => {
                let inside = self.bits_and(b, not_segment);
                let j = self.bits_or(min, inside);
                (j, self.compare(Compare::Le, true, j, max))
            }
            1 => {
                let j = self.sub(own, b);
                (j, self.compare(Compare::Ge, true, j, max))
            }
            2 => {
                let j = self.add(own, b);
                (j, self.compare(Compare::Le, true, j, max))
            }
            _ => {
                let j = self.bits_xor(own, b);
                (j, self.compare(Compare::Le, true, j, max))
            }
        };
        let base_mask = self.constant(!31);
        let base = self.bits_and(lane, base_mask);
        let target = self.bits_and(target, low_bits);
        let source = self.bits_or(base, target);
        let source = self.select(ok, source, lane);
        let value = self.push(Op::Shuffle, &[a, source]);
        self.set_register(i.get(Field::D), value);
        self.set_predicate(i.get(Field::Pd), ok);
        Ok(())
    }

    pub(super) fn vote(&mut self, i: &Instruction) -> Result<(), ShaderError> {
        if i.form.name == "VTG" {
            return Ok(());
        }
        let source = self.source_predicate(i);
        if i.get(Field::D) < 255 {
            let ballot = self.push(Op::Ballot, &[source]);
            self.set_register(i.get(Field::D), ballot);
        }
        let op = match i.get(Field::Op) {
            0 => Op::VoteAll,
            1 => Op::VoteAny,
            2 => Op::VoteEq,
            _ => return Err(self.unsupported(i, "no such vote")),
        };
        let truth = self.push(op, &[source]);
        self.set_predicate(i.get(Field::Pd), truth);
        Ok(())
    }
}
