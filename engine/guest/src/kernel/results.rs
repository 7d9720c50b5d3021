//! Result codes as the guest sees them: module in bits 0..8, description in bits 9..21.

/// An error that goes back to the guest in w0. Never 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("result {0:#x} (module {module}, description {description})", module = self.module(), description = self.description())]
pub struct ResultCode(pub u32);

impl ResultCode {
    /// The module that made it (1 = kernel, 2 = fs, 3 = os).
    pub fn module(self) -> u32 {
        self.0 & 0x1FF
    }

    /// The description within the module.
    pub fn description(self) -> u32 {
        self.0 >> 9 & 0x1FFF
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $value:expr;)*) => {
        $($(#[$doc])* pub const $name: ResultCode = ResultCode($value);)*
    };
}

codes! {
    /// Kernel: the call is not implemented.
    NOT_IMPLEMENTED = 0x4201;
    /// Kernel: the thread is being ended.
    TERMINATION_REQUESTED = 0x7601;
    /// Kernel: a size is zero or misaligned.
    INVALID_SIZE = 0xCA01;
    /// Kernel: an address is misaligned.
    INVALID_ADDRESS = 0xCC01;
    /// Kernel: too many objects.
    OUT_OF_RESOURCE = 0xCE01;
    /// Kernel: no memory.
    OUT_OF_MEMORY = 0xD001;
    /// Kernel: the handle table is full.
    OUT_OF_HANDLES = 0xD201;
    /// Kernel: memory is not in the state the call needs.
    INVALID_CURRENT_MEMORY = 0xD401;
    /// Kernel: a permission that may not be asked for.
    INVALID_NEW_MEMORY_PERMISSION = 0xD801;
    /// Kernel: a range outside its region.
    INVALID_MEMORY_REGION = 0xDC01;
    /// Kernel: a priority outside the process's range.
    INVALID_PRIORITY = 0xE001;
    /// Kernel: a core outside the process's mask.
    INVALID_CORE = 0xE201;
    /// Kernel: an unknown handle, or one of another kind.
    INVALID_HANDLE = 0xE401;
    /// Kernel: a pointer to memory that is not mapped.
    INVALID_POINTER = 0xE601;
    /// Kernel: arguments that exclude one another.
    INVALID_COMBINATION = 0xE801;
    /// Kernel: the wait's time is over.
    TIMED_OUT = 0xEA01;
    /// Kernel: the wait was cancelled.
    CANCELLED = 0xEC01;
    /// Kernel: a count or size beyond the limit.
    OUT_OF_RANGE = 0xEE01;
    /// Kernel: an unknown enumerator.
    INVALID_ENUM = 0xF001;
    /// Kernel: nothing of that name.
    NOT_FOUND = 0xF201;
    /// Kernel: the session's other end is closed.
    SESSION_CLOSED = 0xF601;
    /// Kernel: the object is not in the state the call needs.
    INVALID_STATE = 0xFA01;
    /// Kernel: not supported.
    NOT_SUPPORTED = 0xFE01;
    /// os: the heap cannot shrink below what is in use.
    OS_BUSY = 0x803;
    /// os: no memory.
    OS_OUT_OF_MEMORY = 0x1003;
    /// os: no free thread, slot or handle.
    OS_OUT_OF_RESOURCE = 0x1203;
    /// os: no address space.
    OS_NO_ADDRESS_SPACE = 0x1803;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_module_and_description() {
        // Descriptions as listed for the kernel's results.
        for (code, description) in
            [(INVALID_SIZE, 101), (INVALID_HANDLE, 114), (TIMED_OUT, 117), (INVALID_STATE, 125), (NOT_IMPLEMENTED, 33)]
        {
            assert_eq!((code.module(), code.description()), (1, description));
        }
        assert_eq!(OS_OUT_OF_MEMORY.module(), 3);
        assert_eq!(TIMED_OUT.to_string(), "result 0xea01 (module 1, description 117)");
    }
}
