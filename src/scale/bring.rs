//! The verb `merge --run`: copies the results of a run from its shards into the index that they were cut from.
//!
//! Nothing counts twice and nothing depends on the order, because a value replaces the same value. The next evaluation
//! only computes the sums.

use std::path::{Path, PathBuf};

use crate::model::RunRow;
use crate::store::{Store, StoreAccess, StoreError};
use crate::task::{Monitor, Phase};

use super::merge::{MergeError, UnmergedReason, index_in};

/// The counts of what was copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunMergeReport {
    pub n_inputs: u64,
    /// The number of predictions in all inputs together.
    pub n_predictions: u64,
    pub n_scores: u64,
    pub n_outcomes: u64,
    /// The number of answers that were new here.
    pub n_answers: u64,
    /// Inputs that were left out, as a whole or their scores, and why.
    pub left_out: Vec<(PathBuf, UnmergedReason)>,
}

/// Copies back the results of a run.
///
/// # Errors
/// [`MergeError::LeftOut`] when it is strict, and the database's.
pub fn merge_run(
    store: &mut Store,
    monitor: &Monitor,
    run: &str,
    (inputs, is_strict): (&[PathBuf], bool),
) -> Result<RunMergeReport, MergeError> {
    monitor.enter(Phase::Storing);
    let mut report = RunMergeReport::default();
    let here = store.run(run)?;
    if let Some(here) = &here {
        let dataset = match store.dataset_now(here.id)? {
            Some(dataset) => dataset,
            None => store.hash_references((store, here), monitor, |_| {})?,
        };
        // Scores against samples that have changed since do not count.
        store.begin_evaluations(here.id, &[], dataset, monitor)?;
    }
    for path in inputs {
        monitor.step()?;
        // A shard's list, its index and an engine's log are where a pattern finds them.
        if path.is_file() {
            continue;
        }
        match input(store, monitor, (run, here.as_ref()), path, &mut report)? {
            Ok(()) => report.n_inputs += 1,
            Err(why) if is_strict => {
                let path = path.clone();
                return Err(MergeError::LeftOut { path, why });
            }
            Err(why) => report.left_out.push((path.clone(), why)),
        }
    }
    if report.n_inputs == 0 {
        return Err(MergeError::Nothing {
            n_inputs: inputs.len(),
            left_out: report.left_out,
        });
    }
    if let Some(here) = &here {
        store.finish_parts(here)?;
    }
    Ok(report)
}

/// Takes one input, or says why not.
fn input(
    store: &mut Store,
    monitor: &Monitor,
    (name, here): (&str, Option<&RunRow>),
    path: &Path,
    report: &mut RunMergeReport,
) -> Result<Result<(), UnmergedReason>, MergeError> {
    let folder = match index_in(path, UnmergedReason::UnfinishedPart) {
        Ok(folder) => folder,
        Err(why) => return Ok(Err(why)),
    };
    let opened = Store::open(&folder, StoreAccess::Read).and_then(|from| {
        from.check_pages()?;
        Ok(from)
    });
    let from = match opened {
        Ok(from) => from,
        Err(error @ StoreError::Cancelled(_)) => return Err(error.into()),
        Err(error) => return Ok(Err(UnmergedReason::unreadable(&error))),
    };
    report.n_answers += store.merge_answers(&from, monitor)?;
    let Some(part) = from.run(name)? else {
        return Ok(Ok(()));
    };
    let Some(here) = here else {
        let run = name.to_owned();
        return Ok(Err(UnmergedReason::NoRun { run }));
    };
    let places = store.places_of_part(here.id, &from, &part)?;
    let n_others = places.iter().filter(|place| place.is_none()).count();
    let places: Vec<u32> = places.into_iter().flatten().collect();
    if n_others > 0 {
        return Ok(Err(UnmergedReason::OtherPredictions {
            n_others,
            n_predictions: part.n_predictions,
        }));
    }
    report.n_predictions += places.len() as u64;
    let of_part = (part.id, places.as_slice());
    report.n_outcomes += store.merge_executions(here.id, &from, of_part, monitor)?;
    let Some(dataset) = from.dataset(part.id)? else {
        return Ok(Ok(()));
    };
    if store.hash_references((&from, &part), monitor, |_| {})? != dataset {
        report
            .left_out
            .push((path.to_owned(), UnmergedReason::OtherSamples));
        return Ok(Ok(()));
    }
    report.n_scores += store.merge_scores(here, &from, (&part, &places), monitor)?;
    Ok(Ok(()))
}
