//! The command `mutate`: a JSON line for every variant.

use std::io::Write;
use std::time::Duration;

use crate::args;
use crate::command::mining::{in_pool, tell_problems};
use crate::command::{inspect, output, workspace};
use crate::consistency::ConsistencyError;
use crate::consistency::read::{TextList, focal_methods, texts};
use crate::consistency::variants::{SeedVariants, VariantReport, variants};
use crate::exchange::mutations::{SeedLine, VariantLine, left_out_line, variant_line};
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::{JobKind, counted};
use crate::mutate::{MutationOptions, Pass};
use crate::sandbox::own_cpu;
use crate::store::StoreAccess;
use crate::table::visible;
use crate::{Context, progress};

pub fn run(context: &mut Context<'_, '_>, arguments: &args::Mutate) -> Result<(), Stop> {
    let options = MutationOptions {
        passes: if arguments.passes.is_empty() {
            Pass::ALL.to_vec()
        } else {
            arguments.passes.clone()
        },
        is_strict: context.global.strict,
        seed: arguments.seed,
        tokens_min: arguments.min_tokens,
        tokens_max: arguments.max_tokens,
    };
    progress::register_job(context, JobKind::Mutate, StoreAccess::Read);
    let mut problems = Vec::new();
    let texts = match &arguments.filter {
        Some(text) => {
            let filter = inspect::filter(context, std::slice::from_ref(text))?;
            let store = workspace::open(context)?;
            progress::run(context, |_, monitor| {
                Ok(TextList {
                    list: focal_methods(&store, monitor, &filter, arguments.language)?,
                    n_unnamed: 0,
                })
            })?
        }
        None => texts(&arguments.paths, arguments.language, &mut problems)?,
    };
    let kept = VariantLineOptions {
        dataset: arguments.dataset.as_deref(),
        is_strict: options.is_strict,
        is_all: arguments.all,
    };
    let before = own_cpu();
    let mut file = match &arguments.output {
        Some(path) => Some(output::create(path, arguments.force)?),
        None => None,
    };
    let report = progress::run(context, |context, monitor| {
        let out: &mut (dyn Write + Send) = match &mut file {
            Some(file) => file,
            None => &mut *context.streams.out,
        };
        in_pool(arguments.jobs, || {
            variants(
                &texts.list,
                monitor,
                &options,
                arguments.one_per_file,
                |made| write(out, made, kept),
            )
        })
    })?;
    if let Some(file) = file {
        file.finish()?;
    }
    problems.extend(report.problems.iter().cloned());
    let cpu = own_cpu()
        .zip(before)
        .map(|(now, before)| now.saturating_sub(before));
    tell(context, &report, cpu);
    if texts.n_unnamed > 0 {
        context.say(&format!(
            "{} without an id: named by a hash of the text",
            counted(texts.n_unnamed, "line")
        ));
    }
    tell_problems(context, &problems, "focalist mutate");
    let is_nothing = report.n_functions == 0 && !problems.is_empty();
    if is_nothing {
        let message = "no function could be read";
        return Err(Failure::new(ExitCode::Problems, message).into());
    }
    Ok(())
}

/// The choices for the lines of variants.
#[derive(Clone, Copy)]
struct VariantLineOptions<'a> {
    dataset: Option<&'a str>,
    is_strict: bool,
    /// Whether variants that were left out have lines, too.
    is_all: bool,
}

fn write(
    out: &mut (dyn Write + Send),
    made: SeedVariants<'_>,
    kept: VariantLineOptions<'_>,
) -> Result<(), Stop> {
    let is_strict = kept.is_strict;
    let mutated = made.mutated;
    let seed = SeedLine {
        id: made.id,
        language: made.text.language,
        file: &made.text.path,
        function: &mutated.seed.function,
        start_line: mutated.seed.start_line,
        end_line: mutated.seed.end_line,
        source: &mutated.seed.source,
        dataset: kept.dataset.or(made.text.dataset.as_deref()),
    };
    for variant in &mutated.variants {
        let edits: Vec<_> = variant
            .edits
            .iter()
            .map(|edit| (edit.span, edit.text.as_str()))
            .collect();
        let line = variant_line(&VariantLine {
            seed,
            pass: variant.pass.as_str(),
            source: &variant.source,
            edits: &edits,
            cut: variant
                .cut
                .map(|function_cut| (function_cut.seed, function_cut.variant)),
            is_strict,
            distance: variant.distance,
        });
        writeln!(out, "{line}")?;
    }
    if !kept.is_all {
        return Ok(());
    }
    if mutated.variants.is_empty() {
        let of_passes = || {
            let reasons = mutated.left_out.iter();
            let reasons: Vec<String> = reasons
                .map(|(pass, why)| format!("{}: {why}", pass.as_str()))
                .collect();
            reasons.join("; ")
        };
        let skipped = mutated.skipped.as_ref();
        let reason = skipped.map_or_else(of_passes, ToString::to_string);
        writeln!(out, "{}", left_out_line(seed, None, &reason, is_strict))?;
        return Ok(());
    }
    for (pass, why) in &mutated.left_out {
        let line = left_out_line(seed, Some(pass.as_str()), &why.to_string(), is_strict);
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn tell(context: &mut Context<'_, '_>, report: &VariantReport, cpu: Option<Duration>) {
    context.say(&format!(
        "{} of {}: {} skipped by their number of tokens, {} without a pass that applies, {} refused",
        counted(report.n_variants, "variant"),
        counted(report.n_functions, "function"),
        report.n_skipped,
        report.n_without,
        report.n_refused,
    ));
    if let Some(cpu) = cpu
        && report.n_variants > 0
    {
        let seconds = cpu.as_secs_f64();
        let each_ms = seconds * 1e3 / report.n_variants as f64;
        context.say(&format!(
            "{seconds:.2} s of processor time, {each_ms:.2} ms for each variant"
        ));
    }
}

impl From<ConsistencyError> for Stop {
    fn from(error: ConsistencyError) -> Self {
        let message = visible(&error.to_string());
        match error {
            ConsistencyError::Store(error) => error.into(),
            ConsistencyError::Cancelled(cancelled) => cancelled.into(),
            ConsistencyError::Unreadable { .. } => Failure::new(ExitCode::Input, message).into(),
            ConsistencyError::NoSuchRun { ref known, .. } => {
                let known = known.iter().map(|known| visible(known)).collect::<Vec<_>>();
                let hint = match known.as_slice() {
                    [] => "there is none yet; `--run NAME` with functions makes one".to_owned(),
                    known => format!("there are: {}", known.join(" ")),
                };
                Failure::new(ExitCode::Usage, message)
                    .with_hint(&hint)
                    .into()
            }
            ConsistencyError::UnknownLanguage { .. } => Failure::new(ExitCode::Usage, message)
                .with_hint("`--language` says which it is")
                .into(),
        }
    }
}
