//! Source text made fit for a screen: what an annotator sees is what the dataset holds.
//!
//! Decides how invisible characters are shown, and turns snippets into numbered lines with their marks. Terminals and
//! the drawing library drop tabs, control and bidirectional characters silently; here each becomes a visible picture,
//! and the byte offsets of marks move along. Does not wrap, colour or draw.

use std::hash::{Hash, Hasher};

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::model::{Mark, MarkKind, Snippet, Span};
use crate::theme::Role;

mod folds;

pub use folds::fold_between;

const TAB_STOP: usize = 4;

/// One line without its end, every character visible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VisibleLine {
    pub text: String,
    /// Byte ranges of `text` that stand for an invisible character.
    pub pictures: Vec<(u32, u32)>,
    /// The points where offsets shift, as (byte in the original, byte in `text`), both rising.
    shifts: Vec<(u32, u32)>,
}

impl VisibleLine {
    /// Maps a byte offset of the original line to `text`.
    #[must_use]
    pub fn map(&self, original: u32) -> u32 {
        let idx = self.shifts.partition_point(|(from, _)| *from <= original);
        let (from, to) = match idx.checked_sub(1).and_then(|idx| self.shifts.get(idx)) {
            Some(shift) => *shift,
            None => (0, 0),
        };
        (to + (original - from)).min(self.text.len() as u32)
    }
}

/// Makes every character of a line visible: tabs become spaces up to the next stop, other invisible ones pictures.
#[must_use]
pub fn sanitize(line: &str) -> VisibleLine {
    let mut clean = VisibleLine::default();
    // Nearly every line of code is printable ASCII, which needs no change.
    if line.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        line.clone_into(&mut clean.text);
        return clean;
    }
    let mut n_columns = 0;
    for (offset, grapheme) in line.grapheme_indices(true) {
        let is_plain = !grapheme.chars().any(is_invisible) && grapheme.width() > 0;
        if is_plain {
            clean.text.push_str(grapheme);
            n_columns += grapheme.width();
            continue;
        }
        for (idx, char) in grapheme.char_indices() {
            let from = (offset + idx) as u32;
            let start = clean.text.len() as u32;
            clean.shifts.push((from, start));
            if char == '\t' {
                let n_spaces = TAB_STOP - n_columns % TAB_STOP;
                clean.text.extend(std::iter::repeat_n(' ', n_spaces));
                n_columns += n_spaces;
            } else if is_invisible(char) || char.to_string().width() == 0 {
                let picture = picture(char);
                n_columns += picture.width();
                clean.text.push_str(&picture);
                clean.pictures.push((start, clean.text.len() as u32));
            } else {
                clean.text.push(char);
                n_columns += char.to_string().width();
            }
            let end = clean.text.len() as u32;
            clean.shifts.push((from + char.len_utf8() as u32, end));
        }
    }
    clean
}

/// Makes every character visible in a line that is no source, such as a name, a path or a message.
#[must_use]
pub fn visible(text: &str) -> String {
    sanitize(text).text
}

/// Joins an error and its causes, fit for a screen.
#[must_use]
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        // A transparent error repeats the text of its cause.
        let cause_text = cause.to_string();
        if !text.ends_with(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    visible(&text)
}

/// Tells whether a character is a control, a format character (bidirectional, zero width, tag), a variation selector, a
/// filler, or a line separator.
fn is_invisible(char: char) -> bool {
    matches!(
        char,
        '\u{0}'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{600}'..='\u{605}'
            | '\u{61c}'
            | '\u{6dd}'
            | '\u{70f}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{fffe}'..='\u{ffff}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

fn picture(char: char) -> String {
    match u32::from(char) {
        code @ 0..=0x1f => char::from_u32(0x2400 + code).map_or_else(String::new, String::from),
        0x7f => "␡".to_owned(),
        code => format!("⟨{code:04X}⟩"),
    }
}

/// The part of the test that a line belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestPart {
    Setup,
    Assertion,
}

/// One line of a pane.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocLine {
    /// The line's number in its file; absent for headings and notes.
    pub number: Option<u32>,
    pub text: String,
    pub part: Option<TestPart>,
    /// A focal call begins on this line.
    pub is_focal_call: bool,
    /// Another sign in the gutter: whether the line ran, or what a repair did to it.
    pub sign: Option<(&'static str, Role)>,
    /// The role of a heading or a note; absent for code.
    pub role: Option<Role>,
    /// Parts that are drawn over the syntax colours: (start byte, end byte, role).
    pub spans: Vec<(u32, u32, Role)>,
}

impl DocLine {
    /// Tells whether it has a gutter, as code and lines among code have; other lines begin at the margin.
    #[must_use]
    pub const fn has_gutter(&self) -> bool {
        self.number.is_some() || self.sign.is_some()
    }
}

/// The lines of one snippet: the unit that is coloured and that the editor opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocBlock {
    /// A hash of the text.
    pub id: u64,
    pub first_line_idx: usize,
    pub text: String,
    pub key: String,
    pub path: String,
    /// The line of the method's name.
    pub name_line: u32,
}

/// The part of a call in one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallPart {
    pub line_idx: usize,
    pub start: u32,
    pub end: u32,
    /// The call begins in this line.
    pub is_first: bool,
}

/// The text of one pane.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Doc {
    pub lines: Vec<DocLine>,
    pub blocks: Vec<DocBlock>,
    /// Folds, which one row each stands for: (first line, last line), sorted and disjoint.
    pub folds: Vec<(usize, usize)>,
}

impl Doc {
    /// Adds a line above or between snippets.
    pub fn push_note(&mut self, role: Role, text: &str) {
        self.lines.push(DocLine {
            text: visible(text),
            role: Some(role),
            ..DocLine::default()
        });
    }

    /// Adds a method's source with its line numbers and marks.
    pub fn push_snippet(&mut self, snippet: &Snippet) {
        let first_line_idx = self.lines.len();
        let mut start = 0;
        for (idx, raw) in snippet.text.split_inclusive('\n').enumerate() {
            let line = raw.strip_suffix('\n').unwrap_or(raw);
            let line = line.strip_suffix('\r').unwrap_or(line);
            let number = snippet.first_line + idx as u32;
            self.lines
                .push(marked_line(number, line, start, &snippet.marks));
            start += raw.len() as u32;
        }
        outdent(&mut self.lines[first_line_idx..]);
        let texts: Vec<&str> = self.lines[first_line_idx..]
            .iter()
            .map(|line| line.text.as_str())
            .collect();
        let text = texts.join("\n");
        self.blocks.push(DocBlock {
            id: hash_of(&text),
            first_line_idx,
            text,
            key: snippet.key.clone(),
            path: snippet.path.clone(),
            name_line: snippet.name_line,
        });
    }

    #[must_use]
    pub fn first_focal_call(&self) -> Option<usize> {
        self.lines.iter().position(|line| line.is_focal_call)
    }

    /// Returns the first line of the assertion part; without one, the line of the first call that asserts. Where there
    /// is a part, an assertion in the setup does not count, because the judged code begins with the part.
    #[must_use]
    pub fn first_assertion(&self) -> Option<usize> {
        let is_call = |line: &DocLine| line.spans.iter().any(|span| span.2 == Role::AssertionCall);
        let is_part = |line: &DocLine| line.part == Some(TestPart::Assertion);
        let part = self.lines.iter().position(is_part);
        part.or_else(|| self.lines.iter().position(is_call))
    }

    /// Finds the parts of calls in the lines of the first snippet, in the order of the lines.
    #[must_use]
    pub fn call_parts(&self, snippet: &Snippet, calls: &[Span]) -> Vec<CallPart> {
        let mut parts = Vec::new();
        let mut start = 0;
        let raws = snippet.text.split_inclusive('\n');
        for ((line_idx, raw), line) in raws.enumerate().zip(&self.lines) {
            let end = start + raw.len() as u32;
            for call in calls
                .iter()
                .filter(|call| call.start < end && call.end > start)
            {
                let clean = sanitize(raw.trim_end_matches(['\n', '\r']));
                // The margin shared by all lines was cut off, and the indentation of a continued line is no part of the
                // call.
                let margin = clean.text.len().saturating_sub(line.text.len()) as u32;
                let indent = (line.text.len() - line.text.trim_start().len()) as u32;
                let at = |offset: u32| clean.map(offset - start).saturating_sub(margin);
                let from = at(call.start.max(start)).max(indent);
                let to = at(call.end.min(end));
                if from < to {
                    parts.push(CallPart {
                        line_idx,
                        start: from,
                        end: to,
                        is_first: call.start >= start,
                    });
                }
            }
            start = end;
        }
        parts
    }

    /// Finds the block that holds the line, with the line's index in it.
    #[must_use]
    pub fn block_at(&self, line_idx: usize) -> Option<(&DocBlock, usize)> {
        let next = self
            .blocks
            .partition_point(|block| block.first_line_idx <= line_idx);
        let block = self.blocks.get(next.checked_sub(1)?)?;
        Some((block, line_idx - block.first_line_idx))
    }

    /// Returns the largest line number, which decides the width of the gutter.
    #[must_use]
    pub fn number_max(&self) -> u32 {
        let numbers = self.lines.iter().filter_map(|line| line.number);
        numbers.max().unwrap_or(0)
    }
}

/// Hashes a text; its colours are kept under this number.
#[must_use]
pub fn hash_of(text: &str) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Cuts off the indentation that all lines share: in a narrow pane, a method needs no margin.
fn outdent(lines: &mut [DocLine]) {
    let blanks = |line: &DocLine| line.text.len() - line.text.trim_start_matches(' ').len();
    let with_text = lines.iter().filter(|line| !line.text.trim().is_empty());
    let shared = with_text.map(blanks).min().unwrap_or(0);
    for line in lines {
        let n_cut = shared.min(line.text.len());
        line.text.drain(..n_cut);
        for span in &mut line.spans {
            span.0 = span.0.saturating_sub(n_cut as u32);
            span.1 = span.1.saturating_sub(n_cut as u32);
        }
    }
}

/// Makes the line that starts at byte `start` of its snippet.
fn marked_line(number: u32, raw: &str, start: u32, marks: &[Mark]) -> DocLine {
    let clean = sanitize(raw);
    let end = start + raw.len() as u32;
    let mut line = DocLine {
        number: Some(number),
        ..DocLine::default()
    };
    for mark in marks {
        let touches = mark.start < end.max(start + 1) && mark.end > start;
        if !touches {
            continue;
        }
        let role = match mark.kind {
            MarkKind::Setup => {
                line.part = Some(TestPart::Setup);
                continue;
            }
            MarkKind::Assertion => {
                line.part = Some(TestPart::Assertion);
                continue;
            }
            MarkKind::FocalCall => {
                line.is_focal_call |= mark.start >= start;
                Role::FocalCall
            }
            MarkKind::AssertionCall => Role::AssertionCall,
        };
        let from = clean.map(mark.start.max(start) - start);
        let to = clean.map(mark.end.min(end) - start);
        // In a call that continues over several lines, the indentation is no part of it.
        let indent = clean.text.len() - clean.text.trim_start().len();
        let from = from.max(indent as u32);
        if from < to {
            line.spans.push((from, to, role));
        }
    }
    let pictures = clean.pictures.iter();
    line.spans
        .extend(pictures.map(|(start, end)| (*start, *end, Role::Picture)));
    line.text = clean.text;
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(line: &str, expected: &str) {
        assert_eq!(sanitize(line).text, expected);
    }

    #[test]
    fn tabs_become_spaces_up_to_the_next_stop() {
        check("\tint x", "    int x");
        check("ab\tc", "ab  c");
        check("abcd\tc", "abcd    c");
        check("漢\tc", "漢  c");
    }

    #[test]
    fn what_one_cannot_see_becomes_a_picture() {
        check("a\u{1b}[31mred", "a␛[31mred");
        check("if (\u{202e}x\u{2066})", "if (⟨202E⟩x⟨2066⟩)");
        check("zero\u{200b}width", "zero⟨200B⟩width");
        check("cr\rnul\0del\u{7f}", "cr␍nul␀del␡");
    }

    #[test]
    fn letters_with_accents_and_wide_letters_stay() {
        check("e\u{301}tude 漢字 👍", "e\u{301}tude 漢字 👍");
    }

    #[test]
    fn a_mark_moves_with_the_tab_before_it() {
        let clean = sanitize("\t\tfoo();");
        assert_eq!((clean.map(0), clean.map(2), clean.map(5)), (0, 8, 11));
    }

    #[test]
    fn a_line_knows_its_part_and_its_focal_call() {
        let snippet = Snippet {
            key: "p.T#t()".to_owned(),
            package: None,
            path: "T.java".to_owned(),
            first_line: 10,
            name_line: 10,
            text: "void t() {\n\tc.inc();\n\tassertEquals(1,\n\t\tc.get());\n}\n".to_owned(),
            marks: vec![
                Mark {
                    start: 12,
                    end: 20,
                    kind: MarkKind::Setup,
                },
                Mark {
                    start: 12,
                    end: 19,
                    kind: MarkKind::FocalCall,
                },
                Mark {
                    start: 22,
                    end: 49,
                    kind: MarkKind::Assertion,
                },
            ],
        };
        let mut doc = Doc::default();
        doc.push_snippet(&snippet);
        let seen: Vec<_> = doc
            .lines
            .iter()
            .map(|line| (line.number, line.part, line.is_focal_call))
            .collect();
        assert_eq!(
            seen,
            [
                (Some(10), None, false),
                (Some(11), Some(TestPart::Setup), true),
                (Some(12), Some(TestPart::Assertion), false),
                (Some(13), Some(TestPart::Assertion), false),
                (Some(14), None, false),
            ]
        );
        assert_eq!(doc.lines[1].spans, [(4, 11, Role::FocalCall)]);
    }

    #[test]
    fn the_margin_that_all_lines_share_is_cut_off() {
        let snippet = Snippet {
            key: String::new(),
            package: None,
            path: String::new(),
            first_line: 1,
            name_line: 1,
            text: "    void t() {\n\n\t\tx();\n    }\n".to_owned(),
            marks: vec![Mark {
                start: 18,
                end: 21,
                kind: MarkKind::FocalCall,
            }],
        };
        let mut doc = Doc::default();
        doc.push_snippet(&snippet);
        let texts: Vec<&str> = doc.lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["void t() {", "", "    x();", "}"]);
        assert_eq!(doc.lines[2].spans, [(4, 7, Role::FocalCall)]);
    }

    #[test]
    fn a_call_is_found_line_by_line_behind_tabs_and_the_margin() {
        let snippet = Snippet {
            package: None,
            key: String::new(),
            path: String::new(),
            first_line: 1,
            name_line: 1,
            text: "    void t() {\n\t\tx(a,\n\t\t\tb);\n    }\n".to_owned(),
            marks: Vec::new(),
        };
        let mut doc = Doc::default();
        doc.push_snippet(&snippet);
        let start = snippet.text.find("x(").expect("it is there") as u32;
        let end = snippet.text.find(';').expect("it is there") as u32;
        let parts = doc.call_parts(&snippet, &[Span::new(start, end)]);
        let shown: Vec<(usize, &str, bool)> = parts
            .iter()
            .map(|call_part| {
                let text = &doc.lines[call_part.line_idx].text;
                (
                    call_part.line_idx,
                    &text[call_part.start as usize..call_part.end as usize],
                    call_part.is_first,
                )
            })
            .collect();
        assert_eq!(shown, [(1, "x(a,", true), (2, "b)", false)]);
    }

    proptest! {
        #[test]
        fn nothing_invisible_is_left(line in "\\PC*|(?s).{0,60}") {
            let line = line.replace('\n', " ");
            let clean = sanitize(&line);
            prop_assert!(!clean.text.chars().any(is_invisible));
            for grapheme in clean.text.graphemes(true) {
                prop_assert!(grapheme.width() > 0, "{grapheme:?}");
            }
        }

        #[test]
        fn offsets_rise_and_stay_on_characters(line in "[a\t\u{202e}\u{0}é漢]{0,30}") {
            let clean = sanitize(&line);
            let mut last = 0;
            for (offset, _) in line.char_indices() {
                let mapped = clean.map(offset as u32);
                prop_assert!(mapped >= last);
                prop_assert!(clean.text.is_char_boundary(mapped as usize));
                last = mapped;
            }
            prop_assert_eq!(clean.map(line.len() as u32) as usize, clean.text.len());
        }
    }
}
