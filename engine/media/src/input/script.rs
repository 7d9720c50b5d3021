//! Input from a file: the same in every run.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{Button, PadSource, PadState, Stick};

/// What the pad shows from a frame on, until the next step.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptStep {
    /// First frame (counted from 0).
    pub frame: u64,
    /// Buttons held.
    #[serde(default)]
    pub buttons: Vec<Button>,
    /// Left stick, (x, y).
    #[serde(default)]
    pub stick_left: (f32, f32),
    /// Right stick, (x, y).
    #[serde(default)]
    pub stick_right: (f32, f32),
}

/// Why a script was refused.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The file can't be read.
    #[error("cannot read the input script {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
    /// It is not a list of steps.
    #[error(
        "the input script is not valid at {position}: {message}; expected for example [(frame: 10, buttons: [A], stick_left: (0.0, 1.0))]"
    )]
    Syntax {
        /// Line and column.
        position: String,
        /// What is wrong.
        message: String,
    },
    /// Steps are not in order.
    #[error(
        "input script step {index} is for frame {frame}, but step {previous_index} was already for frame {previous}; frames must increase"
    )]
    Order {
        /// Index of the step, from 0.
        index: usize,
        /// Its frame.
        frame: u64,
        /// Index of the one before.
        previous_index: usize,
        /// Its frame.
        previous: u64,
    },
}

/// A list of steps with increasing frames.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Script {
    steps: Vec<ScriptStep>,
}

impl Script {
    /// Reads RON text: `[(frame: 10, buttons: [A], stick_left: (0.0, 1.0)), …]`.
    pub fn parse(text: &str) -> Result<Script, ScriptError> {
        let steps: Vec<ScriptStep> = ron::from_str(text).map_err(|error| ScriptError::Syntax {
            position: error.span.start.to_string(),
            message: error.code.to_string(),
        })?;
        for (index, pair) in steps.windows(2).enumerate() {
            if pair[1].frame <= pair[0].frame {
                return Err(ScriptError::Order {
                    index: index + 1,
                    frame: pair[1].frame,
                    previous_index: index,
                    previous: pair[0].frame,
                });
            }
        }
        Ok(Script { steps })
    }

    /// Reads a file.
    pub fn load(path: &Path) -> Result<Script, ScriptError> {
        let text =
            std::fs::read_to_string(path).map_err(|source| ScriptError::Read { path: path.to_owned(), source })?;
        Script::parse(&text)
    }

    /// What the pad shows in a frame: the last step that has begun, nothing before the first.
    pub fn state(&self, frame: u64) -> PadState {
        let begun = self.steps.partition_point(|step| step.frame <= frame);
        begun.checked_sub(1).map_or_else(PadState::default, |index| {
            let step = &self.steps[index];
            PadState {
                buttons: step.buttons.iter().copied().collect(),
                stick_left: Stick::new(step.stick_left.0, step.stick_left.1),
                stick_right: Stick::new(step.stick_right.0, step.stick_right.1),
            }
        })
    }
}

/// A script as a pad that is always connected.
#[derive(Debug, Clone, Default)]
pub struct ScriptPad(pub Script);

impl PadSource for ScriptPad {
    fn sample(&mut self, frame: u64) -> Option<PadState> {
        Some(self.0.state(frame))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_hold_until_the_next() {
        let script = Script::parse("[(frame: 10, buttons: [A, ZR], stick_left: (0.0, 1.0)), (frame: 12), (frame: 20, stick_right: (-2.0, 0.0))]").unwrap();
        let mut pad = ScriptPad(script);
        assert_eq!(pad.sample(9), Some(PadState::default()));
        for frame in [10, 11] {
            let state = pad.sample(frame).unwrap();
            assert!(state.buttons.contains(Button::A) && state.buttons.contains(Button::ZR));
            assert_eq!(state.stick_left.units(), (0, 32767));
        }
        assert_eq!(pad.sample(12), Some(PadState::default()));
        assert_eq!(pad.sample(1000).unwrap().stick_right.units(), (-32767, 0));
    }

    #[test]
    fn mistakes_are_placed() {
        let error = Script::parse("[(frame: 1,\n buttons: [Q])]").unwrap_err();
        assert!(matches!(&error, ScriptError::Syntax { position, .. } if position.starts_with("2:")), "{error}");
        assert!(matches!(Script::parse("[(frame: 2), (frame: 2)]").unwrap_err(), ScriptError::Order { index: 1, .. }));
        assert!(matches!(Script::parse("[(frame: 2, button: [A])]").unwrap_err(), ScriptError::Syntax { .. }));
        assert!(matches!(Script::load(Path::new("/nonexistent.ron")).unwrap_err(), ScriptError::Read { .. }));
    }
}
