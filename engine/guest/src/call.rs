//! What a host function sees of the guest's call: registers, memory, its thread, and the way back into guest code.

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::abi::{Context, V128};
use crate::fault::GuestFault;
use crate::kernel::{Kernel, ThreadId};
use crate::memory::GuestMemory;
use crate::process::{GuestThread, Process};

/// One call from the guest into the host. Integer and pointer arguments are `x(0)` to `x(7)`, floating-point ones `s(0)`/`d(0)` and on, numbered apart.
pub struct GuestCall<'a> {
    context: NonNull<Context>,
    thread: &'a GuestThread,
}

impl<'a> GuestCall<'a> {
    /// # Safety
    /// `context` must be the live context of `thread`, and nobody else may use its registers while self lives.
    pub(crate) unsafe fn new(context: NonNull<Context>, thread: &'a GuestThread) -> GuestCall<'a> {
        GuestCall { context, thread }
    }

    pub(crate) fn context(&self) -> &Context {
        // SAFETY: live for as long as self (new's contract); the one field that others write is atomic.
        unsafe { self.context.as_ref() }
    }

    pub(crate) fn context_pointer(&self) -> *mut Context {
        self.context.as_ptr()
    }

    /// General register `index` (0 to 30).
    pub fn x(&self, index: usize) -> u64 {
        self.context().x[index]
    }

    /// Low half of a general register.
    pub fn w(&self, index: usize) -> u32 {
        self.x(index) as u32
    }

    /// Low half of a general register as a signed number.
    pub fn i32(&self, index: usize) -> i32 {
        self.x(index) as i32
    }

    /// A bool argument: its upper bits may be anything.
    pub fn flag(&self, index: usize) -> bool {
        self.x(index) & 0xFF != 0
    }

    /// Sets a general register.
    pub fn set_x(&mut self, index: usize, value: u64) {
        // SAFETY: live and ours (new's contract); x is a plain field that nobody else touches.
        unsafe { (*self.context.as_ptr()).x[index] = value };
    }

    /// Vector register `index` (0 to 31) as two halves.
    pub fn v(&self, index: usize) -> [u64; 2] {
        self.context().v[index].0
    }

    /// Sets a vector register.
    pub fn set_v(&mut self, index: usize, value: [u64; 2]) {
        // SAFETY: as in set_x.
        unsafe { (*self.context.as_ptr()).v[index] = V128(value) };
    }

    /// A double argument.
    pub fn d(&self, index: usize) -> f64 {
        f64::from_bits(self.v(index)[0])
    }

    /// Sets a double result; the register's upper half becomes zero.
    pub fn set_d(&mut self, index: usize, value: f64) {
        self.set_v(index, [value.to_bits(), 0]);
    }

    /// A float argument.
    pub fn s(&self, index: usize) -> f32 {
        f32::from_bits(self.v(index)[0] as u32)
    }

    /// Sets a float result; the rest of the register becomes zero.
    pub fn set_s(&mut self, index: usize, value: f32) {
        self.set_v(index, [u64::from(value.to_bits()), 0]);
    }

    /// The stack pointer.
    pub fn sp(&self) -> u64 {
        self.context().sp
    }

    /// Argument number `index` beyond the eight in registers: 8-byte slots on the stack.
    pub fn stack_argument(&self, index: u64) -> Result<u64, GuestFault> {
        Ok(self.memory().read_u64(self.sp().wrapping_add(index * 8))?)
    }

    /// Where the guest continues: the caller's address for logs.
    pub fn return_address(&self) -> u64 {
        self.x(30)
    }

    /// Guest memory.
    pub fn memory(&self) -> &'a GuestMemory {
        self.thread.process().memory()
    }

    /// The guest process.
    pub fn process(&self) -> &'a Arc<Process> {
        self.thread.process()
    }

    /// The kernel.
    pub fn kernel(&self) -> &'a Arc<Kernel> {
        self.thread.process().kernel()
    }

    /// The calling thread.
    pub fn thread(&self) -> &'a GuestThread {
        self.thread
    }

    /// The calling thread's kernel id.
    pub fn thread_id(&self) -> ThreadId {
        self.thread.id()
    }

    /// A NUL-terminated string argument, at most 64 KiB, with bad UTF-8 replaced.
    pub fn string(&self, address: u64) -> Result<String, GuestFault> {
        Ok(String::from_utf8_lossy(&self.memory().read_string(address, 0x1_0000)?).into_owned())
    }

    /// Runs host work that may take long without the virtual core (catalogue ): other guest threads run meanwhile. `work` must not call
    /// guest code or wait through the kernel.
    pub fn release_core<T>(&self, work: impl FnOnce() -> T) -> T {
        self.kernel().release_core(self.thread_id(), work)
    }

    /// Calls guest code (or another host function) at `pc` with up to eight arguments and returns its x0. Registers that the calling convention keeps
    /// are restored.
    pub fn call_guest(&mut self, pc: u64, arguments: &[u64]) -> Result<u64, GuestFault> {
        let process = Arc::clone(self.process());
        let (saved_x, saved_v, saved_sp) = (self.context().x, self.context().v, self.context().sp);
        for (index, value) in arguments.iter().take(8).enumerate() {
            self.set_x(index, *value);
        }
        self.set_x(30, process.registry().return_address());
        // SAFETY: as in set_x. The stack pointer stays 16-aligned, as a call needs it.
        unsafe { (*self.context.as_ptr()).sp = saved_sp & !15 };
        let outcome = process.enter(self, pc);
        let result = self.x(0);
        // SAFETY: as in set_x.
        let context = unsafe { &mut *self.context.as_ptr() };
        context.x[18..31].copy_from_slice(&saved_x[18..31]);
        context.v[8..16].copy_from_slice(&saved_v[8..16]);
        context.sp = saved_sp;
        outcome.map(|()| result)
    }

    /// Lets the scheduler have a look, if it asked for one.
    pub(crate) fn poll(&self) {
        if self.context().yield_requested.load(Ordering::Relaxed) != 0 {
            self.kernel().poll(self.thread_id());
        }
    }
}
