//! Traces of the demo title through the whole program: keyframes, cuts, dumps of targets and their comparison, and what is wrong with input and disk.

mod program;

use nvn_decode::record::{Op, Pool, Writer};
use nvn_decode::trace::TraceWriter;
use program::{root, title};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;

fn folder(name: &str) -> PathBuf {
    let path = root().join("target/trace-tests").join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("target folder");
    path
}

fn ferrograph(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ferrograph")).args(arguments).output().expect("the program starts")
}

fn words(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Runs the program, which must succeed; gives what it printed.
fn run(arguments: &[&str]) -> String {
    let (status, stdout, stderr) = words(&ferrograph(arguments));
    assert_eq!(status, Some(0), "{arguments:?}: {stderr}");
    stdout
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8 path")
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A recording of five frames with a keyframe at frame 3, and the live picture of frame 4; `None` where there is no Vulkan device.
fn recording() -> Option<(PathBuf, Vec<u8>)> {
    static MADE: OnceLock<Option<(PathBuf, Vec<u8>)>> = OnceLock::new();
    MADE.get_or_init(|| {
        let out = folder("recording");
        let (trace, live) = (out.join("island.fgt"), out.join("live.png"));
        let title = title();
        let output = ferrograph(&[
            "play",
            text(&title),
            "--headless",
            "--frames",
            "5",
            "--record",
            text(&trace),
            "--keyframes",
            "3",
            "--screenshot",
            text(&live),
        ]);
        let (status, _, stderr) = words(&output);
        if stderr.contains("no usable Vulkan device") {
            eprintln!("skipped: {stderr}");
            return None;
        }
        assert_eq!(status, Some(0), "{stderr}");
        Some((trace, read(&live)))
    })
    .clone()
}

fn export(trace: &Path, from: &str, out: &Path) -> Vec<u8> {
    run(&["export", text(trace), "--frame", "4", "--from", from, "--format", "json", "-o", text(out)]);
    read(out)
}

// rows
#[test]
fn gpu_a_replay_from_a_keyframe_is_the_live_picture_and_the_same_graph() {
    let Some((trace, live)) = recording() else { return };
    let out = folder("keyframe");
    let picture = |trace: &Path, arguments: &[&str], name: &str| {
        let shot = out.join(name);
        let mut all = vec!["replay", text(trace), "--screenshot", text(&shot)];
        all.extend_from_slice(arguments);
        run(&all);
        read(&shot)
    };
    let info = run(&["trace", "info", text(&trace)]);
    assert!(info.contains("frames 0 to 4") && info.contains("keyframes: 0 3\n"), "{info}");
    assert!(picture(&trace, &["--from", "3"], "key.png") == live, "from the keyframe of frame 3");
    assert!(picture(&trace, &["--frame", "4"], "frame.png") == live, "from the nearest keyframe");
    let whole = export(&trace, "0", &out.join("whole.json"));
    assert!(whole.len() > 1000);
    assert!(whole == export(&trace, "4", &out.join("key.json")), "the graph from the keyframe differs");

    // A cut with the keyframe of the trace, and one that must take its own.
    let cut = out.join("cut.fgt");
    run(&["trace", "cut", text(&trace), "--frames", "3..5", "-o", text(&cut)]);
    assert!(picture(&cut, &[], "cut.png") == live, "from a cut");
    assert!(whole == export(&cut, "4", &out.join("cut.json")), "the graph from a cut differs");
    let taken = out.join("taken.fgt");
    run(&["trace", "cut", text(&trace), "--frames", "1..2,4", "-o", text(&taken)]);
    let info = run(&["trace", "info", text(&taken)]);
    assert!(info.contains("frames 1 and 4") && info.contains("keyframes: 1 4\n"), "{info}");
    assert!(picture(&taken, &[], "taken.png") == live, "from a keyframe that a replay took");
    assert!(whole == export(&taken, "4", &out.join("taken.json")), "the graph from it differs");
    for file in [&trace, &cut, &taken] {
        assert!(run(&["trace", "validate", text(file)]).contains("whole"));
    }
    let lost = words(&ferrograph(&["replay", text(&taken), "--frame", "2"]));
    assert_eq!(lost.0, Some(2), "{}", lost.2);
    assert!(lost.2.contains("no frame 2: it holds frames 1 and 4"), "{}", lost.2);
}

#[test]
fn gpu_dumped_targets_are_compared_and_planted_differences_are_found() {
    let Some((trace, _)) = recording() else { return };
    let out = folder("dumps");
    let (a, b) = (out.join("a"), out.join("b"));
    for dump in [&a, &b] {
        run(&["replay", text(&trace), "--from", "4", "--frames", "1", "--dump-targets", text(dump)]);
    }
    let lines = run(&["diff", text(&a), text(&b)]);
    for name in ["gAlbedo", "gNormal", "depth", "depth stencil", "hdr", "shadow", "presented"] {
        let found = lines.lines().any(|line| line.starts_with(&format!("ok   {name} ")));
        assert!(found, "{name} is missing:\n{lines}");
    }
    // Each file by itself: a hundredth of its bytes, from the middle on, become others.
    for (file, name) in [
        ("gAlbedo.raw", "gAlbedo"),
        ("gNormal.raw", "gNormal"),
        ("hdr.raw", "hdr"),
        ("depth.raw", "depth"),
        ("depth.stencil.raw", "depth stencil"),
        ("presented.raw", "presented"),
    ] {
        let good = read(&b.join(file));
        let mut bad = good.clone();
        let middle = (bad.len() / 2) & !15;
        let end = middle + bad.len() / 100;
        for byte in &mut bad[middle..end] {
            *byte ^= 0x55;
        }
        std::fs::write(b.join(file), &bad).expect("file");
        let (status, lines, stderr) = words(&ferrograph(&["diff", text(&a), text(&b)]));
        assert_eq!(status, Some(1), "{file}: {lines}{stderr}");
        let failed: Vec<_> = lines.lines().filter(|line| line.starts_with("FAIL")).collect();
        assert!(failed.len() == 1 && failed[0].starts_with(&format!("FAIL {name} ")), "{file}: {failed:?}");
        std::fs::write(b.join(file), &good).expect("file");
    }
    std::fs::write(b.join("hdr.raw"), b"short").expect("file");
    assert_eq!(words(&ferrograph(&["diff", text(&a), text(&b)])).0, Some(2), "a file that is cut off");
    std::fs::remove_file(b.join("targets.json")).expect("file");
    assert_eq!(words(&ferrograph(&["diff", text(&a), text(&b)])).0, Some(2), "no dump");
}

/// Exit status and the one message of a call that must fail.
fn fails(arguments: &[&str], status: i32, what: &str) {
    let (code, _, stderr) = words(&ferrograph(arguments));
    assert_eq!(code, Some(status), "{arguments:?}: {stderr}");
    assert!(stderr.contains(what), "{arguments:?}: {stderr}");
    assert_eq!(stderr.lines().filter(|line| !line.is_empty()).count(), 1, "one message: {stderr}");
    assert!(stderr.starts_with("error:") && !stderr.contains("panicked"), "{stderr}");
}

/// Mesa's software driver has two ways of filtering, which stand for two devices here; another driver does not know the variable and agrees with itself.
#[test]
fn gpu_devices_that_filter_in_ways_of_their_own_agree_on_request() {
    let Some((trace, _)) = recording() else { return };
    let out = folder("two-filters");
    let dump = |way: &str, one_way: bool| {
        let dump = out.join(format!("{way} {one_way}"));
        let set = format!("shaders.separate_rounding={one_way}");
        let output = Command::new(env!("CARGO_BIN_EXE_ferrograph"))
            .args([
                "replay",
                text(&trace),
                "--from",
                "4",
                "--frames",
                "1",
                "--set",
                &set,
                "--dump-targets",
                text(&dump),
            ])
            .env("GALLIVM_PERF", way)
            .output()
            .expect("the program starts");
        assert_eq!(output.status.code(), Some(0), "{}", words(&output).2);
        dump
    };
    // Texels outside the limit.
    let outside = |one_way: bool| -> u64 {
        let (a, b) = (dump("", one_way), dump("no_aos_sampling", one_way));
        let (_, lines, _) = words(&ferrograph(&["diff", text(&a), text(&b)]));
        let count = |line: &str| line.split(" within, ").nth(1)?.split(' ').next()?.parse().ok();
        let presented = lines.lines().find(|line| line.contains("presented"));
        presented.and_then(count).unwrap_or_else(|| panic!("no line about the picture: {lines}"))
    };
    let (as_they_like, in_one_way) = (outside(false), outside(true));
    assert!(in_one_way * 10 <= as_they_like, "{in_one_way} texels differ in one way, {as_they_like} as they like");
}

#[test]
fn gpu_a_full_disk_is_status_1_and_one_message() {
    let Some((trace, _)) = recording() else { return };
    let full = "/dev/full";
    if !Path::new(full).exists() {
        return;
    }
    let title = title();
    let play = ["play", text(&title), "--headless", "--frames", "1"];
    fails(&[&play[..], &["--record", full]].concat(), 1, "No space left on device");
    fails(&[&play[..], &["--screenshot", full]].concat(), 1, "No space left on device");
    let one = ["--frame", "0", "--format", "json", "-o", full];
    fails(&[&["export", text(&trace)], &one[..]].concat(), 1, "No space left on device");
    fails(&["trace", "cut", text(&trace), "--frames", "0..1", "-o", full], 1, "No space left on device");
    fails(&["replay", text(&trace), "--frame", "0", "--stats", full], 1, "No space left on device");
}

/// Guest threads are still under way when a recording fails, and more so on a busy machine: the process ends with its status all the same, never by a signal.
#[test]
fn gpu_runs_that_are_cut_short_beside_each_other_end_with_their_status() {
    if recording().is_none() || !Path::new("/dev/full").exists() {
        return;
    }
    let title = title();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..3 {
                    let play = ["play", text(&title), "--headless", "--frames", "1", "--record", "/dev/full"];
                    fails(&play, 1, "No space left on device");
                }
            });
        }
    });
}

/// What a run recorded before it failed is a whole trace: here the disk is full for the picture alone.
#[test]
fn gpu_a_recording_is_whole_when_the_run_fails_behind_it() {
    if recording().is_none() || !Path::new("/dev/full").exists() {
        return;
    }
    let trace = folder("kept").join("kept.fgt");
    let title = title();
    let play = ["play", text(&title), "--headless", "--frames", "2", "--screenshot", "/dev/full"];
    fails(&[&play[..], &["--record", text(&trace)]].concat(), 1, "No space left on device");
    assert!(run(&["trace", "validate", text(&trace)]).contains("whole"));
}

#[test]
fn gpu_a_frame_that_is_not_there_is_status_2_and_one_message() {
    let Some((trace, _)) = recording() else { return };
    let missing = "the trace has no frame 99: it holds frames 0 to 4";
    fails(&["replay", text(&trace), "--frame", "99"], 2, missing);
    fails(&["replay", text(&trace), "--from", "99"], 2, missing);
    fails(&["replay", text(&trace), "--from", "4", "--frames", "96"], 2, missing);
    fails(&["export", text(&trace), "--frame", "99", "--format", "json", "-o", "/dev/null"], 2, missing);
    let out = folder("missing").join("never.fgt");
    fails(&["trace", "cut", text(&trace), "--frames", "99..100", "-o", text(&out)], 2, missing);
    assert!(!out.exists(), "nothing is written before it is clear what to write");
}

#[test]
fn gpu_a_trace_that_is_cut_off_is_said_to_be_with_the_place() {
    let Some((trace, _)) = recording() else { return };
    let out = folder("cut-off");
    let whole = read(&trace);
    let cut = |name: &str, length: usize| {
        let path = out.join(name);
        std::fs::write(&path, &whole[..length]).expect("file");
        path
    };
    fails(&["replay", text(&cut("first.fgt", 300))], 2, "damaged at byte 0x");
    fails(&["trace", "validate", text(&cut("first.fgt", 300))], 2, "damaged at byte 0x");
    let late = cut("late.fgt", whole.len() - 40);
    fails(&["trace", "validate", text(&late)], 2, "5 frames are whole, then");
    run(&["replay", text(&late), "--frame", "0"]);
}

/// Whatever fails, and before or behind the first byte: what was there stays there.
#[test]
fn gpu_a_run_that_fails_leaves_what_was_there() {
    let Some((trace, _)) = recording() else { return };
    let out = folder("kept-files");
    let title = title();
    let old = out.join("old.fgt");
    std::fs::write(&old, b"precious").expect("file");
    let mut play = Command::new(env!("CARGO_BIN_EXE_ferrograph"));
    play.args(["play", text(&title), "--headless", "--frames", "1", "--record", text(&old)]);
    let output = play.env("VK_DRIVER_FILES", "/nonexistent.json").output().expect("the program starts");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(read(&old), b"precious", "without a device");

    // One byte of a page is another: the input is at fault, and is named.
    let mut flipped = read(&trace);
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0x10;
    let bad = out.join("bad.fgt");
    std::fs::write(&bad, flipped).expect("file");
    fails(&["trace", "cut", text(&bad), "--frames", "0..5", "-o", text(&old)], 2, text(&bad));
    assert_eq!(read(&old), b"precious", "from a damaged trace");
    assert_eq!(std::fs::read_dir(&out).expect("a folder").count(), 2, "and nothing else is left");
}

#[test]
fn gpu_no_file_has_two_uses() {
    let Some((trace, _)) = recording() else { return };
    let out = folder("two-uses");
    let copy = out.join("copy.fgt");
    std::fs::copy(&trace, &copy).expect("file");
    let link = out.join("link.fgt");
    std::os::unix::fs::symlink(&copy, &link).expect("a link");
    let own = "give each a file of its own";
    fails(&["trace", "cut", text(&copy), "--frames", "0", "-o", text(&link)], 2, own);
    fails(&["export", text(&copy), "--frame", "0", "--format", "json", "-o", text(&copy)], 2, own);
    fails(&["replay", text(&copy), "--screenshot", text(&link)], 2, own);
    let title = title();
    let both = out.join("both");
    let play = ["play", text(&title), "--headless", "--frames", "1"];
    fails(&[&play[..], &["--record", text(&both), "--stats", text(&both)]].concat(), 2, own);
    assert!(read(&copy) == read(&trace) && !both.exists());
}

/// A trace is made by nobody that can be trusted: what it names may be absurd.
#[test]
fn gpu_absurd_traces_are_refused_in_little_memory() {
    if recording().is_none() {
        return;
    }
    let out = folder("absurd");
    let made = |name: &str, pool: Pool| {
        let path = out.join(name);
        let file = std::fs::File::create(&path).expect("file");
        let facts = BTreeMap::from([("title".to_owned(), "\u{1b}[31mred".to_owned())]);
        let mut trace = TraceWriter::new(std::io::BufWriter::new(file), &facts).expect("a trace");
        let mut records = Writer::default();
        records.record(Op::PoolCreate, 0, &pool);
        records.slice::<u8>(Op::PartEnd, 0, &[]);
        trace.frame(&records.bytes).and_then(|_| trace.finish()).expect("written");
        path
    };
    let good = Pool { address: 0x1000, size: 0x1000, ordinal: 0, flags: 0 };
    for (name, pool) in [
        ("ordinal.fgt", Pool { ordinal: 0x8000_0000, ..good }),
        ("size.fgt", Pool { size: 1 << 42, ..good }),
        ("wraps.fgt", Pool { address: u64::MAX - 1, ..good }),
    ] {
        let trace = made(name, pool);
        let (status, _, stderr) = words(&ferrograph(&["replay", text(&trace), "--headless"]));
        assert!(stderr.contains("more than the console's memory"), "{name}: {status:?} {stderr}");
        assert!(!stderr.contains("panicked") && status.is_some(), "{name}: {status:?} {stderr}");
    }
    let info = run(&["trace", "info", text(&out.join("size.fgt"))]);
    assert!(info.contains("[31mred") && !info.contains('\u{1b}'), "{info:?}");
    fails(&["trace", "info", text(&out)], 2, "it is a folder");
}

/// Ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Each of SIGINT and SIGTERM ends a run as closing its window does: the recording is whole, the picture is there.
#[test]
fn gpu_a_signal_ends_a_run_cleanly() {
    if recording().is_none() {
        return;
    }
    let out = folder("signals");
    let title = title();
    for signal in ["INT", "TERM"] {
        let (trace, shot) = (out.join(format!("{signal}.fgt")), out.join(format!("{signal}.png")));
        let mut play = Command::new(env!("CARGO_BIN_EXE_ferrograph"));
        play.args(["play", text(&title), "--headless", "--record", text(&trace), "--screenshot", text(&shot)]);
        let mut running = Running(play.stdout(Stdio::null()).spawn().expect("the program starts"));
        let began = std::time::Instant::now();
        // A frame's pages alone are more than this.
        while std::fs::metadata(&trace).map_or(0, |file| file.len()) < 1 << 20 {
            assert!(began.elapsed().as_secs() < 120, "nothing is recorded");
            assert_eq!(running.0.try_wait().expect("a process"), None, "it ended by itself");
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        // The shell's own `kill`: not every machine has the program.
        let sent = Command::new("sh").args(["-c", &format!("kill -{signal} {}", running.0.id())]).status();
        assert!(sent.is_ok_and(|status| status.success()));
        let ended = running.0.wait().expect("a process");
        assert_eq!(ended.code(), Some(0), "{signal}: {ended}");
        assert!(run(&["trace", "validate", text(&trace)]).contains("whole"));
        assert!(read(&shot).len() > 10_000);
    }
}
