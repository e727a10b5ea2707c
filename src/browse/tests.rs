//! What the faces get, from hand-made repositories.

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use crate::model::{FileId, FileRole, Filter, Matcher, SampleDetail, Snippet, Span};
use crate::store::Anchor;
use crate::store::testing::{Contents, counter_repo, file, hash, key_of, store_with};

use super::{
    FieldKind, FieldScope, count, declared, detail, fields, matcher_of, method, named, page,
    parse_filter, words_of,
};

fn detail_of(contents: &Contents, test: &str) -> SampleDetail {
    let name = contents.repo.name.clone();
    let (_folder, store) = store_with(std::slice::from_ref(contents));
    detail(&store, &key_of(&name, test), Matcher::Contest)
        .expect("the index reads")
        .expect("the sample is there")
}

/// Shows a snippet with its marks written under it.
fn show(snippet: &Snippet) -> String {
    let mut shown = format!(
        "{}:{} (name {})\n{}\n",
        snippet.path, snippet.first_line, snippet.name_line, snippet.text
    );
    for mark in &snippet.marks {
        let text = &snippet.text[mark.start as usize..mark.end as usize];
        writeln!(shown, "{:?}: {text}", mark.kind).expect("a string takes all");
    }
    shown
}

fn check(snippet: &Snippet, expected: &Expect) {
    expected.assert_eq(&show(snippet));
}

#[test]
fn a_snippet_has_whole_lines_and_marks_relative_to_them() {
    let detail = detail_of(&counter_repo("a"), "testInc");
    check(
        &detail.test,
        &expect![[r#"
        src/test/java/p/CounterTest.java:13 (name 14)
            @Test
            public void testInc() {
                counter.setCount(4);
                counter.inc();
                assertEquals("foo bar", 5, counter.get());
            }
        Setup: counter.setCount(4);
                counter.inc();
        FocalCall: counter.inc()
        Assertion: assertEquals("foo bar", 5, counter.get());
        AssertionCall: assertEquals("foo bar", 5, counter.get())
    "#]],
    );
    check(
        detail.focal.as_ref().expect("it is mapped"),
        &expect![[r"
        src/main/java/p/Counter.java:10 (name 10)
            public int inc() {
                setCount(count + 1);
                return count;
            }
    "]],
    );
}

#[test]
fn windows_line_ends_stay_out_of_the_last_line() {
    let mut contents = counter_repo("a");
    let file = &mut contents.files[1];
    let span = contents.methods[6].span;
    let rest = file.text.split_off(span.end as usize);
    file.text.push_str(&rest.replace('\n', "\r\n"));
    let detail = detail_of(&contents, "works");
    assert!(detail.test.text.ends_with('}'));
    assert!(detail.test.text.starts_with("    @Test"));
}

#[test]
fn candidates_are_told_best_first_with_their_calls() {
    let detail = detail_of(&counter_repo("a"), "testInc");
    let told: Vec<String> = detail
        .candidates
        .iter()
        .map(|candidate| {
            format!(
                "{} {} {}:{} {} {} {}",
                candidate.name,
                candidate.key,
                candidate.path,
                candidate.line,
                candidate.score,
                candidate.n_calls,
                candidate.is_picked
            )
        })
        .collect();
    expect![[r"
        inc p.Counter#inc() src/main/java/p/Counter.java:10 1 1 true
        setCount p.Counter#setCount(int) src/main/java/p/Counter.java:6 0 1 false"]]
    .assert_eq(&told.join("\n"));
}

#[test]
fn candidates_and_all_other_methods_come_with_their_source() {
    let contents = counter_repo("a");
    let (_folder, store) = store_with(std::slice::from_ref(&contents));
    let key = key_of("a", "testInc");
    let detail = detail_of(&contents, "testInc");
    assert_eq!(detail.content_hash.0, hash("inc"));
    let second = detail.candidates[1].source.as_ref();
    let second = second.expect("the index has its source");
    check(
        second,
        &expect![[r"
        src/main/java/p/Counter.java:6 (name 6)
            public void setCount(int count) {
                this.count = count;
            }
    "]],
    );
    let source = |name: &str| method(&store, &key, name).expect("the index reads");
    assert_eq!(source(&second.key).as_ref(), Some(second));
    assert_eq!(source("p.Counter#setCount(long)"), None);
    let all = declared(&store, &key).expect("the index reads");
    assert_eq!(all.len(), 7);
    assert!(
        all.iter()
            .all(|declared_method| source(&declared_method.key).is_some())
    );
}

#[test]
fn a_candidate_without_a_source_shows_none() {
    let mut contents = counter_repo("a");
    // As a dataset has it whose samples do not hold the method.
    contents
        .files
        .push(file(2, "(not in the dataset)", "", FileRole::Main));
    let method = &mut contents.methods[0];
    (method.file, method.span) = (FileId(2), Span::default());
    let detail = detail_of(&contents, "testInc");
    let sources = detail
        .candidates
        .iter()
        .map(|candidate| candidate.source.is_some());
    assert_eq!(sources.collect::<Vec<_>>(), [true, false]);
}

#[test]
fn every_field_and_every_word_of_it_is_known_to_the_store() {
    let (_folder, store) = store_with(&[counter_repo("a")]);
    // What is near is found by who compares texts, and then known by keys.
    for field in fields(FieldScope::Samples).filter(|field| field.name != "near") {
        let values = match field.kind {
            FieldKind::Name | FieldKind::Text => vec!["x"],
            FieldKind::Number => vec!["1"],
            FieldKind::Key => vec!["0f"],
            FieldKind::Words(_) | FieldKind::Steps(_) | FieldKind::Sort => {
                words_of(field, FieldScope::Samples)
            }
        };
        for value in values {
            let input = format!("{}:{value}", field.name);
            let filter = parse_filter(&input).expect("it is right");
            count(&store, &filter).unwrap_or_else(|error| panic!("{input}: {error}"));
            page(&store, &filter, Anchor::Last, 2)
                .unwrap_or_else(|error| panic!("{input}: {error}"));
        }
    }
}

#[test]
fn a_sample_is_found_by_the_first_digits_of_its_key_whoever_decided() {
    let (_folder, store) = store_with(&[counter_repo("a"), counter_repo("b")]);
    let rows = |filter: &str| {
        let filter = parse_filter(filter).expect("it is right");
        page(&store, &filter, Anchor::First, 100).expect("the list is read")
    };
    for row in rows("") {
        let key = row.key.to_string();
        for digits in [key.clone(), key[..12].to_uppercase()] {
            let found: Vec<_> = rows(&format!("key:{digits}"))
                .iter()
                .map(|row| row.id)
                .collect();
            assert_eq!(found, [row.id]);
        }
        let others = rows(&format!("-key:{key}"));
        assert_eq!(others.len() + 1, rows("").len());
        assert!(others.iter().all(|other| other.id != row.id));
    }
    let error = parse_filter("key:+f").expect_err("no digits");
    assert_eq!(
        error.to_string(),
        "`key` is the first hexadecimal digits of a key, `+f` is not"
    );
}

#[test]
fn verdicts_are_asked_for_as_they_are_now() {
    use crate::model::{ContentHash, EventKind, JudgedSample, Judgement};
    use crate::store::{StoreAccess, Verdicts};

    let (folder, store) = store_with(&[counter_repo("a")]);
    let n_of = |filter: &str| {
        let filter = parse_filter(filter).expect("it is right");
        let n_rows = count(&store, &filter).expect("counts");
        let rows = page(&store, &filter, Anchor::First, 100).expect("the list is read");
        assert_eq!(rows.len() as u64, n_rows, "{filter:?}");
        n_rows
    };
    assert_eq!((n_of("verdict:none"), n_of("verdict:accept")), (3, 0));
    let mut verdicts =
        Verdicts::open(folder.path(), StoreAccess::Create).expect("the file is made");
    let mut judge = |annotator: &str, judgement| {
        let judged = JudgedSample {
            key: key_of("a", "testInc"),
            content_hash: ContentHash([0; 16]),
            focal: None,
            judgement,
            dwell_ms: None,
            guideline: None,
            note: None,
            queue: None,
            bulk: None,
        };
        verdicts
            .append(annotator, 1, vec![EventKind::Judged(judged)])
            .expect("an event is added");
    };
    judge("ada", Judgement::Accept);
    assert_eq!((n_of("verdict:none"), n_of("verdict:accept")), (2, 1));
    assert_eq!(n_of("-verdict:none repo:a"), 1);
    judge("eva", Judgement::NoFocal);
    assert_eq!((n_of("verdict:no_focal"), n_of("verdict:accept")), (1, 1));
    judge("ada", Judgement::Pick("p.C#m()".to_owned()));
    assert_eq!((n_of("verdict:pick"), n_of("verdict:accept")), (1, 0));
    assert!(parse_filter("verdict:nonsense").is_err());
}

#[test]
fn samples_that_were_accepted_with_others_have_a_word_of_their_own() {
    use crate::model::{Batch, ContentHash, ErrorBound, JudgedSample, Judgement};
    use crate::store::{StoreAccess, Verdicts};

    let (folder, store) = store_with(&[counter_repo("a")]);
    let n_of = |filter: &str| {
        let filter = parse_filter(filter).expect("it is right");
        count(&store, &filter).expect("counts")
    };
    assert_eq!((n_of("verdict:provisional"), n_of("verdict:none")), (0, 3));
    let mut verdicts =
        Verdicts::open(folder.path(), StoreAccess::Create).expect("the file is made");
    let batch = Batch {
        audit: "n=59 seed=7".to_owned(),
        n_accepted: 0,
        bound: ErrorBound {
            n: 59,
            n_errors: 0,
            error_max_ppm: 49_508,
            confidence_ppm: 950_000,
        },
    };
    let judged = JudgedSample {
        key: key_of("a", "testInc"),
        content_hash: ContentHash([0; 16]),
        focal: None,
        judgement: Judgement::Accept,
        dwell_ms: None,
        guideline: None,
        note: None,
        queue: None,
        bulk: None,
    };
    verdicts
        .append_batch("ada", 1, batch, vec![judged])
        .expect("a batch is added");
    assert_eq!((n_of("verdict:provisional"), n_of("verdict:none")), (1, 3));
    assert_eq!(
        (n_of("verdict:accept"), n_of("-verdict:Provisional")),
        (0, 2)
    );
    verdicts.undo("ada", 2).expect("it is undone");
    assert_eq!((n_of("verdict:provisional"), n_of("verdict:none")), (0, 3));
}

fn lets_through(filter: &str) -> String {
    let mut second = counter_repo("b");
    second.repo.license = None;
    second.repo.stars = None;
    let (_folder, store) = store_with(&[counter_repo("a"), second]);
    let filter = parse_filter(filter).expect("it is right");
    let rows = page(&store, &filter, Anchor::First, 100).expect("the list is read");
    assert_eq!(count(&store, &filter).expect("counts"), rows.len() as u64);
    let names: Vec<String> = rows
        .iter()
        .map(|row| format!("{}.{}", row.repo, row.test_name))
        .collect();
    names.join(" ")
}

#[test]
fn each_field_lets_through_what_it_says() {
    let check =
        |filter: &str, expected: &str| assert_eq!(lets_through(filter), expected, "{filter}");
    check("repo:example.org/b", "b.testInc b.testAdd b.works");
    check("license:apache", "a.testInc a.testAdd a.works");
    check("license:none test:works", "b.works");
    check("-license:none test:works", "a.works");
    check("license:apache-2 test:inc", "");
    check("stars>10 test:inc", "a.testInc");
    check("-stars>10 test:inc", "b.testInc");
    check("class:counter status:ok", "a.testInc b.testInc");
    check("class:p.Counter status:ok", "a.testInc b.testInc");
    check("class:q.Counter", "");
    check("focal:Counter.add repo:a", "a.testAdd");
    check("focal:Counter#add repo:a", "a.testAdd");
    check("inc repo:a", "a.testInc");
    check("weight:1 repo:a", "a.testInc a.testAdd");
    check("weight<0.5", "");
    check("-weight>0.5 repo:a", "a.works");
    check("margin<0.5 repo:a sort:margin", "a.works");
    check("margin>0.1 repo:a", "a.testInc a.testAdd");
    check("flag:several_focal_calls", "a.testInc b.testInc");
    check("duplicate:yes", "b.testInc");
    check(
        "file:src/test tokens:100 kind:test build:maven framework:junit4 repo:a",
        "a.testInc a.testAdd a.works",
    );
    check("file:src/main", "");
    check("text:\"FOO bar\" -duplicate:yes", "a.testInc");
    check("-text:count repo:b", "b.works");
    check(
        "sort:-repo sort:test test:test",
        "b.testAdd b.testInc a.testAdd a.testInc",
    );
}

#[test]
fn a_filter_may_ask_for_a_matcher() {
    assert_eq!(matcher_of(&Filter::default()), None);
    let filter = parse_filter("matcher:contest").expect("it is right");
    assert_eq!(matcher_of(&filter), Some(Matcher::Contest));
}

#[test]
fn samples_are_found_by_words_of_their_names() {
    use crate::store::testing::{counter_repo, store_with};
    let (_folder, store) = store_with(&[counter_repo("a"), counter_repo("b")]);
    let check = |typed: &str, limit: usize, expected: &[&str]| {
        let rows = named(&store, typed, limit).expect("the index reads");
        let names: Vec<String> = rows
            .iter()
            .map(|row| format!("{} {}", row.repo, row.test_name))
            .collect();
        assert_eq!(names, expected, "{typed}");
    };
    check("TESTinc", 50, &["a testInc", "b testInc"]);
    check("inc test", 1, &["a testInc"]);
    check("inc nowhere", 50, &[]);
    check(" ", 50, &[]);
}

#[test]
fn what_a_test_calls_of_its_own_class_is_shown_beside_it() {
    use crate::store::testing::method;
    let mut contents = counter_repo("a");
    let text = contents.files[1].text.replace(
        "assertTrue(true);",
        "performTest(); initCounter(); works(); other.check();",
    );
    let text = text.trim_end().trim_end_matches('}').to_owned()
        + "\n    void performTest() {\n        check(1);\n    }\n"
        + "\n    void check(int n) {\n        // check();\n    }\n"
        + "\n    void check() {\n    }\n}\n";
    contents.files[1].text = text;
    let file = &contents.files[1];
    let own = |header: &str, name: &str| method(file, "p.CounterTest", header, name);
    let added = [
        own("void performTest", "performTest"),
        own("void check(int", "check"),
        own("void check()", "check"),
    ];
    contents.methods[6] = own("@Test\n    public void works", "works");
    contents.methods.extend(added);
    let helpers = |test: &str| {
        let detail = detail_of(&contents, test);
        let keys = detail.helpers.iter().map(|helper| helper.key.clone());
        keys.collect::<Vec<_>>()
    };
    // A fixture is shown anyway.
    let expected = ["p.CounterTest#performTest()", "p.CounterTest#check(int)"];
    assert_eq!(helpers("works"), expected);
    assert!(helpers("testInc").is_empty());
    check(
        &detail_of(&contents, "works").helpers[0],
        &expect![[r"
        src/test/java/p/CounterTest.java:30 (name 30)
            void performTest() {
                check(1);
            }
    "]],
    );
}
