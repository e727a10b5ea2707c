//! The questions of Runs.

use std::collections::BTreeMap;

use crate::eval::interval::correct;
use crate::model::{
    CoverScope, ExecutionFunnel, ExecutionSetting, FocalShares, LanguageFunnel, Problem,
};
use crate::question::shared::PROBLEMS_MAX;
use crate::question::source::{AnswerSource, MissingAnswer};
use crate::question::{Question, Slot};
use crate::task::Monitor;

/// The number of a run in the index.
pub type RunId = i64;

/// The unusable lines in the file of a run.
#[derive(Debug)]
pub struct RunProblemsQuestion(pub RunId);

impl Question for RunProblemsQuestion {
    type Answer = (RunId, Vec<Problem>);
    const SLOT: Slot = Slot("runs.problems");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let problems = source.store()?.run_problems(self.0, PROBLEMS_MAX)?;
        Ok((self.0, problems))
    }
}

/// The execution of a run, with its outcomes.
#[derive(Clone, Debug, PartialEq)]
pub struct RunExecution {
    /// The setting of its last execution.
    pub setting: ExecutionSetting,
    /// Counts of its unique candidates.
    pub funnel: ExecutionFunnel,
    /// The share of samples whose first answer is correct.
    pub correct: Option<f64>,
    /// The coverage of focal methods by passing candidates: by all of the project, and by those about the method alone.
    pub covered: [(CoverScope, FocalShares); 2],
}

/// The executions of all runs that were executed.
pub type Executions = BTreeMap<RunId, RunExecution>;

/// The executions of those of these runs that were executed.
#[derive(Debug)]
pub struct ExecutionsQuestion(pub Vec<RunId>);

impl Question for ExecutionsQuestion {
    type Answer = Executions;
    const SLOT: Slot = Slot("runs.executions");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let store = source.store()?;
        let runs = store.runs()?;
        let mut executions = Executions::new();
        for run in &self.0 {
            let Some(setting) = store.execution_setting(*run)? else {
                continue;
            };
            let totals = store.focal_totals(*run, &setting.engine)?;
            let shares = |scope| {
                let of_scope = totals.iter().filter(move |total| total.scope == scope);
                (scope, FocalShares::of(of_scope))
            };
            let row = runs.iter().find(|run_row| run_row.id == *run);
            let correct = match row {
                Some(row) => correct(store, &Monitor::default(), row)?,
                None => None,
            };
            let execution = RunExecution {
                correct: correct.map(|mean| mean.value),
                funnel: store.execution_funnel(*run, &setting.engine)?,
                covered: [shares(CoverScope::All), shares(CoverScope::Own)],
                setting,
            };
            executions.insert(*run, execution);
        }
        Ok(executions)
    }
}

/// For each run, the funnel of each language of its samples.
pub type Languages = BTreeMap<RunId, Vec<LanguageFunnel>>;

/// The languages of these runs' samples, executed or not.
#[derive(Debug)]
pub struct RunLanguagesQuestion(pub Vec<RunId>);

impl Question for RunLanguagesQuestion {
    type Answer = Languages;
    const SLOT: Slot = Slot("runs.languages");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let store = source.store()?;
        let mut languages = Languages::new();
        for run in &self.0 {
            let setting = store.execution_setting(*run)?;
            let engine =
                setting.map_or_else(String::new, |execution_setting| execution_setting.engine);
            languages.insert(*run, store.language_funnels(*run, &engine)?);
        }
        Ok(languages)
    }
}
