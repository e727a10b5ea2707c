//! The output of `results` with `--json`.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::{
    BlockedReason, CoverScope, CoverageCounter, Execution, ExecutionFunnel, GroupNumbers, Outcome,
    PredictionReading, QuestionSetting, ResultDetail, ResultGroup, ResultRow, ScoredAnswer, Tag,
    Tags,
};

use super::brittle::{WireBrittle, brittle};
use super::faults::WireFaultCounts;
use super::outcomes::{WireExecutionFunnel, WireFocalShares, WireUnstable, WireWhy};
use super::scores::OrderedFields;
use super::usage::{WireMetaScores, scores_of, written_scores};

/// A prediction of a run: a line of `results --json`, with `--texts` also the reference and the answer.
#[derive(Debug, Serialize)]
pub struct WireResult<'a> {
    pub run: &'a str,
    pub sample: String,
    pub attempt: u32,
    /// Null where the index no longer has the sample, and so is the next.
    pub repo: Option<&'a str>,
    pub test: Option<&'a str>,
    pub focal: Option<&'a str>,
    /// How a question was asked; absent for samples. With it, `test` is the question's name, and `focal` its subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<WireAsked<'a>>,
    #[serde(flatten)]
    pub reading: WireReading,
    pub tags: Vec<&'static str>,
    /// The result of running it; absent where it was not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ran: Option<WireRan>,
    /// How many mutants of its focal method it notices; absent where it was run on none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faults: Option<WireFaultCounts>,
    /// The tags that people gave in place of the machine's; absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags_by_people: Option<Vec<&'static str>>,
    pub scores: OrderedFields<f64>,
    /// Scores that the file or a judge gave it; absent where there are none, or where they are not asked for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub meta_scores: WireMetaScores,
    /// The scores of the baseline; `delta` is by how much these are higher.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<OrderedFields<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<OrderedFields<f64>>,
    #[serde(flatten)]
    pub texts: Option<WireTexts<'a>>,
}

/// How a question was asked that is no sample.
#[derive(Debug, Serialize)]
pub struct WireAsked<'a> {
    /// `cloze`, `target`, `block`; of halves the pass, `own` for the function itself.
    pub task: &'a str,
    /// Null where the problem alone was shown, and for halves.
    pub budget: Option<u32>,
    /// The form of the answer; null for halves.
    pub answer: Option<&'a str>,
}

impl<'a> From<&'a QuestionSetting> for WireAsked<'a> {
    fn from(asked: &'a QuestionSetting) -> Self {
        Self {
            task: &asked.task,
            budget: asked.budget,
            answer: asked.form.as_deref(),
        }
    }
}

/// The result of running a prediction.
#[derive(Debug, Serialize)]
pub struct WireRan {
    /// Null where it is blocked.
    pub outcome: Option<&'static str>,
    pub blocked: Option<&'static str>,
    /// The class of the exception, or the code of the error; absent where there is none, or where it was not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub repair: &'static str,
    pub called: Option<bool>,
    /// Whether something in it can fail.
    pub asserts: Option<bool>,
    /// The reason why it is unstable; absent where it is not known to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unstable: Option<WireUnstable>,
    /// The variants that it objects to; absent where it was run on none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brittle: Option<WireBrittle>,
    /// Lines of the focal method: missed, then covered.
    pub line: Option<[u32; 2]>,
    pub branch: Option<[u32; 2]>,
    pub ms: Option<u32>,
}

impl From<&Execution> for WireRan {
    fn from(execution: &Execution) -> Self {
        let pair = |counter: CoverageCounter| [counter.missed, counter.covered];
        Self {
            outcome: execution.outcome.map(Outcome::as_str),
            blocked: execution.blocked.map(BlockedReason::as_str),
            reason: None,
            repair: execution.repair.as_str(),
            called: execution.is_called,
            asserts: execution.asserts,
            unstable: execution.stability.as_ref().and_then(WireUnstable::of),
            brittle: execution.brittleness.as_ref().map(brittle),
            line: execution.lines.map(pair),
            branch: execution.branches.map(pair),
            ms: execution.elapsed_ms,
        }
    }
}

/// The facts about a prediction beside its scores; all null before the run was evaluated.
#[derive(Debug, Serialize)]
pub struct WireReading {
    pub parsable: Option<bool>,
    /// Line and column, from 1, where it does not parse.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub syntax_error: Option<[u32; 2]>,
    pub n_tokens: Option<u32>,
    pub n_reference_tokens: Option<u32>,
    pub changed: Option<bool>,
    pub overlong: Option<bool>,
    /// The first assertion call of the reference.
    pub assertion: Option<String>,
}

impl From<Option<&PredictionReading>> for WireReading {
    fn from(reading: Option<&PredictionReading>) -> Self {
        Self {
            parsable: reading.map(|prediction_reading| prediction_reading.syntax_error.is_none()),
            syntax_error: reading.and_then(|prediction_reading| {
                prediction_reading.syntax_error.map(<[u32; 2]>::from)
            }),
            n_tokens: reading.map(|prediction_reading| prediction_reading.n_tokens),
            n_reference_tokens: reading
                .map(|prediction_reading| prediction_reading.n_reference_tokens),
            changed: reading.map(|prediction_reading| prediction_reading.is_changed),
            overlong: reading.map(|prediction_reading| prediction_reading.is_over_length),
            assertion: reading.map(|prediction_reading| prediction_reading.assertion.clone()),
        }
    }
}

#[derive(Debug, Serialize)]
pub struct WireTexts<'a> {
    /// The text that the answer belongs to; absent for samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<&'a str>,
    pub reference: Option<&'a str>,
    /// The code that was scored.
    pub prediction: &'a str,
    /// The answer as the model wrote it, where it is more than the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline_prediction: Option<&'a str>,
}

impl<'a> WireTexts<'a> {
    fn new(detail: &'a ResultDetail) -> Self {
        Self {
            context: detail.context.as_deref(),
            reference: detail
                .reference
                .as_ref()
                .map(|reference| reference.text.as_str()),
            prediction: &detail.answered.prediction,
            answer: detail.answered.answer.as_deref(),
            baseline_prediction: detail
                .baseline
                .as_ref()
                .map(|scored_answer| scored_answer.prediction.as_str()),
        }
    }
}

fn words(tags: Tags) -> Vec<&'static str> {
    tags.iter().map(Tag::as_str).collect()
}

impl<'a> WireResult<'a> {
    /// Makes a row with values of `metrics`, and with its texts where `detail` has them.
    #[must_use]
    pub fn new(
        run: &'a str,
        metrics: &[&'static str],
        row: &'a ResultRow,
        detail: Option<&'a ResultDetail>,
    ) -> Self {
        let of = |values: &[Option<f64>]| {
            let values = metrics.iter().zip(values);
            values
                .filter_map(|(metric, value)| Some((*metric, (*value)?)))
                .collect()
        };
        let deltas = metrics
            .iter()
            .enumerate()
            .filter_map(|(idx, metric)| Some((*metric, row.delta(idx)?)));
        let there = |text: &'a str| (!text.is_empty()).then_some(text);
        Self {
            run,
            sample: row.key.to_string(),
            attempt: row.attempt,
            repo: there(&row.repo),
            test: there(&row.test),
            focal: row.focal.as_deref(),
            asked: row.asked.as_ref().map(WireAsked::from),
            reading: row.reading.as_ref().into(),
            tags: words(row.tags),
            ran: row.execution.as_ref().map(WireRan::from),
            faults: row.faults.map(Into::into),
            tags_by_people: row.people.map(words),
            scores: of(&row.values),
            meta_scores: detail
                .and_then(|result_detail| scores_of(result_detail.answered.meta.as_deref()?))
                .map(|map| written_scores(&map))
                .unwrap_or_default(),
            baseline: row.baseline.as_deref().map(of),
            delta: row.baseline.as_ref().map(|_| deltas.collect()),
            texts: detail.map(WireTexts::new),
        }
    }
}

/// All of a prediction: `results --show KEY --json`.
#[derive(Debug, Serialize)]
pub struct WireResultDetail<'a> {
    #[serde(flatten)]
    pub result: WireResult<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<WireReferencePlace<'a>>,
    /// The line of the imported file, from 1.
    pub line: u32,
    /// Further facts from the file, as JSON in a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta: Option<&'a str>,
    pub parts: OrderedFields<OrderedFields<f64>>,
    /// The prompt of the model; absent where `generate` did not ask it here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Why it has its outcome; absent where it was not run, or the outcome needs no reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<WireWhy>,
}

#[derive(Debug, Serialize)]
pub struct WireReferencePlace<'a> {
    pub file: &'a str,
    pub line: u32,
}

impl<'a> WireResultDetail<'a> {
    /// Makes the record of a prediction with the named parts of its scores.
    #[must_use]
    pub fn new(
        run: &'a str,
        metrics: &[&'static str],
        detail: &'a ResultDetail,
        parts: OrderedFields<OrderedFields<f64>>,
    ) -> Self {
        let ScoredAnswer { line, meta, .. } = &detail.answered;
        Self {
            result: WireResult::new(run, metrics, &detail.row, Some(detail)),
            place: detail
                .reference
                .as_ref()
                .map(|reference| WireReferencePlace {
                    file: &reference.path,
                    line: reference.first_line,
                }),
            line: *line,
            meta: meta.as_deref(),
            parts,
            prompt: None,
            why: None,
        }
    }
}

/// Predictions that have something in common: a line of `results --group BY --json`.
#[derive(Debug, Serialize)]
pub struct WireResultGroup<'a> {
    pub group: &'a str,
    pub n: u64,
    pub share: f64,
    /// Evaluated ones; `n_unparsable` of them do not parse.
    pub n_read: u64,
    pub n_unparsable: u64,
    /// Null where the run was never executed.
    pub n_blocked: Option<u64>,
    pub n_not_run: Option<u64>,
    /// The metric of `mean` and `mean_delta`.
    pub metric: Option<&'a str>,
    pub mean: Option<f64>,
    pub mean_delta: Option<f64>,
    /// Further numbers, of groups of samples.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<WireGroupNumbers>,
    /// The filter that selects them.
    pub filter: &'a str,
}

/// The numbers of a group of samples beside its counts.
#[derive(Debug, Serialize)]
pub struct WireGroupNumbers {
    pub n_samples: u64,
    /// Answers that were checked for something that can fail, and those in which something can.
    pub n_looked_at: u64,
    pub n_asserting: u64,
    /// The mean of each metric over the predictions.
    pub means: OrderedFields<Option<f64>>,
    /// Null, like all that follows, where the run was never executed. Of unique candidates.
    pub funnel: Option<WireExecutionFunnel>,
    pub correct_of_executable: Option<f64>,
    /// Samples whose first answer has an outcome, and of these the share whose first answer is correct.
    pub n_ran: Option<u64>,
    pub correct: Option<f64>,
    /// The coverage by passing candidates, by all of the project or by those that are about the method; null except for
    /// whole repositories.
    pub all: Option<WireFocalShares>,
    pub own: Option<WireFocalShares>,
    /// The results of its tests on mutants; absent where none was run on any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faults: Option<WireFaultCounts>,
}

impl<'a> WireResultGroup<'a> {
    #[must_use]
    pub fn new(group: &'a ResultGroup, metric: Option<&'a str>, filter: &'a str) -> Self {
        Self {
            group: &group.name,
            n: group.n_predictions,
            share: group.share,
            n_read: group.n_read,
            n_unparsable: group.n_unparsable,
            n_blocked: group
                .without_outcome
                .map(|without_outcome| without_outcome.n_blocked),
            n_not_run: group
                .without_outcome
                .map(|without_outcome| without_outcome.n_not_run),
            metric,
            mean: group.mean,
            mean_delta: group.mean_delta,
            numbers: None,
            filter,
        }
    }

    /// Adds the further numbers; the means are of `metrics`.
    #[must_use]
    pub fn with(mut self, numbers: &GroupNumbers, metrics: &[&'static str]) -> Self {
        let means = metrics.iter().copied().zip(numbers.means.iter().copied());
        let funnel = numbers.funnel.as_ref();
        let covered = |scope: CoverScope| {
            let covered = numbers.covered.as_ref()?;
            Some(WireFocalShares::from(&covered[scope as usize]))
        };
        self.numbers = Some(WireGroupNumbers {
            n_samples: numbers.n_samples,
            n_looked_at: numbers.n_looked_at,
            n_asserting: numbers.n_asserting,
            means: means.collect(),
            funnel: funnel.map(Into::into),
            correct_of_executable: funnel.and_then(ExecutionFunnel::correct_of_executable),
            n_ran: funnel.map(|_| numbers.n_ran),
            correct: numbers.correct(),
            all: covered(CoverScope::All),
            own: covered(CoverScope::Own),
            faults: numbers.faults.map(Into::into),
        });
        self
    }
}
