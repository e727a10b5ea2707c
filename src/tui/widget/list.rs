//! A window on a list that is too long to load: some pages of rows around the cursor.
//!
//! Decides which rows are kept and which page is needed next; the screen asks for it. Movement beyond the loaded
//! rows is owed until they arrive, so that fast keys lose nothing.

use std::collections::VecDeque;

use crate::keymap::{Motion, StepDirection};
use crate::model::{SampleKey, SampleRow};
use crate::question::shared::SampleRowId;

/// Rows per question: more than any screen shows, few enough to be read at once.
pub const PAGE_ROWS: usize = 128;
/// With more rows than this, those farthest from the cursor are dropped.
const ROWS_MAX: usize = 4 * PAGE_ROWS;
/// The next page is asked for when fewer loaded rows than this are left beyond the cursor.
const MARGIN: usize = PAGE_ROWS / 2;

/// Where a page of rows begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageStart {
    First,
    Last,
    After(SampleRowId),
    Before(SampleRowId),
    /// Around a row that is to stay selected; from the beginning when it is not in the list.
    Around(SampleRowId),
    /// The same, by the sample's key; where it is not in the list, around the row of this number, from 0.
    AroundKey(SampleKey, u64),
    /// Around the next test whose name holds `needle`, counted from a row.
    Match {
        needle: String,
        id: SampleRowId,
        step: StepDirection,
    },
}

/// Rows in the list's order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SamplePage {
    pub rows: Vec<SampleRow>,
    /// The number of rows of the list before the first one of the page, where it is known.
    pub rank: Option<u64>,
    /// Whether the list begins with this page, and whether it ends with it.
    pub is_first: bool,
    pub is_last: bool,
    pub selected: Option<SampleRowId>,
    /// Whether a search found nothing; the rows are then those around the row where it began.
    pub is_not_found: bool,
}

#[derive(Clone, Debug, Default)]
pub struct SampleWindow {
    rows: VecDeque<SampleRow>,
    /// The number of rows of the list before `rows`, where it is known.
    rank: Option<u64>,
    is_first: bool,
    is_last: bool,
    cursor: usize,
    top: usize,
    height: usize,
    /// Steps that go beyond the loaded rows.
    pending_steps: Option<(StepDirection, usize)>,
    requested: Option<PageStart>,
}

impl SampleWindow {
    /// Sets the number of visible rows.
    pub fn resize(&mut self, height: usize) {
        self.height = height.max(1);
        self.scroll_to_cursor();
    }

    #[must_use]
    pub fn selected(&self) -> Option<&SampleRow> {
        self.rows.get(self.cursor)
    }

    /// Iterates over the visible rows, each with whether it is under the cursor.
    pub fn visible(&self) -> impl Iterator<Item = (bool, &SampleRow)> {
        let rows = self.rows.iter().enumerate().skip(self.top);
        rows.take(self.height)
            .map(|(idx, row)| (idx == self.cursor, row))
    }

    /// Returns the keys of the loaded samples.
    #[must_use]
    pub fn keys(&self) -> Vec<SampleKey> {
        self.rows.iter().map(|row| row.key).collect()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Counts the rows of the list before the cursor, where that is known.
    #[must_use]
    pub fn rank(&self) -> Option<u64> {
        Some(self.rank? + self.cursor as u64)
    }

    /// Counts the rows of the list before the first visible one, where that is known.
    #[must_use]
    pub fn visible_rank(&self) -> Option<u64> {
        Some(self.rank? + self.top as u64)
    }

    /// Notes a question from outside (a new filter, a search), so that no other one crosses it.
    pub fn expect(&mut self, from: PageStart) -> PageStart {
        self.pending_steps = None;
        self.requested = Some(from.clone());
        from
    }

    /// Stops waiting for the page that was asked for.
    pub fn forget(&mut self) {
        self.requested = None;
        self.pending_steps = None;
    }

    /// Selects the row at `idx` of the visible ones; returns the page that is needed now.
    pub fn select_visible(&mut self, idx: usize) -> Option<PageStart> {
        let last = self.rows.len().saturating_sub(1);
        self.cursor = (self.top + idx).min(last);
        self.scroll_to_cursor();
        self.missing()
    }

    /// Moves the cursor; returns the page that is needed now.
    pub fn step(&mut self, motion: Motion) -> Option<PageStart> {
        let page = self.height.saturating_sub(1).max(1);
        let half = (self.height / 2).max(1);
        match motion {
            Motion::Up => self.step_by(StepDirection::Previous, 1),
            Motion::Down => self.step_by(StepDirection::Next, 1),
            Motion::HalfUp => self.step_by(StepDirection::Previous, half),
            Motion::HalfDown => self.step_by(StepDirection::Next, half),
            Motion::PageUp => self.step_by(StepDirection::Previous, page),
            Motion::PageDown => self.step_by(StepDirection::Next, page),
            Motion::First if self.is_first => self.step_by(StepDirection::Previous, self.cursor),
            Motion::Last if self.is_last => self.step_by(StepDirection::Next, self.rows.len()),
            Motion::First => return Some(self.expect(PageStart::First)),
            Motion::Last => return Some(self.expect(PageStart::Last)),
            Motion::Left | Motion::Right => {}
        }
        self.missing()
    }

    fn step_by(&mut self, step: StepDirection, n: usize) {
        let (step, n) = match self.pending_steps.take() {
            None => (step, n),
            Some((owed, n_owed)) if owed == step => (step, n + n_owed),
            Some((owed, n_owed)) if n_owed > n => (owed, n_owed - n),
            Some((_, n_owed)) => (step, n - n_owed),
        };
        let last = self.rows.len().saturating_sub(1);
        match step {
            StepDirection::Next => {
                let target = self.cursor + n;
                if target > last && !self.is_last {
                    self.pending_steps = Some((step, target - last));
                }
                self.cursor = target.min(last);
            }
            StepDirection::Previous => {
                if n > self.cursor && !self.is_first {
                    self.pending_steps = Some((step, n - self.cursor));
                }
                self.cursor = self.cursor.saturating_sub(n);
            }
        }
        self.scroll_to_cursor();
    }

    fn scroll_to_cursor(&mut self) {
        let top_min = (self.cursor + 1).saturating_sub(self.height);
        self.top = self.top.clamp(top_min, self.cursor.max(top_min));
        let top_max = self.rows.len().saturating_sub(self.height);
        self.top = self.top.min(top_max);
    }

    fn missing(&mut self) -> Option<PageStart> {
        if self.requested.is_some() || self.rows.is_empty() {
            return None;
        }
        let n_after = self.rows.len() - 1 - self.cursor;
        let from = if n_after < MARGIN && !self.is_last {
            PageStart::After(self.rows.back()?.id)
        } else if self.cursor < MARGIN && !self.is_first {
            PageStart::Before(self.rows.front()?.id)
        } else {
            return None;
        };
        self.requested = Some(from.clone());
        Some(from)
    }

    /// Takes in a page that was asked for; returns the page that is needed now.
    pub fn take(&mut self, page: SamplePage) -> Option<PageStart> {
        match self.requested.take() {
            Some(PageStart::After(_)) if !self.rows.is_empty() => self.append(page),
            Some(PageStart::Before(_)) if !self.rows.is_empty() => self.prepend(page),
            _ => self.replace(page),
        }
        self.step_by(StepDirection::Next, 0);
        self.missing()
    }

    fn replace(&mut self, page: SamplePage) {
        let selected = page
            .selected
            .and_then(|id| page.rows.iter().position(|row| row.id == id));
        // A page that was asked for from the end: the cursor goes to the last row.
        let fallback = if page.is_last && !page.is_first && page.selected.is_none() {
            page.rows.len().saturating_sub(1)
        } else {
            0
        };
        let above = self.cursor.saturating_sub(self.top);
        self.cursor = selected.unwrap_or(fallback);
        self.top = self.cursor.saturating_sub(above);
        self.rank = page.rank;
        (self.is_first, self.is_last) = (page.is_first, page.is_last);
        self.rows = page.rows.into();
    }

    fn append(&mut self, page: SamplePage) {
        self.is_last = page.is_last;
        self.rows.extend(page.rows);
        let n_dropped = self.rows.len().saturating_sub(ROWS_MAX).min(self.top);
        if n_dropped > 0 {
            self.rows.drain(..n_dropped);
            self.cursor -= n_dropped;
            self.top -= n_dropped;
            self.rank = self.rank.map(|rank| rank + n_dropped as u64);
            self.is_first = false;
        }
    }

    fn prepend(&mut self, page: SamplePage) {
        let n_new = page.rows.len();
        self.is_first = page.is_first;
        for row in page.rows.into_iter().rev() {
            self.rows.push_front(row);
        }
        self.cursor += n_new;
        self.top += n_new;
        self.rank = self.rank.map(|rank| rank.saturating_sub(n_new as u64));
        let kept = ROWS_MAX.max(self.top + self.height);
        if self.rows.len() > kept {
            self.rows.truncate(kept);
            self.is_last = false;
        }
    }

    /// Learns the length of the list: with it the rank of a page from the end is known.
    pub fn set_total(&mut self, n_total: u64) {
        if self.rank.is_none() && self.is_last {
            self.rank = n_total.checked_sub(self.rows.len() as u64);
        }
    }
}

/// A made-up list of `n_total` rows, which answers as the index would.
#[cfg(test)]
pub mod fake {
    use super::*;
    use crate::fixture;

    fn index(id: i64) -> usize {
        usize::try_from(id).expect("the ids of the fixture count from 0")
    }

    /// Makes a page of a list of `n_total` rows whose ids count from 0.
    pub fn page(n_total: usize, from: &PageStart, limit: usize) -> SamplePage {
        let (start, selected) = match from {
            PageStart::First => (0, None),
            PageStart::AroundKey(key, rank) => {
                let (id, _) = key.0.split_first_chunk().expect("a key is long enough");
                let id = u64::from(u32::from_be_bytes(*id));
                let place = if fixture::row(id as u32).key == *key && id < n_total as u64 {
                    id
                } else {
                    (*rank).min(n_total.saturating_sub(1) as u64)
                };
                let place = usize::try_from(place).expect("no list is that long");
                let id = i64::try_from(place).expect("no list is that long");
                (place.saturating_sub(limit / 2), Some(id))
            }
            PageStart::Last => (n_total.saturating_sub(limit), None),
            PageStart::After(id) => (index(*id) + 1, None),
            PageStart::Before(id) => (index(*id).saturating_sub(limit), None),
            PageStart::Around(id) | PageStart::Match { id, .. } => {
                (index(*id).saturating_sub(limit / 2), Some(*id))
            }
        };
        let end = match from {
            PageStart::Before(id) => index(*id),
            _ => (start + limit).min(n_total),
        };
        let ranked = !matches!(from, PageStart::Last);
        SamplePage {
            rows: (start..end).map(|id| fixture::row(id as u32)).collect(),
            rank: ranked.then_some(start as u64),
            is_first: start == 0,
            is_last: end == n_total,
            selected,
            is_not_found: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MOTIONS: [Motion; 8] = [
        Motion::Up,
        Motion::Down,
        Motion::HalfUp,
        Motion::HalfDown,
        Motion::PageUp,
        Motion::PageDown,
        Motion::First,
        Motion::Last,
    ];

    fn opened(n_total: usize, height: usize) -> SampleWindow {
        let mut window = SampleWindow::default();
        window.resize(height);
        let from = window.expect(PageStart::First);
        settle(&mut window, n_total, Some(from));
        window
    }

    /// Answers until the window asks for nothing more.
    fn settle(window: &mut SampleWindow, n_total: usize, mut wanted: Option<PageStart>) {
        while let Some(from) = wanted {
            wanted = window.take(fake::page(n_total, &from, PAGE_ROWS));
            window.set_total(n_total as u64);
        }
    }

    /// Computes where the cursor of a list that is wholly in memory would go.
    fn naive(cursor: usize, motion: Motion, n_total: usize, height: usize) -> usize {
        let page = (height - 1).max(1);
        let half = (height / 2).max(1);
        let cursor = match motion {
            Motion::Up => cursor.saturating_sub(1),
            Motion::Down => cursor + 1,
            Motion::HalfUp => cursor.saturating_sub(half),
            Motion::HalfDown => cursor + half,
            Motion::PageUp => cursor.saturating_sub(page),
            Motion::PageDown => cursor + page,
            Motion::First => 0,
            Motion::Last => n_total,
            Motion::Left | Motion::Right => cursor,
        };
        cursor.min(n_total - 1)
    }

    #[test]
    fn an_empty_list_has_no_selection_and_takes_every_motion() {
        let mut window = opened(0, 10);
        for motion in MOTIONS {
            assert_eq!(window.step(motion), None);
        }
        assert_eq!(window.selected(), None);
    }

    #[test]
    fn movement_beyond_the_loaded_rows_is_owed() {
        let mut window = opened(1_000, 100);
        let mut wanted = None;
        for _ in 0..5 {
            wanted = wanted.or(window.step(Motion::PageDown));
        }
        settle(&mut window, 1_000, wanted);
        assert_eq!(window.selected().map(|row| row.id), Some(495));
    }

    #[test]
    fn keys_before_the_first_page_are_not_lost() {
        let mut window = SampleWindow::default();
        window.resize(10);
        let from = window.expect(PageStart::First);
        assert_eq!(window.step(Motion::Down), None);
        assert_eq!(window.step(Motion::Down), None);
        settle(&mut window, 100, Some(from));
        assert_eq!(window.selected().map(|row| row.id), Some(2));
    }

    #[test]
    fn never_more_than_a_few_pages_are_kept() {
        let mut window = opened(100_000, 40);
        for _ in 0..2_000 {
            let wanted = window.step(Motion::PageDown);
            settle(&mut window, 100_000, wanted);
            assert!(window.rows.len() <= ROWS_MAX + PAGE_ROWS);
        }
        assert_eq!(window.selected().map(|row| row.id), Some(78_000));
    }

    #[test]
    fn a_row_that_is_kept_selected_stays_where_it_is_on_the_screen() {
        let mut window = opened(1_000, 20);
        for _ in 0..10 {
            window.step(Motion::Down);
        }
        let from = window.expect(PageStart::Around(500));
        settle(&mut window, 1_000, Some(from));
        let idx = window.visible().position(|(is_selected, _)| is_selected);
        assert_eq!(idx, Some(10));
        assert_eq!(window.selected().map(|row| row.id), Some(500));
    }

    proptest! {
        #[test]
        fn the_window_moves_as_the_whole_list_would(
            n_total in 1usize..1_500,
            height in 1usize..60,
            motions in prop::collection::vec(0usize..MOTIONS.len(), 1..80),
        ) {
            let mut window = opened(n_total, height);
            let mut cursor = 0;
            for idx in motions {
                let motion = MOTIONS[idx];
                let wanted = window.step(motion);
                settle(&mut window, n_total, wanted);
                cursor = naive(cursor, motion, n_total, height);
                prop_assert_eq!(window.selected().map(|row| row.id), i64::try_from(cursor).ok());
                prop_assert_eq!(window.rank(), Some(cursor as u64));
                let visible: Vec<_> = window.visible().collect();
                prop_assert_eq!(visible.len(), height.min(n_total));
                prop_assert_eq!(visible.iter().filter(|(is_selected, _)| *is_selected).count(), 1);
            }
        }
    }
}
