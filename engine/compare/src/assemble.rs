//! Small compute programs in machine code, for tests of single instructions.

use nvn_shader::ProgramBinary;
use nvn_shader::isa::{Field, Instruction, Op};

/// Code and control sections of an assembled program.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// Code section.
    pub code: Vec<u8>,
    /// Control section.
    pub control: Vec<u8>,
}

impl Assembled {
    /// The sections as the translator takes them.
    #[must_use]
    pub fn binary(&self) -> ProgramBinary<'_> {
        ProgramBinary { control: &self.control, code: &self.code }
    }
}

/// Encodes one instruction.
///
/// # Panics
/// When the table has no such form or field.
#[must_use]
pub fn encode(op: Op, form: &str, fields: &[(Field, u64)]) -> u64 {
    Instruction::encode(op, form, fields).unwrap_or_else(|| panic!("{} {form} has no such field", op.text()))
}

/// An instruction with the guard `@Pn` or `@!Pn`.
#[must_use]
pub fn guarded(word: u64, predicate: u64, inverted: bool) -> u64 {
    (word & !(0xF << 16)) | (predicate << 16) | (u64::from(inverted) << 19)
}

/// Puts instructions into groups of three behind a control word, and both sections around them. `stage` is the API's stage number;
/// `constants` become the compiler's constants.
#[must_use]
pub fn assemble(stage: u32, words: &[u64], constants: &[u32]) -> Assembled {
    let mut program = vec![0u8; 0x50];
    program[..4].copy_from_slice(&0x0006_1462u32.to_le_bytes());
    for group in words.chunks(3) {
        program.extend(0x001F_8000_FC00_07E0u64.to_le_bytes());
        for k in 0..3 {
            program.extend(group.get(k).copied().unwrap_or(0x50B0_0000_0007_0F00).to_le_bytes());
        }
    }
    let mut code = vec![0u8; 0x30];
    code[..4].copy_from_slice(&0x1234_5678u32.to_le_bytes());
    code.extend(&program);
    let constants_at = code.len().next_multiple_of(256);
    code.resize(constants_at, 0);
    code.extend(constants.iter().flat_map(|c| c.to_le_bytes()));
    let mut control = vec![0u8; 0x7C8];
    let mut put = |at: usize, value: u32| control[at..at + 4].copy_from_slice(&value.to_le_bytes());
    put(0, 0x9876_1234);
    put(4, 1);
    put(8, 5);
    put(0x14, 0x7C0);
    put(0x6F8, program.len() as u32);
    put(0x6FC, constants.len() as u32 * 4);
    put(0x700, constants_at as u32);
    put(0x704, code.len() as u32);
    put(0x708, 0x30);
    put(0x714, stage);
    put(0x748, 32);
    put(0x74C, 1);
    put(0x750, 1);
    put(0x754, 1024);
    put(0x758, 64);
    Assembled { code, control }
}

/// A compute program that gives each thread four words of storage buffer 0 in R8 to R11, runs the body, and stores R12 to R15 to
/// storage buffer 1. R2 is the thread's number.
#[must_use]
pub fn compute(body: &[u64], constants: &[u32]) -> Assembled {
    use Field as F;
    let mut words = vec![
        encode(Op::S2r, "-", &[(F::D, 0), (F::Sreg, 37)]),
        encode(Op::S2r, "-", &[(F::D, 1), (F::Sreg, 33)]),
        encode(Op::Iscadd, "R", &[(F::D, 2), (F::A, 0), (F::B, 1), (F::Shift, 5)]),
        encode(Op::Shl, "I", &[(F::D, 3), (F::A, 2), (F::Imm20, 4)]),
    ];
    let pointer = |words: &mut Vec<u64>, table: u64| {
        words.push(encode(Op::Iadd, "C", &[(F::D, 4), (F::A, 3), (F::CSlot, 0), (F::COff, table / 4), (F::Cc, 1)]));
        words.push(encode(
            Op::Iadd,
            "C",
            &[(F::D, 5), (F::A, 255), (F::CSlot, 0), (F::COff, table / 4 + 1), (F::X, 1)],
        ));
    };
    pointer(&mut words, 0x310);
    words.push(encode(Op::Ldg, "-", &[(F::D, 8), (F::A, 4), (F::E, 1), (F::Size, 6)]));
    words.extend(body);
    pointer(&mut words, 0x320);
    words.push(encode(Op::Stg, "-", &[(F::D, 12), (F::A, 4), (F::E, 1), (F::Size, 6)]));
    words.push(encode(Op::Exit, "-", &[(F::Test, 15)]));
    assemble(5, &words, constants)
}
