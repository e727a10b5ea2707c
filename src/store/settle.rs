//! Makes the assignments over all repositories: which of several equal samples stays (MINING.md rule 24), and the
//! random and the project split (rules 26 and 27). All of them are frozen when first assigned (rule 28).

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension, Statement, params};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::{Split, Status};
use crate::task::{Monitor, Phase};

use super::batch::WriteBatch;
use super::codec::{ORDINAL_BITS, code, row_id};
use super::error::StoreFailure;
use super::report::tally;
use super::version::touch;
use super::{Store, StoreError};

/// A repository that was written after the last call.
struct UnsettledRepo {
    id: i64,
    identity: String,
    generation: i64,
}

impl Store {
    /// Assigns duplicates and splits to everything that was mined since the last call; returns the seed in force.
    ///
    /// An index keeps its first seed: another one would move samples between splits. Call this once after the last
    /// repository of a run: repositories are processed in order of identity and language, so that the order in which
    /// they were written does not matter. Interrupted, it continues where it stopped.
    pub fn settle(&mut self, seed: u64, monitor: &Monitor) -> Result<u64, StoreError> {
        self.writing(|conn| {
            monitor.enter(Phase::Finishing);
            conn.execute(
                "UPDATE state SET seed = ?1 WHERE seed IS NULL",
                [seed.to_string()],
            )?;
            let seed = super::report::seed(conn)?.unwrap_or(seed);
            let unsettled = unsettled(conn)?;
            // This comes first, because a copy that is gone must not make others duplicates.
            let mut gone = Vec::new();
            for repo in owners_to_check(conn)? {
                gone.extend(gone_from(conn, repo)?);
            }
            release(conn, &gone, monitor)?;
            let remotes = Remotes::read(conn)?;
            for repo in &unsettled {
                let split = project_split(conn, repo, &remotes, seed)?;
                settle_samples(conn, repo, seed, monitor)?;
                let batch = WriteBatch::begin(conn, monitor)?;
                conn.execute(
                    "UPDATE repos SET split = ?2, is_settled = 1 WHERE id = ?1",
                    params![repo.id, code(Split::ALL, split)],
                )?;
                tally(conn, repo.generation)?;
                touch(conn)?;
                batch.finish()?;
            }
            Ok(seed)
        })
    }
}

fn unsettled(conn: &Connection) -> Result<Vec<UnsettledRepo>, StoreFailure> {
    let mut statement = conn.prepare(
        "SELECT id, identity, generation FROM repos WHERE is_settled = 0 ORDER BY identity, language",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(UnsettledRepo {
            id: row.get(0)?,
            identity: row.get(1)?,
            generation: row.get(2)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Lists the repositories that may have lost kept samples: those written since the last call, and those that were
/// removed by a run that was killed before it released their samples.
fn owners_to_check(conn: &Connection) -> Result<Vec<i64>, StoreFailure> {
    let mut owners = conn.prepare(
        "SELECT id FROM repos WHERE is_settled = 0
         UNION SELECT repo FROM kept WHERE repo NOT IN (SELECT id FROM repos)",
    )?;
    let owners = owners.query_map([], |row| row.get(0))?;
    Ok(owners.collect::<Result<_, _>>()?)
}

/// A group of equal samples: their tokens and their matcher.
type Group = ([u8; 16], i64);

/// Lists the groups whose kept copy was in this repository and is gone.
pub(super) fn gone_from(conn: &Connection, repo: i64) -> Result<Vec<Group>, StoreFailure> {
    let mut kept = conn.prepare("SELECT token_hash, matcher, key FROM kept WHERE repo = ?1")?;
    let mut is_there = conn.prepare(
        "SELECT 1 FROM tests t JOIN repos r ON r.generation = t.id >> 32
         JOIN details e ON e.id = t.id | (?2 << 28) JOIN decisions d ON d.id = e.id
         WHERE t.key = ?3 AND r.id = ?4 AND e.token_hash = ?1 AND d.status = 0",
    )?;
    let mut gone = Vec::new();
    let mut kept = kept.query([repo])?;
    while let Some(row) = kept.next()? {
        let (token_hash, matcher): Group = (row.get(0)?, row.get(1)?);
        let key: [u8; 16] = row.get(2)?;
        if !is_there.exists(params![token_hash, matcher, key, repo])? {
            gone.push((token_hash, matcher));
        }
    }
    Ok(gone)
}

/// Gives each group's place to its next settled copy in order, or to none. This is rare, so there is no database index
/// for it: one pass over all duplicates finds the next copy of every group.
pub(super) fn release(
    conn: &Connection,
    gone: &[Group],
    monitor: &Monitor,
) -> Result<(), StoreFailure> {
    if gone.is_empty() {
        return Ok(());
    }
    let heirs = heirs(conn, gone)?;
    let mut touched = BTreeSet::new();
    let mut batch = WriteBatch::begin(conn, monitor)?;
    for group in gone {
        batch.rows(2)?;
        let (token_hash, matcher) = group;
        let Some(heir) = heirs.get(group) else {
            conn.execute(
                "DELETE FROM kept WHERE token_hash = ?1 AND matcher = ?2",
                params![token_hash, matcher],
            )?;
            continue;
        };
        conn.execute(
            "UPDATE kept SET key = ?3, repo = ?4 WHERE token_hash = ?1 AND matcher = ?2",
            params![token_hash, matcher, heir.key, heir.repo],
        )?;
        conn.execute(
            "UPDATE decisions SET is_duplicate = 0 WHERE id = ?1",
            [heir.decision],
        )?;
        touched.insert(heir.decision >> ORDINAL_BITS);
    }
    for generation in touched {
        tally(conn, generation)?;
    }
    touch(conn)?;
    batch.finish()
}

struct HeirDecision {
    decision: i64,
    key: [u8; 16],
    repo: i64,
}

fn heirs(
    conn: &Connection,
    gone: &[Group],
) -> Result<FxHashMap<Group, HeirDecision>, StoreFailure> {
    let gone: FxHashSet<&Group> = gone.iter().collect();
    let mut duplicates = conn.prepare(
        "SELECT e.token_hash, d.matcher, d.id, t.key, r.id
         FROM repos r CROSS JOIN decisions d NOT INDEXED JOIN details e ON e.id = d.id
         JOIN tests t ON t.id = d.id & ~(15 << 28)
         WHERE d.id >= r.generation << 32 AND d.id < (r.generation + 1) << 32
            AND d.is_duplicate = 1 AND r.is_settled = 1
         ORDER BY r.identity, r.language, d.id",
    )?;
    let mut heirs = FxHashMap::default();
    let mut rows = duplicates.query([])?;
    while let Some(row) = rows.next()? {
        let group = (row.get(0)?, row.get(1)?);
        if gone.contains(&group) && !heirs.contains_key(&group) {
            let heir = HeirDecision {
                decision: row.get(2)?,
                key: row.get(3)?,
                repo: row.get(4)?,
            };
            heirs.insert(group, heir);
        }
    }
    Ok(heirs)
}

/// Applies rules 24 and 26 to every test of a repository, in order of file and position.
fn settle_samples(
    conn: &Connection,
    repo: &UnsettledRepo,
    seed: u64,
    monitor: &Monitor,
) -> Result<(), StoreFailure> {
    let mut decisions = conn.prepare(
        "SELECT d.id, d.matcher, d.status, t.key, e.token_hash, d.split
         FROM decisions d JOIN tests t ON t.id = d.id & ~(15 << 28) JOIN details e ON e.id = d.id
         WHERE d.id > ?1 AND d.id < ?2 ORDER BY d.id LIMIT 500",
    )?;
    let mut rows = SettledRows::prepare(conn)?;
    let mut batch = WriteBatch::begin(conn, monitor)?;
    let mut last = row_id(repo.generation, 0) - 1;
    loop {
        let page = decisions
            .query_map([last, row_id(repo.generation + 1, 0)], |row| {
                Ok(UnassignedSample {
                    id: row.get(0)?,
                    matcher: row.get(1)?,
                    status: row.get(2)?,
                    key: row.get(3)?,
                    token_hash: row.get(4)?,
                    split: row.get(5)?,
                })
            })?
            .collect::<Result<Vec<_>, _>>()?;
        let Some(end) = page.last() else {
            return batch.finish();
        };
        last = end.id;
        for decision in &page {
            batch.rows(2)?;
            rows.settle(repo.id, decision, seed)?;
        }
    }
}

struct UnassignedSample {
    id: i64,
    matcher: i64,
    status: i64,
    key: [u8; 16],
    token_hash: [u8; 16],
    /// The split that a dataset gives or an interrupted run had assigned; else -1.
    split: i64,
}

struct SettledRows<'c> {
    keep: Statement<'c>,
    kept: Statement<'c>,
    update: Statement<'c>,
}

impl<'c> SettledRows<'c> {
    fn prepare(conn: &'c Connection) -> Result<Self, StoreFailure> {
        Ok(Self {
            keep: conn.prepare(
                "INSERT INTO kept (token_hash, matcher, key, repo) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO NOTHING",
            )?,
            kept: conn.prepare("SELECT key FROM kept WHERE token_hash = ?1 AND matcher = ?2")?,
            update: conn
                .prepare("UPDATE decisions SET split = ?2, is_duplicate = ?3 WHERE id = ?1")?,
        })
    }

    fn settle(
        &mut self,
        repo: i64,
        decision: &UnassignedSample,
        seed: u64,
    ) -> Result<(), StoreFailure> {
        let split = if decision.split < 0 {
            code(Split::ALL, split_of(seed, b"sample", &decision.key))
        } else {
            decision.split
        };
        let mut is_duplicate = false;
        if decision.status == code(Status::ALL, Status::Ok) {
            let group = params![decision.token_hash, decision.matcher, decision.key, repo];
            if self.keep.execute(group)? == 0 {
                let group = params![decision.token_hash, decision.matcher];
                let kept: [u8; 16] = self.kept.query_row(group, |row| row.get(0))?;
                is_duplicate = kept != decision.key;
            }
        }
        self.update
            .execute(params![decision.id, split, is_duplicate])?;
        Ok(())
    }
}

/// Splits 80/10/10 by a hash: the same for the same seed and name, on every machine.
pub(super) fn split_of(seed: u64, kind: &[u8], name: &[u8]) -> Split {
    let mut hasher = blake3::Hasher::new();
    hasher.update(kind);
    hasher.update(&seed.to_le_bytes());
    hasher.update(name);
    let hash = hasher.finalize();
    let (words, _) = hash.as_bytes().as_chunks::<8>();
    match u64::from_le_bytes(words[0]) % 10 {
        0..8 => Split::Train,
        8 => Split::Validation,
        _ => Split::Test,
    }
}

/// Reads the repository's project split, or assigns it: the split of its group, else a new one. A project's languages
/// share its identity and so its split.
fn project_split(
    conn: &Connection,
    repo: &UnsettledRepo,
    remotes: &Remotes,
    seed: u64,
) -> Result<Split, StoreFailure> {
    let assigned = assigned_split(conn, &repo.identity)?;
    if let Some((_, split)) = assigned {
        return Ok(split);
    }
    let mut group = None;
    for relative in relatives(conn, repo, remotes)? {
        group = assigned_split(conn, &relative)?;
        if group.is_some() {
            break;
        }
    }
    let (leader, split) = group.unwrap_or_else(|| {
        let split = split_of(seed, b"project", repo.identity.as_bytes());
        (repo.identity.clone(), split)
    });
    conn.execute(
        "INSERT INTO project_splits (identity, leader, split) VALUES (?1, ?2, ?3)",
        params![repo.identity, leader, code(Split::ALL, split)],
    )?;
    Ok(split)
}

fn assigned_split(
    conn: &Connection,
    identity: &str,
) -> Result<Option<(String, Split)>, StoreFailure> {
    let row: Option<(String, i64)> = conn
        .query_row(
            "SELECT leader, split FROM project_splits WHERE identity = ?1",
            [identity],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    row.map(|(leader, split)| Ok((leader, super::codec::decode(Split::ALL, split)?)))
        .transpose()
}

/// Lists the repositories of the same project: those with the same remote, and those that share more than half of the
/// smaller repository's files; the one with the most common files first.
fn relatives(
    conn: &Connection,
    repo: &UnsettledRepo,
    remotes: &Remotes,
) -> Result<Vec<String>, StoreFailure> {
    let mut shared = conn.prepare(
        "SELECT r.identity, COUNT(DISTINCT a.source) AS n_shared FROM files a
         JOIN files b ON b.source = a.source
         JOIN repos r ON r.generation = b.id >> 32
         WHERE a.id >= ?1 AND a.id < ?2 AND r.generation <> ?3
         GROUP BY r.id
         HAVING 2 * n_shared > MIN(r.n_sources, (SELECT n_sources FROM repos WHERE generation = ?3))
         ORDER BY n_shared DESC, r.identity, r.language",
    )?;
    let first = row_id(repo.generation, 0);
    let end = row_id(repo.generation + 1, 0);
    let mut identities = remotes.others(&repo.identity);
    let shared = shared.query_map([first, end, repo.generation], |row| row.get(0))?;
    for identity in shared {
        identities.push(identity?);
    }
    Ok(identities)
}

/// The repositories by remote.
#[derive(Default)]
struct Remotes {
    remote_of: BTreeMap<String, String>,
    identities_of: BTreeMap<String, Vec<String>>,
}

impl Remotes {
    fn read(conn: &Connection) -> Result<Self, StoreFailure> {
        let mut urls = conn.prepare(
            "SELECT identity, url FROM repos WHERE url IS NOT NULL ORDER BY identity, language",
        )?;
        let mut rows = urls.query([])?;
        let mut remotes = Self::default();
        while let Some(row) = rows.next()? {
            let identity: String = row.get(0)?;
            let remote = normal_remote(&row.get::<_, String>(1)?);
            // Of several languages, the first one counts.
            if remotes.remote_of.contains_key(&identity) {
                continue;
            }
            remotes
                .identities_of
                .entry(remote.clone())
                .or_default()
                .push(identity.clone());
            remotes.remote_of.insert(identity, remote);
        }
        Ok(remotes)
    }

    /// Lists the other repositories with the same remote, in order.
    fn others(&self, identity: &str) -> Vec<String> {
        let remote = self.remote_of.get(identity);
        let same = remote.and_then(|remote| self.identities_of.get(remote));
        let same = same.into_iter().flatten();
        same.filter(|same| *same != identity).cloned().collect()
    }
}

/// Reduces `https://Host/a/b.git`, `git@host:a/b` and `ssh://git@host/a/b/` to one form.
fn normal_remote(url: &str) -> String {
    let url = url.trim().trim_end_matches('/');
    let url = url.strip_suffix(".git").unwrap_or(url);
    let url = url.split_once("://").map_or(url, |(_, rest)| rest);
    let url = url.split_once('@').map_or(url, |(_, rest)| rest);
    url.replacen(':', "/", 1).to_lowercase()
}
