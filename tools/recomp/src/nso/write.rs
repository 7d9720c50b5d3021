//! ELF to NSO.

use super::{HEADER_SIZE, PAGE_SIZE, SegmentKind};
use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};
use sha2::{Digest, Sha256};

/// How [`from_elf`] stores a module.
#[derive(Debug, Clone)]
pub struct WriteOptions {
    /// Stored behind the header as the module name; may be empty.
    pub name: String,
    /// LZ4 for every segment that it shrinks. A segment that it does not shrink is stored as it is, with its flag clear.
    pub compress: bool,
    /// Ask the loader to compare the SHA-256 of every segment. The hashes are written in any case.
    pub check_hashes: bool,
}

impl Default for WriteOptions {
    fn default() -> Self {
        WriteOptions { name: String::new(), compress: true, check_hashes: true }
    }
}

/// Why an ELF cannot become an NSO.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NsoWriteError {
    /// Not an ELF file, or one that is damaged.
    #[error("cannot read the ELF: {0}")]
    Elf(String),
    /// Not a 64-bit little-endian AArch64 shared object or executable.
    #[error(
        "the ELF is for machine {machine} and of type {kind}; an AArch64 (183) shared object (3) is needed: link with -shared or -pie"
    )]
    Machine {
        /// `e_machine`.
        machine: u16,
        /// `e_type`.
        kind: u16,
    },
    /// The loadable segments are not exactly text, rodata, data.
    #[error(
        "{what} (program header {index}, address {address:#x}); an NSO has three page-aligned segments in the order R+X, R, R+W with text at 0: use the linker script of the title"
    )]
    Layout {
        /// What is wrong.
        what: &'static str,
        /// Which program header.
        index: usize,
        /// Its virtual address.
        address: u64,
    },
    /// A size that the 32-bit fields cannot hold.
    #[error("the {segment} segment takes {size:#x} bytes, more than an NSO field can hold")]
    TooLarge {
        /// Which one.
        segment: SegmentKind,
        /// Its size.
        size: u64,
    },
}

fn elf_error(error: object::read::Error) -> NsoWriteError {
    NsoWriteError::Elf(error.to_string())
}

struct Piece {
    start: u64,
    bytes: Vec<u8>,
    memory_end: u64,
}

/// Turns a linked AArch64 ELF module into the bytes of an NSO.
///
/// The ELF is a shared object or PIE (`clang-19 --target=aarch64-none-elf -fPIC -nostdlib -fuse-ld=lld-19 -Wl,-shared,-T,SCRIPT`;
/// `tests/module/module.ld` beside this crate is such a script) whose `PT_LOAD`
/// headers give text (R+X) at address 0, then rodata (R), then data (R+W); neighbours with the same rights (relro) are joined, and the rest of
/// the last one (`p_memsz - p_filesz`) becomes bss. Word 0 of text should be 0 and word 1 the offset of a MOD0; this function moves bytes and does not
/// make one. The build id comes from a `PT_NOTE` GNU build id, else from the SHA-256 of the contents (first 20 bytes), so that
/// equal input gives equal output.
///
/// # Errors
/// [`NsoWriteError`] when the file is no such ELF.
pub fn from_elf(elf: &[u8], options: &WriteOptions) -> Result<Vec<u8>, NsoWriteError> {
    let header = elf::FileHeader64::<LE>::parse(elf).map_err(elf_error)?;
    let endian = header.endian().map_err(elf_error)?;
    let (machine, kind) = (header.e_machine(endian), header.e_type(endian));
    if machine != elf::EM_AARCH64 || (kind != elf::ET_DYN && kind != elf::ET_EXEC) {
        return Err(NsoWriteError::Machine { machine, kind });
    }

    let mut pieces: [Option<Piece>; 3] = [const { None }; 3];
    let mut build_id = None;
    for (index, program) in header.program_headers(endian, elf).map_err(elf_error)?.iter().enumerate() {
        let address = program.p_vaddr(endian);
        let layout = |what| NsoWriteError::Layout { what, index, address };
        if program.p_type(endian) == elf::PT_NOTE {
            build_id = build_id.or(note_build_id(program, endian, elf));
        }
        if program.p_type(endian) != elf::PT_LOAD || program.p_memsz(endian) == 0 {
            continue;
        }
        let slot = match program.p_flags(endian) & (elf::PF_R | elf::PF_W | elf::PF_X) {
            f if f & elf::PF_X != 0 && f & elf::PF_W == 0 => 0,
            f if f & (elf::PF_X | elf::PF_W) == 0 => 1,
            f if f & elf::PF_X == 0 => 2,
            _ => return Err(layout("a loadable segment is writable and executable")),
        };
        if pieces[slot + 1..].iter().any(Option::is_some) {
            return Err(layout("a loadable segment is out of order"));
        }
        let contents =
            program.data(endian, elf).map_err(|()| NsoWriteError::Elf(format!("program header {index} is cut off")))?;
        let memory_end = address.checked_add(program.p_memsz(endian)).ok_or(layout("a segment wraps around"))?;
        match &mut pieces[slot] {
            Some(piece) => {
                if address < piece.memory_end {
                    return Err(layout("a loadable segment overlaps the one before it"));
                }
                if address > super::MAX_IMAGE_SIZE {
                    return Err(layout("a segment lies too high"));
                }
                piece.bytes.resize((address - piece.start) as usize, 0);
                piece.bytes.extend_from_slice(contents);
                piece.memory_end = memory_end;
            }
            empty => {
                if address % PAGE_SIZE != 0 {
                    return Err(layout("a loadable segment does not start on a page"));
                }
                *empty = Some(Piece { start: address, bytes: contents.to_vec(), memory_end });
            }
        }
    }
    let missing = |what| NsoWriteError::Layout { what, index: 0, address: 0 };
    let [Some(text), ro, data] = pieces else { return Err(missing("there is no R+X segment")) };
    if text.start != 0 {
        return Err(NsoWriteError::Layout { what: "text is not at 0", index: 0, address: text.start });
    }
    // A module without constants or data still has all three segments, empty and in order.
    let after = |previous: &Piece| Piece {
        start: previous.memory_end.next_multiple_of(PAGE_SIZE),
        bytes: Vec::new(),
        memory_end: previous.memory_end.next_multiple_of(PAGE_SIZE),
    };
    let ro = ro.unwrap_or_else(|| after(&text));
    let data = data.unwrap_or_else(|| after(&ro));
    if ro.start < text.memory_end || data.start < ro.memory_end {
        return Err(missing("segments overlap"));
    }
    let segments = [&text, &ro, &data];
    for (kind, piece) in SegmentKind::ALL.into_iter().zip(segments) {
        if piece.memory_end > super::MAX_IMAGE_SIZE {
            return Err(NsoWriteError::TooLarge { segment: kind, size: piece.memory_end });
        }
    }

    let mut out = vec![0; HEADER_SIZE];
    put(&mut out, 0, u32::from_le_bytes(*b"NSO0"));
    put(&mut out, 0x1C, HEADER_SIZE as u32);
    put(&mut out, 0x2C, options.name.len() as u32 + 1);
    out.extend_from_slice(options.name.as_bytes());
    out.push(0);

    let mut flags = 0;
    let mut all = Sha256::new();
    for (index, piece) in segments.into_iter().enumerate() {
        let digest = Sha256::digest(&piece.bytes);
        all.update(&piece.bytes);
        out[0xA0 + index * 0x20..0xC0 + index * 0x20].copy_from_slice(&digest);
        if options.check_hashes {
            flags |= 1 << (3 + index);
        }
        let packed = options.compress.then(|| lz4_flex::block::compress(&piece.bytes));
        let stored = match &packed {
            Some(packed) if packed.len() < piece.bytes.len() => {
                flags |= 1 << index;
                packed.as_slice()
            }
            _ => piece.bytes.as_slice(),
        };
        let field = 0x10 + index * 0x10;
        let file_offset = out.len() as u32;
        put(&mut out, field, file_offset);
        put(&mut out, field + 4, piece.start as u32);
        put(&mut out, field + 8, piece.bytes.len() as u32);
        put(&mut out, 0x60 + index * 4, stored.len() as u32);
        out.extend_from_slice(stored);
    }
    put(&mut out, 0x3C, (data.memory_end - data.start - data.bytes.len() as u64) as u32);
    put(&mut out, 0xC, flags);
    let build_id = build_id.unwrap_or_else(|| all.finalize()[..20].to_vec());
    let length = build_id.len().min(32);
    out[0x40..0x40 + length].copy_from_slice(&build_id[..length]);

    // Where the loader finds symbols without walking the dynamic section.
    let sections = header.sections(endian, elf).map_err(elf_error)?;
    for (name, field) in [(&b".api_info"[..], 0x88), (b".dynstr", 0x90), (b".dynsym", 0x98)] {
        if let Some((_, section)) = sections.section_by_name(endian, name) {
            let (start, size) = (section.sh_addr(endian), section.sh_size(endian));
            if start >= ro.start && start.checked_add(size).is_some_and(|end| end <= ro.memory_end) {
                put(&mut out, field, (start - ro.start) as u32);
                put(&mut out, field + 4, size as u32);
            }
        }
    }
    Ok(out)
}

fn note_build_id(program: &elf::ProgramHeader64<LE>, endian: LE, data: &[u8]) -> Option<Vec<u8>> {
    let mut notes = program.notes(endian, data).ok()??;
    while let Ok(Some(note)) = notes.next() {
        if note.name() == b"GNU" && note.n_type(endian) == elf::NT_GNU_BUILD_ID {
            return Some(note.desc().to_vec());
        }
    }
    None
}

fn put(out: &mut [u8], offset: usize, value: u32) {
    out[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
}
