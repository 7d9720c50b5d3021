//! Builds the guest titles of `tests/titles`: headers from the fact tables, modules through clang and lld, NSO and NPDM
//! files, and the RomFS folder. One call, [`build()`], makes a title that `ferrograph play` can run; [`build_native`]
//! makes the same code into a host program that records every call, for the title's own tests.

mod build;
mod error;
pub mod headers;
mod native;
pub mod npdm;
pub mod romfs;

pub use build::{Built, TITLES, Title, build, is_current, repository_root};
pub use error::TitleError;
pub use native::build_native;
