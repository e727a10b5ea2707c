//! The dry run: test files compile without their tests, and none of them runs.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use crate::choose::ChosenRun;
use crate::engines::Processes;
use crate::executing::ProjectExecutor;
use crate::lang::{self, Outside, SourceText};
use crate::model::{Language, Outcome, SampleKey};
use crate::project::host_file;
use crate::report::DryFile;
use crate::runner::{Candidate, CandidateExecution, Fate, HostFile};
use crate::store::{Extent, PlacedSample, Store};
use crate::task::Phase;
use crate::{ExecuteError, project};

/// Samples that are read at once: larger batches take more memory, smaller ones more queries.
const SAMPLES_AT_ONCE: usize = 512;

/// Compiles every file that holds a sample's test, with a member in place of its tests that is not a test.
pub fn dry(
    executing: &mut ProjectExecutor<'_, '_, '_>,
    chosen: &[ChosenRun],
) -> Result<(), ExecuteError> {
    for chosen in chosen {
        for ordinals in chosen.by_project.values() {
            executing.monitor.step()?;
            of_project(executing, chosen, ordinals)?;
            executing.monitor.n_repos.fetch_add(1, Ordering::Relaxed);
        }
    }
    Ok(())
}

fn of_project(
    executing: &mut ProjectExecutor<'_, '_, '_>,
    chosen: &ChosenRun,
    ordinals: &[u32],
) -> Result<(), ExecuteError> {
    let samples = one_a_file(executing.store, chosen, ordinals)?;
    let Some(first) = samples.values().next() else {
        return Ok(());
    };
    let (repo, root) = (first.sample.repo.clone(), first.sample.root.clone());
    let mut project = executing.open((&repo, &root), chosen.engine, Processes::Shared)?;
    let Ok(engine) = &mut project.engine else {
        return Ok(());
    };
    executing.monitor.enter(Phase::Executing);
    let files: Vec<HostFile> = samples
        .values()
        .map(|placed_sample| host_file(&placed_sample.sample, &executing.spans))
        .collect();
    let mut faults: BTreeMap<usize, String> = BTreeMap::new();
    for (idx, file) in files.iter().enumerate() {
        let n_left = n_tests_left(repo.language, file);
        if n_left > 0 {
            faults.insert(idx, format!("{n_left} tests are left in it"));
        }
    }
    let candidates: Vec<Candidate> = samples
        .values()
        .enumerate()
        .map(|(idx, placed)| nothing(idx, placed))
        .collect();
    let monitor = executing.monitor;
    let ended = engine.run(&files, &candidates, monitor, &mut |ran| {
        if let Some(fault) = fault(&ran) {
            faults.entry(ran.id as usize).or_insert(fault);
        }
        monitor.n_predictions.fetch_add(1, Ordering::Relaxed);
        monitor.step()
    });
    match ended {
        Err(error) if error.is_of_project() => {
            for idx in 0..files.len() {
                faults.entry(idx).or_insert_with(|| error.to_string());
            }
        }
        ended => ended?,
    }
    executing.report.n_files += files.len() as u64;
    let faults = faults.into_iter().filter_map(|(idx, fault)| {
        Some(DryFile {
            project: project.name.clone(),
            path: files.get(idx)?.path.clone(),
            fault,
        })
    });
    executing.report.faults.extend(faults);
    Ok(())
}

/// Finds the first sample of each test file, by path.
fn one_a_file(
    store: &Store,
    chosen: &ChosenRun,
    ordinals: &[u32],
) -> Result<BTreeMap<String, PlacedSample>, ExecuteError> {
    let mut found = BTreeMap::new();
    let run = &chosen.run;
    for ordinals in ordinals.chunks(SAMPLES_AT_ONCE) {
        let mut keys: Vec<SampleKey> = Vec::with_capacity(ordinals.len());
        for ordinal in ordinals {
            keys.extend(store.prediction_keys(run.id, *ordinal, 1)?);
        }
        let samples = store.placed_samples(&keys, run.setting.matcher, Extent::Sample)?;
        for sample in samples.into_iter().flatten() {
            let path = sample.sample.test.path.clone();
            found.entry(path).or_insert(sample);
        }
    }
    Ok(found)
}

/// Counts the visible tests in a file without its mined ones.
fn n_tests_left(language: Language, file: &HostFile) -> usize {
    let mut text = String::with_capacity(file.text.len());
    let mut at = 0;
    for span in &file.tests {
        let (start, end) = (span.start as usize, span.end as usize);
        if start >= at {
            text.push_str(&file.text[at..start]);
            at = end;
        }
    }
    text.push_str(&file.text[at..]);
    let source = SourceText {
        path: &file.path,
        text: &text,
    };
    let project = lang::project_of(language, [source], &Outside::default());
    project.tests.len()
}

/// Makes a candidate that is not a test.
fn nothing(idx: usize, placed: &PlacedSample) -> Candidate {
    let (name, text) = if placed.sample.repo.language == Language::Python {
        let name = "focalist_runs_nothing";
        let is_method = placed.sample.test.is_of_class;
        let receiver = if is_method { "self" } else { "" };
        (name, format!("def {name}({receiver}):\n    pass\n"))
    } else {
        let name = "focalistRunsNothing";
        (name, format!("void {name}() {{ }}"))
    };
    project::candidate_of(idx as u64, idx, placed, name, &text)
}

fn fault(ran: &CandidateExecution) -> Option<String> {
    let why = || {
        let why = ran
            .why
            .as_ref()
            .map(|outcome_reason| format!(": {}", outcome_reason.message));
        why.unwrap_or_default()
    };
    match ran.fate {
        Fate::Ran(Outcome::NotExecuted) => None,
        Fate::Ran(Outcome::NotCompilable) => {
            Some(format!("it does not compile without its tests{}", why()))
        }
        Fate::Ran(outcome) => Some(format!(
            "something ran in it: {}{}",
            outcome.as_str(),
            why()
        )),
        Fate::Blocked(blocked) => Some(format!("{}{}", blocked.as_str(), why())),
    }
}
