//! Sets of bytes of pools, as sorted runs that do not touch.

use framegraph::resource::PhysicalRange;

/// A set of bytes of pools.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Intervals {
    /// (pool, first, end), sorted; runs of one pool neither overlap nor touch.
    runs: Vec<(u32, u64, u64)>,
}

impl Intervals {
    /// Forgets all, keeps the memory.
    pub fn clear(&mut self) {
        self.runs.clear();
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The runs as (pool, first byte, end).
    #[must_use]
    pub fn runs(&self) -> &[(u32, u64, u64)] {
        &self.runs
    }

    /// Adds bytes.
    pub fn add(&mut self, range: PhysicalRange) {
        if range.length == 0 {
            return;
        }
        let (pool, mut first, mut end) = (range.pool, range.offset, range.offset.saturating_add(range.length));
        // The first run that ends at or after `first`, and the first that begins after `end`.
        let from = self.runs.partition_point(|run| (run.0, run.2) < (pool, first));
        let to = from + self.runs[from..].partition_point(|run| (run.0, run.1) <= (pool, end));
        if let Some(run) = self.runs[from..to].first() {
            first = first.min(run.1);
        }
        if let Some(run) = self.runs[from..to].last() {
            end = end.max(run.2);
        }
        self.runs.splice(from..to, std::iter::once((pool, first, end)));
    }

    /// Takes bytes away.
    pub fn remove(&mut self, range: PhysicalRange) {
        let (pool, first, end) = (range.pool, range.offset, range.offset.saturating_add(range.length));
        let from = self.runs.partition_point(|run| (run.0, run.2) <= (pool, first));
        let to = from + self.runs[from..].partition_point(|run| (run.0, run.1) < (pool, end));
        if from >= to || range.length == 0 {
            return;
        }
        let (head, tail) = (self.runs[from], self.runs[to - 1]);
        let keep = [(pool, head.1, first.min(head.2)), (pool, end.max(tail.1), tail.2)];
        self.runs.splice(from..to, keep.into_iter().filter(|run| run.1 < run.2));
    }

    /// Whether the set has all bytes of the range.
    #[must_use]
    pub fn contains(&self, range: PhysicalRange) -> bool {
        let end = range.offset.saturating_add(range.length);
        range.length == 0 || self.within(range).next() == Some((range.offset, end))
    }

    /// Whether the set has a byte of the range.
    #[must_use]
    pub fn overlaps(&self, range: PhysicalRange) -> bool {
        self.within(range).next().is_some()
    }

    /// The longest run of bytes around a range that has none of the set, as (first byte, end); `None` if the range itself has some.
    #[must_use]
    #[inline]
    pub fn gap(&self, range: PhysicalRange) -> Option<(u64, u64)> {
        let (pool, first, end) = (range.pool, range.offset, range.offset.saturating_add(range.length));
        let at = self.runs.partition_point(|run| (run.0, run.2) <= (pool, first));
        let next = self.runs.get(at).filter(|run| run.0 == pool).map_or(u64::MAX, |run| run.1);
        let before = at.checked_sub(1).map(|n| self.runs[n]).filter(|run| run.0 == pool).map_or(0, |run| run.2);
        (end <= next).then_some((before, next))
    }

    /// The parts of the set within a range, as (first byte, end).
    pub fn within(&self, range: PhysicalRange) -> impl Iterator<Item = (u64, u64)> + '_ {
        let (pool, first, end) = (range.pool, range.offset, range.offset.saturating_add(range.length));
        let from = self.runs.partition_point(|run| (run.0, run.2) <= (pool, first));
        self.runs[from..]
            .iter()
            .take_while(move |run| run.0 == pool && run.1 < end)
            .map(move |run| (run.1.max(first), run.2.min(end)))
            .filter(|run| run.0 < run.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn range(pool: u32, offset: u64, length: u64) -> PhysicalRange {
        PhysicalRange { pool, offset, length }
    }

    #[test]
    fn behaves_as_a_set_of_bytes() {
        let mut set = Intervals::default();
        let mut bytes = BTreeSet::new();
        let mut state = 12345_u64;
        let mut next = |limit: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % limit
        };
        for step in 0..2000 {
            let (pool, offset, length) = (next(2) as u32, next(60), next(12));
            let all = (offset..offset + length).map(|byte| (pool, byte));
            if next(3) == 0 {
                set.remove(range(pool, offset, length));
                all.for_each(|byte| {
                    bytes.remove(&byte);
                });
            } else {
                set.add(range(pool, offset, length));
                bytes.extend(all);
            }
            let held: BTreeSet<_> = set.runs().iter().flat_map(|r| (r.1..r.2).map(|byte| (r.0, byte))).collect();
            assert_eq!(held, bytes, "step {step}");
            let (pool, offset, length) = (next(2) as u32, next(60), next(12));
            let hit = (offset..offset + length).any(|byte| bytes.contains(&(pool, byte)));
            assert_eq!(set.overlaps(range(pool, offset, length)), hit, "step {step}");
            let all = (offset..offset + length).all(|byte| bytes.contains(&(pool, byte)));
            assert_eq!(set.contains(range(pool, offset, length)), all, "step {step}");
        }
    }
}
