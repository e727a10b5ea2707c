//! The log of a training, as `focalist-baseline` writes it: an object a line.

use serde::Deserialize;

/// A line of the log; others are passed over.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct WireTrainingStep {
    pub step: u64,
    /// Tokens computed so far, without padding.
    #[serde(default)]
    pub tokens: u64,
    #[serde(default)]
    pub loss: Option<f64>,
    #[serde(default)]
    pub validation_loss: Option<f64>,
    #[serde(default)]
    pub learning_rate: Option<f64>,
    #[serde(default)]
    pub tokens_per_second: Option<f64>,
}

/// Reads the lines of a log, and counts the unreadable ones. The last one may be one that is being written.
#[must_use]
pub fn training_log(text: &str) -> (Vec<WireTrainingStep>, usize) {
    let mut steps = Vec::new();
    let mut n_unread = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match serde_json::from_str(line) {
            Ok(step) => steps.push(step),
            Err(_) => n_unread += 1,
        }
    }
    (steps, n_unread)
}

#[cfg(test)]
mod tests {
    use super::training_log;

    #[test]
    fn a_line_that_is_cut_off_is_counted() {
        let (steps, n_unread) = training_log(
            "{\"event\":\"step\",\"step\":10,\"loss\":2.5}\n\n{\"step\":20,\"validation_loss\":2.0}\n{\"st",
        );
        assert_eq!((steps.len(), n_unread), (2, 1));
        assert_eq!((steps[0].step, steps[0].loss), (10, Some(2.5)));
        assert_eq!(steps[1].validation_loss, Some(2.0));
    }
}
