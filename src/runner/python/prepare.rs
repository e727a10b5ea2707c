//! Making an environment in which the tests of a project run: step by step, each written down.
//!
//! Everything is done in a copy. A folder of the cache is finished when its manifest is there; one without is made anew, so
//! being killed anywhere costs time and nothing else. A project that cannot be prepared is no error: its manifest says why.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::model::utc;
use crate::sandbox::{Bind, Plan};
use crate::task::Monitor;
use crate::{RunnerError, Site, io_error};

use super::environment::{Environment, FOLDER, FORMAT, Interpreter, Refused, Step, Suite};
use super::history;
use super::interpreter::{choose, interpreters};
use super::tree;

mod install;
mod suite;

use install::Installer;

/// Reads what a project says about itself.
const FACTS: &str = include_str!("project.py");
/// Of what is done here: another one makes other environments.
const VERSION: u32 = 1;
/// What `git` needs to read the history of a copy.
const GIT: &str = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";
const NO_UV: &str = "without `uv` packages cannot be resolved as of a day: the newest are taken";
const NO_DAY: &str = "there is no commit, and all files have one time: the newest packages are taken; `--as-of` says another day";
/// How long one step may take.
const TO_STEP: Duration = Duration::from_secs(30 * 60);
/// Lines of a step that are kept.
const N_LAST: usize = 8;

/// What is asked of preparing.
#[derive(Clone, Debug)]
pub struct Asked {
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
}

impl Default for Asked {
    fn default() -> Self {
        Self {
            name: String::new(),
            python: None,
            as_of: None,
            add: Vec::new(),
            wheels: None,
            accept: 0.5,
            is_anew: false,
        }
    }
}

/// What of this machine and of its user matters.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// As in `$PATH`.
    pub path: OsString,
    pub home: Option<PathBuf>,
    /// All variables; those that say how packages are reached are taken.
    pub environment: Vec<(OsString, OsString)>,
}

/// What the project's files say; see `project.py`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Facts {
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
    test_files: Vec<String>,
    notes: Vec<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct RequirementFile {
    path: String,
    requirements: Vec<String>,
}

/// Makes an environment for the project in a folder, or takes the one that was made of the same.
///
/// # Errors
/// Where a program is missing, the disk's, and cancelled. A project that cannot be used is none.
#[expect(
    clippy::too_many_arguments,
    reason = "each is of its own: what is there, what is asked, and who watches"
)]
pub fn prepare(
    site: &Site,
    origin: &Path,
    asked: &Asked,
    surroundings: &Surroundings,
    monitor: &Monitor,
    said: &mut dyn FnMut(&Step),
) -> Result<Environment, RunnerError> {
    let origin = fs::canonicalize(origin).map_err(io_error(origin))?;
    let pythons = interpreters(&surroundings.path, surroundings.home.as_deref());
    if pythons.is_empty() {
        let hint = "install Python 3, for example by `apt install python3 python3-venv`".to_owned();
        return Err(RunnerError::Missing {
            program: "python3",
            hint,
        });
    }
    let uv = install::find_uv(&surroundings.path, surroundings.home.as_deref());
    let cache = site.cache.join(FOLDER);
    fs::create_dir_all(&cache).map_err(io_error(&cache))?;
    let cache = fs::canonicalize(&cache).map_err(io_error(&cache))?;
    let history = history(site, &origin, surroundings, monitor)?;
    // Whether it is asked for anew says nothing of what comes of it.
    let asked_for = Asked {
        is_anew: false,
        ..asked.clone()
    };
    let first = pythons.first().map(|it| &it.program);
    let asked_of = format!("{asked_for:?} {history:?} {} {first:?}", uv.is_some());
    let tree = tree::hash(&origin, monitor)?.to_hex().to_string();
    let key = key_of(site, &tree, &asked_of);
    let root = cache.join(&key);
    // Somebody else may be at it.
    let lock = cache.join(format!("{key}.lock"));
    let lock = File::create(&lock)
        .and_then(|it| it.lock().map(|()| it))
        .map_err(io_error(&lock))?;
    let known = Environment::read(&root).filter(|it| !asked.is_anew && is_for_good(it));
    if let Some(environment) = known {
        return Ok(environment);
    }
    if fs::symlink_metadata(&root).is_ok() {
        site.sandbox.remove(&root)?;
    }
    fs::create_dir(&root).map_err(io_error(&root))?;
    let checkout = copy(&origin, &root, monitor)?;
    let mut notes = Vec::new();
    let as_of = asked
        .as_of
        .clone()
        .or(history)
        .or_else(|| newest(&origin, &mut notes));
    if as_of.is_some() && uv.is_none() {
        notes.push(NO_UV.to_owned());
    }
    let mut preparing = Preparing {
        site,
        surroundings,
        monitor,
        said,
        asked,
        environment: Environment {
            format: FORMAT,
            key,
            tree,
            name: asked.name.clone(),
            origin,
            checkout,
            python: Interpreter {
                program: root.join("env/bin/python"),
                base: PathBuf::new(),
                version: String::new(),
            },
            root,
            as_of,
            installer: "pip".to_owned(),
            sandbox: site.sandbox.tool().name().to_owned(),
            steps: Vec::new(),
            sources: Vec::new(),
            test_files: Vec::new(),
            addopts: String::new(),
            installed: Vec::new(),
            suite: Suite::default(),
            refused: None,
            notes,
        },
    };
    let refused = preparing.go(&pythons, uv, &cache)?;
    let mut environment = preparing.environment;
    environment.refused = refused;
    environment.write()?;
    drop(lock);
    Ok(environment)
}

/// Returns the environment that was made last of a folder as it is now, whatever was asked for then.
///
/// # Errors
/// The disk's, and cancelled.
pub fn prepared(
    site: &Site,
    origin: &Path,
    monitor: &Monitor,
) -> Result<Option<Environment>, RunnerError> {
    let origin = fs::canonicalize(origin).map_err(io_error(origin))?;
    let of_folder = |it: &Environment| it.origin == origin && it.is_accepted();
    let all = Environment::all(&site.cache);
    let Some(environment) = all.into_iter().rev().find(of_folder) else {
        return Ok(None);
    };
    let tree = tree::hash(&origin, monitor)?.to_hex().to_string();
    Ok(Some(environment).filter(|it| it.tree == tree))
}

/// Returns whether it would come to the same another time: a project that was refused after something could not be installed
/// may have lacked no more than the network.
fn is_for_good(environment: &Environment) -> bool {
    let says_nothing = ["read the project", "compile", "collect", "suite"];
    let is_done = |it: &Step| it.code == Some(0) || says_nothing.contains(&it.what.as_str());
    environment.is_accepted() || environment.steps.iter().all(is_done)
}

/// Returns whether a step failed for want of room; what comes of a project then is nothing to keep.
fn is_full(output: &str) -> bool {
    output.contains("No space left on device") || output.contains("Disk quota exceeded")
}

/// Returns the hash of all that an environment depends on: the tree, what is asked, what there is, and what prepares.
fn key_of(site: &Site, tree: &str, asked: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(tree.as_bytes());
    let others = (VERSION, FACTS, site.sandbox.tool().name(), asked);
    hasher.update(format!("{others:?}").as_bytes());
    hasher.finalize().to_hex()[..16].to_owned()
}

/// Copies the project, with a history that has no settings of its own.
fn copy(origin: &Path, root: &Path, monitor: &Monitor) -> Result<PathBuf, RunnerError> {
    let checkout = root.join("checkout");
    tree::copy(origin, &checkout, tree::How::Copy, monitor)?;
    if checkout.join(".git").is_dir() {
        let path = checkout.join(".git/config");
        fs::write(&path, GIT).map_err(io_error(&path))?;
    }
    Ok(checkout)
}

/// Returns the day of the newest file, where there is no commit to tell the date by.
fn newest(origin: &Path, notes: &mut Vec<String>) -> Option<String> {
    let day = tree::newest(origin).map(day_of);
    notes.push(match &day {
        Some(day) => format!("there is no commit to tell the date by; the newest file is of {day}"),
        None => NO_DAY.to_owned(),
    });
    day
}

/// Returns the day of the checked-out commit, where `git` is there and says it.
fn history(
    site: &Site,
    origin: &Path,
    surroundings: &Surroundings,
    monitor: &Monitor,
) -> Result<Option<String>, RunnerError> {
    let is_there = std::env::split_paths(&surroundings.path).any(|it| it.join("git").exists());
    if !is_there || !origin.join(".git").exists() {
        return Ok(None);
    }
    let mut plan = Plan::new("git")
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
    let is_day = day.len() == 10 && day.bytes().all(|it| it.is_ascii_digit() || it == b'-');
    Ok(is_day.then_some(day))
}

/// Returns the day of a moment, in UTC.
fn day_of(seconds: u64) -> String {
    // Beyond all calendars nobody was asked for a day.
    let at_ms = i64::try_from(seconds.saturating_mul(1_000)).unwrap_or(i64::MAX);
    let moment = utc(at_ms);
    let day = moment.split(' ').next();
    day.unwrap_or_default().to_owned()
}

/// Preparing that is under way.
struct Preparing<'p> {
    site: &'p Site,
    surroundings: &'p Surroundings,
    monitor: &'p Monitor,
    said: &'p mut dyn FnMut(&Step),
    asked: &'p Asked,
    environment: Environment,
}

/// How a step went.
struct Done {
    is_ok: bool,
    output: String,
}

impl Preparing<'_> {
    /// Goes through all steps; returns why the project is refused.
    fn go(
        &mut self,
        pythons: &[super::interpreter::Python],
        uv: Option<PathBuf>,
        cache: &Path,
    ) -> Result<Option<Refused>, RunnerError> {
        let Some(newest) = pythons.iter().max_by_key(|it| it.minor) else {
            return Ok(refused("python", "there is none", &[]));
        };
        let facts = match self.facts(newest)? {
            Ok(facts) => facts,
            Err(message) => return Ok(refused("read the project", &message, &[])),
        };
        let as_of = self.environment.as_of.clone();
        let chosen = choose(
            pythons,
            self.asked.python.as_deref(),
            facts.requires_python.as_deref(),
            as_of.as_deref(),
        );
        let Some(python) = chosen else {
            let wanted = self
                .asked
                .python
                .as_deref()
                .or(facts.requires_python.as_deref())
                .unwrap_or("3");
            let found: BTreeSet<u32> = pythons.iter().map(|it| it.minor).collect();
            let found: Vec<String> = found.iter().rev().map(|it| format!("3.{it}")).collect();
            let message = format!("it needs Python {wanted}; here are {}", found.join(", "));
            return Ok(refused("requires-python", &message, &[]));
        };
        self.environment.python.base.clone_from(&python.prefix);
        self.environment.sources.clone_from(&facts.sources);
        self.environment.test_files.clone_from(&facts.test_files);
        self.environment.addopts.clone_from(&facts.addopts);
        self.environment.notes.extend(facts.notes.iter().cloned());
        let installer = Installer::new(uv, cache);
        if let Some(refused) = installer.install(self, python, &facts)? {
            return Ok(Some(refused));
        }
        self.collect(&installer, &facts)
    }

    fn facts(
        &mut self,
        python: &super::interpreter::Python,
    ) -> Result<Result<Facts, String>, RunnerError> {
        let script = self.environment.root.join("project.py");
        fs::write(&script, FACTS).map_err(io_error(&script))?;
        let mut plan = Plan::new(&python.program)
            .args([
                OsString::from("-I"),
                script.clone().into(),
                self.environment.checkout.clone().into(),
            ])
            .bind(Bind::read(&script))
            .bind(Bind::read(&python.prefix))
            .bind(Bind::read(&self.environment.checkout));
        plan.limits.kept_bytes = 4 << 20;
        let done = self.step("read the project", plan)?;
        if !done.is_ok {
            return Ok(Err(last_lines(&done.output).join("\n")));
        }
        let line = done.output.lines().next_back().unwrap_or_default();
        Ok(serde_json::from_str(line)
            .map_err(|error| format!("what it says of itself cannot be read: {error}")))
    }

    /// Runs one step and writes it down.
    fn step(&mut self, what: &str, mut plan: Plan) -> Result<Done, RunnerError> {
        plan.limits.wall = plan.limits.wall.or(Some(TO_STEP));
        let words = std::iter::once(&plan.program).chain(&plan.arguments);
        let words: Vec<String> = words.map(|it| it.to_string_lossy().into_owned()).collect();
        let root = self.environment.root.to_string_lossy().into_owned();
        let command = words.join(" ").replace(&format!("{root}/"), "");
        let finished = self.site.sandbox.run(&plan, b"", self.monitor)?;
        let code = match finished.ending.end {
            crate::sandbox::End::Exited(code) => Some(code),
            _ => None,
        };
        let (output, errors) = (finished.output.text(), finished.errors.text());
        let spoken = if errors.trim().is_empty() || code == Some(0) && !output.trim().is_empty() {
            &output
        } else {
            &errors
        };
        let step = Step {
            what: what.to_owned(),
            command,
            code,
            seconds: finished.ending.wall.as_secs_f64(),
            last: if what == "read the project" && code == Some(0) {
                Vec::new()
            } else {
                last_lines(spoken)
            },
        };
        let last = step.last.join("\n");
        self.note(step);
        if code != Some(0) && is_full(&errors) {
            return Err(RunnerError::Full {
                what: what.to_owned(),
                said: last,
            });
        }
        let output = if code == Some(0) {
            output
        } else {
            format!("{output}\n{errors}")
        };
        Ok(Done {
            is_ok: code == Some(0),
            output,
        })
    }

    fn note(&mut self, step: Step) {
        (self.said)(&step);
        self.environment.steps.push(step);
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "it is what every step returns that ends it"
)]
fn refused(step: &str, message: &str, add: &[String]) -> Option<Refused> {
    Some(Refused {
        step: step.to_owned(),
        message: super::case::clean(message),
        add: add.to_vec(),
    })
}

fn last_lines(text: &str) -> Vec<String> {
    let text = super::case::clean_all(text);
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim_end)
        .filter(|it| !it.trim().is_empty())
        .collect();
    lines[lines.len().saturating_sub(N_LAST)..]
        .iter()
        .map(|it| it.chars().take(300).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_known_by_what_a_step_says() {
        assert!(is_full(
            "failed to write: No space left on device (os error 28)"
        ));
        assert!(is_full("OSError: [Errno 122] Disk quota exceeded"));
        assert!(!is_full("error: no such option: --space"));
    }

    #[test]
    fn a_moment_has_its_day() {
        assert_eq!(day_of(0), "1970-01-01");
        assert_eq!(day_of(951_782_400), "2000-02-29");
        assert_eq!(day_of(1_725_148_799), "2024-08-31");
        assert_eq!(day_of(1_725_148_800), "2024-09-01");
    }
}
