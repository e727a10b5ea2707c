//! Makes an environment in which the tests of a project run: step by step, each recorded.
//!
//! Everything is done in a copy. A folder of the cache is finished when its manifest is there; one without is made
//! anew, so a killed process costs time and nothing else. A project that cannot be prepared is not an error: its
//! manifest says why, and that is all that is kept of it.
//!
//! Code of the project runs while it is built. Only the host writes to the folder of a project; such code may write
//! only to folders in it that are separate mount points. Folders that projects share it may at most read: they are
//! filled by [`clean`] steps, which run no code of a project.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::model::utc;
use crate::sandbox::{Bind, EntryKind, ProgramPlan, Root};
use crate::task::Monitor;
use crate::{RunnerError, Site, io_error};

use super::environment::{
    CHECKOUT, Environment, FOLDER, FORMAT, Interpreter, PreparationStep, ProjectSuite,
    RefusedProject,
};
use super::history;
use super::interpreter::{Python, choose, interpreters};
use super::tree;

#[cfg(test)]
mod apart;
mod clean;
mod download;
mod install;
mod missing;
mod shelf;
mod skipped;
mod source;
mod steps;
mod suite;
mod uv;

#[cfg(test)]
pub use install::touch_packages;

use clean::{DownloadSite, Pip, Tools};
use download::Downloads;
use install::Installer;
use shelf::Shelf;
use steps::{PreparationSteps, READ, last_lines};

/// The program that reads a project's metadata.
const FACTS: &str = include_str!("project.py");
const FACTS_NAME: &str = "project.py";
/// The version of these steps: another one makes other environments.
const VERSION: u32 = 2;
/// The settings that `git` needs to read the history of a copy.
const GIT: &str = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";
const NO_DAY: &str = "there is no commit, and all files have the same time: the newest packages are taken; \
                      `--as-of` names another day";
const NO_DATING: &str = "neither `uv` nor a suitable `pip` is here, and none could be downloaded";

/// The request for an environment.
#[derive(Clone, Debug)]
pub struct PythonPrepareOptions {
    pub name: String,
    /// `3.11`
    pub python: Option<String>,
    /// `2024-09-01`
    pub as_of: Option<String>,
    /// Packages besides those that the project names.
    pub add: Vec<String>,
    /// A folder with wheels to take first.
    pub wheels: Option<PathBuf>,
    /// The share of the collected tests that has to pass.
    pub accept: f64,
    pub is_anew: bool,
    /// Builds of the project, and of its dependencies, have the network.
    pub has_build_network: bool,
}

impl Default for PythonPrepareOptions {
    fn default() -> Self {
        Self {
            name: String::new(),
            python: None,
            as_of: None,
            add: Vec::new(),
            wheels: None,
            accept: 0.5,
            is_anew: false,
            has_build_network: false,
        }
    }
}

/// The relevant facts about this machine and its user.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// As in `$PATH`.
    pub path: OsString,
    pub home: Option<PathBuf>,
    /// All variables; only those that say how packages are reached are used.
    pub environment: Vec<(OsString, OsString)>,
}

/// Finds the interpreters of this machine, first the one that `python3` means, and its `uv`.
#[must_use]
pub fn found(surroundings: &Surroundings) -> (Vec<PathBuf>, Option<PathBuf>) {
    let (path, home) = (&surroundings.path, surroundings.home.as_deref());
    let pythons = interpreters(path, home);
    let programs = pythons.into_iter().map(|python| python.program).collect();
    (programs, uv::find(path, home))
}

/// The metadata in the project's files; see `project.py`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct PythonProjectFacts {
    name: Option<String>,
    requires_python: Option<String>,
    has_metadata: bool,
    build_requires: Vec<String>,
    requirement_files: Vec<RequirementFile>,
    test_extras: Vec<String>,
    other_extras: Vec<String>,
    group_requirements: Vec<String>,
    tox: Vec<String>,
    addopts: String,
    test_folders: Vec<String>,
    sources: Vec<String>,
    optional: Vec<OptionalRequirements>,
    test_files: Vec<String>,
    notes: Vec<String>,
}

/// A place of a project that names packages which only some of its tests need.
#[derive(Clone, Debug, Default, Deserialize)]
struct OptionalRequirements {
    place: String,
    requirements: Vec<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct RequirementFile {
    path: String,
    requirements: Vec<String>,
}

/// Creates an environment for the project in a folder, or takes one that was created from the same inputs.
///
/// # Errors
/// Where a program is missing, those of the disk, and when it was cancelled. A project that cannot be used is not an
/// error.
#[expect(
    clippy::too_many_arguments,
    reason = "each is of its own: what is there, what is asked, and who watches"
)]
pub fn prepare(
    site: &Site,
    origin: &Path,
    asked: &PythonPrepareOptions,
    surroundings: &Surroundings,
    monitor: &Monitor,
    report: &mut dyn FnMut(&PreparationStep),
) -> Result<Environment, RunnerError> {
    let origin = Root::open(origin).map_err(io_error(origin))?;
    let pythons = interpreters(&surroundings.path, surroundings.home.as_deref());
    let Some(first) = pythons.first() else {
        let hint = "install Python 3, for example by `apt install python3 python3-venv`".to_owned();
        return Err(RunnerError::Missing {
            program: "python3",
            hint,
        });
    };
    let home = site.cache.join(FOLDER);
    let home = Root::make(&home).map_err(io_error(&home))?;
    // Paths are passed inside and stored as text, so they must be valid text.
    [origin.path(), home.path()]
        .into_iter()
        .try_for_each(is_text)?;
    let mut steps = PreparationSteps {
        site,
        monitor,
        report,
        done: Vec::new(),
        home: format!("{}/", home.path().display()),
    };
    let clean = DownloadSite::new(site, surroundings, &home, asked.wheels.as_deref())?;
    let tools = Tools::open(&home)?;
    let uv = match uv::find(&surroundings.path, surroundings.home.as_deref()) {
        Some(uv) => Some(uv),
        None => uv::bring(&tools, (&clean, &mut steps), first)?,
    };
    let history = history(site, origin.path(), surroundings, monitor)?;
    // A request to prepare anew does not change the result.
    let asked_for = PythonPrepareOptions {
        is_anew: false,
        ..asked.clone()
    };
    let program = first.program.display();
    let asked_of = format!("{asked_for:?} {history:?} {} {program}", uv.is_some());
    let tree = tree::hash(&origin, monitor)?.to_hex().to_string();
    let key = key_of(site, &tree, &asked_of);
    // Another process may be preparing the same environment.
    let lock = home.lock(format!("{key}.lock"));
    let lock = lock.map_err(io_error(home.path()))?;
    let known = Environment::read(&home, &key)
        .filter(|environment| !asked.is_anew && is_for_good(environment));
    if let Some(environment) = known {
        return Ok(environment);
    }
    let mut notes = Vec::new();
    let as_of = match asked.as_of.clone().or(history) {
        Some(day) => Some(day),
        None => newest(&origin, &mut notes, monitor)?,
    };
    let mut environment = Environment {
        key: key.clone(),
        tree,
        name: asked.name.clone(),
        origin: origin.path().to_owned(),
        as_of,
        sandbox: site.sandbox.tool().name().to_owned(),
        notes,
        ..nothing_yet()
    };
    environment.settle(&home.path().join(&key));
    let with = PreparationTools {
        clean,
        tools,
        uv,
        pythons: &pythons,
        home: &home,
    };
    let preparing = Preparation {
        site,
        surroundings,
        monitor,
        steps,
        asked,
        environment,
    };
    let done = preparing.whole(&origin, with);
    if done.is_err() {
        // The folder is never read again; where it cannot be removed, it has no manifest.
        let _ = home.remove(&key);
    }
    drop(lock);
    done
}

fn is_text(path: &Path) -> Result<(), RunnerError> {
    let why = "its path is not UTF-8, and Python tools need it";
    let wrong = || io::Error::new(io::ErrorKind::InvalidInput, why);
    match path.to_str() {
        Some(_) => Ok(()),
        None => Err(io_error(path)(wrong())),
    }
}

/// Makes an empty environment that belongs to no project.
fn nothing_yet() -> Environment {
    Environment {
        format: FORMAT,
        key: String::new(),
        tree: String::new(),
        name: String::new(),
        origin: PathBuf::new(),
        root: PathBuf::new(),
        checkout: PathBuf::new(),
        python: Interpreter::default(),
        as_of: None,
        missed_day: None,
        installer: "pip".to_owned(),
        sandbox: String::new(),
        steps: Vec::new(),
        sources: Vec::new(),
        test_files: Vec::new(),
        addopts: String::new(),
        installed: Vec::new(),
        suite: ProjectSuite::default(),
        refused: None,
        notes: Vec::new(),
    }
}

/// Finds the latest environment of a folder in its present state, for any request.
///
/// # Errors
/// The disk's, and cancelled.
pub fn prepared(
    site: &Site,
    origin: &Path,
    monitor: &Monitor,
) -> Result<Option<Environment>, RunnerError> {
    let origin = Root::open(origin).map_err(io_error(origin))?;
    let of_folder = |environment: &Environment| {
        environment.origin == origin.path() && environment.is_accepted()
    };
    let all = Environment::all(&site.cache);
    let Some(environment) = all.into_iter().rev().find(of_folder) else {
        return Ok(None);
    };
    let tree = tree::hash(&origin, monitor)?.to_hex().to_string();
    Ok(Some(environment).filter(|environment| environment.tree == tree))
}

/// Tells whether another try would end the same way: a project that was refused after a failed step may only have
/// lacked the network.
fn is_for_good(environment: &Environment) -> bool {
    let says_nothing = [READ, "compile", "collect", "suite"];
    let is_done = |preparation_step: &PreparationStep| {
        preparation_step.code == Some(0) || says_nothing.contains(&preparation_step.what.as_str())
    };
    environment.is_accepted() || environment.steps.iter().all(is_done)
}

/// Hashes everything that an environment depends on: the tree, the request, the machine's tools, and the preparing
/// code.
fn key_of(site: &Site, tree: &str, asked: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(tree.as_bytes());
    let others = (VERSION, FACTS, site.sandbox.tool().name(), asked);
    hasher.update(format!("{others:?}").as_bytes());
    hasher.finalize().to_hex()[..16].to_owned()
}

/// Copies the project into a separate folder, with a history that has no settings of its own.
fn copy(origin: &Root, root: &Root, monitor: &Monitor) -> Result<(), RunnerError> {
    let failed = io_error(root.path());
    let checkout = root
        .create_folder(CHECKOUT)
        .and_then(|()| root.folder(CHECKOUT));
    let checkout = checkout.map_err(&failed)?;
    tree::copy(origin, &checkout, tree::TreeCopyKind::Copy, monitor)?;
    // `.git` may be a link to another repository, so only a real folder is written to.
    if checkout.kind(".git").map_err(&failed)? == Some(EntryKind::Folder) {
        checkout.write(".git/config", GIT).map_err(&failed)?;
    }
    Ok(())
}

/// Finds the day of the newest file, for a project without a commit to date it.
fn newest(
    origin: &Root,
    notes: &mut Vec<String>,
    monitor: &Monitor,
) -> Result<Option<String>, RunnerError> {
    let day = tree::newest(origin, monitor)?.map(day_of);
    notes.push(match &day {
        Some(day) => format!("there is no commit to tell the date by; the newest file is of {day}"),
        None => NO_DAY.to_owned(),
    });
    Ok(day)
}

/// Finds the day of the checked-out commit, where `git` is there and tells it.
fn history(
    site: &Site,
    origin: &Path,
    surroundings: &Surroundings,
    monitor: &Monitor,
) -> Result<Option<String>, RunnerError> {
    let is_there =
        std::env::split_paths(&surroundings.path).any(|split_path| split_path.join("git").exists());
    if !is_there || !origin.join(".git").exists() {
        return Ok(None);
    }
    let mut plan = ProgramPlan::new("git")
        .args(history::ARGUMENTS.iter().copied())
        .bind(Bind::read(origin))
        .in_folder(origin);
    plan.limits.wall = Some(Duration::from_secs(60));
    let finished = match site.sandbox.run(&plan, b"", monitor) {
        Ok(finished) => finished,
        Err(crate::sandbox::SandboxError::NoProgram { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let day = finished.output.text().trim().to_owned();
    let is_day = day.len() == 10
        && day
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-');
    Ok(is_day.then_some(day))
}

/// Converts a moment to its day, in UTC.
fn day_of(seconds: u64) -> String {
    // A moment beyond all calendars needs no exact day.
    let at_ms = i64::try_from(seconds.saturating_mul(1_000)).unwrap_or(i64::MAX);
    let moment = utc(at_ms);
    let day = moment.split(' ').next();
    day.unwrap_or_default().to_owned()
}

/// The tools that a project is prepared with.
struct PreparationTools<'p> {
    clean: DownloadSite<'p>,
    tools: Tools,
    uv: Option<PathBuf>,
    pythons: &'p [Python],
    /// The folder of Python in the cache.
    home: &'p Root,
}

/// The state while a project is prepared.
struct Preparation<'p> {
    site: &'p Site,
    surroundings: &'p Surroundings,
    monitor: &'p Monitor,
    steps: PreparationSteps<'p>,
    asked: &'p PythonPrepareOptions,
    environment: Environment,
}

impl<'p> Preparation<'p> {
    /// Prepares a project in a new folder, and writes the manifest.
    fn whole(
        mut self,
        origin: &Root,
        with: PreparationTools<'p>,
    ) -> Result<Environment, RunnerError> {
        let (home, key) = (with.home, self.environment.key.clone());
        let made = home
            .remove(&key)
            .and_then(|()| home.create_folder(&key))
            .and_then(|()| home.folder(&key));
        let root = made.map_err(io_error(&self.environment.root))?;
        self.steps.at_home(root.path());
        copy(origin, &root, self.monitor)?;
        let refused = self.go(&root, with)?;
        let mut environment = self.environment;
        environment.steps = self.steps.done;
        if refused.is_some() {
            // Code of the project has written to these folders, and they are not needed any more.
            for (name, kind) in root.entries("").map_err(io_error(root.path()))? {
                if kind == EntryKind::Folder {
                    root.remove(&name).map_err(io_error(root.path()))?;
                }
            }
        }
        environment.refused = refused;
        environment.write()?;
        Ok(environment)
    }

    /// Goes through all steps; returns why the project is refused.
    fn go(
        &mut self,
        root: &Root,
        with: PreparationTools<'p>,
    ) -> Result<Option<RefusedProject>, RunnerError> {
        let Some(newest) = with.pythons.iter().max_by_key(|python| python.minor) else {
            return Ok(refused("python", "there is none", &[]));
        };
        let facts = match self.facts(newest, root)? {
            Ok(facts) => facts,
            Err(message) => return Ok(refused(READ, &message, &[])),
        };
        let chosen = choose(
            with.pythons,
            self.asked.python.as_deref(),
            facts.requires_python.as_deref(),
            self.environment.as_of.as_deref(),
        );
        let Some(python) = chosen else {
            let message = self.no_python(with.pythons, &facts);
            return Ok(refused("requires-python", &message, &[]));
        };
        self.environment.python.base.clone_from(&python.prefix);
        self.environment.sources.clone_from(&facts.sources);
        self.environment.test_files.clone_from(&facts.test_files);
        self.environment.addopts.clone_from(&facts.addopts);
        self.environment.notes.extend(facts.notes.iter().cloned());
        let downloads = self.downloads(root, with, python)?;
        let mut installer = Installer::new(downloads, self)?;
        let refused = match installer.install(self, python, &facts)? {
            Some(refused) => Some(refused),
            None => self.collect(&mut installer, &facts)?,
        };
        installer.clear(self)?;
        Ok(refused)
    }

    fn no_python(&self, pythons: &[Python], facts: &PythonProjectFacts) -> String {
        let asked = self.asked.python.as_deref();
        let wanted = asked.or(facts.requires_python.as_deref()).unwrap_or("3");
        let found: BTreeSet<u32> = pythons.iter().map(|python| python.minor).collect();
        let found: Vec<String> = found
            .iter()
            .rev()
            .map(|found| format!("3.{found}"))
            .collect();
        format!("it needs Python {wanted}; here are {}", found.join(", "))
    }

    /// Opens the downloads for this project, as of its day where a tool can do that.
    fn downloads(
        &mut self,
        root: &Root,
        mut with: PreparationTools<'p>,
        python: &Python,
    ) -> Result<Downloads<'p>, RunnerError> {
        let of = (&with.clean, &mut self.steps);
        let pip = with.tools.pip(of, python, with.uv.as_deref())?;
        let Some(pip) = pip else {
            return Err(RunnerError::Missing {
                program: "python3-venv",
                hint: "install it, for example by `apt install python3-venv`".to_owned(),
            });
        };
        with.clean.learn(&self.steps, &pip)?;
        let is_dated = with.uv.is_some() || self.has_dates(&with.clean, &pip)?;
        if let Some(day) = self.environment.as_of.take_if(|_| !is_dated) {
            if self.asked.as_of.is_some() {
                return Err(RunnerError::Unavailable {
                    what: format!("packages as of {day}"),
                    said: NO_DATING.to_owned(),
                });
            }
            self.environment.missed_day = Some(day);
            self.environment.notes.extend(self.environment.caveats());
        }
        let shelf = Shelf::open(with.home)?;
        let at = (shelf, root.clone());
        let mut downloads = Downloads::new((with.clean, pip), with.uv, python, at)?;
        downloads.day.clone_from(&self.environment.as_of);
        Ok(downloads)
    }

    /// Tells whether a pip can take packages as they were on a day.
    fn has_dates(&mut self, clean: &DownloadSite<'_>, pip: &Pip) -> Result<bool, RunnerError> {
        let plan = pip.bound(clean.plan(pip.program.as_os_str(), &[]));
        let plan = plan.args(["-m", "pip", "download", "--help"]);
        let done = self.steps.run("what pip can do", plan)?;
        Ok(done.output.contains("--uploaded-prior-to"))
    }

    fn facts(
        &mut self,
        python: &Python,
        root: &Root,
    ) -> Result<Result<PythonProjectFacts, String>, RunnerError> {
        let script = root.path().join(FACTS_NAME);
        let written = root.write(FACTS_NAME, FACTS);
        written.map_err(io_error(&script))?;
        let mut plan = ProgramPlan::new(&python.program)
            .args([
                OsString::from("-I"),
                script.clone().into(),
                self.environment.checkout.clone().into(),
            ])
            .bind(Bind::read(&script))
            .bind(Bind::read(&python.prefix))
            .bind(Bind::read(&self.environment.checkout));
        plan.limits.kept_bytes = 4 << 20;
        let done = self.steps.run(READ, plan)?;
        if !done.is_ok {
            return Ok(Err(last_lines(&done.output).join("\n")));
        }
        let line = done.output.lines().next_back().unwrap_or_default();
        Ok(serde_json::from_str(line)
            .map_err(|error| format!("its metadata cannot be read: {error}")))
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "it is what every step returns that ends it"
)]
fn refused(step: &str, message: &str, add: &[String]) -> Option<RefusedProject> {
    Some(RefusedProject {
        step: step.to_owned(),
        message: super::case::clean(message),
        add: add.to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_has_its_day() {
        assert_eq!(day_of(0), "1970-01-01");
        assert_eq!(day_of(951_782_400), "2000-02-29");
        assert_eq!(day_of(1_725_148_799), "2024-08-31");
        assert_eq!(day_of(1_725_148_800), "2024-09-01");
    }
}
