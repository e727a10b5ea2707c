//! The parts that corpus values of BLEU's kind are summed from, read when a metric is looked at.

use std::sync::Arc;

use crate::metric::Metric;
use crate::metric::paired::{PairColumn, PairedScores};
use crate::store::Store;
use crate::task::Monitor;

use super::load::each_score;
use super::{EvalError, Look, RunPairing, Selection};

/// The most numbers that are kept for the parts of metrics, where those of the last metric always stay: 64 MB where
/// they are counts.
const NUMBERS_KEPT: usize = 32 << 20;

/// The parts of all runs in one metric.
#[derive(Debug)]
pub(super) struct MetricParts {
    metric: &'static Metric,
    /// For each run, a column for each part; equal ones, as those of references, are there once.
    columns: Vec<Vec<Arc<PairColumn>>>,
}

impl MetricParts {
    fn n_numbers(&self) -> usize {
        let columns = self.columns.iter().flatten();
        columns
            .map(|column| match &**column {
                PairColumn::Constant { .. } => 0,
                PairColumn::Counts(counts) => counts.len(),
                PairColumn::Wide(values) => 4 * values.len(),
            })
            .sum()
    }
}

impl RunPairing {
    /// Reads the pairs of values of a selection, or of the parts of a corpus value.
    pub(super) fn paired(
        &mut self,
        store: &Store,
        monitor: &Monitor,
        selection: &Selection,
        look: Look,
    ) -> Result<PairedScores, EvalError> {
        if look.metric.is_mean {
            let values = selection.places().iter().map(|place| {
                let (first, second) = self.values(look, *place);
                [first, second]
            });
            return Ok(PairedScores::of_values(values.collect()));
        }
        let parts = self.parts_of(store, monitor, look.metric)?;
        let is_everything = selection.len() == self.len();
        let (first, second) = (&parts.columns[0], &parts.columns[look.other]);
        let mut columns = [Vec::new(), Vec::new()];
        for (first, second) in first.iter().zip(second) {
            let of = |column: &Arc<PairColumn>| {
                if is_everything {
                    column.clone()
                } else {
                    Arc::new(column.of(selection.places()))
                }
            };
            let of_first = of(first);
            columns[1].push(if Arc::ptr_eq(first, second) {
                of_first.clone()
            } else {
                of(second)
            });
            columns[0].push(of_first);
        }
        Ok(PairedScores::of_parts(look.metric.corpus, columns))
    }

    fn parts_of(
        &mut self,
        store: &Store,
        monitor: &Monitor,
        metric: &'static Metric,
    ) -> Result<Arc<MetricParts>, EvalError> {
        if let Some(known) = self
            .parts
            .iter()
            .position(|metric_parts| metric_parts.metric == metric)
        {
            let parts = self.parts.remove(known);
            self.parts.push(parts.clone());
            return Ok(parts);
        }
        let parts = Arc::new(self.read_parts(store, monitor, metric)?);
        self.parts.push(parts.clone());
        let mut n_numbers: usize = self
            .parts
            .iter()
            .map(|metric_parts| metric_parts.n_numbers())
            .sum();
        while n_numbers > NUMBERS_KEPT && self.parts.len() > 1 {
            n_numbers -= self.parts.remove(0).n_numbers();
        }
        Ok(parts)
    }

    fn read_parts(
        &self,
        store: &Store,
        monitor: &Monitor,
        metric: &'static Metric,
    ) -> Result<MetricParts, EvalError> {
        let mut columns: Vec<Vec<Arc<PairColumn>>> = Vec::with_capacity(self.runs.len());
        for (run, ordinals) in self.runs.iter().zip(&self.ordinals) {
            let mut of_run: Vec<PairColumn> = Vec::new();
            each_score((store, monitor), run, metric, ordinals, |place, score| {
                while of_run.len() < score.parts.len() {
                    of_run.push(PairColumn::zeros(self.len()));
                }
                for (column, part) in of_run.iter_mut().zip(score.parts) {
                    column.set(place, part);
                }
            })?;
            let mut packed = Vec::with_capacity(of_run.len());
            for (idx, column) in of_run.into_iter().enumerate() {
                let column = Arc::new(column.packed());
                let known = columns.first().and_then(|baseline| baseline.get(idx));
                packed.push(
                    known
                        .filter(|pair_column| **pair_column == column)
                        .cloned()
                        .unwrap_or(column),
                );
            }
            columns.push(packed);
        }
        // Where no answer of a run was worth its parts, they count as nothing.
        let n_parts = columns.iter().map(Vec::len).max().unwrap_or(0);
        let nothing = Arc::new(PairColumn::zeros(self.len()).packed());
        for of_run in &mut columns {
            of_run.resize(n_parts, nothing.clone());
        }
        Ok(MetricParts { metric, columns })
    }
}
