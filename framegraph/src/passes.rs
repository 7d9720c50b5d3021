//! Questions about passes, as pure functions: may these two be one, is there a way from here to there, is this content dead.
//!
//! Rules ask them and write down the answer; property tests compare them with brute force.

use crate::ids::NodeId;
use crate::tables::{Accesses, Edges, Hazard, uses};

/// The dependencies among units, which may be contracted as passes are joined. Units are numbered in command order.
#[derive(Debug, Default)]
pub struct UnitGraph {
    /// Edge numbers by the unit they leave.
    first: Vec<u32>,
    leaving: Vec<u32>,
    from: Vec<u32>,
    to: Vec<u32>,
    /// Which unit a unit has become part of.
    joined: Vec<u32>,
    /// Next member of the same joined unit, in a ring.
    ring: Vec<u32>,
    /// Last unit that is part of a unit.
    latest: Vec<u32>,
    horizon: u32,
    seen: Vec<u32>,
    stack: Vec<u32>,
    round: u32,
}

/// Why two passes cannot be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// The later depends on something between them that depends on the earlier: (the last unit of that way).
    Between(u32),
    /// The later depends on the earlier by more than its targets: edge of [`Edges`].
    Dependency(u32),
}

/// Whether an edge joins two attachment accesses, whose order a pass keeps by itself.
#[must_use]
pub fn is_raster_order(edges: &Edges, accesses: &Accesses, edge: usize) -> bool {
    const ATTACHMENT: u32 = uses::COLOR_READ | uses::COLOR_WRITE | uses::DEPTH_READ | uses::DEPTH_WRITE;
    let only = |row: u32| accesses.uses.get(row as usize).is_some_and(|used| used & !ATTACHMENT == 0);
    edges.hazard[edge] != Hazard::Order
        && only(edges.source[edge])
        && only(edges.access[edge])
        && accesses.resource[edges.source[edge] as usize] == accesses.resource[edges.access[edge] as usize]
}

impl UnitGraph {
    /// Builds the graph: `unit_of` gives each node's unit, `u32::MAX` = none.
    pub fn build(&mut self, edges: &Edges, unit_of: &[u32], count: usize) {
        self.first.clear();
        self.first.resize(count + 1, 0);
        self.from.clear();
        self.to.clear();
        let unit = |id: NodeId| unit_of.get(id.index()).copied().unwrap_or(u32::MAX);
        self.horizon = 0;
        for n in 0..edges.len() {
            let (from, to) = (unit(edges.from[n]), unit(edges.to[n]));
            self.from.push(from);
            self.to.push(to);
            if from != to && from != u32::MAX && to != u32::MAX {
                self.first[from as usize + 1] += 1;
                if from > to {
                    // Units that were joined before: what comes later may lead back.
                    self.horizon = u32::MAX;
                }
            }
        }
        for n in 0..count {
            self.first[n + 1] += self.first[n];
        }
        self.leaving.clear();
        self.leaving.resize(self.first[count] as usize, 0);
        // `latest` serves as the cursor first.
        self.latest.clear();
        self.latest.extend_from_slice(&self.first[..count]);
        for n in 0..edges.len() {
            let (from, to) = (self.from[n], self.to[n]);
            if from != to && from != u32::MAX && to != u32::MAX {
                let at = &mut self.latest[from as usize];
                self.leaving[*at as usize] = n as u32;
                *at += 1;
            }
        }
        self.joined.clear();
        self.joined.extend(0..count as u32);
        self.ring.clear();
        self.ring.extend(0..count as u32);
        self.latest.clear();
        self.latest.extend(0..count as u32);
        self.seen.clear();
        self.seen.resize(count, 0);
        self.round = 0;
    }

    /// The unit that stands for a unit after joins.
    #[must_use]
    pub fn root(&self, mut unit: u32) -> u32 {
        while self.joined[unit as usize] != unit {
            unit = self.joined[unit as usize];
        }
        unit
    }

    /// Makes `second` part of `first`.
    pub fn join(&mut self, first: u32, second: u32) {
        let (a, b) = (self.root(first), self.root(second));
        if a != b {
            self.joined[b as usize] = a;
            self.ring.swap(a as usize, b as usize);
            self.latest[a as usize] = self.latest[a as usize].max(self.latest[b as usize]);
            self.horizon = self.horizon.max(self.latest[a as usize]);
        }
    }

    /// Whether `first` and `second` may be one unit: no way leads from the first through another unit to the second, and nothing leads directly but what
    /// `harmless` lets pass.
    ///
    /// # Errors
    /// What is in the way.
    pub fn may_join(&mut self, first: u32, second: u32, harmless: impl Fn(u32) -> bool) -> Result<(), Obstacle> {
        let (a, b) = (self.root(first), self.root(second));
        self.round += 1;
        self.stack.clear();
        self.seen[a as usize] = self.round;
        self.stack.push(a);
        let limit = self.latest[b as usize].max(self.horizon);
        while let Some(unit) = self.stack.pop() {
            let mut member = unit;
            loop {
                for at in self.first[member as usize]..self.first[member as usize + 1] {
                    let edge = self.leaving[at as usize];
                    let target = self.to[edge as usize];
                    // Nothing later than every joined unit leads back.
                    if target > limit {
                        continue;
                    }
                    let to = self.root(target);
                    if to == b {
                        if unit != a {
                            return Err(Obstacle::Between(unit));
                        }
                        if !harmless(edge) {
                            return Err(Obstacle::Dependency(edge));
                        }
                    } else if self.seen[to as usize] != self.round {
                        self.seen[to as usize] = self.round;
                        self.stack.push(to);
                    }
                }
                member = self.ring[member as usize];
                if member == unit {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// What happens next to content, looking forward from some point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fate {
    /// Nothing in this part: somebody later may read it.
    #[default]
    Unknown,
    /// Read, or partly written.
    Used,
    /// Overwritten as a whole, before anybody reads it.
    Replaced,
}

/// Whether content may be dropped, given what comes next. Contents are dropped only on proof, and never where another description or the CPU sees the same
/// bytes.
#[must_use]
pub fn is_dead(next: Fate, aliased: bool, cpu_reads: bool) -> bool {
    next == Fate::Replaced && !aliased && !cpu_reads
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn graph(count: usize, pairs: &[(u32, u32)]) -> (UnitGraph, Edges) {
        let mut edges = Edges::default();
        for &(a, b) in pairs {
            edges.push_order(NodeId(a), NodeId(b));
        }
        let units: Vec<u32> = (0..count as u32).collect();
        let mut graph = UnitGraph::default();
        graph.build(&edges, &units, count);
        (graph, edges)
    }

    #[test]
    fn a_reader_between_is_in_the_way() {
        let (mut graph, _) = graph(3, &[(0, 1), (1, 2)]);
        assert_eq!(graph.may_join(0, 2, |_| true), Err(Obstacle::Between(1)));
    }

    #[test]
    fn work_between_that_only_one_side_depends_on_is_not() {
        let (mut graph, _) = graph(4, &[(0, 1), (2, 3), (0, 3)]);
        assert_eq!(graph.may_join(0, 3, |_| true), Ok(()));
        assert_eq!(graph.may_join(0, 3, |_| false), Err(Obstacle::Dependency(2)));
    }

    proptest! {
        /// Joining whatever may be joined never makes a cycle, and a refusal means that it would have.
        #[test]
        fn joins_keep_the_graph_acyclic(
            pairs in prop::collection::vec((0u32..12, 0u32..12), 0..30),
            wishes in prop::collection::vec((0u32..12, 0u32..12), 0..8),
        ) {
            let pairs: Vec<_> = pairs.into_iter().filter(|(a, b)| a < b).collect();
            let (mut graph, _) = graph(12, &pairs);
            for (a, b) in wishes {
                let (a, b) = (graph.root(a.min(b)), graph.root(a.max(b)));
                if a == b { continue; }
                // In both directions: after joins the later may lead to the earlier.
                let may = graph.may_join(a, b, |_| true).is_ok() && graph.may_join(b, a, |_| true).is_ok();
                let root = |n: u32| { let r = graph.root(n); if r == b { a } else { r } };
                let contracted: Vec<_> =
                    pairs.iter().map(|(x, y)| (root(*x), root(*y))).filter(|(x, y)| x != y).collect();
                prop_assert_eq!(may, crate::order::topological_order(12, &contracted).is_ok());
                if may { graph.join(a, b); }
            }
        }
    }
}
