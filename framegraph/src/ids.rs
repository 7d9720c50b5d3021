//! Identities and command order.

use bevy_ecs::component::Component;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Component)]
        pub struct $name(pub u32);

        impl $name {
            /// No row: the value of an optional column that is not set.
            pub const NONE: Self = Self(u32::MAX);

            /// The row as a table index.
            #[must_use]
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// Whether this names a row at all.
            #[must_use]
            #[inline]
            pub fn is_some(self) -> bool {
                self != Self::NONE
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::NONE
            }
        }
    };
}

id!(
    /// A node of the current part: a row of [`crate::tables::Nodes`].
    NodeId
);
id!(
    /// A draw of the current part: a row of [`crate::tables::Draws`].
    DrawId
);
id!(
    /// A pass of the current part: an index into [`crate::pass::PassPool`].
    PassId
);
id!(
    /// A resource (an image or a buffer over guest storage, or one of the host's own). Persistent; an index into [`crate::resource::ResourcePool`].
    ResourceId
);
id!(
    /// A program known to the shader store. Persistent.
    ProgramId
);
id!(
    /// A row of an interned state table of the current part (see [`crate::state`]).
    StateId
);

/// Command order. Immutable once given.
///
/// Ordered by `command`, then `sub`, then `ordinal`: an inserted node takes the command of the node that needs it with a negative `sub` to come before it
/// or a positive one to come after it, and an ordinal among its like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Seq {
    /// Index of the guest command within the part.
    pub command: u32,
    /// Before (negative) or after (positive) that command; 0 is the command itself.
    pub sub: i16,
    /// Order among the nodes inserted at the same place.
    pub ordinal: u16,
}

impl Seq {
    /// The order key of the guest command with this index.
    #[must_use]
    pub fn command(command: u32) -> Self {
        Self { command, sub: 0, ordinal: 0 }
    }

    /// The same order as one number.
    #[must_use]
    #[inline]
    pub fn key(self) -> u64 {
        u64::from(self.command) << 32 | u64::from(self.sub as u16 ^ 0x8000) << 16 | u64::from(self.ordinal)
    }

    /// The key of the `ordinal`-th node inserted just before this one.
    #[must_use]
    pub fn before(self, ordinal: u16) -> Self {
        Self { sub: self.sub - 1, ordinal, ..self }
    }

    /// The key of the `ordinal`-th node inserted just after this one.
    #[must_use]
    pub fn after(self, ordinal: u16) -> Self {
        Self { sub: self.sub + 1, ordinal, ..self }
    }
}

/// A run of rows of some table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Rows {
    /// First row.
    pub start: u32,
    /// Number of rows.
    pub len: u32,
}

impl Rows {
    /// The rows as indices.
    #[must_use]
    #[inline]
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_a_seq_orders_as_the_seq_does() {
        let at = Seq::command(7);
        let all = [
            Seq::command(6).after(9),
            at.before(0),
            at.before(1),
            at,
            at.after(0),
            at.after(3),
            Seq::command(8).before(0),
        ];
        assert!(all.is_sorted());
        assert!(all.map(Seq::key).is_sorted());
    }
}
