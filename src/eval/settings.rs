//! The settings of a run as a factor: a grid of temperatures is one run, and its answers are no repeated attempts at
//! one thing.
//!
//! What a model was asked with stands in the predictions themselves (`meta.parameters`), as `generate` writes it and a
//! file of predictions may. Each setting has statistics of its own, over its first answers and over its attempts. An
//! *oracle* takes of each sample the best of several answers, as if somebody knew which: of the first answers of all
//! settings, or of `k` attempts, whichever settings they are of ([`best_of`]).

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::exchange::usage::{parameters_of, scores_of};
use crate::metric::Metric;
use crate::metric::attempts::best_of;
use crate::model::{Comparison, Execution, FilterValue, Outcome, Range, RunRow, SampleKey};
use crate::store::{ResultFlags, Store};
use crate::task::Monitor;

use super::EvalError;
use super::executed::{AtK, steps_reached, tally};
use super::interval::{Mean, mean_of, share};

/// Predictions that are read at once: larger batches take more memory, smaller ones more queries.
const PREDICTIONS_AT_ONCE: u32 = 2_048;

/// The value of a parameter that a setting does not have.
pub const UNSAID: &str = "none";

/// The parameters that a model was asked with, by name.
pub type Parameters = BTreeMap<String, String>;

/// The settings of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunSettings {
    /// In the order of their parameters, numbers by size.
    pub all: Vec<Parameters>,
    /// By number of the prediction, a place in these.
    pub places: Vec<usize>,
}

impl RunSettings {
    /// Reads the settings of a run.
    ///
    /// # Errors
    /// The index's, and cancelling.
    pub fn load(store: &Store, monitor: &Monitor, run: &RunRow) -> Result<Self, EvalError> {
        Ok(Self::of(&read((store, monitor), run, parameters_of)?.0))
    }

    /// Reads in the same way what a file scored the predictions of a run.
    ///
    /// # Errors
    /// The index's, and cancelling.
    pub fn load_scores(store: &Store, monitor: &Monitor, run: &RunRow) -> Result<Self, EvalError> {
        Ok(Self::of(&read((store, monitor), run, scores_of)?.0))
    }

    fn of(parameters: &[Parameters]) -> Self {
        let distinct: FxHashSet<&Parameters> = parameters.iter().collect();
        let mut all: Vec<Parameters> = distinct.into_iter().cloned().collect();
        all.sort_by_cached_key(order);
        let known = all.iter().enumerate();
        let known: FxHashMap<&Parameters, usize> = known.map(|(n, map)| (map, n)).collect();
        let places = parameters.iter().map(|said| known[said]).collect();
        Self { all, places }
    }

    /// Collects every parameter of the settings with all of its values: one where the settings agree.
    #[must_use]
    pub fn values(&self) -> BTreeMap<&str, Vec<&str>> {
        let names: BTreeSet<&String> = self.all.iter().flat_map(BTreeMap::keys).collect();
        let values = names.into_iter().map(|name| {
            let mut values: Vec<&str> = Vec::new();
            for map in &self.all {
                let value = map.get(name).map_or(UNSAID, String::as_str);
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            (name.as_str(), values)
        });
        values.collect()
    }
}

/// Signs between a name and a number, the longer first.
const SIGNS: [(&str, Comparison); 4] = [
    ("<=", Comparison::LessOrEqual),
    (">=", Comparison::GreaterOrEqual),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
];

/// Tells whether a setting matches `wanted`: `name=value`, where numbers are compared by value, `name<value` and the
/// like, `name` alone for any value, or `none` for an empty setting.
#[must_use]
pub fn is_setting(parameters: &Parameters, wanted: &str) -> bool {
    if wanted.eq_ignore_ascii_case(UNSAID) {
        return parameters.is_empty();
    }
    let number = |text: &str| text.parse::<f64>().ok();
    for (sign, comparison) in SIGNS {
        if let Some((name, value)) = wanted.split_once(sign) {
            let range = Range::read(comparison, value);
            let known = parameters.get(name).and_then(|parameter| number(parameter));
            return range
                .zip(known)
                .is_some_and(|(range, known)| range.holds(known));
        }
    }
    let Some((name, value)) = wanted.split_once('=') else {
        return parameters.contains_key(wanted);
    };
    let same = |known: &String| {
        known == value
            || number(known).is_some_and(|known_number| number(value) == Some(known_number))
    };
    match parameters.get(name) {
        Some(known) => same(known),
        None => value.eq_ignore_ascii_case(UNSAID),
    }
}

/// The answers of which an oracle takes the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BestOf {
    /// The first answers of all settings.
    Settings,
    /// Attempts with any setting.
    Attempts,
}

impl BestOf {
    /// Returns the word used in tables and files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Settings => "settings",
            Self::Attempts => "attempts",
        }
    }
}

/// The numbers of a set of answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerNumbers {
    pub n_samples: u64,
    pub parses: Option<Mean>,
    /// In the order of the metrics that were asked for.
    pub metrics: Vec<Option<Mean>>,
    /// Nothing where none ran.
    pub correct: Option<Mean>,
}

/// The numbers of the first answers with one setting.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingNumbers {
    /// The parameters that differ between the settings: `temperature=0.2`; empty for the only one.
    pub name: String,
    /// All its parameters.
    pub parameters: BTreeMap<String, String>,
    pub n_answers: u64,
    pub numbers: AnswerNumbers,
    /// Over its own attempts, taken together; nothing where there is one each.
    pub at_k: Vec<AtK>,
}

/// The numbers of the best of several answers, over the samples with as many.
#[derive(Clone, Debug, PartialEq)]
pub struct Oracle {
    pub of: BestOf,
    pub k: u64,
    pub numbers: AnswerNumbers,
}

/// A run by its settings.
#[derive(Clone, Debug, PartialEq)]
pub struct RunBySetting {
    /// In the order of their parameters, numbers by size.
    pub settings: Vec<SettingNumbers>,
    pub oracles: Vec<Oracle>,
}

/// Computes the numbers of each setting of a run, and the oracles over them.
///
/// # Errors
/// The index's.
pub fn by_setting(
    (store, monitor): (&Store, &Monitor),
    run: &RunRow,
    metrics: &[&'static Metric],
) -> Result<RunBySetting, EvalError> {
    let answers = RunAnswers::load((store, monitor), run, metrics)?;
    let mut settings = Vec::new();
    for (idx, parameters) in answers.settings.iter().enumerate() {
        let first: Vec<usize> = answers
            .by_sample
            .iter()
            .filter_map(|items| items.iter().copied().find(|n| answers.setting[*n] == idx))
            .collect();
        let is_of = |ordinal: usize| answers.setting.get(ordinal) == Some(&idx);
        let n_answers = answers
            .setting
            .iter()
            .filter(|setting| **setting == idx)
            .count();
        let at_k = if n_answers > first.len() {
            tally(store, run, |ordinal| {
                is_of(ordinal)
                    .then(|| answers.steps_reached(ordinal))
                    .flatten()
            })?
        } else {
            Vec::new()
        };
        settings.push(SettingNumbers {
            name: name_of(parameters, &answers.settings),
            parameters: parameters.clone(),
            n_answers: n_answers as u64,
            numbers: answers.of_one_each(&first),
            at_k,
        });
    }
    Ok(RunBySetting {
        oracles: answers.oracles(),
        settings,
    })
}

/// Names a setting by the parameters that tell it from the others.
fn name_of(of: &BTreeMap<String, String>, all: &[BTreeMap<String, String>]) -> String {
    let names: BTreeSet<&String> = all.iter().flat_map(BTreeMap::keys).collect();
    let differs = |name: &&String| all.iter().any(|map| map.get(*name) != all[0].get(*name));
    let differing = names.into_iter().filter(differs);
    let parts = differing.map(|name| {
        let value = of.get(name).map_or(UNSAID, String::as_str);
        format!("{name}={value}")
    });
    parts.collect::<Vec<_>>().join(" ")
}

/// The answers of a run with all that is asked of them.
struct RunAnswers {
    settings: Vec<BTreeMap<String, String>>,
    /// By number of the prediction, a place in the settings.
    setting: Vec<usize>,
    /// For each sample in the order of keys, its answers in the order of attempts.
    by_sample: Vec<Vec<usize>>,
    flags: Vec<ResultFlags>,
    /// For each metric; nothing where it is not computed.
    values: Vec<Option<Vec<f64>>>,
    /// Nothing where none ran.
    executions: Option<Vec<Option<Execution>>>,
}

impl RunAnswers {
    fn load(
        (store, monitor): (&Store, &Monitor),
        run: &RunRow,
        metrics: &[&'static Metric],
    ) -> Result<Self, EvalError> {
        let n = run.n_predictions as u32;
        let ids: Vec<&str> = metrics.iter().map(|metric| metric.id).collect();
        let mut values = Vec::new();
        for evaluation in store.evaluations(run.id, &ids)? {
            values.push(match evaluation {
                Some(evaluation) => Some(store.result_scores(evaluation, n, monitor)?),
                None => None,
            });
        }
        let executions = match store.execution_setting(run.id)? {
            Some(setting) => Some(store.executions(run.id, &setting.engine, n, monitor)?),
            None => None,
        };
        let attempts = store.result_attempts(run.id, n, monitor)?;
        let (parameters, by_sample) = read((store, monitor), run, parameters_of)?;
        let mut by_sample: Vec<(SampleKey, Vec<usize>)> = by_sample.into_iter().collect();
        by_sample.sort_unstable_by_key(|pair| pair.0);
        for (_, ordinals) in &mut by_sample {
            ordinals.sort_by_key(|ordinal| attempts.get(*ordinal));
        }
        let settings = RunSettings::of(&parameters);
        Ok(Self {
            setting: settings.places,
            settings: settings.all,
            by_sample: by_sample.into_iter().map(|by_sample| by_sample.1).collect(),
            flags: store.result_flags(run.id, n, monitor)?,
            values,
            executions,
        })
    }

    fn steps_reached(&self, ordinal: usize) -> Option<[bool; 4]> {
        match &self.executions {
            Some(executions) => steps_reached(executions, ordinal),
            None => self
                .parses(ordinal)
                .map(|parse| [parse, false, false, false]),
        }
    }

    /// Tells whether an answer with a reference parses; nothing for others.
    fn parses(&self, ordinal: usize) -> Option<bool> {
        let flags = self.flags.get(ordinal)?;
        (flags.is_read() && flags.has_reference()).then(|| !flags.is_unparsable())
    }

    fn value(&self, metric: usize, ordinal: usize) -> Option<f64> {
        let value = *self.values[metric].as_ref()?.get(ordinal)?;
        self.parses(ordinal)?;
        value.is_finite().then_some(value)
    }

    fn is_correct(&self, ordinal: usize) -> Option<bool> {
        let execution = self.executions.as_ref()?.get(ordinal).copied().flatten()?;
        Some(execution.counted()? == Outcome::Correct)
    }

    /// Computes the numbers of one answer for each sample.
    fn of_one_each(&self, ordinals: &[usize]) -> AnswerNumbers {
        let rate = |is: &dyn Fn(usize) -> Option<bool>| {
            let known: Vec<bool> = ordinals.iter().filter_map(|ordinal| is(*ordinal)).collect();
            let n_right = known.iter().filter(|known| **known).count();
            share(n_right as u64, known.len() as u64)
        };
        let metrics = (0..self.values.len()).map(|metric| {
            let values = ordinals
                .iter()
                .filter_map(|ordinal| self.value(metric, *ordinal));
            mean_of(&values.collect::<Vec<_>>())
        });
        AnswerNumbers {
            n_samples: ordinals.len() as u64,
            parses: rate(&|n| self.parses(n)),
            metrics: metrics.collect(),
            correct: rate(&|n| self.is_correct(n)),
        }
    }

    fn oracles(&self) -> Vec<Oracle> {
        let mut oracles = Vec::new();
        let n_settings = self.settings.len();
        if n_settings > 1 {
            let first = |ordinals: &[usize]| -> Vec<usize> {
                let of = |setting| {
                    ordinals
                        .iter()
                        .find(|ordinal| self.setting[**ordinal] == setting)
                };
                (0..n_settings).filter_map(of).copied().collect()
            };
            let firsts: Vec<Vec<usize>> = self
                .by_sample
                .iter()
                .map(|by_sample| first(by_sample))
                .collect();
            oracles.push(Oracle {
                of: BestOf::Settings,
                k: n_settings as u64,
                numbers: self.best(&firsts, n_settings as u64),
            });
        }
        let most = self.by_sample.iter().map(Vec::len).max().unwrap_or(0) as u64;
        let powers = (1..).map(|n| 1_u64 << n).take_while(|n| *n < most);
        for k in powers.chain((most > 1).then_some(most)) {
            oracles.push(Oracle {
                of: BestOf::Attempts,
                k,
                numbers: self.best(&self.by_sample, k),
            });
        }
        oracles
    }

    /// Computes the numbers of the best of `k` of each sample's answers; of samples with as many that have such a
    /// number.
    fn best(&self, answers: &[Vec<usize>], k: u64) -> AnswerNumbers {
        let best = |of: &dyn Fn(usize) -> Option<f64>| {
            let of_sample = |ordinals: &Vec<usize>| {
                let values: Vec<f64> = ordinals.iter().filter_map(|ordinal| of(*ordinal)).collect();
                best_of(&values, k)
            };
            mean_of(&answers.iter().filter_map(of_sample).collect::<Vec<_>>())
        };
        let number = |is: Option<bool>| is.map(|flag| f64::from(u8::from(flag)));
        let metrics = (0..self.values.len()).map(|metric| best(&|n| self.value(metric, n)));
        AnswerNumbers {
            n_samples: answers
                .iter()
                .filter(|answer| answer.len() as u64 >= k)
                .count() as u64,
            parses: best(&|n| number(self.parses(n))),
            metrics: metrics.collect(),
            correct: best(&|n| number(self.is_correct(n))),
        }
    }
}

/// The answers of each sample, by number.
type AnswersBySample = FxHashMap<SampleKey, Vec<usize>>;

/// Reads parameters from each prediction's metadata, and its sample.
fn read(
    (store, monitor): (&Store, &Monitor),
    run: &RunRow,
    of: fn(&str) -> Option<Parameters>,
) -> Result<(Vec<BTreeMap<String, String>>, AnswersBySample), EvalError> {
    let mut all = Vec::new();
    let mut by_sample = AnswersBySample::default();
    loop {
        monitor.step()?;
        let first = all.len() as u32;
        let predictions = store.predictions(run.id, first, PREDICTIONS_AT_ONCE as usize)?;
        if predictions.is_empty() {
            return Ok((all, by_sample));
        }
        for prediction in predictions {
            by_sample.entry(prediction.key).or_default().push(all.len());
            let parameters = prediction.meta.as_deref().and_then(of);
            all.push(parameters.unwrap_or_default());
        }
    }
}

/// Makes the key that settings are sorted by: numbers by size, before words.
fn order(parameters: &BTreeMap<String, String>) -> Vec<(String, bool, u64, String)> {
    let fields = parameters.iter();
    let field = |(name, value): (&String, &String)| {
        let number: Option<f64> = value.parse().ok().filter(|value: &f64| *value >= 0.0);
        // Of numbers that are not negative, the bits have their order.
        let bits = number.map_or(0, f64::to_bits);
        (name.clone(), number.is_none(), bits, value.clone())
    };
    fields.map(field).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(fields: &[(&str, &str)]) -> BTreeMap<String, String> {
        let fields = fields.iter();
        fields
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn a_setting_is_named_after_what_differs() {
        let all = [
            parameters(&[("api", "chat"), ("temperature", "0.05")]),
            parameters(&[("api", "chat"), ("temperature", "0.1"), ("top_k", "40")]),
        ];
        assert_eq!(name_of(&all[0], &all), "temperature=0.05 top_k=none");
        assert_eq!(name_of(&all[1], &all), "temperature=0.1 top_k=40");
        assert_eq!(name_of(&all[0], &all[..1]), "");
    }

    #[test]
    fn a_setting_is_asked_for_by_name_and_value() {
        let of = parameters(&[("temperature", "0.40"), ("stop", "x")]);
        let check = |wanted: &str, expected: bool| {
            assert_eq!(is_setting(&of, wanted), expected, "{wanted}");
        };
        check("temperature=0.4", true);
        check("temperature=0.1", false);
        check("temperature", true);
        check("stop=x", true);
        check("top_p=none", true);
        check("top_p", false);
        check("none", false);
        check("temperature<0.5", true);
        check("temperature>=0.4", true);
        check("temperature>0.4", false);
        check("stop<1", false);
        check("top_k>0", false);
        assert!(is_setting(&Parameters::new(), "none"));
    }

    #[test]
    fn values_of_a_grid_stand_together() {
        let parameters =
            ["0.8", "0.1", "0.8"].map(|text| parameters(&[("api", "chat"), ("t", text)]));
        let settings = RunSettings::of(&parameters);
        assert_eq!(settings.places, [1, 0, 1]);
        let expected = [("api", vec!["chat"]), ("t", vec!["0.1", "0.8"])];
        assert_eq!(settings.values(), expected.into());
    }

    #[test]
    fn settings_are_in_the_order_of_their_numbers() {
        let mut all: Vec<_> = ["1", "0.05", "0.4", "auto", "10"]
            .map(|text| parameters(&[("temperature", text)]))
            .into();
        all.sort_by_cached_key(order);
        let values: Vec<&str> = all.iter().map(|map| map["temperature"].as_str()).collect();
        assert_eq!(values, ["0.05", "0.4", "1", "10", "auto"]);
    }
}
