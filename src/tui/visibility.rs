//! Measures how much of a sample the annotator sees: the layout alone, without drawing.

use ratatui::layout::{Rect, Size};

use crate::app::body_of;
use crate::browse;
use crate::model::{Filter, SampleKey};
use crate::question::shared::ExplainedSample;
use crate::review::{self, Queue};
use crate::screen::candidates::DIGITS;
use crate::screen::docs::Docs;
use crate::screen::sample::{SamplePane, SamplePurpose, SampleScreen};
use crate::store::Store;

/// The visible part of a sample without scrolling, on the screen for judging.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisibleSample {
    pub key: SampleKey,
    pub n_candidates: usize,
    /// The number of lines of the test and of the focal method that are wholly visible, and of all their lines.
    pub test: (usize, usize),
    pub focal: (usize, usize),
    /// Whether the first focal call is visible; absent where the test's text has none.
    pub call: Option<bool>,
    /// The same for the first line of the assertion part; without a part, for the first assertion.
    pub assertion: Option<bool>,
    /// Whether every candidate that a digit picks is visible.
    pub has_digits: bool,
}

impl VisibleSample {
    /// Tells whether both methods are visible from the first line to the last.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.test.0 >= self.test.1 && self.focal.0 >= self.focal.1
    }
}

/// Lays out every sample of the filter for a terminal of this size, one after the other as if they were judged in one
/// queue, and hands `each` the visible part.
///
/// # Errors
/// The index cannot be read.
pub fn fit(
    store: &Store,
    filter: &Filter,
    (width, height): (u16, u16),
    mut each: impl FnMut(VisibleSample),
) -> Result<(), review::ReviewError> {
    let body: Rect = body_of(Size::new(width, height));
    let mut screen = SampleScreen::new(SamplePurpose::Judging);
    let keys = store.keys(filter)?;
    let queue = Queue {
        open: keys.clone(),
        ..Queue::default()
    };
    let usual = review::n_candidates_usual(store, &queue)?;
    screen.n_candidates_usual = usual.clamp(1, DIGITS) as u16;
    for key in keys {
        let Some(detail) = browse::detail(store, &key, None)? else {
            continue;
        };
        let docs = Docs::of(&detail);
        let n_candidates = detail.candidates.len();
        screen.show(ExplainedSample::of(detail), docs);
        screen.take_unpainted();
        screen.arrange(body, true);
        let [call, assertion] = screen.shows_sought();
        each(VisibleSample {
            key,
            n_candidates,
            test: screen.seen(SamplePane::Test),
            focal: screen.seen(SamplePane::Focal),
            call,
            assertion,
            has_digits: !(1..=DIGITS).any(|rank| screen.hides_candidate(rank)),
        });
    }
    Ok(())
}
