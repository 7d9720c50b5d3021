//! Which pages the CPU wrote: userfaultfd in asynchronous write-protect mode where the kernel has it, page protection and a signal handler otherwise.
//!
//! Both see every write through the guest's own mapping, by lifted code and by host functions alike, and neither sees writes through the alias mapping
//! that Vulkan imports.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicUsize, Ordering};

use super::layout::PAGE_SIZE;

/// How writes are tracked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackingMode {
    /// userfaultfd with WP_ASYNC and PAGEMAP_SCAN (Linux 6.7 and later): no signal, one kernel fault per page and round.
    Userfault,
    /// mprotect and SIGSEGV: works everywhere, but system calls that write into tracked pages fail, so host functions copy through a buffer.
    Protect,
}

// Facts of linux/userfaultfd.h and linux/fs.h (6.7); Debian 12's headers are older than the interface.
const UFFD_API: u64 = 0xAA;
const UFFD_USER_MODE_ONLY: libc::c_int = 1;
const UFFD_FEATURE_PAGEFAULT_FLAG_WP: u64 = 1 << 0;
const UFFD_FEATURE_WP_HUGETLBFS_SHMEM: u64 = 1 << 12;
const UFFD_FEATURE_WP_UNPOPULATED: u64 = 1 << 13;
const UFFD_FEATURE_WP_ASYNC: u64 = 1 << 15;
const UFFDIO_API: libc::c_ulong = 0xC018_AA3F;
const UFFDIO_REGISTER: libc::c_ulong = 0xC020_AA00;
const UFFDIO_WRITEPROTECT: libc::c_ulong = 0xC018_AA06;
const UFFDIO_REGISTER_MODE_WP: u64 = 1 << 1;
const UFFDIO_WRITEPROTECT_MODE_WP: u64 = 1 << 0;
const PAGEMAP_SCAN: libc::c_ulong = 0xC060_6610;
const PAGE_IS_WRITTEN: u64 = 1 << 1;
const PM_SCAN_WP_MATCHING: u64 = 1 << 0;
const PM_SCAN_CHECK_WPASYNC: u64 = 1 << 1;

#[repr(C)]
struct UffdioApi {
    api: u64,
    features: u64,
    ioctls: u64,
}

#[repr(C)]
struct UffdioRegister {
    start: u64,
    length: u64,
    mode: u64,
    ioctls: u64,
}

#[repr(C)]
struct UffdioWriteProtect {
    start: u64,
    length: u64,
    mode: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct PageRegion {
    start: u64,
    end: u64,
    categories: u64,
}

#[repr(C)]
struct PagemapScan {
    size: u64,
    flags: u64,
    start: u64,
    end: u64,
    walk_end: u64,
    vec: u64,
    vec_len: u64,
    max_pages: u64,
    category_inverted: u64,
    category_mask: u64,
    category_anyof_mask: u64,
    return_mask: u64,
}

/// A file descriptor of userfaultfd in asynchronous write-protect mode, and the page map it is read through.
#[derive(Debug)]
pub(super) struct Userfault {
    fault: OwnedFd,
    pagemap: OwnedFd,
}

impl Userfault {
    /// Opens both descriptors; an error means that this kernel or this user can't have them.
    pub(super) fn open() -> io::Result<Userfault> {
        let mut last = io::Error::from_raw_os_error(libc::ENOSYS);
        for mode in [0, UFFD_USER_MODE_ONLY] {
            // SAFETY: userfaultfd takes flags and returns a new descriptor or -1.
            let raw = unsafe { libc::syscall(libc::SYS_userfaultfd, libc::O_CLOEXEC | mode) };
            if raw < 0 {
                last = io::Error::last_os_error();
                continue;
            }
            // SAFETY: the kernel just gave us this descriptor and nobody else has it.
            let fault = unsafe { OwnedFd::from_raw_fd(raw as libc::c_int) };
            let mut api = UffdioApi {
                api: UFFD_API,
                features: UFFD_FEATURE_PAGEFAULT_FLAG_WP
                    | UFFD_FEATURE_WP_HUGETLBFS_SHMEM
                    | UFFD_FEATURE_WP_UNPOPULATED
                    | UFFD_FEATURE_WP_ASYNC,
                ioctls: 0,
            };
            // SAFETY: the argument is a live uffdio_api.
            if unsafe { libc::ioctl(fault.as_raw_fd(), UFFDIO_API, &mut api) } != 0 {
                last = io::Error::last_os_error();
                continue;
            }
            let pagemap = std::fs::File::open("/proc/self/pagemap")?.into();
            return Ok(Userfault { fault, pagemap });
        }
        Err(last)
    }

    /// Registers a fresh mapping.
    pub(super) fn register(&self, start: u64, length: u64) -> io::Result<()> {
        let mut register = UffdioRegister { start, length, mode: UFFDIO_REGISTER_MODE_WP, ioctls: 0 };
        // SAFETY: the argument is a live uffdio_register; registering changes no memory contents.
        if unsafe { libc::ioctl(self.fault.as_raw_fd(), UFFDIO_REGISTER, &mut register) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    /// Arms every page of the range.
    pub(super) fn protect(&self, start: u64, length: u64) -> io::Result<()> {
        let mut protect = UffdioWriteProtect { start, length, mode: UFFDIO_WRITEPROTECT_MODE_WP };
        // SAFETY: the argument is a live uffdio_writeprotect; in asynchronous mode the kernel itself lifts the protection at the next write.
        if unsafe { libc::ioctl(self.fault.as_raw_fd(), UFFDIO_WRITEPROTECT, &mut protect) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    /// Appends the written pages of the range and arms them again, in one step per page.
    pub(super) fn take(&self, start: u64, end: u64, out: &mut Vec<u64>) -> io::Result<()> {
        let mut regions = [PageRegion::default(); 256];
        let mut position = start;
        while position < end {
            let mut scan = PagemapScan {
                size: size_of::<PagemapScan>() as u64,
                flags: PM_SCAN_WP_MATCHING | PM_SCAN_CHECK_WPASYNC,
                start: position,
                end,
                walk_end: 0,
                vec: regions.as_mut_ptr() as u64,
                vec_len: regions.len() as u64,
                max_pages: 0,
                category_inverted: 0,
                category_mask: PAGE_IS_WRITTEN,
                category_anyof_mask: 0,
                return_mask: PAGE_IS_WRITTEN,
            };
            // SAFETY: the argument is a live pm_scan_arg whose vector has room for vec_len regions.
            let count = unsafe { libc::ioctl(self.pagemap.as_raw_fd(), PAGEMAP_SCAN, &mut scan) };
            if count < 0 {
                return Err(io::Error::last_os_error());
            }
            for region in &regions[..(count as usize).min(regions.len())] {
                let mut page = region.start;
                while page < region.end {
                    out.push(page);
                    page += PAGE_SIZE;
                }
            }
            if scan.walk_end <= position {
                break;
            }
            position = scan.walk_end;
        }
        Ok(())
    }
}

/// State of one page in protect mode.
const UNTRACKED: u8 = 0;
const ARMED: u8 = 1;
const DIRTY: u8 = 2;

/// One byte per page of a region, changed by the signal handler.
#[derive(Debug)]
pub(super) struct PageStates {
    base: u64,
    pages: usize,
    states: *const AtomicU8,
    slot: usize,
}

// SAFETY: the states are atomics in a mapping that lives until drop.
unsafe impl Send for PageStates {}
// SAFETY: as above.
unsafe impl Sync for PageStates {}

const TRACKER_SLOTS: usize = 512;
static TRACKERS: [AtomicPtr<PageStates>; TRACKER_SLOTS] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; TRACKER_SLOTS];
/// One past the highest slot ever used, so that the handler looks no further.
static TRACKERS_USED: AtomicUsize = AtomicUsize::new(0);

impl PageStates {
    /// States for a region, known to the signal handler until dropped.
    pub(super) fn new(base: u64, size: u64) -> io::Result<Box<PageStates>> {
        install_handler();
        let pages = (size / PAGE_SIZE) as usize;
        // SAFETY: a fresh anonymous mapping at an address of the kernel's choice.
        let states = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                pages.max(1),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if states == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let mut tracker = Box::new(PageStates { base, pages, states: states.cast(), slot: usize::MAX });
        for (index, slot) in TRACKERS.iter().enumerate() {
            let pointer: *mut PageStates = &mut *tracker;
            if slot.compare_exchange(std::ptr::null_mut(), pointer, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
                tracker.slot = index;
                TRACKERS_USED.fetch_max(index + 1, Ordering::SeqCst);
                return Ok(tracker);
            }
        }
        Err(io::Error::other("too many tracked regions in one process"))
    }

    fn state(&self, page: usize) -> &AtomicU8 {
        debug_assert!(page < self.pages);
        // SAFETY: page is below the page count (checked by every caller) and the mapping lives as long as self.
        unsafe { &*self.states.add(page) }
    }

    fn index(&self, address: u64) -> Option<usize> {
        let page = (address.checked_sub(self.base)? / PAGE_SIZE) as usize;
        (page < self.pages).then_some(page)
    }

    /// Whether the address lies in this region.
    pub(super) fn covers(&self, address: u64) -> bool {
        self.index(address).is_some()
    }

    /// Arms all pages of the range.
    pub(super) fn protect(&self, start: u64, end: u64) -> io::Result<()> {
        let (Some(first), Some(last)) = (self.index(start), self.index(end - 1)) else {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        };
        for page in first..=last {
            self.state(page).store(ARMED, Ordering::SeqCst);
        }
        set_writable(start, end - start, false)
    }

    /// Appends the written (or never tracked) pages of the range and arms them again.
    pub(super) fn take(&self, start: u64, end: u64, out: &mut Vec<u64>) -> io::Result<()> {
        let (Some(first), Some(last)) = (self.index(start), self.index(end - 1)) else {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        };
        let mut run: Option<usize> = None;
        for page in first..=last + 1 {
            // A write between the swap and the protection below is part of what the caller reads next, so it may go unreported.
            let dirty = page <= last && self.state(page).swap(ARMED, Ordering::SeqCst) != ARMED;
            match (dirty, run) {
                (true, None) => run = Some(page),
                (false, Some(begin)) => {
                    let address = self.base + begin as u64 * PAGE_SIZE;
                    set_writable(address, (page - begin) as u64 * PAGE_SIZE, false)?;
                    run = None;
                }
                _ => {}
            }
            if dirty {
                out.push(self.base + page as u64 * PAGE_SIZE);
            }
        }
        Ok(())
    }

    /// Forgets the range: its mapping was replaced or removed.
    pub(super) fn forget(&self, start: u64, end: u64) {
        if let (Some(first), Some(last)) = (self.index(start), self.index(end - 1)) {
            for page in first..=last {
                self.state(page).store(UNTRACKED, Ordering::SeqCst);
            }
        }
    }

    /// Signal context: whether the fault at `address` was a tracked write, which is now allowed and recorded.
    fn handle(&self, address: u64) -> bool {
        let Some(page) = self.index(address) else { return false };
        // A dirty page is opened again too: another thread may have armed it between this thread's fault and now.
        if self.state(page).load(Ordering::SeqCst) == UNTRACKED {
            return false;
        }
        let start = self.base + page as u64 * PAGE_SIZE;
        if set_writable(start, PAGE_SIZE, true).is_ok() {
            self.state(page).store(DIRTY, Ordering::SeqCst);
            return true;
        }
        // The kernel's limit of mappings is reached: give up fine tracking of this page's armed neighbourhood.
        let (mut first, mut last) = (page, page);
        while first > 0 && self.state(first - 1).load(Ordering::SeqCst) == ARMED {
            first -= 1;
        }
        while last + 1 < self.pages && self.state(last + 1).load(Ordering::SeqCst) == ARMED {
            last += 1;
        }
        let start = self.base + first as u64 * PAGE_SIZE;
        if set_writable(start, (last - first + 1) as u64 * PAGE_SIZE, true).is_err() {
            return false;
        }
        for page in first..=last {
            self.state(page).store(DIRTY, Ordering::SeqCst);
        }
        true
    }
}

impl Drop for PageStates {
    fn drop(&mut self) {
        if self.slot < TRACKER_SLOTS {
            TRACKERS[self.slot].store(std::ptr::null_mut(), Ordering::SeqCst);
        }
        // SAFETY: this mapping was made in new() with this length, and the handler no longer finds it.
        unsafe { libc::munmap(self.states.cast_mut().cast(), self.pages.max(1)) };
    }
}

fn set_writable(start: u64, length: u64, writable: bool) -> io::Result<()> {
    let protection = if writable { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_READ };
    // SAFETY: the range is a guest mapping of ours (callers check), reading stays allowed and contents do not change.
    if unsafe { libc::mprotect(start as *mut libc::c_void, length as usize, protection) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Called in signal context for a fault at `address` that no tracker explains; true means "retry the access".
type UnexplainedFault = fn(info: &libc::siginfo_t, ucontext: *mut libc::c_void) -> bool;

static UNEXPLAINED: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());
static mut PREVIOUS: [std::mem::MaybeUninit<libc::sigaction>; 2] = [const { std::mem::MaybeUninit::uninit() }; 2];
static INSTALL: Once = Once::new();

/// Who hears of faults that write tracking does not explain (guest faults).
pub(crate) fn set_unexplained_fault(callback: UnexplainedFault) {
    UNEXPLAINED.store(callback as *mut (), Ordering::SeqCst);
    install_handler();
}

fn install_handler() {
    INSTALL.call_once(|| {
        // SAFETY: the action is fully initialised; the handler is async-signal-safe; PREVIOUS is written once, before any use.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_fault as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
            libc::sigemptyset(&mut action.sa_mask);
            let previous = &raw mut PREVIOUS;
            libc::sigaction(libc::SIGSEGV, &action, (*previous)[0].as_mut_ptr());
            libc::sigaction(libc::SIGBUS, &action, (*previous)[1].as_mut_ptr());
        }
    });
}

extern "C" fn on_fault(signal: libc::c_int, info: *mut libc::siginfo_t, ucontext: *mut libc::c_void) {
    // SAFETY: the kernel passes a valid siginfo; errno must survive the handler.
    let (address, errno) = unsafe { ((*info).si_addr() as u64, *libc::__errno_location()) };
    for slot in &TRACKERS[..TRACKERS_USED.load(Ordering::SeqCst).min(TRACKER_SLOTS)] {
        let tracker = slot.load(Ordering::SeqCst);
        // SAFETY: a non-null slot points to a tracker that is alive; one is dropped only after its region is unmapped, when nobody faults there.
        if !tracker.is_null() && unsafe { (*tracker).handle(address) } {
            // SAFETY: errno is a thread-local int.
            unsafe { *libc::__errno_location() = errno };
            return;
        }
    }
    let callback = UNEXPLAINED.load(Ordering::SeqCst);
    if !callback.is_null() {
        // SAFETY: only set_unexplained_fault stores here, and it stores this type.
        let callback: UnexplainedFault = unsafe { std::mem::transmute(callback) };
        // SAFETY: the kernel passes a valid siginfo.
        if callback(unsafe { &*info }, ucontext) {
            return;
        }
    }
    // Not ours: the previous handler gets it when this instruction faults again.
    // SAFETY: PREVIOUS was filled by install_handler before this handler could run.
    unsafe {
        let previous = &raw const PREVIOUS;
        let index = usize::from(signal == libc::SIGBUS);
        libc::sigaction(signal, (*previous)[index].as_ptr(), std::ptr::null_mut());
    }
}
