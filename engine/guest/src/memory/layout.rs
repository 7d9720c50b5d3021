//! Where the guest's regions lie. Guest addresses are host addresses, all below 2^39.

/// Bytes of a guest page.
pub const PAGE_SIZE: u64 = 0x1000;
/// Granule of the process heap (SVC SetHeapSize, nn::os memory blocks).
pub const HEAP_GRANULE: u64 = 0x20_0000;
/// One past the last guest address (39-bit address space).
pub const ADDRESS_SPACE_END: u64 = 1 << 39;
/// First guest address that may be mapped; the 128 MiB below are never mapped.
pub const ADDRESS_SPACE_BASE: u64 = 0x800_0000;
/// Where the first module is placed; public symbol lists use the same base.
pub const CODE_BASE: u64 = 0x71_0000_0000;

/// A run of guest addresses kept for one purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// First guest address.
    pub base: u64,
    /// Bytes reserved.
    pub size: u64,
}

impl Region {
    /// One past the last address.
    pub fn end(self) -> u64 {
        self.base + self.size
    }

    /// Whether [address, address+length) lies inside.
    pub fn contains(self, address: u64, length: u64) -> bool {
        address >= self.base && length <= self.size && address - self.base <= self.size - length
    }
}

/// What a region is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegionKind {
    /// Addresses of host functions, 16 bytes apart; never executed, only compared.
    HostText,
    /// Modules: text, read-only data, data and bss.
    Code,
    /// The process heap (SVC SetHeapSize).
    Heap,
    /// Virtual-address memory (SVC MapPhysicalMemory).
    Alias,
    /// Thread stacks (SVC MapMemory targets and the main thread's stack).
    Stack,
    /// Thread-local regions and small objects the host gives the guest.
    Local,
}

/// All regions of one process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Host function addresses.
    pub host_text: Region,
    /// Modules.
    pub code: Region,
    /// Process heap.
    pub heap: Region,
    /// Virtual-address memory.
    pub alias: Region,
    /// Stacks.
    pub stack: Region,
    /// Thread-local regions and host-made objects.
    pub local: Region,
}

const GIB: u64 = 1 << 30;

impl Layout {
    /// The console's sizes for a 39-bit title (8 GiB heap, 64 GiB alias, 2 GiB stacks); `attempt` moves every region but code, for another try
    /// after a collision with something the host process had mapped.
    pub fn standard(attempt: u32) -> Layout {
        let shift = u64::from(attempt % 16) * 4 * GIB;
        Layout {
            host_text: Region { base: 0x70_F000_0000, size: 0x100_0000 },
            code: Region { base: CODE_BASE, size: GIB },
            heap: Region { base: 0x10_0000_0000 + shift, size: 8 * GIB },
            stack: Region { base: 0x22_0000_0000 + shift, size: 2 * GIB },
            alias: Region { base: 0x34_0000_0000 + shift, size: 64 * GIB },
            local: Region { base: 0x5C_0000_0000 + shift, size: 4 * GIB },
        }
    }

    /// A small layout (64 MiB code, 1 GiB heap) for tools and tests that run several guests in one process. `slot` is below 64; slots never overlap
    /// one another, nor the addresses of [`Layout::standard`].
    pub fn compact(slot: u32) -> Layout {
        let base = 0x73_0000_0000 + u64::from(slot % 64) * 0x3000_0000;
        Layout {
            host_text: Region { base, size: 0x100_0000 },
            code: Region { base: base + 0x200_0000, size: 0x400_0000 },
            stack: Region { base: base + 0x800_0000, size: 0x400_0000 },
            local: Region { base: base + 0xC00_0000, size: 0x200_0000 },
            alias: Region { base: base + 0xE00_0000, size: 0x200_0000 },
            heap: Region { base: base + 0x1000_0000, size: 0x2000_0000 },
        }
    }

    /// The regions with their kinds, in a fixed order that is also their order in the backing file.
    pub fn regions(&self) -> [(RegionKind, Region); 6] {
        [
            (RegionKind::HostText, self.host_text),
            (RegionKind::Code, self.code),
            (RegionKind::Local, self.local),
            (RegionKind::Stack, self.stack),
            (RegionKind::Heap, self.heap),
            (RegionKind::Alias, self.alias),
        ]
    }

    /// The region that holds [address, address+length), if one does.
    pub fn region_of(&self, address: u64, length: u64) -> Option<(RegionKind, Region)> {
        self.regions().into_iter().find(|(_, region)| region.contains(address, length))
    }

    /// Offset of `address` in the backing file when it lies in a region.
    pub fn file_offset(&self, address: u64) -> Option<u64> {
        let mut offset = 0;
        for (_, region) in self.regions() {
            if region.contains(address, 1) {
                return Some(offset + (address - region.base));
            }
            offset += region.size;
        }
        None
    }

    /// Bytes of the backing file (sparse).
    pub fn file_length(&self) -> u64 {
        self.regions().iter().map(|(_, region)| region.size).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(layout: &Layout) {
        let mut regions = layout.regions().map(|(_, region)| region).to_vec();
        regions.sort_by_key(|region| region.base);
        for pair in regions.windows(2) {
            assert!(pair[0].end() <= pair[1].base, "{pair:x?}");
        }
        assert!(regions[0].base >= ADDRESS_SPACE_BASE);
        assert!(regions.last().unwrap().end() <= ADDRESS_SPACE_END);
        for region in regions {
            assert_eq!(region.base % HEAP_GRANULE, 0);
            assert_eq!(region.size % PAGE_SIZE, 0);
        }
    }

    #[test]
    fn regions_are_disjoint_aligned_and_below_the_39_bit_limit() {
        for attempt in 0..16 {
            check(&Layout::standard(attempt));
        }
        let mut last = 0;
        for slot in 0..64 {
            let layout = Layout::compact(slot);
            check(&layout);
            assert!(layout.host_text.base >= last);
            last = layout.heap.end();
        }
        assert_eq!(Layout::standard(0).code.base, 0x71_0000_0000);
    }

    #[test]
    fn file_offsets_follow_the_region_order() {
        let layout = Layout::compact(0);
        assert_eq!(layout.file_offset(layout.host_text.base), Some(0));
        assert_eq!(layout.file_offset(layout.code.base + 5), Some(layout.host_text.size + 5));
        assert_eq!(layout.file_offset(layout.heap.end()), None);
        assert_eq!(layout.file_offset(layout.alias.end() - 1), Some(layout.file_length() - 1));
    }
}
