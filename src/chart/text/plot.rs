//! The part of a figure of characters that stands between and beside its axes.

use unicode_width::UnicodeWidthStr;

use crate::bins::{Bins, field, level, whole};
use crate::scale::Ruler;
use crate::{Arrangement, Figure, Path, SeriesShape, cut, printable};

use super::{CellRole, Face, Grid, fill, mark};

/// The box between the axes, in cells: the y axis is in the column before `left`, the x axis in the row `bottom`.
pub(super) struct TextPlot {
    pub left: usize,
    /// Exclusive.
    pub right: usize,
    pub top: usize,
    /// Exclusive.
    pub bottom: usize,
    /// Of the whole grid: labels may go beyond the box.
    pub width: usize,
    /// The mark for a cut.
    pub mark: char,
    pub x: Ruler,
    pub y: Ruler,
}

impl TextPlot {
    fn n_columns(&self) -> usize {
        self.right - self.left
    }

    fn n_rows(&self) -> usize {
        self.bottom - self.top
    }

    fn column(&self, place: f64) -> usize {
        self.left + field(place, self.n_columns())
    }

    fn row(&self, place: f64) -> usize {
        self.bottom - 1 - field(place, self.n_rows())
    }

    fn cell(&self, (x, y): (f64, f64)) -> Option<(usize, usize)> {
        Some((self.column(self.x.place(x)?), self.row(self.y.place(y)?)))
    }

    pub(super) fn axes(&self, grid: &mut Grid, figure: &Figure, face: &Face) {
        let axis = self.left - 1;
        for y in self.top..self.bottom {
            grid.set(axis, y, face.upright, CellRole::Axis);
        }
        grid.set(axis, self.bottom, face.corner, CellRole::Axis);
        for x in self.left..self.right {
            grid.set(x, self.bottom, face.level, CellRole::Axis);
        }
        if !figure.is_lying() {
            let mut above = None;
            for tick in &self.y.ticks {
                let row = self.row(tick.place);
                if above == Some(row) {
                    continue;
                }
                above = Some(row);
                self.name(grid, row, &tick.label);
                grid.set(axis, row, face.tick_left, CellRole::Axis);
            }
        }
        if figure.x.names().is_some() {
            self.names_below(grid, face);
        } else {
            self.labels_below(grid, (1, self.width), face);
        }
    }

    /// Writes a label beside the y axis.
    fn name(&self, grid: &mut Grid, row: usize, label: &str) {
        let room = self.left - 1;
        let label = cut(label, room, self.mark);
        grid.write((room - label.width(), row), &label, room, CellRole::Label);
    }

    /// Writes as many names as there is room for, in even steps.
    fn names_below(&self, grid: &mut Grid, face: &Face) {
        const NAME_MIN: usize = 8;
        let n = self.x.ticks.len().max(1);
        let widest = self.x.ticks.iter().map(|tick| tick.label.width()).max();
        let least = widest.unwrap_or(0).clamp(1, NAME_MIN) + 1;
        let every = (least * n).div_ceil(self.n_columns()).max(1);
        let room = (self.n_columns() * every / n).saturating_sub(1).max(1);
        self.labels_below(grid, (every, room), face);
    }

    /// Writes every n-th label under the x axis, in at most this many columns each; none over another.
    fn labels_below(&self, grid: &mut Grid, (every, room): (usize, usize), face: &Face) {
        let mut free = 0;
        for tick in self.x.ticks.iter().step_by(every) {
            let column = self.column(tick.place);
            let label = cut(&tick.label, room.min(self.width), self.mark);
            let wide = label.width();
            let start = column.saturating_sub(wide / 2).min(self.width - wide);
            if start < free {
                continue;
            }
            grid.set(column, self.bottom, face.tick_below, CellRole::Axis);
            free = grid.write((start, self.bottom + 1), &label, wide, CellRole::Label) + 1;
        }
    }

    pub(super) fn draw(&self, grid: &mut Grid, figure: &Figure, face: &Face) {
        if figure.is_lying() {
            self.lying(grid, figure, face);
        } else {
            self.standing(grid, figure, face);
        }
        for (_, series) in figure.styled() {
            if let SeriesShape::Rule { from, to } = &series.shape
                && let (Some(from), Some(to)) = (self.cell(*from), self.cell(*to))
            {
                between(from, to, |x, y| {
                    if grid.is_blank(x, y) {
                        grid.set(x, y, face.dot, CellRole::Dim);
                    }
                });
            }
        }
        let mut series = figure.series.iter();
        let has_points = series.any(|series| matches!(series.shape, SeriesShape::Scatter(_)));
        for (idx, series) in figure.styled() {
            let role = CellRole::Series(idx as u8);
            match &series.shape {
                SeriesShape::Line { points, path } => {
                    self.line(grid, (idx, points, *path), (has_points, face));
                }
                SeriesShape::Scatter(points) => self.scatter(grid, (role, points), face),
                SeriesShape::Intervals(intervals) => {
                    for interval in intervals {
                        let ends = (
                            self.cell((interval.x, interval.low)),
                            self.cell((interval.x, interval.high)),
                        );
                        if let (Some(low), Some(high)) = ends {
                            between(low, high, |x, y| grid.set(x, y, face.upright, role));
                        }
                        if let Some((x, y)) = self.cell((interval.x, interval.y)) {
                            grid.set(x, y, mark(idx, face), role);
                        }
                    }
                }
                SeriesShape::Bars { .. }
                | SeriesShape::Histogram { .. }
                | SeriesShape::Rule { .. } => {}
            }
        }
    }

    fn line(
        &self,
        grid: &mut Grid,
        (idx, points, path): (usize, &[(f64, f64)], Path),
        (is_among, face): (bool, &Face),
    ) {
        let role = CellRole::Series(idx as u8);
        let cells: Vec<_> = points
            .iter()
            .filter_map(|point| self.cell(*point))
            .collect();
        let joint = match path {
            // Among the points of a scatter, dots would pass for some of them.
            Path::Marked if is_among => ' ',
            Path::Apart => ' ',
            Path::Marked => face.dot,
            Path::Plain | Path::Steps => mark(idx, face),
        };
        for pair in cells.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            // What another series has drawn is not covered by mere connections.
            let mut join = |x: usize, y: usize| {
                if grid.is_blank(x, y) || matches!(path, Path::Plain | Path::Steps) {
                    grid.set(x, y, joint, role);
                }
            };
            if path == Path::Steps {
                between(from, (to.0, from.1), &mut join);
                between((to.0, from.1), to, &mut join);
            } else {
                between(from, to, join);
            }
        }
        for (x, y) in cells {
            grid.set(x, y, mark(idx, face), role);
        }
    }

    fn scatter(&self, grid: &mut Grid, (role, points): (CellRole, &[(f64, f64)]), face: &Face) {
        let places = points
            .iter()
            .filter_map(|point| Some((self.x.place(point.0)?, self.y.place(point.1)?)));
        let bins = Bins::count((self.n_columns(), self.n_rows()), places);
        for (column, row, count) in bins.filled() {
            let level = level(count, bins.greatest(), face.levels.len());
            let (x, y) = (self.left + column, self.bottom - 1 - row);
            grid.set(x, y, face.levels[level], role);
        }
    }

    /// Draws bars that stand, and histograms: columns that share the room of their category or bin.
    fn standing(&self, grid: &mut Grid, figure: &Figure, face: &Face) {
        let bars = figure.bars();
        let is_stacked = figure.arrangement == Arrangement::Stacked;
        let n_beside = if is_stacked { 1 } else { bars.len().max(1) };
        let n = self.x.ticks.len().max(1) as f64;
        let mut bases = vec![0.0; self.x.ticks.len()];
        for (nth, (idx, values, _)) in bars.into_iter().enumerate() {
            for (category, value) in values.iter().enumerate().take(bases.len()) {
                let beside = if is_stacked { 0 } else { nth };
                let slot = [category as f64 + 0.1, category as f64 + 0.9].map(|value| value / n);
                let base = if is_stacked { bases[category] } else { 0.0 };
                bases[category] += value;
                let is_grown = idx == 0 && !is_stacked;
                let look = (is_grown, face);
                self.column_of(grid, (idx, beside, n_beside), (slot, base, *value), look);
            }
        }
        let histograms = figure
            .styled()
            .filter_map(|(idx, series)| match &series.shape {
                SeriesShape::Histogram { edges, values } => Some((idx, edges, values)),
                _ => None,
            });
        let histograms: Vec<_> = histograms.collect();
        let n_beside = histograms.len();
        for (beside, (idx, edges, values)) in histograms.into_iter().enumerate() {
            for (edges, value) in edges.windows(2).zip(values) {
                if let (Some(from), Some(to)) = (self.x.place(edges[0]), self.x.place(edges[1])) {
                    let slot = [from, to];
                    let look = (idx == 0, face);
                    self.column_of(grid, (idx, beside, n_beside), (slot, 0.0, *value), look);
                }
            }
        }
    }

    /// Draws one column: the `beside`-th of `n_beside` in its slot.
    fn column_of(
        &self,
        grid: &mut Grid,
        (idx, beside, n_beside): (usize, usize, usize),
        (slot, base, value): ([f64; 2], f64, f64),
        (is_grown, face): (bool, &Face),
    ) {
        let n_columns = self.n_columns() as f64;
        let [from, to] = slot.map(|slot| whole((slot * n_columns).round()).min(self.n_columns()));
        // A gap between slots, where there is room for one.
        let room = to.saturating_sub(from);
        let part =
            room.saturating_sub(usize::from(room > n_beside && n_beside > 1)) / n_beside.max(1);
        let start = (from + part * beside).min(self.n_columns() - 1);
        let end = (start + part.max(1)).min(self.n_columns());
        let places = (self.y.place(base), self.y.place(base + value));
        let (Some(low), Some(high)) = places else {
            return;
        };
        let (low, high) = (low.min(high), low.max(high));
        let n_rows = self.n_rows() as f64;
        // Parts of a cell would look like the fill of the next bar on it.
        let parts = if is_grown { face.up } else { face.stub };
        let (low, high) = (low * n_rows, high * n_rows);
        for row in 0..self.n_rows() {
            let Some(glyph) = glyph((row as f64, low, high), (parts, fill(idx, face))) else {
                continue;
            };
            for x in start..end {
                let (x, y) = (self.left + x, self.bottom - 1 - row);
                grid.set(x, y, glyph, CellRole::Series(idx as u8));
            }
        }
    }

    /// Draws bars that lie, with the names of their categories; says how many categories there is no room for.
    fn lying(&self, grid: &mut Grid, figure: &Figure, face: &Face) {
        let bars = figure.bars();
        let is_stacked = figure.arrangement == Arrangement::Stacked;
        let n_beside = if is_stacked { 1 } else { bars.len().max(1) };
        let names = &self.y.ticks;
        let n_rows = self.n_rows();
        let room = ((n_rows + 1) / names.len().max(1)).max(n_beside);
        // A gap between categories, where there is room for one.
        let thick = if room > n_beside {
            (room - 1) / n_beside
        } else {
            1
        };
        let thick = thick.clamp(1, 2);
        let height = if room > n_beside * thick {
            n_beside * thick + 1
        } else {
            n_beside * thick
        };
        let mut n_shown =
            ((n_rows + usize::from(height > n_beside * thick)) / height).min(names.len());
        if n_shown < names.len() {
            n_shown = (n_rows.saturating_sub(1) / height).min(names.len());
            let more = format!("({} more)", names.len() - n_shown);
            grid.write(
                (self.left + 1, self.bottom - 1),
                &more,
                self.width,
                CellRole::Dim,
            );
        }
        let n_columns = self.n_columns() as f64;
        for (category, tick) in names.iter().enumerate().take(n_shown) {
            let top = self.top + category * height;
            self.name(grid, top + (n_beside * thick - 1) / 2, &tick.label);
            let mut base = 0.0;
            for (nth, (idx, values, labels)) in bars.iter().enumerate() {
                let Some(value) = values.get(category) else {
                    continue;
                };
                let places = (self.x.place(base), self.x.place(base + value));
                let (Some(low), Some(high)) = places else {
                    continue;
                };
                if is_stacked {
                    base += value;
                }
                let (low, high) = (low.min(high) * n_columns, low.max(high) * n_columns);
                let parts = if *idx == 0 && !is_stacked {
                    face.right
                } else {
                    &[]
                };
                let first = top + if is_stacked { 0 } else { nth * thick };
                let mut end = self.left;
                for column in 0..self.n_columns() {
                    let look = (parts, fill(*idx, face));
                    let Some(glyph) = glyph((column as f64, low, high), look) else {
                        continue;
                    };
                    end = self.left + column + 1;
                    for row in first..first + thick {
                        grid.set(self.left + column, row, glyph, CellRole::Series(*idx as u8));
                    }
                }
                if !is_stacked && let Some(label) = labels.get(category) {
                    let label = printable(label);
                    if end + 1 + label.width() <= self.width {
                        let at = (end + 1, first + (thick - 1) / 2);
                        grid.write(at, &label, self.width, CellRole::Label);
                    }
                }
            }
        }
    }
}

/// Chooses the character for the cell that begins at `at`, of something from `low` to `high`, all in cells. Anything
/// above 0 is visible.
fn glyph((at, low, high): (f64, f64, f64), (parts, full): (&[char], char)) -> Option<char> {
    if high <= low {
        return None;
    }
    let share = (high - at).min(1.0);
    // A start is rounded, so that neighbours neither overlap nor leave gaps.
    if at + 0.5 < low {
        return None;
    }
    if parts.len() > 1 {
        let is_first = at <= low;
        let n_parts = whole((share * parts.len() as f64).round());
        return match (n_parts, is_first && share > 0.0) {
            (0, false) => None,
            (0, true) => parts.first().copied(),
            (n_parts, _) => parts.get(n_parts - 1).copied(),
        };
    }
    if share >= 0.5 {
        return Some(full);
    }
    let is_first = at <= low && share > 0.0;
    is_first.then(|| parts.first().copied().unwrap_or(full))
}

/// Hands every cell of a straight line to `each`, both ends included.
fn between(from: (usize, usize), to: (usize, usize), mut each: impl FnMut(usize, usize)) {
    let n = from.0.abs_diff(to.0).max(from.1.abs_diff(to.1));
    let at = |from: usize, to: usize, step: usize| {
        let share = step as f64 / n.max(1) as f64;
        whole((from as f64 + (to as f64 - from as f64) * share).round())
    };
    for step in 0..=n {
        each(at(from.0, to.0, step), at(from.1, to.1, step));
    }
}
