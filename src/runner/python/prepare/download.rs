//! Decides which packages a project gets, and from where: they are resolved and downloaded as wheels, which runs no
//! foreign code.
//!
//! With `uv` the versions are resolved first, as of a day and with the hashes of the registry, and `pip` downloads
//! exactly these. Earlier choices are kept where they fit, as an installer keeps installed packages. Without `uv` pip
//! does both. A package without a wheel is built for the project alone; see [`source`](super::source).

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::sandbox::{Bind, EntryKind, ProgramPlan, Root};
use crate::{RunnerError, io_error};

use super::super::interpreter::Python;
use super::clean::{DownloadSite, Pip};
use super::shelf::Shelf;
use super::steps::{PreparationSteps, StepEnd};

/// The folder for wheels of a project, which its own code cannot write to.
pub const WHEELS: &str = "wheels";
/// The same for archives of sources.
pub const SOURCES: &str = "sources";
/// The folder for wheels that foreign code has built for the project.
pub const BUILT: &str = "built";
/// The files with the requirements and with the chosen versions.
const ASKED: &str = "asked.txt";
const LOCK: &str = "lock.txt";
/// The largest file of chosen versions that is read.
const N_BYTES_MAX: u64 = 64 << 20;

/// The purpose of packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackagePurpose {
    /// The environment of the tests.
    Tests,
    /// Builds, which have environments of their own.
    Builds,
    /// Our own packages: as new as possible, and nothing else.
    Us,
}

/// The downloads for one project.
pub struct Downloads<'p> {
    pub clean: DownloadSite<'p>,
    pub uv: Option<PathBuf>,
    pub pip: Pip,
    pub python: Python,
    /// Packages are as of this day.
    pub day: Option<String>,
    pub shelf: Shelf,
    /// The project's folder, where only the host writes.
    pub root: Root,
    /// The versions that were chosen for the tests so far, by name.
    pins: BTreeMap<String, String>,
    /// Files that the shelf has.
    shelved: BTreeSet<String>,
    /// Whether a wheel was ever built for the project: its code might have removed it again.
    has_built: bool,
    /// Requirements that are addresses; nothing is downloaded from these.
    pub addresses: BTreeSet<String>,
}

/// One line of the chosen versions.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PinnedPackage {
    name: String,
    /// The requirement as an installer reads it.
    requirement: String,
    hashes: Vec<String>,
}

impl<'p> Downloads<'p> {
    /// Makes the folders of a project.
    pub fn new(
        (clean, pip): (DownloadSite<'p>, Pip),
        uv: Option<PathBuf>,
        python: &Python,
        (shelf, root): (Shelf, Root),
    ) -> Result<Self, RunnerError> {
        for name in [WHEELS, SOURCES, BUILT] {
            root.create_folders(name).map_err(io_error(root.path()))?;
        }
        Ok(Self {
            clean,
            uv,
            pip,
            python: python.clone(),
            day: None,
            shelf,
            root,
            pins: BTreeMap::new(),
            shelved: BTreeSet::new(),
            has_built: false,
            addresses: BTreeSet::new(),
        })
    }

    pub fn wheels(&self) -> PathBuf {
        self.root.path().join(WHEELS)
    }

    /// Lists the folders in which installers look for wheels.
    pub fn places(&self) -> [PathBuf; 2] {
        [self.wheels(), self.root.path().join(BUILT)]
    }

    /// Gets wheels for requirements; returns the wheels to install, or the failure.
    pub fn get(
        &mut self,
        steps: &mut PreparationSteps<'_>,
        (what, why): (&str, PackagePurpose),
        requirements: &[String],
    ) -> Result<Result<Vec<String>, StepEnd>, RunnerError> {
        let (addresses, named): (Vec<&String>, Vec<&String>) = requirements
            .iter()
            .filter(|text| is_plain(text))
            .partition(|text| is_address(text));
        // A package from an address is built where it has no wheel, even if only wheels are allowed: that would run
        // foreign code with the network, beside the folders that all projects share.
        self.addresses.extend(addresses.into_iter().cloned());
        let asked = named;
        let text = lines(asked.iter().map(|requirement| requirement.as_str()));
        let folder = self.folder(WHEELS)?;
        folder.write(ASKED, text).map_err(io_error(folder.path()))?;
        if self.uv.is_none() {
            let done = self.by_pip(steps, (what, why))?;
            let asked = asked.into_iter().cloned().collect();
            return Ok(if done.is_ok { Ok(asked) } else { Err(done) });
        }
        let chosen = match self.resolve(steps, (what, why))? {
            Ok(chosen) => chosen,
            Err(done) => return Ok(Err(done)),
        };
        let done = self.download(steps, what, &chosen)?;
        if let Some(done) = done.filter(|done| !done.is_ok) {
            return Ok(Err(done));
        }
        if why == PackagePurpose::Tests {
            let pins = chosen.iter();
            self.pins
                .extend(pins.map(|chosen| (chosen.name.clone(), chosen.requirement.clone())));
        }
        let there = self.names()?;
        let named = chosen
            .into_iter()
            .map(|chosen| chosen.installed_from(&there));
        Ok(Ok(named.collect()))
    }

    pub fn folder(&self, name: &str) -> Result<Root, RunnerError> {
        let folder = self.root.folder(name);
        folder.map_err(io_error(&self.root.path().join(name)))
    }

    /// Tells whether a package was built for the project, now or before.
    fn has_built(&mut self) -> Result<bool, RunnerError> {
        self.has_built |= !self.built()?.is_empty();
        Ok(self.has_built)
    }

    /// Lists the packages that were built for the project and are still there.
    fn built(&self) -> Result<BTreeSet<String>, RunnerError> {
        let folder = self.folder(BUILT)?;
        let entries = folder.entries("").map_err(io_error(folder.path()))?;
        let names = entries.iter().filter_map(|entry| entry.0.to_str());
        Ok(names.filter_map(wheel_name).collect())
    }

    /// Adds the user's folder of wheels to the search places of a plan and, with `has_built`, the built wheels.
    ///
    /// Files of the project's code may be visible only where no shared folder is written.
    fn searching(&self, mut plan: ProgramPlan, has_built: bool) -> ProgramPlan {
        if let Some(wheels) = self.clean.wheels() {
            plan = plan.args([OsStr::new("--find-links"), wheels.as_os_str()]);
        }
        if has_built {
            let built = self.root.path().join(BUILT);
            plan = plan
                .args([OsStr::new("--find-links"), built.as_os_str()])
                .bind(Bind::read(built));
        }
        plan
    }

    /// Makes a plan that writes the project's wheels, and the shared folders unless it is kept apart.
    fn plan(&self, program: &Path, is_apart: bool) -> ProgramPlan {
        let wheels = self.wheels();
        let plan = if is_apart {
            self.clean.plan_apart(program.as_os_str(), &[&wheels])
        } else {
            self.clean.plan(program.as_os_str(), &[&wheels])
        };
        self.pip.bound(plan)
    }

    /// Chooses versions by `uv`.
    fn resolve(
        &mut self,
        steps: &mut PreparationSteps<'_>,
        (what, why): (&str, PackagePurpose),
    ) -> Result<Result<Vec<PinnedPackage>, StepEnd>, RunnerError> {
        let has_built = self.has_built()?;
        let Some(uv) = &self.uv else {
            return Ok(Ok(Vec::new()));
        };
        let pins = lines(self.pins.values().map(String::as_str));
        let folder = self.folder(WHEELS)?;
        folder
            // Earlier choices are kept where possible.
            .write(
                LOCK,
                if why == PackagePurpose::Tests {
                    pins
                } else {
                    String::new()
                },
            )
            .map_err(io_error(folder.path()))?;
        let mut plan = self
            .plan(uv, has_built)
            .bind(Bind::read(uv))
            .args(["pip", "compile", "--quiet", "--no-header"])
            .args(["--no-annotate", "--generate-hashes"])
            .args(["--only-binary", ":all:", "--output-file", LOCK])
            .args(["--python".as_ref(), self.python.program.as_os_str()])
            .args(self.clean.is_offline().then_some("--offline"))
            .args((why == PackagePurpose::Us).then_some("--no-deps"));
        if let Some(day) = self.day.as_ref().filter(|_| why != PackagePurpose::Us) {
            plan = plan.args(["--exclude-newer", &format!("{day}T23:59:59Z")]);
        }
        let plan = self.searching(plan, has_built).args([ASKED]);
        let done = steps.run(&format!("resolve {what}"), plan)?;
        if !done.is_ok {
            return Ok(Err(done));
        }
        let lock = folder.read_text(LOCK, N_BYTES_MAX);
        Ok(Ok(chosen(&lock.map_err(io_error(folder.path()))?)))
    }

    /// Downloads the chosen packages; returns nothing where all are there already.
    fn download(
        &mut self,
        steps: &mut PreparationSteps<'_>,
        what: &str,
        all: &[PinnedPackage],
    ) -> Result<Option<StepEnd>, RunnerError> {
        let folder = self.folder(WHEELS)?;
        let hashes: Vec<String> = all
            .iter()
            .flat_map(|chosen| chosen.hashes.clone())
            .collect();
        self.shelf.give(&hashes, &folder)?;
        let there = self.names()?;
        self.shelved.extend(there.iter().cloned());
        let built = self.built()?;
        let runs_here = |chosen: &PinnedPackage| {
            let is_right =
                |name: &String| is_wheel_of(name, chosen) && is_for(name, self.python.minor);
            built.contains(&chosen.name) || there.iter().any(is_right)
        };
        let missing: Vec<&PinnedPackage> = all.iter().filter(|chosen| !runs_here(chosen)).collect();
        if missing.is_empty() {
            return Ok(None);
        }
        if self.clean.is_offline() {
            let is_there =
                |chosen: &&PinnedPackage| there.iter().any(|name| is_wheel_of(name, chosen));
            let gone: Vec<&str> = missing
                .iter()
                .filter(|chosen| !is_there(chosen))
                .map(|chosen| chosen.requirement.as_str())
                .collect();
            return Ok((!gone.is_empty()).then(|| StepEnd {
                is_ok: false,
                output: format!("not in the cache: {}", gone.join(", ")),
            }));
        }
        let text: String = missing.iter().map(|chosen| chosen.line()).collect();
        folder.write(ASKED, text).map_err(io_error(folder.path()))?;
        // This step needs no shared folder.
        let plan = self
            .plan(&self.pip.program, true)
            .args(["-m", "pip", "download", "--quiet", "--no-cache-dir"])
            .args(["--no-deps", "--require-hashes"])
            .args(["--only-binary", ":all:", "--dest", "."]);
        let plan = self.searching(plan, false).args(["-r", ASKED]);
        let done = steps.run(&format!("download {what}"), plan)?;
        let wanted = missing.iter().flat_map(|chosen| chosen.hashes.iter());
        let wanted: BTreeSet<String> = wanted.cloned().collect();
        self.shelve(&folder, Some(&wanted))?;
        Ok(Some(done))
    }

    /// Resolves and downloads by pip.
    fn by_pip(
        &mut self,
        steps: &mut PreparationSteps<'_>,
        (what, why): (&str, PackagePurpose),
    ) -> Result<StepEnd, RunnerError> {
        let folder = self.folder(WHEELS)?;
        if self.clean.is_offline() {
            // All wheels of the shelf are given; the installer chooses among them.
            let hashes = self.shelf.hashes(is_wheel)?;
            self.shelf.give(&hashes, &folder)?;
        }
        let has_built = self.has_built()?;
        let mut plan = self
            .plan(&self.pip.program, has_built)
            .args(["-m", "pip", "download", "--quiet"])
            .args(["--only-binary", ":all:", "--dest", "."])
            .args(["--find-links", "."])
            .args(self.clean.is_offline().then_some("--no-index"))
            .args((why == PackagePurpose::Us).then_some("--no-deps"));
        if let Some(day) = self.day.as_ref().filter(|_| why != PackagePurpose::Us) {
            plan = plan.args(["--uploaded-prior-to", &format!("{day}T23:59:59Z")]);
        }
        let plan = self.searching(plan, has_built).args(["-r", ASKED]);
        let done = steps.run(&format!("download {what}"), plan)?;
        if !has_built {
            self.shelve(&folder, None)?;
        }
        Ok(done)
    }

    fn names(&self) -> Result<Vec<String>, RunnerError> {
        let folder = self.folder(WHEELS)?;
        let entries = folder.entries("").map_err(io_error(folder.path()))?;
        let files = entries
            .into_iter()
            .filter(|entry| entry.1 == EntryKind::File);
        Ok(files
            .filter_map(|entry| entry.0.into_string().ok())
            .collect())
    }

    /// Keeps new wheels for all projects; where hashes are known, only wheels with one of them.
    fn shelve(
        &mut self,
        folder: &Root,
        hashes: Option<&BTreeSet<String>>,
    ) -> Result<(), RunnerError> {
        let shelved = &self.shelved;
        self.shelf
            .take(folder, hashes, |name| !shelved.contains(name))?;
        self.shelved.extend(self.names()?);
        Ok(())
    }

    /// Removes a package from the chosen ones, because the project itself provides it.
    pub fn leave_out(name: &str, chosen: Vec<String>) -> Vec<String> {
        let own = normal(name);
        let is_other = |requirement: &String| normal(name_of(requirement)) != own;
        chosen.into_iter().filter(is_other).collect()
    }

    /// Removes the folders that only preparing needs; downloaded packages stay on the shelf.
    pub fn clear(&self) -> Result<(), RunnerError> {
        for name in [WHEELS, SOURCES, BUILT] {
            self.root
                .remove(name)
                .map_err(io_error(&self.root.path().join(name)))?;
        }
        Ok(())
    }
}

impl PinnedPackage {
    /// Writes the requirements for an installer without network: a version where an address was asked for.
    fn installed_from(self, files: &[String]) -> String {
        if !self.requirement.contains(" @ ") {
            return self.requirement;
        }
        let mut files = files.iter();
        let file = files.find(|file| wheel_name(file).as_ref() == Some(&self.name));
        let version = file.and_then(|file| file.split('-').nth(1));
        version.map_or(self.requirement, |version| {
            format!("{}=={version}", self.name)
        })
    }

    fn line(&self) -> String {
        let hashes = self
            .hashes
            .iter()
            .map(|hash| format!(" --hash=sha256:{hash}"));
        format!("{}{}\n", self.requirement, hashes.collect::<String>())
    }
}

/// Tells whether a file is a wheel, by its name.
pub fn is_wheel(name: &str) -> bool {
    Path::new(name)
        .extension()
        .is_some_and(|extension| extension == "whl")
}

fn lines<'l>(texts: impl Iterator<Item = &'l str>) -> String {
    texts.flat_map(|text| [text, "\n"]).collect()
}

/// Tells whether a text of a project is a plain requirement: no option, and without line breaks.
fn is_plain(requirement: &str) -> bool {
    !requirement.trim_start().starts_with('-') && !requirement.chars().any(char::is_control)
}

/// Tells whether a requirement gives a package's address, as in `name @ https://…`, `git+https://…` or `./folder`.
fn is_address(requirement: &str) -> bool {
    let what = requirement.split(';').next().unwrap_or_default().trim();
    what.contains('@') || what.contains("://") || what.starts_with(['.', '/', '~'])
}

/// Reads the versions that `uv` has chosen.
fn chosen(lock: &str) -> Vec<PinnedPackage> {
    let joined = lock.replace("\\\n", " ");
    let lines = joined.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with(['#', '-']))
        .map(|line| {
            let (requirement, rest) = line.split_once(" --hash=").unwrap_or((line, ""));
            let hashes = rest.split_whitespace();
            let hashes =
                hashes.filter_map(|word| word.trim_start_matches("--hash=").split_once(':'));
            PinnedPackage {
                name: normal(name_of(requirement)),
                requirement: requirement.trim().to_owned(),
                hashes: hashes
                    .filter(|pair| pair.0 == "sha256")
                    .map(|pair| pair.1.to_owned())
                    .collect(),
            }
        })
        .collect()
}

/// Reads the name that a requirement begins with.
pub fn name_of(requirement: &str) -> &str {
    let is_part =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let requirement = requirement.trim_start();
    let end = requirement
        .find(|letter| !is_part(letter))
        .unwrap_or(requirement.len());
    &requirement[..end]
}

/// Normalises a name, so that all its spellings are equal (PEP 503).
pub fn normal(name: &str) -> String {
    let mut found = String::new();
    for letter in name.chars() {
        if !matches!(letter, '-' | '_' | '.') {
            found.push(letter.to_ascii_lowercase());
        } else if !found.ends_with('-') {
            found.push('-');
        }
    }
    found
}

fn wheel_name(file: &str) -> Option<String> {
    let stem = file.strip_suffix(".whl")?;
    Some(normal(stem.split('-').next()?))
}

/// Tells whether a wheel of the shelf fits a Python: all of them were chosen for this machine, and most for any Python.
fn is_for(file: &str, minor: u32) -> bool {
    let mut tags = file.trim_end_matches(".whl").rsplit('-').skip(1);
    let (Some(abi), Some(pythons)) = (tags.next(), tags.next()) else {
        return false;
    };
    let is_it = |python: &str| python == format!("cp3{minor}");
    abi == "none" || abi == "abi3" || pythons.split('.').any(is_it)
}

fn is_wheel_of(file: &str, chosen: &PinnedPackage) -> bool {
    let version = chosen
        .requirement
        .split_once("==")
        .map(|parts| parts.1.trim());
    let of_file = file.split('-').nth(1);
    wheel_name(file).as_ref() == Some(&chosen.name) && version.is_some() && of_file == version
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_chosen_has_its_name_and_its_hashes() {
        let lock = "# by uv\n--index-url https://x\nFoo_Bar[all]==1.0 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\nbaz @ https://x/baz-2-py3-none-any.whl\n";
        let found = chosen(lock);
        assert_eq!(
            found[0],
            PinnedPackage {
                name: "foo-bar".to_owned(),
                requirement: "Foo_Bar[all]==1.0".to_owned(),
                hashes: vec!["aa".to_owned(), "bb".to_owned()],
            }
        );
        assert_eq!((found[1].name.as_str(), found.len()), ("baz", 2));
        assert!(is_wheel_of("foo_bar-1.0-py3-none-any.whl", &found[0]));
        assert!(!is_wheel_of("foo_bar-1.1-py3-none-any.whl", &found[0]));
        assert!(!is_wheel_of("baz-2-py3-none-any.whl", &found[0]));
    }

    #[test]
    fn a_wheel_is_for_any_python_or_for_one() {
        let check = |file: &str, expected: bool| assert_eq!(is_for(file, 11), expected, "{file}");
        check("a-1-py3-none-any.whl", true);
        check("a-1-cp37-abi3-manylinux_2_17_x86_64.whl", true);
        check("a-1-cp311-cp311-manylinux_2_17_x86_64.whl", true);
        check("a-1-cp312-cp312-manylinux_2_17_x86_64.whl", false);
        check("a.whl", false);
    }

    #[test]
    fn an_address_is_told_from_a_name() {
        let check = |text: &str, expected: bool| assert_eq!(is_address(text), expected, "{text}");
        check("x>=1; python_version < '3'", false);
        check("x[a,b]~=2.0", false);
        check("x @ http://localhost/x.tar.gz", true);
        check("x[a]@git+file:///x", true);
        check("https://example.org/x-1.whl", true);
        check("./vendored", true);
    }

    #[test]
    fn an_option_or_a_second_line_is_no_requirement() {
        let check = |text: &str, expected: bool| assert_eq!(is_plain(text), expected, "{text}");
        check("x>=1; python_version < '3'", true);
        check(" --index-url https://x", false);
        check("-e .", false);
        check("x\n--index-url https://x", false);
    }
}
