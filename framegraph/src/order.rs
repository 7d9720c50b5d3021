//! Order: the units of a part (passes, and nodes outside passes) so that no dependency is violated and command order is kept wherever it can be.
//!
//! Priority is the command order of a unit's first member (a clear that was carried into a later pass does not count): of the units whose predecessors have run, the earliest goes next. When no dependency points
//! backwards in that order, which is the case unless a rule joined or moved passes, the order *is* command order, and one look at each edge proves it.
//! Otherwise Kahn's algorithm over compressed rows with a heap: O((V + E) log V).
//!
//! A cycle can only come from joining passes that must not be joined. It is reported with its members, its units run in command order, and the verifier
//! objects.

use crate::decision::{Decisions, Evidence, Subject, Verdict};
use crate::ids::{NodeId, PassId};
use crate::pass::{PassOrder, PassPool, PassRows};
use crate::plan::{Schedule, Unit};
use crate::rule::{Kind, Rule};
use crate::schedule::Phase;
use crate::tables::{CommandOrder, Edges, NodeKind, Nodes, PassMembers, node_flags};
use bevy_ecs::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Orders the part.
pub const SCHEDULE_NODES: Rule = Rule {
    name: "schedule_nodes",
    phase: Phase::Schedule,
    kind: Kind::Plumbing,
    rows: &[],
    after: &["convert_layouts"],
    off_means: "cannot be off",
    knobs: &[],
};

/// Working memory of [`schedule_nodes`], kept between parts.
#[derive(Debug, Default, Resource)]
pub struct OrderScratch {
    pairs: Vec<(u32, u32)>,
    first: Vec<u32>,
    targets: Vec<u32>,
    waiting: Vec<u32>,
    ready: BinaryHeap<Reverse<u32>>,
    order: Vec<u32>,
    pass_unit: Vec<u32>,
    carried: Vec<NodeId>,
    units: Vec<Unit>,
}

const NONE: u32 = u32::MAX;

impl OrderScratch {
    /// The unit of a node in a pass, or of a node outside passes; made when it is new.
    fn unit(&mut self, pass: PassId, node: NodeId) -> u32 {
        let next = self.units.len() as u32;
        match self.pass_unit.get_mut(pass.index()) {
            Some(unit) if *unit != NONE => *unit,
            Some(unit) => {
                *unit = next;
                self.units.push(Unit::Pass(pass));
                next
            }
            None => {
                self.units.push(Unit::Node(node));
                next
            }
        }
    }
}

/// Stable topological order of `count` units under `pairs` (earlier, later): of the ready units the one with the lowest number goes first.
/// Returns the number of units placed in `order`; fewer than `count` means that the rest lie on or behind a cycle.
fn sort(count: usize, s: &mut OrderScratch) -> usize {
    s.pairs.sort_unstable();
    s.pairs.dedup();
    s.first.clear();
    s.first.resize(count + 1, 0);
    s.waiting.clear();
    s.waiting.resize(count, 0);
    s.targets.clear();
    for &(from, to) in &s.pairs {
        s.first[from as usize + 1] += 1;
        s.waiting[to as usize] += 1;
        s.targets.push(to);
    }
    for n in 0..count {
        s.first[n + 1] += s.first[n];
    }
    s.order.clear();
    s.ready.clear();
    s.ready.extend((0..count as u32).filter(|n| s.waiting[*n as usize] == 0).map(Reverse));
    while let Some(Reverse(unit)) = s.ready.pop() {
        s.order.push(unit);
        for at in s.first[unit as usize]..s.first[unit as usize + 1] {
            let to = s.targets[at as usize];
            s.waiting[to as usize] -= 1;
            if s.waiting[to as usize] == 0 {
                s.ready.push(Reverse(to));
            }
        }
    }
    s.order.len()
}

/// Stable topological order of `count` items under `pairs` (earlier, later), lowest number first among the ready ones.
///
/// # Errors
/// The members of one cycle, in ascending order.
pub fn topological_order(count: usize, pairs: &[(u32, u32)]) -> Result<Vec<u32>, Vec<u32>> {
    let mut scratch = OrderScratch { pairs: pairs.to_vec(), ..OrderScratch::default() };
    if sort(count, &mut scratch) == count { Ok(scratch.order) } else { Err(cycle(count, &scratch.pairs)) }
}

/// The members of the first cycle, by strongly connected components.
fn cycle(count: usize, pairs: &[(u32, u32)]) -> Vec<u32> {
    let mut graph = petgraph::graph::DiGraph::<(), ()>::with_capacity(count, pairs.len());
    for _ in 0..count {
        graph.add_node(());
    }
    for &(from, to) in pairs {
        graph.add_edge(from.into(), to.into(), ());
    }
    let mut members: Vec<u32> = petgraph::algo::tarjan_scc(&graph)
        .into_iter()
        .filter(|scc| scc.len() > 1)
        .map(|scc| scc.into_iter().map(|n| n.index() as u32).collect::<Vec<_>>())
        .min_by_key(|scc| scc.iter().min().copied())
        .unwrap_or_default();
    members.sort_unstable();
    members
}

/// Writes [`Schedule`], [`Nodes::order`] and [`PassOrder::order`].
#[allow(clippy::too_many_arguments)]
pub fn schedule_nodes(
    mut nodes: ResMut<Nodes>,
    command_order: Res<CommandOrder>,
    edges: Res<Edges>,
    pool: Res<PassPool>,
    members: Res<PassMembers>,
    mut passes: Query<(&PassRows, &mut PassOrder)>,
    mut scratch: ResMut<OrderScratch>,
    mut schedule: ResMut<Schedule>,
    mut decisions: ResMut<Decisions>,
) {
    let s = &mut *scratch;
    let nodes = &mut *nodes;
    s.units.clear();
    s.carried.clear();
    s.pass_unit.clear();
    s.pass_unit.resize(pool.live as usize, NONE);
    schedule.unit_of.clear();
    schedule.unit_of.resize(nodes.len(), NONE);
    for stretch in &command_order.stretches {
        if stretch.kind == NodeKind::Barrier {
            continue;
        }
        let mut last = (PassId::NONE, NONE);
        for n in stretch.nodes() {
            if nodes.flags[n] & node_flags::SKIPPED != 0 {
                continue;
            }
            let pass = nodes.pass[n];
            if nodes.flags[n] & node_flags::CARRIED != 0 {
                s.carried.push(NodeId(n as u32));
                continue;
            }
            if pass != last.0 || last.1 == NONE {
                last = (pass, s.unit(pass, NodeId(n as u32)));
            }
            schedule.unit_of[n] = last.1;
            if !pass.is_some() {
                last.1 = NONE;
            }
        }
    }
    for &id in &s.carried {
        schedule.unit_of[id.index()] = s.pass_unit.get(nodes.pass[id.index()].index()).copied().unwrap_or(NONE);
    }
    let count = s.units.len();

    let mut forward = true;
    for n in 0..edges.len() {
        let (from, to) = (schedule.unit_of[edges.from[n].index()], schedule.unit_of[edges.to[n].index()]);
        forward &= from <= to || from == NONE;
    }
    schedule.units.clear();
    if forward {
        schedule.units.extend_from_slice(&s.units);
    } else {
        s.pairs.clear();
        for n in 0..edges.len() {
            let (from, to) = (schedule.unit_of[edges.from[n].index()], schedule.unit_of[edges.to[n].index()]);
            if from != to && from != NONE && to != NONE {
                s.pairs.push((from, to));
            }
        }
        if sort(count, s) != count {
            report_cycle(count, s, &mut decisions);
        }
        // `waiting` is free again: the place of each unit.
        for (place, &unit) in s.order.iter().enumerate() {
            s.waiting[unit as usize] = place as u32;
            schedule.units.push(s.units[unit as usize]);
        }
        for unit in &mut schedule.unit_of {
            if *unit != NONE {
                *unit = s.waiting[*unit as usize];
            }
        }
    }

    let mut next = 0;
    for (place, unit) in schedule.units.iter().enumerate() {
        match unit {
            Unit::Node(id) => {
                nodes.order[id.index()] = next;
                next += 1;
            }
            Unit::Pass(id) => {
                let Some((rows, mut order)) = pool.entity(*id).and_then(|e| passes.get_mut(e).ok()) else { continue };
                order.order = place as u32;
                for member in &members.rows[rows.0.range()] {
                    nodes.order[member.index()] = next;
                    next += 1;
                }
            }
        }
    }
    for n in 0..nodes.len() {
        if schedule.unit_of[n] == NONE {
            nodes.order[n] = NONE;
        }
    }
}

/// States the cycle, and places what lies on or behind it in command order.
#[cold]
fn report_cycle(count: usize, s: &mut OrderScratch, decisions: &mut Decisions) {
    let members = cycle(count, &s.pairs);
    let name = |unit: Option<&u32>| match unit.map(|u| s.units[*u as usize]) {
        Some(Unit::Pass(id)) => Evidence::Pass(id),
        Some(Unit::Node(id)) => Evidence::Node(id),
        None => Evidence::None,
    };
    let subject = match members.first().map(|u| s.units[*u as usize]) {
        Some(Unit::Pass(id)) => Subject::Pass(id),
        Some(Unit::Node(id)) => Subject::Node(id),
        None => Subject::Part,
    };
    decisions.push(
        SCHEDULE_NODES.name,
        subject,
        Verdict::Degraded,
        "a cycle of {0} units through {1} and {2}: run in command order, dependencies are violated",
        [Evidence::Number(members.len() as i64), name(members.first()), name(members.get(1))],
    );
    let mut placed = vec![false; count];
    for &unit in &s.order {
        placed[unit as usize] = true;
    }
    s.order.extend((0..count as u32).filter(|u| !placed[*u as usize]));
}

/// The members of a unit, in order.
#[inline]
pub fn unit_members<'a>(
    unit: Unit,
    pool: &PassPool,
    members: &'a PassMembers,
    single: &'a mut [NodeId; 1],
    rows: impl FnOnce(Entity) -> Option<PassRows>,
) -> &'a [NodeId] {
    match unit {
        Unit::Node(id) => {
            single[0] = id;
            single
        }
        Unit::Pass(id) => {
            pool.entity(id).and_then(rows).map_or(&[], |rows| members.rows.get(rows.0.range()).unwrap_or(&[]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn without_edges_command_order_is_kept() {
        assert_eq!(topological_order(4, &[]), Ok(vec![0, 1, 2, 3]));
    }

    #[test]
    fn a_late_producer_moves_forward_and_nothing_else_does() {
        assert_eq!(topological_order(4, &[(3, 1)]), Ok(vec![0, 2, 3, 1]));
    }

    #[test]
    fn a_cycle_is_named() {
        assert_eq!(topological_order(5, &[(0, 1), (1, 3), (3, 1), (3, 4)]), Err(vec![1, 3]));
    }

    proptest! {
        #[test]
        fn agrees_with_petgraph(count in 1usize..40, pairs in prop::collection::vec((0u32..40, 0u32..40), 0..120)) {
            let pairs: Vec<_> =
                pairs.into_iter().map(|(a, b)| (a % count as u32, b % count as u32)).filter(|(a, b)| a != b).collect();
            let mut graph = petgraph::graph::DiGraph::<(), ()>::new();
            for _ in 0..count { graph.add_node(()); }
            for &(a, b) in &pairs { graph.add_edge(a.into(), b.into(), ()); }
            match topological_order(count, &pairs) {
                Ok(order) => {
                    prop_assert!(petgraph::algo::toposort(&graph, None).is_ok());
                    prop_assert_eq!(order.len(), count);
                    let place: Vec<_> =
                        (0..count as u32).map(|n| order.iter().position(|o| *o == n).unwrap()).collect();
                    for &(a, b) in &pairs { prop_assert!(place[a as usize] < place[b as usize]); }
                }
                Err(members) => {
                    prop_assert!(petgraph::algo::toposort(&graph, None).is_err());
                    prop_assert!(members.len() > 1);
                }
            }
        }
    }
}
