//! Frames: a screen as text, with the roles of the theme beside each line.
//!
//! A frame says nothing about colours. `frames/looks.txt` tells once how each role looks in each theme at each depth,
//! and how overlapping roles look on three whole screens: a new style of a role changes that file only.
//! `UPDATE_EXPECT=1` writes all files anew. Read the difference first.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use expect_test::expect_file;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use unicode_width::UnicodeWidthStr;

use super::start;
use crate::fixture;
use crate::fixture::AnswerResult;
use crate::question::AnyQuestion;
use crate::stage::UiStage;
use crate::theme::{Depth, Role, Theme, names, reduce};

/// Modifiers that no drawing code sets by itself: each stands for one role while a screen is drawn to find its roles.
const MARKS: [Modifier; 7] = [
    Modifier::DIM,
    Modifier::ITALIC,
    Modifier::SLOW_BLINK,
    Modifier::RAPID_BLINK,
    Modifier::REVERSED,
    Modifier::HIDDEN,
    Modifier::CROSSED_OUT,
];

const MODIFIERS: [(Modifier, &str); 5] = [
    (Modifier::BOLD, "bold"),
    (Modifier::ITALIC, "italic"),
    (Modifier::UNDERLINED, "underlined"),
    (Modifier::REVERSED, "reversed"),
    (Modifier::CROSSED_OUT, "struck"),
];

const DEPTHS: [(&str, Depth); 4] = [
    ("true colours", Depth::True),
    ("256 colours", Depth::Indexed),
    ("16 colours", Depth::Sixteen),
    ("no colours", Depth::Mono),
];

/// The theme and depth that terminals show by default, and the dark theme where there are few colours.
const LOOKS: [(&str, &str, Depth); 5] = [
    ("dark", "dark", Depth::True),
    ("dark in 256", "dark", Depth::Indexed),
    ("dark in 16", "dark", Depth::Sixteen),
    ("ansi16", "ansi16", Depth::Sixteen),
    ("no colours", "ansi16", Depth::Mono),
];

/// Compares a frame with its file: `text of the line  ¦ role 1-5,8 role 9`; columns count from 1, and plain text on the
/// screen's ground is not named.
pub fn check_frame(name: &str, width: u16, height: u16, keys: &str) {
    check_frame_of(fixture::answer, name, (width, height), keys);
}

pub fn check_frame_of<A>(answer: A, name: &str, (width, height): (u16, u16), keys: &str)
where
    A: Fn(&dyn AnyQuestion) -> AnswerResult + Copy,
{
    let mut stage = UiStage::new(start(width, height, "dark", Depth::True), answer);
    stage.press(keys).expect("the script is well-formed");
    stage.finish();
    let mut dump = format!("keys: {keys}\n");
    let roles = roles_of(&mut stage);
    let frame = in_look(&mut stage, "dark", Depth::True);
    push_lines(&mut dump, &frame, &roles);
    let file = format!("../frames/{name}_{width}x{height}.txt");
    expect_file![file].assert_eq(&dump);
    // Cells with the same roles look the same everywhere, so the names describe all that users see.
    for (_, theme, depth) in LOOKS {
        looks_by_roles(&roles, &in_look(&mut stage, theme, depth));
    }
}

/// Writes how the roles on a whole screen look at each depth.
fn push_screen(dump: &mut String, keys: &str) {
    let mut stage = UiStage::new(start(80, 24, "dark", Depth::True), fixture::answer);
    stage.press(keys).expect("the script is well-formed");
    let roles = roles_of(&mut stage);
    let mut rows: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (_, theme, depth) in LOOKS {
        for (name, look) in looks_by_roles(&roles, &in_look(&mut stage, theme, depth)) {
            rows.entry(name).or_default().push(look);
        }
    }
    let titles = LOOKS.map(|(title, _, _)| title.to_owned());
    push_row(dump, &format!("── keys: {keys}"), &titles);
    for (name, looks) in rows {
        push_row(dump, name, &looks);
    }
}

/// Writes how each role looks in a theme at each depth; `Reset` is the terminal's own colour.
fn push_theme(dump: &mut String, name: &str) {
    let theme = Theme::named(name).expect("a theme of the binary");
    let titles = DEPTHS.map(|(title, _)| title.to_owned());
    push_row(dump, &format!("── theme: {name}"), &titles);
    for role in Role::ALL {
        let looks = DEPTHS.map(|(_, depth)| {
            let mut cell = Buffer::empty(Rect::new(0, 0, 1, 1));
            cell.set_style(cell.area, theme.style(*role));
            reduce(&mut cell, depth);
            look_of(&cell[(0, 0)])
        });
        push_row(dump, role.as_str(), &looks);
    }
}

fn push_row(dump: &mut String, name: &str, looks: &[String]) {
    let mut row = format!("{name:34}");
    for look in looks {
        write!(row, " {look:38}").expect("a string takes every text");
    }
    dump.push_str(row.trim_end());
    dump.push('\n');
}

/// Draws the stage in a theme at a depth.
fn in_look<A>(stage: &mut UiStage<A>, theme: &str, depth: Depth) -> Buffer
where
    A: Fn(&dyn AnyQuestion) -> AnswerResult,
{
    stage
        .app
        .wear(Theme::named(theme).expect("a theme of the binary"), depth);
    stage.frame()
}

/// Names the roles that were drawn in each cell: the last one, then those that it lies on.
///
/// The screen is drawn in themes that nobody would use. In the first, the colour of a role is its number, so that a
/// cell tells which role came last; in the others, modifiers tell which roles were there.
fn roles_of<A>(stage: &mut UiStage<A>) -> Vec<String>
where
    A: Fn(&dyn AnyQuestion) -> AnswerResult,
{
    let number = |role: Role| Color::Indexed(role as u8);
    let numbered = |role: Role| Style::new().fg(number(role)).bg(number(role));
    stage.app.wear(Theme::of(numbered), Depth::True);
    let last = stage.frame().content;
    let mut drawn: Vec<Vec<Role>> = vec![Vec::new(); last.len()];
    for group in Role::ALL.chunks(MARKS.len()) {
        let marked = |role: Role| {
            let idx = group.iter().position(|member| *member == role);
            idx.map_or(Style::new(), |idx| Style::new().add_modifier(MARKS[idx]))
        };
        stage.app.wear(Theme::of(marked), Depth::True);
        for (cell, drawn) in stage.frame().content.iter().zip(&mut drawn) {
            let members = group.iter().zip(MARKS);
            let members = members.filter(|(_, mark)| cell.modifier.contains(*mark));
            drawn.extend(members.map(|(role, _)| *role));
        }
    }
    let mut roles: Vec<String> = Vec::with_capacity(last.len());
    for (idx, (cell, drawn)) in last.iter().zip(&drawn).enumerate() {
        let wide = roles.last().filter(|_| is_covered(&last, idx)).cloned();
        roles.push(wide.unwrap_or_else(|| name_of(cell, drawn)));
    }
    roles
}

/// Tells whether a cell is the second one of a wide letter, and so has no look of its own.
fn is_covered(cells: &[Cell], idx: usize) -> bool {
    idx > 0 && cells[idx - 1].symbol().width() > 1
}

/// Joins the roles of a cell to one word: `syntax-keyword+marked`, or `text/popup` where a role brought its letters
/// only. `text` is named only where nothing lies on it.
fn name_of(cell: &Cell, drawn: &[Role]) -> String {
    let is = |colour: Color, role: Role| Color::Indexed(role as u8) == colour;
    let role_of = |colour| {
        let role = Role::ALL.iter().find(|role| is(colour, **role));
        role.expect("a colour is a role's").as_str()
    };
    let mut name = role_of(cell.fg).to_owned();
    if cell.bg != cell.fg {
        name.push('/');
        name.push_str(role_of(cell.bg));
    }
    let is_under = |role: Role| !is(cell.fg, role) && !is(cell.bg, role) && role != Role::Text;
    let under = drawn.iter().filter(|role| is_under(**role));
    let modifiers = MODIFIERS.iter();
    let modifiers = modifiers.filter(|(modifier, _)| cell.modifier.contains(*modifier));
    for word in under
        .map(|role| role.as_str())
        .chain(modifiers.map(|(_, word)| *word))
    {
        name.push('+');
        name.push_str(word);
    }
    name
}

/// Describes the look of each combination of roles, and checks that it is the same in all cells.
fn looks_by_roles<'a>(roles: &'a [String], frame: &Buffer) -> BTreeMap<&'a str, String> {
    let mut looks: BTreeMap<&str, String> = BTreeMap::new();
    for (idx, (name, cell)) in roles.iter().zip(&frame.content).enumerate() {
        if is_covered(&frame.content, idx) {
            continue;
        }
        let look = look_of(cell);
        let known = looks.entry(name).or_insert_with(|| look.clone());
        assert_eq!(*known, look, "cells of `{name}` differ");
    }
    looks
}

/// Describes the colours and modifiers of a cell: `#8CC4FF/#3A3220 bold`, the background after the letters.
fn look_of(cell: &Cell) -> String {
    let mut look = cell.fg.to_string();
    if cell.bg != Color::Reset {
        write!(look, "/{}", cell.bg).expect("a string takes every text");
    }
    for (_, word) in MODIFIERS
        .iter()
        .filter(|(flag, _)| cell.modifier.contains(*flag))
    {
        look.push(' ');
        look.push_str(word);
    }
    look
}

fn push_lines(dump: &mut String, frame: &Buffer, roles: &[String]) {
    let width = usize::from(frame.area.width);
    for (cells, roles) in frame.content.chunks(width).zip(roles.chunks(width)) {
        let own = (0..width).filter(|idx| !is_covered(cells, *idx));
        let text: String = own.map(|idx| cells[idx].symbol()).collect();
        let seen = spans(roles);
        if seen.is_empty() {
            dump.push_str(text.trim_end());
        } else {
            dump.push_str(&text);
            dump.push_str("  ¦");
        }
        for (name, columns) in seen {
            write!(dump, " {name} {columns}").expect("a string takes every text");
        }
        dump.push('\n');
    }
}

/// Lists the columns of each name in a line, in the order in which the names appear.
fn spans(roles: &[String]) -> Vec<(&str, String)> {
    let mut spans: Vec<(&str, String)> = Vec::new();
    let mut from = 0;
    for same in roles.chunk_by(|a, b| a == b) {
        let (name, to) = (same[0].as_str(), from + same.len());
        let columns = match same.len() {
            1 => to.to_string(),
            _ => format!("{}-{to}", from + 1),
        };
        from = to;
        if name == Role::Text.as_str() {
            continue;
        }
        match spans.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => write!(known, ",{columns}").expect("a string takes every text"),
            None => spans.push((name, columns)),
        }
    }
    spans
}

#[test]
fn a_line_names_the_roles_with_their_columns() {
    let roles = ["text", "key", "key", "text", "dim+popup", "key"].map(str::to_owned);
    let expected = [("key", "2-3,6".to_owned()), ("dim+popup", "5".to_owned())];
    assert_eq!(spans(&roles), expected);
}

#[test]
fn roles_look_as_they_did_in_each_theme_and_on_three_screens_at_each_depth() {
    let mut dump = String::new();
    for name in names() {
        push_theme(&mut dump, name);
    }
    for keys in ["ga", "gk<tab>v", "gs<c-p>rejects token12"] {
        push_screen(&mut dump, keys);
    }
    expect_file!["../frames/looks.txt"].assert_eq(&dump);
}
