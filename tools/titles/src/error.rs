//! What can go wrong while a title is built.

use std::path::PathBuf;

/// A failure of the title builder: what happened, to which file, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum TitleError {
    /// A file could not be read, written or created.
    #[error("{action} {}: {source}", path.display())]
    Io {
        /// What was tried ("read", "write", "create").
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A fact table has a line that does not fit its header.
    #[error("{}:{line}: {what}", path.display())]
    Table {
        /// The table.
        path: PathBuf,
        /// Line number from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// No title of that name.
    #[error("no title named {0:?} under tests/titles; known titles: {1}")]
    UnknownTitle(String, String),
    /// A tool is not installed.
    #[error("cannot start {tool}: {source}; install clang-19 and lld-19 (`apt-get install clang-19 lld-19`)")]
    Tool {
        /// The program's name.
        tool: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A tool reported an error.
    #[error("{tool} failed on {what}:\n{output}")]
    ToolFailed {
        /// The program's name.
        tool: String,
        /// What it was working on.
        what: String,
        /// Its standard error.
        output: String,
    },
    /// The linked module could not be turned into an NSO.
    #[error("{module}: the linked ELF does not become an NSO: {what}")]
    Module {
        /// The module's name.
        module: String,
        /// The converter's reason.
        what: recomp::nso::NsoWriteError,
    },
}

impl TitleError {
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }
}

pub(crate) fn read(path: &std::path::Path) -> Result<Vec<u8>, TitleError> {
    std::fs::read(path).map_err(TitleError::io("read", path))
}

pub(crate) fn write(path: &std::path::Path, bytes: &[u8]) -> Result<(), TitleError> {
    std::fs::write(path, bytes).map_err(TitleError::io("write", path))
}
