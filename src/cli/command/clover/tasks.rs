//! `clover tasks`: questions out of problems, and which of them are drawn.

use std::collections::BTreeMap;
use std::fs;

use crate::args::{CloverRun, TableName};
use crate::clover::{self, QuestionKind};
use crate::command::clover::go;
use crate::command::tokens::counter;
use crate::exchange::{WireTask, write_lines};
use crate::failure::Stop;
use crate::prompts::{BudgetCounter, TargetLimit};
use crate::runner::python::Environment;
use crate::table::TextTable;
use crate::{Context, args};

pub fn run(
    context: &mut Context<'_, '_>,
    run: &CloverRun,
    action: &args::CloverAction,
) -> Result<(), Stop> {
    let args::CloverAction::Tasks {
        task,
        seed,
        all,
        tokenizer,
        ..
    } = action
    else {
        return Ok(());
    };
    let counter = counter(tokenizer)?;
    let asked: Vec<QuestionKind> = if task.is_empty() {
        QuestionKind::ALL.to_vec()
    } else {
        QuestionKind::ALL
            .iter()
            .copied()
            .filter(|it| task.contains(it))
            .collect()
    };
    let ((mut found, environment), _) = go(context, run, run.tests.clone(), |desk, monitor| {
        let found = clover::tasks(
            desk.store,
            desk.site,
            desk.environment,
            desk.options,
            &asked,
            monitor,
        )?;
        Ok((found, desk.environment.clone()))
    })?;
    drawn(&mut found, &environment, *seed, &counter)?;
    let shown: Vec<&WireTask> = found.iter().filter(|it| *all || it.drawn).collect();
    context.print(
        TableName::of(run.json),
        |out| write_lines(out, &shown),
        |_| [table(&shown, *all)],
    )?;
    for task in asked {
        context.say(&summary(&found, task));
    }
    context.end(0)
}

/// Marks the questions of one project that a seed draws.
pub fn drawn(
    questions: &mut [WireTask],
    environment: &Environment,
    seed: u64,
    counter: &BudgetCounter,
) -> Result<(), Stop> {
    let limit = TargetLimit::new(counter)?;
    let mut files: BTreeMap<String, bool> = BTreeMap::new();
    for it in questions.iter().filter_map(|it| it.target.as_ref()) {
        if !files.contains_key(&it.file) {
            let text = fs::read_to_string(environment.checkout.join(&it.file));
            files.insert(it.file.clone(), text.is_ok_and(|it| limit.fits(&it)));
        }
    }
    clover::draw(questions, seed, &|it| {
        let file = it.target.as_ref().map(|it| &it.file);
        file.and_then(|it| files.get(it)).is_some_and(|it| *it)
    });
    Ok(())
}

fn table(questions: &[&WireTask], is_all: bool) -> TextTable {
    let columns = ["question", "asked", "drawn", "why not"];
    let mut table = TextTable::of_texts(if is_all { &columns } else { &columns[..2] });
    for it in questions {
        let id = it.id.split_once('/').map_or(it.id.as_str(), |it| it.1);
        let mut row = vec![id.to_owned(), words(it)];
        if is_all {
            row.push(if it.drawn { "yes" } else { "" }.to_owned());
            row.push(it.reason.clone().unwrap_or_default());
        }
        table.row(row);
    }
    table
}

/// Describes a question in a line.
fn words(it: &WireTask) -> String {
    if let Some(cloze) = &it.cloze {
        let one_line = cloze.question.split_whitespace().collect::<Vec<_>>();
        return one_line.join(" ");
    }
    if let Some(target) = &it.target {
        return format!("{} `{}` of {}", target.kind, target.name, target.file);
    }
    let blocks = it
        .blocks
        .iter()
        .map(|it| format!("{}:{}-{}", it.file, it.first, it.end));
    blocks.collect::<Vec<_>>().join(", ")
}

fn summary(found: &[WireTask], task: QuestionKind) -> String {
    let of_task: Vec<&WireTask> = found.iter().filter(|it| it.task == task.as_str()).collect();
    let n_drawn = of_task.iter().filter(|it| it.drawn).count();
    let mut whys: BTreeMap<&str, usize> = BTreeMap::new();
    for it in of_task.iter().filter_map(|it| it.reason.as_deref()) {
        let why = if it.starts_with("common") {
            "common"
        } else {
            it
        };
        *whys.entry(why).or_default() += 1;
    }
    let n_possible = of_task.iter().filter(|it| it.reason.is_none()).count();
    let whys: Vec<String> = whys.iter().map(|(why, n)| format!("{n} {why}")).collect();
    let out = if whys.is_empty() {
        String::new()
    } else {
        format!("; out: {}", whys.join(", "))
    };
    format!(
        "{}: {n_drawn} drawn of {n_possible} that can be{out}",
        task.as_str()
    )
}
