//! Guest memory as the decoder sees it: copies through traits, never borrows.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A guest address range that is not mapped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("guest memory {address:#x}..+{length:#x} is not mapped: check the pool or pointer that named it")]
pub struct MemoryFault {
    /// First byte.
    pub address: u64,
    /// Bytes.
    pub length: u64,
}

/// Reads guest memory.
pub trait GuestRead {
    /// Copies `out.len()` bytes from `address`.
    ///
    /// # Errors
    /// When any byte of the range is not mapped; `out` is then unspecified.
    fn read(&self, address: u64, out: &mut [u8]) -> Result<(), MemoryFault>;
}

/// Writes guest memory, as the CPU does: tracked pages become dirty.
pub trait GuestWrite: GuestRead {
    /// Copies `bytes` to `address`.
    ///
    /// # Errors
    /// When any byte of the range is not mapped; nothing is written then.
    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), MemoryFault>;
}

/// Knows which pages the CPU wrote.
pub trait WriteTracking {
    /// Starts tracking `[address, address + length)`; all its pages count as clean.
    ///
    /// # Errors
    /// When the range is not mapped.
    fn track(&self, address: u64, length: u64) -> Result<(), MemoryFault>;

    /// Appends the addresses of the pages (4096 bytes) in the range that the CPU wrote since the last call, and re-arms them.
    ///
    /// # Errors
    /// When the range is not mapped.
    fn take_dirty(&self, address: u64, length: u64, out: &mut Vec<u64>) -> Result<(), MemoryFault>;
}

/// Guest memory for the systems of a part.
#[derive(Clone, bevy_ecs::prelude::Resource)]
pub struct Guest {
    /// Reads.
    pub memory: std::sync::Arc<dyn GuestRead + Send + Sync>,
    /// Knows which pages the CPU wrote.
    pub tracking: std::sync::Arc<dyn WriteTracking + Send + Sync>,
}

impl std::fmt::Debug for Guest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guest").finish_non_exhaustive()
    }
}

/// Bytes of a page of guest memory.
pub const PAGE: u64 = 4096;

/// Guest memory held by the host: that of a replay, whose pages a trace delivers, and that of tests. What was never written reads as zero.
///
/// A write makes its pages dirty, as the CPU's writes do.
#[derive(Debug, Default)]
pub struct PageMemory {
    pages: Mutex<Pages>,
}

/// The bytes of each page by its address, and whether it was written since it was last asked.
type Pages = BTreeMap<u64, (Box<[u8]>, bool)>;

impl PageMemory {
    /// Puts a page in place, as the CPU wrote it: cut, or padded with zeros, to a page.
    pub fn deliver(&self, address: u64, bytes: &[u8]) {
        let mut page = vec![0; PAGE as usize];
        let length = bytes.len().min(PAGE as usize);
        page[..length].copy_from_slice(&bytes[..length]);
        self.lock().insert(address & !(PAGE - 1), (page.into(), true));
    }

    /// The pages in a range, by address.
    #[must_use]
    pub fn pages(&self, address: u64, length: u64) -> Vec<(u64, Box<[u8]>)> {
        let range = address & !(PAGE - 1)..address.saturating_add(length);
        self.lock().range(range).map(|(address, (bytes, _))| (*address, bytes.clone())).collect()
    }

    /// Forgets all pages.
    pub fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The end of a range that lies below the end of the address space.
    fn end(address: u64, length: u64) -> Result<u64, MemoryFault> {
        address.checked_add(length).filter(|end| *end <= u64::MAX - PAGE).ok_or(MemoryFault { address, length })
    }
}

impl GuestRead for PageMemory {
    fn read(&self, address: u64, out: &mut [u8]) -> Result<(), MemoryFault> {
        let end = Self::end(address, out.len() as u64)?;
        out.fill(0);
        for (base, (page, _)) in self.lock().range(address & !(PAGE - 1)..end) {
            let (from, to) = (address.max(*base), end.min(*base + PAGE));
            out[(from - address) as usize..(to - address) as usize]
                .copy_from_slice(&page[(from - base) as usize..(to - base) as usize]);
        }
        Ok(())
    }
}

impl GuestWrite for PageMemory {
    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), MemoryFault> {
        let end = Self::end(address, bytes.len() as u64)?;
        let mut pages = self.lock();
        let mut at = address;
        while at < end {
            let base = at & !(PAGE - 1);
            let to = end.min(base + PAGE);
            let (page, dirty) = pages.entry(base).or_insert_with(|| (vec![0; PAGE as usize].into(), false));
            page[(at - base) as usize..(to - base) as usize]
                .copy_from_slice(&bytes[(at - address) as usize..(to - address) as usize]);
            *dirty = true;
            at = to;
        }
        Ok(())
    }
}

impl WriteTracking for PageMemory {
    fn track(&self, address: u64, length: u64) -> Result<(), MemoryFault> {
        self.take_dirty(address, length, &mut Vec::new())
    }

    fn take_dirty(&self, address: u64, length: u64, out: &mut Vec<u64>) -> Result<(), MemoryFault> {
        let end = Self::end(address, length)?;
        for (base, (_, dirty)) in self.lock().range_mut(address & !(PAGE - 1)..end) {
            if std::mem::take(dirty) {
                out.push(*base);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_become_dirty_once_and_read_as_they_were_written() {
        let memory = PageMemory::default();
        memory.write(0x11FFE, &[1, 2, 3, 4]).unwrap();
        memory.deliver(0x14000, &[9; 5000]);
        let mut dirty = Vec::new();
        memory.take_dirty(0x10000, 0x5000, &mut dirty).unwrap();
        assert_eq!(dirty, [0x11000, 0x12000, 0x14000]);
        dirty.clear();
        memory.take_dirty(0x10000, 0x5000, &mut dirty).unwrap();
        assert!(dirty.is_empty());
        let mut back = [0; 6];
        memory.read(0x11FFD, &mut back).unwrap();
        assert_eq!(back, [0, 1, 2, 3, 4, 0]);
        memory.read(0x14FFE, &mut back).unwrap();
        assert_eq!(back, [9, 9, 0, 0, 0, 0], "a page is 4096 bytes");
    }

    #[test]
    fn a_range_beyond_all_memory_is_a_fault_that_names_it() {
        let memory = PageMemory::default();
        let fault = MemoryFault { address: u64::MAX - 2, length: 4 };
        assert_eq!(memory.read(u64::MAX - 2, &mut [0; 4]), Err(fault.clone()));
        assert_eq!(memory.write(u64::MAX - 2, &[0; 4]), Err(fault));
    }
}
