//! How large a model is and how it is trained: three sizes by name, whose values options may change.

use serde::{Deserialize, Serialize};

use crate::prompt::Prompt;

/// The shape of a model, and what it was trained with.
///
/// Layers normalise before they compute (pre-norm), positions are sines, weights begin with Xavier's distribution, and
/// the embedding with a normal distribution of variance 1/width.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Config {
    pub name: String,
    pub n_encoder_layers: usize,
    pub n_decoder_layers: usize,
    pub n_heads: usize,
    pub width: usize,
    pub width_inner: usize,
    pub dropout: f64,
    /// Longer sources are cut when predicting, and left out when training.
    pub source_max: usize,
    pub target_max: usize,
    /// The most numbers in a batch, padding counted.
    pub batch_tokens: usize,
    pub learning_rate: f64,
    pub warm_up: u64,
    /// The length that a longer gradient is cut to.
    pub clip: f64,
    /// Steps from one validation to the next.
    pub validate_every: u64,
    /// The prompt that is learned for a model whose own weights stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Prompt>,
}

/// The names of the sizes.
pub const NAMES: [&str; 3] = ["paper", "small", "tiny"];

impl Config {
    /// Returns the size of that name; nothing for a name not in [`NAMES`].
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let paper = Self {
            name: name.to_owned(),
            n_encoder_layers: 6,
            n_decoder_layers: 6,
            n_heads: 8,
            width: 512,
            width_inner: 2048,
            dropout: 0.2,
            source_max: 1024,
            target_max: 512,
            batch_tokens: 32_768,
            learning_rate: 1e-3,
            warm_up: 2000,
            clip: 1.0,
            validate_every: 1000,
            prompt: None,
        };
        match name {
            "paper" => Some(paper),
            "small" => Some(Self {
                n_encoder_layers: 3,
                n_decoder_layers: 3,
                n_heads: 4,
                width: 256,
                width_inner: 1024,
                dropout: 0.1,
                source_max: 512,
                target_max: 192,
                batch_tokens: 4096,
                learning_rate: 1e-3,
                warm_up: 300,
                validate_every: 150,
                ..paper
            }),
            "tiny" => Some(Self {
                n_encoder_layers: 2,
                n_decoder_layers: 2,
                n_heads: 4,
                width: 64,
                width_inner: 128,
                dropout: 0.0,
                source_max: 256,
                target_max: 128,
                batch_tokens: 1024,
                learning_rate: 3e-3,
                warm_up: 40,
                validate_every: 50,
                ..paper
            }),
            _ => None,
        }
    }

    /// Returns the learning rate of a step, the first being 1: it rises to its greatest in `warm_up` steps and falls
    /// with the inverse square root from there.
    #[must_use]
    pub fn rate(&self, step: u64) -> f64 {
        let warm_up = self.warm_up.max(1) as f64;
        let step = step.max(1) as f64;
        self.learning_rate * (step / warm_up).min((warm_up / step).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::{Config, NAMES};

    #[test]
    fn the_rate_rises_and_falls() {
        let config = Config::named("paper").expect("it is a size");
        assert!((config.rate(1000) - 5e-4).abs() < 1e-12);
        assert!((config.rate(2000) - 1e-3).abs() < 1e-12);
        assert!((config.rate(8000) - 5e-4).abs() < 1e-12);
    }

    #[test]
    fn every_name_has_a_size() {
        assert!(NAMES.iter().all(|name| Config::named(name).is_some()));
        assert!(Config::named("huge").is_none());
    }
}
