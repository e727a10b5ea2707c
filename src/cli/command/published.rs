//! The description that `export --format parquet` adds to a dataset: names that people give, and findings of verdicts.

use crate::args;
use crate::eval::measures::ranked;
use crate::exchange::hub_results::{HubEvaluation, task_of};
use crate::failure::Stop;
use crate::job::now_ms;
use crate::metric::agreement::Coefficient;
use crate::model::utc;
use crate::review::{self, AgreementOptions, Share};
use crate::store::Verdicts;
use crate::transfer::{AuditFinding, DatasetAnnotation, Publication};

/// Resamples of the interval of agreement, as `verdicts agreement` has it by default.
const N_RESAMPLES: u64 = 1_000;
/// The program that evaluates, where no other is named.
const FRAMEWORK: &str = "focalist";
/// The length of the date in `2026-01-31T…`.
const N_DIGITS_OF_DAY: usize = 10;

/// Builds the description of the dataset.
pub fn publication(arguments: &args::Parquet, verdicts: &Verdicts) -> Result<Publication, Stop> {
    let default = Publication::default();
    let name = arguments.dataset_name.clone().unwrap_or(default.name);
    let mut authors = arguments.author.clone();
    if authors.is_empty() {
        authors.push(format!("Contributors to {name}"));
    }
    let today = || utc(now_ms()).chars().take(N_DIGITS_OF_DAY).collect();
    Ok(Publication {
        authors,
        version: arguments.dataset_version.clone().unwrap_or(default.version),
        published: arguments.published.clone().unwrap_or_else(today),
        url: arguments.dataset_url.clone(),
        croissant: arguments.croissant.unwrap_or_default(),
        annotation: annotation(verdicts)?,
        evaluated: match arguments.evaluation_framework.as_deref() {
            Some("none") => None,
            framework => Some(HubEvaluation {
                framework: framework.unwrap_or(FRAMEWORK).to_owned(),
                tasks: ranked().into_iter().map(task_of).collect(),
            }),
        },
        name,
    })
}

fn annotation(verdicts: &Verdicts) -> Result<DatasetAnnotation, Stop> {
    let options = AgreementOptions {
        n_resamples: N_RESAMPLES,
        ..AgreementOptions::default()
    };
    let agreement = review::agreement(verdicts, &options)?;
    let alpha = Coefficient::ALL
        .iter()
        .position(|coefficient| *coefficient == Coefficient::Krippendorff);
    let mut audits = Vec::new();
    for draw in verdicts.draws()? {
        let report = review::report(verdicts, &draw, None)?;
        if report.all.n_judged > 0 {
            audits.push(AuditFinding {
                name: report.audit,
                n_judged: report.all.n_judged,
                precision: with_interval(report.all.precision),
                coverage: with_interval(report.all.coverage),
            });
        }
    }
    Ok(DatasetAnnotation {
        n_annotators: agreement.annotators.len() as u64,
        n_samples: agreement.samples.len() as u64,
        n_overlapping: agreement.ratings.n_overlapping() as u64,
        alpha: alpha.and_then(|at| agreement.values[at]),
        alpha_interval: alpha.and_then(|at| agreement.intervals[at]),
        audits,
    })
}

fn with_interval(share: Share) -> Option<(f64, (f64, f64))> {
    share.value().zip(share.interval())
}
