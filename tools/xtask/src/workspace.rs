//! Where things lie in the checkout.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The checkout and its build folder.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// The folder that holds the workspace's `Cargo.toml`.
    pub root: PathBuf,
    /// Cargo's build folder: `CARGO_TARGET_DIR`, else `target` under the root.
    pub target: PathBuf,
}

impl Workspace {
    /// Finds the workspace that this program was built from.
    ///
    /// # Errors
    /// The folder that it was built from is gone.
    pub fn find() -> Result<Self> {
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest
            .join("../..")
            .canonicalize()
            .with_context(|| format!("no workspace above {}: run this as `cargo xtask`", manifest.display()))?;
        Ok(Self::at(root))
    }

    /// The workspace at `root`.
    #[must_use]
    pub fn at(root: PathBuf) -> Self {
        let target = match std::env::var_os("CARGO_TARGET_DIR") {
            Some(folder) => root.join(folder),
            None => root.join("target"),
        };
        Self { root, target }
    }

    /// The folder that holds one subfolder per software Vulkan driver.
    #[must_use]
    pub fn drivers(&self) -> PathBuf {
        self.target.join("drivers")
    }

    /// The folder of a built guest title (it holds `exefs/` and `romfs/`). Its builder puts it there wherever Cargo's
    /// build folder is.
    #[must_use]
    pub fn title(&self, name: &str) -> PathBuf {
        self.root.join("target/titles").join(name)
    }

    /// `path` as a person would write it: relative to the root where it lies below it.
    #[must_use]
    pub fn shorten<'a>(&self, path: &'a Path) -> std::path::Display<'a> {
        path.strip_prefix(&self.root).unwrap_or(path).display()
    }
}
