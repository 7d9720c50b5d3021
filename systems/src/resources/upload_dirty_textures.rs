//! Images take up what the CPU wrote.
//!
//! On the console the texels of a texture are bytes that the CPU may write at any time, without a word to the API. So before a part runs, each image that it uses is
//! compared with its pages: a level of a layer whose pages the CPU wrote since its texels were last taken, and which the GPU has not written since, is read,
//! brought into rows and uploaded. Levels that hold nothing but zeros are left to `zero_initialise` while the image is new.
//!
//! Packed depth and stencil lie in one word on the console (stencil lowest) and are uploaded aspect by aspect.
//!
//! Seen as: textures that never change, or old videos in new frames.
//! Rows: M-2.2a, M-2.2c, A-088.  Proof: the unit tests below.  Cost: one look per 64 pages of the used images, and the bytes of what changed.

use super::Prologue;
use crate::ingest::snapshot_cpu_writes::DirtyPages;
use crate::keyframe::{host_plane, restored_rows};
use crate::rule::{Kind, Rule, Switches};
use crate::state::textures::Textures;
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::ResourceId;
use framegraph::resource::{ImageDesc, ResourceFlags, ResourcePool};
use framegraph::schedule::Phase;
use framegraph::state::{Aspects, Dim, Format, Subresources};
use framegraph::tables::{NodeKind, Nodes, Snapshots, TexelBox, Upload, Uploads, node_flags};
use nvn_decode::ingest::{Device, ImageRestore, PartInfo, Restored};
use nvn_decode::layout;
use nvn_decode::memory::Guest;

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "upload_dirty_textures",
    phase: Phase::Resources,
    kind: Kind::Correctness,
    rows: &["M-2.2a", "M-2.2c", "A-088"],
    after: &["alias_by_storage", "snapshot_cpu_writes"],
    off_means: "no texel comes from the CPU",
    knobs: &["M-2.2a", "A-088"],
};

/// Which new images this part's uploads cover in full. By row of [`Textures`].
#[derive(Debug, Default, Resource)]
pub struct Covered {
    /// Rows.
    pub rows: Vec<u32>,
}

/// Adds the uploads.
pub fn upload_dirty_textures(
    device: Res<Device>,
    restored: Res<Restored>,
    guest: Res<Guest>,
    info: Res<PartInfo>,
    switches: Res<Switches>,
    pages: Res<DirtyPages>,
    pool: Res<ResourcePool>,
    flags: Query<&ResourceFlags>,
    mut textures: ResMut<Textures>,
    mut covered: ResMut<Covered>,
    mut nodes: ResMut<Nodes>,
    mut uploads: ResMut<Uploads>,
    mut snapshots: ResMut<Snapshots>,
    mut decisions: ResMut<Decisions>,
    mut stored: Local<Vec<u8>>,
    mut tight: Local<Vec<u8>>,
) {
    covered.rows.clear();
    if !switches.on(&RULE) {
        return;
    }
    let once = switches.knob("M-2.2a");
    let always = switches.knob("A-088");
    let mut count = 0;
    let brought_back = restored_rows(&restored.images, &textures);
    for n in 0..textures.used.len() {
        let row = textures.used[n] as usize;
        let key = &textures.keys[row];
        if brought_back.contains(&(row as u32)) {
            continue;
        }
        let since = textures.uploaded[row].max(textures.written[row]);
        let size = textures.sizes[row];
        let due = always || pages.written_since(key.pool, key.offset, size, since);
        if !due || (once && textures.uploaded[row] != 0) {
            continue;
        }
        let (key, desc, image) = (*key, textures.layouts[row], textures.images[row]);
        let Some(entity) = pool.entity(image) else { continue };
        let new = flags.get(entity).is_ok_and(|flags| flags.has(ResourceFlags::NEW));
        textures.uploaded[row] = info.index;
        let Some(address) = device.pool(key.pool).map(|pool| pool.address + key.offset) else { continue };
        let (mut whole, mut failed) = (true, false);
        for layer in 0..layout::layers(&desc) {
            for level in 0..key.desc.levels {
                let range = layout::subresource_range(&desc, level, layer);
                let written = always || pages.written_since(key.pool, key.offset + range.offset, range.size, since);
                if !written && !new {
                    continue;
                }
                stored.clear();
                stored.resize(range.size as usize, 0);
                if guest.memory.read(address + range.offset, &mut stored).is_err() {
                    failed = true;
                    whole = false;
                    continue;
                }
                if new && stored.iter().all(|byte| *byte == 0) {
                    whole = false;
                    continue;
                }
                tight.clear();
                if layout::deswizzle(&desc, level, &stored, &mut tight).is_err() {
                    failed = true;
                    whole = false;
                    continue;
                }
                let mut sink =
                    Sink { nodes: &mut nodes, uploads: &mut uploads, snapshots: &mut snapshots, count: &mut count };
                if !sink.subresource(image, &key.desc, level, layer, &tight) {
                    failed = true;
                    whole = false;
                }
            }
        }
        if failed {
            let text = "some texels are not uploaded: memory is not mapped, or {0} cannot be filled from {1}";
            let evidence = [Evidence::Text(key.desc.host_format.name()), Evidence::Text(key.desc.format.name())];
            decisions.push(RULE.name, Subject::Resource(image), Verdict::Degraded, text, evidence);
        }
        if whole && new {
            covered.rows.push(row as u32);
        }
    }
    // What the GPU had written when a keyframe was taken.
    for restore in &restored.images {
        let Some((row, image)) = textures.image(&restore.texture) else { continue };
        let desc = textures.keys[row as usize].desc;
        textures.uploaded[row as usize] = info.index;
        textures.written[row as usize] = info.index;
        let mut sink = Sink { nodes: &mut nodes, uploads: &mut uploads, snapshots: &mut snapshots, count: &mut count };
        if !sink.contents(image, &desc, restore) {
            let bytes: usize = restore.planes.iter().map(|plane| plane.bytes.len()).sum();
            let text = "the trace gives {0} bytes of it, which do not fit {1}: part of its content is lost";
            let evidence = [Evidence::Number(bytes as i64), Evidence::Text(desc.host_format.name())];
            decisions.push(RULE.name, Subject::Resource(image), Verdict::Degraded, text, evidence);
        }
    }
}

struct Sink<'a> {
    nodes: &'a mut Nodes,
    uploads: &'a mut Uploads,
    snapshots: &'a mut Snapshots,
    count: &'a mut usize,
}

impl Sink<'_> {
    /// Uploads a whole image from its planes; `false` if one does not fit.
    fn contents(&mut self, image: ResourceId, desc: &ImageDesc, restore: &ImageRestore) -> bool {
        let (_, block_width, block_height) = desc.host_format.block();
        let mut all = !restore.planes.is_empty();
        for given in &restore.planes {
            let Some((aspects, texel, bytes)) = host_plane(desc, &given.plane, &given.bytes) else {
                // Depth that only the recording host kept beside the stencil is no loss.
                all &= given.plane.aspect == 1 && desc.format == Format::S8Uint;
                continue;
            };
            let size = |level: u8| {
                let [width, height, depth] = desc.level_extent(level);
                (width.div_ceil(block_width) * height.div_ceil(block_height) * depth) as usize * texel
            };
            let total: usize = (0..desc.levels).map(|level| size(level) * usize::from(desc.layers)).sum();
            if total != bytes.len() {
                all = false;
                continue;
            }
            let mut at = 0;
            for level in 0..desc.levels {
                let extent = desc.level_extent(level).map(|n| n as i32);
                for layer in 0..desc.layers {
                    let offset = self.snapshots.push(&bytes[at..at + size(level)]);
                    at += size(level);
                    let layers = if desc.dim == Dim::D3 { extent[2] as u16 } else { 1 };
                    let part = Subresources { aspects, base_level: level, levels: 1, base_layer: layer, layers };
                    let region = TexelBox { offset: [0; 3], extent };
                    self.push(Upload::Image { bytes: offset, target: image, part, region });
                }
            }
        }
        all
    }

    /// Uploads one level of one layer from tight rows of the guest's format; `false` if the host's format cannot take them.
    fn subresource(&mut self, image: ResourceId, desc: &ImageDesc, level: u8, layer: u32, tight: &[u8]) -> bool {
        let extent = desc.level_extent(level).map(|n| n as i32);
        let region = TexelBox { offset: [0; 3], extent };
        // A 3D image counts slices as layers.
        let (base_layer, layers) = if desc.dim == Dim::D3 { (0, extent[2] as u16) } else { (layer as u16, 1) };
        let part = |aspects| Subresources { aspects, base_level: level, levels: 1, base_layer, layers };
        let aspects = desc.host_format.aspects();
        if aspects == Aspects::COLOR {
            if desc.format.block() != desc.host_format.block() {
                return false;
            }
            let bytes = self.snapshots.push(tight);
            self.push(Upload::Image { bytes, target: image, part: part(aspects), region });
            return true;
        }
        let words = || tight.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        let as_float = matches!(desc.host_format, Format::D32Float | Format::D32FloatS8Uint);
        // Depth as 24 bits in the low end of a word, or as a float.
        let depth24 = |word: u32| {
            let depth = word >> 8;
            if as_float { ((f64::from(depth) / 16_777_215.0) as f32).to_le_bytes() } else { depth.to_le_bytes() }
        };
        let depth: Vec<u8> = match desc.format {
            Format::D24UnormS8Uint | Format::X8D24Unorm => words().flat_map(depth24).collect(),
            Format::D32FloatS8Uint => {
                tight.chunks_exact(8).flat_map(|pair| [pair[0], pair[1], pair[2], pair[3]]).collect()
            }
            Format::D32Float if as_float => tight.to_vec(),
            Format::D16Unorm if desc.host_format == Format::D16Unorm => tight.to_vec(),
            Format::D16Unorm if as_float => tight
                .chunks_exact(2)
                .flat_map(|half| (f32::from(u16::from_le_bytes([half[0], half[1]])) / 65535.0).to_le_bytes())
                .collect(),
            _ => Vec::new(),
        };
        let stencil: Vec<u8> = match desc.format {
            Format::D24UnormS8Uint => words().map(|word| word as u8).collect(),
            Format::D32FloatS8Uint => tight.chunks_exact(8).map(|pair| pair[4]).collect(),
            Format::S8Uint => tight.to_vec(),
            _ => Vec::new(),
        };
        if !depth.is_empty() {
            let bytes = self.snapshots.push(&depth);
            self.push(Upload::Image { bytes, target: image, part: part(Aspects::DEPTH), region });
        }
        if !stencil.is_empty() {
            let bytes = self.snapshots.push(&stencil);
            self.push(Upload::Image { bytes, target: image, part: part(Aspects::STENCIL), region });
        }
        !(depth.is_empty() && stencil.is_empty())
    }

    fn push(&mut self, upload: Upload) {
        let payload = self.uploads.rows.len() as u32;
        self.uploads.rows.push(upload);
        self.nodes.push(NodeKind::Upload, Prologue::Textures.seq(*self.count), payload, node_flags::INSERTED);
        *self.count += 1;
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::state::shader_store::{HandleSource, StageFacts, TextureFact};
    use crate::testing::Scene;
    use framegraph::state::{Aspects, Dim, Stage};
    use framegraph::tables::Upload;
    use nvn_decode::record::TextureRef;

    pub(in crate::resources) fn sampling() -> Vec<(Stage, StageFacts)> {
        let texture = TextureFact { slot: 0, source: HandleSource::Bound(0), dim: Dim::D2, compare: false };
        let fragment = StageFacts { output_map: 0xF, textures: vec![texture], ..StageFacts::default() };
        vec![(Stage::Vertex, StageFacts::default()), (Stage::Fragment, fragment)]
    }

    struct Sampled {
        scene: Scene,
        program: u32,
        texture: TextureRef,
    }

    impl Sampled {
        fn new(knobs: &[&str], texture: TextureRef) -> Self {
            let mut scene = Scene::new(knobs);
            let program = scene.program(&sampling());
            scene.register(256, texture);
            Self { scene, program, texture }
        }

        /// Image uploads of a frame that samples the texture: (level, layer, aspects, bytes).
        fn frame(&mut self) -> Vec<(u8, u16, Aspects, Vec<u8>)> {
            let target = Scene::texture(0x40_0000, 0x25, 8, 8);
            self.scene.targets(&[target], None).bind_program(self.program).bind_texture(0, 256, 0).draw().run();
            let uploads = self.scene.uploads().iter().filter_map(|upload| match upload {
                Upload::Image { bytes, part, region, .. } => {
                    let texels = region.extent.iter().product::<i32>() as usize;
                    let size = if part.aspects == Aspects::STENCIL { 1 } else { 4 };
                    let bytes = self.scene.bytes(*bytes, texels * size).to_vec();
                    Some((part.base_level, part.base_layer, part.aspects, bytes))
                }
                Upload::Buffer { .. } => None,
            });
            uploads.collect()
        }
    }

    // rows: M-2.2a, A-088
    #[test]
    fn texels_are_taken_when_the_cpu_wrote_them_and_not_again() {
        let texture = Scene::texture(0x1000, 0x25, 8, 8);
        let run = |knobs: &[&str]| {
            let mut sampled = Sampled::new(knobs, texture);
            let mut counts = Vec::new();
            for bytes in [Some([1; 64]), Some([2; 64]), None] {
                if let Some(bytes) = bytes {
                    sampled.scene.write(0, 0x1000, &bytes);
                }
                counts.push(sampled.frame().len());
            }
            counts
        };
        assert_eq!(run(&[]), [1, 1, 0]);
        assert_eq!(run(&["M-2.2a"]), [1, 0, 0]);
        assert_eq!(run(&["A-088"]), [1, 2, 2], "the target too, once it is not new");
    }

    // rows: M-2.1a
    #[test]
    fn rows_are_brought_in_order() {
        let texture = Scene::texture(0x1000, 0x25, 8, 8);
        let mut sampled = Sampled::new(&[], texture);
        let texels: Vec<u8> = (0..=255).collect();
        let mut stored = vec![0; texture.size as usize];
        let desc = nvn_decode::layout::LayoutDesc::from(&texture);
        nvn_decode::layout::swizzle(&desc, 0, &texels, &mut stored).expect("fits");
        sampled.scene.write(0, 0x1000, &stored);
        assert_eq!(sampled.frame(), [(0, 0, Aspects::COLOR, texels)]);
    }

    #[test]
    fn packed_depth_and_stencil_part() {
        let texture = Scene::texture(0x1000, 0x35, 8, 8);
        let mut sampled = Sampled::new(&[], texture);
        let words: Vec<u8> = std::iter::repeat_n(0x1234_5678_u32.to_le_bytes(), 512).flatten().collect();
        sampled.scene.write(0, 0x1000, &words[..texture.size as usize]);
        let uploads = sampled.frame();
        assert_eq!(uploads[0].2, Aspects::DEPTH);
        assert_eq!(uploads[0].3[..4], [0x56, 0x34, 0x12, 0]);
        assert_eq!((uploads[1].2, uploads[1].3[0]), (Aspects::STENCIL, 0x78));
    }

    #[test]
    fn a_texture_that_leaves_its_pool_is_refused_with_its_place() {
        let mut sampled = Sampled::new(&[], Scene::texture(0x1000, 0x25, 8, 8));
        let beyond = TextureRef { offset: 16 << 20, ..sampled.texture };
        sampled.scene.register(257, beyond);
        sampled.scene.run_lenient();
        let info = sampled.scene.res::<nvn_decode::ingest::PartInfo>();
        assert!(info.diagnostics[0].to_string().contains("does not fit its pool"), "{:?}", info.diagnostics);
    }
}
