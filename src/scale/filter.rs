//! Which repositories the papers take, by what a list says about them. The content of a repository is not looked at
//! here.

use crate::exchange::mera::LICENSES;
use crate::exchange::repo_list::{FORK_STARS_MAX, RepoLine};
use crate::exchange::shards::WireFilterStep;

/// A paper's choice of repositories (`--repo-filter`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepoFilter {
    /// `ConTest` 3.1: forks only with more than 20 stars; then a `.java` file that names `org.junit`.
    Contest,
    /// MERA's `UnitTests`: a licence that permits it, no forks, more than 10 stars.
    Mera,
}

/// MERA takes only repositories with more stars than this.
const STARS_MAX: u32 = 10;

/// The answer of a step about a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepAnswer {
    Yes,
    No,
    /// The list does not say: the repository passes, and is counted.
    Unknown,
}

impl StepAnswer {
    /// Interprets an answer that may be unknown.
    #[must_use]
    pub fn of(answer: Option<bool>) -> Self {
        match answer {
            Some(true) => Self::Yes,
            Some(false) => Self::No,
            None => Self::Unknown,
        }
    }
}

/// A step by its name.
type RepoFilterStep = (&'static str, fn(&RepoLine) -> StepAnswer);

impl RepoFilter {
    pub const ALL: &[Self] = &[Self::Contest, Self::Mera];

    /// Returns the name used on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Contest => "contest",
            Self::Mera => "mera",
        }
    }

    const fn steps(self) -> &'static [RepoFilterStep] {
        match self {
            Self::Contest => &[("fork", is_starred_fork)],
            Self::Mera => &[
                ("license", is_licensed),
                ("fork", is_no_fork),
                ("stars", has_stars),
            ],
        }
    }

    /// Tells whether repositories under this licence are taken.
    #[must_use]
    pub fn takes_license(self, license: Option<&str>) -> StepAnswer {
        match self {
            Self::Contest => StepAnswer::Yes,
            Self::Mera => StepAnswer::of(license.map(|license| LICENSES.contains(&license))),
        }
    }
}

fn is_starred_fork(line: &RepoLine) -> StepAnswer {
    match (line.is_fork, line.stars) {
        (Some(false), _) => StepAnswer::Yes,
        (Some(true), stars) => StepAnswer::of(stars.map(|star| star > FORK_STARS_MAX)),
        // With more stars than the limit for forks it passes, fork or not.
        (None, Some(stars)) if stars > FORK_STARS_MAX => StepAnswer::Yes,
        (None, _) => StepAnswer::Unknown,
    }
}

fn is_licensed(line: &RepoLine) -> StepAnswer {
    RepoFilter::Mera.takes_license(line.license.as_deref())
}

fn is_no_fork(line: &RepoLine) -> StepAnswer {
    StepAnswer::of(line.is_fork.map(|is_fork| !is_fork))
}

fn has_stars(line: &RepoLine) -> StepAnswer {
    StepAnswer::of(line.stars.map(|star| star > STARS_MAX))
}

/// Counts what each step lets through.
#[derive(Clone, Debug)]
pub struct StepCounter {
    filter: Option<RepoFilter>,
    counts: Vec<WireFilterStep>,
}

impl StepCounter {
    /// Begins to count; without a filter there is one rule left, the rule of lists: no forks with few stars.
    #[must_use]
    pub fn new(filter: Option<RepoFilter>) -> Self {
        let names = filter.map_or(&[][..], RepoFilter::steps);
        let step = |step: &str| WireFilterStep {
            step: step.to_owned(),
            n_passed: 0,
            n_unknown: 0,
        };
        let names = std::iter::once("listed").chain(names.iter().map(|name| name.0));
        Self {
            filter,
            counts: names.map(step).collect(),
        }
    }

    /// Finds the step that a repository does not pass.
    pub fn left_out_by(&mut self, line: &RepoLine) -> Option<&'static str> {
        let Some(filter) = self.filter else {
            return line.is_poor_fork().then_some("fork");
        };
        self.counts[0].n_passed += 1;
        for ((name, passes), count) in filter.steps().iter().zip(&mut self.counts[1..]) {
            match passes(line) {
                StepAnswer::No => return Some(name),
                StepAnswer::Unknown => count.n_unknown += 1,
                StepAnswer::Yes => {}
            }
            count.n_passed += 1;
        }
        None
    }

    /// Returns the counts; none without a filter.
    #[must_use]
    pub fn funnel(self) -> Vec<WireFilterStep> {
        if self.filter.is_some() {
            self.counts
        } else {
            Vec::new()
        }
    }
}
