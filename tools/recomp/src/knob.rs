//! Faults that can be planted in the lifter, one for each catalogue row that it proves: a test that claims a row must fail, or see a
//! difference, when the row's knob is on. No build of a title sets one.

/// What the lifter does wrongly on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Knob {
    /// An unknown word lifts to nothing.
    UnknownIsNothing,
    /// Floating point is the host's as it is: which NaN comes out, and what a minimum or maximum gives.
    HostFloat,
    /// A tail branch is a nested host call.
    NestedTailCalls,
    /// A dispatch that finds nothing jumps to a null pointer.
    NullMiss,
    /// The length of a jump table is guessed: up to the first implausible entry.
    GuessedTables,
    /// The compiler is not tried before a build starts.
    NoProbe,
    /// Every build compiles everything.
    CompileAll,
}

impl Knob {
    /// The catalogue row.
    #[must_use]
    pub const fn row(self) -> &'static str {
        match self {
            Knob::UnknownIsNothing => "A-003",
            Knob::HostFloat => "A-004",
            Knob::NestedTailCalls => "A-005",
            Knob::NullMiss => "A-006",
            Knob::GuessedTables => "A-008",
            Knob::NoProbe => "A-082",
            Knob::CompileAll => "A-083",
        }
    }

    /// What the C compiler is told of it.
    pub(crate) const fn flags(self) -> &'static [&'static str] {
        match self {
            Knob::HostFloat => &["-DFG_KNOB_HOST_FLOAT"],
            Knob::NestedTailCalls => &["-DFG_KNOB_NESTED_TAIL_CALLS", "-fno-optimize-sibling-calls"],
            Knob::NullMiss => &["-DFG_KNOB_NULL_MISS"],
            _ => &[],
        }
    }
}
