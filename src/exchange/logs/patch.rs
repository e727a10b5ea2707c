//! The tests that a patch adds: what a model that was asked for a change of a repository says about one test.
//!
//! Decides which files of a patch hold tests and which lines are a test. It reads lines, and no language: a test is
//! found by the line that begins it, and ends where its indent or its braces do.

/// Returns the tests that a unified diff adds, in order, each without its indent.
pub(super) fn tests_of(patch: &str) -> Vec<String> {
    let mut tests = Vec::new();
    let mut is_test_file = false;
    let mut added: Vec<&str> = Vec::new();
    // A line after the last, so that the last added lines are looked at, too.
    for line in patch.lines().chain(["@@"]) {
        let is_header = line.starts_with("+++ ");
        if let Some(line) = line.strip_prefix('+').filter(|_| !is_header) {
            added.push(line);
        } else {
            if is_test_file {
                find(&added, &mut tests);
            }
            added.clear();
        }
        if is_header {
            is_test_file = is_of_tests(line[4..].split('\t').next().unwrap_or_default());
        }
    }
    tests
}

/// Tells whether a file holds tests, by its path.
fn is_of_tests(path: &str) -> bool {
    path.rsplit('/').any(|part| {
        let part = part.to_ascii_lowercase();
        part.contains("test") || part.contains(".spec.") || part == "spec"
    })
}

/// Finds the tests in lines that are added together.
fn find(lines: &[&str], tests: &mut Vec<String>) {
    let mut at = 0;
    while at < lines.len() {
        let Some(end) = end_of_test(lines, at) else {
            at += 1;
            continue;
        };
        let begin = first_mark(lines, at);
        tests.push(without_indent(&lines[begin..end]));
        at = end;
    }
}

/// Returns where annotations, attributes and decorators of the line begin.
fn first_mark(lines: &[&str], at: usize) -> usize {
    let is_mark = |line: &&&str| line.trim_start().starts_with(['@', '[']);
    at - lines[..at].iter().rev().take_while(is_mark).count()
}

/// Returns the line behind the test that begins at a line; nothing where none does.
fn end_of_test(lines: &[&str], at: usize) -> Option<usize> {
    let line = lines[at].trim_start();
    let definition = line.strip_prefix("async ").unwrap_or(line);
    if definition.starts_with("def test") {
        return Some(end_of_indent(lines, at));
    }
    let is_call = ["it(", "test(", "it.each", "test.each"];
    let is_marked = || {
        let marks = &lines[first_mark(lines, at)..at];
        marks.iter().any(|mark| is_test_mark(mark.trim_start()))
    };
    let is_test = line.starts_with("func Test")
        || is_call.iter().any(|text| line.starts_with(text))
        || (line.contains('(') && !line.starts_with(['@', '[']) && is_marked());
    is_test.then(|| end_of_braces(lines, at)).flatten()
}

/// Tells whether an annotation says that a test follows.
fn is_test_mark(line: &str) -> bool {
    let marks = [
        "@Test",
        "@ParameterizedTest",
        "@RepeatedTest",
        "[Test",
        "[Fact",
        "[Theory",
    ];
    marks.iter().any(|mark| line.starts_with(mark))
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns the end of the lines that are deeper than the first, without empty ones at their end.
fn end_of_indent(lines: &[&str], at: usize) -> usize {
    let deep = indent(lines[at]);
    let mut end = at + 1;
    let mut is_open = !lines[at].trim_end().ends_with(':');
    for (idx, line) in lines.iter().enumerate().skip(at + 1) {
        let is_empty = line.trim().is_empty();
        let is_closing = is_open && line.trim_start().starts_with(')');
        if !is_empty && indent(line) <= deep && !is_closing {
            break;
        }
        is_open &= !line.trim_end().ends_with(':');
        if !is_empty {
            end = idx + 1;
        }
    }
    end
}

/// Finds the place where as many braces are closed as were opened, outside of quotes; nothing where they are not.
fn end_of_braces(lines: &[&str], at: usize) -> Option<usize> {
    let mut depth = 0_u32;
    for (idx, line) in lines.iter().enumerate().skip(at) {
        let mut quote = None;
        let mut signs = line.chars();
        while let Some(sign) = signs.next() {
            match (quote, sign) {
                (Some(_), '\\') => {
                    signs.next();
                }
                (Some(open), sign) if open == sign => quote = None,
                (None, '"' | '\'' | '`') => quote = Some(sign),
                (None, '{') => depth += 1,
                (None, '}') => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(idx + 1);
                    }
                }
                _ => {}
            }
        }
    }
    None
}

fn without_indent(lines: &[&str]) -> String {
    let deep = lines.iter().filter(|line| !line.trim().is_empty());
    let deep = deep.map(|deep| indent(deep)).min().unwrap_or(0);
    let lines = lines
        .iter()
        .map(|line| line.get(deep..).unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(patch: &str, expected: &[&str]) {
        assert_eq!(tests_of(patch), expected, "{patch}");
    }

    #[test]
    fn tests_of_python_end_with_their_indent() {
        check(
            "--- a/tests/test_a.py\n+++ b/tests/test_a.py\n@@ -1,2 +1,9 @@\n import a\n+class TestA:\n+    \
             @mark.slow\n+    def test_one(\n+        self,\n+    ):\n+        assert a() == 1\n+\n+    def test_two(self):\n\
             +        assert b()\n+\n+X = 1\n",
            &[
                "@mark.slow\ndef test_one(\n    self,\n):\n    assert a() == 1",
                "def test_two(self):\n    assert b()",
            ],
        );
    }

    #[test]
    fn tests_in_braces_end_with_them() {
        check(
            "+++ b/src/test/java/ATest.java\n@@ -3,0 +4,5 @@\n+  @Test\n+  void one() {\n+    eq(\"}\", a());\n+  }\n\
             +  void no() {}\n+++ b/a_test.go\n@@ -1 +1,2 @@\n+func TestA(t *testing.T) {\n+\tif a() {}\n+}\n\
             +++ b/a.spec.ts\n@@ -1 +1 @@\n+  it('a', () => { b(); });\n",
            &[
                "@Test\nvoid one() {\n  eq(\"}\", a());\n}",
                "func TestA(t *testing.T) {\n\tif a() {}\n}",
                "it('a', () => { b(); });",
            ],
        );
    }

    #[test]
    fn what_is_no_test_file_or_not_added_or_not_whole_is_none() {
        check(
            "+++ b/src/a.py\n@@ -1 +1 @@\n+def test_a():\n+    pass\n",
            &[],
        );
        check(
            "+++ b/tests/test_a.py\n@@ -1 +1 @@\n-def test_a():\n-    pass\n",
            &[],
        );
        check("+++ b/a_test.go\n@@ -1 +1 @@\n+func TestA() {\n", &[]);
        check("no patch", &[]);
        check("", &[]);
    }
}
