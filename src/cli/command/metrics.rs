//! Metrics as people name them on the command line.

use crate::failure::{ExitCode, Failure, Stop};
use crate::metric::{self, Metric};
use crate::table::visible;

/// Returns the metrics that a list names, or the failure that says which it does not.
pub fn named(names: &[String]) -> Result<Vec<&'static Metric>, Stop> {
    metric::metrics_of(names.iter().map(String::as_str)).map_err(|name| {
        let known: Vec<&str> = metric::METRICS.iter().map(|it| it.id).collect();
        Failure::new(ExitCode::Usage, format!("no metric `{}`", visible(name)))
            .with_hint(format!("known: {} default contest all", known.join(" ")))
            .into()
    })
}
