//! What verdicts say about the machine and about annotators: audits, calibration, agreement, as tables and as JSON.

use super::{annotator, open, tell_backup};
use crate::args::{self, TableName};
use crate::browse;
use crate::command::judgement_words::{judgement_words, ruling_words, wire};
use crate::command::{inspect, workspace};
use crate::exchange::review::{
    WireAgreement, WireAudit, WireAudited, WireBand, WireCoefficient, WireConflict, WireShare,
    WireStratum, WireVerdict,
};
use crate::exchange::{write_lines, write_pretty};
use crate::failure::{ExitCode, Failure, Stop};
use crate::job::now_ms;
use crate::metric::agreement::Coefficient;
use crate::model::{Draw, SampleKey, counted, number};
use crate::print::PrintSection;
use crate::review::{
    self, AcceptError, AcceptOptions, Agreement, AgreementOptions, AuditOptions, AuditReport, Band,
    Conflict, Share, Stratum, VerdictAuthor,
};
use crate::store::{SampleState, Store, StoreAccess};
use crate::table::{TextTable, visible};
use crate::{Context, progress};

pub fn calibration(context: &mut Context<'_, '_>, json: bool) -> Result<(), Stop> {
    let store = workspace::open(context)?;
    let bands = review::calibration(&store, &open(context, StoreAccess::Read)?)?;
    let wire = |band: &Band| WireBand {
        from: band.from,
        to: band.to,
        accepted: wire_share(band.accepted),
    };
    Ok(context.print(
        TableName::of(json),
        |out| write_lines(out, bands.iter().map(wire)),
        |_| [bands_table(&bands)],
    )?)
}

fn bands_table(bands: &[Band]) -> TextTable {
    let mut table = TextTable::of(&["weight"], &["judged", "accepted", "95 % interval"]);
    for band in bands {
        table.row([
            format!("{:.2} to {:.2}", band.from, band.to),
            band.accepted.n.to_string(),
            percent(band.accepted.value()),
            interval(band.accepted),
        ]);
    }
    table
}

pub(crate) fn wire_share(share: Share) -> WireShare {
    let interval = share.interval();
    WireShare {
        k: share.k,
        n: share.n,
        value: share.value(),
        low: interval.map(|interval| interval.0),
        high: interval.map(|interval| interval.1),
    }
}

/// Writes a ratio for people; a dash for none.
fn percent(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| crate::model::percent(value, 1))
}

fn interval(share: Share) -> String {
    share.interval().map_or_else(String::new, |(low, high)| {
        format!("{:.1} to {:.1}", low * 100.0, high * 100.0)
    })
}

pub fn audit(context: &mut Context<'_, '_>, arguments: &args::Audit) -> Result<(), Stop> {
    let filter = inspect::filter(context, &arguments.filter)?;
    let options = AuditOptions {
        n: arguments.n,
        seed: arguments.seed,
        stratify: arguments.stratify,
        filter_text: browse::write_filter(&filter),
        filter,
    };
    if arguments.accept_rest {
        return accept_rest(context, arguments, options);
    }
    let store = workspace::open(context)?;
    let known = open(context, StoreAccess::Read)?.draw(&options.name())?;
    let draw = if let Some(draw) = known {
        draw
    } else {
        let annotator = annotator(context, arguments.annotator.as_deref())?;
        progress::run(context, |context, monitor| {
            let mut verdicts = open(context, StoreAccess::Create)?;
            let by = VerdictAuthor {
                annotator: &annotator,
                now_ms: now_ms(),
            };
            Ok(review::draw(&store, &mut verdicts, monitor, &options, by)?)
        })?
    };
    let verdicts = open(context, StoreAccess::Read)?;
    let report = review::report(&verdicts, &draw, arguments.annotator.as_deref())?;
    if arguments.latex {
        writeln!(context.streams.out, "{}", latex(&report))?;
        return Ok(());
    }
    if arguments.report {
        return write_report(context, &report, arguments.json);
    }
    list_draw(context, &store, &report, &draw, arguments.json)
}

fn accept_rest(
    context: &mut Context<'_, '_>,
    arguments: &args::Audit,
    audit: AuditOptions,
) -> Result<(), Stop> {
    let annotator = annotator(context, arguments.annotator.as_deref())?;
    let options = AcceptOptions {
        error_max: arguments.max_error,
        ..AcceptOptions::new(audit)
    };
    let store = workspace::open(context)?;
    let accepted = progress::run(context, |context, monitor| {
        let mut verdicts = open(context, StoreAccess::Create)?;
        let by = VerdictAuthor {
            annotator: &annotator,
            now_ms: now_ms(),
        };
        let accepted = review::accept_rest(&store, &mut verdicts, monitor, &options, by)?;
        tell_backup(context, &mut verdicts);
        Ok(accepted)
    })?;
    let acceptance = &accepted.acceptance;
    let found = format!(
        "{} in {}: at most {:.2} % of the filter's matches are wrong, at {:.0} % confidence",
        counted(acceptance.n_errors, "error"),
        counted(acceptance.n, "judged sample"),
        acceptance.error_max * 100.0,
        acceptance.confidence * 100.0
    );
    context.say(&match accepted.event {
        Some(_) => format!(
            "{} accepted provisionally; {found} (exact bound, no correction for the size of the population)",
            counted(acceptance.n_rest, "sample")
        ),
        None => format!("nothing is left to accept; {found}"),
    });
    Ok(())
}

/// Tells why the rest of an audit's filter is not accepted, with advice.
pub(super) fn refused(error: &AcceptError) -> Failure {
    let failure = Failure::new(ExitCode::Usage, visible(&error.to_string()));
    match error {
        AcceptError::NotDrawn { .. } => failure
            .with_hint("the same command without `--accept-rest` draws; then judge what it lists"),
        AcceptError::InParts => failure.with_hint("leave `--stratify` out"),
        AcceptError::Open { .. } => failure.with_hint(
            "the same command without `--accept-rest` lists them; judge them under the same name",
        ),
        AcceptError::OtherSamples { .. } => {
            failure.with_hint("draw again: `--seed` with another number")
        }
        AcceptError::TooMany {
            n_needed: Some(n_needed),
            ..
        } => failure.with_hint(format!(
            "with no more errors, {n_needed} mapped samples would do: draw with a larger `--n`"
        )),
        AcceptError::TooMany { .. } => failure.with_hint("`--max-error` allows more errors"),
    }
}

/// Writes the samples of a draw, and whether they are judged.
fn list_draw(
    context: &mut Context<'_, '_>,
    store: &Store,
    report: &AuditReport,
    draw: &Draw,
    json: bool,
) -> Result<(), Stop> {
    let keys: Vec<SampleKey> = draw.samples.iter().map(|sample| sample.key).collect();
    let states = store.states(&keys)?;
    context.print(
        TableName::of(json),
        |out| {
            let drawn = draw.samples.iter().zip(&states);
            let wires = drawn.map(|(drawn, state)| WireAudited {
                key: drawn.key.to_string(),
                test: state
                    .as_ref()
                    .map(|sample_state| sample_state.test.as_str()),
                focal: state
                    .as_ref()
                    .and_then(|sample_state| sample_state.focal.as_deref()),
                stratum: &drawn.stratum,
                judged: !report.open.contains(&drawn.key),
            });
            write_lines(out, wires)
        },
        |_| [drawn_table(report, draw, &states)],
    )?;
    if report.all.n_drawn == 0 {
        context.say("no test matches the filter: there is nothing to draw from");
        return Ok(());
    }
    context.say(&format!(
        "{} of {} judged; `--report` evaluates them",
        report.all.n_judged, report.all.n_drawn
    ));
    Ok(())
}

fn drawn_table(report: &AuditReport, draw: &Draw, states: &[Option<SampleState>]) -> TextTable {
    let columns = ["key", "test", "focal method", "stratum", "judged"];
    let mut table = TextTable::of_texts(&columns);
    for (drawn, state) in draw.samples.iter().zip(states) {
        let state = state.as_ref();
        let is_judged = !report.open.contains(&drawn.key);
        table.row([
            drawn.key.to_string()[..12].to_owned(),
            state.map_or_else(String::new, |sample_state| sample_state.test.clone()),
            state
                .and_then(|sample_state| sample_state.focal.clone())
                .unwrap_or_default(),
            drawn.stratum.clone(),
            if is_judged { "judged" } else { "" }.to_owned(),
        ]);
    }
    table
}

fn write_report(
    context: &mut Context<'_, '_>,
    report: &AuditReport,
    json: bool,
) -> Result<(), Stop> {
    if json {
        let all = std::iter::once((None, &report.all));
        let parts = report
            .strata
            .iter()
            .map(|stratum| (Some(stratum.name.as_str()), stratum));
        let strata = all
            .chain(parts)
            .map(|(stratum, audit_stratum)| WireStratum {
                stratum,
                n_drawn: audit_stratum.n_drawn,
                n_judged: audit_stratum.n_judged,
                precision: wire_share(audit_stratum.precision),
                coverage: wire_share(audit_stratum.coverage),
            });
        let line = WireAudit {
            audit: &report.audit,
            n_drawn: report.all.n_drawn,
            n_judged: report.all.n_judged,
            strata: strata.collect(),
        };
        return Ok(write_pretty(context.streams.out, &line)?);
    }
    let mut table = TextTable::of(
        &["stratum"],
        &[
            "judged",
            "drawn",
            "precision",
            "95 % interval",
            "of",
            "coverage",
            "95 % interval",
            "of",
        ],
    );
    let mut row = |name: &str, stratum: &Stratum| {
        table.row([
            name.to_owned(),
            stratum.n_judged.to_string(),
            stratum.n_drawn.to_string(),
            percent(stratum.precision.value()),
            interval(stratum.precision),
            stratum.precision.n.to_string(),
            percent(stratum.coverage.value()),
            interval(stratum.coverage),
            stratum.coverage.n.to_string(),
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
        let n_open = report.open.len() as u64;
        let verb = if n_open == 1 { "is" } else { "are" };
        context.say(&format!(
            "{} {verb} not judged yet",
            counted(n_open, "sample")
        ));
    }
    Ok(())
}

/// Writes the report as a sentence for a paper.
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

pub fn agreement(context: &mut Context<'_, '_>, arguments: &args::Agreement) -> Result<(), Stop> {
    let keys = match &arguments.filter {
        Some(text) => {
            let filter = inspect::filter(context, std::slice::from_ref(text))?;
            Some(review::keys(&workspace::open(context)?, &filter)?)
        }
        None => None,
    };
    let options = AgreementOptions {
        keys,
        annotators: arguments.annotators.clone(),
        seed: arguments.seed,
        n_resamples: u64::from(arguments.resamples),
    };
    if arguments.conflicts {
        return conflicts(context, &options, arguments.json);
    }
    let verdicts = open(context, StoreAccess::Read)?;
    let agreement = review::agreement(&verdicts, &options)?;
    let undecided = review::undecided(&verdicts, &options)?;
    let undecided: Vec<String> = undecided.into_iter().collect();
    Ok(context.print(
        TableName::of(arguments.json),
        |out| write_pretty(out, &wire_agreement(&agreement, &options)),
        |_| agreement_sections(&agreement, &undecided),
    )?)
}

fn wire_agreement<'a>(agreement: &'a Agreement, options: &AgreementOptions) -> WireAgreement<'a> {
    let coefficients = Coefficient::ALL.into_iter().zip(&agreement.values);
    WireAgreement {
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
                low: interval.map(|interval| interval.0),
                high: interval.map(|interval| interval.1),
            })
            .collect(),
        by_category: agreement.by_category.clone(),
        matrix: agreement.matrix.clone(),
        warning: agreement.warning.clone(),
    }
}

/// Lists the samples on which annotators differ, an opinion a line.
fn conflicts(
    context: &mut Context<'_, '_>,
    options: &AgreementOptions,
    json: bool,
) -> Result<(), Stop> {
    let store = workspace::open(context)?;
    let conflicts = review::conflicts(&store, &open(context, StoreAccess::Read)?, options)?;
    context.print(
        TableName::of(json),
        |out| write_lines(out, conflicts.iter().map(wire_conflict)),
        |_| [conflicts_table(&conflicts)],
    )?;
    if !json {
        let n_open = conflicts
            .iter()
            .filter(|conflict| conflict.ruling.is_none())
            .count();
        context.say(&format!(
            "{}, {n_open} of them not adjudicated; `focalist verdict KEY … --adjudicate REASON` rules, and so does `gd` in the terminal UI",
            counted(conflicts.len() as u64, "sample")
        ));
    }
    Ok(())
}

fn conflicts_table(conflicts: &[Conflict]) -> TextTable {
    let columns = ["key", "test", "annotator", "verdict", "stale", "note"];
    let mut table = TextTable::of_texts(&columns);
    for conflict in conflicts {
        let mut key = conflict.key.to_string()[..12].to_owned();
        let mut test = conflict
            .state
            .as_ref()
            .map_or("", |sample_state| sample_state.test.as_str());
        let opinions = conflict
            .opinions
            .iter()
            .map(|opinion| (&opinion.verdict, opinion.stale));
        for (verdict, stale) in
            opinions.chain(conflict.ruling.iter().map(|verdict| (verdict, None)))
        {
            let judged = &verdict.judged;
            let (what, why) = match &verdict.reason {
                Some(reason) => (ruling_words(judged, ""), Some(reason)),
                None => (judgement_words(judged), judged.note.as_ref()),
            };
            table.row([
                std::mem::take(&mut key),
                std::mem::take(&mut test).to_owned(),
                verdict.annotator.clone(),
                what,
                stale
                    .map_or("", review::Staleness::as_str)
                    .replace('_', " "),
                why.cloned().unwrap_or_default(),
            ]);
        }
    }
    table
}

fn wire_conflict(conflict: &Conflict) -> WireConflict<'_> {
    let state = conflict.state.as_ref();
    let opinions = conflict.opinions.iter().map(|opinion| WireVerdict {
        stale: opinion.stale.map(review::Staleness::as_str),
        ..wire(&opinion.verdict)
    });
    WireConflict {
        key: conflict.key.to_string(),
        test: state.map(|sample_state| sample_state.test.as_str()),
        focal: state.and_then(|sample_state| sample_state.focal.as_deref()),
        weight: state.and_then(|sample_state| sample_state.weight),
        bits: conflict.bits,
        opinions: opinions.collect(),
        gold: conflict.ruling.as_ref().map(wire),
    }
}

fn agreement_sections(agreement: &Agreement, undecided: &[String]) -> Vec<PrintSection> {
    if agreement.samples.is_empty() {
        let words = "none of these samples has a decision yet; `focalist review` starts";
        return vec![PrintSection::words(words.to_owned())];
    }
    let mut head = format!(
        "{} decided by {}; {} by several, {} with conflicts",
        counted(agreement.samples.len() as u64, "sample"),
        visible(&agreement.annotators.join(", ")),
        agreement.ratings.n_overlapping(),
        agreement.conflicts.len()
    );
    if !undecided.is_empty() {
        head.push_str(
            "\njudged, but decided nothing (unsure or skipped, which does not count here): ",
        );
        head.push_str(&visible(&undecided.join(", ")));
    }
    let mut sections = vec![
        PrintSection::words(head),
        coefficients_table(agreement).into(),
        categories_table(agreement).into(),
    ];
    if agreement
        .categories
        .iter()
        .any(|category| category.starts_with("pick"))
    {
        let words = "pick 1, pick 2 …: the methods other than the machine's that were picked for one sample, by their keys; \
             `--conflicts` names them";
        sections.push(PrintSection::words(words.to_owned()));
    }
    sections.extend(matrix_table(agreement).map(PrintSection::from));
    sections.extend(agreement.warning.clone().map(PrintSection::words));
    sections
}

fn coefficients_table(agreement: &Agreement) -> TextTable {
    let mut table = TextTable::of(&["coefficient"], &["value", "95 % interval"]);
    for ((coefficient, value), interval) in Coefficient::ALL
        .into_iter()
        .zip(agreement.values)
        .zip(agreement.intervals)
    {
        table.row([
            coefficient.title().to_owned(),
            value.map_or_else(|| "–".to_owned(), |value| number(value, 3)),
            interval.map_or_else(String::new, |interval| {
                format!("{} to {}", number(interval.0, 3), number(interval.1, 3))
            }),
        ]);
    }
    table
}

fn categories_table(agreement: &Agreement) -> TextTable {
    let mut table = TextTable::of(&["category"], &["agreement"]);
    for (category, share) in agreement.categories.iter().zip(&agreement.by_category) {
        table.row([category.replace('_', " "), percent(*share)]);
    }
    table
}

/// Tabulates one annotator's verdicts against another's; nothing where they are not two.
fn matrix_table(agreement: &Agreement) -> Option<TextTable> {
    let (Some(matrix), [first, second]) = (&agreement.matrix, &agreement.annotators[..]) else {
        return None;
    };
    let names = agreement.categories.iter();
    let names: Vec<String> = names.map(|name| name.replace('_', " ")).collect();
    let mut table = TextTable::of(&[&format!("{first} \\ {second}")], &names);
    for (category, row) in names.iter().zip(matrix) {
        let mut cells = vec![category.clone()];
        cells.extend(row.iter().map(u64::to_string));
        table.row(cells);
    }
    Some(table)
}
