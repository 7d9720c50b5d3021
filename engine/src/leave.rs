//! How the process ends.

use std::io::Write;

/// Ends the process with this status, and runs nothing more of it.
///
/// Guest threads may still stand inside lifted code or a driver when a run is over: a title has no duty to end them. Returning from `main` would unload what they
/// stand in under them: the destructors of a driver and of its compiler run at `exit`, beside threads that use both, and the process dies by a signal
/// instead of ending with its status. Files are closed by those who wrote them, hence nothing is left to be done.
pub(crate) fn leave(status: u8) -> ! {
    // Nothing is left to do when either is closed.
    let _ = std::io::stdout().flush();
    let _ = std::io::stderr().flush();
    // SAFETY: `_exit` takes a number and does not return; no thread of this process runs behind it.
    unsafe { libc::_exit(i32::from(status)) }
}
