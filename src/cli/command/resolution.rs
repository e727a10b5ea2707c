//! `stats --resolution`: how the calls in tests resolved, overall and by repository, and what a person can do about it.

use crate::Context;
use crate::args::TableName;
use crate::browse;
use crate::exchange::{WireResolutions, write_line};
use crate::failure::Stop;
use crate::model::{Filter, RepoKey, RepoResolutions, ResolutionClass, ResolutionCounts};
use crate::store::Store;
use crate::table::{Align, TextTable, percent};

pub fn write(
    context: &mut Context<'_, '_>,
    store: &Store,
    filter: &Filter,
    as_json: bool,
) -> Result<(), Stop> {
    let repos = browse::resolutions(store, filter)?;
    let mut all = ResolutionCounts::default();
    for repo in &repos {
        all.merge(&repo.counts);
    }
    context.print(
        TableName::of(as_json),
        |out| write_line(out, &WireResolutions::new(&all, &repos)),
        |_| {
            let advice = (all.n_unknown() > 0).then(|| advice(&all));
            [of_all(&all), of_repos(&repos)].into_iter().chain(advice)
        },
    )?;
    if !as_json && all.n_calls() == 0 && !repos.is_empty() {
        context.say(
            "no call was counted: there are no tests, or an earlier version mined them; `focalist mine --force` counts",
        );
    }
    Ok(())
}

fn of_all(all: &ResolutionCounts) -> TextTable {
    let n_calls = all.n_calls();
    let mut table = TextTable::of(&["calls in tests"], &["n", "of calls"]);
    let mut row = |name: &str, n: u64| {
        table.row([name.to_owned(), n.to_string(), percent(n, n_calls)]);
    };
    row("all", n_calls);
    row("declared in main code", all.of(ResolutionClass::Main));
    row("declared in test code", all.of(ResolutionClass::Test));
    row("ambiguous", all.of(ResolutionClass::Ambiguous));
    row("outside", all.of(ResolutionClass::Outside));
    row("unknown", all.n_unknown());
    for (reason, n) in all.unknown() {
        row(&format!("  {}", reason.as_str()), n);
    }
    table
}

fn of_repos(repos: &[RepoResolutions]) -> TextTable {
    let has_several = RepoKey::have_several_languages(repos.iter().map(|repo| &repo.repo));
    let mut texts = vec!["repository"];
    texts.extend(has_several.then_some("language"));
    let shares = ["calls", "main", "test", "ambiguous", "outside", "unknown"];
    let mut table = TextTable::of(&texts, &shares).with("most often", Align::Left);
    for RepoResolutions { repo, counts } in repos {
        let n_calls = counts.n_calls();
        let share = |n| percent(n, n_calls);
        // Of equally frequent reasons the first one.
        let most_often = counts
            .unknown()
            .max_by_key(|(reason, n)| (*n, std::cmp::Reverse(*reason)));
        let mut cells = vec![repo.identity.clone()];
        cells.extend(has_several.then(|| repo.language.as_str().to_owned()));
        cells.extend([
            n_calls.to_string(),
            share(counts.of(ResolutionClass::Main)),
            share(counts.of(ResolutionClass::Test)),
            share(counts.of(ResolutionClass::Ambiguous)),
            share(counts.of(ResolutionClass::Outside)),
            share(counts.n_unknown()),
            most_often.map_or_else(String::new, |(reason, n)| {
                format!("{} {}", reason.as_str(), share(n))
            }),
        ]);
        table.row(cells);
    }
    table
}

/// Builds a row for each reason that occurs.
fn advice(all: &ResolutionCounts) -> TextTable {
    let mut table = TextTable::of_texts(&["unknown because", ""]);
    for (reason, _) in all.unknown() {
        table.row([reason.as_str().to_owned(), reason.explain().to_owned()]);
    }
    table
}
