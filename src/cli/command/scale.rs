//! The commands around shards: `plan`, `merge` and `cluster`.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::args;
use crate::command::mining::{describe, tell_problems};
use crate::command::repo_filter::step;
use crate::command::{trust, workspace};
use crate::exchange::shards::{WireLeftOut, WireMerged, WireMergedRun, WireShardRepo, WireSkipped};
use crate::exchange::write_line;
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::counted;
use crate::review;
use crate::scale::{
    self, MergeError, MergeOptions, MergeReport, PlanError, PlanOptions, RunPlanOptions, Sharding,
    UnmergedReason,
};
use crate::store::{Store, StoreAccess, Verdicts};
use crate::table::visible;
use crate::{Context, progress};

/// Cuts a list into shards.
pub fn plan(context: &mut Context<'_, '_>, arguments: &args::Plan) -> Result<(), Stop> {
    let into = match (arguments.shards, arguments.shard_size) {
        (Some(n), _) => Sharding::Shards(n as usize),
        (None, size) => Sharding::ShardSize(size.unwrap_or(u64::MAX)),
    };
    let list = match (&arguments.run, &arguments.list) {
        (Some(run), _) => return plan_of_run(context, arguments, (run, into)),
        (None, Some(list)) => list.clone(),
        (None, None) => PathBuf::new(),
    };
    let options = PlanOptions {
        list,
        output: arguments.output.clone(),
        into,
        fetch: arguments.fetch.clone(),
        filter: arguments.repo_filter,
        force: arguments.force.force,
    };
    let report = progress::run(context, |_, monitor| Ok(scale::plan(monitor, &options)?))?;
    if let Some(fetch) = &options.fetch {
        trust::give_fetch(context, &options.output.join(scale::PLAN_FILE), fetch);
    }
    // There is no index that could list them.
    let problems = &report.problems;
    for problem in problems.iter().take(20) {
        context.say(&format!("warning: {}", describe(problem)));
    }
    if problems.len() > 20 {
        let n_more = problems.len() as u64 - 20;
        context.say(&format!("warning: … and {}", counted(n_more, "more line")));
    }
    let plan = &report.plan;
    if !plan.funnel.is_empty() {
        let steps: Vec<String> = plan.funnel.iter().map(step).collect();
        context.say(&format!("repositories: {}", steps.join(", ")));
    }
    let unknown = match plan.n_unknown_size {
        0 => String::new(),
        n => format!(", {n} of unknown size"),
    };
    let was_there = if report.is_unchanged {
        "; they were there already"
    } else {
        ""
    };
    context.say(&format!(
        "{}{unknown} in {}{was_there}; {} could not be used",
        counted(plan.n_repositories, "repository"),
        counted(plan.shards.len() as u64, "shard"),
        counted(problems.len() as u64, "line")
    ));
    context.end(problems.len())
}

/// Cuts a run, or the prompts of one, into shards.
fn plan_of_run(
    context: &mut Context<'_, '_>,
    arguments: &args::Plan,
    (run, into): (&str, Sharding),
) -> Result<(), Stop> {
    let folder = workspace::folder(context);
    let workspace = folder.parent().unwrap_or(&folder);
    let options = RunPlanOptions {
        run: run.to_owned(),
        workspace: std::path::absolute(workspace)?,
        output: arguments.output.clone(),
        into,
        force: arguments.force.force,
    };
    let report = progress::run(context, |context, monitor| {
        if let Some(prompts) = &arguments.prompts {
            return Ok(scale::plan_prompts(monitor, prompts, &options)?);
        }
        let store = workspace::open(context)?;
        Ok(scale::plan_run(&store, monitor, &options)?)
    })?;
    let plan = &report.plan;
    let what = match arguments.prompts {
        Some(_) => "prompt",
        None => "prediction",
    };
    let was_there = if report.is_unchanged {
        "; they were there already"
    } else {
        ""
    };
    context.say(&format!(
        "{} of run {} in {}{was_there}",
        counted(
            plan.run
                .as_ref()
                .map_or(0, |planned_run| planned_run.n_lines),
            what
        ),
        visible(run),
        counted(plan.shards.len() as u64, "shard")
    ));
    Ok(())
}

/// Merges workspaces into the one that is asked for.
pub fn merge(context: &mut Context<'_, '_>, arguments: &args::Merge) -> Result<(), Stop> {
    if let Some(run) = &arguments.run {
        return merge_of_run(context, arguments, run);
    }
    let options = MergeOptions {
        inputs: arguments.inputs.clone(),
        seed: arguments.seed,
        is_strict: context.global.strict,
    };
    let report = progress::run(context, |context, monitor| {
        let mut store = workspace::create(context)?;
        Ok(scale::merge(&mut store, monitor, &options)?)
    })?;
    let folder = workspace::folder(context);
    let n_events = merge_verdicts(context, &report, &folder)?;
    tell_left_out(context, &report);
    tell_skipped(context, &report);
    if arguments.json {
        write_line(context.streams.out, &wire(&report, n_events))?;
    }
    let verdicts = match n_events {
        0 => String::new(),
        n => format!(", {} of verdicts", counted(n, "event")),
    };
    context.say(&format!(
        "{} merged: {}, {} of them there already, {}{verdicts}",
        counted(report.n_inputs, "workspace"),
        counted(report.n_repos, "repository"),
        report.n_known,
        counted(report.n_tests, "test")
    ));
    context.end(report.left_out.len())
}

/// Brings back the scores, outcomes and answers of a run from its shards.
fn merge_of_run(
    context: &mut Context<'_, '_>,
    arguments: &args::Merge,
    run: &str,
) -> Result<(), Stop> {
    let report = progress::run(context, |context, monitor| {
        let mut store = workspace::create(context)?;
        let inputs = (arguments.inputs.as_slice(), context.global.strict);
        Ok(scale::merge_run(&mut store, monitor, run, inputs)?)
    })?;
    for (path, why) in &report.left_out {
        let path = path.display();
        context.say(&format!("warning: `{path}` was left out: {why}"));
    }
    if arguments.json {
        let line = WireMergedRun {
            run: run.to_owned(),
            n_inputs: report.n_inputs,
            n_predictions: report.n_predictions,
            n_scores: report.n_scores,
            n_outcomes: report.n_outcomes,
            n_answers: report.n_answers,
            left_out: left_out(&report.left_out),
        };
        write_line(context.streams.out, &line)?;
    }
    context.say(&format!(
        "{} of run {} merged: {}, {}, {}, {}",
        counted(report.n_inputs, "shard"),
        visible(run),
        counted(report.n_predictions, "prediction"),
        counted(report.n_scores, "score"),
        counted(report.n_outcomes, "outcome"),
        counted(report.n_answers, "new answer")
    ));
    context.end(report.left_out.len())
}

fn left_out(all: &[(PathBuf, UnmergedReason)]) -> Vec<WireLeftOut> {
    let wire = |(path, why): &(PathBuf, UnmergedReason)| WireLeftOut {
        path: path.to_string_lossy().into_owned(),
        why: why.to_string(),
    };
    all.iter().map(wire).collect()
}

/// The reason of repositories that a filter leaves out: nobody misses them.
const WANTED_OUT: &str = "filter";

fn wire(report: &MergeReport, n_events: u64) -> WireMerged {
    let mut by_reason = BTreeMap::<String, u64>::new();
    for reason in report
        .skipped
        .iter()
        .filter_map(|pair| pair.1.skipped.clone())
    {
        *by_reason.entry(reason).or_default() += 1;
    }
    let skipped = |(path, shard_repo): &(PathBuf, WireShardRepo)| {
        let reason = shard_repo
            .skipped
            .clone()
            .filter(|skipped| skipped != WANTED_OUT)?;
        Some(WireSkipped {
            shard: path.to_string_lossy().into_owned(),
            line: shard_repo.line,
            repository: shard_repo.repository.clone(),
            reason,
            detail: shard_repo.detail.clone(),
        })
    };
    WireMerged {
        n_inputs: report.n_inputs,
        n_repositories: report.n_repos,
        n_known: report.n_known,
        n_tests: report.n_tests,
        n_verdict_events: n_events,
        skipped: by_reason,
        repositories: report.skipped.iter().filter_map(skipped).collect(),
        several: report
            .several
            .iter()
            .map(|repo_key| repo_key.identity.clone())
            .collect(),
        left_out: left_out(&report.left_out),
    }
}

/// Names repositories that are in no index because their shard skipped them.
fn tell_skipped(context: &mut Context<'_, '_>, report: &MergeReport) {
    let wire = wire(report, 0);
    for repository in wire.repositories.iter().take(5) {
        context.say(&format!(
            "warning: {}:{}: `{}` was skipped: {}: {}",
            repository.shard,
            repository.line,
            repository.repository,
            repository.reason,
            repository.detail.as_deref().unwrap_or_default()
        ));
    }
    if wire.repositories.len() > 5 {
        let n_more = wire.repositories.len() as u64 - 5;
        context.say(&format!(
            "warning: … and {} that shards skipped (`--json` lists them)",
            counted(n_more, "more repository")
        ));
    }
    if !wire.skipped.is_empty() {
        let counts: Vec<String> = wire
            .skipped
            .iter()
            .map(|skipped| format!("{} {}", skipped.1, skipped.0))
            .collect();
        context.say(&format!("skipped by shards: {}", counts.join(", ")));
    }
}

/// Merges workspaces into a new one, which the caller keeps no longer than needed.
pub fn merge_into(
    context: &mut Context<'_, '_>,
    inputs: &[PathBuf],
    folder: &Path,
) -> Result<(), Stop> {
    let options = MergeOptions {
        inputs: inputs.to_vec(),
        seed: None,
        is_strict: context.global.strict,
    };
    let report = progress::run(context, |_, monitor| {
        let mut store = Store::open(folder, StoreAccess::Create)?;
        Ok(scale::merge(&mut store, monitor, &options)?)
    })?;
    merge_verdicts(context, &report, folder)?;
    tell_left_out(context, &report);
    tell_skipped(context, &report);
    Ok(())
}

fn tell_left_out(context: &mut Context<'_, '_>, report: &MergeReport) {
    for (path, why) in &report.left_out {
        let path = path.display();
        context.say(&format!("warning: `{path}` was left out: {why}"));
    }
    for key in report.several.iter().take(5) {
        context.say(&format!(
            "warning: `{}` is in several versions in the inputs; one was taken",
            key.identity
        ));
    }
    if report.several.len() > 5 {
        let n_more = report.several.len() as u64 - 5;
        context.say(&format!(
            "warning: … and {}",
            counted(n_more, "more project")
        ));
    }
}

/// Copies people's verdicts; events that are there already change nothing.
fn merge_verdicts(
    context: &mut Context<'_, '_>,
    report: &MergeReport,
    into: &Path,
) -> Result<u64, Stop> {
    let mut n_new = 0;
    for folder in &report.folders {
        if !folder.join(Verdicts::FILE_NAME).is_file() {
            continue;
        }
        let from = Verdicts::open(folder, StoreAccess::Read)?;
        let mut lines = Vec::new();
        review::export(&from, &mut lines)?;
        if lines.is_empty() {
            continue;
        }
        let mut verdicts = Verdicts::open(into, StoreAccess::Create)?;
        let name = folder.to_string_lossy();
        let merged = review::merge(&mut verdicts, &name, &mut lines.as_slice(), false)?;
        tell_problems(context, &merged.problems, "focalist verdicts export");
        n_new += merged.n_new;
    }
    Ok(n_new)
}

/// Prints the script that runs the shards of a folder.
pub fn cluster(context: &mut Context<'_, '_>, arguments: &args::Cluster) -> Result<(), Stop> {
    let script = scale::driver(arguments.engine, &arguments.shards, arguments.verb).map_err(
        |error: io::Error| {
            let message = format!("cannot use `{}`: {error}", arguments.shards.display());
            Failure::new(ExitCode::Input, message)
        },
    )?;
    context.streams.out.write_all(script.as_bytes())?;
    Ok(())
}

impl From<PlanError> for Stop {
    fn from(error: PlanError) -> Self {
        let message = error.to_string();
        match error {
            PlanError::Cancelled(cancelled) => cancelled.into(),
            PlanError::Store(error) => error.into(),
            PlanError::NoSuchRun(error) => error.into(),
            PlanError::EmptyRun { .. } => Failure::new(ExitCode::Problems, message).into(),
            PlanError::Other { .. } => Failure::new(ExitCode::Usage, message)
                .with_hint("`--force` replaces it; shards that are done stay")
                .into(),
            PlanError::Nothing { problems, .. } => {
                let failure = Failure::new(ExitCode::Problems, message);
                match problems.first() {
                    Some(first) => failure.with_hint(describe(first)).into(),
                    None => failure.into(),
                }
            }
            PlanError::Read { .. } | PlanError::Write { .. } => {
                Failure::new(ExitCode::Input, message).into()
            }
        }
    }
}

impl From<MergeError> for Stop {
    fn from(error: MergeError) -> Self {
        let message = error.to_string();
        match error {
            MergeError::Store(error) => error.into(),
            MergeError::Cancelled(cancelled) => cancelled.into(),
            MergeError::LeftOut { .. } => Failure::new(ExitCode::Problems, message)
                .with_hint("without `--strict` it is left out")
                .into(),
            MergeError::Nothing { left_out, .. } => {
                let failure = Failure::new(ExitCode::Problems, message);
                match left_out.first() {
                    Some((path, why)) => failure
                        .with_hint(format!("`{}`: {why}", path.display()))
                        .into(),
                    None => failure.into(),
                }
            }
            MergeError::Versions { .. } => Failure::new(ExitCode::Input, message)
                .with_hint(
                    "rows of different versions do not belong together: mine one of them again",
                )
                .into(),
            MergeError::Seeds { .. } => Failure::new(ExitCode::Usage, message)
                .with_hint("`--seed` says which one the splits are made with")
                .into(),
        }
    }
}
