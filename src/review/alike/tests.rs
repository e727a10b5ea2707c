//! Verdicts that near duplicates get, those they do not get, and the undo.

use tempfile::TempDir;

use super::*;
use crate::model::{EventKind, Filter};
use crate::store::StoreAccess;
use crate::store::testing::{Contents, counter_repo, many_tests, store_with};
use crate::task::Monitor;
use crate::{Overlap, VerdictChoice, gold, judged, queue, split};

struct AlikeFixture {
    _folder: TempDir,
    store: Store,
    verdicts: Verdicts,
    keys: Vec<SampleKey>,
}

/// Tests 0..20 of one class that differ in a literal: 0, 9 and 12 are of `setCount`; 1, 4, 13 and 16 of `inc`.
fn place() -> AlikeFixture {
    place_of(many_tests("m", 20))
}

fn place_of(contents: Contents) -> AlikeFixture {
    let (folder, store) = store_with(&[contents]);
    let verdicts = Verdicts::open(folder.path(), StoreAccess::Create).expect("the file is made");
    let keys = store.keys(&Filter::default()).expect("the index reads");
    AlikeFixture {
        _folder: folder,
        store,
        verdicts,
        keys,
    }
}

fn options(annotator: &str) -> QueueOptions {
    let asked = split("alike").expect("it is a queue");
    let filter = Filter::default();
    asked.options(filter, String::new(), annotator, Overlap::default())
}

const ADA: VerdictAuthor<'_> = VerdictAuthor {
    annotator: "ada",
    now_ms: 9,
};

impl AlikeFixture {
    fn judge(&mut self, annotator: &str, number: usize, choice: &VerdictChoice) -> JudgedSample {
        let judged = judged(&self.store, &self.keys[number], choice).expect("it can be judged");
        let kinds = vec![EventKind::Judged(judged.clone())];
        let events = self.verdicts.append(annotator, 1, kinds);
        events.expect("an event is added");
        judged
    }

    fn alike(&self, judged: &JudgedSample) -> Alike {
        let alike = alike(&self.store, &self.verdicts, &options("ada"), judged);
        alike.expect("it reads").expect("the index has the sample")
    }

    fn numbers(&self, alike: &Alike) -> Vec<usize> {
        let keys = alike.members.iter().map(|member| member.judged.key);
        let mut numbers: Vec<usize> = keys
            .map(|key| self.keys.iter().position(|sample_key| *sample_key == key))
            .map(|n| n.expect("it is in the index"))
            .collect();
        numbers.sort_unstable();
        numbers
    }

    fn give(&mut self, alike: Alike) -> Event {
        let judgements = alike
            .members
            .into_iter()
            .map(|member| member.judged)
            .collect();
        give_alike(&mut self.verdicts, &alike.judged.key, judgements, ADA).expect("it is written")
    }

    fn n_open(&self) -> usize {
        let queue = queue(
            &self.store,
            &self.verdicts,
            &Monitor::default(),
            &options("ada"),
        );
        queue.expect("it is a queue").open.len()
    }
}

const ACCEPT: VerdictChoice = VerdictChoice::Plain(Judgement::Accept);

#[test]
fn what_is_accepted_is_given_to_tests_of_the_same_method() {
    let mut place = place();
    let judged = place.judge("ada", 0, &ACCEPT);
    let alike = place.alike(&judged);
    assert_eq!(place.numbers(&alike), [9, 12]);
    // As near, but of other methods or of none.
    assert_eq!(alike.n_others, 17);
    for member in &alike.members {
        assert!(member.similarity >= ALIKE_MIN, "{member:?}");
        assert!(member.text.contains("run(\"m "), "{}", member.text);
        assert!(!crate::diff::is_same(&member.rows));
    }
}

#[test]
fn no_focal_method_is_given_to_all_that_nobody_has_judged() {
    let mut place = place();
    place.judge("ada", 5, &ACCEPT);
    place.judge("eva", 6, &VerdictChoice::Plain(Judgement::NoFocal));
    let judged = place.judge("ada", 2, &VerdictChoice::Plain(Judgement::NoFocal));
    let numbers = place.numbers(&place.alike(&judged));
    let expected: Vec<usize> = (0..20).filter(|n| ![2, 5, 6].contains(n)).collect();
    assert_eq!(numbers, expected);
}

#[test]
fn what_is_too_different_is_counted_where_it_is_open() {
    let mut place = place_of(counter_repo("a"));
    let none = VerdictChoice::Plain(Judgement::NoFocal);
    let judged = place.judge("ada", 0, &none);
    let alike = place.alike(&judged);
    assert_eq!(
        (alike.members.len(), alike.n_others, alike.n_unlike),
        (0, 0, 2)
    );
    place.judge("ada", 1, &none);
    assert_eq!(place.alike(&judged).n_unlike, 1);
}

#[test]
fn a_pick_is_given_where_the_method_is_a_candidate() {
    let mut place = place();
    let judged = place.judge("ada", 1, &VerdictChoice::Candidate(1));
    assert_eq!(place.numbers(&place.alike(&judged)), [4, 7, 10, 13, 16, 19]);
}

#[test]
fn what_is_given_is_provisional_leaves_the_queue_and_comes_back_as_one() {
    let mut place = place();
    let judged = place.judge("ada", 0, &ACCEPT);
    assert_eq!(place.n_open(), 19);
    let event = place.give(place.alike(&judged));
    let EventKind::Batch(batch) = event.kind() else {
        panic!("{event:?}");
    };
    assert!(is_of_alike(batch));
    assert_eq!((batch.n_accepted, batch.bound.n), (2, 1));
    assert_eq!(place.n_open(), 17);
    assert_eq!(place.alike(&judged).members, []);
    // Nobody looked at them: they are not gold, and one's own look replaces what was given.
    assert_eq!(gold(&place.verdicts).expect("it reads").len(), 1);
    let provisional = place.verdicts.provisional().expect("it reads");
    assert_eq!(provisional.len(), 2);
    place.verdicts.undo("ada", 20).expect("it is undone");
    assert_eq!(place.n_open(), 19);
    assert_eq!(place.numbers(&place.alike(&judged)), [9, 12]);
    place.verdicts.redo("ada", 30).expect("it is redone");
    assert_eq!(place.n_open(), 17);
}
