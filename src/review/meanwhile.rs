//! Verdicts that came in on a sample while an annotator looked at it: two people, or two windows of one, may have the
//! same sample before them.
//!
//! Decides which news are worth a message before a verdict is added. Forbids nothing: a second verdict is as good as
//! the first.

use crate::model::{EventId, Judgement, SampleKey, Verdict};
use crate::store::Verdicts;

use super::{QueueOptions, ReviewError};

/// The earlier verdicts that annotators should know before they judge a sample.
#[derive(Clone, Debug, PartialEq)]
pub enum PriorVerdicts {
    /// The annotator has judged it elsewhere; a verdict takes the place of that one.
    Mine(Box<Verdict>),
    /// As many others as the queue asks have judged it: their names.
    Others(Vec<String>),
}

impl PriorVerdicts {
    /// Describes the news for people; not the judgements of others, which would sway.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::Mine(_) => "you just judged this elsewhere".to_owned(),
            Self::Others(names) => format!("{} just judged this", names.join(", ")),
        }
    }
}

/// Tells why a queue that was read before does not ask about a sample any more; nothing while it would.
pub fn left_out(
    verdicts: &Verdicts,
    options: &QueueOptions,
    key: &SampleKey,
) -> Result<Option<PriorVerdicts>, ReviewError> {
    if options.kind.is_shortened() {
        meanwhile(verdicts, options, key, None)
    } else {
        Ok(None)
    }
}

/// Finds the verdicts on a sample since it was put before the annotator, whose verdict was then the event `mine`, if
/// there was one; nothing while the queue would still ask about it.
pub fn meanwhile(
    verdicts: &Verdicts,
    options: &QueueOptions,
    key: &SampleKey,
    mine: Option<EventId>,
) -> Result<Option<PriorVerdicts>, ReviewError> {
    let of_sample = verdicts.of_sample(key)?;
    let own = of_sample
        .iter()
        .find(|verdict| verdict.annotator == options.annotator);
    if let Some(own) = own {
        let is_new = mine != Some(own.event) && own.judged.judgement != Judgement::Skip;
        return Ok(is_new.then(|| PriorVerdicts::Mine(Box::new(own.clone()))));
    }
    if !options.kind.is_shortened() || mine.is_some() {
        return Ok(None);
    }
    let others: Vec<String> = of_sample
        .into_iter()
        .filter(|verdict| verdict.judged.judgement != Judgement::Skip)
        .map(|verdict| verdict.annotator)
        .collect();
    let is_enough = others.len() >= options.overlap.of(key) as usize;
    Ok(is_enough.then_some(PriorVerdicts::Others(others)))
}
