//! What each command needs from the system, and how its presence is seen without asking the package system.

use std::path::Path;

/// A set of system packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Building the program and the titles, lifting, and playing.
    Play,
    /// Everything of `Play`, and what the tests call.
    Test,
    /// What the benches need.
    Bench,
    /// A bare Debian root to try the commands in.
    Fresh,
}

/// How a package shows itself.
#[derive(Debug, Clone, Copy)]
pub enum Probe {
    /// A program on the path.
    Program(&'static str),
    /// A shared library in one of the system's library folders.
    Library(&'static str),
    /// A file whose name starts with `prefix` in `folder`.
    File {
        /// The folder that is looked into.
        folder: &'static str,
        /// The start of the file's name.
        prefix: &'static str,
    },
}

/// One Debian package that we may need.
#[derive(Debug)]
pub struct Package {
    /// Its name for apt.
    pub name: &'static str,
    /// What shows that it is there, however it was installed.
    pub probe: Probe,
    /// The sets that hold it.
    pub needs: &'static [Need],
    /// What for, in words.
    pub reason: &'static str,
}

use Need::{Bench, Fresh, Play, Test};
use Probe::{File, Library, Program};

/// Every package that some command needs.
pub const PACKAGES: &[Package] = &[
    Package {
        name: "ca-certificates",
        probe: File { folder: "/etc/ssl/certs", prefix: "ca-certificates.crt" },
        needs: &[Play, Test, Bench],
        reason: "secure downloads",
    },
    Package {
        name: "g++",
        probe: Program("c++"),
        needs: &[Play, Test, Bench],
        reason: "the Vulkan memory allocator is C++",
    },
    Package {
        name: "pkg-config",
        probe: Program("pkg-config"),
        needs: &[Play, Test, Bench],
        reason: "build scripts look for libraries",
    },
    Package {
        name: "clang-19",
        probe: Program("clang-19"),
        needs: &[Play, Test, Bench],
        reason: "compiles titles and lifted C",
    },
    Package {
        name: "lld-19",
        probe: Program("ld.lld-19"),
        needs: &[Play, Test, Bench],
        reason: "links titles and lifted C",
    },
    Package {
        name: "ninja-build",
        probe: Program("ninja"),
        needs: &[Play, Test, Bench],
        reason: "builds lifted C in parallel",
    },
    Package {
        name: "libvulkan1",
        probe: Library("libvulkan.so.1"),
        needs: &[Play, Test, Bench],
        reason: "the Vulkan loader",
    },
    Package {
        name: "mesa-vulkan-drivers",
        probe: File { folder: "/usr/share/vulkan/icd.d", prefix: "lvp_icd" },
        needs: &[Play, Test, Bench],
        reason: "the system's Vulkan drivers",
    },
    Package {
        name: "libxkbcommon-x11-0",
        probe: Library("libxkbcommon-x11.so.0"),
        needs: &[Play, Test],
        reason: "a window under X: keys",
    },
    Package {
        name: "libxcursor1",
        probe: Library("libXcursor.so.1"),
        needs: &[Play, Test],
        reason: "a window under X: the pointer",
    },
    Package { name: "libxi6", probe: Library("libXi.so.6"), needs: &[Play, Test], reason: "a window under X: input" },
    Package {
        name: "libxrandr2",
        probe: Library("libXrandr.so.2"),
        needs: &[Play, Test],
        reason: "a window under X: monitors",
    },
    Package {
        name: "vulkan-validationlayers",
        probe: File { folder: "/usr/share/vulkan/explicit_layer.d", prefix: "VkLayer_khronos_validation" },
        needs: &[Test],
        reason: "tests run under the validation layer",
    },
    Package {
        name: "vulkan-tools",
        probe: Program("vulkaninfo"),
        needs: &[Test],
        reason: "shows which driver a test ran on",
    },
    Package {
        name: "xvfb",
        probe: Program("Xvfb"),
        needs: &[Test],
        reason: "a display of its own for the tests of the window",
    },
    Package {
        name: "spirv-tools",
        probe: Program("spirv-val"),
        needs: &[Test],
        reason: "tests validate translated shaders",
    },
    Package {
        name: "glslang-tools",
        probe: Program("glslangValidator"),
        needs: &[Test],
        reason: "tests compile their reference shaders",
    },
    Package {
        name: "qemu-user",
        probe: Program("qemu-aarch64"),
        needs: &[Test],
        reason: "the second opinion on guest code",
    },
    Package { name: "git", probe: Program("git"), needs: &[Test, Fresh], reason: "tests list the tracked files" },
    Package { name: "debootstrap", probe: Program("debootstrap"), needs: &[Fresh], reason: "makes the bare root" },
];

/// The packages of `need` that this machine does not show.
#[must_use]
pub fn missing(need: Need) -> Vec<&'static Package> {
    PACKAGES.iter().filter(|package| package.needs.contains(&need) && !package.probe.is_there()).collect()
}

impl Probe {
    /// Whether the thing is there now.
    #[must_use]
    pub fn is_there(&self) -> bool {
        match self {
            Program(name) => find_program(name).is_some(),
            Library(name) => find_library(name).is_some(),
            File { folder, prefix } => std::fs::read_dir(folder).is_ok_and(|entries| {
                entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
            }),
        }
    }
}

const LIBRARY_FOLDERS: &[&str] =
    &["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib"];

/// Where the shared library `name` lies in the system's library folders.
#[must_use]
pub fn find_library(name: &str) -> Option<std::path::PathBuf> {
    LIBRARY_FOLDERS.iter().map(|folder| Path::new(folder).join(name)).find(|file| file.exists())
}

/// Where the program `name` lies, looking through `PATH` and the system folders that some users' paths lack.
#[must_use]
pub fn find_program(name: &str) -> Option<std::path::PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(["/usr/sbin".into(), "/sbin".into()])
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probes_see_what_is_there_and_only_that() {
        assert!(Program("sh").is_there());
        assert!(!Program("a-program-that-nobody-has").is_there());
        assert!(!Library("liba-library-that-nobody-has.so.9").is_there());
        assert!(File { folder: "/proc", prefix: "self" }.is_there());
        assert!(!File { folder: "/proc", prefix: "a-file-that-nobody-has" }.is_there());
        assert!(!File { folder: "/a/folder/that/nobody/has", prefix: "" }.is_there());
    }

    #[test]
    fn tests_need_all_that_playing_needs() {
        for package in PACKAGES.iter().filter(|package| package.needs.contains(&Play)) {
            assert!(package.needs.contains(&Test), "{} is needed to play, but not to test", package.name);
        }
    }
}
