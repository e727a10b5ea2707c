//! The engine `maven`: the loop of Tests4J, by the project's own Maven and surefire.
//!
//! Candidates are compiled together; those with errors are dropped, until there are none. The rest runs together, as
//! the paper has it, or each in a separate process, with JaCoCo's agent: slow, and the reference for the counts of
//! other engines. A batch does not tell which of its tests has entered which method, so only a test that runs alone can
//! be correct, and not just passing.
//!
//! Each process of a batch ends at its first crash or hang; tests without an answer are then run again, each alone.
//!
//! Candidates never write where the host writes, or where a later call reads. Their inputs are in a folder that they
//! can only read. They run in a copy of the compiled tree that is thrown away after them, and report into a folder that
//! is new. Everything that is read there, or written to the tree, goes through a [`Root`].

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::candidate::{Candidate, CandidateExecution, Fate, HostFile};
use crate::java::fast::program;
use crate::java::host::Hosts;
use crate::java::invoke::{Folders, Mvn};
use crate::java::member::{MethodReader, ParsedMethod};
use crate::java::text::Cleaner;
use crate::java::tools::Machine;
use crate::java::{Build, Module};
use crate::model::{BlockedReason, Outcome, OutcomeReason, RunStage};
use crate::sandbox::Root;
use crate::task::{EngineStep, Monitor};
use crate::tree::Tree;
use crate::{CandidateSink, Engine, RunnerError, Site, io_error};

mod compile;
mod coverage;
mod hook;
mod limit;
mod reports;
mod tests_of;

#[cfg(test)]
pub(super) use reports::read as cases;

use compile::CompiledTree;
use tests_of::Tests;

/// The copy that candidates are compiled in, below the folder of the call.
const TREE: &str = "tree";

/// The options of the engine.
#[derive(Clone, Copy, Debug)]
pub struct MavenOptions {
    /// How long a test may take.
    pub limit: Duration,
    /// Whether each candidate runs in a separate process, and is measured.
    pub is_alone: bool,
}

/// Runs candidates of one project.
#[derive(Debug)]
pub struct Maven<'s> {
    site: &'s Site,
    build: &'s Build,
    options: MavenOptions,
}

impl<'s> Maven<'s> {
    #[must_use]
    pub const fn new(site: &'s Site, build: &'s Build, options: MavenOptions) -> Self {
        Self {
            site,
            build,
            options,
        }
    }
}

impl Engine for Maven<'_> {
    fn run(
        &mut self,
        files: &[HostFile],
        candidates: &[Candidate],
        monitor: &Monitor,
        sink: &mut CandidateSink<'_>,
    ) -> Result<(), RunnerError> {
        let folders = Folders::make(self.site)?;
        let machine = Machine::default();
        let mvn = Mvn::again(self.site, &folders, &machine, self.build, monitor)?;
        let scratch = self.site.sandbox.scratch()?;
        let root = Root::open(&scratch).map_err(io_error(&scratch))?;
        let tree = root.path().join(TREE);
        let step = monitor.timings.begin(EngineStep::Copy);
        Tree::read(&self.build.tree, |_| false, monitor)?.copy(&tree, monitor)?;
        drop(step);
        // Class files and lists of compiled sources contain the path of the tree.
        let is_bare = self.site.sandbox.tool().name() == "none";
        let place = if is_bare {
            tree.clone()
        } else {
            self.build.tree.clone()
        };
        let agent = if self.options.is_alone {
            let jacoco = &self.build.jacoco;
            Some(program::agent(self.site, &self.build.jdk, jacoco, monitor)?)
        } else {
            None
        };
        let bench = Bench {
            mvn: &mvn,
            agent,
            build: self.build,
            options: self.options,
            root,
            tree,
            place,
            n_folders: Cell::new(0),
            monitor,
        };
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (idx, candidate) in candidates.iter().enumerate() {
            let file = &files[candidate.file_idx];
            let is_power_mock = file.text.contains("org.powermock");
            match module_of(self.build, &file.path) {
                // PowerMock's class loaders and JaCoCo's agent undo each other's work (SEEDS.md A2.18).
                _ if is_power_mock => {
                    sink(blocked(candidate, BlockedReason::NoEngine, "PowerMock"))?;
                }
                None => sink(blocked(
                    candidate,
                    BlockedReason::NoBuild,
                    "its module was not built",
                ))?,
                Some(module_idx) => groups.entry(module_idx).or_default().push(idx),
            }
        }
        for (module_idx, members) in groups {
            let group = Group {
                module: &self.build.modules[module_idx],
                files,
                candidates,
            };
            bench.run(&group, &members, sink)?;
        }
        self.site.sandbox.remove(&scratch)?;
        Ok(())
    }
}

/// The folders and settings of one call of the engine.
struct Bench<'b> {
    mvn: &'b Mvn<'b>,
    build: &'b Build,
    options: MavenOptions,
    /// The folder of the call; programs inside see only folders in it.
    root: Root,
    /// The path of the copy that candidates are put into.
    tree: PathBuf,
    /// The path at which a build sees it.
    place: PathBuf,
    n_folders: Cell<u64>,
    /// The folder of the agent that tells which methods were entered; nothing where that is not needed.
    agent: Option<PathBuf>,
    monitor: &'b Monitor,
}

/// The candidates of one module.
struct Group<'g> {
    module: &'g Module,
    files: &'g [HostFile],
    candidates: &'g [Candidate],
}

impl Group<'_> {
    fn file(&self, candidate_idx: usize) -> &HostFile {
        &self.files[self.candidates[candidate_idx].file_idx]
    }
}

impl Bench<'_> {
    fn run(
        &self,
        group: &Group<'_>,
        members: &[usize],
        sink: &mut CandidateSink<'_>,
    ) -> Result<(), RunnerError> {
        let Some(version) = &group.module.surefire.version else {
            for idx in members {
                let candidate = &group.candidates[*idx];
                sink(blocked(
                    candidate,
                    BlockedReason::NoEngine,
                    "the module has no surefire",
                ))?;
            }
            return Ok(());
        };
        let mut reader = MethodReader::new();
        let mut texts: BTreeMap<usize, Option<ParsedMethod>> = BTreeMap::new();
        for idx in members {
            let candidate = &group.candidates[*idx];
            let text = limit::limited(&candidate.text, candidate.framework, self.options.limit);
            if candidate.text.is_empty() {
                texts.insert(*idx, None);
                continue;
            }
            // The added limit may break a text of an unusual form, so the original text is tried, too.
            match reader
                .member(&text)
                .or_else(|_| reader.member(&candidate.text))
            {
                Ok(member) => {
                    texts.insert(*idx, Some(member));
                }
                Err(error) => {
                    let mut ran =
                        CandidateExecution::new(candidate.id, Fate::Ran(Outcome::Unparsable));
                    ran.why = Some(OutcomeReason {
                        stage: RunStage::Compile,
                        code: None,
                        kind: None,
                        message: self.clean(&error.message),
                        line: Some(error.line),
                        trace: None,
                    });
                    sink(ran)?;
                }
            }
        }
        for round in compile::rounds(group, texts.keys().copied()) {
            let compiled = self.compile(group, &round, &texts, sink)?;
            self.execute(group, &compiled, version, sink)?;
            self.put_back(group, &compiled)?;
        }
        Ok(())
    }

    /// Runs the candidates that have compiled.
    fn execute(
        &self,
        group: &Group<'_>,
        compiled: &CompiledTree,
        version: &str,
        sink: &mut CandidateSink<'_>,
    ) -> Result<(), RunnerError> {
        let tree = self.root.folder(TREE).map_err(io_error(&self.tree))?;
        let hosts = Hosts::read(&tree, &[self.here(&group.module.test_output)]);
        let mut tests = Tests {
            bench: self,
            group,
            compiled,
            version,
            hosts: BTreeMap::new(),
        };
        for (idx, placed) in &compiled.placed {
            let candidate = &group.candidates[*idx];
            let names = (candidate.name.as_str(), placed.name.as_str());
            if let Some(host) = hosts.host_of(&class_of(candidate), names) {
                tests.hosts.insert(*idx, host);
            } else {
                let why = "no class that is not abstract has this test";
                sink(blocked(candidate, BlockedReason::NoScaffold, why))?;
            }
        }
        tests.run(sink)
    }

    /// Restores the files of a round, so that the next one compiles.
    fn put_back(&self, group: &Group<'_>, compiled: &CompiledTree) -> Result<(), RunnerError> {
        for file_idx in &compiled.files {
            let file = &group.files[*file_idx];
            let path = self.tree.join(&file.path);
            let written = self.root.write(&path, &file.text);
            written.map_err(io_error(&path))?;
        }
        Ok(())
    }

    /// Tells whether there is no sandbox, so that every path is the same inside and outside.
    fn is_bare(&self) -> bool {
        self.place == self.tree
    }

    /// Makes a new folder.
    fn fresh(&self, name: &str) -> Result<Root, RunnerError> {
        let n = self.n_folders.get();
        self.n_folders.set(n + 1);
        let name = format!("{name}-{n}");
        let made = self.root.create_folder(&name);
        let opened = made.and_then(|()| self.root.folder(&name));
        opened.map_err(io_error(&self.root.path().join(name)))
    }

    /// Maps a path of the tree in a build to its path here.
    fn here(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(&self.build.tree) {
            Ok(below) => self.tree.join(below),
            Err(_) => path.to_owned(),
        }
    }

    /// Maps a path of the tree here to its path in a build.
    fn there(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(&self.build.tree) {
            Ok(below) => self.place.join(below),
            Err(_) => path.to_owned(),
        }
    }

    /// Removes control characters from a foreign text, and makes its paths relative to the project.
    fn clean(&self, text: &str) -> String {
        Cleaner::new(std::slice::from_ref(&self.place)).clean(text)
    }
}

/// Finds the built module of a test file.
fn module_of(build: &Build, path: &str) -> Option<usize> {
    let path = build.tree.join(path);
    let roots = build.modules.iter().enumerate().flat_map(|(idx, module)| {
        let roots = module.test_source_roots.iter();
        roots.map(move |root| (idx, root))
    });
    let holding = roots.filter(|root| path.starts_with(root.1));
    let nearest = holding.max_by_key(|pair| pair.1.components().count());
    nearest.map(|nearest| nearest.0)
}

/// Returns the binary name of the class that a candidate stands in.
fn class_of(candidate: &Candidate) -> String {
    let nesting = candidate.nesting.join("$");
    if candidate.package.is_empty() {
        nesting
    } else {
        format!("{}.{nesting}", candidate.package)
    }
}

fn blocked(candidate: &Candidate, why: BlockedReason, message: &str) -> CandidateExecution {
    let mut ran = CandidateExecution::new(candidate.id, Fate::Blocked(why));
    ran.why = Some(OutcomeReason {
        stage: RunStage::Compile,
        code: None,
        kind: None,
        message: message.to_owned(),
        line: None,
        trace: None,
    });
    ran
}
