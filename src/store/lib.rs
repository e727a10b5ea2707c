//! The index and the verdicts on disk; sole owner of SQLite and of every line of SQL.
//!
//! Decides how rows are stored in `index.db`, when they become visible, and which copy of a sample is kept in which
//! split. Does not decide which rows are mined, how a filter is written, or how anything is displayed.
//!
//! One process writes at a time (`index.lock`); any number may read. A repository is written as a new generation in
//! short transactions, and one last small transaction makes it current: readers see all of the old generation, then all
//! of the new one, and a killed run leaves only hidden rows that the next writer deletes. Models answer over hours:
//! their answers are added between the writer's transactions ([`Store::open_to_ask`]).
//!
//! Jobs and their heartbeats are stored separately in `jobs.db` ([`JobTable`]), so that they neither wait for the index
//! nor wake its readers.
//!
//! People's decisions are stored separately in `verdicts.db` ([`Verdicts`]): they cannot be recomputed, and no pipeline
//! opens that file.

use focalist_model as model;
use focalist_task as task;

use std::path::{Path, PathBuf};

use rusqlite::Connection;

mod answered;
mod answers;
mod asserted;
mod batch;
mod benchmark;
mod brittle;
mod by_method;
mod clover;
mod codec;
mod confirmed;
mod consistency;
mod contents;
mod dataset;
mod declared;
mod dump;
mod engines;
mod equivalent;
mod error;
mod executions;
mod failures;
mod faults;
mod focal_totals;
mod grams;
mod health;
mod jobs;
mod judged;
mod list;
mod lists;
mod lock;
mod merge;
mod network;
mod open;
mod origin;
mod outcome_condition;
mod pairs;
mod parts;
mod picked;
mod query;
mod questions;
mod read;
mod reference;
mod remove;
mod report;
mod resolution;
mod results;
mod run_names;
mod runs;
mod scores;
mod settle;
mod shaken;
mod sql;
mod stable;
mod state;
mod tested;
mod text;
mod texts;
mod traces;
mod truth;
mod values;
mod varied;
mod verdicts;
mod version;
mod write;

#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;

pub use answered::AnsweredQuestion;
pub use answers::{
    AnswerGroup, AnswerMeta, AskedAnswer, NewAnswer, NewPrompt, PromptedAnswer, StoredAnswer,
};
pub use by_method::{FaultedMethod, MethodScope, StoredMethodFaults, TestMethods, WrittenMethods};
pub use clover::{CloverAnswer, CloverCase, CloverLines, CloverSuite, CloverTask};
pub use consistency::{
    ConsistencyRun, JudgedSeed, MutationSeed, MutationVariant, NewCompletion, StoredCompletion,
    StoredConsistency,
};
pub use contents::{RepoContents, Stamp};
pub use dataset::ImportedRepo;
pub use declared::DeclaredSource;
pub use dump::{DumpedRow, DumpedValue};
pub use equivalent::{Equivalence, KillingTest};
pub use error::StoreError;
pub use executions::{ExecutionStamp, StoredExecution, WrittenExecution};
pub use faults::{FaultPair, StoredFault, WrittenFaults};
pub use grams::TextsIndexed;
pub use health::{Content, Health, LockHolder, WorkspaceGround, ground, schemas, sqlite_version};
pub use jobs::{JobEnd, JobProcess, JobTable, NewJob};
pub use list::Anchor;
pub use merge::{MergeRank, MergeRepo};
pub use origin::Origin;
pub use pairs::{MethodText, PairTexts, PassingPair, StoredPair};
pub use parts::PlacedPrediction;
pub use picked::{DecisionFacts, TestSpans};
pub use read::{Extent, PlacedSample, StoredCandidate, StoredCut, StoredMethod, StoredSample};
pub use reference::{LocatedReference, SampleFacts, StoredReference};
pub use report::{ManifestRepo, StoredProblem};
pub use results::{
    Attribute, LinkedPairs, Links, PredictionNeedle, ResultFlags, RuledPrediction, SortableColumn,
    StoredResult, TaggedNow, TokenCounts, WordColumn,
};
pub use run_names::{BadRunName, NoSuchRun, check_run_name, run_named};
pub use runs::RunCounts;
pub use scores::{EvaluationPlan, MetricProgress, ScoredPrediction, WrittenScores};
pub use shaken::{ShakenSoFar, WrittenStability};
pub use state::SampleState;
pub use traces::{TRACES, TRUTH, Traces, name_in};
pub use truth::TRUTH_SOURCE;
pub use values::StoredValue;
pub use varied::{StoredVariant, VariantPair, WrittenVariants};
pub use verdicts::{Remark, Sign, VerdictWord, Verdicts, Window};
pub use write::WRITE_PARTS;

use error::StoreFailure;

/// The access that a caller has to an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreAccess {
    /// Write; create the folder and the file where they are missing.
    Create,
    /// Write to an existing index.
    Write,
    /// Read only; never creates a file, and works while another process writes.
    Read,
}

/// An open index.
pub struct Store {
    conn: Connection,
    path: PathBuf,
    access: StoreAccess,
    /// Whether it may only add answers of a model.
    asks: bool,
    lists: lists::RecentLists,
    /// Held while the index is open for writing or a model is being asked; the system releases it when the process
    /// ends.
    _lock: Option<lock::LockFile>,
}

/// Stops the running query of a [`Store`] from another thread; the query then returns [`StoreError::Cancelled`]. Does
/// nothing when no query runs.
pub struct Interrupt(rusqlite::InterruptHandle);

impl Interrupt {
    /// Stops the running query.
    pub fn interrupt(&self) {
        self.0.interrupt();
    }
}

impl Store {
    /// The name of the file in the workspace's folder.
    pub const FILE_NAME: &'static str = "index.db";

    /// Opens `index.db` in the folder `.focalist`.
    ///
    /// For writing this migrates an older index (after a copy to `index.db.v<N>.bak`) and deletes what a killed run
    /// left behind.
    ///
    /// # Errors
    /// Any [`StoreError`] about the file.
    pub fn open(focalist_dir: &Path, access: StoreAccess) -> Result<Self, StoreError> {
        open::open(focalist_dir, access)?.swept()
    }

    /// Opens `index.db` as with [`StoreAccess::Create`], but no transaction waits for the disk: for a workspace that
    /// can be rebuilt if the machine fails. A killed process loses nothing. To keep the file, sync it to the disk
    /// ([`std::fs::File::sync_all`]) once the index is closed.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_scratch(focalist_dir: &Path) -> Result<Self, StoreError> {
        open::open_scratch(focalist_dir)?.swept()
    }

    /// Deletes what a killed writer left behind, if this store may write.
    fn swept(self) -> Result<Self, StoreError> {
        if matches!(self.access, StoreAccess::Create | StoreAccess::Write) {
            let monitor = task::Monitor::default();
            self.named(|| {
                runs::sweep(&self.conn, &monitor)?;
                self.sweep(&monitor)
            })?;
        }
        Ok(self)
    }

    /// Opens `index.db` to read it and to add a model's answers, next to a writer: the two only wait for each other's
    /// transactions. An added answer is on the disk before it counts, so it survives a failure of the machine. One
    /// process at a time asks a model, so that nothing is asked twice.
    ///
    /// # Errors
    /// As [`Store::open`]; an older index is not migrated. [`StoreError::Asked`] while another process asks the model.
    pub fn open_to_ask(focalist_dir: &Path, model: &str) -> Result<Self, StoreError> {
        open::open_to_ask(focalist_dir, model)
    }

    /// Reduces the cache, for work that reads the index once from beginning to end: a larger index then takes no more
    /// memory.
    ///
    /// # Errors
    /// The database's.
    pub fn remember_less(&self) -> Result<(), StoreError> {
        let set = self.conn.execute_batch(open::ONCE);
        set.map_err(|error| StoreFailure::Sql(error).at(&self.path))
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns a handle that stops this store's queries from another thread.
    #[must_use]
    pub fn interrupt_handle(&self) -> Interrupt {
        Interrupt(self.conn.get_interrupt_handle())
    }

    /// Returns a number that increases whenever lists and counts may have changed.
    pub fn version(&self) -> Result<i64, StoreError> {
        self.named(|| version::current(&self.conn))
    }

    /// Runs `work` in one read transaction, so that all its queries see the same state.
    fn reading<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreFailure>,
    ) -> Result<T, StoreError> {
        self.named(|| {
            let transaction = self.conn.unchecked_transaction()?;
            let value = work(&self.conn)?;
            transaction.commit()?;
            Ok(value)
        })
    }

    /// Runs `work` and adds the path of this index to its error.
    fn named<T>(&self, work: impl FnOnce() -> Result<T, StoreFailure>) -> Result<T, StoreError> {
        work().map_err(|failure| failure.at(&self.path))
    }
}
