//! Which mutants people have marked as equivalent to the original, and which of these marks a test contradicts.
//!
//! The marks are stored in a separate file, and no transaction spans two files safely; so they are copied into a
//! temporary table of the connection that counts, again whenever there are new events or new rows. Without marks this
//! costs nothing.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension, params};

use crate::model::{ContentHash, FaultOutcome};

use super::codec::code;
use super::error::StoreFailure;
use super::{Store, StoreAccess, StoreError, Verdicts, version};

/// The first schema of verdicts in which mutants can be marked.
const WITH_MARKS: u32 = 5;

/// The mutants that are not counted: marked as equivalent, and not killed by any test.
pub(super) const HELD: &str = "(SELECT q.mutant FROM temp.equivalent q WHERE NOT q.is_refuted)";

/// The people who marked the mutant of the pair `x`, and whether a test kills it; read by [`Equivalence::read`].
pub(super) const OF_PAIR: &str =
    "(SELECT q.names FROM temp.equivalent q WHERE q.mutant = x.mutant),
    (SELECT q.is_refuted FROM temp.equivalent q WHERE q.mutant = x.mutant)";

/// The marks on a mutant that somebody has marked as equivalent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equivalence {
    /// The annotators who marked it, in order.
    pub by: Vec<String>,
    /// A stable test kills it, so it is not equivalent and counts like any other mutant.
    pub is_refuted: bool,
}

impl Equivalence {
    pub(super) fn read(names: Option<String>, is_refuted: Option<bool>) -> Option<Self> {
        Some(Self {
            by: names?.lines().map(str::to_owned).collect(),
            is_refuted: is_refuted?,
        })
    }
}

/// A test that kills a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KillingTest {
    pub run: String,
    pub attempt: u32,
    pub outcome: FaultOutcome,
}

impl Equivalence {
    /// Describes who marked the mutant, and whether the marks hold.
    #[must_use]
    pub fn standing_words(&self) -> String {
        let by = self.by.join(", ");
        if self.is_refuted {
            format!("marked as equivalent by {by}, but a test kills it, so it counts")
        } else {
            format!("marked as equivalent by {by}")
        }
    }
}

impl Store {
    /// Returns a number that changes whenever people's marks on mutants do.
    pub fn equivalents_version(&self) -> Result<i64, StoreError> {
        self.reading(refresh)
    }

    /// Finds a stable test, of any sample, that kills a mutant by an assertion or an error: the first in the order of
    /// runs and answers; nothing where no test does.
    pub fn killer(&self, mutant: &ContentHash) -> Result<Option<KillingTest>, StoreError> {
        self.reading(|conn| {
            let sql = format!(
                "SELECT r.name, p.attempt, x.outcome = {} FROM fault_pairs x JOIN mutants m ON m.id = x.mutant
                    JOIN predictions p ON p.id = x.prediction JOIN runs r ON r.id = p.id >> 32
                 WHERE m.hash = ?1 AND {} ORDER BY r.name, x.prediction LIMIT 1",
                code(FaultOutcome::ALL, FaultOutcome::KilledByAssertion),
                is_kill()
            );
            let found = conn.query_row(&sql, [&mutant.0[..]], |row| {
                let is_assertion: bool = row.get(2)?;
                Ok(KillingTest {
                    run: row.get(0)?,
                    attempt: row.get(1)?,
                    outcome: if is_assertion {
                        FaultOutcome::KilledByAssertion
                    } else {
                        FaultOutcome::KilledByError
                    },
                })
            });
            Ok(found.optional()?)
        })
    }
}

/// Writes the condition that the pair `x` shows that its mutant is not equivalent. A test whose outcome changes when it
/// is shaken proves nothing, and one that runs out of time or memory may only be slower.
fn is_kill() -> String {
    format!(
        "x.outcome IN ({}, {}) AND NOT EXISTS (SELECT 1 FROM shaken s
            WHERE s.prediction = x.prediction AND s.engine = x.engine AND s.changed <> 0)",
        code(FaultOutcome::ALL, FaultOutcome::KilledByAssertion),
        code(FaultOutcome::ALL, FaultOutcome::KilledByError)
    )
}

/// Opens the verdicts; nothing where the file is older than the marks. Counting must not change a file.
fn with_marks(conn: &Connection) -> Result<Option<Verdicts>, StoreError> {
    let folder = conn.path().and_then(|path| Path::new(path).parent());
    let folder = folder.unwrap_or(Path::new("."));
    match Verdicts::open(folder, StoreAccess::Read) {
        Ok(verdicts) => Ok(Some(verdicts)),
        Err(StoreError::Missing { .. }) => Ok(None),
        Err(StoreError::Older { found, .. }) if found < WITH_MARKS => Ok(None),
        Err(StoreError::Older { .. }) => Verdicts::open_or_empty(folder).map(Some),
        Err(error) => Err(error),
    }
}

/// Updates this connection's table, and returns a number that changes with the marks.
pub(super) fn refresh(conn: &Connection) -> Result<i64, StoreFailure> {
    conn.execute_batch(
        "CREATE TEMP TABLE IF NOT EXISTS equivalent (mutant INTEGER PRIMARY KEY, names TEXT NOT NULL,
            is_refuted INTEGER NOT NULL DEFAULT 0) STRICT;
         CREATE TEMP TABLE IF NOT EXISTS equivalent_version (events INTEGER NOT NULL, rows INTEGER NOT NULL) STRICT;",
    )?;
    let elsewhere = |error| StoreFailure::Elsewhere(Box::new(error));
    let verdicts = with_marks(conn).map_err(elsewhere)?;
    let events = match &verdicts {
        Some(verdicts) => verdicts.version().map_err(elsewhere)?,
        None => 0,
    };
    let now = (events, version::current(conn)?);
    let sql = "SELECT events, rows FROM temp.equivalent_version";
    let known = conn
        .query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    if known == Some(now) {
        return Ok(now.0);
    }
    conn.execute_batch("DELETE FROM temp.equivalent; DELETE FROM temp.equivalent_version;")?;
    let mut names: BTreeMap<[u8; 16], Vec<String>> = BTreeMap::new();
    let marks = match &verdicts {
        Some(verdicts) => verdicts.equivalents().map_err(elsewhere)?,
        None => Vec::new(),
    };
    for (mutant, annotator) in marks {
        names.entry(mutant.0).or_default().push(annotator);
    }
    let sql =
        "INSERT INTO temp.equivalent (mutant, names) SELECT id, ?2 FROM mutants WHERE hash = ?1";
    let mut insert = conn.prepare_cached(sql)?;
    let mut n_known = 0;
    for (mutant, names) in &names {
        // A name has no control characters: see `is_annotator`.
        n_known += insert.execute(params![&mutant[..], names.join("\n")])?;
    }
    // Pairs are stored by test, so finding the tests that kill a mutant means looking at all pairs.
    if n_known > 0 {
        let sql = format!(
            "UPDATE temp.equivalent SET is_refuted = 1 WHERE mutant IN (
                SELECT x.mutant FROM fault_pairs x
                WHERE x.mutant IN (SELECT q.mutant FROM temp.equivalent q) AND {})",
            is_kill()
        );
        conn.execute(&sql, [])?;
    }
    let sql = "INSERT INTO temp.equivalent_version (events, rows) VALUES (?1, ?2)";
    conn.execute(sql, [now.0, now.1])?;
    Ok(now.0)
}
