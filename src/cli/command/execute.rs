//! The command `execute`: predictions are run, and the funnel is told.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use crate::args;
use crate::command::{
    brittle, executed, faults, hint, inspect, jobs, part, project_name, scoring, site, stability,
    timings, workspace,
};
use crate::eval::executed::repair_of;
use crate::eval::interval::{CORRECT, correct};
use crate::exchange::outcomes::{
    WireDry, WireExecuted, WireExecutedProject, WireFault, languages_of,
};
use crate::exchange::write_line;
use crate::execute::outcomes::WriteError;
use crate::execute::{
    self, EngineName, ExecuteError, ExecuteOptions, ExecuteReport, GENERATED, RunReport, TestSource,
};
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::{
    BlockedReason, Confirmation, Filter, FocalShares, JobKind, Outcome, counted, grouped,
};
use crate::runner::java::EvoSuite;
use crate::store::StoreAccess;
use crate::table::{NumberStyle, TextTable, visible};
use crate::task::Monitor;
use crate::{Context, progress};

pub mod cases;
mod validate;

/// Faults that are listed one by one; the others are only counted, so that the end of the output stays in sight.
const N_TOLD: usize = 10;

pub fn run(context: &mut Context<'_, '_>, arguments: &args::Execute) -> Result<(), Stop> {
    if let Some(file) = &arguments.cases {
        return cases::run(context, arguments, file);
    }
    let options = options(context, arguments)?;
    if arguments.validate {
        let dry = ExecuteOptions {
            test_source: TestSource::Dry,
            ..options.clone()
        };
        let truth = ExecuteOptions {
            test_source: TestSource::Truth,
            ..options
        };
        return validate::run(context, arguments, [dry, truth]);
    }
    let all = format!(
        "{} {:?} {:?} {:?} {:?} {:?}",
        options.canonical(options.repairs.unwrap_or_default()),
        options.repairs,
        options.test_source,
        options.engine,
        options.repos,
        options.filter,
    );
    part::within(context, &arguments.part, ("execute", all), |context| {
        run_with(context, arguments, &options)
    })
}

/// Runs the requested samples, and reports those that could not be run.
fn executed(
    context: &mut Context<'_, '_>,
    arguments: &args::Execute,
    options: &ExecuteOptions,
) -> Result<ExecuteReport, Stop> {
    // Without a sandbox there is nothing to wait for.
    let site = site::open(arguments.site)?;
    if arguments.site.sandbox == args::SandboxName::None {
        context
            .say("warning: other people's code runs without a sandbox and may do anything that you may do");
    }
    let report = progress::run_job(
        context,
        JobKind::Execute,
        StoreAccess::Write,
        |context, monitor| {
            let mut store = workspace::open_for_writing(context)?;
            Ok(execute::execute(&mut store, monitor, &site, options)?)
        },
    )?;
    for unbuilt in &report.unbuilt {
        context.say(&format!("warning: {}: {}", unbuilt.project, unbuilt.reason));
    }
    for warning in &report.warnings {
        context.say(&format!("warning: {}", visible(warning)));
    }
    for not_run in &report.not_run {
        context.say(&format!("warning: {}", visible(&not_run.to_string())));
    }
    Ok(report)
}

fn run_with(
    context: &mut Context<'_, '_>,
    arguments: &args::Execute,
    options: &ExecuteOptions,
) -> Result<(), Stop> {
    let report = executed(context, arguments, options)?;
    if options.test_source == TestSource::Dry {
        return print_dry_run(context, arguments, &report);
    }
    if let TestSource::Runs(_) = options.test_source {
        for run in &report.unasked {
            let run = visible(run);
            context.say(&format!(
                "run {run}: none of its predictions matches the filter"
            ));
        }
    }
    if arguments.json {
        for run in &report.runs {
            write_line(context.streams.out, &wire(run, &report.sandbox))?;
        }
    } else {
        for (idx, run) in report.runs.iter().enumerate() {
            if idx > 0 {
                writeln!(context.streams.out)?;
            }
            if let Some(found) = run.faults.as_ref().filter(|_| arguments.faults.dry_run) {
                faults::write_dry(context.streams.out, &visible(&run.run), found)?;
                continue;
            }
            write(context, run, &report.sandbox)?;
            if let Some(found) = &run.stability {
                stability::write(context.streams.out, found)?;
            }
            if let Some(found) = &run.faults {
                faults::write(context.streams.out, found)?;
            }
            if let Some(found) = &run.brittle {
                brittle::write(context.streams.out, found)?;
            }
            if let Some(found) = &run.timings {
                timings::write(context.streams.out, found)?;
            }
        }
    }
    for run in &report.runs {
        tell(context, run);
        if options.confirms.is_some() {
            tell_refuted(context, run);
        }
        if let Some(found) = &run.stability {
            stability::tell(context, &visible(&run.run), found);
        }
        if let Some(found) = &run.faults {
            faults::tell(context, &visible(&run.run), found);
        }
        if let Some(found) = &run.brittle {
            brittle::tell(context, &visible(&run.run), found);
        }
    }
    context.end(report.unbuilt.len() + report.warnings.len() + report.not_run.len())
}

/// Finds the identities of the named repositories; a name that the index does not have stays as it is.
fn repos(context: &Context<'_, '_>, names: &[String]) -> Result<Vec<String>, Stop> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let rows = workspace::open(context)?.repos()?;
    let of = |name: &String| {
        let identity = project_name::identity(&rows, name)?;
        Ok(identity.unwrap_or_else(|| name.clone()))
    };
    names.iter().map(of).collect()
}

fn options(
    context: &mut Context<'_, '_>,
    arguments: &args::Execute,
) -> Result<ExecuteOptions, Stop> {
    let filter = match &arguments.filter {
        Some(text) => inspect::filter(context, std::slice::from_ref(text))?,
        None => Filter::default(),
    };
    if let Some(option) = arguments.faults.in_vain() {
        let message = format!("`{option}` does not apply to this `--scope`");
        return Err(Failure::new(ExitCode::Usage, message)
            .with_hint("`--most` and `--seed` apply to `covered`, the others to `focal`")
            .into());
    }
    if arguments.traces && arguments.faults.is_of_focal_methods() {
        let message = "tests without a focal method have no faults in one";
        return Err(Failure::new(ExitCode::Usage, message)
            .with_hint(
                "`--faults --candidates` puts faults into every method that a test may be about, `--scope covered` into those that it enters",
            )
            .into());
    }
    let suite = suite(arguments)?;
    let n_cores = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(ExecuteOptions {
        test_source: match (arguments.truth, arguments.traces, arguments.dry) {
            (true, ..) => TestSource::Truth,
            (_, true, _) => TestSource::Traces,
            (_, _, true) => TestSource::Dry,
            _ if suite.is_some() => TestSource::Runs(vec![GENERATED.name.to_owned()]),
            _ => TestSource::Runs(arguments.runs.clone()),
        },
        repos: repos(context, &arguments.repo)?,
        filter,
        engine: arguments.engine,
        timeout: Duration::from_secs_f64(arguments.timeout),
        repairs: arguments.repair,
        adds_test_annotation: arguments.add_test_annotation,
        is_alone: arguments.alone,
        is_flat: arguments.flat,
        n_jobs: jobs::n_threads(context, arguments.jobs)
            .unwrap_or(n_cores)
            .max(1),
        is_forced: arguments.force,
        has_timings: arguments.timings,
        confirms: arguments.confirm,
        faults: arguments.faults.options(arguments.force),
        brittle: arguments
            .brittle
            .options(arguments.faults.minutes, arguments.force),
        shakes: arguments
            .shakes
            .options(arguments.faults.minutes, arguments.force),
        java: arguments.java.java.clone(),
        maven: arguments.java.maven.clone(),
        suite,
        machine: site::machine(),
        executed_at: scoring::now(),
    })
}

/// Finds the generator of tests, where one is asked for.
fn suite(arguments: &args::Execute) -> Result<Option<EvoSuite>, Stop> {
    let Some(jar) = &arguments.jar else {
        return Ok(None);
    };
    if arguments
        .engine
        .is_some_and(|engine_name| engine_name != EngineName::Fast)
    {
        let message = "tests of `--from-suite` are run by the engine `fast`";
        return Err(Failure::new(ExitCode::Usage, message).into());
    }
    // What is bound into the sandbox is there under the same name.
    let found = |path: &Path| {
        let missing =
            |_| Failure::new(ExitCode::Input, format!("there is no `{}`", path.display()));
        std::fs::canonicalize(path).map_err(missing)
    };
    let java_home = arguments.java_home.as_deref().map(found).transpose()?;
    if let Some(home) = java_home
        .as_ref()
        .filter(|java_home| !java_home.join("bin/java").is_file())
    {
        let message = format!("`{}` has no `bin/java`", home.display());
        return Err(Failure::new(ExitCode::Outside, message).into());
    }
    Ok(Some(EvoSuite {
        jar: found(jar)?,
        java_home,
        budget: Duration::from_secs(arguments.search_budget.into()),
    }))
}

fn print_dry_run(
    context: &mut Context<'_, '_>,
    arguments: &args::Execute,
    report: &ExecuteReport,
) -> Result<(), Stop> {
    if arguments.json {
        let faults = report.faults.iter().map(|fault| WireFault {
            project: &fault.project,
            path: Some(&fault.path),
            fault: &fault.fault,
        });
        let line = WireDry {
            n_files: report.n_files,
            sandbox: &report.sandbox,
            faults: faults.collect(),
        };
        write_line(context.streams.out, &line)?;
    } else {
        let out = &mut *context.streams.out;
        for fault in &report.faults {
            let line = format!("{} {}: {}", fault.project, fault.path, fault.fault);
            writeln!(out, "{}", visible(&line))?;
        }
        let n_sound = report.n_files - report.faults.len() as u64;
        writeln!(
            out,
            "{n_sound} of {} compile without their tests, and none runs",
            counted(report.n_files, "file")
        )?;
    }
    context.end(report.faults.len() + report.unbuilt.len())
}

fn write(context: &mut Context<'_, '_>, run: &RunReport, sandbox: &str) -> Result<(), Stop> {
    let store = workspace::open(context)?;
    let of_samples = match store.run(&run.run)? {
        Some(row) => correct(&store, &Monitor::default(), &row)?,
        None => None,
    };
    let out = &mut *context.streams.out;
    let funnel = &run.funnel;
    let head = format!(
        "run {}, engine {}, sandbox {sandbox}, repair {}: {}",
        run.run,
        run.engine,
        repair_of(&run.options),
        counted(funnel.n_candidates, "candidate")
    );
    writeln!(out, "{}", visible(&head))?;
    if !run.by_language.is_empty() {
        executed::languages_table(&run.by_language).write(out)?;
        writeln!(out)?;
    }
    let mut table = TextTable::of(&[""], &["candidates", "of unique"]);
    let numbers = NumberStyle::People;
    for (name, n) in funnel.steps().into_iter().chain(funnel.beside()) {
        table.row([
            name.to_owned(),
            n.to_string(),
            numbers.share(funnel.share(n)),
        ]);
    }
    table.write(out)?;
    if let Some(mean) = of_samples {
        let share = numbers.share(Some(mean.value));
        let samples = counted(mean.n, "sample");
        writeln!(
            out,
            "{CORRECT}, first answer of each sample: {share} % of {samples}"
        )?;
    }
    let failed = [
        Outcome::NotExecuted,
        Outcome::Timeout,
        Outcome::Crash,
        Outcome::Failing,
        Outcome::Passing,
    ];
    let counts = failed
        .iter()
        .map(|outcome| (outcome.as_str(), funnel.by_outcome[*outcome as usize]));
    print_counts(out, "of these", counts)?;
    let blocked = BlockedReason::ALL.iter().zip(funnel.by_blocked);
    print_counts(
        out,
        "without an outcome",
        blocked.map(|(blocked_reason, n)| (blocked_reason.as_str(), n)),
    )?;
    let n_not_run = funnel.n_not_run(run.n_predictions);
    print_counts(out, "of the run", [("not run", n_not_run)].into_iter())?;
    if funnel.n_drawn() > 0 {
        writeln!(
            out,
            "confirmed: {} of {} passing predictions that had a second look",
            funnel.n_confirmed(),
            funnel.n_drawn()
        )?;
        let others = Confirmation::ALL.iter().zip(funnel.by_confirmed);
        let others = others.filter(|other| *other.0 != Confirmation::Yes);
        print_counts(
            out,
            "not confirmed",
            others.map(|(confirmation, n)| (confirmation.as_str(), n)),
        )?;
    }
    for (scope, shares) in [("all", &run.all), ("own", &run.own)] {
        covered(out, scope, shares, numbers)?;
    }
    Ok(())
}

fn print_counts<'w>(
    out: &mut dyn Write,
    head: &str,
    counts: impl Iterator<Item = (&'w str, u64)>,
) -> std::io::Result<()> {
    let there: Vec<String> = counts
        .filter(|count| count.1 > 0)
        .map(|(word, n)| format!("{} {word}", grouped(n)))
        .collect();
    if there.is_empty() {
        return Ok(());
    }
    writeln!(out, "{head}: {}", there.join(", "))
}

fn covered(
    out: &mut dyn Write,
    scope: &str,
    shares: &FocalShares,
    numbers: NumberStyle,
) -> std::io::Result<()> {
    if shares.n_methods + shares.n_unmeasured == 0 {
        return Ok(());
    }
    let share = |value| numbers.share(value);
    let unmeasured = match shares.n_unmeasured {
        0 => String::new(),
        n => format!("; {n} not measured"),
    };
    writeln!(
        out,
        "focal methods, {scope}: MiLC {} MaLC {} MiBC {} MaBC {} over {}{unmeasured}",
        share(shares.micro_lines),
        share(shares.macro_lines),
        share(shares.micro_branches),
        share(shares.macro_branches),
        counted(shares.n_methods, "method"),
    )
}

/// Says what became of projects, and what to do next.
fn tell(context: &mut Context<'_, '_>, run: &RunReport) {
    for project in &run.projects {
        for note in project.notes.iter().take(N_TOLD) {
            context.say(&format!("{}: {note}", project.project));
        }
        if project.n_outside_suite > 0 {
            context.say(&format!(
                "{}: {} ran in files that the project's own build leaves out",
                project.project,
                counted(project.n_outside_suite, "candidate")
            ));
        }
    }
    let n_run: u64 = run.projects.iter().map(|project| project.n_run).sum();
    let n_kept: u64 = run.projects.iter().map(|project| project.n_kept).sum();
    context.say(&format!(
        "run {}: {n_run} ran now, {n_kept} already had an outcome",
        run.run
    ));
    let n_failing = run.funnel.n_unique - run.funnel.n_executable;
    if n_failing > 0 {
        context.say(&format!(
            "hint: {} lists those that do not pass",
            hint::command(&["results", &run.run, "ran<passing"])
        ));
    }
    if run.funnel.by_blocked[BlockedReason::NoBuild as usize] > 0 {
        context.say("hint: `focalist prepare` says why a project is not built");
    }
}

/// Says which candidates a second look has refuted now, and how to list all of them.
fn tell_refuted(context: &mut Context<'_, '_>, run: &RunReport) {
    for refuted_candidate in run.refuted.iter().take(N_TOLD) {
        let repeat = match refuted_candidate.refutation.as_str() {
            "" => String::new(),
            said => format!("; a process of its own says {said}"),
        };
        let line = format!(
            "warning: run {}: {} attempt {}: {}{repeat}",
            run.run,
            refuted_candidate.sample,
            refuted_candidate.attempt,
            refuted_candidate.word.as_str()
        );
        context.say(&visible(&line));
    }
    let refuted = Confirmation::ALL
        .iter()
        .filter(|confirmation| confirmation.refutes());
    let n: u64 = refuted
        .map(|confirmation| run.funnel.by_confirmed[*confirmation as usize])
        .sum();
    if n > 0 {
        context.say(&format!(
            "hint: {} lists the {n} that a second look has refuted",
            hint::command(&["results", &run.run, "confirmed:no"])
        ));
    }
}

fn wire<'a>(run: &'a RunReport, sandbox: &'a str) -> WireExecuted<'a> {
    let projects = run.projects.iter().map(|project| WireExecutedProject {
        project: project.project.clone(),
        n_run: project.n_run,
        n_kept: project.n_kept,
        n_outside_suite: project.n_outside_suite,
        notes: project.notes.clone(),
    });
    WireExecuted {
        run: &run.run,
        engine: &run.engine,
        options: &run.options,
        sandbox,
        n_predictions: run.n_predictions,
        not_run: run.funnel.n_not_run(run.n_predictions),
        funnel: (&run.funnel).into(),
        by_language: languages_of(&run.by_language),
        all: (&run.all).into(),
        own: (&run.own).into(),
        projects: projects.collect(),
        faults: run.faults.as_ref().map(faults::wire),
        brittle: run.brittle.as_ref().map(brittle::wire),
        stability: run.stability.as_ref().map(stability::wire),
        timings: run.timings.as_deref().map(timings::wire),
        imported: run.timings.as_deref().map(timings::wire_apart),
    }
}

impl From<ExecuteError> for Stop {
    fn from(error: ExecuteError) -> Self {
        let message = visible(&error.to_string());
        let failure = |code| Failure::new(code, message);
        match error {
            ExecuteError::Store(error) => error.into(),
            ExecuteError::Runner(error) => error.into(),
            ExecuteError::Cancelled(cancelled) => cancelled.into(),
            ExecuteError::NoRuns => failure(ExitCode::Problems)
                .with_hint(hint::IMPORT_RUN)
                .into(),
            ExecuteError::NoSuchRun(error) => error.into(),
            ExecuteError::NoSuchRepo { known, .. } => failure(ExitCode::Input)
                .with_hint(format!("repositories: {}", visible(&known.join(", "))))
                .into(),
            ExecuteError::Nothing { .. } | ExecuteError::NoEngine { .. } => failure(ExitCode::Problems).into(),
            ExecuteError::OtherLanguage { .. } => failure(ExitCode::Usage).into(),
            ExecuteError::NothingBuilt { .. } => failure(ExitCode::Problems)
                .with_hint("`focalist prepare --json` lists each step and the path of its log")
                .into(),
            ExecuteError::NotTruth { name } => failure(ExitCode::Input)
                .with_hint(format!(
                    "{} removes it",
                    hint::command(&["rm", "--run", &name])
                ))
                .into(),
            ExecuteError::OfQuestions { .. } => failure(ExitCode::Usage)
                .with_hint("`focalist paper clover eval` runs answers to its questions; halves are not run")
                .into(),
            ExecuteError::NotExecuted { name } => failure(ExitCode::Input)
                .with_hint(format!("{} runs it", hint::command(&["execute", &name])))
                .into(),
        }
    }
}

impl From<WriteError> for Stop {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Execute(error) => error.into(),
            WriteError::Io(error) => error.into(),
        }
    }
}
