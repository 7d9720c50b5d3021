//! nn::diag: aborts, assertions, module facts.

use crate::call::GuestCall;
use crate::fault::GuestFault;
use crate::memory::GuestWrite;
use crate::registry::HostRegistry;

fn text(call: &GuestCall<'_>, address: u64) -> String {
    if address == 0 { String::new() } else { call.string(address).unwrap_or_else(|fault| format!("<{fault}>")) }
}

fn abort(call: &GuestCall<'_>, first: usize, what: &str, with_result: bool) -> GuestFault {
    let (condition, function, file) =
        (text(call, call.x(first)), text(call, call.x(first + 1)), text(call, call.x(first + 2)));
    let line = call.i32(first + 3);
    let result = if with_result {
        let code = crate::kernel::ResultCode(call.w(first + 4));
        format!(", {code}")
    } else {
        String::new()
    };
    GuestFault::Abort(format!("{what} \"{condition}\" in {function} ({file}:{line}){result}"))
}

pub(super) fn register(r: &HostRegistry) {
    r.register("_ZN2nn4diag6detail9AbortImplEPKcS3_S3_i", |c| Err::<(), _>(abort(c, 0, "abort", false)));
    r.register_all(
        &["_ZN2nn4diag6detail9AbortImplEPKcS3_S3_iNS_6ResultE", "_ZN2nn4diag6detail9AbortImplEPKcS3_S3_ij"],
        |c| Err::<(), _>(abort(c, 0, "abort", true)),
    );
    r.register("_ZN2nn4diag6detail18OnAssertionFailureENS0_13AssertionTypeEPKcS4_S4_i", |c| {
        Err::<(), _>(abort(c, 1, "assertion", false))
    });
    r.register("_ZN2nn6detail21UnexpectedDefaultImplEPKcS2_i", |c| {
        let (function, file, line) = (text(c, c.x(0)), text(c, c.x(1)), c.i32(2));
        Err::<(), _>(GuestFault::Abort(format!("a switch met an unexpected value in {function} ({file}:{line})")))
    });
    r.register("_ZN2nn4diag12GetBacktraceEPmi", |c| {
        let frames = c.process().frames(c.context(), c.thread());
        let count = frames.len().min(usize::try_from(c.i32(1)).unwrap_or(0));
        for (index, frame) in frames[..count].iter().enumerate() {
            c.memory().write_u64(c.x(0) + index as u64 * 8, *frame)?;
        }
        Ok::<_, GuestFault>(count as u64)
    });
    r.register("_ZN2nn4diag40GetRequiredBufferSizeForGetAllModuleInfoEv", |c| {
        c.process().title().modules.len() as u64 * (0x18 + 0x20)
    });
    r.register("_ZN2nn4diag16GetAllModuleInfoEPPNS0_10ModuleInfoEPvm", |c| {
        let (out, buffer, size) = (c.x(0), c.x(1), c.x(2));
        let modules = &c.process().title().modules;
        let count = modules.len().min((size / 0x38) as usize);
        for (index, module) in modules[..count].iter().enumerate() {
            let (record, name) = (buffer + index as u64 * 0x18, buffer + count as u64 * 0x18 + index as u64 * 0x20);
            let mut bytes = [0u8; 0x20];
            let kept = module.name.len().min(31);
            bytes[..kept].copy_from_slice(&module.name.as_bytes()[..kept]);
            c.memory().write(name, &bytes)?;
            c.memory().write_u64(record, name)?;
            c.memory().write_u64(record + 8, module.base)?;
            c.memory().write_u64(record + 16, module.end() - module.base)?;
        }
        c.memory().write_u64(out, buffer)?;
        Ok::<_, GuestFault>(count as u32)
    });
    r.register("_ZN2nn4diag13GetSymbolNameEPcmm", |c| {
        if c.x(1) > 0 {
            c.memory().write_u8(c.x(0), 0)?;
        }
        Ok::<_, GuestFault>(0u64)
    });
}
