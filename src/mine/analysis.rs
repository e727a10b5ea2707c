//! One repository in memory: parsed, indexed, resolved, decided. The work runs on all cores; the result does not depend
//! on their number.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::classpath::{self, LoadedClassPath};
use super::sources::{self, SourceOptions, SourceTree};
use super::{
    Error, Languages, MiningOptions, PARSE_PARTS, RESOLVE_PARTS, RepoReport, TestSelection,
};
use crate::focal::Analyst;
use crate::focal::trace::RuntimeNames;
use crate::lang::{self, Configuration, Outside, Project, SourceText};
use crate::model::{
    FileId, Matcher, Method, MethodId, MinedFile, MinedTest, Problem, Repo, SampleKey, Status,
};
use crate::store::Traces;
use crate::task::{Cancelled, Monitor, Phase};

/// The most files that a thread takes at once: no other thread can take over a part of them, and threads without work
/// wait.
const FILES_AT_ONCE: usize = 2;
/// Tests are quicker than files, so a piece has more of them.
const TESTS_AT_ONCE: usize = 16;

/// A project index with the texts it was made from, in the order of `FileId`.
pub struct Analysis {
    pub project: Project,
    pub paths: Vec<String>,
    pub texts: Vec<String>,
    pub problems: Vec<Problem>,
}

/// Everything that the index keeps of one repository.
pub struct MinedRepo {
    pub repo: Repo,
    pub files: Vec<MinedFile>,
    pub methods: Vec<Method>,
    pub tests: Vec<MinedTest>,
    pub problems: Vec<Problem>,
    /// The project index that this was made from, no longer needed: dropping it takes time, and is best done in
    /// parallel with other work.
    pub leftover: Box<dyn Send>,
}

impl MinedRepo {
    /// Counts files, tests and samples for the user; samples of several matchers by the shown one.
    pub fn report(self) -> RepoReport {
        let shown = self.tests.first().and_then(|test| {
            Matcher::shown_of(
                test.decided
                    .iter()
                    .map(|matcher_decision| matcher_decision.focal_match.matcher),
            )
        });
        let count = |is: fn(Status) -> bool| {
            let decided = self.tests.iter().flat_map(|test| &test.decided);
            decided
                .filter(|matcher_decision| {
                    Some(matcher_decision.focal_match.matcher) == shown
                        && is(matcher_decision.status)
                })
                .count() as u64
        };
        RepoReport {
            changes: None,
            n_files: self.files.len() as u64,
            n_tests: self.tests.len() as u64,
            n_mapped: count(Status::is_mapped),
            n_samples: count(|status| status == Status::Ok),
            is_unchanged: false,
            name: self.repo.name,
            identity: self.repo.identity,
            language: self.repo.language,
            problems: self.problems,
        }
    }
}

/// Reads the sources in a folder and a class path, and builds an index over both for each language: all that is needed
/// to look at calls without an index on disk. Problems of the class path are complete when all questions have been
/// asked. At least one language is returned; of several only those with tests.
///
/// # Errors
/// A folder or a jar that cannot be read, and cancelling.
pub fn read(
    root: &Path,
    languages: Languages,
    class_path: &[PathBuf],
    monitor: &Monitor,
) -> Result<(Vec<Analysis>, LoadedClassPath), Error> {
    let loaded = classpath::load(class_path, monitor)?;
    let mut found: Vec<Analysis> = Vec::new();
    for language in languages.in_folder(root, monitor)? {
        let options = SourceOptions {
            language,
            ..SourceOptions::default()
        };
        let tree = sources::read_repo(root, &options, monitor)?;
        let (_, analysis) = analyse(tree, &loaded.outside, monitor)?;
        let has_tests = |analysis: &Analysis| !analysis.project.tests.is_empty();
        if found.is_empty() || has_tests(&analysis) {
            found.retain(has_tests);
            found.push(analysis);
        }
    }
    Ok((found, loaded))
}

/// Parses the files of `tree` and builds the index over them.
pub fn analyse(
    tree: SourceTree,
    outside: &Outside,
    monitor: &Monitor,
) -> Result<(Repo, Analysis), Cancelled> {
    let language = tree.repo.language;
    let configuration = tree.configuration.into_iter().map(|file| Configuration {
        path: file.path,
        text: file.text,
    });
    let outside = &Outside {
        configuration: configuration.collect(),
        ..outside.clone()
    };
    monitor.enter(Phase::Parsing);
    let parsing = monitor.stretch(PARSE_PARTS, tree.files.len());
    let parsed = tree
        .files
        .par_iter()
        .with_max_len(FILES_AT_ONCE)
        .map(|file| {
            monitor.step()?;
            let source = SourceText {
                path: &file.path,
                text: &file.text,
            };
            let parsed = lang::facts(language, source, outside);
            super::add(&monitor.n_files, 1);
            parsing.step(1);
            Ok(parsed)
        })
        .collect::<Result<Vec<_>, Cancelled>>()?;
    let mut problems = tree.problems;
    let mut facts = Vec::with_capacity(parsed.len());
    for parsed in parsed {
        super::add(&monitor.n_problems, usize::from(parsed.problem.is_some()));
        problems.extend(parsed.problem);
        facts.push(parsed.facts);
    }
    let project = lang::project(language, facts, outside);
    parsing.end();
    let (paths, texts) = tree
        .files
        .into_iter()
        .map(|file| (file.path, file.text))
        .unzip();
    let analysis = Analysis {
        project,
        paths,
        texts,
        problems,
    };
    Ok((tree.repo, analysis))
}

/// Facts about a repository other than its sources.
#[derive(Clone, Copy)]
pub struct MiningContext<'k> {
    pub outside: &'k Outside,
    /// The methods that its tests entered when they ran.
    pub traces: Option<&'k Traces>,
}

/// Mines one repository's sources.
pub fn mine_tree(
    tree: SourceTree,
    known: MiningContext<'_>,
    options: &MiningOptions,
    monitor: &Monitor,
) -> Result<MinedRepo, Cancelled> {
    let (repo, analysis) = analyse(tree, known.outside, monitor)?;
    monitor.enter(Phase::Resolving);
    let project = &analysis.project;
    let (methods, tests) = (&project.methods, &project.tests);
    let resolving = monitor.stretch(RESOLVE_PARTS, 2 * tests.len());
    let ordinals = ordinals(methods, tests);
    let keys = sample_keys(&repo, methods, tests, &ordinals, &analysis.paths);
    let test_cases = tests
        .par_iter()
        .with_max_len(TESTS_AT_ONCE)
        .map(|test| {
            monitor.step()?;
            resolving.step(1);
            Ok(project.index.test_case(*test))
        })
        .collect::<Result<Vec<_>, Cancelled>>()?;
    let mut analyst = Analyst::new(project, &analysis.paths, &analysis.texts, options.focal);
    analyst.count(test_cases.iter());
    if let Some(traces) = known.traces {
        let names = RuntimeNames::of(methods);
        let entered = keys.iter().map(|sample_key| traces.by_test.get(sample_key));
        let ran = tests.iter().zip(entered);
        analyst.remember(
            ran.filter_map(|(test, entered_methods)| Some((*test, names.trace(entered_methods?))))
                .collect(),
        );
    }
    let mined = test_cases
        .into_par_iter()
        .zip(&keys)
        .with_max_len(TESTS_AT_ONCE)
        .map(|(test_case, key)| {
            monitor.step()?;
            resolving.step(1);
            if options.tests == TestSelection::Annotated && !test_case.kind.is_annotated() {
                return Ok(None);
            }
            let decided: Vec<_> = options
                .matchers
                .iter()
                .map(|matcher| analyst.decide(&test_case, *matcher))
                .collect();
            super::add(&monitor.n_tests, 1);
            let is_sample = decided
                .iter()
                .any(|matcher_decision| matcher_decision.status == Status::Ok);
            super::add(&monitor.n_samples, usize::from(is_sample));
            Ok(Some(MinedTest {
                key: *key,
                test_case,
                decided,
            }))
        })
        .collect::<Result<Vec<_>, Cancelled>>()?;
    drop(analyst);
    resolving.end();
    let roles = project.roles.clone();
    let mut methods = methods.to_vec();
    for (test, ordinal) in tests.iter().zip(&ordinals) {
        methods[test.0 as usize].ordinal = *ordinal;
    }
    let files = analysis
        .paths
        .into_iter()
        .zip(analysis.texts)
        .zip(roles)
        .enumerate()
        .map(|(idx, ((path, text), role))| MinedFile {
            id: FileId(idx as u32),
            path,
            text,
            role,
        })
        .collect();
    Ok(MinedRepo {
        repo,
        files,
        methods,
        tests: mined.into_iter().flatten().collect(),
        problems: analysis.problems,
        leftover: Box::new(analysis.project),
    })
}

/// Returns the ordinal of every test: it distinguishes tests with the same method key in one file by their order.
fn ordinals(methods: &[Method], tests: &[MethodId]) -> Vec<u32> {
    let mut n_of_key: HashMap<(FileId, String), u32> = HashMap::new();
    tests
        .iter()
        .map(|test| {
            let method = &methods[test.0 as usize];
            let n_here = n_of_key.entry((method.file, method.key())).or_default();
            *n_here += 1;
            method.ordinal.max(*n_here)
        })
        .collect()
}

/// Makes the key of every test; the file is part of it where two files declare a test with the same method key.
fn sample_keys(
    repo: &Repo,
    methods: &[Method],
    tests: &[MethodId],
    ordinals: &[u32],
    paths: &[String],
) -> Vec<SampleKey> {
    let names: Vec<String> = (tests.iter())
        .map(|test| methods[test.0 as usize].key())
        .collect();
    let mut n_of_name: HashMap<&str, u32> = HashMap::new();
    for name in &names {
        *n_of_name.entry(name).or_default() += 1;
    }
    tests
        .iter()
        .zip(ordinals)
        .zip(&names)
        .map(|((test, ordinal), name)| {
            let method = &methods[test.0 as usize];
            let is_unique = n_of_name.get(name.as_str()) == Some(&1);
            let file = paths[method.file.0 as usize].as_str();
            let numbered = (*ordinal != method.ordinal).then(|| {
                let ordinal = *ordinal;
                Method {
                    ordinal,
                    ..method.clone()
                }
                .key()
            });
            SampleKey::of_test(
                &repo.identity,
                repo.language,
                numbered.as_ref().unwrap_or(name),
                (!is_unique).then_some(file),
            )
        })
        .collect()
}
