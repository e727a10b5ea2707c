//! The predictions of all runs as one list, and how it is cut into pieces.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use crate::eval::explained::explained_row;
use crate::eval::results::{ResultList, ResultsOptions, list, rows as result_rows};
use crate::exchange::outcomes::to_json;
use crate::exchange::report::{WireReportHead, WireReportMetric, WireReportRow};
use crate::metric::{METRICS, Metric};
use crate::model::{Aim, Filter, Outcome, Parse, ResultRow, Tag, Tags, visible};
use crate::task::Phase;

use super::detail::{Details, SampleListing, rounded};
use super::html::within_script;
use super::secrets::Guard;
use super::{CountingSink, ReportError, ReportForm, ReportGround};

/// The rows of a file, where a report is a folder.
const ROWS_A_PIECE: usize = 2_000;
/// Details hold texts, so that a piece has fewer of them.
const DETAILS_A_PIECE: usize = 100;

/// The predictions of each run that the filter lets through.
#[derive(Debug)]
pub(super) struct RunLists {
    of_runs: Vec<ResultList>,
    /// Those that some run has, in the order of tables.
    metrics: Vec<&'static Metric>,
    /// Names of the repositories with listed predictions.
    repos: BTreeSet<String>,
}

/// The part of the list that the page itself holds.
#[derive(Debug, Default)]
pub(super) struct EmbeddedList {
    pub n: usize,
    /// JSON as it may stand in a script; nothing of rows and details where they are in files of their own.
    pub head: String,
    pub rows: Option<String>,
    pub details: Option<String>,
}

/// Iterates over the rows of a list, in its order; a hundred are read at once.
fn each_row<'l>(
    ground: ReportGround<'l>,
    list: &'l ResultList,
) -> impl Iterator<Item = Result<ResultRow, ReportError>> + 'l {
    let pieces = list.ordinals.chunks(DETAILS_A_PIECE);
    pieces.flat_map(move |ordinals| {
        let found = result_rows(ground.store, &list.view, ordinals);
        let (rows, failure) = match found {
            Ok(rows) => (rows, None),
            Err(error) => (Vec::new(), Some(Err(error.into()))),
        };
        rows.into_iter().map(Ok).chain(failure)
    })
}

impl RunLists {
    /// Reads which predictions are listed, in the filter's order.
    pub(super) fn read(ground: ReportGround<'_>) -> Result<Self, ReportError> {
        let filter = &ground.options.filter;
        let mut of_runs = Vec::new();
        for run in ground.runs {
            let options = ResultsOptions {
                run: Some(run.setting.name.clone()),
                metric: ground.options.metric,
                filter: Filter {
                    aim: Aim {
                        run: None,
                        ..filter.aim.clone()
                    },
                    ..filter.clone()
                },
                ..ResultsOptions::default()
            };
            of_runs.push(list(ground.store, ground.monitor, &options)?);
        }
        let is_known = |metric: &&Metric| {
            let mut views = of_runs.iter().map(|result_list| &result_list.view);
            views.any(|view| view.metrics.contains(&metric.id))
        };
        Ok(Self {
            metrics: METRICS.iter().filter(is_known).collect(),
            of_runs,
            repos: BTreeSet::new(),
        })
    }

    pub(super) fn len(&self) -> usize {
        self.of_runs
            .iter()
            .map(|result_list| result_list.ordinals.len())
            .sum()
    }

    /// Tells whether something of a repository of this name is listed.
    pub(super) fn has_repo(&self, name: &str) -> bool {
        self.repos.contains(name)
    }

    /// Writes the pieces of a folder, and returns what the page holds itself.
    pub(super) fn write(
        &mut self,
        ground: ReportGround<'_>,
        guard: &mut Guard,
        files: &mut CountingSink<'_, '_>,
    ) -> Result<EmbeddedList, ReportError> {
        let is_folder = ground.options.form == ReportForm::Folder;
        let n = self.len();
        let mut embedded = EmbeddedList {
            n,
            head: within_script(&to_json(&self.head(ground, n))),
            ..EmbeddedList::default()
        };
        let monitor = ground.monitor;
        monitor.enter(Phase::Writing);
        monitor
            .n_predictions_total
            .fetch_add(n as u64, Ordering::Relaxed);
        let mut details = Details::new(ground);
        let mut rows = Vec::new();
        let (mut n_rows, mut n_pieces) = (0, 0);
        for (run, list) in self.of_runs.iter().enumerate() {
            for row in each_row(ground, list) {
                monitor.step()?;
                monitor.n_predictions.fetch_add(1, Ordering::Relaxed);
                let Some(found) = explained_row(ground.store, &list.view, row?)? else {
                    continue;
                };
                let facts = details.add(&list.view, &found, guard)?;
                let row = &found.detail.row;
                if !row.repo.is_empty() {
                    self.repos.insert(row.repo.clone());
                }
                let scores = self.scores(list, row);
                rows.push(wire(run, row, facts, scores));
                if is_folder && details.len() == DETAILS_A_PIECE {
                    write(
                        files,
                        ("details", &mut n_pieces),
                        &within_script(&to_json(&details.take())),
                    )?;
                }
                if is_folder && rows.len() == ROWS_A_PIECE {
                    write(
                        files,
                        ("rows", &mut n_rows),
                        &within_script(&to_json(&std::mem::take(&mut rows))),
                    )?;
                }
            }
        }
        if is_folder {
            if details.len() > 0 {
                write(
                    files,
                    ("details", &mut n_pieces),
                    &within_script(&to_json(&details.take())),
                )?;
            }
            if !rows.is_empty() {
                write(
                    files,
                    ("rows", &mut n_rows),
                    &within_script(&to_json(&rows)),
                )?;
            }
        } else {
            embedded.rows = Some(within_script(&to_json(&rows)));
            embedded.details = Some(within_script(&to_json(&details.take())));
        }
        Ok(embedded)
    }

    fn head(&self, ground: ReportGround<'_>, n: usize) -> WireReportHead {
        let is_folder = ground.options.form == ReportForm::Folder;
        let names = ground.runs.iter().map(|run| visible(&run.setting.name));
        let metrics = self.metrics.iter().map(|metric| WireReportMetric {
            id: metric.id,
            title: metric.sentence_title(),
        });
        WireReportHead {
            runs: names.collect(),
            metrics: metrics.collect(),
            n_rows: n,
            rows_a_piece: if is_folder { ROWS_A_PIECE } else { n.max(1) },
            details_a_piece: if is_folder { DETAILS_A_PIECE } else { n.max(1) },
            is_folder,
            has_sources: ground.options.has_sources,
        }
    }

    fn scores(&self, list: &ResultList, row: &ResultRow) -> Vec<Option<f64>> {
        let place = |id: &str| list.view.metrics.iter().position(|metric| *metric == id);
        let values = self
            .metrics
            .iter()
            .map(|metric| row.values[place(metric.id)?]);
        values.map(|value| value.map(rounded)).collect()
    }
}

/// Writes the next file of a kind, a script that calls the page with its data: pages from a disk may read nothing else.
fn write(
    files: &mut CountingSink<'_, '_>,
    (kind, number): (&str, &mut usize),
    json: &str,
) -> Result<(), ReportError> {
    let text = format!("focalist(\"{kind}\",{number},{json});\n");
    files.write(&format!("{kind}-{number}.js"), &text)?;
    *number += 1;
    Ok(())
}

/// Makes the list's row of a prediction.
fn wire(
    run: usize,
    row: &ResultRow,
    facts: SampleListing,
    scores: Vec<Option<f64>>,
) -> WireReportRow {
    let parse = match row.parses() {
        None => Parse::Unread,
        Some(true) => Parse::Ok,
        Some(false) => Parse::Fail,
    };
    let words = |tags: Tags| -> Vec<&'static str> { tags.iter().map(Tag::as_str).collect() };
    let outcome = row.execution.and_then(|execution| {
        let blocked = execution.blocked.map(|_| "blocked");
        execution.outcome.map(Outcome::as_str).or(blocked)
    });
    let reading = row.reading.as_ref();
    let is_gone = row.test.is_empty();
    WireReportRow {
        key: row.key.to_string(),
        run,
        attempt: row.attempt,
        repo: visible(&row.repo),
        license: facts.license.as_deref().map(visible),
        split: facts.split,
        test: if is_gone {
            "(no longer in the index)".to_owned()
        } else {
            visible(&row.test)
        },
        focal: row.focal.as_deref().map(visible),
        parse: parse.as_str(),
        ran: outcome,
        tags: words(row.tags),
        ruling: row.people.map(words),
        verdict: facts.verdict,
        tokens: reading.map(|prediction_reading| prediction_reading.n_tokens),
        reference_tokens: reading.map(|prediction_reading| prediction_reading.n_reference_tokens),
        assertion: reading.map_or_else(String::new, |prediction_reading| {
            visible(&prediction_reading.assertion)
        }),
        scores,
    }
}
