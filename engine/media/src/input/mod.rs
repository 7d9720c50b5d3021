//! Pads: their state, where it comes from, and which of several the title reads (catalogue A-019).
//!
//! Every connected pad is open; the title reads the one on which something was pressed last, so that no player is tied to the first pad found.

mod gamepad;
mod keyboard;
mod script;

pub use gamepad::{Gamepad, Gamepads, Range};
pub use keyboard::{Key, Keyboard, KeyboardMap, KeyboardPad};
pub use script::{Script, ScriptError, ScriptPad, ScriptStep};

use serde::{Deserialize, Serialize};

/// A button of a pad. The numbers are the bits of the title's button set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
#[allow(missing_docs)] // The names are those on the pad.
pub enum Button {
    A = 0,
    B = 1,
    X = 2,
    Y = 3,
    StickL = 4,
    StickR = 5,
    L = 6,
    R = 7,
    ZL = 8,
    ZR = 9,
    Plus = 10,
    Minus = 11,
    Left = 12,
    Up = 13,
    Right = 14,
    Down = 15,
}

/// A set of buttons, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Buttons(pub u64);

impl Buttons {
    /// The set with a button added.
    #[must_use]
    pub fn with(self, button: Button) -> Buttons {
        Buttons(self.0 | 1 << button as u8)
    }

    /// Whether a button is in the set.
    pub fn contains(self, button: Button) -> bool {
        self.0 >> button as u8 & 1 == 1
    }

    /// Whether no button is.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<Button> for Buttons {
    fn from_iter<I: IntoIterator<Item = Button>>(buttons: I) -> Buttons {
        buttons.into_iter().fold(Buttons::default(), Buttons::with)
    }
}

/// A stick: -1 to 1 on both axes, up and right positive.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Stick {
    /// Right is positive.
    pub x: f32,
    /// Up is positive.
    pub y: f32,
}

/// Largest value of a stick axis as titles read it.
pub const STICK_RANGE: i32 = 32767;
/// From here on a stick counts as pushed: the title's stick direction bits and "pressed last" use it.
const STICK_THRESHOLD: f32 = 0.5;

impl Stick {
    /// A stick at (x, y), pulled back to the unit circle; not-a-number counts as 0.
    pub fn new(x: f32, y: f32) -> Stick {
        let clean = |value: f32| if value.is_nan() { 0.0 } else { value.clamp(-1.0, 1.0) };
        let (x, y) = (clean(x), clean(y));
        let length = x.hypot(y);
        if length > 1.0 { Stick { x: x / length, y: y / length } } else { Stick { x, y } }
    }

    /// The axes as titles read them: -32767 to 32767.
    pub fn units(self) -> (i32, i32) {
        let unit = |value: f32| ((value * STICK_RANGE as f32).round() as i32).clamp(-STICK_RANGE, STICK_RANGE);
        (unit(self.x), unit(self.y))
    }

    /// Left, up, right, down as four bits, the lowest first.
    pub fn directions(self) -> u64 {
        [self.x <= -STICK_THRESHOLD, self.y >= STICK_THRESHOLD, self.x >= STICK_THRESHOLD, self.y <= -STICK_THRESHOLD]
            .into_iter()
            .enumerate()
            .fold(0, |bits, (index, pushed)| bits | u64::from(pushed) << index)
    }
}

/// Everything a pad shows at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PadState {
    /// Buttons held.
    pub buttons: Buttons,
    /// Left stick.
    pub stick_left: Stick,
    /// Right stick.
    pub stick_right: Stick,
}

impl PadState {
    /// The 64 button bits that titles read: buttons, then the directions of both sticks at bits 16 and 20.
    pub fn button_bits(&self) -> u64 {
        self.buttons.0 | self.stick_left.directions() << 16 | self.stick_right.directions() << 20
    }

    /// Whether it shows something pressed that `before` did not.
    fn newly_pressed(&self, before: &PadState) -> bool {
        self.button_bits() & !before.button_bits() != 0
    }
}

/// One pad: a device, the keyboard, a script.
pub trait PadSource: Send {
    /// Its state for the frame that is being made (counted from 0); `None` while it is not connected. Never blocks.
    fn sample(&mut self, frame: u64) -> Option<PadState>;
}

/// Several pads read as one: the one pressed last counts.
#[derive(Default)]
pub struct PadSet {
    pads: Vec<Pad>,
    presses: u64,
}

struct Pad {
    source: Box<dyn PadSource>,
    last: PadState,
    connected: bool,
    /// When something was pressed on it last; 0 never.
    pressed: u64,
}

impl PadSet {
    /// A set without pads.
    pub fn new() -> PadSet {
        PadSet::default()
    }

    /// Adds a pad; it may connect later.
    pub fn add(&mut self, source: Box<dyn PadSource>) {
        self.pads.push(Pad { source, last: PadState::default(), connected: false, pressed: 0 });
    }
}

impl PadSource for PadSet {
    fn sample(&mut self, frame: u64) -> Option<PadState> {
        for pad in &mut self.pads {
            match pad.source.sample(frame) {
                Some(state) => {
                    if state.newly_pressed(&pad.last) {
                        self.presses += 1;
                        pad.pressed = self.presses;
                    }
                    pad.last = state;
                    pad.connected = true;
                }
                None => {
                    pad.last = PadState::default();
                    pad.connected = false;
                }
            }
        }
        // Among equals (nothing pressed yet) the first added.
        self.pads
            .iter()
            .filter(|pad| pad.connected)
            .reduce(|best, pad| if pad.pressed > best.pressed { pad } else { best })
            .map(|pad| pad.last)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Virtual(Arc<Mutex<Option<PadState>>>);

    impl PadSource for Virtual {
        fn sample(&mut self, _: u64) -> Option<PadState> {
            *self.0.lock().unwrap()
        }
    }

    fn press(buttons: &[Button]) -> Option<PadState> {
        Some(PadState { buttons: buttons.iter().copied().collect(), ..PadState::default() })
    }

    // rows: A-019
    #[test]
    fn the_pad_pressed_last_counts() {
        let (a, b) = (Virtual::default(), Virtual::default());
        let mut set = PadSet::new();
        set.add(Box::new(a.clone()));
        set.add(Box::new(b.clone()));
        assert_eq!(set.sample(0), None, "nothing is connected");
        *a.0.lock().unwrap() = press(&[]);
        *b.0.lock().unwrap() = press(&[]);
        assert_eq!(set.sample(1), press(&[]));
        *a.0.lock().unwrap() = press(&[Button::A]);
        assert_eq!(set.sample(2), press(&[Button::A]));
        *b.0.lock().unwrap() = press(&[Button::B]);
        assert_eq!(set.sample(3), press(&[Button::B]), "after B's press the state follows B");
        assert_eq!(set.sample(4), press(&[Button::B]), "A still holds, but pressed nothing new");
        *b.0.lock().unwrap() = None;
        assert_eq!(set.sample(5), press(&[Button::A]), "B was disconnected");
    }

    #[test]
    fn a_pushed_stick_is_a_press() {
        let (a, b) = (Virtual::default(), Virtual::default());
        let mut set = PadSet::new();
        set.add(Box::new(a.clone()));
        set.add(Box::new(b.clone()));
        *a.0.lock().unwrap() = press(&[Button::A]);
        let pushed = PadState { stick_left: Stick::new(0.0, 1.0), ..PadState::default() };
        set.sample(0);
        *b.0.lock().unwrap() = Some(pushed);
        assert_eq!(set.sample(1), Some(pushed));
        assert_eq!(pushed.button_bits(), 1 << 17);
    }

    #[test]
    fn sticks_stay_in_the_unit_circle() {
        assert_eq!(Stick::new(1.0, 0.0).units(), (32767, 0));
        assert_eq!(Stick::new(0.0, -9.0).units(), (0, -32767));
        let (x, y) = Stick::new(1.0, 1.0).units();
        assert!(x == y && (23169..=23171).contains(&x), "{x}");
        assert_eq!(Stick::new(f32::NAN, f32::INFINITY).units(), (0, 32767));
    }
}
