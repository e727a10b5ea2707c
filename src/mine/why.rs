//! Explains the weight of a candidate: the sums and words behind a decision in the index, for the user interfaces.
//!
//! This file decides and reads nothing: evidence and names come from the index, weights from this version.

use crate::focal::names::Tokens;
use crate::focal::weigh;
use crate::model::{CandidateRow, Evidence, Evidences, Language, Matcher, SampleDetail};

/// The basis of a candidate's weight.
#[derive(Clone, Debug, PartialEq)]
pub enum MatchExplanation {
    /// Matcher `evidence`: a sum of log-odds.
    Evidence(EvidenceAccount),
    /// Matcher `contest`: the words that names share.
    Names { test: Overlap, class: Overlap },
    /// Matchers `methods2test` and `mera`: rules, and nothing to weigh.
    Rules,
}

/// The evidence for and against a candidate, as log-odds that add up to a probability.
///
/// A candidate's probability is `exp(score)` divided by the sum of `exp(score)` over all candidates and the answer that
/// none is right (see [`weigh`]); its log-odds are therefore its score less the logarithm of the sum of all others.
#[derive(Clone, Debug, PartialEq)]
pub struct EvidenceAccount {
    /// The log-odds of a candidate that no evidence holds for.
    pub against: f64,
    /// Every kind that holds, with its summand, the strongest first.
    pub reasons: Vec<(Evidence, f64)>,
}

impl EvidenceAccount {
    /// The words for [`EvidenceAccount::against`] that people read.
    pub const AGAINST: &str = "against the other candidates, and against there being no right one";

    #[must_use]
    pub fn new(against: f64, reasons: impl IntoIterator<Item = (Evidence, f64)>) -> Self {
        let mut reasons: Vec<(Evidence, f64)> = reasons.into_iter().collect();
        // Stable: equals stay in the order of the table.
        reasons.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        Self { against, reasons }
    }

    /// Accounts for the candidate at this index among all of its test, by a language's weights.
    #[must_use]
    pub fn of(language: Language, candidates: &[Evidences], idx: usize) -> Self {
        let table = weigh::table(language);
        let others = candidates.iter().enumerate().filter(|(at, _)| *at != idx);
        let scores: Vec<f64> = others
            .map(|(_, evidence)| table.score(*evidence))
            .chain([table.none])
            .collect();
        let top = scores.iter().copied().fold(f64::MIN, f64::max);
        let others: f64 = scores.iter().map(|score| (score - top).exp()).sum();
        let evidence = candidates.get(idx).copied().unwrap_or_default();
        let reasons = evidence.iter().map(|kind| (kind, table.log_odds(kind)));
        Self::new(-(top + others.ln()), reasons)
    }

    /// Sums up all the log-odds.
    #[must_use]
    pub fn sum(&self) -> f64 {
        self.against
            + self
                .reasons
                .iter()
                .map(|(_, log_odds)| log_odds)
                .sum::<f64>()
    }

    /// Converts the sum to a probability, 0..=1.
    #[must_use]
    pub fn probability(&self) -> f64 {
        1.0 / (1.0 + (-self.sum()).exp())
    }

    /// Tells whether a stored weight differs from the one by these weights, because it was mined with others.
    #[must_use]
    pub fn is_older(&self, weight: f64) -> bool {
        (self.probability() - weight).abs() > 0.005
    }
}

/// How much of one name another covers.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlap {
    /// 0..=1.
    pub score: f64,
    /// The words of the covered name, each with whether it is covered.
    pub words: Vec<(String, bool)>,
}

impl Overlap {
    fn new(name: &str, by: &str, score: f64) -> Self {
        let by = Tokens::of(by);
        let words = Tokens::of(name);
        let words = words.iter().map(|word| (word.to_owned(), by.has(word)));
        Self {
            score,
            words: words.collect(),
        }
    }
}

impl std::fmt::Display for Overlap {
    /// Writes `has add · lacks all users`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words = |is_covered: bool| {
            let words = self.words.iter().filter(|word| word.1 == is_covered);
            words
                .map(|word| word.0.as_str())
                .collect::<Vec<_>>()
                .join(" ")
        };
        match (words(true), words(false)) {
            (has, lacks) if has.is_empty() && lacks.is_empty() => write!(f, "has no words"),
            (has, lacks) if has.is_empty() => write!(f, "lacks {lacks}"),
            (has, lacks) if lacks.is_empty() => write!(f, "has {has}"),
            (has, lacks) => write!(f, "has {has} · lacks {lacks}"),
        }
    }
}

/// Explains the weight of each of the sample's candidates, in their order.
#[must_use]
pub fn why(detail: &SampleDetail) -> Vec<MatchExplanation> {
    let evidence: Vec<Evidences> = detail
        .candidates
        .iter()
        .map(|candidate| candidate.evidence)
        .collect();
    let candidates = detail.candidates.iter().enumerate();
    candidates
        .map(|(idx, candidate)| why_one(detail, candidate, (&evidence, idx)))
        .collect()
}

fn why_one(
    detail: &SampleDetail,
    candidate: &CandidateRow,
    (evidence, idx): (&[Evidences], usize),
) -> MatchExplanation {
    match detail.matcher {
        Matcher::Evidence => {
            MatchExplanation::Evidence(EvidenceAccount::of(detail.repo.language, evidence, idx))
        }
        Matcher::Contest => MatchExplanation::Names {
            test: Overlap::new(&detail.row.test_name, &candidate.name, candidate.score),
            class: Overlap::new(
                &detail.row.test_class,
                &candidate.name,
                candidate.class_score,
            ),
        },
        Matcher::Methods2Test | Matcher::Mera => MatchExplanation::Rules,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Candidate, MethodId};

    #[test]
    fn reasons_come_strongest_first_and_add_up() {
        let account = EvidenceAccount::new(
            -1.0,
            [
                (Evidence::Accessor, 0.25),
                (Evidence::Stubbed, -2.0),
                (Evidence::NameIsTest, 2.0),
                (Evidence::LastCall, 1.75),
            ],
        );
        let kinds: Vec<Evidence> = account.reasons.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(
            kinds,
            [
                Evidence::Stubbed,
                Evidence::NameIsTest,
                Evidence::LastCall,
                Evidence::Accessor
            ]
        );
        assert!((account.sum() - 1.0).abs() < 1e-12);
        assert!((account.probability() - 0.731).abs() < 1e-3);
        assert!(account.is_older(0.5) && !account.is_older(0.73));
    }

    #[test]
    fn an_account_gives_the_weight_that_the_matcher_gives() {
        let mut candidates: Vec<Candidate> = (1..6)
            .map(|step| {
                let mut evidence = Evidences::default();
                let kinds = Evidence::ALL.iter().step_by(step);
                kinds.for_each(|kind| evidence.set(*kind, true));
                Candidate {
                    name: "m".to_owned(),
                    method: MethodId(0),
                    score: 0.0,
                    class_score: 0.0,
                    weight: 0.0,
                    evidence,
                    calls: Vec::new(),
                }
            })
            .collect();
        let table = weigh::table(Language::Java);
        for n_candidates in 1..=candidates.len() {
            let candidates = &mut candidates[..n_candidates];
            table.weigh(candidates);
            let evidence: Vec<Evidences> = candidates
                .iter()
                .map(|candidate| candidate.evidence)
                .collect();
            for (idx, candidate) in candidates.iter().enumerate() {
                let probability = EvidenceAccount::of(Language::Java, &evidence, idx).probability();
                assert!((probability - candidate.weight).abs() < 1e-9, "{idx}");
            }
        }
    }

    #[test]
    fn covered_words_are_marked() {
        let overlap = Overlap::new("testAddAllUsers", "addUsers", 2.0 / 3.0);
        let words: Vec<(&str, bool)> = overlap
            .words
            .iter()
            .map(|(word, is_covered)| (word.as_str(), *is_covered))
            .collect();
        assert_eq!(words, [("add", true), ("all", false), ("users", true)]);
        assert_eq!(overlap.to_string(), "has add users · lacks all");
        let shown = |name: &str, by: &str| Overlap::new(name, by, 0.0).to_string();
        assert_eq!(shown("testAdd", "add"), "has add");
        assert_eq!(shown("testAdd", "get"), "lacks add");
        assert_eq!(shown("test", "get"), "has no words");
    }
}
