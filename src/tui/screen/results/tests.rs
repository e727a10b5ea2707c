//! Results on a real index: two runs over the counters of two repositories.

use std::fmt::Write as _;
use std::io::{BufRead, Cursor};

use ratatui::layout::Size;

use crate::chore::Chore;
use crate::eval::crystal::CrystalOptions;
use crate::eval::evaluate::{EvalOptions, evaluate};
use crate::eval::import::{ImportOptions, PredictionFormat, import};
use crate::event::{Effect, UiEvent};
use crate::metric::metrics_of;
use crate::model::{BlockedReason, Outcome};
use crate::model::{Extraction, Filter, Join, Language, ParseMode, RunSetting, Target};
use crate::question::source::{AnswerSource, SharedJobTable};
use crate::question::{AnyQuestion, QuestionFailure};
use crate::review::ReviewOptions;
use crate::screen::results::fixture;
use crate::store::testing::{counter_repo, store_with};
use crate::store::{Store, TRUTH, TRUTH_SOURCE};
use crate::task::Monitor;
use crate::tests::bench::Bench;
use crate::tests::check_frame_of;

/// Imports a run that answers the n-th sample with `answer` of n, and evaluates it.
pub fn put(store: &mut Store, name: &str, answer: impl Fn(usize) -> &'static str) {
    put_unevaluated(store, name, answer);
    let options = EvalOptions {
        runs: vec![name.to_owned()],
        metrics: metrics_of(["bleu", "codebleu", "edit", "em"]).expect("they exist"),
        weights: [0.25; 4],
        crystal: CrystalOptions::default(),
        ast: None,
        force: false,
    };
    evaluate(store, &Monitor::default(), &options).expect("the run is evaluated");
}

fn put_unevaluated(store: &mut Store, name: &str, answer: impl Fn(usize) -> &'static str) {
    put_from(store, (name, "answers.jsonl"), answer);
}

fn put_from(
    store: &mut Store,
    (name, source): (&str, &str),
    answer: impl Fn(usize) -> &'static str,
) {
    let keys = store.keys(&Filter::default()).expect("the index reads");
    let monitor = Monitor::default();
    let mut lines = String::new();
    for (idx, key) in keys.iter().enumerate() {
        let answer = answer(idx).replace('"', "\\\"");
        writeln!(
            lines,
            "{{\"sample\":\"{key}\",\"prediction\":\"{answer}\"}}"
        )
        .expect("a string takes every text");
    }
    let options = ImportOptions {
        setting: RunSetting {
            name: name.to_owned(),
            model: None,
            target: Target::Assertion,
            matcher: store.shown_matcher().expect("the index reads"),
            language: Language::Java,
            extraction: Extraction::None,
            parse_mode: ParseMode::Strict,
            length_max: None,
            source: source.to_owned(),
            imported_at: 0,
        },
        form: PredictionFormat::of_file("answers.jsonl"),
        ids: None,
        join: Join::default(),
        aligned_with: None,
        is_encoded: false,
        is_replacing: false,
        is_strict: false,
    };
    let input: Box<dyn BufRead> = Box::new(Cursor::new(lines.into_bytes()));
    let mut files = [("answers.jsonl".to_owned(), input)];
    import(store, &monitor, &options, &mut files).expect("the answers are read");
}

/// Opens an index with the runs `good` and `bad`; every answer of `bad` is wrong in another way.
pub fn opened(keys: &str) -> Bench {
    opened_by("", keys)
}

fn opened_by(annotator: &str, keys: &str) -> Bench {
    let (folder, mut store) = store_with(&[counter_repo("a"), counter_repo("b")]);
    put(
        &mut store,
        "good",
        |_| "assertEquals(\"foo bar\", 5, counter.get());",
    );
    put(&mut store, "bad", |idx| match idx % 3 {
        0 => "assertEquals(\"foo bar\", 6, counter.get());",
        1 => "assertEquals(\"foo bar\", 5, counter.get(",
        _ => "assertTrue(counter.isEmpty());",
    });
    let reviewing = ReviewOptions {
        annotator: annotator.to_owned(),
        ..ReviewOptions::default()
    };
    Bench::open(folder, store, reviewing, keys)
}

#[test]
fn the_newest_run_is_shown_with_truth_and_prediction() {
    let bench = opened("gr");
    for expected in [
        "bad",
        "ground truth",
        "prediction",
        "literal",
        "CounterTest.testInc",
    ] {
        bench.check_shows(expected);
    }
}

#[test]
fn a_run_that_is_not_evaluated_says_so_and_denies_no_ground_truth() {
    let (folder, mut store) = store_with(&[counter_repo("a")]);
    put_unevaluated(&mut store, "raw", |_| "assertTrue(counter.isEmpty());");
    let mut bench = Bench::open(folder, store, ReviewOptions::default(), "gr");
    bench.press("i");
    bench.check_shows("the run is not evaluated · r evaluates it");
    let text = bench.text();
    assert!(!text.contains("no ground truth"), "{text}");
}

#[test]
fn the_run_of_true_tests_has_no_predictions_in_its_titles() {
    let (folder, mut store) = store_with(&[counter_repo("a")]);
    let truth = (TRUTH, TRUTH_SOURCE);
    put_from(
        &mut store,
        truth,
        |_| "assertEquals(\"foo bar\", 5, counter.get());",
    );
    let mut bench = Bench::open(folder, store, ReviewOptions::default(), "gr");
    for keys in ["", "i"] {
        bench.press(keys);
        bench.check_shows("ground truth − / true test +");
        let text = bench.text();
        assert!(!text.contains("prediction +"), "{text}");
    }
    // Without a metric, there is no dot for its name either.
    bench.check_shows("┏ CounterTest.testInc ━");
}

#[test]
fn a_narrow_list_has_no_column_that_is_empty() {
    let (folder, mut store) = store_with(&[counter_repo("a")]);
    put_unevaluated(&mut store, "raw", |_| "assertTrue(counter.isEmpty());");
    let mut bench = Bench::open(folder, store, ReviewOptions::default(), "gr");
    bench.stage.send(UiEvent::Resize(Size::new(200, 50)));
    bench.check_shows("tags");
    bench.stage.send(UiEvent::Resize(Size::new(80, 24)));
    let text = bench.text();
    let head = text.lines().nth(3).expect("the table has a head");
    assert!(!head.contains("tags") && head.contains("repo"), "{text}");
}

#[test]
fn the_test_around_a_prediction_has_the_keys_of_code() {
    let mut bench = opened("gr");
    bench.check_shows("test · p.CounterTest#");
    bench.check_shows("S▶");
    bench.press("<tab><tab>/inc<cr>");
    bench.check_shows("1 of ");
    bench.press("<esc><esc>}");
    bench.check_shows("2/6");
}

#[test]
fn the_run_under_the_cursor_of_the_runs_is_shown() {
    opened("gRgggr").check_shows("┏ good ");
    opened("gRGgr").check_shows("┏ bad ");
}

#[test]
fn filters_of_predictions_and_of_samples_meet_in_one_line() {
    opened("grfparse:fail<cr>").check_shows("parse:fail · ");
    let bench = opened("grftag:wrong_literal repo:a<cr>");
    bench.check_shows("1 of ");
    let bench = opened("grfblue<lt>0.5<cr>");
    bench.check_shows("no field `blue`");
    opened("gsfbleu<lt>0.5<cr>").check_shows("`bleu`");
    opened("grfparse:fail or tag:wrong_literal<cr>").check_shows(" of ");
}

#[test]
fn a_filter_that_is_typed_says_how_many_predictions_it_lets_through() {
    let counted = |keys: &str| {
        let bench = opened(keys);
        let shown = bench.text();
        let line = shown.lines().last().unwrap_or_default();
        line.rsplit(' ').next().map(str::parse::<u64>)
    };
    let n = |keys: &str| counted(keys).expect("there is a line").expect("a number");
    let n_all = n("grf<c-u>attempt>=0");
    assert_eq!(n("grf<c-u>parse:ok") + n("grf<c-u>-parse:ok"), n_all);
    assert_eq!(n("grf<c-u>parse:ok or -parse:ok"), n_all);
    // A metric that the run does not have is reported below the line, and the list stays.
    opened("grf<c-u>rouge2<lt>1").check_shows("`rouge2` is not computed");
}

#[test]
fn the_worst_comes_first_when_sorted_by_what_was_lost() {
    let bench = opened("gr,d");
    bench.check_shows("there is no baseline");
    let mut bench = opened("grb<cr>");
    bench.check_shows("bad against good");
    bench.press(",d");
    bench.check_shows("sort:delta");
    bench.check_shows("Δ▲");
    bench.press(",d");
    bench.check_shows("Δ▼");
    bench.press(",,");
    assert!(!bench.text().contains("sort:"), "{}", bench.text());
}

#[test]
fn a_group_is_a_filter_away() {
    let mut bench = opened("grFtag<cr>");
    bench.check_shows("bad by tag");
    bench.press("<cr>");
    bench.check_shows("tag:");
    assert!(bench.text().contains(" of "), "{}", bench.text());
}

#[test]
fn how_a_value_comes_about_adds_up_to_one() {
    let mut bench = opened("gri");
    bench.check_shows("brevity penalty");
    bench.check_shows("wrong_literal");
    bench.press("GG");
    bench.check_shows("= 1");
    bench.press("i");
    bench.check_shows("tags");
}

#[test]
fn an_exact_match_with_a_low_value_says_why() {
    let mut bench = opened("grRgood<cr>mcodebleu<cr>i");
    bench.check_shows("nothing differs, and no answer has more than .");
    bench.check_shows("the truth itself has no more: ");
    bench.press("imbleu<cr>i");
    assert!(
        !bench.text().contains("nothing differs"),
        "{}",
        bench.text()
    );
    let bench = opened("grmcodebleu<cr>i");
    assert!(
        !bench.text().contains("nothing differs"),
        "{}",
        bench.text()
    );
}

#[test]
fn esc_leaves_one_thing_after_the_other() {
    let mut bench = opened("gri<cr>");
    assert!(!bench.text().contains("brevity"), "the difference is alone");
    bench.press("<esc>");
    bench.check_shows("brevity");
    bench.press("<esc>");
    bench.check_shows("tags");
    bench.press("<esc>");
    bench.check_shows("funnel");
}

#[test]
fn a_search_goes_round_the_list() {
    let mut bench = opened("gr/testadd<cr>");
    let first = bench.text();
    bench.press("n");
    assert_ne!(bench.text(), first);
    bench.press("N");
    assert_eq!(bench.text(), first);
    opened("gr/nowhere<cr>").check_shows("nowhere: no test or focal method of that name");
}

#[test]
fn a_search_with_the_focus_on_the_difference_stays_there() {
    opened("gr<tab>/foo<cr>").check_shows("foo: 1 of 2");
    opened("gr<tab>/nowhere<cr>").check_shows("not in these texts");
}

#[test]
fn the_sample_is_one_key_away_and_q_comes_back() {
    let mut bench = opened("grs");
    bench.check_shows("Samples › Sample");
    bench.check_shows("public int inc()");
    bench.press("q");
    bench.check_shows("ground truth");
}

#[test]
fn the_difference_is_shown_in_three_ways() {
    let mut bench = opened("gr");
    bench.check_shows("side · ");
    bench.press("d");
    bench.check_shows("unified · ");
    bench.press("d");
    bench.check_shows("[-5-]{+6+}");
    bench.press("W");
    bench.check_shows("white space counts only where it separates");
}

#[test]
fn where_the_parser_stopped_is_marked() {
    opened("grfparse:fail<cr>").check_shows("the parser stops here");
}

#[test]
fn columns_are_chosen_by_their_words() {
    let mut bench = opened("grC<c-u>test em repo<cr>");
    bench.check_shows("EM");
    assert!(!bench.text().contains("CodeBLEU"), "{}", bench.text());
    bench.press("C<c-u>test nothing<cr>");
    bench.check_shows("no column `nothing`");
    bench.press("<esc>C<c-u>te");
    bench.check_shows("class and name of the test");
}

#[test]
fn runs_and_metrics_are_chosen_by_a_few_letters() {
    opened("grRgoo<cr>").check_shows("┏ good ");
    opened("grmedit<cr>i").check_shows("edit");
}

#[test]
fn copies_are_texts_of_the_prediction() {
    let copied = |keys: &str| {
        let bench = opened(keys);
        let mut copied = bench
            .stage
            .other_effects
            .iter()
            .filter_map(|effect| match effect {
                Effect::Copy(text) => Some(text.clone()),
                _ => None,
            });
        copied.next_back().expect("something was copied")
    };
    assert_eq!(
        copied("gryp"),
        "assertEquals(\"foo bar\", 6, counter.get());"
    );
    assert_eq!(
        copied("gryt"),
        "assertEquals(\"foo bar\", 5, counter.get());"
    );
    assert!(copied("gryd").contains("-assertEquals(\"foo bar\", 5, counter.get());"));
}

#[test]
fn the_nearest_training_samples_are_one_key_away() {
    let mut bench = opened("grT");
    bench.check_shows("training samples nearest to");
    bench.press("<esc>");
    bench.check_shows("tags");
}

#[test]
fn without_runs_it_says_what_to_do() {
    let (folder, store) = store_with(&[counter_repo("a")]);
    let bench = Bench::open(folder, store, ReviewOptions::default(), "gr");
    bench.check_shows("import");
}

/// Opens Results for a user who has given a name.
fn known(keys: &str) -> Bench {
    let mut bench = opened_by("ada", "gr");
    bench.press(keys);
    bench
}

/// Collects the tags that each annotator gave and did not undo.
fn rulings(bench: &Bench) -> Vec<(String, String)> {
    let rulings = bench.verdicts().rulings_of_run("bad");
    let rulings = rulings.expect("they read").into_iter();
    rulings
        .map(|ruling| (ruling.annotator, ruling.tagged.tags.words()))
        .collect()
}

#[test]
fn tags_are_checked_in_a_list_and_on_the_disk_before_it_says_so() {
    let mut bench = known("t");
    bench.check_shows("[x] wrong_literal");
    bench.check_shows("[ ] wrong_variable");
    expect_test::expect_file!["../../frames/results_tags.txt"].assert_eq(&bench.text());
    bench.press("vari<cr>");
    bench.check_shows("[x] wrong_variable");
    bench.press("liter<space><cr>");
    bench.check_shows("✓ saved: tags ");
    bench.check_shows("✎");
    let [(who, tags)] = &rulings(&bench)[..] else {
        panic!("one ruling");
    };
    assert_eq!(who, "ada");
    assert!(tags.contains("wrong_variable"), "{tags}");
    assert!(!tags.contains("wrong_literal"), "{tags}");
    bench.press("i");
    bench.check_shows("added by people");
    bench.check_shows("removed by people");
    bench.press("iu");
    bench.check_shows("undone: tags");
    assert_eq!(rulings(&bench), []);
    assert!(!bench.text().contains('✎'), "{}", bench.text());
    bench.press("U");
    bench.check_shows("redone: tags");
    bench.check_shows("✎");
    let mut bench = known("t<esc>");
    assert_eq!(bench.events(), []);
    bench.press("u");
    bench.check_shows("nothing to undo");
}

#[test]
fn a_tag_that_was_used_last_is_one_key() {
    let mut bench = known("t1");
    // No tag was used yet: the digit does nothing.
    bench.check_shows("how it differs");
    bench.press("vari<space><cr>");
    bench.check_shows("✓ saved: tags ");
    bench.press("u");
    assert_eq!(rulings(&bench), []);
    bench.press("t");
    // The tag has its line of explanation, and its key.
    let text = bench.text();
    let mut rows = text.split('┃');
    let row = rows.find(|row| row.contains("wrong_variable"));
    let row = row.expect("the tag is listed").trim_end();
    assert!(row.contains("variable") && row.ends_with('1'), "{row}");
    bench.press("1");
    bench.check_shows("✓ saved: tags ");
    let [(_, tags)] = &rulings(&bench)[..] else {
        panic!("one ruling");
    };
    assert!(tags.contains("wrong_variable"), "{tags}");
}

#[test]
fn one_key_says_that_the_metric_is_wrong() {
    let mut bench = known("=");
    bench.check_shows("✓ saved: tags equal_rewritten");
    bench.check_shows("✎ =rewritten");
    bench.press("fruled:yes<cr>");
    bench.check_shows("ruled:yes · 1 of ");
    bench.press("fruling:equal_rewritten<cr>");
    bench.check_shows(" · 1 of ");
    bench.press("ftag:equal_rewritten<cr>");
    bench.check_shows("no prediction passes the filter");
    bench.press("=");
    bench.check_shows("there is no prediction here");
}

#[test]
fn nothing_is_said_of_what_was_not_shown_nor_by_a_key_that_is_held_down() {
    let held = |bench: &mut Bench, key: &str| {
        for key in crate::key::parse(key).expect("it is a key") {
            bench.stage.send(UiEvent::Repeat(key));
        }
    };
    let mut bench = known("");
    held(&mut bench, "=");
    bench.check_shows("ignored: the key is held down");
    bench.stage.paints = false;
    bench.press("j=");
    bench.check_shows("ignored: the prediction was not shown yet");
    bench.stage.paints = true;
    bench.press("kt");
    bench.check_shows("[x]");
    held(&mut bench, "<cr>");
    assert_eq!(bench.events(), []);
    let mut bench = opened("gr=");
    bench.check_shows("your name");
    // While one tag is being saved, another one is refused.
    bench = known("");
    bench.stage.scribe = None;
    bench.press("==");
    bench.check_shows("still being saved");
    let n_said = bench.stage.other_effects.iter();
    assert_eq!(n_said.filter(|it| matches!(it, Effect::Say(_))).count(), 1);
}

/// Opens a run that was executed.
fn ran(keys: &str) -> Bench {
    let (folder, store) = fixture::executed();
    let mut bench = Bench::open(folder, store, ReviewOptions::default(), "gr");
    bench.press(keys);
    bench
}

#[test]
fn what_became_of_predictions_looks_as_it_did() {
    let (_folder, store) = fixture::executed();
    let jobs = SharedJobTable::default();
    let answer = |asked: &dyn AnyQuestion| {
        let found = asked.find(&AnswerSource::of(&store, &jobs));
        found.map_err(QuestionFailure::from)
    };
    for size in [(80, 24), (120, 40), (200, 50)] {
        check_frame_of(answer, "ran", size, "gr");
        check_frame_of(answer, "ran_why", size, "grjx");
        check_frame_of(answer, "ran_runs", size, "gRj");
    }
    check_frame_of(answer, "ran_trace", (120, 40), "grjjjxzt<enter>");
    check_frame_of(answer, "ran_cut", (120, 40), "grjjjjjjjjjjjjx<enter>");
    check_frame_of(answer, "ran_closed", (80, 24), "grjjjjjjjjjjjjjx<enter>");
    check_frame_of(answer, "ran_unseen", (120, 40), "grX");
    check_frame_of(answer, "ran_groups", (80, 24), "grFran<cr>");
}

#[test]
fn every_outcome_and_every_reason_to_have_none_is_in_the_list() {
    let text = ran("").text() + &ran("G").text();
    for outcome in Outcome::ALL {
        let cell = format!("{}  {}", outcome.letter(), outcome.as_str());
        assert!(text.contains(&cell), "`{cell}` is missing:\n{text}");
    }
    for blocked in BlockedReason::ALL {
        let cell = format!("–  {}", blocked.as_str());
        assert!(text.contains(&cell), "`{cell}` is missing:\n{text}");
    }
    // An outcome that was copied from an equal prediction.
    assert!(text.contains("P= passing"), "{text}");
    assert!(text.contains("ran without a sandbox"), "{text}");
}

#[test]
fn why_it_does_not_compile_stands_at_the_line() {
    let mut bench = ran("j");
    bench.check_shows("does not compile: cannot find symbol");
    bench.press("x");
    bench.check_shows("compiler.err.cant.resolve.location · line 2 of the prediction");
    // Each wide letter is followed by the second cell that it covers.
    bench.check_shows("␛[31m漢 字");
    bench.check_shows("2  ! Missing it");
    bench.press("yr");
    let copied = bench.stage.other_effects.last();
    let Some(Effect::Copy(text)) = copied else {
        panic!("{copied:?}");
    };
    assert!(text.starts_with("cannot find symbol\n"), "{text}");
}

#[test]
fn the_trace_is_folded_until_it_is_asked_for() {
    let mut bench = ran("jjjx<enter>");
    bench.check_shows("▸ trace · 4 lines");
    assert!(!bench.text().contains("Assert.java:89"));
    bench.press("zt");
    bench.check_shows("Assert.java:89");
    bench.press("ztjk");
    assert!(!bench.text().contains("Assert.java:89"));
    ran("zt").check_shows("there is no trace");
}

#[test]
fn what_of_the_focal_method_ran_has_signs() {
    let bench = ran("x<enter>");
    bench.check_shows("called · 1 of 2 lines ran · 1 of 2 branches ran");
    bench.check_shows("11  ✓");
    let bench = ran("jjjx<enter>");
    bench.check_shows("11  ~");
    bench.check_shows("12  ✗");
    bench.check_shows("engine fast");
    bench.check_shows("sandbox none");
}

#[test]
fn what_is_right_and_not_seen_is_one_key_away_and_back() {
    let mut bench = ran("X");
    bench.check_shows("ran:correct bleu<0.3");
    bench.check_shows("1 of 15");
    bench.press("X");
    bench.check_shows("every prediction");
    let mut bench = opened("grX");
    bench.check_shows("not executed");
    bench.press("x");
    bench.check_shows("not executed");
}

#[test]
fn predictions_are_sorted_and_grouped_by_what_became_of_them() {
    let mut bench = ran(",o");
    bench.check_shows("sort:ran");
    bench.check_shows("ran▲");
    bench.press("Fran<cr>");
    bench.check_shows("ran by ran");
    bench.check_shows("not_compilable");
}

#[test]
fn what_was_shown_stays_when_the_run_changes_to_one_that_was_not_executed() {
    let mut bench = ran("xRgood<cr>");
    bench.check_shows("not executed");
    bench.press("x");
    bench.check_shows("ground truth");
}

#[test]
fn only_the_selected_predictions_are_written() {
    let wanted = known("jVjE<cr>").stage.other_effects;
    let rows = wanted.iter().find_map(|effect| match effect {
        Effect::Chore(chore) => match chore.as_ref() {
            Chore::Export { rows, .. } => Some(*rows),
            _ => None,
        },
        _ => None,
    });
    assert_eq!(rows, Some(Some([1, 2])));
}

#[test]
fn the_selected_predictions_get_the_same_tags() {
    let mut bench = known("jjjjjVkkkkk");
    bench.check_shows("6 selected");
    bench.press("t");
    bench.check_shows("[x] wrong_");
    bench.press("vari<space><cr>");
    // The others have no answer to compare with the ground truth.
    bench.check_shows("✓ saved for 2 predictions: tags ");
    let said = rulings(&bench);
    assert_eq!(said.len(), 2);
    assert!(
        said.iter()
            .all(|(who, tags)| who == "ada" && *tags == said[0].1)
    );
    bench.press("gl");
    bench.check_shows("focalist tag bad ");
    // Esc ends the selection, so that only the sample under the cursor is tagged.
    let mut bench = known("Vj<esc>k");
    assert!(!bench.text().contains("selected"));
    bench.press("t");
    bench.press("vari<space><cr>");
    assert_eq!(rulings(&bench).len(), 1);
}

#[test]
fn the_selected_predictions_are_marked_compared_and_run_again() {
    let mut bench = known("VjjM");
    bench.check_shows("✓ marked 3 samples");
    bench.press("c");
    // One of the selected samples has answers that can be compared.
    bench.check_shows("Compare");
    bench.check_shows("key:");
    bench.check_shows("1 of 2 shared");
    let mut bench = known("Vjr");
    bench.check_shows("execute runs");
    bench.check_shows("key:");
    // Without a selection, `r` is about scores.
    bench.press("<esc><esc>r");
    assert!(!bench.text().contains("execute runs"));
}
