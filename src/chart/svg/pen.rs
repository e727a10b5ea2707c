//! The means of writing an SVG: elements, escaped text, and estimated widths of text.

use std::fmt::{Arguments, Write as _};

use unicode_width::UnicodeWidthChar;

/// Okabe and Ito's colours, those that stand out from white first.
const COLOURS: [&str; 8] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#f0e442",
];
const DASHES: [&str; 6] = ["", "6 3", "2 2", "8 3 2 3", "10 4", "4 2 1 2"];

pub(super) const INK: &str = "#1a1a1a";
pub(super) const FAINT: &str = "#595959";
pub(super) const GRID: &str = "#e4e4e4";

pub(super) fn colour(idx: usize) -> &'static str {
    COLOURS[idx % COLOURS.len()]
}

/// Writes the attribute that dashes a line of the series; nothing for the first.
pub(super) fn dash(idx: usize) -> String {
    match DASHES[idx % DASHES.len()] {
        "" => String::new(),
        dashes => format!(" stroke-dasharray=\"{dashes}\""),
    }
}

/// The point of a text that stands at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Start => "",
            Self::Middle => " text-anchor=\"middle\"",
            Self::End => " text-anchor=\"end\"",
        }
    }
}

/// An SVG as far as it is written.
#[derive(Debug, Default)]
pub(super) struct Pen {
    pub svg: String,
}

impl Pen {
    pub(super) fn push(&mut self, text: Arguments<'_>) {
        self.svg.write_fmt(text).expect("a string takes every text");
    }

    /// Writes a line of text; `attributes` begin with a blank.
    pub(super) fn text(
        &mut self,
        (x, y): (f64, f64),
        text: &str,
        (size, anchor, attributes): (f64, Anchor, &str),
    ) {
        if text.is_empty() {
            return;
        }
        let (anchor, text) = (anchor.as_str(), escape(text));
        self.push(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\"{anchor}{attributes}>{text}</text>\n"
        ));
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), attributes: &str) {
        self.push(format_args!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"{attributes}/>\n",
            from.0, from.1, to.0, to.1
        ));
    }

    /// Writes a rectangle between two corners.
    pub(super) fn rect(&mut self, from: (f64, f64), to: (f64, f64), attributes: &str) {
        let (x, y) = (from.0.min(to.0), from.1.min(to.1));
        let (width, height) = ((from.0 - to.0).abs(), (from.1 - to.1).abs());
        self.push(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"{attributes}/>\n"
        ));
    }

    pub(super) fn polyline(&mut self, points: &[(f64, f64)], attributes: &str) {
        let mut list = String::new();
        for (idx, (x, y)) in points.iter().enumerate() {
            let blank = if idx > 0 { " " } else { "" };
            list.push_str(&format!("{blank}{x:.1},{y:.1}"));
        }
        self.push(format_args!("<polyline points=\"{list}\"{attributes}/>\n"));
    }

    /// Writes the marker of a series.
    pub(super) fn marker(&mut self, idx: usize, (x, y): (f64, f64), r: f64) {
        let fill = colour(idx);
        let d = |points: &[(f64, f64)]| {
            let list: Vec<String> = points
                .iter()
                .map(|point| format!("{:.1},{:.1}", x + r * point.0, y + r * point.1))
                .collect();
            list.join(" ")
        };
        let points = match idx % 6 {
            0 => {
                self.push(format_args!(
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r:.1}\" fill=\"{fill}\"/>\n"
                ));
                return;
            }
            1 => d(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
            2 => d(&[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)]),
            3 => d(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]),
            4 => d(&[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)]),
            _ => d(&[
                (-0.3, -1.2),
                (0.3, -1.2),
                (0.3, -0.3),
                (1.2, -0.3),
                (1.2, 0.3),
                (0.3, 0.3),
                (0.3, 1.2),
                (-0.3, 1.2),
                (-0.3, 0.3),
                (-1.2, 0.3),
                (-1.2, -0.3),
                (-0.3, -0.3),
            ]),
        };
        self.push(format_args!(
            "<polygon points=\"{points}\" fill=\"{fill}\"/>\n"
        ));
    }

    /// Writes the patterns of the bars' fills, which tell them apart in black-and-white print.
    pub(super) fn patterns(&mut self, used: &[usize]) {
        if used.iter().all(|n| *n == 0) {
            return;
        }
        self.svg.push_str("<defs>\n");
        for idx in used.iter().copied().filter(|used| *used > 0) {
            let fill = colour(idx);
            let ink = match idx % 4 {
                1 => {
                    "<path d=\"M-1,1 l2,-2 M0,6 l6,-6 M5,7 l2,-2\" stroke=\"#fff\" stroke-width=\"1.4\"/>"
                }
                2 => "<circle cx=\"3\" cy=\"3\" r=\"1.3\" fill=\"#fff\"/>",
                3 => "<path d=\"M0,3 h6\" stroke=\"#fff\" stroke-width=\"1.4\"/>",
                _ => "<path d=\"M0,3 h6 M3,0 v6\" stroke=\"#fff\" stroke-width=\"1\"/>",
            };
            self.push(format_args!(
                "<pattern id=\"fill{idx}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">\
                 <rect width=\"6\" height=\"6\" fill=\"{fill}\"/>{ink}</pattern>\n"
            ));
        }
        self.svg.push_str("</defs>\n");
    }
}

/// Chooses the fill of the series' bars.
pub(super) fn fill(idx: usize) -> String {
    if idx == 0 {
        colour(0).to_owned()
    } else {
        format!("url(#fill{idx})")
    }
}

/// Escapes text for XML, and drops characters that XML cannot hold.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for c in crate::printable(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Estimates the width of a text: as in Helvetica, and a seventh more, because nobody knows which font it will be and
/// some (Verdana, those of many Linux systems) are wider.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let of = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '|' | '!' | '\'' | ' ' | '·' => 0.28,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' | '"' => 0.35,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.87,
        'A'..='Z' | '&' => 0.69,
        other => 0.56 * other.width().unwrap_or(0) as f64,
    };
    text.chars().map(of).sum::<f64>() * size * 8.0 / 7.0
}

/// Cuts text to a width of at most `room`; a cut is marked.
pub(super) fn cut(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut wide = width("…", size);
    for c in text.chars() {
        wide += width(c.encode_utf8(&mut [0; 4]), size);
        if wide > room {
            break;
        }
        short.push(c);
    }
    short.push('…');
    short
}

/// Breaks text between words into lines of at most this width, at most `n_lines` of them.
pub(super) fn wrap(text: &str, size: f64, room: f64, n_lines: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let is_last = lines.len() == n_lines;
        match lines.last_mut() {
            // The word that is too much in the last line is cut off below, with the mark that says so.
            Some(line) if is_last || fits(line, word, size, room) => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
        .into_iter()
        .map(|line| cut(&line, size, room))
        .collect()
}

fn fits(line: &str, word: &str, size: f64, room: f64) -> bool {
    width(line, size) + width(" ", size) + width(word, size) <= room
}
