//! The verb `calls`: lists every call in every test of a repository with its resolution, without an index.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::analysis::{self, Analysis};
use super::{Error, Languages};
use crate::exchange::calls::{self, Tables};
use crate::model::{CallKind, Language, MethodId, Problem};
use crate::task::Monitor;

/// Writes one line per call, sorted by file and position, to `write`; returns the problems of single files and of the
/// class path.
///
/// # Errors
/// A folder or a jar that cannot be read, and cancelling. An error of `write` (a closed pipe) is handed on.
pub fn calls<E: From<Error>>(
    root: &Path,
    languages: Languages,
    class_path: &[PathBuf],
    monitor: &Monitor,
    mut write: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<Vec<Problem>, E> {
    let (analyses, loaded) = analysis::read(root, languages, class_path, monitor)?;
    let mut tests: Vec<(&Analysis, MethodId)> = analyses
        .iter()
        .flat_map(|analysis| {
            analysis
                .project
                .tests
                .iter()
                .map(move |test| (analysis, *test))
        })
        .collect();
    if analyses.len() > 1 {
        // Stable: within a file the order of positions stays.
        tests.sort_by_key(|(analysis, test)| path_of(analysis, *test));
    }
    // In chunks, so that the lines of a large repository are neither all in memory nor written one by one.
    for chunk in tests.chunks(512) {
        monitor.step().map_err(Error::from)?;
        let lines: Vec<Vec<u8>> = chunk
            .par_iter()
            .map(|(analysis, test)| lines_of(analysis, *test))
            .collect();
        for text in lines {
            write(&text)?;
        }
    }
    let problems = analyses.into_iter().flat_map(|analysis| analysis.problems);
    let mut problems: Vec<Problem> = problems.collect();
    problems.extend(loaded.problems());
    Ok(problems)
}

fn path_of(analysis: &Analysis, test: MethodId) -> &str {
    &analysis.paths[analysis.project.method(test).file.0 as usize]
}

fn lines_of(analysis: &Analysis, test: MethodId) -> Vec<u8> {
    let project = &analysis.project;
    let tables = Tables {
        language: project.language,
        paths: &analysis.paths,
        methods: &project.methods,
    };
    let test_case = project.index.test_case(test);
    let mut text = Vec::new();
    let listed = test_case.calls.iter();
    for call in listed.filter(|call| is_listed(project.language, call.kind)) {
        text.extend_from_slice(calls::line(tables, project.method(test), call).as_bytes());
        text.push(b'\n');
    }
    text
}

/// Tells whether a kind of call is written: all kinds that refer to a declaration, but in Java only invocations
/// (DESIGN.md section 5).
fn is_listed(language: Language, kind: CallKind) -> bool {
    match kind {
        CallKind::Method | CallKind::Constructor => true,
        CallKind::Reference | CallKind::Property | CallKind::Operator => language != Language::Java,
        CallKind::Delegation => false,
    }
}
