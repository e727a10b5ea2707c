//! What Home asks.

use crate::browse;
use crate::model::{Filter, Funnel};
use crate::question::source::{AnswerSource, MissingAnswer};
use crate::question::{Question, Slot};
use crate::review;

/// The chart that Home has room for; another one than that which is looked at.
pub const CHART: Slot = Slot("home.chart");

/// How many files became how many samples.
#[derive(Debug)]
pub struct FunnelQuestion;

impl Question for FunnelQuestion {
    type Answer = Funnel;
    const SLOT: Slot = Slot("home.funnel");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        Ok(browse::funnel(source.store()?, &Filter::default())?)
    }
}

/// On how many samples annotators differ while nobody has ruled.
#[derive(Debug)]
pub struct ConflictCountQuestion;

impl Question for ConflictCountQuestion {
    type Answer = u64;
    const SLOT: Slot = Slot("home.conflicts");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        Ok(review::n_open_conflicts(
            source.store()?,
            &source.verdicts()?,
        )?)
    }
}
