//! Which calls are assertions (MINING.md rules 6 and 14).
//!
//! Decides by declaring class where it is known, and by name only where it is not; the words are the language's. What
//! an assertion checks is not decided here.

use crate::model::{Call, Method, Resolution, TestCase};
use crate::syntax::Dialect;

/// Tells assertions from other calls in one project.
#[derive(Clone, Copy, Debug)]
pub struct AssertionClassifier<'p> {
    pub dialect: &'static Dialect,
    pub methods: &'p [Method],
}

impl AssertionClassifier<'_> {
    /// Tells whether `call` is an assertion: of a library, of an unknown declaration with such a name, or the project's
    /// own helper that is named as one.
    pub fn is_assertion(self, call: &Call) -> bool {
        let words = &self.dialect.assertions;
        match &call.resolution {
            Resolution::Outside(Some(owner)) => words.is_library(owner),
            Resolution::Outside(None) | Resolution::Unknown(_) => words.is_name(&call.name),
            Resolution::Declared(_) | Resolution::Ambiguous(_) => super::declared(&call.resolution)
                .is_some_and(|method| words.is_helper(&self.methods[method.0 as usize].name)),
        }
    }

    /// Tells whether `call` checks something: an assertion, or a mock's verification. Calls that make or configure
    /// mocks are of a library of assertions, too, but prepare: `when(clock.now()).thenReturn(1)` belongs to the setup.
    pub fn is_check(self, call: &Call) -> bool {
        let is_verifying = || {
            let mut verifying = self.dialect.mocks.verifying.iter();
            verifying.any(|text| call.name.starts_with(text))
        };
        self.is_assertion(call) && (!self.is_mocking(call) || is_verifying())
    }

    /// Tells whether `call` makes, configures or verifies a mock.
    pub fn is_mocking(self, call: &Call) -> bool {
        let mocks = &self.dialect.mocks;
        match &call.resolution {
            Resolution::Outside(Some(owner)) => mocks
                .libraries
                .iter()
                .any(|library| owner.starts_with(library)),
            Resolution::Outside(None) | Resolution::Unknown(_) => {
                mocks.stubbing.contains(&call.name.as_str())
            }
            Resolution::Declared(_) | Resolution::Ambiguous(_) => false,
        }
    }

    /// Tells whether the call at `idx` is inside a check: as an argument, in the receiver chain, in a lambda there, or
    /// in an assertion that is not a call.
    pub fn is_inside(self, test_case: &TestCase, idx: usize) -> bool {
        let calls = &test_case.calls;
        if is_in_assertion(test_case, &calls[idx]) {
            return true;
        }
        let mut parent = calls[idx].parent;
        while let Some((holder, _)) = parent {
            let call = &calls[holder as usize];
            if self.is_check(call) {
                return true;
            }
            parent = call.parent;
        }
        false
    }
}

/// Tells whether a call lies in an assertion that is not a call, or that is more than one call.
pub fn is_in_assertion(test_case: &TestCase, call: &Call) -> bool {
    let mut spans = test_case.assertions.iter();
    spans.any(|span| span.contains(call.name_span))
}
