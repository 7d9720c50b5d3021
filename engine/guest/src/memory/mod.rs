//! Guest memory: one memfd, mapped where the guest sees it and once more as an alias for Vulkan (catalogue ).
//!
//! The guest's mapping lies at fixed addresses below 2^39, so guest pointers are host pointers. The alias mapping shows the same bytes elsewhere; what the
//! GPU writes goes through it and is not seen by write tracking. Rust code gets copies only: every access checks the block table first, so that a bad
//! guest pointer is an error and never a crash.

mod layout;
mod tracking;

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, RwLock, RwLockReadGuard};

pub use layout::{
    ADDRESS_SPACE_BASE, ADDRESS_SPACE_END, CODE_BASE, HEAP_GRANULE, Layout, PAGE_SIZE, Region, RegionKind,
};
pub use nvn_decode::memory::{GuestRead, GuestWrite, MemoryFault, WriteTracking};
pub use tracking::TrackingMode;
pub(crate) use tracking::set_unexplained_fault;

use tracking::{PageStates, Userfault};

/// Why memory could not be set up or changed.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// The backing file could not be made.
    #[error("cannot create the guest's memory file of {length:#x} bytes: {source}")]
    Backing {
        /// Bytes asked for.
        length: u64,
        /// The kernel's answer.
        source: io::Error,
    },
    /// A region's addresses are taken in this process.
    #[error(
        "cannot reserve the {region:?} region at {base:#x} (+{size:#x}): {source}; another guest runs in this process, or a library was mapped there"
    )]
    Reserve {
        /// Which region.
        region: RegionKind,
        /// Its first address.
        base: u64,
        /// Its size in bytes.
        size: u64,
        /// The kernel's answer.
        source: io::Error,
    },
    /// A range does not fit the region it was asked for in.
    #[error("{what} at {address:#x} (+{length:#x}) does not lie in a region of the guest's address space")]
    OutsideRegions {
        /// What was to be placed.
        what: &'static str,
        /// First address.
        address: u64,
        /// Bytes.
        length: u64,
    },
    /// The range is already in use.
    #[error("guest memory {address:#x} (+{length:#x}) is already mapped")]
    AlreadyMapped {
        /// First address.
        address: u64,
        /// Bytes.
        length: u64,
    },
    /// A region is full.
    #[error("no room for {length:#x} bytes in the {region:?} region")]
    RegionFull {
        /// Which region.
        region: RegionKind,
        /// Bytes asked for.
        length: u64,
    },
    /// A size or address breaks an alignment rule.
    #[error("{what} {value:#x} is not a multiple of {alignment:#x}")]
    Misaligned {
        /// What is misaligned.
        what: &'static str,
        /// Its value.
        value: u64,
        /// What it must be a multiple of.
        alignment: u64,
    },
    /// A range is not mapped.
    #[error(transparent)]
    Fault(#[from] MemoryFault),
    /// A system call failed.
    #[error("{operation} of guest memory {address:#x} (+{length:#x}) failed: {source}")]
    System {
        /// What was being done.
        operation: &'static str,
        /// First address.
        address: u64,
        /// Bytes.
        length: u64,
        /// The kernel's answer.
        source: io::Error,
    },
}

/// Access rights of a block, as SVC QueryMemory reports them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// Nothing (a source that is mapped elsewhere).
    None,
    /// Read.
    Read,
    /// Read and write.
    ReadWrite,
    /// Read and execute: guest text. The host maps it readable only; lifted code runs elsewhere.
    ReadExecute,
}

impl Permission {
    fn protection(self) -> libc::c_int {
        match self {
            Permission::None => libc::PROT_NONE,
            Permission::Read | Permission::ReadExecute => libc::PROT_READ,
            Permission::ReadWrite => libc::PROT_READ | libc::PROT_WRITE,
        }
    }

    /// The kernel's bits: 1 read, 2 write, 4 execute.
    pub fn bits(self) -> u32 {
        match self {
            Permission::None => 0,
            Permission::Read => 1,
            Permission::ReadWrite => 3,
            Permission::ReadExecute => 5,
        }
    }
}

/// Memory types of SVC QueryMemory (the values the guest reads).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum MemoryState {
    /// Nothing is mapped.
    Free = 0x00,
    /// Text and read-only data.
    Code = 0x03,
    /// Data and bss.
    CodeData = 0x04,
    /// The heap and physical memory in the alias region.
    Normal = 0x05,
    /// Thread-local pages and host-made objects.
    ThreadLocal = 0x0C,
    /// A stack.
    Stack = 0x0B,
    /// Beyond the address space.
    Inaccessible = 0x10,
}

/// One run of pages with equal properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// First guest address.
    pub start: u64,
    /// One past the last.
    pub end: u64,
    /// Access rights.
    pub permission: Permission,
    /// Memory type.
    pub state: MemoryState,
    /// Attribute bits (bit 3: uncached; bit 0: locked).
    pub attribute: u32,
    /// Offset of `start` in the backing file.
    pub file_offset: u64,
}

/// What guest memory is made with.
#[derive(Debug, Clone, Default)]
pub struct MemoryOptions {
    /// Regions; `None` tries [`Layout::standard`] with every attempt.
    pub layout: Option<Layout>,
    /// Tracking; `None` takes userfaultfd when the kernel offers it.
    pub tracking: Option<TrackingMode>,
}

enum Tracker {
    Userfault(Userfault),
    // Boxed: the signal handler keeps their addresses.
    #[allow(clippy::vec_box)]
    Protect(Vec<Box<PageStates>>),
}

/// The guest's memory. One exists per guest; dropping it unmaps everything.
pub struct GuestMemory {
    layout: Layout,
    file: OwnedFd,
    alias: NonNull<u8>,
    alias_length: u64,
    blocks: RwLock<Vec<Block>>,
    tracker: Tracker,
    heap_size: AtomicU64,
    released: AtomicBool,
    cursors: Mutex<Cursors>,
}

struct Cursors {
    local: u64,
    local_mapped: u64,
    stack: u64,
}

// SAFETY: the raw alias pointer names a mapping that lives as long as self; all access goes through checked copies or atomics.
unsafe impl Send for GuestMemory {}
// SAFETY: as above.
unsafe impl Sync for GuestMemory {}

impl std::fmt::Debug for GuestMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GuestMemory")
            .field("layout", &self.layout)
            .field("tracking", &self.tracking_mode())
            .finish_non_exhaustive()
    }
}

fn page_down(value: u64) -> u64 {
    value & !(PAGE_SIZE - 1)
}

fn page_up(value: u64) -> u64 {
    value.saturating_add(PAGE_SIZE - 1) & !(PAGE_SIZE - 1)
}

impl GuestMemory {
    /// Reserves every region and makes the backing file. Nothing is mapped yet.
    pub fn new(options: &MemoryOptions) -> Result<GuestMemory, MemoryError> {
        match &options.layout {
            Some(layout) => GuestMemory::with_layout(layout.clone(), options.tracking),
            None => {
                let mut last = None;
                for attempt in 0..16 {
                    match GuestMemory::with_layout(Layout::standard(attempt), options.tracking) {
                        Ok(memory) => return Ok(memory),
                        // Code and host text cannot move, so another attempt would not help.
                        Err(error @ MemoryError::Reserve { region: RegionKind::Code | RegionKind::HostText, .. }) => {
                            return Err(error);
                        }
                        Err(error) => last = Some(error),
                    }
                }
                Err(last.expect("the loop ran at least once and every pass that did not return stored its error"))
            }
        }
    }

    fn with_layout(layout: Layout, tracking: Option<TrackingMode>) -> Result<GuestMemory, MemoryError> {
        let length = layout.file_length();
        let backing = |source| MemoryError::Backing { length, source };
        // SAFETY: memfd_create takes a C string and returns a new descriptor or -1.
        let raw = unsafe { libc::memfd_create(c"ferrograph-guest".as_ptr(), libc::MFD_CLOEXEC) };
        if raw < 0 {
            return Err(backing(io::Error::last_os_error()));
        }
        // SAFETY: the kernel just gave us this descriptor.
        let file = unsafe { OwnedFd::from_raw_fd(raw) };
        // SAFETY: the descriptor is open; the call changes its length only.
        if unsafe { libc::ftruncate(file.as_raw_fd(), length as i64) } != 0 {
            return Err(backing(io::Error::last_os_error()));
        }
        let mut reserved: Vec<Region> = Vec::new();
        for (kind, region) in layout.regions() {
            // SAFETY: MAP_FIXED_NOREPLACE never touches an existing mapping.
            let at = unsafe {
                libc::mmap(
                    region.base as *mut libc::c_void,
                    region.size as usize,
                    libc::PROT_NONE,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE,
                    -1,
                    0,
                )
            };
            if at as u64 != region.base {
                let source = io::Error::last_os_error();
                if at != libc::MAP_FAILED {
                    // SAFETY: an old kernel took the address as a hint; this is our own fresh mapping.
                    unsafe { libc::munmap(at, region.size as usize) };
                }
                for region in reserved {
                    // SAFETY: reserved by this loop, not yet shared with anyone.
                    unsafe { libc::munmap(region.base as *mut libc::c_void, region.size as usize) };
                }
                return Err(MemoryError::Reserve { region: kind, base: region.base, size: region.size, source });
            }
            reserved.push(region);
        }
        let release = |reserved: &[Region]| {
            for region in reserved {
                // SAFETY: reserved above, not yet shared with anyone.
                unsafe { libc::munmap(region.base as *mut libc::c_void, region.size as usize) };
            }
        };
        // SAFETY: a fresh shared mapping of our own file at an address of the kernel's choice.
        let alias = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                length as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_NORESERVE,
                file.as_raw_fd(),
                0,
            )
        };
        if alias == libc::MAP_FAILED {
            let source = io::Error::last_os_error();
            release(&reserved);
            return Err(backing(source));
        }
        let tracker = (|| -> io::Result<Tracker> {
            match tracking {
                Some(TrackingMode::Userfault) => return Userfault::open().map(Tracker::Userfault),
                None => match Userfault::open() {
                    Ok(userfault) => return Ok(Tracker::Userfault(userfault)),
                    Err(error) => {
                        tracing::info!(%error, "no asynchronous userfaultfd here; page protection tracks guest writes")
                    }
                },
                Some(TrackingMode::Protect) => {}
            }
            layout
                .regions()
                .iter()
                .map(|(_, region)| PageStates::new(region.base, region.size))
                .collect::<io::Result<_>>()
                .map(Tracker::Protect)
        })();
        let tracker = match tracker {
            Ok(tracker) => tracker,
            Err(source) => {
                release(&reserved);
                // SAFETY: our own mapping, not yet shared with anyone.
                unsafe { libc::munmap(alias, length as usize) };
                return Err(backing(source));
            }
        };
        let cursors = Cursors { local: layout.local.base, local_mapped: layout.local.base, stack: layout.stack.base };
        let alias = NonNull::new(alias.cast::<u8>()).expect("mmap without MAP_FIXED never returns address 0");
        Ok(GuestMemory {
            layout,
            file,
            alias,
            alias_length: length,
            blocks: RwLock::new(Vec::new()),
            tracker,
            heap_size: AtomicU64::new(0),
            released: AtomicBool::new(false),
            cursors: Mutex::new(cursors),
        })
    }

    /// Where the regions lie.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Which tracking is in use.
    pub fn tracking_mode(&self) -> TrackingMode {
        match self.tracker {
            Tracker::Userfault(_) => TrackingMode::Userfault,
            Tracker::Protect(_) => TrackingMode::Protect,
        }
    }

    /// The backing file, for imports by descriptor. Its length is [`Layout::file_length`].
    pub fn file(&self) -> BorrowedFd<'_> {
        use std::os::fd::AsFd;
        self.file.as_fd()
    }

    /// Offset in the backing file of mapped guest memory that is contiguous there for `length` bytes.
    pub fn file_offset(&self, address: u64, length: u64) -> Result<u64, MemoryFault> {
        let fault = MemoryFault { address, length };
        let blocks = self.read_blocks();
        let mut position = address;
        let end = address.checked_add(length.max(1)).ok_or(fault.clone())?;
        let mut start_offset = None;
        while position < end {
            let block = find(&blocks, position).ok_or_else(|| fault.clone())?;
            let offset = block.file_offset + (position - block.start);
            match start_offset {
                None => start_offset = Some(offset),
                Some(start) if start + (position - address) != offset => return Err(fault),
                Some(_) => {}
            }
            position = block.end;
        }
        start_offset.ok_or(fault)
    }

    /// The alias of mapped guest memory: a host pointer to the same bytes through the mapping that write tracking does not see, for
    /// VK_EXT_external_memory_host. It stays valid until self is dropped; only the GPU driver may be given it.
    pub fn alias_pointer(&self, address: u64, length: u64) -> Result<NonNull<u8>, MemoryFault> {
        let offset = self.file_offset(address, length)?;
        // SAFETY: the offset lies inside the backing file, all of which the alias maps.
        Ok(unsafe { self.alias.add(offset as usize) })
    }

    fn read_blocks(&self) -> RwLockReadGuard<'_, Vec<Block>> {
        self.blocks.read().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Maps zeroed memory at [address, address+length): page multiples inside one region, free until now.
    pub fn map(
        &self,
        address: u64,
        length: u64,
        permission: Permission,
        state: MemoryState,
    ) -> Result<(), MemoryError> {
        let file_offset = self
            .layout
            .region_of(address, length)
            .and_then(|_| self.layout.file_offset(address))
            .ok_or(MemoryError::OutsideRegions { what: "a mapping", address, length })?;
        self.map_file(Block { start: address, end: address + length, permission, state, attribute: 0, file_offset })
    }

    /// Maps `length` bytes of existing memory once more at `destination` (SVC MapMemory): both addresses show the same bytes.
    pub fn map_mirror(
        &self,
        destination: u64,
        source: u64,
        length: u64,
        state: MemoryState,
    ) -> Result<(), MemoryError> {
        let file_offset = self.file_offset(source, length)?;
        if self.layout.region_of(destination, length).is_none() {
            return Err(MemoryError::OutsideRegions { what: "a mirror", address: destination, length });
        }
        self.map_file(Block {
            start: destination,
            end: destination + length,
            permission: Permission::ReadWrite,
            state,
            attribute: 0,
            file_offset,
        })
    }

    fn map_file(&self, block: Block) -> Result<(), MemoryError> {
        let (address, length) = (block.start, block.end - block.start);
        for (what, value) in [("address", address), ("length", length)] {
            if !value.is_multiple_of(PAGE_SIZE) {
                return Err(MemoryError::Misaligned { what, value, alignment: PAGE_SIZE });
            }
        }
        if length == 0 {
            return Ok(());
        }
        let mut blocks = self.blocks.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        let at = blocks.partition_point(|other| other.end <= block.start);
        if blocks.get(at).is_some_and(|other| other.start < block.end) {
            return Err(MemoryError::AlreadyMapped { address, length });
        }
        // SAFETY: the range lies in a region this object reserved and holds no block, so nothing but our own reservation is replaced.
        let mapped = unsafe {
            libc::mmap(
                address as *mut libc::c_void,
                length as usize,
                block.permission.protection(),
                libc::MAP_SHARED | libc::MAP_NORESERVE | libc::MAP_FIXED,
                self.file.as_raw_fd(),
                block.file_offset as i64,
            )
        };
        if mapped == libc::MAP_FAILED {
            return Err(MemoryError::System {
                operation: "mapping",
                address,
                length,
                source: io::Error::last_os_error(),
            });
        }
        if let Tracker::Userfault(userfault) = &self.tracker {
            userfault.register(address, length).map_err(|source| MemoryError::System {
                operation: "registering for write tracking",
                address,
                length,
                source,
            })?;
        }
        blocks.insert(at, block);
        Ok(())
    }

    /// Unmaps [address, address+length), which must be mapped in full; the bytes are given back when `discard` and read zero if mapped again.
    pub fn unmap(&self, address: u64, length: u64, discard: bool) -> Result<(), MemoryError> {
        let mut blocks = self.blocks.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        split(&mut blocks, address, length)?;
        let removed: Vec<Block> =
            blocks.extract_if(.., |block| block.start >= address && block.end <= address + length).collect();
        // SAFETY: the range was ours (split checks it); it becomes a reservation again.
        let reserved = unsafe {
            libc::mmap(
                address as *mut libc::c_void,
                length as usize,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED,
                -1,
                0,
            )
        };
        if reserved == libc::MAP_FAILED {
            return Err(MemoryError::System {
                operation: "unmapping",
                address,
                length,
                source: io::Error::last_os_error(),
            });
        }
        self.forget_tracking(address, length);
        if discard {
            for block in removed {
                self.discard(block.file_offset, block.end - block.start);
            }
        }
        Ok(())
    }

    fn discard(&self, file_offset: u64, length: u64) {
        // SAFETY: punching a hole in our own file; the range reads zero afterwards.
        let done = unsafe {
            libc::fallocate(
                self.file.as_raw_fd(),
                libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE,
                file_offset as i64,
                length as i64,
            )
        };
        if done != 0 {
            tracing::warn!(error = %io::Error::last_os_error(), file_offset, length, "guest memory could not be given back");
        }
    }

    fn forget_tracking(&self, address: u64, length: u64) {
        if let Tracker::Protect(trackers) = &self.tracker {
            for tracker in trackers {
                tracker.forget(address, address + length);
            }
        }
    }

    /// Changes the access rights of a mapped range.
    pub fn protect(&self, address: u64, length: u64, permission: Permission) -> Result<(), MemoryError> {
        let mut blocks = self.blocks.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        split(&mut blocks, address, length)?;
        self.forget_tracking(address, length);
        // SAFETY: the range is mapped guest memory (split checks it); contents do not change.
        if unsafe { libc::mprotect(address as *mut libc::c_void, length as usize, permission.protection()) } != 0 {
            return Err(MemoryError::System {
                operation: "protecting",
                address,
                length,
                source: io::Error::last_os_error(),
            });
        }
        for block in blocks.iter_mut().filter(|block| block.start >= address && block.end <= address + length) {
            block.permission = permission;
        }
        merge(&mut blocks);
        Ok(())
    }

    /// Sets attribute bits of a mapped range (SVC SetMemoryAttribute).
    pub fn set_attribute(&self, address: u64, length: u64, mask: u32, value: u32) -> Result<(), MemoryError> {
        let mut blocks = self.blocks.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        split(&mut blocks, address, length)?;
        for block in blocks.iter_mut().filter(|block| block.start >= address && block.end <= address + length) {
            block.attribute = (block.attribute & !mask) | (value & mask);
        }
        merge(&mut blocks);
        Ok(())
    }

    /// The block that holds `address`, or a free or inaccessible one that spans to the next block (SVC QueryMemory).
    pub fn query(&self, address: u64) -> Block {
        let free =
            |start, end, state| Block { start, end, permission: Permission::None, state, attribute: 0, file_offset: 0 };
        if address >= ADDRESS_SPACE_END {
            return free(ADDRESS_SPACE_END, 0, MemoryState::Inaccessible);
        }
        let blocks = self.read_blocks();
        if let Some(block) = find(&blocks, address) {
            return block;
        }
        let at = blocks.partition_point(|block| block.end <= address);
        let start = if at == 0 { 0 } else { blocks[at - 1].end };
        let end = blocks.get(at).map_or(ADDRESS_SPACE_END, |block| block.start);
        free(start, end, MemoryState::Free)
    }

    /// Bytes mapped in all blocks of a state.
    pub fn mapped_bytes(&self) -> u64 {
        self.read_blocks().iter().map(|block| block.end - block.start).sum()
    }

    /// Sets the heap size (SVC SetHeapSize): a multiple of 2 MiB up to the region's size. Growing maps zeroed memory at the end, shrinking gives it
    /// back. Returns the heap's base, which never moves.
    pub fn set_heap_size(&self, size: u64) -> Result<u64, MemoryError> {
        if !size.is_multiple_of(HEAP_GRANULE) {
            return Err(MemoryError::Misaligned { what: "heap size", value: size, alignment: HEAP_GRANULE });
        }
        let region = self.layout.heap;
        if size > region.size {
            return Err(MemoryError::RegionFull { region: RegionKind::Heap, length: size });
        }
        let _order = self.cursors.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let old = self.heap_size.load(Ordering::SeqCst);
        if size > old {
            self.map(region.base + old, size - old, Permission::ReadWrite, MemoryState::Normal)?;
            let mut blocks = self.blocks.write().unwrap_or_else(|poisoned| poisoned.into_inner());
            merge(&mut blocks);
        } else if size < old {
            self.unmap(region.base + size, old - size, true)?;
        }
        self.heap_size.store(size, Ordering::SeqCst);
        Ok(region.base)
    }

    /// The heap's present size in bytes.
    pub fn heap_size(&self) -> u64 {
        self.heap_size.load(Ordering::SeqCst)
    }

    /// Maps a stack of `size` bytes (rounded up to pages) with an unmapped page below it; returns its lowest address. Never reused.
    pub fn allocate_stack(&self, size: u64) -> Result<u64, MemoryError> {
        let size = page_up(size.max(PAGE_SIZE));
        let mut cursors = self.cursors.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let base = cursors.stack + PAGE_SIZE;
        if !self.layout.stack.contains(base, size) {
            return Err(MemoryError::RegionFull { region: RegionKind::Stack, length: size });
        }
        self.map(base, size, Permission::ReadWrite, MemoryState::Stack)?;
        cursors.stack = base + size;
        Ok(base)
    }

    /// Zeroed guest memory for an object the host gives the guest (thread-local regions, display tokens, argument strings). Never given back.
    pub fn allocate_local(&self, size: u64, alignment: u64) -> Result<u64, MemoryError> {
        debug_assert!(alignment.is_power_of_two() && alignment <= PAGE_SIZE);
        let mut cursors = self.cursors.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let base = (cursors.local + alignment - 1) & !(alignment - 1);
        let end = base.saturating_add(size);
        if !self.layout.local.contains(base, size) {
            return Err(MemoryError::RegionFull { region: RegionKind::Local, length: size });
        }
        if end > cursors.local_mapped {
            // 64 KiB at a time keeps the block table short.
            let grown = (end + 0xFFFF) & !0xFFFF;
            let grown = grown.min(self.layout.local.end());
            self.map(
                cursors.local_mapped,
                grown - cursors.local_mapped,
                Permission::ReadWrite,
                MemoryState::ThreadLocal,
            )?;
            cursors.local_mapped = grown;
            merge(&mut self.blocks.write().unwrap_or_else(|poisoned| poisoned.into_inner()));
        }
        cursors.local = end;
        Ok(base)
    }

    /// Runs `access` while [address, address+length) is known to be mapped with the right, and stays so.
    fn with_range<T>(
        &self,
        address: u64,
        length: u64,
        write: bool,
        access: impl FnOnce() -> T,
    ) -> Result<T, MemoryFault> {
        let blocks = self.read_blocks();
        check(&blocks, address, length, write)?;
        let result = access();
        drop(blocks);
        Ok(result)
    }

    /// Whether the guest could read all of the range.
    pub fn is_readable(&self, address: u64, length: u64) -> bool {
        check(&self.read_blocks(), address, length, false).is_ok()
    }

    /// Whether the guest could write all of the range.
    pub fn is_writable(&self, address: u64, length: u64) -> bool {
        check(&self.read_blocks(), address, length, true).is_ok()
    }

    /// Copies between guest ranges, which may overlap (memmove).
    pub fn copy(&self, destination: u64, source: u64, length: u64) -> Result<(), MemoryFault> {
        if length == 0 {
            return Ok(());
        }
        let blocks = self.read_blocks();
        check(&blocks, source, length, false)?;
        check(&blocks, destination, length, true)?;
        // SAFETY: both ranges are mapped with the needed rights while the table is read-locked; memmove takes overlaps.
        unsafe { libc::memmove(destination as *mut libc::c_void, source as *const libc::c_void, length as usize) };
        drop(blocks);
        Ok(())
    }

    /// Sets every byte of a guest range.
    pub fn fill(&self, address: u64, byte: u8, length: u64) -> Result<(), MemoryFault> {
        // SAFETY: with_range checked that the range is writable and keeps it so.
        self.with_range(address, length, true, || unsafe {
            libc::memset(address as *mut libc::c_void, i32::from(byte), length as usize)
        })?;
        Ok(())
    }

    /// Compares guest ranges byte by byte: negative, zero or positive as memcmp.
    pub fn compare(&self, left: u64, right: u64, length: u64) -> Result<i32, MemoryFault> {
        let blocks = self.read_blocks();
        check(&blocks, left, length, false)?;
        check(&blocks, right, length, false)?;
        // SAFETY: both ranges are readable while the table is read-locked.
        Ok(unsafe { libc::memcmp(left as *const libc::c_void, right as *const libc::c_void, length as usize) })
    }

    /// Address of the first `byte` in the range, if it is there.
    pub fn find_byte(&self, address: u64, byte: u8, length: u64) -> Result<Option<u64>, MemoryFault> {
        // SAFETY: with_range checked that the range is readable and keeps it so.
        let found = self.with_range(address, length, false, || unsafe {
            libc::memchr(address as *const libc::c_void, i32::from(byte), length as usize)
        })?;
        Ok((!found.is_null()).then_some(found as u64))
    }

    /// Length of a NUL-terminated string, at most `limit` bytes: an error when neither a NUL nor the limit is reached in mapped memory.
    pub fn string_length(&self, address: u64, limit: u64) -> Result<u64, MemoryFault> {
        let mut position = address;
        let end = address.saturating_add(limit);
        while position < end {
            let blocks = self.read_blocks();
            let block = find(&blocks, position)
                .filter(|block| block.permission != Permission::None)
                .ok_or(MemoryFault { address: position, length: 1 })?;
            let chunk = block.end.min(end) - position;
            // SAFETY: the chunk lies in a readable block while the table is read-locked.
            let found = unsafe { libc::memchr(position as *const libc::c_void, 0, chunk as usize) };
            if !found.is_null() {
                return Ok(found as u64 - address);
            }
            position += chunk;
        }
        Ok(limit)
    }

    /// A NUL-terminated string's bytes without the NUL, at most `limit`.
    pub fn read_string(&self, address: u64, limit: u64) -> Result<Vec<u8>, MemoryFault> {
        let mut bytes = vec![0; self.string_length(address, limit)? as usize];
        self.read(address, &mut bytes)?;
        Ok(bytes)
    }

    /// One little-endian value.
    pub fn read_u8(&self, address: u64) -> Result<u8, MemoryFault> {
        let mut bytes = [0; 1];
        self.read(address, &mut bytes)?;
        Ok(bytes[0])
    }

    /// One little-endian value.
    pub fn read_u16(&self, address: u64) -> Result<u16, MemoryFault> {
        let mut bytes = [0; 2];
        self.read(address, &mut bytes)?;
        Ok(u16::from_le_bytes(bytes))
    }

    /// One little-endian value.
    pub fn read_u32(&self, address: u64) -> Result<u32, MemoryFault> {
        let mut bytes = [0; 4];
        self.read(address, &mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    /// One little-endian value.
    pub fn read_u64(&self, address: u64) -> Result<u64, MemoryFault> {
        let mut bytes = [0; 8];
        self.read(address, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// One little-endian value.
    pub fn write_u8(&self, address: u64, value: u8) -> Result<(), MemoryFault> {
        self.write(address, &[value])
    }

    /// One little-endian value.
    pub fn write_u16(&self, address: u64, value: u16) -> Result<(), MemoryFault> {
        self.write(address, &value.to_le_bytes())
    }

    /// One little-endian value.
    pub fn write_u32(&self, address: u64, value: u32) -> Result<(), MemoryFault> {
        self.write(address, &value.to_le_bytes())
    }

    /// One little-endian value.
    pub fn write_u64(&self, address: u64, value: u64) -> Result<(), MemoryFault> {
        self.write(address, &value.to_le_bytes())
    }

    fn with_u32<T>(&self, address: u64, write: bool, access: impl FnOnce(&AtomicU32) -> T) -> Result<T, MemoryFault> {
        if !address.is_multiple_of(4) {
            return Err(MemoryFault { address, length: 4 });
        }
        self.with_range(address, 4, write, || {
            // SAFETY: aligned and mapped with the right (with_range); guest memory is shared memory that only atomics and copies touch.
            access(unsafe { AtomicU32::from_ptr(address as *mut u32) })
        })
    }

    /// Atomic load of an aligned word (acquire).
    pub fn load_u32(&self, address: u64) -> Result<u32, MemoryFault> {
        self.with_u32(address, false, |word| word.load(Ordering::SeqCst))
    }

    /// Atomic store of an aligned word (release).
    pub fn store_u32(&self, address: u64, value: u32) -> Result<(), MemoryFault> {
        self.with_u32(address, true, |word| word.store(value, Ordering::SeqCst))
    }

    /// Atomic compare-exchange of an aligned word; the inner error holds what was there.
    pub fn compare_exchange_u32(&self, address: u64, expected: u32, new: u32) -> Result<Result<u32, u32>, MemoryFault> {
        self.with_u32(address, true, |word| word.compare_exchange(expected, new, Ordering::SeqCst, Ordering::SeqCst))
    }

    /// Atomic load of a byte (acquire).
    pub fn load_u8(&self, address: u64) -> Result<u8, MemoryFault> {
        // SAFETY: mapped and readable (with_range); a byte is always aligned.
        self.with_range(address, 1, false, || unsafe { AtomicU8::from_ptr(address as *mut u8) }.load(Ordering::SeqCst))
    }

    /// Atomic store of a byte (release).
    pub fn store_u8(&self, address: u64, value: u8) -> Result<(), MemoryFault> {
        self.with_range(address, 1, true, || {
            // SAFETY: mapped and writable (with_range); a byte is always aligned.
            unsafe { AtomicU8::from_ptr(address as *mut u8) }.store(value, Ordering::SeqCst)
        })
    }

    fn tracked(&self, address: u64, length: u64) -> Result<Option<(u64, u64)>, MemoryFault> {
        if length == 0 {
            return Ok(None);
        }
        let end = address.checked_add(length).ok_or(MemoryFault { address, length })?;
        Ok(Some((page_down(address), page_up(end))))
    }
}

impl GuestRead for GuestMemory {
    fn read(&self, address: u64, out: &mut [u8]) -> Result<(), MemoryFault> {
        // SAFETY: with_range checked that the range is readable and keeps it so; `out` is host memory, so the two do not overlap.
        self.with_range(address, out.len() as u64, false, || unsafe {
            libc::memcpy(out.as_mut_ptr().cast(), address as *const libc::c_void, out.len());
        })
    }
}

impl GuestWrite for GuestMemory {
    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), MemoryFault> {
        // SAFETY: with_range checked that the range is writable and keeps it so; `bytes` is host memory, so the two do not overlap.
        self.with_range(address, bytes.len() as u64, true, || unsafe {
            libc::memcpy(address as *mut libc::c_void, bytes.as_ptr().cast(), bytes.len());
        })
    }
}

impl WriteTracking for GuestMemory {
    fn take_dirty(&self, address: u64, length: u64, out: &mut Vec<u64>) -> Result<(), MemoryFault> {
        let Some((start, end)) = self.tracked(address, length)? else { return Ok(()) };
        let blocks = self.read_blocks();
        check(&blocks, start, end - start, false)?;
        let result = match &self.tracker {
            Tracker::Userfault(userfault) => userfault.take(start, end, out),
            Tracker::Protect(trackers) => writable_runs(&blocks, start, end).try_for_each(|(start, end)| {
                trackers.iter().find(|t| t.covers(start)).map_or(Ok(()), |t| t.take(start, end, out))
            }),
        };
        result.map_err(|_| MemoryFault { address, length })
    }

    fn track(&self, address: u64, length: u64) -> Result<(), MemoryFault> {
        let Some((start, end)) = self.tracked(address, length)? else { return Ok(()) };
        let blocks = self.read_blocks();
        check(&blocks, start, end - start, false)?;
        let result = match &self.tracker {
            Tracker::Userfault(userfault) => userfault.protect(start, end - start),
            Tracker::Protect(trackers) => writable_runs(&blocks, start, end).try_for_each(|(start, end)| {
                trackers.iter().find(|t| t.covers(start)).map_or(Ok(()), |t| t.protect(start, end))
            }),
        };
        result.map_err(|_| MemoryFault { address, length })
    }
}

impl GuestMemory {
    /// Unmaps every region early, so that another guest can take the addresses: for guests whose parked threads keep this object alive. Every later
    /// access is an error. No guest thread may run.
    pub fn release(&self) {
        let mut blocks = self.blocks.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        blocks.clear();
        if !self.released.swap(true, Ordering::SeqCst) {
            self.unmap_regions();
        }
    }

    fn unmap_regions(&self) {
        for (_, region) in self.layout.regions() {
            // SAFETY: the region was reserved by us and everything in it is ours; the block table is empty or self is going, so nobody looks there any more.
            unsafe { libc::munmap(region.base as *mut libc::c_void, region.size as usize) };
        }
    }
}

impl Drop for GuestMemory {
    fn drop(&mut self) {
        if !*self.released.get_mut() {
            self.unmap_regions();
        }
        // SAFETY: our own mapping of this length.
        unsafe { libc::munmap(self.alias.as_ptr().cast(), self.alias_length as usize) };
    }
}

fn find(blocks: &[Block], address: u64) -> Option<Block> {
    let at = blocks.partition_point(|block| block.end <= address);
    blocks.get(at).filter(|block| block.start <= address).copied()
}

fn check(blocks: &[Block], address: u64, length: u64, write: bool) -> Result<(), MemoryFault> {
    if length == 0 {
        return Ok(());
    }
    let fault = || MemoryFault { address, length };
    let end = address.checked_add(length).ok_or_else(fault)?;
    let mut at = blocks.partition_point(|block| block.end <= address);
    let mut position = address;
    while position < end {
        let block = blocks.get(at).filter(|block| block.start <= position).ok_or_else(fault)?;
        let allowed =
            if write { block.permission == Permission::ReadWrite } else { block.permission != Permission::None };
        if !allowed {
            return Err(fault());
        }
        position = block.end;
        at += 1;
    }
    Ok(())
}

/// Runs of [start, end) that the guest may write.
fn writable_runs(blocks: &[Block], start: u64, end: u64) -> impl Iterator<Item = (u64, u64)> + '_ {
    blocks
        .iter()
        .filter(move |block| block.end > start && block.start < end && block.permission == Permission::ReadWrite)
        .map(move |block| (block.start.max(start), block.end.min(end)))
}

/// Cuts blocks so that [address, address+length) consists of whole ones; it must be mapped in full.
fn split(blocks: &mut Vec<Block>, address: u64, length: u64) -> Result<(), MemoryError> {
    for (what, value) in [("address", address), ("length", length)] {
        if !value.is_multiple_of(PAGE_SIZE) {
            return Err(MemoryError::Misaligned { what, value, alignment: PAGE_SIZE });
        }
    }
    let fault = MemoryFault { address, length };
    let end = address.checked_add(length).ok_or_else(|| fault.clone())?;
    let mut position = address;
    while position < end {
        position = find(blocks, position).ok_or_else(|| fault.clone())?.end;
    }
    for cut in [address, end] {
        let at = blocks.partition_point(|block| block.end <= cut);
        if let Some(block) = blocks.get(at).copied().filter(|block| block.start < cut) {
            blocks[at].end = cut;
            blocks.insert(at + 1, Block { start: cut, file_offset: block.file_offset + (cut - block.start), ..block });
        }
    }
    Ok(())
}

/// Joins neighbours of like properties, as the console's kernel reports them.
fn merge(blocks: &mut Vec<Block>) {
    blocks.dedup_by(|next, block| {
        let joins = block.end == next.start
            && block.permission == next.permission
            && block.state == next.state
            && block.attribute == next.attribute
            && block.file_offset + (block.end - block.start) == next.file_offset;
        if joins {
            block.end = next.end;
        }
        joins
    });
}

#[cfg(test)]
mod tests;
