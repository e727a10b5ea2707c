//! How common a method is among the calls of the tests of one class, or of the whole project.

use rustc_hash::FxHashMap;

use super::super::declared;
use crate::model::{Evidence, Evidences, MethodId, TestCase};

/// With fewer tests than this, shares mean nothing.
const TESTS_MIN: u32 = 4;

/// With fewer tests than this in a project, a method that many of them call need not be a driver.
const PROJECT_TESTS_MIN: u32 = 20;

/// How many tests call each method.
#[derive(Clone, Debug, Default)]
pub struct Census {
    n_tests: u32,
    callers: FxHashMap<MethodId, u32>,
}

impl Census {
    /// Counts one test.
    pub fn add(&mut self, test_case: &TestCase) {
        self.n_tests += 1;
        let mut called: Vec<MethodId> = test_case
            .calls
            .iter()
            .filter_map(|call| declared(&call.resolution))
            .collect();
        called.sort_unstable();
        called.dedup();
        for method in called {
            *self.callers.entry(method).or_default() += 1;
        }
    }

    /// Tells whether more than a third of the tests call a method, so that through it they get at the methods that they
    /// are about.
    pub(super) fn is_driver(&self, method: MethodId) -> bool {
        let n_callers = self.callers.get(&method).copied().unwrap_or(0);
        self.n_tests >= PROJECT_TESTS_MIN && n_callers * 3 > self.n_tests
    }

    pub(super) fn judge(&self, evidence: &mut Evidences, method: MethodId) {
        if self.n_tests < TESTS_MIN {
            return;
        }
        let n_callers = self.callers.get(&method).copied().unwrap_or(0);
        evidence.set(Evidence::RareInClass, n_callers * 5 <= self.n_tests);
        evidence.set(Evidence::CommonInClass, n_callers * 2 > self.n_tests);
    }
}
