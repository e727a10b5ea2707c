//! Starting: the one place where a process of foreign code begins.
//!
//! `--die-with-parent` goes by the thread that starts `bwrap`, not by its process (`PR_SET_PDEATHSIG`), so a thread
//! that never ends starts them all, one at a time. It also sees to it that no file that we have open gets in.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread;

use crossbeam_channel::Sender;
use rustix::fs::{Mode, OFlags};
use rustix::process::{Resource, getrlimit};

use super::bubblewrap;
use super::plan::{Limits, Network, ProgramPlan};
use super::tool::{SandboxKind, Tool};
use super::{Root, SandboxError, record};

/// The environment variable that marks every process that we started.
const TOKEN: &str = "FOCALIST_SANDBOX";
/// The files that `bwrap` reads, and the one in which it reports how the program ended; in the folder of a run.
const ARGUMENTS: &str = "arguments";
const FILTER: &str = "filter";
pub const STATUS: &str = "status";
/// Beyond what a program may have, the kernel refuses more; up to there it is ended and told why.
const SLACK: u64 = 64;

type LauncherTask = Box<dyn FnOnce() + Send>;

/// The program to start, and the places of its files.
pub struct ProgramStart<'s> {
    pub tool: &'s Tool,
    pub plan: &'s ProgramPlan,
    /// Folder of this run; it is there, and empty.
    pub folder: PathBuf,
    /// Folder of made-up files.
    pub made_up: &'s Path,
    pub token: &'s str,
    pub role: ProcessRole,
}

/// How a program is talked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessRole {
    /// A program that reads nothing.
    Mute,
    /// A program that reads its stdin.
    Told,
    /// A program of the system that holds a network for others.
    Holder,
}

impl ProgramStart<'_> {
    /// Starts it.
    pub fn go(&self) -> Result<Child, SandboxError> {
        let program = self.plan.find()?;
        let limits = limits(&self.plan.limits, &self.tool.kind);
        let started = match &self.tool.kind {
            SandboxKind::Bubblewrap {
                path,
                version,
                filter,
            } => {
                let mut command = self.outside(path)?;
                // A name in the plan's environment might tell the loader what to load, so it is given inside only.
                command.env_clear().args(["--setenv", TOKEN, self.token]);
                let world = match self.role {
                    ProcessRole::Holder => bubblewrap::holder(),
                    ProcessRole::Mute | ProcessRole::Told => {
                        bubblewrap::world(self.plan, *version, Some(self.made_up))
                    }
                };
                self.files(&world, filter.as_deref())
                    .map(|files| (command, Some((files, program, limits))))
            }
            SandboxKind::None => self.bare(&program, limits).map(|command| (command, None)),
        };
        let (mut command, inside) = started.map_err(|source| SandboxError::Io {
            path: self.folder.clone(),
            source,
        })?;
        command.stdin(match self.role {
            ProcessRole::Mute => Stdio::null(),
            ProcessRole::Told | ProcessRole::Holder => Stdio::piped(),
        });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        // Signals of a terminal are for us alone: we end what we started.
        command.process_group(0);
        let prlimit = self.tool.prlimit.clone();
        let arguments = self.plan.arguments.clone();
        let child = on_launcher(move || {
            let Some((files, program, limits)) = inside else {
                return command.spawn();
            };
            let files = files.open()?;
            command
                .arg("--args")
                .arg(files.arguments.as_raw_fd().to_string());
            command
                .arg("--json-status-fd")
                .arg(files.status.as_raw_fd().to_string());
            if let Some(filter) = &files.filter {
                command.arg("--seccomp").arg(filter.as_raw_fd().to_string());
            }
            command.arg("--").arg(prlimit).args(limits).arg("--");
            command.arg(program).args(arguments);
            close_fds::set_fds_cloexec_threadsafe(3, &files.numbers());
            command.spawn()
        });
        child
            .and_then(|child| child)
            .map_err(|source| SandboxError::Start {
                program: match &self.tool.kind {
                    SandboxKind::Bubblewrap { path, .. } => path.clone(),
                    SandboxKind::None => self.tool.prlimit.clone(),
                },
                source,
            })
    }

    /// Makes the command that starts `bwrap`, inside the shared network where the plan names one.
    fn outside(&self, bwrap: &Path) -> Result<Command, SandboxError> {
        let Network::Shared(network) = &self.plan.network else {
            return Ok(Command::new(bwrap));
        };
        let nsenter = self.tool.nsenter.as_ref();
        let nsenter = nsenter.ok_or(SandboxError::Missing { program: "nsenter" })?;
        Ok(network.joined_by(bwrap, nsenter))
    }

    /// Writes the arguments of `bwrap` to a file: everybody who lists processes could read the values of variables on a
    /// command line.
    fn files(&self, world: &[OsString], filter: Option<&[u8]>) -> io::Result<LaunchFiles> {
        let folder = Root::open(&self.folder)?;
        let mut text = Vec::new();
        for word in world {
            text.extend(word.as_bytes());
            text.push(0);
        }
        folder.create(ARGUMENTS)?.write_all(&text)?;
        folder.create(STATUS)?;
        if let Some(filter) = filter {
            folder.create(FILTER)?.write_all(filter)?;
        }
        let has_filter = filter.is_some();
        Ok(LaunchFiles { folder, has_filter })
    }

    /// Makes the command of the program without a sandbox; its home and its temporary files are in the folder of the
    /// run.
    fn bare(&self, program: &Path, limits: Vec<OsString>) -> io::Result<Command> {
        let mut command = Command::new(&self.tool.prlimit);
        command
            .args(limits)
            .arg("--")
            .arg(program)
            .args(&self.plan.arguments);
        command
            .env_clear()
            .envs(&self.plan.environment)
            .env(TOKEN, self.token);
        for (name, folder) in [("HOME", "home"), ("TMPDIR", "tmp")] {
            let folder = self.folder.join(folder);
            fs::create_dir(&folder)?;
            command.env(name, folder);
        }
        command.current_dir(&self.plan.folder);
        Ok(command)
    }
}

/// Makes the folder of a run.
pub fn make_folder(folder: &Path) -> Result<(), SandboxError> {
    record::remove(folder)
        .and_then(|()| fs::create_dir(folder))
        .map_err(|source| SandboxError::Io {
            path: folder.to_owned(),
            source,
        })
}

struct LaunchFiles {
    folder: Root,
    has_filter: bool,
}

/// Open for the next process.
struct LaunchPipes {
    arguments: OwnedFd,
    status: OwnedFd,
    filter: Option<OwnedFd>,
}

impl LaunchFiles {
    /// Opens them so that the next process has them, too: without `O_CLOEXEC`.
    fn open(&self) -> io::Result<LaunchPipes> {
        let folder = self.folder.descriptor();
        let open = |name, flags| rustix::fs::openat(folder, name, flags, Mode::empty());
        let filter = self.has_filter.then(|| open(FILTER, OFlags::RDONLY));
        Ok(LaunchPipes {
            arguments: open(ARGUMENTS, OFlags::RDONLY)?,
            status: open(STATUS, OFlags::WRONLY)?,
            filter: filter.transpose()?,
        })
    }
}

impl LaunchPipes {
    fn numbers(&self) -> Vec<RawFd> {
        let filter = self.filter.iter().map(AsRawFd::as_raw_fd);
        let others = [self.arguments.as_raw_fd(), self.status.as_raw_fd()];
        // Sorted, as `close_fds` needs them.
        let mut numbers: Vec<RawFd> = filter.chain(others).collect();
        numbers.sort_unstable();
        numbers
    }
}

/// Lists the arguments of `prlimit`; a limit is never above the one that the system allows.
fn limits(limits: &Limits, kind: &SandboxKind) -> Vec<OsString> {
    let at_most = |resource, asked: u64| {
        let maximum = getrlimit(resource).maximum.unwrap_or(u64::MAX);
        asked.min(maximum)
    };
    let mut found: Vec<String> = vec![
        "--core=0".to_owned(),
        format!("--fsize={}", at_most(Resource::Fsize, limits.file_bytes)),
        format!(
            "--nofile={}",
            at_most(Resource::Nofile, limits.n_open_files)
        ),
    ];
    // Without a separate user namespace, all processes of the user would count.
    if *kind != SandboxKind::None && has_own_counts() {
        // Wider than the watched limit: a program that exceeds this one only gets an error, without a reported reason.
        // Root is never held to it.
        let n_tasks = at_most(Resource::Nproc, limits.n_tasks * 2 + SLACK);
        found.push(format!("--nproc={n_tasks}"));
    }
    if let Some(cpu) = limits.cpu {
        // This limits each process; the guard watches the sum.
        let seconds = at_most(Resource::Cpu, cpu.as_secs() + 2);
        found.push(format!("--cpu={seconds}"));
    }
    found.into_iter().map(OsString::from).collect()
}

/// Tells whether processes are counted by user namespace: before Linux 5.14 all of a user's on the machine are.
fn has_own_counts() -> bool {
    let system = rustix::system::uname();
    let release = system.release().to_string_lossy();
    let mut numbers = release.split(['.', '-']).map(str::parse::<u32>);
    let mut next = || numbers.next().and_then(Result::ok).unwrap_or(0);
    (next(), next()) >= (5, 14)
}

/// Does a piece of work on the thread that starts all processes, and waits for it.
fn on_launcher<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
    static LAUNCHER: OnceLock<Sender<LauncherTask>> = OnceLock::new();
    let launcher = LAUNCHER.get_or_init(|| {
        let (sender, works) = crossbeam_channel::unbounded::<LauncherTask>();
        thread::spawn(move || works.into_iter().for_each(|work| work()));
        sender
    });
    let (done, result) = crossbeam_channel::bounded(1);
    let work: LauncherTask = Box::new(move || {
        // The caller waits for it.
        let _ = done.send(work());
    });
    let gone = || io::Error::other("the thread that starts processes is gone");
    launcher.send(work).map_err(|_| gone())?;
    result.recv().map_err(|_| gone())
}
