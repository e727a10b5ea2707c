//! Whether something can fail in a test: asks [`crate::syntax::asserts`] with the helpers that the index has of the
//! project.

use crate::ExecuteError;
use crate::model::Span;
use crate::store::{PlacedSample, Store};
use crate::syntax::asserts::{ProjectHelpers, TestText};

/// Tells whether something can fail in a test that stands in place of the sample's; only the span `answer` of its text
/// counts.
pub fn asserts(
    known: &mut ProjectHelpers,
    store: &Store,
    placed: &PlacedSample,
    (text, answer): (&str, Span),
) -> Result<bool, ExecuteError> {
    let sample = &placed.sample;
    let language = sample.repo.language;
    let test = TestText {
        language,
        path: &sample.test.path,
        text,
        answer,
    };
    let files = || store.test_files(&sample.repo.identity, language);
    Ok(known.asserts(test, &sample.test.text, files)?)
}
