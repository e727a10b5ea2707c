//! The shapes behind `--json`: rows of `samples`, `methods` and `repos`, one sample of `show`, the funnel of `stats`.

use serde::Serialize;

use crate::brittle::WireBrittle;
use crate::faults::WireFaultCounts;
use crate::model::{
    CandidateRow, DeclaredMethod, Evidence, Funnel, LanguageCounts, Mark, MarkKind, Problem,
    RepoKey, RepoResolutions, RepoRow, ResolutionClass, ResolutionCounts, SampleDetail, SampleRow,
    Snippet, Split, Stage,
};
use crate::outcomes::WireUnstable;
use crate::people::WirePeople;

/// A line of `samples --json`.
#[derive(Debug, Serialize)]
pub struct WireRow<'a> {
    pub key: String,
    pub repo: &'a str,
    pub class: &'a str,
    pub test: &'a str,
    pub focal: Option<&'a str>,
    pub status: &'static str,
    pub stage: Option<&'static str>,
    pub weight: Option<f64>,
    pub flags: Vec<&'static str>,
    pub duplicate: bool,
    /// The results of the true test on mutants; absent where it was run on none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faults: Option<WireFaultCounts>,
    /// The reason why the true test is unstable; absent where it is not, and where it was not shaken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unstable: Option<WireUnstable>,
    /// The variants that the true test objects to; absent where it was run on none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brittle: Option<WireBrittle>,
}

impl<'a> From<&'a SampleRow> for WireRow<'a> {
    fn from(row: &'a SampleRow) -> Self {
        Self {
            key: row.key.to_string(),
            repo: &row.repo,
            class: &row.test_class,
            test: &row.test_name,
            focal: row.focal.as_deref(),
            status: row.status.as_str(),
            stage: row.stage.map(Stage::as_str),
            weight: row.weight,
            flags: row.flags.iter().map(crate::model::Flag::as_str).collect(),
            duplicate: row.is_duplicate,
            faults: None,
            unstable: None,
            brittle: None,
        }
    }
}

/// `show --json`.
#[derive(Debug, Serialize)]
pub struct WireDetail<'a> {
    #[serde(flatten)]
    pub row: WireRow<'a>,
    pub url: Option<&'a str>,
    pub commit: Option<&'a str>,
    pub license: Option<&'a str>,
    pub framework: &'a str,
    pub kind: &'a str,
    pub matcher: &'static str,
    pub split_random: Option<&'static str>,
    pub split_project: Option<&'static str>,
    pub duplicate_of: Option<String>,
    pub n_tokens: u32,
    pub test: WireSnippet<'a>,
    pub focal_method: Option<WireSnippet<'a>>,
    pub implementation: Option<WireSnippet<'a>>,
    /// Methods of the test's own class that it calls; absent when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub helpers: Vec<WireSnippet<'a>>,
    pub fixtures: Vec<WireSnippet<'a>>,
    pub setup_context: Vec<WireSnippet<'a>>,
    pub focal_context: Vec<WireSnippet<'a>>,
    pub candidates: Vec<WireCandidateRow<'a>>,
    /// The judgements of people about it; absent where they are not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people: Option<WirePeople<'a>>,
}

#[derive(Debug, Serialize)]
pub struct WireSnippet<'a> {
    pub key: &'a str,
    pub file: &'a str,
    pub first_line: u32,
    pub name_line: u32,
    pub text: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<WireMark>,
}

/// Bytes of the snippet's text.
#[derive(Debug, Serialize)]
pub struct WireMark {
    pub start: u32,
    pub end: u32,
    pub kind: &'static str,
}

#[derive(Debug, Serialize)]
pub struct WireCandidateRow<'a> {
    pub name: &'a str,
    pub key: &'a str,
    pub file: &'a str,
    pub line: u32,
    pub score: f64,
    pub class_score: f64,
    pub weight: f64,
    pub evidence: Vec<&'static str>,
    pub n_calls: u32,
    pub picked: bool,
}

impl<'a> From<&'a SampleDetail> for WireDetail<'a> {
    fn from(detail: &'a SampleDetail) -> Self {
        let snippets = |snippets: &'a [Snippet]| snippets.iter().map(WireSnippet::from).collect();
        Self {
            row: WireRow {
                unstable: detail.stability.as_ref().and_then(WireUnstable::of),
                ..WireRow::from(&detail.row)
            },
            url: detail.repo.url.as_deref(),
            commit: detail.repo.commit.as_deref(),
            license: detail.repo.license.as_deref(),
            framework: &detail.framework,
            kind: &detail.kind,
            matcher: detail.matcher.as_str(),
            split_random: detail.split_random.map(Split::as_str),
            split_project: detail.split_project.map(Split::as_str),
            duplicate_of: detail.duplicate_of.map(|key| key.to_string()),
            n_tokens: detail.n_tokens,
            test: (&detail.test).into(),
            focal_method: detail.focal.as_ref().map(WireSnippet::from),
            implementation: detail.implementation.as_ref().map(WireSnippet::from),
            helpers: snippets(&detail.helpers),
            fixtures: snippets(&detail.fixtures),
            setup_context: snippets(&detail.setup_context),
            focal_context: snippets(&detail.focal_context),
            candidates: detail
                .candidates
                .iter()
                .map(WireCandidateRow::from)
                .collect(),
            people: None,
        }
    }
}

impl<'a> From<&'a Snippet> for WireSnippet<'a> {
    fn from(snippet: &'a Snippet) -> Self {
        Self {
            key: &snippet.key,
            file: &snippet.path,
            first_line: snippet.first_line,
            name_line: snippet.name_line,
            text: &snippet.text,
            marks: snippet.marks.iter().map(WireMark::from).collect(),
        }
    }
}

impl From<&Mark> for WireMark {
    fn from(mark: &Mark) -> Self {
        Self {
            start: mark.start,
            end: mark.end,
            kind: match mark.kind {
                MarkKind::Setup => "setup",
                MarkKind::Assertion => "assertion",
                MarkKind::FocalCall => "focal_call",
                MarkKind::AssertionCall => "assertion_call",
            },
        }
    }
}

impl<'a> From<&'a CandidateRow> for WireCandidateRow<'a> {
    fn from(row: &'a CandidateRow) -> Self {
        Self {
            name: &row.name,
            key: &row.key,
            file: &row.path,
            line: row.line,
            score: row.score,
            class_score: row.class_score,
            weight: row.weight,
            evidence: row.evidence.iter().map(Evidence::as_str).collect(),
            n_calls: row.n_calls,
            picked: row.is_picked,
        }
    }
}

/// A line of `methods --json`.
#[derive(Debug, Serialize)]
pub struct WireDeclared<'a> {
    pub key: &'a str,
    pub file: &'a str,
    pub line: u32,
    /// Declared in test code.
    pub test: bool,
}

impl<'a> From<&'a DeclaredMethod> for WireDeclared<'a> {
    fn from(method: &'a DeclaredMethod) -> Self {
        Self {
            key: &method.key,
            file: &method.path,
            line: method.name_line,
            test: !method.is_main,
        }
    }
}

/// `stats --json`.
#[derive(Debug, Serialize)]
pub struct WireFunnel {
    pub repos: u64,
    pub files: u64,
    pub test_classes: u64,
    pub tests: u64,
    pub mapped: u64,
    pub split: u64,
    pub focal_only_in_setup: u64,
    pub unique: u64,
    pub within_size: u64,
    /// Only where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<WireLanguageCounts>,
    /// How many tests fell out, by status.
    pub fell_out: serde_json::Map<String, serde_json::Value>,
    /// How many problems, by reason.
    pub problems: serde_json::Map<String, serde_json::Value>,
}

#[derive(Debug, Serialize)]
pub struct WireLanguageCounts {
    pub language: &'static str,
    pub tests: u64,
    pub mapped: u64,
    pub within_size: u64,
}

impl From<&LanguageCounts> for WireLanguageCounts {
    fn from(counts: &LanguageCounts) -> Self {
        Self {
            language: counts.language.as_str(),
            tests: counts.n_tests,
            mapped: counts.n_mapped,
            within_size: counts.n_within_size,
        }
    }
}

impl From<&Funnel> for WireFunnel {
    fn from(funnel: &Funnel) -> Self {
        let by_status = funnel.by_status.iter();
        let problems = funnel.problems.iter();
        Self {
            repos: funnel.n_repos,
            files: funnel.n_files,
            test_classes: funnel.n_test_classes,
            tests: funnel.n_tests,
            mapped: funnel.n_mapped,
            split: funnel.n_split,
            focal_only_in_setup: funnel.n_focal_only_in_setup,
            unique: funnel.n_unique,
            within_size: funnel.n_within_size,
            languages: match funnel.by_language.as_slice() {
                [_] => Vec::new(),
                several => several.iter().map(Into::into).collect(),
            },
            fell_out: by_status
                .map(|(status, n)| (status.as_str().to_owned(), (*n).into()))
                .collect(),
            problems: problems
                .map(|(reason, n)| (reason.as_str().to_owned(), (*n).into()))
                .collect(),
        }
    }
}

/// `stats --resolution --json`.
#[derive(Debug, Serialize)]
pub struct WireResolutions<'a> {
    #[serde(flatten)]
    pub all: WireCallCounts,
    pub repositories: Vec<WireRepoResolutions<'a>>,
}

#[derive(Debug, Serialize)]
pub struct WireRepoResolutions<'a> {
    pub repo: &'a str,
    /// Only where not all are in the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<&'static str>,
    #[serde(flatten)]
    pub counts: WireCallCounts,
}

#[derive(Debug, Serialize)]
pub struct WireCallCounts {
    pub calls: u64,
    pub declared_main: u64,
    pub declared_test: u64,
    pub ambiguous: u64,
    pub outside: u64,
    /// How many calls, by reason.
    pub unknown: serde_json::Map<String, serde_json::Value>,
}

impl From<&ResolutionCounts> for WireCallCounts {
    fn from(counts: &ResolutionCounts) -> Self {
        Self {
            calls: counts.n_calls(),
            declared_main: counts.of(ResolutionClass::Main),
            declared_test: counts.of(ResolutionClass::Test),
            ambiguous: counts.of(ResolutionClass::Ambiguous),
            outside: counts.of(ResolutionClass::Outside),
            unknown: counts
                .unknown()
                .map(|(reason, n)| (reason.as_str().to_owned(), n.into()))
                .collect(),
        }
    }
}

impl<'a> WireResolutions<'a> {
    #[must_use]
    pub fn new(all: &ResolutionCounts, repos: &'a [RepoResolutions]) -> Self {
        let has_several = RepoKey::have_several_languages(repos.iter().map(|repo| &repo.repo));
        let repositories = repos.iter().map(|repo| WireRepoResolutions {
            repo: &repo.repo.identity,
            language: has_several.then(|| repo.repo.language.as_str()),
            counts: (&repo.counts).into(),
        });
        Self {
            all: all.into(),
            repositories: repositories.collect(),
        }
    }
}

/// A line of `repos --json`.
#[derive(Debug, Serialize)]
pub struct WireRepoRow<'a> {
    pub name: &'a str,
    pub identity: &'a str,
    pub url: Option<&'a str>,
    pub commit: Option<&'a str>,
    pub dirty: Option<bool>,
    pub license: Option<&'a str>,
    pub language: &'static str,
    pub build_tool: Option<&'static str>,
    pub stars: Option<u32>,
    pub is_fork: Option<bool>,
    pub files: u64,
    pub tests: u64,
    pub mapped: u64,
    pub samples: u64,
    pub problems: u64,
}

impl<'a> From<&'a RepoRow> for WireRepoRow<'a> {
    fn from(row: &'a RepoRow) -> Self {
        let repo = &row.repo;
        Self {
            name: &repo.name,
            identity: &repo.identity,
            url: repo.url.as_deref(),
            commit: repo.commit.as_deref(),
            dirty: repo.dirty,
            license: repo.license.as_deref(),
            language: repo.language.as_str(),
            build_tool: repo.build_tool.map(crate::model::BuildTool::as_str),
            stars: repo.stars,
            is_fork: repo.is_fork,
            files: row.n_files,
            tests: row.n_tests,
            mapped: row.n_mapped,
            samples: row.n_samples,
            problems: row.n_problems,
        }
    }
}

/// A problem, with the repository it was met in where there is one.
#[derive(Debug, Serialize)]
pub struct WireProblem<'a> {
    pub repo: Option<&'a str>,
    pub path: &'a str,
    pub line: Option<u32>,
    pub reason: &'static str,
    pub detail: &'a str,
}

impl<'a> WireProblem<'a> {
    #[must_use]
    pub fn new(repo: Option<&'a str>, problem: &'a Problem) -> Self {
        Self {
            repo,
            path: &problem.path,
            line: problem.line,
            reason: problem.reason.as_str(),
            detail: &problem.detail,
        }
    }
}
