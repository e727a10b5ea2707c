//! The questions of Home.

use crate::browse;
use crate::model::{Filter, Funnel};
use crate::question::source::{AnswerSource, MissingAnswer};
use crate::question::{Question, Slot};
use crate::review;

/// The slot of a chart on Home; the slot of the chart over the screen is another one.
pub const CHART: Slot = Slot("home.chart");

/// The numbers of the funnel from files to samples.
#[derive(Debug)]
pub struct FunnelQuestion;

impl Question for FunnelQuestion {
    type Answer = Funnel;
    const SLOT: Slot = Slot("home.funnel");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        Ok(browse::funnel(source.store()?, &Filter::default())?)
    }
}

/// The number of samples that annotators disagree on and nobody has ruled on.
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
