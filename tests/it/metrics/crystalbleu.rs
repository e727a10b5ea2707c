//! CrystalBLEU: which n-grams are shared, and scores without them.

use focalist::metric::bleu::{BleuStats, Smoothing};
use focalist::metric::crystalbleu::{self, SharedNgrams};

use super::{Desk, GOLDEN, Pair, array, check, corpora, pairs, text, texts};

const SIZES: [usize; 2] = [50, 500];
const METHODS: [(&str, Smoothing); 2] = [("m0", Smoothing::Method0), ("m1", Smoothing::Method1)];

fn shared(k: usize) -> SharedNgrams {
    let java = array(&GOLDEN["pairs"])
        .iter()
        .filter(|pair| text(&pair["lang"]) == "java");
    SharedNgrams::from_tokens(java.flat_map(|pair| texts(&pair["tok"]["ref"])), k)
}

fn stats(desk: &mut Desk, shared: &SharedNgrams, pair: &Pair) -> BleuStats {
    crystalbleu::count(
        &mut desk.counter,
        shared,
        &pair.hypothesis_tokens,
        &[&pair.reference_tokens],
    )
}

#[test]
fn the_shared_ngrams_come_in_the_order_of_most_common() {
    for k in SIZES {
        let shared = shared(k);
        let expected = array(&GOLDEN["crystal_ignored"][format!("k{k}")]);
        assert_eq!(shared.len(), expected.len());
        for (rank, ((words, n_times), expected)) in shared.ranked().zip(expected).enumerate() {
            assert!(words.eq(texts(&expected[0])), "rank {rank} of {k}");
            assert_eq!(Some(n_times), expected[1].as_u64(), "rank {rank} of {k}");
        }
        let again = SharedNgrams::from_ranked(shared.ranked());
        assert!(
            again
                .ranked()
                .map(|pair| pair.1)
                .eq(shared.ranked().map(|pair| pair.1))
        );
    }
}

#[test]
fn every_pair_and_corpus_scores_as_the_package_does() {
    let mut desk = Desk::default();
    for k in SIZES {
        let shared = shared(k);
        let pairs = pairs(&mut shared.vocabulary());
        for (key, smoothing) in METHODS {
            let key = format!("k{k}_{key}");
            for pair in pairs.iter().filter(|pair| pair.language == "java") {
                let stats = stats(&mut desk, &shared, pair);
                let score = crystalbleu::score(&stats, smoothing).score();
                let what = format!("{} {key}", pair.id);
                check(&what, score, &pair.expected["crystal"][&key]);
            }
            for (name, members, expected) in corpora() {
                let Some(expected) = expected.get("crystal") else {
                    continue;
                };
                let members = members.iter().map(|member| &pairs[*member]);
                let stats: BleuStats = members
                    .map(|member| stats(&mut desk, &shared, member))
                    .sum();
                let score = crystalbleu::score(&stats, smoothing).score();
                check(&format!("{name} {key}"), score, &expected[&key]);
            }
        }
    }
}
