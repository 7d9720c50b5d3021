//! The kernel's calls on memory: heap, mirrors, permissions, facts about regions.

use super::{Kernel, ResultCode, results};
use crate::memory::{HEAP_GRANULE, MemoryError, MemoryState, PAGE_SIZE, Permission, RegionKind};

/// Memory for applications on a 4 GiB console.
const APPLICATION_MEMORY: u64 = 3285 << 20;

/// Types of SVC GetInfo that a process may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
#[allow(missing_docs)] // The names are the values of the interface.
pub enum InfoKind {
    CoreMask = 0,
    PriorityMask = 1,
    AliasBase = 2,
    AliasSize = 3,
    HeapBase = 4,
    HeapSize = 5,
    TotalMemory = 6,
    UsedMemory = 7,
    DebuggerAttached = 8,
    IdleTicks = 10,
    RandomEntropy = 11,
    AddressSpaceBase = 12,
    AddressSpaceSize = 13,
    StackBase = 14,
    StackSize = 15,
    SystemResourceTotal = 16,
    SystemResourceUsed = 17,
    ProgramId = 18,
    ExceptionContext = 20,
    TotalWithoutSystemResource = 21,
    UsedWithoutSystemResource = 22,
    IsApplication = 23,
    FreeThreadCount = 24,
    AliasExtraSize = 28,
}

impl InfoKind {
    /// The kind of a number, if a process may ask it.
    pub fn from_number(number: u32) -> Option<InfoKind> {
        use InfoKind::*;
        const ALL: [InfoKind; 24] = [
            CoreMask,
            PriorityMask,
            AliasBase,
            AliasSize,
            HeapBase,
            HeapSize,
            TotalMemory,
            UsedMemory,
            DebuggerAttached,
            IdleTicks,
            RandomEntropy,
            AddressSpaceBase,
            AddressSpaceSize,
            StackBase,
            StackSize,
            SystemResourceTotal,
            SystemResourceUsed,
            ProgramId,
            ExceptionContext,
            TotalWithoutSystemResource,
            UsedWithoutSystemResource,
            IsApplication,
            FreeThreadCount,
            AliasExtraSize,
        ];
        ALL.into_iter().find(|kind| *kind as u32 == number)
    }
}

fn page_aligned(address: u64, size: u64) -> Result<(), ResultCode> {
    if !address.is_multiple_of(PAGE_SIZE) {
        return Err(results::INVALID_ADDRESS);
    }
    if size == 0 || !size.is_multiple_of(PAGE_SIZE) {
        return Err(results::INVALID_SIZE);
    }
    if address.checked_add(size).is_none() {
        return Err(results::INVALID_CURRENT_MEMORY);
    }
    Ok(())
}

fn memory_result(error: MemoryError) -> ResultCode {
    tracing::debug!(%error, "a guest's memory call was refused");
    match error {
        MemoryError::Misaligned { .. } => results::INVALID_SIZE,
        MemoryError::RegionFull { .. }
        | MemoryError::System { .. }
        | MemoryError::Backing { .. }
        | MemoryError::Reserve { .. } => results::OUT_OF_MEMORY,
        MemoryError::OutsideRegions { .. } => results::INVALID_MEMORY_REGION,
        MemoryError::AlreadyMapped { .. } | MemoryError::Fault(_) => results::INVALID_CURRENT_MEMORY,
    }
}

impl Kernel {
    /// SVC SetHeapSize: returns the heap's base.
    pub fn set_heap_size(&self, size: u64) -> Result<u64, ResultCode> {
        if !size.is_multiple_of(HEAP_GRANULE) {
            return Err(results::INVALID_SIZE);
        }
        self.memory.set_heap_size(size).map_err(memory_result)
    }

    /// SVC SetMemoryPermission.
    pub fn set_memory_permission(&self, address: u64, size: u64, permission: u32) -> Result<(), ResultCode> {
        page_aligned(address, size)?;
        let permission = match permission {
            0 => Permission::None,
            1 => Permission::Read,
            3 => Permission::ReadWrite,
            _ => return Err(results::INVALID_NEW_MEMORY_PERMISSION),
        };
        self.memory.protect(address, size, permission).map_err(memory_result)
    }

    /// SVC SetMemoryAttribute: only the uncached bit (8).
    pub fn set_memory_attribute(&self, address: u64, size: u64, mask: u32, value: u32) -> Result<(), ResultCode> {
        page_aligned(address, size)?;
        if mask & !8 != 0 || value & !mask != 0 {
            return Err(results::INVALID_COMBINATION);
        }
        self.memory.set_attribute(address, size, mask, value).map_err(memory_result)
    }

    /// SVC MapMemory: shows `source` at `destination` in the stack region and locks the source.
    pub fn map_memory(&self, destination: u64, source: u64, size: u64) -> Result<(), ResultCode> {
        page_aligned(destination, size)?;
        page_aligned(source, size)?;
        if !self.memory.layout().stack.contains(destination, size) {
            return Err(results::INVALID_MEMORY_REGION);
        }
        self.memory.map_mirror(destination, source, size, MemoryState::Stack).map_err(memory_result)?;
        self.memory.protect(source, size, Permission::None).map_err(memory_result)?;
        self.memory.set_attribute(source, size, 1, 1).map_err(memory_result)
    }

    /// SVC UnmapMemory.
    pub fn unmap_memory(&self, destination: u64, source: u64, size: u64) -> Result<(), ResultCode> {
        page_aligned(destination, size)?;
        page_aligned(source, size)?;
        if !self.memory.layout().stack.contains(destination, size) {
            return Err(results::INVALID_MEMORY_REGION);
        }
        self.memory.unmap(destination, size, false).map_err(memory_result)?;
        self.memory.protect(source, size, Permission::ReadWrite).map_err(memory_result)?;
        self.memory.set_attribute(source, size, 1, 0).map_err(memory_result)
    }

    /// SVC MapPhysicalMemory, inside the alias region.
    pub fn map_physical_memory(&self, address: u64, size: u64) -> Result<(), ResultCode> {
        page_aligned(address, size)?;
        if !self.memory.layout().alias.contains(address, size) {
            return Err(results::INVALID_MEMORY_REGION);
        }
        self.memory.map(address, size, Permission::ReadWrite, MemoryState::Normal).map_err(memory_result)
    }

    /// SVC UnmapPhysicalMemory.
    pub fn unmap_physical_memory(&self, address: u64, size: u64) -> Result<(), ResultCode> {
        page_aligned(address, size)?;
        if !self.memory.layout().alias.contains(address, size) {
            return Err(results::INVALID_MEMORY_REGION);
        }
        self.memory.unmap(address, size, true).map_err(memory_result)
    }

    /// The 0x28 bytes of SVC QueryMemory for the block that holds `address`.
    pub fn query_memory(&self, address: u64) -> [u8; 0x28] {
        let block = self.memory.query(address);
        let mut bytes = [0; 0x28];
        bytes[0x00..0x08].copy_from_slice(&block.start.to_le_bytes());
        bytes[0x08..0x10].copy_from_slice(&block.end.wrapping_sub(block.start).to_le_bytes());
        bytes[0x10..0x14].copy_from_slice(&(block.state as u32).to_le_bytes());
        bytes[0x14..0x18].copy_from_slice(&block.attribute.to_le_bytes());
        bytes[0x18..0x1C].copy_from_slice(&block.permission.bits().to_le_bytes());
        bytes
    }

    /// SVC GetInfo for the process.
    pub fn info(&self, kind: InfoKind, sub: u64) -> Result<u64, ResultCode> {
        let layout = self.memory.layout();
        let resource = self.limits.system_resource;
        let region = |kind: RegionKind| {
            let found = layout.regions().into_iter().find(|(other, _)| *other == kind).map(|(_, region)| region);
            found.map_or((0, 0), |region| (region.base, region.size))
        };
        Ok(match kind {
            InfoKind::CoreMask => self.limits.core_mask,
            InfoKind::PriorityMask => (self.limits.priorities.0..=self.limits.priorities.1)
                .fold(0, |mask, priority| mask | 1u64 << priority.min(63)),
            InfoKind::AliasBase => region(RegionKind::Alias).0,
            InfoKind::AliasSize => region(RegionKind::Alias).1,
            InfoKind::HeapBase => region(RegionKind::Heap).0,
            InfoKind::HeapSize => region(RegionKind::Heap).1,
            InfoKind::StackBase => region(RegionKind::Stack).0,
            InfoKind::StackSize => region(RegionKind::Stack).1,
            InfoKind::TotalMemory => APPLICATION_MEMORY,
            InfoKind::UsedMemory => self.memory.mapped_bytes(),
            InfoKind::TotalWithoutSystemResource => APPLICATION_MEMORY - resource,
            InfoKind::UsedWithoutSystemResource => self.memory.mapped_bytes(),
            InfoKind::DebuggerAttached
            | InfoKind::IdleTicks
            | InfoKind::ExceptionContext
            | InfoKind::AliasExtraSize => 0,
            InfoKind::SystemResourceUsed => 0,
            InfoKind::SystemResourceTotal => resource,
            InfoKind::RandomEntropy => {
                if sub > 3 {
                    return Err(results::INVALID_COMBINATION);
                }
                crate::random::SplitMix::new(self.limits.program_id ^ sub).next_u64()
            }
            InfoKind::AddressSpaceBase => crate::memory::ADDRESS_SPACE_BASE,
            InfoKind::AddressSpaceSize => crate::memory::ADDRESS_SPACE_END - crate::memory::ADDRESS_SPACE_BASE,
            InfoKind::ProgramId => self.limits.program_id,
            InfoKind::IsApplication => 1,
            InfoKind::FreeThreadCount => 96u64.saturating_sub(self.thread_count() as u64),
        })
    }
}
