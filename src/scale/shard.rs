//! The verb behind `mine --shard`: the repositories of a shard, one after the other, each in a separate process.
//!
//! Idempotent: a finished folder is left alone, a half finished one (`NAME.part`) is continued. A fetched repository is
//! removed before the next one comes, so the disk holds one repository at a time beside the index. A repository's own
//! failures are in the report; the machine's failures are a reason to try again.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::exchange;
use crate::exchange::records::line_text;
use crate::exchange::repo_list::{RepoLine, parse_line};
use crate::exchange::shards::{WirePlan, WireShard, WireShardRepo, WireWorked};
use crate::model::{agreeing, counted};
use crate::store::{Store, StoreAccess, StoreError};
use crate::task::{Cancelled, Monitor};

use super::disk::{boot, hash, size_bytes};
use super::fetch::{self, Fetch};
use super::filter::{RepoFilter, StepCounter};
use super::journal::Journal;
use super::plan::PLAN_FILE;
use super::worker::{self, WorkerExit, WorkerLimits};

/// The file whose presence says that a folder is a finished shard.
pub const REPORT_FILE: &str = "shard.json";

/// How each repository is mined.
#[derive(Clone, Debug)]
pub struct MiningWork {
    /// Called as `PROGRAM --workspace DIR --quiet work --line JSON ARGUMENTS…`.
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// Without one, what stands beside the shard in `plan.json` counts.
    pub fetch: Option<Fetch>,
    pub filter: Option<RepoFilter>,
    /// For fetching and mining one repository.
    pub timeout: Option<Duration>,
    pub memory_bytes: Option<u64>,
    /// How often a repository is tried whose worker did not finish.
    pub n_tries: u32,
    pub seed: u64,
    /// Threads of each worker.
    pub n_threads: Option<usize>,
    /// The version of the program that mines.
    pub version: String,
}

#[derive(Clone, Debug)]
pub struct ShardOptions {
    pub shard: PathBuf,
    pub output: PathBuf,
    pub work: MiningWork,
    /// Tells whether the user trusts the command that a plan fetches with, where the call itself names none.
    pub trusts: fn(&Path, &Fetch) -> bool,
}

/// The options to mine a list without shards into a workspace, which may exist already.
#[derive(Clone, Debug)]
pub struct ListOptions {
    pub list: PathBuf,
    /// The folder `.focalist`.
    pub workspace: PathBuf,
    pub work: MiningWork,
}

/// The result of a shard.
#[derive(Clone, Debug)]
pub struct ShardDone {
    pub report: WireShard,
    /// Nothing had to be done.
    pub was_done: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum ShardError {
    #[error("cannot read `{}`: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// Another process is working on it.
    #[error("`{}` is being written by another process", path.display())]
    InUse { path: PathBuf },
    #[error("`{}` is there already, and was not made from this shard with these options", path.display())]
    Other { path: PathBuf },
    #[error("{} {} to be tried again, the first: {why}", counted(*n_repos as u64, "repository"), agreeing(*n_repos as u64, "has", "have"))]
    Again { n_repos: usize, why: String },
    /// The disk, the database, or a process that kills others.
    #[error("{why}")]
    Machine { why: String },
    #[error("`{}` is not a shard that `{verb}` can use", path.display())]
    NotOfVerb { path: PathBuf, verb: &'static str },
    #[error("cannot use `{}`: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{0}")]
    Fetch(String),
    /// The command came with the list, and the user has neither written nor seen it.
    #[error("`{}` names a program that is not trusted: `{fetch}`", plan.display())]
    Untrusted { plan: PathBuf, fetch: String },
    /// The worker does not understand its arguments.
    #[error("cannot run `{}`: {why}", program.display())]
    Worker { program: PathBuf, why: String },
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl ShardError {
    /// Tells whether the same command may do better the next time.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        match self {
            Self::InUse { .. } | Self::Again { .. } | Self::Machine { .. } | Self::Io { .. } => {
                true
            }
            Self::Store(error) => matches!(
                error,
                StoreError::Full { .. }
                    | StoreError::Locked { .. }
                    | StoreError::Io { .. }
                    | StoreError::Sql { .. }
            ),
            Self::Read { .. }
            | Self::Other { .. }
            | Self::NotOfVerb { .. }
            | Self::Fetch(_)
            | Self::Untrusted { .. }
            | Self::Worker { .. }
            | Self::Cancelled(_) => false,
        }
    }
}

pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> ShardError {
    let path = path.to_owned();
    move |source| ShardError::Io { path, source }
}

/// Mines a shard into a separate folder.
///
/// # Errors
/// See [`ShardError`]; what was done stays in `NAME.part`, and the next call goes on there.
pub fn run_shard(monitor: &Monitor, options: &ShardOptions) -> Result<ShardDone, ShardError> {
    let started = Instant::now();
    let list = read(&options.shard)?;
    let mut work = options.work.clone();
    let plan = options.shard.with_file_name(PLAN_FILE);
    let is_planned = work.fetch.is_none();
    if is_planned {
        work.fetch = planned_fetch(&plan)?;
    }
    let stamp = stamp(&list, &work);
    if let Some(done) = done(&options.output, &stamp)? {
        return Ok(done);
    }
    if let Some(fetch) = work.fetch.as_ref().filter(|_| is_planned)
        && !(options.trusts)(&plan, fetch)
    {
        let fetch = fetch.as_str().to_owned();
        return Err(ShardError::Untrusted { plan, fetch });
    }
    let output = std::path::absolute(&options.output).map_err(at(&options.output))?;
    let name = output.file_name().unwrap_or_default().to_string_lossy();
    let beside = output.parent().unwrap_or(Path::new("/")).to_owned();
    fs::create_dir_all(&beside).map_err(at(&beside))?;
    let lock = lock(&beside.join(format!(".{name}.lock")), &output)?;
    // The process that had the lock may have done it.
    if let Some(done) = done(&output, &stamp)? {
        return Ok(done);
    }
    let part = output.with_file_name(format!("{name}.part"));
    let boot = boot();
    let places = ShardPlaces {
        workspace: part.join(".focalist"),
        state: part.join("state"),
        is_scratch: boot.is_some(),
    };
    // Files written before the machine was started again may be only partly on the disk.
    let begun = format!("{stamp} {}", boot.unwrap_or_default());
    let mut doing = ShardWork::begin(&places, &work, (&lock, monitor), &begun, &part)?;
    doing.each(&options.shard, &list)?;
    let report = WireShard {
        shard: file_name(&options.shard),
        stamp,
        ..doing.finish(started)?
    };
    write_report(&part.join(REPORT_FILE), &report).map_err(at(&part))?;
    remove(&places.state)?;
    fs::rename(&part, &output).map_err(at(&output))?;
    Ok(ShardDone {
        report,
        was_done: false,
    })
}

/// Mines a list into a workspace, fetching each repository when its turn comes. It goes on where an earlier call
/// stopped.
///
/// # Errors
/// See [`ShardError`].
pub fn mine_list(monitor: &Monitor, options: &ListOptions) -> Result<WireShard, ShardError> {
    let started = Instant::now();
    let list = read(&options.list)?;
    let stamp = stamp(&list, &options.work);
    let state = options.workspace.join("fetch");
    fs::create_dir_all(&options.workspace).map_err(at(&options.workspace))?;
    let lock = lock(&options.workspace.join("fetch.lock"), &options.workspace)?;
    let places = ShardPlaces {
        workspace: options.workspace.clone(),
        state: state.clone(),
        is_scratch: false,
    };
    let work = &options.work;
    let mut doing = ShardWork::begin(&places, work, (&lock, monitor), &stamp, &state)?;
    doing.each(&options.list, &list)?;
    let report = WireShard {
        shard: file_name(&options.list),
        stamp,
        ..doing.finish(started)?
    };
    remove(&state)?;
    Ok(report)
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>, ShardError> {
    fs::read(path).map_err(|source| ShardError::Read {
        path: path.to_owned(),
        source,
    })
}

pub(crate) fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Reads the command with which a plan fetches repositories; nothing where there is no plan, or it has none.
///
/// # Errors
/// [`ShardError::Fetch`] where the plan, or its command, cannot be read.
pub fn planned_fetch(plan: &Path) -> Result<Option<Fetch>, ShardError> {
    let Ok(bytes) = fs::read(plan) else {
        return Ok(None);
    };
    let plan: WirePlan = exchange::parse(&bytes)
        .map_err(|why| ShardError::Fetch(format!("`{}`: {why}", plan.display())))?;
    let Some(text) = plan.fetch else {
        return Ok(None);
    };
    let fetch = Fetch::parse(&text).map_err(|why| ShardError::Fetch(format!("`{text}`: {why}")))?;
    Ok(Some(fetch))
}

/// Hashes all inputs that have to be equal for a shard to count as done.
fn stamp(list: &[u8], work: &MiningWork) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut field = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    field(list);
    field(work.version.as_bytes());
    field(work.fetch.as_ref().map_or("", Fetch::as_str).as_bytes());
    field(work.filter.map_or("", RepoFilter::as_str).as_bytes());
    field(&work.seed.to_le_bytes());
    for argument in &work.arguments {
        field(argument.as_encoded_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

/// Reads the report of a finished shard; nothing where the folder is missing or empty, and an error where it holds
/// something else.
fn done(output: &Path, stamp: &str) -> Result<Option<ShardDone>, ShardError> {
    let mut entries = match fs::read_dir(output) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(at(output)(error)),
    };
    if entries.next().is_none() {
        return Ok(None);
    }
    let report = fs::read(output.join(REPORT_FILE)).ok();
    let report = report.and_then(|report| exchange::parse::<WireShard>(&report).ok());
    match report.filter(|wire_shard| wire_shard.stamp == stamp) {
        Some(report) => Ok(Some(ShardDone {
            report,
            was_done: true,
        })),
        None => Err(ShardError::Other {
            path: output.to_owned(),
        }),
    }
}

pub(crate) fn lock(path: &Path, output: &Path) -> Result<File, ShardError> {
    let open = File::options()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(path);
    let file = open.map_err(at(path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(ShardError::InUse {
            path: output.to_owned(),
        }),
        Err(TryLockError::Error(error)) => Err(at(path)(error)),
    }
}

pub(crate) fn remove(path: &Path) -> Result<(), ShardError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(path)(error)),
        _ => Ok(()),
    }
}

fn write_report(path: &Path, report: &WireShard) -> io::Result<()> {
    let mut file = File::create(path)?;
    exchange::write_pretty(&mut file, report)?;
    file.flush()?;
    // The folder gets its name only when its content is on the disk.
    file.sync_all()
}

/// The folders of a shard at work.
struct ShardPlaces {
    /// The folder `.focalist`.
    workspace: PathBuf,
    /// The folder of the journal and of the present repository.
    state: PathBuf,
    /// The index is synced to the disk only once all is done.
    is_scratch: bool,
}

/// A shard at work.
struct ShardWork<'d> {
    places: &'d ShardPlaces,
    work: &'d MiningWork,
    lock: &'d File,
    monitor: &'d Monitor,
    journal: Journal,
}

/// How one try ended.
enum MiningTry {
    Done(WireShardRepo),
    /// The try failed for no fault of the repository, for this reason.
    Again(String),
}

impl<'d> ShardWork<'d> {
    /// Goes on with the journal that was begun under the same stamp; the files that another stamp left at `former` are
    /// removed.
    fn begin(
        places: &'d ShardPlaces,
        work: &'d MiningWork,
        (lock, monitor): (&'d File, &'d Monitor),
        stamp: &str,
        former: &Path,
    ) -> Result<Self, ShardError> {
        let path = places.state.join("journal.jsonl");
        let open = || {
            fs::create_dir_all(&places.state)?;
            Journal::open(&path, stamp)
        };
        let mut journal = open().map_err(at(&path))?;
        if journal.is_none() {
            // Another list, other options or another version: nothing of it is of use.
            remove(former)?;
            journal = open().map_err(at(&path))?;
        }
        let journal = journal.ok_or_else(|| at(&path)(io::ErrorKind::InvalidData.into()))?;
        Ok(Self {
            places,
            work,
            lock,
            monitor,
            journal,
        })
    }

    /// Tries every repository that is not done.
    fn each(&mut self, path: &Path, list: &[u8]) -> Result<(), ShardError> {
        let path = std::path::absolute(path).map_err(at(path))?;
        let folder = path.parent().unwrap_or(Path::new("/"));
        let is_blank = |line: &[u8]| line.iter().all(u8::is_ascii_whitespace);
        let lines = list.split(|list| *list == b'\n').zip(1_u32..);
        let lines: Vec<(&[u8], u32)> = lines.filter(|line| !is_blank(line.0)).collect();
        let n_total = &self.monitor.n_repos_total;
        n_total.fetch_add(lines.len() as u64, Ordering::Relaxed);
        let (mut again, mut first) = (0, None);
        for (line, number) in lines {
            self.monitor.step()?;
            if !self.journal.done.contains_key(&number)
                && let Some(why) = self.line(line, number, folder)?
            {
                again += 1;
                first.get_or_insert(why);
            }
            self.monitor.n_repos.fetch_add(1, Ordering::Relaxed);
        }
        match first {
            Some(why) => Err(ShardError::Again {
                n_repos: again,
                why,
            }),
            None => Ok(()),
        }
    }

    /// Mines the repository of a line, and tells why it has to be tried again.
    fn line(
        &mut self,
        line: &[u8],
        number: u32,
        folder: &Path,
    ) -> Result<Option<String>, ShardError> {
        let path = self.places.state.join("journal.jsonl");
        let skipped = |repository: &str, why: &str, detail: String| WireShardRepo {
            line: number,
            repository: repository.to_owned(),
            skipped: Some(why.to_owned()),
            detail: Some(detail),
            ..WireShardRepo::default()
        };
        let mut repo = match line_text(line).and_then(parse_line) {
            Ok(repo) => repo,
            Err(error) => {
                let ended = self.journal.end(skipped("", "bad_line", error.to_string()));
                return ended.map(|()| None).map_err(at(&path));
            }
        };
        if let Some(path) = &mut repo.path {
            *path = folder.join(&*path).to_string_lossy().into_owned();
        }
        if let Some(step) = StepCounter::new(self.work.filter).left_out_by(&repo) {
            let ended = skipped(repo.shown(), "filter", step.to_owned());
            return self.journal.end(ended).map(|()| None).map_err(at(&path));
        }
        if let Some((n_tries, why)) = self.journal.failed.get(&number)
            && *n_tries >= self.work.n_tries
        {
            let detail = format!("tried {n_tries} times: {why}");
            let ended = skipped(repo.shown(), "failed", detail);
            return self.journal.end(ended).map(|()| None).map_err(at(&path));
        }
        self.journal.begin(number).map_err(at(&path))?;
        let started = Instant::now();
        let tried = self.repo(&repo);
        remove(&self.places.state.join("fetched"))?;
        match tried {
            Ok(MiningTry::Done(ended)) => {
                let ended = WireShardRepo {
                    line: number,
                    repository: repo.shown().to_owned(),
                    wall_ms: started.elapsed().as_millis() as u64,
                    ..ended
                };
                self.journal.end(ended).map_err(at(&path))?;
                Ok(None)
            }
            Ok(MiningTry::Again(why)) => {
                self.journal.fail(number, &why).map_err(at(&path))?;
                Ok(Some(format!("`{}`: {why}", repo.shown())))
            }
            Err(error) => {
                self.journal.leave(number).map_err(at(&path))?;
                Err(error)
            }
        }
    }

    fn repo(&self, repo: &RepoLine) -> Result<MiningTry, ShardError> {
        let limits = WorkerLimits {
            end_by: self.work.timeout.map(|duration| Instant::now() + duration),
            memory_bytes: self.work.memory_bytes,
        };
        match (&self.work.fetch, repo.url.as_deref(), &repo.path) {
            (Some(fetch), Some(url), _) => self.fetched(fetch, url, repo, limits),
            (_, _, Some(_)) => self.mined(repo, limits, 0),
            (None, Some(_), None) => Ok(skip("fetch", "a URL alone needs `--fetch`")),
            (_, None, None) => Ok(skip("bad_line", "neither `path` nor `url`")),
        }
    }

    /// Fetches a repository and mines it.
    fn fetched(
        &self,
        fetch: &Fetch,
        url: &str,
        repo: &RepoLine,
        limits: WorkerLimits,
    ) -> Result<MiningTry, ShardError> {
        if let Err(why) = fetch::check_url(url) {
            return Ok(skip("fetch", &why.to_string()));
        }
        let fetched = self.places.state.join("fetched");
        remove(&fetched)?;
        fs::create_dir_all(&fetched).map_err(at(&fetched))?;
        // Where nothing else tells, mining names a repository after its folder.
        let name = fetch::name_of(url);
        let folder = fetched.join(&name);
        let command = fetch.command(url, &folder);
        let program = PathBuf::from(command.get_program());
        let limits_of_fetch = WorkerLimits {
            memory_bytes: None,
            ..limits
        };
        match self.process(command, &program, limits_of_fetch)? {
            WorkerExit::Exited { code: 0, .. } if folder.is_dir() => {}
            WorkerExit::Exited { code: 0, .. } => {
                return Ok(skip("fetch", "nothing was downloaded"));
            }
            WorkerExit::Exited { said, .. } if fetch::is_passing(&said) => {
                return Ok(MiningTry::Again(last_line(&said)));
            }
            WorkerExit::Exited { said, .. } => return Ok(skip("fetch", &last_line(&said))),
            WorkerExit::TooLong => return Ok(skip("timeout", "while it was fetched")),
            ended => return Ok(not_ended(ended)),
        }
        let size_bytes = size_bytes(&folder);
        let repo = RepoLine {
            path: Some(folder.to_string_lossy().into_owned()),
            name: repo.name.clone().or(Some(name)),
            ..repo.clone()
        };
        self.mined(&repo, limits, size_bytes)
    }

    fn mined(
        &self,
        repo: &RepoLine,
        limits: WorkerLimits,
        fetched_bytes: u64,
    ) -> Result<MiningTry, ShardError> {
        let mut command = Command::new(&self.work.program);
        command
            .arg("--workspace")
            .arg(&self.places.workspace)
            .args(["--quiet", "work", "--line"])
            .arg(exchange::shards::line(repo))
            .args(self.places.is_scratch.then_some("--scratch"))
            .args(&self.work.arguments);
        if let Some(n_threads) = self.work.n_threads {
            command.arg("--jobs").arg(n_threads.to_string());
        }
        let ended = match self.process(command, &self.work.program, limits)? {
            WorkerExit::Exited { code: 0, out, .. } => match exchange::parse::<WireWorked>(&out) {
                Ok(worked) => MiningTry::Done(WireShardRepo {
                    mined: worked.mined,
                    skipped: worked.skipped,
                    detail: worked.detail,
                    fetched_bytes,
                    ..WireShardRepo::default()
                }),
                Err(error) => skip("crash", &error.to_string()),
            },
            // 2: it does not understand its arguments; 4: the database, which is ours, not the repository's.
            WorkerExit::Exited { code: 2, said, .. } => {
                return Err(ShardError::Worker {
                    program: self.work.program.clone(),
                    why: last_line(&said),
                });
            }
            WorkerExit::Exited { code: 4, said, .. } => {
                return Err(ShardError::Machine {
                    why: last_line(&said),
                });
            }
            WorkerExit::Exited { code: 3, said, .. } => skip("unreadable", &last_line(&said)),
            WorkerExit::TooLong => skip("timeout", "while it was mined"),
            WorkerExit::TooLarge { memory_bytes } => {
                skip("memory", &format!("{} MiB", memory_bytes >> 20))
            }
            ended => not_ended(ended),
        };
        Ok(ended)
    }

    fn process(
        &self,
        command: Command,
        program: &Path,
        limits: WorkerLimits,
    ) -> Result<WorkerExit, ShardError> {
        match worker::run(command, self.lock, limits, self.monitor) {
            Ok(ended) => Ok(ended),
            Err(worker::WorkerError::Cancelled(cancelled)) => Err(cancelled.into()),
            Err(worker::WorkerError::Io(error)) => Err(ShardError::Worker {
                program: program.to_owned(),
                why: error.to_string(),
            }),
        }
    }

    /// Settles the index and counts the results of the repositories.
    fn finish(self, started: Instant) -> Result<WireShard, ShardError> {
        let is_scratch = self.places.is_scratch;
        let mut store = if is_scratch {
            Store::open_scratch(&self.places.workspace)?
        } else {
            Store::open(&self.places.workspace, StoreAccess::Create)?
        };
        store.settle(self.work.seed, self.monitor)?;
        let path = store.path().to_owned();
        // Only a closed index is one file.
        drop(store);
        if is_scratch {
            let written = File::open(&path).and_then(|file| file.sync_all());
            written.map_err(at(&path))?;
        }
        let (index_bytes, index_hash) = hash(&path).map_err(at(&path))?;
        let repositories: Vec<WireShardRepo> = self.journal.done.into_values().collect();
        let mut skipped = BTreeMap::new();
        for reason in repositories
            .iter()
            .filter_map(|repository| repository.skipped.clone())
        {
            *skipped.entry(reason).or_default() += 1;
        }
        let parts = || repositories.iter().flat_map(|repository| &repository.mined);
        Ok(WireShard {
            focalist: env!("CARGO_PKG_VERSION").to_owned(),
            stamp: String::new(),
            shard: String::new(),
            n_repositories: repositories.len() as u64,
            n_mined: repositories
                .iter()
                .filter(|repository| repository.skipped.is_none())
                .count() as u64,
            skipped,
            n_files: parts().map(|mined_part| mined_part.n_files).sum(),
            n_tests: parts().map(|mined_part| mined_part.n_tests).sum(),
            n_samples: parts().map(|mined_part| mined_part.n_samples).sum(),
            n_problems: parts().map(|mined_part| mined_part.n_problems).sum(),
            index_bytes,
            index_hash,
            wall_ms: started.elapsed().as_millis() as u64,
            fetched_bytes_max: repositories
                .iter()
                .map(|repository| repository.fetched_bytes)
                .max()
                .unwrap_or(0),
            repositories,
        })
    }
}

fn skip(reason: &str, detail: &str) -> MiningTry {
    MiningTry::Done(WireShardRepo {
        skipped: Some(reason.to_owned()),
        detail: Some(detail.to_owned()).filter(|text| !text.is_empty()),
        ..WireShardRepo::default()
    })
}

/// Decides about a process that ended neither well nor by our limits. After a signal that only other processes send it
/// is tried again; a crash of its own skips the repository.
fn not_ended(ended: WorkerExit) -> MiningTry {
    const FROM_OTHERS: [i32; 4] = [1, 2, 9, 15];
    match ended {
        WorkerExit::Signalled { signal, .. } if FROM_OTHERS.contains(&signal) => {
            MiningTry::Again(format!("killed by signal {signal}"))
        }
        WorkerExit::Signalled { signal, said } => {
            skip("crash", &format!("signal {signal}: {}", last_line(&said)))
        }
        WorkerExit::Exited { code, said, .. } => {
            skip("crash", &format!("exit code {code}: {}", last_line(&said)))
        }
        WorkerExit::TooLong => skip("timeout", ""),
        WorkerExit::TooLarge { .. } => skip("memory", ""),
    }
}

/// Takes the last line that is not blank, or the message of an error line.
fn last_line(said: &str) -> String {
    let mut lines = said.lines().rev().map(str::trim);
    let all = || said.lines().map(str::trim);
    // The line that git fails with says more than the lines before it.
    let after = |prefix| all().find_map(|text| text.strip_prefix(prefix));
    let error = after("fatal: ").or_else(|| after("error: "));
    let line = error.or_else(|| lines.find(|line| !line.is_empty()));
    line.unwrap_or("it printed nothing")
        .chars()
        .take(300)
        .collect()
}
