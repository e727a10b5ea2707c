//! `clover eval`: answers to questions are run, and shares of right ones told by task and budget.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use crate::args::{CloverEval, TableName};
use crate::clover::{self, Answered, Evaluated, Options, Task};
use crate::command::clover::{how, n_jobs};
use crate::command::execute::cases::{caveats, environment_in, warn, whole};
use crate::command::runs::write_as;
use crate::command::{site, workspace};
use crate::exchange::{
    AnswerId, WireAnswer, WireEvaluated, WireInterval, WireTask, WireTaskReport, parse, write_line,
};
use crate::failure::Stop;
use crate::model::{JobKind, Outcome, counted};
use crate::runner::Site;
use crate::runner::python::Environment;
use crate::store::{Access, Store};
use crate::table::{Align, Numbers, Table, visible};
use crate::task::{Monitor, Phase};
use crate::{Context, progress};

/// How many lines are told one by one.
const N_TOLD: usize = 10;

/// An answer with the id of its line.
struct Line {
    id: String,
    asked: AnswerId,
    text: String,
}

type Known = (AnswerId, String, Evaluated);

pub fn run(context: &mut Context<'_, '_>, asked: &CloverEval) -> Result<(), Stop> {
    let (lines, mut bad) = read(context, &asked.answers)?;
    let site = site::open(asked.site)?;
    warn(context, &site);
    let access = Access::Write;
    let known = progress::run_job(context, JobKind::Clover, access, |context, monitor| {
        evaluate(context, &site, asked, (&lines, &mut bad), monitor)
    })?;
    if asked.each {
        for (line, it) in &known {
            write_line(context.streams.out, &wire(line, it))?;
        }
    } else {
        let all: Vec<Known> = known.into_iter().map(|it| it.1).collect();
        let reports = clover::report(&all, asked.resamples, asked.seed);
        write(context, &reports, format(asked))?;
    }
    context.say(&format!(
        "{}, {} of no use; sandbox {}",
        counted(lines.len() as u64, "answer"),
        bad.len(),
        site.sandbox.tool().name()
    ));
    context.end(bad.len())
}

/// Runs the answers whose questions there are, and adds the others to what is of no use.
fn evaluate<'l>(
    context: &mut Context<'_, '_>,
    site: &Site,
    asked: &CloverEval,
    (lines, bad): (&'l [Line], &mut Vec<String>),
    monitor: &Monitor,
) -> Result<Vec<(&'l Line, Known)>, Stop> {
    let options = Options {
        tests: Vec::new(),
        limit: Duration::from_secs_f64(asked.timeout),
        n_jobs: n_jobs(context, asked.jobs),
        n_repeats: 1,
        how: how(&asked.engine),
    };
    let mut store = workspace::open_for_writing(context)?;
    let projects = projects(&store, &site.cache, lines)?;
    for (environment, _) in &projects {
        caveats(context, environment);
    }
    let questions: HashMap<&str, &WireTask> = projects
        .iter()
        .flat_map(|it| &it.1)
        .map(|it| (it.id.as_str(), it))
        .collect();
    for it in lines {
        if !questions.contains_key(it.asked.instance.as_str()) {
            bad.push(format!("there is no question `{}`", it.asked.instance));
        }
    }
    for it in bad.iter().take(N_TOLD) {
        context.say(&format!("warning: {}", visible(it)));
    }
    monitor.enter(Phase::Executing);
    let mut found: Vec<Option<Evaluated>> = lines.iter().map(|_| None).collect();
    for (environment, _) in &projects {
        let mut idxs = Vec::new();
        let mut answers = Vec::new();
        for (idx, line) in lines.iter().enumerate() {
            let question = questions.get(line.asked.instance.as_str());
            if let Some(question) = question.filter(|it| it.project == environment.name) {
                idxs.push(idx);
                answers.push(Answered {
                    question,
                    id: line.asked.clone(),
                    text: &line.text,
                });
            }
        }
        let ran = clover::evaluate(&mut store, site, environment, &options, &answers, monitor)?;
        for (idx, it) in idxs.into_iter().zip(ran) {
            found[idx] = Some(it);
        }
    }
    let known = lines.iter().zip(found).filter_map(|(line, it)| {
        let question = questions.get(line.asked.instance.as_str())?;
        Some((line, (line.asked.clone(), question.task.clone(), it?)))
    });
    Ok(known.collect())
}

fn format(asked: &CloverEval) -> TableName {
    if asked.json {
        TableName::Json
    } else {
        asked.format
    }
}

fn read(
    context: &mut Context<'_, '_>,
    files: &[impl AsRef<Path>],
) -> Result<(Vec<Line>, Vec<String>), Stop> {
    let (mut lines, mut bad) = (Vec::new(), Vec::new());
    for file in files {
        let file = file.as_ref();
        let bytes = whole(context, file)?;
        for (line, number) in bytes.split(|it| *it == b'\n').zip(1..) {
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match parse::<WireAnswer>(line) {
                Ok(it) => {
                    let mut asked = AnswerId::of(&it.id);
                    asked.budget = asked.budget.or(it.budget);
                    asked.form = asked.form.or(it.answer);
                    lines.push(Line {
                        id: it.id,
                        asked,
                        text: it.prediction,
                    });
                }
                Err(why) => bad.push(format!("{}, line {number}: {why}", file.display())),
            }
        }
    }
    Ok((lines, bad))
}

/// Returns the questions of all projects that answers are about.
fn projects(
    store: &Store,
    cache: &Path,
    lines: &[Line],
) -> Result<Vec<(Environment, Vec<WireTask>)>, Stop> {
    let mut projects = Vec::new();
    for name in store.clover_projects()? {
        let is_asked = |it: &Line| {
            let rest = it.asked.instance.strip_prefix(&name);
            rest.is_some_and(|it| it.starts_with('/'))
        };
        if !lines.iter().any(is_asked) {
            continue;
        }
        let environment = environment_in(cache, &name)?;
        let mut questions = Vec::new();
        for task in Task::ALL {
            questions.extend(clover::stored(store, &environment, *task)?);
        }
        projects.push((environment, questions));
    }
    Ok(projects)
}

fn wire(line: &Line, (id, task, it): &Known) -> WireEvaluated {
    let is_cloze = task == Task::Cloze.as_str();
    let has_blocks = task == Task::Block.as_str();
    WireEvaluated {
        id: line.id.clone(),
        task: task.clone(),
        budget: id.budget,
        answer: id.form.clone(),
        outcome: it.outcome.map(Outcome::as_str),
        reason: it.reason.clone(),
        message: it.message.clone(),
        executed: it.is_executed,
        success: it.is_success,
        exact: is_cloze.then_some(it.is_exact),
        said: it.said.clone(),
        wanted: has_blocks.then_some(it.n_wanted),
        reached: has_blocks.then_some(it.n_reached),
    }
}

fn write(
    context: &mut Context<'_, '_>,
    reports: &[WireTaskReport],
    format: TableName,
) -> Result<(), Stop> {
    let out = &mut *context.streams.out;
    if format == TableName::Json {
        for it in reports {
            write_line(out, it)?;
        }
        return Ok(());
    }
    let numbers = Numbers::of(format);
    let shares = shares(reports, numbers);
    let deltas = deltas(reports, numbers);
    for (idx, table) in [shares, deltas].into_iter().enumerate() {
        if idx > 0 {
            writeln!(out)?;
        }
        write_as(&table, format, out)?;
    }
    Ok(())
}

fn budget(tokens: Option<usize>) -> String {
    match tokens {
        None => "PO".to_owned(),
        Some(n) if n % 1_000 == 0 && n > 0 => format!("{}k", n / 1_000),
        Some(n) => n.to_string(),
    }
}

fn task_of(it: &WireTaskReport) -> String {
    let form = it.answer.as_ref().map(|it| format!(" ({it})"));
    format!("{}{}", it.task, form.unwrap_or_default())
}

fn shares(reports: &[WireTaskReport], numbers: Numbers) -> Table {
    let heads = ["EM", "ER", "RER", "execution", "success"].map(|it| numbers.head(it));
    let mut columns = vec![
        ("task", Align::Left),
        ("budget", Align::Right),
        ("n", Align::Right),
        ("answers", Align::Right),
    ];
    for head in &heads {
        columns.push((head, Align::Right));
    }
    columns.push(("95 % interval of the last", Align::Left));
    let mut table = Table::new(&columns);
    for report in reports {
        for it in &report.budgets {
            let all = [it.em, it.er, it.rer, it.execution, it.success];
            let share = |it: Option<WireInterval>| numbers.share(it.map(|it| it.value));
            let last = it.rer.or(it.success);
            let mut row = vec![
                task_of(report),
                budget(it.budget),
                it.n.to_string(),
                it.n_answers.to_string(),
            ];
            row.extend(all.map(share));
            row.push(last.map_or_else(String::new, |it| between(it, numbers)));
            table.row(row);
        }
    }
    table
}

fn between(it: WireInterval, numbers: Numbers) -> String {
    format!(
        "{} to {}",
        numbers.share(Some(it.low)),
        numbers.share(Some(it.high))
    )
}

/// Returns the table of how well longer contexts are used.
fn deltas(reports: &[WireTaskReport], numbers: Numbers) -> Table {
    let best = numbers.head("best");
    let (highest, lowest) = (numbers.head("Δmax"), numbers.head("Δmin"));
    let mut table = Table::new(&[
        ("task", Align::Left),
        ("n", Align::Right),
        (&best, Align::Right),
        (&highest, Align::Right),
        ("95 % interval", Align::Left),
        (&lowest, Align::Right),
        ("95 % interval", Align::Left),
    ]);
    for it in reports {
        let value = |it: Option<WireInterval>| {
            it.map_or_else(|| numbers.none().to_owned(), |it| numbers.signed(it.value))
        };
        let range = |it: Option<WireInterval>| {
            it.map_or_else(String::new, |it| {
                format!("{} to {}", numbers.signed(it.low), numbers.signed(it.high))
            })
        };
        table.row([
            task_of(it),
            it.n_common.to_string(),
            numbers.share(Some(it.best)),
            value(it.delta_max),
            range(it.delta_max),
            value(it.delta_min),
            range(it.delta_min),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::WireShares;

    #[test]
    fn budgets_are_told_in_thousands() {
        assert_eq!(budget(None), "PO");
        assert_eq!(budget(Some(16_000)), "16k");
        assert_eq!(budget(Some(850)), "850");
    }

    #[test]
    fn tasks_without_the_problem_alone_have_no_differences() {
        let share = WireInterval {
            value: 0.5,
            low: 0.25,
            high: 0.75,
        };
        let report = WireTaskReport {
            task: "block".to_owned(),
            answer: Some("full".to_owned()),
            budgets: vec![WireShares {
                budget: Some(64_000),
                n: 4,
                n_answers: 4,
                em: None,
                er: None,
                rer: None,
                execution: Some(share),
                success: Some(share),
            }],
            best: 0.5,
            delta_max: None,
            delta_min: None,
            n_common: 4,
        };
        let mut out = Vec::new();
        deltas(&[report], Numbers::People)
            .write(&mut out)
            .expect("memory can be written");
        let text = String::from_utf8(out).expect("it is text");
        assert!(
            text.contains("block (full)") && text.contains('–'),
            "{text}"
        );
    }
}
