//! `fresh`: runs one of the commands as a new user would, in a Debian root that has only Rust, its linker, apt and this
//! machine's package settings, and prints how long it took.
//!
//! The root is made once by debootstrap (`target/fresh/base`) and copied for each run. Mounts are made in a namespace
//! of the run's own, which takes them along when it ends.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::apt::{self, Authority};
use crate::need::Need;
use crate::process::{self, duration};
use crate::setup;
use crate::workspace::Workspace;

/// Making the base root.
const BASE_LIMIT: Duration = Duration::from_secs(20 * 60);
/// One command in the fresh root, from nothing compiled.
const RUN_LIMIT: Duration = Duration::from_secs(85 * 60);

/// Where the clone lies inside the root.
const CLONE: &str = "srv/ferrograph";

/// What is in the base beside apt: the linker that Rust needs, with the C library's start files.
const LINKER: &str = "ca-certificates,gcc,libc6-dev";

/// Variables that tell clients how to reach the package sources of this machine.
const SETTINGS: [&str; 12] = [
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CURL_CA_BUNDLE",
    "CARGO_HTTP_CAINFO",
    "CARGO_HTTP_PROXY",
    "CARGO_NET_OFFLINE",
];

/// The command: `fresh [play|test] [--keep]`. The clone is of HEAD; what is not committed is not in it.
///
/// # Errors
/// Not root, no debootstrap, a mirror that does not answer, or the time limit.
pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    let (mut command, mut keep) = ("test", false);
    for argument in arguments {
        match argument.as_str() {
            "play" => command = "play",
            "test" => command = "test",
            "--keep" => keep = true,
            other => bail!("fresh takes play or test, and --keep, not `{other}`"),
        }
    }
    if apt::authority() != Authority::Root {
        bail!("only root can make a root folder and enter it: run `cargo xtask fresh` as root");
    }
    setup::set_up(workspace, Need::Fresh)?;
    let base = base(workspace)?;
    let root = workspace.target.join("fresh/root");
    remove(&root)?;
    process::check(Command::new("cp").arg("-a").arg(&base).arg(&root))?;
    clone(workspace, &root)?;

    eprintln!("\nIn a fresh root: cargo xtask {command}");
    let start = Instant::now();
    let status = process::stream_within(&mut enter(&root, command)?, RUN_LIMIT, |_| {})?;
    let time = duration(start.elapsed());
    if command == "play" && status.success() {
        let made = root.join(CLONE).join("target/play/island.png");
        let kept = workspace.target.join("fresh/island.png");
        std::fs::copy(&made, &kept).with_context(|| format!("the run left no {}", made.display()))?;
    }
    if !keep {
        remove(&root)?;
    }
    let outcome = if status.success() { "succeeded" } else { "failed" };
    println!("`cargo xtask {command}` {outcome} in a fresh root after {time} ({status})");
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The base root, made when it is not there yet.
fn base(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.target.join("fresh");
    let base = folder.join("base");
    if base.is_dir() {
        return Ok(base);
    }
    let codename = apt::codename()?;
    let sources = apt::machine_sources()?;
    let source = apt::release_source(&sources, &codename)?;
    let making = folder.join("making");
    remove(&making)?;
    std::fs::create_dir_all(&folder).with_context(|| format!("could not make {}", folder.display()))?;
    let mut command = Command::new("debootstrap");
    command.args(["--variant=minbase", &format!("--include={LINKER}")]);
    let key = source.options.iter().find(|(name, _)| name.eq_ignore_ascii_case("Signed-By"));
    if let Some((_, key)) = key.filter(|(_, key)| Path::new(key).is_file()) {
        command.arg(format!("--keyring={key}"));
    }
    process::check_within(command.arg(&codename).arg(&making).arg(&source.uri), BASE_LIMIT)?;

    // This machine's package settings: apt's, the certificates, and name resolution.
    let script = "set -e; cd \"$1\"; rm -rf etc/apt; cp -a /etc/apt etc/apt; cp -a /usr/share/keyrings/. usr/share/keyrings/
        cp -L /etc/resolv.conf /etc/hosts etc/ 2>/dev/null || true
        if [ -d /etc/ssl/certs ]; then rm -rf etc/ssl/certs; cp -RL /etc/ssl/certs etc/ssl/certs; fi
        if [ -d /usr/local/share/ca-certificates ]; then cp -a /usr/local/share/ca-certificates/. usr/local/share/ca-certificates/; fi
        rm -rf var/cache/apt/archives/*.deb var/lib/apt/lists/*";
    process::check(Command::new("sh").args(["-c", script, "settings"]).arg(&making))?;
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")));
    let cargo_home = making.join("root/.cargo");
    std::fs::create_dir_all(&cargo_home).with_context(|| format!("could not make {}", cargo_home.display()))?;
    for name in ["config.toml", "config"] {
        if let Some(file) = home.as_ref().map(|home| home.join(name)).filter(|file| file.is_file()) {
            std::fs::copy(&file, cargo_home.join(name))
                .with_context(|| format!("could not copy {}", file.display()))?;
        }
    }
    std::fs::rename(&making, &base).with_context(|| format!("could not move {}", making.display()))?;
    Ok(base)
}

fn clone(workspace: &Workspace, root: &Path) -> Result<()> {
    let changed = process::output(Command::new("git").args(["status", "--porcelain"]).current_dir(&workspace.root))?;
    if !changed.trim().is_empty() {
        eprintln!("Not committed, hence not in the clone:\n{}", changed.trim_end());
    }
    let place = root.join(CLONE);
    process::check(Command::new("git").args(["clone", "--quiet", "--no-local"]).arg(&workspace.root).arg(&place))?;
    // The clone is a user's: it knows no branch of ours and no folder of this machine.
    process::check(Command::new("git").arg("-C").arg(&place).args(["remote", "remove", "origin"]))
}

/// The command that enters the root and runs `cargo xtask COMMAND` in the clone.
fn enter(root: &Path, command: &str) -> Result<Command> {
    let sysroot = process::output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let sysroot = sysroot.trim();
    let inside = root.join(sysroot.trim_start_matches('/'));
    std::fs::create_dir_all(&inside).with_context(|| format!("could not make {}", inside.display()))?;
    let script = "set -e
        mount --rbind /dev \"$1/dev\"
        mount -t proc proc \"$1/proc\"
        mount --bind \"$2\" \"$1$2\"
        mount -o remount,bind,ro \"$1$2\"
        root=$1; shift 2
        exec chroot \"$root\" \"$@\"";
    let mut enter = Command::new("unshare");
    enter.args(["--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script, "enter"]).arg(root).arg(sysroot);
    enter.args(["/usr/bin/env", "-i", "HOME=/root", "LANG=C.UTF-8"]);
    enter.arg(format!("PATH={sysroot}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"));
    for name in SETTINGS {
        if let Ok(value) = std::env::var(name) {
            enter.arg(format!("{name}={value}"));
        }
    }
    enter.args(["sh", "-c", "cd \"/$1\" && exec cargo xtask \"$2\"", "run", CLONE, command]);
    Ok(enter)
}

/// Removes a root folder. Nothing is mounted below it outside the run's own namespace; should something be, it stays.
fn remove(folder: &Path) -> Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    let mounts = std::fs::read_to_string("/proc/self/mounts").context("could not read /proc/self/mounts")?;
    if let Some(place) = mounted_below(&mounts, folder) {
        bail!("something is mounted at {place}: unmount it before {} is removed", folder.display());
    }
    process::check(Command::new("rm").args(["-rf", "--one-file-system"]).arg(folder))
}

/// The first place at or below `folder` where something is mounted, by the text of `/proc/self/mounts`.
fn mounted_below<'a>(mounts: &'a str, folder: &Path) -> Option<&'a str> {
    mounts.lines().filter_map(|line| line.split(' ').nth(1)).find(|place| Path::new(place).starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_below_the_root_is_seen() {
        let mounts =
            "/dev/vda / ext4 rw 0 0\nudev /t/fresh/root/dev devtmpfs rw 0 0\ntmpfs /t/fresh/rooted tmpfs rw 0 0\n";
        assert_eq!(mounted_below(mounts, Path::new("/t/fresh/root")), Some("/t/fresh/root/dev"));
        assert_eq!(mounted_below(mounts, Path::new("/t/fresh/base")), None);
    }
}
