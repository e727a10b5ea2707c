//! Several windows on one queue, and the reports of others' verdicts.

use super::{ada, bench, bench_with, say_elsewhere};
use crate::model::{EventKind, Filter};
use crate::review::{Overlap, ReviewOptions};
use crate::store::{Store, StoreAccess, Verdicts};
use crate::tests::bench::Bench;
use crate::tests::text;

fn bob() -> ReviewOptions {
    ReviewOptions {
        annotator: "bob".to_owned(),
        ..ada("mined")
    }
}

#[test]
fn two_people_in_one_queue_get_different_samples() {
    let mut ada = bench("ga");
    let first = shown_place(&ada.text());
    let mut bob = ada.another(bob(), "ga");
    let second = shown_place(&text(&bob.frame()));
    assert_ne!(first, second);
    assert!(!text(&bob.frame()).contains("is on this one"));
    // Neither ada nor bob gets the sample that the other one has before them or has judged.
    ada.press("a");
    let third = shown_place(&ada.text());
    assert!(
        third != first && third != second,
        "{first} {second} {third}"
    );
    bob.press("X").expect("the script is well-formed");
    let fourth = shown_place(&text(&bob.frame()));
    assert!(![first, second, third].contains(&fourth), "{fourth}");
    let said = ada.verdicts().all().expect("they can be read");
    assert_eq!(said.len(), 2);
}

#[test]
fn whoever_comes_second_to_the_last_sample_is_told_before_reading() {
    let only = ReviewOptions {
        queue: "mined name:testInc repo:a".to_owned(),
        ..bob()
    };
    let ada = bench_with(
        ReviewOptions {
            annotator: "ada".to_owned(),
            ..only.clone()
        },
        "ga",
    );
    assert!(!ada.text().contains("on this one"), "{}", ada.text());
    let mut bob = ada.another(only.clone(), "ga");
    let shown = text(&bob.frame());
    assert!(shown.contains(" ada is on this one · mined"), "{shown}");
    assert!(shown.contains("s skips it"), "{shown}");
    // Another user at a sample forbids nothing.
    bob.press("a").expect("the script is well-formed");
    assert!(text(&bob.frame()).contains("saved: accept"));
    // A second window of the same user counts as another window.
    let again = ReviewOptions {
        annotator: "ada".to_owned(),
        overlap: Overlap { n: 2, share: 1.0 },
        ..only
    };
    let again = ada.another(again, "ga");
    let shown = text(&again.frame());
    assert!(
        !shown.contains("on this one"),
        "two are asked about it: {shown}"
    );
}

#[test]
fn a_window_that_is_gone_blocks_no_sample() {
    let ada = bench("ga");
    let first = shown_place(&ada.text());
    let bob_left = ada.another(bob(), "ga");
    let second = shown_place(&text(&bob_left.frame()));
    drop(bob_left);
    let folder = ada.folder;
    drop(ada.stage);
    let store = Store::open(folder.path(), StoreAccess::Read).expect("the index opens");
    let cyd = ReviewOptions {
        annotator: "cyd".to_owned(),
        ..bob()
    };
    let cyd = Bench::open(folder, store, cyd, "ga");
    assert_eq!(shown_place(&cyd.text()), first);
    assert_ne!(first, second);
}

#[test]
fn what_others_said_is_in_the_header_and_in_the_facts_unless_one_is_blind() {
    let place = |reviewing: ReviewOptions, keys: &str| {
        let bench = bench_with(ada("mined"), "");
        say_elsewhere(&bench, "bob");
        let store = Store::open(bench.folder.path(), StoreAccess::Read).expect("the index opens");
        let keys_of = store.keys(&Filter::default());
        let key = keys_of.expect("the index reads")[0];
        let mut verdicts =
            Verdicts::open(bench.folder.path(), StoreAccess::Create).expect("the file opens");
        let note = "fishy\u{1b}[31m".to_owned();
        let kinds = vec![EventKind::Noted { key, note }, EventKind::Marked { key }];
        verdicts.append("cyd", 2, kinds).expect("they are written");
        text(&bench.another(reviewing, keys).frame())
    };
    let marked = ReviewOptions {
        queue: "marked".to_owned(),
        ..ada("")
    };
    let open = place(marked.clone(), "ga");
    for part in ["bob: no focal", "marked by cyd", "cyd notes: fishy"] {
        assert!(open.contains(part), "`{part}` is missing:\n{open}");
    }
    assert!(!open.contains('\u{1b}'), "an escape sequence comes through");
    let facts = place(marked.clone(), "gaI");
    for part in ["bob: no focal method", "cyd: fishy", "marked by  cyd"] {
        assert!(facts.contains(part), "`{part}` is missing:\n{facts}");
    }
    let blind = ReviewOptions {
        is_blind: true,
        ..marked
    };
    for keys in ["ga", "gaI", "gs", "gsI", "gs<enter>I"] {
        let text = place(blind.clone(), keys);
        for part in ["no focal", "cyd", "fishy", "¶"] {
            let line = text
                .lines()
                .find(|line| line.contains(part) && !line.contains("X no focal"));
            assert_eq!(line, None, "after `{keys}`:\n{text}");
        }
    }
    // In the list, and beside it.
    let listed = place(ada("mined"), "gs");
    assert!(listed.contains("✓¶"), "{listed}");
    assert!(listed.contains("cyd notes: fishy"), "{listed}");
    assert!(place(ada("mined"), "gs<enter>").contains("cyd notes: fishy"));
    assert!(place(ada("mined"), "gsI").contains("cyd: fishy"));
}

#[test]
fn the_author_sees_that_a_sample_is_noted() {
    let mut bench = bench("ga");
    bench.press("clook<space>here<enter>");
    bench.check_shows("· noted ·");
    bench.press("c<c-u><enter>");
    assert!(!bench.text().contains("noted"), "{}", bench.text());
}

/// Returns the file and line of the shown sample, and its repository.
fn shown_place(text: &str) -> String {
    let line = text.lines().nth(1).unwrap_or_default();
    let parts = line
        .split(" · ")
        .filter(|part| part.contains(".java:") || *part == "a" || *part == "b");
    parts.collect::<Vec<_>>().join(" ")
}
