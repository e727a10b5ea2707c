//! Shared samples as lines of JSON, with all that is known of them.

use std::io::Write;

use crate::exchange::{WirePaired, WirePairedRun, write_line};
use crate::store::Store;
use crate::task::Monitor;

use super::{EvalError, PairedRow, PairedTexts, RunPairing};

/// Samples that are read in one go: larger batches take more memory, smaller ones more queries.
const ROWS_AT_ONCE: usize = 500;

impl RunPairing {
    /// Writes samples in this order, a line each: names, texts, and of every run the values.
    ///
    /// # Errors
    /// What the index says, and what cannot be written.
    pub fn export(
        &self,
        store: &Store,
        monitor: &Monitor,
        places: &[u32],
        out: &mut dyn Write,
    ) -> Result<(), EvalError> {
        for places in places.chunks(ROWS_AT_ONCE) {
            for row in self.rows(store, places)? {
                monitor.step()?;
                let texts = self.texts(store, row.place)?;
                write_line(out, &self.wire(&row, Some(&texts)))?;
            }
        }
        Ok(out.flush()?)
    }

    /// Makes the wire form of a sample.
    #[must_use]
    pub fn wire<'w>(
        &'w self,
        row: &'w PairedRow,
        texts: Option<&'w PairedTexts>,
    ) -> WirePaired<'w> {
        let looks = |other| {
            let metrics = self.metrics();
            metrics.filter_map(move |metric| self.look(metric.id, other))
        };
        let runs = self
            .runs()
            .iter()
            .enumerate()
            .map(|(run, run_row)| WirePairedRun {
                run: &run_row.setting.name,
                parsable: self.is_parsable(run, row.place),
                values: looks(run.max(1))
                    .map(|look| {
                        let (first, second) = self.values(look, row.place);
                        (look.metric().id, if run == 0 { first } else { second })
                    })
                    .collect(),
                differences: looks(run)
                    .map(|look| (look.metric().id, self.delta(look, row.place)))
                    .collect(),
                prediction: texts.map(|text| text.predictions[run].as_str()),
            });
        WirePaired {
            sample: row.key.to_string(),
            repo: row
                .sample
                .as_ref()
                .map(|sample_row| sample_row.repo.as_str()),
            test: row.test(),
            reference: texts.and_then(|text| text.reference.as_deref()),
            runs: runs.collect(),
        }
    }
}
