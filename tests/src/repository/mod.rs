//! Rules of the repository itself, each a checker over the tracked files with a test that plants a violation.

mod dumps;
mod edges;
mod layout;
mod proofs;
mod rust_text;
mod tree;
mod unsafe_code;
mod vocabulary;

use tree::Tree;

/// Fails with every fault on a line of its own.
fn assert_clean(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// Asserts that a checker reports exactly one fault, and that it says `expected`.
fn assert_reported(faults: &[String], expected: &str) {
    assert!(faults.len() == 1 && faults[0].contains(expected), "expected `{expected}`, found {faults:#?}");
}

/// A tree of text files.
fn planted(files: &[(&str, &str)]) -> Tree {
    Tree::of(files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect())
}
