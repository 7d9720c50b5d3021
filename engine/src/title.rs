//! A title's folder: `exefs/main`, `exefs/main.npdm`, `romfs/`.

use crate::failure::Failure;
use crate::folders;
use crate::profile::Profile;
use std::path::{Path, PathBuf};

/// A title's folder, checked.
#[derive(Debug, Clone)]
pub(crate) struct Title {
    /// The folder.
    pub(crate) dir: PathBuf,
}

impl Title {
    /// Checks that the parts are there.
    pub(crate) fn open(dir: &Path) -> Result<Self, Failure> {
        let missing = |what: &str, why: &str| Failure::input(format!("{}: {what} is missing: {why}", dir.display()));
        if !dir.is_dir() {
            return Err(Failure::input(format!(
                "{}: no such folder: give the folder that holds exefs/ and romfs/",
                dir.display()
            )));
        }
        if !dir.join("exefs").is_dir() {
            return Err(missing("exefs/", "extract the title's ExeFS there"));
        }
        for file in ["main", "main.npdm"] {
            if !dir.join("exefs").join(file).is_file() {
                return Err(missing(&format!("exefs/{file}"), "the ExeFS is not complete"));
            }
        }
        if !dir.join("romfs").is_dir() {
            return Err(missing(
                "romfs/",
                "extract the title's RomFS there (an empty folder will do for a title without one)",
            ));
        }
        Ok(Self { dir: dir.to_owned() })
    }

    /// Where built code of titles goes: `recomp-out/` of a checkout, else the user's cache folder.
    ///
    /// # Errors
    /// The user has no folder of their own: code is never loaded from a place that anybody may write to.
    pub(crate) fn build_root() -> Result<PathBuf, Failure> {
        let mut folder = std::env::current_exe().ok();
        while let Some(here) = folder.as_deref().and_then(Path::parent) {
            if here.join("recomp-out/runtime").is_dir() {
                return Ok(here.join("recomp-out"));
            }
            folder = Some(here.to_owned());
        }
        let cache = folders::cache();
        let none = "there is no folder for built code: set HOME or XDG_CACHE_HOME to a folder of your own";
        Ok(cache.ok_or_else(|| Failure::could(none))?.join("ferrograph/recomp-out"))
    }

    /// The title's profile: the one given, else `profiles/<title id>.ron` beside the checkout or the program, else the defaults.
    pub(crate) fn profile(&self, given: Option<&Path>, title_id: u64) -> Result<Profile, Failure> {
        let name = format!("{title_id:016x}.ron");
        if let Some(path) = given {
            let profile = Profile::read(path)?;
            if !profile.title_id.is_empty() && !name.eq_ignore_ascii_case(&format!("{}.ron", profile.title_id)) {
                let (path, id) = (path.display(), &profile.title_id);
                tracing::warn!("{path}: the profile is for title {id}, and this is title {title_id:016x}");
            }
            return Ok(profile);
        }
        let mut folders: Vec<PathBuf> = vec![PathBuf::from("profiles")];
        let mut program = std::env::current_exe().ok();
        while let Some(here) = program.as_deref().and_then(Path::parent) {
            folders.push(here.join("profiles"));
            program = Some(here.to_owned());
        }
        match folders.iter().map(|folder| folder.join(&name)).find(|path| path.is_file()) {
            Some(path) => Profile::read(&path),
            None => Ok(Profile {
                title_id: format!("{title_id:016x}"),
                name: format!("title {title_id:016x}"),
                ..Profile::default()
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_missing_part_is_named() {
        let dir = std::env::temp_dir().join(format!("ferrograph-title-{}", std::process::id()));
        let message = |dir: &Path| match Title::open(dir) {
            Err(Failure::Input(message)) => message,
            other => panic!("an error was due, not {other:?}"),
        };
        assert!(message(&dir).contains("no such folder"));
        std::fs::create_dir_all(dir.join("exefs")).expect("folder");
        assert!(message(&dir).contains("exefs/main is missing"));
        std::fs::write(dir.join("exefs/main"), b"x").expect("file");
        std::fs::write(dir.join("exefs/main.npdm"), b"x").expect("file");
        assert!(message(&dir).contains("romfs/ is missing"));
        std::fs::create_dir_all(dir.join("romfs")).expect("folder");
        assert!(Title::open(&dir).is_ok());
        std::fs::remove_dir_all(&dir).expect("clean");
    }
}
