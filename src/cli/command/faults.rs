//! Faults and what tests made of them: the table of `execute --faults`, the command `faults`, and `export --format
//! mutants`.

use std::io::Write;

use crate::Context;
use crate::args;
use crate::command::{hint, inspect, workspace};
use crate::diff;
use crate::exchange::faults::{
    FaultLineParts, WireFaulted, WirePair, WirePit, WireSubsuming, WireTogether,
};
use crate::exchange::write_line;
use crate::execute::matrix::by_mutant;
use crate::execute::{self, FaultReport, FaultScope};
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::{FaultCounts, RunRow, SampleKey, counted};
use crate::mutate::fault;
use crate::store::{Store, StoredFault};
use crate::table::{Align, NumberStyle, TextTable, visible};
use crate::task::{Cancelled, Monitor};

use super::{again, brittle, covering, noticing, unified};

/// Writes the report on a run's tests that were held against faults.
pub fn write(out: &mut dyn Write, report: &FaultReport) -> std::io::Result<()> {
    let line = format!(
        "faults: {} run against {} of {}",
        counted(report.n_held, "test"),
        counted(report.n_mutants, "mutant"),
        counted(report.n_methods, methods_of(report)),
    );
    let shown_by: &[&str] = match report.scope {
        FaultScope::Focal => &[],
        FaultScope::Candidates => &["faults", "--candidates"],
        FaultScope::Covered(_) => &["faults", "--scope", "covered"],
    };
    if shown_by.is_empty() {
        writeln!(out, "{line}")?;
    } else {
        let shows = hint::command(shown_by);
        writeln!(out, "{line}: {shows} shows what they notice")?;
    }
    if report.n_equal > 0 {
        writeln!(out, "{}", left_out(report))?;
    }
    if report.scope == FaultScope::Candidates {
        return Ok(());
    }
    shares(report).write(out)?;
    notes(out, report)
}

/// Tabulates the mutants that the tests noticed.
fn shares(report: &FaultReport) -> TextTable {
    let counts = report.counts;
    let numbers = NumberStyle::People;
    let mut table = TextTable::new(&[
        ("", Align::Left),
        ("%", Align::Right),
        ("of", Align::Right),
        ("pairs", Align::Left),
    ]);
    let rows = [
        ("mutation score", counts.score(), counts.n_viable, "viable"),
        (
            "test strength",
            counts.strength(),
            counts.n_covered,
            "covered",
        ),
        (
            "killed by assertion",
            share(counts.n_by_assertion, counts.n_detected),
            counts.n_detected,
            "detected",
        ),
    ];
    // Where tests were left out on some mutants there are no shares: they would depend on which tests came first.
    let rows = rows.into_iter().filter(|_| report.n_partial == 0);
    let together = report.together;
    let noticed = (report.scope == FaultScope::Focal).then(|| {
        let words = ["noticed by any test", "viable mutants"];
        (words[0], together.score(), together.n_viable, words[1])
    });
    let subsuming = report.subsuming.as_ref().map(|(_, counts)| {
        let score = counts.score();
        ("subsuming score", score, counts.n_viable, "of minimal sets")
    });
    let pit = report.pit.map(|pit_counts| {
        let words = ["as PIT: score", "as PIT: strength"];
        let strength = share(pit_counts.n_detected, pit_counts.n_covered);
        [
            (
                words[0],
                share(pit_counts.n_detected, pit_counts.n_mutants),
                pit_counts.n_mutants,
                "mutants",
            ),
            (words[1], strength, pit_counts.n_covered, "covered mutants"),
        ]
    });
    let rows = rows.chain(noticed).chain(subsuming);
    for (name, share, n, word) in rows.chain(pit.into_iter().flatten()) {
        let share = if n < FaultCounts::FEWEST { None } else { share };
        table.row([
            name.to_owned(),
            numbers.share(share),
            n.to_string(),
            word.to_owned(),
        ]);
    }
    table
}

/// Writes what the table leaves out, and by which tests its minimal sets are.
fn notes(out: &mut dyn Write, report: &FaultReport) -> std::io::Result<()> {
    if report.together.n_equivalent > 0 {
        let n = counted(report.together.n_equivalent, "mutant");
        writeln!(out, "{n} marked as equivalent: in none of these shares")?;
    }
    if report.n_partial > 0 {
        writeln!(
            out,
            "{} left out on mutants that others noticed: `execute --faults` runs them on all",
            counted(report.n_partial, "test")
        )?;
    }
    if let Some((pool, _)) = &report.subsuming {
        let line = format!(
            "minimal sets: {} of {} by {} of {} · pool {}",
            pool.minimal.len(),
            counted(pool.n_mutants, "mutant"),
            counted(pool.n_tests, "test"),
            pool.runs.join(", "),
            pool.hash
        );
        writeln!(out, "{}", visible(&line))?;
    }
    Ok(())
}

/// Counts the mutants that were left out, as they are the same code as the original or another mutant.
fn left_out(report: &FaultReport) -> String {
    let n = counted(report.n_equal, "mutant");
    format!("{n} left out: they compile to the same code as the original or another mutant")
}

/// Chooses the word for the methods with faults.
const fn methods_of(report: &FaultReport) -> &'static str {
    match report.scope {
        FaultScope::Focal => "focal method",
        FaultScope::Candidates => "candidate method",
        FaultScope::Covered(_) => "entered method",
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Writes what would be done.
pub fn write_dry(out: &mut dyn Write, run: &str, report: &FaultReport) -> std::io::Result<()> {
    let line = format!(
        "run {run}: {} in {}, at most {} of {}{}: about {} s of tests",
        counted(report.n_mutants, "mutant"),
        counted(report.n_methods, methods_of(report)),
        counted(report.n_pairs, "pair"),
        counted(report.n_tests - report.n_kept, "test"),
        if report.n_kept > 0 {
            let kept = counted(report.n_kept, "test");
            format!(", besides {kept} that already have outcomes")
        } else {
            String::new()
        },
        report.estimate.as_secs()
    );
    writeln!(out, "{}", visible(&line))?;
    if report.n_equal > 0 {
        writeln!(out, "run {}: {}", visible(run), left_out(report))?;
    }
    if report.n_open > 0 && !report.estimate_of_repeats.is_zero() {
        writeln!(
            out,
            "run {}: kills of {} run up to three times, about {} s more at most: {}",
            visible(run),
            not_settled(report.n_open),
            report.estimate_of_repeats.as_secs(),
            SAVES
        )?;
    }
    Ok(())
}

/// Advice against repeats.
const SAVES: &str = "`--shake nothing` saves the repeats of tests that pass each time";

/// Counts the tests whose stability is unknown.
fn not_settled(n: u64) -> String {
    format!("{} that shaking has not settled", counted(n, "test"))
}

/// Reports the tests that were not done, and the next step.
pub fn tell(context: &mut Context<'_, '_>, run: &str, report: &FaultReport) {
    again::warn(context, &report.notes);
    let unknown = [
        (
            report.n_unsettled,
            "do not pass each time, and are not counted",
        ),
        (report.n_without, "are of a method that has no mutants"),
        (
            report.n_failed,
            "had no outcome, and are run again another time",
        ),
        (report.n_left, "are left: the same command continues"),
    ];
    if report.n_repeats > 0 {
        context.say(&format!(
            "run {run}: kills of {} ran up to three times, {} in all: {SAVES}",
            not_settled(report.n_open),
            counted(report.n_repeats, "repeat"),
        ));
    }
    let done = [
        (report.n_now, "run against mutants"),
        (report.n_kept, "already had outcomes"),
    ];
    again::tell(context, run, &unknown, done);
}

pub fn wire(report: &FaultReport) -> WireFaulted {
    let is_focal = report.scope == FaultScope::Focal;
    WireFaulted {
        scope: report.scope.as_str(),
        tests: report.n_tests,
        held: report.n_held,
        now: report.n_now,
        kept: report.n_kept,
        unsettled: report.n_unsettled,
        without_mutants: report.n_without,
        failed: report.n_failed,
        left: report.n_left,
        methods: report.n_methods,
        mutants: report.n_mutants,
        same_code: report.n_equal,
        pairs: report.n_pairs,
        spared: report.n_spared,
        not_settled: report.n_open,
        repeats: report.n_repeats,
        partial: report.n_partial,
        counts: (report.scope != FaultScope::Candidates).then(|| report.counts.into()),
        together: is_focal.then_some(WireTogether {
            viable: report.together.n_viable,
            covered: report.together.n_covered,
            detected: report.together.n_detected,
            equivalent: report.together.n_equivalent,
        }),
        subsuming: report
            .subsuming
            .as_ref()
            .map(|(pool, counts)| WireSubsuming {
                runs: pool.runs.clone(),
                hash: pool.hash.to_string(),
                tests: pool.n_tests,
                mutants: pool.n_mutants,
                minimal: pool.minimal.len() as u64,
                counts: (*counts).into(),
            }),
        pit: report.pit.map(|pit_counts| WirePit {
            mutants: pit_counts.n_mutants,
            covered: pit_counts.n_covered,
            detected: pit_counts.n_detected,
        }),
    }
}

/// Prints the mutants of a sample's focal method, and which tests notice each; then its variants, and which tests
/// object to each.
pub fn run(context: &mut Context<'_, '_>, arguments: &args::FaultMatrixArgs) -> Result<(), Stop> {
    let store = workspace::open(context)?;
    let key = arguments.key.as_ref();
    let key = key.map(|text| inspect::key(&store, text)).transpose()?;
    if arguments.candidates {
        return noticing::run(context, &store, (key.as_ref(), arguments.json));
    }
    if arguments.scope == Some(args::ScopeName::Covered) {
        return covering::run(context, &store, (key.as_ref(), arguments));
    }
    let Some(key) = key else {
        let message = "the faults of a focal method belong to a sample";
        return Err(Failure::new(ExitCode::Usage, message)
            .with_hint("name its KEY")
            .into());
    };
    let mut found = store.faults_of_sample(&key)?;
    let mut varied = store.varied_of_sample(&key)?;
    if let Some(run) = &arguments.run {
        found.retain(|stored| stored.run == *run);
        varied.retain(|stored| stored.run == *run);
    }
    if arguments.survivors {
        varied.clear();
    }
    if found.is_empty() && varied.is_empty() {
        let message = format!("no test of sample `{key}` was run against mutants");
        return Err(Failure::new(ExitCode::Problems, message)
            .with_hint(format!(
                "{} does that",
                hint::command(&["execute", "--truth", "--faults"])
            ))
            .into());
    }
    let by_mutant = by_mutant(found);
    let shown = by_mutant.iter().filter(|tests| {
        !arguments.survivors || !tests.iter().any(|test| test.pair.outcome.is_detected())
    });
    if arguments.json {
        for stored in shown.flatten() {
            write_line(context.streams.out, &wire_pair(stored))?;
        }
        for stored in &varied {
            write_line(context.streams.out, &brittle::wire_variant(stored))?;
        }
        return Ok(());
    }
    let text = text_of(&store, &key)?;
    let out = &mut *context.streams.out;
    for (idx, tests) in shown.enumerate() {
        if idx > 0 {
            writeln!(out)?;
        }
        write_mutant(out, tests, text.as_deref())?;
    }
    for (idx, tests) in brittle::by_variant(&varied).enumerate() {
        if idx > 0 || !by_mutant.is_empty() {
            writeln!(out)?;
        }
        brittle::write_variant(out, tests, text.as_deref())?;
    }
    Ok(())
}

/// Reads the file of a sample's focal method.
fn text_of(store: &Store, key: &SampleKey) -> Result<Option<std::sync::Arc<str>>, Stop> {
    let sample = store.sample(key, None)?;
    Ok(sample
        .and_then(|sample| sample.focal)
        .map(|focal| focal.text))
}

fn write_mutant(
    out: &mut dyn Write,
    tests: &[StoredFault],
    text: Option<&str>,
) -> std::io::Result<()> {
    let mutant = &tests[0].pair.mutant;
    let head = format!(
        "{}:{} {} {}",
        mutant.file,
        mutant.line,
        short(&mutant.mutator),
        mutant.description
    );
    writeln!(out, "{}", visible(&head))?;
    if let Some(equivalence) = &tests[0].equivalence {
        writeln!(out, "  {}", visible(&equivalence.standing_words()))?;
    }
    // Sources that were mined anew may be different.
    let text = text.filter(|text| fault::is_of(text, mutant));
    if let Some(text) = text
        && let Some(changed) = fault::applied(text, mutant)
    {
        unified::write(out, "  ", (text, &changed), &diff::lines(text, &changed))?;
    }
    for test in tests {
        let by = test.pair.by.as_ref();
        let by = by.map_or_else(String::new, |by| format!(" ({by})"));
        let line = format!(
            "  {} attempt {}: {}{by}",
            test.run,
            test.attempt,
            test.pair.outcome.as_str()
        );
        writeln!(out, "{}", visible(&line))?;
    }
    Ok(())
}

/// Writes the outcome of each test of a run on each mutant, a line each, and returns the number of lines.
pub fn write_pairs(
    store: &Store,
    monitor: &Monitor,
    run: &RunRow,
    out: &mut dyn Write,
) -> Result<u64, Stop> {
    let name = &run.setting.name;
    let Some(setting) = store.execution_setting(run.id)? else {
        let name = name.clone();
        return Err(execute::ExecuteError::NotExecuted { name }.into());
    };
    let mut n_lines = 0;
    store.each_fault(run.id, &setting.engine, |stored| {
        monitor.step().map_err(|Cancelled| Stop::from(Cancelled))?;
        write_line(out, &wire_pair(&stored))?;
        n_lines += 1;
        Ok::<_, Stop>(())
    })?;
    Ok(n_lines)
}

fn wire_pair(stored: &StoredFault) -> WirePair<'_> {
    let of = FaultLineParts {
        run: &stored.run,
        attempt: stored.attempt,
        mutant: &stored.pair.mutant,
        outcome: stored.pair.outcome,
        by: stored.pair.by.as_deref(),
        ms: stored.pair.ms,
        equivalent_by: stored.equivalent_by(),
    };
    WirePair::new(stored.sample.to_string(), &of)
}

/// Cuts a mutator's name down to its last word.
fn short(mutator: &str) -> &str {
    mutator.rsplit('.').next().unwrap_or(mutator)
}
