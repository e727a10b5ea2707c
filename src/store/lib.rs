//! The index and the verdicts on disk; sole owner of SQLite and of every line of SQL.
//!
//! Decides how rows are stored in `index.db`, when they become visible, and which copy and which split a sample is
//! frozen to. Does not decide which rows are mined, how a filter is written, or how anything looks.
//!
//! One process writes at a time (`index.lock`); any number read. A repository is written as a new generation in short
//! transactions, and one last small transaction makes it current: readers see the old one whole, then the new one
//! whole, and a killed run leaves only rows that nobody sees and that the next writer sweeps away. Answers of models
//! come over hours: they are added between the writer's transactions ([`Store::open_to_ask`]).
//!
//! Jobs and their heartbeats lie apart in `jobs.db` ([`JobTable`]): they wait for nobody and wake nobody.
//!
//! What people decided lies apart in `verdicts.db` ([`Verdicts`]): it cannot be made anew, and no pipeline opens it.

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
mod named;
mod network;
mod open;
mod origin;
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
mod runs;
mod scores;
mod settle;
mod shaken;
mod shown;
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
pub use named::{BadRunName, NoSuchRun, check_run_name, run_named};
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

/// What a caller may do with an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreAccess {
    /// Write, and create folder and file where there are none.
    Create,
    /// Write an index that exists.
    Write,
    /// Read only; never creates a file, and works while another process writes.
    Read,
}

/// An open index.
pub struct Store {
    conn: Connection,
    path: PathBuf,
    access: StoreAccess,
    /// Whether it may add what a model answers, and nothing else.
    asks: bool,
    lists: lists::RecentLists,
    /// Held while the index is open for writing, or a model is asked; the system releases it with the process.
    _lock: Option<lock::LockFile>,
}

/// Stops the query that runs on a [`Store`], from another thread; the query then returns
/// [`StoreError::Cancelled`]. Does nothing when none runs.
pub struct Interrupt(rusqlite::InterruptHandle);

impl Interrupt {
    /// Stops the query that runs now.
    pub fn interrupt(&self) {
        self.0.interrupt();
    }
}

impl Store {
    /// The name of the file in the workspace's folder.
    pub const FILE_NAME: &'static str = "index.db";

    /// Opens `index.db` in the folder `.focalist`.
    ///
    /// For writing this migrates an older index (after a copy to `index.db.v<N>.bak`) and sweeps what a killed run
    /// left behind.
    ///
    /// # Errors
    /// Says what is wrong with the file: see [`StoreError`].
    pub fn open(focalist_dir: &Path, access: StoreAccess) -> Result<Self, StoreError> {
        open::open(focalist_dir, access)?.swept()
    }

    /// Opens `index.db` as with [`StoreAccess::Create`], but no transaction waits for the disk: for a workspace that can be
    /// made anew if the machine fails. A killed process loses nothing. To keep the file, make sure that it is written
    /// ([`std::fs::File::sync_all`]) once the index is closed.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_scratch(focalist_dir: &Path) -> Result<Self, StoreError> {
        open::open_scratch(focalist_dir)?.swept()
    }

    /// Takes away what a killed writer left behind, where this is one.
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

    /// Opens `index.db` to read it and to add a model's answers, next to a writer: both wait for each other's
    /// transactions only. An added answer is on disk before it counts, also when the machine fails. One process at a
    /// time asks a model, so that nothing is asked twice.
    ///
    /// # Errors
    /// As [`Store::open`]; nothing is brought up to date. [`StoreError::Asked`] while another process asks the model.
    pub fn open_to_ask(focalist_dir: &Path, model: &str) -> Result<Self, StoreError> {
        open::open_to_ask(focalist_dir, model)
    }

    /// Keeps less of the index in memory, for work that goes through it once: more of it then takes no more memory.
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

    /// Returns a number that grows whenever lists and counts may have changed.
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

    /// Runs `work` and gives its failure the path of this index.
    fn named<T>(&self, work: impl FnOnce() -> Result<T, StoreFailure>) -> Result<T, StoreError> {
        work().map_err(|failure| failure.at(&self.path))
    }
}
