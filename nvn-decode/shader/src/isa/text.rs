//! The text form of an instruction, printed from the same table as the decoder reads.

use super::{Field, FieldKind, Instruction, Op};
use std::fmt::{self, Display, Write};

/// An instruction's text: guard, mnemonic with modifiers, operands.
#[derive(Clone, Copy, Debug)]
pub struct Line(pub Instruction);

fn register(index: u32) -> String {
    if index == 255 { "RZ".to_owned() } else { format!("R{index}") }
}

fn predicate(index: u32, inverted: bool) -> String {
    let name = if index == 7 { "PT".to_owned() } else { format!("P{index}") };
    if inverted { format!("!{name}") } else { name }
}

fn modified(text: String, negative: bool, absolute: bool) -> String {
    let text = if absolute { format!("|{text}|") } else { text };
    if negative { format!("-{text}") } else { text }
}

/// A number with 20 significant digits, trailing zeros cut, as the C format `%.20g` prints it.
fn general(value: f64) -> String {
    if value.is_nan() {
        return if value.is_sign_negative() { "-QNAN".to_owned() } else { "+QNAN".to_owned() };
    }
    if value.is_infinite() {
        return if value < 0.0 { "-INF".to_owned() } else { "+INF".to_owned() };
    }
    if value == 0.0 {
        return if value.is_sign_negative() { "-0".to_owned() } else { "0".to_owned() };
    }
    let scientific = format!("{value:.19e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let cut = |text: &str| {
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text.to_owned() }
    };
    if (-4..20).contains(&exponent) {
        cut(&format!("{value:.*}", (19 - exponent) as usize))
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", cut(digits), exponent.unsigned_abs())
    }
}

/// A signed number in hexadecimal.
fn hexadecimal(value: i64) -> String {
    if value < 0 { format!("-{:#x}", -value) } else { format!("{value:#x}") }
}

impl Line {
    fn is_float(&self) -> bool {
        matches!(
            self.0.op(),
            Op::Fadd
                | Op::Fadd32i
                | Op::Fmul
                | Op::Fmul32i
                | Op::Ffma
                | Op::Ffma32i
                | Op::Fmnmx
                | Op::Fset
                | Op::Fsetp
                | Op::Fcmp
                | Op::Rro
                | Op::F2f
                | Op::F2i
                | Op::Fchk
        )
    }

    fn is_double(&self) -> bool {
        matches!(self.0.op(), Op::Dadd | Op::Dmul | Op::Dfma | Op::Dmnmx | Op::Dset | Op::Dsetp)
    }

    /// Modifiers that are not printed although the table names their value.
    fn hidden(&self, field: Field, value: u8) -> bool {
        let i = &self.0;
        match field {
            Field::Dim => !matches!(i.op(), Op::Suld | Op::Sust | Op::Suatom | Op::Sured),
            Field::Query | Field::Sreg | Field::Mask | Field::What => true,
            Field::Target => matches!(i.op(), Op::Texs | Op::Tlds),
            Field::H1A | Field::H1B | Field::SelA | Field::SelB | Field::SelC => true,
            Field::Test => value == 15 && !matches!(i.op(), Op::Cset | Op::Csetp),
            Field::Po => value < 3,
            Field::Red => i.get(Field::Op) != 2,
            Field::Bcrz => value == 0,
            Field::Rnd => i.op() == Op::F2f && !i.flag(Field::ToInt) && value == 0,
            Field::ASigned | Field::BSigned => match i.op() {
                Op::Xmad => value == 0,
                _ => i.get(Field::ASigned) == 1 && i.get(Field::BSigned) == 1,
            },
            _ => false,
        }
    }

    fn modifiers(&self) -> String {
        let mut out = String::new();
        let i = &self.0;
        if matches!(i.form.name, "CAS" | "CASP" | "CASB") && matches!(i.op(), Op::Atom | Op::Suatom) {
            // The form's name stands where the operation of the other forms does.
            out.push_str(if i.op() == Op::Atom { "" } else { ".D" });
        } else if i.op() == Op::Suld || i.op() == Op::Sust || i.op() == Op::Suatom || i.op() == Op::Sured {
            out.push_str(if i.has(Field::Rgba) || i.form.name.starts_with('P') { ".P" } else { ".D" });
        } else if matches!(i.form.name, "L_R" | "L_I") {
            out.push_str(".L");
        } else if matches!(i.form.name, "R_R" | "R_I") {
            out.push_str(".R");
        } else if matches!(i.op(), Op::Tex | Op::Tld | Op::Tld4 | Op::Txd | Op::Txq | Op::Tmml) && i.form.name == "B" {
            out.push_str(".B");
        }
        if i.op() == Op::Tmml {
            out.push_str(".LOD");
        }
        let target = if matches!(i.op(), Op::Texs | Op::Tlds) {
            self.enum_text(Field::Target).rsplit_once('/').map_or("", |(modifier, _)| modifier)
        } else {
            ""
        };
        if !target.is_empty() {
            out.push('.');
            out.push_str(target);
        }
        for row in i.form.fields.iter().filter(|r| r.kind == FieldKind::Enum) {
            let value = row.read(i.word) as u8;
            if self.hidden(row.field, value) {
                continue;
            }
            let text = row.values.iter().find(|(v, _)| *v == value).map_or("?", |(_, t)| *t);
            let text = match text.split_once('/') {
                Some((plain, integral)) if row.field == Field::Rnd => {
                    if i.flag(Field::ToInt) {
                        integral
                    } else {
                        plain
                    }
                }
                Some((first, _)) => first,
                None => text,
            };
            if !text.is_empty() {
                out.push('.');
                out.push_str(text);
            }
            if row.field == Field::E && i.op() == Op::Atom && i.form.name.starts_with("CAS") {
                out.push_str(".CAS");
            }
            if row.field == Field::Dim && i.op() == Op::Suatom && i.form.name.starts_with("CAS") {
                out.push_str(".CAS");
            }
        }
        out
    }

    fn enum_text(&self, field: Field) -> &'static str {
        self.0
            .form
            .fields
            .iter()
            .find(|r| r.field == field)
            .and_then(|r| {
                let value = r.read(self.0.word) as u8;
                r.values.iter().find(|(v, _)| *v == value).map(|(_, t)| *t)
            })
            .unwrap_or("?")
    }

    fn immediate20(&self) -> String {
        let i = &self.0;
        let raw = i.get(Field::Imm20);
        let sign = raw >> 19;
        let text = if self.is_float() {
            let bits = (sign << 31) | ((raw & 0x7_FFFF) << 12);
            general(f64::from(f32::from_bits(bits)))
        } else if self.is_double() {
            let bits = (u64::from(sign) << 63) | (u64::from(raw & 0x7_FFFF) << 44);
            general(f64::from_bits(bits))
        } else {
            hexadecimal(i64::from(i.signed(Field::Imm20, 20)))
        };
        let text = if i.flag(Field::AbsB) { format!("{text}.ABS") } else { text };
        if i.flag(Field::NegB) { format!("{text}.NEG") } else { text }
    }

    /// An address: register and signed offset in brackets.
    fn address(&self, open: &str, field: Field, bits: u32) -> String {
        let i = &self.0;
        let base = i.get(Field::A);
        let offset = i.signed(field, bits);
        match (base, offset) {
            (255, 0) => format!("{open}RZ]"),
            (255, _) => format!("{open}{:#x}]", i.get(field)),
            (base, 0) => format!("{open}{}]", register(base)),
            (base, offset) if offset < 0 => format!("{open}{}+{}]", register(base), hexadecimal(i64::from(offset))),
            (base, offset) => format!("{open}{}+{offset:#x}]", register(base)),
        }
    }

    fn memory_operand(&self) -> Option<String> {
        let i = &self.0;
        Some(match i.op() {
            Op::Ald | Op::Ast => self.address("a[", Field::Imm, 10),
            Op::Ipa => self.address("a[", Field::Imm10, 10),
            Op::Ldg if i.form.name == "P" => self.address("[", Field::Imm, 20),
            Op::Ldg | Op::Stg | Op::Ldl | Op::Stl | Op::Lds | Op::Sts => self.address("[", Field::Imm, 24),
            Op::Atom | Op::Red => self.address("[", Field::Imm, 20),
            Op::Cctl => {
                let offset = i.signed(Field::Imm, 30) << 2;
                match offset {
                    0 => format!("[{}]", register(i.get(Field::A))),
                    offset => format!("[{}+{offset:#x}]", register(i.get(Field::A))),
                }
            }
            Op::Atoms => {
                let offset = i.signed(Field::Imm, 22) << 2;
                match offset {
                    0 => format!("[{}]", register(i.get(Field::A))),
                    offset => format!("[{}+{offset:#x}]", register(i.get(Field::A))),
                }
            }
            Op::Ldc => format!("c[{:#x}]{}", i.get(Field::Slot), self.address("[", Field::Off, 16)),
            Op::Isberd | Op::Pixld | Op::Suld | Op::Sust | Op::Suatom | Op::Sured => {
                format!("[{}]", register(i.get(Field::A)))
            }
            _ => return None,
        })
    }

    fn operand(&self, name: &str) -> String {
        let i = &self.0;
        let half = |set: bool, text: String| if set { format!("{text}.H1") } else { text };
        let po = i.get(Field::Po);
        let is_add = matches!(i.op(), Op::Iadd | Op::Iadd32i | Op::Iscadd);
        let negative_a = i.flag(Field::NegA) || (is_add && po == 2);
        let negative_b = i.flag(Field::NegB) || (is_add && po == 1);
        let part = |text: String| match (i.op(), i.get(Field::Sel)) {
            (Op::I2f | Op::I2i, 0) => text,
            (Op::I2f | Op::I2i, sel) if i.get(Field::Sfmt) & 3 == 1 => {
                if sel == 2 {
                    format!("{text}.H1")
                } else {
                    text
                }
            }
            (Op::I2f | Op::I2i, sel) => format!("{text}.B{sel}"),
            _ => text,
        };
        match name {
            "d" => {
                let text = register(i.get(Field::D));
                if i.flag(Field::Cc) { format!("{text}.CC") } else { text }
            }
            "d2" | "vtx" => register(i.get(Field::from_text(name).unwrap_or(Field::D))),
            "a" if i.op() == Op::Bar && i.flag(Field::AImm) => format!("{:#x}", i.get(Field::A)),
            "a" => match self.memory_operand() {
                Some(text) => text,
                None => {
                    let invert = if i.flag(Field::InvA) { "~" } else { "" };
                    let text =
                        modified(half(i.flag(Field::H1A), register(i.get(Field::A))), negative_a, i.flag(Field::AbsA));
                    format!("{invert}{text}")
                }
            },
            "b" if i.op() == Op::Shfl && i.flag(Field::BImm) => format!("{:#x}", i.get(Field::B) & 31),
            "c" if i.op() == Op::Shfl && i.flag(Field::CImm) => format!("{:#x}", i.get(Field::CImm13)),
            "b" if i.has(Field::Bcrz) && i.get(Field::Bcrz) == 0 => {
                let b = i.get(Field::B);
                let step = if i.flag(Field::S64) { 2 } else { 1 };
                format!("{}, {}", register(b), register((b + step).min(255)))
            }
            "b" if i.op() == Op::Bar && i.flag(Field::BImm) => format!("{:#x}", i.get(Field::Cnt12)),
            "b" => {
                let invert = if i.flag(Field::InvB) { "~" } else { "" };
                let h1 = i.flag(Field::H1B) || i.flag(Field::H1);
                let text = modified(half(h1, register(i.get(Field::B))), negative_b, i.flag(Field::AbsB));
                part(format!("{invert}{text}"))
            }
            "c" => modified(register(i.get(Field::C)), i.flag(Field::NegC), false),
            "c_slot" => {
                let invert = if i.flag(Field::InvB) { "~" } else { "" };
                // In the forms with a register b the constant is the third operand, and takes its sign.
                let negative = if i.has(Field::B) { i.flag(Field::NegC) } else { negative_b };
                let absolute = !i.has(Field::B) && i.flag(Field::AbsB);
                let text = format!("c[{:#x}][{:#x}]", i.get(Field::CSlot), i.get(Field::COff) * 4);
                part(format!("{invert}{}", modified(text, negative, absolute)))
            }
            "imm20" => self.immediate20(),
            "imm32" if self.is_float() => {
                let text = general(f64::from(f32::from_bits(i.get(Field::Imm32))));
                let text = if i.flag(Field::AbsB) { format!("{text}.ABS") } else { text };
                if i.flag(Field::NegB) { format!("{text}.NEG") } else { text }
            }
            "imm32" if matches!(i.op(), Op::Mov32i | Op::Lop32i) => format!("{:#x}", i.get(Field::Imm32)),
            "imm32" => hexadecimal(i64::from(i.get(Field::Imm32) as i32)),
            "imm16" => format!("{:#x}", i.get(Field::Imm16)),
            "imm6" => format!("{:#x}", i.get(Field::Imm6)),
            "shift" => format!("{:#x}", i.get(Field::Shift)),
            "lut" => format!("{:#x}", i.get(Field::Lut)),
            "pd" if matches!(i.op(), Op::Suld | Op::Suatom) || i.form.name == "P" => {
                predicate(7 - i.get(Field::Pd), false)
            }
            "pd" => predicate(i.get(Field::Pd), false),
            "pq" => predicate(i.get(Field::Pq), false),
            "ps" => predicate(i.get(Field::Ps), i.flag(Field::NotPs)),
            "p1" => predicate(i.get(Field::P1), i.flag(Field::NotP1)),
            "p2" => predicate(i.get(Field::P2), i.flag(Field::NotP2)),
            "pk" => predicate(i.get(Field::Pk), i.flag(Field::NotPk)),
            "pn" => (0..4)
                .rev()
                .map(|lane| ["PP", "NP", "PN", "ZP"][(i.get(Field::Pn) >> (lane * 2)) as usize & 3])
                .collect(),
            "tid" => {
                let tid = format!("{:#x}", i.get(Field::Tid));
                match self.enum_text(Field::Target).rsplit('/').next() {
                    Some(dim) if matches!(i.op(), Op::Texs | Op::Tlds) => format!("{tid}, {dim}"),
                    _ => tid,
                }
            }
            "mask" if matches!(i.op(), Op::Texs | Op::Tlds) => {
                let text = self.enum_text(Field::Mask);
                match text.split_once('|') {
                    Some((short, long)) => (if i.get(Field::D2) == 255 { short } else { long }).to_owned(),
                    None => text.to_owned(),
                }
            }
            "wmask" => format!("{:#x}", i.get(Field::Wmask)),
            // The register forms print the bank word they do not use.
            "dim" if i.form.name == "B" => format!("0x0, {}", self.enum_text(Field::Dim)),
            "dim" => self.enum_text(Field::Dim).to_owned(),
            "sreg" => format!("SR_{}", self.enum_text(Field::Sreg)),
            "query" => self.enum_text(Field::Query).to_owned(),
            "target" => match (i.flag(Field::Ca), i.op()) {
                (true, _) => "c[]".to_owned(),
                (_, Op::Jmp | Op::Jcal) => format!("{:#x}", i.get(Field::Target)),
                _ => format!("{:#x}", i.offset.wrapping_add(8).wrapping_add_signed(i.signed(Field::Target, 24))),
            },
            other => match Field::from_text(other) {
                Some(field) => format!("{:#x}", i.get(field)),
                None => other.to_owned(),
            },
        }
    }

    /// Operands that are not printed where they say nothing.
    fn silent(&self, name: &str) -> bool {
        let i = &self.0;
        match (name, i.op()) {
            ("test", _) => true,
            ("mask", Op::Mov | Op::Mov32i) => i.get(Field::Mask) == 0xF,
            ("b", Op::Tex | Op::Tld | Op::Tld4 | Op::Txd) => i.get(Field::B) == 255,
            ("vtx", _) => i.get(Field::Vtx) == 255,
            ("c", Op::Ipa) => i.get(Field::C) == 255,
            ("pk", _) => i.get(Field::Pk) == 7,
            ("ps", Op::Bar) => true,
            ("pd", Op::Lop | Op::Lop3) => i.get(Field::Pd) == 7 && i.get(Field::Pop) == 0,
            ("pd", Op::Suld | Op::Suatom) => i.get(Field::Pd) == 0,
            ("pd", Op::Tex | Op::Tld | Op::Tld4 | Op::Txd | Op::Pixld) => i.get(Field::Pd) == 7,
            ("d", Op::Vote) => i.get(Field::D) == 255,
            ("imm16", Op::Nop) => i.get(Field::Imm16) == 0,
            ("po", _) => i.get(Field::Po) == 7,
            ("what", _) => true,
            _ => false,
        }
    }
}

impl Display for Line {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (guard, inverted) = self.0.guard();
        if guard != 7 || inverted {
            write!(out, "@{} ", predicate(u32::from(guard), inverted))?;
        }
        write!(out, "{}{}", self.0.op().text(), self.modifiers())?;
        let mut separator = " ";
        for name in &self.0.form.operands {
            if self.silent(name) {
                continue;
            }
            write!(out, "{separator}{}", self.operand(name))?;
            separator = ", ";
        }
        Ok(())
    }
}

/// The text of a whole program: one line per instruction, `offset: text`; words that are no instruction print as `?`.
#[must_use]
pub fn disassemble(code: &[u8]) -> String {
    let mut out = String::new();
    for (index, bytes) in code.chunks_exact(8).enumerate() {
        if index % 4 == 0 {
            continue;
        }
        let word = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
        let offset = index as u32 * 8;
        let _ = match Instruction::decode(offset, word) {
            Some(instruction) => writeln!(out, "{offset:04x}: {}", Line(instruction)),
            None => writeln!(out, "{offset:04x}: ? {word:#018x}"),
        };
    }
    out
}
