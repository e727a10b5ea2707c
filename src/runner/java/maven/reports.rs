//! Reads surefire's reports of tests: `TEST-*.xml`.

use std::path::Path;
use std::time::Duration;

use roxmltree::{Document, Node, ParsingOptions};

use crate::sandbox::Root;

/// The largest report that is read.
const BYTES_MAX: u64 = 256 << 20;

/// One run of a test method; a parametrised one has several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurefireCase {
    /// The binary name of the class.
    pub class: String,
    /// The method's name without parameters.
    pub method: String,
    pub elapsed: Duration,
    pub end: TestEnd,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestEnd {
    Passed,
    Skipped { message: String },
    Thrown(ThrownException),
}

/// An exception that a test has thrown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThrownException {
    /// Its class.
    pub kind: String,
    pub message: String,
    pub trace: String,
}

impl ThrownException {
    /// Tells whether a limit that was written into the test has ended it.
    pub fn is_timeout(&self) -> bool {
        let own = [
            "org.junit.runners.model.TestTimedOutException",
            "org.testng.internal.thread.ThreadTimeoutException",
        ];
        own.contains(&self.kind.as_str())
            || (self.kind == "java.util.concurrent.TimeoutException"
                && self.message.contains("timed out after"))
    }
}

/// Reads the reports in a folder, in order of their names; files that are not reports, or are behind a link, are
/// ignored.
pub fn read(out: &Root, folder: &Path) -> Vec<SurefireCase> {
    let entries = out.entries(folder).unwrap_or_default();
    let names = entries
        .into_iter()
        .filter_map(|entry| entry.0.into_string().ok());
    let is_report =
        |text: &String| text.starts_with("TEST-") && text.strip_suffix(".xml").is_some();
    let mut cases = Vec::new();
    for name in names.filter(is_report) {
        if let Ok(text) = out.read_text(folder.join(name), BYTES_MAX) {
            cases.extend(parse(&text));
        }
    }
    cases
}

fn parse(text: &str) -> Vec<SurefireCase> {
    let options = ParsingOptions {
        allow_dtd: false,
        ..ParsingOptions::default()
    };
    // Output of tests may contain characters that XML does not allow.
    let text: String = text
        .chars()
        .filter(|c| !c.is_control() || c.is_whitespace())
        .collect();
    let Ok(document) = Document::parse_with_options(&text, options) else {
        return Vec::new();
    };
    let cases = document
        .descendants()
        .filter(|descendant| descendant.has_tag_name("testcase"));
    cases.filter_map(case).collect()
}

fn case(node: Node<'_, '_>) -> Option<SurefireCase> {
    let name = node.attribute("name")?;
    let method = name.split(['(', '[', '{', ' ']).next().unwrap_or(name);
    let child = |names: &[&str]| {
        node.children()
            .find(|child| names.contains(&child.tag_name().name()))
    };
    let end = if let Some(thrown) = child(&["failure", "error"]) {
        let attribute = |name| thrown.attribute(name).unwrap_or_default().to_owned();
        TestEnd::Thrown(ThrownException {
            kind: attribute("type"),
            message: attribute("message"),
            trace: thrown.text().unwrap_or_default().trim().to_owned(),
        })
    } else if let Some(skipped) = child(&["skipped"]) {
        TestEnd::Skipped {
            message: skipped.attribute("message").unwrap_or_default().to_owned(),
        }
    } else {
        TestEnd::Passed
    };
    let seconds = node.attribute("time").map(|text| text.replace(',', ""));
    let seconds: f64 = seconds
        .and_then(|second| second.parse().ok())
        .unwrap_or(0.0);
    Some(SurefireCase {
        class: node.attribute("classname").unwrap_or_default().to_owned(),
        method: method.to_owned(),
        elapsed: Duration::try_from_secs_f64(seconds).unwrap_or_default(),
        end,
    })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn each_end_of_a_test_is_read() {
        let cases = parse(
            r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="p.T" time="1,002.5">
  <properties><property name="a" value="b"/></properties>
  <testcase name="passes" classname="p.T" time="1,000.5"/>
  <testcase name="takes(int, String)[1]" classname="p.T$Inner" time="0"><system-out><![CDATA[x]]></system-out></testcase>
  <testcase name="fails" classname="p.T" time="0.01"><failure message="a &lt; b" type="E"><![CDATA[E: a < b
	at p.T.fails(T.java:7)
]]></failure></testcase>
  <testcase name="hangs" classname="p.T" time="10"><error message="test timed out after 10000 milliseconds" type="org.junit.runners.model.TestTimedOutException">x</error></testcase>
  <testcase name="waits{int}" classname="p.T" time="0"><skipped message="later"/></testcase>
</testsuite>"#,
        );
        let shown: Vec<String> = cases
            .iter()
            .map(|case| {
                format!(
                    "{} {} {:?} {:?}",
                    case.class, case.method, case.elapsed, case.end
                )
            })
            .collect();
        expect![[r#"
            p.T passes 1000.5s Passed
            p.T$Inner takes 0ns Passed
            p.T fails 10ms Thrown(ThrownException { kind: "E", message: "a < b", trace: "E: a < b\n\tat p.T.fails(T.java:7)" })
            p.T hangs 10s Thrown(ThrownException { kind: "org.junit.runners.model.TestTimedOutException", message: "test timed out after 10000 milliseconds", trace: "x" })
            p.T waits 0ns Skipped { message: "later" }"#]]
        .assert_eq(&shown.join("\n"));
        let is_timeout =
            |case: &SurefireCase| matches!(&case.end, TestEnd::Thrown(error) if error.is_timeout());
        assert_eq!(cases.iter().filter(|case| is_timeout(case)).count(), 1);
    }

    #[test]
    fn what_is_no_report_says_nothing() {
        assert!(parse("half <testsuite").is_empty());
        assert!(parse("<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>").is_empty());
    }
}
