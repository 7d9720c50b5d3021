//! No part of a game, no key and no picture of unknown origin is ever tracked (row A-001).

use super::tree::{File, Tree};

/// Where files that are not text may lie, and with which endings. All of these are our own work.
const BINARY: &[(&str, &[&str])] = &[
    ("tests/titles/", &["bin", "tex", "vtx", "idx", "skin", "inst", "blade", "root", "png"]),
    ("tests/", &["png", "fgt", "bin", "spv"]),
    ("nvn-decode/", &["bin", "png", "spv", "fgt"]),
    ("systems/", &["png"]),
    ("engine/", &["png", "spv"]),
    (".github/", &["png", "jpg"]),
];

/// No tracked file is larger: 8 MiB.
const LARGEST: usize = 8 << 20;

/// Endings of packaged or encrypted titles, of key files and of save data.
const ENDINGS: &[&str] =
    &["nca", "nsp", "xci", "nsz", "xcz", "tik", "cert", "keys", "nso", "nro", "npdm", "romfs", "kip"];

fn faults(tree: &Tree) -> Vec<String> {
    tree.files.iter().flat_map(file_faults).collect()
}

fn file_faults(file: &File) -> Vec<String> {
    let name = file.path.rsplit('/').next().unwrap_or(&file.path).to_lowercase();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let mut faults = Vec::new();
    let mut fault = |what: &str| faults.push(format!("{}: {what}", file.path));
    if ENDINGS.contains(&ending) {
        fault("the ending of a title's or key file");
    }
    if let Some(what) = magic(&file.bytes) {
        fault(what);
    }
    if file.bytes.len() > LARGEST {
        fault("larger than 8 MiB");
    }
    match file.text() {
        Some(text) => {
            if let Some(line) = text.lines().position(is_key) {
                fault(&format!("line {} has the form of a console key", line + 1));
            }
        }
        None => {
            let allowed =
                BINARY.iter().any(|(place, endings)| file.path.starts_with(place) && endings.contains(&ending));
            if !allowed {
                fault("not text, and not in a place and of a kind where our own data lies");
            }
        }
    }
    faults
}

/// What a file of a title starts with.
fn magic(bytes: &[u8]) -> Option<&'static str> {
    let at = |offset: usize, magic: &[u8]| bytes.get(offset..).is_some_and(|rest| rest.starts_with(magic));
    // The image of a RomFS starts with the size of its header, followed by the offset of the first table: both 0x50.
    let romfs = at(0, &[0x50, 0, 0, 0, 0, 0, 0, 0]) && bytes.len() >= 0x50;
    [
        (at(0, b"NSO0"), "an executable of a title (NSO)"),
        (at(0x10, b"NRO0"), "an executable of a title (NRO)"),
        (at(0, b"KIP1"), "an executable of the console (KIP)"),
        (at(0, b"META"), "the process description of a title (NPDM)"),
        (at(0, b"PFS0") || at(0, b"HFS0"), "a file system of a title"),
        (at(0x200, b"NCA2") || at(0x200, b"NCA3"), "packaged content of a title"),
        (at(0x100, b"HEAD"), "a cartridge image"),
        (romfs, "the image of a title's RomFS"),
    ]
    .into_iter()
    .find_map(|(found, what)| found.then_some(what))
}

/// Whether a line reads `some_key = 32 or more hexadecimal digits`, as key files do.
fn is_key(line: &str) -> bool {
    let Some((name, value)) = line.split_once('=') else { return false };
    let (name, value) = (name.trim().to_lowercase(), value.trim());
    let named = ["key", "kek", "seed", "titlekek"].iter().any(|word| name.contains(word));
    let spelt = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    // A title key's name is its rights id, itself 32 digits.
    let rights = name.len() == 32 && name.chars().all(|c| c.is_ascii_hexdigit());
    (named || rights) && spelt && value.len() >= 32 && value.chars().all(|c| c.is_ascii_hexdigit())
}

// rows: A-001
#[test]
fn nothing_of_a_game_is_tracked() {
    super::assert_clean(&faults(&Tree::tracked()));
}

#[test]
fn planted_files_are_reported() {
    let text = |path: &str, text: &str| super::planted(&[(path, text)]);
    super::assert_reported(&faults(&text("tests/titles/x/main.bin", "NSO0....")), "NSO");
    super::assert_reported(&faults(&text("tests/titles/x/main.npdm.bin", "META....")), "NPDM");
    super::assert_reported(&faults(&text("profiles/a.txt", &format!("{}NRO0", " ".repeat(16)))), "NRO");
    super::assert_reported(&faults(&text("a.bin", &format!("{}NCA3", " ".repeat(0x200)))), "packaged");
    super::assert_reported(&faults(&text("prod.keys", "")), "ending");
    super::assert_reported(&faults(&text("game.XCI", "")), "ending");
    let digits = "0123456789abcdef".repeat(2);
    super::assert_reported(&faults(&text("notes.txt", &format!("a\nmaster_key_00 = {digits}\n"))), "line 2");
    super::assert_reported(&faults(&text("notes.txt", &format!("{digits} = {digits}\n"))), "console key");
    let binary = |path: &str| Tree::of(vec![(path.to_owned(), vec![0xff, 0xfe])]);
    super::assert_reported(&faults(&binary("profiles/texture.bin")), "not text");
    super::assert_clean(&faults(&binary("tests/titles/island/assets/atlas.tex")));
    let mut image = vec![0; 0x200];
    image[0] = 0x50;
    super::assert_reported(&faults(&Tree::of(vec![("tests/x.txt".to_owned(), image)])), "RomFS");
    super::assert_reported(&faults(&Tree::of(vec![("tests/x.txt".to_owned(), vec![b' '; LARGEST + 1])])), "8 MiB");
}
