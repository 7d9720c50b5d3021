//! The allocator behind malloc, new and nn::mem::StandardAllocator. Its records are the host's; the guest sees pointers into its own arena only.

use std::collections::{BTreeMap, BTreeSet};

/// Smallest alignment of a block.
pub const MINIMUM_ALIGNMENT: u64 = 16;

/// Best fit over one guest range; lowest address among equals, so that runs repeat.
#[derive(Debug, Default)]
pub struct Arena {
    base: u64,
    size: u64,
    free: BTreeMap<u64, u64>,
    free_by_size: BTreeSet<(u64, u64)>,
    used: BTreeMap<u64, u64>,
}

impl Arena {
    /// An arena over [base, base+size), rounded inward to 16 bytes.
    pub fn new(base: u64, size: u64) -> Arena {
        let start = base.saturating_add(MINIMUM_ALIGNMENT - 1) & !(MINIMUM_ALIGNMENT - 1);
        let end = base.saturating_add(size) & !(MINIMUM_ALIGNMENT - 1);
        let size = end.saturating_sub(start);
        let mut arena = Arena { base: start, size, ..Arena::default() };
        if size > 0 {
            arena.insert_free(start, size);
        }
        arena
    }

    /// The range it hands out of.
    pub fn range(&self) -> (u64, u64) {
        (self.base, self.size)
    }

    fn insert_free(&mut self, address: u64, size: u64) {
        self.free.insert(address, size);
        self.free_by_size.insert((size, address));
    }

    fn remove_free(&mut self, address: u64, size: u64) {
        self.free.remove(&address);
        self.free_by_size.remove(&(size, address));
    }

    /// A block of at least `size` bytes whose address is a multiple of `alignment` (a power of two); `None` when none fits.
    pub fn allocate(&mut self, size: u64, alignment: u64) -> Option<u64> {
        if !alignment.is_power_of_two() {
            return None;
        }
        let alignment = alignment.max(MINIMUM_ALIGNMENT);
        let size = size.max(1).checked_next_multiple_of(MINIMUM_ALIGNMENT)?;
        let fits = |&&(free, address): &&(u64, u64)| {
            let aligned = address.checked_next_multiple_of(alignment);
            aligned.is_some_and(|aligned| aligned - address <= free && free - (aligned - address) >= size)
        };
        let (free, address) = *self.free_by_size.range((size, 0)..).find(fits)?;
        let aligned = address.next_multiple_of(alignment);
        self.remove_free(address, free);
        if aligned > address {
            self.insert_free(address, aligned - address);
        }
        let (end, block_end) = (aligned + size, address + free);
        if block_end > end {
            self.insert_free(end, block_end - end);
        }
        self.used.insert(aligned, size);
        Some(aligned)
    }

    /// Gives a block back; false if `address` is no block.
    pub fn free(&mut self, address: u64) -> bool {
        let Some(mut size) = self.used.remove(&address) else { return false };
        let mut address = address;
        if let Some((before, length)) =
            self.free.range(..address).next_back().map(|(a, s)| (*a, *s)).filter(|(a, s)| a + s == address)
        {
            self.remove_free(before, length);
            address = before;
            size += length;
        }
        if let Some(length) = self.free.get(&(address + size)).copied() {
            self.remove_free(address + size, length);
            size += length;
        }
        self.insert_free(address, size);
        true
    }

    /// Usable bytes of a block.
    pub fn size_of(&self, address: u64) -> Option<u64> {
        self.used.get(&address).copied()
    }

    /// All free bytes.
    pub fn free_bytes(&self) -> u64 {
        self.free.values().sum()
    }

    /// The largest single block that fits.
    pub fn largest_free(&self) -> u64 {
        self.free_by_size.last().map_or(0, |(size, _)| *size)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn freed_neighbours_join() {
        let mut arena = Arena::new(0x1008, 0x1000);
        assert_eq!(arena.range(), (0x1010, 0xFF0));
        let blocks: Vec<u64> = (0..3).map(|_| arena.allocate(100, 1).unwrap()).collect();
        assert_eq!(blocks, [0x1010, 0x1080, 0x10F0]);
        assert!(arena.free(blocks[0]) && arena.free(blocks[2]) && arena.free(blocks[1]));
        assert!(!arena.free(blocks[1]));
        assert_eq!(arena.largest_free(), 0xFF0);
        assert_eq!(arena.allocate(0x1000, 16), None);
        assert_eq!(arena.allocate(u64::MAX, 16), None);
        assert_eq!(arena.allocate(16, 3), None);
    }

    proptest! {
        #[test]
        fn blocks_never_overlap(steps in proptest::collection::vec((0u64..3000, 0u32..9, any::<bool>()), 1..200)) {
            let mut arena = Arena::new(0x10_0000, 0x1_0000);
            let mut live: Vec<(u64, u64)> = Vec::new();
            for (size, alignment, free) in steps {
                if free && !live.is_empty() {
                    let (address, _) = live.swap_remove(size as usize % live.len());
                    prop_assert!(arena.free(address));
                } else if let Some(address) = arena.allocate(size, 1 << alignment) {
                    prop_assert_eq!(address % (1 << alignment), 0);
                    let usable = arena.size_of(address).unwrap();
                    prop_assert!(usable >= size && address >= 0x10_0000 && address + usable <= 0x11_0000);
                    prop_assert!(live.iter().all(|(other, length)| address + usable <= *other || other + length <= address));
                    live.push((address, usable));
                }
            }
            let used: u64 = live.iter().map(|(_, length)| length).sum();
            prop_assert_eq!(arena.free_bytes() + used, 0x1_0000);
        }
    }
}
