//! Movements of a cursor, and single steps.

/// How far a cursor moves, and in which direction.
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
    /// Moves from the line `at` of a list or a text, with pages of `page` lines.
    ///
    /// Never below 0. The caller bounds the other end: `Last` is [`usize::MAX`]. Moving sideways changes nothing.
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
pub enum StepDirection {
    Next,
    Previous,
}

impl StepDirection {
    /// Returns the place beside `at` among `n`, going around both ends; 0 where there is none.
    #[must_use]
    pub const fn around(self, at: usize, n: usize) -> usize {
        match self {
            _ if n == 0 => 0,
            Self::Next => (at + 1) % n,
            Self::Previous => (at + n - 1) % n,
        }
    }

    /// Returns the place beside `at` of `n` as [`StepDirection::around`] does; from nowhere, the first or the last.
    #[must_use]
    pub const fn around_from(self, at: Option<usize>, n: usize) -> usize {
        match (at, self) {
            (Some(at), _) => self.around(at, n),
            (None, Self::Next) => 0,
            (None, Self::Previous) => n.saturating_sub(1),
        }
    }

    /// Finds the next of `n` places for which `is_it` holds, going around the end; `at` itself comes last.
    pub fn search(self, at: usize, n: usize, is_it: impl Fn(usize) -> bool) -> Option<usize> {
        let places = std::iter::successors(Some(at), |place| Some(self.around(*place, n)));
        places.skip(1).take(n).find(|place| is_it(*place))
    }
}

impl From<StepDirection> for Motion {
    /// Makes the motion by one line: down to the next, up to the previous.
    fn from(step: StepDirection) -> Self {
        match step {
            StepDirection::Next => Self::Down,
            StepDirection::Previous => Self::Up,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_go_around_the_end() {
        assert_eq!(StepDirection::Next.around(2, 3), 0);
        assert_eq!(StepDirection::Previous.around(0, 3), 2);
        assert_eq!(StepDirection::Next.around(0, 0), 0);
        assert_eq!(StepDirection::Previous.around_from(None, 3), 2);
    }

    #[test]
    fn a_search_comes_back_to_where_it_began_at_last() {
        let is_even = |place: usize| place.is_multiple_of(2);
        assert_eq!(StepDirection::Next.search(2, 5, is_even), Some(4));
        assert_eq!(StepDirection::Previous.search(0, 5, is_even), Some(4));
        assert_eq!(StepDirection::Next.search(2, 5, |n| n == 2), Some(2));
        assert_eq!(StepDirection::Next.search(0, 0, is_even), None);
    }
}
