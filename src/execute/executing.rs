//! The state of an execution: the store, the engines that are opened, and the report.

use std::path::PathBuf;
use std::sync::Arc;

use crate::ExecuteError;
use crate::choose::ChosenRun;
use crate::engines::{OpenReply, OpenRequest, Processes, Tools};
use crate::model::{BlockedReason, EngineName, ExecutionSetting, Repo};
use crate::options::{ExecuteOptions, TestSource};
use crate::project::{PlanInputs, ProjectPlan};
use crate::report::{ExecuteReport, Unbuilt};
use crate::runner::{Engine, RunnerError};
use crate::store::{Extent, Store, TestSpans};
use crate::task::{EngineStep, Monitor, Phase};

/// Opens the engine of a project.
pub type ProjectOpener<'s, 'o> =
    dyn FnMut(OpenRequest<'_>, &Monitor) -> Result<OpenReply<'s>, RunnerError> + 'o;

pub struct ProjectExecutor<'a, 's, 'o> {
    pub store: &'a mut Store,
    pub monitor: &'a Monitor,
    pub options: &'a ExecuteOptions,
    pub sandbox: &'a str,
    pub open: &'a mut ProjectOpener<'s, 'o>,
    pub spans: TestSpans,
    pub report: ExecuteReport,
    /// The number of projects that could be opened.
    pub n_built: u64,
}

/// A project with its engine, or with the reason why it has none.
pub struct ProjectEngine<'s> {
    pub engine: Result<Box<dyn Engine + 's>, (BlockedReason, String)>,
    pub build: String,
    pub tools: Tools,
    pub notes: Vec<String>,
    pub name: String,
}

impl<'s> ProjectExecutor<'_, 's, '_> {
    /// Prepares a project and opens its engine, which tells the entered methods in runs of true tests.
    pub fn open(
        &mut self,
        place: (&Repo, &PathBuf),
        engine: Option<EngineName>,
        processes: Processes,
    ) -> Result<ProjectEngine<'s>, ExecuteError> {
        let wants_entered = matches!(
            self.options.test_source,
            TestSource::Truth | TestSource::Traces
        );
        self.open_telling(place, engine, (processes, wants_entered))
    }

    fn open_telling(
        &mut self,
        (repo, root): (&Repo, &PathBuf),
        engine: Option<EngineName>,
        (processes, wants_entered): (Processes, bool),
    ) -> Result<ProjectEngine<'s>, ExecuteError> {
        self.monitor.enter(Phase::Preparing);
        let none = |engine, name: &str| ProjectEngine {
            engine: Err(engine),
            build: String::new(),
            tools: Tools::default(),
            notes: Vec::new(),
            name: name.to_owned(),
        };
        let Some(engine) = engine else {
            let reason = format!("no engine runs {}", repo.language.as_str());
            return Ok(none((BlockedReason::NoEngine, reason), &repo.name));
        };
        if !root.is_dir() {
            let reason = format!("there is no folder `{}`", root.display());
            self.unbuilt(&repo.name, &reason);
            return Ok(none((BlockedReason::NoBuild, reason), &repo.name));
        }
        let opening = OpenRequest {
            repo,
            root,
            engine,
            options: self.options,
            wants_entered,
            processes,
        };
        self.monitor.timings.turn_to(engine.as_str());
        let step = self.monitor.timings.begin(EngineStep::Copy);
        let opened = (self.open)(opening, self.monitor)?;
        drop(step);
        Ok(match opened {
            OpenReply::Ready {
                engine,
                build,
                tools,
                notes,
            } => {
                self.n_built += 1;
                ProjectEngine {
                    engine: Ok(engine),
                    build,
                    tools,
                    notes,
                    name: repo.name.clone(),
                }
            }
            OpenReply::NoBuild(reason) => {
                self.unbuilt(&repo.name, &reason);
                none((BlockedReason::NoBuild, reason), &repo.name)
            }
            OpenReply::NoEngine(reason) => {
                self.unbuilt(&repo.name, &reason);
                none((BlockedReason::NoEngine, reason), &repo.name)
            }
        })
    }

    /// Prepares the project of some predictions of a run, the first of them given, and opens its engine; nothing where
    /// the sample is gone.
    pub fn open_of(
        &mut self,
        chosen: &ChosenRun,
        first: u32,
        processes: Processes,
    ) -> Result<Option<ProjectEngine<'s>>, ExecuteError> {
        let Some((repo, root)) = self.place_of(chosen, first)? else {
            return Ok(None);
        };
        self.open((&repo, &root), chosen.engine, processes)
            .map(Some)
    }

    /// As [`ProjectExecutor::open_of`], with an engine that tells which methods tests enter.
    pub fn open_to_look(
        &mut self,
        chosen: &ChosenRun,
        first: u32,
    ) -> Result<Option<ProjectEngine<'s>>, ExecuteError> {
        let Some((repo, root)) = self.place_of(chosen, first)? else {
            return Ok(None);
        };
        let how = (Processes::Shared, true);
        self.open_telling((&repo, &root), chosen.engine, how)
            .map(Some)
    }

    fn place_of(
        &self,
        chosen: &ChosenRun,
        first: u32,
    ) -> Result<Option<(Arc<Repo>, PathBuf)>, ExecuteError> {
        let run = &chosen.run;
        let first = self.store.prediction_keys(run.id, first, 1)?;
        let matcher = run.setting.matcher;
        let sample = self.store.placed_samples(&first, matcher, Extent::Sample)?;
        let sample = sample.into_iter().next().flatten();
        Ok(sample.map(|placed_sample| (placed_sample.sample.repo, placed_sample.sample.root)))
    }

    /// Plans predictions of a project as if none of them had run before.
    pub fn plan_anew(
        &self,
        chosen: &ChosenRun,
        (setting, build): (&ExecutionSetting, &str),
        ordinals: &[u32],
    ) -> Result<ProjectPlan, ExecuteError> {
        let run = &chosen.run;
        let options = ExecuteOptions {
            is_forced: true,
            ..self.options.clone()
        };
        let planning = PlanInputs {
            store: self.store,
            monitor: self.monitor,
            options: &options,
            run: run.id,
            run_setting: &run.setting,
            setting,
            spans: &self.spans,
            build,
            stamps: &self.store.execution_stamps(run.id, setting)?,
        };
        planning.plan(ordinals)
    }

    fn unbuilt(&mut self, project: &str, reason: &str) {
        let unbuilt_project = Unbuilt {
            project: project.to_owned(),
            reason: reason.to_owned(),
        };
        if !self.report.unbuilt.contains(&unbuilt_project) {
            self.report.unbuilt.push(unbuilt_project);
        }
    }
}
