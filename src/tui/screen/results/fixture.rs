//! A run that was executed, made by hand: every outcome, and every reason to have none.

use tempfile::TempDir;

use crate::model::{
    BlockedReason, ContentHash, CoverScope, CoverageCounter, Execution, ExecutionSetting,
    FocalTotal, Outcome, Repair,
};
use crate::screen::results::tests::put;
use crate::store::testing::{counter_repo, store_with};
use crate::store::{Store, WrittenExecution};
use crate::task::Monitor;

/// In the form of JSON, except for the quotes, which `put` escapes.
const PREDICTIONS: [&str; 15] = [
    "int now = counter.get();\\nassertThat(now).isEqualTo(5);",
    "int before = counter.get();\\nMissing it = new Missing(\"漢字\");\\nassertEquals(5, it.get());",
    "assertTrue(true);",
    "assertEquals(\"foo bar\", 6, counter.get());",
    "assertEquals(5, counter.get());",
    "assertTrue(counter.isEmpty());",
    "assertEquals(\"foo bar\", 5, counter.get(",
    "while (true) {\\n}",
    "assertTrue(true);",
    "System.exit(0);",
    "assumeTrue(false);\\nassertEquals(5, counter.add(5));",
    "assertTrue(true);",
    "assertEquals(\"foo bar\", 5, counter.get());\\n}\\n\\nHere is why: it counts.",
    "assertEquals(5, counter.add(5));\\nassertEquals(5, counter.add(5));\\nassertEqu",
    "assertTrue(true);",
];

/// The outcome of each, or the reason why it did not run, and the details as JSON.
const FATES: [(Result<Outcome, BlockedReason>, &str); 15] = [
    (Ok(Outcome::Correct), ""),
    (
        Ok(Outcome::NotCompilable),
        r#"{"stage":"compile","code":"compiler.err.cant.resolve.location","type":null,"message":"cannot find symbol\n  symbol:   class Missing\n  location: class p.CounterTest of \u001b[31m漢字","line":2,"trace":null}"#,
    ),
    (Err(BlockedReason::NoFocal), ""),
    (
        Ok(Outcome::Failing),
        r#"{"stage":"run","code":null,"type":"java.lang.AssertionError","message":"foo bar expected:<6> but was:<5>","line":1,"trace":"java.lang.AssertionError: foo bar expected:<6> but was:<5>\n\tat org.junit.Assert.fail(Assert.java:89)\n\tat org.junit.Assert.failNotEquals(Assert.java:835)\n\tat p.CounterTest.testInc(CounterTest.java:17)"}"#,
    ),
    (Ok(Outcome::Passing), ""),
    (
        Err(BlockedReason::NoBuild),
        r#"{"stage":"compile","code":"no_build","type":null,"message":"module core: Could not resolve org.example:kit:1.0","line":null,"trace":null}"#,
    ),
    (
        Ok(Outcome::Unparsable),
        r#"{"stage":"compile","code":"syntax","type":null,"message":"nothing whole is before the end","line":1,"trace":null}"#,
    ),
    (
        Ok(Outcome::Timeout),
        r#"{"stage":"run","code":"limit","type":null,"message":"stopped after 10 s","line":null,"trace":null}"#,
    ),
    (Err(BlockedReason::NoEngine), ""),
    (
        Ok(Outcome::Crash),
        r#"{"stage":"run","code":"exit","type":null,"message":"the process ended with code 0","line":null,"trace":null}"#,
    ),
    (
        Ok(Outcome::NotExecuted),
        r#"{"stage":"run","code":"assumption","type":"org.junit.AssumptionViolatedException","message":"got: <false>, expected: is <true>","line":1,"trace":null}"#,
    ),
    (Err(BlockedReason::NoScaffold), ""),
    (Ok(Outcome::Correct), ""),
    (Ok(Outcome::Passing), ""),
    (Err(BlockedReason::Cancelled), ""),
];

/// The repairs of a prediction that was not changed.
const UNCHANGED: &str = "[]";
const CUT: &str = r#"[{"kind":"cut","from":42,"to":69,"added":""}]"#;
const CLOSED: &str = r#"[{"kind":"cut","from":66,"to":75,"added":""},{"kind":"closed","from":75,"to":75,"added":"\n}"}]"#;

fn record(nth: usize, outcome: Option<Outcome>, steps: &str) -> String {
    let focal = if outcome.is_some_and(|outcome| outcome >= Outcome::Failing) {
        r#"{"class":"p.Counter","name":"inc","desc":"()I","line":[1,1],"branch":[1,1],"instruction":[4,6]}"#
    } else {
        "null"
    };
    let by_line = if focal == "null" {
        "[]"
    } else if outcome == Some(Outcome::Correct) {
        "[[11,2],[12,2]]"
    } else {
        "[[11,1],[12,0]]"
    };
    let host = if outcome.is_some_and(|outcome| outcome > Outcome::NotCompilable) {
        "p.CounterTest"
    } else {
        ""
    };
    let is_outside = nth == 10;
    format!(
        r#"{{"host":"{host}","method":"testInc__{nth}","focal":{focal},"by_line":{by_line},"outside_suite":{is_outside},"steps":{steps},"tools":{{"jdk":"17","jacoco":"0.8.14","focalist":"1"}},"build":"b","sandbox":"none"}}"#
    )
}

fn written(nth: usize) -> WrittenExecution {
    let (fate, why) = FATES[nth];
    let (repair, steps) = match nth {
        12 => (Repair::Cut, CUT),
        13 => (Repair::Closed, CLOSED),
        _ => (Repair::None, UNCHANGED),
    };
    let outcome = fate.ok();
    let measured = outcome.filter(|outcome| *outcome >= Outcome::Failing);
    let counter = CoverageCounter {
        missed: 1,
        covered: 1,
    };
    WrittenExecution {
        ordinal: nth as u32,
        stamp: ContentHash([nth as u8; 16]),
        execution: Execution {
            outcome,
            blocked: fate.err(),
            repair,
            duplicate_of: (nth == 13).then_some(4),
            is_called: measured.map(|outcome| outcome != Outcome::Passing),
            lines: measured.map(|_| counter),
            branches: measured.map(|_| counter),
            elapsed_ms: outcome.filter(|outcome| outcome.compiles()).map(|outcome| {
                if outcome == Outcome::Timeout {
                    10_000
                } else {
                    12
                }
            }),
            timeout_ms: 10_000,
            asserts: measured.map(|_| true),
            confirmed: None,
            stability: None,
            brittleness: None,
        },
        why: (!why.is_empty()).then(|| why.to_owned()),
        words: why.to_lowercase(),
        record: record(nth, outcome, steps),
        covered: Vec::new(),
        entered: Vec::new(),
    }
}

/// Makes an index with the run `good`, which was not executed, and `ran`, which was, without a sandbox.
pub fn executed() -> (TempDir, Store) {
    let repos = ["a", "b", "c", "d", "e"].map(counter_repo);
    let (folder, mut store) = store_with(&repos);
    put(
        &mut store,
        "good",
        |_| "assertEquals(\"foo bar\", 5, counter.get());",
    );
    put(&mut store, "ran", |idx| {
        PREDICTIONS[idx % PREDICTIONS.len()]
    });
    execute(&mut store, "ran");
    (folder, store)
}

/// Writes outcomes for the predictions of a run.
pub fn execute(store: &mut Store, name: &str) {
    let run = store.run(name).expect("it is read").expect("it is there");
    let n = (run.n_predictions as usize).min(FATES.len());
    let setting = ExecutionSetting {
        engine: "fast".to_owned(),
        version: "1".to_owned(),
        options: "timeout=10000 repair=paper".to_owned(),
        sandbox: "none".to_owned(),
        executed_at: 1_777_883_400,
    };
    let monitor = Monitor::default();
    let rows: Vec<WrittenExecution> = (0..n).map(written).collect();
    let id = run.id;
    store.begin_executions(id, &setting).expect("it begins");
    let done = store.write_executions(id, &setting, &rows, &monitor);
    done.expect("they are written");
    let total = |scope, covered| FocalTotal {
        project: "a".to_owned(),
        focal: "p.Counter#inc()".to_owned(),
        scope,
        lines: Some(CoverageCounter {
            missed: 3 - covered,
            covered,
        }),
        branches: None,
    };
    let totals = [total(CoverScope::All, 3), total(CoverScope::Own, 2)];
    let done = store.write_focal_totals(id, ("fast", "a"), &totals, &monitor);
    done.expect("they are written");
}
