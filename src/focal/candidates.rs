//! Which calls of a test may be its focal method (MINING.md rules 3 to 5).
//!
//! This file collects and scores; other files decide.

use super::names::Tokens;
use crate::model::{Call, CallKind, Candidate, Evidences, FileRole, Method, TestCase};

/// Collects the candidates of a test, unique by simple name, in order of their first call: invocations of methods that
/// the project's main code declares. No constructors, no method references, no helpers of test code.
pub fn of(test: &Method, test_case: &TestCase, methods: &[Method]) -> Vec<Candidate> {
    let by_test = Tokens::of(&test.name);
    let by_class = Tokens::of(&test_case.group);
    let mut candidates: Vec<Candidate> = Vec::new();
    for (idx, call) in test_case.calls.iter().enumerate() {
        if call.kind != CallKind::Method {
            continue;
        }
        let Some(method) = super::declared(&call.resolution) else {
            continue;
        };
        if methods[method.0 as usize].role != FileRole::Main {
            continue;
        }
        let idx = idx as u32;
        if let Some(known) = candidates
            .iter_mut()
            .find(|candidate| candidate.name == call.name)
        {
            known.calls.push(idx);
            continue;
        }
        let tokens = Tokens::of(&call.name);
        candidates.push(Candidate {
            name: call.name.clone(),
            method,
            score: by_test.similarity(&tokens),
            class_score: by_class.similarity(&tokens),
            weight: by_test.similarity(&tokens),
            evidence: Evidences::default(),
            calls: vec![idx],
        });
    }
    candidates
}

/// Tells whether the calls under a candidate's name mean more than one declaration.
pub fn has_several_declarations(candidate: &Candidate, calls: &[Call]) -> bool {
    candidate
        .calls
        .iter()
        .filter_map(|idx| super::declared(&calls[*idx as usize].resolution))
        .any(|method| method != candidate.method)
}
