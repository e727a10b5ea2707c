//! The verb `calls`: what every call in every test of a repository resolves to, without an index.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::{Error, analysis};
use crate::exchange::calls::{self, Tables};
use crate::model::{CallKind, Problem};
use crate::task::Monitor;

/// Writes one line per call, sorted by file and position, to `write`; returns the problems of single files and of the
/// class path.
///
/// # Errors
/// A folder or a jar that cannot be read, and cancelling. An error of `write` (a closed pipe) is handed on.
pub fn calls<E: From<Error>>(
    root: &Path,
    class_path: &[PathBuf],
    monitor: &Monitor,
    mut write: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<Vec<Problem>, E> {
    let (analysis, loaded) = analysis::read(root, class_path, monitor)?;
    let project = &analysis.project;
    let methods = &project.methods;
    let tables = Tables {
        paths: &analysis.paths,
        methods,
    };
    // In chunks, so that a large repository's lines are neither all in memory nor written one by one.
    for chunk in project.tests.chunks(512) {
        monitor.step().map_err(Error::from)?;
        let lines: Vec<Vec<u8>> = chunk
            .par_iter()
            .map(|test| {
                let test_case = project.index.test_case(*test);
                let mut text = Vec::new();
                let test = &methods[test.0 as usize];
                let invocations = test_case
                    .calls
                    .iter()
                    .filter(|it| matches!(it.kind, CallKind::Method | CallKind::Constructor));
                for call in invocations {
                    text.extend_from_slice(calls::line(tables, test, call).as_bytes());
                    text.push(b'\n');
                }
                text
            })
            .collect();
        for text in lines {
            write(&text)?;
        }
    }
    let mut problems = analysis.problems;
    problems.extend(loaded.problems());
    Ok(problems)
}
