//! The output of `clover eval`: shares by task and budget, the paper's tables, and how models differ.

use std::collections::BTreeSet;

use crate::args::PaperTable;
use crate::exchange::{WireInterval, WireModelDifference, WireShares, WireTaskReport};
use crate::table::{Align, NumberStyle, TextTable};

pub fn budget(tokens: Option<usize>) -> String {
    match tokens {
        None => "PO".to_owned(),
        Some(n) if n % 1_000 == 0 && n > 0 => format!("{}k", n / 1_000),
        Some(n) => n.to_string(),
    }
}

pub fn task(name: &str, form: Option<&String>) -> String {
    let form = form.map(|form| format!(" ({form})"));
    format!("{name}{}", form.unwrap_or_default())
}

/// The columns that name a row's model and repository, where there are any.
struct OwnerColumns {
    has_models: bool,
    has_repos: bool,
}

impl OwnerColumns {
    fn of(reports: &[WireTaskReport]) -> Self {
        Self {
            has_models: reports.iter().any(|report| report.model.is_some()),
            has_repos: reports.iter().any(|report| report.repo.is_some()),
        }
    }

    fn heads(&self) -> Vec<(String, Align)> {
        let named = [("model", self.has_models), ("repository", self.has_repos)];
        let shown = named.into_iter().filter(|(_, is_shown)| *is_shown);
        shown
            .map(|(name, _)| (name.to_owned(), Align::Left))
            .collect()
    }

    fn cells(&self, report: &WireTaskReport) -> Vec<String> {
        let model = report.model.clone().unwrap_or_default();
        let repo = report.repo.clone().unwrap_or_else(|| "all".to_owned());
        let named = [(model, self.has_models), (repo, self.has_repos)];
        let shown = named.into_iter().filter(|(_, is_shown)| *is_shown);
        shown.map(|(name, _)| name).collect()
    }
}

/// Tabulates the shares, a row for each budget.
pub fn shares(reports: &[WireTaskReport], numbers: NumberStyle) -> TextTable {
    let whose = OwnerColumns::of(reports);
    let mut columns = vec![("task".to_owned(), Align::Left)];
    columns.extend(whose.heads());
    for name in ["budget", "n", "answers"] {
        columns.push((name.to_owned(), Align::Right));
    }
    for name in ["EM", "ER", "RER", "execution", "success"] {
        columns.push((numbers.head(name), Align::Right));
    }
    columns.push(("95 % interval of the last".to_owned(), Align::Left));
    let mut table = TextTable::new(&columns);
    for report in reports {
        for shares in &report.budgets {
            let all = [
                shares.em,
                shares.er,
                shares.rer,
                shares.execution,
                shares.success,
            ];
            let last = shares.rer.or(shares.success);
            let mut row = vec![task(&report.task, report.answer.as_ref())];
            row.extend(whose.cells(report));
            row.extend([
                budget(shares.budget),
                shares.n.to_string(),
                shares.n_answers.to_string(),
            ]);
            row.extend(all.map(|share| numbers.share(share.map(|share| share.value))));
            row.push(last.map_or_else(String::new, |share| between(share, numbers)));
            table.row(row);
        }
    }
    table
}

fn between(interval: WireInterval, numbers: NumberStyle) -> String {
    format!(
        "{} to {}",
        numbers.share(Some(interval.low)),
        numbers.share(Some(interval.high))
    )
}

pub fn signed(interval: Option<WireInterval>, numbers: NumberStyle) -> String {
    interval.map_or_else(
        || numbers.none().to_owned(),
        |interval| numbers.signed(interval.value),
    )
}

pub fn signed_range(interval: Option<WireInterval>, numbers: NumberStyle) -> String {
    interval.map_or_else(String::new, |interval| {
        format!(
            "{} to {}",
            numbers.signed(interval.low),
            numbers.signed(interval.high)
        )
    })
}

/// Tabulates how well longer contexts are used.
pub fn deltas(reports: &[WireTaskReport], numbers: NumberStyle) -> TextTable {
    let whose = OwnerColumns::of(reports);
    let mut columns = vec![("task".to_owned(), Align::Left)];
    columns.extend(whose.heads());
    columns.push(("n".to_owned(), Align::Right));
    columns.push((numbers.head("best"), Align::Right));
    for name in ["Δmax", "Δmin"] {
        columns.push((numbers.head(name), Align::Right));
        columns.push(("95 % interval".to_owned(), Align::Left));
    }
    let mut table = TextTable::new(&columns);
    for report in reports {
        let mut row = vec![task(&report.task, report.answer.as_ref())];
        row.extend(whose.cells(report));
        row.extend([
            report.n_common.to_string(),
            numbers.share(Some(report.best)),
            signed(report.delta_max, numbers),
            signed_range(report.delta_max, numbers),
            signed(report.delta_min, numbers),
            signed_range(report.delta_min, numbers),
        ]);
        table.row(row);
    }
    table
}

/// Tabulates how models differ from a baseline.
pub fn differences(found: &[WireModelDifference], numbers: NumberStyle) -> TextTable {
    let columns = [
        ("task".to_owned(), Align::Left),
        ("budget".to_owned(), Align::Right),
        ("model".to_owned(), Align::Left),
        ("n".to_owned(), Align::Right),
        (numbers.head("baseline"), Align::Right),
        (numbers.head("model"), Align::Right),
        (numbers.head("difference"), Align::Right),
        ("95 % interval".to_owned(), Align::Left),
        ("p".to_owned(), Align::Right),
    ];
    let mut table = TextTable::new(&columns);
    for row in found {
        table.row([
            task(&row.task, row.answer.as_ref()),
            budget(row.budget),
            row.model.clone().unwrap_or_default(),
            row.n.to_string(),
            numbers.share(Some(row.baseline_value)),
            numbers.share(Some(row.value)),
            signed(Some(row.difference), numbers),
            signed_range(Some(row.difference), numbers),
            numbers.p(row.p),
        ]);
    }
    table
}

/// The share in a cell of the paper's tables.
#[derive(Clone, Copy, PartialEq)]
enum PaperCell {
    Exact,
    Executed,
    /// RER of clozes.
    Success,
}

/// Columns of one of the paper's tables: a share of one task, alone or under each budget.
struct PaperColumns {
    task: &'static str,
    form: Option<&'static str>,
    cell: PaperCell,
    /// The text before the budget in the head.
    head: &'static str,
    is_alone: bool,
    /// With the best budget, and how longer contexts are used.
    has_deltas: bool,
}

impl PaperColumns {
    const fn of(task: &'static str, form: Option<&'static str>, cell: PaperCell) -> Self {
        Self {
            task,
            form,
            cell,
            head: "",
            is_alone: false,
            has_deltas: false,
        }
    }

    const fn alone(head: &'static str, cell: PaperCell) -> Self {
        Self {
            head,
            is_alone: true,
            ..Self::of("cloze", None, cell)
        }
    }

    const fn headed(self, head: &'static str) -> Self {
        Self { head, ..self }
    }

    const fn with_deltas(self) -> Self {
        Self {
            has_deltas: true,
            ..self
        }
    }

    fn is_of(&self, report: &WireTaskReport) -> bool {
        report.task == self.task && report.answer.as_deref() == self.form
    }

    fn budgets(&self, reports: &[WireTaskReport]) -> Vec<Option<usize>> {
        let own = reports.iter().filter(|report| self.is_of(report));
        let all: BTreeSet<_> = own
            .flat_map(|report| report.budgets.iter().map(|shares| shares.budget))
            .filter(|tokens| tokens.is_none() || !self.is_alone)
            .collect();
        all.into_iter().collect()
    }

    fn value(&self, shares: &WireShares) -> Option<f64> {
        let found = match self.cell {
            PaperCell::Exact => shares.em,
            PaperCell::Executed => shares.er.or(shares.execution),
            PaperCell::Success => shares.rer.or(shares.success),
        };
        found.map(|share| share.value)
    }
}

/// Lists the parts of one of the tables that have a row for each model; nothing of another one.
fn parts(table: PaperTable) -> Vec<PaperColumns> {
    let (full, part) = (Some("full"), Some("part"));
    match table {
        PaperTable::Table3 => vec![
            PaperColumns::alone("EM", PaperCell::Exact),
            PaperColumns::alone("ER", PaperCell::Executed),
            PaperColumns::alone("RER", PaperCell::Success),
        ],
        PaperTable::Table4 => {
            vec![PaperColumns::of("cloze", None, PaperCell::Success).with_deltas()]
        }
        PaperTable::Table5 => vec![
            PaperColumns::of("target", full, PaperCell::Success).with_deltas(),
            PaperColumns::of("block", full, PaperCell::Success).headed("Task III "),
        ],
        PaperTable::Table6 => {
            vec![PaperColumns::of("target", part, PaperCell::Success).with_deltas()]
        }
        PaperTable::Table7 => beside(part),
        PaperTable::Figure3 => beside(full),
        PaperTable::Gap | PaperTable::Ways | PaperTable::Forms | PaperTable::Gibberish => {
            Vec::new()
        }
    }
}

/// Lists the columns on executed blocks beside those on right ones.
fn beside(form: Option<&'static str>) -> Vec<PaperColumns> {
    vec![
        PaperColumns::of("block", form, PaperCell::Success).headed("success "),
        PaperColumns::of("block", form, PaperCell::Executed).headed("execution "),
    ]
}

/// Tells whether one of the tables with a row for each model shows this report.
pub fn has_row(table: PaperTable, report: &WireTaskReport) -> bool {
    parts(table).iter().any(|part| part.is_of(report))
}

/// Builds one of the paper's tables: a row for each model, a column for each budget.
pub fn paper(reports: &[WireTaskReport], table: PaperTable, numbers: NumberStyle) -> TextTable {
    let whose = OwnerColumns {
        has_models: true,
        ..OwnerColumns::of(reports)
    };
    let parts = parts(table);
    let mut columns = whose.heads();
    for part in &parts {
        for tokens in part.budgets(reports) {
            let name = if part.is_alone {
                part.head.to_owned()
            } else {
                format!("{}{}", part.head, budget(tokens))
            };
            columns.push((numbers.head(&name), Align::Right));
        }
        if part.has_deltas {
            columns.push(("longest".to_owned(), Align::Right));
            for name in ["best", "Δmax", "Δmin"] {
                columns.push((numbers.head(name), Align::Right));
            }
        }
    }
    let mut table = TextTable::new(&columns);
    let mut rows: Vec<(Option<&str>, Option<&str>)> = Vec::new();
    for report in reports {
        let row = (report.model.as_deref(), report.repo.as_deref());
        let is_shown = parts.iter().any(|part| part.is_of(report));
        if is_shown && !rows.contains(&row) {
            rows.push(row);
        }
    }
    rows.sort_unstable();
    for row in rows {
        let own: Vec<&WireTaskReport> = reports
            .iter()
            .filter(|report| (report.model.as_deref(), report.repo.as_deref()) == row)
            .collect();
        let mut cells = own
            .first()
            .map(|report| whose.cells(report))
            .unwrap_or_default();
        for part in &parts {
            let report = own.iter().find(|report| part.is_of(report));
            cells.extend(part.budgets(reports).into_iter().map(|tokens| {
                let mut shares = report.iter().flat_map(|report| &report.budgets);
                let shares = shares.find(|shares| shares.budget == tokens);
                numbers.share(shares.and_then(|shares| part.value(shares)))
            }));
            if part.has_deltas {
                let longest = report.and_then(|report| report.budgets.last());
                cells.push(
                    longest.map_or_else(String::new, |wire_shares| budget(wire_shares.budget)),
                );
                cells.push(numbers.share(report.map(|report| report.best)));
                cells.push(signed(report.and_then(|report| report.delta_max), numbers));
                cells.push(signed(report.and_then(|report| report.delta_min), numbers));
            }
        }
        table.row(cells);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(value: f64) -> WireInterval {
        WireInterval {
            value,
            low: value / 2.0,
            high: value,
        }
    }

    fn report(model: &str, task: &str, budgets: &[(Option<usize>, f64)]) -> WireTaskReport {
        let is_cloze = task == "cloze";
        let shares = budgets.iter().map(|(budget, value)| WireShares {
            budget: *budget,
            n: 4,
            n_answers: 4,
            em: is_cloze.then(|| share(*value)),
            er: is_cloze.then(|| share(*value)),
            rer: is_cloze.then(|| share(*value)),
            execution: (!is_cloze).then(|| share(*value)),
            success: (!is_cloze).then(|| share(*value)),
        });
        WireTaskReport {
            model: Some(model.to_owned()),
            repo: None,
            task: task.to_owned(),
            answer: (!is_cloze).then(|| "full".to_owned()),
            budgets: shares.collect(),
            best: 0.5,
            delta_max: None,
            delta_min: None,
            n_common: 4,
        }
    }

    fn text(table: &TextTable) -> String {
        let mut out = Vec::new();
        table.write_csv(&mut out).expect("memory can be written");
        String::from_utf8(out).expect("it is text")
    }

    #[test]
    fn budgets_are_told_in_thousands() {
        assert_eq!(budget(None), "PO");
        assert_eq!(budget(Some(16_000)), "16k");
        assert_eq!(budget(Some(850)), "850");
    }

    #[test]
    fn tasks_without_the_problem_alone_have_no_differences() {
        let reports = [report("m", "block", &[(Some(64_000), 0.5)])];
        let mut out = Vec::new();
        deltas(&reports, NumberStyle::People)
            .write(&mut out)
            .expect("memory can be written");
        let text = String::from_utf8(out).expect("it is text");
        assert!(
            text.contains("block (full)") && text.contains('–'),
            "{text}"
        );
    }

    #[test]
    fn the_papers_tables_have_a_row_for_each_model() {
        let reports = [
            report("one", "cloze", &[(None, 0.5), (Some(4_000), 0.25)]),
            report("two", "cloze", &[(None, 0.75)]),
            report("one", "target", &[(Some(8_000), 0.5)]),
            report("one", "block", &[(Some(64_000), 0.125)]),
        ];
        let table = |table| text(&paper(&reports, table, NumberStyle::Machine));
        assert_eq!(
            table(PaperTable::Table3),
            "model,EM,ER,RER\none,0.5,0.5,0.5\ntwo,0.75,0.75,0.75\n"
        );
        assert_eq!(
            table(PaperTable::Table4),
            "model,PO,4k,longest,best,Δmax,Δmin\none,0.5,0.25,4k,0.5,,\ntwo,0.75,,PO,0.5,,\n"
        );
        assert_eq!(
            table(PaperTable::Table5),
            "model,8k,longest,best,Δmax,Δmin,Task III 64k\none,0.5,8k,0.5,,,0.125\n"
        );
        assert_eq!(
            table(PaperTable::Figure3),
            "model,success 64k,execution 64k\none,0.125,0.125\n"
        );
    }
}
