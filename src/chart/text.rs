//! A figure as characters: for terminals, with or without colours, and without Braille.
//!
//! ```text
//! title
//! subtitle
//! • one  × two
//! share (%)
//! 40 ┤   ██
//!    │ ▄▄██
//!  0 └─┬───┬─
//!      0   1
//!        BLEU (%)
//! ```
//!
//! What there is no room for is left out, the least important first; axes and data come last.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::scale::{Ruler, extents};
use super::{Arrangement, Axis, Figure, Scale, Series, SeriesShape, cut, printable};
use plot::TextPlot;

mod plot;

/// The role of a cell; faces decide how it looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CellRole {
    #[default]
    Empty,
    Title,
    /// Explanations: the subtitle, the titles of axes, rules.
    Dim,
    Axis,
    /// Numbers and names beside the axes, and at the ends of bars.
    Label,
    /// A cell drawn for a series, by the series' number; rules have no number.
    Series(u8),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChartCell {
    /// NUL to the right of a character that is two cells wide.
    pub char: char,
    pub role: CellRole,
}

/// The set of characters that a terminal can show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Glyphs {
    /// Blocks in eighths and lines, as every font for terminals has them.
    #[default]
    Blocks,
    Ascii,
}

/// The characters that things are drawn with.
struct Face {
    /// Up to a full cell, growing upwards.
    up: &'static [char],
    /// A bar that grows in whole cells and has less than half of one.
    stub: &'static [char],
    /// Up to a full cell, growing to the right.
    right: &'static [char],
    /// Bars of each series: the first grows in parts of cells, others in whole ones.
    fills: [char; 5],
    marks: [char; 6],
    /// Fields of a scatter by how many points they hold.
    levels: [char; 4],
    dot: char,
    upright: char,
    level: char,
    corner: char,
    tick_left: char,
    tick_below: char,
    cut: char,
}

const BLOCKS: Face = Face {
    up: &['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
    stub: &['▁'],
    right: &['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'],
    fills: ['█', '▒', '░', '▓', '■'],
    marks: ['•', '×', '+', 'o', '*', '='],
    levels: ['·', '░', '▒', '█'],
    dot: '·',
    upright: '│',
    level: '─',
    corner: '└',
    tick_left: '┤',
    tick_below: '┬',
    cut: '…',
};

const ASCII: Face = Face {
    up: &['#'],
    stub: &['_'],
    right: &['#'],
    fills: ['#', '=', ':', '%', '~'],
    marks: ['*', 'x', '+', 'o', '@', '='],
    levels: ['.', ':', '*', '#'],
    dot: '.',
    upright: '|',
    level: '-',
    corner: '+',
    tick_left: '+',
    tick_below: '+',
    cut: '~',
};

impl Glyphs {
    const fn face(self) -> &'static Face {
        match self {
            Self::Blocks => &BLOCKS,
            Self::Ascii => &ASCII,
        }
    }
}

/// A rectangle of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    width: usize,
    height: usize,
    glyphs: Glyphs,
    cells: Vec<ChartCell>,
}

/// Larger grids are drawn as ones of that size.
const SIDE_MAX: usize = 2_000;

impl Grid {
    fn new(width: usize, height: usize, glyphs: Glyphs) -> Self {
        let (width, height) = (width.min(SIDE_MAX), height.min(SIDE_MAX));
        let blank = ChartCell {
            char: ' ',
            role: CellRole::Empty,
        };
        Self {
            width,
            height,
            glyphs,
            cells: vec![blank; width * height],
        }
    }

    #[must_use]
    pub const fn width(&self) -> usize {
        self.width
    }

    #[must_use]
    pub const fn height(&self) -> usize {
        self.height
    }

    /// Iterates over the rows from top to bottom, each as wide as the grid.
    pub fn rows(&self) -> impl Iterator<Item = &[ChartCell]> {
        // `chunks` panics at 0; a grid without columns has no cells.
        self.cells.chunks(self.width.max(1))
    }

    /// Joins the characters alone: lines without blanks at their ends, each with a line feed.
    #[must_use]
    pub fn plain(&self) -> String {
        let mut text = String::new();
        for row in self.rows() {
            let line: String = row
                .iter()
                .map(|chart_cell| chart_cell.char)
                .filter(|c| *c != '\0')
                .collect();
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    fn set(&mut self, x: usize, y: usize, char: char, role: CellRole) {
        if x < self.width && y < self.height {
            self.cells[y * self.width + x] = ChartCell { char, role };
        }
    }

    /// Writes text from a cell on, at most `room` columns of it; returns the column after it.
    fn write(&mut self, (x, y): (usize, usize), text: &str, room: usize, role: CellRole) -> usize {
        let end = x.saturating_add(room).min(self.width);
        let mut x = x;
        for char in text.chars() {
            let width = char.width().unwrap_or(0);
            if width == 0 {
                continue;
            }
            if x + width > end {
                break;
            }
            let (char, beside) = match self.glyphs {
                Glyphs::Blocks => (char, '\0'),
                Glyphs::Ascii => (ascii(char), UNKNOWN),
            };
            self.set(x, y, char, role);
            if width == 2 {
                self.set(x + 1, y, beside, role);
            }
            x += width;
        }
        x
    }

    fn is_blank(&self, x: usize, y: usize) -> bool {
        x < self.width && y < self.height && self.cells[y * self.width + x].char == ' '
    }
}

/// Replaces each column of a character that has no likeness in ASCII.
const UNKNOWN: char = '?';

/// Chooses the ASCII character in place of another.
const fn ascii(char: char) -> char {
    match char {
        ..='\x7f' => char,
        '·' => '|',
        '−' | '–' | '—' => '-',
        '×' => 'x',
        '…' => '~',
        _ => UNKNOWN,
    }
}

/// Draws the figure in a rectangle of this many columns and rows. It fills all of the room; in less than 30 × 6 hardly
/// anything can be recognised.
#[must_use]
pub fn text(figure: &Figure, width: usize, height: usize, glyphs: Glyphs) -> Grid {
    let mut grid = Grid::new(width, height, glyphs);
    let face = glyphs.face();
    let (width, height) = (grid.width, grid.height);
    let mut row = 0;
    let mut line = |grid: &mut Grid, text: &str, role: CellRole| {
        let text = cut(&printable(text), width, face.cut);
        if !text.is_empty() {
            grid.write((0, row), &text, width, role);
            row += 1;
        }
        row
    };
    let mut top = 0;
    if height >= 5 || figure.is_empty() {
        top = line(&mut grid, &figure.title, CellRole::Title);
    }
    if height >= 9 || (figure.is_empty() && height >= 4) {
        top = line(&mut grid, &figure.subtitle, CellRole::Dim);
    }
    if figure.is_empty() {
        let note = cut(&printable(&figure.note), width, face.cut);
        let at = ((width - note.width()) / 2, top.max(height / 2));
        grid.write(at, &note, width, CellRole::Dim);
        return grid;
    }
    if height >= 7 {
        top = legend(&mut grid, figure, top, face);
    }
    // The names beside lying bars explain themselves: their axis needs no title.
    if height >= 8 && !figure.y.title().is_empty() && !figure.is_lying() {
        let title = cut(&printable(&figure.y.title()), width, face.cut);
        grid.write((0, top), &title, width, CellRole::Dim);
        top += 1;
    }
    let mut bottom = height;
    if height >= 8 && !figure.x.title().is_empty() {
        bottom -= 1;
    }
    let has_x_title = bottom < height;
    if height >= 4 {
        bottom -= 1;
    }
    let bottom = bottom.saturating_sub(1);
    let Some(plot) = layout(figure, (width, face), (top, bottom)) else {
        return grid;
    };
    plot.axes(&mut grid, figure, face);
    if has_x_title {
        let title = cut(&printable(&figure.x.title()), width, face.cut);
        let centre = usize::midpoint(plot.left, plot.right);
        let x = centre.saturating_sub(title.width() / 2);
        grid.write(
            (x.min(width - title.width()), plot.bottom + 2),
            &title,
            width,
            CellRole::Dim,
        );
    }
    plot.draw(&mut grid, figure, face);
    grid
}

/// Computes the rows that a figure takes, at most `most`: lying bars take as many as they need, other charts take all.
#[must_use]
pub fn text_height(figure: &Figure, most: usize) -> usize {
    let n_lines = [&figure.title, &figure.subtitle]
        .iter()
        .filter(|text| !text.is_empty())
        .count();
    if figure.is_empty() {
        return (n_lines + 3).min(most);
    }
    let Some(names) = figure.y.names() else {
        return most;
    };
    let n_beside = match figure.arrangement {
        Arrangement::Grouped => figure.bars().len().max(1),
        Arrangement::Stacked => 1,
    };
    let n_bars = names.len().saturating_mul(n_beside + 1);
    let n_below = 2 + usize::from(!figure.x.title().is_empty());
    let n_legend = usize::from(!figure.legend().is_empty());
    n_bars
        .saturating_add(n_lines + n_legend + n_below)
        .saturating_sub(1)
        .min(most)
}

/// Writes the names of the series in at most two lines, or one where the grid is low; returns the row below.
fn legend(grid: &mut Grid, figure: &Figure, top: usize, face: &Face) -> usize {
    let legend = figure.legend();
    if legend.is_empty() {
        return top;
    }
    let rows = if grid.height >= 11 { 2 } else { 1 };
    let (mut x, mut y) = (0, top);
    for (idx, series) in legend {
        let name = printable(&series.name);
        if x > 0 && x + name.width() + 2 > grid.width {
            if y + 1 >= top + rows {
                break;
            }
            (x, y) = (0, y + 1);
        }
        let (mark, role) = sign(idx, series, face);
        grid.set(x, y, mark, role);
        let room = grid.width.saturating_sub(x + 2);
        let name = cut(&name, room, face.cut);
        x = grid.write((x + 2, y), &name, room, CellRole::Label) + 2;
    }
    y + 1
}

/// Chooses the sign and the class of a series.
fn sign(idx: usize, series: &Series, face: &Face) -> (char, CellRole) {
    let role = CellRole::Series(idx as u8);
    match &series.shape {
        SeriesShape::Bars { .. } | SeriesShape::Histogram { .. } => (fill(idx, face), role),
        SeriesShape::Scatter(_) => (face.levels[0], role),
        SeriesShape::Line { .. } | SeriesShape::Intervals(_) => (mark(idx, face), role),
        SeriesShape::Rule { .. } => (face.dot, CellRole::Dim),
    }
}

fn fill(idx: usize, face: &Face) -> char {
    face.fills[idx % face.fills.len()]
}

fn mark(idx: usize, face: &Face) -> char {
    face.marks[idx % face.marks.len()]
}

/// Makes the y axis and chooses its number of rows so that the ticks stand at even distances. For this it drops ticks,
/// then as few rows as needed, at most a quarter.
fn upright(axis: &Axis, data: Option<(f64, f64)>, n_rows: usize) -> (Ruler, usize) {
    let n_ticks_most = (n_rows / 2).max(2);
    // The number of categories is fixed, and logarithmic ticks have no even distances.
    if matches!(axis.scale, Scale::Linear) {
        for (n_rows_spared, n_ticks_least) in [(n_rows / 10, 3), (n_rows / 4, 2)] {
            for n_ticks in (2..=n_ticks_most).rev() {
                let ruler = Ruler::new(axis, data, n_ticks);
                let mut heights = (n_rows - n_rows_spared..=n_rows).rev();
                if ruler.ticks.len() >= n_ticks_least
                    && let Some(n_rows) = heights.find(|height| ruler.is_even(*height))
                {
                    return (ruler, n_rows);
                }
            }
        }
    }
    (Ruler::new(axis, data, n_ticks_most), n_rows)
}

/// Places the box between the axes; nothing when there is no room for one.
fn layout(
    figure: &Figure,
    (width, face): (usize, &Face),
    (top, bottom): (usize, usize),
) -> Option<TextPlot> {
    if bottom <= top {
        return None;
    }
    let [data_x, data_y] = extents(figure);
    let (y, n_rows) = upright(&figure.y, data_y, bottom - top);
    let bottom = top + n_rows;
    let widest = y
        .ticks
        .iter()
        .map(|tick| tick.label.width())
        .max()
        .unwrap_or(0);
    let names = widest.min(width / 3).min(if width >= 60 { 28 } else { 16 });
    let left = names + 1;
    let mut right = width;
    if figure.is_lying() {
        let labels = figure.bars().into_iter().flat_map(|bar| bar.2);
        let widest = labels
            .map(|label| printable(label).width())
            .max()
            .unwrap_or(0);
        // Bars without numbers say more than numbers without bars.
        if left + widest + 9 <= width {
            right -= widest + 1;
        }
    }
    if right < left + 3 {
        return None;
    }
    let x = Ruler::new(&figure.x, data_x, ((right - left) / 9).max(2));
    Some(TextPlot {
        left,
        right,
        top,
        bottom,
        width,
        mark: face.cut,
        x,
        y,
    })
}
