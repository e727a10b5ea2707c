//! The report on answers: shares by model, task and budget, how much a longer context helps, and which model answers
//! better.
//!
//! Several answers to one question count as their mean. Intervals are percentile bootstraps over questions, with the
//! same draws for all budgets, so that budgets are compared over the same questions.

use std::collections::{BTreeMap, BTreeSet};

use crate::exchange::{AnswerId, WireInterval, WireModelDifference, WireShares, WireTaskReport};
use crate::metric::paired::{PairedScores, Scratch, interval, p_value};

use super::answer_difference::AnswerDifference;
use super::answers::{AnswerEvaluation, AnsweredTask};
use super::gibberish::{Gibberish, gibberish};
use super::question::QuestionKind;

type ValueSums = BTreeMap<String, (f64, usize)>;
/// Tells whether an answer counts.
type AnswerPredicate = fn(&AnswerEvaluation) -> bool;
/// Answers with their questions, by budget.
type AnswersByBudget<'a> = BTreeMap<Option<usize>, Vec<(&'a str, &'a AnswerEvaluation)>>;

/// An answer that has run.
#[derive(Clone, Debug)]
pub struct EvaluatedAnswer {
    /// The model that answered, if the answer names it.
    pub model: Option<String>,
    /// The project of the question.
    pub repo: String,
    pub id: AnswerId,
    pub task: QuestionKind,
    pub evaluated: AnswerEvaluation,
    /// For clozes: the length of the reference in characters.
    pub reference_chars: usize,
    pub said_chars: usize,
    /// For clozes: how the answer is right without being the reference.
    pub difference: Option<AnswerDifference>,
    /// Why it says nothing; nothing for an answer that runs or says something.
    pub gibberish: Option<Gibberish>,
}

impl EvaluatedAnswer {
    /// Judges an answer that has run; nothing where the question's task is unknown.
    #[must_use]
    pub fn new(
        model: Option<String>,
        answer: &AnsweredTask<'_>,
        evaluated: AnswerEvaluation,
    ) -> Option<Self> {
        let question = answer.question;
        let is_of = |task: &&QuestionKind| task.as_str() == question.task;
        let task = *QuestionKind::ALL.iter().find(is_of)?;
        let cloze = question.cloze.as_ref();
        let said = evaluated.said.as_deref().unwrap_or_default();
        let is_inexact = evaluated.is_success && !evaluated.is_exact;
        let way = cloze
            .filter(|_| is_inexact)
            .map(|wire_cloze| AnswerDifference::of(wire_cloze, said));
        let texts = [
            Some(question.setup.as_str()),
            Some(question.head.as_str()),
            cloze.map(|wire_cloze| wire_cloze.prefix.as_str()),
            cloze.map(|wire_cloze| wire_cloze.question.as_str()),
            cloze.map(|wire_cloze| wire_cloze.reference.as_str()),
            question
                .target
                .as_ref()
                .map(|wire_target| wire_target.name.as_str()),
        ];
        let mut known: Vec<&str> = texts.into_iter().flatten().collect();
        known.extend(question.blocks.iter().map(|block| block.code.as_str()));
        let gibberish = (!evaluated.is_executed)
            .then(|| gibberish(answer.text, &known))
            .flatten();
        let n_chars = |text: &str| text.trim().chars().count();
        Some(Self {
            model,
            repo: question.project.clone(),
            id: answer.id.clone(),
            task,
            reference_chars: cloze.map_or(0, |wire_cloze| n_chars(&wire_cloze.reference)),
            said_chars: n_chars(said),
            difference: way,
            gibberish,
            evaluated,
        })
    }
}

/// How many draws intervals are made of, and their seed.
#[derive(Clone, Copy, Debug)]
pub struct Draws {
    pub n_resamples: u32,
    pub seed: u64,
}

/// Reports on each task, form of answers and model; with `by_repo` also one for each of its repositories.
#[must_use]
pub fn report(answers: &[EvaluatedAnswer], draws: Draws, by_repo: bool) -> Vec<WireTaskReport> {
    let mut reports = Vec::new();
    for (task, form) in forms(answers) {
        for model in models(answers) {
            let own: Vec<&EvaluatedAnswer> = answers
                .iter()
                .filter(|answer| is_of(answer, task, form) && answer.model.as_deref() == model)
                .collect();
            let repos: BTreeSet<&str> = own.iter().map(|answer| answer.repo.as_str()).collect();
            let repos = repos.into_iter().filter(|_| by_repo).map(Some);
            for repo in std::iter::once(None)
                .chain(repos)
                .filter(|_| !own.is_empty())
            {
                let of_repo = own
                    .iter()
                    .filter(|answer| repo.is_none_or(|repo| answer.repo == repo));
                let mut report = of_form(task, form, &by_budget(of_repo.copied()), &draws);
                report.model = model.map(str::to_owned);
                report.repo = repo.map(str::to_owned);
                reports.push(report);
            }
        }
    }
    reports
}

/// Compares each other model with the baseline: RER of `cloze`, success of the other tasks, over the questions that
/// both have answers to, under each budget.
#[must_use]
pub fn differences(
    answers: &[EvaluatedAnswer],
    baseline: Option<&str>,
    draws: Draws,
) -> Vec<WireModelDifference> {
    let mut found = Vec::new();
    for (task, form) in forms(answers) {
        let of = |model: Option<&str>| {
            let own = answers
                .iter()
                .filter(|answer| is_of(answer, task, form) && answer.model.as_deref() == model);
            by_budget(own)
        };
        let base = of(baseline);
        for model in models(answers)
            .into_iter()
            .filter(|model| *model != baseline)
        {
            for (budget, own) in of(model) {
                let Some(base) = base.get(&budget) else {
                    continue;
                };
                let pairs = common(base, &own);
                if pairs.is_empty() {
                    continue;
                }
                found.push(WireModelDifference {
                    task: task.as_str().to_owned(),
                    answer: form.map(str::to_owned),
                    budget,
                    model: model.map(str::to_owned),
                    baseline: baseline.map(str::to_owned),
                    ..difference(pairs, draws)
                });
            }
        }
    }
    found
}

/// Pairs the shares of the baseline and of a model for each question that both answered.
fn common(base: &[(&str, &AnswerEvaluation)], own: &[(&str, &AnswerEvaluation)]) -> Vec<[f64; 2]> {
    let (base, own) = (
        values(base, |answer| answer.is_success),
        values(own, |answer| answer.is_success),
    );
    let share = |(sum, n): (f64, usize)| sum / n as f64;
    base.iter()
        .filter_map(|(question, first)| {
            let second = own.get(question)?;
            Some([share(*first), share(*second)])
        })
        .collect()
}

/// Computes a difference with its interval and p value, without task and names.
pub(super) fn difference(pairs: Vec<[f64; 2]>, draws: Draws) -> WireModelDifference {
    let n = pairs.len();
    let paired = PairedScores::of_values(pairs);
    let (first, second) = paired.values();
    let numbers = 0..u64::from(draws.n_resamples);
    let scratch = &mut Scratch::default();
    let resampled = numbers
        .clone()
        .map(|number| paired.resampled(draws.seed, number, scratch))
        .collect();
    let exact = paired.all_permuted();
    let is_exact = exact.is_some();
    let permuted = exact.unwrap_or_else(|| {
        let scratch = &mut Scratch::default();
        numbers
            .map(|number| paired.permuted(draws.seed, number, scratch))
            .collect()
    });
    WireModelDifference {
        task: String::new(),
        answer: None,
        budget: None,
        model: None,
        baseline: None,
        n,
        value: second,
        baseline_value: first,
        difference: with_interval(second - first, resampled),
        p: p_value(second - first, &permuted, is_exact),
    }
}

/// Collects the tasks and forms of answers that occur.
fn forms(answers: &[EvaluatedAnswer]) -> Vec<(QuestionKind, Option<&str>)> {
    let of_task = |task: &QuestionKind| {
        let forms: BTreeSet<Option<&str>> = answers
            .iter()
            .filter(|answer| answer.task == *task)
            .map(|answer| answer.id.form.as_deref())
            .collect();
        let task = *task;
        forms.into_iter().map(move |form| (task, form))
    };
    QuestionKind::ALL.iter().flat_map(of_task).collect()
}

pub(super) fn models(answers: &[EvaluatedAnswer]) -> BTreeSet<Option<&str>> {
    answers
        .iter()
        .map(|answer| answer.model.as_deref())
        .collect()
}

fn is_of(answer: &EvaluatedAnswer, task: QuestionKind, form: Option<&str>) -> bool {
    answer.task == task && answer.id.form.as_deref() == form
}

fn by_budget<'a>(answers: impl Iterator<Item = &'a EvaluatedAnswer>) -> AnswersByBudget<'a> {
    let mut found = AnswersByBudget::new();
    for answer in answers {
        let of_budget = found.entry(answer.id.budget).or_default();
        of_budget.push((&answer.id.instance, &answer.evaluated));
    }
    found
}

impl Draws {
    /// Computes the means of all bootstrap samples of questions.
    fn of(&self, values: &[f64]) -> Vec<f64> {
        let pairs = PairedScores::of_values(values.iter().map(|value| [0.0, *value]).collect());
        let scratch = &mut Scratch::default();
        (0..u64::from(self.n_resamples))
            .map(|number| pairs.resampled(self.seed, number, scratch))
            .collect()
    }

    fn share(&self, values: &ValueSums) -> WireInterval {
        let values: Vec<f64> = values
            .values()
            .map(|value| value.0 / value.1 as f64)
            .collect();
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

/// Counts by question the answers that `of` accepts, and all of them.
fn values(answers: &[(&str, &AnswerEvaluation)], of: AnswerPredicate) -> ValueSums {
    let mut values = ValueSums::new();
    for (id, answer_evaluation) in answers {
        let kept = values.entry((*id).to_owned()).or_default();
        kept.0 += f64::from(u8::from(of(answer_evaluation)));
        kept.1 += 1;
    }
    values
}

fn of_form(
    task: QuestionKind,
    form: Option<&str>,
    by_budget: &AnswersByBudget<'_>,
    draws: &Draws,
) -> WireTaskReport {
    let mut budgets = Vec::new();
    let mut best: f64 = 0.0;
    for (budget, answers) in by_budget {
        let share = |of: AnswerPredicate| Some(draws.share(&values(answers, of)));
        let executed = share(|answer_evaluation| answer_evaluation.is_executed);
        let success = share(|answer_evaluation| answer_evaluation.is_success);
        best = best.max(success.map_or(0.0, |wire_interval| wire_interval.value));
        let is_cloze = task == QuestionKind::Cloze;
        budgets.push(WireShares {
            budget: *budget,
            n: values(answers, |_| true).len(),
            n_answers: answers.len(),
            em: is_cloze
                .then(|| share(|answer_evaluation| answer_evaluation.is_exact))
                .flatten(),
            er: executed.filter(|_| is_cloze),
            rer: success.filter(|_| is_cloze),
            execution: executed.filter(|_| !is_cloze),
            success: success.filter(|_| !is_cloze),
        });
    }
    let (delta_max, delta_min, n_common) = deltas(by_budget, draws);
    WireTaskReport {
        model: None,
        repo: None,
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

/// Computes how far the best and the worst budget are above the problem alone, over the questions that all budgets
/// have.
fn deltas(by_budget: &AnswersByBudget<'_>, draws: &Draws) -> Deltas {
    let all: Vec<(Option<usize>, ValueSums)> = by_budget
        .iter()
        .map(|(budget, answers)| {
            (
                *budget,
                values(answers, |answer_evaluation| answer_evaluation.is_success),
            )
        })
        .collect();
    let mut common: BTreeSet<String> = all
        .first()
        .map(|entry| entry.1.keys().cloned().collect())
        .unwrap_or_default();
    for (_, map) in &all {
        common.retain(|id| map.contains_key(id));
    }
    let columns: Vec<(Option<usize>, Vec<f64>)> = all
        .iter()
        .map(|(budget, map)| {
            let of = |id: &String| map.get(id).map_or(0.0, |pair| pair.0 / pair.1 as f64);
            (*budget, common.iter().map(of).collect())
        })
        .collect();
    let only = columns.iter().find(|column| column.0.is_none());
    let budgets: Vec<&Vec<f64>> = columns
        .iter()
        .filter(|column| column.0.is_some())
        .map(|column| &column.1)
        .collect();
    let (Some((_, only)), false, false) = (only, budgets.is_empty(), common.is_empty()) else {
        return (None, None, common.len());
    };
    let drawn_only = draws.of(only);
    let drawn: Vec<Vec<f64>> = budgets.iter().map(|budget| draws.of(budget)).collect();
    let delta = |pick: fn(f64, f64) -> f64, start: f64| {
        let of = |values: &mut dyn Iterator<Item = f64>| values.fold(start, pick);
        let value = of(&mut budgets.iter().map(|budget| mean(budget))) - mean(only);
        let resampled = drawn_only
            .iter()
            .enumerate()
            .map(|(number, base)| of(&mut drawn.iter().map(|drawn| drawn[number])) - base);
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

    const DRAWS: Draws = Draws {
        n_resamples: 200,
        seed: 0,
    };

    fn answer(question: &str, budget: Option<usize>, is_success: bool) -> EvaluatedAnswer {
        EvaluatedAnswer {
            model: None,
            repo: question[..1].to_owned(),
            id: AnswerId {
                instance: question.to_owned(),
                budget,
                form: None,
            },
            task: QuestionKind::Cloze,
            evaluated: AnswerEvaluation {
                is_executed: true,
                is_success,
                ..AnswerEvaluation::default()
            },
            reference_chars: 0,
            said_chars: 0,
            difference: None,
            gibberish: None,
        }
    }

    fn by(model: &str, question: &str, is_success: bool) -> EvaluatedAnswer {
        EvaluatedAnswer {
            model: Some(model.to_owned()),
            ..answer(question, None, is_success)
        }
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
            // Answered under one budget only, so it takes no part.
            answer("c", Some(8), true),
        ];
        let report = &report(&answers, DRAWS, false)[0];
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
        let shares = &report(&answers, DRAWS, false)[0].budgets[0];
        assert_eq!((shares.n, shares.n_answers), (2, 3));
        assert!((shares.rer.expect("it is a cloze").value - 0.75).abs() < 1e-9);
    }

    #[test]
    fn models_and_repositories_have_rows_of_their_own() {
        let answers = [
            by("one", "a/1", true),
            by("two", "a/1", false),
            by("one", "b/1", false),
            by("two", "b/1", false),
        ];
        let rows: Vec<_> = report(&answers, DRAWS, true)
            .into_iter()
            .map(|row| (row.model, row.repo, row.budgets[0].n, row.best))
            .collect();
        let row = |model: &str, repo: Option<&str>, n, best| {
            (Some(model.to_owned()), repo.map(str::to_owned), n, best)
        };
        assert_eq!(
            rows,
            [
                row("one", None, 2, 0.5),
                row("one", Some("a"), 1, 1.0),
                row("one", Some("b"), 1, 0.0),
                row("two", None, 2, 0.0),
                row("two", Some("a"), 1, 0.0),
                row("two", Some("b"), 1, 0.0),
            ]
        );
        assert_eq!(report(&answers, DRAWS, false).len(), 2);
    }

    #[test]
    fn models_are_held_against_each_other_over_questions_that_both_answered() {
        let mut answers: Vec<EvaluatedAnswer> = ["a", "b", "c", "d", "e", "f"]
            .iter()
            .flat_map(|question| [by("one", question, false), by("two", question, true)])
            .collect();
        answers.push(by("two", "g", false));
        let found = differences(&answers, Some("one"), DRAWS);
        let [found] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!((found.n, found.baseline_value, found.value), (6, 0.0, 1.0));
        // Two of the 64 ways to assign the names are as far apart.
        assert!((found.p - 2.0 / 64.0).abs() < 1e-12, "{found:?}");
        assert_eq!(found.model.as_deref(), Some("two"));
        assert!(differences(&answers, Some("three"), DRAWS).is_empty());
    }
}
