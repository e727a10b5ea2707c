//! Makes a run of the tests that EvoSuite writes for the classes of focal methods: each stands for the first sample of
//! its class.
//!
//! A class that already has tests is not requested again, so that the next call continues where a killed one stopped.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rustc_hash::FxHashSet;

use crate::ExecuteError;
use crate::choose::{GENERATED, begin_generated, repos};
use crate::engines::build_of;
use crate::model::{ContentHash, Language, Matcher, Prediction, SampleKey};
use crate::options::ExecuteOptions;
use crate::project::{binary_name, focal};
use crate::runner::java::{Build, EvoSuite};
use crate::runner::{RunnerError, Site};
use crate::store::{Extent, Store, StoredSample};
use crate::task::{Monitor, Phase};

/// Samples that are read at once: larger batches take more memory, smaller ones more queries.
const KEYS_AT_ONCE: usize = 512;

/// A project whose classes get suites.
struct SuiteProject {
    name: String,
    root: PathBuf,
    keys: Vec<SampleKey>,
}

/// Lets EvoSuite write suites for the classes of focal methods that have none, and returns warnings about those that
/// still have none.
pub fn generate(
    store: &mut Store,
    monitor: &Monitor,
    site: &Site,
    options: &ExecuteOptions,
    suite: &EvoSuite,
) -> Result<Vec<String>, ExecuteError> {
    monitor.enter(Phase::Reading);
    let run = begin_generated(GENERATED, store, monitor, options)?;
    let known: FxHashSet<SampleKey> = keys_of(store, run.id)?;
    let mut warnings = Vec::new();
    for project in projects(store, monitor, options, run.setting.matcher)?.values() {
        monitor.enter(Phase::Preparing);
        // A project that does not build is reported when its tests are to run.
        let Ok(build) = build_of(site, &project.root, options, monitor)? else {
            continue;
        };
        // The file is part of the key, because modules may have classes of the same name.
        let mut classes: BTreeMap<(String, String), SampleKey> = BTreeMap::new();
        for keys in project.keys.chunks(KEYS_AT_ONCE) {
            let placed = store.placed_samples(keys, run.setting.matcher, Extent::Sample)?;
            for placed_sample in placed.into_iter().flatten() {
                if let Some(focal) = focal(&placed_sample) {
                    let class = binary_name(&focal.package, &focal.nesting);
                    classes
                        .entry((focal.place.path, class))
                        .or_insert(placed_sample.sample.row.key);
                }
            }
        }
        monitor.enter(Phase::Executing);
        for ((path, class), key) in classes {
            monitor.step()?;
            if known.contains(&key) && !options.is_forced {
                continue;
            }
            match predictions(site, &build, (suite, (&path, &class), key), monitor)? {
                Ok(predictions) => {
                    store.extend_run(run.id, &predictions, monitor)?;
                }
                Err(reason) => warnings.push(format!("{}: {class}: {reason}", project.name)),
            }
        }
    }
    Ok(warnings)
}

fn keys_of(store: &Store, run: i64) -> Result<FxHashSet<SampleKey>, ExecuteError> {
    let mut known = FxHashSet::default();
    store.each_prediction_keys(run, |_, keys| {
        known.extend(keys);
        Ok::<_, ExecuteError>(())
    })?;
    Ok(known)
}

/// Lists the requested samples of each project.
fn projects(
    store: &Store,
    monitor: &Monitor,
    options: &ExecuteOptions,
    matcher: Matcher,
) -> Result<BTreeMap<String, SuiteProject>, ExecuteError> {
    let wanted = repos(store, &options.repos)?;
    let filter = options.filter.clone().as_decided(matcher);
    let mut projects: BTreeMap<String, SuiteProject> = BTreeMap::new();
    let each = |sample: StoredSample| -> Result<(), ExecuteError> {
        monitor.step()?;
        let identity = &sample.repo.identity;
        let is_wanted = wanted
            .as_ref()
            .is_none_or(|wanted| wanted.contains(identity));
        if is_wanted && sample.repo.language == Language::Java && sample.row.status.is_mapped() {
            let project = projects
                .entry(identity.clone())
                .or_insert_with(|| SuiteProject {
                    name: sample.repo.name.clone(),
                    root: sample.root.clone(),
                    keys: Vec::new(),
                });
            project.keys.push(sample.row.key);
        }
        Ok(())
    };
    store.each_sample(&filter, Extent::Sample, each)?;
    Ok(projects)
}

/// Makes the tests of a class into predictions for a sample.
fn predictions(
    site: &Site,
    build: &Build,
    (suite, class, key): (&EvoSuite, (&str, &str), SampleKey),
    monitor: &Monitor,
) -> Result<Result<Vec<Prediction>, String>, RunnerError> {
    let tests = match suite.tests(site, build, class, monitor)? {
        Ok(tests) => tests,
        Err(reason) => return Ok(Err(reason)),
    };
    let predictions = (0..).zip(tests).map(|(attempt, test)| {
        let meta = test.unit();
        let mut hasher = blake3::Hasher::new();
        hasher.update(test.text.as_bytes());
        Prediction {
            key,
            attempt,
            content_hash: ContentHash::of(&hasher),
            line: attempt + 1,
            answer: test.text,
            code: None,
            meta: Some(meta),
        }
    });
    Ok(Ok(predictions.collect()))
}
