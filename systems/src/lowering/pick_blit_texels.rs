//! A nearest blit that makes a texture smaller by whole numbers takes the texel behind each centre.
//!
//! Maxwell's copy engine computes where the centre of each target texel lies in the source, and takes the texel that holds it. With an even factor the centre
//! lies between two texels, and the one behind is taken. Vulkan leaves that choice to the device, and devices take now one, now the other. So the blit states
//! which texels it wants: every n-th column and row, beginning with half of n. The executor then moves them bit for bit.
//!
//! Blits that mirror, make larger, convert, or stay within one image are left to the device.
//!
//! Seen when missed: edges that jump by a texel in small copies of depth; stencil that belongs to the neighbour.
//! Rows: R-075b (which texel a scaled copy takes).  Proof: the unit tests below, the executor's test of depth and stencil.  Cost: one look per copy.

use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::resource::{ImageDesc, ResourceKind, ResourcePool};
use framegraph::schedule::Phase;
use framegraph::state::{Dim, Filter, Subresources};
use framegraph::tables::{Copies, Copy, NodeKind, Nodes, TexelBox, node_flags};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "pick_blit_texels",
    phase: Phase::Lowering,
    kind: Kind::Correctness,
    rows: &[],
    after: &["lower_copies"],
    off_means: "which of two texels a nearest blit takes is left to the host",
    knobs: &[],
};

/// Sets `every` of blits.
pub fn pick_blit_texels(
    nodes: Res<Nodes>,
    pool: Res<ResourcePool>,
    kinds: Query<&ResourceKind>,
    switches: Res<Switches>,
    mut copies: ResMut<Copies>,
    mut decisions: ResMut<Decisions>,
) {
    if !switches.on(&RULE) || copies.rows.is_empty() {
        return;
    }
    for node in nodes.ids() {
        let n = node.index();
        if nodes.kind[n] != NodeKind::Copy || nodes.flags[n] & node_flags::SKIPPED != 0 {
            continue;
        }
        let Some(Copy::Blit {
            source,
            source_part,
            source_box,
            target,
            target_part,
            target_box,
            filter: Filter::Nearest,
            every,
        }) = copies.rows.get_mut(nodes.payload[n] as usize)
        else {
            continue;
        };
        let desc = |id| match pool.entity(id).and_then(|entity| kinds.get(entity).ok()) {
            Some(ResourceKind::Image(desc)) => Some(*desc),
            _ => None,
        };
        let (Some(from), Some(to)) = (desc(*source), desc(*target)) else { continue };
        if *source == *target || !alike(&from, source_part, &to, target_part) {
            continue;
        }
        *every = factors(source_box, target_box);
        if let Some([x, y]) = *every {
            let words = "takes every {0}th column and {1}th row of {2}, the texel behind each centre: a host's own blit takes either neighbour";
            let evidence =
                [Evidence::Number(i64::from(x)), Evidence::Number(i64::from(y)), Evidence::Resource(*source)];
            decisions.push(RULE.name, Subject::Node(node), Verdict::Changed, words, evidence);
        }
    }
}

/// Whether texels go from one to the other as they are.
fn alike(from: &ImageDesc, source: &Subresources, to: &ImageDesc, target: &Subresources) -> bool {
    from.host_format == to.host_format
        && from.host_format.block().1 == 1
        && (source.layers, source.aspects) == (target.layers, target.aspects)
        && [from, to].iter().all(|desc| desc.dim != Dim::D3)
}

/// By which whole numbers a blit makes its source smaller, where it does that and nothing else.
fn factors(source: &TexelBox, target: &TexelBox) -> Option<[u32; 2]> {
    let factor = |axis: usize| {
        let (from, to) = (source.extent[axis], target.extent[axis]);
        (from > 0 && to > 0 && from % to == 0).then(|| (from / to) as u32)
    };
    Some([factor(0)?, factor(1)?]).filter(|factors| *factors != [1, 1])
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::testing::Scene;
    use framegraph::rule::Switches;
    use framegraph::tables::Copy;
    use nvn_decode::record::{CopyTextureTexture, Op, Region};

    const LINEAR: u32 = 1;
    const MIRROR_Y: u32 = 8;

    /// What a copy of `[from, to]` texels takes, and whether that was decided.
    fn run(on: bool, from: [u32; 2], to: [u32; 2], formats: [u32; 2], flags: u32) -> (Option<[u32; 2]>, usize) {
        let mut scene = Scene::new(&[]);
        scene.world.resource_mut::<Switches>().set_rule(RULE.name, on);
        let region = |[w, h]: [u32; 2]| Region { offset: [0; 3], extent: [w as i32, h as i32, 1] };
        let copy = CopyTextureTexture {
            source: Scene::texture(0, formats[0], from[0], from[1]),
            target: Scene::texture(0x10_0000, formats[1], to[0], to[1]),
            source_region: region(from),
            target_region: region(to),
            flags,
            reserved: 0,
        };
        scene.cmd(Op::CopyTextureToTexture, &copy).run();
        let every = scene.copies().iter().find_map(|copy| match copy {
            Copy::Blit { every, .. } => Some(*every),
            _ => None,
        });
        (every.expect("a blit"), scene.decided(RULE.name).len())
    }

    // rows: R-075b
    #[test]
    fn a_nearest_blit_by_whole_numbers_names_its_texels() {
        assert_eq!(run(true, [12, 12], [6, 4], [0x35; 2], 0), (Some([2, 3]), 1), "depth and stencil");
        assert_eq!(run(true, [12, 12], [6, 4], [0x35; 2], LINEAR), (Some([2, 3]), 1), "which have no other filter");
        assert_eq!(run(true, [64, 64], [64, 16], [0x25; 2], 0), (Some([1, 4]), 1), "colour");
        for (words, other) in [
            ("off", run(false, [12, 12], [6, 4], [0x35; 2], 0)),
            ("linear", run(true, [64, 64], [32, 32], [0x25; 2], LINEAR)),
            ("no whole number", run(true, [64, 64], [48, 32], [0x25; 2], 0)),
            ("larger", run(true, [32, 32], [64, 64], [0x25; 2], 0)),
            ("mirrored", run(true, [64, 64], [32, 32], [0x25; 2], MIRROR_Y)),
            ("converted", run(true, [64, 64], [32, 32], [0x25, 0x29], 0)),
        ] {
            assert_eq!(other, (None, 0), "{words}");
        }
    }
}
