//! Which predictions are run: of which runs, and of which samples.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::model::{
    ExecutionSetting, Extraction, Filter, Language, Matcher, ParseMode, Prediction, RunRow,
    RunSetting, SampleKey, Target,
};
use crate::options::{Asked, EngineName, Options};
use crate::store::{self, Extent, RunCounts, Store, StoredSample};
use crate::task::Monitor;
use crate::{Error, VERSION};

/// A run that nobody imported: of true tests, or of generated ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrueRun {
    /// Its name, with a language behind it for others than Java.
    pub name: &'static str,
    /// What stands in place of the file that other runs come from.
    pub source: &'static str,
    /// Whether tests without a focal method are in it, too.
    pub has_unmapped: bool,
}

/// The mapped tests.
pub const TRUTH: TrueRun = TrueRun {
    name: store::TRUTH,
    source: "execute --truth",
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

/// How many predictions are looked up at once.
const PREDICTIONS_AT_ONCE: u32 = 2_048;

/// A run, and which of its predictions are asked for.
pub struct Chosen {
    pub run: RunRow,
    pub engine: Option<EngineName>,
    /// Numbers of predictions by project identity; those whose sample is gone have none.
    pub by_project: BTreeMap<String, Vec<u32>>,
    /// Likewise, of all predictions of the run, asked for or not.
    pub all_by_project: BTreeMap<String, Vec<u32>>,
    pub gone: Vec<u32>,
}

impl Chosen {
    pub fn n_predictions(&self) -> u64 {
        let n: usize = self.by_project.values().map(Vec::len).sum();
        (n + self.gone.len()) as u64
    }

    pub fn setting(&self, options: &Options, sandbox: &str) -> ExecutionSetting {
        ExecutionSetting {
            engine: self.engine.map_or("none", EngineName::as_str).to_owned(),
            version: VERSION.to_owned(),
            options: options.canonical(options.repairs_of(self.run.setting.target)),
            sandbox: sandbox.to_owned(),
            executed_at: options.executed_at,
        }
    }
}

/// Returns the runs that are asked for, each with its predictions.
pub fn choose(
    store: &mut Store,
    monitor: &Monitor,
    options: &Options,
) -> Result<Vec<Chosen>, Error> {
    let runs = match &options.asked {
        Asked::Runs(names) => named(store, names)?,
        Asked::Truth | Asked::Dry => of_truth(TRUTH, store, monitor, options)?,
        Asked::Traces => of_truth(TRACES, store, monitor, options)?,
    };
    let repos = repos(store, &options.repos)?;
    let mut chosen = Vec::with_capacity(runs.len());
    for run in runs {
        let language = run.setting.language;
        if let Some(engine) = options.engine
            && engine.language() != language
        {
            return Err(Error::OtherLanguage {
                engine: engine.as_str(),
                language: language.as_str(),
            });
        }
        let mut it = Chosen {
            engine: options.engine.or(EngineName::usual(language)),
            by_project: BTreeMap::new(),
            all_by_project: BTreeMap::new(),
            gone: Vec::new(),
            run,
        };
        let wanted = wanted(store, &options.filter, it.run.setting.matcher)?;
        sort_in(store, monitor, &mut it, wanted.as_ref(), repos.as_ref())?;
        chosen.push(it);
    }
    if chosen.iter().all(|it| it.n_predictions() == 0) {
        let is_filtered = !options.filter.terms.is_empty() || repos.is_some();
        return Err(Error::Nothing { is_filtered });
    }
    Ok(chosen)
}

fn named(store: &Store, names: &[String]) -> Result<Vec<RunRow>, Error> {
    let runs = store.runs()?;
    if names.is_empty() {
        return if runs.is_empty() {
            Err(Error::NoRuns)
        } else {
            Ok(runs)
        };
    }
    let known = || runs.iter().map(|it| it.setting.name.clone()).collect();
    names
        .iter()
        .map(|name| {
            let called = |name: &str| runs.iter().find(|it| it.setting.name == name);
            let found = called(name).or_else(|| called(store::other_name(name)));
            found.cloned().ok_or_else(|| Error::NoSuchRun {
                name: name.clone(),
                known: known(),
            })
        })
        .collect()
}

/// Returns the identities of the repositories that are named; nothing where none is.
pub fn repos(store: &Store, names: &[String]) -> Result<Option<FxHashSet<String>>, Error> {
    if names.is_empty() {
        return Ok(None);
    }
    let repos = store.numbered_repos()?;
    let mut found = FxHashSet::default();
    for name in names {
        let before = found.len();
        let meant = repos.values().map(|it| &it.0);
        found.extend(
            meant
                .filter(|it| it.name == *name || it.identity == *name)
                .map(|it| it.identity.clone()),
        );
        if found.len() == before {
            let mut known: Vec<String> = repos.values().map(|it| it.0.name.clone()).collect();
            known.sort();
            return Err(Error::NoSuchRepo {
                name: name.clone(),
                known,
            });
        }
    }
    Ok(Some(found))
}

/// Returns the samples that a filter lets through, as the matcher decided on them; nothing where there is no filter.
fn wanted(
    store: &Store,
    filter: &Filter,
    matcher: Matcher,
) -> Result<Option<FxHashSet<SampleKey>>, Error> {
    if filter.terms.is_empty() {
        return Ok(None);
    }
    let filter = filter.clone().as_decided(matcher);
    Ok(Some(store.keys(&filter)?.into_iter().collect()))
}

/// Sorts a run's predictions by project.
fn sort_in(
    store: &Store,
    monitor: &Monitor,
    chosen: &mut Chosen,
    wanted: Option<&FxHashSet<SampleKey>>,
    repos: Option<&FxHashSet<String>>,
) -> Result<(), Error> {
    let (run, matcher) = (chosen.run.id, chosen.run.setting.matcher);
    let mut first = 0;
    loop {
        monitor.step()?;
        let keys = store.prediction_keys(run, first, PREDICTIONS_AT_ONCE)?;
        if keys.is_empty() {
            return Ok(());
        }
        let facts = store.sample_facts(&keys, matcher)?;
        for (ordinal, (key, facts)) in (first..).zip(keys.iter().zip(facts)) {
            if let Some(facts) = &facts {
                let ordinals = chosen.all_by_project.entry(facts.repo.clone()).or_default();
                ordinals.push(ordinal);
            }
            if wanted.is_some_and(|it| !it.contains(key)) {
                continue;
            }
            match facts {
                Some(facts) if repos.is_none_or(|it| it.contains(&facts.repo)) => {
                    let ordinals = chosen.by_project.entry(facts.repo).or_default();
                    ordinals.push(ordinal);
                }
                None if repos.is_none() => chosen.gone.push(ordinal),
                _ => {}
            }
        }
        first += keys.len() as u32;
    }
}

/// Brings the runs of true tests up to date, one a language, and returns them: every test is a prediction there.
fn of_truth(
    truth: TrueRun,
    store: &mut Store,
    monitor: &Monitor,
    options: &Options,
) -> Result<Vec<RunRow>, Error> {
    let is_truth = |setting: &RunSetting| setting.source == truth.source;
    // Once made, the run keeps its matcher: another one would map other tests.
    let made = store.runs()?.into_iter().find(|it| is_truth(&it.setting));
    let matcher = match made {
        Some(run) => run.setting.matcher,
        None => store.shown_matcher()?,
    };
    let filter = Filter::default().as_decided(matcher);
    let mut by_language: BTreeMap<usize, Vec<Prediction>> = BTreeMap::new();
    let each = |sample: StoredSample| -> Result<(), Error> {
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
        if options.engine.is_some_and(|it| it.language() != language) {
            continue;
        }
        // Nothing runs the others so far.
        if EngineName::usual(language).is_none() {
            continue;
        }
        let name = match language {
            Language::Java => truth.name.to_owned(),
            other => format!("{}-{}", truth.name, other.as_str()),
        };
        let run = match store.run(&name)? {
            Some(run) if is_truth(&run.setting) => run,
            Some(_) => return Err(Error::NotTruth { name }),
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

/// Returns the run of tests that were generated, made where it is not there.
pub fn begin_generated(
    truth: TrueRun,
    store: &mut Store,
    monitor: &Monitor,
    options: &Options,
) -> Result<RunRow, Error> {
    match store.run(truth.name)? {
        Some(run) if run.setting.source == truth.source => Ok(run),
        Some(_) => Err(Error::NotTruth {
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
    options: &Options,
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

fn begin(store: &mut Store, monitor: &Monitor, setting: &RunSetting) -> Result<RunRow, Error> {
    let run = store.begin_run(setting, monitor)?;
    store.publish_run(run, RunCounts::default(), &[], monitor)?;
    store.run(&setting.name)?.ok_or_else(|| Error::NoSuchRun {
        name: setting.name.clone(),
        known: Vec::new(),
    })
}
