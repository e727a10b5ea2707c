//! The questions of Annotate.

use std::sync::Arc;

use crate::browse::{self, Catalogue};
use crate::model::{JudgedSample, PastEvent, SampleKey, Snippet};
use crate::question::source::{AnswerSource, MissingAnswer};
use crate::question::{Question, Slot, Versions};
use crate::review::{
    self, AcceptOptions, Acceptance, Alike, AuditOptions, AuditReport, Band, Queue, QueueOptions,
    SeatedAnnotator,
};
use crate::task::Monitor;

/// The number of last events that are listed.
pub const PAST_MAX: usize = 200;

/// The slots of the sample to judge, and of the one after it.
pub const ITEM: Slot = Slot("annotate.item");
pub const NEXT_ITEM: Slot = Slot("annotate.next");
const REPORT: Slot = Slot("annotate.report");

/// A queue, with the versions of index and verdicts when it was read, and the seats of annotators.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedQueue {
    pub queue: Queue,
    pub versions: Versions,
    /// The usual number of candidates of its samples.
    pub n_candidates_usual: usize,
    /// The seats of all windows, this one's included.
    pub seats: Vec<SeatedAnnotator>,
}

/// The samples to judge, in order; nothing for an audit that nobody has drawn.
#[derive(Debug)]
pub struct QueueQuestion(pub Box<QueueOptions>);

impl Question for QueueQuestion {
    type Answer = Option<LoadedQueue>;
    const SLOT: Slot = Slot("annotate.queue");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let (store, verdicts) = (source.store()?, source.verdicts()?);
        let versions = (store.version()?, verdicts.version()?);
        match review::queue(store, &verdicts, &Monitor::default(), &self.0) {
            Ok(queue) => Ok(Some(LoadedQueue {
                n_candidates_usual: review::n_candidates_usual(store, &queue)?,
                queue,
                versions,
                seats: review::seated(source.folder),
            })),
            Err(review::ReviewError::NotDrawn { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// The last events of an annotator.
#[derive(Debug)]
pub struct AnnotatorHistoryQuestion(pub String);

/// An event of an annotator, and the name of the test that it was about.
#[derive(Clone, Debug, PartialEq)]
pub struct PastRow {
    pub past: PastEvent,
    /// `CounterTest.testInc`; absent when the index no longer has the sample.
    pub test: Option<String>,
}

impl Question for AnnotatorHistoryQuestion {
    type Answer = Vec<PastRow>;
    const SLOT: Slot = Slot("annotate.past");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let past = source.verdicts()?.history(&self.0, PAST_MAX)?;
        let keys = past
            .iter()
            .filter_map(|past_event| past_event.event.kind().key());
        let keys: Vec<SampleKey> = keys.collect();
        let mut states = source.store()?.states(&keys)?.into_iter();
        let rows = past.into_iter().map(|past| {
            let key = past.event.kind().key();
            let state = key.and_then(|_| states.next().flatten());
            PastRow {
                test: state.map(|sample_state| sample_state.test),
                past,
            }
        });
        Ok(rows.collect())
    }
}

/// The bands of weights, with the share of each that people found right.
#[derive(Debug)]
pub struct WeightBandsQuestion;

impl Question for WeightBandsQuestion {
    type Answer = Vec<Band>;
    const SLOT: Slot = Slot("annotate.bands");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        Ok(review::calibration(source.store()?, &source.verdicts()?)?)
    }
}

/// The report on an audit by one annotator's verdicts; nothing for an audit that nobody has drawn.
#[derive(Debug)]
pub struct AuditReportQuestion {
    pub audit: AuditOptions,
    pub annotator: String,
}

impl Question for AuditReportQuestion {
    type Answer = Option<AuditReport>;
    const SLOT: Slot = REPORT;

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let verdicts = source.verdicts()?;
        let draw = verdicts.draw(&self.audit.name())?;
        let report = draw.map(|draw| review::report(&verdicts, &draw, Some(&self.annotator)));
        Ok(report.transpose()?)
    }
}

/// The conclusion from these verdicts to the samples that the audit did not draw.
#[derive(Debug)]
pub struct AcceptanceQuestion {
    pub audit: AuditOptions,
    pub annotator: String,
}

impl Question for AcceptanceQuestion {
    type Answer = Acceptance;
    const SLOT: Slot = REPORT;

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let (store, verdicts) = (source.store()?, source.verdicts()?);
        let options = AcceptOptions::new(self.audit.clone());
        let (monitor, annotator) = (Monitor::default(), &self.annotator);
        Ok(review::acceptance(
            store, &verdicts, &monitor, &options, annotator,
        )?)
    }
}

/// The open samples of a queue that are like the sample of a verdict; nothing when the index no longer has that sample.
#[derive(Debug)]
pub struct AlikeSamplesQuestion {
    pub judged: Box<JudgedSample>,
    pub options: Box<QueueOptions>,
}

impl Question for AlikeSamplesQuestion {
    type Answer = Option<Box<Alike>>;
    const SLOT: Slot = Slot("annotate.alike");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let (store, verdicts) = (source.store()?, source.verdicts()?);
        let alike = review::alike(store, &verdicts, &self.options, &self.judged)?;
        Ok(alike.map(Box::new))
    }
}

/// All methods in the repository of a sample.
#[derive(Debug)]
pub struct DeclaredMethodsQuestion(pub SampleKey);

impl Question for DeclaredMethodsQuestion {
    type Answer = (SampleKey, Arc<Catalogue>);
    const SLOT: Slot = Slot("annotate.declared");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let declared = browse::declared(source.store()?, &self.0)?;
        Ok((self.0, Arc::new(Catalogue::new(declared))))
    }
}

/// The source of one of these methods, by its key.
#[derive(Debug)]
pub struct MethodSourceQuestion(pub SampleKey, pub String);

impl Question for MethodSourceQuestion {
    type Answer = (String, Option<Snippet>);
    const SLOT: Slot = Slot("annotate.source");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let snippet = browse::method(source.store()?, &self.0, &self.1)?;
        Ok((self.1.clone(), snippet))
    }
}
