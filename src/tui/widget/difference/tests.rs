//! Two texts as the user sees them, in every mode, on terminals with and without colours.

use std::time::{Duration, Instant};

use expect_test::{Expect, expect};
use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

use super::*;
use crate::model::Language;
use crate::paint::{Cache, Painter};
use crate::theme::{Depth, Role, Theme, reduce};

const TRUTH: &str = "    @Test
    public void rejectsExpiredToken() throws Exception {
        Clock clock = Clock.fixed(Instant.parse(\"2031-01-01T00:00:00Z\"), ZoneOffset.UTC);
        TokenStore store = new MemoryTokenStore(clock);
        Token t = issuer.issue(\"anna\", Duration.ofSeconds(1));
        store.put(t);
        // later
        clock.advance(Duration.ofMinutes(2));
        Verdict v = new Verifier(store, clock).verify(t.id());
        assertFalse(v.accepted());
        assertEquals(Reason.EXPIRED, v.reason());
        assertEquals(0, store.size());
    }
";

fn prediction() -> String {
    TRUTH
        .replace("v.accepted()", "v.isValid()")
        .replace("EXPIRED", "UNKNOWN")
        .replace("        assertEquals(0, store.size());\n", "")
        .replace("new MemoryTokenStore(clock)", "new MemoryTokenStore()")
}

fn text(title: &str, text: &str) -> DifferenceText {
    DifferenceText {
        language: Some(Language::Java),
        title: title.to_owned(),
        text: text.to_owned(),
        first_line: 1,
    }
}

fn view(old: &str, new: &str, mode: Mode, (width, height): (u16, u16)) -> DifferenceView {
    let mut view = DifferenceView::default();
    view.set_mode(mode);
    view.show(text("ground truth", old), text("prediction", new));
    view.arrange(Rect::new(0, 0, width, height), true);
    view
}

fn truth(mode: Mode, size: (u16, u16)) -> DifferenceView {
    view(TRUTH, &prediction(), mode, size)
}

fn drawn(view: &DifferenceView, theme: &str, depth: Depth) -> Buffer {
    let theme = Theme::named(theme).expect("a theme of the binary");
    let mut cache = Cache::default();
    for job in view.jobs() {
        cache.want(job.id);
        cache.keep(job.id, Painter::shared().paint(&job));
    }
    let mut buffer = Buffer::empty(view.area);
    buffer.set_style(buffer.area, theme.style(Role::Text));
    view.draw(&mut buffer, &theme, &cache);
    reduce(&mut buffer, depth);
    buffer
}

fn rows(buffer: &Buffer) -> Vec<String> {
    let area = buffer.area;
    let row = |y| {
        let cells = (area.left()..area.right()).map(|x| buffer[(x, y)].symbol());
        cells.collect::<String>().trim_end().to_owned()
    };
    (area.top()..area.bottom()).map(row).collect()
}

fn check(view: &DifferenceView, expected: &Expect) {
    let mut frame = rows(&drawn(view, "dark", Depth::True));
    while frame.last().is_some_and(String::is_empty) {
        frame.pop();
    }
    // The bar in front keeps the blank margin from being taken for an indentation of this file.
    let frame: Vec<String> = frame.iter().map(|row| format!("|{row}")).collect();
    expected.assert_eq(&frame.join("\n"));
}

#[test]
fn side_by_side_lines_stand_beside_their_partners() {
    check(
        &truth(Mode::Side, (120, 16)),
        &expect![[r#"
            | - ground truth                                            │ + prediction
            |  1   @Test                                                │  1   @Test
            |  2   public void rejectsExpiredToken() throws Exception { │  2   public void rejectsExpiredToken() throws Exception {
            |  3       Clock clock = Clock.fixed(Instant.parse(         │  3       Clock clock = Clock.fixed(Instant.parse(
            |    ↪         "2031-01-01T00:00:00Z"), ZoneOffset.UTC);    │    ↪         "2031-01-01T00:00:00Z"), ZoneOffset.UTC);
            |  4 -     TokenStore store = new MemoryTokenStore(clock);  │  4 +     TokenStore store = new MemoryTokenStore();
            |  5       Token t = issuer.issue("anna",                   │  5       Token t = issuer.issue("anna", Duration.ofSeconds(
            |    ↪         Duration.ofSeconds(1));                      │    ↪         1));
            |  6       store.put(t);                                    │  6       store.put(t);
            |  7       // later                                         │  7       // later
            |  8       clock.advance(Duration.ofMinutes(2));            │  8       clock.advance(Duration.ofMinutes(2));
            |  9       Verdict v = new Verifier(store, clock).verify(   │  9       Verdict v = new Verifier(store, clock).verify(
            |    ↪         t.id());                                     │    ↪         t.id());
            | 10 -     assertFalse(v.accepted());                       │ 10 +     assertFalse(v.isValid());
            | 11 -     assertEquals(Reason.EXPIRED, v.reason());        │ 11 +     assertEquals(Reason.UNKNOWN, v.reason());
            | 12 -     assertEquals(0, store.size());                   │    ·"#]],
    );
}

#[test]
fn unified_what_goes_stands_above_what_comes() {
    check(
        &truth(Mode::Unified, (80, 18)),
        &expect![[r#"
            |  1  1   @Test
            |  2  2   public void rejectsExpiredToken() throws Exception {
            |  3  3       Clock clock = Clock.fixed(Instant.parse("2031-01-01T00:00:00Z"),
            |       ↪         ZoneOffset.UTC);
            |  4    -     TokenStore store = new MemoryTokenStore(clock);
            |     4 +     TokenStore store = new MemoryTokenStore();
            |  5  5       Token t = issuer.issue("anna", Duration.ofSeconds(1));
            |  6  6       store.put(t);
            |  7  7       // later
            |  8  8       clock.advance(Duration.ofMinutes(2));
            |  9  9       Verdict v = new Verifier(store, clock).verify(t.id());
            | 10    -     assertFalse(v.accepted());
            | 11    -     assertEquals(Reason.EXPIRED, v.reason());
            | 12    -     assertEquals(0, store.size());
            |    10 +     assertFalse(v.isValid());
            |    11 +     assertEquals(Reason.UNKNOWN, v.reason());
            | 13 12   }"#]],
    );
}

#[test]
fn word_by_word_changes_stand_inside_the_line() {
    check(
        &truth(Mode::Word, (80, 16)),
        &expect![[r#"
            |  1  1   @Test
            |  2  2   public void rejectsExpiredToken() throws Exception {
            |  3  3       Clock clock = Clock.fixed(Instant.parse("2031-01-01T00:00:00Z"),
            |       ↪         ZoneOffset.UTC);
            |  4  4 ~     TokenStore store = new MemoryTokenStore([-clock-]);
            |  5  5       Token t = issuer.issue("anna", Duration.ofSeconds(1));
            |  6  6       store.put(t);
            |  7  7       // later
            |  8  8       clock.advance(Duration.ofMinutes(2));
            |  9  9       Verdict v = new Verifier(store, clock).verify(t.id());
            | 10 10 ~     assertFalse(v.[-accepted-]{+isValid+}());
            | 11 11 ~     assertEquals(Reason.[-EXPIRED-]{+UNKNOWN+}, v.reason());
            | 12    -     assertEquals(0, store.size());
            | 13 12   }"#]],
    );
}

#[test]
fn both_sides_of_a_line_that_wraps_begin_on_the_same_row() {
    let mut view = truth(Mode::Side, (100, 24));
    view.toggle_fold();
    check(
        &view,
        &expect![[r#"
            | - ground truth                                  │ + prediction
            |  1   @Test                                      │  1   @Test
            |  2   public void rejectsExpiredToken() throws   │  2   public void rejectsExpiredToken() throws
            |    ↪     Exception {                            │    ↪     Exception {
            |  3       Clock clock = Clock.fixed(             │  3       Clock clock = Clock.fixed(Instant.parse(
            |    ↪         Instant.parse(                     │    ↪         "2031-01-01T00:00:00Z"),
            |    ↪         "2031-01-01T00:00:00Z"),           │    ↪         ZoneOffset.UTC);
            |    ↪         ZoneOffset.UTC);                   │
            |  4 -     TokenStore store = new                 │  4 +     TokenStore store = new
            |    ↪         MemoryTokenStore(clock);           │    ↪         MemoryTokenStore();
            |  5       Token t = issuer.issue("anna",         │  5       Token t = issuer.issue("anna",
            |    ↪         Duration.ofSeconds(1));            │    ↪         Duration.ofSeconds(1));
            |  6       store.put(t);                          │  6       store.put(t);
            |  7       // later                               │  7       // later
            |  8       clock.advance(Duration.ofMinutes(2));  │  8       clock.advance(Duration.ofMinutes(2));
            |  9       Verdict v = new Verifier(store, clock) │  9       Verdict v = new Verifier(store, clock)
            |    ↪         .verify(t.id());                   │    ↪         .verify(t.id());
            | 10 -     assertFalse(v.accepted());             │ 10 +     assertFalse(v.isValid());
            | 11 -     assertEquals(Reason.EXPIRED,           │ 11 +     assertEquals(Reason.UNKNOWN,
            |    ↪         v.reason());                       │    ↪         v.reason());
            | 12 -     assertEquals(0, store.size());         │    ·
            | 13   }                                          │ 12   }
            |                                                 │
            |                                                 │"#]],
    );
}

#[test]
fn a_wide_terminal_shows_long_lines_whole() {
    let mut view = truth(Mode::Side, (200, 16));
    view.toggle_fold();
    check(
        &view,
        &expect![[r#"
            | - ground truth                                                                                    │ + prediction
            |  1   @Test                                                                                        │  1   @Test
            |  2   public void rejectsExpiredToken() throws Exception {                                         │  2   public void rejectsExpiredToken() throws Exception {
            |  3       Clock clock = Clock.fixed(Instant.parse("2031-01-01T00:00:00Z"), ZoneOffset.UTC);        │  3       Clock clock = Clock.fixed(Instant.parse("2031-01-01T00:00:00Z"), ZoneOffset.UTC);
            |  4 -     TokenStore store = new MemoryTokenStore(clock);                                          │  4 +     TokenStore store = new MemoryTokenStore();
            |  5       Token t = issuer.issue("anna", Duration.ofSeconds(1));                                   │  5       Token t = issuer.issue("anna", Duration.ofSeconds(1));
            |  6       store.put(t);                                                                            │  6       store.put(t);
            |  7       // later                                                                                 │  7       // later
            |  8       clock.advance(Duration.ofMinutes(2));                                                    │  8       clock.advance(Duration.ofMinutes(2));
            |  9       Verdict v = new Verifier(store, clock).verify(t.id());                                   │  9       Verdict v = new Verifier(store, clock).verify(t.id());
            | 10 -     assertFalse(v.accepted());                                                               │ 10 +     assertFalse(v.isValid());
            | 11 -     assertEquals(Reason.EXPIRED, v.reason());                                                │ 11 +     assertEquals(Reason.UNKNOWN, v.reason());
            | 12 -     assertEquals(0, store.size());                                                           │    ·
            | 13   }                                                                                            │ 12   }
            |                                                                                                   │
            |                                                                                                   │"#]],
    );
}

#[test]
fn a_text_that_was_broken_in_another_way_is_told_word_by_word() {
    let old = "void t() {\n  int a = f(1);\n  assertEquals(2, a);\n}\n";
    let new = "void t() { int a = f(1); assertEquals(3, a); }\n";
    let mut view = view(old, new, Mode::Word, (80, 8));
    view.set_space(Space::IgnoreAll);
    check(
        &view,
        &expect!["|  1  1 ~ void t() { int a = f(1); assertEquals([-2-]{+3+}, a); }"],
    );
}

#[test]
fn costs_stand_in_the_gutter_and_add_up() {
    let mut view = truth(Mode::Side, (140, 24));
    let new = prediction();
    let at = |text: &str, word: &str| {
        let start = text.find(word).expect("the word is in the text");
        start..start + word.len()
    };
    view.set_costs(&[
        (DiffSide::New, at(&new, "isValid"), 0.042),
        (DiffSide::New, at(&new, "assertFalse"), 0.003),
        (DiffSide::New, at(&new, "UNKNOWN"), 0.12),
        (DiffSide::New, at(&new, "rejects"), -0.01),
        (
            DiffSide::Old,
            at(TRUTH, "        assertEquals(0, store.size());\n"),
            0.3,
        ),
        (DiffSide::Old, at(TRUTH, "@Test"), 0.001),
    ]);
    check(
        &view,
        &expect![[r#"
            | - ground truth                                                      │ + prediction
            |  1     ·   @Test                                                    │  1         @Test
            |  2         public void rejectsExpiredToken() throws Exception {     │  2  +.01   public void rejectsExpiredToken() throws Exception {
            |  3             Clock clock = Clock.fixed(Instant.parse(             │  3             Clock clock = Clock.fixed(Instant.parse(
            |          ↪         "2031-01-01T00:00:00Z"), ZoneOffset.UTC);        │          ↪         "2031-01-01T00:00:00Z"), ZoneOffset.UTC);
            |  4       -     TokenStore store = new MemoryTokenStore(clock);      │  4       +     TokenStore store = new MemoryTokenStore();
            |  5             Token t = issuer.issue("anna", Duration.ofSeconds(   │  5             Token t = issuer.issue("anna", Duration.ofSeconds(1));
            |          ↪         1));                                             │
            |  6             store.put(t);                                        │  6             store.put(t);
            |  7             // later                                             │  7             // later
            |  8             clock.advance(Duration.ofMinutes(2));                │  8             clock.advance(Duration.ofMinutes(2));
            |  9             Verdict v = new Verifier(store, clock).verify(       │  9             Verdict v = new Verifier(store, clock).verify(t.id());
            |          ↪         t.id());                                         │
            | 10       -     assertFalse(v.accepted());                           │ 10  −.05 +     assertFalse(v.isValid());
            | 11       -     assertEquals(Reason.EXPIRED, v.reason());            │ 11  −.12 +     assertEquals(Reason.UNKNOWN, v.reason());
            | 12  −.30 -     assertEquals(0, store.size());                       │          ·
            | 13         }                                                        │ 12         }
            |                                                                     │
            |                                                                     │
            |                                                                     │
            |                                                                     │
            |                                                                     │
            |                                                                     │
            |                                                                     │"#]],
    );
    assert!(!view.toggle_costs());
    assert_eq!(view.prefix_width(0), 6);
}

#[test]
fn where_the_parser_stopped_is_said_under_the_line() {
    let mut view = truth(Mode::Unified, (80, 22));
    view.set_error(DiffSide::New, 1, 16, "expected `;`");
    view.set_error(
        DiffSide::Old,
        99,
        0,
        "the text ends inside a block, and nothing closes it any more",
    );
    check(
        &view,
        &expect![[r#"
        |  1  1   @Test
        |! 2  2   public void rejectsExpiredToken() throws Exception {
        |                     ^ expected `;`
        |  3  3       Clock clock = Clock.fixed(Instant.parse("2031-01-01T00:00:00Z"),
        |       ↪         ZoneOffset.UTC);
        |  4    -     TokenStore store = new MemoryTokenStore(clock);
        |     4 +     TokenStore store = new MemoryTokenStore();
        |  5  5       Token t = issuer.issue("anna", Duration.ofSeconds(1));
        |  6  6       store.put(t);
        |  7  7       // later
        |  8  8       clock.advance(Duration.ofMinutes(2));
        |  9  9       Verdict v = new Verifier(store, clock).verify(t.id());
        | 10    -     assertFalse(v.accepted());
        | 11    -     assertEquals(Reason.EXPIRED, v.reason());
        | 12    -     assertEquals(0, store.size());
        |    10 +     assertFalse(v.isValid());
        |    11 +     assertEquals(Reason.UNKNOWN, v.reason());
        |!13 12   }
        |          ^ the text ends inside a block, and nothing closes it any more"#]],
    );
}

#[test]
fn ends_of_lines_that_differ_are_seen() {
    check(
        &view("a();\r\nb();\n", "a();\nb();", Mode::Word, (40, 6)),
        &expect![[r"
            |  1  1 ~ a();[-␍⏎-]{+⏎+}
            |  2  2 ~ b();[-⏎-]"]],
    );
    check(
        &view("a();\r\nb();\n", "a();\nb();", Mode::Unified, (40, 6)),
        &expect![[r"
            |  1    - a();␍⏎
            |  2    - b();⏎
            |     1 + a();⏎
            |     2 + b();"]],
    );
}

#[test]
fn what_one_cannot_see_is_seen_and_emphasis_stays_on_its_words() {
    let view = view(
        "\tf(\u{202e}a, 1);\n",
        "\tf(\u{202e}a, 2);\n",
        Mode::Unified,
        (40, 3),
    );
    check(
        &view,
        &expect![[r"
            |  1    - f(⟨202E⟩a, 1);
            |     1 + f(⟨202E⟩a, 2);"]],
    );
    let buffer = drawn(&view, "dark", Depth::True);
    let bold: Vec<&str> = (0..40)
        .filter(|x| buffer[(*x, 0)].modifier.contains(Modifier::BOLD))
        .map(|x| buffer[(x, 0)].symbol())
        .collect();
    assert_eq!(bold, ["-", "1"]);
}

fn check_note(old: &str, new: &str, space: Space, expected: &str) {
    let mut view = view(old, new, Mode::Side, (120, 10));
    view.set_space(space);
    assert_eq!(view.note(), expected);
}

#[test]
fn the_note_says_how_different_they_are() {
    check_note("a\n", "a\n", Space::Exact, "identical");
    check_note("", "", Space::Exact, "identical");
    check_note("a\n", "b\n", Space::Exact, "side · 1 hunk");
    check_note(
        "a \n",
        "a\n",
        Space::Exact,
        "side · whitespace only · 1 hunk",
    );
    check_note(
        "a \n",
        "a\n",
        Space::IgnoreChanges,
        "equal up to whitespace",
    );
    check_note(
        "f (a)\n",
        "f(a)\n",
        Space::IgnoreChanges,
        "side · -b · 1 hunk",
    );
    check_note(
        "f (a)\n",
        "f(a)\n",
        Space::IgnoreAll,
        "equal up to whitespace",
    );
    let narrow = view("a\n", "b\n", Mode::Side, (99, 9));
    assert_eq!(narrow.note(), "unified, too narrow for side · 1 hunk");
}

#[test]
fn hunks_follow_each_other_around_the_ends() {
    let mut view = truth(Mode::Side, (120, 6));
    assert_eq!(view.step_hunk(StepDirection::Next), Some((1, 2)));
    assert_eq!(view.step_hunk(StepDirection::Next), Some((2, 2)));
    assert_eq!(view.note(), "side · 2 hunks · 2/2");
    assert!(
        rows(&drawn(&view, "dark", Depth::Mono))
            .iter()
            .any(|row| row.starts_with('▌'))
    );
    assert_eq!(view.turn_mode(), Mode::Unified);
    assert_eq!(view.step_hunk(StepDirection::Next), Some((1, 2)));
    assert_eq!(view.step_hunk(StepDirection::Previous), Some((2, 2)));
    assert!(view.clear());
    assert_eq!(
        DifferenceView::default().step_hunk(StepDirection::Next),
        None
    );
}

#[test]
fn a_hit_inside_a_fold_opens_it() {
    let old = format!("a\n{}b\n", "same\n".repeat(40))
        .replace("same\nb", "needle\nsame\nsame\nsame\nsame\nb");
    let new = old.replace("a\n", "c\n");
    let mut view = view(&old, &new, Mode::Unified, (60, 8));
    assert_eq!(view.n_rows_below(), 0);
    assert_eq!(view.find("needle"), 1);
    assert_eq!(view.step_match(StepDirection::Next), Some((1, 1)));
    let frame = rows(&drawn(&view, "dark", Depth::True));
    assert!(
        frame.iter().any(|text| text.ends_with("needle")),
        "{frame:?}"
    );
}

#[test]
fn what_is_copied_is_a_patch() {
    let mut view = view("a\nb \n", "a\nb\n", Mode::Side, (120, 9));
    assert_eq!(view.title(), "ground truth − / prediction +");
    let expected = "--- ground truth\n+++ prediction\n@@ -1,2 +1,2 @@\n a\n-b \n+b\n";
    assert_eq!(view.copied(), expected);
    assert_eq!(view.turn_space(), Space::IgnoreChanges);
    assert_eq!(view.copied(), "");
    assert_eq!(view.turn_space(), Space::IgnoreAll);
    assert_eq!(view.turn_mode(), Mode::Unified);
    assert_eq!((view.mode, view.space), (Mode::Unified, Space::IgnoreAll));
    view.find("b");
    view.show(text("", "b\n"), text("", "c\n"));
    assert_eq!(view.needle(), "b");
    assert_eq!(view.step_match(StepDirection::Next), Some((1, 1)));
    assert!(view.copied().starts_with("--- old\n+++ new\n"));
}

#[test]
fn context_grows_and_shrinks() {
    let old = "x\n".repeat(50) + "a\n" + &"x\n".repeat(50);
    let new = old.replace('a', "b");
    let mut view = view(&old, &new, Mode::Unified, (60, 200));
    let n_rows = |view: &DifferenceView| view.shown.len();
    assert_eq!(n_rows(&view), 1 + 3 + 2 + 3 + 1);
    assert_eq!(view.step_context(StepDirection::Next), 6);
    assert_eq!(n_rows(&view), 1 + 6 + 2 + 6 + 1);
    while view.step_context(StepDirection::Previous) > 0 {}
    assert_eq!(n_rows(&view), 4);
    assert_eq!(view.step_context(StepDirection::Next), 1);
    assert!(!view.toggle_fold());
    assert_eq!(n_rows(&view), 102);
}

#[test]
fn another_mode_keeps_the_lines_at_the_top() {
    let old = (0..200).fold(String::new(), |text, n| text + &format!("line {n}\n"));
    let new = old.replace("line 7\n", "");
    let mut view = view(&old, &new, Mode::Side, (120, 10));
    view.toggle_fold();
    for _ in 0..5 {
        view.scroll(Motion::PageDown);
    }
    let first = |view: &DifferenceView| rows(&drawn(view, "dark", Depth::True))[1].clone();
    let before = first(&view);
    view.turn_mode();
    view.turn_mode();
    view.turn_mode();
    assert_eq!(first(&view), before);
    assert!(before.contains("line 40"), "{before}");
}

#[test]
fn syntax_colours_stay_under_the_difference() {
    let theme = Theme::named("dark").expect("a theme of the binary");
    let view = truth(Mode::Unified, (80, 18));
    let buffer = drawn(&view, "dark", Depth::True);
    let frame = rows(&buffer);
    let y = frame
        .iter()
        .position(|text| text.contains("- "))
        .expect("a line goes") as u16;
    let x = frame[usize::from(y)]
        .find("new")
        .expect("the line has the keyword") as u16;
    let cell = &buffer[(x, y)];
    assert_eq!(Some(cell.fg), theme.style(Role::Keyword).fg);
    assert_eq!(Some(cell.bg), theme.style(Role::Removed).bg);
}

/// Without colours, signs and modifiers carry all meaning.
#[test]
fn nothing_is_said_by_a_colour_alone() {
    for (theme, mode) in [
        ("dark", Mode::Unified),
        ("light", Mode::Side),
        ("ansi16", Mode::Unified),
        ("ansi16", Mode::Side),
    ] {
        let view = truth(mode, (120, 20));
        let buffer = drawn(&view, theme, Depth::Mono);
        let colours =
            |cell: &ratatui::buffer::Cell| (cell.fg, cell.bg) == (Color::Reset, Color::Reset);
        assert!(buffer.content.iter().all(colours));
        let mut words = String::new();
        for row in buffer.content.chunks(120) {
            let is_changed = row.iter().any(|cell| ["+", "-"].contains(&cell.symbol()));
            let cells = row
                .iter()
                .filter(|cell| cell.modifier.contains(Modifier::BOLD));
            if is_changed {
                words.extend(cells.map(ratatui::buffer::Cell::symbol));
            }
        }
        for word in ["accepted", "isValid", "EXPIRED", "UNKNOWN"] {
            assert!(words.contains(word), "{theme} {mode:?}: {words}");
        }
    }
}

#[test]
fn on_sixteen_colours_lines_have_the_colour_of_their_sign() {
    let view = truth(Mode::Unified, (80, 18));
    let buffer = drawn(&view, "ansi16", Depth::Sixteen);
    let frame = rows(&buffer);
    let row = |word: &str| {
        frame
            .iter()
            .position(|text| text.contains(word))
            .expect("it is there") as u16
    };
    assert_eq!(buffer[(30, row("accepted"))].fg, Color::Red);
    assert_eq!(buffer[(30, row("isValid"))].fg, Color::Green);
}

#[test]
fn without_wrapping_one_goes_sideways() {
    let mut view = view("a\n", &("b".repeat(300) + "end\n"), Mode::Unified, (60, 4));
    view.arrange(Rect::new(0, 0, 60, 4), false);
    let frame = |view: &DifferenceView| rows(&drawn(view, "dark", Depth::True)).join("\n");
    assert!(frame(&view).contains("b›"));
    for _ in 0..60 {
        view.scroll(Motion::Right);
    }
    assert!(frame(&view).contains("end"));
}

#[test]
fn every_area_is_drawn_without_a_panic() {
    let mut view = truth(Mode::Side, (120, 40));
    view.set_error(DiffSide::New, 3, 9, "expected `;`");
    view.set_costs(&[
        (DiffSide::Old, 0..usize::MAX, 0.1),
        (DiffSide::Both, 1..3, 1.0),
        (DiffSide::New, 9..9, 1.0),
    ]);
    for mode in Mode::ALL {
        view.set_mode(*mode);
        for (width, height) in [
            (0, 0),
            (1, 1),
            (3, 9),
            (8, 2),
            (11, 5),
            (100, 1),
            (101, 3),
            (240, 2),
        ] {
            for wraps in [true, false] {
                view.arrange(Rect::new(0, 0, width, height), wraps);
                view.scroll(Motion::Last);
                view.step_hunk(StepDirection::Next);
                drawn(&view, "dark", Depth::True);
                view.toggle_fold();
            }
        }
    }
}

#[test]
fn hostile_texts_end_quickly() {
    // The large texts take minutes without optimisation.
    let is_slow = std::env::var_os("FOCALIST_SLOW").is_some();
    let n = if is_slow { 1_000_000 } else { 20_000 };
    let brackets = "(".repeat(n);
    let words = |word: &str| {
        (0..n / 10).fold(String::new(), |text, n| {
            text + &format!("{word}{n} {}\n", n * 7)
        })
    };
    let cases = [
        ("one long line", brackets.clone(), brackets + ")"),
        ("many NULs", "\0".repeat(n), "\0\n".repeat(n / 2)),
        ("many lines", words("a"), words("b")),
        ("blank lines", "\n".repeat(n / 4), " \n".repeat(n * 2)),
    ];
    for (name, old, new) in cases {
        for mode in Mode::ALL {
            let start = Instant::now();
            let mut view = view(&old, &new, *mode, (120, 40));
            view.toggle_fold();
            view.scroll(Motion::Last);
            view.find("(");
            view.arrange(Rect::new(0, 0, 110, 40), false);
            drawn(&view, "dark", Depth::True);
            let took = start.elapsed();
            // Without optimisation it takes seconds, on a busy machine minutes; a quadratic algorithm would take hours.
            assert!(took < Duration::from_secs(900), "{name} {mode:?}: {took:?}");
        }
    }
    let view = view(&"a\n".repeat(100_001), "", Mode::Unified, (120, 40));
    assert_eq!(
        view.note(),
        "unified · 1 hunk · first 100000 lines · ↓99960"
    );
}

fn java() -> impl Strategy<Value = String> {
    prop::collection::vec(
        "(|int a = 1;|  foo\\(b, 2\\);|}|é\u{0}\t|x y z|\\PC{0,5})(\n|\r\n|\r|\n|)",
        0..16,
    )
    .prop_map(|texts| texts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_line_is_shown_once(old in java(), new in java(), space in 0..3usize, width in 20u16..220) {
        let texts = [&old, &new].map(|it| diff::split(it).len());
        for mode in Mode::ALL {
            let mut view = view(&old, &new, *mode, (width, 30));
            view.set_space(Space::ALL[space]);
            view.toggle_fold();
            if view.kept.contains(&false) {
                view.toggle_fold();
            }
            let mut n_shown = 0;
            let mut said = [String::new(), String::new()];
            let mut numbers: [Vec<u32>; 2] = Default::default();
            for row in &view.shown {
                let RowContent::Lines(cells) = &row.content else {
                    panic!("nothing is folded");
                };
                for part in cells.iter().flatten() {
                    let line = &view.composed.lines[part.line_idx as usize];
                    if part.start > 0 {
                        continue;
                    }
                    n_shown += 1;
                    for (half, number) in line.numbers.iter().enumerate() {
                        numbers[half].extend(number);
                    }
                    for origin in &line.origins {
                        let end = origin.at + origin.end - origin.start;
                        let text = &line.text[origin.at as usize..end as usize];
                        said[origin.half].push_str(text);
                        let is_both = line.kind == DifferenceLineKind::Same && view.form != DifferenceLayout::Beside;
                        let words = &line.layers[0];
                        let is_inside = words.iter().any(|it| it.0 <= origin.at && origin.at < it.1);
                        if is_both || line.kind == DifferenceLineKind::Mixed && !is_inside {
                            said[0].push_str(text);
                        }
                    }
                }
            }
            prop_assert_eq!(n_shown, view.composed.lines.len());
            if *mode != Mode::Word {
                for half in 0..2 {
                    let all: Vec<u32> = (0..texts[half] as u32).collect();
                    prop_assert_eq!(&numbers[half], &all, "{:?}", mode);
                }
            }
            if Space::ALL[space] == Space::Exact {
                for (said, half) in said.iter().zip(&view.halves) {
                    let all: String = half.job.iter().map(|it| it.text.replace(['\n', ' ', '␍'], "")).collect();
                    // A tab goes to the next stop from wherever it stands; `\r` may be the end of a line.
                    prop_assert_eq!(said.replace([' ', '␍'], ""), all, "{:?}", mode);
                }
            }
        }
    }
}
