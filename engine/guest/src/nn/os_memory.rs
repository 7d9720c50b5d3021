//! nn::os memory: the heap and its blocks.

use std::collections::BTreeMap;

use super::locked;
use crate::fault::GuestFault;
use crate::kernel::{ResultCode, results};
use crate::memory::{HEAP_GRANULE, PAGE_SIZE};
use crate::registry::HostRegistry;

/// Blocks of the heap that are in use: base to size.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    heap: (u64, u64),
    used: BTreeMap<u64, u64>,
    regions: BTreeMap<u64, u64>,
}

/// Address-region granule.
const REGION_GRANULE: u64 = 0x1_0000;

/// Best fit, lowest address among equals, in what `used` leaves of [base, base+size).
fn best_fit(used: &BTreeMap<u64, u64>, base: u64, size: u64, wanted: u64) -> Option<u64> {
    let mut best: Option<(u64, u64)> = None;
    let mut position = base;
    for (start, length) in used.iter().map(|(start, length)| (*start, *length)).chain([(base + size, 0)]) {
        let gap = start.saturating_sub(position);
        if gap >= wanted && best.is_none_or(|(best, _)| gap < best) {
            best = Some((gap, position));
        }
        position = position.max(start + length);
    }
    best.map(|(_, address)| address)
}

impl Blocks {
    fn allocate(&mut self, size: u64) -> Result<u64, ResultCode> {
        let (base, heap) = self.heap;
        let address = best_fit(&self.used, base, heap, size).ok_or(results::OS_OUT_OF_MEMORY)?;
        self.used.insert(address, size);
        Ok(address)
    }

    /// Frees [address, address+size), which may be a part of a block; false if it is not in use.
    fn free(&mut self, address: u64, size: u64) -> bool {
        let Some((start, length)) = self.used.range(..=address).next_back().map(|(start, length)| (*start, *length))
        else {
            return false;
        };
        let (Some(end), block_end) = (address.checked_add(size), start + length) else { return false };
        if end > block_end || size == 0 {
            return false;
        }
        self.used.remove(&start);
        if address > start {
            self.used.insert(start, address - start);
        }
        if end < block_end {
            self.used.insert(end, block_end - end);
        }
        true
    }

    fn highest_end(&self) -> u64 {
        self.used.iter().next_back().map_or(self.heap.0, |(start, length)| start + length)
    }
}

pub(super) fn register(r: &HostRegistry) {
    r.register("_ZN2nn2os17SetMemoryHeapSizeEm", |c| {
        let size = c.x(0);
        let mut blocks = locked(&c.process().services().memory);
        if !size.is_multiple_of(HEAP_GRANULE) {
            return Err(GuestFault::Misuse {
                object: "the memory heap",
                address: size,
                rule: "its size is a multiple of 2 MiB",
            });
        }
        if blocks.heap.0.saturating_add(size) < blocks.highest_end() {
            return Ok(Err(results::OS_BUSY));
        }
        match c.kernel().set_heap_size(size) {
            Ok(base) => {
                blocks.heap = (base, size);
                Ok(Ok(()))
            }
            Err(_) => Ok(Err(results::OS_OUT_OF_MEMORY)),
        }
    });
    r.register("_ZN2nn2os20GetMemoryHeapAddressEv", |c| {
        let (base, size) = locked(&c.process().services().memory).heap;
        if size == 0 { 0 } else { base }
    });
    r.register("_ZN2nn2os17GetMemoryHeapSizeEv", |c| locked(&c.process().services().memory).heap.1);
    r.register("_ZN2nn2os19AllocateMemoryBlockEPmm", |c| {
        let (out, size) = (c.x(0), c.x(1));
        if size == 0 || !size.is_multiple_of(HEAP_GRANULE) {
            return Err(GuestFault::Misuse {
                object: "a memory block",
                address: size,
                rule: "its size is a multiple of 2 MiB",
            });
        }
        let made = locked(&c.process().services().memory).allocate(size);
        match made {
            Ok(address) => {
                c.memory().write_u64(out, address)?;
                Ok(Ok(()))
            }
            Err(code) => Ok(Err(code)),
        }
    });
    r.register("_ZN2nn2os15FreeMemoryBlockEmm", |c| {
        let (address, size) = (c.x(0), c.x(1));
        if !locked(&c.process().services().memory).free(address, size) {
            return Err(GuestFault::Misuse {
                object: "a memory block",
                address,
                rule: "only memory that AllocateMemoryBlock gave can be freed",
            });
        }
        for result in
            [c.kernel().set_memory_permission(address, size, 3), c.kernel().set_memory_attribute(address, size, 8, 0)]
        {
            result.map_err(GuestFault::Kernel)?;
        }
        Ok(())
    });
    r.register("_ZN2nn2os30InitializeVirtualAddressMemoryEv", |_| {});
    r.register("_ZN2nn2os21AllocateAddressRegionEPmm", |c| {
        let (out, size) = (c.x(0), c.x(1).next_multiple_of(REGION_GRANULE));
        let region = c.memory().layout().alias;
        let made = {
            let mut blocks = locked(&c.process().services().memory);
            let made = best_fit(&blocks.regions, region.base, region.size, size);
            if let Some(address) = made {
                blocks.regions.insert(address, size);
            }
            made
        };
        match made {
            Some(address) => {
                c.memory().write_u64(out, address)?;
                Ok::<_, GuestFault>(Ok(()))
            }
            None => Ok(Err(results::OS_NO_ADDRESS_SPACE)),
        }
    });
    r.register("_ZN2nn2os17FreeAddressRegionEm", |c| {
        let removed = locked(&c.process().services().memory).regions.remove(&c.x(0)).is_some();
        if removed { Ok(()) } else { Err(results::OS_OUT_OF_MEMORY) }
    });
    r.register("_ZN2nn2os19AllocateMemoryPagesEmm", |c| {
        c.kernel()
            .map_physical_memory(c.x(0), c.x(1).next_multiple_of(PAGE_SIZE))
            .map_err(|_| results::OS_OUT_OF_MEMORY)
    });
    r.register("_ZN2nn2os15FreeMemoryPagesEmm", |c| {
        c.kernel()
            .unmap_physical_memory(c.x(0), c.x(1).next_multiple_of(PAGE_SIZE))
            .map_err(|_| results::OS_OUT_OF_MEMORY)
    });
    r.register("_ZN2nn2os15QueryMemoryInfoEPNS0_10MemoryInfoE", |c| {
        let (heap, used) = {
            let blocks = locked(&c.process().services().memory);
            (blocks.heap.1, blocks.used.values().sum::<u64>())
        };
        use crate::kernel::InfoKind;
        let total = c.kernel().info(InfoKind::TotalMemory, 0).map_err(GuestFault::Kernel)?;
        let mapped = c.kernel().info(InfoKind::UsedMemory, 0).map_err(GuestFault::Kernel)?;
        let program = mapped.saturating_sub(heap);
        for (index, value) in [total, mapped, heap, used, program, 0].into_iter().enumerate() {
            c.memory().write_u64(c.x(0) + index as u64 * 8, value)?;
        }
        Ok::<_, GuestFault>(c.memory().write_u32(c.x(0) + 0x30, c.kernel().thread_count() as u32)?)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_best_fit_and_may_be_freed_in_part() {
        const G: u64 = HEAP_GRANULE;
        let mut blocks = Blocks { heap: (G, 10 * G), ..Blocks::default() };
        let first = blocks.allocate(3 * G).unwrap();
        let second = blocks.allocate(G).unwrap();
        assert_eq!((first, second), (G, 4 * G));
        assert!(blocks.free(G, 2 * G), "the front of a block");
        assert_eq!(blocks.allocate(2 * G), Ok(G), "the smaller gap");
        assert_eq!(blocks.allocate(6 * G), Ok(5 * G));
        assert_eq!(blocks.allocate(G), Err(results::OS_OUT_OF_MEMORY));
        assert!(!blocks.free(G, 20 * G) && !blocks.free(0, G) && !blocks.free(u64::MAX, G));
        assert_eq!(blocks.highest_end(), 11 * G);
    }
}
