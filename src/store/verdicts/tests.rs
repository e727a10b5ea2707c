//! The laws of events: nothing is lost, order of arrival means nothing, an undo takes back exactly one's own.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::model::{
    Batch, Bound, Bulk, ContentHash, Drawn, EventId, Judged, Judgement, SnapshotMethod, Tag,
    Tagged, Tags,
};

fn key(number: u8) -> SampleKey {
    SampleKey([number; 16])
}

fn judged(number: u8, judgement: Judgement) -> EventKind {
    EventKind::Judged(Judged {
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
    let verdicts = Verdicts::open(folder.path(), Access::Create).expect("the file is made");
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

/// Everything that holds: verdicts, marks and notes of each annotator, adjudications.
fn state(verdicts: &Verdicts) -> String {
    let annotators = ["ada", "eva"];
    let marks = annotators.map(|it| verdicts.marks_of(it).expect("marks read"));
    let notes: Vec<_> = (0..6)
        .map(|it| verdicts.notes_of(&key(it)).expect("notes read"))
        .collect();
    let all: Vec<_> = verdicts
        .all()
        .expect("verdicts read")
        .into_iter()
        .map(|it| (it.annotator, it.judged))
        .collect();
    let gold = verdicts.adjudications().expect("adjudications read");
    let gold: Vec<_> = gold.into_iter().map(|it| it.judged).collect();
    let provisional = verdicts.provisional().expect("provisional verdicts read");
    let provisional: Vec<_> = provisional
        .into_iter()
        .map(|it| (it.annotator, it.judged.key))
        .collect();
    let rulings = annotators.map(|it| rulings(verdicts, it));
    format!("{all:?} {marks:?} {notes:?} {gold:?} {provisional:?} {rulings:?}")
}

const BOUND: Bound = Bound {
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

fn accepted(number: u8) -> Judged {
    match judged(number, Judgement::Accept) {
        EventKind::Judged(judged) => judged,
        _ => unreachable!("it is a judgement"),
    }
}

fn tagged(number: u8, attempt: u32, tags: Tags) -> Tagged {
    Tagged {
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
    let own = all.into_iter().filter(|it| it.annotator == annotator);
    own.map(|it| ((it.tagged.key, it.tagged.attempt), it.tagged.tags.0))
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

#[test]
fn every_kind_of_event_is_read_as_it_was_written() {
    let (folder, mut verdicts) = fresh();
    let of_gold = Judged {
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
                Drawn {
                    key: key(1),
                    stratum: "a b".to_owned(),
                },
                Drawn {
                    key: key(2),
                    stratum: String::new(),
                },
            ],
        }),
        EventKind::Batch(Batch {
            n_accepted: 3,
            ..batch()
        }),
        EventKind::Tagged(Tagged {
            note: Some("näh".to_owned()),
            ..tagged(1, 2, Tags::default())
        }),
        EventKind::Judged(Judged {
            bulk: Some(Bulk {
                batch: EventId([8; 16]),
                bound: BOUND,
            }),
            ..accepted(4)
        }),
    ];
    let written = verdicts
        .append("ada", 1000, kinds)
        .expect("events are added");
    drop(verdicts);
    let verdicts = Verdicts::open(folder.path(), Access::Read).expect("the file opens");
    assert_eq!(events(&verdicts), written);
    let times: Vec<i64> = written.iter().map(Event::at_ms).collect();
    assert_eq!(times, (1000..1011).collect::<Vec<_>>());
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
    let mut verdicts = Verdicts::open(folder.path(), Access::Write).expect("the file opens");
    let undone = verdicts.undo("ada", 2).expect("it is undone");
    assert!(undone.is_some_and(|it| it.annotator() == "ada"));
    let said = |verdicts: &Verdicts| {
        let of_sample = verdicts.of_sample(&key(1)).expect("verdicts read");
        let words = of_sample.iter().map(|it| it.judged.judgement.as_str());
        words.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(said(&verdicts), "accept no_focal");
    verdicts.undo("ada", 3).expect("it is undone");
    assert_eq!(said(&verdicts), "no_focal");
    assert_eq!(verdicts.undo("ada", 3).expect("nothing is left"), None);
    drop(verdicts);
    let mut verdicts = Verdicts::open(folder.path(), Access::Write).expect("the file opens");
    verdicts.redo("ada", 4).expect("it is redone");
    assert_eq!(said(&verdicts), "accept no_focal");
    // What is new ends the chance to redo what came before.
    verdicts
        .append("ada", 5, vec![EventKind::Marked { key: key(1) }])
        .expect("an event is added");
    assert_eq!(verdicts.redo("ada", 6).expect("nothing to redo"), None);
    let history = verdicts.history("ada", 10).expect("history reads");
    let shown: Vec<(&str, bool)> = history
        .iter()
        .map(|it| (it.event.kind().as_str(), it.is_undone))
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
        event.and_then(|it| it.kind().key())
    };
    append(&mut first, 1);
    drop(first);
    let mut first = Verdicts::open(folder.path(), Access::Write).expect("a window opens");
    let mut second = Verdicts::open(folder.path(), Access::Write).expect("a window opens");
    append(&mut first, 2);
    append(&mut second, 3);
    assert_eq!(undone(&mut first), Some(key(2)));
    // Nor does what was said there end the chance to redo.
    append(&mut second, 4);
    let redone = first.redo("ada", 3).expect("it is redone");
    assert_eq!(redone.and_then(|it| it.kind().key()), Some(key(2)));
    assert_eq!(undone(&mut first), Some(key(2)));
    // What was there before is everybody's.
    assert_eq!(undone(&mut first), Some(key(1)));
    assert_eq!(undone(&mut first), None);
    assert_eq!(undone(&mut second), Some(key(4)));
    // The file was closed and opened again, the window was not.
    let window = second.window().clone();
    drop(second);
    append(&mut first, 5);
    let mut second = Verdicts::open(folder.path(), Access::Write).expect("the file opens");
    second.resume(window);
    assert_eq!(undone(&mut second), Some(key(3)));
    assert_eq!(undone(&mut second), None);
    // A window that opens later finds all that stands.
    let mut third = Verdicts::open(folder.path(), Access::Write).expect("a window opens");
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
        samples: vec![Drawn {
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
                    Verdicts::open(folder, Access::Create).expect("a second writer opens");
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
fn files_that_cannot_be_used_say_why() {
    let folder = tempfile::tempdir().expect("tests may make folders");
    let path = folder.path().join(Verdicts::FILE_NAME);
    let open = |access| Verdicts::open(folder.path(), access).map(|_| ());
    assert!(matches!(
        open(Access::Read),
        Err(StoreError::Missing { .. })
    ));
    assert!(matches!(
        open(Access::Write),
        Err(StoreError::Missing { .. })
    ));
    let empty = Verdicts::open_or_empty(folder.path()).expect("no file is no verdict");
    assert_eq!(empty.all().expect("it reads"), []);
    assert!(!path.exists());

    fs::write(&path, "no database, whatever its name says").expect("a file is written");
    for access in [Access::Read, Access::Create] {
        assert!(matches!(open(access), Err(StoreError::NotAnIndex { .. })));
    }
    fs::remove_file(&path).expect("the file goes");
    super::super::Store::open(folder.path(), Access::Create).expect("an index is made");
    fs::copy(folder.path().join("index.db"), &path).expect("an index is no file of verdicts");
    assert!(matches!(
        open(Access::Write),
        Err(StoreError::NotAnIndex { .. })
    ));
    fs::remove_file(&path).expect("the file goes");

    let mut verdicts = Verdicts::open(folder.path(), Access::Create).expect("the file is made");
    for number in 0..200 {
        verdicts
            .append("ada", 1, vec![judged(number, Judgement::Accept)])
            .expect("an event is added");
    }
    assert!(matches!(
        Verdicts::open(folder.path(), Access::Read)
            .expect("a reader opens")
            .append("ada", 1, vec![judged(1, Judgement::Skip)]),
        Err(StoreError::ReadOnly { .. })
    ));
    drop(verdicts);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).expect("rights change");
    // Who may write everything (root) writes this, too.
    if fs::OpenOptions::new().write(true).open(&path).is_err() {
        assert!(matches!(
            open(Access::Write),
            Err(StoreError::ReadOnly { .. })
        ));
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("rights change");
    let mut bytes = fs::read(&path).expect("the file reads");
    let half = bytes.len() / 2;
    bytes[4096..half].fill(0x5a);
    fs::write(&path, bytes).expect("the file is written");
    let verdicts = Verdicts::open(folder.path(), Access::Write);
    let read = verdicts.and_then(|it| it.all());
    assert!(
        matches!(
            read,
            Err(StoreError::Damaged { .. } | StoreError::NotAnIndex { .. })
        ),
        "{read:?}"
    );
}

#[test]
fn a_newer_schema_is_left_alone_and_an_older_one_is_copied_first() {
    let (folder, mut verdicts) = fresh();
    verdicts
        .append("ada", 1, vec![judged(1, Judgement::Accept)])
        .expect("an event is added");
    drop(verdicts);
    let known = VERDICTS.migrations.len();
    let migrations: Vec<&str> = VERDICTS
        .migrations
        .iter()
        .copied()
        .chain(["-- Why: this test.\nCREATE TABLE later (a INTEGER NOT NULL) STRICT;"])
        .collect();
    let next = Kind {
        migrations: &migrations,
        ..VERDICTS
    };
    assert!(matches!(
        open(folder.path(), Access::Read, next),
        Err(StoreError::Older { found, known: it, .. })
            if found as usize == known && it as usize == known + 1
    ));
    let migrated = open(folder.path(), Access::Write, next).expect("the file is migrated");
    assert_eq!(migrated.all().expect("verdicts read").len(), 1);
    drop(migrated);
    let copy = folder.path().join(format!("verdicts.db.v{known}.bak"));
    assert!(copy.is_file());
    for access in [Access::Read, Access::Write, Access::Create] {
        assert!(matches!(
            Verdicts::open(folder.path(), access),
            Err(StoreError::Newer { found, known: it, .. })
                if found as usize == known + 1 && it as usize == known
        ));
    }
    fs::copy(copy, folder.path().join(Verdicts::FILE_NAME)).expect("the copy is put back");
    let former = Verdicts::open(folder.path(), Access::Read).expect("the copy opens");
    assert_eq!(former.all().expect("verdicts read").len(), 1);
}

#[test]
fn every_migration_says_why() {
    for migration in VERDICTS.migrations {
        assert!(migration.starts_with("-- Why: "), "{migration}");
    }
}

#[test]
fn a_verdict_is_on_the_disk_when_the_call_returns() {
    let (_folder, verdicts) = fresh();
    let pragma = |name: &str| -> String {
        let sql = format!("PRAGMA {name}");
        let value: rusqlite::types::Value = verdicts
            .conn
            .query_row(&sql, [], |row| row.get(0))
            .expect("a setting reads");
        format!("{value:?}")
    };
    assert_eq!(pragma("synchronous"), "Integer(2)");
    assert_eq!(pragma("journal_mode"), "Text(\"wal\")");
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
    // The same code in another place is known, too.
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
    // Of a test without a focal method, and with an empty text.
    say(&mut verdicts, &snapshot(3, ""));
    assert_eq!(read(3, &verdicts), Some(snapshot(3, "")));
    // From another file both come; whoever merges what, shows the same.
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
                .all(|it| it.judged.bulk.is_some_and(|it| it.bound == BOUND))
        );
        found.iter().map(|it| it.judged.key.0[0]).collect()
    };
    // The first was looked at, though before.
    assert_eq!(provisional(&verdicts), [2, 3]);
    assert_eq!(verdicts.all().expect("verdicts read").len(), 1);
    let history = |verdicts: &Verdicts| -> Vec<(&'static str, bool)> {
        let past = verdicts.history("ada", 9).expect("the past reads");
        let shown = past
            .iter()
            .map(|it| (it.event.kind().as_str(), it.is_undone));
        shown.collect()
    };
    assert_eq!(history(&verdicts), [("batch", false), ("judged", false)]);

    // Decided later, and that taken back.
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
            .all(|it| it.is_undone)
    );
    let n_undos = events(&verdicts)
        .iter()
        .filter(|it| it.kind().as_str() == "undone")
        .count();
    assert_eq!(n_undos, 2);
    assert_eq!(verdicts.redo("ada", 1).expect("it is redone"), Some(event));
    assert_eq!(provisional(&verdicts), [2, 3]);
    let of_eva = verdicts.provisional_of_annotator("eva").expect("they read");
    assert_eq!(of_eva, []);
    let of_two = verdicts.provisional_of_sample(&key(2)).expect("they read");
    assert_eq!(of_two.len(), 1);
    // Undone twice: the batch, then what was before it.
    verdicts.undo("ada", 1).expect("it is undone");
    let first = verdicts.undo("ada", 1).expect("it is undone");
    assert!(first.is_some_and(|it| it.kind().as_str() == "judged"));
}

#[test]
fn tags_hold_for_one_prediction_of_one_run() {
    let (_folder, mut verdicts) = fresh();
    let literal = Tags::from_iter([Tag::WrongLiteral]);
    let other_run = Tagged {
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
        one.into_iter().map(|it| it.tagged).collect::<Vec<_>>(),
        [other_run]
    );
    assert_eq!(verdicts.all().expect("verdicts read"), []);
    for _ in 0..4 {
        verdicts.undo("ada", 9).expect("it is undone");
    }
    let before = [((key(1), 0), literal.0)];
    assert_eq!(rulings(&verdicts, "ada"), BTreeMap::from(before));
    let past = verdicts.history_of(&key(1)).expect("it reads");
    assert_eq!(past.iter().filter(|it| it.is_undone).count(), 3);
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
        Judged {
            key: SampleKey(key),
            ..accepted(1)
        }
    };
    let start = std::time::Instant::now();
    verdicts
        .append_batch("ada", 1, batch(), (0..n).map(numbered).collect())
        .expect("a batch is added");
    // Without optimisation, beside other tests; far less otherwise.
    assert!(start.elapsed() < std::time::Duration::from_secs(60));
    assert_eq!(
        verdicts.provisional_keys().expect("they read").len(),
        n as usize
    );
    verdicts.undo("ada", 1).expect("it is undone");
    assert_eq!(verdicts.provisional_keys().expect("they read"), []);
}

#[test]
fn a_full_disk_takes_no_verdict_away() {
    let (folder, mut verdicts) = fresh();
    let pages = |verdicts: &Verdicts, n: u32| {
        let sql = format!("PRAGMA max_page_count = {n}");
        let set: u32 = verdicts
            .conn
            .query_row(&sql, [], |row| row.get(0))
            .expect("a limit is set");
        set
    };
    verdicts
        .append("ada", 1, vec![judged(1, Judgement::Accept)])
        .expect("an event is added");
    // As many as there are.
    pages(&verdicts, 1);
    let mut n_said = 1;
    let full = loop {
        let kinds = vec![judged(n_said, Judgement::Accept)];
        match verdicts.append_shown("ada", 1, kinds, &[snapshot(n_said, "int a;")]) {
            Ok(_) => n_said += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(full, StoreError::Full { .. }), "{full}");
    let all = vec![accepted(1); 200];
    let all = all.into_iter().zip(0..).map(|(it, number)| Judged {
        key: key(number),
        ..it
    });
    let full = verdicts.append_batch("eva", 1, batch(), all.collect());
    assert!(matches!(full, Err(StoreError::Full { .. })));
    let n_verdicts = |verdicts: &Verdicts| verdicts.all().expect("verdicts read").len();
    // The first was said twice.
    assert_eq!(events(&verdicts).len(), usize::from(n_said));
    assert_eq!(verdicts.provisional().expect("they read"), []);
    // With room again, it goes on, in this process and in the next.
    pages(&verdicts, u32::MAX - 1);
    verdicts
        .append("ada", 1, vec![judged(99, Judgement::Accept)])
        .expect("there is room");
    let n_then = n_verdicts(&verdicts);
    drop(verdicts);
    let again = Verdicts::open(folder.path(), Access::Write).expect("the file opens");
    assert_eq!(n_verdicts(&again), n_then);
    assert_eq!(events(&again).len(), usize::from(n_said) + 1);
}

#[test]
fn a_file_that_may_no_longer_be_written_says_so() {
    let (_folder, mut verdicts) = fresh();
    verdicts
        .append("ada", 1, vec![judged(1, Judgement::Accept)])
        .expect("an event is added");
    verdicts
        .conn
        .execute_batch("PRAGMA query_only = ON")
        .expect("it is set");
    let refused = verdicts.append("ada", 1, vec![judged(2, Judgement::Accept)]);
    assert!(matches!(refused, Err(StoreError::ReadOnly { .. })));
    assert!(matches!(
        verdicts.undo("ada", 1),
        Err(StoreError::ReadOnly { .. })
    ));
    assert_eq!(verdicts.all().expect("verdicts read").len(), 1);
}

#[test]
fn an_older_file_is_brought_up_to_date_also_for_a_reader() {
    let folder = tempfile::tempdir().expect("tests may make folders");
    let former = Kind {
        migrations: &VERDICTS.migrations[..1],
        ..VERDICTS
    };
    open(folder.path(), Access::Create, former).expect("the file is made");
    assert!(matches!(
        Verdicts::open(folder.path(), Access::Read),
        Err(StoreError::Older { found: 1, .. })
    ));
    // What the first version wrote.
    let path = folder.path().join(Verdicts::FILE_NAME);
    let conn = Connection::open(&path).expect("the file opens");
    let event = Event::new("ada", 1, judged(1, Judgement::Accept));
    conn.execute(
        "INSERT INTO events (id, annotator, at_ms, kind, key, content_hash, focal, judgement, dwell_ms, guideline, queue)
         VALUES (?1, 'ada', 1, 'judged', ?2, ?3, 'p.C#m()', 'accept', 1200, '1', 'random')",
        params![event.id().0, key(1).0, [9_u8; 16]],
    )
    .expect("a row is written");
    drop(conn);
    let verdicts = Verdicts::open_or_empty(folder.path()).expect("it is migrated");
    assert_eq!(events(&verdicts), [event]);
    assert_eq!(verdicts.all().expect("verdicts read").len(), 1);
    assert!(folder.path().join("verdicts.db.v1.bak").is_file());
}

/// What one annotator does.
#[derive(Clone, Debug)]
enum Step {
    Say(Box<EventKind>),
    AcceptAll(Vec<u8>),
    Undo,
    Redo,
}

fn steps() -> impl Strategy<Value = Vec<(bool, i64, Step)>> {
    let judgement = prop_oneof![
        Just(Judgement::Accept),
        Just(Judgement::NoFocal),
        Just(Judgement::Pick("p.D#n()".to_owned())),
    ];
    let kind = prop_oneof![
        4 => (0..4_u8, judgement).prop_map(|(number, it)| judged(number, it)),
        1 => (0..4_u8).prop_map(|number| EventKind::Marked { key: key(number) }),
        1 => (0..4_u8).prop_map(|number| EventKind::Unmarked { key: key(number) }),
        2 => (0..2_u8, 0..2_u32, 0..8_u32)
            .prop_map(|(number, attempt, tags)| EventKind::Tagged(tagged(number, attempt, Tags(tags)))),
        1 => (0..4_u8, "[ab]?").prop_map(|(number, note)| EventKind::Noted { key: key(number), note }),
    ];
    let step = prop_oneof![
        4 => kind.prop_map(|it| Step::Say(Box::new(it))),
        1 => prop::collection::vec(0..4_u8, 1..4).prop_map(Step::AcceptAll),
        3 => Just(Step::Undo),
        2 => Just(Step::Redo),
    ];
    prop::collection::vec((any::<bool>(), 0..50_i64, step), 0..30)
}

/// Two stacks, as every editor has them; a batch with the samples that came with it.
#[derive(Default)]
struct Model {
    done: Vec<(EventKind, Vec<u8>)>,
    undone: Vec<(EventKind, Vec<u8>)>,
}

impl Model {
    fn provisional(&self) -> Vec<SampleKey> {
        let own = self.verdicts();
        let all = self.done.iter().flat_map(|it| &it.1);
        let keys: BTreeSet<SampleKey> = all.map(|number| key(*number)).collect();
        keys.into_iter()
            .filter(|it| !own.contains_key(it))
            .collect()
    }

    fn verdicts(&self) -> BTreeMap<SampleKey, Judgement> {
        let judgements = self.done.iter().filter_map(|(it, _)| match it {
            EventKind::Judged(judged) => Some((judged.key, judged.judgement.clone())),
            _ => None,
        });
        judgements.collect()
    }

    fn rulings(&self) -> BTreeMap<(SampleKey, u32), u32> {
        let tagged = self.done.iter().filter_map(|it| it.0.tagged());
        tagged.map(|it| ((it.key, it.attempt), it.tags.0)).collect()
    }

    fn marks(&self) -> Vec<SampleKey> {
        let mut marks = BTreeMap::new();
        for (kind, _) in &self.done {
            match kind {
                EventKind::Marked { key } => marks.insert(*key, true),
                EventKind::Unmarked { key } => marks.insert(*key, false),
                _ => None,
            };
        }
        marks.into_iter().filter(|it| it.1).map(|it| it.0).collect()
    }
}

fn run(verdicts: &mut Verdicts, steps: &[(bool, i64, Step)]) -> [Model; 2] {
    let mut models = [Model::default(), Model::default()];
    for (who, now_ms, step) in steps {
        let model = &mut models[usize::from(*who)];
        let annotator = ["ada", "eva"][usize::from(*who)];
        match step {
            Step::Say(kind) => {
                verdicts
                    .append(annotator, *now_ms, vec![(**kind).clone()])
                    .expect("an event is added");
                model.done.push(((**kind).clone(), Vec::new()));
                model.undone.clear();
            }
            Step::AcceptAll(numbers) => {
                let judgements = numbers.iter().map(|it| accepted(*it)).collect();
                let event = verdicts
                    .append_batch(annotator, *now_ms, batch(), judgements)
                    .expect("a batch is added");
                model.done.push((event.kind().clone(), numbers.clone()));
                model.undone.clear();
            }
            Step::Undo => {
                let undone = verdicts.undo(annotator, *now_ms).expect("it is undone");
                let expected = model.done.pop();
                let expected_kind = expected.as_ref().map(|it| it.0.clone());
                assert_eq!(undone.map(|it| it.kind().clone()), expected_kind);
                model.undone.extend(expected);
            }
            Step::Redo => {
                let redone = verdicts.redo(annotator, *now_ms).expect("it is redone");
                let expected = model.undone.pop();
                let expected_kind = expected.as_ref().map(|it| it.0.clone());
                assert_eq!(redone.map(|it| it.kind().clone()), expected_kind);
                model.done.extend(expected);
            }
        }
    }
    models
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_holds_is_what_two_stacks_say(steps in steps()) {
        let (_folder, mut verdicts) = fresh();
        let models = run(&mut verdicts, &steps);
        for (annotator, model) in ["ada", "eva"].into_iter().zip(models) {
            let of_annotator = verdicts.of_annotator(annotator).expect("verdicts read");
            let actual: BTreeMap<_, _> = of_annotator
                .into_iter()
                .map(|it| (it.judged.key, it.judged.judgement))
                .collect();
            prop_assert_eq!(actual, model.verdicts());
            let provisional = verdicts.provisional_of_annotator(annotator).expect("they read");
            let provisional: Vec<_> = provisional.into_iter().map(|it| it.judged.key).collect();
            prop_assert_eq!(provisional, model.provisional());
            prop_assert_eq!(rulings(&verdicts, annotator), model.rulings());
            prop_assert_eq!(verdicts.marks_of(annotator).expect("marks read"), model.marks());
        }
    }

    #[test]
    fn as_many_undos_as_steps_restore_the_state(before in steps(), n_steps in 1..8_u8) {
        let (_folder, mut verdicts) = fresh();
        run(&mut verdicts, &before);
        let was = state(&verdicts);
        for number in 0..n_steps {
            verdicts
                .append("ada", 1, vec![judged(number, Judgement::Unsure)])
                .expect("an event is added");
        }
        let then = state(&verdicts);
        for _ in 0..n_steps {
            verdicts.undo("ada", 1).expect("it is undone");
        }
        prop_assert_eq!(state(&verdicts), was);
        for _ in 0..n_steps {
            verdicts.redo("ada", 1).expect("it is redone");
        }
        prop_assert_eq!(state(&verdicts), then);
    }

    #[test]
    fn merging_is_commutative_and_idempotent(first in steps(), second in steps(), cut in 0..60_usize) {
        let of = |steps: &[(bool, i64, Step)]| {
            let (_folder, mut verdicts) = fresh();
            run(&mut verdicts, steps);
            events(&verdicts)
        };
        let (a, b) = (of(&first), of(&second));
        let merged = |parts: &[&[Event]]| {
            let (_folder, mut verdicts) = fresh();
            for part in parts {
                verdicts.merge(part).expect("it is merged");
            }
            (events(&verdicts), state(&verdicts))
        };
        let expected = merged(&[&a, &b]);
        let (head, tail) = b.split_at(cut.min(b.len()));
        prop_assert_eq!(&merged(&[&b, &a]), &expected);
        prop_assert_eq!(&merged(&[tail, &a, &b, head, &a]), &expected);
    }
}
