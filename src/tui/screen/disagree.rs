//! Disagreements of annotators: how far they agree, and their conflicts, to rule on one after the other.
//!
//! ```text
//! ┌ agreement ─────┐┌ ada \ bob ─────────────┐┌ annotators ────┐
//! └────────────────┘└────────────────────────┘└────────────────┘
//! ┏ 17 open ━━━━━━━┓┌ test ───────────────────────────────────┐
//! ┃ accept ≠ pick  ┃│                                         │
//! ┗━━━━━━━━━━━━━━━━┛├ focal ──────────────────────────────────┤
//! ┌ opinions ──────┐│                                         │
//! │ 1 A accept …   │├ candidates ─────────────────────────────┤
//! └────────────────┘└─────────────────────────────────────────┘
//! ```
//!
//! This is the layout from 180 columns on. With 100 to 179 columns, the test gets the room, and the methods that two
//! opinions name stand side by side:
//!
//! ```text
//! ┏ 17 open ━━━━━━━┓┌ opinions ──────┐┌ candidates ────────────┐
//! ┗━━━━━━━━━━━━━━━━┛└────────────────┘└────────────────────────┘
//! ┌ test ──────────────────────────────────────────────────────┐
//! └────────────────────────────────────────────────────────────┘
//! ┌ 1 A · accept … ────────────┐┌ 2 B · pick … ────────────────┐
//! └────────────────────────────┘└──────────────────────────────┘
//! ```
//!
//! Below 180 columns the numbers have a screen of their own, and below 100 the queue gives way to the sample; `Tab`
//! goes around. Decides which conflict is shown and whether it may be ruled on: only a painted one, and only once. Does
//! not write; a ruling goes out as a [`ScribeRequest`](crate::scribe::ScribeRequest) and counts when the answer is
//! there.

mod act;
pub mod commands;
#[cfg(test)]
pub mod fixture;
pub mod keys;
pub mod numbers;
pub mod questions;
pub mod queue;
mod rule;
mod sides;
#[cfg(test)]
pub mod tests;

use ratatui::layout::Rect;

use crate::desk::{Desk, Message, QuestionScreen, ScreenRequest};
use crate::keymap::{Motion, StepDirection};
use crate::layout::{above, beside};
use crate::model::SampleKey;
use crate::question::shared::{ReviewItem, ReviewItemQuestion};
use crate::question::{Question, QuestionFailure, Slot, Versions};
use crate::review::{Conflict, ReviewOptions};
use crate::screen::disagree::numbers::{AgreementCell, AgreementPane};
use crate::screen::disagree::questions::{AgreementQuestion, ConflictsQuestion, ITEM, NEXT_ITEM};
use crate::screen::disagree::rule::RulingDraft;
use crate::screen::disagree::sides::{N_SIDES, OpinionSides, mark_calls};
use crate::screen::docs::Docs;
use crate::screen::sample::{SamplePane, SampleScreen, WIDTH_THREE};
use crate::screen::{AnswerState, Screen};
use crate::theme::Role;
use crate::widget::frame::{counted, inside};

/// The tokens of this screen's events are above this; those of Annotate are below.
pub const TOKENS: u64 = 1 << 32;

/// The bounds of the height of the strip of numbers, with its border.
const STRIP_MIN: u16 = 8;
const STRIP_MAX: u16 = 15;
/// The bounds of the number of conflicts above a test.
const STRIP_ROWS_MIN: u16 = 3;
const STRIP_ROWS_MAX: u16 = 5;
/// The least height of the method of an opinion, with its border.
const SIDES_HEIGHT_MIN: u16 = 5;
/// The most conflicts above the sample on a narrow screen.
const NARROW_QUEUE_MAX: u16 = 4;
/// On a narrow screen with fewer rows, the sample needs them all.
const NARROW_MIN: u16 = 18;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DisagreeFocus {
    #[default]
    Queue,
    Sample,
    /// The matrix.
    Numbers,
}

/// The areas of panes; an invisible pane has an empty one.
#[derive(Clone, Copy, Debug, Default)]
struct DisagreeAreas {
    agreement: Rect,
    matrix: Rect,
    annotators: Rect,
    queue: Rect,
    opinions: Rect,
    sample: Rect,
    /// The test of the sample where the methods of two opinions stand side by side; elsewhere `sample` holds all of its
    /// panes.
    test: Rect,
    candidates: Rect,
    sides: [Rect; N_SIDES],
}

#[derive(Debug)]
pub struct Disagree {
    /// Empty until somebody gives a name.
    annotator: String,
    guideline: Option<String>,
    pub panes: SampleScreen,
    sides: OpinionSides,
    pub numbers: AgreementPane,
    state: AnswerState<()>,
    /// The most informative conflicts first, those with a ruling last.
    conflicts: Vec<Conflict>,
    /// The number of conflicts about samples that the index does not have.
    n_gone: usize,
    /// The listed conflicts, by their indices in `conflicts`.
    shown: Vec<usize>,
    cursor: usize,
    /// Narrows the list to the samples of this cell.
    filter: Option<AgreementCell>,
    /// The sample on the screen.
    item: Option<Box<ReviewItem>>,
    /// The sample that comes next, read ahead.
    ahead: Option<(SampleKey, Option<Box<ReviewItem>>)>,
    wanted: Option<SampleKey>,
    /// The sample that the cursor goes to once the conflicts are there.
    sought: Option<SampleKey>,
    /// The sample that has been painted, and when, in milliseconds since 1970.
    painted: Option<(SampleKey, i64)>,
    /// The token of the event that is not on disk yet.
    pending: Option<u64>,
    token: u64,
    /// The ruling that a reason is being typed for.
    draft: Option<RulingDraft>,
    versions: (i64, i64),
    shows_names: bool,
    has_gap: bool,
    /// The sample has the whole width.
    is_wide: bool,
    focus: DisagreeFocus,
    needle: String,
    areas: DisagreeAreas,
}

impl QuestionScreen for Disagree {
    const SCREEN: Screen = Screen::Disagree;

    fn fail(&mut self, slot: Slot, failure: &QuestionFailure, desk: &mut Desk) {
        if ![AgreementQuestion::SLOT, ConflictsQuestion::SLOT, ITEM].contains(&slot) {
            desk.show_failure(failure);
            return;
        }
        self.item = None;
        self.state = failure.into();
    }
}

impl Disagree {
    #[must_use]
    pub fn new(reviewing: &ReviewOptions) -> Self {
        Self {
            annotator: reviewing.annotator.clone(),
            guideline: reviewing.guideline.clone(),
            panes: SampleScreen::default(),
            sides: OpinionSides::default(),
            numbers: AgreementPane::default(),
            state: AnswerState::Waiting,
            conflicts: Vec::new(),
            n_gone: 0,
            shown: Vec::new(),
            cursor: 0,
            filter: None,
            item: None,
            ahead: None,
            wanted: None,
            sought: None,
            painted: None,
            pending: None,
            token: TOKENS,
            draft: None,
            versions: (0, 0),
            shows_names: false,
            has_gap: false,
            is_wide: false,
            focus: DisagreeFocus::Queue,
            needle: String::new(),
            areas: DisagreeAreas::default(),
        }
    }

    /// Reads everything again; the old data stay on the screen until the answers are there.
    pub fn reload(&mut self, desk: &mut Desk) {
        self.ahead = None;
        desk.ask(AgreementQuestion, |screen: &mut Self, agreed, desk| {
            screen.numbers.take_agreement(agreed, desk);
        });
        desk.ask(ConflictsQuestion, Self::take_conflicts);
    }

    /// Rules in this name from now on.
    pub fn set_annotator(&mut self, name: &str, desk: &mut Desk) {
        name.clone_into(&mut self.annotator);
        if self.is_open() {
            self.reload(desk);
        }
    }

    /// Tells whether the conflicts have ever been read.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        !matches!(self.state, AnswerState::Waiting)
    }

    /// Takes the conflicts; the cursor stays on its sample.
    fn take_conflicts(
        &mut self,
        (conflicts, versions): (Vec<Conflict>, Versions),
        desk: &mut Desk,
    ) {
        let stays = self.sought.take().or_else(|| self.key());
        // The index has changed, and the code on the screen may have, too.
        let is_remined = self.is_open() && self.versions.0 != versions.0;
        self.versions = versions;
        self.state = AnswerState::Ready(());
        let n_all = conflicts.len();
        self.conflicts = conflicts;
        self.conflicts.retain(|conflict| conflict.state.is_some());
        self.n_gone = n_all - self.conflicts.len();
        self.ahead = None;
        if is_remined {
            self.item = None;
        }
        self.list(stays);
        self.follow(desk);
        desk.request(ScreenRequest::Restore(Screen::Disagree));
        desk.request(ScreenRequest::Conflicts(self.n_open() as u64));
    }

    /// Lists the conflicts anew, with the cursor on this sample if it is listed.
    fn list(&mut self, stays: Option<SampleKey>) {
        let filter = self.filter.as_ref();
        let is_shown =
            |conflict: &Conflict| filter.is_none_or(|cell| cell.keys.contains(&conflict.key));
        let all = self.conflicts.iter().enumerate();
        self.shown = all
            .filter(|(_, conflict)| is_shown(conflict))
            .map(|(idx, _)| idx)
            .collect();
        let place = stays.and_then(|key| self.place_of(key));
        let last = self.shown.len().saturating_sub(1);
        self.cursor = place.unwrap_or(self.cursor).min(last);
    }

    fn place_of(&self, key: SampleKey) -> Option<usize> {
        let mut shown = self.shown.iter();
        shown.position(|idx| self.conflicts[*idx].key == key)
    }

    /// Returns the conflict under the cursor.
    #[must_use]
    pub fn conflict(&self) -> Option<&Conflict> {
        self.at(self.cursor)
    }

    fn at(&self, place: usize) -> Option<&Conflict> {
        let idx = self.shown.get(place)?;
        self.conflicts.get(*idx)
    }

    fn key(&self) -> Option<SampleKey> {
        self.conflict().map(|conflict| conflict.key)
    }

    fn count(&self) -> (usize, usize) {
        let n_ruled = self
            .conflicts
            .iter()
            .filter(|conflict| conflict.ruling.is_some());
        let n_ruled = n_ruled.count();
        (self.conflicts.len() - n_ruled, n_ruled)
    }

    /// Counts the conflicts that wait for a ruling.
    #[must_use]
    pub fn n_open(&self) -> usize {
        self.count().0
    }

    /// Brings the sample under the cursor to the screen, and reads the next one ahead.
    fn follow(&mut self, desk: &mut Desk) {
        let target = self.key();
        let shown = self.item.as_ref().map(|review_item| review_item.key());
        if target.is_none() {
            (self.item, self.wanted) = (None, None);
        } else if shown == target {
            self.wanted = None;
        } else if self.wanted != target {
            self.has_gap = false;
            self.wanted = target;
            match self.ahead.take_if(|(key, _)| Some(*key) == target) {
                Some(found) => self.take_item(found, desk),
                None => self.ask_item(ITEM, target, desk),
            }
        }
        let next = self.at(self.cursor + 1).map(|conflict| conflict.key);
        let is_ahead = self.ahead.as_ref().map(|ahead| ahead.0) == next;
        if !is_ahead && self.wanted.is_none() {
            self.ahead = None;
            self.ask_item(NEXT_ITEM, next, desk);
        }
    }

    fn ask_item(&self, slot: Slot, key: Option<SampleKey>, desk: &mut Desk) {
        if let Some(key) = key {
            let item = ReviewItemQuestion {
                key,
                annotator: self.annotator.clone(),
                queue: None,
            };
            desk.ask_in(slot, item, Self::take_item);
        }
    }

    /// Takes the answer for a sample, needed now or read ahead; nothing for one that the index no longer has.
    fn take_item(&mut self, (key, item): (SampleKey, Option<Box<ReviewItem>>), desk: &mut Desk) {
        if self.wanted != Some(key) {
            self.ahead = Some((key, item));
            return;
        }
        self.wanted = None;
        let Some(item) = item else {
            self.item = None;
            self.reload(desk);
            return;
        };
        if item.versions != self.versions {
            // Somebody else has written a verdict, or the index has changed.
            self.versions = item.versions;
            self.reload(desk);
        }
        self.painted = None;
        let mut explained = item.explained.clone();
        let conflict = self.conflict().filter(|conflict| conflict.key == key);
        if let Some(conflict) = conflict {
            mark_calls(conflict, &mut explained.detail.test);
            self.sides = OpinionSides::of(conflict, &explained.detail);
        }
        let docs = Docs::of(&explained.detail);
        self.panes.show(explained, docs);
        self.item = Some(item);
        self.follow(desk);
    }

    fn go_to(&mut self, place: usize, desk: &mut Desk) {
        self.cursor = place.min(self.shown.len().saturating_sub(1));
        self.follow(desk);
    }

    /// Goes to a sample; tells whether it is listed.
    pub fn go_to_key(&mut self, key: SampleKey, desk: &mut Desk) -> bool {
        let place = self.place_of(key);
        if let Some(place) = place {
            self.go_to(place, desk);
        }
        place.is_some()
    }

    pub fn step_focus(&mut self, step: StepDirection) {
        let pane = self.panes.focus();
        let focus = match (self.focus, step) {
            (DisagreeFocus::Queue, StepDirection::Next) => {
                self.panes.set_focus(SamplePane::Test);
                DisagreeFocus::Sample
            }
            (DisagreeFocus::Sample, StepDirection::Next) if pane == SamplePane::Candidates => {
                DisagreeFocus::Numbers
            }
            (DisagreeFocus::Sample, StepDirection::Previous) if pane == SamplePane::Test => {
                DisagreeFocus::Queue
            }
            (DisagreeFocus::Sample, step) => {
                self.panes.step_focus(step);
                DisagreeFocus::Sample
            }
            (DisagreeFocus::Numbers, StepDirection::Previous) => {
                self.panes.set_focus(SamplePane::Candidates);
                DisagreeFocus::Sample
            }
            (DisagreeFocus::Numbers, StepDirection::Next) => DisagreeFocus::Queue,
            (DisagreeFocus::Queue, StepDirection::Previous) => DisagreeFocus::Numbers,
        };
        self.focus = focus;
        if focus == DisagreeFocus::Numbers {
            self.is_wide = false;
        }
    }

    /// Scrolls a pane without the focus: from the list or the numbers, the test.
    pub fn peek(&mut self, step: StepDirection) {
        let motion = Motion::from(step);
        match self.focus {
            DisagreeFocus::Sample => self.panes.peek(step),
            DisagreeFocus::Queue | DisagreeFocus::Numbers => self.panes.test_code().scroll(motion),
        }
    }

    fn filter_by_cell(&mut self, desk: &mut Desk) -> Option<Message> {
        let cell = self.numbers.cell()?;
        let n_differing = self.conflicts.iter();
        let n_differing = n_differing.filter(|conflict| cell.keys.contains(&conflict.key));
        if n_differing.count() == 0 {
            let name = self.cell_words(&cell);
            let text = if cell.keys.is_empty() {
                format!("{name}: no sample")
            } else {
                let samples = counted(cell.keys.len() as u64, "sample");
                format!("{name}: nobody differs on {samples}")
            };
            return Some((text, Role::Dim));
        }
        self.filter = Some(cell);
        self.focus = DisagreeFocus::Queue;
        let stays = self.key();
        self.cursor = 0;
        self.list(stays);
        self.follow(desk);
        None
    }

    /// Returns the index of the first visible conflict of the list.
    fn top(&self) -> usize {
        let height = usize::from(inside(self.areas.queue).height).max(1);
        (self.cursor + 1).saturating_sub(height)
    }

    fn over_opinions(&self, area: Rect) -> [Rect; 2] {
        let wanted = self.opinions_height(area.width);
        let height = wanted.min(area.height / 3 + 1);
        above(area, area.height.saturating_sub(height))
    }

    fn narrow(&self, body: Rect) -> DisagreeAreas {
        if self.conflicts.is_empty() && self.focus != DisagreeFocus::Numbers {
            return DisagreeAreas {
                sample: body,
                ..DisagreeAreas::default()
            };
        }
        if self.focus == DisagreeFocus::Numbers {
            let height = self.numbers.agreement_height(body.width);
            let [agreement, rest] = above(body, height.min(body.height / 2 + 1));
            let [matrix, annotators] = beside(rest, body.width * 62 / 100);
            return DisagreeAreas {
                agreement,
                matrix,
                annotators,
                ..DisagreeAreas::default()
            };
        }
        let most = (body.height / 8).clamp(1, NARROW_QUEUE_MAX);
        let n_rows = (self.shown.len().max(1) as u16).min(most);
        // The line above tells the number of the conflict instead.
        let has_queue = self.focus == DisagreeFocus::Queue && body.height >= NARROW_MIN;
        let height = if has_queue { n_rows + 2 } else { 0 };
        let [queue, rest] = above(body, height);
        let [sample, opinions] = self.over_opinions(rest);
        DisagreeAreas {
            queue,
            opinions,
            sample,
            ..DisagreeAreas::default()
        }
    }

    fn wide(&self, body: Rect) -> DisagreeAreas {
        if body.width >= WIDTH_THREE || self.conflicts.is_empty() {
            self.with_numbers(body)
        } else if self.focus == DisagreeFocus::Numbers {
            self.narrow(body)
        } else {
            self.with_test(body)
        }
    }

    /// Tells whether the methods of the opinions are shown: they give way while the focus is on a pane that they would
    /// replace.
    fn shows_sides(&self) -> bool {
        let is_on_test = self.panes.focus() == SamplePane::Test;
        let is_beside = self.focus != DisagreeFocus::Sample;
        self.item.is_some() && !self.sides.is_empty() && (is_on_test || is_beside)
    }

    /// Puts the list and the opinions into a few rows, and the test below them.
    fn with_test(&self, body: Rect) -> DisagreeAreas {
        let has_sides = self.shows_sides();
        let width = body.width * if has_sides { 34 } else { 50 } / 100;
        let n_rows = (self.shown.len() as u16).clamp(STRIP_ROWS_MIN, STRIP_ROWS_MAX);
        let height = self.opinions_height(width).max(n_rows + 2);
        let [strip, sample] = above(body, height.min(body.height / 4));
        let [queue, opinions] = beside(strip, width);
        let areas = DisagreeAreas {
            queue,
            opinions,
            sample,
            ..DisagreeAreas::default()
        };
        if !has_sides {
            return areas;
        }
        let [opinions, candidates] = beside(opinions, opinions.width / 2);
        DisagreeAreas {
            opinions,
            candidates,
            ..self.over_sides(areas)
        }
    }

    /// Splits the sample's area into the test and, below it, the methods of two opinions; the test gets its rows first.
    fn over_sides(&self, areas: DisagreeAreas) -> DisagreeAreas {
        let area = areas.sample;
        let half = area.width / 2;
        let needed = self
            .panes
            .rows_needed(SamplePane::Test, area.width.saturating_sub(2))
            + 2;
        let left_over = area.height.saturating_sub(needed);
        let most = (area.height * 2 / 5).max(left_over);
        let wanted = self.sides.height(half.saturating_sub(2));
        let height = wanted.clamp(SIDES_HEIGHT_MIN.min(most), most);
        let [test, sides] = above(area, area.height - height);
        DisagreeAreas {
            test,
            sides: beside(sides, half),
            ..areas
        }
    }

    fn with_numbers(&self, body: Rect) -> DisagreeAreas {
        let is_widest = body.width >= WIDTH_THREE;
        let width = u32::from(body.width);
        let share = |percent: u32| (width * percent / 100) as u16;
        let (first, last) = if is_widest {
            (share(34), share(26))
        } else {
            (share(40), share(26))
        };
        let wanted = self.numbers.agreement_height(first);
        let most = STRIP_MAX.min(body.height * 38 / 100);
        let [strip, rest] = above(body, wanted.clamp(STRIP_MIN.min(most), most));
        let [agreement, others] = beside(strip, first);
        let [matrix, annotators] = beside(others, others.width - last);
        let left = if is_widest { share(34) } else { share(39) };
        let [left, sample] = beside(rest, left);
        let wanted = match self.opinions_height(left.width) {
            0 => 0,
            height => height.max(5).min(left.height * 2 / 3),
        };
        let [queue, opinions] = above(left, left.height - wanted);
        let areas = DisagreeAreas {
            agreement,
            matrix,
            annotators,
            queue,
            opinions,
            sample,
            ..DisagreeAreas::default()
        };
        if !is_widest || !self.shows_sides() {
            return areas;
        }
        let areas = self.over_sides(areas);
        let [test, candidates] = beside(areas.test, areas.test.width * 62 / 100);
        DisagreeAreas {
            test,
            candidates,
            ..areas
        }
    }
}
