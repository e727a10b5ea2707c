//! The columns of `results` on request besides the usual ones: further metrics, and scores that the file gives.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::eval;
use crate::eval::results::{self, ResultList};
use crate::eval::settings::{Parameters, RunSettings};
use crate::exchange::usage::{WireMetaScores, written_scores};
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::META_OF;
use crate::store::Store;
use crate::table::visible;
use crate::{Context, progress};

use super::one_metric;

/// The word for all scores that the file gives.
const META: &str = "meta";

/// The further columns.
#[derive(Default)]
pub struct ExtraColumns {
    /// Places of metrics in the view.
    pub metrics: Vec<usize>,
    /// Names of scores, and the scores by the number of a prediction.
    names: Vec<String>,
    file_scores: Arc<RunSettings>,
}

impl ExtraColumns {
    /// Reads the requested further columns.
    ///
    /// # Errors
    /// Where the run has no such metric, or the file said nothing of that name.
    pub fn read(
        context: &mut Context<'_, '_>,
        (store, list): (&Store, &ResultList),
        words: &[String],
    ) -> Result<Self, Stop> {
        let mut more = Self::default();
        if words
            .iter()
            .any(|word| word == META || word.starts_with(META_OF))
        {
            more.file_scores = progress::run(context, |_, monitor| {
                Ok(results::file_scores(store, monitor, list)?)
            })?;
        }
        let known: BTreeSet<&str> = more
            .file_scores
            .all
            .iter()
            .flat_map(BTreeMap::keys)
            .map(String::as_str)
            .collect();
        let mut names = Vec::new();
        for word in words {
            if word == META {
                names.extend(known.iter().map(|known| (*known).to_owned()));
            } else if let Some(name) = word.strip_prefix(META_OF) {
                if !known.contains(name) {
                    return Err(unknown(list, name, &known));
                }
                names.push(name.to_owned());
            } else {
                more.metrics.extend(metric_of(list, word)?);
            }
        }
        let mut seen = BTreeSet::new();
        names.retain(|name| seen.insert(name.clone()));
        more.names = names;
        Ok(more)
    }

    /// Iterates over the heads of the columns of scores.
    pub fn heads(&self) -> impl Iterator<Item = String> {
        self.names.iter().map(|name| format!("{META_OF}{name}"))
    }

    /// Iterates over the cells below them.
    pub fn cells(&self, ordinal: u32) -> impl Iterator<Item = String> {
        let scores = self.of(ordinal);
        self.names.iter().map(move |name| {
            let text = scores.and_then(|said| said.get(name));
            text.map_or_else(|| "–".to_owned(), Clone::clone)
        })
    }

    /// Writes the scores of a prediction for a line of JSON.
    pub fn written(&self, ordinal: u32) -> WireMetaScores {
        let mut scores = self.of(ordinal).cloned().unwrap_or_default();
        scores.retain(|name, _| self.names.contains(name));
        written_scores(&scores)
    }

    fn of(&self, ordinal: u32) -> Option<&Parameters> {
        let place = self.file_scores.places.get(ordinal as usize)?;
        self.file_scores.all.get(*place)
    }
}

fn metric_of(list: &ResultList, word: &str) -> Result<Option<usize>, Stop> {
    let Some(metric) = one_metric(word)? else {
        return Ok(None);
    };
    let view = &list.view;
    let place = view.metrics.iter().position(|text| *text == metric.id);
    if place.is_none() {
        return Err(eval::EvalError::NotEvaluated {
            run: view.run.setting.name.clone(),
            metric: metric.id.to_owned(),
        }
        .into());
    }
    Ok(place)
}

fn unknown(list: &ResultList, name: &str, known: &BTreeSet<&str>) -> Stop {
    let run = visible(&list.view.run.setting.name);
    let message = format!("run {run} has no score `{}` of its file", visible(name));
    let failure = Failure::new(ExitCode::Usage, message);
    let known: Vec<String> = known.iter().map(|known| visible(known)).collect();
    if known.is_empty() {
        failure.into()
    } else {
        failure
            .with_hint(format!("known are {}", known.join(", ")))
            .into()
    }
}
