//! Numbers of elements in the tables that facts are kept in, and lists of such numbers, for every language.

use std::marker::PhantomData;

/// Makes types of numbers, one for the elements of each table of a file. Where they count `from one`, the table keeps
/// its first place empty, so that an `Option` of a number takes no more room than the number.
macro_rules! ids {
    (from one: $($(#[$doc:meta])* $id:ident),* $(,)?) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub struct $id(std::num::NonZeroU32);

            impl $id {
                /// Makes the id of the element at `index`.
                pub fn new(index: usize) -> Self {
                    Self(std::num::NonZeroU32::new(index as u32).expect("arenas start at one"))
                }

                pub const fn index(self) -> usize {
                    self.0.get() as usize
                }
            }

            impl From<u32> for $id {
                fn from(index: u32) -> Self {
                    Self::new(index as usize)
                }
            }
        )*
    };
    ($($(#[$doc:meta])* $id:ident),* $(,)?) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub struct $id(pub u32);

            impl $id {
                pub const fn index(self) -> usize {
                    self.0 as usize
                }
            }

            impl From<u32> for $id {
                fn from(index: u32) -> Self {
                    Self(index)
                }
            }

            impl From<$id> for u32 {
                fn from(id: $id) -> Self {
                    id.0
                }
            }
        )*
    };
}
pub(crate) use ids;

/// Makes functions of a value with tables; each returns the row with a number from one table, copied or borrowed.
macro_rules! rows {
    (
        $(copied $($copied:ident($copied_id:ty) -> $copied_row:ty = $copied_table:ident),+;)?
        $(lent $($lent:ident($lent_id:ty) -> $lent_row:ty = $lent_table:ident),+;)?
    ) => {
        $($(
            pub fn $copied(&self, id: $copied_id) -> $copied_row {
                self.$copied_table[id.index()]
            }
        )+)?
        $($(
            pub fn $lent(&self, id: $lent_id) -> &$lent_row {
                &self.$lent_table[id.index()]
            }
        )+)?
    };
}
pub(crate) use rows;

/// Adds an element at the end of a table, and returns its number, which is its index.
pub fn add<T, I: From<u32>>(table: &mut Vec<T>, element: T) -> I {
    table.push(element);
    I::from(table.len() as u32 - 1)
}

/// A list of ids in a table of a file.
#[derive(Debug)]
pub struct Ids<T> {
    pub start: u32,
    pub len: u32,
    of: PhantomData<T>,
}

impl<T> Clone for Ids<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Ids<T> {}

impl<T> Default for Ids<T> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<T> Ids<T> {
    pub const EMPTY: Self = Self::new(0, 0);

    pub const fn new(start: u32, len: u32) -> Self {
        Self {
            start,
            len,
            of: PhantomData,
        }
    }

    pub const fn len(self) -> usize {
        self.len as usize
    }

    pub const fn is_empty(self) -> bool {
        self.len == 0
    }
}
