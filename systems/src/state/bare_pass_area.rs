//! A draw without targets still runs.
//!
//! On Maxwell a draw with neither colour nor depth target runs its fragment program over viewport 0, so that its stores to buffers and images happen. In
//! Vulkan such a pass has no attachment to take its size from: it gets that of viewport 0.
//!
//! Seen as: counters that stay zero.
//! Rows: M-1.14, R-026.  Proof: the unit tests below.  Cost: one look per draw.

use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Subject, Verdict};
use framegraph::ids::{DrawId, StateId};
use framegraph::schedule::Phase;
use framegraph::tables::{Draws, Nodes, States, node_flags};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "bare_pass_area",
    phase: Phase::State,
    kind: Kind::Correctness,
    rows: &["M-1.14", "R-026"],
    after: &["drop_duplicate_attachments", "flip_window_origin"],
    off_means: "a draw without targets does not run",
    knobs: &["M-1.14", "R-026"],
};

/// Fills `bare_area`.
pub fn bare_pass_area(
    switches: Res<Switches>,
    states: Res<States>,
    mut draws: ResMut<Draws>,
    mut nodes: ResMut<Nodes>,
    mut decisions: ResMut<Decisions>,
) {
    let drop = !switches.on(&RULE) || switches.knob("M-1.14") || switches.knob("R-026");
    // Most draws have the targets of the draw before, and some target.
    let mut last = StateId::NONE;
    for draw in 0..draws.len() {
        if draws.targets[draw] == last {
            continue;
        }
        let targets = &states.targets[draws.targets[draw]];
        if targets.depth.is_some() || targets.color.iter().any(Option::is_some) {
            last = draws.targets[draw];
            continue;
        }
        if drop {
            nodes.flags[draws.node[draw].index()] |= node_flags::SKIPPED;
            let subject = Subject::Draw(DrawId(draw as u32));
            decisions.push(RULE.name, subject, Verdict::Skipped, "the draw has no target", []);
            continue;
        }
        let Some(viewport) = states.viewports[draws.viewport[draw]].entries.first() else { continue };
        let [x, y, width, height] = viewport.rect.map(f32::from_bits);
        // An upper-left viewport begins at its last row and has a negative height.
        let end = |at: f32, size: f32| at.max(at + size).clamp(0.0, 16384.0).ceil() as u32;
        draws.bare_area[draw] = [end(x, width).max(1), end(y, height).max(1)];
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Scene;
    use framegraph::tables::node_flags;

    fn run(knobs: &[&str]) -> ([u32; 2], bool) {
        let mut scene = Scene::new(knobs);
        let program = scene.plain_program(0);
        scene.targets(&[], None).bind_program(program).viewport([0.0, 0.0, 16.0, 4.0]).draw().run();
        let skipped = scene.nodes().flags[scene.draws().node[0].index()] & node_flags::SKIPPED != 0;
        (scene.draws().bare_area[0], skipped)
    }

    // rows: M-1.14, R-026
    #[test]
    fn a_draw_without_targets_runs_over_viewport_zero() {
        assert_eq!(run(&[]), ([16, 4], false));
        for knob in ["M-1.14", "R-026"] {
            assert!(run(&[knob]).1, "{knob}");
        }
    }
}
