//! Small frames through phases 4 to 6.

use bevy_ecs::prelude::*;
use framegraph::testing::{decisions_text, plan_text, world};
use systems::schedule::{hazards_to_plan, init};

fn run(text: &str) -> World {
    let mut world = world(text);
    init(&mut world);
    hazards_to_plan().run(&mut world);
    world
}

fn both(world: &World) -> String {
    format!("{}{}", plan_text(world), decisions_text(world))
}

#[test]
fn a_target_is_sampled_in_the_next_pass() {
    let world = run("
        image a RGBA8 64x64
        image b RGBA8 64x64
        pass rt0=a
          clear rt0
          draw
          draw
        pass rt0=b
          draw reads a
        present b
    ");
    insta::assert_snapshot!(both(&world));
}

#[test]
fn decals_read_what_the_pass_wrote() {
    let world = run("
        image albedo RGBA8 64x64
        image normal RGB10A2 64x64
        image depth D24S8 64x64
        image hdr R11G11B10F 64x64
        pass rt0=albedo rt1=normal depth=depth
          clear rt0
          clear rt1
          clear depth
          draw depth=write stencil=write
          draw depth=write stencil=write
          barrier fragments texture
          draw reads normal,depth mask=rgb,- stencil=test
          draw reads normal,depth mask=rgb,- stencil=test
        pass rt0=hdr depth=depth
          draw reads albedo,normal,depth stencil=test
    ");
    insta::assert_snapshot!(both(&world));
}

#[test]
fn a_later_writer_of_what_was_read_begins_a_pass() {
    let world = run("
        image e D32 64x64 layers=4
        pass depth=e@layer1
          draw depth=test reads e
          draw
          draw depth=write
    ");
    assert_eq!(framegraph::verify::verify_world(&world), []);
    insta::assert_snapshot!(both(&world));
}

/// Four clears of four targets, what comes between, and one pass with all four.
fn four_clears(between: &str, last: &str) -> World {
    let images: String = ["a", "b", "c", "d", "e"].map(|name| format!("image {name} RGBA8 64x64\n")).concat();
    let clears: String = ["a", "b", "c", "d"].map(|name| format!("pass rt0={name}\nclear rt0\n")).concat();
    let world = run(&format!("{images}image z D24S8 64x64\n{clears}{between}\n{last}"));
    assert_eq!(framegraph::verify::verify_world(&world), [], "{}", both(&world));
    world
}

const ALL_FOUR: &str = "pass rt0=d rt1=c rt2=b rt3=a\ndraw";

/// Passes of a plan, and clears among the load operations of the last.
fn passes_and_clears(world: &World) -> (usize, usize) {
    let text = plan_text(world);
    let last = text.lines().rfind(|line| line.contains("begin")).unwrap_or_default();
    (text.matches("begin").count(), last.matches("Clear").count() + last.matches("clear").count())
}

// rows: R-031
#[test]
fn passes_of_clears_become_load_operations_of_the_pass_that_uses_their_targets() {
    let world = four_clears("", ALL_FOUR);
    assert_eq!(passes_and_clears(&world), (1, 4), "{}", both(&world));
    insta::assert_snapshot!(both(&world));
    // The second target is copied in between: its clear stays a pass, and the copy sees it.
    let world = four_clears("copy b -> e", ALL_FOUR);
    assert_eq!(passes_and_clears(&world), (2, 3), "{}", both(&world));
    assert!(decisions_text(&world).contains("between them has to see the target cleared"));
    // Work that has to do with none of them is no obstacle, and keeps its place.
    let world = four_clears("clear-image e", ALL_FOUR);
    assert_eq!(passes_and_clears(&world), (1, 4), "{}", both(&world));
    assert!(plan_text(&world).find("begin") > plan_text(&world).find("clear-image"), "{}", plan_text(&world));
}

// rows: R-031
#[test]
fn a_clear_that_somebody_sees_or_that_is_not_whole_stays_a_pass() {
    for (between, last, passes) in [
        ("present c", ALL_FOUR, 2),
        ("pass rt0=e\ndraw reads a", ALL_FOUR, 3),
        ("dispatch stores d", ALL_FOUR, 2),
        // Sampled by a draw of the very pass that attaches it.
        ("", "pass rt0=a rt1=b rt2=c rt3=d\ndraw reads a mask=-,rgba,rgba,rgba", 2),
        ("pass rt0=a\nclear rt0 rect=0,0,8,8", ALL_FOUR, 2),
    ] {
        let world = four_clears(between, last);
        assert_eq!(passes_and_clears(&world).0, passes, "{between}; {last}\n{}", both(&world));
    }
}

// rows: R-031
#[test]
fn clears_of_one_pass_go_on_to_the_passes_that_use_their_targets() {
    let frame = "image a RGBA8 8x8\nimage b RGBA8 8x8\nimage z D24S8 8x8\nbuffer p 64\npass rt0=a rt1=b depth=z\nclear rt1\nclear depth\n\
                 dispatch writes p\npass depth=z\ndraw depth=write\npass rt0=b\ndraw";
    let world = run(frame);
    assert_eq!(framegraph::verify::verify_world(&world), []);
    assert_eq!(plan_text(&world).matches("begin").count(), 2, "{}", both(&world));
    assert_eq!(plan_text(&world).matches(" clear/store").count(), 2, "{}", both(&world));
    // What it only attached is not touched at all.
    assert_eq!(framegraph::testing::layouts_text(&world, "a"), "Undefined");
}

/// Runs a frame with a mutant on.
fn mutant(row: &str, text: &str) -> World {
    let mut world = world(text);
    init(&mut world);
    world.resource_mut::<framegraph::rule::Switches>().set_knob(row, true);
    hazards_to_plan().run(&mut world);
    world
}

/// Each mutant of a row makes the verifier object to a frame that it accepts without.
#[test]
fn the_verifier_objects_to_each_mutant() {
    let frames = [
        ("M-1.9a", "image a RGBA8 8x8\nimage b RGBA8 8x8\npass rt0=a\ndraw\npass rt0=b\ndraw reads a"),
        ("M-1.9b", "image a RGBA8 8x8\npass rt0=a\ndraw\ndraw reads a"),
        ("R-031", "image a RGBA8 8x8\nimage b RGBA8 8x8\npass rt0=a\nclear rt0\ncopy a -> b\npass rt0=a rt1=b\ndraw"),
        ("R-038a", "image a RGBA8 8x8\npass rt0=a\ndraw\ndraw reads a"),
        ("R-038b", "image a RGBA8 8x8\npass rt0=a\ndraw\ndraw reads a stage=vertex"),
        ("R-067", "buffer p 64\nupload p[0..4]\nupload p[0..16]"),
        ("R-068", "buffer p 64 at=1:0\nbuffer q 64 at=1:0\ncopy p[0..16] -> p[16..32]\ncopy q[16..32] -> q[32..48]"),
        ("M-4.1d", "buffer p 64 at=1:0\nbuffer q 64 at=1:0\ncopy p[0..16] -> p[16..32]\ndispatch reads q"),
        ("R-073", "image a RGBA8 8x8\nbuffer p 64\npass rt0=a\ndraw writes p\nbarrier fragments\ndraw writes p"),
        ("M-1.9c", "image a RGBA8 8x8\nbuffer p 64\npass rt0=a\ndraw writes p\nbarrier fragments\ndraw writes p"),
    ];
    for (row, text) in frames {
        assert_eq!(framegraph::verify::verify_world(&run(text)), [], "{row}: without the mutant");
        let world = mutant(row, text);
        let right = run(text);
        // The mutant of the collector hides accesses: its plan is judged by the true ones.
        let mut judged = right;
        judged.insert_resource(world.resource::<framegraph::plan::Plan>().clone());
        let own = framegraph::verify::verify_world(&world);
        let true_accesses = framegraph::verify::verify_world(&judged);
        assert!(!own.is_empty() || !true_accesses.is_empty(), "{row}: nobody objects\n{}", both(&world));
    }
}

#[test]
fn a_barrier_of_the_game_without_stores_does_not_split() {
    let world = run("image a RGBA8 8x8\npass rt0=a\ndraw\nbarrier fragments texture\ndraw");
    assert_eq!(plan_text(&world).matches("begin").count(), 1);
}

/// Two targets that two draws read in different stages, both written by then: the barrier of the one is none for the other.
#[test]
fn each_stage_that_reads_a_target_waits_for_its_writes() {
    let text = "image a RGBA8 64x64\nimage d D24S8 64x64\npass rt0=a depth=d\nclear rt0\nclear depth\n\
                draw stage=vertex reads a\ndraw depth=write reads d";
    let mut world = world(text);
    init(&mut world);
    world.resource_mut::<framegraph::caps::DeviceCaps>().feedback_layout = true;
    hazards_to_plan().run(&mut world);
    assert_eq!(framegraph::verify::verify_world(&world), [], "{}", plan_text(&world));
    assert_eq!(plan_text(&world).matches("self-barrier").count(), 2, "{}", plan_text(&world));
}

#[test]
fn another_level_is_no_loop() {
    let world = run(
        "image a RGBA8 64x64 levels=4\npass rt0=a@level1\ndraw reads a@level0\npass rt0=a@level2\ndraw reads a@level1",
    );
    assert_eq!(decisions_text(&world), "");
    assert_eq!(framegraph::verify::verify_world(&world), []);
    let coarse = mutant("R-038c", "image a RGBA8 64x64 levels=4\npass rt0=a@level1\ndraw reads a@level0");
    assert_ne!(framegraph::testing::layouts_text(&coarse, "a"), "Sampled,Color,Undefined,Undefined");
}

#[test]
fn disjoint_updates_need_no_barrier_and_overlapping_ones_do() {
    assert!(!plan_text(&run("buffer p 64\nupload p[0..4]\nupload p[8..16]")).contains("barrier"));
    assert!(plan_text(&run("buffer p 64\nupload p[0..4]\nupload p[0..16]")).contains("barrier"));
}

#[test]
fn neighbours_join_over_work_that_does_not_matter_to_them() {
    let joined = run("image a RGBA8 8x8\nbuffer p 64\npass rt0=a\ndraw\ndispatch writes p\ndraw");
    assert_eq!(plan_text(&joined).matches("begin").count(), 1);
    let kept = run("image a RGBA8 8x8\nbuffer p 64\npass rt0=a\ndraw\ndispatch reads a writes p\ndraw uniform p");
    assert_eq!(plan_text(&kept).matches("begin").count(), 2);
    assert!(decisions_text(&kept).contains("needs the one and is needed by the other"));
}

#[test]
fn a_clear_in_the_middle_stays_there() {
    let text = "image a RGBA8 8x8\npass rt0=a\ndraw\nclear rt0\ndraw";
    assert_eq!(plan_text(&run(text)).matches("begin").count(), 1);
    let world = mutant("M-1.3d", text);
    assert_eq!(plan_text(&world).matches("begin").count(), 2);
}

#[test]
fn an_export_is_the_same_bytes_and_its_difference_is_words() {
    use framegraph::export::{FrameExport, diff, gather, html};
    let text = "image a RGBA8 8x8\nimage b RGBA8 8x8\npass rt0=a\nclear rt0\ndraw\npass rt0=b\ndraw reads a\npresent b";
    let one = gather(&run(text), 0, 0);
    assert_eq!(one.json().unwrap(), gather(&run(text), 0, 0).json().unwrap());
    assert_eq!(FrameExport::from_json(&one.json().unwrap()).unwrap(), one);
    assert_eq!(ron::from_str::<FrameExport>(&one.ron().unwrap()).unwrap(), one);
    assert_eq!(diff(&one, &one), "");
    let other = gather(&run(&text.replace("draw reads a", "draw")), 0, 0);
    insta::assert_snapshot!("export_diff", diff(&one, &other));
    insta::assert_snapshot!("export_json", one.json().unwrap());
    insta::assert_snapshot!("export_dot", one.dot());
    let page = html(&one).unwrap();
    assert!(!page.contains("/*DATA*/") && !page.contains("http"), "the page holds its data and asks nobody");
    if let Some(path) = std::env::var_os("FRAMEGRAPH_EXPORT_PAGE") {
        std::fs::write(path, page).unwrap();
    }
}
