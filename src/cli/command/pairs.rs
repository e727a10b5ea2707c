//! The command `export --format pairs` and `chat`: prompts and answers to train models on.

use std::path::Path;

use crate::args::{self, Budget};
use crate::command::{output, tokens};
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::{Filter, JobKind, SampleScope, Target, agreeing, counted};
use crate::prompts::{
    Contexts, PairForm, PairOptions, PairReport, PromptKind, PromptOptions, pairs,
};
use crate::store::{Store, StoreAccess};
use crate::transfer::ExportOptions;
use crate::{Context, progress};

pub fn export(
    context: &mut Context<'_, '_>,
    arguments: &args::Export,
    store: &Store,
    samples: ExportOptions,
) -> Result<PairReport, Stop> {
    let options = PairOptions {
        form: match arguments.format {
            args::FormatName::Chat => PairForm::Chat,
            _ => PairForm::Pairs,
        },
        prompts: prompts(&arguments.pairs)?,
        samples,
    };
    let report = match &arguments.output {
        Some(path) => {
            progress::run_job(context, JobKind::Export, StoreAccess::Read, |_, monitor| {
                let mut file = output::create(path, arguments.force)?;
                let report = pairs(store, monitor, &options, &mut file)?;
                file.finish()?;
                Ok(report)
            })
        }
        None => progress::run(context, |context, monitor| {
            let out = &mut *context.streams.out;
            Ok(pairs(store, monitor, &options, out)?)
        }),
    }?;
    let told = [
        (
            report.n_truncated,
            "has",
            "have",
            "less context than there is",
        ),
        (
            report.n_long,
            "is",
            "are",
            "left out: too long for the budget",
        ),
        (report.n_without, "has", "have", "no such part and no pair"),
    ];
    for (n, one, many, words) in told {
        if n > 0 {
            let samples = counted(n, "sample");
            context.say(&format!("{samples} {} {words}", agreeing(n, one, many)));
        }
    }
    context.say(&format!(
        "{} written, {}",
        counted(report.n_written, "pair"),
        counted(report.n_tokens, "token")
    ));
    Ok(report)
}

/// Chooses the questions of prompts, and their words.
fn prompts(arguments: &args::Pairs) -> Result<PromptOptions, Stop> {
    let budget = match arguments.budget {
        Some(Budget::ProblemOnly) => {
            let message = "`--budget` is a number such as `4k`";
            return Err(Failure::new(ExitCode::Usage, message).into());
        }
        Some(Budget::Tokens(n)) => Some(n),
        None => None,
    };
    let tokenizer = arguments.tokenizer.as_deref();
    Ok(PromptOptions {
        kind: match arguments.target.unwrap_or(Target::Assertion) {
            Target::Assertion => PromptKind::Assertion,
            Target::Test => PromptKind::Test,
        },
        filter: Filter::default(),
        scope: SampleScope::All,
        contexts: if arguments.no_context {
            Contexts::None
        } else {
            Contexts::All
        },
        budget,
        counter: tokens::counter(tokenizer.unwrap_or(Path::new("approx")))?,
        template: None,
        system: arguments.system.clone(),
    })
}
