//! Phase 5, passes: grouping, joining, load and store operations.

pub mod choose_load_store_ops;
pub mod fold_lazy_clears;
pub mod form_passes;
pub mod layer_writers_get_layers;
pub mod merge_passes;
