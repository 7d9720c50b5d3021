//! The tracked files of the repository, or a planted set of them.

use std::path::Path;
use std::process::Command;

/// One file.
#[derive(Debug, Clone)]
pub(super) struct File {
    /// Its path from the root, with `/` between the parts.
    pub(super) path: String,
    /// What it holds.
    pub(super) bytes: Vec<u8>,
}

impl File {
    /// The text, when it is UTF-8.
    pub(super) fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok()
    }

    /// Whether it is Rust source.
    pub(super) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// The folder it lies in, without a slash at the end; empty at the root.
    pub(super) fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

/// A set of files.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    /// In the order of their paths.
    pub(super) files: Vec<File>,
}

impl Tree {
    /// A tree of the given paths and contents.
    pub(super) fn of(mut files: Vec<(String, Vec<u8>)>) -> Self {
        files.sort();
        Self { files: files.into_iter().map(|(path, bytes)| File { path, bytes }).collect() }
    }

    /// The files that git tracks here; without git, those that a clone would hold.
    pub(super) fn tracked() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests' folder lies in the workspace");
        let paths = git_files(root).unwrap_or_else(|| walk(root));
        assert!(paths.iter().any(|path| path == "Cargo.toml"), "these are not the files of the workspace: {paths:?}");
        // A file that is tracked and was just deleted has nothing to check.
        Self::of(
            paths.into_iter().filter_map(|path| Some((path.clone(), std::fs::read(root.join(path)).ok()?))).collect(),
        )
    }

    /// The manifests of the workspace's crates: each with the crate's folder.
    pub(super) fn manifests(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files
            .iter()
            .filter(|file| file.path.ends_with("/Cargo.toml"))
            .filter_map(|file| Some((file.folder(), file.text()?)))
    }

    /// The folder of the crate that a file belongs to: the innermost one with a manifest.
    pub(super) fn crate_of(&self, path: &str) -> Option<&str> {
        self.manifests()
            .map(|(folder, _)| folder)
            .filter(|folder| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
            .max_by_key(|folder| folder.len())
    }
}

fn git_files(root: &Path) -> Option<Vec<String>> {
    // A clone that belongs to another user is read all the same: nothing of it is run.
    let output =
        Command::new("git").args(["-c", "safe.directory=*", "ls-files", "-z"]).current_dir(root).output().ok()?;
    let list = String::from_utf8(output.stdout).ok()?;
    let files: Vec<String> = list.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    (output.status.success() && !files.is_empty()).then_some(files)
}

fn walk(root: &Path) -> Vec<String> {
    let mut paths = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(root.join(&folder)) else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            let ignored = matches!(path.as_str(), "target" | ".git")
                || (folder == "recomp-out" && path != "recomp-out/runtime")
                || path.ends_with(".snap.new");
            match entry.file_type() {
                _ if ignored => {}
                Ok(kind) if kind.is_dir() => folders.push(path),
                _ => paths.push(path),
            }
        }
    }
    paths
}

#[test]
fn walking_finds_what_git_tracks() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests' folder lies in the workspace");
    let walked = walk(root);
    for path in git_files(root).unwrap_or_default() {
        assert!(walked.contains(&path) || !root.join(&path).exists(), "{path} is tracked, but a walk does not find it");
    }
}
