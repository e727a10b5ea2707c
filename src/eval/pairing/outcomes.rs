//! How far the answers of two runs come when they are executed.
//!
//! Each step is compared as a metric is: 1 where a sample's answer reaches the step, 0 where not, and the mean is the
//! share of samples that do. Only samples count whose answers both have an outcome: a blocked run says nothing about an
//! answer.

use crate::metric::paired::{PairedScores, Tally};
use crate::model::{EngineName, Execution, Outcome, VariantKind, WithoutOutcome};
use crate::store::Store;
use crate::task::Monitor;

use super::super::executed::Yield;
use super::{
    ComparedNumber, EvalError, PairedComparison, RefiningComparison, RunPairing, Selection,
};

/// How far an answer comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunnelLevel {
    Parsable,
    Compilable,
    /// Passing, or correct.
    Executable,
    Correct,
}

impl FunnelLevel {
    pub const ALL: &[Self] = &[
        Self::Parsable,
        Self::Compilable,
        Self::Executable,
        Self::Correct,
    ];

    /// Returns the word used in tables and files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Parsable => "parsable",
            Self::Compilable => "compilable",
            Self::Executable => "executable",
            Self::Correct => "correct",
        }
    }

    fn is_reached(self, outcome: Outcome) -> bool {
        match self {
            Self::Parsable => !matches!(outcome, Outcome::Unparsable),
            Self::Compilable => outcome.compiles(),
            Self::Executable => outcome.passes(),
            Self::Correct => matches!(outcome, Outcome::Correct),
        }
    }
}

/// The outcomes of two runs' answers, compared.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedOutcomes {
    /// Selected samples whose answers both have an outcome.
    pub n_samples: u64,
    /// Selected samples with at most one outcome, which are left out.
    pub n_left_out: u64,
    /// In the order of [`FunnelLevel::ALL`]; none without samples.
    pub steps: Vec<PairedComparison<FunnelLevel>>,
    /// Over samples whose answers both have an outcome, and coverage where they pass; nothing without any.
    pub lines: Option<ComparedNumber<LinesCovered>>,
    /// Nothing where no sample has answers that were shaken on both sides.
    pub unstable: Option<ComparedNumber<AnswerProperty>>,
    /// Of answers that object to code that keeps the contract: to any, then to each variant that answers on both sides
    /// were held against.
    pub brittle: Vec<(Option<VariantKind>, ComparedNumber<AnswerProperty>)>,
}

/// Something that an answer is or is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerProperty;

/// The share of the focal method's lines that an answer covers ([`Yield::Lines`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinesCovered;

impl RunPairing {
    /// Compares how far the baseline's selected answers came, and those of another run; nothing where one of them was
    /// never executed.
    ///
    /// # Errors
    /// The store's, and cancelling.
    pub fn outcomes(
        &self,
        (store, monitor): (&Store, &Monitor),
        selection: &Selection,
        other: usize,
        (n_resamples, seed): (u32, u64),
    ) -> Result<Option<ComparedOutcomes>, EvalError> {
        let (Some(first), Some(second)) = (
            self.executions(store, monitor, 0)?,
            self.executions(store, monitor, other)?,
        ) else {
            return Ok(None);
        };
        let outcome = |execution: Option<Execution>| execution?.counted();
        let places = || selection.places().iter().map(|place| *place as usize);
        let pairs: Vec<[Outcome; 2]> = places()
            .filter_map(|place| Some([outcome(first[place])?, outcome(second[place])?]))
            .collect();
        let refinings =
            refinings(&pairs, seed).map(|refining| refining.finish(monitor, n_resamples));
        let steps = if pairs.is_empty() {
            Vec::new()
        } else {
            refinings.collect::<Result<_, _>>()?
        };
        let draws = (n_resamples, seed);
        let number = |of: &dyn Fn(Execution) -> Option<f64>, place: usize| {
            Some([of(first[place]?)?, of(second[place]?)?])
        };
        let covered = |execution: Execution| Yield::Lines.of(&execution, None);
        let share = |of: &dyn Fn(Execution) -> Option<bool>| {
            let value =
                |execution: Execution| of(execution).map(|is_so| f64::from(u8::from(is_so)));
            let values = |place| number(&value, place);
            ComparedNumber::new(AnswerProperty, selection, values, draws, monitor)
        };
        let mut brittle = Vec::new();
        let kinds = VariantKind::ALL.iter().copied().map(Some);
        for kind in std::iter::once(None).chain(kinds) {
            let compared = share(&|execution| objects(execution, kind))?;
            brittle.extend(compared.map(|compared_number| (kind, compared_number)));
        }
        let lines = |place| number(&covered, place);
        Ok(Some(ComparedOutcomes {
            lines: ComparedNumber::new(LinesCovered, selection, lines, draws, monitor)?,
            unstable: share(&is_unstable)?,
            brittle,
            n_samples: pairs.len() as u64,
            n_left_out: (selection.len() - pairs.len()) as u64,
            steps,
        }))
    }

    /// Rejects a run that was executed with other options than the baseline: its outcomes do not show what its answers
    /// are worth beside the others.
    ///
    /// # Errors
    /// [`EvalError::ExecutedOtherwise`] with the options of both; the store's.
    pub fn check_executed_alike(&self, store: &Store, other: usize) -> Result<(), EvalError> {
        let engine = |run: usize| -> Result<Option<String>, EvalError> {
            let setting = store.execution_setting(self.runs[run].id)?;
            Ok(setting.map(|execution_setting| execution_setting.engine))
        };
        let (Some(first), Some(second)) = (engine(0)?, engine(other)?) else {
            return Ok(());
        };
        let options = |run: usize, engine: &str| -> Result<String, EvalError> {
            let made = store.execution_options(self.runs[run].id, engine)?;
            let made: Vec<String> = made
                .into_iter()
                .map(|made| format!("`{}`", made.0))
                .collect();
            Ok(format!("engine {engine}, {}", made.join(" and ")))
        };
        let first_options = options(0, &beside(&first, &second))?;
        let second_options = options(other, &beside(&second, &first))?;
        if first_options == second_options {
            return Ok(());
        }
        let name = |run: usize| self.runs[run].setting.name.clone();
        Err(EvalError::ExecutedOtherwise {
            first: name(0),
            first_options,
            second: name(other),
            second_options,
        })
    }

    /// Counts, for each of these selections, the answers of a run without an outcome; nothing where it was never
    /// executed.
    ///
    /// # Errors
    /// The store's, and cancelling.
    pub fn without_outcome(
        &self,
        (store, monitor): (&Store, &Monitor),
        selections: &[&Selection],
        run: usize,
    ) -> Result<Vec<WithoutOutcome>, EvalError> {
        let Some(executions) = self.executions(store, monitor, run)? else {
            return Ok(Vec::new());
        };
        let count = |selection: &&Selection| {
            let mut counts = WithoutOutcome::default();
            for place in selection.places() {
                counts.add(executions[*place as usize]);
            }
            counts
        };
        Ok(selections.iter().map(count).collect())
    }

    /// Reads the outcomes of a run's answers, by place; nothing where it was never executed.
    fn executions(
        &self,
        store: &Store,
        monitor: &Monitor,
        run: usize,
    ) -> Result<Option<Vec<Option<Execution>>>, EvalError> {
        let row = &self.runs[run];
        let Some(setting) = store.execution_setting(row.id)? else {
            return Ok(None);
        };
        let n = row.n_predictions as u32;
        let executions = store.executions(row.id, &setting.engine, n, monitor)?;
        let of_place = |ordinal: &u32| executions.get(*ordinal as usize).copied().flatten();
        Ok(Some(self.ordinals[run].iter().map(of_place).collect()))
    }
}

/// Keeps the run's engines whose language the other run has too: samples of other languages are never compared. All of
/// them where none has.
fn beside(engines: &str, others: &str) -> String {
    let language = |text: &str| EngineName::named(text).map(EngineName::language);
    let is_shared = |text: &&str| {
        let mut others = EngineName::each(others);
        others.any(|other| {
            other == *text || language(text).is_some() && language(other) == language(text)
        })
    };
    let shared: Vec<&str> = EngineName::each(engines).filter(is_shared).collect();
    if shared.is_empty() {
        engines.to_owned()
    } else {
        EngineName::joined(&shared)
    }
}

fn refinings(
    pairs: &[[Outcome; 2]],
    seed: u64,
) -> impl Iterator<Item = RefiningComparison<FunnelLevel>> {
    FunnelLevel::ALL.iter().map(move |step| {
        let reached = pairs
            .iter()
            .map(|pair| pair.map(|outcome| step.is_reached(outcome)));
        of_pairs(*step, &reached.collect::<Vec<_>>(), seed)
    })
}

/// Compares a property of both answers to each sample, as ones and noughts.
fn of_pairs<Of: Copy>(of: Of, pairs: &[[bool; 2]], seed: u64) -> RefiningComparison<Of> {
    let value = |is_so| f64::from(u8::from(is_so));
    let values: Vec<[f64; 2]> = pairs.iter().map(|pair| pair.map(value)).collect();
    let tally = Tally::of(values.iter().map(|[first, second]| second - first));
    RefiningComparison::new(of, PairedScores::of_values(values), tally, seed)
}

/// Tells whether an answer is unstable; nothing where nobody has shaken it.
fn is_unstable(execution: Execution) -> Option<bool> {
    Some(execution.stability?.reason().is_some())
}

/// Tells whether an answer objects to a variant, or to any; nothing where it was not held against it.
fn objects(execution: Execution, kind: Option<VariantKind>) -> Option<bool> {
    let brittleness = execution.brittleness?;
    match kind {
        None => Some(!brittleness.objects.is_empty()),
        Some(kind) if brittleness.held.has(kind) => Some(brittleness.objects.has(kind)),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_of_languages_that_only_one_run_has_are_no_difference() {
        assert_eq!(beside("fast", "maven+fork"), "fast");
        assert_eq!(beside("maven+fork", "fast"), "maven");
        assert_eq!(beside("fast+none", "fast+fork+none"), "fast+none");
        assert_eq!(beside("fork", "fast"), "fork");
    }

    #[test]
    fn a_step_is_compared_as_a_metric_of_ones_and_noughts() {
        use Outcome::{Correct, Crash, NotCompilable, Passing, Unparsable};
        let pairs = [
            [Unparsable, Correct],
            [NotCompilable, Crash],
            [Passing, Passing],
            [Correct, Unparsable],
        ];
        let shares: Vec<(f64, f64)> = refinings(&pairs, 0)
            .map(|refining| refining.compared())
            .map(|paired_comparison| (paired_comparison.first, paired_comparison.second))
            .collect();
        let expected = [(0.75, 0.75), (0.5, 0.75), (0.5, 0.5), (0.25, 0.25)];
        assert_eq!(shares, expected);
    }
}
