//! What the vertex stage gets from each attribute.
//!
//! On Maxwell an attribute of an integer format leaves integer bits in the register, one of any other format leaves a float, whatever the program does with
//! the register. Vulkan demands that the declared type of an input has the class of its format. So each attribute that the program reads gets a fetch format,
//! and its class goes into the key of the program's variant. Formats of three small components, which devices may lack, are fetched as four. 32-bit scaled
//! formats do not exist on a host: they are fetched as integers, with a decision.
//!
//! Seen as: skinned models that explode.
//! Rows: M-3.9, R-048, R-049, M-5.9a, M-5.9b, M-5.9c.  Proof: the unit tests below.  Cost: one pass over draws; distinct layouts once.

use super::shader_store::ShaderStore;
use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use framegraph::caps::{DeviceCaps, format_uses};
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::{DrawId, StateId};
use framegraph::schedule::Phase;
use framegraph::state::{Format, NumericClass, VertexAttribute, VertexInput, VertexStream};
use framegraph::tables::{Draws, States};
use nvn_decode::formats::{self, Interpretation};
use nvn_decode::raw::{RawPart, RawVertex};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "classify_vertex_inputs",
    phase: Phase::State,
    kind: Kind::Plumbing,
    rows: &["M-3.9", "R-048", "R-049", "M-5.9a", "M-5.9b", "M-5.9c"],
    after: &["walk_call_tree"],
    off_means: "cannot be off",
    knobs: &["M-3.9", "R-048", "R-049"],
};

/// Classes of the sixteen locations, by draw: 2 bits each.
#[derive(Debug, Default, Resource)]
pub struct InputClasses(pub Vec<u32>);

/// Fills `vertex` of each draw and the classes of its inputs.
pub fn classify_vertex_inputs(
    raw: Res<RawPart>,
    store: Res<ShaderStore>,
    caps: Res<DeviceCaps>,
    switches: Res<Switches>,
    mut states: ResMut<States>,
    mut draws: ResMut<Draws>,
    mut classes: ResMut<InputClasses>,
    mut decisions: ResMut<Decisions>,
) {
    let all_float = ["M-3.9", "R-048", "R-049"].iter().any(|row| switches.knob(row));
    classes.0.clear();
    // The layout and the locations of the draw before, and what they came to.
    let mut last: Option<((u32, u32), StateId, u32)> = None;
    for (run, used) in raw.runs() {
        let first = run.start;
        let columns = raw.draw_sets[run.clone()].iter().zip(&mut draws.vertex[run]);
        for (n, (set, vertex)) in columns.enumerate() {
            let key = (used.vertex, store.set(*set).attributes_in);
            let (state, class) = match last {
                Some((known, state, class)) if known == key => (state, class),
                _ => {
                    let (id, held) = (DrawId((first + n) as u32), &raw.vertex[key.0 as usize]);
                    let (mut input, mut class) = vertex_input(held, key.1, &caps, id, &mut decisions);
                    if all_float {
                        class = [NumericClass::Float; 16];
                        for attribute in &mut input.attributes {
                            attribute.format = converted(attribute.format);
                        }
                    }
                    let bits = class.iter().enumerate().fold(0, |bits, (n, class)| bits | (*class as u32) << (2 * n));
                    (states.vertex.intern(&input), bits)
                }
            };
            last = Some((key, state, class));
            *vertex = state;
            classes.0.push(class);
        }
    }
}

fn vertex_input(
    raw: &RawVertex,
    read: u32,
    caps: &DeviceCaps,
    draw: DrawId,
    decisions: &mut Decisions,
) -> (VertexInput, [NumericClass; 16]) {
    let mut input = VertexInput::default();
    let mut classes = [NumericClass::Float; 16];
    let mut degraded = |text, name, location: usize| {
        let evidence = [Evidence::Number(location as i64), Evidence::Text(name)];
        decisions.push(RULE.name, Subject::Draw(draw), Verdict::Degraded, text, evidence);
    };
    for (location, attribute) in raw.attribs.iter().enumerate().filter(|(location, _)| read >> location & 1 != 0) {
        let info = formats::info(attribute.format).filter(|info| info.host != Format::Undefined);
        let Some(info) = info else {
            degraded("location {0} has no attribute: it is not fetched", "", location);
            continue;
        };
        let scaled = matches!(info.interpretation, Interpretation::UintToFloat | Interpretation::SintToFloat);
        classes[location] = if scaled && info.host.class() != NumericClass::Float {
            degraded("location {0}: {1} arrives as an integer", info.name, location);
            info.host.class()
        } else {
            info.class()
        };
        let mut format = info.host;
        if !caps.allows(format, format_uses::VERTEX) {
            match widened(format).filter(|wide| caps.allows(*wide, format_uses::VERTEX)) {
                Some(wide) => {
                    degraded("location {0}: {1} is fetched with a fourth component", info.name, location);
                    format = wide;
                }
                None => {
                    degraded("location {0}: the device fetches no {1}", info.name, location);
                    continue;
                }
            }
        }
        input.attributes.push(VertexAttribute {
            location: location as u8,
            stream: attribute.stream.min(15) as u8,
            offset: attribute.offset.min(0xFFFF) as u16,
            format,
        });
    }
    let used = input.attributes.iter().map(|a| usize::from(a.stream) + 1).max().unwrap_or(0);
    let stream = |s: &nvn_decode::record::VertexStream| VertexStream { stride: s.stride, divisor: s.divisor };
    input.streams.extend(raw.streams[..used].iter().map(stream));
    (input, classes)
}

/// The format whose integers arrive as floats, as they do on a PC in an input that a program declares float.
fn converted(format: Format) -> Format {
    match format {
        Format::R8Uint => Format::R8Uscaled,
        Format::R8Sint => Format::R8Sscaled,
        Format::Rg8Uint => Format::Rg8Uscaled,
        Format::Rg8Sint => Format::Rg8Sscaled,
        Format::Rgba8Uint => Format::Rgba8Uscaled,
        Format::Rgba8Sint => Format::Rgba8Sscaled,
        Format::R16Uint => Format::R16Uscaled,
        Format::R16Sint => Format::R16Sscaled,
        Format::Rg16Uint => Format::Rg16Uscaled,
        Format::Rg16Sint => Format::Rg16Sscaled,
        Format::Rgba16Uint => Format::Rgba16Uscaled,
        Format::Rgba16Sint => Format::Rgba16Sscaled,
        other => other,
    }
}

/// The format with a fourth component.
fn widened(format: Format) -> Option<Format> {
    Some(match format {
        Format::Rgb8Unorm => Format::Rgba8Unorm,
        Format::Rgb8Snorm => Format::Rgba8Snorm,
        Format::Rgb8Uint => Format::Rgba8Uint,
        Format::Rgb8Sint => Format::Rgba8Sint,
        Format::Rgb8Uscaled => Format::Rgba8Uscaled,
        Format::Rgb8Sscaled => Format::Rgba8Sscaled,
        Format::Rgb16Unorm => Format::Rgba16Unorm,
        Format::Rgb16Snorm => Format::Rgba16Snorm,
        Format::Rgb16Uint => Format::Rgba16Uint,
        Format::Rgb16Sint => Format::Rgba16Sint,
        Format::Rgb16Uscaled => Format::Rgba16Uscaled,
        Format::Rgb16Sscaled => Format::Rgba16Sscaled,
        Format::Rgb16Float => Format::Rgba16Float,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::state::shader_store::StageFacts;
    use crate::testing::Scene;
    use framegraph::caps::DeviceCaps;
    use framegraph::state::{Format, NumericClass, Stage};
    use nvn_decode::record::{Op, VertexAttrib, VertexStream};

    const CHARACTER: [(u32, u32); 5] = [(0x22, 0), (0x69, 12), (0x11, 16), (0x27, 20), (0x25, 24)];

    fn run(
        knobs: &[&str],
        attributes: &[(u32, u32)],
        caps: DeviceCaps,
    ) -> (Vec<Format>, Vec<NumericClass>, Vec<String>) {
        let mut scene = Scene::with(knobs, caps);
        let vertex = StageFacts { attributes_in: (1 << attributes.len()) - 1, ..StageFacts::default() };
        let program = scene.program(&[(Stage::Vertex, vertex)]);
        let attribs: Vec<_> = attributes
            .iter()
            .map(|(format, offset)| VertexAttrib { format: *format, offset: *offset, stream: 0 })
            .collect();
        scene.targets(&[Scene::texture(0, 0x25, 8, 8)], None).bind_program(program);
        scene
            .slice(Op::BindVertexAttribs, &attribs)
            .slice(Op::BindVertexStreams, &[VertexStream { stride: 28, divisor: 0 }]);
        scene.draw().run();
        let input = &scene.states().vertex[scene.draws().vertex[0]];
        let keys = scene.translator.keys.lock().expect("lock");
        let classes = keys.last().map(|key| key.vertex_inputs[..attributes.len()].to_vec()).unwrap_or_default();
        (input.attributes.iter().map(|a| a.format).collect(), classes, scene.decided(super::RULE.name))
    }

    // rows: M-3.9, R-048, R-049
    #[test]
    fn integer_formats_give_integer_inputs() {
        use NumericClass::{Float, Uint};
        let (formats, classes, _) = run(&[], &CHARACTER, DeviceCaps::default());
        assert_eq!(
            formats,
            [Format::Rgb32Float, Format::Rgb10A2Snorm, Format::Rg16Float, Format::Rgba8Uint, Format::Rgba8Unorm]
        );
        assert_eq!(classes, [Float, Float, Float, Uint, Float]);
        for knob in ["M-3.9", "R-048", "R-049"] {
            assert_eq!(run(&[knob], &CHARACTER, DeviceCaps::default()).1, [Float; 5], "{knob}");
        }
    }

    // rows: M-5.9a
    #[test]
    fn scaled_formats_arrive_as_float_where_the_host_has_them() {
        let (formats, classes, decided) = run(&[], &[(0x5A, 0)], DeviceCaps::default());
        assert_eq!((formats, classes), (vec![Format::Rg16Sscaled], vec![NumericClass::Float]));
        assert!(decided.is_empty());
        let (_, classes, decided) = run(&[], &[(0x56, 0)], DeviceCaps::default());
        assert_eq!(classes, [NumericClass::Sint]);
        assert_eq!(decided, ["Degraded: location 0: R32_I2F arrives as an integer"]);
    }

    // rows: M-5.9b
    #[test]
    fn three_components_become_four_where_the_device_lacks_them() {
        let mut caps = DeviceCaps::default();
        caps.formats[Format::Rgb16Float as usize] = 0;
        let (formats, _, decided) = run(&[], &[(0x1D, 0)], caps);
        assert_eq!(formats, [Format::Rgba16Float]);
        assert_eq!(decided, ["Degraded: location 0: RGB16F is fetched with a fourth component"]);
    }
}
