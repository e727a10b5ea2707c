//! BLEU and its variants, per pair and per corpus.

use focalist::metric::bleu::{self, BleuStats, Orders, Smoothing};
use focalist::metric::tokens::{self, Vocabulary};
use serde_json::Value;

use super::{
    Desk, GOLDEN, Pair, array, check, check_scaled, corpora, pairs, positions, text, texts,
};

const METHODS: [(&str, Smoothing); 5] = [
    ("cum_m0", Smoothing::Method0),
    ("cum_m1", Smoothing::Method1),
    ("cum_m2", Smoothing::Method2),
    ("cum_m3", Smoothing::Method3),
    ("cum_m4", Smoothing::Method4),
];

fn stats(desk: &mut Desk, pair: &Pair) -> BleuStats {
    BleuStats::count(
        &mut desk.counter,
        &pair.hypothesis_tokens,
        &[&pair.reference_tokens],
    )
}

fn stats_13a(desk: &mut Desk, pair: &Pair, strips: bool) -> BleuStats {
    let mut scratch = tokens::Scratch::default();
    desk.vocabulary.clear();
    let [hypothesis, reference] = [pair.hypothesis, pair.reference].map(|text| {
        let mut numbers = Vec::new();
        if strips {
            desk.vocabulary
                .number_all(scratch.sacrebleu_13a(text), &mut numbers);
        } else {
            desk.vocabulary
                .number_all(scratch.tokens_13a(text), &mut numbers);
        }
        numbers
    });
    BleuStats::count(&mut desk.counter, &hypothesis, &[reference])
}

/// Returns the lists as sacrebleu sees them after they are joined by spaces: a token with white space becomes several.
fn stats_joined(desk: &mut Desk, pair: &'static Value) -> BleuStats {
    desk.vocabulary.clear();
    let [hypothesis, reference] = ["hyp", "ref"].map(|side| {
        let mut numbers = Vec::new();
        let words = texts(&pair["tok"][side]).flat_map(tokens::split_whitespace);
        desk.vocabulary.number_all(words, &mut numbers);
        numbers
    });
    BleuStats::count(&mut desk.counter, &hypothesis, &[reference])
}

fn check_nltk(id: &str, stats: &BleuStats, expected: &Value) {
    for (key, smoothing) in METHODS {
        let bleu = bleu::nltk(stats, smoothing);
        for order in 1..=4 {
            let what = format!("{id} {key}[{order}]");
            check(&what, bleu.cumulative(order), &expected[key][order - 1]);
        }
        let individual = &expected[key.replace("cum", "ind")];
        if !individual.is_null() {
            for order in 1..=4 {
                let what = format!("{id} individual {key}[{order}]");
                check(&what, bleu.individual(order), &individual[order - 1]);
            }
        }
    }
}

fn check_unsmoothed(id: &str, stats: &BleuStats, expected: &Value) {
    let bleu = bleu::corpus(stats);
    if expected["raw"].get("err").is_some() {
        check(id, bleu.score(), &expected["raw"]);
        return;
    }
    check(id, bleu.score(), &expected["raw"]["bleu"]);
    check(id, bleu.brevity_penalty, &expected["raw"]["bp"]);
    for order in 1..=4 {
        let what = format!("{id} nmt[{order}]");
        check(
            &what,
            bleu.cumulative(order),
            &expected["raw_by_order"][order - 1],
        );
        check(
            &what,
            bleu.precisions[order - 1],
            &expected["raw"]["precisions"][order - 1],
        );
    }
}

fn check_hugging_face(id: &str, stats: &BleuStats, expected: &Value) {
    let score = bleu::hugging_face(stats).score();
    let expected = expected.get("bleu").unwrap_or(expected);
    check(&format!("{id} hf"), score, expected);
}

fn check_sacrebleu(id: &str, stats: &BleuStats, expected: &Value) {
    let effective = bleu::sacrebleu(stats, Orders::Effective);
    let all = bleu::sacrebleu(stats, Orders::All);
    check_scaled(
        &format!("{id} exp_eff"),
        effective.score(),
        100.0,
        &expected["exp_eff"],
    );
    check_scaled(&format!("{id} exp"), all.score(), 100.0, &expected["exp"]);
    check_scaled(
        &format!("{id} none"),
        bleu::corpus(stats).score(),
        100.0,
        &expected["none"],
    );
    let parts = &expected["stats"];
    if stats.n_hypothesis > 0 {
        // sacrebleu's penalty of nothing against nothing is 1, ours 0; no score shows it.
        check(id, all.brevity_penalty, &parts["bp"]);
    }
    assert_eq!(Some(stats.n_hypothesis), parts["sys_len"].as_u64(), "{id}");
    assert_eq!(Some(stats.n_reference), parts["ref_len"].as_u64(), "{id}");
    for order in 0..4 {
        assert_eq!(
            Some(stats.n_matches[order]),
            parts["counts"][order].as_u64(),
            "{id}"
        );
        assert_eq!(
            Some(stats.n_totals[order]),
            parts["totals"][order].as_u64(),
            "{id}"
        );
        check_scaled(
            id,
            all.precisions[order],
            100.0,
            &parts["precisions"][order],
        );
    }
}

#[test]
fn every_pair_scores_as_the_packages_do() {
    let mut desk = Desk::default();
    let raw = array(&GOLDEN["pairs"]);
    for (pair, raw) in pairs(&mut Vocabulary::default()).iter().zip(raw) {
        let on_tokens = stats(&mut desk, pair);
        check_nltk(pair.id, &on_tokens, &pair.expected["nltk"]);
        check_unsmoothed(pair.id, &on_tokens, &pair.expected["nmt"]);
        let hf = stats_13a(&mut desk, pair, false);
        check_hugging_face(pair.id, &hf, &pair.expected["nmt_hf13a"]);
        let sacrebleu = stats_13a(&mut desk, pair, true);
        check_sacrebleu(pair.id, &sacrebleu, &pair.expected["sacre_13a"]);
        let joined = stats_joined(&mut desk, raw);
        check_sacrebleu(
            pair.id,
            &joined,
            &pair.expected["sacre_none_on_joined_tokens"],
        );
    }
}

#[test]
fn every_corpus_scores_as_the_packages_do() {
    let mut desk = Desk::default();
    let pairs = pairs(&mut Vocabulary::default());
    let raw = array(&GOLDEN["pairs"]);
    for (name, members, expected) in corpora() {
        let sum =
            |of: &mut dyn FnMut(usize) -> BleuStats| members.iter().map(|member| of(*member)).sum();
        let on_tokens: BleuStats = sum(&mut |n| stats(&mut desk, &pairs[n]));
        check_nltk(name, &on_tokens, &expected["nltk"]);
        check_unsmoothed(name, &on_tokens, &expected["nmt"]);
        let hf: BleuStats = sum(&mut |n| stats_13a(&mut desk, &pairs[n], false));
        check_hugging_face(name, &hf, &expected["nmt_hf13a"]);
        let sacrebleu: BleuStats = sum(&mut |n| stats_13a(&mut desk, &pairs[n], true));
        check_sacrebleu(name, &sacrebleu, &expected["sacre_13a"]);
        let joined: BleuStats = sum(&mut |n| stats_joined(&mut desk, &raw[n]));
        check_sacrebleu(name, &joined, &expected["sacre_none_on_joined_tokens"]);
    }
}

#[test]
fn a_mean_over_pairs_is_nltks() {
    let mut desk = Desk::default();
    let pairs = pairs(&mut Vocabulary::default());
    for (name, members, expected) in corpora() {
        for (key, smoothing) in METHODS {
            for order in 1..=4 {
                let mean = super::mean(members.iter().map(|member| {
                    bleu::nltk(&stats(&mut desk, &pairs[*member]), smoothing).cumulative(order)
                }));
                let expected = &expected["nltk_sentence_mean"][key][order - 1];
                check(&format!("{name} {key}[{order}]"), mean, expected);
            }
        }
    }
}

#[test]
fn contests_corpus_scores_as_its_protocol_says() {
    let mut desk = Desk::default();
    let pairs = pairs(&mut Vocabulary::default());
    let contest = &GOLDEN["contest"];
    let sum: BleuStats = positions(&contest["parsable_ids"])
        .into_iter()
        .map(|position| stats(&mut desk, &pairs[position]))
        .sum();
    let bleu = bleu::nltk(&sum, Smoothing::Method0);
    check("bleu", bleu.score(), &contest["scores"]["bleu"]);
    for order in 1..=4 {
        let key = format!("bleu{order}");
        check(&key, bleu.individual(order), &contest["scores"][&key]);
    }
    let product: f64 = (1..=4).map(|n| bleu.individual(n)).product();
    check("identity", product.powf(0.25), &contest["geomean_check"]);
}

#[test]
fn the_13a_tokenizer_splits_as_sacrebleu_does() {
    let mut scratch = tokens::Scratch::default();
    let mut n_checked = 0;
    for pair in array(&GOLDEN["pairs"]) {
        let Some(expected) = pair.get("tok13a") else {
            continue;
        };
        for (idx, side) in ["ref", "hyp"].iter().enumerate() {
            let tokens: Vec<&str> = scratch.sacrebleu_13a(text(&pair[*side])).collect();
            assert_eq!(tokens.join(" "), text(&expected[idx]), "{}", pair["id"]);
            n_checked += 1;
        }
    }
    assert_eq!(n_checked, 476);
}
