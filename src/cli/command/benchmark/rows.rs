//! The rows of `benchmark stats --by`: repositories with their frameworks and versions, focal methods with their
//! complexity.

use crate::Context;
use crate::args::{StatsBy, TableName};
use crate::benchmark::{MethodFacts, RepoFacts, Stats};
use crate::exchange::benchmark::{WireMethodFacts, WireRepoFacts};
use crate::exchange::write_lines;
use crate::failure::Stop;
use crate::model::Framework;
use crate::table::{Align, NumberStyle, TextTable, visible};

/// Writes a row for each repository, or for each focal method.
pub fn write(
    context: &mut Context<'_, '_>,
    stats: &Stats,
    by: StatsBy,
    format: TableName,
) -> Result<(), Stop> {
    context.print(
        format,
        |out| match by {
            StatsBy::Repo => write_lines(out, stats.repos.iter().map(wire_repo)),
            StatsBy::Method => write_lines(out, stats.methods.iter().map(wire_method)),
        },
        |numbers| match by {
            StatsBy::Repo => [repos(&stats.repos, numbers)],
            StatsBy::Method => [methods(&stats.methods, numbers)],
        },
    )?;
    Ok(())
}

fn repos(repos: &[RepoFacts], numbers: NumberStyle) -> TextTable {
    let mut table = TextTable::new(&[
        ("repository", Align::Left),
        ("tests", Align::Right),
        ("focal methods", Align::Right),
        ("framework", Align::Left),
        ("Java", Align::Right),
        ("in Java", Align::Right),
        ("getters", Align::Right),
        ("setters", Align::Right),
        ("cyclomatic", Align::Right),
    ]);
    let none = || numbers.none().to_owned();
    for repo in repos {
        table.row([
            visible(&repo.name),
            repo.n_cases.to_string(),
            repo.n_focal.to_string(),
            repo.framework
                .map_or_else(none, |framework| framework.as_str().to_owned()),
            repo.java.map_or_else(none, |java| java.to_string()),
            repo.n_focal_java.to_string(),
            repo.n_getters.to_string(),
            repo.n_setters.to_string(),
            repo.cyclomatic().map_or_else(none, |value| match numbers {
                NumberStyle::People => format!("{value:.2}"),
                NumberStyle::Machine => value.to_string(),
            }),
        ]);
    }
    table
}

fn methods(methods: &[MethodFacts], numbers: NumberStyle) -> TextTable {
    let mut table = TextTable::new(&[
        ("repository", Align::Left),
        ("file", Align::Left),
        ("focal method", Align::Left),
        ("tests", Align::Right),
        ("tokens", Align::Right),
        ("cyclomatic", Align::Right),
        ("accessor", Align::Left),
    ]);
    for method in methods {
        let ways = method.measure.map(|measure| measure.cyclomatic.to_string());
        let accessor = match method.measure {
            Some(measure) if measure.is_getter => "getter",
            Some(measure) if measure.is_setter => "setter",
            _ => "",
        };
        table.row([
            visible(&method.repo),
            visible(&method.path),
            visible(&method.key),
            method.n_cases.to_string(),
            method.n_tokens.to_string(),
            ways.unwrap_or_else(|| numbers.none().to_owned()),
            accessor.to_owned(),
        ]);
    }
    table
}

fn wire_repo(repo_facts: &RepoFacts) -> WireRepoFacts<'_> {
    WireRepoFacts {
        repo: &repo_facts.name,
        tests: repo_facts.n_cases,
        focal_methods: repo_facts.n_focal,
        framework: repo_facts.framework.map(Framework::as_str),
        java: repo_facts.java,
        focal_methods_java: repo_facts.n_focal_java,
        getters: repo_facts.n_getters,
        setters: repo_facts.n_setters,
        cyclomatic: repo_facts.cyclomatic(),
    }
}

fn wire_method(method_facts: &MethodFacts) -> WireMethodFacts<'_> {
    WireMethodFacts {
        repo: &method_facts.repo,
        file: &method_facts.path,
        method: &method_facts.key,
        tests: method_facts.n_cases,
        tokens: method_facts.n_tokens,
        cyclomatic: method_facts.measure.map(|measure| measure.cyclomatic),
        is_getter: method_facts.measure.map(|measure| measure.is_getter),
        is_setter: method_facts.measure.map(|measure| measure.is_setter),
    }
}
