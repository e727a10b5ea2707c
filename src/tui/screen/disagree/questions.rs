//! The questions of Disagree.

use std::sync::Arc;

use crate::metric::agreement::Ratings;
use crate::question::source::{AnswerSource, MissingAnswer};
use crate::question::{Question, Slot, Versions};
use crate::review::{self, Agreement, AgreementOptions, Conflict, ReviewProgress};

/// The number of bootstrap samples for each interval.
pub const N_RESAMPLES: u64 = 1_000;

/// The slots of the sample to rule on, and of the one after it.
pub const ITEM: Slot = Slot("disagree.item");
pub const NEXT_ITEM: Slot = Slot("disagree.next");

/// The agreement of annotators, without intervals.
#[derive(Debug)]
pub struct AgreementQuestion;

/// The agreement of annotators, and the progress of each.
#[derive(Clone, Debug, PartialEq)]
pub struct AnnotatorAgreement {
    pub agreement: Agreement,
    pub progress: Vec<ReviewProgress>,
}

/// The interval of each coefficient, in the order of `Coefficient::ALL`.
pub type Intervals = [Option<(f64, f64)>; 5];

impl Question for AgreementQuestion {
    type Answer = AnnotatorAgreement;
    const SLOT: Slot = Slot("disagree.agreement");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let verdicts = source.verdicts()?;
        Ok(AnnotatorAgreement {
            agreement: review::agreement(&verdicts, &AgreementOptions::default())?,
            progress: review::progress(&verdicts)?,
        })
    }
}

/// The intervals of the coefficients of these ratings.
#[derive(Debug)]
pub struct AgreementIntervalsQuestion(pub Arc<Ratings>);

impl Question for AgreementIntervalsQuestion {
    type Answer = Intervals;
    const SLOT: Slot = Slot("disagree.intervals");

    fn read(&self, _source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        Ok(self.0.intervals(0, N_RESAMPLES, 0.95))
    }
}

/// The conflicts of annotators, with the versions of index and verdicts.
#[derive(Debug)]
pub struct ConflictsQuestion;

impl Question for ConflictsQuestion {
    type Answer = (Vec<Conflict>, Versions);
    const SLOT: Slot = Slot("disagree.conflicts");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let (store, verdicts) = (source.store()?, source.verdicts()?);
        let versions = (store.version()?, verdicts.version()?);
        let conflicts = review::conflicts(store, &verdicts, &AgreementOptions::default())?;
        Ok((conflicts, versions))
    }
}
