//! A view for each texture that a program reads, as the program reads it.
//!
//! On Maxwell a descriptor says where texels lie and how they look (format, component mapping, levels, layers, depth or stencil), and the *instruction* says
//! in which shape it samples: a 2D sample of an array reads its first layer. A component that the format lacks reads 0, alpha 1; the mappings of texture and
//! view come on top. sRGB is a property of the descriptor, not of the texels. In Vulkan all of that is one view, made per (texture, shape).
//!
//! Seen as: grey text that should be white with alpha; washed-out or dark textures; flat reflections.
//! Rows: M-2.6a, M-2.7a, M-2.7b, M-2.8a, M-2.8b, R-003a, R-071.  Proof: the unit tests below.  Cost: one look-up
//! per distinct (handle, shape); a view is made anew when its descriptor was written.

use crate::ingest::translate_virtual_addresses::{BindingSources, TextureUse, texture_of};
use crate::rule::{Kind, Rule, Switches};
use crate::state::pick_host_formats::HostFormats;
use crate::state::shader_store::Shape;
use crate::state::textures::{Textures, view_range};
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
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

/// Why a use of a texture reads as zero.
type Zero = (&'static str, [Evidence; 2]);

/// Which parts of the rule are switched to their mutants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Mutants {
    image_decides_srgb: bool,
    identity: bool,
    stored_alpha: bool,
}

/// Finds the view of each use of a texture or image, and fills the sources of image bindings; those of textures get theirs with their samplers.
pub fn fit_views(
    device: Res<Device>,
    switches: Res<Switches>,
    formats: Res<HostFormats>,
    textures: Res<Textures>,
    mut sources: ResMut<BindingSources>,
    mut states: ResMut<States>,
    mut bindings: ResMut<Bindings>,
    mut decisions: ResMut<Decisions>,
    mut zeros: Local<Vec<(u32, Zero)>>,
    mut known: Local<KnownViews>,
) {
    zeros.clear();
    let mutants = Mutants {
        image_decides_srgb: switches.knob("M-2.6a"),
        identity: switches.knob("M-2.7a") || switches.knob("R-003a"),
        stored_alpha: switches.knob("M-2.7b"),
    };
    known.begin((formats.devices(), mutants));
    for (n, used) in sources.textures.iter_mut().enumerate() {
        let version = device.textures.version(used.texture);
        if let Some(view) = known.get(used, version) {
            used.view = states.views.intern(view);
            continue;
        }
        match view_of(used, &device, &formats, &textures, mutants) {
            Ok(view) => {
                used.view = states.views.intern(&view);
                known.keep(used, version, view);
            }
            Err(zero) => zeros.push((n as u32, zero)),
        }
    }
    for row in &sources.images {
        let view = sources.textures[sources.uses[*row as usize] as usize].view;
        if view.is_some() {
            bindings.rows[*row as usize].source = BindSource::Image(view);
        }
    }
    if zeros.is_empty() {
        return;
    }
    // Each binding has its decision. The rows of `zeros` are sorted.
    for (row, used) in sources.uses.iter().enumerate() {
        if let Ok(at) = zeros.binary_search_by_key(used, |(n, _)| *n) {
            let (text, evidence) = zeros[at].1;
            let subject = Subject::Binding(row as u32);
            decisions.push(RULE.name, subject, Verdict::Degraded, text, evidence);
        }
    }
}

/// The view that a descriptor had in its last use, while it stays as it is.
#[derive(Debug, Clone, Copy)]
struct KnownView {
    /// How often the descriptor had been written.
    version: u32,
    shape: Shape,
    view: ViewKey,
}

/// Views from part to part: images stay what they are.
#[derive(Debug, Default)]
pub struct KnownViews {
    /// The device, and what is switched: views are found in one way.
    way: (u32, Mutants),
    /// By row of [`Device::textures`].
    rows: Vec<Option<KnownView>>,
}

impl KnownViews {
    fn begin(&mut self, way: (u32, Mutants)) {
        if self.way != way {
            self.way = way;
            self.rows.clear();
        }
    }

    #[inline]
    fn get(&self, used: &TextureUse, version: u32) -> Option<&ViewKey> {
        let known = self.rows.get(used.texture as usize)?.as_ref()?;
        (known.version == version && known.shape == used.shape).then_some(&known.view)
    }

    fn keep(&mut self, used: &TextureUse, version: u32, view: ViewKey) {
        let at = used.texture as usize;
        if self.rows.len() <= at {
            self.rows.resize(at + 1, None);
        }
        self.rows[at] = Some(KnownView { version, shape: used.shape, view });
    }
}

/// The view of a use, or why it has none.
fn view_of(
    used: &TextureUse,
    device: &Device,
    formats: &HostFormats,
    textures: &Textures,
    mutants: Mutants,
) -> Result<ViewKey, Zero> {
    let Some(texture) = texture_of(used, device) else {
        let id = Evidence::Number(i64::from(used.handle & 0xF_FFFF));
        return Err(("descriptor {0} was never written: it reads as zero", [id, Evidence::None]));
    };
    let row = textures.descriptor(used.texture).map(|known| known.row);
    let Some((row, image)) = row.and_then(|row| textures.image_of(row)) else {
        return Err(("its format has no image on this device: it reads as zero", [Evidence::None; 2]));
    };
    let desc = &textures.keys[row as usize].desc;
    let Some(part) = part_of(texture, desc, used.shape.dim) else {
        let names = [used.shape.dim, desc.dim].map(|dim| Evidence::Text(format_dim(dim)));
        return Err(("sampled as {0}, which a {1} image cannot be: it reads as zero", names));
    };
    let format = view_format(texture, desc, formats, mutants);
    let mut view = ViewKey { resource: image, format, dim: used.shape.dim, part, swizzle: Default::default() };
    if used.shape.image {
        view.part.levels = 1;
        view.format = match used.shape.format {
            Format::Undefined => formats::linear_twin(format),
            raw => raw,
        };
    } else {
        view.part.aspects = aspect(texture, desc);
        view.swizzle = swizzle(texture, view.part.aspects, mutants);
    }
    Ok(view)
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
