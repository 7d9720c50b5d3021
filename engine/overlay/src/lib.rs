//! The inspection overlay: what a frame does and why, drawn over its picture.
//!
//! It reads the neutral tables of [`framegraph`] and nothing else: no console type, no record. [`model`] takes a plain snapshot of a frame out of the World,
//! [`ui`] shows it, [`render`] draws that with Vulkan (the one module that names it), [`profile`] feeds CPU and GPU times to the flame graph, [`input`] takes a
//! window's events, [`draw_overlay`] is the system that puts the overlay's node behind the present.
//!
//! # A frame, seen by the owner
//! 1. [`Overlay::begin_frame`], and after each part's Plan [`Overlay::add_part`]; [`Overlay::end_frame`] at the present. All of them return at once while the
//!    overlay is closed.
//! 2. [`Overlay::run`] with the window's input (or [`input::headless`]): gives the [`Output`] and the actions asked for.
//! 3. [`render::OverlayRenderer::paint`] over the presented picture, with views for [`Output::thumbnails`].
//!
//! While the game is frozen only 2 and 3 are done; the snapshot stays.
#![allow(unsafe_code)] // `render` calls Vulkan, whose every call is unsafe; no other module has unsafe code.

pub mod draw_overlay;
pub mod input;
pub mod model;
pub mod profile;
pub mod render;
pub mod ui;

#[cfg(test)]
mod sample;

pub use egui;

use bevy_ecs::prelude::World;
use egui::epaint::ClippedPrimitive;
use framegraph::ids::PassId;
use framegraph::rule::{Rule, Switches};
use model::{CounterHistory, CounterView, FrameView};
use std::time::Duration;
use ui::{Action, ThumbnailRequest, UiState};

/// What is to be drawn.
#[derive(Default)]
pub struct Output {
    /// Triangles.
    pub primitives: Vec<ClippedPrimitive>,
    /// Textures to make, change and free; collected over outputs until a renderer takes them.
    pub textures: egui::TexturesDelta,
    /// Pixels per point of the triangles' positions.
    pub pixels_per_point: f32,
    /// Pictures of the game's images that the triangles show.
    pub thumbnails: Vec<ThumbnailRequest>,
    /// Cursor, clipboard and the like, for the window; see [`input::Input::give`].
    pub platform: egui::PlatformOutput,
    /// When to run again, where nothing happens before.
    pub repaint_after: Duration,
}

impl std::fmt::Debug for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Output")
            .field("primitives", &self.primitives.len())
            .field("thumbnails", &self.thumbnails)
            .finish_non_exhaustive()
    }
}

/// The overlay: open or closed, with what it shows.
pub struct Overlay {
    context: egui::Context,
    rules: Vec<&'static Rule>,
    view: FrameView,
    history: CounterHistory,
    gpu: profile::GpuTimes,
    /// What the user has open and selected.
    pub state: UiState,
    open: bool,
    filling: bool,
    output: Output,
}

impl std::fmt::Debug for Overlay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Overlay").field("open", &self.open).field("frame", &self.view.number).finish_non_exhaustive()
    }
}

impl Overlay {
    /// A closed overlay. `rules` are those whose switches it shows, in the order of the schedule.
    #[must_use]
    pub fn new(rules: impl IntoIterator<Item = &'static Rule>) -> Self {
        Self {
            context: egui::Context::default(),
            rules: rules.into_iter().collect(),
            view: FrameView::new(),
            history: CounterHistory::default(),
            gpu: profile::GpuTimes::default(),
            state: UiState::new(),
            open: false,
            filling: false,
            output: Output::default(),
        }
    }

    /// Whether it is shown.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Shows or hides it. Scopes of the flame graph are recorded while it is shown.
    pub fn set_open(&mut self, open: bool) {
        self.open = open;
        self.filling &= open;
        puffin::set_scopes_on(open);
    }

    /// The interface's context, for [`input::Input`].
    #[must_use]
    pub fn context(&self) -> &egui::Context {
        &self.context
    }

    /// The snapshot that is shown.
    #[must_use]
    pub fn view(&self) -> &FrameView {
        &self.view
    }

    /// A frame begins. Does nothing while the overlay is closed.
    pub fn begin_frame(&mut self, number: u64) {
        if self.open {
            self.view.begin(number);
            self.filling = true;
        }
    }

    /// Takes the part that is in the World; call it after its Plan was made and it was handed to the executor under `serial`.
    pub fn add_part(&mut self, world: &World, serial: u64) {
        if self.filling {
            puffin::profile_scope!("overlay: snapshot");
            self.view.add_part(world, serial);
        }
    }

    /// The frame is whole. `counters` are those of the executor and the guest; the view adds its own.
    pub fn end_frame(&mut self, switches: &Switches, counters: impl IntoIterator<Item = CounterView>) {
        if !self.filling {
            return;
        }
        self.filling = false;
        self.view.finish();
        self.view.set_counters(counters);
        self.view.set_rules(self.rules.iter().copied(), switches);
        self.gpu.remember(&self.view);
        self.gpu.apply(&mut self.view);
        self.history.push(&self.view.counters);
        self.state.rebind(&self.view);
    }

    /// The switches have changed while the game is frozen: shows them as they are.
    pub fn set_switches(&mut self, switches: &Switches) {
        self.view.set_rules(self.rules.iter().copied(), switches);
    }

    /// A pass took this long on the GPU: the executor's serial of its part, its id there, start and end in nanoseconds of the device's clock. It may be
    /// told frames later. [`Overlay::end_gpu_times`] follows the last of a part.
    pub fn gpu_time(&mut self, serial: u64, pass: PassId, start: u64, end: u64) {
        if self.open {
            self.gpu.add(serial, pass, start, end);
        }
    }

    /// All times of a part were told: hands them to the flame graph and to the view.
    pub fn end_gpu_times(&mut self) {
        if self.open {
            self.gpu.report();
            self.gpu.apply(&mut self.view);
        }
    }

    /// Lets the interface take the input and draw itself. Gives what the user asked for; what is to be drawn is in [`Overlay::output`]. A closed overlay
    /// gives nothing and draws nothing.
    pub fn run(&mut self, input: egui::RawInput) -> Vec<Action> {
        self.output.primitives.clear();
        self.output.thumbnails.clear();
        if !self.open {
            return Vec::new();
        }
        puffin::profile_scope!("overlay: interface");
        let (view, history, state) = (&self.view, &self.history, &mut self.state);
        let full = self.context.run(input, |ctx| ui::show(ctx, view, history, state));
        self.output.primitives = self.context.tessellate(full.shapes, full.pixels_per_point);
        self.output.textures.append(full.textures_delta);
        self.output.pixels_per_point = full.pixels_per_point;
        self.output.thumbnails.extend_from_slice(self.state.thumbnails());
        self.output.platform = full.platform_output;
        self.output.repaint_after =
            full.viewport_output.values().map(|v| v.repaint_delay).min().unwrap_or(Duration::MAX);
        let actions = self.state.take_actions();
        if actions.contains(&Action::Close) {
            self.set_open(false);
        }
        actions
    }

    /// As [`Overlay::run`] without a window: a screen of this size in pixels. The interface learns the sizes of its parts as it shows them, so it is shown
    /// until they are settled; the output is the same every time.
    pub fn run_headless(&mut self, extent: [u32; 2]) {
        // Its own times and textures, whatever a window's interface and renderer have seen before.
        self.context = egui::Context::default();
        self.state.restyle();
        self.output = Output::default();
        for frame in 0..3 {
            self.run(input::headless(extent, f64::from(frame) / 60.0));
        }
    }

    /// What the last [`Overlay::run`] drew. The renderer takes the textures out of it.
    pub fn output(&mut self) -> &mut Output {
        &mut self.output
    }
}
