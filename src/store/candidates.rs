//! What true tests made of mutants of all methods that they may be about: written test by test, read as counts of each
//! candidate. The pairs of the focal method alone, from which all numbers of a test come, are another family.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};
use rustc_hash::FxHashMap;

use crate::model::{ContentHash, FaultCounts, FaultOutcome, SampleKey};
use crate::task::Monitor;

use super::codec::{code, decode, row_id};
use super::error::Failure;
use super::faults::{WrittenFaults, id_of};
use super::shown::is_shown;
use super::{Store, StoreError};

/// A method that a test may be about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CandidateMethod {
    /// Its key.
    pub name: String,
    pub file: String,
    pub line: u32,
    /// Whether the matcher took it for the focal one.
    pub is_picked: bool,
    /// Ranks of other candidates that call a method of its name in their body.
    pub callers: Vec<u32>,
}

/// What became of a test on the mutants of its candidates, as it is written.
#[derive(Clone, Debug)]
pub struct WrittenCandidates<'m> {
    /// The pairs with the mutants of all candidates, each once.
    pub faults: WrittenFaults<'m>,
    /// By rank, each with its mutants.
    pub methods: &'m [(CandidateMethod, Vec<ContentHash>)],
}

/// A candidate of a test, and what the test made of its mutants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCandidateFaults {
    pub method: CandidateMethod,
    pub counts: FaultCounts,
}

/// The candidates of a true test, by rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestCandidates {
    pub sample: SampleKey,
    pub candidates: Vec<StoredCandidateFaults>,
}

impl Store {
    /// Writes what became of tests of a run on the mutants of their candidates, in place of what was there.
    pub fn write_candidate_faults(
        &mut self,
        (run, engine): (i64, &str),
        written: &[WrittenCandidates<'_>],
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        self.write_tested(
            written,
            monitor,
            |it| 1 + it.methods.len() + 2 * it.faults.pairs.as_deref().map_or(0, <[_]>::len),
            |conn, it| write(conn, (row_id(run, it.faults.ordinal), engine), it),
        )
    }

    /// Returns of which inputs it is kept what a run's tests made of the mutants of their candidates, by number.
    pub fn candidate_stamps(
        &self,
        run: i64,
        engine: &str,
    ) -> Result<FxHashMap<u32, ContentHash>, StoreError> {
        self.stamps_in("candidate_faults", (run, engine))
    }

    /// Returns the tests of a run of which it is known what they made of the mutants of their candidates with this engine, in
    /// order; of one sample alone where it is given.
    pub fn candidate_faults(
        &self,
        (run, engine): (i64, &str),
        sample: Option<&SampleKey>,
    ) -> Result<Vec<TestCandidates>, StoreError> {
        self.reading(|conn| {
            let mut tests: BTreeMap<i64, TestCandidates> = BTreeMap::new();
            let mut statement = conn.prepare(&format!(
                "SELECT c.prediction, c.engine, c.rank, c.name, c.file, c.line, c.is_picked, c.callers, p.key
                 FROM candidate_methods c
                    JOIN candidate_faults f ON f.prediction = c.prediction AND f.engine = c.engine AND f.is_settled
                    JOIN predictions p ON p.id = c.prediction
                 WHERE c.prediction >= ?1 AND c.prediction < ?2 AND {} AND (?4 IS NULL OR p.key = ?4)
                 ORDER BY c.prediction, c.rank",
                is_shown("c.engine", 3)
            ))?;
            let mut counts = conn.prepare(
                "SELECT outcome, COUNT(*) FROM candidate_pairs
                 WHERE prediction = ?1 AND engine = ?2 AND rank = ?3 GROUP BY 1",
            )?;
            let sample = sample.map(|it| &it.0[..]);
            let bounds = params![row_id(run, 0), row_id(run + 1, 0), engine, sample];
            let mut rows = statement.query(bounds)?;
            while let Some(row) = rows.next()? {
                let prediction: i64 = row.get(0)?;
                let (engine, rank): (String, u32) = (row.get(1)?, row.get(2)?);
                let mut of_candidate = FaultCounts::default();
                let mut pairs = counts.query(params![prediction, engine, rank])?;
                while let Some(pair) = pairs.next()? {
                    let outcome = decode(FaultOutcome::ALL, pair.get(0)?)?;
                    let n: u32 = pair.get(1)?;
                    of_candidate += FaultCounts::of((0..n).map(|_| outcome));
                }
                let candidate = StoredCandidateFaults {
                    method: CandidateMethod {
                        name: row.get(3)?,
                        file: row.get(4)?,
                        line: row.get(5)?,
                        is_picked: row.get(6)?,
                        callers: ranks(&row.get::<_, String>(7)?)?,
                    },
                    counts: of_candidate,
                };
                if let Some(test) = tests.get_mut(&prediction) {
                    test.candidates.push(candidate);
                    continue;
                }
                let test = TestCandidates {
                    sample: SampleKey(row.get(8)?),
                    candidates: vec![candidate],
                };
                tests.insert(prediction, test);
            }
            Ok(tests.into_values().collect())
        })
    }
}

/// Reads ranks that are joined with commas.
fn ranks(joined: &str) -> Result<Vec<u32>, Failure> {
    let ranks = joined.split(',').filter(|it| !it.is_empty());
    let ranks: Result<Vec<u32>, _> = ranks.map(str::parse).collect();
    ranks.map_err(|_| Failure::Damaged("the rank of a candidate is no number".to_owned()))
}

fn write(
    conn: &Connection,
    (prediction, engine): (i64, &str),
    written: &WrittenCandidates<'_>,
) -> Result<(), Failure> {
    let faults = &written.faults;
    let sql = "INSERT OR REPLACE INTO candidate_faults (prediction, engine, stamp, is_settled) VALUES (?1, ?2, ?3, ?4)";
    let is_settled = faults.pairs.is_some();
    conn.prepare_cached(sql)?.execute(params![
        prediction,
        engine,
        &faults.stamp.0[..],
        is_settled
    ])?;
    let pairs = faults.pairs.iter().flatten();
    let pairs: FxHashMap<ContentHash, _> = pairs.map(|it| (it.mutant.id, it)).collect();
    let sql = "INSERT INTO candidate_methods (prediction, engine, rank, name, file, line, is_picked, callers)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let mut methods = conn.prepare_cached(sql)?;
    let sql = "INSERT INTO candidate_pairs (prediction, engine, rank, mutant, outcome) VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut statement = conn.prepare_cached(sql)?;
    for (rank, (method, mutants)) in (0_u32..).zip(written.methods) {
        let callers: Vec<String> = method.callers.iter().map(u32::to_string).collect();
        methods.execute(params![
            prediction,
            engine,
            rank,
            method.name,
            method.file,
            method.line,
            method.is_picked,
            callers.join(",")
        ])?;
        for pair in mutants.iter().filter_map(|it| pairs.get(it)) {
            statement.execute(params![
                prediction,
                engine,
                rank,
                id_of(conn, pair.mutant)?,
                code(FaultOutcome::ALL, pair.outcome)
            ])?;
        }
    }
    Ok(())
}
