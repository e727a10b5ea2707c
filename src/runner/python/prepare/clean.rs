//! Steps that run no code of a project: they alone have the network, and they alone write what projects share.
//!
//! Such a step sees nothing that a project's code could have written: no copy of a project, no environment. So nothing
//! that a build leaves there, such as a link or a module that starts with the interpreter, can change what other
//! projects get.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};

use crate::password::without_passwords;
use crate::sandbox::{Bind, EntryKind, HOME, Network, ProgramPlan, Root, way_out};
use crate::{RunnerError, Site, io_error};

use super::super::interpreter::Python;
use super::Surroundings;
use super::steps::PreparationSteps;

/// Parts of the names of the user's variables about the sources of packages.
const SETTINGS: [&str; 7] = [
    "INDEX", "HOST", "CERT", "TLS", "TIMEOUT", "PROXY", "KEYRING",
];
/// Parts of the names of those that are secret.
const SECRET: [&str; 3] = ["PASSWORD", "TOKEN", "USERNAME"];
/// The largest file of settings that is read.
const N_BYTES_MAX: u64 = 1 << 20;
/// Settings of pip that uv reads under another name, where it has none of its own.
const SAME: [(&str, &str); 2] = [
    ("PIP_INDEX_URL", "UV_DEFAULT_INDEX"),
    ("PIP_EXTRA_INDEX_URL", "UV_INDEX"),
];
/// Older names of settings of uv.
const OLDER: [(&str, &str); 2] = [
    ("UV_INDEX_URL", "UV_DEFAULT_INDEX"),
    ("UV_EXTRA_INDEX_URL", "UV_INDEX"),
];
/// The folders that projects share, beside the projects.
const INDEX: &str = "index";
const TOOLS: &str = "tools";

/// Where downloads come from and go to.
#[derive(Clone, Debug)]
pub struct DownloadSite<'p> {
    site: &'p Site,
    surroundings: &'p Surroundings,
    /// The folder for the tools' caches of registries.
    index: PathBuf,
    /// The user's folder with wheels.
    wheels: Option<PathBuf>,
    /// The settings in pip's files, as variables.
    pip_settings: Vec<(OsString, OsString)>,
}

impl<'p> DownloadSite<'p> {
    pub fn new(
        site: &'p Site,
        surroundings: &'p Surroundings,
        home: &Root,
        wheels: Option<&Path>,
    ) -> Result<Self, RunnerError> {
        home.create_folders(INDEX)
            .map_err(io_error(&home.path().join(INDEX)))?;
        Ok(Self {
            site,
            surroundings,
            index: home.path().join(INDEX),
            wheels: wheels.map(Path::to_owned),
            pip_settings: Vec::new(),
        })
    }

    pub const fn is_offline(&self) -> bool {
        self.site.is_offline
    }

    /// Plans a step with the network, which may write only to folders that code of a project could never write to.
    pub fn plan(&self, program: &OsStr, writes: &[&Path]) -> ProgramPlan {
        let mut plan = reach(self.site, self.surroundings, ProgramPlan::new(program));
        for (name, value) in self.names_of_both() {
            plan = plan.env(name, value);
        }
        plan = plan
            .env("UV_CACHE_DIR", self.index.join("uv"))
            .env("PIP_CACHE_DIR", self.index.join("pip"))
            .bind(Bind::write(&self.index));
        plan = quiet(plan);
        for folder in writes {
            plan = plan.bind(Bind::write(*folder)).in_folder(*folder);
        }
        if let Some(wheels) = &self.wheels {
            plan = plan.bind(Bind::read(wheels));
        }
        plan
    }

    /// Plans such a step without any cache, so that it may see files that a project's code has written.
    pub fn plan_apart(&self, program: &OsStr, writes: &[&Path]) -> ProgramPlan {
        let mut plan = self.plan(program, writes);
        plan.binds.retain(|bind| bind.from != self.index);
        plan.environment.remove(OsStr::new("UV_CACHE_DIR"));
        plan.env("UV_NO_CACHE", "1").env("PIP_NO_CACHE_DIR", "1")
    }

    /// Returns the user's folder of wheels.
    pub fn wheels(&self) -> Option<&Path> {
        self.wheels.as_deref()
    }

    /// Repeats settings of one tool under the other's names: neither tool knows the other's.
    fn names_of_both(&self) -> Vec<(OsString, OsString)> {
        let all = self
            .surroundings
            .environment
            .iter()
            .chain(&self.pip_settings);
        let value = |name: &str| {
            let mut all = all.clone();
            all.find(|said| said.0 == name).map(|said| said.1.clone())
        };
        let older = |name: &str| {
            OLDER
                .iter()
                .find(|pair| pair.1 == name)
                .and_then(|pair| value(pair.0))
        };
        let mut found = self.pip_settings.clone();
        for (pip, uv) in SAME {
            let (of_pip, of_uv) = (value(pip), value(uv).or_else(|| older(uv)));
            match (of_pip, of_uv) {
                (Some(url), None) => found.push((uv.into(), url)),
                (None, Some(url)) => found.push((pip.into(), url)),
                _ => {}
            }
        }
        found
    }

    /// Asks pip for the settings about registries in its files. They may hold passwords, so this is not recorded as a
    /// step.
    pub fn learn(&mut self, steps: &PreparationSteps<'_>, pip: &Pip) -> Result<(), RunnerError> {
        let mut plan = self.plan(pip.program.as_os_str(), &[]);
        plan = pip.bound(plan).args(["-m", "pip", "config", "list"]);
        plan.network = Network::None;
        let finished = self.site.sandbox.run(&plan, b"", steps.monitor)?;
        for line in finished.output.text().lines() {
            let Some((name, value)) = line.split_once('=') else {
                continue;
            };
            let name = match name.rsplit_once('.').map(|parts| parts.1) {
                Some("index-url") => "PIP_INDEX_URL",
                Some("extra-index-url") => "PIP_EXTRA_INDEX_URL",
                _ => continue,
            };
            let value = value.trim_matches(['\'', '"']).replace("\\n", " ");
            let is_said = |variable: &(OsString, OsString)| variable.0 == name;
            if !self.surroundings.environment.iter().any(is_said) {
                self.pip_settings.push((name.into(), value.trim().into()));
            }
        }
        Ok(())
    }
}

/// Lets a plan reach registries as the user does: network, certificates, settings of pip and uv.
fn reach(site: &Site, surroundings: &Surroundings, plan: ProgramPlan) -> ProgramPlan {
    let mut plan = connected(site, surroundings, plan);
    for (name, value) in variables(surroundings) {
        plan = plan.env(name, value);
    }
    if site.sandbox.tool().name() != "none" {
        for bind in settings(surroundings) {
            plan = plan.bind(bind);
        }
    }
    plan
}

/// Tells a build that may have the network the sources of the user's packages, without passwords: code of the project
/// reads them, and can send them anywhere.
///
/// # Errors
/// The disk's.
pub fn reach_openly(
    site: &Site,
    surroundings: &Surroundings,
    plan: ProgramPlan,
) -> Result<ProgramPlan, RunnerError> {
    let mut plan = connected(site, surroundings, plan);
    for (name, value) in variables(surroundings) {
        let text = name.to_string_lossy();
        if !SECRET.iter().any(|part| text.contains(part)) {
            plan = plan.env(name, without_passwords(&value.to_string_lossy()));
        }
    }
    if site.sandbox.tool().name() == "none" {
        return Ok(plan);
    }
    let scratch = site.sandbox.scratch()?;
    let told = Root::open(&scratch).map_err(io_error(&scratch))?;
    for bind in settings(surroundings) {
        let mut files = vec![bind.clone()];
        if bind.from.is_dir() {
            // In such a folder the tools read files with these names.
            let below = |name| Bind::read(bind.from.join(name)).at(bind.at.join(name));
            files = ["pip.conf", "uv.toml"].map(below).into();
        }
        for file in files {
            // Most folders have only one of them.
            let Some(text) = text_of(&file.from) else {
                continue;
            };
            let copy = scratch.join(plan.binds.len().to_string());
            let written = told.write(&copy, without_passwords(&text));
            written.map_err(io_error(&copy))?;
            plan = plan.bind(Bind::read(copy).at(file.at));
        }
    }
    Ok(plan)
}

/// Reads a file of the user, through links; nothing where there is none.
fn text_of(path: &Path) -> Option<String> {
    let path = std::fs::canonicalize(path).ok()?;
    let folder = Root::open(path.parent()?).ok()?;
    folder.read_text(path.file_name()?, N_BYTES_MAX).ok()
}

fn connected(site: &Site, surroundings: &Surroundings, mut plan: ProgramPlan) -> ProgramPlan {
    if !site.is_offline {
        plan.network = Network::Host;
    }
    for (name, value) in way_out(surroundings.environment.clone()) {
        plan = plan.env(name, value);
    }
    plan
}

/// Lists the user's variables for the sources of packages.
fn variables(surroundings: &Surroundings) -> impl Iterator<Item = &(OsString, OsString)> {
    let is_setting = |variable: &OsString| {
        let name = variable.to_string_lossy();
        (name.starts_with("PIP_") || name.starts_with("UV_"))
            && SETTINGS.iter().any(|part| name.contains(part))
    };
    let variables = surroundings.environment.iter();
    variables.filter(move |variable| is_setting(&variable.0))
}

/// Sets variables so that tools print little and ask nothing.
pub fn quiet(plan: ProgramPlan) -> ProgramPlan {
    plan.env("UV_NO_PROGRESS", "1")
        .env("UV_LINK_MODE", "copy")
        .env("UV_PYTHON_DOWNLOADS", "never")
        .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
        .env("PIP_NO_INPUT", "1")
}

/// Lists the settings of pip and uv, of the user and of the system.
fn settings(surroundings: &Surroundings) -> Vec<Bind> {
    let mut found = Vec::new();
    for place in ["/etc/pip.conf", "/etc/xdg/pip", "/etc/uv"] {
        if Path::new(place).exists() {
            found.push(Bind::read(place));
        }
    }
    if let Some(home) = &surroundings.home {
        for place in [".config/pip", ".pip", ".config/uv"] {
            let path = home.join(place);
            if path.exists() {
                found.push(Bind::read(path).at(Path::new(HOME).join(place)));
            }
        }
    }
    found
}

/// Programs that are downloaded once for all projects.
#[derive(Clone, Debug)]
pub struct Tools {
    root: Root,
}

/// A pip in a separate environment, in which nothing else is ever installed.
#[derive(Clone, Debug)]
pub struct Pip {
    /// The interpreter of that environment.
    pub program: PathBuf,
    folder: PathBuf,
    /// The installation that the environment is made from.
    base: PathBuf,
}

impl Pip {
    /// Adds the files that this needs to a plan.
    pub fn bound(&self, plan: ProgramPlan) -> ProgramPlan {
        plan.bind(Bind::read(&self.folder))
            .bind(Bind::read(&self.base))
    }
}

impl Tools {
    /// Opens their folder in the folder of Python in the cache.
    pub fn open(home: &Root) -> Result<Self, RunnerError> {
        let root = home.create_folders(TOOLS).and_then(|()| home.folder(TOOLS));
        Ok(Self {
            root: root.map_err(io_error(home.path()))?,
        })
    }

    /// Takes a lock, so that no other process downloads the same program.
    pub fn lock(&self, name: &str) -> Result<File, RunnerError> {
        let lock = self.root.lock(format!("{name}.lock"));
        lock.map_err(io_error(self.root.path()))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Tells whether a program was downloaded completely.
    pub fn is_whole(&self, name: &str) -> bool {
        let done = self.root.kind(format!("{name}.done"));
        done.is_ok_and(|kind| kind == Some(EntryKind::File))
    }

    /// Makes an empty folder for a program, in place of an earlier one.
    pub fn anew(&self, name: &str) -> Result<Root, RunnerError> {
        let made = self
            .root
            .remove(format!("{name}.done"))
            .and_then(|()| self.root.remove(name))
            .and_then(|()| self.root.create_folder(name))
            .and_then(|()| self.root.folder(name));
        made.map_err(io_error(&self.path(name)))
    }

    pub fn finish(&self, name: &str) -> Result<(), RunnerError> {
        let done = self.root.write(format!("{name}.done"), "");
        done.map_err(io_error(&self.path(name)))
    }

    /// Returns a pip for an interpreter, making it where it is missing; nothing where that fails.
    pub fn pip(
        &self,
        (clean, steps): (&DownloadSite<'_>, &mut PreparationSteps<'_>),
        python: &Python,
        uv: Option<&Path>,
    ) -> Result<Option<Pip>, RunnerError> {
        let name = format!("pip-{}", hash_of(python));
        let _lock = self.lock(&name)?;
        let folder = self.path(&name);
        let pip = Pip {
            program: folder.join("bin/python"),
            folder: folder.clone(),
            base: python.prefix.clone(),
        };
        if self.is_whole(&name) {
            return Ok(Some(pip));
        }
        self.anew(&name)?;
        let plan = |program: &Path| {
            let plan = clean.plan(program.as_os_str(), &[&folder]);
            plan.bind(Bind::read(&python.prefix))
        };
        let of_python = plan(&python.program).args(["-m", "venv"]).args([&folder]);
        let mut is_made = steps.run("pip", of_python)?.is_ok;
        if let Some(uv) = uv.filter(|_| !is_made) {
            self.anew(&name)?;
            let of_uv = plan(uv)
                .bind(Bind::read(uv))
                .args(["venv", "--quiet", "--seed", "--python"])
                .args([&python.program, &folder]);
            is_made = steps.run("pip by uv", of_uv)?.is_ok;
        }
        if is_made {
            self.finish(&name)?;
        }
        Ok(is_made.then_some(pip))
    }
}

/// Hashes the path and the time of an interpreter, so that another one at the same path is recognised.
fn hash_of(python: &Python) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(python.program.as_os_str().as_encoded_bytes());
    let metadata = std::fs::metadata(&python.program).ok();
    let moment = metadata.and_then(|metadata| metadata.modified().ok());
    hasher.update(format!("{moment:?}").as_bytes());
    hasher.finalize().to_hex()[..16].to_owned()
}
