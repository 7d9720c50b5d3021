//! Every key of profiles, settings and `--set`, in one table. A key that is not here does not exist.

/// Where a key may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// A profile, and `--set`.
    Profile,
    /// `--set` alone.
    Run,
}

/// One key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key {
    /// Path; `NAME` and `ROW` stand for any rule and any catalogue row.
    pub(crate) path: &'static str,
    /// Default.
    pub(crate) default: &'static str,
    /// Where.
    pub(crate) scope: Scope,
    /// What it does.
    pub(crate) meaning: &'static str,
}

/// The table.
pub(crate) const KEYS: &[Key] = &[
    Key {
        path: "title_id",
        default: "required",
        scope: Scope::Profile,
        meaning: "16 hexadecimal digits: the title the profile is for",
    },
    Key { path: "name", default: "required", scope: Scope::Profile, meaning: "name shown in the window's title" },
    Key {
        path: "version",
        default: "\"\"",
        scope: Scope::Profile,
        meaning: "version of the title the profile was made with",
    },
    Key {
        path: "api.major",
        default: "53",
        scope: Scope::Profile,
        meaning: "NVN version that the title is told, major",
    },
    Key {
        path: "api.minor",
        default: "313",
        scope: Scope::Profile,
        meaning: "NVN version that the title is told, minor",
    },
    Key {
        path: "rules.NAME",
        default: "true",
        scope: Scope::Profile,
        meaning: "whether a system runs; `ferrograph rules` lists them and what off means",
    },
    Key { path: "known_issues", default: "[]", scope: Scope::Profile, meaning: "sentences told when the title starts" },
    Key {
        path: "vulkan.without",
        default: "\"\"",
        scope: Scope::Run,
        meaning: "features of the device left unused, by the names that `ferrograph doctor` prints, with commas between: their fallbacks are drawn",
    },
    Key {
        path: "shaders.separate_rounding",
        default: "false",
        scope: Scope::Run,
        meaning: "round products and the sums they go into each, and make of them what devices compute as they like: sines, powers, logarithms, sRGB, filters of level 0 and a target's steps. For comparing devices; slower, and Maxwell rounds once",
    },
    Key { path: "vulkan.validation", default: "false", scope: Scope::Run, meaning: "run the validation layer" },
    Key {
        path: "check.drop_barrier",
        default: "none",
        scope: Scope::Run,
        meaning: "a planted hazard: this barrier command, counted from 0, is not emitted, which --check must report (for tests)",
    },
    Key {
        path: "knob.ROW",
        default: "false",
        scope: Scope::Run,
        meaning: "a catalogue row's mutant: what would happen without its rule (for tests)",
    },
];

/// The key that a path names.
pub(crate) fn find(path: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| match key.path.split_once('.') {
        Some((group, "NAME" | "ROW")) => path.split_once('.').is_some_and(|(g, rest)| g == group && !rest.is_empty()),
        _ => key.path == path,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_and_others_are_not() {
        assert_eq!(find("rules.merge_passes").map(|k| k.path), Some("rules.NAME"));
        assert_eq!(find("knob.M-1.1a").map(|k| k.path), Some("knob.ROW"));
        assert_eq!(find("api.major").map(|k| k.path), Some("api.major"));
        assert!(
            find("api").is_none() && find("rules").is_none() && find("rules.").is_none() && find("speed").is_none()
        );
    }
}
