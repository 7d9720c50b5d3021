//! What is different between two frames, in words.

use super::FrameExport;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Counts of equal things by name.
fn counted(names: impl Iterator<Item = String>) -> BTreeMap<String, i64> {
    let mut counts = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    counts
}

fn compare(out: &mut String, what: &str, a: BTreeMap<String, i64>, b: &BTreeMap<String, i64>) {
    let mut all = a;
    for (name, count) in b {
        *all.entry(name.clone()).or_default() -= count;
    }
    for (name, count) in all {
        let times = if count.abs() > 1 { format!(" ({} times)", count.abs()) } else { String::new() };
        let _ = match count {
            0 => continue,
            1.. => writeln!(out, "- {what}: {name}{times}"),
            _ => writeln!(out, "+ {what}: {name}{times}"),
        };
    }
}

/// Lines that tell `b` from `a`: `-` is in `a` only, `+` in `b` only, `~` is in both with a difference. Empty when the frames are structurally equal.
#[must_use]
pub fn diff(a: &FrameExport, b: &FrameExport) -> String {
    let mut out = String::new();
    for (name, value) in &a.counters {
        let other = b.counters.get(name).copied().unwrap_or(0);
        if *value != other {
            let _ = writeln!(out, "~ {name}: {value} became {other}");
        }
    }
    let ids = |f: &FrameExport| counted(f.resources.iter().map(|r| r.id.clone()));
    compare(&mut out, "resource", ids(a), &ids(b));
    let ids = |f: &FrameExport| counted(f.passes.iter().map(|p| p.id.clone()));
    compare(&mut out, "pass", ids(a), &ids(b));
    for pass in &a.passes {
        let Some(other) = b.passes.iter().find(|p| p.id == pass.id) else { continue };
        if pass.nodes != other.nodes {
            let _ = writeln!(out, "~ {}: {} nodes became {}", pass.id, pass.nodes, other.nodes);
        }
        for target in &pass.targets {
            let Some(now) = other.targets.iter().find(|t| t.slot == target.slot) else {
                let _ = writeln!(out, "~ {}: {} is no longer attached", pass.id, target.slot);
                continue;
            };
            if (&target.load, &target.store) != (&now.load, &now.store) {
                let _ = writeln!(
                    out,
                    "~ {}: {} {}/{} became {}/{}",
                    pass.id, target.slot, target.load, target.store, now.load, now.store
                );
            }
        }
        if pass.flags != other.flags {
            let _ = writeln!(out, "~ {}: [{}] became [{}]", pass.id, pass.flags.join(", "), other.flags.join(", "));
        }
    }
    let place = |f: &FrameExport| {
        f.passes.iter().enumerate().map(|(n, p)| (p.id.clone(), n)).collect::<BTreeMap<String, usize>>()
    };
    let (before, after) = (place(a), place(b));
    for pair in a.passes.windows(2) {
        if let (Some(x), Some(y)) = (after.get(&pair[0].id), after.get(&pair[1].id))
            && x > y
            && before[&pair[0].id] < before[&pair[1].id]
        {
            let _ = writeln!(out, "~ order: {} now runs after {}", pair[0].id, pair[1].id);
        }
    }
    let words = |f: &FrameExport| {
        counted(f.barriers.iter().map(|b| {
            let changes = if b.changes.is_empty() { String::new() } else { format!("; {}", b.changes.join("; ")) };
            format!("before {}: {} -> {}{changes}", b.before, b.source, b.target)
        }))
    };
    compare(&mut out, "barrier", words(a), &words(b));
    let words = |f: &FrameExport| {
        counted(f.decisions.iter().map(|d| format!("{}: {} {}: {}", d.rule, d.subject, d.verdict, d.reason)))
    };
    compare(&mut out, "decision", words(a), &words(b));
    out
}
