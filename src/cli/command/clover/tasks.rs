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
    let kinds: Vec<QuestionKind> = if task.is_empty() {
        QuestionKind::ALL.to_vec()
    } else {
        QuestionKind::ALL
            .iter()
            .copied()
            .filter(|question_kind| task.contains(question_kind))
            .collect()
    };
    let ((mut found, environment), _) = go(context, run, run.tests.clone(), |desk, monitor| {
        let found = clover::tasks(
            desk.store,
            desk.site,
            desk.environment,
            desk.options,
            &kinds,
            monitor,
        )?;
        Ok((found, desk.environment.clone()))
    })?;
    drawn(&mut found, &environment, *seed, &counter)?;
    let shown: Vec<&WireTask> = found
        .iter()
        .filter(|wire_task| *all || wire_task.drawn)
        .collect();
    context.print(
        TableName::of(run.json),
        |out| write_lines(out, &shown),
        |_| [table(&shown, *all)],
    )?;
    for task in kinds {
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
    for wire_target in questions
        .iter()
        .filter_map(|question| question.target.as_ref())
    {
        if !files.contains_key(&wire_target.file) {
            let text = fs::read_to_string(environment.checkout.join(&wire_target.file));
            files.insert(
                wire_target.file.clone(),
                text.is_ok_and(|text| limit.fits(&text)),
            );
        }
    }
    clover::draw(questions, seed, &|wire_task| {
        let file = wire_task
            .target
            .as_ref()
            .map(|wire_target| &wire_target.file);
        file.and_then(|file| files.get(file))
            .is_some_and(|does_fit| *does_fit)
    });
    Ok(())
}

fn table(questions: &[&WireTask], is_all: bool) -> TextTable {
    let columns = ["question", "asked", "drawn", "why not"];
    let mut table = TextTable::of_texts(if is_all { &columns } else { &columns[..2] });
    for question in questions {
        let id = question
            .id
            .split_once('/')
            .map_or(question.id.as_str(), |pair| pair.1);
        let mut row = vec![id.to_owned(), words(question)];
        if is_all {
            row.push(if question.drawn { "yes" } else { "" }.to_owned());
            row.push(question.reason.clone().unwrap_or_default());
        }
        table.row(row);
    }
    table
}

/// Describes a question in a line.
fn words(wire_task: &WireTask) -> String {
    if let Some(cloze) = &wire_task.cloze {
        let one_line = cloze.question.split_whitespace().collect::<Vec<_>>();
        return one_line.join(" ");
    }
    if let Some(target) = &wire_task.target {
        return format!("{} `{}` of {}", target.kind, target.name, target.file);
    }
    let blocks = wire_task
        .blocks
        .iter()
        .map(|block| format!("{}:{}-{}", block.file, block.first, block.end));
    blocks.collect::<Vec<_>>().join(", ")
}

fn summary(found: &[WireTask], task: QuestionKind) -> String {
    let of_task: Vec<&WireTask> = found
        .iter()
        .filter(|wire_task| wire_task.task == task.as_str())
        .collect();
    let n_drawn = of_task.iter().filter(|wire_task| wire_task.drawn).count();
    let mut whys: BTreeMap<&str, usize> = BTreeMap::new();
    for text in of_task
        .iter()
        .filter_map(|wire_task| wire_task.reason.as_deref())
    {
        let why = if text.starts_with("common") {
            "common"
        } else {
            text
        };
        *whys.entry(why).or_default() += 1;
    }
    let n_possible = of_task
        .iter()
        .filter(|wire_task| wire_task.reason.is_none())
        .count();
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
