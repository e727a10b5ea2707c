//! Calls Maven in the sandbox, with our extension: decides what it sees and what it may write to, and returns its
//! output.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::java::settings;
use crate::java::text::used;
use crate::java::tools::{Machine, floor};
use crate::java::{Build, Jdk, Maven};
use crate::sandbox::{Bind, Limits, Network, ProgramEnd, ProgramPlan, Root};
use crate::task::Monitor;
use crate::{RunnerError, Site, io_error};

const EXTENSION: [(&str, &str); 6] = [
    ("Extension.java", include_str!("extension/Extension.java")),
    ("Fetch.java", include_str!("extension/Fetch.java")),
    ("Headers.java", include_str!("extension/Headers.java")),
    ("Layers.java", include_str!("extension/Layers.java")),
    ("OnlyOwn.java", include_str!("extension/OnlyOwn.java")),
    ("Strangers.java", include_str!("extension/Strangers.java")),
];
/// The file in which Maven's container looks for components, and its line: the name of our class.
const INDEX: (&str, &str) = ("META-INF/sisu/javax.inject.Named", "focalist.Extension\n");
/// The time limit of focalist's own short programs.
const WALL: Duration = Duration::from_secs(600);
/// The signal that no process can catch: sent by the system where memory is short, or by another process.
pub const SIGKILL: u8 = 9;
/// How often, at most, Maven is called if it is killed each time.
pub const N_CALLS_MAX: u32 = 3;
const TMP_BYTES: u64 = 4 << 30;
/// Options of the virtual machine that Maven and the compilers in it run in; tests run in virtual machines of their own.
/// Compilers of older JDKs overflow the default stack with long chains of calls, now and then. A build ends before code
/// that is optimised for long has paid for itself, so the quick compiler alone halves its processor time, from projects
/// of some files to 400,000 lines. No collector is named: a project's own `.mvn/jvm.config` may name one, and a virtual
/// machine refuses two.
const VM_OPTIONS: [&str; 2] = ["-Xss16m", "-XX:TieredStopAtLevel=1"];
/// The part of Maven's output that is kept.
const KEPT_BYTES: usize = 8 << 20;
/// The pause between two looks whether the call has ended.
const WAIT: Duration = Duration::from_millis(50);
const SETTINGS: &str = "settings.xml";
/// The file that our extension writes.
const EVENTS: &str = "events.jsonl";
/// The largest output of the extension that is read; no project needs more.
const SAID_BYTES_MAX: u64 = 256 << 20;

/// The folders of Java in the cache.
#[derive(Clone, Debug)]
pub struct Folders {
    pub root: PathBuf,
}

impl Folders {
    /// Makes the missing parts.
    pub fn make(site: &Site) -> Result<Self, RunnerError> {
        let cache = std::path::absolute(&site.cache).map_err(io_error(&site.cache))?;
        let root = cache.join("java");
        // The paths that Maven gets have no links in them, so that the paths that it reports have none either.
        let made = Root::make(&root).map_err(io_error(&root))?;
        let root = made.path().to_owned();
        let folders = Self { root };
        for folder in [folders.shared(), folders.builds()] {
            made.create_folders(&folder).map_err(io_error(&folder))?;
        }
        Ok(folders)
    }

    /// The local repository below those of all projects: only calls in which no code of a project runs write to it, and
    /// only artifacts from the sources in the user's settings.
    pub fn shared(&self) -> PathBuf {
        self.root.join("shared")
    }

    pub fn builds(&self) -> PathBuf {
        self.root.join("builds")
    }
}

/// How Maven is called on this machine.
#[derive(Debug)]
pub struct Mvn<'s> {
    pub site: &'s Site,
    pub folders: &'s Folders,
    pub machine: &'s Machine,
    pub jdk: Jdk,
    pub maven: Maven,
    /// The folder with the compiled extension.
    pub extension: PathBuf,
}

/// One call of Maven.
#[derive(Clone, Debug)]
pub struct MavenCall {
    /// The folder of the pom.
    pub folder: PathBuf,
    /// Goals, and further arguments.
    pub arguments: Vec<String>,
    pub binds: Vec<Bind>,
    /// The folder that our extension writes to; it has the same path inside.
    pub said: PathBuf,
    pub reach: Reach,
    /// The project's own local repository, over the shared one.
    pub repository: PathBuf,
    pub wall: Duration,
}

/// A call's access to local repositories and to the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The project's code runs, and reads both repositories.
    Nothing,
    /// The project's code runs, and writes its own repository.
    Build { has_network: bool },
    /// Nothing of the project runs; downloads go to the shared repository, only from the sources in the user's
    /// settings.
    Shared,
    /// Nothing of the project runs; downloads go to its own repository, also from the repositories in its poms.
    Own,
}

impl Reach {
    /// Names the sources of downloads, for calls in which only Maven, our extension and the requested artifacts take
    /// part.
    const fn sources(self) -> Option<&'static str> {
        match self {
            Self::Shared => Some("settings"),
            Self::Own => Some("poms"),
            Self::Nothing | Self::Build { .. } => None,
        }
    }
}

/// The result of a call of Maven.
#[derive(Clone, Debug)]
pub struct MavenOutput {
    pub is_success: bool,
    /// How it was ended, where it did not end by itself.
    pub ending: Option<String>,
    /// Whether it was killed from outside: neither by us nor because of a limit.
    pub is_killed: bool,
    /// Processor time of all its processes.
    pub cpu: Duration,
    pub log: String,
    /// The events of our extension, a JSON object on each line.
    pub events: String,
}

impl<'s> Mvn<'s> {
    /// Asks Maven for its version, and compiles our extension against it where that has not been done.
    ///
    /// # Errors
    /// Where Maven does not start, or the extension does not compile against it.
    pub fn new(
        site: &'s Site,
        folders: &'s Folders,
        machine: &'s Machine,
        (jdk, maven_home): (Jdk, PathBuf),
        monitor: &Monitor,
    ) -> Result<Self, RunnerError> {
        let mut mvn = Self {
            site,
            folders,
            machine,
            jdk,
            maven: Maven {
                home: maven_home,
                version: String::new(),
            },
            extension: PathBuf::new(),
        };
        mvn.maven.version = mvn.ask_version(monitor)?;
        mvn.extension = mvn.compile_extension(monitor)?;
        Ok(mvn)
    }

    /// Opens Maven as it built a project.
    ///
    /// # Errors
    /// Where the extension does not compile against it.
    pub fn again(
        site: &'s Site,
        folders: &'s Folders,
        machine: &'s Machine,
        build: &Build,
        monitor: &Monitor,
    ) -> Result<Self, RunnerError> {
        let mut mvn = Self {
            site,
            folders,
            machine,
            jdk: build.jdk.clone(),
            maven: build.maven.clone(),
            extension: PathBuf::new(),
        };
        mvn.extension = mvn.compile_extension(monitor)?;
        Ok(mvn)
    }

    /// Lists the edits of the models for our extension.
    pub fn edits(&self, dropped: &BTreeSet<String>) -> Vec<String> {
        let words: Vec<&str> = dropped.iter().map(String::as_str).collect();
        vec![
            format!("-Dfocalist.drop={}", words.join(",")),
            format!("-Dfocalist.floor={}", floor(self.jdk.feature)),
        ]
    }

    fn ask_version(&self, monitor: &Monitor) -> Result<String, RunnerError> {
        let plan = self.plan(Path::new("/tmp")).args(["--version"]);
        let finished = self.site.sandbox.run(&plan, b"", monitor)?;
        let said = finished.output.text() + &finished.errors.text();
        version(&said).ok_or_else(|| RunnerError::Worker {
            what: "mvn",
            said: said.lines().next().unwrap_or("nothing").to_owned(),
        })
    }

    /// Builds the part of the plan that all calls have in common.
    fn plan(&self, folder: &Path) -> ProgramPlan {
        let (jdk, maven) = (&self.jdk.home, &self.maven.home);
        let mut plan = ProgramPlan::new(maven.join("bin/mvn"))
            .env("JAVA_HOME", jdk)
            .env("MAVEN_HOME", maven)
            // The user's own start files of Maven are skipped.
            .env("MAVEN_SKIP_RC", "1")
            .bind(Bind::read(jdk))
            .bind(Bind::read(maven))
            .in_folder(folder);
        let options = self.machine.maven_options.iter();
        for option in options.clone() {
            let file = option
                .split_once("trustStore=")
                .map(|pair| Path::new(pair.1));
            if let Some(file) = file.filter(|file| file.is_absolute() && file.is_file()) {
                plan = plan.bind(Bind::read(file));
            }
        }
        let options = VM_OPTIONS.into_iter().chain(options.map(String::as_str));
        let options: Vec<&str> = options.collect();
        plan = plan.env("MAVEN_OPTS", options.join(" "));
        // Programs that a build calls find the same JDK.
        let mut path = OsString::from(jdk.join("bin"));
        path.push(":/usr/local/bin:/usr/bin:/bin");
        plan.environment.insert("PATH".into(), path);
        plan.limits = Limits {
            wall: Some(WALL),
            tmp_bytes: TMP_BYTES,
            kept_bytes: KEPT_BYTES,
            n_tasks: 4096,
            ..Limits::default()
        };
        plan
    }

    /// Calls Maven and waits for its end.
    ///
    /// # Errors
    /// Where it could not be started; how it ended is data.
    pub fn call(&self, call: &MavenCall, monitor: &Monitor) -> Result<MavenOutput, RunnerError> {
        let failed = io_error(&call.said);
        // A file that is there is from an earlier call.
        let said = Root::make(&call.said).map_err(&failed)?;
        said.remove(EVENTS).map_err(&failed)?;
        let mut plan = self
            .plan(&call.folder)
            .args(["-B", "-e", "-Dstyle.color=never"])
            .args(["-Dorg.slf4j.simpleLogger.log.org.apache.maven.cli.transfer.Slf4jMavenTransferListener=warn"])
            .args([
                option("maven.ext.class.path", &self.extension),
                option("focalist.out", &call.said.join(EVENTS)),
            ])
            .bind(Bind::read(&self.extension));
        plan.limits.wall = Some(call.wall);
        plan.binds.extend(call.binds.iter().cloned());
        let _shared = match call.reach {
            // Two Maven processes must not write to one local repository at a time.
            Reach::Shared => Some(lock(&self.folders.root.join("shared.lock"), monitor)?),
            _ => None,
        };
        plan = self.reach(plan, call)?.args(&call.arguments);
        let finished = self.site.sandbox.run(&plan, b"", monitor)?;
        let log = finished.output.text() + &finished.errors.text();
        let ending = match finished.ending.end {
            ProgramEnd::Exited(_) => None,
            ProgramEnd::Signalled(signal) => Some(format!("Maven was ended by signal {signal}")),
            ProgramEnd::Killed(limit) => Some(format!("Maven used too much: {}", used(limit))),
            ProgramEnd::Stopped | ProgramEnd::NotStarted => Some("Maven was ended".to_owned()),
        };
        Ok(MavenOutput {
            is_success: finished.ending.end == ProgramEnd::Exited(0),
            is_killed: finished.ending.end == ProgramEnd::Signalled(SIGKILL),
            cpu: finished.ending.cpu,
            ending,
            log,
            // A file of events that is missing or too large counts as empty.
            events: said.read_text(EVENTS, SAID_BYTES_MAX).unwrap_or_default(),
        })
    }

    /// Adds the local repositories of a call to its plan, and the way to downloads where it has one.
    fn reach(&self, plan: ProgramPlan, call: &MavenCall) -> Result<ProgramPlan, RunnerError> {
        let (own, shared) = (&call.repository, &self.folders.shared());
        let plan = match call.reach {
            Reach::Shared => plan
                .args([option("maven.repo.local", shared)])
                .bind(Bind::write(shared)),
            reach => {
                let bind = if reach == Reach::Nothing {
                    Bind::read(own)
                } else {
                    Bind::write(own)
                };
                plan.args([
                    option("maven.repo.local", own),
                    option("focalist.lower", shared),
                ])
                .bind(bind)
                .bind(Bind::read(shared))
            }
        };
        if let Some(from) = call.reach.sources() {
            let plan = plan.args([format!("-Dfocalist.from={from}")]);
            // Before Maven 3.9.10 the other transport sends all headers to the target of a redirect, too.
            let plan = plan.args(["-Dmaven.resolver.transport=wagon"]);
            // A project's `.mvn` may name agents, arguments and extensions, so Maven looks for that folder in an empty
            // one.
            return Ok(self.connected(self.settings(plan.env("MAVEN_BASEDIR", "/tmp"))));
        }
        if call.reach == (Reach::Build { has_network: true }) {
            return Ok(self.connected(self.told_settings(plan)?));
        }
        // The mirror that an artifact came from no longer matters.
        Ok(plan.args([
            "-o",
            "-Daether.enhancedLocalRepository.trackingFilename=none",
        ]))
    }

    /// Lets the call use the network, unless nothing is to be downloaded.
    fn connected(&self, mut plan: ProgramPlan) -> ProgramPlan {
        if self.site.is_offline {
            return plan.args(["-o"]);
        }
        plan.network = Network::Host;
        plan.environment
            .extend(self.machine.way_out.iter().cloned());
        self.certificates(plan)
    }

    /// Shows the files that the variables of the way out name.
    fn certificates(&self, mut plan: ProgramPlan) -> ProgramPlan {
        for (_, value) in &self.machine.way_out {
            let path = Path::new(value);
            if path.is_absolute() && path.exists() {
                plan = plan.bind(Bind::read(path));
            }
        }
        plan
    }

    /// Shows the user's settings of Maven. Those of the system are in Maven's folder or in `/etc`, and visible.
    fn settings(&self, mut plan: ProgramPlan) -> ProgramPlan {
        if let Some(path) = self.setting(SETTINGS) {
            plan = plan.args([OsString::from("-s"), path.clone().into()]);
            plan = plan.bind(Bind::read(path));
        }
        if let Some(path) = self.setting("settings-security.xml") {
            plan = plan.args([option("settings.security", &path)]);
            plan = plan.bind(Bind::read(path));
        }
        plan
    }

    /// Resolves a file of the user's settings to its real path.
    fn setting(&self, name: &str) -> Option<PathBuf> {
        let home = self.machine.home.as_ref()?;
        fs::canonicalize(home.join(".m2").join(name)).ok()
    }

    /// Shows the user's settings without the secrets in them: code of the project reads them, and can send them
    /// anywhere.
    fn told_settings(&self, plan: ProgramPlan) -> Result<ProgramPlan, RunnerError> {
        let said = self.setting(SETTINGS).and_then(|path| {
            let folder = Root::open(path.parent()?).ok()?;
            folder.read_text(path.file_name()?, SAID_BYTES_MAX).ok()
        });
        // Most users have no settings.
        let Some(told) = said.and_then(|said| settings::without_secrets(&said)) else {
            return Ok(plan);
        };
        let scratch = self.site.sandbox.scratch()?;
        let path = scratch.join(SETTINGS);
        let written = Root::open(&scratch).and_then(|root| root.write(SETTINGS, told));
        written.map_err(io_error(&path))?;
        let plan = plan.args([OsString::from("-s"), path.clone().into()]);
        Ok(plan.bind(Bind::read(path)))
    }

    /// Compiles our extension with the project's JDK against its Maven, once for each pair.
    fn compile_extension(&self, monitor: &Monitor) -> Result<PathBuf, RunnerError> {
        let lib = self.maven.home.join("lib");
        let mut hasher = blake3::Hasher::new();
        let sources = EXTENSION.iter().map(|pair| pair.1);
        for word in sources.chain([
            self.maven.version.as_str(),
            &self.jdk.version,
            &lib.to_string_lossy(),
        ]) {
            hasher.update(word.as_bytes()).update(b"\0");
        }
        let name = hasher.finalize().to_hex();
        let folder = self.folders.root.join("extension").join(&name[..16]);
        if folder.is_dir() {
            return Ok(folder);
        }
        let scratch = self.site.sandbox.scratch()?;
        let classes = scratch.join("classes");
        let index = Path::new("classes").join(INDEX.0);
        let above = index.parent().expect("it lies in a folder");
        let write = |root: Root| {
            root.create_folders(above)?;
            root.write(&index, INDEX.1)?;
            let mut sources = EXTENSION.iter();
            sources.try_for_each(|(name, text)| root.write(name, text))
        };
        let written = Root::open(&scratch).and_then(write);
        written.map_err(io_error(&scratch))?;
        let plan = ProgramPlan::new(self.jdk.home.join("bin/javac"))
            // Maven's container reads no class files of a later Java than its own.
            .args([
                "-source",
                "8",
                "-target",
                "8",
                "-nowarn",
                "-proc:none",
                "-encoding",
                "UTF-8",
                "-cp",
            ])
            .args([lib.join("*")])
            .args([OsString::from("-d"), classes.clone().into()])
            .args(EXTENSION.map(|pair| scratch.join(pair.0)))
            .bind(Bind::read(&self.jdk.home))
            .bind(Bind::read(&self.maven.home))
            .bind(Bind::write(&scratch));
        let finished = self.site.sandbox.run(&plan, b"", monitor)?;
        if finished.ending.end != ProgramEnd::Exited(0) {
            return Err(RunnerError::Worker {
                what: "extension of Maven",
                said: finished
                    .errors
                    .text()
                    .lines()
                    .take(3)
                    .collect::<Vec<_>>()
                    .join("; "),
            });
        }
        put(&classes, &folder)?;
        Ok(folder)
    }
}

/// Gives a finished folder its name; where another process was faster, its folder stays.
fn put(from: &Path, to: &Path) -> Result<(), RunnerError> {
    let above = to.parent().expect("it lies in the cache");
    Root::make(above).map_err(io_error(above))?;
    match fs::rename(from, to) {
        Err(_) if to.is_dir() => Ok(()),
        other => other.map_err(io_error(to)),
    }
}

fn option(name: &str, path: &Path) -> OsString {
    let mut option = OsString::from(format!("-D{name}="));
    option.push(path);
    option
}

/// Waits for a lock that the kernel gives back however its holder ends.
pub fn lock(path: &Path, monitor: &Monitor) -> Result<File, RunnerError> {
    let mut options = File::options();
    // The lock is an empty file in a folder that only focalist writes.
    options.create(true).truncate(false).write(true);
    let file = options.open(path).map_err(io_error(path))?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => {
                monitor.step()?;
                thread::sleep(WAIT);
            }
            Err(TryLockError::Error(source)) => return Err(io_error(path)(source)),
        }
    }
}

/// Reads `3.8.7` in `Apache Maven 3.8.7 (hash)`, with colours or without.
fn version(said: &str) -> Option<String> {
    let (_, rest) = said.split_once("Apache Maven ")?;
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || ".-".contains(c)));
    let version = &rest[..end.unwrap_or(rest.len())];
    version
        .starts_with(|version: char| version.is_ascii_digit())
        .then(|| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_read_through_colours() {
        let check = |said, expected: Option<&str>| assert_eq!(version(said).as_deref(), expected);
        check("Apache Maven 3.8.7\nMaven home: /x", Some("3.8.7"));
        check(
            "\u{1b}[1mApache Maven 3.9.6 (bc02)\u{1b}[m\n",
            Some("3.9.6"),
        );
        check("Apache Maven 4.0.0-rc-3\u{1b}[m", Some("4.0.0-rc-3"));
        check(
            "The JAVA_HOME environment variable is not defined correctly",
            None,
        );
    }
}
