//! The command `benchmark`: repositories that make a benchmark, their splits, and what it holds.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::args::{
    self, BenchmarkAction, BenchmarkFilter, BenchmarkSplit, BenchmarkStats, TableName,
};
use crate::benchmark::{
    self, Bar, ProposeOptions, Spread, Stats, StatsOptions, StepCount, TARGETS, Weighed,
};
use crate::command::executed::languages_table;
use crate::command::runs::write_as;
use crate::command::{inspect, workspace};
use crate::exchange::benchmark::{WireProposed, WireRepoSplit, WireSpread, WireTruth, parse_kept};
use crate::exchange::write_line;
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::{Filter, Language, LanguageFunnel, Split, counted};
use crate::store::Store;
use crate::table::{Align, Table, percent};
use crate::{Context, progress};

pub fn run(context: &mut Context<'_, '_>, asked: &args::Benchmark) -> Result<(), Stop> {
    match &asked.action {
        BenchmarkAction::Filter(asked) => filter(context, asked),
        BenchmarkAction::Split(asked) => split(context, asked),
        BenchmarkAction::Stats(asked) => stats(context, asked),
    }
}

fn filter(context: &mut Context<'_, '_>, asked: &BenchmarkFilter) -> Result<(), Stop> {
    let store = workspace::open(context)?;
    let options = ProposeOptions {
        list: asked.list.clone(),
        leaks: asked.leak.clone(),
        tokens: asked.tokens,
    };
    let proposal = progress::run(context, |_, monitor| {
        Ok(benchmark::propose(&store, monitor, &options)?)
    })?;
    for problem in &proposal.problems {
        let line = problem.line.unwrap_or_default();
        context.say(&format!("{}:{line}: {}", problem.path, problem.detail));
    }
    let bar = Bar {
        as_of: asked.as_of,
        n_tokens_max: asked.max_tokens,
        n_cases_min: asked.min_cases,
        n_cases_max: asked.max_cases,
        seed: asked.seed,
    };
    let rulings = benchmark::rule(&proposal.repos, &bar);
    if asked.json {
        for it in &rulings {
            let wire = WireProposed {
                repo: it.name.clone(),
                kept: it.fell.is_none(),
                reason: it.fell.as_ref().map(|it| it.0.as_str()),
                detail: it.fell.as_ref().map(|it| it.1.clone()),
                unknown: it.unknown.iter().map(|it| it.as_str()).collect(),
                n_cases: it.n_cases,
                cases: it.cases.iter().map(ToString::to_string).collect(),
            };
            write_line(context.streams.out, &wire)?;
        }
    } else {
        steps(&benchmark::count(&rulings)).write(context.streams.out)?;
        let fallen = rulings.iter().filter(|it| it.fell.is_some());
        let mut table = Table::new(&[
            ("repository", Align::Left),
            ("fell at", Align::Left),
            ("because", Align::Left),
        ]);
        for it in fallen.clone() {
            let (step, found) = it.fell.as_ref().expect("only those that fell are listed");
            table.row([it.name.clone(), step.as_str().to_owned(), found.clone()]);
        }
        if fallen.count() > 0 {
            writeln!(context.streams.out)?;
            table.write(context.streams.out)?;
        }
    }
    let n_kept = rulings.iter().filter(|it| it.fell.is_none()).count() as u64;
    let n_cases: usize = rulings.iter().map(|it| it.cases.len()).sum();
    context.say(&format!(
        "{n_kept} of {} repositories kept, with {}; tokens counted as {}",
        rulings.len(),
        counted(n_cases as u64, "case"),
        asked.tokens.as_str()
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

fn steps(counts: &[StepCount]) -> Table {
    let mut table = Table::new(&[
        ("step", Align::Left),
        ("before", Align::Right),
        ("after", Align::Right),
        ("reduction", Align::Right),
        ("not known", Align::Right),
    ]);
    for it in counts {
        table.row([
            it.step.as_str().to_owned(),
            it.n_before.to_string(),
            it.n_after.to_string(),
            percent(it.n_before - it.n_after, it.n_before),
            it.n_unknown.to_string(),
        ]);
    }
    table
}

fn split(context: &mut Context<'_, '_>, asked: &BenchmarkSplit) -> Result<(), Stop> {
    let repos = match &asked.list {
        Some(path) => {
            let text = fs::read_to_string(path).map_err(|error| {
                let message = format!("cannot read `{}`: {error}", path.display());
                Failure::new(ExitCode::Input, message)
            })?;
            let mut repos = Vec::new();
            for (number, line) in (1..).zip(text.lines()).filter(|it| !it.1.trim().is_empty()) {
                match parse_kept(line) {
                    Ok(Some((name, n_cases))) => repos.push((Weighed { name, n_cases }, None)),
                    Ok(None) => {}
                    Err(detail) => context.say(&format!("{}:{number}: {detail}", path.display())),
                }
            }
            of_languages(context, &mut repos);
            repos
        }
        None => mapped(&workspace::open(context)?)?,
    };
    let splits = benchmark::split_by_language(&repos, asked.seed);
    let rows = || repos.iter().zip(&splits);
    if asked.json {
        for ((repo, language), split) in rows() {
            let wire = WireRepoSplit {
                repo: repo.name.clone(),
                split: split.as_str(),
                n_cases: repo.n_cases,
                language: language.map(Language::as_str),
            };
            write_line(context.streams.out, &wire)?;
        }
        return Ok(());
    }
    let counts = TARGETS.map(|(split, _)| {
        let of_split = rows().filter(|it| *it.1 == split);
        let n_cases = of_split.clone().map(|it| it.0.0.n_cases).sum();
        (split, of_split.count() as u64, n_cases)
    });
    splits_table(&counts).write(context.streams.out)?;
    let languages: BTreeSet<Language> = repos.iter().filter_map(|it| it.1).collect();
    if languages.len() > 1 {
        writeln!(context.streams.out)?;
        by_language(&languages, &rows().collect::<Vec<_>>()).write(context.streams.out)?;
    }
    Ok(())
}

/// Returns how the tests of each language are split.
fn by_language(
    languages: &BTreeSet<Language>,
    rows: &[(&(Weighed, Option<Language>), &Split)],
) -> Table {
    let mut table = Table::new(&[
        ("language", Align::Left),
        ("train", Align::Right),
        ("validation", Align::Right),
        ("test", Align::Right),
    ]);
    for language in languages {
        let own = rows.iter().filter(|it| it.0.1 == Some(*language));
        let n_all: u64 = own.clone().map(|it| it.0.0.n_cases).sum();
        let shares = Split::ALL.iter().map(|split| {
            let of_split = own.clone().filter(|it| it.1 == split);
            percent(of_split.map(|it| it.0.0.n_cases).sum(), n_all)
        });
        table.row([language.as_str().to_owned()].into_iter().chain(shares));
    }
    table
}

/// Returns the projects of the index with their tests that have a focal method, and the language of most of these.
fn mapped(store: &Store) -> Result<Vec<(Weighed, Option<Language>)>, Stop> {
    let mut projects: BTreeMap<String, Vec<(u64, Language)>> = BTreeMap::new();
    for row in store.repos()? {
        let languages = projects.entry(row.repo.identity).or_default();
        languages.push((row.n_mapped, row.repo.language));
    }
    let weighed = projects.into_iter().map(|(name, languages)| {
        let n_cases = languages.iter().map(|it| it.0).sum();
        // Of equals the first.
        let most = languages.into_iter().rev().max_by_key(|it| it.0);
        (Weighed { name, n_cases }, most.map(|it| it.1))
    });
    Ok(weighed.collect())
}

/// Adds the languages of projects of a list, as far as there is an index that has them.
fn of_languages(context: &Context<'_, '_>, repos: &mut [(Weighed, Option<Language>)]) {
    let known = workspace::open(context).and_then(|store| mapped(&store));
    // A list can be split without an index: then it is one language.
    for (mined, language) in known.unwrap_or_default() {
        for (_, own) in repos.iter_mut().filter(|it| it.0.name == mined.name) {
            *own = language;
        }
    }
}

fn splits_table(counts: &[(Split, u64, u64)]) -> Table {
    let n_repos: u64 = counts.iter().map(|it| it.1).sum();
    let n_cases: u64 = counts.iter().map(|it| it.2).sum();
    let mut table = Table::new(&[
        ("split", Align::Left),
        ("repositories", Align::Right),
        ("", Align::Right),
        ("tests", Align::Right),
        ("", Align::Right),
    ]);
    let rows = counts.iter().map(|it| (it.0.as_str(), it.1, it.2));
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

fn stats(context: &mut Context<'_, '_>, asked: &BenchmarkStats) -> Result<(), Stop> {
    let filter: Filter = inspect::filter(context, &asked.filter)?;
    let store = workspace::open(context)?;
    let options = StatsOptions {
        filter,
        tokens: asked.tokens,
    };
    let stats = progress::run(context, |_, monitor| {
        Ok(benchmark::stats(&store, monitor, &options)?)
    })?;
    let out = &mut *context.streams.out;
    let mut tables = vec![
        splits_table(&stats.splits),
        spreads(&stats.spreads),
        facts(&stats),
    ];
    if let Some(found) = &stats.truth {
        tables.push(truth(&found.whole));
        if found.by_language.len() > 1 {
            tables.push(languages_table(&found.by_language));
        }
    }
    match asked.shown.format() {
        TableName::Json => {
            for it in &stats.spreads {
                write_line(out, &wire(it))?;
            }
            if let Some(found) = &stats.truth {
                write_line(out, &WireTruth::from(&found.whole))?;
                let several = found.by_language.len() > 1;
                for it in found.by_language.iter().filter(|_| several) {
                    write_line(out, &WireTruth::from(it))?;
                }
            }
        }
        format => {
            for (n, table) in tables.iter().enumerate() {
                if n > 0 {
                    writeln!(out)?;
                }
                write_as(table, format, out)?;
            }
        }
    }
    if stats.n_unmapped > 0 {
        let tests = counted(stats.n_unmapped, "test");
        context.say(&format!("{tests} without a focal method left out"));
    }
    Ok(())
}

fn spreads(spreads: &[Spread]) -> Table {
    let mut table = Table::new(&[
        ("", Align::Left),
        ("mean", Align::Right),
        ("max", Align::Right),
        ("min", Align::Right),
        ("25 %", Align::Right),
        ("50 %", Align::Right),
        ("75 %", Align::Right),
        ("total", Align::Right),
    ]);
    for it in spreads {
        let [p25, p50, p75] = it.quartiles.map(|it| format!("{it:.2}"));
        table.row([
            it.about.to_owned(),
            format!("{:.2}", it.mean),
            it.max.to_string(),
            it.min.to_string(),
            p25,
            p50,
            p75,
            it.total.to_string(),
        ]);
    }
    table
}

/// Returns how far the true tests came, with the words and the order that `execute` has.
fn truth(of: &LanguageFunnel) -> Table {
    let funnel = &of.funnel;
    let mut table = Table::new(&[
        ("of the true tests that were executed", Align::Left),
        ("number", Align::Right),
        ("share", Align::Right),
    ]);
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

fn facts(stats: &Stats) -> Table {
    let n_focal = stats.n_focal_java;
    let title = if n_focal == stats.n_focal {
        "of the focal methods"
    } else {
        "of the focal methods in Java"
    };
    let mut table = Table::new(&[
        (title, Align::Left),
        ("number", Align::Right),
        ("share", Align::Right),
    ]);
    if n_focal > 0 {
        let focal = |name: &str, n: u64| [name.to_owned(), n.to_string(), percent(n, n_focal)];
        table.row(focal("getters", stats.n_getters));
        table.row(focal("setters", stats.n_setters));
        let ways = format!("{:.2}", stats.cyclomatic);
        table.row(["mean cyclomatic complexity".to_owned(), ways, String::new()]);
    }
    for (framework, n) in &stats.frameworks {
        let share = percent(*n, stats.n_repos);
        table.row([
            format!("repositories with {framework}"),
            n.to_string(),
            share,
        ]);
    }
    let tokens = stats.tokens.as_str().to_owned();
    table.row(["tokens counted as".to_owned(), tokens, String::new()]);
    table
}

fn wire(it: &Spread) -> WireSpread {
    let [p25, p50, p75] = it.quartiles;
    WireSpread {
        about: it.about,
        mean: it.mean,
        max: it.max,
        min: it.min,
        p25,
        p50,
        p75,
        total: it.total,
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
