//! The demo title through the whole program: played against the golden pictures, recorded, replayed, exported.

mod golden;
mod program;

use golden::{Difference, Picture};
use program::{folder, title};
use std::path::Path;
use std::process::{Command, Output};

fn ferrograph(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ferrograph")).args(arguments).output().expect("the program starts")
}

/// Runs the program; `None` where there is no Vulkan device, with the reason printed.
fn run(arguments: &[&str]) -> Option<String> {
    let output = ferrograph(arguments);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    if stderr.contains("no usable Vulkan device") {
        eprintln!("skipped: {stderr}");
        return None;
    }
    assert!(output.status.success(), "{arguments:?}: {:?}\n{stderr}", output.status);
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8 path")
}

fn target(folder: &Path, name: &str, extent: (usize, usize), texel: usize, show: fn(&[u8]) -> [u8; 3]) -> Picture {
    let raw = std::fs::read(folder.join(format!("{name}.raw"))).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert!(raw.len() >= extent.0 * extent.1 * texel, "{name}: {} bytes", raw.len());
    Picture::from_texels(extent.0, extent.1, texel, &raw[..extent.0 * extent.1 * texel], show)
}

fn golden(name: &str) -> Picture {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/pictures").join(format!("{name}.png"));
    Picture::read_png(&path).unwrap_or_else(|e| panic!("{e}"))
}

/// Sky and far sea: where the golden depth shows nothing near, and the rows of the far sea.
fn soft(depth: &Picture) -> impl Fn(usize, usize) -> bool + '_ {
    |x, y| (255..=390).contains(&y) || depth.pixels[y * depth.width + x][0] <= 8
}

fn compare_frame(frame: u64) -> Option<Vec<(String, Difference, f64, f64)>> {
    let out = folder(&format!("golden-{frame}"));
    let shot = out.join("frame.png");
    let frames = (frame + 1).to_string();
    let dump = out.join("targets");
    run(&[
        "play",
        text(&title()),
        "--headless",
        "--fixed-step",
        "--frames",
        &frames,
        "--screenshot",
        text(&shot),
        "--dump-targets",
        text(&dump),
    ])?;
    let full = (1280, 720);
    let depth = golden("depth_0000");
    let hard = |_: usize, _: usize| false;
    let mut rows = Vec::new();
    let mut row = |name: &str, picture: Picture, strict: bool| {
        let path = format!("{name}_{frame:04}");
        if !Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/pictures").join(format!("{path}.png")).is_file() {
            return;
        }
        let wanted = golden(&path);
        let (difference, mean, within) = if strict {
            (picture.difference(&wanted, 4, hard), 1.0, 0.99)
        } else {
            (picture.difference(&wanted, 8, soft(&depth)), 2.0, 0.98)
        };
        rows.push((path, difference, mean, within));
    };
    row("gAlbedo", target(&dump, "gAlbedo", full, 4, golden::show_rgba8), true);
    row("gNormal", target(&dump, "gNormal", full, 4, golden::show_rgb10a2), true);
    row("gMaterial", target(&dump, "gMaterial", full, 4, golden::show_rgba8), true);
    row("depth", target(&dump, "depth", full, 4, golden::show_depth24), true);
    row("ao", target(&dump, "aoBlur", (640, 360), 1, golden::show_r8), true);
    row("shadow0", target(&dump, "shadow", (1024, 1024), 4, golden::show_depth32), true);
    row("hdr", target(&dump, "hdr", full, 4, golden::show_hdr), false);
    row("frame", Picture::read_png(&shot).unwrap_or_else(|e| panic!("{e}")), false);
    Some(rows)
}

fn assert_golden(frame: u64, least: usize) {
    let Some(rows) = compare_frame(frame) else { return };
    assert!(rows.len() >= least, "only {} pictures were compared", rows.len());
    let mut bad = Vec::new();
    for (name, difference, mean, within) in rows {
        eprintln!("{name}: mean {:.3}/255, {:.3} % within the limit", difference.mean, difference.within * 100.0);
        if difference.mean > mean || difference.within < within {
            bad.push(name);
        }
    }
    assert!(bad.is_empty(), "differ from the golden pictures: {bad:?}");
}

#[test]
fn gpu_frame_0_is_the_golden_one() {
    assert_golden(0, 8);
}

#[test]
fn gpu_frame_45_is_the_golden_one() {
    assert_golden(45, 3);
}

// rows
#[test]
fn gpu_a_replay_is_the_live_picture_and_exports_are_the_same_bytes() {
    let out = folder("replay");
    let (trace, live) = (out.join("island.fgt"), out.join("live.png"));
    let played = run(&[
        "play",
        text(&title()),
        "--headless",
        "--frames",
        "3",
        "--record",
        text(&trace),
        "--screenshot",
        text(&live),
    ]);
    if played.is_none() {
        return;
    }
    let live = std::fs::read(&live).expect("a picture");
    for n in 0..2 {
        let again = out.join(format!("replay-{n}.png"));
        run(&["replay", text(&trace), "--screenshot", text(&again)]);
        assert!(std::fs::read(&again).expect("a picture") == live, "replay {n} differs from the live picture");
    }
    for format in ["json", "ron", "dot", "html"] {
        let files = [0, 1].map(|n| {
            let path = out.join(format!("frame-{n}.{format}"));
            run(&["export", text(&trace), "--frame", "1", "--format", format, "-o", text(&path)]);
            std::fs::read(&path).expect("an export")
        });
        assert!(files[0].len() > 1000, "{format}: {} bytes", files[0].len());
        assert!(files[0] == files[1], "two exports as {format} differ");
    }
    let whole = run(&["trace", "validate", text(&trace)]).expect("no device is needed");
    assert!(whole.contains("3 frames"), "{whole}");
}

// rows: A-023
#[test]
fn gpu_the_overlay_is_drawn_over_a_copy_of_the_picture() {
    let out = folder("overlay");
    let (plain, over) = (out.join("plain.png"), out.join("over.png"));
    let play = |shot: &Path, more: &[&str]| {
        let title = title();
        let mut arguments = vec!["play", text(&title), "--headless", "--frames", "1", "--screenshot", text(shot)];
        arguments.extend_from_slice(more);
        run(&arguments)
    };
    let again = out.join("again.fgt");
    if play(&plain, &[]).is_none() {
        return;
    }
    play(&over, &["--overlay", "--record", text(&again)]);
    let replayed = out.join("replayed.png");
    run(&["replay", text(&again), "--screenshot", text(&replayed)]);
    let read = |path: &Path| Picture::read_png(path).unwrap_or_else(|e| panic!("{e}"));
    let (plain, over, replayed) = (read(&plain), read(&over), read(&replayed));
    let differ = plain.pixels.iter().zip(&over.pixels).filter(|(a, b)| a != b).count();
    assert!(differ > plain.pixels.len() / 4, "the overlay covers part of the picture, not {differ} pixels");
    assert!(plain == replayed, "the picture itself is the same with and without the overlay");
}

/// The stick moves the player, and the camera behind: the picture is another one, and the same one each time.
#[test]
fn gpu_the_player_walks_by_pad_and_a_script_repeats() {
    let out = folder("walk");
    let script = out.join("walk.ron");
    std::fs::write(&script, "[(frame: 0, stick_left: (0.0, 1.0)), (frame: 6, stick_left: (0.0, 0.0))]").expect("file");
    let play = |name: &str, more: &[&str]| {
        let (shot, title) = (out.join(name), title());
        let mut arguments = vec!["play", text(&title), "--headless", "--fixed-step", "--frames", "8", "--screenshot"];
        arguments.push(text(&shot));
        arguments.extend_from_slice(more);
        run(&arguments)?;
        Some(Picture::read_png(&shot).unwrap_or_else(|e| panic!("{e}")))
    };
    let Some(standing) = play("standing.png", &[]) else { return };
    let walking = play("walking.png", &["--input", text(&script)]);
    let moved = walking.as_ref().map(|p| p.pixels.iter().zip(&standing.pixels).filter(|(a, b)| a != b).count());
    assert!(moved > Some(standing.pixels.len() / 5), "{moved:?} pixels of the picture changed");
    assert!(walking == play("again.png", &["--input", text(&script)]), "the same script gives another picture");
}

/// Exit status and message of a call that must fail.
fn fails(arguments: &[&str], status: i32, words: &str) {
    let output = ferrograph(arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {stderr}");
    assert!(stderr.contains(words), "{arguments:?}: {stderr}");
    assert_eq!(stderr.lines().filter(|l| l.starts_with("error:")).count(), 1, "one message: {stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
}

#[test]
fn wrong_input_is_status_2_and_one_message() {
    let out = folder("wrong");
    let file = |name: &str, bytes: &[u8]| {
        let path = out.join(name);
        std::fs::write(&path, bytes).expect("file");
        path
    };
    let dir = |name: &str, main: &[u8], romfs: bool| {
        let path = out.join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(path.join("exefs")).expect("folder");
        std::fs::write(path.join("exefs/main"), main).expect("file");
        std::fs::copy(title().join("exefs/main.npdm"), path.join("exefs/main.npdm")).expect("npdm");
        if romfs {
            std::fs::create_dir_all(path.join("romfs")).expect("folder");
        }
        path
    };
    let good = std::fs::read(title().join("exefs/main")).expect("the title's program");
    fails(&["play", text(&out.join("nowhere"))], 2, "no such folder");
    fails(&["play", text(&dir("no-romfs", &good, false))], 2, "romfs/ is missing");
    fails(&["play", text(&dir("cut", &good[..good.len() / 2], true))], 2, "main");
    fails(&["play", text(&dir("magic", b"NOPE nothing of the kind", true))], 2, "main");
    let mut large = good.clone();
    large[0x18..0x1C].copy_from_slice(&u32::MAX.to_le_bytes());
    fails(&["play", text(&dir("large", &large, true))], 2, "main");
    let mut block = good.clone();
    let middle = block.len() / 2;
    for byte in &mut block[middle..middle + 64] {
        *byte ^= 0xFF;
    }
    fails(&["play", text(&dir("lz4", &block, true))], 2, "main");
    let profile = file("p.ron", b"(title_id: \"0100000000f00000\", name: \"x\", speed: 1)");
    fails(&["play", text(&title()), "--profile", text(&profile)], 2, "speed");
    fails(&["replay", text(&file("random.fgt", &[7; 999]))], 2, "not a trace");
    fails(&["replay", text(&out.join("no.fgt"))], 2, "no.fgt");
    let mut newer = b"FGTRACE\0".to_vec();
    newer.extend_from_slice(&99u32.to_le_bytes());
    newer.extend_from_slice(&[0; 40]);
    fails(&["replay", text(&file("newer.fgt", &newer))], 2, "version 99");
    fails(&["play", text(&title()), "--set", "nothing=1"], 2, "nothing");
}

#[test]
fn no_device_is_status_1_and_one_message() {
    let output = Command::new(env!("CARGO_BIN_EXE_ferrograph"))
        .args(["play", text(&title()), "--headless", "--frames", "1"])
        .env("VK_DRIVER_FILES", "/nonexistent/driver.json")
        .env("VK_ICD_FILENAMES", "/nonexistent/driver.json")
        .output()
        .expect("the program starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("no usable Vulkan device"), "{stderr}");
}
