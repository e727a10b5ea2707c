//! Printing figures with their budgets.

use std::fmt::Display;

use super::console::print;
use super::series::Series;

pub fn head(title: &str) {
    print(&format!(
        "\n{title:<52}{:>10}{:>10}{:>10}  budget",
        "p50", "p99", "worst"
    ));
}

/// Prints a series; each budget is a percentile and its maximum.
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
