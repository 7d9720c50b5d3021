//! Why a command ended, and with which exit status.

use std::fmt::Display;
use std::io::Write;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use nvn_decode::trace::TraceError;

/// A command's failure.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The arguments or the input are wrong: exit status 2.
    Input(String),
    /// It could not be done: exit status 1.
    Could(String),
    /// The title ended itself with this status.
    Title(u8),
    /// A trace that cannot be read or written, before it is said which ([`Failure::at`]).
    Trace(TraceError),
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
        let message = match self {
            Self::Input(message) | Self::Could(message) => message.clone(),
            Self::Trace(error) => error.to_string(),
            Self::Title(_) => return,
        };
        // Nothing is left to do when stderr is closed.
        let _ = writeln!(std::io::stderr(), "error: {}", printable(&message));
    }

    /// The status for the shell.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Self::Input(_) => 2,
            Self::Could(_) => 1,
            Self::Title(status) => *status,
            Self::Trace(error) if error.is_input() => 2,
            Self::Trace(_) => 1,
        }
    }

    /// Says which trace it is.
    pub(crate) fn at(self, path: &Path) -> Self {
        match self {
            Self::Trace(error) if error.is_input() => Self::input(format!("{}: {error}", path.display())),
            Self::Trace(error) => {
                Self::could(format!("{}: {error}: check the disk and its free space", path.display()))
            }
            other => other,
        }
    }
}

impl From<TraceError> for Failure {
    fn from(error: TraceError) -> Self {
        Self::Trace(error)
    }
}

/// Text from outside as a terminal may show it: control characters other than the ends of lines become `\u{fffd}`.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Reads a file; a missing or unreadable one is a wrong input.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, Failure> {
    // Some devices never end.
    if std::fs::metadata(path).is_ok_and(|found| found.file_type().is_char_device()) {
        return Err(Failure::input(format!("{}: it is a device: give a file", path.display())));
    }
    std::fs::read(path).map_err(|error| Failure::input(format!("{}: {error}: check the path", path.display())))
}
