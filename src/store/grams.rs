//! The index of texts on disk, `text.db`: which methods may contain a given text.
//!
//! It never changes what a search finds: methods that may contain the text are read ([`super::text`]), those that
//! cannot are skipped, and those mined after the index was built are read as if there were no index.
//!
//! It is a separate database: building it takes longer than any writer of the index would wait, and it can be rebuilt.
//! Texts never change within a generation, so it holds a generation completely or not at all, and a generation that is
//! gone is deleted when the next one is added.

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use rustc_hash::FxHashSet;

use crate::model::Filter;
use crate::task::{Monitor, Phase};

use super::codec::ORDINAL_BITS;
use super::error::StoreFailure;
use super::open::{DatabaseKind, connect_current, connect_shared};
use super::texts::TextCache;
use super::{Store, StoreError};

const TEXT: DatabaseKind<'static> = DatabaseKind {
    // `FcTx`, for `file(1)` and for us.
    application_id: 0x4663_5478,
    migrations: &[include_str!("schema/text/0001_text.sql")],
    newest: None,
};

pub(super) const FILE_NAME: &str = "text.db";

const WRITER: &str = "PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32768; PRAGMA mmap_size = 0;
    PRAGMA journal_size_limit = 67108864;";

const READER: &str = "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -4096; PRAGMA mmap_size = 0;";

/// The maximum number of methods that may contain a text; beyond it, all methods are searched.
const N_METHODS_MAX: usize = 100_000;

/// The maximum number of three-character sequences of a text that one query asks for.
const N_GRAMS_MAX: usize = 24;

/// Rows between two checks for an interrupt: few enough for a person not to wait, enough for the checks to cost little.
const STEP: usize = 1_024;

/// The counts of [`Store::index_texts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextsIndexed {
    pub n_repos: u64,
    pub n_new: u64,
}

impl Store {
    /// Builds the missing parts of the index of texts, repository by repository, so that it continues where it was
    /// stopped.
    pub fn index_texts(&self, monitor: &Monitor) -> Result<TextsIndexed, StoreError> {
        let path = self.path().with_file_name(FILE_NAME);
        let text = connect_shared(&path, TEXT, WRITER)?;
        monitor.enter(Phase::Reading);
        monitor
            .n_samples
            .store(0, std::sync::atomic::Ordering::Relaxed);
        let n_samples = self.count(&Filter::default())?;
        (monitor.n_samples_total).store(n_samples, std::sync::atomic::Ordering::Relaxed);
        let current: Vec<i64> = self.reading(|conn| {
            let mut statement =
                conn.prepare("SELECT generation FROM repos ORDER BY identity, language")?;
            let generations = statement.query_map([], |row| row.get(0))?;
            Ok(generations.collect::<Result<_, _>>()?)
        })?;
        let known = sweep(&text, &current).map_err(|store_failure| store_failure.at(&path))?;
        let mut n_new = 0;
        for generation in current.iter().filter(|current| !known.contains(current)) {
            n_new += u64::from(self.reading(|conn| add(conn, &text, *generation, monitor))?);
        }
        Ok(TextsIndexed {
            n_repos: current.len() as u64,
            n_new,
        })
    }
}

/// Drops generations that are gone, or everything when most of them are; returns the generations that are left.
fn sweep(text: &Connection, current: &[i64]) -> Result<FxHashSet<i64>, StoreFailure> {
    let transaction = Transaction::new_unchecked(text, TransactionBehavior::Immediate)?;
    let known = generations(text)?;
    let gone: Vec<i64> = known
        .iter()
        .copied()
        .filter(|known| !current.contains(known))
        .collect();
    for generation in &gone {
        let range = params![generation << ORDINAL_BITS, (generation + 1) << ORDINAL_BITS];
        text.execute("DELETE FROM uses WHERE method >= ?1 AND method < ?2", range)?;
        text.execute(
            "DELETE FROM methods WHERE method >= ?1 AND method < ?2",
            range,
        )?;
        text.execute("DELETE FROM generations WHERE id = ?1", [generation])?;
    }
    let mut known: FxHashSet<i64> = known
        .into_iter()
        .filter(|known| !gone.contains(known))
        .collect();
    // A text that belongs to no method leads to no result when it is found.
    let is_mostly_gone = !gone.is_empty()
        && text.query_row(
            "SELECT 2 * (SELECT COUNT(DISTINCT body) FROM methods) < (SELECT COUNT(*) FROM bodies)",
            [],
            |row| row.get(0),
        )?;
    if is_mostly_gone {
        text.execute_batch(
            "INSERT INTO grams (grams) VALUES ('delete-all');
             DELETE FROM bodies; DELETE FROM methods; DELETE FROM uses; DELETE FROM generations;",
        )?;
        known.clear();
    }
    transaction.commit()?;
    Ok(known)
}

fn generations(text: &Connection) -> Result<Vec<i64>, StoreFailure> {
    let mut statement = text.prepare("SELECT id FROM generations")?;
    let ids = statement.query_map([], |row| row.get(0))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

/// Adds a generation in one transaction; returns whether it was added.
fn add(
    conn: &Connection,
    text: &Connection,
    generation: i64,
    monitor: &Monitor,
) -> Result<bool, StoreFailure> {
    let transaction = Transaction::new_unchecked(text, TransactionBehavior::Immediate)?;
    // Another process has added it meanwhile, or it was replaced in the index.
    let is_there = "SELECT EXISTS (SELECT 1 FROM generations WHERE id = ?1)";
    let is_current = "SELECT EXISTS (SELECT 1 FROM repos WHERE generation = ?1)";
    if text.query_row(is_there, [generation], |row| row.get(0))?
        || !conn.query_row(is_current, [generation], |row| row.get::<_, bool>(0))?
    {
        return Ok(false);
    }
    let mut known = text.prepare("SELECT id FROM bodies WHERE hash = ?1")?;
    let mut body = text.prepare("INSERT INTO bodies (hash) VALUES (?1)")?;
    let mut gram = text.prepare("INSERT INTO grams (rowid, body) VALUES (?1, ?2)")?;
    let mut place = text.prepare("INSERT INTO methods (body, method) VALUES (?1, ?2)")?;
    let mut usage =
        text.prepare("INSERT OR IGNORE INTO uses (method, decision) VALUES (?1, ?2)")?;
    let range = params![generation << ORDINAL_BITS, (generation + 1) << ORDINAL_BITS];
    let mut methods = FxHashSet::default();
    let mut statement = conn.prepare(
        "SELECT id, method, focal_method FROM decisions WHERE id >= ?1 AND id < ?2 ORDER BY id",
    )?;
    let mut rows = statement.query(range)?;
    while let Some(row) = rows.next()? {
        let decision: i64 = row.get(0)?;
        let test: i64 = row.get(1)?;
        for method in [Some(test), row.get(2)?].into_iter().flatten() {
            usage.execute([method, decision])?;
            methods.insert(method);
        }
    }
    let mut methods: Vec<i64> = methods.into_iter().collect();
    methods.sort_unstable();
    let mut texts = TextCache::lower(conn)?;
    for method in methods {
        monitor.step()?;
        let (text, span) = texts.of_method(method)?;
        let source = span.of(&text);
        // The tokenizer treats a NUL as the end of the text.
        let id = if source.as_bytes().contains(&0) {
            0
        } else {
            let mut hash = [0; 16];
            let mut hasher = blake3::Hasher::new();
            hasher
                .update(source.as_bytes())
                .finalize_xof()
                .fill(&mut hash);
            let mut found = known.query([hash])?;
            if let Some(row) = found.next()? {
                row.get(0)?
            } else {
                let id = body.insert([hash])?;
                gram.execute(params![id, source])?;
                id
            }
        };
        place.execute([id, method])?;
        monitor
            .n_samples
            .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }
    text.execute("INSERT INTO generations (id) VALUES (?1)", [generation])?;
    transaction.commit()?;
    Ok(true)
}

/// Finds the methods of each generation that may contain a text.
pub(super) struct GramIndex {
    text: Connection,
    pub generations: FxHashSet<i64>,
}

impl GramIndex {
    /// Opens the file next to the index; nothing where it is missing or unreadable, since searches only use it to be
    /// faster.
    pub(super) fn open(conn: &Connection) -> Result<Option<Self>, StoreFailure> {
        let Some(folder) = conn.path().and_then(|path| Path::new(path).parent()) else {
            return Ok(None);
        };
        let path = folder.join(FILE_NAME);
        if !path.is_file() {
            return Ok(None);
        }
        let Ok(text) = connect_current(&path, TEXT) else {
            return Ok(None);
        };
        // All queries read the same state of the file.
        text.execute_batch(READER)?;
        text.execute_batch("BEGIN")?;
        let generations = generations(&text)?.into_iter().collect();
        Ok(Some(Self { text, generations }))
    }

    /// Finds the methods that may contain a lower-case text, sorted; nothing when it is shorter than three characters
    /// or when too many may. Stops where an interrupt stops `conn`.
    pub(super) fn methods(
        &self,
        conn: &Connection,
        needle: &str,
    ) -> Result<Option<Vec<i64>>, StoreFailure> {
        let Some(grams) = grams(needle) else {
            return Ok(None);
        };
        let mut steps = EndlessStatement::new(conn)?;
        let mut steps = steps.begin()?;
        let mut statement = self.text.prepare(
            "SELECT method FROM methods WHERE body = 0
             UNION ALL SELECT m.method FROM grams g CROSS JOIN methods m ON m.body = g.rowid WHERE g.grams MATCH ?1",
        )?;
        let mut rows = statement.query([grams])?;
        let mut methods = Vec::new();
        while let Some(row) = rows.next()? {
            if methods.len() == N_METHODS_MAX {
                return Ok(None);
            }
            if methods.len().is_multiple_of(STEP) {
                steps.next()?;
            }
            methods.push(row.get(0)?);
        }
        methods.sort_unstable();
        Ok(Some(methods))
    }

    /// Finds the decisions whose test or focal method is one of these methods, sorted.
    pub(super) fn decisions(&self, methods: &[i64]) -> Result<Vec<i64>, StoreFailure> {
        let mut statement = (self.text).prepare("SELECT decision FROM uses WHERE method = ?1")?;
        let mut decisions = Vec::with_capacity(methods.len());
        for method in methods {
            let mut rows = statement.query([method])?;
            while let Some(row) = rows.next()? {
                decisions.push(row.get(0)?);
            }
        }
        decisions.sort_unstable();
        decisions.dedup();
        Ok(decisions)
    }
}

/// A statement that never ends, on the connection that a user may interrupt while another connection runs the query.
pub(super) struct EndlessStatement<'c>(rusqlite::Statement<'c>);

impl<'c> EndlessStatement<'c> {
    pub(super) fn new(conn: &'c Connection) -> Result<Self, StoreFailure> {
        let endless =
            "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
        Ok(Self(conn.prepare(endless)?))
    }

    pub(super) fn begin(&mut self) -> Result<rusqlite::Rows<'_>, StoreFailure> {
        Ok(self.0.query([])?)
    }
}

/// Writes the query for the three-character sequences of a text; nothing for a shorter text, or for one that is never
/// indexed.
fn grams(needle: &str) -> Option<String> {
    let chars: Vec<char> = needle.chars().collect();
    if chars.len() < 3 || chars.contains(&'\0') {
        return None;
    }
    let mut grams: Vec<String> = chars
        .windows(3)
        .map(|gram| {
            let gram: String = gram.iter().collect();
            format!("\"{}\"", gram.replace('"', "\"\""))
        })
        .collect();
    grams.sort_unstable();
    grams.dedup();
    // Sequences that are spread out narrow the search more.
    let every = grams.len().div_ceil(N_GRAMS_MAX);
    let grams: Vec<String> = grams.into_iter().step_by(every).collect();
    Some(grams.join(" AND "))
}
