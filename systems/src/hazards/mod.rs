//! Phase 4, hazards: who touches what, and what the game ordered.

pub mod collect_accesses;
pub mod detect_feedback_loops;
pub mod lower_nvn_barriers;
pub mod resolve_feedback_loops;
pub mod split_on_fragment_order;
