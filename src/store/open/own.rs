//! Compares the triggers and views of a file with those of its schema: a file from a stranger's folder may have others.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;

use super::{DatabaseKind, StoreFailure};

/// All texts that each trigger and view of a schema has ever had, by name.
#[derive(Debug, Default)]
pub(super) struct OwnSchemaTexts {
    triggers: BTreeMap<String, BTreeSet<String>>,
    views: BTreeMap<String, BTreeSet<String>>,
}

/// A row of the schema: the name, the type, and the text, which the indexes of SQLite itself lack.
type SchemaRow = (String, String, Option<String>);

impl OwnSchemaTexts {
    /// Collects the triggers and views of all versions of a schema, as SQLite stores their texts. This is done once per
    /// schema, because files are opened again and again.
    pub fn of(kind: DatabaseKind<'_>) -> Result<Arc<Self>, StoreFailure> {
        static MADE: Mutex<BTreeMap<u64, Arc<OwnSchemaTexts>>> = Mutex::new(BTreeMap::new());
        let mut hasher = DefaultHasher::new();
        kind.migrations.hash(&mut hasher);
        let schema = hasher.finish();
        // A thread that panicked while it collected them has added nothing.
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = made.get(&schema) {
            return Ok(Arc::clone(own));
        }
        let own = Arc::new(Self::made(kind)?);
        made.insert(schema, Arc::clone(&own));
        Ok(own)
    }

    fn made(kind: DatabaseKind<'_>) -> Result<Self, StoreFailure> {
        let makes = |what: &str| kind.migrations.iter().any(|sql| sql.contains(what));
        let mut own = Self::default();
        if !makes("CREATE TRIGGER") && !makes("CREATE VIEW") {
            return Ok(own);
        }
        let conn = Connection::open_in_memory()?;
        for migration in kind.migrations {
            conn.execute_batch(migration)?;
            for (name, what, text) in rows(&conn)? {
                let texts = match what.as_str() {
                    "trigger" => &mut own.triggers,
                    "view" => &mut own.views,
                    _ => continue,
                };
                texts.entry(name).or_default().extend(text);
            }
        }
        Ok(own)
    }

    /// Tells whether the schema has views.
    pub fn has_views(&self) -> bool {
        !self.views.is_empty()
    }

    /// Tells whether the schema has triggers and the file has no others.
    pub fn has_all_triggers_of(&self, conn: &Connection) -> Result<bool, StoreFailure> {
        let mut others = rows(conn)?.into_iter().filter(|(name, what, text)| {
            what == "trigger" && !is_known(&self.triggers, name, text.as_deref())
        });
        Ok(!self.triggers.is_empty() && others.next().is_none())
    }

    /// Checks that a file's object with the name of one of the schema's views is that view. Views that people have
    /// added are ignored.
    pub fn check_views(&self, conn: &Connection) -> Result<(), StoreFailure> {
        let other = rows(conn)?.into_iter().find(|(name, what, text)| {
            self.views.contains_key(name)
                && (what != "view" || !is_known(&self.views, name, text.as_deref()))
        });
        match other {
            Some((name, ..)) => Err(StoreFailure::Damaged(format!(
                "its view `{name}` is not the one that focalist makes"
            ))),
            None => Ok(()),
        }
    }
}

fn is_known(known: &BTreeMap<String, BTreeSet<String>>, name: &str, text: Option<&str>) -> bool {
    let texts = known.get(name);
    texts
        .zip(text)
        .is_some_and(|(texts, text)| texts.contains(text))
}

fn rows(conn: &Connection) -> Result<Vec<SchemaRow>, StoreFailure> {
    let mut statement = conn.prepare("SELECT name, type, sql FROM sqlite_schema")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
