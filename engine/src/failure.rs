//! Why a command ended, and with which exit status.

use std::fmt::Display;
use std::io::Write;

/// A command's failure.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The arguments or the input are wrong: exit status 2.
    Input(String),
    /// It could not be done: exit status 1.
    Could(String),
    /// The title ended itself with this status.
    Title(u8),
}

impl Failure {
    /// The input is wrong.
    pub(crate) fn input(error: impl Display) -> Self {
        Self::Input(error.to_string())
    }

    /// The machine could not do it.
    pub(crate) fn could(error: impl Display) -> Self {
        Self::Could(error.to_string())
    }

    /// Prints the one message.
    pub(crate) fn report(&self) {
        if let Self::Input(message) | Self::Could(message) = self {
            // Nothing is left to do when stderr is closed.
            let _ = writeln!(std::io::stderr(), "error: {message}");
        }
    }

    /// The status for the shell.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Self::Input(_) => 2,
            Self::Could(_) => 1,
            Self::Title(status) => *status,
        }
    }
}

impl From<nvn_decode::trace::TraceError> for Failure {
    fn from(error: nvn_decode::trace::TraceError) -> Self {
        match error {
            nvn_decode::trace::TraceError::Io { .. } => Self::could(error),
            _ => Self::input(error),
        }
    }
}

/// Reads a file; a missing or unreadable one is a wrong input.
pub(crate) fn read_file(path: &std::path::Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| Failure::input(format!("{}: {error}: check the path", path.display())))
}

/// Writes a file; a full disk or a missing folder is no fault of the input.
pub(crate) fn write_file(path: &std::path::Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(path, bytes).map_err(|error| {
        Failure::could(format!(
            "{}: cannot write {} bytes: {error}: check the folder and the free space",
            path.display(),
            bytes.len()
        ))
    })
}
