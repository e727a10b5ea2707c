//! Counts and lists about whole repositories: the funnel, the repositories, their problems, and the numbers that a
//! paper cites.

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::path::PathBuf;

use rusqlite::{Connection, Row, params};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::model::{
    BuildTool, ContentHash, Filter, Flag, Flags, Funnel, Language, LanguageCounts, Matcher,
    Problem, Reason, Repo, RepoKey, RepoRow, Status,
};

use super::codec::{ORDINAL_BITS, code, count, decode, integer, repo_key, row_id};
use super::contents::Stamp;
use super::error::StoreFailure;
use super::list::each_match;
use super::query::{Query, shown_matcher};
use super::{Store, StoreError};

/// A problem and the repository in which it occurred.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredProblem {
    pub repo: String,
    pub problem: Problem,
}

/// The facts about one repository in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestRepo {
    pub repo: Repo,
    pub stamp: Stamp,
    pub n_files: u64,
    pub n_tests: u64,
}

/// The columns of the table `repos` that [`repo`] reads, in this order.
pub(super) const REPO_COLUMNS: &str =
    "name, identity, url, commit_id, dirty, license, language, build_tool, stars, is_fork, host_id,
    runners";

/// Reads the columns of [`REPO_COLUMNS`].
pub(super) fn repo(row: &Row<'_>) -> Result<Repo, StoreFailure> {
    let build_tool: Option<i64> = row.get(7)?;
    Ok(Repo {
        name: row.get(0)?,
        identity: row.get(1)?,
        url: row.get(2)?,
        commit: row.get(3)?,
        dirty: row.get(4)?,
        license: row.get(5)?,
        language: decode(Language::ALL, row.get(6)?)?,
        build_tool: build_tool
            .map(|tool| decode(BuildTool::ALL, tool))
            .transpose()?,
        stars: row.get(8)?,
        is_fork: row.get(9)?,
        host_id: row.get(10)?,
        runners: unpack_runners(&row.get::<_, String>(11)?),
    })
}

/// Joins the runners of packages to one text: a line for each folder, with a tab before the runner.
pub(super) fn pack_runners(runners: &[(String, String)]) -> String {
    let lines = runners
        .iter()
        .map(|(folder, text)| format!("{folder}\t{text}"));
    lines.collect::<Vec<_>>().join("\n")
}

fn unpack_runners(packed: &str) -> Vec<(String, String)> {
    let lines = packed.split('\n').filter_map(|part| part.rsplit_once('\t'));
    lines
        .map(|(folder, runner)| (folder.to_owned(), runner.to_owned()))
        .collect()
}

/// Recounts a generation's part of the funnel.
pub(super) fn tally(conn: &Connection, generation: i64) -> Result<(), StoreFailure> {
    let repo: i64 = conn.query_row(
        "SELECT id FROM repos WHERE generation = ?1",
        [generation],
        |row| row.get(0),
    )?;
    conn.execute("DELETE FROM tallies WHERE repo = ?1", [repo])?;
    let mut decisions = conn.prepare(
        "SELECT matcher, status, flags, is_duplicate FROM decisions WHERE id >= ?1 AND id < ?2",
    )?;
    let mut rows = decisions.query([row_id(generation, 0), row_id(generation + 1, 0)])?;
    let mut tallies = BTreeMap::<i64, FunnelTally>::new();
    while let Some(row) = rows.next()? {
        let tally = tallies.entry(row.get(0)?).or_default();
        tally.add(
            decode(Status::ALL, row.get(1)?)?,
            Flags(row.get(2)?),
            row.get(3)?,
        );
    }
    let mut insert = conn.prepare(
        "INSERT INTO tallies (repo, matcher, n_tests, n_ok, n_no_assertion_part, n_below, n_tie, n_no_candidate,
            n_no_source, n_abstained, n_focal_only_in_setup, n_unique, n_within_size)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
    )?;
    for (matcher, tally) in tallies {
        let n_of = |status| tally.by_status[code(Status::ALL, status).unsigned_abs() as usize];
        insert.execute(params![
            repo,
            matcher,
            tally.by_status.iter().sum::<i64>(),
            n_of(Status::Ok),
            n_of(Status::NoAssertionPart),
            n_of(Status::Below),
            n_of(Status::Tie),
            n_of(Status::NoCandidate),
            n_of(Status::NoSource),
            n_of(Status::Abstained),
            tally.n_focal_only_in_setup,
            tally.n_unique,
            tally.n_within_size,
        ])?;
    }
    Ok(())
}

/// The steps of the funnel that follow from a test's row.
#[derive(Clone, Debug, Default)]
struct FunnelTally {
    by_status: [i64; Status::ALL.len()],
    n_focal_only_in_setup: i64,
    n_unique: i64,
    n_within_size: i64,
}

impl FunnelTally {
    fn add(&mut self, status: Status, flags: Flags, is_duplicate: bool) {
        self.by_status[code(Status::ALL, status).unsigned_abs() as usize] += 1;
        if status != Status::Ok || flags.has(Flag::FocalInAssertion) {
            return;
        }
        self.n_focal_only_in_setup += 1;
        if is_duplicate {
            return;
        }
        self.n_unique += 1;
        if !flags.has(Flag::ExcessiveContext) && !flags.has(Flag::Skipped) {
            self.n_within_size += 1;
        }
    }

    fn merge(&mut self, other: &Self) {
        for (n_tests, n_others) in self.by_status.iter_mut().zip(other.by_status) {
            *n_tests += n_others;
        }
        self.n_focal_only_in_setup += other.n_focal_only_in_setup;
        self.n_unique += other.n_unique;
        self.n_within_size += other.n_within_size;
    }

    /// Builds the funnel with these steps of each language; the caller fills in the other fields.
    fn funnel(tallies: &BTreeMap<Language, Self>) -> Funnel {
        let count = |n: i64| n.unsigned_abs();
        let mut all = Self::default();
        let mut by_language = Vec::new();
        for (language, tally) in tallies {
            all.merge(tally);
            let of = |is: fn(Status) -> bool| {
                let of_status = Status::ALL.iter().zip(&tally.by_status);
                of_status
                    .filter(|of_status| is(*of_status.0))
                    .map(|of_status| *of_status.1)
                    .sum()
            };
            by_language.push(LanguageCounts {
                language: *language,
                n_tests: count(of(|_| true)),
                n_mapped: count(of(Status::is_mapped)),
                n_within_size: count(tally.n_within_size),
            });
        }
        let mut funnel = Funnel {
            n_focal_only_in_setup: count(all.n_focal_only_in_setup),
            n_unique: count(all.n_unique),
            n_within_size: count(all.n_within_size),
            by_language,
            ..Funnel::default()
        };
        for (status, n_tests) in Status::ALL.iter().zip(&all.by_status) {
            let n_tests = count(*n_tests);
            funnel.n_tests += n_tests;
            if status.is_mapped() {
                funnel.n_mapped += n_tests;
            }
            if *status == Status::Ok {
                funnel.n_split = n_tests;
            } else {
                funnel.by_status.push((*status, n_tests));
            }
        }
        funnel
    }
}

impl Store {
    /// Reads the counts of ConTest 3.5 for the tests that the filter lets through; repositories, files, test classes
    /// and problems are those of the repositories that hold them.
    pub fn funnel(&self, filter: &Filter) -> Result<Funnel, StoreError> {
        self.reading(|conn| {
            let query = Query::compile(conn, filter)?;
            if query.is_everything() {
                whole_funnel(conn, query.matcher)
            } else {
                filtered_funnel(conn, &query)
            }
        })
    }

    /// Reads every repository, by identity and language; mapped tests and samples are those of the shown matcher.
    pub fn repos(&self) -> Result<Vec<RepoRow>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(&format!(
                "SELECT {REPO_COLUMNS}, r.n_files, r.n_tests, IFNULL(t.n_ok + t.n_no_assertion_part, 0),
                    IFNULL(t.n_within_size, 0), r.n_problems, IFNULL(t.n_abstained, 0),
                    (SELECT COUNT(*) FROM problems p WHERE p.id >= r.generation << 32
                        AND p.id < (r.generation + 1) << 32 AND p.reason = ?2)
                 FROM repos r LEFT JOIN tallies t ON t.repo = r.id AND t.matcher = ?1
                 ORDER BY identity, language"
            ))?;
            let syntax = code(Reason::ALL, Reason::Syntax);
            let mut rows = statement.query([code(Matcher::ALL, shown_matcher(conn)?), syntax])?;
            let mut repos = Vec::new();
            while let Some(row) = rows.next()? {
                repos.push(RepoRow {
                    repo: repo(row)?,
                    n_files: count(row, 12)?,
                    n_tests: count(row, 13)?,
                    n_mapped: count(row, 14)?,
                    n_samples: count(row, 15)?,
                    n_problems: count(row, 16)?,
                    n_abstained: count(row, 17)?,
                    n_unparsable: count(row, 18)?,
                });
            }
            Ok(repos)
        })
    }

    /// Reads at most `limit` problems, by repository and in the order in which they occurred.
    pub fn problems(&self, limit: usize) -> Result<Vec<StoredProblem>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(
                "SELECT r.name, p.path, p.line, p.reason, p.detail FROM repos r CROSS JOIN problems p
                 WHERE p.id >= r.generation << 32 AND p.id < (r.generation + 1) << 32
                 ORDER BY r.identity, r.language, p.id LIMIT ?1",
            )?;
            let mut rows = statement.query([integer(limit)])?;
            let mut problems = Vec::new();
            while let Some(row) = rows.next()? {
                problems.push(StoredProblem {
                    repo: row.get(0)?,
                    problem: Problem {
                        path: row.get(1)?,
                        line: row.get(2)?,
                        reason: decode(Reason::ALL, row.get(3)?)?,
                        detail: row.get(4)?,
                    },
                });
            }
            Ok(problems)
        })
    }

    /// Reads the stamp that each repository was mined with; a repository with an equal stamp need not be mined again.
    pub fn stamps(&self) -> Result<BTreeMap<RepoKey, Stamp>, StoreError> {
        self.named(|| {
            let mut statement = self.conn.prepare(
                "SELECT stamp_content, stamp_options, stamp_code, identity, language FROM repos",
            )?;
            let mut rows = statement.query([])?;
            let mut stamps = BTreeMap::new();
            while let Some(row) = rows.next()? {
                stamps.insert(repo_key(row, 3)?, stamp(row, 0)?);
            }
            Ok(stamps)
        })
    }

    /// Reads the folder that a project was mined from in this language, and its stamp; nothing for one that the index
    /// does not have.
    pub fn mined_from(&self, repo: &RepoKey) -> Result<Option<(PathBuf, Stamp)>, StoreError> {
        self.named(|| {
            let mut statement = self.conn.prepare(
                "SELECT stamp_content, stamp_options, stamp_code, root FROM repos
                 WHERE identity = ?1 AND language = ?2",
            )?;
            let language = code(Language::ALL, repo.language);
            let mut rows = statement.query(params![repo.identity, language])?;
            match rows.next()? {
                Some(row) => Ok(Some((row.get::<_, String>(3)?.into(), stamp(row, 0)?))),
                None => Ok(None),
            }
        })
    }

    /// Lists the mined repositories and their settings, by identity and language.
    pub fn manifest(&self) -> Result<Vec<ManifestRepo>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(&format!(
                "SELECT {REPO_COLUMNS}, stamp_content, stamp_options, stamp_code, n_files, n_tests
                 FROM repos ORDER BY identity, language"
            ))?;
            let mut rows = statement.query([])?;
            let mut repos = Vec::new();
            while let Some(row) = rows.next()? {
                repos.push(ManifestRepo {
                    repo: repo(row)?,
                    stamp: stamp(row, 12)?,
                    n_files: count(row, 15)?,
                    n_tests: count(row, 16)?,
                });
            }
            Ok(repos)
        })
    }

    /// Reads the seed of the splits; nothing as long as no split has been assigned.
    pub fn seed(&self) -> Result<Option<u64>, StoreError> {
        self.named(|| seed(&self.conn))
    }
}

pub(super) fn seed(conn: &Connection) -> Result<Option<u64>, StoreFailure> {
    let text: Option<String> = conn.query_row("SELECT seed FROM state", [], |row| row.get(0))?;
    text.map(|text| {
        text.parse()
            .map_err(|_| StoreFailure::Damaged(format!("`{text}` is not a seed")))
    })
    .transpose()
}

fn stamp(row: &Row<'_>, first: usize) -> Result<Stamp, rusqlite::Error> {
    Ok(Stamp {
        content: ContentHash(row.get(first)?),
        options: row.get(first + 1)?,
        code: row.get(first + 2)?,
    })
}

/// Counted from the totals of each repository.
fn whole_funnel(conn: &Connection, matcher: Matcher) -> Result<Funnel, StoreFailure> {
    let mut statement = conn.prepare(
        "SELECT r.language, SUM(n_ok), SUM(n_no_assertion_part), SUM(n_below), SUM(n_tie), SUM(n_no_candidate),
            SUM(n_no_source), SUM(n_abstained), SUM(n_focal_only_in_setup), SUM(n_unique), SUM(n_within_size)
         FROM tallies t JOIN repos r ON r.id = t.repo WHERE matcher = ?1 AND t.n_tests > 0 GROUP BY r.language",
    )?;
    let mut rows = statement.query([code(Matcher::ALL, matcher)])?;
    let mut tallies = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let mut tally = FunnelTally::default();
        for (idx, n_tests) in (1..).zip(&mut tally.by_status) {
            *n_tests = row.get(idx)?;
        }
        tally.n_focal_only_in_setup = row.get(Status::ALL.len() + 1)?;
        tally.n_unique = row.get(Status::ALL.len() + 2)?;
        tally.n_within_size = row.get(Status::ALL.len() + 3)?;
        tallies.insert(decode(Language::ALL, row.get(0)?)?, tally);
    }
    let mut funnel = FunnelTally::funnel(&tallies);
    (funnel.n_repos, funnel.n_files, funnel.n_test_classes) = conn.query_row(
        "SELECT COUNT(DISTINCT identity), IFNULL(SUM(n_files), 0), IFNULL(SUM(n_test_classes), 0) FROM repos",
        [],
        |row| Ok((count(row, 0)?, count(row, 1)?, count(row, 2)?)),
    )?;
    funnel.problems = problem_counts(conn, |_| true)?;
    Ok(funnel)
}

/// Counted by reading every row that the filter lets through.
fn filtered_funnel(conn: &Connection, query: &Query) -> Result<Funnel, StoreFailure> {
    let repos = repos_by_generation(conn)?;
    let mut tallies = BTreeMap::<Language, FunnelTally>::new();
    let mut generations = FxHashSet::default();
    let mut classes = FxHashSet::default();
    let columns = ", d.status, d.flags, d.is_duplicate, d.file, d.test_class";
    each_match(conn, query, columns, |row| {
        let generation = row.get::<_, i64>(0)? >> ORDINAL_BITS;
        if let Some((repo, _)) = repos.get(&generation) {
            tallies.entry(repo.language).or_default().add(
                decode(Status::ALL, row.get(3)?)?,
                Flags(row.get(4)?),
                row.get(5)?,
            );
        }
        generations.insert(generation);
        let class = row.get_ref(7)?.as_bytes().map_err(rusqlite::Error::from)?;
        // A hash is enough to tell the few classes of one file apart.
        classes.insert((row.get::<_, i64>(6)?, FxBuildHasher.hash_one(class)));
        Ok(())
    })?;
    let mut funnel = FunnelTally::funnel(&tallies);
    funnel.n_test_classes = classes.len() as u64;
    let repos = generations
        .iter()
        .filter_map(|generation| repos.get(generation));
    funnel.n_files = repos.clone().map(|(_, n_files)| n_files).sum();
    let identities: FxHashSet<&str> = repos.map(|(repo, _)| repo.identity.as_str()).collect();
    funnel.n_repos = identities.len() as u64;
    funnel.problems = problem_counts(conn, |generation| generations.contains(&generation))?;
    Ok(funnel)
}

/// Maps each current generation to its repository and its number of files.
fn repos_by_generation(conn: &Connection) -> Result<FxHashMap<i64, (RepoKey, u64)>, StoreFailure> {
    let mut statement =
        conn.prepare("SELECT generation, identity, language, n_files FROM repos")?;
    let mut rows = statement.query([])?;
    let mut repos = FxHashMap::default();
    while let Some(row) = rows.next()? {
        repos.insert(row.get(0)?, (repo_key(row, 1)?, count(row, 3)?));
    }
    Ok(repos)
}

/// Counts the problems of the generations for which `is_asked` holds, by reason.
fn problem_counts(
    conn: &Connection,
    is_asked: impl Fn(i64) -> bool,
) -> Result<Vec<(Reason, u64)>, StoreFailure> {
    let mut problems = conn.prepare(
        "SELECT id >> 32, reason, COUNT(*) FROM problems
         WHERE id >> 32 NOT IN (SELECT id FROM hidden) GROUP BY id >> 32, reason",
    )?;
    let mut counts = BTreeMap::<Reason, u64>::new();
    let mut rows = problems.query([])?;
    while let Some(row) = rows.next()? {
        if is_asked(row.get(0)?) {
            *counts.entry(decode(Reason::ALL, row.get(1)?)?).or_default() += count(row, 2)?;
        }
    }
    Ok(counts.into_iter().collect())
}
