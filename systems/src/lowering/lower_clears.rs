//! Clears obey scissor, channels and stencil mask, and stay where they are.
//!
//! On Maxwell a clear is a command between draws: it touches the pixels inside scissor 0 of one target, in the channels that it names, all layers of the view,
//! and of stencil the bits of its mask. A PC pass can only begin with a clear of whole attachments. So every clear stays a node in its place, with its
//! rectangle, channels and bits; one that covers the whole attachment in all its channels may become the load operation of a pass, if passes find that nothing
//! came before it. A mask that names every channel that the format has is a whole one.
//!
//! Seen as: a screen wiped by the clear of a corner; a black picture where a mask was meant.
//! Rows: M-1.3a, M-1.3b, M-1.3c, M-1.3f, R-032, R-033, R-034, R-035b.  Proof: the unit tests below.  Cost: one node per clear.

use crate::rule::{Kind, Rule, Switches};
use crate::state::pick_host_formats::HostFormats;
use crate::state::resolve_target_state::TargetRows;
use crate::state::textures::{Textures, attachment_view};
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Subject, Verdict};
use framegraph::schedule::Phase;
use framegraph::state::{Aspects, Attachment, AttachmentSet, Format, NumericClass};
use framegraph::tables::{Clear, ClearTarget, Clears, Nodes, States, node_flags};
use nvn_decode::formats;
use nvn_decode::ingest::Device;
use nvn_decode::raw::{RawClear, RawClearKind, RawPart, RawViewports};
use nvn_decode::record::ClearTexture;

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "lower_clears",
    phase: Phase::Lowering,
    kind: Kind::Correctness,
    rows: &["M-1.3a", "M-1.3b", "M-1.3c", "M-1.3f", "R-032", "R-034", "R-035b"],
    after: &["resolve_target_state", "flip_window_origin", "alias_by_storage"],
    off_means: "a clear covers its whole attachment in all channels and bits",
    knobs: &["M-1.3a", "M-1.3b", "M-1.3c", "R-032", "R-034", "R-035b"],
};

/// Mutants that are on.
#[derive(Debug, Clone, Copy, Default)]
struct Mutants {
    no_scissor: bool,
    no_mask: bool,
    no_stencil_mask: bool,
    strict_mask: bool,
}

/// Fills the payload of each clear node.
pub fn lower_clears(
    (raw, device): (Res<RawPart>, Res<Device>),
    switches: Res<Switches>,
    textures: Res<Textures>,
    host_formats: Res<HostFormats>,
    rows: Res<TargetRows>,
    mut states: ResMut<States>,
    mut clears: ResMut<Clears>,
    mut nodes: ResMut<Nodes>,
    mut decisions: ResMut<Decisions>,
) {
    let off = !switches.on(&RULE);
    let mutants = Mutants {
        no_scissor: off || switches.knob("M-1.3a") || switches.knob("R-034"),
        no_mask: off || switches.knob("M-1.3b"),
        no_stencil_mask: off || switches.knob("M-1.3c") || switches.knob("R-035b"),
        strict_mask: switches.knob("R-032"),
    };
    for clear in &raw.clears {
        let lowered = match &clear.kind {
            RawClearKind::Texture(c) => texture_clear(c, clear, &textures, &host_formats, &mut states, mutants),
            _ => attachment_clear(clear, (&raw, &device), &rows, &states, mutants),
        };
        let node = clear.node.index();
        nodes.payload[node] = clears.rows.len() as u32;
        match lowered {
            Ok((row, whole)) => {
                clears.rows.push(row);
                if whole {
                    nodes.flags[node] |= node_flags::LOAD_CANDIDATE;
                }
            }
            Err(reason) => {
                clears.rows.push(Clear { node: clear.node, ..nothing() });
                nodes.flags[node] |= node_flags::SKIPPED;
                decisions.push(RULE.name, Subject::Node(clear.node), Verdict::Skipped, reason, []);
            }
        }
    }
}

fn nothing() -> Clear {
    Clear {
        node: framegraph::ids::NodeId::NONE,
        target: ClearTarget::Image(framegraph::ids::ResourceId::NONE, Default::default()),
        value: [0; 4],
        class: NumericClass::Float,
        mask: 0,
        aspects: Aspects::NONE,
        stencil_mask: 0,
        rect: [0; 4],
    }
}

fn class(number: u32) -> NumericClass {
    match number {
        1 => NumericClass::Sint,
        2 => NumericClass::Uint,
        _ => NumericClass::Float,
    }
}

/// Channels that a host format stores: bit 0 = red.
fn channels(format: Format, number: Option<u32>) -> u8 {
    if let Some(info) = number.and_then(formats::info)
        && info.channels() != 0
    {
        return info.channels();
    }
    formats::FORMATS.iter().find(|info| info.host == format).map_or(0xF, |info| info.channels())
}

/// A rectangle cut to an extent; `None` when nothing is left.
fn cut(rect: [i32; 4], [width, height]: [u32; 2]) -> Option<[i32; 4]> {
    let run = |at: i32, size: i32, limit: u32| {
        let first = at.clamp(0, limit as i32);
        let end = at.saturating_add(size).clamp(first, limit as i32);
        (end > first).then_some((first, end - first))
    };
    let ((x, width), (y, height)) = (run(rect[0], rect[2], width)?, run(rect[1], rect[3], height)?);
    Some([x, y, width, height])
}

fn scissor(viewports: &RawViewports, mutants: Mutants) -> Option<[i32; 4]> {
    (viewports.scissors_set & 1 != 0 && !mutants.no_scissor).then(|| viewports.scissors[0].rect)
}

/// A clear of a slot of the current targets, and whether it covers the attachment.
fn attachment_clear(
    clear: &RawClear,
    (raw, device): (&RawPart, &Device),
    rows: &TargetRows,
    states: &States,
    mutants: Mutants,
) -> Result<(Clear, bool), &'static str> {
    let targets = *rows.0.get(clear.targets as usize).ok_or("no targets are set")?;
    let set = &states.targets[targets];
    let raw_targets = &raw.targets[clear.targets as usize];
    let viewports = &raw.viewports[clear.viewports as usize];
    let whole_rect = |attachment: &Attachment| [0, 0, attachment.extent[0] as i32, attachment.extent[1] as i32];
    match &clear.kind {
        RawClearKind::Color(c) => {
            let slot = c.index as usize & 7;
            let attachment = set.color[slot].as_ref().ok_or("its slot has no target")?;
            let whole = whole_rect(attachment);
            let rect =
                cut(scissor(viewports, mutants).unwrap_or(whole), attachment.extent).ok_or("its scissor is empty")?;
            let number = device.attached.get(raw_targets.numbers[slot]).map(|texture| texture.view_format);
            let stored = channels(attachment.view.format, number);
            let asked = if mutants.no_mask { 0xF } else { c.mask as u8 & 0xF };
            if asked & stored == 0 {
                return Err("its mask names no channel that the target has");
            }
            let all = if mutants.strict_mask { asked == 0xF } else { asked & stored == stored };
            let clear = Clear {
                node: clear.node,
                target: ClearTarget::Attachment(targets, slot as u8),
                value: c.value,
                class: class(c.class),
                mask: if all { 0xF } else { asked },
                aspects: Aspects::COLOR,
                stencil_mask: 0,
                rect,
            };
            Ok((clear, all && rect == whole))
        }
        RawClearKind::DepthStencil(c) => {
            let attachment = set.depth.as_ref().ok_or("there is no depth/stencil target")?;
            let whole = whole_rect(attachment);
            let rect =
                cut(scissor(viewports, mutants).unwrap_or(whole), attachment.extent).ok_or("its scissor is empty")?;
            let has = attachment.view.part.aspects;
            let mut stencil_mask = c.stencil_mask as u8;
            if mutants.no_stencil_mask && stencil_mask != 0 {
                stencil_mask = 0xFF;
            }
            let wanted = if c.depth_mask != 0 { Aspects::DEPTH.0 } else { 0 }
                | if stencil_mask != 0 { Aspects::STENCIL.0 } else { 0 };
            let aspects = Aspects(wanted & has.0);
            if aspects == Aspects::NONE {
                return Err("it clears neither depth nor stencil of its target");
            }
            let whole_stencil = !aspects.intersects(Aspects::STENCIL) || stencil_mask == 0xFF;
            let clear = Clear {
                node: clear.node,
                target: ClearTarget::Attachment(targets, 8),
                value: [c.depth.clamp(0.0, 1.0).to_bits(), c.stencil & 0xFF, 0, 0],
                class: NumericClass::Float,
                mask: 0xF,
                aspects,
                stencil_mask,
                rect,
            };
            Ok((clear, whole_stencil && rect == whole))
        }
        RawClearKind::Texture(_) => Err("a texture is cleared by itself"),
    }
}

/// A clear of a texture: of the image as a whole where it can be, else of the texture as a target of its own.
fn texture_clear(
    c: &ClearTexture,
    clear: &RawClear,
    textures: &Textures,
    host_formats: &HostFormats,
    states: &mut States,
    mutants: Mutants,
) -> Result<(Clear, bool), &'static str> {
    let (row, image) = textures.image(&c.texture).ok_or("its texture has no image on this device")?;
    let desc = textures.keys[row as usize].desc;
    let mut format = host_formats.decided(c.texture.view_format).host;
    if format == Format::Undefined || desc.host_format.aspects() != Aspects::COLOR {
        format = desc.host_format;
    }
    let mut view = attachment_view(&c.texture, row, &desc, format);
    view.resource = image;
    let [width, height, _] = desc.level_extent(view.part.base_level);
    let extent = [width, height];
    let [x, y, z] = c.region.offset;
    let [w, h, d] = c.region.extent;
    let whole_rect = [0, 0, width as i32, height as i32];
    let rect = if [w, h, d] == [0; 3] { whole_rect } else { [x, y, w, h] };
    let rect = cut(rect, extent).ok_or("its region is empty")?;
    if d > 0 {
        let first = view.part.base_layer.saturating_add(z.max(0) as u16);
        let end = (i32::from(first) + d).min(i32::from(view.part.base_layer) + i32::from(view.part.layers));
        (view.part.base_layer, view.part.layers) = (first, (end - i32::from(first)).max(0) as u16);
        if view.part.layers == 0 {
            return Err("its region is empty");
        }
    }
    let stored = channels(format, Some(c.texture.view_format));
    let asked = if mutants.no_mask { 0xF } else { c.mask as u8 & 0xF };
    let all = if mutants.strict_mask { asked == 0xF } else { asked & stored == stored };
    let mut lowered = Clear {
        node: clear.node,
        target: ClearTarget::Image(image, view.part),
        value: c.value,
        class: class(c.class),
        mask: if all { 0xF } else { asked },
        aspects: view.part.aspects,
        stencil_mask: 0xFF,
        rect,
    };
    if all && rect == whole_rect && !format.is_srgb() {
        return Ok((lowered, false));
    }
    let mut set = AttachmentSet { samples: desc.samples, ..AttachmentSet::default() };
    let attachment = Some(Attachment { view, extent });
    let slot = if desc.host_format.aspects() == Aspects::COLOR {
        set.color[0] = attachment;
        0
    } else {
        set.depth = attachment;
        8
    };
    lowered.target = ClearTarget::Attachment(states.targets.intern(&set), slot);
    Ok((lowered, false))
}

#[cfg(test)]
mod tests {
    use crate::testing::Scene;
    use framegraph::state::Aspects;
    use framegraph::tables::{Clear, ClearTarget, node_flags};
    use nvn_decode::record::{ClearDepthStencil, ClearTexture, Op, Region, TextureRef};

    /// The lowered clear and whether a pass may begin with it.
    fn lowered(scene: &Scene) -> (Clear, bool) {
        let nodes = scene.nodes();
        let clear =
            scene.clears().iter().find(|c| nodes.flags[c.node.index()] & node_flags::INSERTED == 0).expect("one");
        (*clear, nodes.flags[clear.node.index()] & node_flags::LOAD_CANDIDATE != 0)
    }

    fn color(knobs: &[&str], format: u32, mask: u32, scissor: Option<[i32; 4]>) -> (Clear, bool) {
        let mut scene = Scene::new(knobs);
        scene.targets(&[Scene::texture(0, format, 64, 64)], None);
        if let Some(rect) = scissor {
            scene.scissor(rect);
        }
        scene.clear_color(0, mask).run();
        lowered(&scene)
    }

    // rows: M-1.3a, R-034
    #[test]
    fn clears_are_cut_by_scissor_zero() {
        let (clear, whole) = color(&[], 0x25, 0xF, Some([8, 16, 8, 8]));
        assert_eq!((clear.rect, whole), ([8, 16, 8, 8], false));
        for knob in ["M-1.3a", "R-034"] {
            assert_eq!(color(&[knob], 0x25, 0xF, Some([8, 16, 8, 8])).0.rect, [0, 0, 64, 64], "{knob}");
        }
        assert!(color(&[], 0x25, 0xF, Some([-10, -10, 1000, 1000])).1, "a scissor around all is none");
    }

    // rows: M-1.3b
    #[test]
    fn a_clear_has_its_own_channels() {
        let (clear, whole) = color(&[], 0x25, 0xA, None);
        assert_eq!((clear.mask, whole), (0xA, false));
        assert_eq!(color(&["M-1.3b"], 0x25, 0xA, None).0.mask, 0xF);
    }

    // rows: R-032
    #[test]
    fn a_mask_of_all_channels_that_exist_is_whole() {
        assert!(color(&[], 0x0D, 0x3, None).1, "RG8");
        assert!(!color(&[], 0x0D, 0x1, None).1);
        assert!(!color(&["R-032"], 0x0D, 0x3, None).1);
    }

    fn depth(knobs: &[&str], clear: ClearDepthStencil) -> (Clear, bool) {
        let mut scene = Scene::new(knobs);
        scene.targets(&[], Some(Scene::texture(0, 0x35, 64, 64))).cmd(Op::ClearDepthStencil, &clear).run();
        lowered(&scene)
    }

    // rows: M-1.3c, R-035b
    #[test]
    fn stencil_is_cleared_in_the_bits_of_its_mask() {
        let partial = ClearDepthStencil { depth: 1.0, depth_mask: 0, stencil: 0x12, stencil_mask: 0x0F };
        let (clear, whole) = depth(&[], partial);
        assert_eq!((clear.aspects, clear.stencil_mask, clear.value[1], whole), (Aspects::STENCIL, 0x0F, 0x12, false));
        for knob in ["M-1.3c", "R-035b"] {
            assert_eq!(depth(&[knob], partial).0.stencil_mask, 0xFF, "{knob}");
        }
        let both = ClearDepthStencil { depth: 1.0, depth_mask: 1, stencil: 0, stencil_mask: 0xFFFF_FFFF };
        assert!(depth(&[], both).1);
    }

    #[test]
    fn textures_are_cleared_as_images_or_in_part_as_targets() {
        let texture = Scene::texture(0, 0x25, 64, 64);
        let run = |region: Region, mask, texture: TextureRef| {
            let mut scene = Scene::new(&[]);
            let clear = ClearTexture { texture, region, value: crate::testing::WHITE, class: 0, mask };
            scene.cmd(Op::ClearTexture, &clear).run();
            lowered(&scene).0
        };
        let whole = run(Region { offset: [0; 3], extent: [64, 64, 1] }, 0xF, texture);
        assert!(matches!(whole.target, ClearTarget::Image(..)));
        let part = run(Region { offset: [4, 4, 0], extent: [8, 8, 1] }, 0xF, texture);
        assert!(matches!(part.target, ClearTarget::Attachment(_, 0)));
        assert_eq!(part.rect, [4, 4, 8, 8]);
        assert!(matches!(run(Region::default(), 0x1, texture).target, ClearTarget::Attachment(_, 0)));
    }
}
