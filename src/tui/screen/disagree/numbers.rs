//! Agreement in numbers: coefficients, the matrix of a pair, and the progress of each annotator.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use rustc_hash::FxHashSet;
use unicode_width::UnicodeWidthStr;

use crate::desk::Desk;
use crate::keymap::{Motion, StepDirection};
use crate::metric::agreement::{Coefficient, Ratings};
use crate::model::{SampleKey, number};
use crate::review::{Agreement, ReviewProgress};
use crate::screen::DrawContext;
use crate::screen::disagree::Disagree;
use crate::screen::disagree::questions::{
    AgreementIntervalsQuestion, AnnotatorAgreement, Intervals,
};
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::{Pane, count, counted, cut, fit, inside, pieces};
use crate::wrap::wrap;

/// The width of a category's name beside the matrix, and the least width of a cell.
const NAME_WIDTH: usize = 8;
const CELL_WIDTH_MIN: usize = 5;
/// The width of a coefficient's name.
const TITLE_WIDTH: usize = 17;
/// From this share of hasty verdicts on, the number is a warning.
const HASTY: f64 = 0.2;
/// The greatest half-width of a good interval.
const HALF_WIDTH: f64 = 0.05;

#[derive(Debug, Default)]
pub struct AgreementPane {
    agreed: Option<AnnotatorAgreement>,
    intervals: Option<Intervals>,
    /// The two annotators that the matrix compares, by their index in [`pairs`].
    pair: usize,
    /// Row and column of the cursor in the matrix.
    cell: (usize, usize),
    /// The ratings of the pair, without anybody else's.
    of_pair: Option<Ratings>,
    /// The confusion matrix of the pair.
    matrix: Vec<Vec<u64>>,
    area: Rect,
}

/// A cell of the matrix.
#[derive(Clone, Debug)]
pub struct AgreementCell {
    pub keys: FxHashSet<SampleKey>,
    pub annotators: [String; 2],
    /// The category that each of the two chose for these samples.
    pub categories: [String; 2],
}

impl AgreementCell {
    /// Returns the sample of a cell that has only one.
    #[must_use]
    pub fn only_key(&self) -> Option<SampleKey> {
        let mut keys = self.keys.iter().copied();
        keys.next().filter(|_| keys.next().is_none())
    }
}

/// Lists all pairs of `n`, those with the first before those with the second, and so on.
fn pairs(n: usize) -> Vec<(usize, usize)> {
    (0..n)
        .flat_map(|first| (first + 1..n).map(move |second| (first, second)))
        .collect()
}

impl AgreementPane {
    /// Takes the numbers without intervals, and asks for these unless they are known.
    pub fn take_agreement(&mut self, agreed: AnnotatorAgreement, desk: &mut Desk) {
        let agreement = &agreed.agreement;
        let before = self
            .agreed
            .as_ref()
            .map(|annotator_agreement| &annotator_agreement.agreement);
        let is_known = before.is_some_and(|before| before.ratings == agreement.ratings);
        if !is_known {
            self.intervals = None;
            self.pair = 0;
            let ratings = Arc::new(agreement.ratings.clone());
            desk.ask(
                AgreementIntervalsQuestion(ratings),
                |screen: &mut Disagree, desk, _| {
                    screen.numbers.intervals = Some(desk);
                },
            );
        }
        self.agreed = Some(agreed);
        self.count_pair();
    }

    #[must_use]
    pub fn agreement(&self) -> Option<&Agreement> {
        self.agreed
            .as_ref()
            .map(|annotator_agreement| &annotator_agreement.agreement)
    }

    fn count_pair(&mut self) {
        self.of_pair = self.ratings_of_pair();
        let matrix = self.of_pair.as_ref().map(|ratings| ratings.matrix(0, 1));
        self.matrix = matrix.unwrap_or_default();
        let last = self.matrix.len().saturating_sub(1);
        self.cell = (self.cell.0.min(last), self.cell.1.min(last));
    }

    /// Collects the ratings of the pair on every sample, from which the matrix, its shares and the line below it are
    /// counted.
    fn ratings_of_pair(&self) -> Option<Ratings> {
        let agreement = self.agreement()?;
        let (first, second) = self.pair()?;
        let mut ratings = Ratings::new(2, agreement.categories.len());
        for unit in 0..agreement.samples.len() {
            let of = |rater| agreement.ratings.rating(unit, rater);
            ratings.push(&[of(first), of(second)]);
        }
        Some(ratings)
    }

    fn pair(&self) -> Option<(usize, usize)> {
        let n = self.agreement()?.annotators.len();
        pairs(n).get(self.pair).copied()
    }

    /// Returns the names of the pair.
    fn names(&self) -> Option<(&str, &str)> {
        let (first, second) = self.pair()?;
        let names = &self.agreement()?.annotators;
        Some((names.get(first)?, names.get(second)?))
    }

    /// Turns to another pair; returns the reason if there is none.
    pub fn step_pair(&mut self, step: StepDirection) -> Option<String> {
        let n = pairs(
            self.agreement()
                .map_or(0, |agreement| agreement.annotators.len()),
        )
        .len();
        if n < 2 {
            return Some("there is no other pair of annotators".to_owned());
        }
        self.pair = step.around(self.pair, n);
        self.count_pair();
        None
    }

    /// Moves the cursor in the matrix.
    pub fn scroll(&mut self, motion: Motion) {
        let last = self.matrix.len().saturating_sub(1);
        let (row, column) = self.cell;
        self.cell = match motion {
            Motion::Left => (row, column.saturating_sub(1)),
            Motion::Right => (row, (column + 1).min(last)),
            other => (other.moved(row, last).min(last), column),
        };
    }

    /// Collects the samples of the cell under the cursor.
    #[must_use]
    pub fn cell(&self) -> Option<AgreementCell> {
        let agreement = self.agreement()?;
        let (first, second) = self.pair()?;
        let (row, column) = self.cell;
        let holds = |unit: usize, rater: usize, category: usize| {
            agreement.ratings.rating(unit, rater) == Some(category as u32)
        };
        let samples = agreement.samples.iter().enumerate();
        let keys = samples
            .filter(|(unit, _)| holds(*unit, first, row) && holds(*unit, second, column))
            .map(|(_, key)| *key);
        let (one, other) = self.names()?;
        let category = |idx: usize| agreement.categories.get(idx).cloned();
        Some(AgreementCell {
            keys: keys.collect(),
            annotators: [one.to_owned(), other.to_owned()],
            categories: [category(row)?, category(column)?],
        })
    }

    pub fn arrange(&mut self, area: Rect) {
        self.area = area;
    }

    /// Puts the cursor on the cell under the pointer.
    pub fn point(&mut self, at: Position) {
        let row = at.y.checked_sub(self.area.y + 1).map(usize::from);
        let x = at.x.checked_sub(self.area.x + NAME_WIDTH as u16 + 1);
        if let (Some(row), Some(x)) = (row, x) {
            let column = usize::from(x) / self.cell_width() + self.first_column();
            let last = self.matrix.len().saturating_sub(1);
            self.cell = (row.min(last), column.min(last));
        }
    }

    fn cell_width(&self) -> usize {
        let most = self.matrix.iter().flatten().max().copied();
        (count(most.unwrap_or(0)).width() + 2).max(CELL_WIDTH_MIN)
    }

    fn n_columns(&self) -> usize {
        let room = usize::from(self.area.width).saturating_sub(NAME_WIDTH + 1 + 6);
        (room / self.cell_width()).clamp(1, self.matrix.len().max(1))
    }

    fn first_column(&self) -> usize {
        (self.cell.1 + 1).saturating_sub(self.n_columns())
    }

    /// Computes the rows for the coefficients in this width and for the matrix, with the border.
    #[must_use]
    pub fn agreement_height(&self, width: u16) -> u16 {
        let n_matrix = self.matrix.len() + 4;
        let n_lines = self.lines(width.saturating_sub(2)).len().max(n_matrix);
        n_lines as u16 + 2
    }

    /// Writes the coefficients as one line: `raw 93.4 % · AC1 0.93`.
    #[must_use]
    pub fn line(&self) -> String {
        let Some(agreement) = self.agreement() else {
            return String::new();
        };
        let names = ["raw", "κ", "Fleiss", "α", "AC1"];
        let values = names.into_iter().zip(agreement.values).enumerate();
        let parts = values.filter_map(|(idx, (name, value))| {
            let value = value?;
            Some(if idx == 0 {
                format!("{name} {:.1} %", value * 100.0)
            } else {
                format!("{name} {}", number(value, 2))
            })
        });
        parts.collect::<Vec<_>>().join(" · ")
    }

    fn lines(&self, width: u16) -> Vec<(String, Role)> {
        let Some(agreement) = self.agreement() else {
            return vec![("counting …".to_owned(), Role::Dim)];
        };
        let n = agreement.ratings.n_overlapping() as u64;
        let label = fit("judged by several", TITLE_WIDTH);
        let mut lines = vec![(format!("{label} {}", count(n)), Role::Text)];
        for (idx, coefficient) in Coefficient::ALL.into_iter().enumerate() {
            let text = self.coefficient(agreement, idx, coefficient);
            lines.push((text, Role::Text));
        }
        if let Some(more) = self.more(agreement) {
            lines.push((more, Role::Dim));
        }
        if let Some(warning) = &agreement.warning {
            let mut rows = Vec::new();
            wrap(0, warning, width.saturating_sub(1), &mut rows);
            for row in rows {
                let part = &warning[row.start as usize..row.end as usize];
                lines.push((part.trim().to_owned(), Role::Warning));
            }
        }
        lines
    }

    fn coefficient(&self, agreement: &Agreement, idx: usize, coefficient: Coefficient) -> String {
        let title = fit(title(coefficient), TITLE_WIDTH);
        let Some(value) = agreement.values[idx] else {
            let is_cohen = coefficient == Coefficient::Cohen && agreement.annotators.len() > 2;
            let why = if is_cohen { "only of two: [ ]" } else { "" };
            return format!("{title} –  {why}").trim_end().to_owned();
        };
        let interval = match &self.intervals {
            None => " …".to_owned(),
            Some(intervals) => intervals[idx].map_or_else(String::new, |(low, high)| {
                if idx == 0 {
                    format!(" [{:.1}, {:.1}]", low * 100.0, high * 100.0)
                } else {
                    format!(" [{}, {}]", number(low, 2), number(high, 2))
                }
            }),
        };
        if idx == 0 {
            format!("{title} {:.1} %{interval}", value * 100.0)
        } else {
            format!("{title} {:<6}{interval}", number(value, 2))
        }
    }

    /// Estimates how many more samples several annotators must judge for a narrow interval of alpha: its width shrinks
    /// with the root of the number of samples.
    #[expect(clippy::cast_sign_loss, reason = "it is at least 0")]
    fn more(&self, agreement: &Agreement) -> Option<String> {
        let (low, high) = self.intervals.as_ref()?[3]?;
        let half = (high - low) / 2.0;
        if half <= HALF_WIDTH {
            return None;
        }
        let n = agreement.ratings.n_overlapping() as f64;
        let more = n * ((half / HALF_WIDTH).powi(2) - 1.0);
        // Rounds up to two digits: more would promise too much.
        let unit = 10_f64.powf(more.log10().floor() - 1.0).max(1.0);
        let more = (more / unit).ceil() * unit;
        let more = count(more as u64);
        Some(format!(
            "α ±{HALF_WIDTH}: about {more} more samples judged by several"
        ))
    }

    pub fn draw_agreement(&self, area: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        let n_annotators = self
            .agreement()
            .map_or(0, |agreement| agreement.annotators.len());
        let title = match n_annotators {
            0..=2 => "agreement".to_owned(),
            n => format!("agreement of all {n}"),
        };
        let pane = Pane {
            title: &title,
            note: "95 % bootstrap",
            has_focus: false,
        };
        pane.draw(area, buffer, context.theme);
        let inner = inside(area);
        for ((text, role), y) in self.lines(inner.width).iter().zip(inner.y..inner.bottom()) {
            let row = Rect::new(inner.x, y, inner.width, 1);
            let text = cut(&format!(" {text}"), usize::from(inner.width));
            pieces(row, &[(&text, *role)], buffer, context.theme);
        }
    }

    /// Draws the matrix of the pair, without the annotators' names while these are hidden.
    pub fn draw_matrix(
        &self,
        area: Rect,
        (has_focus, is_hidden): (bool, bool),
        buffer: &mut Buffer,
        context: DrawContext<'_>,
    ) {
        let n_pairs = pairs(
            self.agreement()
                .map_or(0, |agreement| agreement.annotators.len()),
        )
        .len();
        let title = match self.names() {
            None => "confusion".to_owned(),
            Some(_) if is_hidden => "one ↓ the other →".to_owned(),
            Some((first, second)) => visible(&format!("{first} ↓ {second} →")),
        };
        let note = if n_pairs > 1 {
            format!("pair {}/{n_pairs} [ ]", self.pair + 1)
        } else {
            String::new()
        };
        let pane = Pane {
            title: &title,
            note: &note,
            has_focus,
        };
        pane.draw(area, buffer, context.theme);
        let inner = inside(area);
        let Some(agreement) = self.agreement().filter(|_| !self.matrix.is_empty()) else {
            let row = Rect::new(inner.x, inner.y, inner.width, 1.min(inner.height));
            let text = cut(" of two annotators", usize::from(inner.width));
            pieces(row, &[(&text, Role::Dim)], buffer, context.theme);
            return;
        };
        let cell_width = self.cell_width();
        let shown = self.first_column()..(self.first_column() + self.n_columns());
        let shown = shown.start..shown.end.min(self.matrix.len());
        let mut head = " ".repeat(NAME_WIDTH + 1);
        for column in shown.clone() {
            let name = shortest(&agreement.categories[column]);
            head.push_str(&format!("{name:>cell_width$}"));
        }
        head.push_str(" agree");
        let room = usize::from(inner.width);
        let first = Rect::new(inner.x, inner.y, inner.width, 1.min(inner.height));
        pieces(
            first,
            &[(&cut(&head, room), Role::Dim)],
            buffer,
            context.theme,
        );
        // The last row is the agreement of the pair.
        let height = usize::from(inner.height).saturating_sub(2).max(1);
        let top = (self.cell.0 + 1).saturating_sub(height);
        let rows = self.matrix.iter().enumerate().skip(top).take(height);
        for ((idx, cells), y) in rows.zip(inner.y + 1..inner.bottom()) {
            let row = Rect::new(inner.x, y, inner.width, 1);
            self.draw_cells(idx, cells, shown.clone(), row, has_focus, buffer, context);
        }
        if inner.height > 1 {
            let y = (inner.y + 1 + (self.matrix.len().min(height)) as u16).min(inner.bottom() - 1);
            let row = Rect::new(inner.x, y, inner.width, 1);
            let text = cut(&format!(" {}", self.of_pair(has_focus)), room);
            pieces(row, &[(&text, Role::Dim)], buffer, context.theme);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one row of one matrix")]
    fn draw_cells(
        &self,
        idx: usize,
        cells: &[u64],
        shown: std::ops::Range<usize>,
        row: Rect,
        has_focus: bool,
        buffer: &mut Buffer,
        context: DrawContext<'_>,
    ) {
        let Some(agreement) = self.agreement() else {
            return;
        };
        let shares = self.of_pair.as_ref().map(Ratings::by_category);
        let shares = shares.unwrap_or_default();
        let cell_width = self.cell_width();
        let name = format!(" {}", fit(&short(&agreement.categories[idx]), NAME_WIDTH));
        let mut x = pieces(row, &[(&name, Role::Text)], buffer, context.theme);
        for column in shown {
            let n = cells[column];
            let role = match (n, idx == column) {
                (0, _) => Role::Dim,
                (_, true) => Role::Good,
                (_, false) => Role::Warning,
            };
            let text = if n == 0 { "·".to_owned() } else { count(n) };
            let rest = Rect::new(x, row.y, row.right().saturating_sub(x), 1);
            let next = pieces(
                rest,
                &[(&format!("{text:>cell_width$}"), role)],
                buffer,
                context.theme,
            );
            if has_focus && self.cell == (idx, column) {
                let area = Rect::new(x + 1, row.y, next.saturating_sub(x + 1), 1);
                buffer.set_style(area, context.theme.style(Role::Selected));
            }
            x = next;
        }
        let share = shares.get(idx).copied().flatten();
        let share = share.map_or_else(|| "–".to_owned(), |share| format!("{:.0} %", share * 100.0));
        let rest = Rect::new(x, row.y, row.right().saturating_sub(x), 1);
        let text = format!("{share:>6}");
        pieces(rest, &[(&text, Role::Text)], buffer, context.theme);
    }

    /// Writes the agreement of the pair; while the matrix has the focus, the effect of Enter.
    fn of_pair(&self, has_focus: bool) -> String {
        if has_focus {
            return "Enter: the disagreements of the cell".to_owned();
        }
        let Some(ratings) = &self.of_pair else {
            return String::new();
        };
        let [raw, kappa, ..] = ratings.values();
        let n: u64 = self.matrix.iter().flatten().sum();
        let raw = raw.map_or_else(String::new, |raw| format!(" · {:.1} %", raw * 100.0));
        let kappa = kappa.map_or_else(String::new, |kappa| format!(" · κ {}", number(kappa, 2)));
        format!("{} by both{raw}{kappa}", count(n))
    }

    pub fn draw_annotators(&self, area: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        let pane = Pane {
            title: "annotators",
            note: "",
            has_focus: false,
        };
        pane.draw(area, buffer, context.theme);
        let inner = inside(area);
        let name_width = usize::from(inner.width).saturating_sub(24).max(4);
        let head = format!(
            " {}{:>7}{:>8}{:>7}",
            fit("", name_width),
            "judged",
            "median",
            "<0.8 s"
        );
        let row = Rect::new(inner.x, inner.y, inner.width, 1.min(inner.height));
        pieces(row, &[(&head, Role::Dim)], buffer, context.theme);
        let progress = self
            .agreed
            .as_ref()
            .map_or(&[][..], |annotator_agreement| &annotator_agreement.progress);
        for (review_progress, y) in progress.iter().zip(inner.y + 1..inner.bottom()) {
            let row = Rect::new(inner.x, y, inner.width, 1);
            draw_annotator(review_progress, name_width, row, buffer, context);
        }
    }

    /// Explains why there is nothing to rule on, and advises what to do.
    #[must_use]
    pub fn advice(&self) -> (String, &'static str) {
        const SEVERAL: &str = "`focalist review --overlap 2` asks two people about each sample; \
            `focalist verdicts merge FILE` brings in another person's verdicts";
        let Some(agreement) = self.agreement() else {
            return ("counting …".to_owned(), "");
        };
        let names = agreement
            .annotators
            .iter()
            .map(|annotator| visible(annotator));
        let names: Vec<String> = names.collect();
        let n = agreement.ratings.n_overlapping() as u64;
        match names.as_slice() {
            [] => (
                "There are no verdicts yet.".to_owned(),
                "ga judges samples, one key each; `focalist review --overlap 2` has two people judge each sample",
            ),
            [one] => (
                format!("Only {one} has judged: agreement takes two."),
                SEVERAL,
            ),
            several if n == 0 => (
                format!(
                    "{} have judged, but no sample has two verdicts.",
                    several.join(" and ")
                ),
                SEVERAL,
            ),
            _ => (
                format!(
                    "No disagreements: annotators agree on all {} with several verdicts.",
                    counted(n, "sample")
                ),
                SEVERAL,
            ),
        }
    }
}

fn draw_annotator(
    review_progress: &ReviewProgress,
    name_width: usize,
    row: Rect,
    buffer: &mut Buffer,
    context: DrawContext<'_>,
) {
    let name = format!(" {}", fit(&visible(&review_progress.annotator), name_width));
    let median = review_progress.dwell_median_ms.map_or_else(
        || "–".to_owned(),
        |ms| format!("{:.1} s", f64::from(ms) / 1_000.0),
    );
    let share = review_progress.hasty.value();
    let hasty = share.map_or_else(|| "–".to_owned(), |share| format!("{:.0} %", share * 100.0));
    let role = if share.is_some_and(|share| share >= HASTY) {
        Role::Warning
    } else {
        Role::Text
    };
    let middle = format!("{:>7}{median:>8}", count(review_progress.n_judged()));
    let last = format!("{hasty:>7}");
    let parts = [
        (name.as_str(), Role::Text),
        (middle.as_str(), Role::Text),
        (last.as_str(), role),
    ];
    pieces(row, &parts, buffer, context.theme);
}

/// Shortens a coefficient's name.
const fn title(coefficient: Coefficient) -> &'static str {
    match coefficient {
        Coefficient::Raw => "raw agreement",
        Coefficient::Cohen => "Cohen's κ",
        Coefficient::Fleiss => "Fleiss' κ",
        Coefficient::Krippendorff => "Krippendorff's α",
        Coefficient::Gwet => "Gwet's AC1",
    }
}

/// Shortens a category to the head of a column: `oth` stands for another method than the machine's.
fn shortest(category: &str) -> String {
    match category {
        "accept" => "acc".to_owned(),
        "none_of_these" => "none".to_owned(),
        "no_focal" => "nof".to_owned(),
        other => numbered("oth", other).replace(' ', ""),
    }
}

/// Shortens a category to the head of a row.
fn short(category: &str) -> String {
    match category {
        "accept" => "accept".to_owned(),
        "none_of_these" => "none".to_owned(),
        "no_focal" => "no foc".to_owned(),
        other => numbered("other", other),
    }
}

/// Describes a category for people. The picked method differs from sample to sample, so a pick is `other method`.
#[must_use]
pub fn words(category: &str) -> String {
    if is_pick(category) {
        numbered("other method", category)
    } else {
        category.replace('_', " ")
    }
}

/// Tells whether a category stands for other methods than the machine's.
#[must_use]
pub fn is_pick(category: &str) -> bool {
    category.starts_with(PICK)
}

const PICK: &str = "pick_";

/// Writes the word for a pick, with its number where several pick different methods for one sample.
fn numbered(word: &str, category: &str) -> String {
    match category.strip_prefix(PICK) {
        None | Some("1") => word.to_owned(),
        Some(number) => format!("{word} {number}"),
    }
}
