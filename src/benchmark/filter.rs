//! Which repositories make a benchmark: the filters of Tests4J 3.1 (Table 3.2), one after the other.
//!
//! Unknown values are never guessed: such a repository passes the step, and is counted.

use std::collections::BTreeSet;

use crate::model::SampleKey;
use crate::split::draw;
use crate::trial::Trial;

/// One filter; the order is that in which they are applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FilterStep {
    /// The repository is in no list of repositories that a model was trained on.
    Leakage,
    /// It is still there.
    Exists,
    /// It has at most 300 MB.
    Size,
    /// It has a `pom.xml` at its root, where it was mined in Java or not at all.
    RootPom,
    /// Something was committed in the two years before the day.
    Recent,
    /// A case is left whose focal method and test together are within the budget.
    Tokens,
    /// Enough cases are left.
    Cases,
    Compiles,
    /// Its tests pass.
    Passes,
}

impl FilterStep {
    pub const ALL: &[Self] = &[
        Self::Leakage,
        Self::Exists,
        Self::Size,
        Self::RootPom,
        Self::Recent,
        Self::Tokens,
        Self::Cases,
        Self::Compiles,
        Self::Passes,
    ];

    /// Returns the word used in files and tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Leakage => "leakage",
            Self::Exists => "exists",
            Self::Size => "size",
            Self::RootPom => "pom",
            Self::Recent => "recent",
            Self::Tokens => "tokens",
            Self::Cases => "cases",
            Self::Compiles => "compiles",
            Self::Passes => "passes",
        }
    }
}

/// Largest size, in bytes: 300 MB as GitHub's API counts.
pub const SIZE_BYTES_MAX: u64 = 300 * 1024 * 1024;

/// The limits that a repository is measured against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterLimits {
    /// `2024-05-31`: commits are compared with the same day two years before.
    pub as_of: Day,
    /// The most tokens of focal method and test together.
    pub n_tokens_max: u64,
    pub n_cases_min: u64,
    /// This number is drawn where there are more.
    pub n_cases_max: u64,
    pub seed: u64,
}

/// A day of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day {
    pub year: i32,
    pub month: u8,
    pub day: u8,
}

impl Day {
    /// Reads a text that begins like `2024-05-31`; nothing where that is no day.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let date = text.get(..10)?;
        let mut parts = date.split('-');
        let day = Self {
            year: parts.next()?.parse().ok()?,
            month: parts.next()?.parse().ok()?,
            day: parts.next()?.parse().ok()?,
        };
        let is_day =
            parts.next().is_none() && (1..=12).contains(&day.month) && (1..=31).contains(&day.day);
        is_day.then_some(day)
    }
}

/// The facts about a repository.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RepoProfile {
    /// The project's identity, else its name.
    pub name: String,
    pub is_leaked: bool,
    pub exists: Option<bool>,
    pub size_bytes: Option<u64>,
    pub has_root_pom: Option<bool>,
    pub last_commit: Option<Day>,
    /// Samples with a focal method, each with the tokens of both; nothing where it is not mined.
    pub cases: Option<Vec<(SampleKey, u64)>>,
    /// Whether Java is among the languages that it was mined in; nothing where it is not mined.
    pub is_java: Option<bool>,
    pub trial: Option<Trial>,
}

/// The decision on a repository.
#[derive(Clone, Debug, PartialEq)]
pub struct Ruling {
    pub name: String,
    /// The step that it failed, with the finding there; nothing where it is kept.
    pub fell: Option<(FilterStep, String)>,
    /// Steps that nothing was known for.
    pub unknown: Vec<FilterStep>,
    /// How many cases there are within the budget; nothing where that is not known.
    pub n_cases: Option<u64>,
    /// Its cases; empty where it failed a step.
    pub cases: Vec<SampleKey>,
}

/// How many repositories a step removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepCount {
    pub step: FilterStep,
    pub n_before: u64,
    pub n_after: u64,
    /// For how many of those after it nothing was known.
    pub n_unknown: u64,
}

/// Decides on each repository, in the order given.
#[must_use]
pub fn rule(repos: &[RepoProfile], bar: &FilterLimits) -> Vec<Ruling> {
    repos.iter().map(|repo| rule_one(repo, bar)).collect()
}

/// Counts the repositories that each step removed.
#[must_use]
pub fn count(rulings: &[Ruling]) -> Vec<StepCount> {
    let mut n_before = rulings.len() as u64;
    let count = |step: &FilterStep| {
        let fell = |ruling: &&Ruling| ruling.fell.as_ref().is_some_and(|fell| fell.0 == *step);
        let is_after = |ruling: &&Ruling| ruling.fell.as_ref().is_none_or(|fell| fell.0 > *step);
        let unknown = rulings.iter().filter(is_after);
        let n_after = n_before - rulings.iter().filter(fell).count() as u64;
        let row = StepCount {
            step: *step,
            n_before,
            n_after,
            n_unknown: unknown
                .filter(|ruling| ruling.unknown.contains(step))
                .count() as u64,
        };
        n_before = n_after;
        row
    };
    FilterStep::ALL.iter().map(count).collect()
}

/// Decides on a repository: finds the first step that it fails; where there is none, draws its cases within the budget.
fn rule_one(repo: &RepoProfile, bar: &FilterLimits) -> Ruling {
    let mut unknown = Vec::new();
    let within: Option<Vec<SampleKey>> = repo.cases.as_ref().map(|cases| {
        let within = cases.iter().filter(|case| case.1 <= bar.n_tokens_max);
        within.map(|within| within.0).collect()
    });
    let mut fell = None;
    for step in FilterStep::ALL {
        match look(*step, repo, within.as_deref(), bar) {
            StepFinding::Holds => {}
            StepFinding::Unknown => unknown.push(*step),
            StepFinding::Fails(found) => {
                fell = Some((*step, found));
                break;
            }
        }
    }
    let n_cases = within.as_ref().map(|sample_keys| sample_keys.len() as u64);
    let cases = match (&fell, within) {
        (None, Some(within)) => drawn(within, &repo.name, bar),
        _ => Vec::new(),
    };
    Ruling {
        name: repo.name.clone(),
        fell,
        unknown,
        n_cases,
        cases,
    }
}

enum StepFinding {
    Holds,
    Unknown,
    Fails(String),
}

impl StepFinding {
    fn of(holds: Option<bool>, found: impl FnOnce() -> String) -> Self {
        match holds {
            None => Self::Unknown,
            Some(true) => Self::Holds,
            Some(false) => Self::Fails(found()),
        }
    }
}

fn look(
    step: FilterStep,
    repo: &RepoProfile,
    within: Option<&[SampleKey]>,
    bar: &FilterLimits,
) -> StepFinding {
    match step {
        FilterStep::Leakage => StepFinding::of(Some(!repo.is_leaked), || {
            "it is in a `--leak` list".to_owned()
        }),
        FilterStep::Exists => StepFinding::of(repo.exists, || "it no longer exists".to_owned()),
        FilterStep::Size => StepFinding::of(
            repo.size_bytes.map(|size_byte| size_byte <= SIZE_BYTES_MAX),
            || {
                let n_mib = repo.size_bytes.unwrap_or_default() / (1024 * 1024);
                format!("{n_mib} MB")
            },
        ),
        // Maven builds Java alone.
        FilterStep::RootPom if repo.is_java == Some(false) => StepFinding::Holds,
        FilterStep::RootPom => {
            StepFinding::of(repo.has_root_pom, || "no `pom.xml` at its root".to_owned())
        }
        FilterStep::Recent => {
            let since = Day {
                year: bar.as_of.year - 2,
                ..bar.as_of
            };
            StepFinding::of(repo.last_commit.map(|day| day >= since), || {
                let day = repo.last_commit.unwrap_or(since);
                format!(
                    "last commit {:04}-{:02}-{:02}",
                    day.year, day.month, day.day
                )
            })
        }
        // A repository without any case fails the next step, which says so.
        FilterStep::Tokens => StepFinding::of(
            within.map(|sample_keys| {
                !sample_keys.is_empty() || repo.cases.as_ref().is_some_and(Vec::is_empty)
            }),
            || format!("no case of at most {} tokens", bar.n_tokens_max),
        ),
        FilterStep::Cases => StepFinding::of(
            within.map(|sample_keys| sample_keys.len() as u64 >= bar.n_cases_min),
            || format!("{} cases", within.map_or(0, <[SampleKey]>::len)),
        ),
        FilterStep::Compiles => tried(repo.trial, "do not compile", |trial| trial.n_not_compiled),
        // Tests that do not compile have failed the step before.
        FilterStep::Passes => tried(repo.trial, "do not pass", |trial| trial.n_not_passed),
    }
}

/// Finds whether `counted` counts none of a project's tests.
fn tried(trial: Option<Trial>, what: &str, counted: fn(Trial) -> u64) -> StepFinding {
    StepFinding::of(trial.map(|trial| counted(trial) == 0), || {
        let trial = trial.unwrap_or_default();
        format!("{} of {} tests {what}", counted(trial), trial.n_tests)
    })
}

/// Draws at most `n_cases_max` of a repository's cases by the seed.
fn drawn(mut cases: Vec<SampleKey>, name: &str, bar: &FilterLimits) -> Vec<SampleKey> {
    if cases.len() as u64 > bar.n_cases_max {
        cases.sort_by_cached_key(|case| (draw(bar.seed, name, &case.to_string()), *case));
        cases.truncate(bar.n_cases_max as usize);
    }
    cases.sort_unstable();
    cases
}

/// Names of repositories that a model has seen.
#[derive(Clone, Debug, Default)]
pub struct Leaks {
    names: BTreeSet<String>,
}

impl Leaks {
    /// Adds the identity of a project, or a name such as `owner/name`.
    pub fn add(&mut self, name: &str) {
        self.names
            .insert(name.trim().trim_end_matches('/').to_lowercase());
    }

    /// Tells whether a project is among them: by its identity, or by the identity's last two parts.
    #[must_use]
    pub fn has(&self, identity: &str) -> bool {
        let identity = identity.to_lowercase();
        let owned = identity
            .rmatch_indices('/')
            .nth(1)
            .map(|rmatch_index| &identity[rmatch_index.0 + 1..]);
        self.names.contains(&identity) || owned.is_some_and(|owned| self.names.contains(owned))
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar() -> FilterLimits {
        FilterLimits {
            as_of: Day::read("2024-02-29").expect("it is a day"),
            n_tokens_max: 100,
            n_cases_min: 2,
            n_cases_max: 3,
            seed: 0,
        }
    }

    fn tried(n_not_compiled: u64, n_not_passed: u64) -> Trial {
        Trial {
            n_tests: 9,
            n_not_compiled,
            n_not_passed,
        }
    }

    fn key(n: u8) -> SampleKey {
        SampleKey([n; 16])
    }

    fn whole() -> RepoProfile {
        RepoProfile {
            name: "host/a/b".to_owned(),
            exists: Some(true),
            size_bytes: Some(SIZE_BYTES_MAX),
            has_root_pom: Some(true),
            last_commit: Day::read("2022-02-28T23:59:59Z").map(|day| Day { day: 29, ..day }),
            cases: Some(vec![(key(1), 100), (key(2), 7), (key(3), 101)]),
            trial: Some(tried(0, 0)),
            ..RepoProfile::default()
        }
    }

    fn check(change: impl FnOnce(&mut RepoProfile), expected: Option<FilterStep>) {
        let mut repo = whole();
        change(&mut repo);
        let fell = rule(&[repo], &bar()).remove(0).fell.map(|fell| fell.0);
        assert_eq!(fell, expected);
    }

    #[test]
    fn each_step_takes_what_fails_it() {
        check(|_| {}, None);
        check(
            |repo_profile| repo_profile.is_leaked = true,
            Some(FilterStep::Leakage),
        );
        check(
            |repo_profile| repo_profile.exists = Some(false),
            Some(FilterStep::Exists),
        );
        check(
            |repo_profile| repo_profile.size_bytes = Some(SIZE_BYTES_MAX + 1),
            Some(FilterStep::Size),
        );
        check(
            |repo_profile| repo_profile.has_root_pom = Some(false),
            Some(FilterStep::RootPom),
        );
        check(
            |repo_profile| {
                (repo_profile.has_root_pom, repo_profile.is_java) = (Some(false), Some(false));
            },
            None,
        );
        check(
            |repo_profile| repo_profile.last_commit = Day::read("2022-02-28"),
            Some(FilterStep::Recent),
        );
        check(
            |repo_profile| repo_profile.cases = Some(vec![(key(1), 101)]),
            Some(FilterStep::Tokens),
        );
        check(
            |repo_profile| repo_profile.cases = Some(vec![(key(1), 1)]),
            Some(FilterStep::Cases),
        );
        check(
            |repo_profile| repo_profile.cases = Some(Vec::new()),
            Some(FilterStep::Cases),
        );
        check(
            |repo_profile| repo_profile.trial = Some(tried(1, 2)),
            Some(FilterStep::Compiles),
        );
        check(
            |repo_profile| repo_profile.trial = Some(tried(0, 2)),
            Some(FilterStep::Passes),
        );
    }

    #[test]
    fn what_is_not_known_passes_and_is_counted() {
        let nothing = RepoProfile {
            name: "x".to_owned(),
            ..RepoProfile::default()
        };
        let rulings = rule(&[nothing, whole()], &bar());
        assert_eq!(rulings[0].fell, None);
        assert_eq!(rulings[0].unknown, FilterStep::ALL[1..]);
        let counts = count(&rulings);
        assert!(
            counts
                .iter()
                .all(|count| (count.n_before, count.n_after) == (2, 2))
        );
        assert!(counts[1..].iter().all(|count| count.n_unknown == 1));
    }

    #[test]
    fn counts_go_down_step_by_step() {
        let mut leaked = whole();
        leaked.is_leaked = true;
        let mut broken = whole();
        broken.trial = Some(tried(1, 0));
        let counts = count(&rule(&[leaked, broken, whole()], &bar()));
        let pairs: Vec<(u64, u64)> = counts
            .iter()
            .map(|count| (count.n_before, count.n_after))
            .collect();
        assert_eq!(pairs[0], (3, 2));
        assert_eq!(pairs[7..], [(2, 1), (1, 1)]);
    }

    #[test]
    fn too_many_cases_are_drawn_by_the_seed() {
        let mut repo = whole();
        repo.cases = Some((0..9).map(|n| (key(n), 1)).collect());
        let first = rule(&[repo.clone()], &bar()).remove(0);
        assert_eq!((first.n_cases, first.cases.len()), (Some(9), 3));
        assert_eq!(rule(&[repo.clone()], &bar())[0], first);
        let other = FilterLimits { seed: 1, ..bar() };
        assert_ne!(rule(&[repo], &other)[0].cases, first.cases);
    }

    #[test]
    fn a_leak_is_found_by_identity_and_by_owner_and_name() {
        let mut leaks = Leaks::default();
        leaks.add("Google/Gson");
        leaks.add("example.org/x/y");
        assert!(leaks.has("github.com/google/gson"));
        assert!(leaks.has("example.org/x/y"));
        assert!(!leaks.has("github.com/google/guava"));
        assert!(!leaks.has("gson"));
    }

    #[test]
    fn days_are_read_off_times_and_nothing_else() {
        let day = Day {
            year: 2024,
            month: 5,
            day: 31,
        };
        assert_eq!(Day::read("2024-05-31T00:00:00Z"), Some(day));
        for text in ["2024-13-01", "2024-5-31", "yesterday", "2024", "ö234567890"] {
            assert_eq!(Day::read(text), None, "{text}");
        }
    }
}
