//! Measures how much of its focal methods the passing candidates of a project cover together (`Tests4J` 3.5).
//!
//! An engine that can add up sets answers exactly. Where none can, the lines of the candidates that are about the
//! method are added up, and branches stay unknown.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::choose::ChosenRun;
use crate::exchange::outcomes::record_of;
use crate::model::{
    CoverScope, CoverageCounter, CoveredSet, Execution, ExecutionSetting, FocalCoverage,
    FocalTotal, LineCover, Outcome,
};
use crate::project::focal;
use crate::runner::{CoverageQuestion, Engine, Focal};
use crate::store::{Extent, Store};
use crate::task::{EngineStep, Monitor};
use crate::{ExecuteError, model};

/// Predictions that are read at once: larger batches take more memory, smaller ones more queries.
const PREDICTIONS_AT_ONCE: usize = 512;

/// A focal method of the project.
struct CoveredMethod {
    focal: Focal,
    /// A test file whose tests are about it.
    path: String,
    /// The sets that its own passing candidates cover.
    own: Union,
    /// For each line that candidates report: whether a passing one ran it.
    lines: BTreeMap<u32, bool>,
}

/// Sets of covered lines or probes, added up by unit.
#[derive(Default)]
struct Union(BTreeMap<String, Vec<u8>>);

impl Union {
    fn add(&mut self, sets: &[CoveredSet]) {
        for set in sets {
            let bits = self.0.entry(set.unit.clone()).or_default();
            if bits.len() < set.bits.len() {
                bits.resize(set.bits.len(), 0);
            }
            for (bits, more) in bits.iter_mut().zip(&set.bits) {
                *bits |= more;
            }
        }
    }

    fn sets(&self) -> Vec<CoveredSet> {
        let sets = self.0.iter().map(|(unit, bits)| CoveredSet {
            unit: unit.clone(),
            bits: bits.clone(),
        });
        sets.collect()
    }
}

/// Adds up the coverage of a project's candidates and keeps it: those that are asked for now, and those that ran before
/// in the same build.
pub fn measure(
    store: &mut Store,
    monitor: &Monitor,
    chosen: &ChosenRun,
    (setting, identity, build): (&ExecutionSetting, &str, &str),
    engine: Option<&mut dyn Engine>,
) -> Result<(), ExecuteError> {
    let run = &chosen.run;
    let n_predictions = run.n_predictions as u32;
    let executions = store.executions(run.id, &setting.engine, n_predictions, monitor)?;
    let asked = chosen.by_project.get(identity);
    let asked: FxHashSet<u32> = asked.into_iter().flatten().copied().collect();
    let mut ordinals = Vec::new();
    for ordinal in chosen.all_by_project.get(identity).into_iter().flatten() {
        let is_executed = executions
            .get(*ordinal as usize)
            .is_some_and(Option::is_some);
        if asked.contains(ordinal)
            || is_executed && is_of_build(store, run.id, setting, (*ordinal, build))?
        {
            ordinals.push(*ordinal);
        }
    }
    let mut methods: BTreeMap<String, CoveredMethod> = BTreeMap::new();
    let mut all = Union::default();
    for ordinals in ordinals.chunks(PREDICTIONS_AT_ONCE) {
        monitor.step()?;
        add(
            store,
            chosen,
            setting,
            (ordinals, &executions),
            (&mut methods, &mut all),
        )?;
    }
    let mut totals = Vec::with_capacity(2 * methods.len());
    let (of_all, of_own) = match engine {
        Some(engine) => asked_of(engine, &methods, &all, monitor)?,
        None => (vec![None; methods.len()], vec![None; methods.len()]),
    };
    for (idx, (key, method)) in methods.iter().enumerate() {
        for (scope, measured) in [(CoverScope::All, &of_all), (CoverScope::Own, &of_own)] {
            let measured: Option<&FocalCoverage> = measured.get(idx).and_then(Option::as_ref);
            totals.push(FocalTotal {
                project: identity.to_owned(),
                focal: key.clone(),
                scope,
                lines: measured
                    .map(|focal_coverage| focal_coverage.lines)
                    .or_else(|| method.counted()),
                branches: measured.and_then(|focal_coverage| focal_coverage.branches),
            });
        }
    }
    let _step = monitor.timings.begin(EngineStep::Write);
    store.write_focal_totals(run.id, (&setting.engine, identity), &totals, monitor)?;
    Ok(())
}

/// Tells whether a prediction ran in this build: sets of another one mean other code.
fn is_of_build(
    store: &Store,
    run: i64,
    setting: &ExecutionSetting,
    (ordinal, build): (u32, &str),
) -> Result<bool, ExecuteError> {
    let stored = store.execution(run, &setting.engine, ordinal)?;
    Ok(stored.is_some_and(|stored_execution| record_of(&stored_execution.record).build == build))
}

type FocalCoverages = Vec<Option<FocalCoverage>>;

/// Asks an engine for the coverage of each method by all candidates, and by its own.
fn asked_of(
    engine: &mut dyn Engine,
    methods: &BTreeMap<String, CoveredMethod>,
    all: &Union,
    monitor: &Monitor,
) -> Result<(FocalCoverages, FocalCoverages), ExecuteError> {
    let sets = all.sets();
    let mut by_path: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (idx, method) in methods.values().enumerate() {
        by_path.entry(&method.path).or_default().push(idx);
    }
    let focals: Vec<&Focal> = methods
        .values()
        .map(|covered_method| &covered_method.focal)
        .collect();
    let of_all = by_path.iter().map(|(path, places)| CoverageQuestion {
        path: (*path).to_owned(),
        focals: places.iter().map(|place| focals[*place].clone()).collect(),
        covered: sets.clone(),
    });
    let of_own = methods.values().map(|covered_method| CoverageQuestion {
        path: covered_method.path.clone(),
        focals: vec![covered_method.focal.clone()],
        covered: covered_method.own.sets(),
    });
    let questions: Vec<CoverageQuestion> = of_all.chain(of_own).collect();
    let answers = match engine.measure(&questions, monitor) {
        Ok(answers) => answers,
        // The outcomes are kept even where exact sums cannot be had.
        Err(error) if error.is_of_project() => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let mut answers = answers.into_iter();
    let mut found = vec![None; methods.len()];
    for places in by_path.values() {
        for (place, answer) in places.iter().zip(answers.next().unwrap_or_default()) {
            found[*place] = answer;
        }
    }
    let own =
        (0..methods.len()).map(|_| answers.next().and_then(|answer| answer.into_iter().next()?));
    let own = own.collect();
    Ok((found, own))
}

/// Adds predictions to the focal methods that they are about.
fn add(
    store: &Store,
    chosen: &ChosenRun,
    setting: &ExecutionSetting,
    (ordinals, executions): (&[u32], &[Option<Execution>]),
    (methods, all): (&mut BTreeMap<String, CoveredMethod>, &mut Union),
) -> Result<(), ExecuteError> {
    let run = &chosen.run;
    let executed = |n: &u32| executions.get(*n as usize).copied().flatten();
    let ordinals: Vec<(u32, Execution)> = ordinals
        .iter()
        .filter_map(|ordinal| Some((*ordinal, executed(ordinal)?)))
        .collect();
    let mut keys = Vec::with_capacity(ordinals.len());
    for (ordinal, _) in &ordinals {
        keys.extend(store.prediction_keys(run.id, *ordinal, 1)?);
    }
    let unique: FxHashSet<model::SampleKey> = keys.iter().copied().collect();
    let mut unique: Vec<model::SampleKey> = unique.into_iter().collect();
    unique.sort_unstable();
    let samples = store.placed_samples(&unique, run.setting.matcher, Extent::Sample)?;
    for ((ordinal, execution), key) in ordinals.into_iter().zip(keys) {
        let place = unique.binary_search(&key).ok();
        let Some(placed) = place.and_then(|place| samples[place].as_ref()) else {
            continue;
        };
        let Some((method, focal)) = placed.sample.focal.as_ref().zip(focal(placed)) else {
            continue;
        };
        let method = methods
            .entry(method.key())
            .or_insert_with(|| CoveredMethod {
                focal,
                path: placed.sample.test.path.clone(),
                own: Union::default(),
                lines: BTreeMap::new(),
            });
        let is_counted = counts(&execution);
        if is_counted {
            let sets = store.execution_coverage(run.id, &setting.engine, ordinal)?;
            method.own.add(&sets);
            all.add(&sets);
        }
        if execution.lines.is_some()
            && let Some(stored) = store.execution(run.id, &setting.engine, ordinal)?
        {
            for (line, cover) in record_of(&stored.record)
                .focal_coverage()
                .map_or_else(Vec::new, |focal_coverage| focal_coverage.by_line)
            {
                *method.lines.entry(line).or_default() |= is_counted && cover != LineCover::Missed;
            }
        }
    }
    Ok(())
}

impl CoveredMethod {
    /// Counts its lines as candidates report them; nothing where none reports any.
    fn counted(&self) -> Option<CoverageCounter> {
        let n_covered = self.lines.values().filter(|value| **value).count() as u32;
        (!self.lines.is_empty()).then(|| CoverageCounter {
            missed: self.lines.len() as u32 - n_covered,
            covered: n_covered,
        })
    }
}

/// Tells whether a candidate counts for coverage.
fn counts(execution: &Execution) -> bool {
    execution.counted().is_some_and(Outcome::passes) && execution.duplicate_of.is_none()
}
