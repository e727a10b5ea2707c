//! Whether something can fail in answers that nobody ran: [`crate::syntax::asserts`], asked with what the index has of
//! the project.

use crate::EvalError;
use crate::model::{Language, Prediction, Span, Target};
use crate::store::{Store, StoredSample};
use crate::syntax::asserts::{ProjectHelpers, TestText};
use crate::syntax::place::in_place;

/// The project that was asked about last: answers of one project mostly come together.
#[derive(Default)]
pub struct AssertionNames {
    project: Option<(String, Language)>,
    helpers: ProjectHelpers,
}

impl AssertionNames {
    /// Tells whether something can fail in an answer in its place.
    pub fn asserts(
        &mut self,
        store: &Store,
        (prediction, sample): (&Prediction, &StoredSample),
        target: Target,
    ) -> Result<bool, EvalError> {
        let (identity, language) = (&sample.repo.identity, sample.repo.language);
        let is_known = self
            .project
            .as_ref()
            .is_some_and(|project| project.0 == *identity && project.1 == language);
        if !is_known {
            self.project = Some((identity.clone(), language));
            self.helpers = ProjectHelpers::default();
        }
        let (text, answer) = match target {
            Target::Test => {
                let text = prediction.text().to_owned();
                let whole = Span::new(0, text.len() as u32);
                (text, whole)
            }
            Target::Assertion => {
                let start = sample.test.span.start;
                let within = |span: Span| Span::new(span.start - start, span.end - start);
                let assertion = sample.cut.assertion.map(within);
                in_place(language, sample.test.source(), assertion, prediction.text())
            }
        };
        let test = TestText {
            language,
            path: &sample.test.path,
            text: &text,
            answer,
        };
        let files = || store.test_files(identity, language);
        Ok(self.helpers.asserts(test, &sample.test.text, files)?)
    }
}
