//! Questions that several screens ask, and questions of the app.

use crate::browse;
use crate::chart::Figure;
use crate::config::SavedFilters;
use crate::files::{self, Listing};
use crate::mine::why::{MatchExplanation, why};
use crate::model::{
    Filter, Matcher, RepoRow, RunRow, RunSetting, SampleDetail, SampleKey, SampleRow, Snapshot,
    Snippet, Target, Verdict,
};
use crate::plot::{self, Plot, PlotKind};
use crate::question::source::{AnswerSource, MissingAnswer};
use crate::question::{Question, Slot, Versions};
use crate::review::{self, Difference, PriorVerdicts, QueueOptions, SampleRemarks, Staleness};
use crate::task::Monitor;

/// The most problems that are listed.
pub const PROBLEMS_MAX: usize = 10_000;
/// The most samples that the palette lists.
const NAMED_MAX: usize = 50;

/// The number of tests that a filter lets through.
#[derive(Debug)]
pub struct SampleCountQuestion(pub Filter);

impl Question for SampleCountQuestion {
    type Answer = u64;
    const SLOT: Slot = Slot("samples.count");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        Ok(browse::count(source.store()?, &self.0)?)
    }
}

/// The slot of the number of rows that a typed filter lets through.
pub const TYPED: Slot = Slot("typed.count");

/// All repositories of the index.
#[derive(Debug)]
pub struct ReposQuestion;

impl Question for ReposQuestion {
    type Answer = Vec<RepoRow>;
    const SLOT: Slot = Slot("repos");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        Ok(browse::repos(source.store()?)?)
    }
}

/// All runs, in the order of import.
#[derive(Debug)]
pub struct RunsQuestion;

impl Question for RunsQuestion {
    type Answer = Vec<RunRow>;
    const SLOT: Slot = Slot("runs");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        Ok(source.store()?.runs()?)
    }
}

/// A sample, as a matcher decided it; nothing when the index does not have it.
#[derive(Debug)]
pub struct SampleDetailQuestion(pub SampleKey, pub Option<Matcher>);

impl Question for SampleDetailQuestion {
    type Answer = Option<Box<ExplainedSample>>;
    const SLOT: Slot = Slot("sample");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let Some(detail) = browse::detail(source.store()?, &self.0, self.1)? else {
            return Ok(None);
        };
        // The screens for judging report an unreadable file of verdicts; here the code is shown all the same.
        let remarks = match source.verdicts() {
            Ok(verdicts) => review::remarks(&verdicts, &self.0).unwrap_or_default(),
            Err(_) => SampleRemarks::default(),
        };
        Ok(Some(Box::new(ExplainedSample {
            remarks,
            ..ExplainedSample::of(detail)
        })))
    }
}

/// The files whose paths begin with the typed text.
#[derive(Debug)]
pub struct FileCompletionQuestion(pub String);

impl Question for FileCompletionQuestion {
    type Answer = Listing;
    const SLOT: Slot = Slot("files");
    const NEEDS_INDEX: bool = false;

    fn read(&self, _source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        Ok(files::list(&self.0))
    }
}

/// The filters that are saved in the workspace.
#[derive(Debug)]
pub struct SavedFiltersQuestion;

impl Question for SavedFiltersQuestion {
    type Answer = SavedFilters;
    const SLOT: Slot = Slot("saved");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        Ok(SavedFilters::load(source.folder))
    }
}

/// The first samples whose names hold the typed text.
#[derive(Debug)]
pub struct SampleNameQuestion(pub String);

impl Question for SampleNameQuestion {
    type Answer = Vec<SampleRow>;
    const SLOT: Slot = Slot("named");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        Ok(browse::named(source.store()?, &self.0, NAMED_MAX)?)
    }
}

/// A chart over all data.
#[derive(Debug)]
pub struct ChartQuestion(pub PlotKind);

impl Question for ChartQuestion {
    type Answer = (PlotKind, Box<Figure>);
    const SLOT: Slot = Slot("chart");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let (store, verdicts) = (source.store()?, source.verdicts()?);
        let figure = plot::figure(store, &verdicts, &Monitor::default(), &Plot::new(self.0))?;
        Ok((self.0, Box::new(figure)))
    }
}

/// A sample to judge, with people's verdicts and notes on it; nothing when the index no longer has it.
#[derive(Debug)]
pub struct ReviewItemQuestion {
    pub key: SampleKey,
    pub annotator: String,
    /// The queue that it comes from, which others may have shortened meanwhile.
    pub queue: Option<Box<QueueOptions>>,
}

impl Question for ReviewItemQuestion {
    type Answer = (SampleKey, Option<Box<ReviewItem>>);
    const SLOT: Slot = Slot("item");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let (store, key) = (source.store()?, &self.key);
        let verdicts = source.verdicts()?;
        let versions = (store.version()?, verdicts.version()?);
        let Some(sample) = store.sample(key, None)? else {
            return Ok((*key, None));
        };
        let snapshot = review::snapshot_of(&sample);
        let detail = browse::detail_of(sample);
        let mut of_sample = verdicts.of_sample(key)?;
        let mine = of_sample
            .iter()
            .position(|verdict| verdict.annotator == self.annotator);
        let mine = mine.map(|idx| of_sample.remove(idx));
        let judged = mine.as_ref().map(|verdict: &Verdict| &verdict.judged);
        let focal = snapshot
            .focal
            .as_ref()
            .map(|snapshot_method| snapshot_method.key.as_str());
        let stale = judged.and_then(|judged_sample| {
            Staleness::between(judged_sample, snapshot.content_hash, focal)
        });
        let difference = match judged.filter(|_| stale.is_some()) {
            Some(judged) => review::difference(store, &verdicts, judged)?,
            None => None,
        };
        let notes = verdicts.notes_of(key)?.into_iter();
        let left_out = match &self.queue {
            Some(options) => review::left_out(&verdicts, options, key)?,
            None => None,
        };
        let item = ReviewItem {
            explained: ExplainedSample {
                remarks: review::remarks(&verdicts, key)?,
                ..ExplainedSample::of(detail)
            },
            left_out,
            stale,
            difference: difference.map(Box::new),
            snapshot,
            mine,
            note: notes
                .filter(|note| note.0 == self.annotator)
                .map(|note| note.1)
                .next(),
            is_marked: verdicts.is_marked(key, &self.annotator)?,
            n_others: of_sample.len(),
            versions,
        };
        Ok((*key, Some(Box::new(item))))
    }
}

/// A sample to judge.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewItem {
    pub explained: ExplainedSample,
    /// The annotator's own verdict that holds now.
    pub mine: Option<Verdict>,
    /// Why its queue no longer asks for it.
    pub left_out: Option<PriorVerdicts>,
    /// Why the own verdict is not about the present sample; `difference` shows the changes where they are known.
    pub stale: Option<Staleness>,
    pub difference: Option<Box<Difference>>,
    /// The state of the sample that is stored with a verdict on it.
    pub snapshot: Snapshot,
    pub note: Option<String>,
    pub is_marked: bool,
    /// How many other people have judged it.
    pub n_others: usize,
    /// The versions of index and verdicts when it was read; a change means that the queue may be another.
    pub versions: Versions,
}

impl ReviewItem {
    /// Returns the sample's key.
    #[must_use]
    pub const fn key(&self) -> SampleKey {
        self.explained.detail.row.key
    }
}

/// A sample, the explanation of each candidate's weight in their order, and people's remarks on it.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainedSample {
    pub detail: SampleDetail,
    pub explanations: Vec<MatchExplanation>,
    pub remarks: SampleRemarks,
}

impl ExplainedSample {
    #[must_use]
    pub fn of(detail: SampleDetail) -> Self {
        let explanations = why(&detail);
        Self {
            detail,
            explanations,
            remarks: SampleRemarks::default(),
        }
    }
}

/// Finds the code that a prediction belongs to: the test for a predicted assertion part, the focal method for a
/// predicted test.
///
/// # Errors
/// The index cannot be read.
pub fn around(
    source: &AnswerSource<'_>,
    key: &SampleKey,
    setting: &RunSetting,
) -> Result<Option<Snippet>, MissingAnswer> {
    let sample = browse::detail(source.store()?, key, Some(setting.matcher))?;
    Ok(sample.and_then(|sample_detail| match setting.target {
        Target::Assertion => Some(sample_detail.test),
        Target::Test => sample_detail.focal,
    }))
}

/// The number of a sample's row in the index.
pub type SampleRowId = i64;
