//! The work of each command: one file per family, named like the typed word. Options in, one verb called, text or JSON
//! out; how options are declared is for [`args`](crate::args), how failures read for [`failure`](crate::failure).

mod again;
mod ask;
mod benchmark;
mod brittle;
mod candidates;
mod clover;
mod compare;
mod completions;
mod config;
mod consistency;
mod covering;
mod dataset;
mod demo;
mod doctor;
mod encoding;
mod execute;
mod executed;
mod experiment;
mod faults;
mod filters;
mod generate;
mod hint;
mod hub;
mod import;
mod index;
mod inspect;
pub mod jobs;
mod judgement_words;
mod leakage;
mod links;
mod mera;
mod metrics;
mod mining;
mod mutate;
mod near;
mod noticing;
mod origin;
mod output;
mod pairs;
mod part;
mod people;
mod plain;
mod plot;
mod prepare;
mod project_name;
mod prompts;
mod published;
mod python;
pub mod register;
mod repo_filter;
mod report;
mod resolution;
mod results;
mod review;
mod runs;
mod sandbox;
mod scale;
mod scoring;
mod selection;
mod shard;
mod shell;
mod site;
mod source;
mod stability;
mod tags;
mod timings;
mod tokens;
mod train;
mod trust;
mod turn;
mod unified;
mod usage;
mod user_name;
mod validate;
mod view;
mod why;
mod workspace;

use crate::Context;
use crate::args::Command;
use crate::failure::Stop;

/// Runs the command that was typed; without one the terminal UI opens.
pub fn dispatch(context: &mut Context<'_, '_>, command: Option<&Command>) -> Result<(), Stop> {
    let Some(command) = command else {
        links::check(context)?;
        return demo::open(context);
    };
    if !matches!(
        command,
        Command::Trust(_) | Command::Completions(_) | Command::Man(_)
    ) {
        links::check(context)?;
    }
    if let (None, Some(kind)) = (&context.job, jobs::wanted_in_background(command)) {
        if let Command::Experiment(options) = command {
            experiment::check_startable(context, options)?;
        }
        return jobs::start(context, command, kind);
    }
    match command {
        Command::Demo(options) => demo::run(context, options),
        Command::Mine(options) => match shard::run(context, options) {
            Some(ended) => ended,
            None => mining::run(context, options),
        },
        Command::Plan(options) => scale::plan(context, options),
        Command::Merge(options) => scale::merge(context, options),
        Command::Cluster(options) => scale::cluster(context, options),
        Command::Work(options) => shard::work(context, options),
        Command::Calls(options) => source::calls(context, options),
        Command::Explain(options) => source::explain(context, options),
        Command::Samples(options) => inspect::samples(context, options),
        Command::Show(options) => inspect::show(context, options),
        Command::Methods(options) => inspect::methods(context, options),
        Command::Stats(options) if options.encoding => encoding::lengths(context, options),
        Command::Stats(options) => inspect::stats(context, options),
        Command::Repos(options) => inspect::repos(context, options),
        Command::Problems(options) => inspect::problems(context, options),
        Command::Rm(options) => mining::remove(context, options),
        Command::Manifest(options) => dataset::manifest(context, options),
        Command::Export(options) => dataset::export(context, options),
        Command::Validate(options) => validate::run(context, options),
        Command::Encode(options) => encoding::encode(context, options),
        Command::Decode(options) => encoding::decode(context, options),
        Command::Prompts(options) => prompts::run(context, options),
        Command::Generate(options) => generate::run(context, options),
        Command::Train(options) => train::run(context, options),
        Command::Experiment(options) => experiment::run(context, options),
        Command::Score(options) => scoring::score(context, options),
        Command::Import(options) => import::import(context, options),
        Command::Eval(options) => scoring::evaluate(context, options),
        Command::Runs(options) => runs::list(context, options),
        Command::Results(options) => results::run(context, options),
        Command::Compare(options) => compare::compare(context, options),
        Command::Report(options) => report::run(context, options),
        Command::Tags(options) => tags::run(context, options),
        Command::Index(options) => index::run(context, options),
        Command::Tag(options) => tags::tag(context, options),
        Command::Clover(options) => clover::run(context, options),
        Command::Paper(_) => unreachable!("the parser gives the command that it stands for"),
        Command::Leakage(options) => leakage::run(context, options),
        Command::Benchmark(options) => benchmark::run(context, options),
        Command::Mutate(options) => mutate::run(context, options),
        Command::Consistency(options) => consistency::run(context, options),
        Command::Plot(options) => plot::run(context, options),
        Command::Prepare(options) => prepare::run(context, options),
        Command::Execute(options) => execute::run(context, options),
        Command::Faults(options) => faults::run(context, options),
        Command::Jobs(options) => jobs::run(context, options),
        Command::Review(options) => plain::review(context, options),
        Command::Verdict(options) => review::verdict(context, options),
        Command::Verdicts(options) => review::verdicts(context, options),
        Command::Undo(options) => review::undo(context, options),
        Command::Redo(options) => review::redo(context, options),
        Command::Audit(options) => review::audit(context, options),
        Command::Agreement(options) => review::agreement(context, options),
        Command::View(options) => view::view(context, options),
        Command::Pick(options) => view::pick(context, options),
        Command::Filters(options) => filters::run(context, options),
        Command::Config(options) => config::run(context, options),
        Command::Trust(options) => trust::run(context, options),
        Command::Keys(options) => inspect::keys(context, options),
        Command::Doctor(options) => doctor::run(context, options),
        Command::Completions(options) => shell::completions(context, options),
        Command::Man(options) => shell::man(context, options),
        Command::Help(_) => inspect::overview(context),
        Command::Candidates(options) => candidates::run(context, options),
    }
}
