//! Mutants by tests, made by hand.

use crate::execute::matrix::{Column, Line, Matrix, Met};
use crate::fixture::{Answered, given};
use crate::model::FaultOutcome::{
    KilledByAssertion, KilledByError, NotCovered, NotViable, Survived, TimedOut, Unstable,
};
use crate::model::{
    ContentHash, FaultCounts, FaultOutcome, Language, Mutant, MutantPlace, SampleKey,
};
use crate::question::AnyQuestion;
use crate::screen::faults::questions::{AskMatrix, AskSamples};

const SOURCE: &str = "def bounded(value, low, high):\n    if value < low:\n        return low\n    if value > high:\n        return high\n    return value\n";
const TRUE_TEST: &str = "def test_bounded():\n    assert bounded(1, 2, 3) == 2\n    assert bounded(4, 2, 3) == 3\n    assert bounded(2, 2, 3) == 2\n";
const TEST: &str = "def test_bounded():\n    assert bounded(1, 2, 3) == 2\n";

/// Place and replacement in the source, line, operator, words, and what became of each test.
type Row = (
    &'static str,
    &'static str,
    u32,
    &'static str,
    &'static str,
    [FaultOutcome; 3],
);

const ROWS: [Row; 7] = [
    (
        "value < low",
        "value <= low",
        2,
        "ROR",
        "`<` becomes `<=`",
        [Survived, Survived, Survived],
    ),
    (
        "value < low",
        "not (value < low)",
        2,
        "COI",
        "the condition is negated",
        [KilledByAssertion, KilledByAssertion, Survived],
    ),
    (
        "return low",
        "return None",
        3,
        "RVR",
        "`None` is returned",
        [KilledByAssertion, KilledByAssertion, Survived],
    ),
    (
        "value > high",
        "value >= high",
        4,
        "ROR",
        "`>` becomes `>=`",
        [Survived, NotCovered, Survived],
    ),
    (
        "return high",
        "return None",
        5,
        "RVR",
        "`None` is returned",
        [KilledByAssertion, NotCovered, KilledByError],
    ),
    (
        "return value",
        "return None",
        6,
        "RVR",
        "`None` is returned",
        [KilledByError, NotCovered, TimedOut],
    ),
    (
        "return value",
        "pass",
        6,
        "SDL",
        "the statement becomes `pass`",
        [KilledByAssertion, Unstable, NotViable],
    ),
];

fn line(row: &Row) -> Line {
    let (from, to, number, operator, words, outcomes) = row;
    let start = SOURCE.find(from).expect("the source holds it") as u32;
    let mut id = [0; 16];
    id[..4].copy_from_slice(&start.to_be_bytes());
    id[4] = to.len() as u8;
    let met = |outcome: &FaultOutcome| {
        let by = match outcome {
            KilledByAssertion => Some("AssertionError".to_owned()),
            KilledByError => Some("TypeError".to_owned()),
            _ => None,
        };
        Some(Met {
            outcome: *outcome,
            by,
        })
    };
    Line {
        mutant: Mutant {
            id: ContentHash(id),
            language: Language::Python,
            file: "src/calc.py".to_owned(),
            line: *number,
            mutator: (*operator).to_owned(),
            description: (*words).to_owned(),
            place: MutantPlace::Text {
                start,
                end: start + from.len() as u32,
                replacement: (*to).to_owned(),
            },
        },
        met: outcomes.iter().map(met).collect(),
    }
}

fn key(number: u8) -> SampleKey {
    let mut key = [0; 16];
    key[3] = number;
    SampleKey(key)
}

fn matrix(of: SampleKey) -> Option<Box<Matrix>> {
    if of == key(9) {
        return None;
    }
    let lines: Vec<Line> = ROWS.iter().map(line).collect();
    let column = |(place, (run, text)): (usize, (&str, &str))| {
        let outcomes = lines.iter().filter_map(|it| it.outcome(place));
        Column {
            run: run.to_owned(),
            attempt: u32::from(place == 2),
            is_truth: place == 0,
            counts: FaultCounts::of(outcomes),
            text: Some(text.to_owned()),
        }
    };
    let tests = [("truth", TRUE_TEST), ("carbon", TEST), ("carbon", TEST)];
    let columns = tests.into_iter().enumerate().map(column).collect();
    Some(Box::new(Matrix {
        test: "test_bounded".to_owned(),
        focal: "bounded".to_owned(),
        path: "src/calc.py".to_owned(),
        source: Some(SOURCE.into()),
        columns,
        lines,
    }))
}

pub fn answer(asked: &dyn AnyQuestion) -> Option<Answered> {
    given(asked, |_: &AskSamples| vec![key(1), key(2)])
        .or_else(|| given(asked, |it: &AskMatrix| matrix(it.0)))
}
