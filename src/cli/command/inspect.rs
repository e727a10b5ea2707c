//! The commands that read the index: `samples`, `show`, `methods`, `stats`, `repos`, `problems`, `keys`.

use std::collections::BTreeMap;
use std::io::Write;

use crate::Context;
use crate::args::{self, TableName};
use crate::browse::{self, Catalogue, FieldScope, FilterError, FilterFault, Fuzzy, MethodQuery};
use crate::command::mining::matcher;
use crate::command::{config, hint, near, people, resolution, stability, why, workspace};
use crate::config::SavedFilters;
use crate::exchange::outcomes::WireUnstable;
use crate::exchange::{
    self, WireDeclared, WireDetail, WireFunnel, WireProblem, WireRepoRow, WireRow, write_line,
    write_lines,
};
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::{
    Brittleness, FaultCounts, Filter, Funnel, RepoKey, RepoRow, SampleDetail, SampleKey, SampleRow,
    SampleScope, Snippet, Stability, Status,
};
use crate::review;
use crate::store::{Anchor, Store, Verdicts};
use crate::table::{Align, TextTable, percent, visible, visible_source};

/// Rows read at a time, so that a listing of any length needs little memory.
const PAGE: usize = 500;

/// Parses the filter of samples, with the workspace's saved filters, or fails with the place of the error.
pub fn filter(context: &mut Context<'_, '_>, words: &[String]) -> Result<Filter, Stop> {
    filter_in(context, words, FieldScope::Samples)
}

/// Parses the filter of samples, or of a run's predictions.
pub fn filter_in(
    context: &mut Context<'_, '_>,
    words: &[String],
    scope: FieldScope,
) -> Result<Filter, Stop> {
    let mut filter = filter_with(&workspace::saved(context), words, scope)?;
    near::resolve(context, &mut filter)?;
    Ok(filter)
}

/// Parses the filter with these saved filters.
pub fn filter_with(
    saved: &SavedFilters,
    words: &[String],
    scope: FieldScope,
) -> Result<Filter, Stop> {
    no_options(words)?;
    browse::read_filter(&words.join(" "), saved, scope).map_err(|error| wrong(&error, scope).into())
}

/// Refuses words that begin with `--`: a filter takes words that begin with `-`, and so would take a mistyped option.
pub fn no_options(words: &[String]) -> Result<(), Stop> {
    if let Some(option) = words.iter().find(|word| word.starts_with("--")) {
        let message = format!("`{}` is not part of a filter", visible(option));
        return Err(Failure::new(ExitCode::Usage, message)
            .with_hint("`--help` lists the options")
            .into());
    }
    Ok(())
}

/// Makes the failure of an error in a filter, with a hint.
pub fn wrong(error: &FilterError, scope: FieldScope) -> Failure {
    let failure = Failure::new(ExitCode::Usage, visible_source(&error.to_string()));
    match error.fault {
        FilterFault::UnknownSaved { .. }
        | FilterFault::SavedCircle { .. }
        | FilterFault::SavedDepth
        | FilterFault::SavedLength
        | FilterFault::InSaved { .. } => {
            failure.with_hint("`focalist filters` lists the saved filters of this workspace")
        }
        FilterFault::OfARun { .. } => {
            failure.with_hint("`focalist results RUN FILTER…`; `focalist runs` lists the runs")
        }
        _ if scope == FieldScope::Run => {
            failure.with_hint("`focalist results --help` explains them")
        }
        _ => failure.with_hint(format!("known fields: {}", field_names().join(" "))),
    }
}

/// Chooses the samples that `--all` asks for.
pub const fn scope(is_all: bool) -> SampleScope {
    if is_all {
        SampleScope::All
    } else {
        SampleScope::Paper
    }
}

fn field_names() -> Vec<&'static str> {
    browse::FIELDS.iter().map(|field| field.name).collect()
}

pub fn samples(context: &mut Context<'_, '_>, arguments: &args::Samples) -> Result<(), Stop> {
    let filter = filter(context, &arguments.filter)?;
    let store = workspace::open(context)?;
    let has_faults = store.has_true_faults()?;
    let has_stabilities = store.has_true_stabilities()?;
    let has_brittlenesses = store.has_true_brittlenesses()?;
    let mut columns = vec![
        ("key", Align::Left),
        ("repository", Align::Left),
        ("test", Align::Left),
        ("focal method", Align::Left),
        ("status", Align::Left),
        ("weight", Align::Right),
    ];
    if has_faults {
        columns.extend(["mutation", "strength"].map(|text| (text, Align::Right)));
    }
    if has_stabilities {
        columns.push(("unstable", Align::Left));
    }
    if has_brittlenesses {
        columns.push(("brittle", Align::Left));
    }
    let mut table = TextTable::new(&columns);
    let mut n_left = if arguments.limit == 0 {
        u64::MAX
    } else {
        arguments.limit
    };
    let mut anchor = Anchor::First;
    while n_left > 0 {
        let limit = PAGE.min(usize::try_from(n_left).unwrap_or(PAGE));
        let page = browse::page(&store, &filter, anchor, limit)?;
        let Some(last) = page.last() else { break };
        anchor = Anchor::After(last.id);
        n_left -= page.len() as u64;
        let keys: Vec<SampleKey> = page.iter().map(|row| row.key).collect();
        let faults = if has_faults {
            store.true_fault_counts(&keys)?
        } else {
            BTreeMap::new()
        };
        let stabilities = if has_stabilities {
            store.true_stabilities(&keys)?
        } else {
            BTreeMap::new()
        };
        let brittlenesses = if has_brittlenesses {
            store.true_brittlenesses(&keys)?
        } else {
            BTreeMap::new()
        };
        for row in &page {
            let faults = faults.get(&row.key).copied();
            let stability = stabilities.get(&row.key);
            let brittleness = brittlenesses.get(&row.key);
            if arguments.json {
                let faults = faults.map(Into::into);
                let line = WireRow {
                    faults,
                    unstable: stability.and_then(WireUnstable::of),
                    brittle: brittleness.map(exchange::brittle::brittle),
                    ..WireRow::from(row)
                };
                write_line(context.streams.out, &line)?;
                continue;
            }
            let mut cells = Vec::from(cells(row));
            if has_faults {
                let told = |of: fn(FaultCounts) -> String| faults.map_or_else(String::new, of);
                cells.push(told(FaultCounts::score_label));
                cells.push(told(FaultCounts::strength_label));
            }
            if has_stabilities {
                cells.push(stability.map_or_else(String::new, Stability::label));
            }
            if has_brittlenesses {
                cells.push(brittleness.map_or_else(String::new, Brittleness::label));
            }
            table.row(cells);
        }
        if page.len() < limit {
            break;
        }
    }
    if !arguments.json {
        table.write(context.streams.out)?;
        let n_all = browse::count(&store, &filter)?;
        if arguments.limit > 0 && n_all > arguments.limit {
            context.say(&hint::cut_short(arguments.limit, n_all));
        }
    }
    Ok(())
}

fn cells(row: &SampleRow) -> [String; 6] {
    [
        row.key.to_string()[..12].to_owned(),
        row.repo.clone(),
        format!("{}.{}", row.test_class, row.test_name),
        row.focal.clone().unwrap_or_default(),
        row.status.as_str().to_owned(),
        row.weight
            .map_or_else(String::new, |weight| format!("{weight:.2}")),
    ]
}

pub fn show(context: &mut Context<'_, '_>, arguments: &args::Show) -> Result<(), Stop> {
    let store = workspace::open(context)?;
    let key = key(&store, &arguments.key)?;
    let matcher = arguments.matcher.map(matcher);
    let detail = browse::detail(&store, &key, matcher)?.ok_or_else(|| unknown(&arguments.key))?;
    let spoken = review::remarks(&Verdicts::open_or_empty(&workspace::folder(context))?, &key)?;
    if arguments.json {
        let detail = WireDetail {
            people: Some(people::wire_people(&spoken)),
            ..WireDetail::from(&detail)
        };
        exchange::write_pretty(context.streams.out, &detail)?;
        return Ok(());
    }
    let out = &mut context.streams.out;
    out.write_all(text(&detail).as_bytes())?;
    out.write_all(&people::text(&spoken)?)?;
    Ok(())
}

pub fn methods(context: &mut Context<'_, '_>, arguments: &args::Methods) -> Result<(), Stop> {
    let store = workspace::open(context)?;
    let key = key(&store, &arguments.key)?;
    let catalogue = Catalogue::new(browse::declared(&store, &key)?);
    if catalogue.methods().is_empty() {
        let message = "the repository was mined by a version that did not keep its methods";
        return Err(Failure::new(ExitCode::Input, message)
            .with_hint("mine it again")
            .into());
    }
    let sought = MethodQuery::new(&arguments.needle.join(" "));
    let found = catalogue.find(&mut Fuzzy::default(), &sought, None);
    let n_shown = if arguments.limit == 0 {
        found.len()
    } else {
        arguments.limit.min(found.len())
    };
    let shown = found[..n_shown]
        .iter()
        .filter_map(|method_hit| catalogue.methods().get(method_hit.idx as usize));
    context.print(
        TableName::of(arguments.json),
        |out| write_lines(out, shown.clone().map(WireDeclared::from)),
        |_| {
            let mut table = TextTable::of_texts(&["method", "place"]);
            for method in shown.clone() {
                let place = format!("{}:{}", method.path, method.name_line);
                table.row([method.key.clone(), place]);
            }
            [table]
        },
    )?;
    if !arguments.json && n_shown < found.len() {
        let n_found = found.len();
        context.say(&hint::cut_short(n_shown, n_found));
    }
    Ok(())
}

/// Finds the only key that begins with `digits`.
pub fn key(store: &Store, digits: &str) -> Result<SampleKey, Stop> {
    let found = browse::keys_starting_with(store, digits, 2)?;
    match found[..] {
        [key] => Ok(key),
        [] => Err(unknown(digits)),
        _ => Err(Failure::new(
            ExitCode::Usage,
            format!("several samples begin with `{digits}`"),
        )
        .with_hint("give more digits")
        .into()),
    }
}

fn unknown(digits: &str) -> Stop {
    Failure::new(ExitCode::Input, format!("no sample `{}`", visible(digits)))
        .with_hint(hint::LIST_SAMPLES)
        .into()
}

fn text(detail: &SampleDetail) -> String {
    let row = &detail.row;
    let mut text = format!(
        "{}\n{} · {} {} · {}{}\n",
        row.key,
        visible(&row.repo),
        detail.framework,
        detail.kind,
        row.status.as_str(),
        row.stage
            .map_or_else(String::new, |stage| format!(" by {}", stage.as_str())),
    );
    if let Some(unstable) = stability::unstable(detail) {
        text += &format!("{unstable}\n");
    }
    let flags: Vec<&str> = row.flags.iter().map(crate::model::Flag::as_str).collect();
    if !flags.is_empty() {
        text += &format!("{}\n", flags.join(", "));
    }
    text += &snippet("test", &detail.test);
    // What the setup reaches comes with its context.
    for helper in &detail.helpers {
        if !detail.setup_context.contains(helper) {
            text += &snippet("helper", helper);
        }
    }
    for (name, snippets) in [
        ("focal method", detail.focal.as_slice()),
        ("implementation", detail.implementation.as_slice()),
        ("fixture", &detail.fixtures),
        ("setup context", &detail.setup_context),
        ("focal context", &detail.focal_context),
    ] {
        for sample_snippet in snippets {
            text += &snippet(name, sample_snippet);
        }
    }
    text += "\n";
    text += &why::candidates(detail);
    text
}

fn snippet(name: &str, sample_snippet: &Snippet) -> String {
    format!(
        "\n{name}  {}  {}:{}\n{}\n",
        visible(&sample_snippet.key),
        visible(&sample_snippet.path),
        sample_snippet.name_line,
        visible_source(&sample_snippet.text)
    )
}

pub fn stats(context: &mut Context<'_, '_>, arguments: &args::Stats) -> Result<(), Stop> {
    let filter = filter(context, &arguments.filter)?;
    let store = workspace::open(context)?;
    if arguments.resolution {
        return resolution::write(context, &store, &filter, arguments.json);
    }
    let funnel = browse::funnel(&store, &filter)?;
    Ok(context.print(
        TableName::of(arguments.json),
        |out| write_line(out, &WireFunnel::from(&funnel)),
        |_| funnel_tables(&funnel),
    )?)
}

/// Tabulates the counts of ConTest 3.5, each with its share of the tests, and the tests that fell out.
pub fn funnel_tables(funnel: &Funnel) -> Vec<TextTable> {
    let mut table = TextTable::of(&["funnel"], &["n", "of tests"]);
    for (name, n, is_share) in [
        ("repositories", funnel.n_repos, false),
        ("files", funnel.n_files, false),
        ("test classes", funnel.n_test_classes, false),
        ("tests", funnel.n_tests, true),
        ("mapped to a focal method", funnel.n_mapped, true),
        ("with setup and assertion part", funnel.n_split, true),
        (
            "focal calls only in setup",
            funnel.n_focal_only_in_setup,
            true,
        ),
        ("unique", funnel.n_unique, true),
        ("within size", funnel.n_within_size, true),
    ] {
        table.row([
            name.to_owned(),
            n.to_string(),
            if is_share {
                percent(n, funnel.n_tests)
            } else {
                String::new()
            },
        ]);
    }
    let mut dropped = TextTable::of(&["dropped"], &["n", "of tests"]);
    for (status, n) in funnel
        .by_status
        .iter()
        .filter(|by_status| by_status.0 != Status::Ok)
    {
        dropped.row([
            status.as_str().to_owned(),
            n.to_string(),
            percent(*n, funnel.n_tests),
        ]);
    }
    let mut tables = vec![table, dropped];
    if funnel.by_language.len() > 1 {
        let mut languages = TextTable::of(&["language"], &["tests", "mapped", "within size"]);
        for counts in &funnel.by_language {
            languages.row([
                counts.language.as_str().to_owned(),
                counts.n_tests.to_string(),
                counts.n_mapped.to_string(),
                counts.n_within_size.to_string(),
            ]);
        }
        tables.push(languages);
    }
    if !funnel.problems.is_empty() {
        let mut problems = TextTable::of(&["problems"], &["n"]);
        for (reason, n) in &funnel.problems {
            problems.row([reason.as_str().to_owned(), n.to_string()]);
        }
        tables.push(problems);
    }
    tables
}

pub fn repos(context: &mut Context<'_, '_>, arguments: &args::Json) -> Result<(), Stop> {
    let store = workspace::open(context)?;
    let repos = browse::repos(&store)?;
    Ok(context.print(
        TableName::of(arguments.json),
        |out| write_lines(out, repos.iter().map(WireRepoRow::from)),
        |_| [repos_table(&repos)],
    )?)
}

pub fn repos_table(repos: &[RepoRow]) -> TextTable {
    let keys: Vec<RepoKey> = repos.iter().map(|row| row.repo.key()).collect();
    let has_several = RepoKey::have_several_languages(&keys);
    let mut texts = vec!["repository"];
    texts.extend(has_several.then_some("language"));
    texts.extend(["commit", "license"]);
    let counts = ["files", "tests", "mapped", "samples", "problems"];
    let mut table = TextTable::of(&texts, &counts);
    for row in repos {
        let commit = row.repo.commit.clone().unwrap_or_default();
        let dirty = if row.repo.dirty == Some(true) {
            "+"
        } else {
            ""
        };
        let mut cells = vec![row.repo.identity.clone()];
        cells.extend(has_several.then(|| row.repo.language.as_str().to_owned()));
        cells.extend([
            format!("{}{dirty}", commit.chars().take(10).collect::<String>()),
            row.repo.license.clone().unwrap_or_default(),
            row.n_files.to_string(),
            row.n_tests.to_string(),
            row.n_mapped.to_string(),
            row.n_samples.to_string(),
            row.n_problems.to_string(),
        ]);
        table.row(cells);
    }
    table
}

pub fn problems(context: &mut Context<'_, '_>, arguments: &args::Json) -> Result<(), Stop> {
    let store = workspace::open(context)?;
    let problems = browse::problems(&store, usize::MAX)?;
    let n_problems = problems.len();
    for problem in &problems {
        if arguments.json {
            write_line(
                context.streams.out,
                &WireProblem::new(Some(&problem.repo), &problem.problem),
            )?;
        } else {
            let line = format!(
                "{}: {}",
                problem.repo,
                super::mining::describe(&problem.problem)
            );
            writeln!(context.streams.out, "{}", visible(&line))?;
        }
    }
    context.end(n_problems)
}

pub fn overview(context: &mut Context<'_, '_>) -> Result<(), Stop> {
    let text = args::overview(&args::command());
    write!(context.streams.out, "{text}")?;
    Ok(())
}

pub fn keys(context: &mut Context<'_, '_>, arguments: &args::Keys) -> Result<(), Stop> {
    let config = config::load(context);
    config::tell(context, &config);
    if arguments.markdown {
        let table = (context.streams.ui.keys_markdown)(&config);
        write!(context.streams.out, "{table}")?;
        return Ok(());
    }
    for line in (context.streams.ui.keys)(&config) {
        writeln!(context.streams.out, "{line}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Language;
    use crate::print;
    use crate::store::testing::{counter_repo, store_with};

    /// Writes the outputs of `repos`, `stats`, `stats --json` and `stats --resolution --json` about a repository in
    /// each of these languages.
    fn written(languages: &[Language]) -> [String; 4] {
        let repos: Vec<_> = languages
            .iter()
            .map(|language| {
                let mut contents = counter_repo(language.as_str());
                contents.repo.language = *language;
                contents
            })
            .collect();
        let (_folder, store) = store_with(&repos);
        let funnel = browse::funnel(&store, &Filter::default()).expect("counts");
        let resolutions = browse::resolutions(&store, &Filter::default()).expect("counts");
        let [mut rows, mut stats, mut json, mut calls] = [const { Vec::new() }; 4];
        let repos = repos_table(&browse::repos(&store).expect("reads"));
        repos.write(&mut rows).expect("a vector takes all");
        print::tables(&mut stats, TableName::Table, funnel_tables(&funnel))
            .expect("a vector takes all");
        write_line(&mut json, &WireFunnel::from(&funnel)).expect("a vector takes all");
        let wire = exchange::WireResolutions::new(&resolutions[0].counts, &resolutions);
        write_line(&mut calls, &wire).expect("a vector takes all");
        [rows, stats, json, calls].map(|bytes| String::from_utf8(bytes).expect("it is text"))
    }

    #[test]
    fn languages_are_said_where_there_are_several() {
        let java = written(&[Language::Java]);
        assert!(!java.concat().contains("language"), "{java:?}");
        let [repos, stats, json, calls] = written(&[Language::Go, Language::Java]);
        assert!(
            repos.starts_with("repository        language  commit"),
            "{repos}"
        );
        assert!(repos.contains("example.org/go    go "), "{repos}");
        assert!(
            stats.contains("language  tests  mapped  within size\njava          3"),
            "{stats}"
        );
        let of_go = r#"{"language":"go","tests":3,"#;
        assert!(json.contains(of_go), "{json}");
        assert!(
            calls.contains(r#""repo":"example.org/go","language":"go""#),
            "{calls}"
        );
    }
}
