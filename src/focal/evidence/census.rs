//! What the tests of one class call: how common a method is among them.

use rustc_hash::FxHashMap;

use super::super::declared;
use crate::model::{Evidence, Evidences, MethodId, TestCase};

/// With fewer tests than this, shares say nothing.
const TESTS_MIN: u32 = 4;

/// How many tests of a class call each method.
#[derive(Clone, Debug, Default)]
pub struct Census {
    n_tests: u32,
    callers: FxHashMap<MethodId, u32>,
}

impl Census {
    /// Counts one test of the class.
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

    pub(super) fn judge(&self, evidence: &mut Evidences, method: MethodId) {
        if self.n_tests < TESTS_MIN {
            return;
        }
        let n_callers = self.callers.get(&method).copied().unwrap_or(0);
        evidence.set(Evidence::RareInClass, n_callers * 5 <= self.n_tests);
        evidence.set(Evidence::CommonInClass, n_callers * 2 > self.n_tests);
    }
}
