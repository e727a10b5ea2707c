//! The screen of one sample: only its panes.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::desk::overlay::Overlay;
use crate::desk::{Desk, ScreenRequest};
use crate::keymap::{Command, Motion, PaneCommand, SampleCommand};
use crate::paint;
use crate::scene::Scene;
use crate::screen::sample::SampleScreen;
use crate::screen::{DrawContext, docs, people};
use crate::text::visible;
use crate::widget::code::CodeView;

#[derive(Debug, Default)]
pub struct Sample {
    pub panes: SampleScreen,
    /// The number of the sample in the list of samples, and how many there are.
    pub position: String,
}

impl Scene for Sample {
    fn arrange(&mut self, body: Rect, desk: &mut Desk) {
        self.panes.arrange(body, desk.wraps);
    }

    fn draw(&self, _body: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        self.panes.draw(buffer, context);
    }

    fn line(&self) -> String {
        let Some(detail) = &self.panes.detail else {
            return String::new();
        };
        let row = &detail.row;
        let test = &detail.test;
        let decided = match (row.stage, row.weight) {
            (Some(stage), Some(weight)) => format!("{} {weight:.2}", docs::stage_words(stage)),
            _ => docs::explain(row.status).to_owned(),
        };
        let place = format!("{}:{}", docs::file_name(&test.path), test.name_line);
        let mut parts = vec![
            self.position.clone(),
            decided,
            detail.repo.name.clone(),
            place,
        ];
        parts.extend(people::brief(&self.panes.remarks, ""));
        visible(&parts.join(" · "))
    }

    fn scroll(&mut self, motion: Motion, _desk: &mut Desk) {
        self.panes.scroll(motion);
    }

    fn point(&mut self, at: Position, _desk: &mut Desk) -> bool {
        self.panes.point(at)
    }

    fn open(&mut self, _desk: &mut Desk) {
        self.panes.toggle_zoom();
    }

    fn close(&mut self, _desk: &mut Desk) -> bool {
        self.panes.close()
    }

    fn run(&mut self, command: Command, desk: &mut Desk) {
        let has_sample = self.panes.detail.is_some();
        match command {
            Command::Sample(SampleCommand::Sibling(step)) => {
                desk.request(ScreenRequest::Step(Motion::from(step)));
            }
            Command::Sample(SampleCommand::Why) => desk.toggle_about(Overlay::Why, has_sample),
            Command::Sample(SampleCommand::Facts) => desk.toggle_about(Overlay::Facts, has_sample),
            command => run_panes(self, command, desk),
        }
    }

    fn has_wheel_in_panes(&self) -> bool {
        true
    }

    fn take_unpainted(&mut self) -> Vec<paint::PaintJob> {
        self.panes.take_unpainted()
    }

    fn code(&mut self) -> Option<&mut CodeView> {
        self.panes.code()
    }

    fn sample(&self) -> Option<&SampleScreen> {
        Some(&self.panes)
    }

    fn sample_mut(&mut self) -> Option<&mut SampleScreen> {
        Some(&mut self.panes)
    }
}

/// Carries out commands of a sample's panes, for every screen that has them.
pub fn run_panes(scene: &mut impl Scene, command: Command, desk: &mut Desk) {
    match command {
        Command::Pane(PaneCommand::Search) => desk.ask_search(),
        Command::Pane(PaneCommand::Match(step)) => scene.step_match(step, desk),
        Command::Pane(PaneCommand::Wrap) => desk.turn_wrap(),
        command => {
            if let Some(panes) = scene.sample_mut() {
                panes.run(command, desk);
            }
        }
    }
}

impl SampleScreen {
    fn run(&mut self, command: Command, desk: &mut Desk) {
        match command {
            Command::Pane(PaneCommand::Focus(step)) => self.step_focus(step),
            Command::Pane(PaneCommand::Peek(step)) => self.peek(step),
            Command::Pane(PaneCommand::Mark(step)) => desk.step_mark(self.test_code(), step),
            Command::Sample(SampleCommand::Edit) => {
                let root = self
                    .detail
                    .as_ref()
                    .and_then(|sample_detail| sample_detail.root.as_ref());
                desk.edit(self.place(), root);
            }
            Command::Sample(SampleCommand::Copy(what)) => {
                let taken = self.copied(what);
                desk.copy_out(taken);
            }
            _ => {}
        }
    }
}
