//! How a title ends: normally, by its own abort, or by a fault with a guest backtrace.

use std::fmt::Write;

use crate::kernel::ResultCode;
use crate::memory::MemoryFault;

/// Something the guest did that ends its process.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GuestFault {
    /// A host function was given a pointer to memory that is not there.
    #[error("bad pointer: {0}")]
    Memory(#[from] MemoryFault),
    /// Lifted code accessed memory that is not mapped, or wrote read-only memory.
    #[error("guest code accessed {address:#x}, which is not mapped for that")]
    Access {
        /// The address.
        address: u64,
    },
    /// A thread's stack ran out.
    #[error("the stack of {size:#x} bytes is used up: {address:#x} lies below it")]
    StackOverflow {
        /// The address.
        address: u64,
        /// Bytes of the stack.
        size: u64,
    },
    /// The title aborted or failed an assertion.
    #[error("the title stopped itself: {0}")]
    Abort(String),
    /// The title misused an SDK object.
    #[error("misuse of {object} at {address:#x}: {rule}")]
    Misuse {
        /// Kind of object.
        object: &'static str,
        /// Its guest address.
        address: u64,
        /// What was not kept.
        rule: &'static str,
    },
    /// A call or jump to an address without code.
    #[error(
        "a call to {target:#x}, which holds no code that was lifted; a wild pointer, or a function that `ferrograph recomp` did not find"
    )]
    UnknownTarget {
        /// The address.
        target: u64,
    },
    /// An instruction that can't be run.
    #[error("instruction {word:#010x} at {pc:#x} cannot be run: {what}")]
    Trap {
        /// Where.
        pc: u64,
        /// The instruction.
        word: u32,
        /// Why.
        what: String,
    },
    /// The host's own function failed.
    #[error("host function {function} failed: {message}")]
    Host {
        /// Which function.
        function: String,
        /// What happened.
        message: String,
    },
    /// The kernel refused something that a host function relies on.
    #[error("kernel call failed: {0}")]
    Kernel(ResultCode),
}

impl GuestFault {
    /// What a person who sees the fault can do.
    pub fn advice(&self) -> &'static str {
        match self {
            GuestFault::Access { .. } | GuestFault::Memory(_) => {
                "look at the innermost functions above, and at earlier warnings of functions that are not implemented: their 0 may be what was used as a pointer"
            }
            GuestFault::StackOverflow { .. } => {
                "look for recursion in the functions above; on the console the same thread would stop here too"
            }
            GuestFault::Abort(_) | GuestFault::Misuse { .. } => {
                "the title itself gave up: look at the warnings before this, and at what it was told last"
            }
            GuestFault::UnknownTarget { .. } => {
                "lift the title again with this version; if it stays, report the address and the backtrace"
            }
            GuestFault::Trap { .. } => {
                "report the instruction with its address: the lifter does not know it, or the title meant to stop"
            }
            GuestFault::Host { .. } | GuestFault::Kernel(_) => {
                "this is a defect of this program: report it with the backtrace"
            }
        }
    }
}

/// A fault with where it happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultReport {
    /// What happened.
    pub fault: GuestFault,
    /// Name of the guest thread.
    pub thread: String,
    /// Guest addresses from the innermost outward.
    pub frames: Vec<u64>,
    /// The same with module, function and offset.
    pub backtrace: Vec<String>,
    /// General registers as last stored: x0..x30, sp.
    pub registers: Vec<u64>,
}

impl std::fmt::Display for FaultReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "guest thread \"{}\": {}", self.thread, self.fault)?;
        for (index, frame) in self.backtrace.iter().enumerate() {
            writeln!(f, "  #{index:<2} {frame}")?;
        }
        writeln!(f, "  {}", self.fault.advice())?;
        let mut line = String::new();
        for (index, value) in self.registers.iter().enumerate() {
            let name = if index == 31 { "sp".to_owned() } else { format!("x{index}") };
            let _ = write!(line, "  {name:>3}={value:#018x}");
            if index % 4 == 3 || index + 1 == self.registers.len() {
                writeln!(f, "{line}")?;
                line.clear();
            }
        }
        Ok(())
    }
}

/// How a guest process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exit {
    /// `nnMain` returned, or the title asked to leave with this status.
    Finished {
        /// 0 for a normal end.
        status: i32,
    },
    /// It could not go on.
    Fault(Box<FaultReport>),
}

impl Exit {
    /// The program's exit status: 0, the title's own status (as 1), or 1.
    pub fn status(&self) -> i32 {
        match self {
            Exit::Finished { status: 0 } => 0,
            Exit::Finished { .. } | Exit::Fault(_) => 1,
        }
    }
}
