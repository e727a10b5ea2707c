//! The code around a test and its focal method: the test's file without its tests, and the focal method's calls.

use crate::Contexts;
use crate::layout::declaration;
use crate::model::Span;
use crate::store::StoredSample;
use crate::syntax::excerpt::{TestFile, test_context};

/// The parts of both files that a prompt shows.
pub struct PromptSurroundings {
    pub focal_context: Vec<String>,
    /// The test's file without its tests.
    pub test_file: String,
}

impl PromptSurroundings {
    /// Selects the parts of a sample that are shown; `tests` are all tests in the test's file.
    pub fn of(sample: &StoredSample, tests: &[Span], contexts: Contexts) -> Self {
        let focal_context = sample.focal_context.iter().filter(|_| contexts.has_focal());
        let focal_context = focal_context.map(declaration).collect();
        if !contexts.has_test() {
            return Self {
                focal_context,
                test_file: String::new(),
            };
        }
        let file = TestFile {
            language: sample.repo.language,
            path: &sample.test.path,
            text: &sample.test.text,
            tests,
        };
        Self {
            focal_context,
            test_file: test_context(file, sample.test.span),
        }
    }
}
