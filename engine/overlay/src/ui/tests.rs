//! The interface without a window: what it says, and what a click asks for.

use super::*;
use crate::input::headless;
use crate::model::{CounterUnit, CounterView};
use crate::sample;
use egui::{Event, PointerButton, Pos2, RawInput, Rect, Shape, pos2};
use framegraph::ids::PassId;
use framegraph::rule::Switches;

struct Screen {
    ctx: egui::Context,
    view: FrameView,
    history: CounterHistory,
    state: UiState,
    texts: Vec<(String, Rect)>,
    time: f64,
}

impl Screen {
    fn new() -> Self {
        let world = sample::island();
        let mut view = FrameView::new();
        view.begin(45);
        view.add_part(&world, 1);
        view.finish();
        view.set_rules(sample::RULES, &Switches::default());
        view.set_gpu_time(1, PassId(0), 0, 120_000);
        view.set_gpu_time(1, PassId(3), 200_000, 1_450_000);
        view.set_counters([CounterView {
            name: "pipelines made",
            value: 3,
            unit: CounterUnit::Count,
            budget: Some(0),
        }]);
        let mut history = CounterHistory::default();
        history.push(&view.counters);
        let mut screen =
            Self { ctx: egui::Context::default(), view, history, state: UiState::new(), texts: Vec::new(), time: 0.0 };
        for _ in 0..3 {
            screen.run(Vec::new());
        }
        screen
    }

    fn run(&mut self, events: Vec<Event>) {
        self.time += 1.0 / 60.0;
        let input = RawInput { events, ..headless([1280, 720], self.time) };
        let (view, history, state) = (&self.view, &self.history, &mut self.state);
        let output = self.ctx.run(input, |ctx| show(ctx, view, history, state));
        self.texts.clear();
        for shape in &output.shapes {
            texts(&shape.shape, shape.clip_rect, &mut self.texts);
        }
    }

    fn tab(&mut self, tab: Tab) {
        self.state.tab = tab;
        for _ in 0..3 {
            self.run(Vec::new());
        }
    }

    fn all(&self) -> String {
        self.texts.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>().join("\n")
    }

    fn at(&self, text: &str) -> Pos2 {
        let found = self.texts.iter().find(|(t, _)| t == text);
        found.unwrap_or_else(|| panic!("{text:?} is not shown:\n{}", self.all())).1.center()
    }

    fn click_at(&mut self, pos: Pos2) {
        let button = |pressed| Event::PointerButton {
            pos,
            button: PointerButton::Primary,
            pressed,
            modifiers: Default::default(),
        };
        self.run(vec![Event::PointerMoved(pos)]);
        self.run(vec![button(true)]);
        self.run(vec![button(false)]);
        self.run(Vec::new());
    }

    fn click(&mut self, text: &str) {
        self.click_at(self.at(text));
    }

    fn shows(&self, text: &str) -> bool {
        self.texts.iter().any(|(t, _)| t.contains(text))
    }
}

/// Texts that can be seen, with their places.
fn texts(shape: &Shape, clip: Rect, into: &mut Vec<(String, Rect)>) {
    match shape {
        Shape::Vec(shapes) => shapes.iter().for_each(|s| texts(s, clip, into)),
        Shape::Text(text) => {
            let rect = shape.visual_bounding_rect();
            if clip.intersects(rect) && !text.galley.text().is_empty() {
                into.push((text.galley.text().to_owned(), rect));
            }
        }
        _ => {}
    }
}

#[test]
fn the_grid_names_every_pass_and_resource() {
    let screen = Screen::new();
    insta::assert_snapshot!(screen.all());
}

#[test]
fn a_cell_of_the_grid_selects_its_pass_and_resource() {
    let mut screen = Screen::new();
    screen.state.full = true;
    screen.run(Vec::new());
    screen.run(Vec::new());
    let row = screen.at("gNormal");
    let heads: Vec<Rect> = screen.texts.iter().filter(|(t, _)| t == "lighting").map(|(_, r)| *r).collect();
    let column = heads[0].center();
    screen.click_at(pos2(column.x, row.y));
    let actions = screen.state.take_actions();
    let light = screen.view.units.iter().position(|u| screen.view.text(u.name) == "lighting").unwrap() as u32;
    let normal = screen.view.resources.iter().find(|r| screen.view.text(r.name) == "gNormal").unwrap().id;
    assert_eq!(actions, [Action::SelectResource(normal), Action::SelectUnit(light)]);
    assert!(screen.shows("written by"), "the resource's facts are beside the grid");
    assert!(screen.shows("Barriers before it"), "and the pass's barriers");
    assert!(!screen.state.thumbnails().is_empty(), "its attachments are pictures");
}

#[test]
fn a_pass_shows_draws_state_operations_and_reasons() {
    let mut screen = Screen::new();
    let unit = screen.view.units.iter().position(|u| screen.view.text(u.name) == "g-buffer").unwrap() as u32;
    let view = std::mem::take(&mut screen.view);
    screen.state.select_unit(&view, unit);
    screen.view = view;
    screen.state.full = true;
    screen.tab(Tab::Pass);
    for words in [
        "clear 0 0 0 0 \u{2192} store",
        "cull back, front ccw",
        "outputs not written: kept rgb",
        "feedback: ",
        "load operation: \u{201c}g-buffer\u{201d} clear gAlbedo to 0 0 0 0",
    ] {
        assert!(screen.shows(words), "{words:?} is missing:\n{}", screen.all());
    }
    // The row of the list; the same words stand beside its decision on the right.
    let row = screen.texts.iter().filter(|(t, _)| t == "draw 17").map(|(_, r)| r.center());
    let row = row.min_by(|a, b| a.x.total_cmp(&b.x)).unwrap();
    screen.click_at(row);
    assert!(screen.shows("reads gNormal while it is attached: the feedback layout"), "{}", screen.all());
    assert!(screen.shows("fragment 0: gNormal as Rgb10A2Unorm D2"), "{}", screen.all());
    let node = screen.state.selected_node(&screen.view).unwrap();
    assert_eq!(screen.view.nodes[node as usize].id.0, 17);
}

#[test]
fn a_resource_shows_its_picture_and_its_accesses_over_the_frame() {
    let mut screen = Screen::new();
    let id = screen.view.resources.iter().find(|r| screen.view.text(r.name) == "shadow").unwrap().id;
    screen.state.select_resource(id);
    screen.tab(Tab::Resource);
    let requests = screen.state.thumbnails();
    assert_eq!(requests.len(), 1);
    assert_eq!(
        requests[0].key,
        ThumbnailKey { resource: id, level: 0, layer: 0, aspect: Aspects::DEPTH },
        "a depth image shows its depth"
    );
    assert_eq!(requests[0].channels, 1);
    assert!(screen.shows("Depth \u{2192} Sampled"), "layout changes are listed:\n{}", screen.all());
    assert!(screen.shows("sampled@fragment"), "{}", screen.all());
    assert!(screen.shows("4 layers"), "{}", screen.all());
}

#[test]
fn a_click_on_a_rule_asks_for_its_switch() {
    let mut screen = Screen::new();
    screen.tab(Tab::Rules);
    screen.click("merge_passes");
    assert_eq!(screen.state.take_actions(), [Action::SetRule("merge_passes", false)]);
    // The switch is the engine's: it is shown off once the engine says so.
    let mut switches = Switches::default();
    switches.set_rule("merge_passes", false);
    screen.view.set_rules(sample::RULES, &switches);
    screen.run(Vec::new());
    screen.click("merge_passes");
    assert_eq!(screen.state.take_actions(), [Action::SetRule("merge_passes", true)]);
    screen.click("turn all 1 on again");
    assert_eq!(screen.state.take_actions(), [Action::SetRule("merge_passes", true)]);
}

#[test]
fn plumbing_has_no_switch() {
    let mut screen = Screen::new();
    screen.tab(Tab::Rules);
    screen.click("build_dependencies");
    assert_eq!(screen.state.take_actions(), []);
}

#[test]
fn freeze_step_and_export() {
    let mut screen = Screen::new();
    screen.click("Step");
    assert_eq!(screen.state.take_actions(), [], "a running game has no steps");
    screen.click("Freeze");
    assert_eq!(screen.state.take_actions(), [Action::Freeze(true)]);
    screen.click("Step");
    assert_eq!(screen.state.take_actions(), [Action::Step]);
    screen.click("Freeze");
    assert_eq!(screen.state.take_actions(), [Action::Freeze(false)]);
    screen.click("Export");
    screen.click("json");
    assert_eq!(screen.state.take_actions(), [Action::ExportFrame(ExportFormat::Json)]);
    screen.click("\u{d7}");
    assert_eq!(screen.state.take_actions(), [Action::Close]);
}

#[test]
fn the_search_narrows_decisions() {
    let mut screen = Screen::new();
    screen.tab(Tab::Decisions);
    insta::assert_snapshot!(screen.all());
    screen.state.search = "ZERO".into();
    screen.run(Vec::new());
    assert!(screen.shows("never cleared by the game"));
    assert!(!screen.shows("not merged into pass"));
    // A verdict that is switched off is not listed.
    screen.state.search.clear();
    screen.click("refused");
    assert!(!screen.shows("not merged into pass"));
    assert!(screen.shows("never cleared by the game"));
}

#[test]
fn a_decision_leads_to_its_subject() {
    let mut screen = Screen::new();
    screen.tab(Tab::Decisions);
    screen.click("draw 17");
    assert_eq!(screen.state.tab, Tab::Pass);
    let node = screen.state.selected_node(&screen.view).unwrap();
    assert_eq!(screen.view.nodes[node as usize].id.0, 17);
}

#[test]
fn a_counter_above_its_budget_is_marked() {
    let mut screen = Screen::new();
    screen.state.full = true;
    screen.tab(Tab::Counters);
    assert!(screen.shows("attachment traffic"));
    assert!(screen.shows("pipelines made"));
    assert!(screen.shows("238.4 MiB"), "the budget is shown:\n{}", screen.all());
}

#[test]
fn the_flame_graph_is_there() {
    let mut screen = Screen::new();
    screen.tab(Tab::Flame);
    assert!(screen.texts.len() > 5, "{}", screen.all());
}

#[test]
fn a_selection_is_found_again_in_the_next_frame() {
    let mut screen = Screen::new();
    let water = screen.view.units.iter().position(|u| screen.view.text(u.name) == "water").unwrap() as u32;
    let view = std::mem::take(&mut screen.view);
    screen.state.select_unit(&view, water);
    let mut next = FrameView::new();
    next.begin(46);
    next.add_part(&sample::island(), 2);
    next.finish();
    // As if a pass before it were gone.
    next.units.remove(2);
    screen.state.rebind(&next);
    assert_eq!(screen.state.selected_unit(), Some(water - 1));
    next.units.clear();
    screen.state.rebind(&next);
    assert_eq!(screen.state.selected_unit(), None);
}

#[test]
fn an_empty_view_and_a_tiny_window_do_no_harm() {
    let mut screen = Screen::new();
    screen.view = FrameView::new();
    for tab in Tab::ALL {
        screen.tab(tab);
        screen.click_at(pos2(400.0, 500.0));
    }
    // A window so small that the panel has no room for a single row.
    let mut screen = Screen::new();
    for tab in Tab::ALL {
        screen.state.tab = tab;
        for size in [[40, 30], [300, 120], [1280, 720]] {
            screen.ctx.begin_pass(headless(size, 1.0));
            show(&screen.ctx, &screen.view, &screen.history, &mut screen.state);
            let _ = screen.ctx.end_pass();
        }
    }
    assert!(contains("Shadow Map", "shadow") && !contains("a", "ab") && contains("", ""));
}
