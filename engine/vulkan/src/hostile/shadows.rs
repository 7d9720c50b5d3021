//! Lines 3 and 4: one truth per resource, and copies of it for readers. What is pending is plain data; the copying is the executor's.

use super::{HostileOptions, Lines, Random, StaleRead};
use crate::executor::Completion;
use crate::gpu::{Buffer, Gpu, Trash};
use crate::resources::HeldImage;
use framegraph::ids::{NodeId, ResourceId};
use framegraph::plan::Batch;
use framegraph::resource::Part;
use framegraph::state::StageSet;
use framegraph::tables::uses;
use std::collections::HashMap;

/// Classes of readers that have copies: bits of [`uses`].
pub(crate) const CLASSES: u32 = uses::INDIRECT
    | uses::INDEX
    | uses::VERTEX
    | uses::UNIFORM
    | uses::SAMPLED
    | uses::STORAGE_READ
    | uses::COPY_READ
    | uses::PRESENT;

/// The class of a binding that reads an attachment of its own pass (line 3).
pub(crate) const FEEDBACK: u32 = 1 << 31;

/// A write that not every class can see yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PendingWrite {
    pub(crate) resource: ResourceId,
    pub(crate) part: Part,
    by: u32,
    stages: StageSet,
    available: bool,
    chain: u32,
    pub(crate) visible: u32,
}

/// The state of a hostile run.
pub(crate) struct Hostile {
    pub(crate) options: HostileOptions,
    pub(crate) random: Random,
    pub(crate) images: HashMap<(ResourceId, u32), (ash::vk::Image, HeldImage)>,
    pub(crate) buffers: HashMap<(ResourceId, u32), (ash::vk::Buffer, Buffer)>,
    pub(crate) writes: Vec<PendingWrite>,
    pub(crate) stale: Vec<StaleRead>,
    /// Completions that are not handed out yet (line 8).
    pub(crate) late: Vec<Completion>,
    /// Looks that a late completion still waits for.
    pub(crate) patience: u32,
    /// Imported pools: where they are, how long, and the bytes seen last.
    pub(crate) pools: HashMap<ResourceId, (usize, Vec<u8>)>,
}

impl Hostile {
    pub(crate) fn new(options: HostileOptions) -> Self {
        Self {
            options,
            random: Random(options.seed),
            images: HashMap::new(),
            buffers: HashMap::new(),
            writes: Vec::new(),
            stale: Vec::new(),
            late: Vec::new(),
            patience: 0,
            pools: HashMap::new(),
        }
    }

    pub(crate) fn has(&self, lines: Lines) -> bool {
        self.options.lines.has(lines)
    }

    /// Notes a write; older writes of the same part are replaced by it.
    pub(crate) fn wrote(&mut self, resource: ResourceId, part: Part, by: u32, stages: StageSet) {
        self.writes.retain(|w| w.resource != resource || w.part != part);
        self.writes.push(PendingWrite { resource, part, by, stages, available: false, chain: 0, visible: 0 });
    }

    /// A barrier of the plan; (write, classes that see it from now on) for each write that it makes visible to more readers.
    pub(crate) fn barrier(&mut self, batch: &Batch) -> Vec<(PendingWrite, u32)> {
        let mut refreshed = Vec::new();
        for w in &mut self.writes {
            let stages = batch.source_stages == 0 || w.stages == 0 || batch.source_stages & w.stages != 0;
            let named = batch.source_uses & w.by != 0 && (w.by & uses::SHADER == 0 || stages);
            let chained = batch.source_uses & w.chain != 0;
            if !named && !chained {
                continue;
            }
            w.available |= named;
            if !w.available {
                continue;
            }
            w.chain |= batch.target_uses;
            let more = batch.target_uses & CLASSES & !w.visible;
            if more != 0 {
                w.visible |= more;
                refreshed.push((w.clone(), more));
            }
        }
        self.writes.retain(|w| w.visible & CLASSES != CLASSES);
        refreshed
    }

    /// Notes a read by a class; whether it is stale.
    pub(crate) fn reads(&mut self, node: NodeId, resource: ResourceId, part: &Part, class: u32) -> bool {
        let stale =
            self.writes.iter().any(|w| w.resource == resource && w.visible & class == 0 && w.part.overlaps(part));
        if stale {
            self.stale.push(StaleRead { node, resource, class });
        }
        stale
    }

    /// Lets go of the copies.
    pub(crate) fn destroy(&mut self, gpu: &mut Gpu) {
        for (_, (_, held)) in self.images.drain() {
            held.discard(gpu, 0);
        }
        for (_, (_, buffer)) in self.buffers.drain() {
            gpu.discard(0, Trash::Buffer(buffer));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(from: u32, to: u32) -> Batch {
        Batch { source_uses: from, target_uses: to, ..Batch::default() }
    }

    #[test]
    fn a_class_sees_a_write_when_a_barrier_names_both() {
        let mut h = Hostile::new(HostileOptions::default());
        let (id, node) = (ResourceId(1), NodeId(0));
        let part = Part::Bytes(0, 64);
        h.wrote(id, part, uses::COPY_WRITE, 0);
        assert!(h.reads(node, id, &Part::Bytes(32, 4), uses::UNIFORM));
        assert!(!h.reads(node, id, &Part::Bytes(64, 4), uses::UNIFORM));
        // Another source, another class: no use to uniforms.
        assert!(h.barrier(&batch(uses::STORAGE_WRITE, uses::UNIFORM)).is_empty());
        assert_eq!(h.barrier(&batch(uses::COPY_WRITE, uses::VERTEX)).len(), 1);
        assert!(h.reads(node, id, &part, uses::UNIFORM));
        assert!(!h.reads(node, id, &part, uses::VERTEX));
        // A chain from what was made to wait.
        assert_eq!(h.barrier(&batch(uses::VERTEX, uses::UNIFORM)).len(), 1);
        assert!(!h.reads(node, id, &part, uses::UNIFORM));
        assert_eq!(h.stale.len(), 2);
    }
}
