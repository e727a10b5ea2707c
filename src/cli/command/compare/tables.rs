//! The tables of `compare`. Every format has the same numbers: percent for people, shares in full for machines.

use crate::eval::compare::{BaselineComparison, PairedComparison, Slice};
use crate::eval::pairing::{ComparedNumber, ComparedOutcomes, ComparedTag, RunPairing};
use crate::metric::Metric;
use crate::model::{FocalShares, RunRow, WithoutOutcome, counted};
use crate::table::{Align, NumberStyle, TextTable};

use super::RunComparison;

/// The samples that are asked for: values and difference in the metric that decides.
pub fn of_samples(
    run_comparison: &RunComparison,
    pairing: &RunPairing,
    lead: Option<&'static Metric>,
    numbers: NumberStyle,
) -> TextTable {
    let look = lead.and_then(|metric| pairing.look(metric.id, run_comparison.other));
    let names = [
        &run_comparison.comparison.first,
        &run_comparison.comparison.second,
    ];
    let [first, second] = names.map(|name| numbers.head(&name.setting.name));
    let mut table = TextTable::new(&[
        ("sample".to_owned(), Align::Left),
        ("repository".to_owned(), Align::Left),
        ("test".to_owned(), Align::Left),
        (first, Align::Right),
        (second, Align::Right),
        (numbers.head("difference"), Align::Right),
    ]);
    for row in &run_comparison.rows {
        let sample = row.sample.as_ref();
        let values = look.map(|look| pairing.values(look, row.place));
        let delta = look.map(|look| numbers.signed(pairing.delta(look, row.place)));
        let none = || numbers.none().to_owned();
        table.row([
            row.key.to_string(),
            sample.map_or_else(none, |sample_row| sample_row.repo.clone()),
            row.test().unwrap_or_else(none),
            numbers.share(values.map(|value| value.0)),
            numbers.share(values.map(|value| value.1)),
            delta.unwrap_or_default(),
        ]);
    }
    table
}

/// A row for each metric of each slice.
pub fn of_comparison(run_comparison: &RunComparison, numbers: NumberStyle) -> TextTable {
    let comparison = &run_comparison.comparison;
    let is_ranked = !run_comparison.evidence.is_empty();
    let is_sliced = comparison.slices.len() > 1;
    let was_executed = was_executed(comparison);
    let mut names = vec!["samples".to_owned()];
    if was_executed {
        names.extend(heads_without_outcome(numbers));
    }
    names.extend([
        numbers.head(&comparison.first.setting.name),
        numbers.head(&comparison.second.setting.name),
    ]);
    names.extend(heads_of_difference(numbers, is_ranked));
    names.extend(["better", "same", "worse"].map(str::to_owned));
    let texts = ["slice", "metric"];
    let mut table = TextTable::of(&texts[usize::from(!is_sliced)..], &names);
    for (place, slice) in comparison.slices.iter().enumerate() {
        for (idx, paired_comparison) in slice.metrics.iter().enumerate() {
            let mut cells = Vec::new();
            if is_sliced {
                cells.push(if slice.name.is_empty() {
                    "all".to_owned()
                } else {
                    slice.name.clone()
                });
            }
            cells.push(match numbers {
                NumberStyle::People => paired_comparison.of.corpus_title(),
                NumberStyle::Machine => paired_comparison.of.id.to_owned(),
            });
            cells.push(slice.n_samples.to_string());
            if was_executed {
                cells.extend(without_outcome(slice, numbers));
            }
            cells.extend(
                [paired_comparison.first, paired_comparison.second]
                    .map(|value| numbers.share(Some(value))),
            );
            cells.extend(difference(paired_comparison, numbers));
            if is_ranked {
                let evidence = run_comparison.evidence(place, idx);
                let none = || numbers.none().to_owned();
                cells.push(evidence.map_or_else(none, |evidence| numbers.p(evidence.p_adjusted)));
            }
            cells.extend(
                [
                    paired_comparison.tally.n_better,
                    paired_comparison.tally.n_same,
                    paired_comparison.tally.n_worse,
                ]
                .map(|n| n.to_string()),
            );
            table.row(cells);
        }
    }
    table
}

fn was_executed(comparison: &BaselineComparison) -> bool {
    let mut slices = comparison.slices.iter();
    slices.any(|slice| slice.without_outcome.iter().any(Option::is_some))
}

/// Reads one of the counts of answers without an outcome.
type MissingOutcomeColumn = fn(&WithoutOutcome) -> u64;
const WITHOUT_OUTCOME: [(&str, MissingOutcomeColumn); 2] = [
    ("blocked", |without_outcome| without_outcome.n_blocked),
    ("not run", |without_outcome| without_outcome.n_not_run),
];

fn heads_without_outcome(numbers: NumberStyle) -> Vec<String> {
    let heads = WITHOUT_OUTCOME.iter().flat_map(|(name, _)| match numbers {
        NumberStyle::People => vec![format!("{name} (A, B)")],
        NumberStyle::Machine => ["a", "b"]
            .map(|side| format!("{}_{side}", name.replace(' ', "_")))
            .into(),
    });
    heads.collect()
}

/// Counts the answers of either run that are blocked, and those that were not run: people read the two as one thing,
/// programs want a cell for each.
fn without_outcome(slice: &Slice, numbers: NumberStyle) -> Vec<String> {
    let cells = WITHOUT_OUTCOME.iter().flat_map(|(_, count)| {
        let sides = slice
            .without_outcome
            .map(|without_outcome| count_of(without_outcome, *count, numbers));
        match numbers {
            NumberStyle::People => vec![sides.join(", ")],
            NumberStyle::Machine => sides.into(),
        }
    });
    cells.collect()
}

fn count_of(
    counts: Option<WithoutOutcome>,
    count: fn(&WithoutOutcome) -> u64,
    numbers: NumberStyle,
) -> String {
    counts.map_or_else(
        || numbers.none().to_owned(),
        |without_outcome| count(&without_outcome).to_string(),
    )
}

/// A row for each tag: samples with it in either run's answers, and the difference of their shares.
pub fn of_tags(
    comparison: &BaselineComparison,
    tags: &[ComparedTag],
    numbers: NumberStyle,
) -> TextTable {
    let names = [&comparison.first, &comparison.second].map(|run_row| run_row.setting.name.clone());
    let names = names.into_iter().chain(heads_of_difference(numbers, true));
    let mut table = TextTable::of(&["tag"], &names.collect::<Vec<_>>());
    for tag in tags {
        let mut cells = vec![
            tag.tag.as_str().to_owned(),
            tag.n_first.to_string(),
            tag.n_second.to_string(),
        ];
        cells.extend(difference(&tag.compared, numbers));
        cells.push(numbers.p(tag.p_adjusted));
        table.row(cells);
    }
    table
}

/// Reads one of the shares.
type CoverageColumn = fn(&FocalShares) -> Option<f64>;

/// A row for each ratio of tests on mutants, with how many samples have it on both sides.
pub fn of_faults(run_comparison: &RunComparison, numbers: NumberStyle) -> TextTable {
    let mut table = TextTable::of(&["faults"], &heads_of_samples(run_comparison, numbers));
    for fault in &run_comparison.faults {
        table.row(known(fault.compared.of.as_str(), fault, numbers));
    }
    table
}

/// A row for each step that executed answers reach, for the lines that each covers, and for the coverage by all answers
/// of a run of the focal methods that both runs were asked for: the last are sums over whole runs, which have no
/// interval.
pub fn of_outcomes(
    run_comparison: &RunComparison,
    outcomes: &ComparedOutcomes,
    numbers: NumberStyle,
) -> TextTable {
    let heads = heads_of_samples(run_comparison, numbers);
    let n_cells = heads.len() - 3;
    let mut table = TextTable::of(&["outcome"], &heads);
    for step in &outcomes.steps {
        let mut cells = vec![step.of.as_str().to_owned(), outcomes.n_samples.to_string()];
        cells.extend([step.first, step.second].map(|value| numbers.share(Some(value))));
        cells.extend(difference(step, numbers));
        table.row(cells);
    }
    if let Some(compared_number) = &outcomes.lines {
        table.row(known("lines covered", compared_number, numbers));
    }
    if let Some(compared_number) = &outcomes.unstable {
        table.row(known("unstable", compared_number, numbers));
    }
    for (kind, compared_number) in &outcomes.brittle {
        let of = kind.map_or_else(String::new, |kind| format!(": {}", kind.as_str()));
        table.row(known(&format!("brittle{of}"), compared_number, numbers));
    }
    let Some([first, second]) = run_comparison.coverage else {
        return table;
    };
    let shares: [(&str, CoverageColumn); 4] = [
        ("MiLC", |focal_shares| focal_shares.micro_lines),
        ("MaLC", |focal_shares| focal_shares.macro_lines),
        ("MiBC", |focal_shares| focal_shares.micro_branches),
        ("MaBC", |focal_shares| focal_shares.macro_branches),
    ];
    for (name, share) in shares {
        let n_methods = match numbers {
            NumberStyle::People => counted(first.n_methods, "method"),
            NumberStyle::Machine => first.n_methods.to_string(),
        };
        let (first, second) = (share(&first), share(&second));
        let mut cells = vec![name.to_owned(), n_methods];
        cells.extend([first, second].map(|value| numbers.share(value)));
        let delta = first.zip(second).map(|(a, b)| numbers.signed(b - a));
        cells.push(delta.unwrap_or_else(|| numbers.none().to_owned()));
        cells.extend((1..n_cells).map(|_| numbers.none().to_owned()));
        table.row(cells);
    }
    if let Some([first, second]) = run_comparison.confirmed
        && first.drawn + second.drawn > 0
    {
        let both = [first, second];
        let [a, b] = both.map(|wire_confirmed| {
            format!("{} of {}", wire_confirmed.confirmed, wire_confirmed.drawn)
        });
        let mut cells = vec![format!("confirmed: {a}, {b}"), numbers.none().to_owned()];
        cells.extend(both.map(|wire_confirmed| {
            let share = (wire_confirmed.drawn > 0)
                .then(|| wire_confirmed.confirmed as f64 / wire_confirmed.drawn as f64);
            numbers.share(share)
        }));
        cells.extend((0..n_cells).map(|_| numbers.none().to_owned()));
        table.row(cells);
    }
    table
}

/// Writes the cells of a comparison over samples with a value on both sides.
fn known<Of>(
    name: &str,
    compared_number: &ComparedNumber<Of>,
    numbers: NumberStyle,
) -> Vec<String> {
    let compared = &compared_number.compared;
    let mut cells = vec![name.to_owned(), compared_number.n_samples.to_string()];
    cells.extend([compared.first, compared.second].map(|value| numbers.share(Some(value))));
    cells.extend(difference(compared, numbers));
    cells
}

/// Names the columns of [`known`] behind the first one.
fn heads_of_samples(run_comparison: &RunComparison, numbers: NumberStyle) -> Vec<String> {
    let runs = [
        &run_comparison.comparison.first,
        &run_comparison.comparison.second,
    ];
    let mut heads = vec!["samples".to_owned()];
    heads.extend(runs.map(|run| numbers.head(&run.setting.name)));
    heads.extend(heads_of_difference(numbers, false));
    heads
}

/// Names the columns of a difference, its interval and its p: people read an interval as one thing, machines want two.
fn heads_of_difference(numbers: NumberStyle, is_adjusted: bool) -> Vec<String> {
    let mut heads = vec![numbers.head("difference")];
    match numbers {
        NumberStyle::People => heads.push(numbers.head("95 % interval")),
        NumberStyle::Machine => heads.extend(["low".to_owned(), "high".to_owned()]),
    }
    heads.push("p".to_owned());
    if is_adjusted {
        heads.push(match numbers {
            NumberStyle::People => "adjusted p".to_owned(),
            NumberStyle::Machine => "p_adjusted".to_owned(),
        });
    }
    heads
}

/// Writes the cells below [`heads_of_difference`], except the adjusted p.
fn difference<Of>(paired_comparison: &PairedComparison<Of>, numbers: NumberStyle) -> Vec<String> {
    let mut cells = vec![numbers.signed(paired_comparison.difference)];
    let ends = [paired_comparison.interval.0, paired_comparison.interval.1]
        .map(|value| numbers.signed(value));
    match numbers {
        NumberStyle::People => cells.push(ends.join(" to ")),
        NumberStyle::Machine => cells.extend(ends),
    }
    cells.push(numbers.p(paired_comparison.p));
    cells
}

/// Three rows a slice, in the shape of ConTest's Table 3: both runs, and below them the difference with its p-value.
/// The numbers equal those in the other formats; [`super::adjusted`] is the paper's table itself.
pub fn of_paper(comparison: &BaselineComparison) -> TextTable {
    let numbers = NumberStyle::People;
    let metrics = comparison.slices.first().map(|slice| &slice.metrics);
    let was_executed = was_executed(comparison);
    let metrics = metrics.into_iter().flatten();
    let mut heads = vec!["Samples".to_owned()];
    heads.extend(metrics.map(|metric| numbers.head(&metric.of.corpus_title())));
    heads.push(numbers.head("Unparsable"));
    if was_executed {
        heads.extend(["Blocked", "Not run"].map(str::to_owned));
    }
    let mut table = TextTable::of(&["Run"], &heads);
    for slice in &comparison.slices {
        let (first, second) = slice.unparsable_rates;
        let value: [fn(&PairedComparison) -> f64; 2] = [
            |paired_comparison| paired_comparison.first,
            |paired_comparison| paired_comparison.second,
        ];
        let runs = [(&comparison.first, first), (&comparison.second, second)];
        let sides = runs.into_iter().zip(slice.without_outcome);
        for (((run, rate), counts), value) in sides.zip(value) {
            let mut cells = vec![name_in(slice, run), slice.n_samples.to_string()];
            let values = slice.metrics.iter().map(value);
            cells.extend(values.map(|value| numbers.share(Some(value))));
            cells.push(numbers.share(Some(rate)));
            if was_executed {
                let counted = WITHOUT_OUTCOME.iter();
                cells.extend(counted.map(|(_, count)| count_of(counts, *count, numbers)));
            }
            table.row(cells);
        }
        let mut cells = vec!["difference (p)".to_owned(), String::new()];
        let metrics = slice.metrics.iter();
        cells.extend(metrics.map(|metric| {
            let (difference, p) = (numbers.signed(metric.difference), numbers.p(metric.p));
            format!("{difference} ({p})")
        }));
        cells.resize(1 + heads.len(), String::new());
        table.row(cells);
    }
    table
}

pub fn name_in(slice: &Slice, run: &RunRow) -> String {
    // Two runs may be of one model.
    let name = &run.setting.name;
    if slice.name.is_empty() {
        name.clone()
    } else {
        format!("{name}, {}", slice.name)
    }
}
