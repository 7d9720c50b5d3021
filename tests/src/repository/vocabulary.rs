//! Names say what a thing is, nothing is left undone, and the product needs nothing outside the repository.

use super::rust_text::{code, words};
use super::tree::{File, Tree};

/// Last words of a type's name that say nothing.
const EMPTY_TYPES: [&str; 6] = ["manager", "helper", "helpers", "util", "utils", "utility"];

/// Folders whose files a test may read outside the repository, when they are there.
const OUTSIDE: [&str; 2] = ["textures", "a64"];

fn name_faults(tree: &Tree) -> Vec<String> {
    let mut faults = Vec::new();
    for file in tree.files.iter().filter(|file| file.is_rust()) {
        let mut fault = |line: usize, name: &str| {
            faults.push(format!("{}:{line}: `{name}` does not say what the thing is", file.path));
        };
        let module = file.path.rsplit('/').next().and_then(|name| name.strip_suffix(".rs")).unwrap_or_default();
        if is_empty_module(module) {
            fault(1, module);
        }
        for (index, line) in code(file.text().unwrap_or_default(), false).lines().enumerate() {
            let mut parts = line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|part| !part.is_empty());
            while let Some(part) = parts.next() {
                let is_type = ["struct", "enum", "union", "trait", "type"].contains(&part);
                if !is_type && part != "mod" {
                    continue;
                }
                let Some(name) = parts.next() else { break };
                let last = words(name).pop().unwrap_or_default();
                if (is_type && EMPTY_TYPES.contains(&last.as_str())) || (!is_type && is_empty_module(name)) {
                    fault(index + 1, name);
                }
            }
        }
    }
    faults
}

/// A module named by an empty word. One that merely ends in it may speak of a thing (`pause_queries_in_helpers`, where
/// the helpers are the driver's).
fn is_empty_module(name: &str) -> bool {
    EMPTY_TYPES.contains(&name) || ["_utils", "_util", "_helper", "_manager"].iter().any(|end| name.ends_with(end))
}

fn unfinished_faults(tree: &Tree) -> Vec<String> {
    // Spelt in parts, so that this file does not hold them.
    let marks = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("to", "do!("), concat!("unimpl", "emented!(")];
    text_faults(tree, |_| true, &|line| {
        marks.iter().find(|mark| line.contains(**mark)).map(|mark| format!("says {mark}"))
    })
}

fn outside_faults(tree: &Tree) -> Vec<String> {
    let outside = concat!("../sha", "red");
    let mut faults = Vec::new();
    for file in &tree.files {
        let Some(text) = file.text() else { continue };
        let tests =
            file.path.starts_with("tests/") || file.path.contains("/tests/") || file.path.ends_with("/tests.rs");
        let mut in_tests = tests;
        for (index, line) in text.lines().enumerate() {
            // In a source file the tests are its last part.
            in_tests |= line.trim() == "#[cfg(test)]";
            for (at, _) in line.match_indices(outside) {
                let rest = line[at + outside.len()..].trim_start_matches('/');
                if !(in_tests && OUTSIDE.iter().any(|folder| rest.starts_with(folder))) {
                    faults.push(format!("{}:{}: needs a file outside the repository", file.path, index + 1));
                }
            }
        }
    }
    faults
}

fn text_faults(tree: &Tree, which: impl Fn(&File) -> bool, fault: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let mut faults = Vec::new();
    for file in tree.files.iter().filter(|file| which(file)) {
        for (index, line) in file.text().unwrap_or_default().lines().enumerate() {
            if let Some(what) = fault(line) {
                faults.push(format!("{}:{}: {what}", file.path, index + 1));
            }
        }
    }
    faults
}

#[test]
fn names_say_what_things_are() {
    super::assert_clean(&name_faults(&Tree::tracked()));
}

#[test]
fn nothing_is_left_undone() {
    super::assert_clean(&unfinished_faults(&Tree::tracked()));
}

#[test]
fn nothing_outside_the_repository_is_needed() {
    super::assert_clean(&outside_faults(&Tree::tracked()));
}

#[test]
fn planted_faults_are_reported() {
    let one = |path: &str, text: &str| super::planted(&[(path, text)]);
    super::assert_reported(
        &name_faults(&one("engine/src/a.rs", "\npub struct PoolManager<T>(T);")),
        "a.rs:2: `PoolManager`",
    );
    super::assert_reported(&name_faults(&one("engine/src/a.rs", "pub(crate) mod utils;")), "`utils`");
    super::assert_reported(&name_faults(&one("engine/src/helpers.rs", "")), "`helpers`");
    super::assert_clean(&name_faults(&one(
        "systems/src/pause_queries_in_helpers.rs",
        "pub mod pause_queries_in_helpers;",
    )));

    let undone = format!("fn f() {{}} // {}: more", concat!("TO", "DO"));
    super::assert_reported(&unfinished_faults(&one("engine/src/a.rs", &undone)), "says");

    let path = concat!("../sha", "red");
    super::assert_reported(&outside_faults(&one("engine/src/a.rs", path)), "outside the repository");
    super::assert_reported(&outside_faults(&one("tests/src/a.rs", &format!("{path}/packs"))), "outside the repository");
    super::assert_clean(&outside_faults(&one("tests/src/a.rs", &format!("{path}/a64/x.tsv"))));
    super::assert_clean(&outside_faults(&one(
        "engine/src/a.rs",
        &format!("#[cfg(test)]\nmod t {{}} // {path}/textures"),
    )));
}
