//! The command `predict`: a file of samples in, a file of predictions out.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use burn::tensor::backend::Backend;
use clap::Args;
use serde::Serialize;

use super::{Device, tell};
use crate::checkpoint;
use crate::encoded::{self, Sample};
use crate::failure::{Failure, Result};
use crate::predict::{Options, Speaker};
use crate::trained;

/// Write the answers of a model to samples, for `focalist import --decode tree`
#[derive(Debug, Args)]
pub struct Predict {
    /// The folder of a training
    model: PathBuf,
    /// The output of `focalist encode`
    encoded: PathBuf,
    #[command(flatten)]
    pub how: How,
    /// Only this many samples from the beginning
    #[arg(long)]
    limit: Option<usize>,
    #[arg(short, long)]
    output: PathBuf,
}

/// How answers are looked for
#[derive(Clone, Debug, Args)]
pub struct How {
    /// How many beginnings are kept; 1 is greedy
    #[arg(long, default_value_t = 1)]
    beam: usize,
    /// Say only what can be decoded
    #[arg(long)]
    grammar: bool,
    /// How many numbers an answer has at most; else what the model was trained with
    #[arg(long)]
    length_max: Option<usize>,
    /// Samples that are computed together
    #[arg(long, default_value_t = 16)]
    pub batch: usize,
    #[arg(long, value_enum, default_value_t = Device::Cpu)]
    pub device: Device,
}

impl How {
    /// Returns the options for a model of these limits.
    pub fn options(&self, (source_max, target_max): (usize, usize)) -> Options {
        Options {
            beam: self.beam.clamp(1, 64),
            is_held: self.grammar,
            target_max: self.length_max.unwrap_or(target_max).max(1),
            source_max,
        }
    }
}

#[derive(Serialize)]
struct Line<'l> {
    sample: &'l str,
    prediction: &'l [String],
    meta: Meta,
}

#[derive(Serialize)]
struct Meta {
    log_probability: f64,
    is_whole: bool,
    n_again: usize,
    is_source_cut: bool,
}

/// What was counted.
#[derive(Default)]
struct Counts {
    n: usize,
    n_tokens: usize,
    n_cut_off: usize,
    n_sources_cut: usize,
    n_again: usize,
    n_empty: usize,
}

pub fn run<B: Backend>(asked: &Predict, err: &mut dyn Write) -> Result<()> {
    let device = B::Device::default();
    let trained = trained::open::<B>(&asked.model, &device)?;
    let config = &trained.head.config;
    let read = encoded::read(&asked.encoded, &trained.vocabulary, config.prompt)?;
    for problem in &read.problems {
        tell(err, &format!("warning: {problem}"));
    }
    let mut samples = read.samples;
    samples.truncate(asked.limit.unwrap_or(usize::MAX));
    if samples.is_empty() {
        let message = format!("`{}` has no samples", asked.encoded.display());
        return Err(Failure::Nothing(message));
    }
    let options = asked.how.options((config.source_max, config.target_max));
    let speaker = Speaker::new(&trained.model, &trained.vocabulary, &device);
    // Sources of about the same length are computed together, and written in the order of the file.
    let mut order: Vec<usize> = (0..samples.len()).collect();
    order.sort_by_key(|sample_idx| samples[*sample_idx].source.len());
    let mut lines: Vec<Option<Vec<u8>>> = vec![None; samples.len()];
    let mut counts = Counts::default();
    let started = Instant::now();
    for batch in order.chunks(asked.how.batch.max(1)) {
        let asked: Vec<&Sample> = batch
            .iter()
            .map(|sample_idx| &samples[*sample_idx])
            .collect();
        for (idx, answer) in batch.iter().zip(speaker.answer(&asked, &options)) {
            let Sample { key, .. } = &samples[*idx];
            counts.n += 1;
            counts.n_tokens += answer.ids.len();
            counts.n_cut_off += usize::from(!answer.is_whole);
            counts.n_sources_cut += usize::from(answer.is_source_cut);
            counts.n_again += usize::from(answer.n_again > 0);
            counts.n_empty += usize::from(answer.ids.len() <= 2);
            let line = Line {
                sample: key,
                prediction: &trained.vocabulary.join(&answer.ids),
                meta: Meta {
                    log_probability: answer.log_probability,
                    is_whole: answer.is_whole,
                    n_again: answer.n_again,
                    is_source_cut: answer.is_source_cut,
                },
            };
            let line = serde_json::to_vec(&line)
                .map_err(|error| Failure::Nothing(format!("a line cannot be written: {error}")))?;
            lines[*idx] = Some(line);
        }
    }
    checkpoint::replace(&asked.output, |file| {
        for line in lines.iter().flatten() {
            file.write_all(line)?;
            file.write_all(b"\n")?;
        }
        Ok(())
    })?;
    let seconds = started.elapsed().as_secs_f64();
    tell(
        err,
        &format!(
            "{} predictions in {seconds:.1} s ({:.1} tokens/s): {} did not end, {} said again, {} empty, {} sources cut",
            counts.n,
            counts.n_tokens as f64 / seconds.max(1e-9),
            counts.n_cut_off,
            counts.n_again,
            counts.n_empty,
            counts.n_sources_cut,
        ),
    );
    Ok(())
}
