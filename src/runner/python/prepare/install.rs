//! Installs packages into an environment: their order, and the alternatives after a failure.
//!
//! Here code of the project and of its dependencies runs: builds, and modules that start with the interpreter. It has
//! no network unless that was asked for, and writes only to the project's own folders: copy, environment, and built
//! wheels.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::PathBuf;

use serde_json::json;

use crate::sandbox::{Bind, ProgramPlan, Root};
use crate::{RunnerError, io_error};

use super::super::environment::{ENV, RefusedProject};
use super::super::interpreter::Python;
use super::clean::{quiet, reach_openly};
use super::download::{BUILT, Downloads, PackagePurpose, normal};
use super::missing::{missing_tools, without_wheel};
use super::steps::{StepEnd, last_lines};
use super::{Preparation, PythonProjectFacts, refused};

/// Variables that give a version to tools that otherwise read it out of the history.
const VERSIONS: [&str; 4] = [
    "SETUPTOOLS_SCM_PRETEND_VERSION",
    "PBR_VERSION",
    "PDM_BUILD_SCM_VERSION",
    "POETRY_DYNAMIC_VERSIONING_BYPASS",
];
/// Lines are counted by this version or a later one.
const COVERAGE: &str = "coverage>=7.10";
/// The project's own folder for caches of installers and leftovers of builds.
const OWN: &str = "own";
/// Tools that builds of most projects need, even where they do not declare them.
const BUILD_TOOLS: [&str; 3] = ["setuptools", "wheel", "editables"];
/// How often missing tools of a build are downloaded.
const N_ROUNDS: usize = 4;
/// The program that reads an installed project's requirements.
const REQUIRES: &str = include_str!("requires.py");
const REQUIRES_NAME: &str = "requires.py";
/// The largest file of metadata that is read.
const N_BYTES_MAX: u64 = 16 << 20;
const NO_NETWORK: &str =
    "builds have no network here; `--build-network` lets the project's code reach it";

/// Installs packages into one environment.
pub struct Installer<'p> {
    pub(super) downloads: Downloads<'p>,
    /// The plan that every step begins with in which code of the project may run.
    world: ProgramPlan,
    /// The name of the project, once it is known.
    name: Option<String>,
    /// Packages whose sources were tried.
    tried: BTreeSet<String>,
}

impl<'p> Installer<'p> {
    pub fn new(downloads: Downloads<'p>, at: &Preparation<'_>) -> Result<Self, RunnerError> {
        let root = &downloads.root;
        for name in [OWN, ENV] {
            root.create_folders(name).map_err(io_error(root.path()))?;
        }
        let mut world = ProgramPlan::new("");
        if at.asked.has_build_network {
            world = reach_openly(at.site, at.surroundings, world)?;
        }
        Ok(Self {
            downloads,
            world,
            name: None,
            tried: BTreeSet::new(),
        })
    }

    /// Makes an environment that could run the tests; returns why the project is refused.
    pub fn install(
        &mut self,
        at: &mut Preparation<'_>,
        python: &Python,
        facts: &PythonProjectFacts,
    ) -> Result<Option<RefusedProject>, RunnerError> {
        let made = self.environment(at, python)?;
        if !made.is_ok {
            return Ok(refused_by("environment", &made));
        }
        at.environment.python.version =
            version_of(&self.downloads.root).unwrap_or_else(|| format!("3.{}", python.minor));
        self.name.clone_from(&facts.name);
        for file in &facts.requirement_files {
            let what = format!("requirements of {}", file.path);
            self.all(at, &what, &file.requirements)?;
        }
        let (extras, groups) = (&facts.test_extras, &facts.group_requirements);
        if let Some(refused) = self.project(at, facts, extras, groups)? {
            return Ok(Some(refused));
        }
        self.all(at, "requirements of tox.ini", &facts.tox)?;
        self.all(at, "what was asked for", &at.asked.add.clone())?;
        self.all(at, "pytest", &["pytest".to_owned()])?;
        let measure = self.tool(at, COVERAGE)?;
        if let Err(done) = measure
            && self.tool(at, "coverage")?.is_err()
        {
            return Ok(refused_by("coverage", &done));
        }
        self.compile(at)?;
        Ok(None)
    }

    /// Makes an empty environment.
    fn environment(
        &self,
        at: &mut Preparation<'_>,
        python: &Python,
    ) -> Result<StepEnd, RunnerError> {
        let env = at.environment.env();
        let Some(uv) = self.downloads.uv.clone() else {
            let plan = self.own(at, python.program.as_os_str());
            let plan = plan.args(["-m", "venv"]).args([&env]);
            return at.steps.run("environment", plan);
        };
        let version = self.own(at, uv.as_os_str()).args(["--version"]);
        let version = at.steps.run("uv", version)?;
        let said = version.output.trim();
        said.clone_into(&mut at.environment.installer);
        let plan = self
            .own(at, uv.as_os_str())
            .args(["venv", "--quiet", "--allow-existing", "--python"])
            .args([&python.program, &env]);
        at.steps.run("environment", plan)
    }

    /// Plans a step in which code of the project may run.
    pub(super) fn own(&self, at: &Preparation<'_>, program: &OsStr) -> ProgramPlan {
        let environment = &at.environment;
        let env = environment.env();
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", env.join("bin").display());
        let own = self.downloads.root.path().join(OWN);
        let plan = ProgramPlan {
            program: program.to_owned(),
            ..self.world.clone()
        };
        // Each folder is a separate mount, and the folder around them is not visible, so none can be replaced.
        let mut plan = quiet(plan)
            .bind(Bind::write(&environment.checkout))
            .bind(Bind::write(&env))
            .bind(Bind::write(&own))
            .bind(Bind::write(self.downloads.root.path().join(BUILT)))
            .bind(Bind::read(self.downloads.wheels()))
            .bind(Bind::read(&environment.python.base))
            .in_folder(&environment.checkout);
        if let Some(uv) = &self.downloads.uv {
            plan = plan.bind(Bind::read(uv));
        }
        if let Some(wheels) = &at.asked.wheels {
            plan = plan.bind(Bind::read(wheels));
        }
        plan.env("PATH", path)
            .env("VIRTUAL_ENV", &env)
            .env("UV_CACHE_DIR", &own)
            .env("PIP_CACHE_DIR", &own)
            .env("GIT_CONFIG_COUNT", "1")
            .env("GIT_CONFIG_KEY_0", "safe.directory")
            .env("GIT_CONFIG_VALUE_0", "*")
    }

    /// Lets an installer take only downloaded and built packages, unless builds have the network.
    pub(super) fn searching(&self, at: &Preparation<'_>, mut plan: ProgramPlan) -> ProgramPlan {
        for place in self.downloads.places() {
            plan = plan.args([OsStr::new("--find-links"), place.as_os_str()]);
        }
        if let Some(wheels) = &at.asked.wheels {
            plan = plan.args([OsStr::new("--find-links"), wheels.as_os_str()]);
        }
        plan.args((!at.asked.has_build_network).then_some("--no-index"))
    }

    /// Plans the command that installs, without packages.
    fn command(&self, at: &Preparation<'_>) -> ProgramPlan {
        let python = &at.environment.python.program;
        let plan = if let Some(uv) = &self.downloads.uv {
            let plan = self.own(at, uv.as_os_str());
            let plan = plan.args(["pip", "install", "--quiet", "--no-deps"]);
            plan.args(["--python".as_ref(), python.as_os_str()])
        } else {
            let plan = self.own(at, python.as_os_str());
            plan.args(["-m", "pip", "install", "--quiet"])
        };
        self.searching(at, plan)
    }

    /// Gets wheels, and builds packages that have none.
    fn get(
        &mut self,
        at: &mut Preparation<'_>,
        (what, why): (&str, PackagePurpose),
        requirements: &[String],
    ) -> Result<Result<Vec<String>, StepEnd>, RunnerError> {
        loop {
            let got = self
                .downloads
                .get(&mut at.steps, (what, why), requirements)?;
            let done = match got {
                Ok(chosen) => {
                    let own = self.name.as_deref().unwrap_or_default();
                    return Ok(Ok(Downloads::leave_out(own, chosen)));
                }
                Err(done) => done,
            };
            // A tool for builds is not itself built from sources.
            let mut is_any = false;
            for wanted in without_wheel(&done.output) {
                if why != PackagePurpose::Builds && self.tried.insert(wanted.clone()) {
                    is_any |= self.build_source(at, &wanted)?;
                }
            }
            if !is_any {
                return Ok(Err(done));
            }
        }
    }

    /// Gets wheels for requirements and installs them; the inner error is the failed step.
    fn install_wheels(
        &mut self,
        at: &mut Preparation<'_>,
        (what, why): (&str, PackagePurpose),
        requirements: &[String],
    ) -> Result<Result<(), StepEnd>, RunnerError> {
        let chosen = match self.get(at, (what, why), requirements)? {
            Ok(chosen) if chosen.is_empty() => return Ok(Ok(())),
            Ok(chosen) => chosen,
            Err(done) => return Ok(Err(done)),
        };
        let is_alone = self.downloads.uv.is_none() && why == PackagePurpose::Us;
        let plan = self.command(at).args(is_alone.then_some("--no-deps"));
        let done = at.steps.run(what, plan.args(&chosen))?;
        Ok(if done.is_ok { Ok(()) } else { Err(done) })
    }

    /// Installs requirements: all at once, and where that fails one by one, so that one failure does not prevent the
    /// others. Returns whether all were installed.
    pub fn all(
        &mut self,
        at: &mut Preparation<'_>,
        what: &str,
        requirements: &[String],
    ) -> Result<bool, RunnerError> {
        let requirements: Vec<String> = requirements
            .iter()
            .filter(|requirement| !requirement.starts_with('-'))
            .cloned()
            .collect();
        if requirements.is_empty() {
            return Ok(true);
        }
        let is_done = self
            .install_wheels(at, (what, PackagePurpose::Tests), &requirements)?
            .is_ok();
        if is_done || requirements.len() == 1 {
            return Ok(is_done);
        }
        let mut is_any = false;
        for requirement in requirements {
            let what = format!("{what}: {requirement}");
            is_any |= self
                .install_wheels(at, (&what, PackagePurpose::Tests), &[requirement])?
                .is_ok();
        }
        Ok(is_any)
    }

    /// Gets the tools that builds ask for; a build reports those that cannot be had.
    pub(super) fn build_tools(
        &mut self,
        at: &mut Preparation<'_>,
        requires: &[String],
    ) -> Result<(), RunnerError> {
        let common = BUILD_TOOLS.map(str::to_owned);
        let all = [requires, common.as_slice()].concat();
        let what = ("what builds ask for", PackagePurpose::Builds);
        if self.get(at, what, &all)?.is_err() {
            for tool in all {
                let what = format!("what builds ask for: {tool}");
                // A build that needs the tool reports that.
                let _ = self.get(at, (&what, PackagePurpose::Builds), &[tool])?;
            }
        }
        Ok(())
    }

    /// Runs a build, and again with the tools that it lacked.
    pub(super) fn with_tools(
        &mut self,
        at: &mut Preparation<'_>,
        what: &str,
        plan: &ProgramPlan,
    ) -> Result<StepEnd, RunnerError> {
        let mut done = at.steps.run(what, plan.clone())?;
        for _ in 0..N_ROUNDS {
            let missing = missing_tools(&done.output);
            if done.is_ok || missing.is_empty() || at.asked.has_build_network {
                break;
            }
            let tools = format!("what {what} lacks");
            if self
                .get(at, (&tools, PackagePurpose::Builds), &missing)?
                .is_err()
            {
                break;
            }
            done = at.steps.run(what, plan.clone())?;
        }
        Ok(done)
    }

    /// Installs the project itself in editable mode, with extras and other requirements; returns why it is refused.
    pub fn project(
        &mut self,
        at: &mut Preparation<'_>,
        facts: &PythonProjectFacts,
        extras: &[String],
        others: &[String],
    ) -> Result<Option<RefusedProject>, RunnerError> {
        if !facts.has_metadata {
            at.environment
                .notes
                .push("it has no metadata: its folders are put on the path as they are".to_owned());
            put_on_path(at, &self.downloads.root, &facts.sources)?;
            self.all(at, "requirements of groups", others)?;
            return Ok(None);
        }
        self.build_tools(at, &facts.build_requires)?;
        let plan = self
            .command(at)
            .args(self.downloads.uv.is_none().then_some("--no-deps"));
        let plan = plan.args(["-e".as_ref(), at.environment.checkout.as_os_str()]);
        let first = self.with_tools(at, "the project", &plan)?;
        if !first.is_ok {
            let mut plan = plan;
            for name in VERSIONS {
                plan = plan.env(name, "0.0.1");
            }
            let again = self.with_tools(at, "the project without its history", &plan)?;
            if !again.is_ok {
                return Ok(self.refused_build(at, &first));
            }
        }
        self.needed(at, extras, others)?;
        Ok(None)
    }

    /// Tells why a project that cannot be built is refused.
    fn refused_build(&self, at: &Preparation<'_>, done: &StepEnd) -> Option<RefusedProject> {
        let mut message = last_lines(&done.output).join("\n");
        if let Some(day) = &self.downloads.day {
            message.push_str(&format!("\n(as of {day})"));
        }
        if !at.asked.has_build_network {
            message.push_str(&format!("\n({NO_NETWORK})"));
        }
        refused("the project", &message, &[])
    }

    /// Installs the requirements of the project and of some extras, by its own metadata, with other requirements.
    fn needed(
        &mut self,
        at: &mut Preparation<'_>,
        extras: &[String],
        others: &[String],
    ) -> Result<(), RunnerError> {
        let (name, metadata) = metadata(&self.downloads.root)?.unwrap_or_default();
        if !name.is_empty() {
            self.name = Some(name);
        }
        let whole = self.requires(at, &metadata, extras)?;
        let all = [whole.as_slice(), others].concat();
        if all.is_empty() {
            return Ok(());
        }
        let what = ("what the project needs", PackagePurpose::Tests);
        if self.install_wheels(at, what, &all)?.is_ok() {
            return Ok(());
        }
        let alone = self.requires(at, &metadata, &[])?;
        self.all(at, "what the project needs itself", &alone)?;
        for extra in extras {
            let of_extra = self.requires(at, &metadata, std::slice::from_ref(extra))?;
            let of_extra: Vec<String> = of_extra
                .into_iter()
                .filter(|requirement| !alone.contains(requirement))
                .collect();
            self.all(at, &format!("extra {extra}"), &of_extra)?;
        }
        self.all(at, "requirements of groups", others)?;
        Ok(())
    }

    /// Reads the requirements out of metadata, without running code of the project.
    fn requires(
        &self,
        at: &mut Preparation<'_>,
        metadata: &str,
        extras: &[String],
    ) -> Result<Vec<String>, RunnerError> {
        if metadata.is_empty() {
            return Ok(Vec::new());
        }
        let downloads = &self.downloads;
        let root = &downloads.root;
        root.write(REQUIRES_NAME, REQUIRES)
            .map_err(io_error(root.path()))?;
        let script = root.path().join(REQUIRES_NAME);
        let plan = downloads
            .pip
            .bound(ProgramPlan::new(&downloads.pip.program));
        let mut plan = plan
            .bind(Bind::read(&script))
            .args(["-I".as_ref(), script.as_os_str()]);
        plan.limits.kept_bytes = 4 << 20;
        let asked = json!({"metadata": metadata, "extras": extras});
        let done = at
            .steps
            .ask("what its metadata say", plan, &asked.to_string())?;
        let line = done.output.lines().next_back().unwrap_or_default();
        // An unreadable answer counts as none; missing packages show when tests are collected.
        Ok(serde_json::from_str(line).unwrap_or_default())
    }

    /// Installs one of focalist's packages, as new as possible, and changes no other package.
    fn tool(
        &mut self,
        at: &mut Preparation<'_>,
        requirement: &str,
    ) -> Result<Result<(), StepEnd>, RunnerError> {
        self.install_wheels(
            at,
            (requirement, PackagePurpose::Us),
            &[requirement.to_owned()],
        )
    }

    /// Compiles the installed packages and the project: `uv` leaves that to every start.
    pub fn compile(&self, at: &mut Preparation<'_>) -> Result<(), RunnerError> {
        let sources: Vec<PathBuf> = at
            .environment
            .sources
            .iter()
            .map(|source| at.environment.checkout.join(source))
            .collect();
        let plan = self
            .own(at, at.environment.python.program.clone().as_os_str())
            .args(["-m", "compileall", "-q", "-j", "2"])
            .args([at.environment.env().join("lib")])
            .args(sources);
        // Files for another version of Python do not compile, so errors are ignored.
        at.steps.run("compile", plan).map(|_| ())
    }

    /// Removes the folders that only preparing needs, and notes the addresses that were left out.
    pub fn clear(&self, at: &mut Preparation<'_>) -> Result<(), RunnerError> {
        for address in &self.downloads.addresses {
            at.environment.notes.push(format!(
                "`{}` is left out: a requirement given by an address may run code while it is downloaded",
                super::super::case::clean(address)
            ));
        }
        self.downloads.clear()?;
        let root = &self.downloads.root;
        root.remove(OWN).map_err(io_error(root.path()))
    }
}

fn refused_by(step: &str, done: &StepEnd) -> Option<RefusedProject> {
    refused(step, &last_lines(&done.output).join("\n"), &[])
}

fn version_of(root: &Root) -> Option<String> {
    let env = root.folder(ENV).ok()?;
    let text = env.read_text("pyvenv.cfg", N_BYTES_MAX).ok()?;
    let values = text.lines().filter_map(|line| line.split_once('='));
    let mut values = values.map(|(name, value)| (name.trim(), value.trim().to_owned()));
    values
        .find(|pair| matches!(pair.0, "version" | "version_info"))
        .map(|pair| pair.1)
}

/// Lists the folders of installed packages, without those behind a link.
fn packages(root: &Root) -> Vec<Root> {
    let Ok(lib) = root.folder(format!("{ENV}/lib")) else {
        return Vec::new();
    };
    let entries = lib.entries("").unwrap_or_default();
    let folders = entries.iter().map(|entry| PathBuf::from(&entry.0));
    folders
        .filter_map(|python| lib.folder(python.join("site-packages")).ok())
        .collect()
}

/// Reads the name and the metadata of the installed project, the one package that is editable.
fn metadata(root: &Root) -> Result<Option<(String, String)>, RunnerError> {
    let mut found = None;
    for site in packages(root) {
        let entries = site.entries("").map_err(io_error(site.path()))?;
        for (folder, _) in entries {
            let folder = folder.to_string_lossy().into_owned();
            let plain = folder.strip_suffix(".dist-info");
            let Some((name, _)) = plain.and_then(|plain| plain.split_once('-')) else {
                continue;
            };
            let origin = site.read_text(format!("{folder}/direct_url.json"), N_BYTES_MAX);
            // Only the project is installed in editable mode.
            if origin.is_ok_and(|text| text.contains("\"editable\"")) {
                let text = site.read_text(format!("{folder}/METADATA"), N_BYTES_MAX);
                found = Some((normal(name), text.unwrap_or_default()));
            }
        }
    }
    Ok(found)
}

/// Reads and writes in an environment as the host does, and returns what was read.
#[cfg(test)]
pub fn touch_packages(root: &Root) -> Vec<String> {
    // A failure caused by swapped links gains an attacker nothing.
    let _ = write_path(root, "/x\n");
    let read = metadata(root).ok().flatten().map(|pair| pair.1);
    version_of(root).into_iter().chain(read).collect()
}

/// Lets Python find the project's own code without installing it.
fn put_on_path(at: &Preparation<'_>, root: &Root, sources: &[String]) -> Result<(), RunnerError> {
    let checkout = &at.environment.checkout;
    let mut folders: Vec<PathBuf> = sources
        .iter()
        .filter_map(|source| Some(checkout.join(source).parent()?.to_owned()))
        .chain([checkout.clone()])
        .collect();
    folders.sort();
    folders.dedup();
    let lines: Vec<String> = folders
        .iter()
        .map(|folder| folder.to_string_lossy().into_owned())
        .collect();
    write_path(root, &(lines.join("\n") + "\n"))
}

fn write_path(root: &Root, text: &str) -> Result<(), RunnerError> {
    for site in packages(root) {
        let written = site.write("focalist-project.pth", text);
        written.map_err(io_error(site.path()))?;
    }
    Ok(())
}
