//! The choice of predictions to run: of which runs, and of which samples.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::model::{
    EngineName, ExecutionSetting, Extraction, Filter, Language, Matcher, ParseMode, Prediction,
    RunKind, RunRow, RunSetting, SampleKey, Target,
};
use crate::options::{ExecuteOptions, TestSource};
use crate::report::NotRun;
use crate::store::{self, Extent, RunCounts, Store, StoredSample, run_named};
use crate::task::Monitor;
use crate::{ExecuteError, VERSION};

/// A run that is not imported: of true tests, or of generated ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrueRun {
    /// Its name, with a language behind it for others than Java.
    pub name: &'static str,
    /// The source of the run, where other runs have a file.
    pub source: &'static str,
    /// Whether tests without a focal method are in it, too.
    pub has_unmapped: bool,
}

/// The mapped tests.
pub const TRUTH: TrueRun = TrueRun {
    name: store::TRUTH,
    source: store::TRUTH_SOURCE,
    has_unmapped: false,
};

/// All tests.
pub const TRACES: TrueRun = TrueRun {
    name: store::TRACES,
    source: "execute --traces",
    has_unmapped: true,
};

/// Tests that EvoSuite wrote.
pub const GENERATED: TrueRun = TrueRun {
    name: "evosuite",
    source: "execute --from-suite evosuite",
    has_unmapped: false,
};

impl NotRun {
    fn of(chosen: &ChosenRun) -> Self {
        Self {
            run: chosen.run.setting.name.clone(),
            language: chosen.language,
            engine: None,
            n_predictions: chosen.n_predictions(),
        }
    }
}

/// Predictions that are looked up at once: larger batches take more memory, smaller ones more queries.
const PREDICTIONS_AT_ONCE: usize = 2_048;

/// A run in one of its languages, and which of its predictions are asked for.
pub struct ChosenRun {
    pub run: RunRow,
    pub language: Language,
    /// `None` where nothing runs the language.
    pub engine: Option<EngineName>,
    /// The requested predictions, by the identity of their project; those whose sample is gone are in `gone`.
    pub by_project: BTreeMap<String, Vec<u32>>,
    /// The same for all predictions of the run in this language, requested or not.
    pub all_by_project: BTreeMap<String, Vec<u32>>,
    pub gone: Vec<u32>,
}

impl ChosenRun {
    pub fn n_predictions(&self) -> u64 {
        let n: usize = self.by_project.values().map(Vec::len).sum();
        (n + self.gone.len()) as u64
    }

    pub fn setting(&self, options: &ExecuteOptions, sandbox: &str) -> ExecutionSetting {
        let engine = self.engine.map_or(EngineName::NONE, EngineName::as_str);
        ExecutionSetting {
            engine: engine.to_owned(),
            version: VERSION.to_owned(),
            options: options.canonical(options.repairs_of(self.run.setting.target)),
            sandbox: sandbox.to_owned(),
            executed_at: options.executed_at,
        }
    }
}

/// Chooses the requested runs, each in its languages, with their predictions; and lists those that no engine runs, or
/// not the requested one. A run without requested predictions is only named.
pub fn choose(
    store: &mut Store,
    monitor: &Monitor,
    options: &ExecuteOptions,
) -> Result<RunChoice, ExecuteError> {
    let runs = match &options.test_source {
        TestSource::Runs(names) => named(store, names)?,
        TestSource::Truth | TestSource::Dry => of_truth(TRUTH, store, monitor, options)?,
        TestSource::Traces => of_truth(TRACES, store, monitor, options)?,
    };
    let mut wanted = WantedSamples {
        repos: repos(store, &options.repos)?,
        keys: None,
    };
    let mut chosen = Vec::with_capacity(runs.len());
    let mut not_run = Vec::new();
    for run in &runs {
        wanted.keys = keys(store, &options.filter, run.setting.matcher)?;
        for chosen_run in in_languages(store, monitor, (run, options), &wanted)? {
            let n_predictions = chosen_run.n_predictions();
            match options.engine {
                Some(engine) if n_predictions == 0 && engine.language() != chosen_run.language => {}
                Some(engine) if engine.language() != chosen_run.language => not_run.push(NotRun {
                    engine: Some(engine),
                    ..NotRun::of(&chosen_run)
                }),
                None if n_predictions > 0 && chosen_run.engine.is_none() => {
                    not_run.push(NotRun::of(&chosen_run));
                    chosen.push(chosen_run);
                }
                _ => chosen.push(chosen_run),
            }
        }
    }
    if chosen
        .iter()
        .any(|chosen_run| chosen_run.n_predictions() > 0)
    {
        return Ok(without_unasked(chosen, not_run));
    }
    if runs.is_empty() {
        wanted.keys = keys(store, &options.filter, store.shown_matcher()?)?;
    }
    let left = match (options.engine, not_run.first()) {
        (Some(_), Some(first)) => Some(first.language),
        // Runs of true tests in other languages were skipped, so a sample is looked for.
        (Some(_), None) => a_language(store, monitor, &wanted)?,
        (None, _) => None,
    };
    Err(match (options.engine, left) {
        (Some(engine), Some(language)) if engine.language() != language => {
            ExecuteError::OtherLanguage {
                engine: engine.as_str(),
                language: language.as_str(),
            }
        }
        _ => ExecuteError::Nothing {
            is_filtered: !options.filter.is_everything() || wanted.repos.is_some(),
        },
    })
}

/// The predictions to run, and the remarks on the others.
pub struct RunChoice {
    pub chosen: Vec<ChosenRun>,
    pub not_run: Vec<NotRun>,
    /// Runs without requested predictions, though they have some: their funnel would be empty.
    pub unasked: Vec<String>,
}

fn without_unasked(chosen: Vec<ChosenRun>, not_run: Vec<NotRun>) -> RunChoice {
    let mut choice = RunChoice {
        chosen: Vec::with_capacity(chosen.len()),
        not_run,
        unasked: Vec::new(),
    };
    let asked: FxHashSet<i64> = chosen
        .iter()
        .filter(|chosen_run| chosen_run.n_predictions() > 0 || chosen_run.run.n_predictions == 0)
        .map(|chosen_run| chosen_run.run.id)
        .collect();
    for chosen_run in chosen {
        if asked.contains(&chosen_run.run.id) {
            choice.chosen.push(chosen_run);
        } else if choice.unasked.last() != Some(&chosen_run.run.setting.name) {
            choice.unasked.push(chosen_run.run.setting.name);
        }
    }
    choice
}

/// Finds the language of the first requested sample.
fn a_language(
    store: &Store,
    monitor: &Monitor,
    wanted: &WantedSamples,
) -> Result<Option<Language>, ExecuteError> {
    let keys = match &wanted.keys {
        Some(keys) => keys.iter().copied().collect(),
        None => store.keys(&Filter::default())?,
    };
    for keys in keys.chunks(PREDICTIONS_AT_ONCE) {
        monitor.step()?;
        let facts = store.sample_facts(keys, None)?;
        let mut facts = keys.iter().zip(facts);
        let found = facts.find_map(|(key, facts)| {
            let facts = facts?;
            wanted.has(key, Some(&facts.repo)).then_some(facts.language)
        });
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

fn named(store: &Store, names: &[String]) -> Result<Vec<RunRow>, ExecuteError> {
    let mut runs = store.runs()?;
    if names.is_empty() {
        runs.retain(|run| run.kind == RunKind::Samples);
        return if runs.is_empty() {
            Err(ExecuteError::NoRuns)
        } else {
            Ok(runs)
        };
    }
    names
        .iter()
        .map(|name| {
            let run = run_named(&runs, name)?.clone();
            match run.kind {
                RunKind::Samples => Ok(run),
                kind => Err(ExecuteError::OfQuestions {
                    name: run.setting.name,
                    kind,
                }),
            }
        })
        .collect()
}

/// Finds the identities of the named repositories; nothing where none is.
pub fn repos(store: &Store, names: &[String]) -> Result<Option<FxHashSet<String>>, ExecuteError> {
    if names.is_empty() {
        return Ok(None);
    }
    let repos = store.numbered_repos()?;
    let mut found = FxHashSet::default();
    for name in names {
        let before = found.len();
        let meant = repos.values().map(|value| &value.0);
        found.extend(
            meant
                .filter(|repo| repo.name == *name || repo.identity == *name)
                .map(|repo| repo.identity.clone()),
        );
        if found.len() == before {
            let mut known: Vec<String> = repos.values().map(|value| value.0.name.clone()).collect();
            known.sort();
            return Err(ExecuteError::NoSuchRepo {
                name: name.clone(),
                known,
            });
        }
    }
    Ok(Some(found))
}

/// Reads the samples that a filter lets through, as the matcher decided on them; nothing where there is no filter.
fn keys(
    store: &Store,
    filter: &Filter,
    matcher: Matcher,
) -> Result<Option<FxHashSet<SampleKey>>, ExecuteError> {
    if filter.is_everything() {
        return Ok(None);
    }
    let filter = filter.clone().as_decided(matcher);
    Ok(Some(store.keys(&filter)?.into_iter().collect()))
}

/// Which samples are asked for; all where neither is given.
struct WantedSamples {
    keys: Option<FxHashSet<SampleKey>>,
    /// Identities of repositories.
    repos: Option<FxHashSet<String>>,
}

impl WantedSamples {
    /// Tells whether a sample was requested; one that has left the index is of no repository.
    fn has(&self, key: &SampleKey, repo: Option<&String>) -> bool {
        let has_key = self
            .keys
            .as_ref()
            .is_none_or(|sample_keys| sample_keys.contains(key));
        let has_repo = |repos: &FxHashSet<String>| repo.is_some_and(|repo| repos.contains(repo));
        has_key && self.repos.as_ref().is_none_or(has_repo)
    }
}

/// Sorts a run's predictions by language and project. The language of samples that have left the index is unknown: they
/// go with the run's first sample. A run without predictions has that language alone.
fn in_languages(
    store: &Store,
    monitor: &Monitor,
    (run, options): (&RunRow, &ExecuteOptions),
    wanted: &WantedSamples,
) -> Result<Vec<ChosenRun>, ExecuteError> {
    let new = |language: Language| ChosenRun {
        run: run.clone(),
        language,
        engine: options.engine.or(EngineName::usual(language)),
        by_project: BTreeMap::new(),
        all_by_project: BTreeMap::new(),
        gone: Vec::new(),
    };
    let first_language = run.setting.language;
    let mut found: BTreeMap<Language, ChosenRun> = BTreeMap::new();
    store.each_prediction_keys(run.id, |first, keys| {
        monitor.step()?;
        let facts = store.sample_facts(keys, run.setting.matcher)?;
        for (ordinal, (key, facts)) in (first..).zip(keys.iter().zip(facts)) {
            let is_wanted = wanted.has(key, facts.as_ref().map(|fact| &fact.repo));
            let language = facts.as_ref().map_or(first_language, |fact| fact.language);
            let chosen = found.entry(language).or_insert_with(|| new(language));
            let Some(facts) = facts else {
                chosen.gone.extend(is_wanted.then_some(ordinal));
                continue;
            };
            if is_wanted {
                let ordinals = chosen.by_project.entry(facts.repo.clone()).or_default();
                ordinals.push(ordinal);
            }
            let ordinals = chosen.all_by_project.entry(facts.repo).or_default();
            ordinals.push(ordinal);
        }
        Ok::<_, ExecuteError>(())
    })?;
    if found.is_empty() {
        found.insert(first_language, new(first_language));
    }
    Ok(found.into_values().collect())
}

/// Brings the runs of true tests up to date, one for each language, and returns them: each test is a prediction there.
fn of_truth(
    truth: TrueRun,
    store: &mut Store,
    monitor: &Monitor,
    options: &ExecuteOptions,
) -> Result<Vec<RunRow>, ExecuteError> {
    let is_truth = |setting: &RunSetting| setting.source == truth.source;
    // A run keeps the matcher that it was made with: another one would map other tests.
    let made = store.runs()?.into_iter().find(|run| is_truth(&run.setting));
    let matcher = match made {
        Some(run) => run.setting.matcher,
        None => store.shown_matcher()?,
    };
    let filter = Filter::default().as_decided(matcher);
    let mut by_language: BTreeMap<usize, Vec<Prediction>> = BTreeMap::new();
    let each = |sample: StoredSample| -> Result<(), ExecuteError> {
        monitor.step()?;
        if truth.has_unmapped || sample.row.status.is_mapped() {
            let language = sample.repo.language as usize;
            let tests = by_language.entry(language).or_default();
            tests.push(Prediction {
                key: sample.row.key,
                attempt: 0,
                content_hash: sample.content_hash,
                line: tests.len() as u32 + 1,
                answer: sample.test.source().to_owned(),
                code: None,
                meta: None,
            });
        }
        Ok(())
    };
    store.each_sample(&filter, Extent::Sample, each)?;
    let mut runs = Vec::new();
    for (language, predictions) in by_language {
        let language = Language::ALL[language];
        if options
            .engine
            .is_some_and(|engine_name| engine_name.language() != language)
        {
            continue;
        }
        // A dry run looks at files alone, so it makes no run in a language that nothing executes.
        if EngineName::usual(language).is_none() && options.test_source == TestSource::Dry {
            continue;
        }
        let name = store::name_in(truth.name, language);
        let run = match store.run(&name)? {
            Some(run) if is_truth(&run.setting) => run,
            Some(_) => return Err(ExecuteError::NotTruth { name }),
            None => begin(
                store,
                monitor,
                &setting(truth, &name, (language, matcher), options),
            )?,
        };
        store.extend_run(run.id, &predictions, monitor)?;
        runs.extend(store.run(&name)?);
    }
    Ok(runs)
}

/// Finds or makes the run of tests that were generated.
pub fn begin_generated(
    truth: TrueRun,
    store: &mut Store,
    monitor: &Monitor,
    options: &ExecuteOptions,
) -> Result<RunRow, ExecuteError> {
    match store.run(truth.name)? {
        Some(run) if run.setting.source == truth.source => Ok(run),
        Some(_) => Err(ExecuteError::NotTruth {
            name: truth.name.to_owned(),
        }),
        None => {
            let matcher = store.shown_matcher()?;
            let setting = setting(truth, truth.name, (Language::Java, matcher), options);
            begin(store, monitor, &setting)
        }
    }
}

fn setting(
    truth: TrueRun,
    name: &str,
    (language, matcher): (Language, Matcher),
    options: &ExecuteOptions,
) -> RunSetting {
    RunSetting {
        name: name.to_owned(),
        model: None,
        target: Target::Test,
        matcher,
        language,
        extraction: Extraction::None,
        parse_mode: ParseMode::Strict,
        length_max: None,
        source: truth.source.to_owned(),
        imported_at: options.executed_at,
    }
}

fn begin(
    store: &mut Store,
    monitor: &Monitor,
    setting: &RunSetting,
) -> Result<RunRow, ExecuteError> {
    let run = store.begin_run(setting, monitor)?;
    store.publish_run(run, RunCounts::default(), &[], monitor)?;
    Ok(run_named(&store.runs()?, &setting.name)?.clone())
}
