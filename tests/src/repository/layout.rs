//! What lies at the root, and what every crate states.

use super::tree::Tree;

/// The visible folders at the root.
const FOLDERS: [&str; 8] =
    ["engine", "framegraph", "nvn-decode", "systems", "recomp-out", "profiles", "tools", "tests"];
/// Folders whose names start with a dot.
const HIDDEN: [&str; 3] = [".ci", ".cargo", ".github"];
/// Files that must lie at the root.
const DOCUMENTS: [&str; 7] =
    ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE", "NOTICE", ".ci/run"];
/// Other files at the root.
const FILES: [&str; 7] =
    ["Cargo.toml", "Cargo.lock", "rustfmt.toml", "clippy.toml", ".gitignore", ".gitattributes", "CONTRIBUTING.md"];

fn root_faults(tree: &Tree) -> Vec<String> {
    let mut faults: Vec<String> = DOCUMENTS
        .iter()
        .filter(|document| !tree.files.iter().any(|file| file.path == **document))
        .map(|document| format!("{document}: is missing"))
        .collect();
    for file in &tree.files {
        let known = match file.path.split_once('/') {
            Some((folder, _)) => FOLDERS.contains(&folder) || HIDDEN.contains(&folder),
            None => DOCUMENTS.contains(&file.path.as_str()) || FILES.contains(&file.path.as_str()),
        };
        if !known {
            faults.push(format!("{}: has no place at the root", file.path));
        }
    }
    faults
}

fn crate_faults(tree: &Tree) -> Vec<String> {
    let mut faults = Vec::new();
    let workspace = tree.files.iter().find(|file| file.path == "Cargo.toml").and_then(|file| file.text()).unwrap_or("");
    if !workspace.lines().any(|line| line.trim() == "missing_docs = \"warn\"") {
        faults
            .push("Cargo.toml: [workspace.lints.rust] must ask for documentation (missing_docs = \"warn\")".to_owned());
    }
    for (folder, manifest) in tree.manifests() {
        let mut fault = |what: &str| faults.push(format!("{folder}/Cargo.toml: {what}"));
        let lines: Vec<&str> = manifest.lines().map(str::trim).collect();
        if !workspace.contains(&format!("\"{folder}\"")) {
            fault("is no member of the workspace");
        }
        if !lines.windows(2).any(|pair| pair == ["[lints]", "workspace = true"]) {
            fault("does not take the workspace's lints");
        }
        for key in ["version", "edition", "license", "rust-version", "publish"] {
            if !lines.contains(&format!("{key}.workspace = true").as_str()) {
                fault(&format!("does not take the workspace's {key}"));
            }
        }
        let mut in_dependencies = false;
        for line in lines {
            if line.starts_with('[') {
                in_dependencies = line.trim_end_matches(']').ends_with("dependencies");
            } else if in_dependencies
                && line.contains('=')
                && !line.starts_with('#')
                && !line.contains("workspace = true")
            {
                fault(&format!("`{line}`: versions are set in the workspace's manifest alone"));
            }
        }
        for root in ["src/lib.rs", "src/main.rs"] {
            let path = format!("{folder}/{root}");
            let file = tree.files.iter().find(|file| file.path == path).and_then(|file| file.text());
            if file.is_some_and(|text| !text.starts_with("//! ")) {
                faults.push(format!("{path}: does not start with what the crate is"));
            }
        }
    }
    faults
}

#[test]
fn the_root_holds_only_what_it_should() {
    super::assert_clean(&root_faults(&Tree::tracked()));
}

#[test]
fn every_crate_takes_the_common_settings_and_says_what_it_is() {
    super::assert_clean(&crate_faults(&Tree::tracked()));
}

#[test]
fn planted_faults_at_the_root_are_reported() {
    let mut files: Vec<(&str, &str)> = DOCUMENTS.iter().map(|document| (*document, "")).collect();
    super::assert_clean(&root_faults(&super::planted(&files)));
    files.push(("scratch/notes.md", ""));
    super::assert_reported(&root_faults(&super::planted(&files)), "scratch/notes.md");
    files.pop();
    files.push(("plan.md", ""));
    super::assert_reported(&root_faults(&super::planted(&files)), "plan.md");
    files.pop();
    files.remove(0);
    super::assert_reported(&root_faults(&super::planted(&files)), "README.md: is missing");
}

#[test]
fn planted_faults_of_a_crate_are_reported() {
    const ROOT: (&str, &str) = ("Cargo.toml", "members = [\"a\"]\nmissing_docs = \"warn\"\n");
    const GOOD: &str = "[package]\nversion.workspace = true\nedition.workspace = true\nlicense.workspace = true\n\
                        rust-version.workspace = true\npublish.workspace = true\n\n[lints]\nworkspace = true\n";
    let check = |manifest: &str, text: &str| {
        crate_faults(&super::planted(&[ROOT, ("a/Cargo.toml", manifest), ("a/src/lib.rs", text)]))
    };
    super::assert_clean(&check(GOOD, "//! What it is.\n"));
    super::assert_reported(&check(GOOD, "pub fn f() {}\n"), "a/src/lib.rs");
    super::assert_reported(&check(&GOOD.replace("[lints]\nworkspace = true\n", ""), "//! A.\n"), "lints");
    super::assert_reported(&check(&GOOD.replace("edition.workspace = true\n", ""), "//! A.\n"), "edition");
    let loose = format!("{GOOD}\n[dependencies]\nserde = \"1\"\nron.workspace = true\n");
    super::assert_reported(&check(&loose, "//! A.\n"), "serde");
    let stranger = super::planted(&[ROOT, ("b/Cargo.toml", GOOD)]);
    super::assert_reported(&crate_faults(&stranger), "no member");
}
