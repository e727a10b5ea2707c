//! A figure of [`crate::chart`] in a buffer: the look of each class of cells.
//!
//! Series differ by their glyphs already, so that sixteen colours, or none, show the same.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::chart::{CellRole, Figure, Glyphs, text};
use crate::theme::{Role, Theme};

/// The roles of series, one after the other; every theme keeps them apart.
const SERIES: [Role; 6] = [
    Role::Gauge,
    Role::Focal,
    Role::Setup,
    Role::Assertion,
    Role::Error,
    Role::Text,
];

/// Draws a figure into an area, over the present content; parts outside of the buffer are not drawn.
pub fn draw(figure: &Figure, glyphs: Glyphs, area: Rect, buffer: &mut Buffer, theme: &Theme) {
    let area = area.intersection(buffer.area);
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    let grid = text(figure, width, height, glyphs);
    for (y, row) in (area.y..).zip(grid.rows()) {
        let mut x = area.x;
        for cells in row.chunk_by(|a, b| a.role == b.role) {
            let text: String = cells
                .iter()
                .map(|cell| cell.char)
                .filter(|c| *c != '\0')
                .collect();
            buffer.set_string(x, y, text, theme.style(role(cells[0].role)));
            x += cells.len() as u16;
        }
    }
}

/// Chooses the role that a class is drawn in.
#[must_use]
pub fn role(class: CellRole) -> Role {
    match class {
        CellRole::Empty | CellRole::Label => Role::Text,
        CellRole::Title => Role::Strong,
        CellRole::Dim => Role::Dim,
        CellRole::Axis => Role::Border,
        CellRole::Series(idx) => SERIES[usize::from(idx) % SERIES.len()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{Axis, Path, Series, SeriesShape};
    use crate::theme::{Depth, reduce};
    use expect_test::{Expect, expect};
    use unicode_width::UnicodeWidthStr;

    fn figure() -> Figure {
        let line = |name: &str, values: [f64; 3]| {
            let points = [0.0, 1.0, 2.0].into_iter().zip(values).collect();
            let path = Path::Marked;
            Series::new(name, SeriesShape::Line { points, path })
        };
        let names = ["one", "zwei", "三"].map(str::to_owned);
        Figure {
            title: "BLEU over runs".to_owned(),
            x: Axis::categories("run", names.into()),
            y: Axis::ratio("BLEU"),
            series: vec![
                line("all", [0.2, 0.3, 0.6]),
                line("adjusted", [0.1, 0.2, 0.3]),
            ],
            ..Figure::default()
        }
    }

    fn check(area: Rect, depth: Depth, expected: &Expect) {
        let name = if depth == Depth::True {
            "dark"
        } else {
            "ansi16"
        };
        let theme = Theme::named(name).expect("a theme of the binary");
        let mut buffer = Buffer::empty(Rect::new(0, 0, 44, 12));
        draw(&figure(), Glyphs::Blocks, area, &mut buffer, &theme);
        reduce(&mut buffer, depth);
        let mut shown = String::new();
        for y in 0..buffer.area.height {
            let mut line = String::new();
            let mut n_hidden = 0;
            for x in 0..buffer.area.width {
                let symbol = buffer[(x, y)].symbol();
                if n_hidden == 0 {
                    line.push_str(symbol);
                }
                n_hidden = usize::max(n_hidden, symbol.width()).saturating_sub(1);
            }
            shown.push_str(line.trim_end());
            shown.push('\n');
        }
        let mut colours: Vec<String> = Vec::new();
        for cell in &buffer.content {
            let look = format!("{} {:?} {:?}", cell.symbol(), cell.fg, cell.modifier);
            if "•×".contains(cell.symbol()) && !colours.contains(&look) {
                colours.push(look);
            }
        }
        expected.assert_eq(&format!("{shown}{}\n", colours.join("\n")));
    }

    #[test]
    fn series_differ_by_glyph_and_by_colour() {
        let area = Rect::new(0, 0, 44, 12);
        check(
            area,
            Depth::Sixteen,
            &expect![[r"
                BLEU over runs
                • all  × adjusted
                BLEU (%)
                100┤
                   │                              ···•
                 50┤                        ······
                   │      •·············×············×
                  0┤      ×·······
                   └──────┬─────────────┬────────────┬──────
                         one          zwei          三
                                       run

                • Cyan NONE
                × Yellow BOLD
            "]],
        );
        check(
            area,
            Depth::Mono,
            &expect![[r"
                BLEU over runs
                • all  × adjusted
                BLEU (%)
                100┤
                   │                              ···•
                 50┤                        ······
                   │      •·············×············×
                  0┤      ×·······
                   └──────┬─────────────┬────────────┬──────
                         one          zwei          三
                                       run

                • Reset NONE
                × Reset BOLD
            "]],
        );
    }

    #[test]
    fn a_chart_stays_in_its_area() {
        check(
            Rect::new(10, 2, 30, 7),
            Depth::True,
            &expect![[r"


                      BLEU over runs
                      • all  × adjusted
                      100┤
                       50┤                  ···•
                        0┤    ×········×·······×
                         └────┬────────┬───────┬────
                             one     zwei     三



            • Rgb(124, 183, 255) NONE
            × Rgb(255, 200, 107) BOLD
        "]],
        );
        // The visible part is too small for a chart, or there is none.
        for area in [Rect::new(40, 10, 30, 7), Rect::new(60, 20, 30, 7)] {
            let theme = Theme::named("dark").expect("a theme of the binary");
            let mut buffer = Buffer::empty(Rect::new(0, 0, 44, 12));
            draw(&figure(), Glyphs::Blocks, area, &mut buffer, &theme);
            assert!(buffer.content.iter().all(|cell| cell.symbol() == " "));
        }
    }
}
