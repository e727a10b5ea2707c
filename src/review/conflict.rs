//! The samples on which annotators differ, their opinions, and the order in which a ruling is worth most.
//!
//! The most informative first: the more evenly the answers are split, the more a ruling tells (Shannon's entropy of the
//! answers, in bits: 1 for one against one, 0.92 for two against one). Among equals the match that the machine was
//! least sure of, then the latest. Adjudicated samples come last, before them those that the index does not have any
//! more.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::agree::AgreementOptions;
use super::{ReviewError, Staleness, VerdictChoice, standings};
use crate::model::{FocalAnswer, Judgement, SampleKey, Verdict};
use crate::store::{SampleState, Store, Verdicts};

/// One annotator's opinion on a sample on which they differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Opinion {
    pub verdict: Verdict,
    /// Why it may be about other code than the one on the screen.
    pub stale: Option<Staleness>,
}

/// A sample on which annotators differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    pub key: SampleKey,
    /// The sample's present state; absent when the index does not have it any more.
    pub state: Option<SampleState>,
    /// Those that decide, then unsure ones; in an order that says nothing of who the annotators are.
    pub opinions: Vec<Opinion>,
    /// The adjudication, with the reason.
    pub ruling: Option<Verdict>,
    /// Shannon's entropy of the answers, more than 0.
    pub bits: f64,
}

impl Conflict {
    /// Counts the opinions that decide; they come first.
    #[must_use]
    pub fn n_decided(&self) -> usize {
        let opinions = self.opinions.iter();
        opinions.filter(|opinion| decides(&opinion.verdict)).count()
    }
}

fn decides(verdict: &Verdict) -> bool {
    verdict.judged.answer().is_some()
}

/// Chooses the judgement on a sample with the present focal method `focal` that takes `answer` for true.
#[must_use]
pub fn siding(answer: FocalAnswer, focal: Option<&str>) -> VerdictChoice {
    match answer {
        FocalAnswer::Method(method) if Some(method.as_str()) == focal => {
            VerdictChoice::Plain(Judgement::Accept)
        }
        FocalAnswer::Method(method) => VerdictChoice::Key(method),
        FocalAnswer::NoneOfThese => VerdictChoice::Plain(Judgement::NoneOfThese),
        FocalAnswer::NoFocal => VerdictChoice::Plain(Judgement::NoFocal),
    }
}

/// Counts the samples of the index on which annotators differ without an adjudication.
pub fn n_open_conflicts(store: &Store, verdicts: &Verdicts) -> Result<u64, ReviewError> {
    let mut keys = verdicts.conflicts()?;
    if keys.is_empty() {
        return Ok(0);
    }
    let ruled = verdicts.adjudications()?;
    keys.retain(|key| {
        ruled
            .binary_search_by_key(key, |verdict| verdict.judged.key)
            .is_err()
    });
    let states = store.states(&keys)?;
    Ok(states.iter().flatten().count() as u64)
}

/// Lists the samples that annotators differ on, the most informative first, ruled ones last. Of `options` the samples
/// and the annotators count.
pub fn conflicts(
    store: &Store,
    verdicts: &Verdicts,
    options: &AgreementOptions,
) -> Result<Vec<Conflict>, ReviewError> {
    let mut keys = verdicts.conflicts()?;
    if let Some(wanted) = &options.keys {
        keys.retain(|key| wanted.contains(key));
    }
    let mut of_all = Vec::new();
    for key in &keys {
        of_all.extend(verdicts.of_sample(key)?);
    }
    let is_asked = |verdict: &Verdict| {
        verdict.judged.judgement != Judgement::Skip
            && (options.annotators.is_empty() || options.annotators.contains(&verdict.annotator))
    };
    of_all.retain(is_asked);
    let mut rulings: FxHashMap<SampleKey, Verdict> = FxHashMap::default();
    if !keys.is_empty() {
        let all = verdicts.adjudications()?.into_iter();
        rulings.extend(all.map(|verdict| (verdict.judged.key, verdict)));
    }
    let standings = standings(store, of_all)?;
    let mut found = Vec::new();
    for said in standings.chunk_by(|a, b| a.verdict.judged.key == b.verdict.judged.key) {
        let bits = entropy(
            said.iter()
                .filter_map(|standing_verdict| standing_verdict.verdict.judged.answer()),
        );
        if bits <= 0.0 {
            continue;
        }
        let key = said[0].verdict.judged.key;
        let mut opinions: Vec<Opinion> = said
            .iter()
            .map(|standing_verdict| Opinion {
                verdict: standing_verdict.verdict.clone(),
                stale: standing_verdict.stale,
            })
            .collect();
        // Events have random names: the annotator who is first here is not first elsewhere.
        opinions.sort_by_key(|opinion| (!decides(&opinion.verdict), opinion.verdict.event));
        found.push(Conflict {
            key,
            state: said[0].state.clone(),
            opinions,
            ruling: rulings.remove(&key),
            bits,
        });
    }
    sort(&mut found);
    Ok(found)
}

fn sort(conflicts: &mut [Conflict]) {
    let rest = |conflict: &Conflict| {
        let latest = conflict
            .opinions
            .iter()
            .map(|opinion| opinion.verdict.at_ms)
            .max();
        (
            conflict.ruling.is_some(),
            conflict.state.is_none(),
            Reverse(latest),
            conflict.key,
        )
    };
    let weight = |conflict: &Conflict| {
        conflict
            .state
            .as_ref()
            .and_then(|sample_state| sample_state.weight)
            .unwrap_or(0.0)
    };
    conflicts.sort_by(|a, b| {
        let (ruled_a, gone_a, latest_a, key_a) = rest(a);
        let (ruled_b, gone_b, latest_b, key_b) = rest(b);
        (ruled_a, gone_a)
            .cmp(&(ruled_b, gone_b))
            .then(b.bits.total_cmp(&a.bits))
            .then(weight(a).total_cmp(&weight(b)))
            .then((latest_a, key_a).cmp(&(latest_b, key_b)))
    });
}

/// `−Σ p log2 p` over the shares of the answers: 0 when all are the same.
fn entropy(answers: impl Iterator<Item = FocalAnswer>) -> f64 {
    let mut answers: Vec<FocalAnswer> = answers.collect();
    answers.sort_unstable();
    let same = answers.chunk_by(|a, b| a == b);
    let mut counts: Vec<usize> = same.map(<[FocalAnswer]>::len).collect();
    // Sums of the same shares in another order differ in their last digits.
    counts.sort_unstable();
    let shares = counts.iter().map(|n| *n as f64 / answers.len() as f64);
    // From 0, not from the `-0.0` of an empty sum.
    shares.fold(0.0, |sum, share| sum - share * share.log2())
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::model::EventKind;
    use crate::store::StoreAccess;
    use crate::store::testing::{counter_repo, key_of, store_with};
    use crate::{agreement, judged};

    const ACCEPT: VerdictChoice = VerdictChoice::Plain(Judgement::Accept);
    const NO_FOCAL: VerdictChoice = VerdictChoice::Plain(Judgement::NoFocal);
    const NONE: VerdictChoice = VerdictChoice::Plain(Judgement::NoneOfThese);
    const UNSURE: VerdictChoice = VerdictChoice::Plain(Judgement::Unsure);

    /// Writes verdicts: the annotator, the test, the choice, and whether it is a ruling.
    fn place(said: &[(&str, &str, VerdictChoice, bool)]) -> (TempDir, Store, Verdicts) {
        let (folder, store) = store_with(&[counter_repo("a")]);
        let mut verdicts = Verdicts::open(folder.path(), StoreAccess::Create).expect("it is made");
        for (at_ms, (who, test, choice, is_ruling)) in (1..).zip(said) {
            let judged = judged(&store, &key_of("a", test), choice).expect("it can be judged");
            let kind = if *is_ruling {
                EventKind::Adjudicated {
                    judged,
                    reason: "why".to_owned(),
                }
            } else {
                EventKind::Judged(judged)
            };
            verdicts
                .append(who, at_ms, vec![kind])
                .expect("it is written");
        }
        (folder, store, verdicts)
    }

    fn listed(store: &Store, verdicts: &Verdicts) -> Vec<Conflict> {
        conflicts(store, verdicts, &AgreementOptions::default()).expect("it reads")
    }

    #[test]
    fn the_most_even_split_comes_first_and_rulings_last() {
        let (_folder, store, verdicts) = place(&[
            ("ada", "testInc", ACCEPT, false),
            ("bob", "testInc", ACCEPT, false),
            ("cyd", "testInc", NO_FOCAL, false),
            ("ada", "testAdd", ACCEPT, false),
            ("bob", "testAdd", NO_FOCAL, false),
            ("cyd", "testAdd", UNSURE, false),
        ]);
        let found = listed(&store, &verdicts);
        let keys: Vec<SampleKey> = found.iter().map(|conflict| conflict.key).collect();
        assert_eq!(keys, [key_of("a", "testAdd"), key_of("a", "testInc")]);
        assert_eq!((found[0].bits, found[0].n_decided()), (1.0, 2));
        assert!((found[1].bits - 0.918_295_834_054_489_6).abs() < 1e-15);
        let last = found[0].opinions.last().expect("three spoke");
        assert_eq!(last.verdict.judged.judgement, Judgement::Unsure);
        assert_eq!(n_open_conflicts(&store, &verdicts).expect("it reads"), 2);
    }

    #[test]
    fn what_is_adjudicated_waits_no_longer_and_is_listed_last() {
        let (_folder, store, mut verdicts) = place(&[
            ("ada", "testInc", ACCEPT, false),
            ("bob", "testInc", NO_FOCAL, false),
            ("ada", "testAdd", ACCEPT, false),
            ("bob", "testAdd", NONE, false),
            ("eva", "testAdd", ACCEPT, true),
        ]);
        let found = listed(&store, &verdicts);
        assert_eq!(found[1].key, key_of("a", "testAdd"));
        let ruling = found[1].ruling.as_ref().expect("eva ruled");
        assert_eq!(
            (ruling.annotator.as_str(), ruling.reason.as_deref()),
            ("eva", Some("why"))
        );
        assert_eq!(n_open_conflicts(&store, &verdicts).expect("it reads"), 1);
        verdicts.undo("eva", 9).expect("it is undone");
        assert_eq!(n_open_conflicts(&store, &verdicts).expect("it reads"), 2);
    }

    #[test]
    fn the_same_said_in_two_ways_is_no_conflict() {
        let (_folder, store, verdicts) = place(&[
            ("ada", "testInc", ACCEPT, false),
            // The machine's choice, by its number.
            ("bob", "testInc", VerdictChoice::Candidate(1), false),
            ("ada", "testAdd", ACCEPT, false),
            ("bob", "testAdd", UNSURE, false),
        ]);
        assert_eq!(listed(&store, &verdicts), []);
        assert_eq!(n_open_conflicts(&store, &verdicts).expect("it reads"), 0);
    }

    #[test]
    fn conflicts_are_those_of_the_agreement() {
        let (_folder, store, verdicts) = place(&[
            ("ada", "testInc", ACCEPT, false),
            ("bob", "testInc", VerdictChoice::Candidate(2), false),
            ("ada", "testAdd", NO_FOCAL, false),
            ("bob", "testAdd", NO_FOCAL, false),
            ("cyd", "testAdd", NONE, false),
        ]);
        let check = |names: &[&str]| {
            let options = AgreementOptions {
                annotators: names.iter().map(|name| (*name).to_owned()).collect(),
                ..AgreementOptions::default()
            };
            let found = conflicts(&store, &verdicts, &options).expect("it reads");
            let mut keys: Vec<SampleKey> = found.iter().map(|conflict| conflict.key).collect();
            keys.sort_unstable();
            let agreed = agreement(&verdicts, &options).expect("it reads");
            assert_eq!(keys, agreed.conflicts, "{names:?}");
            keys.len()
        };
        assert_eq!(check(&[]), 2);
        assert_eq!(check(&["ada", "bob"]), 1);
        assert_eq!(check(&["ada", "cyd"]), 1);
    }

    #[test]
    fn siding_says_what_is_true_whatever_the_machine_says_now() {
        let method = |name: &str| FocalAnswer::Method(name.to_owned());
        let check = |answer: FocalAnswer, focal: Option<&str>, expected: VerdictChoice| {
            assert_eq!(siding(answer, focal), expected);
        };
        check(method("m"), Some("m"), ACCEPT);
        check(method("m"), Some("n"), VerdictChoice::Key("m".to_owned()));
        check(method("m"), None, VerdictChoice::Key("m".to_owned()));
        check(FocalAnswer::NoFocal, None, NO_FOCAL);
        check(FocalAnswer::NoneOfThese, Some("m"), NONE);
    }
}
