//! Times relative to a yardstick of the same round: a machine's noise lasts longer than a round and affects both.

/// The measured items, in the order in which they were first named.
#[derive(Default)]
pub struct Ratios(Vec<Line>);

struct Line {
    name: String,
    seconds: Vec<f64>,
    ratios: Vec<f64>,
}

impl Ratios {
    /// Adds the time that something took in one round, and the time of its yardstick.
    pub fn add(&mut self, name: &str, seconds: f64, yardstick: f64) {
        let idx = self.0.iter().position(|line| line.name == name);
        let idx = idx.unwrap_or_else(|| {
            self.0.push(Line {
                name: name.to_owned(),
                seconds: Vec::new(),
                ratios: Vec::new(),
            });
            self.0.len() - 1
        });
        self.0[idx].seconds.push(seconds);
        self.0[idx].ratios.push(seconds / yardstick);
    }

    /// Returns each name with the medians of its seconds and of its ratios.
    pub fn medians(&self) -> impl Iterator<Item = (&str, f64, f64)> {
        let lines = self.0.iter();
        lines.map(|line| {
            (
                line.name.as_str(),
                median(&line.seconds),
                median(&line.ratios),
            )
        })
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}
