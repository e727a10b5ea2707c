//! The outcomes of tests on mutants of several methods: of every method that a true test may be about, or of the
//! methods that a test enters. Written test by test, read as counts per method. The pairs of the focal method alone,
//! from which all numbers of a test are computed, are stored elsewhere (`faults`).

use std::collections::BTreeMap;

use rusqlite::{Connection, Statement, params};
use rustc_hash::FxHashMap;

use crate::model::{ContentHash, FaultCounts, FaultOutcome, SampleKey};
use crate::task::Monitor;

use super::codec::{code, decode, row_id};
use super::error::StoreFailure;
use super::faults::{WrittenFaults, id_of};
use super::outcome_condition::is_shown;
use super::{Store, StoreError};

/// Which methods were mutated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodScope {
    /// The methods that a true test may be about.
    Candidates,
    /// The methods of main code that a test enters, or a sample of them.
    Covered,
}

impl MethodScope {
    /// In the order of their numbers in the index.
    const ALL: &'static [Self] = &[Self::Candidates, Self::Covered];
}

/// A method with mutants that tests were run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultedMethod {
    /// The method's key.
    pub name: String,
    pub file: String,
    pub line: u32,
    /// Whether the matcher chose it as the focal method.
    pub is_picked: bool,
    /// For a candidate: the ranks of other candidates whose bodies call a method of its name.
    pub callers: Vec<u32>,
}

/// The outcome of a test on the mutants of methods, to be stored.
#[derive(Clone, Debug)]
pub struct WrittenMethods<'m> {
    /// The pairs with the mutants of all methods, each once.
    pub faults: WrittenFaults<'m>,
    /// The methods by rank, each with its mutants.
    pub methods: &'m [(FaultedMethod, Vec<ContentHash>)],
    /// The number of methods there were, where only a sample of them was used.
    pub n_methods: Option<u32>,
}

/// A method and the outcomes of a test on its mutants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredMethodFaults {
    pub method: FaultedMethod,
    pub counts: FaultCounts,
}

/// The methods of a test, by rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestMethods {
    pub sample: SampleKey,
    pub attempt: u32,
    pub methods: Vec<StoredMethodFaults>,
    /// The number of methods there were, where only a sample of them was used.
    pub n_methods: Option<u32>,
    /// The counts over the mutants of all methods, each mutant once.
    pub counts: FaultCounts,
}

impl Store {
    /// Writes the outcomes of a run's tests on the mutants of methods, in place of the former ones of this scope.
    pub fn write_method_faults(
        &mut self,
        (run, engine): (i64, &str),
        scope: MethodScope,
        written: &[WrittenMethods<'_>],
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        self.write_tested(
            written,
            monitor,
            |written_methods| {
                1 + written_methods.methods.len()
                    + 2 * written_methods
                        .faults
                        .pairs
                        .as_deref()
                        .map_or(0, <[_]>::len)
            },
            |conn, written_methods| {
                write(
                    conn,
                    (row_id(run, written_methods.faults.ordinal), engine, scope),
                    written_methods,
                )
            },
        )
    }

    /// Reads the input hashes of the stored outcomes of a run's tests on the mutants of methods, by number.
    pub fn method_stamps(
        &self,
        (run, engine): (i64, &str),
        scope: MethodScope,
    ) -> Result<FxHashMap<u32, ContentHash>, StoreError> {
        let scope = code(MethodScope::ALL, scope);
        let table = format!("(SELECT * FROM method_faults WHERE scope = {scope})");
        self.stamps_in(&table, (run, engine))
    }

    /// Reads the tests of a run with stored outcomes on the mutants of methods with this engine, in order; only those
    /// of one sample where it is given.
    pub fn method_faults(
        &self,
        (run, engine): (i64, &str),
        scope: MethodScope,
        sample: Option<&SampleKey>,
    ) -> Result<Vec<TestMethods>, StoreError> {
        let scope = code(MethodScope::ALL, scope);
        self.reading(|conn| {
            let mut tests: BTreeMap<i64, TestMethods> = BTreeMap::new();
            let mut statement = conn.prepare(&format!(
                "SELECT c.prediction, c.engine, c.rank, c.name, c.file, c.line, c.is_picked, c.callers, p.key, p.attempt,
                    f.n_methods
                 FROM faulted_methods c
                    JOIN method_faults f ON f.prediction = c.prediction AND f.engine = c.engine AND f.scope = c.scope
                        AND f.is_settled
                    JOIN predictions p ON p.id = c.prediction
                 WHERE c.prediction >= ?1 AND c.prediction < ?2 AND c.scope = ?5 AND {} AND (?4 IS NULL OR p.key = ?4)
                 ORDER BY c.prediction, c.rank",
                is_shown("c.engine", 3)
            ))?;
            let mut of_method = conn.prepare(
                "SELECT outcome, COUNT(*) FROM method_pairs
                 WHERE prediction = ?1 AND engine = ?2 AND scope = ?3 AND rank = ?4 GROUP BY 1",
            )?;
            // The mutants of a nested function are also mutants of the function around it.
            let mut of_test = conn.prepare(
                "SELECT outcome, COUNT(DISTINCT mutant) FROM method_pairs
                 WHERE prediction = ?1 AND engine = ?2 AND scope = ?3 AND ?4 IS NULL GROUP BY 1",
            )?;
            let sample = sample.map(|sample_key| &sample_key.0[..]);
            let bounds = params![row_id(run, 0), row_id(run + 1, 0), engine, sample, scope];
            let mut rows = statement.query(bounds)?;
            while let Some(row) = rows.next()? {
                let prediction: i64 = row.get(0)?;
                let (engine, rank): (String, u32) = (row.get(1)?, row.get(2)?);
                let of = (prediction, engine.as_str(), scope);
                let method = StoredMethodFaults {
                    method: FaultedMethod {
                        name: row.get(3)?,
                        file: row.get(4)?,
                        line: row.get(5)?,
                        is_picked: row.get(6)?,
                        callers: ranks(&row.get::<_, String>(7)?)?,
                    },
                    counts: counts(&mut of_method, of, Some(rank))?,
                };
                if let Some(test) = tests.get_mut(&prediction) {
                    test.methods.push(method);
                    continue;
                }
                let test = TestMethods {
                    sample: SampleKey(row.get(8)?),
                    attempt: row.get(9)?,
                    methods: vec![method],
                    n_methods: row.get(10)?,
                    counts: counts(&mut of_test, of, None)?,
                };
                tests.insert(prediction, test);
            }
            Ok(tests.into_values().collect())
        })
    }
}

/// Counts the pairs of a test; only those of one method where its rank is given.
fn counts(
    statement: &mut Statement<'_>,
    (prediction, engine, scope): (i64, &str, i64),
    rank: Option<u32>,
) -> Result<FaultCounts, StoreFailure> {
    let mut counts = FaultCounts::default();
    let mut pairs = statement.query(params![prediction, engine, scope, rank])?;
    while let Some(pair) = pairs.next()? {
        let outcome = decode(FaultOutcome::ALL, pair.get(0)?)?;
        let n: u32 = pair.get(1)?;
        counts += FaultCounts::of((0..n).map(|_| outcome));
    }
    Ok(counts)
}

/// Reads ranks that are joined with commas.
fn ranks(joined: &str) -> Result<Vec<u32>, StoreFailure> {
    let ranks = joined.split(',').filter(|part| !part.is_empty());
    let ranks: Result<Vec<u32>, _> = ranks.map(str::parse).collect();
    ranks.map_err(|_| StoreFailure::Damaged("the rank of a candidate is not a number".to_owned()))
}

fn write(
    conn: &Connection,
    (prediction, engine, scope): (i64, &str, MethodScope),
    written: &WrittenMethods<'_>,
) -> Result<(), StoreFailure> {
    let scope = code(MethodScope::ALL, scope);
    let faults = &written.faults;
    let sql = "INSERT OR REPLACE INTO method_faults (prediction, engine, scope, stamp, is_settled, n_methods)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let is_settled = faults.pairs.is_some();
    conn.prepare_cached(sql)?.execute(params![
        prediction,
        engine,
        scope,
        &faults.stamp.0[..],
        is_settled,
        written.n_methods
    ])?;
    let pairs = faults.pairs.iter().flatten();
    let pairs: FxHashMap<ContentHash, _> = pairs.map(|pair| (pair.mutant.id, pair)).collect();
    let sql = "INSERT INTO faulted_methods (prediction, engine, scope, rank, name, file, line, is_picked, callers)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let mut methods = conn.prepare_cached(sql)?;
    let sql = "INSERT INTO method_pairs (prediction, engine, scope, rank, mutant, outcome) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let mut statement = conn.prepare_cached(sql)?;
    for (rank, (method, mutants)) in (0_u32..).zip(written.methods) {
        let callers: Vec<String> = method.callers.iter().map(u32::to_string).collect();
        methods.execute(params![
            prediction,
            engine,
            scope,
            rank,
            method.name,
            method.file,
            method.line,
            method.is_picked,
            callers.join(",")
        ])?;
        for pair in mutants.iter().filter_map(|mutant| pairs.get(mutant)) {
            statement.execute(params![
                prediction,
                engine,
                scope,
                rank,
                id_of(conn, pair.mutant)?,
                code(FaultOutcome::ALL, pair.outcome)
            ])?;
        }
    }
    Ok(())
}
