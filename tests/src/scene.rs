//! Proof scenes: API calls from Rust, drawn on a Vulkan device, read back exactly.
//!
//! A scene is a function from a [`Stage`] to bytes. [`prove`] draws it with the rule and expects the exact bytes, then again under each knob of a catalogue
//! row (or with the system off), and expects other bytes: a rule's scene must fail when the rule is off.

use ferrograph::graph::{Graph, GraphOptions};
use ferrograph::sink::GraphSink;
use ferrograph_nvn::device::{Mutants, Options};
use ferrograph_nvn::recorder::{CommandRecorder, Pool, Recorder, ScratchMemory, TextureSpec};
use ferrograph_vulkan::DeviceOptions;
use ferrograph_vulkan::hostile::{HostileOptions, Lines};
use framegraph::decision::{Decisions, Verdict};
use nvn_decode::memory::Guest;
use nvn_decode::record::Region;
use std::cell::{Cell, OnceCell, RefCell};
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

/// Format numbers that scenes use (nvn/formats).
#[allow(missing_docs)] // The names are the API's.
pub mod format {
    pub const R8: u32 = 0x01;
    pub const R8UI: u32 = 0x03;
    pub const R8I: u32 = 0x04;
    pub const R16F: u32 = 0x05;
    pub const R16SN: u32 = 0x07;
    pub const R32F: u32 = 0x0A;
    pub const R32UI: u32 = 0x0B;
    pub const R32I: u32 = 0x0C;
    pub const RG8: u32 = 0x0D;
    pub const RG8UI: u32 = 0x0F;
    pub const RG16I: u32 = 0x15;
    pub const RG32F: u32 = 0x16;
    pub const RGB32F: u32 = 0x22;
    pub const RGBA8: u32 = 0x25;
    pub const RGBA8UI: u32 = 0x27;
    pub const RGBA16F: u32 = 0x29;
    pub const RGBA32F: u32 = 0x2E;
    pub const RGBA32UI: u32 = 0x2F;
    pub const RGBA32I: u32 = 0x30;
    pub const STENCIL8: u32 = 0x31;
    pub const DEPTH32F: u32 = 0x34;
    pub const DEPTH24_STENCIL8: u32 = 0x35;
    pub const DEPTH32F_STENCIL8: u32 = 0x36;
    pub const RGBA8_SRGB: u32 = 0x38;
    pub const RGBX8: u32 = 0x6D;
}

/// Numbers of the API that scenes use (nvn/enums).
#[allow(missing_docs)] // The names are the API's.
pub mod nvn {
    pub const POINTS: u64 = 0;
    pub const TRIANGLES: u64 = 4;
    pub const TRIANGLE_STRIP: u64 = 5;
    pub const QUADS: u64 = 7;
    pub const LESS: u64 = 2;
    pub const EQUAL: u64 = 3;
    pub const LEQUAL: u64 = 4;
    pub const GEQUAL: u64 = 7;
    pub const ALWAYS: u64 = 8;
    pub const KEEP: u64 = 1;
    pub const REPLACE: u64 = 3;
    pub const FRONT_AND_BACK: u64 = 3;
    pub const VERTEX: u64 = 0;
    pub const FRAGMENT: u64 = 1;
    pub const COMPUTE: u64 = 5;
    /// Full order, and textures and shader caches see what was written.
    pub const BARRIER_ALL: u64 = 0x31;
    /// Arguments of indirect commands are read after the barrier.
    pub const ORDER_INDIRECT: u64 = 0x8;
    pub const NEAREST: u32 = 0;
    pub const LINEAR: u32 = 1;
    pub const LINEAR_MIPMAP_NEAREST: u32 = 3;
    pub const CLAMP_TO_EDGE: u32 = 7;
}

/// How a scene is drawn.
#[derive(Debug, Clone, Default)]
pub struct Setup {
    /// Systems that are off.
    pub rules_off: Vec<&'static str>,
    /// Mutants that are on.
    pub knobs: Vec<&'static str>,
    /// Lines of the hostile executor that are on.
    pub hostile: Lines,
    /// Seed of the hostile executor.
    pub seed: u64,
    /// What devices compute as they like is computed in one way.
    pub separate_rounding: bool,
}

impl Setup {
    /// The same on a device where these lines of the hostile executor show what Vulkan leaves undefined.
    #[must_use]
    pub fn on(self, hostile: Lines) -> Self {
        Self { hostile, ..self }
    }
}

/// A sampler; numbers are the API's. Clamps to the edge.
#[derive(Debug, Clone, Copy)]
pub struct SamplerSpec {
    /// Filter for minification, magnification.
    pub filters: [u32; 2],
    /// Level clamp.
    pub lod: [f32; 2],
    /// Level bias.
    pub bias: f32,
}

impl Default for SamplerSpec {
    fn default() -> Self {
        Self { filters: [nvn::NEAREST; 2], lod: [-1000.0, 1000.0], bias: 0.0 }
    }
}

/// A device with an API to record with, memory, and one pool for everything.
pub struct Stage {
    /// The API.
    pub api: Recorder,
    /// Where targets, buffers and textures go.
    pub pool: Pool,
    sink: GraphSink,
    used: Cell<u64>,
    descriptors: OnceCell<Descriptors>,
    degraded: RefCell<Vec<String>>,
}

/// Pools of descriptors.
#[derive(Debug)]
struct Descriptors {
    textures: u64,
    samplers: u64,
    next: Cell<u64>,
}

impl std::fmt::Debug for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stage").finish_non_exhaustive()
    }
}

const MEMORY: usize = 64 << 20;
const POOL: u64 = 24 << 20;
/// Pool flags: CPU uncached, GPU cached.
const POOL_FLAGS: u32 = 0x22;

/// Folder of the project's own compiled shaders.
#[must_use]
pub fn shader_folder() -> PathBuf {
    // A bundle has the shaders beside its programs.
    let bundle = std::env::var_os("FERROGRAPH_DATA").map(|data| PathBuf::from(data).join("shaders"));
    bundle.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/shaders")).join("scenekit")
}

impl Stage {
    /// A stage, or `None` with the reason where there is no Vulkan device.
    ///
    /// # Errors
    /// When the graph cannot run on a device that is there.
    pub fn new(setup: &Setup) -> Result<Option<Self>, String> {
        let memory = Arc::new(ScratchMemory::new(0x50_0000_0000, MEMORY));
        let guest = Guest { memory: memory.clone(), tracking: memory.clone() };
        let options = GraphOptions {
            device: DeviceOptions { take_turns: true, ..DeviceOptions::default() },
            check: true,
            separate_rounding: setup.separate_rounding,
            rules: setup.rules_off.iter().map(|name| ((*name).to_owned(), false)).collect(),
            knobs: setup.knobs.iter().map(|row| (*row).to_owned()).collect(),
            hostile: (setup.hostile != Lines::default())
                .then_some(HostileOptions { lines: setup.hostile, seed: setup.seed }),
            ..GraphOptions::default()
        };
        let graph = match Graph::new(&options, guest) {
            Ok(graph) => graph,
            Err(ferrograph::graph::GraphError::Device(error)) => {
                eprintln!("skipped: {error}");
                return Ok(None);
            }
            Err(error) => return Err(error.to_string()),
        };
        let sink = GraphSink::new(graph, None);
        let on = |row: &str| setup.knobs.contains(&row);
        let mutants = Mutants { keep_pointers: on("R-001a") || on("R-066b"), submit_late: on("M-1.9e") };
        let options = Options { mutants, ..Options::default() };
        let api = Recorder::with_options(memory, Box::new(sink.clone()), options);
        let pool = api.pool(POOL, POOL_FLAGS);
        Ok(Some(Self {
            api,
            pool,
            sink,
            used: Cell::new(0),
            descriptors: OnceCell::new(),
            degraded: RefCell::default(),
        }))
    }

    /// Takes room in the pool; returns the offset.
    pub fn room(&self, bytes: u64, alignment: u64) -> u64 {
        let at = self.used.get().next_multiple_of(alignment);
        self.used.set(at + bytes);
        assert!(at + bytes <= self.pool.size, "the scene needs a larger pool");
        at
    }

    /// A texture in the pool with a debug label.
    pub fn texture(&self, label: &str, spec: TextureSpec) -> u64 {
        let offset = self.room(self.api.texture_size(spec), 0x1_0000);
        let texture = self.api.texture(self.pool, offset, spec);
        self.label(texture, label);
        texture
    }

    /// Labels a texture.
    pub fn label(&self, texture: u64, label: &str) {
        let mut text = label.as_bytes().to_vec();
        text.push(0);
        let text = self.api.place(&text, 8);
        self.api.call("nvnTextureSetDebugLabel", &[texture, text]);
    }

    /// Bytes in the pool, at a multiple of 256; returns the GPU address.
    pub fn buffer<T: bytemuck::NoUninit>(&self, values: &[T]) -> u64 {
        let bytes = size_of_val(values) as u64;
        let address = self.pool.address + self.room(bytes.next_multiple_of(256), 256);
        self.api.write(address, values);
        address
    }

    /// A program from the project's shaders by name.
    ///
    /// # Panics
    /// When a shader is missing: a mistake of the scene.
    pub fn program(&self, names: &[&str]) -> u64 {
        let files: Vec<(Vec<u8>, Vec<u8>)> = names
            .iter()
            .map(|name| {
                let read = |file: &str| {
                    let path = shader_folder().join(name).join(file);
                    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
                };
                (read("control.bin"), read("code.bin"))
            })
            .collect();
        let stages: Vec<(&[u8], &[u8])> = files.iter().map(|(control, code)| (&control[..], &code[..])).collect();
        self.api.program(&stages)
    }

    /// Binds a program's graphics stages.
    pub fn bind(&self, commands: &CommandRecorder<'_>, program: u64) {
        commands.call("nvnCommandBufferBindProgram", &[program, 0x1F]);
    }

    /// Binds a uniform buffer to a slot of the vertex and the fragment stage.
    pub fn uniform(&self, commands: &CommandRecorder<'_>, slot: u64, address: u64, bytes: u64) {
        for stage in [nvn::VERTEX, nvn::FRAGMENT] {
            commands.call("nvnCommandBufferBindUniformBuffer", &[stage, slot, address, bytes.next_multiple_of(256)]);
        }
    }

    fn descriptors(&self) -> &Descriptors {
        const COUNT: u64 = 512;
        self.descriptors.get_or_init(|| {
            let pool = |initialise: &'static str| {
                let (object, offset) = (self.api.alloc(0x20, 8), self.room(COUNT * 32, 256));
                self.api.call(initialise, &[object, self.pool.object, offset, COUNT]);
                object
            };
            let (textures, samplers) = (pool("nvnTexturePoolInitialize"), pool("nvnSamplerPoolInitialize"));
            // The first ids belong to the API.
            Descriptors { textures, samplers, next: Cell::new(256) }
        })
    }

    /// A handle to sample a texture with.
    pub fn handle(&self, texture: u64, view: u64, sampler: SamplerSpec) -> u64 {
        let pools = self.descriptors();
        let id = pools.next.replace(pools.next.get() + 1);
        let builder = self.api.state("nvnSamplerBuilderSetDefaults");
        self.api.call("nvnSamplerBuilderSetDevice", &[builder, self.api.device()]);
        let clamp = u64::from(nvn::CLAMP_TO_EDGE);
        let [minify, magnify] = sampler.filters.map(u64::from);
        self.api.call("nvnSamplerBuilderSetMinMagFilter", &[builder, minify, magnify]);
        self.api.call("nvnSamplerBuilderSetWrapMode", &[builder, clamp, clamp, clamp]);
        self.api.call_with_floats("nvnSamplerBuilderSetLodClamp", &[builder], &sampler.lod);
        self.api.call_with_floats("nvnSamplerBuilderSetLodBias", &[builder], &[sampler.bias]);
        self.api.call("nvnSamplerPoolRegisterSamplerBuilder", &[pools.samplers, id, builder]);
        self.api.call("nvnTexturePoolRegisterTexture", &[pools.textures, id, texture, view]);
        self.api.call("nvnDeviceGetTextureHandle", &[self.api.device(), id, id])
    }

    /// A handle to load from and store to a texture with.
    pub fn image_handle(&self, texture: u64, view: u64) -> u64 {
        let pools = self.descriptors();
        let id = pools.next.replace(pools.next.get() + 1);
        self.api.call("nvnTexturePoolRegisterImage", &[pools.textures, id, texture, view]);
        self.api.call("nvnDeviceGetImageHandle", &[self.api.device(), id])
    }

    /// Waits until the GPU is done.
    pub fn finish(&self) {
        self.api.call("nvnQueueFinish", &[self.api.queue()]);
    }

    /// Writes all of level 0 of a 2D texture as the CPU does.
    pub fn fill<T: bytemuck::NoUninit>(&self, texture: u64, extent: [i32; 2], texels: &[T]) {
        self.fill_level(texture, 0, extent, texels);
    }

    /// Writes all of a level of a 2D texture as the CPU does.
    pub fn fill_level<T: bytemuck::NoUninit>(&self, texture: u64, level: u32, [w, h]: [i32; 2], texels: &[T]) {
        let levels = ferrograph_nvn::recorder::ViewSpec { levels: Some((level, 1)), ..Default::default() };
        let view = if level == 0 { 0 } else { self.api.view(levels) };
        self.api.write_texels(texture, view, Region { offset: [0; 3], extent: [w, h, 1] }, texels);
    }

    /// Begins a command buffer that knows the stage.
    pub fn begin(&self) -> Commands<'_> {
        Commands { stage: self, recorder: self.api.begin() }
    }

    /// Ends a command buffer and submits it.
    pub fn submit(&self, commands: CommandRecorder<'_>) {
        let list = commands.end();
        self.api.submit(&[list]);
        if let Some(error) = self.sink.take_error() {
            panic!("the graph failed: {error}");
        }
        self.with_graph(|graph| {
            let rows = graph.world().resource::<Decisions>().rows();
            let degraded = rows.iter().filter(|d| d.verdict == Verdict::Degraded);
            self.degraded.borrow_mut().extend(degraded.map(|d| format!("{}: {}", d.rule, d.words())));
        });
    }

    /// Level 0 of a labelled image: rows from row 0, tightly packed.
    ///
    /// # Panics
    /// When it is not there.
    #[must_use]
    pub fn read(&self, label: &str) -> Vec<u8> {
        self.read_level(label, 0)
    }

    /// As [`Stage::read`]; `None` where no image has the label.
    #[must_use]
    pub fn find(&self, label: &str) -> Option<Vec<u8>> {
        self.sink.with_graph(|graph| graph.read_labelled(label, 0)).ok().map(|image| image.bytes)
    }

    /// A level of a labelled image: layers (or slices) one after another, rows from row 0, tightly packed.
    ///
    /// # Panics
    /// When it is not there.
    #[must_use]
    pub fn read_level(&self, label: &str, level: u8) -> Vec<u8> {
        self.sink.with_graph(|graph| graph.read_labelled(label, level)).unwrap_or_else(|e| panic!("{e}")).bytes
    }

    /// Words of a buffer as the GPU sees them: copied into a texture in the order of commands, and read back.
    #[must_use]
    pub fn read_words(&self, address: u64, words: usize) -> Vec<u32> {
        let label = format!("words{}", self.used.get());
        // Rows of 1024 words once one row does not hold them.
        let (width, rows) = if words <= 1024 { (words, 1) } else { (1024, words.div_ceil(1024)) };
        let texture = self.texture(&label, TextureSpec::d2(format::R32UI, width as u32, rows as u32));
        let commands = self.begin();
        commands.call("nvnCommandBufferBarrier", &[nvn::BARRIER_ALL]);
        let region = self.api.place(&[Region { offset: [0; 3], extent: [width as i32, rows as i32, 1] }], 4);
        commands.call("nvnCommandBufferCopyBufferToTexture", &[address, texture, 0, region, 0]);
        commands.submit();
        self.read(&label).chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
    }

    /// Looks at the graph.
    pub fn with_graph<R>(&self, look: impl FnOnce(&mut Graph) -> R) -> R {
        self.sink.with_graph(look)
    }

    /// What the stream checker and the decoder had to say so far, and what no rule could give in full.
    #[must_use]
    pub fn complaints(&self) -> Vec<String> {
        let totals = self.sink.totals();
        totals.hazards.into_iter().chain(totals.diagnostics).chain(self.degraded.borrow().iter().cloned()).collect()
    }

    /// What no rule could give in full so far; [`prove`] no longer counts it as a complaint.
    #[must_use]
    pub fn take_degraded(&self) -> Vec<String> {
        self.degraded.take()
    }

    /// Verdicts that a rule gave in the last part.
    #[must_use]
    pub fn verdicts(&self, rule: &str) -> Vec<Verdict> {
        self.with_graph(|graph| {
            let decisions = graph.world().resource::<Decisions>();
            decisions.rows().iter().filter(|d| d.rule == rule).map(|d| d.verdict).collect()
        })
    }
}

/// A command buffer with the calls that nearly every scene makes.
#[derive(Debug)]
pub struct Commands<'a> {
    stage: &'a Stage,
    recorder: CommandRecorder<'a>,
}

impl<'a> Deref for Commands<'a> {
    type Target = CommandRecorder<'a>;

    fn deref(&self) -> &Self::Target {
        &self.recorder
    }
}

impl Commands<'_> {
    /// Sets targets without views, and viewport and scissor to an area from (0, 0).
    pub fn targets(&self, colors: &[u64], depth: Option<u64>, [width, height]: [u32; 2]) {
        let colors: Vec<_> = colors.iter().map(|texture| (*texture, 0)).collect();
        self.set_render_targets(&colors, depth.map(|texture| (texture, 0)));
        self.set_area(0, 0, width, height);
    }

    /// Clears colour target 0 to bytes.
    pub fn clear(&self, color: [u8; 4]) {
        self.clear_color(0, color.map(|c| f32::from(c) / 255.0), 15);
    }

    /// Binds all stages to a new program.
    pub fn program(&self, names: &[&str]) {
        self.call("nvnCommandBufferBindProgram", &[self.stage.program(names), 0x3F]);
    }

    /// Binds values of their own to uniform slot 0 of the vertex and the fragment stage.
    pub fn block<T: bytemuck::NoUninit>(&self, values: &[T]) {
        self.stage.uniform(self, 0, self.stage.buffer(values), size_of_val(values) as u64);
    }

    /// Binds a texture to a slot of the fragment stage.
    pub fn texture(&self, slot: u64, texture: u64, view: u64, sampler: SamplerSpec) {
        let handle = self.stage.handle(texture, view, sampler);
        self.bind_handle(slot, handle);
    }

    /// Binds a handle to a slot of the fragment stage.
    pub fn bind_handle(&self, slot: u64, handle: u64) {
        let pools = self.stage.descriptors();
        self.call("nvnCommandBufferSetTexturePool", &[pools.textures]);
        self.call("nvnCommandBufferSetSamplerPool", &[pools.samplers]);
        self.call("nvnCommandBufferBindTexture", &[nvn::FRAGMENT, slot, handle]);
    }

    /// Binds a texture to an image slot of the fragment stage.
    pub fn image(&self, slot: u64, texture: u64, view: u64) {
        let handle = self.stage.image_handle(texture, view);
        self.call("nvnCommandBufferSetTexturePool", &[self.stage.descriptors().textures]);
        self.call("nvnCommandBufferBindImage", &[nvn::FRAGMENT, slot, handle]);
    }

    /// Binds a storage buffer.
    pub fn storage(&self, stage: u64, slot: u64, address: u64, bytes: u64) {
        self.call("nvnCommandBufferBindStorageBuffer", &[stage, slot, address, bytes]);
    }

    /// Vertex attributes (format, offset, stream) and streams (stride, divisor, address, bytes).
    pub fn vertices(&self, attributes: &[(u32, u64, u64)], streams: &[(u64, u64, u64, u64)]) {
        let api = &self.stage.api;
        let attribute_states = api.alloc(4 * attributes.len() as u64, 8);
        for (n, &(format, offset, stream)) in attributes.iter().enumerate() {
            let state = attribute_states + 4 * n as u64;
            api.call("nvnVertexAttribStateSetDefaults", &[state]);
            api.call("nvnVertexAttribStateSetFormat", &[state, format.into(), offset]);
            api.call("nvnVertexAttribStateSetStreamIndex", &[state, stream]);
        }
        self.call("nvnCommandBufferBindVertexAttribState", &[attributes.len() as u64, attribute_states]);
        let stream_states = api.alloc(8 * streams.len() as u64, 8);
        for (n, &(stride, divisor, address, bytes)) in streams.iter().enumerate() {
            let state = stream_states + 8 * n as u64;
            api.call("nvnVertexStreamStateSetDefaults", &[state]);
            api.call("nvnVertexStreamStateSetStride", &[state, stride]);
            api.call("nvnVertexStreamStateSetDivisor", &[state, divisor]);
            self.call("nvnCommandBufferBindVertexBuffer", &[n as u64, address, bytes]);
        }
        self.call("nvnCommandBufferBindVertexStreamState", &[streams.len() as u64, stream_states]);
    }

    /// Depth test by a function of the API; `None` = no test.
    pub fn depth_test(&self, function: Option<u64>, write: bool) {
        let api = &self.stage.api;
        let state = api.state("nvnDepthStencilStateSetDefaults");
        api.call("nvnDepthStencilStateSetDepthTestEnable", &[state, function.is_some().into()]);
        api.call("nvnDepthStencilStateSetDepthWriteEnable", &[state, write.into()]);
        api.call("nvnDepthStencilStateSetDepthFunc", &[state, function.unwrap_or(nvn::ALWAYS)]);
        self.call("nvnCommandBufferBindDepthStencilState", &[state]);
    }

    /// Stencil test by a function of the API with a reference; writes the reference where it passes.
    pub fn stencil_test(&self, function: u64, reference: u64) {
        let api = &self.stage.api;
        let state = api.state("nvnDepthStencilStateSetDefaults");
        api.call("nvnDepthStencilStateSetDepthWriteEnable", &[state, 0]);
        api.call("nvnDepthStencilStateSetStencilTestEnable", &[state, 1]);
        api.call("nvnDepthStencilStateSetStencilFunc", &[state, nvn::FRONT_AND_BACK, function]);
        let operations = [state, nvn::FRONT_AND_BACK, nvn::KEEP, nvn::KEEP, nvn::REPLACE];
        api.call("nvnDepthStencilStateSetStencilOp", &operations);
        self.call("nvnCommandBufferBindDepthStencilState", &[state]);
        self.call("nvnCommandBufferSetStencilRef", &[nvn::FRONT_AND_BACK, reference]);
    }

    /// Draws a triangle over everything, of the programs that make it from the vertex number.
    pub fn draw_full(&self) {
        self.draw(nvn::TRIANGLES, 3);
    }

    /// Draws the first vertices.
    pub fn draw(&self, primitive: u64, count: u64) {
        self.call("nvnCommandBufferDrawArrays", &[primitive, 0, count]);
    }

    /// Orders everything and lets everything be seen.
    pub fn barrier(&self) {
        self.call("nvnCommandBufferBarrier", &[nvn::BARRIER_ALL]);
    }

    /// Ends the command buffer and submits it.
    pub fn submit(self) {
        self.stage.submit(self.recorder);
    }
}

/// Fresh memory and undefined values of shaders are visibly wrong.
const POISON: Lines = Lines(Lines::FRESH.0 | Lines::INTERFACES.0);

/// Seeds of the hostile executor that each hostile proof runs with.
const SEEDS: u64 = 8;

/// Draws a scene: its bytes, and complaints; `None` where there is no device.
///
/// # Panics
/// When the graph cannot run on a device that is there.
pub fn drawn(scene: &impl Fn(&Stage) -> Vec<u8>, setup: &Setup) -> Option<(Vec<u8>, Vec<String>)> {
    let stage = Stage::new(setup).unwrap_or_else(|e| panic!("{e}"))?;
    let bytes = scene(&stage);
    Some((bytes, stage.complaints()))
}

fn expect(bytes: &[u8], expected: &[u8], setup: &Setup) {
    if bytes != expected {
        let at = bytes.iter().zip(expected).position(|(a, b)| a != b);
        let near = |all: &[u8]| at.map(|n| all[n..all.len().min(n + 16)].to_vec());
        panic!(
            "with the rule on ({setup:?}): {} bytes, expected {}; first difference at {at:?}: {:?} instead of {:?}",
            bytes.len(),
            expected.len(),
            near(bytes),
            near(expected)
        );
    }
}

/// Draws a scene with the rule, then under each mutant.
///
/// With the rule it is drawn twice: as the product draws it, where the stream checker must have nothing to say, and on a device where fresh memory and
/// undefined values of shaders are visibly wrong; so is a mutant that comes out right as the product draws it.
///
/// # Panics
/// When the picture with the rule is not the expected one, when the checker complains, or when a mutant gives the same picture.
pub fn prove(scene: impl Fn(&Stage) -> Vec<u8>, expected: &[u8], mutants: &[Setup]) {
    let plain = Setup::default();
    let Some((bytes, complaints)) = drawn(&scene, &plain) else { return };
    assert!(complaints.is_empty(), "complaints with the rule on: {complaints:?}");
    expect(&bytes, expected, &plain);
    let poisoned = plain.on(POISON);
    if let Some((bytes, _)) = drawn(&scene, &poisoned) {
        expect(&bytes, expected, &poisoned);
    }
    for mutant in mutants {
        let differs = |setup: &Setup| drawn(&scene, setup).is_none_or(|(bytes, _)| bytes != expected);
        // A driver may happen to be right where Vulkan says nothing.
        let noticed = differs(mutant) || (mutant.hostile == Lines::default() && differs(&mutant.clone().on(POISON)));
        assert!(noticed, "the scene does not notice {mutant:?}");
    }
}

/// As [`prove`]; with the rule the scene must also come out under everything hostile with each of eight seeds, and the mutants are drawn under it too.
///
/// # Panics
/// As [`prove`].
pub fn prove_hostile(scene: impl Fn(&Stage) -> Vec<u8>, expected: &[u8], mutants: &[Setup]) {
    let mutants: Vec<Setup> = mutants.iter().map(|mutant| mutant.clone().on(Lines::ALL)).collect();
    prove(&scene, expected, &mutants);
    for seed in 0..SEEDS {
        let setup = Setup { hostile: Lines::ALL, seed, ..Setup::default() };
        if let Some((bytes, _)) = drawn(&scene, &setup) {
            expect(&bytes, expected, &setup);
        }
    }
}

/// A mutant by a row's knob.
#[must_use]
pub fn knob(row: &'static str) -> Setup {
    Setup { knobs: vec![row], ..Setup::default() }
}

/// A mutant by switching a system off.
#[must_use]
pub fn off(rule: &'static str) -> Setup {
    Setup { rules_off: vec![rule], ..Setup::default() }
}
