//! What can go wrong while a program is read or translated.

use thiserror::Error;

/// Why a shader was not translated. Offsets count from the first instruction group of the program.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ShaderError {
    /// A section ends before a field or range it declares.
    #[error("the {section} section has {len:#x} bytes, but {what} needs {need:#x}; the program is cut short")]
    Short {
        /// `control` or `code`.
        section: &'static str,
        /// Its length in bytes.
        len: usize,
        /// What was being read.
        what: &'static str,
        /// Bytes needed.
        need: usize,
    },
    /// A magic word is wrong.
    #[error(
        "the {section} section starts with {found:#010x} instead of {expected:#010x}; this is not a shader of this API"
    )]
    Magic {
        /// `control` or `code`.
        section: &'static str,
        /// What stands there.
        found: u32,
        /// What should stand there.
        expected: u32,
    },
    /// The stage word is out of range.
    #[error("the control section names stage {0}; stages are 0 to 5")]
    UnknownStage(u32),
    /// A word decodes to no instruction.
    #[error("no instruction matches word {word:#018x} at offset {offset:#x}")]
    UnknownInstruction {
        /// Byte offset.
        offset: u32,
        /// The word.
        word: u64,
    },
    /// Control flow leaves the code.
    #[error("control flow at offset {offset:#x} goes to {target:#x}, outside the code of {len:#x} bytes")]
    BadTarget {
        /// Byte offset of the instruction.
        offset: u32,
        /// Where it goes.
        target: u32,
        /// Code length in bytes.
        len: u32,
    },
    /// A pop without a matching push.
    #[error("`{text}` at offset {offset:#x} finds no matching push on the control stack")]
    UnmatchedPop {
        /// Byte offset.
        offset: u32,
        /// The instruction.
        text: String,
    },
    /// An instruction (or a variant of it) that is not translated.
    #[error("`{text}` at offset {offset:#x} is not translated: {why}")]
    Unsupported {
        /// Byte offset.
        offset: u32,
        /// The instruction.
        text: String,
        /// Which part of it.
        why: &'static str,
    },
    /// A memory address that leads to no table entry.
    #[error("the address used at offset {offset:#x} cannot be traced to one storage or uniform buffer")]
    UntracedAddress {
        /// Byte offset.
        offset: u32,
    },
    /// A texture or image handle that leads to no slot.
    #[error("the handle used at offset {offset:#x} cannot be traced to a bound slot or a constant")]
    UntracedHandle {
        /// Byte offset.
        offset: u32,
    },
    /// A limit that keeps the work bounded.
    #[error("the program needs more than {limit} {what}")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
}
