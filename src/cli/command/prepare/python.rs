//! `prepare` of Python projects: the steps as they come, and the outcomes of the project's own tests.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::Context;
use crate::args;
use crate::command::{hint, site};
use crate::exchange::{WireEnvironment, WirePrepareStep, WireRefused, WireSuite};
use crate::runner::python::{
    Environment, PreparationStep, PythonPrepareOptions, prepare as prepare_project,
};
use crate::runner::{RunnerError, Site};
use crate::table::{Align, TextTable};
use crate::task::Monitor;

use super::PreparationTarget;

pub fn prepare(
    context: &mut Context<'_, '_>,
    site: &Site,
    target: &PreparationTarget,
    arguments: &args::Prepare,
    monitor: &Monitor,
) -> Result<WireEnvironment, RunnerError> {
    let wheels = arguments.python.wheels.as_ref();
    let options = PythonPrepareOptions {
        name: arguments
            .python
            .name
            .clone()
            .unwrap_or_else(|| target.name.clone()),
        python: arguments.python.python.clone(),
        as_of: arguments.python.as_of.clone(),
        add: arguments.python.add.clone(),
        wheels: wheels.map(|wheel| std::path::absolute(wheel).unwrap_or_else(|_| wheel.clone())),
        accept: arguments.python.accept,
        is_anew: arguments.rebuild,
        has_build_network: arguments.python.build_network,
    };
    let surroundings = site::surroundings();
    let mut n_steps = 0;
    let mut report = |step: &PreparationStep| {
        n_steps += 1;
        let how = match step.code {
            Some(0) => "done".to_owned(),
            Some(code) => format!("code {code}"),
            None => "ended".to_owned(),
        };
        let last = step
            .last
            .first()
            .map_or_else(String::new, |text| format!(": {text}"));
        let line = format!(
            "{}: {}: {how}, {:.1} s{last}",
            target.name, step.what, step.seconds
        );
        context.say(&line);
    };
    let environment = prepare_project(
        site,
        &target.root,
        &options,
        &surroundings,
        monitor,
        &mut report,
    )?;
    // Steps that only look for tools have made nothing.
    let is_from_cache = n_steps < environment.steps.len();
    Ok(wire(environment, is_from_cache))
}

fn wire(environment: Environment, is_from_cache: bool) -> WireEnvironment {
    let version_of = |name: &str| {
        let of = |text: &String| {
            text.strip_prefix(name)?
                .strip_prefix("==")
                .map(str::to_owned)
        };
        environment.installed.iter().find_map(of)
    };
    let mut tools: BTreeMap<&'static str, String> = BTreeMap::new();
    tools.insert("python", environment.python.version.clone());
    tools.insert("installer", environment.installer.clone());
    for name in ["pytest", "coverage"] {
        if let Some(version) = version_of(name) {
            tools.insert(name, version);
        }
    }
    let is_accepted = environment.is_accepted();
    let suite = environment.suite;
    WireEnvironment {
        project: environment.name,
        language: "python",
        build: environment.key,
        folder: environment.checkout.display().to_string(),
        tools,
        as_of: environment.as_of,
        sandbox: environment.sandbox,
        is_from_cache,
        is_accepted,
        refused: environment.refused.map(|refused_project| WireRefused {
            step: refused_project.step,
            message: refused_project.message,
            add: refused_project.add,
        }),
        suite: WireSuite {
            collected: suite.n_collected,
            passed: suite.n_passed,
            failed: suite.n_failed,
            skipped: suite.n_skipped,
            writing: suite.writing,
            errors: suite.errors,
        },
        steps: environment
            .steps
            .into_iter()
            .map(|step| WirePrepareStep {
                step: step.what,
                command: step.command,
                code: step.code,
                seconds: step.seconds,
                last: step.last,
            })
            .collect(),
        sources: environment.sources,
        installed: environment.installed,
        notes: environment.notes,
    }
}

/// Prints the notes on a project besides its row.
pub fn tell(context: &mut Context<'_, '_>, row: &WireEnvironment) {
    for note in &row.notes {
        context.say(&format!("warning: {}: {note}", row.project));
    }
    if row.sandbox == "none" {
        context.say(&format!(
            "warning: {}: it was prepared without a sandbox",
            row.project
        ));
    }
    if let Some(refused) = &row.refused {
        let message = refused.message.replace('\n', " · ");
        context.say(&format!(
            "warning: {}: refused at `{}`: {message}",
            row.project, refused.step
        ));
    }
}

/// Gives advice on a project that was refused.
pub fn hint(row: &WireEnvironment) -> String {
    let add = row
        .refused
        .as_ref()
        .map(|wire_refused| wire_refused.add.as_slice())
        .unwrap_or_default();
    if add.is_empty() {
        return "`--json` lists every step; `--python`, `--as-of` and `--add PKG` change the choice"
            .to_owned();
    }
    let mut words = vec!["prepare", row.project.as_str()];
    words.extend(add.iter().flat_map(|text| ["--add", text.as_str()]));
    format!(
        "{} adds the packages that its tests miss",
        hint::command(&words)
    )
}

pub fn write(out: &mut dyn Write, rows: &[&WireEnvironment]) -> io::Result<()> {
    let mut table = TextTable::new(&[
        ("project", Align::Left),
        ("python", Align::Left),
        ("as of", Align::Left),
        ("tests", Align::Right),
        ("passed", Align::Right),
        ("failed", Align::Right),
        ("skipped", Align::Right),
        ("", Align::Left),
    ]);
    for row in rows {
        let state = match (&row.refused, row.is_from_cache) {
            (Some(refused), _) => format!("refused at `{}`", refused.step),
            (None, true) => "from the cache".to_owned(),
            (None, false) => "accepted".to_owned(),
        };
        table.row([
            row.project.clone(),
            row.tools.get("python").cloned().unwrap_or_default(),
            row.as_of.clone().unwrap_or_else(|| "now".to_owned()),
            row.suite.collected.to_string(),
            row.suite.passed.to_string(),
            row.suite.failed.to_string(),
            row.suite.skipped.to_string(),
            state,
        ]);
    }
    table.write(out)
}
