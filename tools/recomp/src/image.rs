//! A module as the lifter sees it, whichever container it came from: placed regions, entry points, pointers to code.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol};
use thiserror::Error;

use crate::nso::{Nso, Perms, RelocationKind};

/// Address of the first module of a title.
pub const FIRST_MODULE_BASE: u64 = 0x71_0000_0000;

/// Contents at a guest address.
#[derive(Debug, Clone)]
pub struct Region {
    /// First guest address.
    pub address: u64,
    /// Contents, RELATIVE relocations applied.
    pub bytes: Vec<u8>,
    /// Access rights.
    pub perms: Perms,
}

/// A placed module.
#[derive(Debug, Clone)]
pub struct Image {
    /// Module name: `main`, `subsdk0`, or the file name of an ELF.
    pub name: String,
    /// Build id, zero padded; of a static ELF, the hash of the file.
    pub build_id: [u8; 32],
    /// Guest address of the module's start.
    pub base: u64,
    /// First address behind the module, bss included.
    pub end: u64,
    /// Executable range.
    pub text: Range<u64>,
    /// Contents, ascending.
    pub regions: Vec<Region>,
    /// Certain function starts (symbols, init arrays, the entry point) with a name where one is known.
    pub functions: BTreeMap<u64, String>,
    /// Addresses in text that some pointer holds: function starts or labels.
    pub code_pointers: BTreeSet<u64>,
    /// Entry point of a program; `None` for console modules.
    pub entry: Option<u64>,
}

/// Why an image could not be made.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum ImageError {
    #[error("not a readable ELF: {0}; give a static little-endian AArch64 program")]
    Elf(#[from] object::Error),
    #[error("the ELF is for another machine or not static ({0}); give a static AArch64 program")]
    Kind(String),
    #[error("the ELF has no executable segment; link it as a program")]
    NoText,
}

impl Image {
    /// Places a console module at `base`.
    #[must_use]
    pub fn from_nso(nso: &Nso, name: &str, base: u64) -> Image {
        let text = base + nso.segments[0].memory_offset..base + nso.segments[0].end() / 4 * 4;
        let mut regions: Vec<Region> = nso
            .segments
            .iter()
            .map(|s| Region { address: base + s.memory_offset, bytes: s.bytes.clone(), perms: s.perms })
            .collect();
        let mut functions = BTreeMap::new();
        let mut code_pointers = BTreeSet::new();
        let is_code = |a: u64| text.contains(&a) && a.is_multiple_of(4);
        for symbol in &nso.dynamic.symbols {
            let address = base.wrapping_add(symbol.value);
            if symbol.is_definition() && symbol.is_function() && is_code(address) {
                functions.insert(address, symbol.name.clone());
            }
        }
        let d = &nso.dynamic;
        for offset in d.init_array.iter().chain(&d.fini_array).chain(&d.init).chain(&d.fini) {
            let address = base.wrapping_add(*offset);
            if is_code(address) {
                functions.entry(address).or_default();
            }
        }
        for relocation in &d.relocations {
            let symbol = d.symbols.get(relocation.symbol as usize);
            let target = match relocation.kind {
                RelocationKind::Relative => base.wrapping_add_signed(relocation.addend),
                RelocationKind::Abs64 | RelocationKind::GlobDat | RelocationKind::JumpSlot => match symbol {
                    Some(s) if s.is_definition() => base.wrapping_add(s.value).wrapping_add_signed(relocation.addend),
                    _ => continue,
                },
                _ => continue,
            };
            if is_code(target) {
                code_pointers.insert(target);
            }
            let place = base.wrapping_add(relocation.offset);
            if relocation.kind == RelocationKind::Relative {
                for region in &mut regions {
                    if let Some(slot) = place
                        .checked_sub(region.address)
                        .and_then(|o| region.bytes.get_mut(o as usize..(o as usize).saturating_add(8)))
                    {
                        slot.copy_from_slice(&target.to_le_bytes());
                    }
                }
            }
        }
        Image {
            name: name.to_owned(),
            build_id: nso.build_id,
            base,
            end: base + nso.memory_size(),
            text,
            regions,
            functions,
            code_pointers,
            entry: None,
        }
    }

    /// Reads a static AArch64 program, at its link address.
    ///
    /// # Errors
    /// When the file is no static little-endian AArch64 ELF with one executable segment.
    pub fn from_static_elf(file: &[u8], name: &str) -> Result<Image, ImageError> {
        use sha2::Digest;
        let elf = object::File::parse(file)?;
        if elf.architecture() != object::Architecture::Aarch64 || elf.kind() != object::ObjectKind::Executable {
            return Err(ImageError::Kind(format!("{:?}, {:?}", elf.architecture(), elf.kind())));
        }
        let mut regions = Vec::new();
        let mut end = 0;
        let mut text: Option<Range<u64>> = None;
        for segment in elf.segments() {
            let flags = match segment.flags() {
                object::SegmentFlags::Elf { p_flags } => p_flags,
                _ => 0,
            };
            let perms = Perms { read: flags & 4 != 0, write: flags & 2 != 0, execute: flags & 1 != 0 };
            let bytes = segment.data()?.to_vec();
            end = end.max(segment.address().saturating_add(segment.size()));
            if perms.execute {
                text = Some(segment.address()..segment.address() + bytes.len() as u64 / 4 * 4);
            }
            regions.push(Region { address: segment.address(), bytes, perms });
        }
        regions.sort_by_key(|r| r.address);
        let segment_text = text.ok_or(ImageError::NoText)?;
        let text = elf
            .section_by_name(".text")
            .map(|s| s.address()..s.address() + s.size() / 4 * 4)
            .filter(|t| segment_text.start <= t.start && t.end <= segment_text.end)
            .unwrap_or(segment_text);
        let is_code = |a: u64| text.contains(&a) && a.is_multiple_of(4);
        let mut functions = BTreeMap::new();
        if is_code(elf.entry()) {
            functions.insert(elf.entry(), "_start".to_owned());
        }
        for symbol in elf.symbols() {
            if symbol.kind() == object::SymbolKind::Text && symbol.is_definition() && is_code(symbol.address()) {
                functions.insert(symbol.address(), symbol.name().unwrap_or_default().to_owned());
            }
        }
        // A static program has no relocations left: every aligned word of its data that points into text counts.
        let mut code_pointers = BTreeSet::new();
        for region in regions.iter().filter(|r| !r.perms.execute) {
            let skip = (region.address.next_multiple_of(8) - region.address) as usize;
            for word in region.bytes.get(skip..).unwrap_or_default().chunks_exact(8) {
                let value = u64::from_le_bytes(word.try_into().unwrap_or_default());
                if is_code(value) {
                    code_pointers.insert(value);
                }
            }
        }
        let base = regions.first().map_or(0, |r| r.address);
        Ok(Image {
            name: name.to_owned(),
            build_id: sha2::Sha256::digest(file).into(),
            base,
            end,
            text,
            regions,
            functions,
            code_pointers,
            entry: Some(elf.entry()),
        })
    }

    /// `length` bytes at a guest address, when one region's contents hold all of them.
    #[must_use]
    pub fn bytes(&self, address: u64, length: usize) -> Option<&[u8]> {
        self.regions.iter().find_map(|r| {
            let offset = usize::try_from(address.checked_sub(r.address)?).ok()?;
            r.bytes.get(offset..offset.checked_add(length)?)
        })
    }

    /// The instruction word at `pc`; `None` outside text.
    #[must_use]
    pub fn word(&self, pc: u64) -> Option<u32> {
        if !self.text.contains(&pc) || !pc.is_multiple_of(4) {
            return None;
        }
        Some(u32::from_le_bytes(self.bytes(pc, 4)?.try_into().ok()?))
    }

    /// Whether `address` is an instruction address of this module.
    #[must_use]
    pub fn is_code(&self, address: u64) -> bool {
        self.text.contains(&address) && address.is_multiple_of(4)
    }

    /// An unsigned little-endian value of 1, 2, 4 or 8 bytes of memory that the program cannot write (or of relocated data).
    #[must_use]
    pub fn constant(&self, address: u64, size: usize) -> Option<u64> {
        let mut raw = [0u8; 8];
        raw.get_mut(..size)?.copy_from_slice(self.bytes(address, size)?);
        Some(u64::from_le_bytes(raw))
    }
}
