//! What an execution works with: the store, the engines that were opened, and what is reported.

use std::path::PathBuf;

use crate::Error;
use crate::engines::{Opened, Opening, Processes, Tools};
use crate::model::{Blocked, EngineName, Repo};
use crate::options::{Asked, Options};
use crate::report::{Report, Unbuilt};
use crate::runner::{Engine, RunnerError};
use crate::store::{Store, TestSpans};
use crate::task::{Monitor, Phase};

/// Opens what runs a project.
pub type Open<'s, 'o> = dyn FnMut(Opening<'_>, &Monitor) -> Result<Opened<'s>, RunnerError> + 'o;

pub struct Executing<'a, 's, 'o> {
    pub store: &'a mut Store,
    pub monitor: &'a Monitor,
    pub options: &'a Options,
    pub sandbox: &'a str,
    pub open: &'a mut Open<'s, 'o>,
    pub spans: TestSpans,
    pub report: Report,
    /// Projects whose engine is there.
    pub n_built: u64,
}

/// A project with its engine, or without.
pub struct Project<'s> {
    pub engine: Result<Box<dyn Engine + 's>, (Blocked, String)>,
    pub build: String,
    pub tools: Tools,
    pub notes: Vec<String>,
    pub name: String,
}

impl<'s> Executing<'_, 's, '_> {
    /// Prepares a project and opens its engine.
    pub fn open(
        &mut self,
        (repo, root): (&Repo, &PathBuf),
        engine: Option<EngineName>,
        processes: Processes,
    ) -> Result<Project<'s>, Error> {
        self.monitor.enter(Phase::Preparing);
        let none = |engine, name: &str| Project {
            engine: Err(engine),
            build: String::new(),
            tools: Tools::default(),
            notes: Vec::new(),
            name: name.to_owned(),
        };
        let Some(engine) = engine else {
            let reason = format!("no engine runs {}", repo.language.as_str());
            return Ok(none((Blocked::NoEngine, reason), &repo.name));
        };
        if !root.is_dir() {
            let reason = format!("there is no folder `{}`", root.display());
            self.unbuilt(&repo.name, &reason);
            return Ok(none((Blocked::NoBuild, reason), &repo.name));
        }
        let opening = Opening {
            repo,
            root,
            engine,
            options: self.options,
            wants_entered: matches!(self.options.asked, Asked::Truth | Asked::Traces),
            processes,
        };
        Ok(match (self.open)(opening, self.monitor)? {
            Opened::Ready {
                engine,
                build,
                tools,
                notes,
            } => {
                self.n_built += 1;
                Project {
                    engine: Ok(engine),
                    build,
                    tools,
                    notes,
                    name: repo.name.clone(),
                }
            }
            Opened::NoBuild(reason) => {
                self.unbuilt(&repo.name, &reason);
                none((Blocked::NoBuild, reason), &repo.name)
            }
            Opened::NoEngine(reason) => {
                self.unbuilt(&repo.name, &reason);
                none((Blocked::NoEngine, reason), &repo.name)
            }
        })
    }

    fn unbuilt(&mut self, project: &str, reason: &str) {
        let it = Unbuilt {
            project: project.to_owned(),
            reason: reason.to_owned(),
        };
        if !self.report.unbuilt.contains(&it) {
            self.report.unbuilt.push(it);
        }
    }
}
