//! What became of runs when they were executed: columns of tables, and JSON.

use crate::args::TableName;
use crate::eval::executed::{AtK, Executed, executed, parsed};
use crate::exchange::WireParseAtK;
use crate::exchange::outcomes::{WireAtK, WireRunExecuted, languages_of};
use crate::failure::Stop;
use crate::model::{CoverScope, FocalShares, LanguageFunnel, RunRow};
use crate::store::Store;
use crate::table::{Align, Numbers, Table};
use crate::task::Monitor;

/// Returns what became of each run, in their order.
pub fn of_runs(store: &Store, runs: &[RunRow]) -> Result<Vec<Option<Executed>>, Stop> {
    let monitor = Monitor::default();
    let found = runs.iter().map(|run| executed(store, &monitor, run));
    Ok(found.collect::<Result<_, _>>()?)
}

/// Returns how far each run came in each language of its samples, also one that nobody has executed.
pub fn languages_of_runs(store: &Store, runs: &[RunRow]) -> Result<Vec<Vec<LanguageFunnel>>, Stop> {
    let of_run = |run: &RunRow| -> Result<Vec<LanguageFunnel>, Stop> {
        let setting = store.execution_setting(run.id)?;
        let engine = setting.map_or_else(String::new, |it| it.engine);
        Ok(store.language_funnels(run.id, &engine)?)
    };
    runs.iter().map(of_run).collect()
}

/// Returns the table of how far candidates came in each language.
pub fn languages_table(all: &[LanguageFunnel]) -> Table {
    let mut columns = vec![("language", Align::Left), ("engine", Align::Left)];
    columns.extend(LANGUAGE_COUNTS.map(|it| (it, Align::Right)));
    let mut table = Table::new(&columns);
    for it in all {
        let mut cells = vec![it.word().to_owned(), it.engine.clone()];
        cells.extend(language_counts(it).map(|n| n.to_string()));
        table.row(cells);
    }
    table
}

/// The counts that stand in every table by language.
pub const LANGUAGE_COUNTS: [&str; 6] = [
    "samples",
    "predictions",
    "unique",
    "blocked",
    "not run",
    "correct",
];

/// Returns the numbers of [`LANGUAGE_COUNTS`].
pub fn language_counts(it: &LanguageFunnel) -> [u64; LANGUAGE_COUNTS.len()] {
    [
        it.n_samples,
        it.n_predictions,
        it.funnel.n_unique,
        it.funnel.n_blocked(),
        it.n_not_run(),
        it.funnel.n_correct,
    ]
}

/// Returns how many attempts of each run parse, taken together; nothing for runs with one attempt.
pub fn parsed_of_runs(store: &Store, runs: &[RunRow]) -> Result<Vec<Vec<AtK>>, Stop> {
    let monitor = Monitor::default();
    let found = runs.iter().map(|run| parsed(store, &monitor, run));
    Ok(found.collect::<Result<_, _>>()?)
}

/// The columns that tables have for [`parsed_of_runs`]: one attempt, and as many as there are.
pub fn parsed_columns(all: &[Vec<AtK>], format: TableName) -> Vec<(String, Align)> {
    let numbers = Numbers::of(format);
    let names = parsed_ks(all).into_iter().map(|k| {
        let name = numbers.head(&format!("parse@{k}"));
        (name, Align::Right)
    });
    names.collect()
}

fn parsed_ks(all: &[Vec<AtK>]) -> Vec<u64> {
    let most = all.iter().filter_map(|it| it.last()).map(|it| it.k).max();
    most.filter(|it| *it > 1)
        .map_or_else(Vec::new, |most| vec![1, most])
}

/// Returns the cells of [`parsed_columns`] for a run.
pub fn parsed_cells(all: &[Vec<AtK>], of: &[AtK], format: TableName) -> Vec<String> {
    let numbers = Numbers::of(format);
    let cells = parsed_ks(all).into_iter().map(|k| {
        let at = of.iter().find(|it| it.k == k);
        numbers.share(at.map(|it| it.parse))
    });
    cells.collect()
}

pub fn wire_parsed(all: &[AtK]) -> Vec<WireParseAtK> {
    let all = all.iter().map(|it| WireParseAtK {
        k: it.k,
        n_samples: it.n_samples,
        parse: it.parse,
    });
    all.collect()
}

/// The columns that tables have where a run was executed: the five steps, with what has no outcome beside the first of them,
/// and what stands beside all, the four shares,
/// attempts taken together where there are several, and what repaired the answers.
pub fn columns(all: &[Option<Executed>], format: TableName) -> Vec<(String, Align)> {
    if all.iter().all(Option::is_none) {
        return Vec::new();
    }
    let numbers = Numbers::of(format);
    let mut names = ["Unique", "Blocked", "Not run"].map(str::to_owned).to_vec();
    names.extend(
        [
            "Parsable",
            "Compilable",
            "Executable",
            "Correct",
            "No assertion",
            "Correct (Tests4J)",
            "MiLC",
            "MaLC",
            "MiBC",
            "MaBC",
        ]
        .map(|it| numbers.head(it)),
    );
    names.extend(ks(all).map(|k| numbers.head(&format!("pass@{k}"))));
    if tells_confirmed(all) {
        names.extend(["Confirmed", "Drawn"].map(str::to_owned));
    }
    names.push("Repair".to_owned());
    names.into_iter().map(|it| (it, Align::Right)).collect()
}

/// Returns whether tables say how many candidates a second look has confirmed, of how many: where there was one, and beside
/// attempts taken together, as nobody shall take them for confirmed.
fn tells_confirmed(all: &[Option<Executed>]) -> bool {
    let is_drawn = |it: &Executed| it.funnel.n_drawn() > 0;
    all.iter().flatten().any(is_drawn) || ks(all).next().is_some()
}

/// Returns the numbers of attempts that tables show: one, and as many as there are.
fn ks(all: &[Option<Executed>]) -> impl Iterator<Item = u64> {
    let most = all
        .iter()
        .flatten()
        .filter_map(|it| it.at_k.last())
        .map(|it| it.k)
        .max();
    let most = most.filter(|it| *it > 1);
    most.map(|_| 1).into_iter().chain(most)
}

/// Returns the cells of [`columns`] for a run; empty ones where it has none.
pub fn cells(
    all: &[Option<Executed>],
    of: Option<&Executed>,
    scope: CoverScope,
    format: TableName,
) -> Vec<String> {
    let numbers = Numbers::of(format);
    let n_columns = columns(all, format).len();
    let Some(it) = of else {
        return vec![String::new(); n_columns];
    };
    let funnel = &it.funnel;
    let counts = [funnel.n_unique, funnel.n_blocked(), it.n_not_run];
    let mut cells = counts.map(|n| n.to_string()).to_vec();
    cells.extend(
        funnel.steps()[1..]
            .iter()
            .map(|it| numbers.share(funnel.share(it.1))),
    );
    cells.extend(
        funnel
            .beside()
            .iter()
            .map(|it| numbers.share(funnel.share(it.1))),
    );
    cells.extend(shares(it, scope).map(|it| numbers.share(it)));
    cells.extend(ks(all).map(|k| {
        let at = it.at_k.iter().find(|it| it.k == k);
        numbers.share(at.map(|it| it.pass))
    }));
    if tells_confirmed(all) {
        cells.extend([funnel.n_confirmed(), funnel.n_drawn()].map(|it| it.to_string()));
    }
    let repairs: Vec<&str> = it.repairs().iter().map(|it| it.0).collect();
    cells.push(repairs.join("+"));
    cells
}

/// Returns the four shares: lines summed up and as a mean, branches likewise.
pub fn shares(executed: &Executed, scope: CoverScope) -> [Option<f64>; 4] {
    let FocalShares {
        micro_lines,
        macro_lines,
        micro_branches,
        macro_branches,
        ..
    } = executed.in_scope(scope);
    [micro_lines, macro_lines, micro_branches, macro_branches]
}

pub fn wire(it: &Executed) -> WireRunExecuted {
    let at_k = it.at_k.iter().map(|it: &AtK| WireAtK {
        k: it.k,
        n_samples: it.n_samples,
        parse: it.parse,
        compile: it.compile,
        pass: it.pass,
        correct: it.correct,
    });
    WireRunExecuted {
        engine: it.setting.engine.clone(),
        sandbox: it.setting.sandbox.clone(),
        version: it.setting.version.clone(),
        options: it.setting.options.clone(),
        executed_at: it.setting.executed_at,
        made: it.made.iter().cloned().collect(),
        not_run: it.n_not_run,
        funnel: (&it.funnel).into(),
        by_language: languages_of(&[]),
        all: (&it.all).into(),
        own: (&it.own).into(),
        at_k: at_k.collect(),
    }
}
