//! A small device for tests: records in, a part's tables out. Programs are facts without code.

use crate::rule::Switches;
use crate::run::{Engine, Slots, install};
use crate::state::shader_store::{StageFacts, StageKey, Translator};
use bevy_ecs::prelude::*;
use bytemuck::NoUninit;
use framegraph::caps::DeviceCaps;
use framegraph::decision::Decisions;
use framegraph::ids::ResourceId;
use framegraph::resource::{ResourceFlags, ResourceKind, ResourcePool};
use framegraph::state::Stage;
use framegraph::tables::{Clears, Copies, Draws, Nodes, Snapshots, States, Uploads};
use nvn_decode::ingest::PartInfo;
use nvn_decode::layout::{self, LayoutDesc, target};
use nvn_decode::memory::{Guest, GuestWrite, PageMemory};
use nvn_decode::raw::StageBinary;
use nvn_decode::record::{self, Op, TextureRef, Writer};
use std::sync::{Arc, Mutex};

/// Programs of a test: the control section is the number of a set of facts.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    facts: Mutex<Vec<StageFacts>>,
    /// Keys that were translated.
    pub(crate) keys: Mutex<Vec<StageKey>>,
}

impl Translator for Facts {
    fn reflect(&self, binary: &StageBinary) -> Result<StageFacts, String> {
        let n = u32::from_le_bytes(binary.control[..4].try_into().expect("a number"));
        let facts = self.facts.lock().expect("lock");
        facts.get(n as usize).cloned().ok_or_else(|| "no such facts".to_owned())
    }

    fn translate(&self, binary: &StageBinary, key: &StageKey) -> Result<Arc<[u32]>, String> {
        self.keys.lock().expect("lock").push(key.clone());
        self.reflect(binary).map(|_| Arc::from([1, 2, 3]))
    }
}

/// The device. Pools lie at [`Scene::address`]; window origin lower left, depth mode near-is-zero.
pub(crate) struct Scene {
    pub(crate) world: World,
    pub(crate) memory: Arc<PageMemory>,
    pub(crate) translator: Arc<Facts>,
    engine: Engine,
    stream: Writer,
    list: Writer,
    handles: u64,
    programs: u32,
}

pub(crate) const WHITE: [u32; 4] = [0x3F80_0000; 4];

impl Scene {
    /// A device with these knobs on.
    pub(crate) fn with(knobs: &[&str], caps: DeviceCaps) -> Self {
        let memory = Arc::new(PageMemory::default());
        let translator = Arc::new(Facts::default());
        let mut world = World::new();
        let guest = Guest { memory: memory.clone(), tracking: memory.clone() };
        install(&mut world, guest, translator.clone());
        world.insert_resource(caps);
        for knob in knobs {
            world.resource_mut::<Switches>().set_knob(knob, true);
        }
        let mut scene = Self {
            world,
            memory,
            translator,
            engine: Engine::new(Slots::default()),
            stream: Writer::default(),
            list: Writer::default(),
            handles: 0,
            programs: 0,
        };
        scene.device(0, 1);
        scene.pool(0, 16 << 20);
        scene
    }

    /// A device with these knobs on.
    pub(crate) fn new(knobs: &[&str]) -> Self {
        Self::with(knobs, DeviceCaps::default())
    }

    pub(crate) fn device(&mut self, window_origin: u32, depth_mode: u32) {
        let facts = record::DeviceFacts { window_origin, depth_mode, api_major: 53, api_minor: 0 };
        self.stream.record(Op::Device, 0, &facts);
    }

    /// Where a byte of a pool lies.
    pub(crate) fn address(pool: u32, offset: u64) -> u64 {
        (u64::from(pool) + 1) << 32 | offset
    }

    pub(crate) fn pool(&mut self, ordinal: u32, size: u64) {
        let pool = record::Pool { address: Self::address(ordinal, 0), size, ordinal, flags: 0 };
        self.stream.record(Op::PoolCreate, 0, &pool);
    }

    /// The CPU writes.
    pub(crate) fn write(&self, pool: u32, offset: u64, bytes: &[u8]) {
        self.memory.write(Self::address(pool, offset), bytes).expect("mapped");
    }

    /// A program of these stages; returns its id.
    pub(crate) fn program(&mut self, stages: &[(Stage, StageFacts)]) -> u32 {
        self.programs += 1;
        let header = record::ProgramHeader { id: self.programs, stages: stages.len() as u32 };
        let mut open = self.stream.open(Op::Program, 0, bytemuck::bytes_of(&header));
        for (stage, facts) in stages {
            let mut all = self.translator.facts.lock().expect("lock");
            let control = (all.len() as u32).to_le_bytes();
            all.push(facts.clone());
            let number = [0, 3, 4, 2, 1, 5][*stage as usize];
            open = open.push(&record::StageHeader { stage: number, control: 4, code: 0 }).bytes(&control);
        }
        open.close();
        self.programs
    }

    /// Vertex and fragment stage; the fragment stage writes what `outputs` says.
    pub(crate) fn plain_program(&mut self, outputs: u32) -> u32 {
        let fragment = StageFacts { output_map: outputs, ..StageFacts::default() };
        self.program(&[(Stage::Vertex, StageFacts::default()), (Stage::Fragment, fragment)])
    }

    /// A 2D texture of pool 0.
    pub(crate) fn texture(offset: u64, format: u32, width: u32, height: u32) -> TextureRef {
        Self::fit(TextureRef {
            offset,
            extent: [width, height, 1],
            format,
            view_format: format,
            target: target::D2,
            view_target: target::D2,
            levels: 1,
            samples: 1,
            swizzle: [2, 3, 4, 5],
            view_levels: 1,
            view_layers: 1,
            ..TextureRef::default()
        })
    }

    /// Sets size and block height from the rest.
    pub(crate) fn fit(mut texture: TextureRef) -> TextureRef {
        let desc = LayoutDesc { block_height_log2: None, ..LayoutDesc::from(&texture) };
        texture.block_height_log2 = layout::auto_block_height_log2(&desc);
        texture.size = layout::storage_size(&desc);
        texture
    }

    /// A stream record.
    pub(crate) fn event<T: NoUninit>(&mut self, op: Op, payload: &T) -> &mut Self {
        self.stream.record(op, 0, payload);
        self
    }

    /// A stream record whose payload is bytes.
    pub(crate) fn event_bytes(&mut self, op: Op, payload: &[u8]) -> &mut Self {
        self.stream.slice(op, 0, payload);
        self
    }

    /// A command record.
    pub(crate) fn cmd<T: NoUninit>(&mut self, op: Op, payload: &T) -> &mut Self {
        self.list.record(op, 0, payload);
        self
    }

    /// A command record whose payload is a slice.
    pub(crate) fn slice<T: NoUninit>(&mut self, op: Op, payload: &[T]) -> &mut Self {
        self.list.slice(op, 0, payload);
        self
    }

    pub(crate) fn targets(&mut self, color: &[TextureRef], depth: Option<TextureRef>) -> &mut Self {
        let head = record::SetRenderTargets {
            colors: (1 << color.len()) - 1,
            count: color.len() as u32,
            depth: u32::from(depth.is_some()),
        };
        let mut open = self.list.open(Op::SetRenderTargets, 0, bytemuck::bytes_of(&head));
        for texture in color.iter().chain(&depth) {
            open = open.push(texture);
        }
        open.close();
        self
    }

    pub(crate) fn bind_program(&mut self, program: u32) -> &mut Self {
        self.cmd(Op::BindProgram, &record::BindProgram { program, stages: 0x3F })
    }

    pub(crate) fn draw(&mut self) -> &mut Self {
        let draw = record::Draw { primitive: 4, count: 3, instances: 1, ..record::Draw::default() };
        self.cmd(Op::Draw, &draw)
    }

    pub(crate) fn clear_color(&mut self, index: u32, mask: u32) -> &mut Self {
        self.cmd(Op::ClearColor, &record::ClearColor { index, mask, value: WHITE, class: 0 })
    }

    pub(crate) fn scissor(&mut self, rect: [i32; 4]) -> &mut Self {
        self.cmd(Op::SetScissors, &record::ScissorRect { rect })
    }

    pub(crate) fn viewport(&mut self, rect: [f32; 4]) -> &mut Self {
        self.cmd(Op::SetViewports, &record::ViewportRect { rect })
    }

    /// Registers a texture descriptor in the descriptor pool at address 0x10.
    pub(crate) fn register(&mut self, id: u32, texture: TextureRef) -> &mut Self {
        let descriptor = record::DescriptorTexture { pool_address: 0x10, id, reserved: 0, texture };
        self.event(Op::RegisterTexture, &descriptor)
    }

    /// Registers a sampler descriptor in the descriptor pool at address 0x20.
    pub(crate) fn register_sampler(&mut self, id: u32, sampler: record::Sampler) -> &mut Self {
        let descriptor = record::DescriptorSampler { pool_address: 0x20, id, reserved: 0, sampler, padding: 0 };
        self.event(Op::RegisterSampler, &descriptor)
    }

    /// Binds the descriptor pools and a texture handle to a fragment slot.
    pub(crate) fn bind_texture(&mut self, slot: u32, texture: u32, sampler: u32) -> &mut Self {
        let pool = |address| record::DescriptorPool { address, count: 512, reserved: 0 };
        self.cmd(Op::SetTexturePool, &pool(0x10));
        self.cmd(Op::SetSamplerPool, &pool(0x20));
        let handle = u64::from(texture) | u64::from(sampler) << 20;
        self.cmd(Op::BindTexture, &record::SlotHandle { handle, stage: 1, index: slot })
    }

    /// Ends the list and submits it.
    pub(crate) fn submit(&mut self) -> &mut Self {
        self.handles += 1;
        let handle = self.handles;
        let list = std::mem::take(&mut self.list);
        let header = record::ListHeader { handle };
        self.stream.open(Op::CommandList, 0, bytemuck::bytes_of(&header)).bytes(&list.bytes).close();
        self.stream
            .open(Op::Submit, 0, bytemuck::bytes_of(&record::Submit { queue: 0, count: 1 }))
            .push(&handle)
            .close();
        self
    }

    /// Submits what is recorded and runs the part. Fails on diagnostics.
    pub(crate) fn run(&mut self) -> &mut Self {
        if !self.list.bytes.is_empty() {
            self.submit();
        }
        self.run_lenient();
        let info = self.world.resource::<PartInfo>();
        let wrong: Vec<String> = info.diagnostics.iter().map(ToString::to_string).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        self
    }

    /// Runs the part; diagnostics stay for the test to look at.
    pub(crate) fn run_lenient(&mut self) {
        let stream = std::mem::take(&mut self.stream);
        let taken = self.engine.run_part(&mut self.world, &stream.bytes);
        assert_eq!(taken, stream.bytes.len(), "one part a run");
    }

    pub(crate) fn res<T: Resource>(&self) -> &T {
        self.world.resource::<T>()
    }

    pub(crate) fn draws(&self) -> &Draws {
        self.res()
    }

    pub(crate) fn states(&self) -> &States {
        self.res()
    }

    pub(crate) fn nodes(&self) -> &Nodes {
        self.res()
    }

    pub(crate) fn clears(&self) -> &[framegraph::tables::Clear] {
        &self.res::<Clears>().rows
    }

    pub(crate) fn copies(&self) -> &[framegraph::tables::Copy] {
        &self.res::<Copies>().rows
    }

    pub(crate) fn uploads(&self) -> &[framegraph::tables::Upload] {
        &self.res::<Uploads>().rows
    }

    /// Bytes of the snapshot.
    pub(crate) fn bytes(&self, offset: u32, length: usize) -> &[u8] {
        &self.res::<Snapshots>().bytes[offset as usize..][..length]
    }

    /// Words of all decisions of a rule.
    pub(crate) fn decided(&self, rule: &str) -> Vec<String> {
        let rows = self.res::<Decisions>().rows();
        rows.iter().filter(|d| d.rule == rule).map(|d| format!("{:?}: {}", d.verdict, d.words())).collect()
    }

    /// Number of images.
    pub(crate) fn images(&mut self) -> usize {
        let mut kinds = self.world.query::<&ResourceKind>();
        kinds.iter(&self.world).filter(|kind| matches!(kind, ResourceKind::Image(_))).count()
    }

    pub(crate) fn flags(&self, id: ResourceId) -> u32 {
        let entity = self.res::<ResourcePool>().entity(id).expect("an entity");
        self.world.get::<ResourceFlags>(entity).expect("flags").0
    }
}
