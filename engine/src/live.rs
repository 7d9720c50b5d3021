//! The overlay over a running game: frames gathered for it, what the user asks of it, exports, and the picture in the window.
//!
//! While the overlay is closed, a frame costs a look at its flag, and nothing is gathered, timed or kept.

use crate::graph::{Graph, GraphError};
use crate::screen::{Asked, Screen};
use bevy_ecs::prelude::Mut;
use ferrograph_overlay::draw_overlay::OverlayOpen;
use ferrograph_overlay::model::{CounterUnit, CounterView};
use ferrograph_overlay::profile;
use ferrograph_overlay::render::OverlayRenderer;
use ferrograph_overlay::ui::{Action, ExportFormat};
use ferrograph_vulkan::{Pace, Shown, Submitted};
use framegraph::export::{self, FrameExport};
use framegraph::rule::Switches;
use nvn_decode::ingest::PartInfo;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The parts of the frame that is being made, as far as an export needs them.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// Parts before the one in the World.
    before: Option<FrameExport>,
    /// Whether `before` holds all of them.
    whole: bool,
    /// Number of the part in the World; `None` before the first.
    part: Option<u32>,
    /// Whether the part in the World ended its frame.
    ended: bool,
    wanted: Vec<ExportFormat>,
    /// Cost of the frame so far.
    counters: ferrograph_vulkan::gpu::Counters,
    began: Option<Instant>,
}

pub(crate) fn failed(error: impl std::fmt::Display) -> GraphError {
    GraphError::Overlay(error.to_string())
}

fn counter(name: &'static str, value: u64, unit: CounterUnit) -> CounterView {
    CounterView { name, value, unit, budget: None }
}

impl Graph {
    /// Shows frames in a window from now on.
    pub fn open_window(&mut self, screen: Screen) {
        self.set_overlay_open(screen.link.is_open());
        self.screen = Some(screen);
    }

    /// Lets go of the window, which may be destroyed afterwards.
    pub fn close_window(&mut self) {
        self.screen = None;
    }

    /// Opens or closes the overlay: frames are gathered and timed from the next part on.
    pub fn set_overlay_open(&mut self, open: bool) {
        if open != self.overlay.is_open() {
            self.overlay.set_open(open);
            self.executor.set_timestamps(open || self.timestamps);
            self.world.insert_resource(OverlayOpen(open));
        }
    }

    /// The overlay.
    pub fn overlay(&mut self) -> &mut ferrograph_overlay::Overlay {
        &mut self.overlay
    }

    /// Before a part's records are run: what the part in the World was is kept where an export may want it.
    pub(crate) fn begin_part(&mut self) {
        let frames = self.frames;
        let open = self.overlay.is_open();
        let kept = &mut self.kept;
        if let Some(screen) = &self.screen {
            kept.wanted.extend(screen.link.take_exports());
        }
        match kept.part {
            Some(part) if !kept.ended => {
                if kept.whole {
                    let gathered = export::gather(&self.world, frames, part);
                    match &mut kept.before {
                        Some(before) => before.join(gathered),
                        None => kept.before = Some(gathered),
                    }
                }
                kept.part = Some(part + 1);
            }
            _ => {
                kept.before = None;
                kept.whole = open || !kept.wanted.is_empty();
                kept.part = Some(0);
                kept.ended = false;
                kept.counters = ferrograph_vulkan::gpu::Counters::default();
                kept.began = Some(Instant::now());
                self.overlay.begin_frame(frames);
            }
        }
    }

    /// Keeps a part for the overlay; a frame ends with its present.
    pub(crate) fn gather(&mut self, submitted: &Submitted) {
        let presents = u64::from(self.world.resource::<PartInfo>().presents);
        if self.overlay.is_open() {
            self.overlay.add_part(&self.world, submitted.serial);
            let (all, one) = (&mut self.kept.counters, &submitted.counters);
            all.draws += one.draws;
            all.dispatches += one.dispatches;
            all.passes += one.passes;
            all.barriers += one.barriers;
            all.transitions += one.transitions;
            all.transfers += one.transfers;
            all.descriptors += one.descriptors;
            all.set_binds += one.set_binds;
            all.pipeline_binds += one.pipeline_binds;
            all.pipelines_made += one.pipelines_made;
            all.upload_bytes += one.upload_bytes;
            all.resources_made += one.resources_made;
            if presents > 0 {
                let counters = self.counters();
                self.overlay.end_frame(self.world.resource::<Switches>(), counters);
                profile::new_frame();
            }
        }
        self.kept.ended |= presents > 0;
        self.frames += presents;
    }

    fn counters(&self) -> [CounterView; 13] {
        use CounterUnit::{Bytes, Count, Nanoseconds};
        let c = &self.kept.counters;
        let n = |name, value: u32| counter(name, u64::from(value), Count);
        let spent = self.kept.began.map_or(0, |at| u64::try_from(at.elapsed().as_nanos()).unwrap_or(u64::MAX));
        [
            counter("frame, host time", spent, Nanoseconds),
            n("Vulkan draws", c.draws),
            n("Vulkan dispatches", c.dispatches),
            n("Vulkan render passes", c.passes),
            n("Vulkan barriers", c.barriers),
            n("Vulkan layout changes", c.transitions),
            n("Vulkan copies, blits, fills", c.transfers),
            n("descriptors written", c.descriptors),
            n("pipelines bound", c.pipeline_binds),
            n("pipelines made", c.pipelines_made),
            n("images and buffers made", c.resources_made),
            counter("bytes uploaded", c.upload_bytes, Bytes),
            counter("device memory", self.executor.device().memory().bytes, Bytes),
        ]
    }

    /// After a part was handed over: times that came back, exports that wait.
    pub(crate) fn end_part(&mut self) -> Result<(), GraphError> {
        self.take_times();
        if !self.kept.wanted.is_empty() && self.has_frame() {
            let folder = self.screen.as_ref().map_or_else(PathBuf::new, |screen| screen.folder.clone());
            self.export_wanted(&folder)?;
        }
        Ok(())
    }

    /// Tells the overlay what passes took on the GPU.
    pub(crate) fn take_times(&mut self) {
        if !self.overlay.is_open() {
            return;
        }
        let mut any = false;
        for time in self.executor.pass_times() {
            self.overlay.gpu_time(time.serial, time.pass, time.start, time.end);
            any = true;
        }
        if any {
            self.overlay.end_gpu_times();
        }
    }

    /// The graph of the last presented frame, all its parts; `None` where it is not whole: nothing was presented, the next frame has begun, or its earlier
    /// parts were not kept ([`Graph::set_overlay_open`]).
    #[must_use]
    pub fn export_frame(&self) -> Option<FrameExport> {
        let part = self.kept.part.filter(|_| self.has_frame())?;
        let frame = self.frames.saturating_sub(1);
        let last = export::gather(&self.world, frame, part);
        Some(match &self.kept.before {
            Some(before) => {
                let mut all = before.clone();
                all.join(last);
                all
            }
            None => last,
        })
    }

    /// Whether the last presented frame is whole, for an export.
    fn has_frame(&self) -> bool {
        self.kept.ended && self.kept.part.is_some_and(|part| self.kept.whole || part == 0)
    }

    fn export_wanted(&mut self, folder: &Path) -> Result<(), GraphError> {
        let Some(frame) = self.export_frame() else { return Ok(()) };
        for format in std::mem::take(&mut self.kept.wanted) {
            let path = folder.join(format!("frame-{:06}.{}", frame.frame, format.name()));
            let why = |e: &dyn std::fmt::Display| GraphError::Export { frame: frame.frame, why: e.to_string() };
            let text = match format {
                ExportFormat::Json => frame.json().map_err(|e| why(&e))?,
                ExportFormat::Ron => frame.ron().map_err(|e| why(&e))?,
                ExportFormat::Dot => frame.dot(),
                ExportFormat::Html => export::html(&frame).map_err(|e| why(&e))?,
            };
            let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text));
            // A game is not ended for a full disk: the overlay says what went wrong.
            self.overlay.state.notice = match written {
                Ok(()) => format!("wrote {}", path.display()),
                Err(error) => format!("{} was not written: {error}", path.display()),
            };
            // The overlay may be closed; nobody is left to tell when stderr is closed, too.
            let _ = writeln!(std::io::stderr(), "{}", self.overlay.state.notice);
        }
        Ok(())
    }

    /// Shows the last presented picture in the window, with the overlay over it where it is open, and does what the user asked for. Nothing without a window.
    ///
    /// # Errors
    /// The window or the device is gone.
    pub fn paint(&mut self) -> Result<(), GraphError> {
        let Some(mut screen) = self.screen.take() else { return Ok(()) };
        let painted = self.paint_on(&mut screen);
        self.screen = Some(screen);
        painted
    }

    fn paint_on(&mut self, screen: &mut Screen) -> Result<(), GraphError> {
        puffin::profile_scope!("present");
        let link = &screen.link;
        screen.chain.resize(link.size());
        screen.chain.set_pace(if self.interval == 0 { Pace::Free } else { Pace::Vsync });
        let opens = link.is_open() && !self.overlay.is_open();
        self.set_overlay_open(link.is_open());
        self.kept.wanted.extend(link.take_exports());
        // A held frame that nobody has gathered is gone: what shows or exports it needs the next one.
        let lacks = opens || (!self.kept.wanted.is_empty() && !self.has_frame());
        if lacks && link.gate.is_held() {
            link.gate.step();
        }
        let mut asked = None;
        if self.overlay.is_open() {
            self.overlay.state.frozen = link.gate.is_frozen();
            let actions = self.overlay.run(link.take_input());
            for action in &actions {
                self.act(screen, action);
            }
            let output = self.overlay.output();
            asked = Some(Asked {
                platform: std::mem::take(&mut output.platform),
                repaint_at: Instant::now().checked_add(output.repaint_after),
            });
        }
        if self.overlay.is_open() {
            let renderer = match &mut screen.renderer {
                Some(renderer) => renderer,
                none => none.insert(OverlayRenderer::for_window(&self.executor, &screen.chain).map_err(failed)?),
            };
            renderer.show(&mut self.executor, &mut screen.chain, self.overlay.output()).map_err(failed)?;
        } else {
            match self.executor.show(&mut screen.chain)? {
                Shown::Yes(()) | Shown::NoPicture => {}
            }
        }
        screen.link.painted(self.frames, asked);
        if !self.kept.wanted.is_empty() && self.has_frame() {
            self.export_wanted(&screen.folder)?;
        }
        Ok(())
    }

    fn act(&mut self, screen: &Screen, action: &Action) {
        let gate = &screen.link.gate;
        match action {
            Action::SetRule(name, on) => {
                self.world.resource_scope(|_, mut switches: Mut<'_, Switches>| {
                    switches.set_rule(name, *on);
                    self.overlay.set_switches(&switches);
                });
            }
            Action::Freeze(frozen) => gate.freeze(*frozen),
            Action::Step => gate.step(),
            Action::ExportFrame(format) => self.kept.wanted.push(*format),
            Action::Close => {
                screen.link.set_open(false);
                self.set_overlay_open(false);
            }
            Action::SelectUnit(_) | Action::SelectNode(_) | Action::SelectResource(_) => {}
        }
    }
}
