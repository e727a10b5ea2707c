//! Conditional logit (McFadden 1974) with a ridge: every candidate of a test has a score, "none of them" has one too,
//! and the probability of each is its share of the sum of exponentials. Where several candidates are right, the
//! likelihood is that of their sum; it is maximised by Newton steps on the bound from the current shares.

/// The weights that the fit is pulled towards, and how strongly; the score of "none" is not pulled.
#[derive(Clone, Debug)]
pub struct Prior {
    pub columns: Vec<f64>,
    pub ridge: f64,
}

impl Prior {
    /// Builds the uninformed prior for `n_columns`: a ridge of one, fixed before the first fit.
    pub fn nothing(n_columns: usize) -> Self {
        Self {
            columns: vec![0.0; n_columns],
            ridge: 1.0,
        }
    }
}

/// A fitted model: the score of "none", and what each column adds to a candidate's score.
#[derive(Clone, Debug)]
pub struct Model {
    pub none: f64,
    pub columns: Vec<f64>,
}

/// A candidate: the columns that apply, and whether people judged it right.
#[derive(Clone, Debug)]
pub struct Row {
    pub columns: Vec<usize>,
    pub is_right: bool,
}

impl Model {
    /// Returns the probability, 0..=1, of each candidate of a test.
    pub fn weights(&self, rows: &[Row]) -> Vec<f64> {
        let scores: Vec<f64> = rows
            .iter()
            .map(|row| row.columns.iter().map(|at| self.columns[*at]).sum())
            .collect();
        let top = scores.iter().copied().fold(self.none, f64::max);
        let sum: f64 = scores
            .iter()
            .chain([&self.none])
            .map(|value| (value - top).exp())
            .sum();
        scores
            .iter()
            .map(|score| (score - top).exp() / sum)
            .collect()
    }
}

/// Maximises the penalised likelihood over the tests' candidates.
pub fn fit(tests: &[&[Row]], prior: &Prior) -> Model {
    let mut model = Model {
        none: 0.0,
        columns: prior.columns.clone(),
    };
    let mut value = likelihood(&model, tests, prior);
    for _ in 0..200 {
        let (gradient, hessian) = slopes(&model, tests, prior);
        let step = solve(hessian, gradient);
        let mut length = 1.0;
        let next = loop {
            let next = moved(&model, &step, length);
            if length < 1e-6 || likelihood(&next, tests, prior) >= value {
                break next;
            }
            length /= 2.0;
        };
        let reached = likelihood(&next, tests, prior);
        model = next;
        if (reached - value).abs() < 1e-11 {
            break;
        }
        value = reached;
    }
    model
}

fn moved(model: &Model, step: &[f64], length: f64) -> Model {
    let n_columns = model.columns.len();
    Model {
        none: model.none + length * step[n_columns],
        columns: model
            .columns
            .iter()
            .zip(step)
            .map(|(at, step)| at + length * step)
            .collect(),
    }
}

fn likelihood(model: &Model, tests: &[&[Row]], prior: &Prior) -> f64 {
    let away = model.columns.iter().zip(&prior.columns);
    let penalty: f64 = away.map(|(at, from)| (at - from) * (at - from)).sum();
    let of_tests: f64 = tests
        .iter()
        .map(|rows| right(rows, &model.weights(rows)).ln())
        .sum();
    of_tests - prior.ridge / 2.0 * penalty
}

/// Returns the probability of the answer that people judged right: a candidate, or none.
fn right(rows: &[Row], weights: &[f64]) -> f64 {
    if rows.iter().any(|row| row.is_right) {
        rows.iter()
            .zip(weights)
            .filter(|(row, _)| row.is_right)
            .map(|(_, weight)| weight)
            .sum()
    } else {
        1.0 - weights.iter().sum::<f64>()
    }
}

/// Returns the gradient, and the negative Hessian of the bound.
fn slopes(model: &Model, tests: &[&[Row]], prior: &Prior) -> (Vec<f64>, Vec<Vec<f64>>) {
    let none = model.columns.len();
    let n = none + 1;
    let mut gradient = vec![0.0; n];
    let mut hessian = vec![vec![0.0; n]; n];
    for rows in tests {
        let weights = model.weights(rows);
        let right = right(rows, &weights);
        let has_right = rows.iter().any(|row| row.is_right);
        let of_none = 1.0 - weights.iter().sum::<f64>();
        let mut mean = vec![0.0; n];
        for (row, weight) in rows.iter().zip(&weights) {
            let share = if row.is_right { weight / right } else { 0.0 };
            for &a in &row.columns {
                gradient[a] += share - weight;
                mean[a] += weight;
                for &b in &row.columns {
                    hessian[a][b] += weight;
                }
            }
        }
        gradient[none] += f64::from(u8::from(!has_right)) - of_none;
        mean[none] = of_none;
        hessian[none][none] += of_none;
        let held: Vec<usize> = (0..n).filter(|at| mean[*at] > 0.0).collect();
        for &a in &held {
            for &b in &held {
                hessian[a][b] -= mean[a] * mean[b];
            }
        }
    }
    for (at, (column, from)) in model.columns.iter().zip(&prior.columns).enumerate() {
        gradient[at] -= prior.ridge * (column - from);
        hessian[at][at] += prior.ridge;
    }
    (gradient, hessian)
}

/// Solves `a x = b` for a symmetric positive definite matrix, by Gaussian elimination.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for column in 0..n {
        let (above, below) = a.split_at_mut(column + 1);
        let pivot = &above[column];
        for (offset, row) in below.iter_mut().enumerate() {
            let factor = row[column] / pivot[column];
            for (entry, held) in row[column..].iter_mut().zip(&pivot[column..]) {
                *entry -= factor * held;
            }
            b[column + 1 + offset] -= factor * b[column];
        }
    }
    for column in (0..n).rev() {
        let known: f64 = (column + 1..n).map(|at| a[column][at] * b[at]).sum();
        b[column] = (b[column] - known) / a[column][column];
    }
    b
}

#[test]
fn the_fit_finds_the_odds_of_a_table() {
    // Of two candidates the one with the column is right in 300 of 400 tests, the other in 60, none in 40.
    let row = |columns: &[usize], is_right| Row {
        columns: columns.to_vec(),
        is_right,
    };
    let tests: Vec<[Row; 2]> = (0..400)
        .map(|at| [row(&[0], at < 300), row(&[], (300..360).contains(&at))])
        .collect();
    let tests: Vec<&[Row]> = tests.iter().map(<[Row; 2]>::as_slice).collect();
    let model = fit(&tests, &Prior::nothing(1));
    // The odds against the other candidate are 5, a little less for the ridge; none is two thirds of it.
    assert!((model.columns[0] - 5_f64.ln()).abs() < 0.05, "{model:?}");
    assert!((model.none - (2_f64 / 3.0).ln()).abs() < 0.05, "{model:?}");
}
