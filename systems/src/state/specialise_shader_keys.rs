//! Which variant of each stage a draw needs.
//!
//! On Maxwell a program is code; everything around it is state. A PC driver wants some of that state in the code: the class of each vertex attribute, colour
//! target and texture, which outputs the next stage reads and which inputs the stage before it writes, the clip range where the device has no switch for it.
//! Nothing else goes into the key, so that there are few variants. Variants are translated once and kept.
//!
//! Seen as: nothing drawn (a stage that the host refuses), or integers read as floats.
//! Rows: M-1.2a, M-3.12b, R-013.  Proof: the unit tests below.  Cost: one comparison with the draw before; distinct keys are hashed.

use super::classify_vertex_inputs::InputClasses;
use super::flip_window_origin::lower_left;
use super::shader_store::{GRAPHICS, KeyBits, ShaderStore, Store, TextureHint, traits};
use crate::ingest::translate_virtual_addresses::BindingSources;
use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use framegraph::caps::DeviceCaps;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::{DrawId, ProgramId, Rows, StateId};
use framegraph::schedule::Phase;
use framegraph::state::{AttachmentSet, BlendFactor, BlendState, NumericClass, ShaderSet, Stage, Topology};
use framegraph::tables::{BindKind, Bindings, Dispatches, Draws, Nodes, ShaderModules, States, node_flags};
use nvn_decode::ingest::Device;
use nvn_decode::raw::RawPart;
use nvn_shader::Mutants;

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "specialise_shader_keys",
    phase: Phase::State,
    kind: Kind::Plumbing,
    rows: &["M-1.2a", "M-3.12b", "M-1.8", "M-3.1a", "M-3.1b", "M-3.5", "M-3.7", "M-3.12a", "A-042", "A-086"],
    after: &["classify_vertex_inputs", "normalise_depth_state", "mask_unwritten_outputs"],
    off_means: "cannot be off",
    knobs: &["M-1.8", "M-3.1a", "M-3.1b", "M-3.5", "M-3.7", "M-3.12a", "A-042", "A-086"],
};

/// Fills `shaders` of each draw and `variant` of each dispatch.
pub fn specialise_shader_keys(
    raw: Res<RawPart>,
    device: Res<Device>,
    caps: Res<DeviceCaps>,
    switches: Res<Switches>,
    classes: Res<InputClasses>,
    bindings: Res<Bindings>,
    sources: Res<BindingSources>,
    mut store: ResMut<ShaderStore>,
    mut modules: ResMut<ShaderModules>,
    mut states: ResMut<States>,
    mut draws: ResMut<Draws>,
    mut dispatches: ResMut<Dispatches>,
    mut nodes: ResMut<Nodes>,
    mut decisions: ResMut<Decisions>,
) {
    type Key = ([ProgramId; 5], Rows, [StateId; 4], u32, Topology);
    let (mutants, settles) = (mutants(&switches), store.settles());
    let mut last: Option<(Key, StateId, bool)> = None;
    let mut last_outputs: Option<(StateId, u16)> = None;
    for draw in 0..draws.len() {
        let key: Key = (
            draws.programs[draw],
            draws.bindings[draw],
            [draws.vertex[draw], draws.targets[draw], draws.blend[draw], draws.depth[draw]],
            raw.draws[draw].raster,
            draws.topology[draw],
        );
        let node = draws.node[draw];
        if let Some((known, state, complete)) = last
            && known == key
        {
            draws.shaders[draw] = state;
            if !complete {
                nodes.flags[node.index()] |= node_flags::SKIPPED;
            }
            continue;
        }
        let programs = draws.programs[draw];
        let blend = &states.blend[draws.blend[draw]];
        let outputs = match last_outputs {
            Some((targets, outputs)) if targets == draws.targets[draw] => outputs,
            _ => output_classes(&states.targets[draws.targets[draw]]),
        };
        last_outputs = Some((draws.targets[draw], outputs));
        let mut base = KeyBits {
            vertex_inputs: classes.0[draw],
            outputs,
            y_negate: lower_left(raw.raster[raw.draws[draw].raster as usize].origin, &switches),
            geometry_input: geometry_input(draws.topology[draw]),
            mutants: mutants.0,
            ..KeyBits::default()
        };
        let second = |f: BlendFactor| {
            use BlendFactor::{OneMinusSrc1Alpha, OneMinusSrc1Color, Src1Alpha, Src1Color};
            matches!(f, Src1Color | OneMinusSrc1Color | Src1Alpha | OneMinusSrc1Alpha)
        };
        let first_target = &blend.targets[0];
        base.dual_source = first_target.enabled
            && [first_target.color.0, first_target.color.1, first_target.alpha.0, first_target.alpha.1]
                .into_iter()
                .any(second);
        let present: smallvec::SmallVec<[usize; 5]> = (0..5).filter(|n| programs[*n] != ProgramId::NONE).collect();
        let last_before_raster = present.iter().copied().filter(|n| *n < 4).max();
        let mut set = ShaderSet::default();
        let mut complete = programs[0] != ProgramId::NONE;
        let mut reason = "the draw has no vertex program";
        for (place, &n) in present.iter().enumerate() {
            let mut stage_key = base;
            let outputs =
                place.checked_sub(1).and_then(|p| store.facts(programs[present[p]])).map(|f| f.attributes_out);
            stage_key.previous_outputs = outputs.unwrap_or(u32::MAX);
            let inputs = present.get(place + 1).and_then(|next| store.facts(programs[*next])).map(|f| f.attributes_in);
            stage_key.next_inputs = inputs.unwrap_or(u32::MAX);
            stage_key.minus_one_to_one = !caps.depth_clip_control
                && last_before_raster == Some(n)
                && states.depth[draws.depth[draw]].minus_one_to_one;
            if n != 0 {
                stage_key.vertex_inputs = 0;
            }
            if n != 4 {
                stage_key.outputs = 0;
                stage_key.dual_source = false;
            } else if settles {
                stage_key.stores = stores(&states.targets[draws.targets[draw]], blend);
            }
            if store.has(programs[n], traits::TEXTURES) {
                texture_hints(&mut stage_key, draws.bindings[draw], GRAPHICS[n], &bindings, (&sources, settles));
            }
            match store.variant(&device.stages, &mut modules, programs[n], &stage_key) {
                Some(variant) => set.variant[n] = variant,
                None => {
                    complete = false;
                    reason = "a stage of its program cannot be translated (stage {0})";
                }
            }
        }
        draws.shaders[draw] = states.shaders.intern(&set);
        if !complete {
            nodes.flags[node.index()] |= node_flags::SKIPPED;
            let failed = present.iter().find(|n| set.variant[**n] == 0).map_or(-1, |n| *n as i64);
            let subject = Subject::Draw(DrawId(draw as u32));
            decisions.push(RULE.name, subject, Verdict::Skipped, reason, [Evidence::Number(failed)]);
        }
        last = Some((key, draws.shaders[draw], complete));
    }
    for dispatch in &mut dispatches.rows {
        let mut key = KeyBits { mutants: mutants.0, ..KeyBits::default() };
        texture_hints(&mut key, dispatch.bindings, Stage::Compute, &bindings, (&sources, settles));
        let known = dispatch.program != ProgramId::NONE;
        let variant = known.then(|| store.variant(&device.stages, &mut modules, dispatch.program, &key)).flatten();
        match variant {
            Some(variant) => dispatch.variant = variant,
            None => {
                nodes.flags[dispatch.node.index()] |= node_flags::SKIPPED;
                let reason = "the dispatch has no program that can be translated";
                decisions.push(RULE.name, Subject::Node(dispatch.node), Verdict::Skipped, reason, []);
            }
        }
    }
}

/// Behaviours of the translator that a knob of their row turns into what a PC does. They have no system of their own: all that changes is the code of a stage.
const MUTANTS: [(&str, Mutants); 8] = [
    ("M-1.8", Mutants::POSITION),
    ("M-3.1a", Mutants::MIN_MAX),
    ("M-3.1b", Mutants::SATURATE),
    ("M-3.5", Mutants::KILL),
    ("M-3.7", Mutants::INFINITIES),
    ("M-3.12a", Mutants::UNWRITTEN),
    ("A-042", Mutants::BANK),
    ("A-086", Mutants::UNWRITTEN),
];

/// What the knobs that are on ask of the translator.
fn mutants(switches: &Switches) -> Mutants {
    Mutants(MUTANTS.iter().filter(|(row, _)| switches.knob(row)).fold(0, |bits, (_, mutant)| bits | mutant.0))
}

/// Vertices of a primitive, as a geometry stage gets it.
fn geometry_input(topology: Topology) -> u8 {
    match topology {
        Topology::Points => 1,
        Topology::Lines | Topology::LineStrip | Topology::LineLoop => 2,
        Topology::LinesAdjacency | Topology::LineStripAdjacency => 4,
        Topology::TrianglesAdjacency | Topology::TriangleStripAdjacency => 6,
        _ => 3,
    }
}

/// Classes and shapes of what is bound to the texture and image slots of a stage.
fn texture_hints(
    key: &mut KeyBits,
    rows: Rows,
    stage: Stage,
    bindings: &Bindings,
    (sources, settles): (&BindingSources, bool),
) {
    for row in rows.range() {
        let hint = sources.hints[row];
        let hint = if settles { hint } else { hint.plain() };
        let binding = &bindings.rows[row];
        if hint == TextureHint::USUAL || binding.stage != stage {
            continue;
        }
        match binding.kind {
            BindKind::Texture if binding.slot < 32 => key.set_texture(binding.slot, hint),
            BindKind::Image if binding.slot < 8 => key.set_image(binding.slot, hint),
            _ => {}
        }
    }
}

/// Classes of colour targets, 2 bits each.
fn output_classes(targets: &AttachmentSet) -> u16 {
    targets.color.iter().enumerate().fold(0, |bits, (n, target)| {
        let class = target.map_or(NumericClass::Float, |attachment| attachment.view.format.class());
        bits | (class as u16) << (2 * n)
    })
}

/// How colour targets store what is written, 2 bits each. Where a target blends, the host rounds what comes of it.
fn stores(targets: &AttachmentSet, blend: &BlendState) -> u16 {
    targets.color.iter().enumerate().fold(0, |bits, (n, target)| {
        let plain = target.filter(|_| blend.logic_op.is_none() && !blend.targets[n].enabled);
        bits | (plain.map_or(Store::AsIs, |attachment| Store::of(attachment.view.format)) as u16) << (2 * n)
    })
}

#[cfg(test)]
mod tests {
    use crate::state::shader_store::StageFacts;
    use crate::testing::Scene;
    use framegraph::state::{NumericClass, Stage};
    use framegraph::tables::node_flags;

    // rows: M-1.2a
    #[test]
    fn stages_know_what_their_neighbours_read_and_write() {
        let mut scene = Scene::new(&[]);
        let vertex = StageFacts { attributes_out: 0b11, ..StageFacts::default() };
        let fragment = StageFacts { attributes_in: 0b101, output_map: 0xF, ..StageFacts::default() };
        let program = scene.program(&[(Stage::Vertex, vertex), (Stage::Fragment, fragment)]);
        scene.targets(&[Scene::texture(0, 0x27, 8, 8)], None).bind_program(program).draw().draw().run();
        let keys = scene.translator.keys.lock().expect("lock");
        assert_eq!(keys.len(), 2, "each stage is translated once");
        assert_eq!((keys[0].next_inputs, keys[1].previous_outputs), (0b101, 0b11));
        assert_eq!(keys[1].outputs[0], NumericClass::Uint, "an integer target");
        assert!(keys[0].y_negate, "lower left");
    }

    #[test]
    fn knobs_of_the_translator_reach_its_key() {
        for (row, mutant) in super::MUTANTS {
            assert!(super::RULE.knobs.contains(&row), "{row}");
            let mut scene = Scene::new(&[row]);
            let program = scene.plain_program(0xF);
            scene.targets(&[Scene::texture(0, 0x25, 8, 8)], None).bind_program(program).draw().run();
            let keys = scene.translator.keys.lock().expect("lock");
            assert!(!keys.is_empty() && keys.iter().all(|key| key.mutants == mutant.0), "{row}");
        }
    }

    #[test]
    fn a_draw_without_a_vertex_program_is_left_out_with_a_reason() {
        let mut scene = Scene::new(&[]);
        scene.targets(&[Scene::texture(0, 0x25, 8, 8)], None).draw().run();
        assert_eq!(scene.decided(super::RULE.name), ["Skipped: the draw has no vertex program"]);
        let node = scene.draws().node[0];
        assert_ne!(scene.nodes().flags[node.index()] & node_flags::SKIPPED, 0);
    }

    // rows: R-054
    #[test]
    fn a_vertex_stage_alone_is_a_depth_only_draw() {
        let mut scene = Scene::new(&[]);
        let program = scene.program(&[(Stage::Vertex, StageFacts::default())]);
        scene.targets(&[], Some(Scene::texture(0, 0x34, 8, 8))).bind_program(program).draw().run();
        assert!(scene.decided(super::RULE.name).is_empty());
        let set = scene.states().shaders[scene.draws().shaders[0]];
        assert_ne!(set.variant[0], 0);
        assert_eq!(set.variant[4], 0);
    }
}
