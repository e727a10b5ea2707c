//! The code around a prediction, below its difference where the pane has room: most differences have a few lines, and
//! the test that a prediction completes shows whether it is wrong.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::layout::above;
use crate::model::{Snippet, Target};
use crate::paint;
use crate::screen::DrawContext;
use crate::text::{Doc, visible};
use crate::widget::code::CodeView;
use crate::widget::frame::{Pane, inside};

/// The least height, with border, in which the code is of use.
const HEIGHT_MIN: u16 = 6;

/// The test for a predicted assertion part; the focal method for a predicted test.
#[derive(Debug, Default)]
pub struct SurroundingCode {
    title: String,
    code: CodeView,
    /// The line of the ground truth, until it has been scrolled to.
    sought: Option<u32>,
    area: Rect,
}

impl SurroundingCode {
    /// Shows the code around another prediction, and scrolls a test to the ground truth.
    pub fn show(&mut self, snippet: Option<&Snippet>, target: Target, first_line: Option<u32>) {
        let (what, sought) = match target {
            Target::Assertion => ("test", first_line),
            Target::Test => ("focal", None),
        };
        self.show_as(what, snippet, sought);
    }

    /// Shows the code that the model was asked about, where that is no sample.
    pub fn show_asked(&mut self, snippet: Option<&Snippet>) {
        self.show_as("asked", snippet, None);
    }

    fn show_as(&mut self, what: &str, snippet: Option<&Snippet>, sought: Option<u32>) {
        let mut doc = Doc::default();
        if let Some(snippet) = snippet {
            doc.push_snippet(snippet);
        }
        let name = snippet.map_or_else(String::new, |snippet| {
            format!(" · {}", visible(&snippet.key))
        });
        self.title = format!("{what}{name}");
        self.code.show(doc.into());
        self.sought = sought;
    }

    /// Iterates over the painter's jobs for the code.
    pub fn jobs(&self) -> impl Iterator<Item = paint::PaintJob> {
        self.code.doc().jobs()
    }

    /// Takes the lower half of an area if a difference of `n_rows` can spare it; returns the difference's part of it.
    #[must_use]
    pub fn arrange(&mut self, area: Rect, n_rows: usize, wraps: bool) -> Rect {
        let [difference, rest] = above(area, area.height.div_ceil(2));
        let can_spare = n_rows <= usize::from(inside(difference).height);
        if self.code.doc().lines.is_empty() || rest.height < HEIGHT_MIN || !can_spare {
            self.area = Rect { height: 0, ..area };
            return area;
        }
        self.area = rest;
        self.code.arrange(inside(rest), wraps);
        if let Some(number) = self.sought.take() {
            self.code.reveal(number);
        }
        difference
    }

    /// Returns the code's area; its height is 0 where there is no room.
    #[must_use]
    pub const fn area(&self) -> Rect {
        self.area
    }

    pub fn code(&mut self) -> &mut CodeView {
        &mut self.code
    }

    pub fn draw(&self, has_focus: bool, buffer: &mut Buffer, context: DrawContext<'_>) {
        if self.area.is_empty() {
            return;
        }
        let note = match self.code.n_rows_below() {
            0 => String::new(),
            n => format!("↓{n}"),
        };
        let pane = Pane {
            title: &self.title,
            note: &note,
            has_focus,
        };
        pane.draw(self.area, buffer, context.theme);
        self.code.draw(buffer, context.theme, context.cache);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Rect = Rect::new(0, 3, 60, 20);

    /// Makes the code around of 40 lines from line 101 on, whose ground truth is in the last line but one.
    fn around(target: Target) -> SurroundingCode {
        let lines: Vec<String> = (101..=140).map(|n| format!("line{n}();")).collect();
        let snippet = Snippet {
            key: "p.T#t()".to_owned(),
            package: None,
            path: "src/T.java".to_owned(),
            first_line: 101,
            name_line: 101,
            text: lines.join("\n"),
            marks: Vec::new(),
        };
        let mut around = SurroundingCode::default();
        around.show(Some(&snippet), target, Some(139));
        around
    }

    #[test]
    fn a_short_difference_leaves_half_and_a_long_one_nothing() {
        let mut around = around(Target::Assertion);
        assert_eq!(around.arrange(AREA, 8, true), Rect { height: 10, ..AREA });
        assert_eq!(around.area(), Rect::new(0, 13, 60, 10));
        assert_eq!(around.arrange(AREA, 9, true), AREA);
        assert!(around.area().is_empty());
    }

    #[test]
    fn too_few_rows_say_nothing() {
        let low = Rect { height: 11, ..AREA };
        assert_eq!(around(Target::Assertion).arrange(low, 1, true), low);
        assert_eq!(SurroundingCode::default().arrange(AREA, 1, true), AREA);
    }

    #[test]
    fn the_ground_truth_is_in_sight_with_what_comes_before_it() {
        let mut around = around(Target::Assertion);
        let _ = around.arrange(AREA, 1, true);
        // Eight rows, the last page.
        assert_eq!(around.code.n_rows_below(), 0);
        around.code().scroll(crate::keymap::Motion::First);
        let _ = around.arrange(AREA, 1, true);
        assert_eq!(around.code.n_rows_below(), 32, "it is scrolled to once");
    }

    #[test]
    fn a_whole_test_is_seen_beside_its_focal_method_from_the_beginning() {
        let mut around = around(Target::Test);
        let _ = around.arrange(AREA, 1, true);
        assert_eq!(around.code.n_rows_below(), 32);
        assert!(around.title.starts_with("focal · "), "{}", around.title);
    }
}
