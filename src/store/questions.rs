//! Questions that are not samples: how the index stores them, and the queries on them.
//!
//! A question has a key like a sample, so its predictions, scores and outcomes are stored like those of samples. A
//! lookup that finds no sample continues here.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::model::{
    Condition, Language, Name, OfSample, Question, QuestionSetting, RunKind, SampleKey, SampleSort,
    Term,
};
use crate::task::Monitor;

use super::codec::{code, decode, row_id};
use super::error::StoreFailure;

/// The text columns that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuestionTexts {
    All,
    /// Context and truth are not read.
    Left,
}

/// Writes a question, in place of its former version.
pub(super) fn put(conn: &Connection, question: &Question) -> Result<(), StoreFailure> {
    let n_changed = conn
        .prepare_cached(
            "INSERT INTO questions (key, content_hash, language, repo, name, about, path, line, task, budget, form,
                context, is_continued, truth)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
             ON CONFLICT (key) DO UPDATE SET content_hash = excluded.content_hash, language = excluded.language,
                repo = excluded.repo, name = excluded.name, about = excluded.about, path = excluded.path,
                line = excluded.line, context = excluded.context, is_continued = excluded.is_continued,
                truth = excluded.truth
             WHERE content_hash IS NOT excluded.content_hash",
        )?
        .execute(params![
            question.key.0,
            question.content_hash().0,
            code(Language::ALL, question.language),
            question.repo,
            question.name,
            question.about,
            question.path,
            question.line,
            question.asked.task,
            question.asked.budget,
            question.asked.form,
            question.context,
            question.is_continued,
            question.truth,
        ])?;
    if n_changed > 0 {
        // Other runs were scored against its former version.
        conn.prepare_cached(
            "DELETE FROM run_references WHERE run IN
                (SELECT id >> 32 FROM predictions INDEXED BY predictions_by_key WHERE key = ?1)",
        )?
        .execute([question.key.0])?;
    }
    Ok(())
}

/// Removes questions without an answer in any run.
pub(super) fn sweep(conn: &Connection) -> Result<(), StoreFailure> {
    conn.execute(
        "DELETE FROM questions WHERE NOT EXISTS
            (SELECT 1 FROM predictions p INDEXED BY predictions_by_key WHERE p.key = questions.key)",
        [],
    )?;
    Ok(())
}

/// Reads the kind of questions that a run answers.
pub(super) fn kind_of(conn: &Connection, run: i64) -> Result<RunKind, StoreFailure> {
    let kind: Option<i64> = conn
        .query_row("SELECT kind FROM runs WHERE id = ?1", [run], |row| {
            row.get(0)
        })
        .optional()?;
    kind.map_or(Ok(RunKind::Samples), |kind| decode(RunKind::ALL, kind))
}

/// Reads a question; nothing where no question has this key.
pub(super) fn of_key(
    conn: &Connection,
    key: &SampleKey,
    texts: QuestionTexts,
) -> Result<Option<Question>, StoreFailure> {
    let sql = format!(
        "SELECT {} FROM questions q WHERE q.key = ?1",
        columns(texts)
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let mut rows = statement.query([key.0])?;
    rows.next()?.map(|row| read(row)).transpose()
}

/// Reads the questions of a run's predictions by number, without their texts.
pub(super) fn of_run(
    conn: &Connection,
    run: i64,
    n_predictions: u32,
    monitor: &Monitor,
) -> Result<Vec<Option<Question>>, StoreFailure> {
    let mut found = vec![None; n_predictions as usize];
    let mut statement = conn.prepare(&format!(
        "SELECT {}, p.id & 4294967295 FROM predictions p CROSS JOIN questions q ON q.key = p.key
         WHERE p.id >= ?1 AND p.id < ?2 ORDER BY p.id",
        columns(QuestionTexts::Left)
    ))?;
    let mut rows = statement.query([row_id(run, 0), row_id(run + 1, 0)])?;
    while let Some(row) = rows.next()? {
        let ordinal: u32 = row.get(13)?;
        if ordinal.is_multiple_of(4_096) {
            monitor.step()?;
        }
        if let Some(question) = found.get_mut(ordinal as usize) {
            *question = Some(read(row)?);
        }
    }
    Ok(found)
}

/// Lists the columns that [`read`] reads.
fn columns(texts: QuestionTexts) -> String {
    let texts = match texts {
        QuestionTexts::All => "q.context, q.truth",
        QuestionTexts::Left => "'', NULL",
    };
    format!(
        "q.key, q.language, q.repo, q.name, q.about, q.path, q.line, q.task, q.budget, q.form, q.is_continued, {texts}"
    )
}

fn read(row: &Row<'_>) -> Result<Question, StoreFailure> {
    Ok(Question {
        key: SampleKey(row.get(0)?),
        language: decode(Language::ALL, row.get(1)?)?,
        repo: row.get(2)?,
        name: row.get(3)?,
        about: row.get(4)?,
        path: row.get(5)?,
        line: row.get(6)?,
        asked: QuestionSetting {
            task: row.get(7)?,
            budget: row.get(8)?,
            form: row.get(9)?,
        },
        is_continued: row.get(10)?,
        context: row.get(11)?,
        truth: row.get(12)?,
    })
}

/// Tells whether a question fulfils a term; no question fulfils a condition that only samples can fulfil.
pub(super) fn fulfils(term: &Term, question: &Question) -> bool {
    match term {
        Term::Is(condition) => is_so(condition, question),
        Term::Not(term) => !fulfils(term, question),
        Term::All(terms) => terms.iter().all(|term| fulfils(term, question)),
        Term::Any(terms) => terms.iter().any(|term| fulfils(term, question)),
    }
}

fn is_so(condition: &Condition, question: &Question) -> bool {
    let Condition::Sample(condition) = condition else {
        return matches!(condition, Condition::Keys(keys) if keys.contains(&question.key));
    };
    match condition {
        OfSample::Repo(name) => has(name, &question.repo),
        OfSample::Test(name) => has(name, &question.name),
        OfSample::Focal(name) => has(name, &question.about),
        OfSample::Name(name) => has(name, &question.name) || has(name, &question.about),
        OfSample::File(name) => has(name, &question.path),
        OfSample::Key(start) => (start.first..=start.last).contains(&question.key),
        OfSample::Language(language) => *language == question.language,
        _ => false,
    }
}

fn has(name: &Name, text: &str) -> bool {
    match name {
        Name::Part(part) => text.to_lowercase().contains(&part.to_lowercase()),
        Name::Whole(whole) => text == whole,
    }
}

/// Reads the value that questions are sorted by; nothing for fields that only samples have.
pub(super) fn sorted_by(field: SampleSort, question: &Question) -> Option<&str> {
    match field {
        SampleSort::Repo => Some(&question.repo),
        SampleSort::Test => Some(&question.name),
        SampleSort::Focal => Some(&question.about),
        _ => None,
    }
}
