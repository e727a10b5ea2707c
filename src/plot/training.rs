//! How the loss of a model falls while it is trained.

use std::collections::BTreeMap;

use crate::chart::{Axis, Figure, Path, Series, Shape};

use super::counted;
use super::dataset::nothing;

/// What the log of a training says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Training {
    pub name: String,
    /// Steps with the loss on what was learned from. Where a step is there twice, since the training went on from before it,
    /// the later one counts.
    pub losses: Vec<(u64, f64)>,
    /// Steps with the loss on the validation split.
    pub validation_losses: Vec<(u64, f64)>,
}

/// Returns the chart of trainings.
#[must_use]
pub fn training(trainings: &[Training]) -> Figure {
    const TITLE: &str = "Loss while training";
    let subtitle = counted(trainings.len() as u64, "training");
    let mut series = Vec::new();
    for training in trainings {
        let both = [
            ("", &training.losses, Path::Plain),
            ("validation", &training.validation_losses, Path::Marked),
        ];
        for (what, steps, path) in both {
            let points: BTreeMap<u64, f64> = steps
                .iter()
                .copied()
                .filter(|it| it.1.is_finite())
                .collect();
            if points.is_empty() {
                continue;
            }
            let name = format!("{} {what}", training.name);
            let points = points.into_iter().map(|(step, loss)| (step as f64, loss));
            let points = points.collect();
            series.push(Series::new(name.trim(), Shape::Line { points, path }));
        }
    }
    if series.is_empty() {
        return nothing(TITLE, subtitle, "no steps yet");
    }
    Figure {
        title: TITLE.to_owned(),
        subtitle,
        x: Axis::count("step"),
        y: Axis::new("cross entropy", "nats a piece"),
        series,
        ..Figure::default()
    }
}

#[cfg(test)]
mod tests {
    use super::{Training, training};
    use crate::chart::{Path, Shape};

    #[test]
    fn a_step_that_was_computed_again_counts_once() {
        let one = Training {
            name: "small".to_owned(),
            losses: vec![(10, 3.0), (20, 2.5), (10, 2.9)],
            validation_losses: Vec::new(),
        };
        let figure = training(&[one]);
        assert_eq!(figure.series.len(), 1);
        let points = vec![(10.0, 2.9), (20.0, 2.5)];
        let path = Path::Plain;
        assert_eq!(figure.series[0].shape, Shape::Line { points, path });
    }

    #[test]
    fn a_training_without_steps_says_so() {
        assert!(training(&[Training::default()]).is_empty());
    }
}
