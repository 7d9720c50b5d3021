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
use crate::state::shader_store::{
    GRAPHICS, HandleSource, ImageFact, ShaderStore, StageFacts, TextureFact, TextureHint, traits,
};
use bevy_ecs::prelude::*;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::{DrawId, ProgramId, Rows};
use framegraph::schedule::Phase;
use framegraph::state::Stage;
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

/// Uniform slot of the driver bank.
pub const DRIVER_SLOT: u8 = 14;

/// What a row of [`Bindings`] was before it became a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RawBinding {
    /// A buffer range.
    Range(BufferRange),
    /// A texture handle, the descriptors that it names, and what the code does with it.
    Texture {
        /// Handle: texture id in bits 0–19, sampler id in bits 20–31.
        handle: u32,
        /// Row of [`Device::textures`].
        texture: u32,
        /// Row of [`Device::samplers`].
        sampler: u32,
        /// What the code does with it.
        fact: TextureFact,
    },
    /// An image handle.
    Image {
        /// Handle: image id in bits 0–19.
        handle: u32,
        /// Row of [`Device::textures`].
        texture: u32,
        /// What the code does with it.
        fact: ImageFact,
    },
    /// The driver bank of a draw or dispatch.
    Driver(BankOf),
}

/// Whose driver bank a binding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BankOf {
    /// A draw.
    Draw(DrawId),
    /// A row of dispatches.
    Dispatch(u32),
}

/// Parallel to [`Bindings`].
#[derive(Debug, Default, Resource)]
pub struct BindingSources {
    /// Rows.
    pub rows: Vec<RawBinding>,
    /// By row: what a texture or image is; filled by `pick_host_formats`.
    pub hints: Vec<TextureHint>,
}

impl BindingSources {
    /// Forgets all rows, keeps the memory.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.hints.clear();
    }
}

impl RawBinding {
    /// The row of [`Device::textures`] that a texture or image binding names; [`NO_DESCRIPTOR`] for others and where nothing was written.
    #[must_use]
    pub fn texture(&self) -> u32 {
        match self {
            Self::Texture { texture, .. } | Self::Image { texture, .. } => *texture,
            _ => NO_DESCRIPTOR,
        }
    }
}

/// The descriptor that a texture or image binding names.
#[must_use]
pub fn texture_of<'a>(source: &RawBinding, device: &'a Device) -> Option<&'a TextureRef> {
    device.textures.get(source.texture())
}

/// The sampler that a texture binding names.
#[must_use]
pub fn sampler_of<'a>(source: &RawBinding, device: &'a Device) -> Option<&'a Sampler> {
    let RawBinding::Texture { sampler, .. } = source else { return None };
    device.samplers.get(*sampler)
}

/// The bytes at an address; cut to the pool. `None` outside all pools.
#[must_use]
pub fn slice(device: &Device, address: u64, length: u64) -> Option<BufferSlice> {
    let at = device.locate(address)?;
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
    store.update(&device.stages);
    for (program, _) in &store.failures[failures..] {
        decisions.push(
            RULE.name,
            Subject::Part,
            Verdict::Degraded,
            "program stage {0} cannot be read: draws with it are left out",
            [Evidence::Number(i64::from(program.0))],
        );
    }
    let mut last_buffers: Option<(Rows, Rows)> = None;
    // What the draw before bound, and its rows: draws in a row that bind the same share them.
    type Key = ([ProgramId; 5], [u32; 5], u32);
    let mut last_bindings: Option<(Key, Rows)> = None;
    for draw in 0..draws.len() {
        let id = DrawId(draw as u32);
        let node = draws.node[draw];
        let addresses = raw.draws[draw];
        let mut missing = None;
        let mut find = |address: u64, length: u64| {
            slice(&device, address, length).unwrap_or_else(|| {
                missing = Some(address);
                BufferSlice::default()
            })
        };
        match &mut draws.call[draw] {
            DrawCall::Arrays { .. } => {}
            DrawCall::Elements { indices, index_type, count, .. } => {
                *indices = find(addresses.indices, u64::from(*count) * index_bytes(*index_type));
            }
            DrawCall::Indirect { arguments, count, stride, indices, count_buffer } => {
                let record = if indices.is_some() { 20 } else { 16 };
                *arguments = find(addresses.arguments, u64::from(*count - 1) * u64::from(*stride) + record);
                if let Some((indices, _)) = indices {
                    *indices = find(addresses.indices, u64::MAX);
                }
                if let Some(count) = count_buffer {
                    *count = find(addresses.count, 4);
                }
            }
        }
        if let Some(address) = missing {
            nodes.flags[node.index()] |= node_flags::SKIPPED;
            decisions.push(
                RULE.name,
                Subject::Draw(id),
                Verdict::Skipped,
                "address {0} lies in no pool",
                [Evidence::Bits(address)],
            );
        }
        draws.vertex_buffers[draw] = match last_buffers {
            Some((known, rows)) if known == addresses.vertex_buffers => rows,
            _ => {
                let start = slices.rows.len() as u32;
                let ranges = raw.ranges(addresses.vertex_buffers);
                slices.rows.extend(ranges.iter().map(|r| slice(&device, r.address, r.size).unwrap_or_default()));
                Rows { start, len: ranges.len() as u32 }
            }
        };
        last_buffers = Some((addresses.vertex_buffers, draws.vertex_buffers[draw]));
        let programs = draws.programs[draw];
        let pools = raw.pools[addresses.pools as usize];
        // Draws with a driver bank of their own cannot share rows.
        let own_bank = programs.iter().any(|p| store.has(*p, traits::DRIVER_BANK));
        let key: Key = (programs, addresses.slots, addresses.pools);
        if let Some((known, rows)) = last_bindings
            && known == key
            && !own_bank
        {
            draws.bindings[draw] = rows;
            continue;
        }
        let start = bindings.rows.len();
        for ((program, stage), slots) in programs.iter().zip(GRAPHICS).zip(addresses.slots) {
            let Some(facts) = store.facts(*program) else { continue };
            let slots = Bound { raw: &raw, slots: raw.slots[slots as usize], pools };
            bind(&device, &guest, facts, stage, slots, BankOf::Draw(id), &mut bindings, &mut sources);
        }
        let rows = Rows { start: start as u32, len: (bindings.rows.len() - start) as u32 };
        draws.bindings[draw] = rows;
        last_bindings = Some((key, rows));
    }
    for (row, dispatch) in dispatches.rows.iter_mut().enumerate() {
        let used = raw.dispatches[row];
        if let Some(arguments) = &mut dispatch.indirect {
            match slice(&device, used.arguments, 12) {
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
        if let Some(facts) = store.facts(dispatch.program) {
            let slots = raw.slots[used.slots as usize];
            let slots = Bound { raw: &raw, slots, pools: raw.pools[used.pools as usize] };
            let bank = BankOf::Dispatch(row as u32);
            bind(&device, &guest, facts, Stage::Compute, slots, bank, &mut bindings, &mut sources);
        }
        dispatch.bindings = Rows { start: start as u32, len: (bindings.rows.len() - start) as u32 };
    }
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

/// What is bound to one stage.
#[derive(Clone, Copy)]
struct Bound<'a> {
    raw: &'a RawPart,
    slots: RawSlots,
    pools: RawPools,
}

impl Bound<'_> {
    fn uniform(&self, slot: u8) -> Option<BufferRange> {
        self.raw.ranges(self.slots.uniform).get(usize::from(slot)).copied()
    }

    fn storage(&self, slot: u8) -> Option<BufferRange> {
        self.raw.ranges(self.slots.storage).get(usize::from(slot)).copied()
    }
}

fn handle(guest: &Guest, source: HandleSource, slots: &Bound<'_>, bound: Rows) -> u32 {
    let constant = |bank: u8, offset: u32| {
        let range = bank.checked_sub(3).and_then(|slot| slots.uniform(slot));
        range.map_or(0, |range| word(guest, range, offset))
    };
    match source {
        HandleSource::Bound(slot) => slots.raw.handles(bound).get(usize::from(slot)).map_or(0, |handle| *handle as u32),
        HandleSource::Constant { bank, offset } => constant(bank, offset),
        HandleSource::ConstantPair { first, second } => constant(first.0, first.1) | constant(second.0, second.1),
        HandleSource::Storage { slot, offset } => slots.storage(slot).map_or(0, |range| word(guest, range, offset)),
    }
}

/// Appends the bindings of one stage.
#[allow(clippy::too_many_arguments)] // Two tables, two sources of memory, and what names the stage.
fn bind(
    device: &Device,
    guest: &Guest,
    facts: &StageFacts,
    stage: Stage,
    slots: Bound<'_>,
    bank: BankOf,
    bindings: &mut Bindings,
    sources: &mut BindingSources,
) {
    let mut push = |kind, slot, written, source, raw| {
        bindings.rows.push(Binding { kind, stage, slot, written, source });
        sources.rows.push(raw);
    };
    let buffer = |range: BufferRange, limit: u64| match slice(device, range.address, range.size.min(limit)) {
        Some(found) if found.length > 0 && range.address != 0 => BindSource::Slice(found),
        _ => BindSource::Empty,
    };
    for block in &facts.uniforms {
        if block.slot == DRIVER_SLOT {
            continue;
        }
        let range = slots.uniform(block.slot).unwrap_or_default();
        let limit = u64::from(block.bytes.max(16)).next_multiple_of(16);
        push(BindKind::Uniform, block.slot, false, buffer(range, limit), RawBinding::Range(range));
    }
    if facts.driver_bank {
        push(BindKind::Uniform, DRIVER_SLOT, false, BindSource::Empty, RawBinding::Driver(bank));
    }
    for storage in &facts.storage {
        let range = slots.storage(storage.slot).unwrap_or_default();
        push(BindKind::Storage, storage.slot, storage.writes, buffer(range, u64::MAX), RawBinding::Range(range));
    }
    for texture in &facts.textures {
        let handle = handle(guest, texture.source, &slots, slots.slots.textures);
        let raw = RawBinding::Texture {
            handle,
            texture: device.textures.row(slots.pools.textures, handle & 0xF_FFFF),
            sampler: device.samplers.row(slots.pools.samplers, handle >> 20),
            fact: *texture,
        };
        push(BindKind::Texture, texture.slot, false, BindSource::Empty, raw);
    }
    for image in &facts.images {
        let handle = handle(guest, image.source, &slots, slots.slots.images);
        let texture = device.textures.row(slots.pools.textures, handle & 0xF_FFFF);
        let raw = RawBinding::Image { handle, texture, fact: *image };
        push(BindKind::Image, image.slot, image.writes, BindSource::Empty, raw);
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
