//! nn::vi: one display, its layers and native windows; nv graphics start-up.

use super::{locked, os_sync};
use crate::call::GuestCall;
use crate::fault::GuestFault;
use crate::kernel::ResultCode;
use crate::memory::GuestWrite;
use crate::registry::HostRegistry;

const NOT_SUPPORTED: ResultCode = ResultCode(0xC72);
const PERMISSION_DENIED: ResultCode = ResultCode(0xA72);
const NOT_FOUND: ResultCode = ResultCode(0xE72);

/// Display state: tokens are guest addresses, so that titles may compare and store them.
#[derive(Debug, Default)]
pub(crate) struct Vi {
    display: u64,
    layers: Vec<u64>,
    scaling: u32,
}

fn token(call: &GuestCall<'_>) -> Result<u64, GuestFault> {
    call.memory().allocate_local(16, 16).map_err(|error| GuestFault::Abort(error.to_string()))
}

fn open_display(call: &mut GuestCall<'_>) -> Result<u32, GuestFault> {
    let known = locked(&call.process().services().vi).display;
    let display = if known == 0 { token(call)? } else { known };
    locked(&call.process().services().vi).display = display;
    call.memory().write_u64(call.x(0), display)?;
    Ok(0)
}

fn create_layer(call: &mut GuestCall<'_>) -> Result<Result<(), ResultCode>, GuestFault> {
    if call.x(1) != locked(&call.process().services().vi).display {
        return Ok(Err(NOT_FOUND));
    }
    let layer = token(call)?;
    locked(&call.process().services().vi).layers.push(layer);
    call.memory().write_u64(call.x(0), layer)?;
    call.process().milestone("display layer");
    Ok(Ok(()))
}

fn write_size(call: &GuestCall<'_>, width: u32, height: u32) -> Result<u32, GuestFault> {
    call.memory().write_u32(call.x(0), width)?;
    call.memory().write_u32(call.x(1), height)?;
    Ok(0)
}

pub(super) fn register(r: &HostRegistry) {
    r.register_all(
        &["_ZN2nn2vi10InitializeEv", "_ZN2nn2vi8FinalizeEv", "_ZN2nn2vi12CloseDisplayEPNS0_7DisplayE"],
        |_| {},
    );
    r.register("_ZN2nn2vi18OpenDefaultDisplayEPPNS0_7DisplayE", open_display);
    r.register("_ZN2nn2vi11OpenDisplayEPPNS0_7DisplayEPKc", |c| match c.string(c.x(1))?.as_str() {
        "Default" | "External" | "Edid" | "Internal" | "Null" => open_display(c).map(|_| Ok(())),
        _ => Ok(Err(NOT_FOUND)),
    });
    r.register_all(
        &[
            "_ZN2nn2vi11CreateLayerEPPNS0_5LayerEPNS0_7DisplayE",
            "_ZN2nn2vi11CreateLayerEPPNS0_5LayerEPNS0_7DisplayEii",
            "_ZN2nn2vi11CreateLayerEPPNS0_5LayerEPNS0_7DisplayEPKNS0_21LayerCreationSettingsE",
        ],
        create_layer,
    );
    r.register("_ZN2nn2vi12DestroyLayerEPNS0_5LayerE", |c| {
        let layer = c.x(0);
        locked(&c.process().services().vi).layers.retain(|other| *other != layer);
    });
    r.register("_ZN2nn2vi15GetNativeWindowEPPvPNS0_5LayerE", |c| {
        let layer = c.x(1);
        if !locked(&c.process().services().vi).layers.contains(&layer) {
            return Ok(Err(NOT_FOUND));
        }
        // The layer's own token is the window: one layer has one window.
        c.memory().write_u64(c.x(0), layer)?;
        Ok::<_, GuestFault>(Ok(()))
    });
    r.register("_ZN2nn2vi19SetLayerScalingModeEPNS0_5LayerENS0_11ScalingModeE", |c| match c.w(1) {
        mode @ (2 | 4) => {
            locked(&c.process().services().vi).scaling = mode;
            Ok(())
        }
        _ => Err(NOT_SUPPORTED),
    });
    r.register("_ZN2nn2vi20GetDisplayVsyncEventEPNS_2os15SystemEventTypeEPNS0_7DisplayE", |c| {
        let event = os_sync::initialize_kernel_event(c, c.x(0), true)?;
        Ok::<_, GuestFault>(c.kernel().start_vsync(event).ok_or(PERMISSION_DENIED))
    });
    r.register("_ZN2nn2vi20GetDisplayResolutionEPiS1_PKNS0_7DisplayE", |c| write_size(c, 1280, 720));
    r.register("_ZN2nn2vi27GetDisplayLogicalResolutionEPiS1_PKNS0_7DisplayE", |c| write_size(c, 1920, 1080));
    r.register("_ZN2nn2vi20GetLatestFrameNumberEPmPKNS0_5LayerE", |c| {
        c.memory().write_u64(c.x(0), c.kernel().clock().frame())?;
        Ok::<_, GuestFault>(0u32)
    });
    r.register("_ZN2nn2vi12ListDisplaysEPNS0_11DisplayInfoEi", |c| {
        if c.i32(1) < 1 {
            return Ok(0u32);
        }
        let mut info = [0u8; 0x60];
        info[..7].copy_from_slice(b"Default");
        info[0x40] = 1;
        for (offset, value) in [(0x48, 1u64), (0x50, 1920), (0x58, 1080)] {
            info[offset..offset + 8].copy_from_slice(&value.to_le_bytes());
        }
        c.memory().write(c.x(0), &info)?;
        Ok::<_, GuestFault>(1)
    });
    r.register_all(
        &[
            "_ZN2nv20SetGraphicsAllocatorEPFPvmmS0_EPFvS0_S0_EPFS0_S0_mS0_ES0_",
            "_ZN2nv28SetGraphicsDevtoolsAllocatorEPFPvmmS0_EPFvS0_S0_EPFS0_S0_mS0_ES0_",
            "_ZN2nv18InitializeGraphicsEPvm",
            "_ZN2nv16FinalizeGraphicsEv",
        ],
        |_| {},
    );
}
