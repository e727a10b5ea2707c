//! What verdicts say about the machine and about annotators: audits, calibration, agreement, as tables and as JSON.

use std::io::{self, Write};

use super::{annotator, now_ms, open};
use crate::browse;
use crate::cli::failure::Stop;
use crate::cli::table::{Align, Table, visible};
use crate::cli::{Context, args, inspect, progress, workspace};
use crate::exchange::review::{
    WireAgreement, WireAudit, WireAudited, WireBand, WireCoefficient, WireShare, WireStratum,
};
use crate::exchange::{write_line, write_pretty};
use crate::metric::agreement::Coefficient;
use crate::model::{Draw, SampleKey};
use crate::review::{
    self, Agreement, AgreementOptions, AuditOptions, AuditReport, By, Share, Stratum,
};
use crate::store::{Access, Store};

pub fn calibration(context: &mut Context<'_, '_>, json: bool) -> Result<(), Stop> {
    let store = workspace::open(context)?;
    let bands = review::calibration(&store, &open(context, Access::Read)?)?;
    let mut table = Table::new(&[
        ("weight", Align::Left),
        ("judged", Align::Right),
        ("accepted", Align::Right),
        ("95 % interval", Align::Right),
    ]);
    for band in &bands {
        if json {
            let line = WireBand {
                from: band.from,
                to: band.to,
                accepted: wire_share(band.accepted),
            };
            write_line(context.streams.out, &line)?;
        }
        table.row([
            format!("{:.2} to {:.2}", band.from, band.to),
            band.accepted.n.to_string(),
            percent(band.accepted.value()),
            interval(band.accepted),
        ]);
    }
    if !json {
        table.write(context.streams.out)?;
    }
    Ok(())
}

fn wire_share(share: Share) -> WireShare {
    let interval = share.interval();
    WireShare {
        k: share.k,
        n: share.n,
        value: share.value(),
        low: interval.map(|it| it.0),
        high: interval.map(|it| it.1),
    }
}

/// Returns a ratio for people; a dash for none.
fn percent(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |it| format!("{:.1} %", it * 100.0))
}

fn interval(share: Share) -> String {
    share.interval().map_or_else(String::new, |(low, high)| {
        format!("{:.1} to {:.1}", low * 100.0, high * 100.0)
    })
}

pub fn audit(context: &mut Context<'_, '_>, asked: &args::Audit) -> Result<(), Stop> {
    let filter = inspect::filter(&asked.filter)?;
    let options = AuditOptions {
        n: asked.n,
        seed: asked.seed,
        stratify: asked.stratify,
        filter_text: browse::write_filter(&filter),
        filter,
    };
    let store = workspace::open(context)?;
    let known = open(context, Access::Read)?.draw(&options.name())?;
    let draw = if let Some(draw) = known {
        draw
    } else {
        let annotator = annotator(asked.annotator.as_deref())?;
        progress::run(context, |context, monitor| {
            let mut verdicts = open(context, Access::Create)?;
            let by = By {
                annotator: &annotator,
                now_ms: now_ms(),
            };
            Ok(review::draw(&store, &mut verdicts, monitor, &options, by)?)
        })?
    };
    let verdicts = open(context, Access::Read)?;
    let report = review::report(&verdicts, &draw, asked.annotator.as_deref())?;
    if asked.latex {
        writeln!(context.streams.out, "{}", latex(&report))?;
        return Ok(());
    }
    if asked.report {
        return write_report(context, &report, asked.json);
    }
    list_draw(context, &store, &report, &draw, asked.json)
}

/// Writes the samples of a draw, and whether they are judged.
fn list_draw(
    context: &mut Context<'_, '_>,
    store: &Store,
    report: &AuditReport,
    draw: &Draw,
    json: bool,
) -> Result<(), Stop> {
    let keys: Vec<SampleKey> = draw.samples.iter().map(|it| it.key).collect();
    let states = store.states(&keys)?;
    let mut table = Table::new(&[
        ("key", Align::Left),
        ("test", Align::Left),
        ("focal method", Align::Left),
        ("stratum", Align::Left),
        ("judged", Align::Left),
    ]);
    for (drawn, state) in draw.samples.iter().zip(&states) {
        let is_judged = !report.open.contains(&drawn.key);
        if json {
            let line = WireAudited {
                key: drawn.key.to_string(),
                test: state.as_ref().map(|it| it.test.as_str()),
                focal: state.as_ref().and_then(|it| it.focal.as_deref()),
                stratum: &drawn.stratum,
                judged: is_judged,
            };
            write_line(context.streams.out, &line)?;
            continue;
        }
        let state = state.as_ref();
        table.row([
            drawn.key.to_string()[..12].to_owned(),
            state.map_or_else(String::new, |it| it.test.clone()),
            state.and_then(|it| it.focal.clone()).unwrap_or_default(),
            drawn.stratum.clone(),
            if is_judged { "judged" } else { "" }.to_owned(),
        ]);
    }
    if !json {
        table.write(context.streams.out)?;
    }
    context.say(&format!(
        "{} of {} judged; `--report` says what they tell",
        report.all.n_judged, report.all.n_drawn
    ));
    Ok(())
}

fn write_report(
    context: &mut Context<'_, '_>,
    report: &AuditReport,
    json: bool,
) -> Result<(), Stop> {
    if json {
        let all = std::iter::once((None, &report.all));
        let parts = report.strata.iter().map(|it| (Some(it.name.as_str()), it));
        let strata = all.chain(parts).map(|(stratum, it)| WireStratum {
            stratum,
            n_drawn: it.n_drawn,
            n_judged: it.n_judged,
            precision: wire_share(it.precision),
            coverage: wire_share(it.coverage),
        });
        let line = WireAudit {
            audit: &report.audit,
            n_drawn: report.all.n_drawn,
            n_judged: report.all.n_judged,
            strata: strata.collect(),
        };
        return Ok(write_pretty(context.streams.out, &line)?);
    }
    let mut table = Table::new(&[
        ("stratum", Align::Left),
        ("judged", Align::Right),
        ("drawn", Align::Right),
        ("precision", Align::Right),
        ("95 % interval", Align::Right),
        ("of", Align::Right),
        ("coverage", Align::Right),
        ("95 % interval", Align::Right),
        ("of", Align::Right),
    ]);
    let mut row = |name: &str, it: &Stratum| {
        table.row([
            name.to_owned(),
            it.n_judged.to_string(),
            it.n_drawn.to_string(),
            percent(it.precision.value()),
            interval(it.precision),
            it.precision.n.to_string(),
            percent(it.coverage.value()),
            interval(it.coverage),
            it.coverage.n.to_string(),
        ]);
    };
    row("all", &report.all);
    for stratum in &report.strata {
        row(&stratum.name, stratum);
    }
    writeln!(context.streams.out, "audit {}", visible(&report.audit))?;
    table.write(context.streams.out)?;
    writeln!(
        context.streams.out,
        "precision: of the mapped tests, those mapped to the true focal method\n\
         coverage: of the tests that are about a method, those mapped to it"
    )?;
    if !report.open.is_empty() {
        context.say(&format!("{} samples are not judged yet", report.open.len()));
    }
    Ok(())
}

/// Returns the report as a sentence for a paper.
fn latex(report: &AuditReport) -> String {
    let share = |share: Share| match (share.value(), share.interval()) {
        (Some(value), Some((low, high))) => format!(
            "{:.1}\\,\\% (95\\,\\% CI {:.1}--{:.1}, $n = {}$)",
            value * 100.0,
            low * 100.0,
            high * 100.0,
            share.n
        ),
        _ => "not known".to_owned(),
    };
    format!(
        "Precision {}, coverage {}.",
        share(report.all.precision),
        share(report.all.coverage)
    )
}

pub fn agreement(context: &mut Context<'_, '_>, asked: &args::Agreement) -> Result<(), Stop> {
    let keys = match &asked.filter {
        Some(text) => {
            let filter = inspect::filter(std::slice::from_ref(text))?;
            Some(review::keys(&workspace::open(context)?, &filter)?)
        }
        None => None,
    };
    let options = AgreementOptions {
        keys,
        annotators: asked.annotators.clone(),
        seed: asked.seed,
        n_resamples: u64::from(asked.resamples),
    };
    let agreement = review::agreement(&open(context, Access::Read)?, &options)?;
    if asked.json {
        let coefficients = Coefficient::ALL.into_iter().zip(&agreement.values);
        let line = WireAgreement {
            annotators: &agreement.annotators,
            categories: &agreement.categories,
            n_samples: agreement.samples.len() as u64,
            n_overlapping: agreement.ratings.n_overlapping() as u64,
            n_conflicts: agreement.conflicts.len() as u64,
            seed: options.seed,
            resamples: options.n_resamples,
            coefficients: coefficients
                .zip(&agreement.intervals)
                .map(|((coefficient, value), interval)| WireCoefficient {
                    name: coefficient.id(),
                    value: *value,
                    low: interval.map(|it| it.0),
                    high: interval.map(|it| it.1),
                })
                .collect(),
            by_category: agreement.by_category.clone(),
            matrix: agreement.matrix.clone(),
            warning: agreement.warning.clone(),
        };
        return Ok(write_pretty(context.streams.out, &line)?);
    }
    Ok(write_agreement(context.streams.out, &agreement)?)
}

fn write_agreement(out: &mut dyn Write, agreement: &Agreement) -> io::Result<()> {
    writeln!(
        out,
        "{} samples judged by {}; {} by several, {} with conflicts\n",
        agreement.samples.len(),
        visible(&agreement.annotators.join(", ")),
        agreement.ratings.n_overlapping(),
        agreement.conflicts.len()
    )?;
    let mut table = Table::new(&[
        ("coefficient", Align::Left),
        ("value", Align::Right),
        ("95 % interval", Align::Right),
    ]);
    for ((coefficient, value), interval) in Coefficient::ALL
        .into_iter()
        .zip(agreement.values)
        .zip(agreement.intervals)
    {
        table.row([
            coefficient.title().to_owned(),
            value.map_or_else(|| "–".to_owned(), |it| format!("{it:.3}")),
            interval.map_or_else(String::new, |it| format!("{:.3} to {:.3}", it.0, it.1)),
        ]);
    }
    table.write(out)?;
    let mut by_category = Table::new(&[("category", Align::Left), ("agreement", Align::Right)]);
    for (category, share) in agreement.categories.iter().zip(&agreement.by_category) {
        by_category.row([category.replace('_', " "), percent(*share)]);
    }
    writeln!(out)?;
    by_category.write(out)?;
    if let (Some(matrix), [first, second]) = (&agreement.matrix, &agreement.annotators[..]) {
        let mut columns = vec![(format!("{first} \\ {second}"), Align::Left)];
        let names = agreement.categories.iter();
        columns.extend(names.map(|it| (it.replace('_', " "), Align::Right)));
        let mut table = Table::new(&columns);
        for (category, row) in agreement.categories.iter().zip(matrix) {
            let mut cells = vec![category.replace('_', " ")];
            cells.extend(row.iter().map(u64::to_string));
            table.row(cells);
        }
        writeln!(out)?;
        table.write(out)?;
    }
    if let Some(warning) = &agreement.warning {
        writeln!(out, "\n{warning}")?;
    }
    Ok(())
}
