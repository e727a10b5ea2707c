//! Copying repositories from another index, row by row as they are stored: nothing is parsed, compressed or kept in
//! memory.
//!
//! Decides which of two versions of a repository is taken, and copies it as a new generation. Assignments over all
//! repositories of the other index (duplicates, splits) are not copied: [`Store::settle`] makes them anew here. Ids
//! consist of the generation and an ordinal, so a row is moved by changing the generation in its ids.

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

use crate::model::{Language, RepoKey, Split};
use crate::task::Monitor;

use super::batch::WriteBatch;
use super::codec::{ORDINAL_BITS, code, decode, repo_key, row_id};
use super::error::StoreFailure;
use super::report::tally;
use super::settle::split_of;
use super::{Store, StoreError, version};

/// The facts about a repository that merging needs.
#[derive(Clone, Debug, PartialEq)]
pub struct MergeRepo {
    pub key: RepoKey,
    /// The hash of the code that computed its rows.
    pub code: String,
    /// The name of the dataset that it came with.
    pub dataset: Option<String>,
    /// Whether its project split is assigned; it is not after a killed run.
    pub is_settled: bool,
    pub n_tests: u64,
    /// Of several versions of a repository, the one with the greatest rank is taken, whatever their order. Versions
    /// with equal ranks have equal rows.
    pub rank: MergeRank,
}

/// The rank of a version of a repository: a mined version is above one that came with a dataset.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MergeRank {
    is_mined: bool,
    /// A hash of all columns except those that differ in every index: an arbitrary but fixed order.
    hash: [u8; 32],
}

/// Tables in which a generation has a range of ids, with the columns that hold ids.
const TABLES: [(&str, &str, &[&str]); 6] = [
    ("methods", "id", &["id", "file"]),
    ("declared", "file", &["file"]),
    ("tests", "id", &["id", "method"]),
    ("decisions", "id", &["id", "file", "method", "focal_method"]),
    ("details", "id", &["id", "implementation"]),
    ("problems", "id", &["id"]),
];

/// The columns that differ in every index.
const NOT_DESCRIBED: [&str; 5] = ["id", "generation", "root", "split", "is_settled"];

impl Store {
    /// Reads the repositories with the ranks of their versions, by identity and language.
    pub fn merge_repos(&self) -> Result<Vec<MergeRepo>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(
                "SELECT r.identity, r.language, r.stamp_code, r.is_settled, r.n_tests, d.name AS dataset, r.*
                 FROM repos r LEFT JOIN datasets d ON d.repo = r.id ORDER BY r.identity, r.language",
            )?;
            let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
            let described: Vec<usize> = (6..names.len())
                .filter(|idx| !NOT_DESCRIBED.contains(&names[*idx].as_str()))
                .collect();
            let mut rows = statement.query([])?;
            let mut repos = Vec::new();
            while let Some(row) = rows.next()? {
                let code: String = row.get(2)?;
                let dataset: Option<String> = row.get(5)?;
                let mut hasher = blake3::Hasher::new();
                hasher.update(format!("{dataset:?}").as_bytes());
                for idx in &described {
                    hasher.update(format!("{:?}", row.get_ref(*idx)?.to_owned_value()).as_bytes());
                }
                repos.push(MergeRepo {
                    key: repo_key(row, 0)?,
                    is_settled: row.get(3)?,
                    n_tests: super::codec::count(row, 4)?,
                    rank: MergeRank {
                        is_mined: dataset.is_none(),
                        hash: *hasher.finalize().as_bytes(),
                    },
                    code,
                    dataset,
                });
            }
            Ok(repos)
        })
    }

    /// Copies a repository of another index in place of the rows here; the caller runs [`Store::settle`] once after the
    /// last one. After a failure, the former rows are still there.
    ///
    /// # Errors
    /// Those of either index, with its path, and [`StoreError::Cancelled`].
    pub fn merge_repo(
        &mut self,
        from: &Self,
        key: &RepoKey,
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        self.writing(|conn| copy(conn, from, key, AssignmentRule::Anew, monitor))?;
        self.named(|| self.sweep(monitor))
    }

    /// Copies a repository of another index unchanged, with its splits and duplicates: for an index that is a part of
    /// the other one and is never settled by itself.
    ///
    /// # Errors
    /// As [`Store::merge_repo`].
    pub fn slice_repo(
        &mut self,
        from: &Self,
        key: &RepoKey,
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        self.writing(|conn| copy(conn, from, key, AssignmentRule::Kept, monitor))
    }

    /// Checks that every page of the file can be read and that the indexes match the tables.
    ///
    /// # Errors
    /// [`StoreError::Damaged`], with the first thing that is wrong.
    pub fn check_pages(&self) -> Result<(), StoreError> {
        self.named(|| {
            let said: String = self
                .conn
                .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
            if said == "ok" {
                Ok(())
            } else {
                Err(StoreFailure::Damaged(said))
            }
        })
    }
}

/// A value that outlives its row.
trait ToOwnedValue {
    fn to_owned_value(self) -> Value;
}

impl ToOwnedValue for ValueRef<'_> {
    fn to_owned_value(self) -> Value {
        match self {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(integer) => Value::Integer(integer),
            ValueRef::Real(real) => Value::Real(real),
            ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
            ValueRef::Blob(blob) => Value::Blob(blob.to_vec()),
        }
    }
}

/// Adds the path of the index that is read to its failure.
fn elsewhere<T>(from: &Store, result: Result<T, rusqlite::Error>) -> Result<T, StoreFailure> {
    result
        .map_err(|error| StoreFailure::Elsewhere(Box::new(StoreFailure::Sql(error).at(&from.path))))
}

/// The generation that is read, and the one that is written.
#[derive(Clone, Copy)]
struct GenerationMove {
    from: i64,
    to: i64,
}

impl GenerationMove {
    const fn id(self, id: i64) -> i64 {
        id - (self.from << ORDINAL_BITS) + (self.to << ORDINAL_BITS)
    }
}

/// How to treat the assignments over all repositories of the other index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AssignmentRule {
    /// The caller runs [`Store::settle`].
    Anew,
    Kept,
}

fn copy(
    conn: &Connection,
    from: &Store,
    key: &RepoKey,
    assigned: AssignmentRule,
    monitor: &Monitor,
) -> Result<(), StoreFailure> {
    let language = code(Language::ALL, key.language);
    let (repo, generation): (i64, i64) = elsewhere(
        from,
        from.conn.query_row(
            "SELECT id, generation FROM repos WHERE identity = ?1 AND language = ?2",
            params![key.identity, language],
            |row| Ok((row.get(0)?, row.get(1)?)),
        ),
    )?;
    conn.execute("INSERT INTO hidden DEFAULT VALUES", [])?;
    let moved = GenerationMove {
        from: generation,
        to: conn.last_insert_rowid(),
    };
    copy_files(conn, from, moved, monitor)?;
    let is_dataset = elsewhere(
        from,
        from.conn
            .prepare("SELECT 1 FROM datasets WHERE repo = ?1")
            .and_then(|mut statement| statement.exists([repo])),
    )?;
    for (table, order, ids) in TABLES {
        let table = MergedTable {
            name: table,
            order,
            ids,
            // Splits that a dataset gives are not assignments.
            keeps_split: is_dataset || assigned == AssignmentRule::Kept,
            keeps_duplicate: assigned == AssignmentRule::Kept,
        };
        copy_rows(conn, from, &table, moved, monitor)?;
    }
    monitor.step()?;
    make_current(conn, from, (repo, key), (moved, assigned))
}

fn copy_files(
    conn: &Connection,
    from: &Store,
    moved: GenerationMove,
    monitor: &Monitor,
) -> Result<(), StoreFailure> {
    let mut read = elsewhere(
        from,
        from.conn.prepare(
            "SELECT f.id, f.is_test, f.path, s.hash, s.size_bytes, s.zstd FROM files f JOIN sources s ON s.id = f.source
             WHERE f.id >= ?1 AND f.id < ?2 ORDER BY f.id",
        ),
    )?;
    let mut known = conn.prepare("SELECT id FROM sources WHERE hash = ?1")?;
    let mut source =
        conn.prepare("INSERT INTO sources (hash, size_bytes, zstd) VALUES (?1, ?2, ?3)")?;
    let mut file =
        conn.prepare("INSERT INTO files (id, source, is_test, path) VALUES (?1, ?2, ?3, ?4)")?;
    let range = [row_id(moved.from, 0), row_id(moved.from + 1, 0)];
    let mut rows = elsewhere(from, read.query(range))?;
    let mut batch = WriteBatch::begin(conn, monitor)?;
    while let Some(row) = elsewhere(from, rows.next())? {
        batch.rows(2)?;
        let value = |idx| elsewhere(from, row.get_ref(idx)).map(ToSqlOutput::Borrowed);
        let hash = value(3)?;
        let found: Option<i64> = known.query_row([&hash], |row| row.get(0)).optional()?;
        let id = if let Some(id) = found {
            id
        } else {
            // Only here are the pages with its text read.
            source.execute(params![hash, value(4)?, value(5)?])?;
            conn.last_insert_rowid()
        };
        let place = moved.id(row.get(0)?);
        file.execute(params![place, id, value(1)?, value(2)?])?;
    }
    batch.finish()
}

struct MergedTable {
    name: &'static str,
    order: &'static str,
    ids: &'static [&'static str],
    keeps_split: bool,
    keeps_duplicate: bool,
}

/// How a column is copied.
#[derive(Clone, Copy)]
enum MergedColumn {
    Same,
    Id,
    /// Not assigned yet.
    Split,
    Duplicate,
}

impl MergedTable {
    fn column(&self, name: &str) -> MergedColumn {
        match name {
            "split" if !self.keeps_split => MergedColumn::Split,
            "is_duplicate" if !self.keeps_duplicate => MergedColumn::Duplicate,
            _ if self.ids.contains(&name) => MergedColumn::Id,
            _ => MergedColumn::Same,
        }
    }
}

fn copy_rows(
    conn: &Connection,
    from: &Store,
    table: &MergedTable,
    moved: GenerationMove,
    monitor: &Monitor,
) -> Result<(), StoreFailure> {
    let (name, order) = (table.name, table.order);
    let mut read = elsewhere(
        from,
        from.conn.prepare(&format!(
            "SELECT * FROM {name} WHERE {order} >= ?1 AND {order} < ?2 ORDER BY {order}"
        )),
    )?;
    let names: Vec<String> = read.column_names().map(str::to_owned).collect();
    let columns: Vec<MergedColumn> = names.iter().map(|name| table.column(name)).collect();
    let mut write = conn.prepare(&insert(name, &names))?;
    let range = [row_id(moved.from, 0), row_id(moved.from + 1, 0)];
    let mut rows = elsewhere(from, read.query(range))?;
    let mut batch = WriteBatch::begin(conn, monitor)?;
    while let Some(row) = elsewhere(from, rows.next())? {
        batch.rows(1)?;
        for (idx, column) in columns.iter().enumerate() {
            let value = elsewhere(from, row.get_ref(idx))?;
            let place = idx + 1;
            match (column, value) {
                (MergedColumn::Id, ValueRef::Integer(id)) => {
                    write.raw_bind_parameter(place, moved.id(id))?;
                }
                (MergedColumn::Split, _) => write.raw_bind_parameter(place, -1)?,
                (MergedColumn::Duplicate, _) => write.raw_bind_parameter(place, 0)?,
                (_, value) => write.raw_bind_parameter(place, ToSqlOutput::Borrowed(value))?,
            }
        }
        write.raw_execute()?;
    }
    batch.finish()
}

fn insert(table: &str, names: &[String]) -> String {
    let places: Vec<String> = (1..=names.len()).map(|n| format!("?{n}")).collect();
    let (names, places) = (names.join(", "), places.join(", "));
    format!("INSERT INTO {table} ({names}) VALUES ({places})")
}

/// The last small transaction: the copy becomes visible, and the former rows of the repository disappear.
fn make_current(
    conn: &Connection,
    from: &Store,
    (repo, key): (i64, &RepoKey),
    (moved, assigned): (GenerationMove, AssignmentRule),
) -> Result<(), StoreFailure> {
    let transaction =
        rusqlite::Transaction::new_unchecked(conn, rusqlite::TransactionBehavior::Immediate)?;
    let language = code(Language::ALL, key.language);
    let former: Option<i64> = transaction
        .query_row(
            "SELECT generation FROM repos WHERE identity = ?1 AND language = ?2",
            params![key.identity, language],
            |row| row.get(0),
        )
        .optional()?;
    write_repo(&transaction, from, repo, (moved, assigned))?;
    transaction.execute("DELETE FROM hidden WHERE id = ?1", [moved.to])?;
    if let Some(former) = former {
        transaction.execute("INSERT INTO hidden (id) VALUES (?1)", [former])?;
    }
    let here: i64 = transaction.query_row(
        "SELECT id FROM repos WHERE generation = ?1",
        [moved.to],
        |row| row.get(0),
    )?;
    tally(&transaction, moved.to)?;
    transaction.execute("DELETE FROM resolutions WHERE repo = ?1", [here])?;
    let resolutions = |row: &Row<'_>| -> Result<[i64; 3], rusqlite::Error> {
        Ok([row.get(0)?, row.get(1)?, row.get(2)?])
    };
    let mut read = elsewhere(
        from,
        from.conn
            .prepare("SELECT outcome, reason, n_calls FROM resolutions WHERE repo = ?1"),
    )?;
    for row in elsewhere(from, read.query_map([repo], resolutions))? {
        let [outcome, reason, n_calls] = elsewhere(from, row)?;
        transaction.execute(
            "INSERT INTO resolutions (repo, outcome, reason, n_calls) VALUES (?1, ?2, ?3, ?4)",
            [here, outcome, reason, n_calls],
        )?;
    }
    copy_dataset(&transaction, from, (repo, here), key)?;
    version::touch(&transaction)?;
    transaction.commit()?;
    Ok(())
}

fn write_repo(
    conn: &Connection,
    from: &Store,
    repo: i64,
    (moved, assigned): (GenerationMove, AssignmentRule),
) -> Result<(), StoreFailure> {
    let mut read = elsewhere(from, from.conn.prepare("SELECT * FROM repos WHERE id = ?1"))?;
    let names: Vec<String> = read.column_names().map(str::to_owned).collect();
    let values = elsewhere(
        from,
        read.query_row([repo], |row| {
            (0..names.len())
                .map(|idx| Ok(row.get_ref(idx)?.to_owned_value()))
                .collect::<Result<Vec<Value>, rusqlite::Error>>()
        }),
    )?;
    let (mut kept, mut bound) = (Vec::new(), Vec::new());
    for (name, value) in names.into_iter().zip(values) {
        let value = match name.as_str() {
            // This index assigns a new id.
            "id" => continue,
            "generation" => Value::Integer(moved.to),
            "split" if assigned == AssignmentRule::Anew => Value::Integer(-1),
            "is_settled" if assigned == AssignmentRule::Anew => Value::Integer(0),
            _ => value,
        };
        kept.push(name);
        bound.push(value);
    }
    let stays = |name: &str| matches!(name, "identity" | "language" | "split");
    let set: Vec<String> = kept
        .iter()
        .filter(|kept| !stays(kept))
        .map(|kept| format!("{kept} = excluded.{kept}"))
        .collect();
    let sql = format!(
        "{} ON CONFLICT (identity, language) DO UPDATE SET {}",
        insert("repos", &kept),
        set.join(", ")
    );
    conn.execute(&sql, params_from_iter(bound))?;
    Ok(())
}

/// Copies the dataset that a repository came with, and the project split if the dataset gives it, but not one that the
/// seed or a group determines.
fn copy_dataset(
    conn: &Connection,
    from: &Store,
    (repo, here): (i64, i64),
    key: &RepoKey,
) -> Result<(), StoreFailure> {
    conn.execute("DELETE FROM datasets WHERE repo = ?1", [here])?;
    let name: Option<String> = elsewhere(
        from,
        from.conn
            .query_row("SELECT name FROM datasets WHERE repo = ?1", [repo], |row| {
                row.get(0)
            })
            .optional(),
    )?;
    let Some(name) = name else { return Ok(()) };
    conn.execute(
        "INSERT INTO datasets (repo, name) VALUES (?1, ?2)",
        params![here, name],
    )?;
    let assigned: Option<(String, i64)> = elsewhere(
        from,
        from.conn
            .query_row(
                "SELECT leader, split FROM project_splits WHERE identity = ?1",
                [&key.identity],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .optional(),
    )?;
    let Some((leader, split)) = assigned.filter(|assigned| assigned.0 == key.identity) else {
        return Ok(());
    };
    let seed = super::report::seed(&from.conn)?.unwrap_or_default();
    if decode(Split::ALL, split)? != split_of(seed, b"project", key.identity.as_bytes()) {
        conn.execute(
            "INSERT INTO project_splits (identity, leader, split) VALUES (?1, ?1, ?2)
             ON CONFLICT (identity) DO UPDATE SET leader = ?1, split = ?2",
            params![leader, split],
        )?;
    }
    Ok(())
}
