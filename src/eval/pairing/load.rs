//! From a store to columns: which runs may be held against each other, and what they share.

use std::sync::atomic::Ordering;

use rustc_hash::FxHashMap;

use crate::metric::{METRICS, Metric};
use crate::model::{RunRow, SampleKey, Score};
use crate::store::{Store, run_named};
use crate::task::{Monitor, Phase};

use super::{EvalError, MetricValues, RunPairing};
use crate::evaluate::dataset_of;
use crate::question::check_same_question;
use crate::results::Columns;

/// The costs of a run's parts: checking whether its references are still the present ones, reading its answers, and
/// reading their values.
const CHECK_PARTS: u64 = 100;
const READ_PARTS: u64 = 40;
const VALUE_PARTS: u64 = 30;

/// A first answer that has a reference.
struct FirstAnswer {
    key: SampleKey,
    ordinal: u32,
    n_reference_tokens: u32,
    assertion: u32,
    is_unparsable: bool,
    is_over_length: bool,
}

/// The names of assertion calls, each with a number.
#[derive(Default)]
struct AssertionNumbers {
    names: Vec<String>,
    numbers: FxHashMap<String, u32>,
}

impl AssertionNumbers {
    fn number(&mut self, name: String) -> u32 {
        if let Some(number) = self.numbers.get(&name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.clone());
        self.numbers.insert(name, number);
        number
    }
}

pub(super) fn load(
    store: &Store,
    monitor: &Monitor,
    names: &[String],
    metrics: &[&'static Metric],
) -> Result<RunPairing, EvalError> {
    monitor.enter(Phase::Comparing);
    let known = store.runs()?;
    let runs = names
        .iter()
        .map(|name| Ok(run_named(&known, name)?.clone()));
    let runs = runs.collect::<Result<Vec<RunRow>, EvalError>>()?;
    let [baseline, others @ ..] = runs.as_slice() else {
        return Err(EvalError::OneRun);
    };
    if others.is_empty() {
        return Err(EvalError::OneRun);
    }
    for other in others {
        check_same_question(store, baseline, other)?;
    }
    let n_parts = runs.len() as u64 * (CHECK_PARTS + READ_PARTS + VALUE_PARTS);
    (monitor.n_parts_total).fetch_add(n_parts, Ordering::Relaxed);
    for run in &runs {
        check_up_to_date(store, run, monitor)?;
    }
    let metrics = metrics_of_all(metrics, &runs)?;
    let mut assertions = AssertionNumbers::default();
    let mut answers = Vec::with_capacity(runs.len());
    for run in &runs {
        answers.push(answers_of(store, monitor, run, &mut assertions)?);
    }
    let alone = keep_shared(&mut answers);
    if answers[0].is_empty() {
        return Err(nothing_in_common(&runs, 1, false));
    }
    let mut pairing = RunPairing {
        keys: answers[0]
            .iter()
            .map(|first_answer| first_answer.key)
            .collect(),
        ordinals: of_each(&answers, |first_answer| first_answer.ordinal),
        unparsable: of_each(&answers, |first_answer| first_answer.is_unparsable),
        over_length: of_each(&answers, |first_answer| first_answer.is_over_length),
        n_reference_tokens: answers[0]
            .iter()
            .map(|first_answer| first_answer.n_reference_tokens)
            .collect(),
        assertions: answers[0]
            .iter()
            .map(|first_answer| first_answer.assertion)
            .collect(),
        assertion_names: assertions.names,
        columns: Vec::new(),
        alone,
        parts: Vec::new(),
        groups: Vec::new(),
        tags: vec![None; runs.len()],
        filter_columns: runs.iter().map(|_| Columns::default()).collect(),
        runs,
    };
    drop(answers);
    let n_columns = metrics.len() * pairing.runs.len();
    let columns = monitor.stretch(VALUE_PARTS * pairing.runs.len() as u64, n_columns);
    for metric in metrics {
        let mut values = Vec::with_capacity(pairing.runs.len());
        for (run, ordinals) in pairing.runs.iter().zip(&pairing.ordinals) {
            let evaluation = evaluation_of(store, run, metric)?;
            let n_predictions = run.n_predictions as u32;
            let of_run = store.result_scores(evaluation, n_predictions, monitor)?;
            columns.step(1);
            let value = |ordinal: &u32| of_run.get(*ordinal as usize).copied().unwrap_or(0.0);
            values.push(ordinals.iter().map(value).collect());
        }
        pairing.columns.push(MetricValues { metric, values });
    }
    columns.end();
    Ok(pairing)
}

fn of_each<T>(answers: &[Vec<FirstAnswer>], of: impl Fn(&FirstAnswer) -> T) -> Vec<Vec<T>> {
    let columns = answers
        .iter()
        .map(|answer| answer.iter().map(&of).collect());
    columns.collect()
}

/// Makes the error that no sample is left.
pub(super) fn nothing_in_common(runs: &[RunRow], other: usize, is_filtered: bool) -> EvalError {
    let name = |idx: usize| {
        runs.get(idx)
            .map_or_else(String::new, |run| run.setting.name.clone())
    };
    EvalError::NothingInCommon {
        first: name(0),
        second: name(other),
        is_filtered,
    }
}

/// Rejects a run whose references have changed: runs may have been evaluated at different times.
fn check_up_to_date(store: &Store, run: &RunRow, monitor: &Monitor) -> Result<(), EvalError> {
    let checking = monitor.stretch(CHECK_PARTS, run.n_predictions as usize);
    let stored = store.dataset(run.id)?;
    if stored.is_none() || stored == Some(dataset_of(store, run, monitor, |n| checking.step(n))?) {
        checking.end();
        return Ok(());
    }
    Err(EvalError::Outdated {
        run: run.setting.name.clone(),
    })
}

/// Chooses the metrics to compare: those asked for, which all must have, else all that all have.
fn metrics_of_all(
    asked: &[&'static Metric],
    runs: &[RunRow],
) -> Result<Vec<&'static Metric>, EvalError> {
    let lacks = |run: &RunRow, metric: &Metric| {
        let evaluation = run.evaluation(metric.id);
        evaluation.is_none_or(|evaluation| {
            evaluation.version != metric.version || evaluation.value.is_none()
        })
    };
    let options = |run: &RunRow, metric: &Metric| {
        let evaluation = run.evaluation(metric.id);
        evaluation.map(|evaluation| evaluation.options.clone())
    };
    let differs = |metric: &Metric| {
        let mut others = runs.iter().skip(1);
        others.find(|run| options(run, metric) != options(&runs[0], metric))
    };
    if asked.is_empty() {
        let all = METRICS.iter().filter(|metric| {
            // A ceiling is the same for all of them.
            metric.ceiling_of.is_none()
                && !runs.iter().any(|run| lacks(run, metric))
                && differs(metric).is_none()
        });
        return Ok(all.collect());
    }
    for metric in asked {
        if let Some(run) = runs.iter().find(|run| lacks(run, metric)) {
            return Err(EvalError::NotEvaluated {
                run: run.setting.name.clone(),
                metric: metric.id.to_owned(),
            });
        }
        if let Some(other) = differs(metric) {
            return Err(EvalError::OtherOptions {
                metric: metric.id.to_owned(),
                first: runs[0].setting.name.clone(),
                second: other.setting.name.clone(),
            });
        }
    }
    Ok(asked.to_vec())
}

/// Reads a run's first answers that have a reference, sorted by key.
fn answers_of(
    store: &Store,
    monitor: &Monitor,
    run: &RunRow,
    assertions: &mut AssertionNumbers,
) -> Result<Vec<FirstAnswer>, EvalError> {
    let mut answers = Vec::new();
    let read = monitor.stretch(READ_PARTS, run.n_predictions as usize);
    store.each_score(run.id, &[], |scored| {
        monitor.step()?;
        read.step(1);
        let reading = scored.reading;
        if scored.attempt == 0 && reading.has_reference {
            answers.push(FirstAnswer {
                key: scored.key,
                ordinal: scored.ordinal,
                n_reference_tokens: reading.n_reference_tokens,
                assertion: assertions.number(reading.assertion),
                is_unparsable: reading.syntax_error.is_some(),
                is_over_length: reading.is_over_length,
            });
        }
        Ok::<_, EvalError>(())
    })?;
    read.end();
    answers.sort_unstable_by_key(|answer| answer.key);
    Ok(answers)
}

/// Keeps the answers to samples that all runs answered, and returns the other samples of each run.
fn keep_shared(answers: &mut [Vec<FirstAnswer>]) -> Vec<Vec<SampleKey>> {
    let mut shared: Vec<SampleKey> = answers[0]
        .iter()
        .map(|first_answer| first_answer.key)
        .collect();
    for other in answers.iter().skip(1) {
        let mut rest = other.iter().peekable();
        shared.retain(|key| {
            while rest
                .next_if(|first_answer| first_answer.key < *key)
                .is_some()
            {}
            rest.peek()
                .is_some_and(|first_answer| first_answer.key == *key)
        });
    }
    let alone = answers.iter_mut().map(|of_run| {
        let mut rest = shared.iter().peekable();
        let mut alone = Vec::new();
        of_run.retain(|first_answer| {
            while rest.next_if(|key| **key < first_answer.key).is_some() {}
            let is_shared = rest.peek().is_some_and(|key| **key == first_answer.key);
            if !is_shared {
                alone.push(first_answer.key);
            }
            is_shared
        });
        alone
    });
    alone.collect()
}

/// The place of a prediction whose sample is not shared.
pub(super) const NOWHERE: u32 = u32::MAX;

/// Maps the numbers of a run's predictions to places.
pub(super) fn places(ordinals: &[u32], run: &RunRow) -> Vec<u32> {
    let mut places = vec![NOWHERE; run.n_predictions as usize];
    for (place, ordinal) in (0..).zip(ordinals) {
        if let Some(n) = places.get_mut(*ordinal as usize) {
            *n = place;
        }
    }
    places
}

fn evaluation_of(store: &Store, run: &RunRow, metric: &'static Metric) -> Result<i64, EvalError> {
    let evaluations = store.evaluations(run.id, &[metric.id])?;
    let evaluation = evaluations.into_iter().flatten().next();
    evaluation.ok_or_else(|| EvalError::NotEvaluated {
        run: run.setting.name.clone(),
        metric: metric.id.to_owned(),
    })
}

/// Hands the score of every shared answer of a run to `each`, with its place.
pub(super) fn each_score(
    (store, monitor): (&Store, &Monitor),
    run: &RunRow,
    metric: &'static Metric,
    ordinals: &[u32],
    mut each: impl FnMut(usize, Score),
) -> Result<(), EvalError> {
    let evaluation = evaluation_of(store, run, metric)?;
    let places = places(ordinals, run);
    store.each_score(run.id, &[evaluation], |mut scored| {
        monitor.step()?;
        let place = places.get(scored.ordinal as usize).copied();
        if let Some(place) = place.filter(|place| *place != NOWHERE)
            && let Some(score) = scored.scores.pop()
        {
            each(place as usize, score);
        }
        Ok::<_, EvalError>(())
    })
}
