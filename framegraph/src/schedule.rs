//! Phases of a part, in order.

use bevy_ecs::schedule::SystemSet;

/// A phase. Every system belongs to one; the phases are chained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, SystemSet)]
pub enum Phase {
    /// Records become nodes and raw state.
    Ingest,
    /// Raw state becomes normalised state.
    State,
    /// Bindings become resources, uploads, views.
    Resources,
    /// Commands the host lacks become nodes it has.
    Lowering,
    /// Accesses, dependencies, feedback.
    Hazards,
    /// Passes.
    Passes,
    /// Order, layouts, barriers.
    Schedule,
    /// Pipelines.
    Pipelines,
    /// Execution, completion, export.
    Emit,
}
