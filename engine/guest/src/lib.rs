//! The Horizon host: guest memory, loader, threads, kernel calls and nn:: functions.
//!
//! A title's lifted code runs on host threads and shares the address space with the host: guest addresses are host addresses. Everything here that
//! touches guest memory does so by checked copies ([`memory`]).
//!
//! ```no_run
//! use std::sync::Arc;
//! use ferrograph_guest::{boot::{Guest, Options}, memory::Layout, registry::HostRegistry, title::TitleDir};
//!
//! let title = TitleDir::open("title".as_ref())?;
//! let registry = Arc::new(HostRegistry::new(Layout::standard(0).host_text));
//! // Other crates register theirs: registry.register("nvnBootstrapLoader", |call| …); boot adds the nn:: functions that nobody has.
//! let guest = Guest::boot(title, "title.so".as_ref(), registry, Options::default())?;
//! std::process::exit(guest.wait().status());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
// Lifted code is C, guest memory is mapped at fixed addresses, and faults arrive as signals: none of the three can be had without unsafe code.
#![allow(unsafe_code)]

pub mod abi;
pub mod boot;
pub mod call;
pub mod fault;
pub mod kernel;
pub mod knob;
pub mod loader;
pub mod memory;
pub mod nn;
pub mod npdm;
pub mod process;
pub mod random;
pub mod registry;
mod svc;
pub mod time;
pub mod title;
