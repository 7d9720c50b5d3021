//! Profiles: what a title needs that no program can discover. One RON file a title in `profiles/`; an unknown key is an error that names its line.

use crate::failure::{Failure, read_file};
use crate::keys;
use ferrograph_vulkan::features::{self, Feature};
use framegraph::rule::Kind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// A profile. Every key is a row of [`keys::KEYS`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profile {
    /// 16 hexadecimal digits.
    pub(crate) title_id: String,
    /// Name.
    pub(crate) name: String,
    /// Version of the title.
    #[serde(default)]
    pub(crate) version: String,
    /// NVN version that the title is told.
    #[serde(default)]
    pub(crate) api: Api,
    /// Systems switched off (or on).
    #[serde(default)]
    pub(crate) rules: BTreeMap<String, bool>,
    /// Sentences for people.
    #[serde(default)]
    pub(crate) known_issues: Vec<String>,
    /// Features of the device left unused; from `--set` alone.
    #[serde(skip)]
    pub(crate) vulkan_without: Vec<Feature>,
    /// Whether the validation layer runs; from `--set` alone.
    #[serde(skip)]
    pub(crate) vulkan_validation: bool,
    /// Whether shaders round products and sums each; from `--set` alone.
    #[serde(skip)]
    pub(crate) separate_rounding: bool,
    /// A barrier command that is not emitted; from `--set` alone.
    #[serde(skip)]
    pub(crate) drop_barrier: Option<u32>,
    /// Mutants of catalogue rows; from `--set` alone.
    #[serde(skip)]
    pub(crate) knobs: BTreeMap<String, bool>,
}

/// NVN version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Api {
    /// Major.
    #[serde(default = "default_major")]
    pub(crate) major: u32,
    /// Minor.
    #[serde(default = "default_minor")]
    pub(crate) minor: u32,
}

fn default_major() -> u32 {
    53
}

fn default_minor() -> u32 {
    313
}

impl Default for Api {
    fn default() -> Self {
        Self { major: default_major(), minor: default_minor() }
    }
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            title_id: "0000000000000000".to_owned(),
            name: "untitled".to_owned(),
            version: String::new(),
            api: Api::default(),
            rules: BTreeMap::new(),
            known_issues: Vec::new(),
            vulkan_without: Vec::new(),
            vulkan_validation: false,
            separate_rounding: false,
            drop_barrier: None,
            knobs: BTreeMap::new(),
        }
    }
}

impl Profile {
    /// Reads a profile from RON text; `place` names it in messages.
    pub(crate) fn parse(text: &str, place: &str) -> Result<Self, Failure> {
        let profile: Self =
            ron::from_str(text).map_err(|error| Failure::input(format!("{place}:{}: {}", error.span, error.code)))?;
        if profile.title_id.len() != 16 || !profile.title_id.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(Failure::input(format!(
                "{place}: title_id \"{}\" is not 16 hexadecimal digits",
                profile.title_id
            )));
        }
        for name in profile.rules.keys() {
            known_rule(name).map_err(|e| Failure::input(format!("{place}: {e}")))?;
        }
        Ok(profile)
    }

    /// Reads a profile file.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let bytes = read_file(path)?;
        let text =
            String::from_utf8(bytes).map_err(|_| Failure::input(format!("{}: not UTF-8 text", path.display())))?;
        Self::parse(&text, &path.display().to_string())
    }

    /// Applies `--set path=value`.
    pub(crate) fn set(&mut self, assignment: &str) -> Result<(), Failure> {
        let usage = || {
            Failure::input(format!("--set {assignment}: write it as path=value, for example rules.merge_passes=false"))
        };
        let (path, value) = assignment.split_once('=').ok_or_else(usage)?;
        let key = keys::find(path).ok_or_else(|| {
            let known: Vec<_> = keys::KEYS.iter().map(|k| k.path).collect();
            Failure::input(format!("--set {path}: there is no such key; there are {}", known.join(", ")))
        })?;
        let flag = || match value {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(Failure::input(format!("--set {path}: \"{value}\" is neither true nor false"))),
        };
        let number =
            || value.parse().map_err(|_| Failure::input(format!("--set {path}: \"{value}\" is no number that fits")));
        let tail = || path.split_once('.').map(|(_, tail)| tail.to_owned()).unwrap_or_default();
        match key.path {
            "rules.NAME" => {
                known_rule(&tail()).map_err(Failure::input)?;
                self.rules.insert(tail(), flag()?);
            }
            "knob.ROW" => {
                known_row(&tail()).map_err(|e| Failure::input(format!("--set {path}: {e}")))?;
                self.knobs.insert(tail(), flag()?);
            }
            "shaders.separate_rounding" => self.separate_rounding = flag()?,
            "vulkan.validation" => self.vulkan_validation = flag()?,
            "check.drop_barrier" => self.drop_barrier = Some(number()?),
            "vulkan.without" => {
                self.vulkan_without =
                    value.split(',').filter(|n| !n.is_empty()).map(known_feature).collect::<Result<_, _>>()?
            }
            "api.major" => self.api.major = number()?,
            "api.minor" => self.api.minor = number()?,
            "name" => value.clone_into(&mut self.name),
            "version" => value.clone_into(&mut self.version),
            _ => return Err(Failure::input(format!("--set {path}: this key can only stand in a profile"))),
        }
        Ok(())
    }
}

/// Whether a text is shaped as the id of a row: a letter of the catalogue, numbers, perhaps a small letter.
fn known_row(row: &str) -> Result<(), String> {
    let shaped = row.split_once('-').is_some_and(|(catalogue, number)| {
        let number = number.strip_suffix(|c: char| c.is_ascii_lowercase()).unwrap_or(number);
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        matches!(catalogue, "M" | "R" | "A") && number.split('.').all(digits)
    });
    let words = || format!("{row:?} is no row: write one that `ferrograph rules` lists, as M-1.1a");
    if shaped { Ok(()) } else { Err(words()) }
}

/// The feature of this name.
fn known_feature(name: &str) -> Result<Feature, Failure> {
    let row = features::TABLE.iter().find(|row| row.name == name);
    row.map(|row| row.feature)
        .ok_or_else(|| Failure::input(format!("there is no feature \"{name}\": `ferrograph doctor` lists them")))
}

/// Whether a system of this name exists.
fn known_rule(name: &str) -> Result<(), String> {
    if let Some(entry) = systems::table::TABLE.iter().find(|entry| entry.rule.name == name) {
        return match entry.rule.kind {
            Kind::Plumbing => Err(format!("{name} cannot be off: `ferrograph rules` says what each rule does")),
            _ => Ok(()),
        };
    }
    Err(format!("there is no system \"{name}\": `ferrograph rules` lists them"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SMALL: &str = "(title_id: \"0100000000010000\", name: \"x\")";

    // rows: A-022
    #[test]
    fn a_small_profile_equals_the_defaults() {
        let profile = Profile::parse(SMALL, "p.ron").expect("fine");
        assert_eq!(
            profile,
            Profile { title_id: "0100000000010000".to_owned(), name: "x".to_owned(), ..Profile::default() }
        );
    }

    // rows: A-022
    #[test]
    fn an_unknown_key_is_an_error_that_names_the_line() {
        let text = "(\n  title_id: \"0100000000010000\",\n  name: \"x\",\n  speed: 2,\n)";
        let Err(Failure::Input(message)) = Profile::parse(text, "p.ron") else { panic!("an error was due") };
        assert!(message.starts_with("p.ron:4:") && message.contains("speed"), "{message}");
    }

    #[test]
    fn every_profile_of_the_project_is_valid_and_round_trips() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../profiles");
        let mut count = 0;
        for entry in std::fs::read_dir(folder).expect("profiles/").flatten() {
            if entry.path().extension().is_some_and(|e| e == "ron") {
                let profile =
                    Profile::read(&entry.path()).unwrap_or_else(|e| panic!("{}: {e:?}", entry.path().display()));
                let text = ron::to_string(&profile).expect("RON");
                assert_eq!(Profile::parse(&text, "again").expect("RON"), profile);
                count += 1;
            }
        }
        assert!(count > 0, "profiles/ holds no profile");
    }

    /// A short run that is the same each time, or as the environment says: `cargo xtask soak` asks for many cases.
    fn fuzz(cases: u32) -> ProptestConfig {
        let given = ProptestConfig::default();
        if std::env::var_os("PROPTEST_CASES").is_some() {
            given
        } else {
            ProptestConfig { cases, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..given }
        }
    }

    proptest! {
        #![proptest_config(fuzz(256))]

        #[test]
        fn fuzz_profiles_are_answered(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<char>()), 0..16),
            text in any::<String>(),
            assignment in "[a-z.A-Z0-9=-]{0,24}",
        ) {
            let mut characters: Vec<char> = ron::to_string(&Profile::default()).expect("RON").chars().collect();
            for (at, character) in changes {
                let at = at.index(characters.len());
                characters[at] = character;
            }
            let _ = Profile::parse(&characters.into_iter().collect::<String>(), "p.ron");
            let _ = Profile::parse(&text, "p.ron");
            let mut profile = Profile::default();
            let _ = profile.set(&assignment);
            let _ = profile.set(&text);
        }
    }

    #[test]
    fn set_changes_one_key_and_refuses_what_is_not_there() {
        let mut profile = Profile::default();
        profile.set("rules.merge_passes=false").expect("a rule");
        profile.set("knob.M-1.1a=true").expect("a knob");
        profile.set("api.minor=400").expect("a number");
        assert_eq!(profile.rules.get("merge_passes"), Some(&false));
        assert_eq!(profile.knobs.get("M-1.1a"), Some(&true));
        assert_eq!(profile.api.minor, 400);
        for bad in ["rules.merge_pases=false", "speed=1", "rules.merge_passes=maybe", "api.minor=x", "nothing"] {
            assert!(matches!(profile.set(bad), Err(Failure::Input(_))), "{bad}");
        }
    }
}
