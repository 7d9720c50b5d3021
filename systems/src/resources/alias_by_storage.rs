//! One image per place and description.
//!
//! On the console a texture object is a description of bytes. Titles build new objects over the same bytes every frame and never end them; what was rendered
//! through the one is seen through the other. So an image of the host belongs to (pool, offset, description), lives as long as the pool, and every object with
//! the same three shares it.
//!
//! Seen as: memory that grows until the host gives up; effects that feed on their last frame and find nothing.
//! Rows: M-2.3a, R-019.  Proof: the unit tests below.  Cost: one look per texture used.

use crate::keyframe::Keyframe;
use crate::rule::{Kind, Rule, Switches};
use crate::state::textures::{PENDING, Textures};
use bevy_ecs::prelude::*;
use framegraph::ids::ResourceId;
use framegraph::resource::{Label, PhysicalRange, ResourceFlags, ResourceKind, ResourcePool, Storage, Written};
use framegraph::schedule::Phase;
use framegraph::state::{Dim, Format};
use framegraph::tables::States;
use nvn_decode::ingest::{Device, Restored};
use nvn_decode::layout;
use std::collections::HashMap;

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "alias_by_storage",
    phase: Phase::Resources,
    kind: Kind::Plumbing,
    rows: &["M-2.3a", "R-019"],
    after: &["pick_host_formats", "drop_duplicate_attachments", "translate_virtual_addresses"],
    off_means: "cannot be off",
    knobs: &["M-2.3a", "R-019"],
};

/// Makes images for rows that have none, and puts images in place of rows into the part's targets.
pub fn alias_by_storage(world: &mut World) {
    // Taken and put back: a scope over a resource makes the world keep a note of each removal.
    let mut textures = std::mem::take(&mut *world.resource_mut::<Textures>());
    let per_object = world.get_resource::<Switches>().is_some_and(|s| s.knob("M-2.3a") || s.knob("R-019"));
    textures.per_object = per_object;
    let numbers = match world.resource::<Restored>().active {
        true => world.resource::<Keyframe>().images(&textures),
        false => HashMap::new(),
    };
    for n in 0..textures.used.len() {
        let row = textures.used[n] as usize;
        let key = textures.keys[row];
        if textures.images[row].is_some() || key.desc.host_format == Format::Undefined || key.desc.dim == Dim::Buffer {
            continue;
        }
        let wanted = numbers.get(&(row as u32)).and_then(|id| ResourcePool::take_id(world, *id));
        let id = wanted.unwrap_or_else(|| ResourcePool::take(world));
        textures.images[row] = id;
        let length = textures.sizes[row];
        let display = if textures.flags[row] & layout::flags::DISPLAY != 0 { ResourceFlags::DISPLAY } else { 0 };
        let label = label(world, key.pool, key.offset, &key.desc);
        if let Some(entity) = world.resource::<ResourcePool>().entity(id) {
            world.entity_mut(entity).insert((
                Storage { range: PhysicalRange { pool: key.pool, offset: key.offset, length }, generation: 0 },
                ResourceKind::Image(key.desc),
                ResourceFlags(ResourceFlags::NEW | display),
                Written::default(),
                Label(label),
            ));
        }
    }
    let images = &textures.images;
    world.resource_mut::<States>().targets.update(|set| {
        for attachment in set.color.iter_mut().chain([&mut set.depth]) {
            let Some(inner) = attachment else { continue };
            let id = inner.view.resource.0;
            if id & PENDING != 0 && id != ResourceId::NONE.0 {
                let image = images.get((id & !PENDING) as usize).copied().unwrap_or_default();
                inner.view.resource = image;
                if !image.is_some() {
                    *attachment = None;
                }
            }
        }
    });
    *world.resource_mut::<Textures>() = textures;
}

/// The name of an image for people: the game's own, or its place and description.
fn label(world: &World, pool: u32, offset: u64, desc: &framegraph::resource::ImageDesc) -> String {
    if let Some(name) = world.get_resource::<Device>().and_then(|device| device.texture_labels.get(&(pool, offset))) {
        return name.clone();
    }
    let [width, height, depth] = desc.extent;
    let more = match (desc.layers, depth, desc.levels) {
        (1, 1, 1) => String::new(),
        (layers, depth, levels) => format!(" x{} {levels} levels", u32::from(layers).max(depth)),
    };
    format!("p{pool}+{offset:#x} {} {width}x{height}{more}", desc.format.name())
}

#[cfg(test)]
mod tests {
    use crate::testing::Scene;
    use nvn_decode::record::TextureRef;

    /// Number of images after a frame for each of these textures.
    fn images(knobs: &[&str], textures: &[TextureRef]) -> usize {
        let mut scene = Scene::new(knobs);
        let program = scene.plain_program(0xF);
        for texture in textures {
            scene.targets(&[*texture], None).bind_program(program).draw().run();
        }
        scene.images()
    }

    // rows: M-2.3a, R-019
    #[test]
    fn textures_over_the_same_bytes_share_one_image_from_frame_to_frame() {
        // 600 frames, each with a texture object of its own: a view, a mapping or a flag may differ.
        let objects: Vec<_> = (0..600_u32)
            .map(|n| TextureRef {
                swizzle: [2, 3, 4, (n % 6) as u8],
                flags: (n % 2) * 4,
                ..Scene::texture(0, 0x25, 64, 64)
            })
            .collect();
        assert_eq!(images(&[], &objects), 1);
        for knob in ["M-2.3a", "R-019"] {
            assert!(images(&[knob], &objects[..12]) > 1, "{knob}");
        }
    }

    // rows: M-2.6a
    #[test]
    fn srgb_is_a_matter_of_the_view_and_another_format_is_another_image() {
        let linear = Scene::texture(0, 0x25, 64, 64);
        let encoded = Scene::texture(0, 0x38, 64, 64);
        assert_eq!(images(&[], &[linear, encoded]), 1);
        assert_eq!(images(&[], &[linear, Scene::texture(0, 0x0A, 64, 64)]), 2);
        assert_eq!(images(&[], &[linear, Scene::texture(0x10000, 0x25, 64, 64)]), 2);
    }
}
