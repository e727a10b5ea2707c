//! Preparing: from a repository to a [`Build`] that is kept in the cache, by one call of Maven where that is enough.
//!
//! A build is done at its place, because class files and class paths tell where they were made. It is whole when its
//! `build.json` is there, which is written last; a folder without one was left by a killed process, and is removed.
//! Locks keep two processes from making one build at a time.
//!
//! Only focalist writes to the folder of a build. Folders that code of the project may write to are below it, and each
//! is visible by itself: the tree, the project's own local repository, and the output of our extension. All of them are
//! read as foreign data.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::java::events::MavenEvents;
use crate::java::invoke::{Folders, MavenOutput, Mvn, N_CALLS_MAX, lock};
use crate::java::tools::{Machine, choose};
use crate::java::{Build, Jdk, UnbuiltModule, kit, log, plugins, pom};
use crate::sandbox::{EntryKind, Root};
use crate::task::Monitor;
use crate::tree::Tree;
use crate::{RunnerError, Site, io_error, is_full};

mod failed;
mod fetch;
mod permitted;

use fetch::{Fetching, ProjectDeclaration};

/// The version of [`Build`]'s shape, and of the steps that make one.
const FORMAT: u32 = 6;
/// How often a build is tried without the plugins that have failed.
const N_TRIES_MAX: usize = 12;
/// A build that takes longer waits for something that does not come.
const WALL: Duration = Duration::from_secs(60 * 60);
/// The largest pom that is read.
const POM_BYTES_MAX: u64 = 16 << 20;
/// The largest stored build that is read; it lists all class paths.
const KEPT_BYTES_MAX: u64 = 256 << 20;
const KEPT: &str = "build.json";

/// The project to prepare, and the settings.
#[derive(Clone, Debug)]
pub struct PrepareOptions {
    /// The repository; it contains the pom.
    pub root: PathBuf,
    /// JDKs to choose from before those that are found.
    pub java_homes: Vec<PathBuf>,
    /// Maven's home, or its program.
    pub maven: Option<PathBuf>,
    pub machine: Machine,
    /// Builds again even if the cache has a build.
    pub is_rebuilt: bool,
    /// Whether code of the project has the network during the build, and not only the downloads before it.
    pub has_build_network: bool,
}

/// A project that is ready, as far as it could be built.
#[derive(Clone, Debug)]
pub struct PreparedBuild {
    pub build: Build,
    pub is_from_cache: bool,
    /// The output of all calls of Maven, one after the other.
    pub log: PathBuf,
}

/// Builds a project in a copy, or returns what was built before.
///
/// A project, or a module, that does not build is not an error: [`Build::unbuilt`] has the reason.
///
/// # Errors
/// Where a program is missing, those of the disk and the sandbox, and where it is cancelled.
pub fn prepare(
    site: &Site,
    options: &PrepareOptions,
    monitor: &Monitor,
) -> Result<PreparedBuild, RunnerError> {
    let pom = options.root.join("pom.xml");
    if !pom.is_file() {
        let root = options.root.clone();
        if is_gradle(&root) {
            let what = "Gradle";
            return Err(RunnerError::Unsupported { root, what });
        }
        let wants = "pom.xml";
        return Err(RunnerError::NoProject { root, wants });
    }
    let text = read_pom(&options.root)?;
    let jdks = options.machine.jdks(&options.java_homes)?;
    let jdk = choose(&jdks, pom::java_version(&text))?;
    let maven_home = options.machine.maven(options.maven.as_deref())?;
    let folders = Folders::make(site)?;
    let tree = Tree::read(&options.root, is_output, monitor)?;
    let key = key(&tree, &jdk, monitor)?;
    let place = folders.builds().join(&key[..24]);
    let _lock = lock(&place.with_extension("lock"), monitor)?;
    if !options.is_rebuilt
        && let Some(build) = read_build(&place, &key)
        && is_enough(&build, site, options)
    {
        return Ok(PreparedBuild {
            build,
            is_from_cache: true,
            log: place.join("maven.log"),
        });
    }
    let mut mvn = Mvn::new(site, &folders, &options.machine, (jdk, maven_home), monitor)?;
    let work = BuildContext {
        site,
        has_network: options.has_build_network,
        tree: &tree,
        place: &place,
        monitor,
    };
    let mut made = work.make_anew(&mvn)?;
    if let Some(newer) = made.newer(&jdks, &mvn.jdk) {
        let note = format!(
            "built with Java {}: an older one does not compile it",
            newer.feature
        );
        let maven_home = mvn.maven.home.clone();
        mvn = Mvn::new(
            site,
            &folders,
            &options.machine,
            (newer, maven_home),
            monitor,
        )?;
        made = work.make_anew(&mvn)?;
        made.events.notes.insert(note);
    }
    let is_for_good = made.is_for_good();
    let known = std::mem::take(&mut made.known);
    let mut build = made.into_build(&mvn, &place, key);
    build.has_network = options.has_build_network;
    if build.lacks_downloads && !build.has_network {
        let note = "built without a network; `--build-network` gives builds one";
        build.notes.push(note.to_owned());
    }
    build.lacks_downloads &= site.is_offline;
    if tree.n_links_left_out > 0 {
        build.notes.push(format!(
            "{} links lead out of the repository: left out",
            tree.n_links_left_out
        ));
    }
    if !build.modules.is_empty() {
        let fetching = RefCell::new(Fetching::go_on(&work, &mvn, known));
        let own = kit::KitResolver {
            may_ask: &|text| fetching.borrow().may_ask(text),
            resolve: &|texts| fetching.borrow_mut().resolve(texts),
        };
        kit::add(&mut build, (&mvn, &own), &place.join("kit"), monitor)?;
        if is_for_good {
            write_build(&place, &build)?;
        }
    }
    Ok(PreparedBuild {
        build,
        is_from_cache: false,
        log: place.join("maven.log"),
    })
}

/// Tells whether a folder is a project of Gradle.
#[must_use]
pub fn is_gradle(root: &Path) -> bool {
    let files = [
        "build.gradle",
        "build.gradle.kts",
        "settings.gradle",
        "settings.gradle.kts",
    ];
    files.iter().any(|file| root.join(file).is_file())
}

/// Reads the version of Java that the pom at the root of a project asks for; nothing where it says none, where its
/// parent elsewhere does, and where there is no pom.
#[must_use]
pub fn asked_java(root: &Path) -> Option<u32> {
    // An unreadable pom is reported when the project is built.
    pom::java_version(&read_pom(root).ok()?)
}

/// Reads the pom at the root. Where it is a link, it has to be one that the copy of the project has, too.
fn read_pom(root: &Path) -> Result<String, RunnerError> {
    let pom = root.join("pom.xml");
    let held = Root::open(root).map_err(io_error(root))?;
    let mut name = PathBuf::from("pom.xml");
    if held.kind(&name).map_err(io_error(&pom))? == Some(EntryKind::Link) {
        let to = held.read_link(&name).map_err(io_error(&pom))?;
        let real = pom.canonicalize().map_err(io_error(&pom))?;
        match real.strip_prefix(held.path()) {
            Ok(below) if to.is_relative() => below.clone_into(&mut name),
            _ => return Err(RunnerError::Outside { path: pom }),
        }
    }
    // A pom may have any encoding; the parts that are read here are ASCII.
    held.read_text(&name, POM_BYTES_MAX).map_err(io_error(&pom))
}

/// Tells whether a folder is Maven's own output, `target` beside a pom.
fn is_output(folder: &Path) -> bool {
    folder.ends_with("target") && folder.with_file_name("pom.xml").is_file()
}

fn key(tree: &Tree, jdk: &Jdk, monitor: &Monitor) -> Result<String, RunnerError> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(tree.hash(monitor)?.as_bytes());
    let version = format!("{FORMAT} {} {}", env!("CARGO_PKG_VERSION"), jdk.version);
    hasher.update(version.as_bytes());
    hasher.update(jdk.home.as_os_str().as_encoded_bytes());
    Ok(hasher.finalize().to_hex().to_string())
}

/// Tells whether a stored build is good enough for the present request. It is not where another try might download
/// more, or build more with the network.
fn is_enough(build: &Build, site: &Site, options: &PrepareOptions) -> bool {
    let is_whole = build.unbuilt.is_empty() && build.dropped.is_empty();
    let may_gain = options.has_build_network && !build.has_network && !is_whole;
    site.is_offline || !(build.lacks_downloads || may_gain)
}

/// Reads a stored build; nothing where it is of another key or format, or files of it are missing.
fn read_build(place: &Path, key: &str) -> Option<Build> {
    let bytes = Root::open(place).ok()?.read(KEPT, KEPT_BYTES_MAX).ok()?;
    let build: Build = serde_json::from_slice(&bytes).ok()?;
    let is_it = build.format == FORMAT && build.key == key;
    let are_there = |jars: &[PathBuf]| jars.iter().all(|jar| jar.is_file());
    let is_whole = build.tree.is_dir()
        && build.repository.is_dir()
        && build.jacoco_agent.is_file()
        && build.jacoco_cli.is_file()
        && are_there(&build.jacoco)
        && are_there(&build.pit)
        && build
            .modules
            .iter()
            .all(|module| are_there(&module.launcher));
    (is_it && is_whole).then_some(build)
}

fn write_build(place: &Path, build: &Build) -> Result<(), RunnerError> {
    let text = serde_json::to_vec_pretty(build).expect("names of fields are text");
    write(place, KEPT, &text)
}

/// Writes one of focalist's files into the folder of a build.
fn write(place: &Path, name: &str, bytes: &[u8]) -> Result<(), RunnerError> {
    let root = Root::open(place).map_err(io_error(place))?;
    root.write(name, bytes).map_err(io_error(&place.join(name)))
}

struct BuildContext<'w> {
    site: &'w Site,
    /// Whether the project's code has the network.
    has_network: bool,
    /// The tree to copy.
    tree: &'w Tree,
    place: &'w Path,
    monitor: &'w Monitor,
}

/// The result of the calls of Maven.
struct MavenBuild {
    events: MavenEvents,
    output: MavenOutput,
    /// Plugins that failed and were dropped.
    dropped: Vec<String>,
    known: ProjectDeclaration,
    /// Why something could not be downloaded.
    failures: BTreeSet<String>,
}

impl BuildContext<'_> {
    /// Copies the tree and builds it. Where Maven is killed from outside, files may be half written, so all is made
    /// again.
    fn make_anew(&self, mvn: &Mvn<'_>) -> Result<MavenBuild, RunnerError> {
        let mut n_calls = 0;
        loop {
            n_calls += 1;
            self.site.sandbox.remove(self.place)?;
            self.tree.copy(&self.place.join("tree"), self.monitor)?;
            let made = self.make(mvn)?;
            if !made.output.is_killed || n_calls == N_CALLS_MAX {
                return Ok(made);
            }
        }
    }

    /// Builds without the plugins in the way; each try continues after the one before. Artifacts that are missing
    /// without a network are downloaded in between.
    fn make(&self, mvn: &Mvn<'_>) -> Result<MavenBuild, RunnerError> {
        let mut dropped: BTreeSet<String> = plugins::dropped().map(str::to_owned).collect();
        let mut failed = BTreeSet::new();
        let mut n_tries = 0;
        let mut fetching = Fetching::new(self, mvn)?;
        let mut killed = fetching.all(&dropped)?;
        loop {
            if let Some(output) = killed {
                return Ok(MavenBuild {
                    events: MavenEvents::default(),
                    output,
                    dropped: Vec::new(),
                    known: fetching.known,
                    failures: fetching.failures,
                });
            }
            n_tries += 1;
            let mut arguments = mvn.edits(&dropped);
            arguments.extend(["-fae", "test-compile"].map(str::to_owned));
            let (output, mut events) = fetching.build(arguments)?;
            if !output.is_success && !output.is_killed {
                let more = fetching.news(&events.missing);
                if !more.is_empty() {
                    n_tries -= 1;
                    killed = fetching.more(&dropped, &more)?;
                    continue;
                }
            }
            let in_the_way: Vec<String> = events
                .failed_plugins
                .iter()
                .filter(|failed_plugin| {
                    plugins::may_go(failed_plugin) && !dropped.contains(*failed_plugin)
                })
                .cloned()
                .collect();
            if in_the_way.is_empty() || n_tries == N_TRIES_MAX || output.is_killed {
                let notes = failed
                    .iter()
                    .map(|failed| format!("dropped because it fails: {failed}"));
                events.notes.extend(notes);
                events.notes.extend(fetching.notes);
                return Ok(MavenBuild {
                    events,
                    output,
                    dropped: failed.into_iter().collect(),
                    known: fetching.known,
                    failures: fetching.failures,
                });
            }
            failed.extend(in_the_way.iter().cloned());
            dropped.extend(in_the_way);
        }
    }
}

impl MavenBuild {
    /// Finds a newer JDK where the one that was used is too old for a module; nothing where none is needed or fits.
    fn newer(&self, jdks: &[Jdk], used: &Jdk) -> Option<Jdk> {
        let reasons = self
            .events
            .unbuilt
            .iter()
            .map(|unbuilt_module| unbuilt_module.reason.as_str());
        let least = reasons.filter_map(least_feature).max()?;
        let found = choose(jdks, Some(least)).ok()?;
        (found.feature > used.feature).then_some(found)
    }

    /// Tells whether another try would end the same way: Maven ended by itself, and the disk had room.
    fn is_for_good(&self) -> bool {
        let mut unbuilt = self.events.unbuilt.iter();
        self.output.ending.is_none()
            && !unbuilt.any(|unbuilt_module| is_full(&unbuilt_module.reason))
    }

    fn into_build(self, mvn: &Mvn<'_>, place: &Path, key: String) -> Build {
        let mut unbuilt = self.events.unbuilt;
        if !self.events.has_begun {
            let reason = self
                .output
                .ending
                .or_else(|| log::first_errors(&self.output.log));
            let tree = format!("{}/", place.join("tree").display());
            let reason = reason.map(|reason| reason.replace(&tree, ""));
            unbuilt.push(UnbuiltModule {
                folder: String::new(),
                reason: reason.unwrap_or_else(|| "Maven does not say why".to_owned()),
            });
        } else if let Some(reason) = self.output.ending {
            // Modules that Maven did not get to are not named anywhere.
            unbuilt.retain(|unbuilt_module| !unbuilt_module.folder.is_empty());
            unbuilt.push(UnbuiltModule {
                folder: String::new(),
                reason,
            });
        }
        let lacking = unbuilt
            .iter_mut()
            .filter(|unbuilt_module| wants_network(&unbuilt_module.reason));
        let mut lacks_downloads = false;
        for unbuilt_module in lacking {
            lacks_downloads = true;
            unbuilt_module.reason = failed::explained(&unbuilt_module.reason, &self.failures);
        }
        Build {
            format: FORMAT,
            key,
            tree: place.join("tree"),
            jdk: mvn.jdk.clone(),
            maven: mvn.maven.clone(),
            repository: place.join(fetch::REPOSITORY),
            shared: mvn.folders.shared(),
            modules: self.events.modules,
            unbuilt,
            jacoco: Vec::new(),
            jacoco_agent: PathBuf::new(),
            jacoco_cli: PathBuf::new(),
            dropped: self.dropped,
            jacoco_version: String::new(),
            pit: Vec::new(),
            notes: self.events.notes.into_iter().collect(),
            lacks_downloads,
            has_network: false,
        }
    }
}

/// Tells whether Maven or Java blames a failed build on the lack of a network.
fn wants_network(reason: &str) -> bool {
    let marks = [
        "offline mode",
        "UnknownHostException",
        "Network is unreachable",
        "name resolution",
    ];
    marks.iter().any(|mark| reason.contains(mark))
}

/// Reads out of a reason the version of Java that javac does not know.
fn least_feature(reason: &str) -> Option<u32> {
    let marks = [
        "release version ",
        "invalid target release: ",
        "invalid source release: ",
    ];
    marks.iter().find_map(|mark| {
        let (_, rest) = reason.split_once(mark)?;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn javac_says_how_new_it_would_have_to_be() {
        let check = |reason, expected| assert_eq!(least_feature(reason), expected);
        check(
            "Fatal error compiling: error: release version 21 not supported",
            Some(21),
        );
        check("error: invalid target release: 19\nx", Some(19));
        check("cannot find symbol", None);
    }
}
