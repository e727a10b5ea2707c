//! A fixed sample of the tests, judged by people, that says how good the matcher is: ConTest's 94 % of 100, to repeat.
//!
//! Which tests are drawn follows from the seed and the tests' keys, not from when or in which order they were mined;
//! the first draw is kept as an event, so that mining again does not change what an audit is about.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use crate::model::{
    Draw, DrawnSample, Filter, FocalAnswer, JudgedSample, SampleKey, SampleRow, Stage,
};
use crate::store::{Anchor, Store, Verdicts};
use crate::task::Monitor;

use super::{ReviewError, Share, VerdictAuthor, gold};

/// Rows that are read at a time, so that an audit of any size needs little memory.
const PAGE: usize = 2_000;

/// The parts whose proportions a draw keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stratify {
    #[default]
    None,
    /// By the repository's name.
    Repo,
    /// By what decided; the unmapped by their status.
    Stage,
}

impl Stratify {
    /// Every kind.
    pub const ALL: &[Self] = &[Self::None, Self::Repo, Self::Stage];

    /// Returns the word used on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Repo => "repo",
            Self::Stage => "stage",
        }
    }

    fn of(self, row: &SampleRow) -> String {
        let name = match self {
            Self::None => "",
            Self::Repo => &row.repo,
            Self::Stage => row.stage.map_or(row.status.as_str(), Stage::as_str),
        };
        name.replace(char::is_control, " ")
    }
}

/// The choice of the tests that are drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AuditOptions {
    /// The number of tests; all when there are fewer.
    pub n: u32,
    pub seed: u64,
    pub stratify: Stratify,
    /// The tests to draw from, mapped or not.
    pub filter: Filter,
    /// The same as it is written, in canonical form.
    pub filter_text: String,
}

impl AuditOptions {
    /// Names the audit by its options: the same options are the same audit.
    #[must_use]
    pub fn name(&self) -> String {
        let mut name = format!("n={} seed={}", self.n, self.seed);
        if self.stratify != Stratify::None {
            name += &format!(" stratify={}", self.stratify.as_str());
        }
        if !self.filter_text.is_empty() {
            name += &format!(" filter={}", self.filter_text);
        }
        name
    }
}

/// Finds or makes the draw of an audit: the one that was kept, else a new one, which is kept in this annotator's name.
pub fn draw(
    store: &Store,
    verdicts: &mut Verdicts,
    monitor: &Monitor,
    options: &AuditOptions,
    by: VerdictAuthor<'_>,
) -> Result<Draw, ReviewError> {
    if let Some(known) = verdicts.draw(&options.name())? {
        return Ok(known);
    }
    let mut urn = Urn::new(options.n as usize, options.seed);
    each_row(store, monitor, options, |stratum, key| {
        urn.add(&stratum, key);
    })?;
    let wanted = Draw {
        audit: options.name(),
        samples: urn.draw(),
    };
    Ok(verdicts.freeze(by.annotator, by.now_ms, wanted)?)
}

/// Draws while the population passes by: of each stratum only the samples that may be drawn are kept.
struct Urn {
    n: usize,
    seed: u64,
    strata: BTreeMap<String, Members>,
}

/// The number of a stratum's samples, and the first of them in the order of the seed.
#[derive(Default)]
struct Members {
    n: usize,
    first: BinaryHeap<([u8; 32], SampleKey)>,
}

impl Urn {
    fn new(n: usize, seed: u64) -> Self {
        Self {
            n,
            seed,
            strata: BTreeMap::new(),
        }
    }

    fn add(&mut self, stratum: &str, key: SampleKey) {
        if !self.strata.contains_key(stratum) {
            self.strata.insert(stratum.to_owned(), Members::default());
        }
        let Some(members) = self.strata.get_mut(stratum) else {
            return;
        };
        members.n += 1;
        members.first.push((place(self.seed, &key), key));
        if members.first.len() > self.n {
            members.first.pop();
        }
    }

    /// Draws `n` of the population, from each stratum in proportion to its size (largest remainders, Hamilton's
    /// method), in an order that follows from the seed.
    fn draw(self) -> Vec<DrawnSample> {
        let n_all: usize = self.strata.values().map(|members| members.n).sum();
        let n = self.n.min(n_all);
        let mut shares: Vec<(usize, usize, String, Members)> = self
            .strata
            .into_iter()
            .map(|(name, members)| {
                let product = n * members.n;
                (product / n_all, product % n_all, name, members)
            })
            .collect();
        let n_left = n - shares.iter().map(|share| share.0).sum::<usize>();
        shares.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.2.cmp(&b.2)));
        for share in shares.iter_mut().take(n_left) {
            share.0 += 1;
        }
        let mut chosen = Vec::with_capacity(n);
        for (n_of_stratum, _, name, members) in shares {
            let first = members.first.into_sorted_vec().into_iter();
            chosen.extend(first.take(n_of_stratum).map(|(place, key)| {
                let stratum = name.clone();
                (place, DrawnSample { key, stratum })
            }));
        }
        chosen.sort_by_key(|pair| (pair.0, pair.1.key));
        chosen.into_iter().map(|chosen| chosen.1).collect()
    }
}

/// Lists the samples that a draw chooses from.
pub(super) fn population(
    store: &Store,
    monitor: &Monitor,
    options: &AuditOptions,
) -> Result<Vec<DrawnSample>, ReviewError> {
    let mut population: Vec<DrawnSample> = Vec::new();
    each_row(store, monitor, options, |stratum, key| {
        population.push(DrawnSample { key, stratum });
    })?;
    Ok(population)
}

/// Hands every test of the population to `each`, with its stratum.
fn each_row(
    store: &Store,
    monitor: &Monitor,
    options: &AuditOptions,
    mut each: impl FnMut(String, SampleKey),
) -> Result<(), ReviewError> {
    let mut anchor = Anchor::First;
    loop {
        monitor.step()?;
        let page = store.page(&options.filter, anchor, PAGE)?;
        let Some(last) = page.last() else { break };
        anchor = Anchor::After(last.id);
        for row in &page {
            each(options.stratify.of(row), row.key);
        }
    }
    Ok(())
}

/// Draws `n` samples from a population.
pub(super) fn choose(population: Vec<DrawnSample>, n: usize, seed: u64) -> Vec<DrawnSample> {
    let mut urn = Urn::new(n, seed);
    for drawn in population {
        urn.add(&drawn.stratum, drawn.key);
    }
    urn.draw()
}

/// Computes the place of a sample in the random order of a seed.
fn place(seed: u64, key: &SampleKey) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    hasher.update(&key.0);
    *hasher.finalize().as_bytes()
}

/// People's findings in a part of an audit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stratum {
    pub name: String,
    pub n_drawn: u64,
    /// The drawn tests that people decided: neither unsure nor skipped, nor judged differently.
    pub n_judged: u64,
    /// The share of mapped tests, among the judged, that are mapped to the true focal method.
    pub precision: Share,
    /// The share of judged tests about a method that are mapped to it.
    pub coverage: Share,
}

impl Stratum {
    fn add(&mut self, judged: Option<&JudgedSample>) {
        self.n_drawn += 1;
        let Some((judged, answer)) =
            judged.and_then(|judged_sample| Some((judged_sample, judged_sample.answer()?)))
        else {
            return;
        };
        let is_found = judged.focal.is_some() && judged.is_right() == Some(true);
        self.n_judged += 1;
        if judged.focal.is_some() {
            self.precision.add(is_found);
        }
        if answer != FocalAnswer::NoFocal {
            self.coverage.add(is_found);
        }
    }
}

/// The findings of an audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditReport {
    pub audit: String,
    pub all: Stratum,
    /// By name; none when nothing was asked to be told apart.
    pub strata: Vec<Stratum>,
    /// The samples that nobody has decided yet, in the order of the draw.
    pub open: Vec<SampleKey>,
}

/// Counts people's findings in the samples of a draw: one annotator's verdicts, else gold. A verdict counts for what it
/// was given on, also when the sample has changed since.
pub fn report(
    verdicts: &Verdicts,
    draw: &Draw,
    annotator: Option<&str>,
) -> Result<AuditReport, ReviewError> {
    let known: BTreeMap<SampleKey, JudgedSample> = match annotator {
        Some(annotator) => verdicts
            .of_annotator(annotator)?
            .into_iter()
            .map(|verdict| (verdict.judged.key, verdict.judged))
            .collect(),
        None => gold(verdicts)?
            .into_iter()
            .map(|(key, gold)| (key, gold.verdict.judged))
            .collect(),
    };
    let mut all = Stratum::default();
    let mut strata: BTreeMap<&str, Stratum> = BTreeMap::new();
    let mut open = BTreeSet::new();
    for drawn in &draw.samples {
        let judged = known.get(&drawn.key);
        if judged.and_then(JudgedSample::answer).is_none() {
            open.insert(drawn.key);
        }
        all.add(judged);
        if !drawn.stratum.is_empty() {
            strata
                .entry(&drawn.stratum)
                .or_insert_with(|| Stratum {
                    name: drawn.stratum.clone(),
                    ..Stratum::default()
                })
                .add(judged);
        }
    }
    let keys = draw.samples.iter().map(|sample| sample.key);
    Ok(AuditReport {
        audit: draw.audit.clone(),
        all,
        strata: strata.into_values().collect(),
        open: keys
            .filter(|sample_key| open.contains(sample_key))
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn population(n: u8, stratum: &str) -> Vec<DrawnSample> {
        (0..n)
            .map(|number| {
                let mut key = [0; 16];
                key[0] = number;
                key[1] = stratum.len() as u8;
                DrawnSample {
                    key: SampleKey(key),
                    stratum: stratum.to_owned(),
                }
            })
            .collect()
    }

    #[test]
    fn a_draw_follows_from_the_seed_and_not_from_the_order() {
        let forward = population(100, "");
        let mut backward = forward.clone();
        backward.reverse();
        let drawn = choose(forward.clone(), 10, 7);
        assert_eq!(drawn.len(), 10);
        assert_eq!(choose(backward, 10, 7), drawn);
        assert_ne!(choose(forward.clone(), 10, 8), drawn);
        // A larger draw begins with the smaller one, so an audit can be extended.
        assert_eq!(choose(forward.clone(), 20, 7)[..10], drawn);
        assert_eq!(choose(forward, 1000, 7).len(), 100);
        assert_eq!(choose(Vec::new(), 10, 7), []);
    }

    #[test]
    fn strata_keep_their_proportions() {
        let parts = [
            population(60, "a"),
            population(30, "bb"),
            population(10, "ccc"),
        ];
        let drawn = choose(parts.concat(), 11, 1);
        let n_of = |name: &str| {
            drawn
                .iter()
                .filter(|drawn_sample| drawn_sample.stratum == name)
                .count()
        };
        assert_eq!((n_of("a"), n_of("bb"), n_of("ccc")), (7, 3, 1));
    }
}
