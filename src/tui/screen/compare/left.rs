//! How Compare was left, and how it comes back to that.

use std::sync::Arc;

use crate::desk::{Desk, Wish};
use crate::eval::by::By;
use crate::model::SampleKey;
use crate::screen::Remote;
use crate::screen::compare::Compare;
use crate::screen::compare::questions::Locate;

/// How the screen was left.
#[derive(Clone, Debug, Default)]
pub struct Left {
    /// The baseline first.
    pub names: Vec<String>,
    /// The run that was looked at.
    pub other: Option<String>,
    pub by: Option<By>,
    /// The sample under the cursor, and its row from 0.
    pub at: Option<(SampleKey, u64)>,
}

impl Compare {
    /// Makes the screen as it was left; it is read as soon as it is opened.
    pub fn restore(&mut self, left: Left) {
        let other = left
            .names
            .iter()
            .position(|it| Some(it) == left.other.as_ref());
        self.other = other.unwrap_or(1).max(1);
        self.names = left.names;
        self.by = left.by.unwrap_or(self.by);
        self.located = left.at;
    }

    /// Returns the sample under the cursor, or the one that is to come there, and its row.
    #[must_use]
    pub fn left_at(&self) -> Option<(SampleKey, u64)> {
        let selected = self.pages.selected();
        let at = selected.map(|it| (it.row.key, self.pages.cursor() as u64));
        self.located.or(at)
    }

    /// Asks where the sample is that was left.
    pub(super) fn locate(&mut self, order: Arc<Vec<u32>>, desk: &mut Desk) {
        if let (Some((key, _)), Remote::Ready((pairing, _))) = (self.located, &self.pairing) {
            let pairing = pairing.clone();
            let locate = Locate {
                pairing,
                order,
                key,
            };
            self.ask(locate, Self::take_located, desk);
        }
    }

    /// Goes to the sample that was left, or to the row of its number.
    fn take_located(&mut self, place: Option<usize>, desk: &mut Desk) {
        if let Some((_, row)) = self.located.take() {
            let row = usize::try_from(row).unwrap_or(usize::MAX);
            self.pages.go_to(place.unwrap_or(row));
            self.ask_rows(desk);
            if place.is_none() {
                desk.wish(Wish::MissSample);
            }
        }
    }
}
