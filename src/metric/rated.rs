//! The table of ratings that verdicts make.
//!
//! Candidates have other numbers in every sample, so categories are about the machine's choice: `accept` for its focal
//! method, `none_of_these`, `no_focal`, and `pick_1`, `pick_2` … for the other methods that annotators picked for a
//! sample, in order of their keys. The meaning of a verdict counts, not the key that was pressed: a pick of the
//! machine's own choice is `accept`, accepting an unmapped test is `no_focal`. Unsure and skipped samples are gaps.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{FocalAnswer, SampleKey, Verdict};

use super::agreement::Ratings;

/// Verdicts as ratings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerdictRatings {
    /// By name; the columns of the ratings.
    pub annotators: Vec<String>,
    pub categories: Vec<String>,
    /// By key; the rows of the ratings.
    pub samples: Vec<SampleKey>,
    pub ratings: Ratings,
    /// Samples on which annotators differ.
    pub conflicts: Vec<SampleKey>,
}

impl VerdictRatings {
    /// Tabulates these verdicts, at most one of each annotator and sample.
    pub fn of(verdicts: impl IntoIterator<Item = Verdict>) -> Self {
        let mut annotators = BTreeSet::new();
        let mut by_sample: BTreeMap<SampleKey, Vec<(Verdict, FocalAnswer)>> = BTreeMap::new();
        for verdict in verdicts {
            if let Some(answer) = verdict.judged.answer() {
                annotators.insert(verdict.annotator.clone());
                let of_sample = by_sample.entry(verdict.judged.key).or_default();
                of_sample.push((verdict, answer));
            }
        }
        let annotators: Vec<String> = annotators.into_iter().collect();
        let rows: Vec<Vec<Option<u32>>> = by_sample
            .values()
            .map(|answers| row(&annotators, answers))
            .collect();
        let n_picks = rows
            .iter()
            .flatten()
            .flatten()
            .max()
            .map_or(0, |row| (row + 1).saturating_sub(PLAIN.len() as u32));
        let picks = (1..=n_picks).map(|number| format!("pick_{number}"));
        let categories: Vec<String> = PLAIN
            .iter()
            .map(|text| (*text).to_owned())
            .chain(picks)
            .collect();
        let mut ratings = Ratings::new(annotators.len(), categories.len());
        for row in &rows {
            ratings.push(row);
        }
        let conflicts = by_sample
            .iter()
            .filter(|(_, answers)| answers.iter().any(|answer| answer.1 != answers[0].1))
            .map(|(key, _)| *key);
        Self {
            conflicts: conflicts.collect(),
            samples: by_sample.keys().copied().collect(),
            ratings,
            annotators,
            categories,
        }
    }
}

/// The categories that are not picks.
const PLAIN: [&str; 3] = ["accept", "none_of_these", "no_focal"];

/// Lists the category of each annotator's answer for one sample.
fn row(annotators: &[String], answers: &[(Verdict, FocalAnswer)]) -> Vec<Option<u32>> {
    // Annotators may have judged different states of the sample; the last one says what the machine's choice is.
    let last = answers
        .iter()
        .max_by_key(|answer| (answer.0.at_ms, answer.0.event));
    let focal = last.and_then(|last| last.0.judged.focal.as_ref());
    let picked: BTreeSet<&String> = answers
        .iter()
        .filter_map(|answer| match &answer.1 {
            FocalAnswer::Method(method) if Some(method) != focal => Some(method),
            _ => None,
        })
        .collect();
    let category = |answer: &FocalAnswer| match answer {
        FocalAnswer::Method(method) => {
            let place = picked.iter().position(|text| *text == method);
            place.map_or(0, |place| (PLAIN.len() + place) as u32)
        }
        FocalAnswer::NoneOfThese => 1,
        FocalAnswer::NoFocal => 2,
    };
    annotators
        .iter()
        .map(|annotator| {
            let of_annotator = answers
                .iter()
                .find(|answer| answer.0.annotator == *annotator);
            of_annotator.map(|of_annotator| category(&of_annotator.1))
        })
        .collect()
}
