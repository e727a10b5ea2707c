//! Scrolling, searching and marks of a pane of code.

use super::*;
use crate::model::Snippet;

fn view(text: &str, width: u16, height: u16) -> CodeView {
    let mut doc = Doc::default();
    doc.push_snippet(&Snippet {
        package: None,
        key: "p.T#t()".to_owned(),
        path: "src/T.java".to_owned(),
        first_line: 7,
        name_line: 8,
        text: text.to_owned(),
        marks: Vec::new(),
    });
    let mut view = CodeView::default();
    view.show(Arc::new(doc));
    view.arrange(Rect::new(0, 0, width, height), true);
    view
}

#[test]
fn the_last_page_is_full() {
    let mut view = view("a\nb\nc\nd\ne", 40, 3);
    view.scroll(Motion::Last);
    assert_eq!((view.top, view.n_rows_below()), (2, 0));
}

#[test]
fn small_letters_find_capitals_and_capitals_only_themselves() {
    let mut view = view("Foo foo\nFOO", 40, 3);
    assert_eq!(view.find("foo"), 3);
    assert_eq!(view.find("Foo"), 1);
    assert_eq!(view.find(""), 0);
}

#[test]
fn the_search_goes_around_the_ends() {
    let mut view = view("x\ny\nx", 40, 2);
    view.find("x");
    assert_eq!(view.step_match(StepDirection::Next), Some((1, 2)));
    assert_eq!(view.step_match(StepDirection::Next), Some((2, 2)));
    assert_eq!(view.top, 1);
    assert_eq!(view.step_match(StepDirection::Next), Some((1, 2)));
    assert_eq!(view.step_match(StepDirection::Previous), Some((2, 2)));
    view.find("nothing");
    assert_eq!(view.step_match(StepDirection::Next), None);
}

#[test]
fn the_editor_opens_at_the_name_or_at_the_hit() {
    let mut view = view("@Test\nvoid t() {\n  hit();\n}", 40, 10);
    assert_eq!(view.place(), Some(("src/T.java", 8)));
    view.find("hit");
    view.step_match(StepDirection::Next);
    assert_eq!(view.place(), Some(("src/T.java", 9)));
}

#[test]
fn a_new_width_keeps_the_line_at_the_top() {
    let text = "word word word word word word word word\n".repeat(20);
    let mut view = view(&text, 60, 5);
    view.scroll(Motion::PageDown);
    let line = view.rows[view.top].line_idx;
    view.arrange(Rect::new(0, 0, 20, 5), true);
    assert_eq!(view.rows[view.top].line_idx, line);
}
