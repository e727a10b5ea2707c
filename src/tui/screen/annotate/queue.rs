//! Queues as the user types them, and the view of a blind annotator.

use crate::browse::{self, Completion, FieldScope, write_filter};
use crate::config::SavedFilters;
use crate::filter;
pub use crate::filter::FilterFlaw;
use crate::mine::why::MatchExplanation;
use crate::model::{CandidateRow, MarkKind};
use crate::question::shared::ExplainedSample;
use crate::review::{self, QueueError, QueueKind, QueueOptions, ReviewOptions, SampleRemarks};
use crate::text::visible;

/// Reads a queue such as `unmapped:tie repo:gson`; an empty text is the default queue.
///
/// # Errors
/// The first flaw.
pub fn parse(text: &str, reviewing: &ReviewOptions) -> Result<QueueOptions, FilterFlaw> {
    let asked = review::split(text).map_err(|error| flaw_of(text, &error))?;
    let filter = filter::parse(&asked.filter)
        .map_err(|flaw| flaw.behind(text.find(&asked.filter).unwrap_or(0)))?;
    let filter_text = write_filter(&filter);
    let ReviewOptions {
        annotator, overlap, ..
    } = reviewing;
    Ok(asked.options(filter, filter_text, annotator, *overlap))
}

fn flaw_of(text: &str, error: &QueueError) -> FilterFlaw {
    let at = text.len() - text.trim_start().len();
    let mended = match error {
        QueueError::Unknown { word, near } => Some(Completion {
            span: at..at + word.len(),
            text: near.clone(),
            help: "did you mean",
        }),
        QueueError::NoArgument { .. } | QueueError::Argument { .. } => None,
    };
    FilterFlaw {
        mended,
        ..FilterFlaw::new(at, visible(&error.to_string()))
    }
}

/// Completes the text at the cursor: a queue's word first, then what filters take.
#[must_use]
pub fn complete(text: &str, cursor: usize, saved: &SavedFilters) -> Vec<Completion> {
    let before = &text[..cursor];
    let mut found = Vec::new();
    if !before.trim_start().contains(' ') {
        let start = before.len() - before.trim_start().len();
        let typed = &before[start..];
        let kinds = QueueKind::ALL.iter();
        found.extend(
            kinds
                .filter(|kind| kind.as_str().starts_with(typed))
                .map(|kind| Completion {
                    span: start..cursor,
                    text: kind.as_str().to_owned(),
                    help: kind.help(),
                }),
        );
    }
    found.extend(browse::complete_with(
        text,
        cursor,
        saved,
        FieldScope::Samples,
    ));
    found
}

/// Removes everything that reveals the machine's decision: the focal method and its calls, the contexts of setup and
/// focal method, weights, and the order of the candidates; and people's remarks on the sample.
pub fn blind(explained: &mut ExplainedSample) {
    let order = review::painted_order(&explained.detail, true);
    explained.remarks = SampleRemarks::default();
    let detail = &mut explained.detail;
    detail.focal = None;
    detail.implementation = None;
    detail.setup_context.clear();
    detail.focal_context.clear();
    detail.row.focal = None;
    (detail.row.stage, detail.row.weight) = (None, None);
    // The cut between setup and assertion part follows from the focal call.
    let marks = &mut detail.test.marks;
    marks.retain(|mark| mark.kind == MarkKind::AssertionCall);
    let candidates = order.into_iter().map(|idx| CandidateRow {
        is_picked: false,
        ..detail.candidates[idx].clone()
    });
    detail.candidates = candidates.collect();
    explained.explanations = vec![MatchExplanation::Rules; detail.candidates.len()];
}
