//! The content of a benchmark in numbers: Tables 3.3 and 3.4 of Tests4J.

use std::collections::{BTreeMap, BTreeSet};

use crate::measure::{Measure, MethodMeasurer};
use crate::model::{Filter, Framework, Language, OfSample, SampleKey, Split, Term};
use crate::runner::java::asked_java;
use crate::store::{Extent, Store};
use crate::task::Monitor;
use crate::trial::{TruthFunnel, truth_funnel};
use crate::{Error, TokenCounter};

#[derive(Clone)]
pub struct StatsOptions {
    /// Chooses the samples; only those with a focal method count in any case.
    pub filter: Filter,
    pub counter: TokenCounter,
    /// Whether all samples are counted, even where the index has a benchmark.
    pub is_of_all: bool,
}

/// The distribution of some numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    pub about: &'static str,
    pub mean: f64,
    pub max: f64,
    pub min: f64,
    /// The quantiles at 25, 50 and 75 percent, interpolated linearly between neighbours (`NumPy`'s `linear`).
    pub quartiles: [f64; 3],
    pub total: f64,
    /// How many numbers.
    pub n: u64,
}

/// The content of a benchmark, in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Stats {
    pub n_repos: u64,
    pub n_cases: u64,
    /// Whether the samples are the cases of the benchmark that the index has, and the splits are its own.
    pub is_benchmark: bool,
    /// Repositories and cases of each split, else of each project split; cases that have none yet are in no row.
    pub splits: Vec<(Split, u64, u64)>,
    pub spreads: Vec<Spread>,
    /// By name.
    pub repos: Vec<RepoFacts>,
    /// By repository, file and key.
    pub methods: Vec<MethodFacts>,
    /// The name of the counter of tokens.
    pub tokens: String,
    /// How far the true tests came, as far as `execute --truth` has run them.
    pub truth: Option<TruthFunnel>,
    /// Tests without a focal method, which are left out.
    pub n_unmapped: u64,
}

/// One focal method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodFacts {
    pub repo: String,
    pub path: String,
    pub key: String,
    pub n_cases: u64,
    pub n_tokens: u64,
    /// Nothing where the method is not in Java.
    pub measure: Option<Measure>,
}

/// One repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepoFacts {
    pub name: String,
    pub n_cases: u64,
    pub n_focal: u64,
    /// Those in Java: getters, setters and complexities are counted in them alone.
    pub n_focal_java: u64,
    pub n_getters: u64,
    pub n_setters: u64,
    /// The sum of their cyclomatic complexities.
    pub n_ways: u64,
    /// The framework of most of its tests; of two with as many, the older one.
    pub framework: Option<Framework>,
    /// The version that the pom at its root asks for; nothing where it asks for none, or is not there.
    pub java: Option<u32>,
}

impl RepoFacts {
    /// Computes the mean cyclomatic complexity of its focal methods in Java.
    #[must_use]
    pub fn cyclomatic(&self) -> Option<f64> {
        (self.n_focal_java > 0).then(|| self.n_ways as f64 / self.n_focal_java as f64)
    }
}

/// One number about a benchmark as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    pub about: String,
    pub value: f64,
    /// Its share of the whole that it counts a part of.
    pub share: Option<f64>,
}

impl Stats {
    /// Counts the focal methods in Java.
    #[must_use]
    pub fn n_focal_java(&self) -> u64 {
        self.repos.iter().map(|repo| repo.n_focal_java).sum()
    }

    /// Lists the facts of Tests4J 3.3 about a dataset: accessors and complexity of the focal methods in Java,
    /// frameworks, and versions of Java.
    #[must_use]
    pub fn facts(&self) -> Vec<Fact> {
        let of_all = |of: fn(&RepoFacts) -> u64| self.repos.iter().map(of).sum::<u64>();
        let n_java = self.n_focal_java();
        let fact = |about: &str, n: u64, n_all: u64| Fact {
            about: about.to_owned(),
            value: n as f64,
            share: (n_all > 0).then(|| n as f64 / n_all as f64),
        };
        let mut facts = Vec::new();
        if n_java > 0 {
            facts.push(fact(
                "getters",
                of_all(|repo_facts| repo_facts.n_getters),
                n_java,
            ));
            facts.push(fact(
                "setters",
                of_all(|repo_facts| repo_facts.n_setters),
                n_java,
            ));
            facts.push(Fact {
                about: "mean cyclomatic complexity".to_owned(),
                value: of_all(|repo_facts| repo_facts.n_ways) as f64 / n_java as f64,
                share: None,
            });
        }
        let mut frameworks: BTreeMap<&str, u64> = BTreeMap::new();
        for framework in self.repos.iter().filter_map(|repo| repo.framework) {
            *frameworks.entry(framework.as_str()).or_default() += 1;
        }
        for (name, n) in frameworks {
            facts.push(fact(&format!("repositories with {name}"), n, self.n_repos));
        }
        let in_java = self.repos.iter().filter(|repo| repo.n_focal_java > 0);
        let n_in_java = in_java.clone().count() as u64;
        let mut versions: BTreeMap<u32, u64> = BTreeMap::new();
        for n in in_java.filter_map(|repo_facts| repo_facts.java) {
            *versions.entry(n).or_default() += 1;
        }
        let n_unknown = n_in_java - versions.values().sum::<u64>();
        for (version, n) in versions {
            let about = format!("repositories with Java {version}");
            facts.push(fact(&about, n, n_in_java));
        }
        if n_unknown > 0 {
            let about = "repositories whose pom names no Java version";
            facts.push(fact(about, n_unknown, n_in_java));
        }
        facts
    }
}

#[derive(Default)]
struct StatsGatherer {
    reader: MethodMeasurer,
    samples: BTreeMap<SampleKey, Language>,
    cases: BTreeMap<String, u64>,
    frameworks: BTreeMap<String, BTreeMap<Framework, u64>>,
    focal: BTreeMap<(String, String, String), MethodFacts>,
    splits: BTreeMap<Split, (BTreeSet<String>, u64)>,
    test_tokens: Vec<f64>,
    n_unmapped: u64,
}

/// Computes the numbers of the samples that a filter lets through.
///
/// # Errors
/// The store's, and cancelling.
pub fn stats(store: &Store, monitor: &Monitor, options: &StatsOptions) -> Result<Stats, Error> {
    let mut gathered = StatsGatherer::default();
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
        let measure = (language == Language::Java).then(|| gathered.reader.measure(focal.source()));
        let method = MethodFacts {
            repo: key.0.clone(),
            path: key.1.clone(),
            key: key.2.clone(),
            n_cases: 1,
            n_tokens: options.counter.count(language, focal.source()),
            measure,
        };
        gathered.focal.insert(key, method);
        Ok::<(), Error>(())
    })?;
    let truth = truth_funnel(store, monitor, &gathered.samples)?;
    let mut stats = gathered.sum_up(options.counter.name().to_owned());
    let poms = asked_java_of(store)?;
    for repo in &mut stats.repos {
        // A project in another language may have a pom, too.
        let of_java = poms.get(&repo.name).filter(|_| repo.n_focal_java > 0);
        repo.java = of_java.copied();
    }
    Ok(Stats {
        is_benchmark,
        truth,
        ..stats
    })
}

/// Reads the version of Java that each project of the index asks for, where its folder is still there and has one.
fn asked_java_of(store: &Store) -> Result<BTreeMap<String, u32>, Error> {
    let mut versions = BTreeMap::new();
    for row in store.repos()? {
        let root = store.mined_from(&row.repo.key())?.map(|pair| pair.0);
        if let Some(version) = root.and_then(|root| asked_java(&root)) {
            versions.insert(row.repo.identity, version);
        }
    }
    Ok(versions)
}

impl StatsGatherer {
    /// Sums up the facts about each repository, except its version of Java.
    fn repos(&self) -> Vec<RepoFacts> {
        let mut repos: BTreeMap<&str, RepoFacts> = BTreeMap::new();
        for (name, n_cases) in &self.cases {
            let counts = self.frameworks.get(name).into_iter().flatten();
            let most = counts.rev().max_by_key(|(_, n)| **n);
            let facts = RepoFacts {
                name: name.clone(),
                n_cases: *n_cases,
                framework: most.map(|most| *most.0),
                ..RepoFacts::default()
            };
            repos.insert(name, facts);
        }
        for method in self.focal.values() {
            let Some(repo) = repos.get_mut(&*method.repo) else {
                continue;
            };
            repo.n_focal += 1;
            if let Some(measure) = method.measure {
                repo.n_focal_java += 1;
                repo.n_getters += u64::from(measure.is_getter);
                repo.n_setters += u64::from(measure.is_setter);
                repo.n_ways += u64::from(measure.cyclomatic);
            }
        }
        repos.into_values().collect()
    }

    fn sum_up(self, tokens: String) -> Stats {
        let repos = self.repos();
        let numbers = |of: fn(&RepoFacts) -> u64| -> Vec<f64> {
            repos.iter().map(|repo| of(repo) as f64).collect()
        };
        let focal = |of: fn(&MethodFacts) -> u64| -> Vec<f64> {
            self.focal
                .values()
                .map(|method_facts| of(method_facts) as f64)
                .collect()
        };
        let spreads = [
            Spread::of(
                "tests per repository",
                numbers(|repo_facts| repo_facts.n_cases),
            ),
            Spread::of(
                "focal methods per repository",
                numbers(|repo_facts| repo_facts.n_focal),
            ),
            Spread::of(
                "tests per focal method",
                focal(|method_facts| method_facts.n_cases),
            ),
            Spread::of(
                "tokens per focal method",
                focal(|method_facts| method_facts.n_tokens),
            ),
            Spread::of("tokens per test", self.test_tokens),
        ];
        let row = |(split, (repos, n_cases)): (Split, (BTreeSet<String>, u64))| {
            (split, repos.len() as u64, n_cases)
        };
        Stats {
            n_repos: self.cases.len() as u64,
            n_cases: self.cases.values().sum(),
            is_benchmark: false,
            splits: self.splits.into_iter().map(row).collect(),
            spreads: spreads.into_iter().flatten().collect(),
            repos,
            methods: self.focal.into_values().collect(),
            tokens,
            truth: None,
            n_unmapped: self.n_unmapped,
        }
    }
}

impl Spread {
    /// Computes the distribution of numbers; nothing without any.
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

/// Interpolates the quantile of sorted numbers between neighbours.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len() - 1) as f64;
    let below = (0..sorted.len()).rfind(|n| *n as f64 <= at).unwrap_or(0);
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
        let quartiles = spread.quartiles.map(|quartile| format!("{quartile:.3}"));
        assert_eq!(quartiles, ["113.750", "135.500", "359.500"]);
        assert_eq!((spread.min, spread.max, spread.n), (80.0, 1000.0, 4));
        assert!((spread.mean - 337.75).abs() < 1e-9);
    }

    #[test]
    fn of_no_numbers_there_is_no_spread() {
        assert_eq!(Spread::of("x", Vec::new()), None);
    }
}
