use super::*;
use crate::sample;
use framegraph::testing;

fn view_of(world: &bevy_ecs::prelude::World) -> FrameView {
    let mut view = FrameView::new();
    view.begin(7);
    view.add_part(world, 1);
    view.finish();
    view
}

fn unit_named<'a>(view: &'a FrameView, name: &str) -> (u32, &'a UnitView) {
    let found = view.units.iter().enumerate().find(|(_, u)| view.text(u.name) == name);
    let (n, unit) = found.unwrap_or_else(|| panic!("no unit {name:?} in {:?}", names(view)));
    (n as u32, unit)
}

fn names(view: &FrameView) -> Vec<&str> {
    view.units.iter().map(|u| view.text(u.name)).collect()
}

#[test]
fn units_follow_the_plan_and_passes_take_the_games_labels() {
    let view = view_of(&sample::island());
    insta::assert_snapshot!(names(&view).join("\n"));
}

#[test]
fn every_step_of_the_plan_is_shown() {
    let world = sample::island();
    let view = view_of(&world);
    let plan = world.resource::<framegraph::plan::Plan>();
    use framegraph::plan::Step;
    let barriers = plan.steps.iter().filter(|s| matches!(s, Step::Barrier(_) | Step::SelfBarrier(_))).count();
    assert!(barriers > 5, "the sample has barriers to show");
    assert_eq!(view.barriers.len(), barriers);
    assert_eq!(view.transitions.len(), plan.transitions.len());
    // Each barrier is listed by the unit that it names, and by no other.
    let listed: usize = view.units.iter().map(|u| u.barriers.len as usize).sum();
    assert_eq!(listed, barriers);
    for n in 0..view.units.len() as u32 {
        assert!(view.barriers_of(n).iter().all(|b| b.unit == n));
    }
    let ran = plan.steps.iter().filter(|s| matches!(s, Step::Node(_))).count();
    let folded = |n: &&NodeView| n.flags & framegraph::tables::node_flags::FOLDED != 0;
    let (folded, run): (Vec<&NodeView>, Vec<&NodeView>) =
        view.nodes.iter().filter(|n| n.unit != NONE).partition(folded);
    assert_eq!(run.len(), ran);
    assert_eq!(folded.len(), 5, "clears that became load operations belong to their pass");
    assert!(folded.iter().all(|n| view.passes[n.pass as usize].unit == n.unit));
}

#[test]
fn a_cell_joins_what_a_pass_does_to_a_resource() {
    let world = sample::island();
    let view = view_of(&world);
    let normal = view.resource(testing::id(&world, "gNormal")).unwrap();
    let (pass, _) = unit_named(&view, "g-buffer");
    let mut text = String::new();
    let cell = view.cell(normal, pass).unwrap();
    use_words(&mut text, cell.uses, cell.stages);
    assert_eq!(text, "sampled|color-write@fragment");
    let (light, _) = unit_named(&view, "lighting");
    assert_eq!(normal.life, Some((pass, light)));
    assert_eq!(normal.last_writer, pass);
    // Nothing writes it in this frame: what it shows is older.
    assert_eq!(view.resource(testing::id(&world, "tSand")).unwrap().last_writer, NONE);
    // A unit that does not touch it has no cell.
    assert!(view.cell(normal, light + 1).is_none());
}

#[test]
fn decisions_are_found_by_what_they_are_about() {
    let world = sample::island();
    let view = view_of(&world);
    let words = |n: usize| view.text(view.decisions[n].words);
    let pass = view.units[unit_named(&view, "water").0 as usize].pass;
    let about: Vec<_> = view.decisions_about(About::Pass(pass)).map(words).collect();
    assert_eq!(
        about,
        [
            "not merged into pass 5: a copy reads its target between them",
            "depth is not stored: nobody reads it again in this frame"
        ]
    );
    let buffer = view.units[unit_named(&view, "g-buffer").0 as usize].pass;
    let of_draws: Vec<_> =
        view.decisions_about(About::Pass(buffer)).map(|n| view.text(view.decisions[n].about)).collect();
    assert_eq!(of_draws, ["draw 15, colour 2", "draw 17", "draw 16, texture 0 of Fragment"]);
    assert_eq!(view.decisions_about(About::PassAlone(buffer)).count(), 0);
    let wave = testing::id(&world, "waveA");
    let about: Vec<_> = view.decisions_about(About::Resource(wave)).map(words).collect();
    assert_eq!(about, ["never cleared by the game: starts as zero"]);
}

#[test]
fn reasons_are_the_words_of_the_decision() {
    let world = sample::island();
    let view = view_of(&world);
    let rows = world.resource::<framegraph::decision::Decisions>().rows();
    assert_eq!(view.decisions.len(), rows.len());
    for (shown, row) in view.decisions.iter().zip(rows) {
        let words = view.text(shown.words);
        let mut wanted = row.words();
        for value in &row.evidence {
            if let framegraph::decision::Evidence::Resource(id) = value {
                wanted = wanted.replace(&format!("resource {}", id.0), view.resource_name(*id));
            }
        }
        assert_eq!(words, wanted);
    }
    let quotes = |d: &DecisionView| view.text(d.words).contains("reads gNormal while");
    assert!(view.decisions.iter().any(quotes), "resources are named");
}

#[test]
fn parts_of_a_frame_are_joined() {
    let mut world = testing::world("image a RGBA8 64x64\nimage b RGBA8 64x64\npass rt0=a\nclear rt0\ndraw\n");
    sample::plan(&mut world);
    let mut view = FrameView::new();
    view.begin(0);
    view.add_part(&world, 10);
    testing::next_part(&mut world, "pass rt0=b\ndraw reads a\npass rt0=a\ndraw");
    world.resource_mut::<framegraph::pass::PassPool>().live = 0;
    sample::plan(&mut world);
    view.add_part(&world, 11);
    view.finish();
    assert_eq!(names(&view), ["a", "b", "a #2"]);
    assert_eq!(view.parts.iter().map(|p| p.serial).collect::<Vec<_>>(), [10, 11]);
    let a = view.resource(testing::id(&world, "a")).unwrap();
    assert_eq!(a.life, Some((0, 2)));
    assert_eq!(view.resources.len(), 2);
    // Times come back by the part's serial; one of a part that is not shown changes nothing.
    view.set_gpu_time(11, PassId(0), 100, 350);
    view.set_gpu_time(9, PassId(0), 0, 9_999);
    view.set_gpu_time(11, PassId(9), 0, 9_999);
    assert_eq!(view.gpu_total(), 250);
    assert_eq!(view.passes[view.units[1].pass as usize].gpu, Some((100, 350)));
    let mut text = String::new();
    view.node_name(view.nodes.len() as u32 - 1, &mut text);
    assert_eq!(text, "draw 1 of part 1");
}

#[test]
fn a_world_without_tables_adds_nothing() {
    let mut view = FrameView::new();
    view.begin(0);
    view.add_part(&bevy_ecs::prelude::World::new(), 1);
    view.finish();
    assert!(view.parts.is_empty() && view.units.is_empty());
    assert_eq!(view.counters.iter().find(|c| c.name == "draws").unwrap().value, 0);
}

#[test]
fn gathering_again_grows_nothing() {
    let world = sample::island();
    let mut view = view_of(&world);
    let sizes = |v: &FrameView| {
        [
            v.arena.capacity(),
            v.nodes.capacity(),
            v.draws.capacity(),
            v.cells.capacity(),
            v.decisions.capacity(),
            v.accesses.capacity(),
            v.units.capacity(),
            v.resource_rows.capacity(),
        ]
    };
    let before = sizes(&view);
    for n in 0..10 {
        view.begin(n);
        view.add_part(&world, n);
        view.finish();
    }
    assert_eq!(sizes(&view), before);
}

#[test]
fn a_large_frame_is_gathered_in_little_time() {
    // 100 passes of 30 draws.
    let mut text = String::new();
    for n in 0..100 {
        text += &format!("image t{n} RGBA8 64x64\n");
    }
    text += "buffer b 65536\n";
    for n in 0..100 {
        text += &format!("pass rt0=t{n}\n");
        for _ in 0..30 {
            text += &format!("draw reads t{} uniform b[0..256]\n", (n + 99) % 100);
        }
    }
    let mut world = testing::world(&text);
    framegraph::pass::PassPool::reserve(&mut world, 128);
    sample::plan(&mut world);
    let mut view = view_of(&world);
    let mut best = std::time::Duration::MAX;
    for n in 0..20 {
        let start = std::time::Instant::now();
        view.begin(n);
        view.add_part(&world, n);
        view.finish();
        best = best.min(start.elapsed());
    }
    assert_eq!((view.draws.len(), view.units.len()), (3_000, 100));
    eprintln!("{} draws, {} accesses: gathered in {best:?}", view.draws.len(), view.accesses.len());
    assert!(best < std::time::Duration::from_millis(20), "{best:?}");
}

#[test]
fn counters_count_what_runs() {
    let world = sample::island();
    let mut view = view_of(&world);
    let value = |view: &FrameView, name: &str| view.counters.iter().find(|c| c.name == name).unwrap().value;
    assert_eq!(value(&view, "passes"), u64::from(world.resource::<framegraph::pass::PassPool>().live));
    assert_eq!(value(&view, "dispatches"), 2);
    assert_eq!(value(&view, "decisions"), 9);
    // The wave pass alone: 256 × 256 texels of 4 bytes, loaded and stored.
    let pass = view.passes[unit_named(&view, "waves").1.pass as usize];
    assert_eq!(pass.traffic, 256 * 256 * 4 * 2);
    let counter = CounterView { name: "pipelines made", value: 3, unit: CounterUnit::Count, budget: Some(0) };
    view.set_counters([counter]);
    view.set_counters([CounterView { value: 4, ..counter }]);
    assert_eq!(view.counters.iter().filter(|c| c.name == "pipelines made").map(|c| c.value).collect::<Vec<_>>(), [4]);
}

#[test]
fn rules_show_their_switch_and_how_often_they_decided() {
    let world = sample::island();
    let mut view = view_of(&world);
    let mut switches = Switches::default();
    switches.set_rule("merge_passes", false);
    view.set_rules(sample::RULES, &switches);
    let merge = view.rules.iter().find(|r| r.name == "merge_passes").unwrap();
    assert!(!merge.on);
    assert_eq!(merge.decisions, 2);
    assert!(view.rules.iter().find(|r| r.name == "lower_clears").unwrap().on);
}

#[test]
fn history_keeps_the_last_frames() {
    let mut history = CounterHistory::default();
    for n in 0..HISTORY as u64 + 5 {
        history.push(&[CounterView { name: "draws", value: n, unit: CounterUnit::Count, budget: None }]);
    }
    let values: Vec<u64> = history.values("draws").collect();
    assert_eq!(values.len(), HISTORY);
    assert_eq!((values[0], values[HISTORY - 1]), (5, HISTORY as u64 + 4));
    assert_eq!(history.values("nothing").count(), 0);
}

#[test]
fn numbers_are_written_for_people() {
    let text = |f: &dyn Fn(&mut String)| {
        let mut text = String::new();
        f(&mut text);
        text
    };
    assert_eq!(text(&|t| count(t, 1_234_567)), "1\u{2009}234\u{2009}567");
    assert_eq!(text(&|t| count(t, 999)), "999");
    assert_eq!(text(&|t| size_words(t, 4096)), "4.0 KiB");
    assert_eq!(text(&|t| seconds(t, 4_560_000)), "4.56 ms");
    assert_eq!(text(&|t| use_words(t, 0, 0)), "nothing");
}
