//! Questions to the index and their answers; the UI thread never opens a database.
//!
//! Decides which questions there are. Each belongs to a slot; asking again in a slot makes the earlier question
//! stale. The threads that answer are in `pool`.

pub mod compare;
pub mod jobs;
pub mod results;

use std::sync::Arc;

use crate::browse::Catalogue;
use crate::chart::Figure;
use crate::config::Saved;
use crate::files::Listing;
use crate::keymap::Step;
use crate::metric::agreement::Ratings;
use crate::mine::why::{Why, why};
use crate::model::{
    Filter, Funnel, Matcher, Past, Problem, RepoRow, RunRow, SampleDetail, SampleKey, SampleRow,
    Snapshot, Snippet, Verdict,
};
use crate::plot::Kind;
use crate::review::{
    Acceptance, AuditOptions, AuditReport, Band, Difference, Queue, QueueOptions, Staleness,
};
use crate::review::{Agreement, Conflict, Progress};

/// A place on the screen that one answer fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(usize)]
pub enum Slot {
    Funnel,
    Repos,
    Problems,
    Count,
    Page,
    Detail,
    Runs,
    RunProblems,
    Files,
    /// The sample to be judged, and the one after it.
    Item,
    NextItem,
    Queue,
    Past,
    Bands,
    AuditReport,
    Declared,
    MethodSource,
    Agreement,
    Intervals,
    Conflicts,
    /// The sample to be ruled on, and the one after it.
    Conflict,
    NextConflict,
    ConflictCount,
    ResultList,
    ResultRows,
    ResultDetail,
    ResultGroups,
    ResultFind,
    Nearest,
    Pairing,
    Selection,
    Summary,
    Slices,
    ComparedRows,
    ComparedDetail,
    ComparedFind,
    ComparedFile,
    JobRows,
    JobLog,
    /// How a repository was mined.
    Mined,
    Saved,
    Named,
    /// A chart on Home, and the one that is looked at.
    HomeChart,
    Chart,
}

impl Slot {
    pub const ALL: &[Self] = &[
        Self::Funnel,
        Self::Repos,
        Self::Problems,
        Self::Count,
        Self::Page,
        Self::Detail,
        Self::Runs,
        Self::RunProblems,
        Self::Files,
        Self::Item,
        Self::NextItem,
        Self::Queue,
        Self::Past,
        Self::Bands,
        Self::AuditReport,
        Self::Declared,
        Self::MethodSource,
        Self::Agreement,
        Self::Intervals,
        Self::Conflicts,
        Self::Conflict,
        Self::NextConflict,
        Self::ConflictCount,
        Self::ResultList,
        Self::ResultRows,
        Self::ResultDetail,
        Self::ResultGroups,
        Self::ResultFind,
        Self::Nearest,
        Self::Pairing,
        Self::Selection,
        Self::Summary,
        Self::Slices,
        Self::ComparedRows,
        Self::ComparedDetail,
        Self::ComparedFind,
        Self::ComparedFile,
        Self::JobRows,
        Self::JobLog,
        Self::Mined,
        Self::Saved,
        Self::Named,
        Self::HomeChart,
        Self::Chart,
    ];
    pub const COUNT: usize = Self::ALL.len();

    /// Returns whether the answer is for Results.
    #[must_use]
    pub const fn is_of_results(self) -> bool {
        matches!(
            self,
            Self::ResultList
                | Self::ResultRows
                | Self::ResultDetail
                | Self::ResultGroups
                | Self::ResultFind
                | Self::Nearest
        )
    }

    /// Returns whether the answer is for Compare.
    #[must_use]
    pub const fn is_of_compare(self) -> bool {
        matches!(
            self,
            Self::Pairing
                | Self::Selection
                | Self::Summary
                | Self::Slices
                | Self::ComparedRows
                | Self::ComparedDetail
                | Self::ComparedFind
        )
    }

    /// Returns whether the answer is for Jobs.
    #[must_use]
    pub const fn is_of_jobs(self) -> bool {
        matches!(self, Self::JobRows | Self::JobLog | Self::Mined)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    pub slot: Slot,
    pub generation: u64,
    pub query: Query,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Query {
    Funnel,
    Repos,
    Problems,
    Count(Filter),
    Page {
        filter: Filter,
        from: From,
        limit: usize,
    },
    Detail(SampleKey, Option<Matcher>),
    Runs,
    /// What could not be used of the file of a run.
    RunProblems(RunId),
    /// The files whose name begins as typed.
    Files(String),
    /// A sample to be judged, with what people said of it so far.
    Item {
        key: SampleKey,
        annotator: String,
    },
    /// The samples to be judged, in order.
    Queue(Box<QueueOptions>),
    /// What an annotator did last.
    Past {
        annotator: String,
    },
    /// How many matches of each band of weights people found right.
    Bands,
    /// How far annotators agree, without intervals.
    Agreement,
    /// How sure the coefficients of these ratings are.
    Intervals(Arc<Ratings>),
    /// What annotators differ on.
    Conflicts,
    /// On how many samples they differ while nobody has ruled.
    ConflictCount,
    /// What one annotator's verdicts on an audit's samples say.
    AuditReport {
        audit: Box<AuditOptions>,
        annotator: String,
    },
    /// What they say of the samples that the audit did not draw.
    Acceptance {
        audit: Box<AuditOptions>,
        annotator: String,
    },
    /// All methods of the repository of a sample.
    Declared(SampleKey),
    /// The source of one of them, by its key.
    MethodSource(SampleKey, String),
    Results(Box<results::Query>),
    Compare(Box<compare::Query>),
    Jobs(jobs::Query),
    /// The filters that are saved in the workspace.
    Saved,
    /// The first samples whose names hold what is typed.
    Named(String),
    Chart(Kind),
    /// Only stops what runs in the slot.
    Stop,
}

/// A sample to be judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    pub explained: Explained,
    /// What the annotator said of it, where that holds.
    pub mine: Option<Verdict>,
    /// Why that is not about what the index has now, and what has changed where that is known.
    pub stale: Option<Staleness>,
    pub difference: Option<Box<Difference>>,
    /// What is kept with a verdict on it.
    pub snapshot: Snapshot,
    pub note: Option<String>,
    pub is_marked: bool,
    /// Other people who have judged it.
    pub n_others: usize,
    /// What index and verdicts were when it was read; a change means that the queue may be another.
    pub versions: (i64, i64),
}

/// How far annotators agree, and how far each of them is.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreed {
    pub agreement: Agreement,
    pub progress: Vec<Progress>,
}

/// An interval for each coefficient.
pub type Intervals = [Option<(f64, f64)>; 5];

/// Bootstrap samples of each interval.
pub const N_RESAMPLES: u64 = 1_000;

impl Item {
    /// Returns the sample's key.
    #[must_use]
    pub const fn key(&self) -> SampleKey {
        self.explained.detail.row.key
    }
}

/// The states of the index and of the verdicts: each number grows with every change.
pub type Versions = (i64, i64);

/// A queue with what index and verdicts were when it was read.
pub type FoundQueue = (Queue, Versions);

/// How many of the last things that an annotator did are listed.
pub const PAST_MAX: usize = 200;

/// A sample, and why each of its candidates weighs what it weighs, in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    pub detail: SampleDetail,
    pub whys: Vec<Why>,
}

impl Explained {
    #[must_use]
    pub fn of(detail: SampleDetail) -> Self {
        let whys = why(&detail);
        Self { detail, whys }
    }
}

/// Where a page of rows begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum From {
    First,
    Last,
    After(SampleRowId),
    Before(SampleRowId),
    /// Around a row that is to stay selected; from the beginning when it is not in the list.
    Around(SampleRowId),
    /// The same, by the sample's key; where it is not in the list, around the row of this number, from 0.
    AroundKey(SampleKey, u64),
    /// Around the next test whose name holds `needle`, counted from a row.
    Match {
        needle: String,
        id: SampleRowId,
        step: Step,
    },
}

/// The row's number in the index.
pub type SampleRowId = i64;

/// The run's number in the index.
pub type RunId = i64;

#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    pub slot: Slot,
    pub generation: u64,
    pub answer: Result<Answer, Failure>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Funnel(Funnel),
    Repos(Vec<RepoRow>),
    Problems(Vec<(String, Problem)>),
    Count(u64),
    Page(Page),
    Detail(Option<Box<Explained>>),
    Runs(Vec<RunRow>),
    RunProblems(RunId, Vec<Problem>),
    Files(Listing),
    /// Nothing when the sample is not in the index any more.
    Item(SampleKey, Option<Box<Item>>),
    /// With what index and verdicts were; nothing for an audit that has to be drawn first.
    Queue(Option<FoundQueue>),
    Past(Vec<PastRow>),
    Bands(Vec<Band>),
    Agreement(Box<Agreed>),
    Intervals(Intervals),
    /// With what index and verdicts were.
    Conflicts(Vec<Conflict>, (i64, i64)),
    ConflictCount(u64),
    /// Nothing for an audit that nobody has drawn.
    AuditReport(Option<AuditReport>),
    Acceptance(Box<Acceptance>),
    Declared(SampleKey, Arc<Catalogue>),
    MethodSource(String, Option<Box<Snippet>>),
    Results(Box<results::Answer>),
    Compare(Box<compare::Answer>),
    Jobs(Box<jobs::Answer>),
    Saved(Box<Saved>),
    Named(Vec<SampleRow>),
    Chart(Kind, Box<Figure>),
}

/// Something that an annotator did, and the name of the test that it was about.
#[derive(Clone, Debug, PartialEq)]
pub struct PastRow {
    pub past: Past,
    /// `CounterTest.testInc`; absent when the index does not have the sample any more.
    pub test: Option<String>,
}

/// Rows in the list's order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    pub rows: Vec<SampleRow>,
    /// How many rows of the list come before the first one here, where that is known.
    pub rank: Option<u64>,
    /// Whether the list ends with the page, on either side.
    pub is_first: bool,
    pub is_last: bool,
    /// The row to select.
    pub selected: Option<SampleRowId>,
    /// A search found nothing; the rows are those around the row it began at.
    pub is_not_found: bool,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// There is no index here yet.
    NoIndex,
    /// A text for people.
    Other(String),
}
