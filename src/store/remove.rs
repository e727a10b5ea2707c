//! Removing rows: a repository on request, and generations that are no longer visible.

use rusqlite::{Connection, params};

use crate::model::Language;
use crate::task::Monitor;

use super::batch::{ROWS_MAX, WriteBatch, delete_in_pieces};
use super::codec::{code, integer, row_id};
use super::error::StoreFailure;
use super::{Store, StoreError, settle, version};

impl Store {
    /// Removes a project, by its identity or, where that is unique, by its name: in every language, or in one. Returns
    /// its identity, or nothing when there is none.
    ///
    /// Where the project's samples had duplicates elsewhere, a duplicate takes the place of each; splits stay assigned,
    /// so that the project gets the same ones if it is mined again.
    ///
    /// # Errors
    /// [`StoreError::Filter`] when several projects have the name.
    pub fn remove_repo(
        &mut self,
        name_or_identity: &str,
        language: Option<Language>,
        monitor: &Monitor,
    ) -> Result<Option<String>, StoreError> {
        let identity = self.writing(|conn| {
            let language = language.map(|language| code(Language::ALL, language));
            let Some(identity) = identify(conn, name_or_identity, language)? else {
                return Ok(None);
            };
            let transaction = rusqlite::Transaction::new_unchecked(
                conn,
                rusqlite::TransactionBehavior::Immediate,
            )?;
            let repos = transaction
                .prepare(
                    "SELECT id, generation FROM repos WHERE identity = ?1 AND (?2 IS NULL OR language = ?2)",
                )?
                .query_map(params![identity, language], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })?
                .collect::<Result<Vec<(i64, i64)>, _>>()?;
            for (repo, generation) in &repos {
                transaction.execute("DELETE FROM repos WHERE id = ?1", [repo])?;
                transaction.execute("INSERT INTO hidden (id) VALUES (?1)", [generation])?;
            }
            version::touch(&transaction)?;
            transaction.commit()?;
            for (repo, _) in repos {
                let gone = settle::gone_from(conn, repo)?;
                settle::release(conn, &gone, monitor)?;
            }
            Ok(Some(identity))
        })?;
        if identity.is_some() {
            self.named(|| self.sweep(monitor))?;
        }
        Ok(identity)
    }

    /// Deletes the rows of every hidden generation, in short transactions. Only the writer calls this, and only while
    /// no generation is being written: a hidden generation is then old, or left behind by a killed run.
    pub(super) fn sweep(&self, monitor: &Monitor) -> Result<(), StoreFailure> {
        let mut hidden = self.conn.prepare("SELECT id FROM hidden ORDER BY id")?;
        let generations = hidden
            .query_map([], |row| row.get(0))?
            .collect::<Result<Vec<i64>, _>>()?;
        for generation in generations {
            sweep_generation(&self.conn, generation, monitor)?;
        }
        Ok(())
    }
}

fn identify(
    conn: &Connection,
    name_or_identity: &str,
    language: Option<i64>,
) -> Result<Option<String>, StoreFailure> {
    let identities = |column: &str| -> Result<Vec<String>, StoreFailure> {
        let mut statement = conn.prepare(&format!(
            "SELECT DISTINCT identity FROM repos WHERE {column} = ?1 AND (?2 IS NULL OR language = ?2)
             ORDER BY identity"
        ))?;
        let found = statement.query_map(params![name_or_identity, language], |row| row.get(0))?;
        Ok(found.collect::<Result<_, _>>()?)
    };
    if let Some(exact) = identities("identity")?.pop() {
        return Ok(Some(exact));
    }
    let mut named = identities("name")?;
    match named.len() {
        0 | 1 => Ok(named.pop()),
        _ => Err(StoreFailure::Filter {
            field: "repo".to_owned(),
            value: name_or_identity.to_owned(),
        }),
    }
}

fn sweep_generation(
    conn: &Connection,
    generation: i64,
    monitor: &Monitor,
) -> Result<(), StoreFailure> {
    let range = [row_id(generation, 0), row_id(generation + 1, 0)];
    // Deleted by key: SQLite's own `DELETE … LIMIT` is a compile-time option.
    for delete in [
        "DELETE FROM details WHERE id IN (SELECT id FROM details WHERE id >= ?1 AND id < ?2 LIMIT ?3)",
        "DELETE FROM decisions WHERE id IN (SELECT id FROM decisions WHERE id >= ?1 AND id < ?2 LIMIT ?3)",
        "DELETE FROM tests WHERE id IN (SELECT id FROM tests WHERE id >= ?1 AND id < ?2 LIMIT ?3)",
        "DELETE FROM methods WHERE id IN (SELECT id FROM methods WHERE id >= ?1 AND id < ?2 LIMIT ?3)",
        "DELETE FROM declared WHERE file IN (SELECT file FROM declared WHERE file >= ?1 AND file < ?2 LIMIT ?3)",
        "DELETE FROM problems WHERE id IN (SELECT id FROM problems WHERE id >= ?1 AND id < ?2 LIMIT ?3)",
    ] {
        delete_in_pieces(conn, delete, range, monitor)?;
    }
    sweep_files(conn, range, monitor)?;
    conn.execute("DELETE FROM hidden WHERE id = ?1", [generation])?;
    Ok(())
}

/// Deletes files, and the sources that no file has any more.
fn sweep_files(conn: &Connection, range: [i64; 2], monitor: &Monitor) -> Result<(), StoreFailure> {
    let mut next = conn
        .prepare("SELECT id, source FROM files WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3")?;
    let mut delete_file = conn.prepare("DELETE FROM files WHERE id = ?1")?;
    let mut delete_source = conn.prepare(
        "DELETE FROM sources WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM files WHERE source = ?1)",
    )?;
    loop {
        let batch = WriteBatch::begin(conn, monitor)?;
        // Half as many as elsewhere, as deleting a file may delete its source, too.
        let files = next
            .query_map(params![range[0], range[1], integer(ROWS_MAX / 2)], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?
            .collect::<Result<Vec<(i64, i64)>, _>>()?;
        for (file, source) in &files {
            delete_file.execute([file])?;
            delete_source.execute([source])?;
        }
        batch.finish()?;
        if files.is_empty() {
            return Ok(());
        }
    }
}
