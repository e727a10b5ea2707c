//! The reactions of tests to variants of the code that keep the contract: written test by test, read as pairs or as the
//! kinds that each test objects to. A duplicate shares the pairs of the test that ran in its place, so they are stored
//! once.

use rusqlite::{Connection, OptionalExtension, Row, params};
use rustc_hash::FxHashMap;

use crate::model::{
    ContentHash, Language, SampleKey, Variant, VariantEdit, VariantKind, VariantKinds,
};
use crate::task::Monitor;

use super::codec::{code, decode, row_id};
use super::error::StoreFailure;
use super::tested::ORIGINAL;
use super::{Store, StoreError};

/// The outcome of a test on a variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariantPair<V> {
    pub variant: V,
    pub objects: bool,
    /// Else the pair is not counted.
    pub is_sound: bool,
    /// The class of the first exception, where there was one.
    pub by: Option<String>,
}

/// The outcome of a test on its variants, to be stored.
#[derive(Clone, Debug)]
pub struct WrittenVariants<'v> {
    pub ordinal: u32,
    /// Of all that decides it.
    pub stamp: ContentHash,
    /// Absent where the test does not pass on the unchanged code.
    pub pairs: Option<Vec<VariantPair<&'v Variant>>>,
}

/// A pair with its test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredVariant {
    pub run: String,
    pub sample: SampleKey,
    pub attempt: u32,
    pub pair: VariantPair<Variant>,
}

impl Store {
    /// Writes how a run's tests with this engine reacted to variants, in place of the former rows.
    pub fn write_varied(
        &mut self,
        (run, engine): (i64, &str),
        written: &[WrittenVariants<'_>],
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        self.write_tested(
            written,
            monitor,
            |written_variants| {
                let pairs = written_variants.pairs.as_deref().unwrap_or_default();
                let n_edits: usize = pairs.iter().map(|pair| pair.variant.edits.len()).sum();
                1 + 2 * pairs.len() + n_edits
            },
            |conn, written_variants| {
                write(
                    conn,
                    (row_id(run, written_variants.ordinal), engine),
                    written_variants,
                )
            },
        )
    }

    /// Tells whether any test of a run ran on variants with this engine.
    pub fn has_varied(&self, run: i64, engine: &str) -> Result<bool, StoreError> {
        self.has_any_in("varied", (run, engine))
    }

    /// Reads the input hashes of the stored reactions of a run's tests with this engine to variants, by number.
    pub fn varied_stamps(
        &self,
        run: i64,
        engine: &str,
    ) -> Result<FxHashMap<u32, ContentHash>, StoreError> {
        self.stamps_in("varied", (run, engine))
    }

    /// Reads how the tests of a sample reacted to variants, in the order of kinds, runs and attempts.
    pub fn varied_of_sample(&self, sample: &SampleKey) -> Result<Vec<StoredVariant>, StoreError> {
        let mut found = Vec::new();
        self.reading(|conn| {
            let mut statement = conn.prepare(&format!(
                "SELECT r.name, p.key, p.attempt, x.objects, x.is_sound, x.thrown,
                    v.id, v.hash, v.language, v.kind, v.file
                 FROM predictions p JOIN runs r ON r.id = p.id >> 32
                    JOIN executions e ON e.prediction = p.id
                    JOIN varied_pairs x ON x.prediction = {ORIGINAL} AND x.engine = e.engine
                    JOIN variants v ON v.id = x.variant
                 WHERE p.key = ?1 AND (p.id & 4294967295) < r.n_predictions
                 ORDER BY v.kind, v.file, v.hash, r.name, p.attempt"
            ))?;
            let mut rows = statement.query([&sample.0[..]])?;
            while let Some(row) = rows.next()? {
                found.push(stored(conn, row)?);
            }
            Ok(())
        })?;
        Ok(found)
    }
}

fn write(
    conn: &Connection,
    (prediction, engine): (i64, &str),
    written: &WrittenVariants<'_>,
) -> Result<(), StoreFailure> {
    let sound = || written.pairs.iter().flatten().filter(|pair| pair.is_sound);
    let held: VariantKinds = sound()
        .map(|variant_pair| variant_pair.variant.kind)
        .collect();
    let objects = sound().filter(|variant_pair| variant_pair.objects);
    let objects: VariantKinds = objects.map(|object| object.variant.kind).collect();
    let sql = "INSERT OR REPLACE INTO varied (prediction, engine, stamp, is_settled, held, objects)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    conn.prepare_cached(sql)?.execute(params![
        prediction,
        engine,
        &written.stamp.0[..],
        written.pairs.is_some(),
        held.bits(),
        objects.bits()
    ])?;
    let sql = "INSERT INTO varied_pairs (prediction, engine, variant, objects, is_sound, thrown)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let mut statement = conn.prepare_cached(sql)?;
    for pair in written.pairs.iter().flatten() {
        let variant = id_of(conn, pair.variant)?;
        statement.execute(params![
            prediction,
            engine,
            variant,
            pair.objects,
            pair.is_sound,
            pair.by
        ])?;
    }
    Ok(())
}

/// Finds the row of a variant, and writes it where it is new.
fn id_of(conn: &Connection, variant: &Variant) -> Result<i64, StoreFailure> {
    let known = conn
        .prepare_cached("SELECT id FROM variants WHERE hash = ?1")?
        .query_row([&variant.id.0[..]], |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    let sql = "INSERT INTO variants (hash, language, kind, file) VALUES (?1, ?2, ?3, ?4)";
    conn.prepare_cached(sql)?.execute(params![
        &variant.id.0[..],
        code(Language::ALL, variant.language),
        code(VariantKind::ALL, variant.kind),
        variant.file,
    ])?;
    let id = conn.last_insert_rowid();
    let sql =
        "INSERT INTO variant_edits (variant, first, behind, replacement) VALUES (?1, ?2, ?3, ?4)";
    let mut statement = conn.prepare_cached(sql)?;
    for edit in &variant.edits {
        statement.execute(params![id, edit.start, edit.end, edit.replacement])?;
    }
    Ok(id)
}

fn stored(conn: &Connection, row: &Row<'_>) -> Result<StoredVariant, StoreFailure> {
    let sql =
        "SELECT first, behind, replacement FROM variant_edits WHERE variant = ?1 ORDER BY first";
    let mut statement = conn.prepare_cached(sql)?;
    let edits = statement.query_map([row.get::<_, i64>(6)?], |row| {
        Ok(VariantEdit {
            start: row.get(0)?,
            end: row.get(1)?,
            replacement: row.get(2)?,
        })
    })?;
    Ok(StoredVariant {
        run: row.get(0)?,
        sample: SampleKey(row.get(1)?),
        attempt: row.get(2)?,
        pair: VariantPair {
            objects: row.get(3)?,
            is_sound: row.get(4)?,
            by: row.get(5)?,
            variant: Variant {
                id: ContentHash(row.get(7)?),
                language: decode(Language::ALL, row.get(8)?)?,
                kind: decode(VariantKind::ALL, row.get(9)?)?,
                file: row.get(10)?,
                edits: edits.collect::<Result<_, _>>()?,
            },
        },
    })
}
