//! Decoded text against a sample of the vendor disassembler's output.

use nvn_shader::isa::{Instruction, Line};

fn sample() -> impl Iterator<Item = (u64, u32, &'static str)> {
    include_str!("data/text.tsv").lines().filter(|l| !l.starts_with('#')).filter_map(|line| {
        let mut parts = line.split('\t');
        let word = u64::from_str_radix(parts.next()?.strip_prefix("0x")?, 16).ok()?;
        let offset = u32::from_str_radix(parts.next()?, 16).ok()?;
        Some((word, offset, parts.next()?))
    })
}

#[test]
fn text_equals_the_vendor_disassembler() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (word, offset, expected) in sample() {
        count += 1;
        let text = Instruction::decode(offset, word).map_or_else(|| "?".to_owned(), |i| Line(i).to_string());
        if text != expected {
            wrong.push(format!("{word:#018x}: {text}   instead of   {expected}"));
        }
    }
    assert!(count > 300, "the sample has {count} lines");
    assert!(wrong.is_empty(), "{} of {count} lines differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// A planted fault: a flipped bit changes the text of every line of the sample that prints its destination.
#[test]
fn a_flipped_destination_bit_shows_in_the_text() {
    let (word, offset, expected) = sample().find(|(_, _, t)| t.starts_with("FADD ")).expect("an addition");
    let text = Instruction::decode(offset, word ^ 1).map(|i| Line(i).to_string());
    assert_ne!(text.as_deref(), Some(expected));
}

/// Encoding what was decoded gives the word back, for every form whose fields say everything about it.
#[test]
fn encoding_inverts_decoding() {
    for (word, offset, text) in sample() {
        let i = Instruction::decode(offset, word).expect("decodes");
        let fields: Vec<_> = i.form.fields.iter().filter_map(|row| Some((row.field, i.find(row.field)?))).collect();
        let encoded = Instruction::encode(i.op(), i.form.name, &fields).expect("encodes");
        let mut expected = word;
        if i.form.guarded {
            expected = (expected & !(0xF << 16)) | (7 << 16);
        }
        // Bits that no field names are free in these forms.
        let again = Instruction::decode(offset, encoded).expect("decodes again");
        assert_eq!(again.form.name, i.form.name, "{text}");
        for (field, value) in fields {
            assert_eq!(again.find(field), Some(value), "{text} {field:?}");
        }
        assert_eq!(encoded & expected, encoded, "{text}: {encoded:#018x} has bits that {expected:#018x} lacks");
    }
}
