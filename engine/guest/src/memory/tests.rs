use super::*;

/// Slots 0..10, 29 and 30 of the compact layout belong to this file.
fn memory(slot: u32, tracking: TrackingMode) -> Option<GuestMemory> {
    match GuestMemory::new(&MemoryOptions { layout: Some(Layout::compact(slot)), tracking: Some(tracking) }) {
        Ok(memory) => Some(memory),
        // The fallback test still runs where userfaultfd is forbidden.
        Err(MemoryError::Backing { source, .. }) if tracking == TrackingMode::Userfault => {
            eprintln!("skipped: no asynchronous userfaultfd here ({source})");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn tracks(slot: u32, mode: TrackingMode) {
    let Some(memory) = memory(slot, mode) else { return };
    let base = memory.set_heap_size(0x400_0000).unwrap();
    memory.track(base, 0x400_0000).unwrap();
    let mut pages = Vec::new();
    memory.take_dirty(base, 0x400_0000, &mut pages).unwrap();
    assert_eq!(pages, [] as [u64; 0], "freshly tracked memory is clean");

    // 100 pages written as lifted code would (plain stores), half of them; the other half by a host function.
    let mut expected: Vec<u64> = (0..100u64).map(|index| base + (index * 7919 % 16384) * PAGE_SIZE).collect();
    for (index, page) in expected.iter().enumerate() {
        if index % 2 == 0 {
            // SAFETY: the page is mapped read-write heap memory of this test.
            unsafe { std::ptr::write_volatile((*page + 17) as *mut u8, 1) };
        } else {
            memory.write(*page + 4000, &[2]).unwrap();
        }
    }
    expected.sort_unstable();
    expected.dedup();
    assert_eq!(expected.len(), 100);
    memory.take_dirty(base, 0x400_0000, &mut pages).unwrap();
    pages.sort_unstable();
    assert_eq!(pages, expected);

    pages.clear();
    memory.take_dirty(base, 0x400_0000, &mut pages).unwrap();
    assert!(pages.is_empty(), "a second query without writes");

    // 50 writes through the alias are seen by the guest but are no CPU writes: host functions that wrote that way would be missed.
    for index in 0..50u64 {
        let address = base + index * 3 * PAGE_SIZE;
        let alias = memory.alias_pointer(address, 8).unwrap();
        // SAFETY: the alias of 8 mapped bytes.
        unsafe { alias.as_ptr().cast::<u64>().write_unaligned(0xABCD + index) };
        assert_eq!(memory.read_u64(address).unwrap(), 0xABCD + index);
    }
    memory.take_dirty(base, 0x400_0000, &mut pages).unwrap();
    assert!(pages.is_empty(), "writes through the alias are the GPU's");

    // The next CPU write to such a page is one page, and only the asked range is re-armed.
    memory.write_u8(base, 1).unwrap();
    memory.write_u8(base + 0x10_0000, 1).unwrap();
    memory.take_dirty(base, PAGE_SIZE, &mut pages).unwrap();
    assert_eq!(pages, [base]);
    pages.clear();
    memory.take_dirty(base, 0x400_0000, &mut pages).unwrap();
    assert_eq!(pages, [base + 0x10_0000]);
}

// rows: A-014
#[test]
fn userfault_tracking_sees_cpu_writes_alone() {
    tracks(0, TrackingMode::Userfault);
}

// rows: A-014
#[test]
fn protection_tracking_sees_cpu_writes_alone() {
    tracks(1, TrackingMode::Protect);
}

#[test]
fn writes_by_several_threads_are_all_seen() {
    for (slot, mode) in [(2, TrackingMode::Userfault), (3, TrackingMode::Protect)] {
        let Some(memory) = memory(slot, mode) else { continue };
        let base = memory.set_heap_size(0x20_0000).unwrap();
        memory.track(base, 0x20_0000).unwrap();
        let mut seen = std::collections::BTreeSet::new();
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..4u64)
                .map(|thread| {
                    scope.spawn(move || {
                        for round in 0..128u64 {
                            let address = base + (round * 4 + thread) * PAGE_SIZE;
                            // SAFETY: mapped heap memory; each thread has its own pages.
                            unsafe { std::ptr::write_volatile(address as *mut u64, round) };
                        }
                    })
                })
                .collect();
            while !writers.iter().all(|writer| writer.is_finished()) {
                let mut pages = Vec::new();
                memory.take_dirty(base, 0x20_0000, &mut pages).unwrap();
                seen.extend(pages);
            }
        });
        let mut pages = Vec::new();
        memory.take_dirty(base, 0x20_0000, &mut pages).unwrap();
        seen.extend(pages);
        assert_eq!(seen.len(), 512, "{mode:?}");
    }
}

#[test]
fn bad_addresses_are_errors() {
    let memory = memory(4, TrackingMode::Protect).unwrap();
    let base = memory.set_heap_size(HEAP_GRANULE).unwrap();
    let mut bytes = [0; 16];
    for address in
        [0, 8, base - 1, base + HEAP_GRANULE - 15, base + HEAP_GRANULE, ADDRESS_SPACE_END, u64::MAX - 3, 1 << 63]
    {
        assert_eq!(memory.read(address, &mut bytes), Err(MemoryFault { address, length: 16 }), "{address:#x}");
        assert_eq!(memory.write(address, &bytes), Err(MemoryFault { address, length: 16 }), "{address:#x}");
    }
    memory.read(base + HEAP_GRANULE - 16, &mut bytes).unwrap();
    assert!(memory.fill(base, 1, HEAP_GRANULE + 1).is_err());
    assert!(memory.copy(base, base + HEAP_GRANULE - 4, 8).is_err());
    assert!(memory.load_u32(base + 2).is_err(), "atomics need alignment");
    assert!(memory.alias_pointer(base + HEAP_GRANULE - 4, 8).is_err());
    assert!(memory.take_dirty(base, HEAP_GRANULE + 1, &mut Vec::new()).is_err());
    memory.read(0, &mut []).unwrap();
}

#[test]
fn read_only_memory_refuses_host_writes() {
    let memory = memory(5, TrackingMode::Protect).unwrap();
    let code = memory.layout().code.base;
    memory.map(code, 0x3000, Permission::ReadWrite, MemoryState::Code).unwrap();
    memory.write_u32(code, 7).unwrap();
    memory.protect(code, 0x1000, Permission::ReadExecute).unwrap();
    assert_eq!(memory.read_u32(code).unwrap(), 7);
    assert!(memory.write_u32(code, 8).is_err());
    assert!(memory.write(code + 0xFFE, &[1; 4]).is_err(), "crosses into the writable page");
    memory.write_u32(code + 0x1000, 8).unwrap();
    let block = memory.query(code + 0x1800);
    assert_eq!((block.start, block.end, block.permission), (code + 0x1000, code + 0x3000, Permission::ReadWrite));
    assert_eq!(memory.query(code + 0x3000).state, MemoryState::Free);
    assert_eq!(memory.query(u64::MAX).state, MemoryState::Inaccessible);
}

#[test]
fn heap_grows_zeroed_and_never_moves() {
    let memory = memory(6, TrackingMode::Protect).unwrap();
    assert!(matches!(memory.set_heap_size(0x1000), Err(MemoryError::Misaligned { .. })));
    let base = memory.set_heap_size(2 * HEAP_GRANULE).unwrap();
    memory.write_u64(base + HEAP_GRANULE, 99).unwrap();
    assert_eq!(memory.set_heap_size(4 * HEAP_GRANULE).unwrap(), base);
    assert_eq!(memory.read_u64(base + HEAP_GRANULE).unwrap(), 99);
    assert_eq!(memory.query(base).end, base + 4 * HEAP_GRANULE, "one block");
    memory.set_heap_size(HEAP_GRANULE).unwrap();
    assert!(memory.read_u64(base + HEAP_GRANULE).is_err());
    memory.set_heap_size(2 * HEAP_GRANULE).unwrap();
    assert_eq!(memory.read_u64(base + HEAP_GRANULE).unwrap(), 0, "memory given back comes again zeroed");
    assert!(memory.set_heap_size(memory.layout().heap.size + HEAP_GRANULE).is_err());
    assert!(base + 2 * HEAP_GRANULE < ADDRESS_SPACE_END);
}

#[test]
fn mirrors_show_the_same_bytes() {
    let memory = memory(7, TrackingMode::Protect).unwrap();
    let heap = memory.set_heap_size(HEAP_GRANULE).unwrap();
    let stack = memory.layout().stack.base + 0x10_0000;
    memory.map_mirror(stack, heap + 0x4000, 0x4000, MemoryState::Stack).unwrap();
    memory.write_u64(stack + 8, 5).unwrap();
    assert_eq!(memory.read_u64(heap + 0x4008).unwrap(), 5);
    assert_eq!(memory.alias_pointer(stack, 8).unwrap(), memory.alias_pointer(heap + 0x4000, 8).unwrap());
    assert!(matches!(
        memory.map(stack, 0x1000, Permission::ReadWrite, MemoryState::Stack),
        Err(MemoryError::AlreadyMapped { .. })
    ));
    memory.unmap(stack, 0x4000, false).unwrap();
    assert_eq!(memory.read_u64(heap + 0x4008).unwrap(), 5);
    assert!(memory.read_u64(stack).is_err());
}

#[test]
fn a_taken_address_is_reported_with_its_region() {
    let first = memory(8, TrackingMode::Protect).unwrap();
    let error =
        GuestMemory::new(&MemoryOptions { layout: Some(Layout::compact(8)), tracking: Some(TrackingMode::Protect) })
            .unwrap_err();
    assert!(matches!(error, MemoryError::Reserve { region: RegionKind::HostText, .. }), "{error}");
    drop(first);
    drop(memory(8, TrackingMode::Protect).unwrap());
}

#[test]
fn strings_stop_at_nul_limit_or_unmapped_memory() {
    let memory = memory(9, TrackingMode::Protect).unwrap();
    let heap = memory.set_heap_size(HEAP_GRANULE).unwrap();
    memory.write(heap, b"hello\0x").unwrap();
    assert_eq!(memory.read_string(heap, 100).unwrap(), b"hello");
    assert_eq!(memory.read_string(heap, 3).unwrap(), b"hel");
    let end = heap + HEAP_GRANULE;
    memory.write(end - 2, b"ab").unwrap();
    assert_eq!(memory.read_string(end - 2, 2).unwrap(), b"ab");
    assert!(memory.read_string(end - 2, 3).is_err());
}

#[test]
fn standard_layout_starts_a_hundred_times() {
    for _ in 0..100 {
        let memory = GuestMemory::new(&MemoryOptions::default()).unwrap();
        let heap = memory.set_heap_size(HEAP_GRANULE).unwrap();
        let local = memory.allocate_local(0x200, 0x200).unwrap();
        let stack = memory.allocate_stack(0x10_0000).unwrap();
        for address in [heap, local, stack, memory.layout().code.base] {
            assert!(address < ADDRESS_SPACE_END);
        }
        memory.write_u64(local, 1).unwrap();
        assert!(memory.write_u64(stack - 8, 1).is_err(), "a guard page lies below a stack");
    }
}

/// Asking costs less than a millisecond for each GiB.
#[test]
fn a_question_about_a_gigabyte_is_quick() {
    let Some(memory) = memory(29, TrackingMode::Userfault) else { return };
    let size = memory.layout().heap.size;
    let base = memory.set_heap_size(size).unwrap();
    memory.track(base, size).unwrap();
    let mut pages = Vec::new();
    let best = (0..50)
        .map(|round| {
            memory.write_u8(base + round * 0x10_0000, 1).unwrap();
            pages.clear();
            let start = std::time::Instant::now();
            memory.take_dirty(base, size, &mut pages).unwrap();
            assert_eq!(pages.len(), 1);
            start.elapsed()
        })
        .min()
        .unwrap();
    let per_gigabyte = best.as_secs_f64() * 1e3 * (1u64 << 30) as f64 / size as f64;
    assert!(per_gigabyte < 1.0, "{per_gigabyte} ms for each GiB");
}

/// A guest address is a host address: a plain store through it is the guest's, and the other mapping of the same bytes, which is what an
/// address with a base added would be, is no guest address.
// rows: A-013
#[test]
fn guest_addresses_are_host_addresses() {
    let memory = memory(30, TrackingMode::Protect).unwrap();
    let heap = memory.set_heap_size(HEAP_GRANULE).unwrap();
    let (local, stack) = (memory.allocate_local(0x200, 0x200).unwrap(), memory.allocate_stack(0x1_0000).unwrap());
    for (number, address) in [heap, local, stack].into_iter().enumerate() {
        assert!(address < 1 << 39);
        // SAFETY: the address is that of mapped, writable guest memory of this test.
        unsafe { std::ptr::write_volatile(address as *mut u64, 7 + number as u64) };
        assert_eq!(memory.read_u64(address).unwrap(), 7 + number as u64);
        let translated = memory.alias_pointer(address, 8).unwrap().as_ptr() as u64;
        assert_ne!(translated, address);
        assert!(memory.read_u64(translated).is_err(), "{translated:#x}");
    }
}

/// What the test below runs in processes of its own: a start at the standard addresses, with an address space that is random each time.
#[test]
fn one_start_of_a_process() {
    let Ok(mode) = std::env::var("FERROGRAPH_START_TEST") else { return };
    if mode == "taken" {
        let heap = Layout::standard(0).heap;
        // SAFETY: a new mapping where nothing is mapped yet; it stays until the process ends.
        let taken = unsafe {
            libc::mmap(
                heap.base as *mut libc::c_void,
                PAGE_SIZE as usize,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE,
                -1,
                0,
            )
        };
        assert_eq!(taken as u64, heap.base);
    }
    let memory = GuestMemory::new(&MemoryOptions::default()).unwrap();
    let heap = memory.set_heap_size(HEAP_GRANULE).unwrap();
    assert!(heap < 1 << 39);
    assert_eq!(heap == Layout::standard(0).heap.base, mode != "taken");
    memory.write_u64(heap, 1).unwrap();
}

// rows: A-013
#[test]
fn a_hundred_processes_start() {
    let start = |mode: &str| {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "memory::tests::one_start_of_a_process"])
            .env("FERROGRAPH_START_TEST", mode)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
    };
    (0..100).for_each(|_| start("free"));
    // An address that the host took is noticed, and the start goes elsewhere.
    (0..3).for_each(|_| start("taken"));
}

// rows: A-014
#[test]
fn kernel_writes_into_tracked_memory_are_seen_with_userfaultfd() {
    let Some(memory) = memory(10, TrackingMode::Userfault) else { return };
    let base = memory.set_heap_size(HEAP_GRANULE).unwrap();
    memory.track(base, HEAP_GRANULE).unwrap();
    let file = std::fs::File::open("/dev/zero").unwrap();
    // SAFETY: read() fills 100 bytes of mapped heap memory.
    let got = unsafe { libc::read(file.as_raw_fd(), (base + 0x3000) as *mut libc::c_void, 100) };
    assert_eq!(got, 100);
    let mut pages = Vec::new();
    memory.take_dirty(base, HEAP_GRANULE, &mut pages).unwrap();
    assert_eq!(pages, [base + 0x3000]);
}
