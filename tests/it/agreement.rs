//! Agreement statistics against values of the reference packages, each within 1e-9 (`tests/fixtures/agreement`).

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use focalist::metric::agreement::{Coefficient, Ratings, wilson};
use serde_json::Value;

static GOLDEN: LazyLock<Value> = LazyLock::new(|| {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/agreement/agreement.json");
    let text = fs::read_to_string(path).expect("the fixture is in the repository");
    serde_json::from_str(&text).expect("the fixture is JSON")
});

const TOLERANCE: f64 = 1e-9;

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("the fixture has a list there")
}

fn ratings(case: &Value) -> Ratings {
    let units = list(&case["ratings"]);
    let n_categories = case["categories"].as_u64().expect("a count");
    let mut ratings = Ratings::new(list(&units[0]).len(), n_categories as usize);
    for unit in units {
        let cells = list(unit)
            .iter()
            .map(|value| value.as_u64().map(|n| n as u32));
        ratings.push(&cells.collect::<Vec<_>>());
    }
    ratings
}

#[track_caller]
fn check(what: &str, value: Option<f64>, expected: &Value) {
    match (value, expected.as_f64()) {
        (None, None) => {}
        (Some(value), Some(expected)) if (value - expected).abs() <= TOLERANCE => {}
        _ => panic!("{what}: {value:?} instead of {expected}"),
    }
}

#[test]
fn coefficients_are_those_of_the_reference_packages() {
    let mut n_checked = 0;
    for case in list(&GOLDEN["cases"]) {
        let values = ratings(case).values();
        for (coefficient, value) in Coefficient::ALL.into_iter().zip(values) {
            let field = match coefficient {
                Coefficient::Raw => "raw",
                Coefficient::Cohen => "cohen",
                Coefficient::Fleiss => "fleiss",
                Coefficient::Krippendorff => "alpha",
                Coefficient::Gwet => "ac1",
            };
            if let Some(expected) = case["expected"].get(field) {
                check(&format!("{} {field}", case["name"]), value, expected);
                n_checked += 1;
            }
        }
    }
    assert!(n_checked > 45, "{n_checked}");
}

#[test]
fn matrix_and_agreement_by_category_are_those_of_the_reference_packages() {
    let of_two = list(&GOLDEN["cases"])
        .iter()
        .filter(|case| case["expected"].get("matrix").is_some());
    for case in of_two {
        let ratings = ratings(case);
        let matrix = serde_json::to_value(ratings.matrix(0, 1)).expect("numbers are JSON");
        assert_eq!(matrix, case["expected"]["matrix"], "{}", case["name"]);
        let shares = ratings.by_category();
        let expected = list(&case["expected"]["category"]);
        assert_eq!(shares.len(), expected.len());
        for (category, (share, expected)) in shares.into_iter().zip(expected).enumerate() {
            check(&format!("{} {category}", case["name"]), share, expected);
        }
    }
}

#[test]
fn wilson_intervals_are_those_of_statsmodels() {
    for case in list(&GOLDEN["wilson"]) {
        let count = |field: &str| case[field].as_u64().expect("a count");
        let bounds = wilson(count("k"), count("n"));
        check(&case.to_string(), bounds.map(|bound| bound.0), &case["low"]);
        check(
            &case.to_string(),
            bounds.map(|bound| bound.1),
            &case["high"],
        );
    }
}
