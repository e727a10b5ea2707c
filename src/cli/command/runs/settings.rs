//! Runs by the settings that their answers were asked with, and the numbers of the best of several answers.

use std::io::{self, Write};

use crate::Context;
use crate::args::{self, TableName};
use crate::command::executed::{shown_ks, wire_at_k, wire_mean};
use crate::eval::executed::AtK;
use crate::eval::interval::{CORRECT, Mean, PARSES};
use crate::eval::settings::{AnswerNumbers, RunBySetting, by_setting};
use crate::exchange::usage::{WireOracle, WireSetting, WireSettingNumbers};
use crate::exchange::write_lines;
use crate::failure::Stop;
use crate::metric::Metric;
use crate::model::RunRow;
use crate::progress;
use crate::store::Store;
use crate::table::{NumberStyle, TextTable};

use super::table::RunTableLayout;

/// Writes a row for each setting of each run, then its oracles.
pub fn list(
    context: &mut Context<'_, '_>,
    store: &Store,
    runs: &[RunRow],
    arguments: &args::Runs,
) -> Result<(), Stop> {
    let metrics = RunTableLayout::of(runs, arguments)?.metrics;
    let found = progress::run(context, |_, monitor| {
        let of_run = |run| Ok(by_setting((store, monitor), run, &metrics)?);
        runs.iter().map(of_run).collect::<Result<Vec<_>, Stop>>()
    })?;
    let format = arguments.shown.format.name();
    context.print(
        format,
        |out| {
            let mut found = runs.iter().zip(&found);
            found.try_for_each(|(run, by_setting)| write_settings(out, run, by_setting, &metrics))
        },
        |numbers| [table(runs, &found, &metrics, numbers)],
    )?;
    if format != TableName::Json {
        context.say(
            "first answers of each setting; `sentence` is the mean of the samples' own scores; oracle@k is the best of k answers \
             of each sample, as if somebody knew which",
        );
    }
    Ok(())
}

fn write_settings(
    out: &mut dyn Write,
    run: &RunRow,
    found: &RunBySetting,
    metrics: &[&'static Metric],
) -> io::Result<()> {
    let name = &run.setting.name;
    let wire = |answer_numbers: &AnswerNumbers| WireSettingNumbers {
        n_samples: answer_numbers.n_samples,
        parses: answer_numbers.parses.map(wire_mean),
        metrics: (metrics.iter().zip(&answer_numbers.metrics))
            .map(|(metric, mean)| (metric.id, mean.map(wire_mean)))
            .collect(),
        correct: answer_numbers.correct.map(wire_mean),
    };
    let settings = found.settings.iter().map(|setting| WireSetting {
        run: name,
        setting: &setting.name,
        parameters: &setting.parameters,
        n_answers: setting.n_answers,
        numbers: wire(&setting.numbers),
        at_k: setting.at_k.iter().map(wire_at_k).collect(),
    });
    let oracles = found.oracles.iter().map(|oracle| WireOracle {
        run: name,
        oracle: oracle.of.as_str(),
        k: oracle.k,
        numbers: wire(&oracle.numbers),
    });
    write_lines(out, settings)?;
    write_lines(out, oracles)
}

fn table(
    runs: &[RunRow],
    found: &[RunBySetting],
    metrics: &[&'static Metric],
    numbers: NumberStyle,
) -> TextTable {
    let any = |of: fn(&AnswerNumbers) -> bool| {
        let mut all = found.iter().flat_map(|by_setting| &by_setting.settings);
        all.any(|setting_numbers| of(&setting_numbers.numbers))
    };
    let ran = any(|answer_numbers| answer_numbers.correct.is_some());
    let ks = ks(found);
    let mut heads = ["answers", "samples"].map(str::to_owned).to_vec();
    let mut shares = vec![PARSES.to_owned()];
    shares.extend(metrics.iter().map(|metric| metric.sentence_title()));
    shares.extend(ran.then(|| CORRECT.to_owned()));
    let pass = if ran { "pass" } else { "parse" };
    shares.extend(ks.iter().map(|k| format!("{pass}@{k}")));
    for share in shares {
        heads.extend(numbers.bounded_heads(&share));
        heads.extend((numbers == NumberStyle::Machine).then(|| format!("{share} n")));
    }
    let mut table = TextTable::of(&["run", "setting"], &heads);
    for (run, found) in runs.iter().zip(found) {
        let mut add =
            |name: String, n_answers: Option<u64>, counted: &AnswerNumbers, at_k: &[AtK]| {
                let none = || numbers.none().to_owned();
                let mut cells = vec![
                    run.setting.name.clone(),
                    name,
                    n_answers.map_or_else(none, |n| n.to_string()),
                    counted.n_samples.to_string(),
                ];
                let means = std::iter::once(counted.parses).chain(counted.metrics.iter().copied());
                let means = means.chain(ran.then_some(counted.correct));
                let attempts = ks.iter().map(|k| {
                    let at = at_k.iter().find(|at_k| at_k.k == *k)?;
                    let (value, interval) = if ran {
                        (at.pass, at.pass_interval())
                    } else {
                        (at.parse, at.parse_interval())
                    };
                    let n = at.n_samples;
                    Some(Mean { n, value, interval })
                });
                cells.extend(
                    means
                        .chain(attempts)
                        .flat_map(|mean| cells_of(mean, numbers)),
                );
                table.row(cells);
            };
        for setting in &found.settings {
            let name = if setting.name.is_empty() {
                "(one)".to_owned()
            } else {
                setting.name.clone()
            };
            add(
                name,
                Some(setting.n_answers),
                &setting.numbers,
                &setting.at_k,
            );
        }
        for oracle in &found.oracles {
            let name = format!("oracle@{} of {}", oracle.k, oracle.of.as_str());
            add(name, None, &oracle.numbers, &[]);
        }
    }
    table
}

/// Chooses the numbers of attempts with one setting to show: one, and as many as there are.
fn ks(found: &[RunBySetting]) -> Vec<u64> {
    let all = found.iter().flat_map(|by_setting| &by_setting.settings);
    shown_ks(all.map(|setting_numbers| setting_numbers.at_k.as_slice()))
}

/// Writes the cells of a mean: for people with its interval, for programs a cell for each number.
fn cells_of(mean: Option<Mean>, numbers: NumberStyle) -> Vec<String> {
    let interval = mean.and_then(|mean| mean.interval);
    let mut cells = numbers.bounded(mean.map(|mean| mean.value), interval);
    if numbers == NumberStyle::Machine {
        cells.push(mean.map_or_else(String::new, |mean| mean.n.to_string()));
    }
    cells
}
