//! MOD0 and the dynamic section: symbols, relocations, constructors.

use super::{NsoError, Segment, bytes_at, read_u32, read_u64};
use std::collections::BTreeMap;

/// The module header that the word at text offset 4 leads to. All fields are offsets from the load address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mod0 {
    /// Where the header itself is.
    pub offset: u64,
    /// The dynamic section.
    pub dynamic: u64,
    /// First byte to zero.
    pub bss_start: u64,
    /// First byte behind the zeroed range.
    pub bss_end: u64,
    /// First byte of `.eh_frame_hdr` (equal to the end when there is none).
    pub eh_frame_hdr_start: u64,
    /// First byte behind `.eh_frame_hdr`.
    pub eh_frame_hdr_end: u64,
    /// The module object that the dynamic loader fills in (in bss).
    pub module_object: u64,
}

impl Mod0 {
    /// Follows the offset at text+4. `Ok(None)` when the text is too short or there is no MOD0 magic at its target.
    pub(super) fn find(segments: &[Segment; 3]) -> Result<Option<Mod0>, NsoError> {
        let Some(offset) = read_u32(&segments[0].bytes, 4).map(u64::from) else { return Ok(None) };
        let Some(bytes) = bytes_at(segments, offset, 0x1C) else {
            // A word that leads nowhere means code, not a header, unless it leads to a header that is cut off.
            return match bytes_at(segments, offset, 4) {
                Some(b"MOD0") => {
                    Err(NsoError::Mod0 { what: "MOD0", offset, rule: "0x1c bytes must lie in one segment" })
                }
                _ => Ok(None),
            };
        };
        if &bytes[..4] != b"MOD0" {
            return Ok(None);
        }
        // Fields are signed 32-bit distances from the MOD0 itself.
        let field = |at: usize, what: &'static str| -> Result<u64, NsoError> {
            let distance = i64::from(read_u32(bytes, at).unwrap_or(0) as i32);
            offset.checked_add_signed(distance).filter(|&o| o <= super::MAX_IMAGE_SIZE).ok_or(NsoError::Mod0 {
                what,
                offset: offset + at as u64,
                rule: "it must lead to an offset inside the module",
            })
        };
        let mod0 = Mod0 {
            offset,
            dynamic: field(4, "dynamic section offset")?,
            bss_start: field(8, "bss start")?,
            bss_end: field(0xC, "bss end")?,
            eh_frame_hdr_start: field(0x10, "eh_frame_hdr start")?,
            eh_frame_hdr_end: field(0x14, "eh_frame_hdr end")?,
            module_object: field(0x18, "module object")?,
        };
        if mod0.bss_end < mod0.bss_start {
            return Err(NsoError::Mod0 {
                what: "bss end",
                offset: offset + 0xC,
                rule: "it must not be below bss start",
            });
        }
        Ok(Some(mod0))
    }
}

/// `STB_*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolBinding {
    /// Only visible in its module.
    Local,
    /// Visible to all modules.
    Global,
    /// Like global; becomes 0 when nobody defines it.
    Weak,
    /// A processor- or system-specific binding.
    Other(u8),
}

/// `STV_*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolVisibility {
    /// Looked up in all modules in list order.
    Default,
    /// Binds inside the module.
    Internal,
    /// Binds inside the module.
    Hidden,
    /// Binds inside the module, but is exported.
    Protected,
}

/// One entry of the dynamic symbol table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Mangled name; empty for index 0 and section symbols.
    pub name: String,
    /// Offset from the load address (`st_value`); meaningless for an import.
    pub value: u64,
    /// Size in bytes; 0 when unknown.
    pub size: u64,
    /// `STT_*`: 0 none, 1 object, 2 function, 6 thread-local.
    pub kind: u8,
    /// Binding.
    pub binding: SymbolBinding,
    /// Visibility.
    pub visibility: SymbolVisibility,
    /// `st_shndx`: 0 = undefined, 0xFFF2 = common.
    pub section: u16,
}

impl Symbol {
    /// Whether this module defines the symbol (undefined and common entries are no definition).
    #[must_use]
    pub fn is_definition(&self) -> bool {
        self.section != 0 && self.section != 0xFFF2
    }

    /// Whether it names a function.
    #[must_use]
    pub fn is_function(&self) -> bool {
        self.kind == 2
    }
}

/// What a relocation computes. S = symbol address, A = addend, base = load address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelocationKind {
    /// 257: 64 bits, S + A.
    Abs64,
    /// 258: 32 bits, S + A.
    Abs32,
    /// 1025: S + A into a GOT slot.
    GlobDat,
    /// 1026: S + A into a PLT GOT slot.
    JumpSlot,
    /// 1027 and RELR: base + A.
    Relative,
    /// 1028 to 1031: thread-local forms.
    Tls(u32),
    /// Anything else.
    Other(u32),
}

impl RelocationKind {
    /// From the ELF number.
    #[must_use]
    pub fn from_number(number: u32) -> RelocationKind {
        match number {
            257 => RelocationKind::Abs64,
            258 => RelocationKind::Abs32,
            1025 => RelocationKind::GlobDat,
            1026 => RelocationKind::JumpSlot,
            1027 => RelocationKind::Relative,
            1028..=1031 => RelocationKind::Tls(number),
            other => RelocationKind::Other(other),
        }
    }
}

/// One place that the loader must fill in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Relocation {
    /// Offset of the place from the load address.
    pub offset: u64,
    /// What to compute.
    pub kind: RelocationKind,
    /// Index into [`Dynamic::symbols`]; 0 = none.
    pub symbol: u32,
    /// The addend; for RELR entries it was read from the place itself.
    pub addend: i64,
}

/// What the dynamic section says. Offsets are from the load address.
#[derive(Debug, Clone, Default)]
pub struct Dynamic {
    /// The dynamic symbol table; index 0 is the null symbol.
    pub symbols: Vec<Symbol>,
    /// RELR (expanded), RELA and JMPREL entries, in this order.
    pub relocations: Vec<Relocation>,
    /// `DT_INIT`.
    pub init: Option<u64>,
    /// `DT_FINI`.
    pub fini: Option<u64>,
    /// Functions of `DT_INIT_ARRAY` in order, as offsets: RELATIVE addends or ABS64 definitions, else the raw word.
    pub init_array: Vec<u64>,
    /// Functions of `DT_FINI_ARRAY` in order.
    pub fini_array: Vec<u64>,
    /// Offset and size in bytes of `DT_INIT_ARRAY` itself: what a loader walks after relocation.
    pub init_array_range: Option<(u64, u64)>,
    /// Offset and size in bytes of `DT_FINI_ARRAY`.
    pub fini_array_range: Option<(u64, u64)>,
    /// `DT_PLTGOT`.
    pub plt_got: Option<u64>,
    /// `DT_NEEDED` names.
    pub needed: Vec<String>,
    /// `DT_SONAME`.
    pub soname: Option<String>,
}

const NULL: u64 = 0;
const NEEDED: u64 = 1;
const PLTRELSZ: u64 = 2;
const PLTGOT: u64 = 3;
const HASH: u64 = 4;
const STRTAB: u64 = 5;
const SYMTAB: u64 = 6;
const RELA: u64 = 7;
const RELASZ: u64 = 8;
const RELAENT: u64 = 9;
const STRSZ: u64 = 10;
const SYMENT: u64 = 11;
const INIT: u64 = 12;
const FINI: u64 = 13;
const SONAME: u64 = 14;
const PLTREL: u64 = 20;
const JMPREL: u64 = 23;
const INIT_ARRAY: u64 = 25;
const FINI_ARRAY: u64 = 26;
const INIT_ARRAYSZ: u64 = 27;
const FINI_ARRAYSZ: u64 = 28;
const RELRSZ: u64 = 35;
const RELR: u64 = 36;
const RELRENT: u64 = 37;
const GNU_HASH: u64 = 0x6fff_fef5;

fn bad(what: &'static str, offset: u64, rule: &'static str) -> NsoError {
    NsoError::Mod0 { what, offset, rule }
}

impl Dynamic {
    /// Reads everything that `mod0.dynamic` leads to. `dynsym_bytes` is the NSO header's own size of the symbol table (0 = not given).
    pub(super) fn parse(segments: &[Segment; 3], mod0: &Mod0, dynsym_bytes: u64) -> Result<Dynamic, NsoError> {
        let mut tags = BTreeMap::new();
        let mut needed_offsets = Vec::new();
        let mut at = mod0.dynamic;
        loop {
            let entry = bytes_at(segments, at, 16).ok_or(bad(
                "dynamic section",
                at,
                "it must lie in a segment and end with DT_NULL",
            ))?;
            let (tag, value) = (read_u64(entry, 0).unwrap_or(0), read_u64(entry, 8).unwrap_or(0));
            match tag {
                NULL => break,
                NEEDED => needed_offsets.push(value),
                _ => {
                    // The first entry of a tag counts, as for the console's loader.
                    tags.entry(tag).or_insert(value);
                }
            }
            at += 16;
        }
        let tag = |t: u64| tags.get(&t).copied();
        for (t, what, size) in [
            (SYMENT, "DT_SYMENT", 24),
            (RELAENT, "DT_RELAENT", 24),
            (RELRENT, "DT_RELRENT", 8),
            (PLTREL, "DT_PLTREL", RELA),
        ] {
            if tag(t).is_some_and(|v| v != size) {
                return Err(bad(
                    what,
                    mod0.dynamic,
                    "its value is not the one of the AArch64 ABI (RELA tables, 24-byte entries)",
                ));
            }
        }

        let strings = match (tag(STRTAB), tag(STRSZ)) {
            (Some(offset), Some(size)) => {
                bytes_at(segments, offset, size).ok_or(bad("DT_STRTAB", offset, "it must lie in a segment"))?
            }
            _ => &[],
        };
        let symbols = match tag(SYMTAB) {
            Some(offset) => {
                let count = symbol_count(segments, offset, tag(HASH), tag(GNU_HASH), dynsym_bytes)?;
                read_symbols(segments, offset, count, strings)?
            }
            None => Vec::new(),
        };

        let mut relocations = Vec::new();
        if let (Some(offset), Some(size)) = (tag(RELR), tag(RELRSZ)) {
            read_relr(segments, offset, size, &mut relocations)?;
        }
        for (table, size, what) in [(RELA, RELASZ, "DT_RELA"), (JMPREL, PLTRELSZ, "DT_JMPREL")] {
            if let (Some(offset), Some(size)) = (tag(table), tag(size)) {
                read_rela(segments, offset, size, what, symbols.len(), &mut relocations)?;
            }
        }

        let mut dynamic = Dynamic {
            needed: needed_offsets.iter().map(|&o| string(strings, o)).collect(),
            soname: tag(SONAME).map(|o| string(strings, o)),
            init: tag(INIT).filter(|&v| v != 0),
            fini: tag(FINI).filter(|&v| v != 0),
            plt_got: tag(PLTGOT),
            symbols,
            relocations,
            ..Dynamic::default()
        };
        for (array, size, what, fini) in
            [(INIT_ARRAY, INIT_ARRAYSZ, "DT_INIT_ARRAY", false), (FINI_ARRAY, FINI_ARRAYSZ, "DT_FINI_ARRAY", true)]
        {
            let (Some(offset), Some(size)) = (tag(array), tag(size)) else { continue };
            let words = bytes_at(segments, offset, size).ok_or(bad(what, offset, "it must lie in a segment"))?;
            let functions = (0..words.len() / 8)
                .map(|i| dynamic.resolved_word(words, offset, i))
                // 0 and -1 are terminators of older linkers.
                .filter(|&f| f != 0 && f != u64::MAX)
                .collect();
            if fini {
                (dynamic.fini_array, dynamic.fini_array_range) = (functions, Some((offset, size)));
            } else {
                (dynamic.init_array, dynamic.init_array_range) = (functions, Some((offset, size)));
            }
        }
        Ok(dynamic)
    }

    fn resolved_word(&self, words: &[u8], array: u64, index: usize) -> u64 {
        let place = array + index as u64 * 8;
        let relocation = self.relocations.iter().find(|r| r.offset == place);
        match relocation {
            Some(r) if r.kind == RelocationKind::Relative => r.addend as u64,
            Some(r) => match self.symbols.get(r.symbol as usize) {
                Some(s) if s.is_definition() => s.value.wrapping_add_signed(r.addend),
                _ => 0,
            },
            None => read_u64(words, index * 8).unwrap_or(0),
        }
    }

    /// The definition of `name` that other modules see.
    #[must_use]
    pub fn exported(&self, name: &str) -> Option<&Symbol> {
        self.symbols.iter().find(|s| {
            s.name == name
                && s.is_definition()
                && s.binding != SymbolBinding::Local
                && matches!(s.visibility, SymbolVisibility::Default | SymbolVisibility::Protected)
        })
    }
}

fn string(strings: &[u8], offset: u64) -> String {
    let tail = usize::try_from(offset).ok().and_then(|o| strings.get(o..)).unwrap_or_default();
    String::from_utf8_lossy(tail.split(|&b| b == 0).next().unwrap_or_default()).into_owned()
}

fn symbol_count(
    segments: &[Segment; 3],
    table: u64,
    hash: Option<u64>,
    gnu_hash: Option<u64>,
    dynsym_bytes: u64,
) -> Result<u64, NsoError> {
    if let Some(offset) = hash {
        let header = bytes_at(segments, offset, 8).ok_or(bad("DT_HASH", offset, "it must lie in a segment"))?;
        return Ok(u64::from(read_u32(header, 4).unwrap_or(0)));
    }
    if let Some(offset) = gnu_hash {
        return gnu_symbol_count(segments, offset);
    }
    if dynsym_bytes != 0 {
        return Ok(dynsym_bytes / 24);
    }
    Err(bad("DT_SYMTAB", table, "its length is unknown: neither DT_HASH nor DT_GNU_HASH nor the NSO header gives it"))
}

/// Highest symbol index on any chain of a GNU hash table, plus one.
fn gnu_symbol_count(segments: &[Segment; 3], offset: u64) -> Result<u64, NsoError> {
    let cut = |at| bad("DT_GNU_HASH", at, "the table must lie in a segment");
    let word = |at: u64| bytes_at(segments, at, 4).and_then(|b| read_u32(b, 0)).map(u64::from).ok_or(cut(at));
    let (bucket_count, first, bloom) = (word(offset)?, word(offset + 4)?, word(offset + 8)?);
    let buckets = offset + 16 + bloom * 8;
    let chains = buckets + bucket_count * 4;
    let table = bytes_at(segments, buckets, bucket_count * 4).ok_or(cut(buckets))?;
    let mut last = 0;
    for bucket in table.chunks_exact(4) {
        last = last.max(u64::from(read_u32(bucket, 0).unwrap_or(0)));
    }
    if last < first || last == 0 {
        return Ok(first);
    }
    while word(chains + (last - first) * 4)? & 1 == 0 {
        last += 1;
    }
    Ok(last + 1)
}

fn read_symbols(segments: &[Segment; 3], offset: u64, count: u64, strings: &[u8]) -> Result<Vec<Symbol>, NsoError> {
    let bytes = count.checked_mul(24).and_then(|size| bytes_at(segments, offset, size)).ok_or(bad(
        "DT_SYMTAB",
        offset,
        "all its entries must lie in a segment",
    ))?;
    Ok(bytes
        .chunks_exact(24)
        .map(|entry| Symbol {
            name: string(strings, u64::from(read_u32(entry, 0).unwrap_or(0))),
            value: read_u64(entry, 8).unwrap_or(0),
            size: read_u64(entry, 16).unwrap_or(0),
            kind: entry[4] & 15,
            binding: match entry[4] >> 4 {
                0 => SymbolBinding::Local,
                1 => SymbolBinding::Global,
                2 => SymbolBinding::Weak,
                other => SymbolBinding::Other(other),
            },
            visibility: match entry[5] & 3 {
                0 => SymbolVisibility::Default,
                1 => SymbolVisibility::Internal,
                2 => SymbolVisibility::Hidden,
                _ => SymbolVisibility::Protected,
            },
            section: u16::from_le_bytes([entry[6], entry[7]]),
        })
        .collect())
}

fn read_rela(
    segments: &[Segment; 3],
    offset: u64,
    size: u64,
    what: &'static str,
    symbol_count: usize,
    out: &mut Vec<Relocation>,
) -> Result<(), NsoError> {
    let bytes = bytes_at(segments, offset, size).ok_or(bad(what, offset, "all its entries must lie in a segment"))?;
    for (i, entry) in bytes.chunks_exact(24).enumerate() {
        let info = read_u64(entry, 8).unwrap_or(0);
        let symbol = (info >> 32) as u32;
        if symbol != 0 && symbol as usize >= symbol_count {
            return Err(bad(what, offset + i as u64 * 24, "it names a symbol behind the end of the symbol table"));
        }
        out.push(Relocation {
            offset: read_u64(entry, 0).unwrap_or(0),
            kind: RelocationKind::from_number(info as u32),
            symbol,
            addend: read_u64(entry, 16).unwrap_or(0) as i64,
        });
    }
    Ok(())
}

fn read_relr(segments: &[Segment; 3], offset: u64, size: u64, out: &mut Vec<Relocation>) -> Result<(), NsoError> {
    let bytes = bytes_at(segments, offset, size).ok_or(bad("DT_RELR", offset, "it must lie in a segment"))?;
    let mut place = 0u64;
    let mut push = |place: u64| -> Result<(), NsoError> {
        let addend = bytes_at(segments, place, 8).and_then(|b| read_u64(b, 0)).ok_or(bad(
            "DT_RELR",
            place,
            "the place must lie in a segment's contents",
        ))?;
        out.push(Relocation { offset: place, kind: RelocationKind::Relative, symbol: 0, addend: addend as i64 });
        Ok(())
    };
    for entry in bytes.chunks_exact(8) {
        let word = read_u64(entry, 0).unwrap_or(0);
        if word & 1 == 0 {
            push(word)?;
            place = word.wrapping_add(8);
        } else {
            for bit in 1..64 {
                if word >> bit & 1 != 0 {
                    push(place.wrapping_add((bit - 1) * 8))?;
                }
            }
            place = place.wrapping_add(63 * 8);
        }
    }
    Ok(())
}
