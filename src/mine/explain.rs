//! The verb `explain`: one test through every stage, or one call through its resolution, each with its reasons. This
//! file decides nothing itself.

use std::path::Path;

use super::analysis::{self, Analysis};
use super::{Error, MiningOptions};
use crate::focal::assertion::AssertionClassifier;
use crate::focal::{Analyst, names::Tokens};
use crate::lang::ResolutionStep;
use crate::model::{
    Call, Language, MatcherDecision, Method, MethodId, Problem, Resolution, TestCase,
};
use crate::syntax::dialect;
use crate::task::Monitor;

/// The number of similar names that a failed look-up offers: few, so that the message stays short.
const N_SIMILAR: usize = 5;

/// One call as a person sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedCall {
    pub line: u32,
    pub column: u32,
    pub source: String,
    /// `declared p.C#m()`, `outside org.junit.Assert`, `unknown (receiver_type)` …
    pub resolution: String,
    pub is_candidate: bool,
    pub is_focal: bool,
    pub is_assertion: bool,
}

/// Everything about one test, with texts in place of indices.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    pub language: Language,
    pub test_key: String,
    pub file: String,
    pub line: u32,
    pub framework: String,
    pub kind: String,
    pub name_tokens: Vec<String>,
    pub class_tokens: Vec<String>,
    pub fixtures: Vec<String>,
    pub calls: Vec<ExplainedCall>,
    /// The keys of the candidates, in their order.
    pub candidate_keys: Vec<String>,
    pub decided: MatcherDecision,
    pub focal: Option<String>,
    pub setup: Option<String>,
    pub assertion: Option<String>,
    pub setup_context: Vec<String>,
    pub focal_context: Vec<String>,
    pub implementation: Option<String>,
}

/// Explains every test that `test` names: `CounterTest#testInc`, with or without package and parameters. Also returns
/// the parts of the class path that could not be used.
///
/// # Errors
/// A folder or a jar that cannot be read, cancelling, and [`Error::NoSuchTest`] with similar names.
pub fn explain(
    root: &Path,
    test: &str,
    options: &MiningOptions,
    monitor: &Monitor,
) -> Result<(Vec<Explanation>, Vec<Problem>), Error> {
    let (analyses, loaded) = analysis::read(root, options.languages, &options.classpath, monitor)?;
    let mut explained = Vec::new();
    for (analysis, found) in named(root, test, &analyses)? {
        explained.extend(explain_in(analysis, &found, options));
    }
    Ok((explained, loaded.problems()))
}

fn explain_in(
    analysis: &Analysis,
    found: &[MethodId],
    options: &MiningOptions,
) -> Vec<Explanation> {
    let project = &analysis.project;
    let methods = &project.methods;
    let mut analyst = Analyst::new(project, &analysis.paths, &analysis.texts, options.focal);
    let is_beside = |method_id: &&MethodId| {
        found
            .iter()
            .any(|found| methods[found.0 as usize].class == methods[method_id.0 as usize].class)
    };
    let tests = project.tests.iter().filter(is_beside);
    let beside: Vec<TestCase> = tests.map(|test| project.index.test_case(*test)).collect();
    analyst.count(beside.iter());
    found
        .iter()
        .flat_map(|method_id| {
            let test_case = project.index.test_case(*method_id);
            let explain = |matcher| {
                let decided = analyst.decide(&test_case, matcher);
                Explainer {
                    language: project.language,
                    asserting: AssertionClassifier {
                        dialect: dialect(project.language),
                        methods,
                    },
                    paths: &analysis.paths,
                    texts: &analysis.texts,
                }
                .explain(&test_case, decided)
            };
            options
                .matchers
                .iter()
                .copied()
                .map(explain)
                .collect::<Vec<_>>()
        })
        .collect()
}

/// The place of a call: its line and, where that is not enough, a column of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallPlace {
    pub line: u32,
    pub column: Option<u32>,
}

impl CallPlace {
    fn holds(self, call: &Call) -> bool {
        let n_columns = call.name_span.end - call.name_span.start;
        let is_column = |column| (call.at.column..call.at.column + n_columns).contains(&column);
        call.at.line == self.line && self.column.is_none_or(is_column)
    }
}

/// The steps in which one call was resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedSteps {
    pub test_key: String,
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub name: String,
    /// The call's first line.
    pub source: String,
    pub steps: Vec<ResolutionStep>,
}

/// Explains how the calls at `place` were resolved, in the tests below `root` that `test` names. Also returns the parts
/// of the class path that could not be used.
///
/// # Errors
/// As [`explain`], and [`Error::NoSuchCall`] with the calls that there are.
pub fn explain_call(
    (root, test): (&Path, &str),
    place: CallPlace,
    options: &MiningOptions,
    monitor: &Monitor,
) -> Result<(Vec<ExplainedSteps>, Vec<Problem>), Error> {
    let (analyses, loaded) = analysis::read(root, options.languages, &options.classpath, monitor)?;
    let mut explained = Vec::new();
    let mut others = Vec::new();
    let found = named(root, test, &analyses)?;
    let found = found
        .iter()
        .flat_map(|(analysis, tests)| tests.iter().map(move |test| (*analysis, *test)));
    for (analysis, method_id) in found {
        let project = &analysis.project;
        let method = project.method(method_id);
        let file = method.file.0 as usize;
        for (idx, call) in project.index.calls(method_id).iter().enumerate() {
            if place.holds(call) {
                explained.push(ExplainedSteps {
                    test_key: method.key(),
                    file: analysis.paths[file].clone(),
                    line: call.at.line,
                    column: call.at.column,
                    name: call.name.clone(),
                    source: first_line(call.span.of(&analysis.texts[file])),
                    steps: project.index.trace(method_id, idx as u32),
                });
            } else {
                others.push((call.at.line, call.at.column, call.name.clone()));
            }
        }
    }
    if explained.is_empty() {
        others.sort_by_key(|(line, column, _)| (line.abs_diff(place.line), *line, *column));
        others.truncate(N_SIMILAR);
        let near = others.into_iter();
        return Err(Error::NoSuchCall {
            line: place.line,
            test: test.to_owned(),
            near: near
                .map(|(line, column, name)| format!("{line}:{column} {name}"))
                .collect(),
        });
    }
    Ok((explained, loaded.problems()))
}

/// Finds the tests that `test` names, by language; an error with similar names when there is none.
fn named<'a>(
    root: &Path,
    test: &str,
    analyses: &'a [Analysis],
) -> Result<Vec<(&'a Analysis, Vec<MethodId>)>, Error> {
    let found = analyses.iter().map(|analysis| {
        let project = &analysis.project;
        let is_asked = |method_id: &MethodId| is_named(project.method(*method_id), test);
        let tests = project.tests.iter().copied().filter(is_asked);
        (analysis, tests.collect::<Vec<_>>())
    });
    let found: Vec<_> = found.filter(|(_, tests)| !tests.is_empty()).collect();
    if found.is_empty() {
        return Err(Error::NoSuchTest {
            root: root.to_path_buf(),
            test: test.to_owned(),
            similar: similar(test, analyses),
        });
    }
    Ok(found)
}

fn is_named(method: &Method, test: &str) -> bool {
    // In some languages names are titles, which may contain anything.
    let means = |candidate: &str| {
        candidate == test
            || candidate
                .strip_suffix(test)
                .is_some_and(|before| before.ends_with(['.', '/', ' ']))
    };
    means(&method.key())
        || means(&format!("{}#{}", method.class, method.name))
        || (!test.contains('#') && method.name == test)
}

/// Finds the keys of tests that share most tokens with the request.
fn similar(test: &str, analyses: &[Analysis]) -> Vec<String> {
    let wanted = Tokens::of(test);
    let projects = analyses.iter().map(|analysis| &analysis.project);
    let tests = projects.flat_map(|project| project.tests.iter().map(|test| project.method(*test)));
    let mut scored: Vec<(f64, String)> = tests
        .map(|method| {
            let name = format!("{}#{}", method.simple_class(), method.name);
            (wanted.similarity(&Tokens::of(&name)), name)
        })
        .filter(|(score, _)| *score > 0.0)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    scored
        .into_iter()
        .take(N_SIMILAR)
        .map(|scored| scored.1)
        .collect()
}

struct Explainer<'p> {
    language: Language,
    asserting: AssertionClassifier<'p>,
    paths: &'p [String],
    texts: &'p [String],
}

impl Explainer<'_> {
    fn explain(&self, test_case: &TestCase, decided: MatcherDecision) -> Explanation {
        let test = &self.asserting.methods[test_case.method.0 as usize];
        let text = &self.texts[test.file.0 as usize];
        let keys = |methods: &[MethodId]| methods.iter().map(|method| self.key(*method)).collect();
        let part = |span: Option<crate::model::Span>| span.map(|span| span.of(text).to_owned());
        let cut = decided.cut.as_ref();
        Explanation {
            language: self.language,
            test_key: test.key(),
            file: self.paths[test.file.0 as usize].clone(),
            line: test.name_line,
            framework: test_case.framework.as_str().to_owned(),
            kind: test_case.kind.as_str().to_owned(),
            name_tokens: tokens(&test.name),
            class_tokens: tokens(&test_case.group),
            fixtures: keys(&test_case.fixtures),
            calls: self.calls(test_case, &decided, text),
            candidate_keys: decided
                .focal_match
                .candidates
                .iter()
                .map(|candidate| self.key(candidate.method))
                .collect(),
            focal: decided.focal().map(|method_id| self.key(method_id)),
            setup: part(cut.and_then(|cut| cut.setup)),
            assertion: part(cut.and_then(|cut| cut.assertion)),
            setup_context: keys(&decided.setup_context),
            focal_context: keys(&decided.focal_context),
            implementation: decided.implementation.map(|method_id| self.key(method_id)),
            decided,
        }
    }

    fn calls(
        &self,
        test_case: &TestCase,
        decided: &MatcherDecision,
        text: &str,
    ) -> Vec<ExplainedCall> {
        let is_in = |list: &[u32], idx: usize| list.contains(&(idx as u32));
        let cut = decided.cut.as_ref();
        test_case
            .calls
            .iter()
            .enumerate()
            .map(|(idx, call)| ExplainedCall {
                line: call.at.line,
                column: call.at.column,
                source: first_line(call.span.of(text)),
                resolution: self.resolution(call),
                is_candidate: decided
                    .focal_match
                    .candidates
                    .iter()
                    .any(|candidate| is_in(&candidate.calls, idx)),
                is_focal: cut.is_some_and(|cut| is_in(&cut.focal_calls, idx)),
                is_assertion: self.asserting.is_check(call),
            })
            .collect()
    }

    fn resolution(&self, call: &Call) -> String {
        match &call.resolution {
            Resolution::Declared(method) => format!("declared {}", self.key(*method)),
            Resolution::Ambiguous(methods) => {
                let keys: Vec<String> = methods.iter().map(|method| self.key(*method)).collect();
                format!("ambiguous {}", keys.join(" | "))
            }
            Resolution::Outside(Some(owner)) => format!("outside {owner}"),
            Resolution::Outside(None) => "outside".to_owned(),
            Resolution::Unknown(reason) => format!("unknown ({})", reason.as_str()),
        }
    }

    fn key(&self, method: MethodId) -> String {
        self.asserting.methods[method.0 as usize].key()
    }
}

fn tokens(name: &str) -> Vec<String> {
    Tokens::of(name).iter().map(str::to_owned).collect()
}

fn first_line(source: &str) -> String {
    let mut lines = source.lines();
    let first = lines.next().unwrap_or_default().trim_end();
    if lines.next().is_some() {
        format!("{first} …")
    } else {
        first.to_owned()
    }
}
