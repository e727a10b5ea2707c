//! Tests of repeated runs, with an engine that gives scripted answers.

use std::collections::VecDeque;
use std::sync::Arc;

use super::*;
use crate::model::Mutant;
use crate::runner::faults::{MethodMutants, MutatedMethod, Operators};
use crate::task::Cancelled;
use crate::tests::{candidate, mutant};

/// An engine with scripted answers, call by call: for each test, a letter for each mutant, or `!` where the test does
/// not pass, or `#` where the call is cancelled.
struct Scripted {
    calls: VecDeque<Vec<(u64, &'static str)>>,
    /// The mutants that it was asked about for each test, call by call.
    asked: Vec<String>,
}

impl FaultEngine for Scripted {
    fn version(&self) -> String {
        String::new()
    }

    fn mutants(
        &mut self,
        _: &[MutatedMethod],
        _: &Operators,
        _: &Monitor,
    ) -> Result<Vec<MethodMutants>, RunnerError> {
        Ok(Vec::new())
    }

    fn judge(
        &mut self,
        _: &[HostFile],
        tests: &[FaultTest],
        _: &Monitor,
        sink: &mut FaultSink<'_>,
    ) -> Result<(), RunnerError> {
        let asked = tests.iter().map(|test| {
            let mutants = test.mutants.iter().map(|mutant| mutant.id.0[0].to_string());
            format!(
                "{}:{}",
                test.candidate.id,
                mutants.collect::<Vec<_>>().join(",")
            )
        });
        self.asked.push(asked.collect::<Vec<_>>().join(" "));
        let said = self.calls.pop_front().expect("nobody asks more often");
        for (id, letters) in said {
            match letters {
                "#" => return Err(Cancelled.into()),
                "!" => sink(id, TestOnMutants::Unsettled)?,
                _ => sink(
                    id,
                    TestOnMutants::Pairs(letters.chars().map(pair).collect()),
                )?,
            }
        }
        Ok(())
    }
}

/// Converts an outcome from its letter in a matrix; `?` stands for none.
fn pair(letter: char) -> Option<MutantExecution> {
    let mut all = FaultOutcome::ALL.iter();
    let outcome = all.find(|fault_outcome| fault_outcome.letter() == letter)?;
    Some(MutantExecution {
        outcome: *outcome,
        by: (outcome.is_detected()).then(|| "E".to_owned()),
        ms: Some(1),
    })
}

fn letters(judged: &TestOnMutants) -> String {
    match judged {
        TestOnMutants::Unsettled => "!".to_owned(),
        TestOnMutants::Pairs(pairs) => pairs
            .iter()
            .map(|pair| {
                pair.as_ref()
                    .map_or('?', |mutant_execution| mutant_execution.outcome.letter())
            })
            .collect(),
    }
}

/// The outcomes of tests with these numbers of mutants; the first test is number 0, and those from 7 on are settled.
struct Came {
    judged: BTreeMap<u64, TestOnMutants>,
    asked: Vec<String>,
    n_repeats: Option<u64>,
}

fn came(n_mutants: u8, calls: &[&[(u64, &'static str)]]) -> Came {
    let mut engine = Scripted {
        calls: calls.iter().map(|call| call.to_vec()).collect(),
        asked: Vec::new(),
    };
    let mutants: Vec<Arc<Mutant>> = (1..=n_mutants)
        .map(|n| Arc::new(mutant(n, "AOR")))
        .collect();
    let mut ids: Vec<u64> = calls
        .iter()
        .flat_map(|call| call.iter().map(|pair| pair.0))
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let tests: Vec<FaultTest> = ids
        .iter()
        .map(|id| FaultTest {
            candidate: candidate(*id),
            mutants: mutants.clone(),
        })
        .collect();
    let of = RepeatableTests {
        files: &[],
        tests: &tests,
        is_settled: &|id| id >= 7,
    };
    let mut judged = BTreeMap::new();
    let ended = judge(
        &mut engine,
        &of,
        &Monitor::default(),
        &mut |id, on_mutants| {
            assert!(judged.insert(id, on_mutants).is_none(), "each is told once");
            Ok(())
        },
    );
    Came {
        judged,
        asked: engine.asked,
        n_repeats: ended.ok(),
    }
}

/// Checks the final outcomes of one test that is not settled.
fn check(calls: &[&'static str], expected: &str) {
    let calls: Vec<[(u64, &'static str); 1]> = calls.iter().map(|call| [(0, *call)]).collect();
    let calls: Vec<&[(u64, &'static str)]> = calls.iter().map(|call| &call[..]).collect();
    let n_mutants = calls[0][0].1.chars().count() as u8;
    let came = came(n_mutants, &calls);
    assert_eq!(letters(&came.judged[&0]), expected, "{calls:?}");
    assert_eq!(came.asked.len(), calls.len(), "{calls:?}");
}

#[test]
fn a_kill_that_differs_in_any_of_three_runs_is_unstable() {
    check(&["A", "A", "A"], "A");
    check(&["E", "E", "E"], "E");
    check(&["A", "A", "S"], "~");
    // No mutant runs a third time once the result is known.
    check(&["A", "S"], "~");
    check(&["A", "E"], "~");
    // A mutant may sometimes make a test slow, or memory-hungry, or change its path.
    check(&["A", "T"], "~");
    check(&["E", "M"], "~");
    check(&["A", "·"], "~");
}

#[test]
fn only_kills_run_again() {
    check(&["STM·x"], "STM·x");
    let came = came(4, &[&[(0, "SAE·")], &[(0, "AS")], &[(0, "A")]]);
    assert_eq!(came.asked, ["0:1,2,3,4", "0:2,3", "0:2"]);
    assert_eq!(letters(&came.judged[&0]), "SA~·");
    assert_eq!(came.n_repeats, Some(3));
    let TestOnMutants::Pairs(pairs) = &came.judged[&0] else {
        panic!("it passes")
    };
    let by = |at: usize| {
        pairs[at]
            .as_ref()
            .and_then(|mutant_execution| mutant_execution.by.as_deref())
    };
    assert_eq!((by(1), by(2)), (Some("E"), None));
}

#[test]
fn kills_of_a_settled_test_run_once() {
    let came = came(2, &[&[(1, "AS"), (7, "AA")], &[(1, "A")], &[(1, "A")]]);
    assert_eq!(came.asked, ["1:1,2 7:1,2", "1:1", "1:1"]);
    assert_eq!(letters(&came.judged[&7]), "AA");
    assert_eq!(came.n_repeats, Some(2));
}

#[test]
fn a_test_that_fails_as_it_is_in_a_repeat_says_nothing_of_any_mutant() {
    check(&["AS", "!"], "!");
    check(&["AAS", "AA", "!"], "!");
    // Java reports it pair by pair.
    check(&["AAS", "~~"], "!");
}

#[test]
fn a_failure_of_ours_in_a_repeat_leaves_the_test_for_another_time() {
    check(&["A?"], "A?");
    check(&["AAS", "A?"], "???");
    check(&["AS", "A", "?"], "??");
}

#[test]
fn what_is_cancelled_between_repeats_is_not_told() {
    let came = came(1, &[&[(0, "S"), (1, "A"), (2, "A")], &[(1, "S"), (2, "#")]]);
    assert_eq!(came.n_repeats, None);
    let told: Vec<String> = came.judged.values().map(letters).collect();
    // The second test is known to be unstable; the third may be.
    assert_eq!(told, ["S", "~"]);
}
