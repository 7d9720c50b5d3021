//! The same frame in the graph's tables.

use crate::frame::{DRAWS, Frame};
use bevy_ecs::prelude::*;
use framegraph::dependencies::HazardKeys;
use framegraph::ids::{ProgramId, ResourceId, Rows, Seq, StateId};
use framegraph::resource::{ImageDesc, PhysicalRange, ResourceFlags, ResourceKind};
use framegraph::state::{
    Attachment, AttachmentSet, Compare, DepthState, Dim, Format, Stage, Subresources, Topology, ViewKey,
};
use framegraph::tables::{
    BindKind, BindSource, Binding, Bindings, BufferSlice, DrawCall, Draws, Edges, FeedbackLoops, IndexType, NodeKind,
    Nodes, Slices, States,
};
use framegraph::testing::add_resource;

/// Bytes of each of the 600 vertex buffers and of the 600 index buffers.
const CHUNK: u64 = 0x1000;

/// A World that holds one of the frames at a time.
pub struct Graph {
    /// The World.
    pub world: World,
    schedule: Schedule,
    images: Vec<ResourceId>,
    buffer: ResourceId,
}

impl std::fmt::Debug for Graph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Graph").field("images", &self.images.len()).finish()
    }
}

impl Graph {
    /// A World with the images of a frame and one buffer for all vertices and indices.
    #[must_use]
    pub fn new(frame: &Frame, keys: HazardKeys) -> Self {
        let mut world = World::new();
        framegraph::world::init(&mut world);
        systems::schedule::init(&mut world);
        world.init_resource::<framegraph::testing::Names>();
        world.insert_resource(keys);
        let images = frame
            .images
            .iter()
            .enumerate()
            .map(|(n, image)| {
                let depth = (150..170).contains(&n);
                let format = if depth { Format::D32Float } else { Format::Rgba8Unorm };
                let desc = ImageDesc {
                    format,
                    host_format: format,
                    dim: Dim::D2Array,
                    extent: [1280, 720, 1],
                    levels: image.mips,
                    layers: u16::from(image.layers),
                    samples: 1,
                    layout: 0,
                };
                let range = PhysicalRange { pool: 0, offset: image.offset, length: 0x1000 };
                add_resource(&mut world, &format!("image {n}"), ResourceKind::Image(desc), range, 0)
            })
            .collect();
        let size = 1200 * CHUNK;
        let range = PhysicalRange { pool: 1, offset: 0, length: size };
        let buffer = add_resource(&mut world, "geometry", ResourceKind::Buffer { size }, range, 0);
        let mut flags = world.query::<&mut ResourceFlags>();
        flags.iter_mut(&mut world).for_each(|mut flags| flags.0 = 0);
        Self { world, schedule: systems::schedule::hazards_to_plan(), images, buffer }
    }

    /// Fills the tables that ingest and the state phase fill.
    pub fn fill(&mut self, frame: &Frame) {
        framegraph::world::clear_part(&mut self.world);
        // Taken and put back, since they are filled together.
        let mut states = std::mem::take(&mut *self.world.resource_mut::<States>());
        let mut bindings = std::mem::take(&mut *self.world.resource_mut::<Bindings>());
        let mut slices = std::mem::take(&mut *self.world.resource_mut::<Slices>());
        let mut draws = std::mem::take(&mut *self.world.resource_mut::<Draws>());
        let depth =
            states.depth.intern(&DepthState { test: Some(Compare::LessEqual), write: true, ..DepthState::default() });
        let nodes = &mut *self.world.resource_mut::<Nodes>();
        fill(frame, &self.images, self.buffer, &mut states, depth, &mut bindings, &mut slices, &mut draws, nodes);
        *self.world.resource_mut::<States>() = states;
        *self.world.resource_mut::<Bindings>() = bindings;
        *self.world.resource_mut::<Slices>() = slices;
        *self.world.resource_mut::<Draws>() = draws;
    }

    /// From the tables to a Plan.
    pub fn plan(&mut self) {
        self.schedule.run(&mut self.world);
    }

    /// Distinct pairs of the game's passes that a dependency joins.
    #[must_use]
    pub fn pass_edges(&self, frame: &Frame) -> usize {
        let edges = self.world.resource::<Edges>();
        let pass = |node: framegraph::ids::NodeId| frame.draws[node.index()].pass;
        let mut pairs: Vec<_> = (0..edges.len())
            .map(|n| (pass(edges.from[n]), pass(edges.to[n])))
            .filter(|(from, to)| from != to)
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs.len()
    }

    /// Draws that read a target of their pass.
    #[must_use]
    pub fn feedback(&self) -> usize {
        let mut nodes: Vec<_> = self.world.resource::<FeedbackLoops>().rows.iter().map(|row| row.node).collect();
        nodes.dedup();
        nodes.len()
    }
}

#[expect(clippy::too_many_arguments, reason = "each table is written here")]
fn fill(
    frame: &Frame,
    images: &[ResourceId],
    buffer: ResourceId,
    states: &mut States,
    depth: StateId,
    bindings: &mut Bindings,
    slices: &mut Slices,
    draws: &mut Draws,
    nodes: &mut Nodes,
) {
    let view = |image: u32, level: u8, levels: u8, layers: u16| {
        let aspects = if (150..170).contains(&image) { Format::D32Float } else { Format::Rgba8Unorm }.aspects();
        ViewKey {
            resource: images[image as usize],
            format: if (150..170).contains(&image) { Format::D32Float } else { Format::Rgba8Unorm },
            dim: Dim::D2,
            part: Subresources { aspects, base_level: level, levels, base_layer: 0, layers },
            ..ViewKey::default()
        }
    };
    let mut views = [(0, StateId::NONE); 7];
    let mut targets = StateId::NONE;
    let mut pass = u32::MAX;
    for (n, draw) in frame.draws.iter().enumerate().take(DRAWS) {
        let source = &frame.passes[draw.pass as usize];
        if draw.pass != pass {
            pass = draw.pass;
            let attach = |image: u32| Some(Attachment { view: view(image, 0, 1, 1), extent: [1280, 720] });
            let mut set = AttachmentSet { depth: attach(source.depth), samples: 1, ..AttachmentSet::default() };
            set.color[0] = attach(source.color[0]);
            set.color[1] = attach(source.color[1]);
            targets = states.targets.intern(&set);
            for (slot, access) in views.iter_mut().zip(&source.accesses[3..]) {
                let mips = frame.images[access.resource as usize].mips;
                let level = access.mip.min(mips - 1);
                *slot = (access.resource, states.views.intern(&view(access.resource, level, 1, 1)));
            }
        }
        let node = nodes.push(NodeKind::Draw, Seq::command(n as u32), n as u32, 0);
        let slice = |chunk: u64| BufferSlice { resource: buffer, offset: chunk * CHUNK, length: CHUNK };
        let call = DrawCall::Elements {
            indices: slice(600 + u64::from(draw.indices)),
            index_type: IndexType::U16,
            count: draw.count,
            base_vertex: 0,
            base_instance: 0,
            instances: 1,
        };
        draws.push_command(node, call, Topology::Triangles, None, 0, [ProgramId::NONE; 5]);
        let start = bindings.rows.len() as u32;
        let mut bind = |slot: u8, view: StateId| {
            bindings.rows.push(Binding {
                kind: BindKind::Texture,
                stage: Stage::Fragment,
                slot,
                written: false,
                source: BindSource::Texture(view, StateId(0)),
            });
        };
        for (slot, texture) in draw.textures.iter().enumerate() {
            let view = views.iter().find(|(image, _)| image == texture).map_or(StateId::NONE, |(_, view)| *view);
            bind(slot as u8, view);
        }
        // What the pass declares and no draw of it samples is bound to its first draw, so that both sides see the same accesses.
        if n as u32 == source.first_draw {
            let all = &frame.draws[n..n + source.draws as usize];
            for (image, view) in views {
                if !all.iter().any(|d| d.textures.contains(&image)) {
                    bind(8, view);
                }
            }
        }
        draws.bindings.push(Rows { start, len: bindings.rows.len() as u32 - start });
        draws.vertex_buffers.push(Rows { start: slices.rows.len() as u32, len: 1 });
        slices.rows.push(slice(u64::from(draw.vertices)));
        draws.targets.push(targets);
        draws.depth.push(depth);
        draws.write_mask.push(0xff);
    }
    draws.fill();
}
