//! What holds for every guest title, and the calls of the smallest one.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

/// NVN functions that the C files of a title's `main` call by name.
fn called(name: &str) -> BTreeSet<String> {
    let folder = titles::repository_root().join("tests/titles").join(name).join("main");
    let mut called = BTreeSet::from(["nvnDeviceGetProcAddress".to_owned()]);
    for entry in std::fs::read_dir(&folder).expect("sources") {
        let source = std::fs::read_to_string(entry.expect("entry").path()).expect("text");
        for (at, _) in source.match_indices("nvn") {
            let before = source[..at].bytes().next_back().unwrap_or(b' ');
            let name: String = source[at..].chars().take_while(char::is_ascii_alphanumeric).collect();
            let whole = !before.is_ascii_alphanumeric() && before != b'_';
            let api = name.as_bytes().get(3).is_some_and(u8::is_ascii_uppercase) && name != "nvnBootstrapLoader";
            if whole && api && source[at + name.len()..].starts_with('(') {
                called.insert(name);
            }
        }
    }
    called
}

#[test]
fn each_title_asks_for_exactly_the_functions_that_it_calls() {
    for title in titles::TITLES {
        let list = titles::repository_root().join("tests/titles").join(title.name).join("main/nvn_used.h");
        let text = std::fs::read_to_string(&list).expect("list of used functions");
        let used: BTreeSet<String> =
            text.lines().filter_map(|line| Some(line.strip_prefix("USED(")?.strip_suffix(')')?.to_owned())).collect();
        assert_eq!(called(title.name), used, "{}", title.name);
    }
}

#[test]
fn an_unknown_title_is_refused_by_name() {
    let error = titles::build(&titles::repository_root(), "atlantis", &PathBuf::from("/nonexistent")).err();
    let text = error.map(|error| error.to_string()).unwrap_or_default();
    assert!(text.contains("atlantis") && text.contains("clear, island"), "{text}");
}

#[test]
fn the_smallest_title_clears_and_presents() {
    let root = titles::repository_root();
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("clear");
    titles::build(&root, "clear", &out).unwrap_or_else(|error| panic!("{error}"));
    assert!(titles::is_current(&root, "clear", &out));
    assert!(!titles::is_current(&root, "clear", &out.join("elsewhere")));
    let program = titles::build_native(&root, "clear", &out).unwrap_or_else(|error| panic!("{error}"));
    let output = Command::new(program).arg(out.join("romfs")).args(["3", "list"]).output().expect("the title starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    insta::assert_snapshot!("calls_of_clear", String::from_utf8_lossy(&output.stdout));
}
