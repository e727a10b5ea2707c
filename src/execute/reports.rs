//! Writes the outcomes of a run in formats of other tools: mutation-testing-elements, JUnit, LCOV, Cobertura.
//!
//! Files have their paths in the project; in a run of several projects, the project's name stands before them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::ExecuteError;
use crate::exchange::coverage::{CoveredFiles, cobertura, lcov};
use crate::exchange::junit::{JunitCase, junit};
use crate::exchange::mutation_report::{
    SCHEMA_VERSION, WireFramework, WireLocation, WireMutatedFile, WireMutationReport,
    WireReportedMutant, WireReportedTest, WireTestFile, WireThresholds,
};
use crate::exchange::outcomes::{record_of, why_of};
use crate::exchange::write_json;
use crate::model::{ExecutionSetting, FaultOutcome, MutantPlace, Outcome, RunRow, SampleKey};
use crate::outcomes::WriteError;
use crate::store::{Store, StoreError, StoredFault};
use crate::task::Monitor;

/// A format of another tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportFormat {
    MutationReport,
    Junit,
    Lcov,
    Cobertura,
}

impl ReportFormat {
    /// Returns the word that asks for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MutationReport => "mutation-report",
            Self::Junit => "junit",
            Self::Lcov => "lcov",
            Self::Cobertura => "cobertura",
        }
    }
}

/// The names and files of a sample.
struct SamplePlace {
    project: String,
    test_path: String,
    class: String,
    test: String,
    /// The focal method's file.
    path: String,
    source: Arc<str>,
}

/// Places of samples, each looked up once.
struct SamplePlaces<'s> {
    store: &'s Store,
    known: FxHashMap<SampleKey, Option<Arc<SamplePlace>>>,
    projects: BTreeSet<String>,
}

impl SamplePlaces<'_> {
    fn of(&mut self, key: &SampleKey) -> Result<Option<Arc<SamplePlace>>, StoreError> {
        if let Some(known) = self.known.get(key) {
            return Ok(known.clone());
        }
        let found = self.store.sample(key, None)?.map(|stored_sample| {
            let method = stored_sample
                .implementation
                .as_ref()
                .or(stored_sample.focal.as_ref());
            Arc::new(SamplePlace {
                project: stored_sample.repo.identity.clone(),
                test_path: stored_sample.test.path.clone(),
                class: stored_sample.row.test_class.clone(),
                test: stored_sample.row.test_name.clone(),
                path: method
                    .map(|stored_method| stored_method.path.clone())
                    .unwrap_or_default(),
                source: method.map_or_else(
                    || "".into(),
                    |stored_method| Arc::clone(&stored_method.text),
                ),
            })
        });
        self.projects.extend(
            found
                .iter()
                .map(|sample_place| sample_place.project.clone()),
        );
        self.known.insert(*key, found.clone());
        Ok(found)
    }

    /// Names a file in the report.
    fn name(&self, place: &SamplePlace, path: &str) -> String {
        if self.projects.len() > 1 {
            format!("{}/{path}", place.project)
        } else {
            path.to_owned()
        }
    }
}

/// Writes the outcomes of an executed run in the format of another tool.
///
/// # Errors
/// The run was never executed; the index's and the writer's.
pub fn write_report(
    store: &Store,
    monitor: &Monitor,
    (run, format): (&RunRow, ReportFormat),
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let name = &run.setting.name;
    let Some(setting) = store.execution_setting(run.id)? else {
        let name = name.clone();
        return Err(ExecuteError::NotExecuted { name }.into());
    };
    let mut places = SamplePlaces {
        store,
        known: FxHashMap::default(),
        projects: BTreeSet::new(),
    };
    // The number of projects decides how files are named, so all are looked up first.
    let mut keys = Vec::new();
    store.each_prediction_keys(run.id, |_, more| {
        keys.extend_from_slice(more);
        Ok::<_, StoreError>(())
    })?;
    for key in &keys {
        monitor.step().map_err(ExecuteError::from)?;
        places.of(key)?;
    }
    let of = (run, &setting);
    match format {
        ReportFormat::MutationReport => mutation_report(&mut places, monitor, of, out)?,
        ReportFormat::Junit => {
            let text = outcomes(&mut places, monitor, of)?;
            out.write_all(text.as_bytes())?;
        }
        ReportFormat::Lcov => {
            let files = covered(&mut places, monitor, of)?;
            out.write_all(lcov(name, &files).as_bytes())?;
        }
        ReportFormat::Cobertura => {
            let files = covered(&mut places, monitor, of)?;
            let version = concat!("focalist ", env!("CARGO_PKG_VERSION"));
            let text = cobertura(version, setting.executed_at, &files);
            out.write_all(text.as_bytes())?;
        }
    }
    Ok(())
}

type ExecutedRun<'a> = (&'a RunRow, &'a ExecutionSetting);

fn outcomes(
    places: &mut SamplePlaces<'_>,
    monitor: &Monitor,
    (run, setting): ExecutedRun<'_>,
) -> Result<String, WriteError> {
    let mut found = Vec::new();
    let store = places.store;
    store.each_execution(run.id, &setting.engine, |stored| {
        monitor.step().map_err(ExecuteError::from)?;
        let place = places.of(&stored.prediction.key)?;
        let why = stored.why.as_deref().and_then(why_of);
        found.push((
            place,
            stored.prediction.key,
            stored.prediction.attempt,
            stored.execution,
            why,
        ));
        Ok::<_, WriteError>(())
    })?;
    let cases: Vec<JunitCase<'_>> = found
        .iter()
        .map(|(place, key, attempt, execution, why)| JunitCase {
            class: place
                .as_ref()
                .map_or("", |sample_place| sample_place.class.as_str()),
            name: test_name(place.as_deref(), key, *attempt),
            execution: *execution,
            why: why.clone(),
        })
        .collect();
    Ok(junit(&run.setting.name, &cases))
}

/// Names a test by its name, its sample's key, and the attempt where that is not the first.
fn test_name(place: Option<&SamplePlace>, key: &SampleKey, attempt: u32) -> String {
    let test = place
        .map(|sample_place| sample_place.test.as_str())
        .unwrap_or_default();
    let id = &key.to_string()[..12];
    let attempt = match attempt {
        0 => String::new(),
        attempt => format!(" #{attempt}"),
    };
    format!("{test} [{id}{attempt}]").trim_start().to_owned()
}

/// Counts for each line of focal methods, by file, the tests that run it.
fn covered(
    places: &mut SamplePlaces<'_>,
    monitor: &Monitor,
    (run, setting): ExecutedRun<'_>,
) -> Result<CoveredFiles, WriteError> {
    let mut files = CoveredFiles::new();
    let store = places.store;
    store.each_execution(run.id, &setting.engine, |stored| {
        monitor.step().map_err(ExecuteError::from)?;
        // Only passing candidates count, as in shares of coverage; a duplicate did not run itself.
        let counts = stored.execution.outcome.is_some_and(Outcome::passes);
        if !counts || stored.execution.duplicate_of.is_some() {
            return Ok(());
        }
        if let Some(place) = places.of(&stored.prediction.key)?
            && !place.path.is_empty()
        {
            let by_line = record_of(&stored.record).by_line;
            if !by_line.is_empty() {
                let lines = files.entry(places.name(&place, &place.path)).or_default();
                for (line, cover) in by_line {
                    *lines.entry(line).or_default() += u32::from(cover > 0);
                }
            }
        }
        Ok::<_, WriteError>(())
    })?;
    Ok(files)
}

/// A mutant with the results of all tests of a run.
struct ReportedMutant {
    first: StoredFault,
    file: String,
    source: Arc<str>,
    outcomes: Vec<(FaultOutcome, String)>,
}

fn mutation_report(
    places: &mut SamplePlaces<'_>,
    monitor: &Monitor,
    (run, setting): ExecutedRun<'_>,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let mut mutants: BTreeMap<String, ReportedMutant> = BTreeMap::new();
    let mut tests: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    let store = places.store;
    store.each_fault(run.id, &setting.engine, |stored| {
        monitor.step().map_err(ExecuteError::from)?;
        let Some(place) = places.of(&stored.sample)? else {
            return Ok(());
        };
        let id = format!("{}#{}", stored.sample, stored.attempt);
        let name = test_name(Some(&place), &stored.sample, stored.attempt);
        let of_file = tests
            .entry(places.name(&place, &place.test_path))
            .or_default();
        of_file.insert(id.clone(), name);
        let outcome = stored.pair.outcome;
        let file = places.name(&place, &stored.pair.mutant.file);
        let is_there = place.path == stored.pair.mutant.file;
        let mutant = stored.pair.mutant.id.to_string();
        let reported = mutants.entry(mutant).or_insert_with(|| ReportedMutant {
            file,
            source: if is_there {
                Arc::clone(&place.source)
            } else {
                "".into()
            },
            outcomes: Vec::new(),
            first: stored,
        });
        reported.outcomes.push((outcome, id));
        Ok::<_, WriteError>(())
    })?;
    let mut files: BTreeMap<String, WireMutatedFile> = BTreeMap::new();
    for (id, reported) in mutants {
        let language = reported.first.pair.mutant.language.as_str();
        let file = files
            .entry(reported.file.clone())
            .or_insert_with(|| WireMutatedFile {
                language,
                source: reported.source.to_string(),
                mutants: Vec::new(),
            });
        if file.source.is_empty() {
            file.source = reported.source.to_string();
        }
        file.mutants.push(mutant(id, &reported));
    }
    let tests = tests.into_iter().map(|(path, tests)| {
        let tests = tests.into_iter();
        let tests = tests.map(|(id, name)| WireReportedTest { id, name });
        let tests = tests.collect();
        (path, WireTestFile { tests })
    });
    let report = WireMutationReport {
        schema_version: SCHEMA_VERSION,
        thresholds: WireThresholds::default(),
        files,
        test_files: tests.collect(),
        framework: WireFramework {
            name: "focalist",
            version: env!("CARGO_PKG_VERSION"),
        },
    };
    write_json(out, &report)?;
    out.write_all(b"\n")?;
    Ok(())
}

fn mutant(id: String, reported: &ReportedMutant) -> WireReportedMutant {
    let mutant = &reported.first.pair.mutant;
    let tests = |is_so: fn(FaultOutcome) -> bool| {
        let tests = reported.outcomes.iter().filter(|outcome| is_so(outcome.0));
        tests.map(|test| test.1.clone()).collect::<Vec<_>>()
    };
    let (location, replacement) = match &mutant.place {
        MutantPlace::Text {
            start,
            end,
            replacement,
        } => {
            let (start, end) = (*start as usize, *end as usize);
            let location = WireLocation::of_bytes(&reported.source, start, end);
            (location, Some(replacement.clone()))
        }
        MutantPlace::ByteCode { .. } => (None, None),
    };
    let location = location.unwrap_or_else(|| WireLocation::of_line(&reported.source, mutant.line));
    let by = reported.first.equivalent_by();
    let (status, reason) = if by.is_empty() {
        let (status, reason) = status(reported.outcomes.iter().map(|outcome| outcome.0));
        (status, reason.map(str::to_owned))
    } else {
        let reason = format!("marked as equivalent by {}", by.join(", "));
        ("Ignored", Some(reason))
    };
    WireReportedMutant {
        id,
        mutator_name: mutant
            .mutator
            .rsplit('.')
            .next()
            .unwrap_or_default()
            .to_owned(),
        description: mutant.description.clone(),
        replacement,
        location,
        status,
        status_reason: reason,
        killed_by: tests(FaultOutcome::is_detected),
        covered_by: tests(|fault_outcome| {
            fault_outcome.is_detected()
                || matches!(
                    fault_outcome,
                    FaultOutcome::Survived | FaultOutcome::Unstable
                )
        }),
    }
}

/// Chooses the schema's word for a mutant by the best result of several tests, and the reason where the word does not
/// tell it: a mutant that one test notices is noticed.
fn status(outcomes: impl Iterator<Item = FaultOutcome>) -> (&'static str, Option<&'static str>) {
    let mut best = (0, ("NotViable", None));
    for outcome in outcomes {
        let (rank, said) = match outcome {
            FaultOutcome::KilledByAssertion | FaultOutcome::KilledByError => (7, ("Killed", None)),
            FaultOutcome::TimedOut => (6, ("Timeout", None)),
            FaultOutcome::OutOfMemory => (5, ("RuntimeError", Some("out of memory"))),
            FaultOutcome::Survived => (4, ("Survived", None)),
            FaultOutcome::Unstable => (3, ("Ignored", Some("repeated runs differ"))),
            FaultOutcome::NotCovered => (2, ("NoCoverage", None)),
            FaultOutcome::NotViable => {
                (1, ("CompileError", Some("the changed code does not load")))
            }
        };
        if rank > best.0 {
            best = (rank, said);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use FaultOutcome::{
        KilledByError, NotCovered, NotViable, OutOfMemory, Survived, TimedOut, Unstable,
    };

    #[test]
    fn what_one_test_notices_is_noticed() {
        let check = |outcomes: &[FaultOutcome], expected: &str| {
            assert_eq!(status(outcomes.iter().copied()).0, expected, "{outcomes:?}");
        };
        check(&[Survived, KilledByError, NotCovered], "Killed");
        check(&[NotCovered, Survived], "Survived");
        check(&[NotCovered], "NoCoverage");
        check(&[TimedOut, Survived], "Timeout");
        check(&[OutOfMemory], "RuntimeError");
        check(&[NotViable], "CompileError");
        check(&[Unstable], "Ignored");
    }
}
