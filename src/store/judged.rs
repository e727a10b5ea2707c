//! The filter conditions on people's judgements: `verdict:`, `is:marked`, `note:` and `tagged:`.
//!
//! Verdicts are stored in a separate file, and no transaction spans two files safely; so the valid ones are copied into
//! a temporary table of the querying connection, again whenever there are new events. A filter without such conditions
//! costs nothing more. A sample that was only accepted provisionally, in a batch, has no verdict: `verdict:none` lets
//! it through.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params};

use crate::model::{OfSample, RemarkKind, Tag, VerdictIs};

use super::Verdicts;
use super::error::StoreFailure;
use super::sql::{Sql, like};

/// A temporary table of one kind of judgement on samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JudgementTable {
    Judged,
    Provisional,
    Marked,
    Noted,
    Tagged,
}

impl JudgementTable {
    const ALL: [Self; 5] = [
        Self::Judged,
        Self::Provisional,
        Self::Marked,
        Self::Noted,
        Self::Tagged,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Judged => "judged",
            Self::Provisional => "provisional",
            Self::Marked => "marked",
            Self::Noted => "noted",
            Self::Tagged => "tagged",
        }
    }

    /// Chooses the table that a condition needs; nothing for one that is not about people.
    fn of(condition: &OfSample) -> Option<Self> {
        Some(match condition {
            OfSample::Verdict(VerdictIs::Provisional) => Self::Provisional,
            OfSample::Verdict(VerdictIs::None | VerdictIs::Word(_)) => Self::Judged,
            OfSample::Is(RemarkKind::Marked) => Self::Marked,
            OfSample::Is(RemarkKind::Noted) | OfSample::Note(_) => Self::Noted,
            OfSample::Tagged(_) => Self::Tagged,
            OfSample::Repo(_)
            | OfSample::Class(_)
            | OfSample::Test(_)
            | OfSample::Focal(_)
            | OfSample::FocalClass(_)
            | OfSample::Name(_)
            | OfSample::File(_)
            | OfSample::Key(_)
            | OfSample::Near(_)
            | OfSample::Text(_)
            | OfSample::Status(_)
            | OfSample::Stage(_)
            | OfSample::Weight(_)
            | OfSample::Margin(_)
            | OfSample::Flag(_)
            | OfSample::Duplicate(_)
            | OfSample::Tokens(_)
            | OfSample::Split(_)
            | OfSample::Benchmark(_)
            | OfSample::ProjectSplit(_)
            | OfSample::Framework(_)
            | OfSample::Kind(_)
            | OfSample::License(_)
            | OfSample::Language(_)
            | OfSample::Build(_)
            | OfSample::Stars(_) => return None,
        })
    }

    /// Reads the valid rows: samples, each with a word or a text.
    fn read(self, verdicts: &Verdicts) -> Result<Vec<([u8; 16], String)>, StoreFailure> {
        let elsewhere = |error| StoreFailure::Elsewhere(Box::new(error));
        Ok(match self {
            Self::Judged => {
                let all = verdicts.all().map_err(elsewhere)?.into_iter();
                let word = |verdict: crate::model::Verdict| {
                    let judged = verdict.judged;
                    (judged.key.0, judged.judgement.as_str().to_owned())
                };
                all.map(word).collect()
            }
            Self::Provisional => {
                let keys = verdicts.provisional_keys().map_err(elsewhere)?;
                keys.into_iter()
                    .map(|sample_key| (sample_key.0, String::new()))
                    .collect()
            }
            Self::Marked => {
                let marks = verdicts.marks().map_err(elsewhere)?.into_iter();
                marks.map(|mark| (mark.key.0, String::new())).collect()
            }
            Self::Noted => {
                let notes = verdicts.notes().map_err(elsewhere)?.into_iter();
                notes.map(|note| (note.key.0, note.text)).collect()
            }
            Self::Tagged => {
                let rulings = verdicts.all_rulings().map_err(elsewhere)?;
                let mut words = Vec::new();
                for ruling in rulings {
                    let tags = ruling.tagged.tags;
                    words.extend(
                        tags.iter()
                            .map(|tag| (ruling.tagged.key.0, tag.as_str().to_owned())),
                    );
                }
                words
            }
        })
    }
}

/// Updates the tables that these conditions need, and returns a number that changes with them.
pub(super) fn refresh(conn: &Connection, conditions: &[&OfSample]) -> Result<i64, StoreFailure> {
    conn.execute_batch(
        "CREATE TEMP TABLE IF NOT EXISTS judged_version (of TEXT PRIMARY KEY NOT NULL, version INTEGER NOT NULL) STRICT;",
    )?;
    let folder = conn.path().and_then(|path| Path::new(path).parent());
    let elsewhere = |error| StoreFailure::Elsewhere(Box::new(error));
    let verdicts = Verdicts::open_or_empty(folder.unwrap_or(Path::new("."))).map_err(elsewhere)?;
    let version = verdicts.version().map_err(elsewhere)?;
    // There may be far more provisional verdicts than others, and few filters ask for them, so they are read only when
    // needed.
    for table in JudgementTable::ALL {
        if !(conditions.iter()).any(|condition| JudgementTable::of(condition) == Some(table)) {
            continue;
        }
        let name = table.name();
        let sql = "SELECT version FROM temp.judged_version WHERE of = ?1";
        let known: Option<i64> = conn.query_row(sql, [name], |row| row.get(0)).optional()?;
        if known == Some(version) {
            continue;
        }
        conn.execute_batch(&format!(
            "CREATE TEMP TABLE IF NOT EXISTS {name} (key BLOB NOT NULL, word TEXT NOT NULL,
                PRIMARY KEY (key, word)) STRICT, WITHOUT ROWID;
             DELETE FROM temp.{name};"
        ))?;
        let sql = format!("INSERT OR IGNORE INTO temp.{name} VALUES (?1, ?2)");
        let mut insert = conn.prepare_cached(&sql)?;
        for (key, word) in table.read(&verdicts)? {
            insert.execute(params![key, word])?;
        }
        let done = "INSERT OR REPLACE INTO temp.judged_version VALUES (?1, ?2)";
        conn.execute(done, params![name, version])?;
    }
    Ok(version)
}

/// Writes the condition that a sample is in a table, where `more` holds for its row.
fn is_in(table: JudgementTable, more: &str, values: Vec<Value>) -> Sql {
    let samples = samples_of(table);
    Sql::new(format!("d.id & ~(15 << 28) IN ({samples}{more})"), values)
}

fn is_not_in(table: JudgementTable) -> Sql {
    let samples = samples_of(table);
    Sql::new(format!("d.id & ~(15 << 28) NOT IN ({samples})"), Vec::new())
}

fn samples_of(table: JudgementTable) -> String {
    let name = table.name();
    format!("SELECT t.id FROM temp.{name} j JOIN tests t ON t.key = j.key")
}

fn has_word(table: JudgementTable, word: &str) -> Sql {
    is_in(
        table,
        " WHERE j.word = ?",
        vec![Value::Text(word.to_owned())],
    )
}

pub(super) fn verdict(verdict: VerdictIs) -> Sql {
    match verdict {
        VerdictIs::None => is_not_in(JudgementTable::Judged),
        VerdictIs::Word(word) => has_word(JudgementTable::Judged, word),
        VerdictIs::Provisional => is_in(JudgementTable::Provisional, "", Vec::new()),
    }
}

pub(super) fn remark(remark: RemarkKind) -> Sql {
    let table = match remark {
        RemarkKind::Marked => JudgementTable::Marked,
        RemarkKind::Noted => JudgementTable::Noted,
    };
    is_in(table, "", Vec::new())
}

pub(super) fn note(part: Option<&str>) -> Sql {
    match part {
        None => is_not_in(JudgementTable::Noted),
        Some(part) => {
            let part = vec![Value::Text(like(part))];
            is_in(
                JudgementTable::Noted,
                " WHERE j.word LIKE ? ESCAPE '\\'",
                part,
            )
        }
    }
}

pub(super) fn tagged(tag: Option<Tag>) -> Sql {
    match tag {
        None => is_not_in(JudgementTable::Tagged),
        Some(tag) => has_word(JudgementTable::Tagged, tag.as_str()),
    }
}
