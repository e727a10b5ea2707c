//! The matcher `evidence`: a conditional logit (McFadden 1974) over the evidence table, and abstention.
//!
//! A candidate's score is the sum of its evidence's log-odds; the answer that none of them is right has a score too. A
//! candidate's weight is `exp(score)` divided by the sum of all `exp(score)`: the probability that a reader would call
//! it the focal method, as fitted to hand-judged tests. The best candidate is picked when its weight reaches the
//! threshold. A fit writes each language's table (`tests/fixtures/labels/README.md`), which a test repeats.

mod csharp;
mod go;
mod java;
mod java_traced;
mod javascript;
mod python;

use super::evidence::{self, EvidenceSources};
use crate::model::{
    Candidate, Decision, Evidence, Evidences, FocalMatch, Language, Matcher, Method, Origin, Stage,
    UnmappedReason,
};

/// The weights of one language, as fitted to judged tests in it.
#[derive(Debug)]
pub struct WeightTable {
    /// The least weight of a pick where the user asks for no other. Each table states the share of right picks for
    /// which it was chosen, and the lower share in tests that neither it nor the weights were fitted to.
    pub threshold: f64,
    /// The score of the answer that no candidate is the focal method.
    pub none: f64,
    /// In the order of [`Evidence::ALL`].
    log_odds: &'static [(Evidence, f64)],
}

macro_rules! tables {
    ($($table:ident $file:ident,)*) => {
        $(static $table: WeightTable = WeightTable {
            threshold: $file::THRESHOLD,
            none: $file::NONE,
            log_odds: $file::LOG_ODDS,
        };)*
    };
}

tables! {
    JAVA java,
    JAVA_TRACED java_traced,
    PYTHON python,
    GO go,
    JAVASCRIPT javascript,
    CSHARP csharp,
}

/// Looks up the weights of a language.
#[must_use]
pub const fn table(language: Language) -> &'static WeightTable {
    match language {
        Language::Java => &JAVA,
        Language::Python => &PYTHON,
        Language::Go => &GO,
        Language::JavaScript => &JAVASCRIPT,
        Language::CSharp => &CSHARP,
    }
}

/// Looks up the weights of a language for tests with a trace; nothing where no such tests were judged.
#[must_use]
pub const fn traced(language: Language) -> Option<&'static WeightTable> {
    match language {
        Language::Java => Some(&JAVA_TRACED),
        Language::Python | Language::Go | Language::JavaScript | Language::CSharp => None,
    }
}

impl WeightTable {
    /// Returns the summand of a kind of evidence in a candidate's score: the logarithm of a factor on its odds; 0 for a
    /// kind that is newer than the fit.
    #[must_use]
    pub fn log_odds(&self, kind: Evidence) -> f64 {
        self.log_odds
            .get(kind as usize)
            .map_or(0.0, |log_odd| log_odd.1)
    }

    /// Counts the kinds of evidence that are gathered, in the order of [`Evidence::ALL`]. A kind that is newer than the
    /// fit is not gathered; to fit it, enter it in the table first.
    #[must_use]
    pub const fn n_kinds(&self) -> usize {
        self.log_odds.len()
    }

    /// Sums up the log-odds of the evidence.
    #[must_use]
    pub fn score(&self, evidence: Evidences) -> f64 {
        evidence.iter().map(|kind| self.log_odds(kind)).sum()
    }

    /// Sets the probability of every candidate, 0..=1; their sum is at most 1.
    pub fn weigh(&self, candidates: &mut [Candidate]) {
        let top = candidates
            .iter()
            .map(|candidate| self.score(candidate.evidence))
            .fold(self.none, f64::max);
        let mut sum = (self.none - top).exp();
        for candidate in &mut *candidates {
            candidate.weight = (self.score(candidate.evidence) - top).exp();
            sum += candidate.weight;
        }
        for candidate in candidates {
            candidate.weight /= sum;
        }
    }
}

/// Ranks the candidates of a test, best first, and decides: nothing below `threshold`.
pub fn decide(sources: &EvidenceSources<'_>, table: &WeightTable, threshold: f64) -> FocalMatch {
    let mut candidates = evidence::gather(sources);
    for candidate in &mut candidates {
        candidate
            .evidence
            .keep(|kind| (kind as usize) < table.n_kinds());
    }
    table.weigh(&mut candidates);
    // Stable: equals stay in order of their first call.
    candidates.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let decision = pick(&candidates, sources.methods, threshold);
    FocalMatch {
        matcher: Matcher::Evidence,
        candidates,
        decision,
    }
}

fn pick(candidates: &[Candidate], methods: &[Method], threshold: f64) -> Decision {
    let Some(best) = candidates.first() else {
        return Decision::None(UnmappedReason::NoCandidate);
    };
    if best.weight < threshold {
        return Decision::None(UnmappedReason::Abstained);
    }
    if methods[best.method.0 as usize].origin != Origin::Source {
        return Decision::None(UnmappedReason::NoSource);
    }
    Decision::Picked {
        candidate: 0,
        stage: Stage::Evidence,
        weight: best.weight,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_place_in_the_table() {
        for language in Language::ALL {
            let kinds = table(*language).log_odds.iter().map(|(kind, _)| kind);
            // Kinds that are newer than a fit come last.
            assert!(
                Evidence::ALL.iter().zip(kinds).all(|(a, b)| a == b),
                "{language:?}"
            );
        }
    }

    #[test]
    fn weights_are_probabilities_that_leave_room_for_none() {
        let candidate = |kinds: &[Evidence]| {
            let mut evidence = Evidences::default();
            for kind in kinds {
                evidence.set(*kind, true);
            }
            Candidate {
                name: "m".to_owned(),
                method: crate::model::MethodId(0),
                score: 0.0,
                class_score: 0.0,
                weight: 0.0,
                evidence,
                calls: vec![],
            }
        };
        let mut candidates = [
            candidate(&[Evidence::NameShared, Evidence::OnlyOfClass]),
            candidate(&[Evidence::Stubbed]),
        ];
        table(Language::Java).weigh(&mut candidates);
        let [named, stubbed] = candidates.map(|candidate| candidate.weight);
        assert!(stubbed > 0.0 && named > stubbed && named + stubbed < 1.0);
    }
}
