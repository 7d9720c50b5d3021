//! Ingest: records become nodes and raw state. The only reader of records.
//!
//! # The algorithm
//! Stream records change the [`Device`]; command lists are kept by handle and not looked at. A submission names lists: each is walked, calls within it are
//! looked up *now* and walked in place (rows M-4.8a, A-089), and each command either changes the state bound on the queue or appends a node with the rows of
//! the state it uses. A part ends at [`Op::PartEnd`] or at the end of the bytes.
//!
//! Draws are told by what *changed* since the draw before: a group of state, or a stage's bindings, gets a new row only then. Programs, sets of stages and
//! attached textures have numbers that they keep, so that later systems look up by number what they found out in an earlier part.
//!
//! # Bad bytes
//! Nothing here panics. A record that makes no sense is left out and becomes a [`Diagnostic`] with its offset and the list it stood in; a stream or list whose
//! framing is broken is read up to the break. A command that no rule carries out yet becomes a decision with the verdict `Degraded`, never silence.

mod bound;
mod device;
mod keyframe;

pub use device::{
    Attached, Descriptors, Device, Located, NO_DESCRIPTOR, PoolInfo, Program, ProgramSets, Programs, stage_number,
    stage_of,
};
pub use keyframe::{BufferRestore, ImageRestore, PlaneRestore, Restored};

use crate::layout::{self, LayoutDesc};
use crate::memory::Guest;
use crate::raw::{
    BufferRange, NO_TEXTURE, RawClear, RawClearKind, RawCopy, RawCopyKind, RawDispatch, RawDraw, RawIndirect, RawPart,
    RawPresent, RawRun, RawTargets, RawUpdate,
};
use crate::record::{self, Op, Reader, Record, RecordError, TextureRef};
use bevy_ecs::prelude::*;
use bound::Bound;
use framegraph::decision::{Decisions, Evidence, Subject, Verdict};
use framegraph::ids::{NodeId, ProgramId, Rows, Seq};
use framegraph::resource::{Label, PhysicalRange, ResourceFlags, ResourceKind, ResourcePool, Storage};
use framegraph::rule::{Kind, Rule, Switches};
use framegraph::schedule::Phase;
use framegraph::state::{Stage, Topology};
use framegraph::tables::{
    BufferSlice, Dispatch, Dispatches, DrawCall, Draws, GameBarriers, IndexType, Labels, NodeKind, Nodes, Present,
    Presents, Signals,
};
use std::collections::HashMap;
use std::sync::Arc;

/// The walk of command lists.
pub const WALK_CALL_TREE: Rule = Rule {
    name: "walk_call_tree",
    phase: Phase::Ingest,
    kind: Kind::Plumbing,
    rows: &["M-4.8a", "A-089", "R-054", "R-057"],
    after: &[],
    off_means: "cannot be off",
    knobs: &["M-4.8a", "A-089", "R-054", "R-057"],
};

/// The order of queues.
pub const ORDER_EVENTS_ACROSS_QUEUES: Rule = Rule {
    name: "order_events_across_queues",
    phase: Phase::Ingest,
    kind: Kind::Plumbing,
    rows: &["M-4.3", "A-040", "A-041"],
    after: &["walk_call_tree"],
    off_means: "cannot be off",
    knobs: &[],
};

/// Deepest nesting of lists; the hardware's own limit is not known, titles use two or three levels.
const MAX_DEPTH: usize = 32;
/// Most commands of a part: a list that calls itself by turns would otherwise never end.
const MAX_COMMANDS: u32 = 1 << 22;

/// What is wrong in a stream.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IngestError {
    /// The framing or a payload is broken.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A command record stands in the stream, or a stream record in a list.
    #[error("record {0} does not belong here")]
    Misplaced(&'static str),
    /// A list that was never recorded.
    #[error("list {0:#x} was never recorded: the call is left out")]
    UnknownList(u64),
    /// Lists call each other too deeply.
    #[error("lists call one another more than {MAX_DEPTH} levels deep: the call is left out")]
    TooDeep,
    /// More commands than a part can hold.
    #[error("the part has more than {MAX_COMMANDS} commands: the rest is left out")]
    TooLong,
    /// An enumerator out of range.
    #[error("{what} {value:#x} is not known: the command is left out")]
    UnknownValue {
        /// What it should be.
        what: &'static str,
        /// The value.
        value: u64,
    },
    /// A texture that cannot be.
    #[error("texture at pool {pool} offset {offset:#x} does not fit its pool or has no known format: it is left out")]
    BadTexture {
        /// Pool ordinal.
        pool: u32,
        /// Offset.
        offset: u64,
    },
    /// A pool that cannot be.
    #[error(
        "pool {ordinal} of {size:#x} bytes at {address:#x} is more than the console's memory or wraps around: it is left out"
    )]
    BadPool {
        /// Pool ordinal.
        ordinal: u32,
        /// First byte.
        address: u64,
        /// Size in bytes.
        size: u64,
    },
    /// A program that was never given.
    #[error("program {0} was never given: the stages stay unbound")]
    UnknownProgram(u32),
    /// A window or its texture that is not known.
    #[error("window {window} has no texture {index}")]
    UnknownWindow {
        /// Window ordinal.
        window: u32,
        /// Index.
        index: u32,
    },
}

/// What is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Byte offset of the record in the stream, or in the list.
    pub offset: usize,
    /// The list, where the record stood in one.
    pub list: Option<u64>,
    /// What is wrong.
    pub error: IngestError,
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.list {
            Some(list) => write!(f, "list {list:#x}, byte {:#x}: {}", self.offset, self.error),
            None => write!(f, "stream, byte {:#x}: {}", self.offset, self.error),
        }
    }
}

/// Facts about the current part.
#[derive(Debug, Default, Resource)]
pub struct PartInfo {
    /// Number of the part, from 1.
    pub index: u64,
    /// Bytes of the stream that the part took.
    pub consumed: usize,
    /// Whether a [`Op::PartEnd`] ended it (else the bytes ended).
    pub ended: bool,
    /// Submissions in it.
    pub submissions: u32,
    /// Presents in it.
    pub presents: u32,
    /// What was wrong in its bytes.
    pub diagnostics: Vec<Diagnostic>,
}

/// Packs a fence into the tag of a signal node: completions carry it back.
#[must_use]
pub fn signal_tag(sync: u64, value: u64) -> u64 {
    sync << 32 | value & 0xFFFF_FFFF
}

/// Sync id and value (its low 32 bits) of a tag.
#[must_use]
pub fn signal_of(tag: u64) -> (u64, u64) {
    (tag >> 32, tag & 0xFFFF_FFFF)
}

/// Reads streams; holds what is bound on queues and the recorded lists.
#[derive(Debug, Default, Resource)]
pub struct Decoder {
    lists: HashMap<u64, Vec<u8>>,
    queues: HashMap<u32, Bound>,
    labels: HashMap<Vec<u8>, Arc<str>>,
    /// Highest value signalled per sync object.
    signalled: HashMap<u64, u64>,
    parts: u64,
}

/// Puts the decoder's resources into a world that has the graph's tables.
pub fn install(world: &mut World, guest: Guest) {
    world.insert_resource(guest);
    world.init_resource::<Decoder>();
    world.init_resource::<Device>();
    world.init_resource::<RawPart>();
    world.init_resource::<PartInfo>();
    world.init_resource::<Restored>();
}

/// The system: reads one part from the bytes of a stream into the tables.
pub fn walk_call_tree(world: &mut World, stream: &[u8]) {
    // Taken and put back: a scope over a resource makes the world keep a note of each removal.
    let mut decoder = std::mem::take(&mut *world.resource_mut::<Decoder>());
    decoder.ingest(stream, world);
    *world.resource_mut::<Decoder>() = decoder;
}

/// What a walk appends to.
struct Sink<'w> {
    nodes: &'w mut Nodes,
    draws: &'w mut Draws,
    dispatches: &'w mut Dispatches,
    barriers: &'w mut GameBarriers,
    signals: &'w mut Signals,
    presents: &'w mut Presents,
    labels: &'w mut Labels,
    raw: &'w mut RawPart,
    decisions: &'w mut Decisions,
    diagnostics: &'w mut Vec<Diagnostic>,
    device: &'w mut Device,
    knobs: Knobs,
    command: u32,
    label: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Knobs {
    bind_all_stages: bool,
    drop_base_instance: bool,
}

impl Sink<'_> {
    #[inline]
    fn node(&mut self, kind: NodeKind, payload: u32) -> NodeId {
        let id = self.nodes.push_command(kind, Seq::command(self.command), payload, self.label);
        self.command += 1;
        id
    }

    fn degraded(&mut self, text: &'static str, evidence: impl IntoIterator<Item = Evidence>) {
        self.decisions.push(WALK_CALL_TREE.name, Subject::Part, Verdict::Degraded, text, evidence);
    }
}

impl Decoder {
    /// Reads records up to the end of a part; returns what [`PartInfo`] then says.
    pub fn ingest(&mut self, stream: &[u8], world: &mut World) {
        self.parts += 1;
        for bound in self.queues.values_mut() {
            bound.forget_rows();
        }
        let mut info = std::mem::take(&mut *world.resource_mut::<PartInfo>());
        info.index = self.parts;
        info.consumed = 0;
        info.ended = false;
        info.submissions = 0;
        info.presents = 0;
        info.diagnostics.clear();
        world.resource_mut::<Restored>().clear();
        let mut reader = Reader::new(stream);
        let mut command = 0;
        while let Some(next) = reader.next() {
            let record = match next {
                Ok(record) => record,
                Err(error) => {
                    info.diagnostics.push(Diagnostic { offset: reader.offset(), list: None, error: error.into() });
                    break;
                }
            };
            if record.op == Op::PartEnd {
                info.ended = true;
                break;
            }
            if let Err(error) = self.stream_record(&record, world, &mut info, &mut command) {
                info.diagnostics.push(Diagnostic { offset: record.offset, list: None, error });
            }
        }
        info.consumed = reader.offset();
        *world.resource_mut::<PartInfo>() = info;
    }

    fn stream_record(
        &mut self,
        record: &Record<'_>,
        world: &mut World,
        info: &mut PartInfo,
        command: &mut u32,
    ) -> Result<(), IngestError> {
        match record.op {
            Op::Device => world.resource_mut::<Device>().facts = record.get()?,
            Op::PoolCreate => create_pool(world, record.get()?)?,
            Op::PoolFinalize => end_pool(world, record.get::<record::PoolEnd>()?.ordinal),
            Op::Program => add_program(world, record)?,
            Op::RegisterTexture | Op::RegisterImage => {
                let descriptor: record::DescriptorTexture = record.get()?;
                let mut device = world.resource_mut::<Device>();
                let checked = check_texture(&device, &descriptor.texture);
                // A descriptor that shows nothing sensible reads as nothing.
                let shown = checked.is_ok().then_some(descriptor.texture);
                device.textures.set(descriptor.pool_address, descriptor.id, shown);
                checked?;
            }
            Op::RegisterSampler => {
                let descriptor: record::DescriptorSampler = record.get()?;
                let mut device = world.resource_mut::<Device>();
                device.samplers.set(descriptor.pool_address, descriptor.id, Some(descriptor.sampler));
            }
            Op::CommandList => {
                let (head, commands): (record::ListHeader, _) = record.head()?;
                let early = world.get_resource::<Switches>().is_some_and(|s| s.knob("M-4.8a") || s.knob("A-089"));
                let mut list = self.lists.remove(&head.handle).unwrap_or_default();
                list.clear();
                if early {
                    self.expand(commands, &mut list, 0);
                } else {
                    list.extend_from_slice(commands);
                }
                self.lists.insert(head.handle, list);
            }
            Op::Submit => {
                let (head, handles): (record::Submit, _) = record.head()?;
                info.submissions += 1;
                let Self { lists, queues, labels, signalled, .. } = self;
                let bound = queues.entry(head.queue).or_default();
                with_sink(world, info, command, |sink| {
                    let mut walk = Walk { lists, labels, signalled, bound };
                    walk.begin(sink);
                    for handle in record::items::<u64>(handles).take(head.count as usize) {
                        walk.list(handle, 0, record.offset, None, sink);
                    }
                });
            }
            Op::FenceSync => {
                let fence: record::Fence = record.get()?;
                let Self { signalled, .. } = self;
                with_sink(world, info, command, |sink| signal(signalled, &fence, sink));
            }
            Op::WaitSync => {
                let fence: record::Fence = record.get()?;
                let Self { signalled, .. } = self;
                with_sink(world, info, command, |sink| wait(signalled, &fence, sink));
            }
            Op::Window => {
                let (head, textures): (record::Window, _) = record.head()?;
                let textures: Vec<_> = record::items::<TextureRef>(textures).take(head.count as usize).collect();
                let mut device = world.resource_mut::<Device>();
                for texture in &textures {
                    check_texture(&device, texture)?;
                }
                device.windows.insert(head.window, textures);
            }
            Op::Present => {
                let present: record::PresentTexture = record.get()?;
                let device = world.resource::<Device>();
                let (window, index) = (present.window, present.index);
                let unknown = IngestError::UnknownWindow { window, index };
                let textures = device.windows.get(&window).ok_or_else(|| unknown.clone())?;
                let texture = *textures.get(index as usize).ok_or(unknown)?;
                let origin = device.facts.window_origin;
                info.presents += 1;
                with_sink(world, info, command, |sink| {
                    let node = sink.node(NodeKind::Present, sink.presents.rows.len() as u32);
                    let none = framegraph::ids::ResourceId::NONE;
                    let format = framegraph::state::Format::Undefined;
                    let (crop, extent) = (present.crop, [0; 2]);
                    sink.presents.rows.push(Present { source: none, crop, flip: false, format, extent });
                    let (crop, interval) = (present.crop, present.interval);
                    sink.raw.presents.push(RawPresent { node, texture, crop, interval, origin });
                });
            }
            // The pages that the CPU wrote are tracked; a flush adds nothing.
            Op::FlushRange => {}
            Op::KeyBegin => {
                self.parts = record.get::<record::KeyBegin>()?.parts.clamp(1, 1 << 48);
                info.index = self.parts;
                world.resource_mut::<Restored>().active = true;
            }
            Op::PoolResource => {
                let named: record::PoolResource = record.get()?;
                let id = framegraph::ids::ResourceId(named.resource);
                world.resource_mut::<Device>().pool_resources.insert(named.ordinal, id);
            }
            Op::ImageContents => keyframe::image_contents(record, world)?,
            Op::BufferContents => keyframe::buffer_contents(record, world)?,
            // The systems take it up; whoever runs them hands it over.
            Op::History => {}
            Op::Label => {
                let (label, text): (record::Label, _) = record.head()?;
                if label.kind == 1 {
                    let text = String::from_utf8_lossy(text).into_owned();
                    world.resource_mut::<Device>().texture_labels.insert((label.object, label.offset), text);
                }
            }
            other => return Err(IngestError::Misplaced(other.name())),
        }
        Ok(())
    }

    /// The mutant of M-4.8a: calls are replaced by what they name while the list is recorded.
    fn expand(&self, commands: &[u8], out: &mut Vec<u8>, depth: usize) {
        for record in Reader::new(commands).map_while(Result::ok) {
            let called = (record.op == Op::CallCommands && depth < MAX_DEPTH)
                .then(|| record.get::<u64>().ok())
                .flatten()
                .and_then(|handle| self.lists.get(&handle));
            match called {
                Some(list) => self.expand(list, out, depth + 1),
                None => {
                    let end = record.offset + record::HEADER + record.payload.len().next_multiple_of(4);
                    out.extend_from_slice(&commands[record.offset..end.min(commands.len())]);
                }
            }
        }
    }
}

fn with_sink(world: &mut World, info: &mut PartInfo, command: &mut u32, f: impl FnOnce(&mut Sink<'_>)) {
    let knobs = world.get_resource::<Switches>().map_or_else(Knobs::default, |s| Knobs {
        bind_all_stages: s.knob("R-054"),
        drop_base_instance: s.knob("R-057"),
    });
    let mut nodes = std::mem::take(&mut *world.resource_mut::<Nodes>());
    let mut draws = std::mem::take(&mut *world.resource_mut::<Draws>());
    let mut dispatches = std::mem::take(&mut *world.resource_mut::<Dispatches>());
    let mut barriers = std::mem::take(&mut *world.resource_mut::<GameBarriers>());
    let mut signals = std::mem::take(&mut *world.resource_mut::<Signals>());
    let mut presents = std::mem::take(&mut *world.resource_mut::<Presents>());
    let mut labels = std::mem::take(&mut *world.resource_mut::<Labels>());
    let mut raw = std::mem::take(&mut *world.resource_mut::<RawPart>());
    let mut decisions = std::mem::take(&mut *world.resource_mut::<Decisions>());
    let mut device = std::mem::take(&mut *world.resource_mut::<Device>());
    let mut sink = Sink {
        nodes: &mut nodes,
        draws: &mut draws,
        dispatches: &mut dispatches,
        barriers: &mut barriers,
        signals: &mut signals,
        presents: &mut presents,
        labels: &mut labels,
        raw: &mut raw,
        decisions: &mut decisions,
        diagnostics: &mut info.diagnostics,
        device: &mut device,
        knobs,
        command: *command,
        label: u32::MAX,
    };
    f(&mut sink);
    *command = sink.command;
    draws.fill();
    nodes.fill();
    *world.resource_mut::<Device>() = device;
    *world.resource_mut::<Nodes>() = nodes;
    *world.resource_mut::<Draws>() = draws;
    *world.resource_mut::<Dispatches>() = dispatches;
    *world.resource_mut::<GameBarriers>() = barriers;
    *world.resource_mut::<Signals>() = signals;
    *world.resource_mut::<Presents>() = presents;
    *world.resource_mut::<Labels>() = labels;
    *world.resource_mut::<RawPart>() = raw;
    *world.resource_mut::<Decisions>() = decisions;
}

/// Pools are counted from 0 and their numbers are not used again; no title makes this many.
const MAX_POOLS: u32 = 1 << 18;
/// All pools that live at one time, in bytes: four times the console's memory.
const MAX_POOL_BYTES: u64 = 16 << 30;

fn create_pool(world: &mut World, pool: record::Pool) -> Result<(), IngestError> {
    let others = world.resource::<Device>().pools.iter().filter(|other| other.live && other.ordinal != pool.ordinal);
    let held = others.fold(0u64, |sum, other| sum.saturating_add(other.size));
    let fits = pool.ordinal < MAX_POOLS
        && pool.address.checked_add(pool.size).is_some()
        && held.saturating_add(pool.size) <= MAX_POOL_BYTES;
    if !fits {
        return Err(IngestError::BadPool { ordinal: pool.ordinal, address: pool.address, size: pool.size });
    }
    let wanted = world.resource_mut::<Device>().pool_resources.remove(&pool.ordinal);
    let buffer = wanted.and_then(|id| ResourcePool::take_id(world, id)).unwrap_or_else(|| ResourcePool::take(world));
    if let Some(entity) = world.resource::<ResourcePool>().entity(buffer) {
        let range = PhysicalRange { pool: pool.ordinal, offset: 0, length: pool.size };
        world.entity_mut(entity).insert((
            Storage { range, generation: 0 },
            ResourceKind::Buffer { size: pool.size },
            ResourceFlags(ResourceFlags::NEW),
            Label(format!("pool {}", pool.ordinal)),
        ));
    }
    let guest = world.resource::<Guest>();
    // A range that is not mapped shows up again, with its address, when something reads it.
    let _ = guest.tracking.track(pool.address, pool.size);
    world.resource_mut::<Device>().add_pool(PoolInfo {
        ordinal: pool.ordinal,
        address: pool.address,
        size: pool.size,
        flags: pool.flags,
        buffer,
        live: true,
    });
    Ok(())
}

fn end_pool(world: &mut World, ordinal: u32) {
    if world.resource_mut::<Device>().end_pool(ordinal).is_none() {
        return;
    }
    let mut resources = world.query::<(&Storage, &mut ResourceFlags, &ResourceKind)>();
    for (storage, mut flags, kind) in resources.iter_mut(world) {
        if storage.range.pool == ordinal && *kind != ResourceKind::Free {
            flags.0 |= ResourceFlags::RETIRED;
        }
    }
}

fn add_program(world: &mut World, record: &Record<'_>) -> Result<(), IngestError> {
    let (head, mut rest): (record::ProgramHeader, _) = record.head()?;
    let mut device = world.resource_mut::<Device>();
    let mut stages = [ProgramId::NONE; 6];
    for _ in 0..head.stages.min(6) {
        let cut =
            |need: usize, have: usize| RecordError::Short { offset: record.offset, op: record.op.name(), have, need };
        let size = size_of::<record::StageHeader>();
        let bytes = rest.get(..size).ok_or_else(|| cut(size, rest.len()))?;
        let stage: record::StageHeader = bytemuck::pod_read_unaligned(bytes);
        rest = &rest[size..];
        let mut section = |length: u32| {
            let padded = (length as usize).next_multiple_of(4);
            let bytes = rest.get(..length as usize).ok_or_else(|| cut(length as usize, rest.len()))?;
            rest = rest.get(padded..).unwrap_or_default();
            Ok::<_, RecordError>(bytes)
        };
        let control = section(stage.control)?;
        let code = section(stage.code)?;
        let neutral = stage_of(stage.stage)
            .ok_or(IngestError::UnknownValue { what: "shader stage", value: u64::from(stage.stage) })?;
        stages[neutral as usize] = device.add_stage(neutral, control, code);
    }
    device.add_program(head.id, stages);
    Ok(())
}

/// Refuses a texture whose pool, size or format makes no sense.
fn check_texture(device: &Device, texture: &TextureRef) -> Result<(), IngestError> {
    let bad = IngestError::BadTexture { pool: texture.pool, offset: texture.offset };
    let pool = device.pool(texture.pool).ok_or(bad.clone())?;
    let known = crate::formats::info(texture.format).is_some_and(|info| info.bytes != 0);
    let size = layout::storage_size(&LayoutDesc::from(texture));
    let fits = texture.offset.checked_add(size).is_some_and(|end| end <= pool.size);
    let sane = texture.extent.iter().all(|n| *n <= 1 << 15) && (1..=16).contains(&texture.levels);
    if known && fits && sane { Ok(()) } else { Err(bad) }
}

fn signal(signalled: &mut HashMap<u64, u64>, fence: &record::Fence, sink: &mut Sink<'_>) {
    let highest = signalled.entry(fence.sync).or_default();
    *highest = (*highest).max(fence.value);
    let row = sink.signals.rows.len() as u32;
    sink.signals.rows.push(signal_tag(fence.sync, fence.value));
    sink.node(NodeKind::Signal, row);
}

/// Command order across queues is the stream's: a wait is met when its signal came before it.
fn wait(signalled: &HashMap<u64, u64>, fence: &record::Fence, sink: &mut Sink<'_>) {
    // Waiting for a sync that was never fenced returns at once.
    let reached = signalled.get(&fence.sync).copied().unwrap_or(fence.value);
    if reached < fence.value {
        sink.decisions.push(
            ORDER_EVENTS_ACROSS_QUEUES.name,
            Subject::Part,
            Verdict::Degraded,
            "sync {0} is waited for at {1}, which is signalled later: the wait is taken as met",
            [Evidence::Number(fence.sync as i64), Evidence::Number(fence.value as i64)],
        );
    }
}

/// A walk through the lists of one submission.
struct Walk<'a> {
    lists: &'a HashMap<u64, Vec<u8>>,
    labels: &'a mut HashMap<Vec<u8>, Arc<str>>,
    signalled: &'a mut HashMap<u64, u64>,
    bound: &'a mut Bound,
}

impl Walk<'_> {
    /// State of the device that a part starts with.
    fn begin(&mut self, sink: &Sink<'_>) {
        let facts = sink.device.facts;
        if self.bound.depth.get().depth_mode != facts.depth_mode {
            self.bound.depth.edit().depth_mode = facts.depth_mode;
        }
        if self.bound.raster.get().origin != facts.window_origin {
            self.bound.raster.edit().origin = facts.window_origin;
        }
    }

    fn list(&mut self, handle: u64, depth: usize, offset: usize, parent: Option<u64>, sink: &mut Sink<'_>) {
        let mut complain = |offset, list, error| sink.diagnostics.push(Diagnostic { offset, list, error });
        if depth >= MAX_DEPTH {
            return complain(offset, parent, IngestError::TooDeep);
        }
        let lists = self.lists;
        let Some(bytes) = lists.get(&handle) else { return complain(offset, parent, IngestError::UnknownList(handle)) };
        let mut reader = Reader::new(bytes);
        loop {
            // Nearly all records bind something or draw. What is odd about one of them comes out below.
            while sink.command < MAX_COMMANDS && self.frequent(&mut reader, sink) {}
            let Some(next) = reader.next() else { break };
            let at = reader.offset();
            let (at, result) = match next {
                Err(error) => (at, Err(error.into())),
                Ok(_) if sink.command >= MAX_COMMANDS => {
                    sink.diagnostics.push(Diagnostic { offset: at, list: Some(handle), error: IngestError::TooLong });
                    return;
                }
                Ok(record) if record.op == Op::CallCommands => match record.get::<u64>() {
                    Ok(called) => {
                        self.list(called, depth + 1, record.offset, Some(handle), sink);
                        continue;
                    }
                    Err(error) => (record.offset, Err(error.into())),
                },
                Ok(record) => (record.offset, self.command(&record, sink)),
            };
            if let Err(error) = result {
                sink.diagnostics.push(Diagnostic { offset: at, list: Some(handle), error });
            }
        }
    }

    /// Carries out the next records if they are of the kinds that come by the thousand and nothing is wrong with them; whether there was one.
    #[inline(always)]
    fn frequent(&mut self, reader: &mut Reader<'_>, sink: &mut Sink<'_>) -> bool {
        let start = reader.offset();
        if let Some(bind) = reader.peek::<record::BindProgram>(Op::BindProgram)
            && self.bind_program(bind, sink).is_ok()
        {
            reader.pass::<record::BindProgram>();
        }
        while let Some(bind) = reader.peek::<record::SlotHandle>(Op::BindTexture)
            && let (Some(stage), 0..32) = (stage_of(bind.stage), bind.index)
        {
            self.bound.bind(stage, |slots| slots.textures.set(bind.index as usize, bind.handle));
            reader.pass::<record::SlotHandle>();
        }
        while let Some(bind) = reader.peek::<record::SlotRange>(Op::BindUniformBuffer)
            && let (Some(stage), 0..14) = (stage_of(bind.stage), bind.index)
        {
            let range = BufferRange { address: bind.address, size: bind.size };
            self.bound.bind(stage, |slots| slots.uniform.set(bind.index as usize, range));
            reader.pass::<record::SlotRange>();
        }
        while let Some(bind) = reader.peek::<record::SlotRange>(Op::BindVertexBuffer)
            && bind.index < 16
        {
            let range = BufferRange { address: bind.address, size: bind.size };
            self.bound.vertex_buffers.set(bind.index as usize, range);
            reader.pass::<record::SlotRange>();
        }
        if let Some(draw) = reader.peek::<record::Draw>(Op::Draw)
            && self.draw(draw, sink).is_ok()
        {
            reader.pass::<record::Draw>();
        }
        reader.offset() != start
    }

    fn command(&mut self, record: &Record<'_>, sink: &mut Sink<'_>) -> Result<(), IngestError> {
        match record.op {
            Op::SetRenderTargets => self.set_render_targets(record, sink.device)?,
            Op::BindProgram => self.bind_program(record.get()?, sink)?,
            Op::BindBlend => {
                let target: record::BlendTarget = record.get()?;
                let slot = slot(target.target, 8, "blend target")?;
                self.bound.blend.edit().targets[slot] = target;
            }
            Op::BindColor => self.bound.blend.edit().color = record.get()?,
            Op::BindChannelMask => self.bound.blend.edit().masks = record.get()?,
            Op::BindPolygon => self.bound.raster.edit().polygon = record.get()?,
            Op::BindDepthStencil => self.bound.depth.edit().state = record.get()?,
            Op::BindMultisample => self.bound.raster.edit().multisample = record.get()?,
            Op::BindVertexAttribs => {
                let attribs = &mut self.bound.vertex.edit().attribs;
                *attribs = Default::default();
                attribs.iter_mut().zip(record.items()).for_each(|(to, from)| *to = from);
            }
            Op::BindVertexStreams => {
                let streams = &mut self.bound.vertex.edit().streams;
                *streams = Default::default();
                streams.iter_mut().zip(record.items()).for_each(|(to, from)| *to = from);
            }
            Op::BindVertexBuffer => {
                let range: record::SlotRange = record.get()?;
                let slot = slot(range.index, 16, "vertex buffer slot")?;
                self.bound.vertex_buffers.set(slot, BufferRange { address: range.address, size: range.size });
            }
            Op::BindUniformBuffer => {
                let range: record::SlotRange = record.get()?;
                let slot = slot(range.index, 14, "uniform buffer slot")?;
                let bound = BufferRange { address: range.address, size: range.size };
                self.bound.bind(stage(range.stage)?, |slots| slots.uniform.set(slot, bound));
            }
            Op::BindStorageBuffer => {
                let range: record::SlotRange = record.get()?;
                let slot = slot(range.index, 16, "storage buffer slot")?;
                let bound = BufferRange { address: range.address, size: range.size };
                self.bound.bind(stage(range.stage)?, |slots| slots.storage.set(slot, bound));
            }
            Op::BindTexture => {
                let handle: record::SlotHandle = record.get()?;
                let slot = slot(handle.index, 32, "texture slot")?;
                self.bound.bind(stage(handle.stage)?, |slots| slots.textures.set(slot, handle.handle));
            }
            Op::BindImage => {
                let handle: record::SlotHandle = record.get()?;
                let slot = slot(handle.index, 8, "image slot")?;
                self.bound.bind(stage(handle.stage)?, |slots| slots.images.set(slot, handle.handle));
            }
            Op::SetTexturePool => self.bound.pools.edit().textures = record.get::<record::DescriptorPool>()?.address,
            Op::SetSamplerPool => self.bound.pools.edit().samplers = record.get::<record::DescriptorPool>()?.address,
            Op::SetViewports => {
                let first = record.flags as usize;
                let viewports = self.bound.viewports.edit();
                for (n, rect) in record.items::<record::ViewportRect>().enumerate() {
                    let Some(to) = viewports.rects.get_mut(first + n) else { break };
                    *to = rect;
                    viewports.viewports_set |= 1 << (first + n);
                }
            }
            Op::SetScissors => {
                let first = record.flags as usize;
                let viewports = self.bound.viewports.edit();
                for (n, rect) in record.items::<record::ScissorRect>().enumerate() {
                    let Some(to) = viewports.scissors.get_mut(first + n) else { break };
                    *to = rect;
                    viewports.scissors_set |= 1 << (first + n);
                }
            }
            Op::SetDepthRanges => {
                let first = record.flags as usize;
                let viewports = self.bound.viewports.edit();
                for (n, range) in record.items::<record::DepthRange>().enumerate() {
                    let Some(to) = viewports.depth.get_mut(first + n) else { break };
                    *to = range;
                }
            }
            Op::SetStencilValueMask => set_faces(&mut self.bound.depth.edit().value_mask, record.get()?),
            Op::SetStencilMask => set_faces(&mut self.bound.depth.edit().write_mask, record.get()?),
            Op::SetStencilRef => set_faces(&mut self.bound.depth.edit().reference, record.get()?),
            Op::SetBlendColor => self.bound.blend.edit().constant = record.get()?,
            Op::SetPolygonOffset => self.bound.raster.edit().offset = record.get()?,
            Op::SetAlphaRef => self.bound.blend.edit().alpha_ref = record.get()?,
            Op::SetPointSize => self.bound.raster.edit().point_size = record.get()?,
            Op::SetLineWidth => self.bound.raster.edit().line_width = record.get()?,
            Op::SetSampleMask => self.bound.raster.edit().sample_mask = record.get()?,
            Op::SetRasterizerDiscard => self.bound.raster.edit().discard = record.get::<u32>()? != 0,
            Op::SetDepthClamp => self.bound.depth.edit().clamp = record.get::<u32>()? != 0,
            Op::SetPrimitiveRestart => {
                let restart: record::PrimitiveRestart = record.get()?;
                self.bound.restart = (restart.enable != 0).then_some(restart.index);
            }
            Op::SetPatchSize => self.bound.patch_points = record.get::<u32>()?.min(32) as u8,
            Op::SetDepthBounds => self.bound.depth.edit().bounds = record.get()?,
            Op::Draw => self.draw(record.get()?, sink)?,
            Op::DrawIndirect => self.draw_indirect(record.get()?, sink)?,
            Op::Dispatch => self.dispatch(record.get()?, 0, sink),
            Op::DispatchIndirect => self.dispatch([0; 3], record.get()?, sink),
            Op::ClearColor => {
                let clear: record::ClearColor = record.get()?;
                slot(clear.index, 8, "colour slot")?;
                self.clear(RawClearKind::Color(clear), sink);
            }
            Op::ClearDepthStencil => self.clear(RawClearKind::DepthStencil(record.get()?), sink),
            Op::ClearTexture => {
                let clear: record::ClearTexture = record.get()?;
                check_texture(sink.device, &clear.texture)?;
                self.clear(RawClearKind::Texture(clear), sink);
            }
            Op::Barrier => {
                let bits: u32 = record.get()?;
                let row = sink.barriers.rows.len() as u32;
                // The eight bits of the graph's barriers have the API's own values; the L2 bit has no reader on a host.
                sink.barriers.rows.push(bits & 0xFF);
                sink.node(NodeKind::Barrier, row);
            }
            Op::CopyBufferToTexture | Op::CopyTextureToBuffer => {
                let copy: record::CopyBufferTexture = record.get()?;
                check_texture(sink.device, &copy.texture)?;
                let up = record.op == Op::CopyBufferToTexture;
                self.copy(
                    if up { RawCopyKind::BufferToTexture(copy) } else { RawCopyKind::TextureToBuffer(copy) },
                    sink,
                );
            }
            Op::CopyTextureToTexture => {
                let copy: record::CopyTextureTexture = record.get()?;
                check_texture(sink.device, &copy.source)?;
                check_texture(sink.device, &copy.target)?;
                self.copy(RawCopyKind::Texture(copy), sink);
            }
            Op::Downsample => {
                let copy: record::Downsample = record.get()?;
                check_texture(sink.device, &copy.source)?;
                check_texture(sink.device, &copy.target)?;
                self.copy(RawCopyKind::Downsample(copy), sink);
            }
            Op::CopyBufferToBuffer => self.copy(RawCopyKind::Buffer(record.get()?), sink),
            Op::ClearBuffer => self.copy(RawCopyKind::Fill(record.get()?), sink),
            Op::UpdateUniformBuffer => {
                let (head, bytes): (record::InlineUpdate, _) = record.head()?;
                let bytes = bytes.get(..head.size as usize).unwrap_or(bytes);
                update(head.address.wrapping_add(head.offset), bytes, sink);
            }
            Op::ReportCounter => {
                let report: record::CounterReport = record.get()?;
                self.report(&report, sink);
            }
            Op::ResetCounter => sink.degraded(
                "counter {0} is not counted: its reset does nothing",
                [Evidence::Number(i64::from(record.get::<u32>()?))],
            ),
            Op::CommandFenceSync => signal(self.signalled, &record.get()?, sink),
            Op::CommandWaitSync => wait(self.signalled, &record.get()?, sink),
            // Contents may be dropped, and are kept: dropping needs a proof, which passes look for.
            Op::DiscardColor | Op::DiscardDepthStencil => {}
            Op::PushDebugGroup => {
                let row = self.label(record.payload, sink);
                self.bound.groups.push(row);
                sink.label = row;
            }
            Op::PopDebugGroup => {
                self.bound.groups.pop();
                sink.label = self.bound.groups.last().copied().unwrap_or(u32::MAX);
            }
            Op::DebugMarker => {
                self.label(record.payload, sink);
            }
            Op::Unsupported => sink.degraded(
                "call of function {0} is not carried out",
                [Evidence::Number(i64::from(record.get::<u32>()?))],
            ),
            other => return Err(IngestError::Misplaced(other.name())),
        }
        Ok(())
    }

    fn label(&mut self, text: &[u8], sink: &mut Sink<'_>) -> u32 {
        let shared = match self.labels.get(text) {
            Some(shared) => shared.clone(),
            None => {
                let shared: Arc<str> = Arc::from(String::from_utf8_lossy(text));
                self.labels.insert(text.to_vec(), shared.clone());
                shared
            }
        };
        if let Some(row) = sink.labels.rows.iter().rposition(|other| Arc::ptr_eq(other, &shared)) {
            return row as u32;
        }
        sink.labels.rows.push(shared);
        sink.labels.rows.len() as u32 - 1
    }

    fn set_render_targets(&mut self, record: &Record<'_>, device: &mut Device) -> Result<(), IngestError> {
        let (head, textures): (record::SetRenderTargets, _) = record.head()?;
        let mut textures = record::items::<TextureRef>(textures);
        let mut targets = RawTargets::default();
        let mut result = Ok(());
        let mut next = || {
            let texture = textures.next()?;
            device.attach(&texture).map_err(|error| result = Err(error)).ok()
        };
        for (n, slot) in targets.numbers.iter_mut().enumerate() {
            let set = if n == RawTargets::DEPTH { head.depth != 0 } else { head.colors >> n & 1 != 0 };
            if set {
                *slot = next().unwrap_or(NO_TEXTURE);
            }
        }
        *self.bound.targets.edit() = targets;
        result
    }

    #[inline]
    fn bind_program(&mut self, bind: record::BindProgram, sink: &Sink<'_>) -> Result<(), IngestError> {
        const ALL: u32 = 0x3F;
        let stages = match (bind.program, sink.device.programs.get(bind.program)) {
            (0, _) => [ProgramId::NONE; 6],
            (_, Some(program)) if bind.stages & ALL == ALL => {
                self.bound.bind_programs(program.stages, program.set);
                return Ok(());
            }
            (_, Some(program)) => program.stages,
            (other, None) => return Err(IngestError::UnknownProgram(other)),
        };
        for bit in 0..6 {
            let Some(stage) = stage_of(bit) else { continue };
            if bind.stages >> bit & 1 != 0 || sink.knobs.bind_all_stages {
                self.bound.bind_program(stage, stages[stage as usize]);
            }
        }
        Ok(())
    }

    /// Appends a draw with the rows of everything bound. `indirect` is a row of [`RawPart::indirect`].
    #[inline]
    fn push_draw(
        &mut self,
        call: DrawCall,
        primitive: u32,
        indices: u64,
        indirect: u32,
        sink: &mut Sink<'_>,
    ) -> Result<(), IngestError> {
        let topology = topology(primitive)?;
        let rows = self.bound.draw_rows(sink.raw);
        let (programs, set) = self.bound.set(&mut sink.device.sets);
        let payload = sink.draws.len() as u32;
        let node = sink.node(NodeKind::Draw, payload);
        let restart = self.bound.restart.filter(|_| indices != 0);
        let patch_points = if topology == Topology::Patches { self.bound.patch_points.max(1) } else { 0 };
        sink.draws.push_command(node, call, topology, restart, patch_points, programs);
        match sink.raw.runs.last_mut() {
            Some(run) if run.state == rows.state => run.draws.len += 1,
            _ => sink.raw.runs.push(RawRun { state: rows.state, draws: Rows { start: payload, len: 1 } }),
        }
        sink.raw.draw_sets.push(set);
        let vertex_buffers = rows.vertex_buffers;
        sink.raw.draws.push(RawDraw { bound: rows.bound, indirect, vertex_buffers, indices });
        Ok(())
    }

    #[inline]
    fn draw(&mut self, draw: record::Draw, sink: &mut Sink<'_>) -> Result<(), IngestError> {
        let base_instance = if sink.knobs.drop_base_instance { 0 } else { draw.base_instance };
        let call = match index_type(draw.index_type)? {
            None => DrawCall::Arrays { first: draw.first, count: draw.count, base_instance, instances: draw.instances },
            Some(index_type) => DrawCall::Elements {
                indices: BufferSlice::default(),
                index_type,
                count: draw.count,
                base_vertex: draw.first as i32,
                base_instance,
                instances: draw.instances,
            },
        };
        let indices = if draw.index_type == 0 { 0 } else { draw.indices };
        self.push_draw(call, draw.primitive, indices, u32::MAX, sink)
    }

    fn draw_indirect(&mut self, draw: record::DrawIndirect, sink: &mut Sink<'_>) -> Result<(), IngestError> {
        let index_type = index_type(draw.index_type)?;
        let record_bytes = if index_type.is_some() { 20 } else { 16 };
        let call = DrawCall::Indirect {
            arguments: BufferSlice::default(),
            count: draw.count.max(1),
            stride: if draw.stride == 0 { record_bytes } else { draw.stride },
            indices: index_type.map(|kind| (BufferSlice::default(), kind)),
            count_buffer: (draw.count_address != 0).then(BufferSlice::default),
        };
        let indices = if draw.index_type == 0 { 0 } else { draw.indices };
        topology(draw.primitive)?;
        let row = sink.raw.indirect.len() as u32;
        sink.raw.indirect.push(RawIndirect { arguments: draw.arguments, count: draw.count_address });
        self.push_draw(call, draw.primitive, indices, row, sink)
    }

    fn dispatch(&mut self, groups: [u32; 3], arguments: u64, sink: &mut Sink<'_>) {
        let (pools, slots) = self.bound.dispatch_rows(sink.raw);
        let row = sink.dispatches.rows.len() as u32;
        let node = sink.node(NodeKind::Dispatch, row);
        sink.dispatches.rows.push(Dispatch {
            node,
            program: self.bound.program(Stage::Compute),
            variant: 0,
            groups,
            indirect: (arguments != 0).then(BufferSlice::default),
            bindings: Rows::default(),
            pipeline: u32::MAX,
        });
        sink.raw.dispatches.push(RawDispatch { pools, slots, arguments });
    }

    fn clear(&mut self, kind: RawClearKind, sink: &mut Sink<'_>) {
        let (targets, viewports, raster) = self.bound.clear_rows(sink.raw);
        let node = sink.node(NodeKind::Clear, u32::MAX);
        sink.raw.clears.push(RawClear { node, targets, viewports, raster, kind });
    }

    fn copy(&mut self, kind: RawCopyKind, sink: &mut Sink<'_>) {
        let node = sink.node(NodeKind::Copy, u32::MAX);
        sink.raw.copies.push(RawCopy { node, kind });
    }

    /// A report of 16 bytes: counter, then time. Nothing is counted yet, so that a sample counter says "visible".
    fn report(&mut self, report: &record::CounterReport, sink: &mut Sink<'_>) {
        /// The API's number of the counter of samples that passed.
        const SAMPLES_PASSED: u32 = 1;
        let mut bytes = [0; 16];
        if report.counter == u32::MAX {
            bytes[..4].copy_from_slice(&report.value.to_le_bytes());
            return update(report.address, &bytes[..4], sink);
        }
        if report.counter == SAMPLES_PASSED {
            bytes[0] = 1;
        }
        sink.degraded(
            "counter {0} is not counted: its report says {1} and no time",
            [Evidence::Number(i64::from(report.counter)), Evidence::Number(i64::from(bytes[0]))],
        );
        update(report.address, &bytes, sink);
    }
}

fn update(address: u64, bytes: &[u8], sink: &mut Sink<'_>) {
    let node = sink.node(NodeKind::Upload, u32::MAX);
    let start = sink.raw.update_bytes.len() as u32;
    sink.raw.update_bytes.extend_from_slice(bytes);
    sink.raw.updates.push(RawUpdate { node, address, bytes: start, length: bytes.len() as u32 });
}

fn set_faces(values: &mut [u32; 2], set: record::StencilFaces) {
    for (bit, value) in values.iter_mut().enumerate() {
        if set.faces >> bit & 1 != 0 {
            *value = set.value;
        }
    }
}

fn stage(number: u32) -> Result<Stage, IngestError> {
    stage_of(number).ok_or(IngestError::UnknownValue { what: "shader stage", value: u64::from(number) })
}

fn slot(index: u32, limit: u32, what: &'static str) -> Result<usize, IngestError> {
    if index < limit { Ok(index as usize) } else { Err(IngestError::UnknownValue { what, value: u64::from(index) }) }
}

fn index_type(number: u32) -> Result<Option<IndexType>, IngestError> {
    Ok(match number {
        0 => None,
        1 => Some(IndexType::U8),
        2 => Some(IndexType::U16),
        3 => Some(IndexType::U32),
        other => return Err(IngestError::UnknownValue { what: "index type", value: u64::from(other) }),
    })
}

fn topology(primitive: u32) -> Result<Topology, IngestError> {
    Ok(match primitive {
        0 => Topology::Points,
        1 => Topology::Lines,
        2 => Topology::LineLoop,
        3 => Topology::LineStrip,
        4 => Topology::Triangles,
        5 => Topology::TriangleStrip,
        6 => Topology::TriangleFan,
        7 => Topology::Quads,
        8 => Topology::QuadStrip,
        9 => Topology::Polygon,
        10 => Topology::LinesAdjacency,
        11 => Topology::LineStripAdjacency,
        12 => Topology::TrianglesAdjacency,
        13 => Topology::TriangleStripAdjacency,
        14 => Topology::Patches,
        other => return Err(IngestError::UnknownValue { what: "primitive", value: u64::from(other) }),
    })
}

#[cfg(test)]
mod tests;
