//! The window as the graph sees it: its pictures, and what its thread and the graph's thread tell one another.
//!
//! The window's thread never waits for the graph and the graph's thread never waits for the window: each side leaves what it has to say in a [`Link`], and
//! takes from there what the other has left.

use crate::gate::Gate;
use ferrograph_overlay::egui;
use ferrograph_overlay::render::OverlayRenderer;
use ferrograph_overlay::ui::ExportFormat;
use ferrograph_vulkan::Swapchain;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Wakes the window's thread; called from any thread, must not wait.
pub type Wake = Box<dyn Fn() + Send + Sync>;

/// What the overlay asks of the window.
#[derive(Default)]
pub struct Asked {
    /// The cursor's shape, the clipboard and the like.
    pub platform: egui::PlatformOutput,
    /// When to paint again, where nothing happens before.
    pub repaint_at: Option<Instant>,
}

impl std::fmt::Debug for Asked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asked").field("repaint_at", &self.repaint_at).finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct Left {
    input: egui::RawInput,
    asked: Option<Asked>,
    exports: Vec<ExportFormat>,
    painted: Option<Instant>,
}

/// What lies between the window's thread and the graph's.
pub struct Link {
    /// The gate of the game's frames.
    pub gate: Arc<Gate>,
    size: AtomicU64,
    open: AtomicBool,
    frames: AtomicU64,
    left: Mutex<Left>,
    wake: Wake,
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link").field("size", &self.size()).field("open", &self.is_open()).finish_non_exhaustive()
    }
}

impl Link {
    /// For a window of this size in pixels, with the overlay open or closed.
    #[must_use]
    pub fn new(size: [u32; 2], open: bool, wake: Wake) -> Self {
        let link = Self {
            gate: Arc::default(),
            size: AtomicU64::new(0),
            open: AtomicBool::new(open),
            frames: AtomicU64::new(0),
            left: Mutex::default(),
            wake,
        };
        link.set_size(size);
        link
    }

    fn left(&self) -> MutexGuard<'_, Left> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The window's size in pixels; 0 = minimised.
    pub fn set_size(&self, size: [u32; 2]) {
        self.size.store(u64::from(size[0]) << 32 | u64::from(size[1]), Ordering::Release);
    }

    /// The window's size in pixels.
    #[must_use]
    pub fn size(&self) -> [u32; 2] {
        let size = self.size.load(Ordering::Acquire);
        [(size >> 32) as u32, size as u32]
    }

    /// Opens or closes the overlay, from the next paint on.
    pub fn set_open(&self, open: bool) {
        self.open.store(open, Ordering::Release);
    }

    /// Whether the overlay is to be open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire)
    }

    /// Input for the overlay, in order.
    pub fn add_input(&self, input: egui::RawInput) {
        self.left().input.append(input);
    }

    /// Asks for the graph of a frame: the one that is shown where it is whole, else the next.
    pub fn ask_export(&self, format: ExportFormat) {
        self.left().exports.push(format);
    }

    /// Frames that were presented.
    #[must_use]
    pub fn frames(&self) -> u64 {
        self.frames.load(Ordering::Acquire)
    }

    /// What the overlay asks of the window since the last call.
    #[must_use]
    pub fn take_asked(&self) -> Option<Asked> {
        self.left().asked.take()
    }

    /// How long ago the window was painted last.
    #[must_use]
    pub fn since_paint(&self) -> Duration {
        self.left().painted.map_or(Duration::MAX, |at| at.elapsed())
    }

    pub(crate) fn take_input(&self) -> egui::RawInput {
        self.left().input.take()
    }

    pub(crate) fn take_exports(&self) -> Vec<ExportFormat> {
        std::mem::take(&mut self.left().exports)
    }

    pub(crate) fn painted(&self, frames: u64, asked: Option<Asked>) {
        let mut left = self.left();
        left.painted = Some(Instant::now());
        let tell = asked.is_some();
        match (&mut left.asked, asked) {
            (Some(old), Some(new)) => {
                old.platform.append(new.platform);
                old.repaint_at = new.repaint_at;
            }
            (old @ None, new) => *old = new,
            (_, None) => {}
        }
        drop(left);
        self.frames.store(frames, Ordering::Release);
        if tell {
            (self.wake)();
        }
    }
}

/// The window's pictures.
pub struct Screen {
    pub(crate) chain: Swapchain,
    pub(crate) link: Arc<Link>,
    /// Made when the overlay is opened first.
    pub(crate) renderer: Option<OverlayRenderer>,
    /// Where exported frames go.
    pub(crate) folder: PathBuf,
}

impl std::fmt::Debug for Screen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Screen").field("chain", &self.chain).finish_non_exhaustive()
    }
}

impl Screen {
    /// The pictures of a window; exported frames are written into `folder`.
    #[must_use]
    pub fn new(chain: Swapchain, link: Arc<Link>, folder: PathBuf) -> Self {
        Self { chain, link, renderer: None, folder }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    #[test]
    fn what_is_left_is_taken_once() {
        let woken = Arc::new(AtomicU32::new(0));
        let count = Arc::clone(&woken);
        let link = Link::new(
            [640, 480],
            false,
            Box::new(move || {
                let _ = count.fetch_add(1, Ordering::SeqCst);
            }),
        );
        assert_eq!(link.size(), [640, 480]);
        link.set_size([0, 7]);
        assert_eq!(link.size(), [0, 7]);
        let event = |text: &str| egui::RawInput { events: vec![egui::Event::Text(text.into())], ..Default::default() };
        link.add_input(event("a"));
        link.add_input(event("b"));
        assert_eq!(link.take_input().events.len(), 2);
        assert_eq!(link.take_input().events.len(), 0);
        link.ask_export(ExportFormat::Dot);
        assert_eq!(link.take_exports(), [ExportFormat::Dot]);
        assert!(link.take_exports().is_empty());
        link.painted(3, None);
        assert_eq!((link.frames(), woken.load(Ordering::SeqCst)), (3, 0), "a closed overlay wakes nobody");
        link.painted(4, Some(Asked::default()));
        assert_eq!(woken.load(Ordering::SeqCst), 1);
        assert!(link.take_asked().is_some() && link.take_asked().is_none());
    }
}
