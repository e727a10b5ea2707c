//! Metrics as people name them on the command line.

use crate::failure::{ExitCode, Failure, Stop};
use crate::metric::{self, Metric, Profile};
use crate::table::visible;

/// Looks up the metrics that a list names, or names the unknown one.
pub fn named(names: &[String]) -> Result<Vec<&'static Metric>, Stop> {
    metric::metrics_of(names.iter().map(String::as_str)).map_err(|name| {
        let sets: Vec<&str> = Profile::ALL
            .iter()
            .map(|profile| profile.as_str())
            .collect();
        let known: Vec<&str> = metric::METRICS.iter().map(|metric| metric.id).collect();
        Failure::new(ExitCode::Usage, format!("no metric `{}`", visible(name)))
            .with_hint(format!("known: {} {} all", known.join(" "), sets.join(" ")))
            .into()
    })
}
