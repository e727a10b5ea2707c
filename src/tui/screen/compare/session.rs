//! How the state of Compare is kept and restored.

use std::sync::Arc;

use crate::browse::write_filter;
use crate::config::Session;
use crate::desk::{Desk, ScreenRequest};
use crate::model::{Direction, RunRow, SampleKey, SortField, SortKey};
use crate::screen::compare::Compare;
use crate::screen::compare::questions::ComparedPlaceQuestion;
use crate::screen::{AnswerState, Screen, session};
use crate::text::visible;

impl Compare {
    /// Notes the runs, the filter and the grouping.
    pub(super) fn note_session(&self, session: &mut Session) {
        session.compared.clone_from(&self.names);
        session.compared_run = self.other_name().cloned();
        session::keep_filter(session, Screen::Compare, &self.filter_to_keep());
        session::keep_groups(session, Screen::Compare, self.by);
    }

    /// Restores the last session's state; it is read as soon as the screen is opened. Reports the missing parts.
    pub fn restore(&mut self, session: &Session, runs: &[RunRow], is_shown: bool) -> Vec<String> {
        let compared = session.compared.iter().cloned();
        let (names, lost): (Vec<String>, Vec<String>) =
            compared.partition(|text| session::is_known(text, runs));
        let lost = lost
            .iter()
            .map(|lost| format!("run {} is gone", visible(lost)));
        let mut gone: Vec<String> = lost.collect();
        let mut places = names.iter();
        let other = places.position(|place| Some(place) == session.compared_run.as_ref());
        self.other = other.unwrap_or(1).max(1);
        self.names = names;
        self.by = session::groups_of(session, Screen::Compare).unwrap_or(self.by);
        self.located = session::at_of(session).filter(|_| is_shown);
        let filter = session::filter_of(session, Screen::Compare);
        if self.aim_at(filter).is_err() {
            gone.push(session::LOST_FILTER.to_owned());
        }
        gone
    }

    /// Writes a filter for the listed samples, the metric and the order; empty for all samples in the default order.
    fn filter_to_keep(&self) -> String {
        let mut filter = self.filter.clone();
        filter.aim.metric = self.metric;
        filter.sort.extend(self.is_best_first.then_some(SortKey {
            field: SortField::Delta(None),
            direction: Direction::Descending,
        }));
        write_filter(&filter)
    }

    /// Returns the sample under the cursor, or the one that will come there, and its row.
    pub(super) fn left_at(&self) -> Option<(SampleKey, u64)> {
        let selected = self.pages.selected();
        let at = selected.map(|compared_row| (compared_row.row.key, self.pages.cursor() as u64));
        self.located.or(at)
    }

    /// Asks for the row of the last session's sample.
    pub(super) fn locate(&mut self, order: Arc<Vec<u32>>, desk: &mut Desk) {
        if let (Some((key, _)), AnswerState::Ready((pairing, _))) = (self.located, &self.pairing) {
            let pairing = pairing.clone();
            let locate = ComparedPlaceQuestion {
                pairing,
                order,
                key,
            };
            self.ask(locate, Self::take_located, desk);
        }
    }

    /// Goes to the last session's sample, or to its former row if it is gone.
    fn take_located(&mut self, place: Option<usize>, desk: &mut Desk) {
        if let Some((_, row)) = self.located.take() {
            let row = usize::try_from(row).unwrap_or(usize::MAX);
            self.pages.go_to(place.unwrap_or(row));
            self.ask_rows(desk);
            if place.is_none() {
                desk.request(ScreenRequest::MissSample);
            }
        }
    }
}
