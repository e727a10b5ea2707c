//! The outcomes of predictions, and the costs of asking for them.

use std::collections::BTreeSet;

use crate::eval::executed::{AtK, RunOutcomes, executed};
use crate::eval::usage::{Usage, usage};
use crate::model::{BlockedReason, Confirmation, Outcome, grouped, number};

use super::html::{HtmlCell, HtmlSection, HtmlTable, paragraph};
use super::scores::by_run;
use super::{ReportError, ReportGround};

/// Writes the part about outcomes; nothing where no run was executed.
pub(super) fn outcomes(ground: ReportGround<'_>) -> Result<Option<HtmlSection>, ReportError> {
    let mut all = Vec::new();
    for run in ground.runs {
        all.push(executed(ground.store, ground.monitor, run)?);
    }
    if all.iter().all(Option::is_none) {
        return Ok(None);
    }
    let mut body = settings(ground, &all).html();
    let mut table = by_run("How far unique candidates come", ground.runs);
    steps(&all, &mut table);
    coverage(&all, &mut table);
    faults(&all, &mut table);
    stability(&all, &mut table);
    brittle(&all, &mut table);
    attempts(&all, &mut table);
    body.push_str(&table.html());
    body.push_str(&paragraph(
        "Shares are in percent of unique candidates with an outcome; blocked candidates and those that were not run \
         are in none of them. Coverage is that of the focal methods' lines and branches by candidates that pass: micro \
         over all lines, macro over methods.",
    ));
    Ok(Some(HtmlSection {
        id: "outcomes",
        title: "Outcomes",
        body,
    }))
}

fn settings(ground: ReportGround<'_>, all: &[Option<RunOutcomes>]) -> HtmlTable {
    let mut table = HtmlTable::new("How runs were executed")
        .words(&["run", "engine", "version", "options", "sandbox"]);
    for (run, executed) in ground.runs.iter().zip(all) {
        let name = HtmlCell::text(&run.setting.name);
        match executed.as_ref().map(|run_outcomes| &run_outcomes.setting) {
            Some(setting) => table.row([
                name,
                HtmlCell::text(&setting.engine),
                HtmlCell::text(&setting.version),
                HtmlCell::text(&setting.options),
                HtmlCell::text(&setting.sandbox),
            ]),
            None => table.row([name, HtmlCell::text("not executed")]),
        }
    }
    table
}

/// Adds a row with `cell` of each executed run; others have an empty one.
fn add(
    all: &[Option<RunOutcomes>],
    table: &mut HtmlTable,
    name: &str,
    cell: impl Fn(&RunOutcomes) -> HtmlCell,
) {
    let cells = all
        .iter()
        .map(|run_outcomes| run_outcomes.as_ref().map_or_else(HtmlCell::none, &cell));
    table.row(std::iter::once(HtmlCell::text(name)).chain(cells));
}

fn steps(all: &[Option<RunOutcomes>], table: &mut HtmlTable) {
    let n_of = |n: u64| HtmlCell::from(grouped(n));
    add(all, table, "candidates", |run_outcomes| {
        n_of(run_outcomes.funnel.n_candidates)
    });
    add(all, table, "blocked", |run_outcomes| {
        n_of(run_outcomes.funnel.n_blocked())
    });
    add(all, table, "not run", |run_outcomes| {
        n_of(run_outcomes.n_not_run)
    });
    let (mut names, mut beside) = (Vec::new(), Vec::new());
    if let Some(first) = all.iter().flatten().next() {
        names.extend(first.funnel.steps().map(|step| step.0));
        beside.extend(first.funnel.beside().map(|pair| pair.0));
    }
    for (idx, name) in names.iter().enumerate() {
        add(all, table, name, |run_outcomes| {
            let n = run_outcomes.funnel.steps()[idx].1;
            counted(n, run_outcomes.funnel.share(n).filter(|_| idx > 0))
        });
    }
    for (idx, name) in beside.iter().enumerate() {
        add(all, table, name, |run_outcomes| {
            let n = run_outcomes.funnel.beside()[idx].1;
            counted(n, run_outcomes.funnel.share(n))
        });
    }
    add(
        all,
        table,
        "samples whose first answer is correct",
        |run_outcomes| HtmlCell::mean(run_outcomes.correct),
    );
    let any = |of: &dyn Fn(&RunOutcomes) -> u64| {
        all.iter()
            .flatten()
            .any(|run_outcomes| of(run_outcomes) > 0)
    };
    for (idx, outcome) in Outcome::ALL.iter().enumerate() {
        if any(&|run_outcomes| run_outcomes.funnel.by_outcome[idx]) {
            let name = format!("outcome: {}", outcome.as_str());
            add(all, table, &name, |run_outcomes| {
                n_of(run_outcomes.funnel.by_outcome[idx])
            });
        }
    }
    for (idx, blocked) in BlockedReason::ALL.iter().enumerate() {
        if any(&|run_outcomes| run_outcomes.funnel.by_blocked[idx]) {
            let name = format!("blocked: {}", blocked.as_str());
            add(all, table, &name, |run_outcomes| {
                n_of(run_outcomes.funnel.by_blocked[idx])
            });
        }
    }
    for (idx, confirmed) in Confirmation::ALL.iter().enumerate() {
        if any(&|run_outcomes| run_outcomes.funnel.by_confirmed[idx]) {
            let name = format!("second look: {}", confirmed.as_str());
            add(all, table, &name, |run_outcomes| {
                n_of(run_outcomes.funnel.by_confirmed[idx])
            });
        }
    }
}

fn counted(n: u64, share: Option<f64>) -> HtmlCell {
    let mut cell = HtmlCell::from(grouped(n));
    if let Some(share) = share {
        let share = super::html::hundred(share);
        cell.0
            .push_str(&format!(" <span class=ci>{share} %</span>"));
    }
    cell
}

fn coverage(all: &[Option<RunOutcomes>], table: &mut HtmlTable) {
    type RunNumber = fn(&RunOutcomes) -> Option<f64>;
    let shares: [(&str, RunNumber); 4] = [
        ("lines covered, micro", |run_outcomes| {
            run_outcomes.all.micro_lines
        }),
        ("lines covered, macro", |run_outcomes| {
            run_outcomes.all.macro_lines
        }),
        ("branches covered, micro", |run_outcomes| {
            run_outcomes.all.micro_branches
        }),
        ("branches covered, macro", |run_outcomes| {
            run_outcomes.all.macro_branches
        }),
    ];
    for (name, of) in shares {
        if all
            .iter()
            .flatten()
            .any(|run_outcomes| of(run_outcomes).is_some())
        {
            add(all, table, name, |run_outcomes| {
                HtmlCell::share(of(run_outcomes))
            });
        }
    }
}

fn faults(all: &[Option<RunOutcomes>], table: &mut HtmlTable) {
    if all
        .iter()
        .flatten()
        .all(|run_outcomes| run_outcomes.faults.is_none())
    {
        return;
    }
    let of = |run_outcomes: &RunOutcomes| run_outcomes.faults.unwrap_or_default();
    add(all, table, "mutation score", |run_outcomes| {
        HtmlCell::share(of(run_outcomes).score())
    });
    add(all, table, "test strength", |run_outcomes| {
        HtmlCell::share(of(run_outcomes).strength())
    });
    add(
        all,
        table,
        "viable pairs of test and fault",
        |run_outcomes| grouped(of(run_outcomes).n_viable).into(),
    );
    add(all, table, "unstable pairs", |run_outcomes| {
        grouped(of(run_outcomes).n_unstable).into()
    });
}

fn stability(all: &[Option<RunOutcomes>], table: &mut HtmlTable) {
    if all
        .iter()
        .flatten()
        .all(|run_outcomes| run_outcomes.stability.is_none())
    {
        return;
    }
    add(
        all,
        table,
        "unstable tests of those shaken",
        |run_outcomes| {
            let counts = run_outcomes.stability.as_ref();
            counts.map_or_else(HtmlCell::none, |count| {
                let (n, all) = (grouped(count.n_unstable()), grouped(count.n_shaken));
                format!("{n} of {all}").into()
            })
        },
    );
}

fn brittle(all: &[Option<RunOutcomes>], table: &mut HtmlTable) {
    if all
        .iter()
        .flatten()
        .all(|run_outcomes| run_outcomes.brittle.is_none())
    {
        return;
    }
    let name = "tests that object to code that keeps the contract";
    add(all, table, name, |run_outcomes| {
        let counts = run_outcomes.brittle.as_ref();
        counts.map_or_else(HtmlCell::none, |count| {
            let (n, all) = (grouped(count.n_brittle), grouped(count.n_tests));
            format!("{n} of {all}").into()
        })
    });
}

/// A value with its interval.
type ValueInterval = (f64, Option<(f64, f64)>);

fn attempts(all: &[Option<RunOutcomes>], table: &mut HtmlTable) {
    let ks: BTreeSet<u64> = all
        .iter()
        .flatten()
        .flat_map(|run_outcomes| run_outcomes.at_k.iter().map(|at| at.k))
        .collect();
    if ks.len() < 2 {
        return;
    }
    for k in ks {
        let at =
            |run_outcomes: &RunOutcomes| run_outcomes.at_k.iter().find(|at| at.k == k).copied();
        let cell = |at_k: Option<AtK>, of: fn(&AtK) -> ValueInterval| {
            at_k.map_or_else(HtmlCell::none, |at_k| {
                let (value, interval) = of(&at_k);
                HtmlCell::bounded(value, interval)
            })
        };
        add(all, table, &format!("pass@{k}"), |run_outcomes| {
            cell(at(run_outcomes), |at| (at.pass, at.pass_interval()))
        });
        add(all, table, &format!("correct@{k}"), |run_outcomes| {
            cell(at(run_outcomes), |at| (at.correct, at.correct_interval()))
        });
    }
}

/// Writes the part about tokens, time and cost; nothing where no run was asked for here.
pub(super) fn cost(ground: ReportGround<'_>) -> Result<Option<HtmlSection>, ReportError> {
    let mut table = HtmlTable::new("What the answers took")
        .words(&["run", "model"])
        .numbers(&[
            "answers",
            "requests",
            "tokens in",
            "tokens out",
            "median latency, s",
            "95 % below, s",
            "cost",
        ]);
    for run in ground.runs {
        let name = &run.setting.name;
        let Some(usage) = usage(ground.store, name)? else {
            continue;
        };
        let cost = ground
            .options
            .prices
            .get(name)
            .map(|price| usage.cost(*price));
        let model = run.setting.model.as_deref();
        let mut cells = vec![
            HtmlCell::text(name),
            model.map_or_else(HtmlCell::none, HtmlCell::text),
        ];
        cells.extend(spent(&usage, cost));
        table.row(cells);
    }
    Ok((!table.is_empty()).then(|| HtmlSection {
        id: "cost",
        title: "Cost and tokens",
        body: table.html()
            + &paragraph("Of all answers of a run, whatever the filter. ≥ where some requests do not say how many tokens they took; cost at the prices that were set, in their currency."),
    }))
}

fn spent(usage: &Usage, cost: Option<f64>) -> [HtmlCell; 7] {
    let is_known = usage.n_without_tokens < usage.n_requests;
    let least = if usage.n_without_tokens > 0 {
        "≥ "
    } else {
        ""
    };
    let tokens = |n: u64| {
        if is_known {
            HtmlCell::from(format!("{least}{}", grouped(n)))
        } else {
            HtmlCell::none()
        }
    };
    let seconds =
        |ms: Option<f64>| ms.map_or_else(HtmlCell::none, |ms| number(ms / 1_000.0, 2).into());
    let cost = cost.filter(|_| is_known);
    [
        grouped(usage.n_answers).into(),
        grouped(usage.n_requests).into(),
        tokens(usage.n_tokens_in),
        tokens(usage.n_tokens_out),
        seconds(usage.latency_median_ms),
        seconds(usage.latency_p95_ms),
        cost.map_or_else(HtmlCell::none, |cost| format!("{least}{cost:.4}").into()),
    ]
}
