//! The A64 decoder: one table ([`table::ROWS`]), one lookup, a structured instruction with named fields.
//!
//! [`decode`] never panics; a word that no row matches, or whose fields form a reserved combination, gives `None`.

pub mod op;
pub mod table;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::OnceLock;

pub use op::Op;
use op::*;
pub use table::{ROWS, Row};

/// A row's pattern, taken apart once.
struct Compiled {
    mask: u32,
    value: u32,
    /// For each letter (index 0 = `a`): shift and width of the field; width 0 = no such field.
    fields: [(u8, u8); 26],
}

struct Index11 {
    rows: Vec<Compiled>,
    /// Row numbers that can match, by bits 31..21 of the word.
    buckets: Vec<Vec<u16>>,
}

fn compile(pattern: &str) -> Compiled {
    let mut compiled = Compiled { mask: 0, value: 0, fields: [(0, 0); 26] };
    let mut bit = 32u8;
    for c in pattern.bytes().filter(|c| *c != b' ') {
        bit -= 1;
        match c {
            b'0' | b'1' => {
                compiled.mask |= 1 << bit;
                compiled.value |= u32::from(c - b'0') << bit;
            }
            _ => {
                let field = &mut compiled.fields[usize::from(c - b'a')];
                *field = (bit, field.1 + 1);
            }
        }
    }
    compiled
}

fn index() -> &'static Index11 {
    static INDEX: OnceLock<Index11> = OnceLock::new();
    INDEX.get_or_init(|| {
        let rows: Vec<Compiled> = ROWS.iter().map(|row| compile(row.pattern)).collect();
        let mut buckets = vec![Vec::new(); 1 << 11];
        for (key, bucket) in buckets.iter_mut().enumerate() {
            let high = (key as u32) << 21;
            for (number, row) in rows.iter().enumerate() {
                let mask = row.mask & 0xFFE0_0000;
                if high & mask == row.value & mask {
                    bucket.push(number as u16);
                }
            }
        }
        Index11 { rows, buckets }
    })
}

/// A decoded instruction: its row and its word. Fields are read by the letters of the row's pattern.
#[derive(Clone, Copy)]
pub struct Inst {
    /// The instruction word.
    pub word: u32,
    row: u16,
}

impl PartialEq for Inst {
    fn eq(&self, other: &Inst) -> bool {
        self.word == other.word
    }
}

impl fmt::Debug for Inst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:08x}", self.name(), self.word)
    }
}

impl Inst {
    /// The table row that matched.
    pub fn row(&self) -> &'static Row {
        &ROWS[usize::from(self.row)]
    }

    /// What it does.
    pub fn op(&self) -> Op {
        self.row().op
    }

    /// Mnemonic in lower case.
    pub fn name(&self) -> &'static str {
        self.row().name
    }

    /// Value of the field named by `letter`; 0 where the row has none.
    pub fn f(&self, letter: char) -> u32 {
        let (shift, width) = index().rows[usize::from(self.row)].fields[(letter as u8 - b'a') as usize];
        if width == 0 { 0 } else { (self.word >> shift) & ((1u64 << width) - 1) as u32 }
    }

    /// Whether the row has a field named by `letter`.
    pub fn has(&self, letter: char) -> bool {
        index().rows[usize::from(self.row)].fields[(letter as u8 - b'a') as usize].1 != 0
    }

    /// The field named by `letter`, sign-extended.
    pub fn signed(&self, letter: char) -> i64 {
        let (shift, width) = index().rows[usize::from(self.row)].fields[(letter as u8 - b'a') as usize];
        if width == 0 {
            return 0;
        }
        let shifted = (self.word >> shift) << (32 - width);
        i64::from(shifted as i32 >> (32 - width))
    }

    /// Rd or Rt.
    pub fn rd(&self) -> u8 {
        (self.word & 31) as u8
    }

    /// Rn.
    pub fn rn(&self) -> u8 {
        ((self.word >> 5) & 31) as u8
    }

    /// Rm (field `m`).
    pub fn rm(&self) -> u8 {
        (self.f('m') & 31) as u8
    }

    /// Ra or Rt2 (field `a`).
    pub fn ra(&self) -> u8 {
        (self.f('a') & 31) as u8
    }

    /// Operates on 64-bit general registers: bit 31 in every form where the question makes sense.
    pub fn is64(&self) -> bool {
        self.word >> 31 == 1
    }

    /// Target of a direct branch, ADR, ADRP or literal load at `pc`.
    pub fn target(&self, pc: u64) -> Option<u64> {
        let offset = match self.op() {
            Op::Adr => (self.signed('j') << 2) | i64::from(self.f('i')),
            Op::Adrp => {
                let pages = (self.signed('j') << 2) | i64::from(self.f('i'));
                return Some((pc & !0xFFF).wrapping_add_signed(pages << 12));
            }
            Op::B | Op::Bl | Op::BCond | Op::Cbz { .. } | Op::Tbz { .. } | Op::LoadLiteral(_) => self.signed('i') << 2,
            _ => return None,
        };
        Some(pc.wrapping_add_signed(offset))
    }

    /// Bits of one vector element of a form with immediate shift (from immh), and the raw shift field.
    pub fn shift_element(&self) -> (u32, u32) {
        let immh = self.f('h');
        (8 << (31 - immh.leading_zeros()), (immh << 3) | self.f('b'))
    }

    /// Bytes of the destination that a vector form writes: 16 with Q, 8 without, one element of `element_bits` for scalar forms.
    pub fn vector_bytes(&self, element_bits: u32) -> u32 {
        if !self.has('q') {
            element_bits / 8
        } else if self.f('q') == 1 {
            16
        } else {
            8
        }
    }

    /// The value of a logical immediate's mask; `None` for reserved encodings.
    pub fn logical_mask(&self) -> Option<u64> {
        let (n, immr, imms) = (self.f('k'), self.f('r'), self.f('s'));
        let length = 31u32.checked_sub(((n << 6) | (!imms & 0x3F)).leading_zeros())?;
        if length == 0 {
            return None;
        }
        let size = 1u32 << length;
        let (s, rotate) = (imms & (size - 1), immr & (size - 1));
        if s == size - 1 {
            return None;
        }
        let ones = u64::MAX >> (63 - s);
        let element_mask = u64::MAX >> (64 - size);
        let element = if rotate == 0 { ones } else { ((ones >> rotate) | (ones << (size - rotate))) & element_mask };
        let mut mask = element;
        let mut filled = size;
        while filled < 64 {
            mask |= mask << filled;
            filled *= 2;
        }
        Some(mask)
    }

    /// The 64-bit pattern of a vector modified immediate (MOVI, MVNI, FMOV, ORR, BIC) before the operation is applied.
    pub fn vector_immediate(&self) -> u64 {
        let imm = u64::from((self.f('a') << 5) | self.f('b'));
        let (cmode, op) = (self.f('c'), self.f('o'));
        let twice = |v: u64| v | (v << 32);
        let halves = |v: u64| twice(v | (v << 16));
        match cmode >> 1 {
            0..=3 => twice(imm << (8 * (cmode >> 1))),
            4 => halves(imm),
            5 => halves(imm << 8),
            6 if cmode & 1 == 0 => twice((imm << 8) | 0xFF),
            6 => twice((imm << 16) | 0xFFFF),
            _ => match (cmode & 1, op) {
                (0, 0) => imm * 0x0101_0101_0101_0101,
                (0, _) => (0..8).filter(|bit| imm >> bit & 1 == 1).fold(0, |v, bit| v | (0xFF << (8 * bit))),
                (_, 0) => twice(u64::from(fp32_immediate(imm as u32))),
                _ => fp64_immediate(imm as u32),
            },
        }
    }
}

/// The single-precision value of an 8-bit floating-point immediate, as bits.
pub fn fp32_immediate(imm: u32) -> u32 {
    let exponent = if imm & 0x40 != 0 { 0x1F << 25 } else { 1 << 30 };
    ((imm & 0x80) << 24) | exponent | ((imm & 0x3F) << 19)
}

/// The double-precision value of an 8-bit floating-point immediate, as bits.
pub fn fp64_immediate(imm: u32) -> u64 {
    let exponent = if imm & 0x40 != 0 { 0xFFu64 << 54 } else { 1 << 62 };
    (u64::from(imm & 0x80) << 56) | exponent | (u64::from(imm & 0x3F) << 48)
}

/// Decodes one word; `None` for words that are no instruction of the table or reserved.
pub fn decode(word: u32) -> Option<Inst> {
    let index = index();
    for &number in &index.buckets[(word >> 21) as usize] {
        let row = &index.rows[usize::from(number)];
        if word & row.mask == row.value {
            let inst = Inst { word, row: number };
            if is_allocated(&inst) {
                return Some(inst);
            }
        }
    }
    None
}

/// Whether the element size of a vector form is allowed.
fn size_allowed(inst: &Inst, sizes: u8) -> bool {
    let size = if inst.has('z') { inst.f('z') } else { sizes.trailing_zeros() };
    sizes >> size & 1 == 1 && !(size == 3 && inst.has('q') && inst.f('q') == 0)
}

/// Checks field combinations that the patterns leave open.
fn is_allocated(inst: &Inst) -> bool {
    let f = |letter| inst.f(letter);
    let (z, q) = (f('z'), f('q'));
    let pair_scalar_ok = f('z') == 1 && inst.has('q') && q == 0;
    match inst.op() {
        Op::LogicalImm(..) => (inst.is64() || f('k') == 0) && inst.logical_mask().is_some(),
        Op::MovWide(_) => inst.is64() || f('h') < 2,
        Op::Bitfield(_) => f('k') == f('f') && (inst.is64() || (f('r') < 32 && f('s') < 32)),
        Op::Extr => f('k') == f('f') && (inst.is64() || f('s') < 32),
        Op::LogicalReg(..) => inst.is64() || f('i') < 32,
        Op::AddSubReg { .. } => f('h') != 3 && (inst.is64() || f('i') < 32),
        Op::AddSubExt { .. } => f('i') <= 4,
        Op::Undefined if inst.name() == "dcps" => f('k') != 0,
        Op::CacheOp => matches!(f('i'), 5 | 10 | 11 | 12 | 13 | 14),
        Op::CompareSwapPair => f('s') & 1 == 0 && f('d') & 1 == 0,
        Op::LoadLiteral(Literal::Vector) => f('g') != 3,
        Op::Pair(index, vector) => {
            let load = inst.word >> 22 & 1 == 1;
            match f('o') {
                3 => false,
                1 => vector || (load && index != Index::Offset) || (load && inst.word >> 24 & 1 == 1),
                _ => true,
            }
        }
        Op::Single(index, vector) => {
            let opc = f('o');
            let register_ok = index != Index::Register || f('e') & 2 != 0;
            let ok = if vector {
                opc < 2 || z == 0
            } else {
                match z {
                    0 | 1 => true,
                    2 => opc != 3,
                    _ => opc < 2 || (opc == 2 && matches!(index, Index::Offset | Index::Register | Index::Scaled)),
                }
            };
            ok && register_ok
        }
        Op::Structure { interleave, .. } => interleave == 1 || z != 3 || q == 1,
        Op::StructureReplicate { .. } => true,
        Op::StructureLane { .. } => match f('o') >> 1 {
            0 => true,
            1 => z & 1 == 0,
            2 => z == 0 || (z == 1 && f('s') == 0),
            _ => false,
        },
        Op::FpConvert => f('s') != 2 && f('t') != 2 && f('s') != f('t'),
        Op::FixedToFp { .. } | Op::FpToFixed { .. } => inst.is64() || f('s') >= 32,
        Op::V3(_, sizes, _)
        | Op::VPair(_, sizes)
        | Op::VLong(_, sizes, _)
        | Op::VWide(_, sizes)
        | Op::VNarrow3(_, sizes)
        | Op::V2(_, sizes, _)
        | Op::VNarrow2(_, sizes, _) => {
            // PMULL of 64-bit elements has a 64-bit form too.
            matches!(inst.op(), Op::VLong("pmull", ..)) && sizes >> z & 1 == 1 || size_allowed(inst, sizes)
        }
        Op::F3(..) | Op::FPair(_) | Op::F2(_) => !pair_scalar_ok,
        Op::VShll => z != 3,
        Op::VAcross(_, sizes, _) => sizes >> z & 1 == 1 && !(z == 2 && q == 0),
        Op::DupElement | Op::DupGeneral => {
            let size = f('i').trailing_zeros();
            size < 4 && !(size == 3 && q == 0)
        }
        Op::DupScalar | Op::InsGeneral | Op::InsElement => f('i') & 15 != 0,
        Op::MoveToGpr { signed } => {
            let size = f('i').trailing_zeros();
            match (signed, q) {
                (true, 0) => size < 2,
                (true, _) => size < 3,
                (false, 0) => size < 3,
                (false, _) => size == 3,
            }
        }
        Op::VecImm => !(f('c') == 15 && f('o') == 1 && q == 0),
        Op::Permute(_) => !(z == 3 && q == 0),
        Op::Ext => q == 1 || f('i') < 8,
        Op::VShr(_, sizes, _) | Op::VShl(_, sizes, _) => {
            f('h') != 0 && {
                let size = 31 - f('h').leading_zeros();
                sizes >> size & 1 == 1 && !(size == 3 && inst.has('q') && q == 0)
            }
        }
        Op::VShrNarrow(..) | Op::VShiftLong(_) => f('h') != 0 && f('h') < 8,
        Op::FFixed(_) => f('h') >= 4 && !(f('h') >= 8 && inst.has('q') && q == 0),
        Op::VElement(..) | Op::VElementLong(..) => matches!(z, 1 | 2),
        Op::FElement(..) => !(z == 1 && (f('l') == 1 || (inst.has('q') && q == 0))),
        _ => true,
    }
}
