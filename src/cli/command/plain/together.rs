//! Several people in one queue, line by line: a sample that another annotator has before them waits, and where nothing
//! else is left that is said.

use std::path::Path;

use super::PlainReview;
use crate::failure::Stop;
use crate::job::now_ms;
use crate::model::SampleKey;
use crate::review::{Seat, SeatedAnnotator, beside, is_taken};
use crate::table::visible;

impl PlainReview<'_> {
    /// Takes a seat. Where none can be taken others are not told, and everybody can judge all the same.
    pub(super) fn take_seat(&mut self, workspace: &Path) {
        let number = u128::from(std::process::id()) << 96 | u128::from(now_ms().unsigned_abs());
        self.seat = Seat::take(workspace, number).ok();
    }

    /// Lets the samples wait that others have before them; returns where they sit.
    pub(super) fn wait_for_others(&mut self) -> Vec<SeatedAnnotator> {
        let seats = self.seat.as_ref().map(Seat::others).unwrap_or_default();
        let options = &self.options;
        self.session.pass_over(|key| is_taken(&seats, options, key));
        seats
    }

    /// Sits down at a sample, and says who else is there.
    pub(super) fn sit(&mut self, seats: &[SeatedAnnotator], key: SampleKey) -> Result<(), Stop> {
        if let Some(text) = beside(seats, &self.options, &key) {
            writeln!(self.out, "{}; `s` skips it", visible(&text))?;
        }
        if let Some(seat) = &mut self.seat {
            // As where no seat can be taken, others are not told.
            let _told = seat.sit(&self.options.annotator, Some(key));
        }
        Ok(())
    }
}
