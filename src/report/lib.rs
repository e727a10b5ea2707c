//! The verb `report`: runs, comparisons and predictions as pages that leave the house.
//!
//! Decides the content and the order of a page, which parts may be shown, and the size of its pieces. Computes no
//! number of its own: all come from `runs`, `compare`, `results` and `plot`. A page sends no requests: styles, script
//! and data are in it, or beside it in its folder, and its policy names what may run.
//!
//! ```text
//! report       what was asked · funnel · runs · comparisons · slices · charts · outcomes · cost · predictions
//! leaderboard  ranks with groups · comparisons
//! ```

use focalist_browse as browse;
use focalist_chart as chart;
use focalist_diff as diff;
use focalist_eval as eval;
use focalist_exchange as exchange;
use focalist_metric as metric;
use focalist_model as model;
use focalist_plot as plot;
use focalist_store as store;
use focalist_task as task;
use focalist_transfer as transfer;

use std::collections::BTreeMap;
use std::io;

use crate::eval::evaluate::runs_named;
use crate::eval::usage::Prices;
use crate::exchange::write_pretty;
use crate::metric::Metric;
use crate::model::{Filter, RunRow, counted};
use crate::store::{Store, StoreError, Verdicts};
use crate::task::{Cancelled, Monitor, Phase};
use crate::transfer::manifest;

mod board;
mod charts;
mod compared;
mod detail;
mod html;
mod lists;
mod outcomes;
mod overview;
mod page;
mod people;
mod scores;
mod secrets;

pub use board::leaderboard;
pub use secrets::Secret;

#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    #[error(transparent)]
    Eval(#[from] eval::EvalError),
    #[error(transparent)]
    Plot(#[from] plot::PlotError),
    #[error("cannot write the report: {0}")]
    Io(#[from] io::Error),
    /// The visible texts hold secrets.
    #[error("{} in the texts of the report", counted(found.len() as u64, "secret"))]
    Secrets { found: Vec<Secret> },
}

/// The way in which a report is cut into files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportForm {
    /// One file that holds everything.
    Page,
    /// `index.html` in a folder, with the predictions in pieces beside it that are read when they are looked at.
    Folder,
}

/// The contents of a report, and what it may show.
#[derive(Clone, Debug)]
pub struct HtmlReportOptions {
    /// In this order, the first is the baseline of slices; where empty, all.
    pub runs: Vec<String>,
    /// Only these samples and predictions.
    pub filter: Filter,
    /// The filter as people wrote it.
    pub filter_text: String,
    /// The metric of slices, charts and ranks; else the usual one.
    pub metric: Option<&'static Metric>,
    pub form: ReportForm,
    /// Whether code is shown: sources, true texts, predictions, and what quotes them.
    pub has_sources: bool,
    /// Annotators have numbers in place of their names.
    pub is_anonymous: bool,
    /// The prices of tokens, by run.
    pub prices: BTreeMap<String, Prices>,
    /// The experiment that the runs are from, as its file has it.
    pub experiment: Option<String>,
    /// Draws behind intervals and p-values, and the seed that they follow from.
    pub n_resamples: u32,
    pub seed: u64,
}

/// The size of a report that was written, and what is missing in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HtmlReport {
    pub n_runs: usize,
    pub n_predictions: usize,
    pub n_files: usize,
    pub n_bytes: u64,
    /// Pairs of runs that could not be compared, and why.
    pub not_compared: Vec<String>,
}

/// Takes a file of the report: its name in the folder, and its text. The page itself is `index.html`.
pub type ReportSink<'s> = dyn FnMut(&str, &str) -> io::Result<()> + 's;

/// The sources of everything in a report.
#[derive(Clone, Copy)]
struct ReportGround<'a> {
    store: &'a Store,
    verdicts: &'a Verdicts,
    monitor: &'a Monitor,
    options: &'a HtmlReportOptions,
    runs: &'a [RunRow],
}

/// Hands files on and counts them.
struct CountingSink<'a, 's> {
    sink: &'a mut ReportSink<'s>,
    n_files: usize,
    n_bytes: u64,
}

impl CountingSink<'_, '_> {
    fn write(&mut self, name: &str, text: &str) -> io::Result<()> {
        self.n_files += 1;
        self.n_bytes += text.len() as u64;
        (self.sink)(name, text)
    }

    /// Adds to a folder the manifest of what it was made from, which also tells it from the user's own folders.
    fn finish(&mut self, ground: ReportGround<'_>) -> Result<(), ReportError> {
        if ground.options.form == ReportForm::Folder {
            let mut json = Vec::new();
            write_pretty(&mut json, &manifest(ground.store)?)?;
            self.write("manifest.json", &String::from_utf8_lossy(&json))?;
        }
        Ok(())
    }
}

/// Writes a report.
///
/// # Errors
/// An unknown run, no run at all, a filter that asks for what a run does not have, secrets in what would be shown; the
/// store's, the sink's, and cancelling. What was handed to the sink before is then half a report.
pub fn report(
    store: &Store,
    verdicts: &Verdicts,
    monitor: &Monitor,
    options: &HtmlReportOptions,
    sink: &mut ReportSink<'_>,
) -> Result<HtmlReport, ReportError> {
    monitor.enter(Phase::Writing);
    let runs = chosen(store, options)?;
    let ground = ReportGround {
        store,
        verdicts,
        monitor,
        options,
        runs: &runs,
    };
    let mut guard = secrets::Guard::default();
    let mut files = CountingSink {
        sink,
        n_files: 0,
        n_bytes: 0,
    };
    let mut lists = lists::RunLists::read(ground)?;
    let embedded = lists.write(ground, &mut guard, &mut files)?;
    let (compared, not_compared) = compared::all(ground)?;
    let mut sections = vec![
        overview::section(ground, &lists, &mut guard)?,
        overview::funnel(ground)?,
        scores::section(ground)?,
    ];
    sections.extend(compared::section(ground, &compared, &not_compared));
    sections.extend(compared::slices(ground)?);
    sections.extend(charts::section(ground)?);
    sections.extend(outcomes::outcomes(ground)?);
    sections.extend(outcomes::cost(ground)?);
    guard.finish()?;
    let page = page::report(ground, &sections, &embedded);
    files.write("index.html", &page)?;
    files.finish(ground)?;
    Ok(HtmlReport {
        n_runs: runs.len(),
        n_predictions: lists.len(),
        n_files: files.n_files,
        n_bytes: files.n_bytes,
        not_compared,
    })
}

/// Finds the requested runs, each once; all runs where none is named.
fn chosen(store: &Store, options: &HtmlReportOptions) -> Result<Vec<RunRow>, ReportError> {
    let mut runs = if options.runs.is_empty() {
        store.runs()?
    } else {
        runs_named(store, &options.runs)?
    };
    if runs.is_empty() {
        return Err(eval::EvalError::NoRuns.into());
    }
    let mut known = Vec::new();
    runs.retain(|run| {
        let is_new = !known.contains(&run.id);
        known.push(run.id);
        is_new
    });
    Ok(runs)
}
