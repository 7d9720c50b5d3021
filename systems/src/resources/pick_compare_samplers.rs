//! A sampler for each texture that a program reads, as the program reads it.
//!
//! On Maxwell the instruction decides whether a lookup compares; the sampler only says how. In Vulkan the sampler decides. So each binding gets a sampler that
//! compares exactly if the code does. A minification filter without mips reads the base level whatever the clamp says: its level of detail is clamped to a
//! quarter, which still tells minification from magnification. Level clamps and bias are passed on.
//!
//! Seen as: shadows that are black or white alone; textures that blur where they should not.
//! Rows: M-2.5a, M-2.9a, M-2.9b, M-2.12b.  Proof: the unit tests below.  Cost: one key per distinct
//! (handle, shape), one store per binding.

use crate::ingest::translate_virtual_addresses::{BindingSources, sampler_of};
use crate::rule::{Kind, Rule, Switches};
use crate::state::compare;
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::StateId;
use framegraph::schedule::Phase;
use framegraph::state::{Compare, Filter, NumericClass, SamplerKey, Wrap};
use framegraph::tables::{BindSource, Bindings, States};
use nvn_decode::ingest::Device;
use nvn_decode::record::Sampler;

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "pick_compare_samplers",
    phase: Phase::Resources,
    kind: Kind::Plumbing,
    rows: &["M-2.5a", "M-2.9a", "M-2.9b", "M-2.12b"],
    after: &["fit_views"],
    off_means: "cannot be off",
    knobs: &["M-2.9a", "M-2.9b"],
};

/// Largest bias that every device takes.
const MAX_BIAS: f32 = 15.99;

/// Completes texture bindings with samplers.
pub fn pick_compare_samplers(
    device: Res<Device>,
    switches: Res<Switches>,
    sources: Res<BindingSources>,
    mut states: ResMut<States>,
    mut bindings: ResMut<Bindings>,
    mut decisions: ResMut<Decisions>,
    mut found: Local<Vec<(StateId, StateId)>>,
) {
    let no_lod = switches.knob("M-2.9a");
    let mips_always = switches.knob("M-2.9b");
    found.clear();
    let mut reduces = false;
    // What the use before asked for, and its sampler.
    let mut last: Option<((u32, bool, bool), StateId)> = None;
    for used in &sources.textures {
        if used.shape.image || !used.view.is_some() {
            found.push((StateId::NONE, StateId::NONE));
            continue;
        }
        let plain = states.views[used.view].format.class() != NumericClass::Float;
        let asked = (used.sampler, used.shape.compare, plain);
        let sampler = match last {
            Some((known, sampler)) if known == asked => sampler,
            _ => {
                let held = sampler_of(used, &device);
                reduces |= held.is_some_and(|sampler| sampler.reduction != 0);
                let mut key = match held {
                    Some(sampler) => sampler_key(sampler, used.shape.compare, no_lod, mips_always),
                    // A handle for fetches names no sampler.
                    None => SamplerKey {
                        wrap: [Wrap::ClampToEdge; 3],
                        max_lod: 1000.0_f32.to_bits(),
                        compare: used.shape.compare.then_some(Compare::LessEqual),
                        ..SamplerKey::default()
                    },
                };
                if plain {
                    (key.mag, key.min, key.mip) = (Filter::Nearest, Filter::Nearest, Filter::Nearest);
                }
                states.samplers.intern(&key)
            }
        };
        last = Some((asked, sampler));
        found.push((used.view, sampler));
    }
    for (binding, used) in bindings.rows.iter_mut().zip(&sources.uses) {
        if let Some((view, sampler)) = found.get(*used as usize)
            && view.is_some()
        {
            binding.source = BindSource::Texture(*view, *sampler);
        }
    }
    if !reduces {
        return;
    }
    // Each binding has its decision.
    for (row, (binding, used)) in bindings.rows.iter().zip(&sources.uses).enumerate() {
        if !matches!(binding.source, BindSource::Texture(..)) {
            continue;
        }
        let sampler = sources.textures.get(*used as usize).and_then(|used| sampler_of(used, &device));
        if let Some(sampler) = sampler.filter(|sampler| sampler.reduction != 0) {
            let text = "reduction filter {0} is not carried out: it averages";
            let evidence = [Evidence::Number(i64::from(sampler.reduction))];
            decisions.push(RULE.name, Subject::Binding(row as u32), Verdict::Degraded, text, evidence);
        }
    }
}

fn sampler_key(sampler: &Sampler, compares: bool, no_lod: bool, mips_always: bool) -> SamplerKey {
    let [min, mag] = sampler.min_mag;
    let filter = |linear: bool| if linear { Filter::Linear } else { Filter::Nearest };
    let has_mips = min >= 2;
    let [low, high] = sampler.lod;
    let (min_lod, max_lod) = match (has_mips || mips_always, no_lod) {
        (false, _) => (0.0, 0.25),
        (true, true) => (0.0, 1000.0),
        (true, false) => (low.clamp(0.0, 1000.0), high.clamp(low.clamp(0.0, 1000.0), 1000.0)),
    };
    let bias = if no_lod || !has_mips { 0.0 } else { sampler.lod_bias.clamp(-MAX_BIAS, MAX_BIAS) };
    SamplerKey {
        mag: filter(mag == 1),
        min: filter(matches!(min, 1 | 3 | 5)),
        mip: filter(matches!(min, 4 | 5)),
        wrap: sampler.wrap.map(wrap),
        lod_bias: bias.to_bits(),
        min_lod: min_lod.to_bits(),
        max_lod: max_lod.to_bits(),
        max_anisotropy: sampler.anisotropy.clamp(1.0, 16.0).to_bits(),
        compare: compares
            .then(|| if sampler.compare[0] == 0 { Compare::LessEqual } else { compare(sampler.compare[1]) }),
        border: sampler.border,
        border_class: match sampler.border_class {
            1 => NumericClass::Sint,
            2 => NumericClass::Uint,
            _ => NumericClass::Float,
        },
    }
}

fn wrap(number: u32) -> Wrap {
    match number {
        1 => Wrap::Repeat,
        2..=4 => Wrap::MirrorClampToEdge,
        5 => Wrap::ClampToBorder,
        6 => Wrap::MirroredRepeat,
        _ => Wrap::ClampToEdge,
    }
}

#[cfg(test)]
mod tests {
    use crate::state::shader_store::{HandleSource, StageFacts, TextureFact};
    use crate::testing::Scene;
    use framegraph::state::{Compare, Dim, Filter, SamplerKey, Stage, Wrap};
    use framegraph::tables::{BindSource, Bindings};
    use nvn_decode::record::Sampler;

    fn sampler() -> Sampler {
        Sampler {
            min_mag: [5, 1],
            wrap: [7, 1, 7],
            lod: [2.0, 1000.0],
            lod_bias: 1.0,
            anisotropy: 1.0,
            compare: [1, 4],
            ..Sampler::default()
        }
    }

    fn run(knobs: &[&str], sampler: Sampler, compare: bool) -> SamplerKey {
        let mut scene = Scene::new(knobs);
        let texture = TextureFact { slot: 0, source: HandleSource::Bound(0), dim: Dim::D2, compare };
        let fragment = StageFacts { output_map: 0xF, textures: vec![texture], ..StageFacts::default() };
        let program = scene.program(&[(Stage::Vertex, StageFacts::default()), (Stage::Fragment, fragment)]);
        scene.register(256, Scene::texture(0, 0x34, 64, 64)).register_sampler(300, sampler);
        scene.targets(&[Scene::texture(0x80_0000, 0x25, 8, 8)], None).bind_program(program).bind_texture(0, 256, 300);
        scene.draw().run();
        match scene.res::<Bindings>().rows[0].source {
            BindSource::Texture(_, sampler) => scene.states().samplers[sampler],
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_instruction_decides_whether_a_lookup_compares() {
        assert_eq!(run(&[], sampler(), true).compare, Some(Compare::LessEqual));
        assert_eq!(run(&[], sampler(), false).compare, None);
    }

    // rows: M-2.9a
    #[test]
    fn level_clamp_and_bias_are_passed_on() {
        let lod = |key: SamplerKey| [key.min_lod, key.max_lod, key.lod_bias].map(f32::from_bits);
        assert_eq!(lod(run(&[], sampler(), false)), [2.0, 1000.0, 1.0]);
        assert_eq!(lod(run(&["M-2.9a"], sampler(), false)), [0.0, 1000.0, 0.0]);
    }

    // rows: M-2.9b
    #[test]
    fn a_filter_without_mips_stays_on_the_base_level() {
        let flat = Sampler { min_mag: [1, 0], ..sampler() };
        let key = run(&[], flat, false);
        assert_eq!((key.min, key.mag, key.mip), (Filter::Linear, Filter::Nearest, Filter::Nearest));
        assert_eq!([key.min_lod, key.max_lod].map(f32::from_bits), [0.0, 0.25]);
        assert_ne!(f32::from_bits(run(&["M-2.9b"], flat, false).max_lod), 0.25);
    }

    #[test]
    fn wraps_are_the_games_own() {
        assert_eq!(run(&[], sampler(), false).wrap, [Wrap::ClampToEdge, Wrap::Repeat, Wrap::ClampToEdge]);
    }
}
