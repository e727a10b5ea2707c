//! The outcomes of a run's last execution, summed up: the funnel, the coverage, attempts taken together, and the
//! agreement of metrics with execution.

use rustc_hash::{FxHashMap, FxHashSet};

use super::EvalError;
use super::best::{BestAtK, best_at_k};
use super::interval::{Mean, correct_of};
use crate::exchange::outcomes::loss_of;
use crate::metric::METRICS;
use crate::metric::attempts::mean_interval;
use crate::metric::correlation::{Correlation, at_k, correlation, ranks};
use crate::model::{
    BrittleCounts, CoverScope, Execution, ExecutionFunnel, ExecutionSetting, FaultCounts,
    FocalShares, FocalTotal, Outcome, RunRow, SampleKey, StabilityCounts,
};
use crate::store::Store;
use crate::task::Monitor;

/// Predictions that are read at once: larger batches take more memory, smaller ones more queries.
const PREDICTIONS_AT_ONCE: u32 = 4_096;

/// The probability that one of `k` attempts at a sample comes so far, as a mean over samples with as many attempts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AtK {
    pub k: u64,
    pub n_samples: u64,
    pub parse: f64,
    pub compile: f64,
    /// Passing, or correct.
    pub pass: f64,
    pub correct: f64,
    /// Of parse, compile, pass and correct over samples ([`mean_interval`]); nothing where there is one attempt each,
    /// and for what nobody knows.
    pub intervals: [Option<(f64, f64)>; 4],
}

impl AtK {
    #[must_use]
    pub const fn parse_interval(&self) -> Option<(f64, f64)> {
        self.intervals[0]
    }

    #[must_use]
    pub const fn pass_interval(&self) -> Option<(f64, f64)> {
        self.intervals[2]
    }

    #[must_use]
    pub const fn correct_interval(&self) -> Option<(f64, f64)> {
        self.intervals[3]
    }
}

/// The outcomes of a run, summed up.
#[derive(Clone, Debug, PartialEq)]
pub struct RunOutcomes {
    pub setting: ExecutionSetting,
    /// The options that outcomes were made with, and the number of outcomes: several options where older outcomes
    /// stayed.
    pub options: Vec<(String, u64)>,
    /// Over unique candidates.
    pub funnel: ExecutionFunnel,
    /// Predictions that nobody has run, nor said why.
    pub n_not_run: u64,
    /// The share of samples whose first answer is correct.
    pub correct: Option<Mean>,
    pub all: FocalShares,
    pub own: FocalShares,
    /// By `k`: powers of two up to the most attempts, and these; only 1 where there is one attempt each.
    pub at_k: Vec<AtK>,
    /// By the same `k`; nothing where there is one attempt each.
    pub best_at_k: Vec<BestAtK>,
    /// Of its tests on faults; nothing where none was held against any.
    pub faults: Option<FaultCounts>,
    /// Of its unique tests; nothing where none was shaken.
    pub stability: Option<StabilityCounts>,
    /// Of its unique tests; nothing where none was held against code that keeps the contract.
    pub brittle: Option<BrittleCounts>,
}

impl RunOutcomes {
    /// Counts the outcomes by the repairs that they were made with, as in `--repair`; several where not all were made
    /// alike.
    #[must_use]
    pub fn repairs(&self) -> Vec<(&str, u64)> {
        let mut repairs: Vec<(&str, u64)> = Vec::new();
        for (options, n) in &self.options {
            let repair = repair_of(options);
            match repairs.iter_mut().find(|pair| pair.0 == repair) {
                Some(known) => known.1 += n,
                None => repairs.push((repair, *n)),
            }
        }
        repairs.sort_unstable();
        repairs
    }

    /// Returns the coverage by the candidates of a scope.
    #[must_use]
    pub const fn in_scope(&self, scope: CoverScope) -> FocalShares {
        match scope {
            CoverScope::All => self.all,
            CoverScope::Own => self.own,
        }
    }
}

/// Reads the repairs out of options; empty where they name none.
#[must_use]
pub fn repair_of(options: &str) -> &str {
    let mut words = options.split(' ');
    words
        .find_map(|word| word.strip_prefix("repair="))
        .unwrap_or("")
}

/// Sums up how a run was executed last; nothing where it was not.
///
/// # Errors
/// The index's.
pub fn executed(
    store: &Store,
    monitor: &Monitor,
    run: &RunRow,
) -> Result<Option<RunOutcomes>, EvalError> {
    let Some(setting) = store.execution_setting(run.id)? else {
        return Ok(None);
    };
    let engine = setting.engine.as_str();
    let totals = store.focal_totals(run.id, engine)?;
    let shares = |scope| FocalShares::of(totals.iter().filter(move |total| total.scope == scope));
    let n_predictions = run.n_predictions as u32;
    let executions = store.executions(run.id, engine, n_predictions, monitor)?;
    let numbers = store.result_attempts(run.id, n_predictions, monitor)?;
    let funnel = store.execution_funnel(run.id, engine)?;
    let at_k = attempts(store, run, &executions)?;
    let mut best = Vec::new();
    if at_k.len() > 1 {
        let ks: Vec<u64> = at_k.iter().map(|at_k| at_k.k).collect();
        let covered = |execution: &Option<Execution>| Yield::Lines.of(execution.as_ref()?, None);
        let covered: Vec<Option<f64>> = executions.iter().map(covered).collect();
        best = best_at_k((store, monitor), run, &covered, &ks)?;
    }
    Ok(Some(RunOutcomes {
        options: store.execution_options(run.id, engine)?,
        n_not_run: funnel.n_not_run(run.n_predictions),
        funnel,
        correct: correct_of(&executions, &numbers),
        all: shares(CoverScope::All),
        own: shares(CoverScope::Own),
        at_k,
        best_at_k: best,
        faults: faults(store, run, engine)?,
        stability: stability(&executions),
        brittle: brittle(&executions),
        setting,
    }))
}

/// Computes the coverage by two runs of the focal methods that both were asked for, so that like stands beside like;
/// nothing where there are none, or a run was not executed.
///
/// # Errors
/// The index's.
pub fn covered_by_both(
    store: &Store,
    runs: [&RunRow; 2],
    scope: CoverScope,
) -> Result<Option<[FocalShares; 2]>, EvalError> {
    let mut both = [Vec::new(), Vec::new()];
    for (run, totals) in runs.into_iter().zip(&mut both) {
        let Some(setting) = store.execution_setting(run.id)? else {
            return Ok(None);
        };
        *totals = store.focal_totals(run.id, &setting.engine)?;
        totals.retain(|total| total.scope == scope);
    }
    Ok(alike(&both))
}

/// Sums up the methods that are measured on both sides.
fn alike(both: &[Vec<FocalTotal>; 2]) -> Option<[FocalShares; 2]> {
    let measured = |of: usize| {
        let measured = both[of]
            .iter()
            .filter(|focal_total| focal_total.lines.is_some());
        measured.map(|focal_total| {
            (
                (focal_total.project.as_str(), focal_total.focal.as_str()),
                focal_total,
            )
        })
    };
    let methods = [0, 1].map(|of| measured(of).map(|entry| entry.0).collect::<FxHashSet<_>>());
    let shares = [0, 1].map(|of| {
        let common = measured(of).filter(|entry| methods[1 - of].contains(&entry.0));
        FocalShares::of(common.map(|common| common.1))
    });
    (shares[0].n_methods > 0).then_some(shares)
}

/// Counts the unstable ones of a run's tests; one that runs in the place of others counts once.
fn stability(executions: &[Option<Execution>]) -> Option<StabilityCounts> {
    let mut counts = StabilityCounts::default();
    let unique = executions.iter().flatten();
    let unique = unique.filter(|execution| execution.duplicate_of.is_none());
    for stability in unique.filter_map(|execution| execution.stability) {
        counts.add(&stability);
    }
    (counts.n_shaken > 0).then_some(counts)
}

/// Counts what a run's tests object to, as [`stability`] counts.
fn brittle(executions: &[Option<Execution>]) -> Option<BrittleCounts> {
    let mut counts = BrittleCounts::default();
    let unique = executions.iter().flatten();
    let unique = unique.filter(|execution| execution.duplicate_of.is_none());
    for brittleness in unique.filter_map(|execution| execution.brittleness) {
        counts.add(&brittleness);
    }
    (counts.n_tests > 0).then_some(counts)
}

/// Sums up the faults that a run's tests were held against and found; nothing where they were held against none.
fn faults(store: &Store, run: &RunRow, engine: &str) -> Result<Option<FaultCounts>, EvalError> {
    let by_test = store.fault_counts(run.id, engine)?;
    let mut counts = FaultCounts::default();
    for of_test in by_test.values() {
        counts += *of_test;
    }
    Ok((!by_test.is_empty()).then_some(counts))
}

/// The attempts at a sample that have an outcome, and the number that reach each step.
#[derive(Clone, Copy, Default)]
struct Attempts {
    n: u64,
    /// Parse, compile, pass, correct.
    n_right: [u64; 4],
}

fn attempts(
    store: &Store,
    run: &RunRow,
    executions: &[Option<Execution>],
) -> Result<Vec<AtK>, EvalError> {
    tally(store, run, |ordinal| steps_reached(executions, ordinal))
}

/// Tells how far the attempt of this number came: whether it parses, compiles, passes and is correct. An attempt that
/// repeats another one is an attempt, too.
pub(super) fn steps_reached(executions: &[Option<Execution>], ordinal: usize) -> Option<[bool; 4]> {
    let execution = executions.get(ordinal).copied().flatten();
    let outcome = execution.and_then(|execution| execution.counted())?;
    Some([
        outcome > Outcome::Unparsable,
        outcome.compiles(),
        outcome.passes(),
        outcome == Outcome::Correct,
    ])
}

/// Takes the attempts at samples together by whether they parse, for a run with several attempts that was evaluated: of
/// each [`AtK`] only `parse` says something. Nothing for other runs.
///
/// # Errors
/// The index's.
pub fn parsed(store: &Store, monitor: &Monitor, run: &RunRow) -> Result<Vec<AtK>, EvalError> {
    if run.n_predictions <= run.n_samples {
        return Ok(Vec::new());
    }
    let flags = store.result_flags(run.id, run.n_predictions as u32, monitor)?;
    tally(store, run, |ordinal| {
        let flags = flags.get(ordinal).filter(|flag| flag.is_read())?;
        Some([!flags.is_unparsable(), false, false, false])
    })
}

/// Counts the attempts of a run by sample, for each `k`; `steps_reached` says how far the one of this number came, and nothing
/// where nobody knows.
pub(super) fn tally(
    store: &Store,
    run: &RunRow,
    steps_reached: impl Fn(usize) -> Option<[bool; 4]>,
) -> Result<Vec<AtK>, EvalError> {
    let mut by_sample: FxHashMap<SampleKey, Attempts> = FxHashMap::default();
    store.each_prediction_keys(run.id, |first, keys| {
        for (ordinal, key) in (first as usize..).zip(keys) {
            let Some(steps) = steps_reached(ordinal) else {
                continue;
            };
            let attempts = by_sample.entry(*key).or_default();
            attempts.n += 1;
            for (n, is_reached) in attempts.n_right.iter_mut().zip(steps) {
                *n += u64::from(is_reached);
            }
        }
        Ok::<_, EvalError>(())
    })?;
    // In an order of their own, so that sums are the same each time.
    let mut by_sample: Vec<(SampleKey, Attempts)> = by_sample.into_iter().collect();
    by_sample.sort_unstable_by_key(|pair| pair.0);
    let most = by_sample
        .iter()
        .map(|by_sample| by_sample.1.n)
        .max()
        .unwrap_or(0);
    let powers = (0..).map(|n| 1_u64 << n).take_while(|n| *n < most);
    let ks: Vec<u64> = powers.chain((most > 0).then_some(most)).collect();
    Ok(ks.into_iter().map(|k| at(k, &by_sample, most)).collect())
}

fn at(k: u64, by_sample: &[(SampleKey, Attempts)], most: u64) -> AtK {
    let eligible = || {
        by_sample
            .iter()
            .map(|by_sample| by_sample.1)
            .filter(|attempts| attempts.n >= k)
    };
    let n_samples = eligible().count();
    let mut intervals = [None; 4];
    let mut means = [0.0; 4];
    for (idx, (mean, bounds)) in means.iter_mut().zip(&mut intervals).enumerate() {
        let of_sample =
            |attempts: Attempts| at_k(attempts.n, attempts.n_right[idx], k).unwrap_or(0.0);
        let values: Vec<f64> = eligible().map(of_sample).collect();
        *mean = values.iter().sum::<f64>() / n_samples.max(1) as f64;
        // Not for one attempt each, of which there may be a million, nor for a step that no attempt has reached.
        if most > 1 && *mean > 0.0 {
            *bounds = mean_interval(&values);
        }
    }
    let [parse, compile, pass, correct] = means;
    AtK {
        k,
        n_samples: n_samples as u64,
        parse,
        compile,
        pass,
        correct,
        intervals,
    }
}

/// A result of running a prediction, as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yield {
    /// 1 for what passes, else 0: the coefficient is the point-biserial one.
    Passing,
    Correct,
    /// The share of the focal method's lines that it covers: 0 for what does not pass.
    Lines,
    /// The mutation score; nothing for a prediction that was not held against mutants.
    Mutation,
}

impl Yield {
    pub const ALL: &[Self] = &[Self::Passing, Self::Correct, Self::Lines, Self::Mutation];

    /// Returns the word used in tables and files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Passing => "passing",
            Self::Correct => "correct",
            Self::Lines => "lines",
            Self::Mutation => "mutation",
        }
    }

    /// Computes the number for an execution; nothing for one without an outcome.
    #[must_use]
    pub fn of(self, execution: &Execution, faults: Option<FaultCounts>) -> Option<f64> {
        let outcome = execution.counted()?;
        Some(match self {
            Self::Passing => f64::from(u8::from(outcome.passes())),
            Self::Correct => f64::from(u8::from(outcome == Outcome::Correct)),
            Self::Lines if outcome.passes() => {
                let lines = execution.lines.filter(|line| line.total() > 0)?;
                f64::from(lines.covered) / f64::from(lines.total())
            }
            Self::Lines => 0.0,
            Self::Mutation => faults?.score()?,
        })
    }
}

/// The correlation of a number that costs nothing with a result of running.
#[derive(Clone, Debug, PartialEq)]
pub struct YieldAgreement {
    /// A metric, or `loss`.
    pub measure: String,
    pub with: Yield,
    /// Predictions that have both.
    pub n: u64,
    /// Nothing where one of the two does not vary.
    pub pearson: Option<Correlation>,
    pub spearman: Option<Correlation>,
}

/// Correlates every metric that a run has, and its loss where that is given, with these yields of execution.
/// Predictions that are blocked, or were not scored, are left out; duplicates are kept.
///
/// # Errors
/// The run was not executed; the index's.
pub fn correlations(
    store: &Store,
    monitor: &Monitor,
    run: &RunRow,
    yields: &[Yield],
    (n_resamples, seed): (u64, u64),
) -> Result<Vec<YieldAgreement>, EvalError> {
    let setting = store.execution_setting(run.id)?;
    let setting = setting.ok_or_else(|| EvalError::NotExecuted {
        run: run.setting.name.clone(),
    })?;
    let n_predictions = run.n_predictions as u32;
    let executions = store.executions(run.id, &setting.engine, n_predictions, monitor)?;
    let faults = store.fault_counts(run.id, &setting.engine)?;
    let flags = store.result_flags(run.id, n_predictions, monitor)?;
    let mut measures: Vec<(String, Vec<f64>)> = Vec::new();
    // A ceiling says nothing of an answer.
    for metric in METRICS.iter().filter(|metric| metric.ceiling_of.is_none()) {
        let found = store.evaluations(run.id, &[metric.id])?;
        if let Some(evaluation) = found.into_iter().flatten().next() {
            let mut values = store.result_scores(evaluation, n_predictions, monitor)?;
            for (value, flags) in values.iter_mut().zip(&flags) {
                if !flags.has_reference() {
                    *value = f64::NAN;
                }
            }
            measures.push((metric.id.to_owned(), values));
        }
    }
    let losses = losses(store, monitor, run)?;
    if losses.iter().any(|loss| !loss.is_nan()) {
        measures.push(("loss".to_owned(), losses));
    }
    let mut found = Vec::new();
    for (measure, values) in measures {
        for with in yields {
            monitor.step()?;
            if *with == Yield::Mutation && faults.is_empty() {
                continue;
            }
            let pairs = (0_u32..).zip(values.iter().zip(&executions)).filter_map(
                |(ordinal, (value, execution))| {
                    let of = with.of(execution.as_ref()?, faults.get(&ordinal).copied())?;
                    (!value.is_nan()).then_some((*value, of))
                },
            );
            let (xs, ys): (Vec<f64>, Vec<f64>) = pairs.unzip();
            found.push(YieldAgreement {
                measure: measure.clone(),
                with: *with,
                n: xs.len() as u64,
                pearson: correlation(&xs, &ys, n_resamples, seed),
                spearman: correlation(&ranks(&xs), &ranks(&ys), n_resamples, seed),
            });
        }
    }
    Ok(found)
}

/// Reads the loss that the file gave for each prediction; NaN where it gave none.
fn losses(store: &Store, monitor: &Monitor, run: &RunRow) -> Result<Vec<f64>, EvalError> {
    let mut losses = Vec::with_capacity(run.n_predictions as usize);
    loop {
        monitor.step()?;
        let first = losses.len() as u32;
        let predictions = store.predictions(run.id, first, PREDICTIONS_AT_ONCE as usize)?;
        if predictions.is_empty() {
            return Ok(losses);
        }
        losses.extend(predictions.iter().map(|prediction| {
            let loss = prediction.meta.as_deref().and_then(loss_of);
            loss.unwrap_or(f64::NAN)
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::CoverageCounter;

    fn total(focal: &str, lines: Option<(u32, u32)>) -> FocalTotal {
        FocalTotal {
            project: "a".to_owned(),
            focal: focal.to_owned(),
            scope: CoverScope::All,
            lines: lines.map(|(covered, missed)| CoverageCounter { missed, covered }),
            branches: None,
        }
    }

    #[test]
    fn coverage_is_compared_over_the_methods_of_both_runs() {
        let first = vec![
            total("x", Some((1, 3))),
            total("y", Some((10, 0))),
            total("z", None),
        ];
        let second = vec![
            total("w", Some((0, 50))),
            total("x", Some((2, 2))),
            total("z", Some((1, 1))),
        ];
        let [first, second] = alike(&[first, second]).expect("x is in both");
        assert_eq!((first.n_methods, second.n_methods), (1, 1));
        assert_eq!(
            (first.micro_lines, second.micro_lines),
            (Some(0.25), Some(0.5))
        );
        assert_eq!(alike(&[vec![total("x", Some((1, 1)))], Vec::new()]), None);
    }
}
