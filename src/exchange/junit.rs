//! Outcomes as JUnit XML, which every CI server reads. A test that was not run is skipped, one that does not come so far as to
//! fail is an error.

use crate::model::{BlockedReason, Execution, Outcome};

use super::outcomes::WireWhy;
use super::xml::escape;

/// A test as it is written.
#[derive(Debug)]
pub struct JunitCase<'a> {
    /// The class of the test, or the sample's project where the index no longer has the test.
    pub class: &'a str,
    pub name: String,
    pub execution: Execution,
    pub why: Option<WireWhy>,
}

/// Writes the report of a run.
#[must_use]
pub fn junit(run: &str, cases: &[JunitCase<'_>]) -> String {
    let count = |of: Fate| {
        let such = cases.iter().filter(|case| fate(&case.execution) == of);
        such.count()
    };
    let ms: u64 = cases
        .iter()
        .map(|case| u64::from(case.execution.elapsed_ms.unwrap_or(0)))
        .sum();
    let (n, n_failed, n_errors) = (cases.len(), count(Fate::Fails), count(Fate::Errs));
    let (n_skipped, time) = (count(Fate::Skipped), seconds(ms));
    let counts = format!("tests=\"{n}\" failures=\"{n_failed}\" errors=\"{n_errors}\"");
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts} time=\"{time}\">\n  \
         <testsuite name=\"{}\" {counts} skipped=\"{n_skipped}\" time=\"{time}\">\n",
        escape(run)
    );
    for case in cases {
        push(&mut xml, case);
    }
    xml.push_str("  </testsuite>\n</testsuites>\n");
    xml
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Passes,
    Fails,
    Errs,
    Skipped,
}

fn fate(execution: &Execution) -> Fate {
    match execution.outcome {
        Some(Outcome::Passing | Outcome::Correct) => Fate::Passes,
        Some(Outcome::Failing) => Fate::Fails,
        Some(
            Outcome::Unparsable
            | Outcome::NotCompilable
            | Outcome::NotExecuted
            | Outcome::Timeout
            | Outcome::Crash,
        ) => Fate::Errs,
        None => Fate::Skipped,
    }
}

fn push(xml: &mut String, case: &JunitCase<'_>) {
    let execution = &case.execution;
    let outcome = execution.outcome.map(Outcome::as_str);
    let word = outcome.or(execution.blocked.map(BlockedReason::as_str));
    let word = word.unwrap_or("not run");
    let ms = u64::from(execution.elapsed_ms.unwrap_or(0));
    let head = format!(
        "    <testcase classname=\"{}\" name=\"{}\" time=\"{}\"",
        escape(case.class),
        escape(&case.name),
        seconds(ms)
    );
    xml.push_str(&head);
    let tag = match fate(execution) {
        Fate::Passes => {
            xml.push_str("/>\n");
            return;
        }
        Fate::Skipped => {
            xml.push_str(&format!(
                ">\n      <skipped message=\"{}\"/>\n    </testcase>\n",
                escape(word)
            ));
            return;
        }
        Fate::Fails => "failure",
        Fate::Errs => "error",
    };
    let why = case.why.as_ref();
    let kind = why.and_then(|wire_why| wire_why.kind.as_deref().or(wire_why.code.as_deref()));
    let message = why.map_or(word, |wire_why| wire_why.message.as_str());
    let trace = why
        .and_then(|wire_why| wire_why.trace.as_deref())
        .unwrap_or(message);
    xml.push_str(&format!(
        ">\n      <{tag} type=\"{}\" message=\"{}\">{}</{tag}>\n    </testcase>\n",
        escape(kind.unwrap_or(word)),
        escape(message),
        escape(trace)
    ));
}

fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1_000, ms % 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_becomes_of_a_test_is_a_word_of_junit() {
        let case = |outcome, blocked| JunitCase {
            class: "p.<T>",
            name: "a & \u{1b}b".to_owned(),
            execution: Execution {
                outcome,
                blocked,
                elapsed_ms: Some(1_250),
                ..Execution::default()
            },
            why: None,
        };
        let cases = [
            case(Some(Outcome::Correct), None),
            case(Some(Outcome::Failing), None),
            case(Some(Outcome::Timeout), None),
            case(None, Some(BlockedReason::NoBuild)),
        ];
        let xml = junit("small", &cases);
        let counts = "tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\" time=\"5.000\"";
        assert!(
            xml.contains(&format!("<testsuite name=\"small\" {counts}>")),
            "{xml}"
        );
        let name = "<testcase classname=\"p.&lt;T&gt;\" name=\"a &amp; \u{fffd}b\" time=\"1.250\"";
        assert_eq!(xml.matches(name).count(), 4, "{xml}");
        assert!(xml.contains("<failure type=\"failing\" message=\"failing\">failing</failure>"));
        assert!(xml.contains("<error type=\"timeout\""));
        assert!(xml.contains("<skipped message=\"no_build\"/>"), "{xml}");
    }
}
