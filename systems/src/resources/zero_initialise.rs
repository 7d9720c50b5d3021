//! New images are zero.
//!
//! On the console fresh memory is zero, and so is every level, layer and slice of a texture that nothing wrote, stencil included; feedback effects rely on it
//! and never clear their state. In Vulkan a new image holds anything. So each new image that no upload of this part covers in full is cleared to zero before
//! the first command; an image of compressed blocks, which cannot be cleared, gets blocks of zeros.
//!
//! Seen as: noise or old pictures in corners; NaN that spreads over the screen.
//! Rows: M-1.18, R-002a, R-002b.  Proof: the unit tests below.  Cost: one clear per new image, once.

use super::Prologue;
use super::upload_dirty_textures::Covered;
use crate::rule::{Kind, Rule, Switches};
use crate::state::textures::Textures;
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Subject, Verdict};
use framegraph::resource::{ResourceFlags, ResourcePool};
use framegraph::schedule::Phase;
use framegraph::state::{Aspects, Subresources};
use framegraph::tables::{
    Clear, ClearTarget, Clears, NodeKind, Nodes, Snapshots, TexelBox, Upload, Uploads, node_flags,
};

use nvn_decode::layout;

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "zero_initialise",
    phase: Phase::Resources,
    kind: Kind::Correctness,
    rows: &["M-1.18", "R-002a", "R-002b"],
    after: &["upload_dirty_textures"],
    off_means: "new images hold anything",
    knobs: &["M-1.18", "R-002a", "R-002b"],
};

/// Adds the clears.
pub fn zero_initialise(
    switches: Res<Switches>,
    textures: Res<Textures>,
    covered: Res<Covered>,
    pool: Res<ResourcePool>,
    flags: Query<&ResourceFlags>,
    mut nodes: ResMut<Nodes>,
    mut clears: ResMut<Clears>,
    mut uploads: ResMut<Uploads>,
    mut snapshots: ResMut<Snapshots>,
    mut decisions: ResMut<Decisions>,
) {
    if !switches.on(&RULE) || switches.knob("M-1.18") {
        return;
    }
    let mut count = 0;
    for &row in &textures.used {
        let (desc, image) = (textures.keys[row as usize].desc, textures.images[row as usize]);
        let new =
            pool.entity(image).and_then(|entity| flags.get(entity).ok()).is_some_and(|f| f.has(ResourceFlags::NEW));
        if !new || covered.rows.contains(&row) {
            continue;
        }
        let aspects = desc.host_format.aspects();
        let depth = aspects.intersects(Aspects::DEPTH_STENCIL);
        let window = textures.flags[row as usize] & layout::flags::DISPLAY != 0;
        if (!depth && switches.knob("R-002a")) || (window && switches.knob("R-040")) {
            continue;
        }
        let (_, block_width, _) = desc.host_format.block();
        if block_width > 1 {
            for level in 0..desc.levels {
                count += zero_blocks(image, &desc, level, count, &mut nodes, &mut uploads, &mut snapshots);
            }
        } else {
            let old_way = depth && switches.knob("R-002b");
            let node =
                nodes.push(NodeKind::Clear, Prologue::Zero.seq(count), clears.rows.len() as u32, node_flags::INSERTED);
            let [width, height, _] = desc.extent.map(|n| n as i32);
            let mut part = desc.all();
            if old_way {
                part.aspects = Aspects::DEPTH;
            }
            clears.rows.push(Clear {
                node,
                target: ClearTarget::Image(image, part),
                value: if old_way { [1.0_f32.to_bits(), 0, 0, 0] } else { [0; 4] },
                class: desc.host_format.class(),
                mask: 0xF,
                aspects: part.aspects,
                stencil_mask: 0xFF,
                rect: [0, 0, width, height],
            });
            count += 1;
        }
        let text = "new image: nothing was written to it, so that it reads as zero";
        decisions.push(RULE.name, Subject::Resource(image), Verdict::Inserted, text, []);
    }
}

/// Uploads blocks of zeros to a level; returns the number of nodes.
fn zero_blocks(
    image: framegraph::ids::ResourceId,
    desc: &framegraph::resource::ImageDesc,
    level: u8,
    count: usize,
    nodes: &mut Nodes,
    uploads: &mut Uploads,
    snapshots: &mut Snapshots,
) -> usize {
    let (bytes, width, height) = desc.host_format.block();
    let extent = desc.level_extent(level);
    let blocks = extent[0].div_ceil(width) * extent[1].div_ceil(height) * extent[2];
    let bytes = snapshots.reserve(blocks as usize * bytes as usize);
    let region = TexelBox { offset: [0; 3], extent: extent.map(|n| n as i32) };
    for layer in 0..desc.layers {
        // A 3D image counts slices as layers.
        let layers = extent[2] as u16;
        let part = Subresources { aspects: Aspects::COLOR, base_level: level, levels: 1, base_layer: layer, layers };
        let seq = Prologue::Zero.seq(count + usize::from(layer));
        nodes.push(NodeKind::Upload, seq, uploads.rows.len() as u32, node_flags::INSERTED);
        uploads.rows.push(Upload::Image { bytes, target: image, part, region });
    }
    usize::from(desc.layers)
}

#[cfg(test)]
mod tests {
    use crate::testing::Scene;
    use framegraph::resource::ResourceFlags;
    use framegraph::state::Aspects;
    use framegraph::tables::{Clear, ClearTarget};

    /// Clears of a frame with a new colour and a new depth target.
    fn run(knobs: &[&str]) -> Vec<Clear> {
        let mut scene = Scene::new(knobs);
        let program = scene.plain_program(0xF);
        let depth = Scene::texture(0x10000, 0x35, 64, 64);
        scene.targets(&[Scene::texture(0, 0x25, 64, 64)], Some(depth)).bind_program(program).draw().run();
        let clears = scene.clears().to_vec();
        scene.targets(&[Scene::texture(0, 0x25, 64, 64)], Some(depth)).draw().run();
        assert!(scene.clears().is_empty(), "only what is new");
        clears
    }

    // rows: M-1.18, R-002a, R-002b
    #[test]
    fn new_images_are_cleared_once_stencil_included() {
        let clears = run(&[]);
        assert_eq!(clears.len(), 2);
        assert!(clears.iter().all(|clear| clear.value == [0; 4]));
        assert_eq!(clears[1].aspects, Aspects::DEPTH_STENCIL);
        assert!(run(&["M-1.18"]).is_empty());
        assert_eq!(run(&["R-002a"]).len(), 1, "depth alone");
        let old = run(&["R-002b"]);
        assert_eq!((old[1].value[0], old[1].aspects), (1.0_f32.to_bits(), Aspects::DEPTH));
    }

    // rows: M-1.18
    #[test]
    fn an_image_that_is_uploaded_in_full_is_not_cleared_and_all_levels_count() {
        let mut scene = Scene::new(&[]);
        let program = scene.program(&super::super::upload_dirty_textures::tests::sampling());
        let texture = Scene::fit(nvn_decode::record::TextureRef {
            levels: 3,
            view_levels: 3,
            ..Scene::texture(0x1000, 0x25, 8, 8)
        });
        scene.register(256, texture);
        scene.write(0, 0x1000, &vec![7; texture.size as usize]);
        scene.targets(&[Scene::texture(0x40_0000, 0x25, 8, 8)], None).bind_program(program).bind_texture(0, 256, 0);
        scene.draw().run();
        let [clear] = scene.clears() else { panic!("{:?}", scene.clears()) };
        let ClearTarget::Image(target, _) = clear.target else { panic!("{clear:?}") };
        assert_ne!(scene.flags(target) & ResourceFlags::NEW, 0);
        assert_eq!(scene.uploads().len(), 3);
    }
}
