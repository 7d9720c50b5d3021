//! The machine's own package sources, and what is done with them: installing, and fetching from the backports suite.
//!
//! No mirror is named here. Every source comes from the machine's lists, in either of apt's two forms.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::need::{Package, find_program};
use crate::process;

/// One source of packages: a mirror, its suites and parts, and the options that go with them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The mirror.
    pub uri: String,
    /// The suites taken from it.
    pub suites: Vec<String>,
    /// The parts of each suite.
    pub components: Vec<String>,
    /// Everything else, as fields of the deb822 form (`Signed-By`, `Architectures`, `Trusted`, …). A value may span
    /// lines (an embedded key); continuation lines keep their leading space.
    pub options: Vec<(String, String)>,
}

impl Source {
    /// The source as a paragraph of a `.sources` file.
    #[must_use]
    pub fn paragraph(&self) -> String {
        let mut text = format!(
            "Types: deb\nURIs: {}\nSuites: {}\nComponents: {}\n",
            self.uri,
            self.suites.join(" "),
            self.components.join(" ")
        );
        for (name, value) in &self.options {
            // An embedded key starts on the line below its field's name.
            let space = if value.starts_with('\n') { "" } else { " " };
            let _ = writeln!(text, "{name}:{space}{value}");
        }
        text
    }
}

/// Every binary source of the machine, in apt's order.
///
/// # Errors
/// A list could not be read, or there is none.
pub fn machine_sources() -> Result<Vec<Source>> {
    let mut files = vec![PathBuf::from("/etc/apt/sources.list")];
    if let Ok(entries) = std::fs::read_dir("/etc/apt/sources.list.d") {
        let mut parts: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        parts.sort();
        files.extend(parts);
    }
    let mut sources = Vec::new();
    for file in files.iter().filter(|file| file.is_file()) {
        let read = || std::fs::read_to_string(file).with_context(|| format!("could not read {}", file.display()));
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("sources") => sources.extend(parse_paragraphs(&read()?)),
            Some("list") => sources.extend(parse_lines(&read()?)),
            _ => {}
        }
    }
    if sources.is_empty() {
        bail!(
            "apt has no package sources here (/etc/apt/sources.list, /etc/apt/sources.list.d): add your mirror there"
        );
    }
    Ok(sources)
}

/// Reads the deb822 form: paragraphs of `Field: value`.
#[must_use]
pub fn parse_paragraphs(text: &str) -> Vec<Source> {
    let mut sources = Vec::new();
    let without_comments: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    for paragraph in without_comments.split(|line| line.trim().is_empty()) {
        let mut fields: Vec<(String, String)> = Vec::new();
        for line in paragraph {
            if line.starts_with([' ', '\t']) {
                if let Some((_, value)) = fields.last_mut() {
                    value.push('\n');
                    value.push_str(line);
                }
            } else if let Some((name, value)) = line.split_once(':') {
                fields.push((name.trim().to_owned(), value.trim().to_owned()));
            }
        }
        let mut take = |wanted: &str| {
            let index = fields.iter().position(|(name, _)| name.eq_ignore_ascii_case(wanted))?;
            Some(fields.remove(index).1)
        };
        let words = |text: Option<String>| -> Vec<String> {
            text.unwrap_or_default().split_whitespace().map(str::to_owned).collect()
        };
        let enabled = take("Enabled").is_none_or(|value| !matches!(value.to_lowercase().as_str(), "no" | "false"));
        let types = words(take("Types"));
        let (uris, suites, components) = (words(take("URIs")), words(take("Suites")), words(take("Components")));
        if enabled && types.iter().any(|kind| kind == "deb") {
            for uri in uris {
                let (suites, components) = (suites.clone(), components.clone());
                sources.push(Source { uri, suites, components, options: fields.clone() });
            }
        }
    }
    sources
}

/// Reads the one-line form: `deb [option=value …] uri suite component…`.
#[must_use]
pub fn parse_lines(text: &str) -> Vec<Source> {
    text.lines().filter_map(parse_line).collect()
}

fn parse_line(line: &str) -> Option<Source> {
    let line = line.split('#').next()?.trim();
    let mut rest = line.strip_prefix("deb")?;
    if !rest.starts_with([' ', '\t', '[']) {
        return None;
    }
    rest = rest.trim_start();
    let mut options = Vec::new();
    if let Some(inner) = rest.strip_prefix('[') {
        let (inside, after) = inner.split_once(']')?;
        for option in inside.split_whitespace() {
            let (name, value) = option.split_once('=')?;
            options.push((field_name(name).to_owned(), value.replace(',', " ")));
        }
        rest = after;
    }
    let mut words = rest.split_whitespace().map(str::to_owned);
    let uri = words.next()?;
    let suite = words.next()?;
    Some(Source { uri, suites: vec![suite], components: words.collect(), options })
}

/// The deb822 name of an option of the one-line form.
fn field_name(option: &str) -> &str {
    match option {
        "arch" => "Architectures",
        "lang" => "Languages",
        "target" => "Targets",
        "signed-by" => "Signed-By",
        "trusted" => "Trusted",
        "allow-insecure" => "Allow-Insecure",
        "check-valid-until" => "Check-Valid-Until",
        "check-date" => "Check-Date",
        "by-hash" => "By-Hash",
        "pdiffs" => "PDiffs",
        other => other,
    }
}

/// The release's code name (`bookworm`) from `/etc/os-release`.
///
/// # Errors
/// The file is missing or names none.
pub fn codename() -> Result<String> {
    let text = std::fs::read_to_string("/etc/os-release").context("could not read /etc/os-release")?;
    text.lines()
        .find_map(|line| line.strip_prefix("VERSION_CODENAME="))
        .map(|name| name.trim_matches('"').to_owned())
        .context("/etc/os-release names no VERSION_CODENAME: this set-up knows Debian 12")
}

/// The source that holds the release `codename` itself.
///
/// # Errors
/// The machine has none.
pub fn release_source<'a>(sources: &'a [Source], codename: &str) -> Result<&'a Source> {
    // Images that pin a release by its role say `stable`; the code name is preferred where both occur.
    [codename, "stable", "oldstable"]
        .iter()
        .find_map(|suite| sources.iter().find(|source| source.suites.iter().any(|name| name == suite)))
        .with_context(|| format!("no package source of this machine has the suite `{codename}`: add it to apt's lists"))
}

/// The machine's sources of `codename`, and its backports suite taken from the same mirror.
///
/// # Errors
/// The machine has no source for the release.
pub fn with_backports(sources: &[Source], codename: &str) -> Result<Vec<Source>> {
    let suite = format!("{codename}-backports");
    let release = release_source(sources, codename)?.clone();
    let mut all: Vec<Source> =
        sources.iter().filter(|source| source.suites.iter().any(|name| name.starts_with(codename))).cloned().collect();
    if all.is_empty() {
        all.push(release.clone());
    }
    if !all.iter().any(|source| source.suites.contains(&suite)) {
        all.push(Source { suites: vec![suite], components: vec!["main".to_owned()], ..release });
    }
    Ok(all)
}

/// Who may install packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Authority {
    /// This process is root.
    Root,
    /// `sudo` works without asking.
    Sudo,
    /// Neither.
    None,
}

/// Finds out whether this process may install packages.
#[must_use]
pub fn authority() -> Authority {
    let root = std::fs::read_to_string("/proc/self/status")
        .is_ok_and(|status| status.lines().any(|line| line.starts_with("Uid:\t0\t")));
    if root {
        Authority::Root
    } else if find_program("sudo").is_some() && process::succeeds("sudo", &["-n", "true"]) {
        Authority::Sudo
    } else {
        Authority::None
    }
}

/// The line that a person runs to install `packages`.
#[must_use]
pub fn install_line(packages: &[&Package]) -> String {
    let names: Vec<&str> = packages.iter().map(|package| package.name).collect();
    format!("sudo apt-get update && sudo apt-get install -y --no-install-recommends {}", names.join(" "))
}

/// Installs `packages` as root or through sudo.
///
/// # Errors
/// Nobody here may install packages (the message holds the line to run), or apt failed.
pub fn install(packages: &[&Package]) -> Result<()> {
    if packages.is_empty() {
        return Ok(());
    }
    if find_program("apt-get").is_none() {
        let list: Vec<String> = packages.iter().map(|p| format!("{} ({})", p.name, p.reason)).collect();
        bail!("this machine has no apt; install by its own means: {}", list.join(", "));
    }
    let authority = authority();
    if authority == Authority::None {
        bail!(
            "some packages are missing and only root can install them; run this line, then the same command again:\n\n  {}\n",
            install_line(packages)
        );
    }
    let apt = |arguments: &[&str]| {
        let mut command = if authority == Authority::Root {
            let mut command = Command::new("apt-get");
            command.env("DEBIAN_FRONTEND", "noninteractive");
            command
        } else {
            let mut command = Command::new("sudo");
            command.args(["-n", "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
            command
        };
        // Another apt may hold the lock for a moment (unattended upgrades).
        command.args(["-q", "-o", "DPkg::Lock::Timeout=120", "-o", "Dpkg::Use-Pty=0"]).args(arguments);
        command
    };
    process::check(&mut apt(&["update"]))?;
    let mut arguments = vec!["install", "-y", "--no-install-recommends"];
    arguments.extend(packages.iter().map(|package| package.name));
    process::check(&mut apt(&arguments)).context("apt could not install what is missing")
}

/// A package system beside the machine's own: its lists and downloads live in `folder`, its sources are given, nothing
/// is installed. Needs no privilege.
#[derive(Debug)]
pub struct SideApt {
    folder: PathBuf,
}

impl SideApt {
    /// Writes the sources into `folder` and fetches their lists.
    ///
    /// # Errors
    /// The folder cannot be written, or a list could not be fetched.
    pub fn new(folder: &Path, sources: &[Source]) -> Result<Self> {
        for sub in ["lists/partial", "archives/partial"] {
            let path = folder.join(sub);
            std::fs::create_dir_all(&path).with_context(|| format!("could not make {}", path.display()))?;
        }
        let text: Vec<String> = sources.iter().map(Source::paragraph).collect();
        let list = folder.join("beside.sources");
        std::fs::write(&list, text.join("\n")).with_context(|| format!("could not write {}", list.display()))?;
        let place = folder.display();
        let settings = format!(
            "Dir::State::Lists \"{place}/lists\";\nDir::Cache::Archives \"{place}/archives\";\n\
             Dir::Cache::PkgCache \"\";\nDir::Cache::SrcPkgCache \"\";\n\
             Dir::Etc::SourceList \"{}\";\nDir::Etc::SourceParts \"/dev/null\";\n\
             Dir::Log::Terminal \"/dev/null\";\nDir::Log::History \"/dev/null\";\nDir::Log::Planner \"/dev/null\";\n\
             // Nothing is installed: the machine's lock is not ours to take, and this folder may be closed to _apt.\n\
             Debug::NoLocking \"true\";\nAPT::Sandbox::User \"\";\nDpkg::Use-Pty \"false\";\n",
            list.display()
        );
        let file = folder.join("apt.conf");
        std::fs::write(&file, settings).with_context(|| format!("could not write {}", file.display()))?;
        let apt = Self { folder: folder.to_owned() };
        process::check(apt.apt_get().arg("update"))?;
        Ok(apt)
    }

    /// Downloads `package` from `suite`, and whatever of its dependencies the machine lacks or has too old.
    /// Returns the files.
    ///
    /// # Errors
    /// The suite does not have it, or the download failed.
    pub fn download(&self, package: &str, suite: &str) -> Result<Vec<PathBuf>> {
        let archives = self.folder.join("archives");
        for file in debs(&archives)? {
            std::fs::remove_file(&file).with_context(|| format!("could not remove {}", file.display()))?;
        }
        process::check(self.apt_get().args(["install", "-y", "--no-install-recommends", "--download-only"]).args([
            "--allow-downgrades",
            "--reinstall",
            &format!("{package}/{suite}"),
        ]))?;
        debs(&archives)
    }

    fn apt_get(&self) -> Command {
        let mut command = Command::new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive").arg("-q").arg("-c").arg(self.folder.join("apt.conf"));
        command
    }
}

fn debs(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("could not read {}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "deb"))
        .collect();
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAGRAPHS: &str = "\
# a comment
Types: deb deb-src
URIs: http://mirror.example/debian http://second.example/debian
Suites: bookworm bookworm-updates
# another
Components: main contrib
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc

Types: deb
Enabled: no
URIs: http://off.example/debian
Suites: bookworm
Components: main
";

    #[test]
    fn paragraphs_are_read_and_written_again() {
        let sources = parse_paragraphs(PARAGRAPHS);
        assert_eq!(sources.len(), 2, "one per mirror; the disabled paragraph is not a source: {sources:?}");
        assert_eq!(sources[1].uri, "http://second.example/debian");
        assert_eq!(sources[0].suites, ["bookworm", "bookworm-updates"]);
        assert_eq!(parse_paragraphs(&sources[0].paragraph()), [sources[0].clone()]);
        assert!(sources[0].paragraph().contains("Signed-By:\n -----BEGIN"), "{}", sources[0].paragraph());
    }

    #[test]
    fn lines_are_read() {
        let text = "deb [arch=amd64,arm64 signed-by=/k.gpg] https://m.example/debian bookworm main non-free # why\n\
                    deb-src https://m.example/debian bookworm main\n# deb https://off.example x main\n\n\
                    deb https://m.example/security bookworm-security main\n";
        let sources = parse_lines(text);
        assert_eq!(sources.len(), 2);
        assert_eq!(sources[0].uri, "https://m.example/debian");
        assert_eq!(sources[0].components, ["main", "non-free"]);
        assert_eq!(
            sources[0].options,
            [("Architectures".into(), "amd64 arm64".into()), ("Signed-By".into(), "/k.gpg".into())]
        );
    }

    #[test]
    fn backports_come_from_the_mirror_of_the_release() -> Result<()> {
        let sources = parse_lines(
            "deb https://tools.example/x stable main\n\
             deb [signed-by=/k.gpg] https://m.example/debian bookworm main contrib\n\
             deb https://s.example/security bookworm-security main\n",
        );
        let all = with_backports(&sources, "bookworm")?;
        let last = &all[all.len() - 1];
        assert_eq!(
            (last.uri.as_str(), last.suites.as_slice()),
            ("https://m.example/debian", &["bookworm-backports".to_owned()][..])
        );
        assert_eq!(last.options, sources[1].options, "the key goes with the mirror");
        assert!(all.iter().all(|source| source.uri != "https://tools.example/x"), "strangers are left out");
        assert_eq!(with_backports(&all, "bookworm")?, all, "a machine that has the suite keeps its own entry");
        assert!(with_backports(&sources[..0], "bookworm").is_err());
        Ok(())
    }

    #[test]
    fn the_line_to_run_names_what_is_missing() {
        let packages: Vec<&Package> =
            crate::need::PACKAGES.iter().filter(|p| p.name == "xvfb" || p.name == "g++").collect();
        assert_eq!(
            install_line(&packages),
            "sudo apt-get update && sudo apt-get install -y --no-install-recommends g++ xvfb"
        );
    }
}
