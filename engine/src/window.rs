//! The window: its events go to the overlay or to the title's pad, its picture comes from the graph.
//!
//! The event loop has the main thread. It never waits for the title: what it must tell goes through a [`Link`], and where it wants to paint by itself (the
//! game is frozen, or has not presented for a while) it does so only when nobody else has the graph.

use crate::cli::PlayArguments;
use crate::failure::Failure;
use crate::keyboard::{self, Command};
use crate::play::{self, Ended, Prepared, Session};
use ferrograph::screen::{Link, Screen};
use ferrograph_media::input::Keyboard;
use ferrograph_overlay::input::Input;
use ferrograph_overlay::ui::ExportFormat;
use ferrograph_vulkan::{DeviceOptions, Swapchain, WindowError, swapchain};
use std::sync::Arc;
use std::time::{Duration, Instant};
use winit::application::ApplicationHandler;
use winit::dpi::LogicalSize;
use winit::error::{EventLoopError, OsError};
use winit::event::{ElementState, KeyEvent, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop, EventLoopProxy};
use winit::keyboard::PhysicalKey;
use winit::raw_window_handle::{HandleError, HasDisplayHandle, HasWindowHandle};
use winit::window::{Fullscreen, Window, WindowId};

/// Why there is no window.
#[derive(Debug, thiserror::Error)]
enum OpenError {
    #[error("the display cannot be used: {0}; check DISPLAY or WAYLAND_DISPLAY, or run with --headless")]
    Display(#[from] EventLoopError),
    #[error("no window can be made: {0}; run with --headless to play without one")]
    Window(#[from] OsError),
    #[error("the window cannot be handed to Vulkan: {0}; run with --headless to play without one")]
    Handle(#[from] HandleError),
    #[error(transparent)]
    Vulkan(#[from] WindowError),
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        Self::could(error)
    }
}

/// How often the window paints by itself at most.
const PAINT_EVERY: Duration = Duration::from_millis(30);
/// The title counts as silent when it has not presented for so long.
const SILENT: Duration = Duration::from_millis(200);

/// What other threads tell the event loop.
#[derive(Debug)]
pub(crate) enum Told {
    /// The overlay was painted and asks for something.
    Painted,
    /// The run is over.
    Ended(Result<Ended, Failure>),
}

/// Whether there is a display to open a window on.
pub(crate) fn has_display() -> bool {
    ["WAYLAND_DISPLAY", "DISPLAY"].iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

/// Plays in a window until the title or the user ends it.
pub(crate) fn run(arguments: &PlayArguments, prepared: Prepared) -> Result<(), Failure> {
    let events = EventLoop::<Told>::with_user_event().build().map_err(OpenError::from)?;
    let mut app = App {
        arguments,
        prepared: Some(prepared),
        proxy: events.create_proxy(),
        keyboard: Keyboard::new(),
        open: None,
        paint_at: None,
        outcome: None,
    };
    events.run_app(&mut app).map_err(OpenError::from)?;
    let App { open, outcome, .. } = app;
    let Some(mut open) = open else {
        return match outcome {
            Some(Err(failure)) => Err(failure),
            _ => Ok(()),
        };
    };
    // The surface goes before the window.
    open.session.sink.with_graph(ferrograph::graph::Graph::close_window);
    match outcome {
        Some(ended) => play::finish(arguments, &mut open.session, ended),
        None => Ok(()),
    }
}

struct Open {
    session: Session,
    link: Arc<Link>,
    input: Input,
    // Dropped last: surface and input refer to it.
    window: Arc<Window>,
}

struct App<'a> {
    arguments: &'a PlayArguments,
    prepared: Option<Prepared>,
    proxy: EventLoopProxy<Told>,
    keyboard: Keyboard,
    open: Option<Open>,
    /// When to paint, where the title does not.
    paint_at: Option<Instant>,
    outcome: Option<Result<Ended, Failure>>,
}

fn open(
    events: &ActiveEventLoop,
    arguments: &PlayArguments,
    prepared: Prepared,
    keyboard: &Keyboard,
    proxy: &EventLoopProxy<Told>,
) -> Result<Open, Failure> {
    let attributes = Window::default_attributes()
        .with_title(format!("{} \u{2014} Ferrograph", prepared.profile.name))
        .with_inner_size(LogicalSize::new(1280, 720));
    let window = Arc::new(events.create_window(attributes).map_err(OpenError::from)?);
    let display = window.display_handle().map_err(OpenError::from)?.as_raw();
    let handle = window.window_handle().map_err(OpenError::from)?.as_raw();
    let extensions = swapchain::instance_extensions(display).map_err(OpenError::from)?;
    let size: [u32; 2] = window.inner_size().into();
    let wake = proxy.clone();
    let link = Arc::new(Link::new(
        size,
        arguments.run.overlay,
        // The loop is gone when the program ends; nobody needs to be woken then.
        Box::new(move || drop(wake.send_event(Told::Painted))),
    ));
    let device = DeviceOptions { instance_extensions: extensions, ..DeviceOptions::default() };
    let folder = arguments.export_dir.clone();
    let screen_link = Arc::clone(&link);
    let session = Session::start(arguments, prepared, device, Some(keyboard), move |graph| {
        // SAFETY: the handles are those of the window, which is dropped behind the graph's hold on it (`close_window` in `run`).
        let chain = unsafe { Swapchain::new(graph.device(), display, handle, size) }.map_err(OpenError::from)?;
        graph.open_window(Screen::new(chain, screen_link, folder));
        Ok(())
    })?;
    session.sink.set_gate(Arc::clone(&link.gate));
    let context = session.sink.with_graph(|graph| graph.overlay().context().clone());
    let input = Input::new(context, &window);
    Ok(Open { session, link, input, window })
}

impl ApplicationHandler<Told> for App<'_> {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        let Some(prepared) = self.prepared.take() else { return };
        match open(events, self.arguments, prepared, &self.keyboard, &self.proxy) {
            Ok(opened) => {
                let proxy = self.proxy.clone();
                opened.session.watch(move |ended| drop(proxy.send_event(Told::Ended(ended))));
                self.open = Some(opened);
                self.paint_at = Some(Instant::now());
            }
            Err(failure) => {
                self.outcome = Some(Err(failure));
                events.exit();
            }
        }
    }

    fn user_event(&mut self, events: &ActiveEventLoop, told: Told) {
        match told {
            Told::Painted => {
                if let Some(open) = &mut self.open
                    && let Some(asked) = open.link.take_asked()
                {
                    open.input.give(&open.window, asked.platform);
                    if let Some(at) = asked.repaint_at.filter(|_| open.link.gate.is_held()) {
                        self.want_paint(at.max(Instant::now() + PAINT_EVERY));
                    }
                }
            }
            Told::Ended(ended) => {
                self.outcome = Some(ended);
                events.exit();
            }
        }
    }

    fn window_event(&mut self, _: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(open) = &mut self.open else { return };
        let is_open = open.link.is_open();
        match &event {
            WindowEvent::CloseRequested => {
                open.link.gate.close();
                open.session.ask_end();
                return;
            }
            WindowEvent::Resized(size) => {
                open.link.set_size((*size).into());
                self.paint_at = Some(Instant::now());
            }
            WindowEvent::RedrawRequested => self.paint_at = Some(Instant::now()),
            WindowEvent::Focused(false) => self.keyboard.release_all(),
            WindowEvent::KeyboardInput { event: key, .. } => {
                if let PhysicalKey::Code(code) = key.physical_key
                    && let Some(command) = keyboard::command(code)
                {
                    if key.state == ElementState::Pressed && !key.repeat {
                        self.obey(command);
                    }
                    return;
                }
                if !is_open {
                    play_key(&self.keyboard, key);
                    return;
                }
            }
            _ => {}
        }
        let Some(open) = &mut self.open else { return };
        let response = open.input.on_event(is_open, &open.window, &event);
        if is_open {
            open.link.add_input(open.input.take(&open.window));
            if response.repaint {
                self.want_paint(Instant::now() + PAINT_EVERY);
            }
        }
    }

    fn about_to_wait(&mut self, events: &ActiveEventLoop) {
        let Some(open) = &mut self.open else { return };
        let Some(at) = self.paint_at else {
            events.set_control_flow(ControlFlow::Wait);
            return;
        };
        let now = Instant::now();
        if now >= at {
            // A title that presents paints by itself.
            let silent = open.link.gate.is_held() || open.link.since_paint() > SILENT;
            self.paint_at = if silent && !paint(open) { Some(now + PAINT_EVERY) } else { None };
            if !silent {
                self.paint_at = Some(now + SILENT);
            }
        }
        events.set_control_flow(self.paint_at.map_or(ControlFlow::Wait, ControlFlow::WaitUntil));
    }
}

/// Paints if nobody has the graph now.
fn paint(open: &Open) -> bool {
    match open.session.sink.try_with_graph(ferrograph::graph::Graph::paint) {
        None => false,
        Some(Ok(())) => true,
        Some(Err(error)) => {
            open.session.fail(Failure::could(error));
            true
        }
    }
}

fn play_key(keyboard: &Keyboard, event: &KeyEvent) {
    if let PhysicalKey::Code(code) = event.physical_key
        && let Some(key) = keyboard::key(code)
    {
        keyboard.set(key, event.state == ElementState::Pressed);
    }
}

impl App<'_> {
    fn want_paint(&mut self, at: Instant) {
        self.paint_at = Some(self.paint_at.map_or(at, |before| before.min(at)));
    }

    fn obey(&mut self, command: Command) {
        let Some(open) = &mut self.open else { return };
        match command {
            Command::Overlay => {
                let opens = !open.link.is_open();
                // What was held when the overlay took the keyboard would stay held.
                self.keyboard.release_all();
                open.link.set_open(opens);
                // The interface learns the window's size before its first frame.
                open.link.add_input(open.input.take(&open.window));
                open.window.set_cursor_visible(opens || open.window.fullscreen().is_none());
            }
            Command::Export => open.link.ask_export(ExportFormat::Html),
            Command::Freeze => open.link.gate.freeze(!open.link.gate.is_frozen()),
            Command::Step => open.link.gate.step(),
            Command::FullScreen => {
                let full = open.window.fullscreen().is_none();
                open.window.set_fullscreen(full.then_some(Fullscreen::Borderless(None)));
                open.window.set_cursor_visible(!full || open.link.is_open());
            }
        }
        self.want_paint(Instant::now());
    }
}
