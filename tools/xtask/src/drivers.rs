//! The software Vulkan drivers that tests run on, unpacked beside the system's.
//!
//! Each has a folder `target/drivers/NAME/` with `icd.json`, which the Vulkan loader takes through `VK_DRIVER_FILES`.
//! `lavapipe-25` is Mesa 25 of Debian's backports suite; `lavapipe-22` is Debian 12's own Mesa, by reference. Libraries
//! that the former needs and the system lacks lie in `lavapipe-25/lib/`, which is empty on most machines.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::apt::{self, SideApt};
use crate::process;
use crate::workspace::Workspace;

/// A Vulkan driver to run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driver {
    /// Mesa 25's software driver: Vulkan 1.4, descriptor indexing, shader objects.
    Lavapipe25,
    /// Debian 12's software driver, Mesa 22.3: Vulkan 1.3 without descriptor indexing. Keeps the fallbacks tested.
    Lavapipe22,
    /// Whatever the Vulkan loader finds, hardware first.
    System,
}

impl Driver {
    /// The software drivers, the richer one first.
    pub const SOFTWARE: [Self; 2] = [Self::Lavapipe25, Self::Lavapipe22];

    /// The driver's name: its folder, and the value of `FERROGRAPH_TEST_DRIVER`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lavapipe25 => "lavapipe-25",
            Self::Lavapipe22 => "lavapipe-22",
            Self::System => "system",
        }
    }

    /// The file that the Vulkan loader reads, for a software driver.
    #[must_use]
    pub fn icd(self, workspace: &Workspace) -> Option<PathBuf> {
        (self != Self::System).then(|| workspace.drivers().join(self.name()).join("icd.json"))
    }

    /// The environment under which the Vulkan loader takes this driver, and no other.
    #[must_use]
    pub fn environment(self, workspace: &Workspace) -> Vec<(&'static str, String)> {
        let Some(icd) = self.icd(workspace) else { return Vec::new() };
        let mut environment = vec![
            ("VK_DRIVER_FILES", icd.display().to_string()),
            // The older name of the same variable, which loaders before 1.3.207 read.
            ("VK_ICD_FILENAMES", icd.display().to_string()),
            ("FERROGRAPH_TEST_DRIVER", self.name().to_owned()),
        ];
        let libraries = workspace.drivers().join(self.name()).join("lib");
        if std::fs::read_dir(&libraries).is_ok_and(|mut entries| entries.next().is_some()) {
            let mut path = libraries.display().to_string();
            if let Ok(inherited) = std::env::var("LD_LIBRARY_PATH") {
                path = format!("{path}:{inherited}");
            }
            environment.push(("LD_LIBRARY_PATH", path));
        }
        environment
    }

    /// Whether it is set up.
    #[must_use]
    pub fn is_ready(self, workspace: &Workspace) -> bool {
        self.icd(workspace).is_none_or(|icd| {
            std::fs::read_to_string(icd)
                .ok()
                .and_then(|text| library_path(&text).map(str::to_owned))
                .is_some_and(|library| !library.starts_with('/') || Path::new(&library).is_file())
        })
    }

    /// Sets the driver up where it is not. The system's Mesa package must be installed.
    ///
    /// # Errors
    /// The package could not be fetched, or its library does not load here.
    pub fn set_up(self, workspace: &Workspace) -> Result<()> {
        if self == Self::System || self.is_ready(workspace) {
            return Ok(());
        }
        let (version, suite) = match self {
            Self::Lavapipe22 => ("22.3.", ""),
            _ => ("25.", "-backports"),
        };
        let set_up = || {
            let codename = apt::codename()?;
            let installed = system_mesa()?;
            if installed.starts_with(version) {
                refer_to_system(workspace, self)
            } else if codename == "bookworm" {
                unpack(workspace, self, &codename, &format!("{codename}{suite}"))
            } else {
                bail!(
                    "Mesa here is {installed}, and the suites of {codename} have no {version}x: this is made for Debian 12"
                )
            }
        };
        set_up().with_context(|| format!("could not set up the Vulkan driver {}", self.name()))
    }
}

/// Whether this machine has a graphics device that a Vulkan driver could drive.
#[must_use]
pub fn has_graphics_device() -> bool {
    Path::new("/dev/nvidiactl").exists()
        || Path::new("/dev/dxg").exists()
        || std::fs::read_dir("/dev/dri").is_ok_and(|entries| {
            entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("render"))
        })
}

/// The driver to play on: the user's choice, else the system's where there is a graphics device, else Mesa 25.
#[must_use]
pub fn for_playing() -> Driver {
    let chosen = std::env::var_os("VK_DRIVER_FILES").or_else(|| std::env::var_os("VK_ICD_FILENAMES")).is_some();
    if chosen || has_graphics_device() { Driver::System } else { Driver::Lavapipe25 }
}

/// The version of the system's Mesa.
fn system_mesa() -> Result<String> {
    process::output(Command::new("dpkg-query").args(["-W", "-f=${Version}", "mesa-vulkan-drivers"]))
}

/// Makes a driver folder that refers to the system's own library.
fn refer_to_system(workspace: &Workspace, driver: Driver) -> Result<()> {
    let folder = Path::new("/usr/share/vulkan/icd.d");
    let file = std::fs::read_dir(folder)
        .with_context(|| format!("could not read {}", folder.display()))?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("lvp_icd")))
        .context("the system's Mesa has no software Vulkan driver")?;
    let text = std::fs::read_to_string(&file).with_context(|| format!("could not read {}", file.display()))?;
    write_icd(workspace, driver, &text)
}

/// Fetches Mesa from `suite` and unpacks its software driver beside the system's.
fn unpack(workspace: &Workspace, driver: Driver, codename: &str, suite: &str) -> Result<()> {
    let beside = workspace.target.join("apt-beside");
    remove_if_there(&beside)?;
    let sources = apt::with_backports(&apt::machine_sources()?, codename)?;
    let packages = SideApt::new(&beside, &sources)?.download("mesa-vulkan-drivers", suite)?;

    let unpacked = beside.join("unpacked");
    for package in &packages {
        process::check(Command::new("dpkg-deb").arg("-x").arg(package).arg(&unpacked))?;
    }
    let files = files_below(&unpacked)?;
    let find = |name: &str| files.iter().find(|path| path.file_name().is_some_and(|file| file == name));
    let library = find("libvulkan_lvp.so").context("the package has no libvulkan_lvp.so")?;
    let manifest = files
        .iter()
        .find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("lvp_icd")))
        .context("the package has no lvp_icd*.json")?;

    let folder = workspace.drivers().join(driver.name());
    remove_if_there(&folder)?;
    let libraries = folder.join("lib");
    std::fs::create_dir_all(&libraries).with_context(|| format!("could not make {}", libraries.display()))?;
    let installed = folder.join("libvulkan_lvp.so");
    std::fs::copy(library, &installed).with_context(|| format!("could not write {}", installed.display()))?;

    // The system's libraries serve as they are on most machines. Where they do not, the package's own go beside it.
    if !unresolved(&installed, &libraries)?.is_empty() {
        for file in files.iter().filter(|path| is_shared_library(path) && *path != library) {
            if let Some(name) = file.file_name() {
                std::fs::copy(file, libraries.join(name))
                    .with_context(|| format!("could not copy {}", file.display()))?;
            }
        }
        let rest = unresolved(&installed, &libraries)?;
        if !rest.is_empty() {
            bail!("{} does not load here: {}", installed.display(), rest.join("; "));
        }
    }
    let text = std::fs::read_to_string(manifest).with_context(|| format!("could not read {}", manifest.display()))?;
    let old = library_path(&text).context("the package's driver manifest names no library")?;
    // Written last: its presence says that the driver is complete.
    write_icd(workspace, driver, &text.replace(old, &installed.display().to_string()))?;
    remove_if_there(&beside)
}

fn write_icd(workspace: &Workspace, driver: Driver, text: &str) -> Result<()> {
    let folder = workspace.drivers().join(driver.name());
    std::fs::create_dir_all(&folder).with_context(|| format!("could not make {}", folder.display()))?;
    let file = folder.join("icd.json");
    std::fs::write(&file, text).with_context(|| format!("could not write {}", file.display()))
}

/// The library that a driver manifest names.
fn library_path(manifest: &str) -> Option<&str> {
    let (_, rest) = manifest.split_once("\"library_path\"")?;
    rest.split('"').nth(1)
}

/// What the dynamic linker does not find for `library`: libraries and symbols.
fn unresolved(library: &Path, search: &Path) -> Result<Vec<String>> {
    let output = Command::new("ldd").arg("-r").arg(library).env("LD_LIBRARY_PATH", search).output();
    let output = output.context("could not start `ldd`")?;
    Ok(failures(&(String::from_utf8_lossy(&output.stdout) + &*String::from_utf8_lossy(&output.stderr))))
}

/// The lines of `ldd -r` that tell of something missing.
fn failures(report: &str) -> Vec<String> {
    report
        .lines()
        .map(str::trim)
        .filter(|line| line.contains("not found") || line.contains("undefined symbol"))
        .map(str::to_owned)
        .collect()
}

fn is_shared_library(path: &Path) -> bool {
    let Some(name) = path.file_name().map(|name| name.to_string_lossy().into_owned()) else { return false };
    (name.ends_with(".so") || name.contains(".so.")) && !name.starts_with("libvulkan_")
}

fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).with_context(|| format!("could not read {}", next.display()))? {
            let entry = entry?;
            // A link to a folder may point anywhere; a link to a file is a library's short name and is read through.
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else if entry.path().is_file() {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}

fn remove_if_there(folder: &Path) -> Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("could not remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_read_from_either_manifest() {
        let new = "{\n \"ICD\": {\n  \"api_version\": \"1.4.305\",\n  \"library_path\": \"libvulkan_lvp.so\"\n }\n}";
        assert_eq!(library_path(new), Some("libvulkan_lvp.so"));
        assert_eq!(library_path("{\"ICD\":{\"library_path\":\"/usr/lib/x.so\"}}"), Some("/usr/lib/x.so"));
        assert_eq!(library_path("{\"ICD\":{}}"), None);
    }

    #[test]
    fn a_driver_is_ready_when_its_library_is_there() -> Result<()> {
        let root = std::env::temp_dir().join(format!("xtask-drivers-{}", std::process::id()));
        let workspace = Workspace { root: root.clone(), target: root.join("target") };
        let driver = Driver::Lavapipe25;
        assert!(!driver.is_ready(&workspace));
        assert!(Driver::System.is_ready(&workspace));
        let library = root.join("x.so");
        write_icd(&workspace, driver, &format!("{{\"library_path\": \"{}\"}}", library.display()))?;
        assert!(!driver.is_ready(&workspace), "the library is missing");
        std::fs::write(&library, "")?;
        assert!(driver.is_ready(&workspace));
        let environment = driver.environment(&workspace);
        assert_eq!(environment[0].1, workspace.drivers().join("lavapipe-25/icd.json").display().to_string());
        assert!(environment.iter().all(|(name, _)| *name != "LD_LIBRARY_PATH"), "no extra library, no search path");
        std::fs::remove_dir_all(root)?;
        Ok(())
    }

    #[test]
    fn what_the_dynamic_linker_misses_is_reported() {
        let report = "\tlibz.so.1 => /lib/libz.so.1 (0x1)\n\tlibnone.so.3 => not found\n\
                      undefined symbol: drmNew\t(./x.so)\n./x.so: /lib/libdrm.so.2: version `D_2' not found\n";
        assert_eq!(failures(report).len(), 3);
        assert!(failures("\tlibz.so.1 => /lib/libz.so.1 (0x1)\n").is_empty());
    }
}
