//! A training: steps, validations, checkpoints, and when it ends.
//!
//! A training that was stopped and resumed computes the same as one that was not: the order of samples follows from
//! seed and epoch, dropout from seed and step, and the rest is in the checkpoint.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use burn::module::{AutodiffModule, Module};
use burn::tensor::backend::{AutodiffBackend, Backend};
use serde::Serialize;

use crate::batch::{self, Batch, Layout};
use crate::checkpoint::{self, Folder, Head, Progress, VERSION};
use crate::config::Config;
use crate::encoded::{self, Sample, Samples};
use crate::failure::{Failure, Result};
use crate::model::Transformer;
use crate::noise::Noise;
use crate::optimiser::{self, Adam, scalar};
use crate::vocabulary::Vocabulary;

/// A training ends after this many validations in a row without a lesser loss.
const PATIENCE: u32 = 3;
const LOG_EVERY: u64 = 10;
const CHECKPOINT_EVERY: Duration = Duration::from_mins(3);

/// The options of a training.
#[derive(Clone, Debug)]
pub struct Options {
    pub train: PathBuf,
    pub validation: PathBuf,
    pub vocabulary: PathBuf,
    /// The folder of the model that a prompt is learned for.
    pub base: Option<PathBuf>,
    pub output: PathBuf,
    pub config: Config,
    pub resume: bool,
    pub time_max: Option<Duration>,
    /// The last step.
    pub steps_max: Option<u64>,
    pub seed: u64,
    /// The most samples of a validation, the first ones of the file.
    pub validation_max: usize,
    /// Set when the training shall end with a checkpoint.
    pub stop: Arc<AtomicBool>,
}

/// How a training ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The loss has not fallen any more.
    Converged,
    Time,
    Steps,
    /// The stop flag was set.
    Asked,
}

/// The outcome of a training.
#[derive(Clone, Debug)]
pub struct Report {
    pub end: End,
    pub progress: Progress,
    pub n_parameters: usize,
    pub n_train: usize,
    pub n_validation: usize,
    pub n_too_long: usize,
}

/// A line of the log.
#[derive(Debug, Serialize)]
struct Entry<'e> {
    event: &'e str,
    step: u64,
    epoch: u64,
    tokens: u64,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    loss: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    validation_loss: Option<f64>,
    learning_rate: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    gradient: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens_per_second: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// The data of a training.
struct Data {
    vocabulary: Vocabulary,
    train: Vec<Sample>,
    validation: Vec<Sample>,
    n_too_long: usize,
    hash: String,
    problems: Vec<String>,
}

impl Data {
    fn read(options: &Options) -> Result<Self> {
        let vocabulary = Vocabulary::open(&options.vocabulary)?;
        let mut problems = Vec::new();
        let mut n_too_long = 0;
        let mut read = |path| {
            let Samples {
                mut samples,
                problems: found,
            } = encoded::read(path, &vocabulary, options.config.prompt)?;
            problems.extend(found);
            let n = samples.len();
            samples.retain(|sample| {
                sample.source.len() <= options.config.source_max
                    && sample.target.len() <= options.config.target_max
                    && sample.target.len() > 1
                    && !sample.source.is_empty()
            });
            n_too_long += n - samples.len();
            if samples.is_empty() {
                let message = format!(
                    "`{}` has no samples to learn from ({n} are too long or have no target)",
                    path.display()
                );
                return Err(Failure::Nothing(message));
            }
            Ok(samples)
        };
        let train = read(&options.train)?;
        let mut validation = read(&options.validation)?;
        validation.truncate(options.validation_max.max(1));
        let mut hasher = blake3::Hasher::new();
        for sample in train.iter().chain(&validation) {
            hasher.update(sample.key.as_bytes());
            let ids = (sample.source.iter())
                .chain(&sample.context)
                .chain(&sample.target);
            hasher.update(&ids.flat_map(|id| id.to_le_bytes()).collect::<Vec<u8>>());
        }
        Ok(Self {
            hash: hasher.finalize().to_hex().to_string(),
            vocabulary,
            train,
            validation,
            n_too_long,
            problems,
        })
    }
}

struct Training<'o, B: AutodiffBackend> {
    options: &'o Options,
    folder: Folder,
    data: Data,
    layout: Layout,
    device: B::Device,
    model: Transformer<B>,
    adam: Adam<B::InnerBackend>,
    progress: Progress,
    log: fs::File,
    started: Instant,
    seconds_before: f64,
}

/// Trains until the loss falls no more, or as long as was asked for. `say` gets a line about the progress now and then.
///
/// # Errors
/// When the data or the checkpoint cannot be used, another training holds the folder, the disk is full, or the loss is
/// no number any more; the last checkpoint stays good.
pub fn train<B: AutodiffBackend>(
    options: &Options,
    device: &B::Device,
    say: &mut dyn FnMut(&str),
) -> Result<Report> {
    let folder = Folder::new(&options.output);
    let _lock = folder.lock()?;
    let data = Data::read(options)?;
    for problem in &data.problems {
        say(&format!("warning: {problem}"));
    }
    if data.n_too_long > 0 {
        say(&format!(
            "warning: {} samples are too long or have no target and are left out",
            data.n_too_long
        ));
    }
    let mut training = Training::<B>::new(options, folder, data, device)?;
    let n_parameters = training.model.num_params();
    let n_learned = optimiser::n_learned(&training.model);
    let learned = if n_learned == n_parameters {
        String::new()
    } else {
        format!(", {n_learned} of them learned")
    };
    say(&format!(
        "{n_parameters} parameters{learned}, {} samples to learn from, {} to validate with, step {}",
        training.data.train.len(),
        training.data.validation.len(),
        training.progress.step
    ));
    let end = training.run(say)?;
    Ok(Report {
        end,
        progress: training.progress,
        n_parameters,
        n_train: training.data.train.len(),
        n_validation: training.data.validation.len(),
        n_too_long: training.data.n_too_long,
    })
}

/// Mixes the seed and the number of a step into the seed of its dropout.
const fn seed_of(seed: u64, step: u64) -> u64 {
    (seed ^ step.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

impl<'o, B: AutodiffBackend> Training<'o, B> {
    fn new(options: &'o Options, folder: Folder, data: Data, device: &B::Device) -> Result<Self> {
        B::seed(device, options.seed);
        let mut model = Transformer::new(&options.config, data.vocabulary.len(), device);
        let mut adam = Adam::default();
        let mut progress = Progress::default();
        let path = folder.checkpoint();
        if path.exists() {
            if !options.resume {
                return Err(Failure::Usage(format!(
                    "there is a training in `{}`: `--resume` continues it",
                    folder.path.display()
                )));
            }
            let stored = checkpoint::read(&path)?;
            let unlike = differences(&stored.head, options, &data);
            if !unlike.is_empty() {
                let message = format!("it was made with other {unlike}");
                return Err(Failure::input(&path, message));
            }
            model = optimiser::filled(model, stored.parameters).ok_or_else(|| {
                Failure::input(&path, "its parameters do not belong to this model")
            })?;
            adam = Adam::of_numbers(stored.head.n_steps, stored.means, device);
            progress = stored.head.progress;
        } else {
            if let Some(base) = &options.base {
                model = with_weights(model, base)?;
            }
            let bytes = fs::read(&options.vocabulary)
                .map_err(|error| Failure::input(&options.vocabulary, error))?;
            checkpoint::replace(&folder.vocabulary(), |file| file.write_all(&bytes))?;
            // Files of a training that never wrote a checkpoint.
            for stale in [folder.log(), folder.model()] {
                if stale.exists() {
                    fs::remove_file(&stale).map_err(Failure::output(&stale))?;
                }
            }
        }
        let log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(folder.log())
            .map_err(Failure::output(&folder.log()))?;
        Ok(Self {
            options,
            layout: Layout::new(&data.vocabulary, options.config.prompt),
            folder,
            data,
            device: device.clone(),
            model,
            adam,
            seconds_before: progress.seconds,
            progress,
            log,
            started: Instant::now(),
        })
    }

    fn run(&mut self, say: &mut dyn FnMut(&str)) -> Result<End> {
        if self.progress.is_done {
            return Ok(End::Converged);
        }
        self.entry("begin", |entry| entry.note = Some(self_note()))?;
        let mut last_checkpoint = Instant::now();
        let mut since = Since::default();
        loop {
            let order = batch::epoch(
                &self.data.train,
                self.options.config.batch_tokens,
                self.options.seed,
                self.progress.epoch,
            );
            while let Some(batch) = order.get(self.progress.batch) {
                if let Some(end) = self.is_over() {
                    self.checkpoint()?;
                    self.entry("end", |entry| {
                        entry.note = Some(format!("{end:?}").to_lowercase());
                    })?;
                    return Ok(end);
                }
                self.step(batch, &mut since)?;
                self.progress.batch += 1;
                self.progress.step += 1;
                if self.progress.step.is_multiple_of(LOG_EVERY) {
                    self.tell(&mut since, say)?;
                }
                if self
                    .progress
                    .step
                    .is_multiple_of(self.options.config.validate_every)
                {
                    self.validate(say)?;
                    since = Since::default();
                    self.checkpoint()?;
                    last_checkpoint = Instant::now();
                    if self.progress.is_done {
                        self.entry("end", |entry| entry.note = Some("converged".to_owned()))?;
                        return Ok(End::Converged);
                    }
                } else if last_checkpoint.elapsed() > CHECKPOINT_EVERY {
                    self.checkpoint()?;
                    last_checkpoint = Instant::now();
                }
            }
            self.progress.epoch += 1;
            self.progress.batch = 0;
        }
    }

    fn is_over(&self) -> Option<End> {
        if self.options.stop.load(Ordering::Relaxed) {
            return Some(End::Asked);
        }
        let is_late = |max| self.started.elapsed() >= max;
        if self.options.time_max.is_some_and(is_late) {
            return Some(End::Time);
        }
        let steps_max = self.options.steps_max?;
        (self.progress.step >= steps_max).then_some(End::Steps)
    }

    fn step(&mut self, batch: &[usize], since: &mut Since) -> Result<()> {
        let samples: Vec<&Sample> = batch
            .iter()
            .map(|sample_idx| &self.data.train[*sample_idx])
            .collect();
        let batch = Batch::<B>::new(&samples, self.layout, &self.device);
        let seed = seed_of(self.options.seed, self.progress.step);
        let noise = Noise::new::<B>(&self.device, self.options.config.dropout, seed);
        let n = batch.n_expected as f32;
        let loss = self.model.loss(&batch, &noise).div_scalar(n);
        let value = f64::from(scalar(loss.clone().inner()));
        let gradients = optimiser::gradients(&self.model, &loss.backward());
        let length = optimiser::length(&gradients);
        if !value.is_finite() || !length.is_finite() {
            let step = self.progress.step + 1;
            self.entry("not_finite", |entry| {
                entry.note = Some(format!("loss {value}, gradient {length} in step {step}"));
            })?;
            return Err(Failure::Nothing(format!(
                "the loss of step {step} is {value}, its gradient {length}: stopped; the last checkpoint is whole \
                 (a lower `--learning-rate` may help)"
            )));
        }
        let scale = (self.options.config.clip / length).min(1.0) as f32;
        let rate = self.options.config.rate(self.progress.step + 1);
        self.model = self
            .adam
            .step::<B, _>(self.model.clone(), gradients, scale, rate);
        self.progress.n_tokens += batch.n_tokens as u64;
        since.loss += value * f64::from(n);
        since.n_expected += f64::from(n);
        since.n_tokens += batch.n_tokens as f64;
        since.gradient = length;
        Ok(())
    }

    fn tell(&mut self, since: &mut Since, say: &mut dyn FnMut(&str)) -> Result<()> {
        let speed = since.n_tokens / since.started.elapsed().as_secs_f64().max(1e-9);
        let loss = since.loss / since.n_expected.max(1.0);
        let gradient = since.gradient;
        say(&format!(
            "step {}  loss {loss:.4}  {speed:.0} tokens/s",
            self.progress.step
        ));
        *since = Since::default();
        self.entry("step", |entry| {
            entry.loss = Some(loss);
            entry.gradient = Some(gradient);
            entry.tokens_per_second = Some(speed);
        })
    }

    fn validate(&mut self, say: &mut dyn FnMut(&str)) -> Result<()> {
        let loss = validation_loss(
            &self.model.valid(),
            &self.data.validation,
            (self.layout, self.options.config.batch_tokens),
            &self.device,
        );
        let is_best = self.progress.best.is_none_or(|best| loss < best);
        if is_best {
            self.progress.best = Some(loss);
            self.progress.best_step = self.progress.step;
            self.progress.n_worse = 0;
            let parameters = optimiser::numbers(&self.model);
            let head = self.head(&parameters);
            checkpoint::write(&self.folder.model(), &head, &[&parameters])?;
        } else {
            self.progress.n_worse += 1;
            self.progress.is_done = self.progress.n_worse >= PATIENCE;
        }
        say(&format!(
            "step {}  validation loss {loss:.4}{}",
            self.progress.step,
            if is_best { ", the least so far" } else { "" }
        ));
        self.entry("validation", |entry| entry.validation_loss = Some(loss))
    }

    fn head(&self, parameters: &[Vec<f32>]) -> Head {
        Head {
            version: VERSION,
            config: self.options.config.clone(),
            n_pieces: self.data.vocabulary.len(),
            vocabulary: self.data.vocabulary.hash.clone(),
            data: self.data.hash.clone(),
            seed: self.options.seed,
            progress: self.progress.clone(),
            lens: parameters.iter().map(Vec::len).collect(),
            n_steps: 0,
            means: Vec::new(),
        }
    }

    fn checkpoint(&mut self) -> Result<()> {
        self.progress.seconds = self.seconds();
        let parameters = optimiser::numbers(&self.model);
        let (n_steps, means) = self.adam.numbers();
        let mut head = self.head(&parameters);
        head.n_steps = n_steps;
        head.means = means.iter().map(Vec::len).collect();
        checkpoint::write(&self.folder.checkpoint(), &head, &[&parameters, &means])?;
        // Before the first validation the last weights are the best there are.
        if self.progress.best.is_none() {
            head.n_steps = 0;
            head.means = Vec::new();
            checkpoint::write(&self.folder.model(), &head, &[&parameters])?;
        }
        Ok(())
    }

    fn seconds(&self) -> f64 {
        self.seconds_before + self.started.elapsed().as_secs_f64()
    }

    fn entry(&mut self, event: &str, fill: impl FnOnce(&mut Entry<'_>)) -> Result<()> {
        let mut entry = Entry {
            event,
            step: self.progress.step,
            epoch: self.progress.epoch,
            tokens: self.progress.n_tokens,
            seconds: self.seconds(),
            loss: None,
            validation_loss: None,
            learning_rate: self.options.config.rate(self.progress.step),
            gradient: None,
            tokens_per_second: None,
            note: None,
        };
        fill(&mut entry);
        let written = serde_json::to_vec(&entry)
            .map_err(std::io::Error::from)
            .and_then(|mut line| {
                line.push(b'\n');
                self.log.write_all(&line)
            });
        written.map_err(Failure::output(&self.folder.log()))
    }
}

/// The totals since the last line of the log.
struct Since {
    started: Instant,
    loss: f64,
    n_expected: f64,
    n_tokens: f64,
    gradient: f64,
}

impl Default for Since {
    fn default() -> Self {
        Self {
            started: Instant::now(),
            loss: 0.0,
            n_expected: 0.0,
            n_tokens: 0.0,
            gradient: 0.0,
        }
    }
}

fn self_note() -> String {
    concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")).to_owned()
}

/// Gives a model with a prompt the weights of the model in a folder.
fn with_weights<B: AutodiffBackend>(model: Transformer<B>, base: &Path) -> Result<Transformer<B>> {
    let path = Folder::new(base).model();
    let mut weights = checkpoint::read(&path)?.parameters;
    // The parameters of the prompt come behind them.
    let own = optimiser::numbers(&model).into_iter().skip(weights.len());
    weights.extend(own);
    optimiser::filled(model, weights)
        .ok_or_else(|| Failure::input(&path, "its parameters do not belong to this model"))
}

/// Names the inputs in which a checkpoint differs from this training; empty where it can go on.
fn differences(head: &Head, options: &Options, data: &Data) -> String {
    // The interval of validations has no influence on what is learned.
    let settings = Config {
        validate_every: head.config.validate_every,
        ..options.config.clone()
    };
    let mut unlike = Vec::new();
    if head.vocabulary != data.vocabulary.hash {
        unlike.push("vocabulary");
    }
    if head.data != data.hash {
        unlike.push("samples");
    }
    if head.config != settings {
        unlike.push("settings");
    }
    if head.seed != options.seed {
        unlike.push("seed");
    }
    unlike.join(", ")
}

/// Computes the mean cross entropy per number of the samples' targets.
pub fn validation_loss<B: Backend>(
    model: &Transformer<B>,
    samples: &[Sample],
    (layout, batch_tokens): (Layout, usize),
    device: &B::Device,
) -> f64 {
    let mut order: Vec<usize> = (0..samples.len()).collect();
    order.sort_by_key(|sample_idx| {
        (
            samples[*sample_idx].source.len(),
            samples[*sample_idx].target.len(),
        )
    });
    let (mut sum, mut n) = (0.0, 0);
    for batch in batch::in_order(samples, &order, batch_tokens) {
        let samples: Vec<&Sample> = batch
            .iter()
            .map(|sample_idx| &samples[*sample_idx])
            .collect();
        let batch = Batch::<B>::new(&samples, layout, device);
        sum += f64::from(scalar(model.loss(&batch, &Noise::None)));
        n += batch.n_expected;
    }
    sum / n.max(1) as f64
}
