//! A clear that comes first becomes the load operation of its pass.
//!
//! Maxwell clears with a command between draws. The PC clears most cheaply while it loads an attachment. A clear may fold when it is the first thing that happens to
//! its attachment in the pass, and covers all of it: every texel, every layer, every component and stencil bit, unconditionally. An attachment larger than
//! the pass's area keeps its own clear, since a load operation stays inside the area.
//!
//! Changes no pixel.
//! Rows: M-1.4b, M-1.3d (its clause on first clears).  Cost: a look at the clears that lead each pass.

use super::form_passes::fold;
use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::PassId;
use framegraph::pass::{PassArea, PassOps, PassPool, PassRows, PassTargets};
use framegraph::schedule::Phase;
use framegraph::state::Aspects;
use framegraph::tables::{Clear, ClearTarget, Clears, NodeKind, Nodes, PassMembers, node_flags};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "fold_lazy_clears",
    phase: Phase::Passes,
    kind: Kind::Optimisation,
    rows: &[],
    after: &["merge_passes", "clear_large_attachments"],
    off_means: "clears run as commands inside their pass",
    knobs: &[],
};

/// Why a clear does not fold, or nothing if it does.
fn obstacle(clear: &Clear, targets: &PassTargets, area: &PassArea, slot: u8, candidate: bool) -> Option<&'static str> {
    let set = &targets.0;
    let attachment = if slot < 8 { set.color[usize::from(slot)] } else { set.depth };
    let Some(attachment) = attachment else { return Some("its target is not attached") };
    let [width, height] = attachment.extent;
    if attachment.extent != area.extent {
        return Some("its target is larger than the area of the pass");
    }
    if attachment.view.part.layers.max(1) != area.layers {
        return Some("its target has layers that the pass does not render to");
    }
    if clear.rect != [0, 0, width as i32, height as i32] {
        return Some("it clears a part of its target");
    }
    if slot < 8 && clear.mask != 0xf {
        return Some("it clears some components only");
    }
    if slot >= 8 && clear.aspects.intersects(Aspects::STENCIL) && clear.stencil_mask != 0xff {
        return Some("it clears some stencil bits only");
    }
    (!candidate).then_some("it is conditional or was refused when it was lowered")
}

/// Sets [`PassOps`] and [`node_flags::FOLDED`].
#[allow(clippy::too_many_arguments)]
pub fn fold_lazy_clears(
    pool: Res<PassPool>,
    members: Res<PassMembers>,
    clears: Res<Clears>,
    switches: Res<Switches>,
    mut nodes: ResMut<Nodes>,
    mut passes: Query<(&PassTargets, &PassArea, &PassRows, &mut PassOps)>,
    mut decisions: ResMut<Decisions>,
) {
    if !switches.on(&RULE) || clears.rows.is_empty() {
        return;
    }
    for (number, entity) in pool.entities().iter().enumerate() {
        let Ok((targets, area, rows, mut ops)) = passes.get_mut(*entity) else { continue };
        for &node in &members.rows[rows.0.range()] {
            let n = node.index();
            if nodes.flags[n] & (node_flags::SKIPPED | node_flags::FOLDED) != 0 {
                continue;
            }
            if nodes.kind[n] != NodeKind::Clear {
                break;
            }
            let clear = &clears.rows[nodes.payload[n] as usize];
            let ClearTarget::Attachment(_, slot) = clear.target else { continue };
            let candidate = nodes.flags[n] & node_flags::LOAD_CANDIDATE != 0;
            if let Some(why) = obstacle(clear, targets, area, slot, candidate) {
                decisions.push(
                    RULE.name,
                    Subject::Node(node),
                    Verdict::Refused,
                    "stays a command: {0}",
                    [Evidence::Text(why)],
                );
                // A later clear of the same attachment must not overtake this one.
                break;
            }
            fold(&mut ops, clear, slot);
            nodes.flags[n] |= node_flags::FOLDED;
            decisions.push(
                RULE.name,
                Subject::Node(node),
                Verdict::Taken,
                "became the load operation of {0}",
                [Evidence::Pass(PassId(number as u32))],
            );
        }
    }
}
