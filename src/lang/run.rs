//! Runs of elements in the tables that facts are kept in, for every language.

/// A run of elements in one of a file's tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Run {
    pub start: u32,
    pub end: u32,
}

impl Run {
    /// Appends elements to a table, and returns the run that covers them.
    pub fn add<T>(table: &mut Vec<T>, elements: impl IntoIterator<Item = T>) -> Self {
        let start = table.len() as u32;
        table.extend(elements);
        Self::since(start, table.len())
    }

    /// Makes the run from an element to the end of a table of `n_elements`.
    pub const fn since(start: u32, n_elements: usize) -> Self {
        Self {
            start,
            end: n_elements as u32,
        }
    }

    pub const fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    pub const fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }
}
