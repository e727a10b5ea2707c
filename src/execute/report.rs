//! The report of the verb.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use crate::model::{
    BrittleCounts, Confirmation, EngineName, ExecutionFunnel, FaultCounts, FocalShares, Language,
    LanguageFunnel, SampleKey, Shake, counted,
};
use crate::options::FaultScope;
use crate::pool::{PitCounts, TestPool};
use crate::task::EngineTimes;

/// A project that could not be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unbuilt {
    pub project: String,
    pub reason: String,
}

/// Predictions of a run that are not run because of their language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotRun {
    pub run: String,
    pub language: Language,
    /// The requested engine, which is for another language; absent where no engine runs this one.
    pub engine: Option<EngineName>,
    pub n_predictions: u64,
}

impl fmt::Display for NotRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let language = self.language.as_str();
        let n = counted(self.n_predictions, "prediction");
        write!(f, "run {}: {n} in {language} not run: ", self.run)?;
        match self.engine {
            None => write!(f, "no engine runs {language}"),
            Some(engine) => write!(
                f,
                "engine `{}` is for {}",
                engine.as_str(),
                engine.language().as_str()
            ),
        }
    }
}

/// One project of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProjectReport {
    /// Its name.
    pub project: String,
    /// Candidates that ran now.
    pub n_run: u64,
    /// Candidates that had their outcome already.
    pub n_kept: u64,
    /// Candidates that ran now in files that the project's own build would not run.
    pub n_outside_suite: u64,
    /// Notes about the build and what it left out, for people.
    pub notes: Vec<String>,
}

/// A candidate that had passed and counts as failing now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefutedCandidate {
    pub sample: SampleKey,
    pub attempt: u32,
    pub word: Confirmation,
    /// The outcome in a separate process, where that refutes it; else empty.
    pub refutation: String,
}

/// Tests of a run that ran on faults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultReport {
    pub scope: FaultScope,
    /// Chosen tests that pass and ran themselves.
    pub n_tests: u64,
    /// Tests that ran on their mutants now.
    pub n_now: u64,
    /// Tests that had their pairs already.
    pub n_kept: u64,
    /// Of the tests of this call, those that do not pass each time on the original code.
    pub n_unsettled: u64,
    /// Of the tests of this call, those of a method without mutants.
    pub n_without: u64,
    /// Of the tests of this call, those that have to be run again because of the engine itself.
    pub n_failed: u64,
    /// Tests that there was no time for.
    pub n_left: u64,
    /// Of the tests of this call, or of a dry run, those that shaking has not settled.
    pub n_open: u64,
    /// How often kills of these were run again.
    pub n_repeats: u64,
    /// Focal methods of the tests, or candidates, and all their mutants.
    pub n_methods: u64,
    pub n_mutants: u64,
    /// Mutants of these methods that are left out, because they compile to the same code as others.
    pub n_equal: u64,
    /// Pairs of this call; in a dry run, the pairs that would run.
    pub n_pairs: u64,
    /// Pairs that need not run now, because another test of the run has noticed the mutant.
    pub n_spared: u64,
    /// In a dry run: how long the pairs would run, one after the other.
    pub estimate: Duration,
    /// In a dry run: how long repeats of kills would run, if all pairs were kills.
    pub estimate_of_repeats: Duration,
    /// Tests of the run, equal ones included, that have all their pairs, and their counts.
    pub n_held: u64,
    pub counts: FaultCounts,
    /// Tests of the run that have only some of their pairs.
    pub n_partial: u64,
    /// Mutants of the run, each counted by the best result of any test.
    pub together: FaultCounts,
    /// The pool that was asked for, and the counts on its minimal sets alone.
    pub subsuming: Option<(TestPool, FaultCounts)>,
    /// Where that was asked for.
    pub pit: Option<PitCounts>,
    /// Notes about what was left out, for people.
    pub notes: Vec<String>,
}

/// Tests of a run that ran on code that keeps the contract.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BrittleReport {
    /// Chosen tests that pass and ran themselves.
    pub n_tests: u64,
    /// Tests that were run on their variants now.
    pub n_now: u64,
    /// Tests with a known result.
    pub n_kept: u64,
    /// Of the tests of this call, those that do not pass on the original code.
    pub n_unsettled: u64,
    /// Of the tests of this call, those that have to be run again because of the engine itself.
    pub n_failed: u64,
    /// Tests that there was no time for.
    pub n_left: u64,
    /// The counts of the whole run, equal tests included.
    pub counts: BrittleCounts,
    /// Variants that turned out now not to keep the contract, and why, for people.
    pub unsound: BTreeSet<String>,
    /// Notes about what was not applied, for people.
    pub notes: BTreeSet<String>,
}

/// Tests of a run that were shaken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StabilityReport {
    /// Chosen tests that ran themselves, and to their end.
    pub n_tests: u64,
    /// Tests that were shaken now.
    pub n_now: u64,
    /// Tests with a known result.
    pub n_kept: u64,
    /// Of the tests of this call, those whose class does not run to its end, so that their result is unknown.
    pub n_unsettled: u64,
    /// Tests that there was no time for.
    pub n_left: u64,
    /// Tests of the run, equal ones included, that were ever shaken.
    pub n_known: u64,
    /// Of these, the unstable ones by their reason.
    pub by_reason: BTreeMap<Shake, u64>,
    /// Notes about what was not applied, for people.
    pub notes: BTreeSet<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RunReport {
    pub run: String,
    pub engine: String,
    /// The options that decide outcomes, as this call uses them.
    pub options: String,
    pub projects: Vec<ProjectReport>,
    /// All predictions of the run.
    pub n_predictions: u64,
    /// The funnel over all executed predictions of the run, each language with its last engine.
    pub funnel: ExecutionFunnel,
    /// The same by language; empty where there is one.
    pub by_language: Vec<LanguageFunnel>,
    /// Shares of focal methods that any passing candidate of the project covers.
    pub all: FocalShares,
    /// Shares that only the candidates about the method cover.
    pub own: FocalShares,
    /// Candidates that a second look has refuted in this call.
    pub refuted: Vec<RefutedCandidate>,
    /// Where that was asked for.
    pub faults: Option<FaultReport>,
    /// Where that was asked for.
    pub brittle: Option<BrittleReport>,
    /// Where that was asked for.
    pub stability: Option<StabilityReport>,
    /// Where the time of this call went, engine by engine, if that was asked for.
    pub timings: Option<Vec<EngineTimes>>,
}

/// A test file without its tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DryFile {
    pub project: String,
    pub path: String,
    /// What went wrong: a test ran, or it does not compile.
    pub fault: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExecuteReport {
    pub runs: Vec<RunReport>,
    pub unbuilt: Vec<Unbuilt>,
    pub not_run: Vec<NotRun>,
    /// Runs without any requested prediction.
    pub unasked: Vec<String>,
    /// The sandbox that foreign code ran in.
    pub sandbox: String,
    /// In a dry run: the number of files that were compiled without their tests.
    pub n_files: u64,
    pub faults: Vec<DryFile>,
    /// Classes that no suite was written for, and why.
    pub warnings: Vec<String>,
}
