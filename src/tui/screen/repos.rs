//! What was mined, and what was wrong with it: repositories above, the problems of the one under the cursor below.

mod act;
pub mod questions;
#[cfg(test)]
pub mod tests;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::desk::{Asker, Desk};
use crate::mine::language_name;
use crate::model::{Problem, RepoKey, RepoRow};
use crate::question::{Failure, Question, Slot};
use crate::screen::repos::questions::AskMined;
use crate::screen::{Look, Remote, Screen};
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::{Pane, count, cut, fit, inside, pieces};

#[derive(Debug, Default)]
pub struct Repos {
    rows: Remote<Vec<RepoRow>>,
    /// With the name of the repository.
    problems: Vec<(String, Problem)>,
    cursor: usize,
    /// The first visible problem.
    problem_top: usize,
    areas: [Rect; 2],
    /// The repository that is being mined again, until its job has a number.
    mines_again: Option<Box<RepoRow>>,
}

impl Asker for Repos {
    const SCREEN: Screen = Screen::Repos;

    fn fail(&mut self, slot: Slot, failure: &Failure, desk: &mut Desk) {
        if slot == AskMined::SLOT {
            self.mines_again = None;
        }
        desk.say_failure(failure);
    }
}

impl Repos {
    pub fn take_repos(&mut self, repos: Vec<RepoRow>) {
        let selected = self.selected().map(|it| it.repo.key());
        let place = (repos.iter()).position(|it| Some(it.repo.key()) == selected);
        self.cursor = place.unwrap_or(self.cursor.min(repos.len().saturating_sub(1)));
        self.rows = Remote::Ready(repos);
    }

    /// Goes to a repository, by what [`RepoKey`] writes; returns whether it is there.
    pub fn go_to(&mut self, key: &str) -> bool {
        let mut rows = self.rows.ready().into_iter().flatten();
        let place = rows.position(|it| it.repo.key().to_string() == key);
        self.cursor = place.unwrap_or(self.cursor);
        place.is_some()
    }

    pub fn miss(&mut self, failure: &Failure) {
        self.rows = match failure {
            Failure::NoIndex => Remote::NoIndex,
            Failure::Other(text) => Remote::Failed(text.clone()),
        };
    }

    #[must_use]
    pub fn selected(&self) -> Option<&RepoRow> {
        self.rows.ready()?.get(self.cursor)
    }

    fn top(&self) -> usize {
        let height = usize::from(inside(self.areas[0]).height.saturating_sub(1)).max(1);
        (self.cursor + 1).saturating_sub(height)
    }

    /// Returns the problems of the repository under the cursor.
    fn shown(&self) -> impl Iterator<Item = &Problem> {
        let name = self.selected().map(|row| row.repo.name.as_str());
        self.problems
            .iter()
            .filter(move |(repo, _)| Some(repo.as_str()) == name)
            .map(|(_, problem)| problem)
    }

    fn draw_repos(&self, area: Rect, buffer: &mut Buffer, look: Look<'_>) {
        let (text, role) = match &self.rows {
            Remote::Waiting => ("reading the index …", Role::Dim),
            Remote::Failed(text) => (text.as_str(), Role::Error),
            Remote::NoIndex => ("nothing has been mined here yet", Role::Warning),
            Remote::Ready(rows) if rows.is_empty() => {
                ("the index holds no repository", Role::Warning)
            }
            Remote::Ready(rows) => {
                self.draw_rows(rows, area, buffer, look);
                return;
            }
        };
        let row = Rect::new(area.x + 1, area.y, area.width.saturating_sub(1), 1);
        pieces(row, &[(text, role)], buffer, look.theme);
    }

    fn draw_rows(&self, rows: &[RepoRow], area: Rect, buffer: &mut Buffer, look: Look<'_>) {
        let is_wide = area.width >= 100;
        let head = [
            "name", "commit", "license", "files", "tests", "mapped", "samples", "problems",
        ];
        let head = line(head.map(str::to_owned), area.width, is_wide);
        pieces(
            Rect {
                height: 1.min(area.height),
                ..area
            },
            &[(&head, Role::Dim)],
            buffer,
            look.theme,
        );
        let keys: Vec<_> = rows.iter().map(|it| it.repo.key()).collect();
        let says_language = RepoKey::have_several_languages(&keys);
        let visible_rows = rows.iter().enumerate().skip(self.top());
        for ((idx, row), y) in visible_rows.zip(area.y + 1..area.bottom()) {
            let repo = &row.repo;
            let dirty = if repo.dirty == Some(true) { "+" } else { "" };
            let commit = repo.commit.as_deref().unwrap_or("–");
            let commit = format!("{}{dirty}", commit.get(..9).unwrap_or(commit));
            let license = repo.license.clone().unwrap_or_else(|| "–".to_owned());
            let counts = [
                row.n_files,
                row.n_tests,
                row.n_mapped,
                row.n_samples,
                row.n_problems,
            ]
            .map(count);
            let [files, tests, mapped, samples, problems] = counts;
            let mut name = visible(&repo.name);
            if says_language {
                name = format!("{name} · {}", language_name(repo.language));
            }
            let texts = [
                name, commit, license, files, tests, mapped, samples, problems,
            ];
            let text = line(texts, area.width, is_wide);
            let row = Rect::new(area.x, y, area.width, 1);
            pieces(row, &[(&text, Role::Text)], buffer, look.theme);
            if idx == self.cursor {
                buffer.set_style(row, look.theme.style(Role::Selected));
                buffer.set_string(row.x, row.y, "▌", look.theme.style(Role::Focus));
            }
        }
    }

    fn draw_problems(&self, area: Rect, buffer: &mut Buffer, look: Look<'_>) {
        let problems = self.shown().skip(self.problem_top);
        for (problem, y) in problems.zip(area.y..area.bottom()) {
            let line = problem
                .line
                .map_or_else(String::new, |line| format!(":{line}"));
            let reason = format!(" {}", fit(&problem.reason.as_str().replace('_', " "), 11));
            let place = format!("{}{line}", visible(&problem.path));
            let detail = visible(&problem.detail);
            let separator = if detail.is_empty() { "" } else { "  " };
            let row = Rect::new(area.x, y, area.width, 1);
            let place = cut(&place, usize::from(area.width).saturating_sub(12));
            let parts = [
                (reason.as_str(), Role::Warning),
                (place.as_str(), Role::Text),
                (separator, Role::Text),
                (detail.as_str(), Role::Dim),
            ];
            pieces(row, &parts, buffer, look.theme);
        }
        if self.shown().next().is_none() && area.height > 0 && self.selected().is_some() {
            let row = Rect::new(area.x + 1, area.y, area.width.saturating_sub(1), 1);
            pieces(row, &[("none", Role::Dim)], buffer, look.theme);
        }
    }

    pub fn draw(&self, buffer: &mut Buffer, look: Look<'_>) {
        let [repos, problems] = self.areas;
        let note = self
            .rows
            .ready()
            .map_or_else(String::new, |rows| count(rows.len() as u64));
        let pane = Pane {
            title: "repositories",
            note: &note,
            has_focus: true,
        };
        pane.draw(repos, buffer, look.theme);
        let title = match self.selected() {
            Some(row) => format!("problems · {}", visible(&row.repo.name)),
            None => "problems".to_owned(),
        };
        let note = count(self.shown().count() as u64);
        let pane = Pane {
            title: &title,
            note: &note,
            has_focus: false,
        };
        pane.draw(problems, buffer, look.theme);
        self.draw_repos(inside(repos), buffer, look);
        self.draw_problems(inside(problems), buffer, look);
    }
}

/// Returns a row of the table; commit and licence need a wide one.
fn line(texts: [String; 8], width: u16, is_wide: bool) -> String {
    let [name, commit, license, numbers @ ..] = texts;
    let numbers = numbers.map(|text| format!("{text:>9}")).concat();
    let middle = if is_wide {
        format!("{} {}", fit(&commit, 11), fit(&license, 14))
    } else {
        String::new()
    };
    let used = numbers.chars().count() + middle.chars().count() + 3;
    let room = usize::from(width).saturating_sub(used);
    format!("  {}{middle}{numbers} ", fit(&name, room))
}
