//! Mutants by tests, made by hand.

use crate::execute::matrix::{MatrixCell, MatrixColumn, MatrixRow, MutantMatrix};
use crate::fixture::{AnswerResult, given};
use crate::model::FaultOutcome::{
    KilledByAssertion, KilledByError, NotCovered, NotViable, Survived, TimedOut, Unstable,
};
use crate::model::{
    ContentHash, FaultCounts, FaultOutcome, Language, Mutant, MutantPlace, SampleKey, Span,
};
use crate::mutate::fault::{Faults, Operators};
use crate::question::AnyQuestion;
use crate::screen::faults::questions::{
    FaultMatrixQuestion, FaultSamplesQuestion, KillerQuestion, MissedMutantQuestion,
};
use crate::store::Equivalence;

const PATH: &str = "src/calc.py";
const SOURCE: &str = "def bounded(value, low, high):\n    if value < low:\n        return low\n    if value > high:\n        return high\n    log(value)\n    return value\n";
const TRUE_TEST: &str = "def test_bounded():\n    assert bounded(1, 2, 3) == 2\n    assert bounded(4, 2, 3) == 3\n    assert bounded(2, 2, 3) == 2\n";
const TEST: &str = "def test_bounded():\n    assert bounded(1, 2, 3) == 2\n";

/// Line, operator, and the outcome of each test.
const ROWS: [(u32, &str, [FaultOutcome; 3]); 7] = [
    (2, "ROR", [Survived, Survived, Survived]),
    (2, "COI", [KilledByAssertion, KilledByAssertion, Survived]),
    (3, "RVR", [KilledByAssertion, KilledByAssertion, Survived]),
    (4, "ROR", [Survived, NotCovered, Survived]),
    (5, "RVR", [KilledByAssertion, NotCovered, KilledByError]),
    (6, "SDL", [KilledByAssertion, Unstable, NotViable]),
    (7, "RVR", [KilledByError, NotCovered, TimedOut]),
];

/// Makes the mutants as the engine does, so that the differences are real.
fn lines() -> Vec<MatrixRow> {
    let faults = Faults::new(PATH, SOURCE).expect("it parses");
    let whole = Span::new(0, SOURCE.trim_end().len() as u32);
    let mutants = faults.of(whole, &Operators::default());
    let line = |(number, operator, outcomes): &(u32, &str, [FaultOutcome; 3])| {
        let is_it =
            |mutant: &&Mutant| (mutant.line, mutant.mutator.as_str()) == (*number, *operator);
        let mutant = mutants.iter().find(is_it).expect("it is made");
        MatrixRow {
            mutant: mutant.clone(),
            met: outcomes.iter().map(|outcome| Some(met(*outcome))).collect(),
            equivalence: equivalence(*number),
        }
    };
    ROWS.iter().map(line).collect()
}

/// The mutant of line 4 is equivalent by two people; the one of line 5 was, until somebody's test killed it.
fn equivalence(line: u32) -> Option<Equivalence> {
    let by: &[&str] = match line {
        4 => &["ada", "eva"],
        5 => &["eva"],
        _ => return None,
    };
    Some(Equivalence {
        by: by.iter().map(|text| (*text).to_owned()).collect(),
        is_refuted: line == 5,
    })
}

/// Makes a mutant in byte code of another file.
fn elsewhere() -> MatrixRow {
    MatrixRow {
        mutant: Mutant {
            id: ContentHash([9; 16]),
            language: Language::Java,
            file: "src/Square.java".to_owned(),
            line: 2,
            mutator: "MathMutator".to_owned(),
            description: "Replaced multiplication".to_owned(),
            place: MutantPlace::ByteCode {
                class: "p.Square".to_owned(),
                method: "area".to_owned(),
                descriptor: "(I)I".to_owned(),
                indexes: vec![4],
            },
        },
        met: [Survived; 3]
            .map(|fault_outcome| Some(met(fault_outcome)))
            .to_vec(),
        equivalence: None,
    }
}

fn met(outcome: FaultOutcome) -> MatrixCell {
    let by = match outcome {
        KilledByAssertion => Some("AssertionError".to_owned()),
        KilledByError => Some("TypeError".to_owned()),
        _ => None,
    };
    MatrixCell { outcome, by }
}

fn key(number: u8) -> SampleKey {
    let mut key = [0; 16];
    key[3] = number;
    SampleKey(key)
}

fn matrix(of: SampleKey) -> Option<Box<MutantMatrix>> {
    if of == key(9) {
        return None;
    }
    let mut lines = lines();
    if of == key(2) {
        lines.push(elsewhere());
    }
    let column = |(place, (run, text)): (usize, (&str, &str))| {
        let mut counts = FaultCounts::default();
        for line in &lines {
            if let Some(outcome) = line.outcome(place) {
                counts.add_marked(outcome, line.is_equivalent());
            }
        }
        MatrixColumn {
            run: run.to_owned(),
            attempt: u32::from(place == 2),
            is_truth: place == 0,
            counts: Some(counts),
            text: Some(text.to_owned()),
        }
    };
    let tests = [("truth", TRUE_TEST), ("carbon", TEST), ("carbon", TEST)];
    let columns = tests.into_iter().enumerate().map(column).collect();
    Some(Box::new(MutantMatrix {
        test: "test_bounded".to_owned(),
        focal: "bounded".to_owned(),
        path: PATH.to_owned(),
        source: Some(SOURCE.into()),
        columns,
        lines,
    }))
}

pub fn answer(asked: &dyn AnyQuestion) -> Option<AnswerResult> {
    given(asked, |_: &FaultSamplesQuestion| vec![key(1), key(2)])
        .or_else(|| {
            given(asked, |matrix_question: &FaultMatrixQuestion| {
                matrix(matrix_question.0)
            })
        })
        .or_else(|| {
            given(asked, |mutant_question: &MissedMutantQuestion| {
                mutant_question.samples.first().copied()
            })
        })
        .or_else(|| {
            given(asked, |killer_question: &KillerQuestion| {
                (killer_question.key, killer_question.mutant, None)
            })
        })
}
