//! The scores of a run and their certainty: means over samples with intervals.

use crate::metric::agreement::wilson;
use crate::model::{Execution, Outcome, RunRow};
use crate::store::Store;
use crate::task::Monitor;

use super::EvalError;

/// The name of [`parsable`] in every table: the one rate of answers that parse where nothing else is said.
pub const PARSES: &str = "parses";

/// The name of [`correct`] in every table.
pub const CORRECT: &str = "correct";

/// The 0.975 quantile of the normal distribution.
const Z: f64 = 1.959_964;

/// A mean over first answers with a reference, and its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    pub n: u64,
    pub value: f64,
    /// Nothing for a single sample.
    pub interval: Option<(f64, f64)>,
}

/// Computes the mean of a metric: the normal interval of a mean, `m ± z s / √n`. Nothing where it is not computed.
///
/// # Errors
/// The index's.
pub fn mean(
    store: &Store,
    monitor: &Monitor,
    run: &RunRow,
    metric: &str,
) -> Result<Option<Mean>, EvalError> {
    let Some(evaluation) = store.evaluations(run.id, &[metric])?.pop().flatten() else {
        return Ok(None);
    };
    let n_predictions = run.n_predictions as u32;
    let values = store.result_scores(evaluation, n_predictions, monitor)?;
    let flags = store.result_flags(run.id, n_predictions, monitor)?;
    let attempts = store.result_attempts(run.id, n_predictions, monitor)?;
    let all = values.iter().zip(&flags).zip(&attempts);
    let first = all.filter(|((value, flags), attempt)| {
        **attempt == 0 && flags.has_reference() && value.is_finite()
    });
    let values: Vec<f64> = first.map(|((value, _), _)| *value).collect();
    Ok(mean_of(&values))
}

/// Computes the mean of values with the normal interval of a mean; nothing of none.
#[must_use]
pub fn mean_of(values: &[f64]) -> Option<Mean> {
    let n = values.len() as f64;
    if values.is_empty() {
        return None;
    }
    let value = values.iter().sum::<f64>() / n;
    let squares: f64 = values
        .iter()
        .map(|observation| (observation - value).powi(2))
        .sum();
    let interval = (values.len() > 1).then(|| {
        let half = Z * (squares / (n - 1.0) / n).sqrt();
        ((value - half).max(0.0), (value + half).min(1.0))
    });
    Some(Mean {
        n: values.len() as u64,
        value,
        interval,
    })
}

/// Computes the share of first answers that parse, with Wilson's interval.
#[must_use]
pub fn parsable(run: &RunRow) -> Option<Mean> {
    let n_unparsable = run.n_unparsable?;
    share(run.n_scored.saturating_sub(n_unparsable), run.n_scored)
}

/// Computes the share of first answers that are correct, among those with an outcome; nothing where none ran.
///
/// # Errors
/// The index's.
pub fn correct(store: &Store, monitor: &Monitor, run: &RunRow) -> Result<Option<Mean>, EvalError> {
    let Some(setting) = store.execution_setting(run.id)? else {
        return Ok(None);
    };
    let n_predictions = run.n_predictions as u32;
    let executions = store.executions(run.id, &setting.engine, n_predictions, monitor)?;
    let attempts = store.result_attempts(run.id, n_predictions, monitor)?;
    Ok(correct_of(&executions, &attempts))
}

/// Computes the share of first answers that are correct, among those with an outcome. An answer that repeats another
/// one counts, too.
pub(super) fn correct_of(executions: &[Option<Execution>], attempts: &[u32]) -> Option<Mean> {
    let first = executions.iter().zip(attempts).filter(|pair| *pair.1 == 0);
    let outcomes: Vec<Outcome> = first.filter_map(|pair| (*pair.0)?.counted()).collect();
    let n_correct = outcomes
        .iter()
        .filter(|outcome| **outcome == Outcome::Correct);
    share(n_correct.count() as u64, outcomes.len() as u64)
}

pub(super) fn share(k: u64, n: u64) -> Option<Mean> {
    (n > 0).then(|| Mean {
        n,
        value: k as f64 / n as f64,
        interval: wilson(k, n),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_is_as_sure_as_its_values_are_alike() {
        assert_eq!(mean_of(&[]), None);
        let one = mean_of(&[0.5]).expect("there is a value");
        assert_eq!((one.n, one.value, one.interval), (1, 0.5, None));
        let same = mean_of(&[0.5; 9]).expect("there are values");
        assert_eq!(same.interval, Some((0.5, 0.5)));
        // s = 0.1, n = 4: 1.959964 × 0.05.
        let some = mean_of(&[0.4, 0.4, 0.6, 0.6]).expect("there are values");
        let (low, high) = some.interval.expect("there are several");
        let half = Z * (0.04_f64 / 3.0 / 4.0).sqrt();
        assert!((low - (0.5 - half)).abs() < 1e-12 && (high - (0.5 + half)).abs() < 1e-12);
    }
}
