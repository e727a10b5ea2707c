//! Runs of elements in the tables that facts are kept in, for every language.

/// A run of elements in one of a file's tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Run {
    pub start: u32,
    pub end: u32,
}

impl Run {
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
