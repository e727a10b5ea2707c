//! The sample of each prediction, the prediction of another run for the same sample, and filters and orders over those
//! samples.
//!
//! Predictions name samples by key. For many predictions, two indexes on keys are read side by side; for few, each key
//! is looked up; both give the same result. After that, everything is found by the ids of tests, generation by
//! generation: all its rows are read where many of its tests are needed, else single rows.

use std::ops::Range;
use std::sync::atomic::Ordering;

use rusqlite::types::Value;
use rusqlite::{Connection, Row, params, params_from_iter};

use crate::model::{Filter, Framework, Language, Matcher, Question, RunKind, SortField, Split};
use crate::task::Monitor;

use super::super::codec::{ORDINAL_BITS, TEST_BITS, decode, decode_optional, matcher_bits, row_id};
use super::super::error::StoreFailure;
use super::super::query::{IDENTITY, Query, sort_column};
use super::super::questions;
use super::super::sql::Sql;
use super::super::text::{SearchedDecision, TextSearch};
use super::super::{Store, StoreError};
use super::{RowCounter, WordColumn, WordInterner, text};

/// Rows are looked up one by one if there are more than this many times as many rows to read in order.
const ROWS_PER_LOOKUP: u64 = 4;

/// The samples of a run's predictions, where the index has them and the run's matcher decided on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Links {
    matcher: Matcher,
    n_predictions: u32,
    /// Ids of tests, ascending; each test occurs once per prediction.
    tests: Vec<i64>,
    /// The predictions' numbers, in the order of `tests`.
    ordinals: Vec<u32>,
    /// The question of each prediction, by number and without its texts, where it is not about a sample.
    questions: Option<Vec<Option<Question>>>,
}

impl Links {
    /// Returns, by number, whether the index has a prediction's sample.
    #[must_use]
    pub fn are_there(&self) -> Vec<bool> {
        if let Some(questions) = &self.questions {
            return questions.iter().map(Option::is_some).collect();
        }
        let mut there = vec![false; self.n_predictions as usize];
        for ordinal in &self.ordinals {
            there[*ordinal as usize] = true;
        }
        there
    }

    fn n_predictions(&self) -> usize {
        self.n_predictions as usize
    }

    /// Lists the generations, each with the range of its tests.
    fn generations(&self) -> Vec<(i64, Range<usize>)> {
        let mut generations = Vec::new();
        let mut start = 0;
        while let Some(test) = self.tests.get(start) {
            let generation = test >> ORDINAL_BITS;
            let end = row_id(generation + 1, 0);
            let n_tests = self.tests[start..].partition_point(|test| *test < end);
            generations.push((generation, start..start + n_tests));
            start += n_tests;
        }
        generations
    }
}

/// The predictions of a run, each with its counterpart in another one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkedPairs {
    /// By number, the prediction of the other run that answers the same sample; [`WordColumn::NONE`] where none does.
    pub others: Vec<u32>,
    /// By number, the prediction's rank among the run's predictions in the order of the samples' keys, answers to one
    /// sample in the order of their numbers.
    pub places: Vec<u32>,
}

/// The sample attribute that predictions are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribute {
    /// The project identity.
    Repo,
    Language,
    Framework,
    /// The random split; empty before it is settled.
    Split,
    /// The simple name of the focal method's class; empty when unmapped.
    FocalClass,
}

/// A column to sort by, by the numbers of predictions.
#[derive(Clone, Debug, PartialEq)]
pub enum SortableColumn {
    /// NaN where the index does not have the sample.
    Numbers(Vec<f64>),
    Texts {
        /// All texts, one after another.
        text: String,
        /// The beginning and the end of each text; absent where the index does not have the sample.
        places: Vec<Option<(u32, u32)>>,
    },
}

impl Store {
    /// Links a run's predictions to their samples.
    pub fn result_links(
        &self,
        run: i64,
        n_predictions: u32,
        matcher: Matcher,
        monitor: &Monitor,
    ) -> Result<Links, StoreError> {
        self.reading(|conn| {
            if questions::kind_of(conn, run)? != RunKind::Samples {
                let questions = questions::of_run(conn, run, n_predictions, monitor)?;
                return Ok(Links {
                    matcher,
                    n_predictions,
                    tests: Vec::new(),
                    ordinals: Vec::new(),
                    questions: Some(questions),
                });
            }
            let mut found = tests_of(conn, run, n_predictions, monitor)?;
            monitor.step()?;
            found.sort_unstable();
            let all = Links {
                matcher,
                n_predictions,
                tests: found.iter().map(|found| found.0).collect(),
                ordinals: found.iter().map(|found| found.1).collect(),
                questions: None,
            };
            drop(found);
            let mut decided = Links {
                tests: Vec::with_capacity(all.tests.len()),
                ordinals: Vec::with_capacity(all.tests.len()),
                questions: None,
                ..all
            };
            each_linked(
                conn,
                &all,
                &LinkQuery::default(),
                monitor,
                |test, ordinals, _| {
                    decided.tests.extend(ordinals.iter().map(|_| test));
                    decided.ordinals.extend_from_slice(ordinals);
                    Ok(())
                },
            )?;
            Ok(decided)
        })
    }

    /// Pairs the predictions of two runs that answer the same samples. With several answers to a sample, `attempts`
    /// tells them apart, and an answer is paired with the one of the same attempt; `attempts` are empty where all are
    /// first answers.
    pub fn result_pairs(
        &self,
        runs: [i64; 2],
        attempts: [&[u32]; 2],
        n_predictions: u32,
        monitor: &Monitor,
    ) -> Result<LinkedPairs, StoreError> {
        self.reading(|conn| {
            let mut others = vec![WordColumn::NONE; n_predictions as usize];
            let mut places = vec![0; n_predictions as usize];
            let mut n_before = 0;
            let attempt = |of: usize, ordinal: u32| attempts[of].get(ordinal as usize).copied();
            let mut statement = conn.prepare_cached(
                "SELECT key, id >> 32, id & 4294967295 FROM predictions INDEXED BY predictions_by_key
                 WHERE (id >= ?1 AND id < ?2) OR (id >= ?3 AND id < ?4) ORDER BY key, id",
            )?;
            let [run, other] = runs;
            let bounds = [run, run + 1, other, other + 1].map(|n| row_id(n, 0));
            let mut rows = statement.query(bounds)?;
            let mut key = Vec::new();
            let mut here: [Vec<u32>; 2] = [Vec::new(), Vec::new()];
            let mut pair = |here: &mut [Vec<u32>; 2]| {
                for ours in &here[0] {
                    let mut theirs = here[1].iter();
                    let found = theirs
                        .find(|n| attempt(0, *ours).unwrap_or(0) == attempt(1, **n).unwrap_or(0));
                    if let (Some(n), Some(found)) = (others.get_mut(*ours as usize), found) {
                        *n = *found;
                    }
                }
                here.iter_mut().for_each(Vec::clear);
            };
            let mut steps = RowCounter::new(monitor);
            while let Some(row) = rows.next()? {
                steps.row()?;
                let of = blob(row, 0)?;
                if of != key {
                    pair(&mut here);
                    key.clear();
                    key.extend_from_slice(of);
                }
                let of_run: i64 = row.get(1)?;
                // A run that is compared with itself is both runs.
                if of_run == run {
                    let ordinal = row.get(2)?;
                    if let Some(place) = places.get_mut(ordinal as usize) {
                        *place = n_before;
                        n_before += 1;
                    }
                    here[0].push(ordinal);
                }
                if of_run == other {
                    here[1].push(row.get(2)?);
                }
            }
            pair(&mut here);
            steps.end();
            Ok(LinkedPairs { others, places })
        })
    }

    /// Returns, by number, whether the filter lets the sample through, by the decision of the run's matcher or of the
    /// matcher that the filter names; `false` where the index does not have the sample. The filter's order does not
    /// matter.
    pub fn result_matches(
        &self,
        links: &Links,
        filter: &Filter,
        monitor: &Monitor,
    ) -> Result<Vec<bool>, StoreError> {
        if let Some(questions) = &links.questions {
            let terms = &filter.terms;
            let fulfils =
                |question: &Question| terms.iter().all(|term| questions::fulfils(term, question));
            let are_let_through = questions
                .iter()
                .map(|question| question.as_ref().is_some_and(fulfils));
            return Ok(are_let_through.collect());
        }
        self.reading(|conn| {
            let query = Query::compile(conn, filter)?;
            let matcher = filter.aim.matcher.unwrap_or(links.matcher);
            let asked = LinkQuery {
                matcher: Some(matcher),
                columns: ", d.method, d.focal_method".to_owned(),
                conditions: query.conditions(),
            };
            let mut search = TextSearch::prepare(conn, &query.texts)?;
            let mut are_let_through = vec![false; links.n_predictions()];
            each_linked(conn, links, &asked, monitor, |_, ordinals, row| {
                if search.lets_through(SearchedDecision::of(row)?)? {
                    for ordinal in ordinals {
                        are_let_through[*ordinal as usize] = true;
                    }
                }
                Ok(())
            })?;
            Ok(are_let_through)
        })
    }

    /// Reads the values that samples are sorted by.
    pub fn result_column(
        &self,
        links: &Links,
        field: SortField,
        monitor: &Monitor,
    ) -> Result<SortableColumn, StoreError> {
        if let Some(questions) = &links.questions {
            return Ok(questions_sorted(questions, field));
        }
        self.reading(|conn| {
            let column = sort_column(field)?;
            let n_predictions = links.n_predictions();
            let mut numbers = vec![f64::NAN; n_predictions];
            let mut text_of = String::new();
            let mut places = Vec::new();
            each_linked(
                conn,
                links,
                &LinkQuery::columns(column),
                monitor,
                |_, ordinals, row| {
                    if row.get_ref(1)?.data_type() == rusqlite::types::Type::Text {
                        places.resize(n_predictions, None);
                        let start = text_of.len() as u32;
                        text_of.push_str(text(row, 1)?);
                        for ordinal in ordinals {
                            places[*ordinal as usize] = Some((start, text_of.len() as u32));
                        }
                    } else {
                        let number: f64 = row.get::<_, Option<f64>>(1)?.unwrap_or(f64::NAN);
                        for ordinal in ordinals {
                            numbers[*ordinal as usize] = number;
                        }
                    }
                    Ok(())
                },
            )?;
            Ok(if places.is_empty() {
                SortableColumn::Numbers(numbers)
            } else {
                SortableColumn::Texts {
                    text: text_of,
                    places,
                }
            })
        })
    }

    /// Reads the values that samples are grouped by; no word where the index does not have the sample.
    pub fn result_attributes(
        &self,
        links: &Links,
        attribute: Attribute,
        monitor: &Monitor,
    ) -> Result<WordColumn, StoreError> {
        if let Some(questions) = &links.questions {
            return Ok(attributes_of(questions, attribute));
        }
        self.reading(|conn| {
            let mut words = WordInterner::new(links.n_predictions);
            let column = match attribute {
                Attribute::Repo => IDENTITY,
                Attribute::Language => "r.language",
                Attribute::Framework => "d.framework",
                Attribute::Split => "d.split",
                Attribute::FocalClass => FOCAL_CLASS,
            };
            each_linked(
                conn,
                links,
                &LinkQuery::columns(column),
                monitor,
                |_, ordinals, row| {
                    let place = match attribute {
                        Attribute::Repo | Attribute::FocalClass => words.place(text(row, 1)?),
                        Attribute::Language => {
                            words.place(decode(Language::ALL, row.get(1)?)?.as_str())
                        }
                        Attribute::Framework => {
                            words.place(decode(Framework::ALL, row.get(1)?)?.as_str())
                        }
                        Attribute::Split => {
                            let split = decode_optional(Split::ALL, row.get(1)?)?;
                            words.place(split.map_or("", Split::as_str))
                        }
                    };
                    for ordinal in ordinals {
                        words.words.places[*ordinal as usize] = place;
                    }
                    Ok(())
                },
            )?;
            Ok(words.words)
        })
    }
}

/// Reads the values that questions are sorted by.
fn questions_sorted(questions: &[Option<Question>], field: SortField) -> SortableColumn {
    let SortField::Sample(field) = field else {
        return SortableColumn::Numbers(vec![f64::NAN; questions.len()]);
    };
    let mut text = String::new();
    let places = questions.iter().map(|question| {
        let start = text.len() as u32;
        text.push_str(questions::sorted_by(field, question.as_ref()?)?);
        Some((start, text.len() as u32))
    });
    let places = places.collect();
    SortableColumn::Texts { text, places }
}

/// Reads the values that questions are grouped by; no word for attributes that only samples have.
fn attributes_of(questions: &[Option<Question>], attribute: Attribute) -> WordColumn {
    let mut words = WordInterner::new(questions.len() as u32);
    for (ordinal, question) in (0..).zip(questions) {
        let Some(question) = question else { continue };
        words.set(
            ordinal,
            match attribute {
                Attribute::Repo => &question.repo,
                Attribute::Language => question.language.as_str(),
                Attribute::Framework | Attribute::Split | Attribute::FocalClass => "",
            },
        );
    }
    words.words
}

/// The simple name; empty when unmapped.
pub(crate) const FOCAL_CLASS: &str = "d.focal_class";

fn blob<'r>(row: &'r Row<'_>, idx: usize) -> Result<&'r [u8], StoreFailure> {
    let value = row.get_ref(idx)?;
    value
        .as_blob()
        .map_err(|_| StoreFailure::Damaged("a key is none".to_owned()))
}

/// Lists the tests that readers see, and their predictions, in no order.
fn tests_of(
    conn: &Connection,
    run: i64,
    n_predictions: u32,
    monitor: &Monitor,
) -> Result<Vec<(i64, u32)>, StoreFailure> {
    let mut statement =
        conn.prepare_cached("SELECT generation, n_tests FROM repos ORDER BY generation")?;
    let repos = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<Vec<(i64, u32)>, _>>()?;
    let is_seen = |test: i64| {
        let generation = test >> ORDINAL_BITS;
        repos
            .binary_search_by_key(&generation, |repo| repo.0)
            .is_ok()
    };
    let n_tests: u64 = repos.iter().map(|repo| u64::from(repo.1)).sum();
    let bounds = [row_id(run, 0), row_id(run + 1, 0)];
    let mut found = Vec::with_capacity(n_predictions as usize);
    let mut steps = RowCounter::new(monitor);
    if u64::from(n_predictions) * ROWS_PER_LOOKUP < n_tests {
        let mut predictions = conn.prepare_cached(
            "SELECT id & 4294967295, key FROM predictions WHERE id >= ?1 AND id < ?2 ORDER BY id",
        )?;
        let mut of_key = conn.prepare_cached("SELECT id FROM tests WHERE key = ?1 ORDER BY id")?;
        let mut predictions = predictions.query(bounds)?;
        while let Some(row) = predictions.next()? {
            steps.row()?;
            let ordinal = row.get(0)?;
            let mut tests = of_key.query([blob(row, 1)?])?;
            while let Some(row) = tests.next()? {
                let test = row.get(0)?;
                if is_seen(test) {
                    found.push((test, ordinal));
                    break;
                }
            }
        }
        steps.end();
        return Ok(found);
    }
    let mut predictions = conn.prepare_cached(
        "SELECT key, id & 4294967295 FROM predictions INDEXED BY predictions_by_key WHERE id >= ?1 AND id < ?2 ORDER BY key, id",
    )?;
    let mut tests =
        conn.prepare_cached("SELECT key, id FROM tests INDEXED BY tests_by_key ORDER BY key, id")?;
    let mut predictions = predictions.query(bounds)?;
    let mut tests = tests.query([])?;
    // The test that predictions were last compared with: several may have the same key.
    let mut key: Vec<u8> = Vec::new();
    let mut test = None;
    let mut is_at_end = false;
    while let Some(row) = predictions.next()? {
        steps.row()?;
        let wanted = blob(row, 0)?;
        while !is_at_end && (key.as_slice() < wanted || (key == wanted && test.is_none())) {
            let Some(row) = tests.next()? else {
                is_at_end = true;
                // There is nothing after the last one.
                key = vec![u8::MAX; 17];
                break;
            };
            key.clear();
            key.extend_from_slice(blob(row, 0)?);
            let id = row.get(1)?;
            test = is_seen(id).then_some(id);
        }
        if key == wanted
            && let Some(test) = test
        {
            found.push((test, row.get(1)?));
        }
    }
    steps.end();
    Ok(found)
}

/// The rows and columns that [`each_linked`] reads.
#[derive(Clone, Debug, Default)]
struct LinkQuery {
    /// The matcher whose decisions are read; the run's where none is given.
    matcher: Option<Matcher>,
    /// The columns after the id of the decision; each after a comma.
    columns: String,
    /// Each begins with ` AND `.
    conditions: Sql,
}

impl LinkQuery {
    fn columns(column: &str) -> Self {
        Self {
            columns: format!(", {column}"),
            ..Self::default()
        }
    }
}

/// Passes every linked test that fulfils the conditions to `each`, with its predictions, in order of ids.
fn each_linked(
    conn: &Connection,
    links: &Links,
    asked: &LinkQuery,
    monitor: &Monitor,
    mut each: impl FnMut(i64, &[u32], &Row<'_>) -> Result<(), StoreFailure>,
) -> Result<(), StoreFailure> {
    let LinkQuery {
        matcher,
        columns,
        conditions,
    } = asked;
    let bits = matcher_bits(matcher.unwrap_or(links.matcher));
    let mut n_tests_of = conn.prepare_cached("SELECT n_tests FROM repos WHERE generation = ?1")?;
    let mut of_range = conn.prepare_cached(&format!(
        "SELECT d.id{columns} FROM repos r CROSS JOIN decisions d
         WHERE r.generation = ? AND d.id >= ? AND d.id < ?{} ORDER BY d.id",
        conditions.text
    ))?;
    let mut of_id = conn.prepare_cached(&format!(
        "SELECT d.id{columns} FROM repos r CROSS JOIN decisions d WHERE r.generation = ? AND d.id = ?{}",
        conditions.text
    ))?;
    let values = |head: &[i64]| {
        let head: Vec<Value> = head.iter().map(|head| Value::Integer(*head)).collect();
        params_from_iter([head.as_slice(), &conditions.values].concat())
    };
    for (generation, places) in links.generations() {
        monitor.step()?;
        // A generation that was replaced after the links were made is gone with its rows.
        let Some(n_tests) = n_tests_of
            .query_map(params![generation], |row| row.get::<_, u32>(0))?
            .next()
            .transpose()?
        else {
            continue;
        };
        let n_linked = places.len() as u64;
        let tests = &links.tests[places.clone()];
        let ordinals = &links.ordinals[places];
        if n_linked * ROWS_PER_LOOKUP < u64::from(n_tests) {
            let mut start = 0;
            while let Some(test) = tests.get(start) {
                // Checked at every row: with `text:`, each may unpack a file.
                monitor.step()?;
                let n_same = tests[start..].partition_point(|n| n == test);
                let mut rows = of_id.query(values(&[generation, *test | bits]))?;
                if let Some(row) = rows.next()? {
                    each(*test, &ordinals[start..start + n_same], row)?;
                }
                start += n_same;
            }
        } else {
            let first = row_id(generation, 0) | bits;
            let mut rows =
                of_range.query(values(&[generation, first, first + (1 << TEST_BITS)]))?;
            let mut start = 0;
            while let Some(row) = rows.next()? {
                monitor.step()?;
                let test = row.get::<_, i64>(0)? & !(15 << TEST_BITS);
                start += tests[start..].partition_point(|n| *n < test);
                let n_same = tests[start..].partition_point(|n| *n == test);
                if n_same > 0 {
                    each(test, &ordinals[start..start + n_same], row)?;
                }
                start += n_same;
            }
        }
        monitor.n_predictions.fetch_add(n_linked, Ordering::Relaxed);
    }
    Ok(())
}
