//! Charts of a training: how the loss falls, and with which learning rate.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use crate::chart::{self, Axis, Figure, Series, SeriesShape};
use crate::exchange::training_log;

use super::counted;
use super::dataset::nothing;

/// The log in the folder of a training.
pub const LOG: &str = "log.jsonl";

/// The contents of a training's log. A step can be there twice, because the training was resumed before it; then the
/// later one counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Training {
    pub name: String,
    /// Steps with the loss on the training data.
    pub losses: Vec<(u64, f64)>,
    /// Steps with the loss on the validation split.
    pub validation_losses: Vec<(u64, f64)>,
    pub learning_rates: Vec<(u64, f64)>,
}

impl Training {
    /// Reads the log in the folder of a training; also returns the number of lines that cannot be read. The last line
    /// may still be half written.
    ///
    /// # Errors
    /// When there is no such file, or it cannot be read.
    pub fn read(folder: &Path, name: String) -> io::Result<(Self, usize)> {
        let (steps, n_unread) = training_log(&fs::read_to_string(folder.join(LOG))?);
        let mut training = Self {
            name,
            ..Self::default()
        };
        for step in steps {
            let at = |value: Option<f64>| Some((step.step, value?));
            training.losses.extend(at(step.loss));
            training.validation_losses.extend(at(step.validation_loss));
            // There is no learning rate before the first step.
            let rate = step.learning_rate.filter(|_| step.step > 0);
            training.learning_rates.extend(at(rate));
        }
        Ok((training, n_unread))
    }
}

/// Draws the losses of trainings.
#[must_use]
pub fn training(trainings: &[Training]) -> Figure {
    const TITLE: &str = "Loss while training";
    let lines = trainings.iter().flat_map(|training| {
        [
            (training.name.clone(), &training.losses, chart::Path::Plain),
            (
                format!("{} validation", training.name).trim().to_owned(),
                &training.validation_losses,
                chart::Path::Marked,
            ),
        ]
    });
    figure(
        TITLE,
        trainings,
        lines,
        Axis::new("cross entropy", "nats a piece"),
    )
}

/// Draws the learning rate of each step of trainings.
#[must_use]
pub fn learning_rate(trainings: &[Training]) -> Figure {
    let lines = trainings.iter().map(|training| {
        (
            training.name.clone(),
            &training.learning_rates,
            chart::Path::Plain,
        )
    });
    figure(
        "Learning rate",
        trainings,
        lines,
        Axis::new("learning rate", ""),
    )
}

fn figure<'t>(
    title: &str,
    trainings: &[Training],
    lines: impl Iterator<Item = (String, &'t Vec<(u64, f64)>, chart::Path)>,
    y: Axis,
) -> Figure {
    let subtitle = counted(trainings.len() as u64, "training");
    let mut series = Vec::new();
    for (name, steps, path) in lines {
        let points: BTreeMap<u64, f64> = steps
            .iter()
            .copied()
            .filter(|step| step.1.is_finite())
            .collect();
        if points.is_empty() {
            continue;
        }
        let points = points.into_iter().map(|(step, value)| (step as f64, value));
        let points = points.collect();
        series.push(Series::new(&name, SeriesShape::Line { points, path }));
    }
    if series.is_empty() {
        return nothing(title, subtitle, "no steps yet");
    }
    Figure {
        title: title.to_owned(),
        subtitle,
        x: Axis::count("step"),
        y,
        series,
        ..Figure::default()
    }
}

#[cfg(test)]
mod tests {
    use super::{LOG, Training, learning_rate, training};
    use crate::chart::{Path, SeriesShape};

    #[test]
    fn a_step_that_was_computed_again_counts_once() {
        let one = Training {
            name: "small".to_owned(),
            losses: vec![(10, 3.0), (20, 2.5), (10, 2.9)],
            ..Training::default()
        };
        let figure = training(&[one]);
        assert_eq!(figure.series.len(), 1);
        let points = vec![(10.0, 2.9), (20.0, 2.5)];
        let path = Path::Plain;
        assert_eq!(figure.series[0].shape, SeriesShape::Line { points, path });
    }

    #[test]
    fn a_training_without_steps_says_so() {
        assert!(training(&[Training::default()]).is_empty());
        assert!(learning_rate(&[Training::default()]).is_empty());
    }

    #[test]
    fn a_log_says_losses_and_rates() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let log = concat!(
            "{\"event\":\"begin\",\"step\":0,\"learning_rate\":1e-6}\n",
            "{\"event\":\"step\",\"step\":10,\"loss\":3.0,\"learning_rate\":1e-4}\n",
            "{\"event\":\"validation\",\"step\":10,\"validation_loss\":2.9,\"learning_rate\":1e-4}\n",
            "{\"event\":\"st",
        );
        std::fs::write(folder.path().join(LOG), log).expect("it can be written");
        let (read, n_unread) =
            Training::read(folder.path(), "small".to_owned()).expect("it is there");
        assert_eq!(n_unread, 1);
        assert_eq!(read.losses, [(10, 3.0)]);
        assert_eq!(read.validation_losses, [(10, 2.9)]);
        assert_eq!(training(std::slice::from_ref(&read)).series.len(), 2);
        let rates = learning_rate(&[read]);
        let points = vec![(10.0, 1e-4)];
        let path = Path::Plain;
        assert_eq!(rates.series[0].shape, SeriesShape::Line { points, path });
    }
}
