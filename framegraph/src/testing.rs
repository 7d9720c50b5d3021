//! Small frames as text, for tests of any crate: a World from lines, and plans, decisions and edges as lines.
//!
//! ```text
//! image a RGBA8 64x64 [levels=4] [layers=6] [samples=4] [3d=8] [at=0:4096+8192] [cpu]
//! buffer b 256 [at=0:0]
//! pass rt0=a rt1=c@level1 depth=d@layer2        targets of the draws and clears that follow
//! draw [reads a,c@level0] [writes b] [stores c] [uniform b[0..64]] [vertex b[0..64]] [index b[0..8]] [indirect b]
//!      [mask=r,-,rgba] [depth=test|write] [stencil=write] [stage=vertex] [any] [break] [skip]
//! clear rt0 [0 0 0 1] | clear depth [1] [rect=0,0,8,8] [mask=rgb]
//! dispatch [reads …] [writes …] [stores …] [indirect b]
//! copy a -> b     blit a -> b     clear-image a     upload a     download a     present a     signal
//! barrier fragments texture primitives tiles indirect shader descriptors zcull
//! ```
//! `writes` binds a storage buffer (or image) that the program writes, `reads` samples an image or reads a storage buffer, `stores` binds a storage image that is
//! written. `name@levelN`, `name@layerN` and `name[a..b]` name parts. Formats are `RGBA8`, `RGB10A2`, `R8`, `RG16F`, `R32F`, `R11G11B10F`, `D32`, `D24S8`,
//! or any name of [`Format`]. Text after `#` is ignored.

use crate::decision::{Decisions, Subject};
use crate::ids::{NodeId, PassId, ResourceId, Rows, Seq, StateId};
use crate::pass::{PassOps, PassPool, PassTargets};
use crate::plan::{Plan, Step};
use crate::resource::{ImageDesc, Label, Layout, PhysicalRange, ResourceFlags, ResourceKind, ResourcePool, Storage};
use crate::state::{
    Attachment, AttachmentSet, Compare, DepthState, Dim, Format, Stage, StencilFace, StencilOp, Subresources, ViewKey,
};
use crate::tables::{
    BindKind, BindSource, Binding, Bindings, BufferSlice, Clear, ClearTarget, Clears, Copies, Copy, Dispatch,
    Dispatches, Download, Downloads, DrawCall, Draws, Edges, GameBarriers, IndexType, NodeKind, Nodes, Present,
    Presents, Signals, Slices, States, TexelBox, Upload, Uploads, game_barrier, node_flags,
};
use bevy_ecs::prelude::World;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Names of the resources of a test World, for printing and for tests.
#[derive(Debug, Default, bevy_ecs::prelude::Resource)]
pub struct Names {
    /// By name.
    pub ids: BTreeMap<String, ResourceId>,
}

/// A part of a named resource.
struct Target {
    id: ResourceId,
    level: Option<u8>,
    layer: Option<u16>,
    bytes: Option<(u64, u64)>,
}

fn format(name: &str) -> Format {
    match name {
        "RGBA8" => Format::Rgba8Unorm,
        "RGB10A2" => Format::Rgb10A2Unorm,
        "R8" => Format::R8Unorm,
        "RG16F" => Format::Rg16Float,
        "R32F" => Format::R32Float,
        "R32U" => Format::R32Uint,
        "R11G11B10F" => Format::R11G11B10Float,
        "D32" => Format::D32Float,
        "D24S8" => Format::D24UnormS8Uint,
        other => *Format::ALL.iter().find(|f| f.name() == other).unwrap_or_else(|| panic!("no format {other:?}")),
    }
}

fn size(text: &str) -> [u32; 2] {
    let (w, h) = text.split_once('x').unwrap_or_else(|| panic!("{text:?} is no size; write 64x64"));
    [w.parse().expect("width"), h.parse().expect("height")]
}

struct Builder<'w> {
    world: &'w mut World,
    targets: StateId,
    command: u32,
    bump: u64,
}

/// A World with one part as the text says. Panics with the line on text it does not know: this is for tests.
#[must_use]
pub fn world(text: &str) -> World {
    let mut world = World::new();
    crate::world::init(&mut world);
    world.init_resource::<Names>();
    add(&mut world, text);
    world
}

/// Starts another part in a World made by [`world`]: the old part's tables are cleared, images and buffers and their states stay.
pub fn next_part(world: &mut World, text: &str) {
    crate::world::clear_part(world);
    let ids: Vec<_> = world.resource::<Names>().ids.values().copied().collect();
    for id in ids {
        if let Some(entity) = world.resource::<ResourcePool>().entity(id)
            && let Some(mut flags) = world.get_mut::<ResourceFlags>(entity)
        {
            flags.0 &= !ResourceFlags::NEW;
        }
    }
    add(world, text);
}

fn add(world: &mut World, text: &str) {
    let bump = 0x1_0000 * (1 + world.resource::<Names>().ids.len() as u64);
    let mut builder = Builder { world, targets: StateId::NONE, command: 0, bump };
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if !line.is_empty() {
            builder.line(line);
        }
    }
}

/// The entity-backed id of a name.
#[must_use]
pub fn id(world: &World, name: &str) -> ResourceId {
    world.resource::<Names>().ids.get(name).copied().unwrap_or_else(|| panic!("no resource {name:?}"))
}

/// Adds an image or a buffer under a name.
pub fn add_resource(world: &mut World, name: &str, kind: ResourceKind, range: PhysicalRange, flags: u32) -> ResourceId {
    let id = ResourcePool::take(world);
    let entity = world.resource::<ResourcePool>().entity(id).expect("an entity for each id");
    world.entity_mut(entity).insert((
        Storage { range, generation: 0 },
        kind,
        ResourceFlags(flags | ResourceFlags::NEW),
        Label(name.to_owned()),
    ));
    world.resource_mut::<Names>().ids.insert(name.to_owned(), id);
    id
}

impl Builder<'_> {
    fn line(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        let verb = words.next().unwrap_or_default();
        let words: Vec<&str> = words.collect();
        match verb {
            "image" => return self.image(&words),
            "buffer" => return self.buffer(&words),
            "pass" => return self.pass(&words),
            _ => {}
        }
        let seq = Seq::command(self.command);
        self.command += 1;
        match verb {
            "draw" => self.draw(&words, seq),
            "dispatch" => {
                let bindings = self.bindings(&words, Some(Stage::Compute));
                let indirect = self.option(&words, "indirect").map(|t| self.slice(&t));
                let payload = self.world.resource::<Dispatches>().rows.len() as u32;
                let node = self.node(NodeKind::Dispatch, seq, payload, flags(&words));
                self.world.resource_mut::<Dispatches>().rows.push(Dispatch {
                    node,
                    program: crate::ids::ProgramId(0),
                    variant: 1,
                    groups: [1; 3],
                    indirect,
                    bindings,
                    pipeline: u32::MAX,
                });
            }
            "clear" => self.clear(&words, seq),
            "clear-image" => {
                let target = self.target(words[0]);
                let part = self.part(&target);
                let target = ClearTarget::Image(target.id, part);
                self.push_clear(target, seq, [0; 4], [0; 4], 0xf, 0);
            }
            "copy" | "blit" => self.copy(verb == "blit", &words, seq),
            "upload" => {
                let target = self.target(words[0]);
                let row = if self.is_image(target.id) {
                    Upload::Image { bytes: 0, target: target.id, part: self.part(&target), region: TexelBox::default() }
                } else {
                    Upload::Buffer { bytes: 0, target: self.slice(&target) }
                };
                let payload = self.world.resource::<Uploads>().rows.len() as u32;
                self.world.resource_mut::<Uploads>().rows.push(row);
                self.node(NodeKind::Upload, seq, payload, 0);
            }
            "download" => {
                let target = self.target(words[0]);
                let row = if self.is_image(target.id) {
                    Download { buffer: None, image: Some((target.id, self.part(&target))), tag: 0 }
                } else {
                    Download { buffer: Some(self.slice(&target)), image: None, tag: 0 }
                };
                let payload = self.world.resource::<Downloads>().rows.len() as u32;
                self.world.resource_mut::<Downloads>().rows.push(row);
                self.node(NodeKind::Download, seq, payload, 0);
            }
            "present" => {
                let source = id(self.world, words[0]);
                let desc = self.desc(source);
                let [width, height, _] = desc.extent;
                let payload = self.world.resource::<Presents>().rows.len() as u32;
                self.world.resource_mut::<Presents>().rows.push(Present {
                    source,
                    crop: [0, 0, width as i32, height as i32],
                    flip: true,
                    format: desc.format,
                    extent: [width, height],
                });
                self.node(NodeKind::Present, seq, payload, 0);
            }
            "signal" => {
                let payload = self.world.resource::<Signals>().rows.len() as u32;
                self.world.resource_mut::<Signals>().rows.push(0);
                self.node(NodeKind::Signal, seq, payload, 0);
            }
            "barrier" => {
                let bits = words.iter().fold(0, |bits, word| {
                    bits | match *word {
                        "primitives" => game_barrier::ORDER_PRIMITIVES,
                        "fragments" => game_barrier::ORDER_FRAGMENTS,
                        "tiles" => game_barrier::ORDER_FRAGMENTS_TILED,
                        "indirect" => game_barrier::ORDER_INDIRECT,
                        "texture" => game_barrier::INVALIDATE_TEXTURE,
                        "shader" => game_barrier::INVALIDATE_SHADER,
                        "descriptors" => game_barrier::INVALIDATE_DESCRIPTORS,
                        "zcull" => game_barrier::INVALIDATE_ZCULL,
                        other => panic!("no barrier part {other:?} in {line:?}"),
                    }
                });
                let payload = self.world.resource::<GameBarriers>().rows.len() as u32;
                self.world.resource_mut::<GameBarriers>().rows.push(bits);
                self.node(NodeKind::Barrier, seq, payload, 0);
            }
            _ => panic!("no verb {verb:?} in {line:?}"),
        }
    }

    fn node(&mut self, kind: NodeKind, seq: Seq, payload: u32, flags: u32) -> NodeId {
        self.world.resource_mut::<Nodes>().push(kind, seq, payload, flags)
    }

    fn value<'a>(&self, words: &[&'a str], key: &str) -> Option<&'a str> {
        words.iter().find_map(|w| w.strip_prefix(key)?.strip_prefix('='))
    }

    fn range(&mut self, words: &[&str], length: u64) -> PhysicalRange {
        if let Some(at) = self.value(words, "at") {
            let (pool, rest) = at.split_once(':').expect("at=POOL:OFFSET");
            let (offset, length) = match rest.split_once('+') {
                Some((offset, length)) => (offset, length.parse().expect("length")),
                None => (rest, length),
            };
            return PhysicalRange {
                pool: pool.parse().expect("pool"),
                offset: offset.parse().expect("offset"),
                length,
            };
        }
        let offset = self.bump;
        self.bump += length.next_multiple_of(0x1_0000).max(0x1_0000);
        PhysicalRange { pool: 1000, offset, length }
    }

    fn image(&mut self, words: &[&str]) {
        let number = |key| self.value(words, key).map_or(1, |v| v.parse::<u32>().expect("a number"));
        let (format, [width, height]) = (format(words[1]), size(words[2]));
        let slices = number("3d");
        let layers = number("layers") as u16;
        let dim = match (slices, layers) {
            (2.., _) => Dim::D3,
            (_, 2..) => Dim::D2Array,
            _ => Dim::D2,
        };
        let desc = ImageDesc {
            format,
            host_format: format,
            dim,
            extent: [width, height, slices],
            levels: number("levels") as u8,
            layers,
            samples: number("samples") as u8,
            layout: 0,
        };
        let length = u64::from(format.block().0)
            * u64::from(width)
            * u64::from(height)
            * u64::from(slices)
            * u64::from(layers)
            * 2;
        let range = self.range(words, length);
        let flags = if words.contains(&"cpu") { ResourceFlags::CPU_READS } else { 0 };
        add_resource(self.world, words[0], ResourceKind::Image(desc), range, flags);
    }

    fn buffer(&mut self, words: &[&str]) {
        let size: u64 = words[1].parse().expect("bytes");
        let range = self.range(words, size);
        add_resource(self.world, words[0], ResourceKind::Buffer { size }, range, 0);
    }

    fn target(&self, text: &str) -> Target {
        let text = text.trim_end_matches(',');
        let (text, bytes) = match text.split_once('[') {
            Some((name, range)) => {
                let (start, end) = range.trim_end_matches(']').split_once("..").expect("name[a..b]");
                let (start, end): (u64, u64) = (start.parse().expect("start"), end.parse().expect("end"));
                (name, Some((start, end - start)))
            }
            None => (text, None),
        };
        let mut parts = text.split('@');
        let name = parts.next().unwrap_or_default();
        let mut target = Target { id: id(self.world, name), level: None, layer: None, bytes };
        for part in parts {
            if let Some(level) = part.strip_prefix("level") {
                target.level = Some(level.parse().expect("level"));
            } else if let Some(layer) = part.strip_prefix("layer") {
                target.layer = Some(layer.parse().expect("layer"));
            }
        }
        target
    }

    fn kind(&self, id: ResourceId) -> ResourceKind {
        let entity = self.world.resource::<ResourcePool>().entity(id).expect("entity");
        *self.world.get::<ResourceKind>(entity).expect("kind")
    }

    fn is_image(&self, id: ResourceId) -> bool {
        matches!(self.kind(id), ResourceKind::Image(_))
    }

    fn desc(&self, id: ResourceId) -> ImageDesc {
        match self.kind(id) {
            ResourceKind::Image(desc) => desc,
            other => panic!("{other:?} is no image"),
        }
    }

    fn part(&self, target: &Target) -> Subresources {
        let mut part = self.desc(target.id).all();
        if let Some(level) = target.level {
            (part.base_level, part.levels) = (level, 1);
        }
        if let Some(layer) = target.layer {
            (part.base_layer, part.layers) = (layer, 1);
        }
        part
    }

    fn slice(&self, target: &Target) -> BufferSlice {
        let ResourceKind::Buffer { size } = self.kind(target.id) else { panic!("no buffer") };
        let (offset, length) = target.bytes.unwrap_or((0, size));
        BufferSlice { resource: target.id, offset, length }
    }

    fn view(&mut self, target: &Target) -> StateId {
        let desc = self.desc(target.id);
        let key = ViewKey {
            resource: target.id,
            format: desc.host_format,
            dim: if target.layer.is_some() { Dim::D2 } else { desc.dim },
            part: self.part(target),
            ..ViewKey::default()
        };
        self.world.resource_mut::<States>().views.intern(&key)
    }

    fn pass(&mut self, words: &[&str]) {
        let mut set = AttachmentSet { samples: 1, ..AttachmentSet::default() };
        for word in words {
            let (slot, name) = word.split_once('=').expect("rt0=name");
            let target = self.target(name);
            let desc = self.desc(target.id);
            let mut part = self.part(&target);
            part.levels = 1;
            let [width, height, _] = desc.level_extent(part.base_level);
            let view =
                ViewKey { resource: target.id, format: desc.host_format, dim: Dim::D2, part, ..ViewKey::default() };
            let attachment = Some(Attachment { view, extent: [width, height] });
            match slot.strip_prefix("rt") {
                Some(slot) => set.color[slot.parse::<usize>().expect("slot")] = attachment,
                None => set.depth = attachment,
            }
        }
        self.targets = self.world.resource_mut::<States>().targets.intern(&set);
    }

    /// The names behind a key word, up to the next key word.
    fn names(&self, words: &[&str], key: &str) -> Vec<Target> {
        let Some(at) = words.iter().position(|w| *w == key) else { return Vec::new() };
        words.get(at + 1).into_iter().flat_map(|list| list.split(',')).map(|name| self.target(name)).collect()
    }

    fn option(&self, words: &[&str], key: &str) -> Option<Target> {
        self.names(words, key).into_iter().next()
    }

    fn bindings(&mut self, words: &[&str], stage: Option<Stage>) -> Rows {
        let stage = stage.unwrap_or(match self.value(words, "stage") {
            Some("vertex") => Stage::Vertex,
            _ => Stage::Fragment,
        });
        let mut rows = Vec::new();
        for (key, written) in [("reads", false), ("writes", true), ("stores", true), ("uniform", false)] {
            for target in self.names(words, key) {
                let slot = rows.len() as u8;
                let image = self.is_image(target.id);
                let (kind, source) = match (key, image) {
                    ("reads", true) => (BindKind::Texture, BindSource::Texture(self.view(&target), StateId(0))),
                    (_, true) => (BindKind::Image, BindSource::Image(self.view(&target))),
                    ("uniform", false) => (BindKind::Uniform, BindSource::Slice(self.slice(&target))),
                    (_, false) => (BindKind::Storage, BindSource::Slice(self.slice(&target))),
                };
                rows.push(Binding { kind, stage, slot, written, source });
            }
        }
        let mut table = self.world.resource_mut::<Bindings>();
        let start = table.rows.len() as u32;
        table.rows.extend_from_slice(&rows);
        Rows { start, len: rows.len() as u32 }
    }

    fn draw(&mut self, words: &[&str], seq: Seq) {
        let bindings = self.bindings(words, None);
        let indices = self.option(words, "index").map(|t| self.slice(&t));
        let arguments = self.option(words, "indirect").map(|t| self.slice(&t));
        let vertex: Vec<_> = self.names(words, "vertex").iter().map(|t| self.slice(t)).collect();
        let keep =
            StencilFace { compare: Compare::Always, compare_mask: 0xff, write_mask: 0xff, ..StencilFace::default() };
        let face = StencilFace { pass: StencilOp::Replace, ..keep };
        let depth = DepthState {
            test: self.value(words, "depth").map(|_| Compare::LessEqual),
            write: self.value(words, "depth") == Some("write"),
            stencil: self.value(words, "stencil").map(|how| if how == "write" { [face; 2] } else { [keep; 2] }),
            ..DepthState::default()
        };
        let mut states = self.world.resource_mut::<States>();
        let depth = states.depth.intern(&depth);
        let set = states.targets.get(self.targets).copied().unwrap_or_default();
        let mut mask = 0u32;
        let words_of_masks: Option<Vec<&str>> = self.value(words, "mask").map(|m| m.split(',').collect());
        for slot in 0..8 {
            let components = words_of_masks.as_ref().map_or("rgba", |m| m.get(slot).copied().unwrap_or("rgba"));
            if set.color[slot].is_some() {
                for (bit, name) in "rgba".chars().enumerate() {
                    mask |= u32::from(components.contains(name)) << (slot * 4 + bit);
                }
            }
        }
        let mut slices = self.world.resource_mut::<Slices>();
        let vertex_rows = Rows { start: slices.rows.len() as u32, len: vertex.len() as u32 };
        slices.rows.extend(vertex);
        let payload = self.world.resource::<Draws>().len() as u32;
        let node = self.node(NodeKind::Draw, seq, payload, flags(words));
        let call = match (arguments, indices) {
            (Some(arguments), indices) => DrawCall::Indirect {
                arguments,
                count: 1,
                stride: 20,
                indices: indices.map(|i| (i, IndexType::U16)),
                count_buffer: None,
            },
            (None, Some(indices)) => DrawCall::Elements {
                indices,
                index_type: IndexType::U16,
                count: 3,
                base_vertex: 0,
                base_instance: 0,
                instances: 1,
            },
            (None, None) => DrawCall::Arrays { first: 0, count: 3, base_instance: 0, instances: 1 },
        };
        let targets = self.targets;
        let mut draws = self.world.resource_mut::<Draws>();
        draws.push(node, call, crate::state::Topology::Triangles);
        let d = payload as usize;
        draws.bindings[d] = bindings;
        draws.vertex_buffers[d] = vertex_rows;
        draws.targets[d] = targets;
        draws.depth[d] = depth;
        draws.write_mask[d] = mask;
    }

    fn clear(&mut self, words: &[&str], seq: Seq) {
        let slot = match words[0].strip_prefix("rt") {
            Some(slot) => slot.parse().expect("slot"),
            None => 8,
        };
        let states = self.world.resource::<States>();
        let set = states.targets.get(self.targets).copied().unwrap_or_default();
        let attachment =
            if slot < 8 { set.color[usize::from(slot)] } else { set.depth }.expect("an attached target to clear");
        let [width, height] = attachment.extent;
        let rect = self.value(words, "rect").map(|r| {
            let mut rect = [0; 4];
            for (to, number) in rect.iter_mut().zip(r.split(',')) {
                *to = number.parse().expect("a number");
            }
            rect
        });
        let whole = rect.is_none();
        let mask = self.value(words, "mask").map_or(0xf, |m| {
            "rgba".chars().enumerate().fold(0, |mask, (bit, name)| mask | u8::from(m.contains(name)) << bit)
        });
        let mut value = [0; 4];
        for (to, word) in value.iter_mut().zip(&words[1..]) {
            if let Ok(number) = word.parse::<f32>() {
                *to = number.to_bits();
            }
        }
        let flags = if whole && mask == 0xf { node_flags::LOAD_CANDIDATE } else { 0 };
        let rect = rect.unwrap_or([0, 0, width as i32, height as i32]);
        self.push_clear(ClearTarget::Attachment(self.targets, slot), seq, value, rect, mask, flags);
    }

    fn push_clear(&mut self, target: ClearTarget, seq: Seq, value: [u32; 4], rect: [i32; 4], mask: u8, flags: u32) {
        let payload = self.world.resource::<Clears>().rows.len() as u32;
        let node = self.node(NodeKind::Clear, seq, payload, flags);
        self.world.resource_mut::<Clears>().rows.push(Clear {
            node,
            target,
            value,
            class: crate::state::NumericClass::Float,
            mask,
            aspects: crate::state::Aspects::DEPTH_STENCIL,
            stencil_mask: 0xff,
            rect,
        });
    }

    fn copy(&mut self, blit: bool, words: &[&str], seq: Seq) {
        let (from, to) = (self.target(words[0]), self.target(words[2]));
        let region = TexelBox::default();
        let row = match (self.is_image(from.id), self.is_image(to.id)) {
            (true, true) => {
                let (mut source_part, mut target_part) = (self.part(&from), self.part(&to));
                source_part.levels = 1;
                target_part.levels = 1;
                let [w, h, d] = self.desc(from.id).level_extent(source_part.base_level);
                let (source, target) = (from.id, to.id);
                if blit {
                    Copy::Blit {
                        source,
                        source_part,
                        source_box: region,
                        target,
                        target_part,
                        target_box: region,
                        filter: crate::state::Filter::Nearest,
                        every: None,
                    }
                } else {
                    let (source_offset, target_offset, extent) = ([0; 3], [0; 3], [w, h, d]);
                    Copy::Image { source, source_part, source_offset, target, target_part, target_offset, extent }
                }
            }
            (true, false) => Copy::ImageToBuffer {
                source: from.id,
                part: self.part(&from),
                region,
                target: self.slice(&to),
                row_bytes: 0,
                image_bytes: 0,
            },
            (false, true) => Copy::BufferToImage {
                source: self.slice(&from),
                target: to.id,
                part: self.part(&to),
                region,
                row_bytes: 0,
                image_bytes: 0,
            },
            (false, false) => Copy::Buffer { source: self.slice(&from), target: self.slice(&to) },
        };
        let payload = self.world.resource::<Copies>().rows.len() as u32;
        self.world.resource_mut::<Copies>().rows.push(row);
        self.node(NodeKind::Copy, seq, payload, 0);
    }
}

fn flags(words: &[&str]) -> u32 {
    words.iter().fold(0, |flags, word| {
        flags
            | match *word {
                "any" => node_flags::ANY_ACCESS,
                "break" => node_flags::PASS_BREAK,
                "skip" => node_flags::SKIPPED,
                _ => 0,
            }
    })
}

pub use crate::words::use_words;

/// The name of a resource.
#[must_use]
pub fn name(world: &World, id: ResourceId) -> String {
    let label = world.resource::<ResourcePool>().entity(id).and_then(|e| world.get::<Label>(e));
    match label {
        Some(label) if !label.0.is_empty() => label.0.clone(),
        _ => format!("resource {}", id.0),
    }
}

fn node_name(world: &World, id: NodeId) -> String {
    let nodes = world.resource::<Nodes>();
    format!("{} {}", format!("{:?}", nodes.kind[id.index()]).to_lowercase(), id.0)
}

fn part_words(part: &Subresources, desc: Option<ImageDesc>) -> String {
    let all = desc.map(|d| d.all()).unwrap_or(*part);
    let mut text = String::new();
    if (part.base_level, part.levels) != (0, all.levels) {
        let _ = match part.levels {
            1 => write!(text, "@level{}", part.base_level),
            n => write!(text, "@level{}-{}", part.base_level, part.base_level + n - 1),
        };
    }
    if (part.base_layer, part.layers) != (0, all.layers) {
        let _ = match part.layers {
            1 => write!(text, "@layer{}", part.base_layer),
            n => write!(text, "@layer{}-{}", part.base_layer, part.base_layer + n - 1),
        };
    }
    text
}

/// The plan as lines.
#[must_use]
pub fn plan_text(world: &World) -> String {
    let plan = world.resource::<Plan>();
    let mut text = String::new();
    let mut indent = "";
    for step in &plan.steps {
        match step {
            Step::Barrier(row) | Step::SelfBarrier(row) => {
                let batch = &plan.batches[*row as usize];
                let word = if matches!(step, Step::Barrier(_)) { "barrier" } else { "self-barrier" };
                let _ = write!(text, "{indent}{word}");
                if batch.source_uses | batch.target_uses != 0 {
                    let source = use_words(batch.source_uses, batch.source_stages);
                    let _ = write!(text, " {source} -> {}", use_words(batch.target_uses, batch.target_stages));
                }
                let first = batch.first_transition as usize;
                for change in &plan.transitions[first..first + batch.transitions as usize] {
                    let entity = world.resource::<ResourcePool>().entity(change.resource);
                    let desc = entity.and_then(|e| world.get::<ResourceKind>(e)).and_then(|k| match k {
                        ResourceKind::Image(desc) => Some(*desc),
                        _ => None,
                    });
                    let part = part_words(&change.part, desc);
                    let _ = write!(text, "; {}{part} {:?}>{:?}", name(world, change.resource), change.from, change.to);
                }
                text.push('\n');
            }
            Step::BeginPass(id) => {
                let _ = writeln!(text, "begin {}", pass_words(world, *id));
                indent = "  ";
            }
            Step::Node(id) => {
                let _ = writeln!(text, "{indent}{}", node_name(world, *id));
            }
            Step::EndPass(_) => {
                indent = "";
                text.push_str("end\n");
            }
        }
    }
    text
}

fn pass_words(world: &World, id: PassId) -> String {
    let mut text = format!("pass {}", id.0);
    let Some(entity) = world.resource::<PassPool>().entity(id) else { return text };
    let (Some(targets), Some(ops)) = (world.get::<PassTargets>(entity), world.get::<PassOps>(entity)) else {
        return text;
    };
    let op = |(load, store): (crate::pass::LoadOp, crate::pass::StoreOp)| {
        use crate::pass::{LoadOp, StoreOp};
        let load = match load {
            LoadOp::Load => "load",
            LoadOp::Clear(_) => "clear",
            LoadOp::DontCare => "any",
        };
        let store = match store {
            StoreOp::Store => "store",
            StoreOp::DontCare => "drop",
            StoreOp::None => "keep",
        };
        format!("{load}/{store}")
    };
    for (slot, attachment) in targets.0.color.iter().enumerate() {
        if let Some(attachment) = attachment {
            let _ = write!(text, " rt{slot}={} {}", name(world, attachment.view.resource), op(ops.color[slot]));
        }
    }
    if let Some(attachment) = &targets.0.depth {
        let read_only = if ops.depth_read_only { " read-only" } else { "" };
        let _ = write!(text, " depth={} {}{read_only}", name(world, attachment.view.resource), op(ops.depth));
    }
    text
}

/// The decisions as lines.
#[must_use]
pub fn decisions_text(world: &World) -> String {
    let mut text = String::new();
    for row in world.resource::<Decisions>().rows() {
        let subject = match row.subject {
            Subject::Part => "part".to_owned(),
            Subject::Node(id) => node_name(world, id),
            Subject::Draw(id) => format!("draw row {}", id.0),
            Subject::Pass(id) => format!("pass {}", id.0),
            Subject::Resource(id) => name(world, id),
            Subject::Target(id, slot) => format!("draw row {} target {slot}", id.0),
            Subject::Binding(row) => format!("binding {row}"),
        };
        let verdict = format!("{:?}", row.verdict).to_lowercase();
        let _ = writeln!(text, "{}: {subject} {verdict}: {}", row.rule, row.words());
    }
    text
}

/// The dependencies as lines, in the order in which they were found.
#[must_use]
pub fn edges_text(world: &World) -> String {
    let edges = world.resource::<Edges>();
    let mut text = String::new();
    for n in 0..edges.len() {
        let hazard = format!("{:?}", edges.hazard[n]).to_uppercase();
        let _ = writeln!(text, "{} -> {} {hazard}", node_name(world, edges.from[n]), node_name(world, edges.to[n]));
    }
    text
}

/// Layouts of an image's levels, for tests: `Color` or `Color,Sampled`.
#[must_use]
pub fn layouts_text(world: &World, name: &str) -> String {
    let states = world.resource::<crate::barriers::SubresourceStates>();
    let layouts = &states.layouts[id(world, name).index()];
    if layouts.cells.is_empty() {
        return format!("{:?}", layouts.uniform);
    }
    layouts.cells.iter().map(|l: &Layout| format!("{l:?}")).collect::<Vec<_>>().join(",")
}
