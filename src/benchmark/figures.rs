//! The figures of Tests4J 3.1: how large repositories are, when they were last changed, how long cases are, and how many
//! tests a repository has.
//!
//! Decides which repositories each figure covers: those that are left before its step, so that it shows the part that
//! the step cuts off, with the limit as a line. Unknown values are left out.

use crate::chart::{Axis, Figure, Path, Series, SeriesShape};
use crate::filter::{Day, FilterLimits, FilterStep, RepoProfile, Ruling, SIZE_BYTES_MAX};

/// One of the charts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chart {
    /// Sizes of repositories (Figure 3.1).
    Sizes,
    /// How old last commits are (Figure 3.2, left).
    Commits,
    /// How many repositories are left at each age (Figure 3.2, right).
    Remaining,
    /// Tokens of focal method and test together (Figure 3.3).
    Tokens,
    /// Tests of repositories (Figure 3.4, left).
    Cases,
    /// For each number of tests, how many tests the repositories with at most that number have (Figure 3.4, right).
    Cumulative,
}

impl Chart {
    pub const ALL: &[Self] = &[
        Self::Sizes,
        Self::Commits,
        Self::Remaining,
        Self::Tokens,
        Self::Cases,
        Self::Cumulative,
    ];

    /// Returns the word used on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sizes => "sizes",
            Self::Commits => "commits",
            Self::Remaining => "remaining",
            Self::Tokens => "tokens",
            Self::Cases => "cases",
            Self::Cumulative => "cumulative",
        }
    }

    /// Returns the step whose cut it shows.
    const fn step(self) -> FilterStep {
        match self {
            Self::Sizes => FilterStep::Size,
            Self::Commits | Self::Remaining => FilterStep::Recent,
            Self::Tokens => FilterStep::Tokens,
            Self::Cases | Self::Cumulative => FilterStep::Cases,
        }
    }
}

/// About how many bars a histogram has.
const N_BARS: f64 = 20.0;

const BYTES_IN_MB: f64 = 1024.0 * 1024.0;

/// Charts the repositories before a step. `rulings` are of `repos`, in the same order.
#[must_use]
pub fn figure(
    chart: Chart,
    repos: &[RepoProfile],
    rulings: &[Ruling],
    bar: &FilterLimits,
) -> Figure {
    let step = chart.step();
    let asked = at_step(repos, rulings, step);
    let years = |repo: &&RepoProfile| Some(years_before(repo.last_commit?, bar.as_of));
    let n_cases = |repo: &&RepoProfile| n_cases_within(repo, bar.n_tokens_max);
    let limits_of_cases = [bar.n_cases_min as f64, bar.n_cases_max as f64];
    let repositories = "repositories";
    let (title, x, y, numbers, series) = match chart {
        Chart::Sizes => {
            let sizes: Vec<f64> = asked
                .iter()
                .filter_map(|repo| Some(repo.size_bytes? as f64 / BYTES_IN_MB))
                .collect();
            let series = histogram(&sizes, &[SIZE_BYTES_MAX as f64 / BYTES_IN_MB]);
            (
                "Sizes of repositories",
                Axis::new("size", "MB"),
                repositories,
                sizes.len(),
                series,
            )
        }
        Chart::Commits => {
            let ages: Vec<f64> = asked.iter().filter_map(years).collect();
            let series = histogram(&ages, &[2.0]);
            (
                "Last commits",
                age_axis(bar),
                repositories,
                ages.len(),
                series,
            )
        }
        Chart::Remaining => {
            let ages: Vec<f64> = asked.iter().filter_map(years).collect();
            let series = cumulative(&ages, |_| 1.0, &[2.0]);
            (
                "Repositories left by age",
                age_axis(bar),
                repositories,
                ages.len(),
                series,
            )
        }
        Chart::Tokens => {
            let cases = asked
                .iter()
                .filter_map(|repo| repo.cases.as_ref())
                .flatten();
            let tokens: Vec<f64> = cases.map(|case| case.1 as f64).collect();
            let series = histogram(&tokens, &[bar.n_tokens_max as f64]);
            let axis = Axis::count("tokens of focal method and test");
            ("Tokens of cases", axis, "tests", tokens.len(), series)
        }
        Chart::Cases => {
            let counts: Vec<f64> = asked.iter().filter_map(n_cases).collect();
            let series = histogram(&counts, &limits_of_cases);
            let axis = Axis::count("tests of a repository");
            (
                "Tests of repositories",
                axis,
                repositories,
                counts.len(),
                series,
            )
        }
        Chart::Cumulative => {
            let counts: Vec<f64> = asked.iter().filter_map(n_cases).collect();
            let series = cumulative(&counts, |value| value, &limits_of_cases);
            let axis = Axis::count("tests of a repository, at most");
            (
                "Tests in repositories up to a number of tests",
                axis,
                "tests",
                counts.len(),
                series,
            )
        }
    };
    let of = match chart {
        Chart::Tokens => "tests",
        _ => repositories,
    };
    Figure {
        title: title.to_owned(),
        subtitle: format!("{numbers} {of} at the step `{}`", step.as_str()),
        x,
        y: Axis::count(y),
        series,
        note: "no repository has this value".to_owned(),
        ..Figure::default()
    }
}

/// Lists the repositories that no earlier step left out.
fn at_step<'r>(
    repos: &'r [RepoProfile],
    rulings: &[Ruling],
    step: FilterStep,
) -> Vec<&'r RepoProfile> {
    let ruled = repos.iter().zip(rulings);
    ruled
        .filter(|(_, ruling)| ruling.fell.as_ref().is_none_or(|fell| fell.0 >= step))
        .map(|(repo, _)| repo)
        .collect()
}

/// Counts the cases of a repository with at most this number of tokens; nothing where its cases are not known.
fn n_cases_within(repo: &RepoProfile, n_tokens_max: u64) -> Option<f64> {
    let cases = repo.cases.as_ref()?;
    let within = cases.iter().filter(|case| case.1 <= n_tokens_max);
    Some(within.count() as f64)
}

fn age_axis(bar: &FilterLimits) -> Axis {
    let Day { year, month, day } = bar.as_of;
    Axis::new(
        &format!("last commit before {year:04}-{month:02}-{day:02}"),
        "years",
    )
}

/// Computes how many years a day is before another; 0 where it is after it. A month is a twelfth of a year.
fn years_before(day: Day, as_of: Day) -> f64 {
    let months = |day: Day| {
        f64::from(day.year) * 12.0 + f64::from(day.month) + (f64::from(day.day) - 1.0) / 31.0
    };
    ((months(as_of) - months(day)) / 12.0).max(0.0)
}

/// Makes bars of one width over all values from 0 on, and a line at each limit.
fn histogram(values: &[f64], limits: &[f64]) -> Vec<Series> {
    let greatest = values.iter().copied().fold(0.0, f64::max);
    if values.is_empty() {
        return Vec::new();
    }
    let width = round_width(greatest / N_BARS);
    let n_bars = 1 + place(greatest, width);
    let mut counts = vec![0.0; n_bars];
    for value in values {
        counts[place(*value, width)] += 1.0;
    }
    let highest = counts.iter().copied().fold(0.0, f64::max);
    let bars = SeriesShape::Histogram {
        edges: (0..=n_bars).map(|n| n as f64 * width).collect(),
        values: counts,
    };
    let mut series = vec![Series::new("", bars)];
    series.extend(lines(limits, (greatest, highest)));
    series
}

/// Sums up `weight` over the values up to each value, with a line at each limit.
fn cumulative(values: &[f64], weight: impl Fn(f64) -> f64, limits: &[f64]) -> Vec<Series> {
    if values.is_empty() {
        return Vec::new();
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut sum = 0.0;
    let points = sorted.into_iter().map(|sorted| {
        sum += weight(sorted);
        (sorted, sum)
    });
    let line = SeriesShape::Line {
        points: std::iter::once((0.0, 0.0)).chain(points).collect(),
        path: Path::Steps,
    };
    let mut series = vec![Series::new("", line)];
    let greatest = values.iter().copied().fold(0.0, f64::max);
    series.extend(lines(limits, (greatest, sum)));
    series
}

/// Makes a line at each limit, except limits of more than twice the greatest value, which would squeeze the rest.
fn lines(limits: &[f64], (greatest, highest): (f64, f64)) -> impl Iterator<Item = Series> {
    let near = limits.iter().filter(move |limit| **limit <= 2.0 * greatest);
    near.map(move |at| {
        let rule = SeriesShape::Rule {
            from: (*at, 0.0),
            to: (*at, highest),
        };
        Series::new("", rule)
    })
}

/// Rounds up to the next of 1, 2 and 5 times a power of ten; at least a tenth.
fn round_width(least: f64) -> f64 {
    let mut unit = 0.1;
    loop {
        for factor in [1.0, 2.0, 5.0] {
            // 1e300 may have no next one, and nothing here is that large.
            if unit * factor >= least || unit > 1e12 {
                return unit * factor;
            }
        }
        unit *= 10.0;
    }
}

/// Computes the number of the bar that a value is in.
#[expect(clippy::cast_sign_loss, reason = "no value is negative")]
fn place(value: f64, width: f64) -> usize {
    (value / width) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::rule;
    use crate::model::SampleKey;

    fn bar() -> FilterLimits {
        FilterLimits {
            as_of: Day::read("2024-05-31").expect("it is a day"),
            n_tokens_max: 100,
            n_cases_min: 2,
            n_cases_max: 3,
            seed: 0,
        }
    }

    fn repo(name: &str, n_mb: u64, commit: &str, tokens: &[u64]) -> RepoProfile {
        let key = |idx: usize| SampleKey([idx as u8; 16]);
        RepoProfile {
            name: name.to_owned(),
            size_bytes: Some(n_mb * 1024 * 1024),
            last_commit: Day::read(commit),
            cases: Some(
                tokens
                    .iter()
                    .enumerate()
                    .map(|(idx, n)| (key(idx), *n))
                    .collect(),
            ),
            ..RepoProfile::default()
        }
    }

    fn drawn(chart: Chart) -> Figure {
        let repos = [
            repo("a", 10, "2024-05-01", &[10, 90, 100]),
            repo("b", 400, "2024-05-01", &[10]),
            repo("c", 30, "2020-05-31", &[10]),
            repo("d", 12, "2023-05-31", &[10, 500]),
        ];
        let rulings = rule(&repos, &bar());
        figure(chart, &repos, &rulings, &bar())
    }

    fn counts(figure: &Figure) -> f64 {
        match &figure.series[0].shape {
            SeriesShape::Histogram { values, .. } => values.iter().sum(),
            _ => panic!("it is a histogram"),
        }
    }

    fn limits(figure: &Figure) -> Vec<f64> {
        let rules = figure
            .series
            .iter()
            .filter_map(|series| match series.shape {
                SeriesShape::Rule { from, .. } => Some(from.0),
                _ => None,
            });
        rules.collect()
    }

    #[test]
    fn a_chart_is_over_what_is_left_when_its_step_is_asked() {
        let sizes = drawn(Chart::Sizes);
        assert_eq!((counts(&sizes), limits(&sizes)), (4.0, vec![300.0]));
        let commits = drawn(Chart::Commits);
        // The one of 400 MB is gone.
        assert_eq!((counts(&commits), limits(&commits)), (3.0, vec![2.0]));
        let tokens = drawn(Chart::Tokens);
        assert_eq!((counts(&tokens), limits(&tokens)), (5.0, vec![100.0]));
        let cases = drawn(Chart::Cases);
        assert_eq!((counts(&cases), limits(&cases)), (2.0, vec![2.0, 3.0]));
        assert_eq!(cases.subtitle, "2 repositories at the step `cases`");
    }

    #[test]
    fn sums_grow_from_the_smallest_on() {
        let points = |chart| match drawn(chart).series.swap_remove(0).shape {
            SeriesShape::Line { points, .. } => points,
            _ => panic!("it is a line"),
        };
        // `d` has one case within the budget, `a` three.
        assert_eq!(
            points(Chart::Cumulative),
            [(0.0, 0.0), (1.0, 1.0), (3.0, 4.0)]
        );
        let ages = points(Chart::Remaining);
        let sums: Vec<f64> = ages.iter().map(|age| age.1).collect();
        assert_eq!(sums, [0.0, 1.0, 2.0, 3.0]);
        assert!((ages[2].0 - 1.0).abs() < 1e-9, "{ages:?}");
        assert!((ages[3].0 - 4.0).abs() < 1e-9, "{ages:?}");
    }

    #[test]
    fn a_limit_far_behind_all_values_is_not_drawn() {
        let repos = [repo("a", 10, "2024-05-01", &[10])];
        let rulings = rule(&repos, &bar());
        assert!(limits(&figure(Chart::Sizes, &repos, &rulings, &bar())).is_empty());
    }

    #[test]
    fn of_nothing_there_is_no_chart() {
        let figure = figure(Chart::Sizes, &[], &[], &bar());
        assert!(figure.is_empty());
        assert!(!figure.note.is_empty());
    }

    #[test]
    fn bars_are_as_wide_as_people_count() {
        let widths = [0.0, 0.3, 1.0, 3.0, 42.0, 60.0].map(|value| round_width(value).to_string());
        assert_eq!(widths, ["0.1", "0.5", "1", "5", "50", "100"]);
    }
}
