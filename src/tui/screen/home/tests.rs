//! The contents of home, and where its lines lead.

use crate::chart::{Axis, Figure, Series, SeriesShape};
use crate::fixture;
use crate::model::Language;
use crate::plot::PlotKind;
use crate::screen::home::{HomeTarget, first_bars, placed, sections};
use crate::tests::{SIZES, check_frame, check_shows, pressed, shown};

#[test]
fn home_looks_as_it_did() {
    for (width, height) in SIZES {
        check_frame("home", width, height, "");
    }
}

#[test]
fn home_lists_the_last_runs_and_opens_them() {
    check_shows(
        "",
        &["last runs", "broken", "not evaluated", "BLEU corpus 19.30"],
    );
    let n_downs = (0..30).find(|n| {
        let mut stage = pressed(120, 40, "l");
        stage.press(&"j".repeat(*n)).expect("well-formed");
        shown(&stage).contains("Enter: run zero-shot")
    });
    let keys = format!("l{}<enter>", "j".repeat(n_downs.expect("it is listed")));
    check_shows(&keys, &["3/5"]);
}

#[test]
fn of_two_repositories_of_one_name_each_says_its_language() {
    let [java, python] = [Language::Java, Language::Python].map(|language| {
        let mut row = fixture::repos().remove(0);
        row.repo.language = language;
        row
    });
    let other = fixture::repos().remove(1);
    let section = sections::repositories(&[java, other, python]);
    let labels: Vec<&str> = section
        .entries
        .iter()
        .map(|entry| entry.label.as_str())
        .collect();
    assert_eq!(labels, ["counters · Java", "textutil", "counters · Python"]);
    let target = HomeTarget::Samples("repo:counters language:python".to_owned());
    assert_eq!(section.entries[2].target, Some(target));
}

#[test]
fn a_chart_of_splits_gives_up_its_second_series_for_room() {
    let bars = |values: [f64; 2]| SeriesShape::Bars {
        values: values.to_vec(),
        labels: values.iter().map(f64::to_string).collect(),
    };
    let figure = Figure {
        title: "Samples by split".to_owned(),
        y: Axis::categories("split", vec!["train".to_owned(), "test".to_owned()]),
        series: vec![
            Series::new("random split", bars([8.0, 2.0])),
            Series::new("project split", bars([9.0, 1.0])),
        ],
        ..Figure::default()
    };
    let first = first_bars(&figure).expect("its bars lie");
    assert_eq!(first.title, "Samples by split · random split");
    assert_eq!(first.series, figure.series[..1]);
    let standing = Figure {
        y: Axis::ratio("BLEU"),
        ..figure
    };
    assert_eq!(first_bars(&standing), None);
}

#[test]
fn charts_with_a_scale_have_six_rows_and_take_what_is_left() {
    let scaled = |kind| {
        let figure = Figure {
            y: Axis::ratio("BLEU"),
            ..Figure::default()
        };
        (kind, figure)
    };
    let charts = [PlotKind::Runs, PlotKind::Verdicts].map(scaled);
    let heights = |room| {
        let mut left: Vec<_> = charts.iter().collect();
        let placed = placed(&mut left, room);
        placed.iter().map(|placed| placed.2).collect::<Vec<u16>>()
    };
    assert_eq!(heights(13), Vec::<u16>::new());
    assert_eq!(heights(24), [24]);
    assert_eq!(heights(31), [15, 16]);
}

#[test]
fn a_screen_that_goes_on_below_says_so() {
    let text = shown(&pressed(80, 24, ""));
    assert!(text.contains('↓'), "{text}");
}

#[test]
fn every_screen_has_the_same_tabs() {
    for keys in ["", "gs", "gs<enter>", "ga", "gR", "gr", "gF", "gc", "gj"] {
        check_shows(keys, &["Consistency  Clover"]);
    }
}

#[test]
fn a_line_of_the_funnel_opens_its_tests() {
    check_shows("<tab><enter>", &["every test"]);
    check_shows("<tab>jj<enter>", &["status:ok"]);
}

#[test]
fn what_to_do_next_has_the_cursor_and_tab_goes_from_section_to_section() {
    check_shows("", &["┏ next ", "Enter: judge focal methods"]);
    check_shows("<tab>", &["┏ funnel "]);
    check_shows("<tab><tab>", &["┏ dropped, by reason "]);
    check_shows("<tab><tab><s-tab>", &["┏ funnel "]);
    // Commands lead nowhere, so the last section that can be reached is that of the runs.
    check_shows("<s-tab>", &["┏ last runs "]);
    check_shows("<s-tab><tab>", &["┏ next "]);
}
