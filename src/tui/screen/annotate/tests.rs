//! Judging samples: keys in, events on disk and the next sample on the screen.
//!
//! Frames show samples made by hand; events go into a real file of verdicts beside a real index.

mod alike;
mod coming_up;
mod together;

use proptest::prelude::*;
use ratatui::layout::Size;

use crate::event::{Effect, Notice, UiEvent};
use crate::fixture;
use crate::key::KeyPress;
use crate::keymap::{Command, KeyContext, actions};
use crate::model::{ContentHash, Event, EventKind, Filter, Judgement, SampleKey};
use crate::question::shared::ExplainedSample;
use crate::review::{self, Overlap, ReviewOptions, VerdictChoice};
use crate::screen::Screen;
use crate::screen::annotate::commands::AnnotateCommand;
use crate::screen::annotate::queue;
use crate::screen::docs::Docs;
use crate::scribe::{ScribeFailure, ScribeReply};
use crate::stage::UiStage;
use crate::store::testing::{counter_repo, store_with, write_repos};
use crate::store::{Store, StoreAccess, Verdicts};
use crate::tests::bench::Bench;
use crate::tests::{SIZES, check_frame, pressed, text};
use crate::text::Doc;

#[test]
fn the_screen_looks_as_it_did() {
    for (width, height) in SIZES {
        check_frame("annotate", width, height, "ga");
    }
    check_frame("annotate_past", 120, 40, "gaHj");
    check_frame("annotate_queue", 80, 24, "gaf un");
    check_frame("annotate_folded", 120, 40, "gaza<tab><tab><tab>");
    check_frame("annotate_find", 80, 24, "gapver");
    check_frame("annotate_why", 120, 40, "gai");
    for (width, height) in [(80, 24), (120, 40)] {
        check_frame("audit", width, height, "gaf<c-u>audit<enter>");
    }
}

/// Opens an index of six tests.
fn bench_with(reviewing: ReviewOptions, keys: &str) -> Bench {
    let (folder, store) = store_with(&[counter_repo("a"), counter_repo("b")]);
    Bench::open(folder, store, reviewing, keys)
}

fn ada(queue: &str) -> ReviewOptions {
    ReviewOptions {
        annotator: "ada".to_owned(),
        queue: queue.to_owned(),
        ..ReviewOptions::default()
    }
}

/// Opens the queue of all tests in the order of the index.
fn bench(keys: &str) -> Bench {
    bench_with(ada("mined"), keys)
}

impl Bench {
    /// Returns ada's judgement of every sample that she has judged.
    fn standing(&self) -> Vec<(SampleKey, Judgement)> {
        let mine = self
            .verdicts()
            .of_annotator("ada")
            .expect("verdicts can be read");
        mine.into_iter()
            .map(|verdict| (verdict.judged.key, verdict.judged.judgement))
            .collect()
    }
}

#[test]
fn every_key_says_what_it_says_and_the_next_sample_comes() {
    let check = |keys: &str, expected: &str| {
        let bench = bench(&format!("ga{keys}"));
        let events = bench.events();
        let [event] = events.as_slice() else {
            panic!("one event after `{keys}`: {events:?}");
        };
        let EventKind::Judged(judged) = event.kind() else {
            panic!("{event:?}");
        };
        assert_eq!(judged.judgement.as_str(), expected, "{keys}");
        assert_eq!(judged.queue.as_deref(), Some("mined"));
        assert_eq!(judged.dwell_ms, Some(1_000));
        assert_eq!(event.annotator(), "ada");
        bench.check_shows("✓ saved");
        bench.check_shows("CounterTest.testAdd()");
    };
    check("a", "accept");
    check("x", "none_of_these");
    check("X", "no_focal");
    check("1", "pick");
    check("2", "pick");
    check("<tab><tab>jP", "pick");
    check("o", "unsure");
    check("s", "skip");
}

#[test]
fn every_action_of_the_screen_does_something_that_shows() {
    for action in actions(KeyContext::On(Screen::Annotate)) {
        let Command::Annotate(command) = action.command else {
            continue;
        };
        // At first there is nothing to redo, nothing stale and no audit; there are two candidates.
        let is_reachable = match command {
            AnnotateCommand::Pick(number) => number <= 2,
            _ => true,
        };
        let keys = action.keys.first().expect("every action has a key");
        let before = bench("ga").text();
        let after = bench(&format!("ga{keys}")).text();
        assert!(
            !is_reachable || before != after,
            "{} shows nothing",
            action.id
        );
    }
}

/// Counts the requests to write since the start.
fn n_said<A>(stage: &UiStage<A>) -> usize {
    let wanted = stage.other_effects.iter();
    wanted
        .filter(|effect| matches!(effect, Effect::Say(_)))
        .count()
}

#[test]
fn a_candidate_that_is_not_there_is_not_picked() {
    let bench = bench("ga9");
    assert_eq!(bench.events(), []);
    bench.check_shows("no candidate 9");
}

#[test]
fn what_was_never_painted_is_not_judged() {
    let mut bench = bench("");
    bench.stage.paints = false;
    bench.press("gaaxX1os");
    assert_eq!(bench.events(), []);
    bench.check_shows("ignored: the sample was not shown yet");
    bench.stage.app.drawn(5);
    bench.press("ax");
    // The second key came before the next sample was painted.
    assert_eq!(bench.events().len(), 1);
}

#[test]
fn what_no_longer_fits_on_the_screen_is_not_judged() {
    let mut bench = bench("ga");
    bench.stage.send(UiEvent::Resize(Size::new(59, 16)));
    bench.press("axX1osmu");
    assert_eq!(bench.events(), []);
    bench.stage.send(UiEvent::Resize(Size::new(60, 16)));
    bench.press("a");
    assert_eq!(bench.events().len(), 1);
}

#[test]
fn a_key_that_is_held_down_decides_once() {
    let mut bench = bench("ga");
    let a = KeyPress::char('a');
    bench.stage.send(UiEvent::Key(a));
    for _ in 0..20 {
        bench.stage.send(UiEvent::Repeat(a));
    }
    assert_eq!(bench.events().len(), 1);
    bench.check_shows("the key is held down");
    // Moving may repeat.
    bench.stage.send(UiEvent::Repeat(KeyPress::char('j')));
    assert_eq!(bench.events().len(), 1);
}

#[test]
fn nothing_is_said_while_the_verdict_before_is_being_written() {
    let mut stage = pressed(120, 40, "gaa");
    // Nothing is written here: the answer is still to come.
    stage.press("x").expect("the script is well-formed");
    assert_eq!(n_said(&stage), 1);
    let failed = ScribeReply {
        token: 1,
        outcome: Err(ScribeFailure {
            text: "not saved: no space left".to_owned(),
            hint: "make room",
        }),
        warning: None,
        seats: Vec::new(),
    };
    stage.send(UiEvent::Notice(Notice::Written(Box::new(failed))));
    let shown = text(&stage.frame());
    assert!(shown.contains("not saved: no space left"), "{shown}");
    // The same sample is still there, and can be judged.
    assert!(shown.contains("812 left"), "{shown}");
    stage.press("x").expect("the script is well-formed");
    assert_eq!(n_said(&stage), 2);
}

#[test]
fn undo_goes_back_as_far_as_one_likes_and_redo_forward_again() {
    let mut bench = bench("gaaxo");
    let all = bench.standing();
    assert_eq!(all.len(), 3);
    bench.press("u");
    bench.check_shows("undone: unsure");
    assert_eq!(bench.standing().len(), 2);
    bench.press("u<bs>u");
    assert_eq!(bench.standing(), []);
    bench.check_shows("nothing to undo");
    bench.check_shows("CounterTest.testInc()");
    bench.press("UUU");
    assert_eq!(bench.standing(), all);
    bench.press("U");
    bench.check_shows("nothing to redo");
}

#[test]
fn undo_reaches_what_was_said_before_a_restart() {
    let bench = bench("gaax");
    let store = Store::open(bench.folder.path(), StoreAccess::Read).expect("the index opens");
    let mut bench = Bench::open(bench.folder, store, ada("mined"), "ga");
    // A judged sample does not come again.
    bench.check_shows("4 left");
    bench.press("uu");
    assert_eq!(bench.standing(), []);
    bench.check_shows("6 left");
}

#[test]
fn a_verdict_is_changed_by_going_back_to_it_and_both_are_kept() {
    let mut bench = bench("gaax");
    bench.press("Hj<enter>");
    bench.check_shows("yours: accept");
    bench.press("X");
    let standing = bench.standing();
    assert_eq!(standing.len(), 2);
    assert!(standing.iter().any(|pair| pair.1 == Judgement::NoFocal));
    assert_eq!(bench.events().len(), 3);
    bench.check_shows("4 left");
}

#[test]
fn a_skipped_sample_comes_again_at_the_end() {
    let mut bench = bench("gas");
    bench.check_shows("6 left");
    bench.press("aXaaX");
    bench.check_shows("1 left");
    bench.check_shows("CounterTest.testInc()");
    bench.press("a");
    bench.check_shows("You have judged all 6 samples of the queue `mined`");
    // The message tells what is left to do.
    bench.check_shows("f another queue");
    let text = bench.text();
    let footer = text.lines().last().expect("a frame has lines");
    assert!(
        footer.contains("u undo") && !footer.contains("none of these"),
        "{footer}"
    );
    bench.press("a");
    assert_eq!(bench.events().len(), 7);
}

#[test]
fn a_queue_of_one_sample_is_told_of_as_one() {
    let bench = bench("gaf<c-u>mined name:testInc repo:a<enter>a");
    bench.check_shows("You have judged the only sample of the queue `mined");
}

#[test]
fn an_undo_is_offered_only_where_something_can_be_undone() {
    let footer = |bench: &Bench| {
        let text = bench.text();
        text.lines().last().expect("a frame has lines").to_owned()
    };
    let mut bench = bench("ga");
    assert!(!footer(&bench).contains("u undo"), "{}", footer(&bench));
    bench.press("?");
    assert!(!bench.text().contains("undo your last action"));
    bench.press("<esc>a");
    assert!(footer(&bench).contains("u undo"), "{}", footer(&bench));
    bench.press("u");
    assert!(!footer(&bench).contains("u undo"), "{}", footer(&bench));
    // Neither is undo offered where nothing is left to judge.
    bench.press("f<c-u>mined name:nothing<enter>");
    bench.check_shows("No sample is left in the queue");
    assert!(!bench.text().contains("u undo"), "{}", bench.text());
}

#[test]
fn a_look_at_a_neighbour_decides_nothing() {
    let mut bench = bench("ga}");
    bench.check_shows("ONLY A LOOK (+1)");
    bench.check_shows("CounterTest.testAdd()");
    bench.press("axX1os");
    assert_eq!(bench.events(), []);
    bench.press("{");
    bench.check_shows("CounterTest.testInc()");
    bench.press("{");
    bench.check_shows("no sample was decided before this one");
    bench.press("a{");
    bench.check_shows("yours: accept");
    bench.press("}x");
    assert_eq!(bench.standing().len(), 2);
}

#[test]
fn notes_and_marks_are_written_and_shown() {
    let mut bench = bench("gacfixed<space>clock<enter>m");
    bench.check_shows("note: fixed clock");
    bench.check_shows("marked");
    bench.press("m");
    assert_eq!(bench.events().len(), 3);
    bench.press("c<c-u><enter>");
    let text = bench.text();
    assert!(!text.contains("note: fixed clock ·"), "{text}");
    bench.check_shows("note removed");
    assert_eq!(bench.standing(), []);
}

#[test]
fn a_blind_annotator_never_sees_what_the_machine_decided() {
    let reviewing = ReviewOptions {
        is_blind: true,
        ..ada("mined")
    };
    let mut bench = bench_with(reviewing, "ga");
    let text = bench.text();
    let frame = text.replace("blind", "");
    for hidden in ["▶", "by the test's name", "focal · ", "score · class"] {
        assert!(!frame.contains(hidden), "`{hidden}` shows:\n{text}");
    }
    for (keys, told) in [
        ("<tab><tab><tab>", "methods called by the setup are hidden"),
        ("<tab>", " hidden  "),
    ] {
        bench.press(keys);
        bench.check_shows(told);
    }
    bench.press("?");
    let help = bench.text();
    assert!(!help.contains("the machine's decision is right"), "{help}");
    bench.press("<esc>i");
    bench.check_shows("blind: why a match was made is hidden");
    bench.press("a");
    bench.check_shows("a hidden match cannot be accepted");
    assert_eq!(bench.events(), []);
    bench.press("1");
    let EventKind::Judged(judged) = bench.events()[0].kind().clone() else {
        panic!("a verdict was written");
    };
    assert!(judged.focal.is_some(), "what the machine decided is kept");
}

#[test]
fn two_annotators_share_a_queue_and_overlap_gives_both_the_same() {
    let mut ada_first = bench("gaaa");
    ada_first.check_shows("4 left");
    let folder = ada_first.folder;
    let of = |name: &str, n: u32| ReviewOptions {
        annotator: name.to_owned(),
        overlap: Overlap { n, share: 1.0 },
        ..ada("mined")
    };
    let store = Store::open(folder.path(), StoreAccess::Read).expect("the index opens");
    let eva = Bench::open(folder, store, of("eva", 1), "ga");
    eva.check_shows("4 left");
    let store = Store::open(eva.folder.path(), StoreAccess::Read).expect("the index opens");
    let eva = Bench::open(eva.folder, store, of("eva", 2), "ga");
    eva.check_shows("6 left");
    ada_first.stage.scribe = None;
}

#[test]
fn an_audit_is_drawn_when_it_is_opened() {
    let bench = bench_with(ada("audit:n=4,seed=7"), "ga");
    bench.check_shows("4 left");
    let events = bench.events();
    assert!(matches!(events[0].kind(), EventKind::Drawn(draw) if draw.samples.len() == 4));
}

#[test]
fn another_method_of_the_repository_is_found_and_picked() {
    let mut bench = bench("gap");
    bench.check_shows("Find a method");
    bench.press("setc");
    bench.check_shows("Counter.setCount(int)");
    bench.press("<enter>");
    let EventKind::Judged(judged) = bench.events()[0].kind().clone() else {
        panic!("a verdict was written");
    };
    let picked = Judgement::Pick("p.Counter#setCount(int)".to_owned());
    assert_eq!(judged.judgement, picked);
    bench.press("pnothinglikethis<enter>");
    assert_eq!(bench.events().len(), 1);
    bench.press("<esc>a");
    assert_eq!(bench.events().len(), 2);
}

#[test]
fn what_has_changed_since_a_verdict_is_shown() {
    let Bench { folder, stage } = bench("gaa");
    // The stage keeps the index open for writing.
    drop(stage);
    let mut changed = counter_repo("a");
    let file = changed
        .files
        .iter_mut()
        .find(|file| file.path.ends_with("Counter.java"));
    let file = file.expect("the repository has it");
    file.text = file.text.replace("return count;", "return this.count;");
    for decided in changed.tests.iter_mut().flat_map(|test| &mut test.decided) {
        decided.content_hash = ContentHash([9; 16]);
    }
    let mut store = Store::open(folder.path(), StoreAccess::Write).expect("the index opens");
    write_repos(&mut store, &[changed]);
    drop(store);
    let store = Store::open(folder.path(), StoreAccess::Read).expect("the index opens");
    let mut bench = Bench::open(folder, store, ada("stale"), "ga");
    bench.check_shows("1 left");
    bench.check_shows("yours: accept Counter.inc(), but the code has changed");
    bench.check_shows("+         return this.count;");
    bench.press("d");
    bench.check_shows("the code as it is now");
    bench.press("da");
    bench.check_shows("You have judged the only sample of the queue `stale`.");
}

#[test]
fn the_rest_of_an_audit_is_accepted_and_taken_back_at_once() {
    let mut bench = bench_with(ada("audit:n=4,seed=7"), "gaA");
    bench.check_shows("4 samples of the audit to decide first");
    bench.press("XaaX");
    bench.check_shows("precision");
    bench.press("A");
    // Too few were looked at to tell much about the others.
    bench.check_shows("possible, more than 5 %");
    let stage = pressed(80, 24, "gaf<c-u>audit<enter>A");
    let shown = text(&stage.frame());
    assert!(shown.contains("at most 4.95 % of the matches"), "{shown}");
    assert!(shown.contains("3,412 samples"), "{shown}");
}

#[test]
fn a_queue_is_typed_completed_and_checked() {
    let mut bench = bench("gaf<c-u>unm<tab><enter>");
    bench.check_shows("unmapped · ");
    bench.press("f<c-u>random:x<enter>");
    bench.check_shows("`random:x` means nothing");
    bench.press("<esc>");
    bench.check_shows("unmapped · ");
    bench.press("f<c-u>mined nope:1<enter>");
    bench.check_shows("nope");
    bench.press("<c-u>uncertian repo:a");
    bench.check_shows("Tab uncertain  no queue is called `uncertian`");
    bench.press("<tab><enter>");
    bench.check_shows("uncertain repo:a · ");
}

#[test]
fn nobody_judges_without_a_name() {
    let nobody = ReviewOptions {
        annotator: String::new(),
        ..ada("mined")
    };
    let mut bench = bench_with(nobody, "gaa");
    assert_eq!(bench.events(), []);
    bench.check_shows("no name yet");
    bench.check_shows("your name");
    bench.press("<enter>");
    bench.check_shows("a name of your own");
    bench.press("ada<enter>");
    bench.check_shows("you are ada");
    assert_eq!(bench.events(), []);
    bench.press("a");
    assert_eq!(bench.events()[0].annotator(), "ada");
    let session = bench.stage.app.session();
    assert_eq!(session.annotator.as_deref(), Some("ada"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    /// For all keys: no panic, no verdict on an unpainted sample, and as many undos as events restore the first state.
    #[test]
    fn a_storm_of_keys_decides_only_what_was_shown(
        storm in proptest::collection::vec((0usize..24, any::<bool>()), 1..40)
    ) {
        let keys = [
            "a", "x", "X", "1", "2", "9", "o", "s", "m", "u", "U", "{", "}", "<tab>", "j", "k", "za", "zs",
            "H<esc>", "c<esc>", "i<esc>", "<enter>", "P", "f<esc>",
        ];
        let mut bench = bench("ga");
        bench.stage.paints = false;
        for (key, paints) in storm {
            let before = bench.events().len();
            if paints {
                bench.stage.app.drawn(bench.stage.now_ms);
            }
            let shown = bench.stage.frame();
            bench.press(keys[key]);
            let events = bench.events();
            prop_assert!(events.len() <= before + 1);
            if let Some(EventKind::Judged(judged)) = events.get(before).map(Event::kind) {
                let sample = Store::open(bench.folder.path(), StoreAccess::Read)
                    .and_then(|it| it.sample(&judged.key, None))
                    .expect("the index can be read")
                    .expect("it is in the index");
                let place = format!("CounterTest.java:{} ", sample.test.name_line);
                prop_assert!(text(&shown).contains(&place), "{place} was not on the screen");
            }
        }
        let n_events = bench.events().len();
        bench.stage.paints = true;
        for _ in 0..=n_events {
            bench.press("u");
        }
        prop_assert_eq!(bench.standing(), []);
    }
}

#[test]
fn a_blind_annotator_is_not_told_what_was_accepted_with_open_eyes() {
    let Bench { folder, stage } = bench("gaa");
    // The stage keeps the index open for writing.
    drop(stage);
    let store = Store::open(folder.path(), StoreAccess::Read).expect("the index opens");
    let blind = ReviewOptions {
        is_blind: true,
        ..ada("mined")
    };
    let mut bench = Bench::open(folder, store, blind, "gau");
    bench.check_shows("undone: accept\n");
    bench.press("U{");
    bench.check_shows("yours: accept ·");
    bench.press("H");
    let text = bench.text();
    assert!(!text.contains("accept Counter"), "{text}");
}

#[test]
fn contexts_tell_a_blind_annotator_nothing() {
    let mut explained = ExplainedSample::of(fixture::detail(fixture::row(0)));
    let setup_context = explained.detail.setup_context.clone();
    assert!(!setup_context.is_empty() && !explained.detail.focal_context.is_empty());
    queue::blind(&mut explained);
    let Docs {
        focal,
        setup_context: setup,
        focal_context,
        ..
    } = Docs::blind(&explained.detail);
    let text = |doc: &Doc| {
        let lines = doc.lines.iter().map(|line| line.text.trim());
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(
        (text(&focal), text(&focal_context)),
        ("hidden".into(), "hidden".into())
    );
    let setup = text(&setup);
    assert!(setup.starts_with("runs before the test"), "{setup}");
    assert!(
        setup.ends_with("methods called by the setup are hidden"),
        "{setup}"
    );
    for snippet in setup_context {
        assert!(!setup.contains(snippet.text.trim()), "{setup}");
    }
    // Neither is it copied.
    assert_eq!(explained.detail.setup_context, []);
}

/// Judges the first sample of the queue from another window.
fn say_elsewhere(bench: &Bench, annotator: &str) {
    say_of(bench, annotator, 0);
}

fn say_of(bench: &Bench, annotator: &str, idx: usize) {
    let store = Store::open(bench.folder.path(), StoreAccess::Read).expect("the index opens");
    let keys = store.keys(&Filter::default()).expect("the index reads");
    let choice = VerdictChoice::Plain(Judgement::NoFocal);
    let judged = review::judged(&store, &keys[idx], &choice).expect("it can be judged");
    let mut verdicts =
        Verdicts::open(bench.folder.path(), StoreAccess::Create).expect("the file opens");
    let events = verdicts.append(annotator, 1, vec![EventKind::Judged(judged)]);
    events.expect("an event is added");
}

#[test]
fn what_was_judged_meanwhile_is_told_before_a_second_verdict() {
    let open = |annotator| {
        let bench = bench("ga");
        say_elsewhere(&bench, annotator);
        bench
    };
    let mut others = open("eva");
    others.press("a");
    others.check_shows("eva just judged this. Same key: save yours too · s: skip");
    assert!(others.standing().is_empty());
    // Another verdict than the one that was held back is held back, too.
    others.press("x");
    others.check_shows("just judged this");
    assert!(others.standing().is_empty());
    others.press("a");
    others.check_shows("just judged this");
    others.press("a");
    others.check_shows("✓ saved");
    assert_eq!(others.standing().len(), 1);
    let mut left = open("eva");
    left.press("as");
    left.check_shows("left as it is");
    left.check_shows("CounterTest.testAdd()");
    assert!(left.standing().is_empty());
    let mut own = open("ada");
    own.press("a");
    own.check_shows("you just judged this elsewhere");
    own.stage.send(UiEvent::Resize(Size::new(80, 24)));
    own.check_shows("you just judged this elsewhere. Same key: save yours too · s: skip");
    own.press("s");
    assert_eq!(own.standing()[0].1, Judgement::NoFocal);
    own.check_shows("CounterTest.testAdd()");
}

#[test]
fn what_others_have_judged_meanwhile_does_not_come_next() {
    let next_after = |keys: &str| {
        let mut bench = bench("ga");
        say_of(&bench, "eva", 1);
        bench.press(keys);
        bench
    };
    for keys in ["a", "s"] {
        let bench = next_after(keys);
        let text = bench.text();
        assert!(!text.contains("CounterTest.testAdd()"), "{text}");
        assert!(text.contains("CounterTest.works()"), "{text}");
    }
    // A user who goes back to such a sample gets it.
    let mut again = bench("gaau");
    say_of(&again, "eva", 0);
    again.press("}{");
    again.check_shows("CounterTest.testInc()");
}

#[test]
fn a_note_does_not_shorten_the_time_that_a_sample_was_looked_at() {
    let mut bench = bench("gac");
    bench.press("why<enter>");
    bench.press("a");
    let events = bench.events();
    let judged = events.last().and_then(|event| event.kind().judged());
    // One second for the note, one for the verdict.
    assert_eq!(
        judged.and_then(|judged_sample| judged_sample.dwell_ms),
        Some(2_000)
    );
}

#[test]
fn what_is_taken_back_is_not_counted_as_decided() {
    let mut bench = bench("gaaa");
    // On this size, the bar at the top has room for it.
    bench.stage.send(UiEvent::Resize(Size::new(200, 50)));
    bench.check_shows("2 decided");
    bench.press("u");
    bench.check_shows("1 decided");
    bench.press("U");
    bench.check_shows("2 decided");
}

#[test]
fn who_must_not_know_the_decision_is_not_offered_to_accept_it() {
    let blind = ReviewOptions {
        is_blind: true,
        ..ada("mined")
    };
    let bench = bench_with(blind, "ga");
    let text = bench.text();
    assert!(!text.contains(" a accept"), "{text}");
    assert!(text.contains("none of these"), "{text}");
}
