//! Draws that read what is attached.
//!
//! On Maxwell a draw may sample a texture that is also one of its targets; each fragment reads the content from before the draw. A PC driver calls that a
//! feedback loop and gives garbage unless it is told. So every draw that reads, through any stage and any kind of binding, a level and layer that is attached to its
//! own pass is listed with the slots it hits and whether it also writes them. Another level or layer of the same texture is no loop. An image over the
//! same storage under another description is one.
//!
//! Seen when missed: blocks of garbage in decals and water; magenta on tilers.
//! Rows: R-038b (and M-1.9b).  Cost: a look at the few draws that `collect_accesses` marked.

use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use framegraph::dependencies::HazardKeys;
use framegraph::ids::NodeId;
use framegraph::resource::Part;
use framegraph::resource_table::ResourceTable;
use framegraph::schedule::Phase;
use framegraph::state::{Aspects, Stage};
use framegraph::tables::{
    Accesses, CommandOrder, Draws, FeedbackLoop, FeedbackLoops, FeedbackPlan, NodeKind, Nodes, States, Stretch,
    node_flags, uses,
};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "detect_feedback_loops",
    phase: Phase::Hazards,
    kind: Kind::Correctness,
    rows: &["R-038b"],
    after: &["build_dependencies"],
    off_means: "no draw counts as reading its own targets",
    knobs: &["R-038b"],
};

/// Bit of the depth/stencil attachment in [`FeedbackLoop::slots`].
pub const DEPTH_SLOT: u16 = 1 << 8;

/// Slots that a draw writes: bits 0–7 colour, bit 8 depth or stencil.
#[must_use]
pub fn slots_written(accesses: &Accesses, rows: std::ops::Range<usize>, write_mask: u32) -> u16 {
    let mut slots = 0;
    for slot in 0..8 {
        slots |= u16::from(write_mask >> (slot * 4) & 0xf != 0) << slot;
    }
    if rows.into_iter().any(|row| accesses.uses[row] & uses::DEPTH_WRITE != 0) {
        slots |= DEPTH_SLOT;
    }
    slots
}

/// Fills [`FeedbackLoops`]; takes [`node_flags::FEEDBACK`] back from draws that are none.
#[allow(clippy::too_many_arguments)]
pub fn detect_feedback_loops(
    accesses: Res<Accesses>,
    order: Res<CommandOrder>,
    draws: Res<Draws>,
    states: Res<States>,
    table: Res<ResourceTable>,
    keys: Res<HazardKeys>,
    switches: Res<Switches>,
    mut nodes: ResMut<Nodes>,
    mut loops: ResMut<FeedbackLoops>,
) {
    loops.rows.clear();
    let on = switches.on(&RULE);
    let fragment_only = switches.knob("R-038b");
    let draws_in_order = order.stretches.iter().filter(|stretch| stretch.kind == NodeKind::Draw);
    for n in draws_in_order.flat_map(Stretch::nodes) {
        if nodes.flags[n] & node_flags::FEEDBACK == 0 {
            continue;
        }
        let node = NodeId(n as u32);
        nodes.flags[n] &= !node_flags::FEEDBACK;
        if !on {
            continue;
        }
        let d = nodes.payload[n] as usize;
        let Some(set) = states.targets.get(draws.targets[d]) else { continue };
        let rows = nodes.accesses[n].range();
        let written = slots_written(&accesses, rows.clone(), draws.write_mask[d]);
        for row in rows {
            let sampled = accesses.uses[row] & uses::SAMPLED != 0;
            let stored = accesses.uses[row] & (uses::STORAGE_READ | uses::STORAGE_WRITE) != 0;
            if !(sampled || stored) {
                continue;
            }
            if fragment_only && (!sampled || accesses.stages[row] & 1 << Stage::Fragment as u8 == 0) {
                continue;
            }
            let id = accesses.resource[row];
            let mut slots = 0;
            for (slot, attachment) in set.color.iter().chain([&set.depth]).enumerate() {
                let Some(attachment) = attachment else { continue };
                let other = attachment.view.resource;
                let hit = if other == id {
                    let Part::Image(read) = &accesses.part[row] else { continue };
                    // One aspect cannot be in a layout of its own, so both count.
                    let (mut read, mut attached) = (*read, table.get(id).clamp(&attachment.view.part));
                    (read.aspects, attached.aspects) = (Aspects::COLOR, Aspects::COLOR);
                    *keys == HazardKeys::WholeResources || read.overlaps(&attached)
                } else {
                    !fragment_only && table.partners(id).contains(&other)
                };
                slots |= u16::from(hit) << slot;
            }
            if slots != 0 {
                nodes.flags[n] |= node_flags::FEEDBACK;
                loops.rows.push(FeedbackLoop {
                    node,
                    access: row as u32,
                    resource: id,
                    slots,
                    written: slots & written != 0,
                    plan: FeedbackPlan::None,
                });
            }
        }
    }
}
