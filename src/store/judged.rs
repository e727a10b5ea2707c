//! What a filter asks of people: `verdict:`, `is:marked`, `note:` and `tagged:`.
//!
//! Verdicts lie in a file of their own, and no transaction spans two files safely; so what holds now is copied into a
//! temporary table of the connection that asks, again whenever there are new events. A filter that does not ask pays
//! nothing. A sample that was only accepted provisionally, with others, has no verdict: `verdict:none` lets it through.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params};

use crate::model::{Judgement, Tag, Term};

use super::Verdicts;
use super::error::Failure;
use super::query::{Sql, like};

/// What stands for an accepted sample that nobody has looked at.
const PROVISIONAL: &str = "provisional";

/// The fields that are about what people say.
const FIELDS: [&str; 4] = ["verdict", "is", "note", "tagged"];

/// A temporary table: what a sample is, in the words of people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Table {
    Judged,
    Provisional,
    Marked,
    Noted,
    Tagged,
}

impl Table {
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
            Self::Provisional => PROVISIONAL,
            Self::Marked => "marked",
            Self::Noted => "noted",
            Self::Tagged => "tagged",
        }
    }

    /// Returns the table that a term asks for; nothing for one that is not about people.
    fn of(term: &Term) -> Option<Self> {
        Some(
            match (term.field, term.value.to_ascii_lowercase().as_str()) {
                ("verdict", PROVISIONAL) => Self::Provisional,
                ("verdict", _) => Self::Judged,
                ("is", "marked") => Self::Marked,
                ("is" | "note", _) => Self::Noted,
                ("tagged", _) => Self::Tagged,
                _ => return None,
            },
        )
    }

    /// Returns what holds now: samples, each with a word or a text.
    fn read(self, verdicts: &Verdicts) -> Result<Vec<([u8; 16], String)>, Failure> {
        let elsewhere = |error| Failure::Elsewhere(Box::new(error));
        Ok(match self {
            Self::Judged => {
                let all = verdicts.all().map_err(elsewhere)?.into_iter();
                let word = |it: crate::model::Verdict| {
                    let judged = it.judged;
                    (judged.key.0, judged.judgement.as_str().to_owned())
                };
                all.map(word).collect()
            }
            Self::Provisional => {
                let keys = verdicts.provisional_keys().map_err(elsewhere)?;
                keys.into_iter().map(|it| (it.0, String::new())).collect()
            }
            Self::Marked => {
                let marks = verdicts.marks().map_err(elsewhere)?.into_iter();
                marks.map(|it| (it.key.0, String::new())).collect()
            }
            Self::Noted => {
                let notes = verdicts.notes().map_err(elsewhere)?.into_iter();
                notes.map(|it| (it.key.0, it.text)).collect()
            }
            Self::Tagged => {
                let rulings = verdicts.all_rulings().map_err(elsewhere)?;
                let mut words = Vec::new();
                for ruling in rulings {
                    let tags = ruling.tagged.tags;
                    words.extend(
                        tags.iter()
                            .map(|it| (ruling.tagged.key.0, it.as_str().to_owned())),
                    );
                }
                words
            }
        })
    }
}

/// Returns whether a term is about what people say, which changes without the index.
pub fn is_of_people(field: &str) -> bool {
    FIELDS.contains(&field)
}

/// Brings the tables that these terms ask for up to date, and returns a number that changes with them.
pub(super) fn refresh(conn: &Connection, terms: &[Term]) -> Result<i64, Failure> {
    conn.execute_batch(
        "CREATE TEMP TABLE IF NOT EXISTS judged_version (of TEXT PRIMARY KEY NOT NULL, version INTEGER NOT NULL) STRICT;",
    )?;
    let folder = conn.path().and_then(|it| Path::new(it).parent());
    let elsewhere = |error| Failure::Elsewhere(Box::new(error));
    let verdicts = Verdicts::open_or_empty(folder.unwrap_or(Path::new("."))).map_err(elsewhere)?;
    let version = verdicts.version().map_err(elsewhere)?;
    // There may be far more provisional ones than verdicts, and few filters ask for them: only what is asked for is read.
    for table in Table::ALL {
        if !terms.iter().any(|it| Table::of(it) == Some(table)) {
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
        let mut insert = conn.prepare(&sql)?;
        for (key, word) in table.read(&verdicts)? {
            insert.execute(params![key, word])?;
        }
        let done = "INSERT OR REPLACE INTO temp.judged_version VALUES (?1, ?2)";
        conn.execute(done, params![name, version])?;
    }
    Ok(version)
}

/// Returns the condition of a term that is about people, whatever its sign.
pub(super) fn condition(term: &Term) -> Result<Sql, Failure> {
    let wrong = || Failure::Filter {
        field: term.field,
        value: term.value.clone(),
    };
    let table = Table::of(term).ok_or_else(wrong)?;
    let name = table.name();
    let word = term.value.to_ascii_lowercase();
    let samples = format!("SELECT t.id FROM temp.{name} j JOIN tests t ON t.key = j.key");
    let is_in =
        |more: &str, values| Sql::new(format!("d.id & ~(15 << 28) IN ({samples}{more})"), values);
    let of_word = || is_in(" WHERE j.word = ?", vec![Value::Text(word.clone())]);
    Ok(match (term.field, word.as_str()) {
        ("verdict" | "note" | "tagged", "none") => {
            Sql::new(format!("d.id & ~(15 << 28) NOT IN ({samples})"), Vec::new())
        }
        ("verdict", PROVISIONAL) | ("is", "marked" | "noted") => is_in("", Vec::new()),
        ("verdict", word) if Judgement::WORDS.contains(&word) => of_word(),
        ("tagged", word) if Tag::ALL.iter().any(|it| it.as_str() == word) => of_word(),
        ("note", _) => is_in(
            " WHERE j.word LIKE ? ESCAPE '\\'",
            vec![Value::Text(like(&term.value))],
        ),
        _ => return Err(wrong()),
    })
}
