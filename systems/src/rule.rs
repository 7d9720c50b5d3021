//! What every rule's file states about itself, and the switches it reads. Defined in [`framegraph::rule`], since the systems of framegraph have them too.

pub use framegraph::rule::{Kind, Rule, SwitchError, Switches};
