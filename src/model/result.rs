//! A run's predictions one by one: rows of a list, slices of it, and all facts about a single one.

use super::execution::{CoverScope, Execution, ExecutionFunnel, FocalShares, WithoutOutcome};
use super::fault::FaultCounts;
use super::filter::Term;
use super::question::QuestionSetting;
use super::run::{PredictionReading, Score};
use super::sample::SampleKey;
use super::tag::Tags;

/// One line of the list of a run's predictions.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultRow {
    /// The prediction's number in its run, from 0, in the order of the imported file.
    pub ordinal: u32,
    pub key: SampleKey,
    /// 0 for the first answer to a sample.
    pub attempt: u32,
    /// The repository's name; empty when the index no longer has the sample.
    pub repo: String,
    /// `CounterTest.testInc` (innermost simple class and name); empty when the index no longer has the sample.
    pub test: String,
    /// `Counter.inc`, as the run's matcher decided; absent when unmapped.
    pub focal: Option<String>,
    /// How a question was asked; absent for samples. With it, the test is the question's name, and the focal method its
    /// subject.
    pub asked: Option<QuestionSetting>,
    /// Absent until the run was evaluated.
    pub reading: Option<PredictionReading>,
    /// The tags of its differences; none until they were looked for.
    pub tags: Tags,
    /// The tags that people gave it; absent where there are none that are not stale.
    pub people: Option<Tags>,
    /// 0..=1, in the order of the list's metrics; absent where it is not scored.
    pub values: Vec<Option<f64>>,
    /// The baseline's scores on the same sample and attempt, in the same order; absent without a baseline, and where it
    /// has no such prediction.
    pub baseline: Option<Vec<Option<f64>>>,
    /// Its result when its run was executed last; absent where it was not.
    pub execution: Option<Execution>,
    /// How many mutants of its focal method it notices; absent where it was run on none.
    pub faults: Option<FaultCounts>,
}

impl ResultRow {
    /// Returns the value of the n-th metric minus the baseline's, -1..=1; nothing where either is missing.
    #[must_use]
    pub fn delta(&self, metric_idx: usize) -> Option<f64> {
        let before = self.baseline.as_ref()?.get(metric_idx).copied().flatten()?;
        Some(self.values.get(metric_idx).copied().flatten()? - before)
    }

    /// Tells whether it parses; nothing before the run was evaluated.
    #[must_use]
    pub fn parses(&self) -> Option<bool> {
        self.reading
            .as_ref()
            .map(|prediction_reading| prediction_reading.syntax_error.is_none())
    }
}

/// Some of the predictions of a list, which have something in common.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultGroup {
    pub name: String,
    pub n_predictions: u64,
    /// The share of all predictions of the list, 0..=1.
    pub share: f64,
    /// Those that were evaluated: of the others it is not known whether they parse.
    pub n_read: u64,
    /// How many of `n_read` do not parse.
    pub n_unparsable: u64,
    /// Nothing where the run was never executed.
    pub without_outcome: Option<WithoutOutcome>,
    /// The mean of the list's metric over those that are scored, 0..=1; absent where none is.
    pub mean: Option<f64>,
    /// The mean of the differences to the baseline, -1..=1; absent without one.
    pub mean_delta: Option<f64>,
    /// The terms that select these predictions when they are added to the filter.
    pub terms: Vec<Term>,
}

/// The numbers of a group beside its counts; for each repository, the ones of `Tests4J` (3.5).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupNumbers {
    pub n_samples: u64,
    /// Answers that were checked for something that can fail: nothing can in one that does not parse.
    pub n_looked_at: u64,
    pub n_asserting: u64,
    /// Samples whose first answer has an outcome.
    pub n_ran: u64,
    /// Samples whose first answer is correct.
    pub n_correct: u64,
    /// The funnel of unique candidates; nothing where the run was never executed.
    pub funnel: Option<ExecutionFunnel>,
    /// The coverage of the focal methods by passing candidates, in the order of [`CoverScope::ALL`]; only where the
    /// list has all predictions of a repository, because several of these cover one method.
    pub covered: Option<[FocalShares; CoverScope::ALL.len()]>,
    /// The mean of each metric that the run has, over the predictions that are scored, 0..=1.
    pub means: Vec<Option<f64>>,
    /// The results of its tests on mutants of their focal methods; nothing where none was run on any.
    pub faults: Option<FaultCounts>,
}

impl GroupNumbers {
    /// Computes the share of answers in which something can fail.
    #[must_use]
    pub fn asserting(&self) -> Option<f64> {
        share(self.n_asserting, self.n_looked_at)
    }

    /// Computes the share of samples whose first answer is correct, among those with an outcome.
    #[must_use]
    pub fn correct(&self) -> Option<f64> {
        share(self.n_correct, self.n_ran)
    }
}

fn share(n: u64, of: u64) -> Option<f64> {
    (of > 0).then(|| n as f64 / of as f64)
}

/// One side of a comparison: an answer and its scores.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoredAnswer {
    /// The number in its run.
    pub ordinal: u32,
    /// The code that was scored.
    pub prediction: String,
    /// The answer as the model wrote it, where it is more than the code.
    pub answer: Option<String>,
    /// The line of the imported file, from 1.
    pub line: u32,
    /// Further facts from the file, as JSON.
    pub meta: Option<String>,
    /// Absent until the run was evaluated.
    pub reading: Option<PredictionReading>,
    /// Id of the metric and score with its parts, in the order of tables; those that the run has.
    pub scores: Vec<(&'static str, Score)>,
}

/// All of a single prediction.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultDetail {
    pub row: ResultRow,
    /// The true text as it is in the index now; absent where the sample is gone or has no such part.
    pub reference: Option<Reference>,
    pub answered: ScoredAnswer,
    /// The baseline's answer to the same sample and attempt.
    pub baseline: Option<ScoredAnswer>,
    /// The text that an answer to a question belongs to; absent for samples.
    pub context: Option<String>,
}

/// The text that was to be written, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    pub text: String,
    /// Path of the test's file in its repository.
    pub path: String,
    /// The number of the text's first line in its file, from 1.
    pub first_line: u32,
    /// The column where the text begins in that line, from 0, in bytes.
    pub first_column: u32,
}

/// How a prediction stands against the baseline's, in the list's metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BaselineStanding {
    Better,
    Same,
    Worse,
}

impl BaselineStanding {
    pub const ALL: &[Self] = &[Self::Better, Self::Same, Self::Worse];

    /// Returns the word used in filters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Same => "same",
            Self::Worse => "worse",
        }
    }

    /// Classifies a difference of values; less than a billionth is none, as sums are rounded.
    #[must_use]
    pub fn of(delta: f64) -> Self {
        if delta > 1e-9 {
            Self::Better
        } else if delta < -1e-9 {
            Self::Worse
        } else {
            Self::Same
        }
    }
}

/// Whether a prediction parses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Parse {
    Ok,
    Fail,
    /// The run was not evaluated so far.
    Unread,
}

impl Parse {
    pub const ALL: &[Self] = &[Self::Ok, Self::Fail, Self::Unread];

    /// Returns the word used in filters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Fail => "fail",
            Self::Unread => "unread",
        }
    }
}
