//! Plans of transfers in one batch and of draws that read their own targets: with each row's rule the verifier and an executor with incoherent caches agree
//! with command order, with the row's mutant they do not.

use bevy_ecs::prelude::*;
use framegraph::caps::DeviceCaps;
use framegraph::interpret::{hostile, in_order};
use framegraph::rule::Switches;
use framegraph::tables::{FeedbackLoops, FeedbackPlan};
use framegraph::testing::{plan_text, world};
use framegraph::verify::verify_world;
use systems::schedule::{hazards_to_plan, init};

fn planned(text: &str, knob: Option<&str>, feedback_layout: bool) -> World {
    let mut world = world(text);
    init(&mut world);
    world.resource_mut::<DeviceCaps>().feedback_layout = feedback_layout;
    if let Some(row) = knob {
        world.resource_mut::<Switches>().set_knob(row, true);
    }
    hazards_to_plan().run(&mut world);
    world
}

/// Whether the plan computes what command order computes, for several orders of what it leaves unordered.
fn holds(world: &World) -> bool {
    let right = in_order(world);
    (0..8).all(|seed| hostile(world, seed) == right)
}

const BUFFERS: &str = "buffer p 64\nbuffer q 64\nbuffer r 64\n";

// rows: R-067
#[test]
fn transfers_of_one_batch_give_what_one_after_another_gives() {
    let ordered = [
        "upload p[0..4]\nupload p[0..16]",
        "upload p[0..16]\nupload p[0..4]",
        "upload p[0..16]\ncopy p[0..4] -> q[0..4]",
        "copy p[0..4] -> q[0..4]\nupload p[0..16]",
        "copy p[0..16] -> q[0..16]\ncopy q[8..24] -> r[0..16]",
        "copy p[0..16] -> q[0..16]\ncopy r[0..16] -> p[8..24]",
        "copy p[0..16] -> q[0..16]\ncopy r[0..16] -> q[15..31]",
    ];
    for text in ordered {
        let text = format!("{BUFFERS}{text}");
        let world = planned(&text, None, true);
        assert_eq!(verify_world(&world), [], "{text}");
        assert!(holds(&world), "{text}\n{}", plan_text(&world));
        assert_eq!(plan_text(&world).matches("barrier").count(), 1, "{text}\n{}", plan_text(&world));
        let world = planned(&text, Some("R-067"), true);
        assert_ne!(verify_world(&world), [], "{text}: the verifier lets the mutant pass");
        // A write that overtakes a read is the verifier's alone to find: the reader's cache still holds the old bytes.
        let overtakes = text.contains("q[0..4]\nupload p") || text.contains("r[0..16] -> p");
        assert!(overtakes || !holds(&world), "{text}: the executor lets the mutant pass\n{}", plan_text(&world));
    }
    let apart = [
        "upload p[0..4]\nupload p[4..16]",
        "upload p[0..4]\nupload q[0..4]",
        "copy p[0..16] -> q[0..16]\ncopy p[0..16] -> q[16..32]",
        "copy p[0..16] -> q[0..16]\ncopy p[8..24] -> r[0..16]",
        "upload p[0..16]\ncopy p[16..32] -> q[0..16]",
    ];
    for text in apart {
        let world = planned(&format!("{BUFFERS}{text}"), None, true);
        assert_eq!(verify_world(&world), [], "{text}");
        assert!(holds(&world), "{text}");
        assert_eq!(plan_text(&world).matches("barrier").count(), 0, "{text}\n{}", plan_text(&world));
    }
}

// rows: R-067
#[test]
fn many_small_updates_under_large_ones_leave_the_large() {
    let text = format!("{BUFFERS}{}", "upload p[0..4]\nupload p[0..16]\n".repeat(200));
    let world = planned(&text, None, true);
    assert_eq!(verify_world(&world), []);
    assert!(holds(&world));
    assert!(!holds(&planned(&text, Some("R-067"), true)));
}

fn plans(world: &World) -> Vec<FeedbackPlan> {
    world.resource::<FeedbackLoops>().rows.iter().map(|row| row.plan).collect()
}

// rows: R-038a
#[test]
fn a_draw_that_reads_its_target_sees_it_as_it_was() {
    let written = "image a RGBA8 64x64\nimage b RGBA8 64x64\npass rt0=a rt1=b\nclear rt0\ndraw reads a\ndraw reads a";
    // The draw does not write what it reads: a pass of its own, in which the target is only read.
    let kept = "image a RGBA8 64x64\nimage b RGBA8 64x64\npass rt0=a rt1=b\ndraw\ndraw mask=-,rgba reads a";
    let depth =
        "image a RGBA8 64x64\nimage d D24S8 64x64\npass rt0=a depth=d\ndraw depth=write\ndraw depth=test reads d";
    for (text, layout, plan) in [
        (written, true, FeedbackPlan::Layout),
        (written, false, FeedbackPlan::Snapshot),
        (kept, true, FeedbackPlan::Split),
        (kept, false, FeedbackPlan::Split),
        (depth, true, FeedbackPlan::Split),
    ] {
        let world = planned(text, None, layout);
        assert_eq!(verify_world(&world), [], "{text}\n{}", plan_text(&world));
        assert!(holds(&world), "{text}\n{}", plan_text(&world));
        let found = plans(&world);
        assert!(!found.is_empty() && found.iter().all(|p| *p == plan), "{text}: {found:?}");
        if plan == FeedbackPlan::Snapshot {
            let copies = plan_text(&world).lines().filter(|line| line.trim().starts_with("copy ")).count();
            assert_eq!(copies, found.len(), "{}", plan_text(&world));
        }
        let naive = planned(text, Some("R-038a"), layout);
        assert!(plans(&naive).iter().all(|p| *p == FeedbackPlan::Naive));
        assert_ne!(verify_world(&naive), [], "{text}: the verifier lets the mutant pass");
    }
}

// rows: R-038b
#[test]
fn each_kind_of_binding_counts() {
    let kinds = [
        // The fragment stage by a texture, which the mutant finds too.
        ("image a RGBA8 64x64\npass rt0=a\ndraw\ndraw reads a", true),
        ("image a RGBA8 64x64\npass rt0=a\ndraw\ndraw reads a stage=vertex", false),
        // A storage image.
        ("image a RGBA8 64x64\npass rt0=a\ndraw\ndraw stores a", false),
        // Another description of the target's storage.
        ("image a RGBA8 8x8 at=7:0+256\nimage b RG16F 8x8 at=7:0+256\npass rt0=a\ndraw\ndraw reads b", false),
        // Depth, by a stage that is not the fragment's.
        ("image d D32 64x64\npass depth=d\ndraw depth=write\ndraw depth=test reads d stage=vertex", false),
    ];
    for (text, also_by_mutant) in kinds {
        let world = planned(text, None, true);
        assert_eq!(plans(&world).len(), 1, "{text}");
        assert_eq!(verify_world(&world), [], "{text}\n{}", plan_text(&world));
        assert!(holds(&world), "{text}\n{}", plan_text(&world));
        let mutant = planned(text, Some("R-038b"), true);
        assert_eq!(plans(&mutant).len(), usize::from(also_by_mutant), "{text}");
    }
    // Another level or layer is none.
    for text in [
        "image a RGBA8 64x64 levels=4\npass rt0=a@level1\ndraw\ndraw reads a@level0",
        "image e D32 64x64 layers=4\npass depth=e@layer1\ndraw depth=write\ndraw depth=test reads e@layer0",
    ] {
        assert_eq!(plans(&planned(text, None, true)), [], "{text}");
    }
}
