//! Mutants and whether tests noticed them: written test by test, read as pairs or summed up. A duplicate shares the
//! pairs of the test that ran in its place, so they are stored once.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Row, params};
use rustc_hash::FxHashMap;

use crate::model::{
    ContentHash, FaultCounts, FaultOutcome, Language, Mutant, MutantPlace, SampleKey,
};
use crate::task::Monitor;

use super::codec::{code, decode, row_id};
use super::equivalent::{self, Equivalence, HELD, OF_PAIR};
use super::error::StoreFailure;
use super::outcome_condition::is_shown;
use super::tested::ORIGINAL;
use super::{Store, StoreError};

/// The outcome of a test on a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultPair<M> {
    pub mutant: M,
    pub outcome: FaultOutcome,
    /// The class of the first exception, where there was one.
    pub by: Option<String>,
    /// Absent where the test was not run on it.
    pub ms: Option<u64>,
}

/// The outcome of a test on its mutants, to be stored.
#[derive(Clone, Debug)]
pub struct WrittenFaults<'m> {
    pub ordinal: u32,
    /// A hash of everything that determines the outcomes.
    pub stamp: ContentHash,
    /// Whether there is a pair for each of its mutants; else it was not run on mutants that another test of the run had
    /// noticed.
    pub is_whole: bool,
    /// Absent where the test does not pass every time on the unchanged code.
    pub pairs: Option<Vec<FaultPair<&'m Mutant>>>,
}

/// A pair with its test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFault {
    pub run: String,
    pub sample: SampleKey,
    pub attempt: u32,
    /// Whether the test ran on all its mutants; else the test has no counts of its own.
    pub is_whole: bool,
    pub pair: FaultPair<Mutant>,
    /// Present where somebody has marked the mutant as equivalent.
    pub equivalence: Option<Equivalence>,
}

impl StoredFault {
    /// Lists the people who marked the mutant as equivalent; empty where a test kills it.
    #[must_use]
    pub fn equivalent_by(&self) -> &[String] {
        let held = self
            .equivalence
            .as_ref()
            .filter(|equivalence| !equivalence.is_refuted);
        held.map_or(&[], |equivalence| &equivalence.by)
    }

    /// Tells whether the mutant is left out of all counts, because people marked it as equivalent and no test kills it.
    #[must_use]
    pub fn is_equivalent(&self) -> bool {
        !self.equivalent_by().is_empty()
    }
}

/// The columns that [`mutant`] reads, from its first column on.
const MUTANT: &str = "m.hash, m.language, m.file, m.line, m.mutator, m.description, m.first, m.behind, m.replacement,
    m.class, m.method, m.descriptor, m.indexes";

/// The columns that [`stored`] reads: the test and its outcome, then [`MUTANT`].
const PAIR: &str = "r.name, p.key, p.attempt, x.outcome, x.thrown, x.ms,
    (SELECT f.is_whole FROM faulted f WHERE f.prediction = x.prediction AND f.engine = x.engine)";

/// The tests that ran on all their mutants, as a table.
pub(super) const WHOLE: &str = "(SELECT * FROM faulted WHERE is_whole)";

impl Store {
    /// Writes the outcomes of a run's tests with this engine on mutants, in place of the former ones.
    pub fn write_faults(
        &mut self,
        (run, engine): (i64, &str),
        written: &[WrittenFaults<'_>],
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        self.write_tested(
            written,
            monitor,
            |written_faults| 1 + 2 * written_faults.pairs.as_deref().map_or(0, <[_]>::len),
            |conn, written_faults| {
                write(
                    conn,
                    (row_id(run, written_faults.ordinal), engine),
                    written_faults,
                )
            },
        )
    }

    /// Reads the input hashes of the stored pairs of a run's tests with this engine, by number.
    pub fn fault_stamps(
        &self,
        run: i64,
        engine: &str,
    ) -> Result<FxHashMap<u32, ContentHash>, StoreError> {
        self.stamps_in("faulted", (run, engine))
    }

    /// Reads the counts of each test of a run that ran on all its mutants, by number; the counts are empty
    /// for a test that does not pass every time.
    pub fn fault_counts(
        &self,
        run: i64,
        engine: &str,
    ) -> Result<BTreeMap<u32, FaultCounts>, StoreError> {
        let mut counts = BTreeMap::new();
        self.counting(|conn| counted(conn, (run, engine), [0, u32::MAX], &mut counts))?;
        Ok(counts)
    }

    /// Tells whether any test of a run ran on all its mutants with this engine.
    pub fn has_faults(&self, run: i64, engine: &str) -> Result<bool, StoreError> {
        self.has_any_in(WHOLE, (run, engine))
    }

    /// Reads the outcomes of a run's tests on mutants, by number; nothing for tests that ran on none.
    pub fn fault_outcomes_of(
        &self,
        (run, engine): (i64, &str),
        ordinals: &[u32],
    ) -> Result<BTreeMap<u32, Vec<(ContentHash, FaultOutcome)>>, StoreError> {
        let mut found = BTreeMap::new();
        self.reading(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT m.hash, x.outcome FROM fault_pairs x JOIN mutants m ON m.id = x.mutant
                 WHERE x.prediction = ?1 AND x.engine = ?2",
            )?;
            for ordinal in ordinals {
                let mut rows = statement.query(params![row_id(run, *ordinal), engine])?;
                while let Some(row) = rows.next()? {
                    let outcome = decode(FaultOutcome::ALL, row.get(1)?)?;
                    let of_test: &mut Vec<_> = found.entry(*ordinal).or_default();
                    of_test.push((ContentHash(row.get(0)?), outcome));
                }
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Counts the mutants that the tests of a run ran on, each by its best outcome with any of these tests,
    /// and how many tests were not held against all of their mutants. How a mutant was noticed is left out, since it
    /// would only be true of the first test.
    pub fn faults_together(
        &self,
        run: i64,
        engine: &str,
    ) -> Result<(FaultCounts, u64), StoreError> {
        self.counting(|conn| {
            let mut best: BTreeMap<(i64, i64), (FaultOutcome, bool)> = BTreeMap::new();
            let mut statement = conn.prepare(&format!(
                "SELECT DISTINCT COALESCE((SELECT t.id >> 32 FROM tests t WHERE t.key = p.key), 0), x.mutant, x.outcome,
                    x.mutant IN {HELD}
                 FROM fault_pairs x JOIN predictions p ON p.id = x.prediction
                 WHERE x.prediction >= ?1 AND x.prediction < ?2 AND {}",
                is_shown("x.engine", 3)
            ))?;
            let bounds = params![row_id(run, 0), row_id(run + 1, 0), engine];
            let mut rows = statement.query(bounds)?;
            while let Some(row) = rows.next()? {
                let outcome = decode(FaultOutcome::ALL, row.get(2)?)?;
                let mutant = (row.get(0)?, row.get(1)?);
                let known = best.entry(mutant).or_insert((outcome, row.get(3)?));
                known.0 = known.0.or(outcome);
            }
            let sql = format!(
                "SELECT COUNT(*) FROM faulted k WHERE k.prediction >= ?1 AND k.prediction < ?2 AND NOT k.is_whole AND {}",
                is_shown("k.engine", 3)
            );
            let n_partial: u32 = conn.query_row(&sql, bounds, |row| row.get(0))?;
            let mut counts = FaultCounts::default();
            for (outcome, is_equivalent) in best.into_values() {
                counts.add_marked(outcome, is_equivalent);
            }
            Ok((counts, n_partial.into()))
        })
    }

    /// Counts as [`Store::fault_counts`] does, for these tests alone.
    pub fn fault_counts_of(
        &self,
        run: i64,
        engine: &str,
        ordinals: &[u32],
    ) -> Result<BTreeMap<u32, FaultCounts>, StoreError> {
        let mut counts = BTreeMap::new();
        self.counting(|conn| {
            for ordinal in ordinals {
                let bounds = [*ordinal, ordinal.saturating_add(1)];
                counted(conn, (run, engine), bounds, &mut counts)?;
            }
            Ok(())
        })?;
        Ok(counts)
    }

    /// Reads the outcomes of a sample's tests on mutants, in the order of runs, attempts and places.
    pub fn faults_of_sample(&self, sample: &SampleKey) -> Result<Vec<StoredFault>, StoreError> {
        let mut found = Vec::new();
        self.counting(|conn| {
            let mut statement = conn.prepare(&format!(
                "SELECT {PAIR}, {OF_PAIR}, {MUTANT} FROM predictions p JOIN runs r ON r.id = p.id >> 32
                    JOIN executions e ON e.prediction = p.id
                    JOIN fault_pairs x ON x.prediction = {ORIGINAL} AND x.engine = e.engine
                    JOIN mutants m ON m.id = x.mutant
                 WHERE p.key = ?1 AND (p.id & 4294967295) < r.n_predictions
                 ORDER BY r.name, p.attempt, m.file, m.line, m.first, m.mutator, m.replacement, m.indexes"
            ))?;
            let mut rows = statement.query([&sample.0[..]])?;
            while let Some(row) = rows.next()? {
                found.push(stored(row)?);
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Lists the samples with a test that ran on mutants, in the order in which the tests were imported.
    pub fn faulted_samples(&self) -> Result<Vec<SampleKey>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(
                "SELECT p.key, MIN(p.id) FROM faulted f JOIN predictions p ON p.id = f.prediction
                 WHERE f.is_settled GROUP BY p.key ORDER BY 2",
            )?;
            let rows = statement.query_map([], |row| Ok(SampleKey(row.get(0)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Passes the outcomes of a run's tests on mutants to `each`, in order of predictions and places.
    pub fn each_fault<E: From<StoreError>>(
        &self,
        run: i64,
        engine: &str,
        mut each: impl FnMut(StoredFault) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut stopped = Ok(());
        self.counting(|conn| {
            let mut statement = conn.prepare(&format!(
                "SELECT {PAIR}, {OF_PAIR}, {MUTANT} FROM executions e JOIN predictions p ON p.id = e.prediction
                    JOIN runs r ON r.id = p.id >> 32
                    JOIN fault_pairs x ON x.prediction = {ORIGINAL} AND x.engine = e.engine
                    JOIN mutants m ON m.id = x.mutant
                 WHERE e.prediction >= ?1 AND e.prediction < ?2 AND {}
                 ORDER BY e.prediction, m.file, m.line, m.first, m.mutator, m.replacement, m.indexes",
                is_shown("e.engine", 3)
            ))?;
            let mut rows = statement.query(params![row_id(run, 0), row_id(run + 1, 0), engine])?;
            while let Some(row) = rows.next()? {
                stopped = each(stored(row)?);
                if stopped.is_err() {
                    break;
                }
            }
            Ok(())
        })?;
        stopped
    }

    /// Reads as [`Store::reading`] does, with people's marks on mutants available to the query.
    pub(super) fn counting<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreFailure>,
    ) -> Result<T, StoreError> {
        self.reading(|conn| {
            equivalent::refresh(conn)?;
            work(conn)
        })
    }
}

/// Adds the counts of the tests from the first number up to, but not including, the last.
fn counted(
    conn: &Connection,
    (run, engine): (i64, &str),
    [first, end]: [u32; 2],
    counts: &mut BTreeMap<u32, FaultCounts>,
) -> Result<(), StoreFailure> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT e.prediction & 4294967295, x.outcome, COUNT(x.mutant), x.mutant IN {HELD}
         FROM executions e JOIN faulted f ON f.prediction = {ORIGINAL} AND f.engine = e.engine
            LEFT JOIN fault_pairs x ON x.prediction = f.prediction AND x.engine = f.engine
         WHERE e.prediction >= ?1 AND e.prediction < ?2 AND {} AND f.is_settled AND f.is_whole GROUP BY 1, 2, 4",
        is_shown("e.engine", 3)
    ))?;
    let mut rows = statement.query(params![row_id(run, first), row_id(run, end), engine])?;
    while let Some(row) = rows.next()? {
        let of_test = counts.entry(row.get(0)?).or_default();
        if let Some(outcome) = row.get::<_, Option<i64>>(1)? {
            let outcome = decode(FaultOutcome::ALL, outcome)?;
            let n: u32 = row.get(2)?;
            add(of_test, (n, outcome), row.get(3)?);
        }
    }
    Ok(())
}

/// Adds `n` pairs with one outcome.
pub(super) fn add(counts: &mut FaultCounts, (n, outcome): (u32, FaultOutcome), is_held: bool) {
    for _ in 0..n {
        counts.add_marked(outcome, is_held);
    }
}

fn write(
    conn: &Connection,
    (prediction, engine): (i64, &str),
    faults: &WrittenFaults<'_>,
) -> Result<(), StoreFailure> {
    let sql = "INSERT OR REPLACE INTO faulted (prediction, engine, stamp, is_settled, is_whole) VALUES (?1, ?2, ?3, ?4, ?5)";
    let is_settled = faults.pairs.is_some();
    conn.prepare_cached(sql)?.execute(params![
        prediction,
        engine,
        &faults.stamp.0[..],
        is_settled,
        faults.is_whole
    ])?;
    let sql = "INSERT INTO fault_pairs (prediction, engine, mutant, outcome, thrown, ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let mut statement = conn.prepare_cached(sql)?;
    for pair in faults.pairs.iter().flatten() {
        let ms = pair.ms.map(|ms| i64::try_from(ms).unwrap_or(i64::MAX));
        statement.execute(params![
            prediction,
            engine,
            id_of(conn, pair.mutant)?,
            code(FaultOutcome::ALL, pair.outcome),
            pair.by,
            ms
        ])?;
    }
    Ok(())
}

/// Finds the row of a mutant, and writes it where it is new.
pub(super) fn id_of(conn: &Connection, mutant: &Mutant) -> Result<i64, StoreFailure> {
    let known = conn
        .prepare_cached("SELECT id FROM mutants WHERE hash = ?1")?
        .query_row([&mutant.id.0[..]], |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    let (mut text, mut byte_code) = (None, None);
    match &mutant.place {
        MutantPlace::Text {
            start,
            end,
            replacement,
        } => text = Some((start, end, replacement)),
        MutantPlace::ByteCode {
            class,
            method,
            descriptor,
            indexes,
        } => {
            let indexes: Vec<String> = indexes.iter().map(u32::to_string).collect();
            byte_code = Some((class, method, descriptor, indexes.join(",")));
        }
    }
    let sql = "INSERT INTO mutants (hash, language, file, line, mutator, description, first, behind, replacement, class,
        method, descriptor, indexes) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
    conn.prepare_cached(sql)?.execute(params![
        &mutant.id.0[..],
        code(Language::ALL, mutant.language),
        mutant.file,
        mutant.line,
        mutant.mutator,
        mutant.description,
        text.map(|text| text.0),
        text.map(|text| text.1),
        text.map(|text| text.2),
        byte_code.as_ref().map(|place| place.0),
        byte_code.as_ref().map(|place| place.1),
        byte_code.as_ref().map(|place| place.2),
        byte_code.as_ref().map(|place| &place.3),
    ])?;
    Ok(conn.last_insert_rowid())
}

/// Reads [`PAIR`], [`OF_PAIR`] and [`MUTANT`].
fn stored(row: &Row<'_>) -> Result<StoredFault, StoreFailure> {
    let ms: Option<i64> = row.get(5)?;
    Ok(StoredFault {
        run: row.get(0)?,
        sample: SampleKey(row.get(1)?),
        attempt: row.get(2)?,
        is_whole: row.get(6)?,
        pair: FaultPair {
            mutant: mutant(row, 9)?,
            outcome: decode(FaultOutcome::ALL, row.get(3)?)?,
            by: row.get(4)?,
            ms: ms.and_then(|ms| u64::try_from(ms).ok()),
        },
        equivalence: Equivalence::read(row.get(7)?, row.get(8)?),
    })
}

fn mutant(row: &Row<'_>, at: usize) -> Result<Mutant, StoreFailure> {
    let place = if let Some(replacement) = row.get::<_, Option<String>>(at + 8)? {
        MutantPlace::Text {
            start: row.get(at + 6)?,
            end: row.get(at + 7)?,
            replacement,
        }
    } else {
        let indexes: String = row.get(at + 12)?;
        let indexes: Result<Vec<u32>, _> = indexes
            .split(',')
            .filter(|index| !index.is_empty())
            .map(str::parse)
            .collect();
        MutantPlace::ByteCode {
            class: row.get(at + 9)?,
            method: row.get(at + 10)?,
            descriptor: row.get(at + 11)?,
            indexes: indexes.map_err(|_| {
                StoreFailure::Damaged("an index of a mutant is not a number".to_owned())
            })?,
        }
    };
    Ok(Mutant {
        id: ContentHash(row.get(at)?),
        language: decode(Language::ALL, row.get(at + 1)?)?,
        file: row.get(at + 2)?,
        line: row.get(at + 3)?,
        mutator: row.get(at + 4)?,
        description: row.get(at + 5)?,
        place,
    })
}
