//! The command `clover`: problems out of the suite of a Python project, their lines and their files.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use crate::args::{self, CloverAction, CloverRun, TableName};
use crate::clover::{
    self, Classes, CloverError, CloverOptions, CloverProblem, LineSet, MeasuredCase,
};
use crate::command::execute::cases::{caveats, environment, read, warn, wire};
use crate::command::{jobs, site, workspace};
use crate::exchange::{WireBlock, WireCaseRan, WireClasses, WireExtracted, write_lines};
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::{JobKind, Outcome, counted};
use crate::runner::Site;
use crate::runner::python::{Environment, ProcessKind, PythonCase};
use crate::store::{Store, StoreAccess};
use crate::table::{TextTable, visible};
use crate::task::{Cancelled, Monitor, Phase};
use crate::{Context, progress};

pub mod answer_runs;
mod eval;
mod gaps;
mod tables;
pub mod tasks;
mod tokens;

/// The open store, the place, the project and the options while something runs.
struct CloverRunContext<'d> {
    store: &'d mut Store,
    site: &'d Site,
    environment: &'d Environment,
    options: &'d CloverOptions,
}

pub fn run(context: &mut Context<'_, '_>, arguments: &args::Clover) -> Result<(), Stop> {
    match &arguments.action {
        CloverAction::Extract { run, show } => extract(context, run, show.as_deref()),
        CloverAction::Cov {
            run,
            cases: Some(file),
            ..
        } => measure_cases(context, run, file),
        CloverAction::Cov { run, .. } => measure(context, run),
        CloverAction::Classes { run, test, blocks } => {
            classes(context, run, test.as_deref(), *blocks)
        }
        CloverAction::Eval(run) => eval::run(context, run),
        CloverAction::Tokens(arguments) => tokens::run(context, arguments),
        CloverAction::Tasks { run, .. } => tasks::run(context, run, &arguments.action),
    }
}

fn go<T>(
    context: &mut Context<'_, '_>,
    run: &CloverRun,
    tests: Vec<String>,
    work: impl FnOnce(&mut CloverRunContext<'_>, &Monitor) -> Result<T, CloverError>,
) -> Result<(T, &'static str), Stop> {
    let site = site::open(run.site)?;
    let environment = environment(&site, &run.project)?;
    warn(context, &site);
    caveats(context, &environment);
    let access = StoreAccess::Create;
    let value = progress::run_job(context, JobKind::Clover, access, |context, monitor| {
        let options = options(context, run, tests);
        let mut store = workspace::create(context)?;
        monitor.enter(Phase::Executing);
        let mut desk = CloverRunContext {
            store: &mut store,
            site: &site,
            environment: &environment,
            options: &options,
        };
        Ok(work(&mut desk, monitor)?)
    })?;
    Ok((value, site.sandbox.tool().name()))
}

fn options(context: &Context<'_, '_>, run: &CloverRun, tests: Vec<String>) -> CloverOptions {
    CloverOptions {
        tests,
        limit: Duration::from_secs_f64(run.timeout),
        n_jobs: n_jobs(context, run.jobs),
        n_repeats: run.repeats as usize,
        how: how(&run.engine),
    }
}

fn n_jobs(context: &Context<'_, '_>, n_wanted: Option<usize>) -> usize {
    let n_cores = std::thread::available_parallelism().map_or(1, usize::from);
    jobs::n_threads(context, n_wanted).unwrap_or(n_cores).max(1)
}

fn how(engine: &str) -> ProcessKind {
    if engine == "fresh" {
        ProcessKind::Fresh
    } else {
        ProcessKind::Fork
    }
}

fn extract(context: &mut Context<'_, '_>, run: &CloverRun, show: Option<&str>) -> Result<(), Stop> {
    let tests = match show {
        Some(id) => vec![id.split("::").next().unwrap_or(id).to_owned()],
        None => run.tests.clone(),
    };
    let (problems, _) = go(context, run, tests, |desk, monitor| {
        clover::extract(
            desk.store,
            desk.site,
            desk.environment,
            desk.options,
            monitor,
        )
    })?;
    if let Some(id) = show {
        let problem = problems.iter().find(|problem| problem.id == id);
        return match problem.map(|clover_problem| (&clover_problem.code, &clover_problem.reason)) {
            Some((Some(code), _)) => Ok(context.streams.out.write_all(code.as_bytes())?),
            Some((None, reason)) => {
                let why = reason.as_deref().unwrap_or("it cannot be cut out");
                Err(Failure::new(
                    ExitCode::Problems,
                    format!("`{}` is not a problem: {}", visible(id), visible(why)),
                )
                .into())
            }
            None => Err(no_test(id)),
        };
    }
    context.print(
        TableName::of(run.json),
        |out| write_lines(out, problems.iter().map(wire_problem)),
        |_| [table(&problems)],
    )?;
    let n_verified = problems
        .iter()
        .filter(|problem| problem.is_verified())
        .count();
    context.say(&format!(
        "{n_verified} of {} are problems",
        counted(problems.len() as u64, "test function")
    ));
    context.end(0)
}

fn no_test(id: &str) -> Stop {
    let failure = Failure::new(
        ExitCode::Input,
        format!("there is no test `{}`", visible(id)),
    );
    failure
        .with_hint("`focalist paper clover extract PROJECT` lists them, without parameters")
        .into()
}

fn wire_problem(clover_problem: &CloverProblem) -> WireExtracted {
    WireExtracted {
        id: clover_problem.id.clone(),
        path: clover_problem.path.clone(),
        code: clover_problem.code.clone(),
        outcome: clover_problem.outcome.map(Outcome::as_str),
        reason: clover_problem.reason.clone(),
        verified: clover_problem.is_verified(),
    }
}

fn table(problems: &[CloverProblem]) -> TextTable {
    let mut table = TextTable::of_texts(&["test", "outcome", "why it is not a problem"]);
    for problem in problems {
        let outcome = problem.outcome.map_or("", Outcome::as_str);
        table.row([
            problem.id.clone(),
            outcome.to_owned(),
            problem.reason.clone().unwrap_or_default(),
        ]);
    }
    table
}

fn measure(context: &mut Context<'_, '_>, run: &CloverRun) -> Result<(), Stop> {
    let (measured, sandbox) = go(context, run, run.tests.clone(), |desk, monitor| {
        clover::measure(
            desk.store,
            desk.site,
            desk.environment,
            desk.options,
            monitor,
        )
    })?;
    write_measured(context, run, &measured, sandbox)
}

fn measure_cases(context: &mut Context<'_, '_>, run: &CloverRun, file: &Path) -> Result<(), Stop> {
    let (wires, n_bad) = read(context, file)?;
    let cases: Vec<(String, PythonCase)> = wires
        .into_iter()
        .map(|wire| {
            (
                wire.id,
                PythonCase {
                    path: wire.path,
                    code: Some(wire.code),
                    ..PythonCase::default()
                },
            )
        })
        .collect();
    let site = site::open(run.site)?;
    let environment = environment(&site, &run.project)?;
    warn(context, &site);
    caveats(context, &environment);
    let mut found: BTreeMap<String, MeasuredCase> = BTreeMap::new();
    // Nothing of it is kept, so that it does not wait for a writer of the index.
    let access = StoreAccess::Read;
    progress::run_job(context, JobKind::Clover, access, |context, monitor| {
        let options = options(context, run, Vec::new());
        monitor.enter(Phase::Executing);
        let mut sink = |measured_case: MeasuredCase| {
            found.insert(measured_case.id.clone(), measured_case);
            Ok::<(), Cancelled>(())
        };
        clover::measure_cases(&site, &environment, &options, &cases, monitor, &mut sink)?;
        Ok(())
    })?;
    let sandbox = site.sandbox.tool().name();
    let measured: Vec<MeasuredCase> = cases
        .iter()
        .filter_map(|case| found.remove(&case.0))
        .collect();
    write_measured(context, run, &measured, sandbox)?;
    context.end(n_bad)
}

fn write_measured(
    context: &mut Context<'_, '_>,
    run: &CloverRun,
    measured: &[MeasuredCase],
    sandbox: &str,
) -> Result<(), Stop> {
    let ranges = |lines: &BTreeMap<String, LineSet>| -> BTreeMap<String, String> {
        lines
            .iter()
            .map(|(file, lines)| (file.clone(), lines.ranges()))
            .collect()
    };
    let wire = |measured_case: &MeasuredCase| WireCaseRan {
        lines: Some(ranges(&measured_case.lines)),
        unstable: Some(ranges(&measured_case.unstable)).filter(|map| !map.is_empty()),
        ..wire(&measured_case.id, measured_case.ran.clone(), sandbox)
    };
    context.print(
        TableName::of(run.json),
        |out| write_lines(out, measured.iter().map(wire)),
        |_| [measured_table(measured)],
    )?;
    let n_known = measured
        .iter()
        .filter(|measured_case| measured_case.is_known)
        .count();
    let n_unstable = measured
        .iter()
        .filter(|measured_case| !measured_case.unstable.is_empty())
        .count();
    context.say(&format!(
        "{} measured, {n_known} of them before, {n_unstable} with unstable lines",
        counted(measured.len() as u64, "file")
    ));
    context.end(0)
}

fn measured_table(measured: &[MeasuredCase]) -> TextTable {
    let mut table = TextTable::of(&["test", "outcome"], &["files", "lines", "unstable"]);
    let n_lines = |lines: &BTreeMap<String, LineSet>| {
        let n: usize = lines.values().map(|line_set| line_set.iter().count()).sum();
        n.to_string()
    };
    for measured_case in measured {
        table.row([
            measured_case.id.clone(),
            measured_case.ran.outcome.as_str().to_owned(),
            measured_case.lines.len().to_string(),
            n_lines(&measured_case.lines),
            n_lines(&measured_case.unstable),
        ]);
    }
    table
}

fn classes(
    context: &mut Context<'_, '_>,
    run: &CloverRun,
    test: Option<&str>,
    has_blocks: bool,
) -> Result<(), Stop> {
    // A test's classes come from all tests of its file.
    let tests = match test {
        Some(id) => vec![id.split("::").next().unwrap_or(id).to_owned()],
        None => run.tests.clone(),
    };
    let (mut all, _) = go(context, run, tests, |desk, monitor| {
        clover::classes(
            desk.store,
            desk.site,
            desk.environment,
            desk.options,
            has_blocks,
            monitor,
        )
    })?;
    if let Some(id) = test {
        all.retain(|classes| classes.id == id);
        if all.is_empty() {
            return Err(no_test(id));
        }
    }
    context.print(
        TableName::of(run.json),
        |out| write_lines(out, all.iter().cloned().map(wire_classes)),
        |_| [classes_table(&all)],
    )?;
    context.end(0)
}

fn classes_table(all: &[Classes]) -> TextTable {
    let mut table = TextTable::of(&["test"], &["peer", "rest", "repo", "blocks"]);
    for classes in all {
        let blocks = classes
            .blocks
            .as_ref()
            .map_or_else(String::new, |block| block.len().to_string());
        table.row([
            classes.id.clone(),
            classes.peer.len().to_string(),
            classes.rest.len().to_string(),
            classes.repo.len().to_string(),
            blocks,
        ]);
    }
    table
}

fn wire_classes(classes: Classes) -> WireClasses {
    let block = |statement_block: clover::StatementBlock| WireBlock {
        file: statement_block.file,
        first: statement_block.first,
        last: statement_block.last,
        statements: statement_block.n_statements,
    };
    WireClasses {
        id: classes.id,
        peer: classes.peer,
        rest: classes.rest,
        repo: classes.repo,
        blocks: classes
            .blocks
            .map(|statement_blocks| statement_blocks.into_iter().map(block).collect()),
    }
}

impl From<CloverError> for Stop {
    fn from(error: CloverError) -> Self {
        match error {
            CloverError::Runner(runner_error) => runner_error.into(),
            CloverError::Store(store_error) => store_error.into(),
            CloverError::Prompt(prompt_error) => prompt_error.into(),
            CloverError::Cancelled(cancelled) => cancelled.into(),
        }
    }
}
