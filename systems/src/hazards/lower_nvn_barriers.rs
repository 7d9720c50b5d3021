//! What the game's barriers order, and what they make visible.
//!
//! A Maxwell barrier has two independent halves. *Order*: later work waits for earlier work, of fragments in one tile, of fragments, of whole primitives, or
//! of everything including the fetch of commands and arguments. *Caches*: texture data, shader data (uniform, constant, storage), descriptors and depth
//! culling data are read again only if the barrier says so, each on its own. Ordering alone leaves a stale texture cache stale.
//!
//! On the PC the hazards of tracked resources are found from accesses, so nothing needs the game's barrier for them. What remains is what only the game
//! knows: that two draws which both change the same storage are ordered at all (`split_on_fragment_order`), and that descriptors changed
//! (`sync_descriptor_pools`). The two halves are kept apart for both.
//!
//! Seen when wrong: particles that count twice or not at all; every barrier emptying every cache.
//! Rows: M-1.9c, M-1.9d.  Cost: one row per barrier of the game.

use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::NodeId;
use framegraph::schedule::Phase;
use framegraph::tables::{
    CommandOrder, GameBarriers, NodeKind, Nodes, OrderPoint, OrderPoints, OrderStrength, Stretch, game_barrier,
    node_flags, uses,
};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "lower_nvn_barriers",
    phase: Phase::Hazards,
    kind: Kind::Correctness,
    rows: &["M-1.9c", "M-1.9d"],
    after: &["collect_accesses"],
    off_means: "the game's barriers order nothing and refresh nothing",
    knobs: &["M-1.9c", "M-1.9d"],
};

/// The ordering half of a barrier.
#[must_use]
pub fn order_of(bits: u32) -> OrderStrength {
    use game_barrier::{ORDER_FRAGMENTS, ORDER_FRAGMENTS_TILED, ORDER_INDIRECT, ORDER_PRIMITIVES};
    if bits & ORDER_INDIRECT != 0 {
        OrderStrength::Full
    } else if bits & ORDER_PRIMITIVES != 0 {
        OrderStrength::Primitives
    } else if bits & ORDER_FRAGMENTS != 0 {
        OrderStrength::Fragments
    } else if bits & ORDER_FRAGMENTS_TILED != 0 {
        OrderStrength::Tiles
    } else {
        OrderStrength::None
    }
}

/// The cache half of a barrier: the uses whose reads are fresh after it.
#[must_use]
pub fn visible_of(bits: u32) -> u32 {
    let mut visible = 0;
    if bits & game_barrier::INVALIDATE_TEXTURE != 0 {
        visible |= uses::SAMPLED;
    }
    if bits & game_barrier::INVALIDATE_SHADER != 0 {
        visible |= uses::UNIFORM | uses::STORAGE_READ;
    }
    if bits & game_barrier::ORDER_INDIRECT != 0 {
        visible |= uses::INDIRECT;
    }
    visible
}

/// Fills [`OrderPoints`].
pub fn lower_nvn_barriers(
    nodes: Res<Nodes>,
    order: Res<CommandOrder>,
    barriers: Res<GameBarriers>,
    switches: Res<Switches>,
    mut points: ResMut<OrderPoints>,
) {
    points.rows.clear();
    if !switches.on(&RULE) {
        return;
    }
    let everything = uses::SAMPLED | uses::UNIFORM | uses::STORAGE_READ | uses::INDIRECT | uses::INDEX | uses::VERTEX;
    let barriers_in_order = order.stretches.iter().filter(|stretch| stretch.kind == NodeKind::Barrier);
    for n in barriers_in_order.flat_map(Stretch::nodes) {
        if nodes.flags[n] & node_flags::SKIPPED != 0 {
            continue;
        }
        let node = NodeId(n as u32);
        let Some(&bits) = barriers.rows.get(nodes.payload[n] as usize) else { continue };
        let mut point = OrderPoint {
            node,
            strength: order_of(bits),
            visible: visible_of(bits),
            descriptors: bits & game_barrier::INVALIDATE_DESCRIPTORS != 0,
        };
        if switches.knob("M-1.9c") {
            point.strength = OrderStrength::None;
        }
        if switches.knob("M-1.9d") {
            (point.visible, point.descriptors) = (everything, true);
        }
        points.rows.push(point);
    }
}

/// Marks the draw after a barrier that orders fragments as the start of a pass, where a draw before it stored to memory in the same pass.
///
/// Shared by `split_on_fragment_order` and its tests: returns the draw or clear to split at.
#[must_use]
pub fn split_point(order: &CommandOrder, nodes: &Nodes, barrier: NodeId) -> Option<NodeId> {
    let place = order.place[barrier.index()] as usize;
    order.nodes[place + 1..]
        .iter()
        .copied()
        .find(|id| nodes.kind[id.index()] != NodeKind::Barrier && nodes.flags[id.index()] & node_flags::SKIPPED == 0)
        .filter(|id| matches!(nodes.kind[id.index()], NodeKind::Draw | NodeKind::Clear))
}

/// Words for a strength, for decisions.
#[must_use]
pub fn strength_words(strength: OrderStrength) -> &'static str {
    match strength {
        OrderStrength::None => "nothing",
        OrderStrength::Tiles => "fragments of a tile",
        OrderStrength::Fragments => "fragments",
        OrderStrength::Primitives => "primitives",
        OrderStrength::Full => "everything",
    }
}

/// The decision that a pass was split at a barrier.
pub(crate) fn decide_split(
    decisions: &mut Decisions,
    rule: &'static str,
    draw: NodeId,
    barrier: NodeId,
    writer: NodeId,
    strength: OrderStrength,
) {
    decisions.push(
        rule,
        Subject::Node(draw),
        Verdict::Changed,
        "a pass begins here: {0} orders {1}, and {2} used memory that draws after it use",
        [Evidence::Node(barrier), Evidence::Text(strength_words(strength)), Evidence::Node(writer)],
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_does_not_refresh_and_refreshing_does_not_order() {
        use game_barrier::*;
        assert_eq!(visible_of(ORDER_FRAGMENTS | ORDER_PRIMITIVES), 0);
        assert_eq!(order_of(INVALIDATE_TEXTURE | INVALIDATE_SHADER | INVALIDATE_DESCRIPTORS), OrderStrength::None);
        assert_eq!(visible_of(INVALIDATE_TEXTURE), uses::SAMPLED);
        assert_eq!(visible_of(INVALIDATE_SHADER), uses::UNIFORM | uses::STORAGE_READ);
        assert_eq!(visible_of(INVALIDATE_DESCRIPTORS | INVALIDATE_ZCULL), 0);
        assert_eq!(order_of(ORDER_FRAGMENTS_TILED), OrderStrength::Tiles);
        assert_eq!(order_of(ORDER_PRIMITIVES | ORDER_INDIRECT), OrderStrength::Full);
    }
}
