//! Random frames through phases 4 to 6: the verifier agrees, an executor with incoherent caches computes what command order computes, and every barrier of a
//! plan is needed.

use bevy_ecs::prelude::*;
use framegraph::caps::DeviceCaps;
use framegraph::interpret::{hostile, in_order};
use framegraph::plan::{Plan, Step};
use framegraph::rule::Switches;
use framegraph::testing::{next_part, plan_text, world};
use framegraph::verify::verify_world;
use proptest::prelude::*;
use systems::schedule::{hazards_to_plan, init};

const RESOURCES: &str = "
    image a RGBA8 64x64
    image b RGBA8 64x64
    image c RGBA8 64x64 levels=4
    image d D24S8 64x64
    image e D32 64x64 layers=4
    image f RGBA8 64x64 3d=4
    buffer p 256
    buffer q 256
    image g RGBA8 8x8 at=7:0+256
    image h RG16F 8x8 at=7:128+256
    buffer r 1024 at=7:0
";

const TARGETS: [&str; 10] = [
    "pass rt0=a",
    "pass rt0=b",
    "pass rt0=a rt1=b depth=d",
    "pass rt0=a depth=d",
    "pass rt0=c@level0",
    "pass rt0=c@level1",
    "pass depth=e@layer1",
    "pass depth=d",
    "pass rt0=g",
    "pass rt0=h",
];
const SAMPLED: [&str; 12] = ["a", "b", "c", "c@level0", "c@level2", "d", "e", "e@layer1", "e@layer3", "f", "g", "h"];
const BYTES: [&str; 7] = ["p", "p[0..64]", "p[32..96]", "q", "q[128..256]", "r[0..128]", "r[300..400]"];

fn one(list: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    prop::sample::select(list)
}

fn draw() -> impl Strategy<Value = String> {
    (
        prop::collection::vec(one(&SAMPLED), 0..3),
        prop::option::weighted(0.15, one(&BYTES)),
        prop::option::weighted(0.3, one(&BYTES)),
        prop::sample::select(vec!["", "mask=-", "mask=rgb,-", "mask=-,rgba"]),
        prop::sample::select(vec!["", "depth=test", "depth=write", "depth=write stencil=write"]),
        prop::sample::select(vec!["", "stage=vertex"]),
    )
        .prop_map(|(reads, writes, uniform, mask, depth, stage)| {
            let mut line = format!("draw {mask} {depth} {stage}");
            if !reads.is_empty() {
                line += &format!(" reads {}", reads.join(","));
            }
            if let Some(bytes) = writes {
                line += &format!(" writes {bytes}");
            }
            if let Some(bytes) = uniform {
                line += &format!(" uniform {bytes}");
            }
            // Without a barrier the game leaves the order of stores and loads open, and there is nothing to compare.
            if writes.is_some() { format!("barrier fragments shader\n{line}\nbarrier fragments shader") } else { line }
        })
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (one(&TARGETS), prop::collection::vec(draw(), 1..4)).prop_map(|(t, d)| format!("{t}\n{}", d.join("\n"))),
        3 => draw(),
        1 => Just("clear-image a".to_owned()),
        2 => (one(&TARGETS), 1u8..4, prop::sample::select(vec!["", " rect=0,0,8,8", " mask=rgb"])).prop_map(|(t, which, how)| {
            let slots = ["rt0", "rt1", "depth"].into_iter().filter(|slot| t.contains(&format!("{slot}=")));
            let chosen = slots.enumerate().filter(|(n, _)| *n == 0 || which >> (n - 1) & 1 == 1);
            chosen.fold(t.to_owned(), |text, (_, slot)| format!("{text}\nclear {slot}{how}"))
        }),
        2 => (prop::collection::vec(one(&SAMPLED), 0..2), one(&BYTES), prop::option::of(one(&BYTES))).prop_map(
            |(reads, writes, uniform)| {
                let mut line = format!("dispatch writes {writes}");
                if !reads.is_empty() {
                    line += &format!(" reads {}", reads.join(","));
                }
                if let Some(bytes) = uniform {
                    line += &format!(" uniform {bytes}");
                }
                line
            }
        ),
        1 => prop::sample::select(vec![
            "dispatch stores a", "dispatch stores c@level1 reads c@level0", "copy a -> b", "copy b -> a", "copy c@level0 -> a",
            "copy p -> q", "copy p[0..64] -> p[128..192]", "copy r[0..128] -> q[0..128]", "upload p[0..64]", "upload a", "upload c@level1",
            "download b", "download q", "present a", "signal", "copy e@layer1 -> e@layer2",
        ])
        .prop_map(str::to_owned),
        2 => prop::sample::select(vec![
            "barrier fragments texture", "barrier primitives shader", "barrier texture", "barrier tiles",
        ])
        .prop_map(str::to_owned),
    ]
}

fn frame() -> impl Strategy<Value = String> {
    prop::collection::vec(line(), 1..14).prop_map(|lines| format!("pass rt0=a\n{}", lines.join("\n")))
}

fn check(world: &mut World) -> Result<(), TestCaseError> {
    let objections = verify_world(world);
    prop_assert!(
        objections.is_empty(),
        "{}\n{:#?}",
        plan_text(world),
        objections.iter().map(ToString::to_string).collect::<Vec<_>>()
    );
    let expected = in_order(world);
    for seed in 0..6 {
        let got = hostile(world, seed);
        prop_assert_eq!(&got, &expected, "seed {}:\n{}", seed, plan_text(world));
    }
    Ok(())
}

fn each_barrier_is_needed(world: &mut World) -> Result<(), TestCaseError> {
    let plan = world.resource::<Plan>().clone();
    for at in 0..plan.steps.len() {
        if matches!(plan.steps[at], Step::Barrier(_) | Step::SelfBarrier(_)) {
            let mut steps = plan.steps.clone();
            steps.remove(at);
            world.insert_resource(Plan { steps, ..plan.clone() });
            prop_assert!(!verify_world(world).is_empty(), "step {at} is not needed:\n{}", {
                world.insert_resource(plan.clone());
                plan_text(world)
            });
        }
    }
    world.insert_resource(plan);
    Ok(())
}

/// Plans two parts in a row and checks each.
fn check_parts(first: &str, second: &str, feedback_layout: bool, merge: bool, fold: bool) -> Result<(), TestCaseError> {
    let mut world = world(&format!("{RESOURCES}\n{first}"));
    init(&mut world);
    world.resource_mut::<DeviceCaps>().feedback_layout = feedback_layout;
    world.resource_mut::<Switches>().set_rule("merge_passes", merge);
    world.resource_mut::<Switches>().set_rule("fold_lazy_clears", fold);
    let mut schedule = hazards_to_plan();
    schedule.run(&mut world);
    check(&mut world)?;
    each_barrier_is_needed(&mut world)?;
    next_part(&mut world, second);
    schedule.run(&mut world);
    check(&mut world)?;
    each_barrier_is_needed(&mut world)
}

/// The same frames each time, or as many others as the environment says: `cargo xtask soak` asks for many.
fn frames(cases: u32) -> ProptestConfig {
    let given = ProptestConfig::default();
    if std::env::var_os("PROPTEST_CASES").is_some() {
        given
    } else {
        ProptestConfig { cases, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..given }
    }
}

proptest! {
    #![proptest_config(frames(300))]

    #[test]
    fn fuzz_a_plan_gives_what_command_order_gives(
        first in frame(),
        second in frame(),
        feedback_layout in any::<bool>(),
        merge in any::<bool>(),
        fold in any::<bool>(),
    ) {
        check_parts(&first, &second, feedback_layout, merge, fold)?;
    }
}

/// A write waits for readers of earlier parts with its writes alone: a dispatch that also reads what it writes needs no barrier where an earlier one
/// covers its writes.
#[test]
fn a_write_that_reads_too_waits_for_earlier_readers_only_once() -> Result<(), TestCaseError> {
    let first = "pass rt0=a\nclear rt0";
    let second = "
        pass rt0=a
        draw writes p
        barrier fragments shader
        draw uniform p
        pass rt0=a depth=d
        draw reads c
        barrier fragments shader
        draw depth=write writes p
        barrier fragments shader
        dispatch writes p reads c
        dispatch writes q
    ";
    check_parts(first, second, false, false, false)
}

/// A barrier by region serves the kinds of read that it names: a draw that reads in another stage needs one of its own, even of what was written before
/// the first.
#[test]
fn a_feedback_read_in_another_stage_gets_a_barrier_of_its_own() -> Result<(), TestCaseError> {
    let first = "
        pass rt0=a rt1=b depth=d
        draw mask=rgb,- depth=write
        draw mask=- depth=write stage=vertex reads d
        draw reads a
    ";
    check_parts(first, "pass rt0=a\ndraw", true, false, false)
}

/// A draw reads its target before it writes it: its read in the vertex stage has to see the target's layout, which only its writes waited for.
#[test]
fn a_feedback_read_waits_for_the_layout_that_its_own_write_waits_for() -> Result<(), TestCaseError> {
    let first = "
        pass depth=d
        draw reads e
        pass rt0=c@level1
        draw mask=rgb,- reads c
        pass rt0=c@level0
        draw mask=rgb,- stage=vertex reads c@level0
        pass rt0=a
        draw reads c
    ";
    check_parts(first, "pass rt0=a\ndraw", true, false, false)
}

/// A dispatch that writes a buffer and reads a part of it: who writes the other part next has no reader to wait for.
#[test]
fn a_write_waits_for_readers_of_the_same_bytes_alone() -> Result<(), TestCaseError> {
    let first = "
        pass rt0=a
        dispatch stores a
        dispatch writes q uniform q[128..256]
        clear-image a
        copy r[0..128] -> q[0..128]
    ";
    check_parts(first, "pass rt0=a\ndraw", false, false, false)
}

/// A draw that reads what an earlier draw of its pass wrote has that draw to wait for, and no earlier part.
#[test]
fn a_read_of_what_its_own_pass_wrote_waits_for_no_earlier_part() -> Result<(), TestCaseError> {
    let first = "
        pass rt0=a
        dispatch writes p reads c
        pass rt0=g
        draw mask=rgb,- reads g
    ";
    let second = "
        pass rt0=a rt1=b depth=d
        clear rt0
        pass rt0=a
        clear rt0
        pass rt0=g
        draw mask=rgb,-
        draw reads g
    ";
    check_parts(first, second, true, false, false)
}
