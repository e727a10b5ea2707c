//! Sessions in this process: lines in, text and events out, with a clock that the test turns.

use std::cell::Cell;

use tempfile::TempDir;

use super::*;
use crate::review::Overlap;
use crate::store::testing::{counter_repo, many_tests, store_with};

struct PlainWorkspace {
    folder: TempDir,
    reviewing: ReviewOptions,
    now_ms: Cell<i64>,
}

impl PlainWorkspace {
    fn new(contents: &crate::store::testing::Contents) -> Self {
        let (folder, store) = store_with(std::slice::from_ref(contents));
        drop(store);
        Self {
            folder,
            reviewing: ReviewOptions {
                queue: "mined".to_owned(),
                annotator: "ada".to_owned(),
                is_named: true,
                overlap: Overlap { n: 9, share: 1.0 },
                is_blind: false,
                guideline: Some("2".to_owned()),
            },
            now_ms: Cell::new(1_000),
        }
    }

    fn verdicts(&self) -> Verdicts {
        Verdicts::open(self.folder.path(), StoreAccess::Create).expect("the file opens")
    }

    /// Runs a session over these lines; a second passes whenever somebody looks at the clock.
    fn answer(&self, lines: &str) -> String {
        self.read(&mut lines.as_bytes())
    }

    fn read(&self, input: &mut dyn BufRead) -> String {
        let store = Store::open(self.folder.path(), StoreAccess::Read).expect("the index opens");
        let now_ms = || {
            self.now_ms.set(self.now_ms.get() + 1_000);
            self.now_ms.get()
        };
        let mut out = Vec::new();
        let desk = PlainReview::new(store, self.verdicts(), &self.reviewing, &mut out, &now_ms);
        let run = desk.and_then(|desk| desk.run(input));
        run.expect("the session ends well");
        String::from_utf8(out).expect("it is text")
    }

    /// Lists the valid verdicts of this annotator: tests are named by their place in the index.
    fn holds(&self) -> Vec<(usize, JudgedSample)> {
        let store = Store::open(self.folder.path(), StoreAccess::Read).expect("the index opens");
        let keys = store.keys(&crate::model::Filter::default());
        let keys = keys.expect("the index reads");
        let of_annotator = self.verdicts().of_annotator(&self.reviewing.annotator);
        let mut holds: Vec<(usize, JudgedSample)> = of_annotator
            .expect("the verdicts read")
            .into_iter()
            .map(|verdict| {
                let place = keys.iter().position(|key| *key == verdict.judged.key);
                (place.expect("the sample is there"), verdict.judged)
            })
            .collect();
        holds.sort_by_key(|pair| pair.0);
        holds
    }

    fn words(&self) -> Vec<(usize, &'static str)> {
        let holds = self.holds();
        holds
            .iter()
            .map(|holds| (holds.0, holds.1.judgement.as_str()))
            .collect()
    }
}

/// Numbers 0 and 1 of every four are mapped; each has one candidate.
fn many() -> PlainWorkspace {
    PlainWorkspace::new(&many_tests("m", 8))
}

#[test]
fn each_word_says_what_it_says() {
    let place = many();
    let out = place.answer("a\nx\nno-focal\n1\nannotate-unsure\ns\nq\n");
    assert_eq!(
        place.words(),
        [
            (0, "accept"),
            (1, "none_of_these"),
            (2, "no_focal"),
            (3, "pick"),
            (4, "unsure"),
            (5, "skip")
        ]
    );
    let saved: Vec<&str> = out
        .lines()
        .filter(|line| line.starts_with("> saved"))
        .collect();
    assert_eq!(saved.len(), 6);
    assert!(
        saved[3].starts_with("> saved: pick p.Counter#"),
        "{saved:?}"
    );
    let last = out.lines().last();
    assert_eq!(
        last,
        Some(
            "> you said: 1 accept, 1 none of these, 1 no focal, 1 pick, 1 unsure, 1 skip; 3 left in mined"
        )
    );
}

#[test]
fn an_event_says_how_long_which_guideline_and_which_queue() {
    let place = many();
    // The clock is asked when the queue is opened, when a sample is printed, and when it is judged.
    place.answer("?\nagain\ncontext\na\nc a note\nx\n");
    let holds = place.holds();
    assert_eq!(holds.len(), 2);
    let first = &holds[0].1;
    assert_eq!(first.dwell_ms, Some(1_000));
    assert_eq!(first.guideline.as_deref(), Some("2"));
    assert_eq!(first.queue.as_deref(), Some("mined"));
    // The note took a second.
    assert_eq!(holds[1].1.dwell_ms, Some(2_000));
    let notes = place.verdicts().notes_of(&holds[1].1.key);
    let expected = [("ada".to_owned(), "a note".to_owned())];
    assert_eq!(notes.expect("the notes read"), expected);
}

/// Lines of one session, between which others have their say.
struct Interrupted<'i> {
    lines: Vec<&'i str>,
    before: Vec<Box<dyn FnOnce() + 'i>>,
    rest: Vec<u8>,
}

impl std::io::Read for Interrupted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for Interrupted<'_> {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        if self.rest.is_empty() && !self.lines.is_empty() {
            self.before.remove(0)();
            self.rest = format!("{}\n", self.lines.remove(0)).into_bytes();
        }
        Ok(&self.rest)
    }

    fn consume(&mut self, n_bytes: usize) {
        self.rest.drain(..n_bytes);
    }
}

#[test]
fn who_judges_what_somebody_else_has_just_judged_hears_of_it_first() {
    let check = |annotator: &str, lines: [&str; 3], told: &str, expected: &[(usize, &str)]| {
        let mut place = many();
        place.reviewing.overlap = Overlap { n: 1, share: 1.0 };
        let (other, say) = (&place, "x\nq\n");
        let other = || {
            let reviewing = ReviewOptions {
                annotator: annotator.to_owned(),
                ..other.reviewing.clone()
            };
            let store = Store::open(other.folder.path(), StoreAccess::Read).expect("it opens");
            let mut out = Vec::new();
            let desk = PlainReview::new(store, other.verdicts(), &reviewing, &mut out, &|| 5);
            let run = desk.and_then(|desk| desk.run(&mut say.as_bytes()));
            run.expect("the session ends well");
        };
        let out = place.read(&mut Interrupted {
            lines: lines.to_vec(),
            before: vec![Box::new(other), Box::new(|| ()), Box::new(|| ())],
            rest: Vec::new(),
        });
        assert!(out.contains(told), "{out}");
        assert_eq!(place.words(), expected, "{out}");
    };
    let others = "not saved: eva just judged this; say it again";
    check("eva", ["a", "a", "q"], others, &[(0, "accept")]);
    // Another verdict is not the one that was held back.
    check("eva", ["a", "x", "q"], others, &[]);
    // The next sample is nobody's yet.
    check("eva", ["a", "s", "1"], others, &[(1, "pick")]);
    let own = "not saved: you just judged this elsewhere: none of these; say it again";
    check("ada", ["a", "a", "q"], own, &[(0, "accept")]);
    check("ada", ["a", "s", "q"], own, &[(0, "none_of_these")]);
}

#[test]
fn what_somebody_else_has_before_them_waits_and_the_last_one_is_told() {
    let mut place = many();
    place.reviewing.overlap = Overlap::default();
    let store = || Store::open(place.folder.path(), StoreAccess::Read).expect("it opens");
    let keys = store()
        .keys(&crate::model::Filter::default())
        .expect("the index reads");
    let seat = |number| Seat::take(place.folder.path(), number).expect("a seat is free");
    let mut bob = seat(1);
    bob.sit("bob", Some(keys[0])).expect("it is written");
    let ada = |queue: &str, lines: &str| {
        let reviewing = ReviewOptions {
            queue: queue.to_owned(),
            ..place.reviewing.clone()
        };
        let mut out = Vec::new();
        let desk = PlainReview::new(store(), place.verdicts(), &reviewing, &mut out, &|| 5);
        let run = desk.and_then(|mut desk| {
            desk.seat = Some(seat(2));
            desk.run(&mut lines.as_bytes())
        });
        run.expect("the session ends well");
        String::from_utf8(out).expect("it is text")
    };
    let out = ada("mined", "x\nq\n");
    assert!(!out.contains("on this one"), "{out}");
    assert_eq!(place.words(), [(1, "none_of_these")]);
    let only = format!("mined key:{}", keys[0]);
    let out = ada(&only, "q\n");
    assert!(out.contains("bob is on this one; `s` skips it\n"), "{out}");
    drop(bob);
    let out = ada(&only, "q\n");
    assert!(!out.contains("on this one"), "{out}");
}

#[test]
fn what_means_nothing_decides_nothing() {
    let place = many();
    let out = place.answer(
        "y\naccept it\n99\n0\npick\npick nonsense\nfind\n1 2\n \n\nA\nback 7\nshow 9\nkeep\n\u{1b}[2J\n",
    );
    assert_eq!(place.words(), []);
    for part in [
        "`y` is not a command here",
        "`accept` takes no argument",
        "no candidate 99: the sample has 1",
        "no candidate 0",
        "`1 2` is not a command here",
        "`nonsense` is not one method",
        "you have not judged this sample",
        "⟨001B⟩",
        "nothing was said; 8 left in mined",
    ] {
        assert!(out.contains(part), "{part}\n{out}");
    }
    assert!(!out.contains('\u{1b}'));
}

#[test]
fn an_undo_opens_the_sample_again_and_a_redo_leaves_it() {
    let place = many();
    let out = place.answer("a\ns\nu\nu\nu\nU\nU\nU\nq\n");
    assert_eq!(place.words(), [(0, "accept"), (1, "skip")]);
    let at: Vec<&str> = out
        .lines()
        .filter_map(|line| line.strip_prefix("sample ")?.split(',').next())
        .collect();
    assert_eq!(
        at,
        [
            "1 of 8", "2 of 8", "2 of 8", "2 of 8", "1 of 8", "2 of 8", "2 of 8"
        ]
    );
    assert!(out.contains("nothing to undo") && out.contains("nothing to redo"));
    assert!(out.contains("you said: 1 accept, 1 skip; 7 left"), "{out}");
    // Another session takes back what this one said.
    place.answer("undo\nx\n");
    assert_eq!(place.words(), [(0, "accept"), (1, "none_of_these")]);
}

#[test]
fn the_last_decisions_are_listed_opened_again_and_changed_or_kept() {
    let place = many();
    let out = place.answer("a\nx\nhistory\nback 2\nkeep\nback 1\no\nq\n");
    assert_eq!(place.words(), [(0, "accept"), (1, "unsure")]);
    for part in [
        "  1. none of these, on ManyTest.test1_1",
        "  2. accept p.Counter#",
        "your verdict: accept p.Counter#",
        "kept: accept",
        "your verdict: none of these",
    ] {
        assert!(out.contains(part), "{part}\n{out}");
    }
    let events = place.verdicts().history("ada", 9).expect("the events read");
    assert_eq!(events.len(), 3);
}

#[test]
fn a_neighbour_is_looked_at_and_not_judged() {
    let place = many();
    let out = place.answer("}\na\n}\n{\n{\n{\nagain\na\n{\nx\nagain\nx\n");
    assert_eq!(place.words(), [(0, "accept"), (1, "none_of_these")]);
    for part in [
        "1 ahead, only to look at",
        "2 ahead, only to look at",
        "there is no further sample",
        "1 behind, only to look at",
        "another sample was printed last; `again` returns to yours",
    ] {
        assert!(out.contains(part), "{part}\n{out}");
    }
}

#[test]
fn marks_come_and_go() {
    let place = many();
    let out = place.answer("m\nagain\nm\nagain\n");
    assert_eq!(
        place.verdicts().marks_of("ada").expect("the marks read"),
        []
    );
    assert_eq!(out.matches("\nmarked\n").count(), 1);
    assert!(out.contains("saved: mark\n") && out.contains("saved: unmark\n"));
}

#[test]
fn what_others_say_meanwhile_shortens_the_queue() {
    /// Lines between which somebody else sits down.
    struct Interrupted<'p> {
        place: &'p PlainWorkspace,
        lines: Vec<&'static str>,
        at: usize,
    }
    impl std::io::Read for Interrupted<'_> {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Ok(0)
        }
    }
    impl BufRead for Interrupted<'_> {
        fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
            if self.at == 0 && self.lines.len() == 3 {
                let reviewing = ReviewOptions {
                    annotator: "eva".to_owned(),
                    ..self.place.reviewing.clone()
                };
                let store = Store::open(self.place.folder.path(), StoreAccess::Read);
                let clock = || 1;
                let mut out = Vec::new();
                let desk = PlainReview::new(
                    store.expect("the index opens"),
                    self.place.verdicts(),
                    &reviewing,
                    &mut out,
                    &clock,
                );
                let run =
                    desk.and_then(|plain_review| plain_review.run(&mut "a\na\nX\n".as_bytes()));
                run.expect("the session ends well");
            }
            let line = self.lines.first().copied().unwrap_or_default();
            Ok(&line.as_bytes()[self.at..])
        }
        fn consume(&mut self, n: usize) {
            self.at += n;
            if self.lines.first().is_some_and(|line| line.len() == self.at) {
                self.lines.remove(0);
                self.at = 0;
            }
        }
    }
    let mut place = many();
    place.reviewing.overlap = Overlap::default();
    let out = place.read(&mut Interrupted {
        place: &place,
        lines: vec!["x\n", "x\n", "x\n"],
        at: 0,
    });
    // Eva judged 0, 1 and 2 while ada looked at 0.
    assert_eq!(place.words(), [(0, "none_of_these"), (3, "none_of_these")]);
    assert!(out.contains("sample 2 of 6"), "{out}");
    assert!(out.contains("4 left in mined"), "{out}");
}

#[test]
fn who_is_blind_sees_no_sign_of_the_match() {
    let mut place = PlainWorkspace::new(&counter_repo("a"));
    place.answer("a\n");
    place.reviewing.annotator = "eva".to_owned();
    place.reviewing.is_blind = true;
    let out = place.answer("a\ni\n?\ncontext\n1\nhistory\nu\nshow 1\n2\n");
    let before_pick = out.split("saved").next().unwrap_or_default();
    for sign in [
        "the match",
        "weight",
        "match:",
        "1.00",
        " S ",
        " > ",
        "test name",
        "the machine's decision is right",
        "no contexts",
    ] {
        assert!(!before_pick.contains(sign), "{sign}\n{before_pick}");
    }
    assert!(out.contains("a hidden match cannot be accepted"), "{out}");
    assert!(out.contains("it is hidden"));
    let judged = &place.holds()[0].1;
    assert!(
        matches!(&judged.judgement, Judgement::Pick(method) if Some(method) != judged.focal.as_ref())
    );
    // Of a sample that was accepted with open eyes, only that is told.
    place.reviewing.annotator = "ada".to_owned();
    let out = place.answer("history\nu\n");
    assert!(out.contains("saved: undone: accept\n"), "{out}");
    assert!(out.contains("1. accept, on"), "{out}");
}

#[test]
fn where_nothing_is_left_it_says_what_to_do() {
    let mut place = many();
    let out = place.answer("a\na\nX\nX\na\na\nX\nX\nu\nq\n");
    assert!(
        out.contains("nothing is left in mined\nyou have judged all 8"),
        "{out}"
    );
    assert_eq!(place.words().len(), 7);
    let check = |place: &PlainWorkspace, part: &str| {
        let out = place.answer("a\n");
        assert!(out.contains(part), "{part}\n{out}");
    };
    place.reviewing.queue = "stale".to_owned();
    check(&place, "none of your verdicts is out of date");
    place.reviewing.queue = "disagreements".to_owned();
    check(&place, "no disagreements");
    place.reviewing.queue = "mined repo:nobody".to_owned();
    check(&place, "it lets nothing through");
    place.reviewing.queue = "audit:n=2,seed=1 repo:m".to_owned();
    place.answer("X\nX\nX\n");
    check(
        &place,
        "`focalist audit --n 2 --seed 1 --stratify none --report repo:m`",
    );
    let (folder, store) = store_with(&[]);
    drop(store);
    place.folder = folder;
    check(&place, "the index is empty");
}
