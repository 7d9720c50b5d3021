//! One place decides which way up everything is.
//!
//! By default the window origin of the API is lower left: clip space y = -1 is row 0 of memory, of every target, the window's textures included, and rows are
//! turned round when a window texture is presented. That is the host's own rule too, so that nothing is turned: a viewport of positive height. Only the *name*
//! of a winding changes, since the API looks at rows upwards and the host downwards: counter-clockwise with y up is clockwise to the host. In upper-left mode
//! y = +1 is row 0: the viewport turns over inside its rectangle and the winding keeps its name. Scissors count memory rows in both modes.
//!
//! Seen as: mirrored reflections; models turned inside out.
//! Rows: M-1.15a, M-1.15b, R-039a.  Proof: scenes/origin.rs.  Cost: one pass over runs of draws.

use super::rescale_depth_bias::DrawBias;
use super::shader_store::{ShaderStore, traits};
use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Subject, Verdict};
use framegraph::ids::DrawId;
use framegraph::schedule::Phase;
use framegraph::state::{AttachmentSet, Cull, FillMode, RasterState, Viewport, ViewportState};
use framegraph::tables::{Draws, Nodes, States, node_flags};
use nvn_decode::raw::{RawPart, RawRaster, RawViewports};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "flip_window_origin",
    phase: Phase::State,
    kind: Kind::Correctness,
    rows: &["M-1.15a", "M-1.15b", "R-039a"],
    after: &["normalise_depth_state", "rescale_depth_bias"],
    off_means: "row 0 of memory is the top of every picture, as on the host's other APIs",
    knobs: &["M-1.15a", "M-1.15b", "R-039a"],
};

/// Largest extent of a target.
const WHOLE: i32 = 16384;

/// Whether row 0 of memory is the bottom of the picture.
#[must_use]
pub fn lower_left(origin: u32, switches: &Switches) -> bool {
    origin == 0 && switches.on(&RULE) && !switches.knob("M-1.15a") && !switches.knob("R-039a")
}

/// Fills `viewport` and `raster` of each draw.
pub fn flip_window_origin(
    raw: Res<RawPart>,
    store: Res<ShaderStore>,
    switches: Res<Switches>,
    bias: Res<DrawBias>,
    mut states: ResMut<States>,
    mut draws: ResMut<Draws>,
    mut nodes: ResMut<Nodes>,
    mut decisions: ResMut<Decisions>,
) {
    let some_select = store.any_set_has(traits::WRITES_VIEWPORT);
    let draws = &mut *draws;
    for (run, used) in raw.runs() {
        let held = &raw.raster[used.raster as usize];
        let lower = lower_left(held.origin, &switches);
        let mut first = run.start;
        // Nearly always all draws of a run have the same viewports and the same bias.
        while first < run.end {
            let selects =
                |draw: usize| some_select && store.set(raw.draw_sets[draw]).traits & traits::WRITES_VIEWPORT != 0;
            let (selected, biased) = (selects(first), bias.0[first]);
            let same = |draw: &usize| bias.0[*draw] == biased && selects(*draw) == selected;
            let end = (first + 1..run.end).find(|draw| !same(draw)).unwrap_or(run.end);
            let set = &states.targets[draws.targets[first]];
            let entries = if selected { 16 } else { 1 };
            let rects = &raw.viewports[used.viewports as usize];
            let seen = viewports(rects, entries, lower, set, switches.knob("M-1.15b"));
            let [_, _, width, height] = seen.entries[0].rect.map(f32::from_bits);
            let mut state = raster_state(held, lower, set.samples);
            state.bias = biased;
            draws.viewport[first..end].fill(states.viewports.intern(&seen));
            draws.raster[first..end].fill(states.raster.intern(&state));
            if width == 0.0 || height == 0.0 {
                for draw in first..end {
                    nodes.flags[draws.node[draw].index()] |= node_flags::SKIPPED;
                    let subject = Subject::Draw(DrawId(draw as u32));
                    decisions.push(RULE.name, subject, Verdict::Skipped, "viewport 0 is empty", []);
                }
            }
            first = end;
        }
    }
}

fn viewports(raw: &RawViewports, entries: usize, lower: bool, targets: &AttachmentSet, mirror: bool) -> ViewportState {
    let sizes = targets.color.iter().flatten().chain(&targets.depth).map(|attachment| attachment.extent);
    let size = sizes.reduce(|a, b| [a[0].min(b[0]), a[1].min(b[1])]);
    let entry = |n: usize| {
        let [x, y, width, height] = if raw.viewports_set >> n & 1 != 0 {
            raw.rects[n].rect
        } else {
            let [width, height] = size.unwrap_or_default();
            [0.0, 0.0, width as f32, height as f32]
        };
        let rect = if lower { [x, y, width, height] } else { [x, y + height, width, -height] };
        let mut scissor = if raw.scissors_set >> n & 1 != 0 { raw.scissors[n].rect } else { [0, 0, WHOLE, WHOLE] };
        if mirror && let Some([_, rows]) = size {
            scissor[1] = rows as i32 - scissor[1] - scissor[3];
        }
        Viewport {
            rect: rect.map(f32::to_bits),
            depth: [raw.depth[n].near, raw.depth[n].far].map(|depth| depth.clamp(0.0, 1.0).to_bits()),
            scissor: clip_to_host(scissor),
        }
    };
    ViewportState { entries: (0..entries).map(entry).collect() }
}

/// A scissor without negative offset or size.
fn clip_to_host([x, y, width, height]: [i32; 4]) -> [i32; 4] {
    let cut = |at: i32, size: i32| {
        let first = at.clamp(0, WHOLE);
        let end = at.saturating_add(size).clamp(first, WHOLE);
        (first, end - first)
    };
    let ((x, width), (y, height)) = (cut(x, width), cut(y, height));
    [x, y, width, height]
}

fn raster_state(raw: &RawRaster, lower: bool, samples: u8) -> RasterState {
    let counter_clockwise = raw.polygon.front == 1;
    RasterState {
        cull: match raw.polygon.cull {
            1 => Cull::Front,
            2 => Cull::Back,
            3 => Cull::Both,
            _ => Cull::None,
        },
        front_clockwise: counter_clockwise == lower,
        fill: match raw.polygon.mode {
            0 => FillMode::Point,
            1 => FillMode::Line,
            _ => FillMode::Fill,
        },
        bias: None,
        discard: raw.discard,
        samples: samples.max(1),
        sample_mask: raw.sample_mask,
        alpha_to_coverage: raw.multisample.alpha_to_coverage != 0 && samples > 1,
        line_width: raw.line_width.to_bits(),
        last_vertex_provokes: false,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Scene;
    use nvn_decode::record::{Op, PolygonState};

    /// Viewport rectangle, scissor and whether clockwise is front.
    fn run(knobs: &[&str], origin: u32) -> ([f32; 4], [i32; 4], bool) {
        let mut scene = Scene::new(knobs);
        scene.device(origin, 1);
        let program = scene.plain_program(0xF);
        scene.targets(&[Scene::texture(0, 0x25, 8, 8)], None).bind_program(program);
        scene.viewport([0.0, 2.0, 8.0, 4.0]).scissor([0, 0, 8, 2]);
        scene.cmd(Op::BindPolygon, &PolygonState { cull: 2, front: 1, mode: 2, offset_enables: 0 }).draw().run();
        let viewport = scene.states().viewports[scene.draws().viewport[0]].entries[0];
        let raster = scene.states().raster[scene.draws().raster[0]];
        (viewport.rect.map(f32::from_bits), viewport.scissor, raster.front_clockwise)
    }

    // rows: M-1.15a, R-039a
    #[test]
    fn lower_left_turns_nothing_but_the_name_of_the_winding() {
        assert_eq!(run(&[], 0), ([0.0, 2.0, 8.0, 4.0], [0, 0, 8, 2], true));
        for knob in ["M-1.15a", "R-039a"] {
            assert_eq!(run(&[knob], 0), ([0.0, 6.0, 8.0, -4.0], [0, 0, 8, 2], false), "{knob}");
        }
    }

    // rows: M-1.15a, R-039a
    #[test]
    fn upper_left_turns_over_inside_the_viewport() {
        assert_eq!(run(&[], 1), ([0.0, 6.0, 8.0, -4.0], [0, 0, 8, 2], false));
    }

    // rows: M-1.15b
    #[test]
    fn scissors_count_memory_rows_in_both_modes() {
        assert_eq!(run(&[], 0).1, run(&[], 1).1);
        assert_eq!(run(&["M-1.15b"], 0).1, [0, 6, 8, 2]);
    }

    #[test]
    fn scissors_without_sense_are_cut() {
        assert_eq!(super::clip_to_host([-4, -4, 10, 2]), [0, 0, 6, 0]);
        assert_eq!(super::clip_to_host([i32::MIN, 5, i32::MAX, i32::MAX]), [0, 5, 0, super::WHOLE - 5]);
    }
}
