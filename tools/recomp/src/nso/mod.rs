//! NSO modules: the container of a title's code (`main`, `subsdk*`, `sdk`).
//!
//! [`Nso::parse`] reads one, [`from_elf`] writes one. All offsets inside a module are relative to its load address (text is at 0).
//! Everything is little-endian. Outside bytes are never trusted: each length is checked before it is used.

mod dynamic;
mod write;

pub use dynamic::{Dynamic, Mod0, Relocation, RelocationKind, Symbol, SymbolBinding, SymbolVisibility};
pub use write::{NsoWriteError, WriteOptions, from_elf};

use sha2::{Digest, Sha256};

/// Size of the NSO header in bytes.
pub const HEADER_SIZE: usize = 0x100;
/// Granularity of segment placement in bytes.
pub const PAGE_SIZE: u64 = 0x1000;
/// Largest memory image that the reader accepts, in bytes; far above any retail module, far below what a hostile header can claim.
pub const MAX_IMAGE_SIZE: u64 = 0x4000_0000;

const FLAG_BRANCH_FILTERED_ZSTD: u32 = 1 << 7;

/// The three segments of a module, in the order of [`Nso::segments`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SegmentKind {
    /// Code: read and execute.
    Text,
    /// Constants, symbol and string tables: read.
    ReadOnly,
    /// Initialised data; bss follows it: read and write.
    Data,
}

impl SegmentKind {
    /// All kinds in file order.
    pub const ALL: [SegmentKind; 3] = [SegmentKind::Text, SegmentKind::ReadOnly, SegmentKind::Data];

    /// The access rights that the loader gives pages of this segment.
    #[must_use]
    pub fn perms(self) -> Perms {
        match self {
            SegmentKind::Text => Perms { read: true, write: false, execute: true },
            SegmentKind::ReadOnly => Perms { read: true, write: false, execute: false },
            SegmentKind::Data => Perms { read: true, write: true, execute: false },
        }
    }
}

impl std::fmt::Display for SegmentKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            SegmentKind::Text => "text",
            SegmentKind::ReadOnly => "rodata",
            SegmentKind::Data => "data",
        })
    }
}

/// Access rights of a segment's pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Perms {
    /// Loads are allowed.
    pub read: bool,
    /// Stores are allowed.
    pub write: bool,
    /// The bytes are code.
    pub execute: bool,
}

/// One decompressed segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Offset from the module's load address, in bytes; a multiple of [`PAGE_SIZE`].
    pub memory_offset: u64,
    /// The decompressed contents.
    pub bytes: Vec<u8>,
    /// Access rights after relocation.
    pub perms: Perms,
}

impl Segment {
    /// First offset behind the contents.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.memory_offset + self.bytes.len() as u64
    }
}

/// A decoded module.
#[derive(Debug, Clone)]
pub struct Nso {
    /// GNU build id, zero padded to 32 bytes: the key of patches, profiles and lifted code.
    pub build_id: [u8; 32],
    /// Module name stored behind the header (often empty).
    pub name: String,
    /// Text, rodata, data; ascending and not overlapping.
    pub segments: [Segment; 3],
    /// Bytes of zeroes after the data segment that the header asks for. See [`Nso::memory_size`] for the union with the MOD0 range.
    pub bss_size: u64,
    /// The module header that text offset 4 leads to; absent in a module without one.
    pub mod0: Option<Mod0>,
    /// What the dynamic section says; empty when there is no MOD0.
    pub dynamic: Dynamic,
}

/// Why a module was refused. `offset` is a file offset unless the text says otherwise.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NsoError {
    /// The first four bytes are something else.
    #[error(
        "not an NSO: magic {found:02x?} at file offset 0x0, expected \"NSO0\"; pass the extracted ExeFS file itself"
    )]
    Magic {
        /// What was there.
        found: [u8; 4],
    },
    /// The file ends before something that the header promises.
    #[error(
        "NSO is cut off: {what} at file offset {offset:#x} needs {need:#x} bytes, the file has {have:#x} in all; extract the title again"
    )]
    Truncated {
        /// What was being read.
        what: &'static str,
        /// Where it starts.
        offset: u64,
        /// Bytes that it takes.
        need: u64,
        /// Size of the file.
        have: u64,
    },
    /// A format revision that this reader does not know.
    #[error("NSO version {version} at file offset 0x4 is unknown, expected 0")]
    Version {
        /// The version field.
        version: u32,
    },
    /// Text is compressed with zstd and a branch filter (flag bit 7), which no free decoder undoes.
    #[error(
        "NSO flags {flags:#x} at file offset 0xc ask for branch-filtered zstd (bit 7), which is not supported; decompress the module with the console's own tools first"
    )]
    BranchFilteredZstd {
        /// The flags field.
        flags: u32,
    },
    /// A segment's memory offset breaks a placement rule.
    #[error("NSO {segment} segment at memory offset {memory_offset:#x} (header offset {offset:#x}): {rule}")]
    Placement {
        /// Which one.
        segment: SegmentKind,
        /// Its memory offset.
        memory_offset: u64,
        /// Header field.
        offset: u64,
        /// The rule that it breaks.
        rule: &'static str,
    },
    /// A segment claims more memory than is possible or allowed.
    #[error("NSO {segment} segment claims {size:#x} bytes (header offset {offset:#x}), the limit here is {limit:#x}")]
    Oversized {
        /// Which one.
        segment: SegmentKind,
        /// What it claims.
        size: u64,
        /// Header field.
        offset: u64,
        /// The limit.
        limit: u64,
    },
    /// An uncompressed segment whose two sizes differ.
    #[error(
        "NSO {segment} segment is stored uncompressed with file size {file_size:#x} but memory size {size:#x} (header offset {offset:#x})"
    )]
    SizeMismatch {
        /// Which one.
        segment: SegmentKind,
        /// Size in the file.
        file_size: u64,
        /// Size in memory.
        size: u64,
        /// Header field.
        offset: u64,
    },
    /// The LZ4 block is damaged.
    #[error(
        "NSO {segment} segment: LZ4 block at file offset {offset:#x} is damaged: {reason}; extract the title again"
    )]
    Lz4 {
        /// Which one.
        segment: SegmentKind,
        /// Start of the block.
        offset: u64,
        /// What the decoder says.
        reason: String,
    },
    /// The contents do not have the hash of the header.
    #[error(
        "NSO {segment} segment: SHA-256 differs from the one at file offset {offset:#x}; the file is damaged or was patched without clearing flag bit {bit}"
    )]
    Hash {
        /// Which one.
        segment: SegmentKind,
        /// Where the expected hash is.
        offset: u64,
        /// The flag that asks for the check.
        bit: u32,
    },
    /// The MOD0 header or what it points to is damaged.
    #[error("NSO module header: {what} at memory offset {offset:#x}: {rule}")]
    Mod0 {
        /// Which part.
        what: &'static str,
        /// Offset from the load address.
        offset: u64,
        /// The rule that it breaks.
        rule: &'static str,
    },
}

pub(crate) fn read_u32(bytes: &[u8], offset: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(offset..offset.checked_add(4)?)?.try_into().ok()?))
}

pub(crate) fn read_u64(bytes: &[u8], offset: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(offset..offset.checked_add(8)?)?.try_into().ok()?))
}

impl Nso {
    /// Reads a module from the bytes of an ExeFS file.
    ///
    /// # Errors
    /// See [`NsoError`]; each names the file or memory offset. Compressed segments are LZ4 raw blocks; a SHA-256 is compared where the
    /// header's flag asks for it.
    pub fn parse(file: &[u8]) -> Result<Nso, NsoError> {
        let have = file.len() as u64;
        if let Some(found) = file.first_chunk::<4>()
            && found != b"NSO0"
        {
            return Err(NsoError::Magic { found: *found });
        }
        let Some(header) = file.first_chunk::<HEADER_SIZE>() else {
            return Err(NsoError::Truncated { what: "header", offset: 0, need: HEADER_SIZE as u64, have });
        };
        let word = |offset: usize| read_u32(header, offset).unwrap_or(0);
        let version = word(4);
        if version != 0 {
            return Err(NsoError::Version { version });
        }
        let flags = word(0xC);
        if flags & FLAG_BRANCH_FILTERED_ZSTD != 0 {
            return Err(NsoError::BranchFilteredZstd { flags });
        }

        let mut segments = Vec::with_capacity(3);
        let mut previous_end = 0u64;
        for (index, kind) in SegmentKind::ALL.into_iter().enumerate() {
            let field = 0x10 + index * 0x10;
            let segment = read_segment(file, header, kind, index, flags, previous_end)?;
            previous_end = segment.end();
            if previous_end > MAX_IMAGE_SIZE {
                return Err(NsoError::Oversized {
                    segment: kind,
                    size: previous_end,
                    offset: field as u64,
                    limit: MAX_IMAGE_SIZE,
                });
            }
            segments.push(segment);
        }
        let bss_size = u64::from(word(0x3C));
        if previous_end + bss_size > MAX_IMAGE_SIZE {
            return Err(NsoError::Oversized {
                segment: SegmentKind::Data,
                size: previous_end + bss_size,
                offset: 0x3C,
                limit: MAX_IMAGE_SIZE,
            });
        }
        let name_offset = word(0x1C) as usize;
        let name_size = word(0x2C) as usize;
        let name = match name_offset.checked_add(name_size).and_then(|end| file.get(name_offset..end)) {
            Some(bytes) => String::from_utf8_lossy(bytes.split(|&b| b == 0).next().unwrap_or_default()).into_owned(),
            None => {
                return Err(NsoError::Truncated {
                    what: "module name",
                    offset: name_offset as u64,
                    need: name_size as u64,
                    have,
                });
            }
        };
        let segments: [Segment; 3] = match segments.try_into() {
            Ok(three) => three,
            Err(_) => unreachable!("the loop above pushes exactly three"),
        };
        let dynsym_bytes = word(0x9C);
        let mod0 = Mod0::find(&segments)?;
        let dynamic = match &mod0 {
            Some(mod0) => Dynamic::parse(&segments, mod0, u64::from(dynsym_bytes))?,
            None => Dynamic::default(),
        };
        let mut build_id = [0; 32];
        build_id.copy_from_slice(&header[0x40..0x60]);
        let nso = Nso { build_id, name, segments, bss_size, mod0, dynamic };
        if nso.memory_size() > MAX_IMAGE_SIZE {
            return Err(NsoError::Oversized {
                segment: SegmentKind::Data,
                size: nso.memory_size(),
                offset: 0x3C,
                limit: MAX_IMAGE_SIZE,
            });
        }
        Ok(nso)
    }

    /// Bytes of address space that the module takes from its load address: the end of bss (union of the header's and MOD0's range),
    /// rounded up to [`PAGE_SIZE`]. The next module starts there.
    #[must_use]
    pub fn memory_size(&self) -> u64 {
        let header_end = self.segments[2].end() + self.bss_size;
        let mod0_end = self.mod0.as_ref().map_or(0, |m| m.bss_end);
        header_end.max(mod0_end).next_multiple_of(PAGE_SIZE)
    }

    /// The range of zeroed memory: from the end of the data contents to [`Nso::memory_size`]. A MOD0 bss that starts before the end of the
    /// data contents is clipped to it, as those bytes come from the file.
    #[must_use]
    pub fn bss_range(&self) -> std::ops::Range<u64> {
        self.segments[2].end()..self.memory_size()
    }

    /// The build id as lower-case hexadecimal without trailing zero bytes (at least one byte).
    #[must_use]
    pub fn build_id_hex(&self) -> String {
        hex_without_padding(&self.build_id)
    }

    /// `length` bytes at a memory offset, when one segment's contents hold all of them.
    #[must_use]
    pub fn bytes_at(&self, offset: u64, length: u64) -> Option<&[u8]> {
        bytes_at(&self.segments, offset, length)
    }
}

/// Lower-case hexadecimal of `id` without trailing zero bytes, at least one byte.
#[must_use]
pub fn hex_without_padding(id: &[u8]) -> String {
    let used = id.iter().rposition(|&b| b != 0).map_or(1, |last| last + 1).min(id.len());
    id[..used].iter().map(|b| format!("{b:02x}")).collect()
}

pub(crate) fn bytes_at(segments: &[Segment], offset: u64, length: u64) -> Option<&[u8]> {
    let end = offset.checked_add(length)?;
    let segment = segments.iter().find(|s| s.memory_offset <= offset && end <= s.end())?;
    segment.bytes.get((offset - segment.memory_offset) as usize..(end - segment.memory_offset) as usize)
}

fn read_segment(
    file: &[u8],
    header: &[u8; HEADER_SIZE],
    kind: SegmentKind,
    index: usize,
    flags: u32,
    previous_end: u64,
) -> Result<Segment, NsoError> {
    let field = 0x10 + index * 0x10;
    let at = |offset: usize| u64::from(read_u32(header, offset).unwrap_or(0));
    let (file_offset, memory_offset, size) = (at(field), at(field + 4), at(field + 8));
    let file_size = at(0x60 + index * 4);
    let placement = |rule| NsoError::Placement { segment: kind, memory_offset, offset: field as u64 + 4, rule };
    if memory_offset % PAGE_SIZE != 0 {
        return Err(placement("segments start on a page (0x1000)"));
    }
    if kind == SegmentKind::Text && memory_offset != 0 {
        return Err(placement("text starts at 0"));
    }
    if memory_offset < previous_end {
        return Err(placement("it overlaps the segment before it"));
    }
    let compressed = flags >> index & 1 != 0;
    // An LZ4 block cannot grow by more than 255 times, so a larger claim is a lie that must not be allocated.
    let limit = if compressed { MAX_IMAGE_SIZE.min(file_size * 255 + 64) } else { MAX_IMAGE_SIZE };
    if size > limit {
        return Err(NsoError::Oversized { segment: kind, size, offset: field as u64 + 8, limit });
    }
    let what = match kind {
        SegmentKind::Text => "text segment",
        SegmentKind::ReadOnly => "rodata segment",
        SegmentKind::Data => "data segment",
    };
    let stored = file.get(file_offset as usize..(file_offset + file_size) as usize).ok_or(NsoError::Truncated {
        what,
        offset: file_offset,
        need: file_size,
        have: file.len() as u64,
    })?;
    let bytes = if compressed {
        let lz4 = |reason: String| NsoError::Lz4 { segment: kind, offset: file_offset, reason };
        let bytes = lz4_flex::block::decompress(stored, size as usize).map_err(|e| lz4(e.to_string()))?;
        if bytes.len() as u64 != size {
            return Err(lz4(format!("it holds {:#x} bytes, the header says {size:#x}", bytes.len())));
        }
        bytes
    } else {
        if file_size != size {
            return Err(NsoError::SizeMismatch { segment: kind, file_size, size, offset: 0x60 + index as u64 * 4 });
        }
        stored.to_vec()
    };
    if flags >> (3 + index) & 1 != 0 {
        let offset = 0xA0 + index * 0x20;
        if Sha256::digest(&bytes).as_slice() != &header[offset..offset + 0x20] {
            return Err(NsoError::Hash { segment: kind, offset: offset as u64, bit: 3 + index as u32 });
        }
    }
    Ok(Segment { memory_offset, bytes, perms: kind.perms() })
}

#[cfg(test)]
mod tests;
