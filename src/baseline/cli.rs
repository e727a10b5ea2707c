//! The command line: the commands, their options, and their messages.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use burn::backend::{Autodiff, Flex};
use burn::tensor::backend::AutodiffBackend;
use clap::{Args, Parser, Subcommand, ValueEnum};

use self::memory::Memory;
use self::predict::Predict;
use self::search::Search;
use self::serve::Serve;
use self::tune::Tune;
use crate::checkpoint;
use crate::config::{Config, NAMES};
use crate::encode::is_marker;
use crate::encoded;
use crate::failure::{Failure, Result};
use crate::train;
use crate::vocabulary::Vocabulary;

mod memory;
mod predict;
mod search;
mod serve;
mod stop;
mod tune;

/// What computes on the processor.
pub type Cpu = Autodiff<Flex>;
#[cfg(feature = "cuda")]
type Cuda = Autodiff<burn::backend::Cuda>;

/// A transformer from trees to trees: `ConTest`'s baseline.
#[derive(Debug, Parser)]
#[command(name = "focalist-baseline", version, about, max_term_width = 100)]
struct Asked {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Vocabulary(MakeVocabulary),
    Train(Train),
    Tune(Tune),
    Predict(Predict),
    Serve(Serve),
    Search(Search),
    Memory(Memory),
}

/// Make a unigram vocabulary of the values of a training split
#[derive(Debug, Args)]
struct MakeVocabulary {
    /// The output of `focalist encode split:train`
    encoded: PathBuf,
    /// How many entries: markers, bytes and pieces
    #[arg(long, default_value_t = 16_000)]
    size: usize,
    #[arg(short, long)]
    output: PathBuf,
}

/// Train a model, or go on training
#[derive(Debug, Args)]
struct Train {
    /// The output of `focalist encode split:train`
    #[arg(long = "train", value_name = "TRAIN")]
    samples: PathBuf,
    /// The output of `focalist encode split:validation`
    #[arg(long)]
    validation: PathBuf,
    #[arg(long)]
    vocabulary: PathBuf,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    course: Course,
}

/// Where a training works, and how long
#[derive(Debug, Args)]
struct Course {
    /// The folder of the training
    #[arg(long)]
    output: PathBuf,
    /// Go on where the training in the folder ended, if there is one
    #[arg(long)]
    resume: bool,
    /// End with a checkpoint after this many minutes
    #[arg(long)]
    minutes: Option<f64>,
    /// End with a checkpoint after this step
    #[arg(long)]
    steps: Option<u64>,
    /// End with a checkpoint when stdin ends, too: for programs that start this one
    #[arg(long)]
    until_eof: bool,
    #[arg(long, value_enum, default_value_t = Device::Cpu)]
    device: Device,
}

/// What a model is like and how it is trained
#[derive(Clone, Debug, Args)]
pub struct Settings {
    /// The size: paper, small or tiny
    #[arg(long, default_value = "small")]
    config: String,
    #[command(flatten)]
    changes: Changes,
}

/// Changes to a configuration
#[derive(Clone, Debug, Args)]
struct Changes {
    #[arg(long)]
    learning_rate: Option<f64>,
    /// Steps until the learning rate is at its greatest
    #[arg(long)]
    warm_up: Option<u64>,
    /// Numbers in a batch, padding counted
    #[arg(long)]
    batch_tokens: Option<usize>,
    #[arg(long)]
    dropout: Option<f64>,
    /// Sources of more numbers are left out
    #[arg(long)]
    source_max: Option<usize>,
    /// Targets of more numbers are left out
    #[arg(long)]
    target_max: Option<usize>,
    /// Steps from one validation to the next
    #[arg(long)]
    validate_every: Option<u64>,
    /// Validate with at most this many samples
    #[arg(long, default_value_t = 1000)]
    validation_samples: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Course {
    fn time_max(&self) -> Result<Option<Duration>> {
        let seconds = self.minutes.map(|minutes| minutes * 60.0);
        seconds
            .map(Duration::try_from_secs_f64)
            .transpose()
            .map_err(|error| Failure::Usage(format!("`--minutes`: {error}")))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Device {
    Cpu,
    Cuda,
}

impl Settings {
    fn config(&self) -> Result<Config> {
        let config = Config::named(&self.config).ok_or_else(|| {
            Failure::Usage(format!(
                "no config `{}`: there are {}",
                self.config.escape_debug(),
                NAMES.join(", ")
            ))
        })?;
        self.changes.applied(config)
    }
}

impl Changes {
    fn applied(&self, mut config: Config) -> Result<Config> {
        config.learning_rate = self.learning_rate.unwrap_or(config.learning_rate);
        config.warm_up = self.warm_up.unwrap_or(config.warm_up);
        config.batch_tokens = self.batch_tokens.unwrap_or(config.batch_tokens);
        config.dropout = self.dropout.unwrap_or(config.dropout);
        config.source_max = self.source_max.unwrap_or(config.source_max);
        config.target_max = self.target_max.unwrap_or(config.target_max);
        config.validate_every = self.validate_every.unwrap_or(config.validate_every).max(1);
        let is_rate = |rate: f64| rate.is_finite() && rate > 0.0;
        if !is_rate(config.learning_rate) || !(0.0..1.0).contains(&config.dropout) {
            return Err(Failure::Usage(
                "a learning rate is above 0, dropout at least 0 and below 1".to_owned(),
            ));
        }
        Ok(config)
    }
}

/// Runs what `arguments` ask for; returns the exit code.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let asked = match Asked::try_parse_from(arguments) {
        Ok(asked) => asked,
        Err(error) => {
            let text = error.render();
            let is_help = !error.use_stderr();
            // Where the reader is gone, nobody can be told that writing failed.
            let _ = if is_help {
                write!(out, "{text}")
            } else {
                write!(err, "{text}")
            };
            return if is_help { 0 } else { 2 };
        }
    };
    let done = match asked.command {
        Command::Vocabulary(asked) => vocabulary(&asked, err),
        Command::Train(asked) => match asked.course.device {
            Device::Cpu => train::<Cpu>(&asked, err),
            #[cfg(feature = "cuda")]
            Device::Cuda => train::<Cuda>(&asked, err),
            #[cfg(not(feature = "cuda"))]
            Device::Cuda => Err(no_cuda()),
        },
        Command::Tune(asked) => match asked.course.device {
            Device::Cpu => tune::run::<Cpu>(&asked, err),
            #[cfg(feature = "cuda")]
            Device::Cuda => tune::run::<Cuda>(&asked, err),
            #[cfg(not(feature = "cuda"))]
            Device::Cuda => Err(no_cuda()),
        },
        Command::Predict(asked) => match asked.how.device {
            Device::Cpu => predict::run::<Flex>(&asked, err),
            #[cfg(feature = "cuda")]
            Device::Cuda => predict::run::<burn::backend::Cuda>(&asked, err),
            #[cfg(not(feature = "cuda"))]
            Device::Cuda => Err(no_cuda()),
        },
        Command::Serve(asked) => match asked.how.device {
            Device::Cpu => serve::run::<Flex>(&asked, err),
            #[cfg(feature = "cuda")]
            Device::Cuda => serve::run::<burn::backend::Cuda>(&asked, err),
            #[cfg(not(feature = "cuda"))]
            Device::Cuda => Err(no_cuda()),
        },
        Command::Search(asked) => search::run::<Cpu>(&asked, err),
        Command::Memory(asked) => memory::run::<Cpu>(&asked, out, err),
    };
    match done {
        Ok(()) => 0,
        Err(failure) => {
            tell(err, &format!("error: {failure}"));
            failure.code()
        }
    }
}

#[cfg(not(feature = "cuda"))]
fn no_cuda() -> Failure {
    Failure::Usage(
        "this program was built without `cuda`: `cargo build --features cuda` in `src/baseline`"
            .to_owned(),
    )
}

/// Writes a line, with a replacement character for each control character.
fn tell(err: &mut dyn Write, text: &str) {
    let text: String = text
        .chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect();
    // Where the reader is gone, nobody can be told that writing failed.
    let _ = writeln!(err, "{text}");
}

fn vocabulary(asked: &MakeVocabulary, err: &mut dyn Write) -> Result<()> {
    let mut values: BTreeMap<String, u32> = BTreeMap::new();
    let mut n_samples = 0;
    let problems = encoded::each_line(&asked.encoded, |line| {
        n_samples += 1;
        for token in line.source.into_iter().chain(line.target) {
            if !is_marker(&token) {
                *values.entry(token).or_default() += 1;
            }
        }
        Ok(())
    })?;
    for problem in problems {
        tell(err, &format!("warning: {problem}"));
    }
    let n_values = values.len();
    let file = Vocabulary::train(values, asked.size)?;
    checkpoint::replace(&asked.output, |output| {
        serde_json::to_writer(&mut *output, &file)?;
        output.write_all(b"\n")
    })?;
    let vocabulary = Vocabulary::open(&asked.output)?;
    tell(
        err,
        &format!(
            "{} entries from {n_values} values of {n_samples} samples",
            vocabulary.len()
        ),
    );
    Ok(())
}

fn train<B: AutodiffBackend>(asked: &Train, err: &mut dyn Write) -> Result<()> {
    let (course, changes) = (&asked.course, &asked.settings.changes);
    let options = train::Options {
        train: asked.samples.clone(),
        validation: asked.validation.clone(),
        vocabulary: asked.vocabulary.clone(),
        base: None,
        output: course.output.clone(),
        config: asked.settings.config()?,
        resume: course.resume,
        time_max: course.time_max()?,
        steps_max: course.steps,
        seed: changes.seed,
        validation_max: changes.validation_samples,
        stop: stop::flag(course.until_eof)?,
    };
    learn::<B>(&options, err)
}

/// Trains, and writes how the training ended.
fn learn<B: AutodiffBackend>(options: &train::Options, err: &mut dyn Write) -> Result<()> {
    let report = train::train::<B>(options, &B::Device::default(), &mut |text| tell(err, text))?;
    let how = match report.end {
        train::End::Converged => "the loss no longer falls",
        train::End::Time => "time is up, `--resume` continues",
        train::End::Steps => "the last step is done, `--resume` continues",
        train::End::Asked => "stopped, `--resume` continues",
    };
    tell(
        err,
        &format!(
            "{} steps, {} tokens, {:.0} s; least validation loss {}: {how}",
            report.progress.step,
            report.progress.n_tokens,
            report.progress.seconds,
            report
                .progress
                .best
                .map_or_else(|| "none".to_owned(), |loss| format!("{loss:.4}")),
        ),
    );
    Ok(())
}
