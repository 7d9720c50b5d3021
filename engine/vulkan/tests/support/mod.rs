//! Worlds made by hand: resources, tables and a plan, one call per step.
#![allow(dead_code, missing_docs, unreachable_pub, clippy::print_stdout)] // Each test binary uses a part of it.

use bevy_ecs::world::World;
use ferrograph_vulkan::checker::StreamChecker;
use ferrograph_vulkan::hostile::{HostileOptions, Lines};
use ferrograph_vulkan::{Completion, Device, DeviceError, DeviceOptions, Executor, ExecutorOptions, Submitted};
use framegraph::ids::{NodeId, PassId, ResourceId, Rows, Seq};
use framegraph::pass::{LoadOp, PassArea, PassOps, PassPool, PassTargets, StoreOp};
use framegraph::plan::{Batch, ComputePipelines, Pipelines, Plan, Step, Transition};
use framegraph::resource::{ImageDesc, Layout, ResourceKind, ResourcePool};
use framegraph::state::*;
use framegraph::tables::*;
use std::sync::Arc;

pub const FRAGMENT: u8 = 1 << 4;
pub const VERTEX: u8 = 1;
pub const COMPUTE: u8 = 1 << 5;

/// A device, or the printed reason why the test is skipped.
pub fn device(options: &DeviceOptions) -> Option<Arc<Device>> {
    let plain = DeviceOptions { take_turns: true, ..options.clone() };
    let validation = DeviceOptions { validation: true, ..plain.clone() };
    match Device::new(&validation) {
        Ok(device) => Some(device),
        Err(DeviceError::NoValidationLayer) => Device::new(&plain).ok(),
        Err(error) => {
            println!("skipped: {error}");
            None
        }
    }
}

pub fn spirv(name: &str) -> Vec<u32> {
    // Beside the sources, or beside the programs of a bundle.
    let folder = std::env::var("FERROGRAPH_DATA").map(|data| format!("{data}/vulkan"));
    let folder = folder.unwrap_or_else(|_| format!("{}/tests/data", env!("CARGO_MANIFEST_DIR")));
    let path = format!("{folder}/{name}.spv");
    let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

pub struct Bench {
    pub world: World,
    pub executor: Executor,
    pub checker: StreamChecker,
    pub check: bool,
    seq: u32,
    tags: u64,
    variants: Vec<String>,
}

/// What a draw of a test is made of.
#[derive(Clone)]
pub struct Draw {
    pub vertex_shader: &'static str,
    pub fragment_shader: &'static str,
    pub call: DrawCall,
    pub topology: Topology,
    pub restart: bool,
    pub vertex: VertexInput,
    pub vertex_buffers: Vec<BufferSlice>,
    pub bindings: Vec<Binding>,
    pub blend: BlendState,
    pub depth: DepthState,
    pub raster: RasterState,
    pub write_mask: u32,
    pub viewport: Option<Viewport>,
    pub feedback: Aspects,
}

impl Default for Draw {
    fn default() -> Self {
        Self {
            vertex_shader: "fullscreen.vert",
            fragment_shader: "uniform.frag",
            call: DrawCall::Arrays { first: 0, count: 3, base_instance: 0, instances: 1 },
            topology: Topology::Triangles,
            restart: false,
            vertex: VertexInput::default(),
            vertex_buffers: Vec::new(),
            bindings: Vec::new(),
            blend: BlendState::default(),
            depth: DepthState::default(),
            raster: RasterState { samples: 1, sample_mask: u32::MAX, ..RasterState::default() },
            write_mask: u32::MAX,
            viewport: None,
            feedback: Aspects::NONE,
        }
    }
}

pub fn f(v: f32) -> u32 {
    v.to_bits()
}

pub fn color_desc(format: Format, width: u32, height: u32) -> ImageDesc {
    ImageDesc {
        format,
        host_format: format,
        dim: Dim::D2,
        extent: [width, height, 1],
        levels: 1,
        layers: 1,
        samples: 1,
        layout: 0,
    }
}

impl Bench {
    pub fn new() -> Option<Self> {
        Self::with(&DeviceOptions::default())
    }

    pub fn with(options: &DeviceOptions) -> Option<Self> {
        Some(Self::on(device(options)?))
    }

    pub fn on(device: Arc<Device>) -> Self {
        // The same tests run hostile: FERROGRAPH_HOSTILE holds the seed.
        let seed = std::env::var("FERROGRAPH_HOSTILE").ok().and_then(|s| s.parse().ok());
        let hostile = seed.map(|seed| HostileOptions { lines: Lines::ALL, seed });
        Self::hostile(device, hostile)
    }

    pub fn hostile(device: Arc<Device>, hostile: Option<HostileOptions>) -> Self {
        let options = ExecutorOptions { log: true, timestamps: true, hostile, ..ExecutorOptions::default() };
        Self::with_executor(Executor::new(device, &options).expect("executor"))
    }

    pub fn with_executor(executor: Executor) -> Self {
        let mut world = World::new();
        world.init_resource::<Plan>();
        world.init_resource::<Nodes>();
        world.init_resource::<Draws>();
        world.init_resource::<States>();
        world.init_resource::<Bindings>();
        world.init_resource::<Slices>();
        world.init_resource::<Snapshots>();
        world.init_resource::<Dispatches>();
        world.init_resource::<Copies>();
        world.init_resource::<Clears>();
        world.init_resource::<Uploads>();
        world.init_resource::<Downloads>();
        world.init_resource::<Signals>();
        world.init_resource::<Presents>();
        world.init_resource::<ShaderModules>();
        world.init_resource::<Pipelines>();
        world.init_resource::<ComputePipelines>();
        world.init_resource::<PassPool>();
        world.init_resource::<ResourcePool>();
        world.init_resource::<Accesses>();
        world.resource_mut::<ShaderModules>().modules.push(None);
        PassPool::reserve(&mut world, 16);
        Self {
            world,
            executor,
            checker: StreamChecker::default(),
            check: true,
            seq: 0,
            tags: 0,
            variants: vec![String::new()],
        }
    }

    pub fn device(&self) -> Arc<Device> {
        self.executor.device().clone()
    }

    fn take(&mut self, kind: ResourceKind) -> ResourceId {
        let id = ResourcePool::take(&mut self.world);
        let entity = self.world.resource::<ResourcePool>().entity(id).expect("entity");
        self.world.entity_mut(entity).insert(kind);
        id
    }

    pub fn image(&mut self, desc: ImageDesc) -> ResourceId {
        self.take(ResourceKind::Image(desc))
    }

    pub fn buffer(&mut self, size: u64) -> ResourceId {
        self.take(ResourceKind::Buffer { size })
    }

    pub fn desc(&self, id: ResourceId) -> ImageDesc {
        let entity = self.world.resource::<ResourcePool>().entity(id).expect("entity");
        match self.world.get::<ResourceKind>(entity) {
            Some(ResourceKind::Image(desc)) => *desc,
            other => panic!("{id:?} is {other:?}"),
        }
    }

    /// The variant key of a shader of tests/data.
    pub fn shader(&mut self, name: &str) -> u32 {
        if let Some(n) = self.variants.iter().position(|v| v == name) {
            return n as u32;
        }
        let stage = match name.rsplit('.').next() {
            Some("vert") => Stage::Vertex,
            Some("frag") => Stage::Fragment,
            _ => Stage::Compute,
        };
        self.module(name, stage, spirv(name))
    }

    pub fn module(&mut self, name: &str, stage: Stage, words: Vec<u32>) -> u32 {
        let mut modules = self.world.resource_mut::<ShaderModules>();
        let key = modules.modules.len() as u32;
        modules.modules.push(Some(ShaderModule { stage, words: words.into(), hash: u64::from(key) }));
        self.variants.push(name.to_owned());
        key
    }

    pub fn node(&mut self, kind: NodeKind, payload: usize) -> NodeId {
        self.seq += 1;
        let seq = Seq::command(self.seq);
        let id = self.world.resource_mut::<Nodes>().push(kind, seq, payload as u32, 0);
        self.step(Step::Node(id));
        id
    }

    pub fn step(&mut self, step: Step) {
        self.world.resource_mut::<Plan>().steps.push(step);
    }

    pub fn snapshot(&mut self, bytes: &[u8]) -> u32 {
        self.world.resource_mut::<Snapshots>().push(bytes)
    }

    /// Barrier with layout changes.
    pub fn barrier(&mut self, from: (u32, u8), to: (u32, u8), changes: &[(ResourceId, Layout, Layout)]) {
        let changes: Vec<Transition> = changes
            .iter()
            .map(|&(resource, from, to)| Transition { resource, part: self.desc(resource).all(), from, to })
            .collect();
        self.batch(from, to, &changes, false);
    }

    pub fn batch(&mut self, from: (u32, u8), to: (u32, u8), changes: &[Transition], in_pass: bool) {
        let mut plan = self.world.resource_mut::<Plan>();
        let batch = Batch {
            source_uses: from.0,
            source_stages: from.1,
            target_uses: to.0,
            target_stages: to.1,
            first_transition: plan.transitions.len() as u32,
            transitions: changes.len() as u32,
        };
        plan.transitions.extend_from_slice(changes);
        let row = plan.batches.len() as u32;
        plan.batches.push(batch);
        plan.steps.push(if in_pass { Step::SelfBarrier(row) } else { Step::Barrier(row) });
    }

    pub fn upload_buffer(&mut self, target: BufferSlice, bytes: &[u8]) -> NodeId {
        let at = self.snapshot(bytes);
        let mut uploads = self.world.resource_mut::<Uploads>();
        uploads.rows.push(Upload::Buffer { bytes: at, target });
        let row = uploads.rows.len() - 1;
        self.node(NodeKind::Upload, row)
    }

    pub fn upload_image(&mut self, target: ResourceId, part: Subresources, bytes: &[u8]) -> NodeId {
        let at = self.snapshot(bytes);
        let [w, h, d] = self.desc(target).level_extent(part.base_level);
        let region = TexelBox { offset: [0; 3], extent: [w as i32, h as i32, d as i32] };
        let mut uploads = self.world.resource_mut::<Uploads>();
        uploads.rows.push(Upload::Image { bytes: at, target, part, region });
        let row = uploads.rows.len() - 1;
        self.node(NodeKind::Upload, row)
    }

    pub fn download_image(&mut self, image: ResourceId) -> u64 {
        let part = self.desc(image).all();
        self.download(Download { buffer: None, image: Some((image, part)), tag: 0 })
    }

    pub fn download_buffer(&mut self, slice: BufferSlice) -> u64 {
        self.download(Download { buffer: Some(slice), image: None, tag: 0 })
    }

    fn download(&mut self, download: Download) -> u64 {
        self.tags += 1;
        let tag = self.tags;
        let mut downloads = self.world.resource_mut::<Downloads>();
        downloads.rows.push(Download { tag, ..download });
        let row = downloads.rows.len() - 1;
        self.node(NodeKind::Download, row);
        tag
    }

    pub fn copy(&mut self, copy: Copy) -> NodeId {
        let mut copies = self.world.resource_mut::<Copies>();
        copies.rows.push(copy);
        let row = copies.rows.len() - 1;
        self.node(NodeKind::Copy, row)
    }

    pub fn clear_image(&mut self, image: ResourceId, value: [u32; 4]) -> NodeId {
        let desc = self.desc(image);
        let clear = Clear {
            node: NodeId(0),
            target: ClearTarget::Image(image, desc.all()),
            value,
            class: desc.format.class(),
            mask: 15,
            aspects: desc.format.aspects(),
            stencil_mask: 255,
            rect: [0, 0, desc.extent[0] as i32, desc.extent[1] as i32],
        };
        self.clear(clear)
    }

    pub fn clear(&mut self, clear: Clear) -> NodeId {
        let mut clears = self.world.resource_mut::<Clears>();
        clears.rows.push(clear);
        let row = clears.rows.len() - 1;
        self.node(NodeKind::Clear, row)
    }

    pub fn signal(&mut self, tag: u64) -> NodeId {
        let mut signals = self.world.resource_mut::<Signals>();
        signals.rows.push(tag);
        let row = signals.rows.len() - 1;
        self.node(NodeKind::Signal, row)
    }

    pub fn present(&mut self, present: Present) -> NodeId {
        let mut presents = self.world.resource_mut::<Presents>();
        presents.rows.push(present);
        let row = presents.rows.len() - 1;
        self.node(NodeKind::Present, row)
    }

    pub fn attachment(&self, image: ResourceId) -> Attachment {
        let desc = self.desc(image);
        let mut part = desc.all();
        part.levels = 1;
        let dim = if part.layers > 1 { Dim::D2Array } else { Dim::D2 };
        Attachment {
            view: ViewKey { resource: image, format: desc.format, dim, part, swizzle: [Swizzle::Identity; 4] },
            extent: [desc.extent[0], desc.extent[1]],
        }
    }

    /// Begins a pass over whole images.
    pub fn begin(
        &mut self,
        color: &[(ResourceId, LoadOp, StoreOp)],
        depth: Option<(ResourceId, LoadOp, StoreOp)>,
    ) -> PassId {
        let mut targets = AttachmentSet { samples: 1, ..AttachmentSet::default() };
        let mut ops = PassOps::default();
        let mut area = PassArea { extent: [u32::MAX; 2], layers: 1 };
        for (n, &(image, load, store)) in color.iter().enumerate() {
            let a = self.attachment(image);
            area.layers = area.layers.max(a.view.part.layers);
            area.extent = [area.extent[0].min(a.extent[0]), area.extent[1].min(a.extent[1])];
            targets.color[n] = Some(a);
            ops.color[n] = (load, store);
        }
        if let Some((image, load, store)) = depth {
            let a = self.attachment(image);
            area.extent = [area.extent[0].min(a.extent[0]), area.extent[1].min(a.extent[1])];
            targets.depth = Some(a);
            ops.depth = (load, store);
            ops.stencil = (load, store);
        }
        self.begin_with(targets, ops, area)
    }

    pub fn begin_with(&mut self, targets: AttachmentSet, ops: PassOps, area: PassArea) -> PassId {
        let mut pool = self.world.resource_mut::<PassPool>();
        let id = PassId(pool.live);
        pool.live += 1;
        let entity = pool.entity(id).expect("a pass entity");
        self.world.entity_mut(entity).insert((PassTargets(targets), ops, area));
        self.step(Step::BeginPass(id));
        id
    }

    pub fn end(&mut self, pass: PassId) {
        self.step(Step::EndPass(pass));
    }

    pub fn bindings(&mut self, bindings: &[Binding]) -> Rows {
        let mut table = self.world.resource_mut::<Bindings>();
        let start = table.rows.len() as u32;
        table.rows.extend_from_slice(bindings);
        Rows { start, len: bindings.len() as u32 }
    }

    pub fn uniform(&mut self, slot: u8, stage: Stage, bytes: &[u8]) -> Binding {
        let at = self.snapshot(bytes);
        Binding {
            kind: BindKind::Uniform,
            stage,
            slot,
            written: false,
            source: BindSource::Snapshot(at, bytes.len() as u32),
        }
    }

    pub fn color_uniform(&mut self, color: [f32; 4]) -> Binding {
        let bytes: Vec<u8> = color.iter().flat_map(|c| c.to_le_bytes()).collect();
        self.uniform(3, Stage::Fragment, &bytes)
    }

    pub fn texture(&mut self, image: ResourceId) -> Binding {
        let desc = self.desc(image);
        self.texture_as(image, desc.format, SamplerKey { max_lod: f(16.0), ..SamplerKey::default() })
    }

    pub fn texture_as(&mut self, image: ResourceId, format: Format, sampler: SamplerKey) -> Binding {
        let desc = self.desc(image);
        let mut states = self.world.resource_mut::<States>();
        let key = ViewKey { resource: image, format, dim: Dim::D2, part: desc.all(), swizzle: [Swizzle::Identity; 4] };
        let view = states.views.intern(&key);
        let sampler = states.samplers.intern(&sampler);
        Binding {
            kind: BindKind::Texture,
            stage: Stage::Fragment,
            slot: 0,
            written: false,
            source: BindSource::Texture(view, sampler),
        }
    }

    pub fn draw(&mut self, draw: &Draw) -> NodeId {
        let vertex_shader = self.shader(draw.vertex_shader);
        let fragment = self.shader(draw.fragment_shader);
        self.draw_with(draw, vertex_shader, fragment)
    }

    pub fn draw_with(&mut self, draw: &Draw, vertex_shader: u32, fragment: u32) -> NodeId {
        let bindings = self.bindings(&draw.bindings);
        let mut slices = self.world.resource_mut::<Slices>();
        let start = slices.rows.len() as u32;
        slices.rows.extend_from_slice(&draw.vertex_buffers);
        let vertex_buffers = Rows { start, len: draw.vertex_buffers.len() as u32 };
        let mut states = self.world.resource_mut::<States>();
        let shaders = states.shaders.intern(&ShaderSet { variant: [vertex_shader, 0, 0, 0, fragment, 0] });
        let vertex = states.vertex.intern(&draw.vertex);
        let blend = states.blend.intern(&draw.blend);
        let depth = states.depth.intern(&draw.depth);
        let raster = states.raster.intern(&draw.raster);
        let formats = states.formats.intern(&TargetFormats::default());
        let viewport = states.viewports.intern(&ViewportState { entries: draw.viewport.into_iter().collect() });
        let key = PipelineKey {
            shaders,
            vertex,
            blend,
            depth,
            raster,
            formats,
            write_mask: draw.write_mask,
            topology: draw.topology,
            restart: draw.restart,
            patch_points: 0,
            feedback: draw.feedback,
        };
        let pipeline = self.world.resource_mut::<Pipelines>().intern(key);
        let row = self.world.resource::<Draws>().len();
        let node = self.node(NodeKind::Draw, row);
        let mut draws = self.world.resource_mut::<Draws>();
        let d = draws.push(node, draw.call, draw.topology).index();
        draws.bindings[d] = bindings;
        draws.vertex_buffers[d] = vertex_buffers;
        draws.viewport[d] = viewport;
        draws.pipeline[d] = pipeline;
        node
    }

    pub fn dispatch(&mut self, shader: &str, groups: [u32; 3], bindings: &[Binding]) -> NodeId {
        let variant = self.shader(shader);
        let bindings = self.bindings(bindings);
        let row = self.world.resource::<Dispatches>().rows.len();
        let node = self.node(NodeKind::Dispatch, row);
        self.world.resource_mut::<Dispatches>().rows.push(Dispatch {
            node,
            program: framegraph::ids::ProgramId(0),
            variant,
            groups,
            indirect: None,
            bindings,
            pipeline: u32::MAX,
        });
        node
    }

    /// Executes, waits, empties the tables; checks the stream and the validation layer.
    pub fn run(&mut self) -> Vec<Completion> {
        let (_, done) = self.submit();
        self.executor.finish().expect("finish");
        let mut all = done;
        all.extend(self.executor.completions());
        self.verdict();
        all
    }

    pub fn submit(&mut self) -> (Submitted, Vec<Completion>) {
        let submitted = self.executor.execute(&self.world).expect("execute");
        self.clear_tables();
        let done = self.executor.completions().collect();
        (submitted, done)
    }

    /// What the checker and the validation layer say must be nothing.
    pub fn verdict(&mut self) {
        let log = self.executor.take_log();
        let objections = self.checker.check(&log);
        if self.check {
            assert!(objections.is_empty(), "stream checker: {objections:#?}");
            let messages = &self.executor.device().messages;
            assert_eq!(messages.errors(), 0, "validation: {:#?}", messages.texts());
        }
    }

    pub fn clear_tables(&mut self) {
        self.world.resource_mut::<Plan>().clear();
        self.world.resource_mut::<Nodes>().clear();
        self.world.resource_mut::<Draws>().clear();
        self.world.resource_mut::<States>().clear();
        self.world.resource_mut::<Pipelines>().clear();
        self.world.resource_mut::<Bindings>().rows.clear();
        self.world.resource_mut::<Slices>().rows.clear();
        self.world.resource_mut::<Snapshots>().bytes.clear();
        self.world.resource_mut::<Dispatches>().rows.clear();
        self.world.resource_mut::<Copies>().rows.clear();
        self.world.resource_mut::<Clears>().rows.clear();
        self.world.resource_mut::<Uploads>().rows.clear();
        self.world.resource_mut::<Downloads>().rows.clear();
        self.world.resource_mut::<Signals>().rows.clear();
        self.world.resource_mut::<Presents>().rows.clear();
        self.world.resource_mut::<PassPool>().live = 0;
    }
}

/// The bytes of a download.
pub fn bytes_of(done: &[Completion], tag: u64) -> &[u8] {
    done.iter()
        .find_map(|c| match c {
            Completion::Download { tag: t, bytes } if *t == tag => Some(&bytes[..]),
            _ => None,
        })
        .unwrap_or_else(|| panic!("no download {tag} in {} completions", done.len()))
}

/// The texel at (x, y) of tight rows.
pub fn texel(bytes: &[u8], width: usize, size: usize, x: usize, y: usize) -> &[u8] {
    let at = (y * width + x) * size;
    &bytes[at..at + size]
}

pub fn slice(resource: ResourceId, offset: u64, length: u64) -> BufferSlice {
    BufferSlice { resource, offset, length }
}

/// Barriers that tests use again and again.
pub mod to {
    use super::*;
    pub const NONE: (u32, u8) = (0, 0);
    pub const COPY_WRITE: (u32, u8) = (uses::COPY_WRITE, 0);
    pub const COPY_READ: (u32, u8) = (uses::COPY_READ, 0);
    pub const COLOR: (u32, u8) = (uses::COLOR_READ | uses::COLOR_WRITE, 0);
    pub const DEPTH: (u32, u8) = (uses::DEPTH_READ | uses::DEPTH_WRITE, 0);
    pub const SAMPLED: (u32, u8) = (uses::SAMPLED, FRAGMENT);
    pub const STORAGE: (u32, u8) = (uses::STORAGE_READ | uses::STORAGE_WRITE, COMPUTE);
}
