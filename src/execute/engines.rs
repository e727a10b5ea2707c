//! Prepares projects and opens their engines.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::model::{ContentHash, EngineName, FocalCoverage, Mutant, Repo, Shake};
use crate::options::ExecuteOptions;
use crate::runner::faults::FaultEngine;
use crate::runner::java;
use crate::runner::java::fast::{self, Fast};
use crate::runner::java::maven::{Maven, MavenOptions};
use crate::runner::python;
use crate::runner::shakes::{self, ShakeEngine, ShakeRound, ShakeSink};
use crate::runner::variants::VariantEngine;
use crate::runner::{
    Candidate, CandidateSink, CoverageQuestion, Engine, HostFile, RunnerError, Site,
};
use crate::task::Monitor;

/// The project and the engine to open.
#[derive(Clone, Copy, Debug)]
pub struct OpenRequest<'a> {
    pub repo: &'a Repo,
    /// The folder of its sources.
    pub root: &'a Path,
    pub engine: EngineName,
    pub options: &'a ExecuteOptions,
    /// Whether it shall say which methods a test enters.
    pub wants_entered: bool,
    pub processes: Processes,
}

/// The number of candidates that a process runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Processes {
    /// As many as the engine chooses to run in it.
    Shared,
    /// One.
    Apart,
}

impl OpenRequest<'_> {
    #[must_use]
    pub const fn timeout(&self) -> Duration {
        self.options.timeout
    }
}

/// The versions of the programs that ran candidates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tools {
    pub jdk: Option<String>,
    pub jacoco: Option<String>,
    pub python: Option<String>,
}

/// The result of opening a project.
pub enum OpenReply<'s> {
    Ready {
        engine: Box<dyn Engine + 's>,
        /// A hash of the tree and of all that built it.
        build: String,
        tools: Tools,
        notes: Vec<String>,
    },
    /// It does not build, with the reason.
    NoBuild(String),
    /// Nothing can run it.
    NoEngine(String),
}

/// Prepares a project and opens its engine.
///
/// # Errors
/// Where no project at all could be prepared: a program is missing, or the sandbox does not work. A project that does
/// not build is not an error.
pub fn open<'s>(
    site: &'s Site,
    opening: OpenRequest<'_>,
    monitor: &Monitor,
) -> Result<OpenReply<'s>, RunnerError> {
    match opening.engine {
        EngineName::Fast | EngineName::Maven => of_java(site, opening, monitor),
        EngineName::Fork | EngineName::Fresh => of_python(site, opening, monitor),
    }
}

/// Returns the reason of a project that does not build; passes other errors on.
fn not_built(error: RunnerError) -> Result<String, RunnerError> {
    match error {
        RunnerError::NoProject { .. }
        | RunnerError::Outside { .. }
        | RunnerError::Unsupported { .. }
        | RunnerError::TooOld { .. }
        | RunnerError::Unavailable { .. } => Ok(error.to_string()),
        RunnerError::Sandbox(_)
        | RunnerError::Missing { .. }
        | RunnerError::Io { .. }
        | RunnerError::Worker { .. }
        | RunnerError::Full { .. }
        | RunnerError::Cancelled(_) => Err(error),
    }
}

fn of_python<'s>(
    site: &'s Site,
    opening: OpenRequest<'_>,
    monitor: &Monitor,
) -> Result<OpenReply<'s>, RunnerError> {
    let OpenRequest { root, options, .. } = opening;
    let asked = python::PythonPrepareOptions {
        name: opening.repo.name.clone(),
        ..python::PythonPrepareOptions::default()
    };
    let surroundings = python::Surroundings {
        path: options.machine.path.clone(),
        home: options.machine.home.clone(),
        environment: options.machine.way_out.clone(),
    };
    // An environment that the user has prepared, perhaps with a date or packages of their own, is used as it is.
    let prepared = match python::prepared(site, root, monitor)? {
        Some(environment) => Ok(environment),
        None => python::prepare(site, root, &asked, &surroundings, monitor, &mut |_| {}),
    };
    let environment = match prepared {
        Ok(environment) => environment,
        Err(error) => return not_built(error).map(OpenReply::NoBuild),
    };
    if let Some(refused) = &environment.refused {
        return Ok(OpenReply::NoBuild(refused.message.clone()));
    }
    let running = python::CaseRunner {
        how: match opening.engine {
            EngineName::Fresh => python::ProcessKind::Fresh,
            _ if opening.processes == Processes::Apart => python::ProcessKind::Fresh,
            EngineName::Fork | EngineName::Fast | EngineName::Maven => python::ProcessKind::Fork,
        },
        limit: options.timeout,
        n_jobs: options.n_jobs,
        has_lines: true,
        ..python::CaseRunner::default()
    };
    Ok(OpenReply::Ready {
        build: environment.key.clone(),
        tools: Tools {
            python: Some(environment.python.version.clone()),
            ..Tools::default()
        },
        notes: environment.caveats(),
        engine: Box::new(python::ForkingEngine::new(site, environment, running)),
    })
}

/// Prepares a project of Java; the inner error says why it has nothing to run.
///
/// # Errors
/// As [`open`].
pub fn build_of(
    site: &Site,
    root: &Path,
    options: &ExecuteOptions,
    monitor: &Monitor,
) -> Result<Result<java::Build, String>, RunnerError> {
    let asked = java::PrepareOptions {
        root: root.to_owned(),
        java_homes: options.java.clone(),
        maven: options.maven.clone(),
        machine: options.machine.clone(),
        is_rebuilt: false,
        has_build_network: false,
    };
    let build = match java::prepare(site, &asked, monitor) {
        Ok(prepared) => prepared.build,
        // A file of the project that cannot be read is the project's own fault; a file of the cache is not.
        Err(error @ RunnerError::Io { .. }) if is_below(root, &error) => {
            return Ok(Err(error.to_string()));
        }
        Err(error) => return not_built(error).map(Err),
    };
    if build.modules.is_empty() {
        let first = build
            .unbuilt
            .first()
            .map(|unbuilt_module| unbuilt_module.reason.clone());
        return Ok(Err(
            first.unwrap_or_else(|| "it has no module with tests".to_owned())
        ));
    }
    Ok(Ok(build))
}

/// Tells whether an error of the disk is about a file of a project.
fn is_below(root: &Path, error: &RunnerError) -> bool {
    let RunnerError::Io { path, .. } = error else {
        return false;
    };
    // Files are read through links, so the error may name the link's target.
    let real = root.canonicalize();
    path.starts_with(root) || real.is_ok_and(|real| path.starts_with(real))
}

fn of_java<'s>(
    site: &'s Site,
    opening: OpenRequest<'_>,
    monitor: &Monitor,
) -> Result<OpenReply<'s>, RunnerError> {
    let OpenRequest { root, options, .. } = opening;
    let build = match build_of(site, root, options, monitor)? {
        Ok(build) => build,
        Err(reason) => return Ok(OpenReply::NoBuild(reason)),
    };
    let unbuilt = build.unbuilt.iter();
    let unbuilt = unbuilt.map(|unbuilt_module| {
        format!(
            "module `{}` is left out: {}",
            unbuilt_module.folder, unbuilt_module.reason
        )
    });
    Ok(OpenReply::Ready {
        build: build.key.clone(),
        tools: Tools {
            jdk: Some(build.jdk.version.clone()),
            jacoco: Some(build.jacoco_version.clone()),
            python: None,
        },
        notes: unbuilt.collect(),
        engine: Box::new(JavaEngine {
            site,
            how: match opening.engine {
                EngineName::Maven => JavaEngineKind::Maven(MavenOptions {
                    limit: options.timeout,
                    is_alone: options.is_alone || opening.processes == Processes::Apart,
                }),
                EngineName::Fast | EngineName::Fork | EngineName::Fresh => {
                    let usual = fast::FastOptions::default();
                    JavaEngineKind::Fast(fast::FastOptions {
                        timeout: options.timeout,
                        n_jobs: options.n_jobs,
                        is_flat: options.is_flat,
                        more: options
                            .suite
                            .iter()
                            .map(|evo_suite| evo_suite.jar.clone())
                            .collect(),
                        tells_entered: opening.wants_entered,
                        n_runs_max: match opening.processes {
                            Processes::Shared => usual.n_runs_max,
                            Processes::Apart => 1,
                        },
                        ..usual
                    })
                }
            },
            build,
            compiler_folder: None,
            varied: BTreeMap::new(),
            order: None,
        }),
    })
}

/// The engine with the build that it runs.
pub struct JavaEngine<'s> {
    site: &'s Site,
    build: java::Build,
    how: JavaEngineKind,
    /// The folder where candidates were compiled last, with the running compiler.
    compiler_folder: Option<fast::CompilerFolder>,
    /// Variants that keep the contract, as the engine made them, by their ids.
    pub varied: BTreeMap<ContentHash, Mutant>,
    /// The patch of the JDK that iterates over sets in the other direction, or why there is none; `None` before it is
    /// asked for.
    pub order: Option<Result<PathBuf, String>>,
}

enum JavaEngineKind {
    Fast(fast::FastOptions),
    Maven(MavenOptions),
}

impl JavaEngine<'_> {
    /// Returns the engine that runs many candidates in a JVM, with the requested or the usual options.
    pub fn fast(&self) -> Fast<'_> {
        self.fast_with(self.options())
    }

    /// Returns the options of that engine.
    pub fn options(&self) -> fast::FastOptions {
        match &self.how {
            JavaEngineKind::Fast(options) => options.clone(),
            JavaEngineKind::Maven(_) => fast::FastOptions::default(),
        }
    }

    pub fn fast_with(&self, options: fast::FastOptions) -> Fast<'_> {
        Fast::new(self.site, &self.build, options)
    }

    /// Lets the engine do something. The compiler stays for the next call, unless something goes wrong.
    fn with<T>(
        &mut self,
        act: impl FnOnce(&mut dyn Engine) -> Result<T, RunnerError>,
    ) -> Result<T, RunnerError> {
        match &self.how {
            JavaEngineKind::Fast(options) => {
                let fast = Fast::new(self.site, &self.build, options.clone());
                let mut fast = fast.with_compiler_folder(self.compiler_folder.take());
                let done = act(&mut fast)?;
                self.compiler_folder = fast.leave();
                Ok(done)
            }
            JavaEngineKind::Maven(options) => {
                act(&mut Maven::new(self.site, &self.build, *options))
            }
        }
    }
}

impl Engine for JavaEngine<'_> {
    fn run(
        &mut self,
        files: &[HostFile],
        candidates: &[Candidate],
        monitor: &Monitor,
        sink: &mut CandidateSink<'_>,
    ) -> Result<(), RunnerError> {
        self.with(|entry| entry.run(files, candidates, monitor, sink))
    }

    fn measure(
        &mut self,
        questions: &[CoverageQuestion],
        monitor: &Monitor,
    ) -> Result<Vec<Vec<Option<FocalCoverage>>>, RunnerError> {
        let measured = self.with(|entry| entry.measure(questions, monitor));
        // The next step may take hours, and a waiting JVM takes memory.
        self.compiler_folder = None;
        measured
    }

    fn faults(&mut self) -> Option<&mut dyn FaultEngine> {
        // Where PIT could not be obtained, the preparation has reported it.
        let is_fast = matches!(self.how, JavaEngineKind::Fast(_));
        if is_fast && !self.build.pit.is_empty() {
            Some(self)
        } else {
            None
        }
    }

    fn varying(&mut self) -> Option<&mut dyn VariantEngine> {
        // As with mutants: the same program makes them.
        let is_fast = matches!(self.how, JavaEngineKind::Fast(_));
        if is_fast && !self.build.pit.is_empty() {
            Some(self)
        } else {
            None
        }
    }

    fn shaking(&mut self) -> Option<&mut dyn ShakeEngine> {
        if matches!(self.how, JavaEngineKind::Fast(_)) {
            Some(self)
        } else {
            None
        }
    }
}

impl ShakeEngine for JavaEngine<'_> {
    fn version(&self) -> String {
        format!("{} {}", env!("CARGO_PKG_VERSION"), self.build.jdk.version)
    }

    fn hindrance(&self, shake: Shake) -> Option<String> {
        shakes::hindrance(self.site, shake)
    }

    fn shake(
        &mut self,
        (files, candidates): (&[HostFile], &[Candidate]),
        rounds: &[ShakeRound],
        monitor: &Monitor,
        sink: &mut ShakeSink<'_>,
    ) -> Result<(), RunnerError> {
        let JavaEngineKind::Fast(options) = &self.how else {
            return Ok(());
        };
        let mut fast = Fast::new(self.site, &self.build, options.clone());
        let mut sink = |id, round, fate| sink(id, round, fate);
        fast.run_rounds(files, candidates, rounds, (monitor, &mut sink))
    }
}
