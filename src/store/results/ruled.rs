//! People's tags of a run's predictions, compared with the predictions as they are now.

use crate::model::{Prediction, RunRow, SampleKey, TagRuling, TaggedPrediction, Tags};
use crate::task::Monitor;

use super::super::{Store, StoreError, Verdicts};

/// A person's tags of a prediction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuledPrediction {
    pub ruling: TagRuling,
    /// The prediction as it is now; absent where the tags are stale because the prediction or the reference is gone or
    /// has changed.
    pub now: Option<TaggedNow>,
}

/// A prediction that somebody has tagged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaggedNow {
    /// Its number in the run.
    pub ordinal: u32,
    /// The tags that are computed for it now, or, while the run has no tags, those that were computed when the person
    /// tagged it.
    pub machine: Tags,
}

impl Store {
    /// Reads the tags that people gave to a run's predictions, by sample, attempt and annotator, and tells which of
    /// them are stale. Costs a few lookups per tagged prediction.
    pub fn ruled(
        &self,
        verdicts: &Verdicts,
        run: &RunRow,
        monitor: &Monitor,
    ) -> Result<Vec<RuledPrediction>, StoreError> {
        let rulings = verdicts.rulings_of_run(&run.setting.name)?;
        self.held(run, rulings, monitor)
    }

    /// Reads the tags that people gave to one prediction, by annotator.
    pub fn ruled_of(
        &self,
        verdicts: &Verdicts,
        run: &RunRow,
        key: &SampleKey,
        attempt: u32,
    ) -> Result<Vec<RuledPrediction>, StoreError> {
        let rulings = verdicts.rulings_of(&run.setting.name, key, attempt)?;
        self.held(run, rulings, &Monitor::default())
    }

    fn held(
        &self,
        run: &RunRow,
        rulings: Vec<TagRuling>,
        monitor: &Monitor,
    ) -> Result<Vec<RuledPrediction>, StoreError> {
        if rulings.is_empty() {
            return Ok(Vec::new());
        }
        let is_tagged = self.is_tagged(run.id)?;
        let mut found = Vec::with_capacity(rulings.len());
        for ruling in rulings {
            self.reading(|_| Ok(monitor.step()?))?;
            let now = self.now(run, &ruling.tagged, is_tagged)?;
            found.push(RuledPrediction { ruling, now });
        }
        Ok(found)
    }

    fn now(
        &self,
        run: &RunRow,
        tagged: &TaggedPrediction,
        is_tagged: bool,
    ) -> Result<Option<TaggedNow>, StoreError> {
        let setting = &run.setting;
        let Some(ordinal) = self.result_ordinal(run.id, &tagged.key, tagged.attempt)? else {
            return Ok(None);
        };
        let Some(prediction) = self.predictions(run.id, ordinal, 1)?.pop() else {
            return Ok(None);
        };
        let Prediction { answer, code, .. } = prediction;
        let reference = self.located_reference(&tagged.key, setting.target, setting.matcher)?;
        let Some(reference) = reference else {
            return Ok(None);
        };
        if TaggedPrediction::hash_of(&reference.text, &code.unwrap_or(answer)) != tagged.texts {
            return Ok(None);
        }
        let rows = self.result_rows(run.id, setting.matcher, &[], &[ordinal])?;
        let machine = rows.first().filter(|_| is_tagged).map(|row| row.tags);
        Ok(Some(TaggedNow {
            ordinal,
            machine: machine.unwrap_or(tagged.machine),
        }))
    }
}
