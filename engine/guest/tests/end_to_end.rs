//! A whole boot with a hand-written stand-in for lifted code (`lifted/title.c`), compiled by the machine's C compiler.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use ferrograph_guest::boot::{BootError, Guest, Options};
use ferrograph_guest::fault::{Exit, GuestFault};
use ferrograph_guest::loader::LoadError;
use ferrograph_guest::memory::{Layout, MemoryOptions, TrackingMode, WriteTracking};
use ferrograph_guest::npdm::Npdm;
use ferrograph_guest::registry::HostRegistry;
use ferrograph_guest::time::TimeMode;
use ferrograph_guest::title::{TitleDir, TitleModule};
use ferrograph_media::input::{Script, ScriptPad};
use recomp::nso::{Dynamic, Nso, Perms, Relocation, RelocationKind, Segment, Symbol, SymbolBinding, SymbolVisibility};

const LIMIT: Duration = Duration::from_secs(60);

/// In the order of `enum import` in title.c.
const IMPORTS: &[&str] = &[
    "_ZN2nn2os17SetMemoryHeapSizeEm",
    "_ZN2nn2os19AllocateMemoryBlockEPmm",
    "_ZN2nn4init19InitializeAllocatorEPvm",
    "_ZN2nn2os12CreateThreadEPNS0_10ThreadTypeEPFvPvES3_S3_mii",
    "_ZN2nn2os11StartThreadEPNS0_10ThreadTypeE",
    "_ZN2nn2os10WaitThreadEPNS0_10ThreadTypeE",
    "_ZN2nn2os13DestroyThreadEPNS0_10ThreadTypeE",
    "_ZN2nn2os15InitializeMutexEPNS0_9MutexTypeEbi",
    "_ZN2nn2os9LockMutexEPNS0_9MutexTypeE",
    "_ZN2nn2os11UnlockMutexEPNS0_9MutexTypeE",
    "_ZN2nn2os15InitializeEventEPNS0_9EventTypeEbNS0_14EventClearModeE",
    "_ZN2nn2os11SignalEventEPNS0_9EventTypeE",
    "_ZN2nn2os9WaitEventEPNS0_9EventTypeE",
    "_ZN2nn2os13GetSystemTickEv",
    "_ZN2nn2os16GetCurrentThreadEv",
    "_ZN2nn2fs22QueryMountRomCacheSizeEPm",
    "_ZN2nn2fs8MountRomEPKcPvm",
    "_ZN2nn2fs8OpenFileEPNS0_10FileHandleEPKci",
    "_ZN2nn2fs11GetFileSizeEPlNS0_10FileHandleE",
    "_ZN2nn2fs8ReadFileENS0_10FileHandleElPvm",
    "_ZN2nn2fs9CloseFileENS0_10FileHandleE",
    "_ZN2nn3hid24SetSupportedNpadStyleSetENS_4util10BitFlagSetILi32ENS0_12NpadStyleTagEEE",
    "_ZN2nn3hid12GetNpadStateEPNS0_16NpadFullKeyStateERKj",
    "_ZN2nn2vi18OpenDefaultDisplayEPPNS0_7DisplayE",
    "_ZN2nn2vi11CreateLayerEPPNS0_5LayerEPNS0_7DisplayE",
    "_ZN2nn2vi15GetNativeWindowEPPvPNS0_5LayerE",
    "snprintf",
    "_ZN2nn4diag6detail9AbortImplEPKcS3_S3_i",
    "_ZN2nn5prepo9NobodyHasEv",
    "malloc",
    "free",
    "qsort",
    "sub_answer",
    "sub_data",
    "_ZN2nn2os27InitializeConditionVariableEPNS0_21ConditionVariableTypeE",
    "_ZN2nn2os21WaitConditionVariableEPNS0_21ConditionVariableTypeEPNS0_9MutexTypeE",
    "_ZN2nn2os23SignalConditionVariableEPNS0_21ConditionVariableTypeE",
    "_ZN2nn2os11SleepThreadENS_8TimeSpanE",
    "test_next_frame",
    "weak_nobody",
    "_ZN2nn2os20GetCurrentCoreNumberEv",
    "_ZN2nn2os11YieldThreadEv",
    "_ZN2nn3hid15GetNpadStyleSetERKj",
];

fn symbol(name: &str, value: u64, section: u16, binding: SymbolBinding) -> Symbol {
    Symbol { name: name.into(), value, size: 16, kind: 2, binding, visibility: SymbolVisibility::Default, section }
}

fn segments(text: usize, read_only: Vec<u8>, data: Vec<u8>) -> [Segment; 3] {
    let perms = |read, write, execute| Perms { read, write, execute };
    [
        Segment { memory_offset: 0, bytes: vec![0; text], perms: perms(true, false, true) },
        Segment { memory_offset: 0x1000, bytes: read_only, perms: perms(true, false, false) },
        Segment { memory_offset: 0x2000, bytes: data, perms: perms(true, true, false) },
    ]
}

fn build_id(last: u8) -> [u8; 32] {
    let mut id = [0; 32];
    id[0] = 0xAA;
    id[1] = last;
    id
}

fn main_module(scenario: u64) -> Nso {
    let mut strings = vec![0u8; 0x100];
    for (offset, text) in [(0x00, "rom"), (0x40, "rom:/hello.txt"), (0x80, "rom:/../secret"), (0xC0, "%s %05d %.2f")] {
        strings[offset..offset + text.len()].copy_from_slice(text.as_bytes());
    }
    let mut data = vec![0u8; 0x1000];
    data[0xF00..0xF08].copy_from_slice(&scenario.to_le_bytes());
    let mut symbols = vec![symbol("", 0, 0, SymbolBinding::Local)];
    let mut relocations = Vec::new();
    for (index, name) in IMPORTS.iter().enumerate() {
        let weak = name.starts_with("weak");
        symbols.push(symbol(name, 0, 0, if weak { SymbolBinding::Weak } else { SymbolBinding::Global }));
        let (kind, addend) = match *name {
            "sub_data" => (RelocationKind::Abs64, 0x10),
            "sub_answer" => (RelocationKind::GlobDat, 0),
            _ => (RelocationKind::JumpSlot, 0),
        };
        relocations.push(Relocation {
            offset: 0x2000 + index as u64 * 8,
            kind,
            symbol: symbols.len() as u32 - 1,
            addend,
        });
    }
    // A relocated pointer to itself, to see RELATIVE.
    relocations.push(Relocation { offset: 0x2E00, kind: RelocationKind::Relative, symbol: 0, addend: 0x2E00 });
    symbols.push(symbol("nnMain", 0x100, 1, SymbolBinding::Global));
    symbols.push(symbol("nninitStartup", 0x110, 1, SymbolBinding::Global));
    let dynamic =
        Dynamic { symbols, relocations, init_array: vec![0x120, 0x130], fini_array: vec![0x140], ..Dynamic::default() };
    Nso {
        build_id: build_id(1),
        name: "main.nss".into(),
        segments: segments(0x1000, strings, data),
        bss_size: 0x2000,
        mod0: None,
        dynamic,
    }
}

fn sub_module() -> Nso {
    let symbols = vec![
        symbol("", 0, 0, SymbolBinding::Local),
        symbol("sub_answer", 0x100, 1, SymbolBinding::Global),
        symbol("sub_data", 0x2000, 3, SymbolBinding::Global),
    ];
    let dynamic = Dynamic { symbols, init: Some(0x110), ..Dynamic::default() };
    Nso {
        build_id: build_id(2),
        name: "sub.nss".into(),
        segments: segments(0x1000, vec![0; 16], vec![0; 0x100]),
        bss_size: 0,
        mod0: None,
        dynamic,
    }
}

fn npdm() -> Npdm {
    Npdm {
        name: "test".into(),
        program_id: 0x0100_0000_00AB_C000,
        main_thread_priority: 44,
        default_core: 0,
        main_thread_stack_size: 0x10_0000,
        system_resource_size: 0,
        priorities: (28, 59),
        core_mask: 7,
        handle_table_size: 512,
    }
}

struct Title {
    _folder: tempfile::TempDir,
    object: PathBuf,
    dir: TitleDir,
    layout: Layout,
}

/// Compiles the stand-in for a layout slot (41..63 belong to this file) and lays out a title folder.
fn title(slot: u32, scenario: u64, defines: &[&str]) -> Title {
    let layout = Layout::compact(slot);
    let folder = tempfile::tempdir().unwrap();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let object = folder.path().join("title.so");
    let output = Command::new("cc")
        .args(["-O1", "-fPIC", "-shared", "-Wall", "-fno-strict-aliasing", "-I"])
        .arg(here.join("../../recomp-out/runtime"))
        .arg(format!("-DBASE={:#x}ull", layout.code.base))
        .args(defines)
        .arg(here.join("tests/lifted/title.c"))
        .arg("-o")
        .arg(&object)
        .output()
        .expect("a C compiler (cc) is needed for this test");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::create_dir(folder.path().join("romfs")).unwrap();
    std::fs::write(folder.path().join("romfs/hello.txt"), "hello, guest").unwrap();
    std::fs::write(folder.path().join("secret"), "x").unwrap();
    let modules = vec![
        TitleModule { name: "main".into(), nso: main_module(scenario) },
        TitleModule { name: "subsdk0".into(), nso: sub_module() },
    ];
    let dir = TitleDir { path: folder.path().to_owned(), npdm: npdm(), modules };
    Title { _folder: folder, object, dir, layout }
}

fn boot(title: &Title, time: TimeMode) -> Result<Guest, BootError> {
    boot_tracked(title, time, None)
}

fn boot_tracked(title: &Title, time: TimeMode, tracking: Option<TrackingMode>) -> Result<Guest, BootError> {
    let registry = Arc::new(HostRegistry::new(title.layout.host_text));
    registry.register("test_next_frame", |call| call.process().next_frame());
    let script = Script::parse("[(frame: 0, buttons: [A]), (frame: 1, buttons: [B, Plus])]").unwrap();
    let options = Options {
        memory: MemoryOptions { layout: Some(title.layout.clone()), tracking },
        time,
        pads: Some(Box::new(ScriptPad(script))),
        ..Options::default()
    };
    Guest::boot(title.dir.clone(), &title.object, registry, options)
}

fn check_results(guest: &Guest, base: u64) {
    let memory = guest.process().memory();
    let result = |offset: u64| memory.read_u64(base + 0x3000 + offset).unwrap();
    assert_eq!(result(0xF8), 0x600D, "nnMain came to its end");
    assert_eq!((result(0x00), result(0x08)), (0, 0), "heap");
    assert_eq!(result(0x10), 0, "threads made");
    assert_eq!(result(0x18), 2000, "no increment was lost");
    assert_eq!(result(0x20), 0, "an automatic event clears");
    assert_eq!(result(0x28), 1, "thread object");
    assert_eq!((result(0x30), result(0x38), result(0x40), result(0x48)), (1, 0, 0, 12), "files");
    assert_eq!((result(0x50), result(0x58)), (0, u64::from_le_bytes(*b"hello\0\0\0")));
    assert_eq!(result(0x60), 0x17_7A02, "a short exact read");
    assert_eq!(result(0x68), 0x2E_EA02, "a path out of the mount");
    assert_eq!((result(0x70), result(0x78)), (1, 1 << 1 | 1 << 10), "buttons of frames 0 and 1");
    assert_eq!((result(0x80), result(0x88)), (0, 0), "display");
    assert_eq!(memory.read_string(base + 0x3280, 64).unwrap(), b"rom 00042 3.12");
    assert_eq!((result(0x90), result(0x98)), (0, 0), "a stand-in returns 0");
    assert_eq!(result(0xA0), 0, "weak");
    assert_eq!(result(0xA8), 42, "a call into the other module");
    assert_eq!(result(0xB0), 0x2010, "data of the other module, plus the addend");
    assert_eq!(result(0xB8), 0x01234, "qsort with a guest comparator");
    assert_eq!(result(0xC0), 1, "ticks go on");
    assert_eq!((result(0xC8), result(0xD0)), (0, memory.layout().heap.base), "GetInfo");
    assert_eq!(result(0xD8), 0x4201);
    assert_eq!(result(0xE0), 19_200_000);
    assert_eq!(memory.read_u64(base + 0x2E00).unwrap(), base + 0x2E00, "RELATIVE");
    let order: Vec<u64> = (0..result(0x100)).map(|index| result(0x108 + index * 8)).collect();
    assert_eq!(order, [3, 1, 2, 9], "constructors from the last module to the first, destructors at the end");
    assert!(memory.write_u32(base + 0x1000, 1).is_err(), "read-only data is sealed");
}

#[test]
fn a_title_boots_runs_and_ends() {
    let title = title(41, 0, &[]);
    let guest = boot(&title, TimeMode::Real).unwrap();
    let exit =
        guest.wait_for(LIMIT).unwrap_or_else(|| panic!("stuck: {:#?}", guest.process().kernel().describe_threads()));
    assert_eq!(exit, Exit::Finished { status: 0 }, "{exit:?}");
    check_results(&guest, title.layout.code.base);
    let summary = &guest.process().title().summary;
    assert_eq!(summary.unresolved, ["_ZN2nn5prepo9NobodyHasEv"]);
    assert_eq!(summary.weak, ["weak_nobody"]);
    assert_eq!(summary.modules, 2);
    assert!(guest.process().kernel().wait_quiet(Duration::from_secs(5)));
}

#[test]
fn a_title_runs_while_its_memory_is_tracked_by_protection() {
    let title = title(56, 0, &[]);
    let guest = boot_tracked(&title, TimeMode::Real, Some(TrackingMode::Protect)).unwrap();
    let memory = guest.process().memory();
    let bss = title.layout.code.base + 0x3000;
    // The title runs meanwhile: its stores fault and are let through.
    while guest.wait_for(Duration::from_micros(500)).is_none() {
        memory.track(bss, 0x1000).unwrap();
    }
    assert_eq!(guest.wait(), Exit::Finished { status: 0 });
    check_results(&guest, title.layout.code.base);
}

#[test]
fn a_title_runs_with_a_fixed_step() {
    let title = title(42, 0, &[]);
    let ticks: Vec<u64> = (0..3)
        .map(|_| {
            let guest = boot(&title, TimeMode::FixedStep).unwrap();
            let exit = guest
                .wait_for(LIMIT)
                .unwrap_or_else(|| panic!("stuck: {:#?}", guest.process().kernel().describe_threads()));
            assert_eq!(exit, Exit::Finished { status: 0 }, "{exit:?}");
            check_results(&guest, title.layout.code.base);
            let now = guest.process().kernel().clock().now();
            release(guest);
            now
        })
        .collect();
    assert_eq!(ticks[0], ticks[1]);
    assert_eq!(ticks[0], ticks[2]);
}

/// Unmaps an ended guest, so that another can use its addresses. Its parked threads never touch guest memory again.
fn release(guest: Guest) {
    assert!(guest.process().kernel().wait_quiet(Duration::from_secs(5)));
    guest.process().shared_memory().release();
}

fn fault_of(slot: u32, scenario: u64) -> ferrograph_guest::fault::FaultReport {
    let title = title(slot, scenario, &[]);
    let guest = boot(&title, TimeMode::Real).unwrap();
    let exit = guest.wait_for(LIMIT).expect("the fault ends the title");
    assert_eq!(exit.status(), 1);
    match exit {
        Exit::Fault(report) => *report,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_abort_is_reported_with_its_guest_callers() {
    let report = fault_of(43, 1);
    assert!(matches!(&report.fault, GuestFault::Abort(text) if text.contains("rom:77")), "{report}");
    let text = report.to_string();
    assert!(text.contains("MainThread") && text.contains("main+0x8"), "{text}");
}

#[test]
fn a_bad_access_of_lifted_code_is_a_guest_fault() {
    let report = fault_of(44, 2);
    assert_eq!(report.fault, GuestFault::Access { address: 0x1234_5678_9000 });
    assert!(report.backtrace[0].contains("nnMain+0x0"), "{report}");
    assert!(report.backtrace[1].contains("main+0x800"), "{report}");
}

#[test]
fn a_trap_names_the_instruction() {
    let report = fault_of(45, 3);
    assert!(matches!(&report.fault, GuestFault::Trap { word: 0xD420_0000, what, .. } if what == "brk"), "{report}");
    assert!(report.backtrace[0].contains("main+0x404"), "{report}");
}

#[test]
fn a_call_to_nowhere_names_the_target() {
    let report = fault_of(46, 4);
    assert!(
        matches!(report.fault, GuestFault::UnknownTarget { target } if target == Layout::compact(46).code.base + 0x900),
        "{report}"
    );
}

#[test]
fn a_bad_pointer_to_a_host_function_is_a_guest_fault() {
    let report = fault_of(47, 6);
    assert!(matches!(report.fault, GuestFault::Memory(_)), "{report}");
}

#[test]
fn the_host_can_stop_a_title() {
    let title = title(48, 5, &[]);
    let guest = boot(&title, TimeMode::Real).unwrap();
    std::thread::sleep(Duration::from_millis(50));
    assert!(guest.stop(), "{:#?}", guest.process().kernel().describe_threads());
    assert_eq!(guest.wait(), Exit::Finished { status: 0 });
}

#[test]
fn a_lifted_object_that_does_not_fit_is_refused_before_it_runs() {
    for (index, (define, expected)) in
        [("-DMAGIC=1", "manifest begins"), ("-DABI=2", "ABI version 2"), ("-DLEVEL=9", "processor level 9")]
            .into_iter()
            .enumerate()
    {
        let title = title(49 + index as u32, 0, &[define]);
        let error = boot(&title, TimeMode::Real).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(error.status(), 1);
    }
    let mut other = title(52, 0, &[]);
    other.dir.modules[1].nso.build_id[3] = 7;
    let error = boot(&other, TimeMode::Real).unwrap_err();
    assert!(
        matches!(&error, BootError::Load(LoadError::Manifest { reason, .. }) if reason.contains("subsdk0")),
        "{error}"
    );
    let mut moved = title(53, 0, &[]);
    moved.layout = Layout::compact(54);
    let error = boot(&moved, TimeMode::Real).unwrap_err();
    assert!(error.to_string().contains("was lifted for"), "{error}");
    let mut without = title(55, 0, &[]);
    without.dir.modules[0].nso.dynamic.symbols.retain(|symbol| symbol.name != "nnMain");
    assert_eq!(boot(&without, TimeMode::Real).unwrap_err().status(), 2);
}
