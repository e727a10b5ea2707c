//! Runs against each other: every pair, with p-values adjusted for the number of pairs, and the slices in which the
//! others differ most from the first run.

use crate::eval::EvalError;
use crate::eval::by::GroupBy;
use crate::eval::compare::{BaselineComparison, CompareOptions, PairedComparison, against, lead};
use crate::eval::pairing::slices::{N_SMALL, evidence};
use crate::eval::pairing::{ComparedOutcomes, ComparedSlice, FunnelLevel, RunPairing};
use crate::eval::results::{ResultsOptions, groups};
use crate::metric::Metric;
use crate::model::{ResultGroup, counted, grouped, probability, signed};

use super::html::{HtmlCell, HtmlSection, HtmlTable, folded, hundred, paragraph, text};
use super::{ReportError, ReportGround};

/// A difference counts where chance alone makes one as large more seldom than this.
pub(super) const ALPHA: f64 = 0.05;

/// The first pairs are open when the page is; further ones are folded up.
const OPEN_MAX: usize = 3;

/// The most slices of a kind that are listed.
const SLICES_MAX: usize = 12;

/// The groupings in which slices are looked for.
const SLICED: [GroupBy; 6] = [
    GroupBy::Repo,
    GroupBy::Language,
    GroupBy::Framework,
    GroupBy::Assertion,
    GroupBy::Length,
    GroupBy::Split,
];

/// Two runs, compared.
#[derive(Debug)]
pub(super) struct ComparedRuns {
    /// Their places among the runs.
    pub runs: [usize; 2],
    pub comparison: BaselineComparison,
    outcomes: Option<ComparedOutcomes>,
    /// By metric, over all pairs.
    pub adjusted: Vec<f64>,
    adjusted_outcomes: Vec<f64>,
}

impl ComparedRuns {
    /// Returns the comparisons over all samples that both answered.
    pub(super) fn compared(&self) -> &[PairedComparison] {
        let all = self.comparison.slices.first();
        all.map_or(&[], |slice| &slice.metrics)
    }

    fn steps(&self) -> &[PairedComparison<FunnelLevel>] {
        self.outcomes.as_ref().map_or(&[], |outcome| &outcome.steps)
    }
}

/// Makes the options of a comparison.
pub(super) fn options(ground: ReportGround<'_>, metrics: Vec<&'static Metric>) -> CompareOptions {
    let options = ground.options;
    CompareOptions {
        first: String::new(),
        second: String::new(),
        metrics,
        filter: (!options.filter.is_everything()).then(|| options.filter.clone()),
        by: None,
        only_parsable: false,
        n_resamples: options.n_resamples,
        seed: options.seed,
    }
}

/// Lists the metrics of a pairing that runs can differ in.
pub(super) fn metrics(pairing: &RunPairing) -> Vec<&'static Metric> {
    // A ceiling is the same for all runs.
    pairing
        .metrics()
        .filter(|metric| metric.ceiling_of.is_none())
        .collect()
}

/// Writes an error that only keeps two runs from being compared as a sentence; any other one stops the report.
pub(super) fn sentence(error: EvalError) -> Result<String, ReportError> {
    match error {
        EvalError::Store(_) | EvalError::Cancelled(_) | EvalError::Io(_) => Err(error.into()),
        other => Ok(other.to_string()),
    }
}

/// Compares every pair of runs on the samples that both answered, and says why some could not be compared.
pub(super) fn all(
    ground: ReportGround<'_>,
) -> Result<(Vec<ComparedRuns>, Vec<String>), ReportError> {
    let mut pairs = Vec::new();
    let mut why = Vec::new();
    for first in 0..ground.runs.len() {
        for second in first + 1..ground.runs.len() {
            let names = [first, second].map(|n| ground.runs[n].setting.name.clone());
            match one(ground, [first, second], &names) {
                Ok(pair) => pairs.push(pair),
                Err(error) => {
                    let said = sentence(error)?;
                    why.push(format!("{} and {}: {said}", names[0], names[1]));
                }
            }
        }
    }
    adjust(&mut pairs);
    Ok((pairs, why))
}

fn one(
    ground: ReportGround<'_>,
    runs: [usize; 2],
    names: &[String],
) -> Result<ComparedRuns, EvalError> {
    let (store, monitor) = (ground.store, ground.monitor);
    let mut pairing = RunPairing::load(store, monitor, names, &[])?;
    let options = options(ground, metrics(&pairing));
    let (comparison, selection) = against(store, monitor, &mut pairing, &options, 1)?;
    let draws = (options.n_resamples, options.seed);
    // Outcomes that were made in another way say nothing of the answers.
    let outcomes = match pairing.check_executed_alike(store, 1) {
        Ok(()) => pairing.outcomes((store, monitor), &selection, 1, draws)?,
        Err(EvalError::ExecutedOtherwise { .. }) => None,
        Err(error) => return Err(error),
    };
    Ok(ComparedRuns {
        runs,
        comparison,
        outcomes,
        adjusted: Vec::new(),
        adjusted_outcomes: Vec::new(),
    })
}

/// Adjusts each metric's p-values for the number of pairs.
fn adjust(pairs: &mut [ComparedRuns]) {
    let mut ids: Vec<&str> = Vec::new();
    for paired_comparison in pairs.iter().flat_map(ComparedRuns::compared) {
        if !ids.contains(&paired_comparison.of.id) {
            ids.push(paired_comparison.of.id);
        }
    }
    let mut by_pair: Vec<Vec<f64>> = pairs
        .iter()
        .map(|pair| vec![1.0; pair.compared().len()])
        .collect();
    for id in ids {
        let places: Vec<(usize, usize)> = (pairs.iter().enumerate())
            .filter_map(|(idx, compared_runs)| {
                Some((
                    idx,
                    compared_runs
                        .compared()
                        .iter()
                        .position(|paired_comparison| paired_comparison.of.id == id)?,
                ))
            })
            .collect();
        let compared: Vec<&PairedComparison> = places
            .iter()
            .map(|(idx, place)| &pairs[*idx].compared()[*place])
            .collect();
        for ((idx, place), pair_evidence) in places.iter().zip(evidence(&compared)) {
            by_pair[*idx][*place] = pair_evidence.p_adjusted;
        }
    }
    let mut by_step: Vec<Vec<f64>> = pairs
        .iter()
        .map(|pair| vec![1.0; pair.steps().len()])
        .collect();
    for (step, _) in FunnelLevel::ALL.iter().enumerate() {
        let having: Vec<usize> = (0..pairs.len())
            .filter(|idx| pairs[*idx].steps().len() > step)
            .collect();
        let compared: Vec<&PairedComparison<FunnelLevel>> = having
            .iter()
            .map(|idx| &pairs[*idx].steps()[step])
            .collect();
        for (idx, step_evidence) in having.iter().zip(evidence(&compared)) {
            by_step[*idx][step] = step_evidence.p_adjusted;
        }
    }
    for ((pair, adjusted), outcomes) in pairs.iter_mut().zip(by_pair).zip(by_step) {
        pair.adjusted = adjusted;
        pair.adjusted_outcomes = outcomes;
    }
}

/// Writes the part with every pair; nothing for a single run.
pub(super) fn section(
    ground: ReportGround<'_>,
    pairs: &[ComparedRuns],
    why: &[String],
) -> Option<HtmlSection> {
    if ground.runs.len() < 2 {
        return None;
    }
    let mut body = String::new();
    for (idx, pair) in pairs.iter().enumerate() {
        let [first, second] = pair.runs.map(|run| ground.runs[run].setting.name.as_str());
        let n = pair
            .comparison
            .slices
            .first()
            .map_or(0, |slice| slice.n_samples);
        let caption = format!("{second} against {first}, {}", counted(n, "shared sample"));
        let table = of_pair(pair, [first, second], &caption).html();
        if idx < OPEN_MAX {
            body.push_str(&table);
        } else {
            body.push_str(&folded(&caption, &table));
        }
    }
    if !pairs.is_empty() {
        body.push_str(&paragraph(&format!(
            "In percent, on the samples that both answered; the difference with its 95 % interval by a paired bootstrap, p by \
             permutation. Adjusted p is Benjamini and Hochberg's, for {} of runs. A bold difference is one with an adjusted p \
             below {ALPHA}.",
            counted(pairs.len() as u64, "pair")
        )));
    }
    for reason in why {
        body.push_str(&format!(
            "<p class=note>Not compared: {}.</p>\n",
            text(reason)
        ));
    }
    Some(HtmlSection {
        id: "compared",
        title: "Comparisons",
        body,
    })
}

/// The columns of a comparison after the runs' columns.
pub(super) const COLUMNS: [&str; 6] = ["difference", "p", "adjusted p", "better", "same", "worse"];

fn of_pair(pair: &ComparedRuns, runs: [&str; 2], caption: &str) -> HtmlTable {
    let mut table = HtmlTable::new(caption)
        .words(&["metric"])
        .numbers(&runs)
        .numbers(&COLUMNS);
    for (paired_comparison, adjusted) in pair.compared().iter().zip(&pair.adjusted) {
        table.row(compared_cells(
            HtmlCell::text(&paired_comparison.of.corpus_title()),
            paired_comparison,
            *adjusted,
        ));
    }
    for (paired_comparison, adjusted) in pair.steps().iter().zip(&pair.adjusted_outcomes) {
        table.row(compared_cells(
            HtmlCell::text(paired_comparison.of.as_str()),
            paired_comparison,
            *adjusted,
        ));
    }
    table
}

/// Writes a row of a comparison.
pub(super) fn compared_cells<Of>(
    name: HtmlCell,
    paired_comparison: &PairedComparison<Of>,
    adjusted: f64,
) -> Vec<HtmlCell> {
    vec![
        name,
        HtmlCell(hundred(paired_comparison.first)),
        HtmlCell(hundred(paired_comparison.second)),
        difference(paired_comparison, adjusted < ALPHA),
        probability(paired_comparison.p).into(),
        probability(adjusted).into(),
        grouped(paired_comparison.tally.n_better).into(),
        grouped(paired_comparison.tally.n_same).into(),
        grouped(paired_comparison.tally.n_worse).into(),
    ]
}

fn difference<Of>(paired_comparison: &PairedComparison<Of>, is_certain: bool) -> HtmlCell {
    let points = |value: f64| signed(value * 100.0, 2);
    let (low, high) = paired_comparison.interval;
    let value = if is_certain {
        format!("<strong>{}</strong>", points(paired_comparison.difference))
    } else {
        points(paired_comparison.difference)
    };
    HtmlCell(format!(
        "{value} <span class=ci>[{}, {}]</span>",
        points(low),
        points(high)
    ))
}

/// Writes the part with slices: of several runs, where the others differ from the first; of one run, its groups.
pub(super) fn slices(ground: ReportGround<'_>) -> Result<Option<HtmlSection>, ReportError> {
    let mut body = String::new();
    if ground.runs.len() == 1 {
        for by in SLICED {
            body.push_str(&grouped_by(ground, by)?);
        }
    }
    for second in 1..ground.runs.len() {
        match sliced(ground, second) {
            Ok(found) => body.push_str(&found),
            // It has been said among the comparisons.
            Err(error) => drop(sentence(error)?),
        }
    }
    Ok((!body.is_empty()).then_some(HtmlSection {
        id: "slices",
        title: "Slices",
        body,
    }))
}

fn sliced(ground: ReportGround<'_>, second: usize) -> Result<String, EvalError> {
    let (store, monitor) = (ground.store, ground.monitor);
    let names = [0, second].map(|n| ground.runs[n].setting.name.clone());
    let mut pairing = RunPairing::load(store, monitor, &names, &[])?;
    let asked: Vec<&'static Metric> = ground.options.metric.into_iter().collect();
    let Some(look) = lead(&pairing, &asked).and_then(|metric| pairing.look(metric.id, 1)) else {
        return Ok(String::new());
    };
    let selection = pairing.select(store, monitor, &ground.options.filter, look)?;
    let (n_resamples, seed) = (ground.options.n_resamples, ground.options.seed);
    let mut body = String::new();
    for by in SLICED {
        let found = pairing.slices(store, monitor, &selection, by, look, n_resamples, seed)?;
        if found.len() < 2 {
            continue;
        }
        let metric = look.metric().corpus_title();
        let caption = format!(
            "{} against {} by {}: {metric}",
            names[1],
            names[0],
            by.as_str()
        );
        let table = of_slices(&found, [&names[0], &names[1]], (by, &caption)).html();
        body.push_str(&folded(&caption, &table));
    }
    if !body.is_empty() && second + 1 == ground.runs.len() {
        body.push_str(&paragraph(&format!(
            "The strongest evidence comes first, slices of fewer than {N_SMALL} samples last. Adjusted p is for all slices of \
             a table, also those that are not listed."
        )));
    }
    Ok(body)
}

fn of_slices(
    found: &[ComparedSlice],
    runs: [&str; 2],
    (by, caption): (GroupBy, &str),
) -> HtmlTable {
    let mut table = HtmlTable::new(caption)
        .words(&[by.as_str()])
        .numbers(&runs)
        .numbers(&COLUMNS);
    for compared_slice in found.iter().take(SLICES_MAX) {
        let name = HtmlCell::text(&compared_slice.name);
        table.row(compared_cells(
            name,
            &compared_slice.compared,
            compared_slice.p_adjusted,
        ));
    }
    table
}

/// Writes the groups of the only run.
fn grouped_by(ground: ReportGround<'_>, by: GroupBy) -> Result<String, ReportError> {
    let options = ResultsOptions {
        run: ground.runs.first().map(|run| run.setting.name.clone()),
        metric: ground.options.metric,
        filter: ground.options.filter.clone(),
        ..ResultsOptions::default()
    };
    let found = groups(ground.store, ground.monitor, &options, by)?;
    if found.len() < 2 {
        return Ok(String::new());
    }
    let caption = format!("By {}", by.as_str());
    Ok(folded(&caption, &of_groups(&found, by, &caption).html()))
}

fn of_groups(found: &[ResultGroup], by: GroupBy, caption: &str) -> HtmlTable {
    let mut table = HtmlTable::new(caption).words(&[by.as_str()]).numbers(&[
        "predictions",
        "share",
        "unparsable",
        "mean",
    ]);
    for result_group in found.iter().take(SLICES_MAX) {
        let n_read = result_group.n_read as f64;
        table.row([
            HtmlCell::text(&result_group.name),
            grouped(result_group.n_predictions).into(),
            HtmlCell::share(Some(result_group.share)),
            HtmlCell::share(
                (result_group.n_read > 0).then(|| result_group.n_unparsable as f64 / n_read),
            ),
            HtmlCell::share(result_group.mean),
        ]);
    }
    table
}
