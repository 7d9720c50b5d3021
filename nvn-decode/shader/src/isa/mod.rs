//! The instruction set: one table of forms, and the decoder and text printer that read it.

mod names;
mod text;

pub use names::{Field, Op};
pub use text::{Line, disassemble};

use std::sync::LazyLock;

/// How a field is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldKind {
    /// A register index; 255 is RZ.
    Register,
    /// A predicate index; 7 is PT.
    Predicate,
    /// One bit.
    Flag,
    /// A named value.
    Enum,
    /// A number.
    Number,
}

/// One field of a form.
#[derive(Clone, Debug)]
pub struct FieldRow {
    /// Which field.
    pub field: Field,
    /// How it is meant.
    pub kind: FieldKind,
    /// Bit ranges as (lowest bit, count); the first range holds the low part of the value.
    pub bits: [(u8, u8); 2],
    /// Names of the values of an enum: (value, text).
    pub values: Vec<(u8, &'static str)>,
}

impl FieldRow {
    /// The word with the field set to the low bits of `value`.
    fn write(&self, mut word: u64, mut value: u64) -> u64 {
        for (low, count) in self.bits {
            if count > 0 {
                let mask = (1u64 << count) - 1;
                word = (word & !(mask << low)) | ((value & mask) << low);
                value >>= count;
            }
        }
        word
    }

    fn read(&self, word: u64) -> u64 {
        let mut value = 0;
        let mut shift = 0;
        for (low, count) in self.bits {
            if count > 0 {
                value |= ((word >> low) & ((1u64 << count) - 1)) << shift;
                shift += count;
            }
        }
        value
    }
}

/// One instruction form.
#[derive(Clone, Debug)]
pub struct Form {
    /// The mnemonic.
    pub op: Op,
    /// The form's name: operand kinds or variant (`R`, `C`, `I`, `RC`, `B`, `CAS`, …).
    pub name: &'static str,
    /// Whether bits 16 to 19 hold a guard predicate.
    pub guarded: bool,
    /// The fixed bits of the form, in place.
    pub fixed: u64,
    /// Fields in print order of their modifiers.
    pub fields: Vec<FieldRow>,
    /// Operand names in print order.
    pub operands: Vec<&'static str>,
}

struct Table {
    forms: Vec<Form>,
    /// Index by bits 51 to 63; `u16::MAX` is no instruction.
    by_top: Vec<u16>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| parse(include_str!("table.txt")));

fn parse(text: &'static str) -> Table {
    let mut forms: Vec<Form> = Vec::new();
    let mut patterns: Vec<(u16, u16)> = Vec::new();
    for line in text.lines() {
        let mut words = line.split(' ');
        match words.next() {
            Some("@") => {
                let mut next = || words.next().unwrap_or("");
                let (mnemonic, name, pattern, _unit, guard, operands) =
                    (next(), next(), next(), next(), next(), next());
                let Some(op) = Op::from_text(mnemonic) else { continue };
                let (mut mask, mut value) = (0u16, 0u16);
                for bit in pattern.bytes() {
                    mask = (mask << 1) | u16::from(bit != b'-');
                    value = (value << 1) | u16::from(bit == b'1');
                }
                patterns.push((mask, value));
                let operands = operands.split(',').filter(|o| !matches!(*o, "-" | "")).collect();
                let fixed = u64::from(value) << 51;
                forms.push(Form { op, name, guarded: guard == "yes", fixed, fields: Vec::new(), operands });
            }
            Some(".") => {
                let (Some(name), Some(bits), Some(kind)) = (words.next(), words.next(), words.next()) else { continue };
                let (Some(field), Some(form)) = (Field::from_text(name), forms.last_mut()) else { continue };
                let mut ranges = [(0, 0); 2];
                for (slot, range) in ranges.iter_mut().zip(bits.split('+')) {
                    let (low, high) = range.split_once('-').unwrap_or((range, range));
                    let (low, high) = (low.parse::<u8>().unwrap_or(0), high.parse::<u8>().unwrap_or(0));
                    *slot = (low, high + 1 - low);
                }
                let kind = match kind {
                    "reg" | "regs" => FieldKind::Register,
                    "pred" => FieldKind::Predicate,
                    "flag" => FieldKind::Flag,
                    "enum" => FieldKind::Enum,
                    _ => FieldKind::Number,
                };
                let values = words
                    .filter_map(|w| w.split_once('='))
                    .filter_map(|(value, text)| Some((value.parse().ok()?, if text == "(none)" { "" } else { text })))
                    .collect();
                form.fields.push(FieldRow { field, kind, bits: ranges, values });
            }
            _ => {}
        }
    }
    // The form with the most fixed bits wins where patterns overlap.
    let by_top = (0..8192u16)
        .map(|top| {
            patterns
                .iter()
                .enumerate()
                .filter(|(_, (mask, value))| top & mask == *value)
                .max_by_key(|(_, (mask, _))| mask.count_ones())
                .map_or(u16::MAX, |(index, _)| index as u16)
        })
        .collect();
    Table { forms, by_top }
}

/// One decoded instruction.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// Byte offset from the first instruction group (control words included).
    pub offset: u32,
    /// The 64-bit word.
    pub word: u64,
    /// Its form.
    pub form: &'static Form,
}

impl Instruction {
    /// Decodes one word. `None` when no form matches.
    #[must_use]
    pub fn decode(offset: u32, word: u64) -> Option<Self> {
        let table = &*TABLE;
        let index = *table.by_top.get((word >> 51) as usize)?;
        let form = table.forms.get(usize::from(index))?;
        Some(Self { offset, word, form })
    }

    /// Encodes a form with the given fields; the others are 0 and the guard is always true. `None` for an unknown form or field.
    #[must_use]
    pub fn encode(op: Op, form: &str, fields: &[(Field, u64)]) -> Option<u64> {
        let form = TABLE.forms.iter().find(|f| f.op == op && f.name == form)?;
        let mut word = form.fixed | if form.guarded { 7 << 16 } else { 0 };
        for (field, value) in fields {
            word = form.fields.iter().find(|row| row.field == *field)?.write(word, *value);
        }
        Some(word)
    }

    /// The mnemonic.
    #[must_use]
    pub fn op(&self) -> Op {
        self.form.op
    }

    /// The value of a field, when the form has it.
    #[must_use]
    pub fn find(&self, field: Field) -> Option<u64> {
        self.form.fields.iter().find(|row| row.field == field).map(|row| row.read(self.word))
    }

    /// The value of a field, 0 when the form has none of that name.
    #[must_use]
    pub fn get(&self, field: Field) -> u32 {
        self.find(field).unwrap_or(0) as u32
    }

    /// Whether a one-bit field is present and set.
    #[must_use]
    pub fn flag(&self, field: Field) -> bool {
        self.get(field) != 0
    }

    /// A field read as a two's complement number of `bits` bits.
    #[must_use]
    pub fn signed(&self, field: Field, bits: u32) -> i32 {
        ((self.get(field) << (32 - bits)) as i32) >> (32 - bits)
    }

    /// Whether the form has a field.
    #[must_use]
    pub fn has(&self, field: Field) -> bool {
        self.form.fields.iter().any(|row| row.field == field)
    }

    /// The guard: predicate index (7 is PT) and whether it is inverted.
    #[must_use]
    pub fn guard(&self) -> (u8, bool) {
        if self.form.guarded { (((self.word >> 16) & 7) as u8, (self.word >> 19) & 1 != 0) } else { (7, false) }
    }
}

/// Number of forms in the table.
#[must_use]
pub fn form_count() -> usize {
    TABLE.forms.len()
}
