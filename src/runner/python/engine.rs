//! Runs candidates in a Python project: each stands in a copy of its test's file, at the test's place, without the
//! other tests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::faults::{FaultEngine, MutatedMethod};
use crate::model::{
    BlockedReason, CoverageCounter, CoveredSet, FocalCoverage, LineCover, Outcome, OutcomeReason,
    RunStage,
};
use crate::shakes::ShakeEngine;
use crate::task::{EngineStep, Monitor};
use crate::variants::VariantEngine;
use crate::{
    Candidate, CandidateExecution, CandidateSink, Engine, Fate, Focal, HostFile, RunnerError, Site,
};

use super::case::{CaseExecution, PythonCase};
use super::cut::{TestExcerpt, cut};
use super::environment::Environment;
use super::facts::{FileFacts, FunctionFacts, facts};
use super::placed;
use super::run::{CaseRunner, run_cases};

/// Runs candidates of one prepared project.
#[derive(Debug)]
pub struct ForkingEngine<'s> {
    pub site: &'s Site,
    pub environment: Environment,
    pub running: CaseRunner,
    /// Files with mutants, read when they are first needed: the checkout never changes.
    pub(super) faulted: BTreeMap<String, FaultedFile>,
}

/// A file that has mutants.
#[derive(Debug)]
pub(super) struct FaultedFile {
    pub text: Arc<str>,
    /// The first lines of counted statements.
    pub statements: BTreeSet<u32>,
}

impl<'s> ForkingEngine<'s> {
    #[must_use]
    pub const fn new(site: &'s Site, environment: Environment, running: CaseRunner) -> Self {
        Self {
            site,
            environment,
            running,
            faulted: BTreeMap::new(),
        }
    }
}

/// The place of a candidate in its file.
struct CandidateStand<'f> {
    facts: &'f FileFacts,
    function: &'f FunctionFacts,
    cut: TestExcerpt,
}

impl Engine for ForkingEngine<'_> {
    fn run(
        &mut self,
        files: &[HostFile],
        candidates: &[Candidate],
        monitor: &Monitor,
        sink: &mut CandidateSink<'_>,
    ) -> Result<(), RunnerError> {
        let (mut cases, mut of_cases) = (Vec::new(), Vec::new());
        let step = monitor.timings.begin(EngineStep::Copy);
        let stands = self.cases(files, candidates, monitor)?;
        drop(step);
        for (candidate, stand) in candidates.iter().zip(stands) {
            match stand {
                Some((case, first)) => {
                    cases.push(case);
                    of_cases.push((candidate, first));
                }
                None => sink(CandidateExecution::new(
                    candidate.id,
                    Fate::Blocked(BlockedReason::NoScaffold),
                ))?,
            }
        }
        run_cases(
            self.site,
            &self.environment,
            &cases,
            &self.running,
            monitor,
            &mut |idx, ran| {
                let (candidate, first) = of_cases[idx];
                sink(execution_of(candidate, &cases[idx].path, first, &ran))
            },
        )
    }

    fn faults(&mut self) -> Option<&mut dyn FaultEngine> {
        // Without a sandbox, a fault would stand in the checkout itself.
        if self.is_bare() {
            return None;
        }
        Some(self)
    }

    fn varying(&mut self) -> Option<&mut dyn VariantEngine> {
        // The same holds for variants.
        if self.is_bare() {
            return None;
        }
        Some(self)
    }

    fn shaking(&mut self) -> Option<&mut dyn ShakeEngine> {
        // Without a sandbox, files that a test leaves would stay as well.
        if self.is_bare() {
            return None;
        }
        Some(self)
    }
}

impl ForkingEngine<'_> {
    /// Tells whether the file of a focal method is still as it was mined.
    pub fn is_as_mined(&self, method: &MutatedMethod) -> bool {
        let path = Path::new(&method.focal.place.path);
        let read = placed::read(&self.environment.checkout, path);
        read.is_ok_and(|text| text == *method.text)
    }

    /// Runs cases, and passes on each result by its number.
    pub fn run_each(
        &self,
        cases: &[PythonCase],
        running: &CaseRunner,
        monitor: &Monitor,
        take: &mut dyn FnMut(usize, CaseExecution),
    ) -> Result<(), RunnerError> {
        if cases.is_empty() {
            return Ok(());
        }
        let mut sink = |idx, ran| {
            take(idx, ran);
            Ok(())
        };
        run_cases(
            self.site,
            &self.environment,
            cases,
            running,
            monitor,
            &mut sink,
        )
    }

    /// Runs cases on the original code, without measuring their focal methods; nothing for those that do not pass.
    pub fn run_unchanged(
        &self,
        cases: &[Option<(PythonCase, u32)>],
        is_watched: bool,
        running: &CaseRunner,
        monitor: &Monitor,
    ) -> Result<Vec<Option<(PythonCase, CaseExecution)>>, RunnerError> {
        let (mut idxs, mut asked) = (Vec::new(), Vec::new());
        for (idx, case) in cases.iter().enumerate() {
            if let Some((case, _)) = case {
                idxs.push(idx);
                asked.push(PythonCase {
                    focal: None,
                    is_watched,
                    ..case.clone()
                });
            }
        }
        let mut found: Vec<Option<(PythonCase, CaseExecution)>> =
            cases.iter().map(|_| None).collect();
        self.run_each(&asked, running, monitor, &mut |asked_idx, ran| {
            if ran.outcome.passes() {
                let case = PythonCase {
                    is_watched: false,
                    ..asked[asked_idx].clone()
                };
                found[idxs[asked_idx]] = Some((case, ran));
            }
        })?;
        Ok(found)
    }

    /// Makes the case of each candidate, with the line that it begins on; nothing where there is no place for it.
    pub fn cases(
        &self,
        files: &[HostFile],
        candidates: &[Candidate],
        monitor: &Monitor,
    ) -> Result<Vec<Option<(PythonCase, u32)>>, RunnerError> {
        let read = self.read(files, monitor)?;
        let cases = candidates.iter().map(|candidate| {
            let file = &files[candidate.file_idx];
            let facts = read.get(candidate.file_idx).and_then(Option::as_ref)?;
            let stand = self.stand(file, facts, candidate)?;
            debug_assert_eq!(stand.facts.path, file.path, "facts are of the file");
            let code = text_of(&stand, &candidate.text);
            let is_own = code.trim_end() == stand.cut.text.trim_end();
            let case = PythonCase {
                path: self.path_of(&file.path, candidate.id),
                // It keeps the file's path, because tests may look at texts that contain it.
                stands_for_file: !self.is_bare(),
                code: Some(code),
                focal: candidate
                    .focal
                    .as_ref()
                    .map(|focal| (focal.place.path.clone(), focal.line)),
                lone: (is_own && stand.cut.is_lone).then(|| stand.function.id.clone()),
                ..PythonCase::default()
            };
            Some((case, stand.cut.at.map_or(1, |lines| lines.0)))
        });
        Ok(cases.collect())
    }

    /// Makes the case of each candidate in its whole file, among the other tests; nothing where there is no place for
    /// it.
    pub fn whole_cases(
        &self,
        files: &[HostFile],
        candidates: &[Candidate],
        monitor: &Monitor,
    ) -> Result<Vec<Option<PythonCase>>, RunnerError> {
        let read = self.read(files, monitor)?;
        let cases = candidates.iter().map(|candidate| {
            let file = &files[candidate.file_idx];
            let facts = read.get(candidate.file_idx).and_then(Option::as_ref)?;
            let stand = self.stand(file, facts, candidate)?;
            if candidate.text.is_empty() {
                return Some(PythonCase {
                    path: file.path.clone(),
                    ..PythonCase::default()
                });
            }
            let function = stand.function;
            let stand = CandidateStand {
                cut: TestExcerpt {
                    text: file.text.clone(),
                    at: Some((function.first, function.last)),
                    is_lone: false,
                },
                ..stand
            };
            Some(PythonCase {
                path: file.path.clone(),
                stands_for_file: true,
                code: Some(text_of(&stand, &candidate.text)),
                ..PythonCase::default()
            })
        });
        Ok(cases.collect())
    }

    /// Tells whether there is no sandbox, so that all processes see the checkout itself.
    fn is_bare(&self) -> bool {
        self.site.sandbox.tool().name() == "none"
    }

    /// Chooses the path for a candidate: its test's file, or without a sandbox one beside it.
    fn path_of(&self, path: &str, id: u64) -> String {
        if self.is_bare() {
            return beside(path, id);
        }
        path.to_owned()
    }

    /// Reads the facts about files in the checkout; nothing for a file that is not as it was mined.
    fn read(
        &self,
        files: &[HostFile],
        monitor: &Monitor,
    ) -> Result<Vec<Option<FileFacts>>, RunnerError> {
        let paths: Vec<String> = files.iter().map(|file| file.path.clone()).collect();
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let found = facts(self.site, &self.environment, &paths, monitor)?;
        let found: BTreeMap<&str, &FileFacts> = found
            .iter()
            .map(|file_facts| (file_facts.path.as_str(), file_facts))
            .collect();
        let same = files.iter().map(|file| {
            let text = placed::read(&self.environment.checkout, Path::new(&file.path)).ok()?;
            let facts = found
                .get(file.path.as_str())
                .filter(|file_facts| file_facts.error.is_none())?;
            (text == file.text).then(|| (*facts).clone())
        });
        Ok(same.collect())
    }

    fn stand<'f>(
        &self,
        file: &HostFile,
        facts: &'f FileFacts,
        candidate: &Candidate,
    ) -> Option<CandidateStand<'f>> {
        let before = file.text.get(..candidate.at.start as usize)?;
        let line = before.matches('\n').count() as u32 + 1;
        let function = facts
            .functions
            .iter()
            .find(|function| function.first == line)?;
        let of_file = format!("{}::", file.path);
        let collected: BTreeSet<String> = self
            .environment
            .suite
            .functions
            .keys()
            .filter_map(|key| key.strip_prefix(&of_file).map(str::to_owned))
            .collect();
        let cut = cut(&file.text, facts, &collected, Some(&function.id))?;
        Some(CandidateStand {
            facts,
            function,
            cut,
        })
    }
}

fn beside(path: &str, id: u64) -> String {
    let (folder, name) = path.rsplit_once('/').map_or(("", path), |pair| pair);
    let slash = if folder.is_empty() { "" } else { "/" };
    format!(
        "{folder}{slash}tmp_{}__{id}.py",
        name.trim_end_matches(".py")
    )
}

/// Writes the file with a candidate in place of its test; with the test itself where the candidate is empty.
fn text_of(stand: &CandidateStand<'_>, candidate: &str) -> String {
    let Some((first, last)) = stand.cut.at.filter(|_| !candidate.trim().is_empty()) else {
        return stand.cut.text.clone();
    };
    let mut text = String::new();
    for (line, number) in stand.cut.text.split_inclusive('\n').zip(1..) {
        if number == first {
            text.push_str(&indented(candidate, stand.function.column as usize));
            text.push('\n');
        }
        if !(first..=last).contains(&number) {
            text.push_str(line);
        }
    }
    text
}

/// Indents a declaration to a column. The first line may have lost its indentation when it was cut out, while the
/// others have theirs. Where the others stand further left than is possible at the column, all lines are moved.
fn indented(text: &str, column: usize) -> String {
    let text = text.trim_end();
    let start = text.trim_start_matches(['\n', '\r']);
    let (first, rest) = start.split_once('\n').map_or((start, ""), |pair| pair);
    let n_first = first.len() - first.trim_start().len();
    let depth = |text: &str| text.len() - text.trim_start().len();
    let least = rest
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(depth)
        .min();
    let is_head =
        first.trim_start().starts_with("def ") || first.trim_start().starts_with("async ");
    // The body of a function is indented further than its head.
    let least_there = if is_head { column + 1 } else { column };
    if n_first == 0 && least.is_none_or(|least| least >= least_there) {
        return format!("{}{start}", " ".repeat(column));
    }
    let n_off = n_first.min(least.unwrap_or(n_first));
    let lines = start.lines().map(|line| {
        let tail = line.get(n_off.min(depth(line))..).unwrap_or(line);
        if tail.trim().is_empty() {
            String::new()
        } else {
            format!("{}{tail}", " ".repeat(column))
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn execution_of(
    candidate: &Candidate,
    path: &str,
    first: u32,
    ran: &CaseExecution,
) -> CandidateExecution {
    let is_called = ran
        .focal
        .as_ref()
        .and_then(|focal_execution| focal_execution.called);
    let outcome = if ran.outcome == Outcome::Passing && is_called == Some(true) {
        Outcome::Correct
    } else {
        ran.outcome
    };
    let why = (!outcome.passes()).then(|| OutcomeReason {
        stage: if outcome == Outcome::Unparsable {
            RunStage::Compile
        } else {
            RunStage::Run
        },
        code: None,
        kind: ran.reason.clone(),
        message: ran.message.clone().unwrap_or_default(),
        line: ran
            .line
            .and_then(|line| (line + 1).checked_sub(first))
            .filter(|n| *n > 0),
        trace: None,
    });
    let lines = ran.lines.iter().flatten();
    CandidateExecution {
        why,
        host: path.to_owned(),
        method: candidate.name.clone(),
        is_called,
        focal: candidate
            .focal
            .as_ref()
            .and_then(|focal| coverage(focal, ran)),
        elapsed: Duration::try_from_secs_f64(ran.seconds).ok(),
        covered: lines
            .map(|(unit, ranges)| CoveredSet {
                unit: unit.clone(),
                bits: bits(ranges),
            })
            .collect(),
        ..CandidateExecution::new(candidate.id, Fate::Ran(outcome))
    }
}

fn coverage(focal: &Focal, ran: &CaseExecution) -> Option<FocalCoverage> {
    let seen = ran
        .focal
        .as_ref()
        .filter(|focal_execution| focal_execution.error.is_none())?;
    let n_covered = seen.lines.iter().filter(|line| line.1).count() as u32;
    Some(FocalCoverage {
        class: focal.nesting.join("."),
        name: seen.name.clone(),
        descriptor: String::new(),
        lines: CoverageCounter {
            missed: seen.lines.len() as u32 - n_covered,
            covered: n_covered,
        },
        branches: None,
        instructions: None,
        by_line: seen
            .lines
            .iter()
            .map(|(line, is_covered)| {
                (
                    *line,
                    if *is_covered {
                        LineCover::Covered
                    } else {
                        LineCover::Missed
                    },
                )
            })
            .collect(),
    })
}

/// Turns ranges such as `1-9,12` into bits, lowest first.
fn bits(ranges: &str) -> Vec<u8> {
    let mut bits: Vec<u8> = Vec::new();
    for part in ranges.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (Ok(first), Ok(last)) = (first.parse::<usize>(), last.parse::<usize>()) else {
            continue;
        };
        if bits.len() <= last / 8 {
            bits.resize(last / 8 + 1, 0);
        }
        (first..=last).for_each(|n| bits[n / 8] |= 1 << (n % 8));
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declaration_stands_at_its_column_whether_it_was_cut_out_or_written_anew() {
        let check = |text, column, expected| assert_eq!(indented(text, column), expected);
        check(
            "def test(self):\n        pass\n",
            4,
            "    def test(self):\n        pass",
        );
        check(
            "def test(self):\n    pass\n",
            4,
            "    def test(self):\n        pass",
        );
        check(
            "    def test(self):\n        pass",
            4,
            "    def test(self):\n        pass",
        );
        check("    def test():\n        pass", 0, "def test():\n    pass");
        check(
            "@mark\n    def test(self):\n        pass",
            4,
            "    @mark\n    def test(self):\n        pass",
        );
        check(
            "@mark\ndef test():\n\n    pass",
            4,
            "    @mark\n    def test():\n\n        pass",
        );
        check("def test(): pass", 4, "    def test(): pass");
        check("def test():\n    pass", 0, "def test():\n    pass");
    }

    #[test]
    fn ranges_become_bits_lowest_first() {
        assert_eq!(bits("1-3,8"), [0b1110, 1]);
        assert!(bits("").is_empty());
    }
}
