//! Candidates that pass but cannot fail, candidates that are not to be repaired, and those that were executed before
//! this was checked.

use super::*;

#[test]
fn answers_for_assertions_are_not_repaired_where_nobody_asks_for_it() {
    let (_folder, mut store) = store();
    let junk = [
        "int x = ",
        "}",
        "I'm sorry, I cannot help with that.",
        "// x",
        "",
    ];
    let answers: Vec<_> = junk
        .iter()
        .zip(0..)
        .map(|(junk, attempt)| ("testInc", attempt, (*junk).to_owned()))
        .collect();
    let run = put(&mut store, "run", Target::Assertion, &answers);
    let shop = EngineStub::default();
    let outcomes = |store: &Store| -> Vec<Option<Outcome>> {
        let executions = store.executions(run, "fast", 5, &Monitor::default());
        let executions = executions.expect("they are read").into_iter();
        executions.map(|execution| execution?.outcome).collect()
    };
    for repairs in [None, Some(Repairs::Paper)] {
        let options = ExecuteOptions {
            repairs,
            ..ExecuteOptions::default()
        };
        shop.execute(&mut store, &options).expect("it runs");
        assert_eq!(shop.n_seen(), 0, "{repairs:?}");
        assert_eq!(outcomes(&store), [Some(Outcome::Unparsable); 5]);
    }
}

#[test]
fn what_passes_without_anything_that_can_fail_is_not_correct() {
    let (_folder, mut store) = store();
    let answers = [
        ("testInc", 0, method("correct()")),
        ("testInc", 1, without_assertion("correct()")),
        (
            "testInc",
            2,
            without_assertion("assertTrue(true); correct(2)"),
        ),
        ("testInc", 3, without_assertion("passing()")),
    ];
    put(&mut store, "run", Target::Test, &answers);
    let report = EngineStub::default().execute(&mut store, &ExecuteOptions::default());
    let funnel = report.expect("it runs").runs.remove(0).funnel;
    assert_eq!((funnel.n_executable, funnel.n_correct), (4, 1));
    // `passing` did not enter the focal method.
    assert_eq!(
        (funnel.n_without_assertion, funnel.n_correct_tests4j),
        (3, 3)
    );
    let told = lines(&store, "run");
    let is_told = |line: &str, outcome: &str, asserts: bool| {
        line.contains(&format!(r#""outcome":"{outcome}""#))
            && line.contains(&format!(r#""asserts":{asserts},"#))
    };
    assert!(is_told(&told[0], "correct", true), "{}", told[0]);
    assert!(
        told[1..].iter().all(|text| is_told(text, "passing", false)),
        "{told:?}"
    );
}

#[test]
fn an_answer_for_assertions_is_not_helped_by_its_setup() {
    let (_folder, mut store) = store();
    let answers = [
        ("testInc", 0, "correct();".to_owned()),
        ("testInc", 1, "assertEquals(1, correct(2));".to_owned()),
    ];
    put(&mut store, "run", Target::Assertion, &answers);
    let report = EngineStub::default().execute(&mut store, &ExecuteOptions::default());
    let funnel = report.expect("it runs").runs.remove(0).funnel;
    assert_eq!((funnel.n_executable, funnel.n_correct), (2, 1));
}

#[test]
fn what_ran_before_anybody_looked_is_looked_at_and_not_run_again() {
    let (_folder, mut store) = store();
    let answers = [
        ("testInc", 0, without_assertion("correct()")),
        ("testInc", 1, without_assertion("correct ( )")),
        ("testInc", 2, method("correct()")),
    ];
    let run = put(&mut store, "run", Target::Test, &answers);
    let shop = EngineStub::default();
    let options = ExecuteOptions::default();
    shop.execute(&mut store, &options).expect("it runs");
    shop.n_seen();
    let now = lines(&store, "run");
    let setting = store.execution_setting(run).expect("it is read");
    let setting = setting.expect("it was executed");
    let mut old = Vec::new();
    let read = store.each_execution(run, "fast", |stored_execution| {
        old.push(WrittenExecution {
            ordinal: stored_execution.ordinal,
            stamp: stored_execution.stamp,
            execution: Execution {
                asserts: None,
                outcome: Some(Outcome::Correct),
                ..stored_execution.execution
            },
            why: stored_execution.why,
            words: stored_execution.words,
            record: stored_execution.record,
            covered: Vec::new(),
            entered: Vec::new(),
        });
        Ok::<_, ExecuteError>(())
    });
    read.expect("they are read");
    let monitor = Monitor::default();
    let written = store.write_executions(run, &setting, &old, &monitor);
    written.expect("they are written");
    assert_ne!(lines(&store, "run"), now);
    let report = shop.execute(&mut store, &options).expect("it runs");
    assert_eq!((shop.n_seen(), report.runs[0].projects[0].n_kept), (0, 3));
    assert_eq!(lines(&store, "run"), now);
}

#[test]
fn another_default_makes_no_outcome_stale() {
    let (_folder, mut store) = store();
    let answer = (
        "testInc",
        0,
        "assertEquals(1, correct()); int y = ".to_owned(),
    );
    put(&mut store, "run", Target::Assertion, &[answer]);
    let shop = EngineStub::default();
    let with = |repairs, is_forced| ExecuteOptions {
        repairs,
        is_forced,
        ..ExecuteOptions::default()
    };
    let paper = with(Some(Repairs::Paper), false);
    shop.execute(&mut store, &paper).expect("it runs");
    assert_eq!(shop.n_seen(), 1);
    let before = lines(&store, "run");
    let default = with(None, false);
    let report = shop.execute(&mut store, &default).expect("it runs");
    assert_eq!((shop.n_seen(), report.runs[0].projects[0].n_kept), (0, 1));
    assert_eq!(lines(&store, "run"), before);
    // A user who names a repair, or forces it, gets it.
    for options in [with(Some(Repairs::None), false), with(None, true)] {
        shop.execute(&mut store, &paper).expect("it runs");
        shop.n_seen();
        shop.execute(&mut store, &options).expect("it runs");
        assert!(lines(&store, "run")[0].contains(r#""outcome":"unparsable""#));
    }
}

#[test]
fn of_answers_that_say_the_same_the_first_attempt_counts_whatever_its_line() {
    let (_folder, mut store) = store();
    let answers = [2, 0, 1].map(|attempt| ("testInc", attempt, method("correct()")));
    let run = put(&mut store, "run", Target::Test, &answers);
    EngineStub::default()
        .execute(&mut store, &ExecuteOptions::default())
        .expect("it runs");
    let executions = store.executions(run, "fast", 3, &Monitor::default());
    let executions = executions.expect("they are read").into_iter().flatten();
    let of: Vec<_> = executions.map(|execution| execution.duplicate_of).collect();
    assert_eq!(of, [Some(1), None, Some(1)]);
}
