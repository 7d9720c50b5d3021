//! Which variant of each stage a draw needs.
//!
//! On Maxwell a program is code; everything around it is state. A PC driver wants some of that state in the code: the class of each vertex attribute, colour
//! target and texture, which outputs the next stage reads and which inputs the stage before it writes, the clip range where the device has no switch for it.
//! Nothing else goes into the key, so that there are few variants. Variants are translated once and kept.
//!
//! Seen as: nothing drawn (a stage that the host refuses), or integers read as floats.
//! Rows: M-1.2a, M-3.12b, R-013.  Proof: the unit tests below.  Cost: one comparison
//! with the last use of the draw's programs; what differs from it is hashed.

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
use nvn_decode::ingest::{Device, PartInfo};
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

/// What draws with equal programs may differ in: all else that goes into the keys of their stages, but for vertex inputs and what is bound.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Context {
    base: KeyBits,
    minus_one_to_one: bool,
}

/// The last use of a set of stages.
#[derive(Debug, Clone, Copy)]
struct LastUse {
    /// Row of [`SetMemory::contexts`].
    context: u32,
    vertex_inputs: u32,
    hints: Hints,
    /// Its variants.
    shaders: ShaderSet,
    /// The part for which `state` holds.
    part: u64,
    state: StateId,
}

/// What is bound to each of a draw's first 16 descriptors.
type Hints = [u64; 2];

/// Variants by set of stages, kept from part to part.
#[derive(Debug, Default)]
pub struct SetMemory {
    contexts: Vec<Context>,
    /// By number of [`Device::sets`].
    uses: Vec<Option<LastUse>>,
}

impl SetMemory {
    /// More contexts than a title has; then all is forgotten.
    const CONTEXTS: usize = 256;

    fn context(&mut self, context: &Context) -> u32 {
        if let Some(known) = self.contexts.iter().position(|other| other == context) {
            return known as u32;
        }
        if self.contexts.len() >= Self::CONTEXTS {
            self.contexts.clear();
            self.uses.fill(None);
        }
        self.contexts.push(*context);
        self.contexts.len() as u32 - 1
    }
}

/// Fills `shaders` of each draw and `variant` of each dispatch.
pub fn specialise_shader_keys(
    (raw, info): (Res<RawPart>, Res<PartInfo>),
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
    (mut nodes, mut decisions): (ResMut<Nodes>, ResMut<Decisions>),
    mut memory: Local<SetMemory>,
) {
    let (mutants, settles) = (mutants(&switches), store.settles());
    let draws = &mut *draws;
    // Most parts bind nothing unusual.
    let plain = |hint: &TextureHint| if settles { *hint } else { hint.plain() };
    let unusual = sources.hints.iter().any(|hint| plain(hint) != TextureHint::USUAL);
    memory.uses.resize(device.sets.rows().len(), None);
    // The draw before, where some stage of it cannot be translated.
    type Key = (u32, Rows, [StateId; 4], u32, Topology);
    let mut last_failed: Option<Key> = None;
    // What the draw before obeyed, and its context.
    type Obeyed = (u32, [StateId; 3], Topology);
    let mut last_context: Option<(Obeyed, u32)> = None;
    for (run, used) in raw.runs() {
        for draw in run {
            let (raster, set) = (used.raster, raw.draw_sets[draw]);
            let (targets, blend, depth) = (draws.targets[draw], draws.blend[draw], draws.depth[draw]);
            let obeyed: Obeyed = (raster, [targets, blend, depth], draws.topology[draw]);
            let context = match last_context {
                Some((known, context)) if known == obeyed => context,
                _ => {
                    let raster = &raw.raster[raster as usize];
                    let base = KeyBits {
                        outputs: output_classes(&states.targets[targets]),
                        y_negate: lower_left(raster.origin, &switches),
                        geometry_input: geometry_input(draws.topology[draw]),
                        mutants: mutants.0,
                        dual_source: dual_source(&states.blend[blend]),
                        stores: if settles { stores(&states.targets[targets], &states.blend[blend]) } else { 0 },
                        ..KeyBits::default()
                    };
                    let minus_one_to_one = !caps.depth_clip_control && states.depth[depth].minus_one_to_one;
                    memory.context(&Context { base, minus_one_to_one })
                }
            };
            last_context = Some((obeyed, context));
            let vertex_inputs = classes.0[draw];
            let rows = draws.bindings[draw];
            let hints = if unusual { hints_of(rows, &sources, plain) } else { Some([0; 2]) };
            if let (Some(known), Some(hints)) = (&mut memory.uses[set as usize], hints)
                && (known.context, known.vertex_inputs, known.hints) == (context, vertex_inputs, hints)
            {
                if known.part != info.index {
                    known.part = info.index;
                    known.state = states.shaders.intern(&known.shaders);
                }
                draws.shaders[draw] = known.state;
                last_failed = None;
                continue;
            }
            let node = draws.node[draw];
            let vertex = draws.vertex[draw];
            let key: Key = (set, rows, [vertex, targets, blend, depth], raster, draws.topology[draw]);
            if last_failed == Some(key) {
                draws.shaders[draw] = draws.shaders[draw - 1];
                nodes.flags[node.index()] |= node_flags::SKIPPED;
                continue;
            }
            let programs = draws.programs[draw];
            let Context { base, minus_one_to_one } = memory.contexts[context as usize];
            let present: smallvec::SmallVec<[usize; 5]> = (0..5).filter(|n| programs[*n] != ProgramId::NONE).collect();
            let last_before_raster = present.iter().copied().filter(|n| *n < 4).max();
            let mut shaders = ShaderSet::default();
            let mut complete = programs[0] != ProgramId::NONE;
            let mut reason = "the draw has no vertex program";
            for (place, &n) in present.iter().enumerate() {
                let mut stage_key = base;
                let outputs =
                    place.checked_sub(1).and_then(|p| store.facts(programs[present[p]])).map(|f| f.attributes_out);
                stage_key.previous_outputs = outputs.unwrap_or(u32::MAX);
                let inputs =
                    present.get(place + 1).and_then(|next| store.facts(programs[*next])).map(|f| f.attributes_in);
                stage_key.next_inputs = inputs.unwrap_or(u32::MAX);
                stage_key.minus_one_to_one = minus_one_to_one && last_before_raster == Some(n);
                if n == 0 {
                    stage_key.vertex_inputs = vertex_inputs;
                }
                if n != 4 {
                    stage_key.outputs = 0;
                    stage_key.stores = 0;
                    stage_key.dual_source = false;
                }
                if unusual && store.has(programs[n], traits::TEXTURES) {
                    texture_hints(&mut stage_key, rows, GRAPHICS[n], &bindings, (&sources, settles));
                }
                match store.variant(&device.stages, &mut modules, programs[n], &stage_key) {
                    Some(variant) => shaders.variant[n] = variant,
                    None => {
                        complete = false;
                        reason = "a stage of its program cannot be translated (stage {0})";
                    }
                }
            }
            let state = states.shaders.intern(&shaders);
            draws.shaders[draw] = state;
            if complete {
                let part = info.index;
                memory.uses[set as usize] =
                    hints.map(|hints| LastUse { context, vertex_inputs, hints, shaders, part, state });
                last_failed = None;
            } else {
                nodes.flags[node.index()] |= node_flags::SKIPPED;
                let failed = present.iter().find(|n| shaders.variant[**n] == 0).map_or(-1, |n| *n as i64);
                let subject = Subject::Draw(DrawId(draw as u32));
                decisions.push(RULE.name, subject, Verdict::Skipped, reason, [Evidence::Number(failed)]);
                last_failed = Some(key);
            }
        }
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

/// Whether target 0 blends with a second colour of the program.
fn dual_source(blend: &BlendState) -> bool {
    use BlendFactor::{OneMinusSrc1Alpha, OneMinusSrc1Color, Src1Alpha, Src1Color};
    let second = |factor: BlendFactor| matches!(factor, Src1Color | OneMinusSrc1Color | Src1Alpha | OneMinusSrc1Alpha);
    let target = &blend.targets[0];
    target.enabled && [target.color.0, target.color.1, target.alpha.0, target.alpha.1].into_iter().any(second)
}

/// What is bound, in few bits; `None` where there is more than they can hold.
#[inline]
fn hints_of(rows: Rows, sources: &BindingSources, plain: impl Fn(&TextureHint) -> TextureHint) -> Option<Hints> {
    let bits = |used: &u32| sources.hints.get(*used as usize).map_or(0, |hint| plain(hint).bits());
    let pack = |uses: &[u32]| uses.iter().rev().fold(0, |packed, used| packed << 8 | u64::from(bits(used)));
    let uses = &sources.uses[rows.range()];
    let Some((low, more)) = uses.split_first_chunk::<8>() else { return Some([pack(uses), 0]) };
    let (high, rest) = more.split_at(more.len().min(8));
    rest.iter().all(|used| bits(used) == 0).then(|| [pack(low), pack(high)])
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
        let Some(hint) = sources.hints.get(sources.uses[row] as usize) else { continue };
        let hint = if settles { *hint } else { hint.plain() };
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
