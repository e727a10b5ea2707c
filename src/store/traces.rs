//! The methods that true tests entered when they ran, for matching.

use std::collections::BTreeMap;

use crate::model::{ContentHash, EnteredMethod, Language, RepoKey, SampleKey};

use super::codec::decode;
use super::{Store, StoreError};

/// The run in which `execute --truth` stores its results for Java; for another language, `-` and the language's name
/// follow.
pub const TRUTH: &str = "truth";

/// The run in which `execute --traces` stores its results.
pub const TRACES: &str = "traces";

/// Names the traces of one language; Java's have no language in their name.
#[must_use]
pub fn name_in(run: &str, language: Language) -> String {
    match language {
        Language::Java => run.to_owned(),
        other => format!("{run}-{}", other.as_str()),
    }
}

/// Returns the run that a word means where no run has that name: runs of Java are named without their language, because
/// they existed first, but may also be named with it.
pub(super) fn other_name(word: &str) -> &str {
    [TRUTH, TRACES]
        .into_iter()
        .find(|text| word.strip_prefix(text) == Some("-java"))
        .unwrap_or(word)
}

/// The methods that the tests of a project entered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traces {
    /// The methods that each test entered, in the order in which it first entered them.
    pub by_test: BTreeMap<SampleKey, Vec<EnteredMethod>>,
}

impl Traces {
    /// Returns a hash of all traces.
    #[must_use]
    pub fn hash(&self) -> ContentHash {
        let mut hasher = blake3::Hasher::new();
        for (key, entered) in &self.by_test {
            hasher.update(&key.0);
            for entered_method in entered {
                for text in [
                    &entered_method.class,
                    &entered_method.name,
                    &entered_method.descriptor,
                ] {
                    hasher.update(text.as_bytes());
                    hasher.update(&[0]);
                }
                hasher.update(&entered_method.depth.to_le_bytes());
            }
        }
        let mut short = [0; 16];
        hasher.finalize_xof().fill(&mut short);
        ContentHash(short)
    }
}

impl Store {
    /// Reads the methods that the tests of each project entered when `execute --traces` ran them; where several engines
    /// ran them, those of the engine whose name comes first.
    pub fn traces(&self) -> Result<BTreeMap<RepoKey, Traces>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(
                "SELECT r.identity, r.language, p.key, m.class, m.name, m.descriptor, x.depth, x.n_times
                 FROM runs u
                    JOIN execution_entered x ON x.prediction >= u.id << 32 AND x.prediction < (u.id + 1) << 32
                    JOIN predictions p ON p.id = x.prediction
                    JOIN entered_methods m ON m.id = x.method
                    JOIN tests t ON t.key = p.key
                    JOIN repos r ON r.generation = t.id >> 32
                 WHERE u.name = ?1 AND x.engine = (SELECT min(engine) FROM execution_entered WHERE prediction = p.id)
                 ORDER BY p.id, x.ordinal",
            )?;
            let mut rows = statement.query([TRACES])?;
            let mut traces: BTreeMap<RepoKey, Traces> = BTreeMap::new();
            while let Some(row) = rows.next()? {
                let repo = RepoKey {
                    identity: row.get(0)?,
                    language: decode(Language::ALL, row.get(1)?)?,
                };
                let by_test = &mut traces.entry(repo).or_default().by_test;
                let entered = by_test.entry(SampleKey(row.get(2)?)).or_default();
                entered.push(EnteredMethod {
                    class: row.get(3)?,
                    name: row.get(4)?,
                    descriptor: row.get(5)?,
                    depth: row.get(6)?,
                    n_times: row.get(7)?,
                });
            }
            Ok(traces)
        })
    }
}
