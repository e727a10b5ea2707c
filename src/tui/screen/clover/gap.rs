//! The text in the lower pane: its lines, the signs beside them, and the place of the gap.

use crate::clover::{FileLook, LineSet, QuestionKind};
use crate::model::Snippet;
use crate::screen::clover::{Clover, CloverView};
use crate::text::{Doc, DocLine};
use crate::theme::Role;

/// The mark of a blank in a question.
const BLANK: &str = "____";
/// The number of lines above the gap that come into sight with it.
const BEFORE: u32 = 3;

impl Clover {
    /// Goes to the file with the gap: the first one with wanted lines, else with lines of the problem's own; to the
    /// problem's own file for a cloze.
    pub(super) fn go_to_gap(&mut self) {
        self.file = 0;
        self.view = CloverView::Source;
        let Some(look) = &self.look else {
            return;
        };
        let first = |is_so: fn(&FileLook) -> bool| look.files.iter().position(is_so);
        let wanted = first(|file_look| file_look.lines_to_cover.iter().next().is_some());
        let own = first(|file_look| file_look.own.iter().next().is_some());
        self.file = wanted.or(own).unwrap_or(0);
        if self.task == QuestionKind::Cloze && look.question.is_some() {
            self.view = CloverView::Problem;
        }
    }

    /// Shows the text for file, view and answer; an unchanged text keeps its scroll position.
    pub(super) fn show(&mut self) {
        let doc = match self.view {
            CloverView::Source => self.source(),
            CloverView::Problem => self.problem(),
        };
        self.unpainted.extend(doc.jobs());
        self.code.show(doc.into());
    }

    /// Brings the gap into sight as soon as the text is laid out.
    pub(super) fn seek(&mut self) {
        self.sought = match self.view {
            CloverView::Source => self.blocks().first().map(|block| block.0),
            CloverView::Problem => self.blank(),
        };
    }

    /// Scrolls so that a line comes to the top, below a few lines before it.
    pub(super) fn bring_in(&mut self, number: u32) {
        let first = number.saturating_sub(BEFORE + 1) as usize;
        let height = usize::from(self.areas[2].height);
        self.code.bring_in((first, first + height));
    }

    /// Finds first and last lines of blocks: of wanted lines that the answer has missed, else of all wanted ones, else
    /// of the problem's own lines.
    pub(super) fn blocks(&self) -> Vec<(u32, u32)> {
        let Some(file) = self.shown_file() else {
            return Vec::new();
        };
        let missed = self.shown_answer().map(|answer| {
            let reached = answer.reached.get(&file.path);
            let is_missed = |n: &u32| !reached.is_some_and(|lines| lines.contains(*n));
            file.lines_to_cover
                .iter()
                .filter(is_missed)
                .collect::<Vec<_>>()
        });
        if let Some(missed) = missed.filter(|missed| !missed.is_empty()) {
            return runs(missed.into_iter());
        }
        let is_wanted = file.lines_to_cover.iter().next().is_some();
        runs(
            if is_wanted {
                &file.lines_to_cover
            } else {
                &file.own
            }
            .iter(),
        )
    }

    /// Finds the line of the problem's file that holds the blank, else the first line of its test.
    fn blank(&self) -> Option<u32> {
        let look = self.look.as_ref()?;
        let asked = look.question.as_deref().unwrap_or_default();
        let (before, after) = asked.split_once(BLANK).unwrap_or((asked, ""));
        let (before, after) = (before.trim(), after.trim());
        let has_blank = |line: &str| {
            let rest = line.trim().strip_prefix(before);
            !before.is_empty() && rest.is_some_and(|rest| rest.ends_with(after))
        };
        let name = look.id.rsplit("::").next().unwrap_or_default();
        let begins = |line: &str| {
            let line = line.trim_start().trim_start_matches("async ");
            let rest = line
                .strip_prefix("def ")
                .and_then(|rest| rest.strip_prefix(name));
            rest.is_some_and(|rest| rest.starts_with('('))
        };
        let lines = || look.code.lines().zip(1..);
        let place =
            |is_it: &dyn Fn(&str) -> bool| lines().find(|line| is_it(line.0)).map(|line| line.1);
        let asked_at = if self.task == QuestionKind::Cloze {
            place(&has_blank)
        } else {
            None
        };
        asked_at.or_else(|| place(&begins))
    }

    fn problem(&self) -> Doc {
        let mut doc = Doc::default();
        let Some(look) = &self.look else {
            return doc;
        };
        doc.push_snippet(&snippet(&look.id, "problem.py", &look.code));
        if let Some(blank) = self.blank().filter(|_| self.task == QuestionKind::Cloze)
            && let Some(line) = doc.lines.get_mut(blank as usize - 1)
        {
            line.sign = Some(("▷", Role::Focal));
        }
        doc
    }

    fn source(&self) -> Doc {
        let mut doc = Doc::default();
        let Some(file) = self.shown_file() else {
            return doc;
        };
        let Some(text) = &self.text else {
            let text = " the file is gone: `focalist prepare` makes it again";
            doc.push_note(Role::Dim, text);
            return doc;
        };
        doc.push_snippet(&snippet(&file.path, &file.path, text));
        let answer = self.shown_answer();
        let reached = answer.and_then(|answer_look| answer_look.reached.get(&file.path));
        for line in &mut doc.lines {
            line.sign = sign(line, file, (answer.is_some(), reached));
        }
        doc
    }
}

/// Chooses the sign beside a line. Wanted lines are always the problem's own, so one sign tells both.
fn sign(
    line: &DocLine,
    file: &FileLook,
    (has_answer, reached): (bool, Option<&LineSet>),
) -> Option<(&'static str, Role)> {
    let number = line.number?;
    if file.lines_to_cover.contains(number) {
        let is_reached = reached.is_some_and(|line_set| line_set.contains(number));
        return Some(match () {
            () if !has_answer => ("▷", Role::Focal),
            () if is_reached => ("■", Role::Covered),
            () => ("□", Role::Missed),
        });
    }
    match () {
        () if file.own.contains(number) => Some(("●", Role::Focal)),
        () if file.unstable.contains(number) => Some(("~", Role::Partly)),
        () if file.empty.contains(number) => Some(("·", Role::Dim)),
        () if file.covered.contains(number) => Some(("✓", Role::Covered)),
        () => None,
    }
}

fn snippet(key: &str, path: &str, text: &str) -> Snippet {
    Snippet {
        key: key.to_owned(),
        package: None,
        path: path.to_owned(),
        first_line: 1,
        name_line: 1,
        text: text.to_owned(),
        marks: Vec::new(),
    }
}

/// Joins lines to runs across gaps of at most two: statements span several lines, and comments stand between them.
fn runs(lines: impl Iterator<Item = u32>) -> Vec<(u32, u32)> {
    const GAP: u32 = 3;
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for line in lines {
        match runs.last_mut() {
            Some((_, last)) if *last + GAP >= line => *last = line,
            _ => runs.push((line, line)),
        }
    }
    runs
}
