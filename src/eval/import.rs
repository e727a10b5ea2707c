//! Predictions from files into the index: the verb behind `import --run`.
//!
//! A record names its sample by key or as its dataset does, or predictions come in the order of samples. Logs of other
//! harnesses are recognised by their content. An unusable record is a problem with its line, kept with the run;
//! everything else is loaded, and nobody sees a run before it is whole.

use std::io::{self, BufRead};
use std::sync::atomic::Ordering;

use rustc_hash::FxHashSet;

use crate::encode::Decoder;
use crate::exchange::logs::{
    ForeignAnswers, LogFile, LogHead, LogPart, each_in_archive, each_in_object,
};
use crate::exchange::pairs::{self, FieldNames, WirePrediction};
use crate::exchange::records::{LineReader, RecordError, RecordLayout, each_record_with};
use crate::model::{
    Extraction, Filter, Join, Prediction, Problem, Reason, RunSetting, SampleKey, SampleScope,
    counted,
};
use crate::store::{RunCounts, Store, check_run_name};
use crate::task::{Monitor, Phase};

use super::copies::FileCopies;
use super::numbers::{Ids, SampleNumbers, UnjoinedRecord};
use super::unanswered::unanswered;
use super::{EvalError, code_of};

/// Predictions in memory at once: each batch is looked up in the index as a whole.
const PREDICTIONS_AT_ONCE: usize = 2_000;
/// Their bytes, so that few long predictions fill no more memory than many short ones.
const BYTES_AT_ONCE: usize = 32 << 20;

/// Problems that are listed where nothing was stored: the others are only counted.
const N_PROBLEMS_TOLD: usize = 5;

/// The mark that begins and ends code in an answer.
const FENCE: &str = "```";

/// How a file of predictions is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PredictionFormat {
    /// Objects with named fields.
    Records {
        layout: RecordLayout,
        names: FieldNames,
    },
    /// One prediction a line, nothing else; only for predictions in the order of samples.
    Lines,
}

#[derive(Clone, Debug)]
pub struct ImportOptions {
    pub setting: RunSetting,
    pub form: PredictionFormat,
    /// The fields of records that hold the sample's name and the answer, where the user names them.
    pub join: Join,
    /// The n-th record answers the n-th sample of this list.
    pub aligned_with: Option<(Filter, SampleScope)>,
    /// The meaning of the numbers in records that name no sample; where absent, the imported datasets'.
    pub ids: Option<Ids>,
    /// Predictions are the sequences of trees.
    pub is_encoded: bool,
    /// Takes the place of a run of the same name.
    pub is_replacing: bool,
    /// Stores nothing when there is any problem.
    pub is_strict: bool,
}

/// The counts and problems of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportReport {
    pub n_predictions: u64,
    /// Samples with a first answer.
    pub n_samples: u64,
    /// Answers whose code is not the whole answer.
    pub n_extracted: u64,
    /// Sequences that are no code.
    pub n_not_decoded: u64,
    /// Answers with a fence, where nobody asked that code be taken out of answers.
    pub n_fenced: u64,
    /// Records of a dataset that were asked and have no answer: an empty one stands for it. Only where answers are read
    /// as MERA reads them, which counts them as 0.
    pub n_unanswered: u64,
    /// Answers whose sample has no such part: they are loaded, and will count nowhere.
    pub n_without_reference: u64,
    /// Records that name a sample which the index does not have, or no sample at all.
    pub n_unjoined: u64,
    /// Logs whose evaluation did not come to its end.
    pub unfinished: Vec<String>,
    pub problems: Vec<Problem>,
}

/// Loads the files, in order, as one run. `files` are names with contents.
pub fn import(
    store: &mut Store,
    monitor: &Monitor,
    options: &ImportOptions,
    files: &mut [(String, Box<dyn BufRead>)],
) -> Result<ImportReport, EvalError> {
    let name = &options.setting.name;
    check_run_name(name)?;
    if !options.is_replacing && store.run(name)?.is_some() {
        return Err(EvalError::RunExists { name: name.clone() });
    }
    monitor.enter(Phase::Reading);
    let aligned = match &options.aligned_with {
        Some((filter, scope)) => {
            let filter = filter
                .clone()
                .as_decided(options.setting.matcher)
                .within(*scope);
            Some(store.keys(&filter)?)
        }
        None => None,
    };
    let mut copies = FileCopies::begin(store, name)?;
    let numbers = SampleNumbers::of(store, options.ids.as_ref())?;
    let run = store.begin_run(&options.setting, monitor)?;
    let names = match &options.form {
        PredictionFormat::Records { names, .. } => names.clone(),
        PredictionFormat::Lines => FieldNames::of_predictions(),
    };
    let mut loading = PredictionLoader {
        answers: ForeignAnswers::new(names, options.join.clone(), aligned.is_some()),
        numbers,
        decoder: Decoder::new(),
        store,
        monitor,
        options,
        run,
        aligned,
        n_records: 0,
        waiting: Vec::new(),
        n_bytes: 0,
        known: FxHashSet::default(),
        n_written: 0,
        report: ImportReport::default(),
    };
    let loaded = loading
        .all(files, &mut copies)
        .and_then(|()| loading.check())
        .and_then(|()| loading.fill_in());
    let PredictionLoader {
        store,
        mut report,
        answers,
        ..
    } = loading;
    if let Err(error) = loaded {
        store.discard_run(run)?;
        return Err(error);
    }
    // Unknown samples are found some time after broken lines.
    let place = |path: &str| files.iter().position(|file| file.0 == path);
    report
        .problems
        .sort_by_key(|problem| (place(&problem.path), problem.line.unwrap_or(u32::MAX)));
    let counts = RunCounts {
        n_predictions: report.n_predictions as u32,
        n_samples: report.n_samples as u32,
    };
    if let Some(model) = answers.model().filter(|_| options.setting.model.is_none()) {
        store.name_model(run, model)?;
    }
    store.publish_run(run, counts, &report.problems, monitor)?;
    copies.keep()?;
    Ok(report)
}

/// A record: where it is, and the sample that it answers or the problem with it.
struct WaitingRecord {
    path: String,
    line: u32,
    found: Result<(WirePrediction, SampleKey), UnusableRecord>,
}

/// Why a record is no prediction of the run, or why that is not sure. Displayed as a lower-case fragment.
#[derive(Debug, thiserror::Error)]
enum UnusableRecord {
    #[error(transparent)]
    Broken(#[from] RecordError),
    #[error(transparent)]
    Unjoined(#[from] UnjoinedRecord),
    #[error("attempt {attempt} at `{key}` was there before")]
    Repeated { key: SampleKey, attempt: u32 },
    /// Of a file as a whole, where samples have an order.
    #[error(
        "{} for {}: the order may be another one",
        counted(*n_records, "record"),
        counted(*n_samples, "sample")
    )]
    Misaligned { n_records: u64, n_samples: u64 },
}

struct PredictionLoader<'l> {
    answers: ForeignAnswers,
    numbers: SampleNumbers,
    decoder: Decoder,
    store: &'l mut Store,
    monitor: &'l Monitor,
    options: &'l ImportOptions,
    run: i64,
    aligned: Option<Vec<SampleKey>>,
    n_records: u64,
    /// Usable or not, so that problems are told in the order of lines.
    waiting: Vec<WaitingRecord>,
    /// In the predictions that wait.
    n_bytes: usize,
    /// Samples and attempts that have an answer.
    known: FxHashSet<(SampleKey, u32)>,
    n_written: u32,
    report: ImportReport,
}

impl PredictionLoader<'_> {
    fn all(
        &mut self,
        files: &mut [(String, Box<dyn BufRead>)],
        copies: &mut FileCopies,
    ) -> Result<(), EvalError> {
        for (path, input) in files.iter_mut() {
            let mut input = copies.of(path, input)?;
            match LogFile::of(input.fill_buf()?) {
                Some(LogFile::Archive) => {
                    // Its list of members is at its end: the copy is read, which also a pipe has.
                    io::copy(&mut input, &mut io::sink())?;
                    input.finish()?;
                    let file = copies.last()?;
                    each_in_archive(file, |part| self.take_part(path, part))?;
                    continue;
                }
                Some(LogFile::Object) => {
                    each_in_object(&mut input, |part| self.take_part(path, part))?;
                    io::copy(&mut input, &mut io::sink())?;
                }
                None => self.records(path, &mut input)?,
            }
            input.finish()?;
        }
        self.flush()?;
        let n_samples = self.aligned.as_ref().map(|keys| keys.len() as u64);
        if let Some(n_samples) = n_samples.filter(|n_samples| *n_samples != self.n_records) {
            let why = UnusableRecord::Misaligned {
                n_records: self.n_records,
                n_samples,
            };
            self.problem(files.last().map_or("", |file| &file.0), None, &why);
        }
        Ok(())
    }

    /// Takes the records of a file, or its lines.
    fn records(&mut self, path: &str, input: &mut dyn BufRead) -> Result<(), EvalError> {
        let options = self.options;
        match &options.form {
            PredictionFormat::Records { layout, names } => {
                let is_aligned = self.aligned.is_some();
                let columns = [names.id.as_str(), &names.prediction];
                // Where samples have an order, nothing names them; other fields may be named in their place.
                let columns = match &options.join {
                    join if *join == Join::default() => &columns[usize::from(is_aligned)..],
                    _ => &[],
                };
                each_record_with(input, *layout, columns, |record| {
                    let line = record.line;
                    let wires = if options.is_encoded {
                        let sequence = pairs::sequence(record, names, is_aligned);
                        vec![sequence.map(|(wire, tokens)| self.decoded(wire, &tokens))]
                    } else {
                        self.answers.of(record)
                    };
                    self.take(path, line, wires)
                })
            }
            PredictionFormat::Lines => {
                let mut lines = LineReader::new(input);
                while let Some((line, text)) = lines.next()? {
                    let wire = text.map(|text| WirePrediction {
                        line,
                        sample: None,
                        record: None,
                        prediction: text.to_owned(),
                        attempt: 0,
                        meta: None,
                        code: None,
                    });
                    self.take(path, line, vec![wire])?;
                }
                Ok(())
            }
        }
    }

    /// Takes a piece of a log.
    fn take_part(&mut self, path: &str, part: LogPart) -> Result<(), EvalError> {
        match part {
            LogPart::Head(head) => self.head(path, head),
            LogPart::Sample(record) => {
                let line = record.line;
                let wires = self.answers.of(record);
                self.take(path, line, wires)?;
            }
        }
        Ok(())
    }

    fn head(&mut self, path: &str, head: LogHead) {
        if !head.is_finished() {
            self.report.unfinished.push(path.to_owned());
        }
        self.answers.told_model(head.eval.model);
    }

    /// Returns an error where the run is not worth keeping: with problems when it is strict, or without a prediction.
    fn check(&self) -> Result<(), EvalError> {
        let n_problems = self.report.problems.len();
        let first = || {
            let first = self.report.problems.iter().take(N_PROBLEMS_TOLD);
            first.cloned().collect()
        };
        if self.options.is_strict && n_problems > 0 {
            return Err(EvalError::Problems {
                n_problems,
                first: first(),
            });
        }
        if self.report.n_predictions == 0 {
            return Err(EvalError::NothingUsable {
                n_records: self.n_records,
                n_problems,
                first: first(),
            });
        }
        Ok(())
    }

    /// Adds an empty answer for each record without one, where that counts.
    fn fill_in(&mut self) -> Result<(), EvalError> {
        let setting = &self.options.setting;
        if setting.extraction != Extraction::Mera || self.aligned.is_some() {
            return Ok(());
        }
        let answered: FxHashSet<SampleKey> = self.known.iter().map(|known| known.0).collect();
        let keys = unanswered(self.store, setting.matcher, &self.numbers, &answered)?;
        self.report.n_unanswered = keys.len() as u64;
        for key in keys {
            let empty = WirePrediction {
                line: 0,
                sample: None,
                record: None,
                prediction: String::new(),
                attempt: 0,
                meta: None,
                code: None,
            };
            self.waiting.push(WaitingRecord {
                path: String::new(),
                line: 0,
                found: Ok((empty, key)),
            });
            if self.waiting.len() >= PREDICTIONS_AT_ONCE {
                self.flush()?;
            }
        }
        self.flush()
    }

    /// Decodes a prediction's code; a sequence that is none stays what it is, which does not parse.
    fn decoded(&mut self, wire: WirePrediction, tokens: &[String]) -> WirePrediction {
        let code = self.decoder.decode(tokens.iter().map(String::as_str));
        self.report.n_not_decoded += u64::from(code.is_err());
        WirePrediction {
            code: code.ok().map(|(code, _)| code.to_owned()),
            ..wire
        }
    }

    fn problem(&mut self, path: &str, line: Option<u32>, why: &UnusableRecord) {
        self.monitor.n_problems.fetch_add(1, Ordering::Relaxed);
        self.report.n_unjoined += u64::from(matches!(why, UnusableRecord::Unjoined(_)));
        self.report.problems.push(Problem {
            path: path.to_owned(),
            line,
            reason: Reason::BadLine,
            detail: why.to_string(),
        });
    }

    /// Takes the attempts that a record has.
    fn take(
        &mut self,
        path: &str,
        line: u32,
        wires: Vec<Result<WirePrediction, RecordError>>,
    ) -> Result<(), EvalError> {
        // A broken record takes its place too, so that those behind it keep theirs.
        let place = self.n_records;
        self.n_records += 1;
        for wire in wires {
            let found = match wire {
                Ok(wire) => match self.key(&wire, place)? {
                    Ok(key) => Ok((wire, key)),
                    Err(error) => Err(error.into()),
                },
                Err(error) => Err(error.into()),
            };
            if let Ok((wire, _)) = &found {
                self.n_bytes += wire.prediction.len() + wire.meta.as_ref().map_or(0, String::len);
            }
            self.waiting.push(WaitingRecord {
                path: path.to_owned(),
                line,
                found,
            });
        }
        if self.waiting.len() >= PREDICTIONS_AT_ONCE || self.n_bytes >= BYTES_AT_ONCE {
            self.flush()?;
        }
        Ok(())
    }

    /// Finds the sample that a prediction answers, by its record's place where samples have an order, or the reason why
    /// there is none.
    fn key(
        &self,
        wire: &WirePrediction,
        place: u64,
    ) -> Result<Result<SampleKey, UnjoinedRecord>, EvalError> {
        let matcher = self.options.setting.matcher;
        Ok(match (&self.aligned, &wire.sample, wire.record) {
            (Some(keys), _, _) => {
                let place = usize::try_from(place).ok();
                let key = place.and_then(|place| keys.get(place)).copied();
                let n_samples = keys.len();
                key.ok_or(UnjoinedRecord::BehindLast { n_samples })
            }
            (None, Some(name), _) => self.numbers.named(self.store, matcher, name)?,
            (None, None, Some(number)) => self.numbers.key(self.store, matcher, number)?,
            (None, None, None) => Err(UnjoinedRecord::Nameless),
        })
    }

    fn flush(&mut self) -> Result<(), EvalError> {
        self.monitor.step()?;
        let waiting = std::mem::take(&mut self.waiting);
        self.n_bytes = 0;
        let usable = waiting
            .iter()
            .filter_map(|waiting_record| waiting_record.found.as_ref().ok());
        let keys: Vec<SampleKey> = usable.map(|(_, key)| *key).collect();
        let mut facts = self
            .store
            .sample_facts(&keys, self.options.setting.matcher)?
            .into_iter();
        let mut predictions = Vec::with_capacity(keys.len());
        for WaitingRecord { path, line, found } in waiting {
            let (wire, key) = match found {
                Ok(found) => found,
                Err(why) => {
                    self.problem(&path, Some(line), &why);
                    continue;
                }
            };
            let Some(facts) = facts.next().flatten() else {
                let why = UnjoinedRecord::NotInIndex { key };
                self.problem(&path, Some(line), &why.into());
                continue;
            };
            if !self.known.insert((key, wire.attempt)) {
                let attempt = wire.attempt;
                let why = UnusableRecord::Repeated { key, attempt };
                self.problem(&path, Some(line), &why);
                continue;
            }
            let code = wire.code.or_else(|| {
                let code = code_of(
                    self.options.setting.extraction,
                    facts.language,
                    &wire.prediction,
                );
                (code != wire.prediction).then(|| code.into_owned())
            });
            let is_fenced = self.options.setting.extraction == Extraction::None
                && wire.prediction.contains(FENCE);
            self.report.n_fenced += u64::from(is_fenced);
            self.report.n_extracted += u64::from(code.is_some() && !self.options.is_encoded);
            self.report.n_samples += u64::from(wire.attempt == 0);
            let has_reference = facts.has_reference(self.options.setting.target);
            self.report.n_without_reference += u64::from(!has_reference);
            predictions.push(Prediction {
                key,
                attempt: wire.attempt,
                content_hash: facts.content_hash,
                line: wire.line,
                answer: wire.prediction,
                code,
                meta: wire.meta,
            });
        }
        self.store
            .write_predictions(self.run, self.n_written, &predictions, self.monitor)?;
        self.n_written += predictions.len() as u32;
        self.report.n_predictions += predictions.len() as u64;
        self.monitor
            .n_predictions
            .fetch_add(predictions.len() as u64, Ordering::Relaxed);
        Ok(())
    }
}
