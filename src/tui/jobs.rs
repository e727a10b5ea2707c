//! Questions to the index and their answers; the UI thread never opens a database.
//!
//! Decides which questions there are. Each belongs to a slot; asking again in a slot makes the earlier question
//! stale. The threads that answer are in `pool`.

use crate::mine::why::{Why, why};
use crate::model::{
    Filter, Funnel, Matcher, Problem, RepoRow, RunRow, SampleDetail, SampleKey, SampleRow,
};
use crate::tui::files::Listing;
use crate::tui::keymap::Step;

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
    ];
    pub const COUNT: usize = Self::ALL.len();
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
    /// Only stops what runs in the slot.
    Stop,
}

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
