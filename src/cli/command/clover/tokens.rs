//! `clover tokens`: how long prompts are, by task and budget (the paper's Table 2).

use std::io;

use crate::args::CloverTokens;
use crate::clover::QuestionKind;
use crate::command::clover::tables::budget;
use crate::command::prompts::problems::{ProblemSampling, file_of, kind_of, questions};
use crate::command::tokens;
use crate::exchange::{WireBudgetTokens, WireTaskTokens, write_lines};
use crate::failure::Stop;
use crate::prompts::{AnswerForm, Contexts, ProblemOptions, problem_prompts};
use crate::table::{NumberStyle, TextTable};
use crate::{Context, progress};

/// Budgets of the paper, in thousands; 0 is the problem alone.
const BUDGETS: &[usize] = &[0, 4, 8, 16, 32, 64, 128];

/// Iterates over the budgets under which the paper asks questions of a task.
fn budgets_of(task: QuestionKind) -> impl Iterator<Item = Option<usize>> {
    let (from, to) = match task {
        QuestionKind::Cloze => (4, 64),
        QuestionKind::Target => (8, 64),
        QuestionKind::Block => (64, 128),
    };
    let is_of =
        move |n: &&usize| (from..=to).contains(*n) || **n == 0 && task != QuestionKind::Block;
    let budgets = BUDGETS.iter().filter(is_of);
    budgets.map(|budget| Some(budget * 1_000).filter(|n| *n > 0))
}

pub fn run(context: &mut Context<'_, '_>, arguments: &CloverTokens) -> Result<(), Stop> {
    let counter = tokens::counter(&arguments.tokenizer)?;
    let mut rows = Vec::new();
    for task in QuestionKind::ALL {
        let kind = kind_of(*task);
        let wanted = ProblemSampling {
            projects: &arguments.project,
            seed: arguments.seed,
            counter: &counter,
        };
        let (environments, mut all) = questions(context, &wanted, *task)?;
        let available = all.len();
        all.retain(|wire_task| wire_task.drawn);
        let forms = AnswerForm::of_kind(kind);
        let read = |project: &str, file: &str| file_of(&environments, project, file);
        let row = progress::run(context, |_, monitor| {
            let mut budgets = Vec::new();
            for budget in budgets_of(*task) {
                let options = ProblemOptions {
                    kind,
                    budget,
                    counter: &counter,
                    template: None,
                    answer: forms.first().copied().unwrap_or(AnswerForm::Full),
                    contexts: Contexts::All,
                    seed: arguments.seed,
                };
                let report = problem_prompts(&all, &options, &read, monitor, &mut io::sink())?;
                let mean = report.n_tokens as f64 / report.n_written as f64;
                budgets.push(WireBudgetTokens {
                    budget,
                    n: report.n_written,
                    tokens: (report.n_written > 0).then_some(mean),
                });
            }
            Ok(WireTaskTokens {
                task: task.as_str(),
                drawn: all.len(),
                available,
                templates: forms.len(),
                budgets,
            })
        })?;
        rows.push(row);
    }
    context.print(
        arguments.format.name(),
        |out| write_lines(out, &rows),
        |numbers| [table(&rows, numbers)],
    )?;
    let by = match &counter {
        crate::prompts::BudgetCounter::Approximate => "bytes / 3.6",
        crate::prompts::BudgetCounter::Exact { .. } => counter.name(),
    };
    context.say(&format!(
        "mean tokens of prompts, without their answers, by {by}; a question that does not fit has no prompt"
    ));
    context.end(0)
}

/// Builds the paper's table: a row for each task, a column for each budget.
fn table(rows: &[WireTaskTokens], numbers: NumberStyle) -> TextTable {
    let all: Vec<Option<usize>> = BUDGETS
        .iter()
        .map(|n| Some(n * 1_000).filter(|n| *n > 0))
        .collect();
    let mut counts = ["drawn", "available", "templates"]
        .map(str::to_owned)
        .to_vec();
    counts.extend(all.iter().map(|n| budget(*n)));
    let mut table = TextTable::of(&["task"], &counts);
    for row in rows {
        let mut cells = vec![
            row.task.to_owned(),
            row.drawn.to_string(),
            row.available.to_string(),
            row.templates.to_string(),
        ];
        cells.extend(all.iter().map(|budget| {
            let mut budgets = row.budgets.iter();
            let of_budget = budgets.find(|budget_tokens| budget_tokens.budget == *budget);
            let mean = of_budget.and_then(|budget_tokens| budget_tokens.tokens);
            match (mean, numbers) {
                (None, _) => numbers.none().to_owned(),
                (Some(mean), NumberStyle::People) => format!("{:.1}k", mean / 1_000.0),
                (Some(mean), NumberStyle::Machine) => mean.to_string(),
            }
        }));
        table.row(cells);
    }
    table
}
