//! The artifacts of a build are downloaded before it runs, by calls of Maven that run no code of the project: its poms
//! are read, and the artifacts in them are downloaded, first from the sources in the user's settings into the
//! repository that all projects share; the others into the project's own, also from the repositories in its poms.
//!
//! Models do not tell everything. Artifacts that a build without a network misses are downloaded the same way, as far
//! as the poms lead to them ([`PomNames`]), and the build is called again. No file that a build has written is read for
//! that: poms come from a copy that it has not seen, and downloads are in a separate repository; the build's is a copy
//! of it.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use roxmltree::Document;

use super::permitted::PomNames;
use super::{BuildContext, WALL, write};
use crate::java::events::{self, BuildPlaces, MavenEvents, is_coordinates};
use crate::java::invoke::{MavenCall, MavenOutput, Mvn, Reach};
use crate::java::kit;
use crate::sandbox::{Bind, EntryKind, Root};
use crate::{RunnerError, io_error};

/// The project's own local repository, in the folder of its build.
pub const REPOSITORY: &str = "repository";
/// The files downloaded for it, which no code of the project can write.
const FETCHED: &str = "fetched";
/// A copy of the project that its build has not seen; there while something is downloaded.
const POMS: &str = "poms";
const SAID: &str = "said";
const EXTENSIONS: &str = ".mvn/extensions.xml";
const ARGUMENTS: &str = ".mvn/maven.config";
const LOG: &str = "maven.log";
/// A longer log is not read, so that a build cannot fill the memory.
const LOG_BYTES_MAX: u64 = 256 << 20;
/// A project's few lines of arguments; a larger file is none.
const SETTINGS_BYTES_MAX: u64 = 1 << 20;
/// How often, at most, a build is called again because artifacts were missing; each time it reports only the next ones.
const N_ROUNDS_MAX: usize = 16;
/// The most notes about refused artifacts.
const N_REFUSED_MAX: usize = 20;
/// The deepest nesting of folders of a repository.
const DEPTH_MAX: usize = 64;
/// The most artifacts that one round asks for.
const N_MISSING_MAX: usize = 1000;

/// A project's declarations, read before any of its code runs.
#[derive(Clone, Debug, Default)]
pub struct ProjectDeclaration {
    /// The arguments for every call of Maven.
    arguments: Vec<String>,
    /// Extensions of Maven itself.
    extensions: Vec<String>,
    named: PomNames,
}

/// The calls of Maven for one build, and their results so far.
pub struct Fetching<'f> {
    work: &'f BuildContext<'f>,
    mvn: &'f Mvn<'f>,
    pub known: ProjectDeclaration,
    has_built: bool,
    requested: BTreeSet<String>,
    /// Notes on artifacts that a build has got although the models do not name them, and on refused ones.
    pub notes: BTreeSet<String>,
    /// The failures of the last downloads.
    pub failures: BTreeSet<String>,
    n_rounds: usize,
    logs: String,
}

impl<'f> Fetching<'f> {
    pub(super) fn new(work: &'f BuildContext<'f>, mvn: &'f Mvn<'f>) -> Result<Self, RunnerError> {
        let tree = work.place.join("tree");
        for name in [REPOSITORY, FETCHED] {
            let folder = work.place.join(name);
            Root::make(&folder).map_err(io_error(&folder))?;
        }
        let tree = Root::open(&tree).map_err(io_error(&tree))?;
        // Most projects have neither file.
        let text = |name: &str| {
            let text = tree.read_text(name, SETTINGS_BYTES_MAX);
            text.unwrap_or_default()
        };
        let known = ProjectDeclaration {
            arguments: safe(&text(ARGUMENTS)),
            extensions: coordinates(&text(EXTENSIONS)),
            named: PomNames::default(),
        };
        let fetching = Self::go_on(work, mvn, known);
        Ok(Self {
            has_built: false,
            ..fetching
        })
    }

    /// Continues with a folder in which a build was made.
    pub(super) fn go_on(
        work: &'f BuildContext<'f>,
        mvn: &'f Mvn<'f>,
        known: ProjectDeclaration,
    ) -> Self {
        Self {
            work,
            mvn,
            known,
            has_built: true,
            requested: BTreeSet::new(),
            notes: BTreeSet::new(),
            failures: BTreeSet::new(),
            n_rounds: 0,
            // Before the first call there is no log.
            logs: Root::open(work.place)
                .and_then(|root| root.read_text(LOG, LOG_BYTES_MAX))
                .unwrap_or_default(),
        }
    }

    /// Runs the build in the project's tree.
    pub fn build(
        &mut self,
        arguments: Vec<String>,
    ) -> Result<(MavenOutput, MavenEvents), RunnerError> {
        self.has_built = true;
        let has_network = self.work.has_network;
        let tree = self.work.place.join("tree");
        let seen = (Bind::write(&tree), REPOSITORY);
        self.call((Reach::Build { has_network }, seen), arguments)
    }

    /// Calls Maven in a copy of the project, with a repository; the log of all calls is kept.
    fn call(
        &mut self,
        (reach, (bind, repository)): (Reach, (Bind, &str)),
        arguments: Vec<String>,
    ) -> Result<(MavenOutput, MavenEvents), RunnerError> {
        let place = self.work.place;
        let (tree, said) = (bind.at.clone(), place.join(SAID));
        let repository = place.join(repository);
        let call = MavenCall {
            folder: tree.clone(),
            arguments,
            binds: vec![bind, Bind::write(&said)],
            said,
            reach,
            repository: repository.clone(),
            wall: WALL,
        };
        let answer = self.mvn.call(&call, self.work.monitor)?;
        self.logs.push_str(&answer.log);
        write(place, LOG, self.logs.as_bytes())?;
        let shared = self.mvn.folders.shared();
        let places = BuildPlaces {
            tree: &tree,
            others: vec![&repository, &shared, &self.mvn.jdk.home],
        };
        let heard = events::read(&answer.events, &places);
        Ok((answer, heard))
    }

    /// Calls Maven to download something, in a copy of the project that no code of it has changed.
    fn fetch(
        &mut self,
        reach: Reach,
        arguments: Vec<String>,
    ) -> Result<(MavenOutput, MavenEvents), RunnerError> {
        let work = self.work;
        let poms = work.place.join(POMS);
        let tree = if self.has_built {
            work.tree.copy(&poms, work.monitor)?;
            &poms
        } else {
            &work.place.join("tree")
        };
        let called = self.call((reach, (Bind::read(tree), FETCHED)), arguments);
        if self.has_built {
            work.site.sandbox.remove(&poms)?;
        }
        if reach == Reach::Own {
            self.hand_over()?;
        }
        called
    }

    /// Copies downloaded files to the build's own repository where they are missing there.
    fn hand_over(&self) -> Result<(), RunnerError> {
        let [from, to] = [FETCHED, REPOSITORY].map(|text| self.work.place.join(text));
        let opened = Root::open(&from).and_then(|root| Ok((root, Root::open(&to)?)));
        let merged = opened.and_then(|(from, to)| merge((&from, &to), Path::new(""), 0));
        match merged {
            // A build that has damaged its own repository harms only itself.
            Err(error) if self.has_built && error.kind() != io::ErrorKind::StorageFull => Ok(()),
            merged => merged.map_err(io_error(&to)),
        }
    }

    /// Downloads the artifacts that the poms name. Where Maven was killed from outside, its output is returned.
    pub fn all(&mut self, dropped: &BTreeSet<String>) -> Result<Option<MavenOutput>, RunnerError> {
        if self.work.site.is_offline {
            return Ok(None);
        }
        if !self.known.extensions.is_empty() {
            // Extensions of Maven are loaded before ours, and from the project's own repository.
            let words: Vec<&str> = self.known.extensions.iter().map(String::as_str).collect();
            let folder = self.work.place.join("kit");
            let repository = self.work.place.join(FETCHED);
            let own = Some(repository.as_path());
            let said = kit::resolve(self.mvn, &words, (&folder, own), self.work.monitor)?;
            self.logs.push_str(&said.log);
        }
        self.more(dropped, &BTreeSet::new())
    }

    /// Downloads the artifacts that the poms name, and those in `more`.
    pub fn more(
        &mut self,
        dropped: &BTreeSet<String>,
        more: &BTreeSet<String>,
    ) -> Result<Option<MavenOutput>, RunnerError> {
        for (reach, name) in [(Reach::Shared, "shared"), (Reach::Own, "own")] {
            let mut arguments = self.mvn.edits(dropped);
            arguments.extend(self.known.arguments.iter().cloned());
            arguments.push(format!("-Dfocalist.fetch={name}"));
            if !more.is_empty() {
                let words: Vec<&str> = more.iter().map(String::as_str).collect();
                arguments.push(format!("-Dfocalist.more={}", words.join(",")));
            }
            arguments.push("validate".to_owned());
            let (answer, heard) = self.fetch(reach, arguments)?;
            if answer.is_killed {
                return Ok(Some(answer));
            }
            self.known.named.add(&heard.named);
            self.failures.clone_from(&heard.unresolved);
            if heard.is_fetched && heard.unresolved.is_empty() {
                break;
            }
        }
        Ok(None)
    }

    /// Lists the missing artifacts that may be downloaded and were not asked for before; none offline, and none once
    /// the limit of rounds is reached.
    pub fn news(&mut self, missing: &BTreeSet<String>) -> BTreeSet<String> {
        if self.work.site.is_offline || self.n_rounds == N_ROUNDS_MAX {
            return BTreeSet::new();
        }
        let news = missing
            .iter()
            .filter(|missing| !self.requested.contains(*missing));
        let news: BTreeSet<String> = news.take(N_MISSING_MAX).cloned().collect();
        self.requested.extend(news.iter().cloned());
        let (allowed, refused) = self.known.named.allow(&news);
        let said = allowed
            .iter()
            .map(|allowed| format!("downloaded because the build asks for it: {allowed}"));
        let not = refused.iter().take(N_REFUSED_MAX).map(|refused| {
            format!("not downloaded, as the build asks for it and no pom leads to it: {refused}")
        });
        self.notes.extend(said.chain(not));
        self.n_rounds += usize::from(!allowed.is_empty());
        allowed
    }

    /// Downloads artifacts with their dependencies from the repositories that the project's poms name; returns the
    /// events.
    pub fn resolve(&mut self, wanted: &BTreeSet<String>) -> Result<MavenEvents, RunnerError> {
        let words: Vec<&str> = wanted.iter().map(String::as_str).collect();
        let mut arguments = self.mvn.edits(&BTreeSet::new());
        arguments.extend(self.known.arguments.iter().cloned());
        arguments.push("-Dfocalist.fetch=own".to_owned());
        arguments.push(format!("-Dfocalist.resolve={}", words.join(",")));
        arguments.push("validate".to_owned());
        let (_, mut heard) = self.fetch(Reach::Own, arguments)?;
        let [from, to] = [FETCHED, REPOSITORY].map(|text| self.work.place.join(text));
        for path in heard.resolved.values_mut().flatten().flatten() {
            if let Ok(below) = path.strip_prefix(&from) {
                *path = to.join(below);
            }
        }
        Ok(heard)
    }

    /// Tells whether repositories may be asked for an artifact that a build has named: the poms must lead to it, or for
    /// runners of tests at least to its version. Where code of the project has the network, or all is offline, it does
    /// not matter.
    pub fn may_ask(&self, coordinates: &str) -> bool {
        let named = &self.known.named;
        self.work.site.is_offline
            || self.work.has_network
            || named.leads_to(coordinates)
            || (kit::is_runner(coordinates) && named.has_version_of(coordinates))
    }
}

/// Copies files of one folder to another, where nothing is in their place.
fn merge((from, to): (&Root, &Root), folder: &Path, depth: usize) -> io::Result<()> {
    for (name, kind) in from.entries(folder)? {
        let path: PathBuf = folder.join(name);
        let there = to.kind(&path)?;
        match (kind, there) {
            (EntryKind::Folder, _) if depth == DEPTH_MAX => {}
            (EntryKind::Folder, None) => {
                to.create_folder(&path)?;
                merge((from, to), &path, depth + 1)?;
            }
            (EntryKind::Folder, Some(EntryKind::Folder)) => {
                merge((from, to), &path, depth + 1)?;
            }
            (EntryKind::File, None) => {
                io::copy(&mut from.open_file(&path)?, &mut to.create(&path)?)?;
            }
            // Other entries that a build has put there stay.
            _ => {}
        }
    }
    Ok(())
}

fn coordinates(extensions: &str) -> Vec<String> {
    let Ok(document) = Document::parse(extensions) else {
        return Vec::new();
    };
    let mut elements = document.root_element().descendants();
    let text = |node: roxmltree::Node<'_, '_>, name: &str| {
        let mut children = node.children();
        let found = children.find(|child| child.tag_name().name() == name)?;
        Some(found.text()?.trim().to_owned())
    };
    let mut found = Vec::new();
    for node in elements
        .by_ref()
        .filter(|element| element.tag_name().name() == "extension")
    {
        let parts = ["groupId", "artifactId", "version"].map(|name| text(node, name));
        if let [Some(group), Some(artifact), Some(version)] = parts {
            found.push(format!("{group}:{artifact}:{version}"));
        }
    }
    found.retain(|text| is_coordinates(text));
    found
}

/// Retains the project's arguments that only set properties and profiles of its models, such as `revision`.
///
/// Maven turns them into system properties, which set the place of a log, the proxy, and the trusted certificates. All
/// of these have a dot in their names, or are proxies; those of models need none.
fn safe(arguments: &str) -> Vec<String> {
    let words = arguments.split_whitespace();
    let is_of_models = |property: &str| {
        let name = property.split('=').next().unwrap_or_default();
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
        !name.is_empty()
            && name.chars().all(is_plain)
            && !name.to_ascii_lowercase().contains("proxy")
    };
    let is_safe = |word: &&str| match word.strip_prefix("-D") {
        Some(property) => is_of_models(property),
        None => word.strip_prefix("-P").is_some_and(|rest| !rest.is_empty()),
    };
    words.filter(is_safe).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_projects_arguments_only_those_about_its_models_are_taken() {
        let text = "-Drevision=1.0 -Dhttps.proxyHost=evil -DsocksProxyHost=evil -Dmaven.ext.class.path=evil.jar\n-s settings.xml\n-Pfast -Djava.io.tmpdir=/x -B";
        assert_eq!(safe(text), ["-Drevision=1.0", "-Pfast"]);
    }

    #[test]
    fn extensions_of_maven_are_named_by_coordinates_alone() {
        let text = "<extensions xmlns=\"http://maven.apache.org/EXTENSIONS/1.0.0\"><extension><groupId>g</groupId>\
                    <artifactId>a</artifactId><version>1.2</version></extension><extension><groupId>g</groupId>\
                    <artifactId>b</artifactId><version>${v}</version></extension></extensions>";
        assert_eq!(coordinates(text), ["g:a:1.2"]);
        assert!(coordinates("no XML").is_empty());
    }
}
