//! What answers are worth: shares by task and budget, and how much a longer context helps.
//!
//! Several answers to one question count as their mean. Intervals are percentile bootstraps over questions, with the same
//! draws for all budgets, so that differences between budgets are those of the same questions.

use std::collections::{BTreeMap, BTreeSet};

use crate::exchange::{AnswerId, WireInterval, WireShares, WireTaskReport};
use crate::metric::paired::{Paired, Scratch, interval};

use super::answers::Evaluated;
use super::question::Task;

type Values = BTreeMap<String, (f64, usize)>;
/// What is counted of an answer.
type Counted = fn(&Evaluated) -> bool;

/// Returns a report for each task and form of answers.
#[must_use]
pub fn report(
    answers: &[(AnswerId, String, Evaluated)],
    n_resamples: u32,
    seed: u64,
) -> Vec<WireTaskReport> {
    let draws = Draws { n_resamples, seed };
    let mut reports = Vec::new();
    for task in Task::ALL {
        let of_task: Vec<_> = answers.iter().filter(|it| it.1 == task.as_str()).collect();
        let forms: BTreeSet<Option<&str>> = of_task.iter().map(|it| it.0.form.as_deref()).collect();
        for form in forms {
            let mut by_budget: BTreeMap<Option<usize>, Vec<(&str, &Evaluated)>> = BTreeMap::new();
            for (id, _, it) in of_task.iter().filter(|it| it.0.form.as_deref() == form) {
                by_budget
                    .entry(id.budget)
                    .or_default()
                    .push((&id.instance, it));
            }
            reports.push(of_form(*task, form, &by_budget, &draws));
        }
    }
    reports
}

struct Draws {
    n_resamples: u32,
    seed: u64,
}

impl Draws {
    /// Returns values of all bootstrap samples of questions.
    fn of(&self, values: &[f64]) -> Vec<f64> {
        let pairs = Paired::of_values(values.iter().map(|it| [0.0, *it]).collect());
        let scratch = &mut Scratch::default();
        (0..u64::from(self.n_resamples))
            .map(|number| pairs.resampled(self.seed, number, scratch))
            .collect()
    }

    fn share(&self, values: &Values) -> WireInterval {
        let values: Vec<f64> = values.values().map(|it| it.0 / it.1 as f64).collect();
        with_interval(mean(&values), self.of(&values))
    }
}

fn with_interval(value: f64, drawn: Vec<f64>) -> WireInterval {
    let (low, high) = interval(drawn, 0.95).unwrap_or((value, value));
    WireInterval { value, low, high }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Returns by question the sum over its answers, and how many there are.
fn values(answers: &[(&str, &Evaluated)], of: Counted) -> Values {
    let mut values = Values::new();
    for (id, it) in answers {
        let kept = values.entry((*id).to_owned()).or_default();
        kept.0 += f64::from(u8::from(of(it)));
        kept.1 += 1;
    }
    values
}

fn of_form(
    task: Task,
    form: Option<&str>,
    by_budget: &BTreeMap<Option<usize>, Vec<(&str, &Evaluated)>>,
    draws: &Draws,
) -> WireTaskReport {
    let mut budgets = Vec::new();
    let mut best: f64 = 0.0;
    for (budget, answers) in by_budget {
        let share = |of: Counted| Some(draws.share(&values(answers, of)));
        let executed = share(|it| it.is_executed);
        let success = share(|it| it.is_success);
        best = best.max(success.map_or(0.0, |it| it.value));
        let is_cloze = task == Task::Cloze;
        budgets.push(WireShares {
            budget: *budget,
            n: values(answers, |_| true).len(),
            n_answers: answers.len(),
            em: is_cloze.then(|| share(|it| it.is_exact)).flatten(),
            er: executed.filter(|_| is_cloze),
            rer: success.filter(|_| is_cloze),
            execution: executed.filter(|_| !is_cloze),
            success: success.filter(|_| !is_cloze),
        });
    }
    let (delta_max, delta_min, n_common) = deltas(by_budget, draws);
    WireTaskReport {
        task: task.as_str().to_owned(),
        answer: form.map(str::to_owned),
        budgets,
        best,
        delta_max,
        delta_min,
        n_common,
    }
}

type Deltas = (Option<WireInterval>, Option<WireInterval>, usize);

/// Returns the best and the worst budget less the problem alone.
fn deltas(by_budget: &BTreeMap<Option<usize>, Vec<(&str, &Evaluated)>>, draws: &Draws) -> Deltas {
    let all: Vec<(Option<usize>, Values)> = by_budget
        .iter()
        .map(|(budget, answers)| (*budget, values(answers, |it| it.is_success)))
        .collect();
    let mut common: BTreeSet<String> = all
        .first()
        .map(|it| it.1.keys().cloned().collect())
        .unwrap_or_default();
    for (_, it) in &all {
        common.retain(|id| it.contains_key(id));
    }
    let columns: Vec<(Option<usize>, Vec<f64>)> = all
        .iter()
        .map(|(budget, it)| {
            let of = |id: &String| it.get(id).map_or(0.0, |it| it.0 / it.1 as f64);
            (*budget, common.iter().map(of).collect())
        })
        .collect();
    let only = columns.iter().find(|it| it.0.is_none());
    let budgets: Vec<&Vec<f64>> = columns
        .iter()
        .filter(|it| it.0.is_some())
        .map(|it| &it.1)
        .collect();
    let (Some((_, only)), false, false) = (only, budgets.is_empty(), common.is_empty()) else {
        return (None, None, common.len());
    };
    let drawn_only = draws.of(only);
    let drawn: Vec<Vec<f64>> = budgets.iter().map(|it| draws.of(it)).collect();
    let delta = |pick: fn(f64, f64) -> f64, start: f64| {
        let of = |values: &mut dyn Iterator<Item = f64>| values.fold(start, pick);
        let value = of(&mut budgets.iter().map(|it| mean(it))) - mean(only);
        let resampled = drawn_only
            .iter()
            .enumerate()
            .map(|(number, base)| of(&mut drawn.iter().map(|it| it[number])) - base);
        Some(with_interval(value, resampled.collect()))
    };
    (
        delta(f64::max, f64::NEG_INFINITY),
        delta(f64::min, f64::INFINITY),
        common.len(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(
        question: &str,
        budget: Option<usize>,
        is_success: bool,
    ) -> (AnswerId, String, Evaluated) {
        let id = AnswerId {
            instance: question.to_owned(),
            budget,
            form: None,
        };
        let it = Evaluated {
            is_executed: true,
            is_success,
            ..Evaluated::default()
        };
        (id, "cloze".to_owned(), it)
    }

    #[test]
    fn differences_are_those_of_the_best_and_worst_budget_to_the_problem_alone() {
        let answers = [
            answer("a", None, true),
            answer("b", None, false),
            answer("a", Some(4), true),
            answer("b", Some(4), true),
            answer("a", Some(8), false),
            answer("b", Some(8), false),
            // Under one budget only.
            answer("c", Some(8), true),
        ];
        let report = &report(&answers, 200, 0)[0];
        assert_eq!(report.n_common, 2);
        assert!((report.delta_max.expect("there are budgets").value - 0.5).abs() < 1e-9);
        assert!((report.delta_min.expect("there are budgets").value + 0.5).abs() < 1e-9);
        assert!((report.best - 1.0).abs() < 1e-9);
        let rer = report.budgets[0].rer.expect("it is a cloze");
        assert!(rer.low <= rer.value && rer.value <= rer.high);
    }

    #[test]
    fn several_answers_to_a_question_are_one_with_their_mean() {
        let answers = [
            answer("a", None, true),
            answer("a", None, false),
            answer("b", None, true),
        ];
        let shares = &report(&answers, 100, 0)[0].budgets[0];
        assert_eq!((shares.n, shares.n_answers), (2, 3));
        assert!((shares.rer.expect("it is a cloze").value - 0.75).abs() < 1e-9);
    }
}
