//! Where a key moves to, and single steps.

/// How far to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    Up,
    Down,
    Left,
    Right,
    HalfUp,
    HalfDown,
    PageUp,
    PageDown,
    First,
    Last,
}

impl Motion {
    /// Returns where the line `at` of a list or a text comes to, a page being `page` lines.
    ///
    /// Never below 0; how far down there is something is for the caller to say: `Last` is [`usize::MAX`]. Moving
    /// sideways changes nothing.
    #[must_use]
    pub const fn moved(self, at: usize, page: usize) -> usize {
        match self {
            Self::Up => at.saturating_sub(1),
            Self::Down => at.saturating_add(1),
            Self::Left | Self::Right => at,
            Self::HalfUp => at.saturating_sub(page / 2),
            Self::HalfDown => at.saturating_add(page / 2),
            Self::PageUp => at.saturating_sub(page),
            Self::PageDown => at.saturating_add(page),
            Self::First => 0,
            Self::Last => usize::MAX,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Next,
    Previous,
}

impl From<Step> for Motion {
    /// Returns the motion by one: down to the next, up to the one before.
    fn from(step: Step) -> Self {
        match step {
            Step::Next => Self::Down,
            Step::Previous => Self::Up,
        }
    }
}
