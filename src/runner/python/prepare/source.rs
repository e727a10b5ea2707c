//! Packages of which there is no wheel: their sources are downloaded, which runs nothing of them, and built as the project's
//! own code is, so that what comes of it is for that project alone.

use serde::Deserialize;
use serde_json::json;

use crate::sandbox::{Bind, EntryKind, Plan};
use crate::{RunnerError, io_error};

use super::Preparing;
use super::download::{BUILT, SOURCES, is_wheel, name_of, normal};
use super::install::Installer;

/// Downloads sources.
const PROGRAM: &str = include_str!("sdist.py");
const NAME: &str = "sdist.py";

/// What the program says.
#[derive(Debug, Deserialize)]
struct Archive {
    file: String,
    requires: Vec<String>,
}

impl Installer<'_> {
    /// Builds a wheel of a package from its sources; returns whether there is one.
    pub(super) fn build_source(
        &mut self,
        at: &mut Preparing<'_>,
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
        at: &mut Preparing<'_>,
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
        downloads.shelf.take(&folder, |_| true)?;
        let line = done.output.lines().next_back().unwrap_or_default();
        Ok(serde_json::from_str(line).ok().filter(|_| done.is_ok))
    }

    /// Returns the command that builds a wheel for the project alone, without of what.
    fn wheel_of(&self, at: &Preparing<'_>) -> Plan {
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

/// Returns the packages, with the versions that are asked for, of which an installer says that it has found no wheel.
pub fn without_wheel(said: &str) -> Vec<String> {
    let words: Vec<&str> = said.split_whitespace().collect();
    let mut names: Vec<&str> = Vec::new();
    let after = |text: &'static str| {
        let found = said
            .match_indices(text)
            .map(move |found| found.0 + text.len());
        found.filter_map(move |at| said[at..].split_whitespace().next())
    };
    // What `uv` says, and what pip does.
    names.extend(after("Wheels are required for "));
    names.extend(after("No matching distribution found for "));
    let mut found: Vec<String> = Vec::new();
    for name in names {
        let name = name.trim_matches(['`', '\'', '"', ',']);
        let plain = name_of(name);
        if plain.is_empty() || found.iter().any(|known| name_of(known) == plain) {
            continue;
        }
        let is_it = |word: &&&str| name_of(word) == plain && word.len() > plain.len();
        let is_wanted = |word: &&&str| word[plain.len()..].starts_with(['=', '<', '>', '~', '!']);
        let wanted = words.iter().filter(is_it).find(is_wanted);
        let wanted = wanted.map_or(name, |word| word.trim_end_matches([',', '.']));
        found.push(wanted.to_owned());
    }
    found
}

/// Returns what a build without network has asked for in vain.
pub fn missing_tools(said: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in said.lines() {
        if let Some((before, _)) = line.split_once(" was not found in the provided package") {
            let name = before.split_whitespace().next_back().unwrap_or_default();
            found.push(name.to_owned());
        }
        if let Some((_, after)) = line.split_once("No matching distribution found for ") {
            found.push(after.trim().to_owned());
        }
    }
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_wheel_is_told_from_what_installers_say() {
        let uv = "error: No solution found when resolving dependencies\n  cause: Because antlr4-python3-runtime==4.9.3 has no usable wheels and you require antlr4-python3-runtime==4.9.3, we can conclude that\n\nhint: Wheels are required for `antlr4-python3-runtime` because building from source is disabled";
        assert_eq!(without_wheel(uv), ["antlr4-python3-runtime==4.9.3"]);
        let all = "Because all versions of docopt have no usable wheels\nhint: Wheels are required for `docopt` because";
        assert_eq!(without_wheel(all), ["docopt"]);
        let pip = "ERROR: Could not find a version that satisfies the requirement docopt==0.6.2 (from versions: none)\nERROR: No matching distribution found for docopt==0.6.2";
        assert_eq!(without_wheel(pip), ["docopt==0.6.2"]);
        assert!(without_wheel("error: it is full").is_empty());
    }

    #[test]
    fn what_a_build_lacks_is_told_from_what_it_says() {
        let uv = "  cause: Because ninja was not found in the provided package locations and you require ninja, we can conclude";
        assert_eq!(missing_tools(uv), ["ninja"]);
        let pip = "ERROR: No matching distribution found for ninja>=1.5";
        assert_eq!(missing_tools(pip), ["ninja>=1.5"]);
    }
}
