//! Rows and details for display: read from the index, ready to be drawn or printed.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::code::{ResolutionClass, Span, UnknownReason};
use super::evidence::Evidences;
use super::flag::Flags;
use super::focal::{Matcher, Stage};
use super::repo::{Language, Repo, RepoKey};
use super::sample::{ContentHash, SampleKey, Split, Status};
use super::stability::Stability;

/// One line of the sample list: every test, also an unmapped one.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleRow {
    /// The row's number in the index; the cursor of paging. Not stable over mining again.
    pub id: i64,
    pub key: SampleKey,
    pub repo: String,
    /// The innermost simple class name.
    pub test_class: String,
    pub test_name: String,
    /// `Counter.inc` (simple class and name); absent when unmapped.
    pub focal: Option<String>,
    pub status: Status,
    pub stage: Option<Stage>,
    /// 0..=1; absent when unmapped.
    pub weight: Option<f64>,
    pub flags: Flags,
    pub is_duplicate: bool,
}

/// A method's source with its place in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// The method key `pkg.C#m(int)`.
    pub key: String,
    /// The name that the package gives itself in its files, in a language where its path may say otherwise.
    pub package: Option<String>,
    pub path: String,
    /// The number of the text's first line in its file, from 1.
    pub first_line: u32,
    /// The line of the method's name in its file, from 1.
    pub name_line: u32,
    /// Whole lines: the first line keeps its indentation.
    pub text: String,
    /// Byte ranges of `text`, sorted by start; kinds may nest (a focal call in a setup statement).
    pub marks: Vec<Mark>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    pub start: u32,
    pub end: u32,
    pub kind: MarkKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MarkKind {
    /// The setup part (gutter `S`).
    Setup,
    /// The assertion part (gutter `A`).
    Assertion,
    /// A call of the focal method (gutter `▶`).
    FocalCall,
    /// A call of an assertion method.
    AssertionCall,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CandidateRow {
    pub name: String,
    pub key: String,
    pub path: String,
    pub line: u32,
    /// Similarity with the test's name and with its class's name, 0..=1.
    pub score: f64,
    pub class_score: f64,
    /// How probable it is that the test is about this method, 0..=1.
    pub weight: f64,
    pub evidence: Evidences,
    pub n_calls: u32,
    /// Where in the text of the test it is called; calls in other methods, such as fixtures, are left out.
    pub calls: Vec<Span>,
    pub is_picked: bool,
    /// Absent where the index has no source of it: a dataset's candidates that are in no sample.
    pub source: Option<Snippet>,
}

/// A method or constructor of a repository, to be found by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredMethod {
    /// The method key `pkg.C#m(int)`.
    pub key: String,
    pub path: Arc<str>,
    /// The line of its name, from 1.
    pub name_line: u32,
    /// Whether main code declares it, and not test code.
    pub is_main: bool,
}

/// Everything that one sample shows.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleDetail {
    pub row: SampleRow,
    pub repo: Repo,
    /// The folder that was mined, to open files in an editor; absent when it is gone.
    pub root: Option<std::path::PathBuf>,
    pub framework: String,
    pub kind: String,
    pub matcher: Matcher,
    pub split_random: Option<Split>,
    pub split_project: Option<Split>,
    /// The sample that this one repeats, if it is a duplicate.
    pub duplicate_of: Option<SampleKey>,
    pub n_tokens: u32,
    /// The result of shaking the true test; nothing where it was not shaken.
    pub stability: Option<Stability>,
    /// The subject of a verdict: the hash changes with the shown text.
    pub content_hash: ContentHash,
    pub test: Snippet,
    pub focal: Option<Snippet>,
    /// The only implementation of a focal method without a body.
    pub implementation: Option<Snippet>,
    /// Methods of the test's own class that it calls, and those that they call, nearest first; some may be contexts, too.
    pub helpers: Vec<Snippet>,
    pub fixtures: Vec<Snippet>,
    pub setup_context: Vec<Snippet>,
    pub focal_context: Vec<Snippet>,
    pub candidates: Vec<CandidateRow>,
}

/// The counts of ConTest 3.5, from files to samples.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Funnel {
    pub n_repos: u64,
    pub n_files: u64,
    pub n_test_classes: u64,
    pub n_tests: u64,
    pub n_mapped: u64,
    /// Mapped, with an assertion part.
    pub n_split: u64,
    pub n_focal_only_in_setup: u64,
    pub n_unique: u64,
    /// Within `--max-context-tokens`, and not skipped for good: the samples that `export` writes by default.
    pub n_within_size: u64,
    /// Per status other than ok: how many tests fell out, in the order of `Status::ALL`.
    pub by_status: Vec<(Status, u64)>,
    /// The languages that have tests, in the order of `Language::ALL`.
    pub by_language: Vec<LanguageCounts>,
    /// Problems per reason.
    pub problems: Vec<(super::problem::Reason, u64)>,
}

/// The counts of a [`Funnel`] in one language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanguageCounts {
    pub language: Language,
    pub n_tests: u64,
    pub n_mapped: u64,
    pub n_within_size: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RepoRow {
    pub repo: Repo,
    pub n_files: u64,
    pub n_tests: u64,
    pub n_mapped: u64,
    pub n_samples: u64,
    pub n_problems: u64,
    /// Tests without a candidate that is probable enough.
    pub n_abstained: u64,
    /// Files that do not parse as a whole.
    pub n_unparsable: u64,
}

/// How the invocations and object creations in tests were resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResolutionCounts(BTreeMap<ResolutionClass, u64>);

impl ResolutionCounts {
    pub fn add(&mut self, resolved: ResolutionClass, n_calls: u64) {
        *self.0.entry(resolved).or_default() += n_calls;
    }

    /// Adds all of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (resolved, n_calls) in other.iter() {
            self.add(resolved, n_calls);
        }
    }

    /// Iterates over the counts, the resolved before the unknown.
    pub fn iter(&self) -> impl Iterator<Item = (ResolutionClass, u64)> {
        self.0
            .iter()
            .map(|(resolved, n_calls)| (*resolved, *n_calls))
    }

    #[must_use]
    pub fn of(&self, resolved: ResolutionClass) -> u64 {
        self.0.get(&resolved).copied().unwrap_or_default()
    }

    #[must_use]
    pub fn n_calls(&self) -> u64 {
        self.0.values().sum()
    }

    /// Iterates over the unknown by reason, in the order of [`UnknownReason::ALL`]; reasons that do not occur are left
    /// out.
    pub fn unknown(&self) -> impl Iterator<Item = (UnknownReason, u64)> {
        self.iter()
            .filter_map(|(resolved, n_calls)| match resolved {
                ResolutionClass::Unknown(reason) => Some((reason, n_calls)),
                _ => None,
            })
    }

    #[must_use]
    pub fn n_unknown(&self) -> u64 {
        self.unknown().map(|(_, n_calls)| n_calls).sum()
    }
}

/// The [`ResolutionCounts`] of one repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepoResolutions {
    pub repo: RepoKey,
    pub counts: ResolutionCounts,
}
