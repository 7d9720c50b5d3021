//! The executor: walks a Plan and records Vulkan. It holds no rule; where it needs one, the graph lacks a component.

mod clears;
mod draws;
mod hostile;
mod overlay;
mod passes;
mod present;
mod transfers;
mod window;

use crate::device::Device;
use crate::error::{ExecuteError, Named};
use crate::frames::{FRAMES, Frame, Interleave, Pending, TIMED_PASSES};
use crate::gpu::{Counters, Fault, Gpu, Memory, TO_HOST};
use crate::hostile::shadows::Hostile;
use crate::hostile::{HostileOptions, Lines};
use crate::pipelines::{Made, PassFormats, PipelineCache};
use crate::resources::{POOL_USAGE, Resources};
use crate::stream::{Bytes, Event};
use ash::vk;
use bevy_ecs::prelude::Resource;
use bevy_ecs::world::World;
use framegraph::ids::{NodeId, PassId, ResourceId};
use framegraph::pass::PassPool;
use framegraph::plan::{ComputePipelines, Pipelines, Plan, Step};
use framegraph::tables::{
    Bindings, Clears, Copies, Dispatches, Downloads, Draws, NodeKind, Nodes, Presents, ShaderModules, Signals, Slices,
    Snapshots, States, Uploads, node_flags,
};
use std::sync::Arc;

pub(crate) use present::plain;

pub use overlay::{Look, LookRequest, OVERLAY_FORMAT, OverlayTarget};

/// How to run.
#[derive(Debug, Clone, Default)]
pub struct ExecutorOptions {
    /// Whether the emitted stream is logged, for [`crate::checker`].
    pub log: bool,
    /// Whether passes are timed.
    pub timestamps: bool,
    /// Bytes of the driver's pipeline cache of an earlier run; empty = none.
    pub pipeline_cache: Vec<u8>,
    /// The hostile mode, for tests.
    pub hostile: Option<HostileOptions>,
    /// Completions come out in any order, as host fences are noticed: a mutant of row M-4.3, for tests.
    pub any_order: bool,
}

/// A part that was handed to the GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Submitted {
    /// Its number, from 1 on: see [`Executor::wait`].
    pub serial: u64,
    /// What it cost.
    pub counters: Counters,
}

/// What the GPU has passed, in the plan's order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Completion {
    /// A signal.
    Signal {
        /// Its tag.
        tag: u64,
    },
    /// Bytes of a download, tightly packed.
    Download {
        /// Its tag.
        tag: u64,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// A present.
    Present {
        /// Presents so far, this one included.
        number: u64,
    },
    /// All of a part.
    Part {
        /// Its serial.
        serial: u64,
    },
}

/// A picture: tight rows of RGBA8, row 0 at the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screenshot {
    /// Width and height in pixels.
    pub extent: [u32; 2],
    /// 4 bytes per pixel.
    pub rgba: Vec<u8>,
}

/// Time that a pass took on the GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PassTime {
    /// Serial of its part: see [`Submitted::serial`].
    pub serial: u64,
    /// The pass, by its id in its part.
    pub pass: PassId,
    /// Start, in nanoseconds of the device's clock.
    pub start: u64,
    /// End.
    pub end: u64,
}

/// The tables of a part.
#[derive(Clone, Copy)]
pub(crate) struct Part<'w> {
    pub(crate) world: &'w World,
    pub(crate) plan: &'w Plan,
    pub(crate) nodes: &'w Nodes,
    pub(crate) draws: &'w Draws,
    pub(crate) states: &'w States,
    pub(crate) bindings: &'w Bindings,
    pub(crate) slices: &'w Slices,
    pub(crate) snapshots: &'w Snapshots,
    pub(crate) dispatches: &'w Dispatches,
    pub(crate) copies: &'w Copies,
    pub(crate) clears: &'w Clears,
    pub(crate) uploads: &'w Uploads,
    pub(crate) downloads: &'w Downloads,
    pub(crate) signals: &'w Signals,
    pub(crate) presents: &'w Presents,
    pub(crate) modules: &'w ShaderModules,
    pub(crate) pipelines: &'w Pipelines,
    pub(crate) compute: &'w ComputePipelines,
    pub(crate) passes: &'w PassPool,
    pub(crate) serial: u64,
}

fn table<'w, T: Resource>(world: &'w World, name: &str) -> Result<&'w T, ExecuteError> {
    world
        .get_resource::<T>()
        .ok_or_else(|| ExecuteError::BadPlan { step: 0, what: format!("the world has no table {name}") })
}

impl<'w> Part<'w> {
    fn of(world: &'w World, serial: u64) -> Result<Self, ExecuteError> {
        Ok(Self {
            world,
            plan: table(world, "Plan")?,
            nodes: table(world, "Nodes")?,
            draws: table(world, "Draws")?,
            states: table(world, "States")?,
            bindings: table(world, "Bindings")?,
            slices: table(world, "Slices")?,
            snapshots: table(world, "Snapshots")?,
            dispatches: table(world, "Dispatches")?,
            copies: table(world, "Copies")?,
            clears: table(world, "Clears")?,
            uploads: table(world, "Uploads")?,
            downloads: table(world, "Downloads")?,
            signals: table(world, "Signals")?,
            presents: table(world, "Presents")?,
            modules: table(world, "ShaderModules")?,
            pipelines: table(world, "Pipelines")?,
            compute: table(world, "ComputePipelines")?,
            passes: table(world, "PassPool")?,
            serial,
        })
    }
}

/// Walks plans. Belongs to one thread at a time.
pub struct Executor {
    pub(crate) gpu: Gpu,
    pub(crate) resources: Resources,
    pub(crate) pipelines: PipelineCache,
    frames: Vec<Frame>,
    slot: usize,
    serial: u64,
    timeline: vk::Semaphore,
    ready: Vec<Completion>,
    times: Vec<PassTime>,
    ticks: Vec<u64>,
    timestamps: bool,
    any_order: bool,
    /// Snapshot bytes of the open part, in staging.
    snapshot: Bytes,
    /// Pipelines of the open part by row, with the formats they were resolved for.
    rows: Vec<Option<(u32, Made)>>,
    compute_rows: Vec<Option<Made>>,
    formats: Vec<PassFormats>,
    open: Option<passes::OpenPass>,
    tracked: draws::Tracked,
    present: present::Presenter,
    stand_ins: draws::StandIns,
    clear_pipelines: clears::ClearPipelines,
    columns: transfers::Columns,
    presented: u64,
    step: usize,
    last_counters: Counters,
    pub(crate) hostile: Option<Box<Hostile>>,
    /// Pools on their way to the host, of the hostile mode: slot, chunk, place, resource, part.
    /// Attachments of the open pass that its draws sample, of the hostile mode.
    pub(crate) feedback: Vec<ResourceId>,
    /// What the timeline was seen to have reached.
    completed: u64,
    pools_out: Vec<(usize, usize, Bytes, ResourceId, u64)>,
}

impl Executor {
    /// Makes an executor.
    ///
    /// # Errors
    /// Out of memory.
    pub fn new(device: Arc<Device>, options: &ExecutorOptions) -> Result<Self, ExecuteError> {
        let mut gpu = Gpu::new(device, options.log);
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let create = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        // SAFETY: complete create info.
        let timeline = unsafe { gpu.device.raw.create_semaphore(&create, None) }.named("vkCreateSemaphore")?;
        let mut pipelines = PipelineCache::default();
        pipelines.open(&gpu, &options.pipeline_cache)?;
        let mut frames = Vec::with_capacity(FRAMES);
        for _ in 0..FRAMES {
            frames.push(Frame::new(&gpu)?);
        }
        let hostile = options.hostile.map(|h| Box::new(Hostile::new(h)));
        let has = |lines| hostile.as_ref().is_some_and(|h| h.has(lines));
        let stand_ins = draws::StandIns::new(&mut gpu, has(Lines::INTERFACES))?;
        let mut resources = Resources::default();
        resources.keep_fresh = has(Lines::FRESH);
        pipelines.rewrite = has(Lines::INTERFACES);
        Ok(Self {
            gpu,
            resources,
            pipelines,
            frames,
            slot: 0,
            serial: 0,
            timeline,
            ready: Vec::new(),
            times: Vec::new(),
            ticks: Vec::new(),
            timestamps: options.timestamps,
            any_order: options.any_order,
            snapshot: Bytes { buffer: vk::Buffer::null(), offset: 0, length: 0 },
            rows: Vec::new(),
            compute_rows: Vec::new(),
            formats: Vec::new(),
            open: None,
            tracked: draws::Tracked::default(),
            present: present::Presenter::default(),
            stand_ins,
            clear_pipelines: clears::ClearPipelines::default(),
            columns: transfers::Columns::default(),
            presented: 0,
            step: 0,
            last_counters: Counters::default(),
            hostile,
            feedback: Vec::new(),
            completed: 0,
            pools_out: Vec::new(),
        })
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Arc<Device> {
        &self.gpu.device
    }

    /// Host objects alive: images and buffers of the graph.
    #[must_use]
    pub fn resource_count(&self) -> usize {
        self.resources.len()
    }

    /// Pipelines in the cache.
    #[must_use]
    pub fn pipeline_count(&self) -> usize {
        self.pipelines.len()
    }

    /// The driver's pipeline cache as bytes, for [`ExecutorOptions::pipeline_cache`] of the next run.
    #[must_use]
    pub fn pipeline_cache(&self) -> Vec<u8> {
        self.pipelines.bytes(&self.gpu)
    }

    /// The counters of the last part.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.last_counters
    }

    /// Hands out the log of the emitted stream since the last call.
    pub fn take_log(&mut self) -> Vec<Event> {
        self.gpu.log.take()
    }

    /// Plants a fault into what is emitted next, which the checker must report. For runs that prove the checker.
    pub fn plant(&mut self, fault: Fault) {
        self.gpu.fault = fault;
    }

    /// Makes the buffer of a pool over memory of the process instead of the device's own, from its first use on: the GPU then reads and writes that memory.
    ///
    /// The driver is asked on first use; where it refuses, the part fails with [`ExecuteError::Lacks`]. Ask [`Device::features`] first.
    ///
    /// # Safety
    /// `pointer..pointer + size` (both multiples of [`crate::device::Limits::host_import_alignment`]) stays mapped until the resource has retired and
    /// its last part is done, and no Rust reference into it exists meanwhile.
    pub unsafe fn import_pool(&mut self, resource: ResourceId, pointer: std::ptr::NonNull<u8>, size: u64) {
        match self.hostile.as_mut().filter(|h| h.has(Lines::TIME)) {
            Some(h) => drop(h.pools.insert(resource, (pointer.as_ptr() as usize, vec![0; size as usize]))),
            None => self.resources.import(resource, pointer.as_ptr() as usize, size),
        }
    }

    /// Executes the part in the world: records all steps of its plan and hands them to the GPU.
    ///
    /// # Errors
    /// What the plan asks and cannot be done; the part is then not handed over, and the executor can go on with another.
    pub fn execute(&mut self, world: &World) -> Result<Submitted, ExecuteError> {
        let serial = self.serial + 1;
        let part = Part::of(world, serial)?;
        self.poll()?;
        let slot = self.slot;
        let waits_for = self.frames[slot].serial;
        self.wait_gpu(waits_for)?;
        if self.pools_out.iter().any(|p| p.0 == slot) {
            self.release_late(true);
        }
        self.gpu.collect(waits_for);
        self.resources.sweep(&mut self.gpu, world);
        self.gpu.counters = Counters::default();
        self.frames[slot].reset(&mut self.gpu)?;
        self.begin_part(&part)?;
        let cb = self.frames[slot].cb;
        self.gpu.begin(cb)?;
        let result = self.record(&part);
        if let Err(error) = result {
            self.abandon();
            return Err(error);
        }
        self.stage_pools_out(&part)?;
        self.finish_reads();
        self.gpu.submit(self.timeline, serial)?;
        self.serial = serial;
        self.frames[slot].serial = serial;
        self.frames[slot].reported = false;
        self.slot = (slot + 1) % FRAMES;
        self.last_counters = self.gpu.counters;
        Ok(Submitted { serial, counters: self.gpu.counters })
    }

    fn begin_part(&mut self, part: &Part<'_>) -> Result<(), ExecuteError> {
        self.rows.clear();
        self.rows.resize(part.pipelines.keys.len(), None);
        self.compute_rows.clear();
        self.compute_rows.resize(part.compute.variants.len(), None);
        self.tracked.forget();
        self.open = None;
        self.step = 0;
        self.present.in_part = false;
        let frame = &mut self.frames[self.slot];
        frame.pending.clear();
        frame.pending_steps.clear();
        self.snapshot = if part.snapshots.bytes.is_empty() {
            Bytes { buffer: vk::Buffer::null(), offset: 0, length: 0 }
        } else {
            self.gpu.counters.upload_bytes += part.snapshots.bytes.len() as u64;
            frame.staging.put(&mut self.gpu, &part.snapshots.bytes, 256)?
        };
        Ok(())
    }

    /// Drops what was recorded of a part that cannot be finished.
    fn abandon(&mut self) {
        if self.open.take().is_some() {
            self.gpu.end_rendering();
        }
        let frame = &mut self.frames[self.slot];
        frame.pending.clear();
        // SAFETY: the buffer is in recording; the pool is reset before its next use.
        let _ = unsafe { self.gpu.device.raw.end_command_buffer(frame.cb) };
    }

    fn record(&mut self, part: &Part<'_>) -> Result<(), ExecuteError> {
        if self.timestamps && self.frames[self.slot].queries != vk::QueryPool::null() {
            self.gpu.reset_queries(self.frames[self.slot].queries, TIMED_PASSES * 2);
        }
        self.stand_ins.prepare(&mut self.gpu);
        self.hostile_prepare(part)?;
        let order = match &self.hostile {
            Some(h) if h.has(Lines::ORDER) => Some(crate::hostile::shuffled(&part.plan.steps, h.options.seed)),
            _ => None,
        };
        for k in 0..part.plan.steps.len() {
            let n = order.as_ref().map_or(k, |o| o[k]);
            self.step = n;
            match part.plan.steps[n] {
                Step::Barrier(row) => self.barrier(part, row, false)?,
                Step::SelfBarrier(row) => self.barrier(part, row, true)?,
                Step::BeginPass(pass) => self.begin_pass(part, pass)?,
                Step::EndPass(pass) => self.end_pass(pass)?,
                Step::Node(node) => self.node(part, node)?,
            }
        }
        if self.open.is_some() {
            return Err(self.bad("the plan ends inside a pass"));
        }
        if order.is_some() {
            self.frames[self.slot].sort_pending();
        }
        Ok(())
    }

    pub(crate) fn bad(&self, what: impl Into<String>) -> ExecuteError {
        ExecuteError::BadPlan { step: self.step, what: what.into() }
    }

    fn node(&mut self, part: &Part<'_>, node: NodeId) -> Result<(), ExecuteError> {
        self.run(part, node)?;
        if self.hostile.is_some() {
            self.hostile_wrote(part, node);
        }
        Ok(())
    }

    /// Opens a part of the executor's own, behind all others; its slot and serial.
    fn open_own_part(&mut self) -> Result<(usize, u64), ExecuteError> {
        let slot = self.slot;
        let waits_for = self.frames[slot].serial;
        self.wait_gpu(waits_for)?;
        if self.pools_out.iter().any(|p| p.0 == slot) {
            self.release_late(true);
        }
        self.gpu.collect(waits_for);
        self.frames[slot].reset(&mut self.gpu)?;
        self.gpu.begin(self.frames[slot].cb)?;
        Ok((slot, self.serial + 1))
    }

    fn close_own_part(&mut self, slot: usize, serial: u64) -> Result<(), ExecuteError> {
        self.close_own_part_with(slot, serial, None)
    }

    fn close_own_part_with(
        &mut self,
        slot: usize,
        serial: u64,
        window: Option<(vk::Semaphore, vk::Semaphore)>,
    ) -> Result<(), ExecuteError> {
        self.gpu.submit_with(self.timeline, serial, window)?;
        self.serial = serial;
        self.frames[slot].serial = serial;
        self.slot = (slot + 1) % FRAMES;
        Ok(())
    }

    /// Something completes with the part.
    pub(crate) fn pend(&mut self, pending: Pending) {
        let step = self.step;
        let frame = &mut self.frames[self.slot];
        frame.pending.push(pending);
        frame.pending_steps.push(step);
    }

    fn run(&mut self, part: &Part<'_>, node: NodeId) -> Result<(), ExecuteError> {
        let n = node.index();
        if n >= part.nodes.len() {
            return Err(self.bad(format!("{node:?} is not in the table of nodes")));
        }
        if part.nodes.flags[n] & (node_flags::SKIPPED | node_flags::FOLDED) != 0 {
            return Ok(());
        }
        let row = part.nodes.payload[n] as usize;
        let kind = part.nodes.kind[n];
        let in_pass = matches!(kind, NodeKind::Draw | NodeKind::Clear | NodeKind::Signal | NodeKind::Barrier);
        if self.open.is_some() && !in_pass {
            return Err(self.bad(format!("{node:?} ({kind:?}) inside a pass")));
        }
        let missing =
            |what: &str| ExecuteError::BadPlan { step: self.step, what: format!("{node:?}: no row {row} of {what}") };
        match kind {
            NodeKind::Draw if row < part.draws.len() => self.draw(part, node, row),
            NodeKind::Draw => Err(missing("Draws")),
            NodeKind::Dispatch => {
                let dispatch = *part.dispatches.rows.get(row).ok_or_else(|| missing("Dispatches"))?;
                self.dispatch(part, node, &dispatch)
            }
            NodeKind::Copy => {
                let copy = *part.copies.rows.get(row).ok_or_else(|| missing("Copies"))?;
                self.copy(part, node, &copy)
            }
            NodeKind::Clear => {
                let clear = *part.clears.rows.get(row).ok_or_else(|| missing("Clears"))?;
                self.clear(part, node, &clear)
            }
            NodeKind::Upload => {
                let upload = *part.uploads.rows.get(row).ok_or_else(|| missing("Uploads"))?;
                self.upload(part, node, &upload)
            }
            NodeKind::Download => {
                let download = *part.downloads.rows.get(row).ok_or_else(|| missing("Downloads"))?;
                self.download(part, node, &download)
            }
            NodeKind::Signal => {
                let tag = *part.signals.rows.get(row).ok_or_else(|| missing("Signals"))?;
                self.pend(Pending::Signal(tag));
                Ok(())
            }
            NodeKind::Present => {
                let present = *part.presents.rows.get(row).ok_or_else(|| missing("Presents"))?;
                self.present(part, node, &present)
            }
            // The overlay is drawn by whoever owns it, at the place that its node has.
            NodeKind::Overlay => {
                self.present.overlay_first = !self.present.in_part;
                Ok(())
            }
            // What the game's barriers mean is in the plan's batches.
            NodeKind::Barrier => Ok(()),
        }
    }

    /// The executor's own read-back copies become visible to the host.
    fn finish_reads(&mut self) {
        let frame = &self.frames[self.slot];
        if frame.pending.iter().any(|p| matches!(p, Pending::Download { .. })) {
            self.gpu.barrier(Some(TO_HOST), &[], false);
        }
    }

    /// Waits until the part with this serial is done.
    ///
    /// # Errors
    /// Device lost.
    pub fn wait(&mut self, serial: u64) -> Result<(), ExecuteError> {
        self.wait_gpu(serial)?;
        self.release_late(true);
        Ok(())
    }

    fn wait_gpu(&mut self, serial: u64) -> Result<(), ExecuteError> {
        if serial == 0 {
            return Ok(());
        }
        let semaphores = [self.timeline];
        let values = [serial];
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        // SAFETY: the semaphore lives; the value was handed to the queue before.
        unsafe { self.gpu.device.raw.wait_semaphores(&info, u64::MAX) }.named("vkWaitSemaphores")?;
        self.look()
    }

    /// Looks what the GPU has passed, and makes it ready for [`Executor::completions`].
    ///
    /// # Errors
    /// Device lost.
    pub fn poll(&mut self) -> Result<(), ExecuteError> {
        self.look()?;
        self.release_late(false);
        Ok(())
    }

    fn look(&mut self) -> Result<(), ExecuteError> {
        // SAFETY: the semaphore lives.
        let value = unsafe { self.gpu.device.raw.get_semaphore_counter_value(self.timeline) }
            .named("vkGetSemaphoreCounterValue")?;
        self.gpu.log.push(|| Event::Waited { value });
        self.completed = value;
        loop {
            // Slots complete in the order of their serials.
            let next = self
                .frames
                .iter()
                .enumerate()
                .filter(|(_, f)| f.serial <= value && !f.reported)
                .min_by_key(|(_, f)| f.serial)
                .map(|(n, _)| n);
            let Some(n) = next else { break };
            let serial = self.frames[n].serial;
            let mut pending = std::mem::take(&mut self.frames[n].pending);
            if self.any_order {
                pending.reverse();
            }
            for item in pending.drain(..) {
                let done = match item {
                    Pending::Signal(tag) => Completion::Signal { tag },
                    Pending::Present(number) => Completion::Present { number },
                    Pending::Download { tag, planes, interleave } => {
                        Completion::Download { tag, bytes: self.read_planes(n, &planes, interleave) }
                    }
                };
                self.delay(done);
            }
            self.frames[n].pending = pending;
            self.frames[n].reported = true;
            self.read_times(n);
            self.delay(Completion::Part { serial });
        }
        Ok(())
    }

    fn read_planes(&mut self, slot: usize, planes: &[(usize, Bytes)], interleave: Option<Interleave>) -> Vec<u8> {
        let mut parts: smallvec::SmallVec<[Vec<u8>; 2]> = smallvec::SmallVec::new();
        for (chunk, place) in planes {
            let mut bytes = Vec::with_capacity(place.length as usize);
            let buffer = self.frames[slot].readback.chunk_mut(*chunk);
            self.gpu.read(buffer, place.offset, place.length, &mut bytes);
            parts.push(bytes);
        }
        match (interleave, parts.as_slice()) {
            (Some(how), [depth, stencil]) => {
                let mut out = Vec::with_capacity(depth.len() * 2);
                for (d, s) in depth.chunks_exact(4).zip(stencil) {
                    match how {
                        Interleave::D24S8 => out.extend_from_slice(&[d[0], d[1], d[2], *s]),
                        Interleave::D32S8 => out.extend_from_slice(&[d[0], d[1], d[2], d[3], *s, 0, 0, 0]),
                    }
                }
                out
            }
            _ => parts.concat(),
        }
    }

    fn read_times(&mut self, slot: usize) {
        let frame = &mut self.frames[slot];
        if frame.timed.is_empty() {
            return;
        }
        let serial = frame.serial;
        let values = &mut self.ticks;
        values.clear();
        values.resize(frame.timed.len() * 2, 0u64);
        // SAFETY: the queries were written by a part that is done.
        let result = unsafe {
            self.gpu.device.raw.get_query_pool_results(frame.queries, 0, values, vk::QueryResultFlags::TYPE_64)
        };
        if result.is_ok() {
            let period = f64::from(self.gpu.device.limits.timestamp_period);
            let nanoseconds = |ticks: u64| (ticks as f64 * period) as u64;
            self.times.extend(frame.timed.iter().zip(values.chunks_exact(2)).map(|(&pass, v)| PassTime {
                serial,
                pass,
                start: nanoseconds(v[0]),
                end: nanoseconds(v[1]),
            }));
        }
        frame.timed.clear();
    }

    /// Hands out what has completed since the last call, in the plan's order.
    pub fn completions(&mut self) -> impl Iterator<Item = Completion> + '_ {
        self.ready.drain(..)
    }

    /// Whether passes are timed from the next part on.
    pub fn set_timestamps(&mut self, on: bool) {
        self.timestamps = on;
        if !on {
            self.times.clear();
        }
    }

    /// Hands out the times of passes that have completed since the last call.
    pub fn pass_times(&mut self) -> impl Iterator<Item = PassTime> + '_ {
        self.times.drain(..)
    }

    /// Waits for everything, and lets go of what waited for it.
    ///
    /// # Errors
    /// Device lost.
    pub fn finish(&mut self) -> Result<(), ExecuteError> {
        self.wait(self.serial)?;
        self.gpu.collect(self.serial);
        Ok(())
    }

    /// A buffer of equal bytes.
    pub(crate) fn filled_buffer(gpu: &mut Gpu, size: u64, byte: u8) -> Result<crate::gpu::Buffer, ExecuteError> {
        let mut buffer = gpu.create_buffer(size, POOL_USAGE, Memory::Upload)?;
        gpu.write(&mut buffer, 0, &vec![byte; size as usize]);
        Ok(buffer)
    }
}

impl Drop for Executor {
    fn drop(&mut self) {
        let _ = self.gpu.device.wait_idle();
        self.resources.clear(&mut self.gpu);
        if let Some(mut hostile) = self.hostile.take() {
            hostile.destroy(&mut self.gpu);
        }
        self.gpu.collect(u64::MAX);
        for frame in &mut self.frames {
            frame.destroy(&mut self.gpu);
        }
        self.present.destroy(&mut self.gpu);
        self.stand_ins.destroy(&mut self.gpu);
        self.clear_pipelines.destroy(&self.gpu);
        self.pipelines.destroy(&self.gpu);
        // SAFETY: the device is idle.
        unsafe { self.gpu.device.raw.destroy_semaphore(self.timeline, None) };
    }
}
