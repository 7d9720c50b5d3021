//! Decisions: why the graph is as it is.
//!
//! A rule that changes, drops, delays or refuses something appends one row. The inspector, the exports, `explain` and `diff` read this one table.

use crate::ids::{DrawId, NodeId, PassId, ResourceId};
use bevy_ecs::prelude::Resource;

/// What a decision is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // The variants name the tables.
pub enum Subject {
    Part,
    Node(NodeId),
    Draw(DrawId),
    Pass(PassId),
    Resource(ResourceId),
    /// An attachment of a draw's pass: (draw, slot); slot 8 = depth/stencil.
    Target(DrawId, u8),
    /// A binding: row of [`crate::tables::Bindings`].
    Binding(u32),
}

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// State or content differs from what the game set.
    Changed,
    /// Does not run.
    Skipped,
    /// A node was added.
    Inserted,
    /// Runs elsewhere or later.
    Moved,
    /// An optimisation was not taken.
    Refused,
    /// An optimisation was taken.
    Taken,
    /// A behaviour could not be given in full.
    Degraded,
}

/// A reason: a message with typed evidence, so that the overlay, the export and a test print the same words.
///
/// `text` may hold `{0}` … `{3}`, filled from `evidence` in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reason {
    /// The sentence; lower case, no full stop.
    pub text: &'static str,
}

/// A value that a reason quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[allow(missing_docs)] // The variants name what they hold.
pub enum Evidence {
    #[default]
    None,
    Number(i64),
    /// Shown in hexadecimal.
    Bits(u64),
    Node(NodeId),
    Pass(PassId),
    Resource(ResourceId),
    Text(&'static str),
    /// `f32` bits.
    Float(u32),
    /// A write mask of one target, printed as `rgba`.
    Mask(u8),
}

/// One decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// Name of the rule: its file's name.
    pub rule: &'static str,
    /// What it is about.
    pub subject: Subject,
    /// What was decided.
    pub verdict: Verdict,
    /// Why.
    pub reason: Reason,
    /// What the reason quotes.
    pub evidence: [Evidence; 4],
}

impl Decision {
    /// The reason in words, for example `outputs not written: kept rgb`.
    #[must_use]
    pub fn words(&self) -> String {
        self.words_with(|_| None)
    }

    /// The reason in words, with other names for some of what it quotes.
    #[must_use]
    pub fn words_with(&self, name: impl Fn(&Evidence) -> Option<String>) -> String {
        let mut text = self.reason.text.to_owned();
        for (n, value) in self.evidence.iter().enumerate() {
            if let Some(shown) = name(value) {
                text = text.replace(&format!("{{{n}}}"), &shown);
                continue;
            }
            let shown = match value {
                Evidence::None => continue,
                Evidence::Number(v) => v.to_string(),
                Evidence::Bits(v) => format!("{v:#x}"),
                Evidence::Node(id) => format!("node {}", id.0),
                Evidence::Pass(id) => format!("pass {}", id.0),
                Evidence::Resource(id) => format!("resource {}", id.0),
                Evidence::Text(v) => (*v).to_owned(),
                Evidence::Float(bits) => f32::from_bits(*bits).to_string(),
                Evidence::Mask(bits) => mask_words(*bits),
            };
            text = text.replace(&format!("{{{n}}}"), &shown);
        }
        text
    }
}

fn mask_words(bits: u8) -> String {
    let named: String = "rgba".chars().enumerate().filter(|(n, _)| bits >> n & 1 == 1).map(|(_, c)| c).collect();
    if named.is_empty() { "none".to_owned() } else { named }
}

/// The table of decisions of the current part.
#[derive(Debug, Default, Resource)]
pub struct Decisions {
    rows: Vec<Decision>,
}

impl Decisions {
    /// Appends a decision.
    pub fn push(
        &mut self,
        rule: &'static str,
        subject: Subject,
        verdict: Verdict,
        text: &'static str,
        evidence: impl IntoIterator<Item = Evidence>,
    ) {
        let mut values = [Evidence::None; 4];
        for (slot, value) in values.iter_mut().zip(evidence) {
            *slot = value;
        }
        self.rows.push(Decision { rule, subject, verdict, reason: Reason { text }, evidence: values });
    }

    /// All rows, in the order in which they were made.
    #[must_use]
    pub fn rows(&self) -> &[Decision] {
        &self.rows
    }

    /// Forgets all rows, keeps the memory.
    pub fn clear(&mut self) {
        self.rows.clear();
    }
}
