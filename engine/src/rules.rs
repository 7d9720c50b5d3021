//! `ferrograph rules`: every system, what it does, its rows, what off means.

use crate::failure::Failure;
use crate::keys::{KEYS, Scope};
use crate::output::say;
use std::fmt::Write as _;

#[derive(Debug, serde::Serialize)]
struct Row {
    order: usize,
    name: &'static str,
    phase: String,
    kind: String,
    rows: &'static [&'static str],
    off_means: &'static str,
}

fn rows() -> Vec<Row> {
    systems::table::TABLE
        .iter()
        .enumerate()
        .map(|(order, entry)| Row {
            order,
            name: entry.rule.name,
            phase: format!("{:?}", entry.rule.phase).to_lowercase(),
            kind: format!("{:?}", entry.rule.kind).to_lowercase(),
            rows: entry.rule.rows,
            off_means: entry.rule.off_means,
        })
        .collect()
}

/// Runs the command.
pub(crate) fn run(json: bool) -> Result<(), Failure> {
    let rows = rows();
    let mut text = String::new();
    if json {
        text = serde_json::to_string_pretty(&rows).map_err(Failure::could)?;
        text.push('\n');
    } else {
        let mut phase = "";
        for row in &rows {
            if row.phase != phase {
                phase = &row.phase;
                let _ = writeln!(text, "\n{phase}");
            }
            let _ = writeln!(text, "  {:<30} {:<12} {}", row.name, row.kind, row.rows.join(" "));
            let _ = writeln!(text, "  {:<30} off: {}", "", row.off_means);
        }
    }
    if !json {
        let _ = writeln!(text, "\nkeys of profiles and of --set");
        for key in KEYS {
            let place = if key.scope == Scope::Run { "--set alone" } else { "" };
            let _ = writeln!(text, "  {:<20} {:<12} {:<12} {}", key.path, key.default, place, key.meaning);
        }
    }
    say(&text)
}
