//! Charts: the list of them, and one at full size.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::App;
use crate::chart::{Figure, Glyphs};
use crate::desk::ExportContent;
use crate::desk::overlay::{ChartOverlay, ChoicePurpose, Overlay};
use crate::keymap::Motion;
use crate::plot::PlotKind;
use crate::question::QuestionFailure;
use crate::question::shared::ChartQuestion;
use crate::screen::AnswerState;
use crate::screen::home::indented;
use crate::theme::Role;
use crate::widget::chart;
use crate::widget::chooser::ChooserItem;
use crate::widget::frame::{Pane, fill, inside};

/// Describes a chart for the list.
const fn about(kind: PlotKind) -> &'static str {
    match kind {
        PlotKind::Funnel => "from tests to samples",
        PlotKind::Splits => "samples by split, random and by project",
        PlotKind::Verdicts => "verdicts of each annotator over time",
        PlotKind::Runs => "a metric of the runs, in the order of import",
        PlotKind::Histogram => "how the values of a metric are distributed",
        PlotKind::Length => "a metric against the length of the reference",
        PlotKind::Outcomes => "the share of predictions that pass, against a metric",
        PlotKind::Mutation => "the faults that predictions notice, against a metric",
        PlotKind::MutationCovered => "the faults that predictions notice, against lines covered",
        PlotKind::Calibration => "the weight of matches against the share that people found right",
        PlotKind::Agreement => "how far annotators agree, over time",
    }
}

impl App {
    pub(super) fn choose_chart(&mut self) {
        let choices = PlotKind::ALL.iter();
        let choices = choices
            .map(|choice| ChooserItem::new(choice.as_str(), about(*choice), ""))
            .collect();
        self.desk.choose(ChoicePurpose::Chart, "chart", choices, "");
    }

    pub(super) fn open_chart(&mut self, kind: PlotKind) {
        self.desk.ask_for(ChartQuestion(kind), Self::take_chart);
        let figure = AnswerState::Waiting;
        self.desk.overlay = Some(Overlay::Chart(Box::new(ChartOverlay { kind, figure })));
    }

    /// Goes to a neighbouring chart of the list.
    pub(super) fn scroll_chart(&mut self, motion: Motion) {
        let Some(Overlay::Chart(charted)) = &self.desk.overlay else {
            return;
        };
        let all = PlotKind::ALL;
        let at = all
            .iter()
            .position(|plot_kind| *plot_kind == charted.kind)
            .unwrap_or(0);
        let motion = match motion {
            Motion::Left => Motion::Up,
            Motion::Right => Motion::Down,
            other => other,
        };
        let to = motion.moved(at, 2).min(all.len() - 1);
        if to != at {
            self.open_chart(all[to]);
        }
    }

    pub(super) fn ask_to_write_chart(&mut self) {
        if let Some(Overlay::Chart(charted)) = &self.desk.overlay {
            let kind = charted.kind;
            self.ask_path(
                ExportContent::Chart(kind),
                &format!("{}.svg", kind.as_str()),
            );
        }
    }

    fn take_chart(&mut self, answer: Result<(PlotKind, Box<Figure>), QuestionFailure>) {
        match (&mut self.desk.overlay, answer) {
            (Some(Overlay::Chart(charted)), Ok((kind, figure))) if charted.kind == kind => {
                charted.figure = AnswerState::Ready(figure);
            }
            (Some(Overlay::Chart(charted)), Err(failure)) => {
                charted.figure = AnswerState::Failed(match failure {
                    QuestionFailure::NoIndex => "nothing has been mined here yet".to_owned(),
                    QuestionFailure::Other(text) => text,
                });
            }
            (_, Ok(_)) => self.desk.is_dirty = false,
            (_, Err(_)) => {}
        }
    }

    pub(super) fn draw_chart(&self, charted: &ChartOverlay, body: Rect, buffer: &mut Buffer) {
        fill(body, Role::Text, buffer, &self.appearance.theme);
        let pane = Pane {
            title: charted.kind.as_str(),
            note: "j k another · E writes SVG · Esc",
            has_focus: true,
        };
        pane.draw(body, buffer, &self.appearance.theme);
        let inner = inside(body);
        let say = |text: &str, role: Role, buffer: &mut Buffer| {
            let room = usize::from(inner.width.saturating_sub(1));
            if inner.height > 0 {
                buffer.set_stringn(
                    inner.x + 1,
                    inner.y,
                    text,
                    room,
                    self.appearance.theme.style(role),
                );
            }
        };
        match &charted.figure {
            AnswerState::Ready(figure) => {
                let area = indented(inner);
                chart::draw(figure, Glyphs::Blocks, area, buffer, &self.appearance.theme);
            }
            AnswerState::Failed(text) => say(text, Role::Error, buffer),
            AnswerState::Waiting | AnswerState::NoIndex => say("reading …", Role::Dim, buffer),
        }
    }
}
