//! Names and texts of a page of shared samples, read when they are shown.

use crate::model::{SampleKey, SampleRow};
use crate::store::Store;

use super::{EvalError, RunPairing};

/// A shared sample with its names.
#[derive(Clone, Debug, PartialEq)]
pub struct PairedRow {
    pub place: u32,
    pub key: SampleKey,
    /// Absent where the shown matcher did not decide on the test.
    pub sample: Option<SampleRow>,
    /// The name of a question that is no sample, and how it was asked; absent for samples.
    pub question: Option<String>,
}

impl PairedRow {
    /// Names class and method of the test, `CounterTest.testInc`, or the question.
    #[must_use]
    pub fn test(&self) -> Option<String> {
        let sample = self.sample.as_ref();
        let test =
            sample.map(|sample_row| format!("{}.{}", sample_row.test_class, sample_row.test_name));
        test.or_else(|| self.question.clone())
    }
}

/// The reference and the runs' answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairedTexts {
    /// Absent where the index no longer has it.
    pub reference: Option<String>,
    /// The code in each run's answer, the baseline first.
    pub predictions: Vec<String>,
}

impl RunPairing {
    /// Reads the names of some samples, in this order.
    pub fn rows(&self, store: &Store, places: &[u32]) -> Result<Vec<PairedRow>, EvalError> {
        let keys: Vec<SampleKey> = places.iter().map(|place| self.key(*place)).collect();
        let samples = store.rows_of(&keys, self.runs[0].setting.matcher)?;
        let rows = places.iter().zip(keys).zip(samples);
        rows.map(|((place, key), sample)| {
            let question = match sample {
                Some(_) => None,
                None => store.question(&key)?,
            };
            Ok(PairedRow {
                place: *place,
                key,
                sample,
                question: question
                    .map(|question| format!("{} · {}", question.name, question.asked.label())),
            })
        })
        .collect()
    }

    /// Reads the texts of a sample.
    pub fn texts(&self, store: &Store, place: u32) -> Result<PairedTexts, EvalError> {
        let setting = &self.runs[0].setting;
        let reference = store.references(&[self.key(place)], setting.target, setting.matcher)?;
        let mut predictions = Vec::with_capacity(self.runs.len());
        for (run, ordinals) in self.runs.iter().zip(&self.ordinals) {
            let found = store.predictions(run.id, ordinals[place as usize], 1)?;
            let text = found.first().map_or("", |prediction| prediction.text());
            predictions.push(text.to_owned());
        }
        Ok(PairedTexts {
            reference: reference
                .into_iter()
                .flatten()
                .next()
                .and_then(|stored_reference| stored_reference.text),
            predictions,
        })
    }
}
