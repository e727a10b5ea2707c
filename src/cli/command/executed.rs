//! The executions of runs, as columns of tables and as JSON.

use crate::eval::executed::{AtK, RunOutcomes, executed, parsed};
use crate::eval::interval::{CORRECT, Mean};
use crate::exchange::outcomes::{WireAtK, WireBest, WireRunExecuted, languages_of};
use crate::exchange::{WireMean, WireParseAtK};
use crate::failure::Stop;
use crate::model::{CoverScope, ExecutionFunnel, FaultCounts, FocalShares, LanguageFunnel, RunRow};
use crate::store::Store;
use crate::table::{Align, NumberStyle, TextTable};
use crate::task::Monitor;

/// Sums up the execution of each run, in their order.
pub fn of_runs(store: &Store, runs: &[RunRow]) -> Result<Vec<Option<RunOutcomes>>, Stop> {
    let monitor = Monitor::default();
    let found = runs.iter().map(|run| executed(store, &monitor, run));
    Ok(found.collect::<Result<_, _>>()?)
}

/// Counts how far each run came in each language of its samples, executed or not.
pub fn languages_of_runs(store: &Store, runs: &[RunRow]) -> Result<Vec<Vec<LanguageFunnel>>, Stop> {
    let of_run = |run: &RunRow| -> Result<Vec<LanguageFunnel>, Stop> {
        let setting = store.execution_setting(run.id)?;
        let engine = setting.map_or_else(String::new, |execution_setting| execution_setting.engine);
        Ok(store.language_funnels(run.id, &engine)?)
    };
    runs.iter().map(of_run).collect()
}

/// Tabulates how far candidates came in each language.
pub fn languages_table(all: &[LanguageFunnel]) -> TextTable {
    let mut table = TextTable::of(&["language", "engine"], &LANGUAGE_COUNTS);
    for language_funnel in all {
        let mut cells = vec![
            language_funnel.word().to_owned(),
            language_funnel.engine.clone(),
        ];
        cells.extend(language_counts(language_funnel).map(|n| n.to_string()));
        table.row(cells);
    }
    table
}

/// The counts that stand in every table by language.
pub const LANGUAGE_COUNTS: [&str; 6] = [
    "samples",
    "predictions",
    "unique",
    "blocked",
    "not run",
    "unique correct",
];

/// Lists the numbers of [`LANGUAGE_COUNTS`], in that order.
pub fn language_counts(language_funnel: &LanguageFunnel) -> [u64; LANGUAGE_COUNTS.len()] {
    [
        language_funnel.n_samples,
        language_funnel.n_predictions,
        language_funnel.funnel.n_unique,
        language_funnel.funnel.n_blocked(),
        language_funnel.n_not_run(),
        language_funnel.funnel.n_correct,
    ]
}

/// Computes parse@k of each run; nothing for runs with one attempt.
pub fn parsed_of_runs(store: &Store, runs: &[RunRow]) -> Result<Vec<Vec<AtK>>, Stop> {
    let monitor = Monitor::default();
    let found = runs.iter().map(|run| parsed(store, &monitor, run));
    Ok(found.collect::<Result<_, _>>()?)
}

/// The columns that tables have for [`parsed_of_runs`]: one attempt, and as many as there are.
pub fn parsed_columns(all: &[Vec<AtK>], numbers: NumberStyle) -> Vec<(String, Align)> {
    let names = parsed_ks(all).into_iter();
    let names = names.flat_map(|k| numbers.bounded_heads(&format!("parse@{k}")));
    names.map(|name| (name, Align::Right)).collect()
}

fn parsed_ks(all: &[Vec<AtK>]) -> Vec<u64> {
    shown_ks(all.iter().map(Vec::as_slice))
}

/// Chooses the numbers of attempts that tables show: one, and as many as each run has; none where all have one.
pub fn shown_ks<'a>(all: impl Iterator<Item = &'a [AtK]>) -> Vec<u64> {
    let most = all.filter_map(|at_ks| at_ks.last()).map(|at_k| at_k.k);
    let mut ks: Vec<u64> = most.chain([1]).collect();
    ks.sort_unstable();
    ks.dedup();
    if ks.len() > 1 { ks } else { Vec::new() }
}

/// Writes the cells of [`parsed_columns`] for a run.
pub fn parsed_cells(all: &[Vec<AtK>], of: &[AtK], numbers: NumberStyle) -> Vec<String> {
    let cells = parsed_ks(all).into_iter().map(|k| {
        let at = of.iter().find(|at_k| at_k.k == k);
        numbers.bounded(at.map(|at_k| at_k.parse), at.and_then(AtK::parse_interval))
    });
    cells.flatten().collect()
}

pub fn wire_parsed(all: &[AtK]) -> Vec<WireParseAtK> {
    let all = all.iter().map(|at_k| WireParseAtK {
        k: at_k.k,
        n_samples: at_k.n_samples,
        parse: at_k.parse,
        parse_interval: at_k.parse_interval(),
    });
    all.collect()
}

/// The shares of unique candidates that stand in tables, and the share of executable ones that are correct.
pub const FUNNEL_SHARES: [&str; 7] = [
    "parsable of unique",
    "compilable of unique",
    "executable of unique",
    "correct of unique",
    "no assertion of unique",
    "correct (Tests4J) of unique",
    "correct of executable",
];

/// Computes the shares of [`FUNNEL_SHARES`], in that order.
pub fn funnel_shares(funnel: &ExecutionFunnel) -> [Option<f64>; FUNNEL_SHARES.len()] {
    let [_, parsable, compilable, executable, correct] = funnel.steps();
    let [idle, entered] = funnel.beside();
    let counts = [parsable, compilable, executable, correct, idle, entered];
    let [parsable, compilable, executable, correct, idle, entered] =
        counts.map(|(_, n)| funnel.share(n));
    [
        parsable,
        compilable,
        executable,
        correct,
        idle,
        entered,
        funnel.correct_of_executable(),
    ]
}

/// How much tables say of how answers ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExecutionColumns {
    /// No run was executed.
    Nothing,
    /// The share of samples whose first answer is correct, of how many samples, and how many predictions have no
    /// outcome.
    Correct,
    /// Also, of unique candidates, the five steps and what stands beside them, the four shares of coverage, and what
    /// repaired the answers.
    All,
}

impl ExecutionColumns {
    pub fn of(all: &[Option<RunOutcomes>], has_all: bool) -> Self {
        match has_all {
            _ if all.iter().all(Option::is_none) => Self::Nothing,
            true => Self::All,
            false => Self::Correct,
        }
    }
}

/// The columns of tables about executed runs. A share of unique candidates is named so: a run that gives one answer
/// again and again has few of them.
pub fn columns(
    all: &[Option<RunOutcomes>],
    part: ExecutionColumns,
    numbers: NumberStyle,
) -> Vec<(String, Align)> {
    if part == ExecutionColumns::Nothing {
        return Vec::new();
    }
    let mut names = vec![numbers.head(CORRECT)];
    names.extend(["ran", "blocked", "not run"].map(str::to_owned));
    if part == ExecutionColumns::All {
        names.push("unique".to_owned());
        let shares = FUNNEL_SHARES.into_iter();
        let shares = shares.chain(["MiLC", "MaLC", "MiBC", "MaBC"]);
        names.extend(shares.map(|share| numbers.head(share)));
    }
    let mut bests = vec!["pass", "correct"];
    bests.extend(
        (part == ExecutionColumns::All)
            .then_some(BEST)
            .into_iter()
            .flatten(),
    );
    for name in bests {
        let at_k = ks(all).into_iter();
        names.extend(at_k.flat_map(|k| numbers.bounded_heads(&format!("{name}@{k}"))));
    }
    if tells_confirmed(all) {
        names.extend(["Confirmed", "Drawn"].map(str::to_owned));
    }
    if has_faults(all) {
        names.extend(fault_heads(numbers));
    }
    if tells_stability(all) {
        names.extend(["unstable", "shaken"].map(str::to_owned));
    }
    if tells_brittle(all) {
        names.extend(["brittle", "held"].map(str::to_owned));
    }
    if part == ExecutionColumns::All {
        names.push("Repair".to_owned());
    }
    names.into_iter().map(|name| (name, Align::Right)).collect()
}

/// The numbers of the best of several attempts: the share of the focal method's lines that it covers, and its BLEU.
const BEST: [&str; 2] = ["coverage", "BLEU"];

/// Tells whether tables show how many candidates a second look has confirmed, and out of how many: where there was one,
/// and beside attempts taken together, as nobody shall take them for confirmed.
fn tells_confirmed(all: &[Option<RunOutcomes>]) -> bool {
    let is_drawn = |run_outcomes: &RunOutcomes| run_outcomes.funnel.n_drawn() > 0;
    all.iter().flatten().any(is_drawn) || !ks(all).is_empty()
}

/// Tells whether tables show how many faults tests notice.
fn has_faults(all: &[Option<RunOutcomes>]) -> bool {
    all.iter().flatten().any(|run| run.faults.is_some())
}

/// Tells whether tables show how many of the shaken tests are unstable.
fn tells_stability(all: &[Option<RunOutcomes>]) -> bool {
    all.iter().flatten().any(|run| run.stability.is_some())
}

/// Tells whether tables show how many of the tests that were held against code with the same contract object to it.
fn tells_brittle(all: &[Option<RunOutcomes>]) -> bool {
    all.iter().flatten().any(|run| run.brittle.is_some())
}

/// Names the columns of [`fault_cells`].
pub fn fault_heads(numbers: NumberStyle) -> Vec<String> {
    let [mutation, strength] = ["mutation", "strength"].map(|name| numbers.head(name));
    vec![
        mutation,
        "viable pairs".to_owned(),
        strength,
        "covered pairs".to_owned(),
    ]
}

/// Writes both ratios of tests on mutants, each with its base; no ratio of so few that it says nothing.
pub fn fault_cells(counts: FaultCounts, numbers: NumberStyle) -> Vec<String> {
    let ratio = |ratio: Option<f64>, n: u64| {
        let ratio = ratio.filter(|_| n >= FaultCounts::FEWEST);
        [numbers.share(ratio), n.to_string()]
    };
    let mut cells = Vec::from(ratio(counts.score(), counts.n_viable));
    cells.extend(ratio(counts.strength(), counts.n_covered));
    cells
}

fn ks(all: &[Option<RunOutcomes>]) -> Vec<u64> {
    shown_ks(
        all.iter()
            .flatten()
            .map(|run_outcomes| run_outcomes.at_k.as_slice()),
    )
}

/// Writes the cells of [`columns`] for a run; empty ones where it was not executed.
pub fn cells(
    all: &[Option<RunOutcomes>],
    of: Option<&RunOutcomes>,
    (part, scope): (ExecutionColumns, CoverScope),
    numbers: NumberStyle,
) -> Vec<String> {
    let n_columns = columns(all, part, numbers).len();
    let Some(run_outcomes) = of else {
        return vec![numbers.none().to_owned(); n_columns];
    };
    let funnel = &run_outcomes.funnel;
    let mut cells = vec![
        numbers.share(run_outcomes.correct.map(|mean| mean.value)),
        run_outcomes.correct.map_or(0, |mean| mean.n).to_string(),
        funnel.n_blocked().to_string(),
        run_outcomes.n_not_run.to_string(),
    ];
    if part == ExecutionColumns::All {
        cells.push(funnel.n_unique.to_string());
        cells.extend(funnel_shares(funnel).map(|funnel_share| numbers.share(funnel_share)));
        cells.extend(shares(run_outcomes, scope).map(|share| numbers.share(share)));
    }
    let at = |k: u64| run_outcomes.at_k.iter().find(|at_k| at_k.k == k);
    cells.extend(ks(all).into_iter().flat_map(|k| {
        numbers.bounded(
            at(k).map(|at_k| at_k.pass),
            at(k).and_then(AtK::pass_interval),
        )
    }));
    cells.extend(ks(all).into_iter().flat_map(|k| {
        let interval = at(k).and_then(AtK::correct_interval);
        numbers.bounded(at(k).map(|at_k| at_k.correct), interval)
    }));
    if part == ExecutionColumns::All {
        for idx in 0..BEST.len() {
            cells.extend(ks(all).into_iter().flat_map(|k| {
                let at = run_outcomes.best_at_k.iter().find(|best| best.k == k);
                let mean = at.and_then(|at| [at.covered, at.bleu][idx]);
                numbers.bounded(
                    mean.map(|mean| mean.value),
                    mean.and_then(|mean| mean.interval),
                )
            }));
        }
    }
    if tells_confirmed(all) {
        cells.extend([funnel.n_confirmed(), funnel.n_drawn()].map(|n| n.to_string()));
    }
    if has_faults(all) {
        cells.extend(fault_cells(
            run_outcomes.faults.unwrap_or_default(),
            numbers,
        ));
    }
    if tells_stability(all) {
        let counts = run_outcomes.stability.clone().unwrap_or_default();
        cells.extend([counts.n_unstable(), counts.n_shaken].map(|n| n.to_string()));
    }
    if tells_brittle(all) {
        let counts = run_outcomes.brittle.clone().unwrap_or_default();
        cells.extend([counts.n_brittle, counts.n_tests].map(|n| n.to_string()));
    }
    if part == ExecutionColumns::All {
        let repairs: Vec<&str> = run_outcomes
            .repairs()
            .iter()
            .map(|repair| repair.0)
            .collect();
        cells.push(repairs.join("+"));
    }
    cells
}

pub fn wire_mean(mean: Mean) -> WireMean {
    WireMean {
        n: mean.n,
        value: mean.value,
        interval: mean.interval,
    }
}

/// Computes the four shares: lines summed up and as a mean, branches likewise.
pub fn shares(executed: &RunOutcomes, scope: CoverScope) -> [Option<f64>; 4] {
    shares_of(executed.in_scope(scope))
}

/// Computes the four shares of these focal methods.
pub const fn shares_of(covered: FocalShares) -> [Option<f64>; 4] {
    let FocalShares {
        micro_lines,
        macro_lines,
        micro_branches,
        macro_branches,
        ..
    } = covered;
    [micro_lines, macro_lines, micro_branches, macro_branches]
}

pub fn wire_at_k(at_k: &AtK) -> WireAtK {
    WireAtK {
        k: at_k.k,
        n_samples: at_k.n_samples,
        parse: at_k.parse,
        compile: at_k.compile,
        pass: at_k.pass,
        correct: at_k.correct,
        pass_interval: at_k.pass_interval(),
        correct_interval: at_k.correct_interval(),
        best: None,
    }
}

/// Writes how a run was executed, with the outcome in each language where there are several.
pub fn wire(run_outcomes: &RunOutcomes, languages: &[LanguageFunnel]) -> WireRunExecuted {
    let at_k = run_outcomes.at_k.iter().map(|at| {
        let best = run_outcomes.best_at_k.iter().find(|best| best.k == at.k);
        WireAtK {
            best: best.map(|best| WireBest {
                covered: best.covered.map(wire_mean),
                bleu: best.bleu.map(wire_mean),
            }),
            ..wire_at_k(at)
        }
    });
    WireRunExecuted {
        engine: run_outcomes.setting.engine.clone(),
        sandbox: run_outcomes.setting.sandbox.clone(),
        version: run_outcomes.setting.version.clone(),
        options: run_outcomes.setting.options.clone(),
        executed_at: run_outcomes.setting.executed_at,
        made: run_outcomes.options.iter().cloned().collect(),
        not_run: run_outcomes.n_not_run,
        correct: run_outcomes.correct.map(wire_mean),
        funnel: (&run_outcomes.funnel).into(),
        by_language: languages_of(languages),
        all: (&run_outcomes.all).into(),
        own: (&run_outcomes.own).into(),
        at_k: at_k.collect(),
        faults: run_outcomes.faults.map(Into::into),
        stability: run_outcomes.stability.as_ref().map(Into::into),
        brittle: run_outcomes.brittle.as_ref().map(Into::into),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_with_other_numbers_of_attempts_have_columns_of_their_own() {
        let of_ks = |ks: &[u64]| -> Vec<AtK> {
            let at = |k: &u64| AtK {
                k: *k,
                n_samples: 2,
                parse: 1.0,
                compile: 1.0,
                pass: 0.5,
                correct: 0.25,
                intervals: [None; 4],
            };
            ks.iter().map(at).collect()
        };
        let all = [of_ks(&[1]), of_ks(&[1, 2, 3]), of_ks(&[1, 2, 4, 8, 10])];
        let shown = |all: &[Vec<AtK>]| shown_ks(all.iter().map(Vec::as_slice));
        assert_eq!(shown(&all), [1, 3, 10]);
        assert_eq!(shown(&all[..1]), [] as [u64; 0]);
        let cells = parsed_cells(&all, &all[1], NumberStyle::People);
        assert_eq!(cells, ["100.00", "100.00", "–"]);
    }
}
