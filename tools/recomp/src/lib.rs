//! The lifter: AArch64 modules to C, and C to one shared object per title.
//!
//! The way data flows: [`nso`] reads a console module (or [`image::Image::from_static_elf`] a static program) into an [`image::Image`];
//! [`a64`] decodes its words from one table; [`analysis`] finds functions, blocks and jump tables to a fixpoint; [`emit`] writes C with GNU
//! extensions; [`build`] compiles it with clang 19 into one shared object per title whose `fg_manifest` follows
//! `recomp-out/runtime/ferrograph_abi.h`. `ABI.md` beside this crate describes the contract with the host.

pub mod a64;
pub mod analysis;
pub mod build;
pub mod emit;
pub mod image;
pub mod knob;
pub mod nso;

pub use build::{Build, Options, Progress, RecompError, Stage, Toolchain, lift_images, lift_title, load_title};
pub use knob::Knob;
