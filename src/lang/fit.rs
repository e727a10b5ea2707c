//! The answer to whether a value of one type fits where another is wanted, for languages whose types are declared.

/// An answer that admits unknown types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    No,
    Maybe,
    Yes,
}

impl Fit {
    pub const fn from(is: bool) -> Self {
        if is { Self::Yes } else { Self::No }
    }
}
