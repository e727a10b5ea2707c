//! Preparing: from a repository to a [`Build`] that is kept in the cache, by one call of Maven where that is enough.
//!
//! A build is done at its place, because class files and class paths tell where they were made. It is whole when its
//! `build.json` is there, which is written last; what lies there without one is of somebody who was killed, and is removed.
//! Locks keep two from one build, and from one local repository, at a time.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::java::events::{self, Heard, Places};
use crate::java::invoke::{Call, Folders, Mvn, N_CALLS_MAX, Said};
use crate::java::tools::{Machine, choose};
use crate::java::{Build, Jdk, Unbuilt, kit, log, plugins, pom};
use crate::sandbox::Bind;
use crate::task::Monitor;
use crate::tree::Tree;
use crate::{RunnerError, Site, io_error};

/// Of the shape of [`Build`], and of what is done to get one.
const FORMAT: u32 = 4;
/// How often a build is tried without the plugins that have failed.
const N_TRIES_MAX: usize = 12;
/// A build that takes longer waits for something that does not come.
const WALL: Duration = Duration::from_secs(60 * 60);
const WAIT: Duration = Duration::from_millis(50);

/// What is prepared, and with what.
#[derive(Clone, Debug)]
pub struct PrepareOptions {
    /// The repository; its pom lies there.
    pub root: PathBuf,
    /// JDKs to choose from before those that are found.
    pub java_homes: Vec<PathBuf>,
    /// Maven's home, or its program.
    pub maven: Option<PathBuf>,
    pub machine: Machine,
    /// Builds again what is in the cache.
    pub is_rebuilt: bool,
}

/// A project that is ready, as far as it could be built.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub build: Build,
    pub is_from_cache: bool,
    /// What Maven said, all calls one after the other.
    pub log: PathBuf,
}

/// Builds a project in a copy, or returns what was built before.
///
/// A project, or a module, that does not build is no error: [`Build::unbuilt`] has the reason.
///
/// # Errors
/// Where a program is missing, of the disk and the sandbox, and where it is cancelled.
pub fn prepare(
    site: &Site,
    options: &PrepareOptions,
    monitor: &Monitor,
) -> Result<Prepared, RunnerError> {
    let pom = options.root.join("pom.xml");
    if !pom.is_file() {
        return Err(RunnerError::NoProject {
            root: options.root.clone(),
            wants: "pom.xml",
        });
    }
    // A pom may be in any encoding; what is asked of it here is ASCII.
    let text = String::from_utf8_lossy(&fs::read(&pom).map_err(io_error(&pom))?).into_owned();
    let jdks = options.machine.jdks(&options.java_homes)?;
    let jdk = choose(&jdks, pom::asked(&text))?;
    let maven_home = options.machine.maven(options.maven.as_deref())?;
    let folders = Folders::make(site)?;
    let tree = Tree::read(&options.root, is_output, monitor)?;
    let key = key(&tree, &jdk, monitor)?;
    let place = folders.builds().join(&key[..24]);
    let _lock = lock(&place.with_extension("lock"), monitor)?;
    let kept = place.join("build.json");
    if !options.is_rebuilt
        && let Some(build) = read_build(&kept, &key)
        && (site.is_offline || !build.lacks_downloads)
    {
        return Ok(Prepared {
            build,
            is_from_cache: true,
            log: place.join("maven.log"),
        });
    }
    // Maven is not made for two that write to one local repository.
    let _repository = lock(&folders.root.join("repository.lock"), monitor)?;
    let mut mvn = Mvn::new(site, &folders, &options.machine, (jdk, maven_home), monitor)?;
    let work = Work {
        site,
        tree: &tree,
        place: &place,
        folders: &folders,
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
        made.heard.notes.insert(note);
    }
    let is_for_good = made.is_for_good();
    let mut build = made.into_build(&mvn, &place, key);
    if tree.n_links_left_out > 0 {
        build.notes.push(format!(
            "{} links lead out of the repository: left out",
            tree.n_links_left_out
        ));
    }
    if !build.modules.is_empty() {
        kit::add(&mut build, &mvn, &place.join("kit"), monitor)?;
        if is_for_good {
            write_build(&kept, &build)?;
        }
    }
    Ok(Prepared {
        build,
        is_from_cache: false,
        log: place.join("maven.log"),
    })
}

/// Maven's own output, which is beside a pom.
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

/// Waits for a lock that the kernel gives back however its holder ends.
fn lock(path: &Path, monitor: &Monitor) -> Result<File, RunnerError> {
    let file = File::create(path).map_err(io_error(path))?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => {
                monitor.step()?;
                thread::sleep(WAIT);
            }
            Err(TryLockError::Error(source)) => return Err(io_error(path)(source)),
        }
    }
}

/// Reads a build that is whole and whose files are there.
fn read_build(path: &Path, key: &str) -> Option<Build> {
    let build: Build = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    let is_it = build.format == FORMAT && build.key == key;
    let are_there = |jars: &[PathBuf]| jars.iter().all(|it| it.is_file());
    let is_whole = build.tree.is_dir()
        && build.jacoco_agent.is_file()
        && build.jacoco_cli.is_file()
        && are_there(&build.jacoco)
        && build.modules.iter().all(|it| are_there(&it.launcher));
    (is_it && is_whole).then_some(build)
}

fn write_build(path: &Path, build: &Build) -> Result<(), RunnerError> {
    let part = path.with_extension("part");
    let text = serde_json::to_vec_pretty(build).expect("names of fields are text");
    fs::write(&part, text).map_err(io_error(&part))?;
    fs::rename(&part, path).map_err(io_error(path))
}

struct Work<'w> {
    site: &'w Site,
    /// What is copied.
    tree: &'w Tree,
    place: &'w Path,
    folders: &'w Folders,
    monitor: &'w Monitor,
}

/// What the calls of Maven came to.
struct Made {
    heard: Heard,
    said: Said,
    /// Plugins that failed and were dropped.
    dropped: Vec<String>,
}

impl Work<'_> {
    /// Copies the tree and builds it. Where somebody kills Maven, files may be there by half, so nothing of it is kept.
    fn make_anew(&self, mvn: &Mvn<'_>) -> Result<Made, RunnerError> {
        let mut n_calls = 0;
        loop {
            n_calls += 1;
            self.site.sandbox.remove(self.place)?;
            self.tree.copy(&self.place.join("tree"), self.monitor)?;
            let made = self.make(mvn)?;
            if !made.said.is_killed || n_calls == N_CALLS_MAX {
                return Ok(made);
            }
        }
    }

    /// Builds, without those plugins that are in the way; each try goes on from where the one before came.
    fn make(&self, mvn: &Mvn<'_>) -> Result<Made, RunnerError> {
        let (tree, said) = (self.place.join("tree"), self.place.join("said"));
        fs::create_dir_all(&said).map_err(io_error(&said))?;
        let mut dropped: BTreeSet<String> = plugins::dropped().map(str::to_owned).collect();
        let mut failed = BTreeSet::new();
        let mut n_tries = 0;
        let mut logs = String::new();
        loop {
            n_tries += 1;
            let mut arguments = mvn.edits(&dropped);
            arguments.extend(["-fae", "test-compile"].map(str::to_owned));
            let call = Call {
                folder: tree.clone(),
                arguments,
                binds: vec![Bind::write(&tree), Bind::write(&said)],
                said: said.clone(),
                is_confined: false,
                wall: WALL,
            };
            let answer = mvn.call(&call, self.monitor)?;
            logs.push_str(&answer.log);
            let path = self.place.join("maven.log");
            fs::write(&path, &logs).map_err(io_error(&path))?;
            let repository = self.folders.repository();
            let places = Places {
                tree: &tree,
                others: vec![&repository, &mvn.jdk.home],
            };
            let mut heard = events::read(&answer.events, &places);
            let in_the_way: Vec<String> = heard
                .failed_plugins
                .iter()
                .filter(|it| plugins::may_go(it) && !dropped.contains(*it))
                .cloned()
                .collect();
            if in_the_way.is_empty() || n_tries == N_TRIES_MAX || answer.is_killed {
                let notes = failed
                    .iter()
                    .map(|it| format!("dropped because it fails: {it}"));
                heard.notes.extend(notes);
                return Ok(Made {
                    heard,
                    said: answer,
                    dropped: failed.into_iter().collect(),
                });
            }
            failed.extend(in_the_way.iter().cloned());
            dropped.extend(in_the_way);
        }
    }
}

impl Made {
    /// Returns the JDK that this needs where it was too old.
    fn newer(&self, jdks: &[Jdk], used: &Jdk) -> Option<Jdk> {
        let reasons = self.heard.unbuilt.iter().map(|it| it.reason.as_str());
        let least = reasons.filter_map(least_feature).max()?;
        let found = choose(jdks, Some(least)).ok()?;
        (found.feature > used.feature).then_some(found)
    }

    /// Returns whether it would come to the same another time: nobody ended Maven, and the disk had room.
    fn is_for_good(&self) -> bool {
        let mut unbuilt = self.heard.unbuilt.iter();
        self.said.ending.is_none() && !unbuilt.any(|it| is_full(&it.reason))
    }

    fn into_build(self, mvn: &Mvn<'_>, place: &Path, key: String) -> Build {
        let mut unbuilt = self.heard.unbuilt;
        if !self.heard.has_begun {
            let reason = self
                .said
                .ending
                .or_else(|| log::first_errors(&self.said.log));
            let tree = format!("{}/", place.join("tree").display());
            let reason = reason.map(|it| it.replace(&tree, ""));
            unbuilt.push(Unbuilt {
                folder: String::new(),
                reason: reason.unwrap_or_else(|| "Maven does not say why".to_owned()),
            });
        } else if let Some(reason) = self.said.ending {
            // Modules that it did not come to are named nowhere.
            unbuilt.retain(|it| !it.folder.is_empty());
            unbuilt.push(Unbuilt {
                folder: String::new(),
                reason,
            });
        }
        // So Maven says it.
        let lacks_downloads = unbuilt.iter().any(|it| it.reason.contains("offline mode"));
        Build {
            format: FORMAT,
            key,
            tree: place.join("tree"),
            jdk: mvn.jdk.clone(),
            maven: mvn.maven.clone(),
            repository: mvn.folders.repository(),
            modules: self.heard.modules,
            unbuilt,
            jacoco: Vec::new(),
            jacoco_agent: PathBuf::new(),
            jacoco_cli: PathBuf::new(),
            dropped: self.dropped,
            jacoco_version: String::new(),
            notes: self.heard.notes.into_iter().collect(),
            lacks_downloads,
        }
    }
}

/// Returns whether a build failed for want of room, which may be there the next time.
fn is_full(reason: &str) -> bool {
    reason.contains("No space left on device") || reason.contains("Disk quota exceeded")
}

/// Returns the version of Java that javac says it does not know.
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
