//! Explanations of the golden pairs: every metric's value is the scorer's, and its parts add up.

use focalist::metric::METRICS;
use focalist::metric::explain::explain;
use focalist::metric::scorer::{Scorer, Settings};
use focalist::metric::tokens::Vocabulary;
use focalist::model::Language;

use super::pairs;

#[test]
fn value_costs_and_rest_of_every_golden_pair_sum_to_one() {
    let mut n_pairs = 0;
    for language in Language::ALL {
        let settings = Settings::new(*language, METRICS.iter().collect());
        let mut scorer = Scorer::new(&settings);
        for pair in pairs(&mut Vocabulary::default()) {
            if pair.language.replace('_', "") != language.as_str() {
                continue;
            }
            n_pairs += 1;
            let scores = scorer.score(&[pair.reference], pair.hypothesis).scores;
            for (metric, score) in METRICS.iter().zip(scores) {
                let explanation = explain(metric, &settings, pair.reference, pair.hypothesis);
                let what = format!("{} {}", pair.id, metric.id);
                assert_eq!(explanation.value.to_bits(), score.value.to_bits(), "{what}");
                let costs: f64 = explanation.costs.iter().map(|cost| cost.cost).sum();
                let sum = explanation.value + costs + explanation.rest;
                assert!((sum - 1.0).abs() < 1e-9, "{what}: {sum}");
                assert!(explanation.rest >= 0.0, "{what}");
                assert!(
                    explanation.costs.iter().all(|cost| cost.cost > 0.0),
                    "{what}"
                );
            }
        }
    }
    assert_eq!(n_pairs, 508);
}
