//! Answers that have run, kept under the names of those who answered, and scored: Results lists them.

use std::time::Duration;

use crate::args::CloverEval;
use crate::clover::{self, ExecutedAnswer, KeptRun};
use crate::command::mining::in_pool;
use crate::command::{hint, jobs, scoring};
use crate::eval::crystal::CrystalOptions;
use crate::eval::evaluate::{EvalOptions, evaluate};
use crate::failure::Stop;
use crate::metric::codebleu::WEIGHTS;
use crate::metric::metrics_of;
use crate::model::{ExecutionSetting, counted};
use crate::runner::Site;
use crate::store::{Store, check_run_name};
use crate::table::visible;
use crate::task::Monitor;
use crate::{Context, metric::Metric};

/// The metrics of an answer beside its truth that are shown by default.
const METRICS: [&str; 3] = ["em", "edit", "bleu"];

/// Keeps the answers of every model that is named beside them, each model's as a run, and says where they are.
pub fn keep(
    context: &mut Context<'_, '_>,
    (store, site): (&mut Store, &Site),
    arguments: &CloverEval,
    answers: &[(Option<&str>, ExecutedAnswer<'_>)],
    monitor: &Monitor,
) -> Result<(), Stop> {
    let mut models: Vec<&str> = answers.iter().filter_map(|answer| answer.0).collect();
    models.sort_unstable();
    models.dedup();
    let mut kept = Vec::new();
    for model in models {
        let own = answers.iter().filter(|answer| answer.0 == Some(model));
        let own: Vec<ExecutedAnswer<'_>> = own.map(|own| own.1).collect();
        let name = if check_run_name(model).is_ok() {
            let keeping = keeping(model, site, arguments);
            clover::keep(store, &keeping, &own, monitor)?
        } else {
            None
        };
        match name {
            Some(name) => kept.push(name),
            None => context.say(&format!(
                "warning: no run can be called `{}`: its answers are not in Results",
                visible(model)
            )),
        }
    }
    let n_unnamed = answers.iter().filter(|answer| answer.0.is_none()).count();
    if n_unnamed > 0 {
        context.say(&format!(
            "{} named neither `run` nor `model`: Results lists only answers of a named model",
            counted(n_unnamed as u64, "line")
        ));
    }
    let n_threads = jobs::n_threads(context, arguments.jobs);
    in_pool(n_threads, || score(store, &kept, &METRICS, monitor))?;
    for name in &kept {
        context.say(&listed(name));
    }
    Ok(())
}

/// Scores runs of answers to questions, so that lists say at once how near answers are to the truth.
pub fn score(
    store: &mut Store,
    runs: &[String],
    metrics: &[&'static str],
    monitor: &Monitor,
) -> Result<(), Stop> {
    // Without names, all runs would be meant.
    if runs.is_empty() {
        return Ok(());
    }
    let metrics: Vec<&'static Metric> = metrics_of(metrics.iter().copied()).unwrap_or_default();
    let options = EvalOptions {
        runs: runs.to_vec(),
        metrics,
        weights: WEIGHTS,
        crystal: CrystalOptions::default(),
        force: false,
        ast: None,
    };
    evaluate(store, monitor, &options)?;
    Ok(())
}

/// Tells in a sentence where to look at a run.
pub fn listed(name: &str) -> String {
    format!("{} lists the answers", hint::command(&["results", name]))
}

fn keeping<'k>(name: &'k str, site: &Site, arguments: &CloverEval) -> KeptRun<'k> {
    let files = arguments
        .answers
        .iter()
        .map(|answer| answer.display().to_string());
    let runs = arguments.run.iter().map(|run| format!("run {run}"));
    let sources: Vec<String> = runs.chain(files).collect();
    KeptRun {
        name,
        source: sources.join(" "),
        execution: ExecutionSetting {
            engine: arguments.engine.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            options: format!("clover timeout={}", arguments.timeout),
            sandbox: site.sandbox.tool().name().to_owned(),
            executed_at: scoring::now(),
        },
        limit: Duration::from_secs_f64(arguments.timeout),
    }
}
