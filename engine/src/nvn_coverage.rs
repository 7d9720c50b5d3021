//! `ferrograph nvn-coverage`: every function of the graphics API, how far it is carried out, and why not further.

use std::fmt::Write as _;

use ferrograph_nvn::table::{FUNCTIONS, State};

use crate::failure::Failure;
use crate::output::say;

/// Runs the command.
pub(crate) fn run() -> Result<(), Failure> {
    say(&text())
}

/// One line for each function, then the totals.
fn text() -> String {
    let mut text = String::new();
    for (name, body) in FUNCTIONS {
        let line = format!("{name:<56} {:<12} {}", body.state().word(), body.reason());
        let _ = writeln!(text, "{}", line.trim_end());
    }
    let count = |state| FUNCTIONS.iter().filter(|(_, body)| body.state() == state).count();
    let _ = writeln!(
        text,
        "\n{} functions: {} implemented, {} accepted, {} unsupported",
        FUNCTIONS.len(),
        count(State::Implemented),
        count(State::Accepted),
        count(State::Unsupported)
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_those_of_the_lines() {
        let text = text();
        let lines = |word: &str| text.lines().filter(|l| l.split_whitespace().nth(1) == Some(word)).count();
        let (implemented, accepted, unsupported) = (lines("implemented"), lines("accepted"), lines("unsupported"));
        let last = format!("{implemented} implemented, {accepted} accepted, {unsupported} unsupported");
        assert!(text.ends_with(&format!("{} functions: {last}\n", FUNCTIONS.len())), "{last}");
        assert_eq!(implemented + accepted + unsupported, FUNCTIONS.len());
    }
}
