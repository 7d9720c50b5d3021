//! Phase 7: which pipeline each draw needs.

pub mod pick_pipelines;
