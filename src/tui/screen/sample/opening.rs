//! How a sample comes up for a judge, and which parts of its texts are folded.
//!
//! Decides which folds bring the first focal call and the first assertion into sight. Long comments and docstrings are
//! folded from the start; long setup and the lines between the two only where necessary.

use std::sync::Arc;

use ratatui::layout::Rect;

use crate::screen::sample::{SampleFolds, SamplePane, SampleScreen};
use crate::text::{Doc, fold_between};

/// The state of a sample that comes up for a judge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum SampleOpening {
    /// The texts are shown with the user's folds only.
    #[default]
    Done,
    /// The sample has come up and is not laid out yet.
    Due,
    /// The test has these folds, and long comments are folded.
    Folded(Vec<(usize, usize)>),
}

impl SampleScreen {
    /// Shows the texts in their panes, with the folds that apply.
    pub(super) fn show_docs(&mut self) {
        self.show_test();
        self.show_focal();
        let contexts = [
            (SamplePane::SetupContext, &self.docs.setup_context),
            (SamplePane::FocalContext, &self.docs.focal_context),
        ];
        for (pane, doc) in contexts {
            self.views[pane as usize].show(folded(doc, folds(doc, self.folded)));
        }
        self.mark_calls();
    }

    fn show_test(&mut self) {
        let replaced = self.replaced.as_ref().and_then(|docs| docs[0].as_ref());
        let doc = replaced.unwrap_or(&self.docs.test);
        let mut all = folds(doc, self.folded);
        if replaced.is_none() {
            match &self.opening {
                SampleOpening::Done => {}
                SampleOpening::Due => all.extend(doc.long_comment_folds()),
                SampleOpening::Folded(opening) => all.extend(opening),
            }
        }
        let shown = folded(doc, all);
        self.views[SamplePane::Test as usize].show(shown);
    }

    /// Shows the focal method, or the text that replaces it, in its pane.
    pub(super) fn show_focal(&mut self) {
        let replaced = self.replaced.as_ref().and_then(|docs| docs[1].clone());
        let previewed = self.previewed.filter(|_| replaced.is_none());
        let doc = match (replaced, previewed.and_then(|idx| self.candidate_doc(idx))) {
            (Some(doc), _) => doc,
            (None, Some(doc)) => {
                self.unpainted.extend(doc.jobs());
                Arc::new(doc)
            }
            (None, None) => Arc::clone(&self.docs.focal),
        };
        let mut all = folds(&doc, self.folded);
        if self.opening != SampleOpening::Done {
            all.extend(doc.long_comment_folds());
        }
        self.views[SamplePane::Focal as usize].show(folded(&doc, all));
    }

    /// Finds the lines of the test that a judge looks for, in their order: the first focal call, else the first call of
    /// the candidate under the cursor, and the first line of the assertion part.
    fn sought(&self) -> Option<(usize, usize)> {
        let test = &self.docs.test;
        let call = test.first_focal_call();
        let call = call.or_else(|| self.views[SamplePane::Test as usize].first_call());
        let assertion = test.first_assertion();
        let (one, other) = (call.or(assertion)?, assertion.or(call)?);
        Some((one.min(other), one.max(other)))
    }

    /// Folds and scrolls the test of a sample that comes up until the first focal call and the first assertion are
    /// visible: first long comments, then all comments and setup, then the lines between the two.
    pub(super) fn open(&mut self, body: Rect, wraps: bool) {
        let test = SamplePane::Test as usize;
        let comments = self.docs.test.long_comment_folds();
        let sought = self.sought().filter(|_| self.replaced.is_none());
        let Some(sought) = sought.filter(|sought| !self.views[test].shows_from_the_top(sought.1))
        else {
            self.opening = SampleOpening::Folded(comments);
            return;
        };
        let mut folds = comments;
        folds.extend(self.docs.test.setup_folds());
        folds.extend(self.docs.test.comment_folds());
        let between = fold_between(sought).into_iter().collect();
        for more in [Vec::new(), between] {
            // The two lines are never folded away, and the fold between them wins over those that it overlaps.
            let is_apart = |(first, last): &(usize, usize)| {
                let holds = |idx: usize| (*first..=*last).contains(&idx);
                let overlaps = more.iter().any(|fold| *first <= fold.1 && fold.0 <= *last);
                !holds(sought.0) && !holds(sought.1) && !overlaps
            };
            let mut all: Vec<_> = folds.iter().copied().filter(is_apart).collect();
            all.extend(&more);
            self.opening = SampleOpening::Folded(all);
            self.show_test();
            self.lay_out(body, wraps);
            if self.views[test].can_show(sought) {
                break;
            }
        }
        if !self.views[test].can_show(sought) {
            self.test_height_min = self.views[test].height_of(sought).saturating_add(2);
            self.lay_out(body, wraps);
        }
        self.views[test].bring_in(sought);
    }

    /// Removes the folds that a sample came up with; tells whether that is all that was folded.
    pub fn unfold_opening(&mut self) -> bool {
        let was_opening = self.opening != SampleOpening::Done;
        let had_any = (self.views.iter()).any(|view| !view.doc().folds.is_empty());
        self.opening = SampleOpening::Done;
        if was_opening && had_any {
            self.show_docs();
        }
        was_opening && had_any && self.folded == SampleFolds::default()
    }
}

/// Lists the folds of a text that the user has asked for, and its own ones.
fn folds(doc: &Doc, folded: SampleFolds) -> Vec<(usize, usize)> {
    let mut folds = doc.folds.clone();
    if folded.setup {
        folds.extend(doc.setup_folds());
    }
    if folded.comments {
        folds.extend(doc.comment_folds());
    }
    folds
}

fn folded(doc: &Arc<Doc>, folds: Vec<(usize, usize)>) -> Arc<Doc> {
    if folds == doc.folds {
        Arc::clone(doc)
    } else {
        Arc::new(doc.folded(folds))
    }
}
