//! The command `consistency`: outliers among completions, and the final choice.

mod tables;

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use crate::args;
use crate::command::clover::answer_runs::{listed as told, score};
use crate::command::completions::narrow;
use crate::command::mining::{in_pool, tell_problems};
use crate::command::{plot, scoring, workspace};
use crate::consistency::completions::{Completion, SeedRequirement, read};
use crate::consistency::figures::figure;
use crate::consistency::judged::{ConsistencyJudge, JudgeOptions, JudgedFunction, Oracle};
use crate::consistency::seeds::Seeds;
use crate::consistency::tables::{ConsistencyNumbers, RunTables};
use crate::consistency::{run, stored_run};
use crate::exchange::write_lines;
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::{JobKind, Problem, RunKind, counted};
use crate::store::{MutationSeed, Store, StoreAccess};
use crate::table::visible;
use crate::task::Monitor;
use crate::{Context, progress};

/// The metrics of a completion against the true half, as the report scores it.
const METRICS: [&str; 3] = ["em", "edit:fuzzywuzzy", "bleu"];

fn open(path: &Path) -> Result<BufReader<File>, Stop> {
    let file = File::open(path).map_err(Failure::unreadable(path))?;
    Ok(BufReader::new(file))
}

pub fn run(context: &mut Context<'_, '_>, arguments: &args::Consistency) -> Result<(), Stop> {
    if let Some(name) = &arguments.remove {
        let mut store = workspace::open_for_writing(context)?;
        run::check(&store, name)?;
        store.remove_consistency(name)?;
        store.remove_question_run(RunKind::Consistency, name, &Monitor::default())?;
        return Ok(());
    }
    let options = JudgeOptions {
        rule: arguments.rule,
        threshold: arguments.threshold as usize,
        oracle: if arguments.renamed_oracle {
            Oracle::Renamed
        } else {
            Oracle::Seed
        },
    };
    let is_new = arguments.seeds.is_some() || arguments.from.is_some();
    // Showing a table is no job, unless it was started as one.
    if is_new && !arguments.runs.is_empty() {
        progress::register_job(context, JobKind::Consistency, StoreAccess::Create);
    }
    if let Some(job) = &context.job {
        job.begin();
    }
    let mut problems = Vec::new();
    let shown = match (is_new, arguments.runs.as_slice()) {
        (false, []) => return list(context, arguments),
        (false, runs) => {
            let store = workspace::open(context)?;
            of_store(context, &store, runs, options, arguments)?
        }
        (true, []) => vec![in_memory(arguments, options, &mut problems)?],
        (true, [name]) => {
            let store = stored(context, arguments, name, options, &mut problems)?;
            of_store(
                context,
                &store,
                std::slice::from_ref(name),
                options,
                arguments,
            )?
        }
        (true, _) => {
            let message = "completions are kept under one name";
            return Err(Failure::new(ExitCode::Usage, message).into());
        }
    };
    if let Some(chart) = arguments.chart {
        let runs: Vec<(String, ConsistencyNumbers)> = shown
            .into_iter()
            .map(|run_report| (run_report.name, run_report.numbers.all))
            .collect();
        let drawn = figure(chart, &runs);
        plot::write(
            context,
            &drawn,
            arguments.output.as_deref(),
            arguments.force,
        )?;
    } else {
        tell(context, &shown, options, arguments)?;
    }
    tell_problems(context, &problems, "focalist consistency");
    if !problems.is_empty() && context.global.strict {
        let message = format!(
            "{} could not be used",
            counted(problems.len() as u64, "line")
        );
        return Err(Failure::new(ExitCode::Problems, message).into());
    }
    Ok(())
}

/// A run and the parts of it to show.
pub struct ConsistencyRunReport {
    pub name: String,
    pub numbers: RunTables,
    /// Where functions are listed.
    pub functions: Vec<JudgedFunction>,
}

/// Reads functions and completions; without a list of functions, completions may be of any function.
fn files(
    arguments: &args::Consistency,
    known: Option<Seeds>,
    problems: &mut Vec<Problem>,
) -> Result<(Seeds, Vec<Completion>), Stop> {
    let mut known_as = SeedRequirement::All;
    let mut seeds = match (&arguments.seeds, known) {
        (Some(path), _) => {
            let shown = path.to_string_lossy();
            Seeds::read(&mut open(path)?, &shown, problems)?
        }
        (None, Some(seeds)) => seeds,
        (None, None) => {
            known_as = SeedRequirement::None;
            Seeds::default()
        }
    };
    let completions = match &arguments.from {
        Some(path) => {
            let shown = path.to_string_lossy();
            read(&mut open(path)?, &shown, &mut seeds, known_as, problems)?
        }
        None => Vec::new(),
    };
    if seeds.list.is_empty() {
        let message = format!(
            "{} could not be used",
            counted(problems.len() as u64, "line")
        );
        let failure = Failure::new(ExitCode::Problems, message);
        return Err(match problems.first() {
            Some(problem) => failure.with_hint(format!("the first: {}", visible(&problem.detail))),
            None => failure,
        }
        .into());
    }
    Ok((seeds, completions))
}

/// Judges the content of two files, and keeps nothing.
fn in_memory(
    arguments: &args::Consistency,
    options: JudgeOptions,
    problems: &mut Vec<Problem>,
) -> Result<ConsistencyRunReport, Stop> {
    let (seeds, completions) = files(arguments, None, problems)?;
    let mut judge = ConsistencyJudge::new(options);
    let mut shown = ConsistencyRunReport {
        name: "completions".to_owned(),
        numbers: RunTables::default(),
        functions: Vec::new(),
    };
    let mut at = 0;
    for (idx, seed) in seeds.list.iter().enumerate() {
        shown.numbers.add_seed(seed);
        let n = completions[at..]
            .iter()
            .take_while(|completion| completion.seed == idx)
            .count();
        if n > 0 {
            let judged = judge.judge(seed, &completions[at..at + n], None);
            shown.numbers.add(seed, &judged);
            if is_listed(seed, arguments.dataset.as_deref()) {
                shown.functions.push(judged);
            }
        }
        at += n;
    }
    narrow(
        &mut shown.numbers,
        &shown.name,
        arguments.dataset.as_deref(),
    )?;
    Ok(shown)
}

/// Writes the content of two files under a name, and judges the new functions.
fn stored(
    context: &mut Context<'_, '_>,
    arguments: &args::Consistency,
    name: &str,
    options: JudgeOptions,
    problems: &mut Vec<Problem>,
) -> Result<Store, Stop> {
    let mut store = workspace::create(context)?;
    let known = match arguments.seeds {
        Some(_) => None,
        None => Some(run::seeds(&store, name)?),
    };
    let (seeds, completions) = files(arguments, known, problems)?;
    let source = [&arguments.seeds, &arguments.from].into_iter().flatten();
    let source: Vec<String> = source.map(|source| source.display().to_string()).collect();
    let (imported, judged, listed) = progress::run(context, |_, monitor| {
        let imported = run::import(&mut store, monitor, name, &seeds, &completions)?;
        let of = (source.join(" "), scoring::now());
        let (judged, listed) = in_pool(None, || {
            let judged = run::judge(&mut store, monitor, name, options)?;
            let listed = stored_run::keep(&mut store, monitor, (name, options), (&of.0, of.1))?;
            score(&mut store, listed.as_slice(), &METRICS, monitor)?;
            Ok((judged, listed))
        })?;
        Ok((imported, judged, listed))
    })?;
    context.say(&format!(
        "{} of {}: {} judged, {} known from before",
        counted(imported.n_completions, "new completion"),
        counted(imported.n_seeds, "function"),
        judged.n_judged,
        judged.n_known,
    ));
    if let Some(name) = listed {
        context.say(&told(&name));
    }
    Ok(store)
}

fn of_store(
    context: &mut Context<'_, '_>,
    store: &Store,
    runs: &[String],
    options: JudgeOptions,
    arguments: &args::Consistency,
) -> Result<Vec<ConsistencyRunReport>, Stop> {
    let mut shown = Vec::new();
    for name in runs {
        run::check(store, name)?;
        let mut functions = Vec::new();
        let dataset = arguments.dataset.as_deref();
        let mut numbers = progress::run(context, |_, monitor| {
            run::numbers(store, monitor, name, options, |of, judged| {
                if arguments.list && is_listed(&of.seed, dataset) {
                    functions.push(judged.clone());
                }
                Ok::<_, Stop>(())
            })
        })?;
        narrow(&mut numbers, name, dataset)?;
        shown.push(ConsistencyRunReport {
            name: name.clone(),
            numbers,
            functions,
        });
    }
    Ok(shown)
}

/// Tells whether a function belongs to the requested data set.
fn is_listed(seed: &MutationSeed, dataset: Option<&str>) -> bool {
    dataset.is_none_or(|dataset| dataset == seed.dataset)
}

fn tell(
    context: &mut Context<'_, '_>,
    shown: &[ConsistencyRunReport],
    options: JudgeOptions,
    arguments: &args::Consistency,
) -> Result<(), Stop> {
    let format = arguments.shown.format.name();
    if !arguments.list {
        let reports = shown
            .iter()
            .map(|run_report| tables::wire_reports(run_report, options));
        return Ok(context.print(
            format,
            |out| write_lines(out, reports.flatten()),
            |_| tables::all(shown),
        )?);
    }
    for ConsistencyRunReport { functions, .. } in shown {
        let wire = |judged_function| tables::wire(judged_function, options);
        context.print(
            format,
            |out| write_lines(out, functions.iter().map(wire)),
            |_| [tables::listed(functions, options)],
        )?;
    }
    Ok(())
}

fn list(context: &mut Context<'_, '_>, arguments: &args::Consistency) -> Result<(), Stop> {
    let runs = workspace::open(context)?.consistency_runs()?;
    Ok(context.print(
        arguments.shown.format.name(),
        |out| write_lines(out, runs.iter().map(tables::wire_run)),
        |_| [tables::runs(&runs)],
    )?)
}
