//! Which pages the CPU wrote, asked once per part.
//!
//! On the console CPU and GPU share memory: what the CPU stored before a submission is what the submission sees, and what it stores afterwards belongs to the
//! next one. A PC driver copies. So the write tracking is asked, and re-armed, once when the part begins, and everything later in the part uses that answer:
//! a page carries the number of the last part before which it was written, and each host copy the number of the part it is up to date with.
//!
//! Seen as: textures of the next frame in this one; particles that freeze.
//! Rows: M-1.9e, M-2.2a, M-2.2b.  Proof: the unit tests here and of `upload_dirty_buffers`, `upload_dirty_textures`.  Cost: one scan per pool.

use crate::rule::{Kind, Rule};
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::schedule::Phase;
use nvn_decode::ingest::{Device, PartInfo};
use nvn_decode::memory::{Guest, PAGE};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "snapshot_cpu_writes",
    phase: Phase::Ingest,
    kind: Kind::Correctness,
    rows: &["M-1.9e"],
    after: &["walk_call_tree"],
    off_means: "no page counts as written after its pool began",
    knobs: &[],
};

/// Pages that share a row of [`PoolPages::newest`].
const GROUP: usize = 64;

/// Pages of one pool.
#[derive(Debug, Default, Clone)]
pub struct PoolPages {
    /// By page: number of the part before which the CPU last wrote it. Every page counts as written when its pool begins.
    written: Vec<u64>,
    /// By group of pages: the greatest of `written`.
    newest: Vec<u64>,
    /// By page: number of the part with whose CPU writes the pool's buffer is up to date; 0 = never.
    mirrored: Vec<u64>,
    /// By group of pages: a bit for each page whose writes the pool's buffer lacks.
    stale: Vec<u64>,
    /// Number of bits in `stale`.
    stale_pages: usize,
    /// The greatest of `written`.
    latest: u64,
}

impl PoolPages {
    /// Pages of a pool that begins before a part.
    fn new(part: u64, count: usize) -> Self {
        let groups = count.div_ceil(GROUP);
        Self {
            written: vec![part; count],
            newest: vec![part; groups],
            mirrored: vec![0; count],
            latest: part,
            stale_pages: count,
            stale: (0..groups).map(|n| u64::MAX >> (GROUP - (count - n * GROUP).min(GROUP))).collect(),
        }
    }

    /// By page: the part before which the CPU last wrote it, and the part with whose writes the pool's buffer is up to date.
    pub fn parts(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.written.iter().copied().zip(self.mirrored.iter().copied())
    }

    /// Sets what [`PoolPages::parts`] gives, from the first page on.
    pub fn bring_back(&mut self, parts: impl Iterator<Item = (u64, u64)>) {
        for (page, (written, mirrored)) in parts.take(self.written.len()).enumerate() {
            self.written[page] = written;
            self.mirrored[page] = mirrored;
            let bit = 1 << (page % GROUP);
            let stale = &mut self.stale[page / GROUP];
            *stale = if written > mirrored { *stale | bit } else { *stale & !bit };
        }
        for (newest, written) in self.newest.iter_mut().zip(self.written.chunks(GROUP)) {
            *newest = written.iter().copied().max().unwrap_or_default();
        }
        self.latest = self.newest.iter().copied().max().unwrap_or_default();
        self.stale_pages = self.stale.iter().map(|bits| bits.count_ones() as usize).sum();
    }

    /// Number of pages.
    #[must_use]
    pub fn count(&self) -> usize {
        self.written.len()
    }

    fn write(&mut self, part: u64, page: usize) {
        if let Some(written) = self.written.get_mut(page) {
            *written = part;
            self.newest[page / GROUP] = part;
            self.latest = part;
            if part > self.mirrored[page] && !self.is_stale(page) {
                self.stale[page / GROUP] |= 1 << (page % GROUP);
                self.stale_pages += 1;
            }
        }
    }

    /// The latest part before which the CPU wrote a page of a range.
    fn last_written(&self, first: usize, end: usize) -> u64 {
        let end = end.min(self.written.len());
        let newest = |run: &[u64]| run.iter().copied().max().unwrap_or(0);
        let (inner, outer) = (first.div_ceil(GROUP), end / GROUP);
        if first >= end {
            0
        } else if inner >= outer {
            newest(&self.written[first..end])
        } else {
            newest(&self.written[first..inner * GROUP])
                .max(newest(&self.newest[inner..outer]))
                .max(newest(&self.written[outer * GROUP..end]))
        }
    }

    /// Whether the CPU wrote a page of a range before a part later than `since`.
    fn written_since(&self, first: usize, end: usize, since: u64) -> bool {
        if self.latest <= since {
            return false;
        }
        // Groups say no for nearly all that is asked; pages are looked at where they cannot.
        let end = end.min(self.written.len());
        let groups = self.newest.get(first / GROUP..end.div_ceil(GROUP)).unwrap_or_default();
        groups.iter().any(|newest| *newest > since) && self.last_written(first, end) > since
    }

    /// Whether the pool's buffer lacks what the CPU wrote to any page.
    #[must_use]
    pub fn has_stale(&self) -> bool {
        self.stale_pages > 0
    }

    /// Whether the pool's buffer lacks what the CPU wrote to a page.
    #[must_use]
    pub fn is_stale(&self, page: usize) -> bool {
        self.stale.get(page / GROUP).is_some_and(|bits| bits >> (page % GROUP) & 1 != 0)
    }

    /// Whether it lacks what the CPU wrote to any page of a range.
    #[must_use]
    pub fn any_stale(&self, first: usize, end: usize) -> bool {
        let end = end.min(self.written.len());
        if first >= end {
            return false;
        }
        let (low, high) = (first / GROUP, (end - 1) / GROUP);
        let head = u64::MAX << (first % GROUP);
        let tail = u64::MAX >> (GROUP - 1 - (end - 1) % GROUP);
        if low == high {
            return self.stale[low] & head & tail != 0;
        }
        self.stale[low] & head != 0
            || self.stale[high] & tail != 0
            || self.stale[low + 1..high].iter().any(|bits| *bits != 0)
    }

    /// Whether the pool's buffer ever took up what the CPU wrote to a page.
    #[must_use]
    pub fn was_mirrored(&self, page: usize) -> bool {
        self.mirrored.get(page).is_some_and(|part| *part != 0)
    }

    /// Notes that the pool's buffer has what the CPU wrote to a page before a part.
    pub fn mirror(&mut self, part: u64, page: usize) {
        if let Some(mirrored) = self.mirrored.get_mut(page) {
            *mirrored = part;
            if self.is_stale(page) {
                self.stale[page / GROUP] &= !(1 << (page % GROUP));
                self.stale_pages -= 1;
            }
        }
    }
}

/// Pages of all pools, by ordinal.
#[derive(Debug, Default, Resource)]
pub struct DirtyPages {
    pools: Vec<PoolPages>,
    scratch: Vec<u64>,
}

impl DirtyPages {
    /// The pages of a pool.
    #[must_use]
    pub fn pool(&self, ordinal: u32) -> Option<&PoolPages> {
        self.pools.get(ordinal as usize)
    }

    /// The pages of a pool, to be marked as mirrored.
    pub fn pool_mut(&mut self, ordinal: u32) -> Option<&mut PoolPages> {
        self.pools.get_mut(ordinal as usize)
    }

    /// The latest part before which the CPU wrote any page of a range.
    #[must_use]
    pub fn last_written(&self, pool: u32, offset: u64, length: u64) -> u64 {
        let Some(pages) = self.pool(pool) else { return 0 };
        pages.last_written((offset / PAGE) as usize, offset.saturating_add(length).div_ceil(PAGE) as usize)
    }
}

impl DirtyPages {
    /// Whether the CPU wrote any page of a range before a part later than `since`.
    #[must_use]
    pub fn written_since(&self, pool: u32, offset: u64, length: u64, since: u64) -> bool {
        let Some(pages) = self.pool(pool) else { return false };
        let end = offset.saturating_add(length).div_ceil(PAGE);
        pages.written_since((offset / PAGE) as usize, end as usize, since)
    }

    /// Whether the buffer of some of these pools lacks what the CPU wrote; bit = ordinal modulo 64.
    #[must_use]
    pub fn any_stale(&self, pools: u64) -> bool {
        self.pools.iter().enumerate().any(|(ordinal, pages)| pools >> (ordinal % 64) & 1 != 0 && pages.has_stale())
    }
}

/// Asks the write tracking of each live pool.
pub fn snapshot_cpu_writes(
    device: Res<Device>,
    info: Res<PartInfo>,
    guest: Res<Guest>,
    switches: Res<crate::rule::Switches>,
    mut pages: ResMut<DirtyPages>,
    mut decisions: ResMut<Decisions>,
) {
    let DirtyPages { pools, scratch } = &mut *pages;
    for pool in device.pools.iter().filter(|pool| pool.live) {
        let ordinal = pool.ordinal as usize;
        if pools.len() <= ordinal {
            pools.resize_with(ordinal + 1, PoolPages::default);
        }
        let held = &mut pools[ordinal];
        let count = pool.size.div_ceil(PAGE) as usize;
        if held.count() != count {
            *held = PoolPages::new(info.index, count);
        }
        if !switches.on(&RULE) {
            continue;
        }
        scratch.clear();
        if guest.tracking.take_dirty(pool.address, pool.size, scratch).is_err() {
            decisions.push(
                RULE.name,
                Subject::Part,
                Verdict::Degraded,
                "pool {0} is not mapped as a whole: its pages count as written",
                [Evidence::Number(i64::from(pool.ordinal))],
            );
            (0..count).for_each(|page| held.write(info.index, page));
            continue;
        }
        for page in scratch.iter() {
            held.write(info.index, (page.saturating_sub(pool.address) / PAGE) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::DirtyPages;
    use crate::testing::Scene;

    #[test]
    fn whether_pages_were_written_since_is_what_the_pages_say() {
        let mut pages = super::PoolPages::new(1, 300);
        let mut state = 5_u64;
        let mut next = |limit: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % limit
        };
        for part in 2..60 {
            for _ in 0..next(4) {
                let first = next(300) as usize;
                (first..(first + next(3) as usize).min(300)).for_each(|page| pages.write(part, page));
            }
            pages.mirror(part, next(300) as usize);
            for _ in 0..50 {
                let (first, since) = (next(320) as usize, next(part));
                let end = first + next(200) as usize;
                let said = pages.written_since(first, end, since);
                let written = &pages.written[first.min(300)..end.min(300).max(first.min(300))];
                assert_eq!(said, written.iter().any(|page| *page > since), "{first}..{end} since {since}");
            }
            let stale = (0..300).filter(|page| pages.is_stale(*page)).count();
            assert_eq!(stale, pages.stale_pages, "part {part}");
        }
    }

    // rows: M-1.9e
    #[test]
    fn a_write_belongs_to_the_next_part() {
        let mut scene = Scene::new(&[]);
        scene.run();
        let written = |scene: &Scene| scene.res::<DirtyPages>().last_written(0, 0x3000, 0x1000);
        assert_eq!(written(&scene), 1, "a pool begins written");
        scene.run();
        assert_eq!(written(&scene), 1);
        scene.write(0, 0x3004, &[1]);
        assert_eq!(written(&scene), 1, "until a part asks");
        scene.run();
        assert_eq!(written(&scene), 3);
        assert_eq!(scene.res::<DirtyPages>().last_written(0, 0x5000, 0x1000), 1, "the neighbour is clean");
    }
}
