//! nn::hid: npads in their real layout, read from one [`PadSource`].

use ferrograph_media::input::{PadSource, PadState};

use super::layout::npad;
use super::{locked, os_sync};
use crate::call::GuestCall;
use crate::fault::GuestFault;
use crate::kernel::EventId;
use crate::memory::GuestWrite;
use crate::registry::HostRegistry;

/// Player 1.
pub const NPAD_NO1: u32 = 0;
/// The console's own pad.
pub const NPAD_HANDHELD: u32 = 0x20;
const NPAD_IDS: [u32; 10] = [0, 1, 2, 3, 4, 5, 6, 7, 0x10, NPAD_HANDHELD];

/// Style bits.
pub mod style {
    /// Pro controller.
    pub const FULL_KEY: u32 = 1 << 0;
    /// The console's own pad.
    pub const HANDHELD: u32 = 1 << 1;
    /// Two half pads used as one.
    pub const JOY_DUAL: u32 = 1 << 2;
    /// Left half.
    pub const JOY_LEFT: u32 = 1 << 3;
    /// Right half.
    pub const JOY_RIGHT: u32 = 1 << 4;
}

/// State of the pads as titles see them.
pub(crate) struct Hid {
    pads: Box<dyn PadSource>,
    docked: bool,
    supported_styles: u32,
    supported_ids: Vec<u32>,
    samples: u64,
    last: Option<PadState>,
    last_frame: Option<u64>,
    style_events: Vec<(u32, EventId)>,
    read_logged: bool,
}

impl Hid {
    pub(crate) fn new(pads: Box<dyn PadSource>, docked: bool) -> Hid {
        Hid {
            pads,
            docked,
            supported_styles: 0,
            supported_ids: NPAD_IDS.to_vec(),
            samples: 0,
            last: None,
            last_frame: None,
            style_events: Vec::new(),
            read_logged: false,
        }
    }

    /// The style and id that the pad appears with: the title's best supported one.
    fn place(&self) -> Option<(u32, u32)> {
        let docked = [(style::FULL_KEY, NPAD_NO1), (style::JOY_DUAL, NPAD_NO1), (style::HANDHELD, NPAD_HANDHELD)];
        let handheld = [(style::HANDHELD, NPAD_HANDHELD), (style::FULL_KEY, NPAD_NO1), (style::JOY_DUAL, NPAD_NO1)];
        let order = if self.docked { docked } else { handheld };
        order.into_iter().find(|(style, id)| self.supported_styles & style != 0 && self.supported_ids.contains(id))
    }

    fn sample(&mut self, frame: u64, real_time: bool) -> Option<PadState> {
        // One sample for a frame keeps a run repeatable; in real time each read looks again.
        if real_time || self.last_frame != Some(frame) {
            self.last = self.pads.sample(frame);
            self.last_frame = Some(frame);
        }
        self.samples += 1;
        self.last
    }
}

fn attributes(of: u32) -> u32 {
    match of {
        style::FULL_KEY => 0x03,
        style::HANDHELD => 0x3F,
        style::JOY_DUAL => 0x01 | 0x04 | 0x10,
        style::JOY_LEFT => 0x05,
        _ => 0x11,
    }
}

/// One npad state.
fn encode(number: u64, pad: Option<&PadState>, style: u32) -> [u8; npad::SIZE as usize] {
    let mut bytes = [0u8; npad::SIZE as usize];
    let mut put =
        |offset: u64, value: &[u8]| bytes[offset as usize..offset as usize + value.len()].copy_from_slice(value);
    put(npad::SAMPLING_NUMBER, &number.to_le_bytes());
    if let Some(pad) = pad {
        put(npad::BUTTONS, &pad.button_bits().to_le_bytes());
        for (offset, stick) in [(npad::STICK_LEFT, pad.stick_left), (npad::STICK_RIGHT, pad.stick_right)] {
            let (x, y) = stick.units();
            put(offset, &x.to_le_bytes());
            put(offset + 4, &y.to_le_bytes());
        }
        put(npad::ATTRIBUTES, &attributes(style).to_le_bytes());
    }
    bytes
}

fn read_states(call: &GuestCall<'_>, style: u32, out: u64, count: u32, id_pointer: u64) -> Result<u32, GuestFault> {
    let id = call.memory().read_u32(id_pointer)?;
    let frame = call.kernel().clock().frame();
    let real_time = call.kernel().clock().mode() == crate::time::TimeMode::Real;
    let (number, pad, first) = {
        let mut hid = locked(&call.process().services().hid);
        let pad = hid.sample(frame, real_time);
        let pad = if hid.place() == Some((style, id)) { pad } else { None };
        (hid.samples, pad, !std::mem::replace(&mut hid.read_logged, true))
    };
    if first {
        call.process().milestone("first input read");
    }
    // Older samples are not kept: one per call, repeated numbers would stall edge detection.
    let written = count.min(1);
    if written == 1 {
        call.memory().write(out, &encode(number, pad.as_ref(), style))?;
    }
    Ok(written)
}

fn styles_of(call: &GuestCall<'_>, id: u32) -> u32 {
    let frame = call.kernel().clock().frame();
    let mut hid = locked(&call.process().services().hid);
    // Asking for the style is no read of the buttons, but a pad that is not connected has none.
    let connected = hid.last.is_some() || {
        hid.last = hid.pads.sample(frame);
        hid.last.is_some()
    };
    match hid.place() {
        Some((style, at)) if at == id && connected => style,
        _ => 0,
    }
}

fn signal_styles(call: &GuestCall<'_>) {
    let events = locked(&call.process().services().hid).style_events.clone();
    for (_, event) in events {
        call.kernel().signal(event);
    }
}

pub(super) fn register(r: &HostRegistry) {
    r.register_all(
        &[
            "_ZN2nn3hid14InitializeNpadEv",
            "_ZN2nn3hid21InitializeTouchScreenEv",
            "_ZN2nn3hid18InitializeKeyboardEv",
            "_ZN2nn3hid15InitializeMouseEv",
        ],
        |_| {},
    );
    r.register_all(
        &["_ZN2nn3hid22SetSupportedNpadIdTypeEPKjm", "_ZN2nn3hid6detail22SetSupportedNpadIdTypeEPKji"],
        |c| {
            let count = (c.w(1) as usize).min(NPAD_IDS.len());
            let mut ids = Vec::with_capacity(count);
            for index in 0..count {
                ids.push(c.memory().read_u32(c.x(0) + index as u64 * 4)?);
            }
            locked(&c.process().services().hid).supported_ids = ids;
            signal_styles(c);
            Ok::<_, GuestFault>(())
        },
    );
    r.register("_ZN2nn3hid24SetSupportedNpadStyleSetENS_4util10BitFlagSetILi32ENS0_12NpadStyleTagEEE", |c| {
        locked(&c.process().services().hid).supported_styles = c.w(0);
        signal_styles(c);
    });
    r.register("_ZN2nn3hid15GetNpadStyleSetERKj", |c| Ok::<_, GuestFault>(styles_of(c, c.memory().read_u32(c.x(0))?)));
    r.register("_ZN2nn3hid27BindNpadStyleSetUpdateEventERKjPNS_2os15SystemEventTypeENS3_14EventClearModeE", |c| {
        let id = c.memory().read_u32(c.x(0))?;
        let event = os_sync::initialize_kernel_event(c, c.x(1), c.w(2) == 1)?;
        locked(&c.process().services().hid).style_events.push((id, event));
        Ok::<_, GuestFault>(())
    });
    for (name, style) in [
        ("16NpadFullKeyState", style::FULL_KEY),
        ("17NpadHandheldState", style::HANDHELD),
        ("16NpadJoyDualState", style::JOY_DUAL),
        ("16NpadJoyLeftState", style::JOY_LEFT),
        ("17NpadJoyRightState", style::JOY_RIGHT),
    ] {
        r.register(&format!("_ZN2nn3hid12GetNpadStateEPNS0_{name}ERKj"), move |c| {
            read_states(c, style, c.x(0), 1, c.x(1)).map(|_| ())
        });
        r.register(&format!("_ZN2nn3hid13GetNpadStatesEPNS0_{name}EiRKj"), move |c| {
            read_states(c, style, c.x(0), c.w(1), c.x(2))
        });
        r.register(&format!("_ZN2nn3hid6detail13GetNpadStatesEPiPNS0_{name}EiRKj"), move |c| {
            let written = read_states(c, style, c.x(1), c.w(2), c.x(3))?;
            c.memory().write_u32(c.x(0), written)?;
            Ok::<_, GuestFault>(0u32)
        });
    }
    r.register("_ZN2nn3hid19GetPlayerLedPatternERKj", |c| {
        const PATTERNS: [u32; 8] = [1, 3, 7, 15, 9, 5, 13, 6];
        Ok::<_, GuestFault>(PATTERNS.get(c.memory().read_u32(c.x(0))? as usize).copied().unwrap_or(0))
    });
    r.register_all(
        &[
            "_ZN2nn3hid18SetNpadJoyHoldTypeENS0_15NpadJoyHoldTypeE",
            "_ZN2nn3hid28SetNpadJoyAssignmentModeDualERKj",
            "_ZN2nn3hid30SetNpadJoyAssignmentModeSingleERKj",
            "_ZN2nn3hid30SetNpadJoyAssignmentModeSingleERKjNS0_17NpadJoyDeviceTypeE",
            "_ZN2nn3hid29SetNpadHandheldActivationModeENS0_26NpadHandheldActivationModeE",
            "_ZN2nn3hid25InitializeVibrationDeviceERKNS0_21VibrationDeviceHandleE",
            "_ZN2nn3hid18SendVibrationValueERKNS0_21VibrationDeviceHandleERKNS0_14VibrationValueE",
            "_ZN2nn3hid18StartSixAxisSensorERKNS0_19SixAxisSensorHandleE",
            "_ZN2nn3hid17StopSixAxisSensorERKNS0_19SixAxisSensorHandleE",
        ],
        |_| {},
    );
    r.register("_ZN2nn3hid18GetNpadJoyHoldTypeEv", |_| 0u32);
    for count in [1u64, 4, 5, 16] {
        r.register(&format!("_ZN2nn3hid19GetTouchScreenStateILm{count}EEEvPNS0_16TouchScreenStateIXT_EEE"), move |c| {
            Ok::<_, GuestFault>(c.memory().fill(c.x(0), 0, 0x10 + count * 0x28)?)
        });
    }
    r.register("_ZN2nn3hid16GetKeyboardStateEPNS0_13KeyboardStateE", |c| {
        Ok::<_, GuestFault>(c.memory().fill(c.x(0), 0, 0x30)?)
    });
    r.register("_ZN2nn3hid13GetMouseStateEPNS0_10MouseStateE", |c| {
        Ok::<_, GuestFault>(c.memory().fill(c.x(0), 0, 0x28)?)
    });
}

#[cfg(test)]
mod tests {
    use ferrograph_media::input::{Button, Script, ScriptPad, Stick};

    use super::*;

    #[test]
    fn a_state_has_the_title_s_layout() {
        let pad = PadState {
            buttons: [Button::A, Button::Down].into_iter().collect(),
            stick_left: Stick::new(0.0, 1.0),
            stick_right: Stick::new(-1.0, 0.0),
        };
        let bytes = encode(7, Some(&pad), style::FULL_KEY);
        assert_eq!(bytes.len(), 0x28);
        assert_eq!(bytes[0..8], 7u64.to_le_bytes());
        // A, Down, left stick up (17), right stick left (20).
        assert_eq!(bytes[8..16], (1u64 | 1 << 15 | 1 << 17 | 1 << 20).to_le_bytes());
        assert_eq!(bytes[0x10..0x18], [0, 0, 0, 0, 0xFF, 0x7F, 0, 0]);
        assert_eq!(bytes[0x18..0x1C], (-32767i32).to_le_bytes());
        assert_eq!(bytes[0x20], 3);
        assert_eq!(encode(8, None, style::FULL_KEY)[8..], [0; 0x20]);
    }

    #[test]
    fn the_pad_takes_the_best_place_the_title_supports() {
        let script = || Box::new(ScriptPad(Script::default()));
        let mut hid = Hid::new(script(), true);
        assert_eq!(hid.place(), None, "no style before the title names some");
        hid.supported_styles = style::FULL_KEY | style::HANDHELD;
        assert_eq!(hid.place(), Some((style::FULL_KEY, NPAD_NO1)));
        hid.supported_ids = vec![NPAD_HANDHELD];
        assert_eq!(hid.place(), Some((style::HANDHELD, NPAD_HANDHELD)));
        let mut hid = Hid::new(script(), false);
        hid.supported_styles = style::FULL_KEY | style::HANDHELD;
        assert_eq!(hid.place(), Some((style::HANDHELD, NPAD_HANDHELD)));
    }
}
