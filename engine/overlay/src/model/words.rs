//! Words for what people read. Every function appends to the text that it is given, so that none allocates once that text has grown.

use framegraph::decision::{Decision, Evidence, Verdict};
use framegraph::resource::{ImageDesc, Part, ResourceKind};
use framegraph::state::{
    Aspects, BlendFactor, BlendOp, BlendState, Compare, Cull, DepthState, Dim, FillMode, Format, NumericClass,
    RasterState, StencilOp, Subresources, Topology, VertexInput, ViewportState, WriteMask,
};
use framegraph::tables::{BufferSlice, DrawCall, IndexType, NodeKind, game_barrier};
pub use framegraph::words::append_use_words as use_words;
use std::fmt::Write as _;

/// A kind of node, as its name begins.
#[must_use]
pub(super) fn kind_word(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Draw => "draw",
        NodeKind::Dispatch => "dispatch",
        NodeKind::Copy => "copy",
        NodeKind::Clear => "clear",
        NodeKind::Upload => "upload",
        NodeKind::Download => "download",
        NodeKind::Barrier => "barrier",
        NodeKind::Signal => "signal",
        NodeKind::Present => "present",
        NodeKind::Overlay => "overlay",
    }
}

/// A verdict.
#[must_use]
pub fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Changed => "changed",
        Verdict::Skipped => "skipped",
        Verdict::Inserted => "inserted",
        Verdict::Moved => "moved",
        Verdict::Refused => "refused",
        Verdict::Taken => "taken",
        Verdict::Degraded => "degraded",
    }
}

/// A whole number with a thin gap between thousands: `12 345`.
pub fn count(into: &mut String, number: u64) {
    let start = into.len();
    let _ = write!(into, "{number}");
    let mut at = into.len();
    while at > start + 3 {
        at -= 3;
        into.insert(at, '\u{2009}');
    }
}

/// Bytes: `640 B`, `4.0 KiB`, `14.1 MiB`.
pub fn size_words(into: &mut String, bytes: u64) {
    let _ = match bytes {
        0..=1023 => write!(into, "{bytes} B"),
        1024..=1_048_575 => write!(into, "{:.1} KiB", bytes as f64 / 1024.0),
        1_048_576..=1_073_741_823 => write!(into, "{:.1} MiB", bytes as f64 / 1_048_576.0),
        _ => write!(into, "{:.2} GiB", bytes as f64 / 1_073_741_824.0),
    };
}

/// Time: `840 ns`, `12.3 µs`, `4.56 ms`, `1.20 s`.
pub fn seconds(into: &mut String, nanoseconds: u64) {
    let _ = match nanoseconds {
        0..=999 => write!(into, "{nanoseconds} ns"),
        1000..=999_999 => write!(into, "{:.1} \u{b5}s", nanoseconds as f64 / 1e3),
        1_000_000..=999_999_999 => write!(into, "{:.2} ms", nanoseconds as f64 / 1e6),
        _ => write!(into, "{:.2} s", nanoseconds as f64 / 1e9),
    };
}

fn topology_word(topology: Topology) -> &'static str {
    match topology {
        Topology::Points => "points",
        Topology::Lines => "lines",
        Topology::LineStrip => "line strip",
        Topology::LineLoop => "line loop",
        Topology::Triangles => "triangles",
        Topology::TriangleStrip => "triangle strip",
        Topology::TriangleFan => "triangle fan",
        Topology::LinesAdjacency => "lines with neighbours",
        Topology::LineStripAdjacency => "line strip with neighbours",
        Topology::TrianglesAdjacency => "triangles with neighbours",
        Topology::TriangleStripAdjacency => "triangle strip with neighbours",
        Topology::Patches => "patches",
        Topology::Quads => "quads",
        Topology::QuadStrip => "quad strip",
        Topology::Polygon => "polygon",
    }
}

fn index_word(index: IndexType) -> &'static str {
    match index {
        IndexType::U8 => "u8",
        IndexType::U16 => "u16",
        IndexType::U32 => "u32",
    }
}

/// What a draw draws: `3 456 u16 indices, triangles`.
pub fn call_words(into: &mut String, call: &DrawCall, topology: Topology) {
    let from = |into: &mut String, first: i64, base_instance: u32, instances: u32| {
        if instances != 1 {
            let _ = write!(into, " \u{d7} {instances} instances");
        }
        if first != 0 {
            let _ = write!(into, " from {first}");
        }
        if base_instance != 0 {
            let _ = write!(into, ", first instance {base_instance}");
        }
    };
    match *call {
        DrawCall::Arrays { first, count: vertices, base_instance, instances } => {
            count(into, u64::from(vertices));
            into.push_str(" vertices");
            from(into, i64::from(first), base_instance, instances);
        }
        DrawCall::Elements { index_type, count: indices, base_vertex, base_instance, instances, .. } => {
            count(into, u64::from(indices));
            let _ = write!(into, " {} indices", index_word(index_type));
            from(into, i64::from(base_vertex), base_instance, instances);
        }
        DrawCall::Indirect { count: draws, stride, indices, count_buffer, .. } => {
            let _ = write!(into, "{draws} indirect of {stride} bytes");
            if let Some((_, index_type)) = indices {
                let _ = write!(into, ", {} indices", index_word(index_type));
            }
            if count_buffer.is_some() {
                into.push_str(", count in memory");
            }
        }
    }
    let _ = write!(into, ", {}", topology_word(topology));
}

/// Write masks of the targets that there are (bits of `targets`): `rgba rgb -`.
pub fn mask_words(into: &mut String, mask: WriteMask, targets: u32) {
    for slot in 0..8 {
        if targets >> slot & 1 == 1 {
            into.push_str(if slot > 0 { " " } else { "" });
            let bits = mask >> (slot * 4) & 0xf;
            if bits == 0 {
                into.push('-');
            }
            for (n, letter) in "rgba".chars().enumerate() {
                if bits >> n & 1 == 1 {
                    into.push(letter);
                }
            }
        }
    }
}

fn factor(f: BlendFactor) -> &'static str {
    match f {
        BlendFactor::Zero => "0",
        BlendFactor::One => "1",
        BlendFactor::SrcColor => "src",
        BlendFactor::OneMinusSrcColor => "1-src",
        BlendFactor::SrcAlpha => "src.a",
        BlendFactor::OneMinusSrcAlpha => "1-src.a",
        BlendFactor::DstAlpha => "dst.a",
        BlendFactor::OneMinusDstAlpha => "1-dst.a",
        BlendFactor::DstColor => "dst",
        BlendFactor::OneMinusDstColor => "1-dst",
        BlendFactor::SrcAlphaSaturate => "sat(src.a)",
        BlendFactor::Src1Color => "src1",
        BlendFactor::OneMinusSrc1Color => "1-src1",
        BlendFactor::Src1Alpha => "src1.a",
        BlendFactor::OneMinusSrc1Alpha => "1-src1.a",
        BlendFactor::ConstantColor => "const",
        BlendFactor::OneMinusConstantColor => "1-const",
        BlendFactor::ConstantAlpha => "const.a",
        BlendFactor::OneMinusConstantAlpha => "1-const.a",
    }
}

fn equation(into: &mut String, op: BlendOp, (source, target): (BlendFactor, BlendFactor)) {
    let _ = match op {
        BlendOp::Add => write!(into, "src\u{b7}{} + dst\u{b7}{}", factor(source), factor(target)),
        BlendOp::Subtract => write!(into, "src\u{b7}{} - dst\u{b7}{}", factor(source), factor(target)),
        BlendOp::ReverseSubtract => write!(into, "dst\u{b7}{} - src\u{b7}{}", factor(target), factor(source)),
        BlendOp::Min => write!(into, "min(src, dst)"),
        BlendOp::Max => write!(into, "max(src, dst)"),
    };
}

/// Blending: `off`, or the equation of each target that blends.
pub fn blend_words(into: &mut String, state: &BlendState) {
    let start = into.len();
    if let Some(op) = state.logic_op {
        let _ = write!(into, "logic operation {op}");
    } else if state.targets.iter().all(|t| t.enabled && *t == state.targets[0]) {
        equation(into, state.targets[0].color_op, state.targets[0].color);
    } else {
        for (slot, target) in state.targets.iter().enumerate().filter(|(_, t)| t.enabled) {
            let _ = write!(into, "{}{slot}: ", if into.len() > start { "; " } else { "" });
            equation(into, target.color_op, target.color);
            if (target.alpha, target.alpha_op) != (target.color, target.color_op) {
                into.push_str(", alpha ");
                equation(into, target.alpha_op, target.alpha);
            }
        }
    }
    if into.len() == start {
        into.push_str("off");
    }
    if state.alpha_test.0 != Compare::Always {
        let _ = write!(into, "; alpha {} {}", compare(state.alpha_test.0), f32::from_bits(state.alpha_test.1));
    }
}

fn compare(c: Compare) -> &'static str {
    match c {
        Compare::Never => "never",
        Compare::Less => "<",
        Compare::Equal => "=",
        Compare::LessEqual => "\u{2264}",
        Compare::Greater => ">",
        Compare::NotEqual => "\u{2260}",
        Compare::GreaterEqual => "\u{2265}",
        Compare::Always => "always",
    }
}

/// Depth and stencil: `test <, write`, `off`.
pub fn depth_words(into: &mut String, state: &DepthState) {
    match state.test {
        Some(test) => {
            let _ = write!(into, "test {}{}", compare(test), if state.write { ", write" } else { ", no write" });
        }
        None if state.write => into.push_str("no test, write"),
        None => into.push_str("off"),
    }
    if let Some([front, back]) = &state.stencil {
        let mut face = |name: &str, f: &framegraph::state::StencilFace| {
            let _ = write!(into, "; stencil{name} {} {}", compare(f.compare), f.reference);
            if [f.fail, f.depth_fail, f.pass] != [StencilOp::Keep; 3] {
                let _ = write!(into, " then {:?}/{:?}/{:?}", f.fail, f.depth_fail, f.pass);
            }
        };
        if front == back {
            face("", front);
        } else {
            face(" front", front);
            face(" back", back);
        }
    }
    if state.clamp {
        into.push_str("; clamped");
    }
    if state.minus_one_to_one {
        into.push_str("; z from -w");
    }
    if let Some([near, far]) = state.bounds {
        let _ = write!(into, "; bounds {}..{}", f32::from_bits(near), f32::from_bits(far));
    }
}

/// Rasteriser: `cull back, front counter-clockwise`.
pub fn raster_words(into: &mut String, state: &RasterState) {
    if state.discard {
        into.push_str("off");
        return;
    }
    into.push_str(match state.cull {
        Cull::None => "no culling",
        Cull::Front => "cull front",
        Cull::Back => "cull back",
        Cull::Both => "cull both",
    });
    into.push_str(if state.front_clockwise { ", front cw" } else { ", front ccw" });
    match state.fill {
        FillMode::Fill => {}
        FillMode::Line => into.push_str(", lines"),
        FillMode::Point => into.push_str(", points"),
    }
    if let Some(bias) = state.bias {
        let (c, s) = (f32::from_bits(bias.constant), f32::from_bits(bias.slope));
        let _ = write!(into, ", bias {c} + {s}\u{b7}slope");
    }
    if state.samples > 1 {
        let _ = write!(into, ", {} samples", state.samples);
    }
    if state.alpha_to_coverage {
        into.push_str(", alpha to coverage");
    }
}

/// Viewport and scissor of entry 0, and how many more there are.
pub(super) fn viewport_words(into: &mut String, state: &ViewportState) {
    let Some(v) = state.entries.first() else {
        into.push_str("none");
        return;
    };
    let [x, y, w, h] = v.rect.map(f32::from_bits);
    let [near, far] = v.depth.map(f32::from_bits);
    let _ = write!(into, "{x},{y} {w}\u{d7}{h}, z {near}..{far}");
    let [sx, sy, sw, sh] = v.scissor;
    let _ = write!(into, "; scissor {sx},{sy} {sw}\u{d7}{sh}");
    if state.entries.len() > 1 {
        let _ = write!(into, "; {} more", state.entries.len() - 1);
    }
}

/// Attributes: `0 Rgb32Float@0+12`, with the stream and its stride.
pub(super) fn vertex_words(into: &mut String, state: &VertexInput) {
    if state.attributes.is_empty() {
        into.push_str("none");
    }
    for (n, a) in state.attributes.iter().enumerate() {
        let stream = state.streams.get(usize::from(a.stream)).copied().unwrap_or_default();
        let gap = if n > 0 { "; " } else { "" };
        let _ = write!(into, "{gap}{} {} of stream {}+{}", a.location, a.format.name(), a.stream, a.offset);
        let _ = write!(into, " stride {}", stream.stride);
        if stream.divisor != 0 {
            let _ = write!(into, " each {} instances", stream.divisor);
        }
    }
}

/// Which subresources, where they are not all: ` level 2`, ` layers 0–3`.
pub(super) fn subresource_words(into: &mut String, part: &Subresources, desc: Option<&ImageDesc>) {
    let all = desc.map_or(*part, ImageDesc::all);
    let mut span = |name: &str, base: u16, len: u16, of: u16| {
        if (base, len) != (0, of) {
            let _ = match len {
                1 => write!(into, " {name} {base}"),
                n => write!(into, " {name}s {base}\u{2013}{}", base + n.max(1) - 1),
            };
        }
    };
    span("level", u16::from(part.base_level), u16::from(part.levels), u16::from(all.levels));
    span("layer", part.base_layer, part.layers, all.layers);
    if part.aspects != all.aspects && part.aspects != Aspects::NONE {
        into.push_str(match part.aspects {
            Aspects::DEPTH => " depth",
            Aspects::STENCIL => " stencil",
            _ => "",
        });
    }
}

/// Which part of a resource, where it is not all of it.
pub fn about_part(into: &mut String, part: &Part, kind: Option<&ResourceKind>) {
    match part {
        Part::Any => into.push_str(" (an address that nobody could resolve)"),
        Part::Bytes(offset, length) => {
            if kind != Some(&ResourceKind::Buffer { size: *length }) {
                let _ = write!(into, " {offset:#x}+");
                size_words(into, *length);
            }
        }
        Part::Image(part) => {
            let desc = match kind {
                Some(ResourceKind::Image(desc)) => Some(desc),
                _ => None,
            };
            subresource_words(into, part, desc);
        }
    }
}

/// What a resource is: `Rgba8Unorm 1280×720`, `buffer of 4.0 KiB`.
pub fn resource_kind_words(into: &mut String, kind: &ResourceKind) {
    match kind {
        ResourceKind::Free => into.push_str("not in use"),
        ResourceKind::Buffer { size } => {
            into.push_str("buffer of ");
            size_words(into, *size);
        }
        ResourceKind::Swapchain { extent: [w, h] } => {
            let _ = write!(into, "window {w}\u{d7}{h}");
        }
        ResourceKind::Image(desc) => {
            let [w, h, d] = desc.extent;
            let _ = write!(into, "{} {w}\u{d7}{h}", desc.format.name());
            if d > 1 {
                let _ = write!(into, "\u{d7}{d}");
            }
            if desc.host_format != desc.format && desc.host_format != Format::Undefined {
                let _ = write!(into, " as {}", desc.host_format.name());
            }
            if matches!(desc.dim, Dim::Cube | Dim::CubeArray) {
                into.push_str(", cube");
            }
            if desc.layers > 1 {
                let _ = write!(into, ", {} layers", desc.layers);
            }
            if desc.levels > 1 {
                let _ = write!(into, ", {} levels", desc.levels);
            }
            if desc.samples > 1 {
                let _ = write!(into, ", {} samples", desc.samples);
            }
        }
    }
}

/// A run of a buffer.
pub(super) fn slice_words(into: &mut String, name: &str, slice: &BufferSlice) {
    let _ = write!(into, "{name} {:#x}+", { slice.offset });
    size_words(into, slice.length);
}

/// A clear value in its class.
pub(super) fn value_words(into: &mut String, value: [u32; 4], class: NumericClass) {
    for (n, word) in value.into_iter().enumerate() {
        into.push_str(if n > 0 { " " } else { "" });
        let _ = match class {
            NumericClass::Float => write!(into, "{}", f32::from_bits(word)),
            NumericClass::Sint => write!(into, "{}", word as i32),
            NumericClass::Uint => write!(into, "{word}"),
        };
    }
}

/// What a barrier of the game asks for.
pub(super) fn game_barrier_words(into: &mut String, bits: u32) {
    const NAMES: [(u32, &str); 8] = [
        (game_barrier::ORDER_PRIMITIVES, "order primitives"),
        (game_barrier::ORDER_FRAGMENTS, "order fragments"),
        (game_barrier::ORDER_FRAGMENTS_TILED, "order fragments by tile"),
        (game_barrier::ORDER_INDIRECT, "order indirect data"),
        (game_barrier::INVALIDATE_TEXTURE, "texture caches"),
        (game_barrier::INVALIDATE_SHADER, "shader caches"),
        (game_barrier::INVALIDATE_DESCRIPTORS, "descriptors"),
        (game_barrier::INVALIDATE_ZCULL, "depth culling"),
    ];
    let start = into.len();
    for (bit, name) in NAMES {
        if bits & bit != 0 {
            into.push_str(if into.len() > start { ", " } else { "" });
            into.push_str(name);
        }
    }
}

/// The reason of a decision, as [`Decision::words`] says it, but for resources that have a name: those are named.
pub(super) fn reason_words<'n>(
    into: &mut String,
    decision: &Decision,
    name: impl Fn(framegraph::ids::ResourceId) -> &'n str,
) {
    let mut rest = decision.reason.text;
    while let Some(at) = rest.find('{') {
        into.push_str(&rest[..at]);
        let tail = &rest[at..];
        let slot = tail.as_bytes().get(1).map_or(usize::MAX, |b| usize::from(b.wrapping_sub(b'0')));
        let closed = tail.as_bytes().get(2) == Some(&b'}');
        match decision.evidence.get(slot).filter(|e| closed && **e != Evidence::None) {
            Some(Evidence::Resource(id)) if !name(*id).is_empty() => {
                into.push_str(name(*id));
                rest = &tail[3..];
            }
            Some(value) => {
                evidence_words(into, value);
                rest = &tail[3..];
            }
            None => {
                into.push('{');
                rest = &tail[1..];
            }
        }
    }
    into.push_str(rest);
}

fn evidence_words(into: &mut String, value: &Evidence) {
    let _ = match value {
        Evidence::None => Ok(()),
        Evidence::Number(v) => write!(into, "{v}"),
        Evidence::Bits(v) => write!(into, "{v:#x}"),
        Evidence::Node(id) => write!(into, "node {}", id.0),
        Evidence::Pass(id) => write!(into, "pass {}", id.0),
        Evidence::Resource(id) => write!(into, "resource {}", id.0),
        Evidence::Text(v) => write!(into, "{v}"),
        Evidence::Float(bits) => write!(into, "{}", f32::from_bits(*bits)),
        Evidence::Mask(bits) => {
            let start = into.len();
            for (n, letter) in "rgba".chars().enumerate() {
                if bits >> n & 1 == 1 {
                    into.push(letter);
                }
            }
            into.push_str(if into.len() == start { "none" } else { "" });
            Ok(())
        }
    };
}
