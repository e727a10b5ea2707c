//! No text is parsed twice: neither a file in mining nor a text of a pair in scoring.
//!
//! The parser counts per thread, so everything here runs on one thread.

use std::path::PathBuf;

use focalist::metric::metrics_of;
use focalist::metric::scorer::{Scorer, ScoringExtras, Settings};
use focalist::mine::{self, Languages, MiningOptions, Target};
use focalist::model::Language;
use focalist::store::{Store, StoreAccess};
use focalist::syntax::parses::{self, ParseCounts};
use focalist::task::Monitor;

use crate::support::{Place, sample_data};

/// Runs `work` on one thread; returns how often the parser ran.
fn counted<R: Send>(work: impl FnOnce() -> R + Send) -> (R, ParseCounts) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
    let pool = pool.build().expect("a thread can be started");
    pool.install(|| {
        let before = parses::on_this_thread();
        let done = work();
        (done, parses::on_this_thread() - before)
    })
}

/// Mines a folder into a workspace of its own; returns how many files it has and how often the parser ran.
fn mined(root: &str, language: Language) -> (u64, ParseCounts) {
    let place = Place::new();
    let target = Target {
        root: PathBuf::from(root),
        ..Target::default()
    };
    let options = MiningOptions {
        languages: Languages::One(language),
        ..MiningOptions::default()
    };
    let folder = place.path(".focalist");
    let (report, parses) = counted(|| {
        let mut store = Store::open(&folder, StoreAccess::Create).expect("a workspace can be made");
        mine::mine(&mut store, &Monitor::default(), &options, &[target]).expect("it is mined")
    });
    let n_files = report.repos.iter().map(|repo| repo.n_files).sum();
    (n_files, parses)
}

#[test]
fn mining_parses_every_file_once() {
    // Beside the files: methods whose tokens their files do not tell, and files of JavaScript with errors. The one of
    // C# has an error, and is read alone and in a class.
    let expected = [
        ("repos/measurekit", Language::Java, 0, 0),
        ("languages/seedtray", Language::Python, 0, 0),
        ("languages/kilnlog", Language::Go, 0, 0),
        ("languages/purlwise", Language::JavaScript, 6, 1),
        ("languages/larderbook", Language::CSharp, 2, 0),
    ];
    let found = expected.map(|(below, language, _, _)| {
        let root = sample_data(below);
        // What is built in is parsed once in a process.
        mined(&root, language);
        let (n_files, parses) = mined(&root, language);
        assert!(n_files > 0, "{below} has files");
        (below, language, parses.n_texts - n_files, parses.n_again)
    });
    assert_eq!(found, expected);
}

/// Scores pairs one after the other with one scorer; returns how often the parser ran.
fn scored(
    language: Language,
    metrics: &[&str],
    pairs: &[(&str, &str)],
    beside: ScoringExtras,
) -> u64 {
    let metrics = metrics_of(metrics.iter().copied()).expect("the metrics are known");
    let settings = Settings {
        beside,
        ..Settings::new(language, metrics)
    };
    let mut scorer = Scorer::new(&settings);
    let ((), parses) = counted(|| {
        for (reference, prediction) in pairs {
            scorer.score(&[reference], prediction);
        }
    });
    parses.n_texts
}

/// Two answers to one test in each language, the first with a comment, which CodeBLEU removes before it parses.
const ANSWERS: [(Language, [&str; 3]); 5] = [
    (
        Language::Java,
        [
            "@Test public void a() { f(1); }",
            "@Test public void a() { /* b */ f(2); }",
            "@Test public void a() { f(3); }",
        ],
    ),
    (
        Language::Python,
        [
            "def a():\n    assert f(1)",
            "def a():\n    # b\n    assert f(2)",
            "def a():\n    assert f(3)",
        ],
    ),
    (
        Language::Go,
        [
            "func a() {\n\tf(1)\n}",
            "func a() {\n\t// b\n\tf(2)\n}",
            "func a() {\n\tf(3)\n}",
        ],
    ),
    (
        Language::JavaScript,
        [
            "it('a', () => { f(1); });",
            "it('a', () => { /* b */ f(2); });",
            "it('a', () => { f(3); });",
        ],
    ),
    (
        Language::CSharp,
        [
            "[Fact] public void A() { F(1); }",
            "[Fact] public void A() { /* b */ F(2); }",
            "[Fact] public void A() { F(3); }",
        ],
    ),
];

#[test]
fn a_pair_is_parsed_as_often_as_it_has_texts_to_be_parsed() {
    for (language, [reference, commented, plain]) in ANSWERS {
        let check = |metrics: &[&str], answers: &[&str], beside, expected: u64| {
            let pairs: Vec<(&str, &str)> =
                answers.iter().map(|answer| (reference, *answer)).collect();
            let n_parses = scored(language, metrics, &pairs, beside);
            assert_eq!(n_parses, expected, "{language:?} {metrics:?} {answers:?}");
        };
        let is_java = language == Language::Java;
        check(&["edit"], &[commented], ScoringExtras::Nothing, 0);
        check(&["edit"], &[commented], ScoringExtras::Verdict, 1);
        // Java's tokens need no tree.
        check(
            &["edit"],
            &[commented],
            ScoringExtras::Reading,
            if is_java { 1 } else { 2 },
        );
        check(
            &["bleu"],
            &[commented],
            ScoringExtras::Verdict,
            if is_java { 1 } else { 2 },
        );
        // The verdict's text, and both without comments.
        check(&["codebleu"], &[commented], ScoringExtras::Verdict, 3);
        // Java's verdict is on the prediction in a class, whose tree holds that of the prediction alone.
        check(&["codebleu"], &[plain], ScoringExtras::Verdict, 2);
        // The truth against itself, and a reference that comes again, are parsed no more.
        let ceiling = ["codebleu", "codebleu:ceiling", "codebleu:k4black"];
        check(&ceiling, &[commented], ScoringExtras::Verdict, 3);
        check(&ceiling, &[commented, plain], ScoringExtras::Verdict, 4);
        check(
            &ceiling,
            &[plain, commented, plain],
            ScoringExtras::Nothing,
            3,
        );
    }
}
