//! Packages without a wheel: their sources are downloaded, which runs none of their code, and built like the project's
//! own code, so that the wheels are for that project alone.

use serde::Deserialize;
use serde_json::json;

use crate::sandbox::{Bind, EntryKind, ProgramPlan};
use crate::{RunnerError, io_error};

use super::Preparation;
use super::download::{BUILT, SOURCES, is_wheel, name_of, normal};
use super::install::Installer;

/// The program that downloads sources.
const PROGRAM: &str = include_str!("sdist.py");
const NAME: &str = "sdist.py";

/// The answer of the program.
#[derive(Debug, Deserialize)]
struct Archive {
    file: String,
    requires: Vec<String>,
}

impl Installer<'_> {
    /// Builds a wheel of a package from its sources; returns whether there is one.
    pub(super) fn build_source(
        &mut self,
        at: &mut Preparation<'_>,
        wanted: &str,
    ) -> Result<bool, RunnerError> {
        let Some(archive) = self.archive(at, wanted)? else {
            return Ok(false);
        };
        let is_file = {
            let folder = self.downloads.folder(SOURCES)?;
            let kind = folder.kind(&archive.file);
            kind.map_err(io_error(folder.path()))? == Some(EntryKind::File)
        };
        if !is_file {
            return Ok(false);
        }
        let name = name_of(wanted).to_owned();
        self.build_tools(at, &archive.requires)?;
        let what = format!("build {name}");
        let path = self.downloads.root.path().join(SOURCES).join(&archive.file);
        let plan = self.wheel_of(at).args([&path]);
        let done = self.with_tools(at, &what, &plan)?;
        Ok(done.is_ok)
    }

    /// Downloads the sources.
    fn archive(
        &mut self,
        at: &mut Preparation<'_>,
        wanted: &str,
    ) -> Result<Option<Archive>, RunnerError> {
        let downloads = &self.downloads;
        let name = name_of(wanted);
        let folder = downloads.folder(SOURCES)?;
        let is_offline = downloads.clean.is_offline();
        if is_offline {
            let is_of = |file: &str| normal(file).starts_with(&format!("{}-", normal(name)));
            let hashes = downloads
                .shelf
                .hashes(|name| !is_wheel(name) && is_of(name))?;
            downloads.shelf.give(&hashes, &folder)?;
        }
        let root = &downloads.root;
        root.write(NAME, PROGRAM).map_err(io_error(root.path()))?;
        let script = root.path().join(NAME);
        let plan = downloads
            .clean
            .plan(downloads.pip.program.as_os_str(), &[folder.path()]);
        let plan = downloads
            .pip
            .bound(plan)
            .bind(Bind::read(&script))
            .args(["-I".as_ref(), script.as_os_str()]);
        let asked = json!({
            "name": name,
            "wanted": wanted[name.len()..].split(';').next().unwrap_or_default().trim(),
            "day": downloads.day,
            "python": at.environment.python.version,
            "is_offline": is_offline,
        });
        let what = format!("sources of {name}");
        let done = at.steps.ask(&what, plan, &asked.to_string())?;
        downloads.shelf.take(&folder, None, |_| true)?;
        let line = done.output.lines().next_back().unwrap_or_default();
        Ok(serde_json::from_str(line).ok().filter(|_| done.is_ok))
    }

    /// Plans the command that builds a wheel for the project alone, without the source.
    fn wheel_of(&self, at: &Preparation<'_>) -> ProgramPlan {
        let sources = self.downloads.root.path().join(SOURCES);
        let built = self.downloads.root.path().join(BUILT);
        let plan = if let Some(uv) = &self.downloads.uv {
            self.own(at, uv.as_os_str())
                .args(["build", "--quiet", "--wheel", "--python"])
                .args([&at.environment.python.program])
                .args(["--out-dir".as_ref(), built.as_os_str()])
        } else {
            self.own(at, at.environment.python.program.as_os_str())
                .args(["-m", "pip", "wheel", "--quiet", "--no-deps"])
                .args(["--wheel-dir".as_ref(), built.as_os_str()])
        };
        self.searching(at, plan.bind(Bind::read(sources)))
    }
}
