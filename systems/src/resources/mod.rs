//! Phase 2: bindings become images, buffers, uploads and views.

pub mod alias_by_storage;
pub mod collect_storage_uses;
pub mod fit_views;
pub mod intervals;
pub mod narrow_sampled_levels;
pub mod pick_compare_samplers;
pub mod upload_dirty_buffers;
pub mod upload_dirty_textures;
pub mod zero_initialise;

use framegraph::ids::Seq;

/// Keys of nodes that come before the first command of a part: first what makes new images zero, then uploads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prologue {
    /// New images become zero.
    Zero,
    /// Buffers take what the CPU wrote.
    Buffers,
    /// Images take what the CPU wrote.
    Textures,
}

impl Prologue {
    /// The key of the `ordinal`-th node of this kind.
    #[must_use]
    pub fn seq(self, ordinal: usize) -> Seq {
        let sub = match self {
            Self::Zero => -300,
            Self::Buffers => -200,
            Self::Textures => -100,
        };
        Seq { command: 0, sub, ordinal: ordinal.min(usize::from(u16::MAX)) as u16 }
    }
}
