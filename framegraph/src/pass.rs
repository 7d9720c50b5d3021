//! Passes: entities, pooled and rewritten in place each part.

use crate::ids::{PassId, Rows, Seq};
use crate::state::AttachmentSet;
use bevy_ecs::prelude::*;

/// What a pass renders to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Component)]
pub struct PassTargets(pub AttachmentSet);

/// The nodes of a pass: rows of [`crate::tables::PassMembers`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Component)]
pub struct PassRows(pub Rows);

/// Area and layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Component)]
pub struct PassArea {
    /// Width and height in texels, from (0, 0).
    pub extent: [u32; 2],
    /// Layers rendered to (1, or more where a shader selects the layer).
    pub layers: u16,
}

/// What happens to an attachment's content when its pass begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LoadOp {
    /// Kept.
    #[default]
    Load,
    /// Set to a value: four 32-bit words in the class of the view; for depth/stencil `f32` bits of depth, then stencil.
    Clear([u32; 4]),
    /// Whatever: every texel is written before it is read, or is never read.
    DontCare,
}

/// What happens to it when the pass ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StoreOp {
    /// Kept.
    #[default]
    Store,
    /// Nobody reads it again.
    DontCare,
    /// Not written at all by this pass.
    None,
}

/// Load and store operations: colour slots, depth, stencil.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Component)]
pub struct PassOps {
    /// Colour slots.
    pub color: [(LoadOp, StoreOp); 8],
    /// Depth.
    pub depth: (LoadOp, StoreOp),
    /// Stencil.
    pub stencil: (LoadOp, StoreOp),
    /// Depth and stencil are only read: the attachment may be sampled at the same time.
    pub depth_read_only: bool,
}

/// Position of a pass: its first node's command order, its place in the schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Component)]
pub struct PassOrder {
    /// Command order of the first member.
    pub seq: Seq,
    /// Place in the schedule, once known.
    pub order: u32,
    /// Repeat index among the passes of this frame with equal attachments: with the attachments, the name of the pass for people.
    pub repeat: u32,
}

/// Facts about a pass, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Component)]
pub struct PassFlags(pub u32);

impl PassFlags {
    /// In use in this part.
    pub const LIVE: u32 = 1 << 0;
    /// Was merged into another pass and holds no members.
    pub const MERGED: u32 = 1 << 1;
    /// A draw reads an attachment of this pass (with the chosen plan stated in the decisions).
    pub const FEEDBACK: u32 = 1 << 2;
    /// Holds nothing but clears.
    pub const CLEARS_ONLY: u32 = 1 << 3;

    /// Whether all these bits are set.
    #[must_use]
    pub fn has(self, bits: u32) -> bool {
        self.0 & bits == bits
    }
}

/// Dense index of pass entities.
#[derive(Debug, Default, Resource)]
pub struct PassPool {
    entities: Vec<Entity>,
    /// Number of passes of the current part.
    pub live: u32,
}

impl PassPool {
    /// The entity of a pass.
    #[must_use]
    pub fn entity(&self, id: PassId) -> Option<Entity> {
        self.entities.get(id.index()).copied()
    }

    /// Entities of the current part, by id.
    #[must_use]
    pub fn entities(&self) -> &[Entity] {
        &self.entities[..self.live as usize]
    }

    /// Entities in the pool.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.entities.len()
    }

    /// Makes room for `count` passes. Called between parts, with what the last part needed and reserve.
    pub fn reserve(world: &mut World, count: usize) {
        while world.resource::<Self>().entities.len() < count {
            let id = PassId(world.resource::<Self>().entities.len() as u32);
            let entity = world
                .spawn((
                    id,
                    PassTargets::default(),
                    PassRows::default(),
                    PassArea::default(),
                    PassOps::default(),
                    PassOrder::default(),
                    PassFlags::default(),
                ))
                .id();
            world.resource_mut::<Self>().entities.push(entity);
        }
    }
}
