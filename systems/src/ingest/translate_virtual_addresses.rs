//! GPU addresses become bytes of pools.
//!
//! On the console every buffer is an address. Hazards, uploads and bindings need to know which bytes it names, so every address of the part is looked up once:
//! in draws, dispatches and their bindings. Only what a program really uses is bound; draws that bind the same share rows.
//!
//! An address outside all pools reads as nothing, with a decision; a range that leaves its pool is cut to it.
//! Handles of textures that a program takes from a uniform or storage buffer are read from guest memory here, when the part begins.
//!
//! Seen as: nothing at all, or vertices from another buffer.
//! Rows: M-4.7, A-043.  Proof: the unit tests below.  Cost: one look-up per distinct set of bindings.

use crate::rule::{Kind, Rule};
use crate::state::shader_store::{HandleSource, ShaderStore, Shape, SlotFact, TextureHint, traits};
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::{DrawId, Rows, StateId};
use framegraph::schedule::Phase;
use framegraph::tables::{
    BindKind, BindSource, Binding, Bindings, BufferSlice, Dispatches, DrawCall, Draws, IndexType, Nodes, Slices,
    node_flags,
};
use nvn_decode::ingest::{Device, NO_DESCRIPTOR};
use nvn_decode::memory::Guest;
use nvn_decode::raw::{BufferRange, RawPart, RawPools, RawSlots};
use nvn_decode::record::{Sampler, TextureRef};

/// The descriptor.
pub const RULE: Rule = Rule {
    name: "translate_virtual_addresses",
    phase: Phase::Ingest,
    kind: Kind::Plumbing,
    rows: &["M-4.7"],
    after: &["walk_call_tree", "snapshot_cpu_writes"],
    off_means: "cannot be off",
    knobs: &[],
};

/// Whose driver bank a binding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BankOf {
    /// A draw.
    Draw(DrawId),
    /// A row of dispatches.
    Dispatch(u32),
}

/// A texture or image as code of the part looks at it: each (handle, way to look at it) once, however many draws bind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextureUse {
    /// Handle: texture or image id in bits 0–19, sampler id in bits 20–31.
    pub handle: u32,
    /// How the code looks at it.
    pub shape: Shape,
    /// Row of [`Device::textures`].
    pub texture: u32,
    /// Row of [`Device::samplers`]; none for an image.
    pub sampler: u32,
    /// Row of views; filled by `fit_views`, `NONE` where it reads as zero.
    pub view: StateId,
    /// The use of the same id that was noted before.
    older: Newest,
}

/// The newest use of an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Newest {
    /// What is looked for: handle and shape.
    key: u64,
    /// When it was noted, as [`BindingSources::time`] counts.
    time: u32,
    /// Row of [`BindingSources::textures`].
    row: u32,
}

/// No use.
const NONE: Newest = Newest { key: 0, time: 0, row: NO_USE };

/// Of [`BindingSources::uses`]: the binding is a buffer.
pub const NO_USE: u32 = u32::MAX;

/// What the rows of [`Bindings`] were before they became resources.
#[derive(Debug, Default, Resource)]
pub struct BindingSources {
    /// By row of bindings: row of `textures`; [`NO_USE`] for buffers.
    pub uses: Vec<u32>,
    /// Textures and images.
    pub textures: Vec<TextureUse>,
    /// By row of `textures`: what it is; filled by `pick_host_formats`.
    pub hints: Vec<TextureHint>,
    /// Rows of the game's uniform blocks, and what is bound there.
    pub uniforms: Vec<(u32, BufferRange)>,
    /// Rows of storage buffers, and what is bound there.
    pub storage: Vec<(u32, BufferRange)>,
    /// Rows of images.
    pub images: Vec<u32>,
    /// Rows of driver banks, and whose they are.
    pub banks: Vec<(u32, BankOf)>,
    /// Pools in which buffers of draws, dispatches and bindings lie: bit = ordinal modulo 64.
    pub named: u64,
    /// By id of a texture.
    newest: Vec<Newest>,
    /// Uses that were noted at another time are not looked for: of another part, or of other descriptor pools.
    time: u32,
    pools: RawPools,
}

impl BindingSources {
    /// Uses of one id that are looked through; one more is noted as if it were new.
    const LOOK: usize = 8;

    /// Forgets all rows, keeps the memory.
    pub fn clear(&mut self) {
        self.uses.clear();
        self.textures.clear();
        self.hints.clear();
        self.uniforms.clear();
        self.storage.clear();
        self.images.clear();
        self.banks.clear();
        self.next_time();
    }

    fn next_time(&mut self) {
        self.time = self.time.wrapping_add(1);
        if self.time == 0 {
            self.newest.clear();
            self.time = 1;
        }
    }

    /// The row of a use in the current pools, added when new.
    #[inline(always)]
    fn find(&mut self, device: &Device, handle: u32, shape: Shape) -> u32 {
        let key = u64::from(handle) | u64::from(shape.bits()) << 32;
        match self.newest.get((handle & 0xF_FFFF) as usize) {
            Some(newest) if newest.key == key && newest.time == self.time => newest.row,
            _ => self.find_older(device, key, handle, shape),
        }
    }

    #[inline(never)]
    fn find_older(&mut self, device: &Device, key: u64, handle: u32, shape: Shape) -> u32 {
        let id = (handle & 0xF_FFFF) as usize;
        if self.newest.len() <= id {
            self.newest.resize(id + 1, NONE);
        }
        let newest = self.newest[id];
        let mut at = newest;
        for _ in 0..Self::LOOK {
            let Some(known) = self.textures.get(at.row as usize).filter(|_| at.time == self.time) else { break };
            if at.key == key {
                return at.row;
            }
            at = known.older;
        }
        let row = self.textures.len() as u32;
        self.newest[id] = Newest { key, time: self.time, row };
        let sampler = match shape.image {
            true => NO_DESCRIPTOR,
            false => device.samplers.row(self.pools.samplers, handle >> 20),
        };
        self.textures.push(TextureUse {
            handle,
            shape,
            texture: device.textures.row(self.pools.textures, handle & 0xF_FFFF),
            sampler,
            view: StateId::NONE,
            older: newest,
        });
        row
    }

    /// Appends a row for each descriptor that code uses.
    #[inline]
    fn bind(
        &mut self,
        device: &Device,
        guest: &Guest,
        (slots, empty): (&[SlotFact], &[Binding]),
        bound: Bound<'_>,
        bank: BankOf,
        near: &mut Near,
        bindings: &mut Bindings,
    ) {
        if self.pools != bound.pools {
            self.pools = bound.pools;
            self.next_time();
        }
        let first = bindings.rows.len();
        bindings.rows.extend_from_slice(empty);
        let mut row = first;
        for of_stage in slots.chunk_by(|a, b| a.stage == b.stage) {
            let held = bound.raw.slots[bound.rows[of_stage[0].stage as usize] as usize];
            let textures = bound.raw.handles(held.textures);
            for fact in of_stage {
                // Nearly all are textures in slots.
                let used = match (fact.kind, fact.source) {
                    (BindKind::Texture, HandleSource::Bound(slot)) => {
                        let handle = textures.get(usize::from(slot)).copied().unwrap_or(0);
                        self.find(device, handle, fact.shape)
                    }
                    _ => {
                        let held = StageBound { raw: bound.raw, slots: held };
                        self.bind_other(device, guest, fact, held, bank, near, row, bindings)
                    }
                };
                self.uses.push(used);
                row += 1;
            }
        }
    }

    /// Fills the row of a descriptor that is not a texture in a slot; returns its use.
    fn bind_other(
        &mut self,
        device: &Device,
        guest: &Guest,
        fact: &SlotFact,
        of_stage: StageBound<'_>,
        bank: BankOf,
        near: &mut Near,
        row: usize,
        bindings: &mut Bindings,
    ) -> u32 {
        let mut buffer = |range: BufferRange, limit: u64| {
            bindings.rows[row].source = match slice_near(device, range.address, range.size.min(limit), near) {
                Some(found) if found.length > 0 && range.address != 0 => BindSource::Slice(found),
                _ => BindSource::Empty,
            };
        };
        let row = row as u32;
        match fact.kind {
            BindKind::Texture => {
                let handle = handle(guest, fact.source, &of_stage, of_stage.slots.textures);
                return self.find(device, handle, fact.shape);
            }
            BindKind::Image => {
                let handle = handle(guest, fact.source, &of_stage, of_stage.slots.images);
                self.images.push(row);
                return self.find(device, handle, fact.shape);
            }
            BindKind::Uniform if fact.bytes == 0 => self.banks.push((row, bank)),
            BindKind::Uniform => {
                let range = of_stage.uniform(fact.slot).unwrap_or_default();
                buffer(range, u64::from(fact.bytes).next_multiple_of(16));
                self.uniforms.push((row, range));
            }
            BindKind::Storage => {
                let range = of_stage.storage(fact.slot).unwrap_or_default();
                buffer(range, u64::MAX);
                self.storage.push((row, range));
            }
        }
        NO_USE
    }
}

/// The descriptor that a use names.
#[must_use]
pub fn texture_of<'a>(used: &TextureUse, device: &'a Device) -> Option<&'a TextureRef> {
    device.textures.get(used.texture)
}

/// The sampler that a use names.
#[must_use]
pub fn sampler_of<'a>(used: &TextureUse, device: &'a Device) -> Option<&'a Sampler> {
    device.samplers.get(used.sampler)
}

/// The bytes at an address; cut to the pool. `None` outside all pools.
#[must_use]
pub fn slice(device: &Device, address: u64, length: u64) -> Option<BufferSlice> {
    slice_near(device, address, length, &mut Near::default())
}

/// Where the last address lay.
#[derive(Debug, Clone, Copy, Default)]
struct Near {
    /// As [`Device::locate_near`] keeps it.
    at: usize,
    /// As [`BindingSources::named`].
    named: u64,
}

/// As [`slice()`]; `near` remembers the pool.
#[inline]
fn slice_near(device: &Device, address: u64, length: u64, near: &mut Near) -> Option<BufferSlice> {
    let at = device.locate_near(address, &mut near.at)?;
    near.named |= 1 << (at.pool % 64);
    Some(BufferSlice { resource: at.buffer, offset: at.offset, length: length.min(at.left) })
}

/// Looks addresses up and binds what programs use.
pub fn translate_virtual_addresses(
    device: Res<Device>,
    guest: Res<Guest>,
    raw: Res<RawPart>,
    mut store: ResMut<ShaderStore>,
    mut draws: ResMut<Draws>,
    mut dispatches: ResMut<Dispatches>,
    mut nodes: ResMut<Nodes>,
    mut bindings: ResMut<Bindings>,
    mut sources: ResMut<BindingSources>,
    mut slices: ResMut<Slices>,
    mut decisions: ResMut<Decisions>,
) {
    let failures = store.failures.len();
    store.update(&device.stages, device.sets.rows());
    for (program, _) in &store.failures[failures..] {
        decisions.push(
            RULE.name,
            Subject::Part,
            Verdict::Degraded,
            "program stage {0} cannot be read: draws with it are left out",
            [Evidence::Number(i64::from(program.0))],
        );
    }
    let (bindings, sources, slices) = (&mut *bindings, &mut *sources, &mut *slices);
    let draws = &mut *draws;
    // Each kind of address lies in a pool of its own as a rule.
    let [mut near_indices, mut near_vertices, mut near_bound] = [Near::default(); 3];
    let mut last_buffers: Option<(Rows, Rows)> = None;
    // What the draw before bound, and its rows: draws in a row that bind the same share them.
    let mut last_bindings: Option<((u32, u32), Rows)> = None;
    let columns = draws.call.iter_mut().zip(&mut draws.vertex_buffers).zip(&mut draws.bindings);
    let used = raw.draws.iter().zip(&raw.draw_sets);
    for (draw, (((call, vertex_buffers), bound_rows), (used, set))) in columns.zip(used).enumerate() {
        let id = DrawId(draw as u32);
        let mut missing = None;
        let mut find = |address: u64, length: u64| {
            slice_near(&device, address, length, &mut near_indices).unwrap_or_else(|| {
                missing = Some(address);
                BufferSlice::default()
            })
        };
        match call {
            DrawCall::Arrays { .. } => {}
            DrawCall::Elements { indices, index_type, count, .. } => {
                *indices = find(used.indices, u64::from(*count) * index_bytes(*index_type));
            }
            DrawCall::Indirect { arguments, count, stride, indices, count_buffer } => {
                let record = if indices.is_some() { 20 } else { 16 };
                let addresses = raw.indirect.get(used.indirect as usize).copied().unwrap_or_default();
                *arguments = find(addresses.arguments, u64::from(*count - 1) * u64::from(*stride) + record);
                if let Some((indices, _)) = indices {
                    *indices = find(used.indices, u64::MAX);
                }
                if let Some(count) = count_buffer {
                    *count = find(addresses.count, 4);
                }
            }
        }
        if let Some(address) = missing {
            nodes.flags[draws.node[draw].index()] |= node_flags::SKIPPED;
            decisions.push(
                RULE.name,
                Subject::Draw(id),
                Verdict::Skipped,
                "address {0} lies in no pool",
                [Evidence::Bits(address)],
            );
        }
        *vertex_buffers = match last_buffers {
            Some((known, rows)) if known == used.vertex_buffers => rows,
            _ => {
                let start = slices.rows.len() as u32;
                let ranges = raw.ranges(used.vertex_buffers);
                let slice =
                    |r: &BufferRange| slice_near(&device, r.address, r.size, &mut near_vertices).unwrap_or_default();
                slices.rows.extend(ranges.iter().map(slice));
                Rows { start, len: ranges.len() as u32 }
            }
        };
        last_buffers = Some((used.vertex_buffers, *vertex_buffers));
        let key = (*set, used.bound);
        let facts = store.set(*set);
        // Draws with a driver bank of their own cannot share rows.
        if let Some((known, rows)) = last_bindings
            && known == key
            && facts.traits & traits::DRIVER_BANK == 0
        {
            *bound_rows = rows;
            continue;
        }
        let start = bindings.rows.len();
        let bound = raw.bound[used.bound as usize];
        let [vertex, control, evaluation, geometry, fragment] = bound.slots;
        let rows = [vertex, control, evaluation, geometry, fragment, 0];
        let bound = Bound { raw: &raw, rows, pools: raw.pools[bound.pools as usize] };
        let slots = store.set_slots(&facts);
        sources.bind(&device, &guest, slots, bound, BankOf::Draw(id), &mut near_bound, bindings);
        let rows = Rows { start: start as u32, len: (bindings.rows.len() - start) as u32 };
        *bound_rows = rows;
        last_bindings = Some((key, rows));
    }
    for (row, dispatch) in dispatches.rows.iter_mut().enumerate() {
        let used = raw.dispatches[row];
        if let Some(arguments) = &mut dispatch.indirect {
            match slice_near(&device, used.arguments, 12, &mut near_indices) {
                Some(found) => *arguments = found,
                None => {
                    nodes.flags[dispatch.node.index()] |= node_flags::SKIPPED;
                    decisions.push(
                        RULE.name,
                        Subject::Node(dispatch.node),
                        Verdict::Skipped,
                        "address {0} lies in no pool",
                        [Evidence::Bits(used.arguments)],
                    );
                }
            }
        }
        let start = bindings.rows.len();
        let rows = [0, 0, 0, 0, 0, used.slots];
        let bound = Bound { raw: &raw, rows, pools: raw.pools[used.pools as usize] };
        let (slots, bank) = (store.compute_slots(dispatch.program), BankOf::Dispatch(row as u32));
        sources.bind(&device, &guest, slots, bound, bank, &mut near_bound, bindings);
        dispatch.bindings = Rows { start: start as u32, len: (bindings.rows.len() - start) as u32 };
    }
    sources.named = near_indices.named | near_vertices.named | near_bound.named;
}

fn index_bytes(kind: IndexType) -> u64 {
    match kind {
        IndexType::U8 => 1,
        IndexType::U16 => 2,
        IndexType::U32 => 4,
    }
}

/// A 32-bit word of guest memory; 0 where nothing is mapped.
fn word(guest: &Guest, range: BufferRange, offset: u32) -> u32 {
    let mut bytes = [0; 4];
    if range.address == 0 || u64::from(offset) + 4 > range.size {
        return 0;
    }
    match guest.memory.read(range.address + u64::from(offset), &mut bytes) {
        Ok(()) => u32::from_le_bytes(bytes),
        Err(_) => 0,
    }
}

/// What is bound to a draw or dispatch.
#[derive(Clone, Copy)]
struct Bound<'a> {
    raw: &'a RawPart,
    /// By [`framegraph::state::Stage`]: row of [`RawPart::slots`].
    rows: [u32; 6],
    pools: RawPools,
}

/// What is bound to one stage.
struct StageBound<'a> {
    raw: &'a RawPart,
    slots: RawSlots,
}

impl StageBound<'_> {
    fn uniform(&self, slot: u8) -> Option<BufferRange> {
        self.raw.ranges(self.slots.uniform).get(usize::from(slot)).copied()
    }

    fn storage(&self, slot: u8) -> Option<BufferRange> {
        self.raw.ranges(self.slots.storage).get(usize::from(slot)).copied()
    }
}

fn handle(guest: &Guest, source: HandleSource, slots: &StageBound<'_>, bound: Rows) -> u32 {
    let constant = |bank: u8, offset: u32| {
        let range = bank.checked_sub(3).and_then(|slot| slots.uniform(slot));
        range.map_or(0, |range| word(guest, range, offset))
    };
    match source {
        HandleSource::Bound(slot) => slots.raw.handles(bound).get(usize::from(slot)).copied().unwrap_or(0),
        HandleSource::Constant { bank, offset } => constant(bank, offset),
        HandleSource::ConstantPair { first, second } => constant(first.0, first.1) | constant(second.0, second.1),
        HandleSource::Storage { slot, offset } => slots.storage(slot).map_or(0, |range| word(guest, range, offset)),
    }
}

#[cfg(test)]
mod tests {
    use crate::state::shader_store::{HandleSource, StageFacts, StorageFact, TextureFact, UniformFact};
    use crate::testing::Scene;
    use framegraph::state::{Dim, Stage};
    use framegraph::tables::{BindSource, Bindings, DrawCall, Slices, node_flags};
    use nvn_decode::record::{Draw, Op, SlotRange};

    // rows: M-4.7
    #[test]
    fn addresses_become_bytes_of_pools() {
        let mut scene = Scene::new(&[]);
        scene.pool(1, 0x4000);
        let program = scene.plain_program(0xF);
        scene.targets(&[Scene::texture(0x10000, 0x25, 8, 8)], None).bind_program(program);
        scene.cmd(
            Op::BindVertexBuffer,
            &SlotRange { address: Scene::address(1, 0x3000), size: 0x9000, stage: 0, index: 0 },
        );
        let indices = Scene::address(1, 0x100);
        scene
            .cmd(Op::Draw, &Draw { indices, primitive: 4, index_type: 2, count: 6, instances: 1, ..Draw::default() })
            .run();
        let DrawCall::Elements { indices, .. } = scene.draws().call[0] else { panic!() };
        assert_eq!((indices.offset, indices.length), (0x100, 12));
        let stream = scene.res::<Slices>().rows[scene.draws().vertex_buffers[0].range()][0];
        assert_eq!(
            (stream.resource, stream.offset, stream.length),
            (indices.resource, 0x3000, 0x1000),
            "cut to the pool"
        );
    }

    #[test]
    fn an_address_outside_all_pools_leaves_the_draw_out() {
        let mut scene = Scene::new(&[]);
        let program = scene.plain_program(0xF);
        scene.targets(&[Scene::texture(0x10000, 0x25, 8, 8)], None).bind_program(program);
        scene.cmd(
            Op::Draw,
            &Draw { indices: 0x77, primitive: 4, index_type: 2, count: 6, instances: 1, ..Draw::default() },
        );
        scene.run();
        assert_eq!(scene.decided(super::RULE.name), ["Skipped: address 0x77 lies in no pool"]);
        assert_ne!(scene.nodes().flags[scene.draws().node[0].index()] & node_flags::SKIPPED, 0);
    }

    #[test]
    fn draws_that_bind_the_same_share_rows() {
        let mut scene = Scene::new(&[]);
        let storage = vec![StorageFact { slot: 0, writes: false }];
        let program = scene.program(&[(Stage::Vertex, StageFacts { storage, ..StageFacts::default() })]);
        scene.targets(&[Scene::texture(0x10000, 0x25, 8, 8)], None).bind_program(program);
        let range = |offset| SlotRange { address: Scene::address(0, offset), size: 64, stage: 0, index: 0 };
        scene.cmd(Op::BindStorageBuffer, &range(0x100)).draw().draw();
        scene.cmd(Op::BindStorageBuffer, &range(0x200)).draw().run();
        let rows = &scene.draws().bindings;
        assert_eq!(rows[0], rows[1]);
        assert_ne!(rows[1], rows[2]);
        assert_eq!(scene.res::<Bindings>().rows.len(), 2);
    }

    #[test]
    fn handles_are_read_from_uniform_blocks() {
        let mut scene = Scene::new(&[]);
        let texture = TextureFact {
            slot: 31,
            source: HandleSource::Constant { bank: 4, offset: 8 },
            dim: Dim::D2,
            compare: false,
        };
        let fragment = StageFacts {
            output_map: 0xF,
            textures: vec![texture],
            uniforms: vec![UniformFact { slot: 1, bytes: 16 }],
            ..StageFacts::default()
        };
        let program = scene.program(&[(Stage::Vertex, StageFacts::default()), (Stage::Fragment, fragment)]);
        scene.register(256, Scene::texture(0x20000, 0x25, 8, 8));
        scene.write(0, 0x108, &256_u32.to_le_bytes());
        scene.targets(&[Scene::texture(0x10000, 0x25, 8, 8)], None).bind_program(program).bind_texture(0, 9, 9);
        let range = SlotRange { address: Scene::address(0, 0x100), size: 256, stage: 1, index: 1 };
        scene.cmd(Op::BindUniformBuffer, &range).draw().run();
        let bound = scene.res::<Bindings>().rows.iter().filter(|row| matches!(row.source, BindSource::Texture(..)));
        assert_eq!(bound.count(), 1);
    }
}
