//! Compare on an index of its own; all answers come from that index.

use std::cell::LazyCell;
use std::collections::VecDeque;

use tempfile::TempDir;

use crate::app::App;
use crate::chore::Chore;
use crate::eval::by::GroupBy;
use crate::eval::crystal::CrystalOptions;
use crate::eval::evaluate::{EvalOptions, evaluate};
use crate::event::{Effect, UiEvent};
use crate::fixture::{self, AnswerResult};
use crate::key;
use crate::metric::metrics_of;
use crate::model::{PredictionReading, SampleKey};
use crate::question::shared::RunsQuestion;
use crate::question::source::{AnswerSource, SharedJobTable};
use crate::question::{AnyQuestion, QuestionFailure, QuestionRequest};
use crate::screen::compare::questions::{RefinementQuestion, SELECTION};
use crate::stage::UiStage;
use crate::store::Store;
use crate::store::testing::{GivenPrediction, counter_repo, key_of, put_unread_run, store_with};
use crate::task::Monitor;
use crate::tests::{Answering, SIZES, check_frame_of, shown, start};
use crate::theme::Depth;
use crate::work::BackgroundTask;

const REPOS: [&str; 12] = [
    "ab", "bc", "cd", "de", "ef", "fg", "gh", "hi", "ij", "jk", "kl", "lm",
];

fn given(key: SampleKey, answer: &str) -> GivenPrediction {
    GivenPrediction {
        key,
        attempt: 0,
        answer: answer.to_owned(),
        reading: PredictionReading::default(),
        tags: None,
        values: Vec::new(),
    }
}

const RIGHT: &str = "assertEquals(\"foo bar\", 5, counter.get());";
const WRONG: &str = "assertTrue(counter.get() > 4);";
const BROKEN: &str = "assertEquals(6, counter.get()";

/// Returns the samples that the runs answer: the test of each repository.
pub fn keys() -> Vec<SampleKey> {
    REPOS.map(|text| key_of(text, "testInc")).into()
}

fn answers(of: impl Fn(usize) -> &'static str) -> Vec<GivenPrediction> {
    let repos = REPOS.iter().enumerate();
    let answers = repos.map(|(idx, repo)| given(key_of(repo, "testInc"), of(idx)));
    answers.collect()
}

/// Makes an index with four runs: hasty is worse than steady, less has fewer answers, and raw is not evaluated.
fn store() -> (TempDir, Store) {
    let repos = REPOS.map(counter_repo);
    let (folder, mut store) = store_with(&repos);
    let wrong_at = |is_wrong: bool, answer| if is_wrong { answer } else { RIGHT };
    let less = answers(|idx| wrong_at(idx % 3 == 0, WRONG));
    put_unread_run(&mut store, "less", &less[..7]);
    let steady = answers(|idx| wrong_at(idx % 5 == 0, WRONG));
    put_unread_run(&mut store, "steady", &steady);
    let hasty = answers(|idx| match idx % 4 {
        1 => BROKEN,
        3 => WRONG,
        _ => RIGHT,
    });
    put_unread_run(&mut store, "hasty", &hasty);
    evaluate_all(&mut store, &["less", "steady", "hasty"]);
    put_unread_run(&mut store, "raw", &less);
    (folder, store)
}

fn evaluate_all(store: &mut Store, runs: &[&str]) {
    let options = EvalOptions {
        runs: runs.iter().map(|run| (*run).to_owned()).collect(),
        metrics: metrics_of(["bleu", "edit", "em"]).expect("the metrics are known"),
        weights: [0.25; 4],
        crystal: CrystalOptions::default(),
        ast: None,
        force: false,
    };
    evaluate(store, &Monitor::default(), &options).expect("runs are evaluated");
}

thread_local! {
    static STORE: LazyCell<(TempDir, Store)> = LazyCell::new(store);
}

/// Answers from an index with the runs less, steady, hasty and raw.
pub fn answer(asked: &dyn AnyQuestion) -> AnswerResult {
    let jobs = SharedJobTable::default();
    STORE.with(|lazy_cell| {
        asked
            .find(&AnswerSource::of(&lazy_cell.1, &jobs))
            .map_err(QuestionFailure::from)
    })
}

fn pressed(width: u16, height: u16, keys: &str) -> UiStage<Answering> {
    let start = start(width, height, "ansi16", Depth::Mono);
    let mut stage = UiStage::new(start, answer as Answering);
    stage.press(keys).expect("the script is well-formed");
    stage
}

fn check(keys: &str, expected: &[&str]) {
    let text = shown(&pressed(120, 40, keys));
    for part in expected {
        assert!(
            text.contains(part),
            "`{part}` is missing after `{keys}`:\n{text}"
        );
    }
}

#[test]
fn compare_looks_as_it_did() {
    for (width, height) in SIZES {
        check_frame_of(answer, "compare", (width, height), "gc");
    }
    check_frame_of(answer, "compare_slices", (80, 24), "gcFlen<cr>");
    check_frame_of(answer, "compare_histogram", (80, 24), "gcvv");
    check_frame_of(answer, "compare_zoomed", (80, 24), "gcdd<enter>");
    check_frame_of(answer, "compare_three", (120, 40), "gc+less<cr>");
    check_frame_of(answer, "compare_answers", (200, 50), "gcd");
    check_frame_of(only_one, "compare_one", (80, 24), "gc");
}

fn only_one(asked: &dyn AnyQuestion) -> AnswerResult {
    let one = |_: &RunsQuestion| {
        STORE.with(|lazy_cell| lazy_cell.1.runs().expect("the index reads")[..1].to_vec())
    };
    fixture::given(asked, one).unwrap_or_else(|| answer(asked))
}

#[test]
fn the_two_newest_evaluated_runs_are_compared_and_the_worst_comes_first() {
    check(
        "gc",
        &[
            "A steady (baseline) against B hasty",
            "12 shared",
            "worst first in BLEU",
            "1/12",
            "10,000 resamples",
            "ground truth − / B hasty +",
        ],
    );
}

#[test]
fn runs_change_places_and_others_come_in() {
    check("gcb", &["A hasty (baseline) against B steady"]);
    check(
        "gcRless<cr>",
        &[
            "A steady (baseline) against B less",
            "5 samples of A left out",
        ],
    );
    check("gcBless<cr>", &["A less (baseline) against B hasty"]);
    check("gcRsteady<cr>", &["A hasty (baseline) against B steady"]);
    check(
        "gc+less<cr>",
        &["against B less (2 of 2 runs, c turns)", " C "],
    );
    check("gc+less<cr>c", &["against B hasty (1 of 2 runs"]);
    check(
        "gc+less<cr>-",
        &["A steady (baseline) against B hasty", "12 shared"],
    );
    check("gc-", &["it takes two runs"]);
    check("gcc", &["+ adds one"]);
}

#[test]
fn runs_that_cannot_be_compared_say_why_and_what_to_do() {
    check(
        "gcRraw<cr>",
        &[
            "no scored sample in common",
            "R another run",
            "r evaluates them again",
        ],
    );
    let nothing: Answering = |asked| {
        fixture::given(asked, |_: &RunsQuestion| Vec::new()).unwrap_or_else(|| answer(asked))
    };
    let start = start(80, 24, "dark", Depth::True);
    let mut stage = UiStage::new(start, nothing);
    for keys in [
        "gc", "R", "B", "+", "-", "c", "b", "m", "S", "E", "r", "s", "ydyayt", "nN}{",
    ] {
        stage.press(keys).expect("well-formed");
        stage.press("<esc><esc>gc").expect("well-formed");
        assert_eq!(
            stage
                .other_effects
                .iter()
                .filter(|it| matches!(it, Effect::Work(_)))
                .count(),
            0
        );
    }
    let text = shown(&stage);
    assert!(text.contains("there is no run to compare"), "{text}");
}

#[test]
fn a_filter_and_a_slice_leave_what_they_name() {
    check(
        "gcfoutcome:worse<cr>",
        &["of B: outcome:worse · 5 of 12 shared", "1/5"],
    );
    check("gcfrepo:ab<cr>", &["· repo:ab · 1 of 12 shared"]);
    check(
        "gcfrepo:nowhere<cr>",
        &["0 of 12 shared", "no sample passes the filter"],
    );
    check("gcfsort:repo<cr>", &["sorted by their difference"]);
    check(
        "gcfrun:less baseline:hasty metric:em<cr>",
        &["A hasty (baseline) against B less"],
    );
    check("gcfrun:nobody<cr>", &["no run `nobody`"]);
    // By whatever the slices are made, a slice's own filter selects as many samples as the slice has. Confidence
    // intervals do not matter here.
    let shown_by = |keys: &str| {
        let mut stage = UiStage::new(start(120, 40, "ansi16", Depth::Mono), undrawn as Answering);
        stage.press(keys).expect("the script is well-formed");
        shown(&stage)
    };
    for by in GroupBy::ALL.iter().map(|group_by| group_by.as_str()) {
        let before = shown_by(&format!("gcF{by}<cr>"));
        let row = before.lines().find(|line| line.matches('▌').count() == 2);
        let row = row.unwrap_or_else(|| panic!("no slices by {by}:\n{before}"));
        let slice = row.rsplit('▌').next().unwrap_or_default();
        let cells: Vec<&str> = slice.split_whitespace().collect();
        let n = cells[cells.len() - 4];
        let after = shown_by(&format!("gcF{by}<cr><enter>"));
        assert!(after.contains(&format!("1/{n} ")), "{by}: {n}\n{after}");
    }
}

#[test]
fn a_filter_speaks_of_the_run_that_is_looked_at_and_says_so() {
    check("gcf", &["filter (fields of a run: B's)"]);
    check("gc?filter", &["are B's"]);
    // Of three runs, the filter is about B: hasty never parses for three samples, less always does.
    check(
        "gc+less<cr>cfparse:fail<cr>",
        &["against B hasty", "of B: parse:fail", "2 of 7 shared"],
    );
    check(
        "gc+less<cr>fparse:fail<cr>",
        &["against B less", "of B: parse:fail", "0 of 7 shared"],
    );
}

#[test]
fn small_slices_are_counted() {
    check("gc", &["strongest evidence first", "12, 12 small"]);
    let text = shown(&pressed(120, 40, "gcFlen<cr>"));
    assert!(!text.contains("small"), "{text}");
}

#[test]
fn the_runs_of_results_are_compared() {
    check(
        "grfrun:steady baseline:less<cr>gc",
        &["A less (baseline) against B steady"],
    );
    // With several runs, the others stay.
    check(
        "gc+less<cr>grfrun:hasty baseline:steady<cr>gc",
        &["A steady (baseline) against B hasty (1 of 2 runs"],
    );
    // Results without a baseline leaves the comparison as it is.
    check(
        "grfrun:less<cr>gc",
        &["A steady (baseline) against B hasty"],
    );
}

#[test]
fn tags_are_counted_on_both_sides_and_lead_to_the_samples_that_differ() {
    // Hasty has three broken answers that steady has not, and three wrong ones where steady's differ.
    let text = shown(&pressed(120, 40, "gcFtag<cr>"));
    let row = |tag: &str| {
        let lines = text.lines().filter_map(|line| line.split('┃').nth(1));
        let mut found = lines.filter(|line| line.contains(tag));
        let row = found.next().unwrap_or_else(|| panic!("no {tag}:\n{text}"));
        let cells: Vec<&str> = row.split_whitespace().collect();
        let from = cells.iter().position(|cell| *cell == tag).unwrap_or(0);
        cells[from + 1..from + 4].join(" ")
    };
    assert_eq!(row("unparsable"), "0 3 +.250");
    assert_eq!(row("exact"), "9 6 −.250");
    assert!(text.contains("strongest evidence"), "{text}");
    check(
        "gcFtag<cr>G<enter>",
        &["of B: tag-differs:", "12 shared", "worst first"],
    );
    check("gcftag-differs:unparsable<cr>", &["3 of 12 shared"]);
}

#[test]
fn the_test_around_the_answers_has_the_keys_of_code() {
    check("gc<s-tab>/inc<cr>", &["test · p.CounterTest#", "1 of "]);
    check("gc<s-tab>/inc<cr><esc><esc>}", &["2/12"]);
    // There is room below both differences, or below the only one, or none.
    let is_there = |width, height, keys| shown(&pressed(width, height, keys)).contains("test · p.");
    assert!(is_there(200, 50, "gc"));
    assert!(is_there(80, 24, "gc<enter>"));
    assert!(!is_there(80, 24, "gc"));
    assert!(!is_there(120, 40, "gcfrepo:nowhere<cr>"));
}

#[test]
fn the_metric_under_the_cursor_decides_what_is_listed() {
    check("gc<tab><tab>j", &["worst first in edit"]);
    check("gcmem<cr>", &["worst first in EM"]);
    check(
        "gcmem<cr>foutcome:worse<cr>mbleu<cr>",
        &["outcome:worse · 5 of 12"],
    );
    check("gc,d", &["best first", "the greatest gain first"]);
}

/// Answers all questions but selections, and returns those.
fn answered_but_selections(app: &mut App, effects: Vec<Effect>) -> Vec<QuestionRequest> {
    let (mut left, mut kept) = (VecDeque::from(effects), Vec::new());
    while let Some(effect) = left.pop_front() {
        match effect {
            Effect::Ask(ask) if ask.slot == SELECTION => kept.push(ask),
            Effect::Ask(ask) => {
                let reply = ask.answered(answer(&*ask.question));
                left.extend(app.update(UiEvent::Reply(reply)));
            }
            _ => {}
        }
    }
    kept
}

#[test]
fn what_is_chosen_while_a_selection_is_on_its_way_holds() {
    let check = |before: &str, keys: &str, expected: &[&str]| {
        let mut stage = pressed(120, 40, before);
        let mut kept = Vec::new();
        for key in key::parse(keys).expect("the script is well-formed") {
            let effects = stage.app.update(UiEvent::Key(key));
            kept.extend(answered_but_selections(&mut stage.app, effects));
        }
        for ask in kept {
            let reply = ask.answered(answer(&*ask.question));
            stage.send(UiEvent::Reply(reply));
        }
        let text = shown(&stage);
        for part in expected {
            assert!(text.contains(part), "`{part}` is missing:\n{text}");
        }
    };
    check("", "gcmem<cr>", &["worst first in EM"]);
    let both = ["repo:ab · 1 of 12 shared", "worst first in EM"];
    check("gc", "frepo:ab<cr>mem<cr>", &both);
}

#[test]
fn regressions_are_stepped_through_without_a_search() {
    check("gcn", &["regression 2 of 5", "2/12"]);
    check("gcN", &["regression 5 of 5", "5/12"]);
    check("gc,dn", &["regression 1 of 5", "8/12"]);
    check("gc/testinc<cr>n", &["/12"]);
    check("gc/nowhere<cr>", &["no test or focal method of that name"]);
    check("gc<tab>/counter<cr>", &["counter: 1 of"]);
}

#[test]
fn three_texts_are_held_against_each_other() {
    check("gcd", &["A steady − / B hasty +"]);
    check("gcdd", &["ground truth − / A steady +"]);
    check("gcD", &["difference: unified"]);
    let wide = shown(&pressed(200, 50, "gc"));
    for title in ["ground truth − / A steady +", "ground truth − / B hasty +"] {
        assert!(wide.contains(title), "{wide}");
    }
    let stage = pressed(120, 40, "gcybyt");
    let copied: Vec<&Effect> = stage.other_effects.iter().collect();
    assert!(
        matches!(copied.as_slice(), [.., Effect::Copy(_), Effect::Copy(text)] if text.contains("assertEquals")),
        "{copied:?}"
    );
}

#[test]
fn a_list_is_saved_as_a_filter_that_says_all() {
    check("gcfoutcome:worse<cr>Sre gress<cr>", &["letters, digits"]);
    let stage = pressed(120, 40, "gcfoutcome:worse<cr>Sregress<cr>");
    let chores = stage
        .other_effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Chore(chore) => Some(chore.as_ref()),
            _ => None,
        });
    let text = "run:hasty baseline:steady metric:bleu outcome:worse sort:delta";
    let saved = Chore::SaveFilter {
        name: "regress".to_owned(),
        text: text.to_owned(),
    };
    assert_eq!(chores.collect::<Vec<_>>(), [&saved]);
}

#[test]
fn a_list_is_written_to_a_new_file_only() {
    let folder = tempfile::tempdir().expect("tests may make folders");
    let path = folder.path().join("out.jsonl");
    let name = path.display().to_string();
    let keys = format!("gcfoutcome:worse<cr>E<c-u>{name}<cr>");
    check(&keys, &["wrote 5 samples to"]);
    let text = std::fs::read_to_string(&path).expect("it is there");
    assert_eq!(text.lines().count(), 5);
    assert!(
        text.lines().all(|line| line.contains("\"run\":\"hasty\"")),
        "{text}"
    );
    check(&keys, &["this file exists already"]);
    assert_eq!(std::fs::read_to_string(&path).ok(), Some(text));
}

#[test]
fn both_runs_are_evaluated_again_as_a_job() {
    let stage = pressed(120, 40, "gcjjr");
    let Some(Effect::Work(BackgroundTask::Start(new))) = stage.other_effects.last() else {
        panic!("{:?}", stage.other_effects.last());
    };
    let words: Vec<_> = new
        .arguments
        .iter()
        .map(|argument| argument.to_string_lossy())
        .collect();
    assert_eq!(words[..3], ["eval", "--run=steady", "--run=hasty"]);
}

/// Never refines the intervals, as if the user pressed keys at once.
fn undrawn(asked: &dyn AnyQuestion) -> AnswerResult {
    match asked.of::<RefinementQuestion>() {
        Some(_) => Err(QuestionFailure::Other("stopped".to_owned())),
        None => answer(asked),
    }
}

#[test]
fn what_is_drawn_is_stopped_by_escape_and_rows_stay() {
    let start = start(120, 40, "ansi16", Depth::Mono);
    let mut stage = UiStage::new(start, undrawn as Answering);
    stage.press("gcj").expect("well-formed");
    let text = shown(&stage);
    assert!(
        text.contains("≈ standard error") && text.contains("2/12"),
        "{text}"
    );
}

#[test]
fn a_storm_of_keys_on_compare_never_panics() {
    let keys = [
        "j",
        "k",
        "G",
        "gg",
        "<tab>",
        "<s-tab>",
        "<enter>",
        "<esc>",
        "d",
        "D",
        "W",
        "]",
        "[",
        "za",
        "z+",
        "z-",
        "n",
        "N",
        "}",
        "{",
        "b",
        "c",
        "-",
        "v",
        ",d",
        "Frepo<cr>",
        "Flen<cr>",
        "mem<cr>",
        "mbleu<cr>",
        "+less<cr>",
        "Rless<cr>",
        "Bhasty<cr>",
        "Rraw<cr>",
        "fparse:fail<cr>",
        "f<c-u><cr>",
        "foutcome:worse<cr>",
        "/inc<cr>",
        "J",
        "K",
        "w",
        "<c-l>",
        "yy",
        "yi",
    ];
    let mut state = 7_u64;
    for (width, height) in SIZES {
        let mut stage = pressed(width, height, "gc");
        for _ in 0..120 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let key = keys[(state >> 33) as usize % keys.len()];
            stage.press(key).expect("well-formed");
            // Esc may lead home.
            if !shown(&stage).contains(" Compare ") {
                stage.press("<esc>gc").expect("well-formed");
            }
            assert!(!shown(&stage).is_empty());
        }
    }
}
