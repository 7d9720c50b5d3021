//! The same frame in the graph's tables.

use crate::frame::{Access, Frame, RESOURCES};
use bevy_ecs::prelude::*;
use framegraph::dependencies::HazardKeys;
use framegraph::ids::{NodeId, ProgramId, ResourceId, Rows, Seq, StateId};
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
    // By image: its view in the pass at hand, and the last pass that samples it.
    let mut views = [StateId::NONE; RESOURCES];
    let mut sampled = [u32::MAX; RESOURCES];
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
    let slice = |chunk: u64| BufferSlice { resource: buffer, offset: chunk * CHUNK, length: CHUNK };
    let texture = |slot: u8, view: StateId| Binding {
        kind: BindKind::Texture,
        stage: Stage::Fragment,
        slot,
        written: false,
        source: BindSource::Texture(view, StateId(0)),
    };
    for (number, source) in frame.passes.iter().enumerate() {
        let (first, count) = (source.first_draw, source.draws);
        let all = &frame.draws[first as usize..(first + count) as usize];
        let attach = |image: u32| Some(Attachment { view: view(image, 0, 1, 1), extent: [1280, 720] });
        let mut set = AttachmentSet { depth: attach(source.depth), samples: 1, ..AttachmentSet::default() };
        set.color[0] = attach(source.color[0]);
        set.color[1] = attach(source.color[1]);
        let targets = states.targets.intern(&set);
        let reads = &source.accesses[3..];
        let mut declared = [StateId::NONE; 7];
        // Backwards: of two levels of one image the first counts.
        for (own, access) in declared.iter_mut().zip(reads).rev() {
            let level = access.mip.min(frame.images[access.resource as usize].mips - 1);
            *own = states.views.intern(&view(access.resource, level, 1, 1));
            views[access.resource as usize] = *own;
        }
        let node = nodes.push_run(NodeKind::Draw, Seq::command(first), first, count);
        draws.node.extend((node.0..node.0 + count).map(NodeId));
        draws.call.extend(all.iter().map(|draw| DrawCall::Elements {
            indices: slice(600 + u64::from(draw.indices)),
            index_type: IndexType::U16,
            count: draw.count,
            base_vertex: 0,
            base_instance: 0,
            instances: 1,
        }));
        let stream = slices.rows.len() as u32;
        draws.vertex_buffers.extend((stream..stream + count).map(|start| Rows { start, len: 1 }));
        slices.rows.extend(all.iter().map(|draw| slice(u64::from(draw.vertices))));
        for (n, draw) in all.iter().enumerate() {
            let start = bindings.rows.len() as u32;
            let [a, b, c, d] = draw.textures.map(|image| views[image as usize]);
            bindings.rows.extend_from_slice(&[texture(0, a), texture(1, b), texture(2, c), texture(3, d)]);
            if n == 0 {
                // What the pass declares and no draw of it samples is bound to its first draw, so that both sides see the same accesses.
                for image in all.iter().flat_map(|draw| draw.textures) {
                    sampled[image as usize] = number as u32;
                }
                let unused = |(access, _): &(&Access, &StateId)| sampled[access.resource as usize] != number as u32;
                let rest = reads.iter().zip(&declared).filter(unused);
                bindings.rows.extend(rest.map(|(_, view)| texture(8, *view)));
            }
            draws.bindings.push(Rows { start, len: bindings.rows.len() as u32 - start });
        }
        let end = (first + count) as usize;
        draws.targets.resize(end, targets);
        draws.depth.resize(end, depth);
        draws.write_mask.resize(end, 0xff);
    }
    draws.fill_commands(Topology::Triangles, None, 0, [ProgramId::NONE; 5]);
    draws.fill();
}
