//! Faults put into main code, and whether a test notices them.
//!
//! A *mutant* is the project with one small change in one method. Definitions of the numbers: Papadakis et al., "Mutation
//! Testing Advances" (2019), section 2.

use std::ops::AddAssign;

use super::{ContentHash, Language};

/// The project with one small change in one method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// A hash of the language, the file, the place and the change: the same wherever the same source is mutated.
    pub id: ContentHash,
    pub language: Language,
    /// Below the project's root.
    pub file: String,
    /// The first line that changes, from one.
    pub line: u32,
    /// The operator: a short name of the literature (Python), or PIT's name of its mutator (Java).
    pub mutator: String,
    /// The change in words, one line.
    pub description: String,
    pub place: MutantPlace,
}

/// Where a mutant differs from the code as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MutantPlace {
    /// In byte code, by the key that PIT gives it.
    ByteCode {
        /// The binary name, with dots.
        class: String,
        method: String,
        descriptor: String,
        /// In PIT's order.
        indexes: Vec<u32>,
    },
    /// In the text of the file: bytes `start..end` become the replacement.
    Text {
        start: u32,
        end: u32,
        replacement: String,
    },
}

/// The result of a test that was run on a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FaultOutcome {
    /// The first failure is one of an assertion.
    KilledByAssertion,
    /// The first failure is anything else that was thrown.
    KilledByError,
    Survived,
    TimedOut,
    OutOfMemory,
    /// The test does not come to the changed code, so it was not run.
    NotCovered,
    /// The changed code does not parse, load or verify.
    NotViable,
    /// Repeated runs differ.
    Unstable,
}

impl FaultOutcome {
    /// Every outcome; the index stores positions in this list.
    pub const ALL: &[Self] = &[
        Self::KilledByAssertion,
        Self::KilledByError,
        Self::Survived,
        Self::TimedOut,
        Self::OutOfMemory,
        Self::NotCovered,
        Self::NotViable,
        Self::Unstable,
    ];

    /// Returns the word used in files and filters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::KilledByAssertion => "killed_by_assertion",
            Self::KilledByError => "killed_by_error",
            Self::Survived => "survived",
            Self::TimedOut => "timed_out",
            Self::OutOfMemory => "out_of_memory",
            Self::NotCovered => "not_covered",
            Self::NotViable => "not_viable",
            Self::Unstable => "unstable",
        }
    }

    /// Returns the one letter that a matrix shows beside the colour.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::KilledByAssertion => 'A',
            Self::KilledByError => 'E',
            Self::Survived => 'S',
            Self::TimedOut => 'T',
            Self::OutOfMemory => 'M',
            Self::NotCovered => '·',
            Self::NotViable => 'x',
            Self::Unstable => '~',
        }
    }

    /// Tells whether the test noticed the fault.
    #[must_use]
    pub const fn is_detected(self) -> bool {
        matches!(
            self,
            Self::KilledByAssertion | Self::KilledByError | Self::TimedOut | Self::OutOfMemory
        )
    }

    /// Joins the outcomes of two tests on a mutant, or of one: a fault that one of them notices is noticed.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let rank = |other: Self| match other {
            Self::KilledByAssertion => 7,
            Self::KilledByError => 6,
            Self::TimedOut => 5,
            Self::OutOfMemory => 4,
            Self::Survived => 3,
            Self::Unstable => 2,
            Self::NotCovered => 1,
            Self::NotViable => 0,
        };
        if rank(other) > rank(self) {
            other
        } else {
            self
        }
    }

    /// Tells whether the test leaves the mutant alive: it passes, or does not come to the change.
    #[must_use]
    pub const fn is_survived(self) -> bool {
        matches!(self, Self::Survived | Self::NotCovered)
    }
}

/// How many mutants one or more tests were run on, and how many were noticed.
///
/// Mutants that are not viable, those that annotators have marked as equivalent, and pairs that are unstable are in
/// none of the other counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaultCounts {
    pub n_viable: u64,
    pub n_covered: u64,
    pub n_detected: u64,
    pub n_by_assertion: u64,
    pub n_not_viable: u64,
    pub n_unstable: u64,
    /// Mutants that people say mean the same as the original, and that no test kills.
    pub n_equivalent: u64,
}

impl FaultCounts {
    /// Fewer viable mutants than this are shown as counts: a ratio over them says nothing.
    pub const FEWEST: u64 = 3;

    /// Counts one more pair of a test and a mutant.
    pub fn add(&mut self, outcome: FaultOutcome) {
        match outcome {
            FaultOutcome::NotViable => self.n_not_viable += 1,
            FaultOutcome::Unstable => self.n_unstable += 1,
            FaultOutcome::NotCovered => self.n_viable += 1,
            FaultOutcome::KilledByAssertion
            | FaultOutcome::KilledByError
            | FaultOutcome::Survived
            | FaultOutcome::TimedOut
            | FaultOutcome::OutOfMemory => {
                self.n_viable += 1;
                self.n_covered += 1;
                self.n_detected += u64::from(outcome.is_detected());
                self.n_by_assertion += u64::from(outcome == FaultOutcome::KilledByAssertion);
            }
        }
    }

    /// Counts one more pair as [`FaultCounts::add`] does, unless its mutant is equivalent.
    pub fn add_marked(&mut self, outcome: FaultOutcome, is_equivalent: bool) {
        if is_equivalent {
            self.n_equivalent += 1;
        } else {
            self.add(outcome);
        }
    }

    /// Counts the outcomes of pairs of a test and a mutant.
    #[must_use]
    pub fn of(outcomes: impl IntoIterator<Item = FaultOutcome>) -> Self {
        let mut counts = Self::default();
        for outcome in outcomes {
            counts.add(outcome);
        }
        counts
    }

    /// Computes the mutation score, detected of viable, from 0 to 1; nothing without a viable mutant.
    #[must_use]
    pub fn score(self) -> Option<f64> {
        share(self.n_detected, self.n_viable)
    }

    /// Computes the test strength, detected of covered, from 0 to 1; nothing without a covered mutant.
    #[must_use]
    pub fn strength(self) -> Option<f64> {
        share(self.n_detected, self.n_covered)
    }

    /// Shows the mutation score as [`ratio_told`] does, with the number of mutants that are left out as marked.
    #[must_use]
    pub fn score_label(self) -> String {
        let ratio = ratio_told(self.n_detected, self.n_viable);
        match self.n_equivalent {
            0 => ratio,
            // The text becomes like `0.833 (5/6, 1 marked)`.
            n => match ratio.strip_suffix(')') {
                Some(open) => format!("{open}, {n} marked)"),
                None => format!("{ratio}, {n} marked"),
            },
        }
    }

    /// Shows the test strength as [`ratio_told`] does.
    #[must_use]
    pub fn strength_label(self) -> String {
        ratio_told(self.n_detected, self.n_covered)
    }
}

/// Shows a ratio with its counts, as in `0.667 (4/6)`; only the counts where these are few, and `none` without any.
#[must_use]
pub fn ratio_told(n_detected: u64, n: u64) -> String {
    match n {
        0 => "none".to_owned(),
        few if few < FaultCounts::FEWEST => format!("{n_detected}/{n}"),
        _ => format!("{:.3} ({n_detected}/{n})", n_detected as f64 / n as f64),
    }
}

impl AddAssign for FaultCounts {
    fn add_assign(&mut self, other: Self) {
        self.n_viable += other.n_viable;
        self.n_covered += other.n_covered;
        self.n_detected += other.n_detected;
        self.n_by_assertion += other.n_by_assertion;
        self.n_not_viable += other.n_not_viable;
        self.n_unstable += other.n_unstable;
        self.n_equivalent += other.n_equivalent;
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn score_is_of_viable_and_strength_of_covered_mutants() {
        let counts = FaultCounts::of(FaultOutcome::ALL.iter().copied());
        let wanted = FaultCounts {
            n_viable: 6,
            n_covered: 5,
            n_detected: 4,
            n_by_assertion: 1,
            n_not_viable: 1,
            n_unstable: 1,
            n_equivalent: 0,
        };
        assert_eq!(counts, wanted);
        assert_eq!(counts.score(), Some(4.0 / 6.0));
        assert_eq!(counts.strength(), Some(4.0 / 5.0));
    }

    #[test]
    fn what_one_of_two_tests_notices_both_together_do() {
        for one in FaultOutcome::ALL {
            for other in FaultOutcome::ALL {
                let both = one.or(*other);
                assert_eq!(both, other.or(*one));
                let is_detected = one.is_detected() || other.is_detected();
                assert_eq!(both.is_detected(), is_detected, "{one:?} {other:?}");
            }
        }
        let survived = FaultOutcome::Survived;
        assert_eq!(FaultOutcome::NotCovered.or(survived), survived);
    }

    #[test]
    fn without_a_viable_mutant_there_is_no_score() {
        let counts = FaultCounts::of([FaultOutcome::NotViable]);
        assert_eq!((counts.score(), counts.strength()), (None, None));
        // A test that comes to none of them has a score, and no strength.
        let counts = FaultCounts::of([FaultOutcome::NotCovered]);
        assert_eq!((counts.score(), counts.strength()), (Some(0.0), None));
    }

    #[test]
    fn few_mutants_are_shown_as_counts_and_none_as_none() {
        let shown = |n: u64, of: u64| ratio_told(n, of);
        assert_eq!(shown(0, 0), "none");
        assert_eq!(shown(1, 2), "1/2");
        assert_eq!(shown(4, 6), "0.667 (4/6)");
    }

    #[test]
    fn equivalent_mutants_are_in_no_ratio_and_stand_beside_it() {
        let mut counts = FaultCounts::default();
        counts.add_marked(FaultOutcome::Survived, true);
        assert_eq!((counts.score(), counts.strength()), (None, None));
        assert_eq!(counts.score_label(), "none, 1 marked");
        counts.add_marked(FaultOutcome::KilledByError, false);
        assert_eq!(counts.score(), Some(1.0));
        counts += counts;
        assert_eq!(counts.score_label(), "2/2, 2 marked");
        assert_eq!(counts.strength_label(), "2/2");
        counts += counts;
        assert_eq!(counts.score_label(), "1.000 (4/4, 4 marked)");
    }

    #[test]
    fn counts_of_parts_are_the_counts_of_the_whole() {
        for cut in 0..=FaultOutcome::ALL.len() {
            let (left, right) = FaultOutcome::ALL.split_at(cut);
            let mut sum = FaultCounts::of(left.iter().copied());
            sum += FaultCounts::of(right.iter().copied());
            assert_eq!(sum, FaultCounts::of(FaultOutcome::ALL.iter().copied()));
        }
    }
}
