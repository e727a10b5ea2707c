//! When a part speaks for the rest, and the verdicts on the rest.

use tempfile::TempDir;

use super::*;
use crate::model::{Bulk, Comparison, ContentHash, Event, EventKind};
use crate::store::StoreAccess;
use crate::store::testing::{condition, many_tests, store_with, write_repos};
use crate::{agreement, calibration, verified};

/// A hundred tests, fifty of them mapped.
const N_TESTS: u32 = 100;

struct BulkFixture {
    _folder: TempDir,
    store: Store,
    verdicts: Verdicts,
    options: AcceptOptions,
}

fn filter(text: &str) -> Filter {
    let terms = text.split_whitespace().map(|term| {
        let (field, value) = term.split_once(':').expect("a term has a value");
        condition(field, Comparison::Is, value)
    });
    Filter::of(terms.collect())
}

fn place(n: u32, asked: &str) -> BulkFixture {
    let (folder, store) = store_with(&[many_tests("a", N_TESTS)]);
    let verdicts = Verdicts::open(folder.path(), StoreAccess::Create).expect("the file is made");
    let audit = AuditOptions {
        n,
        seed: 7,
        stratify: Stratify::None,
        filter: filter(asked),
        filter_text: asked.to_owned(),
    };
    BulkFixture {
        _folder: folder,
        store,
        verdicts,
        options: AcceptOptions {
            error_max: 0.3,
            ..AcceptOptions::new(audit)
        },
    }
}

fn by(annotator: &str) -> VerdictAuthor<'_> {
    VerdictAuthor {
        annotator,
        now_ms: 5,
    }
}

impl BulkFixture {
    fn draw(&mut self) -> Vec<SampleKey> {
        let audit = &self.options.audit;
        let draw = crate::draw(
            &self.store,
            &mut self.verdicts,
            &Monitor::default(),
            audit,
            by("ada"),
        );
        let samples = draw.expect("it is drawn").samples;
        samples.into_iter().map(|sample| sample.key).collect()
    }

    fn judge(&mut self, annotator: &str, key: &SampleKey, judgement: Judgement) {
        // Where the matcher abstained, agreeing with it says so.
        let states = self.store.states(&[*key]).expect("they read");
        let is_mapped = states[0]
            .as_ref()
            .is_some_and(|sample_state| sample_state.focal.is_some());
        let choice = crate::VerdictChoice::Plain(match judgement {
            Judgement::Accept if !is_mapped => Judgement::NoFocal,
            other => other,
        });
        let judged = crate::judged(&self.store, key, &choice).expect("it can be judged");
        self.verdicts
            .append(annotator, 1, vec![EventKind::Judged(judged)])
            .expect("an event is added");
    }

    fn judge_all(&mut self, keys: &[SampleKey]) {
        for key in keys {
            self.judge("ada", key, Judgement::Accept);
        }
    }

    fn look(&self) -> Acceptance {
        let monitor = Monitor::default();
        acceptance(&self.store, &self.verdicts, &monitor, &self.options, "ada").expect("it reads")
    }

    fn accept(&mut self) -> Result<AcceptReport, ReviewError> {
        let monitor = Monitor::default();
        accept_rest(
            &self.store,
            &mut self.verdicts,
            &monitor,
            &self.options,
            by("ada"),
        )
    }

    fn refusal(&mut self) -> AcceptError {
        let before = self.verdicts.version().expect("it reads");
        let Err(ReviewError::Accept(error)) = self.accept() else {
            panic!("it is refused");
        };
        let after = self.verdicts.version().expect("it reads");
        assert_eq!(before, after, "nothing is written");
        error
    }

    fn provisional(&self) -> Vec<Verdict> {
        self.verdicts.provisional().expect("they read")
    }
}

fn is_event(event: Option<&Event>, n_accepted: u32) -> bool {
    event.is_some_and(|batch_event| {
        matches!(batch_event.kind(), EventKind::Batch(batch) if batch.n_accepted == n_accepted)
    })
}

#[test]
fn the_rest_is_accepted_when_the_part_was_looked_at() {
    let mut place = place(10, "status:ok");
    assert!(matches!(place.refusal(), AcceptError::NotDrawn { .. }));
    let drawn = place.draw();
    assert_eq!(drawn.len(), 10);
    place.judge_all(&drawn[1..]);
    assert!(matches!(
        place.refusal(),
        AcceptError::Open {
            n_open: 1,
            n_drawn: 10
        }
    ));
    assert_eq!(place.look().open, drawn[..1]);
    // Somebody else's verdict, and a skip, decide nothing.
    place.judge("eva", &drawn[0], Judgement::Accept);
    place.judge("ada", &drawn[0], Judgement::Skip);
    assert!(matches!(place.refusal(), AcceptError::Open { .. }));
    place.judge("ada", &drawn[0], Judgement::Accept);

    let all = place.store.keys(&filter("status:ok")).expect("it reads");
    let others: Vec<&SampleKey> = all
        .iter()
        .filter(|sample_key| !drawn.contains(sample_key))
        .collect();
    // Of the rest, one was looked at already.
    place.judge("ada", others[0], Judgement::NoFocal);
    let look = place.look();
    assert_eq!((look.n, look.n_errors, look.n_rest), (10, 0, 14));
    let accepted = place.accept().expect("the rest is accepted");
    assert_eq!(accepted.acceptance, look);
    assert!(is_event(accepted.event.as_ref(), 14));
    let provisional = place.provisional();
    assert_eq!(provisional.len(), 14);
    for verdict in &provisional {
        let Some(Bulk { bound, .. }) = verdict.judged.bulk else {
            panic!("it says why");
        };
        assert_eq!((bound.n, bound.n_errors), (10, 0));
        assert_eq!(bound.confidence_ppm, 950_000);
        // 1 - 0.05^(1/10)
        assert_eq!(bound.error_max_ppm, 258_866);
        assert!(others[1..].contains(&&verdict.judged.key));
        assert_eq!(
            verdict.judged.answer().is_some(),
            verdict.judged.focal.is_some()
        );
    }
    let again = place.accept().expect("nothing is left");
    assert_eq!((again.event, again.acceptance.n_rest), (None, 0));

    place.verdicts.undo("ada", 9).expect("it is undone");
    assert_eq!(place.provisional(), []);
    place.verdicts.redo("ada", 9).expect("it is redone");
    assert_eq!(place.provisional().len(), 14);
}

#[test]
fn errors_widen_the_bound_until_it_is_too_wide() {
    let mut place = place(10, "status:ok");
    let drawn = place.draw();
    place.judge_all(&drawn[2..]);
    place.judge("ada", &drawn[0], Judgement::NoneOfThese);
    place.judge("ada", &drawn[1], Judgement::Unsure);
    let AcceptError::TooMany {
        n,
        n_errors,
        error_max,
        n_needed,
        ..
    } = place.refusal()
    else {
        panic!("there are too many errors");
    };
    assert_eq!((n, n_errors), (10, 2));
    assert!((error_max - 0.506_901_3).abs() < 1e-6, "{error_max}");
    assert_eq!(n_needed, Some(19));
    place.options.error_max = 0.51;
    assert!(is_event(
        place.accept().expect("it is enough").event.as_ref(),
        15
    ));
}

#[test]
fn only_matches_count_and_only_matches_are_accepted() {
    // All statuses: the draw is half unmapped.
    let mut place = place(40, "");
    let drawn = place.draw();
    place.judge_all(&drawn);
    let look = place.look();
    assert_eq!(look.n_drawn, 40);
    let states = place.store.states(&drawn).expect("they read");
    let is_mapped = |sample_state: &&Option<SampleState>| {
        sample_state
            .as_ref()
            .is_some_and(|sample_state| sample_state.focal.is_some())
    };
    let n_mapped = states.iter().filter(is_mapped).count() as u64;
    assert!(n_mapped > 5 && n_mapped < 35);
    assert_eq!((look.n, look.n_rest), (n_mapped, 50 - n_mapped));
    place.accept().expect("it is enough");
    assert!(
        place
            .provisional()
            .iter()
            .all(|verdict| verdict.judged.focal.is_some())
    );
}

#[test]
fn a_draw_speaks_only_for_what_it_could_have_drawn() {
    let mut place = place(10, "status:ok");
    let drawn = place.draw();
    place.judge_all(&drawn);
    // The samples of another repository would have been among the first, too.
    write_repos(&mut place.store, &[many_tests("b", N_TESTS)]);
    assert!(!place.look().is_representative);
    assert!(matches!(place.refusal(), AcceptError::OtherSamples { .. }));
    // Without it, and with fewer of the first: what is left of the draw speaks for what is left.
    let monitor = Monitor::default();
    place
        .store
        .remove_repo("b", None, &monitor)
        .expect("it goes");
    assert!(place.look().is_representative);
    let mut fewer = many_tests("a", N_TESTS);
    let gone = drawn[3];
    fewer.tests.retain(|test| test.key != gone);
    write_repos(&mut place.store, &[fewer]);
    let look = place.look();
    assert!(look.is_representative);
    assert_eq!((look.n_drawn, look.n, look.n_rest), (9, 9, 15));
    // Judged in a state that is no more, a sample says nothing of now.
    let mut changed = many_tests("a", N_TESTS);
    for test in &mut changed.tests {
        if test.key == drawn[0] {
            test.decided[0].content_hash = ContentHash([3; 16]);
        }
    }
    write_repos(&mut place.store, &[changed]);
    assert_eq!(place.look().open, drawn[..1]);
    place.options.audit.stratify = Stratify::Repo;
    assert!(matches!(place.refusal(), AcceptError::InParts));
}

#[test]
fn what_the_filter_says_of_verdicts_does_not_take_the_draw_away() {
    let mut place = place(10, "status:ok verdict:none");
    let drawn = place.draw();
    place.judge_all(&drawn);
    let look = place.look();
    assert!(look.is_representative);
    assert_eq!((look.n, look.n_rest), (10, 15));
    place.accept().expect("the rest is accepted");
}

#[test]
fn what_nobody_looked_at_counts_for_nothing_unless_it_is_asked_for() {
    let mut place = place(10, "status:ok");
    let drawn = place.draw();
    place.judge_all(&drawn);
    let all = |place: &BulkFixture| {
        let verdicts = &place.verdicts;
        let by_hand = agreement(verdicts, &crate::AgreementOptions::default()).expect("reads");
        (
            gold(verdicts).expect("it reads"),
            verified(&place.store, verdicts).expect("it reads"),
            by_hand,
            calibration(&place.store, verdicts).expect("it reads"),
            crate::progress(verdicts).expect("it reads"),
            crate::stale(&place.store, verdicts).expect("it reads"),
        )
    };
    let before = all(&place);
    place.accept().expect("the rest is accepted");
    assert_eq!(all(&place), before);

    let with = gold_or_provisional(&place.verdicts).expect("it reads");
    assert_eq!(with.len(), 25);
    // Where somebody has looked, also somebody else, and where two differ, that counts.
    let provisional = place.provisional();
    place.judge("eva", &provisional[0].judged.key, Judgement::NoFocal);
    place.judge("eva", &provisional[1].judged.key, Judgement::NoFocal);
    place.judge("kim", &provisional[1].judged.key, Judgement::Accept);
    place.judge("kim", &provisional[2].judged.key, Judgement::Unsure);
    let with = gold_or_provisional(&place.verdicts).expect("it reads");
    let answer = |idx: usize| with.get(&provisional[idx].judged.key);
    assert_eq!(answer(0).map(|gold| gold.n_annotators), Some(1));
    assert_eq!(answer(1), None);
    assert_eq!(answer(2).map(|gold| gold.n_annotators), Some(0));
    assert!(answer(2).is_some_and(|gold| gold.verdict.judged.bulk.is_some()));
}

#[test]
fn what_has_changed_since_is_accepted_anew() {
    let mut place = place(10, "status:ok");
    let drawn = place.draw();
    place.judge_all(&drawn);
    place.accept().expect("the rest is accepted");
    let changed_key = place.provisional()[0].judged.key;
    let mut changed = many_tests("a", N_TESTS);
    for test in &mut changed.tests {
        if test.key == changed_key {
            test.decided[0].content_hash = ContentHash([3; 16]);
        }
    }
    write_repos(&mut place.store, &[changed]);
    let accepted = place.accept().expect("it is enough");
    assert!(is_event(accepted.event.as_ref(), 1));
    let now = place.provisional();
    assert_eq!(now.len(), 15);
    assert_eq!(now[0].judged.content_hash, ContentHash([3; 16]));
}

#[test]
fn provisional_verdicts_go_out_and_come_in_again() {
    let mut place = place(10, "status:ok");
    let drawn = place.draw();
    place.judge_all(&drawn);
    place.accept().expect("the rest is accepted");
    place.verdicts.undo("ada", 9).expect("it is undone");
    place.verdicts.redo("ada", 9).expect("it is redone");
    let mut text = Vec::new();
    crate::export(&place.verdicts, &mut text).expect("it is written");
    let folder = tempfile::tempdir().expect("tests may make folders");
    let mut other = Verdicts::open(folder.path(), StoreAccess::Create).expect("the file is made");
    let report = crate::merge(&mut other, "f", &mut &text[..], false).expect("it is merged");
    // The draw, ten verdicts, the batch with its fifteen, undo and redo.
    assert_eq!((report.n_new, report.problems.len()), (29, 0));
    assert_eq!(other.provisional().expect("they read"), place.provisional());
    let mut again = Vec::new();
    crate::export(&other, &mut again).expect("it is written");
    assert_eq!(again, text);
    // Nobody makes a plain verdict of it.
    let text = String::from_utf8(text).expect("it is text");
    let line = text
        .lines()
        .find(|line| line.contains("\"batch\":\""))
        .expect("there is one");
    let batch = line.find(",\"batch\"").expect("it is there");
    let forged = format!("{}}}\n", &line[..batch]);
    let report = crate::merge(&mut other, "f", &mut forged.as_bytes(), false);
    assert_eq!(report.expect("it reads").problems.len(), 1);
}
