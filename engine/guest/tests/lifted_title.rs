//! Titles of two modules that are compiled, lifted and run: linking, imports, boot milestones, and each way a guest can go wrong.
//!
//! All of them lie at the addresses that the lifter gives, hence one after the other.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use ferrograph_guest::boot::{Guest, Options};
use ferrograph_guest::fault::{Exit, FaultReport, GuestFault};
use ferrograph_guest::knob::Knob;
use ferrograph_guest::loader::ImportState;
use ferrograph_guest::memory::Layout;
use ferrograph_guest::npdm::Npdm;
use ferrograph_guest::registry::HostRegistry;
use ferrograph_guest::title::{TitleDir, TitleModule};
use recomp::nso::Nso;

const LIMIT: Duration = Duration::from_secs(60);

/// Everything logged under "imports" and "milestone".
static LOG: Mutex<Vec<String>> = Mutex::new(Vec::new());

struct Collector;

struct Message<'a>(&'a mut String);

impl tracing::field::Visit for Message<'_> {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            *self.0 = format!("{value:?}");
        }
    }
}

impl tracing::Subscriber for Collector {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        ["imports", "milestone"].contains(&metadata.target()) && *metadata.level() <= tracing::Level::INFO
    }

    fn event(&self, event: &tracing::Event<'_>) {
        let mut text = String::new();
        event.record(&mut Message(&mut text));
        LOG.lock().unwrap().push(format!("{}: {text}", event.metadata().target()));
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

struct Lifted {
    modules: Vec<TitleModule>,
    object: PathBuf,
}

/// Compiles and lifts the title once; `None` where there is no cross compiler.
fn lifted() -> Option<&'static Lifted> {
    static LIFTED: OnceLock<Option<Lifted>> = OnceLock::new();
    LIFTED
        .get_or_init(|| {
            if !Command::new("clang-19").arg("--version").output().is_ok_and(|o| o.status.success()) {
                eprintln!("skipped: clang-19 is not installed");
                return None;
            }
            let _ = tracing::subscriber::set_global_default(Collector);
            let here = Path::new(env!("CARGO_MANIFEST_DIR"));
            let link = here.join("../../tools/recomp/tests/module");
            let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lifted-title");
            let exefs = folder.join("exefs");
            std::fs::create_dir_all(&exefs).unwrap();
            let mut modules = Vec::new();
            for (name, source) in [("main", "program.c"), ("subsdk0", "library.c")] {
                let elf = folder.join(format!("{name}.elf"));
                let output = Command::new("clang-19")
                    .args([
                        "--target=aarch64-none-elf",
                        "-O1",
                        "-fPIC",
                        "-ffreestanding",
                        "-nostdlib",
                        "-fuse-ld=lld-19",
                    ])
                    .args(["-fno-optimize-sibling-calls", "-fno-omit-frame-pointer", "-mno-outline-atomics"])
                    .args(["-Wl,-shared,--build-id=sha1,--eh-frame-hdr,--unresolved-symbols=ignore-all,-z,norelro"])
                    .arg(format!("-Wl,-T,{}", link.join("module.ld").display()))
                    .arg(link.join("module_header.s"))
                    .arg(here.join("tests/lifted").join(source))
                    .arg("-o")
                    .arg(&elf)
                    .output()
                    .unwrap();
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                let options = recomp::nso::WriteOptions::default();
                let file = recomp::nso::from_elf(&std::fs::read(&elf).unwrap(), &options).unwrap();
                modules.push(TitleModule { name: name.into(), nso: Nso::parse(&file).unwrap() });
                std::fs::write(exefs.join(name), file).unwrap();
            }
            let options = recomp::Options { opt: 1, ..recomp::Options::default() };
            let build = recomp::lift_title(&exefs, &folder.join("out"), &options, &mut |_| {}).unwrap();
            Some(Lifted { modules, object: build.object })
        })
        .as_ref()
}

struct Ended {
    guest: Guest,
    exit: Exit,
    log: Vec<String>,
    romfs: tempfile::TempDir,
    _turn: MutexGuard<'static, ()>,
}

impl Ended {
    /// A word of an exported array.
    fn word(&self, name: &str, index: u64) -> u64 {
        let process = self.guest.process();
        process.memory().read_u64(process.title().exported(name).unwrap() + 8 * index).unwrap()
    }

    fn fault(&self) -> &FaultReport {
        assert_eq!(self.exit.status(), 1);
        match &self.exit {
            Exit::Fault(report) => report,
            other => panic!("{other:?}"),
        }
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        // The next title needs the addresses. Parked threads of this one never touch guest memory again.
        assert!(self.guest.process().kernel().wait_quiet(Duration::from_secs(5)) || std::thread::panicking());
        self.guest.process().shared_memory().release();
        let _ = self.romfs.path();
    }
}

/// Runs the title to its end with a number in `scenario`.
fn run(scenario: u64, knob: Option<Knob>) -> Option<Ended> {
    run_with_saves(scenario, knob, None)
}

fn run_with_saves(scenario: u64, knob: Option<Knob>, saves: Option<PathBuf>) -> Option<Ended> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let lifted = lifted()?;
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("romfs")).unwrap();
    std::fs::write(folder.path().join("romfs/slow.bin"), b"12345678abcdefgh").unwrap();
    let mut modules = lifted.modules.clone();
    let nso = &mut modules[0].nso;
    let at = nso.dynamic.symbols.iter().find(|s| s.name == "scenario").unwrap().value;
    let data = &mut nso.segments[2];
    let at = (at - data.memory_offset) as usize;
    data.bytes[at..at + 8].copy_from_slice(&scenario.to_le_bytes());
    let npdm = Npdm {
        name: "test".into(),
        program_id: 0x0100_0000_00AB_C000,
        main_thread_priority: 44,
        default_core: 0,
        main_thread_stack_size: 0x4_0000,
        system_resource_size: 0,
        priorities: (28, 59),
        core_mask: 7,
        handle_table_size: 512,
    };
    let title = TitleDir { path: folder.path().to_owned(), npdm, modules };
    LOG.lock().unwrap().clear();
    let registry = Arc::new(HostRegistry::new(Layout::standard(0).host_text));
    let guest = Guest::boot(
        title,
        &lifted.object,
        registry,
        Options { knob, saves, read_delay: Duration::from_millis(50), ..Options::default() },
    )
    .unwrap();
    let exit = guest.wait_for(LIMIT);
    let exit = exit.unwrap_or_else(|| panic!("stuck: {:#?}", guest.process().kernel().describe_threads()));
    let log = std::mem::take(&mut *LOG.lock().unwrap());
    Some(Ended { guest, exit, log, romfs: folder, _turn: turn })
}

// rows: A-002
#[test]
fn modules_are_linked_with_each_other() {
    let Some(ended) = run(0, None) else { return };
    assert_eq!(ended.exit, Exit::Finished { status: 0 });
    assert_eq!(ended.word("results", 0), 42);
    assert_eq!((ended.word("results", 1), ended.word("results", 2), ended.word("results", 3)), (42, 30, 0));
    let process = ended.guest.process();
    let table = process.title().exported("library_table").unwrap();
    assert_eq!(ended.word("pointer", 0), table + 0x10, "a data relocation with an addend");
    assert_eq!(ended.word("library_order", 0), 7312, "the library's constructor, then the program's in order");
    drop(ended);
    let Some(ended) = run(0, Some(Knob::UnresolvedModules)) else { return };
    assert!(ended.exit != Exit::Finished { status: 0 } || ended.word("results", 1) != 42);
}

#[test]
fn the_boot_names_its_milestones() {
    let Some(ended) = run(0, None) else { return };
    let milestones: Vec<&str> = ended.log.iter().filter_map(|line| line.strip_prefix("milestone: ")).collect();
    let expected = ["modules linked", "constructors done", "nnMain entered", "nnMain returned"];
    assert_eq!(milestones, expected);
}

// rows: A-016
#[test]
fn an_unknown_import_says_its_name_and_caller_once() {
    let Some(ended) = run(7, None) else { return };
    assert_eq!(ended.exit, Exit::Finished { status: 0 });
    assert_eq!((ended.word("results", 1), ended.word("results", 3)), (0, 0));
    let said: Vec<&String> = ended.log.iter().filter(|line| line.starts_with("imports: ")).collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("nn::prepo::NobodyHas()") && said[0].contains("main+0x"), "{said:?}");
    assert!(said[0].contains("nnMain+0x"), "{said:?}");
    // The table has every import once, with its state.
    let imports = &ended.guest.process().title().summary.imports;
    let state = |name: &str| imports.iter().filter(|i| i.name == name).map(|i| i.state).collect::<Vec<_>>();
    assert_eq!(state("_ZN2nn5prepo9NobodyHasEv"), [ImportState::Stub]);
    assert_eq!(state("_ZN2nn2fs8MountRomEPKcPvm"), [ImportState::Host]);
    assert_eq!(state("library_answer"), [ImportState::Module]);
    drop(ended);
    let Some(ended) = run(7, Some(Knob::NullImports)) else { return };
    assert_eq!(ended.fault().fault, GuestFault::UnknownTarget { target: 0 });
}

/// A read of 50 ms: a second thread of the same core, of lower priority, counts meanwhile. With the core kept it does not.
// rows: A-018
#[test]
fn a_file_read_leaves_the_core_to_others() {
    for (knob, moves) in [(None, true), (Some(Knob::KeepCore), false)] {
        let Some(ended) = run(8, knob) else { return };
        assert_eq!(ended.exit, Exit::Finished { status: 0 });
        assert_eq!((ended.word("results", 1), ended.word("results", 3)), (0, 0));
        assert_eq!(ended.word("results", 5), u64::from_le_bytes(*b"12345678"));
        let (before, after) = (ended.word("results", 2), ended.word("results", 4));
        assert_eq!(after > before, moves, "{before} {after}");
    }
}

/// Save data is in the user's folder from run to run; without one it lasts for the run.
// rows: A-018
#[test]
fn a_title_finds_what_it_committed() {
    let folder = tempfile::tempdir().unwrap();
    for (saves, count) in [(true, 1), (true, 2), (false, 1), (true, 3)] {
        let Some(ended) = run_with_saves(9, None, saves.then(|| folder.path().to_owned())) else { return };
        assert_eq!(ended.exit, Exit::Finished { status: 0 });
        let results: Vec<u64> = (1..8).map(|n| ended.word("results", n)).collect();
        assert_eq!(results, [0, 0, count, 0, 0, 0x30_7202, 0], "the second write is past the end");
    }
    assert!(folder.path().join("01000000 00abc000".replace(' ', "")).is_dir());
}

#[test]
fn a_null_read_is_reported_with_the_function() {
    let Some(ended) = run(1, None) else { return };
    let report = ended.fault();
    assert_eq!(report.fault, GuestFault::Access { address: 0 });
    let text = report.to_string();
    assert!(text.contains("MainThread") && text.contains("0x0, which is not mapped"), "{text}");
    assert!(report.backtrace.iter().any(|line| line.contains("nnMain+0x")), "{text}");
    assert!(report.backtrace[0].contains("read_null+0x0"), "{text}");
    assert!(text.contains("look at the innermost functions"), "{text}");
}

#[test]
fn a_write_to_read_only_data_is_reported() {
    let Some(ended) = run(6, None) else { return };
    assert!(matches!(ended.fault().fault, GuestFault::Access { address } if address > 0x71_0000_0000));
}

#[test]
fn a_jump_to_nowhere_names_target_and_caller() {
    for (scenario, target) in [(2, 0xDEAD_BEE0), (5, 0)] {
        let Some(ended) = run(scenario, None) else { return };
        let report = ended.fault();
        assert_eq!(report.fault, GuestFault::UnknownTarget { target });
        assert!(report.backtrace.iter().any(|line| line.contains("nnMain+0x")), "{report}");
    }
}

#[test]
fn an_unknown_instruction_traps_by_name() {
    let Some(ended) = run(3, None) else { return };
    let report = ended.fault();
    let GuestFault::Trap { word: 0x04A0_0000, what, pc } = &report.fault else { panic!("{report}") };
    assert!(what.contains("unknown instruction 04a00000"), "{report}");
    assert_eq!(report.frames[0], *pc);
    assert!(report.to_string().contains("report the instruction"), "{report}");
}

#[test]
fn a_stack_that_runs_out_is_told_from_other_faults() {
    let Some(ended) = run(4, None) else { return };
    let report = ended.fault();
    assert!(matches!(report.fault, GuestFault::StackOverflow { size: 0x4_0000, .. }), "{report}");
    assert!(report.to_string().contains("recursion"), "{report}");
    assert!(report.backtrace[0].contains("deep+0x0"), "{report}");
    assert!(report.backtrace.last().is_some_and(|line| line.contains("nnMain+0x")), "{report}");
}
