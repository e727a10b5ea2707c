//! The tables of `consistency`: the paper's tables, and the list of functions.

use super::ConsistencyRunReport;
use crate::consistency::figures::CLASS_NAMES;
use crate::consistency::judged::{JudgeOptions, JudgedFunction, METRICS, TITLES};
use crate::consistency::outliers::THRESHOLDS;
use crate::consistency::tables::{
    ALL, CLASSES, CLASSES_OF_PAPER, ConsistencyNumbers, Gain, RunsAtThreshold, TextCounts, together,
};
use crate::exchange::consistency::{
    WireClassShare, WireConsistency, WireConsistencyReport, WireConsistencyRun, WireGain,
    WireOutliers, WirePotency, WireThreshold, WireVariants,
};
use crate::model::{Language, number};
use crate::mutate::Pass;
use crate::print::PrintSection;
use crate::store::ConsistencyRun;
use crate::table::{Align, TextTable, percent};

fn word(pass: Option<Pass>) -> &'static str {
    pass.map_or("seed", Pass::as_str)
}

/// Tabulates the runs of the index with their sizes.
pub fn runs(runs: &[ConsistencyRun]) -> TextTable {
    let mut table = TextTable::of(&["run"], &["functions", "completions", "judged"]);
    for run in runs {
        table.row([
            run.name.clone(),
            run.n_seeds.to_string(),
            run.n_completions.to_string(),
            run.n_judged.to_string(),
        ]);
    }
    table
}

/// Builds the tables of a report with their titles.
pub fn all(shown: &[ConsistencyRunReport]) -> Vec<PrintSection> {
    let mut all = Vec::new();
    let mut add = |title: String, table| all.push(PrintSection::titled(title, table));
    for run_report in shown {
        if run_report
            .numbers
            .all
            .seeds
            .values()
            .any(|text_counts| text_counts.n_lines > 0)
        {
            let of = |what: &str| format!("{}: {what}", run_report.name);
            add(of("functions and variants (Table II)"), sizes(run_report));
            add(of("functions and variants by pass"), texts(run_report));
            add(
                of("distances of variants (Table IV)"),
                distances(run_report),
            );
        }
    }
    let title = "outliers and enhancement (Table V)";
    add(title.to_owned(), thresholds(shown));
    for run_report in shown {
        for (set, numbers) in run_report.numbers.parts() {
            let of = set.map_or_else(
                || run_report.name.clone(),
                |set| format!("{}, {set}", run_report.name),
            );
            let title = format!("{of}: repaired completions, by pass (Figures 7 to 10)");
            add(title, potency(numbers));
        }
    }
    all
}

/// The count that a row of [`sizes`] shows.
type SizeColumn = fn(&ConsistencyNumbers) -> u64;

/// Functions, variants and their lines, with a column for each data set: the paper's Table II.
fn sizes(of: &ConsistencyRunReport) -> TextTable {
    let parts = of.numbers.parts();
    let mut columns = vec![("", Align::Left)];
    columns.extend(
        parts
            .iter()
            .map(|part| (part.0.unwrap_or(ALL), Align::Right)),
    );
    let mut table = TextTable::new(&columns);
    let rows: [(&str, SizeColumn); 4] = [
        ("seed programs", |consistency_numbers| {
            consistency_numbers
                .seeds
                .values()
                .map(|text_counts| text_counts.n)
                .sum()
        }),
        ("lines in seed programs", |consistency_numbers| {
            consistency_numbers
                .seeds
                .values()
                .map(|text_counts| text_counts.n_lines)
                .sum()
        }),
        ("generated variants", |consistency_numbers| {
            consistency_numbers.all_variants(None).n
        }),
        ("lines in generated variants", |consistency_numbers| {
            consistency_numbers.all_variants(None).n_lines
        }),
    ];
    for (name, size) in rows {
        let cells = parts.iter().map(|part| size(part.1).to_string());
        table.row(std::iter::once(name.to_owned()).chain(cells));
    }
    table
}

fn texts(of: &ConsistencyRunReport) -> TextTable {
    let mut table = TextTable::of(&["language", "pass"], &["texts", "lines", "parse"]);
    let mut row = |language: Language, pass: &str, text_counts: TextCounts| {
        table.row([
            language.as_str().to_owned(),
            pass.to_owned(),
            text_counts.n.to_string(),
            text_counts.n_lines.to_string(),
            percent(text_counts.n_parsing, text_counts.n),
        ]);
    };
    let numbers = &of.numbers.all;
    for (language, seeds) in &numbers.seeds {
        row(*language, "seed", *seeds);
        let own = numbers
            .variants
            .iter()
            .filter(|variant| variant.0.0 == *language);
        for ((_, pass), text_counts) in own {
            row(*language, pass.as_str(), *text_counts);
        }
        row(
            *language,
            "all variants",
            numbers.all_variants(Some(*language)),
        );
    }
    table
}

fn distances(of: &ConsistencyRunReport) -> TextTable {
    let mut table = TextTable::of(
        &["distance (%)"],
        &["variants", "share", "cumulative", "CCTest"],
    );
    let n_all: u64 = of.numbers.all.distances.iter().sum();
    let mut n_sum = 0;
    for (idx, n) in of.numbers.all.distances.iter().enumerate() {
        n_sum += n;
        table.row([
            CLASS_NAMES[idx].to_owned(),
            n.to_string(),
            percent(*n, n_all),
            percent(n_sum, n_all),
            format!("{:.2} %", CLASSES_OF_PAPER[idx]),
        ]);
    }
    table.row([
        "total".to_owned(),
        n_all.to_string(),
        percent(n_all, n_all),
        String::new(),
        format!("{:.2} %", CLASSES_OF_PAPER.iter().sum::<f64>()),
    ]);
    table
}

fn shown_mean(mean: Option<f64>) -> String {
    mean.map_or_else(
        || "–".to_owned(),
        |mean| format!("{} %", number(mean * 100.0, 2)),
    )
}

/// Writes a mean with its interval, and how many functions have no s to speak of.
fn gained(gain: &Gain) -> [String; 3] {
    let shown = |value: f64| number(value * 100.0, 2);
    [
        shown_mean(gain.mean()),
        gain.interval().map_or_else(
            || "–".to_owned(),
            |(low, high)| format!("{} … {}", shown(low), shown(high)),
        ),
        gain.n_zero.to_string(),
    ]
}

/// Outliers and what repairing gains, by threshold, run and data set. Below several runs stand the paper's totals and
/// averages.
fn thresholds(shown: &[ConsistencyRunReport]) -> TextTable {
    let sets = sets_of(shown);
    let has_sets = sets != [None];
    let mut columns = vec![("run", Align::Left)];
    columns.extend(has_sets.then_some(("data set", Align::Left)));
    columns.extend([
        ("prompts", Align::Right),
        ("no result", Align::Right),
        ("T", Align::Right),
        ("eligible", Align::Right),
        ("outliers", Align::Right),
        ("share", Align::Right),
        ("repaired", Align::Right),
        ("BLEU sentence", Align::Right),
        ("95 %", Align::Right),
        ("s < 1 %", Align::Right),
        ("edit sim.", Align::Right),
        ("95 %", Align::Right),
        ("s < 1 %", Align::Right),
    ]);
    let mut table = TextTable::new(&columns);
    let mut row = |run: &str,
                   set: Option<&str>,
                   sums: &RunsAtThreshold,
                   threshold: usize,
                   gains: Vec<String>| {
        let mut row = vec![run.to_owned()];
        row.extend(has_sets.then(|| set.unwrap_or_default().to_owned()));
        row.extend([
            sums.n_prompts.to_string(),
            sums.n_no_result.to_string(),
            threshold.to_string(),
            sums.n_eligible.to_string(),
            sums.n_outliers.to_string(),
            percent(sums.n_outliers, sums.n_prompts),
            sums.n_repaired.to_string(),
        ]);
        row.extend(gains);
        table.row(row);
    };
    for run_report in shown {
        for (set, numbers) in run_report.numbers.parts() {
            for (idx, threshold) in THRESHOLDS.into_iter().enumerate() {
                let gains = numbers.at[idx].gains.iter().flat_map(gained).collect();
                row(
                    &run_report.name,
                    set,
                    &together(&[numbers], idx),
                    threshold,
                    gains,
                );
            }
        }
    }
    if shown.len() < 2 {
        return table;
    }
    for set in sets {
        let of_set: Vec<&ConsistencyNumbers> = shown
            .iter()
            .filter_map(|run_report| part(run_report, set))
            .collect();
        for (idx, threshold) in THRESHOLDS.into_iter().enumerate() {
            let sums = together(&of_set, idx);
            let gains = sums
                .means
                .iter()
                .zip(sums.n_zero)
                .flat_map(|(mean, n_zero)| [shown_mean(*mean), "–".to_owned(), n_zero.to_string()]);
            row("total, average", set, &sums, threshold, gains.collect());
        }
    }
    table
}

/// Lists the data sets of some runs in the order of their tables.
fn sets_of(shown: &[ConsistencyRunReport]) -> Vec<Option<&str>> {
    let mut sets: Vec<Option<&str>> = Vec::new();
    for run_report in shown {
        for (set, _) in run_report.numbers.parts() {
            if !sets.contains(&set) {
                sets.push(set);
            }
        }
    }
    sets
}

/// Looks up the numbers of a run on a data set.
fn part<'s>(of: &'s ConsistencyRunReport, set: Option<&str>) -> Option<&'s ConsistencyNumbers> {
    let parts = of.numbers.parts();
    parts
        .into_iter()
        .find(|part| part.0 == set)
        .map(|part| part.1)
}

fn potency(numbers: &ConsistencyNumbers) -> TextTable {
    let mut table = TextTable::of(
        &["taken from"],
        &[
            "functions",
            "BLEU sentence",
            "95 %",
            "s < 1 %",
            "edit sim.",
            "95 %",
            "s < 1 %",
        ],
    );
    for (pass, potency) in &numbers.potency {
        let mut row = vec![word(*pass).to_owned(), potency.n_taken.to_string()];
        row.extend(potency.gains.iter().flat_map(gained));
        table.row(row);
    }
    table
}

pub fn listed(functions: &[JudgedFunction], options: JudgeOptions) -> TextTable {
    let mut table = TextTable::new(&[
        ("seed", Align::Left),
        ("k", Align::Right),
        ("no result", Align::Right),
        ("outliers", Align::Left),
        ("repaired", Align::Left),
        ("median", Align::Right),
        ("spread", Align::Right),
    ]);
    let none = || "–".to_owned();
    for function in functions {
        let is_outlier = function.outliers_at(options.rule, options.threshold);
        let outliers = function
            .passes
            .iter()
            .zip(&is_outlier)
            .filter(|pair| *pair.1);
        let outliers: Vec<&str> = outliers.map(|outlier| word(*outlier.0)).collect();
        let repaired = function
            .repaired
            .map(|at| word(function.passes[at]).to_owned());
        table.row([
            function.name.clone(),
            function.texts.len().to_string(),
            function.n_empty.to_string(),
            outliers.join(" "),
            repaired.unwrap_or_else(none),
            function
                .matrix
                .median()
                .map_or_else(none, |value| value.to_string()),
            function
                .matrix
                .spread()
                .map_or_else(none, |value| format!("{:.1} %", value * 100.0)),
        ]);
    }
    table
}

pub fn wire_run(run: &ConsistencyRun) -> WireConsistencyRun<'_> {
    WireConsistencyRun {
        run: &run.name,
        functions: run.n_seeds,
        completions: run.n_completions,
        judged: run.n_judged,
    }
}

pub fn wire(judged_function: &JudgedFunction, options: JudgeOptions) -> WireConsistency<'_> {
    let n = judged_function.matrix.len();
    WireConsistency {
        seed: &judged_function.name,
        passes: judged_function
            .passes
            .iter()
            .map(|pass| pass.map(Pass::as_str))
            .collect(),
        no_result: judged_function.n_empty,
        matrix: (0..n)
            .map(|i| (0..n).map(|j| judged_function.matrix.at(i, j)).collect())
            .collect(),
        median: judged_function.matrix.median(),
        spread: judged_function.matrix.spread(),
        rule: options.rule.as_str(),
        outliers: THRESHOLDS
            .iter()
            .zip(&judged_function.outliers)
            .map(|(threshold, outliers)| WireOutliers {
                threshold: *threshold,
                is_eligible: n > *threshold,
                outliers: (0..n).filter(|at| outliers[*at]).collect(),
            })
            .collect(),
        threshold: options.threshold as u32,
        repaired: judged_function.repaired,
        scores: judged_function.scores.as_deref(),
    }
}

fn wire_gains(gains: &[Gain; METRICS.len()]) -> Vec<WireGain> {
    let wire = gains.iter().zip(TITLES).map(|(gain, metric)| {
        let interval = gain.interval();
        WireGain {
            metric,
            mean: gain.mean(),
            low: interval.map(|interval| interval.0),
            high: interval.map(|interval| interval.1),
            functions: gain.ratios.len(),
            zero: gain.n_zero,
        }
    });
    wire.collect()
}

/// Writes the numbers of a run as JSON: of all functions first, then of each data set where they say theirs.
pub fn wire_reports(
    of: &ConsistencyRunReport,
    options: JudgeOptions,
) -> Vec<WireConsistencyReport<'_>> {
    let sets = of.numbers.sets.iter().filter(|set| !set.0.is_empty());
    let sets = sets.map(|(name, consistency_numbers)| {
        wire_report(&of.name, Some(name), consistency_numbers, options)
    });
    let all = wire_report(&of.name, None, &of.numbers.all, options);
    std::iter::once(all).chain(sets).collect()
}

fn wire_report<'a>(
    run: &'a str,
    dataset: Option<&'a str>,
    numbers: &ConsistencyNumbers,
    options: JudgeOptions,
) -> WireConsistencyReport<'a> {
    let wire = |language: Language, pass, text_counts: &TextCounts| WireVariants {
        language: language.as_str(),
        pass,
        texts: text_counts.n,
        lines: text_counts.n_lines,
        parsing: text_counts.n_parsing,
    };
    let seeds = numbers
        .seeds
        .iter()
        .map(|(language, text_counts)| wire(*language, "seed", text_counts));
    let variants = numbers
        .variants
        .iter()
        .map(|((language, pass), text_counts)| wire(*language, pass.as_str(), text_counts));
    let n_all = numbers.distances.iter().sum::<u64>().max(1) as f64;
    let ends: Vec<u32> = CLASSES.into_iter().chain([100]).collect();
    WireConsistencyReport {
        run,
        dataset,
        rule: options.rule.as_str(),
        threshold: options.threshold as u32,
        oracle: options.oracle.as_str(),
        languages: seeds.chain(variants).collect(),
        distances: (0..ends.len())
            .map(|idx| WireClassShare {
                from: if idx == 0 { 0 } else { ends[idx - 1] },
                to: ends[idx],
                variants: numbers.distances[idx],
                share: numbers.distances[idx] as f64 / n_all,
                paper: CLASSES_OF_PAPER[idx] / 100.0,
            })
            .collect(),
        prompts: numbers.n_prompts,
        no_result: numbers.n_no_result,
        thresholds: numbers
            .at
            .iter()
            .zip(THRESHOLDS)
            .map(|(at, threshold)| WireThreshold {
                threshold,
                eligible: at.n_eligible,
                outliers: at.n_outliers,
                repaired: at.n_repaired,
                enhancement: wire_gains(&at.gains),
            })
            .collect(),
        potency: numbers
            .potency
            .iter()
            .map(|(pass, potency)| WirePotency {
                pass: word(*pass),
                taken: potency.n_taken,
                enhancement: wire_gains(&potency.gains),
            })
            .collect(),
    }
}
