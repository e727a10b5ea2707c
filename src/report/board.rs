//! A leaderboard: runs by rank, and which of them cannot be told apart; a page, and the same as CSV and JSON.
//!
//! All is on the samples that all runs answered. A run's rank is one more than the number of runs that are better for
//! certain: that score more, with a p-value that is below 0.05 when it is adjusted for all pairs. So ranks are shared,
//! and runs that share a letter cannot be told apart (the letters of Piepho 2004, An Algorithm for a Letter-Based
//! Representation of All-Pairwise Comparisons).

use std::collections::BTreeSet;

use crate::chart::{Axis, Figure, Interval, Series, SeriesShape, csv_cell};
use crate::eval::compare::{PairedComparison, against, lead};
use crate::eval::interval::{Mean, correct, mean_of, parsable};
use crate::eval::pairing::RunPairing;
use crate::eval::pairing::slices::evidence;
use crate::exchange::report::{WireLeaderboard, WirePairOfRuns, WirePlace};
use crate::exchange::write_pretty;
use crate::metric::Metric;
use crate::model::{counted, probability, signed};
use crate::store::{Store, Verdicts};
use crate::task::Monitor;

use super::compared::{ALPHA, options};
use super::html::{HtmlCell, HtmlSection, HtmlTable, paragraph};
use super::{
    CountingSink, HtmlReport, HtmlReportOptions, ReportError, ReportGround, ReportSink, charts,
    chosen, page,
};

/// Two runs in the metric of the board.
struct BoardPair {
    runs: [usize; 2],
    compared: PairedComparison,
    p_adjusted: f64,
}

/// All that a board says.
struct Board {
    metric: &'static Metric,
    n_samples: u64,
    places: Vec<WirePlace>,
    pairs: Vec<BoardPair>,
}

/// Writes a leaderboard: `index.html`, `leaderboard.csv`, `leaderboard.json`.
///
/// # Errors
/// As [`super::report`]; also fewer than two runs, and runs that cannot be compared.
pub fn leaderboard(
    store: &Store,
    verdicts: &Verdicts,
    monitor: &Monitor,
    options: &HtmlReportOptions,
    sink: &mut ReportSink<'_>,
) -> Result<HtmlReport, ReportError> {
    let runs = chosen(store, options)?;
    let ground = ReportGround {
        store,
        verdicts,
        monitor,
        options,
        runs: &runs,
    };
    let board = read(ground)?;
    let mut files = CountingSink {
        sink,
        n_files: 0,
        n_bytes: 0,
    };
    let sections = [section(&board), pairs_section(ground, &board)];
    files.write("index.html", &page::board(ground, &sections))?;
    files.write("leaderboard.csv", &csv(&board))?;
    let mut json = Vec::new();
    write_pretty(&mut json, &wire(ground, &board))?;
    files.write("leaderboard.json", &String::from_utf8_lossy(&json))?;
    files.finish(ground)?;
    Ok(HtmlReport {
        n_runs: runs.len(),
        n_files: files.n_files,
        n_bytes: files.n_bytes,
        ..HtmlReport::default()
    })
}

/// Compares each run with all that come after it; the samples are always those that all of them answered.
fn read(ground: ReportGround<'_>) -> Result<Board, ReportError> {
    let (store, monitor, runs) = (ground.store, ground.monitor, ground.runs);
    let asked: Vec<&'static Metric> = ground.options.metric.into_iter().collect();
    let mut pairs = Vec::new();
    let mut values = vec![0.0; runs.len()];
    let mut means: Vec<Option<Mean>> = vec![None; runs.len()];
    let mut of: Option<(&'static Metric, u64)> = None;
    for first in 0..runs.len().max(2) - 1 {
        let rest = runs.iter().enumerate().filter(|pair| pair.0 != first);
        let order: Vec<usize> = std::iter::once(first)
            .chain(rest.map(|rest| rest.0))
            .collect();
        let names: Vec<String> = (order.iter())
            .filter_map(|idx| Some(runs.get(*idx)?.setting.name.clone()))
            .collect();
        let mut pairing = RunPairing::load(store, monitor, &names, &asked)?;
        let known = of.map(|pair| pair.0).or_else(|| lead(&pairing, &asked));
        let Some(metric) = known else {
            let run = runs[first].setting.name.clone();
            let metric = "bleu".to_owned();
            return Err(crate::eval::EvalError::NotEvaluated { run, metric }.into());
        };
        for (other, second) in order.iter().enumerate().skip(1) {
            if *second < first {
                continue;
            }
            let options = options(ground, vec![metric]);
            let (comparison, selection) = against(store, monitor, &mut pairing, &options, other)?;
            let found = comparison
                .slices
                .into_iter()
                .next()
                .and_then(|mut slice| slice.metrics.pop());
            let (Some(compared), Some(look)) = (found, pairing.look(metric.id, other)) else {
                continue;
            };
            let both = selection
                .places()
                .iter()
                .map(|place| pairing.values(look, *place));
            let (ones, others): (Vec<f64>, Vec<f64>) = both.unzip();
            (values[first], values[*second]) = (compared.first, compared.second);
            (means[first], means[*second]) = (mean_of(&ones), mean_of(&others));
            of = Some((metric, selection.len() as u64));
            pairs.push(BoardPair {
                runs: [first, *second],
                p_adjusted: compared.p,
                compared,
            });
        }
    }
    let Some((metric, n_samples)) = of else {
        return Err(crate::eval::EvalError::OneRun.into());
    };
    let compared: Vec<&PairedComparison> = pairs.iter().map(|pair| &pair.compared).collect();
    let adjusted: Vec<f64> = evidence(&compared)
        .iter()
        .map(|evidence| evidence.p_adjusted)
        .collect();
    for (pair, p_adjusted) in pairs.iter_mut().zip(adjusted) {
        pair.p_adjusted = p_adjusted;
    }
    let places = places(ground, &pairs, &values, &means)?;
    Ok(Board {
        metric,
        n_samples,
        places,
        pairs,
    })
}

/// Ranks the runs: by value, the greatest first; equal ones by name.
fn places(
    ground: ReportGround<'_>,
    pairs: &[BoardPair],
    values: &[f64],
    means: &[Option<Mean>],
) -> Result<Vec<WirePlace>, ReportError> {
    let runs = ground.runs;
    let name = |idx: usize| runs[idx].setting.name.as_str();
    let mut order: Vec<usize> = (0..runs.len()).collect();
    order.sort_by(|a, b| {
        values[*b]
            .total_cmp(&values[*a])
            .then(name(*a).cmp(name(*b)))
    });
    let different: Vec<[usize; 2]> = (pairs.iter())
        .filter(|pair| pair.p_adjusted < ALPHA)
        .map(|pair| pair.runs)
        .collect();
    let letters = letters(&order, &different);
    let mut places = Vec::new();
    for (idx, groups) in order.iter().copied().zip(letters) {
        let is_better = |pair: &&[usize; 2]| {
            let other = pair.iter().find(|n| **n != idx);
            pair.contains(&idx) && other.is_some_and(|other| values[*other] > values[idx])
        };
        let run = &runs[idx];
        places.push(WirePlace {
            rank: 1 + different.iter().filter(is_better).count(),
            run: run.setting.name.clone(),
            model: run.setting.model.clone(),
            value: values[idx],
            mean: means[idx].map(|mean| mean.value),
            interval: means[idx].and_then(|mean| mean.interval),
            groups,
            parses: parsable(run).map(|mean| mean.value),
            correct: correct(ground.store, ground.monitor, run)?.map(|mean| mean.value),
        });
    }
    Ok(places)
}

/// Assigns letters to each run of `order`: two runs share one exactly if they are not among the different pairs. Starts
/// with one group of all, takes each different pair apart, and drops groups that are within others.
fn letters(order: &[usize], different: &[[usize; 2]]) -> Vec<String> {
    let mut groups: Vec<BTreeSet<usize>> = vec![order.iter().copied().collect()];
    for [one, other] in different {
        let mut apart = Vec::new();
        for group in groups {
            if group.contains(one) && group.contains(other) {
                for gone in [one, other] {
                    let mut part = group.clone();
                    part.remove(gone);
                    apart.push(part);
                }
            } else {
                apart.push(group);
            }
        }
        apart.sort_by_key(|items| std::cmp::Reverse(items.len()));
        groups = Vec::new();
        for group in apart {
            if !groups.iter().any(|items| group.is_subset(items)) {
                groups.push(group);
            }
        }
    }
    let place = |run: &usize| order.iter().position(|n| n == run);
    groups.sort_by_key(|group| {
        let mut places: Vec<Option<usize>> = group.iter().map(place).collect();
        places.sort_unstable();
        places
    });
    let of_run = |run: &usize| {
        let having = groups
            .iter()
            .enumerate()
            .filter(|pair| pair.1.contains(run));
        having.map(|(idx, _)| letter(idx)).collect::<String>()
    };
    order.iter().map(of_run).collect()
}

/// Writes `a` to `z`, then `a1` and so on.
fn letter(idx: usize) -> String {
    let letter = char::from(b'a' + (idx % 26) as u8);
    match idx / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

fn section(board: &Board) -> HtmlSection {
    let metric = board.metric;
    let n = counted(board.n_samples, "sample");
    let has_correct = board.places.iter().any(|place| place.correct.is_some());
    let mut table = HtmlTable::new(format!(
        "{} on {n} that all answered",
        metric.corpus_title()
    ))
    .words(&["run", "model"])
    .numbers(&["rank"])
    .words(&["group"])
    .numbers(&["value"]);
    if !metric.is_mean {
        table = table.numbers(&["mean of samples"]);
    }
    table = table.numbers(&["parses"]);
    if has_correct {
        table = table.numbers(&["correct"]);
    }
    for place in &board.places {
        let mut cells = vec![
            HtmlCell::text(&place.run),
            place
                .model
                .as_deref()
                .map_or_else(HtmlCell::none, HtmlCell::text),
            place.rank.to_string().into(),
            HtmlCell::text(&place.groups),
        ];
        let mean = place.mean.map_or_else(HtmlCell::none, |mean| {
            HtmlCell::bounded(mean, place.interval)
        });
        if metric.is_mean {
            cells.push(mean);
        } else {
            cells.extend([HtmlCell::share(Some(place.value)), mean]);
        }
        cells.push(HtmlCell::share(place.parses));
        cells.extend(has_correct.then(|| HtmlCell::share(place.correct)));
        table.row(cells);
    }
    let about = format!(
        "In percent, with 95 % intervals over samples. A rank is one more than the number of runs that are better with an \
         adjusted p below {ALPHA}; runs that share a letter cannot be told apart on these samples. Parses and correct are \
         over all that a run answered."
    );
    HtmlSection {
        id: "board",
        title: "Ranks",
        body: table.html() + &paragraph(&about) + &charts::drawn(&figure(board)),
    }
}

/// Draws each run's mean with its interval, the best on top.
fn figure(board: &Board) -> Figure {
    let names = board.places.iter().map(|place| place.run.clone()).collect();
    let intervals = board
        .places
        .iter()
        .zip(0_u32..)
        .filter_map(|(wire_place, place)| {
            let (value, (low, high)) = (wire_place.mean?, wire_place.interval?);
            Some(Interval {
                x: f64::from(place),
                y: value,
                low,
                high,
                n: board.n_samples,
            })
        });
    let title = board.metric.sentence_title();
    Figure {
        title: format!("{title} with 95 % intervals"),
        subtitle: counted(board.n_samples, "shared sample"),
        x: Axis::categories("run", names),
        y: Axis::ratio(&title),
        series: vec![Series::new("", SeriesShape::Intervals(intervals.collect()))],
        note: "a single sample has no interval".to_owned(),
        ..Figure::default()
    }
}

fn pairs_section(ground: ReportGround<'_>, board: &Board) -> HtmlSection {
    let caption = format!("Every pair in {}", board.metric.corpus_title());
    let mut table = HtmlTable::new(caption)
        .words(&["second run", "first run"])
        .numbers(&["difference", "p", "adjusted p"]);
    for pair in &board.pairs {
        let [first, second] = pair.runs.map(|idx| ground.runs[idx].setting.name.as_str());
        let points = |value: f64| signed(value * 100.0, 2);
        let (low, high) = pair.compared.interval;
        let difference = format!(
            "{} <span class=ci>[{}, {}]</span>",
            points(pair.compared.difference),
            points(low),
            points(high)
        );
        table.row([
            HtmlCell::text(second),
            HtmlCell::text(first),
            HtmlCell(difference),
            probability(pair.compared.p).into(),
            probability(pair.p_adjusted).into(),
        ]);
    }
    let about = "Second minus first, in points, with the 95 % interval by a paired bootstrap; p by permutation, adjusted as \
                 Benjamini and Hochberg do for all pairs.";
    HtmlSection {
        id: "pairs",
        title: "Pairs",
        body: table.html() + &paragraph(about),
    }
}

fn csv(board: &Board) -> String {
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let mut csv =
        "rank,run,model,groups,metric,value,mean,low,high,samples,parses,correct\n".to_owned();
    for place in &board.places {
        let cells = [
            place.rank.to_string(),
            csv_cell(&place.run).into_owned(),
            csv_cell(place.model.as_deref().unwrap_or_default()).into_owned(),
            place.groups.clone(),
            board.metric.id.to_owned(),
            place.value.to_string(),
            number(place.mean),
            number(place.interval.map(|interval| interval.0)),
            number(place.interval.map(|interval| interval.1)),
            board.n_samples.to_string(),
            number(place.parses),
            number(place.correct),
        ];
        csv.push_str(&cells.join(","));
        csv.push('\n');
    }
    csv
}

fn wire(ground: ReportGround<'_>, board: &Board) -> WireLeaderboard {
    let name = |idx: usize| ground.runs[idx].setting.name.clone();
    let pairs = board.pairs.iter().map(|pair| WirePairOfRuns {
        first: name(pair.runs[0]),
        second: name(pair.runs[1]),
        difference: pair.compared.difference,
        interval: pair.compared.interval,
        p: pair.compared.p,
        p_adjusted: pair.p_adjusted,
    });
    WireLeaderboard {
        metric: board.metric.id,
        metric_version: board.metric.version,
        n_samples: board.n_samples,
        filter: ground.options.filter_text.clone(),
        resamples: ground.options.n_resamples,
        seed: ground.options.seed,
        runs: board.places.clone(),
        pairs: pairs.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(n: usize, different: &[[usize; 2]], expected: &[&str]) {
        let order: Vec<usize> = (0..n).collect();
        assert_eq!(letters(&order, different), expected);
    }

    #[test]
    fn runs_share_a_letter_exactly_if_they_cannot_be_told_apart() {
        check(3, &[], &["a", "a", "a"]);
        check(2, &[[0, 1]], &["a", "b"]);
        check(3, &[[0, 2]], &["a", "ab", "b"]);
        check(4, &[[0, 2], [0, 3], [1, 3]], &["a", "ab", "bc", "c"]);
        check(3, &[[0, 1], [0, 2], [1, 2]], &["a", "b", "c"]);
    }

    #[test]
    fn letters_hold_for_every_set_of_pairs_of_five() {
        let pairs: Vec<[usize; 2]> = (0..5)
            .flat_map(|a| (a + 1..5).map(move |b| [a, b]))
            .collect();
        for mask in 0..1_u32 << pairs.len() {
            let chosen = (0..pairs.len()).filter(|idx| mask >> idx & 1 == 1);
            let different: Vec<[usize; 2]> = chosen.map(|idx| pairs[idx]).collect();
            let found = letters(&[0, 1, 2, 3, 4], &different);
            for pair in &pairs {
                let [one, other] = pair.map(|pair| &found[pair]);
                let is_shared = one.chars().any(|c| other.contains(c));
                assert_eq!(
                    is_shared,
                    !different.contains(pair),
                    "{different:?}: {found:?}"
                );
            }
        }
    }
}
