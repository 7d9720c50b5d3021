//! Which targets a draw has, in which format, and which channels it may write.
//!
//! On Maxwell a colour target is an address with a format; format 0 turns the slot off, whatever address it holds. The format is that of the *view*: a linear
//! texture attached through an sRGB view encodes what is written. Each target has its channel mask, unless one mask is shared by all.
//! In Vulkan the view that is attached decides the same, on an image that allows both formats.
//!
//! Seen as: a picture that is too dark; a target that is written although it is off.
//! Rows: M-1.11a, M-1.11b, M-1.12a, R-021a.  Proof: the unit tests below.  Cost: one pass over the distinct sets of targets, one store per draw.

use super::pick_host_formats::HostFormats;
use super::textures::{Textures, attachment_view};
use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::StateId;
use framegraph::schedule::Phase;
use framegraph::state::{Aspects, Attachment, AttachmentSet, Format, WriteMask};
use framegraph::tables::{Draws, States};
use nvn_decode::raw::{RawBlend, RawPart, RawTargets};
use nvn_decode::record::TextureRef;

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "resolve_target_state",
    phase: Phase::State,
    kind: Kind::Plumbing,
    rows: &["M-1.11a", "M-1.11b", "M-1.12a", "R-021a"],
    after: &["pick_host_formats"],
    off_means: "cannot be off",
    knobs: &["M-1.11a", "M-1.11b", "M-1.12a", "R-021a"],
};

/// Row of [`States::targets`] by row of [`RawPart::targets`].
#[derive(Debug, Default, Resource)]
pub struct TargetRows(pub Vec<StateId>);

/// Fills `targets` and `write_mask` of each draw.
pub fn resolve_target_state(
    raw: Res<RawPart>,
    switches: Res<Switches>,
    formats: Res<HostFormats>,
    textures: Res<Textures>,
    mut states: ResMut<States>,
    mut rows: ResMut<TargetRows>,
    mut draws: ResMut<Draws>,
    mut decisions: ResMut<Decisions>,
) {
    let base_format = switches.knob("M-1.12a") || switches.knob("R-021a");
    let off_stays = switches.knob("M-1.11b");
    let own_masks = switches.knob("M-1.11a");
    rows.0.clear();
    for (targets, known) in raw.targets.iter().zip(&textures.targets) {
        let set = resolve(targets, known, &formats, &textures, base_format, off_stays, &mut decisions);
        rows.0.push(states.targets.intern(&set));
    }
    let mut last: Option<(u32, WriteMask)> = None;
    for (draw, used) in raw.draws.iter().enumerate() {
        draws.targets[draw] = rows.0[used.targets as usize];
        let mask = match last {
            Some((row, mask)) if row == used.blend => mask,
            _ => channel_masks(&raw.blend[used.blend as usize], own_masks),
        };
        last = Some((used.blend, mask));
        draws.write_mask[draw] = mask;
    }
}

/// The channel masks of all targets: 4 bits each, target 0 lowest.
fn channel_masks(blend: &RawBlend, own_masks: bool) -> WriteMask {
    let shared = blend.shared_mask && !own_masks;
    let mask = |n: usize| blend.masks[if shared { 0 } else { n }] & 0xF;
    (0..8).fold(0, |bits, n| bits | mask(n) << (4 * n))
}

fn resolve(
    targets: &RawTargets,
    known: &[u32; 9],
    formats: &HostFormats,
    textures: &Textures,
    base_format: bool,
    off_stays: bool,
    decisions: &mut Decisions,
) -> AttachmentSet {
    let mut attach = |texture: &TextureRef, row: u32, depth: bool| -> Option<Attachment> {
        if texture.view_format == 0 && !off_stays {
            return None;
        }
        let desc = textures.keys[row as usize].desc;
        let number = if base_format || texture.view_format == 0 { texture.format } else { texture.view_format };
        let format = if depth { desc.host_format } else { formats.decided(number).host };
        let is_depth = desc.host_format.aspects() != Aspects::COLOR;
        let refused = if format == Format::Undefined {
            Some("a target of format {0} is detached: the device has no such format")
        } else if is_depth != depth || format.block() != desc.host_format.block() {
            Some("a target seen as format {0} is detached: its texels are of another kind or size")
        } else {
            None
        };
        if let Some(text) = refused {
            decisions.push(RULE.name, Subject::Part, Verdict::Degraded, text, [Evidence::Bits(u64::from(number))]);
            return None;
        }
        let view = attachment_view(texture, row, &desc, format);
        let [width, height, _] = desc.level_extent(view.part.base_level);
        Some(Attachment { view, extent: [width, height] })
    };
    let mut set = AttachmentSet { samples: 1, ..AttachmentSet::default() };
    for ((slot, texture), row) in set.color.iter_mut().zip(&targets.color).zip(known) {
        *slot = texture.as_ref().and_then(|texture| attach(texture, *row, false));
    }
    set.depth = targets.depth.as_ref().and_then(|texture| attach(texture, known[8], true));
    let samples = targets.color.iter().flatten().chain(&targets.depth).map(|texture| texture.samples.max(1));
    set.samples = samples.max().unwrap_or(1);
    set
}

#[cfg(test)]
mod tests {
    use crate::testing::Scene;
    use framegraph::state::Format;
    use nvn_decode::record::{Op, TextureRef};

    fn formats(knobs: &[&str], textures: &[TextureRef]) -> Vec<Format> {
        let mut scene = Scene::new(knobs);
        let program = scene.plain_program(0xFF);
        scene.targets(textures, None).bind_program(program).draw().run();
        let set = scene.states().targets[scene.draws().targets[0]];
        set.color.iter().take(textures.len()).map(|slot| slot.map_or(Format::Undefined, |a| a.view.format)).collect()
    }

    // rows: M-1.12a, R-021a
    #[test]
    fn the_format_of_the_view_is_attached() {
        let linear = Scene::texture(0, 0x25, 64, 64);
        let encoded = TextureRef { view_format: 0x38, ..linear };
        assert_eq!(formats(&[], &[encoded]), [Format::Rgba8Srgb]);
        assert_eq!(formats(&["M-1.12a"], &[encoded]), [Format::Rgba8Unorm]);
        assert_eq!(formats(&["R-021a"], &[encoded]), [Format::Rgba8Unorm]);
    }

    // rows: M-1.11b
    #[test]
    fn format_zero_turns_a_slot_off() {
        let on = Scene::texture(0, 0x25, 64, 64);
        let off = TextureRef { view_format: 0, offset: 0x10000, ..on };
        assert_eq!(formats(&[], &[on, off]), [Format::Rgba8Unorm, Format::Undefined]);
        assert_eq!(formats(&["M-1.11b"], &[on, off]), [Format::Rgba8Unorm, Format::Rgba8Unorm]);
    }

    // rows: M-1.11a
    #[test]
    fn a_shared_mask_is_entry_zero_for_all() {
        let raw =
            nvn_decode::raw::RawBlend { masks: [1, 2, 4, 8, 8, 8, 8, 8], shared_mask: true, ..Default::default() };
        assert_eq!(super::channel_masks(&raw, false) & 0xFFF, 0x111);
        assert_eq!(super::channel_masks(&raw, true) & 0xFFF, 0x421);
        let own = nvn_decode::raw::RawBlend { shared_mask: false, ..raw };
        assert_eq!(super::channel_masks(&own, false) & 0xFFF, 0x421);
    }

    #[test]
    fn channel_masks_of_the_game_reach_the_draw() {
        let mut scene = Scene::new(&[]);
        let program = scene.plain_program(0xF);
        scene.targets(&[Scene::texture(0, 0x25, 8, 8)], None).bind_program(program);
        scene.slice(Op::BindChannelMask, &[0x7_u32, 0, 0, 0, 0, 0, 0, 0]).draw().run();
        assert_eq!(scene.draws().write_mask[0], 0x7);
    }
}
