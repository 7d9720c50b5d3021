//! Phase 1: raw state becomes normalised state.

pub mod bare_pass_area;
pub mod classify_vertex_inputs;
pub mod drop_duplicate_attachments;
pub mod fill_driver_bank;
pub mod flip_window_origin;
pub mod mask_unwritten_outputs;
pub mod maxwell;
pub mod normalise_depth_state;
pub mod pick_host_formats;
pub mod rescale_depth_bias;
pub mod resolve_target_state;
pub mod settle_sample_ties;
pub mod shader_store;
pub mod specialise_shader_keys;
pub mod textures;

use framegraph::state::Compare;

/// The comparison of the API's number (depth, stencil, alpha and sampler comparisons share one numbering).
#[must_use]
pub fn compare(number: u32) -> Compare {
    match number {
        1 => Compare::Never,
        2 => Compare::Less,
        3 => Compare::Equal,
        4 => Compare::LessEqual,
        5 => Compare::Greater,
        6 => Compare::NotEqual,
        7 => Compare::GreaterEqual,
        _ => Compare::Always,
    }
}
