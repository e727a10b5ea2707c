//! What holds, from hand-made repositories and verdicts.

use tempfile::TempDir;

use super::*;
use crate::model::{ContentHash, EventKind, Filter, FocalAnswer};
use crate::store::StoreAccess;
use crate::store::testing::{counter_repo, key_of, store_with};
use crate::task::Monitor;

struct ReviewFixture {
    folder: TempDir,
    store: Store,
    verdicts: Verdicts,
}

fn place() -> ReviewFixture {
    let (folder, store) = store_with(&[counter_repo("a")]);
    let verdicts = Verdicts::open(folder.path(), StoreAccess::Create).expect("the file is made");
    ReviewFixture {
        folder,
        store,
        verdicts,
    }
}

fn key(test: &str) -> SampleKey {
    key_of("a", test)
}

impl ReviewFixture {
    fn judge(&mut self, annotator: &str, test: &str, choice: &VerdictChoice) -> JudgedSample {
        let judged = judged(&self.store, &key(test), choice).expect("it can be judged");
        self.say(annotator, EventKind::Judged(judged.clone()));
        judged
    }

    fn say(&mut self, annotator: &str, kind: EventKind) {
        self.verdicts
            .append(annotator, 1, vec![kind])
            .expect("an event is added");
    }
}

const ACCEPT: VerdictChoice = VerdictChoice::Plain(Judgement::Accept);

#[test]
fn a_name_means_the_only_method_that_has_it() {
    let keys = [
        "p.Counter#inc()",
        "p.Counter#inc(int)",
        "p.Counter#add(int)",
    ]
    .map(str::to_owned);
    let check = |name: &str, expected: Result<&str, usize>| {
        let found = one_named(&keys, name);
        assert_eq!(
            found.as_deref().map_err(Vec::len),
            expected,
            "{name}: {found:?}"
        );
    };
    check("add", Ok("p.Counter#add(int)"));
    check("Counter.add", Ok("p.Counter#add(int)"));
    check("Counter#inc(int)", Ok("p.Counter#inc(int)"));
    check("p.Counter#inc()", Ok("p.Counter#inc()"));
    check("inc", Err(2));
    check("dd", Err(0));
    check("", Err(0));
}

#[test]
fn a_candidate_is_picked_by_rank_and_by_name() {
    let mut place = place();
    let key = key("testInc");
    let sample = place
        .store
        .sample(&key, None)
        .expect("the index reads")
        .expect("the sample is there");
    let last = sample.candidates.len();
    let method = sample.candidates[last - 1].method.key();
    let by_rank = place.judge("ada", "testInc", &VerdictChoice::Candidate(last));
    let by_name = place.judge("ada", "testInc", &VerdictChoice::Method(method.clone()));
    assert_eq!(by_rank.judgement, Judgement::Pick(method));
    assert_eq!(by_rank, by_name);
    for rank in [0, last + 1] {
        let result = judged(&place.store, &key, &VerdictChoice::Candidate(rank));
        assert!(matches!(result, Err(ReviewError::NoSuchCandidate { .. })));
    }
    let result = judged(
        &place.store,
        &key,
        &VerdictChoice::Method("nonsense".to_owned()),
    );
    assert!(matches!(result, Err(ReviewError::NoSuchMethod { near, .. }) if !near.is_empty()));
    let nobody = SampleKey([0; 16]);
    assert!(matches!(
        judged(&place.store, &nobody, &ACCEPT),
        Err(ReviewError::NoSuchSample { .. })
    ));
}

#[test]
fn gold_is_what_all_say_or_what_was_adjudicated() {
    let mut place = place();
    let key = key("testInc");
    let accepted = place.judge("ada", "testInc", &ACCEPT);
    place.judge("kim", "testInc", &VerdictChoice::Plain(Judgement::Unsure));
    let of = |place: &ReviewFixture| gold(&place.verdicts).expect("gold reads").remove(&key);
    let focal = FocalAnswer::Method(accepted.focal.clone().expect("it is mapped"));
    assert_eq!(of(&place).map(|gold| gold.answer), Some(focal.clone()));
    assert_eq!(
        verified(&place.store, &place.verdicts)
            .expect("it reads")
            .len(),
        1
    );
    place.judge("eva", "testInc", &VerdictChoice::Plain(Judgement::NoFocal));
    assert_eq!(of(&place), None);
    place.say(
        "eva",
        EventKind::Adjudicated {
            judged: accepted,
            reason: "clause 2".to_owned(),
        },
    );
    let gold = of(&place).expect("it is adjudicated");
    assert_eq!((gold.answer, gold.n_annotators), (focal, 0));
    place.verdicts.undo("eva", 9).expect("it is undone");
    assert_eq!(of(&place), None);
}

#[test]
fn a_verdict_is_stale_when_its_sample_is_not_what_was_judged() {
    let mut place = place();
    let accepted = place.judge("ada", "testInc", &ACCEPT);
    assert_eq!(stale(&place.store, &place.verdicts).expect("it reads"), []);
    for (annotator, judged) in [
        (
            "eva",
            JudgedSample {
                content_hash: ContentHash([0; 16]),
                ..accepted.clone()
            },
        ),
        (
            "kim",
            JudgedSample {
                focal: None,
                ..accepted.clone()
            },
        ),
        (
            "leo",
            JudgedSample {
                key: SampleKey([0; 16]),
                ..accepted
            },
        ),
    ] {
        place.say(annotator, EventKind::Judged(judged));
    }
    let stale = stale(&place.store, &place.verdicts).expect("it reads");
    let mut shown: Vec<(&str, Option<Staleness>)> = stale
        .iter()
        .map(|standing_verdict| {
            (
                standing_verdict.verdict.annotator.as_str(),
                standing_verdict.stale,
            )
        })
        .collect();
    shown.sort_unstable();
    assert_eq!(
        shown,
        [
            ("eva", Some(Staleness::Changed)),
            ("kim", Some(Staleness::OtherFocal)),
            ("leo", Some(Staleness::Gone)),
        ]
    );
}

#[test]
fn what_is_said_counts_and_not_the_key_that_was_pressed() {
    let mut place = place();
    let accepted = place.judge("ada", "testInc", &ACCEPT);
    let focal = accepted.focal.expect("it is mapped");
    place.judge("eva", "testInc", &VerdictChoice::Method(focal));
    let agreement = |place: &ReviewFixture| {
        agreement(&place.verdicts, &AgreementOptions::default()).expect("it reads")
    };
    let agreed = agreement(&place);
    assert_eq!(agreed.categories, ["accept", "none_of_these", "no_focal"]);
    assert_eq!(agreed.values[0], Some(1.0));
    assert!(
        agreed
            .warning
            .is_some_and(|warning| warning.contains("`accept`"))
    );
    assert_eq!(agreed.conflicts, []);
    place.judge("eva", "testInc", &VerdictChoice::Plain(Judgement::NoFocal));
    let differing = agreement(&place);
    assert_eq!(differing.values[0], Some(0.0));
    assert_eq!(differing.conflicts, [key("testInc")]);
    let matrix = differing.matrix.expect("there are two");
    assert_eq!(matrix[0][2], 1);
}

#[test]
fn an_audit_is_frozen_and_counts_what_people_found() {
    let mut place = place();
    let options = AuditOptions {
        n: 10,
        seed: 7,
        stratify: Stratify::Stage,
        filter: Filter::default(),
        filter_text: String::new(),
    };
    let monitor = Monitor::default();
    let drawn = |place: &mut ReviewFixture, options: &AuditOptions| {
        let by = VerdictAuthor {
            annotator: "ada",
            now_ms: 5,
        };
        draw(&place.store, &mut place.verdicts, &monitor, options, by).expect("it is drawn")
    };
    let first = drawn(&mut place, &options);
    assert_eq!(first.audit, "n=10 seed=7 stratify=stage");
    assert_eq!(first.samples.len(), 3);
    // Another place with nothing in it gets the same samples from the events alone.
    let (_folder, empty) = store_with(&[]);
    place.store = empty;
    assert_eq!(drawn(&mut place, &options), first);

    let (_folder, store) = store_with(&[counter_repo("a")]);
    place.store = store;
    let mapped = place.judge("ada", "testInc", &ACCEPT);
    assert!(mapped.focal.is_some());
    let others: Vec<SampleKey> = first
        .samples
        .iter()
        .map(|sample| sample.key)
        .filter(|sample_key| *sample_key != mapped.key)
        .collect();
    let wrong = judged(
        &place.store,
        &others[0],
        &VerdictChoice::Plain(Judgement::NoneOfThese),
    );
    let wrong = wrong.expect("it can be judged");
    let was_mapped = wrong.focal.is_some();
    place.say("ada", EventKind::Judged(wrong));
    let report = report(&place.verdicts, &first, None).expect("it reads");
    assert_eq!((report.all.n_drawn, report.all.n_judged), (3, 2));
    assert_eq!(report.open, others[1..]);
    assert_eq!(report.all.coverage, Share { k: 1, n: 2 });
    let n_mapped = 1 + u64::from(was_mapped);
    assert_eq!(report.all.precision, Share { k: 1, n: n_mapped });
    let n_of_strata: u64 = report.strata.iter().map(|stratum| stratum.n_drawn).sum();
    assert_eq!(n_of_strata, 3);
}

#[test]
fn weights_are_calibrated_by_gold() {
    let mut place = place();
    place.judge("ada", "testInc", &ACCEPT);
    let bands = calibration(&place.store, &place.verdicts).expect("it reads");
    let judged: Vec<&Band> = bands.iter().filter(|band| band.accepted.n > 0).collect();
    assert_eq!(judged.len(), 1);
    let weight = place.store.states(&[key("testInc")]).expect("it reads")[0]
        .as_ref()
        .and_then(|sample_state| sample_state.weight)
        .expect("it is mapped");
    assert!(judged[0].holds(weight));
    let holding = |weight: f64| bands.iter().filter(|band| band.holds(weight)).count();
    for weight in [0.0, 0.3, 0.29, 0.95, 0.999, 1.0] {
        assert_eq!(holding(weight), 1, "{weight}");
    }
}

#[test]
fn events_go_out_and_come_in_again_and_bad_lines_are_told() {
    let mut place = place();
    place.judge("ada", "testInc", &ACCEPT);
    place.judge("eva", "testInc", &VerdictChoice::Candidate(1));
    let key = key("testInc");
    place.say("eva", EventKind::Marked { key });
    place.verdicts.undo("eva", 3).expect("it is undone");
    let exported = |verdicts: &Verdicts| {
        let mut out = Vec::new();
        export(verdicts, &mut out).expect("it is written");
        String::from_utf8(out).expect("it is text")
    };
    let text = exported(&place.verdicts);
    assert_eq!(text.lines().count(), 4);
    let ours = text.lines().find(|line| line.contains("\"ada\""));
    let forged = ours.expect("there is one").replace("\"ada\"", "\"leo\"");
    let file = format!("{text}\n{{\"id\":1}}\nnonsense\n{forged}\n{text}");
    let other = tempfile::tempdir().expect("tests may make folders");
    let mut verdicts = Verdicts::open(other.path(), StoreAccess::Create).expect("the file is made");
    let strict = merge(&mut verdicts, "f", &mut file.as_bytes(), true).expect("it reads");
    assert_eq!((strict.n_new, strict.problems.len()), (0, 3));
    let report = merge(&mut verdicts, "f", &mut file.as_bytes(), false).expect("it is merged");
    assert_eq!((report.n_new, report.n_known), (4, 4));
    let lines: Vec<Option<u32>> = report.problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [Some(6), Some(7), Some(8)]);
    assert!(report.problems[2].detail.contains("`id`"));
    assert_eq!(exported(&verdicts), text);
    assert_eq!(
        verdicts.all().expect("it reads"),
        place.verdicts.all().expect("it reads")
    );
    drop(place.folder);
}

#[test]
fn marks_on_mutants_go_out_and_come_in_again() {
    let mut place = place();
    let (key, mutant) = (key("testInc"), ContentHash([7; 16]));
    place.say("eva", EventKind::Equivalent { key, mutant });
    place.say("ada", EventKind::Equivalent { key, mutant });
    place.say("ada", EventKind::NotEquivalent { key, mutant });
    let mut text = Vec::new();
    export(&place.verdicts, &mut text).expect("it is written");
    let other = tempfile::tempdir().expect("tests may make folders");
    let mut verdicts = Verdicts::open(other.path(), StoreAccess::Create).expect("the file is made");
    let report = merge(&mut verdicts, "f", &mut text.as_slice(), true).expect("it is merged");
    assert_eq!((report.n_new, report.problems.len()), (3, 0));
    let found = verdicts.equivalents().expect("they are read");
    assert_eq!(found, [(mutant, "eva".to_owned())]);
    let text = String::from_utf8(text).expect("it is text");
    let without = text.replace(&format!(",\"mutant\":\"{mutant}\""), "");
    let report = merge(&mut verdicts, "f", &mut without.as_bytes(), false).expect("it reads");
    let details: Vec<&str> = report
        .problems
        .iter()
        .map(|problem| problem.detail.as_str())
        .collect();
    assert_eq!(details, ["no field `mutant`"; 3]);
}

#[test]
fn progress_counts_by_annotator() {
    let mut place = place();
    place.judge("ada", "testInc", &ACCEPT);
    place.judge("ada", "testInc", &VerdictChoice::Plain(Judgement::Skip));
    place.judge("eva", "testInc", &ACCEPT);
    let progress = progress(&place.verdicts).expect("it reads");
    let shown: Vec<(&str, u64, u64)> = progress
        .iter()
        .map(|review_progress| {
            (
                review_progress.annotator.as_str(),
                review_progress.n_verdicts,
                review_progress.by_judgement[0].1,
            )
        })
        .collect();
    assert_eq!(shown, [("ada", 1, 0), ("eva", 1, 1)]);
    let n_judged: Vec<u64> = progress.iter().map(ReviewProgress::n_judged).collect();
    assert_eq!(n_judged, [0, 1], "what ada skipped waits for her");
}
