//! The matcher `evidence`: a conditional logit (McFadden 1974) over the evidence table, and abstention.
//!
//! A candidate's score is the sum of what its evidence adds; that none of them is right has a score too. A candidate's
//! weight is `exp(score)` by the sum of all `exp(score)`: the probability that a reader would call it the focal method, as
//! fitted to hand-judged tests. The best candidate is picked when its weight reaches the threshold. The table in [`mod@table`] is written by the fit (`tests/fixtures/labels/README.md`), which a test
//! repeats.

mod table;

use super::evidence::{self, Sources};
use crate::model::{
    Candidate, Decision, Evidence, Evidences, FocalMatch, Matcher, Method, Origin, Stage, Unmapped,
};

/// The least weight of a pick where the user asks for no other: there, precision out of fold is at least 0.95.
pub const THRESHOLD: f64 = table::THRESHOLD;

/// Returns what a kind of evidence adds to a candidate's score: the logarithm of a factor on its odds.
pub fn log_odds(kind: Evidence) -> f64 {
    table::LOG_ODDS[kind as usize].1
}

/// Returns the score of there being no focal method among the candidates.
pub fn score_of_none() -> f64 {
    table::NONE
}

/// Returns the sum of what the evidence adds.
pub fn score(evidence: Evidences) -> f64 {
    evidence.iter().map(log_odds).sum()
}

/// Gives every candidate its probability, 0..=1; together they have one at most.
pub fn weigh(candidates: &mut [Candidate]) {
    let top = candidates
        .iter()
        .map(|it| score(it.evidence))
        .fold(table::NONE, f64::max);
    let mut sum = (table::NONE - top).exp();
    for candidate in &mut *candidates {
        candidate.weight = (score(candidate.evidence) - top).exp();
        sum += candidate.weight;
    }
    for candidate in candidates {
        candidate.weight /= sum;
    }
}

/// Returns the candidates of a test, best first, and the decision: nothing below `threshold`.
pub fn decide(sources: &Sources<'_>, threshold: f64) -> FocalMatch {
    let mut candidates = evidence::gather(sources);
    weigh(&mut candidates);
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
        return Decision::None(Unmapped::NoCandidate);
    };
    if best.weight < threshold {
        return Decision::None(Unmapped::Abstained);
    }
    if methods[best.method.0 as usize].origin != Origin::Source {
        return Decision::None(Unmapped::NoSource);
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
        assert_eq!(table::LOG_ODDS.len(), Evidence::ALL.len());
        for (kind, (named, _)) in Evidence::ALL.iter().zip(table::LOG_ODDS) {
            assert_eq!(kind, named);
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
        weigh(&mut candidates);
        let [named, stubbed] = candidates.map(|it| it.weight);
        assert!(stubbed > 0.0 && named > stubbed && named + stubbed < 1.0);
    }
}
