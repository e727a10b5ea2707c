//! Charts, from the command line to the file.

use std::fs;

use expect_test::expect;
use focalist::cli::ExitCode;

use crate::support::Place;

/// Creates a place with the sample data and its two runs, evaluated.
fn demo() -> Place {
    let place = Place::new();
    place.run(&["demo", "--no-tui"]).success();
    place
}

#[test]
fn a_chart_is_text_a_picture_or_numbers() {
    let place = demo();
    let drawn = place.run(&["plot", "funnel"]).success();
    assert!(drawn.starts_with("From tests to samples\n"), "{drawn}");
    assert!(!drawn.contains('\u{1b}'));
    let ascii = place.run(&["plot", "runs", "--ascii"]).success();
    let head = "BLEU corpus over runs\n2 runs | in the order in which they were imported\n";
    assert!(ascii.starts_with(head), "{ascii}");
    for kind in ["funnel", "splits", "runs", "histogram", "length"] {
        let path = |ending: &str| {
            let path = place.path(&format!("{kind}.{ending}"));
            path.to_string_lossy().into_owned()
        };
        for ending in ["svg", "csv", "txt"] {
            let output = path(ending);
            let out = place.run(&["plot", kind, "--output", &output]).success();
            assert_eq!(out, "");
        }
        let svg = fs::read_to_string(path("svg")).expect("it was written");
        assert!(
            svg.starts_with("<svg ") && svg.ends_with("</svg>\n"),
            "{svg}"
        );
        assert!(svg.contains("width=\"640\" height=\"400\""), "{svg}");
        let csv = fs::read_to_string(path("csv")).expect("it was written");
        assert!(csv.lines().count() > 3, "{csv}");
    }
    let csv = fs::read_to_string(place.path("histogram.csv")).expect("it was written");
    for run in ["steady", "hasty"] {
        let rows = csv
            .lines()
            .filter(|line| line.starts_with(&format!("{run},")));
        let shares = rows.filter_map(|row| row.rsplit(',').next()?.parse::<f64>().ok());
        let sum: f64 = shares.sum();
        assert!((sum - 1.0).abs() < 1e-9, "{run}: {sum}");
    }
}

#[test]
fn runs_and_filters_choose_what_is_shown() {
    let place = demo();
    let shown = |args: &[&str]| place.run(args).success();
    let all = shown(&["plot", "length", "steady", "--metric", "em"]);
    assert!(
        all.contains("EM against length\nsteady: 65 predictions\n"),
        "{all}"
    );
    let some = shown(&["plot", "histogram", "steady", "--filter", "weight<0"]);
    assert!(
        some.contains("steady: 0 predictions · filter: weight<0"),
        "{some}"
    );
    assert!(some.contains("no predictions\n"), "{some}");
    let empty = place.path("calibration.svg").to_string_lossy().into_owned();
    let outcome = place.run(&["plot", "calibration", "-o", &empty]);
    expect![[r"
        warning: the chart is empty: no verdicts on mapped samples yet
    "]]
    .assert_eq(&outcome.err);
}

#[test]
fn what_cannot_be_drawn_is_said_with_what_can() {
    let place = demo();
    let mut said = String::new();
    for (args, code) in [
        (&["funnel", "-o", "chart.png"][..], ExitCode::Usage),
        (&["funnel", "steady"], ExitCode::Usage),
        (&["runs", "--filter", "repo:a"], ExitCode::Usage),
        (&["histogram", "--metric", "default"], ExitCode::Usage),
        (&["histogram", "carbon"], ExitCode::Input),
        (
            &["histogram", "steady", "--metric", "em:token"],
            ExitCode::Input,
        ),
    ] {
        let args: Vec<&str> = ["plot"].iter().chain(args).copied().collect();
        said.push_str(&place.run(&args).failure(code));
    }
    expect![[r"
        error: the ending of `chart.png` names no format
        hint: name it `.svg` for a picture, `.csv` for its numbers, `.txt` for text
        error: `funnel` is not a chart of runs
        hint: charts of runs are: runs histogram length outcomes mutation mutation-lines
        error: `runs` takes no filter
        hint: its values cover everything that was scored; `histogram` and `length` take one
        error: `default` names several metrics
        hint: a chart shows one; `focalist eval --help` lists them
        error: no run `carbon`
        hint: known runs: steady, hasty
        error: `em:token` is not computed for run `steady`
        hint: `focalist eval --metrics …` computes it
    "]]
    .assert_eq(&said);
    let usage = place.run(&["plot", "funnel", "--size", "9x9"]);
    assert!(
        usage
            .failure(ExitCode::Usage)
            .contains("from 200x150 to 8000x8000")
    );
}
