//! The hostile executor: a plan runs with everything that Vulkan leaves undefined made visibly wrong, one wrong value per cause. For tests.
//!
//! A mode of the executor ([`crate::ExecutorOptions::hostile`]); the plan is not changed. Numbers of lines as in the table of poisons of the project's catalogue:
//! 1 fresh memory, 2 load and store, 3 feedback, 4 caches, 5 order, 8 time, 9 interfaces. Each line has a proof test in `tests/hostile.rs`: a plan
//! whose guard was removed fails, the same plan with it passes.

pub(crate) mod interface;
pub(crate) mod shadows;

use framegraph::ids::{NodeId, ResourceId};
use framegraph::plan::Step;

/// Which lines are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lines(pub u16);

impl Lines {
    /// 1: fresh memory, and memory behind a layout change that drops contents, is filled: colour magenta, integers 0xCD…, depth 0.71, stencil 0xCD,
    /// buffers 0x7FC0CDCD.
    pub const FRESH: Self = Self(1 << 1);
    /// 2: load operations that do not care load orange; what is not stored turns orange.
    pub const LOAD_STORE: Self = Self(1 << 2);
    /// 3: what a pass writes as an attachment is sampled as magenta, or as it was at the last barrier inside the pass where the plan chose the feedback layout.
    pub const FEEDBACK: Self = Self(1 << 3);
    /// 4: each class of reader has a copy of its own, refreshed only by a barrier of the plan that names the class.
    pub const CACHES: Self = Self(1 << 4);
    /// 5: what no barrier orders runs in a shuffled order (seed 0: reversed).
    pub const ORDER: Self = Self(1 << 5);
    /// 8: completions come late and several at a time; snapshots are overwritten after submission; imported pools are copies.
    pub const TIME: Self = Self(1 << 8);
    /// 9: undefined values of shaders get a face; what is not bound is yellow, or 0xCD bytes.
    pub const INTERFACES: Self = Self(1 << 9);
    /// All.
    pub const ALL: Self = Self(0b11_0011_1110);

    /// Whether all these lines are on.
    #[must_use]
    pub fn has(self, lines: Self) -> bool {
        self.0 & lines.0 == lines.0
    }
}

/// How to be hostile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HostileOptions {
    /// Lines.
    pub lines: Lines,
    /// Seed of what is random; 0 reverses unordered work.
    pub seed: u64,
}

/// A read that no barrier of the plan had made visible to its class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StaleRead {
    /// The node that reads.
    pub node: NodeId,
    /// What it reads.
    pub resource: ResourceId,
    /// The class: a bit of [`framegraph::tables::uses`].
    pub class: u32,
}

/// A sequence of seeded numbers (splitmix64).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// Line 5: the order in which steps run. Barriers stay where they are; between two, whole passes and single nodes change places.
pub(crate) fn shuffled(steps: &[Step], seed: u64) -> Vec<usize> {
    let mut out = Vec::with_capacity(steps.len());
    let mut random = Random(seed);
    let mut group: Vec<std::ops::Range<usize>> = Vec::new();
    let mut flush = |group: &mut Vec<std::ops::Range<usize>>, out: &mut Vec<usize>| {
        if seed == 0 {
            group.reverse();
        } else {
            for n in (1..group.len()).rev() {
                let k = (random.next() % (n as u64 + 1)) as usize;
                group.swap(n, k);
            }
        }
        out.extend(group.drain(..).flatten());
    };
    let mut n = 0;
    while n < steps.len() {
        match steps[n] {
            Step::Barrier(_) => {
                flush(&mut group, &mut out);
                out.push(n);
                n += 1;
            }
            Step::BeginPass(_) => {
                let length =
                    steps[n..].iter().position(|s| matches!(s, Step::EndPass(_))).map_or(steps.len() - n, |k| k + 1);
                group.push(n..n + length);
                n += length;
            }
            _ => {
                group.push(n..n + 1);
                n += 1;
            }
        }
    }
    flush(&mut group, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use framegraph::ids::PassId;

    #[test]
    fn order_changes_between_barriers_alone() {
        let node = |n| Step::Node(NodeId(n));
        let steps = [
            node(0),
            node(1),
            Step::Barrier(0),
            node(2),
            Step::BeginPass(PassId(0)),
            node(3),
            node(4),
            Step::EndPass(PassId(0)),
            node(5),
        ];
        assert_eq!(shuffled(&steps, 0), [1, 0, 2, 8, 4, 5, 6, 7, 3]);
        for seed in 1..20 {
            let order = shuffled(&steps, seed);
            let at = |n| order.iter().position(|k| *k == n).expect("each step once");
            assert_eq!(order.len(), steps.len());
            assert!(at(0) < 2 && at(1) < 2 && at(2) == 2);
            assert_eq!([at(5), at(6), at(7)], [at(4) + 1, at(4) + 2, at(4) + 3]);
        }
    }
}
