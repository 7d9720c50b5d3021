//! The frame graph: what a frame does, in neutral terms.
//!
//! This crate owns the vocabulary (nodes, resources, accesses, passes, barriers, decisions), the building of dependencies, the ordering, the
//! [`plan::Plan`], the verifier, and the export. It knows neither the console's API nor any PC graphics API: it never names NVN and never names Vulkan.
//!
//! # Three stores, by lifetime
//! - *Entities* (hundreds): passes ([`pass`]) and resources ([`resource`]). Pre-spawned, pooled, rewritten in place; the pools grow between frames only.
//! - *Tables* (thousands): Bevy resources of flat columns ([`tables`]): nodes, draws, bindings, accesses, edges, barriers, decisions. Each column
//!   group has one writer phase.
//! - Host GPU objects live outside, in the executor of a Plan.
//!
//! # Invariants
//! - [`ids::Seq`] is command order and is never changed; what moves gets an `order`.
//! - [`tables::Accesses`] is the only input of dependency building and of the verifier.
//! - Nothing is skipped, changed or delayed without a row in [`decision::Decisions`].
//! - A frame in steady state allocates nothing: tables are cleared, not dropped.

pub mod barriers;
pub mod caps;
pub mod decision;
pub mod dependencies;
pub mod export;
pub mod ids;
#[cfg(any(test, feature = "testing"))]
pub mod interpret;
pub mod layouts;
pub mod order;
pub mod pass;
pub mod passes;
pub mod plan;
pub mod resource;
pub mod resource_table;
pub mod rule;
pub mod schedule;
pub mod state;
pub mod tables;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod verify;
pub mod words;
pub mod world;
