//! What is installed into an environment, in which order, and what is tried when that fails.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::sandbox::{Bind, HOME, Network, Plan, way_out};
use crate::{RunnerError, io_error};

use super::super::environment::Refused;
use super::super::interpreter::Python;
use super::{Done, Facts, Preparing, last_lines, refused};

/// What of the user's variables says where packages come from.
const SETTINGS: [&str; 7] = [
    "INDEX", "HOST", "CERT", "TLS", "TIMEOUT", "PROXY", "KEYRING",
];
/// Variables that tell tools which read versions out of the history what to say instead.
const VERSIONS: [&str; 4] = [
    "SETUPTOOLS_SCM_PRETEND_VERSION",
    "PBR_VERSION",
    "PDM_BUILD_SCM_VERSION",
    "POETRY_DYNAMIC_VERSIONING_BYPASS",
];
/// Counts of lines are those of this one and later ones.
const COVERAGE: &str = "coverage>=7.10";

/// Returns `uv` where it is installed; a script that chooses one sees nothing inside of what it chooses by, so that what
/// `pyenv` would choose is looked for where it lies.
pub fn find_uv(path: &OsStr, home: Option<&Path>) -> Option<PathBuf> {
    let is_script = |it: &PathBuf| {
        let mut start = [0; 2];
        let read = fs::File::open(it).and_then(|mut it| it.read_exact(&mut start));
        read.is_ok() && start == *b"#!"
    };
    let is_program = |it: &PathBuf| {
        fs::metadata(it).is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
            && !is_script(it)
    };
    let pyenv = home.map(|it| it.join(".pyenv"));
    let chosen = pyenv
        .as_ref()
        .and_then(|it| fs::read_to_string(it.join("version")).ok());
    let versions = chosen.iter().flat_map(|it| it.split_whitespace());
    let of_pyenv = versions
        .zip(pyenv.iter().cycle())
        .map(|(version, pyenv)| pyenv.join("versions").join(version).join("bin"));
    let found = std::env::split_paths(path)
        .chain(of_pyenv)
        .map(|it| it.join("uv"))
        .find(is_program)?;
    fs::canonicalize(found).ok()
}

/// What installs, and where what it downloads is kept.
pub struct Installer {
    uv: Option<PathBuf>,
    kept: PathBuf,
    wheels: PathBuf,
}

impl Installer {
    pub fn new(uv: Option<PathBuf>, cache: &Path) -> Self {
        let name = if uv.is_some() {
            "downloads-uv"
        } else {
            "downloads-pip"
        };
        Self {
            uv,
            kept: cache.join(name),
            wheels: cache.join("wheels"),
        }
    }

    /// Goes from nothing to an environment that could run the tests; returns why the project is refused.
    pub fn install(
        &self,
        at: &mut Preparing<'_>,
        python: &Python,
        facts: &Facts,
    ) -> Result<Option<Refused>, RunnerError> {
        for folder in [&self.kept, &self.wheels] {
            fs::create_dir_all(folder).map_err(io_error(folder))?;
        }
        let env = at.environment.root.join("env");
        let made = if let Some(uv) = &self.uv {
            let version = at.step("uv", self.plan(at, uv.as_os_str()).args(["--version"]))?;
            version
                .output
                .trim()
                .clone_into(&mut at.environment.installer);
            let arguments: [&OsStr; 5] = [
                "venv".as_ref(),
                "--quiet".as_ref(),
                "--python".as_ref(),
                python.program.as_ref(),
                env.as_ref(),
            ];
            at.step("environment", self.plan(at, uv.as_os_str()).args(arguments))?
        } else {
            let arguments: [&OsStr; 3] = ["-m".as_ref(), "venv".as_ref(), env.as_ref()];
            at.step(
                "environment",
                self.plan(at, python.program.as_os_str()).args(arguments),
            )?
        };
        if !made.is_ok {
            return Ok(refused(
                "environment",
                &last_lines(&made.output).join("\n"),
                &[],
            ));
        }
        at.environment.python.version =
            version_of(&env).unwrap_or_else(|| format!("3.{}", python.minor));
        for file in &facts.requirement_files {
            self.all(
                at,
                &format!("requirements of {}", file.path),
                &file.requirements,
            )?;
        }
        if let Some(refused) =
            self.project(at, facts, &facts.test_extras, &facts.group_requirements)?
        {
            return Ok(Some(refused));
        }
        self.all(at, "requirements of tox.ini", &facts.tox)?;
        self.all(at, "what was asked for", &at.asked.add.clone())?;
        self.all(at, "pytest", &["pytest".to_owned()])?;
        let measure = self.tool(at, COVERAGE)?;
        if !measure.is_ok && !self.tool(at, "coverage")?.is_ok {
            return Ok(refused(
                "coverage",
                &last_lines(&measure.output).join("\n"),
                &[],
            ));
        }
        self.compile(at)?;
        self.keep(at, facts)?;
        Ok(None)
    }

    /// Returns a plan with the network, which may write the environment, the copy, and what is kept.
    fn plan(&self, at: &Preparing<'_>, program: &OsStr) -> Plan {
        let environment = &at.environment;
        let env = environment.root.join("env");
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", env.join("bin").display());
        let mut plan = Plan::new(program)
            .bind(Bind::write(&environment.root))
            .bind(Bind::write(&self.kept))
            .bind(Bind::write(&self.wheels))
            .bind(Bind::read(&environment.python.base))
            .in_folder(&environment.checkout);
        if let Some(uv) = &self.uv {
            plan = plan.bind(Bind::read(uv));
        }
        if let Some(wheels) = &at.asked.wheels {
            plan = plan.bind(Bind::read(wheels));
        }
        let variables = at.surroundings.environment.clone();
        let is_setting = |it: &OsString| {
            let name = it.to_string_lossy();
            (name.starts_with("PIP_") || name.starts_with("UV_"))
                && SETTINGS.iter().any(|it| name.contains(it))
        };
        for (name, value) in variables.iter().filter(|it| is_setting(&it.0)) {
            plan = plan.env(name, value);
        }
        for (name, value) in way_out(variables) {
            plan = plan.env(name, value);
        }
        if at.site.sandbox.tool().name() != "none" {
            for bind in settings(at) {
                plan = plan.bind(bind);
            }
        }
        plan = plan
            .env("PATH", path)
            .env("VIRTUAL_ENV", &env)
            .env("UV_CACHE_DIR", &self.kept)
            .env("PIP_CACHE_DIR", &self.kept)
            .env("UV_NO_PROGRESS", "1")
            .env("UV_LINK_MODE", "copy")
            .env("UV_PYTHON_DOWNLOADS", "never")
            .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
            .env("PIP_NO_INPUT", "1")
            .env("GIT_CONFIG_COUNT", "1")
            .env("GIT_CONFIG_KEY_0", "safe.directory")
            .env("GIT_CONFIG_VALUE_0", "*");
        if !at.site.is_offline {
            plan.network = Network::Host;
        }
        plan
    }

    /// Returns the command that installs, without what.
    fn command(&self, at: &Preparing<'_>, is_dated: bool) -> Plan {
        let python = &at.environment.python.program;
        let mut plan = if let Some(uv) = &self.uv {
            let mut plan = self
                .plan(at, uv.as_os_str())
                .args(["pip", "install", "--quiet", "--python"]);
            plan = plan.args([python]);
            if let Some(day) = at.environment.as_of.as_ref().filter(|_| is_dated) {
                let moment = format!("{day}T23:59:59Z");
                plan = plan.args(["--exclude-newer", &moment]);
            }
            plan.args(at.site.is_offline.then_some("--offline"))
        } else {
            let arguments = ["-m", "pip", "install", "--quiet", "--find-links"];
            let plan = self
                .plan(at, python.as_os_str())
                .args(arguments)
                .args([&self.wheels]);
            plan.args(at.site.is_offline.then_some("--no-index"))
        };
        if let Some(wheels) = &at.asked.wheels {
            plan = plan.args([OsStr::new("--find-links"), wheels.as_os_str()]);
        }
        plan
    }

    /// Installs requirements: all at once, and where that fails one by one, so that one does not take the others along.
    pub fn all(
        &self,
        at: &mut Preparing<'_>,
        what: &str,
        requirements: &[String],
    ) -> Result<bool, RunnerError> {
        let requirements: Vec<&String> = requirements
            .iter()
            .filter(|it| !it.starts_with('-'))
            .collect();
        if requirements.is_empty() {
            return Ok(true);
        }
        let done = at.step(what, self.command(at, true).args(&requirements))?;
        if done.is_ok || requirements.len() == 1 {
            return Ok(done.is_ok);
        }
        let mut is_any = false;
        for requirement in requirements {
            is_any |= at
                .step(
                    &format!("{what}: {requirement}"),
                    self.command(at, true).args([requirement]),
                )?
                .is_ok;
        }
        Ok(is_any)
    }

    /// Installs the project itself, where it can be changed, with extras and what goes with it.
    pub fn project(
        &self,
        at: &mut Preparing<'_>,
        facts: &Facts,
        extras: &[String],
        others: &[String],
    ) -> Result<Option<Refused>, RunnerError> {
        if !facts.has_metadata {
            at.environment
                .notes
                .push("it has no metadata: its folders are put on the path as they are".to_owned());
            put_on_path(at, &facts.sources)?;
            self.all(at, "requirements of groups", others)?;
            return Ok(None);
        }
        let checkout = at.environment.checkout.to_string_lossy().into_owned();
        let with_extras = format!("{checkout}[{}]", extras.join(","));
        let place = if extras.is_empty() {
            &checkout
        } else {
            &with_extras
        };
        let whole = [&["-e".to_owned(), place.clone()], others].concat();
        let done = at.step("the project", self.command(at, true).args(&whole))?;
        if done.is_ok {
            return Ok(None);
        }
        // With nothing else, and then without its history.
        let alone = at.step(
            "the project alone",
            self.command(at, true).args(["-e", &checkout]),
        )?;
        let mut is_ok = alone.is_ok;
        if !is_ok {
            let mut plan = self.command(at, true).args(["-e", &checkout]);
            for name in VERSIONS {
                plan = plan.env(name, "0.0.1");
            }
            is_ok = at.step("the project without its history", plan)?.is_ok;
        }
        if !is_ok {
            let dated = at.environment.as_of.clone();
            let message = last_lines(&alone.output).join("\n");
            let hint = dated.map_or(String::new(), |it| format!("\n(as of {it})"));
            return Ok(refused("the project", &format!("{message}{hint}"), &[]));
        }
        for extra in extras {
            self.all(
                at,
                &format!("extra {extra}"),
                &[format!("{checkout}[{extra}]")],
            )?;
        }
        self.all(at, "requirements of groups", others)?;
        Ok(None)
    }

    /// Installs what is ours, as new as it is, and moves nothing else.
    fn tool(&self, at: &mut Preparing<'_>, requirement: &str) -> Result<Done, RunnerError> {
        at.step(
            requirement,
            self.command(at, false).args(["--no-deps", requirement]),
        )
    }

    /// Compiles what is installed and the project: `uv` leaves that to every start.
    pub fn compile(&self, at: &mut Preparing<'_>) -> Result<(), RunnerError> {
        let sources: Vec<PathBuf> = at
            .environment
            .sources
            .iter()
            .map(|it| at.environment.checkout.join(it))
            .collect();
        let plan = self
            .plan(at, at.environment.python.program.clone().as_os_str())
            .args(["-m", "compileall", "-q", "-j", "2"])
            .args([at.environment.root.join("env/lib")])
            .args(sources);
        // Files for another Python do not compile, which is nobody's fault.
        at.step("compile", plan).map(|_| ())
    }

    /// Keeps what `pip` needs to do the same without the network; `uv` keeps it by itself.
    fn keep(&self, at: &mut Preparing<'_>, facts: &Facts) -> Result<(), RunnerError> {
        if self.uv.is_some() || at.site.is_offline {
            return Ok(());
        }
        let python = at.environment.python.program.clone();
        let frozen = at.step(
            "list",
            self.plan(at, python.as_os_str())
                .args(["-m", "pip", "freeze", "--exclude-editable"]),
        )?;
        let mut needed: Vec<String> = frozen
            .output
            .lines()
            .filter(|it| it.contains("=="))
            .map(str::to_owned)
            .collect();
        needed.extend(facts.build_requires.iter().cloned());
        needed.extend(["editables", "wheel", "setuptools"].map(str::to_owned));
        let plan = self.plan(at, python.as_os_str()).args([
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--wheel-dir",
        ]);
        let plan = plan
            .args([&self.wheels])
            .args(["--find-links"])
            .args([&self.wheels])
            .args(needed);
        at.step("keep wheels", plan).map(|_| ())
    }
}

/// Returns the settings of pip and uv, of the user and of the system.
fn settings(at: &Preparing<'_>) -> Vec<Bind> {
    let mut found = Vec::new();
    for place in ["/etc/pip.conf", "/etc/xdg/pip", "/etc/uv"] {
        if Path::new(place).exists() {
            found.push(Bind::read(place));
        }
    }
    if let Some(home) = &at.surroundings.home {
        for place in [".config/pip", ".pip", ".config/uv"] {
            let path = home.join(place);
            if path.exists() {
                found.push(Bind::read(path).at(Path::new(HOME).join(place)));
            }
        }
    }
    found
}

fn version_of(env: &Path) -> Option<String> {
    let text = fs::read_to_string(env.join("pyvenv.cfg")).ok()?;
    let values = text.lines().filter_map(|it| it.split_once('='));
    let mut values = values.map(|(name, value)| (name.trim(), value.trim().to_owned()));
    values
        .find(|it| matches!(it.0, "version" | "version_info"))
        .map(|it| it.1)
}

/// Lets Python find the project's own code without installing it.
fn put_on_path(at: &Preparing<'_>, sources: &[String]) -> Result<(), RunnerError> {
    let checkout = &at.environment.checkout;
    let mut folders: Vec<PathBuf> = sources
        .iter()
        .filter_map(|it| Some(checkout.join(it).parent()?.to_owned()))
        .chain([checkout.clone()])
        .collect();
    folders.sort();
    folders.dedup();
    let lines: Vec<String> = folders
        .iter()
        .map(|it| it.to_string_lossy().into_owned())
        .collect();
    let lib = at.environment.root.join("env/lib");
    let homes = fs::read_dir(&lib).map_err(io_error(&lib))?.flatten();
    for home in homes {
        let path = home.path().join("site-packages/focalist-project.pth");
        fs::write(&path, lines.join("\n") + "\n").map_err(io_error(&path))?;
    }
    Ok(())
}
