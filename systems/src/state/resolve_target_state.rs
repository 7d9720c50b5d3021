//! Which targets a draw has, in which format, and which channels it may write.
//!
//! On Maxwell a colour target is an address with a format; format 0 turns the slot off, whatever address it holds. The format is that of the *view*: a linear
//! texture attached through an sRGB view encodes what is written. Each target has its channel mask, unless one mask is shared by all.
//! In Vulkan the view that is attached decides the same, on an image that allows both formats.
//!
//! Seen as: a picture that is too dark; a target that is written although it is off.
//! Rows: M-1.11a, M-1.11b, M-1.12a, R-021a.  Proof: the unit tests below.  Cost: one pass over the distinct sets of targets, two fills per run of draws.

use super::pick_host_formats::HostFormats;
use super::textures::{Textures, attachment_view};
use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::StateId;
use framegraph::schedule::Phase;
use framegraph::state::{Aspects, Attachment, AttachmentSet, Format, WriteMask};
use framegraph::tables::{Draws, States};
use nvn_decode::ingest::Device;
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
    (raw, device): (Res<RawPart>, Res<Device>),
    switches: Res<Switches>,
    formats: Res<HostFormats>,
    textures: Res<Textures>,
    mut states: ResMut<States>,
    mut rows: ResMut<TargetRows>,
    mut draws: ResMut<Draws>,
    mut decisions: ResMut<Decisions>,
    mut known: Local<KnownAttachments>,
) {
    let base_format = switches.knob("M-1.12a") || switches.knob("R-021a");
    let off_stays = switches.knob("M-1.11b");
    let own_masks = switches.knob("M-1.11a");
    rows.0.clear();
    let view = View { device: formats.devices(), base_format, off_stays };
    if known.view != Some(view) {
        *known = KnownAttachments { view: Some(view), ..KnownAttachments::default() };
    }
    for (targets, textures_of) in raw.targets.iter().zip(&textures.targets) {
        let mut set = AttachmentSet { samples: 1, ..AttachmentSet::default() };
        for (n, (number, row)) in targets.numbers.iter().zip(textures_of).enumerate() {
            let (number, depth) = (*number, n == RawTargets::DEPTH);
            let Some(texture) = device.attached.get(number) else { continue };
            let slot = if depth { &mut set.depth } else { &mut set.color[n] };
            match known.get(number, depth) {
                Some(found) => *slot = *found,
                None => match attach(texture, *row, depth, view, &formats, &textures) {
                    Ok(found) => {
                        known.keep(number, depth, found);
                        *slot = found;
                    }
                    Err((text, number)) => {
                        let evidence = [Evidence::Bits(u64::from(number))];
                        decisions.push(RULE.name, Subject::Part, Verdict::Degraded, text, evidence);
                    }
                },
            }
            set.samples = set.samples.max(texture.samples);
        }
        rows.0.push(states.targets.intern(&set));
    }
    for (run, used) in raw.runs() {
        draws.targets[run.clone()].fill(rows.0[used.targets as usize]);
        draws.write_mask[run].fill(channel_masks(&raw.blend[used.blend as usize], own_masks));
    }
}

/// The channel masks of all targets: 4 bits each, target 0 lowest.
#[inline]
fn channel_masks(blend: &RawBlend, own_masks: bool) -> WriteMask {
    let shared = blend.shared_mask && !own_masks;
    let mask = |n: usize| blend.masks[if shared { 0 } else { n }] & 0xF;
    (0..8).fold(0, |bits, n| bits | mask(n) << (4 * n))
}

/// What decides how targets are seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct View {
    device: u32,
    base_format: bool,
    off_stays: bool,
}

/// Attachments that textures came to, while targets are seen in one way. By number of an attached texture: as colour, as depth.
#[derive(Debug, Default)]
pub struct KnownAttachments {
    view: Option<View>,
    rows: Vec<[Option<Option<Attachment>>; 2]>,
}

impl KnownAttachments {
    #[inline]
    fn get(&self, number: u32, depth: bool) -> Option<&Option<Attachment>> {
        self.rows.get(number as usize)?[usize::from(depth)].as_ref()
    }

    fn keep(&mut self, number: u32, depth: bool, found: Option<Attachment>) {
        if self.rows.len() <= number as usize {
            self.rows.resize(number as usize + 1, [None; 2]);
        }
        self.rows[number as usize][usize::from(depth)] = Some(found);
    }
}

/// The attachment that a texture comes to; `None` where its format turns it off. What is refused has a reason and the format number.
fn attach(
    texture: &TextureRef,
    row: u32,
    depth: bool,
    view: View,
    formats: &HostFormats,
    textures: &Textures,
) -> Result<Option<Attachment>, (&'static str, u32)> {
    if texture.view_format == 0 && !view.off_stays {
        return Ok(None);
    }
    let desc = textures.keys[row as usize].desc;
    let number = if view.base_format || texture.view_format == 0 { texture.format } else { texture.view_format };
    let format = if depth { desc.host_format } else { formats.decided(number).host };
    let is_depth = desc.host_format.aspects() != Aspects::COLOR;
    if format == Format::Undefined {
        return Err(("a target of format {0} is detached: the device has no such format", number));
    }
    if is_depth != depth || format.block() != desc.host_format.block() {
        return Err(("a target seen as format {0} is detached: its texels are of another kind or size", number));
    }
    let view = attachment_view(texture, row, &desc, format);
    let [width, height, _] = desc.level_extent(view.part.base_level);
    Ok(Some(Attachment { view, extent: [width, height] }))
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
