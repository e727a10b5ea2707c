//! Self-contained problems: each test function with what it needs of its file, verified by running it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::atomic::Ordering;

use crate::exchange::outcomes::to_json;
use crate::model::Outcome;
use crate::runner::Site;
use crate::runner::python::{self, Environment, FileFacts, PythonCase, cut, run_cases};
use crate::store::{CloverCase, CloverSuite, Store};
use crate::task::Monitor;

use super::sources::source_files;
use super::{CloverError, CloverOptions, file_of, folder_of};

/// How many verified problems one transaction writes; a killed run loses fewer than this.
const N_AT_A_TIME: usize = 32;

/// A test function as a separate file, or why it is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloverProblem {
    /// `tests/x.py::Class::test`
    pub id: String,
    pub path: Option<String>,
    pub code: Option<String>,
    /// Its outcome when its file is run alone.
    pub outcome: Option<Outcome>,
    /// Why it is none: `inherited`, `differs` …
    pub reason: Option<String>,
}

impl CloverProblem {
    /// Tells whether it behaves by itself as in the suite.
    #[must_use]
    pub fn is_verified(&self) -> bool {
        self.reason.is_none() && self.outcome.is_some()
    }
}

/// Cuts out every test function of a project that is not there yet, and returns all that were asked for, in order.
///
/// # Errors
/// Where nothing more can be run or written.
pub fn extract(
    store: &mut Store,
    site: &Site,
    environment: &Environment,
    options: &CloverOptions,
    monitor: &Monitor,
) -> Result<Vec<CloverProblem>, CloverError> {
    tell_suite(store, environment)?;
    let version = environment.version();
    let known: BTreeMap<String, CloverCase> = store
        .clover_cases(&environment.name)?
        .into_iter()
        .filter(|clover_case| {
            clover_case.version == version
                && (clover_case.outcome.is_some() || clover_case.code.is_none())
        })
        .map(|clover_case| (clover_case.node.clone(), clover_case))
        .collect();
    let wanted: Vec<&String> = environment
        .suite
        .functions
        .keys()
        .filter(|key| options.asks(key))
        .collect();
    let new: Vec<&String> = wanted
        .iter()
        .copied()
        .filter(|wanted| !known.contains_key(*wanted))
        .collect();
    let mut problems = cut_out(site, environment, &new, monitor)?;
    let mut written: Vec<CloverCase> = problems
        .iter()
        .filter(|problem| problem.code.is_none())
        .map(|problem| row(problem, &version))
        .collect();
    write(store, environment, &mut written, monitor)?;
    verify(store, site, environment, options, &mut problems, monitor)?;
    let known = known
        .into_values()
        .filter(|clover_case| wanted.contains(&&clover_case.node))
        .map(of_row);
    let mut all: Vec<CloverProblem> = known.chain(problems).collect();
    all.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(all)
}

/// Writes the place and the names of the project's files into the index, so that a reader needs no environment.
fn tell_suite(store: &mut Store, environment: &Environment) -> Result<(), CloverError> {
    let suite = CloverSuite {
        project: environment.name.clone(),
        checkout: environment.checkout.display().to_string(),
        files: to_json(&source_files(environment)),
    };
    if !store.clover_suites()?.contains(&suite) {
        store.write_clover_suite(&suite)?;
    }
    Ok(())
}

fn row(problem: &CloverProblem, version: &str) -> CloverCase {
    CloverCase {
        node: problem.id.clone(),
        version: version.to_owned(),
        path: problem.path.clone(),
        code: problem.code.clone(),
        outcome: problem.outcome,
        reason: problem.reason.clone(),
        ran: None,
    }
}

fn of_row(row: CloverCase) -> CloverProblem {
    CloverProblem {
        id: row.node,
        path: row.path,
        code: row.code,
        outcome: row.outcome,
        reason: row.reason,
    }
}

fn write(
    store: &mut Store,
    environment: &Environment,
    rows: &mut Vec<CloverCase>,
    monitor: &Monitor,
) -> Result<(), CloverError> {
    let rows: Vec<_> = rows.drain(..).map(|row| (row, Vec::new())).collect();
    if !rows.is_empty() {
        store.write_clover(&environment.name, &rows, monitor)?;
    }
    Ok(())
}

/// Cuts files down, without running anything.
fn cut_out(
    site: &Site,
    environment: &Environment,
    ids: &[&String],
    monitor: &Monitor,
) -> Result<Vec<CloverProblem>, CloverError> {
    let files: BTreeSet<&str> = ids.iter().map(|id| file_of(id)).collect();
    let paths: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let facts = python::facts(site, environment, &paths, monitor)?;
    let facts: BTreeMap<&str, &FileFacts> = facts
        .iter()
        .map(|fact| (fact.path.as_str(), fact))
        .collect();
    let mut texts: BTreeMap<&str, Result<String, String>> = BTreeMap::new();
    for file in files {
        let path = environment.checkout.join(file);
        let text = fs::read_to_string(&path).map_err(|error| format!("cannot be read: {error}"));
        texts.insert(file, text);
    }
    let collected = |file: &str| -> BTreeSet<String> {
        let of_file = environment
            .suite
            .functions
            .keys()
            .filter(|key| file_of(key) == file);
        of_file
            .filter_map(|text| Some(text.split_once("::")?.1.to_owned()))
            .collect()
    };
    let by_file: BTreeMap<&str, BTreeSet<String>> =
        texts.keys().map(|key| (*key, collected(key))).collect();
    let mut problems = Vec::new();
    for id in ids {
        monitor.step()?;
        let file = file_of(id);
        let mut problem = CloverProblem {
            id: (*id).clone(),
            path: None,
            code: None,
            outcome: None,
            reason: None,
        };
        let name = id.split_once("::").map(|pair| pair.1);
        match (facts.get(file), &texts[file], name) {
            (Some(facts), Ok(text), Some(name)) if facts.error.is_none() => {
                match cut(text, facts, &by_file[file], Some(name)) {
                    Some(cut) => {
                        problem.path = Some(path_of(id));
                        problem.code = Some(cut.text);
                    }
                    None => problem.reason = Some("inherited".to_owned()),
                }
            }
            (_, Err(why), _) => problem.reason = Some(why.clone()),
            (Some(facts), ..) if facts.error.is_some() => problem.reason.clone_from(&facts.error),
            _ => problem.reason = Some("no function".to_owned()),
        }
        problems.push(problem);
    }
    Ok(problems)
}

/// Returns the path of a problem's file: beside the file that it was cut out of.
fn path_of(id: &str) -> String {
    let file = file_of(id);
    let stem = file
        .rsplit('/')
        .next()
        .unwrap_or(file)
        .trim_end_matches(".py");
    let names: Vec<&str> = id.split("::").skip(1).collect();
    let folder = folder_of(file);
    let slash = if folder.is_empty() { "" } else { "/" };
    format!("{folder}{slash}tmp_{stem}__{}.py", names.join("__"))
}

/// Translates pytest's word for the outcome of a function in the suite.
fn own_outcome(word: &str) -> Outcome {
    match word {
        "passed" | "xpassed" => Outcome::Passing,
        "skipped" | "xfailed" => Outcome::NotExecuted,
        "timeout" => Outcome::Timeout,
        _ => Outcome::Failing,
    }
}

/// Runs the files that were cut out; a function whose outcome differs from the suite's gets a reason and is not a
/// problem.
#[expect(
    clippy::too_many_arguments,
    reason = "each is of its own: what is there, what is asked, and who watches"
)]
fn verify(
    store: &mut Store,
    site: &Site,
    environment: &Environment,
    options: &CloverOptions,
    problems: &mut [CloverProblem],
    monitor: &Monitor,
) -> Result<(), CloverError> {
    let idxs: Vec<usize> = (0..problems.len())
        .filter(|n| problems[*n].code.is_some())
        .collect();
    let cases: Vec<PythonCase> = idxs
        .iter()
        .map(|idx| PythonCase {
            path: problems[*idx].path.clone().unwrap_or_default(),
            code: problems[*idx].code.clone(),
            ..PythonCase::default()
        })
        .collect();
    monitor
        .n_predictions_total
        .fetch_add(cases.len() as u64, Ordering::Relaxed);
    let version = environment.version();
    let mut rows = Vec::new();
    let mut failed = None;
    let running = options.running(false);
    let ran = run_cases(
        site,
        environment,
        &cases,
        &running,
        monitor,
        &mut |idx, ran| {
            monitor.n_predictions.fetch_add(1, Ordering::Relaxed);
            let problem = &mut problems[idxs[idx]];
            let own = environment
                .suite
                .functions
                .get(&problem.id)
                .map_or(Outcome::Passing, |function| own_outcome(function));
            problem.outcome = Some(ran.outcome);
            if ran.outcome != own {
                let why = ran.reason.unwrap_or_default();
                problem.reason = Some(format!(
                    "differs: {} in the suite, {} alone ({why})",
                    own.as_str(),
                    ran.outcome.as_str()
                ));
            }
            rows.push(row(problem, &version));
            if rows.len() >= N_AT_A_TIME
                && let Err(error) = write(store, environment, &mut rows, monitor)
            {
                failed = Some(error);
                return Err(crate::task::Cancelled);
            }
            Ok(())
        },
    );
    // Finished problems are written even after a cancel.
    let kept = write(store, environment, &mut rows, &Monitor::default());
    if let Some(error) = failed {
        return Err(error);
    }
    ran?;
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_lies_beside_the_file_that_it_was_cut_out_of() {
        assert_eq!(
            path_of("tests/a/test_x.py::TestC::test_d"),
            "tests/a/tmp_test_x__TestC__test_d.py"
        );
        assert_eq!(path_of("test_x.py::test_d"), "tmp_test_x__test_d.py");
    }
}
