//! nn::init and malloc: the process's arena; nn::mem::StandardAllocator objects beside it.

use std::collections::HashMap;

use super::arena::{Arena, MINIMUM_ALIGNMENT};
use super::locked;
use crate::call::GuestCall;
use crate::fault::GuestFault;
use crate::registry::HostRegistry;

/// Arenas by the address of their allocator object; the process's own under 0.
#[derive(Debug, Default)]
pub(crate) struct Allocators {
    arenas: HashMap<u64, Arena>,
    /// The guest object that GetAllocator returns.
    object: u64,
}

/// The process's arena.
const PROCESS: u64 = 0;
/// Bytes of `nn::mem::StandardAllocator`.
const ALLOCATOR_SIZE: u64 = 0x48;

fn key(call: &GuestCall<'_>, object: u64) -> u64 {
    if locked(&call.process().services().init).object == object { PROCESS } else { object }
}

fn allocate(call: &GuestCall<'_>, arena: u64, size: u64, alignment: u64) -> u64 {
    locked(&call.process().services().init)
        .arenas
        .get_mut(&arena)
        .and_then(|arena| arena.allocate(size, alignment))
        .unwrap_or(0)
}

fn free(call: &GuestCall<'_>, arena: u64, address: u64) -> Result<(), GuestFault> {
    if address == 0 {
        return Ok(());
    }
    let freed = locked(&call.process().services().init).arenas.get_mut(&arena).is_some_and(|arena| arena.free(address));
    if freed {
        Ok(())
    } else {
        Err(GuestFault::Misuse { object: "heap memory", address, rule: "it is freed twice, or was never allocated" })
    }
}

fn reallocate(call: &GuestCall<'_>, arena: u64, address: u64, size: u64) -> Result<u64, GuestFault> {
    if address == 0 {
        return Ok(allocate(call, arena, size, MINIMUM_ALIGNMENT));
    }
    if size == 0 {
        free(call, arena, address)?;
        return Ok(0);
    }
    let old = locked(&call.process().services().init).arenas.get(&arena).and_then(|arena| arena.size_of(address));
    let old = old.ok_or(GuestFault::Misuse {
        object: "heap memory",
        address,
        rule: "it is reallocated, but was never allocated",
    })?;
    if size <= old {
        return Ok(address);
    }
    let new = allocate(call, arena, size, MINIMUM_ALIGNMENT);
    if new != 0 {
        call.memory().copy(new, address, old)?;
        free(call, arena, address)?;
    }
    Ok(new)
}

fn new_or_abort(call: &GuestCall<'_>, size: u64, alignment: u64) -> Result<u64, GuestFault> {
    match allocate(call, PROCESS, size, alignment) {
        0 => Err(GuestFault::Abort(format!("operator new: no memory for {size} bytes in the title's heap"))),
        address => Ok(address),
    }
}

/// Makes the arena behind malloc.
pub(crate) fn initialize_allocator(call: &GuestCall<'_>, address: u64, size: u64) -> Result<(), GuestFault> {
    if !call.memory().is_writable(address, size) {
        return Err(GuestFault::Misuse {
            object: "nn::init::InitializeAllocator",
            address,
            rule: "the whole range is mapped memory",
        });
    }
    let object =
        call.memory().allocate_local(ALLOCATOR_SIZE, 16).map_err(|error| GuestFault::Abort(error.to_string()))?;
    call.memory().write_u8(object, 1)?;
    let mut allocators = locked(&call.process().services().init);
    allocators.object = object;
    allocators.arenas.insert(PROCESS, Arena::new(address, size));
    Ok(())
}

/// Whether malloc has an arena.
pub(crate) fn has_allocator(call: &GuestCall<'_>) -> bool {
    locked(&call.process().services().init).arenas.contains_key(&PROCESS)
}

/// malloc for the host's own use.
pub(super) fn malloc(call: &GuestCall<'_>, size: u64) -> u64 {
    allocate(call, PROCESS, size, MINIMUM_ALIGNMENT)
}

pub(super) fn register(r: &HostRegistry) {
    r.register("_ZN2nn4init19InitializeAllocatorEPvm", |c| initialize_allocator(c, c.x(0), c.x(1)));
    r.register("_ZN2nn4init12GetAllocatorEv", |c| locked(&c.process().services().init).object);
    r.register("_ZN2nn4init6detail30DefaultAllocatorForThreadLocalEmm", |c| allocate(c, PROCESS, c.x(0), c.x(1)));
    r.register("_ZN2nn4init6detail32DefaultDeallocatorForThreadLocalEPvm", |c| free(c, PROCESS, c.x(0)));

    r.register("malloc", |c| allocate(c, PROCESS, c.x(0), MINIMUM_ALIGNMENT));
    r.register("free", |c| free(c, PROCESS, c.x(0)));
    r.register("calloc", |c| {
        let Some(size) = c.x(0).checked_mul(c.x(1)) else { return Ok(0) };
        let address = allocate(c, PROCESS, size, MINIMUM_ALIGNMENT);
        if address != 0 {
            c.memory().fill(address, 0, size)?;
        }
        Ok::<_, GuestFault>(address)
    });
    r.register("realloc", |c| reallocate(c, PROCESS, c.x(0), c.x(1)));
    r.register_all(&["aligned_alloc", "memalign"], |c| allocate(c, PROCESS, c.x(1), c.x(0)));
    r.register("posix_memalign", |c| {
        let (out, alignment, size) = (c.x(0), c.x(1), c.x(2));
        if !alignment.is_power_of_two() || !alignment.is_multiple_of(8) {
            return Ok(libc::EINVAL);
        }
        match allocate(c, PROCESS, size, alignment) {
            0 => Ok(libc::ENOMEM),
            address => {
                c.memory().write_u64(out, address)?;
                Ok::<_, GuestFault>(0)
            }
        }
    });
    r.register("malloc_usable_size", |c| {
        locked(&c.process().services().init).arenas.get(&PROCESS).and_then(|arena| arena.size_of(c.x(0))).unwrap_or(0)
    });
    r.register_all(&["_Znwm", "_Znam"], |c| new_or_abort(c, c.x(0), MINIMUM_ALIGNMENT));
    r.register_all(&["_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t"], |c| {
        allocate(c, PROCESS, c.x(0), MINIMUM_ALIGNMENT)
    });
    r.register_all(&["_ZnwmSt11align_val_t", "_ZnamSt11align_val_t"], |c| new_or_abort(c, c.x(0), c.x(1)));
    r.register_all(
        &[
            "_ZdlPv",
            "_ZdaPv",
            "_ZdlPvm",
            "_ZdaPvm",
            "_ZdlPvSt11align_val_t",
            "_ZdaPvSt11align_val_t",
            "_ZdlPvmSt11align_val_t",
            "_ZdlPvRKSt9nothrow_t",
        ],
        |c| free(c, PROCESS, c.x(0)),
    );

    r.register_all(&["_ZN2nn3mem17StandardAllocatorC1Ev", "_ZN2nn3mem17StandardAllocatorC2Ev"], |c| {
        Ok::<_, GuestFault>(c.memory().fill(c.x(0), 0, ALLOCATOR_SIZE)?)
    });
    r.register_all(
        &["_ZN2nn3mem17StandardAllocator10InitializeEPvm", "_ZN2nn3mem17StandardAllocator10InitializeEPvmb"],
        |c| {
            let (object, memory, size) = (c.x(0), c.x(1), c.x(2));
            let start = memory.next_multiple_of(0x1000);
            let size = memory.saturating_add(size).saturating_sub(start) & !0xFFF;
            if size < 0x4000 || !c.memory().is_writable(start, size) {
                return Err(GuestFault::Misuse {
                    object: "nn::mem::StandardAllocator",
                    address: object,
                    rule: "it needs at least 16 KiB of mapped memory",
                });
            }
            c.memory().write_u8(object, 1)?;
            locked(&c.process().services().init).arenas.insert(object, Arena::new(start, size));
            Ok(())
        },
    );
    r.register("_ZN2nn3mem17StandardAllocator8FinalizeEv", |c| {
        locked(&c.process().services().init).arenas.remove(&c.x(0));
        Ok::<_, GuestFault>(c.memory().write_u8(c.x(0), 0)?)
    });
    r.register("_ZN2nn3mem17StandardAllocator8AllocateEm", |c| allocate(c, key(c, c.x(0)), c.x(1), MINIMUM_ALIGNMENT));
    r.register("_ZN2nn3mem17StandardAllocator8AllocateEmm", |c| allocate(c, key(c, c.x(0)), c.x(1), c.x(2)));
    r.register("_ZN2nn3mem17StandardAllocator4FreeEPv", |c| free(c, key(c, c.x(0)), c.x(1)));
    r.register("_ZN2nn3mem17StandardAllocator10ReallocateEPvm", |c| reallocate(c, key(c, c.x(0)), c.x(1), c.x(2)));
    r.register("_ZNK2nn3mem17StandardAllocator9GetSizeOfEPKv", |c| {
        let arena = key(c, c.x(0));
        locked(&c.process().services().init).arenas.get(&arena).and_then(|arena| arena.size_of(c.x(1))).unwrap_or(0)
    });
    r.register("_ZNK2nn3mem17StandardAllocator16GetTotalFreeSizeEv", |c| {
        let arena = key(c, c.x(0));
        locked(&c.process().services().init).arenas.get(&arena).map_or(0, Arena::free_bytes)
    });
    r.register("_ZNK2nn3mem17StandardAllocator18GetAllocatableSizeEv", |c| {
        let arena = key(c, c.x(0));
        locked(&c.process().services().init).arenas.get(&arena).map_or(0, Arena::largest_free)
    });
    r.register_all(
        &[
            "_ZNK2nn3mem17StandardAllocator16ClearThreadCacheEv",
            "_ZNK2nn3mem17StandardAllocator21CleanUpManagementAreaEv",
            "_ZNK2nn3mem17StandardAllocator4DumpEv",
        ],
        |_| {},
    );
}
