//! `clover eval`: answers to questions are run, and shares of right ones told by task and budget.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use crate::args::{CloverEval, PaperTable};
use crate::clover::{
    self, AnswerEvaluation, AnsweredTask, CloverOptions, Draws, EvaluatedAnswer, ExecutedAnswer,
    QuestionKind,
};
use crate::command::clover::{answer_runs, gaps, tables};
use crate::command::clover::{how, n_jobs};
use crate::command::execute::cases::{caveats, environment_in, warn, whole};
use crate::command::{site, workspace};
use crate::exchange::{AnswerId, WireAnswer, WireEvaluated, WireTask, parse, write_lines};
use crate::failure::{ExitCode, Failure, Stop};
use crate::generate;
use crate::model::{JobKind, Outcome, counted};
use crate::runner::Site;
use crate::runner::python::Environment;
use crate::store::{Store, StoreAccess};
use crate::table::visible;
use crate::task::{Monitor, Phase};
use crate::{Context, progress};

/// Lines that are listed one by one; the others are only counted.
const N_TOLD: usize = 10;

/// An answer with the id of its line.
struct CloverAnswerLine {
    id: String,
    /// The model that answered, if the line names it.
    model: Option<String>,
    answer_id: AnswerId,
    text: String,
    /// The line's number in its file, from 1.
    number: u32,
}

/// The answers in the files.
#[derive(Default)]
struct CloverAnswerSet {
    lines: Vec<CloverAnswerLine>,
    /// Unusable answers, each with the reason.
    bad: Vec<String>,
    /// Prompts that were too long for their model.
    n_too_long: usize,
}

pub fn run(context: &mut Context<'_, '_>, arguments: &CloverEval) -> Result<(), Stop> {
    let CloverAnswerSet {
        lines,
        mut bad,
        n_too_long,
    } = read(context, arguments)?;
    check_baseline(arguments, &lines)?;
    let site = site::open(arguments.site)?;
    warn(context, &site);
    let access = StoreAccess::Write;
    let known = progress::run_job(context, JobKind::Clover, access, |context, monitor| {
        evaluate(context, &site, arguments, (&lines, &mut bad), monitor)
    })?;
    if arguments.each {
        let lines = known.iter().map(|(line, judged)| wire(line, judged));
        write_lines(context.streams.out, lines)?;
    } else {
        let all: Vec<EvaluatedAnswer> = known.into_iter().map(|(_, judged)| judged).collect();
        write(context, arguments, &all)?;
    }
    let too_long = match n_too_long {
        0 => String::new(),
        n => format!(", {} too long for the model", counted(n as u64, "prompt")),
    };
    context.say(&format!(
        "{}, {} unusable{too_long}; sandbox {}",
        counted(lines.len() as u64, "answer"),
        bad.len(),
        site.sandbox.tool().name()
    ));
    context.end(bad.len())
}

/// Refuses a baseline that has answered nothing.
fn check_baseline(arguments: &CloverEval, lines: &[CloverAnswerLine]) -> Result<(), Stop> {
    let Some(baseline) = &arguments.against else {
        return Ok(());
    };
    let mut models: Vec<&str> = lines
        .iter()
        .filter_map(|line| line.model.as_deref())
        .collect();
    models.sort_unstable();
    models.dedup();
    if models.contains(&baseline.as_str()) {
        return Ok(());
    }
    let named = match models.as_slice() {
        [] => "no answer names its `run` or `model`".to_owned(),
        _ => format!("the answers are from {}", models.join(", ")),
    };
    let message = format!("no answers of `{baseline}`");
    Err(Failure::new(ExitCode::Input, message)
        .with_hint(named)
        .into())
}

/// Runs the answers whose questions there are, and adds the others to the unusable ones.
fn evaluate<'l>(
    context: &mut Context<'_, '_>,
    site: &Site,
    arguments: &CloverEval,
    (lines, bad): (&'l [CloverAnswerLine], &mut Vec<String>),
    monitor: &Monitor,
) -> Result<Vec<(&'l CloverAnswerLine, EvaluatedAnswer)>, Stop> {
    let options = CloverOptions {
        tests: Vec::new(),
        limit: Duration::from_secs_f64(arguments.timeout),
        n_jobs: n_jobs(context, arguments.jobs),
        n_repeats: 1,
        how: how(&arguments.engine),
    };
    let mut store = workspace::open_for_writing(context)?;
    let projects = projects(&store, &site.cache, lines)?;
    for (environment, _) in &projects {
        caveats(context, environment);
    }
    let questions: HashMap<&str, &WireTask> = projects
        .iter()
        .flat_map(|project| &project.1)
        .map(|wire_task| (wire_task.id.as_str(), wire_task))
        .collect();
    for line in lines {
        if !questions.contains_key(line.answer_id.instance.as_str()) {
            bad.push(format!(
                "there is no question `{}`",
                line.answer_id.instance
            ));
        }
    }
    for text in bad.iter().take(N_TOLD) {
        context.say(&format!("warning: {}", visible(text)));
    }
    let is_asked =
        |line: &CloverAnswerLine| questions.contains_key(line.answer_id.instance.as_str());
    if !lines.iter().any(is_asked) {
        return Err(useless(lines.len(), bad));
    }
    monitor.enter(Phase::Executing);
    let mut found: Vec<Option<AnswerEvaluation>> = lines.iter().map(|_| None).collect();
    for (environment, _) in &projects {
        let mut idxs = Vec::new();
        let mut answers = Vec::new();
        for (idx, line) in lines.iter().enumerate() {
            let question = questions.get(line.answer_id.instance.as_str());
            if let Some(question) =
                question.filter(|wire_task| wire_task.project == environment.name)
            {
                idxs.push(idx);
                answers.push(AnsweredTask {
                    question,
                    id: line.answer_id.clone(),
                    text: &line.text,
                });
            }
        }
        let ran = clover::evaluate(&mut store, site, environment, &options, &answers, monitor)?;
        for (idx, answer_evaluation) in idxs.into_iter().zip(ran) {
            found[idx] = Some(answer_evaluation);
        }
    }
    let known = lines.iter().zip(found).filter_map(|(line, ran)| {
        let answer = AnsweredTask {
            question: questions.get(line.answer_id.instance.as_str())?,
            id: line.answer_id.clone(),
            text: &line.text,
        };
        Some((line, answer, ran?))
    });
    let known: Vec<(&CloverAnswerLine, AnsweredTask<'_>, AnswerEvaluation)> = known.collect();
    let ran = known.iter().map(|(line, answer, evaluated)| {
        let ran = ExecutedAnswer {
            answer,
            evaluated,
            line: line.number,
            prompt: &line.id,
        };
        (line.model.as_deref(), ran)
    });
    let ran: Vec<(Option<&str>, ExecutedAnswer<'_>)> = ran.collect();
    answer_runs::keep(context, (&mut store, site), arguments, &ran, monitor)?;
    let judged = known.into_iter().filter_map(|(line, answer, ran)| {
        Some((
            line,
            EvaluatedAnswer::new(line.model.clone(), &answer, ran)?,
        ))
    });
    Ok(judged.collect())
}

/// Makes the failure that no answer can be run.
fn useless(n_lines: usize, bad: &[String]) -> Stop {
    let why = bad.first().map_or("there are no answers", String::as_str);
    let message = format!("none of the answers can be used: {}", visible(why));
    let hint = if n_lines == 0 {
        "a line is JSON with `id` and `prediction`, or one of `focalist export --format answers`"
    } else {
        "`focalist paper clover tasks PROJECT` makes the questions that answers belong to"
    };
    Failure::new(ExitCode::Problems, message)
        .with_hint(hint)
        .into()
}

fn read(context: &mut Context<'_, '_>, arguments: &CloverEval) -> Result<CloverAnswerSet, Stop> {
    let mut read = CloverAnswerSet::default();
    for run in &arguments.run {
        let store = workspace::open(context)?;
        let mut lines = Vec::new();
        generate::export(&store, &Monitor::default(), run, &mut lines)?;
        read.take(&lines, &format!("run {run}"), Some(run));
    }
    for file in &arguments.answers {
        let bytes = whole(context, file)?;
        read.take(&bytes, &file.display().to_string(), None);
    }
    Ok(read)
}

impl CloverAnswerSet {
    /// Takes the lines of a file, or of a run, which then says who answered.
    fn take(&mut self, lines: &[u8], place: &str, run: Option<&String>) {
        for (line, number) in lines.split(|byte| *byte == b'\n').zip(1..) {
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let read = parse::<WireAnswer>(line).and_then(|mut answer| {
                let text = answer.said()?;
                answer.run = run.cloned().or_else(|| answer.run.take());
                Ok((text, answer))
            });
            match read {
                Ok((Some(text), answer)) => self.lines.push(answered(answer, text, number)),
                Ok((None, _)) => self.n_too_long += 1,
                Err(why) => self.bad.push(format!("{place}, line {number}: {why}")),
            }
        }
    }
}

fn answered(mut answer: WireAnswer, text: String, number: u32) -> CloverAnswerLine {
    let mut answer_id = AnswerId::of(&answer.id);
    answer_id.budget = answer_id.budget.or(answer.budget);
    let model = answer.model();
    answer_id.form = answer_id.form.or(answer.answer);
    CloverAnswerLine {
        id: answer.id,
        model,
        answer_id,
        text,
        number,
    }
}

/// Reads the questions of all projects that answers are about.
fn projects(
    store: &Store,
    cache: &Path,
    lines: &[CloverAnswerLine],
) -> Result<Vec<(Environment, Vec<WireTask>)>, Stop> {
    let mut projects = Vec::new();
    for name in store.clover_projects()? {
        let is_asked = |answer_line: &CloverAnswerLine| {
            let rest = answer_line.answer_id.instance.strip_prefix(&name);
            rest.is_some_and(|rest| rest.starts_with('/'))
        };
        if !lines.iter().any(is_asked) {
            continue;
        }
        let environment = environment_in(cache, &name)?;
        let mut questions = Vec::new();
        for task in QuestionKind::ALL {
            questions.extend(clover::stored(store, &environment, *task)?);
        }
        projects.push((environment, questions));
    }
    Ok(projects)
}

fn wire(line: &CloverAnswerLine, judged: &EvaluatedAnswer) -> WireEvaluated {
    let (id, ran) = (&judged.id, &judged.evaluated);
    let is_cloze = judged.task == QuestionKind::Cloze;
    let has_blocks = judged.task == QuestionKind::Block;
    WireEvaluated {
        id: line.id.clone(),
        model: judged.model.clone(),
        task: judged.task.as_str().to_owned(),
        budget: id.budget,
        answer: id.form.clone(),
        outcome: ran.outcome.map(Outcome::as_str),
        reason: ran.reason.clone(),
        message: ran.message.clone(),
        executed: ran.is_executed,
        success: ran.is_success,
        exact: is_cloze.then_some(ran.is_exact),
        said: ran.said.clone(),
        wanted: has_blocks.then_some(ran.n_wanted),
        reached: has_blocks.then_some(ran.n_reached),
    }
}

fn write(
    context: &mut Context<'_, '_>,
    arguments: &CloverEval,
    answers: &[EvaluatedAnswer],
) -> Result<(), Stop> {
    let draws = Draws {
        n_resamples: arguments.resamples,
        seed: arguments.seed,
    };
    let format = arguments.format.name();
    if let Some(baseline) = &arguments.against {
        let found = clover::differences(answers, Some(baseline), draws);
        return Ok(context.print(
            format,
            |out| write_lines(out, &found),
            |numbers| [tables::differences(&found, numbers)],
        )?);
    }
    if let Some(table) = arguments.table
        && let Some(rows) = gaps::GapRows::of(table, answers, draws)
    {
        if rows.is_empty() {
            return Err(nothing_for(table));
        }
        return Ok(context.print(
            format,
            |out| rows.write_json(out),
            |numbers| [rows.table(numbers)],
        )?);
    }
    let mut reports = clover::report(answers, draws, arguments.by.is_some());
    if let Some(table) = arguments.table {
        reports.retain(|report| tables::has_row(table, report));
        if reports.is_empty() {
            return Err(nothing_for(table));
        }
    }
    Ok(context.print(
        format,
        |out| write_lines(out, &reports),
        |numbers| match arguments.table {
            Some(table) => vec![tables::paper(&reports, table, numbers)],
            None => vec![
                tables::shares(&reports, numbers),
                tables::deltas(&reports, numbers),
            ],
        },
    )?)
}

/// Makes the failure that no answer belongs in a table.
fn nothing_for(table: PaperTable) -> Stop {
    let message = format!(
        "no answer is to a question that table {} is about",
        table.as_str()
    );
    let hint = "tables 3, 4, `gap` and `ways` are about clozes, 5 about whole answers to targets and blocks, 6 about parts for targets, \
                7 about parts for blocks, `figure-3` about whole answers to blocks, `forms` about questions that were answered in \
                both forms";
    Failure::new(ExitCode::Problems, message)
        .with_hint(hint)
        .into()
}
