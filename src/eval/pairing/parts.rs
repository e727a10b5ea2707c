//! What corpus values of BLEU's kind are summed from, read when a metric is looked at.

use std::sync::Arc;

use crate::metric::Metric;
use crate::metric::paired::Paired;
use crate::model::Score;
use crate::store::Store;
use crate::task::Monitor;

use super::load::each_value;
use super::{Error, Look, Pairing};

/// The parts of all runs in one metric.
#[derive(Debug)]
pub(super) struct Parts {
    metric: &'static Metric,
    /// For each run, by place.
    scores: Vec<Vec<Score>>,
}

impl Pairing {
    /// Returns the pairs of some places.
    pub(super) fn paired(
        &mut self,
        store: &Store,
        monitor: &Monitor,
        places: &[u32],
        look: Look,
    ) -> Result<Paired, Error> {
        if look.metric.is_mean {
            let mut paired = Paired::new(look.metric.corpus, 0);
            for place in places {
                let (first, second) = self.values(look, *place);
                let score = |value| Score {
                    value,
                    parts: Vec::new(),
                };
                paired.push(&score(first), &score(second));
            }
            return Ok(paired);
        }
        let parts = self.parts_of(store, monitor, look.metric)?;
        let scores = [&parts.scores[0], &parts.scores[look.other]];
        let n_parts = scores
            .iter()
            .flat_map(|it| it.iter())
            .map(|it| it.parts.len());
        let mut paired = Paired::new(look.metric.corpus, n_parts.max().unwrap_or(0));
        for place in places {
            let place = *place as usize;
            paired.push(&scores[0][place], &scores[1][place]);
        }
        Ok(paired)
    }

    fn parts_of(
        &mut self,
        store: &Store,
        monitor: &Monitor,
        metric: &'static Metric,
    ) -> Result<Arc<Parts>, Error> {
        if let Some(known) = self.parts.iter().find(|it| it.metric == metric) {
            return Ok(known.clone());
        }
        let mut scores = Vec::new();
        for (run, ordinals) in self.runs.iter().zip(&self.ordinals) {
            let mut of_run = vec![Score::default(); self.keys.len()];
            each_value(store, monitor, run, metric, ordinals, |place, score| {
                of_run[place] = score;
            })?;
            scores.push(of_run);
        }
        self.parts.clear();
        let parts = Arc::new(Parts { metric, scores });
        self.parts.push(parts.clone());
        Ok(parts)
    }
}
