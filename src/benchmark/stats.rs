//! What a benchmark holds, in numbers: Tables 3.3 and 3.4 of Tests4J.

use std::collections::{BTreeMap, BTreeSet};

use crate::measure::Reader;
use crate::model::{Filter, Framework, Language, OfSample, SampleKey, Split, Term};
use crate::store::{Extent, Store};
use crate::task::Monitor;
use crate::trial::{TruthFunnel, truth_funnel};
use crate::{Counter, Error};

#[derive(Clone)]
pub struct StatsOptions {
    /// Which samples; only those with a focal method count, whatever it says.
    pub filter: Filter,
    pub counter: Counter,
    /// Counts all samples, also where the index has a benchmark.
    pub is_of_all: bool,
}

/// How some numbers are spread.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    pub about: &'static str,
    pub mean: f64,
    pub max: f64,
    pub min: f64,
    /// At 25, 50 and 75 percent, between neighbours by their distance (`NumPy`'s `linear`).
    pub quartiles: [f64; 3],
    pub total: f64,
    /// How many numbers.
    pub n: u64,
}

/// What a benchmark holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Stats {
    pub n_repos: u64,
    pub n_cases: u64,
    /// Whether the samples are the cases of the benchmark that the index has, and the splits are its own.
    pub is_benchmark: bool,
    /// Repositories and cases of each split, else of each project split; cases that have none yet are in no row.
    pub splits: Vec<(Split, u64, u64)>,
    pub spreads: Vec<Spread>,
    pub n_focal: u64,
    /// Those in Java: what follows is told of them alone.
    pub n_focal_java: u64,
    pub n_getters: u64,
    pub n_setters: u64,
    /// The mean of the focal methods' cyclomatic complexity.
    pub cyclomatic: f64,
    /// How many repositories test mostly with each framework.
    pub frameworks: BTreeMap<&'static str, u64>,
    /// What counted the tokens.
    pub tokens: String,
    /// How far the true tests came, those of them that `execute --truth` has run.
    pub truth: Option<TruthFunnel>,
    /// Tests without a focal method, which are left out.
    pub n_unmapped: u64,
}

/// What is gathered of one focal method.
struct FocalMethod {
    n_tokens: u64,
    n_cases: u64,
}

#[derive(Default)]
struct Gathered {
    reader: Reader,
    samples: BTreeMap<SampleKey, Language>,
    cases: BTreeMap<String, u64>,
    frameworks: BTreeMap<String, BTreeMap<Framework, u64>>,
    focal: BTreeMap<(String, String, String), FocalMethod>,
    focal_of: BTreeMap<String, u64>,
    splits: BTreeMap<Split, (BTreeSet<String>, u64)>,
    test_tokens: Vec<f64>,
    n_getters: u64,
    n_setters: u64,
    n_ways: u64,
    n_focal_java: u64,
    n_unmapped: u64,
}

/// Returns the numbers of the samples that a filter lets through.
///
/// # Errors
/// The store's, and cancelling.
pub fn stats(store: &Store, monitor: &Monitor, options: &StatsOptions) -> Result<Stats, Error> {
    let mut gathered = Gathered::default();
    let benchmark = if options.is_of_all {
        BTreeMap::new()
    } else {
        store.benchmark()?
    };
    let is_benchmark = !benchmark.is_empty();
    let mut filter = options.filter.clone();
    if is_benchmark {
        filter.narrow(Term::not(OfSample::Benchmark(None)));
    }
    store.each_sample(&filter, Extent::Sample, |sample| {
        monitor.step()?;
        let language = sample.repo.language;
        let Some(focal) = &sample.focal else {
            gathered.n_unmapped += 1;
            return Ok(());
        };
        gathered.samples.insert(sample.row.key, language);
        let identity = &sample.repo.identity;
        *gathered.cases.entry(identity.clone()).or_default() += 1;
        let frameworks = gathered.frameworks.entry(identity.clone()).or_default();
        *frameworks.entry(sample.framework).or_default() += 1;
        let split = if is_benchmark {
            benchmark.get(&sample.row.key).copied()
        } else {
            sample.split_project
        };
        if let Some(split) = split {
            let (repos, n_cases) = gathered.splits.entry(split).or_default();
            repos.insert(identity.clone());
            *n_cases += 1;
        }
        let n_tokens = options.counter.count(language, sample.test.source());
        gathered.test_tokens.push(n_tokens as f64);
        let key = (identity.clone(), focal.path.clone(), focal.key());
        if let Some(known) = gathered.focal.get_mut(&key) {
            known.n_cases += 1;
            return Ok(());
        }
        if language == Language::Java {
            let measure = gathered.reader.measure(focal.source());
            gathered.n_focal_java += 1;
            gathered.n_getters += u64::from(measure.is_getter);
            gathered.n_setters += u64::from(measure.is_setter);
            gathered.n_ways += u64::from(measure.cyclomatic);
        }
        *gathered.focal_of.entry(identity.clone()).or_default() += 1;
        let n_tokens = options.counter.count(language, focal.source());
        let method = FocalMethod {
            n_tokens,
            n_cases: 1,
        };
        gathered.focal.insert(key, method);
        Ok::<(), Error>(())
    })?;
    let truth = truth_funnel(store, monitor, &gathered.samples)?;
    let stats = gathered.sum_up(options.counter.name().to_owned());
    Ok(Stats {
        is_benchmark,
        truth,
        ..stats
    })
}

impl Gathered {
    fn sum_up(self, tokens: String) -> Stats {
        let numbers = |it: &BTreeMap<String, u64>| it.values().map(|n| *n as f64).collect();
        let focal = |of: fn(&FocalMethod) -> u64| -> Vec<f64> {
            self.focal.values().map(|it| of(it) as f64).collect()
        };
        let spreads = [
            Spread::of("tests per repository", numbers(&self.cases)),
            Spread::of("focal methods per repository", numbers(&self.focal_of)),
            Spread::of("tests per focal method", focal(|it| it.n_cases)),
            Spread::of("tokens per focal method", focal(|it| it.n_tokens)),
            Spread::of("tokens per test", self.test_tokens),
        ];
        let mut frameworks = BTreeMap::new();
        for counts in self.frameworks.values() {
            // Of two with as many tests, the older one.
            let most = counts.iter().rev().max_by_key(|(_, n)| **n);
            if let Some((framework, _)) = most {
                *frameworks.entry(framework.as_str()).or_default() += 1;
            }
        }
        let row = |(split, (repos, n_cases)): (Split, (BTreeSet<String>, u64))| {
            (split, repos.len() as u64, n_cases)
        };
        let n_focal = self.focal.len() as u64;
        Stats {
            n_repos: self.cases.len() as u64,
            n_cases: self.cases.values().sum(),
            is_benchmark: false,
            splits: self.splits.into_iter().map(row).collect(),
            spreads: spreads.into_iter().flatten().collect(),
            n_focal,
            n_focal_java: self.n_focal_java,
            n_getters: self.n_getters,
            n_setters: self.n_setters,
            cyclomatic: self.n_ways as f64 / self.n_focal_java.max(1) as f64,
            frameworks,
            tokens,
            truth: None,
            n_unmapped: self.n_unmapped,
        }
    }
}

impl Spread {
    /// Returns how numbers are spread; nothing of none.
    #[must_use]
    pub fn of(about: &'static str, mut numbers: Vec<f64>) -> Option<Self> {
        numbers.sort_by(f64::total_cmp);
        let (min, max) = (*numbers.first()?, *numbers.last()?);
        let total: f64 = numbers.iter().sum();
        Some(Self {
            about,
            mean: total / numbers.len() as f64,
            max,
            min,
            quartiles: [0.25, 0.5, 0.75].map(|share| quantile(&numbers, share)),
            total,
            n: numbers.len() as u64,
        })
    }
}

/// Returns the quantile of sorted numbers, between neighbours by their distance.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len() - 1) as f64;
    let below = (0..sorted.len()).rfind(|it| *it as f64 <= at).unwrap_or(0);
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (at - below as f64) * (sorted[above] - sorted[below])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_lie_between_neighbours_as_numpy_has_them() {
        // numpy.percentile([80, 125, 146, 1000], [25, 50, 75]): 113.75, 135.5, 359.5
        let spread = Spread::of("x", vec![1000.0, 80.0, 146.0, 125.0]).expect("there are numbers");
        let quartiles = spread.quartiles.map(|it| format!("{it:.3}"));
        assert_eq!(quartiles, ["113.750", "135.500", "359.500"]);
        assert_eq!((spread.min, spread.max, spread.n), (80.0, 1000.0, 4));
        assert!((spread.mean - 337.75).abs() < 1e-9);
    }

    #[test]
    fn of_no_numbers_there_is_no_spread() {
        assert_eq!(Spread::of("x", Vec::new()), None);
    }
}
