//! All facts about one run, as lines: its setting and counts, its metrics, and the unusable lines of its file.

use crate::metric;
use crate::model::{LanguageFunnel, Problem, RunKind, RunRow, utc};
use crate::screen::runs::table::{CellNote, is_outdated, metric_title, percent, points, samples};
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::{count, fit};

/// A line in pieces.
pub type RunDetailLine = Vec<(String, Role)>;

const LABEL_WIDTH: usize = 13;

fn fact(label: &str, value: impl Into<String>, role: Role) -> RunDetailLine {
    vec![
        (format!(" {} ", fit(label, LABEL_WIDTH)), Role::Dim),
        (value.into(), role),
    ]
}

fn note(text: impl Into<String>) -> RunDetailLine {
    vec![(format!(" {}", text.into()), Role::Dim)]
}

/// Names the languages of a run's samples; several ones with their counts, the most frequent first.
fn languages_text(run: &RunRow, languages: &[LanguageFunnel]) -> String {
    let mut known: Vec<&LanguageFunnel> = languages
        .iter()
        .filter(|language| language.language.is_some())
        .collect();
    known.sort_by_key(|language_funnel| std::cmp::Reverse(language_funnel.n_samples));
    match known.as_slice() {
        [] => run.setting.language.as_str().to_owned(),
        [one] => one.word().to_owned(),
        several => {
            let told = several.iter().map(|language_funnel| {
                format!(
                    "{} {}",
                    language_funnel.word(),
                    count(language_funnel.n_samples)
                )
            });
            told.collect::<Vec<_>>().join(", ")
        }
    }
}

/// Lists the setting of the run, and its counts.
#[must_use]
pub fn facts(run: &RunRow, languages: &[LanguageFunnel]) -> Vec<RunDetailLine> {
    let setting = &run.setting;
    let mut lines = vec![fact("run", visible(&setting.name), Role::Strong)];
    let mut say = |label: &str, value: String| lines.push(fact(label, value, Role::Text));
    if let Some(model) = &setting.model {
        say("model", visible(model));
    }
    say(
        "target",
        match run.kind {
            // The matcher matters because matchers cut a test at different places.
            RunKind::Samples => format!(
                "{} · matcher {}",
                setting.target.as_str(),
                setting.matcher.as_str()
            ),
            kind => format!("questions of {}", kind.as_str()),
        },
    );
    say("language", languages_text(run, languages));
    // The name comes first, so that the folders are cut off where there is no room.
    say(
        "file",
        match setting.source.rsplit_once('/') {
            Some((folder, name)) => visible(&format!("{name} in {folder}")),
            None => visible(&setting.source),
        },
    );
    say(
        "imported",
        format!("{} UTC", utc(setting.imported_at.saturating_mul(1_000))),
    );
    say("extraction", setting.extraction.as_str().to_owned());
    say("parse", setting.parse_mode.as_str().to_owned());
    if let Some(length_max) = setting.length_max {
        say("max length", format!("{} tokens", count(length_max.into())));
    }
    say("samples", samples_text(run));
    if run.n_unparsable.is_some() {
        say("scored", count(run.n_scored));
    }
    let of_scored = |n: u64, rate: f64| format!("{} · {} %", count(n), percent(rate));
    if let (Some(n), Some(rate)) = (run.n_unparsable, run.unparsable_rate()) {
        say("unparsable", of_scored(n, rate));
    }
    if let Some(rate) = run.over_length_rate() {
        say("cut off", of_scored(run.n_over_length, rate));
    }
    if let Some(n) = run.n_without_reference().filter(|n| *n > 0) {
        let text = format!("{}: they count in no score", count(n));
        lines.push(fact("no reference", text, Role::Warning));
    }
    if run.n_changed > 0 {
        let text = format!("{} have changed since the import", count(run.n_changed));
        lines.push(fact("changed", text, Role::Warning));
    }
    lines
}

fn samples_text(run: &RunRow) -> String {
    if run.n_predictions > run.n_samples {
        format!(
            "{} answered, {} answers",
            count(run.n_samples),
            count(run.n_predictions)
        )
    } else {
        samples(run)
    }
}

/// Lists every metric of the run: its value over all answers, over those that parse, and adjusted, with version and
/// options. With a baseline, the difference follows the first value.
#[must_use]
pub fn metrics(run: &RunRow, baseline: Option<&RunRow>) -> Vec<RunDetailLine> {
    if run.evaluations.is_empty() {
        return vec![note("not evaluated yet · e evaluates")];
    }
    let baseline = baseline.filter(|run_row| run_row.id != run.id);
    let titles = run.evaluations.iter();
    let widest = titles.map(|title| metric_title(&title.metric).chars().count());
    let width = widest.max().unwrap_or(0).max(8);
    let difference = if baseline.is_some() {
        format!("{:>9}", "diff.")
    } else {
        String::new()
    };
    let head = format!(
        " {}{:>9} {difference}{:>9}{:>9}  version",
        fit("metric", width),
        "all",
        "parsable",
        "adjusted"
    );
    let mut lines = vec![vec![(head, Role::Dim)]];
    // In the order of tables; metrics that only a later version knows come last.
    let mut evaluations: Vec<_> = run.evaluations.iter().collect();
    let place = |id: &str| metric::METRICS.iter().position(|metric| metric.id == id);
    evaluations.sort_by_key(|evaluation| place(&evaluation.metric).unwrap_or(usize::MAX));
    let mut has_outdated = false;
    for evaluation in evaluations {
        let number = |value: Option<f64>| format!("{:>9}", value.map_or("–".to_owned(), percent));
        let value = match evaluation.value {
            Some(value) => number(Some(value)),
            None => format!("{:>9}", "…"),
        };
        let is_old = is_outdated(evaluation);
        has_outdated |= is_old;
        let sign = if is_old {
            CellNote::Outdated.sign()
        } else {
            " "
        };
        let mut line = vec![
            (
                format!(" {}", fit(&metric_title(&evaluation.metric), width)),
                Role::Text,
            ),
            (
                format!("{value}{sign}"),
                if is_old { Role::Warning } else { Role::Strong },
            ),
        ];
        if let Some(baseline) = baseline {
            let base = baseline
                .evaluation(&evaluation.metric)
                .and_then(|evaluation| evaluation.value);
            let difference = evaluation.value.zip(base).map(|(value, base)| value - base);
            let text = difference.map_or("–".to_owned(), points);
            line.push((format!("{text:>9}"), Role::Text));
        }
        line.extend([
            (number(evaluation.value_parsable), Role::Text),
            (number(run.adjusted(&evaluation.metric)), Role::Text),
            (
                format!("  {}", version(evaluation.version, &evaluation.metric)),
                Role::Dim,
            ),
        ]);
        if !evaluation.options.is_empty() {
            line.push((format!(" {}", visible(&evaluation.options)), Role::Dim));
        }
        lines.push(line);
    }
    if run
        .evaluations
        .iter()
        .any(|evaluation| evaluation.value.is_none())
    {
        lines.push(note("… not computed to the end · e continues"));
    }
    if has_outdated {
        lines.push(note(
            "† of another version of the metric · e computes it again",
        ));
    }
    lines
}

fn version(stored: u32, id: &str) -> String {
    match metric::metric(id) {
        Some(metric) if metric.version != stored => format!("{stored}, now {}", metric.version),
        Some(_) => stored.to_string(),
        None => format!("{stored}, unknown here"),
    }
}

/// Lists the unusable lines of the run's file; `problems` may still be on their way.
#[must_use]
pub fn problems(run: &RunRow, problems: Option<&[Problem]>) -> Vec<RunDetailLine> {
    match problems {
        _ if run.n_problems == 0 => vec![note("every line of the file was used")],
        None => vec![note("reading …")],
        Some(problems) => problems
            .iter()
            .map(|run_problem| problem(run_problem, run))
            .collect(),
    }
}

fn problem(problem: &Problem, run: &RunRow) -> RunDetailLine {
    let line = problem
        .line
        .map_or(String::new(), |line| format!("line {line}"));
    let place = format!(" {} ", fit(&line, 10));
    let mut line = vec![
        (place, Role::Warning),
        (visible(&problem.detail), Role::Text),
    ];
    // The path is named only where it differs from the run's own file.
    if problem.path != run.setting.source {
        line.push((format!("  {}", visible(&problem.path)), Role::Dim));
    }
    line
}
