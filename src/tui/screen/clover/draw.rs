//! The drawing of Clover.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use crate::clover::{FileLook, Look as Problem, ProblemSuite};
use crate::screen::clover::{Clover, CloverView};
use crate::screen::docs::file_name;
use crate::screen::outcomes;
use crate::screen::{AnswerState, DrawContext};
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::{Pane, counted, cut, cut_start, fit, inside, pieces};
use crate::widget::overlay;

impl Clover {
    pub fn draw(&self, body: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        if let Some(nothing) = self.nothing() {
            overlay::draw_message(body, ("clover", ""), &[nothing], buffer, context.theme);
            return;
        }
        let [list, files, text] = self.areas;
        let title = self.project.as_deref().map_or_else(
            || "problems".to_owned(),
            |project| {
                format!(
                    "{} · {}",
                    visible(project),
                    counted(self.n_problems() as u64, "problem")
                )
            },
        );
        let note = self
            .suite
            .ready()
            .filter(|problem_suite| problem_suite.projects.len() > 1);
        let note = note.map_or_else(String::new, |problem_suite| {
            format!(
                "project {}/{}",
                problem_suite.at + 1,
                problem_suite.projects.len()
            )
        });
        pane(&title, &note, true).draw(list, buffer, context.theme);
        self.draw_list(inside(list), buffer, context);
        let Some(problem) = &self.look else {
            pane("files", "", false).draw(files, buffer, context.theme);
            pane("lines", "", false).draw(text, buffer, context.theme);
            return;
        };
        let tokens = if self.is_measured() {
            told_tokens(problem)
        } else {
            String::new()
        };
        pane("files in the prompt", &tokens, false).draw(files, buffer, context.theme);
        self.draw_files(problem, inside(files), buffer, context);
        match self.view {
            CloverView::Source => self.draw_source(text, buffer, context),
            CloverView::Problem => {
                let title = visible(&problem.id);
                pane(&title, &self.place(), false).draw(text, buffer, context.theme);
                self.code.draw(buffer, context.theme, context.cache);
            }
        }
    }

    /// Tells whether the lines that the problem under the cursor covers are known.
    fn is_measured(&self) -> bool {
        self.problems()
            .nth(self.cursor)
            .is_none_or(|problem| problem.is_measured)
    }

    pub(super) fn list_top(&self) -> usize {
        let height = usize::from(inside(self.areas[0]).height).max(1);
        (self.cursor + 1).saturating_sub(height)
    }

    pub(super) fn files_top(&self) -> usize {
        let height = usize::from(inside(self.areas[1]).height.saturating_sub(1)).max(1);
        (self.file + 1).saturating_sub(height)
    }

    /// Counts the rows of the lower pane that are below its end; empty where there are none.
    fn place(&self) -> String {
        match self.code.n_rows_below() {
            0 => String::new(),
            n => format!("↓{n}"),
        }
    }

    /// Explains why there is nothing to show, with advice; nothing when there is something.
    fn nothing(&self) -> Option<(&str, Role)> {
        match &self.suite {
            AnswerState::Failed(text) => Some((text.as_str(), Role::Error)),
            AnswerState::NoIndex => Some(("there is no index here yet", Role::Warning)),
            AnswerState::Ready(ProblemSuite { projects, .. }) if projects.is_empty() => Some((
                "no problems yet: `focalist clover tasks PROJECT` makes them",
                Role::Warning,
            )),
            AnswerState::Ready(_) | AnswerState::Waiting => None,
        }
    }

    fn draw_list(&self, area: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        if let Some(suite) = self.suite.ready() {
            self.draw_problems(suite, area, buffer, context);
            return;
        }
        let row = Rect::new(area.x + 1, area.y, area.width.saturating_sub(1), 1);
        pieces(
            row,
            &[("reading the index …", Role::Dim)],
            buffer,
            context.theme,
        );
    }

    fn draw_problems(
        &self,
        suite: &ProblemSuite,
        area: Rect,
        buffer: &mut Buffer,
        context: DrawContext<'_>,
    ) {
        let shown = self.problems().enumerate().skip(self.list_top());
        if self.n_problems() == 0 && !suite.problems.is_empty() {
            let row = Rect::new(area.x + 1, area.y, area.width.saturating_sub(1), 1);
            let text = "no problem has these words · Esc shows all";
            pieces(row, &[(text, Role::Dim)], buffer, context.theme);
        }
        for ((idx, problem_outline), y) in shown.zip(area.y..area.bottom()) {
            let row = Rect::new(area.x, y, area.width, 1);
            let (word, role) = match (&problem_outline.reason, problem_outline.outcome) {
                (Some(_), _) => ("none", Role::Warning),
                (None, Some(outcome)) => (outcome.as_str(), outcomes::role(outcome)),
                (None, None) => ("", Role::Dim),
            };
            let room = usize::from(area.width).saturating_sub(word.len() + 3);
            let (name, file) = shown_id(&problem_outline.id, room);
            let role_of_name = if problem_outline.is_measured {
                Role::Text
            } else {
                Role::Dim
            };
            let parts = [
                (" ", Role::Text),
                (name.as_str(), role_of_name),
                (file.as_str(), Role::Dim),
                (" ", Role::Text),
                (word, role),
            ];
            pieces(row, &parts, buffer, context.theme);
            if idx == self.cursor {
                select(row, Role::Selected, buffer, context);
            }
        }
    }

    /// Draws the files in the order in which a prompt takes them, with the number of lines that only this problem
    /// covers.
    fn draw_files(
        &self,
        problem: &Problem,
        area: Rect,
        buffer: &mut Buffer,
        context: DrawContext<'_>,
    ) {
        let width = usize::from(area.width);
        let none = format!("this test has no {} question", self.task.as_str());
        let is_measured = self.is_measured();
        let unmeasured = told_unmeasured(problem, self.project.as_deref());
        let asked = if is_measured {
            problem.question.as_deref().unwrap_or(&none)
        } else {
            &unmeasured
        };
        let role = if !is_measured {
            Role::Warning
        } else if problem.question.is_some() {
            Role::Text
        } else {
            Role::Dim
        };
        let row = Rect::new(area.x, area.y, area.width, 1.min(area.height));
        let asked = visible(asked);
        pieces(
            row,
            &[(" ", Role::Text), (&asked, role)],
            buffer,
            context.theme,
        );
        let shown = problem.files.iter().enumerate().skip(self.files_top());
        for ((idx, file_look), y) in shown.zip(area.y + 1..area.bottom()) {
            let row = Rect::new(area.x, y, area.width, 1);
            let n_own = file_look.own.iter().count();
            let own = if n_own == 0 {
                String::new()
            } else {
                format!("{n_own}●")
            };
            let n_tokens = file_look.n_tokens.map_or_else(|| "–".to_owned(), thousands);
            let (sign, role) = if !is_measured {
                ("–", Role::Dim)
            } else if file_look.is_in {
                ("✓", Role::Good)
            } else {
                ("✗", Role::Dim)
            };
            let rest = format!("{own:>5}{n_tokens:>8} ");
            let class = if is_measured { file_look.class } else { "–" };
            let class = format!(" {class:<7}");
            let room = width.saturating_sub(rest.chars().count() + class.width() + 2);
            let name = fit(&cut_start(&visible(&file_look.path), room), room);
            let of_class = match file_look.class {
                "needed" => Role::Strong,
                "peer" => Role::Focal,
                "rest" => Role::Text,
                _ => Role::Dim,
            };
            let parts = [
                (class.as_str(), of_class),
                (
                    &name,
                    if file_look.is_in {
                        Role::Text
                    } else {
                        Role::Dim
                    },
                ),
                (&rest, Role::Text),
                (sign, role),
            ];
            pieces(row, &parts, buffer, context.theme);
            if idx == self.file {
                select(row, Role::Marked, buffer, context);
            }
        }
    }

    fn draw_source(&self, area: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        let Some(file) = self.shown_file() else {
            pane("lines", "", false).draw(area, buffer, context.theme);
            return;
        };
        let n_own = file.own.iter().count();
        let own = if n_own == 1 { "line" } else { "lines" };
        let title = if self.is_measured() {
            format!("{} · {n_own} {own} of its own", visible(&file.path))
        } else {
            visible(&file.path)
        };
        pane(&title, &self.told_answer(file), false).draw(area, buffer, context.theme);
        self.code.draw(buffer, context.theme, context.cache);
    }

    /// Counts the wanted lines of a file and the answers, or tells how many lines the shown answer has reached.
    fn told_answer(&self, file: &FileLook) -> String {
        let Some(problem) = &self.look else {
            return String::new();
        };
        if let (Some(answer), Some(at)) = (self.shown_answer(), self.answer) {
            let reached = if answer.n_wanted > 0 {
                format!(" · {} of {} wanted ■", answer.n_reached(), answer.n_wanted)
            } else {
                String::new()
            };
            let n = problem.answers.len();
            return format!("answer {}/{n} {}{reached}", at + 1, answer.outcome.as_str());
        }
        let n_wanted = file.lines_to_cover.iter().count();
        match (n_wanted, problem.answers.len()) {
            (0, 0) => self.place(),
            (0, n) => counted(n as u64, "answer"),
            (_, 0) => format!("{n_wanted} wanted ▷"),
            (_, n) => format!("{n_wanted} wanted ▷ · {}", counted(n as u64, "answer")),
        }
    }
}

/// Fits the name of a problem's test, followed by the file's name, into `width` columns. The test's name comes first,
/// because tests differ by it most.
fn shown_id(id: &str, width: usize) -> (String, String) {
    let (path, name) = id.split_once("::").unwrap_or(("", id));
    let name = cut(&visible(name), width);
    let left = width - name.width().min(width);
    if left < FILE_MIN {
        return (fit(&name, width), String::new());
    }
    let file = format!("  {}", cut(&visible(file_name(path)), left - 2));
    (name, fit(&file, left))
}

/// In fewer columns, the file's name is left out.
const FILE_MIN: usize = 12;

fn select(row: Rect, role: Role, buffer: &mut Buffer, context: DrawContext<'_>) {
    buffer.set_style(row, context.theme.style(role));
    buffer.set_string(row.x, row.y, "▌", context.theme.style(Role::Focus));
}

const fn pane<'a>(title: &'a str, note: &'a str, has_focus: bool) -> Pane<'a> {
    Pane {
        title,
        note,
        has_focus,
    }
}

/// Explains why the covered lines of a problem are unknown, with advice.
pub(super) fn told_unmeasured(problem: &Problem, project: Option<&str>) -> String {
    problem.reason.as_ref().map_or_else(
        || {
            let project = project.unwrap_or("PROJECT");
            format!("not classified yet: `focalist paper clover classes {project}` · gj follows it")
        },
        |reason| format!("no problem: {reason}"),
    )
}

/// Writes tokens as `24.1k`.
fn thousands(n: usize) -> String {
    if n < 1_000 {
        n.to_string()
    } else {
        format!("{:.1}k", n as f64 / 1_000.0)
    }
}

/// Writes the number of tokens in the prompt, and its limit.
fn told_tokens(problem: &Problem) -> String {
    match (problem.n_tokens, problem.limit) {
        (None, _) => "too long".to_owned(),
        (Some(n), None) => format!("{} tokens", thousands(n)),
        (Some(n), Some(limit)) => format!("{} of {} tokens", thousands(n), thousands(limit)),
    }
}
