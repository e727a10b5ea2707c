//! The commands and the pointer of Repos.

use std::ffi::OsString;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::config::Session;
use crate::desk::{Desk, ScreenRequest};
use crate::filter;
use crate::keymap::{Command, Motion, PaneCommand, StepDirection};
use crate::layout::{above, beside};
use crate::mine;
use crate::model::{JobKind, Matcher, RepoRow};
use crate::scene::Scene;
use crate::screen::DrawContext;
use crate::screen::jobs::commands::JobsCommand;
use crate::screen::repos::questions::{
    MiningProblemsQuestion, RepoDetailQuestion, RepoMining, RepoMiningQuestion,
};
use crate::screen::repos::{Repos, ReposAreas};
use crate::screen::sample::WIDTH_TWO;
use crate::theme::Role;
use crate::widget::code::occurrences;
use crate::widget::frame::inside;
use crate::work::BackgroundTask;

impl Scene for Repos {
    fn arrange(&mut self, body: Rect, _desk: &mut Desk) {
        let n_repos = self.rows.ready().map_or(1, Vec::len) as u16;
        let is_wide = body.width >= WIDTH_TWO;
        let [left, right] = if is_wide {
            beside(body, body.width * 58 / 100)
        } else {
            [body, Rect::default()]
        };
        let most = if is_wide { 6 } else { 4 };
        let height = (n_repos + 3).clamp(5, (body.height * most / 10).max(5));
        let [table, lower] = above(left, height);
        self.areas = ReposAreas {
            table,
            tests: is_wide.then_some(lower),
            about: if is_wide { right } else { lower },
        };
        self.lower_top = self.lower_top.min(self.lower_most());
    }

    fn draw(&self, _body: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        Self::draw(self, buffer, context);
    }

    fn line(&self) -> String {
        "Enter: its tests · J K scroll its details · r mines it again".to_owned()
    }

    fn scroll(&mut self, motion: Motion, desk: &mut Desk) {
        let page = usize::from(self.areas.table.height.saturating_sub(3)).max(1);
        self.go_to_row(motion.moved(self.cursor, page), desk);
    }

    fn point(&mut self, at: Position, desk: &mut Desk) -> bool {
        let inner = inside(self.areas.table);
        let place = self.top() + usize::from(at.y.saturating_sub(inner.y + 1));
        let n_rows = self.rows.ready().map_or(0, Vec::len);
        let is_row = inner.contains(at) && at.y > inner.y && place < n_rows;
        if is_row {
            self.go_to_row(place, desk);
        }
        is_row
    }

    /// Opens the list of the repository's tests.
    fn open(&mut self, desk: &mut Desk) {
        if let Some(filter) = self.filter_of_selected() {
            desk.request(ScreenRequest::Samples(filter));
        }
    }

    fn close(&mut self, _desk: &mut Desk) -> bool {
        false
    }

    fn run(&mut self, command: Command, desk: &mut Desk) {
        match command {
            Command::Jobs(JobsCommand::MineAgain) => self.ask_how_mined(desk),
            Command::Pane(PaneCommand::Peek(step)) => self.peek(step),
            Command::Pane(PaneCommand::Search) => desk.ask_search(),
            Command::Pane(PaneCommand::Match(step)) => self.step_match(step, desk),
            _ => {}
        }
    }

    fn enter(&mut self, desk: &mut Desk) {
        Self::ask(desk);
        self.ask_about(desk);
    }

    fn leave(&self, session: &mut Session) {
        session.item = self
            .selected()
            .map(|repo_row| repo_row.repo.key().to_string());
    }

    fn return_to(&mut self, item: &str, desk: &mut Desk) -> (&'static str, bool) {
        let is_there = self.go_to(item);
        self.ask_about(desk);
        ("repository", is_there)
    }

    fn needle(&self) -> &str {
        &self.needle
    }

    /// Goes to the next repository with `needle` in its name.
    fn find(&mut self, needle: &str, step: StepDirection, desk: &mut Desk) {
        needle.clone_into(&mut self.needle);
        let Some(rows) = self.rows.ready() else {
            return;
        };
        let is_it = |place: usize| occurrences(&rows[place].repo.name, needle).next().is_some();
        match step.search(self.cursor, rows.len(), is_it) {
            Some(place) => self.go_to_row(place, desk),
            None => desk.show_message(
                format!("no repository has `{needle}` in its name"),
                Role::Warning,
            ),
        }
    }
}

impl Repos {
    /// Asks for the problems of mining.
    pub fn ask(desk: &mut Desk) {
        desk.ask(MiningProblemsQuestion, |repos: &mut Self, problems, _| {
            repos.problems = problems;
        });
    }

    /// Writes a filter that lets through the tests of the repository under the cursor, and no others.
    fn filter_of_selected(&self) -> Option<String> {
        let row = self.selected()?;
        let filter = format!("repo:{}", row.repo.name);
        let rows = self.rows.ready().into_iter().flatten();
        let is_twin = |repo_row: &&RepoRow| repo_row.repo.identity == row.repo.identity;
        Some(match rows.filter(is_twin).count() {
            0 | 1 => filter,
            _ => format!("{filter} language:{}", row.repo.language.as_str()),
        })
    }

    /// Asks for the facts about the repository under the cursor.
    pub fn ask_about(&self, desk: &mut Desk) {
        let (Some(row), Some(filter)) = (self.selected(), self.filter_of_selected()) else {
            return;
        };
        let key = row.repo.key();
        // A repository whose name does not fit into a filter has no preview.
        if let Ok(filter) = filter::parse(&filter) {
            desk.ask(
                RepoDetailQuestion { key, filter },
                |repos: &mut Self, about, _| {
                    repos.about = Some(about);
                },
            );
        }
    }

    fn go_to_row(&mut self, place: usize, desk: &mut Desk) {
        let last = self.rows.ready().map_or(0, Vec::len).saturating_sub(1);
        let place = place.min(last);
        if place != self.cursor {
            (self.cursor, self.lower_top) = (place, 0);
            self.ask_about(desk);
        }
    }

    /// Scrolls the facts.
    fn peek(&mut self, step: StepDirection) {
        let most = self.lower_most();
        self.lower_top = match step {
            StepDirection::Next => (self.lower_top + 1).min(most),
            StepDirection::Previous => self.lower_top.saturating_sub(1),
        };
    }

    /// Asks how the repository under the cursor was mined; with the answer, it is mined again.
    fn ask_how_mined(&mut self, desk: &mut Desk) {
        let Some(row) = self.selected() else {
            desk.show_message("there is no repository · gj, then A, mines one", Role::Dim);
            return;
        };
        let mined = RepoMiningQuestion(row.repo.key());
        self.mines_again = Some(Box::new(row.clone()));
        desk.ask(mined, Self::mine_again);
    }

    fn mine_again(&mut self, mined: Option<RepoMining>, desk: &mut Desk) {
        let row = self.mines_again.take();
        let (Some(row), Some(mined)) = (row, mined) else {
            desk.show_message("the repository is gone from the index", Role::Warning);
            return;
        };
        let (options, has_classpath) =
            mine::MiningOptions::of_fingerprint(&mined.options, row.repo.language);
        if mined.root.as_os_str().is_empty() || options.matchers.is_empty() {
            desk.show_message(
                "it came with a dataset: there are no sources",
                Role::Warning,
            );
            return;
        }
        if has_classpath {
            let text = "it was mined with a class path that the index does not know · gj, then A";
            desk.show_message(text, Role::Warning);
            return;
        }
        let arguments = mine_arguments(&row, &mined, &options);
        desk.begin(BackgroundTask::start(JobKind::Mine, arguments));
        self.mines_again = Some(row);
    }

    /// Hears that a job has started, or could not; tells whether it mines this repository again.
    pub fn take_started(&mut self) -> bool {
        self.mines_again.take().is_some()
    }
}

/// Writes the arguments that mine a repository as it was mined before.
fn mine_arguments(
    row: &RepoRow,
    mined: &RepoMining,
    options: &mine::MiningOptions,
) -> Vec<OsString> {
    let usual = mine::MiningOptions::default();
    let mut arguments: Vec<OsString> = vec!["mine".into()];
    let names: Vec<&str> = options
        .matchers
        .iter()
        .map(|matcher: &Matcher| matcher.as_str())
        .collect();
    arguments.push(format!("--language={}", row.repo.language.as_str()).into());
    arguments.push(format!("--matcher={}", names.join(",")).into());
    if options.tests == mine::TestSelection::Annotated {
        arguments.push("--tests=annotated".into());
    }
    if options.traces {
        arguments.push("--traces".into());
    }
    if options.focal.context_constructors {
        arguments.push("--context-constructors".into());
    }
    let n_max = options.focal.max_context_tokens;
    if n_max != usual.focal.max_context_tokens {
        arguments.push(format!("--max-context-tokens={n_max}").into());
    }
    if let Some(below) = options.focal.abstain_below {
        arguments.push(format!("--abstain-below={below}").into());
    }
    // With a remote, the identity comes from there; then the name is only for people.
    arguments.push(format!("--name={}", row.repo.name).into());
    arguments.push("--".into());
    arguments.push(mined.root.clone().into_os_string());
    arguments
}
