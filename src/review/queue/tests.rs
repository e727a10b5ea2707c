//! Queues as they are written, and their content: hand-made repositories, verdicts of several people.

use tempfile::TempDir;

use super::*;
use crate::model::{
    ContentHash, Direction, EventKind, FocalAnswer, JudgedSample, Name, SampleSort, SortField,
    SortKey,
};
use crate::store::StoreAccess;
use crate::store::testing::{many_tests, store_with, write_repos};
use crate::{VerdictChoice, judged};

#[test]
fn a_queue_is_written_as_it_is_read() {
    let check = |text: &str, name: &str| {
        let asked = split(text).expect("it is a queue");
        let filter = asked.filter.clone();
        let options = asked.options(Filter::default(), filter, "ada", Overlap::default());
        assert_eq!(options.name(), name);
        let again = split(name).expect("a name is a queue");
        let filter = again.filter.clone();
        let options = again.options(Filter::default(), filter, "ada", Overlap::default());
        assert_eq!(options.name(), name);
    };
    check("", "uncertain");
    check(" uncertain ", "uncertain");
    check("stage:test_name", "uncertain stage:test_name");
    check("repo:gson  status:ok", "uncertain repo:gson  status:ok");
    check("random", "random:0");
    check("random:7 repo:gson", "random:7 repo:gson");
    check("unmapped", "unmapped");
    check("unmapped:no-candidate", "unmapped:no_candidate");
    check("stale", "stale");
    check("audit", "audit:n=100,seed=0");
    check(
        "audit:n=10,seed=7,stratify=repo status:ok",
        "audit:n=10,seed=7,stratify=repo status:ok",
    );
    check("randomly", "uncertain randomly");
}

#[test]
fn what_follows_a_colon_has_to_mean_something() {
    for text in [
        "mined:1",
        "random:",
        "random:x",
        "random:-1",
        "unmapped:ok",
        "unmapped:nonsense",
        "audit:",
        "audit:n=0",
        "audit:n",
        "audit:n=1,",
        "audit:stratify=class",
    ] {
        assert!(split(text).is_err(), "{text}");
    }
}

fn keys(n: u32) -> Vec<SampleKey> {
    let hash = |n: u32| blake3::hash(&n.to_le_bytes());
    (0..n)
        .map(|n| SampleKey(hash(n).as_bytes().as_chunks().0[0]))
        .collect()
}

#[test]
fn the_same_seed_gives_the_same_order_whatever_was_mined_first() {
    let mut forward = keys(1000);
    let mut backward = forward.clone();
    backward.reverse();
    let mut other = forward.clone();
    shuffle(&mut forward, 7);
    shuffle(&mut backward, 7);
    shuffle(&mut other, 8);
    assert_eq!(forward, backward);
    assert_ne!(forward, other);
    let n_in_place = forward.iter().zip(&other).filter(|(a, b)| a == b).count();
    assert!(n_in_place < 20, "{n_in_place}");
    // Nothing of the keys' own order is left.
    let n_rising = forward
        .windows(2)
        .filter(|window| window[0] < window[1])
        .count();
    assert!((400..600).contains(&n_rising), "{n_rising}");
}

#[test]
fn a_share_of_the_samples_is_asked_of_several() {
    let check = |text: &str, expected: Option<Overlap>| {
        assert_eq!(Overlap::parse(text), expected, "{text}");
    };
    check("2", Some(Overlap { n: 2, share: 1.0 }));
    check("0.25", Some(Overlap { n: 2, share: 0.25 }));
    for text in ["0", "-1", "1.5", "x", "", "NaN"] {
        check(text, None);
    }
    let n_of = |share: f64| {
        let overlap = Overlap { n: 3, share };
        let keys = keys(10_000);
        let shared = keys.iter().filter(|sample_key| overlap.of(sample_key) == 3);
        shared.count()
    };
    assert_eq!((n_of(0.0), n_of(1.0)), (0, 10_000));
    assert!((1900..2100).contains(&n_of(0.2)), "{}", n_of(0.2));
}

#[test]
fn a_test_that_is_declared_twice_is_asked_about_once() {
    let mut repeated = keys(5);
    repeated.insert(3, repeated[1]);
    let expected = keys(5);
    drop_repeats(&mut repeated);
    assert_eq!(repeated, expected);
}

struct QueueFixture {
    _folder: TempDir,
    store: Store,
    verdicts: Verdicts,
    now_ms: i64,
}

/// Tests 0..20 in one repository: every fourth is `ok`, `no_assertion_part`, `below`, `tie`; margins go 0, 0.25 … 1.
fn place() -> QueueFixture {
    let (folder, store) = store_with(&[many_tests("m", 20)]);
    let verdicts = Verdicts::open(folder.path(), StoreAccess::Create).expect("the file is made");
    QueueFixture {
        _folder: folder,
        store,
        verdicts,
        now_ms: 0,
    }
}

fn options(text: &str, annotator: &str) -> QueueOptions {
    let asked = split(text).expect("it is a queue");
    assert_eq!(asked.filter, "", "tests give filters as values");
    asked.options(
        Filter::default(),
        String::new(),
        annotator,
        Overlap::default(),
    )
}

impl QueueFixture {
    /// The keys as they were mined.
    fn keys(&self) -> Vec<SampleKey> {
        self.store
            .keys(&Filter::default())
            .expect("the index reads")
    }

    fn queue(&mut self, options: &QueueOptions) -> Queue {
        let monitor = Monitor::default();
        open_queue(&self.store, &mut self.verdicts, &monitor, options, 1).expect("it is a queue")
    }

    /// Lists the numbers of the tests in a queue.
    fn open(&mut self, options: &QueueOptions) -> Vec<usize> {
        let keys = self.keys();
        let place = |key: &SampleKey| keys.iter().position(|sample_key| sample_key == key);
        let queue = self.queue(options);
        let numbers = queue
            .open
            .iter()
            .map(|sample_key| place(sample_key).expect("it is in the index"));
        numbers.collect()
    }

    fn asked(&mut self, text: &str, annotator: &str) -> Vec<usize> {
        self.open(&options(text, annotator))
    }

    fn judge(&mut self, annotator: &str, number: usize, judgement: Judgement) {
        self.judge_in("", annotator, number, judgement);
    }

    fn judge_in(&mut self, queue: &str, annotator: &str, number: usize, judgement: Judgement) {
        let key = self.keys()[number];
        // Where the matcher abstained, agreeing with it says so.
        let states = self.store.states(&[key]).expect("they read");
        let is_mapped = states[0]
            .as_ref()
            .is_some_and(|sample_state| sample_state.focal.is_some());
        let judgement = match judgement {
            Accept if !is_mapped => NoFocal,
            other => other,
        };
        let judged = JudgedSample {
            queue: Some(queue.to_owned()),
            ..judged(&self.store, &key, &VerdictChoice::Plain(judgement)).expect("it can be judged")
        };
        self.say(annotator, judged);
    }

    fn say(&mut self, annotator: &str, judged: JudgedSample) {
        self.now_ms += 10;
        let kinds = vec![EventKind::Judged(judged)];
        let events = self.verdicts.append(annotator, self.now_ms, kinds);
        events.expect("an event is added");
    }
}

use Judgement::{Accept, NoFocal, NoneOfThese, Skip, Unsure};

#[test]
fn each_kind_has_its_samples_and_its_order() {
    let mut place = place();
    let all: Vec<usize> = (0..20).collect();
    assert_eq!(place.asked("mined", "ada"), all);
    // Mapped: numbers 0 and 1 of every four; margins: the number modulo five.
    assert_eq!(
        place.asked("uncertain", "ada"),
        [0, 5, 1, 16, 12, 17, 8, 13, 4, 9]
    );
    assert_eq!(
        place.asked("unmapped", "ada"),
        [2, 3, 6, 7, 10, 11, 14, 15, 18, 19]
    );
    assert_eq!(place.asked("unmapped:tie", "ada"), [3, 7, 11, 15, 19]);
    // Those of `setCount`, `inc` and `add`, then those of no method.
    assert_eq!(
        place.asked("alike", "ada"),
        [
            0, 9, 12, 1, 4, 13, 16, 5, 8, 17, 2, 3, 6, 7, 10, 11, 14, 15, 18, 19
        ]
    );
    let random = place.asked("random:7", "ada");
    let mut sorted = random.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, all);
    assert_ne!(random, all);
    assert_eq!(place.asked("random:7", "eva"), random);
    assert!(place.asked("stale", "ada").is_empty());
    assert!(place.asked("disagreements", "ada").is_empty());
}

#[test]
fn what_is_usual_in_a_queue_is_the_median_of_its_candidates() {
    let mut place = place();
    let mut queue = place.queue(&options("mined", "ada"));
    let usual = |queue: &Queue| n_candidates_usual(&place.store, queue).expect("it reads");
    assert_eq!(usual(&queue), 1);
    queue.open = keys(3);
    // None of these is in the index.
    let counts = place.store.n_candidates(&queue.open).expect("it reads");
    assert_eq!(counts, [None; 3]);
    assert_eq!(usual(&queue), 0);
    assert_eq!(usual(&Queue::default()), 0);
}

#[test]
fn a_filter_leaves_out_and_sorts_where_the_kind_has_no_order() {
    let mut place = place();
    let of_repo = |name: &str| OfSample::Repo(Name::Part(name.to_owned())).into();
    for kind in ["mined", "uncertain", "random", "unmapped"] {
        let mut other = options(kind, "ada");
        other.filter.terms.push(of_repo("nobody"));
        assert!(place.open(&other).is_empty(), "{kind}");
    }
    let mut sorted = options("unmapped:tie", "ada");
    sorted.filter.sort.push(SortKey {
        field: SortField::Sample(SampleSort::Margin),
        direction: Direction::Descending,
    });
    assert_eq!(place.open(&sorted), [19, 3, 7, 11, 15]);
}

#[test]
fn what_was_judged_is_left_out_and_what_was_skipped_comes_last() {
    let mut place = place();
    for (number, judgement) in [(0, Accept), (1, Unsure), (5, Skip), (3, NoFocal), (4, Skip)] {
        place.judge("ada", number, judgement);
    }
    let expected: Vec<usize> = [2].into_iter().chain(6..20).chain([5, 4]).collect();
    assert_eq!(place.asked("mined", "ada"), expected);
    assert_eq!(place.queue(&options("mined", "ada")).n_mine, 3);
    assert_eq!(
        place.asked("uncertain", "ada"),
        [16, 12, 17, 8, 13, 9, 5, 4]
    );
    // Somebody else is not asked about what is judged, but about what was skipped.
    let expected: Vec<usize> = [2].into_iter().chain(4..20).collect();
    assert_eq!(place.asked("mined", "eva"), expected);
    place.verdicts.undo("ada", 1).expect("it is undone");
    assert_eq!(place.asked("mined", "ada")[..2], [2, 4]);
}

#[test]
fn an_overlap_asks_several_about_the_same() {
    let mut place = place();
    place.judge("ada", 0, Accept);
    place.judge("eva", 0, Accept);
    place.judge("ada", 1, Accept);
    let asked = |place: &mut QueueFixture, annotator: &str, overlap: Overlap| {
        place.open(&QueueOptions {
            overlap,
            ..options("mined", annotator)
        })
    };
    let by_two = Overlap { n: 2, share: 1.0 };
    assert_eq!(asked(&mut place, "kim", by_two)[..2], [1, 2]);
    assert_eq!(asked(&mut place, "eva", by_two)[..2], [1, 2]);
    assert_eq!(asked(&mut place, "ada", by_two)[..2], [2, 3]);
    assert_eq!(asked(&mut place, "kim", Overlap::default())[..2], [2, 3]);
    // Of a share, both are asked about the same samples.
    let keys = place.keys();
    let some = Overlap { n: 2, share: 0.5 };
    for number in 2..20 {
        place.judge("ada", number, Accept);
    }
    let shared: Vec<usize> = (1..20).filter(|n| some.of(&keys[*n]) == 2).collect();
    assert!(!shared.is_empty() && shared.len() < 19);
    assert_eq!(asked(&mut place, "kim", some), shared);
}

#[test]
fn who_differs_is_asked_once_more_until_somebody_adjudicates() {
    let mut place = place();
    place.judge("ada", 0, Accept);
    place.judge("eva", 0, NoFocal);
    place.judge("ada", 1, Accept);
    place.judge("eva", 1, Accept);
    place.judge("eva", 4, NoFocal);
    place.judge("kim", 4, NoneOfThese);
    place.judge("eva", 5, NoFocal);
    place.judge("kim", 5, Unsure);
    // 4 is new to ada, and ada differs on 0; nobody differs on 1 and 5.
    assert_eq!(place.asked("disagreements", "ada"), [4, 0]);
    assert_eq!(place.asked("disagreements", "kim"), [0, 4]);
    place.judge_in("disagreements", "ada", 0, NoneOfThese);
    let queue = place.queue(&options("disagreements", "ada"));
    assert_eq!((queue.open.len(), queue.n_mine), (1, 1));
    place.judge_in("disagreements", "ada", 4, Skip);
    place.judge("leo", 4, Accept);
    assert_eq!(place.asked("disagreements", "ada"), [4]);
    assert_eq!(place.asked("disagreements", "eva"), [4, 0]);
    let key = place.keys()[4];
    let judged =
        judged(&place.store, &key, &VerdictChoice::Plain(NoFocal)).expect("it can be judged");
    assert_eq!(judged.answer(), Some(FocalAnswer::NoFocal));
    let gold = EventKind::Adjudicated {
        judged,
        reason: "clause 2".to_owned(),
    };
    let events = place.verdicts.append("leo", 900, vec![gold]);
    events.expect("an event is added");
    assert_eq!(place.asked("disagreements", "eva"), [0]);
}

#[test]
fn what_has_changed_under_a_verdict_is_asked_again_of_who_gave_it() {
    let mut place = place();
    for number in [0, 1, 4] {
        place.judge("ada", number, Accept);
    }
    let key = place.keys()[5];
    let shown =
        judged(&place.store, &key, &VerdictChoice::Plain(Accept)).expect("it can be judged");
    for (number, focal) in [(5, shown.focal.clone()), (8, None)] {
        let old = JudgedSample {
            key: place.keys()[number],
            content_hash: ContentHash([9; 16]),
            focal,
            ..shown.clone()
        };
        place.say("ada", old);
    }
    let gone = JudgedSample {
        key: SampleKey([0; 16]),
        ..shown
    };
    place.say("ada", gone);
    assert_eq!(place.asked("stale", "ada"), [8, 5]);
    assert!(place.asked("stale", "eva").is_empty());
    // It counts as judged everywhere else.
    assert_eq!(place.queue(&options("mined", "ada")).n_mine, 5);
    place.judge_in("stale", "ada", 8, Skip);
    assert_eq!(place.asked("stale", "ada"), [5, 8]);
    place.judge_in("stale", "ada", 5, NoFocal);
    assert_eq!(place.asked("stale", "ada"), [8]);
}

#[test]
fn an_audit_asks_everybody_about_the_same_samples() {
    let mut place = place();
    let audit = options("audit:n=6,seed=3", "ada");
    let monitor = Monitor::default();
    let undrawn = queue(&place.store, &place.verdicts, &monitor, &audit);
    assert!(matches!(undrawn, Err(ReviewError::NotDrawn { audit }) if audit == "n=6 seed=3"));
    let drawn = place.open(&audit);
    assert_eq!(drawn.len(), 6);
    place.judge("eva", drawn[0], Accept);
    place.judge("eva", drawn[1], Skip);
    assert_eq!(place.open(&audit), drawn);
    let of_eva = options("audit:n=6,seed=3", "eva");
    let expected = [&drawn[2..], &drawn[1..2]].concat();
    assert_eq!(place.open(&of_eva), expected);
    assert_eq!(place.queue(&of_eva).n_mine, 1);
    // More tests are mined: the draw holds.
    write_repos(&mut place.store, &[many_tests("n", 20)]);
    assert_eq!(place.queue(&audit).open.len(), 6);
    let (_folder, empty) = store_with(&[]);
    place.store = empty;
    let queue = place.queue(&audit);
    assert_eq!((queue.open.len(), queue.n_gone), (0, 6));
}

#[test]
fn a_queue_stops_when_it_is_asked_to() {
    let place = place();
    let monitor = Monitor::default();
    monitor.cancel();
    for kind in QueueKind::ALL {
        let options = options(kind.as_str(), "ada");
        let result = queue(&place.store, &place.verdicts, &monitor, &options);
        assert!(matches!(result, Err(ReviewError::Cancelled(_))), "{kind:?}");
    }
}

#[test]
fn a_slip_in_the_name_of_a_queue_is_no_filter() {
    let slip = split("disagrement").map_err(|error| error.to_string());
    let text = slip.expect_err("no queue is called so");
    assert!(text.contains("(did you mean `disagreements`?)"), "{text}");
    for (slip, near) in [
        ("uncertian", "uncertain"),
        ("uncertian repo:gson", "uncertain"),
        ("rnadom", "random"),
        ("radom", "random"),
        ("minde", "mined"),
        ("unmaped status:tie", "unmapped"),
        ("staale", "stale"),
        ("notd", "noted"),
        ("audti", "audit"),
    ] {
        let text = split(slip).map_err(|error| error.to_string());
        let text = text.expect_err(slip);
        assert!(
            text.contains(&format!("(did you mean `{near}`?)")),
            "{text}"
        );
    }
    for filter in [
        "gson",
        "randomly",
        "status:tie",
        "tests",
        "name:disagrement",
        "parses disagrement",
        "",
    ] {
        assert!(split(filter).is_ok(), "{filter}");
    }
}

#[test]
fn what_is_marked_or_noted_is_asked_about_whoever_judged_it_until_it_is_judged_there() {
    let mut place = place();
    let keys = place.keys();
    for number in [3, 4] {
        place.judge("ada", number, Accept);
    }
    let mut remark = |annotator: &str, at_ms, kind| {
        let events = place.verdicts.append(annotator, at_ms, vec![kind]);
        events.expect("an event is added");
    };
    remark("eva", 100, EventKind::Marked { key: keys[3] });
    remark("ada", 200, EventKind::Marked { key: keys[7] });
    let note = |key, note: &str| EventKind::Noted {
        key,
        note: note.to_owned(),
    };
    remark("eva", 300, note(keys[4], "why?"));
    remark("eva", 400, note(keys[5], "no"));
    remark("eva", 500, note(keys[5], ""));
    assert_eq!(place.asked("marked", "ada"), [7, 3]);
    assert_eq!(place.asked("noted", "ada"), [4]);
    place.now_ms = 1_000;
    place.judge_in("marked", "ada", 7, Accept);
    assert_eq!(place.asked("marked", "ada"), [3]);
    assert_eq!(place.queue(&options("marked", "ada")).n_mine, 1);
    assert_eq!(place.asked("marked", "eva"), [7, 3]);
    // A later mark asks again.
    let again = EventKind::Marked { key: keys[7] };
    let events = place.verdicts.append("eva", 2_000, vec![again]);
    events.expect("an event is added");
    assert_eq!(place.asked("marked", "ada"), [7, 3]);
}
