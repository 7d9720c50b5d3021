//! Unwritten outputs keep the texel.
//!
//! On Maxwell a colour target keeps its old texel in every component that the fragment program's output map does not name, even with blending on. In Vulkan
//! such a component receives an undefined value. So the effective write mask of a target is its channel mask narrowed to the components that the program
//! writes, and a target left with no component neither writes nor blends. This rule also turns the raw blend registers into a blend state.
//!
//! Seen as: lighting that flickers in the alpha of a G-buffer target; coloured noise that bloom spreads.
//! Rows: M-1.1a, M-1.1b, R-042.  Proof: the unit tests below.  Cost: one pass over draws, 4 bytes each.

use super::compare;
use super::shader_store::ShaderStore;
use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::{DrawId, StateId};
use framegraph::schedule::Phase;
use framegraph::state::{BlendFactor, BlendOp, BlendState, Compare, TargetBlend, WriteMask};
use framegraph::tables::{Draws, States};
use nvn_decode::raw::{RawBlend, RawPart};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "mask_unwritten_outputs",
    phase: Phase::State,
    kind: Kind::Correctness,
    rows: &["M-1.1a", "M-1.1b", "R-042"],
    after: &["resolve_target_state"],
    off_means: "the channel mask is used as the game set it",
    knobs: &["M-1.1a", "M-1.1b", "R-042"],
};

/// Narrows each draw's write masks to what its fragment program stores, and fills `blend`.
pub fn mask_unwritten_outputs(
    raw: Res<RawPart>,
    store: Res<ShaderStore>,
    switches: Res<Switches>,
    mut states: ResMut<States>,
    mut draws: ResMut<Draws>,
    mut decisions: ResMut<Decisions>,
) {
    let narrow = switches.on(&RULE) && !switches.knob("M-1.1a") && !switches.knob("R-042");
    let whole_targets = switches.knob("M-1.1b");
    let mut last: Option<(u32, WriteMask, StateId)> = None;
    let draws = &mut *draws;
    for (run, used) in raw.runs() {
        let (first, row) = (run.start, used.blend);
        // All draws of a run have the same targets and the same channel masks.
        let targets = &states.targets[draws.targets[first]];
        let attached = (0..8).filter(|n| targets.color[*n].is_some()).fold(0, |bits, n| bits | 0xF << (4 * n));
        let asked = draws.write_mask[first] & attached;
        let columns = draws.write_mask[run.clone()].iter_mut().zip(&mut draws.blend[run.clone()]);
        for (n, (set, (write_mask, blend))) in raw.draw_sets[run].iter().zip(columns).enumerate() {
            let id = DrawId((first + n) as u32);
            // Without a fragment program nothing is written.
            let mut written = store.set(*set).output_map;
            if whole_targets {
                written = (0..8).filter(|n| written >> (4 * n) & 0xF != 0).fold(0, |bits, n| bits | 0xF << (4 * n));
            }
            let mask = if narrow { asked & written } else { asked };
            for slot in if mask == asked { 0..0 } else { 0..8 } {
                let (before, after) = (asked >> (4 * slot) & 0xF, mask >> (4 * slot) & 0xF);
                if before != after {
                    let text = "mask {0} (was {1}: outputs not written)";
                    let evidence = [Evidence::Mask(after as u8), Evidence::Mask(before as u8)];
                    decisions.push(RULE.name, Subject::Target(id, slot), Verdict::Changed, text, evidence);
                }
            }
            *write_mask = mask;
            *blend = match last {
                Some((known, last_mask, state)) if (known, last_mask) == (row, mask) => state,
                _ => {
                    let raw = &raw.blend[row as usize];
                    if let Some(mode) = raw.targets.iter().map(|target| target.advanced).find(|mode| *mode != 0) {
                        let text = "advanced blend mode {0} is not carried out: the plain factors are used";
                        let evidence = [Evidence::Number(i64::from(mode))];
                        decisions.push(RULE.name, Subject::Draw(id), Verdict::Degraded, text, evidence);
                    }
                    if compare(raw.color.alpha_test) != Compare::Always {
                        let text = "the alpha test is not carried out: every fragment passes";
                        decisions.push(RULE.name, Subject::Draw(id), Verdict::Degraded, text, []);
                    }
                    states.blend.intern(&blend_state(raw, mask))
                }
            };
            last = Some((row, mask, *blend));
        }
    }
}

fn blend_state(raw: &RawBlend, mask: WriteMask) -> BlendState {
    let mut state = BlendState {
        constant: raw.constant.map(f32::to_bits),
        alpha_test: (compare(raw.color.alpha_test), raw.alpha_ref.to_bits()),
        // Copy is no operation at all.
        logic_op: Some(raw.color.logic_op as u8).filter(|op| *op != 3 && *op < 16),
        ..BlendState::default()
    };
    if state.alpha_test.0 == Compare::Always {
        state.alpha_test.1 = 0;
    }
    for (n, (to, from)) in state.targets.iter_mut().zip(&raw.targets).enumerate() {
        let enabled = raw.color.blend_enable >> n & 1 != 0 && mask >> (4 * n) & 0xF != 0;
        if enabled {
            let [src, dst, src_alpha, dst_alpha] = from.factors.map(factor);
            let [color_op, alpha_op] = from.equations.map(equation);
            *to = TargetBlend { enabled, color: (src, dst), color_op, alpha: (src_alpha, dst_alpha), alpha_op };
        }
    }
    state
}

fn factor(number: u32) -> BlendFactor {
    match number {
        1 => BlendFactor::Zero,
        3 => BlendFactor::SrcColor,
        4 => BlendFactor::OneMinusSrcColor,
        5 => BlendFactor::SrcAlpha,
        6 => BlendFactor::OneMinusSrcAlpha,
        7 => BlendFactor::DstAlpha,
        8 => BlendFactor::OneMinusDstAlpha,
        9 => BlendFactor::DstColor,
        10 => BlendFactor::OneMinusDstColor,
        11 => BlendFactor::SrcAlphaSaturate,
        16 => BlendFactor::Src1Color,
        17 => BlendFactor::OneMinusSrc1Color,
        18 => BlendFactor::Src1Alpha,
        19 => BlendFactor::OneMinusSrc1Alpha,
        0x61 => BlendFactor::ConstantColor,
        0x62 => BlendFactor::OneMinusConstantColor,
        0x63 => BlendFactor::ConstantAlpha,
        0x64 => BlendFactor::OneMinusConstantAlpha,
        _ => BlendFactor::One,
    }
}

fn equation(number: u32) -> BlendOp {
    match number {
        2 => BlendOp::Subtract,
        3 => BlendOp::ReverseSubtract,
        4 => BlendOp::Min,
        5 => BlendOp::Max,
        _ => BlendOp::Add,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Scene;
    use framegraph::state::{BlendFactor, TargetBlend};
    use nvn_decode::record::{BlendTarget, ColorState, Op};

    /// Mask and blend of a draw with two targets, blending on.
    fn run(knobs: &[&str], outputs: u32) -> (u32, [bool; 2], Vec<String>) {
        let mut scene = Scene::new(knobs);
        let program = scene.plain_program(outputs);
        let targets = [Scene::texture(0, 0x25, 64, 64), Scene::texture(0x10000, 0x25, 64, 64)];
        scene.targets(&targets, None).bind_program(program);
        scene.cmd(Op::BindColor, &ColorState { blend_enable: 3, logic_op: 3, alpha_test: 8 }).draw().run();
        let blend = &scene.states().blend[scene.draws().blend[0]];
        let enabled = [blend.targets[0].enabled, blend.targets[1].enabled];
        (scene.draws().write_mask[0], enabled, scene.decided(super::RULE.name))
    }

    // rows: M-1.1a, R-042
    #[test]
    fn a_target_that_the_program_does_not_write_neither_writes_nor_blends() {
        let (mask, enabled, decided) = run(&[], 0x0F);
        assert_eq!((mask, enabled), (0x0F, [true, false]));
        assert_eq!(decided, ["Changed: mask none (was rgba: outputs not written)"]);
        for knob in ["M-1.1a", "R-042"] {
            assert_eq!(run(&[knob], 0x0F).0, 0xFF, "{knob}");
        }
    }

    // rows: M-1.1b
    #[test]
    fn a_program_that_writes_rgb_leaves_alpha_alone() {
        let (mask, _, decided) = run(&[], 0xF7);
        assert_eq!(mask, 0xF7);
        assert_eq!(decided, ["Changed: mask rgb (was rgba: outputs not written)"]);
        assert_eq!(run(&["M-1.1b"], 0xF7).0, 0xFF);
    }

    #[test]
    fn factors_are_the_games_own() {
        let mut scene = Scene::new(&[]);
        let program = scene.plain_program(0xF);
        scene.targets(&[Scene::texture(0, 0x25, 8, 8)], None).bind_program(program);
        scene.cmd(Op::BindColor, &ColorState { blend_enable: 1, logic_op: 3, alpha_test: 8 });
        let state = BlendTarget { target: 0, factors: [5, 6, 2, 1], equations: [1, 1], advanced: 0 };
        scene.cmd(Op::BindBlend, &state).draw().run();
        let blend = &scene.states().blend[scene.draws().blend[0]];
        let expected = TargetBlend {
            enabled: true,
            color: (BlendFactor::SrcAlpha, BlendFactor::OneMinusSrcAlpha),
            alpha: (BlendFactor::One, BlendFactor::Zero),
            ..TargetBlend::default()
        };
        assert_eq!(blend.targets[0], expected);
        assert_eq!(blend.logic_op, None);
    }
}
