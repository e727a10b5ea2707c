//! The progress of a training as charts: losses and learning rate from its log, while it is being written.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::chart::{Figure, Glyphs};
use crate::layout::{above, beside};
use crate::model::JobId;
use crate::screen::DrawContext;
use crate::screen::home::indented;
use crate::screen::jobs::questions::{CurveUpdate, TrainingCurves};
use crate::widget::chart;
use crate::widget::frame::{Pane, inside};

/// With fewer rows there is no chart: the log has the numbers.
const HEIGHT_MIN: u16 = 14;
/// The fewest rows that the log keeps.
const LOG_HEIGHT_MIN: u16 = 6;
/// From this number of columns on the learning rate stands beside the losses; it gets a third of them.
const WIDTH_BESIDE: u16 = 90;

/// The charts of the selected training.
#[derive(Debug, Default)]
pub(super) struct TrainingCharts {
    id: Option<JobId>,
    /// The length of the log that the charts show; absent before the first look.
    n_bytes: Option<u64>,
    /// The job has ended, and its log has been read to the end.
    is_complete: bool,
    charts: Option<Box<[Figure; 2]>>,
}

impl TrainingCharts {
    /// Turns to a training job; tells whether its log may hold more than has been read.
    pub(super) fn is_asking(&mut self, id: JobId, is_alive: bool) -> bool {
        if self.id != Some(id) {
            *self = Self {
                id: Some(id),
                ..Self::default()
            };
        }
        // A training that is resumed uses the same folder, but is another job.
        is_alive || !self.is_complete
    }

    /// Returns the length of the log that the charts show; nothing before the first look.
    pub(super) const fn known(&self) -> Option<u64> {
        self.n_bytes
    }

    /// Drops the charts: a job of another kind is selected.
    pub(super) fn close(&mut self) {
        *self = Self::default();
    }

    /// Takes the charts that were read; tells whether the screen changes.
    pub(super) fn take(&mut self, curves: TrainingCurves, is_alive: bool) -> bool {
        if self.id != Some(curves.id) {
            return false;
        }
        match curves.drawn {
            CurveUpdate::AsBefore => {
                self.is_complete = !is_alive;
                false
            }
            CurveUpdate::Nothing => {
                self.is_complete = !is_alive;
                self.n_bytes = None;
                self.charts.take().is_some()
            }
            CurveUpdate::Anew { n_bytes, charts } => {
                self.n_bytes = Some(n_bytes);
                self.charts = Some(charts);
                true
            }
        }
    }

    /// Cuts the area of a log into the part for the charts, which may be empty, and the rest.
    pub(super) fn cut(&self, area: Rect) -> [Rect; 2] {
        let height = if self.charts.is_some() && area.height >= HEIGHT_MIN {
            (area.height * 3 / 5).min(area.height - LOG_HEIGHT_MIN)
        } else {
            0
        };
        above(area, height)
    }

    pub(super) fn draw(&self, area: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        let Some(charts) = self.charts.as_deref().filter(|_| area.height > 0) else {
            return;
        };
        let [losses, rates] = charts;
        let (left, right) = if area.width >= WIDTH_BESIDE {
            let [left, right] = beside(area, area.width * 2 / 3);
            (left, Some(right))
        } else {
            (area, None)
        };
        let panes = [
            (Some(left), "loss", losses),
            (right, "learning rate", rates),
        ];
        for (area, title, figure) in panes {
            let Some(area) = area else { continue };
            let pane = Pane {
                title,
                note: "",
                has_focus: false,
            };
            pane.draw(area, buffer, context.theme);
            let inner = indented(inside(area));
            chart::draw(figure, Glyphs::Blocks, inner, buffer, context.theme);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anew(n_bytes: u64) -> TrainingCurves {
        let drawn = CurveUpdate::Anew {
            n_bytes,
            charts: Box::default(),
        };
        let id = JobId(1);
        TrainingCurves { id, drawn }
    }

    #[test]
    fn one_looks_until_the_training_has_ended_and_nothing_more_has_come() {
        let mut curves = TrainingCharts::default();
        assert!(curves.is_asking(JobId(1), true));
        assert_eq!(curves.known(), None);
        assert!(curves.take(anew(20), true));
        assert!(curves.is_asking(JobId(1), true));
        assert_eq!(curves.known(), Some(20));
        let same = || TrainingCurves {
            id: JobId(1),
            drawn: CurveUpdate::AsBefore,
        };
        assert!(!curves.take(same(), true));
        assert!(curves.is_asking(JobId(1), false));
        assert!(!curves.take(same(), false));
        assert!(!curves.is_asking(JobId(1), false));
        // Another one; what comes late of the first is nothing to it.
        assert!(curves.is_asking(JobId(2), false));
        assert_eq!(curves.known(), None);
        assert!(!curves.take(anew(30), false));
    }

    #[test]
    fn the_log_keeps_its_rows() {
        let mut curves = TrainingCharts::default();
        let area = Rect::new(0, 0, 80, 20);
        assert_eq!(curves.cut(area)[0].height, 0);
        curves.is_asking(JobId(1), true);
        curves.take(anew(20), true);
        assert_eq!(curves.cut(area).map(|rect| rect.height), [12, 8]);
        let low = Rect { height: 13, ..area };
        assert_eq!(curves.cut(low).map(|rect| rect.height), [0, 13]);
    }
}
