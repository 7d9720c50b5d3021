//! Passes with equal targets become one.
//!
//! A pass that begins again with the targets of an earlier one costs a store and a load of every attachment. Where nothing that ran between the two matters to
//! their order, they run as one: no way leads from the earlier pass through something else to the later one, and the later one depends on the earlier only
//! by what they both draw. What lay between runs before or after, as its dependencies say. A pass that begins where a draw had to see finished work
//! (feedback, fragment order) is not joined.
//!
//! Changes no pixel. Unsafe variant for tests: none of its own; the verifier objects to a join that breaks a dependency.
//! Rows: none of its own.  Cost: one walk over dependencies per candidate, bounded by the later pass.

use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::{NodeId, PassId, Rows};
use framegraph::pass::{PassArea, PassFlags, PassPool, PassRows, PassTargets};
use framegraph::passes::{Obstacle, UnitGraph, is_raster_order};
use framegraph::schedule::Phase;
use framegraph::tables::{
    Accesses, ClearTarget, Clears, CommandOrder, Draws, Edges, NodeKind, Nodes, PassMembers, node_flags,
};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "merge_passes",
    phase: Phase::Passes,
    kind: Kind::Optimisation,
    rows: &[],
    after: &["relink_inserted_nodes", "merge_slice_passes"],
    off_means: "passes stay as the game's commands form them",
    knobs: &[],
};

/// Working memory, kept between parts.
#[derive(Debug, Default, Resource)]
pub struct MergeScratch {
    graph: UnitGraph,
    unit_of: Vec<u32>,
    pass_unit: Vec<u32>,
    unit_node: Vec<NodeId>,
    /// By row of the interned targets: the last pass with them.
    candidates: Vec<PassId>,
}

/// Joins passes; rewrites [`PassMembers`], [`PassRows`], [`Nodes::pass`].
#[allow(clippy::too_many_arguments, clippy::too_many_lines)]
pub fn merge_passes(
    (order, draws, clears): (Res<CommandOrder>, Res<Draws>, Res<Clears>),
    edges: Res<Edges>,
    accesses: Res<Accesses>,
    pool: Res<PassPool>,
    switches: Res<Switches>,
    mut nodes: ResMut<Nodes>,
    mut members: ResMut<PassMembers>,
    mut passes: Query<(&PassTargets, &PassArea, &mut PassRows, &mut PassFlags)>,
    mut scratch: ResMut<MergeScratch>,
    mut decisions: ResMut<Decisions>,
) {
    if !switches.on(&RULE) {
        return;
    }
    let s = &mut *scratch;
    let mut built = false;
    s.candidates.clear();
    for number in 0..pool.live {
        let id = PassId(number);
        let Some(entity) = pool.entity(id) else { continue };
        let Ok((targets, area, rows, flags)) = passes.get(entity) else { continue };
        let (targets, area, rows, flags) = (targets.0, *area, rows.0, *flags);
        if targets.color.iter().all(Option::is_none) && targets.depth.is_none() {
            continue;
        }
        let first = members.rows[rows.start as usize];
        let payload = nodes.payload[first.index()] as usize;
        let at = match nodes.kind[first.index()] {
            NodeKind::Draw => draws.targets[payload].index(),
            _ => match clears.rows[payload].target {
                ClearTarget::Attachment(targets, _) => targets.index(),
                ClearTarget::Image(..) => continue,
            },
        };
        if at >= s.candidates.len() {
            s.candidates.resize(at + 1, PassId::NONE);
        }
        let candidate = pool.entity(s.candidates[at]).and_then(|e| passes.get(e).ok());
        if !candidate.is_some_and(|(t, a, ..)| t.0 == targets && *a == area) {
            s.candidates[at] = id;
            continue;
        }
        let earlier = s.candidates[at];
        if nodes.flags[first.index()] & node_flags::PASS_BREAK != 0 {
            s.candidates[at] = id;
            refuse(
                &mut decisions,
                id,
                earlier,
                "not joined with {0}: {1} has to see it finished",
                Evidence::Node(first),
            );
            continue;
        }
        if !built {
            built = true;
            units(&order, &nodes, pool.live as usize, &[], &mut s.unit_of, &mut s.pass_unit, &mut s.unit_node);
            s.graph.build(&edges, &s.unit_of, s.unit_node.len());
        }
        let (a, b) = (s.pass_unit[earlier.index()], s.pass_unit[number as usize]);
        let answer = s
            .graph
            .may_join(a, b, |edge| is_raster_order(&edges, &accesses, edge as usize))
            .and_then(|()| s.graph.may_join(b, a, |_| false));
        match answer {
            Err(Obstacle::Between(unit)) => {
                refuse(
                    &mut decisions,
                    id,
                    earlier,
                    "not joined with {0}: {1} between them needs the one and is needed by the other",
                    Evidence::Node(s.unit_node[unit as usize]),
                );
                s.candidates[at] = id;
            }
            Err(Obstacle::Dependency(edge)) => {
                refuse(
                    &mut decisions,
                    id,
                    earlier,
                    "not joined with {0}: it wrote what {1} uses as more than a target",
                    Evidence::Node(edges.to[edge as usize]),
                );
                s.candidates[at] = id;
            }
            Ok(()) => {
                s.graph.join(a, b);
                let Some(target) = pool.entity(earlier) else { continue };
                let Ok((.., mut kept_rows, mut kept_flags)) = passes.get_mut(target) else { continue };
                let old = kept_rows.0;
                let start = if (old.start + old.len) as usize == members.rows.len() {
                    old.start
                } else {
                    let start = members.rows.len() as u32;
                    members.rows.extend_from_within(old.range());
                    start
                };
                members.rows.extend_from_within(rows.range());
                kept_rows.0 = Rows { start, len: old.len + rows.len };
                kept_flags.0 = (kept_flags.0 | flags.0 & !PassFlags::CLEARS_ONLY)
                    & if flags.has(PassFlags::CLEARS_ONLY) { u32::MAX } else { !PassFlags::CLEARS_ONLY };
                for at in rows.range() {
                    let member = members.rows[at];
                    nodes.pass[member.index()] = earlier;
                }
                if let Ok((.., mut gone_rows, mut gone_flags)) = passes.get_mut(entity) {
                    gone_rows.0 = Rows::default();
                    gone_flags.0 = PassFlags::MERGED;
                }
                decisions.push(
                    RULE.name,
                    Subject::Pass(id),
                    Verdict::Taken,
                    "joined with {0}: equal targets, and nothing between them needs the one and is needed by the other",
                    [Evidence::Pass(earlier)],
                );
            }
        }
    }
}

fn refuse(decisions: &mut Decisions, pass: PassId, earlier: PassId, words: &'static str, evidence: Evidence) {
    decisions.push(RULE.name, Subject::Pass(pass), Verdict::Refused, words, [Evidence::Pass(earlier), evidence]);
}

/// Units in command order: unit of each node, unit of each pass, first node of each unit. The nodes of passes in `apart` are units of their own.
pub(super) fn units(
    order: &CommandOrder,
    nodes: &Nodes,
    passes: usize,
    apart: &[bool],
    unit_of: &mut Vec<u32>,
    pass_unit: &mut Vec<u32>,
    unit_node: &mut Vec<NodeId>,
) {
    unit_of.clear();
    unit_of.resize(nodes.len(), u32::MAX);
    pass_unit.clear();
    pass_unit.resize(passes, u32::MAX);
    unit_node.clear();
    for &node in &order.nodes {
        let n = node.index();
        if nodes.flags[n] & node_flags::SKIPPED != 0 || nodes.kind[n] == NodeKind::Barrier {
            continue;
        }
        let next = unit_node.len() as u32;
        let pass = nodes.pass[n].index();
        let unit = match pass_unit.get_mut(pass).filter(|_| !apart.get(pass).is_some_and(|apart| *apart)) {
            Some(unit) if *unit != u32::MAX => {
                unit_of[n] = *unit;
                continue;
            }
            Some(unit) => {
                *unit = next;
                next
            }
            None => next,
        };
        unit_of[n] = unit;
        unit_node.push(node);
    }
}
