//! `execute --cases`: test files of anybody, run in a prepared Python project.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::args;
use crate::command::{jobs, project_name, site};
use crate::exchange::{self, WireCase, WireCaseRan, WireItem, read_cases};
use crate::execute::EngineName;
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::{JobKind, counted};
use crate::runner::Site;
use crate::runner::python::{
    CaseExecution, CaseRunner, Environment, ProcessKind, PythonCase, run_cases,
};
use crate::store::StoreAccess;
use crate::table::visible;
use crate::task::{Cancelled, Phase};
use crate::{Context, progress};

pub fn run(
    context: &mut Context<'_, '_>,
    arguments: &args::Execute,
    file: &Path,
) -> Result<(), Stop> {
    let (wires, n_bad) = read(context, file)?;
    let site = site::open(arguments.site)?;
    let environment = environment(&site, arguments.project.as_deref().unwrap_or_default())?;
    warn(context, &site);
    caveats(context, &environment);
    let cases: Vec<PythonCase> = wires.iter().map(case_of).collect();
    let n_cores = std::thread::available_parallelism().map_or(1, usize::from);
    let running = CaseRunner {
        how: if arguments.engine == Some(EngineName::Fresh) {
            ProcessKind::Fresh
        } else {
            ProcessKind::Fork
        },
        limit: Duration::from_secs_f64(arguments.timeout),
        n_jobs: jobs::n_threads(context, arguments.jobs)
            .unwrap_or(n_cores)
            .max(1),
        ..CaseRunner::default()
    };
    let name = site.sandbox.tool().name();
    let access = StoreAccess::Read;
    let ran = progress::run_job(context, JobKind::Execute, access, |context, monitor| {
        monitor.enter(Phase::Executing);
        monitor
            .n_predictions_total
            .store(cases.len() as u64, Ordering::Relaxed);
        let mut waiting: BTreeMap<usize, CaseExecution> = BTreeMap::new();
        let mut misplaced = BTreeMap::new();
        let (mut n_written, mut counts, mut failed) = (0, BTreeMap::new(), None);
        let out = &mut *context.streams.out;
        run_cases(
            &site,
            &environment,
            &cases,
            &running,
            monitor,
            &mut |idx, ran| {
                monitor.n_predictions.fetch_add(1, Ordering::Relaxed);
                *counts.entry(ran.outcome).or_insert(0_u64) += 1;
                if ran.is_misplaced() {
                    misplaced.insert(wires[idx].line, ran.message.clone().unwrap_or_default());
                }
                waiting.insert(idx, ran);
                // In the order in which they were asked for.
                while let Some(ran) = waiting.remove(&n_written) {
                    let line = wire(&wires[n_written].id, ran, name);
                    if let Err(error) = exchange::write_line(out, &line) {
                        failed = Some(error);
                        return Err(Cancelled);
                    }
                    n_written += 1;
                }
                Ok(())
            },
        )
        .map_err(|error| failed.take().map_or_else(|| Stop::from(error), Stop::from))?;
        Ok((counts, misplaced))
    })?;
    let (ran, misplaced) = ran;
    for (line, why) in misplaced {
        context.say(&format!("warning: line {line}: {}", visible(&why)));
    }
    let counts: Vec<String> = ran
        .iter()
        .map(|(outcome, n)| format!("{n} {}", outcome.as_str()))
        .collect();
    let n_cases = counted(cases.len() as u64, "case");
    context.say(&format!(
        "{n_cases}: {}",
        if counts.is_empty() {
            "none ran".to_owned()
        } else {
            counts.join(", ")
        }
    ));
    context.end(n_bad)
}

/// Reads a file of cases, or standard input, and reports lines without a case: returns the cases, and the number of
/// those lines.
pub fn read(context: &mut Context<'_, '_>, file: &Path) -> Result<(Vec<WireCase>, usize), Stop> {
    let (cases, bad) = read_cases(&whole(context, file)?);
    for line in &bad {
        context.say(&format!("warning: line {}: {}", line.line, line.why));
    }
    if cases.is_empty() && !bad.is_empty() {
        let message = format!("none of the lines of `{}` is a case", file.display());
        return Err(Failure::new(ExitCode::Problems, message)
            .with_hint("a case is a line such as {\"id\": \"1\", \"path\": \"tests/test_x.py\", \"code\": \"…\"}")
            .into());
    }
    Ok((cases, bad.len()))
}

/// Reads a file, or standard input for `-`.
pub fn whole(context: &mut Context<'_, '_>, file: &Path) -> Result<Vec<u8>, Stop> {
    let bytes = if file == Path::new("-") {
        let mut bytes = Vec::new();
        io::Read::read_to_end(&mut context.streams.input, &mut bytes).map(|_| bytes)
    } else {
        fs::read(file)
    };
    Ok(bytes.map_err(Failure::unreadable(file))?)
}

/// Says aloud that code of others may do anything.
pub fn warn(context: &mut Context<'_, '_>, site: &Site) {
    if site.sandbox.tool().name() == "none" {
        context
            .say("warning: other people's code runs without a sandbox and may do anything that you may do");
    }
}

/// Prints the caveats that hold for every report of a project.
pub fn caveats(context: &mut Context<'_, '_>, environment: &Environment) {
    for caveat in environment.caveats() {
        context.say(&format!("warning: {caveat}"));
    }
}

/// Finds a prepared project; the failure says what to do.
pub fn environment(site: &Site, project: &str) -> Result<Environment, Stop> {
    environment_in(&site.cache, project)
}

/// Finds a prepared project of a cache; the failure says what to do.
pub fn environment_in(cache: &Path, project: &str) -> Result<Environment, Stop> {
    let names = || {
        let mut names: Vec<String> = Environment::all(cache)
            .into_iter()
            .map(|environment| environment.name)
            .collect();
        names.dedup();
        names
    };
    let known = || names().join(", ");
    let mut found = Environment::find(cache, project);
    if found.is_none() {
        // The last part of a name is enough where it is one project's.
        let names = names();
        let names: Vec<(&str, &str)> = names
            .iter()
            .map(|name| (name.as_str(), name.as_str()))
            .collect();
        let name = project_name::one_of(&names, project)?;
        found = name.and_then(|name| Environment::find(cache, &name));
    }
    let Some(environment) = found else {
        let failure = Failure::new(
            ExitCode::Input,
            format!("`{}` is not prepared", visible(project)),
        );
        let hint = match known() {
            names if names.is_empty() => "`focalist prepare PATH` prepares a project".to_owned(),
            names => format!(
                "prepared are {}; `focalist prepare PATH` prepares another",
                visible(&names)
            ),
        };
        return Err(failure.with_hint(hint).into());
    };
    if let Some(refused) = &environment.refused {
        let message = format!(
            "`{}` could not be prepared: {}",
            visible(project),
            visible(&refused.message)
        );
        let hint = "`focalist prepare PATH --json` lists every step";
        return Err(Failure::new(ExitCode::Problems, message)
            .with_hint(hint)
            .into());
    }
    Ok(environment)
}

fn case_of(wire: &WireCase) -> PythonCase {
    PythonCase {
        path: wire.path.clone(),
        code: Some(wire.code.clone()),
        ..PythonCase::default()
    }
}

/// Writes the outcome of a case.
pub fn wire(id: &str, ran: CaseExecution, sandbox: &str) -> WireCaseRan {
    WireCaseRan {
        id: id.to_owned(),
        outcome: ran.outcome.as_str(),
        reason: ran.reason,
        message: ran.message,
        items: ran
            .items
            .into_iter()
            .map(|item_execution| WireItem {
                id: item_execution.id,
                outcome: item_execution.outcome,
            })
            .collect(),
        seconds: ran.seconds,
        lines: ran.lines,
        unstable: None,
        engine: ran.engine,
        sandbox: sandbox.to_owned(),
    }
}
