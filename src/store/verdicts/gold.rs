//! The gold of samples, where people's verdicts agree.

use std::collections::BTreeMap;

use crate::model::{Gold, SampleKey};

use super::super::error::StoreError;
use super::Verdicts;

impl Verdicts {
    /// Reads the gold of each sample: the adjudication, else the verdict that all annotators who decided gave. Samples
    /// on which annotators differ have no gold until somebody adjudicates.
    pub fn gold(&self) -> Result<BTreeMap<SampleKey, Gold>, StoreError> {
        let mut found: BTreeMap<SampleKey, Option<Gold>> = BTreeMap::new();
        for verdict in self.all()? {
            let Some(answer) = verdict.judged.answer() else {
                continue;
            };
            match found.get_mut(&verdict.judged.key) {
                None => {
                    found.insert(
                        verdict.judged.key,
                        Some(Gold {
                            answer,
                            verdict,
                            n_annotators: 1,
                        }),
                    );
                }
                Some(Some(gold)) if gold.answer == answer => {
                    gold.n_annotators += 1;
                    if (verdict.at_ms, verdict.event) > (gold.verdict.at_ms, gold.verdict.event) {
                        gold.verdict = verdict;
                    }
                }
                Some(differing) => *differing = None,
            }
        }
        for verdict in self.adjudications()? {
            if let Some(answer) = verdict.judged.answer() {
                let gold = Gold {
                    answer,
                    verdict,
                    n_annotators: 0,
                };
                found.insert(gold.verdict.judged.key, Some(gold));
            }
        }
        let known = found.into_iter();
        Ok(known.filter_map(|(key, gold)| Some((key, gold?))).collect())
    }
}
