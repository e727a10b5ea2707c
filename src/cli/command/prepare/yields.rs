//! The yield of preparing a list: how many projects can be used, and why the others cannot (CLOVER's section 2.2 and
//! appendix A).

use std::collections::BTreeMap;
use std::io;

use super::PreparedProject;
use crate::Context;
use crate::args::TableName;
use crate::exchange::{WireYield, write_lines};
use crate::model::counted;
use crate::print::PrintSection;
use crate::table::{NumberStyle, TextTable, visible};

/// The characters of a reason that are shown.
const DETAIL_CHARS: usize = 100;

/// A project that could not even be tried.
pub struct UntriedProject {
    pub project: String,
    pub why: String,
}

/// Builds a line for each project, in order of names.
pub fn lines(rows: &[PreparedProject], untried: &[UntriedProject]) -> Vec<WireYield> {
    let tried = rows.iter().map(|row| match row {
        PreparedProject::Java(row) => {
            let unbuilt = row.unbuilt.first();
            line(
                (&row.project, row.language),
                (
                    !row.modules.is_empty(),
                    "build",
                    unbuilt.map(|wire_unbuilt| wire_unbuilt.reason.as_str()),
                ),
            )
        }
        PreparedProject::Python(row) => {
            let refused = row.refused.as_ref();
            let step = refused.map_or("", |wire_refused| wire_refused.step.as_str());
            line(
                (&row.project, row.language),
                (
                    row.is_accepted,
                    step,
                    refused.map(|wire_refused| wire_refused.message.as_str()),
                ),
            )
        }
    });
    let others = untried.iter().map(|untried_project| {
        line(
            (&untried_project.project, ""),
            (false, "start", Some(&untried_project.why)),
        )
    });
    let mut lines: Vec<WireYield> = tried.chain(others).collect();
    lines.sort_by(|a, b| a.project.cmp(&b.project));
    lines
}

fn line(
    (project, language): (&str, &'static str),
    (is_prepared, step, why): (bool, &str, Option<&str>),
) -> WireYield {
    let why = why
        .unwrap_or_default()
        .lines()
        .find(|line| !line.trim().is_empty());
    let detail: String = why
        .unwrap_or_default()
        .trim()
        .chars()
        .take(DETAIL_CHARS)
        .collect();
    WireYield {
        project: project.to_owned(),
        language,
        prepared: is_prepared,
        step: (!is_prepared).then(|| step.to_owned()),
        reason: (!is_prepared).then_some(detail),
    }
}

/// Prints each project, then how many are left out at which step.
pub fn print(context: &mut Context<'_, '_>, lines: &[WireYield], is_json: bool) -> io::Result<()> {
    context.print(
        TableName::of(is_json),
        |out| write_lines(out, lines),
        |numbers| {
            [
                table(lines).into(),
                PrintSection::words(sums(lines, numbers)),
            ]
        },
    )
}

fn table(lines: &[WireYield]) -> TextTable {
    let mut table = TextTable::of_texts(&["project", "language", "", "reason"]);
    for line in lines {
        let state = match &line.step {
            None => "prepared".to_owned(),
            Some(step) => format!("left out at `{step}`"),
        };
        let reason = line.reason.as_deref().unwrap_or_default();
        table.row([
            visible(&line.project),
            line.language.to_owned(),
            state,
            visible(reason),
        ]);
    }
    table
}

fn sums(lines: &[WireYield], numbers: NumberStyle) -> String {
    let mut by_step: BTreeMap<&str, u64> = BTreeMap::new();
    for step in lines.iter().filter_map(|line| line.step.as_deref()) {
        *by_step.entry(step).or_default() += 1;
    }
    let n_prepared = lines.iter().filter(|line| line.prepared).count();
    let share = n_prepared as f64 / lines.len().max(1) as f64;
    let share = numbers.share(Some(share));
    let all = counted(lines.len() as u64, "project");
    let mut sums = format!("{n_prepared} of {all} prepared ({share} %)");
    for (step, n) in by_step {
        sums += &format!("\nleft out at `{step}`: {n}");
    }
    sums
}
