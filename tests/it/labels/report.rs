//! Precision, coverage and calibration of picks, with intervals.

use std::fmt::Write as _;

use super::data::Judged;
use super::fit::{Model, Prior, Row, fit};

/// The decision of a matcher on one test.
#[derive(Clone, Copy, Debug)]
pub struct Pick {
    /// 0..=1; 1 for a matcher without probabilities.
    pub weight: f64,
    pub is_right: bool,
}

/// Returns a model's best candidate of a test; nothing for a test without candidates.
pub fn best(model: &Model, test: &Judged) -> Option<(usize, f64)> {
    // The first of equals, as the matcher does.
    let weights = model.weights(&test.rows).into_iter();
    weights.enumerate().fold(None, |best, (at, weight)| {
        if best.is_none_or(|(_, known)| weight > known) {
            Some((at, weight))
        } else {
            best
        }
    })
}

pub fn pick(model: &Model, test: &Judged) -> Option<Pick> {
    let (at, weight) = best(model, test)?;
    Some(Pick {
        weight,
        is_right: test.rows[at].is_right,
    })
}

/// For each fold, fits on all others and picks in that one; in order of the tests.
pub fn out_of_fold(tests: &[&Judged], prior: &Prior) -> Vec<Option<Pick>> {
    let models = models(tests, prior);
    tests
        .iter()
        .map(|test| pick(&models[test.fold], test))
        .collect()
}

fn models(tests: &[&Judged], prior: &Prior) -> Vec<Model> {
    let n_folds = tests.iter().map(|test| test.fold + 1).max().unwrap_or(0);
    (0..n_folds)
        .map(|fold| {
            let known = tests.iter().filter(|test| test.fold != fold);
            let known: Vec<&[Row]> = known.map(|test| test.rows.as_slice()).collect();
            fit(&known, prior)
        })
        .collect()
}

/// Returns the lowest threshold (a multiple of 0.01) at which at least a share `precision` of the picks is right.
pub fn threshold(picks: &[Option<Pick>], precision: f64) -> f64 {
    (0..100)
        .map(|percent| f64::from(percent) / 100.0)
        .find(|threshold| Tally::of(picks, *threshold).precision() >= precision)
        .unwrap_or(1.0)
}

/// How often a matcher decides, and how often it is right.
#[derive(Clone, Copy, Debug)]
pub struct Tally {
    pub tests: usize,
    pub decided: usize,
    pub right: usize,
}

impl Tally {
    pub fn of(picks: &[Option<Pick>], threshold: f64) -> Self {
        let decided = picks
            .iter()
            .flatten()
            .filter(|pick| pick.weight >= threshold);
        Self {
            tests: picks.len(),
            decided: decided.clone().count(),
            right: decided.filter(|pick| pick.is_right).count(),
        }
    }

    pub fn precision(self) -> f64 {
        self.right as f64 / self.decided.max(1) as f64
    }

    /// `0.95 [0.91, 0.97] of 200, rightly on 0.57 [0.51, 0.62] of 336`.
    pub fn line(self) -> String {
        format!(
            "right in {} of {} picks; decides rightly on {} of {} tests",
            interval(self.right, self.decided),
            self.decided,
            interval(self.right, self.tests),
            self.tests
        )
    }
}

/// Formats a share with its 95 % interval (Wilson 1927).
pub fn interval(right: usize, n: usize) -> String {
    if n == 0 {
        return "0 of 0".to_owned();
    }
    let (n, share, z) = (n as f64, right as f64 / n as f64, 1.959_964);
    let centre = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    format!("{share:.3} [{:.3}, {:.3}]", centre - half, centre + half)
}

/// Returns the expected calibration error of the best candidates' weights, ten bins of equal width (Naeini et al.
/// 2015).
pub fn calibration_error(picks: &[Option<Pick>], from: f64) -> f64 {
    let picks: Vec<Pick> = picks
        .iter()
        .flatten()
        .copied()
        .filter(|pick| pick.weight >= from)
        .collect();
    let bin = |pick: &Pick| {
        let tenths = (1..10).filter(|at| pick.weight * 10.0 >= f64::from(*at));
        tenths.count()
    };
    (0..10)
        .map(|at| {
            let inside = || picks.iter().filter(|pick| bin(pick) == at);
            let weight: f64 = inside().map(|pick| pick.weight).sum();
            let right = inside().filter(|pick| pick.is_right).count() as f64;
            (weight - right).abs()
        })
        .sum::<f64>()
        / picks.len().max(1) as f64
}

/// Returns the curve of precision against coverage as a table.
pub fn curve(picks: &[Option<Pick>]) -> String {
    let mut table =
        "| threshold | decided | precision | rightly decided |\n| --: | --: | --: | --: |\n"
            .to_owned();
    for threshold in [
        0.0, 0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95,
    ] {
        let tally = Tally::of(picks, threshold);
        let _ = writeln!(
            table,
            "| {threshold:.2} | {} | {} | {} |",
            tally.decided,
            interval(tally.right, tally.decided),
            interval(tally.right, tally.tests)
        );
    }
    table
}
