//! Each texture format gets a format of the host: the same, or one that stands in for it.
//!
//! On Maxwell all formats of the API exist. A PC device lacks some: packed 24-bit depth on many, ASTC on nearly all. So every format number gets a host
//! format once: native where the device has the uses that the format needs, else a wider one, stated as a decision. Images of sRGB formats live in the
//! linear twin, so that the view that is bound decides whether texels are encoded (M-1.12a, M-2.6a).
//!
//! Seen as: no depth at all, or a device error when a depth target is made.
//! Rows: M-1.7a, R-003b.  Proof: the unit tests below.  Cost: one look-up per distinct texture of the part; what
//! was found out about a descriptor holds until it is written.

use super::textures::Textures;
use crate::keyframe::Keyframe;
use crate::rule::{Kind, Rule};
use bevy_ecs::prelude::*;
use framegraph::caps::{DeviceCaps, format_uses};
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::schedule::Phase;
use framegraph::state::Format;
use nvn_decode::formats::{self, uses};
use nvn_decode::ingest::{Device, PartInfo, Restored};
use nvn_decode::raw::{NO_TEXTURE, RawClearKind, RawCopyKind, RawPart};
use nvn_decode::record::Sampler;

use crate::ingest::translate_virtual_addresses::{BindingSources, TextureUse, sampler_of};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "pick_host_formats",
    phase: Phase::State,
    kind: Kind::Plumbing,
    rows: &["M-1.7a", "R-003b"],
    after: &["walk_call_tree", "translate_virtual_addresses"],
    off_means: "cannot be off",
    knobs: &[],
};

/// The host format of a format number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HostFormat {
    /// The format as the host would name it natively; `Undefined` = the host has no such format.
    pub named: Format,
    /// The format that images have.
    pub host: Format,
    /// Alpha that is stored counts (RGBX: it does not).
    pub has_alpha: bool,
}

impl HostFormat {
    /// Whether the bytes of the host's texels are the guest's.
    #[must_use]
    pub fn is_native(&self) -> bool {
        self.named == self.host && self.named != Format::Undefined
    }
}

/// Host formats by format number, decided on first use.
#[derive(Debug, Default, Resource)]
pub struct HostFormats {
    rows: Vec<Option<HostFormat>>,
    caps: Option<DeviceCaps>,
    /// Numbers decided since the last look.
    fresh: Vec<u32>,
    /// Counts devices: what was decided holds until it changes.
    devices: u32,
}

impl HostFormats {
    /// Sets the device; forgets what was decided for another.
    pub fn set_caps(&mut self, caps: &DeviceCaps) {
        if self.caps.as_ref() != Some(caps) {
            self.caps = Some(caps.clone());
            self.rows.clear();
            self.devices += 1;
        }
    }

    /// Counts devices: what was decided holds until it changes.
    #[must_use]
    pub fn devices(&self) -> u32 {
        self.devices
    }

    /// The host format of a number.
    pub fn get(&mut self, number: u32) -> HostFormat {
        let Some(info) = formats::info(number) else { return HostFormat::default() };
        if let Some(Some(known)) = self.rows.get(number as usize) {
            return *known;
        }
        let allows = |format: Format, wanted: u32| self.caps.as_ref().is_none_or(|caps| caps.allows(format, wanted));
        let wanted = if info.uses & uses::DEPTH != 0 { format_uses::DEPTH } else { format_uses::SAMPLED };
        let host = if info.host == Format::Undefined || info.uses & (uses::TEXTURE | uses::COLOR | uses::DEPTH) == 0 {
            info.host
        } else {
            std::iter::once(info.host)
                .chain(stand_ins(info.host).iter().copied())
                .find(|format| allows(*format, wanted))
                .unwrap_or(Format::Undefined)
        };
        let picked = HostFormat { named: info.host, host, has_alpha: info.has_alpha() };
        if self.rows.len() <= number as usize {
            self.rows.resize(number as usize + 1, None);
        }
        self.rows[number as usize] = Some(picked);
        if !picked.is_native() {
            self.fresh.push(number);
        }
        picked
    }

    /// Numbers that were decided.
    #[must_use]
    pub fn known(&self) -> Vec<u32> {
        let rows = self.rows.iter().enumerate();
        rows.filter(|(_, row)| row.is_some()).map(|(number, _)| number as u32).collect()
    }

    /// The host format of a number that was decided before.
    #[must_use]
    pub fn decided(&self, number: u32) -> HostFormat {
        self.rows.get(number as usize).copied().flatten().unwrap_or_default()
    }
}

/// Wider formats that can show what a format shows, best first.
fn stand_ins(format: Format) -> &'static [Format] {
    match format {
        Format::X8D24Unorm => &[Format::D24UnormS8Uint, Format::D32Float],
        Format::D24UnormS8Uint => &[Format::D32FloatS8Uint],
        Format::D16Unorm => &[Format::D32Float],
        Format::S8Uint => &[Format::D24UnormS8Uint, Format::D32FloatS8Uint],
        _ => &[],
    }
}

/// Whether the sampler of a use takes the mean of neighbouring texels, made smaller or larger, and no smaller level where level 0 is asked for.
fn samples_linear(used: &TextureUse, device: &Device) -> bool {
    let mean = |s: &Sampler| {
        let filters = s.min_mag[0] % 2 == 1 && s.min_mag[1] == 1 && s.reduction == 0 && s.compare[0] == 0;
        filters && s.lod_bias == 0.0 && s.lod[0] <= 0.0 && s.lod[1] >= 0.0
    };
    sampler_of(used, device).is_some_and(mean)
}

/// Gives every texture of the part a row and its format a host format.
pub fn pick_host_formats(
    raw: Res<RawPart>,
    device: Res<Device>,
    info: Res<PartInfo>,
    caps: Res<DeviceCaps>,
    (restored, keyframe): (Res<Restored>, Res<Keyframe>),
    mut sources: ResMut<BindingSources>,
    mut formats: ResMut<HostFormats>,
    mut textures: ResMut<Textures>,
    mut decisions: ResMut<Decisions>,
) {
    formats.set_caps(&caps);
    textures.begin(info.index);
    if restored.active {
        // In the order in which they first came.
        for number in keyframe.formats() {
            formats.get(number);
        }
        for texture in keyframe.textures().chain(restored.images.iter().map(|image| image.texture)) {
            textures.use_texture(&texture, &mut formats);
        }
    }
    for targets in &raw.targets {
        let mut rows = [u32::MAX; 9];
        for (row, number) in rows.iter_mut().zip(&targets.numbers) {
            if *number != NO_TEXTURE {
                *row = textures.use_numbered(*number, &device, &mut formats);
            }
        }
        textures.targets.push(rows);
    }
    let BindingSources { textures: uses, hints, .. } = &mut *sources;
    hints.clear();
    for used in uses.iter() {
        let hint = textures.use_descriptor(used.texture, &device, &mut formats);
        hints.push(if samples_linear(used, &device) { hint.linear() } else { hint });
    }
    for copy in &raw.copies {
        match &copy.kind {
            RawCopyKind::BufferToTexture(c) | RawCopyKind::TextureToBuffer(c) => {
                textures.use_texture(&c.texture, &mut formats);
            }
            RawCopyKind::Texture(c) => {
                textures.use_texture(&c.source, &mut formats);
                textures.use_texture(&c.target, &mut formats);
            }
            RawCopyKind::Downsample(c) => {
                textures.use_texture(&c.source, &mut formats);
                textures.use_texture(&c.target, &mut formats);
            }
            RawCopyKind::Buffer(_) | RawCopyKind::Fill(_) => {}
        }
    }
    for clear in &raw.clears {
        if let RawClearKind::Texture(c) = &clear.kind {
            textures.use_texture(&c.texture, &mut formats);
            formats.get(c.texture.view_format);
        }
    }
    for present in &raw.presents {
        textures.use_texture(&present.texture, &mut formats);
    }
    let mut fresh = std::mem::take(&mut formats.fresh);
    // Format 0 turns a target off; nothing is missing.
    for number in fresh.drain(..).filter(|number| *number != 0) {
        let picked = formats.decided(number);
        let (verdict, text) = if picked.host == Format::Undefined {
            (Verdict::Degraded, "format {0} has no format on this device: its textures read as nothing")
        } else {
            (Verdict::Changed, "format {0} is held as {1}")
        };
        let name = nvn_decode::formats::info(number).map_or("", |info| info.name);
        decisions.push(
            RULE.name,
            Subject::Part,
            verdict,
            text,
            [Evidence::Text(name), Evidence::Text(picked.host.name())],
        );
    }
    formats.fresh = fresh;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(missing: &[Format]) -> HostFormats {
        let mut caps = DeviceCaps::default();
        for format in missing {
            caps.formats[*format as usize] = 0;
        }
        let mut formats = HostFormats::default();
        formats.set_caps(&caps);
        formats
    }

    // rows: M-1.7a
    #[test]
    fn packed_depth_is_native_where_the_device_has_it_and_wider_where_not() {
        assert_eq!(with(&[]).get(0x35).host, Format::D24UnormS8Uint);
        let emulated = with(&[Format::D24UnormS8Uint]).get(0x35);
        assert_eq!((emulated.host, emulated.is_native()), (Format::D32FloatS8Uint, false));
        assert_eq!(with(&[Format::X8D24Unorm, Format::D24UnormS8Uint]).get(0x33).host, Format::D32Float);
    }

    // rows: R-003b
    #[test]
    fn a_format_without_stored_alpha_says_so() {
        let rgbx = with(&[]).get(0x6D);
        assert_eq!((rgbx.host, rgbx.has_alpha), (Format::Rgba8Unorm, false));
    }

    #[test]
    fn a_format_the_host_lacks_altogether_is_undefined() {
        assert_eq!(with(&[]).get(0x79).host, Format::Undefined, "ASTC 4x4");
        assert_eq!(with(&[]).get(0xFFFF), HostFormat::default());
    }
}
