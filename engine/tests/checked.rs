//! The demo title under the stream checker and the Khronos validation layer: nothing to object to, and both would say so if there were.

#![allow(clippy::print_stdout)] // The long run says what a frame took.

mod program;

use program::{Ran, folder, run, text, title};

/// Figures of a run as it left them.
fn figures(name: &str, frames: u32, more: &[&str]) -> Option<(Ran, serde_json::Value)> {
    let stats = folder("checked").join(format!("{name}.json"));
    let _ = std::fs::remove_file(&stats);
    let (title, frames) = (title(), frames.to_string());
    let mut arguments = vec!["play", text(&title), "--headless", "--fixed-step", "--frames", &frames];
    arguments.extend_from_slice(&["--stats", text(&stats), "--set", "vulkan.validation=true"]);
    arguments.extend_from_slice(more);
    let ran = run(&arguments)?;
    let text = std::fs::read_to_string(&stats).unwrap_or_else(|e| panic!("{}: {e}\n{}", stats.display(), ran.stderr));
    Some((ran, serde_json::from_str(&text).expect("JSON")))
}

fn is_clean(name: &str, frames: u32) {
    let Some((ran, figures)) = figures(name, frames, &["--check"]) else { return };
    println!(
        "{}: {} frames, {:.3} seconds per frame; planted {}; allowed messages: {}",
        figures["device"],
        figures["frames"],
        figures["seconds_per_frame"].as_f64().unwrap_or(0.0),
        figures["planted"],
        figures["validation"]["allowed"]
    );
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert_eq!(figures["frames"], frames);
    assert_eq!(figures["hazards"], 0, "{}", figures["hazard_words"]);
    assert_eq!(figures["validation"]["errors"], 0, "{}", figures["validation"]);
    assert_eq!(figures["validation"]["warnings"], 0, "{}", figures["validation"]);
    // A checker that never objects proves nothing: it was given hazards, and reported each.
    assert!(figures["planted"].as_u64().is_some_and(|n| n > u64::from(frames / 16)), "{}", figures["planted"]);
    assert_eq!(figures["missed"], 0);
}

// rows: A-078
#[test]
fn gpu_eight_frames_are_clean_under_checker_and_layer() {
    is_clean("short", 8);
}

/// 600 frames, or 60 where the driver is the old one.
#[test]
#[ignore = "long: cargo xtask soak"]
fn gpu_a_long_run_is_clean_under_checker_and_layer() {
    let old = std::env::var("FERROGRAPH_TEST_DRIVER").is_ok_and(|driver| driver == "lavapipe-22");
    is_clean("long", if old { 60 } else { 600 });
}

#[test]
fn gpu_a_barrier_that_is_left_out_is_reported() {
    // Barriers of the first frame: one early, one between passes.
    for n in ["3", "30"] {
        let drop = format!("check.drop_barrier={n}");
        let Some((ran, figures)) = figures("dropped", 1, &["--check", "--set", &drop]) else { return };
        assert_eq!(ran.status, Some(1), "barrier {n}: {}", ran.stderr);
        assert!(ran.stderr.contains("the stream checker found"), "barrier {n}: {}", ran.stderr);
        assert!(figures["hazards"].as_u64().is_some_and(|n| n > 0), "barrier {n}: {figures}");
    }
}

// rows: A-078
#[test]
fn gpu_a_message_of_the_layer_fails_the_run_unless_its_knob_only_prints_it() {
    // The layout change that is missing is an error by the layer's own rules. Without --check the layer alone objects.
    let drop = ["--set", "check.drop_barrier=30"];
    let Some((ran, figures)) = figures("layer", 1, &drop) else { return };
    assert!(figures["validation"]["errors"].as_u64().is_some_and(|n| n > 0), "{figures}");
    assert_eq!(ran.status, Some(1), "{}", ran.stderr);
    assert!(ran.stderr.contains("the validation layer reported"), "{}", ran.stderr);
    let mut printed = drop.to_vec();
    printed.extend_from_slice(&["--set", "knob.A-078=true"]);
    let Some((ran, _)) = self::figures("layer-knob", 1, &printed) else { return };
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
}
