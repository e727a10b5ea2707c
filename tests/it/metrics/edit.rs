//! Edit similarities and exact match.

use focalist::metric::edit::Scratch;
use focalist::metric::exact;
use focalist::metric::tokens::Vocabulary;

use super::{Pair, check, check_scaled, corpora, mean, pairs};

const SHORT: &str = "the fixture's texts are short";

fn indel(scratch: &mut Scratch, pair: &Pair) -> f64 {
    scratch.indel(pair.hypothesis, pair.reference).expect(SHORT)
}

fn levenshtein(scratch: &mut Scratch, pair: &Pair) -> f64 {
    scratch
        .levenshtein(pair.hypothesis, pair.reference)
        .expect(SHORT)
}

fn fuzzywuzzy(scratch: &mut Scratch, pair: &Pair) -> f64 {
    scratch
        .fuzzywuzzy(pair.hypothesis, pair.reference)
        .expect(SHORT)
}

#[test]
fn every_pair_scores_as_the_packages_do() {
    let mut scratch = Scratch::default();
    for pair in pairs(&mut Vocabulary::default()) {
        let expected = &pair.expected["edit"];
        let of_indel = indel(&mut scratch, &pair);
        check_scaled(pair.id, of_indel, 100.0, &expected["rapidfuzz_ratio"]);
        let of_levenshtein = levenshtein(&mut scratch, &pair);
        check(pair.id, of_levenshtein, &expected["lev_norm_sim"]);
        let difflib = scratch.difflib(pair.hypothesis, pair.reference);
        check(pair.id, difflib.expect(SHORT), &expected["difflib_ratio"]);
        // Whole percents: the same float, not only a near one.
        let percent = expected["fuzzywuzzy_lev"].as_u64().expect("it is whole");
        assert_eq!(
            fuzzywuzzy(&mut scratch, &pair).to_bits(),
            (percent as f64 / 100.0).to_bits(),
            "{}",
            pair.id
        );

        let [n_hypothesis, n_reference] =
            [pair.hypothesis, pair.reference].map(|text| text.chars().count());
        let n_indels = (1.0 - of_indel) * (n_hypothesis + n_reference) as f64;
        check_distance(pair.id, n_indels, expected["indel"].as_u64());
        let n_edits = (1.0 - of_levenshtein) * n_hypothesis.max(n_reference) as f64;
        check_distance(pair.id, n_edits, expected["lev"].as_u64());
    }
}

/// Distances are integers: the distance computed from a similarity must be as exact as floats allow.
fn check_distance(id: &str, distance: f64, expected: Option<u64>) {
    let expected = expected.expect("it is whole") as f64;
    assert!((distance - expected).abs() < 1e-6, "{id}: {distance}");
}

#[test]
fn the_mean_of_a_corpus_is_the_packages() {
    let mut scratch = Scratch::default();
    let pairs = pairs(&mut Vocabulary::default());
    for (name, members, expected) in corpora() {
        let expected = &expected["edit_mean"];
        let mut of = |score: fn(&mut Scratch, &Pair) -> f64| {
            mean(
                members
                    .iter()
                    .map(|member| score(&mut scratch, &pairs[*member])),
            )
        };
        check_scaled(name, of(indel), 100.0, &expected["rapidfuzz_ratio"]);
        check(name, of(levenshtein), &expected["lev_norm_sim"]);
        check_scaled(name, of(fuzzywuzzy), 100.0, &expected["fuzzywuzzy_lev"]);
    }
}

#[test]
fn exact_matches_are_the_references() {
    let pairs = pairs(&mut Vocabulary::default());
    let matches = |pair: &Pair| {
        [
            ("raw", exact::raw(pair.hypothesis, pair.reference)),
            ("ws", exact::whitespace(pair.hypothesis, pair.reference)),
            (
                "tok",
                exact::tokens(&pair.hypothesis_tokens, &pair.reference_tokens),
            ),
        ]
    };
    for pair in &pairs {
        for (key, is_match) in matches(pair) {
            assert_eq!(
                Some(is_match),
                pair.expected["em"][key].as_bool(),
                "{} {key}",
                pair.id
            );
        }
    }
    for (name, members, expected) in corpora() {
        for (idx, key) in ["raw", "ws", "tok"].into_iter().enumerate() {
            let rate = mean(
                members
                    .iter()
                    .map(|member| f64::from(u8::from(matches(&pairs[*member])[idx].1))),
            );
            check(&format!("{name} {key}"), rate, &expected["em_rate"][key]);
        }
    }
}
