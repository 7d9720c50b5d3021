//! The island title without a console: its calls, its uniform blocks, its modules.

mod reference;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::OnceLock;

use reference::Frame;

struct Title {
    program: PathBuf,
    romfs: PathBuf,
    elfs: Vec<PathBuf>,
    exefs: PathBuf,
}

/// Builds both forms once for all tests of this file.
fn title() -> &'static Title {
    static TITLE: OnceLock<Title> = OnceLock::new();
    TITLE.get_or_init(|| {
        let root = titles::repository_root();
        let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("island");
        let built = titles::build(&root, "island", &out).unwrap_or_else(|error| panic!("{error}"));
        let program = titles::build_native(&root, "island", &out).unwrap_or_else(|error| panic!("{error}"));
        Title { program, romfs: out.join("romfs"), elfs: built.elfs, exefs: out.join("exefs") }
    })
}

fn run(frames: u32, words: &[&str]) -> Output {
    Command::new(&title().program)
        .arg(&title().romfs)
        .arg(frames.to_string())
        .args(words)
        .output()
        .expect("the native title starts")
}

fn text(frames: u32, words: &[&str]) -> String {
    let output = run(frames, words);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("listing is text")
}

/// The lines of frame `frame`, up to its present.
fn frame_listing(listing: &str, frame: u32) -> String {
    let start = listing.find(&format!("== frame {frame}\n")).expect("the frame is listed");
    let end = listing[start..].find("queue: present").expect("the frame is presented");
    listing[start..start + end].to_owned()
}

/// One line per pass: how often it draws, dispatches, copies, clears and waits.
fn counts(listing: &str) -> String {
    let mut passes: Vec<(String, BTreeMap<&str, u32>)> = vec![("start".to_owned(), BTreeMap::new())];
    for line in listing.lines() {
        if let Some(name) = line.strip_prefix("-- ") {
            passes.push((name.to_owned(), BTreeMap::new()));
            continue;
        }
        let kind = ["draw", "dispatch", "copy", "clear", "barrier", "targets", "update"]
            .into_iter()
            .find(|kind| line.starts_with(kind));
        let times = line.rsplit_once(", x").and_then(|(_, count)| count.parse().ok()).unwrap_or(1);
        if let (Some(kind), Some((_, sums))) = (kind, passes.last_mut()) {
            *sums.entry(kind).or_default() += times;
        }
    }
    let lines: Vec<String> = passes
        .into_iter()
        .map(|(name, sums)| {
            let sums: Vec<String> = sums.into_iter().map(|(kind, count)| format!("{kind} {count}")).collect();
            format!("{name}: {}", sums.join(", "))
        })
        .collect();
    lines.join("\n")
}

#[test]
fn the_first_two_frames_record_what_the_frame_describes() {
    let listing = text(2, &["list"]);
    let (first, second) = (frame_listing(&listing, 0), frame_listing(&listing, 1));
    insta::assert_snapshot!("counts_of_frame_0", counts(&first));
    insta::assert_snapshot!("counts_of_frame_1", counts(&second));
    insta::assert_snapshot!("calls_of_frame_0", first);
}

#[test]
fn the_only_feedback_is_the_intended() {
    let listing = frame_listing(&text(2, &["list"]), 1);
    let mut pass = "";
    let mut found: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    for line in listing.lines() {
        if let Some(name) = line.strip_prefix("-- ") {
            pass = name;
        } else if let Some((_, textures)) = line.split_once("reads attached ") {
            *found.entry((pass, textures)).or_default() += 1;
        }
    }
    let found: Vec<_> = found.into_iter().collect();
    assert_eq!(
        found,
        [
            (("P12 water", "depth"), 2),
            (("P13 fireflies", "depth"), 1),
            (("P10 lighting", "depth"), 1),
            (("P14 bloom", "bloom"), 8),
            (("P7 geometry", "depth gNormal"), 6),
        ]
        .into_iter()
        .collect::<BTreeMap<_, _>>()
        .into_iter()
        .collect::<Vec<_>>()
    );
}

#[test]
fn broken_rules_are_reported() {
    for (fault, message) in [
        ("barrier", "without a barrier since"),
        ("uniform", "BindUniformBuffer: stage 0 slot 0"),
        ("texture", "which this pass has not bound"),
    ] {
        let output = run(2, &["quiet", &format!("fault={fault}")]);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && errors.contains(message), "{fault}: {errors}");
    }
}

#[test]
fn spare_command_memory_is_given_when_asked_for() {
    text(3, &["quiet", "fault=command-memory"]);
}

/// Uniform blocks by (frame, pass, stage, slot), the first one bound.
type Blocks = BTreeMap<(u32, String, u32, u32), Vec<u8>>;

fn blocks(frames: u32, words: &[&str]) -> Blocks {
    let mut all = vec!["blocks"];
    all.extend(words);
    let listing = text(frames, &all);
    let mut found = Blocks::new();
    let (mut frame, mut pass) = (0, "start".to_owned());
    for line in listing.lines() {
        if let Some(rest) = line.strip_prefix("group ") {
            let (number, name) = rest.split_once(' ').expect("group line");
            frame = number.parse().expect("frame number");
            name.clone_into(&mut pass);
        } else if let Some(rest) = line.strip_prefix("block ") {
            let words: Vec<&str> = rest.split(' ').collect();
            let (stage, slot) = (words[0].parse().expect("stage"), words[1].parse().expect("slot"));
            let bytes = (0..words[3].len() / 2)
                .map(|at| u8::from_str_radix(&words[3][at * 2..at * 2 + 2], 16).expect("hexadecimal"))
                .collect();
            found.entry((frame, pass.clone(), stage, slot)).or_insert(bytes);
        }
    }
    found
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|word| f32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
}

#[track_caller]
fn close(what: &str, found: &[f32], wanted: &[f64]) {
    for (index, (&found, &wanted)) in found.iter().zip(wanted).enumerate() {
        let error = (f64::from(found) - wanted).abs();
        assert!(error <= 2e-7 * wanted.abs().max(1e-3), "{what}[{index}] is {found}, {wanted} expected");
    }
}

/// Block Frame is bound before the first pass of its frame, so it belongs to the group before.
fn frame_block(blocks: &Blocks, frame: u32) -> Vec<f32> {
    let key = match frame {
        0 => (0, "start".to_owned(), 0, 0),
        _ => (frame - 1, "P19 head-up display".to_owned(), 0, 0),
    };
    floats(&blocks[&key])
}

#[test]
fn blocks_of_the_golden_frames_follow_the_formulas() {
    let blocks = blocks(46, &[]);
    let skin = floats(&std::fs::read(title().romfs.join("character.skin")).expect("asset"));
    for number in [0, 1, 45] {
        let reference = Frame::new(number);
        let of = |pass: &str, stage: u32, slot: u32| floats(&blocks[&(number, pass.to_owned(), stage, slot)]);
        close("Frame", &frame_block(&blocks, number), &reference.block());
        close("Bones", &of("P6 depth", 0, 4), &reference.bones(&skin));
        close("Cascade 0", &of("P5 shadows", 0, 3), &reference.cascade(0));
        close("Shadow", &of("P10 lighting", 1, 2), &reference.shadow());
        close("Cull", &of("P1 cull", 5, 2), &reference.cull());
        close("Cluster", &of("P2 clusters", 5, 2), &reference.cluster());
        close("Grass", &of("P7 geometry", 0, 2), &reference.grass());
        close("Fade", &of("P3 interaction", 1, 2), &[0.0, 0.0, 0.03, 0.0]);
        close("Blur", &of("P9 occlusion", 1, 2), &[0.6, 1.6, 0.05, 0.0]);
        let counts = &blocks[&(number, "P1 cull".to_owned(), 5, 2)][96..104];
        assert_eq!(counts, [512u32.to_le_bytes(), 960u32.to_le_bytes()].concat());
    }
}

#[test]
fn without_input_nothing_but_time_moves_until_long_after_the_golden_frames() {
    let blocks = blocks(130, &["slot=0"]);
    let still = frame_block(&blocks, 0);
    for number in 1..130 {
        let mut block = frame_block(&blocks, number);
        assert!((block[51] - number as f32 / 60.0).abs() < 1e-6);
        block[51] = still[51];
        block[75] = still[75];
        assert_eq!(block, still, "frame {number}");
    }
}

#[test]
fn the_player_walks_and_the_day_passes() {
    let blocks = blocks(240, &["walk=60", "slot=0"]);
    let (before, after) = (frame_block(&blocks, 60), frame_block(&blocks, 239));
    let player = |block: &[f32]| [block[64], block[65], block[66]];
    let moved = player(&after)[2] - player(&before)[2];
    assert!(moved < -5.0, "three seconds of walking away from the camera, but z changed by {moved}");
    assert!(player(&after)[1] > -0.6 && player(&after)[1] < 8.0, "the player stands on the ground");
    for number in 60..239 {
        let (now, next) = (player(&frame_block(&blocks, number)), player(&frame_block(&blocks, number + 1)));
        let steps = now.iter().zip(next).map(|(now, next)| (next - now).abs());
        assert!(steps.fold(0.0, f32::max) < 0.1, "frame {number}: the player jumps from {now:?} to {next:?}");
    }
    assert!(after[53] < before[53], "the sun sinks");
    let camera = |block: &[f32]| [block[48], block[50]];
    assert!(camera(&after)[1] < camera(&before)[1] - 3.0, "the camera follows");
}

#[test]
fn a_whole_day_has_no_step_in_the_light() {
    let blocks = blocks(600 + 240 * 60, &["slot=0"]);
    let mut last = frame_block(&blocks, 600);
    for number in 601..600 + 240 * 60 {
        let block = frame_block(&blocks, number);
        let light = |block: &[f32]| -> Vec<f32> {
            let mut parts: Vec<f32> = block[56..60].to_vec();
            parts.extend(&block[68..71]);
            parts.push(block[74]);
            parts.extend((0..3).map(|axis| block[52 + axis] * block[55]));
            parts
        };
        for (now, then) in light(&block).iter().zip(light(&last)) {
            assert!((now - then).abs() < 0.06 && now.is_finite(), "frame {number}: {then} to {now}");
        }
        assert!(block[53] > -0.031, "the light comes from above in frame {number}");
        last = block;
    }
}

fn undefined(elf: &[u8]) -> Vec<String> {
    use object::{Object, ObjectSymbol};
    let file = object::File::parse(elf).expect("the linked module is an ELF");
    let mut names: Vec<String> = file
        .dynamic_symbols()
        .filter(|symbol| symbol.is_undefined())
        .filter_map(|symbol| symbol.name().ok().map(str::to_owned))
        .filter(|name| !name.is_empty())
        .collect();
    names.sort();
    names
}

fn exported(elf: &[u8]) -> Vec<String> {
    use object::{Object, ObjectSymbol};
    let file = object::File::parse(elf).expect("the linked module is an ELF");
    file.dynamic_symbols()
        .filter(|symbol| symbol.is_global() && !symbol.is_undefined())
        .filter_map(|symbol| symbol.name().ok().map(str::to_owned))
        .collect()
}

#[test]
fn modules_import_from_each_other_and_else_only_what_the_tables_name() {
    let elfs: Vec<Vec<u8>> = title().elfs.iter().map(|path| std::fs::read(path).expect("linked module")).collect();
    let [main, support] = elfs.as_slice() else { panic!("two modules") };
    let table = include_str!("../../../tests/titles/data/nn.tsv");
    let known: Vec<&str> = table.lines().skip(1).filter_map(|line| line.split('\t').nth(2)).collect();
    let host = ["memcpy", "memset", "nvnBootstrapLoader"];
    let (of_main, of_support) = (exported(main), exported(support));
    assert!(of_main.contains(&"nnMain".to_owned()) && of_main.contains(&"nninitStartup".to_owned()));
    assert_eq!(undefined(support), ["island_asset_event"]);
    assert!(of_main.contains(&"island_asset_event".to_owned()));
    for name in undefined(main) {
        let found = known.contains(&name.as_str()) || host.contains(&name.as_str()) || of_support.contains(&name);
        assert!(found, "main imports {name}, which nobody offers");
    }
}

/// Every NVN enumerator that the sources name.
fn values() -> Vec<String> {
    let folder = titles::repository_root().join("tests/titles/island/main");
    let mut found = std::collections::BTreeSet::new();
    for entry in std::fs::read_dir(&folder).expect("sources") {
        let source = std::fs::read_to_string(entry.expect("entry").path()).expect("text");
        for (at, _) in source.match_indices("NVN_") {
            let name: String = source[at..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            if name != "NVN_FOR_EACH_FUNCTION" {
                found.insert(name);
            }
        }
    }
    found.into_iter().collect()
}

#[test]
fn the_list_of_imports_is_that_of_the_modules() {
    let path = titles::repository_root().join("tests/titles/island/IMPORTS.md");
    let elfs: Vec<Vec<u8>> = title().elfs.iter().map(|path| std::fs::read(path).expect("linked module")).collect();
    let support = exported(&elfs[1]);
    let (ours, host): (Vec<String>, Vec<String>) =
        undefined(&elfs[0]).into_iter().partition(|name| support.contains(name));
    let used: Vec<&str> = include_str!("../../../tests/titles/island/main/nvn_used.h")
        .lines()
        .filter_map(|line| line.strip_prefix("USED(")?.strip_suffix(')'))
        .collect();
    let wanted = format!(
        "# What the island title imports\n\nKept up to date by `cargo test -p titles`.\n\n\
         ## `main` from the host\n\n```\n{}\n```\n\n## `main` from `subsdk0`\n\n```\n{}\n```\n\n\
         ## `subsdk0` from `main`\n\n```\n{}\n```\n\n## NVN functions that are called\n\n\
         The title asks `nvnBootstrapLoader` for `nvnDeviceGetProcAddress` and that for every name of\n\
         `engine/nvn/data/functions.tsv`, first without and then with the device. It stops when one of these is NULL:\n\n\
         ```\n{}\n```\n\n## Values that are passed\n\n```\n{}\n```\n",
        host.join("\n"),
        ours.join("\n"),
        undefined(&elfs[1]).join("\n"),
        used.join("\n"),
        values().join("\n"),
    );
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    if found != wanted {
        std::fs::write(&path, wanted).expect("IMPORTS.md can be written");
        panic!("IMPORTS.md was stale and has been rewritten");
    }
}

#[test]
fn modules_are_nso_files_with_a_mod0_and_constructors() {
    for module in ["main", "subsdk0"] {
        let bytes = std::fs::read(title().exefs.join(module)).expect("module");
        let nso = recomp::nso::Nso::parse(&bytes).expect("a valid NSO");
        assert_eq!(nso.bytes_at(0, 4), Some([0; 4].as_slice()), "{module}: no entry instruction");
        assert!(nso.mod0.is_some(), "{module}: MOD0");
        assert_eq!(nso.name, format!("{module}.nss"));
        assert!(nso.build_id.iter().any(|&byte| byte != 0), "{module}: build id");
    }
}
