//! Runs that are paired once and queried repeatedly: selections, refinement, slices, rows.

use focalist::browse::{FieldScope, parse_filter_in};
use focalist::eval::EvalError;
use focalist::eval::compare::GroupBy;
use focalist::eval::pairing::{Look, PairedComparison, RunPairing, Selection};
use focalist::metric::metrics_of;
use focalist::model::{Direction, Filter};
use focalist::store::Store;
use focalist::task::Monitor;

use super::compared::two_runs;

const METRICS: [&str; 3] = ["bleu", "codebleu", "em"];

fn load(store: &Store, runs: &[&str]) -> RunPairing {
    let runs: Vec<String> = runs.iter().map(|run| (*run).to_owned()).collect();
    let metrics = metrics_of(METRICS).expect("the metrics are known");
    let monitor = Monitor::default();
    let pairing = RunPairing::load(store, &monitor, &runs, &metrics).expect("they can be compared");
    assert_eq!(monitor.progress().share(), Some(1.0));
    pairing
}

fn look(pairing: &RunPairing, metric: &str, other: usize) -> Look {
    pairing.look(metric, other).expect("there is such a column")
}

fn select(store: &Store, pairing: &RunPairing, filter: &str, look: Look) -> Selection {
    let filter = parse_filter_in(filter, FieldScope::Run).expect("a filter");
    let selection = pairing.select(store, &Monitor::default(), &filter, look);
    selection.expect("it is selected")
}

fn summary(
    store: &Store,
    pairing: &mut RunPairing,
    selection: &Selection,
    look: Look,
    n: u32,
) -> PairedComparison {
    let compared = pairing.summary((store, &Monitor::default()), selection, look, (n, 3));
    compared.expect("they are compared")
}

#[test]
fn a_filter_without_conditions_selects_everything() {
    let (_place, store) = two_runs();
    let pairing = load(&store, &["steady", "hasty"]);
    let look = look(&pairing, "bleu", 1);
    let all = pairing.select(&store, &Monitor::default(), &Filter::default(), look);
    let all = all.expect("it is selected");
    assert_eq!(all, pairing.everything());
    assert_eq!(all.len(), pairing.len());
    let keys: Vec<_> = all
        .places()
        .iter()
        .map(|place| pairing.key(*place))
        .collect();
    assert!(keys.is_sorted());
    for (place, key) in all.places().iter().zip(&keys) {
        assert_eq!(pairing.place(key), Some(*place));
    }
}

#[test]
fn conditions_about_results_are_those_of_the_numbers() {
    let (_place, store) = two_runs();
    let pairing = load(&store, &["steady", "hasty"]);
    let look = look(&pairing, "codebleu", 1);
    let check = |filter: &str, is_meant: &dyn Fn(u32) -> bool| {
        let selection = select(&store, &pairing, filter, look);
        let expected = pairing.everything().only(is_meant);
        assert_eq!(selection.places(), expected.places(), "{filter}");
        assert!(!selection.is_empty(), "{filter}");
    };
    check("codebleu<0.5", &|n| pairing.values(look, n).1 < 0.5);
    check("delta<-0.2", &|n| pairing.delta(look, n) < -0.2);
    check("outcome:worse", &|n| pairing.delta(look, n) < -1e-9);
    check("parse:fail", &|n| !pairing.is_parsable(1, n));
    let both = select(&store, &pairing, "repo:wordloom delta<0", look);
    let repo = select(&store, &pairing, "repo:wordloom", look);
    let expected = repo.only(|repo| pairing.delta(look, repo) < 0.0);
    assert_eq!(both.places(), expected.places());
}

#[test]
fn what_is_refined_in_steps_is_what_comes_in_one_go() {
    let (_place, store) = two_runs();
    let mut pairing = load(&store, &["steady", "hasty"]);
    for metric in METRICS {
        let monitor = Monitor::default();
        let look = look(&pairing, metric, 1);
        let all = pairing.everything();
        let refining = pairing.refining((&store, &monitor), &all, look, 3);
        let mut refining = refining.expect("they are compared");
        let first = refining.compared();
        assert_eq!(first.n_resamples, 0);
        for n_resamples in [150, 400, 500] {
            while !refining
                .step(&monitor, n_resamples)
                .expect("nobody cancels")
            {}
            assert_eq!(refining.n_resamples(), n_resamples);
        }
        let refined = refining.compared();
        assert_eq!(refined, summary(&store, &mut pairing, &all, look, 500));
        // What is shown before any draw is near.
        let width = refined.interval.1 - refined.interval.0;
        assert!(
            (first.interval.0 - refined.interval.0).abs() < width / 4.0,
            "{metric}"
        );
        assert!(
            (first.interval.1 - refined.interval.1).abs() < width / 4.0,
            "{metric}"
        );
        assert!(first.p > 0.0 && first.p <= 1.0);
        assert_eq!(first.tally, refined.tally);

        monitor.cancel();
        assert!(refining.step(&monitor, 1_000).is_err());
        assert_eq!(refining.compared(), refined);
    }
}

#[test]
fn slices_are_parts_and_the_surest_difference_comes_first() {
    let (_place, store) = two_runs();
    let mut pairing = load(&store, &["steady", "hasty"]);
    let monitor = Monitor::default();
    let all = pairing.everything();
    for by in GroupBy::ALL {
        let look = look(&pairing, "codebleu", 1);
        let slices = pairing.slices(&store, &monitor, &all, *by, look, 200, 1);
        let slices = slices.expect("it is sliced");
        let mut places: Vec<u32> = slices
            .iter()
            .flat_map(|slice| slice.selection.places().to_vec())
            .collect();
        places.sort_unstable();
        assert_eq!(places, all.places(), "{by:?}");
        assert!(slices.is_sorted_by(|a, b| a.evidence().surest_first(&b.evidence()).is_le()));
        for slice in &slices {
            assert!(slice.p_adjusted >= slice.compared.p && slice.p_adjusted <= 1.0);
            assert!(slice.beyond_chance <= slice.compared.difference.abs());
            // One sample proves nothing.
            assert!(
                slice.selection.len() > 1 || slice.beyond_chance <= 0.0,
                "{}",
                slice.name
            );
        }
    }
}

#[test]
fn places_are_sorted_by_their_delta_and_bins_hold_all_of_them() {
    let (_place, store) = two_runs();
    let mut pairing = load(&store, &["steady", "hasty"]);
    let look = look(&pairing, "bleu", 1);
    let all = pairing.everything();
    for direction in [Direction::Ascending, Direction::Descending] {
        let places = pairing.by_delta(&all, look, direction);
        assert_eq!(places.len(), all.len());
        assert!(places.is_sorted_by(|a, b| {
            let (first, second) = (pairing.delta(look, *a), pairing.delta(look, *b));
            let is_before = match direction {
                Direction::Ascending => first < second,
                Direction::Descending => first > second,
            };
            is_before || (first.total_cmp(&second).is_eq() && a < b)
        }));
    }
    let compared = summary(&store, &mut pairing, &all, look, 100);
    for n_bins in [0, 1, 7] {
        let histogram = pairing.histogram(&all, look, n_bins);
        assert_eq!(histogram.tally(), compared.tally);
        assert_eq!(histogram.worse.len(), histogram.better.len());
        assert!(histogram.bound > 0.0 && histogram.width() <= histogram.bound);
    }
    let nothing = pairing.histogram(&all.only(|_| false), look, 3);
    assert_eq!((nothing.n_same, nothing.bound.to_bits()), (0, 0));
}

#[test]
fn more_runs_are_each_held_against_the_first() {
    let (_place, store) = two_runs();
    let mut three = load(&store, &["steady", "hasty", "steady"]);
    let mut two = load(&store, &["steady", "hasty"]);
    let (look_1, look_2) = (look(&three, "bleu", 1), look(&three, "bleu", 2));
    let all = three.everything();
    assert_eq!(
        summary(&store, &mut three, &all, look_1, 200),
        summary(&store, &mut two, &all, look_1, 200)
    );
    let same = summary(&store, &mut three, &all, look_2, 200);
    assert_eq!(
        (same.interval, same.tally.n_same),
        ((0.0, 0.0), all.len() as u64)
    );
    assert!(three.look("bleu", 0).is_none() && three.look("bleu", 3).is_none());
    let alone = RunPairing::load(&store, &Monitor::default(), &["steady".to_owned()], &[]);
    assert!(matches!(alone, Err(EvalError::OneRun)));
}

#[test]
fn rows_and_texts_are_those_of_the_sample() {
    let (_place, store) = two_runs();
    let pairing = load(&store, &["steady", "hasty"]);
    let places: Vec<u32> = pairing.everything().places()[..5].to_vec();
    let em = look(&pairing, "em", 1);
    let rows = pairing.rows(&store, &places).expect("they are read");
    for (row, place) in rows.iter().zip(&places) {
        assert_eq!((row.place, row.key), (*place, pairing.key(*place)));
        assert!(
            row.sample
                .as_ref()
                .is_some_and(|sample_row| sample_row.key == row.key)
        );
        let texts = pairing.texts(&store, *place).expect("they are read");
        let reference = texts.reference.expect("the index has it");
        let (first, second) = pairing.values(em, *place);
        assert_eq!(texts.predictions[0] == reference, first > 0.5);
        assert_eq!(texts.predictions[1] == reference, second > 0.5);
    }
}
