//! Running other programs: echoed, timed, bounded.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::workspace::Workspace;

/// `cargo` as the one that runs us, in the workspace's root.
#[must_use]
pub fn cargo(workspace: &Workspace) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(&workspace.root);
    // These describe the package that we are, not the one that is built next.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") || text == "CARGO_BIN_NAME" {
            command.env_remove(&name);
        }
    }
    command
}

/// The command as one line for a person.
#[must_use]
pub fn shown(command: &Command) -> String {
    let mut line = std::path::Path::new(command.get_program())
        .file_name()
        .unwrap_or(command.get_program())
        .to_string_lossy()
        .into_owned();
    for argument in command.get_args() {
        line.push(' ');
        // A script given as an argument is not for reading here.
        let text = argument.to_string_lossy();
        line.push_str(if text.contains('\n') { "…" } else { &text });
    }
    line
}

/// Runs `command`, echoing it first; its output goes where ours goes.
///
/// # Errors
/// It could not be started, or it ended with a status other than 0.
pub fn check(command: &mut Command) -> Result<()> {
    eprintln!("$ {}", shown(command));
    let status = command.status().with_context(|| format!("could not start `{}`", shown(command)))?;
    succeed(command, status)
}

/// As [`check`], but kills the command and all that it started after `limit`.
///
/// # Errors
/// As [`check`], or the limit was reached.
pub fn check_within(command: &mut Command, limit: Duration) -> Result<()> {
    eprintln!("$ {}", shown(command));
    let mut child = command.spawn().with_context(|| format!("could not start `{}`", shown(command)))?;
    let status = wait_within(&mut child, limit)
        .with_context(|| format!("`{}` ran longer than {} s and was ended", shown(command), limit.as_secs()))?;
    succeed(command, status)
}

/// Runs `command` for at most `limit`, handing each line of its standard output to `line` after printing it.
/// Returns its exit status.
///
/// # Errors
/// It could not be started, or the limit was reached.
pub fn stream_within(command: &mut Command, limit: Duration, mut line: impl FnMut(&str)) -> Result<ExitStatus> {
    eprintln!("$ {}", shown(command));
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("could not start `{}`", shown(command)))?;
    let output = child.stdout.take().context("the standard output was asked for and is not there")?;
    // The reader blocks for as long as any descendant holds the pipe, so a second thread keeps the time.
    let pid = child.id();
    let (finished, wait_finished) = std::sync::mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        let late = wait_finished.recv_timeout(limit) == Err(std::sync::mpsc::RecvTimeoutError::Timeout);
        if late {
            kill_tree(pid);
        }
        late
    });
    for text in BufReader::new(output).lines() {
        let Ok(text) = text else { break };
        println!("{text}");
        line(&text);
    }
    let status = child.wait().with_context(|| format!("could not wait for `{}`", shown(command)))?;
    drop(finished);
    if watch.join().unwrap_or(false) {
        bail!("`{}` ran longer than {} s and was ended", shown(command), limit.as_secs());
    }
    Ok(status)
}

/// The standard output of `command` when it succeeds.
///
/// # Errors
/// It could not be started or failed; the message holds what it wrote to standard error.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("could not start `{}`", shown(command)))?;
    if !output.status.success() {
        bail!("`{}` failed: {}", shown(command), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether `command` can be run and succeeds; its output is dropped.
pub fn succeeds(program: impl AsRef<OsStr>, arguments: &[&str]) -> bool {
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// A length of time for a person: `41 s`, `12 min 5 s`.
#[must_use]
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds >= 60 {
        format!("{} min {} s", seconds / 60, seconds % 60)
    } else if seconds >= 10 {
        format!("{seconds} s")
    } else {
        format!("{:.1} s", time.as_secs_f64())
    }
}

fn succeed(command: &Command, status: ExitStatus) -> Result<()> {
    if status.success() { Ok(()) } else { bail!("`{}` ended with {status}", shown(command)) }
}

fn wait_within(child: &mut Child, limit: Duration) -> Result<ExitStatus> {
    let end = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if Instant::now() >= end {
            kill_tree(child.id());
            let _ = child.wait();
            bail!("time limit");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Ends process `root` and its descendants. They stay in the terminal's process group, so that Ctrl-C still reaches them all;
/// hence the walk over `/proc` instead of one signal to a group.
fn kill_tree(root: u32) {
    let mut doomed = vec![root];
    let mut next = 0;
    while next < doomed.len() {
        let parent = doomed[next];
        next += 1;
        doomed.extend(children_of(parent));
    }
    let list: Vec<String> = doomed.iter().map(u32::to_string).collect();
    // `kill` is a built-in of every shell; as a program it is missing from small roots.
    succeeds("sh", &["-c", &format!("kill -KILL {}", list.join(" "))]);
}

fn children_of(parent: u32) -> Vec<u32> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| {
            // The parent is the second field after the name, which is in parentheses and may hold anything.
            std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
                stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok()) == Some(parent)
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_past_its_limit_is_ended_with_its_children() {
        let started = Instant::now();
        let error =
            stream_within(Command::new("sh").args(["-c", "sleep 30 & sleep 30"]), Duration::from_millis(200), |_| {});
        assert!(error.is_err_and(|error| error.to_string().contains("ran longer")));
        assert!(started.elapsed() < Duration::from_secs(10), "the background child held the pipe open");
        assert!(check_within(Command::new("sleep").arg("30"), Duration::from_millis(100)).is_err());
    }

    #[test]
    fn lines_are_handed_on_and_the_status_is_returned() -> Result<()> {
        let mut lines = Vec::new();
        let status = stream_within(
            Command::new("sh").args(["-c", "echo one; echo two; exit 3"]),
            Duration::from_secs(20),
            |line| lines.push(line.to_owned()),
        )?;
        assert_eq!(lines, ["one", "two"]);
        assert_eq!(status.code(), Some(3));
        Ok(())
    }

    #[test]
    fn durations_read_well() {
        assert_eq!(duration(Duration::from_millis(1500)), "1.5 s");
        assert_eq!(duration(Duration::from_secs(41)), "41 s");
        assert_eq!(duration(Duration::from_secs(725)), "12 min 5 s");
    }
}
