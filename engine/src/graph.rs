//! The graph of a running title or of a replay: one World, one schedule, one executor.
//!
//! A part goes in as records; its nodes are made, normalised, ordered and executed. The caller owns the thread.

mod keyframe;

pub use keyframe::Taken;

use crate::live::{self, Kept};
use crate::screen::Screen;
use bevy_ecs::prelude::{IntoScheduleConfigs, World};
use bevy_ecs::schedule::Schedule;
use ferrograph_overlay::draw_overlay::{OverlayOpen, draw_overlay};
use ferrograph_overlay::render::OverlayRenderer;
use ferrograph_overlay::{Overlay, profile};
use ferrograph_vulkan::checker::StreamChecker;
use ferrograph_vulkan::gpu::Fault;
use ferrograph_vulkan::hostile::HostileOptions;
use ferrograph_vulkan::{
    Completion, Device, DeviceError, DeviceOptions, ExecuteError, Executor, ExecutorOptions, Screenshot, WindowError,
};
use framegraph::ids::{ResourceId, Seq};
use framegraph::resource::{ImageDesc, Label, ResourceKind};
use framegraph::rule::Switches;
use framegraph::state::{Aspects, Format, Subresources};
use framegraph::tables::{Download, Downloads, NodeKind, Nodes};
use nvn_decode::ingest::PartInfo;
use nvn_decode::memory::Guest;
use nvn_decode::raw::RawPart;
use std::sync::Arc;
use systems::run::{Engine, Slots};
use systems::state::maxwell::Maxwell;

/// How to run.
#[derive(Debug, Clone, Default)]
pub struct GraphOptions {
    /// The device.
    pub device: DeviceOptions,
    /// Whether every emitted command is checked for hazards.
    pub check: bool,
    /// This barrier command, counted from the first of the run, is not emitted: a checked run must say so.
    pub drop_barrier: Option<u32>,
    /// Whether passes are timed on the GPU from the start; an open overlay times them in any case.
    pub timestamps: bool,
    /// Systems switched on or off, by name.
    pub rules: Vec<(String, bool)>,
    /// Mutants of catalogue rows that are on.
    pub knobs: Vec<String>,
    /// Whether the overlay is open from the start.
    pub overlay: bool,
    /// Whether shaders round a product and the sum it goes into each, to compare with a host that has no fused operation.
    pub separate_rounding: bool,
    /// The hostile mode of the executor, for tests.
    pub hostile: Option<HostileOptions>,
}

/// Why the graph cannot run.
#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    /// No device.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The executor failed.
    #[error(transparent)]
    Execute(#[from] ExecuteError),
    /// The overlay cannot be drawn.
    #[error("the overlay cannot be drawn: {0}")]
    Overlay(String),
    /// The window cannot be drawn to.
    #[error(transparent)]
    Window(#[from] WindowError),
    /// A frame could not be exported.
    #[error("frame {frame} could not be exported: {why}")]
    Export {
        /// The frame.
        frame: u64,
        /// What went wrong.
        why: String,
    },
    /// No image has this label.
    #[error("no image of the graph is labelled \"{0}\"")]
    NoImage(String),
}

/// What a part did.
#[derive(Debug, Clone, Default)]
pub struct PartReport {
    /// Tags of signals that completed since the last report, in order.
    pub signals: Vec<u64>,
    /// Presents in the part.
    pub presents: u32,
    /// Present interval of the last of them: blanks of a 60 Hz display.
    pub interval: u32,
    /// What was wrong in the records.
    pub diagnostics: Vec<String>,
    /// Hazards that the stream checker found.
    pub hazards: Vec<String>,
    /// Hazards planted into a copy of the stream.
    pub planted: u32,
    /// Those among them that the checker did not report.
    pub missed: u32,
}

/// An image as it was read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadBack {
    /// Its label.
    pub label: String,
    /// What it is.
    pub desc: ImageDesc,
    /// One level: layers (or slices) one after another, rows from row 0, tightly packed.
    pub bytes: Vec<u8>,
}

/// Frames between two that hazards are planted into a copy of, in a checked run.
const PLANT_EVERY: u64 = 16;
/// Hazards planted into each part of such a frame, one after another.
const PLANTS: usize = 2;
/// From one planted hazard to the next among the places for them: a prime, so that all come up in time.
const PLANT_STRIDE: usize = 13;

/// The graph.
pub struct Graph {
    pub(crate) world: World,
    engine: Engine,
    downloads: Schedule,
    pub(crate) executor: Executor,
    checker: Option<StreamChecker>,
    /// Number of the first part of the last frame, and whether the next part begins a frame.
    frame_parts: (u64, bool),
    /// Signals and hazards of read backs, until a part reports them.
    late: PartReport,
    /// Hazards planted so far.
    planted: usize,
    pub(crate) overlay: Overlay,
    /// Frames presented.
    pub(crate) frames: u64,
    /// The frame that is being made, for exports.
    pub(crate) kept: Kept,
    pub(crate) screen: Option<Screen>,
    pub(crate) timestamps: bool,
    pub(crate) interval: u32,
}

impl std::fmt::Debug for Graph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Graph").finish_non_exhaustive()
    }
}

impl Graph {
    /// A graph that reads guest memory through `guest`.
    ///
    /// # Errors
    /// When there is no device, or a switch names no system.
    pub fn new(options: &GraphOptions, guest: Guest) -> Result<Self, GraphError> {
        let device = Device::new(&options.device)?;
        let mut world = World::new();
        let maxwell = Maxwell { separate_rounding: options.separate_rounding, ..Maxwell::default() };
        systems::run::install(&mut world, guest, Arc::new(maxwell));
        world.insert_resource(device.caps.clone());
        {
            let mut switches = world.resource_mut::<Switches>();
            for (name, on) in &options.rules {
                switches.set_rule(name, *on);
            }
            for row in &options.knobs {
                switches.set_knob(row, true);
            }
        }
        world.insert_resource(OverlayOpen(options.overlay));
        let mut overlay = Overlay::new(systems::table::TABLE.iter().map(|entry| entry.rule));
        if options.overlay {
            overlay.set_open(true);
        }
        let slots = Slots {
            draw_overlay: Some(draw_overlay.into_configs()),
            observe: Some(profile::phase),
            ..Slots::default()
        };
        let timestamps = options.timestamps || options.overlay;
        let fault = options.drop_barrier.map_or(Fault::None, Fault::DropBarrier);
        let executor_options = ExecutorOptions {
            log: options.check,
            timestamps,
            hostile: options.hostile,
            any_order: options.knobs.iter().any(|row| row == "M-4.3"),
            ..ExecutorOptions::default()
        };
        let mut executor = Executor::new(device, &executor_options)?;
        executor.plant(fault);
        Ok(Self {
            world,
            engine: Engine::new(slots),
            downloads: systems::schedule::hazards_to_plan(),
            executor,
            checker: options.check.then(StreamChecker::default),
            overlay,
            planted: 0,
            frames: 0,
            frame_parts: (1, true),
            late: PartReport::default(),
            kept: Kept::default(),
            screen: None,
            timestamps: options.timestamps,
            interval: 1,
        })
    }

    /// The world, for the overlay, exports and tests.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, for switches.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// The executor.
    pub fn executor(&mut self) -> &mut Executor {
        &mut self.executor
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Arc<Device> {
        self.executor.device()
    }

    /// Runs records: one part, or several when the records hold [`nvn_decode::record::Op::PartEnd`].
    ///
    /// # Errors
    /// When the executor fails; the part is lost then.
    pub fn run(&mut self, stream: &[u8]) -> Result<PartReport, GraphError> {
        let mut report = PartReport::default();
        let mut at = 0;
        while at < stream.len() {
            puffin::profile_scope!("part");
            self.begin_part();
            let consumed = self.engine.run_part(&mut self.world, &stream[at..]);
            let info = self.world.resource::<PartInfo>();
            report.presents += info.presents;
            if self.frame_parts.1 {
                self.frame_parts.0 = info.index;
            }
            self.frame_parts.1 = info.presents > 0;
            if let Some(present) = self.world.resource::<RawPart>().presents.last() {
                report.interval = present.interval;
                self.interval = present.interval;
            }
            let info = self.world.resource::<PartInfo>();
            report.diagnostics.extend(info.diagnostics.iter().map(ToString::to_string));
            self.execute(&mut report)?;
            if consumed == 0 {
                break;
            }
            at += consumed;
        }
        Ok(report)
    }

    fn execute(&mut self, report: &mut PartReport) -> Result<(), GraphError> {
        let submitted = {
            puffin::profile_scope!("record and submit");
            self.executor.execute(&self.world)?
        };
        self.gather(&submitted);
        self.check(report);
        self.executor.poll()?;
        self.collect(report);
        self.end_part()
    }

    /// The last presented picture with the overlay over it.
    ///
    /// # Errors
    /// When the overlay is closed, nothing was presented, or the device refuses.
    pub fn overlay_screenshot(&mut self) -> Result<Screenshot, GraphError> {
        let extent = self.executor.take_screenshot()?.extent;
        if !self.overlay.is_open() {
            return Err(GraphError::Overlay("it is closed".to_owned()));
        }
        // Times of the last frame have come in with it.
        self.take_times();
        self.overlay.run_headless(extent);
        let mut renderer = OverlayRenderer::for_executor(&self.executor).map_err(live::failed)?;
        renderer.draw(&mut self.executor, self.overlay.output()).map_err(live::failed)?;
        Ok(self.executor.take_overlay_screenshot()?)
    }

    fn check(&mut self, report: &mut PartReport) {
        if let Some(checker) = &mut self.checker {
            let log = self.executor.take_log();
            // Once in a while a hazard is planted into a copy of the stream. A checker that says nothing of it proves nothing.
            if self.frames.is_multiple_of(PLANT_EVERY) {
                for _ in 0..PLANTS {
                    // Another place each time, far from the one before.
                    let n = self.planted.wrapping_mul(PLANT_STRIDE);
                    let Some(found) = checker.plant(&log, n) else { break };
                    self.planted += 1;
                    report.planted += 1;
                    report.missed += u32::from(found.is_empty());
                }
            }
            report.hazards.extend(checker.check(&log).iter().map(|o| format!("{}: {}", o.mark, o.what)));
        }
    }

    fn collect(&mut self, report: &mut PartReport) {
        report.signals.append(&mut self.late.signals);
        report.hazards.append(&mut self.late.hazards);
        report.signals.extend(self.executor.completions().filter_map(|done| match done {
            Completion::Signal { tag } => Some(tag),
            _ => None,
        }));
    }

    /// Waits until the GPU is done; reports what completed.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn finish(&mut self) -> Result<PartReport, GraphError> {
        let mut report = PartReport::default();
        self.executor.finish()?;
        self.executor.poll()?;
        self.collect(&mut report);
        Ok(report)
    }

    /// The last presented picture.
    ///
    /// # Errors
    /// When nothing was presented.
    pub fn screenshot(&mut self) -> Result<Screenshot, GraphError> {
        Ok(self.executor.take_screenshot()?)
    }

    /// Images of the graph: id and name. The name is the game's own debug label, else the place of the image.
    pub fn labelled_images(&mut self) -> Vec<(ResourceId, String)> {
        let mut query = self.world.query::<(&ResourceId, &ResourceKind, &Label)>();
        let mut images: Vec<_> = query
            .iter(&self.world)
            .filter(|(_, kind, label)| matches!(kind, ResourceKind::Image(_)) && !label.0.is_empty())
            // A label is the name, then the description of the image.
            .map(|(id, _, label)| (*id, label.0.split(' ').next().unwrap_or_default().to_owned()))
            .collect();
        images.sort();
        images
    }

    /// Reads an image back by its label.
    ///
    /// # Errors
    /// When there is none, or the executor fails.
    pub fn read_labelled(&mut self, label: &str, level: u8) -> Result<ReadBack, GraphError> {
        let images = self.labelled_images();
        let found = images.into_iter().find(|(_, name)| name == label);
        let (id, _) = found.ok_or_else(|| GraphError::NoImage(label.to_owned()))?;
        self.read_image(id, level)
    }

    /// Reads a level of an image back. Runs a part of its own, so that the order of the GPU's work is kept.
    ///
    /// # Errors
    /// When the resource is no image, or the executor fails.
    pub fn read_image(&mut self, id: ResourceId, level: u8) -> Result<ReadBack, GraphError> {
        let missing = || GraphError::NoImage(format!("resource {}", id.0));
        let entity = self.world.resource::<framegraph::resource::ResourcePool>().entity(id).ok_or_else(missing)?;
        let Some(ResourceKind::Image(desc)) = self.world.get::<ResourceKind>(entity).copied() else {
            return Err(missing());
        };
        let label = self.world.get::<Label>(entity).map(|l| l.0.clone()).unwrap_or_default();
        let all = desc.all();
        let layers =
            if all.layers > 1 { (all.layers >> if desc.level_extent(0)[2] > 1 { level } else { 0 }).max(1) } else { 1 };
        let part = Subresources { base_level: level, levels: 1, layers, ..all };
        let bytes = self.download(Download { buffer: None, image: Some((id, part)), tag: 0 })?;
        Ok(ReadBack { label, desc, bytes })
    }

    /// Runs a part that is one download.
    fn download(&mut self, download: Download) -> Result<Vec<u8>, GraphError> {
        const TAG: u64 = u64::MAX;
        let mut kept = self.finish()?;
        systems::run::clear_part(&mut self.world);
        self.world.resource_mut::<Downloads>().rows.push(Download { tag: TAG, ..download });
        self.world.resource_mut::<Nodes>().push(NodeKind::Download, Seq::command(0), 0, 0);
        self.downloads.run(&mut self.world);
        self.executor.execute(&self.world)?;
        self.check(&mut kept);
        self.executor.finish()?;
        self.executor.poll()?;
        let mut found = None;
        for done in self.executor.completions() {
            match done {
                Completion::Download { tag: TAG, bytes } => found = Some(bytes),
                Completion::Signal { tag } => kept.signals.push(tag),
                _ => {}
            }
        }
        // What completed meanwhile, and what the checker found, is reported with the next part.
        self.late = kept;
        found.ok_or_else(|| GraphError::NoImage("a download".to_owned()))
    }

    /// Plants a hazard into what is emitted next; the checker must report it.
    pub fn plant(&mut self, fault: Fault) {
        self.executor.plant(fault);
    }
}

/// Bytes per texel of a read back of these aspects.
#[must_use]
pub fn read_back_texel(format: Format) -> usize {
    match format.aspects() {
        Aspects::DEPTH_STENCIL if format == Format::D32FloatS8Uint => 8,
        _ => format.block().0 as usize,
    }
}
