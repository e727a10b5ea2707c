//! The rule of the ConTest paper (section 3.2) as specified in MINING.md (rules 3 to 9 and 12).
//!
//! Rank by similarity with the test's name; the best wins when its score is above the threshold and no other shares it.
//! Those that share it are ranked by the test class's name; when none is above the threshold, all are.

use super::candidates;
use crate::model::{
    Candidate, Decision, FocalMatch, Matcher, Method, Origin, Stage, TestCase, UnmappedReason,
};

/// The paper's δ; the score of a match must be greater.
pub const THRESHOLD: f64 = 0.1;

/// Ranks the candidates of a test, and decides between them.
pub fn decide(test: &Method, test_case: &TestCase, methods: &[Method]) -> FocalMatch {
    let mut candidates = candidates::of(test, test_case, methods);
    // Stable: equals stay in order of their first call.
    candidates.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then(b.class_score.total_cmp(&a.class_score))
    });
    let decision = match rank(&candidates) {
        Decision::Picked { candidate, .. }
            if methods[candidates[candidate].method.0 as usize].origin != Origin::Source =>
        {
            Decision::None(UnmappedReason::NoSource)
        }
        decision => decision,
    };
    FocalMatch {
        matcher: Matcher::Contest,
        candidates,
        decision,
    }
}

/// Decides between candidates that are sorted by score.
fn rank(candidates: &[Candidate]) -> Decision {
    let Some(best) = candidates.first() else {
        return Decision::None(UnmappedReason::NoCandidate);
    };
    if best.score <= THRESHOLD {
        return by_class(candidates, UnmappedReason::Below);
    }
    let n_best = candidates
        .iter()
        .take_while(|candidate| is_same(candidate.score, best.score))
        .count();
    if n_best == 1 {
        return Decision::Picked {
            candidate: 0,
            stage: Stage::TestName,
            weight: best.score,
        };
    }
    by_class(&candidates[..n_best], UnmappedReason::Tie)
}

/// Ranks by the class's name: the same rules, and `reason` when they do not decide.
fn by_class(candidates: &[Candidate], reason: UnmappedReason) -> Decision {
    let best = candidates
        .iter()
        .map(|candidate| candidate.class_score)
        .fold(0.0, f64::max);
    let mut at_best = candidates
        .iter()
        .enumerate()
        .filter(|(_, candidate)| is_same(candidate.class_score, best));
    match (at_best.next(), at_best.next()) {
        (Some((candidate, _)), None) if best > THRESHOLD => Decision::Picked {
            candidate,
            stage: Stage::ClassName,
            weight: best,
        },
        _ => Decision::None(reason),
    }
}

/// Scores are quotients of small counts with the same divisor, so equal ones are equal to the bit; the tolerance
/// guards against a change of that formula.
fn is_same(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Evidences, MethodId};

    fn candidate(name: &str, score: f64, class_score: f64) -> Candidate {
        Candidate {
            name: name.to_owned(),
            method: MethodId(0),
            score,
            class_score,
            weight: score,
            evidence: Evidences::default(),
            calls: vec![0],
        }
    }

    fn check(candidates: &[(&str, f64, f64)], expected: Result<(&str, Stage), UnmappedReason>) {
        let candidates: Vec<Candidate> = candidates
            .iter()
            .map(|(name, score, class_score)| candidate(name, *score, *class_score))
            .collect();
        let have = match rank(&candidates) {
            Decision::Picked {
                candidate, stage, ..
            } => Ok((candidates[candidate].name.as_str(), stage)),
            Decision::None(reason) => Err(reason),
        };
        assert_eq!(have, expected);
    }

    #[test]
    fn the_best_by_the_tests_name_wins() {
        check(
            &[("inc", 0.5, 0.0), ("get", 0.0, 1.0)],
            Ok(("inc", Stage::TestName)),
        );
    }

    #[test]
    fn the_threshold_itself_is_not_enough() {
        check(&[("inc", 0.1, 0.0)], Err(UnmappedReason::Below));
        check(&[("inc", 0.1, 0.1)], Err(UnmappedReason::Below));
        check(&[("inc", 0.11, 0.0)], Ok(("inc", Stage::TestName)));
    }

    #[test]
    fn a_tie_is_parted_by_the_class_name_among_the_tied_alone() {
        check(
            &[("inc", 0.5, 0.2), ("dec", 0.5, 0.5), ("get", 0.2, 1.0)],
            Ok(("dec", Stage::ClassName)),
        );
        check(
            &[("inc", 0.5, 0.5), ("dec", 0.5, 0.5)],
            Err(UnmappedReason::Tie),
        );
        check(
            &[("inc", 0.5, 0.0), ("dec", 0.5, 0.0)],
            Err(UnmappedReason::Tie),
        );
    }

    #[test]
    fn below_the_threshold_all_are_ranked_by_the_class_name() {
        check(
            &[("inc", 0.1, 0.0), ("get", 0.0, 0.5)],
            Ok(("get", Stage::ClassName)),
        );
        check(
            &[("inc", 0.0, 0.5), ("get", 0.0, 0.5)],
            Err(UnmappedReason::Below),
        );
    }

    #[test]
    fn no_call_of_main_code_is_its_own_reason() {
        check(&[], Err(UnmappedReason::NoCandidate));
    }
}
