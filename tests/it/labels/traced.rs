//! The judged Java tests that were run: the matcher's results with traces, compared with those on the same tests
//! without traces.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use focalist::focal::weigh;
use focalist::model::{Evidence, Language};

use super::data::{self, Judged};
use super::fit::{Model, Prior, Row, fit};
use super::report::{self, Pick, Tally};

const LANGUAGE: Language = Language::Java;

/// How strongly the weights are pulled towards those of tests that were not run: far fewer tests were run than read.
const RIDGE: f64 = 2.0;

/// The required precision is higher than for tests that were not run: where these were right in 95 % of the cases out
/// of fold, they were right in 82 % of the held-out ones.
const PRECISION: f64 = 0.97;

/// The judged tests of one set: those that were run, and the same tests as if they had not been run.
struct Set {
    traced: Vec<Judged>,
    plain: Vec<Judged>,
}

impl Set {
    fn read(labels: &str, evidence: &str) -> Self {
        let traced = data::read_known(LANGUAGE, labels, &format!("traced_{evidence}"));
        let is_run = |test: &Judged| {
            let same = |judged: &Judged| judged.repo == test.repo && judged.test == test.test;
            traced.iter().any(same)
        };
        let plain = data::read(LANGUAGE, labels, evidence).into_iter();
        Self {
            plain: plain.filter(is_run).collect(),
            traced,
        }
    }
}

/// Fits to tests that were run; `plain` are the tests of all repositories without traces, whose weights the fit is
/// pulled towards.
fn fitted(traced: &[&Judged], plain: &[&Judged]) -> Model {
    let n_columns = weigh::traced(LANGUAGE).map_or(0, weigh::WeightTable::n_kinds);
    let rows = |tests: &[&Judged]| -> Vec<Vec<Row>> {
        tests.iter().map(|test| test.rows.clone()).collect()
    };
    let of = |rows: &[Vec<Row>], prior: &Prior| {
        let rows: Vec<&[Row]> = rows.iter().map(Vec::as_slice).collect();
        fit(&rows, prior)
    };
    let known = of(&rows(plain), &Prior::nothing(n_columns));
    let prior = Prior {
        columns: known.columns,
        ridge: RIDGE,
    };
    of(&rows(traced), &prior)
}

/// Picks in each fold by a model that has seen none of its repositories.
fn out_of_fold(traced: &[Judged], plain: &[Judged]) -> Vec<Option<Pick>> {
    let of_others = |tests: &'_ [Judged], fold| -> Vec<usize> {
        let places = (0..tests.len()).filter(|at| tests[*at].fold != fold);
        places.collect()
    };
    let chosen = |tests, fold| -> Vec<&Judged> {
        let places = of_others(tests, fold).into_iter();
        places.map(|at| &tests[at]).collect()
    };
    let models: Vec<Model> = (0..n_folds(traced))
        .map(|fold| fitted(&chosen(traced, fold), &chosen(plain, fold)))
        .collect();
    traced
        .iter()
        .map(|test| report::pick(&models[test.fold], test))
        .collect()
}

fn n_folds(tests: &[Judged]) -> usize {
    tests.iter().map(|test| test.fold + 1).max().unwrap_or(0)
}

/// All results that are computed from the labels.
struct Outcome {
    model: Model,
    threshold: f64,
    /// The text about the threshold in the table.
    measured: String,
    report: String,
}

fn outcome() -> Outcome {
    let all = data::read(LANGUAGE, "labels", "evidence");
    let set = Set::read("labels", "evidence");
    let everything: Vec<&Judged> = all.iter().collect();
    let traced: Vec<&Judged> = set.traced.iter().collect();
    let model = super::rounded(fitted(&traced, &everything));
    let picks = out_of_fold(&set.traced, &all);
    let threshold = report::threshold(&picks, PRECISION);
    let mut report = "# How right `evidence` is about tests that were run\n\nWritten by `UPDATE_WEIGHTS=1 cargo test labels`; intervals are Wilson's at 95 %. Of the judged tests, these are those of\nrepositories that build with the JDK and the Maven at hand.\n"
        .to_owned();
    let without = plain_out_of_fold(&set, &everything);
    let plain_threshold = weigh::table(LANGUAGE).threshold;
    let _ = write!(
        report,
        "\n## Out of fold, {} tests of {} repositories\n\n- with what ran, threshold {threshold:.2}: {}\n- without, threshold {plain_threshold:.2}: {}\n\n{}",
        set.traced.len(),
        n_repos(&set.traced),
        Tally::of(&picks, threshold).line(),
        Tally::of(&without, plain_threshold).line(),
        report::curve(&picks),
    );
    report += &super::by_reach(&traced, &picks, threshold);
    let held_out = HeldOut::measure(&model, threshold);
    report += &held_out.section();
    report += &super::weights(&model);
    Outcome {
        model,
        threshold,
        measured: held_out.measured(),
        report,
    }
}

/// Picks in the same tests as if they had not been run, by models fitted without traces.
fn plain_out_of_fold(set: &Set, everything: &[&Judged]) -> Vec<Option<Pick>> {
    let n_columns = weigh::table(LANGUAGE).n_kinds();
    let models: Vec<Model> = (0..n_folds(&set.plain))
        .map(|fold| {
            let known = everything.iter().filter(|test| test.fold != fold);
            let rows: Vec<&[Row]> = known.map(|test| test.rows.as_slice()).collect();
            fit(&rows, &Prior::nothing(n_columns))
        })
        .collect();
    let tests = set.plain.iter();
    tests
        .map(|test| report::pick(&models[test.fold], test))
        .collect()
}

/// The results of the shipped tables on tests of other repositories.
struct HeldOut {
    n_repos: usize,
    with: Tally,
    without: Tally,
}

impl HeldOut {
    fn measure(model: &Model, threshold: f64) -> Self {
        let set = Set::read("holdout", "holdout_evidence");
        let picks = |tests: &[Judged], model: &Model| -> Vec<Option<Pick>> {
            tests.iter().map(|test| report::pick(model, test)).collect()
        };
        let table = weigh::table(LANGUAGE);
        let columns = Evidence::ALL.iter().map(|kind| table.log_odds(*kind));
        let plain = Model {
            none: table.none,
            columns: columns.collect(),
        };
        Self {
            n_repos: n_repos(&set.traced),
            with: Tally::of(&picks(&set.traced, model), threshold),
            without: Tally::of(&picks(&set.plain, &plain), table.threshold),
        }
    }

    fn section(&self) -> String {
        format!(
            "\n## Held out, {} tests of {} other repositories\n\nThe shipped tables and thresholds.\n\n- with what ran: {}\n- without: {}\n",
            self.with.tests,
            self.n_repos,
            self.with.line(),
            self.without.line(),
        )
    }

    fn measured(&self) -> String {
        format!(
            "/// The least weight of a pick. It is the lowest at which picks out of fold are right in {PRECISION} of the cases.\n///\n\
             /// Measured in {} tests of {} repositories that nothing was fitted to: {} picks, of which a share of\n\
             /// `{}` is right (Wilson's interval at 95 %).\n",
            self.with.tests,
            self.n_repos,
            self.with.decided,
            report::interval(self.with.right, self.with.decided),
        )
    }
}

fn n_repos(tests: &[Judged]) -> usize {
    let repos: std::collections::BTreeSet<&str> =
        tests.iter().map(|test| test.repo.as_str()).collect();
    repos.len()
}

#[test]
fn weights_of_tests_that_were_run_are_those_of_the_fit() {
    let outcome = outcome();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table_path = root.join("src/focal/weigh/java_traced.rs");
    let report_path = data::folder(LANGUAGE).join("TRACED.md");
    if std::env::var_os("UPDATE_WEIGHTS").is_some() {
        let table = super::table(&outcome.measured, outcome.threshold, &outcome.model);
        fs::write(&table_path, table).expect("the table can be written");
        fs::write(&report_path, &outcome.report).expect("the report can be written");
        return;
    }
    let source = fs::read_to_string(&table_path).expect("the table can be read");
    assert!(source.contains(&outcome.measured), "{}", outcome.measured);
    let close = |a: f64, b: f64| (a - b).abs() < 0.0015;
    let held = weigh::traced(LANGUAGE).expect("there is a table");
    assert!(close(held.threshold, outcome.threshold));
    assert!(close(held.none, outcome.model.none));
    for (kind, fitted) in Evidence::ALL.iter().zip(&outcome.model.columns) {
        assert!(close(held.log_odds(*kind), *fitted), "{kind:?}");
    }
    let report = fs::read_to_string(&report_path).expect("the report can be read");
    assert_eq!(
        report, outcome.report,
        "run UPDATE_WEIGHTS=1 cargo test labels"
    );
}
