//! A frame as an SVG picture: a rectangle for each run of equal background, a text for each run of equal style.

use std::fmt::Write as _;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr;

use crate::theme::{Role, Theme};

/// Advance and line height of the font at 14 px; with any other height, box lines have gaps.
const CELL_WIDTH: f64 = 8.43;
const CELL_HEIGHT: f64 = 16.3;
const BASELINE: f64 = 12.9;
const FONT_SIZE: u32 = 14;
const MARGIN: f64 = 10.0;

/// The colours for cells where the theme leaves the choice to the terminal.
const DEFAULT_FRONT: [u8; 3] = [0xd7, 0xdc, 0xe5];
const DEFAULT_BACK: [u8; 3] = [0x14, 0x17, 0x1d];

/// Draws a frame as a picture; `theme` gives the colour of the ground.
#[must_use]
pub fn svg(buffer: &Buffer, theme: &Theme) -> String {
    let area = buffer.area;
    let width = f64::from(area.width) * CELL_WIDTH + 2.0 * MARGIN;
    let height = f64::from(area.height) * CELL_HEIGHT + 2.0 * MARGIN;
    let ground = theme.style(Role::Text).bg.unwrap_or(Color::Reset);
    let ground = hex(ground, DEFAULT_BACK);
    let mut svg = String::new();
    push(
        &mut svg,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.2} {height:.2}\">\n\
             <rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{ground}\"/>\n\
             <g font-family=\"'DejaVu Sans Mono', 'Menlo', 'Consolas', monospace\" font-size=\"{FONT_SIZE}\" \
             xml:space=\"preserve\">\n"
        ),
    );
    for y in area.top()..area.bottom() {
        let row: Vec<&Cell> = (area.left()..area.right())
            .map(|x| &buffer[(x, y)])
            .collect();
        for (start, end) in runs(&row, |cell| colours(cell).1) {
            let (_, back) = colours(row[start]);
            if back != ground {
                let (x, y) = place(start, y);
                let width = (end - start) as f64 * CELL_WIDTH;
                push(
                    &mut svg,
                    format_args!(
                        "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{CELL_HEIGHT}\" fill=\"{back}\"/>\n"
                    ),
                );
            }
        }
        for (start, end) in runs(&row, |cell| (colours(cell).0, cell.modifier)) {
            push_text(&mut svg, &row[start..end], place(start, y));
        }
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

fn push(svg: &mut String, text: std::fmt::Arguments<'_>) {
    svg.write_fmt(text).expect("a string takes every text");
}

/// Finds the runs of cells that are equal under `key`.
fn runs<K: PartialEq>(row: &[&Cell], key: impl Fn(&Cell) -> K) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for idx in 0..row.len() {
        match runs.last_mut() {
            Some((start, end)) if key(row[*start]) == key(row[idx]) => *end = idx + 1,
            _ => runs.push((idx, idx + 1)),
        }
    }
    runs
}

fn place(column: usize, row: u16) -> (f64, f64) {
    (
        MARGIN + column as f64 * CELL_WIDTH,
        MARGIN + f64::from(row) * CELL_HEIGHT,
    )
}

/// Writes the text of a run, without blanks at its ends unless they are underlined.
fn push_text(svg: &mut String, cells: &[&Cell], (x, y): (f64, f64)) {
    let text: String = cells.iter().map(|cell| cell.symbol()).collect();
    let modifier = cells[0].modifier;
    let is_underlined = modifier.contains(Modifier::UNDERLINED);
    if text.trim().is_empty() && !is_underlined {
        return;
    }
    let n_blanks = text.len() - text.trim_start_matches(' ').len();
    let (text, x) = if is_underlined {
        (text.as_str(), x)
    } else {
        (text.trim_matches(' '), x + n_blanks as f64 * CELL_WIDTH)
    };
    let mut style = String::new();
    for (flag, attribute) in [
        (Modifier::BOLD, " font-weight=\"bold\""),
        (Modifier::ITALIC, " font-style=\"italic\""),
        (Modifier::UNDERLINED, " text-decoration=\"underline\""),
    ] {
        if modifier.contains(flag) {
            style.push_str(attribute);
        }
    }
    let (front, _) = colours(cells[0]);
    let width = text.width() as f64 * CELL_WIDTH;
    let y = y + BASELINE;
    let text = escape(text);
    push(
        svg,
        format_args!(
            "<text x=\"{x:.2}\" y=\"{y:.2}\" fill=\"{front}\" textLength=\"{width:.2}\" \
             lengthAdjust=\"spacingAndGlyphs\"{style}>{text}</text>\n"
        ),
    );
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Returns the colours of text and ground, exchanged where the cell is reversed.
fn colours(cell: &Cell) -> (String, String) {
    let front = hex(cell.fg, DEFAULT_FRONT);
    let back = hex(cell.bg, DEFAULT_BACK);
    if cell.modifier.contains(Modifier::REVERSED) {
        (back, front)
    } else {
        (front, back)
    }
}

fn hex(colour: Color, default: [u8; 3]) -> String {
    let [red, green, blue] = rgb(colour).unwrap_or(default);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Looks up the value of a colour as most terminals show it; nothing for the terminal's own.
fn rgb(colour: Color) -> Option<[u8; 3]> {
    Some(match colour {
        Color::Reset => return None,
        Color::Black => [0x1c, 0x1f, 0x26],
        Color::Red => [0xe0, 0x6c, 0x65],
        Color::Green => [0x8c, 0xc2, 0x65],
        Color::Yellow => [0xd8, 0xb4, 0x5e],
        Color::Blue => [0x62, 0xa4, 0xf0],
        Color::Magenta => [0xc6, 0x86, 0xd8],
        Color::Cyan => [0x5a, 0xc2, 0xc8],
        Color::Gray => [0xc0, 0xc6, 0xd0],
        Color::DarkGray => [0x7a, 0x84, 0x92],
        Color::LightRed => [0xff, 0x8f, 0x87],
        Color::LightGreen => [0xb0, 0xe0, 0x86],
        Color::LightYellow => [0xff, 0xd8, 0x80],
        Color::LightBlue => [0x8c, 0xc4, 0xff],
        Color::LightMagenta => [0xe9, 0xa8, 0xf5],
        Color::LightCyan => [0x86, 0xe4, 0xe8],
        Color::White => [0xf5, 0xf7, 0xfa],
        Color::Rgb(red, green, blue) => [red, green, blue],
        Color::Indexed(idx) => cube(idx)?,
    })
}

/// Computes the value of one of xterm's 256 colours; the first sixteen vary and are not used.
fn cube(idx: u8) -> Option<[u8; 3]> {
    const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    if idx >= 232 {
        return Some([8 + 10 * (idx - 232); 3]);
    }
    let idx = idx.checked_sub(16)?;
    let level = |digit: u8| LEVELS[usize::from(digit % 6)];
    Some([level(idx / 36), level(idx / 6), level(idx)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    #[test]
    fn a_frame_is_runs_of_ground_and_text() {
        let theme = Theme::named("dark").expect("a theme of the binary");
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 2));
        buffer.set_style(buffer.area, theme.style(Role::Text));
        buffer.set_string(1, 0, "a <b>", Style::new().bold());
        buffer.set_string(0, 1, "sel", theme.style(Role::Selected));
        expect![[r##"
            <svg xmlns="http://www.w3.org/2000/svg" width="87" height="53" viewBox="0 0 87.44 52.60">
            <rect width="100%" height="100%" rx="6" fill="#14171d"/>
            <g font-family="'DejaVu Sans Mono', 'Menlo', 'Consolas', monospace" font-size="14" xml:space="preserve">
            <text x="18.43" y="22.90" fill="#d7dce5" textLength="42.15" lengthAdjust="spacingAndGlyphs" font-weight="bold">a &lt;b&gt;</text>
            <rect x="10.00" y="26.30" width="25.29" height="16.3" fill="#2b3443"/>
            <text x="10.00" y="39.20" fill="#f2f5fa" textLength="25.29" lengthAdjust="spacingAndGlyphs" font-weight="bold">sel</text>
            </g>
            </svg>
        "##]].assert_eq(&svg(&buffer, &theme));
    }
}
