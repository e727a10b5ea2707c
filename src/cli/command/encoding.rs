//! The commands `encode` and `decode`, and `stats --encoding`.

use std::path::Path;

use crate::args::{self, PartName, TableName};
use crate::command::mining::tell_problems;
use crate::command::tokens::vocabulary;
use crate::command::{inspect, output, scoring, workspace};
use crate::encode::{self, Decoder, Sequence, SequenceSide, Vocabulary, is_tree};
use crate::exchange::pairs::{self, FieldNames};
use crate::exchange::records::{RecordLayout, each_record};
use crate::exchange::{self, WireDecodeError, WireDecoded, WireLengths, WireQuantiles};
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::{agreeing, counted};
use crate::print::PrintSection;
use crate::table::{TextTable, visible};
use crate::transfer::{self, EncodeOptions, SequenceForm};
use crate::{Context, progress};

pub fn encode(context: &mut Context<'_, '_>, arguments: &args::Encode) -> Result<(), Stop> {
    let vocabulary = vocabulary(arguments.encoding.subwords.as_deref())?;
    let mut options = options(
        context,
        &arguments.filter,
        &arguments.encoding,
        vocabulary.as_ref(),
    )?;
    options.scope = inspect::scope(arguments.all);
    options.part = arguments.part.map(|part_name| match part_name {
        PartName::Source => SequenceSide::Source,
        PartName::Target => SequenceSide::Target,
    });
    let store = workspace::open(context)?;
    let mut file = match &arguments.output {
        Some(path) => Some(output::create(path, arguments.force)?),
        None => None,
    };
    let report = progress::run(context, |context, monitor| {
        let report = match &mut file {
            Some(file) => transfer::encode(&store, monitor, &options, file)?,
            None => transfer::encode(&store, monitor, &options, &mut *context.streams.out)?,
        };
        Ok(report)
    })?;
    if report.n_written == 0 && report.n_other_language > 0 {
        return Err(only_java());
    }
    if let Some(file) = file {
        file.finish()?;
    }
    tell_problems(context, &report.problems, "focalist encode");
    tell_others(context, report.n_other_language);
    let n_problems = report.problems.len() as u64;
    context.say(&format!(
        "{} encoded, {n_problems} {} a part that does not parse",
        counted(report.n_written, "sample"),
        agreeing(n_problems, "has", "have")
    ));
    context.end(report.problems.len())
}

fn only_java() -> Stop {
    Failure::new(ExitCode::Problems, "only samples in Java have an encoding")
        .with_hint("`language:java` lets only those through")
        .into()
}

fn tell_others(context: &mut Context<'_, '_>, n_others: u64) {
    if n_others > 0 {
        context.say(&format!(
            "warning: {} in other languages left out: only Java has an encoding",
            counted(n_others, "sample")
        ));
    }
}

fn options<'v>(
    context: &mut Context<'_, '_>,
    filter: &[String],
    arguments: &args::EncodingArgs,
    vocabulary: Option<&'v Vocabulary>,
) -> Result<EncodeOptions<'v>, Stop> {
    Ok(EncodeOptions {
        filter: inspect::filter(context, filter)?,
        scope: inspect::scope(false),
        form: if arguments.tokens {
            SequenceForm::Tokens
        } else {
            SequenceForm::Tree
        },
        context: if arguments.no_context {
            encode::ContextMode::Without
        } else {
            encode::ContextMode::With
        },
        part: None,
        vocabulary,
    })
}

pub fn decode(context: &mut Context<'_, '_>, arguments: &args::Decode) -> Result<(), Stop> {
    let names = FieldNames::of_predictions();
    let mut decoder = Decoder::new();
    let (mut n_lines, mut n_errors) = (0_usize, 0_usize);
    let (name, mut input) = scoring::input(arguments.file.as_deref().unwrap_or(Path::new("-")))?;
    let mut problems = Vec::new();
    progress::run(context, |context, monitor| {
        each_record(&mut *input, RecordLayout::Json, |record| {
            monitor.step()?;
            let line = record.line;
            let (wire, tokens) = match pairs::sequence(record, &names, false) {
                Ok(read) => read,
                Err(detail) => {
                    problems.push(format!("{name}:{line}: {detail}"));
                    return Ok::<_, Stop>(());
                }
            };
            n_lines += 1;
            let mut joined = Sequence::new();
            let tokens = tokens.iter().map(String::as_str);
            if arguments.subwords {
                encode::join(tokens, &mut joined);
            } else {
                joined.extend(tokens);
            }
            let decoded = if arguments.tokens && !is_tree(joined.iter().next()) {
                Ok(joined.iter().collect::<Vec<_>>().join(" "))
            } else {
                decoder.decode(joined.iter()).map(|pair| pair.0.to_owned())
            };
            n_errors += usize::from(decoded.is_err());
            let line = WireDecoded {
                sample: wire.sample.as_deref().unwrap_or_default(),
                attempt: (wire.attempt > 0).then_some(wire.attempt),
                prediction: decoded.as_deref().ok(),
                error: decoded.as_ref().err().map(|error| WireDecodeError {
                    position: error.position,
                    message: &error.message,
                }),
            };
            exchange::write_line(context.streams.out, &line)?;
            Ok(())
        })
    })?;
    for problem in &problems {
        context.say(&format!("warning: {}", visible(problem)));
    }
    context.say(&format!(
        "{}, {n_errors} {} no code",
        counted(n_lines as u64, "sequence"),
        agreeing(n_errors as u64, "is", "are")
    ));
    if n_lines == 0 && !problems.is_empty() {
        return Err(Failure::new(ExitCode::Problems, "no line could be read").into());
    }
    context.end(problems.len() + n_errors)
}

/// Writes how long the sequences are.
pub fn lengths(context: &mut Context<'_, '_>, arguments: &args::Stats) -> Result<(), Stop> {
    let vocabulary = vocabulary(arguments.sequences.subwords.as_deref())?;
    let options = options(
        context,
        &arguments.filter,
        &arguments.sequences,
        vocabulary.as_ref(),
    )?;
    let store = workspace::open(context)?;
    let lengths = progress::run(context, |_, monitor| {
        Ok(transfer::lengths(
            &store,
            monitor,
            &options,
            arguments.max_length,
        )?)
    })?;
    if lengths.n == 0 && lengths.n_other_language > 0 {
        return Err(only_java());
    }
    context.print(
        TableName::of(arguments.json),
        |out| exchange::write_line(out, &lengths),
        |_| {
            let over = format!(
                "{} of {} {} a sequence of more than {} tokens ({})",
                lengths.n_over,
                counted(lengths.n as u64, "sample"),
                agreeing(lengths.n_over as u64, "has", "have"),
                lengths.limit,
                share(lengths.n_over, lengths.n)
            );
            [table(&lengths).into(), PrintSection::words(over)]
        },
    )?;
    if arguments.json {
        return Ok(());
    }
    if lengths.n_not_encoded > 0 {
        context.say(&format!(
            "warning: {} {} a part that does not parse",
            counted(lengths.n_not_encoded, "sample"),
            agreeing(lengths.n_not_encoded, "has", "have")
        ));
    }
    tell_others(context, lengths.n_other_language);
    Ok(())
}

fn share(n: usize, of: usize) -> String {
    format!("{:.2} %", 100.0 * n as f64 / of.max(1) as f64)
}

/// A row: its name, and what it shows of a list of lengths.
type LengthRow = (&'static str, fn(&WireQuantiles) -> String);

fn table(lengths: &WireLengths) -> TextTable {
    let mut table = TextTable::of(&["tokens"], &["source", "target"]);
    let rows: &[LengthRow] = &[
        ("mean", |wire_quantiles| {
            format!("{:.1}", wire_quantiles.mean)
        }),
        ("least", |wire_quantiles| wire_quantiles.min.to_string()),
        ("25 %", |wire_quantiles| wire_quantiles.p25.to_string()),
        ("median", |wire_quantiles| wire_quantiles.p50.to_string()),
        ("75 %", |wire_quantiles| wire_quantiles.p75.to_string()),
        ("90 %", |wire_quantiles| wire_quantiles.p90.to_string()),
        ("95 %", |wire_quantiles| wire_quantiles.p95.to_string()),
        ("99 %", |wire_quantiles| wire_quantiles.p99.to_string()),
        ("most", |wire_quantiles| wire_quantiles.max.to_string()),
        ("over the limit", |wire_quantiles| {
            wire_quantiles.n_over.to_string()
        }),
    ];
    for (name, value) in rows {
        let cell = |wire_quantiles: &Option<WireQuantiles>| {
            wire_quantiles.as_ref().map_or_else(String::new, value)
        };
        table.row([
            (*name).to_owned(),
            cell(&lengths.source),
            cell(&lengths.target),
        ]);
    }
    table
}
