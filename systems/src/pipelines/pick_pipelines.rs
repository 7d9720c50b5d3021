//! The pipeline of each draw, from its final state.
//!
//! On Maxwell state is set piece by piece and means what it means when the draw comes. A PC driver compiles state into a pipeline. After passes are final a
//! draw's key is made: the variants of its stages, vertex layout, blending, depth, rasteriser, the formats of its targets, topology, restart. The last vertex of
//! a primitive provokes, as on the console; Vulkan's default is the first. Restart compares the raw index with the value that the game set, while Vulkan knows
//! the all-ones index of each width alone: another value is refused here, with a decision.
//!
//! Seen as: flat colours that jump by one triangle; strips that run together.
//! Rows: M-5.1, M-5.2a, M-5.4, M-5.8, M-1.8.  Proof: the unit tests below.  Cost: one key per draw, hashed where it differs from the one before.

use crate::rule::{Kind, Rule, Switches};
use crate::state::shader_store::{ShaderStore, traits};
use bevy_ecs::prelude::*;
use framegraph::caps::DeviceCaps;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::{DrawId, NodeId, StateId};
use framegraph::plan::{ComputePipelines, Pipelines};
use framegraph::schedule::Phase;
use framegraph::state::{Aspects, AttachmentSet, Format, PipelineKey, Stage, TargetFormats, Topology};
use framegraph::tables::{
    Dispatches, DrawCall, Draws, FeedbackLoops, FeedbackPlan, IndexType, Nodes, States, node_flags,
};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "pick_pipelines",
    phase: Phase::Pipelines,
    kind: Kind::Plumbing,
    rows: &["M-5.1", "M-5.4", "M-5.8", "M-1.8"],
    after: &["specialise_shader_keys"],
    off_means: "cannot be off",
    knobs: &["M-5.1"],
};

/// Fills `pipeline` of each draw and dispatch.
pub fn pick_pipelines(
    switches: Res<Switches>,
    caps: Res<DeviceCaps>,
    store: Res<ShaderStore>,
    loops: Res<FeedbackLoops>,
    mut states: ResMut<States>,
    mut draws: ResMut<Draws>,
    mut dispatches: ResMut<Dispatches>,
    mut nodes: ResMut<Nodes>,
    mut pipelines: ResMut<Pipelines>,
    mut compute: ResMut<ComputePipelines>,
    mut decisions: ResMut<Decisions>,
) {
    let last_provokes = !switches.knob("M-5.1") && caps.last_vertex_provokes;
    let mut last_raster: Option<((StateId, bool), StateId)> = None;
    let mut last_formats: Option<(StateId, StateId)> = None;
    for draw in 0..draws.len() {
        let node = draws.node[draw].index();
        if nodes.flags[node] & node_flags::SKIPPED != 0 {
            continue;
        }
        let subject = Subject::Draw(DrawId(draw as u32));
        let topology = draws.topology[draw];
        if matches!(topology, Topology::Quads | Topology::QuadStrip | Topology::Polygon | Topology::LineLoop)
            || (topology == Topology::TriangleFan && !caps.triangle_fans)
        {
            nodes.flags[node] |= node_flags::SKIPPED;
            decisions.push(RULE.name, subject, Verdict::Skipped, "the device has no such primitive", []);
            continue;
        }
        // Where nothing is flat no vertex provokes: such draws keep the host's own order, in which its rounding is the usual one.
        let fragment = draws.programs[draw][Stage::Fragment as usize];
        let provokes = last_provokes && store.facts(fragment).is_some() && !store.has(fragment, traits::NO_FLAT_INPUTS);
        let from = (draws.raster[draw], provokes);
        let raster = match last_raster {
            Some((known, to)) if known == from => to,
            _ => {
                let mut state = states.raster[draws.raster[draw]];
                state.last_vertex_provokes = provokes;
                states.raster.intern(&state)
            }
        };
        last_raster = Some((from, raster));
        let formats = match last_formats {
            Some((from, to)) if from == draws.targets[draw] => to,
            _ => {
                let formats = formats_of(&states.targets[draws.targets[draw]]);
                states.formats.intern(&formats)
            }
        };
        last_formats = Some((draws.targets[draw], formats));
        let restart = draws.restart[draw].is_some_and(|index| {
            let own = all_ones(&draws.call[draw]);
            if own != Some(index) {
                let text = "no restart: index {0} is not the one that the device restarts at";
                decisions.push(RULE.name, subject, Verdict::Degraded, text, [Evidence::Bits(u64::from(index))]);
            }
            own == Some(index)
        });
        let feedback = if nodes.flags[node] & node_flags::FEEDBACK != 0 {
            feedback_aspects(&loops, draws.node[draw])
        } else {
            Aspects::NONE
        };
        draws.pipeline[draw] = pipelines.intern(PipelineKey {
            shaders: draws.shaders[draw],
            vertex: draws.vertex[draw],
            blend: draws.blend[draw],
            depth: draws.depth[draw],
            raster,
            formats,
            write_mask: draws.write_mask[draw],
            topology,
            restart,
            patch_points: draws.patch_points[draw],
            feedback,
        });
    }
    for dispatch in &mut dispatches.rows {
        if dispatch.variant == 0 {
            continue;
        }
        let known = compute.variants.iter().position(|variant| *variant == dispatch.variant);
        dispatch.pipeline = known.unwrap_or_else(|| {
            compute.variants.push(dispatch.variant);
            compute.variants.len() - 1
        }) as u32;
    }
}

/// The aspects of its own targets that a draw reads through the feedback layout.
fn feedback_aspects(loops: &FeedbackLoops, node: NodeId) -> Aspects {
    let rows = loops.rows.iter().filter(|row| row.node == node && row.plan == FeedbackPlan::Layout);
    Aspects(rows.fold(0, |bits, row| {
        let color = if row.slots & 0xFF != 0 { Aspects::COLOR.0 } else { 0 };
        let depth = if row.slots & 0x100 != 0 { Aspects::DEPTH_STENCIL.0 } else { 0 };
        bits | color | depth
    }))
}

fn formats_of(set: &AttachmentSet) -> TargetFormats {
    TargetFormats {
        color: set.color.map(|slot| slot.map_or(Format::Undefined, |attachment| attachment.view.format)),
        depth: set.depth.map_or(Format::Undefined, |attachment| attachment.view.format),
        samples: set.samples.max(1),
    }
}

/// The all-ones index of the draw's width.
fn all_ones(call: &DrawCall) -> Option<u32> {
    let kind = match call {
        DrawCall::Elements { index_type, .. } => *index_type,
        DrawCall::Indirect { indices: Some((_, index_type)), .. } => *index_type,
        _ => return None,
    };
    Some(match kind {
        IndexType::U8 => 0xFF,
        IndexType::U16 => 0xFFFF,
        IndexType::U32 => u32::MAX,
    })
}

#[cfg(test)]
mod tests {
    use crate::state::shader_store::StageFacts;
    use crate::testing::Scene;
    use framegraph::plan::{Pipelines, Plan, Step};
    use framegraph::state::{PipelineKey, Stage};
    use nvn_decode::record::{Draw, Op, PrimitiveRestart};

    fn run(knobs: &[&str], index: u32) -> (PipelineKey, bool, Vec<String>) {
        let mut scene = Scene::new(knobs);
        let program = scene.plain_program(0xF);
        scene.targets(&[Scene::texture(0x10000, 0x25, 8, 8)], None).bind_program(program);
        scene.cmd(Op::SetPrimitiveRestart, &PrimitiveRestart { enable: 1, index });
        let draw = Draw {
            indices: Scene::address(0, 0),
            primitive: 5,
            index_type: 2,
            count: 9,
            instances: 1,
            ..Draw::default()
        };
        scene.cmd(Op::Draw, &draw).cmd(Op::Draw, &draw).run();
        assert_eq!(scene.draws().pipeline[0], scene.draws().pipeline[1]);
        let key = scene.res::<Pipelines>().keys[scene.draws().pipeline[0] as usize];
        let plan = scene.res::<Plan>();
        assert!(plan.steps.iter().any(|step| matches!(step, Step::BeginPass(_))), "{plan:?}");
        (key, scene.states().raster[key.raster].last_vertex_provokes, scene.decided(super::RULE.name))
    }

    // rows: M-5.1
    #[test]
    fn the_last_vertex_provokes() {
        assert!(run(&[], 0xFFFF).1);
        assert!(!run(&["M-5.1"], 0xFFFF).1);
    }

    // rows: M-5.1
    #[test]
    fn no_vertex_provokes_where_nothing_is_flat() {
        let provokes = |no_flat_inputs: bool| {
            let mut scene = Scene::new(&[]);
            let fragment = StageFacts { output_map: 0xF, no_flat_inputs, ..StageFacts::default() };
            let program = scene.program(&[(Stage::Vertex, StageFacts::default()), (Stage::Fragment, fragment)]);
            scene.targets(&[Scene::texture(0x10000, 0x25, 8, 8)], None).bind_program(program).draw().run();
            let key = scene.res::<Pipelines>().keys[scene.draws().pipeline[0] as usize];
            scene.states().raster[key.raster].last_vertex_provokes
        };
        assert!(provokes(false), "a flat input takes the last vertex");
        assert!(!provokes(true), "without one the host's own order stays");
    }

    // rows: M-5.2a
    #[test]
    fn the_all_ones_index_restarts_and_another_is_refused() {
        assert!(run(&[], 0xFFFF).0.restart);
        let (key, _, decided) = run(&[], 0x1234);
        assert!(!key.restart);
        assert_eq!(decided.len(), 2, "one for each draw");
    }
}
