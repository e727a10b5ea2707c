//! The command `generate`: a model is asked, and its answers are reported.

use std::env;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Seek};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::args;
use crate::command::mining::tell_problems;
use crate::command::{config, hint, inspect, part, prompts, scoring, tokens, workspace};
use crate::config::Model;
use crate::exchange::answers::{Api, Extra, Parameters};
use crate::exchange::generated::{WireGenerateDry, WireGenerated, request};
use crate::exchange::{write_line, write_pretty};
use crate::failure::{ExitCode, Failure, Stop};
use crate::generate::{
    self, ApiKey, Endpoint, GenerateDryRun, GenerateEnd, GenerateError, GenerateOptions,
    GenerateReport, Grid, Prices, PromptSource, settings,
};
use crate::model::{JobKind, agreeing, counted, grouped};
use crate::prompts::PromptOptions;
use crate::store::{Store, StoreAccess};
use crate::table::visible;
use crate::task::Monitor;
use crate::{Context, progress};

pub fn run(context: &mut Context<'_, '_>, arguments: &args::Generate) -> Result<(), Stop> {
    let options = options(context, arguments)?;
    let all = format!(
        "{} {} {} {} {:?}",
        options.run,
        options.endpoint.shown(),
        options.model,
        options.n_attempts,
        options.settings,
    );
    part::within(context, &arguments.part, ("generate", all), |context| {
        run_with(context, arguments, options)
    })
}

fn run_with(
    context: &mut Context<'_, '_>,
    arguments: &args::Generate,
    mut options: GenerateOptions,
) -> Result<(), Stop> {
    let maker = match arguments.kind {
        Some(kind) => Some(PromptOptions {
            kind,
            filter: inspect::filter(context, &arguments.filter)?,
            scope: inspect::scope(arguments.all),
            contexts: arguments.context,
            budget: arguments.budget.or(kind.budget()),
            counter: tokens::counter(&arguments.tokenizer)?,
            template: match &arguments.template {
                Some(path) => Some(prompts::template_of(kind, path)?),
                None => None,
            },
            // It is sent with the request.
            system: None,
        }),
        None => None,
    };
    // Prompts of a file need no index; the answers make one.
    let access = if maker.is_none() {
        StoreAccess::Create
    } else {
        StoreAccess::Write
    };
    if arguments.dry_run {
        let dry = progress::run(context, |context, monitor| {
            let store = workspace::open_current(context, access)?;
            options.matcher = store.shown_matcher()?;
            let mut source = source(context, arguments, maker.as_ref(), (&store, monitor))?;
            Ok(generate::dry(&store, monitor, &options, &mut *source)?)
        })?;
        return tell_dry(context, arguments, &dry);
    }
    let report = progress::run_job(context, JobKind::Generate, access, |context, monitor| {
        let mut store = workspace::open_to_ask(context, access, &options.model)?;
        options.matcher = store.shown_matcher()?;
        let mut source = source(context, arguments, maker.as_ref(), (&store, monitor))?;
        let mut report = generate::ask(&mut store, monitor, &options, &mut *source)?;
        drop(store);
        let mut store = workspace::open_for_writing(context)?;
        store.remember_less()?;
        generate::take(&mut store, monitor, &options, (&mut *source, &mut report))?;
        Ok(report)
    })?;
    tell(context, arguments, &options, &report)
}

/// Names the file of prompts: a shard is one.
fn prompts_of(arguments: &args::Generate) -> Option<&PathBuf> {
    arguments.prompts.as_ref().or(arguments.part.shard.as_ref())
}

/// Opens the prompts, so that they can be read twice.
fn source(
    context: &mut Context<'_, '_>,
    arguments: &args::Generate,
    maker: Option<&PromptOptions>,
    (store, monitor): (&Store, &Monitor),
) -> Result<Box<dyn PromptSource>, Stop> {
    match (maker, prompts_of(arguments)) {
        (Some(options), _) => {
            let mut file = BufWriter::new(hidden(context)?);
            crate::prompts::prompts(store, monitor, options, &mut file)?;
            rewound(file)
        }
        (None, Some(path)) if path != Path::new("-") => {
            scoring::not_a_folder(path)?;
            let file = File::open(path).map_err(Failure::unreadable(path))?;
            Ok(Box::new(BufReader::with_capacity(1 << 16, file)))
        }
        _ => {
            let mut file = BufWriter::new(hidden(context)?);
            io::copy(&mut *context.streams.input, &mut file)?;
            rewound(file)
        }
    }
}

fn rewound(file: BufWriter<File>) -> Result<Box<dyn PromptSource>, Stop> {
    let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.rewind()?;
    Ok(Box::new(BufReader::with_capacity(1 << 16, file)))
}

/// Makes a file without a name: it goes with the process. Others may make theirs at the same time.
fn hidden(context: &Context<'_, '_>) -> Result<File, Stop> {
    let folder = workspace::folder(context);
    let mut number = 0_u32;
    loop {
        let path = folder.join(format!("prompts-{number}.part"));
        let mut options = File::options();
        match options.read(true).write(true).create_new(true).open(&path) {
            Ok(file) => {
                // Where it cannot be removed it stays visible, and the next call takes the next number.
                let _named = fs::remove_file(&path);
                return Ok(file);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(Failure::unwritable(&path)(error).into()),
        }
    }
}

fn options(
    context: &mut Context<'_, '_>,
    arguments: &args::Generate,
) -> Result<GenerateOptions, Stop> {
    let config = config::load(context);
    config::tell(context, &config);
    let chosen = ModelDefaults {
        model: config.models.get(&arguments.model),
    };
    let endpoint = arguments.endpoint.as_deref();
    let endpoint = endpoint.or_else(|| chosen.text("endpoint"));
    let Some(endpoint) = endpoint else {
        let message = format!("the model `{}` has no address", visible(&arguments.model));
        let hint = if config.is_withheld {
            "the workspace's settings may have one: `focalist trust` shows them; `--endpoint URL` gives one here"
        } else {
            "`--endpoint URL`, or `endpoint` under `[models.NAME]` in config.toml"
        };
        return Err(Failure::new(ExitCode::Usage, message)
            .with_hint(hint)
            .into());
    };
    // What a model's table says of keys and encryption is about the server that it names.
    let is_own = chosen.text("endpoint").is_none_or(|own| own == endpoint);
    let allows_http = arguments.allow_http || is_own && chosen.text("allow_http") == Some("true");
    let endpoint = Endpoint::parse(endpoint, allows_http).map_err(|error| {
        let failure = Failure::new(ExitCode::Usage, visible(&error.to_string()));
        match error {
            generate::EndpointError::Clear(_) => {
                failure.with_hint("`--allow-http` sends prompts and key there all the same")
            }
            _ => failure,
        }
    })?;
    let name = chosen.text("model").unwrap_or(&arguments.model);
    let mut options = GenerateOptions::new(&arguments.run, endpoint, name);
    let own_key = chosen.text("key_env");
    let key_env = arguments.key_env.as_deref().or(own_key.filter(|_| is_own));
    if key_env.is_none() && own_key.is_some() {
        context.say(&format!(
            "note: the key of `{}` is for the endpoint of its settings and stays here; `--key-env NAME` sends one",
            arguments.model
        ));
    }
    options.key = match key_env {
        Some(name) if !arguments.dry_run => Some(key(name)?),
        _ => None,
    };
    let base = base_parameters(&chosen, arguments)?;
    let temperature = chosen.grid("temperature", arguments.temperature.as_ref())?;
    let top_p = chosen.grid("top_p", arguments.top_p.as_ref())?;
    let top_k = chosen.grid("top_k", arguments.top_k.as_ref())?;
    let top_k = top_k.as_ref().map(Grid::counts).transpose();
    let top_k = top_k.map_err(|error| Failure::new(ExitCode::Usage, format!("top_k: {error}")))?;
    options.settings = settings(
        &base,
        temperature.as_ref(),
        top_p.as_ref(),
        &top_k.unwrap_or_default(),
    );
    options.n_attempts = arguments.n.or(chosen.number("n")).unwrap_or(1).max(1);
    let concurrency = arguments.concurrency.or(chosen.number("concurrency"));
    options.concurrency = concurrency.unwrap_or(4).clamp(1, 256) as usize;
    let limit = |given: Option<f64>, key| given.or(chosen.number(key)).filter(|given| *given > 0.0);
    options.requests_per_minute = limit(arguments.rpm, "rpm");
    options.tokens_per_minute = limit(arguments.tpm, "tpm");
    let timeout = limit(arguments.timeout, "timeout").unwrap_or(120.0);
    options.timeout = Duration::from_secs_f64(timeout.clamp(0.1, 3_600.0));
    options.n_retries = arguments.retries.or(chosen.number("retries")).unwrap_or(6);
    let prices = (chosen.number("price_in"), chosen.number("price_out"));
    options.prices = match prices {
        (None, None) => None,
        (tokens_in, tokens_out) => Some(Prices {
            tokens_in: tokens_in.unwrap_or(0.0),
            tokens_out: tokens_out.unwrap_or(0.0),
        }),
    };
    options.path = match (prompts_of(arguments), arguments.kind) {
        (Some(path), _) => path.display().to_string(),
        (None, kind) => kind.map_or_else(String::new, |kind| format!("prompts {}", kind.as_str())),
    };
    options.now = scoring::now();
    Ok(options)
}

/// Collects the parameters that all settings share: as the arguments say, else as the model's settings do.
fn base_parameters(
    chosen: &ModelDefaults<'_>,
    arguments: &args::Generate,
) -> Result<Parameters, Stop> {
    let api = chosen.text("api").map(|word| {
        let mut all = Api::ALL.iter().copied();
        all.find(|api| api.as_str() == word).unwrap_or_default()
    });
    let own_stop = chosen.model.map_or(&[][..], |model| model.all("stop"));
    let stop = if arguments.stop.is_empty() {
        own_stop
    } else {
        &arguments.stop
    };
    Ok(Parameters {
        api: arguments.api.or(api).unwrap_or_default(),
        max_tokens: arguments.max_tokens.or(chosen.number("max_tokens")),
        stop: stop.to_vec(),
        seed: arguments.seed.or(chosen.number("seed")),
        system: arguments.system.clone().or_else(|| chosen.owned("system")),
        extra: chosen.extra(arguments.extra.as_ref())?,
        ..Parameters::default()
    })
}

fn key(name: &str) -> Result<ApiKey, Stop> {
    let key = env::var(name).ok().filter(|value| !value.trim().is_empty());
    // A key that was typed where its name should be is shown nowhere.
    let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let shown = if name.chars().all(is_name) {
        format!("`{name}` ")
    } else {
        String::new()
    };
    key.map(|key| ApiKey::new(key.trim().to_owned()))
        .ok_or_else(|| {
            let message =
                format!("the environment variable {shown}that should hold the key is not set");
            Failure::new(ExitCode::Usage, message)
                .with_hint("`--key-env` takes its name, not the key")
                .into()
        })
}

/// The settings of the model.
struct ModelDefaults<'c> {
    model: Option<&'c Model>,
}

impl ModelDefaults<'_> {
    fn text(&self, key: &str) -> Option<&str> {
        self.model?.get(key)
    }

    fn owned(&self, key: &str) -> Option<String> {
        self.text(key).map(str::to_owned)
    }

    fn extra(&self, option: Option<&Extra>) -> Result<Extra, Stop> {
        match option {
            Some(asked) => Ok(asked.clone()),
            None => Ok(self.parsed("extra")?.unwrap_or_default()),
        }
    }

    fn number<T: std::str::FromStr>(&self, key: &str) -> Option<T> {
        self.text(key)?.parse().ok()
    }

    fn grid(&self, key: &str, option: Option<&Grid>) -> Result<Option<Grid>, Stop> {
        match option {
            Some(asked) => Ok(Some(asked.clone())),
            None => self.parsed(key),
        }
    }

    /// Parses the value of a key that must be of this type.
    fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(
        &self,
        key: &str,
    ) -> Result<Option<T>, Stop> {
        let Some((model, text)) = self.model.zip(self.text(key)) else {
            return Ok(None);
        };
        text.parse().map(Some).map_err(|error| {
            let message = format!("{}: `{key}`: {error}", model.place(key));
            Failure::new(ExitCode::Input, visible(&message)).into()
        })
    }
}

fn tell_dry(
    context: &mut Context<'_, '_>,
    arguments: &args::Generate,
    dry: &GenerateDryRun,
) -> Result<(), Stop> {
    tell_problems(context, &dry.problems, "focalist generate --dry-run");
    let most = dry.n_tokens_out;
    let cost = dry.prices.zip(most);
    let cost = cost.map(|(prices, most)| prices.cost(dry.n_tokens_in, most));
    let out = &mut *context.streams.out;
    if arguments.json {
        let line = WireGenerateDry {
            prompts: dry.n_prompts,
            settings: dry.n_settings,
            wanted: dry.n_wanted,
            kept: dry.n_kept,
            requests: dry.n_requests,
            tokens_in: dry.n_tokens_in,
            tokens_out_max: most,
            cost_max: cost,
            endpoint: &dry.url,
            first: request(dry.first.as_deref()),
            problems: dry.n_problems,
        };
        write_line(out, &line)?;
    } else {
        let most = most.map_or_else(|| "any number".to_owned(), grouped);
        writeln!(
            out,
            "{} × {}: {} wanted, {} there, {}\nabout {} tokens in, at most {most} out",
            counted(dry.n_prompts, "prompt"),
            counted(dry.n_settings, "setting"),
            counted(dry.n_wanted, "answer"),
            grouped(dry.n_kept),
            counted(dry.n_requests, "request"),
            grouped(dry.n_tokens_in),
        )?;
        if let Some(cost) = cost {
            writeln!(out, "at most {cost:.4} in the currency of `price_in`")?;
        }
        writeln!(out, "\nPOST {}", visible(&dry.url))?;
        write_pretty(out, &request(dry.first.as_deref()))?;
    }
    context.end(dry.n_problems as usize)
}

fn tell(
    context: &mut Context<'_, '_>,
    arguments: &args::Generate,
    options: &GenerateOptions,
    report: &GenerateReport,
) -> Result<(), Stop> {
    tell_problems(context, &report.problems, "focalist generate --dry-run");
    let run = visible(&options.run);
    if arguments.json {
        write_line(context.streams.out, &wire(options, report))?;
    }
    let seconds = (report.elapsed_ms as f64 / 1_000.0).max(0.001);
    let cost = report
        .cost()
        .map_or_else(String::new, |value| format!(", cost {value:.4}"));
    context.say(&format!(
        "{} of {}: {} now ({:.1}/s; {} + {} tokens{cost}), {} there before",
        counted(report.n_answers + report.n_kept, "answer"),
        grouped(report.n_wanted),
        grouped(report.n_answers),
        report.n_answers as f64 / seconds,
        grouped(report.n_tokens_in),
        grouped(report.n_tokens_out),
        grouped(report.n_kept),
    ));
    // The totals of the run are told by `runs`.
    let of_now = if report.n_kept > 0 { "now: " } else { "" };
    for ((n, when), what) in [
        (
            (report.n_too_long, of_now),
            "missing: the prompt is too long for the model",
        ),
        ((report.n_empty, of_now), "empty (no result)"),
        ((report.n_cut_off, of_now), "cut off at the token limit"),
        (
            (report.n_without_sample, ""),
            "to prompts without a sample in the index: `export --format answers` writes them",
        ),
    ] {
        if n > 0 {
            context.say(&format!("{when}{} {what}", counted(n, "answer")));
        }
    }
    if report.n_without_usage > 0 {
        context.say(&format!(
            "{of_now}{} without numbers of tokens",
            counted(report.n_without_usage, "request")
        ));
    }
    if report.is_one_by_one && options.n_attempts > 1 {
        context.say("the server gives one answer per request; each was asked for separately");
    }
    if !report.failures.is_empty() {
        context.say(&format!(
            "failed tries: {}; {} given up",
            report.failed(),
            counted(report.n_given_up, "request")
        ));
    }
    if report.n_predictions > 0 {
        context.say(&format!(
            "run {run}: {}, {} in all",
            counted(report.n_new_predictions, "more prediction"),
            report.n_predictions
        ));
    }
    match &report.end {
        GenerateEnd::Complete => {}
        GenerateEnd::Paused => {
            let message = format!("paused after ten failures in a row: {}", report.failed());
            // For a shard, the code tells the engine that it may try again.
            let code = match arguments.part.shard {
                Some(_) => ExitCode::TryAgain,
                None => ExitCode::Outside,
            };
            return Err(Failure::new(code, visible(&message))
                .with_hint("the answers so far are kept; the same command, or `focalist jobs resume`, continues")
                .into());
        }
        GenerateEnd::Refused { status, words } => {
            let message = format!(
                "{} answers with {status}: {words}",
                options.endpoint.shown()
            );
            return Err(Failure::new(ExitCode::Outside, visible(&message))
                .with_hint("the answers so far are kept; the same command continues")
                .into());
        }
    }
    if report.n_answers + report.n_kept == 0 {
        return Err(Failure::new(ExitCode::Problems, "not one prompt was answered").into());
    }
    if report.n_predictions > 0 {
        let command = hint::command(&["eval", "--run", &options.run]);
        context.say(&format!("hint: {command} scores it"));
    }
    check_missing(report)?;
    context.end((report.n_problems + report.n_given_up) as usize)
}

/// Fails while answers are missing.
fn check_missing(report: &GenerateReport) -> Result<(), Stop> {
    if report.n_missing == 0 {
        return Ok(());
    }
    let message = format!(
        "{} of {} {} missing",
        report.n_missing,
        counted(report.n_wanted, "answer"),
        agreeing(report.n_missing, "is", "are"),
    );
    let hint = if report.n_given_up > 0 {
        "the same command, or `focalist jobs resume`, asks again for the missing answers"
    } else {
        "prompts that are too long for the model: `--budget N` makes shorter ones"
    };
    Err(Failure::new(ExitCode::Problems, message)
        .with_hint(hint)
        .into())
}

fn wire<'a>(options: &'a GenerateOptions, report: &'a GenerateReport) -> WireGenerated<'a> {
    WireGenerated {
        run: &options.run,
        model: &options.model,
        end: match report.end {
            GenerateEnd::Complete => "complete",
            GenerateEnd::Paused => "paused",
            GenerateEnd::Refused { .. } => "refused",
        },
        prompts: report.n_prompts,
        wanted: report.n_wanted,
        kept: report.n_kept,
        answers: report.n_answers,
        requests: report.n_requests,
        too_long: report.n_too_long,
        missing: report.n_missing,
        no_result: report.n_empty,
        cut_off: report.n_cut_off,
        given_up: report.n_given_up,
        duplicates: report.n_duplicates,
        one_by_one: report.is_one_by_one,
        tokens_in: report.n_tokens_in,
        tokens_out: report.n_tokens_out,
        without_usage: report.n_without_usage,
        cost: report.cost(),
        failures: &report.failures,
        new_predictions: report.n_new_predictions,
        predictions: report.n_predictions,
        without_sample: report.n_without_sample,
        problems: report.n_problems,
        elapsed_ms: report.elapsed_ms,
    }
}

impl From<GenerateError> for Stop {
    fn from(error: GenerateError) -> Self {
        let message = visible(&error.to_string());
        match error {
            GenerateError::Store(error) => error.into(),
            GenerateError::Cancelled(cancelled) => cancelled.into(),
            // A closed stderr is no failure.
            GenerateError::Io(error) if error.kind() == io::ErrorKind::BrokenPipe => error.into(),
            GenerateError::Io(_) => Failure::new(ExitCode::Input, message).into(),
            GenerateError::BadName(_) | GenerateError::Client(_) => {
                Failure::new(ExitCode::Usage, message).into()
            }
            GenerateError::RunExists { .. } | GenerateError::OtherModel { .. } => {
                Failure::new(ExitCode::Usage, message)
                    .with_hint("`--run` takes another name")
                    .into()
            }
            GenerateError::NoAnswers { .. } => Failure::new(ExitCode::Input, message)
                .with_hint("`focalist generate` asks a model")
                .into(),
            GenerateError::NoPrompts { .. } => Failure::new(ExitCode::Problems, message)
                .with_hint("`focalist prompts` writes them")
                .into(),
        }
    }
}
