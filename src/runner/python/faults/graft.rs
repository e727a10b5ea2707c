//! Tests that are collected once for all their mutants: decides which can be, and reads the results of their pairs.
//!
//! Code that runs before the first change runs once for all pairs: a test could notice there, by what it keeps, how its
//! runs differ. So the text of a foreign test may run nothing before it is called, and its file may not mention code
//! objects. Where something has read or kept the code of a function by then, that is detected when the function is to
//! be changed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::RunnerError;
use crate::faults::{FaultTest, MutantExecution};
use crate::model::FaultOutcome;
use crate::python::case::{CaseExecution, Graft, GraftedRun, PythonCase};

use super::{Base, FaultRunner, MutantCase, limit_of, pair_of};

/// Words of files that may look at code.
const LOOKING: [&str; 4] = ["__code__", "co_code", "import dis", "marshal"];

/// The facts about a test that can be found without importing a changed file.
#[derive(Default)]
pub struct Grafts {
    /// The run on the original code; nothing where the test cannot run in this way.
    pub base: Option<Base>,
    /// Results by mutant; missing ones cannot be found in this way.
    pub pairs: BTreeMap<usize, Option<MutantExecution>>,
}

impl FaultRunner<'_, '_> {
    /// Runs tests that can be collected once on all their mutants.
    pub fn graft(
        &self,
        tests: &[FaultTest],
        cases: &[Option<(PythonCase, u32)>],
    ) -> Result<Vec<Grafts>, RunnerError> {
        let mut tasks = Vec::new();
        for (test_idx, (test, case)) in tests.iter().zip(cases).enumerate() {
            if let Some((case, _)) = case
                .as_ref()
                .filter(|case| can_be_collected_once(test, &case.0))
            {
                tasks.extend(self.grafted_tasks(test_idx, test, case));
            }
        }
        let mut ran = self.run(&tasks, true)?;
        self.note_unfit(&tasks, &ran);
        let mut grafts: Vec<Grafts> = tests.iter().map(|_| Grafts::default()).collect();
        for (task, ran) in tasks.iter().zip(&ran) {
            let is_base = task.mutant_idx.is_none();
            if let Some(ran) = ran
                .as_ref()
                .filter(|case_execution| is_base && case_execution.outcome.passes())
            {
                grafts[task.test_idx].base = Some(base_of(&task.case, ran));
            }
        }
        for (task, ran) in tasks.iter_mut().zip(&mut ran) {
            match &grafts[task.test_idx].base {
                Some(base) => task.case.limit = Some(limit_of(base.seconds)),
                None => *ran = None,
            }
        }
        self.again(&tasks, &mut ran)?;
        for (task, ran) in tasks.iter().zip(ran) {
            let ran = ran.filter(|case_execution| !case_execution.is_unfit());
            if let (Some(mutant_idx), Some(ran)) = (task.mutant_idx, ran) {
                let pair = if ran.is_unreached() {
                    Some(MutantExecution::not_run(FaultOutcome::NotCovered))
                } else {
                    pair_of(&ran)
                };
                grafts[task.test_idx].pairs.insert(mutant_idx, pair);
            }
        }
        Ok(grafts)
    }

    fn note_unfit(&self, tasks: &[MutantCase], ran: &[Option<CaseExecution>]) {
        let of_mutants = tasks
            .iter()
            .zip(ran)
            .filter(|pair| pair.0.mutant_idx.is_some());
        let unfit = of_mutants
            .filter_map(|pair| pair.1.as_ref())
            .filter(|case_execution| case_execution.is_unfit());
        for ran in unfit {
            let why = ran.message.as_deref().unwrap_or_default();
            self.monitor
                .timings
                .ran_apart(why.lines().next().unwrap_or_default());
        }
    }

    fn grafted_tasks(
        &self,
        test_idx: usize,
        test: &FaultTest,
        case: &PythonCase,
    ) -> Vec<MutantCase> {
        let changes = self.changes(test);
        let files: BTreeSet<&str> = changes
            .iter()
            .map(|change| change.1.path.as_str())
            .collect();
        let files: Arc<[String]> = files.into_iter().map(str::to_owned).collect();
        let task = |mutant_idx, changed, what| MutantCase {
            test_idx,
            mutant_idx,
            case: PythonCase {
                focal: None,
                changed,
                grafted: Some(GraftedRun {
                    files: files.clone(),
                    what,
                }),
                ..case.clone()
            },
        };
        if changes.is_empty() {
            return Vec::new();
        }
        let mut tasks = vec![task(None, None, Graft::Base)];
        tasks.extend(changes.into_iter().map(|(idx, changed, change)| {
            let what = Graft::Change(change);
            task(Some(idx), Some(changed), what)
        }));
        tasks
    }
}

fn base_of(case: &PythonCase, ran: &CaseExecution) -> Base {
    let case = PythonCase {
        grafted: None,
        ..case.clone()
    };
    Base::new(case, ran)
}

/// Tells whether a test can be collected once: code that runs before the first change cannot tell its mutants apart.
fn can_be_collected_once(test: &FaultTest, case: &PythonCase) -> bool {
    let code = case.code.as_deref().unwrap_or_default();
    let is_known = case.lone.is_some() || is_inert(&test.candidate.text);
    is_known && !LOOKING.iter().any(|text| code.contains(text))
}

/// Tells whether the text of a test runs nothing before the test is called: no decorator, no default, no second
/// statement. An empty text, which stands for the project's own test, does not.
fn is_inert(text: &str) -> bool {
    if text.contains(['\r', '\u{c}']) {
        return false;
    }
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let Some(head) = lines.next() else {
        return true;
    };
    let declared = head.trim_start_matches([' ', '\t']);
    let depth = head.len() - declared.len();
    is_plain_head(declared)
        && lines.all(|line| {
            let rest = line.trim_start_matches([' ', '\t']);
            line.len() - rest.len() > depth
        })
}

/// Tells whether a line begins a test with plain names as parameters, so that nothing is run. A function of another
/// name might be called by Python or pytest themselves.
fn is_plain_head(line: &str) -> bool {
    let rest = line.strip_prefix("async ").unwrap_or(line);
    let head = rest
        .strip_prefix("def ")
        .and_then(|rest| rest.split_once(')'));
    let Some((declared, rest)) = head else {
        return false;
    };
    let rest = rest.trim_start();
    let rest = rest.strip_prefix("->").map_or(rest, |rest| {
        let annotation = rest.trim_start();
        annotation.strip_prefix("None").unwrap_or(annotation)
    });
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | ',' | ' ' | '*' | '(');
    declared.starts_with("test")
        && declared.chars().all(is_plain)
        && declared.matches('(').count() == 1
        && rest.trim_start().starts_with(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_runs_nothing_before_it_is_called_is_inert() {
        let check = |text: &str, expected| assert_eq!(is_inert(text), expected, "{text}");
        check("", true);
        check("def test():\n    assert f() == 1\n\n    g()", true);
        check("def test(self, a, *rest) -> None:\n        assert a", true);
        check("    async def test(self):\n        pass", true);
        check("def test(): assert f()", true);
        check("def __getattr__(name):\n    pass", false);
        check("@mark\ndef test():\n    pass", false);
        check("def test(a=f()):\n    pass", false);
        check("def test(a: f):\n    pass", false);
        check("def test() -> f():\n    pass", false);
        check("def test(\n    a\n):\n    pass", false);
        check("def test():\n    pass\nSAVED = f.x", false);
        check("    def test():\n        pass\n    SAVED = f.x", false);
        check("def test():\n    pass\r    x", false);
        check("import os\ndef test():\n    pass", false);
        check("x = 1", false);
    }
}
