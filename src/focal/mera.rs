//! The matcher `mera`: the rules by which the benchmark MERA pairs tests and methods (LANGUAGES.md L23). A test is
//! matched with exactly one method, or with none; overloads count as one.
//!
//! The record of a language names its rule; Java has the rule of [`methods2test`](super::methods2test).

use rustc_hash::{FxHashMap, FxHashSet};

use super::names;
use crate::lang::Project;
use crate::model::{
    Candidate, Decision, Evidences, FileRole, FocalMatch, Matcher, Method, MethodId, Origin, Stage,
    TestCase, UnmappedReason,
};
use crate::syntax::{Dialect, dialect};

/// Methods of main code by the beginnings of their names, and the files that tests are named after.
#[derive(Debug)]
pub struct NameBeginnings {
    dialect: &'static Dialect,
    /// By first word: of the class's name, and of the method's own name.
    by_word: FxHashMap<String, Vec<NameBeginning>>,
    /// The stems of main files, in lower case.
    stems: FxHashSet<String>,
}

/// A way to begin the name of a test about a method.
#[derive(Debug)]
struct NameBeginning {
    words: Vec<String>,
    method: MethodId,
}

impl NameBeginnings {
    /// Lists the methods of a project.
    pub fn of(paths: &[String], project: &Project) -> Self {
        let dialect = dialect(project.language);
        let mut by_word: FxHashMap<String, Vec<NameBeginning>> = FxHashMap::default();
        for (idx, method) in project.methods.iter().enumerate() {
            if !is_named(method) {
                continue;
            }
            let own = names::split(&method.name);
            let with_class = [names::split(method.simple_class()), own.clone()].concat();
            let is_longer = with_class.len() > own.len();
            for words in [Some(own), is_longer.then_some(with_class)] {
                let Some(words) = words else { continue };
                let Some(first) = words.first() else { continue };
                by_word
                    .entry(first.clone())
                    .or_default()
                    .push(NameBeginning {
                        words,
                        method: MethodId(idx as u32),
                    });
            }
        }
        let roles = project.roles.iter();
        let main = (paths.iter().zip(roles)).filter(|(_, role)| **role == FileRole::Main);
        Self {
            dialect,
            by_word,
            stems: main.map(|(path, _)| stem_of(path)).collect(),
        }
    }

    /// Finds the file that a test's file is named after, if there is one, as [`stem_of`] writes it.
    fn file_under_test(&self, path: &str) -> Option<String> {
        let stem = stem_of(path);
        let mut affixes = self.dialect.names.file_affixes.iter();
        affixes.find_map(|affix| {
            let rest = stem
                .strip_prefix(affix)
                .or_else(|| stem.strip_suffix(affix))?;
            self.stems.contains(rest).then(|| rest.to_owned())
        })
    }

    /// Finds the methods that the test's name begins with, those with the most words, one for all overloads.
    fn longest(&self, test: &Method, methods: &[Method], paths: &[String]) -> Vec<MethodId> {
        let mut words = names::split(&test.name);
        words.retain(|word| word != "test");
        let path = |method: &Method| paths[method.file.0 as usize].as_str();
        let file = self.file_under_test(path(test));
        let is_in_scope = |method: &Method| match &file {
            Some(file) => {
                stem_of(path(method)) == *file
                    && (!self.dialect.names.is_package_tested
                        || is_beside(path(method), path(test)))
            }
            None => !self.dialect.names.is_package_tested || is_beside(path(method), path(test)),
        };
        let found = words.first().and_then(|word| self.by_word.get(word));
        let found = found.into_iter().flatten();
        let mut best = 0;
        let mut longest: Vec<MethodId> = Vec::new();
        for beginning in found.filter(|name_beginning| words.starts_with(&name_beginning.words)) {
            let method = &methods[beginning.method.0 as usize];
            if beginning.words.len() < best || !is_in_scope(method) {
                continue;
            }
            if beginning.words.len() > best {
                best = beginning.words.len();
                longest.clear();
            }
            let is_overload = |other: &MethodId| {
                let other = &methods[other.0 as usize];
                other.class == method.class && other.name == method.name
            };
            if !longest.iter().any(is_overload) {
                longest.push(beginning.method);
            }
        }
        longest
    }
}

/// Decides by the beginning of the test's name; the test need not call the method.
pub fn by_beginning(
    beginnings: &NameBeginnings,
    paths: &[String],
    test_case: &TestCase,
    methods: &[Method],
) -> FocalMatch {
    let test = &methods[test_case.method.0 as usize];
    let found = beginnings.longest(test, methods, paths);
    decided(found, Stage::Name, test_case, methods)
}

/// Decides by the names of called methods whose words follow each other in the test's name.
pub fn by_words_in_a_row(test_case: &TestCase, methods: &[Method]) -> FocalMatch {
    let test = &methods[test_case.method.0 as usize];
    let words = names::split(&test.name);
    let mut found: Vec<(usize, MethodId)> = Vec::new();
    for method in called(test_case, methods) {
        let own = names::split(&methods[method.0 as usize].name);
        let is_known = |(_, other): &(usize, MethodId)| {
            let (other, own) = (&methods[other.0 as usize], &methods[method.0 as usize]);
            other.class == own.class && other.name == own.name
        };
        let stands = !own.is_empty() && words.windows(own.len()).any(|window| window == own);
        if stands && !found.iter().any(is_known) {
            found.push((own.len(), method));
        }
    }
    let most = found.iter().map(|(n, _)| *n).max();
    found.retain(|(n, _)| Some(*n) == most);
    let found = found.into_iter().map(|(_, method)| method).collect();
    decided(found, Stage::Name, test_case, methods)
}

/// Decides by the call into main code that ends last.
pub fn by_last_call(test_case: &TestCase, methods: &[Method]) -> FocalMatch {
    let calls = test_case.calls.iter();
    let main = calls.filter_map(|call| {
        let method = super::declared(&call.resolution)?;
        is_named(&methods[method.0 as usize]).then_some((call.span.end, method))
    });
    // `max_by_key` returns the last of equals: calls that end at one place end inside out, and the list is in order of
    // their names.
    let last = main.max_by_key(|(end, _)| *end);
    let found = last.map(|(_, method)| method).into_iter().collect();
    decided(found, Stage::LastCall, test_case, methods)
}

/// Iterates over the methods of main code that a test calls, each once, in order.
fn called<'t>(
    test_case: &'t TestCase,
    methods: &'t [Method],
) -> impl Iterator<Item = MethodId> + 't {
    let mut seen = Vec::new();
    test_case.calls.iter().filter_map(move |call| {
        let method = super::declared(&call.resolution)?;
        if seen.contains(&method) || !is_named(&methods[method.0 as usize]) {
            return None;
        }
        seen.push(method);
        Some(method)
    })
}

/// Tells whether a test may be named after a method: main code that is written in the sources, not a constructor.
fn is_named(method: &Method) -> bool {
    method.role == FileRole::Main && method.origin == Origin::Source && !method.is_constructor()
}

/// Matches with the only method that was found.
fn decided(
    found: Vec<MethodId>,
    stage: Stage,
    test_case: &TestCase,
    methods: &[Method],
) -> FocalMatch {
    let calls_of = |method: MethodId| {
        let calls = test_case.calls.iter().enumerate();
        let own = calls.filter(|(_, call)| super::declared(&call.resolution) == Some(method));
        own.map(|(idx, _)| idx as u32).collect()
    };
    let candidates: Vec<Candidate> = found
        .into_iter()
        .map(|method| Candidate {
            name: methods[method.0 as usize].name.clone(),
            method,
            score: 1.0,
            class_score: 1.0,
            weight: 1.0,
            evidence: Evidences::default(),
            calls: calls_of(method),
        })
        .collect();
    let decision = match candidates.len() {
        0 => Decision::None(UnmappedReason::NoCandidate),
        1 => Decision::Picked {
            candidate: 0,
            stage,
            weight: 1.0,
        },
        _ => Decision::None(UnmappedReason::Tie),
    };
    FocalMatch {
        matcher: Matcher::Mera,
        candidates,
        decision,
    }
}

/// Strips a file's name of its folders and its last extension, in lower case.
fn stem_of(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem.to_lowercase()
}

fn is_beside(a: &str, b: &str) -> bool {
    let folder = |path: &str| path.rfind('/').map_or(0, |at| at);
    a[..folder(a)] == b[..folder(b)]
}
