//! A fragment-order barrier between draws that change memory ends the pass.
//!
//! On Maxwell a barrier that orders fragments separates two draws that read, change and write the same image or buffer, even inside one pass. Vulkan allows no
//! such barrier between the draws of a pass. So where the game orders two draws of which one stores to memory that the other uses, the draw after the barrier begins
//! a new pass, and the barrier between the two passes does the rest. Barriers among draws that only write their targets cost nothing.
//!
//! Seen when wrong: counters too low, order-independent transparency that flickers.
//! Rows: R-073 (and M-1.9c).  Cost: one look per dependency.

use super::lower_nvn_barriers::{decide_split, split_point};
use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use framegraph::decision::Decisions;
use framegraph::ids::NodeId;
use framegraph::schedule::Phase;
use framegraph::tables::{
    Accesses, CommandOrder, Draws, Edges, NodeKind, Nodes, OrderPoints, OrderStrength, node_flags, uses,
};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "split_on_fragment_order",
    phase: Phase::Hazards,
    kind: Kind::Correctness,
    rows: &["R-073"],
    after: &["build_dependencies"],
    off_means: "a barrier inside a pass has no effect on what draws store to memory",
    knobs: &["R-073"],
};

/// Sets [`node_flags::PASS_BREAK`].
#[allow(clippy::too_many_arguments)]
pub fn split_on_fragment_order(
    points: Res<OrderPoints>,
    order: Res<CommandOrder>,
    accesses: Res<Accesses>,
    edges: Res<Edges>,
    draws: Res<Draws>,
    switches: Res<Switches>,
    mut nodes: ResMut<Nodes>,
    mut decisions: ResMut<Decisions>,
    mut pairs: Local<Vec<(u32, u32, NodeId)>>,
) {
    if !switches.on(&RULE) || switches.knob("R-073") || points.rows.iter().all(|p| p.strength == OrderStrength::None) {
        return;
    }
    let stores = |row: u32| accesses.uses.get(row as usize).is_some_and(|used| used & uses::STORAGE_WRITE != 0);
    let is_draw = |node: NodeId| nodes.kind[node.index()] == NodeKind::Draw;
    let place = |node: NodeId| order.place[node.index()];
    let found = (0..edges.len())
        .filter(|n| stores(edges.source[*n]) || stores(edges.access[*n]))
        // The row's first node made it; its last may be a clear.
        .filter(|n| is_draw(accesses.node[edges.source[*n] as usize]) && is_draw(edges.to[*n]))
        .map(|n| (place(edges.to[n]), place(edges.from[n]), accesses.node[edges.source[n] as usize]));
    pairs.clear();
    pairs.extend(found);
    pairs.sort_unstable();
    for &(to, from, earlier) in pairs.iter() {
        let between = &order.nodes[from as usize + 1..=to as usize];
        let targets = |node: NodeId| draws.targets[nodes.payload[node.index()] as usize];
        let later = order.nodes[to as usize];
        let apart = between.iter().any(|node| {
            let n = node.index();
            match nodes.kind[n] {
                _ if nodes.flags[n] & node_flags::SKIPPED != 0 => false,
                NodeKind::Draw => nodes.flags[n] & node_flags::PASS_BREAK != 0 || targets(*node) != targets(earlier),
                NodeKind::Clear | NodeKind::Barrier => false,
                _ => true,
            }
        });
        let point = points
            .rows
            .iter()
            .rev()
            .find(|p| p.strength > OrderStrength::None && place(p.node) > from && place(p.node) < to);
        if let Some(point) = point.filter(|_| !apart) {
            let draw = split_point(&order, &nodes, point.node).unwrap_or(later);
            nodes.flags[draw.index()] |= node_flags::PASS_BREAK;
            decide_split(&mut decisions, RULE.name, draw, point.node, earlier, point.strength);
        }
    }
}
