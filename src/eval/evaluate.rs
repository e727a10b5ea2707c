//! Runs of an index through the metrics: the verb behind `eval`.
//!
//! Predictions are scored in their order, some hundred at a time, and each batch is stored with the place that it
//! reaches, so that a cancelled evaluation goes on where it stopped. A metric is computed again only where its version,
//! its options or the references are not those of the stored values.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use crate::exchange::answers::reached_limit;
use crate::failure::{self, PredictionPair, TagFindings, Tagger};
use crate::metric::codebleu::WEIGHTS;
use crate::metric::scorer::{PairScore, Scorer, ScoringExtras, Settings, SyntaxError};
use crate::metric::{METRICS, Metric, Needs};
use crate::model::{
    ContentHash, Language, ParseMode, Prediction, PredictionReading, RunRow, RunSetting, SampleKey,
    Score, Tags,
};
use crate::store::{
    EvaluationPlan, Extent, MetricProgress, Store, StoredReference, WrittenScores, run_named,
};
use crate::task::{Monitor, Phase};

use super::asserting::AssertionNames;
use super::ast::{self, Ast};
use super::crystal::{self, CrystalOptions, CrystalSource, Gatherer, TrainingSplit};
use super::several::{self, PredictionStretch, score_several};
use super::{EvalError, Summary};

/// The version of everything in a [`PredictionReading`].
const READING_VERSION: u32 = 4;

/// The number of plans before those of the metrics: readings and tags.
const N_OWN: usize = 2;

/// Predictions that are scored at once, on all threads: enough for each, few enough that a cancel is heard soon.
const PREDICTIONS_AT_ONCE: u32 = 2_048;

/// Predictions that one transaction writes; with all metrics that is about 2,000 rows.
const PREDICTIONS_PER_WRITE: usize = 64;

/// A thread takes at least this number, so that the cost of making a scorer does not count.
const PREDICTIONS_PER_SCORER: usize = 64;

#[derive(Clone, Debug)]
pub struct EvalOptions {
    /// All where empty.
    pub runs: Vec<String>,
    pub metrics: Vec<&'static Metric>,
    /// CodeBLEU's.
    pub weights: [f64; 4],
    pub crystal: CrystalOptions,
    /// Computes existing values again.
    pub force: bool,
    /// The Python that decides what parses in runs that are judged by `ast`.
    pub ast: Option<Ast>,
}

/// The evaluation of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct EvalReport {
    pub run: RunRow,
    /// Values that were computed now.
    pub n_computed: u64,
    /// Values that were there.
    pub n_kept: u64,
    /// Predictions whose sample is gone or has no such part: they count nowhere.
    pub n_without_reference: u64,
    /// Values that count as 0 because the texts are too long for the metric.
    pub n_too_costly: u64,
    pub crystal: Option<CrystalSource>,
}

/// Scores the predictions without current scores.
pub fn evaluate(
    store: &mut Store,
    monitor: &Monitor,
    options: &EvalOptions,
) -> Result<Vec<EvalReport>, EvalError> {
    monitor.enter(Phase::Scoring);
    let runs = runs_named(store, &options.runs)?;
    let n_predictions: u64 = runs.iter().map(|run| run.n_predictions).sum();
    monitor
        .n_predictions_total
        .fetch_add(n_predictions, Ordering::Relaxed);
    runs.iter()
        .map(|run| evaluate_run(store, monitor, options, run))
        .collect()
}

/// Finds the runs of these names, or all.
pub fn runs_named(store: &Store, names: &[String]) -> Result<Vec<RunRow>, EvalError> {
    let runs = store.runs()?;
    if names.is_empty() {
        return Ok(runs);
    }
    names
        .iter()
        .map(|name| Ok(run_named(&runs, name)?.clone()))
        .collect()
}

fn evaluate_run(
    store: &mut Store,
    monitor: &Monitor,
    options: &EvalOptions,
    run: &RunRow,
) -> Result<EvalReport, EvalError> {
    let n_predictions = run.n_predictions as u32;
    let dataset = dataset_of(store, run, monitor, |_| {})?;
    let corpus = Corpus::of(store, options, &run.setting)?;
    let ast = ast::deciding(run.setting.parse_mode, options.ast.as_ref())?;
    let plans = plans(options, (&run.setting, ast), &corpus);
    if options.force {
        store.forget_evaluations(run.id, &plans, monitor)?;
    }
    let progress = store.begin_evaluations(run.id, &plans, dataset, monitor)?;
    let pending = |metric_progress: &MetricProgress| metric_progress.n_done < n_predictions;
    let mut settings = Settings::new(run.setting.language, options.metrics.clone());
    settings.weights = options.weights;
    settings.parse_mode = run.setting.parse_mode;
    let is_crystal_pending = options
        .metrics
        .iter()
        .zip(&progress[N_OWN..])
        .any(|(metric, progress)| metric.needs == Needs::SharedNgrams && pending(progress));
    let crystal = if is_crystal_pending {
        let (shared, source) = corpus.shared(store, &run.setting, options.crystal.k, monitor)?;
        settings.shared = shared;
        Some(source)
    } else {
        None
    };
    let mut evaluating = RunEvaluation {
        store,
        monitor,
        run,
        settings,
        progress,
        n_computed: 0,
        n_too_costly: 0,
        asserting: AssertionNames::default(),
        ast,
    };
    evaluating.all(n_predictions)?;
    let (n_computed, n_too_costly) = (evaluating.n_computed, evaluating.n_too_costly);
    let n_without_reference = evaluating.finish()?;
    let n_values = u64::from(n_predictions) * options.metrics.len() as u64;
    Ok(EvalReport {
        run: store.run(&run.setting.name)?.unwrap_or_else(|| run.clone()),
        n_computed,
        n_kept: n_values.saturating_sub(n_computed),
        n_without_reference,
        n_too_costly,
        crystal,
    })
}

/// Hashes everything that a run is compared with: what its samples are now. `say` hears how many of its predictions are
/// looked at, piece by piece; none are where the hash is known since the index was last written.
pub(super) fn dataset_of(
    store: &Store,
    run: &RunRow,
    monitor: &Monitor,
    say: impl Fn(u64),
) -> Result<ContentHash, EvalError> {
    match store.dataset_now(run.id)? {
        Some(dataset) => Ok(dataset),
        None => Ok(store.hash_references((store, run), monitor, say)?),
    }
}

/// The corpus that the shared n-grams of CrystalBLEU come from.
enum Corpus {
    NotNeeded,
    Named(String, Arc<[String]>, ContentHash),
    Training(TrainingSplit),
}

impl Corpus {
    fn of(store: &Store, options: &EvalOptions, setting: &RunSetting) -> Result<Self, EvalError> {
        if !crystal::is_needed(&options.metrics) {
            return Ok(Self::NotNeeded);
        }
        Ok(match &options.crystal.corpus {
            None => Self::Training(TrainingSplit::of(store, setting.target, setting.matcher)?),
            Some((name, texts)) => {
                let mut hasher = blake3::Hasher::new();
                for text in texts {
                    hasher.update(&(text.len() as u64).to_le_bytes());
                    hasher.update(text.as_bytes());
                }
                let hash = ContentHash::of(&hasher);
                Self::Named(name.clone(), texts.as_slice().into(), hash)
            }
        })
    }

    fn hash(&self) -> Option<ContentHash> {
        match self {
            Self::NotNeeded => None,
            Self::Named(_, _, hash) => Some(*hash),
            Self::Training(split) => Some(split.hash),
        }
    }

    fn shared(
        &self,
        store: &Store,
        setting: &RunSetting,
        k: usize,
        monitor: &Monitor,
    ) -> Result<(Arc<crate::metric::crystalbleu::SharedNgrams>, CrystalSource), EvalError> {
        match self {
            Self::NotNeeded => Ok((Arc::default(), CrystalSource::default())),
            Self::Training(split) => split.shared(store, setting.language, k, monitor),
            Self::Named(name, texts, _) => {
                let mut gatherer = Gatherer::new(setting.language);
                texts.iter().for_each(|text| gatherer.add(text));
                Ok(gatherer.finish(k, name.clone()))
            }
        }
    }
}

/// Makes the plan of each value: readings and tags first, then the metrics in their order.
fn plans(
    options: &EvalOptions,
    (setting, ast): (&RunSetting, Option<&Ast>),
    corpus: &Corpus,
) -> Vec<EvaluationPlan> {
    let parse_mode = match (setting.parse_mode, ast) {
        (_, Some(ast)) => ast::option(ast),
        (ParseMode::Strict, None) => String::new(),
        (other, None) => format!("parse={}", other.as_str()),
    };
    let readings = EvaluationPlan::of_readings(READING_VERSION, parse_mode.clone());
    let tags = EvaluationPlan::of_tags(failure::VERSION, parse_mode);
    let metrics = options.metrics.iter().map(|metric| EvaluationPlan {
        metric: metric.id.to_owned(),
        version: metric.version,
        options: match (metric.needs, corpus.hash()) {
            (Needs::SharedNgrams, Some(hash)) => {
                format!("k={} corpus={hash}", options.crystal.k)
            }
            _ if metric.id.starts_with("codebleu") && options.weights != WEIGHTS => {
                let weights = options.weights.map(|weight| weight.to_string());
                format!("weights={}", weights.join(","))
            }
            _ => String::new(),
        },
    });
    [readings, tags].into_iter().chain(metrics).collect()
}

/// A run on its way.
struct RunEvaluation<'e> {
    store: &'e mut Store,
    monitor: &'e Monitor,
    run: &'e RunRow,
    settings: Settings,
    /// Of readings, of tags, then of each metric.
    progress: Vec<MetricProgress>,
    n_computed: u64,
    n_too_costly: u64,
    asserting: AssertionNames,
    /// The Python that decides what parses, where the grammar does not.
    ast: Option<&'e Ast>,
}

/// An answer of Python about a text: the error in it, or that it parses.
type AstReply = Option<SyntaxError>;

/// A prediction with what it is compared with, read and scored.
struct PredictionScore {
    reading: PredictionReading,
    pair: PairScore,
    /// Absent where tags are not asked for, and where there is nothing to compare with.
    tag_findings: Option<TagFindings>,
}

impl RunEvaluation<'_> {
    /// Scores every prediction that some metric lacks.
    fn all(&mut self, n_predictions: u32) -> Result<(), EvalError> {
        let all = self.settings.metrics.clone();
        let mut first = 0;
        while first < n_predictions {
            self.monitor.step()?;
            let reached = |metric_progress: &MetricProgress| metric_progress.n_done;
            let Some(start) = self.progress.iter().map(reached).min() else {
                break;
            };
            self.advance(start.saturating_sub(first));
            first = first.max(start);
            if first >= n_predictions {
                break;
            }
            // Those ahead of the others join where they stopped.
            let end = self
                .progress
                .iter()
                .map(reached)
                .filter(|n_done| *n_done > first)
                .chain([n_predictions, first + PREDICTIONS_AT_ONCE])
                .min()
                .unwrap_or(n_predictions);
            let lacking: Vec<bool> = self
                .progress
                .iter()
                .map(|metric_progress| metric_progress.n_done <= first)
                .collect();
            self.settings.metrics = all
                .iter()
                .zip(&lacking[N_OWN..])
                .filter(|(_, lacks)| **lacks)
                .map(|(metric, _)| *metric)
                .collect();
            self.settings.beside = if lacking[..N_OWN].contains(&true) {
                ScoringExtras::Reading
            } else {
                ScoringExtras::Nothing
            };
            let before = first;
            first = self.batch(first..end, &lacking)?;
            self.advance(first - before);
        }
        self.settings.metrics = all;
        Ok(())
    }

    fn advance(&self, n_predictions: u32) {
        self.monitor
            .n_predictions
            .fetch_add(u64::from(n_predictions), Ordering::Relaxed);
    }

    /// Scores predictions of the range, and returns the number of the first one that it did not take.
    fn batch(&mut self, range: Range<u32>, lacking: &[bool]) -> Result<u32, EvalError> {
        let n_predictions = (range.end - range.start) as usize;
        let predictions = self
            .store
            .predictions(self.run.id, range.start, n_predictions)?;
        let end = range.start + predictions.len() as u32;
        let keys: Vec<SampleKey> = predictions
            .iter()
            .map(|prediction| prediction.key)
            .collect();
        let RunSetting {
            target, matcher, ..
        } = self.run.setting;
        let references = self.store.references(&keys, target, matcher)?;
        let setting = &self.run.setting;
        // Of each language its own: a run may answer a dataset of several.
        let settings: Vec<Settings> = Language::ALL
            .iter()
            .map(|language| Settings {
                language: *language,
                ..self.settings.clone()
            })
            .collect();
        let lacks_tags = lacking[1];
        // Values of metrics do not depend on it.
        let syntax_replies = if lacking[0] || lacks_tags {
            self.ask_python(&predictions, &references)?
        } else {
            vec![None; predictions.len()]
        };
        let mut scored: Vec<PredictionScore> = predictions
            .par_iter()
            .zip(&references)
            .zip(syntax_replies)
            .with_min_len(PREDICTIONS_PER_SCORER)
            .map_init(
                || {
                    let scorers: [Option<Scorer<'_>>; Language::ALL.len()] = Default::default();
                    (scorers, lacks_tags.then(Tagger::new))
                },
                |(scorers, tagger), ((prediction, reference), verdict)| {
                    let language = (reference.as_ref())
                        .map_or(setting.language, |stored_reference| {
                            stored_reference.language
                        });
                    let idx = language as usize;
                    let scorer = scorers[idx].get_or_insert_with(|| Scorer::new(&settings[idx]));
                    read(
                        scorer,
                        tagger.as_mut(),
                        setting,
                        (prediction, verdict),
                        reference.as_ref(),
                    )
                },
            )
            .collect();
        let stretch = PredictionStretch {
            run: self.run,
            first: range.start,
            predictions: &predictions,
        };
        for (idx, pair) in score_several(self.store, &stretch, &self.settings)? {
            several::replace(&mut scored[idx].pair, pair, &self.settings.metrics);
        }
        self.settle_names(&predictions, &mut scored)?;
        if lacking[0] {
            self.look_for_assertions(&predictions, &mut scored)?;
        }
        self.n_computed += scored.len() as u64 * self.settings.metrics.len() as u64;
        self.n_too_costly += scored
            .iter()
            .map(|prediction_score| prediction_score.pair.too_costly.len() as u64)
            .sum::<u64>();
        for (first, scored) in (range.start..)
            .step_by(PREDICTIONS_PER_WRITE)
            .zip(scored.chunks(PREDICTIONS_PER_WRITE))
        {
            self.write(first, scored, lacking)?;
        }
        for (progress, _) in self.progress.iter_mut().zip(lacking).filter(|pair| *pair.1) {
            progress.n_done = end;
        }
        Ok(end)
    }

    /// Asks a real Python about each prediction in Python; nothing of those that the grammar decides about.
    fn ask_python(
        &self,
        predictions: &[Prediction],
        references: &[Option<StoredReference>],
    ) -> Result<Vec<Option<AstReply>>, EvalError> {
        let asked = predictions.iter().zip(references);
        let verdict = |(prediction, reference): (&Prediction, &Option<StoredReference>)| {
            let RunSetting {
                language,
                parse_mode,
                ..
            } = self.run.setting;
            let language = reference
                .as_ref()
                .map_or(language, |stored_reference| stored_reference.language);
            let ast = self.ast.filter(|_| parse_mode.asks_python(language));
            ast.map(|ast| ast.parse(prediction.text(), self.monitor))
                .transpose()
        };
        asked.map(verdict).collect()
    }

    /// Looks up in the samples the names that neither a reference nor a library has; few predictions use such.
    fn settle_names(
        &self,
        predictions: &[Prediction],
        scored: &mut [PredictionScore],
    ) -> Result<(), EvalError> {
        let asks = |prediction_score: &PredictionScore| {
            prediction_score
                .tag_findings
                .as_ref()
                .is_some_and(|tag_findings| !tag_findings.suspects.is_empty())
        };
        let keys: Vec<SampleKey> = predictions
            .iter()
            .zip(&*scored)
            .filter(|(_, scored)| asks(scored))
            .map(|(prediction, _)| prediction.key)
            .collect();
        let mut files = self
            .store
            .sample_files(&keys, self.run.setting.matcher)?
            .into_iter();
        for (prediction, scored) in predictions.iter().zip(scored) {
            let texts = if asks(scored) { files.next() } else { None };
            let texts = texts.unwrap_or_default();
            if let Some(found) = &mut scored.tag_findings {
                found.settle(prediction.text(), |name| {
                    failure::occurs(texts.iter().map(|text| &**text), name)
                });
            }
        }
        Ok(())
    }

    /// Notes for each prediction that parses whether something in it can fail.
    fn look_for_assertions(
        &mut self,
        predictions: &[Prediction],
        scored: &mut [PredictionScore],
    ) -> Result<(), EvalError> {
        let keys: Vec<SampleKey> = predictions
            .iter()
            .map(|prediction| prediction.key)
            .collect();
        let matcher = self.run.setting.matcher;
        let samples = self.store.placed_samples(&keys, matcher, Extent::Sample)?;
        for ((prediction, scored), placed) in predictions.iter().zip(scored).zip(samples) {
            self.monitor.step()?;
            if let Some(placed) = placed.filter(|_| scored.reading.syntax_error.is_none()) {
                let target = self.run.setting.target;
                let asked = (prediction, &placed.sample);
                let asserts = self.asserting.asserts(self.store, asked, target)?;
                scored.reading.asserts = Some(asserts);
            }
        }
        Ok(())
    }

    fn write(
        &mut self,
        first: u32,
        scored: &[PredictionScore],
        lacking: &[bool],
    ) -> Result<(), EvalError> {
        let readings: Vec<PredictionReading> = scored
            .iter()
            .map(|prediction_score| prediction_score.reading.clone())
            .collect();
        let evaluations = self.progress.iter().zip(lacking);
        let mut evaluations =
            evaluations.map(|(metric_progress, lacks)| lacks.then_some(metric_progress.evaluation));
        let readings_of = evaluations.next().flatten();
        let tags_of = evaluations.next().flatten();
        let tags: Vec<Option<Tags>> = scored
            .iter()
            .map(|prediction_score| {
                prediction_score
                    .tag_findings
                    .as_ref()
                    .map(|found| found.tags)
            })
            .collect();
        let scores: Vec<(i64, Vec<Score>)> = evaluations
            .flatten()
            .enumerate()
            .map(|(idx, evaluation)| {
                let scores = scored
                    .iter()
                    .map(|prediction_score| prediction_score.pair.scores[idx].clone());
                (evaluation, scores.collect())
            })
            .collect();
        let written = WrittenScores {
            first,
            readings: readings_of.map(|evaluation| (evaluation, readings.as_slice())),
            tags: tags_of.map(|evaluation| (evaluation, tags.as_slice())),
            scores: &scores,
        };
        Ok(self
            .store
            .write_scores(self.run.id, &written, self.monitor)?)
    }

    /// Sums up; returns how many predictions have nothing to be compared with.
    fn finish(self) -> Result<u64, EvalError> {
        self.store.finish_readings(self.run.id)?;
        let metrics = self.unsummed()?;
        let ids: Vec<&str> = metrics.iter().map(|metric| metric.id).collect();
        let evaluations = self.store.evaluations(self.run.id, &ids)?;
        let evaluations: Vec<i64> = evaluations.into_iter().flatten().collect();
        let mut summary = Summary::new(evaluations.len());
        let mut n_without_reference = 0;
        self.store.each_score(self.run.id, &evaluations, |scored| {
            self.monitor.step()?;
            if !scored.reading.has_reference {
                n_without_reference += 1;
            } else if scored.attempt == 0 {
                summary.add(
                    &scored.scores,
                    scored.reading.syntax_error.is_none(),
                    scored.reading.is_over_length,
                );
            }
            Ok::<_, EvalError>(())
        })?;
        let values: Vec<(i64, Option<f64>, Option<f64>)> = metrics
            .iter()
            .enumerate()
            .map(|(idx, metric)| {
                (
                    evaluations[idx],
                    summary.value(metric, idx),
                    summary.value_parsable(metric, idx),
                )
            })
            .collect();
        self.store.finish_evaluations(&values)?;
        Ok(n_without_reference)
    }

    /// Lists the metrics that are complete and not summed up: those that were computed now, those whose sums an
    /// interruption kept back, and those that lost them with the readings.
    fn unsummed(&self) -> Result<Vec<&'static Metric>, EvalError> {
        let run = self.store.run(&self.run.setting.name)?;
        let mut unsummed = Vec::new();
        for metric in METRICS {
            let evaluation = run.as_ref().and_then(|run| run.evaluation(metric.id));
            if evaluation.is_some_and(|evaluation| {
                evaluation.version == metric.version && evaluation.value.is_none()
            }) && self.store.evaluations(self.run.id, &[metric.id])? != [None]
            {
                unsummed.push(metric);
            }
        }
        Ok(unsummed)
    }
}

fn read(
    scorer: &mut Scorer<'_>,
    tagger: Option<&mut Tagger>,
    setting: &RunSetting,
    (prediction, verdict): (&Prediction, Option<AstReply>),
    reference: Option<&StoredReference>,
) -> PredictionScore {
    let text = reference.and_then(|stored_reference| stored_reference.text.as_deref());
    let mut pair = scorer.score(&[text.unwrap_or_default()], prediction.text());
    if let Some(before) =
        reference.and_then(|stored_reference| stored_reference.continues.as_deref())
    {
        let reference = text.unwrap_or_default();
        pair.syntax_error = scorer.syntax_error_behind(before, reference, prediction.text());
    }
    if let Some(syntax_error) = verdict {
        pair.syntax_error = syntax_error;
    }
    let reading = PredictionReading {
        syntax_error: pair
            .syntax_error
            .as_ref()
            .map(|error| (error.line, error.column)),
        n_tokens: pair.n_tokens,
        n_reference_tokens: pair.n_reference_tokens,
        is_over_length: is_over_length(setting, prediction, pair.n_tokens),
        is_changed: reference.is_some_and(|stored_reference| {
            stored_reference.content_hash != prediction.content_hash
        }),
        has_reference: text.is_some(),
        assertion: text.map_or("", first_assertion).to_owned(),
        asserts: None,
    };
    let tag_findings = tagger.zip(text).map(|(tagger, text)| {
        tagger.compare(PredictionPair {
            language: reference.map_or(setting.language, |stored_reference| {
                stored_reference.language
            }),
            reference: text,
            prediction: prediction.text(),
            framework: reference.map(|stored_reference| stored_reference.framework),
            file: reference.and_then(|stored_reference| stored_reference.file.as_deref()),
            is_parsable: Some(reading.syntax_error.is_none()),
            is_over_length: reading.is_over_length,
        })
    });
    PredictionScore {
        reading,
        pair,
        tag_findings,
    }
}

/// Tells whether an answer is as long as the model could write. Where nobody kept why it ended, the number of its
/// tokens decides; they are the language's and so fewer than the model's.
fn is_over_length(setting: &RunSetting, prediction: &Prediction, n_tokens: u32) -> bool {
    let is_cut = prediction.meta.as_deref().and_then(reached_limit);
    is_cut.unwrap_or_else(|| setting.length_max.is_some_and(|max| n_tokens >= max))
}

/// Names the first call that looks like an assertion, such as `assertEquals`, `verify` or `fail`; empty without one.
fn first_assertion(text: &str) -> &str {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let word = &rest[start..];
        let end = word.find(|c| !is_part(c)).unwrap_or(word.len());
        let (word, after) = word.split_at(end);
        let is_assertion = ["assert", "assume", "verify", "expect", "fail"]
            .iter()
            .any(|begin| word.starts_with(begin));
        if is_assertion && after.trim_start().starts_with('(') {
            return word;
        }
        rest = after;
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_assertion_call_is_named() {
        assert_eq!(
            first_assertion("x.run();\nassertEquals(1, x);"),
            "assertEquals"
        );
        assert_eq!(
            first_assertion("int assertion = 1; verify (mock)"),
            "verify"
        );
        assert_eq!(first_assertion("assertThat"), "");
        assert_eq!(first_assertion(""), "");
    }
}
