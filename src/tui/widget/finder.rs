//! The finder: what is typed, the methods of a repository that fit, and the source of the one under the cursor.
//!
//! ```text
//! ┏ Find a method ━━━━━━━━━━━━━━━━━━━━━ Enter picks it · Esc ┓┌ Counter.inc(int) ───────────────┐
//! ┃ > cinc                                                   ┃│ 12   public int inc(int by) {    │
//! ┃ 2 of 4 310 methods                                       ┃│ 13       count += by;            │
//! ┃ Counter.inc(int)          src/main/java/p/Counter.java:12┃│ 14       return count;           │
//! ┃ CachedClient.invoke()        …/java/p/CachedClient.java:8┃│ 15   }                           │
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛└─────────────────────────────────┘
//! ```
//!
//! A narrow one has the source below. What fits is decided in `browse`; methods and sources come from whoever has an
//! index, when [`Finder::wants`] says so.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use unicode_width::UnicodeWidthStr;

use crate::browse::{Catalogue, Found, Fuzzy, Sought};
use crate::model::{Declared, Snippet};
use crate::tui::keymap::{InputCommand, Motion};
use crate::tui::paint::{self, Cache};
use crate::tui::text::{Doc, visible};
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::code::CodeView;
use crate::tui::widget::frame::{Pane, count, counted, cut, cut_start, fill, inside, pieces};
use crate::tui::widget::input::Input;

/// From here on list and source stand side by side.
const WIDTH_TWO_COLUMNS: u16 = 100;
/// What is left for a path with fewer columns says nothing.
const PATH_WIDTH_MIN: usize = 12;
/// The rows above the list: what is typed, and how many fit.
const HEAD_ROWS: u16 = 2;

/// A finder over the methods of one repository.
#[derive(Clone, Debug, Default)]
pub struct Finder {
    input: Input,
    /// Absent until they were read.
    catalogue: Option<Arc<Catalogue>>,
    fuzzy: Fuzzy,
    /// What `found` was found for.
    sought: Option<Sought>,
    found: Vec<Found>,
    cursor: usize,
    top: usize,
    list_area: Rect,
    preview_area: Rect,
    preview: CodeView,
    /// The key of the method that `preview` shows, and whether there is a source of it.
    previewed: Option<(String, bool)>,
    /// The key that was last asked for.
    asked: Option<String>,
}

impl Finder {
    /// Returns a finder in which something is typed already.
    #[must_use]
    pub fn new(typed: &str) -> Self {
        Self {
            input: Input::new(typed),
            ..Self::default()
        }
    }

    /// Takes the methods of the repository, empty when the index has none.
    pub fn take_methods(&mut self, catalogue: Arc<Catalogue>) {
        self.catalogue = Some(catalogue);
        self.sought = None;
        self.find();
    }

    /// Types or pastes.
    pub fn insert(&mut self, text: &str) {
        self.input.insert(text);
        self.find();
    }

    /// Edits what is typed.
    pub fn edit(&mut self, command: InputCommand) {
        self.input.edit(command);
        self.find();
    }

    /// Moves the cursor.
    pub fn step(&mut self, motion: Motion) {
        let page = usize::from(self.list_area.height).saturating_sub(1).max(1);
        let half = usize::from(self.list_area.height / 2).max(1);
        let cursor = match motion {
            Motion::Up => self.cursor.saturating_sub(1),
            Motion::Down => self.cursor + 1,
            Motion::HalfUp => self.cursor.saturating_sub(half),
            Motion::HalfDown => self.cursor + half,
            Motion::PageUp => self.cursor.saturating_sub(page),
            Motion::PageDown => self.cursor + page,
            Motion::First => 0,
            Motion::Last => usize::MAX,
            Motion::Left | Motion::Right => self.cursor,
        };
        self.cursor = cursor.min(self.found.len().saturating_sub(1));
        self.scroll_to_cursor();
    }

    /// Scrolls the source.
    pub fn scroll_preview(&mut self, motion: Motion) {
        self.preview.scroll(motion);
    }

    /// Returns the method under the cursor.
    #[must_use]
    pub fn chosen(&self) -> Option<&Declared> {
        let found = self.found.get(self.cursor)?;
        self.catalogue.as_ref()?.methods().get(found.idx as usize)
    }

    /// Returns the key of the method whose source is missing, each time once; the answer goes to
    /// [`Finder::take_preview`].
    pub fn wants(&mut self) -> Option<String> {
        let key = &self.chosen()?.key;
        let is_shown = self
            .previewed
            .as_ref()
            .is_some_and(|(shown, _)| shown == key);
        if is_shown || self.asked.as_ref() == Some(key) {
            return None;
        }
        self.asked = Some(key.clone());
        self.asked.clone()
    }

    /// Takes the source of a method, or that there is none; one that nobody waits for any more is dropped.
    pub fn take_preview(&mut self, key: &str, snippet: Option<&Snippet>) {
        if self.chosen().is_none_or(|chosen| chosen.key != key) {
            return;
        }
        let mut doc = Doc::default();
        match snippet {
            Some(snippet) => doc.push_snippet(snippet),
            None => doc.push_note(Role::Dim, " the index has no source of it"),
        }
        self.preview.show(Arc::new(doc));
        self.previewed = Some((key.to_owned(), snippet.is_some()));
        self.preview.arrange(self.preview_area, true);
    }

    /// Returns what the painter should colour.
    pub fn jobs(&self) -> impl Iterator<Item = paint::Job> {
        let blocks = self.preview.doc().blocks.iter();
        blocks.map(|block| paint::Job {
            id: block.id,
            text: block.text.clone(),
        })
    }

    /// Looks for what is typed, from the beginning unless only letters were added.
    fn find(&mut self) {
        let Some(catalogue) = self.catalogue.clone() else {
            return;
        };
        let sought = Sought::new(self.input.text());
        if self.sought.as_ref() == Some(&sought) {
            return;
        }
        let former = self.sought.as_ref().map(|it| (it, self.found.as_slice()));
        self.found = catalogue.find(&mut self.fuzzy, &sought, former);
        self.sought = Some(sought);
        (self.cursor, self.top) = (0, 0);
    }

    fn scroll_to_cursor(&mut self) {
        let height = usize::from(self.list_area.height).max(1);
        let top_max = self.found.len().saturating_sub(height);
        self.top = self.top.min(self.cursor).min(top_max);
        self.top = self.top.max((self.cursor + 1).saturating_sub(height));
    }

    /// Lays list and source out in an area.
    pub fn arrange(&mut self, area: Rect) {
        let (list, preview) = halves(area);
        let list = inside(list);
        let head = HEAD_ROWS.min(list.height);
        self.list_area = Rect::new(list.x, list.y + head, list.width, list.height - head);
        self.scroll_to_cursor();
        self.preview_area = inside(preview);
        self.preview.arrange(self.preview_area, true);
    }

    /// Draws into the area that it was arranged for; returns the place of the cursor in what is typed.
    pub fn draw(&self, area: Rect, buffer: &mut Buffer, theme: &Theme, cache: &Cache) -> Position {
        fill(area, Role::Popup, buffer, theme);
        let (list, preview) = halves(area);
        let pane = Pane {
            title: "Find a method",
            note: "Enter picks it · Esc",
            has_focus: true,
        };
        pane.draw(list, buffer, theme);
        let rows = inside(list);
        let prompt = Rect::new(rows.x, rows.y, rows.width, 1.min(rows.height));
        if prompt.is_empty() {
            return Position::new(area.x, area.y);
        }
        let x = pieces(prompt, &[(" > ", Role::Key)], buffer, theme);
        let field = Rect::new(x, prompt.y, prompt.right().saturating_sub(x), 1);
        let place = self.input.draw(field, Role::Popup, buffer, theme);
        if rows.height > 1 {
            let line = Rect::new(rows.x, rows.y + 1, rows.width, 1);
            let (text, role) = self.tally();
            pieces(line, &[(" ", role), (&text, role)], buffer, theme);
        }
        self.draw_list(buffer, theme);
        self.draw_preview(preview, buffer, (theme, cache));
        place
    }

    /// Returns how many methods fit, or why there are none.
    fn tally(&self) -> (String, Role) {
        let Some(catalogue) = &self.catalogue else {
            return ("reading the methods …".to_owned(), Role::Dim);
        };
        let n_methods = catalogue.methods().len() as u64;
        let n_found = self.found.len() as u64;
        if n_methods == 0 {
            let text = "the index of this repository is older: mine it again";
            (text.to_owned(), Role::Warning)
        } else if n_found == 0 {
            let text = format!("no method is called so, of {}", count(n_methods));
            (text, Role::Warning)
        } else if n_found == n_methods {
            (counted(n_methods, "method"), Role::Dim)
        } else {
            let text = format!("{} of {}", count(n_found), counted(n_methods, "method"));
            (text, Role::Dim)
        }
    }

    fn draw_list(&self, buffer: &mut Buffer, theme: &Theme) {
        let (Some(catalogue), Some(sought)) = (&self.catalogue, &self.sought) else {
            return;
        };
        // Positions are asked for of what is visible only; matching needs memory of its own, and drawing changes nothing.
        let mut fuzzy = Fuzzy::default();
        let visible = self.found.iter().enumerate().skip(self.top);
        for ((idx, found), y) in visible.zip(self.list_area.y..self.list_area.bottom()) {
            let Some(method) = catalogue.methods().get(found.idx as usize) else {
                continue;
            };
            let row = Rect::new(self.list_area.x, y, self.list_area.width, 1);
            let positions = catalogue.positions(&mut fuzzy, sought, *found);
            let name = (catalogue.short(found.idx), positions.as_slice());
            draw_row(name, method, row, (buffer, theme));
            if idx == self.cursor {
                buffer.set_style(row, theme.style(Role::Selected));
            }
        }
    }

    fn draw_preview(&self, area: Rect, buffer: &mut Buffer, (theme, cache): (&Theme, &Cache)) {
        let chosen = self.chosen();
        let shown = chosen.zip(self.previewed.as_ref());
        let is_shown = shown.is_some_and(|(chosen, (key, _))| chosen.key == *key);
        let package = chosen.map_or("", |chosen| package(&chosen.key));
        let below = if is_shown {
            self.preview.n_rows_below()
        } else {
            0
        };
        let note = match below {
            0 => String::new(),
            n => format!("↓{n} more"),
        };
        let pane = Pane {
            title: &visible(if package.is_empty() {
                "source"
            } else {
                package
            }),
            note: &note,
            has_focus: false,
        };
        pane.draw(area, buffer, theme);
        if is_shown {
            self.preview.draw(buffer, theme, cache);
        }
    }
}

/// Returns the areas of list and source.
fn halves(area: Rect) -> (Rect, Rect) {
    if area.width >= WIDTH_TWO_COLUMNS {
        let left = area.width / 2;
        (
            Rect {
                width: left,
                ..area
            },
            Rect {
                x: area.x + left,
                width: area.width - left,
                ..area
            },
        )
    } else {
        // One row more for the list: two of its rows are no methods.
        let upper = area.height.div_ceil(2).saturating_add(1).min(area.height);
        (
            Rect {
                height: upper,
                ..area
            },
            Rect {
                y: area.y + upper,
                height: area.height - upper,
                ..area
            },
        )
    }
}

/// Draws a method's name with the letters that fit, and where it is.
fn draw_row(
    (name, positions): (&str, &[u32]),
    method: &Declared,
    row: Rect,
    (buffer, theme): (&mut Buffer, &Theme),
) {
    let inner = Rect::new(
        row.x + 1.min(row.width),
        row.y,
        row.width.saturating_sub(2),
        1,
    );
    let width = usize::from(inner.width);
    let name = cut(&visible(name), width);
    let plain = theme.style(Role::Text);
    let fitting = theme
        .style(Role::Strong)
        .add_modifier(Modifier::BOLD | Modifier::UNDERLINED);
    let mut x = inner.x;
    for (char, at) in name.chars().zip(0..) {
        let fits = positions.binary_search(&at).is_ok();
        let style: Style = if fits { fitting } else { plain };
        let room = usize::from(inner.right().saturating_sub(x));
        let mut bytes = [0; 4];
        (x, _) = buffer.set_stringn(x, inner.y, char.encode_utf8(&mut bytes), room, style);
    }
    let room = usize::from(inner.right().saturating_sub(x)).saturating_sub(2);
    if room >= PATH_WIDTH_MIN {
        let place = format!("{}:{}", visible(&method.path), method.name_line);
        let place = cut_start(&place, room);
        let x = inner.right() - place.width() as u16;
        let rest = Rect::new(x, inner.y, inner.right() - x, 1);
        pieces(rest, &[(&place, Role::Dim)], buffer, theme);
    }
}

/// Returns `p.Outer` of `p.Outer.Counter#inc(int)`: what the list does not show.
fn package(key: &str) -> &str {
    let class = key.split('#').next().unwrap_or(key);
    class.rsplit_once('.').map_or("", |(package, _)| package)
}
