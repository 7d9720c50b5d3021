//! Pads of the machine, as Linux reports them: event devices with a south button and a stick (the kernel's gamepad protocol).
//!
//! One thread looks for pads that come and go and reads their events; the title's reads look at the last state and never wait. Buttons go by their place, not
//! by what is printed on them: the right one of the four is A, the lower one B.

use super::{Button, PadSource, PadState, Stick};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Pads at once.
const SLOTS: usize = 8;
/// How often the machine is asked for new pads.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Bytes of the kernel's `struct input_event` on 64-bit machines: two times of 8 bytes, kind, code, value.
const EVENT: usize = 24;

const KIND_KEY: u16 = 1;
const KIND_AXIS: u16 = 3;
const SOUTH: u16 = 0x130;

/// The kernel's code of each button.
const BUTTONS: [(u16, Button); 16] = [
    (0x130, Button::B),
    (0x131, Button::A),
    (0x133, Button::X),
    (0x134, Button::Y),
    (0x136, Button::L),
    (0x137, Button::R),
    (0x138, Button::ZL),
    (0x139, Button::ZR),
    (0x13A, Button::Minus),
    (0x13B, Button::Plus),
    (0x13D, Button::StickL),
    (0x13E, Button::StickR),
    (0x220, Button::Up),
    (0x221, Button::Down),
    (0x222, Button::Left),
    (0x223, Button::Right),
];

/// Sticks, triggers and the directional cross: the kernel's codes of the axes.
const AXES: [u16; 8] = [0, 1, 2, 3, 4, 5, 0x10, 0x11];

/// What values an axis gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// Least value.
    pub least: i32,
    /// Largest value.
    pub most: i32,
    /// Distance from the middle within which the axis counts as at rest.
    pub flat: i32,
}

impl Range {
    /// -1 to 1; 0 at rest.
    fn centred(self, value: i32) -> f32 {
        let half = (f64::from(self.most) - f64::from(self.least)) / 2.0;
        if half <= 0.0 {
            return 0.0;
        }
        let middle = f64::from(self.least) + half;
        let off = f64::from(value) - middle;
        // Where the kernel names no rest, a twentieth of the way.
        let flat = if self.flat > 0 { f64::from(self.flat).min(half / 2.0) } else { half / 20.0 };
        if off.abs() <= flat { 0.0 } else { (off / half).clamp(-1.0, 1.0) as f32 }
    }

    /// Whether a trigger is pressed more than half way.
    fn pressed(self, value: i32) -> bool {
        i64::from(value) * 2 > i64::from(self.least) + i64::from(self.most)
    }
}

/// One pad: its axes' ranges and what it shows.
#[derive(Debug, Clone, Default)]
pub struct Gamepad {
    ranges: BTreeMap<u16, Range>,
    buttons: BTreeMap<u16, bool>,
    axes: BTreeMap<u16, i32>,
}

impl Gamepad {
    /// A pad at rest with these axes, by the kernel's codes.
    #[must_use]
    pub fn new(ranges: BTreeMap<u16, Range>) -> Self {
        Self { ranges, ..Self::default() }
    }

    /// Takes events as the kernel hands them out; a rest that is no whole event is ignored.
    pub fn take(&mut self, bytes: &[u8]) {
        for event in bytes.chunks_exact(EVENT) {
            let word = |at: usize| u16::from_le_bytes([event[at], event[at + 1]]);
            let value = i32::from_le_bytes([event[20], event[21], event[22], event[23]]);
            match (word(16), word(18)) {
                (KIND_KEY, code) => drop(self.buttons.insert(code, value != 0)),
                (KIND_AXIS, code) => drop(self.axes.insert(code, value)),
                _ => {}
            }
        }
    }

    /// What the pad shows now.
    #[must_use]
    pub fn state(&self) -> PadState {
        let held = |code: u16| self.buttons.get(&code).copied().unwrap_or(false);
        let axis = |code: u16| match (self.ranges.get(&code), self.axes.get(&code)) {
            (Some(range), Some(value)) => range.centred(*value),
            _ => 0.0,
        };
        let trigger = |code: u16| match (self.ranges.get(&code), self.axes.get(&code)) {
            (Some(range), Some(value)) => range.pressed(*value),
            _ => false,
        };
        let mut buttons: super::Buttons =
            BUTTONS.iter().filter(|(code, _)| held(*code)).map(|(_, button)| *button).collect();
        let cross = (axis(0x10), axis(0x11));
        for (on, button) in [
            (trigger(2), Button::ZL),
            (trigger(5), Button::ZR),
            (cross.0 < -0.5, Button::Left),
            (cross.0 > 0.5, Button::Right),
            (cross.1 < -0.5, Button::Up),
            (cross.1 > 0.5, Button::Down),
        ] {
            if on {
                buttons = buttons.with(button);
            }
        }
        // The kernel counts down as positive.
        PadState { buttons, stick_left: Stick::new(axis(0), -axis(1)), stick_right: Stick::new(axis(3), -axis(4)) }
    }
}

type Slots = Arc<Mutex<[Option<PadState>; SLOTS]>>;

/// The pads of the machine; dropping it ends the thread.
#[derive(Debug)]
pub struct Gamepads {
    slots: Slots,
    stop: Arc<AtomicBool>,
}

/// A place that a pad may take.
struct SlotPad {
    slots: Slots,
    slot: usize,
}

impl PadSource for SlotPad {
    fn sample(&mut self, _: u64) -> Option<PadState> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)[self.slot]
    }
}

impl Gamepads {
    /// Starts to look for pads among the event devices of `folder` (`/dev/input`).
    #[must_use]
    pub fn open(folder: &Path) -> Self {
        let (slots, stop) = (Slots::default(), Arc::new(AtomicBool::new(false)));
        let (theirs, until, folder) = (Arc::clone(&slots), Arc::clone(&stop), folder.to_owned());
        let thread = std::thread::Builder::new().name("pads".to_owned());
        if let Err(error) = thread.spawn(move || follow(&folder, &theirs, &until)) {
            tracing::warn!("pads cannot be read: no thread can be started: {error}");
        }
        Self { slots, stop }
    }

    /// The places of pads, each connected while it holds one.
    pub fn sources(&self) -> impl Iterator<Item = Box<dyn PadSource>> + '_ {
        (0..SLOTS).map(|slot| Box::new(SlotPad { slots: Arc::clone(&self.slots), slot }) as Box<dyn PadSource>)
    }
}

impl Drop for Gamepads {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
    }
}

struct Device {
    path: PathBuf,
    file: File,
    pad: Gamepad,
    slot: usize,
}

/// A range of an axis, `None` where the device has no such axis.
fn range_of(file: &File, axis: u16) -> Option<Range> {
    /// `struct input_absinfo`: value, minimum, maximum, fuzz, flat, resolution.
    const WORDS: usize = 6;
    // EVIOCGABS(axis): read 24 bytes, group 'E', number 0x40 + axis.
    let request = 2u64 << 30 | (WORDS as u64 * 4) << 16 | u64::from(b'E') << 8 | (0x40 + u64::from(axis));
    let mut info = [0i32; WORDS];
    // SAFETY: the request writes 24 bytes, which is what `info` holds; the descriptor is open.
    let result = unsafe { libc::ioctl(file.as_raw_fd(), request as libc::c_ulong, info.as_mut_ptr()) };
    (result >= 0 && info[2] > info[1]).then_some(Range { least: info[1], most: info[2], flat: info[4] })
}

/// Whether the kernel says that an event device has a south button, which all gamepads have.
fn is_pad(name: &str) -> bool {
    let path = Path::new("/sys/class/input").join(name).join("device/capabilities/key");
    std::fs::read_to_string(path).is_ok_and(|keys| has_bit(&keys, SOUTH))
}

/// A bit of a bitmap in the words of sysfs: hexadecimal, 64 bits each, the highest word first.
fn has_bit(words: &str, bit: u16) -> bool {
    let word = words.split_whitespace().rev().nth(usize::from(bit / 64));
    word.and_then(|w| u64::from_str_radix(w, 16).ok()).is_some_and(|w| w >> (bit % 64) & 1 == 1)
}

fn look(folder: &Path, devices: &mut Vec<Device>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        let known = devices.iter().any(|d| d.path == path);
        let Some(slot) = (0..SLOTS).find(|slot| devices.iter().all(|d| d.slot != *slot)) else { return };
        if known || !name.starts_with("event") || !is_pad(&name) {
            continue;
        }
        let opened = std::fs::OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(&path);
        match opened {
            Ok(file) => {
                let ranges = AXES.iter().filter_map(|axis| Some((*axis, range_of(&file, *axis)?))).collect();
                devices.push(Device { path, file, pad: Gamepad::new(ranges), slot });
            }
            Err(error) => tracing::debug!("{}: a pad that cannot be opened: {error}", path.display()),
        }
    }
}

fn follow(folder: &Path, slots: &Slots, stop: &AtomicBool) {
    let mut devices: Vec<Device> = Vec::new();
    let mut looked: Option<Instant> = None;
    let mut bytes = [0u8; EVENT * 64];
    while !stop.load(Ordering::Acquire) {
        if looked.is_none_or(|at| at.elapsed() > LOOK_EVERY) {
            look(folder, &mut devices);
            looked = Some(Instant::now());
        }
        let mut waits: Vec<libc::pollfd> =
            devices.iter().map(|d| libc::pollfd { fd: d.file.as_raw_fd(), events: libc::POLLIN, revents: 0 }).collect();
        // SAFETY: the array holds as many entries as are named, with descriptors that stay open meanwhile.
        unsafe { libc::poll(waits.as_mut_ptr(), waits.len() as libc::nfds_t, 200) };
        let mut states = [None; SLOTS];
        devices.retain_mut(|device| {
            let here = loop {
                match device.file.read(&mut bytes) {
                    Ok(0) => break false,
                    Ok(count) => device.pad.take(&bytes[..count]),
                    Err(error) => break error.kind() == std::io::ErrorKind::WouldBlock,
                }
            };
            states[device.slot] = here.then(|| device.pad.state());
            here
        });
        *slots.lock().unwrap_or_else(PoisonError::into_inner) = states;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: u16, code: u16, value: i32) -> Vec<u8> {
        let mut bytes = vec![0u8; 16];
        bytes.extend(kind.to_le_bytes());
        bytes.extend(code.to_le_bytes());
        bytes.extend(value.to_le_bytes());
        bytes
    }

    fn pad() -> Gamepad {
        let wide = Range { least: -32768, most: 32767, flat: 128 };
        let byte = Range { least: 0, most: 255, flat: 0 };
        let cross = Range { least: -1, most: 1, flat: 0 };
        Gamepad::new(
            [(0, wide), (1, wide), (2, byte), (3, byte), (4, byte), (5, byte), (0x10, cross), (0x11, cross)].into(),
        )
    }

    // rows: A-019
    #[test]
    fn buttons_go_by_their_place() {
        let mut pad = pad();
        for (code, button) in BUTTONS {
            pad.take(&event(KIND_KEY, code, 1));
            assert_eq!(pad.state().buttons, super::super::Buttons::default().with(button), "{code:#x}");
            pad.take(&event(KIND_KEY, code, 0));
        }
        assert_eq!(pad.state(), PadState::default());
    }

    #[test]
    fn axes_of_any_range_are_sticks_triggers_and_the_cross() {
        let mut pad = pad();
        pad.take(&[event(3, 0, 32767), event(3, 1, -32768), event(3, 3, 0), event(3, 4, 255)].concat());
        let state = pad.state();
        assert!(state.stick_left.x > 0.7 && state.stick_left.y > 0.7, "right and up: {state:?}");
        assert!(state.stick_right.x < -0.7 && state.stick_right.y < -0.7, "left and down: {state:?}");
        pad.take(&[event(3, 0, 100), event(3, 1, -100), event(3, 3, 128), event(3, 4, 127)].concat());
        assert_eq!(pad.state(), PadState::default(), "near the middle is at rest");
        pad.take(&[event(3, 2, 200), event(3, 5, 100), event(3, 0x10, -1), event(3, 0x11, 1)].concat());
        let buttons = pad.state().buttons;
        assert_eq!(buttons, [Button::ZL, Button::Left, Button::Down].into_iter().collect());
    }

    #[test]
    fn what_is_no_event_is_ignored() {
        let mut pad = pad();
        pad.take(&[1, 2, 3]);
        pad.take(&event(KIND_KEY, 0x2FF, 1));
        pad.take(&event(77, SOUTH, 1));
        pad.take(&event(KIND_AXIS, 0x3F, i32::MIN));
        assert_eq!(pad.state(), PadState::default());
        let mut odd = Gamepad::new([(0, Range { least: 5, most: 5, flat: -3 })].into());
        odd.take(&event(KIND_AXIS, 0, i32::MAX));
        assert_eq!(odd.state(), PadState::default());
    }

    #[test]
    fn bits_of_sysfs_are_found() {
        // Word 4 (bits 256 to 319) holds bit 0x130 = 304.
        assert!(has_bit("1000000000000 0 0 0 0\n", SOUTH));
        assert!(!has_bit("0 0 0 0 1000000000000", SOUTH));
        assert!(!has_bit("", SOUTH) && !has_bit("zz 0 0 0 0", SOUTH));
    }

    #[test]
    fn a_machine_without_pads_has_none_connected() {
        let pads = Gamepads::open(Path::new("/nonexistent"));
        assert!(pads.sources().all(|mut pad| pad.sample(0).is_none()));
    }
}
