//! Phase 3: commands that a host lacks become nodes that it has.

pub mod lower_clears;
pub mod lower_copies;
pub mod lower_indirect;
pub mod order_inline_updates;
pub mod pick_blit_texels;
pub mod prepare_present;
