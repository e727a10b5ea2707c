//! Charts of small indexes: their contents, and their messages where there is nothing to show.

use std::collections::BTreeMap;

use super::*;
use crate::chart::{SeriesShape, csv};
use crate::model::{ContentHash, EventKind, JudgedSample, Judgement};
use crate::store::StoreAccess;
use crate::store::testing::{counter_repo, empty_store, key_of, many_tests, store_with};
use tempfile::TempDir;

fn verdicts() -> (TempDir, Verdicts) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let verdicts = Verdicts::open(folder.path(), StoreAccess::Create).expect("a file can be made");
    (folder, verdicts)
}

fn draw(store: &Store, verdicts: &Verdicts, kind: PlotKind) -> Figure {
    figure(store, verdicts, &Monitor::default(), &Plot::new(kind)).expect("it is drawn")
}

#[test]
fn every_chart_of_nothing_says_what_is_missing() {
    let (_store_folder, store) = empty_store();
    let (_folder, verdicts) = verdicts();
    for kind in PlotKind::ALL {
        let figure = draw(&store, &verdicts, *kind);
        assert!(figure.is_empty(), "{kind:?}");
        assert!(!figure.note.is_empty(), "{kind:?}");
        assert!(!figure.title.is_empty(), "{kind:?}");
    }
}

#[test]
fn a_run_that_is_asked_for_and_is_not_there_is_an_error() {
    let (_store_folder, store) = empty_store();
    let (_folder, verdicts) = verdicts();
    let what = Plot {
        runs: vec!["carbon".to_owned()],
        ..Plot::new(PlotKind::Histogram)
    };
    let error = figure(&store, &verdicts, &Monitor::default(), &what).expect_err("no such run");
    assert_eq!(error.to_string(), "no run `carbon`");
}

#[test]
fn a_cancelled_chart_is_not_drawn() {
    let (_store_folder, store) = empty_store();
    let (_folder, verdicts) = verdicts();
    let monitor = Monitor::default();
    monitor.cancel();
    let outcome = figure(&store, &verdicts, &monitor, &Plot::new(PlotKind::Funnel));
    assert!(matches!(outcome, Err(PlotError::Cancelled(_))));
}

#[test]
fn steps_of_the_funnel_never_grow() {
    let (_store_folder, store) = store_with(&[counter_repo("a"), many_tests("b", 40)]);
    let (_folder, verdicts) = verdicts();
    let figure = draw(&store, &verdicts, PlotKind::Funnel);
    let SeriesShape::Bars { values, .. } = &figure.series[0].shape else {
        unreachable!("a funnel is bars")
    };
    assert!(values[0] >= 40.0);
    assert!(values.is_sorted_by(|a, b| a >= b), "{values:?}");
    assert!(figure.subtitle.starts_with("2 repositories · "));
}

#[test]
fn annotators_have_a_line_each_and_agree_over_time() {
    let (_store_folder, store) = store_with(&[many_tests("b", 40)]);
    let (_folder, mut verdicts) = verdicts();
    for (annotator, n) in [("ada", 30), ("eva", 25)] {
        for number in 0..n {
            let judgement = if annotator == "eva" && number % 5 == 0 {
                Judgement::NoneOfThese
            } else {
                Judgement::NoFocal
            };
            let judged = JudgedSample {
                key: key_of("b", &number.to_string()),
                content_hash: ContentHash([1; 16]),
                focal: None,
                judgement,
                dwell_ms: None,
                guideline: None,
                note: None,
                queue: None,
                bulk: None,
            };
            let now_ms = i64::from(number) * 60_000;
            verdicts
                .append(annotator, now_ms, vec![EventKind::Judged(judged)])
                .expect("it is written");
        }
    }
    let over_time = draw(&store, &verdicts, PlotKind::Verdicts);
    let names: Vec<&str> = over_time
        .series
        .iter()
        .map(|series| series.name.as_str())
        .collect();
    assert_eq!(names, ["ada", "eva"]);
    assert_eq!(
        over_time.x.title(),
        "time since the first verdict (minutes)"
    );
    assert!(csv(&over_time).contains("eva,24,25\neva,29,25\n"));
    let agreement = draw(&store, &verdicts, PlotKind::Agreement);
    let names: Vec<&str> = agreement
        .series
        .iter()
        .map(|series| series.name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "Cohen's kappa, all so far",
            "last 20 samples",
            "raw agreement, all so far"
        ]
    );
    assert!(csv(&agreement).contains("\"raw agreement, all so far\",25,0.8\n"));
}

#[test]
fn means_are_over_as_many_values() {
    let by_length: BTreeMap<u32, (f64, u64)> = (1..=40).map(|n| (n, (0.5, 1))).collect();
    let means = runs::means(&by_length);
    assert_eq!(means.len(), 20);
    assert_eq!(means[0], (1.5, 0.5));
    assert_eq!(runs::means(&BTreeMap::new()), []);
}

#[test]
fn a_value_between_bins_is_in_the_upper_one() {
    let bins = [0.0, 0.049, 0.05, 0.15, 0.999, 1.0].map(runs::bin);
    assert_eq!(bins, [0, 0, 1, 3, 19, 19]);
}

#[test]
fn counts_have_nouns() {
    assert_eq!(counted(1, "repository"), "1 repository");
    assert_eq!(counted(12_480, "repository"), "12,480 repositories");
    assert_eq!(counted(0, "test class"), "0 test classes");
    assert_eq!(counted(2, "run"), "2 runs");
}
