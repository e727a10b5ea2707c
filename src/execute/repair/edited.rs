//! A text with changes on it, each at its place in the text as it was given.

use crate::model::Span;

use super::{RepairStep, StepKind};

#[derive(Clone, Debug)]
pub(super) struct EditedText<'t> {
    given: &'t str,
    /// In order of their places, apart from each other.
    pub(super) steps: Vec<RepairStep>,
}

impl<'t> EditedText<'t> {
    pub(super) const fn new(given: &'t str) -> Self {
        Self {
            given,
            steps: Vec::new(),
        }
    }

    /// Adds a change; it must not overlap with another one.
    pub(super) fn add(
        &mut self,
        kind: StepKind,
        removed: (usize, usize),
        added: impl Into<String>,
    ) {
        let step = RepairStep {
            kind,
            removed: Span::new(removed.0 as u32, removed.1 as u32),
            added: added.into(),
        };
        if step.removed.start == step.removed.end && step.added.is_empty() {
            return;
        }
        let at = self
            .steps
            .partition_point(|repair_step| repair_step.removed.end <= step.removed.start);
        self.steps.insert(at, step);
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::with_capacity(self.given.len());
        let mut at = 0;
        for step in &self.steps {
            text.push_str(&self.given[at..step.removed.start as usize]);
            text.push_str(&step.added);
            at = step.removed.end as usize;
        }
        text.push_str(&self.given[at..]);
        text
    }
}

/// Maps a place of the changed text back to the given one; nothing for what was added.
pub(super) fn original(steps: &[RepairStep], at: usize) -> Option<usize> {
    // The positions that are reached in the changed and in the given text.
    let (mut changed, mut given) = (0, 0);
    for step in steps {
        let kept = step.removed.start as usize - given;
        if at < changed + kept {
            return Some(given + at - changed);
        }
        changed += kept;
        if at < changed + step.added.len() {
            return None;
        }
        changed += step.added.len();
        given = step.removed.end as usize;
    }
    Some(given + at - changed)
}

/// Maps a place of the given text to the changed one; a removed place maps to where it was removed.
pub(super) fn changed(steps: &[RepairStep], at: usize) -> usize {
    let (mut n_added, mut n_removed) = (0, 0);
    for step in steps {
        let (start, end) = (step.removed.start as usize, step.removed.end as usize);
        if start >= at {
            break;
        }
        n_removed += end.min(at) - start;
        if end <= at {
            n_added += step.added.len();
        }
    }
    at + n_added - n_removed
}
