//! Filter, runs, repositories, metrics and experiment: the first part of a report; and the funnel from tests to
//! samples.

use std::path::Path;

use crate::eval::TAGS_VERSION;
use crate::metric::metric;
use crate::model::{RunRow, Status, counted, grouped, utc};
use crate::plot::{Plot, PlotKind, figure};
use crate::transfer::manifest;

use super::html::{HtmlCell, HtmlColumnKind, HtmlSection, HtmlTable, folded, paragraph, text};
use super::lists::RunLists;
use super::secrets::Guard;
use super::{ReportError, ReportGround, charts};

/// Writes the part on the request: which runs, over which repositories, by which metrics.
pub(super) fn section(
    ground: ReportGround<'_>,
    lists: &RunLists,
    guard: &mut Guard,
) -> Result<HtmlSection, ReportError> {
    let options = ground.options;
    let mut body = String::new();
    let filter = options.filter_text.trim();
    if !filter.is_empty() {
        let shown = text(filter);
        body.push_str(&format!("<p>Filter: <code>{shown}</code></p>\n"));
    }
    body.push_str(&runs(ground.runs).html());
    body.push_str(&repositories(ground, lists)?);
    body.push_str(&metrics(ground.runs));
    if let Some(experiment) = &options.experiment {
        guard.look(|| "the experiment".to_owned(), experiment);
        let file = format!("<pre class=code>{}</pre>\n", text(experiment));
        body.push_str(&folded("The experiment, as in its file", &file));
    }
    Ok(HtmlSection {
        id: "asked",
        title: "What was asked",
        body,
    })
}

fn runs(runs: &[RunRow]) -> HtmlTable {
    let mut table = HtmlTable::new("Runs")
        .words(&[
            "run",
            "model",
            "asked for",
            "matcher",
            "language",
            "parser",
            "file",
            "imported",
        ])
        .numbers(&["answers", "samples"]);
    for run in runs {
        let setting = &run.setting;
        // Its folder on the user's disk is nobody else's business.
        let file = Path::new(&setting.source).file_name();
        let file = file.map(|file| file.to_string_lossy().into_owned());
        table.row([
            HtmlCell::text(&setting.name),
            setting
                .model
                .as_deref()
                .map_or_else(HtmlCell::none, HtmlCell::text),
            HtmlCell::text(run.answers_to()),
            format!("{} {}", setting.matcher.as_str(), setting.matcher.version()).into(),
            HtmlCell::text(setting.language.as_str()),
            HtmlCell::text(setting.parse_mode.as_str()),
            file.map_or_else(HtmlCell::none, HtmlCell::from),
            utc(setting.imported_at * 1_000).into(),
            grouped(run.n_predictions).into(),
            grouped(run.n_samples).into(),
        ]);
    }
    table
}

/// Lists the metrics, with their versions and options.
fn metrics(runs: &[RunRow]) -> String {
    let mut known: Vec<(&str, u32, &str)> = Vec::new();
    for evaluation in runs.iter().flat_map(|run| &run.evaluations) {
        let way = (
            evaluation.metric.as_str(),
            evaluation.version,
            evaluation.options.as_str(),
        );
        if !known.contains(&way) {
            known.push(way);
        }
    }
    let has_options = known.iter().any(|entry| !entry.2.is_empty());
    let mut table = HtmlTable::new("Metrics")
        .words(&["metric"])
        .numbers(&["version"]);
    if has_options {
        table = table.words(&["options"]);
    }
    table = table.column("definition", HtmlColumnKind::Long);
    let tags = ("tags", TAGS_VERSION, "");
    for (id, version, options) in known.into_iter().chain([tags]) {
        let about = match metric(id) {
            Some(metric) => metric.about,
            None if id == tags.0 => "how a prediction differs from the true text",
            None => "",
        };
        let mut cells = vec![HtmlCell::text(id), version.to_string().into()];
        cells.extend(has_options.then(|| HtmlCell::text(options)));
        cells.push(HtmlCell::text(about));
        table.row(cells);
    }
    folded(
        "Metrics with their versions, and what each computes",
        &table.html(),
    )
}

/// Lists the repositories of the listed predictions with their commits and licences, and counts the others.
fn repositories(ground: ReportGround<'_>, lists: &RunLists) -> Result<String, ReportError> {
    let manifest = manifest(ground.store)?;
    let mut table = HtmlTable::new("Repositories with their licences")
        .words(&["repository", "licence", "commit", "language"])
        .column("files", HtmlColumnKind::Number)
        .column("tests", HtmlColumnKind::Number)
        .words(&["content"]);
    let mut n_others = 0;
    for repo in &manifest.repositories {
        if !lists.has_repo(&repo.name) {
            n_others += 1;
            continue;
        }
        let commit = repo.commit.as_ref().map(|commit| {
            let dirty = match repo.dirty {
                Some(true) => " and changes",
                _ => "",
            };
            format!("{}{dirty}", commit.get(..12).unwrap_or(commit))
        });
        let license = match &repo.license {
            Some(license) => HtmlCell::text(license),
            None => HtmlCell::text("unknown"),
        };
        table.row([
            HtmlCell::text(&repo.name),
            license,
            commit.map_or_else(HtmlCell::none, HtmlCell::from),
            HtmlCell::text(repo.language),
            grouped(repo.n_files).into(),
            grouped(repo.n_tests).into(),
            HtmlCell::text(repo.content.get(..12).unwrap_or(&repo.content)),
        ]);
    }
    let mut body = if table.is_empty() {
        String::new()
    } else {
        table.html()
    };
    if n_others > 0 {
        let them = counted(n_others, "other repository");
        body.push_str(&paragraph(&format!(
            "No prediction is shown of {them} in the index."
        )));
    }
    let seed = manifest.seed.map_or_else(
        || "no splits were drawn".to_owned(),
        |seed| format!("splits by seed {seed}"),
    );
    let draws = counted(u64::from(ground.options.n_resamples), "draw");
    body.push_str(&paragraph(&format!(
        "focalist {}; {seed}; the content of the index is {}; intervals and p-values by {draws} with seed {}.",
        manifest.focalist, manifest.content, ground.options.seed
    )));
    Ok(body)
}

/// Writes the part that counts from repositories to samples.
pub(super) fn funnel(ground: ReportGround<'_>) -> Result<HtmlSection, ReportError> {
    let store = ground.store;
    // What a filter asks of predictions says nothing of tests.
    let filter = crate::eval::results::is_of_samples(&ground.options.filter);
    let what = Plot {
        filter: filter.then(|| ground.options.filter.clone()),
        filter_text: ground.options.filter_text.clone(),
        ..Plot::new(PlotKind::Funnel)
    };
    let drawn = figure(store, ground.verdicts, ground.monitor, &what)?;
    let funnel = store.funnel(&what.filter.unwrap_or_default())?;
    let mut table = HtmlTable::new("Counts").words(&["step"]).numbers(&["n"]);
    for (name, n) in [
        ("repositories", funnel.n_repos),
        ("files", funnel.n_files),
        ("test classes", funnel.n_test_classes),
        ("tests", funnel.n_tests),
        ("with a focal method", funnel.n_mapped),
        ("with an assertion part", funnel.n_split),
        ("unique", funnel.n_unique),
        ("small enough", funnel.n_within_size),
    ] {
        table.row([HtmlCell::text(name), grouped(n).into()]);
    }
    let mut body = format!(
        "<div class=pair>{}{}</div>\n",
        charts::drawn(&drawn),
        table.html()
    );
    let lost: Vec<String> = (funnel.by_status.iter())
        .filter(|(status, n)| *status != Status::Ok && *n > 0)
        .map(|(status, n)| format!("{} {}", grouped(*n), status.as_str()))
        .collect();
    if !lost.is_empty() {
        body.push_str(&paragraph(&format!(
            "Tests that are no samples: {}.",
            lost.join(", ")
        )));
    }
    Ok(HtmlSection {
        id: "funnel",
        title: "Funnel",
        body,
    })
}
