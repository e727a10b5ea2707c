//! Facts that overall shares hide: exact beside right answers by the length of the reference, gibberish by the budget
//! of the prompt, and one form of answers against the other.

use std::collections::{BTreeMap, BTreeSet};

use crate::exchange::{WireFormDifference, WireGap, WireGibberish};

use super::answer_difference::AnswerDifference;
use super::gibberish::Gibberish;
use super::question::QuestionKind;
use super::report::{Draws, EvaluatedAnswer, difference, models};

/// The length in characters of the longest reference in each class but the last.
const LENGTHS: &[usize] = &[10, 20, 40];

/// A mean over questions, each with the mean of its answers.
#[derive(Default)]
struct QuestionMean {
    by_question: BTreeMap<String, (f64, f64)>,
}

impl QuestionMean {
    fn add(&mut self, question: &str, value: f64) {
        let kept = self.by_question.entry(question.to_owned()).or_default();
        kept.0 += value;
        kept.1 += 1.0;
    }

    fn get(&self) -> f64 {
        let sum: f64 = self.by_question.values().map(|(sum, n)| sum / n).sum();
        sum / self.by_question.len().max(1) as f64
    }
}

/// Groups answers for the rows of a table, in order.
fn groups<'a, K: Ord>(
    answers: impl Iterator<Item = &'a EvaluatedAnswer>,
    key: impl Fn(&'a EvaluatedAnswer) -> K,
) -> BTreeMap<K, Vec<&'a EvaluatedAnswer>> {
    let mut groups: BTreeMap<K, Vec<&EvaluatedAnswer>> = BTreeMap::new();
    for answer in answers {
        groups.entry(key(answer)).or_default().push(answer);
    }
    groups
}

fn class_of(chars: usize) -> usize {
    LENGTHS.iter().filter(|most| chars > **most).count()
}

/// Compares for each model and budget the share of exact answers to clozes with the share of right ones: over all of
/// them, then by the length of the reference. Only answers that give the whole assertion take part.
#[must_use]
pub fn gaps(answers: &[EvaluatedAnswer]) -> Vec<WireGap> {
    let clozes = answers
        .iter()
        .filter(|answer| answer.task == QuestionKind::Cloze && answer.id.form.is_none());
    let mut rows = Vec::new();
    for ((model, budget), all) in groups(clozes, |evaluated_answer| {
        (evaluated_answer.model.clone(), evaluated_answer.id.budget)
    }) {
        let row =
            |class: Option<usize>, of: &[&EvaluatedAnswer]| gap((model.clone(), budget), class, of);
        rows.push(row(None, &all));
        let by_class = groups(all.into_iter(), |evaluated_answer| {
            class_of(evaluated_answer.reference_chars)
        });
        rows.extend(by_class.iter().map(|(class, of)| row(Some(*class), of)));
    }
    rows
}

fn gap(
    (model, budget): (Option<String>, Option<usize>),
    class: Option<usize>,
    answers: &[&EvaluatedAnswer],
) -> WireGap {
    let (mut exact, mut right) = (QuestionMean::default(), QuestionMean::default());
    for answer in answers {
        let share = |is: bool| f64::from(u8::from(is));
        exact.add(&answer.id.instance, share(answer.evaluated.is_exact));
        right.add(&answer.id.instance, share(answer.evaluated.is_success));
    }
    let inexact: Vec<&&EvaluatedAnswer> = answers
        .iter()
        .filter(|answer| answer.difference.is_some())
        .collect();
    let chars = |of: fn(&EvaluatedAnswer) -> usize| {
        let sum: usize = inexact
            .iter()
            .map(|evaluated_answer| of(evaluated_answer))
            .sum();
        (!inexact.is_empty()).then(|| sum as f64 / inexact.len() as f64)
    };
    let n_of = |way: &AnswerDifference| {
        inexact
            .iter()
            .filter(|evaluated_answer| evaluated_answer.difference == Some(*way))
            .count()
    };
    WireGap {
        model,
        budget,
        from: class.map(|class| class.checked_sub(1).map_or(1, |n| LENGTHS[n] + 1)),
        to: class.and_then(|class| LENGTHS.get(class).copied()),
        n: exact.by_question.len(),
        em: exact.get(),
        rer: right.get(),
        n_inexact: inexact.len(),
        said_chars: chars(|evaluated_answer| evaluated_answer.said_chars),
        reference_chars: chars(|evaluated_answer| evaluated_answer.reference_chars),
        ways: AnswerDifference::ALL
            .iter()
            .map(|answer_difference| (answer_difference.as_str(), n_of(answer_difference)))
            .collect(),
    }
}

/// Counts for each task, form, model and budget the answers that are gibberish.
#[must_use]
pub fn gibberish_shares(answers: &[EvaluatedAnswer]) -> Vec<WireGibberish> {
    let key = |evaluated_answer: &EvaluatedAnswer| {
        (
            evaluated_answer.task,
            evaluated_answer.id.form.clone(),
            evaluated_answer.model.clone(),
            evaluated_answer.id.budget,
        )
    };
    let groups = groups(answers.iter(), key);
    let rows = groups
        .into_iter()
        .map(|((task, answer, model, budget), own)| {
            let n_of = |kind: &Gibberish| {
                own.iter()
                    .filter(|evaluated_answer| evaluated_answer.gibberish == Some(*kind))
                    .count()
            };
            let kinds: Vec<_> = Gibberish::ALL
                .iter()
                .map(|gibberish| (gibberish.as_str(), n_of(gibberish)))
                .collect();
            let n_gibberish: usize = kinds.iter().map(|kind| kind.1).sum();
            WireGibberish {
                task: task.as_str(),
                answer,
                model,
                budget,
                n_answers: own.len(),
                share: n_gibberish as f64 / own.len() as f64,
                kinds: kinds.into_iter().collect(),
            }
        });
    rows.collect()
}

/// The two forms of answers to a task: the one that asks for less, then the other.
const fn forms_of(task: QuestionKind) -> [Option<&'static str>; 2] {
    match task {
        QuestionKind::Cloze => [Some("only"), None],
        QuestionKind::Target | QuestionKind::Block => [Some("part"), Some("full")],
    }
}

/// Compares for each task, model and budget the two forms of answers, over the questions that have both: by the share
/// that runs, and by the share that is right.
#[must_use]
pub fn form_differences(answers: &[EvaluatedAnswer], draws: Draws) -> Vec<WireFormDifference> {
    let mut rows = Vec::new();
    for task in QuestionKind::ALL {
        for model in models(answers) {
            let own: Vec<&EvaluatedAnswer> = answers
                .iter()
                .filter(|answer| answer.task == *task && answer.model.as_deref() == model)
                .collect();
            let budgets: BTreeSet<Option<usize>> = own
                .iter()
                .map(|evaluated_answer| evaluated_answer.id.budget)
                .collect();
            for budget in budgets {
                for measure in ["execution", "success"] {
                    let pairs = pairs(&own, *task, budget, measure);
                    if pairs.is_empty() {
                        continue;
                    }
                    let [base, form] = forms_of(*task);
                    let found = difference(pairs, draws);
                    rows.push(WireFormDifference {
                        task: task.as_str(),
                        model: model.map(str::to_owned),
                        budget,
                        measure,
                        baseline: base.unwrap_or("filled"),
                        answer: form.unwrap_or("filled"),
                        n: found.n,
                        baseline_value: found.baseline_value,
                        value: found.value,
                        difference: found.difference,
                        p: found.p,
                    });
                }
            }
        }
    }
    rows
}

/// Pairs the shares of the two forms for each question that has answers of both.
fn pairs(
    answers: &[&EvaluatedAnswer],
    task: QuestionKind,
    budget: Option<usize>,
    measure: &str,
) -> Vec<[f64; 2]> {
    let [base, form] = forms_of(task).map(|form| {
        let mut mean = QuestionMean::default();
        for answer in answers {
            if answer.id.form.as_deref() == form && answer.id.budget == budget {
                let evaluated = &answer.evaluated;
                let is_counted = if measure == "execution" {
                    evaluated.is_executed
                } else {
                    evaluated.is_success
                };
                mean.add(&answer.id.instance, f64::from(u8::from(is_counted)));
            }
        }
        mean.by_question
    });
    let pairs = base.iter().filter_map(|(question, first)| {
        let second = form.get(question)?;
        Some([first.0 / first.1, second.0 / second.1])
    });
    pairs.collect()
}
