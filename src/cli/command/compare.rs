//! The command `compare`: runs against a baseline, as tables, JSON and lines of samples.

mod adjusted;
mod tables;

use std::cmp::Ordering;

use crate::args;
use crate::args::TableName;
use crate::browse::FieldScope;
use crate::command::mining::in_pool;
use crate::command::runs::of_profile;
use crate::command::usage::{self, PricedUsage};
use crate::command::{executed, inspect, metrics, output, python, workspace};
use crate::eval::compare::{
    BaselineComparison, CompareOptions, GroupBy, PairedComparison, Slice, against, lead,
};
use crate::eval::executed::covered_by_both;
use crate::eval::pairing::slices::{Evidence, N_SMALL, evidence};
use crate::eval::pairing::{
    ComparedNumber, ComparedOutcomes, ComparedTag, FaultRatio, Look, PairedRow, RunPairing,
    Selection,
};
use crate::exchange::outcomes::WireConfirmed;
use crate::exchange::{
    WireCompared, WireComparedFaults, WireComparedOutcomes, WireComparedShare, WireComparedStep,
    WireComparedTag, WireComparison, WireDifference, WireSlice, write_pretty,
};
use crate::failure::Stop;
use crate::metric::Metric;
use crate::model::{Direction, FocalShares, RunRow, VariantKind, agreeing, counted};
use crate::print::PrintSection;
use crate::store::Store;
use crate::table::NumberStyle;
use crate::task::Monitor;
use crate::{Context, progress};

/// One run against the baseline, with the numbers to show.
struct RunComparison {
    comparison: BaselineComparison,
    /// Number of the run, from 1.
    other: usize,
    /// The worst or the best samples, where they are asked for.
    rows: Vec<PairedRow>,
    /// For each slice the evidence of each metric, where slices are ranked; nothing for all samples.
    evidence: Vec<Vec<Option<Evidence>>>,
    /// Where they are asked for.
    tags: Option<Vec<ComparedTag>>,
    /// Where both runs were executed.
    outcomes: Option<ComparedOutcomes>,
    /// The ratios of tests on mutants; none where no sample was held against any on both sides.
    faults: Vec<ComparedNumber<FaultRatio>>,
    /// The coverage by both runs of the focal methods that both were asked for, where whole runs are compared.
    coverage: Option<[FocalShares; 2]>,
    /// Likewise, how many answers that pass were looked at a second time.
    confirmed: Option<[WireConfirmed; 2]>,
    /// What the answers of each run took, as a whole.
    spent: Vec<Option<PricedUsage>>,
}

pub fn compare(context: &mut Context<'_, '_>, arguments: &args::Compare) -> Result<(), Stop> {
    if let Some(path) = &arguments.export {
        output::check(path, arguments.force)?;
    }
    let options = CompareOptions {
        first: arguments.first.clone(),
        second: arguments.second.clone(),
        metrics: match arguments.profile {
            None => in_order(&arguments.metrics)?,
            // A ceiling is the same for all runs.
            Some(profile) => of_profile(profile)
                .into_iter()
                .filter(|metric| metric.ceiling_of.is_none())
                .collect(),
        },
        filter: match &arguments.filter {
            Some(text) => Some(inspect::filter_in(
                context,
                std::slice::from_ref(text),
                FieldScope::Run,
            )?),
            None => None,
        },
        by: arguments.by,
        only_parsable: arguments.parsable_by_both || arguments.adjusted,
        n_resamples: arguments.resamples,
        seed: arguments.seed,
    };
    if arguments.apart {
        return adjusted::apart(context, arguments, &options);
    }
    let (pairing, mut run_comparisons) = progress::run(context, |context, monitor| {
        let store = workspace::open(context)?;
        let options = &options;
        in_pool(arguments.jobs, move || {
            tell(&store, monitor, arguments, options)
        })
    })?;
    let store = workspace::open(context)?;
    for run_comparison in &mut run_comparisons {
        let runs = [
            &run_comparison.comparison.first,
            &run_comparison.comparison.second,
        ]
        .map(Clone::clone);
        run_comparison.spent = usage::of_runs(context, &store, &runs, arguments.prices)?;
    }
    warn(context, &run_comparisons);
    let lead = lead(&pairing, &options.metrics);
    context.print(
        arguments.shown.format.name(),
        |out| {
            let wires = run_comparisons
                .iter()
                .map(|run_comparison| wire(run_comparison, &pairing, &options));
            match wires.collect::<Vec<_>>().as_slice() {
                [only] => write_pretty(out, only),
                all => write_pretty(out, &all),
            }
        },
        |_| {
            run_comparisons
                .iter()
                .flat_map(|run_comparison| sections(run_comparison, &pairing, lead, arguments))
        },
    )?;
    // The first is in all of them.
    let firsts = run_comparisons
        .iter()
        .take(1)
        .map(|run_comparison| &run_comparison.comparison.first);
    let seconds = run_comparisons
        .iter()
        .map(|run_comparison| &run_comparison.comparison.second);
    let runs: Vec<&RunRow> = firsts.chain(seconds).collect();
    python::tell(context, &store, &runs)
}

/// Looks up the metrics of these names, in this order: the first one decides.
fn in_order(names: &[String]) -> Result<Vec<&'static Metric>, Stop> {
    let mut chosen: Vec<&'static Metric> = Vec::new();
    for name in names {
        for metric in metrics::named(std::slice::from_ref(name))? {
            if chosen.iter().all(|other| other.id != metric.id) {
                chosen.push(metric);
            }
        }
    }
    Ok(chosen)
}

/// Builds the tables of one run against the baseline, each under a remark on its order.
fn sections(
    run_comparison: &RunComparison,
    pairing: &RunPairing,
    lead: Option<&'static Metric>,
    arguments: &args::Compare,
) -> Vec<PrintSection> {
    let format = arguments.shown.format.name();
    let numbers = NumberStyle::of(format);
    let is_for_paper = matches!(format, TableName::Latex | TableName::Markdown);
    let is_adjusted = arguments.adjusted || arguments.parsable_by_both && is_for_paper;
    let table = if is_adjusted {
        adjusted::of_pairs(&run_comparison.comparison, numbers)
    } else if is_for_paper {
        tables::of_paper(&run_comparison.comparison)
    } else {
        tables::of_comparison(run_comparison, numbers)
    };
    let mut sections = vec![match arguments.by {
        Some(by) => PrintSection::remarked(
            order_of_slices(run_comparison, lead, by, arguments.slices),
            table,
        ),
        None => table.into(),
    }];
    if is_adjusted {
        return sections;
    }
    let mut add = |remark: String, table| sections.push(PrintSection::remarked(remark, table));
    if let Some(outcomes) = run_comparison
        .outcomes
        .as_ref()
        .filter(|outcome| outcome.n_samples > 0)
    {
        let left_out = match outcomes.n_left_out {
            0 => String::new(),
            n => format!("; {n} without an outcome on both sides are left out"),
        };
        let of_all = match run_comparison.coverage {
            Some(_) => "; MiLC to MaBC cover all answers of each run",
            None => "",
        };
        let n = outcomes.n_samples;
        add(
            format!("samples of {n} that get at least this far when they run{left_out}{of_all}"),
            tables::of_outcomes(run_comparison, outcomes, numbers),
        );
    }
    if !run_comparison.faults.is_empty() {
        let remark = "mutants that tests notice, as a mean over samples";
        add(
            remark.to_owned(),
            tables::of_faults(run_comparison, numbers),
        );
    }
    if let Some(tags) = &run_comparison.tags {
        let n_samples = run_comparison
            .comparison
            .slices
            .first()
            .map_or(0, |slice| slice.n_samples);
        let n = tags.len();
        add(
            format!("samples of {n_samples} with each tag: {SUREST}; adjusted p is for {n} tags"),
            tables::of_tags(&run_comparison.comparison, tags, numbers),
        );
    }
    if run_comparison.spent.iter().any(Option::is_some) {
        let runs = [
            &run_comparison.comparison.first,
            &run_comparison.comparison.second,
        ]
        .map(Clone::clone);
        add(
            "the cost of all answers of each run".to_owned(),
            usage::table(&runs, &run_comparison.spent, numbers),
        );
    }
    if !run_comparison.rows.is_empty() {
        let end = if arguments.worst.is_some() {
            "greatest loss"
        } else {
            "greatest gain"
        };
        let metric = lead.map_or_else(String::new, Metric::sentence_title);
        add(
            format!("samples: {end} in {metric} first"),
            tables::of_samples(run_comparison, pairing, lead, numbers),
        );
    }
    sections
}

/// Says in which order slices are.
fn order_of_slices(
    run_comparison: &RunComparison,
    lead: Option<&Metric>,
    by: GroupBy,
    is_ranked: bool,
) -> String {
    let by = by.as_str();
    if !is_ranked {
        return format!("slices by {by}: in their own order; --slices: {SUREST}");
    }
    let metric = lead.map_or_else(String::new, Metric::corpus_title);
    let n = run_comparison.comparison.slices.len().saturating_sub(1);
    let small = match run_comparison.n_small() {
        0 => String::new(),
        n_small => format!("; {n_small} of fewer than {N_SMALL} samples last"),
    };
    format!("slices by {by}: {SUREST} in {metric}; adjusted p is for {n} slices{small}")
}

/// Compares every run with the first, and writes the file that is asked for.
fn tell(
    store: &Store,
    monitor: &Monitor,
    arguments: &args::Compare,
    options: &CompareOptions,
) -> Result<(RunPairing, Vec<RunComparison>), Stop> {
    let names = [
        &[arguments.first.clone(), arguments.second.clone()],
        arguments.others.as_slice(),
    ]
    .concat();
    let mut pairing = RunPairing::load(store, monitor, &names, &options.metrics)?;
    let lead = lead(&pairing, &options.metrics);
    let mut options = options.clone();
    if options.by.is_some() && options.metrics.is_empty() {
        options.metrics.extend(lead);
    }
    let mut run_comparisons = Vec::new();
    let mut exported = Vec::new();
    for other in 1..names.len() {
        if !arguments.any_options {
            pairing.check_executed_alike(store, other)?;
        }
        let (mut comparison, selection) = against(store, monitor, &mut pairing, &options, other)?;
        let look = lead.and_then(|metric| pairing.look(metric.id, other));
        let listed = look.map_or_else(Vec::new, |look| {
            listed(&pairing, arguments, &selection, look)
        });
        let rows = if arguments.worst.or(arguments.best).is_some() {
            pairing.rows(store, &listed)?
        } else {
            Vec::new()
        };
        exported.extend(listed);
        let evidence = if arguments.slices {
            rank(&mut comparison)
        } else {
            Vec::new()
        };
        let tags = if arguments.tags {
            let draws = (options.n_resamples, options.seed);
            Some(pairing.tags((store, monitor), &selection, other, draws)?)
        } else {
            None
        };
        let draws = (options.n_resamples, options.seed);
        let outcomes = pairing.outcomes((store, monitor), &selection, other, draws)?;
        let faults = pairing.faults((store, monitor), &selection, other, draws)?;
        let both = if options.filter.is_none() && !options.only_parsable {
            let runs = [&comparison.first, &comparison.second].map(Clone::clone);
            <[_; 2]>::try_from(executed::of_runs(store, &runs)?).ok()
        } else {
            None
        };
        let both = both.and_then(|[first, second]| Some([first?, second?]));
        let coverage = if both.is_some() {
            let runs = [&comparison.first, &comparison.second];
            covered_by_both(store, runs, arguments.shown.scope)?
        } else {
            None
        };
        run_comparisons.push(RunComparison {
            comparison,
            other,
            rows,
            evidence,
            tags,
            outcomes,
            faults,
            coverage,
            confirmed: both.map(|run_outcomeses| {
                run_outcomeses.map(|run_outcomes| WireConfirmed::from(&run_outcomes.funnel))
            }),
            spent: Vec::new(),
        });
    }
    if let Some(path) = &arguments.export {
        // A sample that is listed for several runs has all of them on its line.
        let mut is_written = vec![false; pairing.len()];
        exported.retain(|n| !std::mem::replace(&mut is_written[*n as usize], true));
        let mut file = output::create(path, arguments.force)?;
        pairing.export(store, monitor, &exported, &mut file)?;
        file.finish()?;
    }
    Ok((pairing, run_comparisons))
}

/// Sorts the samples to list and export: as many as are asked for, else all of them.
fn listed(
    pairing: &RunPairing,
    arguments: &args::Compare,
    selection: &Selection,
    look: Look,
) -> Vec<u32> {
    let (direction, n_rows) = match (arguments.worst, arguments.best) {
        (None, Some(n_rows)) => (Direction::Descending, Some(n_rows)),
        (n_rows, _) => (Direction::Ascending, n_rows),
    };
    let mut places = pairing.by_delta(selection, look, direction);
    places.truncate(n_rows.unwrap_or(usize::MAX));
    places
}

/// How slices and tags are ordered.
const SUREST: &str = "strongest evidence first";

/// Sorts slices by the evidence in the first metric, all samples first, and returns the evidence.
fn rank(comparison: &mut BaselineComparison) -> Vec<Vec<Option<Evidence>>> {
    let Some((all, slices)) = comparison.slices.split_first() else {
        return Vec::new();
    };
    let mut ranked: Vec<(Slice, Vec<Option<Evidence>>)> = slices
        .iter()
        .map(|slice| (slice.clone(), Vec::new()))
        .collect();
    for idx in 0..all.metrics.len() {
        let compared: Vec<&PairedComparison> =
            slices.iter().map(|slice| &slice.metrics[idx]).collect();
        for ((_, of_slice), slice_evidence) in ranked.iter_mut().zip(evidence(&compared)) {
            of_slice.push(Some(slice_evidence));
        }
    }
    let first = |of_slice: &[Option<Evidence>]| of_slice.first().copied().flatten();
    ranked.sort_by(|a, b| match (first(&a.1), first(&b.1)) {
        (Some(a), Some(b)) => a.surest_first(&b),
        _ => Ordering::Equal,
    });
    let mut known = vec![vec![None; all.metrics.len()]];
    let mut sorted = vec![all.clone()];
    for (slice, of_slice) in ranked {
        sorted.push(slice);
        known.push(of_slice);
    }
    comparison.slices = sorted;
    known
}

fn warn(context: &mut Context<'_, '_>, run_comparisons: &[RunComparison]) {
    for RunComparison { comparison, .. } in run_comparisons {
        for (n_only, run) in [
            (comparison.n_only_first, &comparison.first),
            (comparison.n_only_second, &comparison.second),
        ] {
            if n_only > 0 {
                context.say(&format!(
                    "warning: {} {} a scored answer of {} {} and {} left out",
                    counted(n_only, "sample"),
                    agreeing(n_only, "has", "have"),
                    run.setting.name,
                    if run_comparisons.len() == 1 {
                        "alone"
                    } else {
                        "and not by all others"
                    },
                    agreeing(n_only, "is", "are")
                ));
            }
        }
        if comparison.n_left_out > 0 {
            context.say(&format!(
                "{} {} left out because a prediction does not parse",
                counted(comparison.n_left_out, "sample"),
                agreeing(comparison.n_left_out, "is", "are")
            ));
        }
    }
}

fn wire<'c>(
    run_comparison: &'c RunComparison,
    pairing: &'c RunPairing,
    options: &'c CompareOptions,
) -> WireComparison<'c> {
    let comparison = &run_comparison.comparison;
    // Over samples that both parse, what counts is how many of all answers do.
    let is_parsable = options.only_parsable;
    let by_share = |value: f64, run: &RunRow| {
        is_parsable
            .then(|| adjusted::adjusted(value, run))
            .flatten()
    };
    let rate = |of_slice: f64, run: &RunRow| match run.unparsable_rate() {
        Some(of_all) if is_parsable => of_all,
        _ => of_slice,
    };
    let compared = |place: usize, idx: usize, paired_comparison: &PairedComparison| WireCompared {
        metric: paired_comparison.of.id,
        compared: wire_difference(paired_comparison),
        p_adjusted: run_comparison
            .evidence(place, idx)
            .map(|evidence| evidence.p_adjusted),
        adjusted_a: by_share(paired_comparison.first, &comparison.first),
        adjusted_b: by_share(paired_comparison.second, &comparison.second),
        better: paired_comparison.tally.n_better,
        same: paired_comparison.tally.n_same,
        worse: paired_comparison.tally.n_worse,
    };
    let slices = comparison.slices.iter().enumerate();
    let usage = |run: usize| {
        let spent = run_comparison.spent.get(run)?.as_ref()?;
        Some(spent.usage.wire(spent.prices))
    };
    let samples = run_comparison
        .rows
        .iter()
        .map(|row| pairing.wire(row, None));
    WireComparison {
        a: &comparison.first.setting.name,
        b: &comparison.second.setting.name,
        n_only_a: comparison.n_only_first,
        n_only_b: comparison.n_only_second,
        n_left_out: comparison.n_left_out,
        seed: options.seed,
        resamples: options.n_resamples,
        slices: slices
            .map(|(place, slice)| WireSlice {
                slice: (!slice.name.is_empty()).then_some(slice.name.as_str()),
                n: slice.n_samples,
                unparsable_rate_a: rate(slice.unparsable_rates.0, &comparison.first),
                unparsable_rate_b: rate(slice.unparsable_rates.1, &comparison.second),
                over_length_rate_a: comparison.first.over_length_rate().filter(|_| is_parsable),
                over_length_rate_b: comparison.second.over_length_rate().filter(|_| is_parsable),
                n_blocked_a: slice.without_outcome[0]
                    .map(|without_outcome| without_outcome.n_blocked),
                n_blocked_b: slice.without_outcome[1]
                    .map(|without_outcome| without_outcome.n_blocked),
                n_not_run_a: slice.without_outcome[0]
                    .map(|without_outcome| without_outcome.n_not_run),
                n_not_run_b: slice.without_outcome[1]
                    .map(|without_outcome| without_outcome.n_not_run),
                metrics: slice
                    .metrics
                    .iter()
                    .enumerate()
                    .map(|(idx, paired_comparison)| compared(place, idx, paired_comparison))
                    .collect(),
            })
            .collect(),
        tags: run_comparison
            .tags
            .as_ref()
            .map(|tag| tag.iter().map(wire_tag).collect()),
        outcomes: run_comparison
            .outcomes
            .as_ref()
            .map(|outcome| wire_outcomes(run_comparison, outcome)),
        faults: wire_faults(run_comparison),
        usage_a: usage(0),
        usage_b: usage(1),
        samples: samples.collect(),
    }
}

fn wire_difference<Of>(paired_comparison: &PairedComparison<Of>) -> WireDifference {
    WireDifference {
        a: paired_comparison.first,
        b: paired_comparison.second,
        difference: paired_comparison.difference,
        low: paired_comparison.interval.0,
        high: paired_comparison.interval.1,
        p: paired_comparison.p,
    }
}

fn wire_outcomes(
    run_comparison: &RunComparison,
    outcomes: &ComparedOutcomes,
) -> WireComparedOutcomes {
    let steps = outcomes.steps.iter().map(|step| WireComparedStep {
        step: step.of.as_str(),
        compared: wire_difference(step),
        only_a: step.tally.n_worse,
        only_b: step.tally.n_better,
    });
    let [coverage_a, coverage_b] = [0, 1].map(|run| {
        run_comparison
            .coverage
            .map(|focal_shareses| (&focal_shareses[run]).into())
    });
    let brittle = outcomes.brittle.iter().map(|(kind, compared_number)| {
        let name = kind.map_or("any", VariantKind::as_str);
        (name, wire_share(compared_number))
    });
    WireComparedOutcomes {
        n: outcomes.n_samples,
        n_left_out: outcomes.n_left_out,
        steps: steps.collect(),
        lines: outcomes.lines.as_ref().map(wire_share),
        coverage_a,
        coverage_b,
        confirmed_a: run_comparison
            .confirmed
            .map(|wire_confirmeds| wire_confirmeds[0]),
        confirmed_b: run_comparison
            .confirmed
            .map(|wire_confirmeds| wire_confirmeds[1]),
        unstable: outcomes.unstable.as_ref().map(wire_share),
        brittle: brittle.collect(),
    }
}

fn wire_share<Of>(compared_number: &ComparedNumber<Of>) -> WireComparedShare {
    WireComparedShare {
        n: compared_number.n_samples,
        compared: wire_difference(&compared_number.compared),
        only_a: compared_number.compared.tally.n_worse,
        only_b: compared_number.compared.tally.n_better,
    }
}

fn wire_faults(run_comparison: &RunComparison) -> Vec<WireComparedFaults> {
    let all = run_comparison
        .faults
        .iter()
        .map(|fault| WireComparedFaults {
            ratio: fault.compared.of.as_str(),
            compared: wire_share(fault),
        });
    all.collect()
}

fn wire_tag(compared_tag: &ComparedTag) -> WireComparedTag {
    let compared = &compared_tag.compared;
    WireComparedTag {
        tag: compared_tag.tag.as_str(),
        n_a: compared_tag.n_first,
        n_b: compared_tag.n_second,
        compared: wire_difference(compared),
        p_adjusted: compared_tag.p_adjusted,
        only_a: compared.tally.n_worse,
        only_b: compared.tally.n_better,
    }
}

impl RunComparison {
    /// Looks up the evidence of a metric in a slice, where slices are ranked.
    fn evidence(&self, slice: usize, metric: usize) -> Option<Evidence> {
        *self.evidence.get(slice)?.get(metric)?
    }

    /// Counts the slices with too few samples to say anything.
    fn n_small(&self) -> usize {
        let slices = self.comparison.slices.iter().skip(1);
        slices.filter(|slice| slice.n_samples < N_SMALL).count()
    }
}
