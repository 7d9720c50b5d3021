//! What the rules remember from part to part, written into a keyframe and brought back from it.
//!
//! Guest memory, pools, programs, descriptors, lists and bindings come back as records (`nvn_decode::ingest`). What only the GPU knows comes back as contents:
//! every image that the GPU wrote, and the bytes of pools that it wrote. The rest is [`History`]: which pages the CPU wrote when, which image was up to date
//! when, the numbers of resources, the layout of each subresource. With it a replay that starts at a keyframe plans each later part exactly as a replay from the
//! first frame does. Without it (another build's trace) the pictures are the same, and the first parts upload more than they need.
//!
//! To bring a keyframe back, insert [`Keyframe::new`] into the world, run its records as a part, execute it, then [`settle`] and execute the plan that it leaves.

use crate::hazards::resolve_feedback_loops::FeedbackSnapshots;
use crate::ingest::snapshot_cpu_writes::DirtyPages;
use crate::resources::collect_storage_uses::GpuWritten;
use crate::run::clear_part;
use crate::state::pick_host_formats::HostFormats;
use crate::state::textures::Textures;
use bevy_ecs::prelude::*;
use framegraph::barriers::{Classes, ImageLayouts, SubresourceStates, write_classes};
use framegraph::caps::DeviceCaps;
use framegraph::ids::{ResourceId, Seq};
use framegraph::plan::{Batch, Plan, Step, Transition};
use framegraph::resource::{
    ImageDesc, Label, Layout, PhysicalRange, ResourceFlags, ResourceKind, ResourcePool, Storage, Written,
};
use framegraph::resource_table::{ResourceTable, facts_of};
use framegraph::state::{Aspects, Format, Subresources};
use framegraph::tables::uses;
use nvn_decode::ingest::{Device, ImageRestore};
use nvn_decode::layout::LayoutDesc;
use nvn_decode::memory::PAGE;
use nvn_decode::record::{self, TextureRef};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Version of [`History`]; another one is passed over.
pub const HISTORY_VERSION: u32 = 1;

/// What the rules remember. See the module.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    version: u32,
    /// Numbers of texture formats whose host format was decided.
    formats: Vec<u32>,
    pools: Vec<PoolHistory>,
    images: Vec<ImageHistory>,
    copies: Vec<CopyHistory>,
    /// Classes that earlier parts read with.
    read: Classes,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct PoolHistory {
    ordinal: u32,
    /// Runs of pages: pages, part before which the CPU wrote them, part whose writes the buffer is up to date with.
    pages: Vec<(u32, u64, u64)>,
    /// Bytes that the GPU wrote and the CPU has not written since: first, end.
    gpu: Vec<(u64, u64)>,
    unwaited: Classes,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct ImageHistory {
    /// The record of a texture that it stands for, as words.
    texture: Vec<u32>,
    resource: u32,
    label: String,
    texture_flags: u32,
    used_in: u64,
    uploaded: u64,
    written: u64,
    facts: u32,
    /// Last write of the GPU: part, command, sub, ordinal.
    last: (u64, u32, i16, u16),
    state: StateHistory,
}

/// A copy of an attachment that draws read instead of it: its contents never outlive a part.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct CopyHistory {
    source: u32,
    resource: u32,
    label: String,
    length: u64,
    state: StateHistory,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct StateHistory {
    uniform: u8,
    cells: Vec<u8>,
    unwaited: Classes,
}

const LAYOUTS: [Layout; 10] = [
    Layout::Undefined,
    Layout::General,
    Layout::Color,
    Layout::Depth,
    Layout::DepthRead,
    Layout::Sampled,
    Layout::CopySource,
    Layout::CopyTarget,
    Layout::Feedback,
    Layout::Present,
];

fn layout_number(layout: Layout) -> u8 {
    LAYOUTS.iter().position(|other| *other == layout).unwrap_or_default() as u8
}

impl StateHistory {
    fn of(states: &SubresourceStates, id: ResourceId) -> Self {
        let layouts = states.layouts.get(id.index()).cloned().unwrap_or_default();
        Self {
            uniform: layout_number(layouts.uniform),
            cells: layouts.cells.iter().map(|layout| layout_number(*layout)).collect(),
            unwaited: states.written.get(id.index()).copied().unwrap_or_default(),
        }
    }

    fn layouts(&self, caps: &DeviceCaps) -> ImageLayouts {
        let layout = |number: u8| match LAYOUTS.get(usize::from(number)).copied().unwrap_or_default() {
            Layout::Feedback if !caps.feedback_layout => Layout::General,
            layout => layout,
        };
        ImageLayouts { uniform: layout(self.uniform), cells: self.cells.iter().map(|n| layout(*n)).collect() }
    }
}

/// The words of a texture's record.
fn words(texture: &TextureRef) -> Vec<u32> {
    bytemuck::bytes_of(texture).chunks_exact(4).map(bytemuck::pod_read_unaligned).collect()
}

fn texture_of(words: &[u32]) -> Option<TextureRef> {
    let bytes: &[u8] = bytemuck::cast_slice(words);
    (bytes.len() == size_of::<TextureRef>()).then(|| bytemuck::pod_read_unaligned(bytes))
}

/// An image whose contents a keyframe must hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WantedImage {
    /// A texture that it stands for.
    pub texture: TextureRef,
    /// The image.
    pub id: ResourceId,
    /// Its description.
    pub desc: ImageDesc,
}

/// What must be read back from the device for a keyframe.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Images, all levels, layers and aspects.
    pub images: Vec<WantedImage>,
    /// Bytes of pools: ordinal, buffer, first, end.
    pub buffers: Vec<(u32, ResourceId, u64, u64)>,
    /// Pages as the CPU last gave them, in which the GPU wrote some bytes: ordinal, offset, bytes.
    pub pages: Vec<(u32, u64, Box<[u8]>)>,
    /// Names of images whose contents cannot be read back: multisampled ones.
    pub lost: Vec<String>,
}

impl History {
    /// What the rules remember now, and what must be read back. To be asked between parts.
    #[must_use]
    pub fn of(world: &World) -> (Self, Wanted) {
        let device = world.resource::<Device>();
        let states = world.resource::<SubresourceStates>();
        let textures = world.resource::<Textures>();
        let dirty = world.resource::<DirtyPages>();
        let gpu = world.resource::<GpuWritten>();
        let pool = world.resource::<ResourcePool>();
        let live = |ordinal: u32| device.pool(ordinal).is_some_and(|pool| pool.live);
        let mut wanted = Wanted::default();
        let mut history =
            Self { version: HISTORY_VERSION, formats: world.resource::<HostFormats>().known(), ..Self::default() };
        history.read = states.read;
        for info in device.pools.iter().filter(|pool| pool.live) {
            let whole = PhysicalRange { pool: info.ordinal, offset: 0, length: info.size };
            let mut row = PoolHistory {
                ordinal: info.ordinal,
                gpu: gpu.ranges.within(whole).collect(),
                unwaited: states.written.get(info.buffer.index()).copied().unwrap_or_default(),
                ..PoolHistory::default()
            };
            if let Some(pages) = dirty.pool(info.ordinal) {
                for (written, mirrored) in pages.parts() {
                    match row.pages.last_mut() {
                        Some((count, w, m)) if (*w, *m) == (written, mirrored) => *count += 1,
                        _ => row.pages.push((1, written, mirrored)),
                    }
                }
            }
            wanted.buffers.extend(row.gpu.iter().map(|(first, end)| (info.ordinal, info.buffer, *first, *end)));
            history.pools.push(row);
        }
        let mut pages: Vec<_> = gpu.pages.iter().filter(|((ordinal, _), _)| live(*ordinal)).collect();
        pages.sort_unstable_by_key(|(key, _)| **key);
        wanted.pages.extend(pages.into_iter().map(|((ordinal, page), bytes)| (*ordinal, page * PAGE, bytes.clone())));
        let by_row = textures.texture_by_row();
        for (row, texture) in by_row.iter().enumerate() {
            let (Some(texture), id, desc) = (texture, textures.images[row], textures.keys[row].desc) else { continue };
            let Some(entity) = pool.entity(id).filter(|_| live(textures.keys[row].pool)) else { continue };
            let last = world.get::<Written>(entity).copied().unwrap_or_default();
            let label = world.get::<Label>(entity).map(|label| label.0.clone()).unwrap_or_default();
            if textures.written[row] != 0 {
                match desc.samples {
                    0 | 1 => wanted.images.push(WantedImage { texture: *texture, id, desc }),
                    _ => wanted.lost.push(label.clone()),
                }
            }
            history.images.push(ImageHistory {
                texture: words(texture),
                resource: id.0,
                label,
                texture_flags: textures.flags[row],
                used_in: textures.used_in[row],
                uploaded: textures.uploaded[row],
                written: textures.written[row],
                facts: world.get::<ResourceFlags>(entity).map_or(0, |flags| flags.0 & !ResourceFlags::NEW),
                last: (last.part, last.seq.command, last.seq.sub, last.seq.ordinal),
                state: StateHistory::of(states, id),
            });
        }
        for (source, _, copy) in world.resource::<FeedbackSnapshots>().rows() {
            let Some(entity) = pool.entity(*copy) else { continue };
            history.copies.push(CopyHistory {
                source: source.0,
                resource: copy.0,
                label: world.get::<Label>(entity).map(|label| label.0.clone()).unwrap_or_default(),
                length: world.get::<Storage>(entity).map_or(0, |storage| storage.range.length),
                state: StateHistory::of(states, *copy),
            });
        }
        (history, wanted)
    }

    /// The bytes of [`nvn_decode::record::Op::History`].
    ///
    /// # Errors
    /// Never for a history that [`History::of`] made; kept as the writer's own error.
    pub fn bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(self)
    }
}

/// The keyframe that is being brought back.
#[derive(Debug, Default, Resource)]
pub struct Keyframe {
    history: Option<History>,
}

impl Keyframe {
    /// From the payload of [`nvn_decode::record::Op::History`]; what cannot be read, or is of another version, is passed over.
    #[must_use]
    pub fn new(bytes: Option<&[u8]>) -> Self {
        let history = bytes.and_then(|bytes| serde_json::from_slice::<History>(bytes).ok());
        Self { history: history.filter(|history| history.version == HISTORY_VERSION) }
    }

    /// Whether there is a history to bring back.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.history.is_some()
    }

    /// Textures in the order of the rows that they had.
    pub(crate) fn textures(&self) -> impl Iterator<Item = TextureRef> + '_ {
        self.history.iter().flat_map(|history| &history.images).filter_map(|image| texture_of(&image.texture))
    }

    /// Formats whose host format was decided.
    pub(crate) fn formats(&self) -> impl Iterator<Item = u32> + '_ {
        self.history.iter().flat_map(|history| &history.formats).copied()
    }

    /// Numbers that the images of rows had.
    pub(crate) fn images(&self, textures: &Textures) -> HashMap<u32, ResourceId> {
        let images = self.history.iter().flat_map(|history| &history.images);
        images
            .filter_map(|image| Some((textures.row(&texture_of(&image.texture)?)?, ResourceId(image.resource))))
            .collect()
    }

    /// Runs of bytes of pools whose buffers were up to date: ordinal, first, end.
    pub(crate) fn mirrored(&self) -> impl Iterator<Item = (u32, u64, u64)> + '_ {
        self.history.iter().flat_map(|history| &history.pools).flat_map(|pool| {
            let mut page = 0u64;
            pool.pages.iter().filter_map(move |(count, written, mirrored)| {
                let first = page;
                page = page.saturating_add(u64::from(*count));
                (mirrored >= written).then_some((pool.ordinal, first * PAGE, page * PAGE))
            })
        })
    }
}

/// Sets what the rules remember to what the keyframe says, once its part was executed, and leaves a Plan that brings every image into the layout that it had.
///
/// Execute the world again, then call [`finish`].
pub fn settle(world: &mut World) -> Option<SubresourceStates> {
    let history = world.resource_mut::<Keyframe>().history.take()?;
    clear_part(world);
    for row in &history.pools {
        let mut pages = world.resource_mut::<DirtyPages>();
        if let Some(held) = pages.pool_mut(row.ordinal) {
            let runs = row
                .pages
                .iter()
                .flat_map(|(count, written, mirrored)| std::iter::repeat_n((*written, *mirrored), *count as usize));
            held.bring_back(runs);
        }
    }
    let mut states = world.resource::<SubresourceStates>().clone();
    let caps = world.resource::<DeviceCaps>().clone();
    let set = |states: &mut SubresourceStates, id: ResourceId, state: &StateHistory| {
        if let (Some(layouts), Some(written)) = (states.layouts.get_mut(id.index()), states.written.get_mut(id.index()))
        {
            *layouts = state.layouts(&caps);
            *written = state.unwaited & write_classes();
        }
    };
    for image in &history.images {
        let Some(texture) = texture_of(&image.texture) else { continue };
        let mut textures = world.resource_mut::<Textures>();
        let Some((row, id)) = textures.image(&texture) else { continue };
        let row = row as usize;
        textures.flags[row] |= image.texture_flags;
        textures.used_in[row] = image.used_in;
        textures.uploaded[row] = image.uploaded;
        textures.written[row] = image.written;
        let Some(entity) = world.resource::<ResourcePool>().entity(id) else { continue };
        let (part, command, sub, ordinal) = image.last;
        let written = Written { part, seq: Seq { command, sub, ordinal } };
        let facts = ResourceFlags(image.facts & !ResourceFlags::NEW);
        world.entity_mut(entity).insert((written, facts, Label(image.label.clone())));
        set(&mut states, id, &image.state);
    }
    for pool in &history.pools {
        let buffer = world.resource::<Device>().pool(pool.ordinal).map(|pool| pool.buffer);
        if let Some(written) = buffer.and_then(|id| states.written.get_mut(id.index())) {
            *written = pool.unwaited & write_classes();
        }
    }
    for copy in &history.copies {
        let Some((id, desc)) = copy_image(world, copy) else { continue };
        world.resource_mut::<FeedbackSnapshots>().add(ResourceId(copy.source), desc, id);
    }
    world.resource_scope(|world, mut now: Mut<SubresourceStates>| {
        let table = world.resource::<ResourceTable>();
        now.refresh(table);
        states.layouts.resize_with(now.layouts.len(), ImageLayouts::default);
        states.written.resize(now.written.len(), 0);
    });
    for copy in &history.copies {
        set(&mut states, ResourceId(copy.resource), &copy.state);
    }
    states.read = history.read;
    plan_layouts(world, &states);
    Some(states)
}

/// Makes the image of a copy of an attachment anew.
fn copy_image(world: &mut World, copy: &CopyHistory) -> Option<(ResourceId, ImageDesc)> {
    let source = world.resource::<ResourcePool>().entity(ResourceId(copy.source))?;
    let Some(ResourceKind::Image(desc)) = world.get::<ResourceKind>(source).copied() else { return None };
    let id = ResourcePool::take_id(world, ResourceId(copy.resource))?;
    let entity = world.resource::<ResourcePool>().entity(id)?;
    let range = PhysicalRange { pool: PhysicalRange::HOST + id.0, offset: 0, length: copy.length };
    let (storage, kind) = (Storage { range, generation: 0 }, ResourceKind::Image(desc));
    let flags = ResourceFlags(ResourceFlags::HOST_OWNED);
    world.entity_mut(entity).insert((storage, kind, flags, Label(copy.label.clone())));
    let facts = facts_of(&storage, &kind, flags);
    let mut table = world.resource_mut::<ResourceTable>();
    table.set(id, facts);
    table.find_overlaps();
    Some((id, desc))
}

/// Leaves a Plan that takes every image from the layout it has to the one of `wanted`. The tables of the part must be empty.
pub fn plan_layouts(world: &mut World, wanted: &SubresourceStates) {
    let mut transitions = Vec::new();
    {
        let now = world.resource::<SubresourceStates>();
        let table = world.resource::<ResourceTable>();
        for (n, (from, to)) in now.layouts.iter().zip(&wanted.layouts).enumerate() {
            let (id, facts) = (ResourceId(n as u32), table.get(ResourceId(n as u32)));
            if from == to || facts.shape != framegraph::resource_table::Shape::Image {
                continue;
            }
            let all = facts.all();
            if from.cells.is_empty() && to.cells.is_empty() {
                transitions.push(Transition { resource: id, part: all, from: from.uniform, to: to.uniform });
                continue;
            }
            for level in 0..all.levels {
                for layer in 0..all.layers {
                    let part = Subresources { base_level: level, levels: 1, base_layer: layer, layers: 1, ..all };
                    let (from, to) = (from.get(all.layers, level, layer), to.get(all.layers, level, layer));
                    transitions.push(Transition { resource: id, part, from, to });
                }
            }
        }
    }
    // Nothing goes back to the undefined layout: what the states call so is defined by its next use.
    transitions.retain(|t| t.from != t.to && t.to != Layout::Undefined);
    let all = u32::from(u16::MAX) & !uses::PRESENT;
    let batch = Batch {
        source_uses: all,
        source_stages: 0x3F,
        target_uses: all,
        target_stages: 0x3F,
        first_transition: 0,
        transitions: transitions.len() as u32,
    };
    let mut plan = world.resource_mut::<Plan>();
    plan.clear();
    plan.steps.push(Step::Barrier(0));
    plan.batches.push(batch);
    plan.transitions = transitions;
}

/// Takes the states that [`settle`] returned as those of the last part, once its plan was executed.
pub fn finish(world: &mut World, mut states: SubresourceStates) {
    let mut now = world.resource_mut::<SubresourceStates>();
    std::mem::swap(&mut now.layouts, &mut states.layouts);
    std::mem::swap(&mut now.written, &mut states.written);
    now.read = states.read;
}

/// Planes of an image with their bytes.
pub type Planes = Vec<(record::Plane, Vec<u8>)>;

/// Splits what was read back of an image into the planes of a keyframe. `levels`: per level the layers one after another, tightly packed; packed depth and
/// stencil as 4 bytes (depth low, stencil high) or as 8 (a float, then stencil).
#[must_use]
pub fn planes(desc: &ImageDesc, levels: &[Vec<u8>]) -> Planes {
    let all = || levels.concat();
    let plane = |aspect: u32, encoding: u32, bytes: Vec<u8>| {
        (record::Plane { aspect, encoding, length: bytes.len() as u64 }, bytes)
    };
    let chunks = |size: usize, from: usize, count: usize| -> Vec<u8> {
        levels.iter().flat_map(|level| level.chunks_exact(size)).flat_map(|t| t[from..from + count].to_vec()).collect()
    };
    match desc.host_format {
        Format::D24UnormS8Uint => {
            let mut depth = chunks(4, 0, 4);
            depth.chunks_exact_mut(4).for_each(|texel| texel[3] = 0);
            vec![plane(1, 2, depth), plane(2, 4, chunks(4, 3, 1))]
        }
        Format::D32FloatS8Uint => vec![plane(1, 3, chunks(8, 0, 4)), plane(2, 4, chunks(8, 4, 1))],
        Format::D16Unorm => vec![plane(1, 1, all())],
        Format::X8D24Unorm => vec![plane(1, 2, all())],
        Format::D32Float => vec![plane(1, 3, all())],
        Format::S8Uint => vec![plane(2, 4, all())],
        _ => vec![plane(0, 0, all())],
    }
}

/// A plane as the host's format takes it: aspect, bytes per texel (of a block where the format has blocks), texels. `None` where the host has no such plane.
pub(crate) fn host_plane(desc: &ImageDesc, plane: &record::Plane, bytes: &[u8]) -> Option<(Aspects, usize, Vec<u8>)> {
    let host = desc.host_format;
    let aspects = host.aspects();
    match plane.aspect {
        0 => {
            let same = plane.encoding == 0 && aspects == Aspects::COLOR && desc.format.block() == host.block();
            same.then(|| (Aspects::COLOR, host.block().0 as usize, bytes.to_vec()))
        }
        1 if aspects.intersects(Aspects::DEPTH) => {
            let size = if plane.encoding == 1 { 2 } else { 4 };
            // Depth of any encoding as a number from 0 on; f64 holds each of them exactly enough to come back the same.
            let value = |texel: &[u8]| match (plane.encoding, texel) {
                (1, [a, b]) => f64::from(u16::from_le_bytes([*a, *b])) / 65_535.0,
                (2, [a, b, c, _]) => f64::from(u32::from_le_bytes([*a, *b, *c, 0])) / 16_777_215.0,
                (_, [a, b, c, d]) => f64::from(f32::from_le_bytes([*a, *b, *c, *d])),
                _ => 0.0,
            };
            let texels = bytes.chunks_exact(size);
            Some(match host {
                Format::D16Unorm => (
                    Aspects::DEPTH,
                    2,
                    texels.flat_map(|t| ((value(t) * 65_535.0).round() as u16).to_le_bytes()).collect(),
                ),
                Format::D24UnormS8Uint | Format::X8D24Unorm => (
                    Aspects::DEPTH,
                    4,
                    texels
                        .flat_map(|t| ((value(t) * 16_777_215.0).round() as u32).min(0xFF_FFFF).to_le_bytes())
                        .collect(),
                ),
                _ if plane.encoding == 3 => (Aspects::DEPTH, 4, bytes.to_vec()),
                _ => (Aspects::DEPTH, 4, texels.flat_map(|t| (value(t) as f32).to_le_bytes()).collect()),
            })
        }
        2 if aspects.intersects(Aspects::STENCIL) && plane.encoding == 4 => Some((Aspects::STENCIL, 1, bytes.to_vec())),
        _ => None,
    }
}

/// Rows of [`Textures`] whose contents the part brings back.
pub(crate) fn restored_rows(images: &[ImageRestore], textures: &Textures) -> Vec<u32> {
    images.iter().filter_map(|image| textures.row(&image.texture)).collect()
}

/// Whether two textures lie in memory alike.
pub(crate) fn same_layout(texture: &TextureRef, layout: &LayoutDesc) -> bool {
    LayoutDesc::from(texture) == *layout
}

#[cfg(test)]
mod tests {
    use super::*;

    fn desc(format: Format, host: Format) -> ImageDesc {
        ImageDesc { format, host_format: host, extent: [2, 1, 1], levels: 1, layers: 1, ..ImageDesc::default() }
    }

    fn through(from: Format, to: Format, bytes: &[u8]) -> Vec<(Aspects, Vec<u8>)> {
        let named = desc(Format::D24UnormS8Uint, from);
        let planes = planes(&named, &[bytes.to_vec()]);
        let target = desc(Format::D24UnormS8Uint, to);
        planes.iter().filter_map(|(plane, bytes)| host_plane(&target, plane, bytes)).map(|(a, _, b)| (a, b)).collect()
    }

    #[test]
    fn every_depth_of_24_bits_comes_back_through_a_float() {
        for n in (0..0x100_0000_u32).step_by(4099).chain([1, 2, 0xFF_FFFE, 0xFF_FFFF]) {
            let packed = (n | 0xA5 << 24).to_le_bytes();
            let wide = through(Format::D24UnormS8Uint, Format::D32FloatS8Uint, &packed);
            assert_eq!(wide[1], (Aspects::STENCIL, vec![0xA5]));
            let mut eight = wide[0].1.clone();
            eight.extend([0xA5, 0, 0, 0]);
            let back = through(Format::D32FloatS8Uint, Format::D24UnormS8Uint, &eight);
            assert_eq!(back[0], (Aspects::DEPTH, n.to_le_bytes().to_vec()), "{n:#x}");
        }
    }

    #[test]
    fn floats_of_depth_and_colours_come_back_as_they_are() {
        let bits = 0x3F12_3457_u32.to_le_bytes();
        let float = desc(Format::D32Float, Format::D32Float);
        let [(plane, bytes)] = planes(&float, &[bits.to_vec()]).try_into().expect("one plane");
        assert_eq!(host_plane(&float, &plane, &bytes), Some((Aspects::DEPTH, 4, bits.to_vec())));
        let color = desc(Format::Rgba16Float, Format::Rgba16Float);
        let levels = [vec![1; 16], vec![2; 8]];
        let [(plane, bytes)] = planes(&color, &levels).try_into().expect("one plane");
        assert_eq!(host_plane(&color, &plane, &bytes), Some((Aspects::COLOR, 8, levels.concat())));
    }

    #[test]
    fn a_history_of_another_version_or_damaged_is_passed_over() {
        let history = History { version: HISTORY_VERSION, read: 7, ..History::default() };
        let bytes = history.bytes().expect("text");
        assert!(Keyframe::new(Some(&bytes)).is_known());
        assert!(!Keyframe::new(Some(&bytes[1..])).is_known());
        let other = History { version: 99, ..history }.bytes().expect("text");
        assert!(!Keyframe::new(Some(&other)).is_known());
        assert!(!Keyframe::new(None).is_known());
    }
}
