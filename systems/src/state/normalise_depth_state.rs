//! Depth and stencil, as a PC driver takes them.
//!
//! On Maxwell one device setting says whether near is -w or zero; one switch both clamps depth and stops clipping at near and far; depth is written only while
//! the test is on; near may exceed far. Vulkan has the same abilities under other names (a clip range flag, clamp and clip apart), and depth state without
//! a depth target means nothing.
//!
//! Seen as: everything at half depth; shadow casters behind the near plane that vanish.
//! Rows: M-1.5a, M-1.5b, M-1.6a, R-044.  Proof: the unit tests below.  Cost: one pass over runs of draws.

use super::compare;
use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use framegraph::caps::DeviceCaps;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::{DrawId, StateId};
use framegraph::schedule::Phase;
use framegraph::state::{Aspects, DepthState, StencilFace, StencilOp};
use framegraph::tables::{Draws, States};
use nvn_decode::raw::{RawDepth, RawPart};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "normalise_depth_state",
    phase: Phase::State,
    kind: Kind::Plumbing,
    rows: &["M-1.5a", "M-1.5b", "M-1.6a", "R-044"],
    after: &["resolve_target_state", "drop_duplicate_attachments"],
    off_means: "cannot be off",
    knobs: &["M-1.5a", "M-1.5b", "M-1.6a", "R-044"],
};

/// Fills `depth` of each draw.
pub fn normalise_depth_state(
    raw: Res<RawPart>,
    caps: Res<DeviceCaps>,
    switches: Res<Switches>,
    mut states: ResMut<States>,
    mut draws: ResMut<Draws>,
    mut decisions: ResMut<Decisions>,
) {
    let mut last: Option<((u32, Aspects), StateId)> = None;
    for (run, used) in raw.runs() {
        let (draw, row) = (run.start, used.depth);
        // All draws of a run have the same targets.
        let attached = &states.targets[draws.targets[draw]].depth;
        let aspects = attached.as_ref().map_or(Aspects::NONE, |attachment| attachment.view.part.aspects);
        if let Some((key, state)) = last
            && key == (row, aspects)
        {
            draws.depth[run].fill(state);
            continue;
        }
        let mut state = depth_state(&raw.depth[row as usize], aspects);
        if switches.knob("M-1.5a") || switches.knob("M-1.5b") {
            state.minus_one_to_one = false;
        }
        if switches.knob("M-1.6a") || switches.knob("R-044") {
            state.clamp = false;
        }
        if state.clamp && !caps.depth_clamp {
            state.clamp = false;
            let text = "depth is clipped, not clamped: the device cannot clamp";
            decisions.push(RULE.name, Subject::Draw(DrawId(draw as u32)), Verdict::Degraded, text, []);
        }
        if let Some(bounds) = state.bounds
            && !caps.depth_bounds
        {
            state.bounds = None;
            let text = "no depth bounds test ({0} to {1}): the device has none";
            let evidence = bounds.map(Evidence::Float);
            decisions.push(RULE.name, Subject::Draw(DrawId(draw as u32)), Verdict::Degraded, text, evidence);
        }
        let id = states.depth.intern(&state);
        last = Some(((row, aspects), id));
        draws.depth[run].fill(id);
    }
}

fn depth_state(raw: &RawDepth, aspects: Aspects) -> DepthState {
    let has_depth = aspects.intersects(Aspects::DEPTH);
    let tests = has_depth && raw.state.depth_test != 0;
    let stencils = aspects.intersects(Aspects::STENCIL) && raw.state.stencil_test != 0;
    let face = |n: usize, ops: [u32; 3]| StencilFace {
        compare: compare(raw.state.stencil_func[n]),
        fail: stencil_op(ops[0]),
        depth_fail: stencil_op(ops[1]),
        pass: stencil_op(ops[2]),
        reference: raw.reference[n] as u8,
        compare_mask: raw.value_mask[n] as u8,
        write_mask: raw.write_mask[n] as u8,
    };
    DepthState {
        test: tests.then(|| compare(raw.state.depth_func)),
        write: tests && raw.state.depth_write != 0,
        stencil: stencils.then(|| [face(0, raw.state.front_ops), face(1, raw.state.back_ops)]),
        clamp: raw.clamp,
        minus_one_to_one: raw.depth_mode == 0,
        bounds: (has_depth && raw.bounds.enable != 0).then(|| [raw.bounds.min.to_bits(), raw.bounds.max.to_bits()]),
    }
}

fn stencil_op(number: u32) -> StencilOp {
    match number {
        2 => StencilOp::Zero,
        3 => StencilOp::Replace,
        4 => StencilOp::IncrementClamp,
        5 => StencilOp::DecrementClamp,
        6 => StencilOp::Invert,
        7 => StencilOp::IncrementWrap,
        8 => StencilOp::DecrementWrap,
        _ => StencilOp::Keep,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Scene;
    use framegraph::state::{Compare, DepthState};
    use nvn_decode::record::{DepthStencilState, Op};

    fn run(knobs: &[&str], depth_mode: u32, attach: bool) -> DepthState {
        let mut scene = Scene::new(knobs);
        scene.device(0, depth_mode);
        let program = scene.plain_program(0);
        let state = DepthStencilState { depth_test: 1, depth_write: 1, depth_func: 4, ..Default::default() };
        scene.targets(&[], attach.then(|| Scene::texture(0, 0x34, 64, 64))).bind_program(program);
        scene.cmd(Op::BindDepthStencil, &state).cmd(Op::SetDepthClamp, &1_u32).draw().run();
        scene.states().depth[scene.draws().depth[0]]
    }

    // rows: M-1.5a, M-1.5b
    #[test]
    fn the_depth_mode_of_the_device_decides_the_clip_range() {
        assert!(run(&[], 0, true).minus_one_to_one);
        assert!(!run(&[], 1, true).minus_one_to_one);
        for knob in ["M-1.5a", "M-1.5b"] {
            assert!(!run(&[knob], 0, true).minus_one_to_one, "{knob}");
        }
    }

    // rows: M-1.6a, R-044
    #[test]
    fn one_switch_clamps() {
        assert!(run(&[], 1, true).clamp);
        for knob in ["M-1.6a", "R-044"] {
            assert!(!run(&[knob], 1, true).clamp, "{knob}");
        }
    }

    #[test]
    fn without_a_depth_target_nothing_is_tested() {
        let with = run(&[], 1, true);
        assert_eq!((with.test, with.write), (Some(Compare::LessEqual), true));
        let without = run(&[], 1, false);
        assert_eq!((without.test, without.write), (None, false));
    }
}
