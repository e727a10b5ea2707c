//! The sections of Home: the count of each line, and its target.

use unicode_width::UnicodeWidthStr;

use crate::mine::language_name;
use crate::model::{Funnel, Repo, RepoRow, RunRow};
use crate::screen::home::{
    FUNNEL, HomeTarget, LOSSES, MAPPED, NAME_WIDTH_MAX, NEXT, ONLY_IN_SETUP, REPOS_MAX, RUNS_MAX,
    SPLIT, UNIQUE, WELCOME, WITHIN_SIZE,
};
use crate::screen::runs::table::{metric_title, percent};
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::{counted, fit};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct HomeEntry {
    pub(super) label: String,
    pub(super) count: Option<u64>,
    /// The count that a full bar stands for; without it there is no bar.
    pub(super) of: Option<u64>,
    pub(super) target: Option<HomeTarget>,
    pub(super) role: Role,
}

impl HomeEntry {
    pub(super) fn new(label: &str) -> Self {
        Self {
            label: visible(label),
            count: None,
            of: None,
            target: None,
            role: Role::Text,
        }
    }

    pub(super) fn counting(label: &str, n: u64, n_all: u64) -> Self {
        Self {
            count: Some(n),
            of: (n_all > 0).then_some(n_all),
            ..Self::new(label)
        }
    }

    pub(super) fn opening(self, target: HomeTarget) -> Self {
        Self {
            target: Some(target),
            ..self
        }
    }

    pub(super) fn with_filter(self, filter: &str) -> Self {
        self.opening(HomeTarget::Samples(filter.to_owned()))
    }

    pub(super) fn in_role(self, role: Role) -> Self {
        Self { role, ..self }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct HomeSection {
    pub(super) title: &'static str,
    pub(super) entries: Vec<HomeEntry>,
}

impl HomeSection {
    pub(super) fn n_targets(&self) -> usize {
        let entries = self.entries.iter();
        entries.filter(|entry| entry.target.is_some()).count()
    }
}

/// Lists the steps of ConTest 3.5; their bars are shares of the tests.
pub(super) fn steps(funnel: &Funnel) -> HomeSection {
    let n_tests = funnel.n_tests;
    let step = |label, n| HomeEntry::counting(label, n, n_tests);
    let plain = |label, n| HomeEntry::counting(label, n, 0);
    HomeSection {
        title: FUNNEL,
        entries: vec![
            plain("files", funnel.n_files),
            plain("test classes", funnel.n_test_classes),
            step("tests", n_tests).with_filter(""),
            step("mapped", funnel.n_mapped).with_filter(MAPPED),
            step("setup and assertion", funnel.n_split).with_filter(SPLIT),
            step("focal only in setup", funnel.n_focal_only_in_setup).with_filter(ONLY_IN_SETUP),
            step("unique", funnel.n_unique).with_filter(UNIQUE),
            step("within size", funnel.n_within_size).with_filter(WITHIN_SIZE),
        ],
    }
}

pub(super) fn losses(funnel: &Funnel) -> HomeSection {
    let entries = funnel.by_status.iter().filter(|(_, n)| *n > 0);
    let entries = entries.map(|(status, n)| {
        let word = status.as_str();
        HomeEntry::counting(&word.replace('_', " "), *n, funnel.n_tests)
            .with_filter(&format!("status:{word}"))
    });
    HomeSection {
        title: LOSSES,
        entries: entries.collect(),
    }
}

pub(super) fn repositories(repos: &[RepoRow]) -> HomeSection {
    let n_tests = repos.iter().map(|row| row.n_tests).sum();
    let mut entries: Vec<HomeEntry> = repos
        .iter()
        .take(REPOS_MAX)
        .map(|row| {
            let Repo { name, language, .. } = &row.repo;
            let has_twin = repos.iter().filter(|repo| repo.repo.name == *name).count() > 1;
            let (label, filter) = if has_twin {
                (
                    format!("{name} · {}", language_name(*language)),
                    format!("repo:{name} language:{}", language.as_str()),
                )
            } else {
                (name.clone(), format!("repo:{name}"))
            };
            HomeEntry::counting(&label, row.n_tests, n_tests).with_filter(&filter)
        })
        .collect();
    if repos.len() > REPOS_MAX {
        let rest = format!("{} more", repos.len() - REPOS_MAX);
        entries.push(
            HomeEntry::new(&rest)
                .opening(HomeTarget::Repos)
                .in_role(Role::Dim),
        );
    }
    HomeSection {
        title: "repositories",
        entries,
    }
}

pub(super) fn problems(funnel: &Funnel) -> HomeSection {
    let entries = funnel.problems.iter().filter(|(_, n)| *n > 0);
    let entries = entries.map(|(reason, n)| {
        let label = reason.as_str().replace('_', " ");
        HomeEntry::counting(&label, *n, 0).opening(HomeTarget::Repos)
    });
    HomeSection {
        title: "problems",
        entries: entries.collect(),
    }
}

/// Lists the last imported runs, the newest first, with the values that a table in a paper would give.
pub(super) fn last_runs(runs: &[RunRow]) -> HomeSection {
    let shown = runs.iter().rev().take(RUNS_MAX);
    let width = shown.clone().map(|run| visible(&run.setting.name).width());
    let width = width.max().unwrap_or(0).min(NAME_WIDTH_MAX);
    let mut entries: Vec<HomeEntry> = shown
        .map(|run| {
            let name = fit(&visible(&run.setting.name), width);
            let entry = HomeEntry::new(&format!("{name}  {}", scores(run)));
            entry.opening(HomeTarget::Run(run.setting.name.clone()))
        })
        .collect();
    if runs.len() > RUNS_MAX {
        let rest = format!("{} more", runs.len() - RUNS_MAX);
        entries.push(
            HomeEntry::new(&rest)
                .opening(HomeTarget::Runs)
                .in_role(Role::Dim),
        );
    }
    HomeSection {
        title: "last runs",
        entries,
    }
}

/// Writes the main values of a run: `BLEU corpus 34.42 · 3.10 % unparsable · CodeBLEU corpus 37.86`.
pub(super) fn scores(run: &RunRow) -> String {
    let value = |id: &str| {
        let value = run.evaluation(id)?.value?;
        Some(format!("{} {}", metric_title(id), percent(value)))
    };
    let unparsable = run
        .unparsable_rate()
        .map(|rate| format!("{} % unparsable", percent(rate)));
    // In a narrow pane the last part is cut off.
    let codebleu = value("codebleu:k4black").or_else(|| value("codebleu"));
    let parts = [value("bleu"), unparsable, codebleu];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        format!("{}, not evaluated", counted(run.n_samples, "sample"))
    } else {
        parts.join(" · ")
    }
}

/// Lists what a user most likely wants to do next.
pub(super) fn next(n_conflicts: u64) -> HomeSection {
    let mut entries =
        vec![HomeEntry::new("continue annotating · ga").opening(HomeTarget::Annotate)];
    if n_conflicts > 0 {
        let verb = if n_conflicts == 1 { "waits" } else { "wait" };
        let text = format!("{} {verb} · gd", counted(n_conflicts, "disagreement"));
        entries.push(HomeEntry::new(&text).opening(HomeTarget::Disagree));
    }
    entries.extend([
        HomeEntry::new("look through all tests").with_filter(""),
        HomeEntry::new("most confident matches first").with_filter("status:ok sort:-weight"),
        HomeEntry::new("least confident matches first").with_filter("status:ok sort:weight"),
    ]);
    HomeSection {
        title: NEXT,
        entries,
    }
}

/// Lists commands for a shell.
pub(super) fn commands(funnel: &Funnel) -> HomeSection {
    let samples = counted(funnel.n_within_size, "sample");
    let commands = [
        format!("focalist export --format jsonl   {samples}"),
        "focalist mine PATH…              mine more".to_owned(),
        "focalist import --run NAME FILE  models' answers".to_owned(),
        "focalist manifest                to cite this index".to_owned(),
    ];
    let entries = commands.iter();
    HomeSection {
        title: "commands",
        entries: entries
            .map(|command| HomeEntry::new(command).in_role(Role::Dim))
            .collect(),
    }
}

/// Lists the first steps in a workspace without an index.
pub(super) fn welcome() -> HomeSection {
    let dim = |text: &str| HomeEntry::new(text).in_role(Role::Dim);
    HomeSection {
        title: WELCOME,
        entries: vec![
            HomeEntry::new("try it: build the bundled samples here").opening(HomeTarget::Demo),
            dim("  as `focalist demo` does: small repositories, two models' runs"),
            HomeEntry::new("mine your repositories into this workspace").opening(HomeTarget::Mine),
            dim("  as `focalist mine PATH…` does"),
            dim(""),
            dim("Enter runs it · ? help · q quits"),
        ],
    }
}
