//! The command `search`: trains for a while with each of some settings drawn from the paper's grid, and reports the
//! best one.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use burn::tensor::backend::AutodiffBackend;
use clap::Args;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use super::{Settings, stop, tell};
use crate::checkpoint;
use crate::config::Config;
use crate::failure::{Failure, Result};
use crate::train::{self, End, Options};

/// The paper's grid (`ConTest`, section 4.2), with batches in thousands of numbers instead of samples.
const RATES: [f64; 5] = [1e-2, 5e-3, 1e-3, 1e-4, 1e-5];
const WARM_UPS: [u64; 4] = [500, 1000, 2000, 4000];
const BATCHES: [usize; 4] = [1, 2, 4, 8];

/// Try settings of the paper's grid by lot, and say which has the least validation loss
#[derive(Debug, Args)]
pub struct Search {
    #[arg(long, default_value_t = 20)]
    trials: u64,
    #[arg(long)]
    train: PathBuf,
    #[arg(long)]
    validation: PathBuf,
    #[arg(long)]
    vocabulary: PathBuf,
    #[command(flatten)]
    settings: Settings,
    /// The folder of the trials: each is a training in a folder of its own
    #[arg(long)]
    output: PathBuf,
    /// How long each trial trains
    #[arg(long, default_value_t = 9.0)]
    minutes: f64,
    /// How many steps each trial trains at most
    #[arg(long)]
    steps: Option<u64>,
}

/// A line of `trials.jsonl`.
#[derive(Debug, Serialize, Deserialize)]
struct Trial {
    #[serde(rename = "trial")]
    number: u64,
    learning_rate: f64,
    warm_up: u64,
    batch_tokens: usize,
    /// `None` where the loss was no number.
    validation_loss: Option<f64>,
    step: u64,
}

/// Draws the settings of a trial; they follow from the seed and its number alone.
fn settings(config: &Config, seed: u64, trial: u64) -> Config {
    let mut random = Pcg64Mcg::seed_from_u64(seed.wrapping_mul(1_000_003).wrapping_add(trial));
    let mut one_of = |n: usize| (random.next_u64() % n as u64) as usize;
    Config {
        learning_rate: RATES[one_of(RATES.len())],
        warm_up: WARM_UPS[one_of(WARM_UPS.len())],
        batch_tokens: 1024 * BATCHES[one_of(BATCHES.len())],
        ..config.clone()
    }
}

pub fn run<B: AutodiffBackend>(asked: &Search, err: &mut dyn Write) -> Result<()> {
    let config = asked.settings.config()?;
    fs::create_dir_all(&asked.output).map_err(Failure::output(&asked.output))?;
    let path = asked.output.join("trials.jsonl");
    let text = if path.exists() {
        fs::read_to_string(&path).map_err(|error| Failure::input(&path, error))?
    } else {
        String::new()
    };
    let mut trials: Vec<Trial> = Vec::new();
    for line in text.lines() {
        let trial = serde_json::from_str(line).map_err(|error| Failure::input(&path, error))?;
        trials.push(trial);
    }
    let time_max = Duration::try_from_secs_f64(asked.minutes * 60.0)
        .map_err(|error| Failure::Usage(format!("`--minutes`: {error}")))?;
    let stop = stop::flag(false)?;
    for trial in 0..asked.trials {
        if trials.iter().any(|past_trial| past_trial.number == trial) {
            continue;
        }
        let config = settings(&config, asked.settings.changes.seed, trial);
        tell(
            err,
            &format!(
                "trial {trial}: learning rate {}, warm-up {}, batches of {}",
                config.learning_rate, config.warm_up, config.batch_tokens
            ),
        );
        let options = Options {
            train: asked.train.clone(),
            validation: asked.validation.clone(),
            vocabulary: asked.vocabulary.clone(),
            base: None,
            output: asked.output.join(format!("trial-{trial}")),
            config,
            resume: true,
            time_max: Some(time_max),
            steps_max: asked.steps,
            seed: asked.settings.changes.seed,
            validation_max: asked.settings.changes.validation_samples,
            stop: Arc::clone(&stop),
        };
        let report = train::train::<B>(&options, &B::Device::default(), &mut |_| {});
        let (validation_loss, step) = match &report {
            // Its checkpoint is written: the same command goes on with this trial.
            Ok(report) if report.end == End::Asked => {
                tell(err, &format!("trial {trial}: stopped"));
                return Ok(());
            }
            Ok(report) => (report.progress.best, report.progress.step),
            // A learning rate that is too high for training is a result, too.
            Err(Failure::Nothing(message)) => {
                tell(err, &format!("warning: {message}"));
                (None, 0)
            }
            Err(_) => return report.map(|_| ()),
        };
        trials.push(Trial {
            number: trial,
            learning_rate: options.config.learning_rate,
            warm_up: options.config.warm_up,
            batch_tokens: options.config.batch_tokens,
            validation_loss,
            step,
        });
        checkpoint::replace(&path, |file| {
            for trial in &trials {
                serde_json::to_writer(&mut *file, trial)?;
                file.write_all(b"\n")?;
            }
            Ok(())
        })?;
    }
    let best = trials
        .iter()
        .filter_map(|trial| Some((trial, trial.validation_loss?)))
        .min_by(|a, b| a.1.total_cmp(&b.1));
    let Some((best, loss)) = best else {
        return Err(Failure::Nothing(
            "no trial reached a validation: allow more `--minutes`".to_owned(),
        ));
    };
    tell(
        err,
        &format!(
            "trial {} has the least validation loss, {loss:.4}: --learning-rate {} --warm-up {} --batch-tokens {}",
            best.number, best.learning_rate, best.warm_up, best.batch_tokens
        ),
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::settings;
    use crate::config::Config;

    #[test]
    fn a_trial_has_the_same_settings_whenever_it_is_made() {
        let config = Config::named("tiny").expect("it is a size");
        assert_eq!(settings(&config, 1, 3), settings(&config, 1, 3));
        let all: Vec<Config> = (0..20).map(|trial| settings(&config, 1, trial)).collect();
        assert!(all.iter().any(|other| *other != all[0]));
    }
}
