//! Chooses the samples that become records: nine steps, each of which leaves fewer, then parts, numbers and prompts.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::exchange::mera::{LICENSES, N_PROMPTS};
use crate::model::{
    ContentHash, Filter, Flag, Language, Matcher, ParseMode, Repo, SampleKey, Split,
};
use crate::store::{Extent, Store, StoredMethod, StoredSample};
use crate::syntax;
use crate::syntax::dialect;
use crate::syntax::excerpt::Faults;
use crate::syntax::judge::Judge;
use crate::syntax::verdict::PieceShape;
use crate::task::Monitor;

use super::pick::Pick;
use super::record::{is_imported, outdented, whole_focal_file};
use super::{ExportError, MeraExport, MeraPart};

/// A repository has more stars.
const STARS_MIN: u32 = 10;

/// A test has fewer characters, and so have focal function and focal file together.
const TEST_CHARS_MAX: usize = 5_000;
const FOCAL_CHARS_MAX: usize = 70_000;

/// How often a test may say `assert`.
const ASSERTS_MAX: usize = 20;

/// How many examples there are of each language.
pub const SHOTS_PER_LANGUAGE: usize = 2;

/// Samples that are checked together.
const SAMPLES_AT_ONCE: usize = 256;

/// The samples that are left, and the counts of each step.
#[derive(Debug, Default)]
pub struct MeraSelection {
    /// In the order of their ids.
    pub picks: Vec<Pick>,
    pub funnel: Vec<(&'static str, u64)>,
    /// The matcher of the decisions; absent when there are none.
    pub matcher: Option<Matcher>,
    pub n_unknown_license: u64,
    pub n_unknown_stars: u64,
    pub n_unknown_fork: u64,
}

/// The facts about a sample that are kept while others are looked at.
#[derive(Clone, Debug)]
pub struct FunnelSample {
    pub sample: i64,
    pub key: SampleKey,
    pub language: Language,
    /// The project identity.
    pub repo: String,
    pub split: Split,
    /// Equal for equal tokens of the test.
    pub tokens: ContentHash,
}

pub fn choose(
    store: &Store,
    monitor: &Monitor,
    options: &MeraExport,
    (filter, seed): (&Filter, u64),
) -> Result<MeraSelection, ExportError> {
    let mut chosen = MeraSelection::default();
    let ids = mapped(store, options, filter, &mut chosen)?;
    let mut limits = LimitCounts::default();
    let mut facts = Vec::new();
    let mut waiting: Vec<StoredSample> = Vec::with_capacity(SAMPLES_AT_ONCE);
    let mut flush = |waiting: &mut Vec<StoredSample>| {
        let grammar = faults(waiting);
        let checked: Vec<Result<Option<FunnelSample>, MeraLimit>> = waiting
            .par_drain(..)
            .map_init(Judge::new, |judge, sample| {
                let split = split_of(options, &sample);
                check(judge, &grammar, &sample).map(|funnel_sample| {
                    split.map(|split| FunnelSample {
                        split,
                        ..funnel_sample
                    })
                })
            })
            .collect();
        for checked in checked {
            match checked {
                Ok(Some(funnel_sample)) => facts.push(funnel_sample),
                // The user's splits do not have it.
                Ok(None) => {}
                Err(limit) => *limits.entry(limit).or_default() += 1,
            }
        }
    };
    let n_mapped = ids.len() as u64;
    store.each_sample_of(ids, Extent::Sample, |sample| {
        monitor.step()?;
        waiting.push(sample);
        if waiting.len() == SAMPLES_AT_ONCE {
            flush(&mut waiting);
        }
        Ok::<_, ExportError>(())
    })?;
    flush(&mut waiting);
    let mut left = n_mapped;
    for limit in MeraLimit::ALL {
        left -= limits.get(limit).copied().unwrap_or_default();
        chosen.funnel.push((limit.as_str(), left));
    }
    if options.splits.is_some() {
        chosen.funnel.push(("splits", facts.len() as u64));
    }
    let facts = without_duplicates(facts);
    chosen.funnel.push(("no_duplicates", facts.len() as u64));
    let facts = at_most(facts, options.max_per_repo, seed);
    chosen.funnel.push(("per_repository", facts.len() as u64));
    let facts = match &options.quotas {
        Some(quotas) => {
            let facts = quotas.draw(facts, seed);
            chosen.funnel.push(("benchmark", facts.len() as u64));
            facts
        }
        None => facts,
    };
    chosen.picks = numbered(facts, seed);
    Ok(chosen)
}

/// Chooses the split of a sample: by the user's splits, where there are any, else its project's. Nothing where the
/// user's splits do not have it.
fn split_of(options: &MeraExport, sample: &StoredSample) -> Option<Split> {
    match &options.splits {
        Some(own) => own.of(sample).and_then(Split::parse),
        None => Some(sample.split_project.unwrap_or(Split::Train)),
    }
}

/// Where files do not follow their grammars, by where their texts lie in memory: neighbours share their files.
type GrammarFaults = FxHashMap<usize, Faults>;

/// Finds the faults in files of samples whose grammar is checked file by file.
fn faults(samples: &[StoredSample]) -> GrammarFaults {
    let methods = samples
        .iter()
        .filter(|sample| is_judged_in_file(sample))
        .flat_map(|sample| {
            [Some(&sample.test), sample.focal.as_ref()].map(|method| (sample, method))
        })
        .filter_map(|(stored_sample, method)| Some((stored_sample.repo.language, method?)));
    let mut files: FxHashMap<usize, (Language, &StoredMethod)> = FxHashMap::default();
    for (language, method) in methods {
        files.entry(place(method)).or_insert((language, method));
    }
    files
        .into_par_iter()
        .map(|(place, (language, method))| {
            (place, Faults::of(language, &method.path, &method.text))
        })
        .collect()
}

fn place(method: &StoredMethod) -> usize {
    method.text.as_ptr().addr()
}

/// Tells whether a sample's grammar is judged in its file. Java has a judge of declarations; an imported record lacks
/// pieces of its file, and was published as valid.
fn is_judged_in_file(sample: &StoredSample) -> bool {
    sample.repo.language != Language::Java && !is_imported(sample)
}

/// How many samples each limit stopped.
type LimitCounts = BTreeMap<MeraLimit, u64>;

/// The steps that look at one sample alone, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MeraLimit {
    EmptyBody,
    LongTest,
    LongFocal,
    Asserts,
    Invalid,
}

impl MeraLimit {
    const ALL: &[Self] = &[
        Self::EmptyBody,
        Self::LongTest,
        Self::LongFocal,
        Self::Asserts,
        Self::Invalid,
    ];

    /// Names the step that stops samples by this limit.
    const fn as_str(self) -> &'static str {
        match self {
            Self::EmptyBody => "body",
            Self::LongTest => "test_length",
            Self::LongFocal => "focal_length",
            Self::Asserts => "asserts",
            Self::Invalid => "valid",
        }
    }
}

/// Returns the ids of tests with a focal method in repositories that may be redistributed.
fn mapped(
    store: &Store,
    options: &MeraExport,
    filter: &Filter,
    chosen: &mut MeraSelection,
) -> Result<Vec<i64>, ExportError> {
    let repos = store.numbered_repos()?;
    let is_wanted =
        |repo: &Repo| options.languages.is_empty() || options.languages.contains(&repo.language);
    let mut decisions = store.decisions(filter)?;
    decisions.retain(|decision| {
        repos
            .get(&decision.generation())
            .is_some_and(|repo| is_wanted(&repo.0))
    });
    chosen.funnel.push(("tests", decisions.len() as u64));
    chosen.matcher = decisions.first().map(|decision| decision.matcher);
    let is_free = |repo: &Repo| {
        let license = repo.license.as_deref();
        (options.any_license || license.is_none_or(|license| LICENSES.contains(&license)))
            && repo.is_fork != Some(true)
            && repo.stars.is_none_or(|star| star > STARS_MIN)
    };
    decisions.retain(|decision| {
        repos
            .get(&decision.generation())
            .is_some_and(|repo| is_free(&repo.0))
    });
    for decision in &decisions {
        if let Some((repo, _)) = repos.get(&decision.generation()) {
            chosen.n_unknown_license += u64::from(repo.license.is_none());
            chosen.n_unknown_stars += u64::from(repo.stars.is_none());
            chosen.n_unknown_fork += u64::from(repo.is_fork.is_none());
        }
    }
    chosen.funnel.push(("license", decisions.len() as u64));
    decisions.retain(|decision| decision.status.is_mapped() && !decision.flags.has(Flag::Skipped));
    chosen.funnel.push(("mapped", decisions.len() as u64));
    Ok(decisions.into_iter().map(|decision| decision.id).collect())
}

/// Reads the facts about a sample, or the first limit that stops it.
fn check(
    judge: &mut Judge,
    grammar: &GrammarFaults,
    sample: &StoredSample,
) -> Result<FunnelSample, MeraLimit> {
    let language = sample.repo.language;
    let test = outdented(&sample.test);
    if is_empty(language, sample) {
        return Err(MeraLimit::EmptyBody);
    }
    if test.chars().count() >= TEST_CHARS_MAX {
        return Err(MeraLimit::LongTest);
    }
    let focal = sample
        .focal
        .as_ref()
        .map_or("", |stored_method| stored_method.source());
    let focal_file = whole_focal_file(sample).unwrap_or_default();
    if focal.chars().count() + focal_file.chars().count() >= FOCAL_CHARS_MAX {
        return Err(MeraLimit::LongFocal);
    }
    if test.to_lowercase().matches("assert").count() > ASSERTS_MAX {
        return Err(MeraLimit::Asserts);
    }
    if !is_valid(judge, grammar, sample) {
        return Err(MeraLimit::Invalid);
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update(language.as_str().as_bytes());
    for span in syntax::tokens(language, &test) {
        let token = span.of(&test);
        hasher.update(&(token.len() as u64).to_le_bytes());
        hasher.update(token.as_bytes());
    }
    Ok(FunnelSample {
        sample: sample.row.id,
        key: sample.row.key,
        language,
        repo: sample.repo.identity.clone(),
        split: sample.split_project.unwrap_or(Split::Train),
        tokens: ContentHash::of(&hasher),
    })
}

/// Tells whether a test does nothing; one whose body is not known does something.
fn is_empty(language: Language, sample: &StoredSample) -> bool {
    let Some(body) = sample.test.body else {
        return false;
    };
    let body = body.of(&sample.test.text);
    let tokens = syntax::tokens(language, body);
    let mut words = tokens.iter().map(|token| token.of(body));
    words.all(|word| matches!(word, "{" | "}" | ";" | "pass" | "..." | ":"))
}

fn is_valid(judge: &mut Judge, grammar: &GrammarFaults, sample: &StoredSample) -> bool {
    let language = sample.repo.language;
    let methods = std::iter::once(&sample.test).chain(&sample.focal);
    for method in methods {
        let is_valid = match language {
            Language::Java => {
                let by = (language, ParseMode::Javalang);
                judge.is_sound(method.source(), PieceShape::Member, by)
            }
            _ if is_judged_in_file(sample) => grammar
                .get(&place(method))
                .is_some_and(|faults| faults.spare(method.span)),
            _ => true,
        };
        // Python's grammar here takes more than the language.
        let is_python = language == Language::Python;
        let by = (language, ParseMode::Strict);
        if !is_valid
            || (is_python && !judge.is_sound(&outdented(method), PieceShape::Statements, by))
        {
            return false;
        }
    }
    true
}

/// Keeps of equal tests in `train` the one with the least key, and none that is in another split too.
pub fn without_duplicates(mut facts: Vec<FunnelSample>) -> Vec<FunnelSample> {
    let is_held_out = |funnel_sample: &FunnelSample| funnel_sample.split != Split::Train;
    let held_out: FxHashSet<ContentHash> = facts
        .iter()
        .filter(|fact| is_held_out(fact))
        .map(|fact| fact.tokens)
        .collect();
    facts.sort_by_key(|fact| fact.key);
    let mut seen = FxHashSet::default();
    facts.retain(|fact| {
        is_held_out(fact) || (!held_out.contains(&fact.tokens) && seen.insert(fact.tokens))
    });
    facts
}

/// Keeps of each repository at most `max_per_repo` pairs, those with the least hashes.
pub fn at_most(mut facts: Vec<FunnelSample>, max_per_repo: u64, seed: u64) -> Vec<FunnelSample> {
    facts.sort_by_cached_key(|fact| lot(seed, fact.key));
    let mut n_of_repo: FxHashMap<String, u64> = FxHashMap::default();
    facts.retain(|fact| {
        let n = n_of_repo.entry(fact.repo.clone()).or_default();
        *n += 1;
        *n <= max_per_repo
    });
    facts
}

/// Draws a lot, the same for the same seed.
pub fn lot(seed: u64, key: SampleKey) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    hasher.update(&key.0);
    ContentHash::of(&hasher).0
}

/// Sorts records into the order of their numbers: examples first, then the others, each by language and key.
pub fn numbered(mut facts: Vec<FunnelSample>, seed: u64) -> Vec<Pick> {
    facts.sort_by_cached_key(|fact| (fact.language, lot(seed, fact.key)));
    let mut n_shots: BTreeMap<Language, usize> = BTreeMap::new();
    let mut shots = BTreeSet::new();
    for funnel_sample in facts.iter().filter(|fact| fact.split == Split::Train) {
        let n = n_shots.entry(funnel_sample.language).or_default();
        if *n < SHOTS_PER_LANGUAGE {
            *n += 1;
            shots.insert(funnel_sample.key);
        }
    }
    let mut place: BTreeMap<Language, usize> = BTreeMap::new();
    let mut picks: Vec<Pick> = facts
        .into_iter()
        .map(|fact| {
            let n = place.entry(fact.language).or_default();
            let turn = *n % (N_PROMPTS / 2);
            *n += 1;
            Pick {
                sample: fact.sample,
                key: fact.key,
                language: fact.language,
                part: if shots.contains(&fact.key) {
                    MeraPart::Shots
                } else {
                    MeraPart::Of(fact.split)
                },
                id: 0,
                turn,
            }
        })
        .collect();
    picks.sort_by_key(|pick| {
        let is_shot = pick.part == MeraPart::Shots;
        (
            Reverse(is_shot),
            dialect(pick.language).mera_fence,
            pick.key,
        )
    });
    for (pick, id) in picks.iter_mut().zip(1..) {
        pick.id = id;
    }
    picks
}
