//! Figures beside their budgets.

use std::fmt::Display;
use std::time::Duration;

use super::print;

/// What is measured many times, in whatever unit.
#[derive(Clone, Debug, Default)]
pub struct Series(Vec<f64>);

impl Series {
    pub fn add(&mut self, value: f64) {
        self.0.push(value);
    }

    pub fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub fn add_ms(&mut self, time: Duration) {
        self.add(time.as_secs_f64() * 1_000.0);
    }

    /// Returns the value that so many percent are at most.
    pub fn quantile(&self, percent: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        let place = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
        sorted.get(place.min(last)).copied().unwrap_or(f64::NAN)
    }
}

pub fn head(title: &str) {
    print(&format!(
        "\n{title:<52}{:>10}{:>10}{:>10}  budget",
        "p50", "p99", "worst"
    ));
}

/// Prints a series; each budget is a percentile and the most that it may be.
pub fn series(name: &str, series: &Series, unit: &str, budgets: &[(usize, f64)]) {
    let figures: String = [50, 99, 100]
        .map(|percent| format!("{:>10}", short(series.quantile(percent))))
        .concat();
    let verdicts: Vec<String> = budgets
        .iter()
        .map(|(percent, most)| {
            let word = judge(series.quantile(*percent), *most);
            format!("p{percent} ≤ {most} {unit}: {word}")
        })
        .collect();
    let name = format!("{name} ({} ×, {unit})", series.0.len());
    print(&format!("{name:<52}{figures}  {}", verdicts.join(", ")));
}

/// Prints one figure.
pub fn figure(name: &str, value: f64, unit: impl Display, most: Option<f64>) {
    let verdict = most.map_or_else(String::new, |most| {
        format!("≤ {most} {unit}: {}", judge(value, most))
    });
    let name = format!("{name} ({unit})");
    print(&format!("{name:<52}{:>10}{:22}{verdict}", short(value), ""));
}

fn judge(value: f64, most: f64) -> &'static str {
    if value <= most { "ok" } else { "OVER" }
}

fn short(value: f64) -> String {
    if value >= 100.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.2}")
    }
}
