//! What the translation of a shader costs: every stage of the packs in `tests/data/shaders`, from machine code to SPIR-V.

use crate::cpu;
use nvn_shader::{ProgramBinary, ShaderKey, translate};
use std::path::Path;

/// What was translated, and how fast.
#[derive(Debug, Default)]
pub struct Translation {
    /// Microseconds of each stage.
    pub times: Vec<f64>,
    /// Bytes of machine code.
    pub bytes: usize,
    /// Words of SPIR-V.
    pub words: usize,
}

/// Translates every stage of the packs below `folder`.
///
/// # Errors
/// A file cannot be read, or a stage cannot be translated.
pub fn translate_all(folder: &Path) -> Result<Translation, Box<dyn std::error::Error>> {
    let mut out = Translation::default();
    for pack in std::fs::read_dir(folder)?.flatten().filter(|entry| entry.path().is_dir()) {
        for case in std::fs::read_dir(pack.path())?.flatten().filter(|entry| entry.path().is_dir()) {
            let (control, code) =
                (std::fs::read(case.path().join("control.bin"))?, std::fs::read(case.path().join("code.bin"))?);
            let start = cpu();
            let translated = translate(ProgramBinary { control: &control, code: &code }, &ShaderKey::default())?;
            out.times.push(cpu() - start);
            out.bytes += code.len();
            out.words += translated.spirv.len();
        }
    }
    Ok(out)
}
