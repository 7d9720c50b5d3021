//! Faults that can be planted in the host, one for each catalogue row that it proves: a test that claims a row must see a
//! difference when the row's knob is on. No run of a title sets one.

/// What the host does wrongly on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Knob {
    /// imports of other modules are left unresolved.
    UnresolvedModules,
    /// an unknown import is a null pointer.
    NullImports,
    /// guest threads run without a virtual core.
    FreeThreads,
    /// every holder that is outranked is flagged.
    FlagAll,
    /// host work keeps the virtual core.
    KeepCore,
}
