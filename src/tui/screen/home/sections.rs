//! What Home lists: its sections, and what each line of them counts and leads to.

use unicode_width::UnicodeWidthStr;

use crate::mine::language_name;
use crate::model::{Funnel, Repo, RepoRow, RunRow};
use crate::screen::home::{
    FUNNEL, LOSSES, MAPPED, NAME_WIDTH_MAX, NEXT, ONLY_IN_SETUP, REPOS_MAX, RUNS_MAX, SPLIT,
    Target, UNIQUE, WELCOME, WITHIN_SIZE,
};
use crate::screen::runs::table::{metric_title, percent};
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::{counted, fit};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) label: String,
    pub(super) count: Option<u64>,
    /// What the whole bar stands for; without it there is none.
    pub(super) of: Option<u64>,
    pub(super) target: Option<Target>,
    pub(super) role: Role,
}

impl Entry {
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

    pub(super) fn opening(self, target: Target) -> Self {
        Self {
            target: Some(target),
            ..self
        }
    }

    pub(super) fn with_filter(self, filter: &str) -> Self {
        self.opening(Target::Samples(filter.to_owned()))
    }

    pub(super) fn in_role(self, role: Role) -> Self {
        Self { role, ..self }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Section {
    pub(super) title: &'static str,
    pub(super) entries: Vec<Entry>,
}

impl Section {
    pub(super) fn n_targets(&self) -> usize {
        let entries = self.entries.iter();
        entries.filter(|entry| entry.target.is_some()).count()
    }
}

/// The steps of ConTest 3.5; the bars count from the tests.
pub(super) fn steps(funnel: &Funnel) -> Section {
    let n_tests = funnel.n_tests;
    let step = |label, n| Entry::counting(label, n, n_tests);
    let plain = |label, n| Entry::counting(label, n, 0);
    Section {
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

pub(super) fn losses(funnel: &Funnel) -> Section {
    let entries = funnel.by_status.iter().filter(|(_, n)| *n > 0);
    let entries = entries.map(|(status, n)| {
        let word = status.as_str();
        Entry::counting(&word.replace('_', " "), *n, funnel.n_tests)
            .with_filter(&format!("status:{word}"))
    });
    Section {
        title: LOSSES,
        entries: entries.collect(),
    }
}

pub(super) fn repositories(repos: &[RepoRow]) -> Section {
    let n_tests = repos.iter().map(|row| row.n_tests).sum();
    let mut entries: Vec<Entry> = repos
        .iter()
        .take(REPOS_MAX)
        .map(|row| {
            let Repo { name, language, .. } = &row.repo;
            let has_twin = repos.iter().filter(|it| it.repo.name == *name).count() > 1;
            let (label, filter) = if has_twin {
                (
                    format!("{name} · {}", language_name(*language)),
                    format!("repo:{name} language:{}", language.as_str()),
                )
            } else {
                (name.clone(), format!("repo:{name}"))
            };
            Entry::counting(&label, row.n_tests, n_tests).with_filter(&filter)
        })
        .collect();
    if repos.len() > REPOS_MAX {
        let rest = format!("{} more", repos.len() - REPOS_MAX);
        entries.push(Entry::new(&rest).opening(Target::Repos).in_role(Role::Dim));
    }
    Section {
        title: "repositories",
        entries,
    }
}

pub(super) fn problems(funnel: &Funnel) -> Section {
    let entries = funnel.problems.iter().filter(|(_, n)| *n > 0);
    let entries = entries.map(|(reason, n)| {
        let label = reason.as_str().replace('_', " ");
        Entry::counting(&label, *n, 0).opening(Target::Repos)
    });
    Section {
        title: "problems",
        entries: entries.collect(),
    }
}

/// The runs imported last, the newest first, with what a table of a paper would say of them.
pub(super) fn last_runs(runs: &[RunRow]) -> Section {
    let shown = runs.iter().rev().take(RUNS_MAX);
    let width = shown.clone().map(|run| visible(&run.setting.name).width());
    let width = width.max().unwrap_or(0).min(NAME_WIDTH_MAX);
    let mut entries: Vec<Entry> = shown
        .map(|run| {
            let name = fit(&visible(&run.setting.name), width);
            let entry = Entry::new(&format!("{name}  {}", scores(run)));
            entry.opening(Target::Run(run.setting.name.clone()))
        })
        .collect();
    if runs.len() > RUNS_MAX {
        let rest = format!("{} more", runs.len() - RUNS_MAX);
        entries.push(Entry::new(&rest).opening(Target::Runs).in_role(Role::Dim));
    }
    Section {
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
    // Where the pane is narrow the last one is cut.
    let codebleu = value("codebleu:k4black").or_else(|| value("codebleu"));
    let parts = [value("bleu"), unparsable, codebleu];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        format!("{}, not evaluated", counted(run.n_samples, "sample"))
    } else {
        parts.join(" · ")
    }
}

/// What one most likely wants to do.
pub(super) fn next(n_conflicts: u64) -> Section {
    let mut entries = vec![Entry::new("continue annotating · ga").opening(Target::Annotate)];
    if n_conflicts > 0 {
        let verb = if n_conflicts == 1 { "waits" } else { "wait" };
        let text = format!("{} {verb} · gd", counted(n_conflicts, "disagreement"));
        entries.push(Entry::new(&text).opening(Target::Disagree));
    }
    entries.extend([
        Entry::new("look through all tests").with_filter(""),
        Entry::new("most confident matches first").with_filter("status:ok sort:-weight"),
        Entry::new("least confident matches first").with_filter("status:ok sort:weight"),
    ]);
    Section {
        title: NEXT,
        entries,
    }
}

/// What there is to do from a shell.
pub(super) fn commands(funnel: &Funnel) -> Section {
    let samples = counted(funnel.n_within_size, "sample");
    let commands = [
        format!("focalist export --format jsonl   {samples}"),
        "focalist mine PATH…              mine more".to_owned(),
        "focalist import --run NAME FILE  models' answers".to_owned(),
        "focalist manifest                to cite this index".to_owned(),
    ];
    let entries = commands.iter();
    Section {
        title: "commands",
        entries: entries
            .map(|command| Entry::new(command).in_role(Role::Dim))
            .collect(),
    }
}

/// What there is to do where there is no index.
pub(super) fn welcome() -> Section {
    let dim = |text: &str| Entry::new(text).in_role(Role::Dim);
    Section {
        title: WELCOME,
        entries: vec![
            Entry::new("try it: build the bundled samples here").opening(Target::Demo),
            dim("  as `focalist demo` does: small repositories, two models' runs"),
            Entry::new("mine your repositories into this workspace").opening(Target::Mine),
            dim("  as `focalist mine PATH…` does"),
            dim(""),
            dim("Enter runs it · ? help · q quits"),
        ],
    }
}
