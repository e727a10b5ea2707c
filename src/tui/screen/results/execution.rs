//! The execution of a prediction as a text: the outcome and its reason, the prediction with its faulty line and the
//! changes of a repair, the trace, and the focal method with its coverage.
//!
//! ```text
//!  N not_compilable · the compiler refuses it
//!  compile · compiler.err.cant.resolve · line 2 of the prediction
//!  cannot find symbol: class Missing
//!    1     int a = counter.inc();
//!    2  !  new Missing();
//!  focal Counter.inc · not called
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::eval::prompted::PredictionPrompt;
use crate::execute::detail::{ExecutionDetail, OUTSIDE, ShownStep, place_of};
use crate::model::{LineCover, OutcomeReason, Repair, RunStage, Snippet};
use crate::paint;
use crate::screen::{DrawContext, outcomes};
use crate::text::{Doc, DocBlock, DocLine, hash_of, sanitize, visible};
use crate::theme::Role;
use crate::widget::code::CodeView;
use crate::widget::frame::{Pane, counted, inside};

/// The number of lines of a message that are shown while its rest and the trace are folded.
const MESSAGE_LINES_MAX: usize = 6;

/// A prediction that was executed, with the texts to show with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutedPrediction {
    pub detail: ExecutionDetail,
    /// The prediction as it was scored.
    pub prediction: String,
    /// The path of its file, which tells the language.
    pub path: String,
    pub focal: Option<Snippet>,
}

/// The text that stands in place of the difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResultsLowerPane {
    #[default]
    Ran,
    Prompt,
}

/// The pane with this text.
#[derive(Debug, Default)]
pub struct ExecutionView {
    prediction: Option<Box<ExecutedPrediction>>,
    prompted: Option<Box<PredictionPrompt>>,
    lower: ResultsLowerPane,
    code: CodeView,
    /// The trace and the whole message are shown.
    is_unfolded: bool,
    title: String,
    area: Rect,
}

impl ExecutionView {
    /// Shows the outcome of another prediction, or its prompt; a note where there is none.
    pub fn show(
        &mut self,
        seen: Option<Box<ExecutedPrediction>>,
        prompted: Option<Box<PredictionPrompt>>,
    ) {
        self.prediction = seen;
        self.prompted = prompted;
        self.rebuild();
    }

    fn rebuild(&mut self) {
        let mut doc = Doc::default();
        if self.lower == ResultsLowerPane::Prompt {
            "the prompt".clone_into(&mut self.title);
            match &self.prompted {
                Some(prompted) => push_prompted(&mut doc, prompted),
                None => doc.push_note(Role::Dim, " no model was asked: the run was imported"),
            }
        } else if let Some(seen) = &self.prediction {
            push(&mut doc, seen, self.is_unfolded);
            self.title = title(seen);
        } else {
            doc.push_note(Role::Dim, " not executed");
            doc.push_note(
                Role::Dim,
                " gR, then x: runs the predictions of a run in their projects",
            );
            "the outcome".clone_into(&mut self.title);
        }
        self.code.show(doc.into());
    }

    #[must_use]
    pub const fn lower(&self) -> ResultsLowerPane {
        self.lower
    }

    #[must_use]
    pub const fn has_prompt(&self) -> bool {
        self.prompted.is_some()
    }

    /// Shows the outcome or the prompt.
    pub fn turn_to(&mut self, lower: ResultsLowerPane) {
        if self.lower != lower {
            self.lower = lower;
            self.rebuild();
        }
    }

    /// Shows the trace, or folds it; tells whether it is shown.
    pub fn toggle_trace(&mut self) -> bool {
        self.is_unfolded = !self.is_unfolded;
        self.rebuild();
        self.is_unfolded
    }

    #[must_use]
    pub fn seen(&self) -> Option<&ExecutedPrediction> {
        self.prediction.as_deref()
    }

    pub fn code(&mut self) -> &mut CodeView {
        &mut self.code
    }

    /// Iterates over the painter's jobs for the text.
    pub fn jobs(&self) -> impl Iterator<Item = paint::PaintJob> {
        self.code.doc().jobs()
    }

    /// Lays it out for an area with its border.
    pub fn arrange(&mut self, area: Rect, wraps: bool) {
        self.area = area;
        self.code.arrange(inside(area), wraps);
    }

    pub fn draw(&self, has_focus: bool, buffer: &mut Buffer, context: DrawContext<'_>) {
        let key = match self.lower {
            ResultsLowerPane::Ran => "x",
            ResultsLowerPane::Prompt => "p",
        };
        let note = match self.code.n_rows_below() {
            0 => format!("{key} the difference"),
            n => format!("{key} the difference · ↓{n}"),
        };
        let pane = Pane {
            title: &self.title,
            note: &note,
            has_focus,
        };
        pane.draw(self.area, buffer, context.theme);
        self.code.draw(buffer, context.theme, context.cache);
    }

    /// Writes the reason of the failure as one text: the tool's message and the trace; nothing without a reason.
    #[must_use]
    pub fn copied(&self) -> Option<String> {
        let why = self.prediction.as_ref()?.detail.why.as_ref()?;
        let mut text = why.message.clone();
        if let Some(trace) = &why.trace {
            text.push('\n');
            text.push_str(trace);
        }
        Some(text)
    }
}

fn title(seen: &ExecutedPrediction) -> String {
    let (letter, word, _) = outcomes::signs(&seen.detail.execution);
    format!("ran: {letter} {word}")
}

fn push(doc: &mut Doc, seen: &ExecutedPrediction, is_unfolded: bool) {
    push_outcome(doc, &seen.detail);
    if let Some(why) = &seen.detail.why {
        push_why(doc, why, is_unfolded);
    }
    push_prediction(doc, seen);
    if let Some(trace) = seen
        .detail
        .why
        .as_ref()
        .and_then(|outcome_reason| outcome_reason.trace.as_ref())
    {
        push_trace(doc, trace, is_unfolded);
    }
    push_focal(doc, seen);
}

/// Adds the parameters of the request, the raw answer, and the prompt.
fn push_prompted(doc: &mut Doc, prompted: &PredictionPrompt) {
    let finished = prompted.finish_reason.as_deref().unwrap_or("no reason");
    let head = format!(
        " {} · attempt {} · finished: {finished}",
        prompted.model, prompted.attempt
    );
    doc.push_note(Role::Text, &head);
    doc.push_note(
        Role::Dim,
        &format!(" {} · {}", prompted.parameters, prompted.numbers),
    );
    let mut push = |title: &str, text: &str| {
        doc.push_note(Role::Text, "");
        let n_lines = counted(text.lines().count() as u64, "line");
        doc.push_note(Role::Title, &format!(" {title} · {n_lines}"));
        for line in text.lines() {
            doc.push_note(Role::Text, &format!("   {line}"));
        }
    };
    match &prompted.answer {
        Some(answer) => push("the raw answer", answer),
        None => push("no answer: the prompt is too long for the model", ""),
    }
    push("the prompt", &prompted.prompt);
}

fn push_outcome(doc: &mut Doc, told: &ExecutionDetail) {
    let execution = &told.execution;
    let (letter, word, role) = outcomes::signs(execution);
    let about = told.meaning();
    doc.push_note(role, &format!(" {letter} {word} · {about}"));
    let role_of = |warns| if warns { Role::Warning } else { Role::Dim };
    for remark in told.remarks() {
        doc.push_note(role_of(remark.warns), &format!(" {}", remark.text));
    }
    doc.push_note(role_of(told.is_unheld()), &format!(" {}", told.how()));
    if told.is_outside_suite {
        doc.push_note(Role::Dim, &format!(" {OUTSIDE}"));
    }
}

fn push_why(doc: &mut Doc, why: &OutcomeReason, is_unfolded: bool) {
    doc.push_note(Role::Title, &format!(" {}", place_of(why)));
    let n_lines = why.message.lines().count();
    let n_shown = if is_unfolded || n_lines <= MESSAGE_LINES_MAX + 1 {
        n_lines
    } else {
        MESSAGE_LINES_MAX
    };
    for line in why.message.lines().take(n_shown) {
        doc.push_note(Role::Error, &format!(" {line}"));
    }
    if n_shown < n_lines {
        let more = counted((n_lines - n_shown) as u64, "more line");
        doc.push_note(Role::Dim, &format!(" … {more} · zt shows all"));
    }
}

fn push_trace(doc: &mut Doc, trace: &str, is_unfolded: bool) {
    let n_lines = counted(trace.lines().count() as u64, "line");
    doc.push_note(Role::Text, "");
    if is_unfolded {
        doc.push_note(Role::Title, &format!(" ▾ trace · {n_lines} · zt folds it"));
        for line in trace.lines() {
            doc.push_note(Role::Dim, &format!("   {line}"));
        }
    } else {
        doc.push_note(Role::Title, &format!(" ▸ trace · {n_lines} · zt shows it"));
    }
}

fn push_prediction(doc: &mut Doc, seen: &ExecutedPrediction) {
    let repaired = match seen.detail.execution.repair {
        Repair::None => "",
        Repair::Cut => " · cut: the text after the method was dropped",
        Repair::Closed => " · closed: it broke off, and ends after its last whole statement",
    };
    let is_lost = seen.detail.execution.repair != Repair::None && seen.detail.steps.is_empty();
    let lost = if is_lost {
        " (shown as it was given)"
    } else {
        ""
    };
    doc.push_note(Role::Text, "");
    doc.push_note(Role::Title, &format!(" prediction{repaired}{lost}"));
    if !seen.detail.steps.is_empty() {
        doc.push_note(Role::Dim, " - [-removed-]   + {+added+}");
    }
    let first_line_idx = doc.lines.len();
    let lines = changed(&seen.prediction, &seen.detail.steps);
    let wrong = seen
        .detail
        .why
        .as_ref()
        .and_then(|outcome_reason| outcome_reason.line);
    doc.lines.extend(lines.into_iter().map(|mut line| {
        if line.number.is_some() && line.number == wrong {
            line.sign = Some(("!", Role::Error));
            let indent = line.text.len() - line.text.trim_start().len();
            let whole = (indent as u32, line.text.len() as u32, Role::Error);
            line.spans.insert(0, whole);
        }
        line
    }));
    let texts = doc.lines[first_line_idx..].iter();
    let text = texts.map(|text| text.text.as_str()).collect::<Vec<_>>();
    let text = text.join("\n");
    doc.blocks.push(DocBlock {
        id: hash_of(&text),
        first_line_idx,
        text,
        key: String::new(),
        path: seen.path.clone(),
        name_line: 1,
    });
}

/// What a repair does to a piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PieceFate {
    Stays,
    Goes,
    Comes,
}

/// Writes the lines of a text with the changes of a repair: removed and added pieces both stand there, and in a line
/// that changes only in part they have brackets.
fn changed(text: &str, steps: &[ShownStep]) -> Vec<DocLine> {
    let mut composed = ChangedText::new();
    let mut at = 0;
    for step in steps {
        let (start, end) = (step.removed.start as usize, step.removed.end as usize);
        composed.push(PieceFate::Stays, text.get(at..start).unwrap_or_default());
        composed.push(PieceFate::Goes, text.get(start..end).unwrap_or_default());
        composed.push(PieceFate::Comes, &step.added);
        at = end;
    }
    let rest = text.get(at..).unwrap_or_default();
    composed.push(PieceFate::Stays, rest.strip_suffix('\n').unwrap_or(rest));
    composed.end_line();
    composed.lines
}

struct ChangedText {
    lines: Vec<DocLine>,
    pieces: Vec<(PieceFate, String)>,
    /// The number of the next line of the text.
    number: u32,
    /// The current line is one of the text, not an added one.
    is_own: bool,
}

impl ChangedText {
    const fn new() -> Self {
        Self {
            lines: Vec::new(),
            pieces: Vec::new(),
            number: 1,
            is_own: true,
        }
    }

    fn push(&mut self, fate: PieceFate, text: &str) {
        for (idx, part) in text.split('\n').enumerate() {
            if idx > 0 {
                self.end_line();
                self.is_own = fate != PieceFate::Comes;
            }
            let part = part.strip_suffix('\r').unwrap_or(part);
            if !part.is_empty() {
                self.pieces.push((fate, part.to_owned()));
            }
        }
    }

    fn end_line(&mut self) {
        let pieces = std::mem::take(&mut self.pieces);
        let has = |fate: PieceFate| {
            let of = |pair: &(PieceFate, String)| pair.0 == fate && !pair.1.trim().is_empty();
            pieces.iter().any(of)
        };
        let (stays, goes, comes) = (
            has(PieceFate::Stays),
            has(PieceFate::Goes),
            has(PieceFate::Comes),
        );
        let (sign, is_mixed) = match (stays, goes, comes) {
            (false, true, false) => (Some(("-", Role::Error)), false),
            (false, false, true) => (Some(("+", Role::Good)), false),
            (_, false, false) => (None, false),
            _ => (Some(("±", Role::Warning)), true),
        };
        let mut raw = String::new();
        let mut spans = Vec::new();
        for (fate, piece) in &pieces {
            let marks = match fate {
                PieceFate::Goes => Some((Role::Struck, "[-", "-]")),
                PieceFate::Comes => Some((Role::AddedWord, "{+", "+}")),
                PieceFate::Stays => None,
            };
            let Some((role, open, close)) = marks.filter(|_| !piece.trim().is_empty()) else {
                raw.push_str(piece);
                continue;
            };
            let body = piece.trim_start();
            raw.push_str(&piece[..piece.len() - body.len()]);
            let start = raw.len() as u32;
            if is_mixed {
                raw.extend([open, body, close]);
            } else {
                raw.push_str(body);
            }
            spans.push((start, raw.len() as u32, role));
        }
        let clean = sanitize(&raw);
        let spans = spans.into_iter();
        let mut spans: Vec<_> = spans
            .map(|(start, end, role)| (clean.map(start), clean.map(end), role))
            .collect();
        let pictures = clean.pictures.iter();
        spans.extend(pictures.map(|(start, end)| (*start, *end, Role::Picture)));
        let number = self.is_own.then_some(self.number);
        self.number += u32::from(self.is_own);
        self.lines.push(DocLine {
            number,
            // A line without a number is drawn as a note, unless it has a sign.
            sign: sign.or_else(|| number.is_none().then_some((" ", Role::Dim))),
            text: clean.text,
            spans,
            ..DocLine::default()
        });
    }
}

fn push_focal(doc: &mut Doc, seen: &ExecutedPrediction) {
    let coverage = seen.detail.focal.as_ref();
    let key = seen.focal.as_ref().map(|snippet| visible(&snippet.key));
    let name = key.unwrap_or_else(|| "no focal method".to_owned());
    doc.push_note(Role::Text, "");
    let reach = seen.detail.reach();
    doc.push_note(Role::Title, &format!(" focal {name} · {reach}"));
    let Some(focal) = &seen.focal else { return };
    let by_line = coverage.map_or(&[][..], |focal_coverage| &focal_coverage.by_line);
    if by_line.is_empty() {
        doc.push_note(Role::Dim, " its coverage is not known");
    } else {
        doc.push_note(Role::Dim, " ✓ ran   ~ ran in part   ✗ did not run");
    }
    let first = doc.lines.len();
    doc.push_snippet(focal);
    for line in &mut doc.lines[first..] {
        let cover = line.number.and_then(|number| {
            let at = by_line
                .binary_search_by_key(&number, |by_line| by_line.0)
                .ok()?;
            Some(by_line[at].1)
        });
        line.sign = cover.map(sign_of);
    }
}

const fn sign_of(cover: LineCover) -> (&'static str, Role) {
    match cover {
        LineCover::Covered => ("✓", Role::Covered),
        LineCover::Partly => ("~", Role::Partly),
        LineCover::Missed => ("✗", Role::Missed),
    }
}

/// Finds the faulty line of the prediction, from 1, and the message for it; nothing where no line is known.
#[must_use]
pub fn fault(told: &ExecutionDetail) -> Option<(u32, String)> {
    let why = told.why.as_ref()?;
    let first = why.message.lines().next().unwrap_or_default();
    let stage = match why.stage {
        RunStage::Compile => "does not compile",
        RunStage::Run => "thrown here",
    };
    Some((why.line?, format!("{stage}: {first}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execute::repair::StepKind;
    use crate::model::Span;

    fn check(text: &str, changes: &[(u32, u32, &str)], expected: &str) {
        let steps = changes.iter().map(|(start, end, added)| ShownStep {
            kind: StepKind::Cut,
            removed: Span::new(*start, *end),
            added: (*added).to_owned(),
        });
        let lines = changed(text, &steps.collect::<Vec<_>>());
        let told = lines.iter().map(|line| {
            let number = line
                .number
                .map_or_else(String::new, |number| number.to_string());
            let sign = line.sign.map_or(" ", |sign| sign.0);
            format!("{number:>2}{sign} {}", line.text)
        });
        let told = told.collect::<Vec<_>>().join("\n");
        assert_eq!(told, expected);
    }

    #[test]
    fn what_a_repair_took_and_gave_stands_in_the_text() {
        check("a\nb\n", &[], " 1  a\n 2  b");
        check(
            "a {\n}\nrest\nmore",
            &[(5, 15, "")],
            " 1  a {\n 2  }\n 3- rest\n 4- more",
        );
        check(
            "a(\n  b;",
            &[(7, 7, "\n)\n}")],
            " 1  a(\n 2    b;\n  + )\n  + }",
        );
        check("a; b(", &[(3, 5, "}")], " 1± a; [-b(-]{+}+}");
        check("é\u{1b}x", &[(3, 4, "")], " 1± é␛[-x-]");
        check("", &[], " 1  ");
    }
}
