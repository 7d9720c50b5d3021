//! A view for each texture that a program reads, as the program reads it.
//!
//! On Maxwell a descriptor says where texels lie and how they look (format, component mapping, levels, layers, depth or stencil), and the *instruction* says
//! in which shape it samples: a 2D sample of an array reads its first layer. A component that the format lacks reads 0, alpha 1; the mappings of texture and
//! view come on top. sRGB is a property of the descriptor, not of the texels. In Vulkan all of that is one view, made per (texture, shape).
//!
//! Seen as: grey text that should be white with alpha; washed-out or dark textures; flat reflections.
//! Rows: M-2.6a, M-2.7a, M-2.7b, M-2.8a, M-2.8b, R-003a, R-071.  Proof: the unit tests below.  Cost: one view per distinct binding.

use crate::ingest::translate_virtual_addresses::{BindingSources, RawBinding, texture_of};
use crate::rule::{Kind, Rule, Switches};
use crate::state::pick_host_formats::HostFormats;
use crate::state::textures::{Textures, view_range};
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::StateId;
use framegraph::resource::ImageDesc;
use framegraph::schedule::Phase;
use framegraph::state::{Aspects, Dim, Format, Subresources, Swizzle, ViewKey};
use framegraph::tables::{BindSource, Bindings, States};
use nvn_decode::formats;
use nvn_decode::ingest::Device;
use nvn_decode::record::TextureRef;

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "fit_views",
    phase: Phase::Resources,
    kind: Kind::Plumbing,
    rows: &["M-2.6a", "M-2.7a", "M-2.7b", "M-2.8a", "M-2.8b", "R-003a"],
    after: &["alias_by_storage"],
    off_means: "cannot be off",
    knobs: &["M-2.6a", "M-2.7a", "M-2.7b", "R-003a"],
};

/// The shape in which a descriptor was sampled last in this part, and its view.
type Seen = (Dim, StateId);

const NOT_SEEN: Seen = (Dim::D2, StateId::NONE);

/// Which parts of the rule are switched to their mutants.
#[derive(Debug, Clone, Copy, Default)]
struct Mutants {
    image_decides_srgb: bool,
    identity: bool,
    stored_alpha: bool,
}

/// Fills the sources of texture and image bindings; samplers follow.
pub fn fit_views(
    device: Res<Device>,
    switches: Res<Switches>,
    formats: Res<HostFormats>,
    textures: Res<Textures>,
    sources: Res<BindingSources>,
    mut states: ResMut<States>,
    mut bindings: ResMut<Bindings>,
    mut decisions: ResMut<Decisions>,
    mut seen: Local<Vec<Seen>>,
) {
    seen.clear();
    seen.resize(device.textures.len(), NOT_SEEN);
    let mutants = Mutants {
        image_decides_srgb: switches.knob("M-2.6a"),
        identity: switches.knob("M-2.7a") || switches.knob("R-003a"),
        stored_alpha: switches.knob("M-2.7b"),
    };
    for (row, (binding, source)) in bindings.rows.iter_mut().zip(&sources.rows).enumerate() {
        let (shape, sampled, descriptor) = match source {
            RawBinding::Texture { fact, texture, .. } => (fact.dim, true, *texture as usize),
            RawBinding::Image { fact, texture, .. } => (fact.dim, false, *texture as usize),
            _ => continue,
        };
        if let Some((known, view)) = seen.get(descriptor)
            && sampled
            && *known == shape
            && view.is_some()
        {
            binding.source = BindSource::Texture(*view, StateId::NONE);
            continue;
        }
        let mut empty = |text, evidence: &[Evidence]| {
            let subject = Subject::Binding(row as u32);
            decisions.push(RULE.name, subject, Verdict::Degraded, text, evidence.iter().copied());
        };
        let Some(texture) = texture_of(source, &device) else {
            if let RawBinding::Texture { handle, .. } | RawBinding::Image { handle, .. } = source {
                empty(
                    "descriptor {0} was never written: it reads as zero",
                    &[Evidence::Number(i64::from(handle & 0xF_FFFF))],
                );
            }
            continue;
        };
        let used = textures.descriptor(descriptor as u32).map(|used| used.row);
        let Some((texture_row, image)) = used.and_then(|row| textures.image_of(row)) else {
            empty("its format has no image on this device: it reads as zero", &[]);
            continue;
        };
        let desc = textures.keys[texture_row as usize].desc;
        let Some(part) = part_of(texture, &desc, shape) else {
            let has = format_dim(desc.dim);
            empty(
                "sampled as {0}, which a {1} image cannot be: it reads as zero",
                &[Evidence::Text(format_dim(shape)), Evidence::Text(has)],
            );
            continue;
        };
        let mut view =
            ViewKey { resource: image, format: Format::Undefined, dim: shape, part, swizzle: Default::default() };
        match source {
            RawBinding::Texture { .. } => {
                view.format = view_format(texture, &desc, &formats, mutants);
                view.part.aspects = aspect(texture, &desc);
                view.swizzle = swizzle(texture, view.part.aspects, mutants);
                let view = states.views.intern(&view);
                seen[descriptor] = (shape, view);
                binding.source = BindSource::Texture(view, StateId::NONE);
            }
            RawBinding::Image { fact, .. } => {
                view.part.levels = 1;
                view.format = if fact.format == Format::Undefined {
                    formats::linear_twin(view_format(texture, &desc, &formats, mutants))
                } else {
                    fact.format
                };
                let view = states.views.intern(&view);
                binding.source = BindSource::Image(view);
            }
            _ => {}
        }
    }
}

fn format_dim(dim: Dim) -> &'static str {
    match dim {
        Dim::D1 => "1D",
        Dim::D2 => "2D",
        Dim::D3 => "3D",
        Dim::Cube => "cube",
        Dim::D1Array => "1D array",
        Dim::D2Array => "2D array",
        Dim::CubeArray => "cube array",
        Dim::Buffer => "buffer",
    }
}

/// The levels and layers that a sample of this shape sees; `None` where the image cannot have the shape.
fn part_of(texture: &TextureRef, desc: &ImageDesc, shape: Dim) -> Option<Subresources> {
    let (level, levels, layer, layers) = view_range(texture, desc);
    let (layer, layers) = match (desc.dim, shape) {
        (Dim::D3, Dim::D3) => (0, 1),
        (Dim::D1, Dim::D1) | (Dim::D2, Dim::D2) => (layer, 1),
        (Dim::D1, Dim::D1Array) | (Dim::D2, Dim::D2Array) => (layer, layers),
        (Dim::D2, Dim::Cube) if layers >= 6 => (layer, 6),
        (Dim::D2, Dim::CubeArray) if layers >= 6 => (layer, layers - layers % 6),
        _ => return None,
    };
    Some(Subresources { aspects: Aspects::NONE, base_level: level, levels, base_layer: layer, layers })
}

fn view_format(texture: &TextureRef, desc: &ImageDesc, formats: &HostFormats, mutants: Mutants) -> Format {
    let aspects = desc.host_format.aspects();
    if aspects != Aspects::COLOR {
        return desc.host_format;
    }
    if mutants.image_decides_srgb {
        return formats.decided(texture.format).host;
    }
    match formats.decided(texture.view_format).host {
        format if format.aspects() == Aspects::COLOR && format.block() == desc.host_format.block() => format,
        _ => desc.host_format,
    }
}

fn aspect(texture: &TextureRef, desc: &ImageDesc) -> Aspects {
    let aspects = desc.host_format.aspects();
    if aspects == Aspects::COLOR {
        return aspects;
    }
    let has_depth = formats::info(texture.format).is_some_and(|info| info.has_depth());
    if !has_depth || (texture.depth_stencil_mode == 1 && aspects.intersects(Aspects::STENCIL)) {
        Aspects::STENCIL
    } else {
        Aspects::DEPTH
    }
}

/// The component mapping: the format's own, seen through that of the texture and its view.
fn swizzle(texture: &TextureRef, aspects: Aspects, mutants: Mutants) -> [Swizzle; 4] {
    const OWN: [Swizzle; 4] = [Swizzle::R, Swizzle::G, Swizzle::B, Swizzle::A];
    if mutants.identity {
        return [Swizzle::Identity; 4];
    }
    let mut format = formats::info(texture.view_format).map_or(OWN, |info| info.mapping);
    if aspects == Aspects::DEPTH {
        format = [Swizzle::R, Swizzle::R, Swizzle::R, Swizzle::One];
    } else if aspects == Aspects::STENCIL {
        format = [Swizzle::R; 4];
    } else if mutants.stored_alpha {
        format = OWN;
    }
    let mut shown = [Swizzle::Identity; 4];
    for ((to, asked), own) in shown.iter_mut().zip(texture.swizzle).zip(OWN) {
        let component = match asked {
            0 => Swizzle::Zero,
            1 => Swizzle::One,
            2..=5 => format[usize::from(asked) - 2],
            _ => own,
        };
        *to = if component == own { Swizzle::Identity } else { component };
    }
    shown
}

#[cfg(test)]
mod tests {
    use crate::state::shader_store::{HandleSource, StageFacts, TextureFact};
    use crate::testing::Scene;
    use framegraph::state::{Aspects, Dim, Format, Stage, Swizzle, ViewKey};
    use framegraph::tables::{BindSource, Bindings};
    use nvn_decode::layout::target;
    use nvn_decode::record::TextureRef;

    /// The view that a sample of this shape gets of a texture.
    fn view(knobs: &[&str], texture: TextureRef, dim: Dim) -> Option<ViewKey> {
        let mut scene = Scene::new(knobs);
        let texture_fact = TextureFact { slot: 0, source: HandleSource::Bound(0), dim, compare: false };
        let fragment = StageFacts { output_map: 0xF, textures: vec![texture_fact], ..StageFacts::default() };
        let program = scene.program(&[(Stage::Vertex, StageFacts::default()), (Stage::Fragment, fragment)]);
        scene.register(256, texture);
        scene.targets(&[Scene::texture(0x80_0000, 0x25, 8, 8)], None).bind_program(program).bind_texture(0, 256, 0);
        scene.draw().run();
        match scene.res::<Bindings>().rows[0].source {
            BindSource::Texture(view, _) => Some(scene.states().views[view]),
            _ => {
                assert_eq!(scene.decided(super::RULE.name).len(), 1);
                None
            }
        }
    }

    // rows: M-2.7a, R-003a
    #[test]
    fn mappings_of_texture_and_format_combine() {
        // The glyphs of the demo: R8 with the mapping (1, 1, 1, R).
        let atlas = TextureRef { swizzle: [1, 1, 1, 2], ..Scene::texture(0, 0x01, 128, 64) };
        let shown = view(&[], atlas, Dim::D2).expect("a view").swizzle;
        assert_eq!(shown, [Swizzle::One, Swizzle::One, Swizzle::One, Swizzle::R]);
        for knob in ["M-2.7a", "R-003a"] {
            assert_eq!(view(&[knob], atlas, Dim::D2).expect("a view").swizzle, [Swizzle::Identity; 4], "{knob}");
        }
    }

    // rows: M-2.7b
    #[test]
    fn alpha_that_is_not_stored_reads_one() {
        let rgbx = Scene::texture(0, 0x6D, 64, 64);
        assert_eq!(view(&[], rgbx, Dim::D2).expect("a view").swizzle[3], Swizzle::One);
        assert_eq!(view(&["M-2.7b"], rgbx, Dim::D2).expect("a view").swizzle[3], Swizzle::Identity);
    }

    // rows: M-2.6a
    #[test]
    fn the_view_decides_srgb() {
        let drawn = TextureRef { view_format: 0x38, ..Scene::texture(0, 0x25, 64, 64) };
        assert_eq!(view(&[], drawn, Dim::D2).expect("a view").format, Format::Rgba8Srgb);
        assert_eq!(view(&["M-2.6a"], drawn, Dim::D2).expect("a view").format, Format::Rgba8Unorm);
    }

    // rows: M-2.8a, M-2.8b
    #[test]
    fn the_instruction_chooses_the_shape() {
        let array = Scene::fit(TextureRef {
            target: target::D2_ARRAY,
            view_target: target::D2_ARRAY,
            extent: [64, 64, 6],
            view_layers: 6,
            ..Scene::texture(0, 0x25, 64, 64)
        });
        let layers = |dim| view(&[], array, dim).map(|v| (v.dim, v.part.base_layer, v.part.layers));
        assert_eq!(layers(Dim::D2), Some((Dim::D2, 0, 1)));
        assert_eq!(layers(Dim::D2Array), Some((Dim::D2Array, 0, 6)));
        assert_eq!(layers(Dim::Cube), Some((Dim::Cube, 0, 6)));
        assert_eq!(layers(Dim::D3), None);
    }

    #[test]
    fn depth_and_stencil_show_one_aspect() {
        let depth = Scene::texture(0, 0x35, 64, 64);
        let shown = view(&[], depth, Dim::D2).expect("a view");
        assert_eq!((shown.part.aspects, shown.format), (Aspects::DEPTH, Format::D24UnormS8Uint));
        assert_eq!(shown.swizzle, [Swizzle::Identity, Swizzle::R, Swizzle::R, Swizzle::One]);
        let stencil = TextureRef { depth_stencil_mode: 1, ..depth };
        assert_eq!(view(&[], stencil, Dim::D2).expect("a view").part.aspects, Aspects::STENCIL);
    }

    #[test]
    fn single_levels_are_shown_alone() {
        let level = TextureRef { levels: 5, view_level: 2, ..Scene::texture(0, 0x3F, 640, 360) };
        let shown = view(&[], Scene::fit(level), Dim::D2).expect("a view").part;
        assert_eq!((shown.base_level, shown.levels), (2, 1));
    }

    // rows: R-071
    #[test]
    fn a_descriptor_that_was_never_written_reads_as_nothing() {
        let mut scene = Scene::new(&[]);
        let program = scene.program(&super::super::upload_dirty_textures::tests::sampling());
        scene
            .targets(&[Scene::texture(0, 0x25, 8, 8)], None)
            .bind_program(program)
            .bind_texture(0, 300, 0)
            .draw()
            .run();
        assert_eq!(scene.decided(super::RULE.name), ["Degraded: descriptor 300 was never written: it reads as zero"]);
    }
}
