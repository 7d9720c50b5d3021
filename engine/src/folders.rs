//! The user's own folders, by the XDG base directory specification.

use std::path::PathBuf;

/// A variable that holds an absolute path; an empty or relative one counts as unset.
fn absolute(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Where the user's data lies.
pub(crate) fn data() -> Option<PathBuf> {
    absolute("XDG_DATA_HOME").or_else(|| Some(absolute("HOME")?.join(".local/share")))
}

/// Where what can be made again lies.
pub(crate) fn cache() -> Option<PathBuf> {
    absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))
}
