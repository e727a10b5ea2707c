//! The finder: the typed text, the methods of a repository that fit, and the source of the one under the cursor.
//!
//! ```text
//! ┏ Find a method ━━━━━━━━━━━━━━━━━━━━━ Enter picks it · Esc ┓┌ p.Counter.inc(int) ─────────────┐
//! ┃ > cinc                                                   ┃│ 12   public int inc(int by) {    │
//! ┃ 2 of 4 310 methods                                       ┃│ 13       count += by;            │
//! ┃ Counter.inc(int)          src/main/java/p/Counter.java:12┃│ 14       return count;           │
//! ┃ CachedClient.invoke()        …/java/p/CachedClient.java:8┃│ 15   }                           │
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛└─────────────────────────────────┘
//! ```
//!
//! A narrow area has the source below the list, and one with few rows leaves it out. `browse` decides which methods
//! fit; methods and sources come from the owner of an index, when [`Finder::wants`] asks for them.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use unicode_width::UnicodeWidthStr;

use crate::browse::{Catalogue, Fuzzy, MethodHit, MethodQuery};
use crate::keymap::{InputCommand, Motion};
use crate::layout::{above, beside};
use crate::mine::language_of;
use crate::model::{DeclaredMethod, Snippet};
use crate::paint::{self, Cache};
use crate::text::{Doc, visible};
use crate::theme::{Role, Theme};
use crate::widget::code::CodeView;
use crate::widget::frame::{Pane, count, counted, cut, cut_start, fill, inside, pieces};
use crate::widget::input::Input;

/// From this width on, list and source stand side by side.
const WIDTH_TWO_COLUMNS: u16 = 100;
/// With fewer rows, the list takes all of them.
const HEIGHT_TWO_PARTS: u16 = 14;
/// In fewer columns, the end of a path says nothing.
const PATH_WIDTH_MIN: usize = 12;
/// The rows above the list: the typed text, and the number of methods that fit.
const HEAD_ROWS: u16 = 2;

/// A finder over the methods of one repository.
#[derive(Clone, Debug, Default)]
pub struct Finder {
    input: Input,
    /// Absent until the methods are read.
    catalogue: Option<Arc<Catalogue>>,
    fuzzy: Fuzzy,
    /// The query that `hits` answer.
    sought: Option<MethodQuery>,
    hits: Vec<MethodHit>,
    cursor: usize,
    top: usize,
    list_area: Rect,
    preview_area: Rect,
    preview: CodeView,
    /// The key of the method that `preview` shows.
    previewed: Option<String>,
    /// The key that was asked for last, until it is answered.
    requested: Option<String>,
}

impl Finder {
    /// Makes a finder with a text that is typed already.
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

    /// Types or pastes text, and searches for it.
    pub fn insert(&mut self, text: &str) {
        self.input.insert(text);
        self.find();
    }

    /// Edits the typed text.
    pub fn edit(&mut self, command: InputCommand) {
        self.input.edit(command);
        self.find();
    }

    /// Moves the cursor in the list.
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
        self.cursor = cursor.min(self.hits.len().saturating_sub(1));
        self.scroll_to_cursor();
    }

    /// Scrolls the source.
    pub fn scroll_preview(&mut self, motion: Motion) {
        self.preview.scroll(motion);
    }

    /// Returns the method under the cursor.
    #[must_use]
    pub fn chosen(&self) -> Option<&DeclaredMethod> {
        let found = self.hits.get(self.cursor)?;
        self.catalogue.as_ref()?.methods().get(found.idx as usize)
    }

    /// Returns the key of the method whose source is missing, once until it is answered; the answer goes to
    /// [`Finder::take_preview`].
    pub fn wants(&mut self) -> Option<String> {
        let key = &self.chosen()?.key;
        if [&self.previewed, &self.requested].contains(&&Some(key.clone())) {
            return None;
        }
        self.requested = Some(key.clone());
        self.requested.clone()
    }

    /// Takes the source of a method, or the news that there is none; dropped when another method is under the cursor by
    /// now.
    pub fn take_preview(&mut self, key: &str, snippet: Option<&Snippet>) {
        self.requested.take_if(|asked| asked == key);
        if self.chosen().is_none_or(|chosen| chosen.key != key) {
            return;
        }
        let mut doc = Doc::default();
        match snippet {
            Some(snippet) => doc.push_snippet(snippet),
            None => doc.push_note(Role::Dim, " the index does not have its source"),
        }
        self.preview.show(Arc::new(doc));
        self.previewed = Some(key.to_owned());
        self.preview.arrange(self.preview_area, true);
    }

    /// Iterates over the painter's jobs for the source.
    pub fn jobs(&self) -> impl Iterator<Item = paint::PaintJob> {
        let blocks = self.preview.doc().blocks.iter();
        blocks.map(|block| paint::PaintJob {
            id: block.id,
            language: language_of(&block.path),
            text: block.text.clone(),
        })
    }

    /// Searches for the typed text; where letters were only added, among the methods found before.
    fn find(&mut self) {
        let Some(catalogue) = self.catalogue.clone() else {
            return;
        };
        let sought = MethodQuery::new(self.input.text());
        if self.sought.as_ref() == Some(&sought) {
            return;
        }
        let former = self
            .sought
            .as_ref()
            .map(|method_query| (method_query, self.hits.as_slice()));
        self.hits = catalogue.find(&mut self.fuzzy, &sought, former);
        self.sought = Some(sought);
        (self.cursor, self.top) = (0, 0);
    }

    fn scroll_to_cursor(&mut self) {
        let height = usize::from(self.list_area.height).max(1);
        let top_max = self.hits.len().saturating_sub(height);
        self.top = self.top.min(self.cursor).min(top_max);
        self.top = self.top.max((self.cursor + 1).saturating_sub(height));
    }

    /// Lays out list and source in an area.
    pub fn arrange(&mut self, area: Rect) {
        let [list, preview] = halves(area);
        let list = inside(list);
        let head = HEAD_ROWS.min(list.height);
        self.list_area = Rect::new(list.x, list.y + head, list.width, list.height - head);
        self.scroll_to_cursor();
        self.preview_area = inside(preview);
        self.preview.arrange(self.preview_area, true);
    }

    /// Draws into the area that it was arranged for; returns the place of the cursor in the typed text.
    pub fn draw(&self, area: Rect, buffer: &mut Buffer, theme: &Theme, cache: &Cache) -> Position {
        fill(area, Role::Popup, buffer, theme);
        let [list, preview] = halves(area);
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
        if !preview.is_empty() {
            self.draw_preview(preview, buffer, (theme, cache));
        }
        place
    }

    /// Writes how many methods fit, or why there are none.
    fn tally(&self) -> (String, Role) {
        let Some(catalogue) = &self.catalogue else {
            return ("reading the methods …".to_owned(), Role::Dim);
        };
        let n_methods = catalogue.methods().len() as u64;
        let n_found = self.hits.len() as u64;
        if n_methods == 0 {
            let text = "mined by an older version: mine the repository again";
            (text.to_owned(), Role::Warning)
        } else if n_found == 0 {
            let text = format!("none of {} has such a name", count(n_methods));
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
        // Only the visible rows need positions. Matching needs scratch memory: a matcher of its own, since drawing
        // changes nothing.
        let mut fuzzy = Fuzzy::default();
        let visible = self.hits.iter().enumerate().skip(self.top);
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
        let is_shown = shown.is_some_and(|(chosen, key)| chosen.key == *key);
        let name = self.catalogue.as_ref().zip(self.hits.get(self.cursor));
        let name = name.map_or("source", |(catalogue, found)| {
            catalogue.qualified(found.idx)
        });
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
            title: &visible(name),
            note: &note,
            has_focus: false,
        };
        pane.draw(area, buffer, theme);
        if is_shown {
            self.preview.draw(buffer, theme, cache);
        }
    }
}

/// Splits an area into those of list and source.
fn halves(area: Rect) -> [Rect; 2] {
    if area.width >= WIDTH_TWO_COLUMNS {
        beside(area, area.width / 2)
    } else if area.height < HEIGHT_TWO_PARTS {
        above(area, area.height)
    } else {
        // One more row for the list: two of its rows hold no methods.
        above(area, area.height.div_ceil(2).saturating_add(1))
    }
}

/// Draws a method's name with the matching letters marked, and its file and line.
fn draw_row(
    (name, positions): (&str, &[u32]),
    method: &DeclaredMethod,
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
    let plain = theme.style(Role::Popup);
    let fitting = plain.add_modifier(Modifier::BOLD | Modifier::UNDERLINED);
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

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    use crate::paint::Painter;
    use crate::theme::{Depth, reduce};

    const SOURCE: &str = "    public int inc(int by) {
        if (by < 0) {
            throw new IllegalArgumentException(\"only upwards, and this line is long enough to wrap\");
        }
        count += by;
        return count;
    }
";

    fn methods() -> Arc<Catalogue> {
        let declared = |key: &str, file: &str, name_line| DeclaredMethod {
            key: key.to_owned(),
            path: format!("{file}.java").into(),
            name_line,
            is_main: file.starts_with("src/main"),
        };
        let main = [
            ("p.CachedClient#<init>(java.net.URL)", "CachedClient", 8),
            (
                "p.CachedClient#invoke(java.lang.String,long)",
                "CachedClient",
                20,
            ),
            ("p.Clock#now()", "Clock", 3),
            ("p.Counter#dec(int)", "Counter", 21),
            ("p.Counter#inc(int)", "Counter", 12),
            ("p.Counter$1#compare(int,int)", "Counter", 40),
            ("p.Counter.Factory#incremental()", "Counter", 55),
        ];
        let main =
            main.map(|(key, file, line)| declared(key, &format!("src/main/java/p/{file}"), line));
        let test = declared("p.CounterTest#testInc()", "src/test/java/p/CounterTest", 14);
        Arc::new(Catalogue::new(main.into_iter().chain([test]).collect()))
    }

    fn finder(typed: &str, width: u16, height: u16) -> Finder {
        let mut finder = Finder::new(typed);
        finder.arrange(Rect::new(0, 0, width, height));
        finder.take_methods(methods());
        finder
    }

    /// Answers the finder's question as an index would.
    fn answer(finder: &mut Finder) {
        let key = finder.wants().expect("something is asked for");
        let snippet = Snippet {
            key: key.clone(),
            package: None,
            path: "src/main/java/p/Counter.java".to_owned(),
            first_line: 12,
            name_line: 12,
            text: SOURCE.to_owned(),
            marks: Vec::new(),
        };
        finder.take_preview(&key, Some(&snippet));
    }

    fn frame(finder: &Finder, width: u16, height: u16, depth: Depth) -> Buffer {
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        let theme = Theme::named("ansi16").expect("a theme of the binary");
        let mut cache = Cache::default();
        for job in finder.jobs() {
            cache.want(job.id);
            cache.keep(job.id, Painter::shared().paint(&job));
        }
        finder.draw(area, &mut buffer, &theme, &cache);
        reduce(&mut buffer, depth);
        buffer
    }

    fn check(finder: &Finder, (width, height): (u16, u16), expected: &Expect) {
        let buffer = frame(finder, width, height, Depth::Mono);
        let rows = (0..height).map(|y| {
            let row: String = (0..width).map(|x| buffer[(x, y)].symbol()).collect();
            row.trim_end().to_owned() + "\n"
        });
        expected.assert_eq(&rows.collect::<String>());
    }

    /// Returns the underlined characters of the row at `y`, the others as dots.
    fn underlined(finder: &Finder, y: u16) -> String {
        let buffer = frame(finder, 120, 40, Depth::Mono);
        let cells = (2..20).map(|x| &buffer[(x, y)]);
        cells
            .map(|cell| {
                let is_marked = cell
                    .modifier
                    .contains(Modifier::BOLD | Modifier::UNDERLINED);
                if is_marked { cell.symbol() } else { "·" }
            })
            .collect()
    }

    #[test]
    fn a_wide_finder_has_the_source_beside_the_list() {
        let mut finder = finder("cinc", 120, 40);
        answer(&mut finder);
        check(
            &finder,
            (120, 40),
            &expect![[r#"
                ┏ Find a method ━━━━━━━━━━━━━━━━━━━━━ Enter picks it · Esc ┓┌ p.Counter.inc(int) ──────────────────────────────────────┐
                ┃ > cinc                                                   ┃│ 12    public int inc(int by) {                           │
                ┃ 3 of 8 methods                                           ┃│ 13        if (by < 0) {                                  │
                ┃ Counter.inc(int)         src/main/java/p/Counter.java:12 ┃│ 14            throw new IllegalArgumentException("only   │
                ┃ Factory.incremental()    src/main/java/p/Counter.java:55 ┃│    ↪              upwards, and this line is long enough  │
                ┃ CounterTest.testInc()  …/test/java/p/CounterTest.java:14 ┃│    ↪              to wrap");                             │
                ┃                                                          ┃│ 15        }                                              │
                ┃                                                          ┃│ 16        count += by;                                   │
                ┃                                                          ┃│ 17        return count;                                  │
                ┃                                                          ┃│ 18    }                                                  │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┃                                                          ┃│                                                          │
                ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛└──────────────────────────────────────────────────────────┘
            "#]],
        );
    }

    #[test]
    fn a_narrow_finder_has_the_source_below() {
        let mut finder = finder("", 80, 24);
        finder.step(Motion::Down);
        answer(&mut finder);
        check(
            &finder,
            (80, 24),
            &expect![[r#"
                ┏ Find a method ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ Enter picks it · Esc ┓
                ┃ >                                                                            ┃
                ┃ 8 methods                                                                    ┃
                ┃ CachedClient(URL)                        src/main/java/p/CachedClient.java:8 ┃
                ┃ CachedClient.invoke(String, long)       src/main/java/p/CachedClient.java:20 ┃
                ┃ Clock.now()                                     src/main/java/p/Clock.java:3 ┃
                ┃ Counter.dec(int)                             src/main/java/p/Counter.java:21 ┃
                ┃ Counter.inc(int)                             src/main/java/p/Counter.java:12 ┃
                ┃ Counter$1.compare(int, int)                  src/main/java/p/Counter.java:40 ┃
                ┃ Factory.incremental()                        src/main/java/p/Counter.java:55 ┃
                ┃ CounterTest.testInc()                    src/test/java/p/CounterTest.java:14 ┃
                ┃                                                                              ┃
                ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
                ┌ p.CachedClient.invoke(String, long) ─────────────────────────────────────────┐
                │ 12    public int inc(int by) {                                               │
                │ 13        if (by < 0) {                                                      │
                │ 14            throw new IllegalArgumentException("only upwards, and this line│
                │    ↪              is long enough to wrap");                                  │
                │ 15        }                                                                  │
                │ 16        count += by;                                                       │
                │ 17        return count;                                                      │
                │ 18    }                                                                      │
                │                                                                              │
                └──────────────────────────────────────────────────────────────────────────────┘
            "#]],
        );
    }

    #[test]
    fn letters_that_fit_show_without_colours() {
        let finder = finder("cinc", 120, 40);
        assert_eq!(underlined(&finder, 3), "C·······inc·······");
    }

    #[test]
    fn a_name_lies_on_the_pop_up() {
        let finder = finder("cinc", 120, 40);
        let theme = Theme::named("dark").expect("a theme of the binary");
        let area = Rect::new(0, 0, 120, 40);
        let mut buffer = Buffer::empty(area);
        finder.draw(area, &mut buffer, &theme, &Cache::default());
        // The second row of the list: the cursor is on the first.
        let grounds = (1..50).map(|x| buffer[(x, 4)].style().bg);
        let popup = theme.style(Role::Popup).bg;
        assert!(popup.is_some() && grounds.into_iter().all(|ground| ground == popup));
    }

    #[test]
    fn nothing_found_nothing_there_and_nothing_read_yet_are_told_apart() {
        let size = (60, 9);
        let check = |finder: &Finder, expected: Expect| check(finder, size, &expected);
        check(
            &finder("xyz", 60, 9),
            expect![[r"
                ┏ Find a method ━━━━━━━━━━━━━━━━━━━━━ Enter picks it · Esc ┓
                ┃ > xyz                                                    ┃
                ┃ none of 8 has such a name                                ┃
                ┃                                                          ┃
                ┃                                                          ┃
                ┃                                                          ┃
                ┃                                                          ┃
                ┃                                                          ┃
                ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
            "]],
        );
        let mut older = Finder::default();
        older.arrange(Rect::new(0, 0, 60, 9));
        check(
            &older,
            expect![[r"
                ┏ Find a method ━━━━━━━━━━━━━━━━━━━━━ Enter picks it · Esc ┓
                ┃ >                                                        ┃
                ┃ reading the methods …                                    ┃
                ┃                                                          ┃
                ┃                                                          ┃
                ┃                                                          ┃
                ┃                                                          ┃
                ┃                                                          ┃
                ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
            "]],
        );
        older.take_methods(Arc::default());
        check(
            &older,
            expect![[r"
                ┏ Find a method ━━━━━━━━━━━━━━━━━━━━━ Enter picks it · Esc ┓
                ┃ >                                                        ┃
                ┃ mined by an older version: mine the repository again     ┃
                ┃                                                          ┃
                ┃                                                          ┃
                ┃                                                          ┃
                ┃                                                          ┃
                ┃                                                          ┃
                ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
            "]],
        );
        assert_eq!((older.wants(), older.chosen()), (None, None));
    }

    #[test]
    fn typing_goes_back_to_the_best_and_what_is_asked_for_is_asked_once() {
        let mut finder = finder("", 120, 40);
        let chosen = |finder: &Finder| {
            finder
                .chosen()
                .map(|declared_method| declared_method.key.clone())
        };
        assert_eq!(
            finder.wants().as_deref(),
            Some("p.CachedClient#<init>(java.net.URL)")
        );
        assert_eq!(finder.wants(), None);
        finder.step(Motion::Last);
        assert_eq!(chosen(&finder).as_deref(), Some("p.CounterTest#testInc()"));
        finder.insert("count.inc");
        assert_eq!(chosen(&finder).as_deref(), Some("p.Counter#inc(int)"));
        assert!(finder.wants().is_some());
        // The answer to the first question comes late.
        finder.take_preview("p.CachedClient#<init>(java.net.URL)", None);
        assert!(finder.previewed.is_none());
        finder.take_preview("p.Counter#inc(int)", None);
        assert_eq!(finder.wants(), None);
        finder.edit(InputCommand::DeleteWord);
        assert_eq!(finder.input.text(), "");
        assert_eq!(finder.hits.len(), 8);
        assert!(finder.wants().is_some(), "the answer came too late");
        // An answer that comes while the cursor is elsewhere is dropped, and can be asked for again.
        finder.step(Motion::Down);
        assert!(finder.wants().is_some());
        let second = chosen(&finder).expect("there is a second one");
        finder.step(Motion::Up);
        finder.take_preview(&second, None);
        finder.step(Motion::Down);
        assert_eq!(finder.wants(), Some(second));
    }

    #[test]
    fn the_cursor_stays_in_sight_and_in_the_list() {
        let mut finder = finder("", 80, 6);
        // Two borders, two lines above the list.
        assert_eq!(finder.list_area.height, 2);
        for motion in [
            Motion::Last,
            Motion::Down,
            Motion::PageUp,
            Motion::Up,
            Motion::HalfDown,
            Motion::First,
            Motion::Up,
            Motion::PageDown,
            Motion::HalfUp,
        ] {
            finder.step(motion);
            assert!(finder.chosen().is_some());
            assert!(
                (finder.top..finder.top + 2).contains(&finder.cursor),
                "{motion:?}"
            );
        }
        finder.insert("now");
        assert_eq!((finder.cursor, finder.top), (0, 0));
    }

    #[test]
    fn no_size_is_too_small() {
        let mut finder = finder("c", 120, 40);
        answer(&mut finder);
        finder.arrange(Rect::new(0, 0, 80, 9));
        finder.scroll_preview(Motion::Last);
        assert!(finder.preview.n_rows_below() == 0);
        for width in 0..130 {
            for height in [0, 1, 2, 3, 4, 5, 9] {
                finder.arrange(Rect::new(0, 0, width, height));
                frame(&finder, width, height, Depth::True);
            }
        }
    }
}
