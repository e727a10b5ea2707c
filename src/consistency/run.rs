//! The verb `consistency`: completions of a run are judged and stored, function by function, and gathered into numbers.
//!
//! Decides which functions are judged again: none with the same completions, rule, threshold and version. Functions are
//! judged on all threads, some at a time, and written in order; killed at any moment, it goes on behind the last
//! written one.

use std::fmt::Write as _;
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use crate::ConsistencyError;
use crate::completions::Completion;
use crate::judged::{ConsistencyJudge, JudgeOptions, JudgedFunction};
use crate::mutate::Pass;
use crate::outliers::{DistanceRule, THRESHOLDS};
use crate::seeds::Seeds;
use crate::store::{JudgedSeed, NewCompletion, Store, StoredConsistency};
use crate::tables::RunTables;
use crate::task::{Monitor, Phase};

/// The version of all that decides similarities, outliers and repair.
pub const VERSION: u32 = 1;

/// Functions that are in memory at a time: enough to share among threads, few enough for any run.
const SEEDS_AT_ONCE: usize = 256;

/// The counts of the work done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConsistencyReport {
    pub n_seeds: u64,
    /// Completions that are new or differ from the stored ones.
    pub n_completions: u64,
    pub n_judged: u64,
    /// Functions whose stored judgement is still valid.
    pub n_known: u64,
}

/// Writes functions and completions of a run into the index.
///
/// # Errors
/// Those of the index, and when it was cancelled.
pub fn import(
    store: &mut Store,
    monitor: &Monitor,
    run: &str,
    seeds: &Seeds,
    completions: &[Completion],
) -> Result<ConsistencyReport, ConsistencyError> {
    monitor.enter(Phase::Storing);
    let ids = store.write_mutations(run, &seeds.list, monitor)?;
    let new = completions.iter().map(|completion| NewCompletion {
        seed: ids[completion.seed],
        pass: completion.pass.map_or("", Pass::as_str).to_owned(),
        text: completion.text.clone(),
        raw: completion.raw.clone(),
    });
    let new: Vec<NewCompletion> = new.collect();
    let n_completions = store.write_completions(run, &new, monitor)?;
    Ok(ConsistencyReport {
        n_seeds: ids.len() as u64,
        n_completions,
        ..ConsistencyReport::default()
    })
}

/// Reads the functions of a run.
///
/// # Errors
/// Those of the index, and where it has no such run.
pub fn seeds(store: &Store, run: &str) -> Result<Seeds, ConsistencyError> {
    check(store, run)?;
    let mut list = Vec::new();
    store.each_consistency(run, |stored_consistency| {
        list.push(stored_consistency.seed);
        Ok::<_, ConsistencyError>(())
    })?;
    Ok(Seeds::of(list))
}

/// Checks that the index has a run.
///
/// # Errors
/// Those of the index, and where it has no such run.
pub fn check(store: &Store, run: &str) -> Result<(), ConsistencyError> {
    let runs = store.consistency_runs()?;
    if runs
        .iter()
        .any(|consistency_run| consistency_run.name == run)
    {
        return Ok(());
    }
    Err(ConsistencyError::NoSuchRun {
        name: run.to_owned(),
        known: runs.into_iter().map(|run| run.name).collect(),
    })
}

/// Judges the functions of a run that are not judged yet.
///
/// # Errors
/// Those of the index, and when it was cancelled.
pub fn judge(
    store: &mut Store,
    monitor: &Monitor,
    run: &str,
    options: JudgeOptions,
) -> Result<ConsistencyReport, ConsistencyError> {
    monitor.enter(Phase::Reading);
    let mut done = ConsistencyReport::default();
    let ids = store.consistency_seeds(run)?;
    for chunk in ids.chunks(SEEDS_AT_ONCE) {
        monitor.step()?;
        let mut open = Vec::new();
        for id in chunk {
            let Some(stored_consistency) = store.consistency(run, *id)? else {
                continue;
            };
            done.n_seeds += 1;
            if stored_consistency
                .judged
                .as_ref()
                .is_some_and(|judged_seed| is_current(judged_seed, options))
            {
                done.n_known += 1;
            } else if !stored_consistency.completions.is_empty() {
                open.push(stored_consistency);
            }
        }
        let judged: Vec<(i64, JudgedSeed)> = open
            .par_iter()
            .map_init(
                || ConsistencyJudge::new(options),
                |judge, stored_consistency| stored(judge, stored_consistency, options),
            )
            .collect();
        done.n_judged += judged.len() as u64;
        store.write_judged(run, &judged, monitor)?;
        monitor
            .n_samples
            .fetch_add(chunk.len() as u64, Ordering::Relaxed);
    }
    Ok(done)
}

fn stored(
    judge: &mut ConsistencyJudge,
    of: &StoredConsistency,
    options: JudgeOptions,
) -> (i64, JudgedSeed) {
    let cells = cells(of);
    let judged = judge.judge(&of.seed, &completions(of), cells);
    let repaired = judged
        .repaired
        .map(|repaired| word(judged.passes[repaired]).to_owned());
    let row = JudgedSeed {
        version: VERSION,
        matrix: judged.matrix.cells().to_vec(),
        outliers: outliers(&judged, options),
        repaired,
    };
    (of.id, row)
}

/// Takes the stored similarities, where they are still valid.
fn cells(of: &StoredConsistency) -> Option<&[u8]> {
    let judged = of
        .judged
        .as_ref()
        .filter(|judged_seed| judged_seed.version == VERSION)?;
    Some(&judged.matrix)
}

fn is_current(judged: &JudgedSeed, options: JudgeOptions) -> bool {
    judged.version == VERSION && judged.outliers.starts_with(&head(options))
}

fn head(options: JudgeOptions) -> String {
    format!(
        "{{\"rule\":\"{}\",\"threshold\":{},",
        options.rule.as_str(),
        options.threshold
    )
}

/// Writes the outliers of both rules as JSON: for each threshold their positions among the completions.
fn outliers(judged: &JudgedFunction, options: JudgeOptions) -> String {
    let mut text = head(options);
    for (idx, rule) in DistanceRule::ALL.iter().enumerate() {
        let comma = if idx == 0 { "" } else { "," };
        // Writing to a string cannot fail.
        let _ = write!(text, "{comma}\"{}\":{{", rule.as_str());
        for (at, threshold) in THRESHOLDS.iter().enumerate() {
            let is_outlier = judged.outliers_at(*rule, *threshold);
            let places = (0..is_outlier.len()).filter(|n| is_outlier[*n]);
            let places: Vec<String> = places.map(|place| place.to_string()).collect();
            let comma = if at == 0 { "" } else { "," };
            let _ = write!(text, "{comma}\"{threshold}\":[{}]", places.join(","));
        }
        text.push('}');
    }
    text.push('}');
    text
}

fn word(pass: Option<Pass>) -> &'static str {
    pass.map_or("", Pass::as_str)
}

/// Copies the completions of a stored function, all with 0 as their seed.
#[must_use]
pub fn completions(of: &StoredConsistency) -> Vec<Completion> {
    let all = of.completions.iter().map(|completion| Completion {
        seed: 0,
        pass: Pass::of(&completion.pass),
        text: completion.text.clone(),
        raw: completion.raw.clone(),
    });
    all.collect()
}

/// Judges the completions of a function of the index; stored results are not computed again.
#[must_use]
pub fn judged(judge: &mut ConsistencyJudge, of: &StoredConsistency) -> JudgedFunction {
    judge.judge(&of.seed, &completions(of), cells(of))
}

/// One line of a list of functions.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionOutline {
    pub id: i64,
    pub name: String,
    pub function: String,
    /// The number of completions that are not empty.
    pub k: usize,
    pub n_empty: u64,
    pub n_outliers: usize,
    /// The mean distance of two completions.
    pub spread: Option<f64>,
    /// The pass whose completion is taken, with an inner `None` for the function's own; `None` where none is taken.
    pub repaired: Option<Option<Pass>>,
}

/// Outlines every function of a run for a list, in order.
///
/// # Errors
/// Those of the index.
pub fn outlines(
    store: &Store,
    run: &str,
    options: JudgeOptions,
) -> Result<Vec<FunctionOutline>, ConsistencyError> {
    let mut judge = ConsistencyJudge::without_scores(options);
    let mut all = Vec::new();
    store.each_consistency(run, |of| {
        let judged = judged(&mut judge, &of);
        let is_outlier = judged.outliers_at(options.rule, options.threshold);
        all.push(FunctionOutline {
            id: of.id,
            name: of.seed.name,
            function: of.seed.function,
            k: judged.texts.len(),
            n_empty: judged.n_empty,
            n_outliers: is_outlier.iter().filter(|flag| **flag).count(),
            spread: judged.matrix.spread(),
            repaired: judged.repaired.map(|repaired| judged.passes[repaired]),
        });
        Ok::<_, ConsistencyError>(())
    })?;
    Ok(all)
}

/// Gathers the numbers of a run, all together and by data set, and hands every function to `each`.
///
/// # Errors
/// Those of the index and of `each`, and when it was cancelled.
pub fn numbers<E: From<ConsistencyError>>(
    store: &Store,
    monitor: &Monitor,
    run: &str,
    options: JudgeOptions,
    mut each: impl FnMut(&StoredConsistency, &JudgedFunction) -> Result<(), E>,
) -> Result<RunTables, E> {
    monitor.enter(Phase::Reading);
    let mut numbers = RunTables::default();
    let ids = store
        .consistency_seeds(run)
        .map_err(ConsistencyError::from)?;
    for chunk in ids.chunks(SEEDS_AT_ONCE) {
        monitor.step().map_err(ConsistencyError::from)?;
        let mut found = Vec::new();
        for id in chunk {
            found.extend(
                store
                    .consistency(run, *id)
                    .map_err(ConsistencyError::from)?,
            );
        }
        let all: Vec<JudgedFunction> = found
            .par_iter()
            .map_init(|| ConsistencyJudge::new(options), judged)
            .collect();
        for (of, judged) in found.iter().zip(&all) {
            numbers.add_seed(&of.seed);
            if !of.completions.is_empty() {
                numbers.add(&of.seed, judged);
                each(of, judged)?;
            }
        }
    }
    Ok(numbers)
}
