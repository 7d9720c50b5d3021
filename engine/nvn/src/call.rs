//! One call of an API function: argument registers, guest memory, result.

use crate::device::Nvn;
use bytemuck::{AnyBitPattern, NoUninit, Zeroable};
use nvn_decode::memory::{GuestWrite, MemoryFault};

/// Why a call did nothing. The caller logs it with the function's name and returns zero to the guest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// An argument points outside guest memory.
    #[error(transparent)]
    Memory(#[from] MemoryFault),
    /// An object was not initialised, was finalised, or is of another kind.
    #[error("{what} at {address:#x} is not initialised: the title must call its Initialize or SetDefaults first")]
    NotInitialised {
        /// Kind of object.
        what: &'static str,
        /// Its address.
        address: u64,
    },
    /// An argument is outside what the API allows.
    #[error("argument {what} = {value:#x} is out of range: {rule}")]
    Argument {
        /// Which.
        what: &'static str,
        /// Value.
        value: u64,
        /// What is allowed.
        rule: &'static str,
    },
}

/// Runs guest code: the command-memory callback of a title.
pub type CallGuest<'a> = &'a mut dyn FnMut(u64, &[u64]) -> u64;

/// A call in progress.
pub struct Call<'a> {
    /// The API's state.
    pub nvn: &'a Nvn,
    /// Guest memory.
    pub memory: &'a dyn GuestWrite,
    /// Integer and pointer arguments, x0 to x7.
    pub x: [u64; 8],
    /// Float arguments, s0 to s7.
    pub s: [f32; 8],
    /// What goes back in s0, for functions that give a float.
    pub float_result: Option<f32>,
    /// Calls back into the guest: function, arguments, result.
    pub call_guest: CallGuest<'a>,
    /// Runs work that may block; the guest's virtual core is free meanwhile.
    pub block: &'a mut dyn FnMut(&mut dyn FnMut()),
}

impl std::fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call").field("x", &self.x).field("s", &self.s).finish_non_exhaustive()
    }
}

impl Call<'_> {
    /// Integer argument `n` as the API's `int`.
    #[must_use]
    pub fn int(&self, n: usize) -> i32 {
        self.x[n] as i32
    }

    /// Integer argument `n` as an unsigned word.
    #[must_use]
    pub fn word(&self, n: usize) -> u32 {
        self.x[n] as u32
    }

    /// Boolean argument `n` (the API's booleans are bytes).
    #[must_use]
    pub fn flag(&self, n: usize) -> bool {
        self.x[n] as u8 != 0
    }

    /// Argument `n` as an index below `limit`.
    ///
    /// # Errors
    /// When it is negative or not below the limit.
    pub fn index(&self, n: usize, what: &'static str, limit: usize) -> Result<usize, CallError> {
        let value = self.int(n);
        usize::try_from(value).ok().filter(|v| *v < limit).ok_or(CallError::Argument {
            what,
            value: u64::from(value as u32),
            rule: "it must be from 0 to the number of slots - 1",
        })
    }

    /// Argument `n` as a count of at most `limit` items.
    ///
    /// # Errors
    /// When it is negative or larger.
    pub fn count(&self, n: usize, what: &'static str, limit: usize) -> Result<usize, CallError> {
        self.index(n, what, limit + 1)
    }

    /// Reads a value from guest memory.
    ///
    /// # Errors
    /// When the address is not mapped.
    pub fn read<T: NoUninit + AnyBitPattern + Zeroable>(&self, address: u64) -> Result<T, CallError> {
        let mut value = T::zeroed();
        self.memory.read(address, bytemuck::bytes_of_mut(&mut value))?;
        Ok(value)
    }

    /// Reads `count` values one behind another.
    ///
    /// # Errors
    /// When the range is not mapped.
    pub fn read_slice<T: NoUninit + AnyBitPattern + Zeroable>(
        &self,
        address: u64,
        count: usize,
    ) -> Result<Vec<T>, CallError> {
        let mut values = vec![T::zeroed(); count];
        self.memory.read(address, bytemuck::cast_slice_mut(&mut values))?;
        Ok(values)
    }

    /// Writes a value to guest memory.
    ///
    /// # Errors
    /// When the address is not mapped.
    pub fn write<T: NoUninit>(&self, address: u64, value: &T) -> Result<(), CallError> {
        Ok(self.memory.write(address, bytemuck::bytes_of(value))?)
    }

    /// Writes a value where the guest gave an address; nothing for a null pointer.
    ///
    /// # Errors
    /// When the address is not mapped.
    pub fn write_out<T: NoUninit>(&self, address: u64, value: &T) -> Result<(), CallError> {
        if address == 0 { Ok(()) } else { self.write(address, value) }
    }

    /// Reads a string that ends with a zero byte, at most 255 bytes; invalid UTF-8 is replaced.
    ///
    /// # Errors
    /// When the address is not mapped.
    pub fn text(&self, address: u64) -> Result<String, CallError> {
        let mut bytes = Vec::new();
        for n in 0..255 {
            let byte: u8 = self.read(address.wrapping_add(n))?;
            if byte == 0 {
                break;
            }
            bytes.push(byte);
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Result of a function: what goes back in x0.
pub type Outcome = Result<u64, CallError>;
