//! The command `leakage`: near duplicates across splits, and the training samples that are nearest to one.

use crate::args::{self, TableName};
use crate::command::{hint, inspect, workspace};
use crate::exchange::{
    self, WireLeakage, WireLeaked, WireNearPair, WireNearSample, WireNeighbour, WirePairCount,
    write_line, write_lines,
};
use crate::failure::{ExitCode, Failure, Stop};
use crate::leakage::{
    self, LeakageError, LeakageIndex, LeakageOptions, LeakageReport, NearestOptions, Neighbour,
    PairCount, PairSide, ReportOptions, SHINGLE_TOKENS, Similarity,
};
use crate::model::{JobKind, Split, agreeing, counted};
use crate::store::StoreAccess;
use crate::table::{Align, TextTable, percent};
use crate::task::Monitor;
use crate::{Context, progress};

pub fn run(context: &mut Context<'_, '_>, arguments: &args::Leakage) -> Result<(), Stop> {
    let options = LeakageOptions {
        filter: inspect::filter(context, &arguments.filter)?,
        scope: inspect::scope(arguments.all),
        splits: arguments.split,
    };
    let store = workspace::open(context)?;
    if let Some(digits) = &arguments.nearest {
        let key = inspect::key(&store, digits)?;
        let look = |monitor: &Monitor| {
            let nearest_options = NearestOptions {
                key,
                split: Split::Train,
                n: arguments.n as usize,
            };
            Ok(leakage::nearest(
                &store,
                monitor,
                &options,
                nearest_options,
            )?)
        };
        // A look at one sample is no job to be listed, unless it is to outlive the terminal.
        let nearest = if context.job.is_some() {
            progress::run_job(
                context,
                JobKind::Leakage,
                StoreAccess::Read,
                |_, monitor| look(monitor),
            )?
        } else {
            progress::run(context, |_, monitor| look(monitor))?
        };
        context.print(
            TableName::of(arguments.json),
            |out| write_lines(out, nearest.neighbours.iter().map(wire_neighbour)),
            |_| [neighbours_table(&nearest.neighbours)],
        )?;
        if !arguments.json && nearest.neighbours.is_empty() {
            context.say("no other sample is in the training split");
        }
        return Ok(());
    }
    let report = progress::run_job(
        context,
        JobKind::Leakage,
        StoreAccess::Read,
        |_, monitor| {
            let index = LeakageIndex::build(&store, monitor, &options)?;
            let options = ReportOptions {
                threshold: arguments.threshold,
                limit: arguments.limit,
            };
            Ok(index.report(&store, monitor, options)?)
        },
    )?;
    context.print(
        TableName::of(arguments.json),
        |out| write_line(out, &wire(&report)),
        |_| tables(&report),
    )?;
    if !arguments.json {
        say(context, &report);
    }
    context.say(&print_pairs(&report));
    Ok(())
}

/// Writes the finding in a line: how many pairs there are, and how much of each held-out split they touch.
fn print_pairs(report: &LeakageReport) -> String {
    let n_pairs: u64 = report.counts.iter().map(PairCount::n_pairs).sum();
    let leaked = report.leaked.iter().map(|leaked_count| {
        format!(
            "{} of {} samples of {} ({}) are near a training sample",
            leaked_count.n_by_any,
            leaked_count.n_samples,
            leaked_count.held_out.as_str(),
            percent(leaked_count.n_by_any, leaked_count.n_samples)
        )
    });
    let parts: Vec<String> = [counted(n_pairs, "near pair")]
        .into_iter()
        .chain(leaked)
        .collect();
    parts.join("; ")
}

/// Reports the numbers that are not in the tables.
fn say(context: &mut Context<'_, '_>, report: &LeakageReport) {
    context.say(&format!(
        "{}, {} split; near from {:.2} on; a pair that near is found with a probability of {:.4}",
        counted(report.n_samples, "sample"),
        report.splits.as_str(),
        report.threshold,
        report.found_at_threshold
    ));
    if report.n_without_split > 0 {
        let n_without = report.n_without_split;
        context.say(&format!(
            "{} {} no such split",
            counted(n_without, "sample"),
            agreeing(n_without, "has", "have")
        ));
    }
    if report.n_left_out > 0 {
        context.say(&format!(
            "{} of nearly identical texts {} not compared: counts are lower bounds",
            counted(report.n_left_out, "pair"),
            agreeing(report.n_left_out, "was", "were")
        ));
    }
    let n_pairs: u64 = report.counts.iter().map(PairCount::n_pairs).sum();
    let n_listed = report.pairs.len();
    if n_pairs > n_listed as u64 {
        context.say(&hint::cut_short(n_listed, n_pairs));
    }
}

fn tables(report: &LeakageReport) -> Vec<TextTable> {
    let mut counts = TextTable::of(
        &["pairs seen in", "held out in"],
        &["near test", "near focal method", "both", "any"],
    );
    for count in &report.counts {
        let numbers = [
            count.n_by_test,
            count.n_by_focal,
            count.n_by_both,
            count.n_pairs(),
        ];
        let splits = [count.seen, count.held_out].map(|split| split.as_str().to_owned());
        counts.row(
            splits
                .into_iter()
                .chain(numbers.map(|number| number.to_string())),
        );
    }
    let mut leaked = TextTable::of(
        &["near a training sample"],
        &[
            "samples",
            "by test",
            "by focal method",
            "by both",
            "by any",
            "share",
        ],
    );
    for leaked_count in &report.leaked {
        let numbers = [
            leaked_count.n_samples,
            leaked_count.n_by_test,
            leaked_count.n_by_focal,
            leaked_count.n_by_both,
            leaked_count.n_by_any,
        ];
        let share = percent(leaked_count.n_by_any, leaked_count.n_samples);
        let cells = numbers
            .map(|number| number.to_string())
            .into_iter()
            .chain([share]);
        leaked.row(
            [leaked_count.held_out.as_str().to_owned()]
                .into_iter()
                .chain(cells),
        );
    }
    if report.pairs.is_empty() {
        return vec![counts, leaked];
    }
    let mut pairs = TextTable::new(&[
        ("near", Align::Left),
        ("test", Align::Right),
        ("focal", Align::Right),
        ("split", Align::Left),
        ("held out", Align::Left),
        ("", Align::Left),
        ("split", Align::Left),
        ("seen", Align::Left),
        ("", Align::Left),
    ]);
    for pair in &report.pairs {
        let cells = [pair.near.as_str().to_owned()].into_iter();
        let cells = cells.chain(similarities(pair.similarity));
        pairs.row(
            cells
                .chain(sample(&pair.held_out))
                .chain(sample(&pair.seen)),
        );
    }
    vec![counts, leaked, pairs]
}

fn neighbours_table(neighbours: &[Neighbour]) -> TextTable {
    let mut table = TextTable::new(&[
        ("mean", Align::Right),
        ("test", Align::Right),
        ("focal", Align::Right),
        ("split", Align::Left),
        ("key", Align::Left),
        ("sample", Align::Left),
        ("focal method", Align::Left),
    ]);
    for neighbour in neighbours {
        let cells = [format!("{:.2}", neighbour.mean)].into_iter();
        let cells = cells.chain(similarities(neighbour.similarity));
        let focal = neighbour.side.focal.clone().unwrap_or_default();
        table.row(cells.chain(sample(&neighbour.side)).chain([focal]));
    }
    table
}

fn similarities(similarity: Similarity) -> [String; 2] {
    let focal = similarity
        .focal
        .map_or_else(String::new, |focal| format!("{focal:.2}"));
    [format!("{:.2}", similarity.test), focal]
}

/// Writes split, key and name.
fn sample(side: &PairSide) -> [String; 3] {
    [
        side.split.map_or("", Split::as_str).to_owned(),
        side.key.to_string()[..12].to_owned(),
        format!("{} {}", side.repo, side.test),
    ]
}

fn wire(report: &LeakageReport) -> WireLeakage<'_> {
    let counts = report.counts.iter().map(|count| WirePairCount {
        seen: count.seen.as_str(),
        held_out: count.held_out.as_str(),
        n_by_test: count.n_by_test,
        n_by_focal: count.n_by_focal,
        n_by_both: count.n_by_both,
        n_pairs: count.n_pairs(),
    });
    let leaked = report.leaked.iter().map(|leaked_count| WireLeaked {
        held_out: leaked_count.held_out.as_str(),
        n_samples: leaked_count.n_samples,
        n_by_test: leaked_count.n_by_test,
        n_by_focal: leaked_count.n_by_focal,
        n_by_both: leaked_count.n_by_both,
        n_by_any: leaked_count.n_by_any,
        share: (leaked_count.n_samples > 0)
            .then(|| leaked_count.n_by_any as f64 / leaked_count.n_samples as f64),
    });
    let pairs = report.pairs.iter().map(|pair| WireNearPair {
        near: pair.near.as_str(),
        held_out: wire_sample(&pair.held_out),
        seen: wire_sample(&pair.seen),
        similarity: wire_similarity(pair.similarity),
    });
    WireLeakage {
        splits: report.splits.as_str(),
        threshold: report.threshold,
        shingle_tokens: SHINGLE_TOKENS,
        n_samples: report.n_samples,
        n_without_split: report.n_without_split,
        found_at_threshold: report.found_at_threshold,
        n_left_out: report.n_left_out,
        counts: counts.collect(),
        leaked: leaked.collect(),
        pairs: pairs.collect(),
    }
}

fn wire_neighbour(neighbour: &Neighbour) -> WireNeighbour<'_> {
    WireNeighbour {
        mean: neighbour.mean,
        similarity: wire_similarity(neighbour.similarity),
        sample: wire_sample(&neighbour.side),
    }
}

fn wire_similarity(similarity: Similarity) -> exchange::OrderedFields<Option<f64>> {
    [("test", Some(similarity.test)), ("focal", similarity.focal)]
        .into_iter()
        .collect()
}

fn wire_sample(side: &PairSide) -> WireNearSample<'_> {
    WireNearSample {
        key: side.key.to_string(),
        repo: &side.repo,
        test: &side.test,
        focal: side.focal.as_deref(),
        split: side.split.map(Split::as_str),
    }
}

impl From<LeakageError> for Stop {
    fn from(error: LeakageError) -> Self {
        let message = error.to_string();
        match error {
            LeakageError::Store(error) => error.into(),
            LeakageError::Cancelled(cancelled) => cancelled.into(),
            LeakageError::NoSuchSample { .. } => Failure::new(ExitCode::Input, message)
                .with_hint(hint::LIST_SAMPLES)
                .into(),
        }
    }
}
