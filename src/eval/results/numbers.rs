//! Numbers of groups of predictions beside their counts: how far they come, how much they cover, and how they score.

use rustc_hash::FxHashSet;

use crate::model::{
    CoverScope, ExecutionFunnel, FocalShares, FocalTotal, GroupNumbers, Outcome, ResultGroup,
    SampleKey,
};
use crate::store::ResultFlags;

use super::super::EvalError;
use super::ResultList;
use super::columns::ColumnReader;
use super::groups::{GroupMean, Grouping, grouping, placed};
use crate::by::GroupBy;

/// Computes the numbers of a list's groups, in their order. A prediction with several tags counts in each.
pub fn of_list(
    reader: &ColumnReader<'_>,
    list: &ResultList,
    by: GroupBy,
) -> Result<Vec<(ResultGroup, GroupNumbers)>, EvalError> {
    let grouping = grouping(reader, by)?;
    let groups = placed(reader, list, (by, &grouping))?;
    let mut all = vec![GroupNumbers::default(); grouping.n_groups()];
    count(reader, list, &grouping, &mut all)?;
    score(reader, list, &grouping, &mut all)?;
    let totals = match (&list.view.engine, by) {
        (Some(engine), GroupBy::Repo) => reader.store.focal_totals(list.view.run.id, engine)?,
        _ => Vec::new(),
    };
    let mut n_of_run = vec![0; grouping.n_groups()];
    for ordinal in 0..reader.n_predictions() {
        for place in grouping.places.of(ordinal) {
            n_of_run[place] += 1;
        }
    }
    let groups = groups.into_iter().map(|(place, group)| {
        let mut numbers = std::mem::take(&mut all[place]);
        let is_whole = group.n_predictions == n_of_run[place];
        numbers.covered = is_whole.then(|| covered(&totals, &group.name)).flatten();
        (group, numbers)
    });
    Ok(groups.collect())
}

/// Sums up the focal methods of a repository; nothing where it has none.
fn covered(totals: &[FocalTotal], project: &str) -> Option<[FocalShares; CoverScope::ALL.len()]> {
    let of_project = || totals.iter().filter(|total| total.project == project);
    of_project().next()?;
    let of_scope =
        |scope| FocalShares::of(of_project().filter(|focal_total| focal_total.scope == scope));
    Some([CoverScope::All, CoverScope::Own].map(of_scope))
}

/// Counts samples, and how far candidates come.
fn count(
    reader: &ColumnReader<'_>,
    list: &ResultList,
    grouping: &Grouping,
    all: &mut [GroupNumbers],
) -> Result<(), EvalError> {
    let (flags, attempts, keys) = (reader.flags()?, reader.attempts()?, keys(reader)?);
    let (executions, faults) = (reader.executions()?, reader.faults()?);
    let is_executed = list.view.engine.is_some();
    let mut samples: FxHashSet<(usize, &SampleKey)> = FxHashSet::default();
    for ordinal in &list.ordinals {
        let idx = *ordinal as usize;
        let execution = executions[idx];
        let asserts = asserts(
            flags[idx],
            execution.and_then(|execution| execution.asserts),
        );
        let is_unparsable =
            execution.and_then(|execution| execution.outcome) == Some(Outcome::Unparsable);
        let asserts = asserts.or(is_unparsable.then_some(false));
        let counted = execution.and_then(|execution| execution.counted());
        let first = counted.filter(|_| attempts[idx] == 0);
        for place in grouping.places.of(*ordinal) {
            let numbers = &mut all[place];
            numbers.n_samples += u64::from(samples.insert((place, &keys[idx])));
            numbers.n_looked_at += u64::from(asserts.is_some());
            numbers.n_asserting += u64::from(asserts == Some(true));
            numbers.n_ran += u64::from(first.is_some());
            numbers.n_correct += u64::from(first == Some(Outcome::Correct));
            if let Some(counts) = faults.get(ordinal) {
                *numbers.faults.get_or_insert_default() += *counts;
            }
            if is_executed {
                let funnel = numbers.funnel.get_or_insert_with(ExecutionFunnel::default);
                if let Some(execution) = execution {
                    funnel.add(&execution, 1);
                }
            }
        }
    }
    Ok(())
}

/// Tells whether something in an answer can fail: in one that does not parse nothing can.
fn asserts(flags: ResultFlags, ran: Option<bool>) -> Option<bool> {
    let read = flags.asserts();
    ran.or(read).or(flags.is_unparsable().then_some(false))
}

/// Lists the sample of each prediction of the run.
fn keys(reader: &ColumnReader<'_>) -> Result<Vec<SampleKey>, EvalError> {
    reader.announce_run();
    let mut keys = Vec::with_capacity(reader.n_predictions() as usize);
    let run = reader.view.run.id;
    reader.store.each_prediction_keys(run, |_, more| {
        reader.monitor.step()?;
        keys.extend_from_slice(more);
        Ok::<_, EvalError>(())
    })?;
    Ok(keys)
}

/// Computes the means of all metrics that the run has.
fn score(
    reader: &ColumnReader<'_>,
    list: &ResultList,
    grouping: &Grouping,
    all: &mut [GroupNumbers],
) -> Result<(), EvalError> {
    for metric in &list.view.metrics {
        reader.monitor.step()?;
        let scores = reader.scores(metric)?;
        let mut means = vec![GroupMean::default(); all.len()];
        for ordinal in &list.ordinals {
            let value = scores.of(*ordinal);
            for place in grouping.places.of(*ordinal) {
                means[place].add(value);
            }
        }
        for (numbers, mean) in all.iter_mut().zip(means) {
            numbers.means.push(mean.of());
        }
    }
    Ok(())
}
