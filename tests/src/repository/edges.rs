//! Crates depend one way, and the lower ones do not even name what lies above or outside them.

use super::rust_text::{code, names, words};
use super::tree::Tree;

/// Each crate's folder and name, the crates of ours that it may depend on, and the words that no name in its code may
/// contain. Tests and benches of a crate are held to the same.
const CRATES: &[(&str, &str, &[&str], &[&str])] = &[
    ("framegraph", "framegraph", &[], &["ash", "vk", "vulkan", "nvn"]),
    // SPIR-V's memory model is called Vulkan's, hence not that word.
    ("nvn-decode/shader", "nvn-shader", &[], &["ash", "vk"]),
    ("nvn-decode", "nvn-decode", &["framegraph", "nvn-shader"], &["ash", "vk", "vulkan"]),
    ("systems", "systems", &["framegraph", "nvn-decode", "nvn-shader"], &["ash", "vk", "vulkan"]),
    ("engine/vulkan", "ferrograph-vulkan", &["framegraph"], &["nvn", "maxwell"]),
    ("engine/overlay", "ferrograph-overlay", &["framegraph", "ferrograph-vulkan"], &["nvn", "maxwell"]),
    // The host of the guest implements the traits of memory, reads input, and loads modules as the lifter read them.
    (
        "engine/guest",
        "ferrograph-guest",
        &["framegraph", "nvn-decode", "nvn-shader", "ferrograph-media", "recomp"],
        &["ash", "vk"],
    ),
    ("engine/nvn", "ferrograph-nvn", &["framegraph", "nvn-decode", "nvn-shader", "ferrograph-guest"], &["ash", "vk"]),
    // The comparison harness has a Vulkan side of its own, so that the executor's faults cannot hide the translator's.
    ("engine/compare", "ferrograph-compare", &["nvn-shader"], &[]),
    ("engine/media", "ferrograph-media", &[], &["ash", "vk", "vulkan", "nvn"]),
    (
        "engine",
        "ferrograph",
        &[
            "framegraph",
            "nvn-decode",
            "nvn-shader",
            "systems",
            "ferrograph-guest",
            "ferrograph-nvn",
            "ferrograph-vulkan",
            "ferrograph-overlay",
            "ferrograph-media",
            "recomp",
            // Its tests build the demo title and count allocations.
            "titles",
            "framegraph-bench",
        ],
        &[],
    ),
    ("tools/recomp", "recomp", &[], &["ash", "vk", "vulkan"]),
    ("tools/titles", "titles", &["recomp"], &["ash", "vk", "vulkan"]),
    ("tools/xtask", "xtask", &[], &["ash"]),
    (
        "tests/benches/framegraph",
        "framegraph-bench",
        &["framegraph", "systems", "nvn-decode", "nvn-shader"],
        &["ash", "vk"],
    ),
    (
        "tests",
        "ferrograph-tests",
        &[
            "framegraph",
            "nvn-decode",
            "nvn-shader",
            "systems",
            "ferrograph",
            "ferrograph-guest",
            "ferrograph-nvn",
            "ferrograph-vulkan",
            "ferrograph-compare",
            "ferrograph-overlay",
            "ferrograph-media",
            "recomp",
            "titles",
        ],
        &[],
    ),
];

/// A name that is no use of what it names: the table of systems has a slot that the engine fills with the back end.
const SLOTS: [(&str, &str); 2] = [("systems", "emit_vulkan"), ("systems", "EMIT_VULKAN")];

/// The dependencies that a manifest lists, of every kind and for every platform: line and crate name.
fn dependencies(manifest: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut inside = false;
    for (index, line) in manifest.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            let parts: Vec<&str> = section.split('.').collect();
            let at = parts.iter().position(|part| part.ends_with("dependencies"));
            inside = at.is_some_and(|at| at + 1 == parts.len());
            if let Some(name) = at.and_then(|at| parts.get(at + 1)) {
                found.push((index + 1, name.trim_matches('"').to_owned()));
            }
        } else if inside && let Some((key, value)) = line.split_once('=') {
            // A renamed dependency says what it is in its `package` key.
            let renamed = value.split_once("package").and_then(|(_, rest)| rest.split('"').nth(1));
            let key = key.split('.').next().unwrap_or_default().trim().trim_matches('"');
            found.push((index + 1, renamed.unwrap_or(key).to_owned()));
        }
    }
    found
}

fn edge_faults(tree: &Tree) -> Vec<String> {
    let mut faults = Vec::new();
    for (folder, manifest) in tree.manifests() {
        let Some((_, _, allowed, _)) = CRATES.iter().find(|(known, ..)| *known == folder) else {
            faults.push(format!("{folder}/Cargo.toml: a crate that the table of edges does not know"));
            continue;
        };
        for (line, name) in dependencies(manifest) {
            let ours = CRATES.iter().any(|(_, known, ..)| *known == name);
            if ours && !allowed.contains(&name.as_str()) {
                faults.push(format!("{folder}/Cargo.toml:{line}: {folder} must not depend on {name}"));
            }
            let outside = ["ash", "ash-window", "vk-mem", "vulkano"].contains(&name.as_str());
            let may = ["engine/vulkan", "engine/overlay", "engine/compare", "engine"].contains(&folder);
            if outside && !may {
                faults.push(format!("{folder}/Cargo.toml:{line}: {folder} must not depend on {name}"));
            }
        }
    }
    faults
}

fn name_faults(tree: &Tree) -> Vec<String> {
    let mut faults = Vec::new();
    for file in tree.files.iter().filter(|file| file.is_rust()) {
        let (Some(text), Some(folder)) = (file.text(), tree.crate_of(&file.path)) else { continue };
        let Some((.., forbidden)) = CRATES.iter().find(|(known, ..)| *known == folder) else { continue };
        for (line, name) in names(&code(text, false)) {
            if SLOTS.contains(&(folder, name)) {
                continue;
            }
            if let Some(word) = words(name).iter().find(|word| forbidden.contains(&word.as_str())) {
                faults.push(format!("{}:{line}: `{name}`: {folder} must not name {word}", file.path));
            }
        }
    }
    faults
}

#[test]
fn crates_depend_one_way() {
    super::assert_clean(&edge_faults(&Tree::tracked()));
}

#[test]
fn lower_crates_do_not_name_higher_ones() {
    super::assert_clean(&name_faults(&Tree::tracked()));
}

#[test]
fn the_document_shows_the_same_edges() {
    let tree = Tree::tracked();
    let document = tree.files.iter().find(|file| file.path == "ARCHITECTURE.md").and_then(|file| file.text());
    let rows: Vec<Vec<&str>> = document
        .unwrap_or_default()
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    for (folder, name, allowed, _) in
        CRATES.iter().filter(|(folder, ..)| !["engine", "tests", "tools/xtask"].contains(folder))
    {
        let row = rows.iter().find(|row| row.get(1) == Some(&format!("`{name}`").as_str()));
        let row = row.unwrap_or_else(|| panic!("ARCHITECTURE.md does not list {name}"));
        assert_eq!(row[2], format!("`{folder}/`"), "the folder of {name} in ARCHITECTURE.md");
        let mut shown: Vec<&str> = row[3].split('`').skip(1).step_by(2).collect();
        let mut expected = allowed.to_vec();
        shown.sort_unstable();
        expected.sort_unstable();
        assert_eq!(shown, expected, "what {name} may depend on in ARCHITECTURE.md");
    }
}

#[test]
fn the_table_of_edges_has_no_cycle() {
    // Each round takes the crates all of whose allowed dependencies are taken; a cycle would be left over.
    let mut taken: Vec<&str> = Vec::new();
    while taken.len() < CRATES.len() {
        let before = taken.len();
        for (_, name, allowed, _) in CRATES {
            if !taken.contains(name) && allowed.iter().all(|dependency| taken.contains(dependency)) {
                taken.push(name);
            }
        }
        assert!(taken.len() > before, "a cycle among the crates beside {taken:?}");
    }
}

#[test]
fn a_planted_edge_is_reported_in_every_form() {
    for dependency in [
        "[dependencies]\nnvn-decode.workspace = true\n",
        "[dependencies]\nnvn-decode = { workspace = true }\n",
        "[dependencies]\nquiet = { package = \"nvn-decode\", path = \"../nvn-decode\" }\n",
        "[dependencies.nvn-decode]\nworkspace = true\n",
        "[dev-dependencies]\nnvn-decode.workspace = true\n",
        "[target.'cfg(unix)'.build-dependencies]\nnvn-decode.workspace = true\n",
        "[dependencies]\nash.workspace = true\n",
    ] {
        let tree = super::planted(&[("framegraph/Cargo.toml", dependency)]);
        super::assert_reported(&edge_faults(&tree), "framegraph must not depend on");
    }
    let tree = super::planted(&[("engine/vulkan/Cargo.toml", "[dependencies]\nsystems.workspace = true\n")]);
    super::assert_reported(&edge_faults(&tree), "engine/vulkan must not depend on systems");
    let tree = super::planted(&[("tools/new/Cargo.toml", "[package]\n")]);
    super::assert_reported(&edge_faults(&tree), "does not know");
}

#[test]
fn a_planted_name_is_reported() {
    for (folder, text, fault) in [
        ("framegraph", "use ash::vk as v;", "must not name ash"),
        ("framegraph", "struct VkBarrier;", "must not name vk"),
        ("framegraph", "fn nvn_format() {}", "must not name nvn"),
        ("nvn-decode/shader", "fn f(x: vk::Format) {}", "must not name vk"),
        ("systems", "fn to_vulkan() {}", "must not name vulkan"),
        ("engine/vulkan", "fn from_nvn() {}", "must not name nvn"),
    ] {
        let manifest = format!("{folder}/Cargo.toml");
        let file = format!("{folder}/src/deep/a.rs");
        let faults = name_faults(&super::planted(&[(&manifest, ""), ("nvn-decode/Cargo.toml", ""), (&file, text)]));
        assert!(faults.first().is_some_and(|first| first.contains(fault)), "{text}: {faults:?}");
    }
    let spoken =
        super::planted(&[("framegraph/Cargo.toml", ""), ("framegraph/src/lib.rs", "//! Vulkan, nvn: in words.\n")]);
    super::assert_clean(&name_faults(&spoken));
}
