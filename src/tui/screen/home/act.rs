//! The commands and the pointer of Home.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::desk::{Desk, ScreenRequest};
use crate::keymap::{Command, Motion, PaneCommand};
use crate::layout::beside;
use crate::model::JobKind;
use crate::plot::PlotKind;
use crate::scene::Scene;
use crate::screen::home::{Home, HomeTarget, hint, section_height};
use crate::screen::sample::WIDTH_TWO;
use crate::screen::{DrawContext, Screen};

impl Scene for Home {
    fn arrange(&mut self, body: Rect, desk: &mut Desk) {
        self.columns = if body.width < WIDTH_TWO {
            vec![body]
        } else {
            let width = (body.width * 55 / 100).min(100);
            beside(body, width).to_vec()
        };
        let height = usize::from(body.height);
        let rows = self.rows_of_targets();
        let n_rows: usize = self.sections.iter().map(section_height).sum();
        let row = rows.get(self.cursor).copied().unwrap_or(0);
        if self.columns.len() > 1 || n_rows <= height {
            self.top = 0;
        } else {
            // The first line of a section brings its title along.
            self.top = self
                .top
                .clamp((row + 2).saturating_sub(height), row.saturating_sub(1));
            self.top = self.top.min(n_rows.saturating_sub(height));
        }
        self.ask_chart(body, desk);
    }

    fn draw(&self, body: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        Self::draw(self, body, buffer, context);
    }

    fn line(&self) -> String {
        hint(self.target())
    }

    fn scroll(&mut self, motion: Motion, _desk: &mut Desk) {
        let last = self.n_targets().saturating_sub(1);
        let cursor = match motion {
            Motion::Up => self.cursor.saturating_sub(1),
            Motion::Down => self.cursor + 1,
            Motion::HalfUp | Motion::PageUp => self.cursor.saturating_sub(5),
            Motion::HalfDown | Motion::PageDown => self.cursor + 5,
            Motion::First => 0,
            Motion::Last => last,
            Motion::Left | Motion::Right => self.in_other_column(),
        };
        self.cursor = cursor.min(last);
    }

    fn point(&mut self, at: Position, _desk: &mut Desk) -> bool {
        let found = self.target_at(at);
        self.cursor = found.unwrap_or(self.cursor);
        found.is_some()
    }

    fn open(&mut self, desk: &mut Desk) {
        let request = match self.target() {
            Some(HomeTarget::Samples(text)) => ScreenRequest::Samples(text.clone()),
            Some(HomeTarget::Repos) => ScreenRequest::Go(Screen::Repos),
            Some(HomeTarget::Run(name)) => ScreenRequest::Run(name.clone()),
            Some(HomeTarget::Runs) => ScreenRequest::Go(Screen::Runs),
            Some(HomeTarget::Annotate) => ScreenRequest::Go(Screen::Annotate),
            Some(HomeTarget::Disagree) => ScreenRequest::Go(Screen::Disagree),
            Some(HomeTarget::Demo) => ScreenRequest::Demo,
            Some(HomeTarget::Mine) => ScreenRequest::Form(JobKind::Mine.into()),
            None => return,
        };
        desk.request(request);
    }

    fn close(&mut self, _desk: &mut Desk) -> bool {
        false
    }

    fn run(&mut self, command: Command, _desk: &mut Desk) {
        if let Command::Pane(PaneCommand::Focus(step)) = command {
            self.step_section(step);
        }
    }

    fn enter(&mut self, desk: &mut Desk) {
        self.forget_charts(Some(PlotKind::Verdicts));
        Self::ask_conflicts(desk);
    }
}
