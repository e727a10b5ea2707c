//! The command `benchmark`: repositories that make a benchmark, their splits, and what it holds.

mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use crate::args::{
    self, BenchmarkAction, BenchmarkFilter, BenchmarkSplit, BenchmarkStats, TableName,
    TokenCounterArgs,
};
use crate::benchmark::{
    self, Cases, FilterLimits, ProposeOptions, Ruling, Spread, Stats, StatsOptions, StepCount,
    TARGETS, TokenCounter, figures,
};
use crate::command::executed::languages_table;
use crate::command::{inspect, output, plot, tokens, workspace};
use crate::exchange::benchmark::{
    WireCaseSplit, WireFact, WireProposed, WireRepoSplit, WireSplit, WireSpread, WireTruth,
    parse_kept,
};
use crate::exchange::{write_line, write_lines};
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::{Filter, JobKind, Language, LanguageFunnel, SampleKey, Split, counted};
use crate::store::{Store, StoreAccess};
use crate::table::{Align, TextTable, percent, visible};
use crate::{Context, progress};

pub fn run(context: &mut Context<'_, '_>, arguments: &args::Benchmark) -> Result<(), Stop> {
    match &arguments.action {
        BenchmarkAction::Filter(arguments) => filter(context, arguments),
        BenchmarkAction::Split(arguments) => split(context, arguments),
        BenchmarkAction::Stats(arguments) => stats(context, arguments),
    }
}

fn filter(context: &mut Context<'_, '_>, arguments: &BenchmarkFilter) -> Result<(), Stop> {
    let store = workspace::open(context)?;
    let options = ProposeOptions {
        list: arguments.list.clone(),
        leaks: arguments.leak.clone(),
        counter: counter(&arguments.counted)?,
    };
    let proposal = progress::run_job(
        context,
        JobKind::Benchmark,
        StoreAccess::Read,
        |_, monitor| Ok(benchmark::propose(&store, monitor, &options)?),
    )?;
    for problem in &proposal.problems {
        let line = problem.line.unwrap_or_default();
        context.say(&format!("{}:{line}: {}", problem.path, problem.detail));
    }
    let bar = FilterLimits {
        as_of: arguments.as_of,
        n_tokens_max: arguments.max_tokens,
        n_cases_min: arguments.min_cases,
        n_cases_max: arguments.max_cases,
        seed: arguments.seed,
    };
    let rulings = benchmark::rule(&proposal.repos, &bar);
    if let Some(chart) = arguments.chart {
        let drawn = figures::figure(chart, &proposal.repos, &rulings, &bar);
        plot::write(
            context,
            &drawn,
            arguments.output.as_deref(),
            arguments.force,
        )?;
    } else if arguments.keys {
        let keys = rulings.iter().flat_map(|ruling| &ruling.cases);
        let keys: Vec<String> = keys.map(ToString::to_string).collect();
        if keys.is_empty() {
            return Err(Failure::new(ExitCode::Problems, "no case is left").into());
        }
        writeln!(context.streams.out, "key:{}", keys.join(","))?;
    } else {
        context.print(
            TableName::of(arguments.json),
            |out| write_lines(out, rulings.iter().map(wire_ruling)),
            |_| {
                let steps = steps(&benchmark::count(&rulings));
                [Some(steps), fallen(&rulings)].into_iter().flatten()
            },
        )?;
    }
    let n_kept = rulings
        .iter()
        .filter(|ruling| ruling.fell.is_none())
        .count() as u64;
    let n_cases: usize = rulings.iter().map(|ruling| ruling.cases.len()).sum();
    context.say(&format!(
        "{n_kept} of {} repositories kept, with {}; tokens counted as {}",
        rulings.len(),
        counted(n_cases as u64, "case"),
        visible(options.counter.name())
    ));
    if context.global.strict && !proposal.problems.is_empty() {
        let message = format!(
            "{}, and `--strict` was given",
            counted(proposal.problems.len() as u64, "problem")
        );
        return Err(Failure::new(ExitCode::Problems, message).into());
    }
    Ok(())
}

fn wire_ruling(ruling: &Ruling) -> WireProposed {
    WireProposed {
        repo: ruling.name.clone(),
        kept: ruling.fell.is_none(),
        reason: ruling.fell.as_ref().map(|fell| fell.0.as_str()),
        detail: ruling.fell.as_ref().map(|fell| fell.1.clone()),
        unknown: ruling
            .unknown
            .iter()
            .map(|filter_step| filter_step.as_str())
            .collect(),
        n_cases: ruling.n_cases,
        cases: ruling.cases.iter().map(ToString::to_string).collect(),
    }
}

/// Tabulates the repositories that fell out; nothing where none did.
fn fallen(rulings: &[Ruling]) -> Option<TextTable> {
    let mut table = TextTable::of_texts(&["repository", "fell at", "because"]);
    for ruling in rulings {
        if let Some((step, found)) = &ruling.fell {
            table.row([ruling.name.clone(), step.as_str().to_owned(), found.clone()]);
        }
    }
    rulings
        .iter()
        .any(|ruling| ruling.fell.is_some())
        .then_some(table)
}

/// Opens the counter of tokens.
fn counter(arguments: &TokenCounterArgs) -> Result<TokenCounter, Stop> {
    let Some(path) = &arguments.tokenizer else {
        return Ok(TokenCounter::Tokens(arguments.tokens));
    };
    let vocabulary = tokens::vocabulary(Some(path))?;
    let name = path.display().to_string();
    Ok(
        vocabulary.map_or(TokenCounter::Tokens(arguments.tokens), |vocabulary| {
            TokenCounter::Vocabulary(Arc::new(vocabulary), name)
        }),
    )
}

fn steps(counts: &[StepCount]) -> TextTable {
    let mut table = TextTable::of(&["step"], &["before", "after", "reduction", "not known"]);
    for count in counts {
        table.row([
            count.step.as_str().to_owned(),
            count.n_before.to_string(),
            count.n_after.to_string(),
            percent(count.n_before - count.n_after, count.n_before),
            count.n_unknown.to_string(),
        ]);
    }
    table
}

fn split(context: &mut Context<'_, '_>, arguments: &BenchmarkSplit) -> Result<(), Stop> {
    progress::register_job(context, JobKind::Benchmark, StoreAccess::Read);
    let cases = if let Some(path) = &arguments.list {
        listed(context, path)?
    } else {
        let filter = inspect::filter(context, &arguments.filter)?;
        let store = workspace::open(context)?;
        progress::run(context, |_, monitor| {
            Ok(benchmark::cases_of(&store, monitor, &filter)?)
        })?
    };
    let splits = benchmark::split_cases(&cases, arguments.seed);
    if let Some(path) = &arguments.output {
        let mut file = output::create(path, arguments.force)?;
        for (key, split, repo) in each_case(&cases, &splits) {
            let wire = WireCaseSplit {
                sample: key.to_string(),
                split: split.as_str(),
                repo,
            };
            write_line(&mut file, &wire)?;
        }
        file.finish()?;
    }
    show_split(context, arguments, &cases, &splits)?;
    keep(context, arguments, &cases, &splits)
}

/// Iterates over the cases, each with its split and its project.
fn each_case<'c>(
    cases: &'c [Cases],
    splits: &'c [Split],
) -> impl Iterator<Item = (SampleKey, Split, &'c str)> {
    let projects = cases.iter().zip(splits);
    projects.flat_map(|(cases, split)| cases.keys.iter().map(|key| (*key, *split, &*cases.name)))
}

fn show_split(
    context: &mut Context<'_, '_>,
    arguments: &BenchmarkSplit,
    cases: &[Cases],
    splits: &[Split],
) -> Result<(), Stop> {
    let rows: Vec<(&Cases, Split)> = cases.iter().zip(splits.iter().copied()).collect();
    let wire = |(cases, split): &(&Cases, Split)| WireRepoSplit {
        repo: cases.name.clone(),
        split: split.as_str(),
        n_cases: cases.keys.len() as u64,
        language: cases.language.map(Language::as_str),
    };
    let languages: BTreeSet<Language> = cases.iter().filter_map(|case| case.language).collect();
    context.print(
        TableName::of(arguments.json),
        |out| write_lines(out, rows.iter().map(wire)),
        |_| {
            let counts = TARGETS.map(|(split, _)| {
                let of_split = rows.iter().filter(|row| row.1 == split);
                let n_cases: usize = of_split.clone().map(|of_split| of_split.0.keys.len()).sum();
                (split, of_split.count() as u64, n_cases as u64)
            });
            let by_language = (languages.len() > 1).then(|| by_language(&languages, &rows));
            std::iter::once(splits_table("split", &counts)).chain(by_language)
        },
    )?;
    Ok(())
}

/// Makes the split the index's, where there is one: a list can be split without.
fn keep(
    context: &mut Context<'_, '_>,
    arguments: &BenchmarkSplit,
    cases: &[Cases],
    splits: &[Split],
) -> Result<(), Stop> {
    let kept: BTreeMap<SampleKey, Split> = each_case(cases, splits)
        .map(|(key, split, _)| (key, split))
        .collect();
    let has_index = workspace::folder(context).is_dir();
    if arguments.dry_run || kept.is_empty() || !has_index {
        return Ok(());
    }
    let mut store = workspace::open_for_writing(context)?;
    progress::run(context, |_, monitor| {
        Ok(store.write_benchmark(&kept, monitor)?)
    })?;
    context.say(&format!(
        "{} kept in the index · `focalist samples benchmark:test` lists the test split",
        counted(kept.len() as u64, "case")
    ));
    Ok(())
}

/// Tabulates how the tests of each language are split.
fn by_language(languages: &BTreeSet<Language>, rows: &[(&Cases, Split)]) -> TextTable {
    let mut table = TextTable::of(&["language"], &["train", "validation", "test"]);
    for language in languages {
        let own = rows.iter().filter(|row| row.0.language == Some(*language));
        let n_cases = |pair: &(&Cases, Split)| pair.0.keys.len() as u64;
        let n_all: u64 = own.clone().map(n_cases).sum();
        let shares = Split::ALL.iter().map(|split| {
            let of_split = own.clone().filter(|own| own.1 == *split);
            percent(of_split.map(n_cases).sum(), n_all)
        });
        table.row([language.as_str().to_owned()].into_iter().chain(shares));
    }
    table
}

/// Reads the output of `benchmark filter --json`; the languages come from the index, where there is one.
fn listed(context: &mut Context<'_, '_>, path: &Path) -> Result<Vec<Cases>, Stop> {
    let text = fs::read_to_string(path).map_err(Failure::unreadable(path))?;
    let mut listed = Vec::new();
    for (number, line) in (1..)
        .zip(text.lines())
        .filter(|pair| !pair.1.trim().is_empty())
    {
        match parse_kept(line) {
            Ok(Some((name, keys))) => listed.push(Cases {
                name,
                keys,
                language: None,
            }),
            Ok(None) => {}
            Err(detail) => context.say(&format!("{}:{number}: {detail}", path.display())),
        }
    }
    // A list can be split without an index: then it is one language.
    let known = workspace::open(context).and_then(|store| languages(&store));
    let known = known.unwrap_or_default();
    for cases in &mut listed {
        cases.language = known.get(&cases.name).copied();
    }
    Ok(listed)
}

/// Finds the language of most tests of each project that have a focal method.
fn languages(store: &Store) -> Result<BTreeMap<String, Language>, Stop> {
    let mut projects: BTreeMap<String, Vec<(u64, Language)>> = BTreeMap::new();
    for row in store.repos()? {
        let languages = projects.entry(row.repo.identity).or_default();
        languages.push((row.n_mapped, row.repo.language));
    }
    let most = projects.into_iter().filter_map(|(name, languages)| {
        // Of equals the first.
        let most = languages
            .into_iter()
            .rev()
            .max_by_key(|language| language.0)?;
        Some((name, most.1))
    });
    Ok(most.collect())
}

fn splits_table(title: &str, counts: &[(Split, u64, u64)]) -> TextTable {
    let n_repos: u64 = counts.iter().map(|count| count.1).sum();
    let n_cases: u64 = counts.iter().map(|count| count.2).sum();
    let mut table = TextTable::new(&[
        (title, Align::Left),
        ("repositories", Align::Right),
        ("", Align::Right),
        ("tests", Align::Right),
        ("", Align::Right),
    ]);
    let rows = counts
        .iter()
        .map(|count| (count.0.as_str(), count.1, count.2));
    for (name, repos, cases) in rows.chain([("total", n_repos, n_cases)]) {
        table.row([
            name.to_owned(),
            repos.to_string(),
            percent(repos, n_repos),
            cases.to_string(),
            percent(cases, n_cases),
        ]);
    }
    table
}

fn stats(context: &mut Context<'_, '_>, arguments: &BenchmarkStats) -> Result<(), Stop> {
    let filter: Filter = inspect::filter(context, &arguments.filter)?;
    let store = workspace::open(context)?;
    let options = StatsOptions {
        filter,
        counter: counter(&arguments.counted)?,
        is_of_all: arguments.all,
    };
    let stats = progress::run_job(
        context,
        JobKind::Benchmark,
        StoreAccess::Read,
        |_, monitor| Ok(benchmark::stats(&store, monitor, &options)?),
    )?;
    if let Some(by) = arguments.by {
        rows::write(context, &stats, by, arguments.shown.format.name())?;
        tell_stats(context, &stats);
        return Ok(());
    }
    let about = if stats.is_benchmark {
        "split"
    } else {
        "project split"
    };
    context.print(
        arguments.shown.format.name(),
        |out| write_stats(out, &stats, about),
        |_| {
            let mut tables = vec![
                splits_table(about, &stats.splits),
                spreads(&stats.spreads),
                facts(&stats),
            ];
            if let Some(found) = &stats.truth {
                tables.push(truth(&found.whole));
                let several = found.by_language.len() > 1;
                tables.extend(several.then(|| languages_table(&found.by_language)));
            }
            tables
        },
    )?;
    tell_stats(context, &stats);
    Ok(())
}

fn write_stats(out: &mut dyn Write, stats: &Stats, about: &'static str) -> io::Result<()> {
    write_lines(out, stats.spreads.iter().map(wire))?;
    for stats_fact in stats.facts() {
        let fact = WireFact {
            about: &stats_fact.about,
            value: stats_fact.value,
            share: stats_fact.share,
        };
        write_line(out, &fact)?;
    }
    let split = |(split, n_repos, n_cases): &(Split, u64, u64)| WireSplit {
        about,
        split: split.as_str(),
        n_repos: *n_repos,
        n_cases: *n_cases,
    };
    write_lines(out, stats.splits.iter().map(split))?;
    let Some(found) = &stats.truth else {
        return Ok(());
    };
    write_line(out, &WireTruth::from(&found.whole))?;
    let several = found.by_language.len() > 1;
    let languages = found.by_language.iter().filter(|_| several);
    write_lines(out, languages.map(WireTruth::from))
}

/// Says what the numbers are over.
fn tell_stats(context: &mut Context<'_, '_>, stats: &Stats) {
    if !stats.is_benchmark {
        context.say(
            "all samples counted, by the project split of the index · `focalist benchmark split` makes a benchmark of them",
        );
    }
    if stats.n_unmapped > 0 {
        let tests = counted(stats.n_unmapped, "test");
        context.say(&format!("{tests} without a focal method left out"));
    }
}

fn spreads(spreads: &[Spread]) -> TextTable {
    let mut table = TextTable::of(
        &[""],
        &["mean", "max", "min", "25 %", "50 %", "75 %", "total"],
    );
    for spread in spreads {
        let [p25, p50, p75] = spread.quartiles.map(|quartile| format!("{quartile:.2}"));
        table.row([
            spread.about.to_owned(),
            format!("{:.2}", spread.mean),
            spread.max.to_string(),
            spread.min.to_string(),
            p25,
            p50,
            p75,
            spread.total.to_string(),
        ]);
    }
    table
}

/// Tabulates how far the true tests came, with the words and the order of `execute`.
fn truth(of: &LanguageFunnel) -> TextTable {
    let funnel = &of.funnel;
    let mut table = TextTable::of(
        &["of the true tests that were executed"],
        &["number", "share"],
    );
    for (step, n) in funnel.steps().into_iter().chain(funnel.beside()) {
        let share = percent(n, funnel.n_unique);
        table.row([step.to_owned(), n.to_string(), share]);
    }
    // They are in no share.
    for (name, n) in [("blocked", funnel.n_blocked()), ("not run", of.n_not_run())] {
        table.row([name.to_owned(), n.to_string(), String::new()]);
    }
    table
}

fn facts(stats: &Stats) -> TextTable {
    let title = if stats.n_focal_java() == stats.methods.len() as u64 {
        "of the focal methods"
    } else {
        "of the focal methods in Java"
    };
    let mut table = TextTable::new(&[
        (title, Align::Left),
        ("number", Align::Right),
        ("share", Align::Right),
    ]);
    for fact in stats.facts() {
        // Counts have a share, and the mean has none.
        let value = match fact.share {
            Some(_) => fact.value.to_string(),
            None => format!("{:.2}", fact.value),
        };
        let share = fact.share.map(|share| crate::model::percent(share, 1));
        table.row([fact.about, value, share.unwrap_or_default()]);
    }
    let tokens = visible(&stats.tokens);
    table.row(["tokens counted as".to_owned(), tokens, String::new()]);
    table
}

fn wire(spread: &Spread) -> WireSpread {
    let [p25, p50, p75] = spread.quartiles;
    WireSpread {
        about: spread.about,
        mean: spread.mean,
        max: spread.max,
        min: spread.min,
        p25,
        p50,
        p75,
        total: spread.total,
    }
}

impl From<benchmark::Error> for Stop {
    fn from(error: benchmark::Error) -> Self {
        match error {
            benchmark::Error::Store(error) => error.into(),
            benchmark::Error::Cancelled(error) => error.into(),
            benchmark::Error::Io { .. } => Failure::new(ExitCode::Input, error.to_string()).into(),
        }
    }
}
