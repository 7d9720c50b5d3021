//! A rule that names its proof scene names one that is there.

use super::tree::Tree;

/// What stands before the name of a scene's file in the head of a rule.
const MARK: &str = "scenes/";

fn faults(tree: &Tree) -> Vec<String> {
    let mut faults = Vec::new();
    for file in tree.files.iter().filter(|file| file.is_rust() && file.path.starts_with("systems/")) {
        let text = file.text().unwrap_or_default();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| line.starts_with("//!")) {
            for (at, _) in line.match_indices(MARK) {
                let rest = &line[at..];
                let Some(end) = rest.find(".rs") else { continue };
                let scene = format!("tests/{}.rs", &rest[..end]);
                if !tree.files.iter().any(|other| other.path == scene) {
                    faults.push(format!("{}:{}: there is no {scene}", file.path, number + 1));
                }
            }
        }
    }
    faults
}

#[test]
fn proof_scenes_exist() {
    super::assert_clean(&faults(&Tree::tracked()));
}

#[test]
fn planted_names_of_scenes_are_reported() {
    let rule = |scene: &str| super::planted(&[("systems/src/a.rs", scene), ("tests/scenes/depth.rs", "")]);
    super::assert_clean(&faults(&rule("//! Proof: scenes/depth.rs.")));
    super::assert_reported(
        &faults(&rule("//! Rows.\n//! Proof: scenes/other.rs.")),
        "a.rs:2: there is no tests/scenes/other.rs",
    );
}
