//! The laws of events: nothing is lost, order of arrival means nothing, an undo takes back exactly one's own.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::model::{ContentHash, Drawn, EventId, Judged, Judgement};

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
    format!("{all:?} {marks:?} {notes:?} {gold:?}")
}

#[test]
fn every_kind_of_event_is_read_as_it_was_written() {
    let (folder, mut verdicts) = fresh();
    let EventKind::Judged(of_gold) = judged(3, Judgement::Pick("p.D#n()".to_owned())) else {
        unreachable!("it is a judgement")
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
    ];
    let written = verdicts
        .append("ada", 1000, kinds)
        .expect("events are added");
    drop(verdicts);
    let verdicts = Verdicts::open(folder.path(), Access::Read).expect("the file opens");
    assert_eq!(events(&verdicts), written);
    let times: Vec<i64> = written.iter().map(Event::at_ms).collect();
    assert_eq!(times, (1000..1008).collect::<Vec<_>>());
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
        Err(StoreError::Older {
            found: 1,
            known: 2,
            ..
        })
    ));
    let migrated = open(folder.path(), Access::Write, next).expect("the file is migrated");
    assert_eq!(migrated.all().expect("verdicts read").len(), 1);
    drop(migrated);
    let copy = folder.path().join("verdicts.db.v1.bak");
    assert!(copy.is_file());
    for access in [Access::Read, Access::Write, Access::Create] {
        assert!(matches!(
            Verdicts::open(folder.path(), access),
            Err(StoreError::Newer {
                found: 2,
                known: 1,
                ..
            })
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

/// What one annotator does.
#[derive(Clone, Debug)]
enum Step {
    Say(EventKind),
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
        1 => (0..4_u8, "[ab]?").prop_map(|(number, note)| EventKind::Noted { key: key(number), note }),
    ];
    let step = prop_oneof![
        4 => kind.prop_map(Step::Say),
        3 => Just(Step::Undo),
        2 => Just(Step::Redo),
    ];
    prop::collection::vec((any::<bool>(), 0..50_i64, step), 0..30)
}

/// Two stacks, as every editor has them.
#[derive(Default)]
struct Model {
    done: Vec<EventKind>,
    undone: Vec<EventKind>,
}

impl Model {
    fn verdicts(&self) -> BTreeMap<SampleKey, Judgement> {
        let judgements = self.done.iter().filter_map(|it| match it {
            EventKind::Judged(judged) => Some((judged.key, judged.judgement.clone())),
            _ => None,
        });
        judgements.collect()
    }

    fn marks(&self) -> Vec<SampleKey> {
        let mut marks = BTreeMap::new();
        for kind in &self.done {
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
                    .append(annotator, *now_ms, vec![kind.clone()])
                    .expect("an event is added");
                model.done.push(kind.clone());
                model.undone.clear();
            }
            Step::Undo => {
                let undone = verdicts.undo(annotator, *now_ms).expect("it is undone");
                let expected = model.done.pop();
                assert_eq!(undone.map(|it| it.kind().clone()), expected);
                model.undone.extend(expected);
            }
            Step::Redo => {
                let redone = verdicts.redo(annotator, *now_ms).expect("it is redone");
                let expected = model.undone.pop();
                assert_eq!(redone.map(|it| it.kind().clone()), expected);
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
