//! Buffers take up what the CPU wrote.
//!
//! On the console buffers are memory that both sides see. On a PC the GPU reads a copy of each pool in its own memory: before a part runs, the pages that the
//! part binds and that the CPU wrote since they were last copied are uploaded, whole. Where the GPU wrote part of a page, its bytes must survive: of such a
//! page only the bytes that the CPU *changed* since then are uploaded, found by comparing with what the page held.
//!
//! Seen as: particles that freeze; vertices of the last level.
//! Rows: M-2.2b, A-036, A-037.  Proof: the unit tests below.  Cost: one look per bound page of pools that lag behind, and the bytes of the pages written.

use super::Prologue;
use super::collect_storage_uses::GpuWritten;
use super::intervals::Intervals;
use crate::ingest::snapshot_cpu_writes::DirtyPages;
use crate::ingest::translate_virtual_addresses::BindingSources;
use crate::keyframe::Keyframe;
use crate::rule::{Kind, Rule, Switches};
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::ResourceId;
use framegraph::resource::PhysicalRange;
use framegraph::schedule::Phase;
use framegraph::tables::{
    BindSource, Bindings, BufferSlice, Dispatches, DrawCall, Draws, NodeKind, Nodes, Slices, Snapshots, Upload,
    Uploads, node_flags,
};
use nvn_decode::ingest::{Device, PartInfo, Restored};
use nvn_decode::memory::{Guest, PAGE};
use nvn_decode::raw::{RawCopyKind, RawPart};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "upload_dirty_buffers",
    phase: Phase::Resources,
    kind: Kind::Correctness,
    rows: &["M-2.2b", "A-036", "A-037"],
    after: &["snapshot_cpu_writes", "translate_virtual_addresses", "snapshot_uniform_ranges"],
    off_means: "what the CPU wrote is not uploaded",
    knobs: &["M-2.2b", "A-036", "A-037"],
};

/// Uploads of one page run are at most this long, so that a node's bytes stay a sensible size.
const MAX_RUN: u64 = 1 << 26;

/// Adds the uploads.
pub fn upload_dirty_buffers(
    device: Res<Device>,
    guest: Res<Guest>,
    (info, raw): (Res<PartInfo>, Res<RawPart>),
    switches: Res<Switches>,
    draws: Res<Draws>,
    dispatches: Res<Dispatches>,
    (bindings, sources): (Res<Bindings>, Res<BindingSources>),
    slices: Res<Slices>,
    (restored, keyframe): (Res<Restored>, Res<Keyframe>),
    mut gpu: ResMut<GpuWritten>,
    mut pages: ResMut<DirtyPages>,
    mut nodes: ResMut<Nodes>,
    mut uploads: ResMut<Uploads>,
    mut snapshots: ResMut<Snapshots>,
    mut decisions: ResMut<Decisions>,
    mut bound: Local<Intervals>,
) {
    if !switches.on(&RULE) {
        return;
    }
    bound.clear();
    // What else a PC does: a pool is copied when it is first used, never again; or all that is bound crosses the bus with every part.
    let (once, always) = (switches.knob("A-036"), switches.knob("A-037"));
    collect_bound(&device, &pages, always, &raw, &draws, &dispatches, (&bindings, &sources), &slices, &mut bound);
    if restored.active {
        for (pool, first, end) in keyframe.mirrored() {
            bound.add(PhysicalRange { pool, offset: first, length: end - first });
        }
    }
    let whole_pages = switches.knob("M-2.2b");
    let mut sink = Sink {
        device: &device,
        guest: &guest,
        nodes: &mut nodes,
        uploads: &mut uploads,
        snapshots: &mut snapshots,
        decisions: &mut decisions,
        count: 0,
    };
    for &(pool, first, end) in bound.runs() {
        let Some(held) = pages.pool_mut(pool) else { continue };
        let last_page = (end.div_ceil(PAGE) as usize).min(held.count());
        let mut run: Option<(u64, u64)> = None;
        for page in (first / PAGE) as usize..last_page {
            if (!held.is_stale(page) && !always) || (once && held.was_mirrored(page)) {
                continue;
            }
            held.mirror(info.index, page);
            let at = page as u64 * PAGE;
            let range = PhysicalRange { pool, offset: at, length: PAGE };
            if !whole_pages && gpu.ranges.overlaps(range) {
                sink.flush(pool, &mut run);
                merge_page(&mut gpu, range, &mut sink);
                continue;
            }
            gpu.ranges.remove(range);
            gpu.forget_page((pool, page as u64));
            match &mut run {
                Some((_, end)) if *end == at => *end = at + PAGE,
                _ => {
                    sink.flush(pool, &mut run);
                    run = Some((at, at + PAGE));
                }
            }
            if run.is_some_and(|(first, end)| end - first >= MAX_RUN) {
                sink.flush(pool, &mut run);
            }
        }
        sink.flush(pool, &mut run);
    }
    // What the GPU had written when a keyframe was taken comes after what the CPU wrote.
    for buffer in &restored.buffers {
        let Some(pool) = device.pool(buffer.header.pool).copied() else { continue };
        let (at, length) = (buffer.header.offset, buffer.bytes.len() as u64);
        if buffer.header.kind == 0 {
            let bytes = sink.snapshots.push(&buffer.bytes);
            sink.push(&pool, at, length, bytes);
            gpu.add(&device, &guest, PhysicalRange { pool: pool.ordinal, offset: at, length });
        }
    }
    for buffer in restored.buffers.iter().filter(|buffer| buffer.header.kind == 1) {
        let mut page = vec![0; PAGE as usize].into_boxed_slice();
        let length = page.len().min(buffer.bytes.len());
        page[..length].copy_from_slice(&buffer.bytes[..length]);
        gpu.pages.insert((buffer.header.pool, buffer.header.offset / PAGE), page);
    }
}

/// The bytes of pools that the part reads or writes as buffers, where some page of a range is not up to date, or `all`.
#[expect(clippy::too_many_arguments, reason = "one for each table that names bytes")]
fn collect_bound(
    device: &Device,
    pages: &DirtyPages,
    all: bool,
    raw: &RawPart,
    draws: &Draws,
    dispatches: &Dispatches,
    (bindings, sources): (&Bindings, &BindingSources),
    slices: &Slices,
    bound: &mut Intervals,
) {
    let mut last = (ResourceId::NONE, 0, None);
    let mut add = |slice: &BufferSlice| {
        if slice.resource != last.0 {
            let pool = device.pools.iter().find(|pool| pool.buffer == slice.resource && slice.resource.is_some());
            let ordinal = pool.map_or(u32::MAX, |pool| pool.ordinal);
            last = (slice.resource, ordinal, pages.pool(ordinal));
        }
        let (_, pool, Some(held)) = last else { return };
        let (first, end) = (slice.offset / PAGE, slice.offset.saturating_add(slice.length).div_ceil(PAGE));
        if all || held.has_stale() && held.any_stale(first as usize, end as usize) {
            bound.add(PhysicalRange { pool, offset: slice.offset, length: slice.length });
        }
    };
    if all || pages.any_stale(sources.named) {
        slices.rows.iter().for_each(&mut add);
        for call in &draws.call {
            match call {
                DrawCall::Arrays { .. } => {}
                DrawCall::Elements { indices, .. } => add(indices),
                DrawCall::Indirect { arguments, indices, count_buffer, .. } => {
                    add(arguments);
                    indices.iter().for_each(|(slice, _)| add(slice));
                    count_buffer.iter().for_each(&mut add);
                }
            }
        }
        dispatches.rows.iter().filter_map(|dispatch| dispatch.indirect.as_ref()).for_each(&mut add);
        for (row, _) in sources.uniforms.iter().chain(&sources.storage) {
            if let BindSource::Slice(slice) = &bindings.rows[*row as usize].source {
                add(slice);
            }
        }
    }
    let mut by_address = |address: u64, length: u64| {
        if let Some(slice) = crate::ingest::translate_virtual_addresses::slice(device, address, length) {
            add(&slice);
        }
    };
    for copy in &raw.copies {
        match &copy.kind {
            RawCopyKind::BufferToTexture(c) | RawCopyKind::TextureToBuffer(c) => {
                by_address(c.address, crate::ingest::texture_copy_bytes(c));
            }
            RawCopyKind::Buffer(c) => {
                by_address(c.source, c.size);
                by_address(c.target, c.size);
            }
            RawCopyKind::Fill(c) => by_address(c.target, c.size),
            RawCopyKind::Texture(_) | RawCopyKind::Downsample(_) => {}
        }
    }
    // The rest of a page that an inline update writes is read with it.
    for update in &raw.updates {
        by_address(update.address, u64::from(update.length));
    }
}

struct Sink<'a> {
    device: &'a Device,
    guest: &'a Guest,
    nodes: &'a mut Nodes,
    uploads: &'a mut Uploads,
    snapshots: &'a mut Snapshots,
    decisions: &'a mut Decisions,
    count: usize,
}

impl Sink<'_> {
    fn flush(&mut self, pool: u32, run: &mut Option<(u64, u64)>) {
        let Some((first, end)) = run.take() else { return };
        let Some(info) = self.device.pool(pool).copied() else { return };
        let end = end.min(info.size);
        let length = (end - first) as usize;
        let bytes = self.snapshots.reserve(length);
        let into = &mut self.snapshots.bytes[bytes as usize..][..length];
        if self.guest.memory.read(info.address + first, into).is_err() {
            self.unmapped(pool, first);
            return;
        }
        self.push(&info, first, length as u64, bytes);
    }

    fn push(&mut self, pool: &nvn_decode::ingest::PoolInfo, first: u64, length: u64, bytes: u32) {
        let target = BufferSlice { resource: pool.buffer, offset: first, length };
        let payload = self.uploads.rows.len() as u32;
        self.uploads.rows.push(Upload::Buffer { bytes, target });
        self.nodes.push(NodeKind::Upload, Prologue::Buffers.seq(self.count), payload, node_flags::INSERTED);
        self.count += 1;
    }

    fn unmapped(&mut self, pool: u32, first: u64) {
        self.decisions.push(
            RULE.name,
            Subject::Part,
            Verdict::Degraded,
            "pool {0} is not mapped at offset {1}: nothing is uploaded there",
            [Evidence::Number(i64::from(pool)), Evidence::Bits(first)],
        );
    }
}

/// Uploads what the CPU changed of a page that the GPU wrote in part.
fn merge_page(gpu: &mut GpuWritten, range: PhysicalRange, sink: &mut Sink<'_>) {
    let Some(pool) = sink.device.pool(range.pool).copied() else { return };
    let length = range.length.min(pool.size - range.offset) as usize;
    let mut now = std::mem::take(&mut gpu.now);
    now.clear();
    now.resize(length, 0);
    if sink.guest.memory.read(pool.address + range.offset, &mut now).is_err() {
        return sink.unmapped(range.pool, range.offset);
    }
    let page = (range.pool, range.offset / PAGE);
    let Some(before) = gpu.pages.get_mut(&page) else { return };
    let changed = |n: usize| n < length && now[n] != before[n];
    let written = |n: usize| gpu.ranges.overlaps(PhysicalRange { offset: range.offset + n as u64, length: 1, ..range });
    // Copies go by words, so a run takes in neighbours that only the CPU owns.
    let mut n = 0;
    while n < length {
        let start = n;
        let word = |at: usize| (at..at + 4).any(changed);
        while n < length && word(n) {
            n += 4;
        }
        if n == start {
            n += 4;
            continue;
        }
        let end = n.min(length);
        let bytes = sink.snapshots.push(&now[start..end]);
        // A byte of these words that the GPU wrote and the CPU did not change would be lost: upload around it, byte by byte.
        let clean = (start..end).all(|at| changed(at) || !written(at));
        if clean {
            sink.push(&pool, range.offset + start as u64, (end - start) as u64, bytes);
        } else {
            for at in (start..end).filter(|at| changed(*at)) {
                let bytes = sink.snapshots.push(&now[at..=at]);
                sink.push(&pool, range.offset + at as u64, 1, bytes);
            }
        }
        gpu.changed.push((start, end));
    }
    for (start, end) in gpu.changed.drain(..) {
        gpu.ranges.remove(PhysicalRange { offset: range.offset + start as u64, length: (end - start) as u64, ..range });
    }
    before[..length].copy_from_slice(&now);
    gpu.now = now;
    if !gpu.ranges.overlaps(range) {
        gpu.forget_page(page);
    }
}

#[cfg(test)]
mod tests {
    use crate::state::shader_store::{StageFacts, StorageFact};
    use crate::testing::Scene;
    use framegraph::state::Stage;
    use framegraph::tables::Upload;
    use nvn_decode::record::{Op, SlotRange};

    fn scene(knobs: &[&str]) -> (Scene, u32) {
        let mut scene = Scene::new(knobs);
        let storage = vec![StorageFact { slot: 0, writes: true }];
        let program = scene.program(&[(Stage::Compute, StageFacts { storage, ..StageFacts::default() })]);
        (scene, program)
    }

    fn dispatch(scene: &mut Scene, program: u32, offset: u64, size: u64) {
        let range = SlotRange { address: Scene::address(0, offset), size, stage: 5, index: 0 };
        scene.bind_program(program).cmd(Op::BindStorageBuffer, &range).cmd(Op::Dispatch, &[1_u32, 1, 1]).run();
    }

    /// (offset, length) of buffer uploads.
    fn uploads(scene: &Scene) -> Vec<(u64, u64)> {
        let ranges = scene.uploads().iter().filter_map(|upload| match upload {
            Upload::Buffer { target, .. } => Some((target.offset, target.length)),
            Upload::Image { .. } => None,
        });
        ranges.collect()
    }

    // rows: A-037
    #[test]
    fn only_pages_that_were_written_are_uploaded() {
        let (mut scene, program) = scene(&[]);
        dispatch(&mut scene, program, 0x2000, 0x3000);
        assert_eq!(uploads(&scene), [(0x2000, 0x3000)], "a pool begins with what its memory holds");
        dispatch(&mut scene, program, 0x8000, 0x1000);
        scene.write(0, 0x8004, &[1]);
        scene.write(0, 0x20_0000, &[1]);
        dispatch(&mut scene, program, 0x10_0000, 0x1000);
        assert_eq!(uploads(&scene), [(0x10_0000, 0x1000)], "pages that are not bound wait");
    }

    // rows: M-2.2b
    #[test]
    fn results_of_the_gpu_survive_a_write_next_to_them() {
        let run = |knobs: &[&str]| {
            let (mut scene, program) = scene(knobs);
            dispatch(&mut scene, program, 0x1000, 0x100);
            scene.write(0, 0x1200, &[0x22; 4]);
            dispatch(&mut scene, program, 0x1000, 0x100);
            uploads(&scene)
        };
        assert_eq!(run(&[]), [(0x1200, 4)]);
        assert_eq!(run(&["M-2.2b"]), [(0x1000, 0x1000)]);
    }

    // rows: M-2.2b
    #[test]
    fn what_the_cpu_writes_over_results_of_the_gpu_counts() {
        let (mut scene, program) = scene(&[]);
        dispatch(&mut scene, program, 0x1000, 0x100);
        scene.write(0, 0x1010, &[5]);
        dispatch(&mut scene, program, 0x1000, 0x100);
        assert_eq!(uploads(&scene), [(0x1010, 1)], "byte by byte where the GPU owns the neighbours");
    }
}
