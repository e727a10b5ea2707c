//! Faults and what tests made of them, as `export --format mutants` and `execute --faults --json` write them
//! (`docs/faults.md`).

use serde::Serialize;

use crate::model::{FaultCounts, FaultOutcome, Mutant, MutantPlace};

/// One test on one mutant.
#[derive(Debug, Serialize)]
pub struct WirePair<'a> {
    pub run: &'a str,
    pub sample: String,
    pub attempt: u32,
    pub language: &'static str,
    pub mutant: WireMutant<'a>,
    pub outcome: &'static str,
    pub by: Option<&'a str>,
    pub ms: Option<u64>,
    /// The annotators who say that the mutant means the same as the original; empty where a test kills it.
    pub equivalent_by: &'a [String],
}

/// A mutant; of a change in a text there is no class, and of one in byte code no range.
#[derive(Debug, Serialize)]
pub struct WireMutant<'a> {
    pub id: String,
    pub file: &'a str,
    pub line: u32,
    pub class: Option<&'a str>,
    pub method: Option<&'a str>,
    pub desc: Option<&'a str>,
    pub indexes: Option<&'a [u32]>,
    pub mutator: &'a str,
    pub description: &'a str,
    pub start: Option<u32>,
    pub end: Option<u32>,
    pub replacement: Option<&'a str>,
}

impl<'a> From<&'a Mutant> for WireMutant<'a> {
    fn from(mutant: &'a Mutant) -> Self {
        let wire = Self {
            id: mutant.id.to_string(),
            file: &mutant.file,
            line: mutant.line,
            class: None,
            method: None,
            desc: None,
            indexes: None,
            mutator: &mutant.mutator,
            description: &mutant.description,
            start: None,
            end: None,
            replacement: None,
        };
        match &mutant.place {
            MutantPlace::ByteCode {
                class,
                method,
                descriptor,
                indexes,
            } => Self {
                class: Some(class),
                method: Some(method),
                desc: Some(descriptor),
                indexes: Some(indexes),
                ..wire
            },
            MutantPlace::Text {
                start,
                end,
                replacement,
            } => Self {
                start: Some(*start),
                end: Some(*end),
                replacement: Some(replacement),
                ..wire
            },
        }
    }
}

/// The result of one pair, with its test and mutant.
pub struct FaultLineParts<'a> {
    pub run: &'a str,
    pub attempt: u32,
    pub mutant: &'a Mutant,
    pub outcome: FaultOutcome,
    pub by: Option<&'a str>,
    pub ms: Option<u64>,
    pub equivalent_by: &'a [String],
}

impl<'a> WirePair<'a> {
    #[must_use]
    pub fn new(sample: String, of: &FaultLineParts<'a>) -> Self {
        Self {
            run: of.run,
            sample,
            attempt: of.attempt,
            language: of.mutant.language.as_str(),
            mutant: of.mutant.into(),
            outcome: of.outcome.as_str(),
            by: of.by,
            ms: of.ms,
            equivalent_by: of.equivalent_by,
        }
    }
}

#[derive(Debug, Serialize)]
pub struct WirePairCounts {
    pub viable: u64,
    pub covered: u64,
    pub detected: u64,
    pub by_assertion: u64,
    pub not_viable: u64,
    pub unstable: u64,
}

impl From<FaultCounts> for WirePairCounts {
    fn from(counts: FaultCounts) -> Self {
        Self {
            viable: counts.n_viable,
            covered: counts.n_covered,
            detected: counts.n_detected,
            by_assertion: counts.n_by_assertion,
            not_viable: counts.n_not_viable,
            unstable: counts.n_unstable,
        }
    }
}

/// Counts of pairs, with the ratios where there are any.
#[derive(Debug, Serialize)]
pub struct WireFaultCounts {
    #[serde(flatten)]
    pub pairs: WirePairCounts,
    /// Mutants that people say are equivalent; in none of the others.
    pub equivalent: u64,
    pub mutation: Option<f64>,
    pub strength: Option<f64>,
}

impl From<FaultCounts> for WireFaultCounts {
    fn from(counts: FaultCounts) -> Self {
        Self {
            pairs: counts.into(),
            equivalent: counts.n_equivalent,
            mutation: counts.score(),
            strength: counts.strength(),
        }
    }
}

/// The result of holding the tests of a run against faults.
#[derive(Debug, Serialize)]
pub struct WireFaulted {
    /// The methods that have the faults: `focal`, `candidates` or `covered`.
    pub scope: &'static str,
    pub tests: u64,
    pub held: u64,
    pub now: u64,
    pub kept: u64,
    pub unsettled: u64,
    pub without_mutants: u64,
    pub failed: u64,
    pub left: u64,
    pub methods: u64,
    pub mutants: u64,
    /// Mutants that are left out, because the same code is made of them as of the original or of another one.
    pub same_code: u64,
    pub pairs: u64,
    /// Pairs of now that another test's notice has spared.
    pub spared: u64,
    /// Tests of now that shaking has not settled.
    pub not_settled: u64,
    /// How often kills of these were run again.
    pub repeats: u64,
    /// Tests of the run that have only some of their pairs; they are in none of `counts`.
    pub partial: u64,
    /// Not of candidates.
    #[serde(flatten)]
    pub counts: Option<WireFaultCounts>,
    /// Mutants of the run, by what its tests notice together; of focal methods alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub together: Option<WireTogether>,
    /// On minimal sets alone; absent where no pool was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subsuming: Option<WireSubsuming>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pit: Option<WirePit>,
}

/// Mutants, each by the best that any test made of it.
#[derive(Debug, Serialize)]
pub struct WireTogether {
    pub viable: u64,
    pub covered: u64,
    pub detected: u64,
    pub equivalent: u64,
}

/// The results of tests on the minimal sets of a pool.
#[derive(Debug, Serialize)]
pub struct WireSubsuming {
    pub runs: Vec<String>,
    /// A hash of all results of the pool's tests.
    pub hash: String,
    pub tests: u64,
    pub mutants: u64,
    pub minimal: u64,
    #[serde(flatten)]
    pub counts: WireFaultCounts,
}

/// Mutants as PIT counts them: over all tests of the run together, those that are not viable as detected.
#[derive(Debug, Serialize)]
pub struct WirePit {
    pub mutants: u64,
    pub covered: u64,
    pub detected: u64,
}

/// A method that a true test may be about, with the results of the test on its mutants.
#[derive(Debug, Serialize)]
pub struct WireCandidate<'a> {
    pub run: &'a str,
    pub sample: String,
    pub candidate: &'a str,
    pub file: &'a str,
    pub line: u32,
    /// Whether the matcher took it for the focal one, and its place in the matcher's order, from 1.
    pub is_focal: bool,
    pub matched: u32,
    #[serde(flatten)]
    pub pairs: WirePairCounts,
    /// Null without a viable mutant, like the following fields.
    pub share: Option<f64>,
    pub rank: Option<u32>,
    pub only_there: Option<f64>,
    /// Candidates that call a method of its name.
    pub callers: Vec<&'a str>,
}

/// A method that a test enters, with the results of the test on its mutants.
#[derive(Debug, Serialize)]
pub struct WireMethod<'a> {
    pub run: &'a str,
    pub sample: String,
    pub attempt: u32,
    pub method: &'a str,
    pub file: &'a str,
    pub line: u32,
    /// Whether the matcher took it for the focal one, or it was entered in place of that one.
    pub is_focal: bool,
    /// How many methods the test enters, drawn or not.
    pub entered: Option<u32>,
    #[serde(flatten)]
    pub counts: WireFaultCounts,
}
