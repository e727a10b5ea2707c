//! Test files in, what became of them out: `execute --cases`.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// A test file that is to be run.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct WireCase {
    pub id: String,
    /// Relative to the project.
    pub path: String,
    pub code: String,
    /// The line of the input, from 1.
    #[serde(skip)]
    pub line: usize,
}

/// The result of one case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WireCaseRan {
    pub id: String,
    pub outcome: &'static str,
    pub reason: Option<String>,
    pub message: Option<String>,
    pub items: Vec<WireItem>,
    pub seconds: f64,
    /// Lines of the project that ran, as ranges, by file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<BTreeMap<String, String>>,
    /// Lines that ran in some of the repeats only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unstable: Option<BTreeMap<String, String>>,
    /// `fork` or `fresh`
    pub engine: &'static str,
    /// `bwrap` or `none`
    pub sandbox: String,
}

/// One test of a file, with its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WireItem {
    pub id: String,
    pub outcome: String,
}

/// A line that is no case, counted from 1, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadCase {
    pub line: usize,
    pub why: String,
}

/// Reads cases, a JSON object a line; empty lines are none.
#[must_use]
pub fn read_cases(bytes: &[u8]) -> (Vec<WireCase>, Vec<BadCase>) {
    let (mut cases, mut bad) = (Vec::new(), Vec::new());
    let mut ids = BTreeSet::new();
    for (idx, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let why = match serde_json::from_slice::<WireCase>(line) {
            Ok(case) if !is_inside(&case.path) => {
                format!(
                    "`{}` is not the path of a Python file in the project",
                    case.path
                )
            }
            Ok(case) if !ids.insert(case.id.clone()) => format!("the id `{}` is taken", case.id),
            Ok(case) => {
                let line = idx + 1;
                cases.push(WireCase { line, ..case });
                continue;
            }
            Err(error) => format!("not a case: {error}"),
        };
        bad.push(BadCase { line: idx + 1, why });
    }
    (cases, bad)
}

fn is_inside(path: &str) -> bool {
    let is_name = |name: &str| !matches!(name, "" | "." | "..") && !name.contains(['\0', '\\']);
    let has_suffix = path.strip_suffix(".py").is_some();
    has_suffix && path.split('/').all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_case_is_named_with_its_line() {
        let text = b"{\"id\":\"a\",\"path\":\"tests/x.py\",\"code\":\"\"}\n\nnothing\n\
            {\"id\":\"a\",\"path\":\"tests/y.py\",\"code\":\"\"}\n\
            {\"id\":\"b\",\"path\":\"../y.py\",\"code\":\"\"}\n\
            {\"id\":\"b\",\"path\":\"/tmp/y.py\",\"code\":\"\"}\n\
            {\"id\":\"b\",\"path\":\"tests/y.txt\",\"code\":\"\"}\n";
        let (cases, bad) = read_cases(text);
        assert_eq!(cases.iter().map(|case| case.line).collect::<Vec<_>>(), [1]);
        let lines: Vec<usize> = bad.iter().map(|bad_case| bad_case.line).collect();
        assert_eq!(lines, [3, 4, 5, 6, 7]);
    }
}
