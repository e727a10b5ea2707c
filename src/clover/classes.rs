//! Which files of the project matter to a test, judged by the lines that no other test of its file covers.

use std::collections::{BTreeMap, BTreeSet};

use crate::runner::Site;
use crate::runner::python::{Environment, Statements, statements};
use crate::store::Store;
use crate::task::Monitor;

use super::measure::{MeasuredCase, empty_node, measure};
use super::sources::source_files;
use super::{CloverError, CloverOptions, LineSet, file_of, folder_of};

/// Statements of the smallest block.
const N_STATEMENTS_MIN: usize = 5;
/// The maximum number of files with blocks of a test, beyond which it gets no blocks; and the maximum number of blocks
/// of a test.
const N_FILES_MAX: usize = 10;
const N_BLOCKS_MAX: usize = 10;

/// The files of a project as one test sees them; each is in one class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Classes {
    pub id: String,
    /// Files with a line that is the test's own.
    pub peer: Vec<String>,
    /// Files that the test runs without a line of its own.
    pub rest: Vec<String>,
    /// Files that it runs just as an empty test does, or not at all.
    pub repo: Vec<String>,
    /// `None` where blocks were not requested; empty where they are in too many files.
    pub blocks: Option<Vec<StatementBlock>>,
}

/// Statements that follow each other and are all the test's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementBlock {
    pub file: String,
    /// First lines of its first and of its last statement.
    pub first: u32,
    pub last: u32,
    pub n_statements: usize,
    /// First lines of all of them, as ranges.
    pub statements: String,
}

pub(crate) type LinesByFile = BTreeMap<String, LineSet>;

/// Sorts the files into classes for every verified problem that was asked for; measures the ones that are not measured
/// yet.
///
/// # Errors
/// Where nothing more can be run or written.
#[expect(
    clippy::too_many_arguments,
    reason = "each is of its own: what is there, what is asked, and who watches"
)]
pub fn classes(
    store: &mut Store,
    site: &Site,
    environment: &Environment,
    options: &CloverOptions,
    has_blocks: bool,
    monitor: &Monitor,
) -> Result<Vec<Classes>, CloverError> {
    let measured = measure(store, site, environment, options, monitor)?;
    classes_of_tests(store, site, environment, &measured, has_blocks, monitor)
}

/// Sorts the files into classes for each measured test. `measured` must hold all tests of each test file, as a line is
/// a test's own only where no other one covers it.
#[expect(
    clippy::too_many_arguments,
    reason = "each is of its own: what is there, what is asked, and who watches"
)]
pub(crate) fn classes_of_tests(
    store: &Store,
    site: &Site,
    environment: &Environment,
    measured: &[MeasuredCase],
    has_blocks: bool,
    monitor: &Monitor,
) -> Result<Vec<Classes>, CloverError> {
    let mut empty: BTreeMap<String, LinesByFile> = BTreeMap::new();
    for (node, lines) in store.clover_lines(&environment.name)? {
        if let Some(folder) = node.strip_suffix("/::") {
            let of_folder = empty.entry(folder.to_owned()).or_default();
            of_folder.insert(lines.file, LineSet::of_bits(lines.covered));
        }
    }
    let files = source_files(environment);
    let known = if has_blocks {
        statements(site, environment, &files, monitor)?
    } else {
        BTreeMap::new()
    };
    let mut by_file: BTreeMap<&str, Vec<&MeasuredCase>> = BTreeMap::new();
    for measured_case in measured {
        by_file
            .entry(file_of(&measured_case.id))
            .or_default()
            .push(measured_case);
    }
    let nothing = LinesByFile::new();
    let mut all = Vec::new();
    for (file, tests) in &by_file {
        debug_assert!(
            !empty_node(folder_of(file)).is_empty(),
            "each folder has a node"
        );
        let empty = empty.get(folder_of(file)).unwrap_or(&nothing);
        let counts = counts(tests);
        for test in tests {
            monitor.step()?;
            let own = own(test, &counts, empty);
            let mut classes = of_test(test, &own, empty, &files);
            classes.blocks = has_blocks.then(|| blocks(&own, &known));
            all.push(classes);
        }
    }
    all.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(all)
}

/// Counts for each line the tests that cover it, in all repeats or in some.
pub(crate) fn counts<'m>(tests: &[&'m MeasuredCase]) -> BTreeMap<(&'m str, u32), usize> {
    let mut counts = BTreeMap::new();
    for test in tests {
        for (file, lines) in &test.lines {
            for line in lines.iter() {
                *counts.entry((file.as_str(), line)).or_default() += 1;
            }
        }
        for (file, lines) in &test.unstable {
            for line in lines.iter() {
                *counts.entry((file.as_str(), line)).or_default() += 1;
            }
        }
    }
    counts
}

/// Finds the lines that a test covers and that neither another test of its file nor an empty test covers.
pub(crate) fn own(
    test: &MeasuredCase,
    counts: &BTreeMap<(&str, u32), usize>,
    empty: &LinesByFile,
) -> LinesByFile {
    let mut own = LinesByFile::new();
    for (file, lines) in &test.lines {
        let mut of_file = LineSet::default();
        let is_empty = |line: u32| {
            empty
                .get(file)
                .is_some_and(|line_set| line_set.contains(line))
        };
        for line in lines.iter() {
            if counts.get(&(file.as_str(), line)) == Some(&1) && !is_empty(line) {
                of_file.insert(line);
            }
        }
        if !of_file.is_empty() {
            own.insert(file.clone(), of_file);
        }
    }
    own
}

pub(crate) fn of_test(
    test: &MeasuredCase,
    own: &LinesByFile,
    empty: &LinesByFile,
    files: &[String],
) -> Classes {
    let mut classes = Classes {
        id: test.id.clone(),
        ..Classes::default()
    };
    for file in files {
        let class = if own.contains_key(file) {
            &mut classes.peer
        } else if test.lines.get(file) == empty.get(file) {
            &mut classes.repo
        } else {
            &mut classes.rest
        };
        class.push(file.clone());
    }
    classes
}

fn blocks(own: &LinesByFile, known: &BTreeMap<String, Statements>) -> Vec<StatementBlock> {
    let mut blocks = Vec::new();
    for (file, lines) in own {
        let Some(known) = known.get(file) else {
            continue;
        };
        let statements: Vec<u32> = LineSet::of_ranges(&known.statements).iter().collect();
        for run in statements.chunk_by(|a, b| lines.contains(*a) == lines.contains(*b)) {
            let (Some(first), Some(last)) = (run.first(), run.last()) else {
                continue;
            };
            if lines.contains(*first) && run.len() >= N_STATEMENTS_MIN {
                blocks.push(StatementBlock {
                    file: file.clone(),
                    first: *first,
                    last: *last,
                    n_statements: run.len(),
                    statements: LineSet::of_lines(run).ranges(),
                });
            }
        }
    }
    let n_files = blocks
        .iter()
        .map(|block| block.file.as_str())
        .collect::<BTreeSet<_>>()
        .len();
    if n_files > N_FILES_MAX {
        return Vec::new();
    }
    blocks.sort_by(|a, b| {
        b.n_statements
            .cmp(&a.n_statements)
            .then_with(|| (&a.file, a.first).cmp(&(&b.file, b.first)))
    });
    blocks.truncate(N_BLOCKS_MAX);
    blocks.sort_by(|a, b| (&a.file, a.first).cmp(&(&b.file, b.first)));
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Outcome;
    use crate::runner::python::CaseExecution;

    fn lines(of: &[(&str, &str)]) -> LinesByFile {
        of.iter()
            .map(|(file, ranges)| ((*file).to_owned(), LineSet::of_ranges(ranges)))
            .collect()
    }

    fn test(id: &str, covered: &[(&str, &str)], unstable: &[(&str, &str)]) -> MeasuredCase {
        MeasuredCase {
            id: id.to_owned(),
            ran: CaseExecution::new(Outcome::Passing, "", ""),
            lines: lines(covered),
            unstable: lines(unstable),
            is_known: false,
        }
    }

    #[test]
    fn own_lines_are_in_no_other_test_and_not_in_an_empty_one() {
        let a = test("t.py::a", &[("p.py", "1-9"), ("q.py", "1-4")], &[]);
        let b = test(
            "t.py::b",
            &[("p.py", "1-5"), ("q.py", "1-4")],
            &[("p.py", "7")],
        );
        let empty = lines(&[("p.py", "1-2"), ("q.py", "1-4")]);
        let counts = counts(&[&a, &b]);
        let own_a = own(&a, &counts, &empty);
        assert_eq!(own_a, lines(&[("p.py", "6,8-9")]));
        let files = ["p.py", "q.py", "r.py"].map(str::to_owned);
        let classes = of_test(&a, &own_a, &empty, &files);
        assert_eq!(classes.peer, ["p.py"]);
        assert_eq!(classes.repo, ["q.py", "r.py"]);
        let own_b = own(&b, &counts, &empty);
        let classes = of_test(&b, &own_b, &empty, &files);
        assert_eq!(
            (classes.peer.len(), classes.rest, classes.repo),
            (
                0,
                vec!["p.py".to_owned()],
                vec!["q.py".to_owned(), "r.py".to_owned()]
            )
        );
    }

    #[test]
    fn a_block_is_a_run_of_own_statements() {
        let known = |ranges: &str| Statements {
            statements: ranges.to_owned(),
            ..Statements::default()
        };
        let known: BTreeMap<String, Statements> =
            [("p.py".to_owned(), known("1-4,8,10-20"))].into();
        let blocks = blocks(&lines(&[("p.py", "2-4,8,10,15-18")]), &known);
        assert_eq!(
            blocks,
            [StatementBlock {
                file: "p.py".to_owned(),
                first: 2,
                last: 10,
                n_statements: 5,
                statements: "2-4,8,10".to_owned(),
            }]
        );
    }
}
