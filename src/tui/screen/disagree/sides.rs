//! Two opinions side by side: the methods that they name, and the calls of these in the test.
//!
//! The first opinion, and the next different one; those who agree with either stand in the list of opinions.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::model::{FocalAnswer, Mark, MarkKind, SampleDetail, Snippet};
use crate::paint;
use crate::review::Conflict;
use crate::screen::annotate::aside::judgement_words;
use crate::screen::{DrawContext, docs};
use crate::text::Doc;
use crate::theme::Role;
use crate::widget::code::{CodeView, n_rows_up_to};
use crate::widget::frame::{Pane, inside};

/// The number of methods beside each other.
pub const N_SIDES: usize = 2;

/// The methods of two opinions.
#[derive(Debug, Default)]
pub struct OpinionSides {
    sides: Vec<OpinionSide>,
    areas: [Rect; N_SIDES],
}

#[derive(Debug)]
struct OpinionSide {
    /// The index among the conflict's opinions.
    idx: usize,
    opinion: String,
    doc: Arc<Doc>,
    view: CodeView,
}

impl OpinionSides {
    /// Builds the sides of a conflict about this sample.
    #[must_use]
    pub fn of(conflict: &Conflict, detail: &SampleDetail) -> Self {
        let mut answers: Vec<FocalAnswer> = Vec::new();
        let mut sides = Vec::new();
        for (idx, opinion) in conflict.opinions.iter().enumerate() {
            let judged = &opinion.verdict.judged;
            let Some(answer) = judged.answer().filter(|answer| !answers.contains(answer)) else {
                continue;
            };
            let doc = Arc::new(doc(&answer, detail));
            let mut view = CodeView::default();
            view.show(Arc::clone(&doc));
            sides.push(OpinionSide {
                idx,
                opinion: judgement_words(judged),
                doc,
                view,
            });
            answers.push(answer);
        }
        sides.truncate(N_SIDES);
        Self {
            sides,
            areas: [Rect::default(); N_SIDES],
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sides.is_empty()
    }

    /// Iterates over the code to paint.
    pub fn jobs(&self) -> impl Iterator<Item = paint::PaintJob> {
        self.sides.iter().flat_map(|side| side.doc.jobs())
    }

    /// Computes the rows of the longer method in this width, with its border.
    #[must_use]
    pub fn height(&self, width: u16) -> u16 {
        let most = u16::MAX - 2;
        let sides = self.sides.iter();
        let heights = sides.map(|side| n_rows_up_to(&side.doc, width, most));
        heights.max().unwrap_or(0) + 2
    }

    pub fn arrange(&mut self, areas: [Rect; N_SIDES], wraps: bool) {
        self.areas = areas;
        for (side, area) in self.sides.iter_mut().zip(areas) {
            side.view.arrange(inside(area), wraps);
        }
    }

    /// Draws both; `name_of` gives the name or letter of an opinion's holder.
    pub fn draw(
        &self,
        name_of: impl Fn(usize) -> String,
        buffer: &mut Buffer,
        context: DrawContext<'_>,
    ) {
        for (side, area) in self.sides.iter().zip(self.areas) {
            let title = format!("{} {} · {}", side.idx + 1, name_of(side.idx), side.opinion);
            let note = match side.view.n_rows_below() {
                0 => String::new(),
                n => format!("↓{n} more"),
            };
            let pane = Pane {
                title: &title,
                note: &note,
                has_focus: false,
            };
            pane.draw(area, buffer, context.theme);
            side.view.draw(buffer, context.theme, context.cache);
        }
    }
}

/// Makes the text of the method that an answer names, as far as the index has its source.
fn doc(answer: &FocalAnswer, detail: &SampleDetail) -> Doc {
    let note = |text: &str| {
        let mut doc = Doc::default();
        doc.push_note(Role::Dim, text);
        doc
    };
    let method = match answer {
        FocalAnswer::Method(method) => method,
        FocalAnswer::NoneOfThese => return note(" a method that is not among the candidates"),
        FocalAnswer::NoFocal => return note(" no method: the test is not about one"),
    };
    // The index keeps the focal method's source apart from the candidates'.
    if let Some(focal) = detail.focal.as_ref().filter(|focal| focal.key == *method) {
        let mut doc = Doc::default();
        doc.push_snippet(focal);
        return doc;
    }
    match detail
        .candidates
        .iter()
        .find(|candidate| candidate.key == *method)
    {
        Some(candidate) => docs::candidate(candidate),
        None => note(" a method that isn't listed: its source is not shown here"),
    }
}

/// Marks the calls of methods that opinions name, found by their names: nothing else is known of a call here.
pub fn mark_calls(conflict: &Conflict, test: &mut Snippet) {
    for opinion in &conflict.opinions {
        if let Some(FocalAnswer::Method(method)) = opinion.verdict.judged.answer() {
            mark_calls_of(short_name(&method), test);
        }
    }
    test.marks.sort_by_key(|mark| (mark.start, mark.end));
}

/// Cuts a method's key down to its name: `size` of `kit.TokenStore#size()`, `Issuer` of its constructor.
fn short_name(method: &str) -> &str {
    let before = method.split('(').next().unwrap_or_default();
    let (class, name) = before.rsplit_once('#').unwrap_or(("", before));
    let last = |path: &'_ str| path.rfind(['.', '$', '/', '#']).map_or(0, |at| at + 1);
    if name == "<init>" {
        &class[last(class)..]
    } else {
        &name[last(name)..]
    }
}

fn mark_calls_of(name: &str, test: &mut Snippet) {
    if name.is_empty() {
        return;
    }
    let is_part = |char: char| char.is_alphanumeric() || char == '_' || char == '$';
    let mut marks = Vec::new();
    for (start, _) in test.text.match_indices(name) {
        let end = start + name.len();
        let is_whole = !test.text[..start].ends_with(is_part);
        let is_call = test.text[end..].trim_start().starts_with('(');
        let is_known = test.marks.iter().any(|mark| {
            mark.kind == MarkKind::FocalCall
                && (mark.start as usize) < end
                && start < mark.end as usize
        });
        // A name after `void` is a declaration, such as the test's own, and no call.
        let is_declared = test.text[..start].trim_end().ends_with("void");
        if is_whole && is_call && !is_known && !is_declared {
            marks.push(Mark {
                start: start as u32,
                end: end as u32,
                kind: MarkKind::FocalCall,
            });
        }
    }
    test.marks.extend(marks);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_is_called_by_the_last_part_of_its_key() {
        let check = |method: &str, expected: &str| assert_eq!(short_name(method), expected);
        check("kit.TokenStore#size()", "size");
        check("kit.Issuer#<init>(java.lang.String)", "Issuer");
        check("kit.Outer$Inner#<init>()", "Inner");
        check("pkg.module.function", "function");
        check("github.com/gorilla/mux.NewRouter()", "NewRouter");
        check("", "");
    }

    #[test]
    fn only_calls_of_that_name_are_marked_and_none_twice() {
        let mut test = Snippet {
            package: None,
            key: "p.T#size()".to_owned(),
            path: "T.java".to_owned(),
            first_line: 1,
            name_line: 1,
            text: "void size() { resize(1); store.size(); size = store.size (); }".to_owned(),
            marks: Vec::new(),
        };
        let at = |test: &Snippet| {
            let marks = test.marks.iter();
            let texts = marks.map(|mark| {
                (
                    mark.start,
                    &test.text[mark.start as usize..mark.end as usize],
                )
            });
            texts
                .map(|(start, text)| (start, text.to_owned()))
                .collect::<Vec<_>>()
        };
        mark_calls_of("size", &mut test);
        assert_eq!(
            at(&test),
            [(31, "size".to_owned()), (52, "size".to_owned())]
        );
        mark_calls_of("size", &mut test);
        assert_eq!(at(&test).len(), 2);
        mark_calls_of("", &mut test);
        assert_eq!(at(&test).len(), 2);
    }
}
