//! The mined repositories, and the problems of mining them.
//!
//! ```text
//! < 100 columns                  from 100
//! ┏ repositories ━━━━━━━━━━━┓   ┏ repositories ━━━━━━┓┌ gson ─────────┐
//! ┃▌gson  1 204  70 %   12  ┃   ┃▌gson  1 204  70 %  ┃│ licence MIT   │
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━┛   ┗━━━━━━━━━━━━━━━━━━━━┛│ ok   ███ 843  │
//! ┌ gson ───────────────────┐   ┌ tests · gson ──────┐│ problems · 1  │
//! │ facts, problems, tests  │   │ ✓ A.testB → A.b    ││ syntax A.java │
//! └─────────────────────────┘   └────────────────────┘└───────────────┘
//! ```
//!
//! Decides which repository is shown in detail; `draw` has the texts.

mod act;
mod draw;
pub mod questions;
#[cfg(test)]
pub mod tests;

use ratatui::layout::Rect;

use crate::desk::{Desk, QuestionScreen};
use crate::model::{Problem, RepoRow};
use crate::question::{Question, QuestionFailure, Slot};
use crate::screen::repos::questions::{RepoDetail, RepoMiningQuestion};
use crate::screen::{AnswerState, Screen};
use crate::widget::frame::inside;

#[derive(Debug, Default)]
pub struct Repos {
    rows: AnswerState<Vec<RepoRow>>,
    /// Problems with the names of their repositories.
    problems: Vec<(String, Problem)>,
    cursor: usize,
    /// The facts about the repository under the cursor; until they are read, those about the last one.
    about: Option<RepoDetail>,
    /// The first visible line of the facts.
    lower_top: usize,
    needle: String,
    areas: ReposAreas,
    /// The repository that is to be mined again, until its job has started.
    mines_again: Option<Box<RepoRow>>,
}

/// The areas of the panes.
#[derive(Clone, Copy, Debug, Default)]
struct ReposAreas {
    table: Rect,
    /// Absent on narrow screens, where the facts include the tests.
    tests: Option<Rect>,
    about: Rect,
}

impl QuestionScreen for Repos {
    const SCREEN: Screen = Screen::Repos;

    fn fail(&mut self, slot: Slot, failure: &QuestionFailure, desk: &mut Desk) {
        if slot == RepoMiningQuestion::SLOT {
            self.mines_again = None;
        }
        desk.show_failure(failure);
    }
}

impl Repos {
    pub fn take_repos(&mut self, repos: Vec<RepoRow>) {
        let selected = self.selected().map(|repo_row| repo_row.repo.key());
        let place = (repos.iter()).position(|repo| Some(repo.repo.key()) == selected);
        self.cursor = place.unwrap_or(self.cursor.min(repos.len().saturating_sub(1)));
        self.rows = AnswerState::Ready(repos);
    }

    /// Goes to a repository by its [`crate::model::RepoKey`], as text; tells whether it is listed.
    pub fn go_to(&mut self, key: &str) -> bool {
        let mut rows = self.rows.ready().into_iter().flatten();
        let place = rows.position(|row| row.repo.key().to_string() == key);
        self.cursor = place.unwrap_or(self.cursor);
        place.is_some()
    }

    pub fn miss(&mut self, failure: &QuestionFailure) {
        self.rows = failure.into();
    }

    #[must_use]
    pub fn selected(&self) -> Option<&RepoRow> {
        self.rows.ready()?.get(self.cursor)
    }

    fn top(&self) -> usize {
        let height = usize::from(inside(self.areas.table).height.saturating_sub(1)).max(1);
        (self.cursor + 1).saturating_sub(height)
    }

    /// Iterates over the problems of the repository under the cursor.
    fn shown(&self) -> impl Iterator<Item = &Problem> {
        let name = self.selected().map(|row| row.repo.name.as_str());
        self.problems
            .iter()
            .filter(move |(repo, _)| Some(repo.as_str()) == name)
            .map(|(_, problem)| problem)
    }
}
