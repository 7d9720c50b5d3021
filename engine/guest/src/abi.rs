//! ABI v1 between lifted code and the host: the mirror of `recomp-out/runtime/ferrograph_abi.h`.
//!
//! A test compiles the header with the machine's C compiler and compares every size and offset.

use std::ffi::{c_char, c_void};
use std::sync::atomic::{AtomicU32, Ordering};

/// Version of the contract.
pub const ABI_VERSION: u32 = 1;
/// First word of the manifest: 'FGM1'.
pub const MANIFEST_MAGIC: u32 = 0x314D_4746;
/// Symbol of the manifest in a lifted object.
pub const MANIFEST_SYMBOL: &str = "fg_manifest";
/// Bytes between two host function addresses.
pub const HOST_FUNCTION_STRIDE: u64 = 16;
/// `exclusive_address` when no exclusive access is pending.
pub const NO_EXCLUSIVE: u64 = u64::MAX;

/// Calls into lifted code.
pub type Entry = unsafe extern "C" fn(*mut Context);

/// One vector register, as two little-endian halves.
#[repr(C, align(16))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct V128(pub [u64; 2]);

/// The guest's architectural state (`struct fg_context`).
#[repr(C, align(16))]
#[derive(Debug)]
pub struct Context {
    /// x0..x30; x30 is the link register.
    pub x: [u64; 31],
    /// Stack pointer.
    pub sp: u64,
    /// v0..v31.
    pub v: [V128; 32],
    /// Target of a pending dispatch, or the reported pc in host calls.
    pub pc: u64,
    /// Condition flags, bits 31..28.
    pub nzcv: u32,
    /// Floating-point control.
    pub fpcr: u32,
    /// Floating-point status.
    pub fpsr: u32,
    /// Set by the host, polled by loops and indirect calls.
    pub yield_requested: AtomicU32,
    /// User thread pointer.
    pub tpidr_el0: u64,
    /// The thread-local region.
    pub tpidrro_el0: u64,
    /// Address of a pending exclusive load, or [`NO_EXCLUSIVE`].
    pub exclusive_address: u64,
    /// What the exclusive load saw.
    pub exclusive_value: [u64; 2],
    /// The host's functions.
    pub host: *const Host,
    /// The host's thread object.
    pub host_thread: *mut c_void,
    /// Nested uniform entries.
    pub call_depth: u64,
    /// Zero.
    pub reserved: [u64; 5],
}

impl Context {
    /// A zeroed context: FPCR 0, no exclusive access pending.
    pub fn new(host: *const Host) -> Context {
        Context {
            x: [0; 31],
            sp: 0,
            v: [V128::default(); 32],
            pc: 0,
            nzcv: 0,
            fpcr: 0,
            fpsr: 0,
            yield_requested: AtomicU32::new(0),
            tpidr_el0: 0,
            tpidrro_el0: 0,
            exclusive_address: NO_EXCLUSIVE,
            exclusive_value: [0; 2],
            host,
            host_thread: std::ptr::null_mut(),
            call_depth: 0,
            reserved: [0; 5],
        }
    }

    /// Asks the thread to call `yield` at its next poll.
    pub fn request_yield(&self) {
        self.yield_requested.store(1, Ordering::SeqCst);
    }
}

/// What the host offers to lifted code (`struct fg_host`).
#[repr(C)]
#[derive(Debug)]
pub struct Host {
    /// [`ABI_VERSION`].
    pub abi_version: u32,
    /// `size_of::<Host>()`.
    pub size: u32,
    /// `svc #immediate` at `pc`.
    pub svc: unsafe extern "C" fn(*mut Context, u32),
    /// A call or jump to an address that no dispatch table holds.
    pub call: unsafe extern "C" fn(*mut Context, u64),
    /// `yield_requested` was seen set.
    pub yield_now: unsafe extern "C" fn(*mut Context),
    /// An instruction that can't be run; does not return.
    pub trap: unsafe extern "C" fn(*mut Context, u64, u32, *const c_char) -> !,
    /// System registers that the host owns.
    pub read_system_register: unsafe extern "C" fn(*mut Context, u32) -> u64,
}

/// A module's dispatch table (`struct fg_module`).
#[repr(C)]
#[derive(Debug)]
pub struct ModuleTable {
    /// NUL-terminated module name.
    pub name: *const c_char,
    /// Build id, zero padded.
    pub build_id: [u8; 32],
    /// Guest address of the module.
    pub base: u64,
    /// First guest address of its text.
    pub text_begin: u64,
    /// One past the last.
    pub text_end: u64,
    /// `entries[(pc - text_begin) / 4]`.
    pub entries: *const Option<Entry>,
    /// Sorted guest addresses.
    pub function_starts: *const u64,
    /// How many.
    pub function_count: u64,
    /// Words that trap.
    pub unknown_instructions: u64,
}

/// The manifest of a lifted object (`struct fg_manifest`).
#[repr(C)]
#[derive(Debug)]
pub struct Manifest {
    /// [`MANIFEST_MAGIC`].
    pub magic: u32,
    /// [`ABI_VERSION`].
    pub abi_version: u32,
    /// 1 = x86-64, 3 = x86-64-v3.
    pub cpu_level: u32,
    /// Modules.
    pub module_count: u32,
    /// Their tables.
    pub modules: *const ModuleTable,
    /// NUL-terminated version of the lifter.
    pub lifter_version: *const c_char,
    /// NUL-terminated hash of all build ids, lifter and options.
    pub title_key: *const c_char,
    /// Called once before the first entry.
    pub attach: Option<unsafe extern "C" fn(*const Host)>,
    /// Runs guest code at a pc until it returns to x30.
    pub enter: Option<unsafe extern "C" fn(*mut Context, u64)>,
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;
    use std::process::Command;

    use super::*;

    #[test]
    fn sizes_and_offsets_equal_those_of_the_header() {
        let facts: &[(&str, usize)] = &[
            ("sizeof(struct fg_context)", size_of::<Context>()),
            ("_Alignof(struct fg_context)", align_of::<Context>()),
            ("offsetof(struct fg_context, x)", offset_of!(Context, x)),
            ("offsetof(struct fg_context, sp)", offset_of!(Context, sp)),
            ("offsetof(struct fg_context, v)", offset_of!(Context, v)),
            ("offsetof(struct fg_context, pc)", offset_of!(Context, pc)),
            ("offsetof(struct fg_context, nzcv)", offset_of!(Context, nzcv)),
            ("offsetof(struct fg_context, fpcr)", offset_of!(Context, fpcr)),
            ("offsetof(struct fg_context, fpsr)", offset_of!(Context, fpsr)),
            ("offsetof(struct fg_context, yield_requested)", offset_of!(Context, yield_requested)),
            ("offsetof(struct fg_context, tpidr_el0)", offset_of!(Context, tpidr_el0)),
            ("offsetof(struct fg_context, tpidrro_el0)", offset_of!(Context, tpidrro_el0)),
            ("offsetof(struct fg_context, exclusive_address)", offset_of!(Context, exclusive_address)),
            ("offsetof(struct fg_context, exclusive_value)", offset_of!(Context, exclusive_value)),
            ("offsetof(struct fg_context, host)", offset_of!(Context, host)),
            ("offsetof(struct fg_context, host_thread)", offset_of!(Context, host_thread)),
            ("offsetof(struct fg_context, call_depth)", offset_of!(Context, call_depth)),
            ("offsetof(struct fg_context, reserved)", offset_of!(Context, reserved)),
            ("sizeof(struct fg_host)", size_of::<Host>()),
            ("offsetof(struct fg_host, svc)", offset_of!(Host, svc)),
            ("offsetof(struct fg_host, call)", offset_of!(Host, call)),
            ("offsetof(struct fg_host, yield)", offset_of!(Host, yield_now)),
            ("offsetof(struct fg_host, trap)", offset_of!(Host, trap)),
            ("offsetof(struct fg_host, read_system_register)", offset_of!(Host, read_system_register)),
            ("sizeof(struct fg_module)", size_of::<ModuleTable>()),
            ("offsetof(struct fg_module, build_id)", offset_of!(ModuleTable, build_id)),
            ("offsetof(struct fg_module, base)", offset_of!(ModuleTable, base)),
            ("offsetof(struct fg_module, text_begin)", offset_of!(ModuleTable, text_begin)),
            ("offsetof(struct fg_module, text_end)", offset_of!(ModuleTable, text_end)),
            ("offsetof(struct fg_module, entries)", offset_of!(ModuleTable, entries)),
            ("offsetof(struct fg_module, function_starts)", offset_of!(ModuleTable, function_starts)),
            ("offsetof(struct fg_module, function_count)", offset_of!(ModuleTable, function_count)),
            ("offsetof(struct fg_module, unknown_instructions)", offset_of!(ModuleTable, unknown_instructions)),
            ("sizeof(struct fg_manifest)", size_of::<Manifest>()),
            ("offsetof(struct fg_manifest, magic)", offset_of!(Manifest, magic)),
            ("offsetof(struct fg_manifest, abi_version)", offset_of!(Manifest, abi_version)),
            ("offsetof(struct fg_manifest, cpu_level)", offset_of!(Manifest, cpu_level)),
            ("offsetof(struct fg_manifest, module_count)", offset_of!(Manifest, module_count)),
            ("offsetof(struct fg_manifest, modules)", offset_of!(Manifest, modules)),
            ("offsetof(struct fg_manifest, lifter_version)", offset_of!(Manifest, lifter_version)),
            ("offsetof(struct fg_manifest, title_key)", offset_of!(Manifest, title_key)),
            ("offsetof(struct fg_manifest, attach)", offset_of!(Manifest, attach)),
            ("offsetof(struct fg_manifest, enter)", offset_of!(Manifest, enter)),
            ("FG_ABI_VERSION", ABI_VERSION as usize),
        ];
        let mut source = String::from("#include <stddef.h>\n#include \"ferrograph_abi.h\"\n");
        for (expression, value) in facts {
            source += &format!("_Static_assert({expression} == {value}, \"{expression} is not {value}\");\n");
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("check.c");
        let runtime = concat!(env!("CARGO_MANIFEST_DIR"), "/../../recomp-out/runtime");
        let compile = |source: &str| {
            std::fs::write(&file, source).unwrap();
            Command::new("cc").args(["-std=gnu11", "-fsyntax-only", "-I", runtime]).arg(&file).output()
        };
        let Ok(output) = compile(&source) else {
            // No C compiler here: the layout is still held by the assertions below.
            assert_eq!(size_of::<Context>(), 0x380);
            return;
        };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        // The check itself can fail.
        let planted = source.clone() + "_Static_assert(sizeof(struct fg_host) == 1, \"planted\");\n";
        assert!(!compile(&planted).unwrap().status.success());
    }
}
