//! How Consistency is drawn.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::consistency::run::Outline;
use crate::diff::{self, RowKind, Side};
use crate::screen::consistency::questions::{Item, List};
use crate::screen::consistency::{Consistency, View, word};
use crate::screen::{Look, Remote};
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::{Pane, count, counted, cut, fit, inside, pieces};

/// A line below, with how it is shown.
type Line = (String, Role);

impl Consistency {
    pub fn draw(&self, buffer: &mut Buffer, look: Look<'_>) {
        let [list, matrix, left, right] = self.areas;
        let run = self.run.as_deref().map_or_else(String::new, visible);
        let title = if run.is_empty() {
            "functions".to_owned()
        } else {
            format!("{run} · {}", counted(self.n_seeds() as u64, "function"))
        };
        let note = self.list.ready().filter(|it| it.runs.len() > 1);
        let note = note.map_or_else(String::new, |it| {
            format!("run {}/{}", it.at + 1, it.runs.len())
        });
        pane(&title, &note, true).draw(list, buffer, look.theme);
        self.draw_list(inside(list), buffer, look);
        let note = self.item.as_ref().map_or_else(String::new, |it| {
            let median = it.judged.matrix.median();
            median.map_or_else(String::new, |it| format!("median {it}"))
        });
        pane("similarity in %", &note, false).draw(matrix, buffer, look.theme);
        let Some(item) = &self.item else {
            pane("completions", "", false).draw(left, buffer, look.theme);
            pane("completions", "", false).draw(right, buffer, look.theme);
            return;
        };
        self.draw_matrix(item, inside(matrix), buffer, look);
        match self.view {
            View::Completions => self.draw_completions(item, [left, right], buffer, look),
            View::Difference => {
                let both = left.union(right);
                let name = word(self.pass(item));
                let title = format!("{} · the function and {name}", visible(&item.seed.function));
                pane(&title, &self.place(), false).draw(both, buffer, look.theme);
                self.draw_lines(&difference(item, name), inside(both), buffer, look);
            }
        }
    }

    fn pass(&self, item: &Item) -> Option<crate::mutate::Pass> {
        item.judged.passes.get(self.variant).copied().flatten()
    }

    /// Returns where the texts are scrolled to.
    fn place(&self) -> String {
        if self.top == 0 {
            String::new()
        } else {
            format!("from line {}", self.top + 1)
        }
    }

    /// Returns how many lines the longest text below has.
    pub fn n_lines(&self) -> usize {
        let Some(item) = &self.item else {
            return 0;
        };
        match self.view {
            View::Completions => {
                let texts = item.judged.texts.iter().map(|it| it.lines().count());
                texts.max().unwrap_or(0)
            }
            View::Difference => difference(item, word(self.pass(item))).len(),
        }
    }

    fn draw_list(&self, area: Rect, buffer: &mut Buffer, look: Look<'_>) {
        let (text, role) = match &self.list {
            Remote::Waiting => ("reading the index …", Role::Dim),
            Remote::Failed(text) => (text.as_str(), Role::Error),
            Remote::NoIndex => ("there is no index here yet", Role::Warning),
            Remote::Ready(List { runs, .. }) if runs.is_empty() => (
                "no completions yet: focalist consistency SEEDS --from FILE --run NAME",
                Role::Warning,
            ),
            Remote::Ready(list) => {
                self.draw_seeds(&list.seeds, area, buffer, look);
                return;
            }
        };
        let row = Rect::new(area.x + 1, area.y, area.width.saturating_sub(1), 1);
        pieces(row, &[(text, role)], buffer, look.theme);
    }

    fn draw_seeds(&self, seeds: &[Outline], area: Rect, buffer: &mut Buffer, look: Look<'_>) {
        let width = usize::from(area.width);
        let line = |name: &str, numbers: [String; 3], taken: &str| {
            let [k, n_outliers, spread] = numbers;
            let taken = if width >= 46 {
                format!(" {}", fit(taken, 6))
            } else {
                String::new()
            };
            let rest = format!("{k:>3}{n_outliers:>4}{spread:>7}{taken}");
            let room = width.saturating_sub(rest.chars().count() + 2);
            format!(" {} {rest}", fit(name, room))
        };
        let head = line(
            "function",
            ["k", "out", "spread"].map(str::to_owned),
            "taken",
        );
        let row = Rect::new(area.x, area.y, area.width, 1.min(area.height));
        pieces(row, &[(&head, Role::Dim)], buffer, look.theme);
        let shown = seeds.iter().enumerate().skip(self.list_top());
        for ((idx, seed), y) in shown.zip(area.y + 1..area.bottom()) {
            let spread = seed.spread;
            let spread = spread.map_or_else(|| "–".to_owned(), |it| format!("{:.0} %", it * 100.0));
            let name = if seed.function.is_empty() {
                &seed.name
            } else {
                &seed.function
            };
            let text = line(
                &visible(name),
                [seed.k.to_string(), count(seed.n_outliers as u64), spread],
                seed.repaired.map_or("–", word),
            );
            let row = Rect::new(area.x, y, area.width, 1);
            let role = if seed.n_outliers > 0 {
                Role::Warning
            } else {
                Role::Text
            };
            pieces(row, &[(&text, role)], buffer, look.theme);
            if idx == self.cursor {
                buffer.set_style(row, look.theme.style(Role::Selected));
                buffer.set_string(row.x, row.y, "▌", look.theme.style(Role::Focus));
            }
        }
    }

    /// Draws the similarities: a number each, darker the less alike, so that they can be read without colours, too.
    fn draw_matrix(&self, item: &Item, area: Rect, buffer: &mut Buffer, look: Look<'_>) {
        let judged = &item.judged;
        if judged.passes.is_empty() {
            let row = Rect::new(area.x + 1, area.y, area.width.saturating_sub(1), 1);
            let text = "nothing came back for this function";
            pieces(row, &[(text, Role::Dim)], buffer, look.theme);
            return;
        }
        let median = judged.matrix.median().unwrap_or(0.0);
        let is_outlier = judged.outliers_at(self.options.rule, self.options.threshold);
        let counts = judged.matrix.counts(self.options.rule);
        let n = judged.passes.len();
        let has_counts = usize::from(area.width) >= 11 + 4 * n + 4;
        let mut head = " ".repeat(7);
        for it in &judged.passes {
            head.push_str(&format!("{:>4}", short(word(*it))));
        }
        if has_counts {
            head.push_str(" far");
        }
        let row = Rect::new(area.x, area.y, area.width, 1.min(area.height));
        pieces(row, &[(&head, Role::Dim)], buffer, look.theme);
        for (i, y) in (0..n).zip(area.y + 1..area.bottom()) {
            let row = Rect::new(area.x, y, area.width, 1);
            let name = format!(" {}", fit(word(judged.passes[i]), 6));
            let mut cells = vec![(name, Role::Text)];
            for j in 0..n {
                let value = judged.matrix.at(i, j);
                let role = match f64::from(value) {
                    _ if i == j => Role::Dim,
                    it if it < median - 20.0 => Role::Error,
                    it if it < median => Role::Warning,
                    _ => Role::Good,
                };
                let text = if i == j {
                    "   ·".to_owned()
                } else {
                    format!("{value:>4}")
                };
                cells.push((text, role));
            }
            if has_counts {
                cells.push((format!("{:>4}", counts[i]), Role::Dim));
            }
            if judged.repaired == Some(i) {
                cells.push((" ✓".to_owned(), Role::Good));
            }
            if is_outlier[i] {
                cells.push((" ✗".to_owned(), Role::Error));
            }
            let cells: Vec<(&str, Role)> = cells.iter().map(|it| (it.0.as_str(), it.1)).collect();
            pieces(row, &cells, buffer, look.theme);
            if i == self.variant {
                let name = Rect {
                    width: 7.min(area.width),
                    ..row
                };
                buffer.set_style(name, look.theme.style(Role::Selected));
                buffer.set_string(row.x, row.y, "▌", look.theme.style(Role::Focus));
            }
        }
    }

    fn draw_completions(
        &self,
        item: &Item,
        [left, right]: [Rect; 2],
        buffer: &mut Buffer,
        look: Look<'_>,
    ) {
        let judged = &item.judged;
        // What is taken, against the one that is looked at; that one against the function's own.
        let other = match judged.repaired {
            Some(it) if it != self.variant => Some(it),
            _ => judged.own().filter(|it| *it != self.variant),
        };
        let shown = [(left, other), (right, Some(self.variant))];
        for (area, idx) in shown {
            let idx = idx.filter(|it| *it < judged.passes.len());
            let none = || ("completions".to_owned(), String::new());
            let (title, note) = idx.map_or_else(none, |it| self.told(item, it));
            pane(&title, &note, false).draw(area, buffer, look.theme);
            let text = idx.map_or("", |it| judged.texts[it].as_str());
            let lines: Vec<Line> = text.lines().map(|it| (visible(it), Role::Text)).collect();
            self.draw_lines(&lines, inside(area), buffer, look);
        }
    }

    /// Returns title and note of a completion.
    fn told(&self, item: &Item, idx: usize) -> (String, String) {
        let judged = &item.judged;
        let mut title = word(judged.passes[idx]).to_owned();
        if judged.repaired == Some(idx) {
            title.push_str(" ✓ taken");
        }
        if judged.outliers_at(self.options.rule, self.options.threshold)[idx] {
            title.push_str(" ✗ outlier");
        }
        let note = judged.scores.as_ref().map_or_else(String::new, |it| {
            let [bleu, edit] = it[idx].map(|it| it * 100.0);
            format!("BLEU sentence {bleu:.0} · edit {edit:.0}")
        });
        (title, note)
    }

    fn draw_lines(&self, lines: &[Line], area: Rect, buffer: &mut Buffer, look: Look<'_>) {
        let shown = lines.iter().skip(self.top);
        for ((text, role), y) in shown.zip(area.y..area.bottom()) {
            let row = Rect::new(area.x, y, area.width, 1);
            let text = cut(text, usize::from(area.width));
            pieces(row, &[(&text, *role)], buffer, look.theme);
            if matches!(role, Role::Added | Role::Removed) {
                buffer.set_style(row, look.theme.style(*role));
            }
        }
    }
}

const fn pane<'a>(title: &'a str, note: &'a str, has_focus: bool) -> Pane<'a> {
    Pane {
        title,
        note,
        has_focus,
    }
}

/// Returns a pass in three letters: `RPR` for `REP_R`, `RLR` for `REL_R`.
fn short(word: &str) -> String {
    match word.split_once('_') {
        Some((pass, way)) => format!("{}{}{way}", &pass[..1], &pass[pass.len() - 1..]),
        None => word.to_owned(),
    }
}

/// Returns the function and a variant as a difference, with the cut between the halves.
fn difference(item: &Item, name: &str) -> Vec<Line> {
    let seed = &item.seed;
    let variant = seed.variants.iter().find(|it| it.pass == name);
    let new = variant.map_or(seed.source.as_str(), |it| it.source.as_str());
    let cut_at = variant.or(seed.variants.first()).and_then(|it| it.cut);
    let rows = diff::lines(&seed.source, new);
    let (old_lines, new_lines) = (diff::split(&seed.source), diff::split(new));
    let text = |lines: &[&str], at: Option<u32>| {
        let line = at.and_then(|it| lines.get(it as usize)).copied();
        visible(line.unwrap_or_default().trim_end_matches(['\n', '\r']))
    };
    let mut shown = Vec::new();
    let mut is_cut = false;
    for (side, idx) in diff::unified(&rows) {
        let row = &rows[idx];
        if !is_cut && row.kind != RowKind::Added && cut_at.is_some_and(|it| row.old == Some(it.0)) {
            shown.push(("─ the second half ─".to_owned(), Role::Dim));
            is_cut = true;
        }
        let (text, role) = match side {
            Side::Both => (text(&old_lines, row.old), Role::Text),
            Side::Old => (text(&old_lines, row.old), Role::Removed),
            Side::New => (text(&new_lines, row.new), Role::Added),
        };
        shown.push((format!("{} {text}", side.sign()), role));
    }
    shown
}
