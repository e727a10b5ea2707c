//! Charts of the dataset: the funnel, and the splits.

use crate::chart::{Axis, Figure, Series, SeriesShape, number};
use crate::model::{OfSample, SampleScope, Split, Term};
use crate::store::Store;

use super::{Plot, PlotError, counted};

pub(super) fn funnel(store: &Store, what: &Plot) -> Result<Figure, PlotError> {
    let funnel = store.funnel(&what.filter.clone().unwrap_or_default())?;
    // The names are the ones that `stats` and Home use.
    let steps = [
        ("tests", funnel.n_tests),
        ("mapped to a focal method", funnel.n_mapped),
        ("with setup and assertion part", funnel.n_split),
        ("focal calls only in setup", funnel.n_focal_only_in_setup),
        ("unique", funnel.n_unique),
        ("within size", funnel.n_within_size),
    ];
    let steps: Vec<(String, u64)> = steps.map(|(name, n)| (name.to_owned(), n)).into();
    let title = "From tests to samples";
    let subtitle = what.about(&[
        counted(funnel.n_repos, "repository"),
        counted(funnel.n_files, "file"),
        counted(funnel.n_test_classes, "test class"),
        "% of the step before".to_owned(),
    ]);
    if funnel.n_tests == 0 {
        return Ok(nothing(title, subtitle, "no tests"));
    }
    Ok(Figure {
        subtitle,
        ..Figure::funnel(title, "tests", &steps)
    })
}

pub(super) fn splits(store: &Store, what: &Plot) -> Result<Figure, PlotError> {
    let mut series = Vec::new();
    let mut sums = Vec::new();
    let mut greatest = 0;
    for (by_project, name) in [(false, "random split"), (true, "project split")] {
        let mut counts = Vec::new();
        for split in Split::ALL {
            // A test can have a split and still not be in the dataset.
            let filter = what.filter.clone().unwrap_or_default();
            let mut filter = filter.within(SampleScope::Paper);
            filter.terms.push(Term::from(if by_project {
                OfSample::ProjectSplit(*split)
            } else {
                OfSample::Split(*split)
            }));
            counts.push(store.count(&filter)?);
        }
        let n: u64 = counts.iter().sum();
        sums.push(n);
        greatest = counts.iter().copied().fold(greatest, u64::max);
        let label = |count: &u64| {
            let share = 100.0 * *count as f64 / n.max(1) as f64;
            format!("{} ({share:.1} %)", number(*count as f64, 0))
        };
        series.push(Series::new(
            name,
            SeriesShape::Bars {
                labels: counts.iter().map(label).collect(),
                values: counts.iter().map(|count| *count as f64).collect(),
            },
        ));
    }
    let title = "Samples by split";
    let n = sums.iter().copied().max().unwrap_or(0);
    let subtitle = what.about(&[counted(n, "sample")]);
    if n == 0 {
        return Ok(nothing(title, subtitle, "no samples"));
    }
    let names = Split::ALL.iter().map(|split| split.as_str().to_owned());
    Ok(Figure {
        title: title.to_owned(),
        subtitle,
        x: Axis::count("samples").with_range(0.0, greatest as f64),
        y: Axis::categories("split", names.collect()),
        series,
        ..Figure::default()
    })
}

/// Makes a figure without data whose note tells what is missing.
pub(super) fn nothing(title: &str, subtitle: String, note: &str) -> Figure {
    Figure {
        title: title.to_owned(),
        subtitle,
        note: note.to_owned(),
        ..Figure::default()
    }
}
