//! The texts of a sample's panes, and the words for the reason of a decision.

use std::sync::Arc;

use unicode_width::UnicodeWidthStr;

use crate::browse;
use crate::mine::language_of;
use crate::model::{CandidateRow, Flag, Language, SampleDetail, Snippet, Stage, Status};
use crate::paint;
use crate::text::{Doc, visible};
use crate::theme::Role;
use crate::widget::frame::{cut, cut_class};

/// The four texts of a sample.
#[derive(Clone, Debug, Default)]
pub struct Docs {
    pub test: Arc<Doc>,
    pub focal: Arc<Doc>,
    pub setup_context: Arc<Doc>,
    pub focal_context: Arc<Doc>,
}

impl Docs {
    #[must_use]
    pub fn of(detail: &SampleDetail) -> Self {
        Self {
            test: Arc::new(test(detail)),
            focal: Arc::new(focal(detail)),
            setup_context: Arc::new(setup_context(detail)),
            focal_context: Arc::new(sections(
                &[("", &detail.focal_context)],
                "calls nothing in these files",
            )),
        }
    }

    /// Makes the texts for an annotator who must not know the focal method. Contexts would reveal it, so only fixtures
    /// are shown.
    #[must_use]
    pub fn blind(detail: &SampleDetail) -> Self {
        let mut setup_context = Doc::default();
        push_section(&mut setup_context, FIXTURES, &detail.fixtures);
        setup_context.push_note(Role::Dim, " methods called by the setup are hidden");
        Self {
            test: Arc::new(test(detail)),
            focal: Arc::new(hidden()),
            setup_context: Arc::new(setup_context),
            focal_context: Arc::new(hidden()),
        }
    }

    /// Iterates over the painter's jobs for all four texts.
    pub fn jobs(&self) -> impl Iterator<Item = paint::PaintJob> {
        let docs = [
            &self.test,
            &self.focal,
            &self.setup_context,
            &self.focal_context,
        ];
        docs.into_iter().flat_map(|doc| doc.jobs())
    }
}

impl Doc {
    /// Iterates over the painter's jobs for the snippets of the text.
    pub fn jobs(&self) -> impl Iterator<Item = paint::PaintJob> {
        self.blocks.iter().map(|block| paint::PaintJob {
            id: block.id,
            language: language_of(&block.path),
            text: block.text.clone(),
        })
    }
}

/// Makes the text of a candidate that was not picked.
pub fn candidate(candidate: &CandidateRow) -> Doc {
    let mut doc = Doc::default();
    if let Some(snippet) = &candidate.source {
        doc.push_snippet(snippet);
    } else {
        let place = format!(" {}:{}", candidate.path, candidate.line);
        doc.push_note(Role::Dim, &place);
        doc.push_note(Role::Dim, " its source is not in the index");
    }
    doc
}

/// Makes the text that stands for one a blind annotator must not see.
#[must_use]
pub fn hidden() -> Doc {
    let mut doc = Doc::default();
    doc.push_note(Role::Dim, " hidden");
    doc
}

fn test(detail: &SampleDetail) -> Doc {
    let mut doc = Doc::default();
    doc.push_snippet(&detail.test);
    for (idx, helper) in detail.helpers.iter().enumerate() {
        let title = if idx == 0 {
            "called by the test · "
        } else {
            ""
        };
        doc.push_note(Role::Dim, "");
        doc.push_note(Role::Dim, &format!(" {title}{}", place(helper)));
        doc.push_snippet(helper);
    }
    doc
}

fn focal(detail: &SampleDetail) -> Doc {
    let mut doc = Doc::default();
    if let Some(snippet) = &detail.focal {
        doc.push_snippet(snippet);
    } else {
        doc.push_note(Role::Strong, " No focal method.");
        doc.push_note(Role::Dim, &format!(" {}", explain(detail.row.status)));
    }
    if let Some(snippet) = &detail.implementation {
        doc.push_note(Role::Dim, "");
        doc.push_note(
            Role::Dim,
            &format!(" the only implementation · {}", place(snippet)),
        );
        doc.push_snippet(snippet);
    }
    doc
}

const FIXTURES: &str = "runs before the test";

fn setup_context(detail: &SampleDetail) -> Doc {
    sections(
        &[
            (FIXTURES, &detail.fixtures),
            ("called in the setup", &detail.setup_context),
        ],
        "no fixtures, and the setup calls nothing in these files",
    )
}

/// Makes a text of snippets, each under its file's name.
fn sections(parts: &[(&str, &Vec<Snippet>)], nothing: &str) -> Doc {
    let mut doc = Doc::default();
    for (title, snippets) in parts {
        push_section(&mut doc, title, snippets);
    }
    if doc.lines.is_empty() {
        doc.push_note(Role::Dim, &format!(" {nothing}"));
    }
    doc
}

fn push_section(doc: &mut Doc, title: &str, snippets: &[Snippet]) {
    for (idx, snippet) in snippets.iter().enumerate() {
        if !doc.lines.is_empty() {
            doc.push_note(Role::Dim, "");
        }
        let place = place(snippet);
        let note = if idx == 0 && !title.is_empty() {
            format!(" {title} · {place}")
        } else {
            format!(" {place}")
        };
        doc.push_note(Role::Dim, &note);
        doc.push_snippet(snippet);
    }
}

/// Writes file name and line: `Counter.java:12`.
fn place(snippet: &Snippet) -> String {
    format!("{}:{}", file_name(&snippet.path), snippet.name_line)
}

/// Returns the last part of a path.
#[must_use]
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Shortens `p.Counter#inc(int)` to `Counter.inc(int)`: simple names only.
#[must_use]
pub fn short_key(key: &str) -> String {
    visible(&browse::short_key(key))
}

/// Returns the name of a method for the screen: its short key, with its package's name.
#[must_use]
pub fn short_name(snippet: &Snippet) -> String {
    visible(&browse::short_key_in(
        &snippet.key,
        snippet.package.as_deref(),
    ))
}

/// Returns the name of a test for the screen. In JavaScript it is a title, which takes no parentheses.
#[must_use]
pub fn test_name(detail: &SampleDetail) -> String {
    match detail.repo.language {
        Language::JavaScript => visible(&browse::short_title(&detail.test.key)),
        _ => short_name(&detail.test),
    }
}

/// Returns the name of a candidate for the screen.
#[must_use]
pub fn candidate_name(candidate: &CandidateRow) -> String {
    let source = candidate.source.as_ref();
    source.map_or_else(|| short_key(&candidate.key), short_name)
}

/// Fits a candidate's name into at most `width` columns.
#[must_use]
pub fn candidate_name_in(candidate: &CandidateRow, width: usize) -> String {
    shortened(candidate_name(candidate), width)
}

/// Fits a short name into at most `width` columns: the parameters give way first, then the class.
fn shortened(short: String, width: usize) -> String {
    if short.width() <= width {
        return short;
    }
    let name = short.split('(').next().unwrap_or(&short);
    // A method without parameters keeps its `()`.
    let parameters = if short.ends_with("()") { "()" } else { "(…)" };
    match name.split_once('.') {
        Some((class, method)) => cut_class(class, &format!("{method}{parameters}"), width),
        None => cut(&format!("{name}{parameters}"), width),
    }
}

/// Fits the short key of one of several overloads into at most `width` columns: the class gives way first, for the
/// parameters are what tells it from the others.
#[must_use]
pub fn overload_key_in(key: &str, width: usize) -> String {
    let short = short_key(key);
    if short.width() <= width {
        return short;
    }
    let (head, _) = short.split_once('(').unwrap_or((&short, ""));
    let method = head
        .rfind('.')
        .map_or(short.as_str(), |at| &short[at + 1..]);
    cut(method, width)
}

/// Explains the status of a test in a sentence.
#[must_use]
pub const fn explain(status: Status) -> &'static str {
    match status {
        Status::Ok => "A sample: focal method, setup and assertion part are there.",
        Status::NoAssertionPart => "Nothing follows the last call of the focal method.",
        Status::Below => "No candidate's name is close enough to the test's name or its class's.",
        Status::Tie => {
            "Several candidates share the best score, and the class's name does not decide between them."
        }
        Status::NoCandidate => "The test calls no method of the project's main code.",
        Status::NoSource => "The chosen method is generated, so it has no source.",
        Status::Abstained => "No candidate is probable enough.",
    }
}

/// Writes the status in a word or two, for tables.
#[must_use]
pub const fn status_word(status: Status) -> &'static str {
    match status {
        Status::Ok => "ok",
        Status::NoAssertionPart => "no assert",
        Status::Below => "below",
        Status::Tie => "tie",
        Status::NoCandidate => "no cand.",
        Status::NoSource => "no source",
        Status::Abstained => "abstained",
    }
}

#[must_use]
pub const fn status_glyph(status: Status) -> &'static str {
    match status {
        Status::Ok => "✓",
        Status::NoAssertionPart => "◦",
        Status::Below => "<",
        Status::Tie => "=",
        Status::NoCandidate => "–",
        Status::NoSource => "∅",
        Status::Abstained => "?",
    }
}

#[must_use]
pub const fn status_role(status: Status) -> Role {
    match status {
        Status::Ok => Role::Good,
        _ => Role::Warning,
    }
}

/// Describes the stage that decided: `by the test's name`.
#[must_use]
pub const fn stage_words(stage: Stage) -> &'static str {
    match stage {
        Stage::TestName => "by the test's name",
        Stage::ClassName => "by the test class's name",
        Stage::Evidence => "by the weight of evidence",
        Stage::Name => "by the same name",
        Stage::UniqueCall => "by the only call",
        Stage::LastCall => "by the last call",
    }
}

/// Explains a flag.
#[must_use]
pub const fn flag_words(flag: Flag) -> &'static str {
    match flag {
        Flag::SeveralFocalCalls => "called several times",
        Flag::SeveralDeclarations => "overloaded among the calls",
        Flag::NoBody => "declared without a body",
        Flag::FocalInAssertion => "also called in the assertion part",
        Flag::EmptySetup => "empty setup",
        Flag::NoAssertionCall => "no assertion call after the cut",
        Flag::AssertionInSetup => "asserts before the last focal call",
        Flag::ExcessiveContext => "too much context",
        Flag::FocalInLambda => "called in a lambda",
        Flag::SeveralFocalMethods => "several focal methods",
        Flag::Parametrised => "one test, several rows",
        Flag::Skipped => "skipped for good",
        Flag::Generated => "in a generated file",
        Flag::ByName => "found by its name alone",
        Flag::Wrapped => "wrapped where it is declared",
        Flag::Computed => "declared under a computed name",
        Flag::CutNested => "cut inside a statement",
        Flag::NotCalled => "not called by the test",
    }
}

/// Lists everything about a sample that is not code, label by label.
#[must_use]
pub fn facts(detail: &SampleDetail) -> Vec<(String, String)> {
    let row = &detail.row;
    let mut facts: Vec<(&str, String)> = vec![("status", row.status.as_str().replace('_', " "))];
    if let Some(stage) = row.stage {
        let weight = row.weight.unwrap_or_default();
        facts.push((
            "decided",
            format!(
                "{} · {weight:.2} · {}",
                stage_words(stage),
                detail.matcher.as_str()
            ),
        ));
    } else {
        facts.push(("decided", format!("not · {}", detail.matcher.as_str())));
    }
    facts.extend(
        row.flags
            .iter()
            .map(|flag| ("flag", flag_words(flag).to_owned())),
    );
    if let Some(stability) = &detail.stability {
        facts.push(("unstable", stability.label()));
    }
    if let Some(key) = &detail.duplicate_of {
        facts.push(("duplicate", format!("of {key}")));
    }
    facts.push((
        "test",
        format!("{}:{}", detail.test.path, detail.test.name_line),
    ));
    if let Some(focal) = &detail.focal {
        facts.push(("focal", format!("{}:{}", focal.path, focal.name_line)));
    }
    facts.push(("kind", format!("{} · {}", detail.framework, detail.kind)));
    let repo = &detail.repo;
    let commit = repo
        .commit
        .as_deref()
        .map(|commit| commit.get(..10).unwrap_or(commit));
    let dirty = if repo.dirty == Some(true) {
        " + changes"
    } else {
        ""
    };
    let commit = commit.map_or_else(String::new, |commit| format!(" @ {commit}{dirty}"));
    facts.push(("repo", format!("{}{commit}", repo.name)));
    facts.push((
        "license",
        repo.license
            .clone()
            .unwrap_or_else(|| "none found".to_owned()),
    ));
    let splits = [
        ("random", detail.split_random),
        ("project", detail.split_project),
    ];
    let splits: Vec<String> = splits
        .iter()
        .filter_map(|(name, split)| split.map(|split| format!("{} ({name})", split.as_str())))
        .collect();
    if !splits.is_empty() {
        facts.push(("split", splits.join(" · ")));
    }
    facts.push(("tokens", detail.n_tokens.to_string()));
    facts.push(("key", row.key.to_string()));
    let facts = facts.into_iter();
    facts
        .map(|(label, value)| (label.to_owned(), visible(&value)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(key: &str, expected: &str) {
        assert_eq!(short_key(key), expected);
    }

    #[test]
    fn parameters_give_way_first() {
        let check = |width: usize, expected: &str| {
            let short = short_key("p.Counter#add(int,int)");
            assert_eq!(shortened(short, width), expected);
        };
        check(30, "Counter.add(int, int)");
        check(16, "Counter.add(…)");
        check(12, "Coun….add(…)");
        let none = shortened(short_key("p.Counter#reset()"), 13);
        assert_eq!(none, "Coun….reset()");
    }

    #[test]
    fn an_overload_is_told_by_its_parameters() {
        let key = "p.Counter#add(int,java.util.List)";
        assert_eq!(overload_key_in(key, 30), "Counter.add(int, List)");
        assert_eq!(overload_key_in(key, 18), "add(int, List)");
        assert_eq!(overload_key_in(key, 10), "add(int, …");
    }

    #[test]
    fn a_method_key_is_short_on_the_screen() {
        check(
            "p.q.Counter#inc(int,java.lang.String)",
            "Counter.inc(int, String)",
        );
        check("p.Counter#reset()", "Counter.reset()");
        check("p.Outer.Inner#<init>(int)", "Inner(int)");
        check("p.Foo#Foo()", "Foo()");
        check("odd", "odd()");
    }
}
