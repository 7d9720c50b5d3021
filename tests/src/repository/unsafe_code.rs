//! `unsafe` stands only where the machine is touched, and never without its reason.

use super::rust_text::code;
use super::tree::{File, Tree};

/// Where unsafe code may stand: the engine, the support code of lifted titles, and the counting allocators of benches.
const PLACES: [&str; 3] = ["engine/", "recomp-out/", "tests/benches/"];

/// How many lines above an unsafe block its reason may start.
const REACH: usize = 12;

fn faults(tree: &Tree) -> Vec<String> {
    tree.files.iter().filter(|file| file.is_rust()).flat_map(file_faults).collect()
}

fn file_faults(file: &File) -> Vec<String> {
    let Some(text) = file.text() else { return Vec::new() };
    let lines: Vec<&str> = text.lines().collect();
    let may = PLACES.iter().any(|place| file.path.starts_with(place));
    let mut faults = Vec::new();
    for (index, line) in code(text, false).lines().enumerate() {
        let Some(rest) = after_word(line, "unsafe") else { continue };
        // An attribute such as `#[unsafe(no_mangle)]` and the type or declaration of an unsafe function do nothing.
        let acts = ["{", "impl", ""].iter().any(|start| match *start {
            "" => rest.is_empty(),
            start => rest.starts_with(start),
        });
        if !may {
            faults.push(format!("{}:{}: unsafe code belongs in the engine", file.path, index + 1));
        } else if acts && !lines[index.saturating_sub(REACH)..=index].iter().any(|near| near.contains("SAFETY:")) {
            faults.push(format!("{}:{}: no `// SAFETY:` line says why this holds", file.path, index + 1));
        }
    }
    faults
}

/// What follows `word` on the line, without spaces, if the line has it as a whole word.
fn after_word<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).find_map(|(at, _)| {
        let rest = &line[at + word.len()..];
        let alone = !line[..at].ends_with(is_part) && !rest.starts_with(is_part);
        alone.then(|| rest.trim())
    })
}

#[test]
fn unsafe_code_is_where_it_may_be_and_says_why() {
    super::assert_clean(&faults(&Tree::tracked()));
}

#[test]
fn planted_unsafe_code_is_reported() {
    let one = |path: &str, text: &str| faults(&super::planted(&[(path, text)]));
    super::assert_reported(&one("systems/src/a.rs", "fn f() { unsafe { g() } }"), "a.rs:1: unsafe code belongs");
    super::assert_reported(
        &one("engine/vulkan/src/a.rs", "fn f() {\n    unsafe { g() }\n}"),
        "a.rs:2: no `// SAFETY:`",
    );
    super::assert_reported(&one("engine/src/a.rs", "unsafe impl Send for A {}"), "no `// SAFETY:`");
    super::assert_clean(&one("engine/src/a.rs", "// SAFETY: g has no precondition.\nunsafe { g() }\n"));
    super::assert_clean(&one("engine/src/a.rs", "#[unsafe(no_mangle)]\nunsafe extern \"C\" fn f() {}\n"));
    super::assert_clean(&one("systems/src/a.rs", "// unsafe in words\n#![deny(unsafe_code)]\n"));
}
