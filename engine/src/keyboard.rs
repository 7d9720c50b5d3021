//! Keys of the window: those of the program, and the place of each other key on the keyboard for the title's pad.

use ferrograph_media::input::Key;
use winit::keyboard::KeyCode;

/// What a key of the program does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Command {
    /// Opens or closes the overlay.
    Overlay,
    /// Writes the frame's graph.
    Export,
    /// Holds the game, or lets it run on.
    Freeze,
    /// Lets a held game run for one frame.
    Step,
    /// Full screen and back.
    FullScreen,
}

/// The keys of the program, as the README lists them.
pub(crate) const COMMANDS: [(KeyCode, &str, Command); 5] = [
    (KeyCode::F1, "F1", Command::Overlay),
    (KeyCode::F2, "F2", Command::Export),
    (KeyCode::F3, "F3", Command::Freeze),
    (KeyCode::F4, "F4", Command::Step),
    (KeyCode::F11, "F11", Command::FullScreen),
];

/// The command of a key.
pub(crate) fn command(code: KeyCode) -> Option<Command> {
    COMMANDS.iter().find(|(key, ..)| *key == code).map(|(.., command)| *command)
}

/// The place of a key; `None` for keys that no map uses.
pub(crate) fn key(code: KeyCode) -> Option<Key> {
    use KeyCode as C;
    Some(match code {
        C::KeyA => Key::A,
        C::KeyB => Key::B,
        C::KeyC => Key::C,
        C::KeyD => Key::D,
        C::KeyE => Key::E,
        C::KeyF => Key::F,
        C::KeyG => Key::G,
        C::KeyH => Key::H,
        C::KeyI => Key::I,
        C::KeyJ => Key::J,
        C::KeyK => Key::K,
        C::KeyL => Key::L,
        C::KeyM => Key::M,
        C::KeyN => Key::N,
        C::KeyO => Key::O,
        C::KeyP => Key::P,
        C::KeyQ => Key::Q,
        C::KeyR => Key::R,
        C::KeyS => Key::S,
        C::KeyT => Key::T,
        C::KeyU => Key::U,
        C::KeyV => Key::V,
        C::KeyW => Key::W,
        C::KeyX => Key::X,
        C::KeyY => Key::Y,
        C::KeyZ => Key::Z,
        C::Digit0 => Key::Digit0,
        C::Digit1 => Key::Digit1,
        C::Digit2 => Key::Digit2,
        C::Digit3 => Key::Digit3,
        C::Digit4 => Key::Digit4,
        C::Digit5 => Key::Digit5,
        C::Digit6 => Key::Digit6,
        C::Digit7 => Key::Digit7,
        C::Digit8 => Key::Digit8,
        C::Digit9 => Key::Digit9,
        C::ArrowUp => Key::Up,
        C::ArrowDown => Key::Down,
        C::ArrowLeft => Key::Left,
        C::ArrowRight => Key::Right,
        C::Enter | C::NumpadEnter => Key::Enter,
        C::Escape => Key::Escape,
        C::Space => Key::Space,
        C::Tab => Key::Tab,
        C::Backspace => Key::Backspace,
        C::ShiftLeft => Key::LeftShift,
        C::ShiftRight => Key::RightShift,
        C::ControlLeft => Key::LeftControl,
        C::ControlRight => Key::RightControl,
        C::Minus => Key::Minus,
        C::Equal => Key::Equals,
        C::Comma => Key::Comma,
        C::Period => Key::Period,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrograph_media::input::{Button, KeyboardMap};
    use std::collections::BTreeMap;
    use std::path::Path;

    fn readme() -> String {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// Rows of the README's table under a heading of two columns: what, keys.
    fn table(heading: &str) -> BTreeMap<String, String> {
        let readme = readme();
        let lines = readme.lines().skip_while(|line| !line.starts_with(heading)).skip(2);
        let rows = lines.take_while(|line| line.starts_with('|'));
        let cells = |line: &str| line.trim_matches('|').split('|').map(|c| c.trim().to_owned()).collect::<Vec<_>>();
        rows.map(cells).map(|c| (c[0].clone(), c[1].clone())).collect()
    }

    fn word(key: Key) -> String {
        match key {
            Key::Digit1 => "1".into(),
            Key::Digit3 => "3".into(),
            Key::Up | Key::Down | Key::Left | Key::Right => format!("{key:?} arrow"),
            key => format!("{key:?}"),
        }
    }

    // rows: A-019
    #[test]
    fn the_readme_lists_the_keyboard_map() {
        let map = KeyboardMap::default();
        let mut wanted: BTreeMap<String, String> = BTreeMap::new();
        let mut by_button: BTreeMap<Button, Vec<String>> = BTreeMap::new();
        for (key, button) in &map.buttons {
            by_button.entry(*button).or_default().push(word(*key));
        }
        for (button, keys) in by_button {
            wanted.insert(format!("{button:?}"), keys.join(", "));
        }
        for (stick, keys) in [("left stick", map.stick_left), ("right stick", map.stick_right)] {
            wanted.insert(stick.into(), keys.map(word).join(", "));
        }
        let found = table("| on the pad |");
        for (what, keys) in &wanted {
            assert_eq!(found.get(what), Some(keys), "README, {what}");
        }
        assert_eq!(found.len(), wanted.len(), "{found:?}");
    }

    #[test]
    fn the_readme_lists_the_program_s_keys() {
        let found = table("| key |");
        for (_, name, _) in COMMANDS {
            assert!(found.contains_key(name), "{name} is missing");
        }
        assert_eq!(found.len(), COMMANDS.len(), "{found:?}");
    }

    #[test]
    fn the_program_s_keys_are_none_of_the_pad_s() {
        for (code, ..) in COMMANDS {
            assert_eq!(key(code), None);
        }
    }
}
