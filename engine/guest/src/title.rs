//! A title on disk: `exefs/` with modules and metadata, `romfs/` with its files.

use std::path::{Path, PathBuf};

use recomp::nso::{Nso, NsoError};

use crate::npdm::{Npdm, NpdmError};

/// Why a folder is no title that can be run. All of these are mistakes of the input (exit status 2).
#[derive(Debug, thiserror::Error)]
pub enum TitleError {
    /// No `exefs/` folder.
    #[error("{path} has no exefs/ folder; give the folder that holds exefs/ and romfs/")]
    NoExefs {
        /// The folder given.
        path: PathBuf,
    },
    /// No `exefs/main`.
    #[error("{path} is missing; an extracted ExeFS holds main, main.npdm and usually rtld, sdk and subsdk0..9")]
    NoMain {
        /// The file.
        path: PathBuf,
    },
    /// No `exefs/main.npdm`.
    #[error("{path} is missing; extract the whole ExeFS, with its metadata")]
    NoNpdm {
        /// The file.
        path: PathBuf,
    },
    /// No `romfs/` folder.
    #[error("{path} has no romfs/ folder; extract the title's RomFS next to exefs/")]
    NoRomfs {
        /// The folder given.
        path: PathBuf,
    },
    /// A file can't be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
    /// Bad metadata.
    #[error("{path}: {source}")]
    Npdm {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: NpdmError,
    },
    /// A bad module.
    #[error("{path}: {source}")]
    Module {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: NsoError,
    },
}

/// One module of a title, not yet placed.
#[derive(Debug, Clone)]
pub struct TitleModule {
    /// File name in the ExeFS: "main", "subsdk0", "sdk".
    pub name: String,
    /// Its contents.
    pub nso: Nso,
}

/// A title's folders and metadata.
#[derive(Debug, Clone)]
pub struct TitleDir {
    /// The folder that holds `exefs/` and `romfs/`.
    pub path: PathBuf,
    /// Metadata.
    pub npdm: Npdm,
    /// Modules in the order in which they are placed: main, subsdk0..9, sdk. The guest's own dynamic linker (rtld) is left out; the host does its work.
    pub modules: Vec<TitleModule>,
}

impl TitleDir {
    /// Reads and checks everything that a boot needs.
    pub fn open(path: &Path) -> Result<TitleDir, TitleError> {
        let exefs = path.join("exefs");
        if !exefs.is_dir() {
            return Err(TitleError::NoExefs { path: path.to_owned() });
        }
        let main = exefs.join("main");
        if !main.is_file() {
            return Err(TitleError::NoMain { path: main });
        }
        let metadata = exefs.join("main.npdm");
        if !metadata.is_file() {
            return Err(TitleError::NoNpdm { path: metadata });
        }
        if !path.join("romfs").is_dir() {
            return Err(TitleError::NoRomfs { path: path.to_owned() });
        }
        let read =
            |path: &Path| std::fs::read(path).map_err(|source| TitleError::Read { path: path.to_owned(), source });
        let npdm =
            Npdm::parse(&read(&metadata)?).map_err(|source| TitleError::Npdm { path: metadata.clone(), source })?;
        let names = ["main".to_owned()]
            .into_iter()
            .chain((0..10).map(|index| format!("subsdk{index}")))
            .chain(["sdk".to_owned()]);
        let mut modules = Vec::new();
        for name in names {
            let file = exefs.join(&name);
            if !file.is_file() {
                continue;
            }
            let nso = Nso::parse(&read(&file)?).map_err(|source| TitleError::Module { path: file, source })?;
            modules.push(TitleModule { name, nso });
        }
        Ok(TitleDir { path: path.to_owned(), npdm, modules })
    }

    /// The folder of the title's files.
    pub fn romfs(&self) -> PathBuf {
        self.path.join("romfs")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_missing_part_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        assert!(matches!(TitleDir::open(path), Err(TitleError::NoExefs { .. })));
        std::fs::create_dir(path.join("exefs")).unwrap();
        assert!(matches!(TitleDir::open(path), Err(TitleError::NoMain { .. })));
        std::fs::write(path.join("exefs/main"), b"NSO0").unwrap();
        assert!(matches!(TitleDir::open(path), Err(TitleError::NoNpdm { .. })));
        std::fs::write(path.join("exefs/main.npdm"), b"META").unwrap();
        assert!(matches!(TitleDir::open(path), Err(TitleError::NoRomfs { .. })));
        std::fs::create_dir(path.join("romfs")).unwrap();
        assert!(matches!(TitleDir::open(path), Err(TitleError::Npdm { .. })));
        std::fs::write(path.join("exefs/main.npdm"), crate::npdm::tests::sample()).unwrap();
        let error = TitleDir::open(path).unwrap_err();
        assert!(matches!(error, TitleError::Module { .. }), "{error}");
        assert!(error.to_string().contains("exefs/main"), "{error}");
    }
}
