//! A window's events for the interface, and input without a window.
//!
//! The window's thread has an [`Input`]; the interface is run by whoever has the graph. What lies between them is a [`egui::RawInput`] that grows until it is
//! taken, hence neither waits for the other.

use egui_winit::winit::event::{ElementState, WindowEvent};
use egui_winit::winit::keyboard::{KeyCode, PhysicalKey};
use egui_winit::winit::window::Window;

/// The key that opens and closes the overlay.
pub const TOGGLE: KeyCode = KeyCode::F1;

/// What became of a window's event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Response {
    /// The overlay took it: the game must not see it.
    pub consumed: bool,
    /// It opened or closed the overlay.
    pub toggled: bool,
    /// The overlay wants to be drawn again.
    pub repaint: bool,
}

/// The interface's end of a window.
pub struct Input {
    state: egui_winit::State,
}

impl std::fmt::Debug for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Input").finish_non_exhaustive()
    }
}

impl Input {
    /// For one window.
    #[must_use]
    pub fn new(context: egui::Context, window: &Window) -> Self {
        let scale = Some(window.scale_factor() as f32);
        Self { state: egui_winit::State::new(context, egui::ViewportId::ROOT, window, scale, None, None) }
    }

    /// Takes an event: the press of [`TOGGLE`] opens or closes the overlay; an open overlay has the keyboard and the mouse to itself.
    pub fn on_event(&mut self, open: bool, window: &Window, event: &WindowEvent) -> Response {
        if is_toggle(event) {
            return Response { consumed: true, toggled: true, repaint: true };
        }
        let hands = is_of_hands(event);
        if hands && !open {
            return Response::default();
        }
        // Sizes, scales and held modifiers are followed while the overlay is closed, too.
        let response = self.state.on_window_event(window, event);
        Response { consumed: hands, toggled: false, repaint: open && response.repaint }
    }

    /// The input since the last call, for [`crate::Overlay::run`].
    pub fn take(&mut self, window: &Window) -> egui::RawInput {
        self.state.take_egui_input(window)
    }

    /// Gives the window what the interface asks of it: the cursor's shape, the clipboard.
    pub fn give(&mut self, window: &Window, platform: egui::PlatformOutput) {
        self.state.handle_platform_output(window, platform);
    }
}

/// Whether an event comes from the keyboard or a pointer.
#[must_use]
pub fn is_of_hands(event: &WindowEvent) -> bool {
    matches!(
        event,
        WindowEvent::KeyboardInput { .. }
            | WindowEvent::Ime(_)
            | WindowEvent::CursorMoved { .. }
            | WindowEvent::CursorEntered { .. }
            | WindowEvent::MouseInput { .. }
            | WindowEvent::MouseWheel { .. }
            | WindowEvent::Touch(_)
    )
}

/// Whether an event is the press of [`TOGGLE`].
#[must_use]
pub fn is_toggle(event: &WindowEvent) -> bool {
    match event {
        WindowEvent::KeyboardInput { event, .. } => {
            event.physical_key == PhysicalKey::Code(TOGGLE) && event.state == ElementState::Pressed && !event.repeat
        }
        _ => false,
    }
}

/// Input without a window: a screen of this size in pixels at `seconds` since the start, and nothing else.
#[must_use]
pub fn headless(extent: [u32; 2], seconds: f64) -> egui::RawInput {
    let size = egui::vec2(extent[0] as f32, extent[1] as f32);
    egui::RawInput {
        screen_rect: Some(egui::Rect::from_min_size(egui::Pos2::ZERO, size)),
        time: Some(seconds),
        focused: true,
        ..egui::RawInput::default()
    }
}
