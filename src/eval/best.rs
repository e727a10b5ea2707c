//! The best of several attempts at each sample, as numbers beside pass@k: what it covers and what it scores.

use std::collections::BTreeMap;

use crate::metric::attempts::{best_of, mean_interval};
use crate::model::{RunRow, SampleKey};
use crate::store::Store;
use crate::task::Monitor;

use super::EvalError;
use super::interval::Mean;

/// The metric of [`BestAtK::bleu`].
const BLEU: &str = "bleu";

/// The values of the best of `k` attempts at a sample, as means over samples with as many attempts ([`best_of`]), with
/// their intervals over samples ([`mean_interval`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BestAtK {
    pub k: u64,
    /// The share of the focal method's lines that it covers; attempts do not add up.
    pub covered: Option<Mean>,
    /// Its BLEU as a sentence.
    pub bleu: Option<Mean>,
}

/// The values of the attempts at each sample, in an order of their own.
type AttemptValues = BTreeMap<SampleKey, Vec<f64>>;

/// Computes the best of several attempts, for each of `ks`. `covered` has the share of the focal method's lines that
/// each prediction covers, by number; nothing where it is unknown.
///
/// # Errors
/// The index's, and cancelling.
pub fn best_at_k(
    (store, monitor): (&Store, &Monitor),
    run: &RunRow,
    covered: &[Option<f64>],
    ks: &[u64],
) -> Result<Vec<BestAtK>, EvalError> {
    let n_predictions = run.n_predictions as u32;
    let mut bleu = Vec::new();
    if let Some(evaluation) = store.evaluations(run.id, &[BLEU])?.pop().flatten() {
        let flags = store.result_flags(run.id, n_predictions, monitor)?;
        let values = store.result_scores(evaluation, n_predictions, monitor)?;
        let scored = values.iter().zip(&flags);
        bleu = scored
            .map(|(value, flags)| (flags.has_reference() && value.is_finite()).then_some(*value))
            .collect();
    }
    let (mut bleu_of, mut covered_of) = (AttemptValues::new(), AttemptValues::new());
    store.each_prediction_keys(run.id, |first, keys| {
        monitor.step()?;
        for (ordinal, key) in (first as usize..).zip(keys) {
            for (values, by_sample) in [(&bleu[..], &mut bleu_of), (covered, &mut covered_of)] {
                if let Some(value) = values.get(ordinal).copied().flatten() {
                    by_sample.entry(*key).or_default().push(value);
                }
            }
        }
        Ok::<_, EvalError>(())
    })?;
    let best = ks.iter().map(|k| BestAtK {
        k: *k,
        covered: mean_of_best(&covered_of, *k),
        bleu: mean_of_best(&bleu_of, *k),
    });
    Ok(best.collect())
}

fn mean_of_best(by_sample: &AttemptValues, k: u64) -> Option<Mean> {
    let best = by_sample.values();
    let best: Vec<f64> = best.filter_map(|values| best_of(values, k)).collect();
    (!best.is_empty()).then(|| Mean {
        n: best.len() as u64,
        value: best.iter().sum::<f64>() / best.len() as f64,
        interval: mean_interval(&best),
    })
}
