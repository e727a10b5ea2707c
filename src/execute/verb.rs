//! The verb itself: run by run, project by project.

use std::sync::atomic::Ordering;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::choose::{ChosenRun, RunChoice, choose};
use crate::dry::dry;
use crate::engines::{self, Processes};
use crate::executing::{ProjectExecutor, ProjectOpener};
use crate::generated::generate;
use crate::keep::{ExecutionGround, ExecutionKeeper, blocked, copied, without_engine};
use crate::measure::measure;
use crate::model::{BlockedReason, CoverScope, ExecutionSetting, FocalShares, LanguageFunnel};
use crate::options::{ExecuteOptions, TestSource};
use crate::project::{ExecutionTask, PlanInputs, ProjectPlan};
use crate::report::{ExecuteReport, ProjectReport, RunReport};
use crate::runner::{CandidateExecution, Engine, Fate, RunnerError, Site};
use crate::store::{ExecutionStamp, Store};
use crate::task::{Cancelled, EngineStep, Monitor, Phase};
use crate::{ExecuteError, Tools};

/// Runs predictions and keeps their outcomes. A prediction that has its outcome is not run again, unless that is asked
/// for.
///
/// # Errors
/// Where nothing could be run, the disk fails, or the work is cancelled; outcomes until then are kept.
pub fn execute(
    store: &mut Store,
    monitor: &Monitor,
    site: &Site,
    options: &ExecuteOptions,
) -> Result<ExecuteReport, ExecuteError> {
    let sandbox = site.sandbox.tool().description();
    let warnings = match &options.suite {
        Some(suite) => generate(store, monitor, site, options, suite)?,
        None => Vec::new(),
    };
    let report = execute_with(
        store,
        monitor,
        &sandbox,
        options,
        &mut |opening, monitor| engines::open(site, opening, monitor),
    )?;
    Ok(ExecuteReport { warnings, ..report })
}

/// Runs predictions as [`execute`] does, by engines that the caller opens.
///
/// # Errors
/// As [`execute`].
pub fn execute_with(
    store: &mut Store,
    monitor: &Monitor,
    sandbox: &str,
    options: &ExecuteOptions,
    open: &mut ProjectOpener<'_, '_>,
) -> Result<ExecuteReport, ExecuteError> {
    monitor.enter(Phase::Reading);
    let RunChoice {
        chosen,
        not_run,
        unasked,
    } = choose(store, monitor, options)?;
    let projects: FxHashSet<&String> = chosen
        .iter()
        .flat_map(|chosen_run| chosen_run.by_project.keys())
        .collect();
    monitor
        .n_repos_total
        .fetch_add(projects.len() as u64, Ordering::Relaxed);
    let n_predictions: u64 = chosen.iter().map(ChosenRun::n_predictions).sum();
    monitor
        .n_predictions_total
        .fetch_add(n_predictions, Ordering::Relaxed);
    let mut executing = ProjectExecutor {
        spans: store.test_spans()?,
        store,
        monitor,
        options,
        sandbox,
        open,
        report: ExecuteReport {
            not_run,
            unasked,
            sandbox: sandbox.to_owned(),
            ..ExecuteReport::default()
        },
        n_built: 0,
    };
    if options.test_source == TestSource::Dry {
        dry(&mut executing, &chosen)?;
    } else {
        for languages in chosen.chunk_by(|a, b| a.run.id == b.run.id) {
            executing.run(languages)?;
        }
    }
    let ProjectExecutor {
        report, n_built, ..
    } = executing;
    if n_built == 0 && !report.unbuilt.is_empty() {
        return Err(ExecuteError::NothingBuilt {
            first: report.unbuilt.into_iter().next(),
        });
    }
    let is_asked_in_vain =
        |chosen_run: &ChosenRun| chosen_run.engine.is_none() || chosen_run.n_predictions() == 0;
    if chosen.iter().all(is_asked_in_vain) {
        return Err(ExecuteError::NoEngine {
            not_run: report.not_run,
        });
    }
    Ok(report)
}

/// Drops the numbers by language where all are of one language.
fn several(by_language: Vec<LanguageFunnel>) -> Vec<LanguageFunnel> {
    if by_language.len() > 1 {
        by_language
    } else {
        Vec::new()
    }
}

impl ProjectExecutor<'_, '_, '_> {
    /// Runs the chosen predictions of a run, language by language, and keeps their outcomes.
    fn run(&mut self, languages: &[ChosenRun]) -> Result<(), ExecuteError> {
        if self.options.has_timings {
            self.monitor.timings.start();
        }
        let mut projects = Vec::new();
        let is_dry = self
            .options
            .faults
            .as_ref()
            .is_some_and(|fault| fault.is_dry);
        for chosen in languages.iter().filter(|_| !is_dry) {
            let setting = chosen.setting(self.options, self.sandbox);
            // An engine that has nothing to run here has not executed the run.
            if chosen.n_predictions() == 0 && chosen.run.n_predictions > 0 {
                continue;
            }
            self.store.begin_executions(chosen.run.id, &setting)?;
            for (identity, ordinals) in &chosen.by_project {
                self.monitor.step()?;
                let report = self.project(chosen, &setting, identity, ordinals)?;
                projects.push(report);
                self.monitor.n_repos.fetch_add(1, Ordering::Relaxed);
            }
            self.gone(chosen, &setting)?;
        }
        // The candidates of all languages of the run are drawn together.
        let refuted = match self.options.confirms {
            Some(drawn) => self.confirm(languages, drawn)?,
            None => Vec::new(),
        };
        let stability = match &self.options.shakes {
            Some(asked) => Some(self.stability(languages, asked)?),
            None => None,
        };
        let faults = match &self.options.faults {
            Some(asked) => Some(self.faults(languages, asked)?),
            None => None,
        };
        let brittle = match self.options.brittle {
            Some(asked) if !is_dry => Some(self.brittle(languages, asked)?),
            _ => None,
        };
        if let Some(chosen) = languages.first() {
            let report = self.run_report(chosen)?;
            self.report.runs.push(RunReport {
                projects,
                refuted,
                faults,
                brittle,
                stability,
                timings: self.monitor.timings.take(),
                ..report
            });
        }
        Ok(())
    }

    /// Sums up the outcomes of a run so far, in all its languages.
    fn run_report(&self, chosen: &ChosenRun) -> Result<RunReport, ExecuteError> {
        let run = chosen.run.id;
        let setting = self.store.execution_setting(run)?;
        let setting = setting.unwrap_or_else(|| chosen.setting(self.options, self.sandbox));
        let engine = setting.engine;
        let totals = self.store.focal_totals(run, &engine)?;
        let shares =
            |scope| FocalShares::of(totals.iter().filter(move |total| total.scope == scope));
        let by_language = self.store.language_funnels(run, &engine)?;
        Ok(RunReport {
            run: chosen.run.setting.name.clone(),
            n_predictions: chosen.run.n_predictions,
            funnel: self.store.execution_funnel(run, &engine)?,
            by_language: several(by_language),
            engine,
            options: setting.options,
            projects: Vec::new(),
            all: shares(CoverScope::All),
            own: shares(CoverScope::Own),
            refuted: Vec::new(),
            faults: None,
            brittle: None,
            stability: None,
            timings: None,
        })
    }

    /// Writes rows for predictions whose samples have left the index.
    fn gone(&mut self, chosen: &ChosenRun, setting: &ExecutionSetting) -> Result<(), ExecuteError> {
        let run = chosen.run.id;
        let stamps = self.store.execution_stamps(run, setting)?;
        let planning = PlanInputs {
            store: self.store,
            monitor: self.monitor,
            options: self.options,
            run,
            run_setting: &chosen.run.setting,
            setting,
            spans: &self.spans,
            build: "",
            stamps: &stamps,
        };
        let due = planning.gone(&chosen.gone)?;
        let ground = ExecutionGround {
            setting,
            build: "",
            tools: Tools::default(),
            timeout: self.options.timeout,
        };
        let mut keeper = ExecutionKeeper::new(self.store, self.monitor, run, setting);
        for (ordinal, stamp) in due {
            keeper.add([ground.gone(ordinal, stamp)])?;
        }
        keeper.finish()?;
        let n_gone = chosen.gone.len() as u64;
        self.monitor
            .n_predictions
            .fetch_add(n_gone, Ordering::Relaxed);
        Ok(())
    }

    fn project(
        &mut self,
        chosen: &ChosenRun,
        setting: &ExecutionSetting,
        identity: &str,
        ordinals: &[u32],
    ) -> Result<ProjectReport, ExecuteError> {
        let run = &chosen.run;
        let Some(mut project) = self.open_of(chosen, ordinals[0], Processes::Shared)? else {
            return Ok(ProjectReport::default());
        };
        self.monitor.enter(Phase::Reading);
        let stamps = self.store.execution_stamps(run.id, setting)?;
        let planning = PlanInputs {
            store: self.store,
            monitor: self.monitor,
            options: self.options,
            run: run.id,
            run_setting: &run.setting,
            setting,
            spans: &self.spans,
            build: &project.build,
            stamps: &stamps,
        };
        let plan = planning.plan(ordinals)?;
        let mut report = ProjectReport {
            project: project.name.clone(),
            n_kept: plan.n_kept,
            notes: std::mem::take(&mut project.notes),
            ..ProjectReport::default()
        };
        self.monitor
            .n_predictions
            .fetch_add(plan.n_kept, Ordering::Relaxed);
        let ground = ExecutionGround {
            setting,
            build: &project.build,
            tools: project.tools.clone(),
            timeout: self.options.timeout,
        };
        let settled = plan.settled.as_slice();
        self.store
            .settle_asserts(run.id, &setting.engine, settled, self.monitor)?;
        self.copy(run.id, setting, &plan)?;
        self.monitor.enter(Phase::Executing);
        let running = RunningProject {
            ground: &ground,
            plan: &plan,
            stamps: &stamps,
            keeper: ExecutionKeeper::new(self.store, self.monitor, run.id, setting),
            monitor: self.monitor,
            is_done: vec![false; plan.tasks.len()],
            report: &mut report,
            failed: None,
        };
        running.all(&mut project.engine)?;
        self.monitor.enter(Phase::Measuring);
        measure(
            self.store,
            self.monitor,
            chosen,
            (setting, identity, ground.build),
            project
                .engine
                .as_mut()
                .ok()
                .map(|engine| engine.as_mut() as &mut dyn Engine),
        )?;
        Ok(report)
    }

    /// Writes the rows of predictions that equal others which have their outcome.
    fn copy(
        &mut self,
        run: i64,
        setting: &ExecutionSetting,
        plan: &ProjectPlan,
    ) -> Result<(), ExecuteError> {
        let mut rows = Vec::with_capacity(plan.copies.len());
        for copy in &plan.copies {
            if let Some(of) = self.store.execution(run, &setting.engine, copy.of)? {
                rows.push(copied(copy, of));
            }
        }
        let step = self.monitor.timings.begin(EngineStep::Write);
        self.store
            .write_executions(run, setting, &rows, self.monitor)?;
        drop(step);
        let n_rows = rows.len() as u64;
        self.monitor
            .n_predictions
            .fetch_add(n_rows, Ordering::Relaxed);
        Ok(())
    }
}

/// The tasks of one project while they run.
struct RunningProject<'a, 'k> {
    ground: &'a ExecutionGround<'a>,
    plan: &'a ProjectPlan,
    stamps: &'a FxHashMap<u32, ExecutionStamp>,
    keeper: ExecutionKeeper<'k>,
    monitor: &'a Monitor,
    is_done: Vec<bool>,
    report: &'a mut ProjectReport,
    failed: Option<ExecuteError>,
}

impl RunningProject<'_, '_> {
    /// Runs all tasks; where the engine gives up, the rest is blocked, and the engine is dropped.
    fn all(
        mut self,
        engine: &mut Result<Box<dyn Engine + '_>, (BlockedReason, String)>,
    ) -> Result<(), ExecuteError> {
        let mut ended = match engine {
            Ok(engine) => self.engine(engine.as_mut()),
            Err(_) => Ok(()),
        };
        if let Err(error) = &ended
            && error.is_of_project()
            && self.failed.is_none()
        {
            let reason = error.to_string();
            self.report.notes.push(reason.clone());
            *engine = Err((BlockedReason::NoEngine, reason));
            ended = Ok(());
        }
        if let Err((why, reason)) = engine {
            let mut all = 0..self.plan.tasks.len() as u64;
            ended = all
                .try_for_each(|id| self.take(&blocked(id, *why, reason)))
                .map_err(RunnerError::from);
        }
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if matches!(ended, Err(RunnerError::Cancelled(_))) {
            self.cancelled();
        }
        self.keeper.finish()?;
        Ok(ended?)
    }

    fn engine(&mut self, engine: &mut dyn Engine) -> Result<(), RunnerError> {
        for (id, task) in (0..).zip(&self.plan.tasks) {
            if let Some(ran) = without_engine(id, &task.repair) {
                self.take(&ran)?;
            }
        }
        if self.plan.candidates.is_empty() {
            return Ok(());
        }
        let plan = self.plan;
        let monitor = self.monitor;
        engine.run(&plan.files, &plan.candidates, monitor, &mut |ran| {
            self.take(&ran)?;
            monitor.step()
        })
    }

    /// Takes the result of a task; a second result for it is ignored.
    fn take(&mut self, ran: &CandidateExecution) -> Result<(), Cancelled> {
        let at = ran.id as usize;
        let Some(task) = self.plan.tasks.get(at).filter(|_| !self.is_done[at]) else {
            return Ok(());
        };
        self.is_done[at] = true;
        if matches!(ran.fate, Fate::Ran(_)) {
            self.report.n_run += 1;
        }
        self.report.n_outside_suite += u64::from(ran.is_outside_suite);
        let rows = self.ground.rows(task, ran);
        self.monitor
            .n_predictions
            .fetch_add(rows.len() as u64, Ordering::Relaxed);
        self.keep(rows)
    }

    fn keep(&mut self, rows: Vec<crate::store::WrittenExecution>) -> Result<(), Cancelled> {
        self.keeper.add(rows).map_err(|error| {
            if !matches!(error, ExecuteError::Cancelled(_)) {
                self.failed = Some(error);
            }
            Cancelled
        })
    }

    /// Marks tasks that were never run as cancelled. Those that have a row keep it.
    fn cancelled(&mut self) {
        let is_new = |task: &&ExecutionTask| !self.stamps.contains_key(&task.ordinal);
        let left: Vec<(u64, &ExecutionTask)> = (0..)
            .zip(&self.plan.tasks)
            .filter(|(id, task)| !self.is_done[*id as usize] && is_new(task))
            .collect();
        for (id, task) in left {
            let ran = blocked(id, BlockedReason::Cancelled, "");
            let rows = self.ground.rows(task, &ran);
            // The monitor is cancelled, so these rows are written at the end.
            self.keeper.later(rows);
        }
    }
}
