//! A window on a list whose length is known: the rows around the cursor, page by page.
//!
//! Decides which page is needed next and which are forgotten; the screen asks for it. A row is known by its number in
//! the list, so every jump is one step. (Lists whose rows are only known by their contents have
//! [`SampleWindow`](super::list::SampleWindow).)

use std::collections::BTreeMap;
use std::ops::Range;

use crate::keymap::Motion;

/// Rows per question: more than any screen shows, few enough to be read at once.
pub const PAGE_ROWS: usize = 128;
/// The number of pages that are kept: those nearest to the cursor.
const PAGES_MAX: usize = 8;

#[derive(Clone, Debug)]
pub struct Pages<T> {
    n_rows: usize,
    /// By the number of the page.
    loaded: BTreeMap<usize, Vec<T>>,
    cursor: usize,
    top: usize,
    height: usize,
    /// The page that was asked for last, until it comes.
    requested: Option<usize>,
    /// Whether the page of the cursor must be asked for although it is loaded.
    is_outdated: bool,
}

impl<T> Default for Pages<T> {
    fn default() -> Self {
        Self {
            n_rows: 0,
            loaded: BTreeMap::new(),
            cursor: 0,
            top: 0,
            height: 1,
            requested: None,
            is_outdated: false,
        }
    }
}

impl<T> Pages<T> {
    /// Begins another list; the cursor goes to the row at `cursor`.
    pub fn reset(&mut self, n_rows: usize, cursor: usize) {
        self.n_rows = n_rows;
        self.loaded.clear();
        self.requested = None;
        self.go_to(cursor);
    }

    /// Sets the number of visible rows.
    pub fn resize(&mut self, height: usize) {
        self.height = height.max(1);
        self.go_to(self.cursor);
    }

    #[must_use]
    pub const fn len(&self) -> usize {
        self.n_rows
    }

    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.n_rows == 0
    }

    /// Returns the number of the row under the cursor, from 0.
    #[must_use]
    pub const fn cursor(&self) -> usize {
        self.cursor
    }

    /// Returns the number of the first visible row, from 0.
    #[must_use]
    pub const fn top(&self) -> usize {
        self.top
    }

    /// Returns the row under the cursor, if it is loaded.
    #[must_use]
    pub fn selected(&self) -> Option<&T> {
        self.row(self.cursor)
    }

    fn row(&self, idx: usize) -> Option<&T> {
        self.loaded.get(&(idx / PAGE_ROWS))?.get(idx % PAGE_ROWS)
    }

    /// Iterates over the visible rows, each with whether it is under the cursor; those that are not loaded are absent.
    pub fn visible(&self) -> impl Iterator<Item = (bool, Option<&T>)> {
        let end = self.n_rows.min(self.top + self.height);
        (self.top..end).map(|idx| (idx == self.cursor, self.row(idx)))
    }

    /// Goes to a row, or to the last one.
    pub fn go_to(&mut self, cursor: usize) {
        self.cursor = cursor.min(self.n_rows.saturating_sub(1));
        let top_min = (self.cursor + 1).saturating_sub(self.height);
        let top_max = self.n_rows.saturating_sub(self.height);
        self.top = self.top.clamp(top_min, self.cursor).min(top_max);
    }

    pub fn step(&mut self, motion: Motion) {
        // One row of the page before stays in sight.
        let page = match motion {
            Motion::PageUp | Motion::PageDown => self.height.saturating_sub(1).max(1),
            _ => self.height,
        };
        self.go_to(motion.moved(self.cursor, page));
    }

    /// Selects the row at `idx` of the visible ones; tells whether there is one.
    pub fn select_visible(&mut self, idx: usize) -> bool {
        let is_there = self.top + idx < self.n_rows && idx < self.height;
        if is_there {
            self.go_to(self.top + idx);
        }
        is_there
    }

    /// Finds the page of rows that is needed now and was not asked for yet.
    pub fn missing(&mut self) -> Option<Range<usize>> {
        let last = self.n_rows.checked_sub(1)?;
        let bottom = (self.top + self.height).min(last);
        // The rows on the screen first, then those of the next screen and of the one before.
        let wanted = [
            self.cursor,
            self.top,
            bottom,
            (bottom + self.height).min(last),
            self.top.saturating_sub(self.height),
        ];
        let here = self.cursor / PAGE_ROWS;
        let is_old = |page| self.is_outdated && page == here;
        let page = wanted
            .into_iter()
            .map(|idx| idx / PAGE_ROWS)
            .find(|page| is_old(*page) || !self.loaded.contains_key(page))?;
        if self.requested == Some(page) {
            return None;
        }
        self.requested = Some(page);
        let start = page * PAGE_ROWS;
        Some(start..(start + PAGE_ROWS).min(self.n_rows))
    }

    /// Takes in the rows from number `start` on, which answer [`missing`](Self::missing).
    pub fn take(&mut self, start: usize, rows: Vec<T>) {
        let page = start / PAGE_ROWS;
        if self.requested == Some(page) {
            self.requested = None;
        }
        self.loaded.insert(page, rows);
        let here = self.cursor / PAGE_ROWS;
        self.is_outdated &= page != here;
        while self.loaded.len() > PAGES_MAX {
            let farthest = self.loaded.keys().copied();
            let Some(farthest) = farthest.max_by_key(|n| n.abs_diff(here)) else {
                return;
            };
            self.loaded.remove(&farthest);
        }
    }

    /// Marks all rows as changed, to be asked for again; those around the cursor stay until their answer comes.
    pub fn outdate(&mut self) {
        let here = self.cursor / PAGE_ROWS;
        self.loaded.retain(|page, _| *page == here);
        self.requested = None;
        self.is_outdated = true;
    }

    /// Forgets what was asked for, after it failed.
    pub fn forget(&mut self) {
        self.requested = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers every question at once with the rows' numbers; returns the ranges that were asked for.
    fn fill(pages: &mut Pages<usize>) -> Vec<Range<usize>> {
        let mut asked = Vec::new();
        while let Some(range) = pages.missing() {
            pages.take(range.start, range.clone().collect());
            asked.push(range);
        }
        asked
    }

    fn with(n_rows: usize) -> Pages<usize> {
        let mut pages = Pages::default();
        pages.reset(n_rows, 0);
        pages.resize(10);
        pages
    }

    #[test]
    fn rows_are_their_numbers_wherever_one_jumps() {
        let mut pages = with(1_000_000);
        for (motion, expected) in [
            (Motion::Down, 1),
            (Motion::PageDown, 10),
            (Motion::Last, 999_999),
            (Motion::PageUp, 999_990),
            (Motion::First, 0),
            (Motion::Up, 0),
        ] {
            pages.step(motion);
            fill(&mut pages);
            assert_eq!(pages.cursor(), expected);
            assert_eq!(pages.selected(), Some(&expected));
            assert!(pages.visible().all(|(_, row)| row.is_some()));
            assert_eq!(pages.visible().filter(|(is_it, _)| *is_it).count(), 1);
        }
        assert!(pages.loaded.len() <= PAGES_MAX);
    }

    #[test]
    fn a_page_is_asked_for_once_and_what_is_seen_comes_first() {
        let mut pages = with(500);
        assert_eq!(pages.missing(), Some(0..128));
        assert_eq!(pages.missing(), None);
        pages.take(0, (0..128).collect());
        assert_eq!(pages.missing(), None);
        pages.go_to(120);
        let asked = fill(&mut pages);
        assert!(asked.len() == 1 && asked[0] == (128..256), "{asked:?}");
        pages.go_to(499);
        let asked = fill(&mut pages);
        assert!(asked.len() == 1 && asked[0] == (384..500), "{asked:?}");
    }

    #[test]
    fn a_list_without_rows_has_nothing_to_ask_for_and_no_cursor() {
        let mut pages = with(0);
        assert_eq!(pages.missing(), None);
        pages.step(Motion::Last);
        pages.step(Motion::Down);
        assert_eq!((pages.cursor(), pages.selected()), (0, None));
        assert_eq!(pages.visible().count(), 0);
        assert!(!pages.select_visible(0));
    }

    #[test]
    fn the_cursor_stays_in_sight_when_the_screen_shrinks() {
        let mut pages = with(100);
        pages.go_to(9);
        pages.resize(3);
        fill(&mut pages);
        assert!(pages.visible().any(|(is_it, row)| is_it && row == Some(&9)));
    }
}
