//! ROUGE on token lists and with rouge-score's own tokenizer.

use focalist::metric::edit::bits::Bits;
use focalist::metric::rouge::{self, Rouge, Scores};
use focalist::metric::tokens::{self, Vocabulary};
use serde_json::Value;

use super::{Desk, GOLDEN, Pair, check, corpora, mean, pairs, positions};

fn on_tokens(desk: &mut Desk, pair: &Pair) -> Scores {
    rouge::score(
        &mut desk.counter,
        &mut Bits::default(),
        &pair.hypothesis_tokens,
        &[&pair.reference_tokens],
    )
}

fn with_own_tokenizer(desk: &mut Desk, pair: &Pair) -> Scores {
    let mut scratch = tokens::Scratch::default();
    desk.vocabulary.clear();
    let [hypothesis, reference] = [pair.hypothesis, pair.reference].map(|text| {
        let mut numbers = Vec::new();
        desk.vocabulary
            .number_all(scratch.rouge(text), &mut numbers);
        numbers
    });
    rouge::score(
        &mut desk.counter,
        &mut Bits::default(),
        &hypothesis,
        &[reference],
    )
}

fn three(scores: &Scores) -> [(&'static str, Rouge); 3] {
    let l = scores.l.expect("the fixture's texts are short");
    [
        ("rouge1", scores.one),
        ("rouge2", scores.two),
        ("rougeL", l),
    ]
}

fn check_scores(id: &str, scores: &Scores, expected: &Value) {
    for (key, rouge) in three(scores) {
        let what = format!("{id} {key}");
        check(&what, rouge.precision, &expected[key][0]);
        check(&what, rouge.recall, &expected[key][1]);
        check(&what, rouge.f, &expected[key][2]);
    }
}

#[test]
fn every_pair_scores_as_rouge_score_does() {
    let mut desk = Desk::default();
    for pair in pairs(&mut Vocabulary::default()) {
        let scores = on_tokens(&mut desk, &pair);
        check_scores(pair.id, &scores, &pair.expected["rouge_score_tokens"]);
        let scores = with_own_tokenizer(&mut desk, &pair);
        check_scores(pair.id, &scores, &pair.expected["rouge_score_default"]);
    }
}

#[test]
fn the_mean_f_of_a_corpus_is_rouge_scores() {
    let mut desk = Desk::default();
    let pairs = pairs(&mut Vocabulary::default());
    for (name, members, expected) in corpora() {
        let of = |expected: &Value, score: &mut dyn FnMut(&Pair) -> Scores| {
            let scores: Vec<Scores> = members
                .iter()
                .map(|member| score(&pairs[*member]))
                .collect();
            for (idx, key) in ["rouge1", "rouge2", "rougeL"].into_iter().enumerate() {
                let mean = mean(scores.iter().map(|score| three(score)[idx].1.f));
                check(&format!("{name} {key}"), mean, &expected[key]);
            }
        };
        of(&expected["rouge_score_tokens_mean_f"], &mut |pair| {
            on_tokens(&mut desk, pair)
        });
        of(&expected["rouge_score_default_mean_f"], &mut |pair| {
            with_own_tokenizer(&mut desk, pair)
        });
    }
}

#[test]
fn contests_rouge_is_the_mean_over_parsable_pairs() {
    let mut desk = Desk::default();
    let pairs = pairs(&mut Vocabulary::default());
    let contest = &GOLDEN["contest"];
    let scores: Vec<Scores> = positions(&contest["parsable_ids"])
        .into_iter()
        .map(|position| on_tokens(&mut desk, &pairs[position]))
        .collect();
    for (idx, key) in ["rouge1_f", "rouge2_f", "rougeL_f"].into_iter().enumerate() {
        let mean = mean(scores.iter().map(|score| three(score)[idx].1.f));
        check(key, mean, &contest["scores"][key]);
    }
}
