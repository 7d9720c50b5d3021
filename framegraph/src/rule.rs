//! Rules: what a system says about itself, and the switches that turn systems off and mutants on.
//!
//! Every system of the engine has one [`Rule`]. A rule's file states it as `pub const RULE: Rule`. [`Switches`] is read by the rules themselves: a rule that
//! is off does what [`Rule::off_means`] says; a *knob* makes a rule do a stated wrong thing, so that the proof of a catalogue row can be seen to fail.

use crate::schedule::Phase;
use bevy_ecs::prelude::Resource;

/// Why a system exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Moves data; no behaviour of its own. Cannot be turned off.
    Plumbing,
    /// Without it pictures are wrong.
    Correctness,
    /// Changes no pixel.
    Optimisation,
    /// May change pixels on purpose; off in reproducible runs.
    Policy,
}

/// The descriptor of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// The system's name, its function's name and its file's name.
    pub name: &'static str,
    /// When it runs.
    pub phase: Phase,
    /// Why it exists.
    pub kind: Kind,
    /// Catalogue rows it owns.
    pub rows: &'static [&'static str],
    /// Rules that must have run before it.
    pub after: &'static [&'static str],
    /// What happens when it is off.
    pub off_means: &'static str,
    /// Catalogue rows of `rows` whose mutant is implemented: valid in `knob.ROW`.
    pub knobs: &'static [&'static str],
}

/// A switch that cannot be set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SwitchError {
    /// The key has neither of the two known prefixes.
    #[error("setting {0:?}: expected rules.NAME or knob.ROW")]
    UnknownKey(String),
    /// The value is not a boolean.
    #[error("setting {key:?}: {value:?} is neither true nor false")]
    NotBoolean {
        /// The key.
        key: String,
        /// The value given.
        value: String,
    },
}

/// Which rules are off and which knobs are on. By default every rule is on and every knob off.
#[derive(Debug, Clone, Default, PartialEq, Eq, Resource)]
pub struct Switches {
    off: Vec<String>,
    knobs: Vec<String>,
}

impl Switches {
    /// Whether a rule runs.
    #[must_use]
    pub fn on(&self, rule: &Rule) -> bool {
        !self.off.iter().any(|name| name == rule.name)
    }

    /// Whether the mutant of a catalogue row is on.
    #[must_use]
    pub fn knob(&self, row: &str) -> bool {
        self.knobs.iter().any(|name| name == row)
    }

    /// Turns a rule on or off.
    pub fn set_rule(&mut self, name: &str, on: bool) {
        self.off.retain(|other| other != name);
        if !on {
            self.off.push(name.to_owned());
        }
    }

    /// Turns the mutant of a row on or off.
    pub fn set_knob(&mut self, row: &str, on: bool) {
        self.knobs.retain(|other| other != row);
        if on {
            self.knobs.push(row.to_owned());
        }
    }

    /// Sets `rules.NAME` or `knob.ROW` to `true` or `false`.
    ///
    /// # Errors
    /// The key has another prefix, or the value is no boolean. Whether NAME or ROW exists is for the owner of the table of rules to check.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), SwitchError> {
        let on = match value {
            "true" => true,
            "false" => false,
            _ => return Err(SwitchError::NotBoolean { key: key.to_owned(), value: value.to_owned() }),
        };
        if let Some(name) = key.strip_prefix("rules.") {
            self.set_rule(name, on);
        } else if let Some(row) = key.strip_prefix("knob.") {
            self.set_knob(row, on);
        } else {
            return Err(SwitchError::UnknownKey(key.to_owned()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: Rule = Rule {
        name: "sample",
        phase: Phase::State,
        kind: Kind::Correctness,
        rows: &["M-0.0"],
        after: &[],
        off_means: "nothing happens",
        knobs: &["M-0.0"],
    };

    #[test]
    fn rules_are_on_and_knobs_off_until_set() {
        let mut switches = Switches::default();
        assert!(switches.on(&RULE));
        assert!(!switches.knob("M-0.0"));
        switches.set("rules.sample", "false").unwrap();
        switches.set("knob.M-0.0", "true").unwrap();
        assert!(!switches.on(&RULE));
        assert!(switches.knob("M-0.0"));
        switches.set("rules.sample", "true").unwrap();
        assert!(switches.on(&RULE));
    }

    #[test]
    fn a_bad_key_or_value_is_named() {
        let mut switches = Switches::default();
        assert_eq!(switches.set("rule.sample", "true"), Err(SwitchError::UnknownKey("rule.sample".into())));
        assert!(matches!(switches.set("rules.sample", "1"), Err(SwitchError::NotBoolean { .. })));
    }
}
