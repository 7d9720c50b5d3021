//! The keyboard as a pad.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

use super::{Button, PadSource, PadState, Stick};

/// Keys by their place on the keyboard (US names), as window systems report them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[allow(missing_docs)] // The names are those on the keys.
pub enum Key {
    A,
    B,
    C,
    D,
    E,
    F,
    G,
    H,
    I,
    J,
    K,
    L,
    M,
    N,
    O,
    P,
    Q,
    R,
    S,
    T,
    U,
    V,
    W,
    X,
    Y,
    Z,
    Digit0,
    Digit1,
    Digit2,
    Digit3,
    Digit4,
    Digit5,
    Digit6,
    Digit7,
    Digit8,
    Digit9,
    Up,
    Down,
    Left,
    Right,
    Enter,
    Escape,
    Space,
    Tab,
    Backspace,
    LeftShift,
    RightShift,
    LeftControl,
    RightControl,
    Minus,
    Equals,
    Comma,
    Period,
}

/// What each key does. Serialises as settings: lists of (key, button), and eight keys for the sticks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyboardMap {
    /// Keys of buttons; several keys may share one.
    pub buttons: BTreeMap<Key, Button>,
    /// Left, up, right, down of the left stick.
    pub stick_left: [Key; 4],
    /// Left, up, right, down of the right stick.
    pub stick_right: [Key; 4],
}

impl Default for KeyboardMap {
    /// WASD is the left stick, GTJB (around H) the right one; the arrow keys are the directional buttons.
    fn default() -> KeyboardMap {
        let buttons = [
            (Key::L, Button::A),
            (Key::Space, Button::A),
            (Key::K, Button::B),
            (Key::U, Button::X),
            (Key::O, Button::Y),
            (Key::F, Button::StickL),
            (Key::H, Button::StickR),
            (Key::Q, Button::L),
            (Key::E, Button::R),
            (Key::Digit1, Button::ZL),
            (Key::Digit3, Button::ZR),
            (Key::Enter, Button::Plus),
            (Key::Backspace, Button::Minus),
            (Key::Left, Button::Left),
            (Key::Up, Button::Up),
            (Key::Right, Button::Right),
            (Key::Down, Button::Down),
        ];
        KeyboardMap {
            buttons: buttons.into_iter().collect(),
            stick_left: [Key::A, Key::W, Key::D, Key::S],
            stick_right: [Key::G, Key::T, Key::J, Key::B],
        }
    }
}

impl KeyboardMap {
    /// The pad state of a set of held keys.
    pub fn state(&self, held: &BTreeSet<Key>) -> PadState {
        let axis = |negative: Key, positive: Key| {
            f32::from(i8::from(held.contains(&positive)) - i8::from(held.contains(&negative)))
        };
        let stick = |keys: &[Key; 4]| Stick::new(axis(keys[0], keys[2]), axis(keys[3], keys[1]));
        PadState {
            buttons: held.iter().filter_map(|key| self.buttons.get(key).copied()).collect(),
            stick_left: stick(&self.stick_left),
            stick_right: stick(&self.stick_right),
        }
    }
}

/// The keys held now; the window writes it, the pad reads it.
#[derive(Debug, Clone, Default)]
pub struct Keyboard(Arc<Mutex<BTreeSet<Key>>>);

impl Keyboard {
    /// No key held.
    pub fn new() -> Keyboard {
        Keyboard::default()
    }

    /// A key went down or up.
    pub fn set(&self, key: Key, down: bool) {
        let mut held = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if down {
            held.insert(key);
        } else {
            held.remove(&key);
        }
    }

    /// The window lost the focus: no key is held any more.
    pub fn release_all(&self) {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clear();
    }
}

/// The keyboard as a pad that is always connected.
#[derive(Debug, Clone, Default)]
pub struct KeyboardPad {
    keyboard: Keyboard,
    map: KeyboardMap,
}

impl KeyboardPad {
    /// A pad that reads `keyboard` through `map`.
    pub fn new(keyboard: Keyboard, map: KeyboardMap) -> KeyboardPad {
        KeyboardPad { keyboard, map }
    }
}

impl PadSource for KeyboardPad {
    fn sample(&mut self, _: u64) -> Option<PadState> {
        Some(self.map.state(&self.keyboard.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: A-019
    #[test]
    fn the_default_map_reaches_every_button_and_direction() {
        let map = KeyboardMap::default();
        let reached: BTreeSet<Button> = map.buttons.values().copied().collect();
        assert_eq!(reached.len(), 16);
        let keyboard = Keyboard::new();
        let mut pad = KeyboardPad::new(keyboard.clone(), map.clone());
        for (key, button) in &map.buttons {
            keyboard.set(*key, true);
            assert!(pad.sample(0).unwrap().buttons.contains(*button), "{key:?}");
            keyboard.set(*key, false);
        }
        for (index, expected) in [(-32767, 0), (0, 32767), (32767, 0), (0, -32767)].into_iter().enumerate() {
            keyboard.set(map.stick_left[index], true);
            keyboard.set(map.stick_right[index], true);
            let state = pad.sample(0).unwrap();
            assert_eq!(state.stick_left.units(), expected);
            assert_eq!(state.stick_right.units(), expected);
            assert!(state.buttons.is_empty(), "stick keys are no buttons");
            keyboard.release_all();
        }
    }

    #[test]
    fn opposite_keys_cancel() {
        let keyboard = Keyboard::new();
        let mut pad = KeyboardPad::new(keyboard.clone(), KeyboardMap::default());
        keyboard.set(Key::A, true);
        keyboard.set(Key::D, true);
        assert_eq!(pad.sample(0).unwrap().stick_left, Stick::default());
    }
}
