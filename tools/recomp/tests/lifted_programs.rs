//! Whole programs: lifted, compiled and run, they must print what qemu-aarch64 prints.

#![allow(clippy::print_stdout, reason = "a bench reports on its standard output")]

mod common;

use std::path::{Path, PathBuf};

use recomp::image::Image;
use recomp::{Build, Knob, Options, RecompError, Toolchain};

fn bench_sources() -> Vec<PathBuf> {
    let root = common::crate_dir().join("../../tests/benches/cpu");
    ["main.c", "rt.c", "kernels/integer.c", "kernels/float.c", "kernels/memory.c", "kernels/game.c"]
        .map(|f| root.join(f))
        .into()
}

fn bench_elf(folder: &Path) -> PathBuf {
    let sources = bench_sources();
    let out = folder.join("bench.a64");
    common::static_elf(&sources.iter().map(PathBuf::as_path).collect::<Vec<_>>(), &out, &["-O2"]);
    out
}

fn without_times(text: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(text)
        .lines()
        .map(|line| {
            let mut words = line.split_whitespace();
            format!("{} {}", words.next().unwrap_or(""), words.nth(1).unwrap_or(""))
        })
        .collect()
}

#[test]
fn every_bench_kernel_gives_the_checksum_of_qemu() {
    let (Some(_), Some(qemu)) = (common::cross_clang(), common::qemu()) else { return };
    let dir = common::scratch("bench");
    let elf = bench_elf(&dir);
    let build: Build = common::lift(&elf, &dir.join("lifted"), &Options::default());
    assert!(build.modules[0].unknown.is_empty(), "{:x?}", build.modules[0].unknown);
    assert!(build.modules[0].jump_tables >= 2, "vm_switch and vm_goto: {:?}", build.modules[0]);
    let expected = common::run(std::process::Command::new(qemu).arg(&elf).arg("2"));
    let driver = common::driver(&dir);
    for yielding in [false, true] {
        let mut command = std::process::Command::new(&driver);
        command.arg(&build.object).arg(&elf).arg("2");
        if yielding {
            command.env("FG_DRIVER_YIELD", "1");
        }
        let got = common::run(&mut command);
        assert_eq!(without_times(&got), without_times(&expected), "yield requested: {yielding}");
        assert_eq!(without_times(&got).len(), 18);
    }
    // The second build has nothing to do.
    let again = common::lift(&elf, &dir.join("lifted"), &Options::default());
    assert_eq!((again.compiled, again.linked), (0, false));
    assert_eq!(again.title_key, build.title_key);
}

/// Prints what each kernel costs lifted, against the same C compiled for this machine.
#[test]
#[ignore = "a measurement, run by `cargo xtask bench`"]
fn costs_of_the_bench_kernels() {
    let Some(clang) = common::cross_clang() else { return };
    let dir = common::scratch("bench-costs");
    let elf = bench_elf(&dir);
    let native = dir.join("bench.native");
    let flags = ["-O2", "-std=gnu11", "-ffreestanding", "-fno-stack-protector", "-ffp-contract=off", "-fno-math-errno"];
    let link = ["-fno-pic", "-static", "-nostdlib", "-fno-builtin-memcpy", "-fno-builtin-memset", "-o"];
    // The level that lifted code is compiled for here. Below it there is no fused multiply-add to compare with.
    let fused = std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma");
    let level = if fused { "-march=x86-64-v3" } else { "-march=x86-64" };
    let mut compile = std::process::Command::new(clang);
    common::run(compile.arg(level).args(flags).args(link).arg(&native).args(bench_sources()));
    let build = common::lift(&elf, &dir.join("lifted"), &Options { opt: 2, ..Options::default() });
    let times = |command: &mut std::process::Command| -> Vec<(String, f64, String)> {
        let text = common::run(command.arg("20"));
        let rows = String::from_utf8_lossy(&text).lines().map(str::to_owned).collect::<Vec<_>>();
        let row = |line: &String| {
            let mut words = line.split_whitespace();
            let name = words.next().unwrap_or_default().to_owned();
            let time = words.next().and_then(|ns| ns.parse().ok()).unwrap_or(0.0);
            (name, time, words.next().unwrap_or_default().to_owned())
        };
        rows.iter().map(row).collect()
    };
    let plain = times(&mut std::process::Command::new(&native));
    let lifted = times(std::process::Command::new(common::driver(&dir)).arg(&build.object).arg(&elf));
    assert_eq!(plain.len(), lifted.len());
    println!("CPU kernels: C for this machine, and lifted from AArch64");
    let (mut product, mut count) = (1.0, 0);
    for ((name, native, expected), (_, lifted, got)) in plain.iter().zip(&lifted) {
        if name == "fma" && !fused {
            println!("  {name:<16} left out: this machine has no fused multiply-add");
            continue;
        }
        assert_eq!(got, expected, "{name} computes something else");
        println!("  {name:<16} {:>9.2} ms {:>9.2} ms   {:>5.2} x", native / 1e6, lifted / 1e6, lifted / native);
        (product, count) = (product * lifted / native, count + 1);
    }
    println!("  geometric mean {:>34.2} x", f64::powf(product, 1.0 / f64::from(count)));
}

#[test]
fn a_title_of_two_modules_becomes_one_object() {
    if common::cross_clang().is_none() {
        return;
    }
    let dir = common::scratch("title");
    let exefs = dir.join("exefs");
    std::fs::create_dir_all(&exefs).unwrap();
    for (module, source) in [("main", "main.c"), ("subsdk0", "sub.c")] {
        let elf = dir.join(format!("{module}.elf"));
        common::module_elf(&[&common::crate_dir().join("tests/module").join(source)], &elf, &[]);
        let nso = recomp::nso::from_elf(&std::fs::read(&elf).unwrap(), &recomp::nso::WriteOptions::default()).unwrap();
        std::fs::write(exefs.join(module), nso).unwrap();
    }
    let mut stages = Vec::new();
    let build =
        recomp::lift_title(&exefs, &dir.join("out"), &Options::default(), &mut |p| stages.push(p.stage)).unwrap();
    assert_eq!(build.object.file_name().unwrap(), "title.so");
    assert_eq!(build.folder.file_name().unwrap().len(), 40, "the folder is the build id of main");
    assert!(stages.contains(&recomp::Stage::Analyse));
    let names: Vec<&str> = build.modules.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["main", "subsdk0"]);
    assert_eq!(build.modules[0].base, 0x71_0000_0000);
    assert!(build.modules[1].base > build.modules[0].base && build.modules[1].base.is_multiple_of(0x1000));
    let text = common::run(std::process::Command::new(common::driver(&dir)).arg("--manifest").arg(&build.object));
    let text = String::from_utf8(text).unwrap();
    assert!(text.starts_with("magic 314d4746 abi 1 "), "{text}");
    assert!(text.contains("main base 0x7100000000 ") && text.contains("\nsubsdk0 base "), "{text}");
    assert_eq!(text.matches("unknown 0").count(), 2, "{text}");
    // A folder without main is refused before anything is built.
    let error = recomp::lift_title(&dir, &dir.join("none"), &Options::default(), &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("`main`"), "{error}");
}

/// The build asks a compiler for everything it needs before it starts; without that question gcc fails in its first file.
// rows: A-082
#[test]
fn a_compiler_that_cannot_is_refused_first() {
    let dir = common::scratch("toolchain");
    let with = |cc: &str| {
        let options = Options { cc: Some(cc.to_owned()), ..Options::default() };
        recomp::lift_title(&dir, &dir, &options, &mut |_| {}).unwrap_err().to_string()
    };
    assert!(with("no-such-compiler").contains("install clang 19"));
    if std::process::Command::new("gcc").arg("--version").output().is_ok_and(|o| o.status.success()) {
        assert!(with("gcc").contains("cannot compile lifted code"), "{}", with("gcc"));
        if common::cross_clang().is_none() {
            return;
        }
        let exefs = dir.join("exefs");
        std::fs::create_dir_all(&exefs).unwrap();
        let elf = dir.join("main.elf");
        common::module_elf(&[&common::crate_dir().join("tests/module/sub.c")], &elf, &[]);
        let nso = recomp::nso::from_elf(&std::fs::read(&elf).unwrap(), &recomp::nso::WriteOptions::default()).unwrap();
        std::fs::write(exefs.join("main"), nso).unwrap();
        for (knob, early) in [(None, true), (Some(Knob::NoProbe), false)] {
            let options = Options { cc: Some("gcc".into()), knob, ..Options::default() };
            let error = recomp::lift_title(&exefs, &dir.join("out"), &options, &mut |_| {}).unwrap_err();
            assert_eq!(matches!(error, RecompError::Toolchain { .. }), early, "{error}");
            assert_eq!(matches!(error, RecompError::Compile { .. }), !early, "{error}");
        }
    }
}

/// A changed function costs one object, and an unchanged title none.
// rows: A-083
#[test]
fn one_changed_function_is_one_object() {
    if common::cross_clang().is_none() {
        return;
    }
    let dir = common::scratch("incremental");
    let image = Image::from_static_elf(&std::fs::read(bench_elf(&dir)).unwrap(), "bench").unwrap();
    let toolchain = Toolchain::find(None).unwrap();
    // The first MOVZ of a small number into w0 gets another number.
    let changed = || {
        let mut image = image.clone();
        let words = (image.text.start..image.text.end).step_by(4);
        let at = words.filter(|pc| image.word(*pc).is_some_and(|w| w & 0xFFFF_E01F == 0x5280_0000)).last().unwrap();
        let region = image.regions.iter_mut().find(|r| r.perms.execute).unwrap();
        region.bytes[(at - region.address) as usize] ^= 0x40;
        image
    };
    for (knob, all) in [(None, false), (Some(Knob::CompileAll), true)] {
        let folder = dir.join(if all { "all" } else { "changed" });
        let _ = std::fs::remove_dir_all(&folder);
        let options = Options { opt: 0, knob, ..Options::default() };
        let build =
            |image: Image| recomp::lift_images(vec![image], &folder, &toolchain, &options, &mut |_| {}).unwrap();
        let first = build(image.clone());
        assert!(first.sources >= 3, "{}", first.sources);
        assert_eq!(first.compiled, first.sources);
        let expect = |count: usize| if all { first.sources } else { count };
        assert_eq!(build(image.clone()).compiled, expect(0));
        assert_eq!(build(changed()).compiled, expect(1));
        assert_eq!(build(image.clone()).compiled, expect(1));
    }
}

#[test]
fn ninja_builds_the_same_edges() {
    let Some(_) = common::cross_clang() else { return };
    if !std::process::Command::new("ninja").arg("--version").output().is_ok_and(|o| o.status.success()) {
        eprintln!("skipped: ninja is not installed");
        return;
    }
    let dir = common::scratch("ninja");
    let source = dir.join("a.c");
    std::fs::write(&source, "int f(int x) { return x * 3; } void _start(void) { f(2); for (;;) ; }").unwrap();
    let elf = dir.join("a.elf");
    common::static_elf(&[&source], &elf, &["-O1"]);
    let build = common::lift(&elf, &dir.join("lifted"), &Options::default());
    common::run(std::process::Command::new("ninja").arg("-C").arg(&build.folder));
    let second = common::run(std::process::Command::new("ninja").arg("-C").arg(&build.folder));
    assert!(String::from_utf8_lossy(&second).contains("no work to do"), "{}", String::from_utf8_lossy(&second));
    // One touched file: its object, and the link.
    let file = std::fs::read_dir(build.folder.join("c")).unwrap().flatten().map(|e| e.path());
    let file = file.filter(|p| p.extension().is_some_and(|e| e == "c")).min().unwrap();
    let text = std::fs::read(&file).unwrap();
    std::fs::write(&file, [&text[..], b"\n"].concat()).unwrap();
    let third = common::run(std::process::Command::new("ninja").arg("-C").arg(&build.folder));
    std::fs::write(&file, text).unwrap();
    assert!(String::from_utf8_lossy(&third).contains("[2/2]"), "{}", String::from_utf8_lossy(&third));
}

/// Builds, lifts and runs a program of tests/programs at an optimisation level; gives both outputs and the build.
fn both(program: &str, level: &str) -> Option<(Build, String, String)> {
    let (Some(_), Some(qemu)) = (common::cross_clang(), common::qemu()) else { return None };
    let dir = common::scratch(&format!("{program}{level}"));
    let elf = dir.join("program.a64");
    common::static_elf(&[&common::crate_dir().join(format!("tests/programs/{program}.c"))], &elf, &[level]);
    let build = common::lift(&elf, &dir.join("lifted"), &Options { opt: 1, ..Options::default() });
    let expected = common::run(std::process::Command::new(qemu).arg(&elf));
    let got = common::run(std::process::Command::new(common::driver(&dir)).arg(&build.object).arg(&elf));
    Some((build, String::from_utf8(expected).unwrap(), String::from_utf8(got).unwrap()))
}

#[test]
fn switches_of_every_optimisation_level() {
    for level in ["-O0", "-O1", "-O2", "-O3", "-Os"] {
        let Some((build, expected, got)) = both("switches", level) else { return };
        assert_eq!(got, expected, "{level}");
        let module = &build.modules[0];
        // The four switches that clang makes tables of (it turns `shifted` into arithmetic at some levels), and the computed goto.
        assert!(module.jump_tables >= if level == "-O0" { 2 } else { 4 }, "{level}: {module:x?}");
    }
}

/// A million tail calls, direct and through pointers, and 256 targets of one call site. As nested calls they overflow the host's stack.
// rows: A-005
#[test]
fn calls_do_not_grow_the_host_stack() {
    for level in ["-O1", "-O2"] {
        let Some((build, expected, got)) = both("calls", level) else { return };
        assert_eq!(got, expected, "{level}");
        assert!(build.modules[0].unknown.is_empty());
    }
    let dir = common::scratch("calls-nested");
    let elf = dir.join("program.a64");
    common::static_elf(&[&common::crate_dir().join("tests/programs/calls.c")], &elf, &["-O2"]);
    let options = Options { opt: 1, knob: Some(Knob::NestedTailCalls), ..Options::default() };
    let build = common::lift(&elf, &dir.join("lifted"), &options);
    let output = std::process::Command::new("sh")
        .args(["-c", "ulimit -c 0; ulimit -s 8192; exec \"$@\"", "sh"])
        .args([common::driver(&dir), build.object, elf])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), None, "killed by a signal: {output:?}");
}

/// The jump tables of a listing of clang: entry sizes, and the labels in table order.
fn tables_of_listing(listing: &str) -> Vec<(&str, Vec<&str>)> {
    let mut tables: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut inside = false;
    for line in listing.lines().map(str::trim) {
        if line.starts_with(".LJTI") && line.ends_with(':') {
            tables.push(("", Vec::new()));
            inside = true;
            continue;
        }
        let label = line.find(".LBB").map(|at| {
            let rest = &line[at..];
            &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '_').unwrap_or(rest.len())]
        });
        match (inside, label, tables.last_mut()) {
            (true, Some(label), Some(table)) if line.starts_with('.') && !line.ends_with(':') => {
                table.0 = line.split_whitespace().next().unwrap_or("");
                table.1.push(label);
            }
            _ => inside = false,
        }
    }
    tables
}

/// Every table that clang makes, at every optimisation level, is found with exactly its targets: the compiler's own listing
/// says which, written into the program behind a mark. Guessed lengths run on into the next table.
// rows: A-008
#[test]
fn jump_tables_are_those_of_the_compiler() {
    const MARK: u64 = 0x5A5A_F00D_CAFE_7AB1;
    // Added to each target, so that the list is no table of pointers to code.
    const AWAY: u64 = 1 << 48;
    if common::cross_clang().is_none() {
        return;
    }
    let dir = common::scratch("tables");
    let source = common::crate_dir().join("tests/programs/switches.c");
    let (mut sizes, mut count, mut wrong) = (std::collections::BTreeSet::new(), 0, 0);
    for level in ["-O0", "-O1", "-O2", "-O3", "-Os"] {
        let listing = dir.join(format!("switches{level}.s"));
        common::run(
            std::process::Command::new("clang-19")
                .args(["--target=aarch64-none-elf", "-std=gnu11", "-ffreestanding", "-fno-pic", "-S", level])
                .arg(&source)
                .arg("-o")
                .arg(&listing),
        );
        let mut text = std::fs::read_to_string(&listing).unwrap();
        let mut list = String::from("\n    .data\n    .p2align 3\n");
        for (size, labels) in tables_of_listing(&text) {
            sizes.insert(size.to_owned());
            let targets: Vec<String> = labels.iter().map(|l| format!("{l}+{AWAY:#x}")).collect();
            list.push_str(&format!("    .xword {MARK:#x}, {}, {}\n", labels.len(), targets.join(", ")));
        }
        text.push_str(&list);
        std::fs::write(&listing, text).unwrap();
        let elf = dir.join(format!("switches{level}.a64"));
        common::static_elf(&[&listing], &elf, &[]);
        let file = std::fs::read(&elf).unwrap();
        let words: Vec<u64> = file.chunks_exact(8).map(|c| u64::from_le_bytes(c.try_into().unwrap())).collect();
        let marks = words.iter().enumerate().filter(|(_, w)| **w == MARK).map(|(at, _)| at);
        let truth: Vec<Vec<u64>> = marks
            .map(|at| words[at + 2..at + 2 + words[at + 1] as usize].iter().map(|w| w.wrapping_sub(AWAY)).collect())
            .collect();
        assert!(truth.len() >= 2, "{level}: {truth:x?}");
        count += truth.len();
        let image = Image::from_static_elf(&file, "switches").unwrap();
        let found = recomp::analysis::analyse(&image).tables;
        for table in &truth {
            assert!(found.values().any(|f| f == table), "{level}: {table:x?} is not among {found:x?}");
        }
        let guessed = recomp::analysis::analyse_with(&image, Some(Knob::GuessedTables)).tables;
        wrong += truth.iter().filter(|table| !guessed.values().any(|g| g == *table)).count();
    }
    assert!(count >= 10 && wrong > 0, "{count} tables, {wrong} guessed wrongly");
    assert!([".byte", ".hword", ".word"].iter().filter(|s| sizes.contains(**s)).count() >= 2, "{sizes:?}");
}

/// Lifts a program in assembly and gives the exit status and messages of its run.
fn assembly(name: &str, text: &str) -> Option<(Build, Option<i32>, String)> {
    assembly_with(name, text, None)
}

fn assembly_with(name: &str, text: &str, knob: Option<Knob>) -> Option<(Build, Option<i32>, String)> {
    common::cross_clang()?;
    let dir = common::scratch(name);
    let source = dir.join("program.s");
    std::fs::write(&source, format!("    .text\n    .globl _start\n_start:\n{text}\n")).unwrap();
    let elf = dir.join("program.a64");
    common::static_elf(&[&source], &elf, &[]);
    let build = common::lift(&elf, &dir.join("lifted"), &Options { knob, ..Options::default() });
    let output = std::process::Command::new(common::driver(&dir)).arg(&build.object).arg(&elf).output().unwrap();
    Some((build, output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned()))
}

// rows: A-003
#[test]
fn an_unknown_instruction_is_named_at_lift_and_at_run_time() {
    // An SVE addition: no row of the table.
    let text = "    mov x0, #1\n    .inst 0x04a00000\n    ret";
    let Some((build, status, message)) = assembly("unknown", text) else {
        return;
    };
    let (_, skipped, _) = assembly_with("unknown-skipped", text, Some(Knob::UnknownIsNothing)).unwrap();
    assert_eq!(skipped, Some(7), "lifted to nothing, the program runs on to its end");
    let unknown = &build.modules[0].unknown;
    assert_eq!(unknown.len(), 1);
    assert_eq!(unknown[0].1, 0x04A0_0000);
    assert_eq!(status, Some(6));
    assert!(
        message.contains("unknown instruction 04a00000") && message.contains(&format!("{:#x}", unknown[0].0)),
        "{message}"
    );
    let Some((_, status, message)) = assembly("brk", "    brk #0x1234") else { return };
    assert_eq!(status, Some(6));
    assert!(message.contains("brk 0x1234"), "{message}");
}

// rows: A-006
#[test]
fn a_wild_pointer_is_reported_once_with_its_address() {
    let text = "    mov x8, #0xbeef0000\n    blr x8\n    brk #0";
    let Some((build, status, message)) = assembly("wild", text) else {
        return;
    };
    let (_, null, silence) = assembly_with("wild-null", text, Some(Knob::NullMiss)).unwrap();
    assert_eq!((null, silence.as_str()), (None, ""), "a jump to a null pointer kills the host without a word");
    assert!(build.modules[0].unknown.is_empty());
    assert_eq!(status, Some(5));
    assert_eq!(message.matches("0xbeef0000").count(), 1, "{message}");
}

#[test]
fn the_same_input_gives_the_same_sources_whatever_the_jobs() {
    if common::cross_clang().is_none() {
        return;
    }
    let dir = common::scratch("jobs");
    let elf = bench_elf(&dir);
    let read = |jobs: usize| {
        let folder = dir.join(format!("lifted{jobs}"));
        let build = common::lift(&elf, &folder, &Options { jobs, opt: 0, ..Options::default() });
        let mut names: Vec<PathBuf> = std::fs::read_dir(folder.join("c")).unwrap().map(|e| e.unwrap().path()).collect();
        names.sort();
        let text: Vec<Vec<u8>> = names.iter().map(|n| std::fs::read(n).unwrap()).collect();
        (text, std::fs::read(build.object).unwrap())
    };
    assert!(read(1) == read(4));
}
