//! Matchers compared with hand-judged tests: the fit of matcher `evidence`, and the precision of each matcher.
//!
//! `UPDATE_WEIGHTS=1 cargo test labels` rewrites the table of weights and the report.

mod data;
mod fit;
mod report;
mod traced;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use focalist::focal::weigh;
use focalist::model::{Evidence, Language};

use self::data::Judged;
use self::fit::Prior;
use self::report::{Pick, Tally};

/// Returns the precision out of fold that the threshold is chosen for; the precision on tests that the threshold has
/// not seen either is computed by [`nested`]. It is lower where fewer tests were judged, since one wrong label among
/// the best picks would otherwise silence the matcher, unless the language reveals that much.
const fn precision(language: Language) -> f64 {
    match language {
        Language::Java | Language::Go => 0.95,
        Language::CSharp => 0.91,
        Language::Python => 0.92,
        Language::JavaScript => 0.915,
    }
}

/// How strongly the weights of a language with few judged tests are pulled towards those of all other languages.
const RIDGE_OF_OTHERS: f64 = 6.0;

/// Computes the prior of a language's weights, without its own tests. Where evidence is similar in every language, its
/// strength in the others is the best guess; Java has enough tests of its own.
fn prior(language: Language, sets: &[Set]) -> Prior {
    let n_columns = weigh::table(language).n_kinds();
    if language == Language::Java {
        return Prior::nothing(n_columns);
    }
    let others = JUDGED.iter().filter(|entry| entry.0 != language);
    let tests: Vec<Judged> = others.flat_map(|other| judged(other.0, sets)).collect();
    let rows: Vec<&[fit::Row]> = tests.iter().map(|test| test.rows.as_slice()).collect();
    Prior {
        columns: fit::fit(&rows, &Prior::nothing(n_columns)).columns,
        ridge: RIDGE_OF_OTHERS,
    }
}

/// A set of judged tests: the names of the files of its labels and of the matchers' evidence.
type Set = (&'static str, &'static str);

const FIRST: Set = ("labels", "evidence");
const SECOND: Set = ("holdout", "holdout_evidence");
/// More tests for the languages with the lowest precision.
const THIRD: Set = ("third", "third_evidence");

/// Returns the sets that the shipped table is fitted to. Where few tests were judged, it is better to fit to all of
/// them than to hold some out; the report also has the results of the fit to the first set on the second.
const fn sets(language: Language) -> &'static [Set] {
    match language {
        Language::Java => &[FIRST],
        _ => &[FIRST, SECOND, THIRD],
    }
}

/// Returns the language's tests in those sets; no two sets share a repository, so none share a fold.
fn judged(language: Language, sets: &[Set]) -> Vec<Judged> {
    let mut all: Vec<Judged> = Vec::new();
    let has = |set: &&Set| {
        data::folder(language)
            .join(format!("{}.jsonl", set.0))
            .is_file()
    };
    for (labels, evidence) in sets.iter().filter(has) {
        let first = all.iter().map(|test| test.fold + 1).max().unwrap_or(0);
        let mut of_set = data::read(language, labels, evidence);
        let mut repos: Vec<String> = of_set.iter().map(|judged| judged.repo.clone()).collect();
        repos.sort();
        repos.dedup();
        for test in &mut of_set {
            let nth = repos
                .iter()
                .position(|repo| *repo == test.repo)
                .unwrap_or(0);
            // Only the first set has folds of its own.
            test.fold = if first == 0 { test.fold } else { first + nth };
        }
        all.extend(of_set);
    }
    all
}

/// A model and its threshold, with its picks out of fold.
struct Fitted {
    model: fit::Model,
    threshold: f64,
    picks: Vec<Option<Pick>>,
}

fn fitted(language: Language, tests: &[&Judged], prior: &Prior) -> Fitted {
    let rows: Vec<&[fit::Row]> = tests.iter().map(|test| test.rows.as_slice()).collect();
    let picks = report::out_of_fold(tests, prior);
    Fitted {
        model: rounded(fit::fit(&rows, prior)),
        threshold: report::threshold(&picks, precision(language)),
        picks,
    }
}

/// All results that are computed from the labels.
struct Outcome {
    model: fit::Model,
    threshold: f64,
    /// The picks in folds that neither model nor threshold has seen.
    nested: Tally,
    report: String,
}

/// The languages with judged tests, each with the minimum numbers of tests and repositories.
const JUDGED: [(Language, usize, usize); 5] = [
    (Language::Java, 240, 15),
    (Language::Python, 84, 7),
    (Language::Go, 84, 7),
    (Language::JavaScript, 84, 7),
    (Language::CSharp, 84, 7),
];

fn outcome(language: Language) -> Outcome {
    let tests = judged(language, sets(language));
    let all: Vec<&Judged> = tests.iter().collect();
    let prior_of_all = prior(language, sets(language));
    let precision = precision(language);
    let Fitted {
        model,
        threshold,
        picks,
    } = fitted(language, &all, &prior_of_all);
    let mut report = "# How right the matchers are\n\nWritten by `UPDATE_WEIGHTS=1 cargo test labels`; intervals are Wilson's at 95 %.\n".to_owned();
    let nested = nested(&all, &prior_of_all, precision);
    let _ = writeln!(
        report,
        "\n## Out of fold, {} tests\n\nEach fold is decided by a model and a threshold that have not seen it (the threshold is the lowest with a\nprecision of {precision} inside the other folds).\n",
        tests.len()
    );
    let _ = writeln!(report, "- `evidence`: {}", nested.line());
    report += &others(language, &all);
    report += &calibration(&picks, threshold);
    report += &report::curve(&picks);
    report += &by_reach(&all, &picks, threshold);
    if sets(language).contains(&SECOND) {
        let first = judged(language, &[FIRST]);
        let first: Vec<&Judged> = first.iter().collect();
        let of_first = fitted(language, &first, &prior(language, &[FIRST]));
        let says = "A table and a threshold that were fitted to the first set alone, not the shipped ones.";
        report += &holdout(language, says, &of_first.model, of_first.threshold);
    } else {
        report += &holdout(
            language,
            "The shipped table and threshold.",
            &model,
            threshold,
        );
    }
    report += &weights(&model);
    Outcome {
        model,
        threshold,
        nested,
        report,
    }
}

/// Decides each fold with the model and the threshold of the other folds.
fn nested(tests: &[&Judged], prior: &Prior, precision: f64) -> Tally {
    let n_folds = tests.iter().map(|test| test.fold + 1).max().unwrap_or(0);
    let mut total = Tally {
        tests: 0,
        decided: 0,
        right: 0,
    };
    for fold in 0..n_folds {
        let (held, known): (Vec<&Judged>, Vec<&Judged>) =
            tests.iter().partition(|test| test.fold == fold);
        let threshold = report::threshold(&report::out_of_fold(&known, prior), precision);
        let rows: Vec<&[fit::Row]> = known.iter().map(|test| test.rows.as_slice()).collect();
        let model = fit::fit(&rows, prior);
        let picks: Vec<Option<Pick>> = held.iter().map(|test| report::pick(&model, test)).collect();
        let tally = Tally::of(&picks, threshold);
        total.tests += tally.tests;
        total.decided += tally.decided;
        total.right += tally.right;
    }
    total
}

fn others(language: Language, tests: &[&Judged]) -> String {
    let mut text = String::new();
    for (at, name) in data::rules(language).into_iter().enumerate() {
        let picks: Vec<Option<Pick>> = tests
            .iter()
            .map(|test| {
                test.picked[at].as_deref().map(|key| Pick {
                    weight: 1.0,
                    is_right: test.is_right(Some(key)),
                })
            })
            .collect();
        let _ = writeln!(text, "- `{name}`: {}", Tally::of(&picks, 0.0).line());
    }
    text
}

fn calibration(picks: &[Option<Pick>], threshold: f64) -> String {
    format!(
        "\nThreshold: {threshold:.2}. Expected calibration error of the best candidate's weight: {:.3} over all\ntests with a candidate, {:.3} over those that are decided.\n\n",
        report::calibration_error(picks, 0.0),
        report::calibration_error(picks, threshold)
    )
}

/// Lists how the correctly decided tests reach their focal methods.
fn by_reach(tests: &[&Judged], picks: &[Option<Pick>], threshold: f64) -> String {
    let mut text =
        "\n| the focal method is reached | tests | a candidate | decided | right |\n| --- | --: | --: | --: | --: |\n"
            .to_owned();
    let kinds = [
        "direct",
        "helper",
        "library_receiver",
        "constructor",
        "implicit",
        "none",
    ];
    for kind in kinds {
        let of_kind: Vec<(&&Judged, &Option<Pick>)> = tests
            .iter()
            .zip(picks)
            .filter(|(test, _)| test.reach == kind)
            .collect();
        let n_candidate = of_kind
            .iter()
            .filter(|(test, _)| test.rows.iter().any(|row| row.is_right))
            .count();
        let picks: Vec<Option<Pick>> = of_kind.iter().map(|(_, pick)| **pick).collect();
        let tally = Tally::of(&picks, threshold);
        let _ = writeln!(
            text,
            "| {} | {} | {n_candidate} | {} | {} |",
            kind.replace('_', " "),
            tally.tests,
            tally.decided,
            tally.right
        );
    }
    text
}

/// Evaluates a table on tests of other repositories, judged after the kinds of evidence were fixed.
fn holdout(language: Language, says: &str, model: &fit::Model, threshold: f64) -> String {
    if !data::folder(language).join("holdout.jsonl").is_file() {
        return String::new();
    }
    let tests = data::read(language, "holdout", "holdout_evidence");
    let all: Vec<&Judged> = tests.iter().collect();
    let picks: Vec<Option<Pick>> = all.iter().map(|test| report::pick(model, test)).collect();
    let mut text = format!(
        "\n## Held out, {} tests of other repositories\n\n{says}\n\n- `evidence`: {}\n",
        all.len(),
        Tally::of(&picks, threshold).line()
    );
    text += &others(language, &all);
    text += &calibration(&picks, threshold);
    text += &report::curve(&picks);
    text
}

fn weights(model: &fit::Model) -> String {
    let mut text = "\n## Weights\n\nWhat each kind adds to a candidate's score, the logarithm of its odds against the others and against none.\n\n| adds | the method … |\n| --: | --- |\n"
        .to_owned();
    let mut kinds: Vec<(f64, Evidence)> = model
        .columns
        .iter()
        .copied()
        .zip(Evidence::ALL.iter().copied())
        .collect();
    kinds.sort_by(|a, b| b.0.total_cmp(&a.0));
    // In most languages there is no evidence from traces.
    for (log_odds, kind) in kinds.into_iter().filter(|kind| kind.0 != 0.0) {
        let _ = writeln!(text, "| {log_odds:+.2} | {} |", kind.explain());
    }
    let _ = writeln!(text, "| {:+.2} | (none of them) |", model.none);
    text
}

/// Weights as they stand in the table: a thousandth more or less is noise.
fn rounded(model: fit::Model) -> fit::Model {
    let round = |value: f64| (value * 1000.0).round() / 1000.0 + 0.0;
    fit::Model {
        none: round(model.none),
        columns: model.columns.into_iter().map(round).collect(),
    }
}

/// Writes the text about the threshold in a language's table: the precision that it was chosen for, and the measured
/// one.
fn measured(language: Language, nested: Tally) -> String {
    format!(
        "/// The least weight of a pick. It is the lowest at which picks out of fold are right in {} of the cases.\n///\n\
         /// Measured in {} tests, in folds that neither weights nor threshold were fitted to: {} picks, of which a share of\n\
         /// `{}` is right (Wilson's interval at 95 %).\n",
        precision(language),
        nested.tests,
        nested.decided,
        report::interval(nested.right, nested.decided),
    )
}

/// Writes the row of `docs/matching.md` with the precision of a table.
fn row(language: Language, nested: Tally) -> String {
    format!(
        "| {} | {} | {} | {} | {} | {} |",
        focalist::syntax::dialect(language).name,
        precision(language),
        nested.tests,
        nested.decided,
        report::interval(nested.right, nested.decided),
        report::interval(nested.right, nested.tests),
    )
}

/// Writes the table for `src/focal/weigh/<language>.rs`; `measured` is the text about the threshold.
fn table(measured: &str, threshold: f64, model: &fit::Model) -> String {
    let mut text = format!(
        "//! Written by the fit, see `tests/fixtures/labels/README.md`; not by hand.\n\nuse crate::model::Evidence;\n\n\
         {measured}\
         pub const THRESHOLD: f64 = {:?};\n\n/// The score of no candidate being right.\n\
         pub const NONE: f64 = {:?};\n\n\
         /// What each kind adds to a candidate's score, in the order of [`Evidence::ALL`].\n\
         pub const LOG_ODDS: &[(Evidence, f64)] = &[\n",
        threshold, model.none
    );
    for (kind, log_odds) in Evidence::ALL.iter().zip(&model.columns) {
        let _ = writeln!(text, "    (Evidence::{kind:?}, {log_odds:?}),");
    }
    text + "];\n"
}

#[test]
fn weights_and_report_are_those_of_the_fit() {
    for (language, ..) in JUDGED {
        check_fit(language);
    }
}

fn check_fit(language: Language) {
    let outcome = outcome(language);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table_path = root.join(format!("src/focal/weigh/{}.rs", language.as_str()));
    let report_path = data::folder(language).join("REPORT.md");
    let measured = measured(language, outcome.nested);
    if std::env::var_os("UPDATE_WEIGHTS").is_some() {
        let table = table(&measured, outcome.threshold, &outcome.model);
        fs::write(&table_path, table).expect("the table can be written");
        fs::write(&report_path, &outcome.report).expect("the report can be written");
        return;
    }
    let source = fs::read_to_string(&table_path).expect("the table can be read");
    assert!(source.contains(&measured), "{measured}");
    let docs = fs::read_to_string(root.join("docs/matching.md")).expect("the page can be read");
    let row = row(language, outcome.nested);
    assert!(docs.contains(&row), "docs/matching.md: {row}");
    let close = |a: f64, b: f64| (a - b).abs() < 0.0015;
    let held = weigh::table(language);
    assert!(close(held.threshold, outcome.threshold), "{language:?}");
    for (kind, fitted) in Evidence::ALL.iter().zip(&outcome.model.columns) {
        let held = held.log_odds(*kind);
        assert!(
            close(held, *fitted),
            "{language:?}, {kind:?}: {held} in the table, {fitted} by the fit"
        );
    }
    let report = fs::read_to_string(&report_path).expect("the report can be read");
    assert_eq!(
        report, outcome.report,
        "run UPDATE_WEIGHTS=1 cargo test labels"
    );
}

#[test]
fn labels_are_many_of_many_repositories_and_folds_never_share_one() {
    for (language, n_tests, n_repos) in JUDGED {
        let tests = data::read(language, "labels", "evidence");
        let mut folds = std::collections::BTreeMap::new();
        for test in &tests {
            let fold = folds.entry(test.repo.clone()).or_insert(test.fold);
            assert_eq!(*fold, test.fold, "{}", test.repo);
            assert_eq!(test.focal.is_empty(), test.reach == "none", "{}", test.test);
        }
        assert!(tests.len() >= n_tests && folds.len() >= n_repos);
    }
}
