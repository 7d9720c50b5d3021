//! What the window shows.
//!
//! The display shows the bytes of a window texture: an sRGB format is not decoded once more. With a lower-left window origin row 0 of memory is the bottom line
//! of the display, so that presenting turns the rows round, the one place that does. A crop of no size shows all. A texture that was never drawn to shows
//! black: it is a new image like any other.
//!
//! Seen as: a picture upside down, or too bright.
//! Rows: R-039b, R-040, R-021b, A-093.  Proof: the unit tests below.  Cost: one node per present.

use crate::rule::{Kind, Rule, Switches};
use crate::state::textures::Textures;
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Subject, Verdict};
use framegraph::schedule::Phase;
use framegraph::tables::{Nodes, Presents, node_flags};
use nvn_decode::formats;
use nvn_decode::raw::RawPart;

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "prepare_present",
    phase: Phase::Lowering,
    kind: Kind::Plumbing,
    rows: &["R-039b", "R-040", "R-021b", "A-093"],
    after: &["alias_by_storage", "flip_window_origin"],
    off_means: "cannot be off",
    knobs: &["R-039b", "R-040", "R-021b", "A-093"],
};

/// Fills each present.
pub fn prepare_present(
    raw: Res<RawPart>,
    switches: Res<Switches>,
    textures: Res<Textures>,
    mut presents: ResMut<Presents>,
    mut nodes: ResMut<Nodes>,
    mut decisions: ResMut<Decisions>,
) {
    for present in &raw.presents {
        let node = present.node.index();
        let Some(row) = presents.rows.get_mut(nodes.payload[node] as usize) else { continue };
        let Some((texture, image)) = textures.image(&present.texture) else {
            nodes.flags[node] |= node_flags::SKIPPED;
            let text = "the window's texture has no image on this device";
            decisions.push(RULE.name, Subject::Node(present.node), Verdict::Skipped, text, []);
            continue;
        };
        let [width, height, _] = textures.keys[texture as usize].desc.extent.map(|n| n as i32);
        row.source = image;
        let format = textures.keys[texture as usize].desc.host_format;
        // The mutants take the texture's own format, so that an sRGB texture is decoded on its way.
        let decoded = switches.knob("R-021b") || switches.knob("A-093");
        let encoded = formats::info(present.texture.format).is_some_and(|f| f.host.is_srgb());
        let own = formats::encoded_twin(format).filter(|_| decoded && encoded);
        row.format = own.unwrap_or(formats::linear_twin(format));
        row.flip = present.origin == 0 && !switches.knob("R-039b");
        let [x, y, w, h] = present.crop;
        row.crop = if w <= 0 || h <= 0 {
            [0, 0, width, height]
        } else {
            let (x, y) = (x.clamp(0, width - 1), y.clamp(0, height - 1));
            [x, y, w.min(width - x), h.min(height - y)]
        };
        row.extent = [row.crop[2] as u32, row.crop[3] as u32];
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Scene;
    use framegraph::state::Format;
    use framegraph::tables::{Present, Presents};
    use nvn_decode::record::{Op, PresentTexture, Window};

    fn run(knobs: &[&str], origin: u32, crop: [i32; 4]) -> (Present, usize) {
        let mut scene = Scene::new(knobs);
        scene.device(origin, 1);
        let flags = nvn_decode::layout::flags::DISPLAY;
        let texture = nvn_decode::record::TextureRef { flags, ..Scene::texture(0, 0x38, 64, 32) };
        let mut window = bytemuck::bytes_of(&Window { window: 0, count: 1 }).to_vec();
        window.extend_from_slice(bytemuck::bytes_of(&texture));
        scene.event_bytes(Op::Window, &window);
        scene.event(Op::Present, &PresentTexture { crop, ..PresentTexture::default() }).run();
        (scene.res::<Presents>().rows[0], scene.clears().len())
    }

    #[test]
    fn an_srgb_texture_is_taken_as_bytes() {
        // The texture is RGBA8_SRGB.
        assert_eq!(run(&[], 1, [0; 4]).0.format, Format::Rgba8Unorm);
        for row in ["R-021b", "A-093"] {
            assert_eq!(run(&[row], 1, [0; 4]).0.format, Format::Rgba8Srgb, "it would be decoded once more");
        }
    }

    // rows: R-039b
    #[test]
    fn a_lower_left_window_is_turned_once() {
        assert!(run(&[], 0, [0; 4]).0.flip);
        assert!(!run(&[], 1, [0; 4]).0.flip);
        assert!(!run(&["R-039b"], 0, [0; 4]).0.flip);
    }

    // rows: R-040
    #[test]
    fn a_texture_that_was_never_drawn_to_is_black() {
        let (present, clears) = run(&[], 0, [0; 4]);
        assert!(present.source.is_some());
        assert_eq!(clears, 1);
        assert_eq!(run(&["R-040"], 0, [0; 4]).1, 0, "it would show what its memory held");
    }

    #[test]
    fn a_crop_of_no_size_shows_all_and_another_is_cut() {
        assert_eq!(run(&[], 0, [0; 4]).0.crop, [0, 0, 64, 32]);
        let cut = run(&[], 0, [32, 16, 100, 100]).0;
        assert_eq!((cut.crop, cut.extent), ([32, 16, 32, 16], [32, 16]));
    }
}
