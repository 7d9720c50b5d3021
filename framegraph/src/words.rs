//! Words for what people read: uses, stages, hazards.

use crate::state::StageSet;
use crate::tables::uses;

const USE_NAMES: [&str; 16] = [
    "indirect",
    "index",
    "vertex",
    "uniform",
    "sampled",
    "storage-read",
    "storage-write",
    "color-read",
    "color-write",
    "depth-read",
    "depth-write",
    "copy-read",
    "copy-write",
    "host-read",
    "host-write",
    "present",
];

const STAGE_NAMES: [&str; 6] = ["vertex", "control", "evaluation", "geometry", "fragment", "compute"];

/// Appends uses and stages as words: `sampled@fragment`, `color-write`. Allocates only where `into` has no room.
pub fn append_use_words(into: &mut String, used: u32, stages: StageSet) {
    let mut between = "";
    for (n, name) in USE_NAMES.iter().enumerate() {
        if used >> n & 1 == 1 {
            into.push_str(between);
            into.push_str(name);
            between = "|";
        }
    }
    if between.is_empty() {
        into.push_str("nothing");
    }
    if used & uses::SHADER != 0 && stages != 0 {
        let mut mark = '@';
        for (n, name) in STAGE_NAMES.iter().enumerate() {
            if stages >> n & 1 == 1 {
                into.push(mark);
                into.push_str(name);
                mark = '+';
            }
        }
    }
}

/// [`append_use_words`] to a text of its own.
#[must_use]
pub fn use_words(used: u32, stages: StageSet) -> String {
    let mut text = String::new();
    append_use_words(&mut text, used, stages);
    text
}
