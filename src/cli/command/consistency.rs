//! The command `consistency`: outliers among completions, and what is taken in the end.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use crate::Context;
use crate::args::{self, TableName};
use crate::command::mining::tell_problems;
use crate::command::runs::write_as;
use crate::consistency::completions::{Judged, Options, Report, Seeds, consistency};
use crate::consistency::outliers::THRESHOLDS;
use crate::exchange;
use crate::exchange::consistency::{WireConsistency, WireOutliers};
use crate::failure::{ExitCode, Failure, Stop};
use crate::mutate::Pass;
use crate::table::{Align, Table, percent, visible};

fn open(path: &Path) -> Result<BufReader<File>, Stop> {
    let file = File::open(path).map_err(|error| {
        let shown = visible(&path.to_string_lossy());
        Failure::new(ExitCode::Input, format!("cannot read `{shown}`: {error}"))
    })?;
    Ok(BufReader::new(file))
}

pub fn run(context: &mut Context<'_, '_>, asked: &args::Consistency) -> Result<(), Stop> {
    let mut problems = Vec::new();
    let seeds = match &asked.seeds {
        Some(path) => {
            let shown = path.to_string_lossy();
            Some(Seeds::read(&mut open(path)?, &shown, &mut problems)?)
        }
        None => None,
    };
    let options = Options {
        rule: asked.rule,
        threshold: asked.threshold as usize,
    };
    let shown = asked.from.to_string_lossy();
    let report = consistency(&mut open(&asked.from)?, &shown, seeds.as_ref(), options)?;
    problems.extend(report.problems.iter().cloned());
    let format = asked.shown.format();
    if format == TableName::Json {
        for it in &report.seeds {
            exchange::write_line(context.streams.out, &wire(it, asked))?;
        }
    } else if asked.list {
        write_as(&listed(&report, options), format, context.streams.out)?;
    } else {
        write_as(&totals(&report), format, context.streams.out)?;
        writeln!(context.streams.out)?;
        write_as(&gains(&report), format, context.streams.out)?;
    }
    tell_problems(context, &problems, "focalist consistency");
    if !problems.is_empty() && context.global.strict || report.seeds.is_empty() {
        let message = format!("{} lines could not be used", problems.len());
        return Err(Failure::new(ExitCode::Problems, message).into());
    }
    Ok(())
}

fn word(pass: Option<Pass>) -> String {
    pass.map_or("seed", Pass::as_str).to_owned()
}

/// Outliers by threshold, as in the paper's Table V.
fn totals(report: &Report) -> Table {
    let mut table = Table::new(&[
        ("T", Align::Right),
        ("eligible seeds", Align::Right),
        ("completions", Align::Right),
        ("outliers", Align::Right),
        ("share", Align::Right),
    ]);
    let n_texts: usize = report.seeds.iter().map(|it| it.texts.len()).sum();
    for (at, threshold) in THRESHOLDS.iter().enumerate() {
        let eligible = report.seeds.iter().filter(|it| it.texts.len() > *threshold);
        let outliers = report.seeds.iter().flat_map(|it| &it.outliers[at]);
        let n_outliers = outliers.filter(|it| **it).count();
        table.row([
            threshold.to_string(),
            eligible.count().to_string(),
            n_texts.to_string(),
            n_outliers.to_string(),
            percent(n_outliers as u64, n_texts as u64),
        ]);
    }
    table
}

/// Which pass gave what is taken in the end, and what it gains: r = (s' − s) / s of edit similarity.
fn gains(report: &Report) -> Table {
    let mut table = Table::new(&[
        ("repaired by", Align::Left),
        ("seeds", Align::Right),
        ("mean enhancement", Align::Right),
        ("without s", Align::Right),
    ]);
    let passes = std::iter::once(None).chain(Pass::ALL.iter().copied().map(Some));
    for pass in passes {
        let taken = report.seeds.iter().filter(|it| {
            it.repaired
                .is_some_and(|repaired| it.passes[repaired] == pass)
        });
        let taken: Vec<&Judged> = taken.collect();
        let ratios: Vec<f64> = taken
            .iter()
            .filter_map(|it| match it.edit {
                Some((own, Some(repaired))) if own > 0.0 => Some((repaired - own) / own),
                _ => None,
            })
            .collect();
        let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
        table.row([
            word(pass),
            taken.len().to_string(),
            if ratios.is_empty() {
                "–".to_owned()
            } else {
                format!("{:.2} %", mean * 100.0)
            },
            (taken.len() - ratios.len()).to_string(),
        ]);
    }
    table
}

fn listed(report: &Report, options: Options) -> Table {
    let mut table = Table::new(&[
        ("seed", Align::Left),
        ("k", Align::Right),
        ("no result", Align::Right),
        ("outliers", Align::Left),
        ("repaired", Align::Left),
        ("median", Align::Right),
    ]);
    for it in &report.seeds {
        let is_outlier = it.matrix.outliers(options.rule, options.threshold);
        let outliers = it.passes.iter().zip(&is_outlier).filter(|it| *it.1);
        let outliers: Vec<String> = outliers.map(|it| word(*it.0)).collect();
        table.row([
            it.seed.clone(),
            it.texts.len().to_string(),
            it.n_empty.to_string(),
            outliers.join(" "),
            it.repaired
                .map_or_else(|| "–".to_owned(), |at| word(it.passes[at])),
            it.matrix
                .median()
                .map_or_else(|| "–".to_owned(), |it| it.to_string()),
        ]);
    }
    table
}

fn wire<'a>(it: &'a Judged, asked: &args::Consistency) -> WireConsistency<'a> {
    let n = it.matrix.len();
    WireConsistency {
        seed: &it.seed,
        passes: it.passes.iter().map(|it| it.map(Pass::as_str)).collect(),
        no_result: it.n_empty,
        matrix: (0..n)
            .map(|i| (0..n).map(|j| it.matrix.at(i, j)).collect())
            .collect(),
        median: it.matrix.median(),
        rule: asked.rule.as_str(),
        outliers: THRESHOLDS
            .iter()
            .zip(&it.outliers)
            .map(|(threshold, outliers)| WireOutliers {
                threshold: *threshold,
                is_eligible: n > *threshold,
                outliers: (0..n).filter(|at| outliers[*at]).collect(),
            })
            .collect(),
        threshold: asked.threshold,
        repaired: it.repaired,
        edit: it.edit.map(|it| it.0),
        edit_repaired: it.edit.and_then(|it| it.1),
    }
}
