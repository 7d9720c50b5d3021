//! What the GPU writes in this part.
//!
//! Later parts must know which bytes of a pool hold results of the GPU, so that an upload of what the CPU wrote spares them, and which images the GPU wrote
//! after their texels last came from the CPU. This rule walks everything of the part that writes and notes it; the notes live on between parts.
//!
//! Seen as: results of compute that vanish when the title writes next to them.
//! Rows: M-2.2b, M-4.1b.  Proof: the unit tests of `upload_dirty_buffers`.  Cost: one pass over bindings, targets and copies.

use super::intervals::Intervals;
use crate::lowering::order_inline_updates::update_slices;
use crate::rule::{Kind, Rule};
use crate::state::resolve_target_state::TargetRows;
use crate::state::textures::Textures;
use bevy_ecs::prelude::*;
use framegraph::ids::{ResourceId, Seq};
use framegraph::resource::{PhysicalRange, ResourceFlags, ResourcePool, Written};
use framegraph::schedule::Phase;
use framegraph::tables::{BindSource, Bindings, BufferSlice, Draws, Nodes, States, node_flags};
use nvn_decode::ingest::{Device, PartInfo, Restored};
use nvn_decode::memory::{Guest, PAGE};
use nvn_decode::raw::{RawClearKind, RawCopyKind, RawPart};
use rustc_hash::FxHashMap;

use crate::ingest::translate_virtual_addresses::{BindingSources, slice, texture_of};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "collect_storage_uses",
    phase: Phase::Resources,
    kind: Kind::Plumbing,
    rows: &["M-4.1b"],
    after: &["alias_by_storage", "upload_dirty_buffers", "upload_dirty_textures"],
    off_means: "cannot be off",
    knobs: &[],
};

/// Bytes of pools that the GPU wrote and the CPU has not written since.
#[derive(Debug, Default, Resource)]
pub struct GpuWritten {
    /// The bytes.
    pub ranges: Intervals,
    /// What the CPU sees in each page that holds some of them, as of the last upload: (pool, page) → bytes.
    pub pages: FxHashMap<(u32, u64), Box<[u8]>>,
    /// Memory of pages that are no longer kept.
    spare: Vec<Box<[u8]>>,
    pub(super) changed: Vec<(usize, usize)>,
    pub(super) now: Vec<u8>,
}

impl GpuWritten {
    /// Notes a write of the GPU.
    pub fn add(&mut self, device: &Device, guest: &Guest, range: PhysicalRange) {
        let Some(pool) = device.pool(range.pool) else { return };
        if self.ranges.contains(range) {
            return;
        }
        let pages = range.offset / PAGE..(range.offset + range.length).min(pool.size).div_ceil(PAGE);
        for page in pages {
            self.pages.entry((range.pool, page)).or_insert_with(|| {
                let length = PAGE.min(pool.size - page * PAGE) as usize;
                let mut bytes = self.spare.pop().unwrap_or_else(|| vec![0; PAGE as usize].into_boxed_slice());
                bytes.fill(0);
                // An unmapped page reads as zero; its upload reports it.
                let _ = guest.memory.read(pool.address + page * PAGE, &mut bytes[..length]);
                bytes
            });
        }
        self.ranges.add(range);
    }

    /// Forgets what the CPU sees in a page.
    pub(super) fn forget_page(&mut self, page: (u32, u64)) {
        self.spare.extend(self.pages.remove(&page));
    }
}

/// Notes the writes of the part.
pub fn collect_storage_uses(
    device: Res<Device>,
    guest: Res<Guest>,
    (info, restored): (Res<PartInfo>, Res<Restored>),
    raw: Res<RawPart>,
    nodes: Res<Nodes>,
    draws: Res<Draws>,
    states: Res<States>,
    bindings: Res<Bindings>,
    sources: Res<BindingSources>,
    target_rows: Res<TargetRows>,
    pool: Res<ResourcePool>,
    mut textures: ResMut<Textures>,
    mut gpu: ResMut<GpuWritten>,
    mut resources: Query<(&mut ResourceFlags, &mut Written)>,
    mut images: Local<Images>,
) {
    images.begin(pool.capacity());
    let mut bytes = |slice: &BufferSlice| {
        if let Some(pool) = device.pools.iter().find(|pool| pool.buffer == slice.resource)
            && slice.resource.is_some()
        {
            gpu.add(&device, &guest, PhysicalRange { pool: pool.ordinal, offset: slice.offset, length: slice.length });
        }
    };
    let written = |row: &u32| bindings.rows.get(*row as usize).filter(|binding| binding.written);
    for binding in sources.storage.iter().filter_map(|(row, _)| written(row)) {
        if let BindSource::Slice(slice) = &binding.source {
            bytes(slice);
        }
    }
    for row in sources.images.iter().filter(|row| written(row).is_some()) {
        let used = &sources.textures[sources.uses[*row as usize] as usize];
        let image = texture_of(used, &device).and_then(|texture| textures.image(texture));
        images.note(image.map(|(_, id)| id), Seq::default());
    }
    // Backwards, since the last writer counts: of draws in a row that write the same, the last one stands for all.
    let mut last = None;
    for draw in (0..draws.len()).rev() {
        let node = draws.node[draw];
        if nodes.flags[node.index()] & node_flags::SKIPPED != 0 {
            continue;
        }
        let written = (draws.targets[draw], draws.write_mask[draw], draws.depth[draw]);
        if last.replace(written) == Some(written) {
            continue;
        }
        let seq = nodes.seq[node.index()];
        let targets = &states.targets[draws.targets[draw]];
        for (slot, attachment) in targets.color.iter().enumerate() {
            if let Some(attachment) = attachment
                && draws.write_mask[draw] >> (4 * slot) & 0xF != 0
            {
                images.note(Some(attachment.view.resource), seq);
            }
        }
        let depth = &states.depth[draws.depth[draw]];
        if let Some(attachment) = &targets.depth
            && (depth.write || depth.stencil.is_some())
        {
            images.note(Some(attachment.view.resource), seq);
        }
    }
    for clear in &raw.clears {
        let seq = nodes.seq[clear.node.index()];
        let targets = target_rows.0.get(clear.targets as usize).map(|row| &states.targets[*row]);
        let attachment = match &clear.kind {
            RawClearKind::Color(c) => targets.and_then(|set| set.color[c.index as usize & 7]),
            RawClearKind::DepthStencil(_) => targets.and_then(|set| set.depth),
            RawClearKind::Texture(c) => {
                images.note(textures.image(&c.texture).map(|(_, id)| id), seq);
                None
            }
        };
        if let Some(attachment) = attachment {
            images.note(Some(attachment.view.resource), seq);
        }
    }
    for copy in &raw.copies {
        let seq = nodes.seq[copy.node.index()];
        let target = match &copy.kind {
            RawCopyKind::BufferToTexture(c) => Some(&c.texture),
            RawCopyKind::Texture(c) => Some(&c.target),
            RawCopyKind::Downsample(c) => Some(&c.target),
            RawCopyKind::TextureToBuffer(c) => {
                let length = crate::ingest::texture_copy_bytes(c);
                slice(&device, c.address, length).iter().for_each(&mut bytes);
                None
            }
            RawCopyKind::Buffer(c) => {
                slice(&device, c.target, c.size).iter().for_each(&mut bytes);
                None
            }
            RawCopyKind::Fill(c) => {
                slice(&device, c.target, c.size).iter().for_each(&mut bytes);
                None
            }
        };
        images.note(target.and_then(|texture| textures.image(texture)).map(|(_, id)| id), seq);
    }
    update_slices(&device, &raw).for_each(|(_, slice)| bytes(&slice));
    let Images { ids, latest } = &mut *images;
    for image in ids.iter() {
        let Some(entity) = pool.entity(*image) else { continue };
        let seq = latest[image.index()].unwrap_or_default();
        if let Ok((mut flags, mut written)) = resources.get_mut(entity) {
            flags.0 |= ResourceFlags::GPU_WRITTEN;
            *written =
                Written { part: info.index, seq: seq.max(if written.part == info.index { written.seq } else { seq }) };
        }
    }
    let Textures { used, images: by_row, written, .. } = &mut *textures;
    for row in used.iter() {
        let id = by_row[*row as usize];
        // A part that brings a state back may have written what no node of it does.
        let before = || {
            let entity = pool.entity(id).filter(|_| restored.active);
            entity.and_then(|entity| resources.get(entity).ok()).is_some_and(|(_, last)| last.part == info.index)
        };
        if latest.get(id.index()).is_some_and(Option::is_some) || before() {
            written[*row as usize] = info.index;
        }
    }
}

/// Images that the part writes.
#[derive(Debug, Default)]
pub struct Images {
    /// Each once.
    ids: Vec<ResourceId>,
    /// By resource: the last write.
    latest: Vec<Option<Seq>>,
}

impl Images {
    fn begin(&mut self, resources: usize) {
        self.ids.clear();
        self.latest.clear();
        self.latest.resize(resources, None);
    }

    /// Notes a write of an image, if there is one.
    fn note(&mut self, image: Option<ResourceId>, seq: Seq) {
        let Some(id) = image else { return };
        let Some(latest) = self.latest.get_mut(id.index()) else { return };
        if latest.is_none() {
            self.ids.push(id);
        }
        *latest = (*latest).max(Some(seq));
    }
}
