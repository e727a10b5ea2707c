//! What stands around a test and its focal method: the test's file without its tests, and what the focal method calls.

use crate::layout::declaration;
use crate::model::Span;
use crate::store::StoredSample;
use crate::syntax::excerpt::{TestFile, test_context};

/// What a prompt shows of both files.
pub struct Around {
    pub focal_context: Vec<String>,
    /// The test's file without its tests.
    pub test_file: String,
}

impl Around {
    /// Takes the parts of a sample; `tests` are all tests in the test's file.
    pub fn of(sample: &StoredSample, tests: &[Span]) -> Self {
        let file = TestFile {
            language: sample.repo.language,
            path: &sample.test.path,
            text: &sample.test.text,
            tests,
        };
        Self {
            focal_context: sample.focal_context.iter().map(declaration).collect(),
            test_file: test_context(file, sample.test.span),
        }
    }
}
