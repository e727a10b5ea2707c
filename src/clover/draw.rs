//! Which questions are asked: drawn by a seed, so that the same index and seed give the same ones anywhere.
//!
//! Each question has a number between 0 and 1, a hash of the seed and its id. Clozes are drawn without replacement by
//! how long their references are (Efraimidis and Spirakis 2006: the highest `u^(1/len)`), others evenly.

use std::collections::{BTreeMap, BTreeSet};

use crate::exchange::WireTask;

use super::question::QuestionKind;

/// The most questions of a project: clozes, and of each other task.
const N_CLOZE_MAX: usize = 50;
const N_OTHERS_MAX: usize = 25;
/// A reference that several questions share, and more than this share of all, makes no question.
const COMMON: f64 = 0.01;

/// Marks the questions of a project that a seed draws, and notes why others cannot be drawn. `fits` tells whether the
/// file of a target is short enough.
pub fn draw(questions: &mut [WireTask], seed: u64, fits: &dyn Fn(&WireTask) -> bool) {
    for task in QuestionKind::ALL {
        let of_task: Vec<usize> = (0..questions.len())
            .filter(|n| questions[*n].task == task.as_str() && questions[*n].reason.is_none())
            .collect();
        let drawn = match task {
            QuestionKind::Cloze => clozes(questions, &of_task, seed),
            QuestionKind::Target => targets(questions, &of_task, seed, fits),
            QuestionKind::Block => evenly(questions, of_task, seed),
        };
        for idx in drawn {
            questions[idx].drawn = true;
        }
    }
}

fn clozes(questions: &mut [WireTask], of_task: &[usize], seed: u64) -> Vec<usize> {
    let reference = |wire_task: &WireTask| {
        wire_task
            .cloze
            .as_ref()
            .map_or("", |wire_cloze| &wire_cloze.reference)
            .to_owned()
    };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for idx in of_task {
        *counts.entry(reference(&questions[*idx])).or_default() += 1;
    }
    let n = of_task.len();
    let mut keyed: Vec<(f64, usize)> = Vec::new();
    for idx in of_task {
        let question = &mut questions[*idx];
        let text = reference(question);
        let count = counts[&text];
        if count >= 2 && count as f64 / n as f64 > COMMON {
            question.reason = Some(format!("common: {count} of {n} references"));
            continue;
        }
        // The logarithm of `u^(1/len)` has the same order.
        let key = number(seed, &question.id).ln() / text.chars().count().max(1) as f64;
        keyed.push((key, *idx));
    }
    keyed.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    keyed.truncate(N_CLOZE_MAX);
    keyed.into_iter().map(|keyed| keyed.1).collect()
}

fn targets(
    questions: &mut [WireTask],
    of_task: &[usize],
    seed: u64,
    fits: &dyn Fn(&WireTask) -> bool,
) -> Vec<usize> {
    let mut of_problem: BTreeMap<&str, (f64, usize)> = BTreeMap::new();
    for idx in of_task {
        let question = &questions[*idx];
        let key = (number(seed, &question.id), *idx);
        let kept = of_problem.entry(&question.problem).or_insert(key);
        if key.0 < kept.0 {
            *kept = key;
        }
    }
    let chosen: BTreeSet<usize> = of_problem.values().map(|value| value.1).collect();
    let (short, long): (Vec<usize>, Vec<usize>) =
        chosen.into_iter().partition(|n| fits(&questions[*n]));
    for idx in long {
        questions[idx].reason = Some("its file is too long".to_owned());
    }
    evenly(questions, short, seed)
}

fn evenly(questions: &[WireTask], mut of_task: Vec<usize>, seed: u64) -> Vec<usize> {
    let key = |n: &usize| number(seed, &questions[*n].problem);
    of_task.sort_by(|a, b| key(a).total_cmp(&key(b)));
    of_task.truncate(N_OTHERS_MAX);
    of_task
}

/// Returns a number above 0 and below 1, a hash of the seed and the id.
fn number(seed: u64, id: &str) -> f64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes()).update(id.as_bytes());
    let mut bytes = [0; 8];
    hasher.finalize_xof().fill(&mut bytes);
    // 53 bits, as many as the fraction of a number holds.
    ((u64::from_le_bytes(bytes) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::WireCloze;

    fn cloze(id: usize, reference: &str) -> WireTask {
        WireTask {
            id: id.to_string(),
            task: "cloze".to_owned(),
            cloze: Some(WireCloze {
                reference: reference.to_owned(),
                ..WireCloze::default()
            }),
            ..WireTask::default()
        }
    }

    fn drawn(questions: &mut [WireTask], seed: u64) -> Vec<String> {
        draw(questions, seed, &|_| true);
        let drawn = questions.iter().filter(|question| question.drawn);
        drawn.map(|wire_task| wire_task.id.clone()).collect()
    }

    #[test]
    fn common_references_are_out_and_single_ones_never_are() {
        let mut few = [cloze(0, "200"), cloze(1, "200"), cloze(2, "a.b()")];
        assert_eq!(drawn(&mut few, 1), ["2"]);
        assert_eq!(few[0].reason.as_deref(), Some("common: 2 of 3 references"));
    }

    #[test]
    fn long_references_are_drawn_more_often_and_at_most_fifty() {
        let questions: Vec<WireTask> = (0..1000)
            .map(|n| cloze(n, &format!("{n:0width$}", width = 4 + 36 * (n % 2))))
            .collect();
        let (mut n_long, mut n) = (0, 0);
        for seed in 0..20 {
            let drawn = drawn(&mut questions.clone(), seed);
            assert_eq!(drawn.len(), 50);
            n += drawn.len();
            n_long += drawn
                .iter()
                .filter(|drawn| drawn.parse::<usize>().is_ok_and(|n| n % 2 == 1))
                .count();
        }
        // References that are ten times as long are drawn in ten of eleven cases.
        let share = n_long as f64 / n as f64;
        assert!((0.87..0.95).contains(&share), "{share}");
    }

    #[test]
    fn the_same_seed_draws_the_same_questions_and_another_draws_others() {
        let questions: Vec<WireTask> = (0..200).map(|n| cloze(n, &n.to_string())).collect();
        let of = |seed| drawn(&mut questions.clone(), seed);
        assert_eq!(of(7), of(7));
        assert_ne!(of(7), of(8));
    }

    #[test]
    fn a_problem_has_one_target_and_none_where_its_file_is_too_long() {
        let target = |problem: &str, name: &str| WireTask {
            id: format!("{problem}#{name}"),
            task: "target".to_owned(),
            problem: problem.to_owned(),
            ..WireTask::default()
        };
        let mut questions = vec![target("a", "x"), target("a", "y"), target("b", "x")];
        draw(&mut questions, 0, &|wire_task| wire_task.problem != "b");
        assert_eq!(
            questions.iter().filter(|question| question.drawn).count(),
            1
        );
        assert_eq!(questions[2].reason.as_deref(), Some("its file is too long"));
    }
}
