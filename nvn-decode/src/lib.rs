//! NVN records and traces, their ingest into the frame graph, formats and block-linear layout.
//!
//! This crate is the only reader of records. It never names Vulkan.

pub mod formats;
pub mod ingest;
pub mod layout;
pub mod memory;
pub mod raw;
pub mod record;
pub mod trace;
