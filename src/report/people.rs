//! People's opinions on a sample, as lines; with numbers in place of their names where they stay anonymous.

use std::collections::BTreeMap;

use crate::model::{ContentHash, Judgement, SampleKey, Verdict};
use crate::store::Verdicts;

use super::ReportError;

/// The verdicts, with the names under which they are shown.
pub(super) struct People<'v> {
    verdicts: &'v Verdicts,
    /// Numbers from 1, in the order in which they are met; nothing where names are shown.
    numbers: Option<BTreeMap<String, usize>>,
}

/// People's verdicts on one sample.
#[derive(Clone, Debug, Default)]
pub(super) struct SampleOpinions {
    /// As filters ask for it, each word once.
    pub words: Vec<&'static str>,
    pub lines: Vec<String>,
}

impl<'v> People<'v> {
    pub(super) fn new(verdicts: &'v Verdicts, is_anonymous: bool) -> Self {
        Self {
            verdicts,
            numbers: is_anonymous.then(BTreeMap::new),
        }
    }

    /// Chooses the name that the page shows for an annotator.
    pub(super) fn name(&mut self, annotator: &str) -> String {
        let Some(numbers) = &mut self.numbers else {
            return annotator.to_owned();
        };
        let next = numbers.len() + 1;
        let number = *numbers.entry(annotator.to_owned()).or_insert(next);
        format!("annotator {number}")
    }

    /// Reads people's verdicts on a sample; `content` is what it is now.
    pub(super) fn of(
        &mut self,
        key: &SampleKey,
        content: Option<ContentHash>,
    ) -> Result<SampleOpinions, ReportError> {
        let mut said = SampleOpinions::default();
        let add = |said: &mut SampleOpinions, verdict: &Verdict| {
            let word = word(&verdict.judged.judgement);
            if !said.words.contains(&word) {
                said.words.push(word);
            }
        };
        for verdict in self.verdicts.of_sample(key)? {
            add(&mut said, &verdict);
            let line = self.line(&verdict, content, "");
            said.lines.push(line);
        }
        for verdict in self.verdicts.provisional_of_sample(key)? {
            if !said.words.contains(&"provisional") {
                said.words.push("provisional");
            }
            let line = self.line(&verdict, content, ", with others");
            said.lines.push(line);
        }
        if let Some(verdict) = self.verdicts.adjudication_of(key)? {
            let line = self.line(&verdict, content, ", for all");
            said.lines.push(line);
            if let Some(reason) = &verdict.reason {
                said.lines.push(format!("because: {reason}"));
            }
        }
        for remark in self.verdicts.notes_on(key)? {
            let name = self.name(&remark.annotator);
            said.lines.push(format!("{name} notes: {}", remark.text));
        }
        Ok(said)
    }

    fn line(&mut self, verdict: &Verdict, content: Option<ContentHash>, how: &str) -> String {
        let name = self.name(&verdict.annotator);
        let judgement = match &verdict.judged.judgement {
            Judgement::Pick(method) => format!("pick {method}"),
            other => other.as_str().to_owned(),
        };
        let is_stale = content.is_some_and(|it_is| it_is != verdict.judged.content_hash);
        let stale = if is_stale {
            " (of the sample before it changed)"
        } else {
            ""
        };
        format!("{name}: {judgement}{how}{stale}")
    }
}

/// Returns the judgement's word, as a text that outlives it.
fn word(judgement: &Judgement) -> &'static str {
    let words = Judgement::WORDS.iter().copied();
    let mut found = words.filter(|word| *word == judgement.as_str());
    found.next().unwrap_or("unsure")
}
