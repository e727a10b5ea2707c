//! A stored sample as a person sees it: snippets of whole lines, with marks where setup, assertions and calls are.

use std::path::Path;

use super::helpers;
use crate::model::{CandidateRow, Mark, MarkKind, SampleDetail, Snippet, Span};
use crate::store::{DeclaredSource, StoredCandidate, StoredCut, StoredMethod, StoredSample};

/// Turns places in files into snippets.
pub(super) fn detail(sample: StoredSample) -> SampleDetail {
    let helpers = helpers::of(&sample).into_iter();
    let helpers = helpers
        .filter_map(|helper| declared(helper.clone()))
        .collect();
    let snippets = |methods: &[StoredMethod]| methods.iter().map(snippet).collect();
    let shown = lines(sample.test.span, &sample.test.text);
    SampleDetail {
        root: sample.root.is_dir().then_some(sample.root),
        repo: (*sample.repo).clone(),
        framework: sample.framework.as_str().to_owned(),
        kind: sample.kind.as_str().to_owned(),
        matcher: sample.matcher,
        split_random: sample.split_random,
        split_project: sample.split_project,
        duplicate_of: sample.duplicate_of,
        n_tokens: sample.n_tokens,
        stability: sample.stability,
        content_hash: sample.content_hash,
        test: Snippet {
            marks: marks(&sample.test, &sample.cut),
            ..snippet(&sample.test)
        },
        focal: sample.focal.as_ref().map(snippet),
        implementation: sample.implementation.as_ref().map(snippet),
        helpers,
        fixtures: snippets(&sample.fixtures),
        setup_context: snippets(&sample.setup_context),
        focal_context: snippets(&sample.focal_context),
        candidates: (sample.candidates.into_iter())
            .map(|stored_candidate| candidate(stored_candidate, shown))
            .collect(),
        row: sample.row,
    }
}

/// Makes a candidate with its calls among the shown lines of the test's file.
fn candidate(candidate: StoredCandidate, shown: Span) -> CandidateRow {
    let method = candidate.method;
    let calls = candidate.calls.iter().filter(|call| shown.contains(**call));
    let calls = calls.map(|call| Span::new(call.start - shown.start, call.end - shown.start));
    CandidateRow {
        key: method.key(),
        source: Some(snippet(&method)).filter(|snippet| !snippet.text.is_empty()),
        name: method.name,
        path: method.path,
        line: method.name_line,
        score: candidate.score,
        class_score: candidate.class_score,
        weight: candidate.weight,
        evidence: candidate.evidence,
        calls: calls.collect(),
        n_calls: candidate.calls.len() as u32,
        is_picked: candidate.is_picked,
    }
}

fn snippet(method: &StoredMethod) -> Snippet {
    Snippet {
        key: method.key(),
        package: own_package(&method.path, &method.text),
        path: method.path.clone(),
        first_line: method.start_line,
        name_line: method.name_line,
        text: lines(method.span, &method.text).of(&method.text).to_owned(),
        marks: Vec::new(),
    }
}

/// Turns a declaration's place into a snippet; nothing where the index has no source of it.
pub(super) fn declared(source: DeclaredSource) -> Option<Snippet> {
    let text = lines(source.span, &source.text).of(&source.text);
    (!text.is_empty()).then(|| Snippet {
        first_line: source.start_line,
        name_line: source.name_line,
        text: text.to_owned(),
        marks: Vec::new(),
        package: own_package(&source.path, &source.text),
        key: source.key,
        path: source.path,
    })
}

/// Reads the name that a Go file gives its package; its path, which keys hold, is what others import it by.
fn own_package(path: &str, text: &str) -> Option<String> {
    if Path::new(path)
        .extension()
        .is_none_or(|extension| extension != "go")
    {
        return None;
    }
    let clause = text
        .lines()
        .find_map(|line| line.strip_prefix("package "))?;
    let name = clause
        .split(|clause: char| !clause.is_alphanumeric() && clause != '_')
        .next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

/// Widens a span to the whole lines that it touches, without the end of the last one.
fn lines(span: Span, text: &str) -> Span {
    let Span { start, end } = span;
    let before = Span::new(0, start).of(text);
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let after = text.get(end as usize..).unwrap_or("");
    let rest = after.find('\n').map_or(after, |at| &after[..at]);
    let rest = rest.strip_suffix('\r').unwrap_or(rest);
    Span::new(start as u32, end + rest.len() as u32)
}

/// Finds the parts and calls of the cut in the snippet; what lies outside it is left out.
fn marks(test: &StoredMethod, cut: &StoredCut) -> Vec<Mark> {
    let lines = lines(test.span, &test.text);
    let parts = [
        (cut.setup, MarkKind::Setup),
        (cut.assertion, MarkKind::Assertion),
    ];
    let parts = parts
        .into_iter()
        .filter_map(|(span, kind)| span.map(|span| (span, kind)));
    let focal = cut
        .focal_calls
        .iter()
        .map(|focal_call| (*focal_call, MarkKind::FocalCall));
    let assertions = cut
        .assertion_calls
        .iter()
        .map(|assertion_call| (*assertion_call, MarkKind::AssertionCall));
    let mut marks: Vec<Mark> = parts
        .chain(focal)
        .chain(assertions)
        .filter(|(span, _)| lines.contains(*span))
        .map(|(span, kind)| Mark {
            start: span.start - lines.start,
            end: span.end - lines.start,
            kind,
        })
        .collect();
    // Of those that begin together the outer one comes first.
    marks.sort_by_key(|mark| (mark.start, std::cmp::Reverse(mark.end), mark.kind));
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_go_file_says_what_its_package_is_called() {
        let check = |path: &str, text: &str, expected: Option<&str>| {
            assert_eq!(
                own_package(path, text).as_deref(),
                expected,
                "{path}: {text}"
            );
        };
        check(
            "mux.go",
            "// Routes.\npackage chi\n\nfunc F() {}\n",
            Some("chi"),
        );
        check("mux.go", "package chi // import \"x/chi\"\r\n", Some("chi"));
        check("mux.go", "// package none\n", None);
        check("Mux.java", "package p;\n", None);
    }
}
