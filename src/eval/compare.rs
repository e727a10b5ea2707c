//! Two runs on the samples that both answered: the verb behind `compare`.
//!
//! One metric after the other, so that memory holds one metric of both runs. Draws are shared out to all threads; each
//! is a function of (seed, number), so the answer does not depend on how many there are.

use std::collections::BTreeMap;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::metric::Metric;
use crate::metric::paired::{Paired, Tally, interval, p_value};
use crate::model::{Filter, Reading, RunRow, SampleKey, Score};
use crate::store::Store;
use crate::task::{Cancelled, Monitor, Phase};

use super::Error;
use super::evaluate::{dataset_of, run_named};

/// What slices a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Repo,
    Framework,
    /// The first assertion call of the reference.
    Assertion,
    /// Tokens of the reference.
    Length,
    /// Whether the prediction parses.
    Parse,
    /// What went wrong; a prediction may have several tags.
    Tag,
    /// The random split.
    Split,
    /// The simple name of the focal method's class.
    FocalClass,
}

impl By {
    /// The ways to slice a comparison, the first that is offered first.
    pub const ALL: &[Self] = &[Self::Repo, Self::Framework, Self::Assertion, Self::Length];

    /// The ways to group the predictions of a run, the first that is offered first.
    pub const OF_RESULTS: &[Self] = &[
        Self::Tag,
        Self::Repo,
        Self::Assertion,
        Self::Length,
        Self::Parse,
        Self::FocalClass,
        Self::Framework,
        Self::Split,
    ];

    /// Returns the word used on the command line and in files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Repo => "repo",
            Self::Framework => "framework",
            Self::Assertion => "assertion",
            Self::Length => "length",
            Self::Parse => "parse",
            Self::Tag => "tag",
            Self::Split => "split",
            Self::FocalClass => "focal-class",
        }
    }
}

/// The upper ends of classes of length, in tokens.
const LENGTHS: [u32; 4] = [15, 30, 60, 120];

#[derive(Clone, Debug)]
pub struct CompareOptions {
    pub first: String,
    pub second: String,
    /// All that both have scored, in the same way, where empty.
    pub metrics: Vec<&'static Metric>,
    pub filter: Option<Filter>,
    pub by: Option<By>,
    /// Only samples for which both predictions parse (ConTest, Table 3).
    pub only_parsable: bool,
    pub n_resamples: u32,
    pub seed: u64,
}

/// One metric of both runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    pub metric: &'static Metric,
    /// Over the common samples, 0..=1: the corpus value, which is the mean for all metrics but those of BLEU's kind.
    pub first: f64,
    pub second: f64,
    /// Second minus first.
    pub difference: f64,
    /// The 95 % interval of the difference.
    pub interval: (f64, f64),
    /// Two-sided.
    pub p: f64,
    /// The second run, sample by sample.
    pub tally: Tally,
}

/// The comparison on some of the samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    /// Empty for all samples.
    pub name: String,
    pub n_samples: u64,
    /// The share of each run's predictions that do not parse, on these samples.
    pub unparsable_rates: (f64, f64),
    pub over_length_rates: (f64, f64),
    pub metrics: Vec<Compared>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    pub first: RunRow,
    pub second: RunRow,
    /// Samples that only one of them answered, of those that the filter lets through.
    pub n_only_first: u64,
    pub n_only_second: u64,
    /// Common samples that were left out because a prediction does not parse.
    pub n_left_out: u64,
    /// All samples, then the slices by name.
    pub slices: Vec<Slice>,
}

/// Compares two runs. See [`crate::metric::paired`] for interval and p-value.
pub fn compare(
    store: &Store,
    monitor: &Monitor,
    options: &CompareOptions,
) -> Result<Comparison, Error> {
    monitor.enter(Phase::Comparing);
    let runs = store.runs()?;
    let first = run_named(&runs, &options.first)?.clone();
    let second = run_named(&runs, &options.second)?.clone();
    check_same_question(&first, &second)?;
    for run in [&first, &second] {
        check_up_to_date(store, run, monitor)?;
    }
    let metrics = metrics_of_both(options, &first, &second)?;
    let allowed: Option<FxHashSet<SampleKey>> = match &options.filter {
        Some(filter) => Some(store.keys(filter)?.into_iter().collect()),
        None => None,
    };
    let is_allowed = |key: &SampleKey| allowed.as_ref().is_none_or(|it| it.contains(key));
    let readings = [
        readings(store, &first, monitor, is_allowed)?,
        readings(store, &second, monitor, is_allowed)?,
    ];
    let common = Common::of(&readings, options.only_parsable);
    if common.keys.is_empty() {
        return Err(Error::NothingInCommon {
            first: options.first.clone(),
            second: options.second.clone(),
            is_filtered: options.filter.is_some() || options.only_parsable,
        });
    }
    let groups = groups(store, &common, &readings[0], options.by)?;
    let mut slices: Vec<Slice> = groups
        .iter()
        .map(|(name, pairs)| slice_of(name, pairs, &common, &readings))
        .collect();
    for metric in metrics {
        let scores = [
            scores(store, &first, metric, &common, monitor)?,
            scores(store, &second, metric, &common, monitor)?,
        ];
        for (slice, (_, pairs)) in slices.iter_mut().zip(&groups) {
            monitor.step()?;
            slice
                .metrics
                .push(compared(metric, pairs, &scores, options, monitor)?);
        }
    }
    let n_answered = |readings: &Readings| readings.len() as u64;
    Ok(Comparison {
        n_only_first: n_answered(&readings[0]) - common.n_both,
        n_only_second: n_answered(&readings[1]) - common.n_both,
        n_left_out: common.n_both - common.keys.len() as u64,
        first,
        second,
        slices,
    })
}

fn check_same_question(first: &RunRow, second: &RunRow) -> Result<(), Error> {
    let question = |run: &RunRow| (run.setting.target, run.setting.language);
    if question(first) == question(second) {
        return Ok(());
    }
    Err(Error::OtherQuestion {
        first: first.setting.name.clone(),
        second: second.setting.name.clone(),
    })
}

/// Two runs may have been evaluated at different times, one of them with references that are gone.
fn check_up_to_date(store: &Store, run: &RunRow, monitor: &Monitor) -> Result<(), Error> {
    let stored = store.dataset(run.id)?;
    if stored.is_none() || stored == Some(dataset_of(store, run, monitor)?) {
        return Ok(());
    }
    Err(Error::Outdated {
        run: run.setting.name.clone(),
    })
}

/// Returns the metrics to compare: those asked for, which both must have, else all that both have.
fn metrics_of_both(
    options: &CompareOptions,
    first: &RunRow,
    second: &RunRow,
) -> Result<Vec<&'static Metric>, Error> {
    let lacks = |run: &RunRow, metric: &Metric| {
        let evaluation = run.evaluation(metric.id);
        evaluation.is_none_or(|it| it.version != metric.version || it.value.is_none())
    };
    let is_same = |metric: &Metric| {
        let options = |run: &RunRow| run.evaluation(metric.id).map(|it| it.options.clone());
        options(first) == options(second)
    };
    if options.metrics.is_empty() {
        let both = crate::metric::METRICS
            .iter()
            .filter(|metric| !lacks(first, metric) && !lacks(second, metric) && is_same(metric));
        return Ok(both.collect());
    }
    for metric in &options.metrics {
        for run in [first, second] {
            if lacks(run, metric) {
                return Err(Error::NotEvaluated {
                    run: run.setting.name.clone(),
                    metric: metric.id.to_owned(),
                });
            }
        }
        if !is_same(metric) {
            return Err(Error::OtherOptions {
                metric: metric.id.to_owned(),
                first: first.setting.name.clone(),
                second: second.setting.name.clone(),
            });
        }
    }
    Ok(options.metrics.clone())
}

/// What is known of a run's first answers.
type Readings = FxHashMap<SampleKey, Reading>;

fn readings(
    store: &Store,
    run: &RunRow,
    monitor: &Monitor,
    is_allowed: impl Fn(&SampleKey) -> bool,
) -> Result<Readings, Error> {
    let mut readings = Readings::default();
    store.each_score(run.id, &[], |scored| {
        monitor.step()?;
        if scored.attempt == 0 && scored.reading.has_reference && is_allowed(&scored.key) {
            readings.insert(scored.key, scored.reading);
        }
        Ok::<_, Error>(())
    })?;
    Ok(readings)
}

/// The samples that are compared, sorted, and their places.
struct Common {
    keys: Vec<SampleKey>,
    places: FxHashMap<SampleKey, usize>,
    /// Also those left out because a prediction does not parse.
    n_both: u64,
}

impl Common {
    fn of(readings: &[Readings; 2], only_parsable: bool) -> Self {
        #[expect(
            clippy::iter_over_hash_type,
            reason = "they are sorted before anything depends on their order"
        )]
        let mut both: Vec<SampleKey> = {
            let mut both = Vec::new();
            for key in readings[0].keys() {
                if readings[1].contains_key(key) {
                    both.push(*key);
                }
            }
            both
        };
        both.sort_unstable();
        let n_both = both.len() as u64;
        if only_parsable {
            both.retain(|key| readings.iter().all(|it| it[key].syntax_error.is_none()));
        }
        Self {
            places: both.iter().copied().zip(0..).collect(),
            keys: both,
            n_both,
        }
    }
}

/// Returns the places of all samples under no name, then those of each slice by name.
fn groups(
    store: &Store,
    common: &Common,
    readings: &Readings,
    by: Option<By>,
) -> Result<Vec<(String, Vec<usize>)>, Error> {
    let all = (String::new(), (0..common.keys.len()).collect());
    let Some(by) = by else {
        return Ok(vec![all]);
    };
    let mut slices: BTreeMap<(u32, String), Vec<usize>> = BTreeMap::new();
    let facts = match by {
        By::Repo | By::Framework => store.sample_facts(&common.keys, None)?,
        _ => vec![None; common.keys.len()],
    };
    for (place, (key, facts)) in common.keys.iter().zip(facts).enumerate() {
        let name = match by {
            By::Repo => (0, facts.map_or_else(String::new, |it| it.repo)),
            By::Framework => {
                let name = facts.map_or("", |it| it.framework.as_str());
                (0, name.to_owned())
            }
            By::Assertion => match readings[key].assertion.as_str() {
                "" => (1, "(none)".to_owned()),
                name => (0, name.to_owned()),
            },
            By::Length => length_class(readings[key].n_reference_tokens),
            // Not offered for comparisons.
            By::Parse | By::Tag | By::Split | By::FocalClass => (0, String::new()),
        };
        slices.entry(name).or_default().push(place);
    }
    let slices = slices.into_iter().map(|((_, name), places)| (name, places));
    Ok(std::iter::once(all).chain(slices).collect())
}

/// Returns a class of length, with a number to sort it by.
fn length_class(n_tokens: u32) -> (u32, String) {
    let mut first = 1;
    for end in LENGTHS {
        if n_tokens <= end {
            return (end, format!("{first}-{end} tokens"));
        }
        first = end + 1;
    }
    (u32::MAX, format!("{first} tokens or more"))
}

fn slice_of(name: &str, places: &[usize], common: &Common, readings: &[Readings; 2]) -> Slice {
    let share = |run: usize, is_counted: fn(&Reading) -> bool| {
        let counted = places
            .iter()
            .filter(|place| is_counted(&readings[run][&common.keys[**place]]));
        counted.count() as f64 / places.len() as f64
    };
    let rates = |is_counted| (share(0, is_counted), share(1, is_counted));
    Slice {
        name: name.to_owned(),
        n_samples: places.len() as u64,
        unparsable_rates: rates(|it| it.syntax_error.is_some()),
        over_length_rates: rates(|it| it.is_over_length),
        metrics: Vec::new(),
    }
}

/// Returns a run's scores in one metric, in the order of the common samples.
fn scores(
    store: &Store,
    run: &RunRow,
    metric: &Metric,
    common: &Common,
    monitor: &Monitor,
) -> Result<Vec<Score>, Error> {
    let not_evaluated = || Error::NotEvaluated {
        run: run.setting.name.clone(),
        metric: metric.id.to_owned(),
    };
    let evaluations = store.evaluations(run.id, &[metric.id])?;
    let evaluation = evaluations.into_iter().flatten().next();
    let mut scores = vec![Score::default(); common.keys.len()];
    let evaluation = evaluation.ok_or_else(not_evaluated)?;
    store.each_score(run.id, &[evaluation], |mut scored| {
        monitor.step()?;
        if scored.attempt == 0
            && let Some(place) = common.places.get(&scored.key)
            && let Some(score) = scored.scores.pop()
        {
            scores[*place] = score;
        }
        Ok::<_, Error>(())
    })?;
    Ok(scores)
}

fn compared(
    metric: &'static Metric,
    places: &[usize],
    scores: &[Vec<Score>; 2],
    options: &CompareOptions,
    monitor: &Monitor,
) -> Result<Compared, Error> {
    let n_parts = if metric.is_mean {
        0
    } else {
        let parts = scores.iter().flatten().map(|it| it.parts.len());
        parts.max().unwrap_or(0)
    };
    let mut paired = Paired::new(metric.corpus, n_parts);
    for place in places {
        paired.push(&scores[0][*place], &scores[1][*place]);
    }
    let (first, second) = paired.values();
    let draws = |draw: fn(&Paired, u64, u64) -> f64| {
        let numbers = (0..u64::from(options.n_resamples)).into_par_iter();
        numbers
            .map(|number| {
                monitor.step()?;
                Ok(draw(&paired, options.seed, number))
            })
            .collect::<Result<Vec<f64>, Cancelled>>()
    };
    let resampled = draws(Paired::resampled)?;
    let exact = paired.all_permuted();
    let is_exact = exact.is_some();
    let permuted = match exact {
        Some(exact) => exact,
        None => draws(Paired::permuted)?,
    };
    let difference = second - first;
    Ok(Compared {
        metric,
        first,
        second,
        difference,
        interval: interval(resampled, 0.95).unwrap_or((difference, difference)),
        p: p_value(difference, &permuted, is_exact),
        tally: paired.tally(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_fall_into_classes() {
        assert_eq!(length_class(0).1, "1-15 tokens");
        assert_eq!(length_class(15).1, "1-15 tokens");
        assert_eq!(length_class(16).1, "16-30 tokens");
        assert_eq!(length_class(121).1, "121 tokens or more");
    }
}
