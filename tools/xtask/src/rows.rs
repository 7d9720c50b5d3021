//! `rows`: which catalogue rows are proved, and by which tests.
//!
//! `tests/rows.tsv` lists the rows: id, where the behaviour is implemented, what the row's knob does instead, where
//! the knob must show, and whether the row belongs to the first slice. A test claims rows in a comment line above it:
//!
//! ```text
//! // rows: M-1.1a, R-042
//! #[test]
//! fn an_unwritten_channel_keeps_its_old_value() { … }
//! ```
//!
//! In `tests/scenes/` the line may also stand above a plain function or constant, since a scene is data for the one
//! test that runs them all. A row is `proved` when some test claims it; `--check` fails on a claim of a row that does
//! not exist and on a claim that stands above nothing that runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::workspace::Workspace;

/// Folders that may hold tests.
const FOLDERS: [&str; 6] = ["framegraph", "nvn-decode", "systems", "engine", "tools", "tests"];

/// One line of `tests/rows.tsv`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The row's id: `M-`, `R-` or `A-` and a number.
    pub id: String,
    /// The system, or the part, that implements it.
    pub place: String,
    /// What the mutant does instead.
    pub knob: String,
    /// Where the mutant must show.
    pub venue: String,
    /// Whether the first slice includes it.
    pub first_slice: bool,
}

/// A test's claim that it proves rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The ids as written.
    pub ids: Vec<String>,
    /// The file, relative to the workspace.
    pub file: PathBuf,
    /// The line of the comment, from 1.
    pub line: usize,
    /// The function or constant below, or why there is none.
    pub item: Result<String, &'static str>,
}

/// The command.
///
/// # Errors
/// The table or a source file could not be read, or an unknown argument.
pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<ExitCode> {
    let (mut check, mut all) = (false, false);
    for argument in arguments {
        match argument.as_str() {
            "--check" => check = true,
            "--all" => all = true,
            other => bail!("rows takes --check and --all, not `{other}`"),
        }
    }
    let rows = read(workspace)?;
    let claims = claims_below(&workspace.root)?;
    let faults = faults(&rows, &claims);
    if !check {
        print(&rows, &claims, all);
    }
    for fault in &faults {
        eprintln!("{fault}");
    }
    Ok(if check && !faults.is_empty() { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// The rows of `tests/rows.tsv`.
///
/// # Errors
/// The file could not be read or has a line of another shape.
pub fn read(workspace: &Workspace) -> Result<Vec<Row>> {
    let file = workspace.root.join("tests/rows.tsv");
    parse(&std::fs::read_to_string(&file).with_context(|| format!("could not read {}", file.display()))?)
        .with_context(|| format!("in {}", file.display()))
}

fn parse(text: &str) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (index, line) in text.lines().enumerate().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [id, place, knob, venue, slice] = columns[..] else {
            bail!("line {} has {} columns, not 5", index + 1, columns.len());
        };
        rows.push(Row {
            id: id.to_owned(),
            place: place.to_owned(),
            knob: knob.to_owned(),
            venue: venue.to_owned(),
            first_slice: slice == "yes",
        });
    }
    Ok(rows)
}

/// Every claim in the sources below `root`.
///
/// # Errors
/// A source file could not be read.
pub fn claims_below(root: &Path) -> Result<Vec<Claim>> {
    let mut claims = Vec::new();
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(|folder| root.join(folder)).collect();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text =
                    std::fs::read_to_string(&path).with_context(|| format!("could not read {}", path.display()))?;
                claims.extend(claims_in(path.strip_prefix(root).unwrap_or(&path), &text));
            }
        }
    }
    claims.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    Ok(claims)
}

/// The claims in one file's text.
#[must_use]
pub fn claims_in(file: &Path, text: &str) -> Vec<Claim> {
    let is_scene = file.starts_with("tests/scenes");
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut claims = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        // Spelt in two parts so that this file holds no claim of its own.
        let Some(list) = line.strip_prefix("// ").and_then(|rest| rest.strip_prefix("rows:")) else { continue };
        claims.push(Claim {
            ids: list.split(',').map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned).collect(),
            file: file.to_owned(),
            line: index + 1,
            item: item_below(&lines[index + 1..], is_scene),
        });
    }
    claims
}

/// The name of the item that `lines` start with, after its attributes and comments.
fn item_below(lines: &[&str], is_scene: bool) -> Result<String, &'static str> {
    let mut is_test = false;
    for line in lines {
        if line.starts_with("#[") {
            is_test |= line.starts_with("#[test]") || line.contains("::test]") || line.contains("::test(");
        } else if line.is_empty() {
            return Err("an empty line follows it");
        } else if !line.starts_with("//") {
            let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
            let kind = words.find(|word| matches!(*word, "fn" | "const" | "static"));
            return match (kind, words.next()) {
                (Some("fn"), Some(name)) if is_test || is_scene => Ok(name.to_owned()),
                (Some(_), Some(name)) if is_scene => Ok(name.to_owned()),
                (Some("fn"), Some(_)) => Err("the function below is not a test"),
                _ => Err("no test stands below it"),
            };
        }
    }
    Err("no test stands below it")
}

/// What is wrong with the claims: unknown ids, and claims above nothing that runs.
#[must_use]
pub fn faults(rows: &[Row], claims: &[Claim]) -> Vec<String> {
    let mut faults = Vec::new();
    for claim in claims {
        let place = format!("{}:{}", claim.file.display(), claim.line);
        if claim.ids.is_empty() {
            faults.push(format!("{place}: claims no row"));
        }
        for id in &claim.ids {
            if !rows.iter().any(|row| row.id == *id) {
                faults.push(format!("{place}: tests/rows.tsv has no row `{id}`"));
            }
        }
        if let Err(reason) = &claim.item {
            faults.push(format!("{place}: {reason}"));
        }
    }
    faults
}

fn print(rows: &[Row], claims: &[Claim], all: bool) {
    let mut tests: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for claim in claims {
        if let Ok(name) = &claim.item {
            for id in &claim.ids {
                tests.entry(id).or_default().push(format!("{}::{name}", claim.file.display()));
            }
        }
    }
    let chosen: Vec<&Row> = rows.iter().filter(|row| all || row.first_slice).collect();
    let mut proved = 0;
    println!("{:9} {:7} {:32} {:34} test", "row", "state", "where", "shows in");
    for row in &chosen {
        let found = tests.get(row.id.as_str());
        proved += usize::from(found.is_some());
        let state = if found.is_some() { "proved" } else { "open" };
        let mut names = found.map_or(&[][..], Vec::as_slice).iter();
        let first = names.next().map_or("", String::as_str);
        println!("{}", format!("{:9} {state:7} {:32} {:34} {first}", row.id, row.place, row.venue).trim_end());
        for name in names {
            println!("{:85} {name}", "");
        }
    }
    let what = if all { "rows" } else { "rows of the first slice" };
    println!("\n{proved} of {} {what} proved", chosen.len());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Row> {
        let row = |id: &str| Row {
            id: id.to_owned(),
            place: "mask_unwritten_outputs".to_owned(),
            knob: String::new(),
            venue: "unit".to_owned(),
            first_slice: true,
        };
        vec![row("M-1.1a"), row("R-042")]
    }

    /// Source text with the marker spelt out: here it would be a claim of this very file.
    fn source(text: &str) -> String {
        text.replace("MARK", "// rows:")
    }

    #[test]
    fn claims_belong_to_the_test_below() {
        let text = source(
            "mod tests {\n    MARK M-1.1a, R-042\n    /// Words.\n    #[test]\n    #[ignore = \"long\"]\n    fn keeps() {}\n}\n",
        );
        let claims = claims_in(Path::new("systems/src/a.rs"), &text);
        assert_eq!(claims.len(), 1);
        assert_eq!(claims[0].ids, ["M-1.1a", "R-042"]);
        assert_eq!(claims[0].line, 2);
        assert_eq!(claims[0].item.as_deref(), Ok("keeps"));
        assert!(faults(&rows(), &claims).is_empty());
    }

    #[test]
    fn a_planted_unknown_row_is_reported() {
        let text = source("MARK M-1.1a, M-99.9z\n#[test]\nfn keeps() {}\n");
        let faults = faults(&rows(), &claims_in(Path::new("systems/src/a.rs"), &text));
        assert_eq!(faults, ["systems/src/a.rs:1: tests/rows.tsv has no row `M-99.9z`"]);
    }

    #[test]
    fn a_claim_above_nothing_that_runs_is_reported() {
        for (text, reason) in [
            ("MARK R-042\nfn keeps() {}\n", "the function below is not a test"),
            ("MARK R-042\nstruct Keeps;\n", "no test stands below it"),
            ("MARK R-042\n\n#[test]\nfn keeps() {}\n", "an empty line follows it"),
            ("MARK R-042\n", "no test stands below it"),
        ] {
            let found = faults(&rows(), &claims_in(Path::new("systems/src/a.rs"), &source(text)));
            assert_eq!(found, [format!("systems/src/a.rs:1: {reason}")], "{text}");
        }
    }

    #[test]
    fn a_scene_is_claimed_by_its_function_or_constant() {
        let text = source("MARK R-042\npub(crate) fn masked() -> Scene {}\nMARK M-1.1a\npub const PLAIN: Scene = 1;\n");
        let claims = claims_in(Path::new("tests/scenes/masks.rs"), &text);
        assert_eq!(claims[0].item.as_deref(), Ok("masked"));
        assert_eq!(claims[1].item.as_deref(), Ok("PLAIN"));
    }

    #[test]
    fn the_committed_table_has_the_first_slice() -> Result<()> {
        let rows = read(&Workspace::find()?)?;
        assert_eq!(rows.len(), 362);
        assert_eq!(rows.iter().filter(|row| row.first_slice).count(), 103);
        let mut ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), rows.len(), "an id occurs twice");
        Ok(())
    }

    #[test]
    fn every_claim_in_the_sources_holds() -> Result<()> {
        let workspace = Workspace::find()?;
        let found = faults(&read(&workspace)?, &claims_below(&workspace.root)?);
        assert!(found.is_empty(), "{}", found.join("\n"));
        Ok(())
    }
}
