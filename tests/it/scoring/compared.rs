//! Comparing two runs: identities that hold for all numbers, and runs that must not be compared.

#![expect(
    clippy::float_cmp,
    reason = "what is computed from the same numbers in the same order is the same number"
)]

use std::fs;

use focalist::browse::parse_filter;
use focalist::eval;
use focalist::eval::compare::{
    BaselineComparison, CompareOptions, GroupBy, PairedComparison, Slice, compare,
};
use focalist::eval::evaluate::evaluate;
use focalist::metric::metrics_of;
use focalist::model::Target;
use focalist::store::Store;
use focalist::task::Monitor;
use serde_json::json;

use super::{
    eval_options, evaluate_all, import_options, import_text, keys_with_reference, open, run,
    sample_store,
};
use crate::support::{COUNTER_TEST, Place, sample_data};

const METRICS: [&str; 5] = ["contest", "codebleu", "crystalbleu", "edit", "em"];

pub fn two_runs() -> (Place, Store) {
    let (place, mut store) = sample_store();
    for name in ["steady", "hasty"] {
        let text = fs::read(sample_data(&format!("predictions/{name}.jsonl")));
        let text = text.expect("the predictions are there");
        import_text(&mut store, &import_options(name), text).expect("it is loaded");
    }
    evaluate_all(&mut store, &METRICS);
    (place, store)
}

fn options(first: &str, second: &str) -> CompareOptions {
    CompareOptions {
        first: first.to_owned(),
        second: second.to_owned(),
        metrics: Vec::new(),
        filter: None,
        by: None,
        only_parsable: false,
        n_resamples: 500,
        seed: 1,
    }
}

fn compared(store: &Store, options: &CompareOptions) -> BaselineComparison {
    compare(store, &Monitor::default(), options).expect("they are compared")
}

fn all(comparison: &BaselineComparison) -> &Slice {
    assert_eq!(comparison.slices[0].name, "");
    &comparison.slices[0]
}

#[test]
fn a_run_is_as_good_as_itself() {
    let (_place, store) = two_runs();
    let comparison = compared(&store, &options("steady", "steady"));
    let all = all(&comparison);
    assert!(all.n_samples > 40);
    assert_eq!((comparison.n_only_first, comparison.n_only_second), (0, 0));
    assert_eq!(all.metrics.len(), 12);
    for metric in &all.metrics {
        assert_eq!(metric.difference, 0.0, "{}", metric.of.id);
        assert_eq!(
            (metric.interval, metric.p),
            ((0.0, 0.0), 1.0),
            "{}",
            metric.of.id
        );
        assert_eq!(
            (
                metric.tally.n_better,
                metric.tally.n_same,
                metric.tally.n_worse
            ),
            (0, all.n_samples, 0)
        );
    }
}

#[test]
fn the_other_way_round_signs_flip() {
    let (_place, store) = two_runs();
    let there = compared(&store, &options("steady", "hasty"));
    let back = compared(&store, &options("hasty", "steady"));
    let (there, back) = (all(&there), all(&back));
    let (a, b) = there.unparsable_rates;
    assert_eq!((b, a), back.unparsable_rates);
    for (there, back) in there.metrics.iter().zip(&back.metrics) {
        assert_eq!((there.first, there.second), (back.second, back.first));
        assert_eq!(there.difference, -back.difference);
        assert_eq!(there.p, back.p);
        assert_eq!(there.tally.n_better, back.tally.n_worse);
        assert_eq!(there.tally.n_same, back.tally.n_same);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(
            near(there.interval.0, -back.interval.1) && near(there.interval.1, -back.interval.0)
        );
    }
}

#[test]
fn numbers_are_those_of_the_runs_and_lie_in_their_interval() {
    let (_place, store) = two_runs();
    let comparison = compared(&store, &options("steady", "hasty"));
    let all = all(&comparison);
    for metric in &all.metrics {
        let is_near = |run: &focalist::model::RunRow, expected: f64| {
            let value = run
                .evaluation(metric.of.id)
                .and_then(|evaluation| evaluation.value);
            value.is_some_and(|value| (value - expected).abs() < 1e-12)
        };
        assert!(is_near(&comparison.first, metric.first), "{}", metric.of.id);
        assert!(
            is_near(&comparison.second, metric.second),
            "{}",
            metric.of.id
        );
        assert_eq!(metric.difference, metric.second - metric.first);
        let (low, high) = metric.interval;
        assert!(
            low <= metric.difference && metric.difference <= high,
            "{}",
            metric.of.id
        );
        assert!(low < high && metric.p > 0.0 && metric.p <= 1.0);
        let tally = metric.tally;
        assert_eq!(tally.n_better + tally.n_same + tally.n_worse, all.n_samples);
    }
    let bleu = metric(all, "bleu");
    // The README says that the one is good and the other is not.
    assert!(bleu.difference < -0.1 && bleu.interval.1 < 0.0 && bleu.p < 0.01);
    assert_eq!(
        comparison.first.unparsable_rate(),
        Some(all.unparsable_rates.0)
    );
}

fn metric<'s>(slice: &'s Slice, id: &str) -> &'s PairedComparison {
    let metric = slice.metrics.iter().find(|metric| metric.of.id == id);
    metric.expect("it was compared")
}

#[test]
fn a_seed_draws_the_same_again_on_any_number_of_threads() {
    let (_place, mut store) = two_runs();
    let mut of = |seed, n_threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(n_threads)
            .build();
        let pool = pool.expect("threads can be started");
        let options = CompareOptions {
            seed,
            ..options("steady", "hasty")
        };
        let store = &mut store;
        pool.install(move || compared(store, &options))
    };
    assert_eq!(of(1, 1), of(1, 4));
    assert_ne!(
        all(&of(1, 1)).metrics[0].interval,
        all(&of(2, 1)).metrics[0].interval
    );
    assert_eq!(
        all(&of(1, 1)).metrics[0].first,
        all(&of(2, 1)).metrics[0].first
    );
}

#[test]
fn slices_add_up() {
    let (_place, store) = two_runs();
    for by in GroupBy::ALL {
        let options = CompareOptions {
            by: Some(*by),
            n_resamples: 20,
            ..options("steady", "hasty")
        };
        let comparison = compared(&store, &options);
        let (all, slices) = (all(&comparison), &comparison.slices[1..]);
        // All samples are in one language.
        let n_least = if *by == GroupBy::Language { 1 } else { 2 };
        assert!(slices.len() >= n_least, "{by:?}");
        let mut names: Vec<&str> = slices.iter().map(|slice| slice.name.as_str()).collect();
        names.dedup();
        assert_eq!(names.len(), slices.len());
        assert!(names.iter().all(|name| !name.is_empty()), "{names:?}");
        let n_samples: u64 = slices.iter().map(|slice| slice.n_samples).sum();
        assert_eq!(n_samples, all.n_samples);
        let weighted = |of: &dyn Fn(&Slice) -> f64| -> f64 {
            let sum: f64 = slices
                .iter()
                .map(|slice| of(slice) * slice.n_samples as f64)
                .sum();
            sum / n_samples as f64
        };
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{by:?}: {a} {b}");
        near(
            weighted(&|slice| slice.unparsable_rates.0),
            all.unparsable_rates.0,
        );
        near(
            weighted(&|slice| slice.unparsable_rates.1),
            all.unparsable_rates.1,
        );
        for (idx, paired_comparison) in all.metrics.iter().enumerate() {
            let count = |of: fn(&PairedComparison) -> u64| -> u64 {
                slices.iter().map(|slice| of(&slice.metrics[idx])).sum()
            };
            assert_eq!(
                count(|paired_comparison| paired_comparison.tally.n_better),
                paired_comparison.tally.n_better
            );
            assert_eq!(
                count(|paired_comparison| paired_comparison.tally.n_worse),
                paired_comparison.tally.n_worse
            );
            if paired_comparison.of.is_mean {
                near(
                    weighted(&|slice| slice.metrics[idx].first),
                    paired_comparison.first,
                );
                near(
                    weighted(&|slice| slice.metrics[idx].second),
                    paired_comparison.second,
                );
            }
        }
    }
}

#[test]
fn a_filter_and_parsability_leave_samples_out() {
    let (_place, store) = two_runs();
    let filter = parse_filter("repo:wordloom").expect("a filter");
    let filtered = CompareOptions {
        filter: Some(filter),
        ..options("steady", "hasty")
    };
    let comparison = compared(&store, &filtered);
    let by_repo = CompareOptions {
        by: Some(GroupBy::Repo),
        ..options("steady", "hasty")
    };
    let by_repo = compared(&store, &by_repo);
    let slice = by_repo.slices[1..]
        .iter()
        .find(|slice| slice.name.contains("wordloom"));
    let slice = slice.expect("the repository is a slice");
    assert_eq!(all(&comparison).metrics, slice.metrics);
    assert_eq!(all(&comparison).n_samples, slice.n_samples);

    let parsable = CompareOptions {
        only_parsable: true,
        ..options("steady", "hasty")
    };
    let comparison = compared(&store, &parsable);
    let left = all(&comparison);
    assert!(comparison.n_left_out > 0);
    let n_samples = all(&by_repo).n_samples;
    assert_eq!(left.n_samples + comparison.n_left_out, n_samples);
    assert_eq!(left.unparsable_rates, (0.0, 0.0));

    let nothing = parse_filter("test:nowhere").expect("a filter");
    let nothing = CompareOptions {
        filter: Some(nothing),
        ..options("steady", "hasty")
    };
    let result = compare(&store, &Monitor::default(), &nothing);
    assert!(matches!(
        result,
        Err(eval::EvalError::NothingInCommon {
            is_filtered: true,
            ..
        })
    ));
}

#[test]
fn samples_of_one_run_alone_are_counted() {
    let (_place, mut store) = two_runs();
    let keys = keys_with_reference(&store);
    let lines: Vec<String> = keys[..10]
        .iter()
        .map(|(key, text)| json!({"sample": key.to_string(), "prediction": text}).to_string())
        .collect();
    import_text(&mut store, &import_options("few"), lines.join("\n")).expect("it is loaded");
    evaluate_all(&mut store, &["em"]);
    let comparison = compared(&store, &options("few", "steady"));
    assert_eq!(all(&comparison).n_samples, 10);
    let n_more = run(&store, "steady").n_scored - 10;
    let n_only = (comparison.n_only_first, comparison.n_only_second);
    assert_eq!(n_only, (0, n_more));
    assert_eq!(all(&comparison).metrics.len(), 1);
    assert_eq!(metric(all(&comparison), "em").first, 1.0);
}

#[test]
fn what_does_not_measure_the_same_is_not_compared() {
    let (_place, mut store) = two_runs();
    let result = |store: &Store, options: &CompareOptions| {
        compare(store, &Monitor::default(), options).err()
    };
    let unknown = result(&store, &options("steady", "nobody"));
    assert!(matches!(unknown, Some(eval::EvalError::NoSuchRun(it)) if it.known.len() == 2));
    let of = |metric: &str| CompareOptions {
        metrics: metrics_of([metric]).expect("it is known"),
        ..options("steady", "hasty")
    };
    let missing = result(&store, &of("bleu:hf"));
    assert!(matches!(
        missing,
        Some(eval::EvalError::NotEvaluated { .. })
    ));

    let mut weighted = eval_options(&["codebleu"]);
    weighted.runs = vec!["hasty".to_owned()];
    weighted.weights = [0.1, 0.1, 0.4, 0.4];
    evaluate(&mut store, &Monitor::default(), &weighted).expect("it is evaluated");
    let other = result(&store, &of("codebleu"));
    assert!(matches!(other, Some(eval::EvalError::OtherOptions { .. })));
    let rest = compared(&store, &options("steady", "hasty"));
    assert!(
        all(&rest)
            .metrics
            .iter()
            .all(|metric| metric.of.id != "codebleu")
    );

    let text = fs::read(sample_data("predictions/hasty.jsonl")).expect("it is there");
    let mut tests = import_options("tests");
    tests.setting.target = Target::Test;
    import_text(&mut store, &tests, text).expect("it is loaded");
    evaluate_all(&mut store, &["em"]);
    let other = result(&store, &options("steady", "tests"));
    assert!(matches!(other, Some(eval::EvalError::OtherQuestion { .. })));
}

#[test]
fn changed_references_are_neither_compared_nor_mixed() {
    let place = Place::new();
    let repo = place.counter("one");
    place.run(&["mine", &repo]).success();
    let mut store = open(&place);
    let (key, reference) = keys_with_reference(&store).remove(0);
    let line = json!({"sample": key.to_string(), "prediction": reference}).to_string();
    for name in ["a", "b"] {
        import_text(&mut store, &import_options(name), line.clone()).expect("it is loaded");
    }
    evaluate_all(&mut store, &["em", "bleu"]);
    assert_eq!(
        metric(all(&compared(&store, &options("a", "b"))), "em").first,
        1.0
    );
    drop(store);

    let edited = COUNTER_TEST.replace("assertEquals(1, once)", "assertEquals(1, 1 * once)");
    place.write("one/src/test/java/p/CounterTest.java", edited);
    place.run(&["mine", &repo]).success();
    let mut store = open(&place);
    let result = compare(&store, &Monitor::default(), &options("a", "b"));
    assert!(matches!(result, Err(eval::EvalError::Outdated { .. })));
    // Asked for one metric only, the other one's old number goes as well.
    evaluate_all(&mut store, &["em"]);
    let row = run(&store, "a");
    assert_eq!(
        row.evaluation("em").and_then(|evaluation| evaluation.value),
        Some(0.0)
    );
    assert!(row.evaluation("bleu").is_none());
    assert_eq!(row.n_changed, 1);
    assert_eq!(
        metric(all(&compared(&store, &options("a", "b"))), "em").first,
        0.0
    );
}
