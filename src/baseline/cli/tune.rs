//! The command `tune`: a prompt for a model whose own weights stay.

use std::io::Write;
use std::path::PathBuf;

use burn::tensor::backend::AutodiffBackend;
use clap::Args;

use super::{Changes, Course, learn, stop};
use crate::checkpoint::{self, Folder};
use crate::config::Config;
use crate::failure::{Failure, Result};
use crate::prompt::{Kind, Prompt};
use crate::train::Options;

/// Learn a soft prompt for a model whose own weights stay: prefix tuning, or one that is made of each sample's context
#[derive(Debug, Args)]
pub struct Tune {
    /// The folder of the training of the model; for all prompts but `prefix`, one that reads sources without context
    model: PathBuf,
    /// The output of `focalist encode split:train`, with context
    #[arg(long = "train", value_name = "TRAIN")]
    samples: PathBuf,
    /// The output of `focalist encode split:validation`, with context
    #[arg(long)]
    validation: PathBuf,
    /// What makes the prompt
    #[arg(long, value_enum, default_value_t = Kind::Prefix)]
    prompt: Kind,
    /// How many places it has
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=512))]
    length: u16,
    #[command(flatten)]
    changes: Changes,
    #[command(flatten)]
    pub course: Course,
}

pub fn run<B: AutodiffBackend>(asked: &Tune, err: &mut dyn Write) -> Result<()> {
    let base = Folder::new(&asked.model);
    let config = checkpoint::read(&base.model())?.head.config;
    if config.prompt.is_some() {
        let message = "it has a prompt already: tune the model that it was made for";
        return Err(Failure::input(&base.model(), message));
    }
    let config = Config {
        prompt: Some(Prompt {
            kind: asked.prompt,
            length: usize::from(asked.length),
        }),
        ..asked.changes.applied(config)?
    };
    let options = Options {
        train: asked.samples.clone(),
        validation: asked.validation.clone(),
        vocabulary: base.vocabulary(),
        base: Some(asked.model.clone()),
        output: asked.course.output.clone(),
        config,
        resume: asked.course.resume,
        time_max: asked.course.time_max()?,
        steps_max: asked.course.steps,
        seed: asked.changes.seed,
        validation_max: asked.changes.validation_samples,
        stop: stop::flag(asked.course.until_eof)?,
    };
    learn::<B>(&options, err)
}
