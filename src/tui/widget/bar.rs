//! The bar at the top and the footer: where one is, and what one can do.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use crate::tui::keymap::{Bound, Context, Keymap};
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::frame::{cut, fill, pieces};

/// The screens that can be gone to, with the actions that do.
const TABS: &[(&str, Context)] = &[
    ("go-home", Context::Home),
    ("go-annotate", Context::Annotate),
    ("go-samples", Context::Samples),
    ("go-repos", Context::Repos),
    ("go-runs", Context::Runs),
    ("go-results", Context::Results),
    ("go-compare", Context::Compare),
    ("go-disagree", Context::Disagree),
    ("go-jobs", Context::Jobs),
];
/// From this width on every tab shows its key.
const WIDTH_WITH_KEYS: u16 = 100;

/// Draws the name, the screens and on the right what is known of the workspace.
pub fn draw_top(
    area: Rect,
    (keymap, context): (&Keymap, Context),
    note: &str,
    buffer: &mut Buffer,
    theme: &Theme,
) {
    fill(area, Role::Bar, buffer, theme);
    let active = match context {
        Context::Sample => Context::Samples,
        other => other,
    };
    let mut parts = vec![(" focalist  ".to_owned(), Role::BarActive)];
    for (id, tab) in TABS {
        let is_active = *tab == active;
        let role = if is_active {
            Role::BarActive
        } else {
            Role::Bar
        };
        let title = match (is_active, context) {
            (true, Context::Sample) => "Samples › Sample",
            _ => tab.title(),
        };
        let key = if area.width >= WIDTH_WITH_KEYS {
            keymap.label(context, id)
        } else {
            String::new()
        };
        parts.push((format!(" {key} {title} ").replace("  ", " "), role));
    }
    let parts: Vec<(&str, Role)> = parts
        .iter()
        .map(|(text, role)| (text.as_str(), *role))
        .collect();
    // The name and the active screen are told apart by more than colour only when the bar itself is plain.
    let (name, tabs) = parts.split_at(1);
    let x = pieces(area, &[(name[0].0, Role::Bar)], buffer, theme);
    buffer.set_style(
        Rect::new(area.x, area.y, x - area.x, 1),
        theme.style(Role::Strong),
    );
    let rest = Rect::new(x, area.y, area.right() - x, 1);
    let x = pieces(rest, tabs, buffer, theme);
    let room = usize::from(area.right().saturating_sub(x + 2));
    let note = shortened(note, room);
    let x = area.right().saturating_sub(1 + note.width() as u16);
    buffer.set_string(x, area.y, note, theme.style(Role::Bar));
}

/// Returns as many of the parts between dots as fit, from the first on.
fn shortened(note: &str, width: usize) -> &str {
    let mut note = note;
    while note.width() > width {
        note = note.rsplit_once(" · ").map_or("", |(first, _)| first);
    }
    note
}

/// Draws the keys of a context, the most important first; what does not fit is dropped from the end, `? help` never.
pub fn draw_footer(
    area: Rect,
    (keymap, context): (&Keymap, Context),
    note: (&str, Role),
    buffer: &mut Buffer,
    theme: &Theme,
) {
    let (note, note_role) = note;
    let mut hints: Vec<&Bound> = keymap
        .heard_in(context)
        .iter()
        .filter(|bound| !bound.action.hint.is_empty() && bound.has_keys())
        .collect();
    hints.sort_by_key(|bound| bound.action.rank);
    let help_idx = hints.iter().position(|bound| bound.action.id == "help");
    let help = help_idx.map(|idx| hints.remove(idx));
    let note = cut(note, usize::from(area.width) * 2 / 3);
    let help_width = help.map_or(0, width);
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
            (bound.action.hint, Role::Dim),
            ("  ", Role::Text),
        ];
        x = pieces(rest, &parts, buffer, theme);
    }
    let note_x = area.right().saturating_sub(note.width() as u16 + 1).max(x);
    let room = usize::from(area.right().saturating_sub(note_x));
    buffer.set_stringn(note_x, area.y, &note, room, theme.style(note_role));
}

fn width(bound: &Bound) -> usize {
    bound.first_key_label().width() + bound.action.hint.width() + 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_gives_up_its_last_parts() {
        assert_eq!(
            shortened("ada · 38 decided · 6.1/min", 40),
            "ada · 38 decided · 6.1/min"
        );
        assert_eq!(
            shortened("ada · 38 decided · 6.1/min", 16),
            "ada · 38 decided"
        );
        assert_eq!(shortened("ada · 38 decided", 8), "ada");
        assert_eq!(shortened("ada", 2), "");
    }
}
