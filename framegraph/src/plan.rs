//! The Plan: a flat list of steps with batched barriers, which an executor walks without knowing any rule.

use crate::ids::{NodeId, PassId, ResourceId};
use crate::resource::Layout;
use crate::state::{PipelineKey, RowIndex, StageSet, Subresources};
use bevy_ecs::prelude::Resource;

/// One step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Row of [`Plan::batches`]: before the next step, outside passes.
    Barrier(u32),
    /// Row of [`Plan::batches`]: inside the open pass, by region (feedback through the attachment layout).
    SelfBarrier(u32),
    /// Begins rendering to a pass.
    BeginPass(PassId),
    /// Runs a node: inside the open pass for draws and attachment clears, else outside.
    Node(NodeId),
    /// Ends the open pass.
    EndPass(PassId),
}

/// A barrier batch: one global memory barrier and the layout changes of this point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Batch {
    /// Bits of [`crate::tables::uses`] that must have finished (and, for writes, be made available).
    pub source_uses: u32,
    /// Shader stages of the shader uses among them.
    pub source_stages: StageSet,
    /// Bits of uses that wait, and to which writes become visible.
    pub target_uses: u32,
    /// Shader stages of the shader uses among them.
    pub target_stages: StageSet,
    /// First row of [`Plan::transitions`].
    pub first_transition: u32,
    /// Number of transitions.
    pub transitions: u32,
}

/// A layout change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transition {
    /// The image.
    pub resource: ResourceId,
    /// Which part.
    pub part: Subresources,
    /// From; `Undefined` drops the contents.
    pub from: Layout,
    /// To.
    pub to: Layout,
}

/// The plan of one part.
#[derive(Debug, Clone, Default, Resource)]
pub struct Plan {
    /// Steps in order of execution.
    pub steps: Vec<Step>,
    /// Barrier batches.
    pub batches: Vec<Batch>,
    /// Layout changes of all batches.
    pub transitions: Vec<Transition>,
}

impl Plan {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.batches.clear();
        self.transitions.clear();
    }
}

/// What is ordered as a whole: a pass with its members, or a node outside passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// A pass.
    Pass(PassId),
    /// A node outside passes.
    Node(NodeId),
}

/// The units of the part in order of execution.
#[derive(Debug, Default, Resource)]
pub struct Schedule {
    /// In order of execution.
    pub units: Vec<Unit>,
    /// By node: place of its unit in `units`; `u32::MAX` = the node does not run.
    pub unit_of: Vec<u32>,
}

/// Graphics pipelines of the part: distinct keys; a draw names a row.
#[derive(Debug, Default, Resource)]
pub struct Pipelines {
    /// Rows.
    pub keys: Vec<PipelineKey>,
    rows: RowIndex,
    /// The row that was asked for last.
    last: u32,
}

impl Pipelines {
    /// The row of a key, added when new.
    #[inline]
    pub fn intern(&mut self, key: PipelineKey) -> u32 {
        if self.keys.get(self.last as usize) != Some(&key) {
            let (row, new) = self.rows.row(&key, |row| self.keys[row] == key);
            if new {
                self.keys.push(key);
            }
            self.last = row;
        }
        self.last
    }

    /// Forgets all rows, keeps the memory.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.rows.clear();
    }
}

/// Compute pipelines of the part: distinct shader variants; a dispatch names a row.
#[derive(Debug, Default, Resource)]
pub struct ComputePipelines {
    /// Variant keys.
    pub variants: Vec<u32>,
}
