//! The texts of twins, and confirmation with an engine whose outcomes depend on the text.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::confirm::twin::{Others, Twins};
use crate::model::{Confirmation, Language, Target};
use crate::store::Store;
use crate::task::Monitor;
use crate::tests::{EngineStub, method, put, store};
use crate::{ConfirmationLimit, ExecuteOptions, RunReport};

#[test]
fn a_java_twin_throws_wherever_the_test_may_be_left() {
    let check = |text: &str, expected: &str| {
        let twin = Twins::default().twin(Language::Java, text);
        let text = twin.expect("it is one method").text;
        let parts = [
            (super::twin::java::OPENING, "<"),
            (super::twin::java::CLOSING, ">"),
        ];
        let short = parts
            .iter()
            .fold(text, |text, (part, sign)| text.replace(part, sign));
        assert_eq!(short, expected);
    };
    check("@Test void a() {}", "@Test void a() {<>}");
    check(
        "@Test void a() {\n  go(); // }\n}",
        "@Test void a() {<\n  go(); // }\n>}",
    );
    // A `return` may stand wherever a single statement may.
    check(
        "@Test int a() { if (b) return 1; else return 2; }",
        "@Test int a() {< if (b) { focalistLeft[0] = \" by return 0\"; return 1; } else \
         { focalistLeft[0] = \" by return 1\"; return 2; } >}",
    );
    check(
        "void a() {return;}",
        "void a() {<{ focalistLeft[0] = \" by return 0\"; return; }>}",
    );
    // A `return` of a nested function does not count.
    check(
        "void a() { run(() -> { return 1; }); new B() { int c() { return 2; } }; class D { int e() { return 3; } } }",
        "void a() {< run(() -> { return 1; }); new B() { int c() { return 2; } }; class D { int e() { return 3; } } >}",
    );
}

#[test]
fn a_python_twin_raises_at_its_end_and_before_each_return() {
    let check = |text: &str, expected: &str| {
        let twin = Twins::default().twin(Language::Python, text);
        let text = twin.expect("it is one function").text;
        let text = text.replace("raise BaseException(\"focalist twin: left ", "raise(\"");
        assert_eq!(text, expected);
    };
    check(
        "def test():\n    a()\n",
        "def test():\n    a()\n    raise(\"at its end\")\n",
    );
    check(
        "def test(): a(); b()",
        "def test(): a(); b(); raise(\"at its end\")",
    );
    check(
        "@mark\nasync def test(self):\n        if a: return\n        with b:\n            c()  # d\n",
        "@mark\nasync def test(self):\n        if a: raise(\"by return 0\"); return\n        with b:\n            \
         c()  # d\n        raise(\"at its end\")\n",
    );
    check(
        "def test():\n\tdef inner():\n\t\treturn 1\n\treturn lambda: 2",
        "def test():\n\tdef inner():\n\t\treturn 1\n\traise(\"by return 0\"); return lambda: 2\n\traise(\"at its end\")",
    );
    check(
        "def test():\n    a = \"\"\"\n  b\n\"\"\"",
        "def test():\n    a = \"\"\"\n  b\n\"\"\"\n    raise(\"at its end\")",
    );
}

#[test]
fn who_leaves_by_a_return_before_all_assertions_is_early() {
    let check = |language, text: &str, expected: &[bool]| {
        let twin = Twins::default().twin(language, text);
        assert_eq!(twin.expect("it has a twin").skips, expected, "{text}");
    };
    let java = |body: &str, expected: &[bool]| {
        check(Language::Java, &format!("void a() {{ {body} }}"), expected);
    };
    java("if (b()) return; assertEquals(1, c);", &[true]);
    java("if (b()) { return; } assert c;", &[true]);
    java(
        "assertTrue(a); if (b()) return; assertEquals(1, c);",
        &[false],
    );
    java(
        "checkAll(a); if (b()) return; assertEquals(1, c);",
        &[false],
    );
    // They assert that an exception was thrown, or something was found.
    java(
        "try { b(); } catch (E e) { return; } assertEquals(1, c);",
        &[false],
    );
    java("for (int it : all) if (it == 1) return; fail();", &[false]);
    java("if (b()) return; Assert.fail(); return;", &[false, false]);
    let python = |body: &str, expected: &[bool]| {
        let text = format!("def test():\n    {}", body.replace('\n', "\n    "));
        check(Language::Python, &text, expected);
    };
    python("if a: return\nassert b", &[true]);
    python("assert a\nif b: return\nassert c", &[false]);
    python("if a: return\nself.assertEqual(b, 1)", &[true]);
    python("if a: return\nwith pytest.raises(E): b()", &[true]);
    python("try:\n    a()\nexcept E:\n    return\nassert b", &[false]);
}

#[test]
fn an_expectation_that_any_failure_meets_is_narrower_in_the_twin() {
    let check = |text: &str, expected: &str, others: Others| {
        let twin = Twins::default().twin(Language::Java, text);
        let twin = twin.expect("it is one method");
        let parts = [
            (super::twin::java::OPENING, ""),
            (super::twin::java::CLOSING, ""),
            ("java.lang.Exception.class /* ", "<"),
            (" */", ">"),
        ];
        let mut short = twin.text;
        for (part, sign) in parts {
            short = short.replace(part, sign);
        }
        assert_eq!(short, expected);
        assert_eq!(twin.others, others, "{text}");
    };
    let same = |text: &str, others: Others| check(text, text, others);
    check(
        "@Test(expected = Throwable.class) public void a() { b(); }",
        "@Test(expected = <Throwable.class>) public void a() { b(); }",
        Others::Nobody,
    );
    check(
        "@Test(expectedExceptions = {A.class, java.lang.Error.class}) public void a() { b(); }",
        "@Test(expectedExceptions = {A.class, <java.lang.Error.class>}) public void a() { b(); }",
        Others::Nobody,
    );
    check(
        "@Test public void a() { thrown.expect(Throwable.class); b(Error.class); }",
        "@Test public void a() { thrown.expect(<Throwable.class>); b(Error.class); }",
        Others::Nobody,
    );
    check(
        "@Test public void a() { thrown.expect(is(instanceOf(Error.class))); }",
        "@Test public void a() { thrown.expect(is(instanceOf(<Error.class>))); }",
        Others::Nobody,
    );
    same(
        "@Test(expected = IOException.class) public void a() throws Error { b(); }",
        Others::Nobody,
    );
    same(
        "@Test public void a() { thrown.expect(type); }",
        Others::Expectation,
    );
    same(
        "@Test public void a() { expect(mock.b(Error.class)).andReturn(1); }",
        Others::Nobody,
    );
}

#[test]
fn what_an_unknown_decorator_may_let_through_is_told_from_forged() {
    let check = |text: &str, expected: Others| {
        let twin = Twins::default().twin(Language::Python, text);
        assert_eq!(twin.expect("it has a twin").others, expected, "{text}");
    };
    check(
        "@pytest.mark.slow\n@patch('a.b')\ndef test(): a()",
        Others::Nobody,
    );
    check("@raises(ValueError)\ndef test(): a()", Others::Decorator);
    check(
        "def test():\n    @raises\n    def inner(): a()\n",
        Others::Nobody,
    );
}

/// Writes passing answers of every kind, and one that does not pass.
fn answers() -> Vec<(&'static str, u32, String)> {
    let bodies = [
        "correct()",
        "correct(forger())",
        "passing(early()); if (a) return; assertEquals(1, b)",
        "passing(lonely())",
        "failing()",
        "correct( /* the same */ )",
    ];
    let answers = bodies.iter().zip(0..);
    let mut answers: Vec<_> = answers
        .map(|(body, attempt)| ("testInc", attempt, method(body)))
        .collect();
    answers.push(("testAdd", 0, method("correct(forger())")));
    answers
}

fn confirming(drawn: ConfirmationLimit) -> ExecuteOptions {
    ExecuteOptions {
        confirms: Some(drawn),
        ..ExecuteOptions::default()
    }
}

fn words(store: &Store, run: i64) -> Vec<Option<Confirmation>> {
    let column = store.executions(run, "fast", 7, &Monitor::default());
    let column = column.expect("they are read").into_iter();
    column
        .map(|execution| execution.expect("all of them ran").confirmed)
        .collect()
}

#[test]
fn what_does_not_hold_leaves_the_shares() {
    use Confirmation::{Forged, LeftEarly, Unstable, Yes};
    let (_folder, mut store) = store();
    let run = put(&mut store, "run", Target::Test, &answers());
    let shop = EngineStub::default();
    let before = shop.execute(&mut store, &ExecuteOptions::default());
    let before = before.expect("it runs").runs.remove(0).funnel;
    assert_eq!((before.n_executable, before.n_correct), (5, 3));
    shop.n_seen();
    let report = shop.execute(&mut store, &confirming(ConfirmationLimit::All));
    let report: RunReport = report.expect("it runs").runs.remove(0);
    // The five that passed run again, and so do the twins of the four that pass again.
    assert_eq!(shop.n_seen(), 9);
    assert_eq!(
        words(&store, run),
        [
            Some(Yes),
            Some(Forged),
            Some(LeftEarly),
            Some(Unstable),
            None,
            Some(Yes),
            Some(Forged)
        ]
    );
    let funnel = &report.funnel;
    assert_eq!((funnel.n_executable, funnel.n_correct), (1, 1));
    assert_eq!((funnel.n_confirmed(), funnel.n_drawn()), (1, 5));
    assert_eq!(
        funnel.by_outcome, before.by_outcome,
        "outcomes stay as they were"
    );
    let refuted = report.refuted.iter();
    let mut said: Vec<(u32, &str, &str)> = refuted
        .map(|refuted_candidate| {
            (
                refuted_candidate.attempt,
                refuted_candidate.word.as_str(),
                refuted_candidate.refutation.as_str(),
            )
        })
        .collect();
    said.sort_unstable();
    assert_eq!(
        said,
        [
            (0, "forged", ""),
            (1, "forged", ""),
            (2, "left_early", ""),
            (3, "unstable", "crash: Cannot find [31m symbol")
        ]
    );
}

#[test]
fn everything_that_is_done_was_announced() {
    let (_folder, mut store) = store();
    put(&mut store, "run", Target::Test, &answers());
    let monitor = Monitor::default();
    let all = confirming(ConfirmationLimit::All);
    let done = EngineStub::default().watched(&mut store, &monitor, &all);
    done.expect("it runs");
    let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    // The seven answers, and the five of them that are confirmed.
    assert_eq!(read(&monitor.n_predictions_total), 7 + 5);
    assert_eq!(read(&monitor.n_predictions), 7 + 5);
}

#[test]
fn what_was_looked_at_is_not_looked_at_again_until_it_runs_again() {
    let (_folder, mut store) = store();
    let run = put(&mut store, "run", Target::Test, &answers());
    let shop = EngineStub::default();
    let all = confirming(ConfirmationLimit::All);
    shop.execute(&mut store, &all).expect("it runs");
    let before = words(&store, run);
    shop.n_seen();
    shop.execute(&mut store, &all).expect("it runs");
    assert_eq!(shop.n_seen(), 0);
    assert_eq!(words(&store, run), before);
    let forced = ExecuteOptions {
        is_forced: true,
        ..all
    };
    shop.execute(&mut store, &forced).expect("it runs");
    assert_eq!(shop.n_seen(), 6 + 9);
    assert_eq!(words(&store, run), before);
}

#[test]
fn a_draw_depends_on_samples_and_attempts_alone_and_grows() {
    let drawn = |n: u32, is_reversed: bool| {
        let (_folder, mut store) = store();
        let run = put(&mut store, "run", Target::Test, &answers());
        let shop = EngineStub {
            is_reversed,
            ..EngineStub::default()
        };
        let options = confirming(ConfirmationLimit::AtMost(n));
        shop.execute(&mut store, &options).expect("it runs");
        let executions = store.executions(run, "fast", 7, &Monitor::default());
        let executions = executions.expect("they are read").into_iter().flatten();
        let is_drawn = executions
            .map(|execution| execution.confirmed.is_some() && execution.duplicate_of.is_none());
        let ordinals: Vec<usize> = is_drawn
            .enumerate()
            .filter(|pair| pair.1)
            .map(|pair| pair.0)
            .collect();
        ordinals
    };
    let (two, three) = (drawn(2, false), drawn(3, false));
    assert_eq!((two.len(), three.len()), (2, 3));
    assert!(two.iter().all(|n| three.contains(n)), "{two:?} {three:?}");
    assert_eq!(drawn(2, true), two);
    assert_eq!(drawn(100, false).len(), 5);
}

#[test]
fn what_counts_no_longer_covers_nothing() {
    let (_folder, mut store) = store();
    let answers = [
        ("testInc", 0, method("correct(line1)")),
        (
            "testInc",
            1,
            method("correct(forger(), line1, line2, line3)"),
        ),
    ];
    put(&mut store, "run", Target::Test, &answers);
    let shop = EngineStub::default();
    let before = shop.execute(&mut store, &ExecuteOptions::default());
    let before = before.expect("it runs").runs.remove(0);
    assert_eq!(before.own.micro_lines, Some(0.75));
    let after = shop.execute(&mut store, &confirming(ConfirmationLimit::All));
    let after = after.expect("it runs").runs.remove(0);
    assert_eq!(after.own.micro_lines, Some(0.25));
}
