//! Whether a match's weight means what it says: of the matches in a band of weights, how many people found right.

use crate::metric::calibration;
use crate::model::SampleKey;
use crate::store::{Store, Verdicts};

use super::{ReviewError, Share, Staleness, gold};

/// A band of match weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    pub from: f64,
    /// Exclusive, but for 1.
    pub to: f64,
    /// The share of judged mapped samples whose focal method is the true one.
    pub accepted: Share,
}

impl Band {
    #[must_use]
    pub fn holds(&self, weight: f64) -> bool {
        calibration::holds((self.from, self.to), weight)
    }
}

/// Computes every band with its samples' gold; verdicts that are stale say nothing of the present weights.
pub fn calibration(store: &Store, verdicts: &Verdicts) -> Result<Vec<Band>, ReviewError> {
    let mut bands: Vec<Band> = calibration::bands()
        .map(|(from, to)| Band {
            from,
            to,
            accepted: Share::default(),
        })
        .collect();
    let gold = gold(verdicts)?;
    let keys: Vec<SampleKey> = gold.keys().copied().collect();
    for (gold, state) in gold.values().zip(store.states(&keys)?) {
        let judged = &gold.verdict.judged;
        if Staleness::of(judged, state.as_ref()).is_some() {
            continue;
        }
        let weight = state.and_then(|sample_state| sample_state.weight);
        if let (Some(weight), Some(is_right)) = (weight, judged.is_right())
            && let Some(band) = bands.iter_mut().find(|band| band.holds(weight))
        {
            band.accepted.add(is_right);
        }
    }
    Ok(bands)
}
