//! The sample list: windows of rows in any order, the number of rows, and the rank of a row.
//!
//! The whole index in the default order is never listed: a window is found by a neighbouring row, and counts are sums
//! over repositories. Any other list is queried once, as ids alone (eight bytes per row), and kept until the index
//! changes; windows, counts and ranks are then positions in it.

use std::sync::Arc;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, Statement, params, params_from_iter};
use rustc_hash::FxHashSet;

use crate::model::{Filter, Flags, Matcher, SampleKey, SampleRow, Stage, Status};

use super::codec::{
    self, ORDINAL_BITS, code, decision_id, decode, decode_optional, matcher_bits, row_id,
};
use super::error::StoreFailure;
use super::lists::FilteredList;
use super::query::{Query, id_range};
use super::sql::Sql;
use super::text::{LikelyDecisions, SearchedDecision, TextSearch};
use super::{Store, StoreError, version};

/// Where a window of rows begins or ends; the numbers are [`SampleRow::id`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    First,
    Last,
    /// The rows after this one, without it.
    After(i64),
    /// The rows just before this one, without it.
    Before(i64),
    /// The rows from the n-th on, counted from 0.
    AtRank(u64),
}

/// The columns that a [`SampleRow`] is read from, in the order that [`sample_row`] expects.
pub(super) const ROW_COLUMNS: &str =
    "d.id, t.key, r.name, d.test_class, d.test_name, d.focal, d.status, d.stage,
    d.weight, d.flags, d.is_duplicate";

/// The tables of [`ROW_COLUMNS`], for one decision by its id; those of hidden generations have no `r`.
pub(super) const ROW_TABLES: &str = "decisions d JOIN repos r ON r.generation = d.id >> 32
    JOIN tests t ON t.id = d.id & ~(15 << 28)";

impl Store {
    /// Reads at most `limit` rows in the filter's order; none where the cursor's row is not in the list.
    pub fn page(
        &self,
        filter: &Filter,
        anchor: Anchor,
        limit: usize,
    ) -> Result<Vec<SampleRow>, StoreError> {
        self.reading(|conn| {
            let query = Query::compile(conn, filter)?;
            let ids = if query.is_everything() && query.is_default_order() {
                default_window(conn, query.matcher, anchor, limit)?
            } else if anchor == Anchor::First && query.texts.is_empty() {
                self.head(conn, filter, &query, limit)?
            } else {
                window(&self.list(conn, filter, &query)?, anchor, limit).to_vec()
            };
            rows(conn, &ids)
        })
    }

    /// Reads the first rows that the filter lets through, by repository, file and position. Stops at the last of them
    /// and keeps no list: for searches while the user types. Ignores `text:` in the filter.
    pub fn first(&self, filter: &Filter, limit: usize) -> Result<Vec<SampleRow>, StoreError> {
        self.reading(|conn| {
            let query = Query::compile(conn, filter)?.in_default_order();
            let Sql { text, values } = query.in_order();
            let mut statement = conn.prepare(&format!("SELECT d.id{text} LIMIT {limit}"))?;
            let ids = statement.query_map(params_from_iter(values), |row| row.get(0))?;
            let ids: Vec<i64> = ids.collect::<Result<_, _>>()?;
            rows(conn, &ids)
        })
    }

    /// Counts the rows that the filter lets through.
    pub fn count(&self, filter: &Filter) -> Result<u64, StoreError> {
        self.reading(|conn| {
            let query = Query::compile(conn, filter)?;
            if query.is_everything() {
                return count_all(conn, query.matcher, None);
            }
            let known = self
                .lists
                .find(filter, (version::current(conn)?, query.verdicts));
            match known {
                Some(ids) => Ok(ids.len() as u64),
                None if query.texts.is_empty() => {
                    let Sql { text, values } = query.matching();
                    let n_rows = conn.query_row(
                        &format!("SELECT COUNT(*){text}"),
                        params_from_iter(values),
                        |row| codec::count(row, 0),
                    )?;
                    Ok(n_rows)
                }
                None => Ok(self.list(conn, filter, &query)?.len() as u64),
            }
        })
    }

    /// Reads the rows of samples as this matcher decided on them, in the order of `keys`; nothing for a sample that the
    /// index does not have, or that the matcher did not decide on.
    pub fn rows_of(
        &self,
        keys: &[SampleKey],
        matcher: Matcher,
    ) -> Result<Vec<Option<SampleRow>>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(&format!(
                "SELECT {ROW_COLUMNS} FROM tests t JOIN repos r ON r.generation = t.id >> 32
                 JOIN decisions d ON d.id = t.id | ?2 WHERE t.key = ?1"
            ))?;
            keys.iter()
                .map(|key| {
                    let mut rows = statement.query(params![key.0, matcher_bits(matcher)])?;
                    let row = rows.next()?;
                    row.map(sample_row).transpose()
                })
                .collect()
        })
    }

    /// Counts the rows before the row `id`, or returns nothing when the filter does not let it through.
    pub fn rank(&self, filter: &Filter, id: i64) -> Result<Option<u64>, StoreError> {
        self.reading(|conn| {
            let query = Query::compile(conn, filter)?;
            if query.is_everything() && query.is_default_order() {
                default_rank(conn, query.matcher, id)
            } else {
                let ids = self.list(conn, filter, &query)?;
                Ok(ids.iter().position(|n| *n == id).map(|rank| rank as u64))
            }
        })
    }

    /// Lists the ids of the first rows in the filter's order. A first page does not wait for the whole list; where the
    /// page turns out to be the whole list, it is kept.
    fn head(
        &self,
        conn: &Connection,
        filter: &Filter,
        query: &Query,
        limit: usize,
    ) -> Result<Vec<i64>, StoreFailure> {
        let version = (version::current(conn)?, query.verdicts);
        if let Some(ids) = self.lists.find(filter, version) {
            return Ok(window(&ids, Anchor::First, limit).to_vec());
        }
        let Sql { text, values } = query.in_order();
        let mut statement = conn.prepare(&format!("SELECT d.id{text} LIMIT {limit}"))?;
        let ids = statement.query_map(params_from_iter(values), |row| row.get(0))?;
        let ids: Vec<i64> = ids.collect::<Result<_, _>>()?;
        if ids.len() < limit {
            self.lists.keep(FilteredList {
                filter: filter.clone(),
                version,
                ids: Arc::new(ids.clone()),
            });
        }
        Ok(ids)
    }

    /// Lists the ids of all rows in the filter's order.
    pub(super) fn list(
        &self,
        conn: &Connection,
        filter: &Filter,
        query: &Query,
    ) -> Result<Arc<Vec<i64>>, StoreFailure> {
        let version = (version::current(conn)?, query.verdicts);
        if let Some(ids) = self.lists.find(filter, version) {
            return Ok(ids);
        }
        let ids = Arc::new(ids(conn, query)?);
        self.lists.keep(FilteredList {
            filter: filter.clone(),
            version,
            ids: ids.clone(),
        });
        Ok(ids)
    }
}

fn ids(conn: &Connection, query: &Query) -> Result<Vec<i64>, StoreFailure> {
    if query.texts.is_empty() {
        return sorted_ids(conn, query);
    }
    let mut search = TextSearch::prepare(conn, &query.texts)?;
    // For few repositories, reading their texts costs less than querying the index of texts for all.
    let likely = if query.is_of_few_repos() {
        None
    } else {
        search.likely(conn)?
    };
    let ids = if let Some(likely) = likely {
        likely_ids(conn, query, &mut search, &likely)?
    } else {
        // Files are unpacked in the order in which they are stored, whatever the list is sorted by.
        let mut ids = Vec::new();
        each_found(conn, query, "", &mut search, |row| {
            ids.push(row.get(0)?);
            Ok(())
        })?;
        ids
    };
    if query.is_default_order() {
        return Ok(ids);
    }
    let found: FxHashSet<i64> = ids.into_iter().collect();
    let mut ids = sorted_ids(conn, query)?;
    ids.retain(|id| found.contains(id));
    Ok(ids)
}

/// Lists the rows that the filter lets through, in the default order, among the likely decisions and the generations
/// that the index of texts does not know.
///
/// Repositories are read in order, and one statement over them stays open, so that an interrupt takes effect at its
/// next step.
fn likely_ids(
    conn: &Connection,
    query: &Query,
    search: &mut TextSearch<'_>,
    likely: &LikelyDecisions,
) -> Result<Vec<i64>, StoreFailure> {
    let Sql { text, values } = query.conditions();
    let (first, end) = id_range(query.matcher);
    let select = |bounds: &str| {
        format!(
            "SELECT d.id, d.method, d.focal_method FROM repos r CROSS JOIN decisions d
             WHERE r.generation = ? AND {bounds}{text} ORDER BY d.id"
        )
    };
    let mut one = conn.prepare(&select("d.id = ?"))?;
    let mut all = conn.prepare(&select(&format!("d.id >= {first} AND d.id < {end}")))?;
    let bits = matcher_bits(query.matcher);
    let mut ids = Vec::new();
    let mut repos = conn.prepare("SELECT generation FROM repos ORDER BY identity, language")?;
    let mut repos = repos.query([])?;
    while let Some(repo) = repos.next()? {
        let generation: i64 = repo.get(0)?;
        let mut look =
            |statement: &mut Statement<'_>, id: Option<i64>| -> Result<(), StoreFailure> {
                let head = [Some(generation), id].into_iter().flatten();
                let all = head.map(Value::Integer).chain(values.iter().cloned());
                let mut rows = statement.query(params_from_iter(all))?;
                while let Some(row) = rows.next()? {
                    if search.lets_through(SearchedDecision::of(row)?)? {
                        ids.push(row.get(0)?);
                    }
                }
                Ok(())
            };
        if likely.others.contains(&generation) {
            look(&mut all, None)?;
            continue;
        }
        let start = row_id(generation, 0) | bits;
        let from = likely
            .decisions
            .partition_point(|decision| *decision < start);
        let these = likely.decisions[from..]
            .iter()
            .take_while(|decision| **decision < start + (1 << codec::TEST_BITS));
        for id in these {
            look(&mut one, Some(*id))?;
        }
    }
    Ok(ids)
}

fn sorted_ids(conn: &Connection, query: &Query) -> Result<Vec<i64>, StoreFailure> {
    let Sql { text, values } = query.in_order();
    let mut statement = conn.prepare(&format!("SELECT d.id{text}"))?;
    let ids = statement.query_map(params_from_iter(values), |row| row.get(0))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

/// Passes `d.id, d.method, d.focal_method` and `columns` (each after a comma) of every row that the filter lets through
/// to `each`, by repository, file and position.
///
/// The statement stays open throughout, so that an interrupt takes effect at its next step.
pub(super) fn each_match(
    conn: &Connection,
    query: &Query,
    columns: &str,
    each: impl FnMut(&Row<'_>) -> Result<(), StoreFailure>,
) -> Result<(), StoreFailure> {
    let mut search = TextSearch::prepare(conn, &query.texts)?;
    each_found(conn, query, columns, &mut search, each)
}

fn each_found(
    conn: &Connection,
    query: &Query,
    columns: &str,
    search: &mut TextSearch<'_>,
    mut each: impl FnMut(&Row<'_>) -> Result<(), StoreFailure>,
) -> Result<(), StoreFailure> {
    let Sql { text, values } = query.in_default_order().in_order();
    let mut statement = conn.prepare(&format!(
        "SELECT d.id, d.method, d.focal_method{columns}{text}"
    ))?;
    let mut rows = statement.query(params_from_iter(values))?;
    while let Some(row) = rows.next()? {
        if search.lets_through(SearchedDecision::of(row)?)? {
            each(row)?;
        }
    }
    Ok(())
}

fn window(ids: &[i64], anchor: Anchor, limit: usize) -> &[i64] {
    let place = |id: i64| ids.iter().position(|n| *n == id);
    let from = |start: usize| {
        let end = start.saturating_add(limit).min(ids.len());
        ids.get(start..end).unwrap_or(&[])
    };
    let until = |end: usize| &ids[end.saturating_sub(limit)..end];
    match anchor {
        Anchor::First => from(0),
        Anchor::Last => until(ids.len()),
        Anchor::After(id) => place(id).map_or(&[], |place| from(place + 1)),
        Anchor::Before(id) => place(id).map_or(&[], until),
        Anchor::AtRank(rank) => usize::try_from(rank).map_or(&[], from),
    }
}

/// Reads a window of the default order, without looking at the rows before it.
fn default_window(
    conn: &Connection,
    matcher: Matcher,
    anchor: Anchor,
    limit: usize,
) -> Result<Vec<i64>, StoreFailure> {
    let mut offset = 0;
    let cursor = match anchor {
        Anchor::First | Anchor::Last => None,
        Anchor::After(id) | Anchor::Before(id) => match place_of(conn, id)? {
            Some(place) => Some((place, id)),
            None => return Ok(Vec::new()),
        },
        Anchor::AtRank(rank) => match repo_at(conn, matcher, rank)? {
            Some((place, id, rest)) => {
                offset = rest;
                Some((place, id))
            }
            None => return Ok(Vec::new()),
        },
    };
    let backward = matches!(anchor, Anchor::Last | Anchor::Before(_));
    let (Sql { text, mut values }, turn) = (beside(matcher, cursor, backward), backward);
    values.push(Value::Integer(codec::integer(limit)));
    values.push(Value::Integer(offset));
    let mut statement = conn.prepare(&format!("SELECT d.id{text} LIMIT ? OFFSET ?"))?;
    let mut ids = statement
        .query_map(params_from_iter(values), |row| row.get(0))?
        .collect::<Result<Vec<i64>, _>>()?;
    if turn {
        ids.reverse();
    }
    Ok(ids)
}

/// Writes `FROM … ORDER BY …` for the rows after a cursor, or before it, nearest first.
///
/// The cursor is part of the range of ids in each repository, as SQLite uses one bound on either side of a range.
pub(super) fn beside(matcher: Matcher, cursor: Option<(RepoSortKey, i64)>, backward: bool) -> Sql {
    let (first, end) = id_range(matcher);
    let mut sql = Sql::new(" FROM repos r CROSS JOIN decisions d WHERE ", Vec::new());
    match cursor {
        None => sql.push_str(&format!("d.id >= {first} AND d.id < {end}")),
        Some(((identity, language), id)) => {
            let place = [Value::Text(identity), Value::Integer(language)];
            let values = [&place[..], &place, &[Value::Integer(id)]].concat();
            let is_same = "(r.identity, r.language) = (?, ?)";
            let text = if backward {
                format!(
                    "(r.identity, r.language) <= (?, ?) AND d.id >= {first}
                     AND d.id < CASE WHEN {is_same} THEN ? ELSE {end} END"
                )
            } else {
                format!(
                    "(r.identity, r.language) >= (?, ?) AND d.id >= CASE WHEN {is_same} THEN ? + 1 ELSE {first} END
                     AND d.id < {end}"
                )
            };
            sql.push(&Sql::new(text, values));
        }
    }
    sql.push_str(if backward {
        " ORDER BY r.identity DESC, r.language DESC, d.id DESC"
    } else {
        " ORDER BY r.identity, r.language, d.id"
    });
    sql
}

/// The sort key of a repository: identity and language.
pub(super) type RepoSortKey = (String, i64);

/// Looks up the sort key of the repository that a visible decision belongs to.
fn place_of(conn: &Connection, id: i64) -> Result<Option<RepoSortKey>, StoreFailure> {
    Ok(conn
        .query_row(
            "SELECT r.identity, r.language FROM decisions d JOIN repos r ON r.generation = d.id >> 32
             WHERE d.id = ?1",
            [id],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?)
}

/// Finds a cursor just before the row of a rank, and the number of rows of its repository in between: first by the
/// number of rows in each repository, then by ids, which count tests.
fn repo_at(
    conn: &Connection,
    matcher: Matcher,
    rank: u64,
) -> Result<Option<(RepoSortKey, i64, i64)>, StoreFailure> {
    let mut repos = conn.prepare(
        "SELECT r.identity, r.generation, t.n_tests, r.n_tests, r.language FROM repos r
         JOIN tallies t ON t.repo = r.id AND t.matcher = ?1 ORDER BY r.identity, r.language",
    )?;
    let mut repos = repos.query([code(Matcher::ALL, matcher)])?;
    let mut rest = rank;
    while let Some(row) = repos.next()? {
        let (n_decided, n_tests) = (codec::count(row, 2)?, codec::count(row, 3)?);
        if rest >= n_decided {
            rest -= n_decided;
            continue;
        }
        // Where the matcher was not run on every test, ids have gaps, so rows are counted one by one.
        let (ordinal, offset) = if n_decided == n_tests {
            (rest as u32, 0)
        } else {
            (0, i64::try_from(rest).unwrap_or(i64::MAX))
        };
        let id = decision_id(row.get(1)?, matcher, ordinal) - 1;
        return Ok(Some(((row.get(0)?, row.get(4)?), id, offset)));
    }
    Ok(None)
}

fn default_rank(conn: &Connection, matcher: Matcher, id: i64) -> Result<Option<u64>, StoreFailure> {
    let first = row_id(id >> ORDINAL_BITS, 0) | matcher_bits(matcher);
    let Some(place) = place_of(conn, id)? else {
        return Ok(None);
    };
    if id < first || id >= first + (1 << codec::TEST_BITS) {
        return Ok(None);
    }
    let before = conn.query_row(
        "SELECT COUNT(*) FROM decisions WHERE id >= ?1 AND id < ?2",
        [first, id],
        |row| codec::count(row, 0),
    )?;
    Ok(Some(before + count_all(conn, matcher, Some(&place))?))
}

/// Counts the tests that a matcher has decided, in all repositories or in those before one.
fn count_all(
    conn: &Connection,
    matcher: Matcher,
    before: Option<&RepoSortKey>,
) -> Result<u64, StoreFailure> {
    let (identity, language) = before
        .map(|(identity, language)| (identity, language))
        .unzip();
    let n_tests = conn.query_row(
        "SELECT IFNULL(SUM(t.n_tests), 0) FROM tallies t JOIN repos r ON r.id = t.repo
         WHERE t.matcher = ?1 AND (?2 IS NULL OR (r.identity, r.language) < (?2, ?3))",
        params![code(Matcher::ALL, matcher), identity, language],
        |row| codec::count(row, 0),
    )?;
    Ok(n_tests)
}

fn rows(conn: &Connection, ids: &[i64]) -> Result<Vec<SampleRow>, StoreFailure> {
    let mut statement = conn.prepare(&format!(
        "SELECT {ROW_COLUMNS} FROM {ROW_TABLES} WHERE d.id = ?1"
    ))?;
    let mut page = Vec::with_capacity(ids.len());
    for id in ids {
        let mut rows = statement.query([id])?;
        if let Some(row) = rows.next()? {
            page.push(sample_row(row)?);
        }
    }
    Ok(page)
}

/// Reads the columns of [`ROW_COLUMNS`].
pub(super) fn sample_row(row: &Row<'_>) -> Result<SampleRow, StoreFailure> {
    let focal: String = row.get(5)?;
    let weight: f64 = row.get(8)?;
    Ok(SampleRow {
        id: row.get(0)?,
        key: SampleKey(row.get(1)?),
        repo: row.get(2)?,
        test_class: row.get(3)?,
        test_name: row.get(4)?,
        focal: (!focal.is_empty()).then_some(focal),
        status: decode(Status::ALL, row.get(6)?)?,
        stage: decode_optional(Stage::ALL, row.get(7)?)?,
        weight: (weight >= 0.0).then_some(weight),
        flags: Flags(row.get(9)?),
        is_duplicate: row.get(10)?,
    })
}
