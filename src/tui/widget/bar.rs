//! The bar at the top and the footer: the user's place, and the keys that can be pressed.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use crate::keymap::{KeyBinding, KeyContext, Keymap};
use crate::screen::Screen;
use crate::theme::{Role, Theme};
use crate::widget::frame::{cut, fill, pieces};

/// The screens in the bar, with the ids of the actions that go there.
const TABS: &[(&str, Screen)] = &[
    ("go-home", Screen::Home),
    ("go-annotate", Screen::Annotate),
    ("go-samples", Screen::Samples),
    ("go-repos", Screen::Repos),
    ("go-runs", Screen::Runs),
    ("go-results", Screen::Results),
    ("go-compare", Screen::Compare),
    ("go-disagree", Screen::Disagree),
    ("go-jobs", Screen::Jobs),
    ("go-consistency", Screen::Consistency),
    ("go-clover", Screen::Clover),
];
/// The columns reserved for the note: the screens in the bar must not change with its length.
const NOTE_MIN: usize = 5;
const NOTE_MIN_BESIDE_KEYS: usize = 16;
/// The number of tabs that stay where there is no room for all; the others belong to one way of work.
const N_TABS_MIN: usize = 9;
const NAME: &str = " focalist  ";

/// The right end of the bar at the top: the annotator, and facts about the workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BarNote {
    /// The parts in the order of the bar, the most important first.
    pub parts: Vec<String>,
    /// The index of the part that stays even in the narrowest bar.
    pub kept: Option<usize>,
}

impl BarNote {
    /// Computes the width that is reserved when the tabs are laid out: the first part's, and the kept one's if it is
    /// another.
    fn width_min(&self) -> usize {
        let first = self.parts.first().map_or(0, |part| part.width());
        let kept = self.kept.filter(|idx| *idx > 0);
        let kept = kept.and_then(|idx| self.parts.get(idx));
        first + kept.map_or(0, |part| part.width() + SEPARATOR.width())
    }

    /// Joins as many parts as fit, dropping them from the end; the kept part is never dropped, only cut.
    fn fitted(&self, width: usize) -> String {
        let mut places: Vec<usize> = (0..self.parts.len()).collect();
        loop {
            let parts: Vec<&str> = places.iter().map(|idx| self.parts[*idx].as_str()).collect();
            let text = parts.join(SEPARATOR);
            let dropped = places.iter().rposition(|idx| Some(*idx) != self.kept);
            match dropped {
                Some(place) if text.width() > width => drop(places.remove(place)),
                _ => return cut(&text, width),
            }
        }
    }
}

const SEPARATOR: &str = " · ";

/// A tab of the bar; one without a screen leads nowhere.
struct Tab {
    text: String,
    role: Role,
    screen: Option<Screen>,
}

/// Draws the name, the tabs, and the note on the right: every screen with its key where that leaves room for the note,
/// else without keys, else only the shown one.
pub fn draw_top(
    area: Rect,
    at: (&Keymap, Screen),
    note: &BarNote,
    buffer: &mut Buffer,
    theme: &Theme,
) {
    fill(area, Role::Bar, buffer, theme);
    let x = pieces(area, &[(NAME, Role::Bar)], buffer, theme);
    buffer.set_style(
        Rect::new(area.x, area.y, x - area.x, 1),
        theme.style(Role::Strong),
    );
    let tabs = fitting(area, at, note);
    let tabs: Vec<(&str, Role)> = tabs
        .iter()
        .map(|tab| (tab.text.as_str(), tab.role))
        .collect();
    let rest = Rect::new(x, area.y, area.right().saturating_sub(x), 1);
    let x = pieces(rest, &tabs, buffer, theme);
    let room = usize::from(area.right().saturating_sub(x + 2));
    let note = note.fitted(room);
    let x = area.right().saturating_sub(1 + note.width() as u16);
    buffer.set_string(x, area.y, note, theme.style(Role::Bar));
}

/// Finds the screen whose tab is at a column.
#[must_use]
pub fn tab_at(area: Rect, at: (&Keymap, Screen), note: &BarNote, x: u16) -> Option<Screen> {
    let mut end = usize::from(area.x) + NAME.width();
    let tabs = fitting(area, at, note);
    let mut under = tabs.into_iter().skip_while(|tab| {
        end += tab.text.width();
        end <= usize::from(x)
    });
    under
        .next()
        .filter(|_| usize::from(x) >= NAME.width())?
        .screen
}

/// Chooses the tabs that fit.
fn fitting(area: Rect, at: (&Keymap, Screen), note: &BarNote) -> Vec<Tab> {
    let room = usize::from(area.width).saturating_sub(NAME.width());
    let first_note = note.width_min();
    // Measured with the longest title, so that every screen has the same tabs.
    let spare = |place: Screen| title(place).width() - tab_of(place).title().width();
    let longest = [Screen::Sample, Screen::Faults].map(spare);
    let shown = title(at.1).width() - tab_of(at.1).title().width();
    let longest = longest.into_iter().max().unwrap_or(0) - shown;
    let width = |tabs: &[Tab]| tabs.iter().map(|tab| tab.text.width()).sum::<usize>();
    let with_keys = tabs(at, true);
    if width(&with_keys) + longest + NOTE_MIN_BESIDE_KEYS + 2 <= room {
        return with_keys;
    }
    let mut without = tabs(at, false);
    let fits_all = width(&without) + longest + NOTE_MIN + 2 <= room;
    if !fits_all && width(&without) + first_note + 2 >= room {
        let is_kept = |(idx, tab): &(usize, Tab)| *idx < N_TABS_MIN || tab.screen == Some(at.1);
        let kept = without.into_iter().enumerate().filter(is_kept);
        without = kept.map(|kept| kept.1).collect();
    }
    if width(&without) < room {
        without
    } else {
        alone(at)
    }
}

/// Makes the tabs of all screens, with the shown one marked.
fn tabs((keymap, screen): (&Keymap, Screen), has_keys: bool) -> Vec<Tab> {
    let tab = |(id, tab): &(&str, Screen)| {
        let is_active = *tab == tab_of(screen);
        let (title, role) = if is_active {
            (title(screen), Role::BarActive)
        } else {
            (tab.title(), Role::Bar)
        };
        let key = if has_keys {
            keymap.label(KeyContext::On(screen), id)
        } else {
            String::new()
        };
        Tab {
            text: format!(" {key} {title} ").replace("  ", " "),
            role,
            screen: Some(*tab),
        }
    };
    TABS.iter().map(tab).collect()
}

/// Makes the tab of the shown screen, and one with the first key of the way to the others.
fn alone((keymap, screen): (&Keymap, Screen)) -> Vec<Tab> {
    let key = keymap.label(KeyContext::On(screen), TABS[0].0);
    let key: String = key.chars().take(1).collect();
    let tab = |text: String, role, screen| Tab { text, role, screen };
    vec![
        tab(
            format!(" {} ", title(screen)),
            Role::BarActive,
            Some(tab_of(screen)),
        ),
        tab(format!("  {key} go to …"), Role::Bar, None),
    ]
}

fn tab_of(screen: Screen) -> Screen {
    match screen {
        Screen::Sample => Screen::Samples,
        Screen::Faults => Screen::Results,
        other => other,
    }
}

fn title(screen: Screen) -> &'static str {
    match screen {
        Screen::Sample => "Samples › Sample",
        Screen::Faults => "Results › Faults",
        other => other.title(),
    }
}

/// Draws the keys of a context, the most important first, without the actions `left_out`, which would be refused. Keys
/// that do not fit beside the message are dropped from the end, but never the key of the help.
pub fn draw_footer(
    area: Rect,
    (keymap, context, left_out): (&Keymap, KeyContext, &[&str]),
    note: (&str, Role),
    buffer: &mut Buffer,
    theme: &Theme,
) {
    let (note, note_role) = note;
    let mut hints: Vec<&KeyBinding> = keymap
        .heard_in(context)
        .iter()
        .filter(|bound| !bound.action.hint.is_empty() && bound.has_keys())
        .filter(|bound| !left_out.contains(&bound.action.id))
        .collect();
    hints.sort_by_key(|bound| bound.action.rank);
    let help_idx = hints.iter().position(|bound| bound.action.id == "help");
    let help = help_idx.map(|idx| hints.remove(idx));
    let width =
        |bound: &KeyBinding| bound.first_key_label().width() + hint(bound, context).width() + 3;
    let help_width = help.map_or(0, width);
    let note = cut(note, usize::from(area.width).saturating_sub(help_width + 2));
    let mut room = usize::from(area.width).saturating_sub(note.width() + help_width + 2);
    let mut shown = Vec::new();
    for bound in hints {
        if width(bound) > room {
            break;
        }
        room -= width(bound);
        shown.push(bound);
    }
    shown.extend(help);
    let mut x = area.x + 1;
    for bound in shown {
        let rest = Rect::new(x, area.y, area.right().saturating_sub(x), 1);
        let key = bound.first_key_label();
        let parts = [
            (key.as_str(), Role::Key),
            (" ", Role::Text),
            (hint(bound, context), Role::Dim),
            ("  ", Role::Text),
        ];
        x = pieces(rest, &parts, buffer, theme);
    }
    let note_x = area.right().saturating_sub(note.width() as u16 + 1).max(x);
    let room = usize::from(area.right().saturating_sub(note_x));
    buffer.set_stringn(note_x, area.y, &note, room, theme.style(note_role));
}

/// Draws these keys, each with a word, as far as they fit.
pub fn draw_keys(area: Rect, keys: &[(&str, &str)], buffer: &mut Buffer, theme: &Theme) {
    let mut x = area.x + 1;
    for (key, word) in keys {
        let rest = Rect::new(x, area.y, area.right().saturating_sub(x), 1);
        let parts = [
            (*key, Role::Key),
            (" ", Role::Text),
            (*word, Role::Dim),
            ("  ", Role::Text),
        ];
        x = pieces(rest, &parts, buffer, theme);
    }
}

/// Returns the hint of a key in this context: on Home, `back` quits.
fn hint(bound: &KeyBinding, context: KeyContext) -> &'static str {
    match (bound.action.id, context) {
        ("back", KeyContext::On(Screen::Home)) => "quit",
        _ => bound.action.hint,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_loses_its_last_parts_first_and_the_kept_one_never() {
        let check = |parts: &[&str], kept: usize, width: usize, expected: &str| {
            let note = BarNote {
                parts: parts.iter().map(|part| (*part).to_owned()).collect(),
                kept: Some(kept),
            };
            assert_eq!(note.fitted(width), expected);
        };
        let judging = ["ada", "38 decided", "6.1/min"];
        check(&judging, 0, 40, "ada · 38 decided · 6.1/min");
        check(&judging, 0, 16, "ada · 38 decided");
        check(&judging, 0, 8, "ada");
        let elsewhere = ["812 tests", "2 repositories", "ada"];
        check(&elsewhere, 2, 40, "812 tests · 2 repositories · ada");
        check(&elsewhere, 2, 16, "812 tests · ada");
        check(&elsewhere, 2, 8, "ada");
        check(&elsewhere, 2, 0, "");
    }
}
