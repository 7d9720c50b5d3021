//! Files that a command leaves behind: whole, or not at all.
//!
//! What is written goes into a file of its own beside the place it is for, and takes that place when it is whole. A run that fails leaves what was there.

use crate::failure::Failure;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file that is being written.
#[derive(Debug)]
pub(crate) struct Output {
    path: PathBuf,
    /// `None`: written in place, since it is a device or a pipe, or its folder takes no other file.
    whole: Option<NamedTempFile>,
    file: File,
}

impl Output {
    /// Begins a file for `path`. Nothing is there, or changed there, before [`Output::keep`].
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let wrong = |e: std::io::Error| {
            // Without the name of the file beside it, which says nothing to anybody.
            let why = e.raw_os_error().map_or(e, std::io::Error::from_raw_os_error);
            Failure::could(format!("{}: {why}: check the folder", path.display()))
        };
        // What a link leads to is replaced, not the link.
        let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let in_place = |e: Option<std::io::Error>| {
            let file = File::create(&real).map_err(|own| wrong(e.unwrap_or(own)))?;
            Ok(Self { path: path.to_owned(), whole: None, file })
        };
        if std::fs::metadata(&real).is_ok_and(|found| !found.is_file()) {
            return in_place(None);
        }
        let folder = real.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let permissions = std::fs::Permissions::from_mode(0o666);
        let made = tempfile::Builder::new().prefix(".ferrograph-").permissions(permissions).tempfile_in(folder);
        match made {
            Ok(whole) => {
                let file = whole.reopen().map_err(wrong)?;
                Ok(Self { path: real, whole: Some(whole), file })
            }
            Err(error) if error.kind() == ErrorKind::PermissionDenied && real.is_file() => in_place(Some(error)),
            Err(error) => Err(wrong(error)),
        }
    }

    /// What is to be written to; may still be written to when the file has its place.
    pub(crate) fn file(&self) -> Result<File, Failure> {
        self.file.try_clone().map_err(|e| Failure::could(format!("{}: {e}: check the folder", self.path.display())))
    }

    /// Gives the file its place.
    pub(crate) fn keep(self) -> Result<(), Failure> {
        let Self { path, whole, .. } = self;
        match whole.map(|whole| whole.persist(&path)) {
            None | Some(Ok(_)) => Ok(()),
            Some(Err(error)) => Err(Failure::could(format!("{}: {}: check the folder", path.display(), error.error))),
        }
    }
}

/// Writes a file; a full disk or a missing folder is no fault of the input.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let output = Output::create(path)?;
    output.file()?.write_all(bytes).map_err(|error| {
        Failure::could(format!(
            "{}: cannot write {} bytes: {error}: check the folder and the free space",
            path.display(),
            bytes.len()
        ))
    })?;
    output.keep()
}

/// Prints to standard output. A pipe that the reader closed is no failure.
pub(crate) fn say(text: &str) -> Result<(), Failure> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::could(format!("standard output cannot be written: {error}: check where it leads")))
        }
        _ => Ok(()),
    }
}

/// Where a path leads, whether or not something is there.
fn place(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::canonicalize(path)
        .or_else(|_| std::fs::canonicalize(folder).map(|folder| folder.join(name)))
        .unwrap_or_else(|_| path.to_owned())
}

/// Refuses a run that would write two things to one file, or over what it reads. Devices and pipes take several.
pub(crate) fn check_apart(files: &[(&str, Option<&Path>)]) -> Result<(), Failure> {
    let given = files.iter().filter_map(|(what, path)| path.map(|path| (*what, path, place(path))));
    let given: Vec<_> = given.filter(|(_, _, place)| !place.exists() || place.is_file()).collect();
    for (at, (what, path, place)) in given.iter().enumerate() {
        if let Some((other, _, _)) = given[..at].iter().find(|(_, _, other)| other == place) {
            return Err(Failure::input(format!(
                "{}: it is {other} and {what}: give each a file of its own",
                path.display()
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_as_it_was_until_the_new_one_is_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        write_file(&path, b"before").expect("written");
        let output = Output::create(&path).expect("begun");
        output.file().and_then(|mut f| f.write_all(b"half").map_err(Failure::could)).expect("written");
        assert_eq!(std::fs::read(&path).expect("a file"), b"before");
        drop(output);
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing else is left");
        write_file(&path, b"after").expect("written");
        assert_eq!(std::fs::read(&path).expect("a file"), b"after");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).expect("a link");
        write_file(&link, b"through").expect("written");
        assert!(link.is_symlink(), "the link stays one");
        assert_eq!(std::fs::read(&path).expect("a file"), b"through");
        let missing = write_file(&folder.path().join("none/file"), b"x").expect_err("no such folder");
        assert_eq!(missing.status(), 1);
    }

    #[test]
    fn one_file_has_one_use() {
        let folder = tempfile::tempdir().expect("a folder");
        let (a, b) = (folder.path().join("a"), folder.path().join("b"));
        std::fs::write(&a, b"x").expect("written");
        std::os::unix::fs::symlink(&a, &b).expect("a link");
        let dotted = folder.path().join("./c");
        let plain = folder.path().join("c");
        assert!(check_apart(&[("the trace", Some(&a)), ("--stats", Some(&plain)), ("-o", None)]).is_ok());
        for (one, two) in [(&a, &b), (&dotted, &plain)] {
            let wrong = check_apart(&[("the trace", Some(one)), ("--stats", Some(two))]).expect_err("the same file");
            assert_eq!(wrong.status(), 2);
        }
        let null = Path::new("/dev/null");
        assert!(check_apart(&[("--screenshot", Some(null)), ("--stats", Some(null))]).is_ok());
    }
}
