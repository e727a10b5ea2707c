//! Counts how often the parser ran, for tests and benchmarks that check that no text is parsed twice.
//!
//! Every parse goes through [`bounded`](crate::bounded), which counts here. Counts are of the calling thread alone, so
//! that parallel tests do not disturb each other: a caller that counts works on one thread. Adding to a thread-local
//! number costs a nanosecond, while the smallest parse costs microseconds.

use std::cell::Cell;
use std::ops::Sub;

/// Calls of the parser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParseCounts {
    /// Texts that were parsed.
    pub n_texts: u64,
    /// Files that were parsed once more by another grammar, or repaired, because the first tree had errors: files named
    /// as JavaScript that have types.
    pub n_again: u64,
}

impl Sub for ParseCounts {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            n_texts: self.n_texts - before.n_texts,
            n_again: self.n_again - before.n_again,
        }
    }
}

thread_local! {
    static OF_THREAD: Cell<ParseCounts> = const {
        Cell::new(ParseCounts {
            n_texts: 0,
            n_again: 0,
        })
    };
}

/// Returns the counters of this thread since it began; the difference of two answers is the work between them.
#[must_use]
pub fn on_this_thread() -> ParseCounts {
    OF_THREAD.get()
}

/// Whether a file is parsed for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParseTurn {
    First,
    Again,
}

/// Counts one call.
pub(crate) fn count(turn: ParseTurn) {
    let mut parses = OF_THREAD.get();
    match turn {
        ParseTurn::First => parses.n_texts += 1,
        ParseTurn::Again => parses.n_again += 1,
    }
    OF_THREAD.set(parses);
}
