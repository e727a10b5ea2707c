//! Makes a judgement, which every face appends, from the painted sample and the annotator's choice.
//!
//! Knows no index and no clock: what an annotator has judged is what they saw, also when the index has moved on.

use super::{ReviewError, VerdictChoice, one_named};
use crate::model::{ContentHash, JudgedSample, Judgement, SampleDetail, SampleKey};

/// A sample as it was painted for an annotator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownSample {
    pub key: SampleKey,
    pub content_hash: ContentHash,
    /// The key of the method that the machine has decided on, also when it is hidden; absent for an unmapped test.
    pub focal: Option<String>,
    /// The candidates' keys in the order of their numbers, which count from 1.
    pub candidates: Vec<String>,
    /// Whether the annotator is not shown what the machine has decided.
    pub is_blind: bool,
}

impl ShownSample {
    /// Describes a sample as it is painted, its candidates in [`painted_order`].
    #[must_use]
    pub fn of(detail: &SampleDetail, is_blind: bool) -> Self {
        let order = painted_order(detail, is_blind);
        Self {
            key: detail.row.key,
            content_hash: detail.content_hash,
            focal: detail.focal.as_ref().map(|snippet| snippet.key.clone()),
            candidates: order
                .into_iter()
                .map(|idx| detail.candidates[idx].key.clone())
                .collect(),
            is_blind,
        }
    }
}

/// Orders the candidates' places in `detail.candidates` as they are painted: best first, or, for an annotator who must
/// not know which that is, by key.
#[must_use]
pub fn painted_order(detail: &SampleDetail, is_blind: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..detail.candidates.len()).collect();
    if is_blind {
        order.sort_by_key(|idx| &detail.candidates[*idx].key);
    }
    order
}

/// The circumstances of a judgement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// The time for which the sample was shown before the key; absent where nobody measured.
    pub dwell_ms: Option<u32>,
    /// The version of the guideline that is in force.
    pub guideline: Option<String>,
    /// The name of the queue.
    pub queue: Option<String>,
    pub note: Option<String>,
}

/// Makes a choice a judgement of the painted sample. A pick stays one, also for the machine's own choice.
///
/// # Errors
/// [`ReviewError::Blind`] when a hidden match is accepted, [`ReviewError::NothingToAccept`] when the matcher chose no
/// method, [`ReviewError::NoSuchCandidate`], and [`ReviewError::NoSuchMethod`] for a name that not exactly one
/// candidate has: other methods are chosen by [`VerdictChoice::Key`].
pub fn judge(
    shown: &ShownSample,
    choice: &VerdictChoice,
    circumstances: Circumstances,
) -> Result<JudgedSample, ReviewError> {
    let candidates = &shown.candidates;
    let judgement = match choice {
        VerdictChoice::Plain(Judgement::Accept) if shown.is_blind => {
            return Err(ReviewError::Blind);
        }
        // One key has one meaning: that a test has no focal method is said by `no focal` alone.
        VerdictChoice::Plain(Judgement::Accept) if shown.focal.is_none() => {
            return Err(ReviewError::NothingToAccept);
        }
        VerdictChoice::Plain(judgement) => judgement.clone(),
        VerdictChoice::Candidate(rank) => {
            let found = rank.checked_sub(1).and_then(|idx| candidates.get(idx));
            Judgement::Pick(found.cloned().ok_or(ReviewError::NoSuchCandidate {
                rank: *rank,
                n_candidates: candidates.len(),
            })?)
        }
        VerdictChoice::Method(method) => {
            let found = one_named(candidates, method);
            Judgement::Pick(found.map_err(|near| ReviewError::NoSuchMethod {
                method: method.clone(),
                near,
            })?)
        }
        VerdictChoice::Key(key) => Judgement::Pick(key.clone()),
    };
    Ok(JudgedSample {
        key: shown.key,
        content_hash: shown.content_hash,
        focal: shown.focal.clone(),
        judgement,
        dwell_ms: circumstances.dwell_ms,
        guideline: circumstances.guideline,
        note: circumstances.note,
        queue: circumstances.queue,
        bulk: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(is_blind: bool) -> ShownSample {
        ShownSample {
            key: SampleKey([1; 16]),
            content_hash: ContentHash([2; 16]),
            focal: Some("p.C#b()".to_owned()),
            candidates: vec!["p.C#a()".to_owned(), "p.C#b()".to_owned()],
            is_blind,
        }
    }

    fn said(is_blind: bool, choice: &VerdictChoice) -> Result<Judgement, ReviewError> {
        judge(&shown(is_blind), choice, Circumstances::default())
            .map(|judged_sample| judged_sample.judgement)
    }

    #[test]
    fn what_is_hidden_cannot_be_accepted_and_a_pick_of_it_stays_a_pick() {
        assert!(matches!(
            said(true, &VerdictChoice::Plain(Judgement::Accept)),
            Err(ReviewError::Blind)
        ));
        let picked = said(true, &VerdictChoice::Candidate(2)).expect("there are two");
        assert_eq!(picked, Judgement::Pick("p.C#b()".to_owned()));
        let seen = said(false, &VerdictChoice::Plain(Judgement::Accept)).expect("it is shown");
        assert_eq!(seen, Judgement::Accept);
    }

    #[test]
    fn where_the_matcher_abstained_there_is_nothing_to_accept() {
        let abstained = ShownSample {
            focal: None,
            ..shown(false)
        };
        let said = |choice| judge(&abstained, &choice, Circumstances::default());
        assert!(matches!(
            said(VerdictChoice::Plain(Judgement::Accept)),
            Err(ReviewError::NothingToAccept)
        ));
        for judgement in [Judgement::NoFocal, Judgement::NoneOfThese] {
            assert!(said(VerdictChoice::Plain(judgement)).is_ok());
        }
        assert!(said(VerdictChoice::Candidate(1)).is_ok());
    }

    #[test]
    fn numbers_count_what_is_painted() {
        for rank in [0, 3] {
            assert!(matches!(
                said(false, &VerdictChoice::Candidate(rank)),
                Err(ReviewError::NoSuchCandidate {
                    n_candidates: 2,
                    ..
                })
            ));
        }
        let by_name =
            said(false, &VerdictChoice::Method("a".to_owned())).expect("one is called so");
        assert_eq!(by_name, Judgement::Pick("p.C#a()".to_owned()));
        assert!(matches!(
            said(false, &VerdictChoice::Method("c".to_owned())),
            Err(ReviewError::NoSuchMethod { near, .. }) if near.is_empty()
        ));
        let found =
            said(false, &VerdictChoice::Key("p.D#c()".to_owned())).expect("any key is taken");
        assert_eq!(found, Judgement::Pick("p.D#c()".to_owned()));
    }

    #[test]
    fn a_judgement_says_what_was_painted_and_how_it_was_said() {
        let circumstances = Circumstances {
            dwell_ms: Some(800),
            guideline: Some("2".to_owned()),
            queue: Some("mined".to_owned()),
            note: Some("why".to_owned()),
        };
        let choice = VerdictChoice::Plain(Judgement::Unsure);
        let judged = judge(&shown(true), &choice, circumstances).expect("it can be said");
        assert_eq!(judged.focal.as_deref(), Some("p.C#b()"));
        assert_eq!(judged.content_hash, ContentHash([2; 16]));
        assert_eq!(
            (
                judged.dwell_ms,
                judged.guideline.as_deref(),
                judged.queue.as_deref()
            ),
            (Some(800), Some("2"), Some("mined"))
        );
    }
}
