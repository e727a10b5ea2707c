//! Intervals and p-values of paired systems, compared with scipy (`tests/fixtures/metrics/README.md`), and properties
//! that hold for all numbers.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use focalist::metric::METRICS;
use focalist::metric::paired::{PairColumn, PairedScores, Scratch, adjusted, interval, p_value};
use focalist::metric::total::Total;
use proptest::prelude::*;
use serde_json::Value;

const N_DRAWS: u64 = 10_000;

fn fixture() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/metrics/paired.json");
    let text = fs::read_to_string(path).expect("the fixture is there");
    serde_json::from_str(&text).expect("it is JSON")
}

fn numbers(value: &Value) -> Vec<f64> {
    let numbers = value.as_array().expect("a list").iter();
    numbers
        .map(|number| number.as_f64().expect("a number"))
        .collect()
}

fn draws(
    paired: &PairedScores,
    n: u64,
    draw: fn(&PairedScores, u64, u64, &mut Scratch) -> f64,
) -> Vec<f64> {
    let mut scratch = Scratch::default();
    (0..n).map(|n| draw(paired, 5, n, &mut scratch)).collect()
}

#[test]
fn difference_interval_and_probability_are_scipy_s() {
    for case in fixture()["cases"].as_array().expect("a list") {
        let name = case["name"].as_str().expect("a name");
        let number = |key: &str| case[key].as_f64().expect("a number");
        let pairs = numbers(&case["first"])
            .into_iter()
            .zip(numbers(&case["second"]));
        let paired =
            PairedScores::of_values(pairs.map(|(first, second)| [first, second]).collect());
        let (first, second) = paired.values();
        let difference = second - first;
        assert!((difference - number("difference")).abs() < 1e-12, "{name}");
        let error = paired.standard_error();
        assert!((error - number("standard_error")).abs() < 1e-12, "{name}");

        // Two samples of draws differ; by a tenth of the standard error almost never.
        let drawn = interval(draws(&paired, N_DRAWS, PairedScores::resampled), 0.95);
        let (low, high) = drawn.expect("there are draws");
        assert!((low - number("low")).abs() < 0.12 * error, "{name}: {low}");
        assert!(
            (high - number("high")).abs() < 0.12 * error,
            "{name}: {high}"
        );
        let all = paired.all_permuted();
        assert_eq!(Some(all.is_some()), case["is_exact"].as_bool());
        let (p, tolerance) = if let Some(all) = all {
            (p_value(difference, &all, true), 1e-12)
        } else {
            let drawn = draws(&paired, N_DRAWS, PairedScores::permuted);
            (p_value(difference, &drawn, false), 0.02)
        };
        assert!((p - number("p")).abs() < tolerance, "{name}: {p}");
    }
}

#[test]
fn probabilities_are_adjusted_as_scipy_does() {
    let fixture = fixture();
    let ps = numbers(&fixture["ps"]);
    let expected = numbers(&fixture["adjusted"]);
    for (p, expected) in adjusted(&ps).into_iter().zip(&expected) {
        assert!((p - expected).abs() < 1e-12, "{p} {expected}");
    }
    let reversed: Vec<f64> = ps.iter().rev().copied().collect();
    for (p, expected) in adjusted(&reversed).into_iter().zip(expected.iter().rev()) {
        assert!((p - expected).abs() < 1e-12, "{p} {expected}");
    }
    assert_eq!(adjusted(&[]), Vec::<f64>::new());
}

#[test]
fn corpus_values_that_are_no_means_ask_for_no_values() {
    for metric in METRICS.iter().filter(|metric| !metric.is_mean) {
        let of = |value| {
            (metric.corpus)(&Total {
                n_pairs: 3.0,
                value,
                parts: (1..=40).map(f64::from).collect(),
            })
        };
        assert_eq!(of(0.0).to_bits(), of(2.0).to_bits(), "{}", metric.id);
    }
}

/// Generates pairs of values in ten-thousandths, which also serve as counts.
fn pairs() -> impl Strategy<Value = Vec<(u16, u16)>> {
    proptest::collection::vec((0_u16..=10_000, 0_u16..=10_000), 1..200)
}

fn of_values(pairs: &[(u16, u16)]) -> PairedScores {
    let value = |count: u16| f64::from(count) / 1e4;
    let pairs = pairs.iter();
    PairedScores::of_values(pairs.map(|pair| [value(pair.0), value(pair.1)]).collect())
}

fn of_counts(pairs: &[(u16, u16)]) -> PairedScores {
    let column = |of: fn(&(u16, u16)) -> u16| {
        let mut column = PairColumn::zeros(pairs.len());
        for (place, pair) in pairs.iter().enumerate() {
            column.set(place, f64::from(of(pair)));
        }
        vec![Arc::new(column.packed())]
    };
    let mean = |total: &Total| total.parts[0] / 1e4 / total.n_pairs;
    PairedScores::of_parts(mean, [column(|pair| pair.0), column(|pair| pair.1)])
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

proptest! {
    #[test]
    fn the_other_way_round_differences_and_intervals_change_their_sign(pairs in pairs()) {
        let turned: Vec<(u16, u16)> = pairs.iter().map(|it| (it.1, it.0)).collect();
        for of in [of_values, of_counts] {
            let (there, back) = (of(&pairs), of(&turned));
            for draw in [PairedScores::resampled, PairedScores::permuted] {
                let (there, back) = (draws(&there, 40, draw), draws(&back, 40, draw));
                prop_assert!(there.iter().zip(&back).all(|(a, b)| near(*a, -*b)));
                let (low, high) = interval(there, 0.95).expect("there are draws");
                let (back_low, back_high) = interval(back, 0.95).expect("there are draws");
                prop_assert!(near(low, -back_high) && near(high, -back_low));
            }
            prop_assert!(near(there.standard_error(), back.standard_error()) || pairs.len() < 2);
        }
    }

    #[test]
    fn a_mean_is_the_corpus_value_of_its_sums(pairs in pairs()) {
        let (values, counts) = (of_values(&pairs), of_counts(&pairs));
        let ((a, b), (c, d)) = (values.values(), counts.values());
        prop_assert!(near(a, c) && near(b, d));
        for draw in [PairedScores::resampled, PairedScores::permuted] {
            let (values, counts) = (draws(&values, 40, draw), draws(&counts, 40, draw));
            prop_assert!(values.iter().zip(&counts).all(|(a, b)| near(*a, *b)));
        }
        prop_assert!(pairs.len() < 2 || near(values.standard_error(), counts.standard_error()));
    }

    #[test]
    fn probabilities_are_above_nothing_and_at_most_one(pairs in pairs()) {
        let paired = of_values(&pairs);
        let (first, second) = paired.values();
        let all = paired.all_permuted();
        let is_exact = all.is_some();
        let permuted = all.unwrap_or_else(|| draws(&paired, 40, PairedScores::permuted));
        let p = p_value(second - first, &permuted, is_exact);
        prop_assert!(p > 0.0 && p <= 1.0);
        let adjusted = adjusted(&[p, 0.5, 1.0]);
        prop_assert!(adjusted[0] >= p && adjusted.iter().all(|it| *it <= 1.0));
    }
}
