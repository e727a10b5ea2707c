//! Opens what runs a project: prepares it, and starts its engine.

use std::path::Path;
use std::time::Duration;

use crate::model::{FocalCoverage, Repo};
use crate::options::{EngineName, Options};
use crate::runner::java;
use crate::runner::java::fast::{self, Fast};
use crate::runner::{Candidate, Engine, HostFile, Question, Ran, RunnerError, Site};
use crate::task::{Cancelled, Monitor};

/// What is to be opened.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'a> {
    pub repo: &'a Repo,
    /// Where its sources are.
    pub root: &'a Path,
    pub engine: EngineName,
    pub options: &'a Options,
    /// Whether it shall say which methods a test enters.
    pub wants_entered: bool,
}

impl Opening<'_> {
    #[must_use]
    pub const fn timeout(&self) -> Duration {
        self.options.timeout
    }
}

/// The versions of what ran candidates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tools {
    pub jdk: Option<String>,
    pub jacoco: Option<String>,
    pub python: Option<String>,
}

/// What came of it.
pub enum Opened<'s> {
    Ready {
        engine: Box<dyn Engine + 's>,
        /// A hash of the tree and all that built it.
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
/// Where no project could be prepared: a program is missing, the sandbox does not work. A project that does not build is
/// no error.
pub fn open<'s>(
    site: &'s Site,
    opening: Opening<'_>,
    monitor: &Monitor,
) -> Result<Opened<'s>, RunnerError> {
    match opening.engine {
        EngineName::Fast | EngineName::Maven => of_java(site, opening, monitor),
        EngineName::Fork | EngineName::Fresh => Ok(missing(opening.engine)),
    }
}

fn missing(engine: EngineName) -> Opened<'static> {
    Opened::NoEngine(format!("engine `{}` is not there yet", engine.as_str()))
}

fn of_java<'s>(
    site: &'s Site,
    opening: Opening<'_>,
    monitor: &Monitor,
) -> Result<Opened<'s>, RunnerError> {
    let Opening { root, options, .. } = opening;
    let asked = java::PrepareOptions {
        root: root.to_owned(),
        java_homes: options.java.clone(),
        maven: options.maven.clone(),
        machine: options.machine.clone(),
        is_rebuilt: false,
    };
    let build = match java::prepare(site, &asked, monitor) {
        Ok(prepared) => prepared.build,
        Err(error @ (RunnerError::NoProject { .. } | RunnerError::Unavailable { .. })) => {
            return Ok(Opened::NoBuild(error.to_string()));
        }
        Err(error) => return Err(error),
    };
    if build.modules.is_empty() {
        let first = build.unbuilt.first().map(|it| it.reason.clone());
        return Ok(Opened::NoBuild(
            first.unwrap_or_else(|| "it has no module with tests".to_owned()),
        ));
    }
    if opening.engine == EngineName::Maven {
        return Ok(missing(opening.engine));
    }
    let unbuilt = build.unbuilt.iter();
    let unbuilt = unbuilt.map(|it| format!("module `{}` is left out: {}", it.folder, it.reason));
    Ok(Opened::Ready {
        build: build.key.clone(),
        tools: Tools {
            jdk: Some(build.jdk.version.clone()),
            jacoco: Some(build.jacoco_version.clone()),
            python: None,
        },
        notes: unbuilt.collect(),
        engine: Box::new(OfJava {
            site,
            options: fast::Options {
                timeout: options.timeout,
                n_jobs: options.n_jobs,
                is_flat: options.is_flat,
                tells_entered: opening.wants_entered,
                ..fast::Options::default()
            },
            build,
        }),
    })
}

/// The engine with the build that it runs.
struct OfJava<'s> {
    site: &'s Site,
    build: java::Build,
    options: fast::Options,
}

impl OfJava<'_> {
    fn engine(&self) -> Fast<'_> {
        Fast::new(self.site, &self.build, self.options.clone())
    }
}

impl Engine for OfJava<'_> {
    fn run(
        &mut self,
        files: &[HostFile],
        candidates: &[Candidate],
        monitor: &Monitor,
        sink: &mut dyn FnMut(Ran) -> Result<(), Cancelled>,
    ) -> Result<(), RunnerError> {
        self.engine().run(files, candidates, monitor, sink)
    }

    fn measure(
        &mut self,
        questions: &[Question],
        monitor: &Monitor,
    ) -> Result<Vec<Vec<Option<FocalCoverage>>>, RunnerError> {
        self.engine().measure(questions, monitor)
    }
}
