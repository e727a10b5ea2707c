//! Pairs in, scores out, without an index: the verb behind `score`.
//!
//! Pairs are read, scored on all threads and written in their order, some thousand at a time, so that memory is bounded
//! however many there are. Only CrystalBLEU without a corpus of its own needs all references first.

use std::io::{BufRead, Write};
use std::sync::atomic::Ordering;

use crate::exchange::pairs::{self, FieldNames, PairId, WirePair};
use crate::exchange::records::{LineReader, RecordLayout, each_record_with};
use crate::exchange::{WireCorpusScores, WireCrystal, WirePairScores, WireSyntaxError, write_line};
use crate::metric::Metric;
use crate::metric::scorer::{PairScore, Scorer, Settings};
use crate::model::{Extraction, Problem};
use crate::task::{Monitor, Phase};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::ast::{self, Ast};
use super::crystal::{self, CrystalOptions, CrystalSource, Gatherer};
use super::{EvalError, Summary, code_of};

/// Pairs in memory at once: enough for all threads.
const PAIRS_AT_ONCE: usize = 8_192;
/// Their bytes, so that few long pairs fill no more memory than many short ones.
const BYTES_AT_ONCE: usize = 32 << 20;

/// A thread takes at least this number of pairs, so that the cost of making a scorer does not count.
const PAIRS_PER_SCORER: usize = 128;

/// The source of pairs.
pub enum PairSource<'i> {
    /// One file of records.
    Records {
        input: &'i mut (dyn BufRead + Send),
        layout: RecordLayout,
        names: FieldNames,
        /// Its name in problems.
        path: String,
    },
    /// Two files of texts, one a line, that belong together line by line.
    Lines {
        references: &'i mut (dyn BufRead + Send),
        predictions: &'i mut (dyn BufRead + Send),
        path: String,
    },
}

impl PairSource<'_> {
    fn path(&self) -> &str {
        match self {
            Self::Records { path, .. } | Self::Lines { path, .. } => path,
        }
    }
}

#[derive(Clone)]
pub struct ScoreOptions {
    pub settings: Settings,
    pub crystal: CrystalOptions,
    pub extraction: Extraction,
    /// The most tokens that the model could write.
    pub length_max: Option<u32>,
    /// Writes only the last line.
    pub is_summary_only: bool,
    /// The Python that decides what parses, where `ast` is asked for.
    pub ast: Option<Ast>,
}

/// The scores of a file of pairs, and its problems.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreReport {
    pub summary: Summary,
    pub crystal: Option<CrystalSource>,
    pub n_problems: u64,
}

/// Scores every pair and writes a line for each, then one for the corpus. `tell` hears every problem as it comes.
pub fn score(
    monitor: &Monitor,
    options: &ScoreOptions,
    source: PairSource<'_>,
    out: &mut dyn Write,
    tell: &mut dyn FnMut(&Problem),
) -> Result<ScoreReport, EvalError> {
    monitor.enter(Phase::Scoring);
    let path = source.path().to_owned();
    let mut options = options.clone();
    let (pairs, crystal) = if crystal::is_needed(&options.settings.metrics) {
        let (pairs, crystal) = share_ngrams(monitor, &mut options, source)?;
        (pairs, Some(crystal))
    } else {
        (PairReader::Unread(source), None)
    };
    let mut run = Run::new(monitor, &options, path, out, tell);
    match pairs {
        PairReader::Unread(source) => each_pair(source, |pair| run.take(pair))?,
        PairReader::Read(pairs) => pairs.into_iter().try_for_each(|pair| run.take(pair))?,
    }
    run.finish(crystal)
}

/// Pairs that are still to be read, or all of them, each as a pair or as a problem.
enum PairReader<'i> {
    Unread(PairSource<'i>),
    Read(Vec<Result<WirePair, Problem>>),
}

/// Counts the n-grams that all code shares, in the corpus that is named or else in the references, which must all be
/// read for that. The texts of a corpus are not kept.
fn share_ngrams<'i>(
    monitor: &Monitor,
    options: &mut ScoreOptions,
    source: PairSource<'i>,
) -> Result<(PairReader<'i>, CrystalSource), EvalError> {
    let mut gatherer = Gatherer::new(options.settings.language);
    let (pairs, name) = if let Some((name, texts)) = options.crystal.corpus.take() {
        for text in &texts {
            gatherer.add(text);
        }
        (PairReader::Unread(source), name)
    } else {
        let mut pairs = Vec::new();
        each_pair(source, |pair| {
            monitor.step()?;
            if let Ok(pair) = &pair {
                pair.references.iter().for_each(|text| gatherer.add(text));
            }
            pairs.push(pair);
            Ok(())
        })?;
        (
            PairReader::Read(pairs),
            "the references themselves".to_owned(),
        )
    };
    let (shared, crystal) = gatherer.finish(options.crystal.k, name);
    options.settings.shared = shared;
    Ok((pairs, crystal))
}

/// Hands every pair to `each`, or the problem with it.
fn each_pair(
    source: PairSource<'_>,
    mut each: impl FnMut(Result<WirePair, Problem>) -> Result<(), EvalError>,
) -> Result<(), EvalError> {
    match source {
        PairSource::Records {
            input,
            layout,
            names,
            path,
        } => {
            let columns = [names.reference.as_str(), &names.prediction];
            each_record_with(input, layout, &columns, |record| {
                let line = record.line;
                let pair = pairs::pair(record, &names);
                each(pair.map_err(|error| Problem::bad_line(&path, line, &error)))
            })
        }
        PairSource::Lines {
            references,
            predictions,
            path,
        } => each_line_pair(references, predictions, &path, each),
    }
}

fn each_line_pair(
    references: &mut dyn BufRead,
    predictions: &mut dyn BufRead,
    path: &str,
    mut each: impl FnMut(Result<WirePair, Problem>) -> Result<(), EvalError>,
) -> Result<(), EvalError> {
    let mut references = LineReader::new(references);
    let mut predictions = LineReader::new(predictions);
    loop {
        let (reference, prediction) = (references.next()?, predictions.next()?);
        let (line, pair) = match (reference, prediction) {
            (None, None) => return Ok(()),
            (Some((line, Ok(reference))), Some((_, Ok(prediction)))) => {
                let pair = WirePair {
                    line,
                    id: PairId::of_line(line),
                    references: vec![reference.to_owned()],
                    prediction: prediction.to_owned(),
                };
                (line, Ok(pair))
            }
            (Some((line, Err(detail))), _) => (line, Err(format!("reference: {detail}"))),
            (Some((line, Ok(_))), Some((_, Err(detail)))) => {
                (line, Err(format!("prediction: {detail}")))
            }
            (Some((line, Ok(_))), None) => (line, Err("no prediction on this line".to_owned())),
            (None, Some((line, _))) => (line, Err("no reference on this line".to_owned())),
        };
        each(pair.map_err(|detail| Problem::bad_line(path, line, &detail)))?;
    }
}

/// Ids that were seen, with their lines; by hash, as there may be millions.
#[derive(Default)]
struct SeenIds(FxHashMap<[u8; 16], u32>);

impl SeenIds {
    /// Notes the line of an id, and returns the earlier line with the same id.
    fn before(&mut self, pair: &WirePair) -> Option<u32> {
        if pair.id.is_none() {
            return None;
        }
        let mut hash = [0; 16];
        let mut hasher = blake3::Hasher::new();
        hasher.update(pair.id.to_string().as_bytes());
        hasher.finalize_xof().fill(&mut hash);
        self.0.insert(hash, pair.line)
    }
}

/// A corpus on its way.
struct Run<'r> {
    monitor: &'r Monitor,
    options: &'r ScoreOptions,
    /// The name of the pairs' file.
    path: String,
    out: &'r mut dyn Write,
    tell: &'r mut dyn FnMut(&Problem),
    waiting: Vec<WirePair>,
    n_bytes: usize,
    known: SeenIds,
    summary: Summary,
    n_problems: u64,
}

impl<'r> Run<'r> {
    fn new(
        monitor: &'r Monitor,
        options: &'r ScoreOptions,
        path: String,
        out: &'r mut dyn Write,
        tell: &'r mut dyn FnMut(&Problem),
    ) -> Self {
        Self {
            monitor,
            options,
            path,
            out,
            tell,
            waiting: Vec::new(),
            n_bytes: 0,
            known: SeenIds::default(),
            summary: Summary::new(options.settings.metrics.len()),
            n_problems: 0,
        }
    }

    fn problem(&mut self, problem: &Problem) {
        self.n_problems += 1;
        self.monitor.n_problems.fetch_add(1, Ordering::Relaxed);
        (self.tell)(problem);
    }

    fn take(&mut self, pair: Result<WirePair, Problem>) -> Result<(), EvalError> {
        let pair = match pair {
            Ok(pair) => pair,
            Err(problem) => {
                self.problem(&problem);
                return Ok(());
            }
        };
        if let Some(line) = self.known.before(&pair) {
            let detail = format!(
                "the id {} was on line {line} before; both are scored",
                pair.id
            );
            self.problem(&Problem::bad_line(&self.path, pair.line, &detail));
        }
        self.n_bytes +=
            pair.prediction.len() + pair.references.iter().map(String::len).sum::<usize>();
        self.waiting.push(pair);
        if self.waiting.len() >= PAIRS_AT_ONCE || self.n_bytes >= BYTES_AT_ONCE {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), EvalError> {
        self.monitor.step()?;
        let pairs = std::mem::take(&mut self.waiting);
        self.n_bytes = 0;
        let options = self.options;
        let mut scored: Vec<(PairScore, Option<String>)> = pairs
            .par_iter()
            .with_min_len(PAIRS_PER_SCORER)
            .map_init(
                || Scorer::new(&options.settings),
                |scorer, pair| one(scorer, options, pair),
            )
            .collect();
        self.ask_python(&pairs, &mut scored)?;
        for (pair, (scored, extracted)) in pairs.iter().zip(&scored) {
            for metric in &scored.too_costly {
                let detail = format!("too long for `{metric}`, which counts as 0");
                self.problem(&Problem::bad_line(&self.path, pair.line, &detail));
            }
            let is_over_length = self
                .options
                .length_max
                .is_some_and(|max| scored.n_tokens >= max);
            self.summary.add(
                &scored.scores,
                scored.syntax_error.is_none(),
                is_over_length,
            );
            if !self.options.is_summary_only {
                let metrics = &self.options.settings.metrics;
                write_line(
                    self.out,
                    &pair_line(pair, scored, metrics, extracted.as_deref()),
                )?;
            }
        }
        self.monitor
            .n_predictions
            .fetch_add(pairs.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Replaces the grammar's error by a real Python's, where that is asked for.
    fn ask_python(
        &self,
        pairs: &[WirePair],
        scored: &mut [(PairScore, Option<String>)],
    ) -> Result<(), EvalError> {
        let settings = &self.options.settings;
        let ast = ast::deciding(settings.parse_mode, self.options.ast.as_ref())?;
        let Some(ast) = ast.filter(|_| settings.parse_mode.asks_python(settings.language)) else {
            return Ok(());
        };
        for (pair, (scored, extracted)) in pairs.iter().zip(scored) {
            let code = extracted.as_deref().unwrap_or(&pair.prediction);
            scored.syntax_error = ast.parse(code, self.monitor)?;
        }
        Ok(())
    }

    fn finish(mut self, crystal: Option<CrystalSource>) -> Result<ScoreReport, EvalError> {
        self.flush()?;
        let line = corpus_line(
            &self.summary,
            self.options,
            crystal.as_ref(),
            self.n_problems,
        );
        write_line(self.out, &line)?;
        self.out.flush()?;
        Ok(ScoreReport {
            summary: self.summary,
            crystal,
            n_problems: self.n_problems,
        })
    }
}

/// Scores one pair; also returns the code in its answer, where that is not all of it.
fn one(
    scorer: &mut Scorer<'_>,
    options: &ScoreOptions,
    pair: &WirePair,
) -> (PairScore, Option<String>) {
    let code = code_of(
        options.extraction,
        options.settings.language,
        &pair.prediction,
    );
    let references: Vec<&str> = pair.references.iter().map(String::as_str).collect();
    let scored = scorer.score(&references, &code);
    let is_all = code == pair.prediction;
    (scored, (!is_all).then(|| code.into_owned()))
}

fn pair_line<'p>(
    pair: &'p WirePair,
    scored: &'p PairScore,
    metrics: &[&'static Metric],
    extracted: Option<&'p str>,
) -> WirePairScores<'p> {
    let scores = || metrics.iter().zip(&scored.scores);
    WirePairScores {
        id: &pair.id,
        parsable: scored.syntax_error.is_none(),
        scores: scores()
            .map(|(metric, score)| (metric.id, score.value))
            .collect(),
        parts: scores()
            .filter_map(|(metric, score)| Some((metric.id, metric.named_parts(score)?.collect())))
            .collect(),
        syntax_error: scored.syntax_error.as_ref().map(|error| WireSyntaxError {
            line: error.line,
            column: error.column,
            detail: &error.detail,
        }),
        extracted,
        too_costly: scored.too_costly.clone(),
    }
}

fn corpus_line(
    summary: &Summary,
    options: &ScoreOptions,
    crystal: Option<&CrystalSource>,
    n_problems: u64,
) -> WireCorpusScores {
    let metrics = || options.settings.metrics.iter().enumerate();
    WireCorpusScores {
        corpus: metrics()
            .map(|(idx, metric)| (metric.id, summary.value(metric, idx)))
            .collect(),
        parts: metrics()
            .filter(|(_, metric)| !metric.parts.is_empty())
            .map(|(idx, metric)| (metric.id, summary.parts(metric, idx).collect()))
            .collect(),
        n: summary.n_pairs,
        n_unparsable: summary.n_unparsable,
        unparsable_rate: summary.unparsable_rate(),
        over_length_rate: options.length_max.and_then(|_| summary.over_length_rate()),
        parsable: metrics()
            .map(|(idx, metric)| (metric.id, summary.value_parsable(metric, idx)))
            .collect(),
        adjusted: metrics()
            .map(|(idx, metric)| (metric.id, summary.adjusted(metric, idx)))
            .collect(),
        n_problems,
        language: options.settings.language.as_str(),
        parse_mode: options.settings.parse_mode.as_str(),
        parser: options
            .ast
            .as_ref()
            .map(|ast| format!("Python {}", ast.version)),
        versions: metrics()
            .map(|(_, metric)| (metric.id, metric.version))
            .collect(),
        crystal: crystal.map(|crystal_source| WireCrystal {
            k: crystal_source.k,
            corpus: crystal_source.corpus.clone(),
            n_tokens: crystal_source.n_tokens,
        }),
    }
}
