//! The references of predictions: the part of a sample that a model had to write, as it is in the index now.

use std::sync::Arc;

use rusqlite::{CachedStatement, Connection, params};

use crate::model::{
    ContentHash, Filter, Framework, Language, Matcher, Question, RunRow, SampleKey, Span, Target,
};

use super::codec::{ORDINAL_BITS, TEST_BITS, code, decode, matcher_bits, row_id, unpack_ordinals};
use super::error::StoreFailure;
use super::list::each_match;
use super::query::{Query, shown_matcher};
use super::questions::{self, of_key};
use super::texts::TextCache;
use super::{Store, StoreError};
use crate::task::{Cancelled, Monitor};

/// The number of a run's samples that are read at once.
const PREDICTIONS_AT_ONCE: u32 = 2_048;

/// The true text for a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReference {
    pub content_hash: ContentHash,
    pub language: Language,
    pub framework: Framework,
    /// Absent where the sample has no such part (no assertion follows the last focal call).
    pub text: Option<String>,
    /// The whole file of the test, where there is such a part.
    pub file: Option<Arc<str>>,
    /// The text that a prediction continues and is parsed together with; absent where it stands alone.
    pub continues: Option<String>,
}

/// The true text for a sample, and its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedReference {
    pub text: String,
    /// Path of the test's file in its repository.
    pub path: String,
    /// The line where it begins, from 1.
    pub line: u32,
    /// The number of bytes before it on that line.
    pub column: u32,
}

/// The facts about a sample, without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleFacts {
    pub content_hash: ContentHash,
    /// The project identity.
    pub repo: String,
    pub language: Language,
    pub framework: Framework,
    /// The span of the assertion part, counted from the beginning of the test.
    pub assertion: Option<(u32, u32)>,
}

impl SampleFacts {
    /// Tells whether the sample has a reference: every sample has a test, but not every one has an assertion part.
    #[must_use]
    pub const fn has_reference(&self, target: Target) -> bool {
        match target {
            Target::Test => true,
            Target::Assertion => self.assertion.is_some(),
        }
    }

    /// Computes a hash that changes with the reference: with the sample, and with the place where the test is cut,
    /// which may differ in another version.
    #[must_use]
    pub fn reference_hash(&self, target: Target) -> ContentHash {
        let mut hasher = blake3::Hasher::new();
        hasher.update(target.as_str().as_bytes());
        hasher.update(&self.content_hash.0);
        if target == Target::Assertion {
            let (start, end) = self.assertion.unwrap_or_default();
            hasher.update(&start.to_le_bytes());
            hasher.update(&end.to_le_bytes());
        }
        ContentHash::of(&hasher)
    }
}

impl Store {
    /// Reads the reference of each sample as this matcher cuts it, and of each question, in the order of `keys`;
    /// nothing for a sample that the index does not have, or that the matcher did not decide on.
    pub fn references(
        &self,
        keys: &[SampleKey],
        target: Target,
        matcher: Matcher,
    ) -> Result<Vec<Option<StoredReference>>, StoreError> {
        self.reading(|conn| {
            let mut reader = ReferenceReader::prepare(conn, Some(matcher))?;
            let mut places = Vec::with_capacity(keys.len());
            let mut references = vec![None; keys.len()];
            for (idx, key) in keys.iter().enumerate() {
                match reader.place(key, target)? {
                    Some(place) => places.push((idx, place)),
                    None => {
                        references[idx] = of_key(conn, key, questions::QuestionTexts::All)?
                            .map(question_reference);
                    }
                }
            }
            // Each file is unpacked once.
            places.sort_by_key(|(idx, place)| (place.file, *idx));
            for (idx, place) in places {
                references[idx] = Some(reader.read(&place)?);
            }
            Ok(references)
        })
    }

    /// Reads the files of each sample (of its test, fixtures, focal method and contexts, each file once), in the order
    /// of `keys`; none for a sample that the index does not have, or that the matcher did not decide on.
    pub fn sample_files(
        &self,
        keys: &[SampleKey],
        matcher: Matcher,
    ) -> Result<Vec<Vec<Arc<str>>>, StoreError> {
        self.reading(|conn| {
            let mut methods = conn.prepare_cached(
                "SELECT t.id, d.method, d.focal_method, e.implementation, t.fixtures, e.setup_context, e.focal_context
                 FROM tests t JOIN repos r ON r.generation = t.id >> 32 JOIN decisions d ON d.id = t.id | ?2
                    JOIN details e ON e.id = d.id
                 WHERE t.key = ?1",
            )?;
            let mut file = conn.prepare_cached("SELECT file FROM methods WHERE id = ?1")?;
            let mut texts = TextCache::prepare(conn)?;
            let mut all = Vec::with_capacity(keys.len());
            for key in keys {
                let mut rows = methods.query(params![key.0, matcher_bits(matcher)])?;
                let mut files: Vec<i64> = Vec::new();
                if let Some(row) = rows.next()? {
                    let generation = row.get::<_, i64>(0)? >> ORDINAL_BITS;
                    let own: [Option<i64>; 3] = [row.get(1)?, row.get(2)?, row.get(3)?];
                    let mut ids: Vec<i64> = own.into_iter().flatten().collect();
                    for column in 4..7 {
                        let ordinals = unpack_ordinals(&row.get::<_, Vec<u8>>(column)?);
                        ids.extend(ordinals.into_iter().map(|ordinal| row_id(generation, ordinal)));
                    }
                    for id in ids {
                        files.push(file.query_row([id], |row| row.get(0))?);
                    }
                }
                files.sort_unstable();
                files.dedup();
                let found = files.into_iter().map(|file| texts.of_file(file));
                all.push(found.collect::<Result<_, _>>()?);
            }
            Ok(all)
        })
    }

    /// Reads the test files of a repository with their paths, in order of path.
    pub fn test_files(
        &self,
        identity: &str,
        language: Language,
    ) -> Result<Vec<(String, Arc<str>)>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT f.id, f.path FROM repos r
                    JOIN files f ON f.id BETWEEN r.generation << 32 AND (r.generation + 1 << 32) - 1
                 WHERE r.identity = ?1 AND r.language = ?2 AND f.is_test ORDER BY f.id",
            )?;
            let mut rows = statement.query(params![identity, code(Language::ALL, language)])?;
            let mut texts = TextCache::prepare(conn)?;
            let mut files = Vec::new();
            while let Some(row) = rows.next()? {
                files.push((row.get(1)?, texts.of_file(row.get(0)?)?));
            }
            Ok(files)
        })
    }

    /// Reads the facts about each sample, in the order of `keys`; nothing for one that the index does not have. The
    /// decision is the given matcher's; without one, the shown matcher's, else the first that exists.
    pub fn sample_facts(
        &self,
        keys: &[SampleKey],
        matcher: impl Into<Option<Matcher>>,
    ) -> Result<Vec<Option<SampleFacts>>, StoreError> {
        let matcher = matcher.into();
        self.reading(|conn| {
            let mut reader = ReferenceReader::prepare(conn, matcher)?;
            let facts = |key| match reader.place(key, Target::Test)? {
                Some(place) => Ok(Some(place.facts)),
                None => Ok(of_key(conn, key, questions::QuestionTexts::All)?
                    .map(|question| facts_of(&question))),
            };
            keys.iter().map(facts).collect()
        })
    }

    /// Hashes the current samples of a run, and all texts that its predictions are compared with. The run may be from
    /// another index. Reports the number of predictions that it has read, piece by piece.
    pub fn hash_references(
        &self,
        (from, run): (&Self, &RunRow),
        monitor: &Monitor,
        say: impl Fn(u64),
    ) -> Result<ContentHash, StoreError> {
        let mut hasher = blake3::Hasher::new();
        let mut first = 0;
        loop {
            self.named(|| Ok(monitor.step()?))?;
            let samples = from.prediction_samples(run.id, first, PREDICTIONS_AT_ONCE)?;
            if samples.is_empty() {
                return Ok(ContentHash::of(&hasher));
            }
            first += samples.len() as u32;
            for facts in self.sample_facts(&samples.concat(), run.setting.matcher)? {
                hasher.update(
                    &facts.map_or([0; 16], |fact| fact.reference_hash(run.setting.target).0),
                );
            }
            say(samples.len() as u64);
        }
    }

    /// Chooses the matcher whose decisions are shown by default.
    pub fn shown_matcher(&self) -> Result<Matcher, StoreError> {
        self.reading(shown_matcher)
    }

    /// Lists the keys of all samples that the filter lets through, in its order.
    pub fn keys(&self, filter: &Filter) -> Result<Vec<SampleKey>, StoreError> {
        self.reading(|conn| {
            let query = Query::compile(conn, filter)?;
            let mut key =
                conn.prepare_cached("SELECT key FROM tests WHERE id = ?1 & ~(15 << 28)")?;
            self.list(conn, filter, &query)?
                .iter()
                .map(|id| Ok(SampleKey(key.query_row([id], |row| row.get(0))?)))
                .collect()
        })
    }
}

impl Store {
    /// Passes the key and the margin of every sample that the filter lets through to `each`, in the order of the index,
    /// not the filter's; keeps the keys of only one repository in memory. Stops at the first error.
    pub fn each_key<E: From<StoreError>>(
        &self,
        filter: &Filter,
        mut each: impl FnMut(SampleKey, f64) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut stopped = Ok(());
        self.reading(|conn| {
            let query = Query::compile(conn, filter)?;
            let mut keys = DecisionKeys::prepare(conn)?;
            let read = each_match(conn, &query, ", d.margin", |row| {
                stopped = each(keys.of(row.get(0)?)?, row.get(3)?);
                match stopped {
                    Ok(()) => Ok(()),
                    // This error only ends the loop; the caller's own error is returned.
                    Err(_) => Err(StoreFailure::Cancelled(Cancelled)),
                }
            });
            if stopped.is_err() { Ok(()) } else { read }
        })?;
        stopped
    }
}

/// The keys of decisions that arrive repository by repository, read at once for each repository: reading every key on
/// its own takes three times as long.
struct DecisionKeys<'c> {
    statement: CachedStatement<'c>,
    generation: i64,
    /// In ascending order of the tests' ids.
    tests: Vec<(i64, SampleKey)>,
}

impl<'c> DecisionKeys<'c> {
    fn prepare(conn: &'c Connection) -> Result<Self, StoreFailure> {
        let sql = "SELECT id, key FROM tests WHERE id >= ?1 AND id < ?2 ORDER BY id";
        Ok(Self {
            statement: conn.prepare_cached(sql)?,
            generation: -1,
            tests: Vec::new(),
        })
    }

    fn of(&mut self, decision: i64) -> Result<SampleKey, StoreFailure> {
        let generation = decision >> ORDINAL_BITS;
        if generation != self.generation {
            self.tests.clear();
            let bounds = [row_id(generation, 0), row_id(generation + 1, 0)];
            let mut rows = self.statement.query(bounds)?;
            while let Some(row) = rows.next()? {
                self.tests.push((row.get(0)?, SampleKey(row.get(1)?)));
            }
            self.generation = generation;
        }
        let test = decision & !(15 << TEST_BITS);
        // Where every test has a decision, an ordinal is an index.
        let place = usize::try_from(test - row_id(generation, 0)).unwrap_or(usize::MAX);
        let found = match self.tests.get(place) {
            Some(found) if found.0 == test => Some(found),
            _ => {
                let place = self.tests.binary_search_by_key(&test, |test| test.0);
                place.ok().and_then(|place| self.tests.get(place))
            }
        };
        found
            .map(|found| found.1)
            .ok_or_else(|| StoreFailure::Damaged(format!("decision {decision} is of no test")))
    }
}

/// Builds the reference that an answer to a question is compared with.
fn question_reference(question: Question) -> StoredReference {
    StoredReference {
        content_hash: question.content_hash(),
        language: question.language,
        framework: Framework::Unknown,
        text: question.truth,
        file: None,
        continues: question.is_continued.then_some(question.context),
    }
}

/// Describes a question with the facts that samples have.
fn facts_of(question: &Question) -> SampleFacts {
    SampleFacts {
        content_hash: question.content_hash(),
        repo: question.repo.clone(),
        language: question.language,
        framework: Framework::Unknown,
        assertion: question.truth.as_ref().map(|truth| (0, truth.len() as u32)),
    }
}

/// Finds the true text for a sample as this matcher cuts it, or for a question, and its location.
pub(super) fn located(
    conn: &Connection,
    key: &SampleKey,
    target: Target,
    matcher: Matcher,
) -> Result<Option<LocatedReference>, StoreFailure> {
    let mut reader = ReferenceReader::prepare(conn, Some(matcher))?;
    let Some(place) = reader.place(key, target)? else {
        let question = of_key(conn, key, questions::QuestionTexts::All)?;
        return Ok(question.and_then(|question| {
            Some(LocatedReference {
                text: question.truth?,
                path: question.path,
                line: question.line,
                column: 0,
            })
        }));
    };
    let ReferencePlace {
        file,
        span: Some(span),
        ..
    } = place
    else {
        return Ok(None);
    };
    let text = reader.texts.of_file(file)?;
    let before = text.get(..span.start as usize).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |n| n + 1);
    Ok(Some(LocatedReference {
        text: span.of(&text).to_owned(),
        path: conn.query_row("SELECT path FROM files WHERE id = ?1", [file], |row| {
            row.get(0)
        })?,
        line: 1 + before.bytes().filter(|byte| *byte == b'\n').count() as u32,
        column: (before.len() - line_start) as u32,
    }))
}

/// The location of a reference.
struct ReferencePlace {
    facts: SampleFacts,
    file: i64,
    span: Option<Span>,
}

struct ReferenceReader<'c> {
    place: CachedStatement<'c>,
    texts: TextCache<'c>,
    /// The matchers in order: the first that decided on the sample counts.
    matchers: Vec<Matcher>,
}

impl<'c> ReferenceReader<'c> {
    fn prepare(conn: &'c Connection, matcher: Option<Matcher>) -> Result<Self, StoreFailure> {
        Ok(Self {
            place: conn.prepare_cached(
                "SELECT e.content_hash, m.file, m.span_start, m.span_end, e.assertion_start, e.assertion_end,
                    r.identity, d.framework, r.language
                 FROM tests t JOIN repos r ON r.generation = t.id >> 32 JOIN decisions d ON d.id = t.id | ?2
                    JOIN details e ON e.id = d.id JOIN methods m ON m.id = t.method
                 WHERE t.key = ?1",
            )?,
            texts: TextCache::prepare(conn)?,
            matchers: match matcher {
                Some(matcher) => vec![matcher],
                None => [&[shown_matcher(conn)?], Matcher::ALL].concat(),
            },
        })
    }

    fn place(
        &mut self,
        key: &SampleKey,
        target: Target,
    ) -> Result<Option<ReferencePlace>, StoreFailure> {
        for matcher in &self.matchers {
            let mut rows = self.place.query(params![key.0, matcher_bits(*matcher)])?;
            let Some(row) = rows.next()? else { continue };
            let test: (u32, u32) = (row.get(2)?, row.get(3)?);
            let assertion = row.get::<_, Option<u32>>(4)?.zip(row.get(5)?);
            let span = match target {
                Target::Test => Some(test),
                Target::Assertion => assertion,
            };
            let from_test = |at: u32| at.saturating_sub(test.0);
            return Ok(Some(ReferencePlace {
                facts: SampleFacts {
                    content_hash: ContentHash(row.get(0)?),
                    repo: row.get(6)?,
                    framework: decode(Framework::ALL, row.get(7)?)?,
                    language: decode(Language::ALL, row.get(8)?)?,
                    assertion: assertion.map(|(start, end)| (from_test(start), from_test(end))),
                },
                file: row.get(1)?,
                span: span.map(|(start, end)| Span::new(start, end)),
            }));
        }
        Ok(None)
    }

    fn read(&mut self, place: &ReferencePlace) -> Result<StoredReference, StoreFailure> {
        let file = match place.span {
            Some(_) => Some(self.texts.of_file(place.file)?),
            None => None,
        };
        let part = place.span.zip(file.as_deref());
        Ok(StoredReference {
            content_hash: place.facts.content_hash,
            language: place.facts.language,
            framework: place.facts.framework,
            text: part.map(|(span, file)| span.of(file).to_owned()),
            file,
            continues: None,
        })
    }
}
