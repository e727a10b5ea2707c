//! What came of it.

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
    /// The engine of another language that was asked for; absent where no engine runs this one.
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
    /// Candidates whose outcome was there.
    pub n_kept: u64,
    /// Of what ran now, in files that the project's own build would not run.
    pub n_outside_suite: u64,
    /// What was done to the build, and what it left out, for people.
    pub notes: Vec<String>,
}

/// A candidate that had passed and counts as failing now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefutedCandidate {
    pub sample: SampleKey,
    pub attempt: u32,
    pub word: Confirmation,
    /// What the process of its own said, where that refutes it; else empty.
    pub said: String,
}

/// Tests of a run that were held against faults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultReport {
    pub scope: FaultScope,
    /// Chosen tests that pass and ran themselves.
    pub n_tests: u64,
    /// Tests that were held against their mutants now.
    pub n_now: u64,
    /// Tests whose pairs were there.
    pub n_kept: u64,
    /// Among the present ones, tests that do not pass each time on the original code.
    pub n_unsettled: u64,
    /// Among the present ones, tests of a method without mutants.
    pub n_without: u64,
    /// Among the present ones, tests that have to be run again because of the engine itself.
    pub n_failed: u64,
    /// Tests that there was no time for.
    pub n_left: u64,
    /// Among the present ones, or in a dry run, tests that shaking has not settled.
    pub n_open: u64,
    /// How often kills of these were run again.
    pub n_repeats: u64,
    /// Focal methods of the tests, or candidates, and all their mutants.
    pub n_methods: u64,
    pub n_mutants: u64,
    /// Mutants of these that are left out, because the same code is made of them.
    pub n_equal: u64,
    /// Pairs of now; of a dry run, those that it would be.
    pub n_pairs: u64,
    /// Pairs of now that need not run, because another test of the run has noticed the mutant.
    pub n_spared: u64,
    /// Of a dry run: how long these would run, one after the other.
    pub estimate: Duration,
    /// And how long repeats of kills would, where all pairs are killed.
    pub estimate_of_repeats: Duration,
    /// Tests of the run, with those that say the same, that have all their pairs, and their counts.
    pub n_held: u64,
    pub counts: FaultCounts,
    /// Tests of the run that have only some of their pairs.
    pub n_partial: u64,
    /// Mutants of the run, each by the best that any test made of it.
    pub together: FaultCounts,
    /// The pool that was asked for, and the counts on its minimal sets alone.
    pub subsuming: Option<(TestPool, FaultCounts)>,
    /// Where that was asked for.
    pub pit: Option<PitCounts>,
    /// What was left out, for people.
    pub notes: Vec<String>,
}

/// Tests of a run that were held against code that keeps the contract.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BrittleReport {
    /// Chosen tests that pass and ran themselves.
    pub n_tests: u64,
    /// Tests that were run on their variants now.
    pub n_now: u64,
    /// Tests with a known result.
    pub n_kept: u64,
    /// Among the present ones, tests that do not pass on the original code.
    pub n_unsettled: u64,
    /// Among the present ones, tests that have to be run again because of the engine itself.
    pub n_failed: u64,
    /// Tests that there was no time for.
    pub n_left: u64,
    /// Of the run at any time, with those that say the same.
    pub counts: BrittleCounts,
    /// Variants of now that keep no contract here, and what says so, for people.
    pub unsound: BTreeSet<String>,
    /// What was not applied, for people.
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
    /// Among the present ones, tests whose class does not run to its end, so that their result is unknown.
    pub n_unsettled: u64,
    /// Tests that there was no time for.
    pub n_left: u64,
    /// Tests of the run, with those that say the same, that were shaken at some time.
    pub n_known: u64,
    /// Of these, the unstable ones by their reason.
    pub by_reason: BTreeMap<Shake, u64>,
    /// What was not applied, for people.
    pub notes: BTreeSet<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RunReport {
    pub run: String,
    pub engine: String,
    /// What else decides outcomes, as they are made now.
    pub options: String,
    pub projects: Vec<ProjectReport>,
    /// All predictions of the run.
    pub n_predictions: u64,
    /// Of all that was ever executed of the run, each language with its last engine.
    pub funnel: ExecutionFunnel,
    /// The same by language; empty where there is one.
    pub by_language: Vec<LanguageFunnel>,
    /// Covered by any passing candidate of the project.
    pub all: FocalShares,
    /// Covered by those that are about the method.
    pub own: FocalShares,
    /// What a second look refuted now.
    pub refuted: Vec<RefutedCandidate>,
    /// Where that was asked for.
    pub faults: Option<FaultReport>,
    /// Where that was asked for.
    pub brittle: Option<BrittleReport>,
    /// Where that was asked for.
    pub stability: Option<StabilityReport>,
    /// Where the time of now went, engine by engine, where that was asked for.
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
    /// What foreign code ran in.
    pub sandbox: String,
    /// Of a dry run: files that were compiled without their tests.
    pub n_files: u64,
    pub faults: Vec<DryFile>,
    /// Classes that no suite was written for, and why.
    pub warnings: Vec<String>,
}
