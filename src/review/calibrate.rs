//! Whether a match's weight means what it says: of the matches in a band of weights, how many people found right.

use crate::model::SampleKey;
use crate::store::{Store, Verdicts};

use super::{Error, Share, Staleness, gold};

/// Where bands begin; the last one ends at 1 and holds it. Narrow where most matches are.
const BOUNDS: [f64; 9] = [0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99];

/// A band of match weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    pub from: f64,
    /// Exclusive, but for 1.
    pub to: f64,
    /// Of the mapped samples that were judged: those whose focal method is the true one.
    pub accepted: Share,
}

impl Band {
    #[must_use]
    pub fn holds(&self, weight: f64) -> bool {
        weight >= self.from && (weight < self.to || self.to >= 1.0)
    }
}

/// Returns every band with what gold says of its samples; verdicts that are stale say nothing of the weights of now.
pub fn calibration(store: &Store, verdicts: &Verdicts) -> Result<Vec<Band>, Error> {
    let ends = BOUNDS.iter().copied().skip(1).chain([1.0]);
    let mut bands: Vec<Band> = BOUNDS
        .iter()
        .zip(ends)
        .map(|(from, to)| Band {
            from: *from,
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
        let weight = state.and_then(|it| it.weight);
        if let (Some(weight), Some(is_right)) = (weight, judged.is_right())
            && let Some(band) = bands.iter_mut().find(|it| it.holds(weight))
        {
            band.accepted.add(is_right);
        }
    }
    Ok(bands)
}
