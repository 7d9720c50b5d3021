//! Copies between textures and buffers.
//!
//! The hardware has one call for what Vulkan divides into copies, blits and resolves: texture to texture copies may scale, mirror and convert, for depth and
//! stencil too (each texel then comes from the nearest source texel). Same size and format is a copy, bit for bit; another size, direction or format is a blit;
//! a multisampled source is resolved. Rows and images of buffers are counted in blocks of the format.
//!
//! Seen as: half-size depth without stencil; copies that are shifted or cut.
//! Rows: M-1.19a, M-1.19b, R-075a, R-076, R-077.  Proof: the unit tests below.  Cost: one node per copy.

use crate::ingest::texture_copy_strides;
use crate::ingest::translate_virtual_addresses::slice;
use crate::rule::{Kind, Rule};
use crate::state::pick_host_formats::HostFormats;
use crate::state::textures::{Textures, view_range};
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Subject, Verdict};
use framegraph::ids::ResourceId;
use framegraph::resource::ImageDesc;
use framegraph::schedule::Phase;
use framegraph::state::{Aspects, Dim, Filter, NumericClass, Subresources};
use framegraph::tables::{BufferSlice, Copies, Copy, Nodes, TexelBox, node_flags};
use nvn_decode::ingest::Device;
use nvn_decode::raw::{RawCopyKind, RawPart};
use nvn_decode::record::{CopyBufferTexture, CopyTextureTexture, Downsample, Region, TextureRef};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "lower_copies",
    phase: Phase::Lowering,
    kind: Kind::Plumbing,
    rows: &["M-1.19b", "R-075a", "R-077"],
    after: &["alias_by_storage", "fit_views"],
    off_means: "cannot be off",
    knobs: &["M-1.19b", "R-077"],
};

/// Copy flags by the API's numbers.
mod flags {
    pub(super) const LINEAR_FILTER: u32 = 1;
    pub(super) const MIRROR_X: u32 = 4;
    pub(super) const MIRROR_Y: u32 = 8;
    pub(super) const MIRROR_Z: u32 = 16;
}

/// Why a copy is left out.
type Refused = &'static str;

/// Fills the payload of each copy node.
pub fn lower_copies(
    raw: Res<RawPart>,
    device: Res<Device>,
    textures: Res<Textures>,
    formats: Res<HostFormats>,
    switches: Res<crate::rule::Switches>,
    mut copies: ResMut<Copies>,
    mut nodes: ResMut<Nodes>,
    mut decisions: ResMut<Decisions>,
) {
    let depth_alone = switches.knob("M-1.19b") || switches.knob("R-077");
    let context = Context { device: &device, textures: &textures, formats: &formats, depth_alone };
    for copy in &raw.copies {
        let lowered = match &copy.kind {
            RawCopyKind::BufferToTexture(c) => context.buffer_texture(c, true),
            RawCopyKind::TextureToBuffer(c) => context.buffer_texture(c, false),
            RawCopyKind::Texture(c) => context.texture(c),
            RawCopyKind::Downsample(c) => context.downsample(c),
            RawCopyKind::Buffer(c) => context
                .bytes(c.source, c.size)
                .and_then(|source| context.bytes(c.target, source.length).map(|target| (source, target)))
                .map(|(source, target)| Copy::Buffer {
                    source: BufferSlice { length: target.length, ..source },
                    target,
                }),
            RawCopyKind::Fill(c) => context.bytes(c.target, c.size).map(|target| Copy::Fill { target, word: c.word }),
        };
        match lowered {
            Ok(row) => {
                nodes.payload[copy.node.index()] = copies.rows.len() as u32;
                copies.rows.push(row);
            }
            Err(reason) => {
                nodes.flags[copy.node.index()] |= node_flags::SKIPPED;
                // A node without a payload still names a row, so that nothing has to look twice.
                nodes.payload[copy.node.index()] = copies.rows.len() as u32;
                copies.rows.push(Copy::Fill { target: BufferSlice::default(), word: 0 });
                decisions.push(RULE.name, Subject::Node(copy.node), Verdict::Skipped, reason, []);
            }
        }
    }
}

struct Context<'a> {
    device: &'a Device,
    textures: &'a Textures,
    formats: &'a HostFormats,
    depth_alone: bool,
}

/// One side of a copy.
struct Side {
    image: ResourceId,
    desc: ImageDesc,
    part: Subresources,
    /// Texels; z is 0, since `part` names layers and slices.
    offset: [i32; 3],
    /// Texels; depth is that of a 3D image, else 1.
    extent: [i32; 3],
}

impl Context<'_> {
    fn bytes(&self, address: u64, length: u64) -> Result<BufferSlice, Refused> {
        slice(self.device, address, length).filter(|s| s.length > 0).ok_or("its address lies in no pool")
    }

    fn side(&self, texture: &TextureRef, region: &Region) -> Result<Side, Refused> {
        let (row, image) = self.textures.image(texture).ok_or("its texture has no image on this device")?;
        let desc = self.textures.keys[row as usize].desc;
        let (level, _, first_layer, layers) = view_range(texture, &desc);
        let whole = desc.level_extent(level).map(|n| n as i32);
        let mut part = Subresources {
            aspects: desc.host_format.aspects(),
            base_level: level,
            levels: 1,
            base_layer: first_layer,
            layers,
        };
        let [mut x, mut y, mut z] = region.offset;
        let [mut width, mut height, mut depth] = region.extent;
        if [width, height, depth].iter().all(|n| *n == 0) {
            [x, y, z] = [0; 3];
            [width, height, depth] =
                [whole[0], whole[1], if desc.dim == Dim::D3 { whole[2] } else { i32::from(layers) }];
        }
        depth = depth.max(1);
        if desc.dim == Dim::D3 {
            // Slices are counted as layers.
            (z, depth) = cut(z.saturating_add(i32::from(first_layer)), depth, whole[2])?;
            (part.base_layer, part.layers) = (z as u16, depth as u16);
            z = 0;
        } else {
            // 1D arrays count layers in y.
            let rows_are_layers = desc.dim == Dim::D1;
            let (at, count) = if rows_are_layers { (y, height) } else { (z, depth) };
            let (at, count) = cut(at, count, i32::from(desc.layers) - i32::from(first_layer))?;
            part.base_layer = first_layer + at as u16;
            part.layers = count as u16;
            (z, depth) = (0, 1);
            if rows_are_layers {
                (y, height) = (0, 1);
            }
        }
        (x, width) = cut(x, width, whole[0])?;
        (y, height) = cut(y, height, whole[1])?;
        Ok(Side { image, desc, part, offset: [x, y, z], extent: [width, height, depth] })
    }

    fn buffer_texture(&self, copy: &CopyBufferTexture, up: bool) -> Result<Copy, Refused> {
        let side = self.side(&copy.texture, &copy.region)?;
        if !self.formats.decided(copy.texture.format).is_native() {
            return Err("its format is held in another one, and bytes do not fit");
        }
        if side.part.aspects == Aspects::DEPTH_STENCIL {
            return Err("packed depth and stencil cannot be copied from or to bytes");
        }
        let (row_bytes, image_bytes, _) = texture_copy_strides(copy);
        let images = u64::from(side.part.layers.max(1));
        let bytes = self.bytes(copy.address, image_bytes * images)?;
        let region = TexelBox { offset: side.offset, extent: side.extent };
        let (part, row_bytes, image_bytes) = (side.part, row_bytes as u32, image_bytes as u32);
        Ok(if up {
            Copy::BufferToImage { source: bytes, target: side.image, part, region, row_bytes, image_bytes }
        } else {
            Copy::ImageToBuffer { source: side.image, part, region, target: bytes, row_bytes, image_bytes }
        })
    }

    fn texture(&self, copy: &CopyTextureTexture) -> Result<Copy, Refused> {
        let mut source = self.side(&copy.source, &copy.source_region)?;
        let mut target = self.side(&copy.target, &copy.target_region)?;
        if source.desc.dim != Dim::D3 && target.desc.dim != Dim::D3 {
            let layers = source.part.layers.min(target.part.layers);
            (source.part.layers, target.part.layers) = (layers, layers);
        }
        let mirrors = copy.flags & (flags::MIRROR_X | flags::MIRROR_Y | flags::MIRROR_Z) != 0;
        let same_format = source.desc.host_format == target.desc.host_format;
        if source.extent == target.extent && same_format && !mirrors {
            return Ok(Copy::Image {
                source: source.image,
                source_part: source.part,
                source_offset: source.offset,
                target: target.image,
                target_part: target.part,
                target_offset: target.offset,
                extent: target.extent.map(|n| n as u32),
            });
        }
        blit(source, target, copy.flags, self.depth_alone)
    }

    fn downsample(&self, copy: &Downsample) -> Result<Copy, Refused> {
        let whole = Region::default();
        let source = self.side(&copy.source, &whole)?;
        let target = self.side(&copy.target, &whole)?;
        if source.desc.samples > 1 && source.extent == target.extent {
            let extent = [target.extent[0] as u32, target.extent[1] as u32];
            return Ok(Copy::Resolve { source: source.image, target: target.image, part: target.part, extent });
        }
        if source.desc.samples > 1 {
            return Err("a multisampled source of another size cannot be resolved");
        }
        blit(source, target, flags::LINEAR_FILTER, false)
    }
}

fn blit(source: Side, mut target: Side, bits: u32, depth_alone: bool) -> Result<Copy, Refused> {
    if source.desc.samples != target.desc.samples {
        return Err("source and target have different numbers of samples");
    }
    let (class, aspects) = (source.desc.host_format.class(), source.part.aspects);
    if aspects != target.part.aspects || class != target.desc.host_format.class() {
        return Err("source and target formats cannot be converted into each other");
    }
    let compressed = |desc: &ImageDesc| desc.host_format.block().1 > 1;
    if compressed(&source.desc) || compressed(&target.desc) {
        return Err("compressed texels cannot be scaled or converted");
    }
    let exact = aspects == Aspects::COLOR && class == NumericClass::Float;
    let filter = if exact && bits & flags::LINEAR_FILTER != 0 { Filter::Linear } else { Filter::Nearest };
    let mut target_box = TexelBox { offset: target.offset, extent: target.extent };
    for (axis, bit) in [flags::MIRROR_X, flags::MIRROR_Y, flags::MIRROR_Z].into_iter().enumerate() {
        if bits & bit != 0 {
            target_box.offset[axis] += target_box.extent[axis];
            target_box.extent[axis] = -target_box.extent[axis];
        }
    }
    let mut source_part = source.part;
    if depth_alone && aspects == Aspects::DEPTH_STENCIL {
        (source_part.aspects, target.part.aspects) = (Aspects::DEPTH, Aspects::DEPTH);
    }
    Ok(Copy::Blit {
        source: source.image,
        source_part,
        source_box: TexelBox { offset: source.offset, extent: source.extent },
        target: target.image,
        target_part: target.part,
        target_box,
        filter,
        every: None,
    })
}

/// A run cut to `0..limit`.
fn cut(at: i32, size: i32, limit: i32) -> Result<(i32, i32), Refused> {
    let first = at.clamp(0, limit.max(0));
    let end = at.saturating_add(size).clamp(first, limit.max(first));
    if end > first { Ok((first, end - first)) } else { Err("its region is empty or lies outside the texture") }
}

#[cfg(test)]
mod tests {
    use crate::testing::Scene;
    use framegraph::state::{Aspects, Filter};
    use framegraph::tables::Copy;
    use nvn_decode::layout::target;
    use nvn_decode::record::{CopyBufferTexture, CopyTextureTexture, Op, Region, TextureRef};

    fn whole(texture: &TextureRef) -> Region {
        Region { offset: [0; 3], extent: [texture.extent[0] as i32, texture.extent[1] as i32, 1] }
    }

    fn copy(knobs: &[&str], source: TextureRef, to: TextureRef, flags: u32) -> Copy {
        let mut scene = Scene::new(knobs);
        let copy = CopyTextureTexture {
            source,
            target: to,
            source_region: whole(&source),
            target_region: whole(&to),
            flags,
            reserved: 0,
        };
        scene.cmd(Op::CopyTextureToTexture, &copy).run();
        scene.copies()[0]
    }

    #[test]
    fn the_same_size_and_format_is_a_copy() {
        let texture = Scene::texture(0, 0x3F, 64, 64);
        let copied = copy(&[], texture, TextureRef { offset: 0x10000, ..texture }, 0);
        assert!(matches!(copied, Copy::Image { extent: [64, 64, 1], .. }), "{copied:?}");
    }

    // rows: M-1.19b, R-077
    #[test]
    fn scaled_depth_carries_stencil_and_takes_the_nearest() {
        let depth = Scene::texture(0, 0x35, 128, 64);
        let half = Scene::texture(0x10000, 0x35, 64, 32);
        let parts = |copied: Copy| match copied {
            Copy::Blit { source_part, target_part, filter, .. } => (source_part.aspects, target_part.aspects, filter),
            other => panic!("{other:?}"),
        };
        // Even if the game asks for a linear filter.
        assert_eq!(parts(copy(&[], depth, half, 1)), (Aspects::DEPTH_STENCIL, Aspects::DEPTH_STENCIL, Filter::Nearest));
        for knob in ["M-1.19b", "R-077"] {
            assert_eq!(parts(copy(&[knob], depth, half, 1)).1, Aspects::DEPTH, "{knob}");
        }
    }

    // rows: R-075a
    #[test]
    fn a_mirrored_copy_runs_backwards() {
        let texture = Scene::texture(0, 0x25, 64, 64);
        let mirrored = copy(&[], texture, TextureRef { offset: 0x10000, ..texture }, 8);
        let Copy::Blit { target_box, filter, .. } = mirrored else { panic!("{mirrored:?}") };
        assert_eq!((target_box.offset, target_box.extent), ([0, 64, 0], [64, -64, 1]));
        assert_eq!(filter, Filter::Nearest);
    }

    #[test]
    fn buffers_are_counted_in_blocks_and_regions_are_cut() {
        let mut scene = Scene::new(&[]);
        let array = Scene::fit(TextureRef {
            target: target::D2_ARRAY,
            view_target: target::D2_ARRAY,
            extent: [64, 64, 4],
            view_layers: 4,
            ..Scene::texture(0x10_0000, 0x44, 64, 64)
        });
        let copy = CopyBufferTexture {
            address: Scene::address(0, 0),
            texture: array,
            region: Region { offset: [0, 0, 2], extent: [64, 100, 1] },
            row_stride: 0,
            image_stride: 0,
            flags: 0,
            reserved: 0,
        };
        scene.cmd(Op::CopyBufferToTexture, &copy).run();
        let Copy::BufferToImage { part, region, row_bytes, .. } = scene.copies()[0] else {
            panic!("{:?}", scene.copies())
        };
        assert_eq!((part.base_layer, part.layers, region.extent, row_bytes), (2, 1, [64, 64, 1], 256));
    }

    #[test]
    fn an_address_without_a_pool_is_refused() {
        let mut scene = Scene::new(&[]);
        let fill = nvn_decode::record::ClearBuffer { target: 0x5, size: 64, word: 1, reserved: 0 };
        scene.cmd(Op::ClearBuffer, &fill).run();
        assert_eq!(scene.decided(super::RULE.name), ["Skipped: its address lies in no pool"]);
    }
}
