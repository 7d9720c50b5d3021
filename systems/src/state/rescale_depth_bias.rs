//! Polygon offset in units of the format that holds the depth.
//!
//! On Maxwell one unit is one step of the bound depth format: 2^-24 for D24, and for float depth the step at the primitive's own exponent. Vulkan counts in
//! steps too, of the *host's* format. Where D24 is held in D32F, a step at depths from 0.5 to 1 is 2^-24 as well, but finer nearer to zero; where D16 is held
//! in D32F, a unit is 2^8 of the float's steps. The API's argument order is factor, units, clamp; the host's is constant, clamp, slope (M-1.7d).
//!
//! Seen as: shadow acne, or shadows that float away from what casts them.
//! Rows: M-1.7b, M-1.7d.  Proof: the unit tests below.  Cost: one pass over runs of draws with an offset.

use super::pick_host_formats::HostFormats;
use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::DrawId;
use framegraph::schedule::Phase;
use framegraph::state::{DepthBias, Format, Topology};
use framegraph::tables::Draws;
use nvn_decode::ingest::Device;
use nvn_decode::raw::{RawPart, RawRaster, RawTargets};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "rescale_depth_bias",
    phase: Phase::State,
    kind: Kind::Plumbing,
    rows: &["M-1.7b", "M-1.7d"],
    after: &["resolve_target_state"],
    off_means: "cannot be off",
    knobs: &["M-1.7b"],
};

/// Depth bias by draw.
#[derive(Debug, Default, Resource)]
pub struct DrawBias(pub Vec<Option<DepthBias>>);

/// Steps of the host's format in one unit of the guest's, for depths from 0.5 to 1.
#[must_use]
pub fn unit_ratio(named: Format, host: Format) -> f32 {
    match (named, host) {
        (Format::D16Unorm, Format::D32Float | Format::D32FloatS8Uint) => 256.0,
        _ => 1.0,
    }
}

/// Fills the bias of each draw.
pub fn rescale_depth_bias(
    (raw, device): (Res<RawPart>, Res<Device>),
    formats: Res<HostFormats>,
    switches: Res<Switches>,
    draws: Res<Draws>,
    mut bias: ResMut<DrawBias>,
    mut decisions: ResMut<Decisions>,
) {
    bias.0.clear();
    let mut told = None;
    bias.0.resize(draws.len(), None);
    for (run, used) in raw.runs() {
        let raster = &raw.raster[used.raster as usize];
        if !may_bias(raster) {
            continue;
        }
        let depth = device.attached.get(raw.targets[used.targets as usize].numbers[RawTargets::DEPTH]);
        for draw in run {
            let offset = bias_of(raster, draws.topology[draw]);
            let (Some(mut value), Some(texture)) = (offset, depth) else {
                bias.0[draw] = offset;
                continue;
            };
            let format = formats.decided(texture.format);
            if !format.is_native() && !switches.knob("M-1.7b") {
                let ratio = unit_ratio(format.named, format.host);
                value.constant = (f32::from_bits(value.constant) * ratio).to_bits();
                if told != Some(texture.format) {
                    told = Some(texture.format);
                    decisions.push(
                        RULE.name,
                        Subject::Draw(DrawId(draw as u32)),
                        Verdict::Degraded,
                        "units of {0} are {1} steps of {2}: exact for depths from 0.5 to 1",
                        [
                            Evidence::Text(format.named.name()),
                            Evidence::Float(ratio.to_bits()),
                            Evidence::Text(format.host.name()),
                        ],
                    );
                }
            }
            bias.0[draw] = Some(value);
        }
    }
}

/// Whether anything that is drawn so can have a bias.
fn may_bias(raster: &RawRaster) -> bool {
    raster.polygon.offset_enables != 0 && (raster.offset.factor != 0.0 || raster.offset.units != 0.0)
}

fn bias_of(raster: &RawRaster, topology: Topology) -> Option<DepthBias> {
    // The enables are per kind of what is drawn: points 1, lines 2, filled 4.
    let kind = match (topology, raster.polygon.mode) {
        (Topology::Points, _) | (_, 0) => 1,
        (Topology::Lines | Topology::LineStrip | Topology::LineLoop, _) | (_, 1) => 2,
        _ => 4,
    };
    let offset = raster.offset;
    let on = raster.polygon.offset_enables & kind != 0 && (offset.factor != 0.0 || offset.units != 0.0);
    on.then(|| DepthBias {
        constant: offset.units.to_bits(),
        clamp: offset.clamp.to_bits(),
        slope: offset.factor.to_bits(),
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::Scene;
    use framegraph::caps::DeviceCaps;
    use framegraph::state::{DepthBias, Format};
    use nvn_decode::record::{Op, PolygonOffset, PolygonState};

    /// Bias of a draw into a depth target of this format.
    fn run(knobs: &[&str], format: u32, missing: Format) -> ([f32; 3], usize) {
        let mut caps = DeviceCaps::default();
        caps.formats[missing as usize] = 0;
        let mut scene = Scene::with(knobs, caps);
        let program = scene.plain_program(0);
        scene.targets(&[], Some(Scene::texture(0, format, 64, 64))).bind_program(program);
        scene.cmd(Op::BindPolygon, &PolygonState { cull: 0, front: 1, mode: 2, offset_enables: 4 });
        scene.cmd(Op::SetPolygonOffset, &PolygonOffset { factor: -0.5, units: -5.0, clamp: 0.01 }).draw().run();
        let DepthBias { constant, clamp, slope } = scene.states().raster[scene.draws().raster[0]].bias.expect("on");
        ([constant, clamp, slope].map(f32::from_bits), scene.decided(super::RULE.name).len())
    }

    // rows: M-1.7d
    #[test]
    fn the_order_of_arguments_is_the_hosts() {
        assert_eq!(run(&[], 0x34, Format::Undefined), ([-5.0, 0.01, -0.5], 0));
    }

    // rows: M-1.7b
    #[test]
    fn units_of_a_format_that_is_held_in_another_are_rescaled() {
        assert_eq!(run(&[], 0x32, Format::D16Unorm), ([-5.0 * 256.0, 0.01, -0.5], 1));
        assert_eq!(run(&["M-1.7b"], 0x32, Format::D16Unorm), ([-5.0, 0.01, -0.5], 0));
        // D24 in D32F: the same step from 0.5 to 1, and a decision that says so.
        assert_eq!(run(&[], 0x35, Format::D24UnormS8Uint), ([-5.0, 0.01, -0.5], 1));
    }
}
