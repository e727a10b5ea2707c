//! The drawing of Consistency.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use crate::consistency::run::FunctionOutline;
use crate::screen::consistency::questions::{ConsistencyFunction, ConsistencyList};
use crate::screen::consistency::{Consistency, ConsistencyView, about, other_of, word};
use crate::screen::{AnswerState, DrawContext};
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::{Pane, count, counted, cut, first_fitting, fit, inside, pieces};
use crate::widget::overlay;

/// The columns of a variant's description.
pub const WORDS_WIDTH: u16 = 46;
/// The columns before the numbers of the matrix.
const NAMES_WIDTH: usize = 10;
/// A list of at least this width has whole words in its head.
const WORDED: usize = 60;
/// A narrower list has no number except that of outliers, so that names can be told apart.
const NUMBERED: usize = 28;

impl Consistency {
    pub fn draw(&self, body: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        if let Some(nothing) = self.nothing() {
            overlay::draw_message(body, ("consistency", ""), &[nothing], buffer, context.theme);
            return;
        }
        let [list, matrix, texts] = self.areas;
        let run = self.run.as_deref().map_or_else(String::new, visible);
        let note = self
            .list
            .ready()
            .filter(|consistency_list| consistency_list.runs.len() > 1);
        let note = note.map_or_else(String::new, |consistency_list| {
            format!(
                "run {}/{}",
                consistency_list.at + 1,
                consistency_list.runs.len()
            )
        });
        let title = if run.is_empty() {
            "functions".to_owned()
        } else {
            let n = counted(self.n_seeds() as u64, "function");
            // Corners and blanks around the title and the note take nine columns.
            let room = usize::from(list.width).saturating_sub(note.width() + 9);
            first_fitting(vec![format!("{run} · {n}"), run], room)
        };
        pane(&title, &note, true).draw(list, buffer, context.theme);
        self.draw_list(inside(list), buffer, context);
        let note = self
            .item
            .as_ref()
            .map_or_else(String::new, |consistency_function| {
                let median = consistency_function.judged.matrix.median();
                median.map_or_else(String::new, |median| format!("median {median}"))
            });
        pane("similarity in %", &note, false).draw(matrix, buffer, context.theme);
        let Some(item) = &self.item else {
            pane("completions", "", false).draw(texts, buffer, context.theme);
            return;
        };
        self.draw_matrix(item, inside(matrix), buffer, context);
        if item.judged.passes.is_empty() {
            pane("completions", "", false).draw(texts, buffer, context.theme);
            return;
        }
        let note = self.lower_note(item);
        pane(&self.difference.title(), &note, false).draw(texts, buffer, context.theme);
        self.difference.draw(buffer, context.theme, context.cache);
    }

    /// Writes the note of the lower pane: the scores of the completions against the truth, or the line where the second
    /// half begins.
    fn lower_note(&self, item: &ConsistencyFunction) -> String {
        if self.view == ConsistencyView::Difference {
            let cut = item.seed.variants.first().and_then(|variant| variant.cut);
            return cut.map_or_else(String::new, |(line, _)| {
                format!("second half from line {}", item.seed.start_line + line)
            });
        }
        let Some(scores) = &item.judged.scores else {
            return String::new();
        };
        let percent = |idx: usize, metric: usize| format!("{:.0}", scores[idx][metric] * 100.0);
        let told = |metric: usize| match other_of(item, self.variant) {
            Some(other) => format!(
                "{} → {}",
                percent(other, metric),
                percent(self.variant, metric)
            ),
            None => percent(self.variant, metric),
        };
        format!("BLEU {} · edit {}", told(0), told(1))
    }

    /// Explains why there is nothing to show, with advice; nothing when there is something.
    fn nothing(&self) -> Option<(&str, Role)> {
        match &self.list {
            AnswerState::Failed(text) => Some((text.as_str(), Role::Error)),
            AnswerState::NoIndex => Some(("there is no index here yet", Role::Warning)),
            AnswerState::Ready(ConsistencyList { runs, .. }) if runs.is_empty() => Some((
                "no completions yet: `focalist consistency SEEDS --from FILE --run NAME`",
                Role::Warning,
            )),
            AnswerState::Ready(_) | AnswerState::Waiting => None,
        }
    }

    fn draw_list(&self, area: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        if let Some(list) = self.list.ready() {
            self.draw_seeds(&list.seeds, area, buffer, context);
            return;
        }
        let row = Rect::new(area.x + 1, area.y, area.width.saturating_sub(1), 1);
        let text = cut("reading the index …", usize::from(row.width));
        pieces(row, &[(&text, Role::Dim)], buffer, context.theme);
    }

    fn draw_seeds(
        &self,
        seeds: &[FunctionOutline],
        area: Rect,
        buffer: &mut Buffer,
        context: DrawContext<'_>,
    ) {
        let width = usize::from(area.width);
        let is_worded = width >= WORDED;
        let line = |name: &str, numbers: [String; 3], taken: &str| {
            let [k, n_outliers, spread] = numbers;
            let taken = if width >= 46 {
                format!("  {}", fit(taken, 6))
            } else {
                String::new()
            };
            let rest = if is_worded {
                format!("{k:>8}{n_outliers:>10}{spread:>8}{taken}")
            } else if width < NUMBERED {
                format!("{n_outliers:>4}")
            } else {
                format!("{k:>3}{n_outliers:>4}{spread:>7}{taken}")
            };
            let room = width.saturating_sub(rest.chars().count() + 2);
            format!(" {} {rest}", fit(name, room))
        };
        let heads = if is_worded {
            ["answers", "outliers", "spread"]
        } else {
            ["n", "out", "spread"]
        };
        let head = line("function", heads.map(str::to_owned), "taken");
        let row = Rect::new(area.x, area.y, area.width, 1.min(area.height));
        pieces(row, &[(&head, Role::Dim)], buffer, context.theme);
        let shown = seeds.iter().enumerate().skip(self.list_top());
        for ((idx, seed), y) in shown.zip(area.y + 1..area.bottom()) {
            let spread = seed.spread;
            let spread = spread.map_or_else(
                || "–".to_owned(),
                |spread| format!("{:.0} %", spread * 100.0),
            );
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
            pieces(row, &[(&text, role)], buffer, context.theme);
            if idx == self.cursor {
                buffer.set_style(row, context.theme.style(Role::Selected));
                buffer.set_string(row.x, row.y, "▌", context.theme.style(Role::Focus));
            }
        }
    }

    /// Draws the similarities as coloured numbers: the colour tells the less alike, the number can be read without it.
    fn draw_matrix(
        &self,
        item: &ConsistencyFunction,
        area: Rect,
        buffer: &mut Buffer,
        context: DrawContext<'_>,
    ) {
        let judged = &item.judged;
        if judged.passes.is_empty() {
            let row = Rect::new(area.x + 1, area.y, area.width.saturating_sub(1), 1);
            let text = "nothing came back for this function";
            pieces(row, &[(text, Role::Dim)], buffer, context.theme);
            return;
        }
        let median = judged.matrix.median().unwrap_or(0.0);
        let is_outlier = judged.outliers_at(self.options.rule, self.options.threshold);
        let counts = judged.matrix.counts(self.options.rule);
        let n = judged.passes.len();
        let width = usize::from(area.width);
        let has_counts = width >= NAMES_WIDTH + 4 * n + 8;
        let has_words = width >= NAMES_WIDTH + 4 * n + 8 + usize::from(WORDS_WIDTH);
        let mut head = " ".repeat(NAMES_WIDTH);
        for idx in 0..n {
            head.push_str(&format!("{idx:>4}"));
        }
        if has_counts {
            head.push_str(" far");
        }
        let row = Rect::new(area.x, area.y, area.width, 1.min(area.height));
        pieces(row, &[(&head, Role::Dim)], buffer, context.theme);
        for (i, y) in (0..n).zip(area.y + 1..area.bottom()) {
            let row = Rect::new(area.x, y, area.width, 1);
            let name = format!(" {i:>2} {}", fit(word(judged.passes[i]), 6));
            let mut cells = vec![(name, Role::Text)];
            for j in 0..n {
                let value = judged.matrix.at(i, j);
                let role = match f64::from(value) {
                    _ if i == j => Role::Dim,
                    similarity if similarity < median - 20.0 => Role::Error,
                    similarity if similarity < median => Role::Warning,
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
            if has_words {
                let n_signs = usize::from(judged.repaired == Some(i)) + usize::from(is_outlier[i]);
                let gap = " ".repeat(6 - 2 * n_signs);
                cells.push((format!("{gap}{}", about(judged.passes[i])), Role::Dim));
            }
            let cells: Vec<(&str, Role)> =
                cells.iter().map(|cell| (cell.0.as_str(), cell.1)).collect();
            pieces(row, &cells, buffer, context.theme);
            if i == self.variant {
                let name = Rect {
                    width: (NAMES_WIDTH as u16).min(area.width),
                    ..row
                };
                buffer.set_style(name, context.theme.style(Role::Selected));
                buffer.set_string(row.x, row.y, "▌", context.theme.style(Role::Focus));
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
