//! The laws of events: nothing is lost, the order of arrival does not matter, an undo takes back exactly one's own
//! event.

use std::collections::{BTreeMap, BTreeSet};

use tempfile::TempDir;

use super::*;
use crate::model::{
    Batch, Bulk, ContentHash, DrawnSample, ErrorBound, EventId, JudgedSample, Judgement,
    SnapshotMethod, Tag, TaggedPrediction, Tags,
};

mod files;
mod law;

fn key(number: u8) -> SampleKey {
    SampleKey([number; 16])
}

fn judged(number: u8, judgement: Judgement) -> EventKind {
    EventKind::Judged(JudgedSample {
        key: key(number),
        content_hash: ContentHash([9; 16]),
        focal: Some("p.C#m()".to_owned()),
        judgement,
        dwell_ms: Some(1200),
        guideline: Some("1".to_owned()),
        note: None,
        queue: Some("random".to_owned()),
        bulk: None,
    })
}

fn fresh() -> (TempDir, Verdicts) {
    let folder = tempfile::tempdir().expect("tests may make folders");
    let verdicts = Verdicts::open(folder.path(), StoreAccess::Create).expect("the file is made");
    (folder, verdicts)
}

fn events(verdicts: &Verdicts) -> Vec<Event> {
    let mut events = Vec::new();
    verdicts
        .each_event(|event| {
            events.push(event);
            Ok::<_, StoreError>(())
        })
        .expect("events read");
    events
}

/// Reads everything that is valid: verdicts, marks and notes of each annotator, adjudications.
fn state(verdicts: &Verdicts) -> String {
    let annotators = ["ada", "eva"];
    let marks = annotators.map(|annotator| verdicts.marks_of(annotator).expect("marks read"));
    let notes: Vec<_> = (0..6)
        .map(|byte| verdicts.notes_of(&key(byte)).expect("notes read"))
        .collect();
    let all: Vec<_> = verdicts
        .all()
        .expect("verdicts read")
        .into_iter()
        .map(|verdict| (verdict.annotator, verdict.judged))
        .collect();
    let gold = verdicts.adjudications().expect("adjudications read");
    let gold: Vec<_> = gold.into_iter().map(|verdict| verdict.judged).collect();
    let provisional = verdicts.provisional().expect("provisional verdicts read");
    let provisional: Vec<_> = provisional
        .into_iter()
        .map(|verdict| (verdict.annotator, verdict.judged.key))
        .collect();
    let rulings = annotators.map(|annotator| rulings(verdicts, annotator));
    format!("{all:?} {marks:?} {notes:?} {gold:?} {provisional:?} {rulings:?}")
}

const BOUND: ErrorBound = ErrorBound {
    n: 59,
    n_errors: 1,
    error_max_ppm: 77_898,
    confidence_ppm: 950_000,
};

fn batch() -> Batch {
    Batch {
        audit: "n=59 seed=7".to_owned(),
        n_accepted: 0,
        bound: BOUND,
    }
}

fn accepted(number: u8) -> JudgedSample {
    match judged(number, Judgement::Accept) {
        EventKind::Judged(judged) => judged,
        _ => unreachable!("it is a judgement"),
    }
}

fn tagged(number: u8, attempt: u32, tags: Tags) -> TaggedPrediction {
    TaggedPrediction {
        key: key(number),
        run: "carbon".to_owned(),
        attempt,
        texts: ContentHash([8; 16]),
        machine: Tags::from_iter([Tag::WrongLiteral, Tag::WrongExpected]),
        version: 1,
        tags,
        note: None,
    }
}

fn rulings(verdicts: &Verdicts, annotator: &str) -> BTreeMap<(SampleKey, u32), u32> {
    let all = verdicts.rulings_of_run("carbon").expect("they read");
    let own = all
        .into_iter()
        .filter(|tag_ruling| tag_ruling.annotator == annotator);
    own.map(|tag_ruling| {
        (
            (tag_ruling.tagged.key, tag_ruling.tagged.attempt),
            tag_ruling.tagged.tags.0,
        )
    })
    .collect()
}

fn snapshot(number: u8, text: &str) -> Snapshot {
    let method = |key: &str| SnapshotMethod {
        key: key.to_owned(),
        path: "src/C.java".to_owned(),
        text: text.to_owned(),
    };
    Snapshot {
        key: key(number),
        content_hash: ContentHash([9; 16]),
        test: method("p.CTest#t()"),
        focal: number.is_multiple_of(2).then(|| method("p.C#m()")),
    }
}

fn equivalent(number: u8, mutant: u8) -> EventKind {
    EventKind::Equivalent {
        key: key(number),
        mutant: ContentHash([mutant; 16]),
    }
}

#[test]
fn a_mutant_is_equivalent_as_long_as_somebody_says_so_beside_any_sample() {
    let (_folder, mut verdicts) = fresh();
    let said = |verdicts: &mut Verdicts, who: &str, kind: EventKind| {
        let events = verdicts.append(who, 1, vec![kind]);
        events.expect("an event is added");
    };
    let check = |verdicts: &Verdicts, expected: &[(u8, &str)]| {
        let found = verdicts.equivalents().expect("they are read");
        let found = found.iter().map(|found| (found.0.0[0], found.1.as_str()));
        assert_eq!(found.collect::<Vec<_>>(), expected);
    };
    said(&mut verdicts, "eva", equivalent(1, 9));
    said(&mut verdicts, "ada", equivalent(2, 9));
    said(&mut verdicts, "ada", equivalent(2, 8));
    check(&verdicts, &[(8, "ada"), (9, "ada"), (9, "eva")]);
    let not = EventKind::NotEquivalent {
        key: key(3),
        mutant: ContentHash([9; 16]),
    };
    said(&mut verdicts, "ada", not);
    check(&verdicts, &[(8, "ada"), (9, "eva")]);
    verdicts.undo("ada", 2).expect("it is undone");
    check(&verdicts, &[(8, "ada"), (9, "ada"), (9, "eva")]);
    verdicts.undo("ada", 2).expect("it is undone");
    check(&verdicts, &[(9, "ada"), (9, "eva")]);
}

#[test]
fn every_kind_of_event_is_read_as_it_was_written() {
    let (folder, mut verdicts) = fresh();
    let of_gold = JudgedSample {
        judgement: Judgement::Pick("p.D#n()".to_owned()),
        ..accepted(3)
    };
    let kinds = vec![
        judged(1, Judgement::Accept),
        EventKind::Noted {
            key: key(1),
            note: "a\nb".to_owned(),
        },
        EventKind::Marked { key: key(2) },
        EventKind::Unmarked { key: key(2) },
        EventKind::Undone {
            event: EventId([7; 16]),
        },
        EventKind::Redone {
            event: EventId([7; 16]),
        },
        EventKind::Adjudicated {
            judged: of_gold,
            reason: "clause 3".to_owned(),
        },
        EventKind::Drawn(Draw {
            audit: "n=2 seed=7".to_owned(),
            samples: vec![
                DrawnSample {
                    key: key(1),
                    stratum: "a b".to_owned(),
                },
                DrawnSample {
                    key: key(2),
                    stratum: String::new(),
                },
            ],
        }),
        EventKind::Batch(Batch {
            n_accepted: 3,
            ..batch()
        }),
        EventKind::Tagged(TaggedPrediction {
            note: Some("näh".to_owned()),
            ..tagged(1, 2, Tags::default())
        }),
        EventKind::Judged(JudgedSample {
            bulk: Some(Bulk {
                batch: EventId([8; 16]),
                bound: BOUND,
            }),
            ..accepted(4)
        }),
        equivalent(1, 9),
        EventKind::NotEquivalent {
            key: key(1),
            mutant: ContentHash([9; 16]),
        },
    ];
    let written = verdicts
        .append("ada", 1000, kinds)
        .expect("events are added");
    drop(verdicts);
    let verdicts = Verdicts::open(folder.path(), StoreAccess::Read).expect("the file opens");
    assert_eq!(events(&verdicts), written);
    let times: Vec<i64> = written.iter().map(Event::at_ms).collect();
    assert_eq!(times, (1000..1013).collect::<Vec<_>>());
}

#[test]
fn events_can_neither_be_changed_nor_deleted() {
    let (_folder, mut verdicts) = fresh();
    verdicts
        .append("ada", 1, vec![judged(1, Judgement::Accept)])
        .expect("an event is added");
    for sql in [
        "UPDATE events SET annotator = 'eva'",
        "DELETE FROM events",
        "UPDATE OR REPLACE events SET at_ms = 2",
    ] {
        assert!(verdicts.conn.execute(sql, []).is_err(), "{sql}");
    }
    assert_eq!(events(&verdicts).len(), 1);
}

#[test]
fn an_event_that_was_changed_behind_our_back_is_damage() {
    let (_folder, mut verdicts) = fresh();
    verdicts
        .append("ada", 1, vec![judged(1, Judgement::Accept)])
        .expect("an event is added");
    verdicts
        .conn
        .execute_batch("DROP TRIGGER events_never_change; UPDATE events SET annotator = 'eva'")
        .expect("whoever drops the trigger may");
    assert!(matches!(verdicts.all(), Err(StoreError::Damaged { .. })));
}

#[test]
fn the_clock_may_stand_still_or_go_back() {
    let (_folder, mut verdicts) = fresh();
    for now_ms in [50, 50, 10] {
        verdicts
            .append("ada", now_ms, vec![judged(1, Judgement::Accept)])
            .expect("an event is added");
    }
    verdicts
        .append("eva", 7, vec![judged(1, Judgement::Skip)])
        .expect("an event is added");
    let times: Vec<i64> = events(&verdicts).iter().map(Event::at_ms).collect();
    assert_eq!(times, [7, 50, 51, 52]);
}

#[test]
fn an_undo_is_ones_own_and_outlives_the_process() {
    let (folder, mut verdicts) = fresh();
    let mut append = |who: &str, kind| {
        verdicts
            .append(who, 1, vec![kind])
            .expect("an event is added");
    };
    append("ada", judged(1, Judgement::Accept));
    append("eva", judged(1, Judgement::NoFocal));
    append("ada", judged(1, Judgement::NoneOfThese));
    drop(verdicts);
    let mut verdicts = Verdicts::open(folder.path(), StoreAccess::Write).expect("the file opens");
    let undone = verdicts.undo("ada", 2).expect("it is undone");
    assert!(undone.is_some_and(|event| event.annotator() == "ada"));
    let said = |verdicts: &Verdicts| {
        let of_sample = verdicts.of_sample(&key(1)).expect("verdicts read");
        let words = of_sample
            .iter()
            .map(|verdict| verdict.judged.judgement.as_str());
        words.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(said(&verdicts), "accept no_focal");
    verdicts.undo("ada", 3).expect("it is undone");
    assert_eq!(said(&verdicts), "no_focal");
    assert_eq!(verdicts.undo("ada", 3).expect("nothing is left"), None);
    drop(verdicts);
    let mut verdicts = Verdicts::open(folder.path(), StoreAccess::Write).expect("the file opens");
    verdicts.redo("ada", 4).expect("it is redone");
    assert_eq!(said(&verdicts), "accept no_focal");
    // After a new event, earlier ones cannot be redone.
    verdicts
        .append("ada", 5, vec![EventKind::Marked { key: key(1) }])
        .expect("an event is added");
    assert_eq!(verdicts.redo("ada", 6).expect("nothing to redo"), None);
    let history = verdicts.history("ada", 10).expect("history reads");
    let shown: Vec<(&str, bool)> = history
        .iter()
        .map(|past_event| (past_event.event.kind().as_str(), past_event.is_undone))
        .collect();
    assert_eq!(
        shown,
        [("marked", false), ("judged", true), ("judged", false)]
    );
    assert_eq!(verdicts.history_of(&key(1)).expect("it reads").len(), 4);
}

#[test]
fn an_undo_takes_back_nothing_that_was_said_in_another_window_meanwhile() {
    let (folder, mut first) = fresh();
    let append = |verdicts: &mut Verdicts, number| {
        let kinds = vec![judged(number, Judgement::Accept)];
        verdicts.append("ada", 1, kinds).expect("an event is added");
    };
    let undone = |verdicts: &mut Verdicts| {
        let event = verdicts.undo("ada", 2).expect("it is undone");
        event.and_then(|event| event.kind().key())
    };
    append(&mut first, 1);
    drop(first);
    let mut first = Verdicts::open(folder.path(), StoreAccess::Write).expect("a window opens");
    let mut second = Verdicts::open(folder.path(), StoreAccess::Write).expect("a window opens");
    append(&mut first, 2);
    append(&mut second, 3);
    assert_eq!(undone(&mut first), Some(key(2)));
    // Nor does an event in the other window prevent a redo.
    append(&mut second, 4);
    let redone = first.redo("ada", 3).expect("it is redone");
    assert_eq!(redone.and_then(|event| event.kind().key()), Some(key(2)));
    assert_eq!(undone(&mut first), Some(key(2)));
    // Events from before can be undone in any window.
    assert_eq!(undone(&mut first), Some(key(1)));
    assert_eq!(undone(&mut first), None);
    assert_eq!(undone(&mut second), Some(key(4)));
    // The file is closed and opened again, while the window stays open.
    let window = second.window().clone();
    drop(second);
    append(&mut first, 5);
    let mut second = Verdicts::open(folder.path(), StoreAccess::Write).expect("the file opens");
    second.resume(window);
    assert_eq!(undone(&mut second), Some(key(3)));
    assert_eq!(undone(&mut second), None);
    // A window that is opened later can undo all standing events.
    let mut third = Verdicts::open(folder.path(), StoreAccess::Write).expect("a window opens");
    assert_eq!(undone(&mut third), Some(key(5)));
}

#[test]
fn the_undo_of_somebody_else_does_not_count() {
    let (_folder, mut verdicts) = fresh();
    let ours = verdicts
        .append("ada", 1, vec![judged(1, Judgement::Accept)])
        .expect("an event is added");
    let theirs = Event::new(
        "eva",
        9,
        EventKind::Undone {
            event: ours[0].id(),
        },
    );
    assert_eq!(verdicts.merge(&[theirs]).expect("it is merged"), 1);
    assert_eq!(verdicts.all().expect("verdicts read").len(), 1);
}

#[test]
fn the_first_draw_of_an_audit_holds() {
    let (_folder, mut verdicts) = fresh();
    let draw = |number: u8| Draw {
        audit: "n=1 seed=7".to_owned(),
        samples: vec![DrawnSample {
            key: key(number),
            stratum: String::new(),
        }],
    };
    let mut freeze = |number: u8| {
        verdicts
            .freeze("ada", 5, draw(number))
            .expect("the draw is kept")
    };
    assert_eq!(freeze(1), draw(1));
    assert_eq!(freeze(2), draw(1));
    assert_eq!(verdicts.undo("ada", 6).expect("a draw stays"), None);
    assert_eq!(verdicts.draw("n=2 seed=7").expect("it reads"), None);
}

#[test]
fn two_writers_at_once_lose_nothing() {
    const N: usize = 40;
    let (folder, verdicts) = fresh();
    std::thread::scope(|scope| {
        for annotator in ["ada", "eva", "kim"] {
            let folder = folder.path();
            scope.spawn(move || {
                let mut verdicts =
                    Verdicts::open(folder, StoreAccess::Create).expect("a second writer opens");
                for number in 0..N {
                    let kind = judged(number as u8, Judgement::Accept);
                    verdicts
                        .append(annotator, 1, vec![kind])
                        .expect("an event is added");
                }
            });
        }
    });
    assert_eq!(verdicts.all().expect("verdicts read").len(), 3 * N);
}

#[test]
fn a_reader_finds_the_file_while_it_is_made_and_written() {
    for _ in 0..20 {
        let folder = tempfile::tempdir().expect("tests may make folders");
        let folder = folder.path();
        std::thread::scope(|scope| {
            let writers = ["ada", "eva"].map(|annotator| {
                scope.spawn(move || {
                    let mut verdicts =
                        Verdicts::open(folder, StoreAccess::Create).expect("a writer opens");
                    verdicts
                        .append(annotator, 1, vec![judged(1, Judgement::Accept)])
                        .expect("an event is added");
                })
            });
            let n_read = || {
                let verdicts = Verdicts::open_or_empty(folder).expect("a reader opens");
                verdicts.all().expect("verdicts read").len()
            };
            while !writers
                .iter()
                .all(std::thread::ScopedJoinHandle::is_finished)
            {
                assert!(n_read() <= 2);
            }
            assert_eq!(n_read(), 2);
        });
    }
}

#[test]
fn what_was_judged_is_kept_once_and_for_good() {
    let (_folder, mut verdicts) = fresh();
    let say = |verdicts: &mut Verdicts, snapshot: &Snapshot| {
        let kinds = vec![judged(2, Judgement::Accept)];
        verdicts
            .append_shown("ada", 1, kinds, std::slice::from_ref(snapshot))
            .expect("an event is added");
    };
    let first = snapshot(2, "int a;\n\0é");
    say(&mut verdicts, &first);
    say(&mut verdicts, &first);
    // The same code in another place is also known.
    let mut moved = first.clone();
    moved.test.path = "elsewhere/C.java".to_owned();
    say(&mut verdicts, &moved);
    let count = |verdicts: &Verdicts| {
        let sql = "SELECT COUNT(*) FROM snapshots";
        let n: i64 = verdicts
            .conn
            .query_row(sql, [], |row| row.get(0))
            .expect("rows are counted");
        n
    };
    assert_eq!(count(&verdicts), 1);
    let read = |number: u8, verdicts: &Verdicts| {
        verdicts
            .snapshot(&key(number), &ContentHash([9; 16]))
            .expect("it reads")
    };
    assert_eq!(read(2, &verdicts), Some(first.clone()));
    assert_eq!(read(3, &verdicts), None);
    // A test without a focal method, and with an empty text.
    say(&mut verdicts, &snapshot(3, ""));
    assert_eq!(read(3, &verdicts), Some(snapshot(3, "")));
    // Both are merged from another file; every order of merging shows the same one.
    let mut all = vec![moved, first, snapshot(3, "")];
    assert_eq!(verdicts.merge_snapshots(&all).expect("they are merged"), 1);
    assert_eq!(verdicts.merge_snapshots(&all).expect("they are merged"), 0);
    let (_other, mut other) = fresh();
    all.reverse();
    assert_eq!(other.merge_snapshots(&all).expect("they are merged"), 3);
    assert_eq!(read(2, &other), read(2, &verdicts));
    for sql in ["UPDATE snapshots SET key = id", "DELETE FROM snapshots"] {
        assert!(verdicts.conn.execute(sql, []).is_err(), "{sql}");
    }
    verdicts
        .conn
        .execute_batch("DROP TRIGGER snapshots_never_change; UPDATE snapshots SET zstd = x'00'")
        .expect("whoever drops the trigger may");
    let damaged = verdicts.snapshot(&key(2), &ContentHash([9; 16]));
    assert!(matches!(damaged, Err(StoreError::Damaged { .. })));
}

#[test]
fn a_batch_is_taken_back_as_one_and_whoever_looks_knows_better() {
    let (_folder, mut verdicts) = fresh();
    verdicts
        .append("ada", 1, vec![judged(1, Judgement::NoFocal)])
        .expect("an event is added");
    let event = verdicts
        .append_batch(
            "ada",
            1,
            batch(),
            vec![accepted(1), accepted(2), accepted(3)],
        )
        .expect("a batch is added");
    assert!(matches!(event.kind(), EventKind::Batch(it) if it.n_accepted == 3));
    let provisional = |verdicts: &Verdicts| -> Vec<u8> {
        let found = verdicts.provisional().expect("they read");
        assert!(
            found
                .iter()
                .all(|verdict| verdict.judged.bulk.is_some_and(|bulk| bulk.bound == BOUND))
        );
        found
            .iter()
            .map(|verdict| verdict.judged.key.0[0])
            .collect()
    };
    // The first sample was judged by a person, even though before the batch.
    assert_eq!(provisional(&verdicts), [2, 3]);
    assert_eq!(verdicts.all().expect("verdicts read").len(), 1);
    let history = |verdicts: &Verdicts| -> Vec<(&'static str, bool)> {
        let past = verdicts.history("ada", 9).expect("the past reads");
        let shown = past
            .iter()
            .map(|past_event| (past_event.event.kind().as_str(), past_event.is_undone));
        shown.collect()
    };
    assert_eq!(history(&verdicts), [("batch", false), ("judged", false)]);

    // A sample is judged later, and that is undone.
    verdicts
        .append("ada", 1, vec![judged(2, Judgement::NoFocal)])
        .expect("an event is added");
    assert_eq!(provisional(&verdicts), [3]);
    verdicts.undo("ada", 1).expect("it is undone");
    assert_eq!(provisional(&verdicts), [2, 3]);

    assert_eq!(
        verdicts.undo("ada", 1).expect("it is undone"),
        Some(event.clone())
    );
    assert_eq!(provisional(&verdicts), [] as [u8; 0]);
    assert_eq!(history(&verdicts)[1], ("batch", true));
    assert!(
        verdicts
            .history_of(&key(2))
            .expect("it reads")
            .iter()
            .all(|past_event| past_event.is_undone)
    );
    let n_undos = events(&verdicts)
        .iter()
        .filter(|event| event.kind().as_str() == "undone")
        .count();
    assert_eq!(n_undos, 2);
    assert_eq!(verdicts.redo("ada", 1).expect("it is redone"), Some(event));
    assert_eq!(provisional(&verdicts), [2, 3]);
    let of_eva = verdicts.provisional_of_annotator("eva").expect("they read");
    assert_eq!(of_eva, []);
    let of_two = verdicts.provisional_of_sample(&key(2)).expect("they read");
    assert_eq!(of_two.len(), 1);
    // Undone twice: the batch, then the event before it.
    verdicts.undo("ada", 1).expect("it is undone");
    let first = verdicts.undo("ada", 1).expect("it is undone");
    assert!(first.is_some_and(|event| event.kind().as_str() == "judged"));
}

#[test]
fn tags_hold_for_one_prediction_of_one_run() {
    let (_folder, mut verdicts) = fresh();
    let literal = Tags::from_iter([Tag::WrongLiteral]);
    let other_run = TaggedPrediction {
        run: "flint".to_owned(),
        ..tagged(1, 0, literal)
    };
    let said = [
        tagged(1, 0, literal),
        tagged(1, 0, Tags::default()),
        tagged(1, 1, literal),
        tagged(2, 0, literal),
        other_run.clone(),
    ];
    verdicts
        .append("ada", 1, said.map(EventKind::Tagged).to_vec())
        .expect("events are added");
    let held = [
        ((key(1), 0), 0),
        ((key(1), 1), literal.0),
        ((key(2), 0), literal.0),
    ];
    assert_eq!(rulings(&verdicts, "ada"), BTreeMap::from(held));
    let one = verdicts.rulings_of("flint", &key(1), 0).expect("they read");
    assert_eq!(
        one.into_iter()
            .map(|tag_ruling| tag_ruling.tagged)
            .collect::<Vec<_>>(),
        [other_run]
    );
    assert_eq!(verdicts.all().expect("verdicts read"), []);
    for _ in 0..4 {
        verdicts.undo("ada", 9).expect("it is undone");
    }
    let before = [((key(1), 0), literal.0)];
    assert_eq!(rulings(&verdicts, "ada"), BTreeMap::from(before));
    let past = verdicts.history_of(&key(1)).expect("it reads");
    assert_eq!(
        past.iter()
            .filter(|past_event| past_event.is_undone)
            .count(),
        3
    );
}

#[test]
fn a_hundred_thousand_verdicts_are_one_step() {
    let n = match std::env::var_os("FOCALIST_SLOW") {
        Some(_) => 100_000,
        None => 5_000,
    };
    let (_folder, mut verdicts) = fresh();
    let numbered = |number: u32| {
        let mut key = [0; 16];
        key[..4].copy_from_slice(&number.wrapping_mul(2_654_435_761).to_be_bytes());
        JudgedSample {
            key: SampleKey(key),
            ..accepted(1)
        }
    };
    let start = std::time::Instant::now();
    verdicts
        .append_batch("ada", 1, batch(), (0..n).map(numbered).collect())
        .expect("a batch is added");
    // The limit is for an unoptimised build beside other tests; it takes far less otherwise.
    assert!(start.elapsed() < std::time::Duration::from_secs(60));
    assert_eq!(
        verdicts.provisional_keys().expect("they read").len(),
        n as usize
    );
    verdicts.undo("ada", 1).expect("it is undone");
    assert_eq!(verdicts.provisional_keys().expect("they read"), []);
}
