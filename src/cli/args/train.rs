//! The options of `train`.

use std::path::PathBuf;

use clap::Args;

use super::Detach;

/// Reads `NAME=VALUE`.
fn setting(text: &str) -> Result<(String, String), String> {
    let is_name = |text: &str| {
        let mut bytes = text.bytes();
        !text.starts_with('-') && bytes.all(|byte| byte.is_ascii_lowercase() || byte == b'-')
    };
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && is_name(name) => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err(
            "not NAME=VALUE: the name is an option of `focalist-baseline train` without its dashes"
                .to_owned(),
        ),
    }
}

/// Trains a model with `focalist-baseline`, the program for it beside this one or in `$PATH`, as a job that `focalist
/// jobs` shows.
///
/// If the folder holds a training, that training continues. However it ends, stopped or killed, it leaves a checkpoint
/// to continue from.
#[derive(Debug, Args)]
pub struct Train {
    /// The output of `focalist encode split:train`
    #[arg(long = "train", value_name = "FILE")]
    pub samples: PathBuf,
    /// The output of `focalist encode split:validation`
    #[arg(long, value_name = "FILE")]
    pub validation: PathBuf,
    /// The output of `focalist-baseline vocabulary`
    #[arg(long, value_name = "FILE")]
    pub vocabulary: PathBuf,
    /// The folder of the training: model, checkpoint and log
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
    /// The size of the model: paper, small or tiny
    #[arg(long, value_name = "NAME", default_value = "small")]
    pub size: String,
    /// End after this many minutes; else when the loss on the validation split stops falling
    #[arg(long, value_name = "N")]
    pub minutes: Option<f64>,
    /// Another setting: `learning-rate=0.0005`, `batch-tokens=2048`; `focalist-baseline train --help` lists them. May
    /// be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub set: Vec<(String, String)>,
    /// The program, if it is neither beside this one nor on `$PATH`
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    #[command(flatten)]
    pub detach: Detach,
}

#[cfg(test)]
mod tests {
    use super::setting;

    #[test]
    fn a_setting_has_a_name_and_a_value() {
        let read = setting("learning-rate=1e-3");
        assert_eq!(read, Ok(("learning-rate".to_owned(), "1e-3".to_owned())));
        for text in ["seed", "=1", "--seed=1", "se ed=1"] {
            assert!(setting(text).is_err(), "{text}");
        }
    }
}
