//! One file per Maxwell rule, and the one table that orders every system.
//!
//! [`table::TABLE`] names every system of the engine in its order: those of this crate, of framegraph and nvn-decode, and the slots that the engine fills at
//! start-up. [`run::Engine`] builds the schedule from it and runs one part.

// A system's parameters are its contract: what it reads and what it writes.
#![allow(clippy::too_many_arguments)]

pub mod hazards;
pub mod ingest;
pub mod keyframe;
pub mod lowering;
pub mod passes;
pub mod pipelines;
pub mod resources;
pub mod rule;
pub mod run;
pub mod schedule;
pub mod state;
pub mod table;
#[cfg(test)]
mod testing;
