//! One sample with all its parts: methods with their sources, ranges, candidates, contexts.
//!
//! Returns locations and whole files; `browse` and `transfer` cut snippets out of them.

use std::path::PathBuf;
use std::sync::Arc;

use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, params};

use crate::model::{
    ContentHash, Evidences, Filter, Framework, Matcher, MethodKey, MethodKind, Repo, SampleKey,
    SampleRow, Span, Split, Stability, TestKind,
};

use super::codec::{
    ORDINAL_BITS, decode, decode_optional, integer, matcher_bits, row_id, unpack_candidates,
    unpack_evidence, unpack_ordinals, unpack_spans,
};
use super::declared::{self, DeclaredSource};
use super::error::StoreFailure;
use super::list::{ROW_COLUMNS, ROW_TABLES, sample_row};
use super::query::{Query, shown_matcher};
use super::report::{REPO_COLUMNS, repo};
use super::texts::TextCache;
use super::{Store, StoreError, truth};

/// A method as the index stores it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredMethod {
    /// `pkg.Outer.Inner`.
    pub class: String,
    pub name: String,
    /// Erased, fully qualified types, joined with commas.
    pub parameters: String,
    /// As in [`MethodKey`].
    pub ordinal: u32,
    pub kind: MethodKind,
    /// Whether it is declared in a class, and not directly in a package, module or file.
    pub is_of_class: bool,
    pub signature: String,
    pub path: String,
    pub span: Span,
    pub body: Option<Span>,
    pub start_line: u32,
    pub end_line: u32,
    pub name_line: u32,
    /// The whole file; empty for candidates that are read without their sources ([`Extent`]).
    pub text: Arc<str>,
}

impl StoredMethod {
    /// Writes the key `pkg.Outer.Inner#name(erased,param,types)`.
    #[must_use]
    pub fn key(&self) -> String {
        let key = MethodKey {
            class: &self.class,
            name: &self.name,
            parameters: &self.parameters,
            ordinal: self.ordinal,
        };
        key.to_string()
    }

    /// Returns the declaration's source, cut out of its file.
    #[must_use]
    pub fn source(&self) -> &str {
        self.span.of(&self.text)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct StoredCandidate {
    pub method: StoredMethod,
    pub score: f64,
    pub class_score: f64,
    pub weight: f64,
    pub evidence: Evidences,
    pub is_picked: bool,
    pub calls: Vec<Span>,
}

/// Ranges in the test's file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredCut {
    pub setup: Option<Span>,
    pub assertion: Option<Span>,
    pub focal_calls: Vec<Span>,
    pub assertion_calls: Vec<Span>,
}

/// The parts that are read of each sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    Sample,
    /// Also the sources of the candidates.
    WithCandidates,
    /// Also the other methods of the focal method's class.
    WithFocalClass,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StoredSample {
    pub row: SampleRow,
    pub repo: Arc<Repo>,
    pub root: PathBuf,
    pub framework: Framework,
    pub kind: TestKind,
    pub matcher: Matcher,
    pub split_random: Option<Split>,
    pub split_project: Option<Split>,
    /// The sample that stays in the dataset in place of this one.
    pub duplicate_of: Option<SampleKey>,
    pub n_tokens: u32,
    /// The stability of the true test; only where one sample is read.
    pub stability: Option<Stability>,
    pub content_hash: ContentHash,
    pub cut: StoredCut,
    pub test: StoredMethod,
    pub focal: Option<StoredMethod>,
    pub implementation: Option<StoredMethod>,
    pub fixtures: Vec<StoredMethod>,
    pub setup_context: Vec<StoredMethod>,
    pub focal_context: Vec<StoredMethod>,
    /// Best first.
    pub candidates: Vec<StoredCandidate>,
    /// Every method of the focal method's class in order of position; only for [`Extent::WithFocalClass`].
    pub focal_class: Arc<[StoredMethod]>,
    /// Everything that the test's file declares, in order of position; only where one sample is read.
    pub in_file: Vec<DeclaredSource>,
}

/// A sample, and how many bytes of the names of the classes around its test and its focal method are the package,
/// module or file; 0 also where the index is too old to say.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedSample {
    pub sample: StoredSample,
    pub n_package: u32,
    pub n_package_of_focal: u32,
}

impl StoredSample {
    /// Cuts out the statements of the test before the cut; empty where there are none.
    #[must_use]
    pub fn setup(&self) -> &str {
        self.cut.setup.map_or("", |span| span.of(&self.test.text))
    }

    /// Cuts out the statements after the cut; empty where there are none.
    #[must_use]
    pub fn assertion(&self) -> &str {
        let span = self.cut.assertion;
        span.map_or("", |span| span.of(&self.test.text))
    }
}

impl Store {
    /// Reads one matcher's sample, or nothing when there is none; without a matcher, the sample of the shown matcher,
    /// else of the first that decided on the test.
    pub fn sample(
        &self,
        key: &SampleKey,
        matcher: impl Into<Option<Matcher>>,
    ) -> Result<Option<StoredSample>, StoreError> {
        let matcher = matcher.into();
        self.reading(|conn| {
            let test: Option<i64> = conn
                .query_row(
                    "SELECT t.id FROM tests t JOIN repos r ON r.generation = t.id >> 32 WHERE t.key = ?1",
                    [key.0],
                    |row| row.get(0),
                )
                .optional()?;
            let Some(test) = test else { return Ok(None) };
            let mut statement = conn.prepare_cached(&sample_by_id())?;
            let matchers = match matcher {
                Some(matcher) => vec![matcher],
                None => [&[shown_matcher(conn)?], Matcher::ALL].concat(),
            };
            for matcher in matchers {
                let mut rows = statement.query([test | matcher_bits(matcher)])?;
                if let Some(row) = rows.next()? {
                    let mut sample = SampleReader::prepare(conn, Extent::WithCandidates)?.sample(row)?;
                    let sql = "SELECT m.file FROM decisions d JOIN methods m ON m.id = d.method WHERE d.id = ?1";
                    let file = conn.query_row(sql, [sample.row.id], |row| row.get(0))?;
                    let StoredMethod { path, text, .. } = &sample.test;
                    sample.in_file = declared::of_file(conn, file, path, text)?;
                    sample.stability = truth::true_stability(conn, key)?;
                    return Ok(Some(sample));
                }
            }
            Ok(None)
        })
    }

    /// Reads one matcher's samples, in the order of `keys`; nothing for one that the index does not have, or that the
    /// matcher did not decide on. The other declarations of their files are not read.
    pub fn placed_samples(
        &self,
        keys: &[SampleKey],
        matcher: Matcher,
        extent: Extent,
    ) -> Result<Vec<Option<PlacedSample>>, StoreError> {
        self.reading(|conn| {
            let mut by_key = conn.prepare_cached(
                "SELECT t.id FROM tests t JOIN repos r ON r.generation = t.id >> 32 WHERE t.key = ?1 ORDER BY t.id",
            )?;
            let mut by_id = conn.prepare_cached(&sample_by_id())?;
            let mut packages = conn.prepare_cached(
                "SELECT t.n_package, f.n_package FROM decisions d JOIN methods t ON t.id = d.method
                    LEFT JOIN methods f ON f.id = d.focal_method WHERE d.id = ?1",
            )?;
            let mut reader = SampleReader::prepare(conn, extent)?;
            let mut samples = Vec::with_capacity(keys.len());
            for key in keys {
                let test: Option<i64> = by_key.query_row([key.0], |row| row.get(0)).optional()?;
                let mut placed = None;
                if let Some(test) = test {
                    let id = test | matcher_bits(matcher);
                    let mut rows = by_id.query([id])?;
                    if let Some(row) = rows.next()? {
                        let sample = reader.sample(row)?;
                        let (n_package, n_package_of_focal) = packages
                            .query_row([id], |row| {
                                Ok((row.get(0)?, row.get::<_, Option<u32>>(1)?))
                            })?;
                        placed = Some(PlacedSample {
                            sample,
                            n_package,
                            n_package_of_focal: n_package_of_focal.unwrap_or(0),
                        });
                    }
                }
                samples.push(placed);
            }
            Ok(samples)
        })
    }

    /// Lists every key that begins with these hexadecimal digits, at most `limit`: people type the first few.
    pub fn keys_starting_with(
        &self,
        digits: &str,
        limit: usize,
    ) -> Result<Vec<SampleKey>, StoreError> {
        let Some((first, last)) = SampleKey::beginning_with(digits) else {
            return Ok(Vec::new());
        };
        self.reading(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT DISTINCT t.key FROM tests t JOIN repos r ON r.generation = t.id >> 32
                 WHERE t.key >= ?1 AND t.key <= ?2 ORDER BY t.key LIMIT ?3",
            )?;
            let keys = statement.query_map(params![first.0, last.0, integer(limit)], |row| {
                Ok(SampleKey(row.get(0)?))
            })?;
            Ok(keys.collect::<Result<_, _>>()?)
        })
    }

    /// Passes every sample that the filter lets through to `each`, in the filter's order, one at a time.
    ///
    /// The index is read in one transaction, so rows that are written meanwhile are not seen, and `each` cannot query
    /// this store. Stops at the first error, the caller's or the store's.
    pub fn each_sample<E: From<StoreError>>(
        &self,
        filter: &Filter,
        extent: Extent,
        mut each: impl FnMut(StoredSample) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut stopped = Ok(());
        self.reading(|conn| {
            let query = Query::compile(conn, filter)?;
            let mut reader = SampleReader::prepare(conn, extent)?;
            let mut statement = conn.prepare_cached(&sample_by_id())?;
            for id in self.list(conn, filter, &query)?.iter() {
                let mut rows = statement.query([id])?;
                let Some(row) = rows.next()? else { continue };
                stopped = each(reader.sample(row)?);
                if stopped.is_err() {
                    break;
                }
            }
            Ok(())
        })?;
        stopped
    }

    /// Reads the text of a repository's file, by the identity and the path.
    pub fn text(&self, identity: &str, path: &str) -> Result<Option<Arc<str>>, StoreError> {
        self.reading(|conn| {
            let file: Option<i64> = conn
                .query_row(
                    "SELECT f.id FROM repos r CROSS JOIN files f
                     WHERE r.identity = ?1 AND f.id >= r.generation << 32 AND f.id < (r.generation + 1) << 32
                        AND f.path = ?2",
                    [identity, path],
                    |row| row.get(0),
                )
                .optional()?;
            file.map(|file| TextCache::prepare(conn)?.of_file(file)).transpose()
        })
    }
}

/// Writes the query of [`SampleReader::sample`]: the columns of a row, then these from number 11 on.
pub(super) fn sample_by_id() -> String {
    format!(
        "SELECT {ROW_COLUMNS}, d.matcher, d.split, r.split, d.framework, d.kind, d.n_tokens, e.content_hash,
            e.token_hash, d.method, d.focal_method, e.implementation, e.setup_start, e.setup_end, e.assertion_start,
            e.assertion_end, e.focal_calls, e.assertion_calls, r.id, e.picked, e.candidates, e.setup_context,
            e.focal_context, t.fixtures, e.evidence
         FROM {ROW_TABLES} JOIN details e ON e.id = d.id WHERE d.id = ?1"
    )
}

/// The statements that complete a sample, prepared once for many.
pub(super) struct SampleReader<'c> {
    extent: Extent,
    repo: CachedStatement<'c>,
    kept: CachedStatement<'c>,
    method: CachedStatement<'c>,
    before: CachedStatement<'c>,
    after: CachedStatement<'c>,
    texts: TextCache<'c>,
    /// Samples are read repository by repository.
    last_repo: Option<(i64, Arc<Repo>, PathBuf)>,
    /// Tests of one class are mostly about one focal class.
    last_class: Option<(i64, String, Arc<[StoredMethod]>)>,
}

impl<'c> SampleReader<'c> {
    pub(super) fn prepare(conn: &'c Connection, extent: Extent) -> Result<Self, StoreFailure> {
        Ok(Self {
            extent,
            repo: conn.prepare_cached(&format!("SELECT {REPO_COLUMNS}, root FROM repos WHERE id = ?1"))?,
            kept: conn.prepare_cached("SELECT key FROM kept WHERE token_hash = ?1 AND matcher = ?2")?,
            method: conn.prepare_cached(
                "SELECT m.class, m.name, m.parameters, m.signature, f.path, m.span_start, m.span_end, m.body_start,
                    m.body_end, m.start_line, m.end_line, m.name_line, m.file, m.ordinal, m.kind,
                    octet_length(m.class) > m.n_package
                 FROM methods m JOIN files f ON f.id = m.file WHERE m.id = ?1",
            )?,
            // Methods are numbered file by file, so those of one file are neighbours.
            before: conn.prepare_cached("SELECT id, file, class FROM methods WHERE id < ?1 ORDER BY id DESC")?,
            after: conn.prepare_cached("SELECT id, file, class FROM methods WHERE id >= ?1 ORDER BY id")?,
            texts: TextCache::prepare(conn)?,
            last_repo: None,
            last_class: None,
        })
    }

    pub(super) fn sample(&mut self, row: &Row<'_>) -> Result<StoredSample, StoreFailure> {
        let sample_row = sample_row(row)?;
        let generation = sample_row.id >> ORDINAL_BITS;
        let (repo, root) = self.repo(row.get(28)?)?;
        let matcher = decode(Matcher::ALL, row.get(11)?)?;
        let duplicate_of = if sample_row.is_duplicate {
            let group = params![row.get::<_, [u8; 16]>(18)?, row.get::<_, i64>(11)?];
            let kept = self.kept.query_row(group, |row| row.get(0)).optional()?;
            kept.map(SampleKey)
        } else {
            None
        };
        let cut = StoredCut {
            setup: span(row, 22)?,
            assertion: span(row, 24)?,
            focal_calls: unpack_spans(&row.get::<_, Vec<u8>>(26)?),
            assertion_calls: unpack_spans(&row.get::<_, Vec<u8>>(27)?),
        };
        let focal: Option<i64> = row.get(20)?;
        let implementation: Option<i64> = row.get(21)?;
        Ok(StoredSample {
            repo,
            root,
            framework: decode(Framework::ALL, row.get(14)?)?,
            kind: decode(TestKind::ALL, row.get(15)?)?,
            matcher,
            split_random: decode_optional(Split::ALL, row.get(12)?)?,
            split_project: decode_optional(Split::ALL, row.get(13)?)?,
            duplicate_of,
            n_tokens: row.get(16)?,
            stability: None,
            content_hash: ContentHash(row.get(17)?),
            cut,
            test: self.method(row.get(19)?)?,
            focal: focal.map(|id| self.method(id)).transpose()?,
            implementation: implementation.map(|id| self.method(id)).transpose()?,
            fixtures: self.methods(generation, &row.get::<_, Vec<u8>>(33)?)?,
            setup_context: self.methods(generation, &row.get::<_, Vec<u8>>(31)?)?,
            focal_context: self.methods(generation, &row.get::<_, Vec<u8>>(32)?)?,
            candidates: self.candidates(
                generation,
                row.get(29)?,
                &row.get::<_, Vec<u8>>(30)?,
                &row.get::<_, Vec<u8>>(34)?,
            )?,
            focal_class: match focal {
                Some(focal) if self.extent == Extent::WithFocalClass => self.class_of(focal)?,
                _ => Arc::default(),
            },
            in_file: Vec::new(),
            row: sample_row,
        })
    }

    fn repo(&mut self, id: i64) -> Result<(Arc<Repo>, PathBuf), StoreFailure> {
        if let Some((last, stored, root)) = &self.last_repo
            && *last == id
        {
            return Ok((stored.clone(), root.clone()));
        }
        let mut rows = self.repo.query([id])?;
        let row = rows.next()?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
        let root: String = row.get("root")?;
        let (stored, root) = (Arc::new(repo(row)?), PathBuf::from(root));
        self.last_repo = Some((id, stored.clone(), root.clone()));
        Ok((stored, root))
    }

    fn method(&mut self, id: i64) -> Result<StoredMethod, StoreFailure> {
        let (method, file) = self.place(id)?;
        let text = self.texts.of_file(file)?;
        Ok(StoredMethod { text, ..method })
    }

    /// Reads a method without its text, and the file that holds it.
    fn place(&mut self, id: i64) -> Result<(StoredMethod, i64), StoreFailure> {
        let mut rows = self.method.query([id])?;
        let row = rows
            .next()?
            .ok_or_else(|| StoreFailure::Damaged(format!("method {id} is missing")))?;
        let method = StoredMethod {
            class: row.get(0)?,
            name: row.get(1)?,
            parameters: row.get(2)?,
            ordinal: row.get(13)?,
            kind: decode(MethodKind::ALL, row.get(14)?)?,
            is_of_class: row.get(15)?,
            signature: row.get(3)?,
            path: row.get(4)?,
            span: Span::new(row.get(5)?, row.get(6)?),
            body: span(row, 7)?,
            start_line: row.get(9)?,
            end_line: row.get(10)?,
            name_line: row.get(11)?,
            text: Arc::default(),
        };
        Ok((method, row.get(12)?))
    }

    /// Reads all methods of a method's class, in order of position.
    fn class_of(&mut self, id: i64) -> Result<Arc<[StoredMethod]>, StoreFailure> {
        let (method, file) = self.place(id)?;
        if let Some((last_file, last, methods)) = &self.last_class
            && *last_file == file
            && *last == method.class
        {
            return Ok(methods.clone());
        }
        let mut ids = Vec::new();
        for neighbours in [&mut self.before, &mut self.after] {
            let mut rows = neighbours.query([id])?;
            while let Some(row) = rows.next()? {
                if row.get::<_, i64>(1)? != file {
                    break;
                }
                if row.get::<_, String>(2)? == method.class {
                    ids.push(row.get(0)?);
                }
            }
        }
        ids.sort_unstable();
        let methods: Arc<[StoredMethod]> = ids
            .into_iter()
            .map(|id| self.method(id))
            .collect::<Result<_, _>>()?;
        self.last_class = Some((file, method.class, methods.clone()));
        Ok(methods)
    }

    fn methods(
        &mut self,
        generation: i64,
        packed: &[u8],
    ) -> Result<Vec<StoredMethod>, StoreFailure> {
        unpack_ordinals(packed)
            .into_iter()
            .map(|ordinal| self.method(row_id(generation, ordinal)))
            .collect()
    }

    fn candidates(
        &mut self,
        generation: i64,
        picked: Option<u32>,
        packed: &[u8],
        evidence: &[u8],
    ) -> Result<Vec<StoredCandidate>, StoreFailure> {
        let candidates = unpack_candidates(packed)?;
        (0..)
            .zip(candidates.into_iter().zip(unpack_evidence(evidence)))
            .map(|(rank, (candidate, known))| {
                let (weight, evidence) = known.unwrap_or((candidate.score, Evidences::default()));
                let id = row_id(generation, candidate.method);
                let method = match self.extent {
                    Extent::WithCandidates => self.method(id)?,
                    Extent::Sample | Extent::WithFocalClass => self.place(id)?.0,
                };
                Ok(StoredCandidate {
                    method,
                    score: candidate.score,
                    class_score: candidate.class_score,
                    weight,
                    evidence,
                    is_picked: picked == Some(rank),
                    calls: candidate.calls,
                })
            })
            .collect()
    }
}

/// Reads a span from two columns that are both there or both not.
fn span(row: &Row<'_>, idx: usize) -> Result<Option<Span>, StoreFailure> {
    let (start, end): (Option<u32>, Option<u32>) = (row.get(idx)?, row.get(idx + 1)?);
    Ok(start.zip(end).map(|(start, end)| Span::new(start, end)))
}
