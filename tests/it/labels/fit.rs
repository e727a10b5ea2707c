//! Logistic regression with a ridge, by Newton's method: few columns, few rows, the same result on every machine.

/// How hard weights are pulled to zero. One, fixed before the first fit; the bias is free.
const RIDGE: f64 = 1.0;

/// A fitted model: log-odds of nothing, and what each column adds.
#[derive(Clone, Debug)]
pub struct Model {
    pub bias: f64,
    pub log_odds: Vec<f64>,
}

/// A candidate: which columns hold, and whether people call it right.
#[derive(Clone, Debug)]
pub struct Row {
    pub columns: Vec<usize>,
    pub is_right: bool,
}

impl Model {
    /// Returns the probability, 0..=1, that a candidate is right.
    pub fn weight(&self, columns: &[usize]) -> f64 {
        let sum: f64 = columns.iter().map(|column| self.log_odds[*column]).sum();
        1.0 / (1.0 + (-(self.bias + sum)).exp())
    }
}

/// Maximises the penalised likelihood.
pub fn fit<'r>(rows: impl Iterator<Item = &'r Row> + Clone, n_columns: usize) -> Model {
    let n = n_columns + 1; // the last is the bias
    let mut model = Model {
        bias: 0.0,
        log_odds: vec![0.0; n_columns],
    };
    for _ in 0..60 {
        let mut gradient = vec![0.0; n];
        let mut hessian = vec![vec![0.0; n]; n];
        for row in rows.clone() {
            let probability = model.weight(&row.columns);
            let error = f64::from(u8::from(row.is_right)) - probability;
            let spread = probability * (1.0 - probability);
            let active: Vec<usize> = row.columns.iter().copied().chain([n_columns]).collect();
            for &a in &active {
                gradient[a] += error;
                for &b in &active {
                    hessian[a][b] += spread;
                }
            }
        }
        for (at, log_odds) in model.log_odds.iter().enumerate() {
            gradient[at] -= RIDGE * log_odds;
            hessian[at][at] += RIDGE;
        }
        let step = solve(hessian, gradient);
        for (log_odds, step) in model.log_odds.iter_mut().zip(&step) {
            *log_odds += step;
        }
        model.bias += step[n_columns];
        if step.iter().all(|it| it.abs() < 1e-10) {
            break;
        }
    }
    model
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
fn the_fit_finds_the_log_odds_of_a_table() {
    // 300 of 400 with the column are right, 100 of 400 without: log(3) and -log(3), a little less for the ridge.
    let row = |has: bool, is_right| Row {
        columns: if has { vec![0] } else { vec![] },
        is_right,
    };
    let rows: Vec<Row> = (0..400)
        .flat_map(|at| [row(true, at < 300), row(false, at < 100)])
        .collect();
    let model = fit(rows.iter(), 1);
    assert!((model.bias + 3_f64.ln()).abs() < 0.05, "{model:?}");
    assert!(
        (model.log_odds[0] - 2.0 * 3_f64.ln()).abs() < 0.1,
        "{model:?}"
    );
}
