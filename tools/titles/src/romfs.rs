//! The RomFS folder of a title: its assets as they are, and its shaders in one archive.
//!
//! Archive (`shaders.bin`), little-endian: magic `FGSH`, u32 version 1, u32 count, u32 zero; per shader 48 bytes: name
//! (32, NUL padded), control offset and size, code offset and size (u32 each); then the sections. Code sections start at
//! multiples of 256, control sections at multiples of 16.

use std::path::Path;

use crate::error::{self, TitleError};

const ENTRY: usize = 48;
const HEADER: usize = 16;

fn word(value: usize) -> [u8; 4] {
    u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes()
}

/// Packs `(name, control section, code section)` triples into an archive. Names longer than 31 bytes are cut.
#[must_use]
pub fn pack_shaders(shaders: &[(String, Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let mut out = vec![0; (HEADER + shaders.len() * ENTRY).next_multiple_of(256)];
    out[..4].copy_from_slice(b"FGSH");
    out[4..8].copy_from_slice(&word(1));
    out[8..12].copy_from_slice(&word(shaders.len()));
    for (index, (name, control, code)) in shaders.iter().enumerate() {
        let code_at = out.len();
        out.extend_from_slice(code);
        out.resize(out.len().next_multiple_of(16), 0);
        let control_at = out.len();
        out.extend_from_slice(control);
        out.resize(out.len().next_multiple_of(256), 0);
        let entry = HEADER + index * ENTRY;
        let name = &name.as_bytes()[..name.len().min(31)];
        out[entry..entry + name.len()].copy_from_slice(name);
        for (at, value) in [control_at, control.len(), code_at, code.len()].into_iter().enumerate() {
            out[entry + 32 + at * 4..entry + 36 + at * 4].copy_from_slice(&word(value));
        }
    }
    out
}

fn names(folder: &Path) -> Result<Vec<String>, TitleError> {
    let entries = std::fs::read_dir(folder).map_err(TitleError::io("read", folder))?;
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(TitleError::io("read", folder))?;
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// Writes the RomFS of the title whose sources lie in `title` into `out`.
///
/// # Errors
/// A shader or asset cannot be read, or a file cannot be written.
pub fn write(title: &Path, out: &Path) -> Result<(), TitleError> {
    std::fs::create_dir_all(out).map_err(TitleError::io("create", out))?;
    let assets = title.join("assets");
    if assets.is_dir() {
        for name in names(&assets)? {
            error::write(&out.join(&name), &error::read(&assets.join(&name))?)?;
        }
    }
    let folder = title.join("shaders");
    if folder.is_dir() {
        let mut shaders = Vec::new();
        for name in names(&folder)? {
            let control = error::read(&folder.join(&name).join("control.bin"))?;
            let code = error::read(&folder.join(&name).join("code.bin"))?;
            shaders.push((name, control, code));
        }
        error::write(&out.join("shaders.bin"), &pack_shaders(&shaders))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_aligned_and_found_again() {
        let shaders =
            vec![("one".to_owned(), vec![1; 0x7C8], vec![2; 256]), ("two".to_owned(), vec![3; 0x7C8], vec![4; 1024])];
        let archive = pack_shaders(&shaders);
        for (index, (name, control, code)) in shaders.iter().enumerate() {
            let entry = &archive[HEADER + index * ENTRY..][..ENTRY];
            assert_eq!(&entry[..name.len()], name.as_bytes());
            let field =
                |at: usize| u32::from_le_bytes(entry[32 + at * 4..36 + at * 4].try_into().expect("word")) as usize;
            assert_eq!(&archive[field(0)..field(0) + field(1)], control);
            assert_eq!(&archive[field(2)..field(2) + field(3)], code);
            assert_eq!(field(2) % 256, 0);
        }
    }
}
