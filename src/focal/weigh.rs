//! The matcher `evidence`: a logistic model over the evidence table, and abstention.
//!
//! A candidate's weight is `1 / (1 + exp(-(bias + sum of the weights of its evidence)))`: the probability that a
//! person would call it right, as fitted to hand-judged tests. The best candidate is picked when its weight reaches
//! the threshold. The table in [`mod@table`] is written by the fit (`tests/fixtures/labels/README.md`), which a test
//! repeats.

mod table;

use super::evidence::{self, Sources};
use crate::model::{
    Candidate, Decision, Evidence, Evidences, FocalMatch, Matcher, Method, Origin, Stage, Unmapped,
};

/// The least weight of a pick where the user asks for no other: there, precision out of fold is at least 0.95.
pub const THRESHOLD: f64 = table::THRESHOLD;

/// Returns the log-odds that a kind of evidence adds.
pub fn log_odds(kind: Evidence) -> f64 {
    table::LOG_ODDS[kind as usize].1
}

/// Returns the probability, 0..=1, that a candidate with this evidence is right.
pub fn weight(evidence: Evidences) -> f64 {
    let sum: f64 = evidence.iter().map(log_odds).sum();
    1.0 / (1.0 + (-(table::BIAS + sum)).exp())
}

/// Returns the candidates of a test, best first, and the decision: nothing below `threshold`.
pub fn decide(sources: &Sources<'_>, threshold: f64) -> FocalMatch {
    let mut candidates = evidence::gather(sources);
    for candidate in &mut candidates {
        candidate.weight = weight(candidate.evidence);
    }
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
    fn a_weight_is_a_probability_that_grows_with_what_speaks_for_it() {
        let nothing = Evidences::default();
        let mut named = nothing;
        named.set(Evidence::NameCovered, true);
        named.set(Evidence::NameLonger, true);
        named.set(Evidence::ClassUnderTest, true);
        assert!(weight(nothing) > 0.0 && weight(named) < 1.0);
        assert!(weight(nothing) < weight(named));
    }
}
