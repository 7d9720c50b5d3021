//! A nearest sample between two texels takes the one behind.
//!
//! Maxwell rounds coordinates to 1/256 of a texel; exactly between two texels it takes the one behind. A picture that is made smaller by an even number asks for
//! such places alone. What a PC takes there hangs on the last bit of its interpolation, and differs from texel to texel. So a stage that samples at the nearest
//! texel moves its coordinates by a thousandth of a texel: less than Maxwell's own step, and more than what interpolation loses.
//!
//! Seen when missed: columns and rows of a small copy that come twice, and others that are missing.
//! Rows: none of its own.  Proof: the unit tests below and of the translator.  Cost: one look per binding; a division and an addition per coordinate in the code.

use crate::ingest::translate_virtual_addresses::{BindingSources, sampler_of};
use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::schedule::Phase;
use nvn_decode::ingest::Device;
use nvn_decode::record::Sampler;

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "settle_sample_ties",
    phase: Phase::State,
    kind: Kind::Correctness,
    rows: &[],
    after: &["pick_host_formats"],
    off_means: "which of two texels a sample between them takes is left to the host",
    knobs: &[],
};

/// Whether a sampler takes the nearest texel, made smaller or larger: the API's even filters do.
fn takes_nearest(sampler: &Sampler) -> bool {
    sampler.min_mag[0].is_multiple_of(2) && sampler.min_mag[1] == 0
}

/// Adds to the hints of [`BindingSources`].
pub fn settle_sample_ties(
    device: Res<Device>,
    switches: Res<Switches>,
    mut sources: ResMut<BindingSources>,
    mut decisions: ResMut<Decisions>,
) {
    if !switches.on(&RULE) {
        return;
    }
    let BindingSources { textures: uses, hints, .. } = &mut *sources;
    let mut settled = 0;
    for (used, hint) in uses.iter().zip(hints) {
        if sampler_of(used, &device).is_some_and(takes_nearest) {
            *hint = hint.nearest();
            settled += 1;
        }
    }
    if settled > 0 {
        let words = "{0} bindings sample at the nearest texel: their coordinates move by a thousandth of a texel";
        decisions.push(RULE.name, Subject::Part, Verdict::Changed, words, [Evidence::Number(settled)]);
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::state::shader_store::{HandleSource, StageFacts, TextureFact};
    use crate::testing::Scene;
    use framegraph::rule::Switches;
    use framegraph::state::{Dim, Stage};
    use nvn_decode::record::Sampler;

    /// Slots whose textures the translated fragment stage samples at the nearest texel, and what was decided.
    fn run(on: bool, min_mag: [u32; 2]) -> (u32, Vec<String>) {
        let mut scene = Scene::new(&[]);
        scene.world.resource_mut::<Switches>().set_rule(RULE.name, on);
        let texture = TextureFact { slot: 3, source: HandleSource::Bound(3), dim: Dim::D2, compare: false };
        let fragment = StageFacts { output_map: 0xF, textures: vec![texture], ..StageFacts::default() };
        let program = scene.program(&[(Stage::Vertex, StageFacts::default()), (Stage::Fragment, fragment)]);
        let sampler = Sampler { min_mag, lod: [0.0, 1000.0], anisotropy: 1.0, ..Sampler::default() };
        scene.register(256, Scene::texture(0, 0x25, 64, 64)).register_sampler(300, sampler);
        scene.targets(&[Scene::texture(0x80_0000, 0x25, 8, 8)], None).bind_program(program).bind_texture(3, 256, 300);
        scene.draw().run();
        let keys = scene.translator.keys.lock().expect("lock");
        let nearest = keys.iter().fold(0, |all, key| all | key.nearest);
        (nearest, scene.decided(RULE.name))
    }

    #[test]
    fn only_what_samples_at_the_nearest_texel_is_settled() {
        // Nearest without levels and with the nearest level.
        for filters in [[0, 0], [2, 0]] {
            let (nearest, decided) = run(true, filters);
            assert_eq!(nearest, 1 << 3, "{filters:?}");
            assert_eq!(decided.len(), 1);
            assert!(decided[0].starts_with("Changed: 1 bindings"), "{decided:?}");
        }
        for filters in [[1, 1], [0, 1], [3, 0]] {
            assert_eq!(run(true, filters), (0, Vec::new()), "{filters:?}");
        }
        assert_eq!(run(false, [0, 0]), (0, Vec::new()), "off");
    }
}
