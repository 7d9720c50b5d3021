//! A draw that samples one level of the texture that it renders to gets a view of that level alone.
//!
//! Chains of levels (bloom, mip maps) are made by drawing into one level and sampling another, mostly through a view of all levels with the level named by the code
//! or by a uniform block. On Maxwell that is nothing special. On the PC a view that includes the attached level makes the draw read its own target, which costs a
//! pass, a copy and barriers. So where the levels of such a view are known to be one, the view is narrowed to it. The level of detail stays what it is: above
//! the last level of a view, and below its first, Vulkan takes that level.
//!
//! The level is known where every lookup of the texture names it by the same word, and that word is in the code or in a block that was copied when the part was
//! submitted. A level between two levels is none.
//!
//! Seen when missed: a copy of the texture before each step of a bloom chain.
//! Rows: R-038c (its clause on views).  Proof: the unit tests below, the scene of a chain.  Cost: one look per draw; more for draws that attach what they sample.

use crate::rule::{Kind, Rule, Switches};
use crate::state::shader_store::{GRAPHICS, LevelSource, ShaderStore, traits};
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::{DrawId, ProgramId, Rows, StateId};
use framegraph::schedule::Phase;
use framegraph::state::{AttachmentSet, Filter, SamplerKey, Stage};
use framegraph::tables::{BindKind, BindSource, Binding, Bindings, Draws, Snapshots, States};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "narrow_sampled_levels",
    phase: Phase::Resources,
    kind: Kind::Optimisation,
    rows: &[],
    after: &["pick_compare_samplers", "snapshot_uniform_ranges"],
    off_means: "views keep their levels, and a draw into any of them reads its own target",
    knobs: &[],
};

/// Narrows views of [`Bindings`].
pub fn narrow_sampled_levels(
    draws: Res<Draws>,
    store: Res<ShaderStore>,
    snapshots: Res<Snapshots>,
    switches: Res<Switches>,
    mut states: ResMut<States>,
    mut bindings: ResMut<Bindings>,
    mut decisions: ResMut<Decisions>,
) {
    if !switches.on(&RULE) {
        return;
    }
    let mut last: Option<([ProgramId; 5], Rows, StateId)> = None;
    for draw in 0..draws.len() {
        let key = (draws.programs[draw], draws.bindings[draw], draws.targets[draw]);
        if last.replace(key) == Some(key) || !key.0.iter().any(|program| store.has(*program, traits::LEVELS)) {
            continue;
        }
        let Some(set) = states.targets.get(key.2).copied() else { continue };
        for row in key.1.range() {
            let BindSource::Texture(view, sampler) = bindings.rows[row].source else { continue };
            let Some(view) = states.views.get(view).copied() else { continue };
            if view.part.levels <= 1 || !attached(&set, view.resource) {
                continue;
            }
            let Binding { stage, slot, .. } = bindings.rows[row];
            let facts = GRAPHICS.iter().position(|s| *s == stage).and_then(|n| store.facts(key.0[n]));
            let fact = facts.and_then(|facts| facts.levels.iter().find(|fact| fact.slot == slot));
            let Some(source) = fact.map(|fact| fact.level) else { continue };
            let rows = &bindings.rows[key.1.range()];
            let Some(lod) = value(source, stage, rows, &snapshots.bytes) else { continue };
            let Some(key) = states.samplers.get(sampler) else { continue };
            let Some(level) = level(lod, key, view.part.levels) else { continue };
            let mut narrow = view;
            narrow.part.base_level += level;
            narrow.part.levels = 1;
            bindings.rows[row].source = BindSource::Texture(states.views.intern(&narrow), sampler);
            decisions.push(
                RULE.name,
                Subject::Draw(DrawId(draw as u32)),
                Verdict::Changed,
                "{0}, a level of which it renders to, is sampled at level {1} alone: its view has no other",
                [Evidence::Resource(view.resource), Evidence::Number(i64::from(narrow.part.base_level))],
            );
        }
    }
}

fn attached(set: &AttachmentSet, id: framegraph::ids::ResourceId) -> bool {
    set.color.iter().chain([&set.depth]).flatten().any(|attachment| attachment.view.resource == id)
}

/// The word that a level source names, as the draw will read it.
fn value(source: LevelSource, stage: Stage, rows: &[Binding], snapshots: &[u8]) -> Option<f32> {
    let (slot, offset) = match source {
        LevelSource::Constant(bits) => return Some(f32::from_bits(bits)),
        LevelSource::Uniform { slot, offset } => (slot, offset),
    };
    let block = rows.iter().find(|b| b.kind == BindKind::Uniform && b.stage == stage && b.slot == slot)?;
    let BindSource::Snapshot(start, length) = block.source else { return None };
    if offset.checked_add(4)? > length {
        return None;
    }
    let word = snapshots.get((start + offset) as usize..)?.first_chunk()?;
    Some(f32::from_le_bytes(*word))
}

/// The level of a view that a lookup reads, where it reads one alone.
fn level(lod: f32, sampler: &SamplerKey, levels: u8) -> Option<u8> {
    let lod = lod + f32::from_bits(sampler.lod_bias);
    // Also turns away what is no number.
    if !lod.is_finite() {
        return None;
    }
    let lod = lod.clamp(f32::from_bits(sampler.min_lod), f32::from_bits(sampler.max_lod));
    let lod = lod.clamp(0.0, f32::from(levels - 1));
    let nearest = if sampler.mip == Filter::Nearest { (lod + 0.5).ceil() - 1.0 } else { lod };
    (nearest.fract() == 0.0).then_some(nearest.max(0.0) as u8)
}

#[cfg(test)]
mod tests {
    use super::{RULE, level};
    use crate::state::shader_store::{HandleSource, LevelFact, LevelSource, StageFacts, TextureFact, UniformFact};
    use crate::testing::Scene;
    use framegraph::rule::Switches;
    use framegraph::state::{Dim, Filter, SamplerKey, Stage};
    use framegraph::tables::{BindSource, Bindings, Copies, FeedbackLoops};
    use nvn_decode::record::{Op, Sampler, SlotRange, TextureRef};

    /// A draw into level 1 of a chain that samples all of it at the level that `source` names; the block of slot 2 holds `lod` at byte 8.
    fn run(on: bool, source: LevelSource, lod: f32) -> Scene {
        let mut scene = Scene::new(&[]);
        scene.world.resource_mut::<Switches>().set_rule(RULE.name, on);
        let texture = TextureFact { slot: 0, source: HandleSource::Bound(0), dim: Dim::D2, compare: false };
        let fragment = StageFacts {
            output_map: 0xF,
            textures: vec![texture],
            uniforms: vec![UniformFact { slot: 2, bytes: 16 }],
            levels: vec![LevelFact { slot: 0, level: source }],
            reads_elsewhere: 1,
            ..StageFacts::default()
        };
        let program = scene.program(&[(Stage::Vertex, StageFacts::default()), (Stage::Fragment, fragment)]);
        let chain = Scene::fit(TextureRef { levels: 4, view_levels: 4, ..Scene::texture(0x1_0000, 0x25, 64, 64) });
        let target = TextureRef { view_level: 1, view_levels: 1, ..chain };
        let sampler = Sampler { min_mag: [3, 1], lod: [0.0, 1000.0], anisotropy: 1.0, ..Sampler::default() };
        scene.write(0, 0x108, &lod.to_le_bytes());
        scene.register(256, chain).register_sampler(300, sampler);
        scene.targets(&[target], None).bind_program(program).bind_texture(0, 256, 300);
        let block = SlotRange { address: Scene::address(0, 0x100), size: 256, stage: 1, index: 2 };
        scene.cmd(Op::BindUniformBuffer, &block);
        scene.draw().run();
        scene
    }

    /// First level and number of levels of the view that is sampled, loops, copies.
    fn seen(scene: &Scene) -> ((u8, u8), usize, usize) {
        let rows = &scene.res::<Bindings>().rows;
        let view = rows.iter().find_map(|row| match row.source {
            BindSource::Texture(view, _) => Some(scene.states().views[view].part),
            _ => None,
        });
        let part = view.expect("a texture");
        let loops = scene.res::<FeedbackLoops>().rows.len();
        ((part.base_level, part.levels), loops, scene.res::<Copies>().rows.len())
    }

    // rows: R-038c
    #[test]
    fn a_draw_that_samples_another_level_than_it_renders_to_reads_no_target() {
        let uniform = LevelSource::Uniform { slot: 2, offset: 8 };
        for (on, source, lod, expected) in [
            (true, uniform, 0.0, ((0, 1), 0, 0)),
            (true, uniform, 2.0, ((2, 1), 0, 0)),
            (true, LevelSource::Constant(2.0_f32.to_bits()), 0.0, ((2, 1), 0, 0)),
            (true, uniform, 90.0, ((3, 1), 0, 0)),
            // Its own level: a loop, whatever the view.
            (true, uniform, 1.0, ((1, 1), 1, 1)),
            // A word that the block does not hold, and no rule: each level is copied before the draw.
            (true, LevelSource::Uniform { slot: 2, offset: 16 }, 0.0, ((0, 4), 1, 4)),
            (true, LevelSource::Uniform { slot: 3, offset: 8 }, 0.0, ((0, 4), 1, 4)),
            (false, uniform, 0.0, ((0, 4), 1, 4)),
        ] {
            let scene = run(on, source, lod);
            assert_eq!(seen(&scene), expected, "{on} {source:?} {lod}");
            assert_eq!(scene.decided(RULE.name).len(), usize::from(expected.0.1 == 1));
        }
    }

    #[test]
    fn a_level_between_two_is_none() {
        let sampler = |mip, bias: f32, min: f32, max: f32| SamplerKey {
            mip,
            lod_bias: bias.to_bits(),
            min_lod: min.to_bits(),
            max_lod: max.to_bits(),
            ..SamplerKey::default()
        };
        let smooth = sampler(Filter::Linear, 0.0, 0.0, 1000.0);
        assert_eq!(
            [0.0, 2.0, 2.5, -3.0, f32::NAN, 9.0].map(|lod| level(lod, &smooth, 4)),
            [Some(0), Some(2), None, Some(0), None, Some(3)]
        );
        let step = sampler(Filter::Nearest, 0.0, 0.0, 1000.0);
        assert_eq!([0.5, 0.6, 1.5, 2.9].map(|lod| level(lod, &step, 4)), [Some(0), Some(1), Some(1), Some(3)]);
        assert_eq!(level(2.0, &sampler(Filter::Nearest, 0.0, 0.0, 0.25), 4), Some(0), "a filter without mips");
        assert_eq!(level(1.0, &sampler(Filter::Linear, 1.0, 0.0, 1000.0), 4), Some(2), "bias");
        assert_eq!(level(0.0, &sampler(Filter::Linear, 0.0, 3.0, 1000.0), 4), Some(3), "clamp");
    }
}
