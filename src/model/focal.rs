//! The method that a test is about: candidates, and the decision between them.

use super::code::MethodId;
use super::evidence::Evidences;

/// A way to decide between candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Matcher {
    /// The rule of the ConTest paper, section 3.2, as MINING.md decides it.
    Contest,
    /// A conditional logit over [`Evidence`](super::Evidence), which abstains where it is unsure.
    Evidence,
    /// The two rules of Methods2Test: the same name, or the only call into the focal class.
    Methods2Test,
    /// The rule of the benchmark MERA (LANGUAGES.md L23): matched with exactly one, else with none.
    Mera,
}

impl Matcher {
    /// Every matcher; the index stores positions in this list, so new ones go to its end.
    pub const ALL: &[Self] = &[
        Self::Contest,
        Self::Evidence,
        Self::Methods2Test,
        Self::Mera,
    ];

    /// The matcher where none is requested.
    pub const DEFAULT: Self = Self::Evidence;

    /// Chooses the matcher that is shown where none is requested: the default one if it is present, else the first.
    pub fn shown_of(there: impl IntoIterator<Item = Self>) -> Option<Self> {
        there
            .into_iter()
            .min_by_key(|matcher| (*matcher != Self::DEFAULT, *matcher))
    }

    /// Returns the name used on the command line and in files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Contest => "contest",
            Self::Evidence => "evidence",
            Self::Methods2Test => "methods2test",
            Self::Mera => "mera",
        }
    }

    /// Returns the version of the rule; rows of another version are computed again.
    #[must_use]
    pub const fn version(self) -> u32 {
        match self {
            Self::Contest | Self::Evidence | Self::Methods2Test | Self::Mera => 1,
        }
    }
}

/// The rule that decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    TestName,
    ClassName,
    /// The weight of all evidence together.
    Evidence,
    /// Methods2Test and MERA: the test is named like the method.
    Name,
    /// Methods2Test: the test calls one method of the focal class and no other.
    UniqueCall,
    /// MERA: the last call into main code.
    LastCall,
}

impl Stage {
    /// Every stage; the index stores positions in this list, so new ones go to its end.
    pub const ALL: &[Self] = &[
        Self::TestName,
        Self::ClassName,
        Self::Evidence,
        Self::Name,
        Self::UniqueCall,
        Self::LastCall,
    ];

    /// Returns the word used in files and filters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TestName => "test_name",
            Self::ClassName => "class_name",
            Self::Evidence => "evidence",
            Self::Name => "name",
            Self::UniqueCall => "unique_call",
            Self::LastCall => "last_call",
        }
    }
}

/// Why a test has no focal method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UnmappedReason {
    /// The test calls no method of the project's main code.
    NoCandidate,
    /// No candidate scores above the threshold, neither by the test's name nor by its class's.
    Below,
    /// Several candidates share the best score, and the class's name does not decide between them.
    Tie,
    /// The pick has no source: made by the compiler or a generator.
    NoSource,
    /// No candidate's weight reaches the threshold of abstention.
    Abstained,
}

/// One method that a test may be about.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    pub name: String,
    /// The declaration that the first call of this name means.
    pub method: MethodId,
    /// Similarity with the test's name, 0..=1.
    pub score: f64,
    /// Similarity with the test class's name, 0..=1.
    pub class_score: f64,
    /// How probable it is that the test is about this method, 0..=1; the score itself for matchers that only score.
    pub weight: f64,
    pub evidence: Evidences,
    /// The calls of this name, as indices into `TestCase::calls`, in order.
    pub calls: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decision {
    /// The candidate at this index, what decided, and how sure that is (0..=1).
    Picked {
        candidate: usize,
        stage: Stage,
        weight: f64,
    },
    None(UnmappedReason),
}

/// All candidates, best first, and the decision.
#[derive(Clone, Debug, PartialEq)]
pub struct FocalMatch {
    pub matcher: Matcher,
    pub candidates: Vec<Candidate>,
    pub decision: Decision,
}

impl FocalMatch {
    /// Tells whether a candidate of another name than the picked one is at least a sixth as probable, so that the
    /// ranked list is worth a look.
    #[must_use]
    pub fn has_rival(&self) -> bool {
        self.matcher == Matcher::Evidence
            && self.picked().is_some_and(|picked| {
                self.candidates.iter().any(|candidate| {
                    candidate.name != picked.name && candidate.weight * 6.0 >= picked.weight
                })
            })
    }

    /// Computes by how much the best candidate outweighs the second, 0..=1: all of its weight when there is no second,
    /// and 0 without candidates. Small where a person should look first.
    #[must_use]
    pub fn margin(&self) -> f64 {
        let (mut best, mut second) = (0.0_f64, 0.0_f64);
        for candidate in &self.candidates {
            if candidate.weight > best {
                (best, second) = (candidate.weight, best);
            } else {
                second = second.max(candidate.weight);
            }
        }
        best - second
    }

    /// Returns the candidate that was picked, if any was.
    #[must_use]
    pub fn picked(&self) -> Option<&Candidate> {
        match self.decision {
            Decision::Picked { candidate, .. } => self.candidates.get(candidate),
            Decision::None(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_is_what_the_best_has_over_the_second() {
        let check = |weights: &[f64], expected: f64| {
            let candidates = weights.iter().map(|weight| Candidate {
                name: "m".to_owned(),
                method: MethodId(0),
                score: 0.0,
                class_score: 0.0,
                weight: *weight,
                evidence: Evidences::default(),
                calls: Vec::new(),
            });
            let focal_match = FocalMatch {
                matcher: Matcher::DEFAULT,
                candidates: candidates.collect(),
                decision: Decision::None(UnmappedReason::Abstained),
            };
            assert!(
                (focal_match.margin() - expected).abs() < 1e-12,
                "{weights:?}"
            );
        };
        check(&[], 0.0);
        check(&[0.75], 0.75);
        check(&[0.75, 0.25], 0.5);
        check(&[0.25, 0.75, 0.5], 0.25);
        check(&[0.5, 0.5], 0.0);
    }

    #[test]
    fn the_default_matcher_is_shown_before_the_first_one() {
        let others: Vec<Matcher> = Matcher::ALL
            .iter()
            .copied()
            .filter(|matcher| *matcher != Matcher::DEFAULT)
            .collect();
        let reversed = |matchers: &[Matcher]| matchers.iter().rev().copied().collect::<Vec<_>>();
        assert_eq!(
            Matcher::shown_of(reversed(Matcher::ALL)),
            Some(Matcher::DEFAULT)
        );
        assert_eq!(Matcher::shown_of(reversed(&others)), Some(others[0]));
        assert_eq!(Matcher::shown_of([]), None);
    }
}
