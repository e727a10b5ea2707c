//! The helpers of one project, read on the first question.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Helpers, IdleReason, TestText, idle};

/// The helpers of one project in one language.
#[derive(Debug, Default)]
pub struct ProjectHelpers {
    nothing: Helpers,
    /// The helpers of each file that was read, by path.
    of_files: FxHashMap<String, Helpers>,
    /// The helpers of all test files, once they were asked for.
    of_project: Option<Helpers>,
}

impl ProjectHelpers {
    /// Tells whether something can fail in a test; `file` is the text of the file that it stands in. All test files of
    /// the project are asked for only where the test and its own file do not tell.
    ///
    /// # Errors
    /// Returns the error of `files`.
    pub fn asserts<E>(
        &mut self,
        test: TestText<'_>,
        file: &str,
        files: impl FnOnce() -> Result<Vec<(String, Arc<str>)>, E>,
    ) -> Result<bool, E> {
        let TestText { language, path, .. } = test;
        if !self.of_files.contains_key(path) {
            let helpers = Helpers::of_file(language, path, file);
            self.of_files.insert(path.to_owned(), helpers);
        }
        let own = self.of_files.get(path).unwrap_or(&self.nothing);
        match idle(test, own, &self.nothing) {
            None => return Ok(true),
            // A helper elsewhere may assert; it does not make up for an assertion here that cannot fail.
            Some(IdleReason::Nothing) => {}
            Some(_) => return Ok(false),
        }
        if self.of_project.is_none() {
            let mut helpers = Helpers::default();
            for (path, text) in files()? {
                helpers.add(language, &path, &text);
            }
            helpers.settle();
            self.of_project = Some(helpers);
        }
        let project = self.of_project.as_ref().unwrap_or(&self.nothing);
        Ok(idle(test, own, project).is_none())
    }
}
