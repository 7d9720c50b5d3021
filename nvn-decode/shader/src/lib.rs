//! Maxwell shader decoder and translator to SPIR-V.
//!
//! [`translate`] takes what the API hands over for one stage (control section and code section, [`ProgramBinary`]) and the state
//! that changes the code ([`ShaderKey`]), and returns a SPIR-V 1.6 module with what it needs bound ([`Reflection`]).
//!
//! Decisions that hold for every module:
//! * `.FTZ` is not emulated: subnormals follow the device. `.FMZ` is (0 times anything is 0).
//! * Every read of a register, predicate or flag that was not written gives 0, as do local memory and shared memory locals.
//! * `KIL` demotes; the lane keeps serving its quad.
//! * Storage buffers are descriptors: the address words of the storage tables read as 0, so an address is a byte offset.
//! * Draw parameters and grid sizes come from SPIR-V built-ins, not from the driver bank.

pub mod isa;

mod cfg;
mod emit;
mod error;
mod header;
mod ir;
mod key;
mod lift;
mod passes;
mod reflection;
mod ssa;
mod structure;

pub use error::ShaderError;
pub use header::Stage;
pub use key::{BindingScheme, ComponentClass, Mutants, ShaderKey, Store, TessDomain, TessSpacing, TextureHint};
pub use reflection::{
    DRIVER_SLOT, Dim, HandleSource, ImageFormat, ImageUse, LevelSource, Reflection, StorageUse, TextureUse, Translated,
    UniformUse,
};

/// One stage as the API receives it.
#[derive(Clone, Copy, Debug)]
pub struct ProgramBinary<'a> {
    /// The control section (CPU side), starting with its magic word.
    pub control: &'a [u8],
    /// The code section (GPU side), starting with its magic word.
    pub code: &'a [u8],
}

/// Header-level facts and the resources the code uses, with default key.
///
/// # Errors
/// As [`translate`].
pub fn reflect(binary: ProgramBinary<'_>) -> Result<Reflection, ShaderError> {
    translate(binary, &ShaderKey::default()).map(|t| t.reflection)
}

/// Translates one stage to SPIR-V.
///
/// # Errors
/// A section that is too short or has the wrong magic, an instruction the translator does not know (with its offset), an address
/// that leads to no storage table, or a program beyond the limits on size and nesting.
pub fn translate(binary: ProgramBinary<'_>, key: &ShaderKey) -> Result<Translated, ShaderError> {
    let program = header::Program::parse(binary)?;
    let flow = cfg::build(&program)?;
    let mut lifted = lift::lift(&program, &flow, key)?;
    passes::run(&mut lifted)?;
    let tree = structure::structure(&flow);
    emit::emit(&program, &flow, &lifted, &tree, key)
}
