//! Equivalent variants of functions, a model's completions of their first halves, and how similar those are, by the
//! name of a run.
//!
//! Decides how they are stored in the index. A function is stored once with all its variants; with other variants it is
//! another row, so completions never belong to a text that they were not made from. A judgement is deleted when one of
//! the completions behind it changes.

use rusqlite::{Connection, OptionalExtension, params};

use crate::model::Language;
use crate::task::Monitor;

use super::batch::WriteBatch;
use super::codec::{code, decode, integer};
use super::error::StoreFailure;
use super::{Store, StoreError, version};

/// A function that is mutated, with its variants.
#[derive(Clone, Debug, PartialEq)]
pub struct MutationSeed {
    /// The name that `focalist mutate` or the user gives the function.
    pub name: String,
    pub language: Language,
    pub path: String,
    pub function: String,
    pub start_line: u32,
    pub end_line: u32,
    pub source: String,
    /// The data set that it comes from; empty where none is given.
    pub dataset: String,
    /// In the order of the passes, without the function itself.
    pub variants: Vec<MutationVariant>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct MutationVariant {
    /// `REP_R` …
    pub pass: String,
    pub is_strict: bool,
    /// Of the passes.
    pub version: u32,
    pub source: String,
    /// As JSON: from, to, text.
    pub edits: String,
    /// The first line of the second half, in the function and here; none for a function on one line.
    pub cut: Option<(u32, u32)>,
    pub distance: f64,
    pub does_parse: bool,
}

/// A model's completion of one variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCompletion {
    /// The function's id.
    pub seed: i64,
    /// Empty for the function itself.
    pub pass: String,
    /// Empty when the model gave none.
    pub text: String,
    /// The model's whole answer, where it is more than the completion.
    pub raw: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCompletion {
    /// Empty for the function itself.
    pub pass: String,
    pub text: String,
    pub raw: Option<String>,
}

/// The judgement on the completions of one function, compared with each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedSeed {
    pub version: u32,
    /// Similarities of the non-empty completions, in percent, row by row.
    pub matrix: Vec<u8>,
    /// The results by rule and threshold, as JSON.
    pub outliers: String,
    /// The pass whose completion is finally chosen, empty for the function's own; nothing where none is.
    pub repaired: Option<String>,
}

/// A function of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredConsistency {
    pub id: i64,
    pub seed: MutationSeed,
    /// The function's own first, then in the order of the variants.
    pub completions: Vec<StoredCompletion>,
    pub judged: Option<JudgedSeed>,
}

/// A run with its counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsistencyRun {
    pub name: String,
    pub n_seeds: u64,
    pub n_completions: u64,
    pub n_judged: u64,
}

impl Store {
    /// Makes functions with their variants the ones that a run is asked about, stores those that are new, and returns
    /// their ids.
    pub fn write_mutations(
        &mut self,
        run: &str,
        seeds: &[MutationSeed],
        monitor: &Monitor,
    ) -> Result<Vec<i64>, StoreError> {
        self.writing(|conn| {
            let mut batch = WriteBatch::begin(conn, monitor)?;
            let mut ids = Vec::with_capacity(seeds.len());
            for (ordinal, seed) in seeds.iter().enumerate() {
                batch.rows(3 + seed.variants.len())?;
                let id = put_seed(conn, seed)?;
                conn.prepare(
                    "INSERT OR IGNORE INTO consistency_seeds (run, seed, ordinal) VALUES (?1, ?2, ?3)",
                )?
                .execute(params![run, id, integer(ordinal)])?;
                ids.push(id);
            }
            version::touch(conn)?;
            batch.finish()?;
            Ok(ids)
        })
    }

    /// Writes completions; returns how many are new or changed. Completions of passes that a function does not have are
    /// left out.
    pub fn write_completions(
        &mut self,
        run: &str,
        completions: &[NewCompletion],
        monitor: &Monitor,
    ) -> Result<u64, StoreError> {
        self.writing(|conn| {
            let mut batch = WriteBatch::begin(conn, monitor)?;
            let mut n_new = 0;
            for completion in completions {
                batch.rows(2)?;
                n_new += u64::from(put_completion(conn, run, completion)?);
            }
            version::touch(conn)?;
            batch.finish()?;
            Ok(n_new)
        })
    }

    /// Writes the judgements of a run's functions, in place of the former ones.
    pub fn write_judged(
        &mut self,
        run: &str,
        judged: &[(i64, JudgedSeed)],
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        self.writing(|conn| {
            let mut batch = WriteBatch::begin(conn, monitor)?;
            for (seed, judged_seed) in judged {
                batch.rows(1)?;
                let repaired = match &judged_seed.repaired {
                    Some(pass) => variant_of(conn, *seed, pass)?,
                    None => None,
                };
                conn.prepare(
                    "INSERT OR REPLACE INTO consistencies (run, seed, version, matrix, outliers, repaired)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                )?
                .execute(params![run, seed, judged_seed.version, judged_seed.matrix, judged_seed.outliers, repaired])?;
            }
            version::touch(conn)?;
            batch.finish()
        })
    }

    /// Removes a run with its completions and judgements, and the functions that no other run needs.
    pub fn remove_consistency(&mut self, run: &str) -> Result<(), StoreError> {
        self.writing(|conn| {
            let monitor = Monitor::default();
            let batch = WriteBatch::begin(conn, &monitor)?;
            for table in ["consistencies", "completions", "consistency_seeds"] {
                conn.execute(&format!("DELETE FROM {table} WHERE run = ?1"), [run])?;
            }
            conn.execute(
                "DELETE FROM mutation_seeds WHERE id NOT IN (SELECT seed FROM consistency_seeds)",
                [],
            )?;
            version::touch(conn)?;
            batch.finish()
        })
    }

    /// Reads the runs by name.
    pub fn consistency_runs(&self) -> Result<Vec<ConsistencyRun>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(
                "SELECT s.run, count(*), (SELECT count(*) FROM completions c WHERE c.run = s.run),
                 (SELECT count(*) FROM consistencies j WHERE j.run = s.run)
                 FROM consistency_seeds s GROUP BY s.run ORDER BY s.run",
            )?;
            let rows = statement.query_map([], |row| {
                Ok(ConsistencyRun {
                    name: row.get(0)?,
                    n_seeds: row.get::<_, i64>(1)?.unsigned_abs(),
                    n_completions: row.get::<_, i64>(2)?.unsigned_abs(),
                    n_judged: row.get::<_, i64>(3)?.unsigned_abs(),
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Lists the ids of a run's functions, in order.
    pub fn consistency_seeds(&self, run: &str) -> Result<Vec<i64>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(
                "SELECT seed FROM consistency_seeds WHERE run = ?1 ORDER BY ordinal, seed",
            )?;
            let rows = statement.query_map([run], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Reads a function of a run with its judgement; nothing where the run has no such function.
    pub fn consistency(
        &self,
        run: &str,
        seed: i64,
    ) -> Result<Option<StoredConsistency>, StoreError> {
        self.reading(|conn| read_one(conn, run, seed))
    }

    /// Passes every function of a run to `each`, in order.
    pub fn each_consistency<E: From<StoreError>>(
        &self,
        run: &str,
        mut each: impl FnMut(StoredConsistency) -> Result<(), E>,
    ) -> Result<(), E> {
        for seed in self.consistency_seeds(run)? {
            if let Some(stored_consistency) = self.consistency(run, seed)? {
                each(stored_consistency)?;
            }
        }
        Ok(())
    }
}

/// The number that stands for "no cut": the columns of the first schema do not accept NULL.
const NO_CUT: i64 = -1;

fn hash_of(seed: &MutationSeed) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    let mut add = |part: &str| {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    };
    add(&seed.name);
    add(seed.language.as_str());
    add(&seed.source);
    for variant in &seed.variants {
        add(&variant.pass);
        add(&variant.source);
        add(if variant.is_strict { "strict" } else { "" });
    }
    // Functions without a data set keep the hash that they had before data sets were stored.
    if !seed.dataset.is_empty() {
        hasher.update(seed.dataset.as_bytes());
    }
    let hash = hasher.finalize();
    *hash.as_bytes().first_chunk().expect("a hash has 32 bytes")
}

fn put_seed(conn: &Connection, seed: &MutationSeed) -> Result<i64, StoreFailure> {
    let hash = hash_of(seed);
    let known = conn
        .prepare("SELECT id FROM mutation_seeds WHERE hash = ?1")?
        .query_row([&hash[..]], |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    conn.prepare(
        "INSERT INTO mutation_seeds (hash, language, path, function, start_line, end_line, source, name,
         dataset) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?
    .execute(params![
        &hash[..],
        code(Language::ALL, seed.language),
        seed.path,
        seed.function,
        seed.start_line,
        seed.end_line,
        seed.source,
        seed.name,
        seed.dataset,
    ])?;
    let id = conn.last_insert_rowid();
    let cut = seed.variants.first().and_then(|variant| variant.cut);
    let own = MutationVariant {
        pass: String::new(),
        is_strict: false,
        version: seed.variants.first().map_or(0, |variant| variant.version),
        source: seed.source.clone(),
        edits: "[]".to_owned(),
        cut: cut.map(|cut| (cut.0, cut.0)),
        distance: 0.0,
        does_parse: true,
    };
    for mutation_variant in std::iter::once(&own).chain(&seed.variants) {
        put_variant(conn, id, mutation_variant)?;
    }
    Ok(id)
}

fn put_variant(
    conn: &Connection,
    seed: i64,
    mutation_variant: &MutationVariant,
) -> Result<(), StoreFailure> {
    let cut = |at: Option<u32>| at.map_or(NO_CUT, i64::from);
    conn.prepare(
        "INSERT OR IGNORE INTO mutation_variants (seed, pass, is_strict, version, source, edits, cut_seed, cut_variant,
         distance, does_parse) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?
    .execute(params![
        seed,
        mutation_variant.pass,
        mutation_variant.is_strict,
        mutation_variant.version,
        mutation_variant.source,
        mutation_variant.edits,
        cut(mutation_variant.cut.map(|pair| pair.0)),
        cut(mutation_variant.cut.map(|pair| pair.1)),
        mutation_variant.distance,
        mutation_variant.does_parse,
    ])?;
    Ok(())
}

fn variant_of(conn: &Connection, seed: i64, pass: &str) -> Result<Option<i64>, StoreFailure> {
    Ok(conn
        .prepare(
            "SELECT id FROM mutation_variants WHERE seed = ?1 AND pass = ?2 ORDER BY id LIMIT 1",
        )?
        .query_row(params![seed, pass], |row| row.get(0))
        .optional()?)
}

fn put_completion(
    conn: &Connection,
    run: &str,
    new_completion: &NewCompletion,
) -> Result<bool, StoreFailure> {
    let Some(variant) = variant_of(conn, new_completion.seed, &new_completion.pass)? else {
        return Ok(false);
    };
    let n_changed = conn
        .prepare(
            "INSERT INTO completions (run, variant, text, raw) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (run, variant) DO UPDATE SET text = excluded.text, raw = excluded.raw
             WHERE text IS NOT excluded.text OR raw IS NOT excluded.raw",
        )?
        .execute(params![
            run,
            variant,
            new_completion.text,
            new_completion.raw
        ])?;
    if n_changed > 0 {
        conn.prepare("DELETE FROM consistencies WHERE run = ?1 AND seed = ?2")?
            .execute(params![run, new_completion.seed])?;
    }
    Ok(n_changed > 0)
}

fn read_one(
    conn: &Connection,
    run: &str,
    seed: i64,
) -> Result<Option<StoredConsistency>, StoreFailure> {
    let found = conn
        .prepare(
            "SELECT language, name, path, function, start_line, end_line, source, dataset
             FROM mutation_seeds WHERE id = ?1",
        )?
        .query_row([seed], |row| {
            let language: i64 = row.get(0)?;
            let seed = MutationSeed {
                name: row.get(1)?,
                language: Language::Python,
                path: row.get(2)?,
                function: row.get(3)?,
                start_line: row.get(4)?,
                end_line: row.get(5)?,
                source: row.get(6)?,
                dataset: row.get(7)?,
                variants: Vec::new(),
            };
            Ok((language, seed))
        })
        .optional()?;
    let Some((language, mut stored)) = found else {
        return Ok(None);
    };
    stored.language = decode(Language::ALL, language)?;
    let mut completions = Vec::new();
    let mut statement = conn.prepare(
        "SELECT v.pass, v.is_strict, v.version, v.source, v.edits, v.cut_seed, v.cut_variant, v.distance, v.does_parse,
         c.text, c.raw FROM mutation_variants v LEFT JOIN completions c ON c.variant = v.id AND c.run = ?2
         WHERE v.seed = ?1 ORDER BY v.id",
    )?;
    let mut rows = statement.query(params![seed, run])?;
    while let Some(row) = rows.next()? {
        let cut: (i64, i64) = (row.get(5)?, row.get(6)?);
        let mutation_variant = MutationVariant {
            pass: row.get(0)?,
            is_strict: row.get(1)?,
            version: row.get(2)?,
            source: row.get(3)?,
            edits: row.get(4)?,
            cut: u32::try_from(cut.0).ok().zip(u32::try_from(cut.1).ok()),
            distance: row.get(7)?,
            does_parse: row.get(8)?,
        };
        if let Some(text) = row.get::<_, Option<String>>(9)? {
            completions.push(StoredCompletion {
                pass: mutation_variant.pass.clone(),
                text,
                raw: row.get(10)?,
            });
        }
        if !mutation_variant.pass.is_empty() {
            stored.variants.push(mutation_variant);
        }
    }
    let judged = conn
        .prepare(
            "SELECT j.version, j.matrix, j.outliers, v.pass FROM consistencies j
             LEFT JOIN mutation_variants v ON v.id = j.repaired WHERE j.run = ?1 AND j.seed = ?2",
        )?
        .query_row(params![run, seed], |row| {
            Ok(JudgedSeed {
                version: row.get(0)?,
                matrix: row.get(1)?,
                outliers: row.get(2)?,
                repaired: row.get(3)?,
            })
        })
        .optional()?;
    Ok(Some(StoredConsistency {
        id: seed,
        seed: stored,
        completions,
        judged,
    }))
}
